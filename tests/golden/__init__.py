"""Hashes of what Poise writes, recorded before a change and compared after it."""
