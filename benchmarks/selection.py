"""Selecting and completing beside their peers: `python benchmarks/selection.py [relief|relief-small|wrapper|complete]`.

relief     Relief-F of 5,000 x 100 beside skrebate; relief-small 1,000 x 100 (both grow with the square of the rows)
wrapper    forward selection of NaiveBayes, 20,000 x 50, beside scikit-learn's SequentialFeatureSelector, both over
           the whole path
complete   20,000 x 20 mixed, 20 % of the cells missing, beside miceforest and MissForest: errors in these cells, time

A peer is stopped after six minutes of the processor; the ratio is then "at least". Peers that are not installed are
passed over. acumen has to be importable beside them: PYTHONPATH=src PEERS/bin/python benchmarks/selection.py
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from clock import interleaved

import acumen

#: Seconds of the processor after which a peer is stopped.
PATIENCE = 360


def made(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, d))
    X[:, :8] += 0.4 * y[:, None]
    return X, y


def _child(pipe: Any, work: Callable[[], Any]) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE))
    start = time.process_time()
    answer = work()
    pipe.send((time.process_time() - start, answer))


def patiently(name: str, work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the processor and the answer; without one (None) where it was stopped."""
    ours, theirs = multiprocessing.get_context("fork").Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=_child, args=(theirs, work))
    child.start()
    theirs.close()
    try:
        return ours.recv()
    except EOFError:
        child.join()
        if child.exitcode != -24:  # what the limit of the processor sends
            raise RuntimeError(f"{name} ended with {child.exitcode}") from None
        print(f"{name} was stopped after {PATIENCE} s of the processor", flush=True)
        return float(PATIENCE), None


def relief(n: int = 5000) -> None:
    X, y = made(n, 100)
    table = acumen.read(np.column_stack([X, y]), target=100)
    found: dict[str, float] = {}

    def ours() -> None:
        found.update({e.attribute: e.score for e in acumen.rank_attributes(table, by="relief")})

    few = acumen.read(np.column_stack([X, y])[:200], target=100)
    acumen.rank_attributes(few, by="relief")  # what is loaded with the first call is no part of the work
    own = interleaved(2, ours)[0]
    print(f"Relief-F {n:,} x 100: acumen {own.cpu:.2f} s of the processor", flush=True)
    try:
        from skrebate import ReliefF
    except ImportError:
        print("skrebate is not installed")
        return
    took, weights = patiently(
        "skrebate", lambda: ReliefF(n_neighbors=10, n_features_to_select=8).fit(X, y).feature_importances_
    )
    if weights is None:
        print(f"at least {took / own.cpu:.0f}x")
        return
    alike = np.corrcoef([found[f"x{j}"] for j in range(100)], weights)[0, 1]
    print(f"skrebate {took:.1f} s of the processor, {took / own.cpu:.0f}x; weights correlate {alike:.4f}")


def wrapper() -> None:
    from sklearn.feature_selection import SequentialFeatureSelector
    from sklearn.naive_bayes import GaussianNB

    X, y = made(20_000, 50)
    table = acumen.read(np.column_stack([X, y]), target=50)
    chosen: list[Any] = []

    def ours() -> None:
        chosen[:] = [acumen.Wrapper(acumen.NaiveBayes(), random_state=0).fit(table)]

    acumen.Wrapper(acumen.NaiveBayes(), random_state=0).fit(
        table.head(200)
    )  # what is loaded with the first call
    own = interleaved(2, ours)[0]
    selection = chosen[0].selection_
    print(
        f"forward NaiveBayes 20,000 x 50, the whole path: acumen {own.cpu:.2f} s of the processor, "
        f"{len(chosen[0].attributes_)} attributes, error while choosing {selection.score:.4f}",
        flush=True,
    )

    def run() -> Any:
        # It chooses fewer than all: of 1,275 subsets it tries all but the last.
        return SequentialFeatureSelector(GaussianNB(), n_features_to_select=49, cv=5).fit(X, y).get_support()

    took, support = patiently("scikit-learn", run)
    if support is None:
        print(f"scikit-learn: at least {took / own.cpu:.0f}x", flush=True)
        return
    print(f"scikit-learn: {took:.1f} s of the processor, {took / own.cpu:.0f}x", flush=True)


def gappy(n: int = 20_000, share: float = 0.2) -> tuple[Any, Any]:
    """Twelve numbers and eight nominal attributes of three to six levels that hang on five traits; with gaps."""
    import pandas

    rng = np.random.default_rng(1)
    traits = rng.normal(size=(n, 5))
    full: dict[str, Any] = {}
    for j in range(12):
        line = traits @ rng.normal(size=5)
        bent = np.sin(line) * 2 if j % 3 == 0 else line**2 / 2 if j % 3 == 1 else line
        full[f"n{j}"] = bent + 0.5 * rng.normal(size=n)
    for j in range(8):
        scores = traits @ rng.normal(size=(5, 3 + j % 4)) * 1.5 + rng.gumbel(size=(n, 3 + j % 4))
        full[f"c{j}"] = pandas.Categorical.from_codes(
            scores.argmax(axis=1), [f"v{k}" for k in range(3 + j % 4)]
        )
    whole = pandas.DataFrame(full)
    return whole, whole.mask(rng.random(whole.shape) < share)


def _off(whole: Any, shown: Any, said: Any) -> tuple[float, float]:
    """Of the cells that were missing: mean over numbers of rmse / spread, and the share of levels that are wrong."""
    numbers, levels = [], []
    for name in whole:
        gap = shown[name].isna().to_numpy()
        truth, answer = whole[name].to_numpy()[gap], np.asarray(said[name])[gap]
        if name.startswith("n"):
            numbers.append(np.sqrt(np.mean((truth - answer.astype(float)) ** 2)) / whole[name].std())
        else:
            levels.append(np.mean(truth.astype(str) != answer.astype(str)))
    return float(np.mean(numbers)), float(np.mean(levels))


def complete() -> None:
    whole, shown = gappy()
    found: list[Any] = []

    def ours() -> None:
        found[:] = [acumen.complete(shown)]

    own = interleaved(1, ours)[0]
    said = {name: found[0].table.column(name) for name in whole}
    print(
        f"complete 20,000 x 20, 20 % missing: acumen {own.cpu:.2f} s of the processor ({found[0].way}); "
        "off by {:.4f} of the spread, {:.4f} of levels wrong".format(*_off(whole, shown, said)),
        flush=True,
    )
    foretold = list(found[0].errors.values())
    print(
        "  by its own hidden cells: "
        f"{np.mean([e.error / whole[e.attribute].std() for e in foretold if e.measure == 'rmse']):.4f}, "
        f"{np.mean([e.error for e in foretold if e.measure == 'error']):.4f}",
        flush=True,
    )

    def mice() -> Any:
        import miceforest

        kernel = miceforest.ImputationKernel(shown, num_datasets=1, random_state=0)
        kernel.mice(5)
        return {name: np.asarray(column) for name, column in kernel.complete_data(0).items()}

    def mice_mean() -> Any:
        import miceforest

        # Without mean matching it answers with its expectation, which is off by less than a draw is.
        kernel = miceforest.ImputationKernel(shown, num_datasets=1, random_state=0, mean_match_candidates=0)
        kernel.mice(5)
        return {name: np.asarray(column) for name, column in kernel.complete_data(0).items()}

    def forest() -> Any:
        from missforest import MissForest

        coded, nominal = shown.copy(), [c for c in shown if c.startswith("c")]
        for name in nominal:  # it takes codes alone
            coded[name] = shown[name].cat.codes.where(shown[name].notna()).astype(float)
        said = MissForest(categorical=nominal, verbose=0).fit_transform(coded)
        answer = {name: np.asarray(said[name]) for name in said}
        for name in nominal:
            answer[name] = np.asarray(shown[name].cat.categories)[answer[name].astype(int)]
        return answer

    for name, work in (("miceforest", mice), ("miceforest, expectations", mice_mean), ("MissForest", forest)):
        try:
            took, answer = patiently(name, work)
        except RuntimeError as reason:
            print(f"{name} could not be run: {reason}", flush=True)
            continue
        if answer is None:
            print(f"{name}: at least {took / own.cpu:.1f}x", flush=True)
            continue
        off = _off(whole, shown, answer)
        print(
            f"{name} {took:.1f} s of the processor, {took / own.cpu:.1f}x; off by {off[0]:.4f}, {off[1]:.4f}",
            flush=True,
        )


if __name__ == "__main__":
    parts = {"relief": relief, "relief-small": lambda: relief(1000), "wrapper": wrapper, "complete": complete}
    for name in sys.argv[1:] or parts:
        parts[name]()
