"""A library that holds every hostile file ends with a row each, and so does the next run."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from poise.apps.batch.library import find_clips
from poise.apps.batch.one_clip import ClipJob
from poise.apps.batch.order import order_from
from poise.apps.batch.run import Batch
from poise.errors import FileProblem
from poise.execution import Limits, Threads
from tests.apps import hostile_library as hostile
from tests.apps.batch_runs import (
    poise_batch,
    put_clip,
    put_clips,
    put_recipe,
    rows_of,
    walk_text,
)

posix = pytest.mark.skipif(os.name == "nt", reason="files as on POSIX systems")

PATIENCE_S = 400.0
"""Far more than it takes: a run that waits for a pipe waits for ever."""


def run(folder: Path, library: Path | str = "library", *more: str) -> tuple[int, str, str]:
    """`poise batch` over the library of a folder."""
    process = poise_batch(
        library, "--recipe", "r.yaml", "--out", "out", "-j", 2, "--time-limit", 60,
        *more,
        cwd=folder, encoding="utf-8", errors="surrogateescape",
    )  # fmt: skip
    try:
        out, err = process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        pytest.fail(f"the run hangs: {err[-2000:]}")
    return process.returncode, out, err


def check(folder: Path, files: dict[str, hostile.Make]) -> None:
    names = hostile.put(folder / "library", files)
    put_recipe(folder / "r.yaml")
    code, out, err = run(folder)
    assert code == 3 and "Traceback" not in err, err
    rows = rows_of(folder / "out")
    done = {row["clip"] for row in rows}
    left = set(names) - done
    assert done <= set(names) and all(name.endswith((".gltf", ".glb")) for name in left)
    said = run(folder, "library", "--dry-run")[2]  # which names all
    assert all(name in said for name in left) and ("no animation in it" in said) == bool(left)
    for row in rows:
        wanted = "met" if row["clip"] in hostile.GOOD else "refused"
        assert row["status"] == wanted, (row["clip"], row["status"], row["reason"])
        assert row["reason"] and "\n" not in row["reason"]
    assert out.startswith(f"{len(done)} clips: ")
    assert "\x1b" not in err, "names reach the terminal as text"
    code, out, err = run(folder)
    assert code == 3 and "0 clips to do" in err, err
    assert rows_of(folder / "out") == rows


def test_a_library_of_hostile_files_ends_with_a_row_each(tmp_path: Path) -> None:
    check(tmp_path, hostile.every_file())


@pytest.mark.slow
def test_a_library_of_every_hostile_file_ends_with_a_row_each(tmp_path: Path) -> None:
    check(tmp_path, hostile.whole_corpus())


# Files that a list names for its clips


def _places(folder: Path) -> dict[str, hostile.Make]:
    """Files that are named as places, bodies, contacts and patterns; none is one."""
    bomb = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    bomb += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 30)]
    deep = "".join(f"{' ' * i}- \n" for i in range(3000))
    chain = '<mujoco><include file="{}.xml"/><include file="chain_0.xml"/></mujoco>'
    for number in range(1500):
        (folder / f"chain_{number}.xml").write_text(chain.format(f"chain_{number + 1}"))
    found: dict[str, bytes] = {
        "environment bomb.yaml": "\n".join(bomb).encode(),
        "environment bomb.json": b"{" + b", ".join(
            line.replace(": &", '": &', 1).encode().join([b'"', b""]) for line in bomb
        ) + b"}",
        "environment deep.yaml": deep.encode(),
        "environment deep.json": hostile.DEEP,
        "environment deep_mesh.gltf": hostile.DEEP,
        "environment own.yaml": b"parts: [{file: own.yaml}, {file: /dev/zero}, {file: .}]",
        "correct.contacts deep_contacts.json": hostile.DEEP,
        "character.to chain_0.xml": (folder / "chain_0.xml").read_bytes(),
        "character.to long.xml": b'<mujoco file="' + b"x" * 5_000_000 + b'"/>',
        "character.to names.urdf": b"<robot>" + b'<mesh filename="a\0"/>' * 2000 + b"</robot>",
    }  # fmt: skip
    made: dict[str, hostile.Make] = {
        name: lambda path, content=content: path.write_bytes(content)
        for name, content in found.items()
    }
    if os.name != "nt":
        made |= {
            "environment pipe.yaml": os.mkfifo,
            "environment loop.json": lambda path: path.symlink_to(path.name),
            "environment zero.yaml": lambda path: path.symlink_to("/dev/zero"),
            "character.to pipe.xml": os.mkfifo,
            "character.roles pipe.txt": os.mkfifo,
            "correct.contacts pipe.csv": os.mkfifo,
        }
    return made


def test_a_list_that_names_hostile_files_ends_with_a_row_each(tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    lines: list[dict[str, str]] = [{"clip": "good.bvh"}]
    (library / "good.bvh").write_bytes(walk_text(20))
    for number, (name, make) in enumerate(_places(library).items()):
        key, file = name.split(" ")
        make(library / file) if not (library / file).exists() else None
        (library / f"{number}.bvh").write_bytes(walk_text(20))
        lines.append({"clip": f"{number}.bvh", key: file})
    (library / "m.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    put_recipe(tmp_path / "r.yaml")
    for said in (f"{len(lines)} clips to do", "0 clips to do"):
        code, _, err = run(tmp_path, library=library / "m.jsonl")
        assert code == 3 and said in err and "Traceback" not in err, err
        rows = {row["clip"]: row for row in rows_of(tmp_path / "out")}
        assert len(rows) == len(lines) and rows.pop("good.bvh")["status"] == "met"
        for row in rows.values():
            assert row["status"] == "refused" and "\n" not in row["reason"], row


# Files that are not what they were


def _gone(path: Path) -> None:
    path.unlink()


def _piped(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _folded(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _grown(path: Path) -> None:
    with path.open("ab") as file:
        file.truncate(1 << 40)


def _looped(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


@posix
def test_files_that_change_after_they_were_found_are_rows(tmp_path: Path) -> None:
    changes = (_gone, _piped, _folded, _grown, _looped)
    library = put_clips(tmp_path / "library", "good.bvh", *(f"{c.__name__}.bvh" for c in changes))
    order, found = order_from(put_recipe(tmp_path / "r.yaml")), find_clips(library)
    with Batch(found, order, tmp_path / "out", Limits(), Threads(1)) as batch:
        for change in changes:
            change(library / f"{change.__name__}.bvh")
        rows = {row["clip"]: row["status"] for row in batch.run(Threads(1))}
    assert rows.pop("good.bvh") == "met"
    assert len(rows) == len(changes) and set(rows.values()) == {"refused"}


# Clips that their workers do not survive


class _Losing:
    """Workers that die of some clips: before they have looked at one, or after."""

    worker_count = 1

    def __init__(self, *names: str, after: bool) -> None:
        self._names, self._after = names, after

    def run(self, work: Any, jobs: Any) -> Generator[Any, None, None]:
        def done(job: Any) -> Any:
            name = Path(getattr(job, "path", getattr(job, "clip", "."))).name
            if name in self._names and (not self._after or isinstance(job, ClipJob)):
                if self._after:
                    work(job)
                raise MemoryError
            return work(job)

        yield from Threads(1).run(done, jobs)


@pytest.mark.parametrize("after", [False, True], ids=["before it is read", "after it was read"])
def test_a_clip_that_no_worker_survives_is_not_opened_here(
    tmp_path: Path, after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = put_clips(tmp_path / "library", "bad.bvh", "good.bvh")
    order, workers = order_from(put_recipe(tmp_path / "r.yaml")), _Losing("bad.bvh", after=after)
    opened: list[str] = []
    real = os.open

    def watched(path: Any, *more: Any, **named: Any) -> int:
        opened.append(str(path))
        return real(path, *more, **named)

    def run_once() -> dict[str, str]:
        found = find_clips(library)
        with Batch(found, order, tmp_path / "out", Limits(), workers) as batch:  # type: ignore[arg-type]
            rows = {row["clip"]: row["status"] for row in batch.run(workers)}  # type: ignore[arg-type]
            batch.summary()
        return rows

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", watched)
        assert run_once() == {"bad.bvh": "out_of_memory", "good.bvh": "met"}
    assert sum(path.endswith("good.bvh") for path in opened) > 0
    if not after:
        assert not [path for path in opened if path.endswith("bad.bvh")]
    assert run_once() == {}, "failures are results, too"
    put_clip(library / "bad.bvh", 40)
    assert run_once() == {"bad.bvh": "out_of_memory"}
    put_clip(library / "bad.bvh", 41)
    workers = _Losing(after=after)
    assert run_once() == {"bad.bvh": "met"}


def test_files_of_the_recipe_that_no_worker_survives_are_one_line(tmp_path: Path) -> None:
    library = put_clips(tmp_path / "library", "a.bvh")
    (tmp_path / "room.yaml").write_text("ground: {height_m: 0}", encoding="utf-8")
    order = order_from(put_recipe(tmp_path / "r.yaml", "environment: room.yaml\n"))
    losing = _Losing("", after=False)  # the job of the order itself has no path
    with pytest.raises(FileProblem, match=r"r\.yaml: expected files that can be read \(room\.yaml"):
        Batch(find_clips(library), order, tmp_path / "out", Limits(), losing)  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists()
