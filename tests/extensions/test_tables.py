"""Tables that packages extend: what is found, what is left out and why, and what is imported."""

from __future__ import annotations

import ast
import importlib
import logging
import sys
from pathlib import Path

import pytest

from poise import extend
from poise.constraints import CONSTRAINTS, Interval, key_of, tasks_of
from poise.errors import ExtensionProblem
from poise.extensions import Extended, attributing, extending_packages, installed
from poise.methods import METHODS
from tests.constraints.made_scenes import walk_scene
from tests.extensions.installed_packages import install_module, run_python

GROUP = "poise.formats"


def table(**own: str) -> Extended[str]:
    return Extended(GROUP, own, str, lambda _, value: "" if value.islower() else "it shouts")


def test_own_entries_come_first_and_others_by_name(site: Path) -> None:
    install_module(site, "zebra", "A = 'from zebra'", {GROUP: {"a": "zebra:A"}})
    install_module(site, "ant", "Z = 'from ant'", {GROUP: {"z": "ant:Z"}})
    found = table(own="mine")
    assert list(found.items()) == [("own", "mine"), ("a", "from zebra"), ("z", "from ant")]
    assert len(found) == 3 and "a" in found and "b" not in found
    assert str(found.package("a")) == "zebra 0.3" and found.package("own") is None
    assert found.outside() == {"a": "from zebra", "z": "from ant"}


def test_only_what_is_asked_for_is_imported(site: Path) -> None:
    install_module(site, "one", "A = 'one'", {GROUP: {"one": "one:A"}})
    install_module(site, "two", "A = 'two'", {GROUP: {"two": "two:A"}})
    found = table(own="mine")
    assert found["own"] == "mine" and "three" not in found
    assert not {"one", "two"} & set(sys.modules)
    assert found["two"] == "two"
    assert "two" in sys.modules and "one" not in sys.modules


BROKEN = {
    "is not there": ("A = 'a'", "broken:B", "importing broken:B failed: AttributeError"),
    "fails": ("import no_such_module", "broken:A", "ModuleNotFoundError: No module named 'no_such"),
    "leaves": ("import sys; sys.exit(3)", "broken:A", "SystemExit: 3"),
    "is no Python": ("A = (", "broken:A", "SyntaxError"),
    "is of another type": ("A = 7", "broken:A", "broken:A is of type int, not str"),
    "is refused": ("A = 'LOUD'", "broken:A", "it shouts"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_cannot_be_used_costs_itself_and_is_named(
    what: str, site: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source, point, why = BROKEN[what]
    install_module(site, "broken", source, {GROUP: {"bad": point}})
    install_module(site, "fine", "A = 'fine'", {GROUP: {"good": "fine:A"}})
    found = table(own="mine")
    with caplog.at_level(logging.WARNING, "poise"):
        assert list(found) == ["own", "good"]
        assert list(found) == ["own", "good"] and "bad" not in found
    (said,) = caplog.messages  # once
    assert said.startswith("poise: format 'bad' of package broken 0.3 is left out: ")
    assert why in said


def test_a_name_of_poise_stays_what_it_is(site: Path, caplog: pytest.LogCaptureFixture) -> None:
    install_module(site, "thief", "A = 'stolen'", {GROUP: {"own": "thief:A", "edit": "thief:A"}})
    found = Extended(GROUP, {"own": "mine"}, str, lambda *_: "", taken=("edit",))
    assert dict(found) == {"own": "mine"} and found["own"] == "mine"
    assert "thief" not in sys.modules
    assert caplog.messages == [
        f"poise: format '{name}' of package thief 0.3 is left out: Poise has one of that name."
        for name in ("edit", "own")
    ]


def test_of_two_packages_with_one_name_the_first_wins(
    site: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("beta", "alpha"):
        install_module(site, name, f"A = '{name}'", {GROUP: {"same": f"{name}:A"}})
    assert dict(table()) == {"same": "alpha"}
    assert "of package beta 0.3 is left out: alpha 0.3 has one of that name" in caplog.text


def test_faults_of_a_package_are_its_own(site: Path) -> None:
    install_module(site, "faulty", "A = 'a'", {GROUP: {"a": "faulty:A"}})
    found = table(own="mine")
    with pytest.raises(ExtensionProblem, match=r"format 'a' of package faulty 0\.3.*KeyError: 'x'"):
        with attributing(found, "a"):
            raise KeyError("x")
    with pytest.raises(KeyError):
        with attributing(found, "own"):
            raise KeyError("x")
    with pytest.raises(MemoryError):
        with attributing(found, "a"):
            raise MemoryError


CONSTRAINT = """
from dataclasses import dataclass, replace
from poise.constraints import HoldPoint
from poise.extend import ConstraintKind, EVERYTHING, Interval, tasks_of

@dataclass(frozen=True)
class Odd:
    name: str
    interval: Interval
    how: str = ""
    priority: int = 1
    weight: float = 1.0

def tasks(odd, scene):
    held = HoldPoint(odd.name, "left_wrist", (0.0, 1.0, 0.0), odd.interval)
    (task,) = tasks_of(held, scene)
    if odd.how == "side":
        return [replace(task, side=1)]
    if odd.how == "name":
        return [replace(task, name="other")]
    if odd.how == "early":
        return [replace(task, first=0)]
    if odd.how == "kind":
        return [replace(task, kind="aim")]
    if odd.how == "type":
        return ["task"]
    if odd.how == "none":
        return None
    return [task]

KIND = ConstraintKind(Odd, tasks, makes=("point",))
BOUND = ConstraintKind(HoldPoint, tasks, makes=("point",))
NOWHERE = ConstraintKind(Odd, tasks, makes=())
LIST = ConstraintKind(list, tasks, makes=("point",))
"""
MISTAKES = {
    "side": "a bound without one_sided=True",
    "name": "called 'other' for 'wrist'",
    "early": "for frames 0 to 5, outside of 5 to 10",
    "kind": "kind 'aim', which it does not list",
    "type": "it made str instead of a Task",
    "none": "it raised TypeError",
}


def test_a_constraint_of_a_package_is_held_to_what_it_says(
    site: Path, caplog: pytest.LogCaptureFixture
) -> None:
    points = {each.lower(): f"odd:{each}" for each in ("BOUND", "LIST", "NOWHERE")}
    points |= {"odd": "odd:KIND", "gravity": "odd:KIND"}
    install_module(site, "odd", CONSTRAINT, {"poise.constraints": points})
    assert list(CONSTRAINTS) == [*CONSTRAINTS.own, "odd"]
    for why in ("one of Poise's own", "not a frozen dataclass", "makes must be some of point"):
        assert why in caplog.text
    assert "'gravity' of package odd 0.3 is left out: Poise has one" in caplog.text
    record = CONSTRAINTS["odd"].record
    odd = record("wrist", Interval(5, 10))
    assert key_of(odd) == "odd" and len(tasks_of(odd, walk_scene())) == 1
    for how, wrong in MISTAKES.items():
        with pytest.raises(ExtensionProblem, match="constraint 'odd' of package odd") as told:
            tasks_of(record("wrist", Interval(5, 10), how), walk_scene())
        assert wrong in str(told.value)


def test_who_takes_a_constraint_follows_from_the_tasks_it_makes(site: Path) -> None:
    source = CONSTRAINT + "KIND = ConstraintKind(Odd, tasks, makes=MAKES, one_sided=SIDED)\n"
    for name, makes, sided in (
        ("to_places", "point", 0),
        ("bounds", "point", 1),
        ("aims", "aim", 0),
    ):
        text = source.replace("MAKES", f"('{makes}',)").replace("SIDED", f"bool({sided})")
        install_module(site, name, text, {"poise.constraints": {name: f"{name}:KIND"}})
    names = {"to_places", "bounds", "aims"}
    taken = {name: names & set(METHODS[name].takes.constraints) for name in METHODS.own}
    assert taken["deform"] == {"to_places", "aims"}
    assert taken["filter"] == taken["momentum"] == names
    assert taken["pattern"] == {"to_places"}
    assert taken["correct"] == taken["retarget"] == set()
    refused = METHODS["pattern"].takes.refusal(
        "aims", CONSTRAINTS["aims"].record("a", Interval(0, 1))
    )
    assert "'a' must be about a place or an orientation" in str(refused)


def test_a_batch_does_all_anew_when_a_package_has_changed(site: Path) -> None:
    assert extending_packages() == ()
    install_module(site, "one", "A = 'one'", {GROUP: {"one": "one:A"}, "other.group": {"a": "b:c"}})
    install_module(site, "two", "A = 'two'", {"poise.methods": {"two": "two:A"}})
    installed.cache_clear()
    assert extending_packages() == ("one 0.3", "two 0.3")
    assert not {"one", "two"} & set(sys.modules)


def test_what_authors_import_loads_late_and_is_what_type_checkers_see() -> None:
    path = Path(extend.__file__)
    seen: dict[str, str] = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.col_offset:
            seen |= {alias.name: str(node.module) for alias in node.names}
    assert {*seen, "check_settings"} == set(dir(extend))
    for name, module in seen.items():
        assert getattr(extend, name) is getattr(importlib.import_module(module), name)
    with pytest.raises(AttributeError, match="has no Formats"):
        _ = extend.Formats  # pyright: ignore[reportAttributeAccessIssue]


def test_a_format_does_not_wait_for_the_solvers(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom poise.extend import Format, Parsed, read_text\n"
        "print('poise.methods' in sys.modules)"
    )
    assert run_python(tmp_path, "-c", code, cwd=tmp_path).stdout == "False\n"
