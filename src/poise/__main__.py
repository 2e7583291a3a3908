"""`python -m poise` is the `poise` command.

Python puts the current folder first where `-m` looks for modules. There a clip may lie with modules
beside it, so it is taken away before anything is imported from it. What Python and the package
itself have imported by then comes too early for that: the `poise` command has no such gap.
"""

import sys

if not sys.flags.safe_path:
    del sys.path[0]

from poise.apps.cli.main import main

if __name__ == "__main__":
    main()
