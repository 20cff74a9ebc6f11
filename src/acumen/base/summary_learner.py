"""The face of learners whose model is solve(summarise(rows)): rows may come in any parts.

plan        parts   -> Plan       what must be the same for all rows; may need a pass of its own
summarise   rows    -> Summary    additive, knows no hyper-parameter
solve       summary -> Model      reads no data
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from acumen.base.decision import resolve_class_weight
from acumen.base.em import expectation_maximisation
from acumen.base.intake import learned_schema, relabelled, training_table
from acumen.base.learner import Classifier, class_totals, labelled
from acumen.base.model import Model
from acumen.base.predictor import Predictor
from acumen.base.widen import joined_schema, renamed
from acumen.data.align import align
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.blocks import blocks
from acumen.engines.cores import limited_to
from acumen.engines.run import Engine, run, run_parts
from acumen.errors import DataError, ParameterError
from acumen.types import Array, Bools, Codes, Floats, Label


class SummaryClassifier(Classifier):
    """A classifier with a summary: `fit`, `partial_fit` and `fit_stream` give the same model.

    A subclass points at the functions of its algorithm as static methods; each is given those of the
    learner's parameters that its signature names. A summary has `+`, `class_totals` and `widened(schema)`, and
    is made of dataclasses, tuples and arrays; a plan has `to_arrays()`.
    """

    plan: ClassVar[Callable[..., Any] | None] = None
    summarise: ClassVar[Callable[..., Any]]
    #: (rows, plan, parts, n_parts) -> one summary for each part, in one pass; made of `summarise` unless given.
    summarise_parts: ClassVar[Callable[..., Any] | None] = None
    solve: ClassVar[Callable[..., Model]]
    #: (arrays, schema) -> plan and (arrays, schema, plan) -> summary, from a model file, trusting nothing.
    restore_plan: ClassVar[Callable[..., Any] | None] = None
    restore_summary: ClassVar[Callable[..., Any]]

    def needs_plan(self, schema: Schema) -> bool:
        """Whether a pass over the rows must come before they can be summarised.

        Where none is needed the plan is made of no rows.
        """
        return self.plan is not None

    # -- in one go --------------------------------------------------------------------------------

    def _learn(self, table: Table) -> tuple[Model, Floats]:
        assert table.labels is not None
        if table.labels.min(initial=0) < 0:
            unlabelled = table.take(np.flatnonzero(table.labels < 0))
            table = labelled(table)
            self.plan_ = self._planned([table, unlabelled], table.schema)
            found = expectation_maximisation(self._summary_of, self._solved, table, unlabelled)
            self.summary_, self.n_iter_ = found.summary, found.steps
            self.log_likelihoods_ = np.array(found.log_likelihoods)
            return found.model, found.summary.class_totals
        self.plan_ = self._planned([table], table.schema)
        self.summary_ = self._summary_of(table)
        self.n_iter_ = 1
        return self._solved(self.summary_), self.summary_.class_totals

    def _planned(self, parts: Iterable[Table], schema: Schema) -> Any:
        if self.plan is None:
            return None
        # Over the blocks that are summarised too: sums of weights then do not depend on the cut.
        rows = blocks(parts) if self.needs_plan(schema) else ()
        return self.plan(rows, **self._parameters_of(self.plan))

    def _summary_of(self, rows: Table | Iterable[Table], engine: Engine = "threads") -> Any:
        block = partial(self.summarise, plan=self.plan_)
        return run(block, rows, engine=engine, n_jobs=self._jobs)

    def _summaries_of(self, rows: Table, parts: Codes, n_parts: int) -> list[Any]:
        """The summary of every part of the rows: in one pass where the algorithm can."""
        each = self.summarise_parts
        if each is None:
            return [self._summary_of(rows.take(np.flatnonzero(parts == p))) for p in range(n_parts)]
        block = partial(_with_plan, each, self.plan_, n_parts)
        return run_parts(block, rows, parts, n_jobs=self._jobs)

    def _solved(self, summary: Any) -> Model:
        return self.solve(summary, **self._parameters_of(self.solve))

    def _parameters_of(self, function: Callable[..., Any]) -> dict[str, Any]:
        names = inspect.signature(function).parameters
        return {name: value for name, value in self.get_params(deep=False).items() if name in names}

    # -- with each row left out -------------------------------------------------------------------

    def can_leave_one_out(self, rows: Table) -> bool:
        """Whether `_leave_one_out` has a closed form for such rows."""
        return False

    def _leave_one_out(self, rows: Table) -> tuple[Floats, Bools]:
        """Scores of every row under the model of all the others, and which rows must be refitted instead."""
        raise DataError(f"{self._name} has no closed form for leaving rows out; fit it anew for each.")

    # -- part by part -----------------------------------------------------------------------------

    def fit_stream(self, parts: Iterable[Table]) -> Self:
        """Learn from parts under one schema, such as `acumen.scan` gives, holding one at a time.

        The model is the same, to the byte, as `fit` on all rows at once. Where the parts must be gone through
        more than once (a plan, balanced class weights), an iterator that can be used only once is refused.
        """
        self._check_parameters()
        if self._learns_unlabelled:
            raise self._unlabelled_in("fit_stream")
        source = _Stream(parts, self._name)
        schema = source.schema
        self._object_to(schema)
        balanced = _is_balanced(self)
        if source.once and (self.needs_plan(schema) or balanced):
            raise DataError(
                f"{self._name}: the parts must be gone through more than once, but this iterator can be used only "
                "once; pass acumen.scan(...) or a list of tables."
            )
        with limited_to(self._jobs):
            totals = class_totals(_prepared(p, None) for p in source) if balanced else np.ones(1)
            wish = getattr(self, "class_weight", None)
            factors = resolve_class_weight(wish, schema.classes, totals, self._name)
            self.plan_ = self._planned((_prepared(p, factors) for p in source), schema)
            counted = _Counted(_prepared(p, factors) for p in source)
            self.summary_ = self._summary_of(counted, engine="disk")
            if not counted.rows:
                raise DataError(
                    f"{self._name}: no part holds a labelled row; there is nothing to learn from."
                )
            self.n_iter_ = 1
            self.n_features_in_ = len(schema)
            self.feature_names_in_ = np.array(schema.names, dtype=object)
            self._settle(schema, self._solved(self.summary_), self.summary_.class_totals, counted.rows)
        return self

    def partial_fit(
        self, X: Any, y: Any = None, classes: Sequence[Label] | None = None, sample_weight: Any = None
    ) -> Self:
        """Learn from further rows as if they had been there from the start.

        The first call needs all `classes`, unless X is a Table that declares them. Later rows may bring
        levels not seen before. A plan, where one is needed, is settled by the first call's rows.
        """
        self._check_parameters()
        if _is_balanced(self):
            raise ParameterError(
                f"{self._name}: class_weight='balanced' needs all rows at once; give the weights."
            )
        if hasattr(self, "predictor_") and not hasattr(self, "summary_"):
            raise DataError(
                f"{self._name}: the model file holds no training summary, so partial_fit cannot go on from it; "
                "save with summary=True, or fit anew."
            )
        with limited_to(self._jobs):
            if not hasattr(self, "summary_"):
                table = self._first_rows(X, y, classes, sample_weight)
                self.plan_ = self._planned([table], table.schema)
                self.summary_ = self._summary_of(table)
                rows = len(table)
            else:
                table = self._further_rows(X, y, sample_weight)
                self.summary_ = self.summary_.widened(table.schema) + self._summary_of(table)
                rows = int(self.training_["rows"]) + len(table)
            self.n_iter_ = 1
            self._settle(table.schema, self._solved(self.summary_), self.summary_.class_totals, rows)
        return self

    def _unlabelled_in(self, method: str) -> ParameterError:
        return ParameterError(
            f"{self._name}: {method} sees each row once, but unlabelled={self.unlabelled!r} goes over rows without "
            "label many times; use fit, or unlabelled='ignore'."
        )

    def _counting(self, table: Table) -> Table:
        """The rows of a chunk that are learned from, class weights multiplied in."""
        known = labelled(table)
        if len(known) < len(table) and self._learns_unlabelled:
            raise self._unlabelled_in("partial_fit")
        return self._weighted(known)

    def _first_rows(self, X: Any, y: Any, classes: Sequence[Label] | None, sample_weight: Any) -> Table:
        if classes is None and not (isinstance(X, Table) and y is None):
            raise ParameterError(f"{self._name}: classes must be passed on the first call to partial_fit.")
        known = None if classes is None else sorted(np.unique(np.asarray(classes)).tolist())
        table = training_table(X, y, sample_weight, self._name, known)
        self._remember_names(X, table.schema)
        self._object_to(table.schema)
        return self._counting(table)

    def _further_rows(self, X: Any, y: Any, sample_weight: Any) -> Table:
        known = self.predictor_.schema
        table = training_table(X, y, sample_weight, self._name, None if y is None else known.classes)
        if not self._named:
            table = renamed(table, known.names, self._name)
        if table.schema.target is not None and known.target is not None:
            target = table.schema.target
            table = relabelled(table, Schema(table.schema.attributes, _called(target, known.target.name)),
                               table.labels, table.weights)  # fmt: skip
        return self._counting(align(table, joined_schema(known, table.schema)))

    # -- from a model file ------------------------------------------------------------------------

    @classmethod
    def _restore(
        cls,
        parameters: Mapping[str, Any],
        predictor: Predictor,
        training: Mapping[str, Any],
        summary: Mapping[str, Array] | None,
        plan: Mapping[str, Array] | None,
    ) -> Self:
        made = super()._restore(parameters, predictor, training, summary, plan)
        if summary is not None:
            restore = cls.restore_plan
            made.plan_ = None if plan is None or restore is None else restore(plan, predictor.schema)
            made.summary_ = cls.restore_summary(summary, predictor.schema, made.plan_)
        return made


def _with_plan(each: Callable[..., Any], plan: Any, n_parts: int, rows: Table, parts: Codes) -> Any:
    return each(rows, plan, parts, n_parts)


def _called(target: Any, name: str) -> Any:
    return target if target.name == name else type(target)(name, target.kind, target.levels)


def _is_balanced(learner: Any) -> bool:
    wish = getattr(learner, "class_weight", None)
    return isinstance(wish, str) and wish == "balanced"


def _prepared(part: Table, factors: Floats | None) -> Table:
    """Only rows that count: labelled, of weight above zero, class weights multiplied in."""
    assert part.labels is not None
    table = labelled(relabelled(part, part.schema, part.labels, part.weights))
    assert table.labels is not None
    weights = table.weights
    if factors is not None:
        weights = table.row_weights * factors[table.labels]
        table = relabelled(table, table.schema, table.labels, weights)
    return table if not weights.size or weights.all() else table.take(np.flatnonzero(weights))


class _Stream:
    """Parts with their schema; an iterator that can be used only once keeps its first part."""

    def __init__(self, parts: Iterable[Table] | Table, who: str) -> None:
        self._parts = [parts] if isinstance(parts, Table) else parts
        self.once = iter(self._parts) is self._parts
        first = next(iter(self._parts), None)
        if first is None:
            raise DataError(f"{who}: there are no parts to learn from.")
        if not isinstance(first, Table):
            raise DataError(
                f"{who}: the parts must be Tables under one schema, such as acumen.scan gives; "
                f"got a {type(first).__name__}."
            )
        target = first.schema.target
        if target is None or not target.is_nominal:
            raise DataError(f"{who}: the parts have no nominal target; name one with target=.")
        self.schema = learned_schema(first.schema)
        self._first = first if self.once else None

    def __iter__(self) -> Iterator[Table]:
        if self._first is not None:
            yield self._checked(self._first)
        for part in self._parts:
            yield self._checked(part)

    def _checked(self, part: Table) -> Table:
        self.schema.require_same(Schema(part.schema.attributes, part.schema.target))
        return part


class _Counted:
    """Passes tables on and counts their rows."""

    def __init__(self, parts: Iterable[Table]) -> None:
        self._parts = parts
        self.rows = 0

    def __iter__(self) -> Iterator[Table]:
        for part in self._parts:
            self.rows += len(part)
            yield part
