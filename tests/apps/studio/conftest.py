from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import poise
from poise.samples import walk
from tests.apps.studio.running_server import Page, Studio, in_this_process

SHORT = """\
poise: 1
clip: {file: short.bvh}
environment: {ground: {height_m: 0}}
steps:
  - deform: {}
"""


def filled(folder: Path) -> Path:
    """A project of one second of walking, with something beside it that is none of its business."""
    project, outside = folder / "project", folder / "outside"
    project.mkdir()
    outside.mkdir()
    clip = walk(1.0, 30.0)
    poise.save(clip, project / "short.bvh")
    poise.save(clip, outside / "secret.bvh")
    (project / "short.yaml").write_text(SHORT, encoding="utf-8")
    return project


@pytest.fixture(scope="session", autouse=True)
def state_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Ports and tokens are not kept with those of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patched:
        for name in ("XDG_STATE_HOME", "LOCALAPPDATA"):
            patched.setenv(name, str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """One server for all tests of a file."""
    with in_this_process(filled(tmp_path_factory.mktemp("studio"))) as made:
        yield made


@pytest.fixture
def page(studio: Studio) -> Iterator[Page]:
    with studio.page() as opened:
        yield opened
