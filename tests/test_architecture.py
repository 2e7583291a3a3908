"""What may import what, and the habits of the house, as checks that can fail."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "poise"

LEAVES = {"errors", "arrays", "units", "rotations", "compiled", "announce", "sharing", "wording"}
LEAVES |= {
    "compilation",
    "extensions",
    "user_folders",
    "limited_process",
    "one_line",
    "record_ranges",
    "version",
    "yaml_nodes",
}
# A line here is a design decision.
MAY_IMPORT = {
    "character": LEAVES,
    "motion": LEAVES | {"character"},
    "formats": LEAVES | {"character", "motion"},
    "mechanics": LEAVES | {"character"},
    "environment": LEAVES | {"formats"},
    "execution": LEAVES,
    "solvers": {"errors", "arrays", "rotations", "compiled"},
    "contact": LEAVES | {"character", "motion", "formats", "mechanics", "environment", "solvers"},
    "measures": LEAVES | {"character", "motion", "mechanics", "environment", "contact", "solvers"},
    "samples": LEAVES | {"character", "motion", "mechanics", "environment", "contact"},
    "constraints": LEAVES | {"character", "motion", "mechanics", "environment", "contact"},
    "ik": LEAVES
    | {"character", "motion", "mechanics", "environment", "contact", "constraints", "solvers"},
    "footing": LEAVES
    | {"character", "motion", "mechanics", "environment", "contact", "constraints"},
    "transfer": LEAVES | {"character", "motion", "mechanics", "environment"},
    "physics": LEAVES
    | {"character", "motion", "mechanics", "environment", "contact", "constraints", "solvers"}
    | {"ik"},
    "methods": LEAVES
    | {"character", "motion", "mechanics", "environment", "contact", "constraints", "solvers"}
    | {"ik", "physics", "footing", "transfer", "execution"},
    "job": LEAVES
    | {"character", "motion", "formats", "mechanics", "environment", "contact", "measures"}
    | {"samples", "constraints", "ik", "transfer", "methods"},
    "apps": LEAVES
    | {"character", "motion", "formats", "mechanics", "environment", "contact", "measures"}
    | {"samples", "constraints", "ik", "transfer", "methods", "job", "execution"},
    "extend": LEAVES
    | {"character", "motion", "formats", "environment", "contact", "measures", "constraints"}
    | {"methods"},
    "face": LEAVES
    | {"character", "motion", "formats", "environment", "contact", "measures", "constraints"}
    | {"methods", "job", "execution", "apps"},
}
LEAF_MAY_IMPORT = {
    "errors": set(),
    "extensions": {"errors"},
    "announce": set(),
    "wording": set(),
    "arrays": {"errors"},
    "units": {"arrays", "errors"},
    "rotations": {"arrays", "errors"},
    "compiled": {"announce", "compilation"},
    "compilation": {"compilation", "user_folders"},
    "user_folders": set(),
    "sharing": set(),
    "version": set(),
    "limited_process": {"errors"},
    "one_line": set(),
    "record_ranges": {"errors"},
    "yaml_nodes": {"errors", "wording"},
}
FILES = sorted(SOURCE.rglob("*.py"))
FORBIDDEN_NAMES = {"utils", "helpers", "misc", "common", "base"}
LONGEST_FILE = 500
LONGEST_FORMAT_OR_KERNEL = 600


def name(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def owner(path: Path) -> str:
    parts = path.relative_to(SOURCE).parts
    return parts[0] if len(parts) > 1 else path.stem


def imported_packages(path: Path) -> set[str]:
    """First names below `poise` that a file imports, at the top or inside functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name(path)}: relative import"
            modules = [node.module or ""]
            if node.module == "poise":
                modules = [f"poise.{alias.name}" for alias in node.names]
        else:
            continue
        found |= {m.split(".")[1] for m in modules if m.startswith("poise.")}
    return found


@pytest.mark.parametrize("path", FILES, ids=name)
def test_imports_are_on_the_allow_list(path: Path) -> None:
    own = owner(path)
    if own in ("__init__", "__main__"):
        return
    allowed = LEAF_MAY_IMPORT[own] if own in LEAVES else MAY_IMPORT[own] | {own}
    assert imported_packages(path) <= allowed, f"{name(path)} imports what {own} may not"


MAY_USE_METHODS = {
    "retarget": {"filter"},  # poses that stream: `FilterStream` finds contacts and balances
}


def test_methods_do_not_import_each_other() -> None:
    folder = SOURCE / "methods"
    methods = {path.name for path in folder.iterdir() if (path / "run.py").is_file()}
    assert len(methods) == 6
    for path in folder.rglob("*.py"):
        own = path.relative_to(folder).parts[0]
        if own == "table.py":
            continue
        used = {
            part
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("poise.methods")
            for part in [*str(node.module).split("."), *(alias.name for alias in node.names)]
        }
        assert used & methods <= MAY_USE_METHODS.get(own, set()) | {own}, name(path)


@pytest.mark.parametrize("path", FILES, ids=name)
def test_files_stay_small_and_well_named(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").count("\n")
    wall = (
        LONGEST_FORMAT_OR_KERNEL
        if owner(path) in ("formats", "mechanics", "solvers")
        else LONGEST_FILE
    )
    assert lines <= wall, f"{name(path)} has {lines} lines"
    assert path.stem not in FORBIDDEN_NAMES


def test_no_class_inherits_from_one_of_ours_except_errors() -> None:
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}
    ours = {
        node.name
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and path.stem != "errors"
    }
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                parents = {b.id for b in node.bases if isinstance(b, ast.Name)}
                assert not parents & ours, f"{name(path)}: {node.name} inherits from {parents}"


def test_every_package_says_what_it_is_for() -> None:
    for path in FILES:
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), name(path)


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(path: Path, known: set[str]) -> set[str]:
    """Modules that a file imports: at the top, inside functions, and for types alone."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("poise"):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {each if each in known else str(node.module) for each in names}
    return found


def test_no_modules_import_each_other_in_a_circle() -> None:
    known = {module_of(path) for path in FILES}
    left = {module_of(path): imported_modules(path, known) & known for path in FILES}
    while True:  # take away what imports nothing that is left; a circle stays
        free = {module for module, needs in left.items() if not needs & left.keys() - {module}}
        if not free:
            break
        left = {module: needs for module, needs in left.items() if module not in free}
    assert not left, f"a circle among: {', '.join(sorted(left))}"


def test_packages_are_imported_through_their_faces() -> None:
    """`from poise.contact import intervals`, not from the file it stands in."""
    packages = {module_of(path) for path in FILES if path.name == "__init__.py"}
    for path in FILES:
        own = module_of(path).split(".")[:2]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("poise."):
                parts = str(node.module).split(".")
                past = len(parts) > 2 and parts[:2] != own and str(node.module) not in packages
                # The face of `compilation` is empty: whoever imports it does not import Numba yet.
                faceless = parts[1] in ("apps", "compilation")
                assert not past or faceless, f"{name(path)}: {node.module}"
