"""Who is leaping: a controller for every open page, and its answers as plain lists."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from dataclasses import asdict
from typing import Any

import numpy as np

from poise.apps.leap_demo.figure import BallFigure, ball_figure
from poise.arrays import Array
from poise.character import Character
from poise.environment import UP
from poise.errors import PoiseError
from poise.mechanics import forward_kinematics
from poise.methods.momentum import Family, LeapController, stage_feet_m
from poise.motion import Clip

MOST = 32
"""Pages at a time; the one that has been quiet longest makes room."""


class SessionEnded(PoiseError):
    """A page whose controller is gone."""

    def __init__(self, session: str) -> None:
        self.session = session
        super().__init__("The session of this page has ended: reload the page.")


class Sessions:
    """Controllers of one family. All of it may be used from many threads."""

    def __init__(self, family: Family, character: Character) -> None:
        """Make ready.

        Raises:
            BadValue: not a family of two leaps, or a character without a body.
        """
        self._family, self._character = family, character
        self._controllers: OrderedDict[str, LeapController] = OrderedDict()
        self._lock = threading.Lock()  # a step takes two milliseconds: pages take turns
        # The first step compiles: not when a page is waiting for it.
        controller = LeapController(family, character)
        first = controller.step((0.0, 0.0)).clip
        self._figure = ball_figure(first.skeleton)
        self._facts = _facts(family, character, self._figure)
        self._facts |= {"reach_m": controller.reach_m}
        self._places_mm(first)

    def open(self) -> dict[str, Any]:
        """A new controller, and what there is to know before its first step."""
        session = secrets.token_urlsafe(9)
        with self._lock:
            self._controllers[session] = LeapController(self._family, self._character)
            while len(self._controllers) > MOST:
                self._controllers.popitem(last=False)
        return {"session": session, **self._facts}

    def step(self, session: str, direction: tuple[float, float]) -> dict[str, Any]:
        """From one landing to the next.

        Raises:
            SessionEnded: nobody of that name.
            BadValue: a direction that is no number.
        """
        with self._lock:
            controller = self._controllers.get(session)
            if controller is None:
                raise SessionEnded(session)
            self._controllers.move_to_end(session)
            played = controller.step(direction)
            return {
                "positions_mm": self._places_mm(played.clip),
                "ground_frames": played.ground_frames,
                "landed_m": _rounded(played.landed_m),
                "direction_m": _rounded(played.direction_m),
                "coming_m": [_rounded(each) for each in controller.coming],
            }

    def _places_mm(self, clip: Clip) -> list[list[list[int]]]:
        state = forward_kinematics(clip.skeleton, *clip.pose)
        return np.rint(1e3 * self._figure.places_m(state)).astype(np.int64).tolist()


def _facts(family: Family, character: Character, figure: BallFigure) -> dict[str, Any]:
    clip = family.at((0.0, 0.0, 0.0, 0.0))
    _, first, stop = family.stages[2]
    touching = np.asarray(family.contacts.touching.any(axis=1))
    home = stage_feet_m(clip, touching, character, [(first, stop)])[0]
    floors = [ground.heights_m(home) for ground in family.environment.grounds]
    places = forward_kinematics(clip.skeleton, *clip.pose).positions_m[first:stop]
    floor = float(max(floors)) if floors else float(places[..., 1].min())
    return {
        "rate_hz": clip.rate_hz,
        "ground_mm": _mm(floor),
        "height_mm": _mm(float(places[..., 1].max()) - floor),
        "facing": _rounded(_facing(character, places)),
        "ball_count": figure.ball_count,
        "radii_mm": [_mm(radius) for radius in figure.radii_m.tolist()],
        "parts": [asdict(part) for part in figure.parts],
        "feet": figure.feet,
    }


def _facing(character: Character, places_m: Array) -> tuple[float, float]:
    """Level unit vector, x and z, to where the hips look."""
    assert character.roles is not None
    skeleton, names = character.skeleton, character.roles.joints
    left, right = (skeleton.index(names[f"{side}_hip"]) for side in ("left", "right"))
    ahead = np.cross((places_m[:, left] - places_m[:, right]).mean(axis=0), UP)[[0, 2]]
    length = float(np.linalg.norm(ahead))
    return (float(ahead[0]) / length, float(ahead[1]) / length) if length > 1e-6 else (0.0, 1.0)


def _mm(value_m: float) -> int:
    return round(1e3 * value_m)


def _rounded(pair: tuple[float, float]) -> list[float]:
    return [round(float(each), 4) for each in pair]
