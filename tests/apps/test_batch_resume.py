"""What a second run of a batch does again, and what it leaves as it is."""

from __future__ import annotations

import csv
import json
import os
import resource
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from poise.apps.batch.fingerprint import fingerprint
from poise.apps.batch.journal import Journal
from poise.apps.batch.library import find_clips
from poise.apps.batch.order import order_from
from poise.apps.batch.run import Batch
from poise.errors import FileProblem, PoiseError
from poise.execution import Limits, Supervised, Threads
from tests.apps.batch_runs import (
    BOOKS,
    RECIPE,
    Ran,
    content_below,
    files_below,
    outputs_of,
    put_clip,
    put_clips,
    put_recipe,
    row_of,
    rows_of,
    run_here,
    stamps_below,
    walk_text,
)
from tests.formats.corpus import GOOD_AMC, GOOD_ASF
from tests.shared_data import MOCAP, needs_mocap

posix = pytest.mark.skipif(os.name == "nt", reason="files as on POSIX systems")

BOX = "v {0} 0 5\nv 6 0 5\nv 5 0 6\nv 5 1 5\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n"
"""A mesh, out of the way."""


class Place:
    """A library, a recipe, and a folder of results."""

    def __init__(self, folder: Path) -> None:
        self.library = folder / "library"
        self.out = folder / "out"
        self.recipe = put_recipe(folder / "r.yaml")

    def run(self, **more: Any) -> Ran:
        return run_here(self.library, self.out, self.recipe, **more)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Two clips, done."""
    made = Place(tmp_path)
    put_clips(made.library, "a.bvh", "sub/b.bvh")
    assert made.run().names == ["a.bvh", "sub/b.bvh"]
    return made


# What is done again


def test_nothing_is_done_again_when_nothing_has_changed(place: Place) -> None:
    stamps = {name: s for name, s in stamps_below(place.out).items() if name not in BOOKS}
    rows = rows_of(place.out)
    again = place.run()
    assert not again.rows and not again.plan.tasks and again.plan.kept["met"] == 2
    assert {name: s for name, s in stamps_below(place.out).items() if name in stamps} == stamps
    assert rows_of(place.out) == rows and again.summary.statuses == {"met": 2}


def test_a_clip_that_is_touched_but_the_same_is_not_done_again(place: Place) -> None:
    os.utime(place.library / "a.bvh")
    shutil.copy(place.library / "sub" / "b.bvh", place.library / "copy")
    os.replace(place.library / "copy", place.library / "sub" / "b.bvh")
    assert place.run().names == []


def test_a_clip_that_has_changed_is_done_again_and_others_are_not(place: Place) -> None:
    before = content_below(place.out)
    put_clip(place.library / "a.bvh", 25)
    assert place.run().names == ["a.bvh"]
    after = content_below(place.out)
    assert after["a.bvh"] != before["a.bvh"] and after["sub/b.bvh"] == before["sub/b.bvh"]
    assert place.run().names == []


def test_a_clip_that_is_done_again_has_one_row(place: Place) -> None:
    put_clip(place.library / "a.bvh", 25)
    place.run()
    assert sorted(row["clip"] for row in rows_of(place.out)) == ["a.bvh", "sub/b.bvh"]
    with (place.out / "results.csv").open(encoding="utf-8", newline="") as file:
        assert sorted(row["clip"] for row in csv.DictReader(file)) == ["a.bvh", "sub/b.bvh"]


def test_a_new_clip_is_done_alone(place: Place) -> None:
    put_clip(place.library / "c.bvh")
    done = place.run()
    assert done.names == ["c.bvh"] and done.plan.kept["met"] == 2


def _other_recipe(place: Place) -> None:
    put_recipe(place.recipe, "about: other words\n")


@pytest.mark.parametrize(
    "more",
    [
        {"changes": ("hand.priority=2",)},
        {"changes": ("hand.place_m=[0, 0, 0]",)},
        {"form": "npz"},
        {"pages": True, "only": ("a.bvh",)},
        {"without": ("hand",)},
    ],
    ids=lambda more: next(iter(more)),
)
def test_another_order_does_all_again(place: Place, more: dict[str, Any]) -> None:
    assert place.run(**more).names == (["a.bvh"] if "only" in more else ["a.bvh", "sub/b.bvh"])
    assert place.run(**more).names == []


def test_another_recipe_does_all_again(place: Place) -> None:
    _other_recipe(place)
    assert place.run().names == ["a.bvh", "sub/b.bvh"]
    os.utime(place.recipe)
    assert place.run().names == []


def test_an_output_that_is_gone_is_made_again(place: Place) -> None:
    content = content_below(place.out)
    (place.out / "a.bvh").unlink()
    assert place.run().names == ["a.bvh"]
    assert content_below(place.out) == content


def test_another_format_leaves_nothing_of_the_one_before(place: Place) -> None:
    place.run(form="npz")
    assert files_below(place.out) - BOOKS == {"a.npz", "sub/b.npz"}


def test_results_of_clips_that_are_gone_stay(place: Place) -> None:
    (place.library / "a.bvh").unlink()
    done = place.run()
    assert done.names == [] and done.plan.gone == 1 and done.summary.statuses == {"met": 1}
    put_clip(place.library / "c.bvh")
    assert place.run().names == ["c.bvh"]
    assert row_of(place.out, "a.bvh")["status"] == "met" and (place.out / "a.bvh").is_file()
    put_clip(place.library / "a.bvh", 20)
    assert place.run().names == []


def test_only_does_not_lose_what_others_have(place: Place) -> None:
    put_clip(place.library / "a.bvh", 25)
    put_clip(place.library / "sub" / "b.bvh", 26)
    old = row_of(place.out, "sub/b.bvh")
    done = place.run(only=("a*",))
    assert done.names == ["a.bvh"] and row_of(place.out, "sub/b.bvh") == old
    assert place.run().names == ["sub/b.bvh"]


# Files that a recipe or a clip names


def named_file_is_noticed(place: Place, change: Callable[[], object]) -> None:
    assert place.run().names == ["a.bvh", "sub/b.bvh"]
    assert place.run().names == []
    change()
    assert place.run().names == ["a.bvh", "sub/b.bvh"]
    assert place.run().names == []


def test_a_place_that_has_changed_does_all_again(place: Place) -> None:
    room = place.recipe.with_name("room.yaml")
    room.write_text("ground: {height_m: 0.0}\n", encoding="utf-8")
    put_recipe(place.recipe, "environment: room.yaml\n")
    named_file_is_noticed(
        place, lambda: room.write_text("ground: {height_m: 0.01}\n", encoding="utf-8")
    )


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("box.obj", "parts:\n  - file: box.obj\n"),
        ("box.obj", "parts: [{file: box.obj, unit: m}]\n"),
        ("box.obj", 'parts:\n  - file: "./box.obj"\n'),
        pytest.param(
            "my box.obj", "parts:\n  - file: my box.obj\n",
        ),
    ],
)  # fmt: skip
def test_a_mesh_that_a_place_names_does_all_again(place: Place, name: str, written: str) -> None:
    room, mesh = place.recipe.with_name("room.yaml"), place.recipe.with_name(name)
    room.write_text(written, encoding="utf-8")
    mesh.write_text(BOX.format(5), encoding="utf-8")
    put_recipe(place.recipe, "environment: room.yaml\n")
    named_file_is_noticed(place, lambda: mesh.write_text(BOX.format(5.5), encoding="utf-8"))


def test_a_mesh_that_the_recipe_names_itself_does_all_again(place: Place) -> None:
    mesh = place.recipe.with_name("my box.obj")
    mesh.write_text(BOX.format(5), encoding="utf-8")
    put_recipe(place.recipe, "environment: {parts: [{file: my box.obj}]}\n")
    named_file_is_noticed(place, lambda: mesh.write_text(BOX.format(5.5), encoding="utf-8"))


def test_a_file_that_the_recipe_names_must_be_there(place: Place) -> None:
    put_recipe(place.recipe, "environment: room.yaml\n")
    with pytest.raises(FileProblem, match=r"room\.yaml"):
        place.run()
    place.recipe.with_name("room.yaml").write_text("ground: {height_m: 0.0}\n", encoding="utf-8")
    assert {row["status"] for row in place.run().rows} == {"met"}


def test_another_body_to_put_it_on_does_all_again(tmp_path: Path) -> None:
    place = Place(tmp_path)
    put_clips(place.library, "a.bvh")
    body = put_clip(tmp_path / "body.bvh")
    more = {"to": body}
    told = place.recipe.read_text(encoding="utf-8")
    assert told == RECIPE
    first = place.run(**more)
    assert first.names == ["a.bvh"] and place.run(**more).names == []
    body.write_bytes(walk_text(20).replace(b"OFFSET 0", b"OFFSET 0.0", 1) + b"\n")
    assert place.run(**more).names == ["a.bvh"]


def test_the_skeleton_of_a_motion_is_part_of_it(tmp_path: Path) -> None:
    place = Place(tmp_path)
    put_clips(place.library, "a.bvh")
    (place.library / "small.asf").write_text(GOOD_ASF, encoding="utf-8")
    (place.library / "small.amc").write_text(GOOD_AMC, encoding="utf-8")
    assert place.run().names == ["a.bvh", "small.amc"]
    assert row_of(place.out, "small.amc")["status"] == "refused"
    assert place.run().names == []
    (place.library / "small.asf").write_text(f"# mine\n{GOOD_ASF}", encoding="utf-8")
    assert place.run().names == ["small.amc"]


@needs_mocap
def test_a_real_motion_and_its_skeleton(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.library.mkdir()
    for name in ("02.asf", "02_03.amc"):
        shutil.copy(MOCAP / "cmu_asfamc" / name, place.library / name)
        (place.library / name).chmod(0o644)
    put_recipe(place.recipe, "clip: {frames: [0, 30], rate_hz: 60}\n")
    (row,) = place.run().rows
    assert row["status"] == "met" and outputs_of(row) == {"clip": "02_03.amc"}, row
    assert place.run().names == []
    with (place.library / "02.asf").open("a") as file:
        file.write("\n")
    assert place.run().names == ["02_03.amc"]


def test_the_buffer_of_a_gltf_file_is_part_of_it(tmp_path: Path) -> None:
    model, buffer = tmp_path / "a.gltf", tmp_path / "my buffer.bin"
    for uri in ("plain.bin", "my%20buffer.bin"):
        buffer = tmp_path / uri.replace("%20", " ")
        model.write_text(json.dumps({"buffers": [{"uri": uri}]}), encoding="utf-8")
        buffer.write_bytes(b"one")
        before = fingerprint(model, "", ())
        buffer.write_bytes(b"two")
        assert fingerprint(model, "", ()) != before, uri


@pytest.mark.parametrize(
    ("folder", "changed"),
    [
        ("lists", "room.yaml"),
        pytest.param(
            "lists é", "room.yaml",
        ),
        pytest.param(
            "lists", "box.obj",
        ),
    ],
)  # fmt: skip
def test_a_file_that_a_list_names_for_one_clip_does_that_clip_again(
    tmp_path: Path, folder: str, changed: str
) -> None:
    here = tmp_path / folder
    put_clips(here, "a.bvh", "b.bvh")
    (here / "m.csv").write_text("clip,environment\na.bvh,room.yaml\nb.bvh,\n", encoding="utf-8")
    (here / "room.yaml").write_text("parts:\n  - file: box.obj\n", encoding="utf-8")
    (here / "box.obj").write_text(BOX.format(5), encoding="utf-8")
    recipe = put_recipe(tmp_path / "r.yaml")

    def names() -> list[str]:
        return run_here(here / "m.csv", tmp_path / "out", recipe).names

    assert names() == ["a.bvh", "b.bvh"] and names() == []
    with (here / changed).open("a", encoding="utf-8") as file:
        file.write("\n" if changed == "room.yaml" else BOX.format(5.5).splitlines()[0] + "\n")
    assert names() == ["a.bvh"]


def test_a_value_that_a_list_changes_does_that_clip_again(tmp_path: Path) -> None:
    put_clips(tmp_path, "a.bvh", "b.bvh")
    manifest, recipe = tmp_path / "m.csv", put_recipe(tmp_path / "r.yaml")
    for value, expected in (("1", ["a.bvh", "b.bvh"]), ("2", ["a.bvh"]), ("2", [])):
        manifest.write_text(f"clip,hand.priority\na.bvh,{value}\nb.bvh,\n", encoding="utf-8")
        assert run_here(manifest, tmp_path / "out", recipe).names == expected


# Failures


def _failed(out: Path, name: str, status: str, **more: Any) -> None:
    """Write down that a clip failed, as an earlier run would have."""
    lines = rows_of(out)
    row = next(row for row in lines if row["clip"] == name)
    row.pop("outputs")
    (out / name).unlink()
    row |= {"status": status, "reason": "as it was", **more}
    text = "".join(json.dumps(each) + "\n" for each in lines)
    (out / "results.jsonl").write_text(text, encoding="utf-8")


def test_failures_are_tried_again_only_when_asked_to(place: Place) -> None:
    (place.library / "bad.bvh").write_text("HIERARCHIE", encoding="utf-8")
    assert place.run().names == ["bad.bvh"]
    assert place.run().names == []
    assert place.run(retry=True).names == ["bad.bvh"]
    put_clip(place.library / "bad.bvh")
    (row,) = place.run().rows
    assert row["status"] == "met"


@pytest.mark.parametrize(
    ("status", "was", "limits", "again"),
    [
        ("out_of_time", 10.0, Limits(10.0), False),
        ("out_of_time", 10.0, Limits(5.0), False),
        ("out_of_time", 10.0, Limits(20.0), True),
        ("out_of_time", 10.0, Limits(), True),
        ("out_of_time", 10.0, Limits(10.0, 9_000_000), False),
        ("out_of_memory", 1_000_000, Limits(99.0, 1_000_000), False),
        ("out_of_memory", 1_000_000, Limits(99.0, 2_000_000), True),
        ("crashed", None, Limits(99.0, 9_000_000), False),
        ("refused", None, Limits(), False),
        ("bug", None, Limits(), False),
    ],
)
def test_a_larger_limit_tries_again_what_took_too_much(
    place: Place, status: str, was: float | None, limits: Limits, again: bool
) -> None:
    _failed(place.out, "a.bvh", status, **({} if was is None else {"limit": was}))
    assert place.run(limits=limits).names == (["a.bvh"] if again else [])


@posix
def test_clips_that_a_full_disk_refused_are_done_once_there_is_room(place: Place) -> None:
    put_clip(place.library / "c.bvh", 40)
    with _small_files(15_000):
        done = place.run()
    assert [row["status"] for row in done.rows] == ["refused"] and "large" in done.rows[0]["reason"]
    assert place.run().names == ["c.bvh"]


class _small_files:
    """As a disk does that is full: a file cannot grow beyond so many bytes."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __enter__(self) -> None:
        self._before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (self._size, self._before[1]))

    def __exit__(self, *_: object) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, self._before)


@posix
def test_a_journal_that_cannot_grow_ends_the_run_and_the_next_goes_on(place: Place) -> None:
    size = (place.out / "results.jsonl").stat().st_size
    put_clips(place.library, "c.bvh", "d.bvh", "e.bvh")
    _small_journal(place, size + 300)
    assert sorted(row["clip"] for row in rows_of(place.out))[:2] == ["a.bvh", "sub/b.bvh"]
    done = place.run()
    assert done.summary.statuses == {"met": 5}
    assert sorted(row["clip"] for row in rows_of(place.out)) == [
        "a.bvh", "c.bvh", "d.bvh", "e.bvh", "sub/b.bvh",
    ]  # fmt: skip
    assert files_below(place.out) - BOOKS == {f"{n}.bvh" for n in ("a", "c", "d", "e", "sub/b")}


def _small_journal(place: Place, size: int) -> None:
    found, order = find_clips(place.library), order_from(place.recipe)

    def full(self: Journal, row: dict[str, Any]) -> None:
        with self.path.open("ab") as file:
            file.write((json.dumps(row) + "\n").encode()[: size - file.tell()])
        raise OSError(28, "No space left on device", str(self.path))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Journal, "add", full)
        with Batch(found, order, place.out, Limits(), Threads(1)) as batch, pytest.raises(OSError):
            list(batch.run(Threads(1)))


# Results that are damaged


@pytest.mark.parametrize("cut", [1, 2, 40, 400])
def test_a_line_that_was_cut_off_is_no_line(place: Place, cut: int) -> None:
    journal = place.out / "results.jsonl"
    rows, content = rows_of(place.out), content_below(place.out)
    journal.write_bytes(journal.read_bytes()[:-cut])
    assert place.run().names == [rows[-1]["clip"]]
    assert [row["clip"] for row in rows_of(place.out)] == [row["clip"] for row in rows]
    assert content_below(place.out) == content


def test_lines_that_come_twice_count_once_and_the_last_counts(place: Place) -> None:
    journal = place.out / "results.jsonl"
    text = journal.read_text(encoding="utf-8")
    journal.write_text(text.replace('"status":"met"', '"status":"refused"') + text + text)
    assert place.run().names == []
    put_clip(place.library / "c.bvh")
    place.run()
    assert sorted(row["clip"] for row in rows_of(place.out)) == ["a.bvh", "c.bvh", "sub/b.bvh"]


def test_lines_that_come_twice_are_once_in_the_table(place: Place) -> None:
    journal = place.out / "results.jsonl"
    journal.write_bytes(journal.read_bytes() * 2)
    assert place.run().names == []
    with (place.out / "results.csv").open(encoding="utf-8", newline="") as file:
        assert sorted(row["clip"] for row in csv.DictReader(file)) == ["a.bvh", "sub/b.bvh"]


@pytest.mark.parametrize(
    "line",
    [
        b"no json", b"[1, 2]", b"\0\0\0", b"\xff\xfe\xfd", b"", b"null", b'{"clip": "c.bvh"}',
        b'{"clip": 5, "status": "met"}', b'{"clip": "gone.bvh", "status": "met"}',
        b'{"clip": "a.bvh", "status": ["met"]}',
        pytest.param(b'{"clip": ["a"], "status": "met"}'),
        pytest.param(b'{"clip": "a.bvh", "status": "met", "outputs": [1]}'),
        pytest.param(b'{"clip":"a.bvh","status":"met","outputs":{"clip": {}}}'),
        pytest.param(b'{"clip": "gone.bvh", "status": "met", "outputs": "x"}'),
        pytest.param(b'{"clip": "gone.bvh", "status": "met", "before": [1]}'),
        pytest.param(b'{"clip": "gone.bvh", "status": "met", "frames": NaN}'),
        pytest.param(b"[" * 100_000),
    ],
    ids=lambda line: line.decode("ascii", "replace")[:60],
)  # fmt: skip
def test_a_line_of_garbage_is_passed_over(place: Place, line: bytes) -> None:
    with (place.out / "results.jsonl").open("ab") as file:
        file.write(line + b"\n")
    put_clip(place.library / "c.bvh")
    assert "c.bvh" in place.run().names
    rows = {row["clip"]: row["status"] for row in rows_of(place.out)}
    assert [rows[name] for name in ("a.bvh", "c.bvh", "sub/b.bvh")] == ["met"] * 3
    assert place.run().names == []


def test_results_that_are_gone_altogether_are_made_again(place: Place) -> None:
    content = content_below(place.out)
    (place.out / "results.jsonl").unlink()
    assert place.run().names == ["a.bvh", "sub/b.bvh"]
    assert content_below(place.out) == content


# Files of others


def test_an_output_that_was_changed_by_hand_is_made_again_and_kept(place: Place) -> None:
    content = content_below(place.out)
    (place.out / "a.bvh").write_text("mine", encoding="utf-8")
    assert place.run().names == ["a.bvh"]
    assert content_below(place.out) == content | {"a.by_hand_1.bvh": b"mine"}


def test_an_output_that_was_changed_by_hand_is_kept_aside(place: Place) -> None:
    for number in (1, 2):
        (place.out / "a.bvh").write_text(f"mine {number}", encoding="utf-8")
        put_clip(place.library / "a.bvh", 24 + number)
        (row,) = place.run().rows
        aside = f"a.by_hand_{number}.bvh"
        assert row["notes"][-1] == f"a.bvh had been changed by hand: kept as {aside}"
        assert (place.out / aside).read_text(encoding="utf-8") == f"mine {number}"
        assert (place.out / "a.bvh").read_bytes().startswith(b"HIERARCHY")
    assert (place.out / "a.by_hand_1.bvh").read_text(encoding="utf-8") == "mine 1"
    assert place.run().names == []


def test_an_output_that_was_changed_by_hand_is_kept_when_the_clip_fails(place: Place) -> None:
    (place.out / "a.bvh").write_text("mine", encoding="utf-8")
    (place.library / "a.bvh").write_text("broken", encoding="utf-8")
    (row,) = place.run().rows
    assert row["status"] == "refused" and not (place.out / "a.bvh").exists()
    assert (place.out / "a.by_hand_1.bvh").read_text(encoding="utf-8") == "mine"


def test_a_file_that_no_run_has_written_is_kept_aside(place: Place) -> None:
    (place.out / "c.bvh").write_text("mended by hand", encoding="utf-8")
    put_clip(place.library / "c.bvh")
    place.run()
    kept = [path.read_bytes() for path in place.out.iterdir() if path.is_file()]
    assert b"mended by hand" in kept


@pytest.mark.parametrize("moment", [1, pytest.param(2), pytest.param(3)])
def test_what_a_killed_run_has_put_in_place_is_not_taken_for_others_work(
    place: Place, moment: int
) -> None:
    """Two files are moved, then the row is written: it ends before each of the three."""
    put_recipe(place.recipe, "outputs: {before: x.bvh}\n")
    place.run()
    put_clip(place.library / "a.bvh", 25)
    left = moment

    def or_killed(real: Callable[..., Any]) -> Callable[..., Any]:
        def act(*given: Any) -> Any:
            nonlocal left
            writes = isinstance(given[0], Journal)
            left -= writes or (".poise" in str(given[0]) and ".poise" not in str(given[1]))
            if not left:
                raise KeyboardInterrupt
            return real(*given)

        return act

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("poise.apps.batch.output_folder.os.replace", or_killed(os.replace))
        patch.setattr(Journal, "add", or_killed(Journal.add))
        with pytest.raises(KeyboardInterrupt):
            place.run()
    assert place.run().names == ["a.bvh"]
    names = {"a.bvh", "a.before.bvh", "sub/b.bvh", "sub/b.before.bvh"}
    assert files_below(place.out) - BOOKS == names
    other = run_here(place.library, place.out.with_name("other"), place.recipe)
    assert other.names == ["a.bvh", "sub/b.bvh"]
    assert content_below(place.out) == content_below(place.out.with_name("other"))


def test_an_output_that_cannot_be_put_in_its_place_costs_that_clip_only(place: Place) -> None:
    (place.out / "big.bvh" / "mine").mkdir(parents=True)
    put_clip(place.library / "big.bvh", 40)
    put_clip(place.library / "c.bvh")
    done = place.run()
    assert {row["clip"]: row["status"] for row in done.rows} == {
        "big.bvh": "refused", "c.bvh": "met",
    }  # fmt: skip


# Names of outputs


def outputs(out: Path) -> dict[str, dict[str, str]]:
    return {row["clip"]: outputs_of(row) for row in rows_of(out)}


def all_differ(out: Path) -> None:
    """Every file belongs to one clip, and is what its row says."""
    names = [name.lower() for each in outputs(out).values() for name in each.values()]
    assert names and len(set(names)) == len(names), outputs(out)
    assert not {*names} & {name.lower() for name in BOOKS}


def test_clips_that_would_have_one_name_keep_their_extensions(tmp_path: Path) -> None:
    place = Place(tmp_path)
    put_clips(place.library, "a.bvh", "a.npz", "b.npz")
    place.run(form="bvh")
    assert outputs(place.out) == {
        "a.bvh": {"clip": "a.bvh.bvh"},
        "a.npz": {"clip": "a.npz.bvh"},
        "b.npz": {"clip": "b.bvh"},
    }
    assert place.run(form="bvh").names == []


def test_a_clip_that_comes_to_share_a_name_moves_the_other(tmp_path: Path) -> None:
    place = Place(tmp_path)
    put_clips(place.library, "a.bvh")
    place.run(form="bvh")
    put_clips(place.library, "a.npz")
    assert place.run(form="bvh").names == ["a.bvh", "a.npz"]
    assert files_below(place.out) - BOOKS == {"a.bvh.bvh", "a.npz.bvh"}


@pytest.mark.slow
def test_no_clip_takes_the_name_of_a_table_or_the_page(tmp_path: Path) -> None:
    place = Place(tmp_path)
    put_clips(place.library, "library.bvh", "results.bvh", "Library.npz")
    place.run(pages=True)
    all_differ(place.out)
    assert BOOKS - {"library.html"} <= files_below(place.out)


@pytest.mark.parametrize(
    ("names", "more", "written"),
    [
        pytest.param(("a.bvh", "a.npz"), {"pages": True}, "", id="reports"),
        pytest.param(("a.bvh", "a.glb"), {}, "outputs: {glb: x.glb}\n", id="glb beside"),
        pytest.param(("a.bvh", "a.before.bvh"), {}, "outputs: {before: x.bvh}\n", id="before"),
        pytest.param(("a.bvh", "a.npz", "a.bvh.bvh"), {"form": "bvh"}, "", id="longer name"),
    ],
)
def test_no_file_belongs_to_two_clips(
    tmp_path: Path, names: tuple[str, ...], more: dict[str, Any], written: str
) -> None:
    place = Place(tmp_path)
    put_clips(place.library, *names)
    put_recipe(place.recipe, written)
    place.run(**more)
    all_differ(place.out)


def test_a_run_over_some_clips_does_not_write_over_those_of_others(tmp_path: Path) -> None:
    place = Place(tmp_path)
    put_clips(place.library, "a.bvh", "a.npz")
    place.run(form="bvh", only=("*.bvh",))
    place.run(form="bvh", only=("*.npz",))
    all_differ(place.out)


def test_a_run_over_some_clips_gives_them_the_same_names(tmp_path: Path) -> None:
    place = Place(tmp_path)
    put_clips(place.library, "a.bvh", "a.npz")
    place.run(form="bvh")
    assert place.run(form="bvh", only=("*.bvh",)).names == []


def test_a_clip_and_a_folder_may_come_to_have_one_name(tmp_path: Path) -> None:
    place = Place(tmp_path)
    put_clips(place.library, "x.npz", "x.bvh/y.bvh")
    done = place.run(form="bvh")
    assert {row["status"] for row in done.rows} == {"met"}


# The folder


def test_a_folder_with_files_of_others_is_refused(tmp_path: Path) -> None:
    place = Place(tmp_path)
    put_clips(place.library, "a.bvh")
    place.out.mkdir()
    (place.out / "thesis.tex").touch()
    with pytest.raises(FileProblem, match="expected a new or empty folder, found files in it"):
        place.run()
    assert files_below(place.out) == {"thesis.tex"}


def test_an_empty_folder_will_do_and_a_file_will_not(tmp_path: Path) -> None:
    place = Place(tmp_path)
    put_clips(place.library, "a.bvh")
    place.out.mkdir()
    assert place.run().names == ["a.bvh"]
    place.out = tmp_path / "file"
    place.out.touch()
    with pytest.raises(FileProblem, match="expected a folder for the results, found a file"):
        place.run()


def test_the_library_itself_is_refused(tmp_path: Path) -> None:
    place = Place(tmp_path)
    put_clips(place.library, "a.bvh")
    place.out = place.library
    before = stamps_below(place.library)
    with pytest.raises(FileProblem):
        place.run()
    (place.library / "m.txt").write_text("a.bvh\n", encoding="utf-8")
    with pytest.raises(FileProblem, match=r"found one where a\.bvh is a clip"):
        run_here(place.library / "m.txt", place.library, place.recipe)
    assert {n: s for n, s in stamps_below(place.library).items() if n in before} == before
    assert files_below(place.library) == {"a.bvh", "m.txt"}


def test_the_library_itself_is_refused_as_what_it_is(tmp_path: Path) -> None:
    place = Place(tmp_path)
    put_clips(place.library, "a.bvh")
    place.out = place.library
    with pytest.raises(FileProblem, match="apart from the results"):
        place.run()


def test_results_below_the_library_are_fine(tmp_path: Path) -> None:
    place = Place(tmp_path)
    put_clips(place.library, "a.bvh", "sub/b.bvh")
    place.out = place.library / "sub" / "out"
    assert place.run().names == ["a.bvh", "sub/b.bvh"] and place.run().names == []


def test_two_batches_cannot_have_one_folder(place: Place) -> None:
    found, order = find_clips(place.library), order_from(place.recipe)
    with Batch(found, order, place.out, Limits(), Threads(1)):
        with pytest.raises(FileProblem, match="no other batch writes to, found one at work"):
            place.run()
        with pytest.raises(FileProblem, match="one at work"):
            place.run()
    assert place.run().names == []


@posix
def test_a_folder_that_may_not_be_written_to_is_said(tmp_path: Path) -> None:
    put_clips(tmp_path / "library", "a.bvh")
    put_recipe(tmp_path / "r.yaml")
    (tmp_path / "closed").mkdir(mode=0o555)
    tmp_path.chmod(0o755)
    done = _as_nobody(
        tmp_path, "batch", "library", "--recipe", "r.yaml", "--out", "closed/out", "-j", "1"
    )
    assert done.returncode == 2 and done.stdout == "", done.stderr
    assert done.stderr == "poise: closed/out: Permission denied.\n"


def _as_nobody(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`poise` in a folder, without the rights of the superuser."""
    code = (
        "import os\n"
        "os.fchdir({folder})\n"
        "import encodings.utf_8_sig\n"
        "import poise.apps.batch.run, poise.apps.cli.main, psutil\n"
        "if os.geteuid() == 0:\n    os.setuid(65534)\n"
        "poise.apps.cli.main.main()\n"
    )
    handle = os.open(folder, os.O_RDONLY)
    try:
        return subprocess.run(
            [sys.executable, "-c", code.format(folder=handle), *arguments],
            capture_output=True, text=True, check=False, pass_fds=(handle,),
        )  # fmt: skip
    finally:
        os.close(handle)


# While it runs


class _Between:
    """An executor that lets something happen before each job."""

    worker_count = 1

    def __init__(self, happens: Callable[[int], object]) -> None:
        self._happens = happens

    def run(self, work: Any, jobs: Any) -> Generator[Any, None, None]:
        def watched() -> Generator[Any, None, None]:
            for number, job in enumerate(jobs):
                self._happens(number)
                yield job

        yield from Threads(1).run(work, watched())


def test_a_recipe_that_is_edited_while_it_is_followed_is_for_the_next_run(place: Place) -> None:
    content = content_below(place.out)
    other = Place(place.library.parent)
    other.out = place.library.parent / "other"
    found, order = find_clips(place.library), order_from(place.recipe)

    def edit(number: int) -> None:
        if number == 1:
            place.recipe.write_text("no recipe at all", encoding="utf-8")

    with Batch(found, order, other.out, Limits(), Threads(1)) as batch:
        rows = list(batch.run(_Between(edit)))  # type: ignore[arg-type]
    assert {row["status"] for row in rows} == {"met"}
    assert content_below(other.out) == content
    with pytest.raises(PoiseError):
        other.run()


def test_a_clip_that_changes_while_it_waits_is_done_as_it_then_is(tmp_path: Path) -> None:
    place = Place(tmp_path)
    put_clips(place.library, "a.bvh", "b.bvh")

    def edit(number: int) -> None:
        if number == 1:
            put_clip(place.library / "a.bvh", 27)
            put_clip(place.library / "b.bvh", 27)

    with Batch(
        find_clips(place.library), order_from(place.recipe), place.out, Limits(), Threads(1)
    ) as batch:
        first, second = list(batch.run(_Between(edit)))  # type: ignore[arg-type]
    assert second["frames"] == 27 and first["frames"] != 27
    assert place.run().names == [first["clip"]]


def test_interrupted_runs_go_on(tmp_path: Path) -> None:
    place = Place(tmp_path)
    put_clips(place.library, *(f"{i}.bvh" for i in range(6)))
    seen: list[str] = []
    for stop in (1, 2, 1):
        with Batch(
            find_clips(place.library), order_from(place.recipe), place.out, Limits(), Threads(1)
        ) as b:
            rows = b.run(Threads(1))
            seen += [next(rows)["clip"] for _ in range(stop)]
            rows.close()  # type: ignore[attr-defined]
            summary = b.summary()
            assert summary.left == 6 - len(seen) and summary.statuses["met"] == len(seen)
        assert files_below(place.out) - BOOKS == set(seen)
    seen += place.run().names
    assert sorted(seen) == sorted(f"{i}.bvh" for i in range(6))
    assert len(rows_of(place.out)) == 6


# One worker or two


@pytest.mark.slow
def test_results_are_the_same_bits_with_one_worker_or_two_or_none(tmp_path: Path) -> None:
    place = Place(tmp_path)
    put_clips(place.library, "a.bvh", "b.npz", "c.glb", "d.bvh")
    here = place.run()
    rows = {row["clip"]: (row["before"], row["after"]) for row in here.rows}
    found, order = find_clips(place.library), order_from(place.recipe)
    for workers in (1, 2):
        out = tmp_path / f"out_{workers}"
        with (
            Batch(found, order, out, Limits(), Threads(1)) as batch,
            Supervised(workers) as executor,
        ):
            made = {row["clip"]: (row["before"], row["after"]) for row in batch.run(executor)}
        assert made == rows
        assert content_below(out) == content_below(place.out)
    assert not [t for t in threading.enumerate() if t.name.startswith("poise-job")]
