"""The package in examples/extension does everywhere what Poise's own entries do."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import poise
from poise.samples import walk
from tests.extensions.installed_packages import (
    EXAMPLE,
    install,
    install_module,
    run_poise,
    run_python,
)

RECIPE = (EXAMPLE / "carry.yaml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    install(EXAMPLE, folder)
    return folder


@pytest.fixture(scope="module")
def done(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the example's recipe has run."""
    folder = tmp_path_factory.mktemp("done")
    (folder / "carry.yaml").write_text(RECIPE, encoding="utf-8")
    said = run_poise(site, "run", "carry.yaml", cwd=folder).stdout
    assert "converged: Smoothed over 7 frames." in said
    assert "carry_level" in said and "converged: All constraints are met." in said
    return folder


def test_its_format_is_listed_read_and_written(site: Path, done: Path) -> None:
    listed = run_poise(site, "formats", cwd=done).stdout
    (line,) = [line for line in listed.splitlines() if line.startswith(".tsv")]
    assert "read write" in line and "(package poise-demo-extension 1.0)" in line
    assert "'# joint table 1' first" in line
    told = run_poise(site, "inspect", "level.tsv", cwd=done).stdout
    assert "joint_table" in told and "61 frames at 120 Hz" in told
    run_poise(site, "convert", "level.tsv", "level.npz", cwd=done)
    run_poise(site, "convert", "level.npz", "again.tsv", cwd=done)
    run_poise(site, "convert", "again.tsv", "again.npz", cwd=done)
    clip, again = poise.load(done / "level.npz"), poise.load(done / "again.npz")
    assert abs(clip.rotations_wxyz - again.rotations_wxyz).max() < 1e-15
    assert (clip.root_positions_m == again.root_positions_m).all()
    assert clip.skeleton.end_sites.names == again.skeleton.end_sites.names


BAD = {
    "rate\tfast\n": ":2: expected 1 numbers, found 'fast'",
    "joint\tHips\tPelvis\t0\t0\t0\n": ":2: expected the name of a joint above as the parent",
    "rate\t60\njoint\tHips\t-\t0\t0\t0\npose\t0\t0\n": ":4: expected 7 numbers",
    "rate\t60\njoint\tHips\t-\t0\t0\t0\npose\t0\t0\t0\t2\t0\t0\t0\n": "expected unit quaternions",
    "rate\t60\n": "expected a rate, joints and poses",
}


def test_its_format_says_what_is_wrong_in_a_file(site: Path, tmp_path: Path) -> None:
    for number, text in enumerate(BAD):
        path = tmp_path / f"bad{number}.tsv"
        path.write_text(f"# joint table 1\n{text}", encoding="utf-8")
    code = (
        "import poise\n"
        f"for number in range({len(BAD)}):\n"
        "    try:\n        poise.load(f'bad{number}.tsv')\n"
        "    except poise.errors.FileProblem as problem:\n        print(problem)\n"
    )
    said = run_python(site, "-c", f"import poise.errors\n{code}", cwd=tmp_path).stdout
    lines = said.splitlines()
    assert len(lines) == len(BAD)
    for line, expected in zip(lines, BAD.values(), strict=True):
        assert expected in line


def test_its_measure_is_in_tables_and_pages(site: Path, done: Path) -> None:
    told = json.loads(run_poise(site, "measure", "level.tsv", "--json", cwd=done).stdout)
    tilt = told["measures"]["hand_level.largest"]
    assert tilt["value"] < 0.1 and tilt["unit"] == "deg" and tilt["better"] == "lower"
    run_poise(site, "report", "level.tsv", "-o", "page.html", cwd=done)
    assert "Tilt of the hands, largest" in (done / "page.html").read_text(encoding="utf-8")


def test_a_batch_uses_all_of_it_in_its_workers(site: Path, tmp_path: Path) -> None:
    (tmp_path / "carry.yaml").write_text(RECIPE, encoding="utf-8")
    run_poise(site, "sample", "walk", "-o", "whole.tsv", cwd=tmp_path)
    (tmp_path / "library").mkdir()
    for name, frames in (("a", "0:40"), ("b", "40:80")):
        to = f"library/{name}.tsv"
        run_poise(site, "convert", "whole.tsv", to, "--frames", frames, cwd=tmp_path)
    run_poise(
        site, "batch", "library", "--out", "out", "--recipe", "carry.yaml", "-j", 2,
        "--set", "clip.frames=null", "--accept", cwd=tmp_path,
    )  # fmt: skip
    assert "Tilt of the hands" in (tmp_path / "out" / "library.html").read_text(encoding="utf-8")
    with (tmp_path / "out" / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert sorted(row["clip"] for row in rows) == ["a.tsv", "b.tsv"]
    assert all((tmp_path / "out" / row["clip"]).is_file() for row in rows)
    assert all(float(row["after.hand_level.largest"]) < 0.1 for row in rows)


NAMES = """
import json
from pathlib import Path
from poise.apps.studio.project import endings
from poise.constraints import CONSTRAINTS, Interval
from poise.errors import PoiseError
from poise.job import load_recipe, recipe_schema
from poise.methods import METHODS

schema = json.dumps(recipe_schema())
assert "window_s" in schema and "Seconds over which poses are averaged." in schema
assert "Distance between them; without it, as in the original" in schema
assert ".tsv" in endings()["clip"]
tray = CONSTRAINTS["carry_level"].record("tray", Interval(0, 5))
for name in METHODS:
    refused = METHODS[name].takes.refusal("carry_level", tray)
    print(name, "takes it" if refused is None else refused)
for path in sorted(Path().glob("wrong*.yaml")):
    try:
        load_recipe(path)
    except PoiseError as problem:
        print(path.stem, problem)
"""
WRONG = (
    (("carry_level", "carry_levle"), "Did you mean 'carry_level'?"),
    (("width_m: 0.45", "widht_m: 1"), "Did you mean 'width_m'?"),
    (("width_m: 0.45", "width_m: -1"), "width_m of 'tray' must be more than zero"),
    (("smooth", "smoth"), "Did you mean 'smooth'?"),
    (("0.05", "3"), "window_s must be from 0 to 2, got 3"),
)


def test_recipes_schema_and_studio_know_its_names(site: Path, tmp_path: Path) -> None:
    for number, (change, _) in enumerate(WRONG):
        text = RECIPE.replace(*change)
        (tmp_path / f"wrong{number}.yaml").write_text(text, encoding="utf-8")
    said = run_python(site, "-c", NAMES, cwd=tmp_path).stdout.splitlines()
    told = dict(line.split(" ", 1) for line in said)
    takers = {name for name, words in told.items() if words == "takes it"}
    assert takers == {"deform", "filter", "momentum"}
    assert "'tray' must be about a place or an orientation" in told["pattern"]
    for number, (_, expected) in enumerate(WRONG):
        assert f"wrong{number}.yaml:" in told[f"wrong{number}"]
        assert expected in told[f"wrong{number}"]


def test_nothing_is_imported_before_it_is_needed(tmp_path: Path) -> None:
    site = tmp_path / "site"
    for kind in ("format", "constraint", "measure", "method"):
        source = f"import sys\nprint('LOADED {kind}', file=sys.stderr)\n1 / 0"
        points = {f"poise.{kind}s": {f"a_{kind}": f"my_{kind}:A"}}
        install_module(site, f"my-{kind}", source, points)
    poise.save(walk(seconds=0.2), tmp_path / "walk.bvh")
    for words in (("--version",), ("--help",), ("correct", "--help"), ("clean",)):
        assert run_poise(site, *words, cwd=tmp_path).stderr == "", words
    (tmp_path / "clips").mkdir()
    read = "import poise; poise.load('walk.bvh')"
    assert run_python(site, "-c", read, cwd=tmp_path).stderr == ""
    said = run_poise(site, "formats", cwd=tmp_path).stderr
    assert said.splitlines() == [
        "LOADED format",
        "poise: format 'a_format' of package my-format 0.3 is left out: importing my_format:A "
        "failed: ZeroDivisionError: division by zero.",
    ]
    # All of them are broken, and Poise works.
    done = run_poise(site, "measure", "walk.bvh", cwd=tmp_path)
    assert "foot_slide.mean" in done.stdout
    assert done.stderr.count("measure 'a_measure' of package my-measure 0.3 is left out") == 1


FAULTY = """
from dataclasses import dataclass
from poise.extend import MeasureFamily, MeasureKind, Method, Result, Takes

def figure(key):
    return MeasureKind(f"broken.{key}", f"Broken {key}", "More", "deg", "lower", "of no use",
                       resolution=0.1)

def measure(series):
    return {"broken.one": 1.0}

MEASURES = MeasureFamily((figure("one"), figure("two")), measure)
ELSEWHERE = MeasureFamily((MeasureKind("foot_slide.mean", "", "More", "", "lower", "",
                          resolution=1),), measure)

@dataclass(frozen=True)
class Settings:
    how: str = "nothing"

def run(edit, settings, *, progress=None, previous=None):
    if settings.how == "shorter":
        return Result(edit.clip.sliced(0, 2), "converged", "Shorter.", None)
    return {"nothing": None}[settings.how]

METHOD = Method("careless", Settings, Takes(contacts=False), run)
"""


CARELESS = """
import poise
from poise.errors import PoiseError
from poise.job import Recipe, Step, ClipChoice
from poise.methods import METHODS

for how in ("nothing", "shorter", "other"):
    try:
        step = Step("careless", METHODS["careless"].settings(how))
        poise.run(Recipe([step], ClipChoice("walk.bvh")))
    except PoiseError as problem:
        print(how, problem)
"""


def test_measures_and_methods_that_fail_are_named(tmp_path: Path) -> None:
    site = tmp_path / "site"
    points = {
        "poise.measures": {"broken": "faulty:MEASURES", "elsewhere": "faulty:ELSEWHERE"},
        "poise.methods": {"careless": "faulty:METHOD"},
    }
    install_module(site, "faulty", FAULTY, points)
    poise.save(walk(seconds=0.3), tmp_path / "walk.bvh")
    done = run_poise(site, "measure", "walk.bvh", cwd=tmp_path)
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("broken.two")]
    assert "package faulty 0.3" in line and "KeyError: 'broken.two'" in line
    assert "'elsewhere' of package faulty 0.3 is left out: keys must be like" in done.stderr
    said = run_python(site, "-c", CARELESS, cwd=tmp_path).stdout.splitlines()
    told = dict(line.split(" ", 1) for line in said)
    for how, why in (
        ("nothing", "it gave back NoneType instead of a Result"),
        ("shorter", "it gave back 2 frames for 37 without keeps_frames=False"),
        ("other", "it raised KeyError: 'other'"),
    ):
        assert f"method 'careless' of package faulty 0.3 failed: {why}" in told[how]
