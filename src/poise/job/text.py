"""Writing a recipe down as YAML.

By hand, because what is read back must be what was written, whatever a name or a remark holds:
words that some reader would take for a number or for true are quoted, odd characters escaped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import cast

from poise.job.constraint_spec import plain_from
from poise.job.recipe import VERSION, Recipe, Step, Values
from poise.job.vocabulary import Vocabulary, vocabulary
from poise.yaml_nodes import NoNumberHere, scalar_from

_WIDTH = 96
_LONGEST_KEY = 128
"""Longer ones are no simple keys."""

_YAML_1_1 = re.compile(
    r"yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|=|<<"
    r"|[-+]?(?:0b[01_]+|0x[\da-fA-F_]+|\d[\d_]*(?::[0-5]?\d)*(?:\.[\d_]*)?(?:[eE][-+]\d+)?)"
    r"|[-+]?\.[\d][\d_]*(?:[eE][-+]\d+)?"
    r"|\d{4}-\d\d?-\d\d?"
    r"(?:(?:[Tt]| +)\d\d?:\d\d:\d\d(?:\.\d*)?(?: *(?:Z|[-+]\d\d?(?::\d\d)?))?)?",
    re.ASCII,
)
"""Words that readers of the older YAML take for more."""

_STARTS = re.compile(r"[#,\[\]{}&*!|>'\"%@`]|[-?:](?: |$)|---|\.\.\.")
_INSIDE = re.compile(r": |:$| #")
_IN_BRACKETS = re.compile(r"[,?\[\]{}:]")
_ESCAPES = dict(zip('\0\a\b\t\n\v\f\r\x1b"\\\x85\u2028\u2029', '0abtnvfre"\\NLP', strict=True))


def recipe_text(recipe: Recipe, words: Vocabulary | None = None) -> str:
    """The YAML of a recipe; reading it gives an equal recipe.

    Values that are the default, or that of the preset, are left out. Paths stay relative to the
    recipe's folder.
    """
    words = words or vocabulary()
    content: dict[str, object] = {
        "poise": VERSION,
        "about": recipe.about or None,
        "clip": plain_from(recipe.clip) or None,
        "character": plain_from(recipe.character) or None,
        "environment": recipe.environment,
        "steps": [_step(step, words) for step in recipe.steps],
        "outputs": plain_from(recipe.outputs) or None,
    }
    given = {key: value for key, value in content.items() if value is not None}
    writer = _Writer()
    writer.block(given, -2)
    return "".join(writer.parts).lstrip("\n") + "\n"


def _step(step: Step, words: Vocabulary) -> dict[str, object]:
    content: dict[str, object] = {}
    preset = words.preset(step.method, getattr(step.settings, "preset", None))
    settings = plain_from(step.settings, preset)
    if settings:
        content["settings"] = settings
    if step.constraints:
        content["constraints"] = [{spec.kind: dict(spec.values)} for spec in step.constraints]
    if step.contacts is not None:
        content["contacts"] = step.contacts
    if step.pattern is not None:
        content["pattern"] = step.pattern
    return {step.method: content}


class _Writer:
    """Puts values behind one another and knows in which column the next one begins."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._column = 0

    def block(self, value: object, indent: int, *, after_dash: bool = False) -> None:
        """A value of a mapping or list that stands at `indent`, behind its key or dash."""
        parts = _parts(value)
        if not parts or (
            isinstance(value, tuple) and not any(isinstance(p, Mapping) for _, p in parts)
        ):
            self._put(" ")
            self._flow(value, indent)
            return
        for i, (key, part) in enumerate(parts):
            if after_dash and i == 0:
                self._put(" ")
            else:
                self._line(indent + 2)
            if key is None:
                self._put("-")
                self.block(part, indent + 2, after_dash=True)
                continue
            is_simple = 0 < len(key) < _LONGEST_KEY
            self._put("" if is_simple else "? ")
            self._word(key)
            if not is_simple:
                self._line(indent + 2)
            self._put(":")
            self.block(part, indent + 2, after_dash=not is_simple)

    def _put(self, text: str) -> None:
        self.parts.append(text)
        self._column += len(text)

    def _line(self, indent: int) -> None:
        self.parts.append("\n" + " " * indent)
        self._column = indent

    def _flow(self, value: object, indent: int, *, in_brackets: bool = False) -> None:
        """A value on one line, or on few."""
        if isinstance(value, str):
            self._word(value, indent + 2, in_brackets=in_brackets)
        elif isinstance(value, Mapping | tuple | list):
            self._put("{" if isinstance(value, Mapping) else "[")
            for i, (key, part) in enumerate(_parts(value)):
                self._put("," if i else "")
                if self._column > _WIDTH:
                    self._line(indent + 2)
                else:
                    self._put(" " if i else "")
                if key is not None:
                    self._word(key, in_brackets=True)
                    self._put(": ")
                self._flow(part, indent + 2, in_brackets=True)
            self._put("}" if isinstance(value, Mapping) else "]")
        else:
            self._put(_number(value))

    def _word(self, word: str, indent: int | None = None, *, in_brackets: bool = False) -> None:
        """A word; long ones go on in the next line at `indent`, if there is one."""
        if not word.isprintable() or not _is_plain(word):  # odd characters must be escaped
            self._escaped(word, indent)
        elif (
            word != word.strip(" ")
            or _STARTS.match(word)
            or _INSIDE.search(word)
            or (in_brackets and _IN_BRACKETS.search(word))
            or _YAML_1_1.fullmatch(word)
        ):
            self._folded(word.replace("'", "''"), indent, "'")
        else:
            self._folded(word, indent)

    def _folded(self, text: str, indent: int | None, quote: str = "") -> None:
        """Lines end at single spaces inside, which come back when they are read."""
        self._put(quote)
        position = 0
        for part in re.split(r"( +)", text):
            inside = 0 < position < len(text) - 1
            position += len(part)
            if part == " " and inside and indent is not None and self._column > _WIDTH:
                self._line(indent)
            else:
                self._put(part)
        self._put(quote)

    def _escaped(self, word: str, indent: int | None) -> None:
        """In double quotes a line may end anywhere, behind a backslash."""
        self._put('"')
        was_escaped = False
        for i, char in enumerate(word):
            may_end = indent is not None and 0 < i < len(word) - 1
            escape = _escape(char)
            if char == escape and may_end and self._column > _WIDTH:
                if char == " " or was_escaped:
                    self._end_line(char, indent or 0)
            self._put(escape)
            was_escaped = char != escape
            if was_escaped and may_end and self._column - 1 > _WIDTH:
                self._end_line(word[i + 1], indent or 0)
        self._put('"')

    def _end_line(self, following: str, indent: int) -> None:
        self._put("\\")
        self._line(indent)
        self._put("\\" if following == " " else "")


def _parts(value: object) -> list[tuple[str | None, object]]:
    """The keys and values of a mapping, the entries of a list; none of anything else."""
    if isinstance(value, Mapping):
        return list(cast("Values", value).items())
    listed = cast("Sequence[object]", value) if isinstance(value, list | tuple) else ()
    return [(None, each) for each in listed]


def _is_plain(word: str) -> bool:
    """Whether an unquoted word is read as that word."""
    try:
        return scalar_from(word) == word
    except NoNumberHere:
        return False


def _escape(char: str) -> str:
    if char in _ESCAPES:
        return f"\\{_ESCAPES[char]}"
    if " " <= char <= "~" or "\xa0" <= char <= "\ud7ff" or "\ue000" <= char <= "\ufffd":
        return "\\uFEFF" if char == "\ufeff" else char
    code = ord(char)
    if code < 2**8:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code < 2**16 else f"\\U{code:08X}"


def _number(value: object) -> str:
    if isinstance(value, float):
        word = repr(value)
        return word if "." in word or "e" not in word else word.replace("e", ".0e")
    return "null" if value is None else str(value).lower()
