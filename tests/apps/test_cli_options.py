"""Options that commands take as records: declared once, shown to Typer one by one."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from poise.apps.cli.clip_options import ClipOptions
from poise.apps.cli.options import RunOptions, taking_records
from poise.errors import BadValue, FileProblem, PoiseError
from poise.job import AS_IT_IS, RecipeProblem, load_recipe, question


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


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder where the user stands."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """A recipe in another folder than the user's."""
    folder = tmp_path / "recipes"
    folder.mkdir()
    path = folder / "edit.yaml"
    path.write_text(
        "poise: 1\n"
        "clip: {file: walk.bvh, unit: m, frames: [3, 9]}\n"
        "character: {mass_kg: 60, sex: male}\n"
        "environment: hall.yaml\n"
        "outputs: {clip: out.bvh}\n"
        "steps: [{correct: {contacts: known.csv}}]\n"
    )
    return path


def test_the_fields_of_a_record_stand_where_it_does() -> None:
    assert list(signature(added).parameters) == ["start", "left", "right", "twice"]
    app = typer.Typer()
    app.command()(added)
    for words, result in ((["3"], "6"), (["3", "--right", "5", "--twice"], "18")):
        assert CliRunner().invoke(app, words).output.strip() == result


def test_options_become_a_recipe_without_steps(here: Path) -> None:
    read = ClipOptions(
        unit="cm", up="z", skeleton=Path("a.asf"), rate=60.0, animation="walk", frames="10:",
        clean="none", environment=Path("hill.yaml"), mass=70.0, sex="female",
        roles=Path("roles.yaml"),
    )  # fmt: skip
    asked = read.question()
    assert asked.steps == () and asked.environment == str(here / "hill.yaml")
    assert asked.clip.clean is False and asked.clip.capture_rate_hz == 60.0
    assert (asked.clip.unit, asked.clip.up) == ("cm", "z")
    assert asked.clip.skeleton == str(here / "a.asf")
    assert (asked.clip.animation, asked.clip.frames) == ("walk", "10:")
    assert asked.character.mass_kg == 70.0 and asked.character.sex == "female"
    assert asked.character.roles == str(here / "roles.yaml")
    assert asked.character.ranges == "none"


def test_options_come_before_the_recipe_and_set_before_both(here: Path, recipe: Path) -> None:
    read = ClipOptions(unit="cm", frames="20:30", mass=70.0, environment=Path("hill.yaml"))
    run = RunOptions(set_=["character.mass_kg=75"])
    made = load_recipe(recipe, changes=run.changes(read))
    assert (made.clip.unit, made.clip.frames) == ("cm", "20:30")
    assert made.character.mass_kg == 75.0 and made.character.sex == "male"
    assert made.environment == str(here / "hill.yaml")
    assert made.clip.file == "walk.bvh"  # as the recipe has it, beside itself


def test_files_of_set_are_seen_from_the_current_folder(here: Path, recipe: Path) -> None:
    changes = (
        "clip.file=other.bvh", "clip.skeleton=a.asf", "character.to=robot.xml",
        "character.roles=roles.yaml", "environment=place.obj", "outputs.contacts=x.csv",
        "outputs.report=sub/x.html", "correct.contacts=mine.csv",
    )  # fmt: skip
    made = load_recipe(recipe, changes=RunOptions(set_=list(changes)).changes(ClipOptions()))
    assert made.clip.file == str(here / "other.bvh")
    assert made.clip.skeleton == str(here / "a.asf")
    assert made.character.to == str(here / "robot.xml")
    assert made.character.roles == str(here / "roles.yaml")
    assert made.environment == str(here / "place.obj")
    assert made.outputs.contacts == str(here / "x.csv")
    assert made.outputs.report == str(here / "sub" / "x.html")
    assert made.steps[0].contacts == str(here / "mine.csv")
    assert made.outputs.clip == "out.bvh"


def test_words_that_are_no_files_stay_words(here: Path, recipe: Path) -> None:
    changes = ("environment=suggested", "outputs.layout=gmr", "clip.sample=walk", "clip.file=")
    made = load_recipe(recipe, changes=changes)
    assert (made.environment, made.outputs.layout) == ("suggested", "gmr")
    assert (made.clip.sample, made.clip.file) == ("walk", None)
    inside = "environment={parts: [{file: chair.obj, unit: cm}]}"
    place = load_recipe(recipe, changes=[inside]).environment
    assert isinstance(place, dict)
    assert place["parts"][0] == {"file": str(here / "chair.obj"), "unit": "cm"}


def test_a_body_file_is_what_a_recipe_says_of_the_character(here: Path, recipe: Path) -> None:
    (here / "cast").mkdir()
    (here / "cast" / "actor.yaml").write_text("mass_kg: 81\nroles: actor_roles.yaml\n")
    read = ClipOptions(body=Path("cast/actor.yaml"))
    made = load_recipe(recipe, changes=read.changes())
    assert (made.character.mass_kg, made.character.sex) == (81.0, "male")
    assert made.character.roles == str(here / "cast" / "actor_roles.yaml")
    lighter = ClipOptions(body=Path("cast/actor.yaml"), mass=50.0)
    assert lighter.question().character.mass_kg == 50.0


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("actor.yaml", "mass_kg: heavy\n", "--body actor.yaml, line 1: .*mass_kg"),
        ("actor.yaml", "sex: male\nmas_kg: 3\n", "--body actor.yaml, line 2: .*'mass_kg'"),
        ("actor.yaml", "- 3\n", "a body: keys of 'character'"),
        ("actor.yaml", "mass_kg: 3\nmass_kg: 4\n", "actor.yaml:2: "),
        ("actor.yaml", "to: other.bvh\n", "body must be of the clip's own build"),
    ],
)
def test_a_body_file_that_is_none_is_refused(here: Path, name: str, text: str, words: str) -> None:
    (here / name).write_text(text)
    with pytest.raises(PoiseError, match=words):
        ClipOptions(body=Path(name)).question()


@pytest.mark.parametrize("mass", [0.0, -3.0, 1e6, float("nan")])
def test_a_mass_that_no_body_has_is_refused(mass: float) -> None:
    with pytest.raises(RecipeProblem, match=r"--mass .*mass_kg"):
        ClipOptions(mass=mass).question()


@pytest.mark.parametrize(
    ("read", "words"),
    [
        (ClipOptions(fix_rate=True, keep_rate=True), "--fix-rate must be left out"),
        (
            ClipOptions(suggest_surfaces=True, environment=Path("a.yaml")),
            "--suggest-surfaces must be left out",
        ),
        (ClipOptions(frames="ten"), "frames must be START:STOP"),
        (ClipOptions(up="x"), "--up x: .*'y' or 'z'"),
        (ClipOptions(clean="t-pos"), "Did you mean 't-pose'"),
        (ClipOptions(soles="glued"), "--soles glued"),
        (ClipOptions(table="dempster"), "--table dempster"),
        (ClipOptions(body=Path("nowhere.yaml")), "nowhere.yaml"),
    ],
)
def test_options_that_make_no_sense_are_refused(read: ClipOptions, words: str) -> None:
    with pytest.raises((BadValue, FileProblem, RecipeProblem), match=words):
        read.question()


def test_nothing_asked_for_changes_nothing() -> None:
    assert ClipOptions().changes() == [] and question() == ClipOptions().question() == AS_IT_IS
    assert question(["clip.clean=true"]) == AS_IT_IS


def test_converting_needs_no_methods() -> None:
    """Whoever converts a thousand files does not wait a thousand times for what solves them."""
    code = (
        "import sys; sys.argv = ['poise', 'convert', 'nowhere.bvh', 'to.bvh', '--frames', '1:2']\n"
        "from poise.apps.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "assert not {'poise.job', 'poise.methods', 'numba'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
