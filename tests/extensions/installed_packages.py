"""Packages put where Python finds them, as an installer without a network would leave them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import poise

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "extension"
SOURCE = Path(poise.__file__).resolve().parents[1]


def install(folder: Path, site: Path) -> None:
    """Put a project's packages into a folder, with the metadata of its pyproject.toml."""
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    for package in project["tool"]["setuptools"]["packages"]:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(folder / package, site / package, ignore=ignored)
    facts = project["project"]
    _write_metadata(site, facts["name"], facts["version"], facts["entry-points"])


def install_module(
    site: Path, name: str, source: str, points: Mapping[str, Mapping[str, str]]
) -> None:
    """Make a package of one module, `name` with dashes for underscores, and install it."""
    site.mkdir(exist_ok=True)
    (site / f"{name.replace('-', '_')}.py").write_text(source, encoding="utf-8")
    _write_metadata(site, name, "0.3", points)


def _write_metadata(
    site: Path, name: str, version: str, points: Mapping[str, Mapping[str, str]]
) -> None:
    info = site / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    about = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (info / "METADATA").write_text(about, encoding="utf-8")
    text = "".join(
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in each.items())
        for group, each in points.items()
    )
    (info / "entry_points.txt").write_text(text, encoding="utf-8")


def run_poise(
    site: Path, *arguments: object, cwd: Path, code: int | None = 0
) -> subprocess.CompletedProcess[str]:
    """Run `poise` where the packages of a folder are installed."""
    return run_python(site, "-m", "poise", *arguments, cwd=cwd, code=code)


def run_python(
    site: Path, *arguments: object, cwd: Path, code: int | None = 0
) -> subprocess.CompletedProcess[str]:
    """Run Python there."""
    path = os.pathsep.join((str(SOURCE), str(site)))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-P", *map(str, arguments)], cwd=cwd, check=False, timeout=300,
        capture_output=True, text=True, encoding="utf-8",
        env={**environment, "COLUMNS": "200"},
    )  # fmt: skip
    assert code is None or done.returncode == code, done.stderr
    return done
