"""The file of a page: a script that draws it, and what it draws, as one JSON block.

The script is made from `studio/src/pages` when the package is built. The page asks nothing of the
network and runs no script but its own.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from html import escape
from pathlib import Path
from typing import Literal, cast

import numpy as np

from poise.errors import FileProblem
from poise.version import __version__

WEB = Path(__file__).parent / "web"
_DIGITS = 5
_UNSEEN = dict.fromkeys(range(32), " ")
"""Line ends and what no page may hold."""


@dataclass(frozen=True)
class Page:
    """What every page has, and the content of its kind."""

    kind: Literal["report", "pattern", "library"]
    title: str
    kicker: str
    """Said above the title."""
    facts: Sequence[tuple[str, str]]
    """What the page is about, as pairs of words."""
    summary: Sequence[str]
    """Sentences that say it all in short."""
    notes: Sequence[str]
    content: Mapping[str, object]
    """What `studio/src/pages/content.ts` says of this kind."""
    version: str = __version__


def page_html(page: Page) -> str:
    """The whole file.

    Raises:
        FileProblem: the script is not built.
    """
    style, script, terms = (
        built(name).read_text(encoding="utf-8") for name in ("pages.css", "pages.js", "licenses.md")
    )
    digest = hashlib.sha256(script.encode()).digest()
    policy = (
        f"default-src 'none'; script-src 'sha256-{base64.b64encode(digest).decode('ascii')}'; "
        "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    said = "".join(f"<p>{escape(as_text(sentence))}</p>" for sentence in page.summary)
    title = escape(as_text(page.title))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title} · {page.kicker.split(' · ')[0]}</title><style>{style}</style></head>"
        f'<body><main id="page"></main><noscript><h1>{title}</h1>{said}'
        "<p>Tables and charts are drawn by the page's own script, which is switched off. Their "
        "numbers stand in this file as JSON.</p></noscript>"
        f'<script type="application/json" id="data">{_safe_json(page)}</script>'
        f"<script>{script}</script></body></html>\n<!--\n{terms}-->\n"
    )


def built(name: str = "pages.js") -> Path:
    """A file of the pages' script.

    Raises:
        FileProblem: it is not there.
    """
    path = WEB / name
    if not path.is_file():
        raise FileProblem(
            path,
            "the script of pages, made when the package is built",
            "none",
            advice="In the source folder, run `python dev.py setup`.",
        )
    return path


def as_text(value: object) -> str:
    """What a page can show of a name or a sentence."""
    words = value if isinstance(value, str) else "" if value is None else str(value)
    if words.isascii() and words.isprintable():
        return words
    return words.encode("utf-8", "replace").decode("utf-8").translate(_UNSEEN)


def _safe_json(page: Page) -> str:
    """JSON that is never taken for markup: nothing in it can end the element that holds it."""
    text = json.dumps(_plain(page), separators=(",", ":"))
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _plain(value: object) -> object:
    """Records, arrays and numbers as JSON has them; a number that is none is null."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        short = float(f"{value:.{_DIGITS}g}")
        return int(short) if short.is_integer() and abs(short) < 1e15 else short
    if isinstance(value, str):
        return as_text(value)
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        found = cast("Mapping[str, object]", value)
        return {name: _plain(each) for name, each in found.items()}
    return [_plain(each) for each in cast("Sequence[object]", value)]
