"""Options that commands take as records: declared once, shown to Typer one by one."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from poise.apps.cli.options import BodyOptions, FileOptions, asked_of, taking_records
from poise.errors import BadValue


@dataclass(frozen=True)
class Pair:
    left: Annotated[int, typer.Option(help="One.")] = 1
    right: Annotated[int, typer.Option(help="Other.")] = 2


NOTHING = Pair()


@taking_records
def added(
    start: Annotated[int, typer.Argument(help="From.")],
    pair: Pair = NOTHING,
    twice: Annotated[bool, typer.Option("--twice")] = False,
) -> None:
    """Add up."""
    print((start + pair.left + pair.right) * (2 if twice else 1))


def test_the_fields_of_a_record_stand_where_it_does() -> None:
    assert list(signature(added).parameters) == ["start", "left", "right", "twice"]
    app = typer.Typer()
    app.command()(added)
    for words, result in ((["3"], "6"), (["3", "--right", "5", "--twice"], "18")):
        assert CliRunner().invoke(app, words).output.strip() == result


def test_options_become_a_recipe_without_steps() -> None:
    body = BodyOptions(mass=70.0, sex="female", clean=False, roles=Path("roles.yaml"))
    file = FileOptions("cm", "z", Path("a.asf"), 60.0, "walk")
    asked = asked_of(Path("walk.amc"), Path("hill.yaml"), body, file)
    assert asked.steps == () and asked.environment == "hill.yaml"
    assert asked.clip.clean is False and asked.clip.capture_rate_hz == 60.0
    assert (asked.clip.unit, asked.clip.up, asked.clip.skeleton) == ("cm", "z", "a.asf")
    assert asked.character.mass_kg == 70.0 and asked.character.roles == "roles.yaml"
    assert asked.character.ranges == "none"


def test_every_option_of_a_file_reaches_its_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("poise.formats.load_clip", lambda path, **options: (path, options))
    read = FileOptions("cm", "z", Path("a.asf"), 60.0, "walk").read(Path("walk.amc"))
    wanted = {"unit": "cm", "up": "z", "skeleton": Path("a.asf"), "rate_hz": 60.0}
    assert read == (Path("walk.amc"), {**wanted, "animation": "walk"})


@pytest.mark.parametrize("mass", [0.0, -3.0, 1e6, float("nan")])
def test_a_mass_that_no_body_has_is_refused(mass: float) -> None:
    with pytest.raises(BadValue, match="the body's mass must be a number of kg"):
        asked_of(Path("walk.bvh"), None, BodyOptions(mass=mass), FileOptions())


def test_a_rate_is_for_files_that_state_none() -> None:
    with pytest.raises(BadValue, match=r"rate_hz must be left out: only \.amc files take"):
        asked_of(Path("walk.bvh"), None, BodyOptions(), FileOptions(rate=60.0))
