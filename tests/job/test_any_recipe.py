"""Whatever stands anywhere in a recipe, it is read or refused with a place: never anything else."""

from __future__ import annotations

import copy
from io import StringIO
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from poise.errors import FileProblem
from poise.job import Recipe, RecipeProblem, recipe_from_text, recipe_text
from tests.job.fakes import WORDS
from tests.job.test_load import GOOD

YAML_FILE = YAML(typ="safe", pure=True)
TREE = YAML_FILE.load(GOOD)


def dumped(tree: Any) -> str:
    stream = StringIO()
    YAML_FILE.dump(tree, stream)
    return stream.getvalue()


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["all", "none", "walk", "left_foot", "xyz", "lift", "anatomical"]),
)
keys = st.one_of(
    st.text(max_size=4),
    st.sampled_from(["name", "frames", "seconds", "frame", "second", "up_to", "lift", "plant"]),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=3)),
    max_leaves=6,
)


def paths_of(tree: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a tree, but for its root."""
    found: list[tuple[Any, ...]] = [here] if here else []
    if isinstance(tree, dict):
        below: list[tuple[Any, Any]] = list(tree.items())
    else:
        below = list(enumerate(tree)) if isinstance(tree, list) else []
    for key, value in below:
        found += paths_of(value, (*here, key))
    return found


@given(path=st.sampled_from(paths_of(TREE)), value=values, new_key=st.one_of(st.none(), keys))
@settings(max_examples=200, deadline=None)
def test_any_value_anywhere_is_read_or_refused(
    path: tuple[Any, ...], value: Any, new_key: str | None
) -> None:
    tree = copy.deepcopy(TREE)
    parent = tree
    for part in path[:-1]:
        parent = parent[part]
    if new_key is not None and isinstance(parent, dict):
        parent[new_key] = value
    else:
        parent[path[-1]] = value
    recipe = read(dumped(tree))
    if recipe is not None:
        assert recipe_from_text(recipe_text(recipe), words=WORDS) == recipe


def read(text: str) -> Recipe | None:
    try:
        return recipe_from_text(text, path="r.yaml", words=WORDS)
    except RecipeProblem as refused:
        assert refused.problems
        for problem in refused.problems:
            assert problem.place.label == "r.yaml" and problem.place.line
            assert len(str(problem)) < 1500
    except FileProblem as refused:  # control characters, which are no YAML
        assert "r.yaml" in str(refused)
    return None
