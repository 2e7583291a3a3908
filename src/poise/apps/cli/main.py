"""The `poise` command: what a user types, and what comes back when it goes wrong.

Exit codes: 0 done; 2 something in the request or a file is wrong (one line says what); 3 a method
ended without meeting its goals; 70 a bug in Poise; 130 interrupted.

Commands import what they need when they run, so that `poise --help` answers at once.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import Annotated, NoReturn

import typer

from poise.apps.cli.batch import EXIT_INTERRUPTED, batch
from poise.apps.cli.convert import convert, formats
from poise.apps.cli.correct import correct
from poise.apps.cli.edit_clip import command_for
from poise.apps.cli.family import app as family
from poise.apps.cli.first_use import FirstUse
from poise.apps.cli.inspect import inspect
from poise.apps.cli.leap import leap
from poise.apps.cli.measure import contacts, measure, report
from poise.apps.cli.pattern import app as pattern
from poise.apps.cli.render import render
from poise.apps.cli.retarget import retarget
from poise.apps.cli.run import EXIT_WRONG_INPUT, run
from poise.apps.cli.sample import sample
from poise.apps.cli.stream import stream
from poise.apps.cli.studio import studio
from poise.apps.cli.warm_up import clean, warm_up
from poise.compilation.misses import provided
from poise.errors import PoiseError

EXIT_BUG = 70

LESS_AT_ONCE = (
    "Take fewer frames at once (--frames 0:2000), or a lower rate: '--set clip.rate_hz=30' where "
    "there is a recipe, else 'poise convert CLIP short.bvh --fps 30' first."
)
"""What to do when there is not enough memory."""

app = typer.Typer(
    name="poise",
    help="Edit captured motion so that it does what you ask and still obeys the body and the "
    "ground.\n\nStart with **poise inspect CLIP**: it says what a clip is and what is wrong with "
    "it.",
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(inspect)
app.command()(convert)
app.command()(measure)
app.command()(contacts)
app.command()(render)
app.command()(report)
app.command()(run)
app.command()(correct)
app.command("deform")(command_for("deform", "Bend a clip to constraints"))
app.command("filter")(command_for("filter", "Filter a clip to constraints, balance and flight"))
app.command()(leap)
app.add_typer(family, name="family")
app.add_typer(pattern, name="pattern")
app.command()(retarget)
app.command()(batch)
app.command()(studio)
app.command()(stream)
app.command()(sample)
app.command()(formats)
app.command("warm-up")(warm_up)
app.command()(clean)


def _version(asked: bool) -> None:
    if asked:
        from poise.version import __version__

        print(f"poise {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    """Options before the command."""


def main() -> None:
    """Run the command line; a user's mistake is one line and a code, never a traceback."""
    if len(sys.argv) == 1:
        sys.argv.append("--help")
    for out in (sys.stdout, sys.stderr):
        if isinstance(out, io.TextIOWrapper):  # a name that a terminal cannot show is no reason
            out.reconfigure(errors="backslashreplace")  # to fail
    try:
        with provided(FirstUse(sys.argv[1])):
            code = app(standalone_mode=False)
        sys.stdout.flush()
    except PoiseError as problem:
        lines = str(problem).splitlines() if hasattr(problem, "problems") else [str(problem)]
        fail(*lines)  # of a recipe, a line for each mistake
    except (KeyboardInterrupt, typer.Abort):
        print("poise: interrupted", file=sys.stderr)
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output has gone (poise inspect ... | head): nobody to tell.
        _forget_output()
        sys.exit(0)
    except OSError as refused:  # a full disk, a folder that may not be entered
        _forget_output()
        fail(f"{refused.filename or 'output'}: {refused.strerror or refused}.")
    except MemoryError as short:  # NumPy's own is of this kind, too
        fail(f"{shortage(short)} {LESS_AT_ONCE}")
    except Exception as bug:
        if isinstance(bug, SystemError) and _UNTOLD in str(bug):
            fail(f"{shortage(MemoryError())} {LESS_AT_ONCE}")
        told = getattr(bug, "format_message", None)  # how the parser's own complaints look
        if told is not None:
            context = getattr(bug, "ctx", None)
            fail(f"{told()} Try '{context.command_path if context else 'poise'} --help'.")
        if os.environ.get("POISE_DEBUG"):
            raise
        print(
            f"poise: internal error: {type(bug).__name__}: {bug}\n"
            "This is a bug in Poise. Run again with POISE_DEBUG=1 to see where, and please report "
            "it with the file if you can.",
            file=sys.stderr,
        )
        sys.exit(EXIT_BUG)
    sys.exit(code if isinstance(code, int) else 0)


_UNTOLD = "without exception set"
"""How Numba's and other compiled code fails where an allocation does."""


def shortage(short: MemoryError) -> str:
    """What memory was too small for, as far as it is known."""
    asked = " ".join(str(short).split())
    return f"Not enough memory{f' ({asked[:160]})' if asked else ''}."


def _forget_output() -> None:
    """Let what could not be written go, or Python would try once more at its end and complain."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def fail(*messages: str) -> NoReturn:
    """Say one line for each mistake, and leave with the code for wrong input."""
    for message in messages:
        print(f"poise: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(EXIT_WRONG_INPUT)
