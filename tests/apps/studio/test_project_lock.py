"""One studio a project: a second one is refused, and follows one that has died."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from poise.apps.studio.history import FILE, History
from poise.apps.studio.library import Documents
from poise.apps.studio.project import Project
from poise.apps.studio.project_lock import LOCK, ProjectLock
from poise.errors import FileProblem
from tests.apps.command_line import Command
from tests.apps.studio.conftest import filled
from tests.apps.studio.running_server import (
    PATIENCE_S,
    environment,
    in_this_process,
    needs_page,
    started,
)
from tests.apps.studio.short_walk import opened, recipe, wrist

EDITOR = """
import sys, time
from pathlib import Path
from poise.apps.studio import history
from poise.apps.studio.library import Documents
from poise.apps.studio.project import Project
from poise.errors import FileProblem

history.MOST_EDITS = 10_000
name, folder, id = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
edits, turn = map(int, sys.argv[4:])
done, refused = 0, 0
print("ready", flush=True)
sys.stdin.readline()
while done < edits:
    try:
        documents = Documents(Project(folder))
    except FileProblem as problem:
        assert "no other poise studio" in str(problem), problem
        refused += 1
        time.sleep(0.001)
        continue
    document = documents.open(id)
    for _ in range(turn):
        label = f"{name} {done}"
        document.history.add({**document.history.recipe, "about": label}, label)
        done += 1
        print(name, done, flush=True)
    documents.close()
print("refused", refused)
"""


def editor(name: str, folder: Path, id: str, edits: int, turn: int) -> subprocess.Popen[str]:
    """A studio without its page, which takes the project in turns with others."""
    return subprocess.Popen(
        [sys.executable, "-c", EDITOR, name, str(folder), id, str(edits), str(turn)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=environment(),
    )  # fmt: skip


def start(*editors: subprocess.Popen[str]) -> None:
    """Let them edit, all at once."""
    for each in editors:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for each in editors:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()


def new_document(folder: Path) -> str:
    history = History(folder / ".poise" / "studio" / "shared", "shared", recipe())
    history.save()
    return "shared"


def labels(folder: Path, id: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Of all edits that are on disk, the last first."""
    monkeypatch.setattr("poise.apps.studio.history.MOST_EDITS", 10_000)
    history = History.read(folder / ".poise" / "studio" / id)
    found = [history.undo_label]
    while history.go(-1):
        found.append(history.undo_label)
    return found[:-1]


def test_two_studios_lose_none_of_their_edits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_edit(tmp_path, 100, monkeypatch)


@pytest.mark.slow
def test_two_studios_of_five_hundred_edits_lose_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_edit(tmp_path, 500, monkeypatch)


def both_edit(folder: Path, edits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    id = new_document(folder)
    both = [editor(name, folder, id, edits, 10) for name in ("one", "two")]
    start(*both)
    refused = 0
    for each in both:
        out, err = each.communicate(timeout=PATIENCE_S)
        assert each.returncode == 0, err
        *_, last = out.splitlines()
        refused += int(last.removeprefix("refused "))
    assert refused > 0, "they never met"
    wanted = {f"{name} {number}" for name in ("one", "two") for number in range(edits)}
    found = labels(folder, id, monkeypatch)
    assert len(found) == 2 * edits and set(found) == wanted


def test_the_lock_of_a_dead_process_is_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = new_document(tmp_path)
    dying = editor("dying", tmp_path, id, 1_000_000, 1_000_000)
    start(dying)
    assert dying.stdout is not None
    heard = [dying.stdout.readline() for _ in range(20)]
    with pytest.raises(FileProblem, match=f"process {dying.pid} on"):
        Documents(Project(tmp_path))
    dying.kill()
    heard += dying.communicate(timeout=PATIENCE_S)[0].splitlines()
    Documents(Project(tmp_path)).close()
    acknowledged = len([line for line in heard if line.strip()])
    assert len(labels(tmp_path, id, monkeypatch)) >= acknowledged >= 20


@needs_page
def test_a_second_studio_is_refused_and_says_who_has_it(tmp_path: Path, command: Command) -> None:
    with in_this_process(filled(tmp_path)) as studio:
        done = command("studio", "--no-browser", "--project", studio.folder)
        assert done.code == 2 and done.out == "" and len(done.err.splitlines()) == 1
        assert f"process {os.getpid()}" in done.err and "Ctrl-C" in done.err
        assert studio.token not in done.err
        with opened(studio) as (page, _):  # the first one goes on
            assert page.edit(recipe(wrist(0.1)), "mine").state.undo == "mine"


@needs_page
@pytest.mark.slow
def test_a_studio_that_was_killed_is_followed_by_another(tmp_path: Path) -> None:
    folder = filled(tmp_path)
    for _ in range(2):
        process = started(folder)
        try:
            with process.studio.page() as page:
                assert page.open("open_file", path="short.yaml").problem_lines() == []
        finally:
            process.kill()


def test_a_folder_is_free_when_its_studio_has_ended(tmp_path: Path) -> None:
    for _ in range(2):
        Documents(Project(tmp_path)).close()


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_lock_that_leads_out_is_not_followed(tmp_path: Path) -> None:
    own, outside = tmp_path / "own", tmp_path / "outside"
    own.mkdir()
    outside.write_text("mine")
    (own / LOCK).symlink_to(outside)
    with pytest.raises(FileProblem):
        ProjectLock(tmp_path, own)
    assert outside.read_text() == "mine"


def odd(make: Callable[[Path], object], folder: Path) -> None:
    make(folder / LOCK)
    with pytest.raises(FileProblem):
        ProjectLock(folder, folder)


def test_a_lock_that_is_no_file_is_said(tmp_path: Path) -> None:
    odd(Path.mkdir, tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_a_lock_that_is_a_pipe_stops_nobody(tmp_path: Path) -> None:
    odd(os.mkfifo, tmp_path)


@pytest.mark.parametrize("words", ["", "x", "[]", '{"process": 1e999}', "[" * 5000])
def test_odd_words_in_a_lock_are_left_out(tmp_path: Path, words: str) -> None:
    held = ProjectLock(tmp_path, tmp_path)
    (tmp_path / LOCK).write_text(words)
    with pytest.raises(FileProblem, match="one at work"):
        ProjectLock(tmp_path, tmp_path)
    held.close()


def test_a_disk_without_locks_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(_: object) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr("poise.apps.studio.project_lock._lock", refuses)
    with pytest.raises(FileProblem, match="a disk that has locks"):
        ProjectLock(tmp_path, tmp_path)


# What a studio that was killed has left half-written.

UNFINISHED = [f".{FILE}.0123456789abcdef.tmp", "preview.3.npz"]


def test_unfinished_files_of_dead_sessions_are_swept(tmp_path: Path) -> None:
    id = new_document(tmp_path)
    folder = tmp_path / ".poise" / "studio" / id
    (folder / "results" / "key").mkdir(parents=True)
    left = [folder / name for name in UNFINISHED]
    left.append(folder / "results" / "key" / ".clip-0.npz.0123456789abcdef.tmp")
    export = folder.parent / ".export-x.tmp"
    export.mkdir()
    left.append(export / "clip.bvh")
    kept = [folder / "preview.bvh", folder / "results" / "key" / "facts.json", folder / "a.tmp"]
    for path in (*left, *kept):
        path.write_text("x")
    Documents(Project(tmp_path)).close()
    assert [path for path in (*left, export) if path.exists()] == []
    assert all(path.exists() for path in kept)


def test_in_the_rest_of_the_project_only_old_ones_are(tmp_path: Path) -> None:
    names = {
        ".walk.bvh.0123456789abcdef.tmp": True, ".walk.bvh.tmp": False, "walk.tmp": False,
        ".walk.0123456789ABCDEF.tmp": False, "walk.bvh.0123456789abcdef.tmp": False,
    }  # fmt: skip
    (tmp_path / "below").mkdir()
    for name in names:
        (tmp_path / "below" / name).write_text("x")
        os.utime(tmp_path / "below" / name, (0, 0))
    new = tmp_path / ".run.bvh.0123456789abcdef.tmp"  # somebody may be writing it now
    new.write_text("x")
    Documents(Project(tmp_path)).close()
    assert new.exists()
    assert {name: not (tmp_path / "below" / name).exists() for name in names} == names
