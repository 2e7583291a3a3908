"""The page about recipes is true: its tables are those of the records, its recipe is one."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from poise.job import keys_of, recipe_from_text, vocabulary
from tests.docs_scripts import docs_script

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    return docs_script("recipe_tables")


def test_the_tables_are_those_of_the_records(maker: ModuleType) -> None:
    page = (DOCS / "recipes.md").read_text(encoding="utf-8")
    made = maker.page_with_tables(page, vocabulary())
    assert page == made, "run: python docs/recipe_tables.py"


def test_the_captures_are_those_of_the_recipes(maker: ModuleType) -> None:
    page = (DOCS / "captures.md").read_text(encoding="utf-8")
    made = maker.with_table(page, "recipes", maker.captures_table())
    assert page == made, "run: python docs/recipe_tables.py"


def test_the_gallery_shows_every_example() -> None:
    page = (DOCS / "examples.md").read_text(encoding="utf-8")
    examples = DOCS.parent / "examples"
    for script in sorted(examples.glob("[0-9]*.py")):
        assert f"python examples/{script.name}`" in page
    families = {path.parent.name for path in (examples / "recipes").rglob("*.yaml")}
    for name in (*families, "examples"):
        assert f"(pictures/gallery_{name}.png)" in page
        assert (DOCS / "pictures" / f"gallery_{name}.png").stat().st_size < 150_000


def test_every_key_of_every_constraint_is_on_the_page(maker: ModuleType) -> None:
    page = (DOCS / "recipes.md").read_text(encoding="utf-8")
    for kind, record in vocabulary().constraints.items():
        section = page.split(f"### `{kind}`\n")[1].split("\n## ")[0].split("\n### ")[0]
        for key in (each.name for each in keys_of(record)):
            assert f"| `{key}` |" in section or key in maker.EVERY_CONSTRAINT, (kind, key)


def test_the_recipe_on_the_page_is_one() -> None:
    page = (DOCS / "recipes.md").read_text(encoding="utf-8")
    recipes = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert recipes
    for text in recipes:
        recipe_from_text(text)
