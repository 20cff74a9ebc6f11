"""k-modes beside kmodes, mixtures and Birch beside scikit-learn, in one run.

    python benchmarks/clusters_models.py             all parts
    python benchmarks/clusters_models.py modes       50,000 x 10 codes, k = 8, from the same start
    python benchmarks/clusters_models.py mixture     200,000 x 10, k = 10, full covariances: one step of EM
    python benchmarks/clusters_models.py birch       1,000,000 x 10 in parts: time, and the largest size of the process

Answers are compared before a ratio is printed. What bounds them: a pass of k-modes compares n d k codes, sixteen at a
time; a step of EM is n k d^2 multiplications and additions in registers (exponentials are a tenth of it); a row of
Birch is compared with some fifty means at each of three levels.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from clock import interleaved, line

import acumen
from acumen.clusters import prototypes
from acumen.clusters.mixed_space import MixedSpace
from acumen.clusters.mixture import MixtureBlock, MixtureParameters, expectation_sums, maximise
from acumen.rows.training_rows import TableRows


def modes() -> None:
    """The same start given to both; passes to the end."""
    from kmodes.kmodes import KModes

    rng = np.random.default_rng(0)
    n, d, k = 50_000, 10, 8
    centre = rng.integers(0, 8, (k, d))
    codes = np.where(rng.random((n, d)) < 0.5, centre[rng.integers(0, k, n)], rng.integers(0, 8, (n, d)))
    start = codes[rng.choice(n, k, replace=False)]
    schema = acumen.Schema(tuple(acumen.Attribute(f"a{j}", "nominal", tuple("abcdefgh")) for j in range(d)))
    table = acumen.Table(schema, n, nominal=[np.ascontiguousarray(c, dtype=np.int32) for c in codes.T])
    found: list[Any] = [None, None]

    def ours() -> None:
        space = MixedSpace.fit(TableRows(table), False, True, "KModes")
        source = TableRows(table).persist(space.write, 0)
        measure = prototypes.MixedMeasure.of(source, space.level_counts(table.schema), 1.0)
        first = prototypes.Prototypes(np.empty((k, 0)), start.astype(np.int32))
        found[0] = prototypes.descend(source, first, measure, 100)

    def theirs() -> None:
        found[1] = KModes(n_clusters=k, init=start, n_init=1, max_iter=100).fit(codes)

    took = interleaved(1, ours, theirs)
    print(f"sums of differences: {found[0].objective:.0f}, kmodes {found[1].cost_:.0f}")
    assert found[0].objective <= 1.01 * found[1].cost_
    line("k-modes 50,000 x 10, k = 8, the whole search", *took, wanted=100)
    whole = interleaved(1, lambda: acumen.KModes(k, random_state=0).fit(table))[0]
    print(f"KModes(8).fit with its ten starts: {whole * 1e3:.0f} ms (processor {whole.cpu * 1e3:.0f} ms)")


def mixture() -> None:
    """One expectation and maximisation from the same parameters."""
    from sklearn.mixture import GaussianMixture

    rng = np.random.default_rng(0)
    n, d, k = 200_000, 10, 10
    X = rng.normal(size=(k, d))[rng.integers(0, k, n)] * 2 + rng.normal(size=(n, d))
    peer = GaussianMixture(k, init_params="k-means++", random_state=0, max_iter=1, tol=0.0, reg_covar=1e-6)
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer.fit(X)
    peer.reg_covar = 0.0
    ours = MixtureParameters.of("full", peer.weights_, peer.means_, peer.covariances_)
    source = [MixtureBlock.of(X[at : at + 65_536], np.empty(0)) for at in range(0, n, 65_536)]
    after: list[Any] = [None, None]

    def step() -> None:
        after[0] = maximise(expectation_sums(source, ours), ours, 0.0, np.ones(d))

    kept = peer.weights_, peer.means_, peer.covariances_, peer.precisions_cholesky_

    def their_step() -> None:
        peer.weights_, peer.means_, peer.covariances_, peer.precisions_cholesky_ = kept
        likelihood, shares = peer._e_step(X)
        peer._m_step(X, shares)
        after[1] = likelihood

    took = interleaved(2, step, their_step)
    assert np.allclose(after[0].means, peer.means_, atol=1e-9)
    assert np.allclose(after[0].covariances, peer.covariances_, atol=1e-8)
    assert np.isclose(expectation_sums(source, ours).likelihood / n, after[1], rtol=1e-10)
    print("means, covariances and log-likelihood agree")
    line("mixture 200,000 x 10, k = 10, full, a step", *took, wanted=6)


class Parts:
    """A million rows made part by part, as often as wanted: nothing is held."""

    def __init__(self, n: int, d: int, k: int) -> None:
        self.n, self.d = n, d
        self.centres = 4 * np.random.default_rng(1).normal(size=(k, d))

    def __iter__(self) -> Iterator[Any]:
        for part in range(self.n // 50_000):
            rng = np.random.default_rng([2, part])
            group = rng.integers(0, len(self.centres), 50_000)
            yield acumen.read(self.centres[group] + rng.normal(size=(50_000, self.d)))


def birch() -> None:
    """Streamed with k = 10; scikit-learn's partial_fit beside it, with the threshold ours ended with."""
    from sklearn.cluster import Birch

    parts = Parts(1_000_000, 10, 10)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found: list[Any] = [None]

    def ours() -> None:
        found[0] = acumen.Birch(n_clusters=10).fit_stream(parts)

    took = interleaved(1, ours)[0]
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    model = found[0]
    near = np.sqrt(((model.cluster_centers_[:, None] - parts.centres) ** 2).sum(axis=2)).min(axis=1)
    print(
        f"Birch 1,000,000 x 10 streamed: {took:.1f} s (processor {took.cpu:.1f} s, of which making the rows five times "
        f"is a part), {len(model.subclusters_)} subclusters, {grown:.0f} MB grown (the rows are 80 MB); centres within "
        f"{near.max():.3f} of the true ones"
    )
    rows = np.concatenate(
        [np.column_stack([c for _, c in p.numeric_columns()]) for _, p in zip(range(4), parts, strict=False)]
    )
    tree = interleaved(
        1,
        lambda: acumen.Birch(n_clusters=None, scale=False, threshold=model.threshold_ * 4).fit(rows),
        lambda: Birch(threshold=model.threshold_ * 4, n_clusters=None).fit(rows),
    )
    line("Birch 200,000 x 10, one threshold, the tree and labels", *tree)


PARTS = {"modes": modes, "mixture": mixture, "birch": birch}

if __name__ == "__main__":
    for name in sys.argv[1:] or PARTS:
        PARTS[name]()
