"""Bayes learners beside scikit-learn's, in one run, both with both cores.

    python benchmarks/bayes.py            all cases
    python benchmarks/bayes.py gaussian   those whose name begins so

Each case checks that the answers are equally good before it prints a ratio (peer's time over acumen's).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from clock import best
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import CategoricalNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KernelDensity

import acumen


def line(name: str, ours: float, theirs: float, wanted: float) -> None:
    verdict = "ok" if theirs / ours >= wanted else "BELOW"
    print(
        f"{name:<58} {ours * 1e3:9.1f} ms {theirs * 1e3:9.1f} ms  x{theirs / ours:6.1f}  (wanted {wanted:g}) {verdict}"
    )


def gaussian(rng: np.random.Generator) -> None:
    for classes in (2, 10):
        y = rng.integers(0, classes, 1_000_000)
        beside_gaussian_nb(rng.normal(size=(1_000_000, 50)) + y[:, None] * 0.05, y, classes)
        memory(f"gaussian naive Bayes, 1M x 50, {classes} classes", classes)


def beside_gaussian_nb(X: Any, y: Any, classes: int) -> None:
    ours, theirs = acumen.NaiveBayes(), GaussianNB()
    fit = best(lambda: ours.fit(X, y)), best(lambda: theirs.fit(X, y), 3)
    predict = best(lambda: ours.predict(X)), best(lambda: theirs.predict(X), 3)
    agree = np.mean(ours.predict(X) == theirs.predict(X))
    assert agree > 0.9999, agree
    line(f"gaussian naive Bayes, 1M x 50, {classes} classes: fit", *fit, 5)
    line(f"gaussian naive Bayes, 1M x 50, {classes} classes: predict", *predict, 5)


def memory(name: str, classes: int) -> None:
    """Peak memory of fit and predict beyond the data, in a process of its own."""
    code = f"""
import numpy as np, acumen
def peak():
    return next(int(l.split()[1]) for l in open("/proc/self/status") if l.startswith("VmHWM"))
rng = np.random.default_rng(0)
y = rng.integers(0, {classes}, 1_000_000)
X = rng.normal(size=(1_000_000, 50))
acumen.NaiveBayes().fit(X[:1000], y[:1000]).predict(X[:1000])
open("/proc/self/clear_refs", "w").write("5")  # the peak is counted from here
before = peak()
m = acumen.NaiveBayes().fit(X, y)
fitted = peak()
m.predict(X)
print(fitted - before, peak() - before, X.nbytes // 1024)
"""
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    fitted, predicted, data = (int(v) for v in out)
    print(
        f"{name}: extra memory, fit {fitted / data:.1%} of the data, fit and predict {predicted / data:.1%}"
    )


def nominal(rng: np.random.Generator) -> None:
    n, d, levels = 1_000_000, 20, 8
    y = rng.integers(0, 2, n).astype(np.int32)
    codes = ((rng.integers(0, levels, (n, d)) + y[:, None]) % levels).astype(np.int32)
    words = tuple("abcdefgh")
    schema = acumen.Schema(
        tuple(acumen.Attribute(f"x{j}", "nominal", words) for j in range(d)),
        acumen.Attribute("y", "nominal", ("no", "yes")),
    )
    columns = [np.ascontiguousarray(codes[:, j]) for j in range(d)]
    table = acumen.Table(schema, n, nominal=columns, labels=y)
    ours, theirs = acumen.NaiveBayes(), CategoricalNB()
    fit = best(lambda: ours.fit(table)), best(lambda: theirs.fit(codes, y), 2)
    predict = best(lambda: ours.predict(table)), best(lambda: theirs.predict(codes), 2)
    assert np.mean((ours.predict(table) == "yes") == theirs.predict(codes)) > 0.9999
    line("nominal naive Bayes, 1M x 20 codes: fit", *fit, 10)
    line("nominal naive Bayes, 1M x 20 codes: predict", *predict, 10)


def covariance(rng: np.random.Generator) -> None:
    y = rng.integers(0, 2, 200_000)
    mix = rng.normal(size=(100, 100)) / 10 + np.eye(100)
    X = rng.normal(size=(200_000, 100)) @ mix + 0.05 * y[:, None]
    ours = acumen.FullBayes(covariance="shared")
    for solver, wanted in (("svd", 5), ("lsqr", 2)):
        theirs = LinearDiscriminantAnalysis(solver=solver)
        fit = best(lambda: ours.fit(X, y)), best(lambda t=theirs: t.fit(X, y), 2)
        line(f"shared covariance, 200k x 100: fit, beside {solver}", *fit, wanted)
    predict = best(lambda: ours.predict(X)), best(lambda: theirs.predict(X), 3)
    assert np.mean(ours.predict(X) == theirs.predict(X)) > 0.9999
    line("shared covariance, 200k x 100: predict", *predict, 1)
    full, qda = acumen.FullBayes(), QuadraticDiscriminantAnalysis()
    fit = best(lambda: full.fit(X, y)), best(lambda: qda.fit(X, y), 2)
    predict = best(lambda: full.predict(X)), best(lambda: qda.predict(X), 2)
    assert np.mean(full.predict(X) == qda.predict(X)) > 0.999
    line("full covariance, 200k x 100: fit", *fit, 2)
    line("full covariance, 200k x 100: predict", *predict, 5)


def text(rng: np.random.Generator) -> None:
    n, d = 50_000, 20_000
    y = rng.integers(0, 4, n)
    indptr = np.arange(0, n * 100 + 1, 100)
    indices = np.minimum(rng.zipf(1.3, n * 100) - 1 + 3 * np.repeat(y, 100), d - 1).astype(np.int32)
    X = sp.csr_matrix((np.ones(n * 100), indices, indptr), shape=(n, d))
    X.sum_duplicates()
    ours, theirs = acumen.TextBayes(), MultinomialNB()
    fit = best(lambda: ours.fit(X, y)), best(lambda: theirs.fit(X, y))
    predict = best(lambda: ours.predict(X)), best(lambda: theirs.predict(X))
    assert np.mean(ours.predict(X) == theirs.predict(X)) > 0.9999
    line("text, 50k documents x 20k words: fit", *fit, 1)
    line("text, 50k documents x 20k words: predict", *predict, 1)


def disk(rng: np.random.Generator) -> None:
    """Fit from a CSV of 2 GB through `scan`, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.csv"
        block = rng.normal(size=(50_000, 20))
        labels = rng.choice(["yes", "no"], 50_000)
        lines = "".join(
            ",".join(map(repr, row)) + f",{label}\n"
            for row, label in zip(block.tolist(), labels, strict=True)
        )
        with path.open("w") as out:
            out.write(",".join([*(f"x{j}" for j in range(20)), "y"]) + "\n")
            while out.tell() < 2_000_000_000:
                out.write(lines)
        code = f"""
import time, acumen
start = time.perf_counter()
model = acumen.NaiveBayes().fit_stream(acumen.scan({str(path)!r}, target="y"))
peak = next(int(l.split()[1]) for l in open("/proc/self/status") if l.startswith("VmHWM"))
print(model.training_["rows"], time.perf_counter() - start, peak)
"""
        out = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.split()
        peak = int(out[2]) / 1024
        verdict = "ok" if peak < 500 else "ABOVE"
        size = path.stat().st_size / 1e9
        took = f"{out[0]} rows of a {size:.2f} GB CSV in {float(out[1]):.1f} s"
        print(f"disk: {took}, peak {peak:.0f} MB (wanted below 500) {verdict}")


def windows(rng: np.random.Generator) -> None:
    y = rng.integers(0, 2, 10_000)
    X, asked = rng.normal(size=(10_000, 10)) + y[:, None], rng.normal(size=(2_000, 10))
    ours = acumen.Parzen(bandwidth=0.5, scale=False).fit(X, y)
    peers = [KernelDensity(bandwidth=0.5).fit(X[y == c]) for c in range(2)]

    def theirs() -> Any:
        return np.argmax(
            [p.score_samples(asked) + np.log(np.mean(y == c)) for c, p in enumerate(peers)], axis=0
        )

    assert np.mean(ours.predict(asked) == theirs()) > 0.999
    times = best(lambda: ours.predict(asked)), best(theirs, 1)
    line("windows, 2k rows on 10k training rows x 10: predict", *times, 5)


CASES = (gaussian, nominal, covariance, text, windows, disk)


def main() -> None:
    wanted = sys.argv[1:]
    print(f"acumen {acumen.__version__}; {versions()}")
    for case in CASES:
        if not wanted or any(case.__name__.startswith(w) for w in wanted):
            case(np.random.default_rng(0))


def versions() -> str:
    import scipy
    import sklearn

    return f"scikit-learn {sklearn.__version__}, numpy {np.__version__}, scipy {scipy.__version__}"


if __name__ == "__main__":
    main()
