"""The gate: it must complain about what got worse, and only about that."""

from __future__ import annotations

from benchmarks.measure import Measure, gate, read_baseline


def ratio(value: float, promise: float | None = None) -> Measure:
    return Measure("a/b", value, "x", "higher", rel_tol=0.5, promise=promise)


def test_a_ratio_inside_the_tolerance_passes() -> None:
    assert gate([ratio(6.0, promise=4.0)], {"a/b": 10.0}) == []


def test_a_ratio_below_the_tolerance_is_named() -> None:
    (complaint,) = gate([ratio(4.5, promise=4.0)], {"a/b": 10.0})
    assert complaint == "a/b: 4.5x, the baseline 10.0x allows 5.0x"


def test_a_broken_promise_is_named_whatever_the_baseline_says() -> None:
    (complaint,) = gate([ratio(3.9, promise=4.0)], {"a/b": 4.0})
    assert complaint == "a/b: 3.9x, promised 4x"


def test_a_ratio_that_is_not_a_number_does_not_pass() -> None:
    assert gate([ratio(float("nan"), promise=4.0)], {"a/b": 10.0})


def test_lower_may_be_better() -> None:
    error = Measure("e", 2.1, "x", "lower", rel_tol=0.0, abs_tol=1.0)
    assert gate([error], {"e": 1.0})
    assert not gate([error], {"e": 1.2})


def test_times_do_not_go_through_the_gate_but_unknown_ratios_do() -> None:
    assert gate([Measure("t", 99.0, "us", "lower", 0.1)], {}) == []
    assert "not in the baseline" in gate([ratio(9.0)], {})[0]


def test_the_baseline_holds_the_promised_ratios() -> None:
    baseline = read_baseline()
    suites = {key.replace(".", "/").split("/")[0] for key in baseline}
    promised = {"correct", "mechanics", "reaction_forces"}
    assert suites == promised | {"filter", "ik", "momentum", "pattern"}
    assert all(value > 2.0 for key, value in baseline.items() if key.split("/")[0] in promised)
