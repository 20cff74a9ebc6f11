"""Many machines, on this one: two warm workers of one thread each, the same Parquet in the page cache.

    python benchmarks/scale.py overhead [ROWS]   NaiveBayes and a tree: a cluster beside our own threads
    python benchmarks/scale.py peers PYTHON      dask-ml's GaussianNB, XGBoost's dask hist, in their own environment
    python benchmarks/scale.py stream [GB]       so many gigabytes through two workers of 1 GB each
    python benchmarks/scale.py cost [ROWS [LEARNER]]   seconds for 1, 2, 4 workers beside one core of ours

Models are compared first: those of the cluster must be files of the same bytes. Seconds are from the call to the model,
the median of five (of three for trees); the cluster is up and everything imported. PYTHON is an interpreter with
dask-ml, xgboost and distributed; `benchmarks/scale_peers.py` is what it runs.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from clock import Took

import acumen

FOLDER = Path(tempfile.gettempdir()) / "acumen-scale"
COLUMNS = 20
TREE: dict[str, Any] = {"method": "histogram", "max_depth": 8, "prune": "none", "bins": 256}
#: Tables of more rows repeat the first million.
DRAWN = 20_000_000
#: How often each is done; a tree of ten million rows takes long.
REPEATS = {"NaiveBayes": 5, "DecisionTree": 3}


def table(rows: int, columns: int = COLUMNS) -> Path:
    """Numbers and two classes as Parquet in row groups of a million, written once.

    Of many rows all but the first million are those once more, moved by a constant, which takes no time to draw.
    """
    import pyarrow
    import pyarrow.parquet as pq

    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"t{rows}x{columns}.parquet"
    if path.exists():
        return path
    rng = np.random.default_rng(0)
    names = [f"x{j}" for j in range(columns)]
    schema = pyarrow.schema([*((name, pyarrow.float64()) for name in names), ("y", pyarrow.string())])
    unfinished = path.with_suffix(".part")
    with pq.ParquetWriter(unfinished, schema) as out:
        for first in range(0, rows, 1 << 20):
            n = min(1 << 20, rows - first)
            if first == 0 or rows <= DRAWN:
                drawn = rng.normal(size=(n, columns))
            x = drawn[:n] + (first * 1e-12 if rows > DRAWN else 0.0)
            score = x[:, :5].sum(axis=1) + x[:, 0] * x[:, 1] + rng.normal(size=n)
            made = {name: x[:, j] for j, name in enumerate(names)} | {"y": np.where(score > 0, "p", "n")}
            out.write_table(pyarrow.table(made, schema=schema))
    unfinished.rename(path)
    return path


def used(engine: Any = None) -> float:
    """Seconds of processor that this process and the workers of a cluster have used."""
    own = time.process_time()
    return own if engine is None else own + sum(engine.client.run(time.process_time).values())


def median(work: Callable[[], Any], repeats: int, engine: Any = None) -> Took:
    wall, cpu = [], []
    for _ in range(repeats):
        before, start = used(engine), time.perf_counter()
        work()
        wall.append(time.perf_counter() - start)
        cpu.append(used(engine) - before)
    return Took(statistics.median(wall), statistics.median(cpu))


def fitted(make: Callable[[], Any], path: Path) -> Any:
    return make().fit_stream(acumen.scan(path, target="y"))


def same(one: Any, other: Any) -> bool:
    made = []
    for model in (one, other):
        acumen.save(model, FOLDER / "m.acm")
        made.append((FOLDER / "m.acm").read_bytes())
    return made[0] == made[1]


def learners() -> dict[str, Callable[[], Any]]:
    return {"NaiveBayes": acumen.NaiveBayes, "DecisionTree": lambda: acumen.DecisionTree(**TREE)}


def overhead(rows: int) -> None:
    path = table(rows)
    path.read_bytes()  # into the page cache
    print(f"\n{rows:,} rows x {COLUMNS}: two workers of one thread, beside two threads of ours")
    print(f"{'':14}{'threads':>9}{'dask':>9}{'ratio':>8}   by the processor      the same file")
    with acumen.engines.Dask(workers=2) as engine:
        for name, make in learners().items():
            with acumen.engine(engine):
                there = fitted(make, path)
            here = fitted(make, path)
            repeats = REPEATS[name]
            own = median(lambda make=make: fitted(make, path), repeats)
            with acumen.engine(engine):
                far = median(lambda make=make: fitted(make, path), repeats, engine)
            both = f"{own.cpu:.2f}s {far.cpu:.2f}s {far.cpu / own.cpu:.2f}x"
            print(
                f"{name:14}{own:8.2f}s{far:8.2f}s{far / own:7.2f}x   {both:20}  {same(here, there)}",
                flush=True,
            )


def peers(python: str, rows: int = 10_000_000) -> None:
    path = table(rows)
    path.read_bytes()
    with acumen.engines.Dask(workers=2) as engine, acumen.engine(engine):
        own = {}
        for name, make in learners().items():
            model = fitted(make, path)
            own[name] = median(lambda make=make: fitted(make, path), REPEATS[name], engine)
            some = next(iter(acumen.scan(path, target="y")))
            error = float(np.mean(model.predict(some) != some.label_values()))
            took = own[name]
            print(
                f"acumen {name:14}{took:8.2f}s, processor {took.cpu:.2f}s   error on the first block {error:.4f}"
            )
        stump = median(
            lambda: fitted(lambda: acumen.DecisionTree(**TREE | {"max_depth": 1}), path), 3, engine
        )
        tree, share = own["DecisionTree"], TREE["max_depth"] / (TREE["max_depth"] - 1)
        levels = own["its levels"] = Took((tree - stump) * share, (tree.cpu - stump.cpu) * share)
        print(
            f"acumen {'its levels':14}{levels:8.2f}s, processor {levels.cpu:.2f}s   eight, by those behind the first"
        )
    script = Path(__file__).with_name("scale_peers.py")
    done = subprocess.run([python, str(script), str(path)], capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr)
        return
    for line in done.stdout.splitlines():
        found = json.loads(line)
        mine = own[found["beside"]]
        print(
            f"{found['name']:26}{found['seconds']:8.2f}s, processor {found['processor']:.2f}s   error "
            f"{found['error']:.4f}   {found['seconds'] / mine:.1f} x ours, by the processor "
            f"{found['processor'] / mine.cpu:.1f}"
        )


def stream(gigabytes: float) -> None:
    rows = int(gigabytes * 1e9 / (8 * COLUMNS))
    path = table(rows)
    print(f"{path.stat().st_size / 1e9:.1f} GB of Parquet, {rows:,} rows, two workers of 1 GB", flush=True)
    with acumen.engines.Dask(workers=2, memory="1GB") as engine:
        before = engine.client.run(os.getpid)
        start = time.perf_counter()
        with acumen.engine(engine):
            fitted(acumen.NaiveBayes, path)
        took = time.perf_counter() - start
        most = engine.client.run(_most_memory)
        died = set(before.values()) - set(engine.client.run(os.getpid).values())
        print(
            f"NaiveBayes {took:.1f}s, {rows / took:,.0f} rows a second, {path.stat().st_size / took / 1e6:.0f} MB/s"
        )
        print(f"most memory of a worker {max(most.values()) / 1e6:.0f} MB; workers that died: {len(died)}")


def _most_memory() -> int:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def cost(rows: int, *only: str) -> None:
    path = table(rows)
    path.read_bytes()
    for name, make in learners().items():
        if only and name not in only:
            continue
        repeats = 3 if name == "NaiveBayes" else 1
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(before)})  # one core, whatever threads there are
        with acumen.engine("serial"):
            one = median(lambda make=make: fitted(lambda: make().set_params(n_jobs=1), path), repeats)
        os.sched_setaffinity(0, before)
        print(f"\n{name}: one core of ours {one:.2f}s, processor {one.cpu:.2f}s", flush=True)
        for workers in (1, 2, 4):
            with acumen.engines.Dask(workers=workers) as engine, acumen.engine(engine):
                fitted(make, path)
                took = median(lambda make=make: fitted(make, path), repeats, engine)
            said = f"  {workers} workers {took:.2f}s, processor {took.cpu:.2f}s"
            print(f"{said}  {'beat it' if took < one else ''}", flush=True)


def main(words: list[str]) -> None:
    warnings.simplefilter("ignore", acumen.TableWarning if hasattr(acumen, "TableWarning") else UserWarning)
    part, rest = (words[0] if words else "overhead"), words[1:]
    if part == "peers":
        peers(rest[0], *map(int, rest[1:]))
    elif part == "stream":
        stream(float(rest[0]) if rest else 20.0)
    elif part == "overhead":
        overhead(int(rest[0]) if rest else 10_000_000)
    elif part == "cost":
        cost(int(rest[0]) if rest else 10_000_000, *rest[1:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
