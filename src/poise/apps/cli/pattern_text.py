"""What a user types about patterns: events and tools in one word each."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poise.character import Attachment
    from poise.methods.pattern import EventKind, EventRule, Pattern

EVENT = "NAME=KIND:POINT[,near:KIND][,after:EVENT][,before:EVENT]"
FRAMES = "NAME=FRAME,FRAME,..."
TOOL = "NAME=JOINT:X,Y,Z"


def events_from(
    texts: Sequence[str], clip_count: int
) -> tuple[list[EventRule], list[dict[str, int]] | None]:
    """Rules, or frames for every clip.

    Raises:
        BadValue: what is neither, or both.
    """
    from poise.errors import BadValue

    rules: list[EventRule] = []
    frames: dict[str, list[int]] = {}
    for text in texts:
        name, _, rest = text.partition("=")
        if not name or not rest:
            raise BadValue("--event", f"{EVENT}, or {FRAMES}", text)
        if name in frames or name in [rule.name for rule in rules]:
            raise BadValue(f"--event {name}", "given once", "twice")
        if ":" in rest:
            rules.append(_rule(name, rest, text))
        else:
            frames[name] = _frames(name, rest, clip_count)
    if rules and frames:
        raise BadValue("--event", "all found by rule, or all given as frames", "both")
    if not frames:
        return rules, None
    return [], [{name: given[i] for name, given in frames.items()} for i in range(clip_count)]


def _rule(name: str, rest: str, text: str) -> EventRule:
    from poise.errors import BadValue
    from poise.methods.pattern import EventRule

    first, *more = rest.split(",")
    kind, _, point = first.partition(":")
    options: dict[str, str] = {}
    for each in more:
        key, _, value = each.partition(":")
        if key not in ("near", "after", "before") or not value or key in options:
            raise BadValue("--event", EVENT, text)
        options[key] = value
    near = cast("EventKind | None", options.pop("near", None))  # the rule says which there are
    return EventRule(name, cast("EventKind", kind), point, near, **options)


def _frames(name: str, rest: str, clip_count: int) -> list[int]:
    from poise.errors import BadValue

    try:
        frames = [int(each) for each in rest.split(",")]
    except ValueError:
        raise BadValue(f"--event {name}", f"{EVENT}, or whole frames with commas", rest) from None
    if len(frames) != clip_count:
        raise BadValue(f"--event {name}", f"{clip_count} frames, one for every clip", len(frames))
    return frames


def tool_from(text: str) -> Attachment:
    """A tool without weight: where its head is in a joint's axes.

    Raises:
        BadValue: anything else.
    """
    from poise.character import Attachment
    from poise.errors import BadValue

    name, _, rest = text.partition("=")
    joint, _, place = rest.partition(":")
    try:
        x, y, z = (float(each) for each in place.split(","))
    except ValueError:
        raise BadValue("--tool", f"{TOOL}, in metres", text) from None
    if not name or not joint:
        raise BadValue("--tool", f"{TOOL}, in metres", text)
    return Attachment(name, joint, 0.0, (x, y, z))


def span_from(text: str | None) -> tuple[str | None, str | None]:
    """Two events, either of which may be left out.

    Raises:
        BadValue: not two.
    """
    from poise.errors import BadValue

    if text is None:
        return None, None
    parts = text.split(",")
    if len(parts) != 2:
        raise BadValue("--span", "FIRST,LAST: two events, either may be empty", text)
    return parts[0] or None, parts[1] or None


def goal_from(text: str) -> tuple[str, tuple[float, float, float], str]:
    """A point, its place, and when.

    Raises:
        BadValue: anything else.
    """
    from poise.errors import BadValue

    parts = text.split(",")
    try:
        point, x, y, z, frame = parts
        return point, (float(x), float(y), float(z)), frame
    except ValueError:
        raise BadValue("--also", "POINT,X,Y,Z,FRAME", text) from None


def pattern_lines(pattern: Pattern) -> list[str]:
    """What a pattern is made of, for a terminal."""
    import numpy as np

    from poise.methods.pattern import styles_of

    seconds = (pattern.frame_count - 1) / pattern.rate_hz
    lines = [
        f"{len(pattern.examples)} motions of {pattern.skeleton.joint_count} joints, brought to "
        f"{pattern.frame_count} frames ({seconds:.2f} s at {pattern.rate_hz:g} Hz)"
    ]
    if pattern.events:
        lines.append("events: " + ", ".join(f"{name} {frame}" for name, frame in pattern.events))
    for tool in pattern.tools:
        lines.append(f"held: {tool.name}, on {tool.on}")
    explained = ", ".join(f"{100 * share:.0f} %" for share in pattern.shares[:_MOST])
    more = ", ..." if len(pattern.shares) > _MOST else ""
    lines.append(f"components explain {explained}{more}; edits use {pattern.used}")
    styles = styles_of(pattern.coefficients)
    for i, example in enumerate(pattern.examples):
        own = example.warp.to_own(np.array([frame for _, frame in pattern.events]))
        events = zip(pattern.events, own.tolist(), strict=True)
        at = ", ".join(f"{name} {frame:.0f}" for (name, _), frame in events)
        style = f"  style {styles[i] + 1}" if styles.any() else ""
        lines.append(
            f"  {example.name}: {example.frame_count} frames, joints {example.away_deg:.1f} "
            f"degrees from the mean{f'  ({at})' if at else ''}{style}"
        )
    return [*lines, *pattern.notes]


_MOST = 10
