"""Every benchmark can be imported: what they take from the project still exists."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import benchmarks

MODULES = sorted(
    module.name for module in pkgutil.iter_modules(benchmarks.__path__) if module.name != "__main__"
)


@pytest.mark.parametrize("name", MODULES)
def test_benchmark_imports(name: str) -> None:
    assert importlib.import_module(f"benchmarks.{name}").__doc__, "says what it measures"


def test_what_ablations_replace_is_there() -> None:
    from benchmarks import physics_ablations as ablations

    # Patches name attributes by text, which no type checker follows.
    assert hasattr(ablations._bounds, "HEAVIEST")
    assert hasattr(ablations._merit, "torque_severity")
    assert hasattr(ablations._recovery, "travelling")
    assert hasattr(ablations._contact_tasks, "TIP_HALF_M")
    assert hasattr(ablations._run, "PhysicsSettings")
