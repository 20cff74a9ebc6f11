"""Which lines of acumen the tests run, and which functions of its kernels they call.

    ACUMEN_COVERAGE=folder python -m pytest ...        tests/conftest.py starts this
    python tools/covered.py folder --least 90

Each test process writes one file into the folder; runs add up there. The report prints both percentages and fails where
one is below `--least`. Only what runs inside the processes of pytest counts, not the programs they start.

slipcover adds probes to each function at its import and removes a probe once its line has run, so that tests take
hardly longer. A kernel function is replaced by one that notes its name; `acumen._native` gets the function back at the
first call.
"""

from __future__ import annotations

import argparse
import copyreg
import json
import os
import sys
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

#: Names of kernel functions that were called in this process.
CALLED: set[str] = set()


def is_kernel(function: object) -> bool:
    """Whether a member of `acumen._native` is a function; its classes are made by functions."""
    return type(function).__name__ == "nb_func"


def watch_kernels(native: ModuleType) -> None:
    """Note the first call of each kernel function."""

    def noting(name: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(kernel)
        def noted(*args: Any, **options: Any) -> Any:
            CALLED.add(name)
            if getattr(native, name) is noted:
                setattr(native, name, kernel)
            return kernel(*args, **options)

        return noted

    for name, function in vars(native).copy().items():
        if is_kernel(function):
            setattr(native, name, noting(name, function))


def watch_lines(package: Path) -> Any:
    """slipcover's instance that counts the lines of a package; it must be called before the package is imported."""
    import slipcover

    if sys.version_info < (3, 12):  # later Pythons tell slipcover of lines without probes
        from slipcover import probe

        def without_effect(_: Any) -> tuple[Any, ...]:
            return probe.new, (SimpleNamespace(newly_seen={"": set()}), "", 0, -1)

        # A probe is a constant of the function that it watches. Dask sends functions to its workers: there they have
        # probes that nobody reads.
        copyreg.pickle(type(probe.new(None, "", 0, -1)), without_effect)
    matcher = slipcover.FileMatcher(sources=[str(package)])
    lines = slipcover.Slipcover(source=[str(package)])
    slipcover.ImportManager(lines, matcher).__enter__()
    return lines


class Coverage:
    """A pytest plugin; it must be made before acumen is imported."""

    def __init__(self, folder: str) -> None:
        spec = find_spec("acumen")
        assert spec is not None and spec.origin is not None
        self.folder, self.lines = Path(folder), watch_lines(Path(spec.origin).parent)
        watch_kernels(import_module("acumen._native"))

    def pytest_sessionfinish(self) -> None:
        """Write what this process reached."""
        self.folder.mkdir(parents=True, exist_ok=True)
        part = {"files": self.lines.get_coverage()["files"], "kernels": sorted(CALLED)}
        (self.folder / f"{os.getpid()}.json").write_text(json.dumps(part), encoding="utf-8")


def merge(folder: Path) -> tuple[dict[str, tuple[set[int], set[int]]], set[str]]:
    """(lines run and all lines by file, kernel functions called) of all processes."""
    files: dict[str, tuple[set[int], set[int]]] = {}
    called: set[str] = set()
    for path in sorted(folder.glob("*.json")):
        part = json.loads(path.read_text(encoding="utf-8"))
        called.update(part["kernels"])
        for name, counts in part["files"].items():
            run, every = files.setdefault(name, (set(), set()))
            run.update(counts["executed_lines"])
            every.update(counts["executed_lines"], counts["missing_lines"])
    return files, called


def percent(part: int, whole: int) -> float:
    return 100.0 * part / whole if whole else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description="Report which lines and kernel functions the tests reached.")
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--least", type=float, default=90.0, metavar="PERCENT", help="fail below [default: 90]"
    )
    chosen = parser.parse_args()
    files, called = merge(chosen.folder)
    from acumen import _native

    kernels = {name for name, function in vars(_native).items() if is_kernel(function)}
    run = sum(len(lines) for lines, _ in files.values())
    every = sum(len(lines) for _, lines in files.values())
    print(f"lines of Python: {percent(run, every):.1f} % of {every:,}")
    print(f"functions of the kernels: {percent(len(kernels & called), len(kernels)):.1f} % of {len(kernels)}")
    worst = sorted(files, key=lambda name: len(files[name][0]) - len(files[name][1]))
    for name in worst[:15]:
        lines, whole = files[name]
        print(f"  {len(whole - lines):5,} lines not run in {name}")
    missing = sorted(kernels - called)
    print(f"  never called: {', '.join(missing) or 'none'}")
    if min(percent(run, every), percent(len(kernels & called), len(kernels))) < chosen.least:
        sys.exit(f"The tests must reach {chosen.least:g} % of both.")


if __name__ == "__main__":
    main()
