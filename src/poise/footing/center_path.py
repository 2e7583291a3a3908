"""How the centre of mass should accelerate: as it did, and by gravity alone where nothing touches.

What the ground must do follows from it. Moving feet to their prints must not change it; in the air
only gravity acts (Eq. 11 without forces).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.constraints import Recruits, Scene, Task
from poise.contact import intervals
from poise.mechanics import GRAVITY_M_S2, center_of_mass
from poise.motion import splines

_CUTOFF_HZ = 8.0
"""Of the centre's acceleration: what is faster is noise, or the shock of a landing."""
_SHARE_OF_RATE = 0.4

STANDING = 0.1
"""Weight of the acceleration while something touches, against that in the air: the ground can do
much, and nothing can be done in the air."""


def center_tasks(scene: Scene, touches: NDArray[np.bool_]) -> list[Task]:
    """Wishes for the acceleration of the centre of mass, one task for every stretch.

    Args:
        scene: the motion to start from.
        touches: (F,) whether anything does.
    """
    body, clip = scene.character.body, scene.clip
    if body is None or clip.frame_count < splines.SHORTEST:
        return []
    path = center_of_mass(scene.state, body)
    goal = _path_with(_accelerations(path, touches, clip.rate_hz), path, clip.rate_hz)
    # No joint moves for the centre's sake that does not move for a contact's.
    nobody = np.zeros(scene.character.skeleton.joint_count, dtype=np.bool_)
    recruits = Recruits(nobody, True)
    return [
        Task(f"centre {'stands' if value else 'flies'} from frame {a}", "center", a, goal[a:b],
             recruits, 2, STANDING if value else 1.0)
        for value in (True, False)
        for a, b in intervals(touches == value)
    ]  # fmt: skip


def _accelerations(path: Array, touches: NDArray[np.bool_], rate_hz: float) -> Array:
    cutoff = min(_CUTOFF_HZ, _SHARE_OF_RATE * rate_hz)
    found = np.array(splines.smooth(path, rate_hz, cutoff).second)
    found[~touches] = GRAVITY_M_S2
    return found


def _path_with(accelerations: Array, path: Array, rate_hz: float) -> Array:
    """A path with these second differences; where it leads to says nothing."""
    steps = np.zeros_like(path)
    steps[1] = path[1] - path[0]
    steps[2:] = accelerations[1:-1] / rate_hz**2
    goal: Array = path[0] + np.cumsum(np.cumsum(steps, axis=0), axis=0)
    return goal
