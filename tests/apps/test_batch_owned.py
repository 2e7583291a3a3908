"""The folder of results: a batch's own, and not trusted.

Whatever it holds, nothing outside of it changes.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from poise.apps.report.library_page import library_html
from poise.errors import FileProblem
from tests.apps.batch_runs import (
    BOOKS,
    Ran,
    content_below,
    files_below,
    put_clip,
    put_clips,
    put_recipe,
    row_of,
    rows_of,
    run_here,
    stamps_below,
)

posix = pytest.mark.skipif(os.name == "nt", reason="files and links as on POSIX systems")
MARKER = ".poise/batch/marker"


class Place:
    """A library of two clips that are done, and files of somebody else beside the results."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.library, self.out = folder / "library", folder / "out"
        self.outside = folder / "outside"
        self.recipe = put_recipe(folder / "r.yaml")
        put_clips(self.library, "a.bvh", "sub/b.bvh")
        (self.outside / "staging-mine").mkdir(parents=True, exist_ok=True)
        (self.outside / "staging-mine" / "thesis.tex").write_text("mine", encoding="utf-8")
        (self.outside / "a.bvh").write_text("mine", encoding="utf-8")

    def run(self, **more: Any) -> Ran:
        return run_here(self.library, self.out, self.recipe, **more)

    @property
    def journal(self) -> Path:
        return self.out / "results.jsonl"

    def write(self, *rows: Any) -> None:
        """A journal of such rows."""
        self.journal.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    def others(self) -> dict[str, tuple[int, int]]:
        """All that is not the batch's, and when it was written."""
        return {
            name: stamp
            for name, stamp in stamps_below(self.folder).items()
            if not name.startswith("out/")
        }


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = Place(tmp_path_factory.mktemp("done"))
    assert made.run().names == ["a.bvh", "sub/b.bvh"]
    return made.folder


@pytest.fixture
def place(done: Path, tmp_path: Path) -> Place:
    shutil.copytree(done, tmp_path, dirs_exist_ok=True)
    return Place(tmp_path)


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


# Its own


def test_a_studio_project_is_not_a_folder_of_results(tmp_path: Path) -> None:
    place = Place(tmp_path)
    put_clips(place.out, "a.bvh", "sub/b.bvh")
    (place.out / ".poise" / "studio").mkdir(parents=True)
    (place.out / ".poise" / "studio" / "document.json").write_text("{}", encoding="utf-8")
    (place.out / "results.jsonl").write_text("", encoding="utf-8")
    (place.out / ".notes.tmp").write_text("mine", encoding="utf-8")
    before = stamps_below(place.out)
    with pytest.raises(FileProblem, match="expected a new or empty folder, found files in it"):
        place.run()
    assert stamps_below(place.out) == before


def test_an_empty_studio_project_is_not_a_folder_of_results(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (place.out / ".poise" / "studio").mkdir(parents=True)
    with pytest.raises(FileProblem, match="expected a new or empty folder"):
        place.run()


def test_a_studio_that_looks_at_results_leaves_them_a_batch_s(place: Place) -> None:
    (place.out / ".poise" / "studio").mkdir()
    (place.out / ".poise" / "studio" / "document.json").write_text("{}", encoding="utf-8")
    (place.out / ".notes.tmp").write_text("mine", encoding="utf-8")
    put_clip(place.library / "c.bvh")
    assert place.run().names == ["c.bvh"]
    assert {".poise/studio/document.json", ".notes.tmp"} <= files_below(place.out)


def test_a_folder_whose_marker_is_gone_is_refused(place: Place) -> None:
    (place.out / MARKER).unlink()
    before = stamps_below(place.out)
    with pytest.raises(FileProblem, match="expected a new or empty folder"):
        place.run()
    assert stamps_below(place.out) == before


def test_a_run_that_was_killed_before_its_first_clip_is_gone_on_with(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (place.out / ".poise" / "batch").mkdir(parents=True)
    (place.out / ".poise" / "batch" / "lock").touch()
    assert place.run().names == ["a.bvh", "sub/b.bvh"]


def test_a_library_below_the_results_is_refused(place: Place) -> None:
    put_clips(place.out / "mine", "c.bvh")
    place.library = place.out / "mine"
    with pytest.raises(FileProblem, match="expected a folder apart from the clips"):
        place.run()


@posix
@pytest.mark.parametrize("name", [".poise", ".poise/batch"])
def test_an_own_folder_that_is_a_link_is_refused(place: Place, name: str) -> None:
    far = place.outside / "far"
    os.rename(place.out / name, far)
    (far / "staging-mine").mkdir()
    (far / "staging-mine" / "thesis.tex").write_text("mine", encoding="utf-8")
    (place.out / name).symlink_to(far, target_is_directory=True)
    before = place.others()
    with pytest.raises(FileProblem, match="out"):
        place.run()
    assert place.others() == before


@posix
@pytest.mark.parametrize("kind", ["link", "link to nothing", "pipe", "folder"])
@pytest.mark.parametrize(
    "name", ["results.jsonl", "results.csv", "library.html", ".poise/batch/lock", MARKER]
)
def test_a_book_that_is_no_plain_file_is_refused(place: Place, name: str, kind: str) -> None:
    path, far = place.out / name, place.outside / "far"
    if path.exists():
        os.rename(path, far)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(far if kind == "link" else place.outside / "nothing")
    put_clip(place.library / "c.bvh")
    before = place.others()
    with pytest.raises(FileProblem, match="out"):
        place.run()
    assert place.others() == before


@posix
def test_a_journal_that_is_a_hard_link_is_not_written_through(place: Place) -> None:
    os.link(place.journal, place.outside / "far.jsonl")
    before = (place.outside / "far.jsonl").read_bytes()
    put_clip(place.library / "c.bvh")
    assert place.run().names == ["c.bvh"]
    assert (place.outside / "far.jsonl").read_bytes() == before and len(rows_of(place.out)) == 3


@posix
def test_results_are_not_put_through_a_link_that_leads_out(place: Place) -> None:
    far = place.outside / "far"
    os.rename(place.out / "sub", far)
    (place.out / "sub").symlink_to(far, target_is_directory=True)
    put_clip(place.library / "sub" / "b.bvh", 30)
    before = place.others()
    (row,) = place.run().rows
    assert row["status"] == "refused" and "outside" in row["reason"] and row["passing"]
    assert place.others() == before


# A hostile journal


PATHS = {
    "up": "../outside/{victim}",
    "up again": "{clip}.bvh/../../outside/{victim}",
    "up from a name of the clip": "{clip}./../../outside/{victim}",
    "whole": "{outside}/{victim}",
    "whole with two slashes": "/{outside}/{victim}",
    "link": "link/{victim}",
    "link called like the clip": "{clip}.link/{victim}",
    "drive": "C:/outside/{victim}",
    "drive called like the clip": "{clip}.:/../outside/{victim}",
    "backslashes": "..\\outside\\{victim}",
    "share": "\\\\server\\share\\{victim}",
    "stream": "{clip}.bvh:stream",
    "dot": ".",
    "nothing": "",
    "null": "{clip}.\0",
    "endless": "{clip}." + "x" * 100_000,
    "surrogate": "{clip}.\ud800",
    "journal": "results.jsonl",
    "marker": MARKER,
    "another clip's": "sub/b.bvh",
    "library": "../library/sub/b.bvh",
}
"""What a journal may call a file: most lead out of the folder."""


@posix
def test_a_hostile_journal_changes_nothing_outside(place: Place) -> None:
    """Each clip has a row that calls a file its own; those there are have the right hashes."""
    clips = {f"c{number}": name for number, name in enumerate(PATHS.values())}
    put_clips(place.library, *(f"{clip}.bvh" for clip in clips))
    place.run()
    rows = {row["clip"]: row for row in rows_of(place.out)}
    for link in ("link", *(f"{clip}.link" for clip in clips)):
        (place.out / link).symlink_to(place.outside, target_is_directory=True)
    for clip, name in clips.items():
        victim = place.outside / f"{clip}.bvh"
        victim.write_text("mine", encoding="utf-8")
        said = name.format(clip=clip, victim=victim.name, outside=place.outside)
        try:
            found = place.out / said
            size, digest = found.stat().st_size, sha256(found)
        except (OSError, ValueError):
            size, digest = 4, sha256(victim)
        row = rows[f"{clip}.bvh"]
        row["outputs"] = row["outputs"] | {
            "report": {"file": said, "bytes": size, "sha256": digest}
        }
    place.write(*rows.values())
    for clip in clips:
        put_clip(place.library / f"{clip}.bvh", 31)
    before, kept = place.others(), sha256(place.out / "sub" / "b.bvh")
    marker = (place.out / MARKER).read_bytes()
    assert place.run().names == sorted(f"{clip}.bvh" for clip in clips)
    assert place.others() == before and (place.out / MARKER).read_bytes() == marker
    assert sha256(place.out / "sub" / "b.bvh") == kept
    assert {row["status"] for row in rows_of(place.out)} == {"met"} and place.run().names == []


def test_books_are_no_results_of_a_clip_that_is_called_like_them(place: Place) -> None:
    put_clip(place.library / "results.bvh")
    place.run()
    row, table = row_of(place.out, "results.bvh"), place.out / "results.csv"
    size, digest = table.stat().st_size, sha256(table)
    row["outputs"] |= {"report": {"file": "results.csv", "bytes": size, "sha256": digest}}
    row["outputs"] |= {"before": {"file": "results.jsonl", "bytes": size, "sha256": digest}}
    place.write(row, row_of(place.out, "a.bvh"), row_of(place.out, "sub/b.bvh"))
    assert place.run().names == ["results.bvh"] and not list(place.out.glob("*by_hand*"))
    assert len(rows_of(place.out)) == 3


@posix
def test_a_folder_of_results_that_is_a_link_to_itself_costs_its_clips(place: Place) -> None:
    shutil.rmtree(place.out / "sub")
    (place.out / "sub").symlink_to("sub")
    (place.out / ".results.csv.0123456789ab.tmp").mkdir()
    (row,) = place.run().rows
    assert row["clip"] == "sub/b.bvh" and row["status"] == "refused"


@pytest.mark.parametrize("key", ["clip", "outputs"])
def test_a_row_of_a_clip_that_is_gone_changes_nothing_either(place: Place, key: str) -> None:
    row = row_of(place.out, "a.bvh")
    other = {"file": "../outside/a.bvh", "bytes": 4, "sha256": sha256(place.outside / "a.bvh")}
    gone = {**row, "clip": "../outside/a.bvh" if key == "clip" else "gone.bvh"}
    place.write(gone | {"outputs": {"clip": other}}, row, row_of(place.out, "sub/b.bvh"))
    before = place.others()
    assert place.run().names == [] and place.others() == before


def test_a_row_that_claims_a_result_without_a_file_is_done_again(place: Place) -> None:
    place.write({**row_of(place.out, "a.bvh"), "outputs": {}}, row_of(place.out, "sub/b.bvh"))
    assert place.run().names == ["a.bvh"]


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 300_000,
        b'{"clip":' * 100_000,
        b'{"clip": "c.bvh", "reason": "' + b"x" * 60_000_000 + b'"}',
        b'{"clip": "a.bvh", "status": "out_of_time", "limit": ' + b"9" * 5000 + b"}",
        b"\xff" * 1000 + b"\0" * 1000,
    ],
    ids=["deep lists", "deep objects", "endless", "huge number", "noise"],
)
def test_a_line_that_nobody_can_read_is_passed_over(place: Place, line: bytes) -> None:
    with place.journal.open("ab") as file:
        file.write(line + b"\n")
    put_clip(place.library / "c.bvh")
    assert place.run().names == ["c.bvh"]
    assert sorted(row["clip"] for row in rows_of(place.out)) == ["a.bvh", "c.bvh", "sub/b.bvh"]
    assert place.journal.stat().st_size < 100_000


_ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    | st.sampled_from(["=1+1", "../x", "\ud800", "a.bvh", "met", "refused", 10**400, -(10**400)]),
    lambda inside: st.lists(inside, max_size=3)
    | st.dictionaries(st.text(max_size=5), inside, max_size=3),
    max_leaves=4,
)  # fmt: skip
_KEYS = (
    "clip", "status", "reason", "frames", "rate_hz", "seconds", "attempts", "peak_mb", "finished",
    "poise", "input_sha256", "recipe_sha256", "before", "after", "outputs", "notes", "passing",
    "limit", "stages_s",
)  # fmt: skip


@pytest.fixture(scope="module")
def shared(done: Path, tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("shared")
    shutil.copytree(done, folder, dirs_exist_ok=True)
    return Place(folder)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(changes=st.dictionaries(st.sampled_from(_KEYS), _ODD, min_size=1, max_size=4),
       status=st.sampled_from(["met", "out_of_time", "out_of_memory", "refused"]))  # fmt: skip
def test_rows_of_any_content_are_used_or_done_again(
    shared: Place, changes: dict[str, Any], status: str
) -> None:
    good = row_of(shared.out, "a.bvh"), row_of(shared.out, "sub/b.bvh")
    shared.write(good[1], {**good[0], "status": status, "limit": 1.0, **changes})
    before = shared.others()
    done = shared.run()
    assert set(done.names) <= {"a.bvh"} and shared.others() == before
    rows = rows_of(shared.out)
    assert library_html(iter(rows), "library")
    shared.write(*good)
    shared.run()
    kept = [row for row in rows_of(shared.out) if row["clip"] in ("a.bvh", "sub/b.bvh")]
    assert [row["status"] for row in kept] == ["met"] * 2
    for aside in shared.out.glob("*by_hand*"):
        aside.unlink()


# What is there, by its content


def _longer(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n")


def _other_byte(path: Path) -> None:
    """Another content of the same size and time."""
    status, content = path.stat(), path.read_bytes()
    path.write_bytes(content[:-2] + bytes([content[-2] ^ 1]) + content[-1:])
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _link(path: Path) -> None:
    far = path.parent.parent / "outside" / "moved.bvh"
    os.rename(path, far)
    path.symlink_to(far)


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


@posix
@pytest.mark.parametrize("harm", [_longer, _other_byte, _link, _pipe, _sparse])
def test_an_output_is_known_by_its_size_and_hash(place: Place, harm: Any) -> None:
    content = content_below(place.out)
    harm(place.out / "a.bvh")
    before = place.others()
    (row,) = place.run().rows
    assert row["clip"] == "a.bvh" and row["status"] == "met"
    assert row["notes"][-1].endswith("kept as a.by_hand_1.bvh")
    assert os.path.lexists(place.out / "a.by_hand_1.bvh") and place.others() == before
    (place.out / "a.by_hand_1.bvh").unlink()
    assert content_below(place.out) == content and place.run().names == []


def test_all_is_there_that_a_batch_keeps(place: Place) -> None:
    assert files_below(place.out) == {"a.bvh", "sub/b.bvh"} | BOOKS - {"library.html"}
