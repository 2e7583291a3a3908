"""The command line as a user meets it: run as a program, judged by output and exit code."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import poise
from poise.contact import read_contacts
from poise.samples import walk, walking, with_dropped_frames, with_t_pose
from tests.shared_data import MOCAP, needs_mocap


def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "poise", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "200", "PYTHONIOENCODING": "utf-8", **environment},
        check=False,
    )


def assert_one_clear_line(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert done.returncode == 2, done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("poise: "), done.stderr
    assert "Traceback" not in done.stderr and "Traceback" not in done.stdout
    for word in words:
        assert word in lines[0], lines[0]


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("clips") / "damaged.bvh"
    poise.save(with_t_pose(with_dropped_frames(walk(seconds=1.0), (60,))), path)
    return path


def test_help_teaches_and_lists_the_commands() -> None:
    done = run("--help")
    assert done.returncode == 0
    for command in ("inspect", "convert", "sample", "formats"):
        assert command in done.stdout


def test_help_loads_no_heavy_library() -> None:
    code = (
        "import sys; sys.argv = ['poise', '--help']\n"
        "from poise.apps.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'numba', 'scipy', 'numpy', 'mujoco', 'pygltflib'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_version_is_the_packages() -> None:
    assert run("--version").stdout.strip() == f"poise {poise.__version__}"


def test_inspect_says_what_a_clip_is_and_what_is_wrong(damaged: Path) -> None:
    done = run("inspect", damaged)
    assert done.returncode == 0, done.stderr
    for words in ("122 frames at 120 Hz", "22 joints", "left_knee=LeftLeg"):
        assert words in done.stdout
    for words in ("t-pose", "(frame 0)", "dropped-frames", "(frame 61)"):
        assert words in done.stdout


def test_inspect_json_is_for_programs(damaged: Path) -> None:
    report = json.loads(run("inspect", damaged, "--json").stdout)
    assert report["rate_hz"] == 120.0 and report["unit"] == "cm"
    assert [f["step"] for f in report["findings"]] == ["t-pose", "dropped-frames"]
    assert report["roles"]["joints"]["right_ankle"] == "RightFoot"
    assert abs(report["floor_m"]) < 0.02


def test_inspect_goes_through_folders_and_reports_the_unreadable(
    damaged: Path, tmp_path: Path
) -> None:
    (tmp_path / "good.bvh").write_bytes(damaged.read_bytes())
    (tmp_path / "bad.bvh").write_text("not a clip")
    done = run("inspect", tmp_path)
    assert done.returncode == 2
    assert "good.bvh" in done.stdout and "bad.bvh" in done.stderr
    assert "1 of 2 files could not be read" in done.stderr


def test_convert_cleans_trims_and_resamples(damaged: Path, tmp_path: Path) -> None:
    out = tmp_path / "short.bvh"
    done = run("convert", damaged, out, "--frames", "1:101", "--fps", 30, "--clean", "all")
    assert done.returncode == 0, done.stderr
    assert "dropped-frames" in done.stderr
    clip = poise.load(out)
    assert (clip.frame_count, clip.rate_hz) == (25, 30.0)
    # Cleaned before resampled: no frame is left at the origin.
    assert np.abs(clip.root_positions_m).max(axis=1).min() > 0.5


def test_convert_without_clean_says_what_it_left(damaged: Path, tmp_path: Path) -> None:
    done = run("convert", damaged, tmp_path / "same.bvh")
    assert done.returncode == 0
    assert "left as it is: t-pose, dropped-frames" in done.stderr
    assert poise.load(tmp_path / "same.bvh").frame_count == 122


@pytest.mark.parametrize("extension", ["glb", "gltf", "npz", "bvh"])
def test_convert_writes_every_clip_format(damaged: Path, tmp_path: Path, extension: str) -> None:
    out = tmp_path / f"clip.{extension}"
    done = run("convert", damaged, out, "--provenance")
    assert done.returncode == 0, done.stderr
    assert poise.load(out).frame_count == 122
    beside = tmp_path / "clip.bvh.provenance.json"
    assert beside.is_file() == (extension == "bvh")
    if beside.is_file():
        assert json.loads(beside.read_text())["source_path"] == "damaged.bvh"


def test_an_existing_file_is_not_overwritten_unasked(damaged: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine.npz"
    out.write_text("precious")
    assert_one_clear_line(run("convert", damaged, out), "mine.npz", "--overwrite")
    assert out.read_text() == "precious"
    assert run("convert", damaged, out, "--overwrite").returncode == 0


def test_sample_makes_a_clip(tmp_path: Path) -> None:
    out = tmp_path / "walk.bvh"
    assert run("sample", "walk", "-o", out, "--t-pose").returncode == 0
    assert poise.load(out).frame_count == 482
    assert_one_clear_line(run("sample", "wlak", "-o", tmp_path / "x.bvh"), "Did you mean 'walk'")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("inspect", "nowhere.bvh"), ("nowhere.bvh",)),
        (("inspect", "{odd}"), ("Did you mean '.bvh'", ".glb", ".urdf")),
        (("inspect", "nowhere/"), ("nowhere", "nothing there")),
        (("convert", "{tmp}", "{tmp}/a.bvh"), ("a directory",)),
        (("convert", "{clip}", "{tmp}/a.bvh", "--fps", "fast"), ("--fps", "poise convert --help")),
        (("convert", "{clip}", "{tmp}/a.bvh", "--fps", "1e9"), ("below",)),
        (("convert", "{clip}"), ("target", "--help")),
        (("convret", "{clip}"), ("convret", "--help")),
        (("convert", "{clip}", "{tmp}/a.bvh", "--rate", "-60"), ("rate_hz", "above 0")),
        (
            ("convert", "{clip}", "{tmp}/a.bvh", "--animation", "run"),
            ("animation", "damaged.bvh", "only .glb, .gltf files take it"),
        ),
        (("convert", "{clip}", "{tmp}/a.bvh", "--mass", "60"), ("--mass", "--fix-rate")),
        (("convert", "{clip}", "out.fbx"), ("out.fbx", ".bvh, .amc, .glb")),
        (("convert", "{clip}", "{tmp}/a.bvh", "--frames", "ten"), ("START:STOP",)),
        (("convert", "{clip}", "{tmp}/a.bvh", "--frames", "900:950"), ("0:122",)),
        (("convert", "{clip}", "{tmp}/a.bvh", "--fps", "-3"), ("positive",)),
        (("convert", "{clip}", "{tmp}/a.bvh", "--clean", "t-pos"), ("Did you mean 't-pose'",)),
        (("convert", "{clip}", "{tmp}/a.bvh", "--unit", "ell"), ("Known: m, cm",)),
        (("convert", "{clip}", "{tmp}/a.bvh", "--skeleton", "x.asf"), ("skeleton",)),
        (("convert", "{clip}", "{tmp}/no/such/folder/a.bvh"), ("a.bvh",)),
        (("convert", "{clip}", "{tmp}/a.amc"), ("a.amc",)),
        (("inspect", "{clip}", "--roles", "nowhere.yaml"), ("nowhere.yaml",)),
    ],
)
def test_a_users_mistake_is_one_clear_line(
    arguments: tuple[str, ...], words: tuple[str, ...], damaged: Path, tmp_path: Path
) -> None:
    odd = tmp_path / "clip.bhv"
    odd.write_text("x")
    filled = [a.format(clip=damaged, tmp=tmp_path, odd=odd) for a in arguments]
    assert_one_clear_line(run(*filled), *words)
    assert not list(tmp_path.glob("a.*"))


def test_a_bug_is_told_from_a_mistake(monkeypatch: pytest.MonkeyPatch, capsys) -> None:  # type: ignore[no-untyped-def]
    from poise.apps.cli import main as cli

    def broken() -> None:
        raise ZeroDivisionError("surprise")

    monkeypatch.setattr(cli, "app", broken)
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    assert stopped.value.code == 70
    assert "bug in Poise" in capsys.readouterr().err


@needs_mocap
def test_inspect_names_the_known_defects_of_the_real_clips() -> None:
    reports = json.loads(run("inspect", MOCAP / "cmu", "--json").stdout)
    assert len(reports) == len(list((MOCAP / "cmu").glob("*.bvh")))
    for report in reports:
        steps = {f["step"]: f["frames"] for f in report["findings"]}
        assert steps["t-pose"] == [0], report["file"]
        assert "missing-thorax" in steps, report["file"]
        dropped = steps.get("dropped-frames", [])
        assert dropped == ([1] if report["file"].endswith("07_12.bvh") else []), report["file"]


@needs_mocap
def test_inspect_finds_no_such_defects_where_there_are_none() -> None:
    for folder in ("addbio_grf", "tennis", "cmu_asfamc"):
        for report in json.loads(run("inspect", MOCAP / folder, "--json").stdout):
            steps = {f["step"] for f in report["findings"]}
            assert not steps & {"t-pose", "dropped-frames", "missing-thorax", "wrong-unit"}, report
            assert report["roles"]["missing"] == [], report["file"]


def test_a_roles_file_wins_and_its_mistakes_are_located(damaged: Path, tmp_path: Path) -> None:
    roles = tmp_path / "roles.yaml"
    roles.write_text("# mine\nhead: Neck\n")
    report = json.loads(run("inspect", damaged, "--json", "--roles", roles).stdout)
    assert report["roles"]["joints"]["head"] == "Neck"
    roles.write_text("head: Neck\nrigth_knee: RightLeg\n")
    assert_one_clear_line(run("inspect", damaged, "--roles", roles), "yaml:2:", "'right_knee'")
    roles.write_text("right_knee: RightLg\n")
    assert_one_clear_line(run("inspect", damaged, "--roles", roles), "yaml:1:", "'RightLeg'")


def test_json_is_a_list_for_folders_with_the_unreadable_in_it(
    damaged: Path, tmp_path: Path
) -> None:
    (tmp_path / "good.bvh").write_bytes(damaged.read_bytes())
    assert isinstance(json.loads(run("inspect", tmp_path, "--json").stdout), list)
    (tmp_path / "bad.bvh").write_text("not a clip")
    done = run("inspect", tmp_path, "--json")
    bad, good = json.loads(done.stdout)
    assert done.returncode == 2 and "expected" in bad["error"] and good["frames"] == 122


@pytest.mark.skipif(os.name == "nt", reason="Windows consoles are told their encoding otherwise")
def test_a_name_the_terminal_cannot_show_is_no_reason_to_fail(
    damaged: Path, tmp_path: Path
) -> None:
    path = tmp_path / "ünï 日本.bvh"
    path.write_bytes(damaged.read_bytes())
    done = run("inspect", path, PYTHONIOENCODING="ascii", LC_ALL="C")
    assert done.returncode == 0 and "122 frames" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_not_called_a_bug() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "poise", "formats"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 2 and "bug" not in done.stderr


def test_provenance_beside_a_file_never_tells_of_another(damaged: Path, tmp_path: Path) -> None:
    out, other = tmp_path / "out.bvh", tmp_path / "other.bvh"
    other.write_bytes(damaged.read_bytes())
    assert run("convert", damaged, out, "--provenance").returncode == 0
    assert run("convert", other, out, "--overwrite").returncode == 0
    told = json.loads((tmp_path / "out.bvh.provenance.json").read_text())
    assert told["source_path"] == "other.bvh"


def test_the_users_unit_is_not_cleaned_away(damaged: Path, tmp_path: Path) -> None:
    out = tmp_path / "giant.npz"
    assert run("convert", damaged, out, "--unit", "m", "--clean", "all").returncode == 0
    assert poise.load(out).root_positions_m[:, 1].max() > 50.0


def test_frames_beyond_the_end_are_said(damaged: Path, tmp_path: Path) -> None:
    done = run("convert", damaged, tmp_path / "end.bvh", "--frames", "100:900")
    assert done.returncode == 0 and "kept 100:122" in done.stderr


def test_contacts_have_a_row_for_every_frame_of_the_file(damaged: Path, tmp_path: Path) -> None:
    out = tmp_path / "contacts.csv"
    done = run("contacts", damaged, "-o", out)
    assert done.returncode == 0, done.stderr
    rows = out.read_text().splitlines()
    assert rows[0].startswith("frame,time_s,left_foot,right_foot")
    assert len(rows) == 1 + 122 and ",1," not in rows[1][:40]
    done = run("measure", damaged, "--contacts", out, "--json")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)["measures"]
    assert figures["foot_slide.mean"]["unit"] == "cm/s"
    assert figures["foot_slide.mean"]["value"] < 20.0


def test_contacts_say_how_sure_they_are(damaged: Path, tmp_path: Path) -> None:
    out, plain = tmp_path / "contacts.csv", tmp_path / "plain.csv"
    done = run("contacts", damaged, "-o", out)
    assert done.returncode == 0, done.stderr
    found = read_contacts(out)
    assert found.confidence is not None and found.frame_count == 122
    assert re.search(r"^left_foot +touches +\d+\.\d % of 122 frames, \d+ times?, \d+ % sure$",
                     done.stdout, re.MULTILINE)  # fmt: skip
    doubtful = (found.confidence < 0.8).any(axis=1)
    share = re.search(r"contacts in doubt, in ([\d.]+) % of frames: \w+ \w+, frame", done.stdout)
    assert doubtful.any() == (share is not None)
    if share is not None:
        assert abs(float(share.group(1)) - 100.0 * doubtful.mean()) < 0.06
    assert "not known" not in done.stdout
    done = run("contacts", damaged, "-o", plain, "--detector")
    assert done.returncode == 0 and "% sure" not in done.stdout
    assert "in doubt" not in done.stdout and "confidence" not in plain.read_text()
    assert read_contacts(plain).confidence is None


def test_what_carries_the_body_unknown_is_said(tmp_path: Path) -> None:
    made = walking(2.0, 30.0)
    # Two metres up in the air, and walking on.
    up = np.where(np.arange(made.clip.frame_count) < 20, 0.0, 2.0)[:, None] * np.array([0, 1, 0])
    lifted = replace(made.clip, root_positions_m=made.clip.root_positions_m + up, source=None)
    poise.save(lifted, tmp_path / "lifted.bvh")
    done = run("contacts", tmp_path / "lifted.bvh")
    assert done.returncode == 0, done.stderr
    assert "Something that is not known carries the body in frames " in done.stdout
    assert "(--environment)" in done.stdout


def test_measure_says_what_every_figure_means(damaged: Path) -> None:
    done = run("measure", damaged, "--against", damaged)
    assert done.returncode == 0, done.stderr
    for words in ("foot_slide.mean", "likeness.rotation", "zmp_excursion.share"):
        assert words in done.stdout
    assert "Floor estimated" in done.stderr


def test_contacts_of_another_clip_are_refused(damaged: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("frame,time_s,left_foot,right_foot\n0,0,1,1\n1,0.0083333,1,1\n")
    assert_one_clear_line(
        run("measure", damaged, "--contacts", other), "other.csv", "122 like its file"
    )


def test_measure_warns_of_a_wrong_rate_and_of_unlike_originals(tmp_path: Path) -> None:
    jump, walk_file = tmp_path / "jump.bvh", tmp_path / "walk.bvh"
    assert run("sample", "jump", "-o", jump, "--wrong-rate", 2).returncode == 0
    assert run("sample", "walk", "-o", walk_file).returncode == 0
    done = run("measure", jump, "--against", walk_file)
    assert done.returncode == 0, done.stderr
    assert "Rate wrong" in done.stderr and "compared up to the shorter" in done.stderr
    assert "as the original shows it" in done.stderr


def test_measure_needs_three_frames_and_a_sane_mass(damaged: Path, tmp_path: Path) -> None:
    short = tmp_path / "short.bvh"
    assert run("convert", damaged, short, "--frames", "10:12").returncode == 0
    assert_one_clear_line(run("measure", short), "short.bvh", "at least 3 frames")
    assert_one_clear_line(run("measure", damaged, "--mass", "-5"), "mass")


def test_the_body_table_can_be_chosen(damaged: Path) -> None:
    assert "Winter" in run("measure", damaged, "--table", "winter").stderr
    assert_one_clear_line(run("measure", damaged, "--sex", "mal"), "male", "female")
