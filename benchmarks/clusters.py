"""Clusterers beside scikit-learn, kmedoids (Rust) and fastcluster; their answers first, then time and memory.

    python benchmarks/clusters.py [means] [medoids] [medoids-large] [dense] [linkage] [--repeats 1] [--quick]

`means`: 500,000 x 20, k = 20, from the same centres until none moves. `medoids`: FasterPAM of 10,000 x 10 at k = 10 and
100, one start each; kmedoids' time without and with the matrix it needs. `medoids-large`: 100,000 x 10 within 1 GB, in
a process of its own. `dense`: DBSCAN of 100,000 x 3 at several reaches, and the most memory of each beside the data's.
`linkage`: 10,000 rows under all four linkages. Peers that are not installed are told.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from clock import Took, interleaved, line

import acumen


def blobs(n: int, d: int, k: int, spread: float = 1.0, seed: int = 0) -> Any:
    """Round groups of rows."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(k, d)) * 4
    return centres[rng.integers(0, k, n)] + spread * rng.normal(size=(n, d))


def means(repeats: int, quick: bool) -> None:
    """k-means from the same centres, to the end."""
    from sklearn.cluster import KMeans

    n, d, k = (50_000, 20, 20) if quick else (500_000, 20, 20)
    for name, X in (
        ("blobs", blobs(n, d, k, 3.0)),
        ("no groups", np.random.default_rng(1).normal(size=(n, d))),
    ):
        start = X[np.random.default_rng(2).choice(n, k, replace=False)]
        passes = 100
        made: dict[str, Any] = {}

        def ours(X: Any = X, start: Any = start, made: Any = made, passes: int = passes) -> None:
            made["acumen"] = acumen.KMeans(k, init=start, scale=False, max_iter=passes).fit(X)

        def theirs(X: Any = X, start: Any = start, made: Any = made, passes: int = passes) -> None:
            made["sk"] = KMeans(k, init=start, n_init=1, max_iter=passes, tol=0.0).fit(X)

        mine, other = interleaved(repeats, ours, theirs)
        a, b = made["acumen"], made["sk"]
        print(
            f"    sums of squares {a.objective_:.6f} and {b.inertia_:.6f}, passes {a.n_iter_} and {b.n_iter_}"
        )
        line(f"k-means {n:,} x {d}, k = {k}, {name}: scikit-learn", mine, other, 1.0)

    X = blobs(n, d, k, 3.0)

    def whole() -> None:
        made["acumen"] = acumen.KMeans(k, scale=False, n_init=10, random_state=0).fit(X)

    def sk() -> None:
        made["sk"] = KMeans(k, n_init=1, random_state=0).fit(X)

    mine, other = interleaved(repeats, whole, sk)
    print(f"    sums of squares {made['acumen'].objective_:.1f} and {made['sk'].inertia_:.1f}")
    line(f"k-means as users call it (ours 10 starts, theirs n_init=1): {n:,} x {d}", mine, other)


def medoids(repeats: int, quick: bool) -> None:
    """FasterPAM from one start."""
    from sklearn.metrics import pairwise_distances

    n, d = (2_000, 10) if quick else (10_000, 10)
    X = blobs(n, d, 25, 2.0)
    try:
        import kmedoids
    except ImportError:
        print("kmedoids is not installed")
        return
    matrix = pairwise_distances(X)
    for k in (10, 100):
        made: dict[str, Any] = {}

        def ours(k: int = k, made: Any = made) -> None:
            made["acumen"] = acumen.KMedoids(k, scale=False, n_init=1, random_state=0).fit(X)

        def search(k: int = k, made: Any = made) -> None:
            made["rust"] = kmedoids.fasterpam(matrix, k, random_state=0, n_cpu=1)

        def with_matrix(k: int = k) -> None:
            kmedoids.fasterpam(pairwise_distances(X), k, random_state=0, n_cpu=1)

        mine, bare, full = interleaved(repeats, ours, search, with_matrix)
        print(f"    sums of distances {made['acumen'].objective_:.2f} and {float(made['rust'].loss):.2f}")
        line(f"FasterPAM {n:,} x {d}, k = {k}: kmedoids, matrix given", mine, bare)
        line(f"FasterPAM {n:,} x {d}, k = {k}: kmedoids and its matrix", mine, full, 1.0)


_LARGE = """
import sys, time
import numpy as np
import acumen
n = int(sys.argv[1])
rng = np.random.default_rng(0)
X = (rng.normal(size=(10, 10)) * 4)[rng.integers(0, 10, n)] + 2 * rng.normal(size=(n, 10))
start, used = time.perf_counter(), time.process_time()
model = acumen.KMedoids(10, scale=False, n_init=1, random_state=0).fit(X)
# Not ru_maxrss, which a new process has from the one that started it.
most = next(int(l.split()[1]) for l in open("/proc/self/status") if l.startswith("VmHWM")) / 1024
print(f"{time.perf_counter() - start:.1f} s, processor {time.process_time() - used:.1f} s, "
      f"sum {model.objective_:.1f}, most memory {most:.0f} MB")
"""


def medoids_large(repeats: int, quick: bool) -> None:
    """100,000 x 10 in a process of its own: a matrix of all pairs would take 80 GB."""
    n = 20_000 if quick else 100_000
    said = subprocess.run([sys.executable, "-c", _LARGE, str(n)], capture_output=True, text=True, check=True)
    print(f"FasterPAM {n:,} x 10, k = 10 (wanted: within 1,024 MB): {said.stdout.strip()}", flush=True)


_MEMORY = """
import resource, sys
import numpy as np
import acumen
n, eps = int(sys.argv[1]), float(sys.argv[2])
rng = np.random.default_rng(0)
X = (rng.normal(size=(20, 3)) * 4)[rng.integers(0, 20, n)] + rng.normal(size=(n, 3))
acumen.DBSCAN(eps=0.5, scale=False).fit(X[:2000])
table = acumen.read(X)
with open("/proc/self/clear_refs", "w") as peak:
    peak.write("5")
def field(name):
    return next(int(l.split()[1]) for l in open("/proc/self/status") if l.startswith(name)) * 1024
before = field("VmRSS")
model = acumen.DBSCAN(eps=eps, scale=False).fit(table)
print(f"{(field('VmHWM') - before) / X.nbytes:.2f} {model.n_clusters_}")
"""


def dense(repeats: int, quick: bool) -> None:
    """DBSCAN at reaches from few neighbours to all."""
    from sklearn.cluster import DBSCAN

    n = 20_000 if quick else 100_000
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(20, 3)) * 4)[rng.integers(0, 20, n)] + rng.normal(size=(n, 3))
    for eps in (0.1, 0.2, 0.4):
        made: dict[str, Any] = {}

        def ours(eps: float = eps, made: Any = made) -> None:
            made["acumen"] = acumen.DBSCAN(eps=eps, scale=False).fit(X)

        def theirs(eps: float = eps, made: Any = made) -> None:
            made["sk"] = DBSCAN(eps=eps, min_samples=5, n_jobs=-1).fit(X)

        mine, other = interleaved(repeats, ours, theirs)
        same = np.array_equal(made["acumen"].cores_, made["sk"].core_sample_indices_)
        noise = int((made["acumen"].labels_ < 0).sum()), int((made["sk"].labels_ < 0).sum())
        print(f"    the same cores: {same}; noise {noise[0]:,} and {noise[1]:,}")
        line(f"DBSCAN {n:,} x 3, eps = {eps}: scikit-learn", mine, other, 5.0)
    for eps in (0.1, 1.0, 5.0, 100.0):
        args = [sys.executable, "-c", _MEMORY, str(n), str(eps)]
        start = time.perf_counter()
        said = subprocess.run(args, capture_output=True, text=True, check=True).stdout.split()
        took = time.perf_counter() - start
        verdict = "ok" if float(said[0]) <= 3 else "ABOVE"
        print(
            f"    eps = {eps}: {said[1]} groups, memory {said[0]} x the data (wanted 3) {verdict}, {took:.1f} s",
            flush=True,
        )


def linkage(repeats: int, quick: bool) -> None:
    """Whole hierarchies."""
    try:
        import fastcluster
    except ImportError:
        print("fastcluster is not installed")
        return
    n, d = (2_000, 10) if quick else (10_000, 10)
    X = blobs(n, d, 25, 2.0)
    for kind in ("average", "single", "complete", "ward"):
        made: dict[str, Any] = {}

        def ours(kind: Any = kind, made: Any = made) -> None:
            made["acumen"] = acumen.Agglomerative(10, linkage=kind, scale=False).fit(X).merges_

        def theirs(kind: str = kind, made: Any = made) -> None:
            # Of rows, as ours: the vector form where fastcluster has one, which needs no matrix.
            if kind in ("single", "ward"):
                made["fast"] = fastcluster.linkage_vector(X, kind)
            else:
                made["fast"] = fastcluster.linkage(X, kind)

        def by_matrix(kind: str = kind) -> None:
            fastcluster.linkage(X, kind)

        works: list[Callable[[], None]] = [ours, theirs]
        if kind in ("single", "ward"):
            works.append(by_matrix)
        mine, *others = interleaved(repeats, *works)
        heights = np.sort(made["acumen"][:, 2]), np.sort(made["fast"][:, 2])
        print(f"    largest relative difference of heights {np.max(np.abs(heights[0] / heights[1] - 1)):.1e}")
        fastest = min(others, key=lambda took: took.cpu)
        line(f"{kind} linkage of {n:,} x {d}: fastcluster", mine, fastest, 1.0)


PARTS: dict[str, Callable[[int, bool], None]] = {
    "means": means, "medoids": medoids, "medoids-large": medoids_large, "dense": dense, "linkage": linkage,
}  # fmt: skip


def main() -> None:
    """The parts that are named; all unless any is."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[])
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="fewer rows")
    asked = parser.parse_args()
    for name in asked.parts or PARTS:
        print(f"-- {name}", flush=True)
        PARTS[name](asked.repeats, asked.quick)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"most memory of this process {most:,.0f} MB; {Took.__name__} are wall time, processor time in brackets"
    )


if __name__ == "__main__":
    main()
