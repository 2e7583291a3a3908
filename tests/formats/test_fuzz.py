"""Every reader fuzzed for a moment; `python -m tests.formats.fuzz` does it for as long as asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.formats.fuzz import READERS, Reader, Tally, _tried, fuzz


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_a_reader_fuzzed_for_some_seconds(name: str, tmp_path: Path) -> None:
    found = fuzz(name, 5.0, seed=7, keep=tmp_path)
    assert found.cases == found.accepted + found.refused > 10
    assert not found.findings, found.findings[0]


@pytest.mark.parametrize("name", READERS)
def test_a_few_mutated_files_are_read_or_refused(name: str) -> None:
    found = fuzz(name, 0.1, seed=3)
    assert found.cases > 0 and not found.findings, found.findings[0]


def test_the_first_seeds_are_good_files(tmp_path: Path) -> None:
    for name, reader in READERS.items():
        for file, content in reader.beside.items():
            (tmp_path / file).write_bytes(content)
        path = tmp_path / f"fuzzed{reader.suffix}"
        path.write_bytes(reader.seeds()[0])
        assert reader.read(path) is not None, name


def test_the_fuzzer_finds_what_is_no_refusal(tmp_path: Path) -> None:
    def fails(path: Path) -> object:
        raise KeyError(path.name)

    path, tally = tmp_path / "a.bvh", Tally()
    assert "KeyError" in _tried(Reader(".bvh", fails, lambda: (b"a",)), path, tally)
    assert tally.cases == 1 and tally.refused == tally.accepted == 0
