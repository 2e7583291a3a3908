"""Jobs in threads: how they end, in what order, and that nothing is begun that nobody wants."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from poise.errors import BadValue
from poise.execution import Ended, Executor, JobLost, Threads
from poise.sharing import core_count
from tests.execution.jobs_to_run import behave

both = pytest.mark.parametrize("workers", [1, 2])


class Endless:
    """Jobs without end, and how many were taken."""

    def __init__(self, *job: Any) -> None:
        self.job, self.taken = job, 0

    def __iter__(self) -> Iterator[Any]:
        while True:
            self.taken += 1
            yield self.job


def by_index(executor: Executor, jobs: Any) -> list[Ended[Any, Any]]:
    return sorted(executor.run(behave, jobs), key=lambda ended: ended.index)


# Outcomes


@both
def test_every_job_is_given_back_with_how_it_ended(workers: int) -> None:
    jobs = [
        ("return", "a"),
        ("raise", "no good"),
        ("no_memory",),
        ("return", None),
        ("refuse", "value"),
    ]
    ended = by_index(Threads(workers), jobs)
    assert [each.index for each in ended] == [0, 1, 2, 3, 4]
    assert all(each.job is job for each, job in zip(ended, jobs, strict=True))
    assert [each.how for each in ended] == ["done", "raised", "out_of_memory", "done", "raised"]
    assert [each.value for each in ended] == ["a", None, None, None, None]
    assert ended[0].result() == "a" and ended[3].result() is None
    with pytest.raises(ValueError, match="no good"):
        ended[1].result()
    with pytest.raises(MemoryError, match="too large"):
        ended[2].result()
    assert isinstance(ended[4].error, BadValue) and ended[4].error.argument == "rate_hz"
    assert all(each.attempts == 1 and each.peak_bytes == 0 for each in ended)


@both
def test_nothing_is_copied(workers: int) -> None:
    job, problem = object(), ValueError("mine")

    def work(given: object) -> object:
        if given is problem:
            raise problem
        return given

    done, raised = sorted(Threads(workers).run(work, [job, problem]), key=lambda each: each.index)
    assert done.job is done.value is job
    assert raised.error is problem and raised.error.__traceback__ is not None


@both
def test_the_time_of_a_job_is_told(workers: int) -> None:
    quick, slow = by_index(Threads(workers), [("return", 1), ("sleep", 0.1)])
    assert quick.seconds >= 0.0 and slow.seconds >= 0.1


def test_a_job_that_was_lost_without_words_says_so() -> None:
    with pytest.raises(JobLost, match="job 3 crashed"):
        Ended(3, None, "crashed").result()


# Order and number


def test_one_worker_does_them_in_order_in_the_thread_of_the_caller() -> None:
    seen: list[tuple[int, str]] = []
    here = threading.current_thread().name
    ended = list(
        Threads(1).run(lambda i: seen.append((i, threading.current_thread().name)), range(9))
    )
    assert [each.index for each in ended] == list(range(9))
    assert seen == [(i, here) for i in range(9)]


def test_several_at_a_time_and_never_more() -> None:
    now, most = [0], [0]
    lock, meeting = threading.Lock(), threading.Barrier(3, timeout=240.0)

    def work(i: int) -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        if i < 3:
            meeting.wait()  # three are needed
        time.sleep(0.002)
        with lock:
            now[0] -= 1

    assert all(each.how == "done" for each in Threads(3).run(work, range(30)))
    assert most[0] == 3


def test_who_is_ready_first_comes_first() -> None:
    last = threading.Event()
    running = Threads(2).run(lambda i: i > 0 or last.wait(240.0), range(3))
    assert [next(running).index, next(running).index] == [1, 2]
    last.set()
    assert [each.index for each in running] == [0]


def test_by_default_there_is_one_worker_for_each_core(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Threads().worker_count == core_count()
    monkeypatch.setenv("POISE_CORES", "7")
    assert Threads().worker_count == 7 and Threads(3).worker_count == 3
    for workers in (0, -1):
        with pytest.raises(BadValue, match="workers must be at least 1"):
            Threads(workers)


# As much as there is room for


@both
def test_no_jobs_are_nothing(workers: int) -> None:
    assert list(Threads(workers).run(behave, [])) == []


@both
def test_jobs_without_end_are_taken_as_there_is_room(workers: int) -> None:
    jobs = Endless("return", 1)
    running = Threads(workers).run(behave, jobs)
    assert jobs.taken == 0
    for given_back, _ in enumerate(itertools.islice(running, 20), start=1):
        assert jobs.taken <= given_back + workers
    running.close()
    assert jobs.taken <= 20 + workers
    taken = jobs.taken
    time.sleep(0.02)
    assert jobs.taken == taken


@both
def test_jobs_that_cannot_be_made_end_the_run(workers: int) -> None:
    done: list[int] = []

    def jobs() -> Iterator[int]:
        yield from (0, 1)
        raise FileNotFoundError("the list of jobs")

    def work(i: int) -> None:
        time.sleep(0.02)
        done.append(i)

    with pytest.raises(FileNotFoundError, match="the list of jobs"):
        list(Threads(workers).run(work, jobs()))
    assert sorted(done) == [0, 1]


# Ending early


@both
def test_closing_waits_for_what_has_begun_and_begins_no_more(workers: int) -> None:
    begun: list[int] = []
    done: list[int] = []

    def work(i: int) -> None:
        begun.append(i)
        time.sleep(0.05 * (i > 0))
        done.append(i)

    executor = Threads(workers)
    running = executor.run(work, range(100))
    next(running)
    running.close()
    assert sorted(begun) == sorted(done) and len(begun) <= workers
    assert not [each for each in threading.enumerate() if each.name.startswith("poise-job")]
    assert [each.how for each in executor.run(behave, [("return", 1)] * 3)] == ["done"] * 3


def test_what_interrupts_a_job_in_the_thread_of_the_caller_ends_the_run() -> None:
    begun: list[int] = []

    def work(i: int) -> None:
        begun.append(i)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(Threads(1).run(work, range(5)))
    assert begun == [0]


@both
def test_runs_may_be_within_each_other(workers: int) -> None:
    with Threads(workers) as executor:
        pairs = [
            (outer.value, inner.value)
            for outer in executor.run(behave, [("return", i) for i in range(3)])
            for inner in executor.run(behave, [("return", i) for i in range(3)])
        ]
    assert sorted(pairs) == [(i, k) for i in range(3) for k in range(3)]
