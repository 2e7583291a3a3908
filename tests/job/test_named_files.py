"""Which values of a recipe are names of files."""

from __future__ import annotations

import pytest

from poise.job.named_files import names_file


@pytest.mark.parametrize(
    ("location", "value", "is_file"),
    [
        (("outputs", "contacts"), "x.csv", True),
        (("outputs", "root_motion"), "in-place", False),
        (("outputs", "layout"), "gmr", False),
        (("character", "body"), "robot.xml", True),
        (("character", "body"), "human", False),
        (("environment",), "hill.yaml", True),
        (("environment",), "suggested", False),
        (("clip", "stand_in", "set", "environment"), "made_hill.yaml", True),
        (("clip", "stand_in", "set", "correct.settings.preset"), "walk", False),
        (("about",), "file", False),
    ],
)
def test_names_of_files_are_told_from_words(
    location: tuple[str, ...], value: str, is_file: bool
) -> None:
    assert names_file(location, value) == is_file
