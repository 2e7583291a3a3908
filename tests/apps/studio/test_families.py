"""A family in a file: opened without its recipe, blended, steered, and there again after all."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from poise.job import load_family, save_family
from poise.methods.momentum import LeapController
from poise.samples import sample_character
from tests.apps.studio.running_server import Page, Studio, environment, in_this_process
from tests.apps.studio.small_family import REACH_M, STAGES, small_family

NAME = "leaps/two leaps.npz"
FRAMES = STAGES[-1][2]


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("families")
    (folder / "leaps").mkdir()
    save_family(small_family(), folder / NAME)
    save_family(small_family(("a", "b", "c", "d")), folder / "other.npz")
    with in_this_process(folder) as made:
        yield made


@pytest.fixture
def page(studio: Studio) -> Iterator[Page]:
    with studio.page() as made:
        yield made


def test_a_family_of_two_leaps_opens_solved_with_its_middle_shown(
    page: Page, studio: Studio
) -> None:
    heard = page.open("open_file", path=NAME)
    assert heard.problem_lines() == []
    state, family = heard.state, heard.last("family_state")
    assert state.solved == "yes" and state.status == "converged" and state.frames == FRAMES
    assert state.recipe["steps"] == [{"momentum": {"settings": {"two_leaps_m": REACH_M}}}]
    assert family.axes == ["first x", "first z", "second x", "second z"]
    assert family.low == [-REACH_M] * 4 and family.high == [REACH_M] * 4
    assert len(family.statuses) == 16 and family.arrays["members"].shape == (16, 4)
    middle = load_family(studio.folder / NAME).at((0.0, 0.0, 0.0, 0.0))
    shown = heard.last("motion", which="after").arrays["roots_m"]
    np.testing.assert_allclose(shown, middle.root_positions_m, atol=1e-6)
    captured = heard.last("motion", which="before").arrays["roots_m"]
    np.testing.assert_allclose(captured, small_family().clip.root_positions_m, atol=1e-6)


def test_other_families_open_with_their_axes_and_are_blended(page: Page) -> None:
    heard = page.open("open_file", path="other.npz")
    assert heard.problem_lines() == []
    (step,) = heard.state.recipe["steps"]
    axes = step["momentum"]["settings"]["family"]
    assert [axis["name"] for axis in axes] == ["a", "b", "c", "d"]
    assert heard.state.solved == "yes"
    said = page.ask("blend_family", coordinate=[0.1, -9.0, 0.0, 0.3], number=1)
    expected = small_family(("a", "b", "c", "d")).at((0.1, -REACH_M, 0.0, 0.3))
    live = said.last("motion", which="live").arrays["roots_m"]
    np.testing.assert_allclose(live, expected.root_positions_m, atol=1e-6)
    assert sum(said.last("family_state").weights) == pytest.approx(1.0)
    refused = page.ask("steer_leap", forward=1.0, turn=0.0, number=2)
    assert "two leaps" in refused.problem_lines()[0][1]


def test_steered_leaps_are_those_of_the_controller(page: Page) -> None:
    page.open("open_file", path=NAME)
    controller = LeapController(small_family(), sample_character())
    for number, (forward, turn) in enumerate([(1.0, 0.0), (0.0, -1.0), (1.0, 1.0), (0.0, 0.0)]):
        said = page.ask("steer_leap", forward=forward, turn=turn, number=number)
        played = controller.step((turn * REACH_M, forward * REACH_M))
        live = said.last("motion", which="live")
        assert live.frames == played.clip.frame_count == STAGES[3][2] - STAGES[2][1]
        expected = played.clip.root_positions_m
        np.testing.assert_allclose(live.arrays["roots_m"], expected, atol=1e-6)


def test_documents_do_not_share_a_leaper(studio: Studio) -> None:
    with studio.page() as one, studio.page() as other:
        for each in (one, other):
            each.open("open_file", path=NAME)
        for number in range(3):
            one.ask("steer_leap", forward=1.0, turn=0.0, number=number)
        at = [
            each.ask("steer_leap", forward=0.0, turn=0.0, number=9)
            .last("motion", which="live")
            .arrays["roots_m"][0, 2]
            for each in (one, other)
        ]
        assert at[0] - at[1] == pytest.approx(2 * REACH_M, abs=0.02)


def test_it_is_there_again_when_the_document_is_opened_anew(tmp_path: Path) -> None:
    save_family(small_family(), tmp_path / "two.npz")
    with in_this_process(tmp_path) as first, first.page() as page:
        state = page.open("open_file", path="two.npz").state
    with in_this_process(tmp_path) as again, again.page() as page:
        heard = page.open("open_document", id=state.id)
        assert heard.state.solved == "yes" and heard.last("family_state").axes


def test_another_reach_asks_for_a_run(page: Page) -> None:
    recipe = page.open("open_file", path="other.npz").state.recipe
    changed = json.loads(json.dumps(recipe))
    changed["steps"][0]["momentum"]["settings"]["family"][0]["values"] = [-0.2, 0.2]
    changed["clip"]["wrong_rate"] = "keep"  # nothing in this clip falls as it should
    heard = page.edit(changed)
    # Nobody in particular leaps here, which a run would say; what was shown is not of this recipe.
    assert heard.state.solved != "yes"
    assert page.ask("undo").state.solved == "yes"


@pytest.mark.skipif(os.name == "nt", reason="no Ctrl-C from another process on Windows")
def test_the_command_opens_it_and_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    save_family(small_family(), tmp_path / "two leaps.npz")
    words = [sys.executable, "-m", "poise", "family", "play", "two leaps.npz", "--no-browser"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
        env=environment(),
    ) as running:  # fmt: skip
        try:
            assert running.stdout is not None
            line = running.stdout.readline()
            said = re.fullmatch(
                r"poise studio: (http://127.0.0.1:\d+/)#token=.+&document=.+\n", line
            )
            assert said is not None, line
            url = said[1]
            assert b"<script" in urllib.request.urlopen(url, timeout=30).read()
            running.send_signal(signal.SIGINT)
            out, err = running.communicate(timeout=30)
        finally:
            running.kill()
    assert (running.returncode, out, err) == (130, "", "")  # as `poise studio`
