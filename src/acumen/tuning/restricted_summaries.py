"""Summaries of some attributes, taken out of the summary of all: what a wrapper tries needs no further pass.

    restricted   summary of all attributes, places of some -> the summary that these alone would have had; None where
                 it cannot be taken out (joint counts of levels, words)

Counts and moments of an attribute do not know the others; a scatter matrix holds that of some attributes as a
sub-matrix; and the triangular factor of some columns is that of these columns of the factor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from acumen.bayes.full import FullBayesSummary
from acumen.bayes.naive import NaiveBayesSummary
from acumen.data.schema import Schema
from acumen.discriminant.fisher import FisherSummary
from acumen.linear.least_squares import LeastSquaresSummary
from acumen.linear.systems import LinearSummary
from acumen.preprocessing.discretise.base import BinningSummary
from acumen.summaries.distinct import DistinctValues
from acumen.summaries.moments import ClassMoments
from acumen.summaries.scatter import ScatterMatrices
from acumen.summaries.triangle import Triangle, triangular
from acumen.types import Indices


def some_of(schema: Schema, places: Sequence[int]) -> Schema:
    """The schema of some of its inputs, with its target."""
    return Schema(tuple(schema.attributes[i] for i in places), schema.target)


def restricted(summary: Any, places: Sequence[int]) -> Any | None:
    """The summary of the inputs at these places, ascending; None where it cannot be had."""
    schema: Schema = summary.schema
    small = some_of(schema, places)
    if schema.text:
        return None
    chosen = {attribute.name for attribute in small.attributes}
    numeric = np.flatnonzero([a.name in chosen for a in schema.numeric])
    if isinstance(summary, NaiveBayesSummary):
        return _naive(summary, small, numeric, chosen)
    if isinstance(summary, FullBayesSummary | FisherSummary):
        if schema.nominal:
            return None
        scatter = _scatter(summary.scatter, numeric)
        if isinstance(summary, FisherSummary):
            return replace(summary, schema=small, scatter=scatter)
        return replace(summary, schema=small, scatter=scatter, distinct=_distinct(summary.distinct, numeric))
    if isinstance(summary, LeastSquaresSummary):
        return replace(summary, schema=small, rows=_linear(summary.rows, small, places))
    if isinstance(summary, LinearSummary):
        return _linear(summary, small, places)
    return None


def _naive(
    summary: NaiveBayesSummary, small: Schema, numeric: Indices, chosen: set[str]
) -> NaiveBayesSummary | None:
    nominal = tuple(
        counts for a, counts in zip(summary.schema.nominal, summary.nominal, strict=True) if a.name in chosen
    )
    if isinstance(summary.numeric, ClassMoments):
        measured: Any = _moments(summary.numeric, numeric)
    elif isinstance(summary.numeric, BinningSummary):
        measured = BinningSummary(tuple(summary.numeric.columns[i] for i in numeric.tolist()))
    else:
        return None
    distinct = None if summary.distinct is None else _distinct(summary.distinct, numeric)
    return replace(summary, schema=small, nominal=nominal, numeric=measured, distinct=distinct)


def _moments(moments: ClassMoments, at: Indices) -> ClassMoments:
    return ClassMoments(
        moments.weight[:, at], moments.mean[:, at], moments.scatter[:, at], moments.rest[:, at]
    )


def _distinct(values: DistinctValues, at: Indices) -> DistinctValues:
    return DistinctValues(values.values[at], values.count[at])


def _scatter(scatter: ScatterMatrices, at: Indices) -> ScatterMatrices:
    def part(matrices: Any) -> Any:
        return None if matrices is None else np.ascontiguousarray(matrices[:, at][:, :, at])

    return replace(
        scatter,
        moments=_moments(scatter.moments, at),
        scatter=part(scatter.scatter),
        pair_weight=part(scatter.pair_weight),
        pair_mean=part(scatter.pair_mean),
    )


def _linear(summary: LinearSummary, small: Schema, places: Sequence[int]) -> LinearSummary:
    owner = summary.columns.owner
    inputs = np.flatnonzero(np.isin(owner, places))
    with_gaps = np.flatnonzero(summary.gaps)
    gaps = np.flatnonzero(np.isin(with_gaps, places))
    triangle = summary.triangle
    last = len(triangle.factor) - triangle.targets
    at = np.concatenate([[0], 1 + inputs, 1 + len(owner) + gaps, np.arange(last, len(triangle.factor))])
    factor = triangular(triangle.factor[:, at.astype(np.intp)])
    return LinearSummary(
        small, summary.plan, summary.gaps[list(places)], Triangle(triangle.weight, factor, triangle.targets)
    )
