"""Links of a library's page: to files beside it, and to its own table with a filter."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, urlencode


def link_to(file: str) -> str:
    """A relative link to a file beside the page; empty for what lies elsewhere."""
    if not file or file.startswith("/"):
        return ""
    try:
        # File names that are not text keep their bytes.
        return "./" + quote(file, errors="surrogateescape")
    except UnicodeEncodeError:
        return "./" + quote(file, errors="replace")


def filter_link(chosen: Mapping[str, str | int | float]) -> str:
    """The page's address with a filter for the table; `library_table.js` says what it may hold."""
    return "#" + urlencode(chosen)
