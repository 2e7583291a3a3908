"""Reading BVH; `bvh` says which conventions hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind, Skeleton
from poise.errors import FileProblem
from poise.formats import bvh_layout
from poise.formats.budget import MOST_JOINTS as MAX_JOINTS
from poise.formats.budget import check_budget
from poise.formats.bvh_layout import CHANNEL_AXES, BvhJoint, BvhLayout, BvhTip, PrintStyle
from poise.formats.parsed import Parsed, character_from, sites_of, snapped_rate_hz
from poise.formats.text import Scanner, Text, number_from, numbers, read_text, shown

_MAX_CHANNELS = 6
_MAX_FRAMES = 10**17
"""Only so that the count is a number; whether the frames are there is checked against the text."""

_FRAMES = re.compile(r"frames\s*:", re.IGNORECASE)
_FRAME_TIME = re.compile(r"frame\s+time\s*:", re.IGNORECASE)
_INSIDE_JOINT = "OFFSET, CHANNELS, JOINT, End Site or '}'"


def read(path: Path) -> Parsed:
    """A BVH file's skeleton and motion, in its own units and axes.

    Raises:
        FileProblem: the file cannot be read, with the line and what was expected there.
    """
    text = read_text(path)
    scanner = Scanner(text)
    joints, tips = _hierarchy(scanner)
    _expect_motion(scanner)
    header_end = _line_end_after(text.content, scanner.after)
    frames, frames_at = _frame_count(scanner)
    frame_time, rate_hz = _frame_time(scanner)
    channels = _channels(text, scanner.after, frames, frames_at, joints)
    line = text.line_at(frames_at)
    check_budget(path, frames, len(joints), len(text.content), line=line)
    layout = BvhLayout(
        joints=tuple(joints),
        tips=tuple(tips),
        header=text.content[:header_end],
        frame_time=frame_time,
        rate_hz=rate_hz,
        style=_print_style(text.content, scanner.after),
    )
    return _parsed(layout, channels)


def read_character(path: Path) -> Character:
    """The hierarchy alone as a character, in metres and Y up; MOTION may be absent."""
    scanner = Scanner(read_text(path))
    joints, tips = _hierarchy(scanner)
    if scanner.peek():
        _expect_motion(scanner)
    return character_from(_skeleton(joints, tips), path, "bvh")


@dataclass
class _Open:
    """A joint whose closing brace has not come yet."""

    name: str
    parent: int
    index: int
    offset: tuple[float, float, float] | None = None
    channels: tuple[str, ...] | None = None


class _Tree:
    """The hierarchy as far as it has been read."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.joints: list[BvhJoint] = []
        self.tips: list[BvhTip] = []
        self.open: list[_Open] = []
        self._joint_at: dict[str, int] = {}
        self._tip_names: set[str] = set()

    def begin(self, what: str) -> None:
        """Take a joint's name and its opening brace."""
        scanner = self.scanner
        name = scanner.rest_of_name()
        at = scanner.position
        if not name:
            raise scanner.text.problem(at, f"a joint name after {what}", "none")
        if name in self._joint_at:
            line = scanner.text.line_at(self._joint_at[name])
            found = f"a second '{name}' (the first is in line {line})"
            raise scanner.text.problem(at, "joint names that differ", found)
        if len(self._joint_at) == MAX_JOINTS:
            raise scanner.text.problem(at, f"at most {MAX_JOINTS} joints", "one more")
        scanner.expect("{", f" after the name of {what} '{name}'")
        parent = self.open[-1].index if self.open else -1
        self.open.append(_Open(name, parent, len(self._joint_at)))
        self._joint_at[name] = at

    def offset(self) -> None:
        """Take an OFFSET line."""
        joint = self.open[-1]
        if joint.offset is not None:
            raise self.scanner.wrong(f"one OFFSET for '{joint.name}'", "a second one")
        joint.offset = _offset(self.scanner, joint.name)

    def channels(self) -> None:
        """Take a CHANNELS line."""
        joint = self.open[-1]
        if joint.channels is not None:
            raise self.scanner.wrong(f"one CHANNELS for '{joint.name}'", "a second one")
        joint.channels = _channel_names(self.scanner, joint.name)

    def tip(self) -> None:
        """Take an End Site with its braces."""
        scanner, joint = self.scanner, self.open[-1]
        label = scanner.rest_of_name()
        scanner.expect("{", f" after End Site of '{joint.name}'")
        offset = None
        while (word := scanner.next().lower()) != "}":
            if word == "offset" and offset is None:
                offset = _offset(scanner, f"the end site of '{joint.name}'")
            elif word == "channels" and scanner.whole_number("the channels of an end site", 0) == 0:
                pass
            else:
                raise scanner.wrong("one OFFSET and '}' in an End Site", word)
        if offset is None:
            raise scanner.wrong(f"an OFFSET in the End Site of '{joint.name}'", "}")
        if len(self.tips) == MAX_JOINTS:
            raise scanner.text.problem(scanner.position, f"at most {MAX_JOINTS} end sites")
        own = re.sub(r"^site(?:\s+|$)", "", label, flags=re.IGNORECASE)
        name = bvh_layout.tip_name(own, joint.name, self._tip_names)
        self.tips.append(BvhTip(joint.index, label, name, offset))

    def require_stated(self, next_word: str) -> None:
        """A joint states its offset and channels before its children: that orders the columns."""
        joint = self.open[-1]
        if joint.offset is None or joint.channels is None:
            missing = "OFFSET" if joint.offset is None else "CHANNELS"
            raise self.scanner.wrong(f"{missing} of '{joint.name}' first", next_word)
        if joint.index == len(self.joints):
            self.joints.append(BvhJoint(joint.name, joint.parent, joint.offset, joint.channels))


def _hierarchy(scanner: Scanner) -> tuple[list[BvhJoint], list[BvhTip]]:
    scanner.expect("HIERARCHY", " at the start of a BVH file")
    scanner.expect("ROOT", " after HIERARCHY")
    tree = _Tree(scanner)
    tree.begin("ROOT")
    while tree.open:
        word = scanner.next()
        keyword = word.lower()
        if keyword == "offset":
            tree.offset()
        elif keyword == "channels":
            tree.channels()
        elif keyword in ("joint", "end", "}"):
            tree.require_stated(word)
            if keyword == "joint":
                tree.begin("JOINT")
            elif keyword == "end":
                tree.tip()
            else:
                tree.open.pop()
        else:
            raise _unexpected_in_joint(scanner, tree.open[-1].name, word)
    return tree.joints, tree.tips


def _unexpected_in_joint(scanner: Scanner, joint: str, word: str) -> FileProblem:
    advice = ""
    if word.lower() in CHANNEL_AXES:
        advice = "The number after CHANNELS is smaller than the names that follow it."
    elif word.lower() in ("motion", ""):
        advice = "A closing brace is missing."
    return scanner.wrong(f"{_INSIDE_JOINT} in '{joint}'", word, advice=advice)


def _offset(scanner: Scanner, owner: str) -> tuple[float, float, float]:
    x, y, z = (scanner.number(f"the OFFSET of {owner}") for _ in range(3))
    return x, y, z


def _channel_names(scanner: Scanner, joint: str) -> tuple[str, ...]:
    count = scanner.whole_number(f"the CHANNELS of '{joint}'", _MAX_CHANNELS)
    words: list[str] = []
    for _ in range(count):
        word = scanner.next()
        if word.lower() not in CHANNEL_AXES:
            advice = "Known: Xposition Yposition Zposition Xrotation Yrotation Zrotation."
            expected = f"{count} channel names for '{joint}'"
            raise scanner.wrong(expected, word, advice=advice if word else "")
        if word.lower() in (w.lower() for w in words):
            raise scanner.wrong(f"each channel of '{joint}' once", f"{word} again")
        words.append(word)
    return tuple(words)


def _expect_motion(scanner: Scanner) -> None:
    word = scanner.next()
    if word.lower() == "motion":
        return
    advice = ""
    if word.lower() == "root":
        advice = "Two figures in one file: put each ROOT with its numbers into a file of its own."
    elif word == "}":
        advice = "There is one closing brace too many."
    raise scanner.wrong("MOTION after the hierarchy", word, advice=advice)


def _line_end_after(content: str, position: int) -> int:
    match = re.compile(r"[ \t]*(?:\r\n|\r|\n)?").match(content, position)
    return match.end() if match else position


def _labelled(scanner: Scanner, label: re.Pattern[str], example: str) -> str:
    """The word after a label such as `Frames:`, with or without a space between."""
    word = scanner.next()
    match = label.match(scanner.text.content, scanner.position)
    if not match:
        raise scanner.wrong(f"'{example}'", word)
    scanner.after = match.end()
    return scanner.peek()


def _frame_count(scanner: Scanner) -> tuple[int, int]:
    _labelled(scanner, _FRAMES, "Frames: <number>")
    frames = scanner.whole_number("Frames", _MAX_FRAMES)
    if frames == 0:
        advice = "A hierarchy without motion can be read as a skeleton."
        raise scanner.wrong("at least one frame", "0", advice=advice)
    return frames, scanner.position


def _frame_time(scanner: Scanner) -> tuple[str, float]:
    _labelled(scanner, _FRAME_TIME, "Frame Time: <seconds>")
    word = scanner.next()
    seconds = number_from(word)
    low, high = bvh_layout.FRAME_TIME_RANGE_S
    if seconds is None or not low <= seconds <= high:
        raise scanner.wrong(f"a Frame Time from {low:g} to {high:g} seconds", word)
    return word, snapped_rate_hz(seconds, bvh_layout.decimals_of(word))


def _channels(text: Text, start: int, frames: int, frames_at: int, joints: list[BvhJoint]) -> Array:
    width = sum(len(joint.channels) for joint in joints)
    if width == 0:
        advice = "A hierarchy without channels can be read as a skeleton."
        raise text.problem(frames_at, "at least one channel", "none", advice=advice)
    need = frames * width
    could_fit = need <= (len(text.content) - start + 1) // 2  # a digit and a blank each
    values, seen = numbers(text, start, need if could_fit else 0, "a number in a frame")
    if seen != need:
        raise _wrong_count(text, start, frames, frames_at, width, seen)
    return values.reshape(frames, width)


def _wrong_count(
    text: Text, start: int, frames: int, frames_at: int, width: int, seen: int
) -> FileProblem:
    whole, over = divmod(seen, width)
    found = f"{seen} numbers, enough for {whole} frames" + (f" and {over} over" if over else "")
    expected = f"{frames} frames of {width} channels, {frames * width} numbers"
    odd = _odd_line(text, start, width) if over else None
    if odd is None:
        advice = "Correct the Frames line, or look for a file that was cut short."
        return text.problem(frames_at, expected, found, advice=advice)
    at, count = odd
    return text.problem(at, expected, f"{found}; this line has {count}")


def _odd_line(text: Text, start: int, width: int) -> tuple[int, int] | None:
    """The first line whose number count is not that of a frame."""
    for match in re.compile(r"[^\r\n]+").finditer(text.content, start):
        count = len(match.group().partition("#")[0].partition("//")[0].split())
        if count not in (0, width):
            return match.start(), count
    return None


def _print_style(content: str, start: int) -> PrintStyle:
    """The line end of the first frame, its first blanks, and the digits of the last number."""
    line_end = re.compile(r"\r\n|\r|\n").search(content, start)
    pair = re.compile(r"(?<=[0-9.])([ \t]+)(?=[0-9.+-])").search(content, start)
    last = content.rstrip()[-4096:].split()[-1]
    fixed = re.fullmatch(r"[+-]?[0-9]*\.([0-9]{1,20})", last)
    return PrintStyle(
        line_end=line_end.group() if line_end else "\n",
        separator=pair.group(1) if pair else " ",
        decimals=len(fixed.group(1)) if fixed else None,
    )


def _parsed(layout: BvhLayout, channels: Array) -> Parsed:
    joints = layout.joints
    moving = tuple(i for i, j in enumerate(joints) if i > 0 and j.position_axes)
    offsets = [layout.places(joint, channels) for joint in moving]
    notes: tuple[str, ...] = ()
    if moving:
        named = ", ".join(shown(joints[j].name) for j in moving[:5])
        more = f" and {len(moving) - 5} more" if len(moving) > 5 else ""
        notes = (f"joints besides the root have position channels: {named}{more}",)
    return Parsed(
        skeleton=_skeleton(joints, layout.tips),
        rate_hz=layout.rate_hz,
        root_positions=layout.places(0, channels),
        rotations_wxyz=layout.turns(channels),
        moving_joints=moving,
        moving_offsets=np.stack(offsets, axis=1) if moving else np.zeros((len(channels), 0, 3)),
        layout=layout,
        channels=channels,
        notes=notes,
    )


def _skeleton(joints: Sequence[BvhJoint], tips: Sequence[BvhTip]) -> Skeleton:
    axes = np.zeros((len(joints), 3))
    kinds: list[JointKind] = []
    for index, joint in enumerate(joints):
        freedoms = len(joint.rotation_axes) if index else 3
        kinds.append("fixed" if freedoms == 0 else "hinge" if freedoms == 1 else "ball")
        if freedoms == 1:
            axes[index, joint.rotation_axes[0]] = 1.0
    return Skeleton(
        joint_names=tuple(joint.name for joint in joints),
        parents=np.array([joint.parent for joint in joints]),
        offsets_m=np.array([joint.offset for joint in joints]),
        kinds=tuple(kinds),
        hinge_axes=axes,
        end_sites=sites_of((tip.name, tip.joint, tip.offset) for tip in tips),
    )
