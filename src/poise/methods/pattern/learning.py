"""Learning a pattern: same moments, same place, the mean, the components (sections 4.1, 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array
from poise.character import Attachment, Character, with_attachments
from poise.constraints import carries_weight
from poise.contact import estimate_ground
from poise.errors import BadValue, UnknownName
from poise.mechanics import forward_kinematics
from poise.methods.motion_alignment import Warp
from poise.methods.motion_pattern import EventRule, Example, Pattern, check_same
from poise.methods.pattern.events import find_events, given_events
from poise.methods.pattern.motion_vectors import mean_turns, sampled, vector_of
from poise.methods.pattern.placing import placings_together
from poise.methods.progress import Progress, ProgressCallback
from poise.motion import Clip
from poise.solvers import principal_components

UNLIKE_DEG = 35.0
"""A motion whose joints are turned further than this against the mean, on average, is another
behaviour, or the same at another moment."""
ALIKE_DEG = 8.0
"""Nearer than this is always alike. In between, motions may differ from their mean by as much as
the mean itself moves: a swing by more than a way of standing."""
LONGEST = 8.0
"""A clip that lasts more than so many times as long as another is of another kind."""
_ROUNDING = 1e-9
"""Metres or radians by which motions do not differ."""
EXPLAINED = 1.0
"""Share of the variance that an edit's components explain, unless told otherwise: few motions have
few components, and all of them are needed to give an example back."""


@dataclass(frozen=True, eq=False)
class Moments:
    """What was found in a clip: its events, and the part of it that belongs to the pattern."""

    events: dict[str, int]
    first: int
    last: int


def learn(
    clips: Sequence[Clip],
    character: Character,
    *,
    rules: Sequence[EventRule] = (),
    events: Sequence[Mapping[str, int]] | None = None,
    span: tuple[str | None, str | None] = (None, None),
    tools: Sequence[Attachment] = (),
    grounds_m: Sequence[float] | None = None,
    components: int | None = None,
    share: float | None = None,
    progress: ProgressCallback | None = None,
) -> Pattern:
    """The pattern of motions of one behaviour.

    Joints that carry nothing (fingers) are not part of it: an edit leaves them as they are.

    Args:
        clips: two or more, on one skeleton; they may differ in length and rate.
        character: that skeleton with its sites and roles.
        rules: how events are found; in edited clips too.
        events: instead, frames of events by name, for every clip.
        span: between which events clips are used; what lies before and after is left out.
        tools: what is held in a hand, with a site at its head.
        grounds_m: heights of the clips' grounds; as the feet show them, where they are not given.
        components: how many an edit uses.
        share: instead, how much of the variance they explain.
        progress: told how many clips are looked at, and of how many.

    Raises:
        BadValue, BadShape, UnknownName: fewer than two clips, different skeletons, an event that a
            clip does not have, a clip of another behaviour, no variance at all.
    """
    _check_asked(clips, rules, events, grounds_m)
    names = check_one_body(clips)
    character = with_attachments(character, tools)
    if grounds_m is None:
        grounds_m = grounds_of(clips, character)
    moments = [
        moments_of(
            clip, character, rules, span, name,
            None if events is None else events[i],
        )
        for i, (clip, name) in enumerate(zip(clips, names, strict=True))
    ]  # fmt: skip
    frames, keys, warps = _common_time(clips, moments, names)
    roots, turns, joints = list[Array](), list[Array](), list[Array]()
    for i, (clip, warp) in enumerate(zip(clips, warps, strict=True)):
        root, turn = sampled(clip, warp.to_own(np.arange(frames, dtype=np.float64)))
        roots.append(root)
        turns.append(turn)
        joints.append(forward_kinematics(clip.skeleton, root, turn).positions_m)
        if progress is not None:
            progress(Progress("clips", i + 1, len(clips)))
    placings = placings_together(joints, grounds_m)
    placed = [p.places(root) for p, root in zip(placings, roots, strict=True)]
    mean_joints = np.mean([p.places(j) for p, j in zip(placings, joints, strict=True)], axis=0)
    for turn, placing in zip(turns, placings, strict=True):
        turn[:, 0] = placing.root_turns(turn[:, 0])
    mean_roots, mean = np.mean(placed, axis=0), mean_turns(np.array(turns))
    vectors = np.array(
        [vector_of(mean_roots, mean, r, q) for r, q in zip(placed, turns, strict=True)]
    )
    vectors[:, :, 1:][:, :, ~carries_weight(character)] = 0.0
    away = _away_deg(vectors)
    most = min(max(ALIKE_DEG, _moves_deg(mean, carries_weight(character))), UNLIKE_DEG)
    furthest = sorted(zip(names, away.tolist(), strict=True), key=lambda pair: -pair[1])
    for name, degrees in furthest:
        if degrees > most:
            raise BadValue(
                f"{name}", "of the same behaviour as the others, at the same moments (give events)",
                f"joints {degrees:.0f} degrees from their mean on average",
            )  # fmt: skip
    found = principal_components(vectors.reshape(len(vectors), -1), _ROUNDING)
    if not len(found.variances):
        raise BadValue("clips", "different from each other", "the same motion each time")
    examples = tuple(
        Example(name, clip.rate_hz, clip.frame_count, warp, placing, degrees)
        for name, clip, warp, placing, degrees in zip(
            names, clips, warps, placings, away.tolist(), strict=True
        )
    )
    pattern = Pattern(
        clips[0].skeleton, clips[0].rate_hz, mean_roots, mean, mean_joints,
        found.components.reshape(-1, *vectors.shape[1:]), found.variances, found.coefficients,
        examples, tuple(keys.items()), tuple(rules) if events is None else (), span, tuple(tools),
    )  # fmt: skip
    return with_components(pattern, components, share)


def check_one_body(clips: Sequence[Clip]) -> list[str]:
    """What messages call the clips, which are all on one skeleton.

    Raises:
        BadShape, BadValue: one that is not, by name and joint.
    """
    names = _names(clips)
    for clip, name in zip(clips, names, strict=True):
        check_same(clips[0].skeleton, clip.skeleton, name, names[0])
    return names


def grounds_of(clips: Sequence[Clip], character: Character) -> list[float]:
    """Heights of the grounds under clips of one body, as its feet show them."""
    return [
        float(estimate_ground(clip, character)[0].heights_m(clip.root_positions_m.mean(axis=0)))
        for clip in clips
    ]


def _check_asked(
    clips: Sequence[Clip], rules: Sequence[EventRule],
    events: Sequence[Mapping[str, int]] | None, grounds_m: Sequence[float] | None,
) -> None:  # fmt: skip
    """Refuse what does not go together, before anything is looked at."""
    if len(clips) < 2:
        allowed = "at least two: a pattern is what several motions share"
        raise BadValue("clips", allowed, len(clips))
    if rules and events is not None:
        raise BadValue("events", "found by rules, or given as frames", "both")
    for what, given in (("events", events), ("grounds_m", grounds_m)):
        if given is not None and len(given) != len(clips):
            raise BadValue(what, f"{len(clips)}, one for every clip", len(given))
    if grounds_m is not None and not np.isfinite(np.asarray(grounds_m, dtype=np.float64)).all():
        raise BadValue("grounds_m", "finite heights", list(grounds_m))


def with_components(pattern: Pattern, count: int | None, share: float | None) -> Pattern:
    """The pattern with so many components in use, or as many as explain a share.

    Raises:
        BadValue: both, or more than there are.
    """
    if count is not None and share is not None:
        raise BadValue("components and share", "one of them", "both")
    if count is not None and (isinstance(count, bool) or not hasattr(count, "__index__")):
        raise BadValue("components", "a whole number", count)
    if count is None:
        count = pattern.components_for(EXPLAINED if share is None else share)
    if not 1 <= count <= len(pattern.variances):
        most = len(pattern.variances)
        raise BadValue("components", f"from 1 to {most}, which is all there are", count)
    return replace(pattern, used=count)


def moments_of(
    clip: Clip, character: Character, rules: Sequence[EventRule],
    span: tuple[str | None, str | None], name: str, given: Mapping[str, int] | None,
) -> Moments:  # fmt: skip
    """Events of a clip, and which part of it counts.

    Raises:
        BadValue: what is not to be found in it.
        UnknownName: a span between events that there are not.
    """
    if given is None:
        state = forward_kinematics(clip.skeleton, *clip.pose)
        events = find_events(rules, state, character, clip.rate_hz, name)
        if len(set(events.values())) < len(events):
            raise BadValue(f"events of {name}", "in different frames", events)
    else:
        events = given_events(given, clip.frame_count, name)
    ends = [0, clip.frame_count - 1]
    for end, event in enumerate(span):
        if event is not None:
            if event not in events:
                raise UnknownName("event", event, events, advice="Asked for by the span.")
            ends[end] = events[event]
    outside = [e for e, frame in events.items() if not ends[0] <= frame <= ends[1]]
    if ends[1] - ends[0] < 1 + len(events) or outside:
        words = f"from '{span[0] or 'its start'}' to '{span[1] or 'its end'}', with all events"
        raise BadValue(f"span of {name}", words, f"frames {ends[0]} to {ends[1]}, {events}")
    return Moments(events, ends[0], ends[1])


def knots_of(moments: Moments) -> list[int]:
    """Frames of a clip at which all motions are at the same moment."""
    return sorted({moments.first, *moments.events.values(), moments.last})


def _common_time(
    clips: Sequence[Clip], moments: Sequence[Moments], names: Sequence[str]
) -> tuple[int, dict[str, int], list[Warp]]:
    """The pattern's length, its events, and every clip's way to it (Eq. 12 to 14)."""
    rate = clips[0].rate_hz
    order = list(moments[0].events)
    for found, name in zip(moments, names, strict=True):
        if list(found.events) != order:
            got = ", ".join(found.events) or "none"
            raise BadValue(f"events of {name}", f"in the order {', '.join(order) or 'none'}", got)
        if _at_ends(found) != _at_ends(moments[0]):
            allowed = "inside the clip, as in the other clips"
            raise BadValue(f"events of {name}", allowed, dict(found.events))
    seconds = [(m.last - m.first) / clip.rate_hz for m, clip in zip(moments, clips, strict=True)]
    shortest, longest = int(np.argmin(seconds)), int(np.argmax(seconds))
    if seconds[longest] > LONGEST * seconds[shortest]:
        allowed = f"about as long as the others ({names[shortest]}: {seconds[shortest]:.2f} s)"
        raise BadValue(f"{names[longest]}", allowed, f"{seconds[longest]:.2f} s")
    last = max(round(float(np.mean(seconds)) * rate), len(order) + 1)
    shares = np.array(
        [[(frame - m.first) / (m.last - m.first) for frame in m.events.values()] for m in moments]
    )
    keys = np.round(shares.mean(axis=0) * last).astype(np.int64) if order else np.zeros(0, int)
    inner = [int(k) for k in keys]
    for i, share in enumerate(shares.mean(axis=0) if order else ()):
        if 0.0 < share < 1.0:  # rounding must not push an event onto another, or onto an end
            low = inner[i - 1] + 1 if i else 1
            inner[i] = min(max(inner[i], low), last - (len(order) - i))
    events = dict(zip(order, inner, strict=True))
    normal = np.array(sorted({0, *events.values(), last}), dtype=np.float64)
    warps = [Warp(normal, np.array(knots_of(m), dtype=np.float64)) for m in moments]
    return last + 1, events, warps


def _at_ends(found: Moments) -> list[str | None]:
    """The events in the first and in the last frame that count."""
    named = {frame: name for name, frame in found.events.items()}
    return [named.get(found.first), named.get(found.last)]


def _names(clips: Sequence[Clip]) -> list[str]:
    """What messages and plots call the clips: each another name."""
    plain = [clip.name or f"clip {i + 1}" for i, clip in enumerate(clips)]
    return [name if plain.count(name) == 1 else f"{name} ({i + 1})" for i, name in enumerate(plain)]


def _moves_deg(mean_wxyz: Array, counts: NDArray[np.bool_]) -> float:
    """How far the mean motion's joints turn from their own mean over time: root mean square."""
    turns = np.array(mean_wxyz[:, counts])
    turns *= np.where((turns * turns[:1]).sum(axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    middle = rotations.normalize(turns.mean(axis=0) + 1e-12 * turns[0])
    return float(np.degrees(np.sqrt((rotations.angle_between(middle, turns) ** 2).mean())))


def _away_deg(vectors: Array) -> Array:
    """(M,) how far joints are turned from the mean, on average over those that ever turn."""
    angles = np.linalg.norm(vectors[:, :, 1:], axis=-1)
    turning = angles.max(axis=(0, 1)) > 1e-9
    if not turning.any():
        return np.zeros(len(vectors))
    return np.degrees(np.sqrt((angles[:, :, turning] ** 2).mean(axis=(1, 2))))
