"""BVH, the Biovision hierarchy: read and written without losing anything.

What the format leaves open, and how it is read here:

- The channel order of a joint is the order of its turns in reading order, each in the frame the
  ones before it left: `Zrotation Yrotation Xrotation` is Rz·Ry·Rx. Degrees.
- A position channel *replaces* the joint's OFFSET on its axis (the convention of Blender, of
  MotionBuilder's exports and of LAFAN1); it is not added to it. Axes without a channel keep the
  OFFSET.
- A joint other than the root with one rotation channel is a hinge, with none it is fixed.
- Neither unit nor up axis is stated; `parsed.clip_from` decides them and says so.
- Frame times are printed with few digits: `.0083333` means 120 Hz (`parsed.snapped_rate_hz`).

What is written back (`bvh_write`) keeps the header as it stood, channel order, end sites and
names; numbers that still say the same as the clip are put back as they were in the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.errors import FileProblem
from poise.formats import bvh_layout
from poise.formats.bvh_layout import BvhLayout, PrintStyle
from poise.formats.bvh_plan import Plan, channel_values, plan_for
from poise.formats.bvh_read import MAX_JOINTS
from poise.formats.bvh_read import read as read
from poise.formats.bvh_read import read_character as read_character
from poise.formats.disk import atomic_write
from poise.formats.parsed import snapped_rate_hz
from poise.formats.text import MAX_MAGNITUDE
from poise.motion import Clip, Provenance


# Writing BVH; `bvh` says which conventions hold.
#
# A clip that came from a BVH file goes back in that file's unit, axes, header, channel order and
# digits. Numbers are put back as they stood wherever the clip still says the same; edited ones
# are the angles nearest to them. Any other clip is written in centimetres, Y up, with `Zrotation
# Xrotation Yrotation`, and six channels for the root.
def write(path: Path, clip: Clip, provenance: Provenance | None = None) -> tuple[str, ...]:
    """Write a clip as BVH and return what should be said about it.

    Args:
        path: where to.
        clip: what.
        provenance: not written; BVH has no room that every reader would skip.

    Raises:
        FileProblem: the file cannot be written, or the clip does not fit the format.
    """
    del provenance
    count = clip.skeleton.joint_count
    if count > MAX_JOINTS:
        raise FileProblem(path, f"at most {MAX_JOINTS} joints", f"{count}")
    plan = plan_for(clip)
    values, lost = channel_values(plan)
    _check_fits(path, plan, values)
    style = plan.layout.style if plan.layout else PrintStyle()
    lines = [
        f"Frames: {len(values)}",
        f"Frame Time: {_frame_time(plan.clip.rate_hz, plan.layout)}",
        *_frame_lines(values, style),
    ]
    text = _header(plan, style.line_end) + style.line_end.join(lines) + style.line_end
    atomic_write(path, text.encode("utf-8"))
    return (*plan.notes, *lost)


def _check_fits(path: Path, plan: Plan, values: Array) -> None:
    low, high = bvh_layout.FRAME_TIME_RANGE_S
    if not low <= 1.0 / plan.clip.rate_hz <= high:
        raise FileProblem(
            path, f"a rate from {1 / high:g} to {1 / low:g} Hz", f"{plan.clip.rate_hz:g} Hz"
        )
    offsets = np.array([n.offset for n in (*plan.joints, *plan.tips)])
    largest = max(float(np.abs(values).max(initial=0.0)), float(np.abs(offsets).max()))
    if largest > MAX_MAGNITUDE:
        raise FileProblem(path, f"no number above {MAX_MAGNITUDE:g}", f"{largest:g}")


def _frame_time(rate_hz: float, layout: BvhLayout | None) -> str:
    """The file's own words if the rate is still theirs, else digits that read back as the rate."""
    if layout and layout.rate_hz == rate_hz:
        return layout.frame_time
    seconds = 1.0 / rate_hz
    tries = [plain(s) for s in (seconds, np.nextafter(seconds, 0.0), np.nextafter(seconds, 1e9))]
    for text in tries:
        if snapped_rate_hz(float(text), bvh_layout.decimals_of(text)) == rate_hz:
            return text
    return tries[0]


def _header(plan: Plan, line_end: str) -> str:
    layout = plan.layout
    if layout and plan.joints == layout.joints and plan.tips == layout.tips:
        return layout.header
    lines = ["HIERARCHY"]
    depth = 0
    for i, joint in enumerate(plan.joints):
        tabs = "\t" * depth
        lines += [f"{tabs}{'JOINT' if i else 'ROOT'} {joint.name}", f"{tabs}{{"]
        depth += 1
        tabs = "\t" * depth
        lines.append(f"{tabs}OFFSET {_triple(joint.offset)}")
        lines.append(" ".join((f"{tabs}CHANNELS {len(joint.channels)}", *joint.channels)))
        for tip in (t for t in plan.tips if t.joint == i):
            lines += [f"{tabs}End {tip.label}", f"{tabs}{{"]
            lines += [f"{tabs}\tOFFSET {_triple(tip.offset)}", f"{tabs}}}"]
        following = plan.joints[i + 1].parent if i + 1 < len(plan.joints) else -1
        ancestor = i
        while ancestor != following:  # close until the next joint's parent is the open one
            depth -= 1
            lines.append("\t" * depth + "}")
            ancestor = plan.joints[ancestor].parent
    return line_end.join([*lines, "MOTION", ""])


def _triple(offset: tuple[float, float, float]) -> str:
    return " ".join(plain(v) for v in offset)


def _frame_lines(values: Array, style: PrintStyle) -> Iterator[str]:
    """One line a frame, in the file's fixed digits wherever these say the number exactly."""
    if style.decimals is None:
        for row in values.tolist():
            yield style.separator.join(map(plain, row))
        return
    pattern = " ".join([f"%.{style.decimals}f"] * values.shape[1])
    for row in values.tolist():
        words = (pattern % tuple(row)).split()
        if list(map(float, words)) != row:
            words = [w if float(w) == v else plain(v) for w, v in zip(words, row, strict=True)]
        yield style.separator.join(words)


def plain(value: float) -> str:
    """The shortest digits that read back as this number, never with an exponent."""
    text = repr(float(value))
    return format(Decimal(text), "f") if "e" in text else text
