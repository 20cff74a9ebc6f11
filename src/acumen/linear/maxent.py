"""Maximum entropy: of all P(class | row) under which every feature's expected average is the one observed, the
most even one.

    fit       rows -> multipliers, by descending the dual
    scores    row  -> sum of multipliers times features, for each class

The dual (Berger, Della Pietra and Della Pietra 1996) has one multiplier a feature: P(class | row) is proportional
to exp(sum lambda phi(row, class)), and the dual function is the likelihood of the labels. Its gradient is the
observed less the expected average of each feature, its matrix of second derivatives minus their covariance
under the model: it is concave, and its top is where the averages match. The loss here is minus the dual.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from acumen import _native
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.errors import ParameterError
from acumen.explain.cell_text import cell_text
from acumen.explain.explanation import Evidence
from acumen.explain.starting_point import AVERAGE_ROW
from acumen.linear.maxent_features import MOST, MaxEntFeatures
from acumen.models.decision import log_softmax
from acumen.models.model import Model
from acumen.preprocessing.matrix import NumericMatrix
from acumen.preprocessing.stored_arrays import require, stored_array, stored_codes, stored_floats
from acumen.types import Array, Bools, Codes, Floats, Label

#: Beyond so many terms times classes the second derivatives are made of the features alone.
MOST_COEFFICIENTS = 3000
#: What is added to second derivatives, in parts of their diagonal.
LIFT = 1e-9
_ROWS = 4096  # whose features are written out at a time for the second derivatives


class LocalDual:
    """Minus the dual function over some rows, as a mean; plus, with `C`, |lambda|^2 / (2 C n)."""

    def __init__(
        self,
        features: MaxEntFeatures,
        matrix: Any,
        values: Floats,
        labels: Codes,
        weights: Floats,
        places: Sequence[int],
        C: float | None,
    ) -> None:
        self.features, self.values = features, values
        self.terms = features.terms(matrix)
        self.at = np.full(int(max(places, default=0)) + 1, -1)
        self.at[list(places)] = np.arange(len(places))
        self.labels = labels  # among the classes seen
        self.total = float(weights.sum())
        self.share = weights / self.total
        self.lines = len(places)
        # Features of classes without rows have nothing to be learned from.
        self.own = np.flatnonzero(np.isin(features.of, list(places)))
        self.ridge = 0.0 if C is None else 1.0 / (C * self.total)
        truth = np.zeros((len(labels), self.lines))
        truth[np.arange(len(labels)), labels] = 1.0
        self.observed_averages = self.averages(truth)
        # Of templates alone it is a softmax over the terms, which the kernels of logistic regression know.
        self._rows: Any = (
            _by_rows_and_columns(self.terms) if self.lines > 1 and not features.functions else None
        )
        self._places = self.at[features.of[self.own]], features.term[self.own]

    def averages(self, shares: Floats) -> Floats:
        """The average of each feature under such probabilities of the classes."""
        weighted = shares * self.share[:, None]
        averages = np.zeros(len(self.features))
        by_term = self.terms.T @ weighted
        averages[self.own] = by_term[self.features.term[self.own], self.at[self.features.of[self.own]]]
        averages[len(self.features.term) :] = np.einsum("gic,ic->g", self.values, weighted)
        return averages

    def scores(self, multipliers: Floats) -> Floats:
        """The exponents of the classes seen."""
        table = np.zeros((self.features.n_terms, self.lines))
        own_terms = self.own
        table[self.features.term[own_terms], self.at[self.features.of[own_terms]]] = multipliers[own_terms]
        scores: Floats = self.terms @ table
        return scores + np.einsum("gic,g->ic", self.values, multipliers[len(self.features.term) :])

    def expected_averages(self, multipliers: Floats) -> Floats:
        """The average of each feature under the model."""
        scores = self.scores(multipliers)
        scores -= scores.max(axis=1, keepdims=True)
        shares = np.exp(scores)
        return self.averages(shares / shares.sum(axis=1, keepdims=True))

    def __call__(self, multipliers: Floats) -> tuple[float, Floats]:
        held = self.ridge * multipliers
        loss, gradient = (
            self._loss_and_gradient(multipliers) if self._rows is None else self._by_kernel(multipliers)
        )
        return loss + 0.5 * float(held @ multipliers), gradient + held

    def _loss_and_gradient(self, multipliers: Floats) -> tuple[float, Floats]:
        """Loss and gradient without the ridge."""
        logs = log_softmax(self.scores(multipliers))
        loss = -float(self.share @ logs[np.arange(len(logs)), self.labels])
        return loss, self.averages(np.exp(logs)) - self.observed_averages

    def _by_kernel(self, multipliers: Floats) -> tuple[float, Floats]:
        """The same by the kernel of sparse rows, whose intercepts stay zero."""
        coefficients = self._coefficients(multipliers)
        gradient, scratch = np.empty_like(coefficients), np.empty((len(self.labels), self.lines))
        loss = self._rows.logistic(self.labels, self.share, coefficients, scratch, gradient, cores())
        averages = np.zeros(len(self.features))
        averages[self.own] = gradient[self._places]
        return float(loss), averages

    def _coefficients(self, multipliers: Floats) -> Floats:
        """The multipliers as lines of coefficients, one for each term and an intercept."""
        coefficients = np.zeros((self.lines, self.features.n_terms + 1))
        coefficients[self._places] = multipliers[self.own]
        return coefficients

    def second_order(self, multipliers: Floats) -> tuple[float, Floats, Floats]:
        """With the covariance of the features under the model."""
        loss, gradient = self(multipliers)
        return loss, gradient, regular(self.covariance(multipliers), self.ridge)

    def covariance(self, multipliers: Floats) -> Floats:
        """Of the features under the model."""
        small = self.lines * (self.features.n_terms + 1) <= MOST_COEFFICIENTS
        if small and self._rows:
            return self._covariance_by_kernel(multipliers)
        return self._covariance(multipliers)

    def _covariance_by_kernel(self, multipliers: Floats) -> Floats:
        side = self.lines * (self.features.n_terms + 1)
        every = np.empty((side, side))
        self._rows.logistic_hessian(self.labels, self.share, self._coefficients(multipliers), every, cores())
        line, term = self._places
        at = line * (self.features.n_terms + 1) + term
        covariance = np.zeros((len(self.features), len(self.features)))
        covariance[np.ix_(self.own, self.own)] = every[np.ix_(at, at)]
        return covariance

    def _covariance(self, multipliers: Floats) -> Floats:
        shares = np.exp(log_softmax(self.scores(multipliers)))
        hessian = np.zeros((len(self.features), len(self.features)))
        for first in range(0, len(shares), _ROWS):
            part = slice(first, first + _ROWS)
            each = self.feature_matrix(part)  # classes x rows x features
            p, weight = shares[part], self.share[part]
            mean = np.einsum("ic,cil->il", p, each)
            hessian -= (mean * weight[:, None]).T @ mean
            for c in range(self.lines):
                hessian += (each[c] * (p[:, c] * weight)[:, None]).T @ each[c]
        return hessian

    def feature_matrix(self, part: slice) -> Floats:
        """All features of some rows: classes x rows x features."""
        terms = self.terms[part].toarray()
        matrix = np.zeros((self.lines, len(terms), len(self.features)))
        for c in range(self.lines):
            mine = self.own[self.at[self.features.of[self.own]] == c]
            matrix[c][:, mine] = terms[:, self.features.term[mine]]
        if self.values.size:
            matrix[:, :, len(self.features.term) :] = self.values[:, part].transpose(2, 1, 0)
        return matrix


def regular(hessian: Floats, ridge: float) -> Floats:
    """With the ridge, and a little more, so that it has an inverse."""
    size = len(hessian)
    hessian[np.diag_indices(size)] += ridge
    # Features may say the same twice (every class's feature of one term does); that direction is level.
    unit = np.diag(hessian).copy()
    hessian[np.diag_indices(size)] += LIFT * np.where(unit > 0, unit, 1.0)
    return hessian


def remove_regularisation(hessian: Floats) -> Floats:
    """A matrix from `regular` without what was added for the inverse."""
    lift: Floats = np.diag(np.diag(hessian) * (LIFT / (1.0 + LIFT)))
    return hessian - lift


def _by_rows_and_columns(terms: Any) -> Any:
    """Both forms of the sparse terms for the kernel."""
    forms = []
    for form in (terms, terms.tocsc()):
        forms += [form.indptr.astype(np.int64), form.indices.astype(np.int32, copy=False), form.data]
    return _native.SparseRows(*forms)


@dataclass(frozen=True, slots=True, eq=False)
class MaxEntModel(Model):
    """A multiplier for each feature, and the feature's averages."""

    kind: ClassVar[str] = "max-ent"

    view: NumericMatrix
    features: MaxEntFeatures
    multipliers: Floats
    observed: Floats  # average of each feature over the training rows
    expected: Floats  # the same under the model
    seen: Bools  # classes that had training rows
    weight: float  # of the training rows
    labels: tuple[Label, ...]  # of all classes; functions are asked with them

    @property
    def n_parameters(self) -> int:
        return int(np.count_nonzero(self.multipliers))

    def scores(self, rows: Table) -> Floats:
        terms = self.features.terms(self._matrix(rows))
        table = np.zeros((self.features.n_terms, len(self.seen)))
        count = len(self.features.term)
        table[self.features.term, self.features.of] = self.multipliers[:count]
        total: Floats = terms @ table
        if self.features.functions:
            values = self.features.values(rows, self.labels, range(len(self.seen)))
            total = total + np.einsum("gic,g->ic", values, self.multipliers[count:])
        total[:, ~self.seen] = -np.inf
        return total

    def _matrix(self, rows: Table) -> Any:
        return cap(self.view.transform(rows))

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        from acumen.linear.maxent_text import describe

        return describe(self, schema, full)

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        """What each attribute adds, compared with an average row if the averages of its terms are known."""
        terms = self.features.terms(self._matrix(row)).toarray()[0]
        count = len(self.features.term)
        sign = (self.features.of == winner).astype(float) - (self.features.of == rival)
        names = self.features.names(self.view.names)
        means, owners = self._means(), self._owners()
        base, sums = 0.0, dict[tuple[str | None, str], float]()
        for at, (name, term) in enumerate(zip(names[:count], self.features.term.tolist(), strict=True)):
            weight = float(sign[at] * self.multipliers[at])
            if not weight:
                continue
            if not len(self.features.parts(term)):  # of no column: how common the class is
                base += weight
                continue
            owner = owners.get(name)
            whole = owner is not None and schema[owner].kind != "text"
            mean = float(means[term]) if whole else 0.0
            key = (owner, cell_text(row, owner) if owner is not None and whole else name)
            base += weight * mean
            if part := weight * (float(terms[term]) - mean):
                sums[key] = sums.get(key, 0.0) + part
        if self.features.functions:
            values = self.features.values(row, self.labels, (winner, rival))[:, 0]
            for name, (a, b), m in zip(names[count:], values, self.multipliers[count:], strict=True):
                sums[None, name] = sums.get((None, name), 0.0) + float(m * (a - b))
        first = Evidence(None, AVERAGE_ROW, base, self.weight, role="start")
        return (first, *(Evidence(*key, part) for key, part in sums.items()))

    def _means(self) -> Floats:
        """The average of each term over the training rows; 0 where some class has no feature of it that would tell."""
        count, n = len(self.features.term), self.features.n_terms
        total = np.bincount(self.features.term, self.observed[:count], n)
        classes = np.bincount(self.features.term[self.seen[self.features.of]], minlength=n)
        means: Floats = np.where(classes == np.count_nonzero(self.seen), total, 0.0)
        return means

    def _owners(self) -> dict[str, str]:
        """The attribute that each feature looks at; features of several attributes have none."""
        owners: dict[str, str] = {}
        for attribute, block in zip(self.view.schema, self.view.blocks, strict=True):
            for name in block:
                owners.setdefault(name, attribute.name)
        return owners

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        if self.features.functions:
            raise ParameterError(
                "save: this MaxEnt has features that are Python functions, which a model file cannot hold; write "
                "them as templates, or keep the learner in your program."
            )
        return {
            "columns": self.features.columns,
            "ends": self.features.ends,
            "term": self.features.term,
            "of": self.features.of,
            "multipliers": self.multipliers,
            "observed": self.observed,
            "expected": self.expected,
            "seen": np.asarray(self.seen, dtype=np.bool_),
            "weight": np.array([self.weight]),
            **{f"view/{name}": array for name, array in self.view.to_arrays().items()},
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        inner = {name[5:]: array for name, array in arrays.items() if name.startswith("view/")}
        view = NumericMatrix.from_arrays(inner)
        require(view.schema == schema.without_target(), "the view was made for another schema")
        columns = stored_codes(arrays, "columns", (None,), low=0, below=len(view.names))
        ends = stored_codes(arrays, "ends", (None,), low=0, below=len(columns) + 1)
        require(
            len(ends) > 0 and ends[0] == 0 and ends[-1] == len(columns), "the terms do not fit their ends"
        )
        require((np.diff(ends) >= 0).all() and len(ends) <= MOST, "the terms do not fit their ends")
        term = stored_codes(arrays, "term", (None,), low=0, below=len(ends) - 1)
        of = stored_codes(arrays, "of", (len(term),), low=0, below=schema.n_classes)
        pairs = term.astype(np.int64) * max(schema.n_classes, 1) + of
        require(len(np.unique(pairs)) == len(pairs), "a feature is there twice")
        seen = stored_array(arrays, "seen", np.bool_, (schema.n_classes,))
        require(seen.any(), "no class has training rows")
        numbers = {
            name: stored_floats(arrays, name, (len(term),), low=-1e100, high=1e100)
            for name in ("multipliers", "observed", "expected")
        }
        weight = stored_floats(arrays, "weight", (1,), low=0.0)
        features = MaxEntFeatures(columns, ends, term, of)
        return cls(view, features, **numbers, seen=seen, weight=float(weight[0]), labels=schema.classes)


def cap(matrix: Any) -> Any:
    """Numbers so large that their products would be none are drawn in; infinite and missing ones count nothing."""
    if hasattr(matrix, "indptr"):
        if not len(matrix.data) or np.abs(matrix.data).max() <= 1e50:
            return matrix
        data = np.clip(np.nan_to_num(matrix.data, nan=0.0, posinf=0.0, neginf=0.0), -1e50, 1e50)
        return type(matrix)((data, matrix.indices, matrix.indptr), shape=matrix.shape)
    return np.clip(np.nan_to_num(matrix, nan=0.0, posinf=0.0, neginf=0.0), -1e50, 1e50)
