"""What an edit added to a motion, smoothed in time.

A displacement is what turns the original pose into the edited one: a vector for the root, a turn
for each joint. A low-pass filter on it leaves the original's own detail alone, and where nothing
was added, nothing changes to the last bit.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, Indices
from poise.compiled import borrowing
from poise.mechanics import multiply, normalized


def hann_window(half: int) -> Array:
    """(2·half + 1,) weights that sum to one."""
    window = np.hanning(2 * half + 3)[1:-1]
    return window / window.sum()


def smooth_displacements(
    original_roots_m: Array,
    original_wxyz: Array,
    roots_m: Array,
    wxyz: Array,
    joints: Indices,
    halves: Indices,
) -> tuple[Array, Array]:
    """Root positions (F, 3) and rotations (F, J, 4) with smoothed displacements.

    Args:
        original_roots_m: (F, 3)
        original_wxyz: (F, J, 4)
        roots_m: (F, 3) edited.
        wxyz: (F, J, 4) edited.
        joints: those whose turns are smoothed; the others are passed through.
        halves: (F, 1 + number of joints) half-width of the windows in frames, of the root's place
            and of the joints' turns: no displacement further away counts, and what has zero stays
            as edited. The ends of the clip are continued as they are.
    """
    smooth_roots, smooth = roots_m.copy(), wxyz.copy()
    turns = np.empty((len(wxyz), len(joints), 4))
    moved = np.zeros(len(wxyz), dtype=np.int64)
    windows = np.zeros((int(halves.max()) + 1, 2 * int(halves.max()) + 1))
    for half in set(halves.ravel().tolist()):
        windows[half, : 2 * half + 1] = hann_window(half)
    _take_turns(original_roots_m, original_wxyz, roots_m, wxyz, joints, turns, moved)
    _smooth(
        original_roots_m, original_wxyz, roots_m, joints, turns, moved, halves, windows,
        smooth_roots, smooth,
    )  # fmt: skip
    return smooth_roots, smooth


@borrowing
def _take_turns(
    roots: Array, original: Array, edited_roots: Array, edited: Array,
    joints: Indices, turns: Array, moved: Indices,
) -> None:  # fmt: skip
    """original⁻¹ ⊗ edited, on the side of the frame before; `moved` marks frames that differ."""
    for f in range(len(original)):
        for c in range(3):
            if roots[f, c] != edited_roots[f, c]:
                moved[f] = 1
        for k in range(len(joints)):
            a, b, t = original[f, joints[k]], edited[f, joints[k]], turns[f, k]
            w, x, y, z = 1.0, 0.0, 0.0, 0.0
            if not (a[0] == b[0] and a[1] == b[1] and a[2] == b[2] and a[3] == b[3]):
                moved[f] = 1
                w, x, y, z = multiply(a[0], -a[1], -a[2], -a[3], b[0], b[1], b[2], b[3])
            # Both signs are the same turn; neighbours of opposite signs would cancel out.
            side = w
            if f > 0:
                p = turns[f - 1, k]
                side = w * p[0] + x * p[1] + y * p[2] + z * p[3]
            s = -1.0 if side < 0.0 else 1.0
            t[0], t[1], t[2], t[3] = s * w, s * x, s * y, s * z


@borrowing
def _smooth(
    roots: Array, original: Array, edited_roots: Array, joints: Indices, turns: Array,
    moved: Indices, halves: Indices, windows: Array, out_roots: Array, out: Array,
) -> None:  # fmt: skip
    frames = len(original)
    for f in range(frames):
        widest = 0
        for k in range(1 + len(joints)):
            widest = max(widest, halves[f, k])
        near = False
        for g in range(max(0, f - widest), min(frames, f + widest + 1)):
            near |= moved[g] != 0
        if not near:
            continue
        half, window = halves[f, 0], windows[halves[f, 0]]
        for c in range(3 if half > 0 else 0):
            added = 0.0
            for i in range(2 * half + 1):
                g = min(max(f + i - half, 0), frames - 1)
                added += window[i] * (edited_roots[g, c] - roots[g, c])
            out_roots[f, c] = roots[f, c] + added if added != 0.0 else roots[f, c]
        for k in range(len(joints)):
            half, window = halves[f, 1 + k], windows[halves[f, 1 + k]]
            if half == 0:
                continue
            w, x, y, z = 0.0, 0.0, 0.0, 0.0
            for i in range(2 * half + 1):
                t = turns[min(max(f + i - half, 0), frames - 1), k]
                w += window[i] * t[0]
                x += window[i] * t[1]
                y += window[i] * t[2]
                z += window[i] * t[3]
            a, o = original[f, joints[k]], out[f, joints[k]]
            n = np.sqrt(w * w + x * x + y * y + z * z)
            if (x == 0.0 and y == 0.0 and z == 0.0) or n == 0.0:
                for c in range(4):
                    o[c] = a[c]
                continue
            n = 1.0 / n
            q = multiply(a[0], a[1], a[2], a[3], w * n, x * n, y * n, z * n)
            o[0], o[1], o[2], o[3] = normalized(q[0], q[1], q[2], q[3])
