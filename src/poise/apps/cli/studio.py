"""`poise studio`: the page where an animator works."""

from __future__ import annotations

import contextlib
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.apps.cli.clip_options import AS_THE_FILE_SAYS, ClipOptions
from poise.apps.cli.options import taking_records
from poise.apps.cli.waiting import waiting
from poise.errors import BadValue, FileProblem

if TYPE_CHECKING:
    from poise.apps.studio.guard import Guard


@dataclass(frozen=True)
class Listening:
    """Where the studio is served, and for whom."""

    port: Annotated[int, typer.Option(help="Where to listen; 0 takes any that is free.", min=0)] = 0
    host: Annotated[
        str, typer.Option(help="Where to listen; other than this machine needs --allow-remote.")
    ] = "127.0.0.1"
    allow_remote: Annotated[
        bool,
        typer.Option(
            "--allow-remote", help="Let other machines in that have the address with its token."
        ),
    ] = False
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only say the address.")] = False


ON_THIS_MACHINE = Listening()


@taking_records
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
    listening: Listening = ON_THIS_MACHINE,
    read: ClipOptions = AS_THE_FILE_SAYS,
) -> None:
    """Open the studio: see a motion, drag it, watch it obey.

    A server for this machine, and a browser on it. Files are read from and written to the project
    folder alone; edits are kept there as they are made.

        poise studio

        poise studio captures/walk.bvh
    """
    open_studio(clip, project, listening, read)


def open_studio(
    clip: Path | None,
    project: Path | None,
    listening: Listening,
    read: ClipOptions = AS_THE_FILE_SAYS,
) -> None:
    """Serve the studio until it is interrupted, with a clip open if one is named."""
    import webbrowser

    opens = clip is not None and clip.is_dir()
    folder = _checked_folder(clip, project, listening)
    if clip is None or opens:
        read.check_left_out([name for name, _ in read.given()], "it is for a clip, and none opens")
    with contextlib.ExitStack() as left, contextlib.ExitStack() as starting:
        starting.enter_context(waiting("starting"))
        from poise.apps.studio.library import Documents
        from poise.apps.studio.project import Project
        from poise.apps.studio.serving import StudioServer

        opened = Project(folder)
        if clip is not None and not opens and not clip.resolve().is_relative_to(opened.folder):
            raise FileProblem(clip, f"a file in the project folder ({folder})", "one outside of it")
        documents = left.enter_context(contextlib.closing(Documents(opened)))
        sockets, guard = _guarded(left, opened.folder, listening)
        server = StudioServer(documents, guard)
        document = ""
        if clip is not None and not opens:
            document = documents.file(opened.name(clip.resolve()), read.changes()).id
        url = guard.address(document)
        starting.close()
        print(f"poise studio: {url}", flush=True)
        if not listening.no_browser:
            webbrowser.open(url)
        server.run(sockets=sockets)


def _checked_folder(clip: Path | None, project: Path | None, listening: Listening) -> Path:
    """The project folder, when all of the request makes sense."""
    from poise.apps.studio.server import WEB

    is_local = listening.host in ("127.0.0.1", "localhost", "::1")
    if not is_local and not listening.allow_remote:
        raise BadValue("host", "this machine (127.0.0.1), or --allow-remote", listening.host)
    if clip is not None and not clip.exists():
        raise FileProblem(clip, "a clip, a recipe or a folder", "nothing there")
    if not (WEB / "index.html").is_file():
        wanted = "the page (it is made when the package is built: npm run build in studio/)"
        raise FileProblem(WEB, wanted, "none")
    if project is not None:
        return project
    if clip is None:
        return Path.cwd()
    return clip if clip.is_dir() else clip.resolve().parent


def _guarded(
    left: contextlib.ExitStack, folder: Path, listening: Listening
) -> tuple[list[socket.socket], Guard]:
    """A socket that listens, and who may come in."""
    from poise.apps.studio.guard import Guard, Remembered, memory_of, remember, remembered

    memory = memory_of(folder)
    # Of a server for other machines nothing is kept: its secret ends with it.
    last = Remembered() if listening.allow_remote else remembered(memory)
    made = left.enter_context(_listening(listening.host, listening.port, last.port))
    # The same secret again where it is the same place: pages that were left open go on.
    here = made.getsockname()[1]
    guard = Guard(listening.host, here, last.token) if last.token else Guard(listening.host, here)
    if not listening.allow_remote:
        with contextlib.suppress(OSError):  # then pages that are left open do not go on
            remember(memory, guard)
    return [made], guard


def _listening(host: str, port: int, last: int) -> socket.socket:
    """A socket that listens: where it was asked to, or where it was last, or anywhere.

    Raises:
        BadValue: a port that somebody has.
    """
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
