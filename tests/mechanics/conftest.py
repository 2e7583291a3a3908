"""Fixtures of the mechanics tests."""

from __future__ import annotations

import pytest

from poise import sharing


@pytest.fixture
def three_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every call is shared among three threads, however small it is and whatever the machine."""
    monkeypatch.setattr(sharing, "_WORTH_SHARING_NS", 0)
    monkeypatch.setattr(sharing, "core_count", lambda: 3)
    monkeypatch.setattr(sharing, "_pools", {})
