"""Any combination of constraints that a user might come up with."""

from __future__ import annotations

from hypothesis import strategies as st

from poise.constraints import (
    EVERYTHING,
    Constraint,
    FollowCurve,
    HoldPoint,
    Interval,
    KeepDistance,
    LookAt,
    Orient,
    PassPoint,
    PlaceCenterOfMass,
    Plant,
    Recruit,
)
from poise.errors import PoiseError

POINTS = (
    "left_wrist", "right_wrist", "head", "left_ankle", "right_heel", "left_toe_tip", "pelvis",
    "left_hand_tip", "chest", "right_knee",
)  # fmt: skip
JOINTS = ("head", "left_wrist", "right_ankle", "pelvis", "chest", "left_elbow", "left_toe")
TOPS = ("root", "chest", "left_shoulder", "pelvis", "left_hip")
LISTED = (
    "translation", "left_elbow", "left_shoulder", "chest", "spine", "pelvis", "right_hip",
    "right_knee", "neck", "head",
)  # fmt: skip

vectors = st.tuples(*[st.one_of(st.just(0.0), st.floats(-3.0, 3.0)) for _ in range(3)])


@st.composite
def intervals(draw: st.DrawFn, frames: int) -> Interval:
    """Any run of frames, eased or not."""
    first = draw(st.integers(0, frames - 1))
    last = draw(st.integers(first, frames - 1))
    most = (last - first) // 2
    return Interval(first, last, draw(st.integers(0, most)), draw(st.integers(0, most)))


def recruits() -> st.SearchStrategy[Recruit]:
    """Everything, up to some ancestor, or a list."""
    return st.one_of(
        st.just(EVERYTHING),
        st.sampled_from(TOPS).map(lambda top: Recruit(up_to=top)),
        st.sets(st.sampled_from(LISTED), min_size=1).map(
            lambda chosen: Recruit(joints=tuple(sorted(chosen)))
        ),
    )


@st.composite
def constraints(draw: st.DrawFn, name: str, frames: int) -> Constraint | None:
    """One constraint; None where its record refuses what was drawn."""
    when = draw(intervals(frames))
    mode = draw(st.sampled_from(("absolute", "relative", "offset")))
    seen_from = draw(st.sampled_from(JOINTS)) if mode == "relative" else None
    point, joint = draw(st.sampled_from(POINTS)), draw(st.sampled_from(JOINTS))
    axes = draw(st.sampled_from(("xyz", "xz", "y")))
    kind = draw(st.integers(0, 6))
    given = {
        "priority": draw(st.integers(1, 4)),
        "weight": draw(st.sampled_from((0.0, 0.01, 1.0, 100.0))),
        "recruit": draw(recruits()),
    }
    place = draw(vectors)
    try:
        match kind:
            case 0:
                return HoldPoint(name, point, place, when, mode, seen_from, axes, **given)
            case 1:
                chosen = draw(st.sets(st.integers(when.first, when.last), max_size=3))
                through = tuple(PassPoint(f, draw(vectors)) for f in sorted(chosen))
                return FollowCurve(name, point, through, when, mode, seen_from, axes, **given)
            case 2:
                turn = (draw(st.floats(-1, 1)), *place)
                return Orient(name, joint, turn, when, mode, seen_from, **given)
            case 3:
                return LookAt(name, joint, place, when, **given)
            case 4:
                other = draw(st.sampled_from(POINTS))
                return KeepDistance(name, point, other, when, draw(st.floats(0, 3)), **given)
            case 5:
                points = draw(st.sampled_from(((), ("left_heel", "right_toe_tip"))))
                return PlaceCenterOfMass(
                    name, when, points=points, displacement_m=place, axes=axes, **given
                )
            case _:
                part = draw(st.sampled_from(("left_foot", "right_foot", "left_hand")))
                how = draw(st.sampled_from(("still", "follow")))
                turn_deg = draw(st.floats(-90, 90))
                return Plant(
                    name, part, when, how, displacement_m=place, turn_deg=turn_deg, **given
                )
    except PoiseError:
        return None


@st.composite
def edits(draw: st.DrawFn, frames: int, most: int = 5) -> list[Constraint]:
    """Up to `most` constraints."""
    drawn = [draw(constraints(f"c{i}", frames)) for i in range(draw(st.integers(0, most)))]
    return [constraint for constraint in drawn if constraint is not None]
