"""`poise warm-up` and `poise clean`: what is compiled once and kept."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from poise.errors import FileProblem

Cores = Annotated[
    int | None, typer.Option(min=1, help="How many jobs at a time; all, if left out.")
]
Remove = Annotated[bool, typer.Option("--yes", help="Remove it; without this it is only listed.")]


def warm_up(cores: Cores = None) -> None:
    """Compile ahead what the commands need, on all cores.

    Without it, each command compiles what it needs the first time it runs. What has been compiled
    already is not compiled again.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from poise.apps.warm_up import JOBS, Warmed
    from poise.apps.warm_up import warm_up as warmed_up
    from poise.kernel_cache import kernel_folder, why_not_kept

    folder = kernel_folder()
    if folder is None:
        raise FileProblem(
            Path("kernels"), "a folder of your own to keep compiled kernels in", why_not_kept(),
            advice="Set NUMBA_CACHE_DIR to one.",
        )  # fmt: skip
    bar = Progress(
        TextColumn("compiling"), BarColumn(), TextColumn("{task.description}"),
        TimeElapsedColumn(), console=Console(stderr=True), transient=True,
    )  # fmt: skip
    with bar:
        task = bar.add_task("", total=len(JOBS))

        def told(job: Warmed, done: int, of: int) -> None:
            bar.update(task, completed=done, description=f"{done} of {of}")
            if job.problem:
                print(f"note: {job.name}: {job.problem}", file=sys.stderr)

        warmed_up(told, cores)
    files = tuple(Path(folder).glob("*.nbc"))
    size = sum(path.stat().st_size for path in files) / 1e6
    print(f"{len(files)} kernels in {folder} ({size:.0f} MB)")


def clean(remove: Remove = False) -> None:
    """List what Poise keeps outside of its own folder, and remove it with --yes."""
    from poise.kernel_cache import kernel_folder

    folder = kernel_folder()
    files = [] if folder is None else sorted(Path(folder).glob("*.nb[ic]"))
    if not files:
        print("Nothing is kept.")
        return
    size = sum(path.stat().st_size for path in files) / 1e6
    if not remove:
        print(f"{folder}: {len(files)} files of compiled kernels, {size:.0f} MB")
        print("Add --yes to remove them. They are compiled again when they are needed.")
        return
    for path in files:
        path.unlink(missing_ok=True)
    print(f"{folder}: {len(files)} files of compiled kernels removed, {size:.0f} MB")
