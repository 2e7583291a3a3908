"""Which clips a batch is about: trees with all that file systems hold, and lists by people."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from poise.apps.batch.library import Entry, find_clips
from poise.apps.batch.naming import Naming
from poise.errors import FileProblem, PoiseError
from poise.job import Change, Outputs, Recipe, Step, recipe_from_text
from poise.methods.correct import Settings as CorrectSettings
from tests.apps.batch_runs import (
    files_below,
    outputs_of,
    put_clip,
    put_clips,
    put_recipe,
    row_of,
    rows_of,
    run_here,
)

posix = pytest.mark.skipif(os.name == "nt", reason="names and links as on POSIX systems")

ODD_NAMES = (
    "a b.bvh", "it's.bvh", "#1.bvh", "é ü.bvh", "日本.bvh", "%41.bvh", "-x.bvh", "=1+1.bvh",
    "[x].bvh", "a.b.c.bvh", "UP.BVH", "$HOME.bvh", "{0}.bvh", "~.bvh",
)  # fmt: skip
POSIX_NAMES = (
    '"q".bvh',
    "*.bvh",
    "back\\slash.bvh",
    "colon: x.bvh",
    "two\nlines.bvh",
    "\x1b[1m.bvh",
)


def touch(folder: Path, *names: str) -> Path:
    """Files that need not be read."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return folder


def names_in(source: Path, **more: object) -> list[str]:
    return [entry.name for entry in find_clips(source, **more).entries]  # type: ignore[arg-type]


def listed(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


# Trees


def test_clips_below_a_folder_are_found_in_order_and_others_counted(tmp_path: Path) -> None:
    touch(tmp_path, "b.bvh", "a.npz", "sub/deep/c.glb", "sub/d.amc", "sub/d.asf", "e.gltf", "f.txt")
    found = find_clips(tmp_path)
    assert [e.name for e in found.entries] == [
        "a.npz", "b.bvh", "e.gltf", "sub/d.amc", "sub/deep/c.glb",
    ]  # fmt: skip
    assert [each.name for each in found.left_alone] == ["f.txt", "sub/d.asf"]
    assert all(entry.path.is_file() and entry.path.is_absolute() for entry in found.entries)


def test_extensions_may_be_written_large(tmp_path: Path) -> None:
    touch(tmp_path, "A.BVH", "b.Npz", "C.GLB")
    assert names_in(tmp_path) == ["A.BVH", "C.GLB", "b.Npz"]


def test_what_is_hidden_is_left_alone(tmp_path: Path) -> None:
    touch(tmp_path, "a.bvh", ".b.bvh", ".git/c.bvh", "sub/.d.bvh", "sub/._e.bvh")
    found = find_clips(tmp_path)
    assert [entry.name for entry in found.entries] == ["a.bvh"]
    assert {each.reason for each in found.left_alone} == {"a hidden file"}
    assert len(found.left_alone) == 3


def test_a_hidden_folder_that_is_asked_for_is_looked_through(tmp_path: Path) -> None:
    touch(tmp_path, ".captures/a.bvh")
    assert names_in(tmp_path / ".captures") == ["a.bvh"]


def test_the_folder_of_results_is_not_walked(tmp_path: Path) -> None:
    touch(tmp_path, "a.bvh", "out/b.bvh", "sub/out/c.bvh")
    assert names_in(tmp_path, leave_out=(tmp_path / "out",)) == ["a.bvh", "sub/out/c.bvh"]
    assert names_in(tmp_path, leave_out=(tmp_path / "sub" / ".." / "out",))[0] == "a.bvh"


@posix
def test_the_folder_of_results_is_not_walked_through_a_link_either(tmp_path: Path) -> None:
    touch(tmp_path, "a.bvh", "out/b.bvh")
    (tmp_path / "link").symlink_to("out", target_is_directory=True)
    assert names_in(tmp_path, leave_out=(tmp_path / "out",)) == ["a.bvh"]
    assert names_in(tmp_path, leave_out=(tmp_path / "link",)) == ["a.bvh"]


def test_results_of_another_batch_below_the_library_are_no_clips(tmp_path: Path) -> None:
    put_clips(tmp_path / "library", "a.bvh")
    recipe = put_recipe(tmp_path / "r.yaml")
    run_here(tmp_path / "library", tmp_path / "library" / "first", recipe)
    second = run_here(tmp_path / "library", tmp_path / "library" / "second", recipe)
    assert second.names == ["a.bvh"]


@posix
def test_links_are_followed_and_loops_end(tmp_path: Path) -> None:
    touch(tmp_path, "lib/real/a.bvh", "elsewhere/b.bvh")
    (tmp_path / "lib" / "far").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (tmp_path / "lib" / "real" / "up").symlink_to("..", target_is_directory=True)
    (tmp_path / "lib" / "self").symlink_to(".", target_is_directory=True)
    (tmp_path / "lib" / "c.bvh").symlink_to(tmp_path / "elsewhere" / "b.bvh")
    assert names_in(tmp_path / "lib") == ["c.bvh", "far/b.bvh", "real/a.bvh"]


@posix
def test_what_is_no_file_is_a_row_that_says_so(tmp_path: Path) -> None:
    library = put_clips(tmp_path / "library", "a.bvh")
    (library / "broken.bvh").symlink_to("nowhere")
    os.mkfifo(library / "pipe.bvh")
    put_clips(library / "folder.bvh", "b.bvh")
    done = run_here(library, tmp_path / "out", put_recipe(tmp_path / "r.yaml"))
    assert done.names == ["a.bvh", "broken.bvh", "folder.bvh/b.bvh", "pipe.bvh"]
    statuses = {row["clip"]: (row["status"], row["reason"]) for row in done.rows}
    assert statuses["a.bvh"][0] == statuses["folder.bvh/b.bvh"][0] == "met"
    assert statuses["broken.bvh"] == (
        "refused",
        f"{library / 'broken.bvh'}: expected an existing file, found nothing there.",
    )
    assert statuses["pipe.bvh"][0] == "refused" and "found a pipe" in statuses["pipe.bvh"][1]


@posix
def test_a_link_to_itself_costs_that_clip_only(tmp_path: Path) -> None:
    library = put_clips(tmp_path / "library", "a.bvh")
    (library / "loop.bvh").symlink_to("loop.bvh")
    done = run_here(library, tmp_path / "out", put_recipe(tmp_path / "r.yaml"))
    assert {row["clip"]: row["status"] for row in done.rows} == {
        "a.bvh": "met", "loop.bvh": "refused",
    }  # fmt: skip


@posix
def test_a_folder_that_may_not_be_entered_is_an_error_not_silence(tmp_path: Path) -> None:
    library = touch(tmp_path / "library", "a.bvh", "closed/b.bvh")
    (library / "closed").chmod(0o000)
    tmp_path.chmod(0o755)
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from poise.apps.batch.library import find_clips\n"
        "if os.geteuid() == 0:\n    os.setuid(65534)\n"
        "try:\n    find_clips(Path('library'))\n"
        "except OSError as refused:\n    print(type(refused).__name__, refused.filename)\n"
    )
    try:
        folder = os.open(tmp_path, os.O_RDONLY)
        done = subprocess.run(
            [sys.executable, "-c", f"import os; os.fchdir({folder})\n{code}"],
            capture_output=True, text=True, check=False, pass_fds=(folder,),
        )  # fmt: skip
        os.close(folder)
    finally:
        (library / "closed").chmod(0o755)
    assert done.stdout == "PermissionError library/closed\n", done.stderr


def test_a_folder_without_clips_says_what_was_looked_for(tmp_path: Path) -> None:
    touch(tmp_path, "notes.txt", "x.fbx")
    with pytest.raises(FileProblem, match=r"clips \(\.bvh, .*\), found none among 2 files"):
        find_clips(tmp_path)
    with pytest.raises(FileProblem, match="an existing file, found nothing there"):
        find_clips(tmp_path / "absent")


def test_a_single_clip_is_a_library_too(tmp_path: Path) -> None:
    touch(tmp_path, "a.bvh", "b.bvh")
    (entry,) = find_clips(tmp_path / "b.bvh").entries
    assert entry == Entry("b.bvh", (tmp_path / "b.bvh").resolve())


# Patterns


@pytest.mark.parametrize(
    ("only", "expected"),
    [
        (("*.bvh",), ["walks/a.bvh", "walks/deep/b.bvh"]),
        (("a.*",), ["walks/a.bvh"]),
        (("walks/*",), ["walks/a.bvh", "walks/deep/b.bvh"]),
        (("*/deep/*",), ["walks/deep/b.bvh"]),
        (("c.npz", "b.bvh"), ["c.npz", "walks/deep/b.bvh"]),
        (("[ab].bvh",), ["walks/a.bvh", "walks/deep/b.bvh"]),
    ],
)
def test_only_takes_names_and_paths(
    tmp_path: Path, only: tuple[str, ...], expected: list[str]
) -> None:
    touch(tmp_path, "walks/a.bvh", "walks/deep/b.bvh", "c.npz")
    assert names_in(tmp_path, only=only) == expected


def test_only_that_fits_nothing_says_so(tmp_path: Path) -> None:
    touch(tmp_path, "a.bvh", "b.txt")
    with pytest.raises(FileProblem, match=r"called jump\* or run\*, found none among 2 files"):
        find_clips(tmp_path, only=("jump*", "run*"))


def test_only_chooses_from_a_list_too(tmp_path: Path) -> None:
    touch(tmp_path, "a.bvh", "b.bvh")
    assert names_in(listed(tmp_path, "m.txt", "a.bvh\nb.bvh\n"), only=("b*",)) == ["b.bvh"]


# Names


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A batch over clips of all kinds of names."""
    folder = tmp_path_factory.mktemp("odd")
    names = [*ODD_NAMES, *(POSIX_NAMES if os.name != "nt" else ())]
    if sys.platform == "linux":
        names.append(os.fsdecode(b"\xff\xfe.bvh"))
    for name in names:
        put_clip(folder / "library" / name)
    put_recipe(folder / "r.yaml")
    run_here(folder / "library", folder / "out", folder / "r.yaml", form="glb")
    return folder


def test_clips_of_any_name_are_done(odd: Path) -> None:
    rows = rows_of(odd / "out")
    assert sorted(row["clip"] for row in rows) == sorted(os.listdir(odd / "library"))
    assert {row["status"] for row in rows} == {"met"}, [row["reason"] for row in rows]
    for row in rows:
        stem = row["clip"][: row["clip"].rindex(".")]
        assert outputs_of(row) == {"clip": f"{stem}.glb"}
        assert (odd / "out" / f"{stem}.glb").is_file()


def test_clips_of_any_name_are_not_done_again(odd: Path) -> None:
    again = run_here(odd / "library", odd / "out", odd / "r.yaml", form="glb")
    assert not again.rows and again.summary.statuses["met"] == len(rows_of(odd / "out"))


@posix
def test_clips_of_any_name_have_reports(odd: Path, tmp_path: Path) -> None:
    names = ['"q".bvh', "two\nlines.bvh"]
    if sys.platform == "linux":
        names.append(os.fsdecode(b"\xff\xfe.bvh"))
    library = tmp_path / "library"
    library.mkdir()
    for name in names:
        (library / name).symlink_to(odd / "library" / name)
    done = run_here(library, tmp_path / "out", odd / "r.yaml", pages=True)
    assert [row["status"] for row in done.rows] == ["met"] * len(names), done.rows
    reports = [tmp_path / "out" / outputs_of(row)["report"] for row in done.rows]
    assert all("<html" in page.read_text(encoding="utf-8") for page in reports)


@posix
def test_clips_of_any_name_can_be_listed(odd: Path) -> None:
    names = sorted(row["clip"] for row in rows_of(odd / "out"))
    lines = "".join(json.dumps({"clip": name}) + "\n" for name in names)
    manifest = listed(odd / "library", "all.jsonl", lines)
    try:
        assert sorted(names_in(manifest)) == names
        assert all(entry.path.is_file() for entry in find_clips(manifest).entries)
    finally:
        manifest.unlink()


@posix
def test_a_name_with_a_carriage_return_is_one_row_of_the_table(tmp_path: Path) -> None:
    import csv

    put_clips(tmp_path / "library", "a\rb.bvh")
    run_here(tmp_path / "library", tmp_path / "out", put_recipe(tmp_path / "r.yaml"))
    with (tmp_path / "out" / "results.csv").open(encoding="utf-8", newline="") as file:
        assert [row["clip"] for row in csv.DictReader(file)] == ["a\rb.bvh"]


@posix
def test_a_name_may_be_as_long_as_the_file_system_has_it(tmp_path: Path) -> None:
    put_clips(tmp_path / "library", "x" * 240 + ".bvh")
    done = run_here(tmp_path / "library", tmp_path / "out", put_recipe(tmp_path / "r.yaml"))
    assert [row["status"] for row in done.rows] == ["met"]


# Lists


def test_a_plain_list_has_a_path_in_each_line(tmp_path: Path) -> None:
    touch(tmp_path, "a.bvh", "sub/b.bvh", "c d.bvh")
    text = "# my clips\n\n  a.bvh  \nsub/b.bvh\r\n  # not this: x.bvh\nc d.bvh"
    found = find_clips(listed(tmp_path, "m.txt", text))
    assert [entry.name for entry in found.entries] == ["a.bvh", "sub/b.bvh", "c d.bvh"]
    assert all(entry.path.is_file() and not entry.changes for entry in found.entries)


@pytest.mark.parametrize("name", ["m.txt", "m.csv", "m.jsonl", "M.TXT"])
def test_a_byte_order_mark_is_no_part_of_it(tmp_path: Path, name: str) -> None:
    lines = {".txt": "a.bvh\n", ".csv": "clip\na.bvh\n", ".jsonl": '{"clip": "a.bvh"}\n'}
    text = lines[Path(name).suffix.lower()]
    assert names_in(listed(tmp_path, name, text.encode("utf-8-sig"))) == ["a.bvh"]


def test_a_table_changes_values_for_each(tmp_path: Path) -> None:
    text = 'clip,hand.priority,hand.frames,about\r\na.bvh,2,"[1, 5]",\r\nb.bvh,,,a walk\r\n'
    a, b = find_clips(listed(tmp_path, "m.csv", text)).entries
    assert values_in(a) == {"hand.priority": 2, "hand.frames": (1, 5)}
    assert values_in(b) == {"about": "a walk"}


def values_in(entry: Entry) -> dict[Any, Any]:
    return {each.path: each.value for each in entry.changes if isinstance(each, Change)}


def test_lines_of_json_change_values_for_each(tmp_path: Path) -> None:
    rows = (
        {"clip": "a.bvh", "hand.priority": 2, "hand.frames": [1, 5], "about": None},
        {"clip": "b.bvh", "clip.clean": False, "environment": {"ground": {"height_m": 0.5}}},
    )
    text = "\n\n".join(map(json.dumps, rows))
    a, b = find_clips(listed(tmp_path, "m.jsonl", text)).entries
    assert values_in(a) == {"hand.priority": 2, "hand.frames": [1, 5]}
    assert values_in(b) == {"clip.clean": False, "environment": {"ground": {"height_m": 0.5}}}
    assert [each.label for each in b.changes if isinstance(each, Change)] == [
        "--set clip.clean=false",
        '--set environment={"ground": {"height_m": 0.5}}',
    ]


def test_values_that_are_files_are_seen_from_the_list(tmp_path: Path) -> None:
    folder = tmp_path / "lists"
    folder.mkdir()
    text = "clip,environment,clip.skeleton,deform.contacts\n../a.amc,room.yaml,../a.asf,/c.csv\n"
    (entry,) = find_clips(listed(folder, "m.csv", text)).entries
    text = "poise: 1\nsteps: [{deform: {constraints: []}}]\n"
    changes = [each for each in entry.changes if "contacts" not in str(each)]
    made = recipe_from_text(text, path=tmp_path / "other" / "r.yaml", changes=changes)
    assert made.environment == str(folder / "room.yaml")
    assert Path(str(made.clip.skeleton)).resolve() == (tmp_path / "a.asf").resolve()
    assert values_in(entry)["deform.contacts"] == "/c.csv"


@posix
def test_clips_that_lie_elsewhere_go_by_their_whole_path_and_stay_below_the_results(
    tmp_path: Path,
) -> None:
    clip = put_clip(tmp_path / "elsewhere" / "a.bvh")
    put_clip(tmp_path / "lists" / "b.bvh")
    text = f"{clip}\n../elsewhere/../lists/b.bvh\n../lists/sub/../../lists/../elsewhere/c.bvh\n"
    put_clip(tmp_path / "elsewhere" / "c.bvh")
    manifest = listed(tmp_path / "lists", "m.txt", text)
    below = tmp_path.as_posix().lstrip("/")
    names = names_in(manifest)
    assert names == [f"{below}/elsewhere/a.bvh", "b.bvh", f"{below}/elsewhere/c.bvh"]
    before = files_below(tmp_path)
    done = run_here(manifest, tmp_path / "deep" / "out", put_recipe(tmp_path / "r.yaml"))
    assert done.names == sorted(names)
    new = files_below(tmp_path) - before - {"r.yaml"}
    assert all(name.startswith("deep/out/") for name in new)
    assert {f"deep/out/{name}" for name in names[:2]} <= new


@posix
def test_a_backslash_is_a_letter_where_it_is_one(tmp_path: Path) -> None:
    manifest = listed(tmp_path, "m.txt", "sub\\a.bvh\n")
    put_clip(tmp_path / "sub" / "a.bvh")
    done = run_here(manifest, tmp_path / "out", put_recipe(tmp_path / "r.yaml"))
    (row,) = done.rows
    assert row["status"] == "refused" and "sub\\a.bvh: expected an existing file" in row["reason"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("m.csv", "path\na.bvh\n", r"m.csv:1: expected a column 'clip', found path"),
        ("m.csv", "clip;x\na.bvh;3\n", r"m.csv:1: expected a column 'clip', found clip;x"),
        ("m.csv", "", r"m.csv:1: expected a column 'clip', found nothing"),
        ("m.csv", "clip,x\na.bvh,1\nb.bvh\n", r"m.csv:3: expected 2 values, found 1 value"),
        ("m.csv", "clip,x\na.bvh,1,2\n", r"m.csv:2: expected 2 values, found 3 values"),
        pytest.param(
            "m.csv", 'clip,x\n"a.bvh,1\n', r"m.csv:2: expected CSV, found unexpected end of data",
        ),
        ("m.csv", "clip,x\n,1\n", r"m.csv:2: expected 'clip', the path of a clip, found none"),
        ("m.csv", "clip\na.bvh\nb.bvh\n./a.bvh\n", r"csv:4: .* a.bvh once more \(first in line 2"),
        ("m.csv", "clip\n", r"m.csv: expected clips .* found none among 0 files"),
        ("m.txt", "# nothing\n", r"m.txt: expected clips .* found none among 0 files"),
        ("m.txt", "a.bvh\n\nsub/../a.bvh\n", r"m.txt:3: .* a.bvh once more \(first in line 1"),
        ("m.jsonl", '{"clip": "a.bvh"}\n{"clip": \n', r"m.jsonl:2: expected a JSON object"),
        ("m.jsonl", '["a.bvh"]\n', r"m.jsonl:1: expected a JSON object, found list"),
        ("m.jsonl", '"a.bvh"\n', r"m.jsonl:1: expected a JSON object, found str"),
        ("m.jsonl", '{"clip": 5}\n', r"m.jsonl:1: expected 'clip', the path of a clip"),
        ("m.jsonl", '{"path": "a.bvh"}\n', r"m.jsonl:1: expected 'clip', the path of a clip"),
        ("m.jsonl", '{"clip": "a.bvh"}\n{"clip": "a.bvh"}\n', r"m.jsonl:2: expected every clip"),
    ],
)  # fmt: skip
def test_a_bad_list_is_refused_with_its_line(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    touch(tmp_path, "a.bvh", "b.bvh")
    with pytest.raises(FileProblem, match=said):
        find_clips(listed(tmp_path, name, text))


def test_a_row_with_too_many_values_is_counted_right(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="expected 2 values, found 5 values"):
        find_clips(listed(tmp_path, "m.csv", "clip,x\na.bvh,1,2,3,4\n"))


def test_lines_of_json_end_where_lines_do(tmp_path: Path) -> None:
    name = "a\u2028b\x85c.bvh"
    line = json.dumps({"clip": name}, ensure_ascii=False)
    assert names_in(listed(tmp_path, "m.jsonl", f"{line}\n")) == [name]


@posix
def test_a_list_made_by_ls_finds_names_that_are_no_text(tmp_path: Path) -> None:
    touch(tmp_path, os.fsdecode(b"caf\xe9.bvh"))
    (entry,) = find_clips(listed(tmp_path, "m.txt", b"caf\xe9.bvh\n")).entries
    assert entry.path.is_file()


def test_a_list_in_utf_16_is_read_or_refused_by_name(tmp_path: Path) -> None:
    touch(tmp_path, "a.bvh", "b.bvh")
    manifest = listed(tmp_path, "m.txt", "a.bvh\r\nb.bvh\r\n".encode("utf-16"))
    try:
        assert names_in(manifest) == ["a.bvh", "b.bvh"]
    except FileProblem as problem:
        assert "UTF-16" in str(problem)


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(line, id=name)
        for name, line in (
            ("dot", "."),
            ("root", "/"),
            ("zero byte", "a\0.bvh"),
            ("long", "x" * 300 + ".bvh"),
        )
    ],
)
def test_a_line_that_is_no_path_of_a_clip_costs_that_line_or_is_refused(
    tmp_path: Path, line: str
) -> None:
    put_clip(tmp_path / "a.bvh")
    manifest = listed(tmp_path, "m.txt", f"a.bvh\n{line}\n")
    try:
        done = run_here(manifest, tmp_path / "out", put_recipe(tmp_path / "r.yaml"))
    except PoiseError:
        return
    assert sorted(row["status"] for row in done.rows) == ["met", "refused"]


def test_lines_of_json_that_are_too_deep_are_refused_by_their_line(tmp_path: Path) -> None:
    manifest = listed(tmp_path, "m.jsonl", '{"clip": "a.bvh"}\n' + "[" * 200_000 + "\n")
    with pytest.raises(FileProblem, match=r"m\.jsonl:2: expected a JSON object, found very deep"):
        find_clips(manifest)


def test_a_name_that_no_system_has_is_refused_by_its_line(tmp_path: Path) -> None:
    manifest = listed(tmp_path, "m.jsonl", '{"clip": "a.bvh"}\n{"clip": "\\ud800.bvh"}\n')
    if os.name != "nt":
        with pytest.raises(FileProblem, match=r"m\.jsonl:2: expected the path of a clip"):
            find_clips(manifest)


@posix
def test_folders_that_are_links_to_themselves_are_refused(tmp_path: Path) -> None:
    touch(tmp_path, "library/a.bvh")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(FileProblem, match="loop"):
        find_clips(tmp_path / "loop")
    with pytest.raises(FileProblem, match="loop"):
        find_clips(tmp_path / "library", leave_out=(tmp_path / "loop",))


def test_names_of_points_alone_are_names(tmp_path: Path) -> None:
    names = ("..bvh", "...bvh", "a..bvh", "sub/..bvh")
    put_clips(tmp_path, *names)
    manifest = listed(tmp_path, "m.txt", "\n".join(names))
    run_here(manifest, tmp_path / "out", put_recipe(tmp_path / "r.yaml"), form="glb")
    written = {name: outputs_of(row_of(tmp_path / "out", name)) for name in names}
    assert written == {name: {"clip": f"{name[:-4]}.glb"} for name in names}
    again = run_here(manifest, tmp_path / "out", tmp_path / "r.yaml", form="glb")
    assert again.names == []


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("hand.prioriti", "2", "Did you mean 'priority'?"),
        ("hnd.priority", "2", "No constraint, method or key of the recipe is called 'hnd'"),
        ("hand.priority", "high", "expected a whole number for priority of 'hand', found 'high'"),
        ("hand.priority", "[", "YAML"),
        ("hand.point", "tail", "tail"),
        ("environment", "absent.yaml", "absent.yaml"),
        ("hand.frames", '"[0, 999]"', "999"),
    ],
)
def test_a_bad_change_is_the_row_of_its_clip_and_names_the_problem(
    tmp_path: Path, column: str, value: str, said: str
) -> None:
    put_clips(tmp_path, "a.bvh", "b.bvh")
    manifest = listed(tmp_path, "m.csv", f"clip,{column}\na.bvh,{value}\nb.bvh,\n")
    run_here(manifest, tmp_path / "out", put_recipe(tmp_path / "r.yaml"))
    assert row_of(tmp_path / "out", "b.bvh")["status"] == "met"
    row = row_of(tmp_path / "out", "a.bvh")
    assert row["status"] == "refused" and said in row["reason"] and "\n" not in row["reason"]


def test_changes_for_a_clip_are_what_it_is_done_with(tmp_path: Path) -> None:
    put_clips(tmp_path, "a.bvh", "b.bvh")
    text = 'clip,hand.place_m,clip.frames\na.bvh,"[0, 0, 0]","[0, 14]"\nb.bvh,,\n'
    manifest = listed(tmp_path, "m.csv", text)
    run_here(manifest, tmp_path / "out", put_recipe(tmp_path / "r.yaml"))
    a, b = (row_of(tmp_path / "out", name) for name in ("a.bvh", "b.bvh"))
    assert (a["frames"], b["frames"]) == (15, 21)
    assert a["after"]["likeness.position"] < 1e-6 < b["after"]["likeness.position"]


@pytest.mark.parametrize("said", ["../../evil.json", "/evil.json", "a.b/../../../evil.json"])
def test_a_recipe_cannot_name_a_place_outside_the_folder_of_results(said: str) -> None:
    outputs = Outputs(clip=said.replace("json", "bvh"), contacts=said, report=said)
    recipe = Recipe((Step("correct", CorrectSettings()),), outputs=outputs)
    files = dict(Naming(["a/walk.bvh"], recipe, "", False).files("a/walk.bvh"))
    assert files == {
        "clip": "a/walk.bvh",
        "contacts": "a/walk.contacts.json",
        "report": "a/walk.html",
    }
