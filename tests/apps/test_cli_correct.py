"""`poise correct` as a user meets it: no recipe, one command."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import poise
from poise.apps.cli.run import Watching
from poise.apps.figure_text import figure_lines
from poise.apps.outcome_text import outcome_lines
from poise.contact import ContactSchedule, read_contacts, write_contacts
from poise.job import Outcome, evaluation_of, recipe_from_text, run_recipe, subject
from poise.methods import METHODS, Progress, Result
from poise.samples import walking, with_foot_slide, with_t_pose
from tests.apps.command_line import Command
from tests.apps.opened_page import content

QUICK = (
    "--set", "correct.settings.samples=4", "--set", "correct.settings.sampling_iterations=3",
    "--set", "correct.settings.iterations=10",
)  # fmt: skip


@pytest.fixture(scope="module")
def sliding(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("clips") / "walk.bvh"
    poise.save(with_foot_slide(walking(2.0, 30.0), 10.0).clip, path)
    return path


def figures(out: str) -> dict[str, tuple[float, float]]:
    """Before and after by the words of the table; what has no before is NaN there."""
    lines = out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.split()[:2] == ["before", "after"])
    first = lines[start].index("before") + len("before")
    second = lines[start].index("after") + len("after")
    found: dict[str, tuple[float, float]] = {}
    for line in lines[start + 1 :]:
        if " better, " in line:
            break
        words, _, before = line[:first].rpartition("  ")
        found[(words or before).strip()] = (
            float(before) if before.strip() and words.strip() else float("nan"),
            float(line[first:second]),
        )
    return found


def test_one_command_corrects_a_sliding_walk(
    command: Command, sliding: Path, tmp_path: Path
) -> None:
    done = command(
        "correct", sliding, "-o", "out.bvh", "--report", "out.html", "--contacts-out", "c.csv",
        "--preview", "first.glb", *QUICK,
    )  # fmt: skip
    assert done.code in (0, 3), done.err
    assert done.out.startswith("correct (auto): 61 frames at 30 Hz\n  left_foot ")
    slide = figures(done.out)["foot slide"]
    assert slide[0] > 8.0 and slide[1] < 1.0
    assert set(figures(done.out)) == {
        "foot slide", "deepest penetration", "floating contacts", "out of balance (ZMP)",
        "residual force", "residual moment", "worst torque", "beyond joint ranges",
        "jerk within 12 Hz", "peak joint speed", "peak joint acceleration", "root shift",
        "swing-foot shift", "rotation difference", "largest position difference",
    }  # fmt: skip
    line = next(line for line in done.out.splitlines() if line.startswith("foot slide"))
    assert "cm/s" in line and "better" in line
    before, after, first = (
        poise.load(path) for path in (sliding, tmp_path / "out.bvh", tmp_path / "first.glb")
    )
    assert after.skeleton.joint_names == before.skeleton.joint_names
    assert after.frame_count == first.frame_count == before.frame_count
    assert np.abs(after.root_positions_m - before.root_positions_m).max() > 0.02
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert "against" in page and "walk.bvh" in page
    assert read_contacts(tmp_path / "c.csv").frame_count == 61
    for file in ("out.bvh", "out.html", "c.csv", "first.glb"):
        assert f"{file}: " in done.out


def test_contacts_of_one_run_serve_the_next(
    command: Command, sliding: Path, tmp_path: Path
) -> None:
    command("correct", sliding, "-o", "one.npz", "--contacts-out", "one.json", *QUICK)
    done = command(
        "correct", sliding, "--contacts", "one.json", "-o", "two.npz", "--contacts-out", "two.json",
        "--preset", "dance", *QUICK,
    )  # fmt: skip
    assert done.code in (0, 3) and done.out.startswith("correct (dance): "), done.err
    one, two = (read_contacts(tmp_path / name) for name in ("one.json", "two.json"))
    for part in one.parts:
        np.testing.assert_array_equal(two.column(part), one.column(part))


def test_contacts_with_confidence_may_be_given(
    command: Command, sliding: Path, tmp_path: Path
) -> None:
    assert command("contacts", sliding, "-o", "found.csv").code == 0
    done = command(
        "correct", sliding, "--contacts", "found.csv", "-o", "out.npz",
        "--contacts-out", "back.csv", *QUICK,
    )  # fmt: skip
    assert done.code in (0, 3), done.err
    found, back = (read_contacts(tmp_path / name) for name in ("found.csv", "back.csv"))
    assert found.confidence is not None and back.rate_hz == found.rate_hz
    assert back.parts == found.parts
    np.testing.assert_array_equal(back.touching, found.touching)


def test_what_is_found_says_how_sure_it_is_in_files_and_in_the_report(
    command: Command, sliding: Path, tmp_path: Path
) -> None:
    done = command(
        "correct", sliding, "-o", "out.npz", "--contacts-out", "c.csv", "--report", "out.html",
        *QUICK,
    )  # fmt: skip
    assert done.code in (0, 3), done.err
    found = read_contacts(tmp_path / "c.csv")
    assert found.confidence is not None
    charts = content((tmp_path / "out.html").read_text(encoding="utf-8"))["content"]["charts"]
    about = next(c["about"] for c in charts if c["title"] == "What touches when")
    doubtful = int((found.confidence < 0.8).any(axis=1).sum())
    wanted = f"in doubt, in {doubtful} of 61 frames" if doubtful else "No contact is in doubt"
    assert wanted in about


def test_a_recipe_may_say_more_and_the_options_come_first(
    command: Command, sliding: Path, tmp_path: Path
) -> None:
    (tmp_path / "r.yaml").write_text(
        "poise: 1\nclip: {rate_hz: 15}\nsteps:\n"
        "  - correct: {settings: {preset: run, samples: 2, sampling_iterations: 2}}\n",
        encoding="utf-8",
    )
    done = command(
        "correct", sliding, "--recipe", "r.yaml", "--candidates", "left_toe, right_toe",
        "--contacts-out", "c.csv",
    )  # fmt: skip
    assert done.code in (0, 3), done.err
    assert "correct (run): 31 frames at 15 Hz" in done.out
    found = read_contacts(tmp_path / "c.csv")
    used = {part for part in found.parts if found.column(part).any()}
    assert used == {"left_foot", "right_foot"}
    again = command("run", "r.yaml", "--clip", sliding, "-o", "out.bvh", "--accept")
    assert again.code == 0 and "foot slide" in again.out, again.err


def test_the_paper_is_a_mode(command: Command, sliding: Path, tmp_path: Path) -> None:
    done = command("correct", sliding, "--mode", "paper", "-o", "out.bvh", *QUICK)
    assert done.code == 0 and "as printed" in done.out, done.err
    refused = command("correct", sliding, "--mode", "paper", "--only", "contacts", "-o", "o.bvh")
    assert refused.code == 2 and "mode: paper" in refused.err
    unknown = command("correct", sliding, "--mode", "papers", "-o", "o.bvh")
    assert unknown.code == 2 and "physics" in unknown.err and "paper" in unknown.err


POLE = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Head
  {
    OFFSET 0 80 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    End Site
    {
      OFFSET 0 20 0
    }
  }
}
MOTION
Frames: 4
Frame Time: 0.033333
"""


def test_a_body_that_is_not_recognised(command: Command, tmp_path: Path) -> None:
    """It is said of the clip, with an option that exists; not of a file inside the program."""
    (tmp_path / "pole.bvh").write_text(POLE + 4 * "0 90 0 0 0 0 0 0 0\n", encoding="utf-8")
    done = command("correct", tmp_path / "pole.bvh", "-o", "o.bvh")
    assert done.code == 2 and "pole.bvh: expected a body" in done.err
    assert "(--roles FILE)" in done.err and "correct_clip" not in done.err


def test_nothing_is_written_over(command: Command, sliding: Path, tmp_path: Path) -> None:
    files = {"-o": "o.bvh", "--contacts-out": "c.csv", "--preview": "p.glb", "--report": "r.html"}
    for option, name in files.items():
        (tmp_path / name).write_text("mine", encoding="utf-8")
        done = command("correct", sliding, option, name, *QUICK)
        assert done.code == 2 and f"{name}: expected a new file" in done.err
        assert (tmp_path / name).read_text(encoding="utf-8") == "mine"
    done = command("correct", sliding, "-o", "p.glb", "--preview", "p.glb", "--overwrite")
    assert done.code == 2 and "the same twice" in done.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "output must be given, or nothing would be written (-o OUT)"),
        (("-o", "out.bvh", "--preset", "wlk"),
         "for preset of settings of correct, found 'wlk'. Did you mean 'walk'?"),
        (("-o", "out.bvh", "--candidates", "left_toe,tail"),
         "--candidates left_toe,tail: No contact candidate is called 'tail'."),
        (("-o", "out.bvh", "--candidates", ","), "candidates must be at least one part"),
        (("-o", "out.bvh", "--environment", "none.yaml"), "--environment none.yaml: "),
        (("-o", "out.bvh", "--contacts", "none.csv"), "--contacts none.csv: "),
        (("-o", "out.bvh", "--contacts-out", "c.txt"), "an extension of contacts (.csv, .json)"),
        (("-o", "out.bvh", "--preview", "p.txt"), "an extension that a clip can be written to"),
        (("-o", "out.bvh", "--set", "correct.settings.sample=3"), "Did you mean 'samples'?"),
        (("-o", "out.bvh", "--recipe", "deform.yaml"), "at least one of 'correct'"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(
    command: Command, sliding: Path, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    (tmp_path / "deform.yaml").write_text("poise: 1\nsteps:\n  - deform:\n", encoding="utf-8")
    done = command("correct", sliding, *options)
    assert done.code == 2 and said in done.err, done.err
    assert len(done.err.splitlines()) == 1 and not done.out
    assert not (tmp_path / "out.bvh").exists()


def test_contacts_of_another_length_are_refused(
    command: Command, sliding: Path, tmp_path: Path
) -> None:
    write_contacts(walking(1.0, 30.0).contacts, tmp_path / "c.csv")
    done = command("correct", sliding, "--contacts", "c.csv", "-o", "out.bvh")
    assert done.code == 2 and "contacts of c.csv must be 61 frames like the clip" in done.err


def test_a_contact_that_does_not_hold_ends_with_3(
    command: Command, sliding: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = METHODS["correct"].run

    def missing(*arguments: Any, **more: Any) -> Result[Any]:
        return replace(
            real(*arguments, **more), status="out_of_iterations", summary="'a foot' is off by 9 mm."
        )

    monkeypatch.setitem(METHODS.own, "correct", replace(METHODS["correct"], run=missing))
    arguments = ("correct", sliding, "-o", "out.bvh", *QUICK)
    done = command(*arguments)
    assert done.code == 3 and "not fully solved: 'a foot' is off by 9 mm." in done.out
    assert (tmp_path / "out.bvh").is_file()
    assert command(*arguments, "--overwrite", "--accept").code == 0


def test_slides_are_said(sliding: Path) -> None:
    recipe = recipe_from_text("poise: 1\nsteps:\n  - correct:\n")
    prepared = subject(recipe, sliding)
    touching = np.ones((61, 2), dtype=np.bool_)
    slides = np.zeros_like(touching)
    slides[:7, 0] = True
    contacts = ContactSchedule(("left_foot", "right_foot"), touching, 30.0, slides)
    result = Result(prepared.clip, "converged", "2 contacts hold.", None, contacts)
    lines = outcome_lines(recipe, Outcome(prepared, (result,)))
    assert lines[1].endswith("touches 1 time, 100 % of frames, sliding in 7 of them")
    assert lines[2].endswith("touches 1 time, 100 % of frames")


def test_a_t_pose_is_left_out_first(command: Command, tmp_path: Path) -> None:
    poise.save(with_t_pose(walking(1.0, 30.0).clip), tmp_path / "walk.bvh")
    done = command("correct", "walk.bvh", "-o", "out.bvh", *QUICK)
    assert done.code in (0, 3) and "t-pose: remove it (frame 0)" in done.err
    assert poise.load(tmp_path / "out.bvh").frame_count == 31


def test_progress_is_said_in_words_and_the_preview_written_once(tmp_path: Path) -> None:
    said: list[str] = []
    clip = walking(0.5, 30.0).clip
    watching = Watching(said.append, tmp_path / "p.bvh")
    watching(Progress("contacts", 3, 100))
    assert said == ["looking for contacts: 3 of 100"] and not (tmp_path / "p.bvh").exists()
    watching(Progress("angles", 0, 1, clip))
    assert said[-1] == "turning the joints" and len(watching.written) == 1
    (tmp_path / "p.bvh").unlink()
    watching(Progress("angles", 1, 1, clip))
    assert not (tmp_path / "p.bvh").exists() and len(watching.written) == 1


def test_figures_before_and_after_are_those_of_the_measures(sliding: Path) -> None:
    settings = "{samples: 2, sampling_iterations: 2, iterations: 4}"
    recipe = recipe_from_text(f"poise: 1\nsteps:\n  - correct: {{settings: {settings}}}\n")
    outcome = run_recipe(recipe, clip=sliding)
    found = evaluation_of(outcome)
    lines = figure_lines(found)
    shown = next(line for line in lines if line.startswith("rotation difference"))
    assert f"{found.value('likeness.rotation'):.2f}" in shown.split() and shown.endswith("°")
    slide = next(line for line in lines if line.startswith("foot slide")).split()
    _, _, before, after, unit, change, again = slide
    assert (unit, change) == ("cm/s", "better")
    was = next(m.value for m in found.before if m.key == "foot_slide.mean")
    wanted = (
        was,
        found.value("foot_slide.mean"),
        found.value("foot_slide.mean_under_input_contacts"),
    )
    # With the digits that the measure resolves.
    assert (float(before), float(after), float(again)) == pytest.approx(wanted, abs=0.051)
