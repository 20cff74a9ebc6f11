"""The face of classifiers whose model is solve(summarise(rows)): rows may come in any parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from acumen.base.decision import resolve_class_weight
from acumen.base.em import expectation_maximisation
from acumen.base.intake import relabelled, training_rows
from acumen.base.learner import Classifier, class_totals, labelled
from acumen.base.model import Model
from acumen.base.summary_face import Stream, SummaryLearner, called
from acumen.base.weights import Weighing, total_weight
from acumen.base.widen import joined_schema, renamed
from acumen.data.align import align
from acumen.data.columns import sorted_levels
from acumen.data.frames import declared_labels
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.cores import limited_to
from acumen.errors import DataError, ParameterError
from acumen.types import Bools, Floats, Label


class SummaryClassifier(SummaryLearner, Classifier):
    """A classifier with a summary: `fit`, `partial_fit` and `fit_stream` give the same model.

    Its summary has `class_totals`; for the rest see `SummaryLearner`.
    """

    solve: ClassVar[Callable[..., Model]]

    # -- in one go --------------------------------------------------------------------------------

    def _learn(self, table: Table) -> tuple[Model, Floats]:
        assert table.labels is not None
        if table.labels.min(initial=0) >= 0:
            return super()._learn(table)
        unlabelled = table.take(np.flatnonzero(table.labels < 0))
        table = labelled(table)
        self.plan_ = self._planned([table, unlabelled], table.schema, self._size)
        total = total_weight(unlabelled.row_weights, total_weight(table.row_weights))
        factor = 1.0 if self.minds_scale else self.weighing_.factor(total, self._name)

        def solved(summary: Any) -> Model:
            return self._solved(summary if factor == 1.0 else summary.scaled(factor))

        found = expectation_maximisation(self._summary_of, solved, table, unlabelled)
        self.summary_, self.n_iter_ = found.summary, found.steps
        self.log_likelihoods_ = np.array(found.log_likelihoods)
        return found.model, found.summary.class_totals * factor

    def _totals(self, summary: Any) -> Floats:
        totals: Floats = summary.class_totals
        return totals

    def _leave_one_out(self, rows: Table) -> tuple[Floats, Bools]:
        """Scores of every row under the model of all the others, and which rows must be refitted instead."""
        return super()._leave_one_out(rows)

    # -- part by part -----------------------------------------------------------------------------

    def fit_stream(self, parts: Iterable[Table]) -> Self:
        """Learn from parts under one schema, such as `acumen.scan` gives, holding one at a time.

        The model is the same, to the byte, as `fit` on all rows at once. Where the parts must be gone through
        more than once (a plan, balanced class weights), an iterator that can be used only once is refused.
        """
        self._check_parameters()
        if self._learns_unlabelled:
            raise self._unlabelled_in("fit_stream")
        source = Stream(parts, self._name)
        schema = source.schema
        if schema.target is None or not schema.target.is_nominal:
            raise DataError(f"{self._name}: the parts have no nominal target; name one with target=.")
        self._object_to(schema)
        balanced = is_balanced(self)
        if source.once and (self.needs_plan(schema) or balanced):
            raise self._refuse_once(source)
        with limited_to(self._jobs):
            totals = class_totals(prepared(p, None) for p in source) if balanced else np.ones(1)
        wish = getattr(self, "class_weight", None)
        factors = resolve_class_weight(wish, schema.classes, totals, self._name)
        self._fit_stream(
            source, lambda part: (prepared(part, factors), Weighing.of(part, factors, labelled=True))
        )
        return self

    def partial_fit(
        self, X: Any, y: Any = None, classes: Sequence[Label] | None = None, sample_weight: Any = None
    ) -> Self:
        """Learn from further rows as if they had been there from the start.

        The first call needs all `classes`, unless X is a Table that declares them. Later rows may bring
        levels not seen before. A plan, where one is needed, is settled by the first call's rows.
        """
        self._check_parameters()
        if is_balanced(self):
            raise ParameterError(
                f"{self._name}: class_weight='balanced' needs all rows at once; give the weights."
            )
        self._partial_fit(
            lambda: self._first_rows(X, y, classes, sample_weight),
            lambda: self._further_rows(X, y, sample_weight),
        )
        return self

    def _unlabelled_in(self, method: str) -> ParameterError:
        return ParameterError(
            f"{self._name}: {method} sees each row once, but unlabelled={self.unlabelled!r} goes over rows without "
            "label many times; use fit, or unlabelled='ignore'."
        )

    def _counting(self, table: Table, shares: Floats) -> tuple[Table, Weighing]:
        """The rows of a chunk that are learned from, class weights multiplied in, and what they weigh."""
        known = labelled(table)
        if len(known) < len(table) and self._learns_unlabelled:
            raise self._unlabelled_in("partial_fit")
        return self._weighted(known), self._weighing_of(table, shares)

    def _first_rows(
        self, X: Any, y: Any, classes: Sequence[Label] | None, sample_weight: Any
    ) -> tuple[Table, Weighing]:
        if classes is None and not (isinstance(X, Table) and y is None):
            raise ParameterError(f"{self._name}: classes must be passed on the first call to partial_fit.")
        known = None if classes is None else _in_order(classes, y)
        table, shares = training_rows(X, y, sample_weight, self._name, known)
        self._remember_names(X, table.schema)
        self._object_to(table.schema)
        return self._counting(table, shares)

    def _further_rows(self, X: Any, y: Any, sample_weight: Any) -> tuple[Table, Weighing]:
        known = self.predictor_.schema
        table, shares = training_rows(X, y, sample_weight, self._name, None if y is None else known.classes)
        if not self._named:
            table = renamed(table, known.names, self._name)
        if table.schema.target is not None and known.target is not None:
            target = table.schema.target
            table = relabelled(table, Schema(table.schema.attributes, called(target, known.target.name)),
                               table.labels, table.weights)  # fmt: skip
        return self._counting(align(table, joined_schema(known, table.schema)), shares)


def _in_order(classes: Sequence[Label], y: Any) -> Sequence[Label]:
    """The classes as y declares them, or sorted: as `fit` would have them."""
    found = sorted_levels(np.unique(np.asarray(classes)).tolist())
    declared = None if y is None else declared_labels(y)
    if declared is None:
        return found
    return [level for level in declared.levels if level in found] + [
        level for level in found if level not in declared.levels
    ]


def is_balanced(learner: Any) -> bool:
    wish = getattr(learner, "class_weight", None)
    return isinstance(wish, str) and wish == "balanced"


def prepared(part: Table, factors: Floats | None) -> Table:
    """Only rows that count: labelled, of weight above zero, class weights multiplied in."""
    assert part.labels is not None
    table = labelled(relabelled(part, part.schema, part.labels, part.weights))
    assert table.labels is not None
    weights = table.weights
    if factors is not None:
        weights = table.row_weights * factors[table.labels]
        table = relabelled(table, table.schema, table.labels, weights)
    return table if not weights.size or weights.all() else table.take(np.flatnonzero(weights))
