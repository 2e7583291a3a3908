"""Jobs in watched processes: whatever one does costs itself only, and no process stays behind."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from poise.errors import BadValue, PoiseError
from poise.execution import Ended, JobLost, JobRaised, Limits, Supervised
from poise.execution.child import ONE_CORE, Child
from poise.execution.supervised import WorkersDoNotStart
from poise.sharing import core_count
from tests.execution import jobs_to_run
from tests.execution.jobs_to_run import behave
from tests.execution.test_threads import Endless, by_index

ROOT = Path(__file__).resolve().parents[2]
PYTHONPATH = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
SMALL = Limits(memory_bytes=150_000_000)

PATIENCE_S = 240.0
"""Longer than anything takes that does not hang, however busy the machine is."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and groups of POSIX")


@pytest.fixture
def two() -> Generator[Supervised, None, None]:
    with Supervised(2) as executor:
        yield executor


def patiently(condition: Callable[[], Any], within_s: float = PATIENCE_S) -> Any:
    """What a condition says as soon as it says something, or at the end of the time."""
    until = time.perf_counter() + within_s
    while not (said := condition()) and time.perf_counter() < until:
        time.sleep(0.01)
    return said


def runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def are_gone(pids: Sequence[int], within_s: float = PATIENCE_S) -> bool:
    return patiently(lambda: not any(runs(pid) for pid in pids), within_s)


def begun(path: Path, count: int = 1) -> list[int]:
    """The pids that jobs have written as endings of a path, once there are so many."""
    found: list[int] = []

    def looked() -> bool:
        found[:] = [int(each.suffix[1:]) for each in path.parent.glob(f"{path.name}.*")]
        return len(found) >= count

    assert patiently(looked), found
    return found


def in_words(ended: Ended[Any, Any]) -> tuple[str, str]:
    assert ended.value is None
    return ended.how, str(ended.error)


# Outcomes


def test_every_job_is_given_back_with_how_it_ended() -> None:
    jobs = [
        ("return", {"a": (1, 2.5)}), ("raise", "no good"), ("exit", 3), ("kill",), ("segfault",),
        ("hang",), ("eat",), ("no_memory",), ("leave", 4), ("return", None),
    ]  # fmt: skip
    with Supervised(2, Limits(2.0, 150_000_000, attempts=1)) as executor:
        ended = by_index(executor, jobs)
    assert [each.index for each in ended] == list(range(10))
    assert [each.job for each in ended] == jobs
    assert [each.how for each in ended] == [
        "done", "raised", "crashed", "crashed", "crashed", "out_of_time", "out_of_memory",
        "out_of_memory", "crashed", "done",
    ]  # fmt: skip
    assert ended[0].result() == {"a": (1, 2.5)} and ended[9].result() is None
    assert isinstance(ended[1].error, ValueError) and str(ended[1].error) == "no good"
    assert [in_words(ended[i])[1] for i in (2, 3, 5, 6, 7, 8)] == [
        "the process was ended with code 3", "the process was ended by SIGKILL",
        "not done after 2 s", "more than 150 MB of memory", "no memory was left: too large",
        "the process was ended with code 4",
    ]  # fmt: skip
    segfault = in_words(ended[4])[1]
    assert "ended by SIGSEGV (Fatal Python error: Segmentation fault, File" in segfault
    assert "jobs_to_run.py" in segfault or "ctypes" in segfault
    for each in ended[2:9]:
        assert isinstance(each.error, JobLost) and each.attempts == 1
        with pytest.raises(JobLost):
            each.result()
    assert ended[5].seconds > 2.0
    assert ended[6].peak_bytes > 150_000_000
    assert 5_000_000 < ended[5].peak_bytes < 150_000_000


def test_an_exception_that_can_travel_is_itself_and_others_are_what_they_said(
    two: Supervised,
) -> None:
    jobs = [("raise", "no good"), ("raise_odd",), ("raise_unportable",), ("refuse", "plain")]
    plain, odd, unportable, ours = by_index(two, jobs)
    assert type(plain.error) is ValueError and type(ours.error) is PoiseError
    for each, said in ((odd, "Odd: this and that"), (unportable, "ValueError: ('holds', <")):
        assert each.how == "raised" and type(each.error) is JobRaised
        text = str(each.error)
        assert text.startswith("Traceback (most recent call last)") and said in text
        assert "jobs_to_run.py" in text and text == text.strip()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("file", "walk.bvh:7: expected a number. Mend it."),
        ("name", "No joint is called 'LeftFot'. Did you mean 'LeftFoot'? Known: LeftFoot."),
        ("value", "rate_hz must be positive, got -1.0."),
    ],
)
def test_errors_of_ours_are_readable_when_they_arrive(
    name: str, said: str, two: Supervised
) -> None:
    """Their constructors take facts, not the sentence, so a pickle cannot make them again."""
    (ended,) = two.run(behave, [("refuse", name)])
    assert ended.how == "raised" and isinstance(ended.error, PoiseError)
    assert str(ended.error).endswith(said)


@pytest.mark.parametrize("name", ["file", "name", "value"])
def test_errors_of_ours_arrive_as_they_are(name: str, two: Supervised) -> None:
    (ended,) = two.run(behave, [("refuse", name)])
    with pytest.raises(PoiseError) as here:
        jobs_to_run.refuse(name)
    assert type(ended.error) is type(here.value)
    assert str(ended.error) == str(here.value) and vars(ended.error) == vars(here.value)


def test_a_value_that_cannot_leave_is_raised_as_such(two: Supervised) -> None:
    first, second = by_index(two, [("unpicklable",), ("return", 1)])
    assert first.how == "raised" and "pickle" in str(first.error)
    assert second.value == 1


def test_a_value_that_does_not_arrive_costs_its_job_only(two: Supervised) -> None:
    first, second = by_index(two, [("unreadable",), ("return", 1)])
    assert first.how == "raised" and second.value == 1


def test_a_job_that_cannot_be_sent_costs_itself_only(two: Supervised) -> None:
    first, second = by_index(two, [("return", lambda: None), ("return", 1)])
    assert first.how == "raised" and second.value == 1


def test_what_a_job_prints_and_reads_disturbs_nothing(two: Supervised) -> None:
    noise = "x" * 300_000
    jobs = [("print", noise), ("print", "read"), ("print", "\n" * 5000), ("return", 1)]
    ended = by_index(two, jobs)
    assert [each.how for each in ended] == ["done", "raised", "done", "done"]
    assert type(ended[1].error) is EOFError
    assert len(set(two.pids)) == 2


def test_much_goes_both_ways(two: Supervised) -> None:
    large = bytes(range(200)) * 250_000
    there, back, echo = by_index(two, [("len", large), ("bytes", 50_000_000), ("return", large)])
    assert there.value == len(large) and back.value == bytes(50_000_000)
    assert echo.value == large and echo.value is not large


# Which work


def faked() -> None:
    """Made to look as if a script had defined it."""


faked.__module__ = "__main__"


class Callable_:
    def __call__(self, job: Any) -> Any:
        return job

    def method(self, job: Any) -> Any:
        return job


class Mine(Callable_):
    __module__ = "__main__"


@pytest.mark.parametrize(
    "work",
    [lambda job: job, faked, partial(faked), partial(partial(faked)), Mine(), Mine().method,
     partial(behave, threading.Lock())],
    ids=["lambda", "script", "partial", "twice", "object", "method", "lock"],
)  # fmt: skip
def test_work_that_other_processes_cannot_import_is_refused(work: Any) -> None:
    with Supervised(1) as executor:
        with pytest.raises(BadValue, match="work must be a function of a module that other"):
            list(executor.run(work, [1]))
        assert executor.pids == ()


def test_work_may_be_a_partial_an_object_or_a_method(two: Supervised) -> None:
    assert by_index(two, []) == []
    for work in (partial(max, 3), partial(partial(max), 3), Callable_(), Callable_().method):
        ended = sorted(two.run(work, [5, 4]), key=lambda each: each.index)
        assert [each.value for each in ended] == [5, 4]


def test_work_that_is_not_there_is_raised_for_each_job(two: Supervised) -> None:
    def lost(job: Any) -> Any:
        return job

    lost.__module__, lost.__qualname__ = "tests.execution.nowhere", "lost"
    sys.modules["tests.execution.nowhere"] = module = type(sys)("tests.execution.nowhere")
    module.lost = lost  # type: ignore[attr-defined]
    try:
        ended = list(two.run(lost, [1, 2]))
    finally:
        del sys.modules["tests.execution.nowhere"]
    assert [each.how for each in ended] == ["raised", "raised"]
    assert all(isinstance(each.error, ModuleNotFoundError) for each in ended)


def test_modules_are_found_where_this_process_finds_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only_here_1.py").write_text("def work(job):\n    return -job\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    import only_here_1  # type: ignore[import-not-found]

    with Supervised(1) as executor:
        assert [each.value for each in executor.run(only_here_1.work, [1, 2])] == [-1, -2]


def test_files_in_the_current_folder_do_not_get_in_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "queue.py").write_text("raise ImportError('not this one')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with Supervised(1) as executor:
        assert [each.value for each in executor.run(behave, [("return", 1)])] == [1]


# As much as there is room for


def test_no_jobs_start_no_process() -> None:
    with Supervised(2) as executor:
        assert list(executor.run(behave, [])) == [] and executor.pids == ()


def test_no_more_processes_than_jobs() -> None:
    with Supervised(3) as executor:
        assert [each.value for each in executor.run(behave, [("return", 1)])] == [1]
        assert len(executor.pids) == 1
        assert executor.worker_count == 3


def test_jobs_without_end_are_taken_as_there_is_room(two: Supervised) -> None:
    jobs = Endless("return", 1)
    running = two.run(behave, jobs)
    assert jobs.taken == 0
    for given_back, _ in enumerate(itertools.islice(running, 20), start=1):
        assert jobs.taken <= given_back + 2
    running.close()
    assert jobs.taken <= 22


def test_who_is_ready_first_comes_first(two: Supervised, tmp_path: Path) -> None:
    last = tmp_path / "last"
    running = two.run(behave, [("wait_for", str(last)), ("return", 1), ("return", 2)])
    assert [next(running).index, next(running).index] == [1, 2]
    last.touch()
    assert [each.index for each in running] == [0]


def test_jobs_that_cannot_be_made_end_the_run_and_its_processes(two: Supervised) -> None:
    def jobs() -> Iterator[Any]:
        yield ("hang",)
        raise FileNotFoundError("the list of jobs")

    with pytest.raises(FileNotFoundError, match="the list of jobs"):
        list(two.run(behave, jobs()))
    assert two.pids == ()
    assert [each.value for each in two.run(behave, [("return", 1)])] == [1]


def test_by_default_there_is_one_worker_for_each_core(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Supervised().worker_count == core_count()
    monkeypatch.setenv("POISE_CORES", "7")
    assert Supervised().worker_count == 7
    for workers in (0, -1):
        with pytest.raises(BadValue, match="workers must be at least 1"):
            Supervised(workers)


# Workers


def test_workers_serve_many_jobs_and_many_runs(two: Supervised) -> None:
    seen = {each.value for _ in range(3) for each in two.run(behave, [("pid",)] * 5)}
    assert seen <= set(two.pids) and len(two.pids) == 2
    assert os.getpid() not in seen


def test_a_worker_that_died_is_replaced(two: Supervised, tmp_path: Path) -> None:
    list(two.run(behave, [("sleep", 0.1)] * 2))
    before, go = set(two.pids), tmp_path / "go"

    def let_go() -> None:
        begun(go, 2)
        go.touch()

    both = threading.Thread(target=let_go)
    both.start()
    ended = by_index(two, [("exit", 1), *[("wait_for", str(go))] * 2])
    both.join()
    assert [each.how for each in ended] == ["crashed", "done", "done"]
    assert len(set(two.pids)) == 2 and set(two.pids) != before
    assert are_gone(list(before - set(two.pids)))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_worker_that_died_between_runs_is_replaced(workers: int) -> None:
    with Supervised(workers) as executor:
        list(executor.run(behave, [("sleep", 0.1)] * workers))
        (killed, *_), before = executor.pids, executor.pids
        os.kill(killed, signal.SIGKILL)
        assert are_gone([killed])
        ended = by_index(executor, [("pid",)] * 3)
        assert [each.how for each in ended] == ["done"] * 3
        assert killed not in {each.value for each in ended}
        assert len(before) == workers and killed not in executor.pids


def test_a_job_is_not_blamed_for_a_worker_that_was_dead_before() -> None:
    with Supervised(1, Limits(attempts=1)) as executor:
        list(executor.run(behave, [("return", 1)]))
        os.kill(executor.pids[0], signal.SIGKILL)
        assert are_gone(executor.pids)
        (ended,) = executor.run(behave, [("return", 2)])
    assert (ended.how, ended.value, ended.attempts) == ("done", 2, 1)


def in_time(executor: Supervised, jobs: Any, within_s: float = PATIENCE_S) -> list[Any]:
    """Values of jobs, or what there is when the time is over; then the pool is closed."""
    values: list[Any] = []
    thread = threading.Thread(
        target=lambda: values.extend(each.value for each in executor.run(behave, jobs)), daemon=True
    )
    thread.start()
    thread.join(within_s)
    executor.close()
    thread.join()
    return values


def test_a_worker_that_dies_as_a_run_is_closed_is_not_waited_for() -> None:
    with Supervised(2) as executor:
        list(executor.run(behave, [("sleep", 0.1)] * 2))
        running = executor.run(behave, [("return", 0), ("exit_soon", 0.2)])
        next(running)
        assert patiently(lambda: not all(runs(pid) for pid in executor.pids))  # it has answered
        next(running)
        running.close()
        assert sorted(in_time(executor, [("return", i) for i in range(4)])) == [0, 1, 2, 3]


def test_runs_may_be_within_each_other_or_are_refused(two: Supervised) -> None:
    outer = two.run(behave, [("return", f"outer {i}") for i in range(6)])
    next(outer)
    try:
        inner = {each.value for each in two.run(behave, [("return", f"inner {i}") for i in (0, 1)])}
    except PoiseError:
        return
    assert inner == {"inner 0", "inner 1"}


# Ending early


def test_closing_half_way_ends_what_runs_and_begins_no_more(
    two: Supervised, tmp_path: Path
) -> None:
    never = tmp_path / "never"
    list(two.run(behave, [("sleep", 0.1)] * 2))  # both are ready
    running = two.run(behave, [("return", 1), *[("wait_for", str(never))] * 5])
    assert next(running).value == 1
    began = begun(never)
    running.close()
    assert are_gone(began, 0.0) and len(began) == 1
    time.sleep(0.1)
    assert len(begun(never)) == len(began)
    assert not set(began) & set(two.pids)
    # It can be used again.
    assert sorted(each.value for each in two.run(behave, [("return", i) for i in range(4)])) == [
        0, 1, 2, 3,
    ]  # fmt: skip
    pids = two.pids
    two.close()
    assert are_gone(pids, 0.0) and two.pids == ()
    assert [each.value for each in two.run(behave, [("return", 1)])] == [1]


def test_nothing_is_left_after_the_pool(tmp_path: Path) -> None:
    before = {each.pid for each in psutil.Process().children(recursive=True)}
    with pytest.raises(ZeroDivisionError), Supervised(2) as executor:
        for each in executor.run(behave, [("return", 1), ("hang",), ("hang",)]):
            raise ZeroDivisionError(each)
    assert executor.pids == ()
    assert {each.pid for each in psutil.Process().children(recursive=True)} <= before


@pytest.mark.parametrize("code", [None, 3])
def test_processes_that_a_job_has_started_go_with_it(code: int | None, tmp_path: Path) -> None:
    with Supervised(1, Limits(3.0, attempts=1)) as executor:
        (ended,) = executor.run(behave, [("with_child", str(tmp_path / "child"), code)])
    assert ended.how == ("out_of_time" if code is None else "crashed")
    assert are_gone(begun(tmp_path / "child"))


# Again


def test_a_crash_is_tried_again(two: Supervised, tmp_path: Path) -> None:
    ended = by_index(two, [("crash_once", str(tmp_path / "a")), ("return", 1), ("exit", 7)])
    assert [(each.how, each.attempts) for each in ended] == [
        ("done", 2), ("done", 1), ("crashed", 2),
    ]  # fmt: skip
    assert ended[0].value == "second time"


@pytest.mark.parametrize("attempts", [1, 3])
def test_as_often_as_it_is_allowed(attempts: int, tmp_path: Path) -> None:
    with Supervised(1, Limits(attempts=attempts)) as executor:
        once, always = by_index(executor, [("crash_once", str(tmp_path / "a")), ("exit", 7)])
    assert (once.how, once.attempts) == (("crashed", 1) if attempts == 1 else ("done", 2))
    assert (always.how, always.attempts) == ("crashed", attempts)
    assert str(always.error) == "the process was ended with code 7"


@pytest.mark.parametrize("kills", [1, 2])
def test_a_worker_that_others_kill_is_tried_once_more(
    kills: int, two: Supervised, tmp_path: Path
) -> None:
    path, dead = tmp_path / "go", set[int]()

    def kill() -> None:
        for number in range(1, kills + 1):
            (pid,) = set(begun(path, number)) - dead
            os.kill(pid, signal.SIGKILL)
            dead.add(pid)
        path.write_text("go", encoding="utf-8")

    killer = threading.Thread(target=kill)
    killer.start()
    waited, other = by_index(two, [("wait_for", str(path)), ("return", 1)])
    killer.join()
    assert other.how == "done" and other.attempts == 1 and waited.attempts == 2
    if kills == 1:
        assert waited.how == "done" and waited.value not in dead
    else:
        assert in_words(waited) == ("crashed", "the process was ended by SIGKILL")
    assert not dead & set(two.pids)


@pytest.mark.parametrize(
    ("limits", "kind", "how"),
    [(Limits(seconds=0.3), "hang", "out_of_time"), (SMALL, "eat", "out_of_memory")],
    ids=["time", "memory"],
)
def test_a_first_job_that_takes_too_much_is_not_tried_again(
    limits: Limits, kind: str, how: str
) -> None:
    with Supervised(1, limits) as executor:
        (ended,) = executor.run(behave, [(kind,)])
    assert (ended.how, ended.attempts) == (how, 1)


def test_memory_that_earlier_jobs_left_behind_is_not_the_fault_of_this_one() -> None:
    with Supervised(1, SMALL) as executor:
        first, second, third = executor.run(
            behave, [("hoard", 80_000_000), ("hoard", 80_000_000), ("eat",)]
        )
    assert (first.how, first.attempts, first.value) == ("done", 1, 80_000_000)
    assert (second.how, second.attempts, second.value) == ("done", 2, 80_000_000)
    assert (third.how, third.attempts) == ("out_of_memory", 2)
    assert in_words(third)[1] == "more than 150 MB of memory"


def test_what_is_tried_again_for_memory_has_a_fresh_process() -> None:
    with Supervised(2, SMALL) as executor:
        assert [each.how for each in executor.run(behave, [("hoard", 80_000_000)] * 2)] == [
            "done", "done",
        ]  # fmt: skip
        (ended,) = executor.run(behave, [("hoard", 80_000_000)])
    assert (ended.how, ended.value) == ("done", 80_000_000)


# Limits


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"seconds": 0.0}, "the time limit must be a positive number of seconds, got 0.0"),
        ({"seconds": -1.0}, "the time limit must be a positive"),
        ({"seconds": float("nan")}, "the time limit must be a positive"),
        ({"memory_bytes": 0}, "the memory limit must be a positive number of bytes, got 0"),
        ({"attempts": 0}, "attempts must be at least 1, got 0"),
    ],
)
def test_limits_that_allow_nothing_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(BadValue) as problem:
        Limits(**given)
    assert said in str(problem.value)


def environment_with(folder: Path, sitecustomize: str) -> dict[str, str]:
    (folder / "sitecustomize.py").write_text(sitecustomize, encoding="utf-8")
    return {**ONE_CORE, "PYTHONPATH": os.pathsep.join([str(folder), PYTHONPATH])}


def test_time_until_a_worker_is_ready_does_not_count(tmp_path: Path) -> None:
    slow = environment_with(tmp_path, "import time\ntime.sleep(3.5)\n")
    with Supervised(1, Limits(2.5), environment=slow) as executor:
        began = time.perf_counter()
        first, second = executor.run(behave, [("return", 1), ("hang",)])
        assert time.perf_counter() - began > 3.5
    assert (first.how, first.attempts) == ("done", 1)
    assert second.how == "out_of_time"


def test_a_job_that_holds_the_lock_of_its_interpreter_is_ended_in_time(tmp_path: Path) -> None:
    with Supervised(1, Limits(0.4, attempts=1)) as executor:
        (ended,) = executor.run(behave, [("hold_lock", str(tmp_path / "held"), 600)])
    assert ended.how == "out_of_time"


# Around


def test_a_worker_keeps_to_one_core_if_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POISE_CORES", "5")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "6")
    for environment, wanted in ((None, (1, "1")), ({}, (5, "6")), ({"POISE_CORES": "2"}, (2, "6"))):
        with Supervised(1, environment=environment) as executor:
            assert [each.value for each in executor.run(behave, [("cores",)])] == [wanted]


def test_what_workers_announce_is_heard() -> None:
    heard: list[str] = []
    with Supervised(2, hear=heard.append) as executor:
        assert len(list(executor.run(behave, [("say_aloud", "one"), ("say_aloud", "two")]))) == 2
    assert sorted(heard) == ["one", "two"]


@pytest.mark.parametrize(
    ("sitecustomize", "more", "said"),
    [
        ("", {"PYTHONHOME": "/nowhere"}, "Worker processes do not start: ended with code 1 (Fatal"),
        ("import sys\nsys.modules['queue'] = None\n", {}, "import of queue halted"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\n", {}, "ended by SIGTERM."),
    ],
    ids=["no library", "no module", "killed"],
)
def test_workers_that_do_not_start_are_said(
    sitecustomize: str,
    more: dict[str, str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = {**environment_with(tmp_path, sitecustomize), **more}
    started: list[Child] = []

    def counted(*arguments: Any) -> Child:
        started.append(Child(*arguments))
        return started[-1]

    monkeypatch.setattr("poise.execution.supervised.Child", counted)
    with Supervised(2, environment=broken) as executor:
        for _ in range(2):
            with pytest.raises(WorkersDoNotStart) as problem:
                list(executor.run(behave, [("return", 1)] * 4))
            assert said in str(problem.value), str(problem.value)
            assert executor.pids == ()
    assert len(started) <= 8


def test_workers_import_from_where_we_do_but_for_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path, str(tmp_path / "named")])
    with Supervised(1) as executor:
        asked = ["__import__('sys').path", "__import__('sys').flags.safe_path"]
        found, safe = (ended.result() for ended in executor.run(eval, asked))
    assert str(tmp_path / "named") in found and safe
    assert "" not in found and str(tmp_path) not in found


# When the supervisor goes


SCRIPT = """
import sys
from poise.execution import Supervised
from tests.execution.jobs_to_run import behave

try:
    with Supervised(2) as executor:
        for ended in executor.run(behave, {jobs}):
            print(ended.how, flush=True)
except KeyboardInterrupt:
    print("interrupted", executor.pids, flush=True)
"""


def supervisor(folder: Path, jobs: list[Any]) -> subprocess.Popen[str]:
    """Another process that supervises, as the first of a group of its own."""
    script = folder / "supervise.py"
    script.write_text(textwrap.dedent(SCRIPT).format(jobs=jobs), encoding="utf-8")
    return subprocess.Popen(
        [sys.executable, str(script)], cwd=folder, start_new_session=True, text=True,
        env={**os.environ, "PYTHONPATH": PYTHONPATH},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["wait_for", "spin"])
def test_no_worker_outlives_a_supervisor_that_is_killed(kind: str, tmp_path: Path) -> None:
    """Also not in a compiled loop: those let go of the interpreter's lock."""
    path = tmp_path / "at_work"
    jobs = [(kind, str(path)), ("wait_for", str(path))]
    process = supervisor(tmp_path, jobs)
    workers = begun(path, 2)
    assert all(runs(pid) for pid in workers)
    process.kill()
    assert are_gone(workers)
    assert process.communicate() == ("", "")


def test_a_worker_that_holds_the_lock_of_its_interpreter_ends_with_its_supervisor(
    tmp_path: Path,
) -> None:
    """On Linux at once; elsewhere it cannot see that nobody is there until the call returns."""
    path = tmp_path / "at_work"
    process = supervisor(
        tmp_path, [("hold_lock", str(path), 600 if sys.platform == "linux" else 6)]
    )
    (worker,) = begun(path)
    process.kill()
    assert are_gone([worker])
    process.communicate()


def test_an_interrupt_ends_the_workers_without_a_word_of_theirs(tmp_path: Path) -> None:
    path = tmp_path / "at_work"
    process = supervisor(tmp_path, [("return", 1), *[("wait_for", str(path))] * 3])
    workers = begun(path, 2)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert out.splitlines() == ["done", "interrupted ()"] and not err
    assert process.returncode == 0 and are_gone(workers, 0.0)
