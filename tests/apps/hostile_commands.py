"""Every command that reads a kind of file, as it is run on hostile ones."""

from __future__ import annotations

from collections.abc import Iterator

from tests.apps.degenerate_commands import COMMANDS, STREAMED
from tests.formats.hostile_files import HostileFile

_CLIP = "../usual.npz"

_BY_KIND: dict[str, dict[str, tuple[str, ...]]] = {
    "skeleton": {
        "inspect": ("inspect", "{file}"),
        "render": ("render", "{file}", "-o", "out.png"),
        "retarget": ("retarget", _CLIP, "--to", "{file}", "-o", "out.npz"),
        "filter": ("filter", _CLIP, "--to", "{file}", "-o", "out.npz"),
        "stream": ("stream", "../usual.bvh", "--to", "{file}", "-o", "out.bvh"),
    },
    "recipe": {
        "run": ("run", "{file}", "--clip", _CLIP, "-o", "out.npz"),
        "deform": ("deform", _CLIP, "--recipe", "{file}", "-o", "out.npz"),
        "filter": ("filter", _CLIP, "--recipe", "{file}", "-o", "out.npz"),
        "filter, streamed": (
            "filter", "../usual.bvh", "--recipe", "{file}", "--stream", "-o", "out.bvh"
        ),
        "correct": ("correct", _CLIP, "--recipe", "{file}", "-o", "out.npz"),
        "leap": ("leap", _CLIP, "--recipe", "{file}", "-o", "out.npz"),
        "family": ("family", "build", "{file}", "--clip", _CLIP, "-o", "out.npz"),
    },
    "place": {
        "measure": ("measure", _CLIP, "--environment", "{file}"),
        "contacts": ("contacts", _CLIP, "--environment", "{file}", "-o", "out.json"),
        "render": ("render", _CLIP, "--environment", "{file}", "-o", "out.png"),
        "report": ("report", _CLIP, "--environment", "{file}", "-o", "out.html"),
        "correct": ("correct", _CLIP, "--environment", "{file}", "-o", "out.npz"),
    },
    "mapping": {
        "retarget, explained": (
            "retarget", _CLIP, "--to", _CLIP, "--mapping", "{file}", "--explain"
        ),
        "retarget": ("retarget", _CLIP, "--to", _CLIP, "--mapping", "{file}", "-o", "out.npz"),
        "stream": (
            "stream", "../usual.bvh", "--to", _CLIP, "--mapping", "{file}", "-o", "out.bvh"
        ),
    },
    "roles": {
        "inspect": ("inspect", _CLIP, "--roles", "{file}"),
        "measure": ("measure", _CLIP, "--roles", "{file}"),
        "contacts": ("contacts", _CLIP, "--roles", "{file}"),
    },
    "contacts": {
        "measure": ("measure", _CLIP, "--contacts", "{file}"),
        "render": ("render", _CLIP, "--contacts", "{file}", "-o", "out.png"),
        "report": ("report", _CLIP, "--contacts", "{file}", "-o", "out.html"),
        "correct": ("correct", _CLIP, "--contacts", "{file}", "-o", "out.npz"),
    },
}  # fmt: skip


def commands_for(item: HostileFile) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Names and arguments; the file lies where the command runs."""
    if item.kind == "clip":
        for name, words in COMMANDS.items():
            if name not in STREAMED or item.file.endswith(".bvh"):
                yield name, tuple(word.format(clip=item.file, out="out") for word in words)
        yield "pattern, shown", ("pattern", "show", item.file)
        yield "family", ("family", "blend", item.file, "--at", "0", "-o", "out.npz")
        return
    for name, words in _BY_KIND[item.kind].items():
        yield name, tuple(word.format(file=item.file) for word in words)
