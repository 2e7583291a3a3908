"""The roles file: what it may say, and how it complains."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from poise.character.role_file import read_role_file
from poise.errors import FileProblem
from tests.character import known_skeletons as known


def written(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "roles.yaml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_roles_and_forward_are_read(tmp_path: Path) -> None:
    text = "# my rig\nleft_knee: LShin\nright_knee: 'R Shin'\r\nforward: [0, 0, -2]\nneck: 12\n"
    overrides = read_role_file(written(tmp_path, text))
    assert dict(overrides.joints) == {"left_knee": "LShin", "right_knee": "R Shin", "neck": "12"}
    assert overrides.forward is not None
    np.testing.assert_array_equal(overrides.forward, [0, 0, -1])


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("left_hip: a\nleft_kne: b\n", 2, ["left_kne", "Did you mean 'left_knee'"]),
        (
            "pelvis: Hips\n\nleft_knee: mixamorig:LeftLegg\n",
            3,
            ["Did you mean 'mixamorig:LeftLeg'"],
        ),
        ("left_knee: mixamorig:LeftLeg\nleft_knee: mixamorig:LeftLeg\n", 2, ["once"]),
        ("- left_knee\n", 1, ["a list"]),
        ("left_knee: [a, b]\n", 1, ["a list"]),
        ("left_knee:\n  deeper: x\n", 2, ["nested"]),
        ("left_knee:\n", 1, ["nothing"]),
        ("just words\n", 1, ["just words"]),
        ("forward: [1, 2]\n", 1, ["three numbers"]),
        ("forward: [0, 0, 0]\n", 1, ["three numbers"]),
        ("forward: [a, b, c]\n", 1, ["three numbers"]),
        ("forward: [.nan, 0, 1]\n", 1, ["a finite number", "column 11"]),
        ("forward: [[1], 0, 1]\n", 1, ["three numbers"]),
        ("forward: north\n", 1, ["three numbers"]),
        ("? [a]\n: b\n", 1, ["role name"]),
        ("left_knee: {a\nb: c\n", 2, []),
        ("a: *unknown\n", 1, []),
    ],
)
def test_complaints_name_file_line_and_the_nearest_name(
    text: str, line: int, words: list[str], tmp_path: Path
) -> None:
    path = written(tmp_path, text.replace("pelvis: Hips", "pelvis: mixamorig:Hips"))
    with pytest.raises(FileProblem) as caught:
        skeleton = known.mixamo()
        if "left_hip: a" in text:
            skeleton = None
        read_role_file(path, skeleton)
    assert f"roles.yaml:{line}:" in str(caught.value)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n# nothing\n",
        bytes(range(256)),
        b"\xff\xfe\x00",
        b"left_knee: \x00",
        b"[" * 5000,
        b"{a: " * 5000,
        b"left_knee: !!python/object/apply:os.system [echo]\n",
        b"x" * (2 << 20),
        b"--- a\n--- b\n",
        b"a: &a [*a]\n",
    ],
)
def test_hostile_files_are_file_problems(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(FileProblem):
        read_role_file(written(tmp_path, content))


def test_a_tag_is_a_problem_with_its_position(tmp_path: Path) -> None:
    for text in ("# roles\nleft_knee: !!python/name:x y\n", "# roles\n!x left_knee: y\n"):
        with pytest.raises(FileProblem, match=r":2: .*a plain value, found '.*' in column \d+"):
            read_role_file(written(tmp_path, text))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "roles.yaml")
    with pytest.raises(FileProblem, match="no file"):
        read_role_file(tmp_path / "roles.yaml")


def test_a_directory_and_an_absent_file_are_file_problems(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.yaml"):
        with pytest.raises(FileProblem):
            read_role_file(path)


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.one_of(st.binary(max_size=80), st.text(alphabet=":-[]{}&*!|>'\"#%@`, \nabl_f0", max_size=80))
)
def test_any_bytes_give_overrides_or_a_file_problem(tmp_path: Path, content: bytes | str) -> None:
    raw = content if isinstance(content, bytes) else content.encode()
    try:
        read_role_file(written(tmp_path, raw))
    except FileProblem:
        pass
