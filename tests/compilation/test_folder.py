"""Where compiled kernels are kept, and where not: they run when they are loaded."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import poise
from poise.compilation.folder import is_own
from tests.apps.poisoned_folder import Bomb, leaving

SOURCE = Path(poise.__file__).resolve().parents[1]
posix = pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
MODULE = """
from poise.announce import listening
from poise.compiled import compiled

@compiled
def twice(x):
    return 2 * x

with listening(print):
    print(twice(3.0), sum(twice.stats.cache_hits.values()), twice._cache.cache_path)
"""


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that other users of the machine can look into, unlike those of tests."""
    folder = Path(tempfile.mkdtemp()).resolve()
    try:
        if any(not parent.stat().st_mode & 0o001 for parent in folder.parents):
            pytest.skip("this machine's folder for temporary files is one user's own")
        folder.chmod(0o755)
        yield folder
    finally:
        shutil.rmtree(folder)


def below(folder: Path, name: str, mode: int) -> Path:
    made = folder / name
    made.mkdir()
    made.chmod(mode)
    return made


@posix
def test_a_folder_is_own_if_nobody_else_can_write_to_it(shared: Path) -> None:
    assert is_own(str(shared))
    assert is_own(str(below(shared, "private", 0o700)))
    assert not is_own(str(below(shared, "for all", 0o777)))
    assert not is_own(str(below(shared, "for all but theirs", 0o1777)))
    assert not is_own(str(shared / "not there"))
    assert not is_own("relative") and not is_own("")


@posix
def test_a_folder_is_own_only_if_those_above_it_are(shared: Path) -> None:
    open_, sticky = below(shared, "open", 0o777), below(shared, "sticky", 0o1777)
    assert not is_own(str(below(open_, "replaced by anybody", 0o700)))
    assert is_own(str(below(sticky, "kept by its owner", 0o755)))
    closed = below(shared, "closed", 0o700)
    assert is_own(str(below(closed, "out of reach", 0o777)))


@posix
def test_a_link_counts_as_where_it_is_and_where_it_leads(shared: Path) -> None:
    good, bad = below(shared, "good", 0o755), below(shared, "bad", 0o777)
    (good / "to_good").symlink_to(good)
    (good / "to_bad").symlink_to(bad)
    (bad / "to_good").symlink_to(good)
    assert is_own(str(good / "to_good"))
    assert not is_own(str(good / "to_bad")) and not is_own(str(bad / "to_good"))


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="needs to give folders away")
def test_a_folder_of_somebody_else_or_of_a_group_is_not_own(shared: Path) -> None:
    theirs = below(shared, "theirs", 0o755)
    os.chown(theirs, 65534, -1)
    of_group = below(shared, "of a group", 0o775)
    os.chown(of_group, -1, 65534)
    assert not is_own(str(theirs)) and not is_own(str(of_group))


@dataclass(frozen=True)
class Kernel:
    """A module with one."""

    folder: Path
    home: Path

    def run(self, **environment: str) -> list[str]:
        """What it says: warnings, announcements; result, whether it was kept, and where."""
        clean = {key: value for key, value in os.environ.items() if "CACHE" not in key}
        path = os.pathsep.join((str(SOURCE), str(self.folder)))
        done = subprocess.run(
            [sys.executable, "-P", "-c", "import small"], cwd=self.home, check=False,
            capture_output=True, text=True,
            env={**clean, "PYTHONPATH": path, "XDG_CACHE_HOME": str(self.home / "cache"),
                 "HOME": str(self.home), "LOCALAPPDATA": str(self.home), **environment},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return (done.stderr + done.stdout).splitlines()


@pytest.fixture
def kernel(tmp_path: Path) -> Kernel:
    (tmp_path / "module").mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "module" / "small.py").write_text(MODULE)
    return Kernel(tmp_path / "module", tmp_path / "home")


def test_a_kernel_is_kept_with_the_users_own_things(kernel: Kernel) -> None:
    place = _caches(kernel.home) / "poise" / "kernels"
    compiling = "compiling for this machine, only the first time"
    assert kernel.run() == [compiling, f"6.0 0 {place}"]
    assert kernel.run() == [f"6.0 1 {place}"]


def _caches(home: Path) -> Path:
    """Where the platform keeps what can be made again."""
    if os.name == "nt":
        return home
    return home / "Library" / "Caches" if sys.platform == "darwin" else home / "cache"


@posix
def test_the_folder_is_for_the_users_eyes_alone(kernel: Kernel) -> None:
    kernel.run()
    assert (_caches(kernel.home) / "poise" / "kernels").stat().st_mode & 0o777 == 0o700


@posix
def test_nothing_is_loaded_from_a_folder_that_others_can_write_to(
    kernel: Kernel, shared: Path, tmp_path: Path
) -> None:
    told = {"NUMBA_CACHE_DIR": str(shared)}
    kernel.run(**told)
    [index] = shared.rglob("*.nbi")
    marker = tmp_path / "marker"
    index.write_bytes(pickle.dumps(Bomb(leaving(marker, "a kernel"))))
    shared.chmod(0o777)
    warned, said, result = kernel.run(**told)
    assert result == "6.0 0 None" and not marker.exists()
    why = f"others can write to {shared}"
    assert warned == f"Poise compiles in memory, each time anew: {why}."
    assert said == f"compiling for this machine, each time: {why}"
    shared.chmod(0o755)  # what it is there for
    kernel.run(**told)
    assert "a kernel" in marker.read_text()


def test_a_folder_relative_to_the_current_one_is_not_used(kernel: Kernel) -> None:
    warned, _, result = kernel.run(NUMBA_CACHE_DIR="kernels")
    assert warned.endswith("each time anew: NUMBA_CACHE_DIR is not a whole path: kernels.")
    assert result == "6.0 0 None"
    assert list(kernel.home.iterdir()) == []


def test_numba_is_imported_only_where_its_settings_are_looked_after() -> None:
    """Elsewhere it would come too early; the two in `mechanics` come after that package's face."""
    source = SOURCE / "poise"
    found = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if any(
            line.strip().startswith(("import numba", "from numba"))
            for line in path.read_text(encoding="utf-8").splitlines()
        )
    }
    assert found == {
        "compilation/folder.py", "compilation/files.py", "compilation/compiler.py",
        "compilation/signatures.py", "compiled.py", "mechanics/lanes.py", "mechanics/triples.py",
    }  # fmt: skip


def test_a_numba_that_was_imported_before_forgets_what_it_has_read(kernel: Kernel) -> None:
    (kernel.home / ".numba_config.yaml").write_text("cache_dir: kernels\n")
    code = "import numba.core.config as c; a = c.CACHE_DIR; import poise.compiled; "
    code += "c.reload_config(); print([a, c.CACHE_DIR])"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=kernel.home, check=True, capture_output=True,
        text=True, env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )  # fmt: skip
    assert done.stdout == "['kernels', '']\n"
