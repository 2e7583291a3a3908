"""A clip on another body, as in the paper's dancing experiment (section 8, Fig. 6).

The body takes the poses of the source as they are, its root raised or lowered by one amount for the
whole clip: so much that the lower sole is as high as the source's, which is the difference in leg
length as the legs are bent in the clip. Constraints are read against the source itself: a foot that
follows the original goes where the source's foot went, unscaled.

Bodies have the same joints, or at least the same roles and a rest pose that looks the same; other
rigs are refused, and not guessed at.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import SIDES, Character, StandingFigure, allowed_turn, contact_points
from poise.errors import BadValue
from poise.mechanics import forward_kinematics, site_positions
from poise.methods.filter.counterparts import Counterparts, counterparts
from poise.motion import Clip


@dataclass(frozen=True, eq=False)
class OntoBody:
    """The start of a retargeting."""

    clip: Clip
    """On the body: the poses of the source, at the right height."""
    original: Clip
    """What constraints are read against: the source's places in the joints of the body. Bones are
    as long as they have to be; feet and what no joint of the source stands for are the body's
    own."""
    raised_m: float
    """How much higher the root is than the source's."""
    notes: tuple[str, ...]


def onto_body(clip: Clip, character: Character, body: Character) -> OntoBody:
    """Put a clip on a body.

    Args:
        clip: the source.
        character: whose it is.
        body: who is to move like it; both have roles.

    Raises:
        BadValue: a body whose joints or rest pose do not match.
    """
    found = counterparts(character, body)
    made = _posed(clip, character, body, found)
    rise = float(np.median(_lower_sole_m(clip, character) - _lower_sole_m(made, body)))
    made = replace(made, root_positions_m=made.root_positions_m + np.array([0.0, rise, 0.0]))
    if abs(rise) < 5e-4:
        said = "on another body; the root stays at its height"
    else:
        said = f"on another body; the root {100 * abs(rise):.1f} cm {_way(rise)}"
    made = made.noted(said)
    return OntoBody(made, _original(clip, character, made, body, found), rise, found.notes)


def standing_rise_m(character: Character, body: Character) -> float:
    """How much higher the root of a body stands than the character's, both with straight legs.

    For streams, which have to know it before the first frame. A whole clip shows how far legs are
    bent in it; `onto_body` goes by that.
    """
    return _standing_root_m(body) - _standing_root_m(character)


def _standing_root_m(character: Character) -> float:
    """The root over the sole, the leg hanging straight down from the hip; mean of both legs."""
    if character.roles is None:
        raise BadValue("character", "one with roles (see complete_character)", character.name)
    figure = StandingFigure(character.skeleton, character.roles)
    root = figure.figure.positions[0]
    heights = list[float]()
    for side in SIDES:
        hip, ankle = figure.place(f"{side}_hip"), figure.joints[f"{side}_ankle"]
        sole = _sole_middle(character, ankle)
        # On a splayed leg the sole lies off the vertical; down is along the shank.
        shank = figure.figure.positions[ankle] - figure.place(f"{side}_knee")
        under = 0.0 if sole is None else float(sole @ shank / np.linalg.norm(shank))
        leg = figure.length(side, "hip", "knee", "ankle")
        heights.append(float((root - hip) @ figure.up) + leg + under)
    return float(np.mean(heights))


def _way(rise: float) -> str:
    return "higher" if rise > 0 else "lower"


def _posed(clip: Clip, character: Character, body: Character, found: Counterparts) -> Clip:
    """The body in the source's poses, its root on the source's path."""
    skeleton = body.skeleton
    state = forward_kinematics(clip.skeleton, *clip.pose)
    local = np.empty((clip.frame_count, skeleton.joint_count, 4))
    world = np.empty_like(local)
    for joint, parent in enumerate(skeleton.parents.tolist()):
        other = int(found.of[joint])
        above = world[:, parent] if parent >= 0 else rotations.IDENTITY
        if other < 0:
            turn = np.broadcast_to(skeleton.rest_wxyz[joint], (clip.frame_count, 4))
        elif found.same_frames:
            turn = clip.rotations_wxyz[:, other]
        else:
            # What the source's joint has turned from rest, this one turns from its own.
            rest = rotations.multiply(
                rotations.conjugate(character.skeleton.rest_world_wxyz[other]),
                skeleton.rest_world_wxyz[joint],
            )
            wanted = rotations.multiply(state.rotations_wxyz[:, other], rest)
            turn = rotations.multiply(rotations.conjugate(above), wanted)
        local[:, joint] = allowed_turn(skeleton, joint, turn)
        world[:, joint] = rotations.multiply(above, local[:, joint])
    return Clip(
        skeleton,
        clip.rate_hz,
        state.positions_m[:, found.of[0]],
        local,
        name=clip.name,
        source=clip.source if found.same_frames else None,
        history=clip.history,
    )


def _lower_sole_m(clip: Clip, character: Character) -> Array:
    """(F,) how high the lowest point of both feet is."""
    state = forward_kinematics(clip.skeleton, *clip.pose)
    parts = contact_points(character)
    soles = [parts[f"{side}_foot"] for side in SIDES if f"{side}_foot" in parts]
    if soles:
        places = np.concatenate([site_positions(state, sole) for sole in soles], axis=1)
    else:
        assert character.roles is not None
        ankles = [clip.skeleton.index(character.roles.joint(f"{side}_ankle")) for side in SIDES]
        places = state.positions_m[:, ankles]
    return places[..., 1].min(axis=1)


def _original(
    clip: Clip, character: Character, made: Clip, body: Character, found: Counterparts
) -> Clip:
    """The source's places in the joints of the body, as offsets that vary with time."""
    state = forward_kinematics(clip.skeleton, *clip.pose)
    own = forward_kinematics(made.skeleton, *made.pose)
    skeleton, turns = body.skeleton, own.rotations_wxyz
    places = np.empty_like(own.positions_m)
    places[:, 0] = state.positions_m[:, found.of[0]]
    ankles = _ankles(body)
    moving = list[int]()
    for joint in range(1, skeleton.joint_count):
        parent = int(skeleton.parents[joint])
        inside_foot = any(ankle in skeleton.ancestors(parent) for ankle in ankles)
        if found.of[joint] < 0 or inside_foot:
            places[:, joint] = places[:, parent] + rotations.rotate(
                turns[:, parent], skeleton.offsets_m[joint]
            )
            continue
        places[:, joint] = state.positions_m[:, found.of[joint]]
        if joint in ankles:
            higher = _sole_difference(character, body, found, joint)
            places[:, joint] += rotations.rotate(turns[:, joint], higher)
        moving.append(joint)
    above = skeleton.parents[moving]
    offsets = rotations.rotate(
        rotations.conjugate(turns[:, above]), places[:, moving] - places[:, above]
    )
    return replace(
        made,
        root_positions_m=places[:, 0],
        moving_joints=tuple(moving),
        moving_offsets_m=offsets,
        source=None,
    )


def _ankles(body: Character) -> list[int]:
    assert body.roles is not None
    return [body.skeleton.index(body.roles.joint(f"{side}_ankle")) for side in SIDES]


def _sole_difference(
    character: Character, body: Character, found: Counterparts, ankle: int
) -> Array:
    """(3,) from the source's ankle to where the body's has to be for soles to meet, body's axes."""
    theirs = _sole_middle(character, int(found.of[ankle]))
    mine = _sole_middle(body, ankle)
    if theirs is None or mine is None:
        return np.zeros(3)
    frame = rotations.conjugate(body.skeleton.rest_world_wxyz[ankle])
    return rotations.rotate(frame, theirs - mine)


def _sole_middle(character: Character, ankle: int) -> Array | None:
    """(3,) the middle of the sole as seen from the ankle, in the rest pose; None without one."""
    skeleton = character.skeleton
    for part, points in contact_points(character).items():
        under = [ankle in skeleton.ancestors(int(joint)) for joint in points.joints]
        if part.endswith("_foot") and all(under):
            places = skeleton.rest_positions_m[points.joints] + rotations.rotate(
                skeleton.rest_world_wxyz[points.joints], points.offsets_m
            )
            return places.mean(axis=0) - skeleton.rest_positions_m[ankle]
    return None
