"""The folders of this user in which Poise keeps things between runs; `poise clean` lists them."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """For what can be made again: compiled kernels."""
    if os.name == "nt":
        return _local_app_data() / "poise" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "poise"
    return _xdg("XDG_CACHE_HOME", ".cache") / "poise"


def state_folder() -> Path:
    """For what a program remembers: where a folder's studio was last."""
    if os.name == "nt":
        return _local_app_data() / "poise" / "state"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "poise"
    return _xdg("XDG_STATE_HOME", ".local/state") / "poise"


def _local_app_data() -> Path:
    return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")


def _xdg(variable: str, usual: str) -> Path:
    """A folder of the XDG base directory specification, in which relative paths do not count."""
    told = os.environ.get(variable, "")
    return Path(told) if os.path.isabs(told) else Path.home() / usual
