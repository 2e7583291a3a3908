"""How frames enter the kernels, and how they are shared among cores."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest

from poise.mechanics.frames import as_frames
from poise.sharing import over_frames


def test_arrays_in_order_are_not_copied_but_cannot_be_written() -> None:
    given = np.zeros((5, 2, 3))
    frames = as_frames("given", given, (2, 3))
    assert np.shares_memory(frames, given)
    assert not frames.flags.writeable
    assert given.flags.writeable


def test_unaligned_arrays_are_copied() -> None:
    given = np.frombuffer(bytes(1) + np.arange(6.0).tobytes(), dtype=np.float64, offset=1)
    frames = as_frames("given", given.reshape(2, 3), (3,))
    assert frames.flags.aligned
    np.testing.assert_array_equal(frames, [[0, 1, 2], [3, 4, 5]])


@pytest.mark.parametrize("frames", (0, 1, 63, 64, 65, 1000, 5003))
def test_every_frame_is_done_once_and_by_several_threads(frames: int, three_cores: None) -> None:
    done = np.zeros(frames, dtype=int)
    threads: set[int] = set()
    calls = itertools.count()
    # The first two chunks wait for each other, which they can only do on two threads.
    meeting = threading.Barrier(2)

    def kernel(first: int, last: int, out: np.ndarray) -> None:
        assert first % 64 == 0
        threads.add(threading.get_ident())
        out[first:last] += 1
        if frames > 64 and next(calls) < 2:
            meeting.wait(timeout=240)

    over_frames(kernel, frames, 1, True, done)
    assert (done == 1).all()
    assert (len(threads) > 1) == (frames > 64)


def test_small_batches_stay_on_the_callers_thread() -> None:
    threads: set[int] = set()
    over_frames(lambda first, last: threads.add(threading.get_ident()), 100, 10, True)
    assert threads == {threading.get_ident()}


def test_a_failure_on_another_thread_reaches_the_caller(three_cores: None) -> None:
    caller = threading.get_ident()
    failing = threading.Event()

    def kernel(first: int, last: int) -> None:
        if threading.get_ident() != caller:
            failing.set()
            raise ArithmeticError("on another thread")
        failing.wait(timeout=240)

    with pytest.raises(ArithmeticError, match="on another thread"):
        over_frames(kernel, 5000, 1, True)
