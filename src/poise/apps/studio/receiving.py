"""The body of an upload: bounded in bytes and in time."""

from __future__ import annotations

import asyncio

from fastapi import Request

from poise.errors import PoiseError

MOST_UPLOAD_BYTES = 256_000_000
SILENCE_S = 15.0
"""How long nothing may come."""
START_S, SLOWEST_BYTES_S = 30.0, 100_000.0
"""How long all of it may take, and so much for what has come."""
TURN_S = 60.0
"""How long one waits for another to be done."""
TOO_SLOW = 408
"""The code of HTTP for it."""


class RefusedUpload(PoiseError):
    """Too large, too slow, or too many at once."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code
        """Of HTTP."""


async def received(request: Request, one_at_a_time: asyncio.Semaphore) -> bytearray:
    """All that is sent; one upload at a time, as each is held in memory.

    Raises:
        RefusedUpload: too large, too slow, or others take too long.
        ClientDisconnect: it was cut off.
    """
    too_long = RefusedUpload(
        413, f"At most {MOST_UPLOAD_BYTES // 1_000_000} MB can be opened here."
    )
    said = request.headers.get("content-length", "0")
    if said.isdecimal() and int(said) > MOST_UPLOAD_BYTES:
        raise too_long
    try:
        await asyncio.wait_for(one_at_a_time.acquire(), TURN_S)
    except TimeoutError:
        raise RefusedUpload(503, "Another upload is under way: wait until it is done.") from None
    try:
        return await _body(request, too_long)
    finally:
        one_at_a_time.release()


async def _body(request: Request, too_long: RefusedUpload) -> bytearray:
    loop, parts, data = asyncio.get_running_loop(), aiter(request.stream()), bytearray()
    began = loop.time()
    while True:
        left = began + START_S + len(data) / SLOWEST_BYTES_S - loop.time()
        try:
            data += await asyncio.wait_for(anext(parts), min(SILENCE_S, left))
        except StopAsyncIteration:
            return data
        except TimeoutError:
            words = f"The upload was too slow: {len(data)} bytes came, then no more in time."
            raise RefusedUpload(TOO_SLOW, words) from None
        if len(data) > MOST_UPLOAD_BYTES:
            raise too_long
