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
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from acumen.caching import cached_property
from acumen.data.report import Report
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.block_source import Placed, placed_of
from acumen.engines.cores import limited_to
from acumen.engines.run import Engine, run, run_parts, using
from acumen.errors import DataError, ParameterError
from acumen.models.decision import no_weight_left
from acumen.models.parameters import specs_of
from acumen.profiling.fit_warnings import watching
from acumen.profiling.part_checks import Passed
from acumen.rows.intake import learned_schema
from acumen.rows.part_statistics import Checked, Looked, Preparing
from acumen.rows.weights import Weighing
from acumen.types import Codes, Floats, Indices

if TYPE_CHECKING:
    from acumen.base.abilities import Abilities
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
        """Of rows that are counted already; `known`: what need not be worked out (plan, summary, weighing, n_rows)."""
        self.learner, self.schema, self.rows, self.engine = learner, schema, rows, engine
        self._given: _Given | None = None
        #: What was noticed of the rows, where they came in parts and have passed.
        self.passed: Passed | None = None
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
        there: Indices | slice = slice(None)
        if rows.weights.size and not rows.weights.all():
            found = np.flatnonzero(rows.weights)
            there, rows = (found, rows.take(found)) if found.size else (there, rows)
        table = learner.task.table(rows, _name(learner))
        learner.object_to(table.schema)
        if not learner.adds:  # its own fit weighs them
            made = cls(learner, table.schema, table, engine=engine)
            made._given = _Given(table, None, there, slice(None))
            return made
        factors = learner.class_factors(table)
        counted, places = learner.counted_places(table, factors)
        made = cls(
            learner,
            table.schema,
            counted,
            engine=engine,
            weighing=learner.weighing_of(table, factors=factors),
        )
        made._given = _Given(table, factors, there, places)
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
        factors = learner.class_factors(source)
        preparing = Preparing(learner.counting(), factors, source.checked, watching())
        return cls(learner, schema, Prepared(source, preparing), engine=engine)

    # -- from rows to a summary -------------------------------------------------------------------

    @cached_property
    def plan(self) -> Any:
        """What must be the same for all rows before they can be summarised; None where nothing must."""
        make = self.learner.plan
        if make is None:
            return None
        passed = Counted(self.rows)
        rows: Table | Iterable[Table] = ()
        if self.learner.needs_plan(self.schema):
            # Over the blocks that are summarised too: sums of weights then do not depend on the cut.
            rows = self.rows if isinstance(self.rows, Table) else passed
        given = self.learner.parameters_for(make)
        if "size" in _names(
            make
        ):  # what rows that come to a weight weigh where sizes matter, once all have passed
            given["size"] = lambda weight: self._size(weight, passed)
        with using(self.engine):
            return make(rows, **given)

    def _size(self, weight: float, passed: Counted) -> float:
        weighing: Weighing = self.__dict__.get("weighing", passed.weighing)
        return weight if self.learner.minds_scale or weighing.whole else weighing.size

    @cached_property
    def summary(self) -> Any:
        """All that the model is made of, in the weights that were given."""
        block = partial(_function(self.learner, "summarise"), plan=self.plan)
        if isinstance(self.rows, Table):
            return run(block, self.rows, engine=self.engine, n_jobs=self.learner.jobs)
        passed = Counted(self.rows, watching())
        made = run(block, passed, engine=self.engine, n_jobs=self.learner.jobs)
        self.__dict__.setdefault("n_rows", passed.n_rows)
        self.__dict__.setdefault("weighing", passed.weighing)
        self.passed = passed.noticed
        return made

    @cached_property
    def weighing(self) -> Weighing:
        """What the rows weigh, and how their weights are read."""
        if isinstance(self.rows, Table):
            return self.learner.weighing_of(self.rows)
        passed = Counted(self.rows)
        if not passed.is_known:
            for _ in passed:
                pass
        return passed.weighing

    @cached_property
    def n_rows(self) -> int:
        """How many rows are learned from."""
        if isinstance(self.rows, Table):
            return len(self.rows)
        passed = Counted(self.rows)
        return passed.n_rows if passed.is_known else sum(len(part) for part in passed)

    def parts(self, codes: Codes, n_parts: int) -> list[Training]:
        """The training of each part alone; `codes` is the part of each row given, -1 for none.

        In one pass over the rows where the learner's algorithm can fill several summaries at once.
        """
        rows = self._in_memory("parts")
        weighings: Sequence[Weighing | None] = [None] * n_parts
        if self._given is not None:
            codes, weighings = self._given.parts(self.learner, codes, n_parts)
        each = self.learner.summarise_parts
        if not self.learner.adds or each is None:
            makers = (rows.take(np.flatnonzero(codes == part)) for part in range(n_parts))
            pairs = zip(makers, weighings, strict=True)
            return [self._sibling(some, n_rows=len(some), weighing=weighing) for some, weighing in pairs]
        sizes = np.bincount(codes + 1, minlength=n_parts + 1)[1:]
        filled = partial(_with_plan, each, self.plan, n_parts)
        summaries = run_parts(filled, rows, codes, engine=self.engine, n_jobs=self.learner.jobs)
        return [
            self._sibling((), summary=summary, n_rows=int(size), weighing=weighing)
            for summary, size, weighing in zip(summaries, sizes.tolist(), weighings, strict=True)
        ]

    def __add__(self, other: Training) -> Training:
        """The training on the rows of both."""
        if not self.learner.adds:
            raise ParameterError(
                f"Training: the summaries of {_name(self.learner)} do not add; fit it on all rows at once."
            )
        return self._sibling(
            (),
            summary=self.summary + other.summary,
            n_rows=self.n_rows + other.n_rows,
            weighing=self.weighing + other.weighing,
        )

    def _sibling(self, rows: Table | Iterable[Table], **known: Any) -> Training:
        if self.learner.adds:
            known["plan"] = self.plan
        if known.get("weighing") is None:
            known.pop("weighing", None)
        return Training(self.learner, self.schema, rows, engine=self.engine, **known)

    def _in_memory(self, what: str) -> Table:
        if not isinstance(self.rows, Table):
            raise ParameterError(f"Training: {what} are for rows in memory; give a Table.")
        return self.rows

    # -- from a summary to a model ----------------------------------------------------------------

    @cached_property
    def weighed(self) -> Any:
        """The summary in the weights that sizes, smoothing and pruning look at."""
        sums, learner = self.summary, self.learner
        self.weighing.require_bounded(_name(learner))
        total = float(learner.weight_of(sums).sum())
        if not total > 0:
            raise no_weight_left(_name(learner))
        if learner.minds_scale or self.weighing.whole:
            return sums
        factor = self.weighing.factor(total, _name(learner))
        return sums if factor == 1.0 else sums.scaled(factor)

    @property
    def totals(self) -> Floats:
        """The weight learned from: of each class, or of all rows."""
        if self.learner.adds:
            return self.learner.weight_of(self.weighed)
        return np.array([self._in_memory("totals").total_weight])

    @cached_property
    def model(self) -> Any:
        """The bare model."""
        if not self.learner.adds:
            return self.fitted().model_
        solve = _function(self.learner, "solve")
        return solve(self.weighed, **self.learner.parameters_for(solve))

    def fitted(self, learner: Learner | None = None) -> Any:
        """A copy of the learner, fitted; of another one if given, of the same class and with the same plan."""
        from acumen.base.scikit import clone

        made = clone(self.learner if learner is None else learner)
        if not made.adds:
            return made.fit(self._in_memory("models without a summary"))
        if not self.learner.weight_of(self.summary).sum() > 0:
            raise DataError(
                f"{_name(made)}: every training row of a split has weight zero; use other class weights."
            )
        with limited_to(made.jobs):
            made.keep(self if learner is None else self._for(made))
        return made

    def _for(self, learner: Learner) -> Training:
        known = {"plan": self.plan, "summary": self.summary, "n_rows": self.n_rows, "weighing": self.weighing}
        return Training(learner, self.schema, (), engine=self.engine, **known)


class Stream:
    """Parts with their schema; an iterator that can be used only once keeps its first part."""

    def __init__(self, parts: Iterable[Table] | Table, who: str, targeted: bool = True) -> None:
        self._parts, self._who = [parts] if isinstance(parts, Table) else parts, who
        self.once = iter(self._parts) is self._parts
        first = next(iter(self._parts), None)
        if first is None:
            raise DataError(f"{who}: there are no parts to learn from.")
        if not isinstance(first, Table):
            raise DataError(
                f"{who}: the parts must be Tables under one schema, such as acumen.scan gives; "
                f"got a {type(first).__name__}."
            )
        self.schema = learned_schema(first.schema) if targeted else Schema(first.schema.attributes)
        self.checked = Checked(self.schema, targeted)
        self._first = first if self.once else None

    def __iter__(self) -> Iterator[Table]:
        if self._first is not None:
            yield self.checked(self._first)
        for part in self._parts:
            yield self.checked(part)

    def placed(self) -> Placed | None:
        """Where the parts are, for engines that fetch them by themselves."""
        found = placed_of(self._parts)
        return None if found is None else Placed(found.located, self.checked.prepare)

    @property
    def report(self) -> Report | None:
        """What their reader said."""
        return getattr(self._parts, "report", None)

    def refuse_once(self) -> DataError:
        return DataError(
            f"{self._who}: the parts must be gone through more than once, but this iterator can be used only "
            "once; pass acumen.scan(...) or a list of tables."
        )


@dataclass(frozen=True, slots=True)
class _Given:
    """The rows a training was made of, before class weights: parts are told by them."""

    table: Table
    factors: Floats | None
    there: Indices | slice  # which of the rows handed in the table has
    places: Indices | slice  # which of the table's rows are learned from

    def parts(self, learner: Learner, codes: Codes, n_parts: int) -> tuple[Codes, list[Weighing]]:
        """The part of each row that is learned from, and what each part weighs."""
        codes = codes[self.there]
        counted = np.where(learner.counts(self.table), codes, np.int32(-1))
        weighings = Weighing.of_parts(self.table, counted, n_parts, self.factors)
        return np.ascontiguousarray(codes[self.places]), weighings


class Prepared:
    """A source of which `prepare` gives, part by part, the rows that count and what they weigh."""

    def __init__(self, source: Stream, preparing: Preparing) -> None:
        self.source, self.preparing = source, preparing
        self._placed: Placed | None = None

    def __iter__(self) -> Iterator[Table]:
        return (self.preparing.pair(part)[0] for part in self.source)

    def placed(self) -> Placed | None:
        """Where the rows are: the same each time, so that what a first pass has counted stays known."""
        if self._placed is None and (found := self.source.placed()) is not None:
            self._placed = Placed(found.located, self.preparing)
        return self._placed

    @property
    def looked(self) -> Looked | None:
        """What a pass elsewhere has noted of the parts."""
        return None if self._placed is None else self._placed.note


class Counted:
    """Passes tables on; they are counted and weighed as they pass, and looked at if they are to be remembered."""

    def __init__(self, parts: Table | Iterable[Table], look: bool = False) -> None:
        self._parts = [parts] if isinstance(parts, Table) else parts
        self._n_rows, self._weighing = 0, Weighing()
        self._noticed = Passed() if look else None

    def __iter__(self) -> Iterator[Table]:
        if not isinstance(self._parts, Prepared):
            yield from self._parts
            return
        for part in self._parts.source:
            rows, weighing = self._parts.preparing.pair(part)
            self._n_rows += len(rows)
            self._weighing = self._weighing + weighing
            if self._noticed is not None:
                self._noticed.add(part, rows)
            yield rows

    def placed(self) -> Placed | None:
        """Where the rows are, for engines that fetch them by themselves."""
        return self._parts.placed() if isinstance(self._parts, Prepared) else None

    @property
    def _looked(self) -> Looked | None:
        return self._parts.looked if isinstance(self._parts, Prepared) else None

    @property
    def is_known(self) -> bool:
        """Whether all has been counted elsewhere."""
        return self._looked is not None

    @property
    def n_rows(self) -> int:
        """How many rows have passed."""
        placed = self.placed() if self._looked is not None else None
        return self._n_rows if placed is None else int(placed.before[-1])

    @property
    def weighing(self) -> Weighing:
        """What they weigh."""
        return self._weighing if self._looked is None else self._looked.weighing

    @property
    def noticed(self) -> Passed | None:
        """What is noticed of them."""
        if self._looked is None or self._looked.passed is None or self._noticed is None:
            return self._noticed
        assert isinstance(self._parts, Prepared)
        report = self._parts.source.report
        found = self._looked.passed
        return found if report is None else found.of_source(report)


def parameters_for(function: Callable[..., Any], learner: Abilities) -> dict[str, Any]:
    """Those of a learner's parameters that a function's signature names, numbers as Python's own."""
    names, given = _names(function), learner.get_params(deep=False)
    return {spec.name: spec.plain(given[spec.name]) for spec in specs_of(type(learner)) if spec.name in names}


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
