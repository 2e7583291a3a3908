"""What is held on the ground while a leap is solved: feet on the prints of the moved stages.

A foot that has just left, or is about to land, is not above its print any more or not yet; held
there for a frame longer it would take the body's height with it. But a foot whose lowest point goes
aside in that frame is seen to slide in the last one on the ground. So for one frame it may rise,
and not go aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.constraints import Scene, Task
from poise.contact import ContactSchedule
from poise.environment import query
from poise.footing import HEEL, TIP, FootPath, Movers, contact_tasks


def held_tasks(scene: Scene, contacts: ContactSchedule, movers: Movers) -> tuple[Task, ...]:
    """Tasks of all that touches, and of feet in the frames beside that."""
    tasks, paths, _ = contact_tasks(
        scene, replace(contacts, sliding=None), None, movers, pitched=True
    )
    hard = [task for task in tasks if task.priority == 1]
    return (*hard, *_beside(scene, paths, movers))


def _beside(scene: Scene, paths: Sequence[FootPath], movers: Movers) -> list[Task]:
    found: list[Task] = []
    for path in paths:
        for frame, at in ((path.first - 1, 0), (path.stop, path.stop - path.first - 1)):
            if not 0 <= frame < scene.clip.frame_count:
                continue
            joint, offset, place = _lowest(scene, path, at)
            normal = query(scene.environment, place[None, None]).normals[0, 0]
            up = int(np.abs(normal).argmax())
            axes = (up != 0, up != 1, up != 2)
            name = f"{path.shape.part} rises straight at frame {frame}"
            found.append(movers.point(name, joint, offset, frame, place[None], axes=axes))
    return found


def _lowest(scene: Scene, path: FootPath, at: int) -> tuple[int, Array, Array]:
    """Joint, offset and place of a foot's lowest point in one frame of its path."""
    shape = path.shape
    if path.on_tip[at]:
        return shape.toes, shape.offsets_m[TIP], path.tip_m[at]
    if path.on_heel[at]:
        return shape.joint, shape.offsets_m[HEEL], path.heel_m[at]
    offsets = shape.offsets_m[: TIP + 1 if shape.toes == shape.joint else TIP]
    places = path.places_m[at] + rotations.rotate(path.turns_wxyz[at], offsets)
    lowest = int(query(scene.environment, places[None]).distances_m[0].argmin())
    return shape.joint, shape.offsets_m[lowest], places[lowest]
