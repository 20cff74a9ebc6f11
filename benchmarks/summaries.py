"""Summaries and prediction kernels beside the scikit-learn learners that do the same work.

Run with `python benchmarks/summaries.py`; the best of three runs, both with all permitted cores.
"""

from __future__ import annotations

import numpy as np
from clock import best
from scipy.sparse import random as random_sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB, MultinomialNB

from acumen import _native
from acumen.data.block import Block
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.engines import cores, run
from acumen.summaries import ClassMoments, ScatterMatrices, TokenCounts


def report(what: str, ours: float, theirs: float, name: str) -> None:
    print(f"{what:34} {ours:8.3f} s   {name} {theirs:8.3f} s   {theirs / ours:5.1f} x")


def agree(ours: np.ndarray, theirs: np.ndarray) -> None:
    """Both must predict the same classes; scikit-learn's variance floor may move a row at the border."""
    assert np.mean(ours == theirs) > 0.9999


def table_of(values: np.ndarray, labels: np.ndarray, classes: int) -> Table:
    schema = Schema(
        tuple(Attribute(f"x{j}") for j in range(values.shape[1])),
        Attribute("y", "nominal", tuple(range(classes))),
    )
    return Table(schema, len(values), numeric=Block.of_matrix(values), labels=labels)


def gaussian(rng: np.random.Generator, classes: int) -> None:
    values = rng.normal(size=(1_000_000, 50))
    labels = rng.integers(0, classes, len(values)).astype(np.int32)
    rows, oracle = table_of(values, labels, classes), GaussianNB()

    def fit() -> ClassMoments:
        return run(lambda r: ClassMoments.of(r.numeric, r.labels, r.weights, classes), rows)

    moments = fit()
    variance = moments.scatter / moments.weight

    def predict() -> np.ndarray:
        total = np.tile(np.log(moments.weight[:, 0] / len(values)), (len(values), 1))
        _native.add_gaussian_logs(values, moments.mean, variance, total, cores())
        return total.argmax(axis=1)

    report(
        f"moments 1M x 50, {classes} classes",
        best(fit),
        best(lambda: oracle.fit(values, labels)),
        "GaussianNB",
    )
    report(
        f"gaussian logs, {classes} classes", best(predict), best(lambda: oracle.predict(values)), "GaussianNB"
    )


def covariance(rng: np.random.Generator) -> None:
    values = rng.normal(size=(200_000, 100))
    labels = rng.integers(0, 2, len(values)).astype(np.int32)
    rows = table_of(values, labels, 2)

    def fit(shared: bool) -> ScatterMatrices:
        return run(lambda r: ScatterMatrices.of(r.numeric, r.labels, r.weights, 2, shared), rows)

    for solver in ("svd", "lsqr"):
        oracle = LinearDiscriminantAnalysis(solver=solver)
        report(
            "shared scatter", best(lambda: fit(True)), best(lambda o=oracle: o.fit(values, labels), 1), solver
        )
    quadratic = QuadraticDiscriminantAnalysis()
    report("scatter by class", best(lambda: fit(False)), best(lambda: quadratic.fit(values, labels)), "QDA")
    made = fit(False)
    factor = np.linalg.inv(np.linalg.cholesky(made.scatter / (made.weight[:, None, None] - 1)))

    def predict() -> np.ndarray:
        total = np.tile(np.log(made.weight / made.weight.sum()), (len(values), 1))
        _native.add_quadratic_logs(values, made.mean, factor, total, cores())
        return total.argmax(axis=1)

    agree(predict(), quadratic.predict(values))
    report("quadratic logs", best(predict), best(lambda: quadratic.predict(values)), "QDA")


def words(rng: np.random.Generator) -> None:
    counts = random_sparse(50_000, 20_000, density=0.005, format="csr", random_state=0)
    counts.data = np.ceil(3 * counts.data)
    labels = rng.integers(0, 20, 50_000).astype(np.int32)
    assert np.array_equal(
        TokenCounts.of(counts, labels, None, 20).sums, MultinomialNB().fit(counts, labels).feature_count_
    )
    ours = best(lambda: TokenCounts.of(counts, labels, None, 20))
    report("words 50k x 20k", ours, best(lambda: MultinomialNB().fit(counts, labels)), "MultinomialNB")


if __name__ == "__main__":
    generator = np.random.default_rng(0)
    gaussian(generator, 2)
    gaussian(generator, 10)
    covariance(generator)
    words(generator)
