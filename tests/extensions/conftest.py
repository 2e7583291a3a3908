"""Where packages are installed that extend Poise, for a test."""

from __future__ import annotations

import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from poise.constraints import CONSTRAINTS
from poise.extensions import Extended, installed
from poise.formats import FORMATS
from poise.methods import METHODS

TABLES: tuple[Extended[Any], ...] = (FORMATS, CONSTRAINTS, METHODS)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """A folder that Python looks for packages in; what a test installs there is gone after it."""
    folder = tmp_path / "site"
    folder.mkdir()
    modules = set(sys.modules)
    monkeypatch.syspath_prepend(folder)
    for table in TABLES:
        monkeypatch.setattr(table, "_loaded", {})
    installed.cache_clear()
    yield folder
    installed.cache_clear()
    for name in set(sys.modules) - modules:
        file = getattr(sys.modules[name], "__file__", None) or ""
        if file.startswith(str(folder)):
            del sys.modules[name]
