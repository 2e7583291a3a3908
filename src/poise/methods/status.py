"""How a method ended."""

from __future__ import annotations

from typing import Literal

Status = Literal["converged", "stalled", "out_of_iterations", "infeasible"]
"""`converged`: every constraint is met to its tolerance. `infeasible`: the method came to rest, but
some constraint cannot be met beside those above it. `stalled`, `out_of_iterations`: it did not come
to rest."""
