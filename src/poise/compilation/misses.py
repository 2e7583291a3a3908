"""Who may be asked for a kernel that is kept nowhere, before it is compiled where it is needed."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

Provider = Callable[[str, Callable[[], str]], bool]
"""Takes a kernel's name and a way to get its signature's text; says whether it may be kept now.

The text raises `TypeError` if there is none for some type."""

_providers: list[Provider] = []


@contextmanager
def provided(provider: Provider) -> Generator[None, None, None]:
    """Ask `provider` for a while."""
    _providers.append(provider)
    try:
        yield
    finally:
        _providers.remove(provider)


def ask_for(kernel: str, signature: Callable[[], str]) -> bool:
    """Whether somebody has made a kernel meanwhile."""
    return any(provider(kernel, signature) for provider in tuple(_providers))
