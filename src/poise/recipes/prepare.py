"""Where `job.subject` was, until all that asks here has moved."""

from poise.job.subject import Subject as Prepared
from poise.job.subject import subject as prepare

__all__ = ["Prepared", "prepare"]
