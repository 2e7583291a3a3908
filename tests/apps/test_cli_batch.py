"""`poise batch` as a user meets it: what it says, how it ends, what it leaves."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from poise.apps.batch.journal import Journal
from poise.apps.cli.batch import duration
from poise.execution import Threads
from tests.apps.batch_runs import (
    BOOKS,
    content_below,
    files_below,
    none_left,
    poise_batch,
    put_clip,
    put_clips,
    put_recipe,
    rows_of,
    run_here,
    wait_for,
    walk_text,
)
from tests.apps.command_line import Command

posix = pytest.mark.skipif(os.name == "nt", reason="signals and terminals as on POSIX systems")


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clips are done in this process: where the command is tested, not its workers."""
    monkeypatch.setattr("poise.execution.Supervised", lambda *_, **__: _Here())


class _Here(Threads):
    hear = None

    def __init__(self) -> None:
        super().__init__(1)

    def start(self) -> None:
        """There is nothing to start."""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """`library` and `r.yaml` in the folder of the command."""
    put_recipe(tmp_path / "r.yaml")
    return put_clips(tmp_path / "library", "a.bvh", "sub/b.npz")


DO = ("batch", "library", "--recipe", "r.yaml", "--out", "out")


# How it ends


LEFT = "left alone, not a motion file: notes.txt\n"


@pytest.mark.usefixtures("here")
def test_a_library_is_done_and_then_there_is_nothing_to_do(
    command: Command, library: Path, tmp_path: Path
) -> None:
    (library / "notes.txt").touch()
    done = command(*DO)
    assert done.code == 0 and done.err == "2 clips to do, 1 left alone\n" + LEFT, done.err
    lines = done.out.splitlines()
    assert lines[0] == "2 clips: 2 met"
    assert re.fullmatch(r"2 in \d+ s, [\d.e+]+ a minute", lines[1])
    assert lines[2:] == ["out/results.jsonl", "out/results.csv", "out/library.html"]
    assert files_below(tmp_path / "out") == BOOKS | {"a.bvh", "sub/b.npz"}
    again = command(*DO)
    assert again.code == 0 and again.out.splitlines() == [lines[0], *lines[2:]]
    assert again.err == "0 clips to do, 2 done already, 1 left alone\n" + LEFT


def test_workers_do_it_by_default(command: Command, library: Path, tmp_path: Path) -> None:
    assert library.is_dir()
    done = command(*DO, "--workers", 1)
    assert done.code == 0, done.err
    assert {row["status"] for row in rows_of(tmp_path / "out")} == {"met"}
    assert max(row["peak_mb"] for row in rows_of(tmp_path / "out")) > 20
    run_here(library, tmp_path / "same", tmp_path / "r.yaml")
    assert content_below(tmp_path / "out") == content_below(tmp_path / "same")


@pytest.mark.usefixtures("here")
def test_a_clip_that_fails_is_said_and_ends_with_3(
    command: Command, library: Path, tmp_path: Path
) -> None:
    (library / "bad.bvh").write_text("HIERARCHIE", encoding="utf-8")
    done = command(*DO)
    assert done.code == 3 and done.out.startswith("3 clips: 2 met, 1 refused\n")
    said = done.err.splitlines()
    assert said[0] == "3 clips to do" and len(said) == 2
    assert said[1].startswith("bad.bvh: refused: ") and "HIERARCHY" in said[1]
    again = command(*DO)
    assert again.code == 3 and again.out.startswith("3 clips: 2 met, 1 refused\n")
    assert again.err == "0 clips to do, 3 done already\n"
    retried = command(*DO, "--retry", "--accept")
    assert retried.code == 3 and retried.err.startswith("1 clip to do, 2 done already\n")


@pytest.mark.usefixtures("here")
def test_goals_that_are_not_met_end_with_3_unless_accepted(
    command: Command, library: Path, tmp_path: Path
) -> None:
    far = ("--set", "hand.place_m=[9, 9, 9]")
    done = command(*DO, *far)
    assert done.code == 3 and done.out.startswith("2 clips: 2 not met\n"), done.out
    assert content_below(tmp_path / "out").keys() == {"a.bvh", "sub/b.npz"}
    rows = rows_of(tmp_path / "out")
    assert all("'hand'" in row["reason"] for row in rows), [row["reason"] for row in rows]
    again = command(*DO, *far, "--accept")
    assert again.code == 0 and again.out.startswith("2 clips: 2 not met\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("absent", "--out", "out"), "absent: expected an existing file, found nothing there"),
        (("empty", "--out", "out"), "empty: expected clips (.bvh, .amc, .glb, .gltf, .npz), found"),
        (("library", "--out", "out", "--only", "z*"), "called z*, found none among 2 files"),
        (("library",), "Missing option '-o' / '--out'. Try 'poise batch --help'."),
        (("library", "--out", "library"), "library: expected "),
        (("library", "--out", "mine"), "mine: expected a new or empty folder, found files in it"),
        (("library", "--out", "r.yaml"), "r.yaml: expected a folder for the results, found a file"),
        (("library", "--out", "r.yaml/out"), "r.yaml"),
        (("library", "--out", "out", "--recipe", "no.yaml"), "no.yaml: expected an existing file"),
        (("library", "--out", "out", "--recipe", "library"), "library: expected a file to read"),
        (("library", "--out", "out", "--recipe", "bad.yaml"), "bad.yaml:2:8: expected "),
        (("library", "--out", "out", "--format", "fbx"), "an extension that a clip can be written"),
        (("library", "--out", "out", "--set", "hand.priority=x"), "'hand'"),
        (("library", "--out", "out", "--set", "hand"), "PATH=VALUE"),
        (("library", "--out", "out", "--without", "foot"), "'foot'"),
        (("library", "--out", "out", "--workers", "0"), "workers must be at least 1, got 0"),
        (("library", "--out", "out", "--time-limit", "-1"), "the time limit must be a positive"),
        (("library", "--out", "out", "--time-limit", "nan"), "the time limit must be a positive"),
        (("library", "--out", "out", "--memory-limit", "-1"), "the memory limit must be a"),
        (("library", "--out", "out", "--dashboard", ":8787"), "dashboard must be given only with"),
        pytest.param(
            ("library", "--out", "out", "--to", "no.bvh"), "no.bvh",
        ),
        pytest.param(
            ("library", "--out", "out", "--set", "environment=no.yaml"), "no.yaml",
        ),
        (("clips.csv", "--out", "out"), "clips.csv:1: expected a column 'clip', found path"),
        pytest.param(
            ("library", "--out", "out", "--memory-limit", "nan"), "the memory limit must be",
        ),
        pytest.param(
            ("library", "--out", "out", "--memory-limit", "inf"), "the memory limit must be",
        ),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("here")
def test_bad_input_is_one_line_and_nothing_is_written(
    command: Command, library: Path, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    assert library.is_dir()
    (tmp_path / "empty").mkdir()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").touch()
    (tmp_path / "bad.yaml").write_text("poise: 1\nsteps: []\n", encoding="utf-8")
    (tmp_path / "clips.csv").write_text("path\na.bvh\n", encoding="utf-8")
    before = files_below(tmp_path)
    recipe = () if "--recipe" in arguments else ("--recipe", "r.yaml")
    done = command("batch", *arguments, *recipe)
    assert done.code == 2 and said in done.err and not done.out, done.err
    shown = done.err.splitlines()
    assert len([line for line in shown if line.startswith("poise: ")]) == 1, done.err
    assert {name for name in files_below(tmp_path) - before if ".poise/" not in name} == set()


@pytest.mark.usefixtures("here")
def test_all_mistakes_of_a_recipe_are_said_at_once(
    command: Command, library: Path, tmp_path: Path
) -> None:
    assert library.is_dir()
    (tmp_path / "r.yaml").write_text("poise: 1\nclip: {rate: 3}\nstep: []\n", encoding="utf-8")
    done = command(*DO)
    assert done.code == 2 and not done.out and not (tmp_path / "out").exists()
    assert all(line.startswith("poise: r.yaml:") or "/r.yaml:" in line
               for line in done.err.splitlines())  # fmt: skip
    assert "'rate'" in done.err and "'step'" in done.err


def test_a_second_batch_at_the_same_folder_is_refused(
    command: Command, library: Path, tmp_path: Path
) -> None:
    for number in range(10):
        put_clip(library / f"{number}.bvh")
    first = poise_batch(*DO[1:], "-j", 1, cwd=tmp_path)
    try:
        wait_for(lambda: rows_of(tmp_path / "out"), "the first has begun")
        first.send_signal(signal.SIGSTOP)
        second = command(*DO)
        first.send_signal(signal.SIGCONT)
    finally:
        out, err = first.communicate()
    assert second.code == 2 and not second.out
    assert second.err == (
        "poise: out: expected a folder that no other batch writes to, found one at work. "
        "Wait for it, or name another folder.\n"
    )
    assert first.returncode == 0 and "12 clips: 12 met" in out, err


# What it says


@pytest.mark.usefixtures("here")
def test_a_dry_run_says_what_there_is_to_do(
    command: Command, library: Path, tmp_path: Path
) -> None:
    done = command(*DO, "--dry-run", "--quiet")
    assert done.code == 0 and done.err == "2 clips to do\n" and not done.out
    command(*DO)
    put_clip(library / "a.bvh", 30)
    (library / "sub" / "b.npz").unlink()
    put_clip(library / "c.bvh")
    before = content_below(tmp_path / "out")
    done = command(*DO, "--dry-run")
    assert done.err == (
        "2 clips to do (1 anew: the clip, the recipe or the result has changed), "
        "1 result of clips that are not there now\n"
    )
    assert content_below(tmp_path / "out") == before and len(rows_of(tmp_path / "out")) == 2


@pytest.mark.usefixtures("here")
def test_a_dry_run_leaves_nothing_behind(command: Command, library: Path, tmp_path: Path) -> None:
    assert library.is_dir()
    command(*DO, "--dry-run")
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("here")
def test_quiet_says_how_it_ended_and_no_more(command: Command, library: Path) -> None:
    (library / "bad.bvh").write_text("HIERARCHIE", encoding="utf-8")
    done = command(*DO, "--quiet")
    assert done.code == 3 and done.err == "" and done.out.startswith("3 clips: 2 met, 1 refused\n")


@pytest.mark.usefixtures("here")
def test_a_log_has_a_line_now_and_then(
    command: Command, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("poise.apps.cli.batch._LOG_EVERY_S", 0.0)
    (library / "z.bvh").write_text("HIERARCHIE", encoding="utf-8")
    lines = command(*DO).err.splitlines()
    pattern = r"{} of 3 clips, [\d.e+]+ a minute, \d+ s left"
    assert re.fullmatch(pattern.format(1), lines[1]) and re.fullmatch(pattern.format(2), lines[2])
    assert lines[3].startswith("z.bvh: refused: ")
    assert re.fullmatch(pattern.format(3) + ", 1 failed", lines[4])


@pytest.mark.usefixtures("here")
def test_many_failures_are_not_all_said(command: Command, tmp_path: Path) -> None:
    put_recipe(tmp_path / "r.yaml")
    (tmp_path / "library").mkdir()
    for number in range(30):
        (tmp_path / "library" / f"{number}.bvh").write_text("no", encoding="utf-8")
    done = command(*DO)
    lines = done.err.splitlines()
    assert len(lines) == 22 and lines[-1] == "further failures are in the results only"
    assert done.out.startswith("30 clips: 30 refused\n") and len(rows_of(tmp_path / "out")) == 30


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "0 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (185, "3 min 5 s"),
        (3599.6, "1 h 0 min"), (7800, "2 h 10 min"), (400_000, "111 h 6 min"),
    ],
)  # fmt: skip
def test_durations_in_words(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_help_answers_without_heavy_libraries() -> None:
    code = (
        "import sys; sys.argv = ['poise', 'batch', '--help']\n"
        "from poise.apps.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'numba', 'numpy', 'scipy', 'distributed', 'dask', 'yaml', 'psutil',"
        " 'poise.job', 'poise.apps.batch'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    wide = {**os.environ, "COLUMNS": "200", "TERMINAL_WIDTH": "200"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=wide
    )
    assert done.returncode == 0, done.stderr
    for option in ("--recipe", "--workers", "--cluster", "--retry", "--dry-run", "--time-limit"):
        assert option in done.stdout


# What it leaves


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results with clips that are met, not met and refused."""
    folder = tmp_path_factory.mktemp("table")
    put_clips(folder, "a.bvh", "b, c.bvh", 'd "e".npz' if os.name != "nt" else "d e.npz")
    (folder / "bad.bvh").write_text("HIERARCHIE", encoding="utf-8")
    (folder / "007.bvh").write_bytes(walk_text(24))
    names = sorted(path.name for path in folder.iterdir())
    lines = [{"clip": name} for name in names]
    lines[-1]["hand.place_m"] = [9, 9, 9]  # type: ignore[assignment]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "m.jsonl").write_text(text, encoding="utf-8")
    run_here(folder / "m.jsonl", folder / "out", put_recipe(folder / "r.yaml"))
    return folder / "out"


def test_the_table_has_the_values_of_the_results(table: Path) -> None:
    frame = pd.read_csv(table / "results.csv").set_index("clip")
    rows = {row["clip"]: row for row in rows_of(table)}
    assert sorted(frame.index) == sorted(rows) and len(frame) == 5
    assert frame["status"].value_counts().to_dict() == {"met": 3, "refused": 1, "not_met": 1}
    for name, row in rows.items():
        for when in ("before", "after"):
            for key, value in row.get(when, {}).items():
                found = frame.loc[name, f"{when}.{key}"]
                assert (value is None and pd.isna(found)) or value == found, (name, key)
        for key in ("status", "reason", "seconds", "attempts", "input_sha256", "recipe_sha256"):
            assert frame.loc[name, key] == row[key]
        output = row.get("outputs", {}).get("clip", {}).get("file")
        assert (output is None and pd.isna(frame.loc[name, "output"])) or (
            output == frame.loc[name, "output"]
        )


def test_the_table_has_numbers_where_there_are_numbers(table: Path) -> None:
    frame = pd.read_csv(table / "results.csv")
    measures = [name for name in frame if name.startswith(("before.", "after."))]
    keys = {f"{when}.{key}" for row in rows_of(table) for when in ("before", "after")
            for key in row.get(when, ())}  # fmt: skip
    assert set(measures) == keys and len(measures) > 40
    assert {"before.foot_slide.mean", "after.foot_slide.mean", "after.jitter.ratio"} <= keys
    for name in [*measures, "frames", "rate_hz", "seconds", "attempts", "peak_mb"]:
        assert pd.api.types.is_numeric_dtype(frame[name]), name
    assert list(frame.columns[:3]) == ["clip", "status", "reason"]
    assert pd.to_datetime(frame["finished"]).notna().all()


def test_every_row_says_what_it_is_of(table: Path) -> None:
    for row in rows_of(table):
        assert {"clip", "status", "reason", "poise", "finished", "seconds"} <= set(row)
        assert re.fullmatch("[0-9a-f]{64}", row["input_sha256"])
        if row["status"] != "refused":
            assert set(row["stages_s"]) == {"reading", "running", "measuring", "writing"}
            assert row["frames"] >= 20 and row["rate_hz"] == 30.0


@pytest.mark.usefixtures("here")
def test_the_page_over_all_clips_names_them(command: Command, library: Path) -> None:
    (library / "<b>&.bvh" if os.name != "nt" else library / "&.bvh").write_text("no")
    command(*DO)
    page = Path("out/library.html").read_text(encoding="utf-8")
    assert "a.bvh" in page and "sub/b.npz" in page and "<b>&.bvh" not in page


# Stopped by hand


def many(folder: Path, count: int = 30) -> Path:
    put_recipe(folder / "r.yaml")
    for number in range(count):
        put_clip(folder / "library" / f"{number}.bvh")
    (folder / "library" / "bad.bvh").write_text(" " * 100_000, encoding="utf-8")
    return folder


def begun(folder: Path, **more: Any) -> subprocess.Popen[str]:
    """A batch in a group of its own, as a shell starts one."""
    return poise_batch(
        *DO[1:], "-j", 2, cwd=folder, start_new_session=True, **more
    )  # fmt: skip


def test_an_interruption_is_said(
    command: Command, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(_Here):
        def run(self, work: Any, jobs: Any) -> Any:
            yield next(super().run(work, jobs))
            raise KeyboardInterrupt

    assert library.is_dir()
    monkeypatch.setattr("poise.execution.Supervised", lambda *_, **__: Interrupted())
    done = command(*DO)
    assert done.code == 130 and len(rows_of(tmp_path / "out")) == 1
    assert "1 left: the same command goes on" in done.out
    assert done.err.splitlines()[-1] == "poise: interrupted"


@pytest.mark.usefixtures("here")
def test_a_clip_that_is_written_down_counts_when_it_is_interrupted_then(
    command: Command, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Journal.add

    def interrupted(self: Journal, row: dict[str, Any]) -> None:
        real(self, row)
        raise KeyboardInterrupt

    assert library.is_dir()
    monkeypatch.setattr(Journal, "add", interrupted)
    done = command(*DO)
    assert done.code == 130 and len(rows_of(tmp_path / "out")) == 1
    assert done.out.startswith("1 clip: 1 met\n") and "\n1 left: " in done.out


@posix
@pytest.mark.slow
def test_ctrl_c_ends_it_in_order_and_the_same_command_goes_on(tmp_path: Path) -> None:
    process = begun(many(tmp_path))
    try:
        wait_for(lambda: len(rows_of(tmp_path / "out")) > 3, "some clips are done")
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=240)
    finally:
        process.kill()
    assert process.returncode == 130 and "Traceback" not in err, err
    done = len(rows_of(tmp_path / "out"))
    left = re.search(r"(\d+) left: the same command goes on", out)
    assert 4 <= done < 31 and left and 0 <= int(left[1]) - (31 - done) <= 1, out
    none_left(tmp_path)
    table = pd.read_csv(tmp_path / "out" / "results.csv")
    assert len(table) == done and (tmp_path / "out" / "library.html").is_file()
    clips = {row["clip"] for row in rows_of(tmp_path / "out") if row["status"] == "met"}
    assert files_below(tmp_path / "out") == clips | BOOKS
    again = begun(tmp_path)
    out, err = again.communicate()
    assert again.returncode == 3 and out.startswith("31 clips: 30 met, 1 refused\n"), err
    assert f"{31 - done} clips to do, {done} done already" in err
    assert len({row["clip"] for row in rows_of(tmp_path / "out")}) == 31
    assert len(rows_of(tmp_path / "out")) == 31


@pytest.mark.slow
@posix
def test_ctrl_c_before_the_first_clip_is_done(tmp_path: Path) -> None:
    process = begun(many(tmp_path, 4))
    try:
        wait_for((tmp_path / "out" / "results.jsonl").is_file, "it has begun")
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=240)
    finally:
        process.kill()
    assert process.returncode == 130 and "Traceback" not in err, err
    assert "left: the same command goes on" in out
    none_left(tmp_path)


@pytest.mark.slow
@posix
def test_a_request_to_end_leaves_no_worker_and_no_lock(tmp_path: Path) -> None:
    process = begun(many(tmp_path, 12))
    try:
        wait_for(lambda: rows_of(tmp_path / "out"), "a clip is done")
        process.terminate()
        process.communicate(timeout=240)
    finally:
        process.kill()
    none_left(tmp_path)
    again = begun(tmp_path)
    out, err = again.communicate()
    assert again.returncode == 3 and out.startswith("13 clips: 12 met, 1 refused\n"), err
    clips = {f"{number}.bvh" for number in range(12)}
    assert files_below(tmp_path / "out") == clips | BOOKS


@pytest.mark.slow
@posix
def test_a_reader_of_its_output_that_has_gone_is_no_bug(tmp_path: Path) -> None:
    process = begun(many(tmp_path, 2))
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    process.wait()
    assert "Traceback" not in err and "internal error" not in err, err
    assert len(rows_of(tmp_path / "out")) == 3
    none_left(tmp_path)


@pytest.mark.slow
@posix
def test_a_terminal_shows_how_it_goes(tmp_path: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    process = begun(many(tmp_path, 9), stderr=theirs, text=False)
    os.close(theirs)
    shown = b""
    while process.poll() is None or select.select([ours], [], [], 0)[0]:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                shown += os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
    assert process.stdout is not None
    out = process.stdout.read().decode()
    process.stdout.close()
    os.close(ours)
    assert process.wait() == 3 and out.startswith("10 clips: 9 met, 1 refused\n")
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    assert re.search(r"\d+ of 10 clips, [\d.e+]+ a minute, \d+ s left", text), text
    assert "1 failed" in text and "bad.bvh: refused: " in text
    assert "Traceback" not in text
    none_left(tmp_path)
