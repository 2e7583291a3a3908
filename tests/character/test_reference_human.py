"""The reference human: 54 degrees of freedom, as documented, and a whole body."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character.roles import JOINT_ROLES
from poise.errors import BadValue
from tests.character.reference_human import reference_human


def test_it_has_54_degrees_of_freedom() -> None:
    skeleton = reference_human().skeleton
    assert skeleton.tangent_size == 54
    assert skeleton.kinds.count("ball") == 15, "the root and fourteen more"
    hinges = {n for n, k in zip(skeleton.joint_names, skeleton.kinds, strict=True) if k == "hinge"}
    assert hinges == {f"{s}_{p}" for s in ("left", "right") for p in ("elbow", "knee", "toe")}
    assert set(skeleton.joint_names) == set(JOINT_ROLES)


def test_it_is_whole() -> None:
    human = reference_human(1.75, 70.0)
    assert human.body is not None and human.ranges is not None and human.strength is not None
    assert human.roles is not None
    assert human.body.total_mass_kg == pytest.approx(70.0)
    assert all(human.roles.joint(name) == name for name in human.skeleton.joint_names)
    assert human.ranges.excess(human.skeleton.rest_wxyz).max() == 0.0
    np.testing.assert_allclose(human.roles.forward, [0, 0, 1], atol=1e-9)


def test_it_mirrors_and_scales() -> None:
    small, tall = reference_human(1.5), reference_human(1.8)
    np.testing.assert_allclose(tall.skeleton.offsets_m, 1.2 * small.skeleton.offsets_m)
    assert small.body is not None and tall.body is not None
    np.testing.assert_allclose(tall.body.centers_m, 1.2 * small.body.centers_m, atol=1e-12)
    np.testing.assert_allclose(
        tall.body.inertias_kg_m2, 1.44 * small.body.inertias_kg_m2, atol=1e-12
    )
    left = [j for j, n in enumerate(tall.skeleton.joint_names) if n.startswith("left_")]
    right = [tall.skeleton.index("right_" + tall.skeleton.joint_names[j][5:]) for j in left]
    mirror = np.array([-1, 1, 1])
    np.testing.assert_allclose(
        tall.body.centers_m[left] * mirror, tall.body.centers_m[right], atol=1e-12
    )


def test_a_human_without_height_is_refused() -> None:
    with pytest.raises(BadValue, match="stature_m"):
        reference_human(0.0)
