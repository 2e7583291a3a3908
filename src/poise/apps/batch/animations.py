"""Files that hold several animations: each is a clip of its own.

Files may be hostile, so workers look into them. One that cannot be read stays an entry: its row
says what is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from poise.apps.batch.entry import Entry, LeftAlone, stem_of
from poise.errors import PoiseError
from poise.execution import Executor
from poise.formats import animations_of, extensions
from poise.job import Change

Animations = tuple[tuple[str | int, bool], ...]
"""By a name or number that `clip.animation` of a recipe takes; whether anything moves in it."""

_LONGEST_NAME = 80
_UNFIT = re.compile(r"[^\w+\- ]+")
"""What not every system has in the names of files; dots would look like extensions."""


def animations_in(path: str) -> Animations | None:
    """The animations of a file; None where its format has one, or it cannot be read."""
    try:
        return animations_of(Path(path))
    except (PoiseError, OSError):
        return None


def by_animation(
    entries: Sequence[Entry], reader: Executor, wanted: str | None = None
) -> tuple[list[Entry], list[LeftAlone]]:
    """The entries, one for each animation of those that hold several; and what is left alone.

    Args:
        entries: of files.
        reader: looks into those that may hold several.
        wanted: name or number of the only one to take; files without it are left alone.
    """
    several = set(extensions("list_animations"))
    looked = [each for each in entries if each.path.suffix.lower() in several]
    found = dict(zip(map(id, looked), _read(looked, reader), strict=True))
    made: list[Entry] = []
    left: list[LeftAlone] = []
    for entry in entries:
        animations = found.get(id(entry))
        if animations is None:
            _add_plain(entry, wanted, several, made, left)
        elif not animations:
            left.append(LeftAlone(entry.name, "no animation in it"))
        else:
            _add(entry, animations, wanted, made, left)
    return _distinct(made), left


def _read(entries: Sequence[Entry], reader: Executor) -> list[Animations | None]:
    if not entries:  # no worker is started for nothing
        return []
    found: list[Animations | None] = [None] * len(entries)
    for ended in reader.run(animations_in, [str(each.path) for each in entries]):
        found[ended.index] = ended.value if ended.how == "done" else None
    return found


def _add_plain(
    entry: Entry, wanted: str | None, several: set[str], made: list[Entry], left: list[LeftAlone]
) -> None:
    if wanted is None or entry.path.suffix.lower() in several:  # its row says what is wrong
        made.append(entry)
    else:
        kind = entry.path.suffix.lower()
        left.append(LeftAlone(entry.name, f"{kind} files hold one motion, without --animation"))


def _add(
    entry: Entry, animations: Animations, wanted: str | None,
    made: list[Entry], left: list[LeftAlone],
) -> None:  # fmt: skip
    asked = entry.animation if entry.animation is not None else wanted
    chosen = [i for i in range(len(animations)) if asked is None or _is(asked, i, animations)]
    if not chosen and entry.animation is None:
        names = ", ".join(str(name) for name, _ in animations)
        left.append(LeftAlone(entry.name, f"no animation '{asked}' (it has {names})"[:200]))
    elif not chosen:  # the manifest names one that is not there: its row says so
        made.append(entry)
    for index in chosen:
        animation, moves = animations[index]
        part = entry if len(animations) == 1 else _part(entry, index, animation)
        if moves:
            made.append(part)
        else:
            left.append(LeftAlone(part.name, "nothing moves in this animation"))


def _is(asked: str | int, index: int, animations: Animations) -> bool:
    """Whether a name or a number means an animation, as readers take it."""
    names = [name for name, _ in animations]
    if isinstance(asked, str) and asked in names:
        return names[index] == asked
    return str(asked).isdecimal() and int(asked) == index


def _part(entry: Entry, index: int, animation: str | int) -> Entry:
    """One animation of a file that holds several."""
    fit = _UNFIT.sub("_", str(animation)).strip()[:_LONGEST_NAME] or str(index)
    name = f"{stem_of(entry.name)}.{fit}{PurePosixPath(entry.name).suffix}"
    change = Change(("clip", "animation"), animation, f"--animation {animation}")
    changes = entry.changes if entry.animation is not None else (*entry.changes, change)
    return replace(entry, name=name, changes=changes, animation=animation)


def _distinct(entries: Sequence[Entry]) -> list[Entry]:
    """The same with names that differ: two animations may be written alike, or as a file is."""
    taken = {each.name for each in entries if each.animation is None}
    made: list[Entry] = []
    for entry in entries:
        name, number = entry.name, 1
        while entry.animation is not None and name in taken:
            number += 1
            suffix = PurePosixPath(entry.name).suffix
            name = f"{stem_of(entry.name)}~{number}{suffix}"
        taken.add(name)
        made.append(replace(entry, name=name))
    return made
