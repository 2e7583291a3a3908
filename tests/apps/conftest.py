"""The command line inside the test's own process."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from poise.apps.cli.main import main
from tests.apps.command_line import Command, Done


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Command:
    """`poise` with some arguments, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["poise", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        said = capsys.readouterr()
        assert "Traceback" not in said.err and "internal error" not in said.err, said.err
        return Done(int(stopped.value.code or 0), said.out, said.err)

    return run
