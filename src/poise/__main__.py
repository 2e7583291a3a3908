"""`python -m poise` is the `poise` command."""

from poise.apps.cli.main import main

if __name__ == "__main__":
    main()
