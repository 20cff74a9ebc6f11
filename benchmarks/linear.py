"""Straight lines beside scikit-learn and scipy, both cores to both; answers are compared before times are.

    python benchmarks/linear.py [--only fisher,kernel-fisher,...] [--repeats 5]

Each section is a function; ratios are the peer's time over acumen's, best of several interleaved runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from clock import interleaved, line

import acumen


def classes(n: int, d: int, k: int) -> tuple[Any, Any]:
    """Overlapping Gaussians."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, n)
    return rng.normal(size=(n, d)) + 0.3 * rng.normal(size=(k, d))[y], y


def fisher(repeats: int) -> None:
    """Fisher 200k x 100 beside each solver of LinearDiscriminantAnalysis, and its 10-fold cross-validation."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    X, y = classes(200_000, 100, 5)
    ours = acumen.Fisher().fit(X, y)
    for solver, wanted in (("svd", 5.0), ("lsqr", 2.0), ("eigen", 2.0)):
        peer = LinearDiscriminantAnalysis(solver=solver)
        assert np.mean(ours.predict(X) == peer.fit(X, y).predict(X)) > 0.999_99
        mine, theirs = interleaved(repeats, lambda: acumen.Fisher().fit(X, y), lambda p=peer: p.fit(X, y))
        line(f"Fisher, 200k x 100, 5 classes: fit beside {solver}", mine, theirs, wanted)
    table = acumen.read((X, y))
    mine, once = interleaved(
        repeats,
        lambda: acumen.assess(acumen.Fisher(), table, acumen.KFold(10), random_state=0),
        lambda: acumen.Fisher().fit(table),
    )
    print(f"{'the same: 10 folds in one pass':<58} {mine * 1e3:9.1f} ms, {mine / once:.1f} times one fit")


def kernel_fisher(repeats: int) -> None:
    """KernelFisher of 5k rows beside one Cholesky factorisation of 5k x 5k, and beside landmarks."""
    from scipy.linalg import cho_factor

    X, y = classes(5_000, 20, 3)
    K = acumen.kernels.RBF(gamma=0.05)(X) + 5.0 * np.eye(len(X))
    mine, factor = interleaved(
        repeats,
        lambda: acumen.KernelFisher(kernel=acumen.kernels.RBF(gamma=0.05)).fit(X, y),
        lambda: cho_factor(K, lower=True),
    )
    verdict = "ok" if mine <= 6 * factor else "BELOW"
    print(
        f"{'KernelFisher, 5k x 20, 3 classes, RBF: fit':<58} {mine * 1e3:9.1f} ms, {mine / factor:.2f} times one "
        f"Cholesky factorisation of {factor * 1e3:.1f} ms (wanted: at most 6) {verdict}"
    )
    X, y = classes(50_000, 20, 3)
    (mine,) = interleaved(1, lambda: acumen.KernelFisher(random_state=0).fit(X, y))
    print(f"{'KernelFisher, 50k x 20, 2,000 landmarks: fit':<58} {mine * 1e3:9.1f} ms")


def kernels(repeats: int) -> None:
    """The RBF matrix of 5k rows beside scikit-learn's."""
    from sklearn.metrics.pairwise import rbf_kernel

    X, _ = classes(5_000, 50, 2)
    kernel = acumen.kernels.RBF(gamma=0.01)
    assert np.abs(kernel(X) - rbf_kernel(X, gamma=0.01)).max() < 1e-12
    mine, theirs = interleaved(repeats, lambda: kernel(X), lambda: rbf_kernel(X, gamma=0.01))
    line("RBF matrix, 5k x 5k of 50 columns", mine, theirs, 1.0)


def perceptron(repeats: int) -> None:
    """Twenty epochs over 200k x 50 beside scikit-learn's Perceptron."""
    from sklearn.linear_model import Perceptron

    X, y = classes(200_000, 50, 2)
    ours = acumen.Perceptron(max_iter=20, pocket=False, average=True, random_state=0)
    theirs = Perceptron(max_iter=20, tol=None, random_state=0)
    assert ours.fit(X, y).score(X, y) >= theirs.fit(X, y).score(X, y) - 0.005
    line(
        "Perceptron, 200k x 50, 20 epochs: fit",
        *interleaved(repeats, lambda: ours.fit(X, y), lambda: theirs.fit(X, y)),
        1.0,
    )


def softmax_loss(X: Any, y: Any, model: Any) -> float:
    """sum of -log P(class | row) + |w|^2 / 2, the loss that both minimise with C = 1."""
    scores = X @ model.coef_.T + model.intercept_
    if scores.shape[1] == 1:
        scores = np.column_stack([np.zeros(len(y)), scores])
    top = scores.max(axis=1, keepdims=True)
    logs = scores - top - np.log(np.exp(scores - top).sum(axis=1, keepdims=True))
    return float((model.coef_**2).sum() / 2 - logs[np.arange(len(y)), y].sum())


def beside_logistic(
    name: str, X: Any, y: Any, solvers: dict[str, dict[str, Any]], wanted: float, repeats: int
) -> None:
    """Logistic beside each solver of LogisticRegression; our loss must be no higher, to 1e-6 of it."""
    from sklearn.linear_model import LogisticRegression

    ours = acumen.Logistic(scale=False)
    lowest = softmax_loss(X, y, ours.fit(X, y))
    peers = {solver: LogisticRegression(max_iter=1000, **given) for solver, given in solvers.items()}
    times = interleaved(
        repeats, lambda: ours.fit(X, y), *(lambda peer=peer: peer.fit(X, y) for peer in peers.values())
    )
    for (solver, peer), theirs in zip(peers.items(), times[1:], strict=True):
        above = softmax_loss(X, y, peer) / lowest - 1
        assert above > -1e-6, "our loss is higher"
        line(f"{name} beside {solver} (its loss {above:+.0e})", times[0], theirs, wanted)


def linear_classes(n: int, d: int, k: int) -> tuple[Any, Any]:
    """Classes that logistic regression fits: scores linear in correlated columns, with Gumbel noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) @ (np.eye(d) + 0.3 * rng.normal(size=(d, d)) / np.sqrt(d))
    return X, (2 * X @ rng.normal(size=(d, k)) / np.sqrt(d) + rng.gumbel(size=(n, k))).argmax(axis=1)


def wrong_labels(n: int, d: int, k: int) -> tuple[Any, Any]:
    """The same with three labels in ten drawn blindly: little to be learned, so that peers are soon done."""
    X, y = linear_classes(n, d, k)
    rng = np.random.default_rng(1)
    return X, np.where(rng.random(n) < 0.3, rng.integers(0, k, n), y)


def uneven(n: int, d: int, k: int) -> tuple[Any, Any]:
    """Columns in units of their own, and classes each half as frequent as the one before."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, d)) @ (np.eye(d) + 0.3 * rng.normal(size=(d, d)) / np.sqrt(d))
    scores = 1.5 * X @ rng.normal(size=(d, k)) / np.sqrt(d) - 0.7 * np.arange(k)
    return X * np.exp(rng.normal(size=d)), (scores + rng.gumbel(size=(n, k))).argmax(axis=1)


TABLES = {"linear": linear_classes, "wrong labels": wrong_labels, "uneven": uneven}


def logistic(repeats: int) -> None:
    """200k x 50, two classes, beside every solver worth the name; tables of three kinds."""
    solvers = {name: {"solver": name} for name in ("newton-cholesky", "lbfgs", "newton-cg")}
    for kind, made in TABLES.items():
        X, y = made(200_000, 50, 2)
        beside_logistic(f"Logistic, 200k x 50, 2 classes, {kind}:", X, y, solvers, 2.0, repeats)


def logistic_10(repeats: int) -> None:
    """100k and 200k x 50, ten classes; tables of three kinds."""
    solvers = {name: {"solver": name} for name in ("lbfgs", "newton-cg")}
    for n in (100_000, 200_000):
        for kind, made in TABLES.items():
            X, y = made(n, 50, 10)
            name = f"Logistic, {n // 1000}k x 50, 10 classes, {kind}:"
            beside_logistic(name, X, y, solvers, 3.0, min(repeats, 3))


def logistic_text(repeats: int) -> None:
    """50k x 20k, 32 words a row by Zipf's law as normed log counts; liblinear penalises the intercept too."""
    from scipy.sparse import csr_matrix
    from sklearn.preprocessing import normalize

    n, d, length = 50_000, 20_000, 40
    rng = np.random.default_rng(0)
    often = 1 / np.arange(1, d + 1) ** 1.05
    words = rng.choice(d, size=(n, length), p=often / often.sum())
    X = csr_matrix((np.ones(n * length), (np.repeat(np.arange(n), length), words.ravel())), shape=(n, d))
    X.sum_duplicates()
    X.data = 1 + np.log(X.data)
    X = normalize(X)
    y = (rng.random(n) < 1 / (1 + np.exp(-(X @ (4 * rng.normal(size=d)))))).astype(int)
    solvers = {
        "newton-cg": {"solver": "newton-cg"},
        "lbfgs": {"solver": "lbfgs"},
        "sag": {"solver": "sag"},
        "liblinear, dual": {"solver": "liblinear", "dual": True},
    }
    beside_logistic("Logistic, sparse 50k x 20k: fit", X, y, solvers, 1.0, repeats)


def maxent(repeats: int) -> None:
    """50k rows of six numbers and eight nominal attributes, a feature for each column and class, beside lbfgs."""
    import pandas as pd
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    rng, n = np.random.default_rng(0), 50_000
    levels = (8, 16, 7, 14, 6, 5, 2, 41)
    frame = pd.DataFrame(
        {f"n{j}": rng.normal(size=n) * size for j, size in enumerate((13, 1e5, 2.5, 7e3, 400, 12))}
        | {
            f"c{j}": pd.Categorical(np.minimum(rng.geometric(0.25, n) - 1, k - 1))
            for j, k in enumerate(levels)
        }
    )
    odds = frame.n0 * 0.05 + frame.n2 * 0.3 + 0.3 * frame.c0.astype(int) - 0.2 * frame.c2.astype(int) - 1
    frame["class"] = np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), "yes", "no")
    table = acumen.read(frame, target="class")
    numeric, nominal = [f"n{j}" for j in range(6)], [f"c{j}" for j in range(8)]

    def theirs() -> Any:
        coded = OneHotEncoder(sparse_output=False).fit_transform(frame[nominal])
        X = np.hstack([StandardScaler().fit_transform(frame[numeric]), coded])
        return LogisticRegression(max_iter=1000, tol=1e-6).fit(X, frame["class"]), X

    def ours() -> Any:
        return acumen.MaxEnt(C=1.0, tol=1e-6).fit(table)

    model, (peer, X) = ours(), theirs()
    truth = (frame["class"] == "yes").to_numpy().astype(int)
    losses = [
        -np.log(p[np.arange(n), truth]).mean() for p in (model.predict_proba(table), peer.predict_proba(X))
    ]
    assert abs(losses[0] - losses[1]) < 1e-4, losses  # they penalise differently
    line("MaxEnt, 50k x 14 mixed, 212 features: fit beside lbfgs", *interleaved(repeats, ours, theirs), 1.0)


def numbers(n: int, d: int, used: int) -> tuple[Any, Any]:
    """Neighbouring columns correlate; the first few make up the target."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    X[:, 1:] += 0.5 * X[:, :-1]
    return X, X[:, :used] @ rng.normal(size=used) + 2.0 * rng.normal(size=n)


def lasso_path(repeats: int) -> None:
    """A hundred strengths beside scikit-learn's lasso_path, at the same duality gap; objectives are compared."""
    from sklearn.linear_model import lasso_path as peer

    for n, d in ((10_000, 100), (10_000, 500), (1_000, 1_000), (200, 2_000)):
        X, y = numbers(n, d, 20)
        X, y = np.asfortranarray(X - X.mean(axis=0)), y - y.mean()
        ours = acumen.Lasso(scale=False, fit_intercept=False, tol=1e-4, max_iter=1000)
        path = ours.path(X, y)
        theirs = peer(X, y, alphas=path.alphas)[1].T

        def loss(w: Any, alpha: float, X: Any = X, y: Any = y) -> float:
            return float(np.mean((y - X @ w) ** 2) / 2 + alpha * np.abs(w).sum())

        for alpha, mine, other in zip(path.alphas, path.coefficients, theirs, strict=True):
            assert loss(mine, alpha) <= loss(other, alpha) * (1 + 1e-6)
        mine_s, theirs_s = interleaved(
            repeats,
            lambda f=ours.path, X=X, y=y: f(X, y),
            lambda X=X, y=y, a=path.alphas: peer(X, y, alphas=a),
        )
        line(f"lasso path, {n:,} x {d:,}, 100 strengths", mine_s, theirs_s, 1.0)


def ridge_cv(repeats: int) -> None:
    """Ten folds over 20 ridge strengths and the fit with the best, beside one fit; and beside scikit-learn's."""
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import GridSearchCV

    X, y = numbers(200_000, 100, 100)
    table = acumen.read(np.column_stack([X, y]), target="x100")
    alphas = np.logspace(4, -3, 20)
    tuned = acumen.Tuned(acumen.Ridge(scale=False), {"alpha": alphas}, acumen.KFold(10), random_state=0)
    search = GridSearchCV(Ridge(), {"alpha": alphas}, cv=10, scoring="neg_root_mean_squared_error")
    best = float(tuned.fit(table).results_.mean.min())
    mine, once = interleaved(repeats, lambda: tuned.fit(table), lambda: acumen.Ridge(scale=False).fit(table))
    (theirs,) = interleaved(1, lambda: search.fit(X, y))  # 200 fits take long enough to be told once
    verdict = "ok" if mine <= 2 * once else "BELOW"
    print(
        f"{'Ridge, 200k x 100: 10 folds over 20 strengths, and the fit':<58} {mine * 1e3:9.1f} ms, {mine / once:.2f} "
        f"times one fit of {once * 1e3:.1f} ms (wanted: at most 2) {verdict}"
    )
    assert abs(best + search.best_score_) < 1e-3 * best
    line("the same beside GridSearchCV of scikit-learn's Ridge", mine, theirs, 1.0)


SECTIONS: dict[str, Callable[[int], None]] = {
    "fisher": fisher,
    "kernel-fisher": kernel_fisher,
    "kernels": kernels,
    "logistic": logistic,
    "logistic-10": logistic_10,
    "logistic-text": logistic_text,
    "maxent": maxent,
    "perceptron": perceptron,
    "lasso-path": lasso_path,
    "ridge-cv": ridge_cv,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, with commas between them")
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    for name in given.only.split(","):
        print(f"-- {name}")
        SECTIONS[name](given.repeats)


if __name__ == "__main__":
    main()
