"""What is pinned: the tools that build the studio's page, and those of development."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import dev

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "studio" / "package-lock.json"
SYSTEMS = ("linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64")


@pytest.fixture(scope="module")
def packages() -> dict[str, dict[str, Any]]:
    return json.loads(LOCK.read_text(encoding="utf-8"))["packages"]


def test_the_lock_is_that_of_the_package_and_names_no_registry(
    packages: dict[str, dict[str, Any]],
) -> None:
    wanted = json.loads((ROOT / "studio" / "package.json").read_text(encoding="utf-8"))
    for key in ("dependencies", "devDependencies"):
        assert packages[""][key] == wanted[key]
    for name, package in packages.items():
        assert "resolved" not in package, name
        assert name == "" or package["integrity"].startswith("sha512-"), name


def test_the_lock_serves_all_systems(packages: dict[str, dict[str, Any]]) -> None:
    known = {name.rpartition("node_modules/")[2] for name in packages}
    for name, package in packages.items():
        for tool in package.get("optionalDependencies", {}):
            assert tool in known, f"{tool}, which {name} takes on some system"
    for tool in ("@rolldown/binding-", "@typescript/typescript-", "lightningcss-"):
        for system in SYSTEMS:
            assert any(each.startswith(tool + system) for each in known), tool + system


def test_the_build_takes_what_the_lock_says() -> None:
    assert '"ci"' in (ROOT / "hatch_build.py").read_text(encoding="utf-8")


def test_the_versions_of_development_are_pinned_and_allowed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = dev.LOCK.read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    pinned = {canonicalize_name(name): version for name, version in pins.items()}
    assert len(pinned) == len([line for line in lines if not line.startswith("#")])
    extras = [each for listed in project["optional-dependencies"].values() for each in listed]
    for text in (*project["dependencies"], *extras):
        wanted = Requirement(text)
        if wanted.name != "poise":
            assert pinned[canonicalize_name(wanted.name)] in wanted.specifier, text


def test_the_lock_is_used_on_the_python_it_was_written_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev, "LOCK", tmp_path / "a.lock")
    assert dev.constraints() == ()
    frozen = "b==2.0\nA==1.0+cpu\n-e git+https://host/p@1#egg=p\nc @ file:///somewhere/c.whl\n"
    dev.LOCK.write_text(dev.locked(frozen), encoding="utf-8")
    assert dev.LOCK.read_text(encoding="utf-8").splitlines()[2:] == ["A==1.0+cpu", "b==2.0"]
    assert dev.constraints() == ("-c", str(dev.LOCK))
    monkeypatch.setattr(dev, "THIS_PYTHON", "3.1")
    assert dev.constraints() == ()
