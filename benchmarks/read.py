"""How long delimited text takes to read, beside pandas, polars and pyarrow; and the memory that scanning needs.

    python benchmarks/read.py            both files, all readers, best of five
    python benchmarks/read.py memory     peak memory of `acumen.scan` on a file of 500 MB

ARFF has a script of its own, read_arff.py.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import acumen

RUNS = 5


def best(works: dict[str, Callable[[], object]]) -> dict[str, tuple[float, float]]:
    """Seconds by the clock, and of all processors together, of the fastest run of each.

    They take turns, so that a busy moment hits all alike; processor time suffers least from it.
    """
    taken = dict.fromkeys(works, (float("inf"), float("inf")))
    for _ in range(RUNS):
        for name, work in works.items():
            start, used = time.perf_counter(), time.process_time()
            work()
            now = time.perf_counter() - start, time.process_time() - used
            taken[name] = min(taken[name][0], now[0]), min(taken[name][1], now[1])
    return taken


def write_mixed(path: Path, rows: int) -> None:
    """Eleven columns: an integer, five measurements, a date, three nominal ones (one quoted), a class."""
    rng = np.random.default_rng(0)
    towns = [f"Town {i}" for i in range(500)]
    jobs = [f'"{a}, {b}"' for a in ("clerk", "cook", "nurse", "smith") for b in ("junior", "senior")]
    days = np.datetime64("2015-01-01") + rng.integers(0, 3650, rows)
    columns = [
        map(str, rng.integers(18, 90, rows).tolist()),
        *(map(repr, rng.normal(scale=10.0**j, size=rows).tolist()) for j in range(3)),
        (f"{v:.2f}" for v in rng.gamma(2, 20_000, rows).tolist()),
        (f"{v:.1f}" if v < 0.95 else "" for v in rng.random(rows).tolist()),
        map(str, days.tolist()),
        (towns[i] for i in rng.integers(0, len(towns), rows).tolist()),
        (jobs[i] for i in rng.integers(0, len(jobs), rows).tolist()),
        ("yes" if v else "no" for v in rng.integers(0, 2, rows).tolist()),
        ("abc"[i] for i in rng.integers(0, 3, rows).tolist()),
    ]
    with path.open("w", encoding="utf-8") as file:
        file.write("age,height,weight,dose,income,share,since,town,job,owner,class\n")
        file.writelines(",".join(row) + "\n" for row in zip(*columns, strict=True))


def write_numeric(path: Path, rows: int, columns: int = 20) -> None:
    """Doubles with all their digits."""
    rng = np.random.default_rng(1)
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(f"x{j}" for j in range(columns)) + "\n")
        for start in range(0, rows, 50_000):
            block = rng.normal(size=(min(50_000, rows - start), columns)).tolist()
            file.writelines(",".join(map(repr, row)) + "\n" for row in block)


def check(path: Path) -> int:
    """Every number is Python's float() of its text, every level the text itself; how many were looked at."""
    table, seen = acumen.read(path), 0
    with path.open(encoding="utf-8") as file:
        names = next(file).rstrip("\n").split(",")
        numbers = [j for j, name in enumerate(names) if table.schema[name].is_numeric and name != "since"]
        columns = [table.column(names[j]) for j in numbers]
        for i, line in enumerate(file):
            cells = line.rstrip("\n").split(",")
            for j, column in zip(numbers, columns, strict=True):
                text, value = cells[j], column[i]
                assert value == float(text) if text else value != value, (i, names[j], text, value)
            seen += len(numbers)
    assert i + 1 == len(table)
    return seen


def readers(path: Path) -> dict[str, Callable[[], object]]:
    """Every reader with what it does by default."""
    import pandas
    import polars
    import pyarrow
    from pyarrow import csv

    return {
        "acumen.read": lambda: acumen.read(path),
        "acumen.scan, parts": lambda: sum(map(len, acumen.scan(path))),
        f"pandas {pandas.__version__}": lambda: pandas.read_csv(path),
        f"polars {polars.__version__}": lambda: polars.read_csv(path),
        f"pyarrow {pyarrow.__version__}": lambda: csv.read_csv(path),
    }


def compare(path: Path) -> None:
    taken = best(readers(path))
    clock, used = taken["acumen.read"]
    print(f"{'':20}   clock     CPU   acumen.read takes")
    for name, (seconds, cpu) in taken.items():
        print(
            f"{name:20} {seconds:7.3f} {cpu:7.3f}   {clock / seconds:.2f} of the time, {used / cpu:.2f} of the CPU"
        )


def scan_memory(path: Path) -> tuple[int, float]:
    """Rows, and the peak of this process in MB: to be run in a process of its own."""
    rows = sum(map(len, acumen.scan(path)))
    return rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        if "memory" in sys.argv[1:]:
            write_numeric(path, 1_280_000)
            print(f"scan of {path.stat().st_size / 1e6:.0f} MB: ", end="", flush=True)
            subprocess.run([sys.executable, __file__, "scan", str(path)], check=True)
            return
        for title, write in (
            ("mixed, 300,000 x 11", lambda: write_mixed(path, 300_000)),
            ("numeric, 1,000,000 x 20", lambda: write_numeric(path, 1_000_000)),
        ):
            write()
            print(f"{title}, {path.stat().st_size / 1e6:.0f} MB")
            print(f"{check(path):,} numbers equal float()")
            compare(path)
            print()


if __name__ == "__main__":
    if sys.argv[1:2] == ["scan"]:
        rows, peak = scan_memory(Path(sys.argv[2]))
        print(f"{rows:,} rows, peak memory {peak:.0f} MB")
    else:
        main()
