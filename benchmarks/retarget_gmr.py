"""GMR (General Motion Retargeting, YanjieZe/GMR) on the captures that Poise is measured on.

GMR is no dependency: `--gmr DIR` or `POISE_GMR` says where a checkout of it is. Of that checkout
its solver, its tables (`smplx_to_*.json`) and its robot models are used, unchanged; the parts that
need PyTorch or a window are not imported. It is fed what its SMPL-X reader makes: body name to
place and rotation (wxyz), Z up, metres, every body unturned in a T-pose that faces along its Z.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import sys
import types
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Character
from poise.character.anatomical_axes import anatomical_axes
from poise.character.roles import SIDES
from poise.character.standing_figure import StandingFigure
from poise.environment import Environment
from poise.mechanics import BodyState, forward_kinematics
from poise.motion import Clip
from poise.units import world_from_file_wxyz

VARIABLE = "POISE_GMR"
ROBOTS = {"G1": "unitree_g1", "H1": "unitree_h1", "T1": "booster_t1"}
STATURE_M = 1.66
"""What GMR takes the mean SMPL body to be tall. Chosen in its favour: of six statures from 1.5 to
1.85 m, its bones are within 0.3° of the best on walk and kick with every robot.

Statures by the length of the captures' legs (1.75 to 1.85 m) overstretch the robots: GMR's scale
grows with the human.
"""

_PACKAGE = "general_motion_retargeting"
_BODIES = {"hip": "hip", "knee": "knee", "shoulder": "shoulder", "elbow": "elbow", "wrist": "wrist"}
_PELVIS_OVER_HIPS = (0.0, 0.0909, 0.0056)
_CHEST_UNDER_SHOULDERS = (0.0, -0.152, 0.043)
"""Where the mean SMPL body has its pelvis, seen from the middle of its hips, and its upper chest
(`spine3`), seen from the middle of its shoulders: left, up, forward, in metres."""
_SMPL_LEG_M = 0.777
_SETTLING = 20
"""Times the first frame is solved before the clip begins: GMR starts at the robot's zero pose."""

Frames = list[dict[str, list[Array]]]


class NoGmr(Exception):
    """GMR is not here."""


def found(folder: str | None) -> Path:
    """Where GMR is.

    Raises:
        NoGmr: nowhere that was named.
    """
    named = folder or os.environ.get(VARIABLE)
    advice = f"clone YanjieZe/GMR and give its folder by --gmr or {VARIABLE}"
    if not named:
        raise NoGmr(f"no folder was named; {advice}")
    path = Path(named).resolve()
    if not (path / _PACKAGE / "motion_retarget.py").is_file():
        raise NoGmr(f"{path} holds no {_PACKAGE}/motion_retarget.py; {advice}")
    return path


def retargeter(folder: Path, body: str) -> Any:
    """GMR's solver for a robot, as its script for SMPL-X makes it.

    Raises:
        NoGmr: this checkout does not know the robot, or lacks a part of it.
    """
    if _PACKAGE not in sys.modules:
        # Its own __init__ imports PyTorch and a viewer, of which solving needs nothing.
        package = types.ModuleType(_PACKAGE)
        package.__path__ = [str(folder / _PACKAGE)]
        sys.modules[_PACKAGE] = package
    try:
        solver = importlib.import_module(f"{_PACKAGE}.motion_retarget")
        with _quiet():
            return solver.GeneralMotionRetargeting("smplx", ROBOTS[body], STATURE_M, verbose=False)
    except (ImportError, KeyError, OSError, ValueError) as problem:
        raise NoGmr(f"{folder} cannot do {body}: {problem!r}") from problem


def human_frames(clip: Clip, human: Character, place: Environment) -> Frames:
    """A capture as GMR's SMPL-X reader would give it, standing on a ground at height 0.

    A body's rotation is that of its joint, seen from the anatomical pose, with the arms raised from
    there to the sides. Hips, knees, feet (the joint before the toes), shoulders, elbows and wrists
    lie where the capture has them; pelvis and upper chest where an SMPL body of this size has them,
    seen from the hips and, at rest, from the shoulders.
    """
    assert human.roles is not None
    state = forward_kinematics(clip.skeleton, *clip.pose)
    figure = StandingFigure(human.skeleton, human.roles)
    index = {role: human.skeleton.index(name) for role, name in human.roles.joints.items()}
    own = anatomical_axes(human.skeleton, human.roles).own_wxyz
    turned = rotations.multiply(state.rotations_wxyz, own)
    height = float(place.grounds[0].heights_m(np.zeros(3))) if place.grounds else 0.0
    size = figure.leg_m / _SMPL_LEG_M
    found: dict[str, tuple[Array, Array]] = {}
    hips = 0.5 * (
        state.positions_m[:, index["left_hip"]] + state.positions_m[:, index["right_hip"]]
    )
    pelvis = turned[:, index["pelvis"]]
    found["pelvis"] = (hips + rotations.rotate(pelvis, size * np.array(_PELVIS_OVER_HIPS)), pelvis)
    found["spine3"] = _upper_chest(state, turned, figure, index["chest"], size)
    for side in SIDES:
        for body, part in _BODIES.items():
            joint = index[f"{side}_{part}"]
            turn = turned[:, joint]
            if part in ("shoulder", "elbow", "wrist"):
                turn = rotations.multiply(turn, _raised(side))
            found[f"{side}_{body}"] = (state.positions_m[:, joint], turn)
        foot = turned[:, index[f"{side}_ankle"]]
        found[f"{side}_foot"] = (state.positions_m[:, index[f"{side}_toe"]], foot)
    to_file = rotations.conjugate(world_from_file_wxyz("z"))
    down = np.array([0.0, height, 0.0])
    whole = {
        name: (rotations.rotate(to_file, where - down), rotations.multiply(to_file, turn))
        for name, (where, turn) in found.items()
    }
    return [
        {name: [where[f], turn[f]] for name, (where, turn) in whole.items()}
        for f in range(clip.frame_count)
    ]


def started(gmr: Any, frames: Frames) -> Array:
    """(n,) the robot in the first frame, so that no frame pays for the way there."""
    for _ in range(_SETTLING):
        gmr.retarget(dict(frames[0]))
    return gmr.configuration.q.copy()


def solved(gmr: Any, frames: Frames, start: Array) -> Array:
    """(F, n) generalised coordinates of the robot, as GMR's script finds them."""
    gmr.configuration.update(start)
    return np.array([gmr.retarget(dict(frame)) for frame in frames])


def _raised(side: str) -> Array:
    """(4,) from arms that hang to arms at the sides, both seen from a T-pose: its inverse."""
    way = 1.0 if side == "left" else -1.0
    return rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.array([-way * np.pi / 2]))[0]


def _upper_chest(
    state: BodyState, turned: Array, figure: StandingFigure, joint: int, size: float
) -> tuple[Array, Array]:
    """Place and rotation of `spine3`: fixed to the chest, where shoulders at rest have it."""
    below = size * np.array(_CHEST_UNDER_SHOULDERS)
    rest = figure.middle("shoulder") + figure.body_axes @ below
    turn = turned[:, joint]
    apart = figure.body_axes.T @ (rest - figure.figure.positions[joint])
    return state.positions_m[:, joint] + rotations.rotate(turn, apart), turn


@contextlib.contextmanager
def _quiet() -> Generator[None]:
    """GMR prints its joints; a table does not want them."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield
