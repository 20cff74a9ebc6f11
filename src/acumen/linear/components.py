"""Principal components of the numeric attributes, from a scatter summary.

    summarise         rows    -> ComponentsSummary   the scatter of all rows together; classes are ignored
    solve             summary -> Components          the eigenvectors of the covariance (or correlation) matrix
    columns           rows    -> coordinates
    noise_variances   the variances along components that independent normal columns would have (parallel analysis)

Divisor n. A missing or infinite value counts as its attribute's mean. An eigenvector's sign is chosen so that its entry
of largest magnitude is positive; if several are as large, the first of them.

Parallel analysis: J. L. Horn, A rationale and test for the number of factors in factor analysis, Psychometrika 1965.
A component counts while its variance exceeds the 95th percentile of such noise tables with the same variances and
number of rows (Glorfeld 1995), up to the first that does not. The scatter of n normal rows is drawn by Bartlett's
decomposition with a fixed seed, so no rows are generated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from acumen.data.block import Block
from acumen.data.escape import printable
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.models.model import ColumnModel
from acumen.models.summary_arrays import empty_table, restored_summary, summary_arrays
from acumen.preprocessing.sparse import dense_slices, row_products
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.render.text import Heading, number, percent, table
from acumen.summaries.algebra import Summary, add_up
from acumen.summaries.scatter import ScatterMatrices
from acumen.types import Array, Floats

#: Entries within this share of the largest count as being as large, so that rounding does not turn a sign.
_AS_LARGE = 1e-9
#: A variance below so many times the largest, for each attribute, is none.
_NOTHING = 8 * np.finfo(np.float64).eps
#: How many attributes a line of `describe` names for each component.
_LOADINGS = 3
#: Bytes of a block of rows written out as one matrix.
_BYTES = 32 << 20


@dataclass(frozen=True, slots=True, eq=False)
class ComponentsSummary(Summary):
    """The scatter of the numeric attributes over all rows."""

    schema: Schema
    scatter: ScatterMatrices

    @property
    def weight(self) -> Floats:
        """The weight of all rows."""
        return self.scatter.weight

    def widen(self, schema: Schema) -> ComponentsSummary:
        return replace(self, schema=schema)  # numbers have no levels


def summarise(rows: Table, plan: None = None) -> ComponentsSummary:
    """Summarise some rows: means and scatter."""

    def pieces() -> Iterator[ScatterMatrices]:
        for part, numbers in dense_slices(rows):
            weights = rows.weights[part] if rows.weights.size else None
            yield ScatterMatrices.of(numbers, np.zeros(len(numbers), dtype=np.int32), weights, 1)

    return ComponentsSummary(rows.schema, add_up(pieces()))


@dataclass(frozen=True, slots=True, eq=False)
class Components(ColumnModel):
    """Directions of largest variance, each at right angles to those before it.

    Attributes
    ----------
    mean, spread : arrays of (attributes,)
        What is subtracted from each attribute, and by what it is then divided (ones unless scaled).
    directions : array of (components, attributes)
        Unit vectors.
    variance : array of (components,)
        The variance along each, divisor n.
    total : float
        All the variance there is.
    """

    kind: ClassVar[str] = "principal-components"

    mean: Floats
    spread: Floats
    directions: Floats
    variance: Floats
    total: float

    @property
    def share(self) -> Floats:
        """The variance along each as a share of all; NaN where there is none."""
        return self.variance / self.total if self.total > 0 else np.full(len(self.variance), np.nan)

    def inputs(self, schema: Schema) -> Schema:
        return Schema(schema.numeric)

    def names(self, schema: Schema) -> tuple[str, ...]:
        return tuple(f"PC{j + 1}" for j in range(len(self.directions)))

    def columns(self, rows: Table) -> Floats:
        """The coordinates of each row."""
        pieces = [self._along(numbers) for _, numbers in dense_slices(rows)]
        return np.concatenate(pieces) if pieces else np.empty((0, len(self.directions)))

    @np.errstate(all="ignore")
    def _along(self, numbers: Block[np.float64]) -> Floats:
        coordinates = np.empty((len(numbers), len(self.directions)))
        step = max(1, _BYTES // (8 * max(len(self.mean), 1)))
        for start in range(0, len(numbers), step):
            part = slice(start, min(start + step, len(numbers)))
            away = np.column_stack([column[part] for column in numbers.columns]) - self.mean
            away[~np.isfinite(away)] = 0.0
            away /= self.spread
            coordinates[part] = row_products(away, self.directions.T)
        return np.nan_to_num(coordinates)  # of numbers beyond 1e300 or so

    def inverse(self, coordinates: Floats) -> Floats:
        """The rows that have these coordinates, in the plane the directions span."""
        back: Floats = (coordinates @ self.directions) * self.spread + self.mean
        return back

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        """The variance along each component, and the attributes it is most made of."""
        names = [printable(attribute.name) for attribute in schema.numeric]
        headings = [
            Heading("component"),
            Heading("variance", "right"),
            Heading("share", "right"),
            Heading("so far", "right"),
            Heading("made of", "left", least=20),
        ]
        so_far = np.cumsum(self.share)
        so_far[so_far > 1.0 - 1e-12] = 1.0  # rounding
        rows = []
        for j, direction in enumerate(self.directions):
            order = np.argsort(-np.abs(direction), kind="stable")[: len(names) if full else _LOADINGS]
            made_of = ", ".join(f"{direction[i]:+.3f} {names[i]}" for i in order)
            cells = (f"PC{j + 1}", number(float(self.variance[j])), percent(float(self.share[j])))
            rows.append((*cells, percent(float(so_far[j])), made_of))
        n, d = len(self.directions), len(self.mean)
        return "\n".join([f"{n} principal components of {d} numeric attributes", *table(headings, rows, 100)])

    def to_arrays(self) -> dict[str, Array]:
        arrays = {"mean": self.mean, "spread": self.spread, "directions": self.directions}
        return {**arrays, "variance": self.variance, "total": np.array([self.total])}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        names = ("mean", "spread", "directions", "variance", "total")
        require(set(arrays) == set(names), "it holds an unknown array of components")
        d = len(schema.numeric)
        mean = stored_floats(arrays, "mean", (d,))
        spread = stored_floats(arrays, "spread", (d,), low=np.finfo(np.float64).tiny)
        directions = stored_floats(arrays, "directions", (None, d), low=-1.0 - 1e-6, high=1.0 + 1e-6)
        require(1 <= len(directions) <= d, "there are too few or too many components")
        variance = stored_floats(arrays, "variance", (len(directions),), low=0.0)
        total = float(stored_floats(arrays, "total", (1,), low=0.0)[0])
        return cls(mean, spread, directions, variance, total)


def restore_summary(arrays: Mapping[str, Array], schema: Schema, plan: None) -> ComponentsSummary:
    """Restore a summary from a model file, validating shapes and weights."""
    template = summarise(empty_table(schema))
    if "scatter/pair_weight" in arrays:
        pairs = np.zeros_like(template.scatter.scatter)
        template = replace(template, scatter=replace(template.scatter, pair_weight=pairs, pair_mean=pairs))
    summary = restored_summary(template, arrays)
    for name, array in summary_arrays(summary).items():
        require(not name.endswith("weight") or (array >= 0).all(), f"the summary's {name!r} is below 0")
    return summary


def solve(
    summary: ComponentsSummary,
    *,
    n_components: int | float | str | None,
    scale: bool,
    signs: Sequence[float] | Array | None,
) -> Components:
    """Compute the first components.

    `n_components` is how many, or (below 1) the fraction of the variance they must explain together, or "auto".
    """
    scatter, _weight = summary.scatter, float(summary.weight.sum())
    d = scatter.attributes
    if isinstance(n_components, int | np.integer) and n_components > d:
        raise ParameterError(
            f"PrincipalComponents: n_components must be at most the number of numeric attributes, {d}; "
            f"got {n_components}."
        )
    covariance, spread = _covariance(summary, scale)
    values, vectors = np.linalg.eigh(covariance)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1].T
    total = float(values.sum())
    share = values / total if total > 0 else np.full(d, np.nan)
    if n_components == "auto":
        # By the correlations, whatever is scaled: among columns of unlike variances noise hides factors.
        keep = beyond_noise(*scree(summary, True))
    else:
        assert not isinstance(n_components, str)
        keep = _how_many(n_components, values, share)
    vectors = vectors[:keep] * _directions(vectors[:keep])[:, None]
    if signs is not None:
        vectors = vectors * _wanted_signs(signs, keep)[:, None]
    return Components(
        scatter.mean[0].copy(),
        spread,
        np.ascontiguousarray(vectors),
        values[:keep].copy(),
        total,
    )


def scree(summary: ComponentsSummary, scale: bool) -> tuple[Floats, Floats]:
    """The variance along every component, and what noise of the same columns would vary by."""
    covariance, _ = _covariance(summary, scale)
    values = np.maximum(np.linalg.eigvalsh(covariance)[::-1], 0.0)
    return values, noise_variances(np.diag(covariance), float(summary.weight.sum()))


def _covariance(summary: ComponentsSummary, scale: bool) -> tuple[Floats, Floats]:
    """The covariance (or correlation) matrix, and what the attributes are divided by."""
    scatter = summary.scatter
    covariance = scatter.impute_means()[0] / float(summary.weight.sum())
    if not np.isfinite(covariance).all():
        raise DataError(
            "PrincipalComponents: the numbers spread too far for their covariance to be computed; rescale the "
            "attributes whose values go beyond 1e150."
        )
    spread = np.ones(scatter.attributes)
    if scale:
        deviations = np.sqrt(np.diag(covariance))
        spread = np.where(deviations > 0, deviations, 1.0)
        covariance = covariance / np.outer(spread, spread)
    return covariance, spread


def _how_many(n_components: int | float | None, values: Floats, share: Floats) -> int:
    if isinstance(n_components, int | np.integer):
        return int(n_components)
    # Where rows have no extent the directions are arbitrary; what rounding makes of no variance is told from it.
    extent = int(np.count_nonzero(values > _NOTHING * len(values) * values[0]))
    if n_components is None or extent < 2:
        return max(extent, 1)
    # What rounding leaves out of the sum must not ask for one component more.
    enough = np.cumsum(share[:extent]) >= n_components * (1.0 - 1e-12)
    return int(np.argmax(enough)) + 1 if enough.any() else extent


def _directions(vectors: Floats) -> Floats:
    """+1 or -1 for each row: the sign of its first entry of largest magnitude."""
    size = np.abs(vectors)
    first = np.argmax(size >= (1.0 - _AS_LARGE) * size.max(axis=1, keepdims=True), axis=1)
    return np.where(vectors[np.arange(len(vectors)), first] < 0, -1.0, 1.0)


def _wanted_signs(signs: Sequence[float] | Array, keep: int) -> Floats:
    wanted = np.asarray(signs, dtype=np.float64)
    if wanted.shape != (keep,) or not np.isin(wanted, (-1.0, 1.0)).all():
        raise ParameterError(
            f"PrincipalComponents: signs must be {keep} numbers, each 1 or -1, one for each component; got {signs!r}."
        )
    return wanted


#: Tables of noise, and what share of them a component must exceed.
DRAWS, LEVEL = 100, 0.95
#: Columns beyond which fewer tables are drawn, as eigenvalues take the cube of their number.
_WIDE = 200


def noise_variances(variances: Floats, rows: float) -> Floats:
    """What independent normal columns of these variances vary by along their components, at the 95th percentile."""
    rng = np.random.default_rng(0)
    d, freedom = len(variances), max(round(rows) - 1, 1)
    spread = np.sqrt(variances)
    drawn_variances = np.empty((DRAWS if d <= _WIDE else 20, d))
    for draw in drawn_variances:
        if freedom >= d:
            root = np.tril(rng.standard_normal((d, d)), -1)
            root[np.diag_indices(d)] = np.sqrt(rng.chisquare(freedom - np.arange(d)))
        else:
            root = rng.standard_normal((d, freedom))
        values = np.linalg.svd(spread[:, None] * root, compute_uv=False) ** 2 / (freedom + 1)
        draw[:] = 0.0
        draw[: len(values)] = values
    return np.asarray(np.quantile(drawn_variances, LEVEL, axis=0))


def beyond_noise(values: Floats, noise: Floats) -> int:
    """How many of the variances, largest first, exceed those of noise; one at least."""
    above = values > noise
    return max(1, int(np.argmin(above)) if not above.all() else len(values))
