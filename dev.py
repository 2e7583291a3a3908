"""Everything a developer runs, set-up included: `python dev.py demo`, `python dev.py test`.

The Makefile only calls this, so that Windows users without make have the same commands. It needs
nothing but Python: the first command makes an environment in `.venv` and installs the project.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
WHEEL_NAME_GLOB = "poise-*.whl"
LOCK = ROOT / "requirements-dev.lock"
LOCKED_FOR = "# python "
THIS_PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"


def run(*command: str | Path) -> None:
    print("+", " ".join(str(part) for part in command), flush=True)
    environment = {**os.environ, "VIRTUAL_ENV": str(VENV)}
    finished = subprocess.run([str(p) for p in command], cwd=ROOT, env=environment, check=False)
    if finished.returncode:
        sys.exit(finished.returncode)


def setup(extra: str = "") -> None:
    """Make `.venv` and install the project there, unless that is done already."""
    wanted = _made_from()
    stamp = VENV / f".installed{'-' + extra if extra else ''}"
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    if not sys.version_info >= (3, 11):
        sys.exit(f"Poise needs Python 3.11 or newer; this is {sys.version.split()[0]}.")
    if not PYTHON.is_file():
        print("+ making an environment in .venv", flush=True)
        venv.EnvBuilder(with_pip=True).create(VENV)
    target = f".[{extra}]" if extra else "."
    # What nobody imports is not compiled: a fifth of the size, and half of the time.
    quiet = ("--quiet", "--disable-pip-version-check", "--no-compile")
    run(PYTHON, "-m", "pip", "install", *quiet, *constraints(), "-e", target)
    stamp.write_text(wanted)


def constraints() -> tuple[str, ...]:
    """What holds pip to the locked versions, if they are of this Python; others take the newest."""
    fits = LOCK.is_file() and f"{LOCKED_FOR}{THIS_PYTHON}" in LOCK.read_text().splitlines()
    return ("-c", str(LOCK)) if fits else ()


def lock() -> None:
    """Write down what is installed; without the file and `.venv`, that is the newest there is."""
    setup("dev")
    asked = [str(PYTHON), "-m", "pip", "freeze", "--disable-pip-version-check"]
    found = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    LOCK.write_text(locked(found))
    print(f"+ {LOCK.name} written", flush=True)


def locked(freeze: str) -> str:
    """The text of the lock: names and versions, nothing that was installed from a place."""
    pins = [line for line in freeze.splitlines() if re.fullmatch(r"[\w.-]+==[\w.!+-]+", line)]
    head = "# Versions of an environment for development; written by `python dev.py lock`."
    return "\n".join([head, f"{LOCKED_FOR}{THIS_PYTHON}", *sorted(pins, key=str.lower), ""])


def _made_from() -> str:
    """What an installation depends on: the project's files, and the source of the studio's page."""
    digest = hashlib.sha256((ROOT / "pyproject.toml").read_bytes())
    digest.update(LOCK.read_bytes() if LOCK.is_file() else b"")
    studio = ROOT / "studio"
    for path in sorted([*studio.glob("*.*"), *(studio / "src").rglob("*")]):
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


def demo() -> None:
    """The main job on a clip made by code: a damaged walk is corrected, written and measured."""
    setup()
    run(PYTHON, "-P", "-m", "poise", "warm-up", "correct", "report")
    run(PYTHON, Path("examples") / "05_correct_walk.py")
    warm_up_in_background()


def warm_up_in_background() -> None:
    """Compile what all commands need; whoever needs some of it sooner compiles that itself."""
    quiet = subprocess.DEVNULL
    command = [str(PYTHON), "-P", "-m", "poise", "warm-up"]
    subprocess.Popen(command, cwd=ROOT, stdin=quiet, stdout=quiet, stderr=quiet)


def test(*arguments: str) -> None:
    """The test suite, on all cores, without the slow proofs."""
    setup("dev")
    run(PYTHON, "-P", "-m", "poise", "warm-up")  # not in each of the processes that test
    run(PYTHON, "-m", "pytest", "-n", "auto", "-m", "not slow", "-q", *arguments)


def test_slow(*arguments: str) -> None:
    """The slow proofs."""
    setup("dev")
    run(PYTHON, "-m", "pytest", "-m", "slow", "-q", *arguments)


def test_golden(*arguments: str) -> None:
    """What every recipe and command writes, by hash, against the committed record."""
    setup("dev")
    run(PYTHON, "-m", "tests.golden", *arguments)


def test_blender() -> None:
    """Written files against Blender, which gets an environment of its own."""
    setup("dev")
    run(PYTHON, "tests/blender/run.py")


def wheel(dist: Path = ROOT / "dist") -> None:
    """Build a wheel that brings its compiled kernels along, for this Python and kind of machine."""
    setup("dev")
    kernels = ROOT / "src" / "poise" / "compilation" / "_kernels"
    try:
        run(PYTHON, "-P", "-m", "poise.apps.warm_up", kernels)
        run(PYTHON, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", dist, ".")
    finally:
        shutil.rmtree(kernels, ignore_errors=True)


def test_wheel() -> None:
    """Build the wheel, install it in a clean environment, and use it there."""
    with tempfile.TemporaryDirectory() as folder:
        dist, clean = Path(folder) / "dist", Path(folder) / "clean"
        wheel(dist)
        (made,) = dist.glob(WHEEL_NAME_GLOB)
        venv.EnvBuilder(with_pip=True).create(clean)
        scripts = clean / BIN.name
        python = scripts / PYTHON.name
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", made)
        poise = scripts / ("poise.exe" if os.name == "nt" else "poise")
        sample = Path(folder) / "sample.bvh"
        run(python, "-c", "import poise, sys; print(poise.__version__, 'on', sys.version)")
        run(poise, "sample", "walk", "-o", sample)
        run(poise, "inspect", sample)
        run(poise, "convert", sample, Path(folder) / "sample.glb")
        # With kernels of its own: none is compiled, so none is kept.
        os.environ["NUMBA_CACHE_DIR"] = str(Path(folder).resolve() / "kernels")
        run(poise, "correct", sample, "-o", Path(folder) / "corrected.bvh")
        kept = list((Path(folder) / "kernels").glob("*.nbc"))
        if kept:
            sys.exit(
                f"{len(kept)} kernels were compiled although the wheel has them: {kept[0].name}"
            )
        _uninstalled(python, poise, sample)


def _uninstalled(python: Path, poise: Path, sample: Path) -> None:
    """What is left behind: nothing that `poise clean` has not listed."""
    home = sample.parent / "home"
    home.mkdir()
    places = ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
    os.environ |= {name: str(home / name) for name in (*places, "LOCALAPPDATA")}
    os.environ |= {"HOME": str(home), "USERPROFILE": str(home)}
    os.environ.pop("NUMBA_CACHE_DIR")
    run(poise, "correct", sample, "-o", sample.with_name("again.bvh"))
    # A kernel that the wheel does not have is kept.
    run(python, "-c", "from poise.compiled import compiled; compiled(lambda x: x + 1.0)(1.0)")
    listed = subprocess.run([poise, "clean"], capture_output=True, text=True, check=True).stdout
    print(listed)
    left = [path for path in home.rglob("*") if path.is_file()]
    unlisted = [path for path in left if str(path.parent) not in listed]
    run(poise, "clean", "--yes")
    left = [*unlisted, *(path for path in home.rglob("*") if path.is_file())]
    run(python, "-m", "pip", "uninstall", "--quiet", "--yes", "poise")
    left += [each for each in (python.parent.parent / "lib").rglob("*poise*")]
    if left:
        sys.exit(f"left behind: {', '.join(map(str, left))}")


def check() -> None:
    """Lint, format and types."""
    setup("dev")
    run(PYTHON, "-m", "ruff", "check", ".")
    run(PYTHON, "-m", "ruff", "format", "--check", ".")
    run(PYTHON, "-m", "pyright", "--pythonpath", PYTHON)


def bench(*arguments: str) -> None:
    """Speed against peers, in one run."""
    setup("dev")
    run(PYTHON, "-m", "benchmarks", *arguments)


def clean() -> None:
    """Remove the environments and caches."""
    for name in (".venv", ".venv-blender", ".pytest_cache", ".ruff_cache", "out"):
        shutil.rmtree(ROOT / name, ignore_errors=True)


COMMANDS = {
    "setup": lambda: (setup("dev"), warm_up_in_background()),
    "lock": lock,
    "demo": demo,
    "test": test,
    "test-slow": test_slow,
    "test-golden": test_golden,
    "test-blender": test_blender,
    "test-wheel": test_wheel,
    "wheel": wheel,
    "check": check,
    "bench": bench,
    "clean": clean,
}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        sys.exit(f"usage: python dev.py {{{','.join(COMMANDS)}}}")
    COMMANDS[sys.argv[1]](*sys.argv[2:])
