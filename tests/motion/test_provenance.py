"""Provenance: the same facts for the same clip, and no directory of anybody's machine."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest

import poise
from poise.motion.clip import provenance_of
from tests.formats.made_clips import rich_clip


@pytest.mark.parametrize(
    "path", ["walk.bvh", "/home/me/walk.bvh", "C:\\me\\walk.bvh", "a\\b/walk.bvh"]
)
def test_only_the_file_name_is_told(path: str) -> None:
    clip = rich_clip()
    assert clip.source is not None
    made = provenance_of(replace(clip, source=replace(clip.source, path=path)))
    assert made.source_path == "walk.bvh"
    assert made.source_sha256 == clip.source.sha256


def test_a_recipe_is_hashed_by_its_bytes_and_else_the_steps_are() -> None:
    clip = rich_clip()
    recipe = b"clip: walk.bvh\n"
    assert provenance_of(clip, recipe).recipe_sha256 == hashlib.sha256(recipe).hexdigest()
    assert provenance_of(clip).recipe_sha256 != provenance_of(clip.noted("More.")).recipe_sha256
    assert provenance_of(clip) == provenance_of(rich_clip())


def test_it_is_plain_json() -> None:
    made = provenance_of(replace(rich_clip(), source=None))
    told = json.loads(made.as_json())
    assert told == made.as_dict()
    assert told["version"] == poise.__version__
    assert (told["source_path"], told["source_sha256"]) == ("", "")
    assert told["steps"] == ["Trimmed to 0:40.", "Größe kept."]
