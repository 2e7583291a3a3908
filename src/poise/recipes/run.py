"""Where `job.run` was, until all that asks here has moved."""

from poise.job.run import Outcome, edit_of, run_prepared, run_recipe

__all__ = ["Outcome", "edit_of", "run_prepared", "run_recipe"]
