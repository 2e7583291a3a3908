"""`poise studio`: the page where an animator works."""

from __future__ import annotations

import contextlib
import socket
import sys
from pathlib import Path
from typing import Annotated

import typer

from poise.apps.cli.waiting import waiting


def studio(
    clip: Annotated[
        Path | None,
        typer.Argument(
            help="A clip, a family of leaps or a recipe to open; a folder is a project."
        ),
    ] = None,
    project: Annotated[
        Path | None,
        typer.Option(
            help="Folder for files to open and to save; by default the clip's, or this one."
        ),
    ] = None,
    port: Annotated[int, typer.Option(help="0 takes any that is free.")] = 0,
    host: Annotated[
        str, typer.Option(help="Where to listen; other than this machine needs --allow-remote.")
    ] = "127.0.0.1",
    allow_remote: Annotated[
        bool,
        typer.Option(
            "--allow-remote", help="Let other machines in that have the address with its token."
        ),
    ] = False,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only say the address.")] = False,
) -> None:
    """Open the studio: see a motion, drag it, watch it obey.

    A server for this machine, and a browser on it. Files are read from and written to the project
    folder alone; edits are kept there as they are made.

        poise studio

        poise studio captures/walk.bvh
    """
    import webbrowser

    from poise.errors import BadValue, FileProblem

    if host not in ("127.0.0.1", "localhost", "::1") and not allow_remote:
        raise BadValue("host", "this machine (127.0.0.1), or --allow-remote", host)
    if clip is not None and not clip.exists():
        raise FileProblem(clip, "a clip, a recipe or a folder", "nothing there")
    opens = clip is not None and clip.is_dir()
    folder = project or (clip if opens else None)
    if folder is None:
        folder = Path.cwd() if clip is None else clip.resolve().parent
    with contextlib.ExitStack() as left, contextlib.ExitStack() as starting:
        starting.enter_context(waiting("starting"))
        from poise.apps.studio.guard import Guard, Remembered, memory_of, remember, remembered
        from poise.apps.studio.library import Documents
        from poise.apps.studio.project import Project
        from poise.apps.studio.server import WEB
        from poise.apps.studio.serving import StudioServer

        if not (WEB / "index.html").is_file():
            wanted = "the page (it is made when the package is built: npm run build in studio/)"
            raise FileProblem(WEB, wanted, "none")
        opened = Project(folder)
        if clip is not None and not opens and not clip.resolve().is_relative_to(opened.folder):
            raise FileProblem(clip, f"a file in the project folder ({folder})", "one outside of it")
        documents = left.enter_context(contextlib.closing(Documents(opened)))
        memory = memory_of(opened.folder)
        # Of a server for other machines nothing is kept: its secret ends with it.
        last = Remembered() if allow_remote else remembered(memory)
        listening = left.enter_context(_listening(host, port, last.port))
        # The same secret again where it is the same place: pages that were left open go on.
        here = listening.getsockname()[1]
        guard = Guard(host, here, last.token) if last.token else Guard(host, here)
        if not allow_remote:
            with contextlib.suppress(OSError):  # then pages that are left open do not go on
                remember(memory, guard)
        server = StudioServer(documents, guard)
        document = ""
        if clip is not None and not opens:
            document = documents.file(opened.name(clip.resolve())).id
        url = guard.address(document)
        starting.close()
        print(f"poise studio: {url}", flush=True)
        if not no_browser:
            webbrowser.open(url)
        server.run(sockets=[listening])


def _listening(host: str, port: int, last: int) -> socket.socket:
    """A socket that listens: where it was asked to, or where it was last, or anywhere.

    Raises:
        BadValue: a port that somebody has.
    """
    from poise.errors import BadValue

    reason = ""
    for wanted in (port,) if port else (last, 0):
        made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        if sys.platform != "win32":
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((host, wanted))
            made.listen(128)
            return made
        except (OSError, OverflowError) as refused:
            made.close()
            reason = getattr(refused, "strerror", None) or str(refused)
    raise BadValue("port", "one that is free (0 takes any)", f"{port}: {reason}")
