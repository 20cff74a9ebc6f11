"""Neural networks beside scikit-learn's MLPClassifier: time at equal epochs and batch, and log loss on shared files.

    python benchmarks/networks_neural.py              both parts
    python benchmarks/networks_neural.py time [ROWS]  50,000 x 20, 3 x 256 units, batches of 256, a few epochs
    python benchmarks/networks_neural.py loss [FILE ...]  mean log loss in three folds, three starts each (one on files
                                                      of more than a thousand rows), defaults of both

What bounds the time: 137,000 weights are 0.82 million operations a row and epoch, in products of 256 x 256; single
precision is half of what doubles take. Both learn all rows (no rows held out) from a matrix of doubles, and end at a
training loss that is printed. Times under load say little: the processor's are printed beside them. MLPClassifier is
given what a careful person would: numbers scaled, levels one-hot, gaps filled.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from clock import interleaved, line
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import make_classification
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits

import acumen

EPOCHS = 3
#: One start decides more of a loss on a small file than the learner does.
SEEDS, SMALL = 3, 1_000
#: Rows of a file at most: of larger ones a sample is taken.
MOST_ROWS = 5_000
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
#: All shared files of classes, small ones first, but those of which a class has fewer rows than there are folds.
FILES = (
    "weather.nominal", "weather.numeric", "contact-lenses", "labor", "spect_train", "zoo", "monks-1-train", "iris",
    "hepatitis", "sonar", "glass", "vote", "breast-w", "diabetes", "titanic", "soybean", "anneal", "credit-g", "car",
    "segment", "kr-vs-kp", "splice", "hypothyroid", "bank", "mushroom", "letter",
)  # fmt: skip


def timed(rows: int) -> None:
    """The same layers, epochs and batch; relu, which both have, and then our default."""
    X, y = make_classification(rows, 20, n_informative=10, n_classes=3, random_state=0)
    mine = {
        word: acumen.NeuralNetwork(
            activation=word,
            max_iter=EPOCHS,
            batch_size=256,
            early_stopping=False,
            learned_scale=word == "selu",
            random_state=0,
        )
        for word in ("relu", "selu")
    }
    theirs = MLPClassifier(
        (256, 256, 256), batch_size=256, max_iter=EPOCHS, n_iter_no_change=EPOCHS + 1, tol=0.0, random_state=0
    )
    # One thread each: BLAS's further threads wait by spinning, which the processor's time would count.
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        took = interleaved(1, *(lambda m=m: m.fit(X, y) for m in (*mine.values(), theirs)))
    said = {word: float(m.losses_["training"][-1]) for word, m in mine.items()}
    print(f"training loss of the last epoch: {said}, MLPClassifier {theirs.loss_:.4f}")
    for place, word in enumerate(mine):
        line(f"{rows:,} x 20, {EPOCHS} epochs, 3 x 256 {word}", took[place], took[-1], 1.0)


def log_loss(model: Any, X: Any, y: Any) -> float:
    p = model.predict_proba(X)
    at = {label: i for i, label in enumerate(model.classes_)}
    own = [p[i, at[label]] if label in at else 0.0 for i, label in enumerate(y)]
    return float(-np.log(np.clip(own, 1e-7, 1)).mean())


def judged(name: str, **changes: Any) -> tuple[float, float]:
    """Mean log loss in three stratified folds: ours, MLPClassifier's behind scaling and one-hot columns."""
    table = acumen.read(SHARED / f"{name}.arff")
    frame, y = table.to_pandas(), np.asarray(table.label_values())
    known = np.flatnonzero([label is not None for label in y])
    if len(known) > MOST_ROWS:
        known = np.sort(np.random.default_rng(0).permutation(known)[:MOST_ROWS])
    frame, y = frame.iloc[known].reset_index(drop=True), y[known].astype(str)
    X = frame[[a.name for a in table.schema if a.name != "Instance_name"]]  # splice's is an identifier
    plain = X.astype({c: object for c in X.columns if X[c].dtype == "category"})
    both = []
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
        for seed in range(SEEDS if len(y) <= SMALL else 1):
            numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
            levels = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
            columns = make_column_transformer(
                (numbers, make_column_selector(dtype_include="number")),
                (levels, make_column_selector(dtype_exclude="number")),
            )
            theirs = make_pipeline(columns, MLPClassifier(random_state=seed))
            ours = acumen.NeuralNetwork(random_state=seed, **changes)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                theirs.fit(plain.iloc[train], y[train])
                ours.fit(X.iloc[train], y[train])
            own = log_loss(ours, X.iloc[test], y[test]), log_loss(theirs, plain.iloc[test], y[test])
            both.append(own)
    mine, peer = np.mean(both, axis=0).tolist()
    return mine, peer


def losses(files: Sequence[str]) -> None:
    found = []
    for name in files:
        found.append(judged(name))
        print(f"{name:<12} {found[-1][0]:.4f}   MLPClassifier {found[-1][1]:.4f}", flush=True)
    mine, peer = np.mean(found, axis=0)
    apart = np.subtract(*np.transpose(found))
    error = apart.std(ddof=1) / np.sqrt(len(apart))
    print(f"mean difference {apart.mean():+.4f}, its standard error over files {error:.4f}")
    print(f"{'mean':<12} {mine:.4f}   MLPClassifier {peer:.4f}  {'ok' if mine <= peer else 'WORSE'}")


if __name__ == "__main__":
    part = sys.argv[1] if len(sys.argv) > 1 else "all"
    if part in ("all", "time"):
        timed(int(sys.argv[2]) if len(sys.argv) > 2 else 50_000)
    if part in ("all", "loss"):
        losses(sys.argv[2:] or FILES)
