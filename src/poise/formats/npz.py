"""The native format: a whole clip, lossless, in a NumPy archive.

Numbers are plain arrays under their own names, so that `numpy.load` alone is enough to use a file;
words (source, history, provenance) are JSON in `meta_json`. Nothing is ever pickled, the members
are stored uncompressed with a fixed date, and so the same clip gives the same bytes everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, cast
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Sites, Skeleton
from poise.errors import FileProblem, PoiseError
from poise.formats.atomic import atomic_write
from poise.formats.npz_layout import layout_as_plain, layout_from_plain
from poise.formats.npz_members import read_members
from poise.motion import Clip, Provenance, Source, provenance_of
from poise.units import UP_AXES, Unit

SCHEMA = 1
"""Raised when a reader of the old schema would misunderstand a new file."""

_ADVICE = "Write it again with this version of Poise, or convert the original file."

_MEMBERS: dict[str, str] = {
    "schema": "i",
    "joint_names": "U",
    "parents": "i",
    "offsets_m": "f",
    "rest_wxyz": "f",
    "kinds": "U",
    "hinge_axes": "f",
    "limits_rad": "f",
    "end_site_names": "U",
    "end_site_joints": "i",
    "end_site_offsets_m": "f",
    "rate_hz": "f",
    "root_positions_m": "f",
    "rotations_wxyz": "f",
    "moving_joints": "i",
    "moving_offsets_m": "f",
    "meta_json": "U",
}
"""Every member a file must have, with the kind of its numbers. `source_channels` is optional."""


def write(
    path: Path,
    clip: Clip,
    provenance: Provenance | None = None,
    *,
    also: Mapping[str, str | Array] | None = None,
) -> tuple[str, ...]:
    """Write everything a clip knows.

    Args:
        path: the file.
        clip: the motion.
        provenance: how it came to be.
        also: texts and numbers to keep beside it, by the name of their member.

    Returns:
        Notes to say aloud.
    """
    skeleton, ends, source = clip.skeleton, clip.skeleton.end_sites, clip.source
    arrays: dict[str, Any] = {
        "schema": np.int64(SCHEMA),
        "joint_names": _text_array(skeleton.joint_names),
        "parents": skeleton.parents,
        "offsets_m": skeleton.offsets_m,
        "rest_wxyz": skeleton.rest_wxyz,
        "kinds": _text_array(skeleton.kinds),
        "hinge_axes": skeleton.hinge_axes,
        "limits_rad": skeleton.limits_rad,
        "end_site_names": _text_array(ends.names),
        "end_site_joints": ends.joints,
        "end_site_offsets_m": ends.offsets_m,
        "rate_hz": np.float64(clip.rate_hz),
        "root_positions_m": clip.root_positions_m,
        "rotations_wxyz": clip.rotations_wxyz,
        "moving_joints": np.array(clip.moving_joints, dtype=np.int64),
        "moving_offsets_m": clip.moving_offsets_m,
        "meta_json": np.array(_meta_json(clip, provenance or provenance_of(clip))),
    }
    arrays |= {name: np.array(value) for name, value in (also or {}).items()}
    if source is not None and source.channels is not None:
        arrays["source_channels"] = source.channels
    atomic_write(path, _archive(arrays))
    if source is not None and source.layout is not None and _layout(source) is None:
        what = f"The layout of the {source.format} file"
        return (f"{what} is not kept in .npz; written back, it will have the usual one.",)
    return ()


def read_clip(path: Path) -> Clip:
    """Read a clip as it was written, its source and history included."""
    arrays = read_members(path, {**_MEMBERS, "source_channels": "f"}, optional={"source_channels"})
    schema = int(arrays["schema"]) if arrays["schema"].ndim == 0 else -1
    if schema != SCHEMA:
        raise FileProblem(path, f"schema {SCHEMA}", f"schema {schema}", advice=_ADVICE)
    meta = _parsed_meta(path, arrays["meta_json"])
    try:
        return _clip(arrays, meta)
    except PoiseError as problem:
        raise FileProblem(path, "a consistent clip", str(problem).rstrip(".")) from problem
    except (KeyError, TypeError, ValueError, OverflowError) as problem:
        found = f"{type(problem).__name__}: {problem}"
        raise FileProblem(path, "the usual entries in meta_json", found, advice=_ADVICE) from None


def read_provenance(path: Path) -> dict[str, Any]:
    """What the file says about its making."""
    arrays = read_members(path, {"meta_json": "U"}, optional=set())
    return cast(dict[str, Any], _parsed_meta(path, arrays["meta_json"]).get("provenance", {}))


def _clip(arrays: dict[str, NDArray[Any]], meta: dict[str, Any]) -> Clip:
    sites = Sites(
        _texts("end_site_names", arrays),
        arrays["end_site_joints"],
        arrays["end_site_offsets_m"],
    )
    skeleton = Skeleton(
        joint_names=_texts("joint_names", arrays),
        parents=arrays["parents"],
        offsets_m=arrays["offsets_m"],
        rest_wxyz=arrays["rest_wxyz"],
        kinds=cast(Any, _texts("kinds", arrays)),
        hinge_axes=arrays["hinge_axes"],
        limits_rad=arrays["limits_rad"],
        end_sites=sites,
    )
    return Clip(
        skeleton=skeleton,
        rate_hz=float(arrays["rate_hz"]),
        root_positions_m=arrays["root_positions_m"],
        rotations_wxyz=arrays["rotations_wxyz"],
        moving_joints=tuple(int(j) for j in arrays["moving_joints"].ravel()),
        moving_offsets_m=arrays["moving_offsets_m"],
        name=_text(meta["name"]),
        source=_source(meta["source"], arrays.get("source_channels"), arrays),
        history=tuple(_text(line) for line in meta["history"]),
    )


def _source(
    facts: dict[str, Any] | None,
    channels: NDArray[Any] | None,
    arrays: dict[str, NDArray[Any]],
) -> Source | None:
    if facts is None:
        return None
    frames = len(arrays["rotations_wxyz"])
    if channels is not None and (channels.ndim != 2 or len(channels) != frames):
        raise ValueError(f"source_channels of shape {channels.shape} for {frames} frames")
    width = None if channels is None else channels.shape[1]
    layout = facts["layout"]
    if layout is not None:
        layout = layout_from_plain(_text(facts["format"]), layout, width)
    unit = facts["unit"]
    metres = float(unit["metres"])
    if not (np.isfinite(metres) and metres > 0) or facts["up"] not in UP_AXES:
        raise ValueError(f"a unit of {metres} m with {facts['up']!r} up")
    return Source(
        format=_text(facts["format"]),
        path=_text(facts["path"]),
        sha256=_text(facts["sha256"]),
        unit=Unit(_text(unit["name"]), metres, _text(unit["reason"])),
        up=facts["up"],
        up_reason=_text(facts["up_reason"]),
        layout=layout,
        channels=channels,
        notes=tuple(_text(note) for note in facts["notes"]),
    )


def _meta_json(clip: Clip, provenance: Provenance) -> str:
    source = clip.source
    facts = None
    if source is not None:
        unit = source.unit
        facts = {
            "format": source.format,
            "path": source.path,
            "sha256": source.sha256,
            "unit": {"name": unit.name, "metres": unit.metres, "reason": unit.reason},
            "up": source.up,
            "up_reason": source.up_reason,
            "layout": _layout(source),
            "notes": list(source.notes),
        }
    meta = {
        "name": clip.name,
        "source": facts,
        "history": list(clip.history),
        "provenance": provenance.as_dict(),
    }
    return json.dumps(meta, separators=(",", ":"))


def _layout(source: Source) -> dict[str, Any] | None:
    return layout_as_plain(source.format, source.layout)


def _parsed_meta(path: Path, text: NDArray[Any]) -> dict[str, Any]:
    try:
        meta = json.loads(str(text[()]))
    except (ValueError, RecursionError) as problem:
        raise FileProblem(path, "JSON text in meta_json", str(problem)) from None
    if not isinstance(meta, dict):
        raise FileProblem(path, "a JSON object in meta_json", type(meta).__name__)
    return cast(dict[str, Any], meta)


def _archive(arrays: dict[str, Any]) -> bytes:
    out = BytesIO()
    with ZipFile(out, "w", ZIP_STORED) as archive:
        for name, value in arrays.items():
            array = np.asarray(value)
            little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
            member = BytesIO()
            # reshape: ascontiguousarray turns a single number into a list of one.
            np.lib.format.write_array(member, little.reshape(array.shape), allow_pickle=False)
            entry = ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system = 3  # the same on every platform
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, member.getvalue())
    return out.getvalue()


def _text_array(texts: tuple[str, ...]) -> NDArray[np.str_]:
    return np.array(texts, dtype=np.str_)


def _texts(name: str, arrays: dict[str, NDArray[Any]]) -> tuple[str, ...]:
    if arrays[name].ndim != 1:
        raise ValueError(f"{name} of shape {arrays[name].shape}")
    return tuple(str(text) for text in arrays[name])


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected text, found {type(value).__name__}")
    return value
