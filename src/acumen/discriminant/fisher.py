"""Fisher's linear discriminant: the directions in which the classes lie furthest apart for their spread.

    summarise   rows    -> FisherSummary    means of the classes, scatter within them
    solve       summary -> FisherModel      directions w that maximise (w'Bw) / (w'Sw), largest first
    scores      rows    -> log P(class | row), up to what all classes share
    project     rows    -> coordinates along the directions

B is the scatter of the class means, S the scatter within the classes. For two classes w is S^-1 (m2 - m1); for
K the w are the eigenvectors of S^-1 B with the K - 1 largest eigenvalues, found as the principal directions of
the class means where S is the identity. Rows are classified among their projections: by the nearest class
mean there, moved by the logarithm of the class shares. With all K - 1 directions that is linear discriminant
analysis (a Gaussian for each class, one covariance with divisor n); with equal shares the threshold of two classes is
halfway between the projected means. Where there are fewer rows than columns see `few_rows`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from acumen.base.linear_scores import LinearScores, shares_said
from acumen.codegen.export import Summed
from acumen.codegen.terms import TermSum
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.discriminant.class_directions import (
    check_number,
    directions_of,
    directions_of_few,
    require_finite,
)
from acumen.discriminant.nearest_mean import centres, is_varying, widen_scatter
from acumen.explain.explanation import Evidence
from acumen.models.decision import log_prior
from acumen.models.model import Model
from acumen.models.summary_arrays import empty_table, restored_summary, summary_arrays
from acumen.preprocessing.coded import centre_block, coded_columns, coded_slices, coded_width, places_in
from acumen.preprocessing.sparse import row_products
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.render.text import Heading, number, table
from acumen.summaries.algebra import Summary, add_up
from acumen.summaries.scatter import ScatterMatrices
from acumen.types import Array, Codes, Floats

_ROWS = 8192
_MOST = 1e150


@dataclass(frozen=True, slots=True, eq=False)
class FisherSummary(Summary):
    """Class weights, means and the scatter within all classes together."""

    schema: Schema
    scatter: ScatterMatrices

    @property
    def class_totals(self) -> Floats:
        """The weight of each class."""
        return self.scatter.weight

    def widen(self, schema: Schema) -> FisherSummary:
        """The same under a schema with more levels."""
        places = places_in(self.schema, schema)
        return replace(self, schema=schema, scatter=widen_scatter(self.scatter, places, coded_width(schema)))


def summarise(rows: Table, plan: None = None) -> FisherSummary:
    """Summarise some rows: means and scatter."""
    labels, weights, k = rows.class_codes, rows.weights, rows.schema.n_classes
    return FisherSummary(
        rows.schema,
        add_up(
            ScatterMatrices.of(
                values, labels[part], weights[part] if weights.size else weights, k, shared=True
            )
            for part, values in coded_slices(rows)
        ),
    )


def summarise_parts(rows: Table, plan: None, parts: Codes, n_parts: int) -> list[FisherSummary]:
    """The summaries of all parts in one pass; rows with a part outside 0..n_parts-1 are in none."""
    labels, weights, k = rows.class_codes, rows.weights, rows.schema.n_classes
    parts_measured = [
        ScatterMatrices.of_parts(
            values, labels[part], weights[part] if weights.size else weights, k, parts[part], n_parts, True
        )
        for part, values in coded_slices(rows)
    ]
    return [FisherSummary(rows.schema, add_up(each)) for each in zip(*parts_measured, strict=True)]


def solve(summary: FisherSummary, *, n_directions: int | None, shrinkage: float | None) -> FisherModel:
    """Compute the model: whiten within the classes, then find the directions in which their means differ most."""
    totals = summary.class_totals
    share = totals / totals.sum()
    centre, mean = centres(summary.scatter.moments, share, "Fisher")
    apart = mean - centre
    within = summary.scatter.impute_means()[0] / totals.sum()
    if not (used := is_varying(within, apart, mean)).all():
        apart = np.where(used, apart, 0.0)
        within = np.where(used[:, None] & used, within, 0.0)
    freedom = totals.sum() - np.count_nonzero(totals)
    if shrinkage is None and freedom < np.count_nonzero(used):
        scalings, separation, believed = _of_few_rows(
            within, apart, share, totals.sum(), freedom, n_directions
        )
        projected = believed * (apart @ scalings.T)
    else:
        scalings, separation = directions_of(within, apart, share, n_directions, shrinkage or 0.0, "Fisher")
        projected = apart @ scalings.T
    offset = log_prior(totals) - 0.5 * np.einsum("cq,cq->c", projected, projected)
    return FisherModel(
        LinearScores(centre, projected @ scalings, offset),
        scalings,
        separation,
        totals,
    )


def _of_few_rows(
    within: Floats, apart: Floats, share: Floats, rows: float, freedom: float, n_directions: int | None
) -> tuple[Floats, Floats, float]:
    check_number(n_directions, len(share), "Fisher")
    require_finite(within, "Fisher")
    return directions_of_few(within, apart, share, rows, freedom, n_directions)


@dataclass(frozen=True, slots=True)
class FisherModel(Summed, Model):
    """Directions, what they separate, and the planes of the classifier."""

    kind: ClassVar[str] = "fisher"

    planes: LinearScores
    scalings: Floats  # (directions, columns): variance 1 within the classes along each
    separation: Floats  # (directions,): scatter between over scatter within
    weight: Floats  # training weight of each class

    @property
    def n_directions(self) -> int:
        return len(self.scalings)

    @property
    def directions(self) -> Floats:
        """The directions as vectors of length 1, one a row."""
        length = np.linalg.norm(self.scalings, axis=1, keepdims=True)
        return self.scalings / np.where(length > 0, length, 1.0)

    @property
    def ratio(self) -> float | None:
        """Of two classes (m1 - m2)^2 / (s1^2 + s2^2) along the direction, s^2 being scatter; else None."""
        first, second = [*self.weight.tolist(), 0.0, 0.0][:2]
        if len(self.weight) != 2 or not first * second > 0:
            return None
        return float(self.separation[0] * (first + second) / (first * second))

    def scores(self, rows: Table) -> Floats:
        """log P(class | row) up to a constant for each row."""
        return self.planes.scores(rows)

    def project(self, rows: Table) -> Floats:
        """Coordinates along the directions about the overall mean; a missing number counts as the mean."""
        coordinates = np.empty((len(rows), len(self.scalings)))
        for part, block in coded_slices(rows):
            out = coordinates[part]
            for start in range(0, len(block), _ROWS):
                some = slice(start, min(start + _ROWS, len(block)))
                with np.errstate(over="ignore", invalid="ignore"):
                    out[some] = row_products(
                        centre_block(block.take(some).matrix(), self.planes.centre), self.scalings.T
                    )
        return coordinates

    # -- telling ----------------------------------------------------------------------------------

    @property
    def n_parameters(self) -> int:
        """Of the planes: one for each class but one."""
        return max(len(self.weight) - 1, 0) * (len(self.planes.centre) + 1)

    def to_sums(self, schema: Schema) -> tuple[TermSum, ...]:
        """The plane of each class."""
        return self.planes.sums(schema)

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        return self.planes.evidence(row, schema, winner, rival)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = schema.target.name if schema.target else "class"
        names = [column.name for column in coded_columns(schema)]
        total = float(self.separation.sum())
        headings = [
            Heading("direction"),
            Heading("separation", "right"),
            Heading("share", "right"),
            Heading("made of", least=20),
        ]
        shown = len(names) if full else 4
        rows = []
        for j, w in enumerate(self.directions):
            order = np.argsort(-np.abs(w), kind="stable")[:shown]
            made_of = ", ".join(f"{w[i]:+.3f} {names[i]}" for i in order)
            share = float(self.separation[j]) / total if total > 0 else 0.0
            rows.append((f"F{j + 1}", number(float(self.separation[j])), f"{100 * share:.1f} %", made_of))
        return "\n".join(
            [
                f"Fisher's discriminant for {target}, from {self.weight.sum():g} rows",
                f"P({target})  {shares_said(schema.classes, self.weight)}",
                *table(headings, rows, 10_000 if full else 100),
                "Planes of the classifier:",
                *self.planes.lines(schema, full),
            ]
        )

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        extra = {"scalings": self.scalings, "separation": self.separation, "weight": self.weight}
        return {**self.planes.to_arrays(), **extra}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        weight = stored_floats(arrays, "weight", (schema.n_classes,), low=0.0, high=1e300)
        require(weight.sum() > 0, "no class has any weight")
        scalings = stored_floats(arrays, "scalings", (None, coded_width(schema)), low=-_MOST, high=_MOST)
        require(1 <= len(scalings) <= max(schema.n_classes, 2), "there are too few or too many directions")
        separation = stored_floats(arrays, "separation", (len(scalings),), low=0.0, high=1e300)
        return cls(LinearScores.from_arrays(arrays, schema), scalings, separation, weight)


def restore_summary(arrays: Mapping[str, Array], schema: Schema, plan: None) -> FisherSummary:
    """Restore a summary, validating shapes and weights."""
    template = summarise(empty_table(schema))
    if "scatter/pair_weight" in arrays:
        d = coded_width(schema)
        pairs = np.zeros((schema.n_classes, d, d))
        template = replace(template, scatter=replace(template.scatter, pair_weight=pairs, pair_mean=pairs))
    summary = restored_summary(template, arrays)
    for name, array in summary_arrays(summary).items():
        if name.endswith("weight"):
            require((array >= 0).all(), f"the summary's {name!r} holds a negative weight")
    return summary
