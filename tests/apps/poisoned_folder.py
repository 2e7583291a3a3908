"""A folder full of traps: whatever of it runs leaves its name in a file elsewhere.

It holds what Python, Numba, Dask, MuJoCo and the server of the studio would take from a current
folder if they were let: modules under the names of all that are imported, or would be if they were
there, entry points, configuration, and kernels that are in truth something else.
"""

from __future__ import annotations

import importlib.metadata
import os
import pickle
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numba.core.registry import cpu_target

from poise.compilation.listed import listed_kernels
from poise.compilation.signatures import types_of

NAMES = {
    *(set(sys.stdlib_module_names) | set(importlib.metadata.packages_distributions())),
    # Of Python's own start, and of packages that ours use if they are there.
    *("sitecustomize", "usercustomize", "yaml", "dotenv", "uvloop", "httptools", "ujson", "orjson"),
    *("bokeh", "lz4", "snappy", "zstandard", "pynvml", "ucp", "cupy", "pyarrow", "keyring", "cuda"),
    *("gilknocker", "prometheus_client", "jupyter_server_proxy", "numexpr", "tbb", "colorama"),
    *("poise_library", "trap"),
}
"""Modules that lie in wait."""

BEFORE_US = {"importlib", "contextlib", "__future__", "typing", "_typing"}
"""What `python -m poise` imports before the first line of ours that could prevent it."""

CLIP = "clip.bvh"


@dataclass(frozen=True)
class Poisoned:
    """A folder with traps, and where they would say that they ran."""

    folder: Path
    marker: Path
    log: Path
    """What `MUJOCO_LOG.TXT` there is a link to: a file of the user's."""

    @property
    def ran(self) -> set[str]:
        """Traps that ran; empty, or this is what is to be mended."""
        lines = self.marker.read_text().splitlines() if self.marker.is_file() else []
        return {*lines, *(["MUJOCO_LOG.TXT"] if self.log.read_text() else [])}


def poisoned(folder: Path, *, elsewhere: Path, but: frozenset[str] = frozenset()) -> Poisoned:
    """Put traps into a folder.

    Args:
        folder: with whatever it holds already.
        elsewhere: another one, for what traps leave.
        but: modules that are not to be there.
    """
    marker, log = elsewhere / "marker", elsewhere / "log"
    log.touch()
    for name in NAMES - but:
        if name.isidentifier() and name != "poise":
            (folder / f"{name}.py").write_text(leaving(marker, name), encoding="utf-8")
    (folder / ".numba_config.yaml").write_text("cache_dir: kernels\n", encoding="utf-8")
    _poison_kernels(folder / "kernels", marker)
    preload = "distributed: {scheduler: {preload: [trap]}, worker: {preload: [trap]}}\n"
    for name in ("dask.yaml", "distributed.yaml", ".config/dask/dask.yaml"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(preload, encoding="utf-8")
    groups = ("numba_extensions", "mujoco.plugins", "distributed.comm.backends", "dask.array")
    groups += ("poise.formats", "poise.constraints", "poise.measures", "poise.methods")
    points = "".join(f"[{group}]\ninit = trap:go\ntcp = trap:go\n" for group in groups)
    for kind in ("dist-info", "egg-info"):
        (folder / f"trap-1.0.{kind}").mkdir()
        (folder / f"trap-1.0.{kind}" / "entry_points.txt").write_text(points, encoding="utf-8")
        about = "Metadata-Version: 2.1\nName: trap\nVersion: 1.0\n"
        for file in ("METADATA", "PKG-INFO"):
            (folder / f"trap-1.0.{kind}" / file).write_text(about, encoding="utf-8")
    (folder / "trap.pth").write_text(f"import sys; {leaving(marker, 'trap.pth')}")
    (folder / ".env").write_text("NUMBA_CACHE_DIR=kernels\nPYTHONSTARTUP=trap.py\n")
    (folder / "pyvenv.cfg").write_text(f"home = {folder}\n")
    if os.name != "nt":
        (folder / "MUJOCO_LOG.TXT").symlink_to(log)
    return Poisoned(folder, marker, log)


def leaving(marker: Path, name: str) -> str:
    return f"open({str(marker)!r}, 'a').write({name + os.linesep!r})\n"


class Bomb:
    """Unpickled, it runs."""

    def __init__(self, code: str) -> None:
        self.code = code

    def __reduce__(self) -> tuple[Any, ...]:
        return exec, (self.code,)


def _poison_kernels(folder: Path, marker: Path) -> None:
    """An index for each kernel that commands use, as it would be looked for there."""
    bomb = pickle.dumps(Bomb(leaving(marker, "a kernel")))
    target = cpu_target.target_context.codegen().magic_tuple()
    folder.mkdir(parents=True, exist_ok=True)
    for kernel in listed_kernels():
        key = types_of(kernel.signature), target
        files = kernel.dispatcher._cache._files(folder, key)  # as Poise would look for it there
        Path(files._index_path).write_bytes(bomb)
