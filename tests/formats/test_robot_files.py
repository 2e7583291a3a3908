"""Robots of several files, and the process that compiles them."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from poise.errors import FileProblem, PoiseError
from poise.formats import robot_compiler
from poise.formats.robots import read_character
from tests.formats.hostile_robots import (
    BALL,
    CUBE,
    FREE,
    GOOD,
    bumpy,
    doubled_unseen,
    meshed,
    world,
)

mujoco = pytest.importorskip("mujoco")


def written(folder: Path, **files: str) -> Path:
    """Files of a robot; `__` in a name stands for a dot, `___` for a slash. The last is it."""
    path = folder
    for name, text in files.items():
        path = folder / name.replace("___", "/").replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return path


LAYOUTS = {
    "meshes beside its folder": {
        "meshes___cube__obj": CUBE,
        "mjcf___robot__xml": meshed("cube.obj", compiler="<compiler meshdir='../meshes/'/>"),
    },
    "a folder of assets that an include names": {
        "assets___cube__obj": CUBE,
        "parts___settings__xml": "<mujocoinclude><compiler assetdir='assets'/></mujocoinclude>",
        "robot__xml": meshed("cube.obj", compiler="<include file='parts/settings.xml'/>"),
    },
    "paths that are stripped": {
        "assets___cube__obj": CUBE,
        "robot__xml": meshed(
            "C:/work/cube.obj", compiler="<compiler meshdir='assets' strippath='true'/>"
        ),
    },
    "an include of a file beside it, from a folder": {
        "parts___arm__xml": "<mujoco><include file='hand.xml'/></mujoco>",
        "parts___hand__xml": f"<mujoco><body name='hand'><joint/>{BALL}</body></mujoco>",
        "robot__xml": world(f"{FREE}<include file='parts/arm.xml'/></body>"),
    },
    "models that are attached, with meshes of their own": {
        "hand___cube__obj": CUBE,
        "hand___hand__xml": meshed("cube.obj").replace("<freejoint/>", "<joint name='j'/>"),
        "robot__xml": world(
            f"{FREE}<frame pos='0 0 1'><attach model='hand' body='base' prefix='left_'/></frame>"
            "<attach model='hand' body='base' prefix='right_'/></body>",
            "<asset><model name='hand' file='hand/hand.xml'/></asset>",
        ),
    },
    "copies in copies": {
        "robot__xml": world(
            f"{FREE}<replicate count='3' offset='1 0 0'><body><joint name='j'/>{BALL}"
            f"<replicate count='2' euler='0 0 90'>{BALL}</replicate></body></replicate></body>"
        ),
    },
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_robot_of_several_files_weighs_as_in_mujoco(layout: str, tmp_path: Path) -> None:
    path = written(tmp_path, **LAYOUTS[layout])
    body, model = read_character(path).body, mujoco.MjModel.from_xml_path(str(path))
    assert body is not None
    assert body.total_mass_kg == pytest.approx(model.body_mass.sum(), rel=1e-12)
    assert np.count_nonzero(body.masses_kg) == np.count_nonzero(model.body_mass)


def test_a_complaint_names_the_file_and_line_of_what_is_included(tmp_path: Path) -> None:
    wrong = f"<mujoco>\n<!-- one\n two -->\n<body>{BALL}\n<geom size='x'/></body></mujoco>"
    path = written(
        tmp_path, hand__xml=wrong, robot__xml=world(f"\n\n{FREE}<include file='hand.xml'/></body>")
    )
    with pytest.raises(FileProblem, match=r"hand\.xml:5: ") as caught:
        read_character(path)
    assert caught.value.path.name == "hand.xml"


@pytest.mark.parametrize(
    ("declaration", "codec"),
    [
        ("", "utf-8-sig"),
        ("", "utf-16"),
        ("<?xml version='1.0' encoding='UTF-16'?>", "utf-16"),
        ("<?xml version='1.0' encoding='utf8'?>\n", "utf-8"),
        ('<?xml version="1.0" encoding="ISO-8859-1"?>', "latin-1"),
        ("<?xml version='1.0' encoding='windows-1252'?>", "cp1252"),
        ("<?xml version='1.0' encoding='us-ascii'?>", "ascii"),
    ],
)
def test_encodings_that_are_read(declaration: str, codec: str, tmp_path: Path) -> None:
    name = "knee" if codec == "ascii" else "Knöchel"
    path = tmp_path / "robot.xml"
    path.write_bytes((declaration + GOOD.replace("name='j'", f"name='{name}'")).encode(codec))
    assert read_character(path).skeleton.joint_names[1] == name


ENCODINGS = {
    "klingon": ("<?xml version='1.0' encoding='klingon'?>", "utf-8", "the encoding 'klingon'"),
    "utf-7": ("<?xml version='1.0' encoding='utf-7'?>", "utf-7", "the encoding 'utf-7'"),
    "no mark": ("", "utf-16-le", "without a byte order mark"),
    "not UTF-16": ("<?xml version='1.0' encoding='utf-16'?>", "utf-8", "'utf-16' in a file that"),
    "not UTF-8": ("", "latin-1", "byte 0xf6"),
}


@pytest.mark.parametrize("case", ENCODINGS)
@pytest.mark.parametrize("name", ["robot.xml", "robot.urdf"])
def test_encodings_that_are_not_read_are_named(case: str, name: str, tmp_path: Path) -> None:
    declaration, codec, said = ENCODINGS[case]
    text = GOOD.replace("tip", "Spitzenhöhe" if case == "not UTF-8" else "tip")
    (tmp_path / name).write_bytes((declaration + text).encode(codec))
    with pytest.raises(FileProblem, match=rf"{name}:1: .*{said}"):
        read_character(tmp_path / name)


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """One entry for each process that is started."""
    started: list[object] = []
    kept = robot_compiler.LimitedProcess

    def count(*arguments: object, **named: object) -> object:
        started.append(arguments)
        return kept(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(robot_compiler, "LimitedProcess", count)
    return started


def test_a_robot_is_compiled_once_while_nothing_changes(
    tmp_path: Path, starts: list[object]
) -> None:
    text = meshed("a.obj").replace("<mujoco>", f"<mujoco model='{tmp_path.name}'>")
    path = written(tmp_path, a__obj=CUBE, robot__xml=text)
    masses = [read_character(path).body for _ in range(3)]
    assert len(starts) == 1 and masses[0] is not None and masses[0].total_mass_kg == 1000
    (tmp_path / "a.obj").write_text(CUBE.replace("v 1", "v 2"), encoding="utf-8")
    heavier = read_character(path).body
    assert len(starts) == 2 and heavier is not None and heavier.total_mass_kg == 2000
    (tmp_path / "a.obj").unlink()
    assert any("mesh" in note for note in read_character(path).notes)
    assert len(starts) == 3
    copied = written(tmp_path / "other", robot__xml=text)
    read_character(copied)
    assert len(starts) == 3, "it is the same robot in another place"


def test_a_robot_that_takes_too_long_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(robot_compiler, "SECONDS", 0.5)
    path = written(tmp_path, robot__xml=doubled_unseen(24))
    with pytest.raises(FileProblem, match=r"robot\.xml: .*longer than 0\.5 s"):
        read_character(path)


@pytest.mark.skipif(sys.platform != "linux", reason="others look at memory now and then only")
def test_a_robot_that_takes_too_much_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(robot_compiler, "MEMORY_BYTES", 16 << 20)
    path = written(tmp_path, robot__xml=bumpy(300_000))
    with pytest.raises(FileProblem, match=r"robot\.xml: "):
        read_character(path)


SAYS = "import os, sys, json\ndef say(m):\n    d = m if isinstance(m, bytes) else json.dumps(m)"
SAYS += ".encode()\n    os.write(1, len(d).to_bytes(8, 'big') + d)\n"
READY = f"{SAYS}say({{'ready': True}})\nsys.stdin.buffer.read(8)\n"
SCRIPTS = {
    "dies": (f"{READY}os.abort()", FileProblem, "crashes on it"),
    "ends": (f"{READY}sys.exit(3)", FileProblem, "ended with code 3"),
    "noise": (f"{READY}say(b'no JSON')", FileProblem, "noise"),
    "a length without end": (f"{READY}os.write(1, bytes([255] * 64))", FileProblem, "noise|crash"),
    "another answer": (f"{READY}say({{'columns': {{}}}})", FileProblem, "noise"),
    "half an answer": (f"{READY}say({{'needed': ['/etc/passwd']}})", FileProblem, "noise|crash"),
    "MuJoCo is broken": (f"{SAYS}say({{'broken': 'no libmujoco'}})", PoiseError, "no libmujoco"),
    "it does not start": ("raise SystemExit(4)", PoiseError, "cannot be started.*code 4"),
}


@pytest.mark.parametrize("case", SCRIPTS)
def test_whatever_becomes_of_the_process_is_one_problem(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, kind, said = SCRIPTS[case]
    monkeypatch.setattr(robot_compiler, "SCRIPT", written(tmp_path, child__py=script))
    text = GOOD.replace("<mujoco>", f"<mujoco model='{tmp_path.name}'>")
    with pytest.raises(kind, match=said):
        read_character(written(tmp_path, robot__xml=text))


@pytest.mark.skipif(sys.platform != "linux", reason="no such limit on this system")
def test_the_process_can_open_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = (
        "import runpy, sys\n"
        f"names = runpy.run_path({str(robot_compiler.SCRIPT)!r})\n"
        "def open_one(*_):\n    return {'problem': repr(open('/proc/version'))}\n"
        "names['main'].__globals__['_compiled'] = open_one\nnames['main']()\n"
    )
    monkeypatch.setattr(robot_compiler, "SCRIPT", written(tmp_path, child__py=script))
    text = GOOD.replace("<mujoco>", f"<mujoco model='{tmp_path.name}'>")
    with pytest.raises(FileProblem, match="Too many open files"):
        read_character(written(tmp_path, robot__xml=text))
