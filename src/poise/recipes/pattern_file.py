"""Where `job.pattern_file` was, until all that asks here has moved."""

from poise.job.pattern_file import is_pattern_file, load_pattern, save_pattern

__all__ = ["is_pattern_file", "load_pattern", "save_pattern"]
