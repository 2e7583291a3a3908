"""XML of robots as elements that know their file and line, and back as text.

The text is what MuJoCo gets to see: plain elements and attributes, each element in a line of its
own, so that the line of a complaint leads back to the file. Entities, document types, comments,
namespaces and words between elements do not come through; encodings are settled here.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from poise.errors import FileProblem
from poise.formats.text import MAX_NAME_LENGTH, shown

MAX_XML_BYTES = 32 << 20
"""Of a robot and all that it includes."""
MAX_ELEMENTS = 100_000
MAX_DEPTH = 200
_MAX_ATTRIBUTES = 1_000_000
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is the first half of it
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CODECS = ("utf-8", "utf-16", "ascii", "iso8859-1", "cp1252")
"""By Python's names."""
_DECLARED = re.compile(r"""<\?xml[^>]*?\bencoding\s*=\s*["']([^"']*)["']""")
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")


@dataclass
class Element:
    """An element, and where it begins."""

    tag: str
    attributes: dict[str, str]
    path: Path
    line: int
    children: list[Element] = field(default_factory=list["Element"])

    def all(self) -> Iterator[Element]:
        """This one and all below it, in the order of the file."""
        left: list[Element] = [self]
        while left:
            element = left.pop()
            yield element
            left.extend(reversed(element.children))

    def problem(self, expected: str, found: str, *, advice: str = "") -> FileProblem:
        """A complaint about this element."""
        return FileProblem(self.path, expected, found, line=self.line, advice=advice)


def parse_xml(path: Path, data: bytes) -> Element:
    """The root element of a file.

    Raises:
        FileProblem: not XML that is well formed, an encoding that is not read, a document type, or
            more of something than a robot has.
    """
    text = _decoded(path, data)
    if text.count("<") > 3 * MAX_ELEMENTS or text.count("=") > _MAX_ATTRIBUTES:
        raise _too_many(path)
    return _Builder(path).root_of(text)


def _decoded(path: Path, data: bytes) -> str:
    """The text without its declaration, whose line breaks stay."""
    marked = next((name for mark, name in _BOMS if data.startswith(mark)), "")
    if marked == "utf-16":
        start = data[:400].decode("utf-16", "replace")
    else:
        start = data[:200].decode("ascii", "replace")
    stated = _DECLARED.search(start)
    name = stated.group(1) if stated else marked or "utf-8"
    try:
        codec = codecs.lookup(name).name
    except (LookupError, ValueError):
        codec = ""
    if not marked and b"\0" in data[:4]:
        found = "UTF-16 or UTF-32 without a byte order mark"
        raise FileProblem(path, "XML in UTF-8", found, line=1, advice="Save it as UTF-8.")
    if codec not in _CODECS:
        found = f"the encoding {shown(name)}"
        raise FileProblem(path, "XML in UTF-8", found, line=1, advice="Save it as UTF-8.")
    if marked != codec and (marked or codec == "utf-16"):
        found = f"{shown(name)} in a file that is {f'in {marked}' if marked else 'not'}"
        raise FileProblem(path, "an XML declaration with the file's own encoding", found, line=1)
    try:
        text = data.decode("utf-8-sig" if codec == "utf-8" else codec)
    except UnicodeDecodeError as problem:
        line = data[: problem.start].count(b"\n") + 1
        found = f"byte 0x{data[problem.start]:02x}"
        raise FileProblem(path, f"XML in {codec.upper()}", found, line=line) from None
    declaration = _DECLARATION.match(text)
    if declaration is None:
        return text
    breaks = "\n" * declaration.group().count("\n")
    return breaks + text[declaration.end() :]


def _too_many(path: Path) -> FileProblem:
    expected = f"at most {MAX_ELEMENTS:,} XML elements, nested at most {MAX_DEPTH} deep"
    return FileProblem(path, expected, "more")


class _Builder:
    """Elements as the parser meets them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._parser = expat.ParserCreate("utf-8")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._open: list[Element] = []
        self._root: Element | None = None
        self._count = 0

    def root_of(self, text: str) -> Element:
        try:
            self._parser.Parse(text.encode("utf-8"), True)
        except expat.ExpatError as problem:
            wrong = expat.ErrorString(problem.code)
            raise FileProblem(
                self._path, "XML that is well formed", wrong, line=problem.lineno
            ) from None
        assert self._root is not None, "the parser asks for one"
        return self._root

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > MAX_ELEMENTS or len(self._open) >= MAX_DEPTH:
            raise _too_many(self._path)
        known = {
            name: value
            for name, value in attributes.items()
            if name != "xmlns" and not name.startswith("xmlns:")
        }
        made = Element(tag, known, self._path, self._parser.CurrentLineNumber)
        if len(known.get("name", "")) > MAX_NAME_LENGTH:
            raise made.problem(f"a name of at most {MAX_NAME_LENGTH} characters", "a longer one")
        if self._open:
            self._open[-1].children.append(made)
        else:
            self._root = made
        self._open.append(made)

    def _end(self, _tag: str) -> None:
        self._open.pop()

    def _doctype(self, *_: object) -> None:
        found = "a document type declaration (DOCTYPE)"
        line = self._parser.CurrentLineNumber
        raise FileProblem(self._path, "plain XML", found, line=line)


def write_xml(root: Element, places: list[tuple[Path, int]]) -> str:
    """Elements as text, whose lines go on counting where `places` ends, and are added there."""
    lines = [""] * len(places)
    _write(root, lines, places)
    return "\n".join(lines)


def _write(element: Element, lines: list[str], places: list[tuple[Path, int]]) -> None:
    attributes = "".join(f" {name}={quoteattr(v)}" for name, v in element.attributes.items())
    lines.append(f"<{element.tag}{attributes}>")
    places.append((element.path, element.line))
    for child in element.children:
        _write(child, lines, places)
    lines[-1] += f"</{element.tag}>"
