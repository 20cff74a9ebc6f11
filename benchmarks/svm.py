"""Margins beside LIBSVM, LIBLINEAR (through scikit-learn) and scikit-learn-intelex; objectives are compared first.

    python benchmarks/svm.py [--only rbf,dense,sparse,many,memory] [--repeats 3] [--quick]

Each section is a function; ratios are the peer's time over acumen's, best of several interleaved runs. Primal
objectives are evaluated from the functions each tool returns, in double precision.
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings
from functools import partial
from typing import Any

import numpy as np
from clock import interleaved, line

import acumen


def hinge(square: float, f: Any, y: Any, C: float, *, squared: bool = False) -> float:
    """1/2 |w|^2 + C sum of slack (squared)."""
    slack = np.maximum(0.0, 1.0 - np.where(y > 0, 1.0, -1.0) * f)
    return 0.5 * square + C * float((slack**2 if squared else slack).sum())


def kernel_primal(support: Any, coefficients: Any, f: Any, y: Any, gamma: float) -> float:
    """The primal of a kernel machine given by its support vectors and its decisions."""
    kernel = acumen.kernels.RBF(gamma=gamma)
    square = sum(
        float(coefficients[i : i + 1000] @ kernel(support[i : i + 1000], support) @ coefficients)
        for i in range(0, len(support), 1000)
    )
    return hinge(square, f, y, 1.0)


def rbf(repeats: int, quick: bool) -> None:
    """RBF machines of 10k, 20k, 40k x 30: fit and predict beside SVC and scikit-learn-intelex; cost as n doubles."""
    from sklearn.datasets import make_classification
    from sklearn.svm import SVC

    try:
        from sklearnex.svm import SVC as IntelexSVC  # noqa: N811 - a class, whatever its name
    except ImportError:
        IntelexSVC = None
    before = None
    for n in (10_000, 20_000) if quick else (10_000, 20_000, 40_000):
        X, y = make_classification(n, 30, random_state=0)
        gamma = 1.0 / (30 * X.var())
        ours, svc = acumen.SVM(gamma=gamma, scale=False), SVC(gamma=gamma)
        ours.fit(X, y)
        svc.fit(X, y)
        expansion = ours.model_.expansion
        mine = kernel_primal(
            expansion.support, expansion.coefficients[:, 0], ours.decision_function(X), y, gamma
        )
        theirs = kernel_primal(svc.support_vectors_, svc.dual_coef_[0], svc.decision_function(X), y, gamma)
        same = float(np.mean(ours.predict(X) == svc.predict(X)))
        print(
            f"n = {n}: primal {mine:.4f} beside {theirs:.4f}, predictions alike {same:.5f}, {ours.certificate_}"
        )
        assert mine <= theirs * (1 + 1e-4) and same > 0.999
        works = [partial(acumen.SVM(gamma=gamma, scale=False).fit, X, y), partial(SVC(gamma=gamma).fit, X, y)]
        if IntelexSVC is not None:
            works.append(partial(IntelexSVC(gamma=gamma).fit, X, y))
        times = interleaved(repeats, *works)
        line(f"SVM, RBF, {n // 1000}k x 30: fit beside SVC", times[0], times[1], 5.0)
        if IntelexSVC is not None:
            line("the same beside scikit-learn-intelex", times[0], times[2], 1.0)
        works = [partial(ours.predict, X), partial(svc.predict, X)]
        if IntelexSVC is not None:
            other = IntelexSVC(gamma=gamma).fit(X, y)
            works.append(partial(other.predict, X))
        guesses = interleaved(repeats, *works)
        line(f"the same: predict {n // 1000}k rows beside SVC", guesses[0], guesses[1], 15.0)
        if IntelexSVC is not None:
            line("the same beside scikit-learn-intelex", guesses[0], guesses[2])
        if before is not None:
            print(
                f"cost as n doubles to {n}: fit x{times[0] / before[0]:.2f}, predict x{guesses[0] / before[1]:.2f}"
            )
        before = (times[0], guesses[0])


def easy(n: int) -> tuple[Any, Any]:
    """Clusters that lie apart, as scikit-learn makes them."""
    from sklearn.datasets import make_classification

    X, y = make_classification(n, 50, n_informative=20, random_state=0)
    return X, y


def wrong_labels(n: int) -> tuple[Any, Any]:
    """The same with columns that follow from others and three labels in ten drawn blindly."""
    from sklearn.datasets import make_classification

    X, y = make_classification(n, 50, n_informative=20, n_redundant=20, flip_y=0.3, random_state=1)
    return X, y


def uneven(n: int) -> tuple[Any, Any]:
    """Neighbours correlate, each column has units of its own, and one class in three is the second."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 50))
    X[:, 1:] += 0.8 * X[:, :-1]
    y = (X @ rng.normal(size=50) + 4 * rng.normal(size=n) > 5).astype(int)
    return X * np.exp(rng.normal(size=50)), y


def dense(repeats: int, quick: bool) -> None:
    """Linear 200k x 50, folded bias: squared loss beside LinearSVC's primal, hinge beside its dual."""
    from sklearn.svm import LinearSVC

    n = 50_000 if quick else 200_000
    common = {"kernel": "linear", "bias": "folded", "scale": False}
    for kind, made in {"uneven": uneven, "wrong labels": wrong_labels, "easy": easy}.items():
        X, y = made(n)
        ours = acumen.SVM(loss="squared", **common).fit(X, y)
        peer = LinearSVC(dual=False).fit(X, y)
        w, b = peer.coef_[0], float(peer.intercept_[0])
        theirs = hinge(float(w @ w + b * b), X @ w + b, y, 1.0, squared=True)
        print(
            f"{kind}, squared loss: primal {ours.certificate_.primal:.6f} beside {theirs:.6f}, "
            f"gap {ours.certificate_.gap:.2g}"
        )
        assert ours.certificate_.primal <= theirs * (1 + 1e-6)
        times = interleaved(
            repeats,
            lambda X=X, y=y: acumen.SVM(loss="squared", **common).fit(X, y),
            lambda X=X, y=y: LinearSVC(dual=False).fit(X, y),
        )
        line(f"SVM, linear, squared, {n // 1000}k x 50, {kind}: fit", *times, 8.0)
    ours = acumen.SVM(**common).fit(X, y)
    mine = interleaved(repeats, lambda: acumen.SVM(**common).fit(X, y))[0]
    start = time.perf_counter()
    peer = LinearSVC(loss="hinge", dual=True).fit(X, y)
    other = time.perf_counter() - start
    w, b = peer.coef_[0], float(peer.intercept_[0])
    theirs = hinge(float(w @ w + b * b), X @ w + b, y, 1.0)
    proof = ours.certificate_
    print(
        f"hinge: primal {proof.primal:.4f} beside {theirs:.4f}, relative gap {proof.relative_gap:.2g} (wanted 1e-3)"
    )
    assert proof.relative_gap <= 1e-3 and proof.primal <= theirs
    line(f"SVM, linear, hinge, {n // 1000}k x 50: fit beside LinearSVC", mine, other, 10.0)


def sparse_rows(n: int, d: int, share: float) -> Any:
    """Uniform numbers at a share of all places; `scipy.sparse.random` would number every cell first."""
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(0)
    wanted = int(n * d * share)
    places = np.unique(rng.integers(0, n * d, size=wanted + wanted // 100))
    places = np.sort(rng.permutation(places)[:wanted])
    return csr_matrix((rng.random(wanted), (places // d, places % d)), shape=(n, d))


def sparse(repeats: int, quick: bool) -> None:
    """Sparse 50k x 20k of 0.2 %, folded bias: beside LinearSVC, which solves squared loss in two ways."""
    from sklearn.svm import LinearSVC

    rng = np.random.default_rng(1)
    n, d = (10_000, 20_000) if quick else (50_000, 20_000)
    X = sparse_rows(n, d, 0.002)
    f = X @ rng.normal(size=d)
    noisy = (f + 0.3 * f.std() * rng.normal(size=n) > 0).astype(int)
    for labels, y in (("linear labels, noisy", noisy), ("random labels", rng.integers(0, 2, size=n))):
        print(f"{labels}:")
        for loss, word, duals in (("hinge", "hinge", (True,)), ("squared", "squared_hinge", (True, False))):
            fit = partial(acumen.SVM(kernel="linear", loss=loss, bias="folded", scale=False).fit, X, y)
            proof = fit().certificate_
            peers = [partial(LinearSVC(loss=word, dual=dual, random_state=0).fit, X, y) for dual in duals]
            for dual, peer in zip(duals, peers, strict=True):
                made = peer()
                v, b = made.coef_[0], float(made.intercept_[0])
                theirs = hinge(float(v @ v + b * b), X @ v + b, y, 1.0, squared=loss == "squared")
                print(
                    f"{loss}: primal {proof.primal:.5f} beside {theirs:.5f} (dual={dual}), "
                    f"relative gap {proof.relative_gap:.2g}"
                )
                assert proof.primal <= theirs * (1 + 1e-6)
            mine, *others = interleaved(repeats, fit, *peers)
            for dual, other in zip(duals, others, strict=True):
                line(f"SVM, linear, {loss}, sparse: fit beside LinearSVC(dual={dual})", mine, other, 1.5)


def many(repeats: int, quick: bool) -> None:
    """Pairs of many classes, RBF: small machines side by side, fit and predict beside SVC."""
    from sklearn.svm import SVC

    for classes, each in ((10, 50), (26, 200), (26, 770), (100, 20)):
        if quick and classes * each > 6000:
            continue
        rng = np.random.default_rng(0)
        X = np.repeat(2.0 * rng.normal(size=(classes, 16)), each, axis=0)
        X += 2.0 * rng.normal(size=X.shape)
        y = np.repeat(np.arange(classes), each)
        gamma = 1.0 / (16 * X.var())
        fit = partial(acumen.SVM(gamma=gamma, scale=False).fit, X, y)
        peer = partial(SVC(gamma=gamma).fit, X, y)
        ours, svc = fit(), peer()
        same = float(np.mean(ours.predict(X) == svc.predict(X)))
        print(f"{classes} classes of {each} rows: predictions alike {same:.5f}, {ours.certificate_}")
        assert same > 0.99
        mine, theirs = interleaved(repeats, fit, peer)
        line(f"SVM, RBF, {classes} classes of {each} rows: fit beside SVC", mine, theirs)
        mine, theirs = interleaved(repeats, partial(ours.predict, X), partial(svc.predict, X))
        line("the same: predict", mine, theirs)


def memory(repeats: int, quick: bool) -> None:
    """What a fit takes beyond its data: the budget for kernel lines is 256 MB."""
    from sklearn.datasets import make_classification

    n = 20_000 if quick else 40_000
    X, y = make_classification(n, 30, random_state=0)
    acumen.SVM().fit(X[:100], y[:100])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    acumen.SVM(scale=False).fit(X, y)
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"memory of a fit of {n} rows beyond the data: {more:.0f} MB (kernel lines: at most 256 MB)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="memory,rbf,dense,sparse,many")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    sections = {"memory": memory, "rbf": rbf, "dense": dense, "sparse": sparse, "many": many}
    for name in asked.only.split(","):
        print(f"-- {name}")
        sections[name](asked.repeats, asked.quick)


if __name__ == "__main__":
    main()
