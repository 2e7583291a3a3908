"""Words of a YAML file that stand for numbers, for true and false, for nothing.

The rules of YAML 1.2: `1e-3` is a number, and `no` is a word.
"""

from __future__ import annotations

import re

from poise.formats import MAX_MAGNITUDE, number_from

Scalar = str | int | float | bool | None

_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_NUMBER_LIKE = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


class NoNumberHere(Exception):
    """A number that is infinite, undefined or too large; what was wanted is the message."""


def scalar_from(word: str) -> Scalar:
    """What an unquoted word stands for.

    Raises:
        NoNumberHere: infinity, NaN, or a number beyond what any length, angle or count can be.
    """
    if word in _WORDS:
        return _WORDS[word]
    if _NOT_FINITE.fullmatch(word):
        raise NoNumberHere("a finite number")
    if not _NUMBER_LIKE.fullmatch(word):
        return word
    value = number_from(word)
    if value is None:
        raise NoNumberHere(f"a number of at most {MAX_MAGNITUDE:g} (or quotes around it)")
    return int(word) if _WHOLE.fullmatch(word) else value


def is_plain_word(word: str) -> bool:
    """Whether an unquoted word is read as that word."""
    try:
        return scalar_from(word) == word
    except NoNumberHere:
        return False
