"""The slopes of everything a motion answers for, against differences of the merit itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from poise.arrays import Array
from poise.character import Character, Sites
from poise.constraints import Recruits, Scene
from poise.contact import touching_points
from poise.environment import Environment
from poise.ik import IkSolution, build
from poise.ik.displacement_rows import take_steps
from poise.ik.inertia_stiffness import inertia_stiffness
from poise.ik.packed import PoseArrays
from poise.ik.problem import IkProblem, unsolved
from poise.mechanics import (
    Limbs,
    center_of_mass,
    forward_kinematics,
    limbs_of,
    with_spheres,
)
from poise.motion import Clip
from poise.physics import Clearing, PhysicsSettings, WholeSettings
from poise.physics.clearance_rows import outside_of
from poise.physics.equations import Weights, body_of, evaluate_frames, usual_wrench
from poise.physics.likeness import fastest_turns, hard_or_wished, make_equations, price_of
from poise.physics.newton_euler_rows import Multipliers, make_frame_work
from poise.physics.self_clearance_rows import apart_of
from poise.physics.supports import supports_of
from poise.physics.torque_rows import make_torque_work
from poise.samples import Sample, running, sample_character, walking
from poise.solvers import Barrier, make_forces

FRAMES = 24


@dataclass(frozen=True)
class Asked:
    """Which parts of the merit count."""

    rho: float = 1e-6
    mu: float = 1e-6
    likeness: float = 0.0
    clearance: float = 0.0
    torque: float = 0.0
    limbs: bool = False
    """Whether clearance is that of limbs from each other, or that of points from the ground."""


class Merit:
    """The merit of a motion a little off a sample."""

    def __init__(self, sample: Sample, asked: Asked) -> None:
        character = sample_character()
        clip = sample.clip.sliced(10, 10 + FRAMES)
        contacts = sample.contacts.sliced(10, 10 + FRAMES)
        moves = np.ones(clip.skeleton.joint_count, dtype=np.bool_)
        scene = Scene(clip, character, Environment.flat(0.0), None)
        self.problem: IkProblem = hard_or_wished(build(scene, [], also=Recruits(moves, True)))
        problem = self.problem
        self.at = self.off(unsolved(problem, None), 2e-3, 1)
        state = forward_kinematics(clip.skeleton, *self.at.poses)
        assert character.body is not None
        self.body = body_of(character, clip)
        settings = PhysicsSettings(wrench_likeness=asked.likeness, moment_likeness=asked.likeness)
        self.supports = supports_of(
            state, touching_points(state, character, contacts, scene.environment),
            center_of_mass(state, character.body) + 0.05,  # any point will do
            self.body.scale, usual_wrench(clip, character, self.body.scale), settings,
        )  # fmt: skip
        self.outside = outside_of(state, character, scene.environment)
        self.outside.height[:] += -1.0 if asked.limbs else 0.05  # everything low is inside
        limbs = Clearing(_thick(character)) if asked.limbs else None
        self.apart = apart_of(state, clip.skeleton, limbs)
        self.apart.least[:] += 0.2  # so thick that most limbs are in each other
        # No likeness of poses: its slopes leave out how the logarithm bends.
        stiffness = 1e-12 * inertia_stiffness(problem)
        fastest = fastest_turns(problem, None)
        self.price = price_of(problem, WholeSettings(speed=0.0), 1.0, stiffness, fastest)
        self.barrier = Barrier(asked.rho, asked.mu, 1e-3)
        self.multipliers = Multipliers(
            np.random.default_rng(7).normal(size=(FRAMES, 6)) * asked.rho * 1e-2,
            np.zeros((FRAMES, 6)), make_forces(self.supports.caps, asked.mu),
        )  # fmt: skip
        self.weights = Weights(np.full(FRAMES, asked.clearance), np.full(FRAMES, asked.torque))
        self.equations = make_equations(problem)
        joints = clip.skeleton.joint_count
        self.work = make_frame_work(joints, problem.width)
        self.torques = make_torque_work(joints, problem.width)
        self.clip: Clip = clip

    def off(self, at: IkSolution, size: float, seed: int) -> IkSolution:
        return self.moved(at, np.random.default_rng(seed).normal(size=self.size), size)

    @property
    def size(self) -> int:
        return FRAMES * self.problem.width

    def moved(self, at: IkSolution, way: Array, share: float) -> IkSolution:
        there, problem = at.copy(), self.problem
        take_steps(
            problem.blocks, problem.width, way, share, there.root_positions_m,
            there.rotations_wxyz,
        )  # fmt: skip
        return there

    def cost(self, at: IkSolution) -> float:
        problem, clip = self.problem, self.clip
        original = PoseArrays(clip.root_positions_m, clip.rotations_wxyz)
        return evaluate_frames(
            0, FRAMES, problem.rig, problem.limits, self.price, original, at.poses, self.equations,
            at.misses, self.body, self.barrier, self.supports, self.outside, self.apart,
            self.multipliers, self.weights, True, self.work, self.torques,
        )  # fmt: skip

    def check(self, step: float) -> None:
        assert self.cost(self.at) > 0.0
        slope = -2.0 * self.equations.right
        rng = np.random.default_rng(3)
        for _ in range(3):
            way = rng.normal(size=self.size)
            above = self.cost(self.moved(self.at, way, step))
            below = self.cost(self.moved(self.at, way, -step))
            assert (above - below) / (2.0 * step) == pytest.approx(float(slope @ way), rel=2e-5)


def _thick(character: Character) -> Limbs:
    """Limbs, and spheres around wrists and belly."""
    joints = np.array([character.skeleton.index(n) for n in ("LeftHand", "RightHand", "Spine1")])
    sites = Sites(("left", "right", "belly"), joints, np.full((3, 3), 0.02))
    pairs = np.array([[0, 1], [2, 1]])
    return with_spheres(limbs_of(character), sites, np.array([0.2, 0.2, 0.3]), pairs)


@pytest.mark.parametrize(
    "asked",
    [
        Asked(rho=100.0, mu=1e-2),
        Asked(rho=900.0, mu=1e-4),
        Asked(likeness=30.0),
        Asked(clearance=1e5),
        Asked(clearance=1e5, limbs=True),
        Asked(rho=100.0, mu=1e-2, torque=1e3),
    ],
    ids=["soft forces", "stiff forces", "usual wrench", "clearance", "limbs", "torques"],
)
@pytest.mark.parametrize("sample", [walking, running], ids=["walk", "run"])
def test_slopes_are_exact(sample: object, asked: Asked) -> None:
    made = sample()  # type: ignore[operator]
    # Torques bend sharply: with steps of 1e-7 their differences are off by 2e-4.
    Merit(made, asked).check(1e-8 if asked.torque else 1e-7)
