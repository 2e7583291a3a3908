"""Figs. 5 and 6 of the paper: a kick out of reach in three ways, and kicks of several heights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from side_by_side import side_by_side

from poise.arrays import Array
from poise.constraints import Scene
from poise.constraints.scene import point_path
from poise.job import Subject, load_recipe, run_prepared, subject
from poise.motion import Clip

HERE = Path(__file__).resolve().parent
RECIPE = HERE.parents[1] / "examples" / "recipes" / "deform" / "karate.yaml"
FRAME = 51
"""The height of the kick."""
OUT_OF_REACH_M = 0.55
WITHIN_REACH_M = (0.1, 0.2, 0.3)


def karate(clip: Path) -> None:
    """Both pictures."""
    prepared = subject(load_recipe(RECIPE), clip)
    goal = _goal(prepared, OUT_OF_REACH_M)
    balanced = _run(prepared)
    falling = _run(prepared, without=("balance",))
    slipping = _run(prepared, changes=("deform.settings.strategy=weights",))
    clips = {
        "foot, balance, kick": balanced,
        f"without balance: off by {_center_off_mm(prepared, falling):.0f} mm": falling,
        f"weights: foot off by {_foot_off_mm(prepared, slipping):.0f} mm": slipping,
        "original": prepared.clip,
    }
    side_by_side(
        HERE / "deform_karate.png", "A kick out of reach", clips, prepared, FRAME,
        view="side", goals_m=[goal, goal, goal, None], panel=(440, 560),
    )  # fmt: skip
    heights = {
        f"{100 * rise:.0f} cm higher": _run(
            prepared, changes=(f"kick.through.0.place_m=[0, {rise}, 0]",)
        )
        for rise in WITHIN_REACH_M
    }
    shown = {"original": prepared.clip, **heights, "55 cm: out of reach": balanced}
    goals = [None, *(_goal(prepared, rise) for rise in (*WITHIN_REACH_M, OUT_OF_REACH_M))]
    side_by_side(
        HERE / "deform_heights.png", "Goals of several heights", shown, prepared, FRAME,
        view="side", goals_m=goals, panel=(360, 480),
    )  # fmt: skip


def _center_off_mm(prepared: Subject, clip: Clip) -> float:
    """How far the centre of mass is from its path at the height of the kick, over the ground."""
    before, after = (_scene(prepared, each).centers_m[FRAME] for each in (prepared.clip, clip))
    return 1e3 * float(np.linalg.norm((after - before)[[0, 2]]))


def _foot_off_mm(prepared: Subject, clip: Clip) -> float:
    """How far the standing foot is from its place, at the worst."""
    before, after = (
        point_path(_scene(prepared, each), "right_ankle", 0, clip.frame_count - 1)
        for each in (prepared.clip, clip)
    )
    return 1e3 * float(np.linalg.norm(after - before, axis=1).max())


def _scene(prepared: Subject, clip: Clip) -> Scene:
    return Scene(clip, prepared.character, prepared.environment)


def _goal(prepared: Subject, rise_m: float) -> Array:
    scene = _scene(prepared, prepared.clip)
    return point_path(scene, "left_ankle", FRAME, FRAME)[0] + np.array([0.0, rise_m, 0.0])


def _run(prepared: Subject, changes: tuple[str, ...] = (), without: tuple[str, ...] = ()) -> Clip:
    return run_prepared(load_recipe(RECIPE, changes=changes, without=without), prepared).clip
