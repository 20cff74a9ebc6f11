"""Neighbours beside scikit-learn, scikit-learn-intelex, SciPy's k-d tree, faiss and gower; answers too.

    python benchmarks/neighbours.py [--only search,loo,gower,stream] [--repeats 3] [--quick]

Each section is a function. `search`: 100k rows, 10k queries, k = 5 at 3, 10, 50 and 200 columns, index built and
searched, against the best of the others; the neighbours are those of double precision. `loo`: the errors of k = 1..50
of 20k x 20 rows against GridSearchCV. `gower`: the nearest of 20k x 20 mixed rows against a `gower` matrix. `stream`: a
million rows of three columns are answered in bounded memory.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from clock import Took, interleaved, line

import acumen
from acumen.distances import Euclidean
from acumen.geometry.search import NeighbourSearch


def search(repeats: int, quick: bool) -> None:
    """Build and search at 3, 10, 50 and 200 columns."""
    rng = np.random.default_rng(0)
    n, m, k = (20_000, 2_000, 5) if quick else (100_000, 10_000, 5)
    for d in (3, 10, 50, 200):
        X, Q = rng.normal(size=(n, d)), rng.normal(size=(m, d))
        made: dict[str, Any] = {}

        def ours(X: Any = X, Q: Any = Q, made: Any = made) -> None:
            fitted = Euclidean().fit(acumen.read(X))
            made["acumen"] = (
                NeighbourSearch(fitted, fitted.raw(acumen.read(X))).lists(fitted.raw(acumen.read(Q)), k).rows
            )

        peers = {name: work for name, work in _peers(X, Q, k, made).items() if d <= 10 or "tree" not in name}
        mine, *theirs = interleaved(repeats, ours, *peers.values())
        named = dict(zip(peers, theirs, strict=True))
        best = min(named, key=lambda name: float(named[name]))
        for name, took in named.items():
            line(f"search {n:,} x {d}, {m:,} queries: {name}", mine, took, 1.0 if name == best else None)
        exact = np.sort(made["acumen"].reshape(m, k), axis=1)
        for name in peers:
            share = float(np.mean((np.sort(made[name], axis=1) == exact).all(axis=1)))
            print(f"    {name}: the same neighbours for {100 * share:.2f} % of queries", flush=True)


def _peers(X: Any, Q: Any, k: int, made: dict[str, Any]) -> dict[str, Callable[[], None]]:
    from scipy.spatial import cKDTree
    from sklearn.neighbors import NearestNeighbors

    def of_sklearn() -> None:
        found = NearestNeighbors(n_neighbors=k, n_jobs=-1).fit(X).kneighbors(Q, return_distance=False)
        made["scikit-learn"] = found

    def of_scipy() -> None:
        made["cKDTree"] = cKDTree(X).query(Q, k, workers=-1)[1]

    works = {"scikit-learn": of_sklearn, "cKDTree": of_scipy}
    if X.shape[1] > 10:
        del works["cKDTree"]  # minutes, and never the best
    try:
        from sklearnex.neighbors import NearestNeighbors as Intelex

        for way in ("kd_tree", "brute"):

            def of_intelex(way: str = way) -> None:
                found = Intelex(n_neighbors=k, algorithm=way).fit(X).kneighbors(Q, return_distance=False)
                made[f"intelex {way}"] = found

            if way == "brute" or X.shape[1] <= 10:
                works[f"intelex {way}"] = of_intelex
    except ImportError:
        print("scikit-learn-intelex is not installed")
    try:
        import faiss

        def of_faiss() -> None:
            index = faiss.IndexFlatL2(X.shape[1])
            index.add(X.astype(np.float32))
            made["faiss flat (float32)"] = index.search(Q.astype(np.float32), k)[1]

        works["faiss flat (float32)"] = of_faiss
    except ImportError:
        print("faiss is not installed")
    return works


def loo(repeats: int, quick: bool) -> None:
    """The errors of k = 1..50 by leave-one-out beside ten folds of GridSearchCV."""
    from sklearn.datasets import make_classification
    from sklearn.model_selection import GridSearchCV
    from sklearn.neighbors import KNeighborsClassifier

    n = 4_000 if quick else 20_000
    X, y = make_classification(n, 20, n_informative=10, random_state=0)
    (mine,) = interleaved(repeats, lambda: acumen.KNN(max_neighbors=50).fit(X, y))
    # Ten folds cost the same for each k: three of them are measured, and all fifty reckoned.
    some = [1, 25, 50]
    grid = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": some}, cv=10, refit=False)
    start, used = time.perf_counter(), time.process_time()
    grid.fit(X, y)
    wall, cpu = time.perf_counter() - start, time.process_time() - used
    theirs = Took(wall * 50 / len(some), cpu * 50 / len(some))
    line(f"k = 1..50 of {n:,} x 20 (GridSearchCV reckoned from 3 k)", mine, theirs, 100.0)
    curve = acumen.KNN(max_neighbors=50).fit(X, y).curve_
    print(f"    least error {curve.min():.4f}; GridSearchCV's best of the three {1 - grid.best_score_:.4f}")


def gower(repeats: int, quick: bool) -> None:
    """The five nearest of mixed rows beside a matrix of all distances."""
    import gower as peer
    import pandas as pd

    rng = np.random.default_rng(0)
    n = 4_000 if quick else 20_000
    frame = pd.DataFrame({f"x{j}": rng.normal(size=n) for j in range(10)})
    for j in range(10):
        frame[f"c{j}"] = pd.Categorical(rng.choice(list("abcdef"), n))
    frame["y"] = pd.Categorical(rng.choice(["u", "v"], n))
    table = acumen.read(frame, target="y")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (mine,) = interleaved(repeats, lambda: acumen.KNN(5, distance="gower").fit(table).predict(table))
    grew = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    few = min(
        n, 2_000
    )  # a matrix of 20k x 20k takes 3 GB and minutes: lines of it are measured, and all reckoned
    plain = frame.drop(columns="y").astype({f"c{j}": object for j in range(10)})
    start, used = time.perf_counter(), time.process_time()
    apart = peer.gower_matrix(plain.iloc[:few], plain)
    wall, cpu = time.perf_counter() - start, time.process_time() - used
    theirs = Took(wall * n / few, cpu * n / few)
    line(f"Gower, {n:,} x 20 mixed rows (matrix reckoned from {few:,} lines)", mine, theirs, 20.0)
    own = acumen.distances.Gower().fit(table).between(table.head(200), table)
    apart_most = np.abs(own - apart[:200]).max()
    print(f"    grew by {grew:.0f} MB; distances differ by at most {apart_most:.1e} (gower is float32)")


def stream(repeats: int, quick: bool) -> None:
    """A million rows of three columns answered part by part."""
    rng = np.random.default_rng(0)
    n = 100_000 if quick else 1_000_000
    X = rng.normal(size=(n // 10, 3))
    model = acumen.KNN(5).fit(X, X[:, 0] > 0)
    Q = rng.normal(size=(n, 3))
    model.predict(Q[:1000])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    right = 0
    for start_row in range(0, n, 65_536):
        part = Q[start_row : start_row + 65_536]
        right += int((model.predict(part) == (part[:, 0] > 0)).sum())
    took = time.perf_counter() - start
    grew = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    said = f"{took:.2f} s, {100 * right / n:.2f} % right, memory grew by {grew:.0f} MB"
    print(f"{n:,} x 3 queries of {n // 10:,} rows: {said}")


SECTIONS = {"search": search, "loo": loo, "gower": gower, "stream": stream}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(SECTIONS))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="fewer rows")
    given = parser.parse_args()
    for name in given.only.split(","):
        SECTIONS[name.strip()](given.repeats, given.quick)


if __name__ == "__main__":
    main()
