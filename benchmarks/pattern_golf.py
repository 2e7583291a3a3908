"""The golf swings of the experiments: clips, club, pattern, and where each of them hits."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.character import Character, complete_character, with_attachments
from poise.constraints.recruiting import find_point
from poise.environment import Environment
from poise.formats import load_clip
from poise.mechanics import forward_kinematics
from poise.methods.pattern import Pattern, learn
from poise.methods.pattern.club_fit import FittedClub, fit_club
from poise.methods.pattern.learning import grounds_of
from poise.methods.pattern.motion_vectors import sampled
from poise.methods.pattern.placed import PlacedClip, place
from poise.methods.pattern.usual_events import SWING_SPAN, swing_events
from poise.motion import Clip
from poise.motion.cleanup import clean
from poise.recipes.prepare import MUST_BE_CLEANED
from poise.rotations import rotate

SHARED = Path(os.environ.get("POISE_SHARED", Path(__file__).resolve().parents[2] / "shared"))
FILES = tuple(SHARED / "mocap" / "cmu" / f"64_{n:02}.bvh" for n in range(1, 8))
HEAD, HAND = "club_head", "left_wrist"


@dataclass(frozen=True, eq=False)
class Golf:
    """Swings of one player."""

    clips: tuple[Clip, ...]
    grounds_m: tuple[float, ...]
    character: Character
    """With the club."""
    club: FittedClub

    def pattern(self, which: Sequence[int] | None = None, *, whole: bool = False) -> Pattern:
        """What some of them share; with `whole`, of all that was captured, standing about too."""
        which = range(len(self.clips)) if which is None else which
        return learn(
            [self.clips[i] for i in which],
            complete_character(self.clips[0].skeleton),
            rules=swing_events(HEAD, HAND),
            span=(None, None) if whole else SWING_SPAN,
            tools=[self.club.tool],
            grounds_m=[self.grounds_m[i] for i in which],
        )

    def placed(self, pattern: Pattern, i: int) -> PlacedClip:
        """A swing seen from a pattern."""
        return place(pattern, self.clips[i], self.character, self.grounds_m[i])

    def environment(self, i: int) -> Environment:
        """Where it was swung."""
        return Environment.flat(self.grounds_m[i])

    def head_m(self, clip: Clip, frame: int) -> Array:
        """(3,) where the club's head is."""
        state = forward_kinematics(clip.skeleton, *clip.pose)
        joint, offset = find_point(self.character, HEAD)
        return state.positions_m[frame, joint] + rotate(state.rotations_wxyz[frame, joint], offset)


def hit_frame(placed: PlacedClip) -> int:
    """The frame of a swing in which it hits."""
    frame = dict(placed.pattern.events)["hit"]
    return round(float(placed.warp.to_own(np.array([frame]))[0]))


def joints_m(clip: Clip, placed: PlacedClip) -> Array:
    """(N, J, 3) joints of a clip on the pattern's timing, in its room, placed as `placed` is."""
    frames = np.arange(placed.pattern.frame_count, dtype=np.float64)
    roots, turns = sampled(clip, placed.warp.to_own(frames))
    turns[:, 0] = placed.placing.root_turns(turns[:, 0])
    return forward_kinematics(clip.skeleton, placed.placing.places(roots), turns).positions_m


@cache
def golf() -> Golf | None:
    """The swings, or None where they are not here."""
    if not all(path.is_file() for path in FILES):
        print(f"the golf swings are not in {SHARED} (see POISE_SHARED)")
        return None
    clips = tuple(clean(load_clip(path), MUST_BE_CLEANED)[0] for path in FILES)
    character = complete_character(clips[0].skeleton)
    grounds = tuple(grounds_of(clips, character))
    club = fit_club(clips, character, grounds)
    return Golf(clips, grounds, with_attachments(character, [club.tool]), club)
