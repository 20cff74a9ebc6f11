"""Measure one workload per family next to a peer, and keep the history of the ratios.

    benchmarks/run                    every family whose peer is installed; about two minutes
    benchmarks/run bayes trees        only these
    benchmarks/run --draw             redraw benchmarks/history.svg from benchmarks/history.csv

Each measurement checks first that both answers are equally good, then takes turns and keeps the best time of each
side. A ratio is the peer's wall time divided by acumen's, so 2 means twice as fast. Rows are appended to `history.csv`.
A ratio more than 15 % below the last one with the same peer is reported, and the exit code is then 1.
"""

from __future__ import annotations

import csv
import datetime
import math
import os
import platform
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from clock import interleaved

FOLDER = Path(__file__).resolve().parent
HISTORY, PICTURE = FOLDER / "history.csv", FOLDER / "history.svg"
COLUMNS = (
    "date", "commit", "family", "workload", "acumen_s", "peer", "peer_version", "peer_s", "ratio", "load", "machine",
)  # fmt: skip
#: A ratio this much below the last one is reported.
DROP = 0.15
#: Repeats of each pair of runs.
REPEATS = 3

Work = Callable[[], Any]


@dataclass(frozen=True)
class Case:
    """One family's workload: what is measured, against which distribution, and how the two runs are set up.

    `prepare` returns acumen's work, the peer's work, and a function that raises if their answers are not equally good.
    """

    family: str
    workload: str
    peer: str
    prepare: Callable[[], tuple[Work, Work, Callable[[], None]]]


def clouds(rows: int, columns: int, classes: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping Gaussian classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=rows)
    centres = rng.normal(size=(classes, columns)) * 0.4
    return rng.normal(size=(rows, columns)) + centres[y], y


def require_accuracy(ours: Any, theirs: Any, X: np.ndarray, y: np.ndarray, within: float) -> None:
    """Raise if acumen's accuracy is more than `within` below the peer's."""
    gap = float(np.mean(theirs.predict(X) == y) - np.mean(np.asarray(ours.predict(X)) == y))
    if gap > within:
        raise AssertionError(f"accuracy is {gap:.4f} below the peer's")


def learners(
    ours: Callable[[], Any],
    theirs: Callable[[], Any],
    X: np.ndarray,
    y: np.ndarray,
    held_out: tuple[np.ndarray, np.ndarray],
    within: float = 0.005,
) -> tuple[Work, Work, Callable[[], None]]:
    """Fit two learners on the same rows; compare their accuracy on held-out rows."""

    def check() -> None:
        require_accuracy(ours().fit(X, y), theirs().fit(X, y), *held_out, within)

    return lambda: ours().fit(X, y), lambda: theirs().fit(X, y), check


def halves(
    rows: int, columns: int, classes: int = 2
) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Training rows, their classes, and held-out rows with theirs."""
    X, y = clouds(2 * rows, columns, classes)
    return X[:rows], y[:rows], (X[rows:], y[rows:])


def reading() -> tuple[Work, Work, Callable[[], None]]:
    import tempfile

    import pandas as pd

    import acumen

    rng = np.random.default_rng(0)
    n = 300_000
    frame = pd.DataFrame({f"x{i}": rng.normal(size=n).round(4) for i in range(7)})
    for i in range(4):
        frame[f"c{i}"] = rng.choice(["red", "green", "blue", "white"], n)
    path = Path(tempfile.mkdtemp()) / "mixed.csv"
    frame.to_csv(path, index=False)

    def check() -> None:
        numbers = acumen.read(path).to_pandas()["x3"].to_numpy()
        np.testing.assert_array_equal(numbers, pd.read_csv(path)["x3"].to_numpy())

    return lambda: acumen.read(path), lambda: pd.read_csv(path), check


def bayes() -> tuple[Work, Work, Callable[[], None]]:
    from sklearn.naive_bayes import GaussianNB

    import acumen

    return learners(acumen.NaiveBayes, GaussianNB, *halves(500_000, 20))


def cross_validation() -> tuple[Work, Work, Callable[[], None]]:
    from sklearn.model_selection import cross_val_score
    from sklearn.naive_bayes import GaussianNB

    import acumen

    X, y = clouds(100_000, 20)
    table = acumen.read((X, y))
    folds = acumen.KFold(10)

    def ours() -> float:
        return float(acumen.assess(acumen.NaiveBayes(), table, folds, random_state=0).mean)

    def theirs() -> float:
        return 1 - float(cross_val_score(GaussianNB(), X, y, cv=10).mean())

    def check() -> None:
        if abs(ours() - theirs()) > 0.002:
            raise AssertionError("the cross-validated errors differ")

    return ours, theirs, check


def trees() -> tuple[Work, Work, Callable[[], None]]:
    from sklearn.tree import DecisionTreeClassifier

    import acumen

    return learners(
        lambda: acumen.DecisionTree(prune="none"), DecisionTreeClassifier, *halves(50_000, 20), within=0.01
    )


def forests() -> tuple[Work, Work, Callable[[], None]]:
    from sklearn.ensemble import RandomForestClassifier

    import acumen

    return learners(
        lambda: acumen.RandomForest(50, random_state=0),
        lambda: RandomForestClassifier(50, n_jobs=-1, random_state=0),
        *halves(50_000, 20),
        within=0.01,
    )


def boosting() -> tuple[Work, Work, Callable[[], None]]:
    from sklearn.ensemble import HistGradientBoostingClassifier

    import acumen

    return learners(
        lambda: acumen.Boosting(n_estimators=100, random_state=0),
        lambda: HistGradientBoostingClassifier(max_iter=100, early_stopping=False, random_state=0),
        *halves(100_000, 20),
        within=0.01,
    )


def linear() -> tuple[Work, Work, Callable[[], None]]:
    from sklearn.linear_model import LogisticRegression

    import acumen

    return learners(acumen.Logistic, LogisticRegression, *halves(200_000, 50))


def svm() -> tuple[Work, Work, Callable[[], None]]:
    from sklearn.svm import SVC

    import acumen

    return learners(lambda: acumen.SVM(C=1.0), lambda: SVC(C=1.0), *halves(5_000, 20), within=0.01)


def neighbours() -> tuple[Work, Work, Callable[[], None]]:
    from sklearn.neighbors import KNeighborsClassifier

    import acumen

    X, y, (new, truth) = halves(20_000, 10)
    ours, theirs = acumen.KNN(5).fit(X, y), KNeighborsClassifier(5, n_jobs=-1).fit(X, y)

    def check() -> None:
        require_accuracy(ours, theirs, new, truth, 0.01)

    return lambda: ours.predict(new), lambda: theirs.predict(new), check


def associations() -> tuple[Work, Work, Callable[[], None]]:
    import pandas as pd
    from mlxtend.frequent_patterns import fpgrowth

    import acumen

    rng = np.random.default_rng(0)
    matrix = rng.random((20_000, 40)) < np.linspace(0.05, 0.6, 40)
    frame = pd.DataFrame(matrix, columns=[f"i{j:02}" for j in range(40)])
    baskets = [[frame.columns[j] for j in np.flatnonzero(row)] for row in matrix]

    def check() -> None:
        ours, theirs = len(acumen.frequent_itemsets(baskets, min_support=0.1)), len(fpgrowth(frame, 0.1))
        if ours != theirs:
            raise AssertionError(f"{ours} itemsets, {theirs} by the peer")

    return lambda: acumen.frequent_itemsets(baskets, min_support=0.1), lambda: fpgrowth(frame, 0.1), check


def clusters() -> tuple[Work, Work, Callable[[], None]]:
    from sklearn.cluster import KMeans

    import acumen

    X, _ = clouds(200_000, 20, 20)

    def check() -> None:
        ours = acumen.KMeans(20, scale=False, random_state=0).fit(X).objective_
        theirs = KMeans(20, n_init=10, random_state=0).fit(X).inertia_
        if ours > 1.02 * theirs:
            raise AssertionError(f"the sum of squares is {ours:g}, the peer's {theirs:g}")

    return (
        lambda: acumen.KMeans(20, scale=False, random_state=0).fit(X),
        lambda: KMeans(20, n_init=10, random_state=0).fit(X),
        check,
    )


def networks() -> tuple[Work, Work, Callable[[], None]]:
    from sklearn.neural_network import MLPClassifier

    import acumen

    X, y, held_out = halves(20_000, 20)
    return learners(
        lambda: acumen.NeuralNetwork(hidden_layer_sizes=(64, 64), max_iter=5, random_state=0),
        lambda: MLPClassifier((64, 64), max_iter=5, random_state=0),
        X, y, held_out, within=0.01,
    )  # fmt: skip


CASES = (
    Case("reading", "CSV of 300,000 x 11, mixed", "pandas", reading),
    Case("bayes", "Gaussian naive Bayes, 500,000 x 20: fit", "scikit-learn", bayes),
    Case("cross-validation", "10-fold naive Bayes, 100,000 x 20", "scikit-learn", cross_validation),
    Case("trees", "one full tree, 50,000 x 20", "scikit-learn", trees),
    Case("forests", "50 trees, 50,000 x 20", "scikit-learn", forests),
    Case("boosting", "100 rounds, 100,000 x 20", "scikit-learn", boosting),
    Case("linear", "logistic regression, 200,000 x 50", "scikit-learn", linear),
    Case("svm", "RBF kernel, 5,000 x 20: fit", "scikit-learn", svm),
    Case("neighbours", "20,000 queries among 20,000 x 10", "scikit-learn", neighbours),
    Case("associations", "itemsets of 20,000 baskets at 10 %", "mlxtend", associations),
    Case("clusters", "k-means, 200,000 x 20, 20 clusters, as called", "scikit-learn", clusters),
    Case("networks", "two layers of 64 units, 20,000 x 20, 5 epochs", "scikit-learn", networks),
)


def measure(case: Case) -> dict[str, str]:
    """One row of the history."""
    ours, theirs, check = case.prepare()
    check()
    mine, other = interleaved(REPEATS, ours, theirs)
    return {
        "date": datetime.date.today().isoformat(),
        "commit": commit(),
        "family": case.family,
        "workload": case.workload,
        "acumen_s": f"{float(mine):.4g}",
        "peer": case.peer,
        "peer_version": version(case.peer),
        "peer_s": f"{float(other):.4g}",
        "ratio": f"{float(other) / float(mine):.3g}",
        "load": f"{os.getloadavg()[0]:.1f}",
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
    }


def commit() -> str:
    """The commit that was measured."""
    command = ["git", "-C", str(FOLDER), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def read_history(path: Path = HISTORY) -> list[dict[str, str]]:
    """All rows so far, oldest first."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def append(rows: Iterable[dict[str, str]], path: Path = HISTORY) -> None:
    """Add rows to the history."""
    fresh = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if fresh:
            writer.writeheader()
        writer.writerows(rows)


def fallen(history: Sequence[dict[str, str]], rows: Sequence[dict[str, str]]) -> list[str]:
    """A sentence for each ratio more than 15 % below the last one of the same workload and peer."""
    sentences = []
    for row in rows:
        key = ("family", "workload", "peer")
        earlier = [r for r in history if all(r[name] == row[name] for name in key)]
        if earlier and float(row["ratio"]) < (1 - DROP) * float(earlier[-1]["ratio"]):
            sentences.append(
                f"{row['family']}: {row['ratio']}x, down from {earlier[-1]['ratio']}x on {earlier[-1]['date']} "
                f"({earlier[-1]['commit']}, load {earlier[-1]['load']}; now load {row['load']})"
            )
    return sentences


def draw(history: Sequence[dict[str, str]]) -> str:
    """The ratios of each family over its runs as one SVG: a small chart per family on a log scale, 1 marked."""
    families = list(dict.fromkeys(row["family"] for row in history))
    width, height, across = 240, 120, 3
    parts = []
    for i, family in enumerate(families):
        rows = [row for row in history if row["family"] == family]
        values = [float(row["ratio"]) for row in rows]
        low, high = min(*values, 1.0) / 1.5, max(*values, 1.0) * 1.5
        left, top = (i % across) * width + 12, (i // across) * height + 12

        def y(value: float, low: float = low, high: float = high, top: float = top) -> float:
            return top + 34 + 50 * (1 - math.log(value / low) / math.log(high / low))

        step = 200 / max(len(values) - 1, 1)
        points = [(left + 4 + (step * j if len(values) > 1 else 100), y(v)) for j, v in enumerate(values)]
        line = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
        parts.append(
            f'<text x="{left}" y="{top + 10}" class="name">{family}</text>'
            f'<text x="{left}" y="{top + 24}">{values[-1]:.3g} times {rows[-1]["peer"]}, {rows[-1]["date"]}</text>'
            f'<line x1="{left}" x2="{left + 208}" y1="{y(1):.1f}" y2="{y(1):.1f}" class="one"/>'
            f'<polyline points="{line}"/>'
            + "".join(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="2.5"/>' for px, py in points)
        )
    total = ((len(families) + across - 1) // across) * height + 16
    style = (
        "text{font:11px system-ui,sans-serif;fill:#444}.name{font-weight:600;font-size:13px;fill:#111}"
        "polyline{fill:none;stroke:#0b6e99;stroke-width:1.5}circle{fill:#0b6e99}.one{stroke:#bbb;stroke-dasharray:3 3}"
        "@media(prefers-color-scheme:dark){text{fill:#bbb}.name{fill:#eee}.one{stroke:#666}"
        "polyline{stroke:#6cc4e8}circle{fill:#6cc4e8}}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across * width + 12} {total}" role="img" '
        f'aria-label="How many times faster acumen is than its peer, by family and run; the dashed line is 1">'
        f"<style>{style}</style>{''.join(parts)}</svg>\n"
    )


def main(arguments: Sequence[str]) -> int:
    """Run as a command."""
    if "--draw" in arguments:
        PICTURE.write_text(draw(read_history()), encoding="utf-8")
        return 0
    names = [name for name in arguments if not name.startswith("-")]
    if unknown := set(names) - {case.family for case in CASES}:
        print(
            f"There is no family {min(unknown)!r}; choose from {', '.join(c.family for c in CASES)}.",
            file=sys.stderr,
        )
        return 2
    warnings.simplefilter("ignore")
    rows, wrong = [], []
    for case in CASES:
        if names and case.family not in names:
            continue
        try:
            version(case.peer)
        except PackageNotFoundError:
            print(f"{case.family:<18} skipped: {case.peer} is not installed", flush=True)
            continue
        try:
            row = measure(case)
        except AssertionError as difference:
            wrong.append(f"{case.family}: {difference}")
            continue
        rows.append(row)
        print(
            f"{case.family:<18} {row['ratio']:>6}x {row['peer']} {row['peer_version']}  {case.workload}",
            flush=True,
        )
    history = read_history()
    sentences = fallen(history, rows)
    append(rows)
    PICTURE.write_text(draw(read_history()), encoding="utf-8")
    if sentences:
        print(f"\nFell by more than {DROP:.0%}:", *sentences, sep="\n  ")
    if wrong:
        print("\nNot measured, because the answers differ:", *wrong, sep="\n  ")
    return 1 if sentences or wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
