"""Kernels that only compiled code may call, for tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def from_python(kernel: F) -> F:
    """A compiled function that hands its arguments on. Calling the kernel itself would crash."""

    @numba.njit
    def handed_on(*arguments: Any) -> Any:
        return kernel(*arguments)

    return cast(F, handed_on)
