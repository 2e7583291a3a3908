"""`mode: paper` from end to end: the printed method on clips whose truth is known."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from poise import rotations, samples
from poise.character import range_excess_rad, with_ranges
from poise.contact import contact_agreement
from poise.environment import Environment, query
from poise.errors import BadValue
from poise.methods import Edit, Progress, Result
from poise.methods.correct import Settings, run
from poise.methods.correct.alignment import sole_turns
from poise.methods.correct.mesh import motion_mesh, vertices_of
from poise.methods.correct.settings import FEET, HANDS, settings_for
from poise.motion import Clip
from poise.samples import Sample, sample_character
from tests.methods.rolling_feet import slope

FLAT = Environment.flat()
PAPER = settings_for("walk", mode="paper", samples=20)


@cache
def damaged() -> Sample:
    """A walk that slides, floats and shakes."""
    clean = samples.walking(seconds=3.0)
    return samples.with_noise(samples.with_float(samples.with_foot_slide(clean, 10.0), 3.0), 1.0)


def corrected(clip: Clip, settings: Settings = PAPER, **more: object) -> Result:
    edit = Edit(clip, sample_character(), environment=FLAT)
    return run(replace(edit, **more), settings)  # type: ignore[arg-type]


@cache
def mended() -> Result:
    return corrected(damaged().clip)


def test_a_walk_s_feet_take_turns_as_they_do_in_truth() -> None:
    found = mended()
    assert found.status == "converged" and found.contacts is not None
    agreement = contact_agreement(found.contacts, damaged().contacts)
    assert min(part.f1 for part in agreement.values()) > 0.85
    discovered = found.report.discovered
    assert discovered is not None and len(discovered.errors) == 20
    assert discovered.states == 16 * len(discovered.contacts)


def test_touching_points_stand_better_and_softly() -> None:
    mesh = motion_mesh(sample_character(), FEET)
    feet = mesh.contact_vertex
    found = mended()
    discovered = found.report.discovered
    assert discovered is not None
    nearest = np.round(np.arange(damaged().clip.frame_count) * 30.0 / 120.0).astype(int)
    touching = discovered.contacts[np.minimum(nearest, len(discovered.contacts) - 1)]
    both = touching[1:] & touching[:-1]

    def slide_and_height(clip: Clip) -> tuple[float, float]:
        places = vertices_of(mesh, clip)[:, feet]
        steps = np.linalg.norm(np.diff(places, axis=0)[..., [0, 2]], axis=2)[both]
        return float(steps.mean() * clip.rate_hz), float(np.abs(places[..., 1])[touching].mean())

    before, after = slide_and_height(damaged().clip), slide_and_height(found.clip)
    assert after[0] < 0.6 * before[0] and after[1] < 0.5 * before[1]
    assert after[0] > 0.005  # nothing makes them exact afterwards
    assert "softly" in found.summary


def test_progress_goes_through_the_printed_stages() -> None:
    told: list[Progress] = []
    edit = Edit(damaged().clip.sliced(0, 60), sample_character(), environment=FLAT)
    run(edit, replace(PAPER, samples=4), progress=told.append)
    stages = list(dict.fromkeys(each.stage for each in told))
    assert stages == ["contacts", "places", "angles"]
    assert told[-1].preview is not None
    assert [each.done for each in told if each.stage == "contacts"] == [1, 4]


def test_the_same_input_gives_the_same_motion_and_another_seed_another_search() -> None:
    clip = damaged().clip.sliced(0, 120)
    one, other = corrected(clip), corrected(clip)
    assert one.clip.rotations_wxyz.tobytes() == other.clip.rotations_wxyz.tobytes()
    third = corrected(clip, replace(PAPER, seed=4))
    assert (third.report.discovered.errors[2:] != one.report.discovered.errors[2:]).any()


def test_known_contacts_are_kept() -> None:
    found = corrected(damaged().clip, contacts=damaged().contacts)
    assert found.contacts is damaged().contacts
    assert found.report.discovered is None


def test_joints_stay_in_range_or_as_captured() -> None:
    low = samples.with_penetration(samples.walking(seconds=2.0), 10.0).clip
    who = with_ranges(sample_character(), low.rotations_wxyz)
    made = corrected(low, character=who).clip

    def excess(clip: Clip) -> float:
        turns = clip.rotations_wxyz
        return float(range_excess_rad(low.skeleton, who.ranges, turns, low.rotations_wxyz).max())

    assert excess(made) < 1e-3
    bent = np.array(made.rotations_wxyz)
    knee = low.skeleton.index("LeftLeg")
    bent[:, knee] = rotations.multiply(bent[:, knee], rotations.exp(np.array([-2.5, 0.0, 0.0])))
    assert excess(replace(made, rotations_wxyz=bent)) > 0.5


def test_a_foot_that_stands_is_laid_parallel_to_the_surface() -> None:
    clip, who, place = samples.standing(seconds=1.0).clip, sample_character(), slope(10.0)
    touching = np.ones((clip.frame_count, 4), np.bool_)
    touching[:, FEET.index("left_heel")] = False
    turns = sole_turns(clip, who, place, FEET, touching)
    left, right = (clip.skeleton.index(f"{side}Foot") for side in ("Left", "Right"))
    angles = {j: np.linalg.norm(rotations.log(turns[j]), axis=-1) for j in (left, right)}
    assert angles[left].max() == pytest.approx(0.0)  # its heel is off the ground
    normal = query(place, np.zeros(3)).normals
    assert np.cos(angles[right]) == pytest.approx(normal[1], abs=1e-6) and normal[1] < 0.996


@pytest.mark.parametrize("frames", [3, 4, 7])
def test_very_short_clips_work(frames: int) -> None:
    made = corrected(damaged().clip.sliced(0, frames), replace(PAPER, samples=3)).clip
    assert made.frame_count == frames and np.isfinite(made.rotations_wxyz).all()


def test_what_the_paper_cannot_do_is_refused() -> None:
    with pytest.raises(BadValue, match="mode: paper"):
        replace(PAPER, only="contacts")
    many = (*FEET, *HANDS, "left_knee", "right_knee", "pelvis", "chest", "head", "left_elbow",
            "right_elbow")  # fmt: skip
    with pytest.raises(BadValue, match="12 at most"):
        corrected(damaged().clip.sliced(0, 30), replace(PAPER, candidates=many))
    with pytest.raises(BadValue, match="contacts"):
        corrected(damaged().clip, contacts=damaged().contacts.sliced(0, 5))
