"""Files with several animations: each is a clip, and what is left alone is named."""

from __future__ import annotations

import copy
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import poise
from poise.apps.batch.library import find_clips
from poise.errors import FileProblem
from poise.execution import Threads
from poise.formats import animations_of
from tests.apps.batch_runs import files_below, put_clip, put_recipe, row_of, rows_of, run_here
from tests.apps.command_line import Command
from tests.shared_data import FOREIGN, needs_foreign

Animation = dict[str, Any]


def with_animations(path: Path, *change: Callable[[Animation], Animation]) -> Path:
    """A walk whose one animation stands there as often as there are changes, each made to one."""
    put_clip(path)
    data = path.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    root, rest = json.loads(data[20 : 20 + length]), data[20 + length :]
    (walk,) = root["animations"]
    root["animations"] = [each(copy.deepcopy(walk)) for each in change]
    text = json.dumps(root).encode()
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A)
    path.write_bytes(head + text + rest)
    return path


def named(name: str | None) -> Callable[[Animation], Animation]:
    def change(walk: Animation) -> Animation:
        walk.pop("name", None)
        return walk if name is None else {**walk, "name": name}

    return change


def empty(walk: Animation) -> Animation:
    return {"name": "Nothing", "channels": [], "samplers": walk["samplers"]}


def names_in(source: Path, **more: Any) -> list[str]:
    return [each.name for each in find_clips(source, reader=Threads(1), **more).entries]


def left_alone(source: Path, **more: Any) -> dict[str, str]:
    found = find_clips(source, reader=Threads(1), **more)
    return {each.name: each.reason for each in found.left_alone}


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "library"
    with_animations(folder / "moves.glb", named("Walk"), named("Run"), named("Jump"))
    put_clip(folder / "single.glb")
    put_clip(folder / "walk.bvh")
    return folder


def test_each_animation_is_a_clip_with_results_of_its_own(library: Path, tmp_path: Path) -> None:
    out, recipe = tmp_path / "out", put_recipe(tmp_path / "r.yaml")
    ran = run_here(library, out, recipe)
    assert ran.names == ["moves.Jump.glb", "moves.Run.glb", "moves.Walk.glb", "single.glb",
                         "walk.bvh"]  # fmt: skip
    assert {row["status"] for row in ran.rows} == {"met"}
    assert {"moves.Jump.glb", "moves.Run.glb", "moves.Walk.glb"} <= files_below(out)
    again = run_here(library, out, recipe)
    assert not again.rows and sum(again.plan.kept.values()) == 5


def test_one_animation_alone_shares_its_results_with_all_of_them(
    library: Path, tmp_path: Path
) -> None:
    out, recipe = tmp_path / "out", put_recipe(tmp_path / "r.yaml")
    assert run_here(library, out, recipe, animation="Run").names == ["moves.Run.glb"]
    rest = run_here(library, out, recipe)
    assert rest.names == ["moves.Jump.glb", "moves.Walk.glb", "single.glb", "walk.bvh"]
    (out / "moves.Run.glb").unlink()
    assert run_here(library, out, recipe).names == ["moves.Run.glb"]


def test_what_each_row_read_is_its_own_animation(library: Path, tmp_path: Path) -> None:
    run_here(library, tmp_path / "out", put_recipe(tmp_path / "r.yaml"))
    notes = " ".join(row_of(tmp_path / "out", "moves.Run.glb")["notes"])
    assert "Read animation 'Run'; others: Walk, Jump." in notes


def test_what_is_left_alone_is_named_with_the_reason(library: Path) -> None:
    with_animations(library / "still.glb")
    with_animations(library / "half.glb", named("Walk"), empty)
    (library / "notes.txt").write_text("x")
    (library / "body.asf").write_text("x")
    (library / ".hidden.bvh").write_text("x")
    assert left_alone(library) == {
        "still.glb": "no animation in it",
        "half.Nothing.glb": "nothing moves in this animation",
        "notes.txt": "not a motion file",
        "body.asf": "a body without motion",
        ".hidden.bvh": "a hidden file",
    }
    assert "half.Walk.glb" in names_in(library)
    wanted = left_alone(library, animation="Run")
    assert "moves.glb" not in wanted
    assert wanted["walk.bvh"] == ".bvh files hold one motion, without --animation"
    assert wanted["half.glb"] == "no animation 'Run' (it has Walk, Nothing)"


def test_a_file_that_cannot_be_read_has_a_row_that_says_why(library: Path, tmp_path: Path) -> None:
    (library / "broken.glb").write_bytes(b"glTF is not this")
    ran = run_here(library, tmp_path / "out", put_recipe(tmp_path / "r.yaml"))
    assert "broken.glb" in ran.names
    assert row_of(tmp_path / "out", "broken.glb")["status"] == "refused"


def test_odd_names_of_animations_become_names_of_files(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    with_animations(
        folder / "odd.glb",
        named("a/b: c"), named("a\\b. c"), named("日本"), named(None), named("x" * 300),
    )  # fmt: skip
    with_animations(folder / "twice.glb", named("Same"), named("Same"))
    put_clip(folder / "odd.日本.glb")
    assert names_in(folder) == [
        "odd.a_b_ c.glb", "odd.a_b_ c~2.glb", "odd.日本~2.glb", "odd.3.glb", f"odd.{'x' * 80}.glb",
        "odd.日本.glb", "twice.0.glb", "twice.1.glb",
    ]  # fmt: skip
    ran = run_here(folder, tmp_path / "out", put_recipe(tmp_path / "r.yaml"))
    assert {row["status"] for row in ran.rows} == {"met"} and len(rows_of(tmp_path / "out")) == 8


def test_a_list_of_clips_may_name_animations(library: Path, tmp_path: Path) -> None:
    listed = library / "list.csv"
    listed.write_text("clip,clip.animation\nmoves.glb,Run\nmoves.glb,2\nwalk.bvh,\n")
    assert names_in(listed) == ["moves.Run.glb", "moves.Jump.glb", "walk.bvh"]
    listed.write_text("clip\nmoves.glb\n")
    assert names_in(listed) == ["moves.Walk.glb", "moves.Run.glb", "moves.Jump.glb"]
    listed.write_text("clip,clip.animation\nmoves.glb,Run\nmoves.glb,Run\n")
    with pytest.raises(FileProblem, match="every clip once"):
        names_in(listed)


def test_only_speaks_of_animations(library: Path) -> None:
    assert names_in(library, only=["*.Run.*"]) == ["moves.Run.glb"]
    assert len(names_in(library, only=["moves.*"])) == 3


def test_the_command_says_what_it_leaves_alone(
    library: Path, tmp_path: Path, command: Command
) -> None:
    for number in range(7):
        (library / f"note{number}.md").write_text("x")
    recipe = put_recipe(tmp_path / "r.yaml")
    asked = ("batch", library, "--recipe", recipe, "-o", tmp_path / "out", "-j", 1)
    dry = command(*asked, "--dry-run")
    assert "5 clips to do, 7 left alone" in dry.err
    assert all(f"note{number}.md" in dry.err for number in range(7))
    done = command(*asked, "--animation", "Run", "--frames", ":15")
    assert done.code == 0, done.err
    assert "1 clip to do" in done.err and "and 2 more (--dry-run)" in done.err
    assert "left alone, no animation 'Run'" in done.err and "single.glb" in done.err
    assert poise.load(tmp_path / "out" / "moves.Run.glb").frame_count == 15
    refused = command(*asked, "--animation", "Fly")
    assert refused.code == 2 and "with an animation 'Fly'" in refused.err


@needs_foreign
def test_real_files_hold_what_their_makers_say() -> None:
    fox = animations_of(FOREIGN / "khronos" / "Fox.glb")
    assert fox == (("Survey", True), ("Walk", True), ("Run", True))
    robot = animations_of(FOREIGN / "threejs" / "RobotExpressive.glb")
    assert robot is not None and len(robot) == 14 and all(moves for _, moves in robot)
    assert animations_of(FOREIGN / "pybvh" / "bvh_test1.bvh") is None
    assert "Fox.Run.glb" in names_in(FOREIGN / "khronos")
