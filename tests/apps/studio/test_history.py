"""The history on disk: appended to, always readable, and whole whenever it is read."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from poise.apps.studio import edit_log
from poise.apps.studio.history import FILE, History
from poise.apps.studio.old_history import OLD_FILE
from poise.errors import BadValue, FileProblem, PoiseError

EDITS = 200


def made(folder: Path, edits: int = 0, bytes: int = 10) -> History:
    history = History(folder, "a", state(0, bytes))
    history.save()
    for number in range(1, edits + 1):
        history.add(state(number, bytes), f"edit {number}")
    return history


def state(number: int, bytes: int = 10) -> dict[str, Any]:
    return {"n": number, "about": "x" * bytes}


def walked_back(history: History) -> list[int]:
    """The numbers of all states from the last to the first."""
    found = [history.recipe["n"]]
    while history.go(-1):
        found.append(history.recipe["n"])
    return [int(str(each)) for each in found]


def every_edit_reopens(folder: Path, bytes: int) -> None:
    history = made(folder, EDITS - 1, bytes)
    size = (folder / FILE).stat().st_size
    assert size > EDITS * bytes
    tracemalloc.start()
    try:
        again = History.read(folder)
        assert again.undo_label == f"edit {EDITS - 1}" and again.recipe == history.recipe
        assert walked_back(again) == list(range(EDITS - 1, -1, -1))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10 * bytes + 2_000_000  # not all of it at once
    assert (folder / FILE).stat().st_size - size < 100 * EDITS


def test_two_hundred_edits_reopen(tmp_path: Path) -> None:
    every_edit_reopens(tmp_path, 100_000)


@pytest.mark.slow
def test_two_hundred_edits_of_four_megabytes_reopen(tmp_path: Path) -> None:
    every_edit_reopens(tmp_path, 4_000_000)


def test_an_edit_is_appended_and_nothing_else_is_written(tmp_path: Path) -> None:
    history = made(tmp_path, 50, 20_000)
    before, inode = (tmp_path / FILE).read_bytes(), (tmp_path / FILE).stat().st_ino
    history.add(state(51, 20_000), "one more")
    history.go(-1)
    after = (tmp_path / FILE).read_bytes()
    assert after.startswith(before) and len(after) - len(before) < 21_000
    assert (tmp_path / FILE).stat().st_ino == inode


@pytest.mark.parametrize("what", ["an edit", "an undo"])
def test_a_torn_last_record_is_dropped_wherever_it_is_torn(tmp_path: Path, what: str) -> None:
    history = made(tmp_path, 3)
    whole = (tmp_path / FILE).read_bytes()
    if what == "an edit":
        history.add(state(4), "torn")
    else:
        history.go(-1)
    data = (tmp_path / FILE).read_bytes()
    for length in range(len(whole), len(data)):
        (tmp_path / FILE).write_bytes(data[:length])
        again = History.read(tmp_path)
        assert again.recipe == state(3) and again.undo_label == "edit 3"
        assert bool(again.note) == (length > len(whole)), "what is left out is said"
    again.add(state(5), "goes on")
    again = History.read(tmp_path)
    assert again.note == "" and walked_back(again) == [5, 3, 2, 1, 0]


def test_a_last_record_of_zeros_is_dropped(tmp_path: Path) -> None:
    """As a file system leaves it that had given the room, but not the bytes."""
    history = made(tmp_path, 3)
    whole = (tmp_path / FILE).read_bytes()
    history.add(state(4, 1000), "torn")
    data = (tmp_path / FILE).read_bytes()
    for kept in (len(whole), len(data) - 500):
        (tmp_path / FILE).write_bytes(data[:kept] + b"\0" * (len(data) - kept))
        again = History.read(tmp_path)
        assert again.recipe == state(3) and again.note


def test_damage_that_is_not_at_the_end_is_a_problem(tmp_path: Path) -> None:
    made(tmp_path, 5)
    data = bytearray((tmp_path / FILE).read_bytes())
    at = data.index(b'{"edit": "edit 3"')
    data[at : at + 5] = b"\xff\xff\xff\xff\n"
    (tmp_path / FILE).write_bytes(data)
    with pytest.raises(FileProblem, match=f"byte {at}"):
        History.read(tmp_path)
    assert (tmp_path / FILE).read_bytes() == data  # nothing is taken away


def test_a_damaged_state_costs_that_state_alone(tmp_path: Path) -> None:
    made(tmp_path, 5)
    data = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(data.replace(b'{"n": 4', b'{"n": 9'))
    again = History.read(tmp_path)
    with pytest.raises(FileProblem, match="not written so"):
        again.go(-1)
    assert again.recipe == state(5)
    again.add(state(6), "goes on")
    assert History.read(tmp_path).recipe == state(6)


def test_what_could_not_be_read_again_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = made(tmp_path, 1)
    monkeypatch.setattr(edit_log, "MOST_CONTENT_BYTES", 1000)
    with pytest.raises(BadValue, match="at most"):
        history.add(state(2, 1000), "too large")
    with pytest.raises(BadValue, match="few words"):
        history.add(state(2), "x" * 2**21)
    assert History.read(tmp_path).recipe == history.recipe == state(1)


@pytest.mark.parametrize("text", ["\ud800", "é" * 1000, '"\n\0'])
def test_odd_letters_come_back(tmp_path: Path, text: str) -> None:
    history = made(tmp_path)
    history.add({"n": 1, "about": text}, text)
    again = History.read(tmp_path)
    assert again.recipe["about"] == text and again.undo_label == text


def test_a_full_disk_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = made(tmp_path, 2)
    before = (tmp_path / FILE).read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        with pytest.raises(FileProblem, match="No space"):
            history.add(state(3), "lost")
    assert (tmp_path / FILE).read_bytes() == before and history.recipe == state(2)
    history.add(state(4), "again")
    assert walked_back(History.read(tmp_path)) == [4, 2, 1, 0]


def test_states_that_nothing_leads_back_to_are_left_out_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("poise.apps.studio.history._LEAST_WASTE_BYTES", 20_000)
    history = made(tmp_path, 3, 1000)
    for number in range(200):  # steps of a slider
        history.add(state(100 + number, 1000), "slide", "slider")
    assert (tmp_path / FILE).stat().st_size < 60_000
    again = History.read(tmp_path)
    assert walked_back(again) == [299, 3, 2, 1, 0]
    assert [again.go(1), again.recipe["n"], again.redo_label] == [True, 1, "edit 2"]
    assert {path.name for path in tmp_path.iterdir()} == {FILE}


def test_many_edits_are_kept_and_the_first_state_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 12
    monkeypatch.setattr("poise.apps.studio.history.MOST_EDITS", most)
    made(tmp_path, most + 4)
    history = History.read(tmp_path)
    assert walked_back(history) == [*range(most + 4, 5, -1), 0]


def test_a_history_that_is_gone_begins_anew(tmp_path: Path) -> None:
    history = made(tmp_path, 3)
    (tmp_path / FILE).unlink()
    history.add(state(4), "goes on")
    assert walked_back(History.read(tmp_path)) == [4, 3]


def test_documents_of_earlier_versions_go_on(tmp_path: Path) -> None:
    edits = [{"recipe": state(n), "label": f"edit {n}", "merge": ""} for n in range(4)]
    said = {"name": "old", "now": 2, "changed": "2026-01-01T00:00:00+00:00", "edits": edits}
    (tmp_path / OLD_FILE).write_text(json.dumps(said), encoding="utf-8")
    glance = History.glance(tmp_path)
    history = History.read(tmp_path)
    assert (history.name, history.recipe, history.redo_label) == ("old", state(2), "edit 3")
    assert History.glance(tmp_path).edits == glance.edits == 2
    assert not (tmp_path / OLD_FILE).exists()
    history.add(state(5), "new")
    assert walked_back(History.read(tmp_path)) == [5, 2, 1, 0]


GARBAGE: dict[str, bytes] = {
    "nothing": b"", "a word": b"x", "noise": bytes(range(256)), "a list": b"[]\n",
    "zeros": b"\0" * 9,
    "another file": b'{"poise": 1}\n', "no edits": b'{"poise_edits": 1, "name": "a"}\n',
    "deep": b"[" * 100_000, "deep and ended": b"[" * 100_000 + b"\n",
    "no content": b'{"poise_edits": 1, "name": "a"}\n{"edit": "x", "merge": ""}\n',
    "sizes that are none": b'{"poise_edits": 1, "name": "a"}\n{"edit": "x", "bytes": -1}\n',
    "sizes beyond all": b'{"poise_edits": 1, "name": "a"}\n{"edit": "x", "bytes": 1e999}\n',
    "a place that is none": b'{"poise_edits": 1, "name": "a"}\n{"now": 3}\n',
}  # fmt: skip


@pytest.mark.parametrize("what", GARBAGE)
def test_a_file_that_is_none_is_refused(tmp_path: Path, what: str) -> None:
    (tmp_path / FILE).write_bytes(GARBAGE[what])
    for read in (History.read, History.glance):
        with pytest.raises(PoiseError):
            read(tmp_path)
