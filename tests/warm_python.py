"""Programs run each in a process of its own, with the libraries imported already: importing takes longer than they do.

A first process imports, and forks for every program it is told of; none sees what another did.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_FIRST = """
import json, os, runpy, sys, traceback
import numpy, pandas, matplotlib, scipy.sparse, scipy.stats, sklearn.base, sklearn.model_selection, sklearn.pipeline
import acumen
for name in ("NaiveBayes", "DecisionTree", "Logistic", "SVM", "compare"):
    getattr(acumen, name)
for line in sys.stdin:
    program, folder, out, err = json.loads(line)
    child = os.fork()
    if not child:
        os.chdir(folder)
        for path, stream in ((out, 1), (err, 2)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        sys.argv, code = [program], 0
        try:
            runpy.run_path(program, run_name="__main__")
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        except BaseException:
            traceback.print_exc()
            code = 1
        sys.stdout.flush(), sys.stderr.flush()
        os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@dataclass(frozen=True)
class Done:
    """How a program ended."""

    code: int
    out: str
    err: str


class WarmPython:
    """The process that has imported; `run` waits for a program to end."""

    def __init__(self, first: subprocess.Popen[str]) -> None:
        self._first = first

    def run(self, program: Path, folder: Path) -> Done:
        """A program run from a folder, into which it may write; warnings are errors."""
        out, err = folder.parent / f"{folder.name}.out", folder.parent / f"{folder.name}.err"
        assert self._first.stdin is not None and self._first.stdout is not None
        self._first.stdin.write(json.dumps([str(program), str(folder), str(out), str(err)]) + "\n")
        self._first.stdin.flush()
        code = int(self._first.stdout.readline())
        return Done(code, out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8"))


@contextmanager
def warm_python() -> Iterator[WarmPython]:
    """The first process, ended behind the tests; without the tests' own modules, which no program may need."""
    paths = [str(Path(p).resolve()) for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    with subprocess.Popen(
        [sys.executable, "-P", "-W", "error", "-c", _FIRST], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    ) as first:  # fmt: skip
        yield WarmPython(first)  # it ends when nothing more can be said to it
