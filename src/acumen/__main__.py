"""`python -m acumen` is the command `acumen`; the console script begins here too.

Even imports take a moment, and Ctrl-C may come then: it ends in a note and not in a traceback.
"""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Import the command line, and run it."""
    try:
        from acumen.cli.main import main as begin

        begin()
    except KeyboardInterrupt:
        print("acumen: stopped.", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
