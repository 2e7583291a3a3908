"""What waits for a page: in order, bounded, and of what is said anew only the last."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import numpy as np
import pytest

from poise.apps.studio import outbox, to_page
from poise.apps.studio.outbox import Outbox
from poise.apps.studio.wire import Told, slot_of, told

ME, OTHER = "one page", "another"


def state(number: int, bytes: int = 0) -> Told:
    recipe: dict[str, object] = {"about": "x" * bytes}
    return told(
        to_page.DocumentState("id", str(number), recipe, 1, 30.0, "", "", "yes", "", "", ())
    )


def motion(which: to_page.Which, number: int, frames: int = 10) -> Told:
    arrays = {"roots_m": np.zeros((frames, 3)), "rotations_wxyz": np.zeros((frames, 1, 4))}
    return told(to_page.Motion(which, "key", 30.0, frames, 0, number), **arrays)


def figure(key: str, bytes: int = 0) -> Told:
    made = to_page.Figure(key, "x" * bytes, (), (), {}, (), 1.0, 1.0, {})
    return told(made, offsets_m=np.zeros((1, 3)))


def in_a_loop(work: Callable[[Outbox], Awaitable[None]]) -> None:
    async def main() -> None:
        await work(Outbox())

    asyncio.run(asyncio.wait_for(main(), 60.0))


async def all_of(box: Outbox, count: int) -> list[Told]:
    taken = [await box.take() for _ in range(count)]
    return [each[1] for each in taken if each is not None]


def test_slots_are_what_messages_say_anew() -> None:
    assert slot_of(state(1)) == slot_of(state(2, 1000)) != ""
    assert slot_of(motion("before", 1)) != slot_of(motion("after", 1)) != ""
    assert slot_of(motion("live", 1)) == ""  # parts of one another
    assert slot_of(figure("a")) != slot_of(figure("b"))
    for each in (to_page.Forget("after"), to_page.RunEnded("done", 1.0), to_page.Waiting("x")):
        assert slot_of(told(each)) == ""
    assert slot_of(told(to_page.Problem((), "document_state"))) == ""


def test_while_little_waits_nothing_is_left_out() -> None:
    said = [state(1), motion("after", 1), state(2), motion("after", 2)]

    async def work(box: Outbox) -> None:
        for each in said:
            box.put(ME, each)
        assert await all_of(box, 4) == said

    in_a_loop(work)


def test_where_much_waits_only_the_last_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "FEW_BYTES", 1000)
    small = told(to_page.RunEnded("done", 1.0))

    async def work(box: Outbox) -> None:
        for each in (figure("a"), state(1, 1000), small, motion("after", 1)):
            box.put(ME, each)
        box.put(OTHER, state(9, 1000))
        box.put(ME, state(2, 1000))
        box.put(ME, figure("a", 5))
        wanted = [figure("a", 5), small, motion("after", 1), state(9, 1000), state(2, 1000)]
        assert await all_of(box, 5) == wanted

    in_a_loop(work)


def test_a_state_is_told_however_large_it_is() -> None:
    large = (state(1, 2 * outbox.MOST_BYTES), motion("after", 1, 2_000_000))

    async def work(box: Outbox) -> None:
        for each in (*large, *large):
            box.put(ME, each)
        assert not box.is_shut and await all_of(box, 2) == list(large)

    in_a_loop(work)


def test_what_piles_up_ends_the_page() -> None:
    part = motion("live", 1, 10_000)

    async def work(box: Outbox) -> None:
        for _ in range(outbox.MOST_BYTES // len(part)):
            box.put(ME, part)
        assert not box.is_shut
        box.put(ME, part)
        assert box.is_shut and await box.take() is None
        box.put(ME, part)
        assert await box.take() is None

    in_a_loop(work)


def test_who_waits_hears_of_news_and_of_the_end() -> None:
    async def work(box: Outbox) -> None:
        waiting = asyncio.create_task(box.take())
        await asyncio.sleep(0)
        await asyncio.to_thread(box.put, ME, state(1))
        assert await waiting == (ME, state(1))
        waiting = asyncio.create_task(box.take())
        await asyncio.sleep(0)
        box.shut()
        assert await waiting is None

    in_a_loop(work)
