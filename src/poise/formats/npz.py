"""The native format: a whole clip, lossless, in a NumPy archive.

Numbers are plain arrays under their own names, so that `numpy.load` alone is enough to use a file;
words (source, history, provenance) are JSON in `meta_json`. Nothing is ever pickled, the members
are stored uncompressed with a fixed date, and so the same clip gives the same bytes everywhere.
"""

from __future__ import annotations

import ast
import json
import math
import re
import struct
import sys
import zlib
from collections.abc import Callable, Mapping, Set
from dataclasses import fields, is_dataclass
from io import BytesIO
from pathlib import Path
from types import UnionType
from typing import Any, cast, get_args, get_origin, get_type_hints
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, Json, RawArray
from poise.character import UNSET, Character, JointKind, Sites, Skeleton
from poise.errors import BadValue, FileProblem, PoiseError
from poise.formats.amc_layout import AmcLayout
from poise.formats.body_record import NUMBERS, WORDS, character_of, record_of
from poise.formats.budget import check_budget
from poise.formats.bvh_layout import BvhLayout
from poise.formats.disk import atomic_write, read_bytes
from poise.motion import Clip, Provenance, Source, provenance_of
from poise.units import UP_AXES, Unit
from poise.wording import MAX_MAGNITUDE

MAX_BYTES = 2**30
"""As many joint poses as any clip may have, with all that goes with them."""

_EXPANSION = 64
"""Stored floats do not shrink much; an archive that claims to grow more than this is a bomb."""
_ALWAYS_ALLOWED_BYTES = 1 << 24
_SMALL_BYTES = 1 << 27
"""Beyond this, an archive may only claim to grow by `_LARGE_EXPANSION`."""
_LARGE_EXPANSION = 4
_RATES_HZ = (1e-3, 1e6)
_MAX_TEXT = 1 << 22
"""Letters of what is said about a clip; as JSON, they grow ten times."""

_MAX_HEADER_BYTES = 10_000
_PLAIN_TYPE = re.compile(r"[<>=|]?(?:[fiuc](?:1|2|4|8|16)|U\d{1,8})")

_KIND_WORDS = {"f": "real numbers", "i": "whole numbers", "U": "text"}


def read_members(
    path: Path, kinds: Mapping[str, str], *, optional: Set[str]
) -> dict[str, RawArray]:
    """The named arrays of an archive.

    Args:
        path: the archive.
        kinds: name to kind: "f" (float64), "i" (int64) or "U" (text).
        optional: names that may be absent.
    """
    data = read_bytes(path, max_bytes=MAX_BYTES)
    try:
        with ZipFile(BytesIO(data)) as archive:
            _check_entries(path, archive, len(data))
            present = set(archive.namelist())
            arrays: dict[str, RawArray] = {}
            for name, kind in kinds.items():
                if f"{name}.npy" in present:
                    arrays[name] = _array(path, name, _content(archive, f"{name}.npy"), kind)
                elif name not in optional:
                    found = f"only {', '.join(sorted(present)[:20]) or 'nothing'}"
                    raise FileProblem(path, f"a member '{name}.npy'", found)
            return arrays
    except BadZipFile as problem:
        raise FileProblem(path, "a complete NumPy archive (.npz)", str(problem)) from None
    except (zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError) as problem:
        # What the zip reader lets through for damaged directories and members.
        raise FileProblem(path, "readable archive members", str(problem)) from None


def _content(archive: ZipFile, name: str) -> bytes:
    """A member's bytes, and no more of them than its entry declares (`read` would unfold all)."""
    with archive.open(name) as member:
        return member.read(archive.getinfo(name).file_size)


def _check_entries(path: Path, archive: ZipFile, size: int) -> None:
    for entry in archive.infolist():
        if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED) or entry.flag_bits & 1:
            raise FileProblem(path, "stored or deflated members", f"'{entry.filename}' is neither")
    declared = sum(entry.file_size for entry in archive.infolist())
    small = max(_ALWAYS_ALLOWED_BYTES, min(_EXPANSION * size, _SMALL_BYTES))
    most = min(MAX_BYTES, max(small, _LARGE_EXPANSION * size))
    if declared > most:
        expected = f"members of at most {most} bytes in a file of {size} bytes"
        raise FileProblem(path, expected, f"{declared} bytes declared")


def _array(path: Path, name: str, content: bytes, kind: str) -> RawArray:
    what = f"member '{name}.npy' as a NumPy array of {_KIND_WORDS[kind]}"
    dtype, fortran, shape, start = _header(path, what, content)
    wanted_bytes = {"f": 8, "i": 8}.get(kind, dtype.itemsize)
    if dtype.kind != kind or dtype.itemsize != wanted_bytes or dtype.hasobject:
        raise FileProblem(path, what, f"type {dtype}")
    declared = math.prod(shape) * dtype.itemsize
    left = len(content) - start
    if any(n < 0 for n in shape) or declared != left:
        found = f"shape {shape} ({declared} bytes) over {left} bytes"
        raise FileProblem(path, f"{what} whose shape fits its data", found)
    if left == 0:
        return np.zeros(shape, dtype=dtype)
    flat = np.frombuffer(content, dtype=dtype, offset=start)
    if kind == "U" and (flat.view(f"{dtype.byteorder}u4") > sys.maxunicode).any():
        raise FileProblem(path, what, "numbers that are no characters")
    return flat.reshape(shape, order="F" if fortran else "C").astype(dtype.newbyteorder("="))


def _header(
    path: Path, what: str, content: bytes
) -> tuple[np.dtype[np.generic], bool, tuple[int, ...], int]:
    """What an array says about itself: type, order, shape, and where its numbers start.

    NumPy's own reader of headers repairs those of Python 2 with a tokenizer, warns on the way, and
    fails in ways it does not list.
    """
    if content[:6] != np.lib.format.MAGIC_PREFIX or content[6:7] not in (b"\1", b"\2", b"\3"):
        raise FileProblem(path, what, "no array header")
    size_bytes = 2 if content[6] == 1 else 4
    start = 8 + size_bytes
    size = int.from_bytes(content[8:start], "little")
    if size > _MAX_HEADER_BYTES or start + size > len(content):
        raise FileProblem(path, what, f"a header of {size} bytes")
    try:
        facts = ast.literal_eval(content[start : start + size].decode("latin-1").strip())
        descr, fortran, shape = facts["descr"], facts["fortran_order"], facts["shape"]
    except (ValueError, SyntaxError, TypeError, KeyError, RecursionError, MemoryError):
        raise FileProblem(path, what, "an array header that cannot be read") from None
    whole = isinstance(shape, tuple) and all(type(n) is int for n in cast(tuple[object], shape))
    known = isinstance(descr, str) and _PLAIN_TYPE.fullmatch(descr) is not None
    if not known or not whole or type(fortran) is not bool:
        raise FileProblem(path, what, f"type {str(descr)[:60]}")
    return np.dtype(cast(str, descr)), fortran, cast(tuple[int, ...], shape), start + size


LAYOUTS: dict[str, type[BvhLayout] | type[AmcLayout]] = {"bvh": BvhLayout, "amc": AmcLayout}
"""Format name to the record its reader leaves in `Source.layout`."""


def _layout_as_plain(source: Source) -> Json:
    """JSON values for a layout, or None for a kind that has no place in the table."""
    known = LAYOUTS.get(source.format)
    return _plain(source.layout) if type(source.layout) is known else None


def _layout_from_plain(format_name: str, value: Json, channel_count: int | None) -> object:
    """The layout again; raises `BadValue` for anything that such a record cannot be.

    Args:
        format_name: a key of `LAYOUTS`.
        value: what `_layout_as_plain` gave.
        channel_count: columns of the file's own numbers, where they are kept.
    """
    if format_name not in LAYOUTS:
        raise BadValue("layout", f"of a format among {', '.join(LAYOUTS)}", format_name)
    layout = _rebuilt("layout", LAYOUTS[format_name], value)
    try:
        width = _width(cast(BvhLayout | AmcLayout, layout))
    except (LookupError, ValueError, TypeError, PoiseError) as problem:
        raise BadValue("layout", "consistent in itself", str(problem)) from problem
    if channel_count is not None and width != channel_count:
        raise BadValue("layout", f"for {channel_count} channels", width)
    return layout


def _width(layout: BvhLayout | AmcLayout) -> int:
    """Columns of a frame; on the way every name and index in the layout is looked up once."""
    if isinstance(layout, AmcLayout):
        _ = [bone.axes_wxyz for bone in layout.asf.bones]
        _ = [(bone.turn_axes, bone.move_axes) for bone in layout.asf.bones]
        _ = layout.asf.skeleton
        return layout.width
    for index, joint in enumerate(layout.joints):
        _ = joint.position_axes, joint.rotation_axes
        if not -1 <= joint.parent < max(index, 1) or (joint.parent == -1) != (index == 0):
            raise ValueError(f"joint {joint.name} has parent {joint.parent}")
    for tip in layout.tips:
        _ = layout.joints[tip.joint]
    return layout.starts[-1]


def _plain(value: object) -> Json:
    if is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in cast(tuple[object, ...], value)]
    return cast(str | float | bool | None, value)


def _rebuilt(where: str, kind: object, value: Json) -> object:
    """A value of the declared type, from JSON."""
    if get_origin(kind) is UnionType:  # of a type and None
        return None if value is None else _rebuilt(where, get_args(kind)[0], value)
    if get_origin(kind) is tuple:
        return _rebuilt_tuple(where, get_args(kind), value)
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        names = [f.name for f in fields(kind)]
        if not isinstance(value, dict) or set(value) != set(names):
            raise BadValue(where, f"an object with {', '.join(names)}", type(value).__name__)
        made = {name: _rebuilt(f"{where}.{name}", hints[name], value[name]) for name in names}
        return cast(Callable[..., object], kind)(**made)
    if kind is float and type(value) is int:
        return float(value)
    if kind not in (str, int, float, bool) or type(value) is not kind:
        raise BadValue(where, f"of type {getattr(kind, '__name__', kind)}", type(value).__name__)
    return value


def _rebuilt_tuple(where: str, kinds: tuple[object, ...], value: Json) -> tuple[object, ...]:
    if not isinstance(value, list):
        raise BadValue(where, "a list", type(value).__name__)
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        kinds = (kinds[0],) * len(value)
    if len(value) != len(kinds):
        raise BadValue(where, f"a list of {len(kinds)}", len(value))
    return tuple(
        _rebuilt(f"{where}[{i}]", kind, item)
        for i, (kind, item) in enumerate(zip(kinds, value, strict=True))
    )


_Facts = dict[str, Any]
"""Of `meta_json`: whatever is not as expected fails where it is used."""

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
"""Every member a file must have, with the kind of its numbers."""

_BODY: dict[str, str] = {f"body_{n}": "f" for n in NUMBERS} | {f"body_{n}": "U" for n in WORDS}
_OPTIONAL: dict[str, str] = {"source_channels": "f", "standing_wxyz": "f", **_BODY}
"""Members that a file may have; of the body (`body_record`), all or none."""


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
    arrays: dict[str, ArrayLike] = {
        "schema": np.int64(SCHEMA),
        "joint_names": np.array(skeleton.joint_names, dtype=np.str_),
        "parents": skeleton.parents,
        "offsets_m": skeleton.offsets_m,
        "rest_wxyz": skeleton.rest_wxyz,
        "kinds": np.array(skeleton.kinds, dtype=np.str_),
        "hinge_axes": skeleton.hinge_axes,
        "limits_rad": skeleton.limits_rad,
        "end_site_names": np.array(ends.names, dtype=np.str_),
        "end_site_joints": ends.joints,
        "end_site_offsets_m": ends.offsets_m,
        "rate_hz": np.float64(clip.rate_hz),
        "root_positions_m": clip.root_positions_m,
        "rotations_wxyz": clip.rotations_wxyz,
        "moving_joints": np.array(clip.moving_joints, dtype=np.int64),
        "moving_offsets_m": clip.moving_offsets_m,
        "meta_json": np.array(_meta_json(clip, provenance or provenance_of(clip))),
    }
    if not skeleton.rest_stands:
        arrays["standing_wxyz"] = skeleton.standing_wxyz
    if clip.body is not None:
        arrays |= {f"body_{name}": values for name, values in record_of(clip.body).items()}
    arrays |= {name: np.array(value) for name, value in (also or {}).items()}
    if source is not None and source.channels is not None:
        arrays["source_channels"] = source.channels
    atomic_write(path, _archive(arrays))
    if source is not None and source.layout is not None and _layout_as_plain(source) is None:
        what = f"The layout of the {source.format} file"
        return (f"{what} is not kept in .npz; written back, it will have the usual one.",)
    return ()


def read_clip(path: Path) -> Clip:
    """Read a clip as it was written, its source and history included."""
    arrays = read_members(path, {**_MEMBERS, **_OPTIONAL}, optional=_OPTIONAL.keys())
    schema = int(arrays["schema"]) if arrays["schema"].ndim == 0 else -1
    if schema != SCHEMA:
        raise FileProblem(path, f"schema {SCHEMA}", f"schema {schema}", advice=_ADVICE)
    turns = arrays["rotations_wxyz"]
    if turns.ndim == 3:
        check_budget(path, turns.shape[0], turns.shape[1], turns.nbytes)
    _check_numbers(path, arrays)
    meta = _parsed_meta(path, arrays["meta_json"])
    try:
        return _clip(arrays, meta)
    except PoiseError as problem:
        raise FileProblem(path, "a consistent clip", str(problem).rstrip(".")) from problem
    except (KeyError, TypeError, ValueError, OverflowError) as problem:
        found = f"{type(problem).__name__}: {problem}"
        raise FileProblem(path, "the usual entries in meta_json", found, advice=_ADVICE) from None


def _check_numbers(path: Path, arrays: Mapping[str, RawArray]) -> None:
    """Lengths and rates as in any other file; beyond them sums would overflow further on."""
    for name, kind in {**_MEMBERS, "standing_wxyz": "f"}.items():
        if (
            kind != "f" or name == "limits_rad" or name not in arrays
        ):  # what has no limit is infinite there
            continue
        if arrays[name].size and not (np.abs(arrays[name]) <= MAX_MAGNITUDE).all():
            raise FileProblem(path, f"finite numbers of at most {MAX_MAGNITUDE:g} in {name}")
    rate = arrays["rate_hz"]
    low, high = _RATES_HZ
    if rate.size == 1 and not low <= float(rate.ravel()[0]) <= high:
        raise FileProblem(path, f"rate_hz from {low:g} to {high:g}", f"{float(rate.ravel()[0]):g}")


def _clip(arrays: dict[str, RawArray], meta: _Facts) -> Clip:
    ends = _texts("end_site_names", arrays)
    skeleton = Skeleton(
        joint_names=_texts("joint_names", arrays),
        parents=arrays["parents"],
        offsets_m=arrays["offsets_m"],
        rest_wxyz=arrays["rest_wxyz"],
        kinds=cast(tuple[JointKind, ...], _texts("kinds", arrays)),
        hinge_axes=arrays["hinge_axes"],
        limits_rad=arrays["limits_rad"],
        end_sites=Sites(ends, arrays["end_site_joints"], arrays["end_site_offsets_m"]),
        standing_wxyz=arrays.get("standing_wxyz", UNSET),
    )
    return Clip(
        skeleton=skeleton,
        rate_hz=float(arrays["rate_hz"]),
        root_positions_m=arrays["root_positions_m"],
        rotations_wxyz=arrays["rotations_wxyz"],
        moving_joints=tuple(int(j) for j in arrays["moving_joints"].ravel()),
        moving_offsets_m=arrays["moving_offsets_m"],
        name=_text(meta["name"]),
        source=_source(
            meta["source"], arrays.get("source_channels"), len(arrays["rotations_wxyz"])
        ),
        history=tuple(_text(line) for line in meta["history"]),
        body=_body(arrays, skeleton),
    )


def _body(arrays: dict[str, RawArray], skeleton: Skeleton) -> Character | None:
    kept = {name.removeprefix("body_"): arrays[name] for name in _BODY if name in arrays}
    if not kept:
        return None
    if len(kept) < len(_BODY):
        lacking = sorted(_BODY.keys() - arrays.keys())
        raise BadValue("members of the body", "all there", f"none called {lacking[0]}")
    return character_of(kept, skeleton)


def _source(facts: _Facts | None, channels: Array | None, frames: int) -> Source | None:
    if facts is None:
        return None
    if channels is not None and (channels.ndim != 2 or len(channels) != frames):
        raise ValueError(f"source_channels of shape {channels.shape} for {frames} frames")
    width = None if channels is None else channels.shape[1]
    layout = facts["layout"]
    if layout is not None:
        layout = _layout_from_plain(_text(facts["format"]), layout, width)
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
            "layout": _layout_as_plain(source),
            "notes": list(source.notes),
        }
    meta = {
        "name": clip.name,
        "source": facts,
        "history": list(clip.history),
        "provenance": provenance.as_dict(),
    }
    return json.dumps(meta, separators=(",", ":"))


def _parsed_meta(path: Path, text: RawArray) -> _Facts:
    if text.nbytes > 4 * _MAX_TEXT:
        raise FileProblem(path, f"at most {_MAX_TEXT} letters in meta_json", f"{text.nbytes // 4}")
    try:
        meta = json.loads(str(text[()]))
    except (ValueError, RecursionError) as problem:
        raise FileProblem(path, "JSON text in meta_json", str(problem)) from None
    if not isinstance(meta, dict):
        raise FileProblem(path, "a JSON object in meta_json", type(meta).__name__)
    return cast(_Facts, meta)


def _archive(arrays: dict[str, ArrayLike]) -> bytes:
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


def _texts(name: str, arrays: dict[str, RawArray]) -> tuple[str, ...]:
    if arrays[name].ndim != 1:
        raise ValueError(f"{name} of shape {arrays[name].shape}")
    return tuple(str(text) for text in arrays[name])


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected text, found {type(value).__name__}")
    return value
