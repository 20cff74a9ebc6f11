"""The studio on a large table: how long answers take, whether the page is served meanwhile, and what memory it takes.

    python benchmarks/studio_size.py [rows] [columns]

Makes a table (1,000,000 x 50 unless told), starts `acumen studio` on it and asks what the page asks. Beside each answer
stand the longest time that the page's icon took meanwhile, asked for twenty times a second, and the memory of the
server and of its worker.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from studio_served import Served


def write(path: Path, rows: int, columns: int) -> None:
    """Numbers, levels, and a class that depends on some of them."""
    import pyarrow as pa
    import pyarrow.csv

    rng = np.random.default_rng(0)
    hidden = rng.normal(size=rows)
    made: dict[str, Any] = {}
    names = max(columns // 5 - 1, 1)
    for j in range(columns - names - 1):
        made[f"x{j}"] = np.round(rng.normal(size=rows) + (0.3 * hidden if j < 5 else 0), 3)
    for j in range(names):
        levels = np.array([f"l{k}" for k in range(2 + 3 * j)])
        made[f"c{j}"] = levels[rng.integers(0, len(levels), rows)]
    leaves = rng.random(rows) < 1 / (1 + np.exp(-(hidden + 0.8 * made["x0"] - 0.5)))
    made["class"] = np.where(leaves, "leaves", "stays")
    pyarrow.csv.write_csv(pa.table(made), path)


def resident(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / 1e6


def worker_of(pid: int) -> float:
    """Megabytes of the largest process below."""
    found = [0.0]
    for each in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(each.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(resident(int(each.parts[2])))
        except OSError:
            continue
    return max(found)


def main(rows: int = 1_000_000, columns: int = 50) -> None:
    folder = Path(tempfile.mkdtemp()) / "tables"
    folder.mkdir()
    write(folder / "big.csv", rows, columns)
    studio = Served(folder)
    studio.patience = 600
    waits: list[float] = []
    over = threading.Event()

    def ping() -> None:
        while not over.wait(0.05):
            began = time.perf_counter()
            studio.request("GET", "/static/icon.svg")
            waits.append(time.perf_counter() - began)

    threading.Thread(target=ping, daemon=True).start()
    print(f"{rows:,} x {columns}, {(folder / 'big.csv').stat().st_size / 1e6:.0f} MB\n")
    print("| asked | seconds | page within, ms | server, MB | worker, MB |\n|---|---:|---:|---:|---:|")

    def timed(name: str, work: Callable[[], Any]) -> Any:
        waits.clear()
        began = time.perf_counter()
        made = work()
        took = time.perf_counter() - began
        told = max(waits, default=0.0) * 1000
        server, worker = resident(studio.process.pid), worker_of(studio.process.pid)
        print(f"| {name} | {took:.2f} | {told:.0f} | {server:.0f} | {worker:.0f} |", flush=True)
        return made

    try:
        listing = json.loads(studio.request("GET", "/api/start")[2])["tables"]
        table = {"source": {"file": listing[0]["number"]}, "target": "class"}
        timed("columns and a guess", lambda: studio.ask("columns", table=table))
        timed("a page of rows", lambda: studio.ask("rows", table=table))
        timed("the card", lambda: studio.ask("card", table=table))
        timed("rows sorted by a number", lambda: studio.ask("rows", table=table, sort="x3", down=True))
        timed("rows sorted by a name", lambda: studio.ask("rows", table=table, sort="c3"))
        run = {"table": table, "learners": ["naive-bayes"], "folds": 3, "repeats": 1, "measure": "brier"}
        timed("naive Bayes, 3 folds", lambda: studio.job("compare", run=run))
        timed("errors", lambda: studio.ask("errors", run=run, learner="NaiveBayes", positive="leaves"))
        cell = {"cell": {"run": run, "learner": "NaiveBayes", "truth": "leaves", "predicted": "stays"}}
        timed("100 rows of a cell", lambda: studio.ask("rows", table=table, selection=cell, count=100))
        timed("what sets them apart", lambda: studio.ask("profile", table=table, selection=cell))
        number = studio.begin("learn", model={"table": table, "learner": "decision-tree"})
        time.sleep(3)
        timed("rows while a tree is learned", lambda: studio.ask("rows", table=table, offset=5000))

        def stop() -> None:
            studio.request("DELETE", f"/api/jobs/{number}")
            studio.events(number)

        timed("to stop that", stop)
        timed("three groups", lambda: studio.job("cluster", cluster={"table": table, "k": "3"}))
        model = {"table": table, "learner": "naive-bayes"}
        timed("naive Bayes learned", lambda: studio.job("learn", model=model))
        timed(
            "predictions as a file", lambda: studio.job("keep", what="predictions", model=model, table=table)
        )
        timed("a selection as a file", lambda: studio.ask("csv", table=table, selection=cell))
        for seed in range(50):
            quick = {
                "table": {"source": {"dataset": "iris"}},
                "learners": ["naive-bayes"],
                "folds": 2,
                "repeats": 1,
            }
            studio.job("compare", run={**quick, "seed": seed})
        timed("after 50 jobs more", lambda: None)
    finally:
        over.set()
        studio.end()


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
