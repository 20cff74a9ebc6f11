"""The face of learners whose model is solve(summarise(rows)): rows may come in any parts.

plan        parts   -> Plan       what must be the same for all rows; may need a pass of its own
summarise   rows    -> Summary    additive, knows no hyper-parameter
solve       summary -> Model      reads no data

`SummaryLearner` is what classifiers and regressors of this kind have in common.
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from acumen.base.face import Learner
from acumen.base.intake import learned_schema
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.blocks import blocks
from acumen.engines.cores import limited_to
from acumen.engines.run import Engine, run, run_parts
from acumen.errors import DataError
from acumen.types import Array, Codes, Floats


class SummaryLearner(Learner):
    """A learner with a summary: `fit`, `partial_fit` and `fit_stream` give the same model.

    A subclass points at the functions of its algorithm as static methods; each is given those of the
    learner's parameters that its signature names. A summary has `+` and `widened(schema)`, and is made of
    dataclasses, tuples and arrays; a plan has `to_arrays()`.
    """

    plan: ClassVar[Callable[..., Any] | None] = None
    summarise: ClassVar[Callable[..., Any]]
    #: (rows, plan, parts, n_parts) -> one summary for each part, in one pass; made of `summarise` unless given.
    summarise_parts: ClassVar[Callable[..., Any] | None] = None
    solve: ClassVar[Callable[..., Any]]
    #: (arrays, schema) -> plan and (arrays, schema, plan) -> summary, from a model file, trusting nothing.
    restore_plan: ClassVar[Callable[..., Any] | None] = None
    restore_summary: ClassVar[Callable[..., Any]]

    def needs_plan(self, schema: Schema) -> bool:
        """Whether a pass over the rows must come before they can be summarised.

        Where none is needed the plan is made of no rows.
        """
        return self.plan is not None

    # -- in one go --------------------------------------------------------------------------------

    def _learn(self, table: Table) -> tuple[Any, Floats]:
        self.plan_ = self._planned([table], table.schema)
        self.summary_ = self._summary_of(table)
        self.n_iter_ = 1
        return self._solved(self.summary_), self._totals(self.summary_)

    @abstractmethod
    def _totals(self, summary: Any) -> Floats:
        """The weight behind a summary: of each class, or of all rows."""

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

    def _solved(self, summary: Any) -> Any:
        return self.solve(summary, **self._parameters_of(self.solve))

    def _parameters_of(self, function: Callable[..., Any]) -> dict[str, Any]:
        names = inspect.signature(function).parameters
        return {name: value for name, value in self.get_params(deep=False).items() if name in names}

    # -- with each row left out -------------------------------------------------------------------

    def can_leave_one_out(self, rows: Table) -> bool:
        """Whether `_leave_one_out` has a closed form for such rows."""
        return False

    def _leave_one_out(self, rows: Table) -> tuple[Floats, Any]:
        """Answers of every row by the model of all the others, and which rows must be refitted instead."""
        raise DataError(f"{self._name} has no closed form for leaving rows out; fit it anew for each.")

    # -- part by part -----------------------------------------------------------------------------

    def _fit_stream(self, source: Stream, rows: Callable[[], Iterable[Table]]) -> None:
        """Learn from a stream of which `rows()` gives, part by part, what counts."""
        with limited_to(self._jobs):
            self.plan_ = self._planned(rows(), source.schema)
            counted = Counted(rows())
            self.summary_ = self._summary_of(counted, engine="disk")
            if not counted.rows:
                raise DataError(
                    f"{self._name}: no part holds a labelled row; there is nothing to learn from."
                )
            self.n_iter_ = 1
            self.n_features_in_ = len(source.schema)
            self.feature_names_in_ = np.array(source.schema.names, dtype=object)
            totals = self._totals(self.summary_)
            self._settle(source.schema, self._solved(self.summary_), totals, counted.rows)

    def _refuse_once(self, source: Stream) -> DataError:
        return DataError(
            f"{self._name}: the parts must be gone through more than once, but this iterator can be used only "
            "once; pass acumen.scan(...) or a list of tables."
        )

    def _partial_fit(self, first: Callable[[], Table], further: Callable[[], Table]) -> None:
        """Learn from further rows, or from the first ones."""
        if hasattr(self, "predictor_") and not hasattr(self, "summary_"):
            raise DataError(
                f"{self._name}: the model file holds no training summary, so partial_fit cannot go on from it; "
                "save with summary=True, or fit anew."
            )
        with limited_to(self._jobs):
            if not hasattr(self, "summary_"):
                table = first()
                self.plan_ = self._planned([table], table.schema)
                self.summary_ = self._summary_of(table)
                rows = len(table)
            else:
                table = further()
                self.summary_ = self.summary_.widened(table.schema) + self._summary_of(table)
                rows = int(self.training_["rows"]) + len(table)
            self.n_iter_ = 1
            self._settle(table.schema, self._solved(self.summary_), self._totals(self.summary_), rows)

    # -- from a model file ------------------------------------------------------------------------

    @classmethod
    def _restore(
        cls,
        parameters: Mapping[str, Any],
        predictor: Any,
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


def called(target: Any, name: str) -> Any:
    """The target under another name."""
    return target if target.name == name else type(target)(name, target.kind, target.levels)


class Stream:
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


class Counted:
    """Passes tables on and counts their rows."""

    def __init__(self, parts: Iterable[Table]) -> None:
        self._parts = parts
        self.rows = 0

    def __iter__(self) -> Iterator[Table]:
        for part in self._parts:
            self.rows += len(part)
            yield part
