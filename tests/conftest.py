"""For all tests: properties have no deadline, since a machine may be busy; Ctrl-C reaches children.

A shell that starts the tests in the background has them ignore Ctrl-C, which processes that they
start would inherit, and those that are to be interrupted would never end. A handler that does
nothing is as good for the tests themselves, and is not inherited.
"""

import os
import signal
from pathlib import Path

from hypothesis import settings

if "POISE_SHARED" in os.environ:
    # Recipes look for captures where the tests do: `POISE_SHARED=/nowhere pytest` is a machine
    # without them.
    os.environ.setdefault("POISE_CAPTURES", str(Path(os.environ["POISE_SHARED"]) / "mocap"))

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, lambda *_: None)

settings.register_profile("poise", deadline=None)
settings.load_profile("poise")
