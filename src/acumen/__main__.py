"""`python -m acumen` is the command `acumen`."""

from __future__ import annotations

from acumen.cli.main import main

if __name__ == "__main__":
    main()
