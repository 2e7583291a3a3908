"""Ranges of joints that hold a motion which goes beyond them."""

from __future__ import annotations

from poise.arrays import Array
from poise.compiled import borrowing
from poise.ik.limits import limited_numbers
from poise.ik.packed import Blocks, Limits


def widened(
    limits: Limits, blocks: Blocks, rotations_wxyz: Array, slack_rad: Array | None = None
) -> Limits:
    """Limits that hold a motion: where it goes further, that is how far joints may turn.

    Args:
        limits: of the joints.
        blocks: the unknowns.
        rotations_wxyz: (F, J, 4) the motion.
        slack_rad: (J,) by how much more each joint may turn.
    """
    low, high = limits.low.copy(), limits.high.copy()
    _widen(limits, blocks, rotations_wxyz, low, high)
    if slack_rad is not None:
        slack = slack_rad[blocks.joint[limits.block]][:, None]
        low, high = low - slack, high + slack
    return limits._replace(low=low, high=high)


@borrowing
def _widen(limits: Limits, blocks: Blocks, locals_: Array, low: Array, high: Array) -> None:
    for f in range(len(locals_)):
        for l in range(len(limits.block)):
            q = locals_[f, blocks.joint[limits.block[l]]]
            n = limited_numbers(limits, l, q[0], q[1], q[2], q[3])
            for c in range(3):
                low[l, c], high[l, c] = min(low[l, c], n[c]), max(high[l, c], n[c])
