"""What went wrong once: each as it should be."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

import poise
from poise.announce import announce
from poise.apps.studio.edit_log import Log
from poise.apps.studio.guard import Guard, remembered
from poise.apps.studio.history import FILE
from poise.apps.studio.library import Documents
from poise.apps.studio.project import Project
from poise.apps.studio.project_lock import LOCK
from poise.apps.studio.running import Found, Runner
from poise.apps.studio.server import studio_app
from poise.apps.studio.uploads import new_folder
from poise.errors import FileProblem
from poise.execution import JobLost
from poise.formats.disk import reading_below
from poise.formats.robots import read_character
from poise.samples import walk
from tests.apps.studio.conftest import filled
from tests.apps.studio.running_server import Page, Said, Studio, files_below, in_this_process
from tests.apps.studio.short_walk import ACROSS, opened, recipe, wrist
from tests.apps.studio.test_runs import corrected, ended


def filtered(*constraints: Any, **others: Any) -> dict[str, Any]:
    """A recipe that is not solved unless it is run."""
    return {**ACROSS, "steps": [{"filter": {"constraints": list(constraints)}}], **others}


def until(is_so: Callable[[], bool], seconds: float = 240.0) -> bool:
    end = time.monotonic() + seconds
    while not is_so() and time.monotonic() < end:
        time.sleep(0.05)
    return is_so()


# Files of strangers.

BALL = "<geom size='1'/>"
ROBOTS = {
    "a mesh that a mass needs": (
        "<asset><mesh name='m' file='../outside/m.obj'/></asset>"
        "<worldbody><body><joint/><geom type='mesh' mesh='m'/></body></worldbody>"
    ),
    "another model": (
        "<asset><model name='m' file='../outside/theirs.xml'/></asset><worldbody><body><joint/>"
        f"{BALL}<attach model='m' body='theirs' prefix='x'/></body></worldbody>"
    ),
    "a bracket before the name": "<include x='>' file='../outside/theirs.xml'/>",
}


@pytest.mark.parametrize("what", ROBOTS)
def test_robots_read_nothing_outside_by_other_ways(tmp_path: Path, what: str) -> None:
    pytest.importorskip("mujoco")
    project, outside = filled(tmp_path), tmp_path / "outside"
    (outside / "m.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 0 1 0\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    body = f"<worldbody><body name='theirs'><joint/>{BALL}</body></worldbody>"
    (outside / "theirs.xml").write_text(f"<mujoco>{body}</mujoco>")
    (project / "robot.xml").write_text(f"<mujoco>{ROBOTS[what]}</mujoco>")
    with reading_below(project), pytest.raises(FileProblem, match="project folder"):
        read_character(project / "robot.xml")


@contextlib.contextmanager
def pipe(path: Path) -> Generator[None]:
    """Which nobody writes to; whoever waits for it is let go in the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)
    try:
        yield
    finally:
        os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK))
        path.unlink()


needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")


@needs_pipes
@pytest.mark.parametrize("name", [FILE, "document.json"])
def test_a_document_that_is_a_pipe_stops_nobody(studio: Studio, name: str) -> None:
    with studio.page() as page, studio.page() as other:
        with pipe(studio.folder / ".poise" / "studio" / "pipe" / name):
            page.send("ask_files")
            time.sleep(0.3)
            other.send("undo")
            assert other.next().kind == "problem"


@needs_pipes
def test_a_memory_that_is_a_pipe_is_left_alone(tmp_path: Path) -> None:
    with pipe(tmp_path / "last.json"):
        reading = threading.Thread(target=remembered, args=(tmp_path / "last.json",), daemon=True)
        reading.start()
        reading.join(240.0)
        assert not reading.is_alive()


@pytest.mark.skipif(os.name == "nt", reason="no modes there")
def test_a_token_that_others_can_read_is_not_taken(tmp_path: Path) -> None:
    file = tmp_path / "last.json"
    file.write_text(json.dumps({"port": 1234, "token": "A" * 32}))
    file.chmod(0o644)  # as archives and repositories bring it
    assert remembered(file).token == ""


def test_a_link_for_our_own_folder_leads_nothing_out(tmp_path: Path) -> None:
    project, outside = filled(tmp_path), tmp_path / "outside"
    (project / ".poise").symlink_to(outside)
    with pytest.raises(FileProblem, match="leads out"):
        Project(project)
    assert [path.name for path in outside.iterdir()] == ["secret.bvh"]


ODD = {"name": {"name": "\ud800"}, "place": {"now": float("inf")}}


@pytest.mark.parametrize("what", ODD)
def test_an_odd_document_is_no_bug(studio: Studio, what: str) -> None:
    folder = studio.folder / ".poise" / "studio" / f"odd{what}"
    folder.mkdir(parents=True)
    edit = {"recipe": recipe(), "label": "open", "merge": ""}
    said = {"name": "odd", "now": 0, "changed": "2026", "edits": [edit], **ODD[what]}
    (folder / "document.json").write_text(json.dumps(said))
    assert studio.export(folder.name, "yaml").code in (200, 422)


# What is written, and over what.


@pytest.mark.parametrize("name", ["inside/../short.bvh", "alias.bvh"])
def test_a_capture_by_another_name_is_not_written_over(studio: Studio, name: str) -> None:
    (studio.folder / "inside").mkdir(exist_ok=True)
    with contextlib.suppress(FileExistsError):
        (studio.folder / "alias.bvh").symlink_to(studio.folder / "short.bvh")
    before = (studio.folder / "short.bvh").read_bytes()
    try:
        with opened(studio) as (page, _):
            assert page.edit(recipe(wrist(0.2), clip={"file": name})).problem_lines() == []
            page.ask("save_file", path="short.bvh", overwrite=True)
        assert (studio.folder / "short.bvh").read_bytes() == before
    finally:
        (studio.folder / "short.bvh").write_bytes(before)


def test_a_clip_can_be_saved_where_the_recipe_puts_it(studio: Studio) -> None:
    with opened(studio) as (page, _):
        page.edit(recipe(wrist(0.1), outputs={"clip": "result.bvh"}))
        assert page.ask("save_file", path="result.bvh").problem_lines() == []


def test_a_recipe_whose_clip_is_gone_does_not_open_another(studio: Studio) -> None:
    (studio.folder / "below").mkdir(exist_ok=True)
    (studio.folder / "below" / "gone.yaml").write_text(json.dumps(recipe(wrist(0.1))))
    with studio.page() as page:  # there is a short.bvh, but not in that folder
        assert [each.kind for each in page.open("open_file", path="below/gone.yaml")] == ["problem"]


def test_an_edit_that_is_not_on_disk_is_not_taken(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(log: Log, *_: object) -> None:
        raise FileProblem(log.path, "room on the disk", "none")

    with opened(studio) as (page, first):
        with monkeypatch.context() as patched:
            patched.setattr("poise.apps.studio.edit_log.Log.append", full)
            heard = page.edit(recipe(wrist(0.1)), "lost")
        assert heard.problem_lines()
        assert heard.state.recipe == first.state.recipe and heard.state.undo == ""


def test_two_files_of_one_name_are_kept_apart_or_refused(studio: Studio) -> None:
    with opened(studio) as (_, first):
        two = "name=a/x.obj&name=b/x.obj&bytes=1&bytes=1"
        answer = studio.request("POST", f"/upload?{two}&into={first.state.id}", b"12")
        paths = json.loads(answer.body).get("paths", [])
        assert len(set(paths)) == len(paths)


def test_a_new_folder_is_nobody_elses(tmp_path: Path) -> None:
    assert new_folder(tmp_path) != new_folder(tmp_path)


def test_an_upload_that_is_cut_off_is_no_bug(tmp_path: Path) -> None:
    guard = Guard("127.0.0.1", 1234)
    ours = {"host": "127.0.0.1:1234", "origin": "http://127.0.0.1:1234"}
    headers = [(k.encode(), v.encode()) for k, v in (ours | {"x-poise-token": guard.token}).items()]
    scope = {
        "type": "http", "method": "POST", "path": "/upload", "query_string": b"name=a.bvh",
        "headers": headers, "http_version": "1.1", "scheme": "http", "root_path": "",
    }  # fmt: skip

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    with contextlib.closing(Documents(Project(filled(tmp_path)))) as documents:
        asyncio.run(studio_app(documents, guard)(scope, receive, send))
        assert sent[0]["status"] == 499
        assert files_below(documents.project.documents) == {LOCK}


def test_a_file_that_goes_while_it_is_listed_is_left_out(
    tmp_path: Path,
) -> None:
    (tmp_path / "here.bvh").touch()
    (tmp_path / "gone.bvh").symlink_to(tmp_path / "nothing.bvh")  # listed, but not to be looked at
    assert [each.path for each in Project(tmp_path).files()] == ["here.bvh"]


def test_an_export_that_fails_does_not_name_our_folder(studio: Studio) -> None:
    with opened(studio) as (_, first):
        answer = studio.export(first.state.id, "amc")
        assert answer.code == 422 and tempfile.gettempdir() not in answer.problem


def test_a_torn_document_does_not_name_our_folder(studio: Studio, page: Page) -> None:
    folder = studio.folder / ".poise" / "studio" / "torn"
    folder.mkdir(parents=True)
    (folder / "document.json").write_text("x")
    assert ".poise" not in str(page.open("open_document", id="torn").problem_lines())


def test_what_others_wait_for_is_not_said_for_ever(studio: Studio) -> None:
    with opened(studio) as (page, _):
        announce("compiling, in a thread that is not the document's")
        heard = Said()
        with contextlib.suppress(TimeoutError):
            while True:
                heard.append(page.next(1.0))
        assert [each.text for each in heard.all("waiting")][-1:] in ([], [""])


# What is shown.


def test_a_drag_after_the_end_of_one_is_answered_after_it(studio: Studio) -> None:
    with opened(studio) as (page, _):
        for _ in range(3):  # it is busy for a while
            page.send("ask_measures")
        page.send("begin_drag", recipe=recipe(wrist(0.1)), number=1)
        page.send("end_drag")
        page.send("begin_drag", recipe=recipe(wrist(0.2)), number=2)
        kinds = [each.kind for each in page.done() if each.kind in ("motion", "forget")]
        assert kinds[-1] == "motion"


def test_a_drag_on_a_body_that_has_not_run_tells_the_body(studio: Studio) -> None:
    longer = {"legs": 1.1}
    with opened(studio) as (page, first):
        heard = Said([*first, *page.edit(filtered(character=longer))])
        heard += page.ask("begin_drag", recipe=filtered(wrist(0.1), character=longer), number=1)
        body = heard.last("motion", which="live").figure
        assert body in {each.key for each in heard.all("figure")}


def test_a_refused_edit_does_not_change_how_long_the_clip_is(studio: Studio) -> None:
    with opened(studio) as (page, _):
        assert page.edit(filtered(wrist(0.1))).state.frames == 31
        shorter = {"file": "short.bvh", "frames": [5, 20]}
        heard = page.edit(filtered(wrist(0.1, frames=[40, 50]), clip=shorter))
        assert heard.problem_lines() and heard.state.frames == 31


def test_what_was_made_of_another_capture_is_not_shown(studio: Studio) -> None:
    with opened(studio) as (page, _):
        heard = page.edit(filtered(clip={"file": "short.bvh", "frames": [5, 20]}))
        assert heard.state.frames == 16 and heard.all("forget", which="after")


def test_a_page_that_is_loaded_again_sees_what_it_saw(studio: Studio) -> None:
    with opened(studio) as (page, first):
        assert page.edit(filtered(wrist(0.1))).state.solved == "stale"  # and the motion stays
        with studio.page() as again:
            heard = again.open("open_document", id=first.state.id)
            assert heard.state.solved == "stale" and heard.all("motion", which="after")


def test_bodies_of_before_are_forgotten(studio: Studio) -> None:
    with opened(studio) as (page, first):
        for percent in range(1, 9):
            legs = {"legs": 1 + 0.01 * percent}
            page.send("edit_recipe", recipe=recipe(character=legs), label="legs", merge="legs")
        page.done()
        with studio.page() as other:
            heard = other.open("open_document", id=first.state.id)
            assert len({each.key for each in heard.all("figure")}) <= 3


def test_a_clip_that_has_changed_on_disk_is_read_again(studio: Studio) -> None:
    poise.save(walk(1.0, 30.0), studio.folder / "changing.bvh")
    with studio.page() as page, studio.page() as again:
        id = page.open("open_file", path="changing.bvh").state.id
        poise.save(walk(2.0, 30.0), studio.folder / "changing.bvh")
        assert again.open("open_document", id=id).state.frames == 61


def test_an_export_has_the_edits_before_it(studio: Studio) -> None:
    with opened(studio) as (page, first):
        for _ in range(4):  # it is busy for a while
            page.send("ask_measures")
        page.send("edit_recipe", recipe=recipe(wrist(0.3)), label="hand")
        page.send("ask_files")
        page.until("files")  # so the server has heard of it
        assert b"hold_point" in studio.export(first.state.id, "yaml").body


class _SlowToEnd:
    """A pool whose jobs last until they are ended, and whose ending takes its time."""

    def __init__(self) -> None:
        self.ending, self.go_on, self.jobs = threading.Event(), threading.Event(), 0
        self._end = threading.Event()

    def run(self, *_: Any) -> Iterator[Any]:
        end = self._end = threading.Event()
        self.jobs += 1
        end.wait(240.0)
        raise JobLost("it was ended" if end.is_set() else "it went on")
        yield

    def end_jobs(self) -> None:
        self._end.set()
        if not self.ending.is_set():
            self.ending.set()
            self.go_on.wait(240.0)


def test_cancelling_a_run_does_not_end_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    runner, pool = Runner(lambda _: None), _SlowToEnd()
    monkeypatch.setattr(runner, "_pool", pool)
    ends: list[Found] = []
    job: Any = None
    runner.begin(job, lambda how, _: ends.append(how))
    assert until(lambda: pool.jobs == 1)
    runner.cancel()
    assert pool.ending.wait(240.0)
    # In a thread: it may have to wait until the first has ended.
    again = (job, lambda how, _: ends.append(how))
    threading.Thread(target=runner.begin, args=again, daemon=True).start()
    pool.go_on.set()
    assert until(lambda: pool.jobs == 2)
    assert not until(lambda: len(ends) == 2, 1.0)
    assert ends == [None]


def has_workers() -> bool:
    with contextlib.suppress(psutil.Error):
        all_of_us = psutil.Process().children(recursive=True)
        return any("execution.worker" in str(each.cmdline()) for each in all_of_us)
    return True


@pytest.mark.slow
def test_a_run_that_ends_when_all_have_left_leaves_no_process(tmp_path: Path) -> None:
    with in_this_process(filled(tmp_path)) as studio:
        with opened(studio) as (page, _):
            page.edit(corrected(4))
            page.send("run_method")
            page.until("progress")
        assert until(lambda: not has_workers())


@pytest.mark.slow
def test_what_a_run_has_made_outlives_many_edits(studio: Studio) -> None:
    with opened(studio) as (page, _):
        page.edit(corrected(4))
        page.send("run_method")
        made = ended(page)
        for number in range(26):
            page.send("edit_recipe", recipe=recipe(wrist(0.01 * number)), label=str(number))
        for _ in range(26):
            page.send("undo")
        heard = page.done()
        assert heard.state.recipe == made.state.recipe and heard.state.solved == "yes"


@pytest.mark.slow
def test_what_a_run_has_made_is_there_after_a_restart(tmp_path: Path) -> None:
    folder = filled(tmp_path)
    with in_this_process(folder) as studio, opened(studio) as (page, _):
        page.edit(corrected(4))
        page.send("run_method")
        made = ended(page)
    with in_this_process(folder) as studio, studio.page() as page:
        heard = page.open("open_document", id=made.state.id)
        assert heard.state.solved == "yes" and heard.motion("after") == made.motion("after")


@pytest.mark.slow
def test_runs_are_cancelled_at_any_moment_and_the_next_one_works(studio: Studio) -> None:
    with opened(studio) as (page, first):
        page.edit(corrected(100_000))
        for number in range(20):
            page.send("run_method")
            if number % 3 == 1:
                time.sleep(0.02 * number)
            if number % 3 == 2:
                page.until("progress")
            page.send("cancel_run")
            heard = ended(page)
            assert [each.how for each in heard.all("run_ended")] == ["cancelled"]
            assert heard.problem_lines() == [] and heard.state.solved == "stale"
        page.edit(corrected(4))
        page.send("run_method")
        assert ended(page).state.solved == "yes"
        folder = studio.folder / ".poise" / "studio" / first.state.id
        assert {path.name for path in folder.iterdir()} == {FILE, "results"}


@pytest.mark.slow
def test_many_quick_edits_during_a_run_are_all_taken(studio: Studio) -> None:
    with opened(studio) as (page, first):
        page.edit(corrected(4), "slow")
        page.send("run_method")
        for number in range(30):
            page.send("edit_recipe", recipe=recipe(wrist(0.01 * number)), label=str(number))
        heard = ended(page)
        assert heard.last("run_ended").how == "done" and heard.problem_lines() == []
        assert heard.state.undo == "29" and heard.state.solved == "yes"
        for _ in range(31):
            page.send("undo")
        assert page.done().motion("after") == first.motion("after")


def test_a_page_that_comes_during_a_drag_gets_whole_motions(studio: Studio) -> None:
    def held(up_m: float) -> dict[str, Any]:
        return recipe(wrist(up_m, frames=[10, 16], ease=2))

    with opened(studio) as (page, first):
        page.ask("begin_drag", recipe=held(0.1), number=1)
        (part,) = page.ask("begin_drag", recipe=held(0.2), number=2).all("motion", which="live")
        assert len(part.arrays["roots_m"]) < part.frames
        with studio.page() as other:
            other.open("open_document", id=first.state.id)
            page.ask("begin_drag", recipe=held(0.3), number=3)
            seen = other.done()
            assert seen.motion("live") and seen.last("motion", which="live").number == 3


def test_physics_are_of_the_last_of_many_edits(studio: Studio) -> None:
    with opened(studio) as (page, _):
        for number in range(10):
            page.send("edit_recipe", recipe=recipe(wrist(0.02 * number)), label=str(number))
        many = page.done()
        page.ask("undo")
        alone = page.ask("redo")
        forces = [each.last("physics", which="after").arrays["forces_n"] for each in (many, alone)]
        np.testing.assert_array_equal(*forces)
