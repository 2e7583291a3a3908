"""`poise studio`: the page where an animator works."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from poise.apps.cli.waiting import waiting


def studio(
    clip: Annotated[
        Path | None, typer.Argument(help="A clip or a recipe to open; a folder opens as a project.")
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
    import socket
    import webbrowser

    from poise.errors import BadValue, FileProblem

    if host not in ("127.0.0.1", "localhost", "::1") and not allow_remote:
        raise BadValue("host", "this machine (127.0.0.1), or --allow-remote", host)
    folder = project or (clip if clip is not None and clip.is_dir() else None)
    if folder is None:
        folder = Path.cwd() if clip is None else clip.resolve().parent
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, OverflowError) as refused:
        reason = getattr(refused, "strerror", None) or str(refused)
        raise BadValue("port", "one that is free (0 takes any)", f"{port}: {reason}") from None
    with waiting("starting"):
        import uvicorn

        from poise.apps.studio.guard import Guard
        from poise.apps.studio.project import Project
        from poise.apps.studio.server import WEB, studio_app

        if not (WEB / "index.html").is_file():
            wanted = "the page (it is made when the package is built: npm run build in studio/)"
            raise FileProblem(WEB, wanted, "none")
        opened = Project(folder)
        guard = Guard(host, listening.getsockname()[1])
        app = studio_app(opened, guard)
        first = ""
        if clip is not None and clip.is_file():
            documents = app.documents
            made = documents.file(opened.name(clip.resolve()))
            first = f"#document={made.id}"
    listening.listen(128)  # whoever has the address may come at once
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{guard.port}/?token={guard.token}{first}"
    print(f"poise studio: {url}", flush=True)
    if not no_browser:
        webbrowser.open(url)
    settings = uvicorn.Config(
        app, log_level="warning", ws="websockets-sansio", ws_max_size=4_000_000, lifespan="on"
    )
    uvicorn.Server(settings).run(sockets=[listening])
