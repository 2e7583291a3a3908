"""Leaping with the arrow keys: a page in the browser, and the small server behind it."""
