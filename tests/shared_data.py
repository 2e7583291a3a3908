"""Where the real clips are. They are not part of the project; tests that need them say so."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("POISE_SHARED", Path(__file__).resolve().parents[2] / "shared"))
MOCAP = SHARED / "mocap"
ROBOTS = SHARED / "robots"
FOREIGN = SHARED / "foreign"

needs_mocap = pytest.mark.skipif(
    not MOCAP.is_dir(), reason=f"real clips not found: {MOCAP} (set POISE_SHARED)"
)
needs_robots = pytest.mark.skipif(
    not ROBOTS.is_dir(), reason=f"robot models not found: {ROBOTS} (set POISE_SHARED)"
)

needs_foreign = pytest.mark.skipif(
    not FOREIGN.is_dir(), reason=f"files of other makers not found: {FOREIGN} (set POISE_SHARED)"
)


def clips(pattern: str) -> list[Path]:
    """Real clips by glob under the mocap folder; empty when the folder is absent."""
    return sorted(MOCAP.glob(pattern)) if MOCAP.is_dir() else []
