"""The race in inverse kinematics: its problems, its judge, and peers that have our body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from benchmarks import ik
from benchmarks.ik_best import best_of
from benchmarks.ik_body import IkWork, Poses, Targets, moved, reference_walk, targets_of
from benchmarks.ik_contract import Solved, SteppingPeer
from benchmarks.ik_momentum import Momentum
from benchmarks.ik_peers import Mink, Pink
from benchmarks.ik_plan import disagreement, plan
from benchmarks.ik_residual import TOLERANCE_M, cost, from_best, from_targets
from benchmarks.ik_work import WORKS, changed, shifted, without_center
from poise import rotations
from poise.arrays import Array, Indices

FRAMES = 5
PEERS: dict[str, Callable[[], SteppingPeer]] = {
    "mink": Mink,
    "pink": Pink,
    "pymomentum": Momentum,
}


def test_the_body_has_54_freedoms_and_a_frame_task_on_every_joint() -> None:
    work = changed(FRAMES)
    assert work.skeleton.tangent_size == 54
    assert work.targets.positions_m.shape == (FRAMES, 21, 3)


def test_the_walk_keeps_its_feet_near_the_floor() -> None:
    skeleton, body, poses = reference_walk(24)
    toe = skeleton.joint_names.index("left_toe")
    heights = targets_of(skeleton, body, poses).positions_m[:, toe, 1]
    assert 0.0 < heights.min() < 0.05 < heights.max() < 0.3


def test_another_motion_differs_from_the_walk_and_meets_its_own_targets() -> None:
    work, (*_, walk) = changed(FRAMES), reference_walk(FRAMES)
    assert from_targets(work, walk).worst[0] > 50.0
    found = best_of(work, walk)
    assert np.abs(found.positions_m - work.targets.positions_m).max() < 1e-9
    assert np.abs(found.com_m - work.targets.com_m).max() < 1e-9


def best_poses(work: IkWork) -> Poses:
    """Poses that have the joints where `best` says: the local rotations follow from the frames."""
    above = work.best.rotations_wxyz[:, np.maximum(work.skeleton.parents, 0)]
    local = rotations.multiply(rotations.conjugate(above), work.best.rotations_wxyz)
    local[:, 0] = work.best.rotations_wxyz[:, 0]
    return Poses(work.best.positions_m[:, 0], local)


@pytest.mark.parametrize("center", [True, False])
def test_where_targets_conflict_no_step_from_the_best_lowers_the_cost(center: bool) -> None:
    work = shifted(FRAMES) if center else without_center(shifted(FRAMES))
    best = best_poses(work)
    least = cost(work, best)
    assert least[FRAMES // 2] > 1e-4
    for step in np.eye(work.skeleton.tangent_size):
        for size in (-1e-4, 1e-4):
            steps = np.tile(size * step, (FRAMES, 1))
            assert np.all(cost(work, moved(work.skeleton, best, steps)) >= least)


def test_a_body_moved_by_a_millimetre_is_a_millimetre_off() -> None:
    work = changed(FRAMES)
    best = best_poses(work)
    off = from_best(work, Poses(best.root_m + np.array([0.0, 1e-3, 0.0]), best.local_wxyz))
    assert off.position_m == pytest.approx(1e-3)
    assert off.orientation_rad == pytest.approx(0.0, abs=1e-12)
    assert off.worst[0] == pytest.approx(1.0)
    assert not off.met
    assert from_best(work, best).met


def test_the_centre_of_mass_counts_only_where_it_is_asked_for() -> None:
    work, (*_, walk) = shifted(FRAMES), reference_walk(FRAMES)
    far = replace(work, targets=replace(work.targets, com_m=work.targets.com_m + 1.0))
    assert np.all(cost(far, walk) > cost(work, walk))
    assert np.all(cost(without_center(far), walk) == cost(without_center(work), walk))


class Halving:
    """Starts a decimetre away from each frame's best pose and halves that with every step."""

    name, has_center = "halving", True

    def prepare(self, work: IkWork) -> None:
        self.work, self.best = work, best_poses(work)

    def restart(self) -> None:
        self.off_m, self.frame = 0.1, 0

    def aim(self, frame: int) -> None:
        self.off_m, self.frame = 0.1, frame

    def step(self) -> None:
        self.off_m /= 2

    def pose(self) -> Poses:
        root: Array = self.best.root_m[self.frame] + np.array([self.off_m, 0.0, 0.0])
        return Poses(root[None], self.best.local_wxyz[self.frame][None])

    def seen(self) -> Targets:
        found = targets_of(self.work.skeleton, self.work.body, self.pose())
        return replace(found, com_m=found.com_m + 0.25)

    def solve(self, plan: Indices) -> Solved:
        rows: list[Poses] = []
        for frame, count in enumerate(plan.tolist()):
            self.aim(frame)
            for _ in range(count):
                self.step()
            rows.append(self.pose())
        poses = Poses(
            np.concatenate([row.root_m for row in rows]),
            np.concatenate([row.local_wxyz for row in rows]),
        )
        return Solved(poses, plan)


def halving() -> Halving:
    peer = Halving()
    peer.prepare(changed(FRAMES))
    return peer


def test_a_plan_has_the_least_iterations_that_reach_the_tolerance() -> None:
    steps = int(np.ceil(np.log2(0.1 / TOLERANCE_M)))
    assert plan(halving(), changed(FRAMES)).tolist() == [steps] * FRAMES


def test_who_does_not_get_there_is_named_with_the_distance_left() -> None:
    with pytest.raises(RuntimeError, match=r"halving is 25 mm .* frame 0 of 'changed' after 2"):
        plan(halving(), changed(FRAMES), cap=2)


def test_another_body_is_noticed() -> None:
    assert disagreement(halving(), changed(FRAMES)) == pytest.approx(0.25)


@pytest.mark.other_engine
@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize("problem", WORKS)
def test_a_peer_has_our_body_and_gets_there(name: str, problem: str) -> None:
    pytest.importorskip(name, reason=f"{name} is a peer of the benchmarks")
    peer, work = PEERS[name](), WORKS[problem](FRAMES)
    work = work if peer.has_center else without_center(work)
    peer.prepare(work)
    assert disagreement(peer, work) < ik.ALIKE_M[name]
    counts = plan(peer, work)
    assert 1 <= counts.max() <= 12
    solved = peer.solve(counts)
    assert from_best(work, solved.poses).met
    fewer = peer.solve(np.maximum(counts - 1, 0))
    assert not from_best(work, fewer.poses).met


def test_a_peer_that_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = ("no_such_module", Mink, "ask for it")
    monkeypatch.setattr(ik, "_PEERS", {"nobody": absent})
    assert ik.installed() == {}
    assert capsys.readouterr().out == "nobody left out: not installed (ask for it)\n"


class Lazy(Halving):
    name = "ours"

    def solve(self, plan: Indices) -> Solved:
        return super().solve(np.full(FRAMES, 3))


class Thorough(Halving):
    name = "ours"

    def solve(self, plan: Indices) -> Solved:
        return super().solve(np.full(FRAMES, 20))


class Agreeing(Halving):
    def seen(self) -> Targets:
        return targets_of(self.work.skeleton, self.work.body, self.pose())


def test_the_race_compares_only_who_gets_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(ik.ALIKE_M, "mink", 1e-9)
    monkeypatch.setattr(ik, "OURS", Lazy)
    measures = {m.key: m for m in ik.race(changed(FRAMES), {"mink": Agreeing})}
    assert "ours" in capsys.readouterr().out
    assert np.isnan(measures["ik/changed/mink"].value)
    monkeypatch.setattr(ik, "OURS", Thorough)
    measures = {m.key: m for m in ik.race(changed(FRAMES), {"mink": Agreeing})}
    assert measures["ik/changed/mink"].value > 0.0
    assert measures["ik/changed/ours/rate"].unit == "frames/s"
