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

from acumen.base.decision import no_weight_left
from acumen.base.face import Learner
from acumen.base.intake import learned_schema
from acumen.base.parameters import specs_of
from acumen.base.weights import Weighed, Weighing
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

    def _in_units(self, table: Table) -> Table:
        """The rows as they are: summaries hold weights as given, and are divided when they are solved."""
        return table

    def _learn(self, table: Table) -> tuple[Any, Floats]:
        self.plan_ = self._planned([table], table.schema, self._size)
        self.summary_ = self._summary_of(table)
        self.n_iter_ = 1
        return self._finished(Weighed(self.summary_, self.weighing_))

    @abstractmethod
    def _totals(self, summary: Any) -> Floats:
        """The weight behind a summary: of each class, or of all rows."""

    def _planned(self, parts: Iterable[Table], schema: Schema, size: Callable[[float], float] = float) -> Any:
        """The plan of some rows; `size` tells, when they have been gone through, what they weigh where sizes matter."""
        if self.plan is None:
            return None
        # Over the blocks that are summarised too: sums of weights then do not depend on the cut.
        rows = blocks(parts) if self.needs_plan(schema) else ()
        given = {"size": size} if "size" in inspect.signature(self.plan).parameters else {}
        return self.plan(rows, **given, **self._parameters_of(self.plan))

    def _size(self, weight: float) -> float:
        """What rows that come to such a weight weigh where sizes matter."""
        return weight if self.minds_scale or self.weighing_.whole else self.weighing_.size

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

    def _weighed_parts(self, rows: Table, parts: Codes, n_parts: int) -> list[Weighed]:
        """The summary and the weighing of every part of rows, all of them with a known target."""
        factors = self._class_factors(rows)
        weighings = Weighing.of_parts(rows, parts, n_parts, factors)
        if factors is not None:
            assert rows.labels is not None
            # A row's part is no longer known once rows weighted to zero are gone.
            parts = parts[np.flatnonzero(rows.row_weights * factors[rows.labels])]
            rows = self._weighted(rows)
        summaries = self._summaries_of(rows, parts, n_parts)
        return [Weighed(*each) for each in zip(summaries, weighings, strict=True)]

    def _finished(self, weighed: Weighed) -> tuple[Any, Floats]:
        """The model, and the weight behind it, of a summary whose weights are read by now."""
        sums = weighed.sums
        if not self._totals(sums).sum() > 0:
            raise no_weight_left(self._name)
        if not (self.minds_scale or weighed.weighing.whole):
            factor = weighed.weighing.factor(float(self._totals(sums).sum()), self._name)
            sums = sums if factor == 1.0 else sums.scaled(factor)
        return self._solved(sums), self._totals(sums)

    def _solved(self, summary: Any) -> Any:
        return self.solve(summary, **self._parameters_of(self.solve))

    def _parameters_of(self, function: Callable[..., Any]) -> dict[str, Any]:
        names = inspect.signature(function).parameters
        given = self.get_params(deep=False)
        return {
            spec.name: spec.plain(given[spec.name]) for spec in specs_of(type(self)) if spec.name in names
        }

    # -- with each row left out -------------------------------------------------------------------

    def can_leave_one_out(self, rows: Table) -> bool:
        """Whether `_leave_one_out` has a closed form for such rows."""
        return False

    def _leave_one_out(self, rows: Table) -> tuple[Floats, Any]:
        """Answers of every row by the model of all the others, and which rows must be refitted instead."""
        raise DataError(f"{self._name} has no closed form for leaving rows out; fit it anew for each.")

    # -- part by part -----------------------------------------------------------------------------

    def _fit_stream(self, source: Stream, prepare: Callable[[Table], tuple[Table, Weighing]]) -> None:
        """Learn from a stream; `prepare` gives of each part the rows that count, and what they weigh."""
        with limited_to(self._jobs):
            self.weighing_ = Weighing()
            if self.needs_plan(source.schema):
                seen = Counted(source, prepare)
                self.plan_ = self._planned(seen, source.schema, seen.size)
            else:
                self.plan_ = self._planned((), source.schema)
            counted = Counted(source, prepare)
            self.summary_ = self._summary_of(counted, engine="disk")
            if not counted.rows and getattr(self, "class_weight", None) is not None:
                raise no_weight_left(self._name)
            if not counted.rows:
                raise DataError(
                    f"{self._name}: no part holds a labelled row of weight above 0; there is nothing to learn from."
                )
            self.n_iter_ = 1
            self.n_features_in_ = len(source.schema)
            self.feature_names_in_ = np.array(source.schema.names, dtype=object)
            self.weighing_ = counted.weighing
            self._settle(source.schema, *self._finished(Weighed(self.summary_, self.weighing_)), counted.rows)

    def _refuse_once(self, source: Stream) -> DataError:
        return DataError(
            f"{self._name}: the parts must be gone through more than once, but this iterator can be used only "
            "once; pass acumen.scan(...) or a list of tables."
        )

    def _partial_fit(
        self, first: Callable[[], tuple[Table, Weighing]], further: Callable[[], tuple[Table, Weighing]]
    ) -> None:
        """Learn from further rows, or from the first ones; each given with what its rows weigh."""
        if hasattr(self, "predictor_") and not hasattr(self, "summary_"):
            raise DataError(
                f"{self._name}: the model file holds no training summary, so partial_fit cannot go on from it; "
                "save with summary=True, or fit anew."
            )
        with limited_to(self._jobs):
            if not hasattr(self, "summary_"):
                table, self.weighing_ = first()
                self.plan_ = self._planned([table], table.schema, self._size)
                self.summary_ = self._summary_of(table)
                rows = len(table)
            else:
                table, weighing = further()
                self.summary_ = self.summary_.widened(table.schema) + self._summary_of(table)
                self.weighing_ = self.weighing_ + weighing
                rows = int(self.training_["rows"]) + len(table)
            self.n_iter_ = 1
            self._settle(table.schema, *self._finished(Weighed(self.summary_, self.weighing_)), rows)

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
    """The rows of a stream that count, part by part; they are counted and weighed as they pass."""

    def __init__(self, parts: Iterable[Table], prepare: Callable[[Table], tuple[Table, Weighing]]) -> None:
        self._parts, self._prepare = parts, prepare
        self.rows = 0
        self.weighing = Weighing()

    def __iter__(self) -> Iterator[Table]:
        for part in self._parts:
            rows, weighing = self._prepare(part)
            self.rows += len(rows)
            self.weighing = self.weighing + weighing
            yield rows

    def size(self, weight: float) -> float:
        """What the rows that have passed weigh where sizes matter; `weight` is what they come to."""
        return weight if self.weighing.whole else self.weighing.size
