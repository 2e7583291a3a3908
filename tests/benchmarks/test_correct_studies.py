"""The studies of the correction: what they print is of the motions that they name."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.correct_body import MOTIONS, ready
from benchmarks.correct_studies import WEIGHTS, found_in, strip, weights
from benchmarks.correct_whole import STAGES, timed
from tests.shared_data import needs_mocap


def test_a_strip_has_a_mark_for_every_frame() -> None:
    assert strip(np.array([True, False, False, True])) == "#..#"


def test_weights_add_up_to_one() -> None:
    assert [sum(share) for share in WEIGHTS] == pytest.approx([1.0] * len(WEIGHTS))


@needs_mocap
def test_every_motion_has_its_clip_and_candidates() -> None:
    for name, motion in MOTIONS.items():
        chosen = ready(name)
        assert chosen.working.frame_count > 30
        assert set(motion.candidates) <= set(chosen.mesh.candidates)
        assert chosen.settings.preset == motion.preset


@needs_mocap
def test_stages_of_a_correction_add_up() -> None:
    found = timed("running", samples=3)
    assert sum(found.seconds[stage] for stage in STAGES) == pytest.approx(found.seconds["all"])
    assert found.seconds["cpu"] > 0.0
    discovered = found.result.report.discovered
    assert discovered is not None and len(discovered.errors) == 3


@needs_mocap
def test_contacts_are_found_with_the_samples_asked_for() -> None:
    assert len(found_in("running", samples=2, seed=1).errors) == 2


@needs_mocap
def test_strips_of_constant_weights_are_as_long_as_the_walk(
    capsys: pytest.CaptureFixture[str],
) -> None:
    weights()
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    strips = [line for line in lines if line and set(line) <= {"#", "."}]
    assert len(strips) == 2 + 2 * len(WEIGHTS) * 2
    assert {len(line) for line in strips} == {MOTIONS["walking"].frames}
