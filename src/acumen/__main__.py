"""`python -m acumen` is the command `acumen`; the console script begins here too.

Imports take a moment, and Ctrl-C may come then: it ends in a note, not in a traceback. So this file and the package's
own import nothing that Python has not loaded already, and until the command line is there Ctrl-C ends the process at
once: a library half imported can make anything of a KeyboardInterrupt, and nothing is open yet that must be put away.
"""

import os
import sys

TYPE_CHECKING = False  # typing's, without importing it
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> "NoReturn":
    """Import the command line, and run it."""
    try:
        # The part of `signal` that Python has loaded: importing the rest takes a moment in which Ctrl-C may be lost.
        import _signal as signal  # type: ignore[import-not-found, unused-ignore]

        waits = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # else it is ignored: nohup, &
        if waits:
            signal.signal(signal.SIGINT, _stop_process)
        from acumen.cli.console import on_interrupt
        from acumen.cli.main import main as begin

        if waits:
            signal.signal(signal.SIGINT, on_interrupt)
        begin()
    except KeyboardInterrupt:
        _stop_process()


def _stop_process(*_: object) -> "NoReturn":
    """The end, without the interpreter's: that could be interrupted again."""
    try:
        if sys.stderr is not None:  # closed, and its number may be another file's by now
            os.write(sys.stderr.fileno(), b"acumen: stopped.\n")
    finally:
        os._exit(130)


if __name__ == "__main__":
    main()
