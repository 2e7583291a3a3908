"""How large a model becomes once it is replicated and attached."""

from __future__ import annotations

import math
from collections.abc import Mapping

from poise.formats.robot_xml import Element

MAX_BODIES = 2000
"""As many as a BVH file may have joints."""
_MAX_COPIES = 10_000
"""Elements beyond those in the file."""
_MAX_DEPTH = 300

_Size = tuple[int, int]
"""Elements and bodies."""


def check_copies(root: Element, models: Mapping[str, _Size]) -> _Size:
    """How many elements and bodies a model makes.

    Args:
        root: the model, with its includes in their places.
        models: sizes of those that it attaches, by name.

    Raises:
        FileProblem: too many, or bodies that are attached to themselves.
    """
    known = {each.attributes.get("name", ""): each for each in root.all() if each.tag == "body"}
    elements, bodies = _Copies(models, known).size(root, 0)
    written = sum(1 for _ in root.all())
    if elements - written > _MAX_COPIES or bodies > MAX_BODIES:
        expected = f"at most {MAX_BODIES:,} bodies and {_MAX_COPIES:,} copies of elements"
        raise root.problem(expected, "more")
    return elements, bodies


class _Copies:
    """Sizes of the bodies of a model, each found once."""

    def __init__(self, models: Mapping[str, _Size], bodies: Mapping[str, Element]) -> None:
        self._models, self._bodies = models, bodies
        self._attached: dict[str, _Size] = {}
        self._under_way: set[str] = set()

    def size(self, element: Element, depth: int) -> _Size:
        """Of an element with all below it."""
        if depth > _MAX_DEPTH:
            raise element.problem(f"bodies attached at most {_MAX_DEPTH} deep", "more")
        elements, bodies = self._attached_size(element, depth)
        for child in element.children:
            inner = self.size(child, depth + 1)
            elements, bodies = elements + inner[0], bodies + inner[1]
        count = _count(element) if element.tag == "replicate" else 1
        return 1 + count * elements, (element.tag == "body") + count * bodies

    def _attached_size(self, element: Element, depth: int) -> _Size:
        if element.tag != "attach":
            return 0, 0
        if "model" in element.attributes:
            return self._models.get(element.attributes["model"], (0, 0))
        name = element.attributes.get("body", "")
        if name not in self._bodies:
            return 0, 0  # MuJoCo says so
        if name in self._under_way:
            raise element.problem("a body that is not attached to itself", name[:80])
        if name not in self._attached:
            self._under_way.add(name)
            self._attached[name] = self.size(self._bodies[name], depth + 1)
            self._under_way.discard(name)
        return self._attached[name]


def _count(element: Element) -> int:
    try:
        count = float(element.attributes.get("count", "1").split()[0])
    except (ValueError, IndexError):
        return 1  # MuJoCo says what is wrong with it
    return int(count) if math.isfinite(count) and 0 < count < 1e9 else 10**9
