"""Strength: signs, scaling, and real people's torques inside the limits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise import rotations
from poise.character import complete_character
from poise.character.anatomical_axes import FORWARD, LEFT, UP
from poise.character.joint_motions import joint_motions
from poise.formats import load_clip
from tests.character.reference_human import reference_human, reference_skeleton
from tests.shared_data import clips, needs_mocap

WEIGHT_TIMES_HEIGHT = 9.80665


def test_knee_limits_by_hand() -> None:
    made = complete_character(reference_skeleton(2.0), mass_kg=100.0, sex="male")
    assert made.strength is not None and made.roles is not None
    knee = made.skeleton.index("left_knee")
    scale = 100.0 * WEIGHT_TIMES_HEIGHT * 2.0
    low, high = made.strength.limits_nm[knee, LEFT]
    assert high == pytest.approx(0.117 * scale, rel=0.02), "bending: heel backward, about +left"
    assert low == pytest.approx(-0.243 * scale, rel=0.02)
    assert np.isinf(made.strength.limits_nm[knee, [UP, FORWARD]]).all()
    # A hinge's one magnitude is the larger direction.
    assert made.torque_limits_nm[knee, 0] == pytest.approx(-low)


def test_left_and_right_mirror() -> None:
    strength = reference_human().strength
    assert strength is not None
    names = reference_skeleton().joint_names
    for part in ("hip", "knee", "ankle", "shoulder", "elbow", "wrist"):
        left, right = (strength.limits_nm[names.index(f"{s}_{part}")] for s in ("left", "right"))
        np.testing.assert_allclose(left[LEFT], right[LEFT])
        for axis in (UP, FORWARD):
            np.testing.assert_allclose(left[axis], -right[axis][::-1])


def test_limits_follow_anatomy_not_the_frames_of_joints() -> None:
    """A skeleton whose every joint frame is turned somehow has the same limits about the body."""
    plain = replace(reference_skeleton(), kinds=(), hinge_axes=np.zeros((21, 3)))
    rng = np.random.default_rng(7)
    frames = rotations.normalize(rng.normal(size=(plain.joint_count, 4)))
    parents = plain.parents
    local = frames.copy()
    local[1:] = rotations.multiply(rotations.conjugate(frames[parents[1:]]), frames[1:])
    offsets = plain.offsets_m.copy()
    offsets[1:] = rotations.rotate(rotations.conjugate(frames[parents[1:]]), offsets[1:])
    ends = plain.end_sites
    turned = replace(
        plain,
        rest_wxyz=local,
        offsets_m=offsets,
        end_sites=replace(
            ends,
            offsets_m=rotations.rotate(rotations.conjugate(frames[ends.joints]), ends.offsets_m),
        ),
    )
    named = {n: n for n in plain.joint_names}
    torque_world = rng.normal(size=(plain.joint_count, 3)) * 100
    ratios = []
    for skeleton in (plain, turned):
        made = complete_character(skeleton, mass_kg=70.0, overrides=named)
        assert made.strength is not None
        own = rotations.rotate(rotations.conjugate(skeleton.rest_world_wxyz), torque_world)
        ratios.append(made.strength.ratios(own))
    np.testing.assert_allclose(ratios[0], ratios[1], atol=1e-9)
    assert ratios[0].max() > 1


def test_ratios_know_directions() -> None:
    made = reference_human()
    assert made.strength is not None
    hip = made.skeleton.index("right_hip")
    axis, sign = joint_motions("right_hip")["extension"]
    torques = np.zeros((2, made.skeleton.joint_count, 3))
    limit = abs(made.strength.limits_nm[hip, axis, 0 if sign < 0 else 1])
    torques[0, hip, axis], torques[1, hip, axis] = sign * limit, -sign * limit
    ratios = made.strength.ratios(torques)
    assert ratios[0].max() == pytest.approx(1.0)
    assert ratios[1].max() > 1.2, "the hip bends with less than it straightens"
    assert (np.delete(ratios, hip, axis=1) == 0).all()
    none = replace(made.strength, limits_nm=np.zeros_like(made.strength.limits_nm))
    assert np.isinf(none.ratios(torques)[0].max())


# Columns of the studies' inverse dynamics: the joint's role, and the motion of a positive moment.
MOMENTS = {
    "hip_flexion": ("hip", "flexion", "extension"),
    "hip_adduction": ("hip", "adduction", "abduction"),
    "hip_rotation": ("hip", "inward_rotation", "outward_rotation"),
    "ankle_angle": ("ankle", "flexion", "extension"),
    "arm_flex": ("shoulder", "flexion", "extension"),
    "elbow_flex": ("elbow", "flexion", "extension"),
}
MASSES_KG = {
    "opencap_subject2": 79.7,
    "opencap_subject9": 76.7,
    "opencap_subject11": 95.4,
    "arnold_subject01": 72.9,
    "arnold_subject04": 80.4,
    "hamner_subject01": 72.9,
}


@needs_mocap
@pytest.mark.parametrize("path", clips("addbio_grf/*/*.bvh"), ids=lambda p: p.stem)
def test_what_real_people_did_lies_within_human_strength(path: Path) -> None:
    subject = path.parent.name
    made = complete_character(load_clip(path).skeleton, mass_kg=MASSES_KG[subject])
    assert made.strength is not None and made.roles is not None
    text = (path.parent / f"{path.stem[len(subject) + 1 :]}_id.sto").read_text(encoding="utf-8")
    header, *rows = text.split("endheader\n")[1].splitlines()
    columns = header.split()
    values = np.array([[float(v) for v in row.split()] for row in rows])
    checked = 0
    for name, (part, positive, negative) in MOMENTS.items():
        for side in ("left", "right"):
            moments = values[:, columns.index(f"{name}_{side[0]}_moment")]
            role = f"{side}_{part}"
            limits = made.strength.limits_nm[made.skeleton.index(made.roles.joints[role])]
            for motion, largest in ((positive, moments.max()), (negative, -moments.min())):
                axis, sign = joint_motions(role)[motion]
                assert largest < abs(limits[axis, 0 if sign < 0 else 1]), (role, motion)
                checked += 1
    assert checked == 24
