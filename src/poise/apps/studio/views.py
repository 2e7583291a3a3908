"""What the page draws, from what the library computes: bodies, motions, physics, places, goals."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from poise.apps.render import support_outline, triangles_near
from poise.apps.report.contact_doubts import Stretch, doubts_of
from poise.apps.studio import to_page as say
from poise.apps.studio.first_recipe import keeping
from poise.apps.studio.from_page import Touch
from poise.apps.studio.wire import Told, told
from poise.arrays import Array
from poise.character import Character, Skeleton
from poise.constraints import Scene, StageEdit, Task, tasks_of
from poise.contact import ContactSchedule, Series, intervals, support_area
from poise.environment import Environment
from poise.errors import PoiseError
from poise.formats import body_mesh
from poise.job import Clock, Recipe, Subject, constraint_from, vocabulary
from poise.mechanics import GRAVITY_M_S2
from poise.methods import ConstraintReport
from poise.methods.pattern import Pattern
from poise.motion import Clip

_LEVEL_M = 0.12
"""Less than a step of stairs, more than soles are known to."""

_AROUND_M = 4.0
"""How much of a place is drawn around the figure's way."""


def figure_key(skeleton: Skeleton) -> str:
    """The same for bodies that look the same."""
    digest = hashlib.sha256("\n".join(skeleton.joint_names).encode())
    digest.update(skeleton.offsets_m.tobytes())
    digest.update(skeleton.standing.rest_wxyz.tobytes())
    return digest.hexdigest()[:16]


def figure(character: Character, name: str) -> Told:
    """A body."""
    skeleton, sites = character.skeleton.standing, character.sites
    mesh = body_mesh(skeleton)
    mass = 0.0 if character.body is None else float(character.body.total_mass_kg)
    height = float(np.ptp(mesh.positions_m[:, 1]))
    message = say.Figure(
        key=figure_key(skeleton),
        name=name,
        joint_names=skeleton.joint_names,
        parents=tuple(skeleton.parents.tolist()),
        roles={} if character.roles is None else dict(character.roles.joints),
        sites=tuple(
            say.Site(each, int(joint), (float(x), float(y), float(z)))
            for each, joint, (x, y, z) in zip(
                sites.names, sites.joints, sites.offsets_m.tolist(), strict=True
            )
        ),
        height_m=height,
        mass_kg=mass,
        kept=keeping(skeleton),
    )
    return told(
        message, offsets_m=skeleton.offsets_m, rest_wxyz=skeleton.rest_wxyz,
        positions_m=mesh.positions_m, normals=mesh.normals, triangles=mesh.triangles,
        skin_joints=mesh.joints, weights=mesh.weights,
    )  # fmt: skip


def motion(clip: Clip, which: say.Which, *, number: int = 0, last: Clip | None = None) -> Told:
    """A motion; where `last` is what the page has of it, only the frames that differ."""
    key, first, stop = figure_key(clip.skeleton), 0, clip.frame_count
    if last is not None and (figure_key(last.skeleton), last.frame_count) == (key, stop):
        moved = np.any(last.root_positions_m != clip.root_positions_m, axis=1)
        turned = np.any(last.rotations_wxyz != clip.rotations_wxyz, axis=(1, 2))
        changed = np.flatnonzero(np.logical_or(moved, turned))
        first, stop = (int(changed[0]), int(changed[-1]) + 1) if len(changed) else (0, 1)
    return told(
        say.Motion(which, key, clip.rate_hz, clip.frame_count, first, number),
        roots_m=clip.root_positions_m[first:stop],
        rotations_wxyz=clip.rotations_wxyz[first:stop],
    )


def place(environment: Environment, clip: Clip) -> Told:
    """The ground, and what stands on it near the clip."""
    grounds = environment.grounds
    height = float(grounds[0].height_m) if grounds else 0.0
    up = grounds[0].normal.tolist() if grounds else [0.0, 1.0, 0.0]
    points, triangles = triangles_near(environment, clip, _AROUND_M)
    return told(say.Place(height, (up[0], up[1], up[2])), positions_m=points, triangles=triangles)


def touches(contacts: ContactSchedule) -> tuple[Touch, ...]:
    """A schedule as bars; a part that goes over from standing to sliding has two."""
    found: list[Touch] = []
    for part in contacts.parts:
        standing = contacts.standing(part)
        for flags, slides in ((standing, False), (contacts.column(part) & ~standing, True)):
            found += [Touch(part, a, b - 1, slides) for a, b in intervals(flags)]
    return tuple(found)


def physics(series: Series, which: say.Which, unknown: Iterable[Stretch] = ()) -> Told:
    """Centre of mass, zero-moment point, support, forces, and how sure contacts are.

    Args:
        series: a motion, frame by frame.
        which: whose motion it is.
        unknown: where something that is not known carries the body.
    """
    corners, starts = _outlines(series)
    contacts = series.contacts
    parts = tuple(dict.fromkeys((*contacts.parts, *series.point_parts)))
    message = say.Physics(
        which,
        series.mass_kg * float(np.linalg.norm(GRAVITY_M_S2)),
        touches(contacts),
        parts,
        stages_of(series),
        tuple(
            say.Doubt(each.part, each.first, each.stop - 1, round(100.0 * each.least))
            for each in doubts_of(contacts)
        ),
        tuple(say.Stretch(first, stop - 1) for first, stop in unknown),
    )
    sure: dict[str, NDArray[np.uint8]] = {}
    if contacts.confidence is not None:
        sure["confidence"] = np.round(100.0 * contacts.confidence.T).astype(np.uint8)
    return told(
        message, com_m=series.com_m, zmp_m=series.zmp_m,
        outside_m=series.support_distance_m, points_m=series.points_m, forces_n=series.forces_n,
        corners_m=corners, starts=starts, **sure,
    )  # fmt: skip


def _outlines(series: Series) -> tuple[Array, NDArray[np.int64]]:
    """Corners of the support areas of all frames, and where each frame's begin."""
    area = support_area(series.points_m, series.pressing)
    counts = area.counts.copy()
    there = np.arange(area.corners_m.shape[1]) < counts[:, None]
    level = area.corners_m[there]
    heights = np.repeat(area.heights_m, counts)
    corners = np.stack([level[:, 0], heights, level[:, 1]], axis=1)
    heights = np.where(series.pressing, series.points_m[..., 1], np.nan)
    with np.errstate(invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # frames in which nothing touches
        steps = np.nanmax(heights, axis=1) - np.nanmin(heights, axis=1) > _LEVEL_M
    starts = np.concatenate([[0], np.cumsum(counts)])
    if not steps.any():
        return corners, starts
    # On stairs and slopes corners lie where the points do.
    axes = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    pieces = [corners[a:b] for a, b in pairwise(starts.tolist())]
    for frame in np.flatnonzero(steps).tolist():
        touching = series.points_m[frame][series.pressing[frame]]
        pieces[frame] = support_outline(touching, *axes)
    return np.concatenate(pieces), np.concatenate([[0], np.cumsum([len(each) for each in pieces])])


def stages_of(series: Series) -> tuple[say.Stage, ...]:
    """Ground and flight in turn, as what touches shows them; none where nothing flies."""
    flying = np.asarray(series.flight, dtype=np.bool_)
    if not flying.any():
        return ()
    found: list[say.Stage] = []
    roots, lows = series.clip.root_positions_m, series.points_m[..., 1].min(axis=1)
    spans = [(*each, "flight") for each in intervals(flying)]
    spans += [(*each, "ground") for each in intervals(~flying)]
    for first, stop, kind in sorted(spans):
        span = slice(first, stop)
        if kind == "ground":
            middle = roots[span].mean(axis=0)
            place = (float(middle[0]), float(lows[span].min()), float(middle[2]))
        else:
            top = series.com_m[span][int(np.argmax(series.com_m[span, 1]))]
            place = (float(top[0]), float(top[1]), float(top[2]))
        found.append(say.Stage(kind, first, stop - 1, place))
    return tuple(found)


def scatter_of(pattern: Pattern, now: Array | None) -> Told:
    """Examples as points; with `now` the coefficients of the edited motion, how near each is."""
    places = np.zeros((len(pattern.examples), 2))
    shown = min(2, pattern.coefficients.shape[1])
    places[:, :shown] = pattern.coefficients[:, :shown]
    goal = np.full(2, np.nan)
    weights = np.full(len(places), 1.0 / max(1, len(places)))
    if now is not None:
        goal[: min(2, len(now))] = now[:2]
        spread = np.sqrt(pattern.variances[: len(now)])
        apart = np.linalg.norm((pattern.coefficients[:, : len(now)] - now) / spread, axis=1)
        near = np.exp(-0.5 * (apart - apart.min()) ** 2)
        weights = near / near.sum()
    message = say.Scatter(
        names=tuple(example.name for example in pattern.examples),
        shares=tuple((pattern.variances / pattern.variances.sum())[:2].tolist()),
        weights=tuple(weights.tolist()),
    )
    return told(message, places=places, goal=goal)


def goals_of(
    recipe: Recipe,
    stem: Callable[[Recipe, int], tuple[Subject, Clip]],
    met: Mapping[str, tuple[bool, str]],
) -> Told:
    """Goals of points in the world; constraints without one (balance, distance) have no path.

    Args:
        recipe: has them.
        stem: what a step starts from.
        met: whether they are met, by name, and how far off.
    """
    words = vocabulary()
    found, paths, row = list[say.Goal](), [np.zeros((0, 3))], 0
    for step_index, step in enumerate(recipe.steps):
        prepared, clip = stem(recipe, step_index)
        clock = Clock(clip.rate_hz, clip.frame_count)
        source = prepared.moved_from if clip is prepared.clip else None
        original = None if source is None else source.original
        scene = Scene(clip, prepared.character, prepared.environment, original)
        for index, wish in enumerate(step.constraints):
            known = met.get(wish.name, (None, ""))
            first, last, path = 0, clip.frame_count - 1, np.zeros((0, 3))
            try:
                made = constraint_from(wish, words, clock)
                if not isinstance(made, StageEdit):
                    first, path = _path(tasks_of(made, scene))
                    last = first + max(len(path), 1) - 1
            except PoiseError:  # it is said when it is solved
                path = np.zeros((0, 3))
            found.append(
                say.Goal(wish.name, wish.kind, step_index, index, first, last, row, *known)
            )
            paths.append(path)
            row += len(path)
    return told(say.Goals(tuple(found)), path_m=np.concatenate(paths))


def _path(tasks: Iterable[Task]) -> tuple[int, Array]:
    for task in tasks:
        if task.kind == "point" and task.reference < 0 and np.shape(task.goals)[-1:] == (3,):
            return int(task.first), np.asarray(task.goals, dtype=np.float64)
    return 0, np.zeros((0, 3))


def outcome_of(rows: Iterable[ConstraintReport]) -> dict[str, tuple[bool, str]]:
    """Whether constraints are met, by name, and how far off they are at worst."""
    found: dict[str, tuple[bool, str]] = {}
    for row in rows:
        words = f"{_short(row.worst)} {row.unit} at frame {row.worst_frame}"
        known = found.get(row.name)
        met = row.met and (known is None or known[0])
        found[row.name] = (met, words if known is None else known[1])
    return found


def _short(value: float) -> str:
    """Three digits, and no powers of ten."""
    return f"{value:.0f}" if abs(value) >= 100.0 else f"{value:.3g}"
