"""From an edit to arrays: tasks, coordinates of both kinds of rounds, noise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Character
from poise.constraints import TRANSLATION, Recruits, find_joint, tasks_of
from poise.contact import ContactSchedule, detect_contacts, suited_cutoff_hz
from poise.errors import BadValue, PoiseError
from poise.ik import BALL, Blocks, IkProblem, widened
from poise.ik import build as build_ik
from poise.ik import packed as kinds
from poise.mechanics import carried_inertias_kg_m2, center_of_mass, forward_kinematics
from poise.methods.edit import Edit
from poise.methods.filter.kinematic_frames import Noise, Prior
from poise.methods.filter.settings import LEFT_OUT, Settings, rounds_of
from poise.methods.filter.standing import standing_tasks
from poise.solvers import DEPENDENT, paper_spread, scaled_spread

# How far each coordinate may deviate from the input: the process noise of Eq. 12.
#
# The paper leaves its ratios to the animator. In kinematic rounds a coordinate deviates the less
# the more inertia it carries: a foot that is off by millimetres is then mended by its leg and not
# by moving the whole body, which would undo the balance that dynamic rounds have found. In
# dynamic rounds all are equal: a body in flight is wrong as a whole, and has to move as one.
_LEAST_SHARE = 0.02
"""Of the body's inertia: hands and feet would otherwise take everything upon themselves."""


def inertia_deviations(character: Character, blocks: Blocks, width: int) -> Array:
    """(W,) relative deviations, 1 for the coordinate that moves most readily."""
    body = character.body
    assert body is not None
    carried = carried_inertias_kg_m2(character.skeleton, body)
    least = _LEAST_SHARE * float(carried.max())
    deviations = np.ones(width)
    for b in range(len(blocks.kind)):
        kind, column = int(blocks.kind[b]), int(blocks.column[b])
        size = 3 if kind <= BALL else 1
        inertia = body.total_mass_kg if kind == kinds.TRANSLATION else carried[blocks.joint[b]]
        deviations[column : column + size] = 1.0 / np.sqrt(max(float(inertia), least))
    return deviations / deviations.max(initial=1e-300)


@dataclass(frozen=True, eq=False)
class Problem:
    """What the filter works on."""

    edit: Edit
    settings: Settings
    rounds: str
    """A letter a round; one D, and one K at most after it, where physics is one solve."""
    ik: IkProblem
    """All coordinates that constraints recruit."""
    sketched: IkProblem
    """The same with hints."""
    firm: IkProblem
    """The same without soft constraints: what is left to do after dynamic rounds, in which those
    have yielded as far as they had to."""
    reduced: IkProblem
    """Those of separate fits; the same if there are none."""
    contacts: ContactSchedule | None
    """Known if there are dynamic rounds."""
    cutoff_hz: float | None
    """Of the derivatives that dynamic rounds start from."""

    @property
    def active(self) -> NDArray[np.bool_]:
        """(F,) whether any constraint holds that is not a hint."""
        return frames_held(self.ik)

    @property
    def noise(self) -> Array:
        """(T,) measurement variance of every task that is not a hint."""
        return noise_of(self.ik, self.settings)

    def describe(self) -> str:
        """One line for people."""
        return f"{len(self.edit.constraints)} constraints: {self.ik.describe()}"


def build(edit: Edit, settings: Settings) -> Problem:
    """The problem of an edit."""
    tasks = [task for constraint in edit.constraints for task in tasks_of(constraint, edit.scene)]
    tasks = [replace(task, priority=1, weight=1.0) for task in tasks if task.weight > 0.0]
    rounds = _rounds(settings)
    contacts = edit.contacts
    if "D" in rounds:
        contacts = contacts or detect_contacts(edit.clip, edit.character, edit.environment)
        if settings.fit == "physics" and settings.keep_contacts:
            tasks += standing_tasks(edit, contacts, tasks)
    _check_names("hints", settings.hints, edit)
    sketched = build_ik(edit.scene, tasks)
    tasks = [task for task in tasks if task.name not in settings.hints]
    ik = reduced = firm = build_ik(edit.scene, tasks) if settings.hints else sketched
    hard = [task for task in tasks if settings.noise.get(task.name, 0.0) == 0.0]
    if "D" in rounds and len(hard) < len(tasks):
        firm = build_ik(edit.scene, hard)
    cutoff = None
    if "D" in rounds:
        cutoff = _cutoff_hz(edit)
    if "D" in rounds and settings.fit == "separate":
        moved = Recruits(_moved(edit, settings), translation=True)
        fewer = [replace(task, recruits=_common(task.recruits, moved)) for task in tasks]
        reduced = build_ik(edit.scene, fewer, also=moved)
    _check_names("noise", settings.noise, edit)
    return Problem(edit, settings, rounds, ik, sketched, firm, reduced, contacts, cutoff)


def _rounds(settings: Settings) -> str:
    found = rounds_of(settings.passes)
    if settings.fit == "separate" or "D" not in found:
        return found
    sketch, _, after = found.partition("D")
    return f"{sketch}D{'K' if 'K' in after else ''}"


def frames_held(ik: IkProblem) -> NDArray[np.bool_]:
    """(F,) whether any task holds."""
    held = np.zeros(ik.scene.clip.frame_count, dtype=np.bool_)
    for task in ik.tasks:
        held[task.first : task.last + 1] = True
    return held


def noise_of(ik: IkProblem, settings: Settings) -> Array:
    """(T,) measurement variance of every task."""
    return np.array([settings.noise.get(task.name, 0.0) for task in ik.tasks], dtype=np.float64)


def all_noise_of(ik: IkProblem, settings: Settings) -> Noise:
    """The same, and what is added while goals are far away."""
    far_rad = float(np.radians(settings.far_deg))
    return Noise(noise_of(ik, settings), float(settings.far_noise), float(settings.far_m), far_rad)


def prior_of(problem: Problem, ik: IkProblem, *, rates: bool) -> Prior:
    """Process noise and spread of coordinates, or of them and their rates (Eqs. 12 and 13)."""
    settings, character = problem.settings, problem.edit.character
    by_joint, blocks = mobility_of(problem), ik.blocks
    deviations = np.full(ik.width, np.sqrt(settings.process_variance))
    if settings.by_inertia and not rates and character.body is not None:
        deviations *= inertia_deviations(character, blocks, ik.width)
    for b in range(len(blocks.kind)):
        kind, column = int(blocks.kind[b]), int(blocks.column[b])
        key = -1 if kind == kinds.TRANSLATION else int(blocks.joint[b])
        size = 3 if kind <= kinds.BALL else 1
        deviations[column : column + size] *= by_joint.get(key, 1.0)
    if rates:
        quicker = np.sqrt(settings.rate_ratio)
        deviations = np.concatenate([deviations, quicker * deviations, quicker**2 * deviations])
    size = max(len(deviations), 1)
    if settings.kappa is not None:
        spread = paper_spread(size, settings.kappa)
    else:
        spread = scaled_spread(size, settings.alpha)
    lengths = np.sqrt(spread.scale) * deviations
    limits = widened(ik.limits, ik.blocks, problem.edit.clip.rotations_wxyz)
    return Prior(deviations, lengths, spread, DEPENDENT, limits)


def mobility_of(problem: Problem) -> dict[int, float]:
    """How far joints may deviate against others, by index; -1 is the root's translation."""
    character = problem.edit.character
    return {
        -1 if name == TRANSLATION else find_joint(character, name): value
        for name, value in problem.settings.mobility.items()
    }


def _moved(edit: Edit, settings: Settings) -> NDArray[np.bool_]:
    """(J,) joints that dynamic rounds move, whatever constraints recruit: the laws of motion do."""
    skeleton = edit.character.skeleton
    kept = skeleton.freedoms > 0
    for name in settings.left_out:
        try:
            joint = find_joint(edit.character, name)
        except PoiseError:
            if name not in LEFT_OUT:  # of the usual ones, a skeleton may lack some
                raise
            continue
        kept &= np.array([joint not in skeleton.ancestors(j) for j in range(len(kept))])
    return kept


def _common(one: Recruits, other: Recruits) -> Recruits:
    return Recruits(one.joints & other.joints, one.translation and other.translation)


def _cutoff_hz(edit: Edit) -> float | None:
    body = edit.character.body
    if body is None:
        raise BadValue("character.body", "segment masses (see complete_character)", None)
    com = center_of_mass(forward_kinematics(edit.clip.skeleton, *edit.clip.pose), body)
    return suited_cutoff_hz(com, edit.clip.rate_hz)


def _check_names(setting: str, names: Iterable[str], edit: Edit) -> None:
    known = {constraint.name for constraint in edit.constraints}
    for name in names:
        if name not in known:
            raise BadValue(setting, f"names of constraints ({', '.join(sorted(known))})", name)
