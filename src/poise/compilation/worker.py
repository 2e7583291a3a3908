"""A process that compiles kernels of the list: their places in it come in, one a line, and go out.

python -P -m poise.compilation.worker
"""

from __future__ import annotations

import sys

from poise.compilation.listed import listed_kernels


def main() -> None:
    """Compile what is asked for until nothing more is."""
    kernels = listed_kernels()
    for line in sys.stdin:
        problem = ""
        try:
            kernels[int(line)].compile()
        except Exception as failure:  # the list is older than the kernel: compiled when it is met
            problem = f"{type(failure).__name__} {kernels[int(line)].name}".replace("\n", " ")
        sys.stdout.write(f"{int(line)} {problem}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
