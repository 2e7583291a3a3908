"""A clip on another body, as methods may start from it.

Poses are copied where the bodies are on one rig and rest alike; else they are mapped by anatomy
(`pose_map`). The root goes where the source's went, or as much less far as the legs are shorter,
and is raised by one amount for the whole clip: so much that the lower sole is as high as the
source's. Unscaled, that is the difference in leg length as the legs are bent in the clip: the
dancing experiment of Tak and Ko 2005 (section 8, Fig. 6). Constraints are read against the source
itself: a foot that follows the original goes where the source's foot went, unscaled.

A body that lies keeps its height where the path is scaled, since its trunk is no thinner for having
shorter legs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array, Indices
from poise.character import Character, contact_radii_m
from poise.environment import Ground
from poise.errors import BadValue
from poise.mechanics import BodyState, forward_kinematics
from poise.motion import Clip
from poise.transfer.correspondence import Correspondence, correspondence, joint_by_joint
from poise.transfer.original import original_of
from poise.transfer.placing import hip_joints, leg_ratio, lower_sole_m, scaled_m
from poise.transfer.pose_map import local_turns, rests_alike, wanted_turns

_LEVEL = Ground()
_MOST_NAMES = 8


@dataclass(frozen=True, eq=False)
class OntoBody:
    """The start of an edit on another body."""

    clip: Clip
    """On the body: the poses of the source, at the right height."""
    original: Clip
    """What constraints are read against: the source's places in the joints of the body. Bones are
    as long as they have to be; feet and what no joint of the source stands for are the body's
    own."""
    scale: float
    """How many times as far the root goes."""
    raised_m: float
    """How much higher it is then, by the soles."""
    notes: tuple[str, ...]


def onto_body(
    clip: Clip, character: Character, body: Character, *, scale: float | None = 1.0,
    ground: Ground = _LEVEL,
) -> OntoBody:  # fmt: skip
    """Put a character's clip on another body, so many times as far (None: as its legs are longer).

    Raises:
        BadValue: a body that is not recognised.
    """
    if character.roles is None or body.roles is None:
        raise BadValue("body", "one with roles, like the clip's (see complete_character)", None)
    factor = leg_ratio(character, body) if scale is None else scale
    state = forward_kinematics(clip.skeleton, *clip.pose)
    alike, notes = rests_alike(character, body)
    if alike:
        matches, turns = joint_by_joint(body.skeleton), clip.rotations_wxyz
        carried = np.zeros(1, np.int64), np.zeros(1, np.int64)
    else:
        matches = correspondence(character, body)
        turns = local_turns(wanted_turns(state, character, body, matches), body.skeleton)
        carried = hip_joints(character), hip_joints(body)
        notes = _left_out(matches, body)
    unscaled = _roots_there(state, turns, body, carried)
    start = Clip(
        body.skeleton, clip.rate_hz, unscaled, turns, name=clip.name,
        source=clip.source if alike else None, history=clip.history,
    )  # fmt: skip
    made, rise = _placed(start, state, character, body, factor, ground)
    if scale is None:
        said = f"on another build; legs {factor:.2f} times as long"
    elif abs(rise) < 5e-4:
        said = "on another body; the root stays at its height"
    else:
        way = "higher" if rise > 0 else "lower"
        said = f"on another body; the root {100 * abs(rise):.1f} cm {way}"
    made = made.noted(said)
    there = replace(made, root_positions_m=unscaled)
    original = original_of(state, character, there, body, matches)
    return OntoBody(made, original, factor, rise, notes)


def _roots_there(
    state: BodyState, turns_wxyz: Array, body: Character, carried: tuple[Indices, Indices]
) -> Array:
    """(F, 3) roots that put joints of the body where joints of the source are."""
    zero = np.zeros((state.frame_count, 3))
    own = forward_kinematics(body.skeleton, zero, turns_wxyz)
    there = state.positions_m[:, carried[0]].mean(axis=1)
    return there - own.positions_m[:, carried[1]].mean(axis=1)


def _placed(
    start: Clip, state: BodyState, source: Character, body: Character, factor: float, ground: Ground
) -> tuple[Clip, float]:
    """On its path, soles as high as they were; and how far it was raised for them."""
    roots = start.root_positions_m
    floor = ground.heights_m(roots)
    rest = contact_radii_m(source).get("pelvis", 0.0)  # as low as a pelvis gets
    over = roots[:, 1] - floor - rest
    wanted = lower_sole_m(state, source)
    if factor != 1.0:
        roots = scaled_m(roots, factor, roots[0])
        below = ground.heights_m(roots)
        roots[:, 1] = below + rest + np.where(over > 0.0, factor, 1.0) * over
        wanted = below + factor * (wanted - floor)
    made = replace(start, root_positions_m=roots)
    apart = wanted - lower_sole_m(forward_kinematics(made.skeleton, *made.pose), body)
    upright = apart[over > 0.0]
    rise = float(np.median(upright)) if len(upright) else 0.0
    return replace(made, root_positions_m=roots + np.array([0.0, rise, 0.0])), rise


def _left_out(matches: Correspondence, body: Character) -> tuple[str, ...]:
    """A word on joints that have no counterpart."""
    rest = [n for j, n in enumerate(body.skeleton.joint_names) if not matches.follows(j)]
    notes: list[str] = []
    if rest:
        notes.append(f"no counterpart in the clip, left at rest: {_listed(rest)}")
    if matches.unused:
        notes.append(f"no counterpart in the body, passed over: {_listed(list(matches.unused))}")
    return tuple(notes)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more
