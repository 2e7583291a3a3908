"""Work survives: a server that is killed, files that are torn, and more edits than are kept."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from poise.apps.studio.history import FILE, History
from poise.apps.studio.old_history import OLD_FILE
from tests.apps.studio.conftest import filled
from tests.apps.studio.running_server import Page, Studio, in_this_process, needs_page, started
from tests.apps.studio.short_walk import ACROSS, opened, recipe, wrist

pytestmark = pytest.mark.slow

LONG = {**ACROSS, "steps": [{"correct": {"settings": {"mode": "paper", "samples": 100_000}}}]}


@needs_page
def test_a_server_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    folder = filled(tmp_path)
    process = started(folder)
    try:
        with process.studio.page() as page:
            seen = [page.open("open_file", path="short.yaml")]
            for up, label in ((0.1, "one"), (0.2, "two"), (0.3, "three")):
                seen.append(page.edit(recipe(wrist(up)), label))
            touches = [{"part": "left_foot", "first": 0, "last": 12}]
            page.ask("edit_contacts", step=0, touches=touches, label="stance")
            page.ask("undo")
            page.ask("undo")
            last = page.ask("begin_drag", recipe=recipe(wrist(0.5)), number=1)  # is not kept
            assert last.all("motion", which="live")
            before = seen[2]
    finally:
        process.kill()
    again = started(folder)
    try:
        assert again.studio.port == process.studio.port  # a page left open finds it again
        assert again.studio.token == process.studio.token
        with again.studio.page() as page:
            (known,) = page.welcome.documents
            assert known["id"] == before.state.id and known["name"] == "short"
            assert known["edits"] == 2
            heard = page.open("open_document", id=before.state.id)
            assert heard.state.recipe == before.state.recipe
            assert heard.state.undo == "two" and heard.state.redo == "three"
            assert heard.motion("after") == before.motion("after")
            assert heard.motion("before") == seen[0].motion("before")
            assert page.ask("redo").motion("after") == seen[3].motion("after")
            redone = page.ask("redo")
            assert redone.state.undo == "stance" and redone.problem_lines() == []
            for at in (3, 2, 1, 0):
                heard = page.ask("undo")
                assert heard.motion("after") == seen[at].motion("after")
            # Killed once more, in the middle of a run: its processes go with it.
            page.edit(LONG, "correct")
            page.send("run_method")
            page.until("progress")
            children = psutil.Process(again.child.pid).children(recursive=True)
            assert children
            again.child.kill()
            again.child.wait(240)
        _, alive = psutil.wait_procs(children, timeout=240)
        for each in alive:
            each.kill()
        assert not alive, "a worker outlives its server"
    finally:
        again.kill()


GARBAGE: dict[str, bytes] = {
    "nothing": b"",
    "noise": bytes(range(256)),
    "half": b'{"name": "short", "now": 0, "changed": "2026-01-01", "edits": [{"rec',
    "a list": b"[]",
    "a word": b'"x"',
    "no edits": b'{"name": "a", "now": 0, "changed": "", "edits": []}',
    "far ahead": json.dumps(
        {"name": "a", "now": 9, "changed": "", "edits": [{"recipe": {}, "label": "", "merge": ""}]}
    ).encode(),
    "edits that are none": b'{"name": "a", "now": 0, "changed": "", "edits": [1]}',
}


@pytest.mark.parametrize("what", GARBAGE)
def test_a_document_that_is_torn_is_said(studio: Studio, page: Page, what: str) -> None:
    stored(studio, "whole")
    torn = studio.folder / ".poise" / "studio" / f"torn{list(GARBAGE).index(what)}"
    torn.mkdir(parents=True)
    (torn / OLD_FILE).write_bytes(GARBAGE[what])
    heard = page.open("open_document", id=torn.name)
    assert [each.kind for each in heard] == ["problem"] and heard[0].about == "open_document"
    page.send("ask_files")
    assert "whole" in {each["id"] for each in page.until("files")[-1].documents}
    with studio.page() as other:  # others are welcome as before
        assert other.welcome.samples


def stored(studio: Studio, id: str, **changed: Any) -> None:
    """A document as earlier versions wrote it, whose file says odd things."""
    folder = studio.folder / ".poise" / "studio" / id
    folder.mkdir(parents=True, exist_ok=True)
    edits = [{"recipe": recipe(), "label": label, "merge": ""} for label in ("open", "more")]
    said = {"name": "odd", "now": 0, "changed": "2026-01-01T00:00:00", "edits": edits, **changed}
    (folder / OLD_FILE).write_text(json.dumps(said), encoding="utf-8")


@pytest.mark.parametrize("value", [[], "x", 1, None])
def test_a_stored_recipe_that_is_none_is_said(studio: Studio, page: Page, value: Any) -> None:
    stored(studio, "norecipe", edits=[{"recipe": value, "label": "open", "merge": ""}])
    page.send("open_document", id="norecipe")
    problem = page.until("problem")[-1]
    assert "bug" not in str(problem.lines).lower()


def test_a_stored_place_before_the_first_edit_is_said(studio: Studio, page: Page) -> None:
    stored(studio, "minusone", now=-1)
    heard = page.open("open_document", id="minusone")
    assert heard[-1].kind == "problem"


def test_a_stored_recipe_that_leads_out_is_refused(studio: Studio, page: Page) -> None:
    led = recipe(clip={"file": "../outside/secret.bvh"})
    stored(studio, "ledout", edits=[{"recipe": led, "label": "open", "merge": ""}])
    page.send("open_document", id="ledout")
    heard = page.until("document_state")
    assert heard.problem_lines() and not heard.all("motion")


GONE = {"recipe": recipe(clip={"file": "gone.bvh"}), "label": "open", "merge": ""}


def test_a_document_whose_clip_has_gone_says_so_and_can_be_mended(
    studio: Studio, page: Page
) -> None:
    stored(studio, "noclip", edits=[GONE])
    page.send("open_document", id="noclip")
    heard = page.until("document_state")
    assert "gone.bvh" in str(heard.problem_lines()) and heard.state.frames == 0
    heard = page.edit(recipe(), "mended")
    assert heard.problem_lines() == [] and heard.state.solved == "yes"


def test_contacts_of_a_document_without_a_clip_are_refused(studio: Studio, page: Page) -> None:
    stored(studio, "noclip2", edits=[GONE])
    page.send("open_document", id="noclip2")
    page.until("document_state")
    bar = {"part": "left_foot", "first": 0, "last": 1}
    heard = page.ask("edit_contacts", step=0, label="x", touches=[bar])
    assert "bug" not in str(heard.problem_lines()).lower(), heard.problem_lines()


@pytest.mark.parametrize("name", [FILE, OLD_FILE])
def test_a_very_deep_document_closes_no_other(studio: Studio, name: str) -> None:
    folder = studio.folder / ".poise" / "studio" / "deep"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(b"[" * 100_000)
    try:
        with studio.page() as page:
            assert page.welcome.samples
    finally:
        (folder / name).unlink()


def test_another_program_is_not_written_over(tmp_path: Path) -> None:
    """Such as one that brings the folder of another machine here."""
    with in_this_process(filled(tmp_path)) as studio, opened(studio) as (mine, first):
        theirs = History.read(studio.folder / ".poise" / "studio" / first.state.id)
        theirs.add(recipe(wrist(0.2)), "theirs")
        heard = mine.edit(recipe(wrist(0.1)), "mine")
        assert "Another program" in heard.problem_lines()[0][1]
        assert heard.state.undo == "theirs" and heard.state.recipe == recipe(wrist(0.2))
        assert mine.edit(recipe(wrist(0.1)), "mine").state.undo == "mine"


def test_a_torn_last_edit_is_said_on_the_page(tmp_path: Path) -> None:
    folder = filled(tmp_path)
    with in_this_process(folder) as studio, opened(studio) as (page, first):
        page.edit(recipe(wrist(0.1)), "whole")
        page.edit(recipe(wrist(0.2)), "torn")
    file = folder / ".poise" / "studio" / first.state.id / FILE
    file.write_bytes(file.read_bytes()[:-100])
    with in_this_process(folder) as studio, studio.page() as page:
        assert [each["edits"] for each in page.welcome.documents] == [1]
        page.send("open_document", id=first.state.id)
        heard = page.until("document_state")
        page.done()
        assert "not whole on disk" in heard.problem_lines()[0][1]
        assert heard.state.undo == "whole" and heard.state.solved == "yes"
        with studio.page() as other:  # once is enough
            assert other.open("open_document", id=first.state.id).problem_lines() == []
        assert page.edit(recipe(wrist(0.3)), "goes on").state.undo == "goes on"


def test_what_was_only_looked_at_is_not_listed(studio: Studio) -> None:
    with opened(studio) as (page, first):

        def listed() -> set[str]:
            page.send("ask_files")
            return {each["id"] for each in page.until("files")[-1].documents}

        assert first.state.id not in listed()
        page.edit(recipe(wrist(0.1)))
        assert first.state.id in listed()
        page.ask("undo")
        assert first.state.id in listed()


def test_the_last_worked_on_is_listed_first(studio: Studio) -> None:
    with opened(studio) as (page, first):
        time.sleep(1.1)  # times are kept to the second
        page.edit(recipe(wrist(0.1)))
        page.send("ask_files")
        documents = page.until("files")[-1].documents
        assert documents[0]["id"] == first.state.id and documents[0]["edits"] == 1
        changed = [each["changed"] for each in documents]
        assert changed == sorted(changed, reverse=True)
