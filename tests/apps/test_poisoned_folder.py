"""Nothing runs from the current folder, whichever command is started there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import poise
from poise.apps.cli.main import app
from poise.samples import walking
from tests.apps.poisoned_folder import BEFORE_US, CLIP, Poisoned, poisoned
from tests.apps.studio.running_server import needs_page, started
from tests.methods.patterned import swings

SOURCE = Path(poise.__file__).resolve().parents[1]
ROBOT = """
<mujoco><worldbody><body name="base"><freejoint/><geom size=".1" mass="1"/>
<body name="arm" pos="0 0 .3"><joint name="bend" axis="0 1 0" range="-60 60"/>
<geom size=".05" mass="1"/></body></body></worldbody></mujoco>
"""
MODULE = ("-m", "poise")
COMMAND = ("-P", "-c", "from poise.apps.cli.main import main; main()")
"""As the installed script is: nothing but itself on the path."""


@pytest.fixture(scope="module")
def short_walk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("walk") / CLIP
    poise.save(walking(0.5, 60.0).clip, path)
    return path


@pytest.fixture
def trapped(short_walk: Path, tmp_path: Path) -> Poisoned:
    """A clip, and beside it whatever else was in the archive."""
    folder = tmp_path / "downloaded"
    (folder / "library").mkdir(parents=True)
    for path in (folder / CLIP, folder / "library" / CLIP):
        shutil.copy(short_walk, path)
    (folder / "robot.xml").write_text(ROBOT, encoding="utf-8")
    return poisoned(folder, elsewhere=tmp_path, but=frozenset(BEFORE_US))


def run(trapped: Poisoned, how: tuple[str, ...], *arguments: object) -> str:
    """Run a command there; its output. What it imports comes from here and nowhere else."""
    done = subprocess.run(
        [sys.executable, *how, *map(str, arguments)], cwd=trapped.folder, check=False,
        capture_output=True, text=True, encoding="utf-8", timeout=600,
        env={**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert trapped.ran == set(), done.stderr
    assert done.returncode in (0, 3), done.stderr
    return done.stdout


def test_the_traps_would_run(trapped: Poisoned) -> None:
    """Python started there without a thought steps into them; as does Numba."""

    def printed(*how: str) -> str:
        words = [sys.executable, *how, "-c", "import numba; print(numba.config.CACHE_DIR)"]
        done = subprocess.run(
            words, cwd=trapped.folder, check=False, capture_output=True, text=True
        )
        return done.stdout

    assert printed("-P") == "kernels\n" and trapped.ran == set()
    assert printed() == "" and "numba" in trapped.ran


def test_inspecting_a_clip_runs_nothing_from_its_folder(trapped: Poisoned) -> None:
    assert "found wrong" in run(trapped, MODULE, "inspect", CLIP)


def test_inspecting_a_robot_runs_nothing_from_its_folder(trapped: Poisoned) -> None:
    pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install '.[robots]'")
    assert "robot.xml" in run(trapped, COMMAND, "inspect", "robot.xml")


def test_a_batch_runs_nothing_from_the_current_folder(trapped: Poisoned) -> None:
    run(trapped, COMMAND, "batch", "library", "--out", "out", "-j", 1, "--accept")
    assert (trapped.folder / "out" / CLIP).is_file()


def test_a_batch_on_a_cluster_runs_nothing_from_the_current_folder(trapped: Poisoned) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed: pip install '.[cluster]'")
    to_cluster = ("--cluster", "local", "-j", 1, "--accept")
    run(trapped, MODULE, "batch", "library", "--out", "out", *to_cluster)
    assert (trapped.folder / "out" / CLIP).is_file()


def test_extensions_are_not_looked_for_in_the_current_folder(trapped: Poisoned) -> None:
    """Metadata there names formats, constraints, measures and methods."""
    for how in (MODULE, COMMAND):
        assert "trap" not in run(trapped, how, "formats")
        assert "trap" not in run(trapped, how, "measure", CLIP)


@needs_page
def test_the_studio_runs_nothing_from_its_project(trapped: Poisoned) -> None:
    running = started(trapped.folder, CLIP)
    try:
        with running.studio.page() as page:
            page.open("open_file", path=CLIP)
            page.ask("run_method")
    finally:
        said = running.stop()
    assert trapped.ran == set(), said


REACH = """
poise: 1
clip: {file: clip.bvh}
steps:
  - METHOD:
      constraints:
        - hold_point: {name: reach, point: left_wrist, frames: [5, 20], place_m: [0, 1, 0.5]}
"""
FAMILY = """
poise: 1
clip: {sample: jump, frames: [84, 275], rate_hz: 20}
steps:
  - momentum:
      settings:
        knots_per_s: 6
        iterations: 1
        family:
          - {name: aside, stage: -1, values: [0, 0.2], by_m: [1, 0, 0]}
          - {name: ahead, stage: -1, values: [-0.1, 0.2], by_m: [0, 0, 1]}
"""
OUTPUTS = ("-o", "out.bvh")
LEAP = ("--by", 0, 0, 0.1, "--set", "momentum.settings.iterations=1", "--accept")
HIT = ("--point", "head_top", "--place", 0, 1.5, 0.5, "--frame", 16)
SWING = ("--hit", "club_head", 0.5, 0, 0.5, "--frame", "hit")
EVERY: tuple[tuple[str, tuple[object, ...]], ...] = (
    ("inspect", (CLIP,)),
    ("formats", ()),
    ("clean", ()),
    ("warm-up", ("--cores", 1)),
    ("sample", ("jump", "-o", "jump.bvh")),
    ("convert", (CLIP, "out.glb")),
    ("measure", (CLIP,)),
    ("contacts", (CLIP, "-o", "touches.csv")),
    ("render", (CLIP, "-o", "out.mp4")),
    ("report", (CLIP, "-o", "out.html")),
    ("run", ("deform.yaml", *OUTPUTS)),
    ("correct", (CLIP, *OUTPUTS, "--report", "page.html")),
    ("deform", (CLIP, "--recipe", "deform.yaml", *OUTPUTS)),
    ("filter", (CLIP, "--recipe", "filter.yaml", *OUTPUTS)),
    ("leap", ("jump.bvh", *LEAP, *OUTPUTS)),
    ("retarget", (CLIP, "--to", CLIP, *OUTPUTS)),
    ("stream", (CLIP, "--to", CLIP, *OUTPUTS)),
    ("batch", ("library", "--out", "done", "--accept")),
    ("family build", ("family.yaml", "-o", "family.npz")),
    ("family blend", ("family.npz", "--at", "0.05,-0.05", *OUTPUTS)),
    ("family hit", ("family.npz", *HIT, *OUTPUTS)),
    ("pattern learn", ("swing0.bvh", "swing1.bvh", "swing2.bvh", "--fit-club", "-o", "s.npz")),
    ("pattern show", ("s.npz",)),
    ("pattern edit", ("s.npz", "swing0.bvh", *SWING, *OUTPUTS)),
)
SERVERS = {"studio", "family play"}
"""The same server: see above."""


def every_command() -> set[str]:
    found: set[str] = set()
    for name, command in vars(typer.main.get_command(app))["commands"].items():
        inner = vars(command).get("commands")
        found |= {f"{name} {each}" for each in inner} if inner else {name}
    return found


def test_every_command_is_tried_or_a_server() -> None:
    assert {name for name, _ in EVERY} | SERVERS == every_command()


@pytest.mark.slow
def test_no_command_runs_anything_from_the_current_folder(trapped: Poisoned) -> None:
    for method in ("deform", "filter"):
        text = REACH.replace("METHOD", method)
        (trapped.folder / f"{method}.yaml").write_text(text, encoding="utf-8")
    (trapped.folder / "family.yaml").write_text(FAMILY, encoding="utf-8")
    for i, clip in enumerate(swings()[:3]):
        poise.save(clip, trapped.folder / f"swing{i}.bvh")
    for name, arguments in EVERY:
        (trapped.folder / "out.bvh").unlink(missing_ok=True)
        run(trapped, COMMAND, *name.split(), *arguments)
