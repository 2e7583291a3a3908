"""A clip that was put on a robot is that robot's wherever it goes next."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import poise
from poise.character import Character
from poise.errors import PoiseError
from poise.face.measure_table import MeasureTable
from poise.formats import load_clip, save_clip
from poise.job import AS_IT_IS, RecipeProblem, subject
from poise.motion import Clip
from poise.samples import walk
from tests.made_robot import TORQUE_NM, written_robot
from tests.shared_data import ROBOTS

pytest.importorskip("mujoco")

FORMATS = ("npz", "glb", "gltf")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(scope="module")
def robot(folder: Path) -> Character:
    return poise.load_character(written_robot(folder))


@pytest.fixture(scope="module")
def made(folder: Path, robot: Character) -> Clip:
    result = poise.retarget(walk(seconds=1.0, rate_hz=30.0), robot)
    for kind in FORMATS:
        result.save(folder / f"made.{kind}")
    return result.clip


def values(table: MeasureTable) -> dict[str, float]:
    return {m.key: m.value for m in table.evaluation.measures}


@pytest.mark.parametrize("kind", FORMATS)
def test_the_file_has_the_robot(kind: str, folder: Path, made: Clip, robot: Character) -> None:
    kept = load_clip(folder / f"made.{kind}").body
    assert kept is not None and kept.body is not None and made.body is not None
    assert robot.body is not None
    exact = 0.0 if kind == "npz" else 1e-12
    np.testing.assert_allclose(kept.body.masses_kg, robot.body.masses_kg, rtol=exact)
    np.testing.assert_allclose(kept.body.centers_m, robot.body.centers_m, rtol=exact)
    np.testing.assert_allclose(kept.body.inertias_kg_m2, robot.body.inertias_kg_m2, rtol=exact)
    np.testing.assert_array_equal(kept.torque_limits_nm, robot.torque_limits_nm)
    np.testing.assert_array_equal(kept.speed_limits_rad_s, robot.speed_limits_rad_s)
    assert np.nanmax(np.where(np.isfinite(kept.torque_limits_nm), kept.torque_limits_nm, 0)) == (
        TORQUE_NM
    )
    assert dict(kept.known_roles.joints) == dict(made.body.known_roles.joints)
    assert kept.sites.names == made.body.sites.names
    np.testing.assert_allclose(kept.sites.offsets_m, made.body.sites.offsets_m, rtol=exact)
    assert "left_heel_inner" in kept.sites.names


@pytest.mark.parametrize("kind", FORMATS)
def test_it_is_measured_as_that_robot(kind: str, folder: Path, made: Clip) -> None:
    before, after = values(poise.measure(made)), values(poise.measure(folder / f"made.{kind}"))
    assert before["torque_excess.worst"] > 0.0
    for key, value in before.items():
        near = 0.0 if kind == "npz" else 1e-3 * abs(value) + 1e-6
        assert after[key] == pytest.approx(value, abs=near, nan_ok=True), key


def test_another_edit_hands_it_on(folder: Path, made: Clip) -> None:
    again = poise.correct(folder / "made.npz")
    assert again.clip.body is not None and made.body is not None
    assert again.outcome.prepared.character.body is not None
    mass = made.body.body.total_mass_kg if made.body.body else 0.0
    assert again.outcome.prepared.character.body.total_mass_kg == mass
    again.save(folder / "again.npz")
    kept = load_clip(folder / "again.npz").body
    assert kept is not None and kept.body is not None and kept.body.total_mass_kg == mass


def test_inspect_says_what_it_weighs_and_can_do(folder: Path, made: Clip) -> None:
    assert made.body is not None
    report = poise.inspect(folder / "made.npz")
    assert report.body is not None and report.body.mass_kg is not None
    assert report.body.largest_torque_nm == TORQUE_NM
    text = str(report)
    assert f"{report.body.mass_kg:.2f} kg; kept with the clip" in text
    assert f"up to {TORQUE_NM:g} N m" in text


def test_the_user_may_say_that_it_is_another(folder: Path, made: Clip, tmp_path: Path) -> None:
    choice = AS_IT_IS.character
    human = subject(replace(AS_IT_IS, character=replace(choice, body="human")), made).character
    assert human.strength is not None
    heavy = written_robot(tmp_path)
    heavy.write_text(heavy.read_text().replace('mass="12.0"', 'mass="20.0"'))
    named = replace(AS_IT_IS, character=replace(choice, body=str(heavy)))
    found = subject(named, made).character
    assert found.body is not None and made.body is not None and made.body.body is not None
    assert found.body.total_mass_kg == pytest.approx(made.body.body.total_mass_kg + 8.0)
    with pytest.raises((RecipeProblem, PoiseError), match="joints, bones and rest pose"):
        subject(named, walk(seconds=1.0))


def test_a_human_has_no_body_kept(folder: Path, tmp_path: Path) -> None:
    result = poise.correct(walk(seconds=1.0))
    assert result.clip.body is None
    result.save(tmp_path / "walk.npz")
    with np.load(tmp_path / "walk.npz") as archive:
        assert not any(name.startswith("body_") for name in archive)


def test_a_format_without_room_says_so(made: Clip, tmp_path: Path) -> None:
    notes = save_clip(made, tmp_path / "made.bvh")
    assert any("no room for the body of tin" in note for note in notes)
    assert load_clip(tmp_path / "made.bvh").body is None


@pytest.mark.slow
def test_a_real_robot(tmp_path: Path) -> None:
    path = ROBOTS / "unitree_g1" / "g1_nomesh.xml"
    if not path.is_file():
        pytest.skip(f"robot models not found: {ROBOTS}")
    result = poise.retarget(walk(seconds=2.0), poise.load_character(path))
    result.save(tmp_path / "g1.npz")
    kept = load_clip(tmp_path / "g1.npz").body
    assert kept is not None and kept.body is not None
    assert kept.body.total_mass_kg == pytest.approx(33.341142)
    assert values(poise.measure(tmp_path / "g1.npz")) == pytest.approx(
        values(poise.measure(result.clip)), abs=0.0, nan_ok=True
    )
