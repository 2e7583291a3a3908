"""Recipes for one second of walking, and pages that have it open."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from tests.apps.studio.running_server import Page, Said, Studio

ACROSS = {"poise": 1, "clip": {"file": "short.bvh"}, "environment": {"ground": {"height_m": 0}}}


def recipe(*constraints: Any, **others: Any) -> dict[str, Any]:
    """A recipe of one step."""
    return {**deepcopy(ACROSS), "steps": [{"deform": {"constraints": list(constraints)}}], **others}


def wrist(up_m: float, name: str = "hand", **others: Any) -> dict[str, Any]:
    """The right wrist higher, for a while."""
    held = {
        "name": name, "point": "right_wrist", "mode": "offset", "place_m": [0.0, up_m, 0.0],
        "frames": [8, 20], "ease": 4, **others,
    }  # fmt: skip
    return {"hold_point": held}


@contextlib.contextmanager
def opened(studio: Studio) -> Iterator[tuple[Page, Said]]:
    """A page with a new document of one second of walking."""
    with studio.page() as page:
        yield page, page.open("open_file", path="short.yaml")
