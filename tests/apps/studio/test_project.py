"""Nothing outside of the project folder is read or written."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from poise.apps.studio.project import Project
from poise.errors import FileProblem
from tests.apps.studio.running_server import Page, Said, Studio, files_below

LEADS_OUT = [
    "../outside/secret.bvh", "a/../../outside/secret.bvh", "{outside}/secret.bvh",
    "link/secret.bvh", "link.bvh", "/etc/hostname.bvh", "", ".", "./", "..", "a/..",
    "short.bvh\0", "\0", "a\0/../../outside/secret.bvh", "short.bvh/../../outside/secret.bvh",
]  # fmt: skip
"""Names of what is not a file of the project; {outside} is a folder beside it."""


@pytest.fixture(scope="module", autouse=True)
def links(studio: Studio) -> None:
    outside = studio.folder.parent / "outside"
    (studio.folder / "link").symlink_to(outside)
    (studio.folder / "link.bvh").symlink_to(outside / "secret.bvh")
    (studio.folder / "loop.bvh").symlink_to(studio.folder / "loop.bvh")
    (outside / "place.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 0 1\nv 0 1 0\nf 1 2 3\nf 1 2 4\n")
    (outside / "place.yaml").write_text("ground: {height_m: -0.5}\n")
    (outside / "heights.csv").write_text("0,0\n0,0\n")
    (outside / "roles.yaml").write_text("left_knee: LeftLeg\n")
    (outside / "mapping.yaml").write_text("{}\n")
    (outside / "contacts.csv").write_text("frame,left_foot\n0,1\n")
    shutil.copy(outside / "place.obj", studio.folder / "place.obj")


@pytest.fixture
def outside(studio: Studio) -> Iterator[Path]:
    """Of which nothing is changed."""
    folder = studio.folder.parent / "outside"

    def content() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    before, beside = content(), files_below(folder.parent)
    yield folder
    assert content() == before
    left = {name for name in files_below(folder.parent) if not name.startswith("project/")}
    assert left == {name for name in beside if not name.startswith("project/")}


@pytest.fixture(scope="module")
def shared(studio: Studio) -> Iterator[Page]:
    """A page with a document that nobody changes."""
    with studio.page() as page:
        page.open("open_file", path="short.yaml")
        yield page


def named(name: str, outside: Path) -> str:
    return name.replace("{outside}", str(outside))


@pytest.mark.parametrize("name", LEADS_OUT)
def test_a_name_that_leads_out_has_no_path(studio: Studio, outside: Path, name: str) -> None:
    with pytest.raises(FileProblem) as refused:
        Project(studio.folder).path(named(name, outside))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", LEADS_OUT)
def test_files_outside_are_not_opened(page: Page, outside: Path, name: str) -> None:
    heard = page.open("open_file", path=named(name, outside))
    assert [each.kind for each in heard] == ["problem"] and heard[0].about == "open_file"
    page.open("open_file", path="short.bvh")  # and the page is none the worse


@pytest.mark.parametrize("name", ["~/secret.bvh", "..\\outside\\secret.bvh", "C:\\secret.bvh"])
def test_names_that_mean_something_elsewhere_are_only_names(page: Page, name: str) -> None:
    assert page.open("open_file", path=name)[-1].kind == "problem"


SAVED_OUT = [
    *(name for name in LEADS_OUT if name.endswith("secret.bvh")), "link.bvh", "../new.bvh",
    "../new.yaml", "../new.html", "{outside}/new.yaml", "link/new.html", "a/../../new.npz",
]  # fmt: skip


@pytest.mark.parametrize("name", SAVED_OUT)
def test_nothing_is_saved_outside(shared: Page, outside: Path, name: str) -> None:
    heard = shared.ask("save_file", path=named(name, outside), overwrite=True)
    assert heard.last("problem").about == "save_file" and not heard.all("saved")


@pytest.mark.parametrize("name", ["~/new.bvh", "..\\new.bvh", "C:\\new.bvh", "CON.bvh"])
def test_odd_names_are_saved_inside_or_not_at_all(
    studio: Studio, shared: Page, outside: Path, name: str
) -> None:
    shared.ask("save_file", path=name)
    for path in studio.folder.iterdir():
        if path.name.startswith(("~", "..", "C:", "CON")):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert not (Path.home() / "new.bvh").exists()


def test_a_link_that_leads_to_itself_is_said(page: Page) -> None:
    assert page.open("open_file", path="loop.bvh")[-1].kind == "problem"


TOO_LONG = pytest.param("a" * 300 + ".bvh", id="too long")


@pytest.mark.parametrize("name", ["nothing.bvh", "short.txt", "short", TOO_LONG])
def test_what_cannot_be_opened_is_said(page: Page, name: str) -> None:
    heard = page.open("open_file", path=name)
    assert [each.kind for each in heard] == ["problem"] and len(heard[0].lines) == 1


def test_a_folder_is_not_opened(studio: Studio, page: Page) -> None:
    for name in ("folder.bvh", "folder.yaml"):
        (studio.folder / name).mkdir()
        try:
            assert page.open("open_file", path=name)[-1].kind == "problem"
        finally:
            (studio.folder / name).rmdir()


@pytest.mark.parametrize("name", ["folder.bvh", "short.bvh/a.bvh", TOO_LONG])
def test_what_cannot_be_written_is_said(studio: Studio, shared: Page, name: str) -> None:
    (studio.folder / "folder.bvh").mkdir()
    try:
        heard = shared.ask("save_file", path=name, overwrite=True)
    finally:
        (studio.folder / "folder.bvh").rmdir()
    assert heard.last("problem").about == "save_file"


def test_a_file_is_not_written_over_unasked(studio: Studio, shared: Page) -> None:
    (studio.folder / "older.bvh").write_text("older")
    heard = shared.ask("save_file", path="older.bvh")
    assert "overwrite" in heard.problem_lines()[0][1].lower()
    assert (studio.folder / "older.bvh").read_text() == "older"


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_a_document_is_made_from_is_not_written_over(
    studio: Studio, shared: Page, overwrite: bool
) -> None:
    before = (studio.folder / "short.bvh").read_bytes()
    heard = shared.ask("save_file", path="short.bvh", overwrite=overwrite)
    assert "made from" in heard.problem_lines()[0][1]
    assert (studio.folder / "short.bvh").read_bytes() == before


@pytest.mark.parametrize("name", ["x.txt", "x", "x.json", "x.py", ".bvh"])
def test_other_kinds_of_files_are_not_written(studio: Studio, shared: Page, name: str) -> None:
    heard = shared.ask("save_file", path=name)
    assert heard.all("problem") and not (studio.folder / name).exists()


# What recipes name.

START: dict[str, Any] = {"poise": 1, "clip": {"file": "short.bvh"}, "steps": [{"deform": {}}]}


def with_value(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    recipe = deepcopy(START)
    here: Any = recipe
    for part in path[:-1]:
        here = here[part] if isinstance(here, list) else here.setdefault(part, {})
    here[path[-1]] = value
    return recipe


OUT = "../outside/"
NAMES_A_FILE: dict[str, dict[str, Any]] = {
    "clip": with_value(("clip",), OUT + "secret.bvh"),
    "clip.file": with_value(("clip", "file"), OUT + "secret.bvh"),
    "clip.skeleton": with_value(("clip", "skeleton"), OUT + "secret.bvh"),
    "character.to": with_value(("character", "to"), OUT + "secret.bvh"),
    "character.roles": with_value(("character", "roles"), OUT + "roles.yaml"),
    "environment, a mesh": with_value(("environment",), OUT + "place.obj"),
    "environment, a place": with_value(("environment",), OUT + "place.yaml"),
    "environment.parts": with_value(("environment", "parts"), [{"file": OUT + "place.obj"}]),
    "environment.height_field": with_value(
        ("environment", "height_field"), {"file": OUT + "heights.csv", "spacing_m": [1, 1]}
    ),
    "contacts": with_value(("steps", 0, "deform"), {"contacts": OUT + "contacts.csv"}),
    "pattern": with_value(("steps", 0), {"pattern": {"pattern": OUT + "pattern.npz"}}),
    "values of a stand-in": with_value(
        ("clip",),
        {
            "file": "missing.bvh",
            "stand_in": {"sample": "squat", "set": {"deform.contacts": OUT + "contacts.csv"}},
        },
    ),
    "character.mapping": {
        **with_value(("character",), {"to": "short.bvh", "mapping": OUT + "mapping.yaml"}),
        "steps": [{"retarget": {}}],
    },
}


def is_refused(heard: Said) -> bool:
    said = heard.problem_lines()
    return bool(said) and any("project folder" in text for _, text in said)


@pytest.mark.parametrize("where", NAMES_A_FILE)
def test_recipes_name_no_files_outside(shared: Page, outside: Path, where: str) -> None:
    heard = shared.edit(NAMES_A_FILE[where])
    assert is_refused(heard), heard.problem_lines()
    assert heard.state.undo == ""


@pytest.mark.parametrize("where", ["clip.file", "environment, a mesh", "contacts"])
@pytest.mark.parametrize("name", ["{outside}/secret.bvh", "link/secret.bvh", "link.bvh", "a\0b"])
def test_recipes_do_not_lead_out_by_other_ways(
    shared: Page, outside: Path, where: str, name: str
) -> None:
    recipe = json.loads(
        json.dumps(NAMES_A_FILE[where])
        .replace("../outside/secret.bvh", "@").replace("../outside/place.obj", "@")
        .replace("../outside/contacts.csv", "@")
        .replace('"@"', json.dumps(named(name, outside)))
    )  # fmt: skip
    heard = shared.edit(recipe)
    assert is_refused(heard), heard.problem_lines()
    assert heard.state.undo == ""


@pytest.mark.parametrize("where", NAMES_A_FILE)
def test_drags_name_no_files_outside(shared: Page, outside: Path, where: str) -> None:
    heard = shared.ask("begin_drag", recipe=NAMES_A_FILE[where], number=1)
    assert is_refused(heard) and not heard.all("motion"), heard.problem_lines()


@pytest.mark.parametrize("where", NAMES_A_FILE)
def test_recipes_that_are_opened_name_no_files_outside(
    studio: Studio, page: Page, outside: Path, where: str
) -> None:
    (studio.folder / "theirs.yaml").write_text(json.dumps(NAMES_A_FILE[where]), encoding="utf-8")
    heard = page.open("open_file", path="theirs.yaml")
    assert is_refused(heard) and not heard.all("motion"), heard.problem_lines()


def test_places_of_the_folder_name_no_files_outside(
    studio: Studio, page: Page, outside: Path
) -> None:
    (studio.folder / "place.yaml").write_text("parts: [{file: ../outside/place.obj}]\n")
    page.open("open_file", path="short.bvh")
    heard = page.edit({**START, "environment": "place.yaml"})
    assert is_refused(heard), heard.problem_lines()


def test_robots_of_the_folder_take_in_no_files_outside(
    studio: Studio, page: Page, outside: Path
) -> None:
    pytest.importorskip("mujoco")
    body = "<worldbody><body><geom size='1'/></body></worldbody>"
    for name in ("../outside/roles.yaml", "..&#47;outside/roles.yaml"):
        taken = f"<mujoco><include file='{name}'/>{body}</mujoco>"
        (studio.folder / "robot.xml").write_text(taken)
        page.open("open_file", path="short.bvh")
        onto = {**START, "character": {"to": "robot.xml"}, "steps": [{"retarget": {}}]}
        heard = page.edit(onto)
        assert is_refused(heard), heard.problem_lines()


def test_a_file_of_the_folder_may_be_named(page: Page) -> None:
    page.open("open_file", path="short.bvh")
    heard = page.edit({**START, "environment": "place.obj"})
    assert heard.problem_lines() == [] and heard.state.recipe["environment"] == "place.obj"


def test_a_place_that_is_written_out_may_name_a_file_of_the_folder(page: Page) -> None:
    page.open("open_file", path="short.bvh")
    heard = page.edit({**START, "environment": {"parts": [{"file": "place.obj"}]}})
    assert heard.problem_lines() == []


def test_a_place_that_is_written_out_names_no_file_beside_the_folder(
    page: Page, outside: Path
) -> None:
    page.open("open_file", path="short.bvh")
    heard = page.edit({**START, "environment": {"parts": [{"file": "outside/place.obj"}]}})
    assert heard.problem_lines() and heard.state.undo == ""


def test_places_are_told_from_recipes(studio: Studio, page: Page) -> None:
    (studio.folder / "stairs.yaml").write_text(
        "# made by hand\nparts: [{stairs: {step_count: 3}}]\n"
    )
    page.send("ask_files")
    kinds = {each["path"]: each["what"] for each in page.until("files")[-1].files}
    assert kinds["stairs.yaml"] == "place" and kinds["short.yaml"] == "recipe"


def test_what_lies_in_hidden_folders_is_not_listed(page: Page) -> None:
    page.send("ask_files")
    files = page.until("files")[-1]
    listed = {each["path"]: each["what"] for each in files.files}
    assert listed["short.bvh"] == "clip" and listed["place.obj"] == "place"
    assert listed["short.yaml"] == "recipe"
    assert not [name for name in listed if name.startswith(".")]
    assert not [name for name in listed if name.startswith("link/")]
