"""A shell whose `acumen` has imported already: its commands take as long as they take, and not a second more.

A first process imports and listens at a socket; the `acumen` on the shell's path hands it its words, its folder and its
three streams, for which a forked child then runs the command. So pipes, globs and quotes are the shell's own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from warm_python import Done

_FIRST = """
import os, signal, socket, sys
import numpy, pandas, scipy.sparse, scipy.stats, sklearn.base, sklearn.model_selection, sklearn.pipeline
import acumen
from acumen.cli.main import run
for name in ("NaiveBayes", "DecisionTree", "Logistic", "SVM", "KMeans", "RandomForest", "compare"):
    getattr(acumen, name)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen()
print("ready", flush=True)
while True:
    client, _ = server.accept()
    told, streams, _, _ = socket.recv_fds(client, 65536, 3)
    if not told:
        break
    if not os.fork():
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        folder, columns, *words = told.decode().split("\\0")
        os.chdir(folder)
        os.environ["COLUMNS"] = columns
        for place, stream in enumerate(streams):
            os.dup2(stream, place)
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")
        code = 70
        try:
            code = run(words)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        except BaseException:
            import traceback
            traceback.print_exc()
        try:
            sys.stdout.flush(), sys.stderr.flush()
        finally:
            client.sendall(str(code).encode())
            os._exit(0)
    client.close()
    for stream in streams:
        os.close(stream)
"""

_COMMAND = """#!{python} -SE
import os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({socket!r})
words = [os.getcwd(), os.environ.get("COLUMNS", "80"), *sys.argv[1:]]
socket.send_fds(server, ["\\0".join(words).encode()], [0, 1, 2])
for stream in (0, 1):
    os.close(stream)
sys.exit(int(server.recv(16) or 70))
"""


@dataclass(frozen=True)
class WarmShell:
    """Where the command lies; `run` waits for a line to end."""

    programs: Path

    def run(self, line: str, folder: Path) -> Done:
        """What a line of the shell prints, in a folder, 80 columns wide; nothing can be typed into it."""
        path = f"{self.programs}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", line], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
            encoding="utf-8", env={**os.environ, "PATH": path, "COLUMNS": "80", "HOME": str(folder)},
            timeout=300, check=False,
        )  # fmt: skip
        return Done(done.returncode, done.stdout, done.stderr)


@contextmanager
def warm_shell(folder: Path) -> Iterator[WarmShell]:
    """The first process and the command, in a folder with a short name; ended behind the tests."""
    address, command = folder / "s", folder / "acumen"
    command.write_text(_COMMAND.format(python=sys.executable, socket=str(address)), encoding="utf-8")
    command.chmod(0o755)
    paths = [str(Path(p).resolve()) for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    with subprocess.Popen(
        [sys.executable, "-P", "-c", _FIRST, str(address)], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    ) as first:  # fmt: skip
        assert first.stdout is not None and first.stdout.readline() == "ready\n"
        yield WarmShell(folder)
        first.terminate()
