"""Things that are kept as long as there is room: what was not used longest goes first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """Things by key, up to so many bytes in all; the last is kept however large it is."""

    def __init__(self, most_bytes: int, size_of: Callable[[T], int]) -> None:
        self._most, self._size_of = most_bytes, size_of
        self._things: OrderedDict[str, T] = OrderedDict()
        self._bytes = 0

    def get(self, key: str) -> T | None:
        """What is kept; to ask for it is to use it."""
        found = self._things.get(key)
        if found is not None:
            self._things.move_to_end(key)
        return found

    def put(self, key: str, thing: T) -> None:
        """Keep something."""
        if key in self._things:
            self._bytes -= self._size_of(self._things.pop(key))
        self._things[key] = thing
        self._bytes += self._size_of(thing)
        while self._bytes > self._most and len(self._things) > 1:
            _, old = self._things.popitem(last=False)
            self._bytes -= self._size_of(old)
