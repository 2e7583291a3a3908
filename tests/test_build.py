"""What the build of the studio's page is pinned to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

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
