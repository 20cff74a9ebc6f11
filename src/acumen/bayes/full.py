"""Full Bayes: no independence assumed within the numeric or within the nominal attributes.

    plan        -> whether one covariance is shared
    summarise   rows    -> FullBayesSummary     joint counts and scatter matrices
    solve       summary -> FullBayesModel       a Gaussian and a joint table for each class
    scores      rows    -> log P(class, row)    but for what all classes share

P(row | class) is the joint probability of the nominal attributes times a Gaussian of the numeric ones. With a
shared covariance the classes are separated by planes (linear discriminant analysis), with one for each class
by quadrics. Missing numbers are filled by the class mean in training and integrated out in prediction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from acumen import _native, messages
from acumen.bayes import full_text
from acumen.bayes.covariance import Covariance, covariances, inverse_factors
from acumen.bayes.factors.factor import Term, chain_terms, evidence_of
from acumen.bayes.joint_table import JointTable
from acumen.bayes.variance_floors import known_means, restore_with_distinct
from acumen.codegen.export import Summed
from acumen.codegen.terms import TermSum
from acumen.data.block import Block
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.errors import DataError, ModelFileError
from acumen.explain.explanation import Evidence
from acumen.models.decision import log_prior
from acumen.models.model import Model
from acumen.models.summary_arrays import empty_table, summary_arrays
from acumen.preprocessing.sparse import dense_slices, row_products
from acumen.preprocessing.stored_arrays import require, stored_array, stored_floats, stored_log_shares
from acumen.summaries.algebra import Summary, add_up
from acumen.summaries.counts import JointCounts, LevelCounts
from acumen.summaries.distinct import DistinctValues
from acumen.summaries.scatter import ScatterMatrices
from acumen.types import Array, Bools, Codes, Floats, Indices

CAP = 1e140  # products of numbers below this stay finite
_ROWS = 8192  # rows at a time in prediction
_NEAR = 1e3  # standard deviations


@dataclass(frozen=True, slots=True)
class FullBayesPlan:
    """Whether scatter is pooled over the classes as it is read: K times less to keep."""

    shared: bool

    def to_arrays(self) -> dict[str, Array]:
        return {"shared": np.array([self.shared], dtype=np.uint8)}


def plan(parts: Iterable[Table], *, covariance: Covariance) -> FullBayesPlan:
    """Compute the plan; it needs no rows."""
    return FullBayesPlan(covariance == "shared")


@dataclass(frozen=True, slots=True, eq=False)
class FullBayesSummary(Summary):
    """Class counts, joint counts of the nominal attributes, scatter of the numeric ones."""

    schema: Schema
    plan: FullBayesPlan
    classes: LevelCounts
    joint: JointCounts
    scatter: ScatterMatrices
    distinct: DistinctValues

    @property
    def gap(self) -> Floats:
        """How far apart the values of each numeric attribute lie on the mean; 0 where they are many."""
        return self.distinct.gap

    @property
    def class_totals(self) -> Floats:
        """The weight of each class."""
        return self.classes.known_counts[:, 0]

    def widen(self, schema: Schema) -> FullBayesSummary:
        """The same under a schema with more levels: codes stay what they were."""
        return replace(self, schema=schema)


def summarise(rows: Table, plan: FullBayesPlan) -> FullBayesSummary:
    """Summarise some rows: counts, means and scatter."""
    labels, weights, k = rows.class_codes, rows.weights, rows.schema.n_classes
    scatter, distinct = [], []
    for part, values in dense_slices(rows):
        arguments = (values, labels[part], weights[part] if weights.size else weights, k)
        scatter.append(ScatterMatrices.of(*arguments, plan.shared))
        distinct.append(DistinctValues.of(*arguments))
    return FullBayesSummary(
        rows.schema,
        plan,
        LevelCounts.of(np.zeros_like(labels), labels, weights, k, 1),
        JointCounts.of(rows.nominal, labels, weights, k),
        add_up(scatter),
        add_up(distinct),
    )


def summarise_parts(rows: Table, plan: FullBayesPlan, parts: Codes, n_parts: int) -> list[FullBayesSummary]:
    """The summaries of all parts in one pass; rows with a part outside 0..n_parts-1 are in none."""
    labels, weights, k = rows.class_codes, rows.weights, rows.schema.n_classes
    if rows.sparse is not None:
        return [summarise(rows.take(parts == p), plan) for p in range(n_parts)]
    classes = LevelCounts.of_parts(np.zeros_like(labels), labels, weights, k, 1, parts, n_parts)
    joint = JointCounts.of_parts(rows.nominal, labels, weights, k, parts, n_parts)
    scatter = ScatterMatrices.of_parts(rows.numeric, labels, weights, k, parts, n_parts, plan.shared)
    distinct = DistinctValues.of_parts(rows.numeric, labels, weights, k, parts, n_parts)
    pieces = zip(classes, joint, scatter, distinct, strict=True)
    return [FullBayesSummary(rows.schema, plan, *each) for each in pieces]


def solve(
    summary: FullBayesSummary, *, covariance: Covariance, alpha: float, shrinkage: float, unbiased: bool
) -> FullBayesModel:
    """Compute a Gaussian and a joint table for each class."""
    schema = summary.schema
    return FullBayesModel(
        log_prior=log_prior(summary.class_totals),
        weight=summary.class_totals,
        joint=JointTable.of(summary.joint, schema.nominal, alpha),
        mean=known_means(summary.scatter.moments),
        covariance=covariances(
            summary.scatter, summary.gap, schema, covariance, shrinkage=shrinkage, unbiased=unbiased
        ),
        diagonal=covariance == "diagonal",
    )


@dataclass(frozen=True, slots=True)
class FullBayesModel(Summed, Model):
    """Class priors, a joint table, means and covariances (one if shared)."""

    kind: ClassVar[str] = "full-bayes"
    generative: ClassVar[bool] = True

    log_prior: Floats  # (classes,)
    weight: Floats  # training weight of each class
    joint: JointTable
    mean: Floats  # (classes, d)
    covariance: Floats  # (classes or 1, d, d)
    diagonal: bool
    factor: Floats = field(init=False, repr=False)  # inverse lower Cholesky factors

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", inverse_factors(self.covariance))

    @property
    def has_shared_covariance(self) -> bool:
        return len(self.covariance) == 1 < len(self.mean)

    # -- predicting -------------------------------------------------------------------------------

    def scores(self, rows: Table) -> Floats:
        """log P(class, row) less `common`, one line per row."""
        total = np.tile(self.log_prior, (len(rows), 1))
        self.joint.add_logs(rows, total)
        for part, values in dense_slices(rows):
            self._add_gaussians(values, total[part])
        return total

    def _add_gaussians(self, values: Block[np.float64], total: Floats) -> None:
        if not values.shape[1]:
            return
        if self.diagonal:
            variance = np.ascontiguousarray(np.diagonal(self.covariance, axis1=1, axis2=2))
            _native.add_gaussian_logs(list(values.columns), self.mean, variance, total, cores())
            return
        add = self._add_planes if self.has_shared_covariance else self._add_quadrics
        add(values, total)

    def _add_quadrics(self, values: Block[np.float64], total: Floats) -> None:
        skipped = _native.add_quadratic_logs(list(values.columns), self.mean, self.factor, total, cores())
        if skipped:
            self._add_marginals(values, total)

    def _add_planes(self, values: Block[np.float64], total: Floats) -> None:
        """Log densities without the part that all classes share: linear in the row."""
        centre, slope, offset = self.planes()
        spread = np.sqrt(np.diagonal(self.covariance[0]))
        if np.all(np.abs(centre) <= _NEAR * spread):
            # Subtracting so near a centre row by row would save no digits; it goes into the offset.
            centre, offset = np.zeros_like(centre), offset - slope @ centre
        for start in range(0, len(values), _ROWS):
            part = slice(start, start + _ROWS)
            block = values.take(part).matrix()
            with np.errstate(invalid="ignore", over="ignore"):
                linear = row_products(block - centre if centre.any() else block, slope.T) + offset
            odd = np.flatnonzero(~np.isfinite(linear).all(axis=1))
            if odd.size:
                linear[odd] = self._odd_planes(block[odd])
            total[part] += linear

    def _odd_planes(self, rows: Floats) -> Floats:
        """The same for rows that overflow or have missing values: the plane of what is known."""
        scores = self._capped_planes(rows, np.arange(rows.shape[1]))
        for some, known in gaps(Block.of_matrix(rows)):
            scores[some] = self._capped_planes(rows[some], np.flatnonzero(known)) if known.any() else 0.0
        return scores

    def _capped_planes(self, rows: Floats, known: Indices) -> Floats:
        """Planes over some attributes; where they overflow, distances from the centre are capped."""
        centre, slope, offset = self.planes(known)
        with np.errstate(invalid="ignore", over="ignore"):
            offsets = rows[:, known] - centre
            scores = row_products(offsets, slope.T) + offset
            beyond = np.flatnonzero(~np.isfinite(scores).all(axis=1))
            scores[beyond] = (
                row_products(np.clip(np.nan_to_num(offsets[beyond]), -CAP, CAP), slope.T) + offset
            )
        return scores

    def planes(self, known: Indices | None = None) -> tuple[Floats, Floats, Floats]:
        """With a shared covariance: a centre m, slopes w and offsets, the score being w (x - m) + offset.

        Uses the attributes `known`, with the others integrated out. [default: all attributes]
        """
        used = np.where(self.weight > 0, self.weight, 0.0)
        mean, factor = self.mean, self.factor[0]
        if known is not None and len(known) < mean.shape[1]:
            mean = mean[:, known]
            factor = inverse_factors(np.ascontiguousarray(self.covariance[:, known][:, :, known]))[0]
        centre = used @ mean / used.sum()
        apart = np.where(self.weight[:, None] > 0, mean - centre, 0.0)
        slope = apart @ factor.T @ factor
        return centre, slope, -0.5 * np.einsum("cd,cd->c", slope, apart)

    def _add_marginals(self, values: Block[np.float64], total: Floats) -> None:
        """Rows with gaps: the Gaussian of what is known; rows alike in what is missing are done together."""
        for some, used in gaps(values):
            if not used.any():
                continue
            inner = np.ascontiguousarray(self.covariance[:, used][:, :, used])
            factor = inverse_factors(inner)
            columns = [np.ascontiguousarray(values.columns[j][some]) for j in np.flatnonzero(used)]
            logs = np.zeros((len(some), len(self.mean)))
            _native.add_quadratic_logs(
                columns, np.ascontiguousarray(self.mean[:, used]), factor, logs, cores()
            )
            total[some] += logs

    def _shared_part(self, columns: list[Floats], used: Array, factor: Floats) -> Floats:
        """The log density of a Gaussian of the shared covariance about the overall centre."""
        centre, _, _ = self.planes()
        logs = np.zeros((len(columns[0]), 1))
        _native.add_quadratic_logs(columns, np.ascontiguousarray(centre[None, used]), factor, logs, cores())
        return logs[:, 0]

    def common(self, rows: Table) -> Floats | float:
        """With a shared covariance the scores leave out the Gaussian about the overall centre."""
        if not self.has_shared_covariance or self.diagonal or not self.mean.shape[1]:
            return 0.0
        logs = np.zeros(len(rows))
        every = np.arange(self.mean.shape[1])
        for part, values in dense_slices(rows):
            logs[part] = self._shared_part(list(values.columns), every, self.factor)
            for some, used in gaps(values):
                inner = np.ascontiguousarray(self.covariance[:, used][:, :, used])
                columns = [np.ascontiguousarray(values.columns[j][some]) for j in np.flatnonzero(used)]
                lone = (
                    self._shared_part(columns, np.flatnonzero(used), inverse_factors(inner))
                    if columns
                    else 0.0
                )
                logs[part.start + some] = lone
        return logs

    # -- reading it -------------------------------------------------------------------------------

    def to_sums(self, schema: Schema) -> tuple[TermSum, ...]:
        """With variances alone and no nominal attribute: a Square for each number; DataError else."""
        if not self.diagonal or schema.nominal:
            raise DataError(
                "a full covariance matrix or a joint table of levels is not a sum of terms; use "
                f"to_onnx, or fit with {messages.setting('covariance', 'diagonal')} on numeric "
                "attributes only, or use NaiveBayes."
            )
        return tuple(
            one.plus(prior) for prior, one in zip(self.log_prior.tolist(), self.squares(schema), strict=True)
        )

    def squares(self, schema: Schema) -> tuple[TermSum, ...]:
        """With variances alone: for each class the log densities of the numbers, one Square each."""
        from acumen.bayes.naive_sums import square_of

        variance = np.broadcast_to(np.diagonal(self.covariance, axis1=1, axis2=2), self.mean.shape)
        return tuple(
            TermSum(0.0, tuple(square_of(a.name, float(m), float(v)) for a, m, v in
                           zip(schema.numeric, mean, variances, strict=True)))
            for mean, variances in zip(self.mean, variance, strict=True)
        )  # fmt: skip

    @property
    def n_parameters(self) -> int:
        """As counted in W001-22, plus the free cells of the joint table."""
        k, d = self.mean.shape
        each = d if self.diagonal else d * (d + 1) // 2
        cells = int(min(round(float(np.exp(min(self.joint.log_size.sum(), 40.0)))) - 1, 2**53))
        return k * d + each * len(self.covariance) + (k * cells if len(self.joint.log_size) else 0)

    @property
    def size(self) -> int:
        """As `n_parameters`, but of the joint table the cells that hold rows, class by class."""
        k, d = self.mean.shape
        each = d if self.diagonal else d * (d + 1) // 2
        return min(self.n_parameters, k * d + each * len(self.covariance) + self.joint.n_combinations)

    def surface(self, a: int, b: int) -> tuple[Floats | None, Floats, float]:
        """Where classes a and b score the same: x'Ax + w'x + w0 = 0, positive on the side of a.

        A is None when the covariance is shared and the surface a plane.
        """
        inverse = [
            f.T @ f for f in (self.factor[[0, 0]] if self.has_shared_covariance else self.factor[[a, b]])
        ]
        linear = inverse[0] @ self.mean[a] - inverse[1] @ self.mean[b]
        with np.errstate(invalid="ignore"):
            constant = float(self.log_prior[a] - self.log_prior[b])
        constant -= 0.5 * float(
            self.mean[a] @ inverse[0] @ self.mean[a] - self.mean[b] @ inverse[1] @ self.mean[b]
        )
        if self.has_shared_covariance:
            return None, linear, constant
        first, second = (np.log(np.diag(self.factor[c])).sum() for c in (a, b))
        return -0.5 * (inverse[0] - inverse[1]), linear, constant + float(first - second)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        return full_text.describe(self, schema, full)

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        return evidence_of(self.log_prior, self.weight, self._terms(row, schema), winner, rival)

    def _terms(self, row: Table, schema: Schema) -> Iterator[Term]:
        """By the chain rule: each attribute is credited with what it adds to those before it."""

        def logs(rows: Table) -> Floats:
            with np.errstate(invalid="ignore"):  # a class without rows has no prior, whatever the row
                return np.nan_to_num(self.scores(rows) - self.log_prior, nan=-np.inf, neginf=-np.inf)

        return chain_terms(row, schema, logs)

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        return {
            "log_prior": self.log_prior,
            "weight": self.weight,
            "mean": self.mean,
            "covariance": self.covariance,
            "diagonal": np.array([self.diagonal], dtype=np.uint8),
            **self.joint.to_arrays(),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        k, d = schema.n_classes, len(schema.numeric)
        matrices = stored_floats(arrays, "covariance", (None, d, d))
        require(len(matrices) in (1, k), "there must be one covariance, or one for each class")
        require(np.array_equal(matrices, matrices.transpose(0, 2, 1)), "a covariance is not symmetric")
        weight = stored_floats(arrays, "weight", (k,), low=0.0, high=1e300)
        require(weight.sum() > 0, "no class has any weight")
        flag = stored_array(arrays, "diagonal", np.uint8, (1,))
        require(flag[0] in (0, 1), "a flag is neither 0 nor 1")
        require(not flag[0] or len(matrices) == k, "variances alone must be there for each class")
        try:
            model = cls(
                log_prior=stored_log_shares(arrays, "log_prior", (k,)),
                weight=weight,
                joint=JointTable.from_arrays(arrays, schema.nominal, k),
                mean=stored_floats(arrays, "mean", (k, d), low=-1e150, high=1e150),
                covariance=matrices,
                diagonal=bool(flag[0]),
            )
        except np.linalg.LinAlgError:
            raise ModelFileError(
                "the model file is damaged or forged: a covariance is not positive definite."
            ) from None
        require(np.isfinite(model.factor).all(), "a covariance cannot be inverted")
        return model


def gaps(values: Block[np.float64]) -> Iterable[tuple[Array, Bools]]:
    """Rows with something missing, by which attributes they do have: (row numbers, attributes known)."""
    known = np.column_stack([np.isfinite(column) for column in values.columns])
    rows = np.flatnonzero(~known.all(axis=1))
    if not rows.size:
        return []
    patterns, which = np.unique(known[rows], axis=0, return_inverse=True)
    return [(rows[which.ravel() == p], pattern) for p, pattern in enumerate(patterns)]


def restore_plan(arrays: Mapping[str, Array], schema: Schema) -> FullBayesPlan:
    """Restore a plan."""
    flag = stored_array(arrays, "shared", np.uint8, (1,))
    require(flag[0] in (0, 1), "a flag is neither 0 nor 1")
    return FullBayesPlan(bool(flag[0]))


def restore_summary(arrays: Mapping[str, Array], schema: Schema, plan: FullBayesPlan) -> FullBayesSummary:
    """Restore a summary, validating shapes, codes and weights."""
    template = summarise(empty_table(schema), plan)
    if "scatter/pair_weight" in arrays:
        k, d = schema.n_classes, len(schema.numeric)
        pairs = np.zeros((k, d, d))
        template = replace(template, scatter=replace(template.scatter, pair_weight=pairs, pair_mean=pairs))
    summary = restore_with_distinct(template, arrays)
    sizes = np.array([len(a.levels) for a in schema.nominal], dtype=np.int64).reshape(1, -1)
    require(np.all((summary.joint.keys >= -1) & (summary.joint.keys < sizes)), "a combination names no level")
    for name, array in summary_arrays(summary).items():
        if name.endswith(("weight", "weights", "table")):
            require((array >= 0).all(), f"the summary's {name!r} holds a negative weight")
    return summary
