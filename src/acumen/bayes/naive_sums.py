"""Naive Bayes as sums of terms: the log prior of a class, and what each attribute adds to it.

sums_of   model, schema -> one Sum for each class: log P(class, row) up to what all classes share
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from acumen import messages
from acumen.bayes.factors.binned import BinnedFactor
from acumen.bayes.factors.gaussian import GaussianFactor
from acumen.bayes.factors.kernel import KernelFactor
from acumen.codegen.terms import Count, LevelCases, Square, Term, TermSum, sum_of
from acumen.conditions.condition import Condition
from acumen.data.schema import Attribute, Schema
from acumen.errors import DataError
from acumen.types import Floats

if TYPE_CHECKING:
    from acumen.bayes.naive import NaiveBayesModel


def sums_of(model: NaiveBayesModel, schema: Schema) -> tuple[TermSum, ...]:
    """A Count for each level, a Square for each Gaussian, a Choice for each attribute in intervals."""
    if schema.text:
        raise DataError(
            f"the words of the text {schema.text[0].name!r} cannot be exported as a sum of terms; fit without it."
        )
    power = np.ones(len(schema)) if model.exponents is None else model.exponents
    weight = dict(zip(schema.names, power.tolist(), strict=True))
    sums = []
    for c, prior in enumerate(model.log_prior.tolist()):
        terms: list[Term] = []
        for a, logs in zip(schema.nominal, model.nominal.log_level, strict=True):
            terms += [
                Count(log * weight[a.name], (Condition(a.name, "=", level),))
                for log, level in zip(logs[c].tolist(), a.levels, strict=True)
                if weight[a.name]
            ]
        terms += [t for a, t in _numeric(model, schema.numeric, c, weight) if weight[a.name]]
        sums.append(sum_of(prior, terms))
    return tuple(sums)


def _numeric(
    model: NaiveBayesModel, attributes: Sequence[Attribute], c: int, weight: dict[str, float]
) -> list[tuple[Attribute, Term]]:
    factor = model.numeric
    if isinstance(factor, GaussianFactor):
        return [
            (a, square_of(a.name, float(m), float(v), weight[a.name]))
            for a, m, v in zip(attributes, factor.mean[c], factor.variance[c], strict=True)
        ]
    if isinstance(factor, BinnedFactor):
        pairs = zip(attributes, factor.binning.intervals, factor.log_bin, strict=True)
        return [
            (a, _steps(a.name, cut.edges, cut.closed == "left", logs[c] * weight[a.name]))
            for a, cut, logs in pairs
        ]
    if isinstance(factor, KernelFactor) and not attributes:
        return []
    raise DataError(
        "kernel densities and Student's t of naive Bayes cannot be exported as a sum of terms; fit with "
        f"{messages.setting('numeric', 'gaussian')} or {messages.setting('numeric', 'discretise')}, and without "
        "a prior on variances."
    )


def square_of(name: str, mean: float, variance: float, power: float = 1.0) -> Square:
    """The logarithm of a Gaussian density, nothing where the number is missing."""
    start = -0.5 * (np.log(2.0 * np.pi) + np.log(variance))
    return Square(-0.5 / variance * power, name, mean, float(start) * power, power=power)


def _steps(name: str, edges: Floats, left: bool, logs: Floats) -> LevelCases:
    """A number for each interval; an edge that belongs to the upper one is asked for a hair below it."""
    cuts = np.nextafter(edges, -np.inf) if left else edges
    missing = ((Condition(name, "missing"),), 0.0)
    cases = [
        ((Condition(name, "<=", cut),), log) for cut, log in zip(cuts.tolist(), logs.tolist(), strict=False)
    ]
    return LevelCases((missing, *cases), float(logs[-1]))
