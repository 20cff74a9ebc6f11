"""What a learner makes of rows on the way to its model, as an object.

    Training.of(learner, rows)    rows in memory, or parts as `acumen.scan` gives them
      .plan       what must be the same for all rows; may need a pass of its own
      .summary    additive, knows no hyper-parameter
      .parts(p)   one Training for each part of the rows, their summaries filled in one pass
      .model      solved from the summary; reads no data
      .fitted()   a learner with that model; of another learner too, whose parameters differ in `solve` alone

Trainings add where the learner's summaries do (`learner.adds`): cross-validation adds the other folds, a learning
curve adds further rows, a search solves one sum under many settings. Nothing is read before it is asked for.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from acumen.base.intake import learned_schema, relabelled
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.blocks import blocks
from acumen.engines.run import Engine, run, run_parts
from acumen.errors import DataError, ParameterError
from acumen.types import Codes, Floats, Indices

if TYPE_CHECKING:
    from acumen.base.learner import Learner


class Training:
    """A learner, the rows that count for it, and what follows from both; see `Training.of`."""

    def __init__(
        self,
        learner: Learner,
        schema: Schema,
        rows: Table | Iterable[Table],
        *,
        engine: Engine | None = None,
        **known: Any,
    ) -> None:
        """Of rows that are counted already; `known` holds what need not be worked out: plan, summary, n_rows."""
        self.learner, self.schema, self.rows, self.engine = learner, schema, rows, engine
        self._places: Indices | slice = slice(None)  # which of the rows given are left
        self.__dict__.update(known)

    @classmethod
    def of(cls, learner: Learner, rows: Table | Iterable[Table], *, engine: Engine | None = None) -> Self:
        """The training of a learner on rows with what is to be learned; the learner itself is not fitted.

        Parameters
        ----------
        learner : a learner of acumen
        rows : Table, or parts under one schema
            As for its `fit` and `fit_stream`: rows without a target, or of weight zero, are left out, and class
            weights are multiplied in.
        engine : "threads", "serial" or "disk", optional
            What runs the summaries; chosen by the source unless told. The model does not depend on it.

        Examples
        --------
        >>> import acumen
        >>> iris = acumen.datasets.load("iris")
        >>> training = acumen.Training.of(acumen.NaiveBayes(), iris)
        >>> training.totals.tolist()
        [50.0, 50.0, 50.0]
        >>> training.model.kind
        'naive-bayes'
        """
        learner.check_parameters()
        if not isinstance(rows, Table):
            return cls._of_stream(
                learner, Stream(rows, _name(learner), learner.task.target is not None), engine
            )
        there: Indices | None = None
        if rows.weights.size and not rows.weights.all():
            there = np.flatnonzero(rows.weights)
            rows = rows.take(there) if there.size else rows
        table = learner.task.intake(rows, None, None, _name(learner))
        learner.object_to(table.schema)
        places: Indices | slice = slice(None)
        schema = table.schema
        if learner.adds:  # any other's own fit weighs them
            table, places = learner.counted_places(table)
        made = cls(learner, schema, table, engine=engine)
        made._places = places if there is None else there[places]
        return made

    @classmethod
    def _of_stream(cls, learner: Learner, source: Stream, engine: Engine | None) -> Self:
        schema = source.schema
        sentence = learner.task.needs(schema)
        if sentence is not None:
            raise DataError(f"{_name(learner)}: {sentence}")
        learner.object_to(schema)
        if source.once and learner.reads_twice(schema):
            raise source.refuse_once()
        weigh = learner.weighing(source)
        return cls(
            learner, schema, Again(lambda: (learner.counted(part, weigh) for part in source)), engine=engine
        )

    # -- from rows to a summary -------------------------------------------------------------------

    @cached_property
    def plan(self) -> Any:
        """What must be the same for all rows before they can be summarised; None where nothing must."""
        make = self.learner.plan
        if make is None:
            return None
        rows: Iterable[Table] = ()
        if self.learner.needs_plan(self.schema):
            # Over the blocks that are summarised too: sums of weights then do not depend on the cut.
            rows = blocks([self.rows] if isinstance(self.rows, Table) else self.rows)
        return make(rows, **self.learner.parameters_for(make))

    @cached_property
    def summary(self) -> Any:
        """All that the model is made of."""
        block = partial(_function(self.learner, "summarise"), plan=self.plan)
        counted = self.rows if isinstance(self.rows, Table) else Counted(self.rows)
        made = run(block, counted, engine=self.engine, n_jobs=self.learner.jobs)
        self.__dict__.setdefault("n_rows", len(counted))
        return made

    @cached_property
    def n_rows(self) -> int:
        """How many rows are learned from."""
        return len(self.rows) if isinstance(self.rows, Table) else sum(len(part) for part in self.rows)

    def parts(self, codes: Codes, n_parts: int) -> list[Training]:
        """The training of each part alone; `codes` is the part of each row given, -1 for none.

        In one pass over the rows where the learner's algorithm can fill several summaries at once.
        """
        rows = self._in_memory("parts")
        codes = np.ascontiguousarray(codes[self._places])
        each = self.learner.summarise_parts
        sizes = np.bincount(codes + 1, minlength=n_parts + 1)[1:]
        if not self.learner.adds or each is None:
            makers = (rows.take(np.flatnonzero(codes == part)) for part in range(n_parts))
            return [self._sibling(some, n_rows=len(some)) for some in makers]
        filled = partial(_with_plan, each, self.plan, n_parts)
        summaries = run_parts(filled, rows, codes, engine=self.engine, n_jobs=self.learner.jobs)
        return [
            self._sibling((), summary=summary, n_rows=int(size))
            for summary, size in zip(summaries, sizes.tolist(), strict=True)
        ]

    def __add__(self, other: Training) -> Training:
        """The training on the rows of both."""
        if not self.learner.adds:
            raise ParameterError(
                f"Training: the summaries of {_name(self.learner)} do not add; fit it on all rows at once."
            )
        return self._sibling((), summary=self.summary + other.summary, n_rows=self.n_rows + other.n_rows)

    def _sibling(self, rows: Table | Iterable[Table], **known: Any) -> Training:
        if self.learner.adds:
            known["plan"] = self.plan
        return Training(self.learner, self.schema, rows, engine=self.engine, **known)

    def _in_memory(self, what: str) -> Table:
        if not isinstance(self.rows, Table):
            raise ParameterError(f"Training: {what} are for rows in memory; give a Table.")
        return self.rows

    # -- from a summary to a model ----------------------------------------------------------------

    @property
    def totals(self) -> Floats:
        """The weight learned from: of each class, or of all rows."""
        if self.learner.adds:
            return self.learner.weight_of(self.summary)
        return np.array([self._in_memory("totals").total_weight])

    @cached_property
    def model(self) -> Any:
        """The bare model."""
        return self.solved_by(self.learner) if self.learner.adds else self.fitted().model_

    def solved_by(self, learner: Learner) -> Any:
        """The model under the parameters of this learner."""
        solve = _function(learner, "solve")
        return solve(self.summary, **learner.parameters_for(solve))

    def fitted(self, learner: Learner | None = None) -> Any:
        """A copy of the learner, fitted; of another one if given, of the same class and with the same plan."""
        from sklearn.base import clone

        made = clone(self.learner if learner is None else learner)
        if not made.adds:
            return made.fit(self._in_memory("models without a summary"))
        if not self.totals.sum() > 0:
            raise DataError(
                f"{_name(made)}: every training row of a split has weight zero; use other class weights."
            )
        made.keep(self if learner is None else self._for(made))
        return made

    def _for(self, learner: Learner) -> Training:
        known = {"plan": self.plan, "summary": self.summary, "n_rows": self.n_rows}
        return Training(learner, self.schema, (), engine=self.engine, **known)


class Stream:
    """Parts with their schema; an iterator that can be used only once keeps its first part."""

    def __init__(self, parts: Iterable[Table] | Table, who: str, targeted: bool = True) -> None:
        self._parts, self._who = [parts] if isinstance(parts, Table) else parts, who
        self._targeted = targeted  # else a target plays no part
        self.once = iter(self._parts) is self._parts
        first = next(iter(self._parts), None)
        if first is None:
            raise DataError(f"{who}: there are no parts to learn from.")
        if not isinstance(first, Table):
            raise DataError(
                f"{who}: the parts must be Tables under one schema, such as acumen.scan gives; "
                f"got a {type(first).__name__}."
            )
        self.schema = self._learned(first.schema)
        self._first = first if self.once else None

    def __iter__(self) -> Iterator[Table]:
        if self._first is not None:
            yield self._checked(self._first)
        for part in self._parts:
            yield self._checked(part)

    def _checked(self, part: Table) -> Table:
        schema = self._learned(part.schema)
        self.schema.require_same(schema)
        if not self._targeted:
            return relabelled(part, schema, None, part.weights)
        return relabelled(part, schema, part.labels, part.weights, part.response)

    def _learned(self, schema: Schema) -> Schema:
        return learned_schema(schema) if self._targeted else Schema(schema.attributes)

    def refuse_once(self) -> DataError:
        return DataError(
            f"{self._who}: the parts must be gone through more than once, but this iterator can be used only "
            "once; pass acumen.scan(...) or a list of tables."
        )


class Again:
    """Tables that are made anew each time they are gone through."""

    def __init__(self, make: Callable[[], Iterable[Table]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[Table]:
        return iter(self._make())


class Counted:
    """Passes tables on and counts their rows."""

    def __init__(self, parts: Iterable[Table]) -> None:
        self._parts = parts
        self._rows = 0

    def __len__(self) -> int:
        return self._rows

    def __iter__(self) -> Iterator[Table]:
        for part in self._parts:
            self._rows += len(part)
            yield part


def parameters_for(function: Callable[..., Any], parameters: dict[str, Any]) -> dict[str, Any]:
    """Those of the parameters that a function's signature names."""
    names = _names(function)
    return {name: value for name, value in parameters.items() if name in names}


@lru_cache(maxsize=256)  # asked for in every fold
def _names(function: Callable[..., Any]) -> frozenset[str]:
    return frozenset(inspect.signature(function).parameters)


def _with_plan(each: Callable[..., Any], plan: Any, n_parts: int, rows: Table, parts: Codes) -> Any:
    return each(rows, plan, parts, n_parts)


def _function(learner: Learner, name: str) -> Callable[..., Any]:
    found = getattr(learner, name)
    if found is None:
        raise ParameterError(f"Training: {_name(learner)} has no summary; ask for its model.")
    return cast("Callable[..., Any]", found)


def _name(learner: Learner) -> str:
    return type(learner).__name__
