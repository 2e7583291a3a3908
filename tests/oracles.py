"""Independent judges that many tests share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Skeleton

DIFFERENCE_STEP = 1e-5
"""Central differences of a function of size one: truncation 1e-10, rounding 1e-11."""


def assert_is_derivative(
    value: Callable[[Array], Array], jacobian: Array, relative: float = 1e-7
) -> None:
    """Compare a Jacobian with central differences in the tangent.

    Args:
        value: from an increment (D,) at the pose in question to an array of any shape.
        jacobian: (that shape, D).
        relative: allowed error, over the largest entry of the Jacobian (or 1 if that is smaller).
    """
    jacobian = np.asarray(jacobian)
    size = jacobian.shape[-1]
    columns: list[Array] = []
    for direction in range(size):
        step = np.zeros(size)
        step[direction] = DIFFERENCE_STEP
        columns.append((value(step) - value(-step)) / (2 * DIFFERENCE_STEP))
    by_differences = np.stack(columns, axis=-1)
    assert by_differences.shape == jacobian.shape, (
        f"the value gives {by_differences.shape}, the code says {jacobian.shape}"
    )
    error = np.nan_to_num(np.abs(by_differences - jacobian), nan=np.inf)
    worst = np.unravel_index(int(error.argmax()), error.shape)
    row = worst[0] if len(worst) == 2 else worst[:-1]
    assert error[worst] <= relative * max(1.0, float(np.abs(by_differences).max())), (
        f"row {row}, direction {worst[-1]}: differences say {by_differences[worst]:.6g}, "
        f"the code says {jacobian[worst]:.6g}"
    )


def moved(
    skeleton: Skeleton, root_m: Array, rotations_wxyz: Array, step: Array
) -> tuple[Array, Array]:
    """One pose (3,), (J, 4) after an increment (D,) in its tangent, as Skeleton defines it."""
    turned = rotations_wxyz.copy()
    for joint, count in enumerate(skeleton.freedoms.tolist()):
        start = int(skeleton.freedom_starts[joint])
        part = step[start : start + count]
        vector = part if count == 3 else part[0] * skeleton.hinge_axes[joint] if count else None
        if vector is not None:
            turned[joint] = rotations.multiply(rotations_wxyz[joint], rotations.exp(vector))
    return root_m + step[:3], turned


def assert_close(ours: Array, theirs: Array, relative: float, what: str) -> None:
    """Largest difference over the largest entry of `theirs`, so that zeros are judged by scale."""
    assert np.shape(ours) == np.shape(theirs), f"{what}: {np.shape(ours)} and {np.shape(theirs)}"
    scale = float(np.abs(theirs).max(initial=0.0))
    error = float(np.abs(np.asarray(ours) - theirs).max(initial=0.0))
    assert error <= relative * max(scale, 1e-12), f"{what}: off by {error:.3g}, scale {scale:.3g}"
