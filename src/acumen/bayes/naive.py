"""Naive Bayes for tables with numeric, nominal and text attributes.

    plan        parts   -> NaiveBayesPlan       bin edges and vocabularies, where there are any
    summarise   rows    -> NaiveBayesSummary    reads data, knows no hyper-parameter
    solve       summary -> NaiveBayesModel      knows hyper-parameters, reads no data
    scores      rows    -> log P(class, row)    all a fitted model does

Attributes are taken as independent within a class: the score is the log prior plus what each factor adds.
A missing value is left out of its own attribute only, in training and in prediction.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, cast

import numpy as np

from acumen.base.attribute_weights import (
    MOST,
    AttributeWeights,
    said_of_weights,
    weights_of,
    without_ignored,
)
from acumen.bayes.factors import binned, gaussian, kernel, levels, student, words
from acumen.bayes.factors.factor import Factor, Term, evidence_of
from acumen.bayes.smoothing import Estimator, alphas_of
from acumen.bayes.variance_floors import VarianceFloor, restore_with_distinct
from acumen.codegen.export import Summed
from acumen.codegen.terms import TermSum
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.blocks import Source
from acumen.engines.run import run_over
from acumen.explain.arithmetic import Working
from acumen.explain.explanation import Evidence
from acumen.models.decision import log_prior
from acumen.models.model import Model
from acumen.models.predictor import Predictor
from acumen.models.summary_arrays import empty_table, summary_arrays
from acumen.preprocessing.discretise.base import Binning
from acumen.preprocessing.stored_arrays import require, stored_floats, stored_log_shares
from acumen.preprocessing.words import Vocabulary
from acumen.render.views import render
from acumen.summaries.algebra import Each, Summary, plan_difference
from acumen.summaries.counts import LevelCounts
from acumen.summaries.distinct import DistinctValues
from acumen.summaries.moments import ClassMoments
from acumen.summaries.words import TokenCounts
from acumen.types import Array, Codes, Floats

if TYPE_CHECKING:
    from acumen.preprocessing.discretise.unsupervised import EqualWidth
    from acumen.render.report import ReportTable

#: Intervals of an attribute at most: each has its edge, its counts and its name.
MOST_BINS = 10_000
#: So many rows are weighed at a time, since their columns are copied.
_WEIGHTED_ROWS = 1 << 14

Numeric = Literal["gaussian", "histogram", "kernel", "discretise"]


@dataclass(frozen=True, slots=True)
class NaiveBayesPlan:
    """What must be the same for all rows; `numeric` says which summary of numeric attributes is kept."""

    numeric: Numeric
    binning: Binning | None
    vocabularies: tuple[Vocabulary, ...]

    def to_arrays(self) -> dict[str, Array]:
        arrays: dict[str, Array] = {f"numeric/{self.numeric}": np.zeros(0)}
        if self.binning is not None:
            arrays |= {f"binning/{name}": array for name, array in self.binning.to_arrays().items()}
        return arrays | words.vocabulary_arrays(self.vocabularies)


def contradiction(
    numeric: Numeric,
    estimator: Estimator,
    priors: Mapping[str, Any],
    bins: int | None,
    smooth_only_zeros: bool,
) -> str | None:
    """A sentence on a parameter that would have no effect in combination with the others, or None.

    `priors` are those on means and variances, by the names of their parameters.
    """
    set_priors = {name: prior for name, prior in priors.items() if prior is not None}
    for name in set_priors:
        if numeric != "gaussian":
            return f"{name} is for numeric='gaussian'; with numeric={numeric!r} leave it None."
    for one, other in itertools.combinations(set_priors, 2):
        if (shared := _overlap(set_priors[one], set_priors[other])) is not None:
            return (
                f"{one} and {other} are both given for {shared}; a prior on mean and variance together is "
                "normal_gamma_prior, alone."
            )
    if bins is not None and numeric in ("gaussian", "kernel"):
        return f"bins is for numeric='histogram' and 'discretise'; with numeric={numeric!r} leave it None."
    if bins is not None and bins > MOST_BINS:
        return f"bins must be at most {MOST_BINS:,}; got {bins:,}."
    if smooth_only_zeros and estimator == "mle":
        return "smooth_only_zeros needs estimator='bayes' or 'map'; 'mle' smooths nothing."
    return None


def _overlap(one: Any, other: Any) -> str | None:
    """What two priors are both on: one that is no mapping is on all numeric attributes."""
    names = [prior for prior in (one, other) if isinstance(prior, Mapping)]
    if not names:
        return "all numeric attributes"
    both = [name for name in names[0] if name in names[-1]]
    return repr(both[0]) if both else None


def needs_plan(schema: Schema, numeric: Numeric) -> bool:
    """Whether rows must be seen before they can be summarised."""
    return bool(schema.text) or (numeric == "histogram" and bool(schema.numeric))


def plan(parts: Source, *, numeric: Numeric, bins: int | None) -> NaiveBayesPlan:
    """Compute bin edges and vocabularies in one pass over all rows, if any are needed."""
    way = None
    if numeric == "histogram":
        from acumen.preprocessing.discretise.unsupervised import EqualWidth

        way = EqualWidth(bins or binned.HISTOGRAM_BINS)
    observed = run_over(partial(_observe, way), parts)
    texts, extents = ((), ()) if observed is None else (observed.things[0].things, observed.things[1].things)
    binning = None if way is None or not extents else way.solve(extents[0])
    return NaiveBayesPlan(numeric, binning, tuple(Vocabulary.of(counts, min_count=0) for counts in texts))


def _observe(way: EqualWidth | None, part: Table) -> Each[Any]:
    """The words of some rows, and the range of each of their numeric attributes if that is asked for."""
    extents = () if way is None or not part.schema.numeric else (way.summarise(part),)
    return Each((Each(words.count(part)), Each(extents)))


@dataclass(frozen=True, slots=True)
class NaiveBayesSummary(Summary):
    """Counts for the class and every nominal attribute, and one summary for the numeric ones together."""

    schema: Schema  # must agree before two summaries may add
    plan: NaiveBayesPlan
    classes: LevelCounts  # one level: how often each class occurs
    nominal: tuple[LevelCounts, ...]  # one for each nominal attribute
    numeric: Any  # ClassMoments, BinCounts or BinningSummary, by the plan
    words: tuple[TokenCounts, ...]  # one for each text attribute
    distinct: DistinctValues | None = None  # of numeric attributes that are Gaussians

    @property
    def class_totals(self) -> Floats:
        """The weight of each class."""
        return self.classes.known_counts[:, 0]

    @property
    def gap(self) -> Floats:
        """How far apart the values of each numeric attribute lie; 0 where that was not looked at."""
        return np.zeros(len(self.schema.numeric)) if self.distinct is None else self.distinct.gap

    def _difference(self, other: NaiveBayesSummary) -> str | None:
        if self.plan.numeric != other.plan.numeric:
            return (
                f"one has numeric={self.plan.numeric!r} in its plan, the other numeric={other.plan.numeric!r}"
            )
        return self.schema.difference(other.schema) or plan_difference(self.plan, other.plan)

    def _merge(self, other: NaiveBayesSummary) -> NaiveBayesSummary:
        return NaiveBayesSummary(
            self.schema,
            self.plan,
            self.classes + other.classes,
            tuple(a + b for a, b in zip(self.nominal, other.nominal, strict=True)),
            self.numeric + other.numeric,
            tuple(a + b for a, b in zip(self.words, other.words, strict=True)),
            None if self.distinct is None or other.distinct is None else self.distinct + other.distinct,
        )

    def widen(self, schema: Schema) -> NaiveBayesSummary:
        """The same counts under a schema with more levels."""
        wider = tuple(
            counts.widen(len(attribute.levels))
            for attribute, counts in zip(schema.nominal, self.nominal, strict=True)
        )
        return replace(self, schema=schema, nominal=wider)


def summarise(rows: Table, plan: NaiveBayesPlan) -> NaiveBayesSummary:
    """Summarise some rows: counts, means and scatter."""
    labels, weights, k = rows.class_codes, rows.weights, rows.schema.n_classes
    numeric, distinct = _summarise_numeric(rows, plan)
    return NaiveBayesSummary(
        schema=rows.schema,
        plan=plan,
        classes=LevelCounts.of(np.zeros_like(labels), labels, weights, k, 1),
        nominal=tuple(
            LevelCounts.of(codes, labels, weights, k, len(attribute.levels))
            for attribute, codes in rows.nominal_columns()
        ),
        numeric=numeric,
        words=words.summarise(rows, plan.vocabularies),
        distinct=distinct,
    )


def summarise_parts(rows: Table, plan: NaiveBayesPlan, parts: Codes, n_parts: int) -> list[NaiveBayesSummary]:
    """The summaries of all parts in one pass; rows with a part outside 0..n_parts-1 are in none."""
    labels, weights, k = rows.class_codes, rows.weights, rows.schema.n_classes
    classes = LevelCounts.of_parts(np.zeros_like(labels), labels, weights, k, 1, parts, n_parts)
    nominal = [
        LevelCounts.of_parts(codes, labels, weights, k, len(attribute.levels), parts, n_parts)
        for attribute, codes in rows.nominal_columns()
    ]
    numeric: list[tuple[Any, DistinctValues | None]]
    if plan.numeric == "gaussian" and rows.sparse is None:
        arguments = (rows.numeric, labels, weights, k, parts, n_parts)
        numeric = list(
            zip(ClassMoments.of_parts(*arguments), DistinctValues.of_parts(*arguments), strict=True)
        )
    else:
        numeric = [_summarise_numeric(rows.take(parts == p), plan) for p in range(n_parts)]
    texts = [
        TokenCounts.of_parts(vocabulary.transform(rows), labels, weights, k, parts, n_parts)
        for vocabulary in plan.vocabularies
    ]
    return [
        NaiveBayesSummary(
            rows.schema,
            plan,
            classes[p],
            tuple(n[p] for n in nominal),
            numeric[p][0],
            tuple(t[p] for t in texts),
            numeric[p][1],
        )
        for p in range(n_parts)
    ]


def _summarise_numeric(rows: Table, plan: NaiveBayesPlan) -> tuple[Any, DistinctValues | None]:
    match plan.numeric:
        case "histogram" if plan.binning is not None:
            return binned.count_bins(rows, plan.binning), None
        case "kernel" | "discretise":
            return binned.count_values(rows), None
        case _:
            return gaussian.summarise(rows)


def solve(
    summary: NaiveBayesSummary,
    *,
    estimator: Estimator,
    alpha: Any,
    mean_prior: Any,
    bins: int | None,
    smooth_only_zeros: bool,
    var_floor: VarianceFloor,
    attribute_weights: AttributeWeights = None,
    variance_prior: Any = None,
    normal_gamma_prior: Any = None,
) -> NaiveBayesModel:
    """Turn counts into log probabilities and measurements into densities."""
    schema, plan = summary.schema, summary.plan
    alphas = alphas_of(alpha, schema.nominal, estimator, "NaiveBayes")
    one = 1.0 if isinstance(alpha, (Mapping, list, tuple)) or np.ndim(alpha) else float(alpha)
    match plan.numeric:
        case "histogram" if plan.binning is not None:
            numeric: Factor = binned.solve_histogram(
                summary.numeric, plan.binning, one, estimator, smooth_only_zeros
            )
        case "discretise":
            numeric = binned.solve_discretised(summary.numeric, bins, one, estimator, smooth_only_zeros)
        case "kernel":
            numeric = kernel.solve(summary.numeric, schema.classes, var_floor)
        case _:
            numeric = _solve_gaussian(summary, var_floor, mean_prior, variance_prior, normal_gamma_prior)
    weight = summary.class_totals
    return NaiveBayesModel(
        log_prior=log_prior(weight),
        weight=weight,
        nominal=levels.solve(summary.nominal, alphas, estimator, smooth_only_zeros),
        numeric=numeric,
        words=words.solve(summary.words, plan.vocabularies, one),
        exponents=weights_of(attribute_weights, schema, "NaiveBayes"),
    )


def _solve_gaussian(
    summary: NaiveBayesSummary,
    var_floor: VarianceFloor,
    mean_prior: Any,
    variance_prior: Any,
    normal_gamma_prior: Any,
) -> Factor:
    """Gaussians, or Student distributions where variances have a prior."""
    attributes = summary.schema.numeric
    variance = {} if variance_prior is None else student.variance_priors(variance_prior, attributes)
    both = {} if normal_gamma_prior is None else student.normal_gamma_priors(normal_gamma_prior, attributes)
    plain = gaussian.solve(
        summary.numeric,
        summary.gap,
        attributes=attributes,
        classes=summary.schema.classes,
        var_floor=var_floor,
        mean_prior=mean_prior,
        settled=[*variance, *both],
    )
    if not variance and not both:
        return plain
    return student.solve(plain, summary.numeric, variance=variance, both=both)


@dataclass(frozen=True, slots=True)
class NaiveBayesModel(Summed, Model):
    """Class priors and the factors."""

    kind: ClassVar[str] = "naive-bayes"
    generative: ClassVar[bool] = True

    log_prior: Floats  # (classes,)
    weight: Floats  # training weight of each class
    nominal: levels.LevelsFactor
    numeric: Factor
    words: words.WordsFactor
    exponents: Floats | None = (
        None  # of what each attribute says, in the schema's order; None where all are 1
    )

    @property
    def factors(self) -> tuple[Factor, ...]:
        return self.nominal, self.numeric, self.words

    def scores(self, rows: Table) -> Floats:
        """log P(class, row) less `common`, one line per row."""
        total = np.tile(self.log_prior, (len(rows), 1))
        if self.exponents is None:
            for factor in self.factors:
                factor.add_logs(rows, total)
            return total
        for start in range(0, len(rows), _WEIGHTED_ROWS):
            some = slice(start, start + _WEIGHTED_ROWS)
            for exponent, alone in self._by_exponent(rows.take(some)):
                logs = np.zeros((len(alone), len(self.log_prior)))
                for factor in self.factors:
                    factor.add_logs(alone, logs)
                total[some] += exponent * logs
        return total

    def _by_exponent(self, rows: Table) -> Iterator[tuple[float, Table]]:
        """Each exponent with the rows as if only its attributes were known: what is missing says nothing."""
        assert self.exponents is not None
        for exponent in np.unique(self.exponents[self.exponents > 0]).tolist():
            yield exponent, without_ignored(rows, np.where(self.exponents == exponent, 1.0, 0.0))

    def common(self, rows: Table) -> Floats | float:
        """Levels the schema does not know are as likely in one class as in another."""
        if self.exponents is None:
            return self.nominal.unknown_logs(rows)
        return sum(e * self.nominal.unknown_logs(alone) for e, alone in self._by_exponent(rows))

    @property
    def n_parameters(self) -> int:
        return sum(factor.n_parameters for factor in self.factors)

    def to_sums(self, schema: Schema) -> tuple[TermSum, ...]:
        """The score of each class as a sum of terms; DataError for words, kernels and Student distributions."""
        from acumen.bayes.naive_sums import sums_of

        return sums_of(self, schema)

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        return evidence_of(self.log_prior, self.weight, self._terms(row), winner, rival)

    def _terms(self, row: Table) -> Iterator[Term]:
        for exponent, alone in ((1.0, row),) if self.exponents is None else self._by_exponent(row):
            for factor in self.factors:
                yield from (replace(term, logs=exponent * term.logs) for term in factor.terms(alone))

    def working(self, predictor: Predictor, row: Table, shares: Floats) -> Working:
        from acumen.bayes.worked_steps import working

        return working(self, predictor, row, shares)

    def to_tables(self, schema: Schema) -> tuple[ReportTable, ...]:
        """The model as tables, for a page."""
        return tuple(render(self, "tables", schema=schema))

    def to_steps(self, schema: Schema) -> str:
        """Each probability as the fraction of counts it is."""
        from acumen.bayes.worked_steps import fractions_text

        return fractions_text(self, schema)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        shares = ", ".join(
            f"{label}: {share:.4f}"
            for label, share in zip(schema.classes, np.exp(self.log_prior), strict=True)
        )
        target = schema.target.name if schema.target else "class"
        head = [f"Naive Bayes for {target}, from {self.weight.sum():g} rows", f"P({target})  {shares}"]
        if self.exponents is not None:
            head.append(said_of_weights(self.exponents, schema))
        parts = (
            self.nominal.lines(schema.nominal, schema.classes),
            self.numeric.lines(schema.numeric, schema.classes) if schema.numeric else [],
            self.words.lines(schema.text, schema.classes),
        )
        return "\n".join([*head, *(line for part in parts for line in part)])

    def to_arrays(self) -> dict[str, Array]:
        arrays: dict[str, Array] = {"log_prior": self.log_prior, "weight": self.weight}
        for factor in self.factors:
            arrays |= factor.to_arrays()
        return arrays if self.exponents is None else arrays | {"exponents": self.exponents}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        k = schema.n_classes
        exponents = None
        if "exponents" in arrays:
            exponents = stored_floats(arrays, "exponents", (len(schema),), low=0.0, high=MOST)
        stored_words = [word for word in ("histogram", "discretise", "kernel", "student") if any(
            name.startswith(f"numeric/{word}/") for name in arrays)]  # fmt: skip
        require(len(stored_words) <= 1, "numeric attributes are stored in two ways")
        numeric: Factor
        match stored_words:
            case ["kernel"]:
                numeric = kernel.KernelFactor.from_arrays(arrays, schema.numeric, k)
            case ["student"]:
                numeric = student.StudentFactor.from_arrays(arrays, schema.numeric, k)
            case [word]:
                numeric = binned.BinnedFactor.from_arrays(arrays, schema.numeric, k, word)
            case _ if not schema.numeric and "numeric/gaussian/mean" not in arrays:
                numeric = kernel.KernelFactor((), (), ())
            case _:
                numeric = gaussian.GaussianFactor.from_arrays(arrays, schema.numeric, k)
        return cls(
            log_prior=stored_log_shares(arrays, "log_prior", (k,)),
            weight=stored_floats(arrays, "weight", (k,), low=0.0),
            nominal=levels.LevelsFactor.from_arrays(arrays, schema.nominal, k),
            numeric=numeric,
            words=words.WordsFactor.from_arrays(arrays, schema.text, k),
            exponents=exponents,
        )


def restore_plan(arrays: Mapping[str, Array], schema: Schema) -> NaiveBayesPlan:
    """Restore a plan, validating every part."""
    ways = [name.removeprefix("numeric/") for name in arrays if name.startswith("numeric/")]
    require(
        len(ways) == 1 and ways[0] in ("gaussian", "histogram", "kernel", "discretise"),
        "the plan is not known",
    )
    inner = {n.removeprefix("binning/"): a for n, a in arrays.items() if n.startswith("binning/")}
    binning = Binning.from_arrays(inner) if inner else None
    if binning is not None:
        require(
            [b.attribute for b in binning.intervals] == [a.name for a in schema.numeric], "edges do not fit"
        )
    return NaiveBayesPlan(cast(Numeric, ways[0]), binning, words.restore_vocabularies(arrays, schema.text))


def restore_summary(arrays: Mapping[str, Array], schema: Schema, plan: NaiveBayesPlan) -> NaiveBayesSummary:
    """Restore a summary, validating shapes and weights."""
    template = summarise(empty_table(schema), plan)
    summary = restore_with_distinct(template, arrays)
    for name, array in summary_arrays(summary).items():
        if name.startswith("distinct/"):
            continue
        if name.endswith("values"):
            require((array[1:] > array[:-1]).all(), f"the summary's {name!r} do not ascend")
        elif not name.endswith(("mean", "rest")):
            require((array >= 0).all(), f"the summary's {name!r} holds a negative weight")
    return summary
