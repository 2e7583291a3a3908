"""The list of kernels that are compiled ahead."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from numba import types
from numba.core.dispatcher import Dispatcher
from typer.main import get_command

from poise.apps.cli.main import app
from poise.compilation.listed import in_order, kernels_of, listed_commands, listed_kernels
from poise.compilation.signatures import signature_text, types_of


def test_the_list_names_kernels_with_signatures_that_can_be_read() -> None:
    for kernel in listed_kernels():
        assert isinstance(kernel.dispatcher, Dispatcher), kernel.name
        assert signature_text(types_of(kernel.signature)) == kernel.signature


def test_whatever_is_called_comes_before_what_calls_it() -> None:
    kernels = listed_kernels()
    assert len({(kernel.name, kernel.signature) for kernel in kernels}) == len(kernels)
    for place, kernel in enumerate(kernels):
        assert all(call < place for call in kernel.calls), kernel.name


def test_what_a_command_needs_is_closed_under_calls() -> None:
    for command in listed_commands():
        needed = kernels_of([command])
        assert needed
        for place in needed:
            assert needed >= set(listed_kernels()[place].calls)
    assert kernels_of(()) == frozenset(range(len(listed_kernels())))
    assert kernels_of(["measure", "correct"]) == kernels_of(["measure"]) | kernels_of(["correct"])


def test_commands_of_the_list_exist() -> None:
    known = get_command(app).commands  # type: ignore[attr-defined]
    assert set(listed_commands()) <= set(known)
    assert {"correct", "filter", "leap", "retarget", "render", "measure"} <= set(listed_commands())


@pytest.mark.parametrize(
    "kind",
    [
        types.float64, types.boolean, types.none, types.literal(7), types.literal(False),
        types.Array(types.float64, 2, "C"), types.Array(types.int64, 1, "A", readonly=True),
        types.UniTuple(types.float64, 3), types.Tuple([types.int64, types.float64]),
    ],
    ids=str,
)  # fmt: skip
def test_types_come_back_from_their_text(kind: types.Type) -> None:
    assert types_of(signature_text([kind])) == (kind,)


def test_a_type_without_a_text_is_refused() -> None:
    with pytest.raises(TypeError, match="no text"):
        signature_text([types.unicode_type])


def test_a_worker_goes_on_after_what_it_cannot_compile() -> None:
    places = [i for i, kernel in enumerate(listed_kernels()) if not kernel.calls][:2]
    script = (
        "import json, sys; from poise.compilation import listed, worker;"
        "from dataclasses import replace; made = list(listed.listed_kernels());"
        "place = json.loads(sys.argv[1])[0];"
        "made[place] = replace(made[place], signature='[\"unicode_type\"]');"
        "worker.listed_kernels = lambda: tuple(made); worker.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, json.dumps(places)], text=True, capture_output=True,
        input="".join(f"{place}\n" for place in places), check=True,
    )  # fmt: skip
    first, second = done.stdout.splitlines()
    assert first.startswith(f"{places[0]} ")
    assert listed_kernels()[places[0]].name in first
    assert second.strip() == str(places[1])


def test_what_takes_longest_comes_first() -> None:
    needed = kernels_of(["correct"])
    order = in_order(needed)
    assert set(order) == needed and len(order) == len(needed)
    names = [listed_kernels()[place].name for place in order]
    # All that the largest kernel calls comes before what only others do.
    assert names.index("poise.physics.equations:evaluate_frames") > names.index(
        "poise.physics.torque_rows:put_torques"
    )
    assert names.index("poise.physics.equations:evaluate_frames") < names.index(
        "poise.contact.support_area:put_hulls"
    )
