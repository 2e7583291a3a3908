"""`poise warm-up` and `poise clean`: what is compiled once and kept."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from poise.errors import FileProblem, UnknownName

Commands = Annotated[
    list[str] | None,
    typer.Argument(metavar="[COMMAND]...", help="Only what these need; all, if left out."),
]
Cores = Annotated[
    int | None,
    typer.Option(min=1, help="How many processes; as many as there are cores, if left out."),
]
Remove = Annotated[bool, typer.Option("--yes", help="Remove it; without this it is only listed.")]


def warm_up(commands: Commands = None, cores: Cores = None) -> None:
    """Compile ahead what the commands need, on all cores.

    Without it, each command compiles what it needs the first time it runs. What has been compiled
    already is not compiled again.
    """
    from poise.apps.cli.first_use import progress_bar
    from poise.apps.warm_up import warm_up as compile_all
    from poise.compilation.folder import kernel_folder, why_not_kept
    from poise.compilation.listed import listed_commands, listed_kernels

    for name in commands or ():
        if name not in listed_commands():
            raise UnknownName("command with kernels", name, listed_commands())
    folder = kernel_folder()
    if folder is None:
        raise FileProblem(
            Path("kernels"), "a folder of your own to keep compiled kernels in", why_not_kept(),
            advice="Set NUMBA_CACHE_DIR to one.",
        )  # fmt: skip
    with progress_bar("compiling") as progress:
        failed = compile_all(progress, commands or (), cores)
    for one in failed:
        name = listed_kernels()[one.place].name
        print(f"note: {name} is compiled when it is used: {one.problem}", file=sys.stderr)
    files = tuple(Path(folder).glob("*.nbc"))
    size = sum(path.stat().st_size for path in files) / 1e6
    print(f"{len(files)} kernels in {folder} ({size:.0f} MB)")


def clean(remove: Remove = False) -> None:
    """List what Poise keeps in your folders for caches and state, and remove it with --yes.

    What a studio or a batch keeps beside your files, in folders called `.poise`, is yours and not
    touched.
    """
    kept = _kept()
    for what, files in kept.items():
        size = sum(path.stat().st_size for path in files) / 1e6
        done = "removed" if remove else what.after
        print(f"{what.folder}: {len(files)} files of {what.about}, {size:.1f} MB; {done}")
        if remove:
            for path in files:
                path.unlink(missing_ok=True)
            _remove_empty(what.folder)
    if not kept:
        print("Nothing is kept.")
    elif not remove:
        print("Add --yes to remove them.")


@dataclass(frozen=True)
class _Kept:
    """A kind of file that is kept."""

    folder: Path
    about: str
    pattern: str
    after: str
    """What is different without them."""


def _kept() -> dict[_Kept, list[Path]]:
    from poise.compilation.folder import kernel_folder
    from poise.user_folders import state_folder

    kinds = [
        _Kept(state_folder() / "studio", "ports and tokens of studios", "*.json",
              "without them, pages left open do not find their studio again"),
    ]  # fmt: skip
    if (kernels := kernel_folder()) is not None:
        again = "without them, the next commands compile them again"
        kinds.insert(0, _Kept(Path(kernels), "compiled kernels", "*.nb[ic]", again))
    found = {kind: sorted(kind.folder.glob(kind.pattern)) for kind in kinds}
    return {kind: files for kind, files in found.items() if files}


def _remove_empty(folder: Path) -> None:
    """A folder, and the one of Poise above it, unless there is something left in them."""
    with contextlib.suppress(OSError):
        folder.rmdir()
        if folder.parent.name == "poise":
            folder.parent.rmdir()
