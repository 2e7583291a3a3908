"""Text files that may hold anything: decoded, scanned and turned into numbers within bounds.

Positions are character offsets into the text; line numbers are counted only when a message needs
one, so that reading a good file costs nothing for them. Lines may end in CRLF, LF or CR, mixed.
Comments start with `#` or `//` where a word could start, and run to the end of the line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TypeVar

import numpy as np

from poise.arrays import Array
from poise.errors import FileProblem
from poise.formats.disk import read_bytes
from poise.wording import MAX_MAGNITUDE as MAX_MAGNITUDE
from poise.wording import NUMBER
from poise.wording import number_from as number_from
from poise.wording import shown as shown

MAX_NAME_LENGTH = 200

_CHUNK = 2**20
"""Characters turned into words at a time: the words of a chunk weigh about ten times its text."""

_SKIP = re.compile(r"(?:\s++|(?:#|//)[^\r\n]*+)*+")
_WORD = re.compile(r"[{}]|[^\s{}]+")
_NAME = re.compile(r"[^\r\n{}]*")
_COMMENT = re.compile(r"(?<!\S)(?:#|//)[^\r\n]*")
_LINE = re.compile(r"[^\r\n]*")

_OTHER_ENCODINGS = (
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


@dataclass(frozen=True, eq=False)
class Text:
    """A file's text and where it came from."""

    path: Path
    content: str

    def line_at(self, position: int) -> int:
        """The line, counted from 1, of a character offset."""
        before = self.content[:position]
        return 1 + before.count("\n") + before.count("\r") - before.count("\r\n")

    def problem(
        self, position: int, expected: str, found: str = "", *, advice: str = ""
    ) -> FileProblem:
        """What is wrong at a character offset."""
        line = self.line_at(position)
        return FileProblem(self.path, expected, found, line=line, advice=advice)


def read_text(path: Path) -> Text:
    """A UTF-8 file as text, with or without a byte order mark.

    Raises:
        FileProblem: not a regular file, too large, empty, binary, or not UTF-8.
    """
    data = read_bytes(path)
    for mark, name in _OTHER_ENCODINGS:
        if data.startswith(mark):
            raise FileProblem(path, "UTF-8 text", name, advice="Save the file as UTF-8.")
    try:
        content = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _not_utf8(path, data, error.start) from None
    if "\0" in content:
        at = content.index("\0")
        line = Text(path, content).line_at(at)
        raise FileProblem(path, "text", f"a zero byte after {at} characters", line=line)
    if not content.strip():
        raise FileProblem(path, "text", "an empty file" if not data else "only blank lines", line=1)
    return Text(path, content)


def _not_utf8(path: Path, data: bytes, at: int) -> FileProblem:
    before = data[:at]
    line = 1 + before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n")
    return FileProblem(
        path,
        "UTF-8 text",
        f"byte 0x{data[at]:02x} at position {at}",
        line=line,
        advice="If only a name holds foreign letters, save the file as UTF-8.",
    )


Key = TypeVar("Key", int, str)


def depth_first(root: Key, children: Callable[[Key], Sequence[Key]]) -> list[Key]:
    """A node and all below it, each before its children, these in their own order."""
    order: list[Key] = []
    waiting = [root]
    while waiting:
        order.append(waiting.pop())
        waiting.extend(reversed(children(order[-1])))
    return order


class Scanner:
    """A cursor over a text that gives one word at a time; braces are words of their own."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.position = 0
        """Where the last word given starts."""
        self.after = 0
        """Where the last word given ends."""

    def next(self) -> str:
        """The next word, or "" at the end of the text."""
        content = self.text.content
        skipped = _SKIP.match(content, self.after)
        self.position = skipped.end() if skipped else self.after
        word = _WORD.match(content, self.position)
        self.after = word.end() if word else self.position
        return word.group() if word else ""

    def peek(self) -> str:
        """The word that `next` would give."""
        before = self.position, self.after
        word = self.next()
        self.position, self.after = before
        return word

    def expect(self, wanted: str, why: str = "", *, advice: str = "") -> None:
        """Take the next word, which must be `wanted` in any case."""
        word = self.next()
        if word.lower() != wanted.lower():
            raise self.wrong(f"'{wanted}'{why}", word, advice=advice)

    def wrong(self, expected: str, word: str, *, advice: str = "") -> FileProblem:
        """A complaint about the word last given."""
        return self.text.problem(self.position, expected, shown(word), advice=advice)

    def rest_of_name(self) -> str:
        """What is left of this line up to a brace or a comment: a name, which may hold spaces."""
        match = _NAME.match(self.text.content, self.after)
        raw = match.group() if match else ""
        comment = _COMMENT.search(raw)
        name = (raw[: comment.start()] if comment else raw).strip()
        self.position = self.after
        self.after += len(raw)
        if len(name) > MAX_NAME_LENGTH:
            expected = f"a name of at most {MAX_NAME_LENGTH} characters"
            raise self.text.problem(self.position, expected, f"{len(name)} characters")
        return name

    def number(self, what: str) -> float:
        """The next word as a finite number of sane size."""
        word = self.next()
        value = number_from(word)
        if value is None:
            raise self.wrong(f"a number for {what}", word)
        return value

    def whole_number(self, what: str, highest: int) -> int:
        """The next word as a whole number from 0 to `highest`."""
        word = self.next()
        if not re.fullmatch(r"\+?[0-9]{1,18}", word) or int(word) > highest:
            raise self.wrong(f"a whole number from 0 to {highest} for {what}", word)
        return int(word)


def free_name(wanted: str, others: Iterable[str], taken: set[str]) -> str:
    """The wanted name, or the first of the others that is not taken; it is from now on."""
    name = next(name for name in chain((wanted,), others) if name not in taken)
    taken.add(name)
    return name


def without_comments(content: str) -> str:
    """The same text with comments turned to blanks, so that positions stay true."""
    if "#" not in content and "//" not in content:
        return content
    return _COMMENT.sub(lambda match: " " * len(match.group()), content)


def numbers(text: Text, start: int, count: int, what: str) -> tuple[Array, int]:
    """Up to `count` numbers from `start` to the end of the text, and how many there were in all.

    The caller has made sure that `count` numbers could fit into the text.

    Raises:
        FileProblem: a word that is not a number; what it is not is `what`.
    """
    content = without_comments(text.content)
    values = np.empty(count)
    seen = 0
    while start < len(content):
        stop = _chunk_end(content, start)
        chunk = content[start:stop]
        words = chunk.split()
        part = converted(chunk, words)
        if part is None:
            raise _culprit(text, chunk, start, what)
        room = min(len(part), max(0, count - seen))
        values[seen : seen + room] = part[:room]
        seen += len(part)
        start = stop
    return values[: min(seen, count)], seen


def _chunk_end(content: str, start: int) -> int:
    """About `_CHUNK` characters further on, where a word ends."""
    if len(content) - start <= _CHUNK:
        return len(content)
    blank = re.compile(r"\s").search(content, start + _CHUNK)
    return blank.start() if blank else len(content)


def converted(chunk: str, words: list[str]) -> Array | None:
    """All words of a chunk of text as numbers at once; None when one is not acceptable."""
    if not chunk.isascii() or "_" in chunk:  # float() would take ١٢ and 1_2
        return None
    try:
        part = np.fromiter(map(float, words), np.float64, len(words))
    except ValueError:
        return None
    # One comparison refuses NaN, infinities and absurd sizes together.
    return part if bool((np.abs(part) <= MAX_MAGNITUDE).all()) else None


def _culprit(text: Text, chunk: str, start: int, what: str) -> FileProblem:
    """The complaint about the first word of a chunk that is not an acceptable number."""
    for match in re.finditer(r"\S+", chunk):
        word = match.group()
        if number_from(word) is None:
            expected = what
            if NUMBER.fullmatch(word):
                expected = f"{what} of at most {MAX_MAGNITUDE:g}"
            return text.problem(start + match.start(), expected, shown(word))
    return text.problem(start, what)


@dataclass(frozen=True)
class Line:
    """The words of one line, and where it starts."""

    position: int
    words: tuple[str, ...]


MAX_LINE_LENGTH = 20_000
"""Longest line of a file that is read line by line; no skeleton needs a tenth of it."""


class Lines:
    """A cursor over the lines of a text that say something: comments and blank lines left out."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self._at = 0
        self._kept: Line | None = None

    def next(self) -> Line:
        """The next line; one without words, at the end of the text, when there is none."""
        if self._kept is not None:
            line, self._kept = self._kept, None
            return line
        content = self.text.content
        while self._at < len(content):
            match = _LINE.match(content, self._at)
            raw = match.group() if match else ""
            start, self._at = self._at, self._at + len(raw) + 1
            if len(raw) > MAX_LINE_LENGTH:
                expected = f"lines of at most {MAX_LINE_LENGTH} characters"
                raise self.text.problem(start, expected, f"one of {len(raw)}")
            words = without_comments(raw).split()
            if words:
                return Line(start, tuple(words))
        return Line(len(content), ())

    def skip_to(self, position: int) -> None:
        """Go on from a character offset."""
        self._at, self._kept = position, None

    def back(self, line: Line) -> None:
        """Give a line back, to be the next one again."""
        self._kept = line

    def numbers(self, line: Line, words: Sequence[str], expected: str) -> list[float]:
        """Words of a line as numbers; the first that is none is what was found instead."""
        values: list[float] = []
        for word in words:
            value = number_from(word)
            if value is None:
                raise self.wrong(line, expected, found=shown(word))
            values.append(value)
        return values

    def wrong(self, line: Line, expected: str, *, found: str = "", advice: str = "") -> FileProblem:
        """A complaint about a line."""
        found = found or shown(" ".join(line.words))
        return self.text.problem(line.position, expected, found, advice=advice)
