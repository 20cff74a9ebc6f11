"""k-medoids: clusters around central rows, for any distance and without a matrix of all pairs.

    find_medoids                find medoids from several starts (FasterPAM)
    find_by_samples             CLARA: FasterPAM on samples, judged on all rows
    find_by_chance              CLARANS: swaps drawn at random
    MedoidsModel                the medoids, the sum of distances, and its progress; a row belongs to the nearest medoid
    SampledModel, DrawnModel    the same for CLARA and CLARANS

Kaufman and Rousseeuw (1990), chapters 2 and 3; Ng and Han (2002); Schubert and Rousseeuw (2021), "Fast and eager
k-medoids clustering".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from acumen import _native
from acumen.base.grouping import Grouping, by_first_row
from acumen.clusters.nearest_model import NearestModel, group_sizes, read_row_arrays
from acumen.clusters.row_distances import RowsApart
from acumen.clusters.sampling import distinct_rows, draw_by_places, require_distinct
from acumen.data.schema import Schema
from acumen.engines.cores import cores
from acumen.preprocessing.stored_arrays import require, stored_array, stored_floats
from acumen.render.text import many
from acumen.types import Array, Codes, Floats

#: The weight of rows up to which one more search begins where PAM ends.
_BUILT = 300.0


@dataclass(frozen=True, slots=True, eq=False)
class MedoidFit:
    """Medoids as places among the rows searched, the sum of distances after each swap, and whether it was done."""

    medoids: Array
    loss: float
    losses: Floats
    tried: int
    settled: bool


# -- searching ------------------------------------------------------------------------------------


def search_from(rows: RowsApart, k: int, rng: np.random.Generator, who: str, most: int) -> MedoidFit:
    """One search: rows spread out by chance, then every swap that is an improvement, for `most` passes at most."""
    return _run_search(rows, _start(rows, k, rng, who), False, 0, 0, most * len(rows))


def _start(rows: RowsApart, k: int, rng: np.random.Generator, who: str) -> Array:
    start: Array = _native.start_medoids(*rows.pairs, rng.random(k))
    require_distinct(who, k, len(start), len(rows))
    return start


def _run_search(rows: RowsApart, start: Array, drawn: bool, seed: int, patience: int, most: int) -> MedoidFit:
    medoids, _, loss, losses, tried, settled = _native.search_medoids(
        *rows.pairs, start, drawn, seed, patience, most, cores()
    )
    return MedoidFit(medoids, loss, losses, tried, settled)


def build_medoids(rows: RowsApart, k: int) -> Array:
    """The medoids of PAM itself (Kaufman and Rousseeuw 1990): BUILD, then always the best swap of all.

    BUILD takes one medoid after the other, each the row that lessens the sum most; of several the first. All distances
    are needed at once. Eager swaps from random starts do as well on average, but not on every table.
    """
    away = rows.search.between(rows.raw)
    away[np.isinf(away)] = rows.far
    weights = rows.weights
    near = np.full(len(rows), np.inf)
    medoids: list[int] = []
    for _ in range(k):
        # Column j: what is left if row j is taken too.
        loss = weights @ np.minimum(near[:, None], away)
        loss[medoids] = np.inf
        loss[~(weights > 0)] = np.inf
        medoids.append(int(np.flatnonzero(loss <= loss.min() * (1 + 1e-12))[0]))
        near = np.minimum(near, away[:, medoids[-1]])
    while True:
        mine = away[:, medoids]
        nearest, near = mine.argmin(axis=1), mine.min(axis=1)
        second = np.partition(mine, 1, axis=1)[:, 1]
        # Line i, column j: what is left if row j takes the place of medoid i.
        loss = np.array(
            [weights @ np.minimum(np.where(nearest == i, second, near)[:, None], away) for i in range(k)]
        )
        loss[:, medoids] = np.inf
        loss[:, ~(weights > 0)] = np.inf
        if not loss.min() < float(weights @ near) * (1 - 1e-12):
            return np.array(medoids, dtype=np.int64)
        slot, row = np.unravel_index(int(np.argmin(loss)), loss.shape)
        medoids[int(slot)] = int(row)


def _best(found: Iterable[MedoidFit]) -> MedoidFit:
    """The one of the least sum, the first of several; a difference that is but rounding is none."""
    best: MedoidFit | None = None
    for each in found:
        if best is None or each.loss < best.loss * (1 - 1e-12):
            best = each
    assert best is not None
    return best


def find_medoids(
    rows: RowsApart, k: int, starts: Iterable[np.random.Generator], who: str, max_iter: int
) -> tuple[Grouping, bool]:
    """FasterPAM from several starts, of few rows from PAM's own too; and whether the best search came to its end."""
    searches = [search_from(rows, k, rng, who, max_iter) for rng in starts]
    if k > 1 and rows.weights.sum() <= _BUILT:
        searches.append(_run_search(rows, build_medoids(rows, k), False, 0, 0, max_iter * len(rows)))
    best = _best(searches)
    return number_medoids(rows, best, MedoidsModel, -(-best.tried // len(rows))), best.settled


def find_by_samples(
    rows: RowsApart, k: int, rng: np.random.Generator, who: str, samples: int, size: int, max_iter: int
) -> tuple[Grouping, bool]:
    """The best on all rows of the medoids of several samples; each sample has the best so far among its rows.

    A sample is drawn by places in the running sum of weights; one that could hold all rows is all of them.
    """
    if rows.weights.sum() <= size or len(rows) <= k:
        search = search_from(rows, k, rng, who, max_iter)
        return number_medoids(rows, search, SampledModel, -(-search.tried // len(rows))), search.settled
    best: MedoidFit | None = None
    passes = 0
    # Of equal rows the first stands for all: a row of weight 2 and two equal rows make the same samples.
    first, lot = distinct_rows(rows.raw)
    for _ in range(samples):
        drawn = first[lot[draw_by_places(rng, rows.weights, size)]]
        chosen, counts = np.unique(drawn, return_counts=True)
        if best is not None:
            extra = np.setdiff1d(best.medoids, chosen)
            chosen = np.concatenate([chosen, extra])
            counts = np.concatenate([counts, np.ones(len(extra), dtype=counts.dtype)])
            order = np.argsort(chosen)
            chosen, counts = chosen[order], counts[order]
        sample = rows.take(chosen, counts.astype(np.float64))
        here = _native.start_medoids(*sample.pairs, rng.random(k))
        if len(here) < k:  # too few rows of this sample differ; others may have more
            continue
        search = _run_search(sample, here, False, 0, 0, max_iter * len(sample))
        passes += -(-search.tried // len(sample))
        medoids = np.sort(chosen[search.medoids])
        loss = _loss_of(rows, medoids)
        if best is None or loss < best.loss * (1 - 1e-12):
            best = MedoidFit(medoids, loss, search.losses, search.tried, search.settled)
    if best is None:
        _start(rows, k, rng, who)  # says so where too few rows differ at all
        search = search_from(rows, k, rng, who, max_iter)
        return number_medoids(rows, search, SampledModel, -(-search.tried // len(rows))), search.settled
    return number_medoids(rows, best, SampledModel, passes), best.settled


def find_by_chance(
    rows: RowsApart, k: int, starts: Iterable[np.random.Generator], who: str, neighbours: int
) -> tuple[Grouping, bool]:
    """Swaps of a medoid and a row, both drawn; so many in vain in succession end a search."""

    def search(rng: np.random.Generator) -> MedoidFit:
        start = _start(rows, k, rng, who)
        return _run_search(rows, start, True, int(rng.integers(0, 2**62)), neighbours, 0)

    best = _best(search(rng) for rng in starts)
    return number_medoids(rows, best, DrawnModel, -(-best.tried // len(rows))), True


def _loss_of(rows: RowsApart, medoids: Array) -> float:
    model = model_of(rows, medoids, MedoidsModel)
    away = model.groups_of(rows.raw)[1]
    return float((rows.weights * np.where(np.isinf(away), rows.far, away)).sum())


def model_of(rows: RowsApart, medoids: Array, kind: type[MedoidsModel]) -> MedoidsModel:
    """Medoids in the order of rows: of two equally near the first row's is taken, in every prediction alike."""
    number: Codes = np.arange(len(medoids), dtype=np.int32)
    return kind(
        rows.fitted, rows.raw.take(medoids), number, np.zeros(len(medoids)), rows.rows[medoids], 0.0, np.empty(0)
    )  # fmt: skip


def number_medoids(rows: RowsApart, found: MedoidFit, kind: type[MedoidsModel], passes: int) -> Grouping:
    """The groups about some medoids, numbered by their first row."""
    model = model_of(rows, np.sort(found.medoids), kind)
    near, away = model.groups_of(rows.raw)
    labels, order = by_first_row(near)
    kept = np.sort(order)  # a medoid that is no row's nearest, its own neither, has no group
    number = np.empty(len(kept), dtype=np.int32)
    number[np.searchsorted(kept, order)] = np.arange(len(order), dtype=np.int32)
    known = labels >= 0
    model = replace(
        model,
        raw=model.raw.take(kept),
        number=number,
        sizes=group_sizes(labels, rows.weights),
        rows=np.asarray(model.rows[kept], dtype=np.int64),
        loss=float((rows.weights[known] * away[known]).sum()),
        losses=found.losses,
    )
    return Grouping(model, rows.spread(labels), max(passes, 1))


@dataclass(frozen=True, eq=False)
class MedoidsModel(NearestModel):
    """Medoids, each the row kept for its group."""

    kind: ClassVar[str] = "k-medoids"

    rows: Array  # which rows of the table the medoids are
    loss: float  # the sum of all rows' distances to their medoids
    losses: Floats  # of the search that found them: the sum before it, and after each swap

    @property
    def objective(self) -> float:
        return self.loss

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        total = float(self.sizes.sum())
        lines = [
            f"{many(self.n_groups, 'cluster')} around medoids; distance {self.fitted.distance.name}, total "
            f"{self.loss:.6g}, {self.loss / total if total else 0.0:.4g} a row"
        ]
        place = {int(group): at for at, group in enumerate(self.number.tolist())}
        for group in range(self.n_groups):
            at = place[group]
            lines.append(
                f"cluster {group}: {self.sizes[group]:g} rows, medoid row {int(self.rows[at])}: "
                f"{self.row_text(schema, at)}"
            )
        return "\n".join(lines)

    def to_arrays(self) -> dict[str, Array]:
        return {
            **self.row_arrays(),
            "rows": self.rows,
            "loss": np.array([self.loss]),
            "losses": self.losses,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        kept = read_row_arrays(arrays, schema)
        rows = stored_array(arrays, "rows", np.int64, (len(kept["number"]),))
        require((rows >= 0).all(), "a medoid is no row")
        require(len(kept["number"]) == len(kept["sizes"]), "a cluster has several medoids")
        return cls(
            **kept,
            rows=rows,
            loss=float(stored_floats(arrays, "loss", (1,), low=0.0)[0]),
            losses=stored_floats(arrays, "losses", (None,), low=0.0),
        )


class SampledModel(MedoidsModel):
    """Medoids found in samples."""

    kind: ClassVar[str] = "clara"


class DrawnModel(MedoidsModel):
    """Medoids found by swaps drawn at random."""

    kind: ClassVar[str] = "clarans"
