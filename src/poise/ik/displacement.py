"""What an edit added to a motion, smoothed in time.

A displacement is what turns the original pose into the edited one: a vector for the root, a turn
for each joint. A low-pass filter on it leaves the original's own detail alone, and where nothing
was added, nothing changes to the last bit.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, Indices
from poise.compiled import borrowing
from poise.mechanics.quaternion_kernels import multiply


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
    half: int,
) -> tuple[Array, Array]:
    """Root positions (F, 3) and rotations (F, J, 4) with smoothed displacements.

    Args:
        original_roots_m: (F, 3)
        original_wxyz: (F, J, 4)
        roots_m: (F, 3) edited.
        wxyz: (F, J, 4) edited.
        joints: those whose turns are smoothed; the others are passed through.
        half: half-width of the window in frames: a displacement reaches no further than this. The
            ends of the clip are continued as they are.
    """
    smooth_roots, smooth = roots_m.copy(), wxyz.copy()
    turns = np.empty((len(wxyz), len(joints), 4))
    window, moved = hann_window(half), np.zeros(len(wxyz), dtype=np.int64)
    _take_turns(original_roots_m, original_wxyz, roots_m, wxyz, joints, turns, moved)
    _smooth(
        original_roots_m, original_wxyz, roots_m, joints, turns, moved, window, smooth_roots, smooth
    )
    return smooth_roots, smooth


@borrowing
def _take_turns(
    roots: Array, original: Array, edited_roots: Array, edited: Array,
    joints: Indices, turns: Array, moved: Indices,
) -> None:  # fmt: skip
    """original⁻¹ ⊗ edited, on the side of the identity; `moved` marks frames that differ at all."""
    for f in range(len(original)):
        for c in range(3):
            if roots[f, c] != edited_roots[f, c]:
                moved[f] = 1
        for k in range(len(joints)):
            a, b, t = original[f, joints[k]], edited[f, joints[k]], turns[f, k]
            if a[0] == b[0] and a[1] == b[1] and a[2] == b[2] and a[3] == b[3]:
                t[0], t[1], t[2], t[3] = 1.0, 0.0, 0.0, 0.0
                continue
            moved[f] = 1
            w, x, y, z = multiply(a[0], -a[1], -a[2], -a[3], b[0], b[1], b[2], b[3])
            s = -1.0 if w < 0.0 else 1.0
            t[0], t[1], t[2], t[3] = s * w, s * x, s * y, s * z


@borrowing
def _smooth(
    roots: Array, original: Array, edited_roots: Array, joints: Indices, turns: Array,
    moved: Indices, window: Array, out_roots: Array, out: Array,
) -> None:  # fmt: skip
    frames, half = len(original), len(window) // 2
    for f in range(frames):
        near = False
        for g in range(max(0, f - half), min(frames, f + half + 1)):
            near |= moved[g] != 0
        if not near:
            continue
        for c in range(3):
            added = 0.0
            for i in range(len(window)):
                g = min(max(f + i - half, 0), frames - 1)
                added += window[i] * (edited_roots[g, c] - roots[g, c])
            out_roots[f, c] = roots[f, c] + added if added != 0.0 else roots[f, c]
        for k in range(len(joints)):
            w, x, y, z = 0.0, 0.0, 0.0, 0.0
            for i in range(len(window)):
                t = turns[min(max(f + i - half, 0), frames - 1), k]
                w += window[i] * t[0]
                x += window[i] * t[1]
                y += window[i] * t[2]
                z += window[i] * t[3]
            a, o = original[f, joints[k]], out[f, joints[k]]
            if x == 0.0 and y == 0.0 and z == 0.0:
                for c in range(4):
                    o[c] = a[c]
                continue
            n = 1.0 / np.sqrt(w * w + x * x + y * y + z * z)
            q = multiply(a[0], a[1], a[2], a[3], w * n, x * n, y * n, z * n)
            n = 1.0 / np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
            for c in range(4):
                o[c] = q[c] * n
