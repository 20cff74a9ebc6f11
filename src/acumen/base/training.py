"""The steps from rows to a model, as an object.

    Training.of(learner, rows)    rows in memory, or parts as `acumen.scan` returns them
      .plan       what must be the same for all rows; may need a pass of its own
      .summary    additive, knows no hyper-parameter
      .parts(p)   one Training for each part of the rows, their summaries filled in one pass
      .model      solved from the summary; reads no data
      .fit_learner()   a learner with that model; of another learner too, whose parameters differ in `solve` alone

Trainings add where the learner's summaries do (`learner.adds`): cross-validation adds the other folds, a learning
curve adds further rows, a search solves one sum under many settings. Nothing is read before it is asked for.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from acumen.caching import cached_property
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.cores import limited_to
from acumen.engines.run import Engine, run, run_parts, using
from acumen.errors import DataError, ParameterError
from acumen.models.decision import no_weight_left
from acumen.models.parameters import specs_of
from acumen.profiling.fit_warnings import data_warnings_on
from acumen.profiling.part_checks import PartChecks
from acumen.rows.part_statistics import RowPreparation
from acumen.rows.stream import Stream
from acumen.rows.training_rows import PartRows
from acumen.rows.weights import Weighing
from acumen.types import Codes, Floats, Indices

if TYPE_CHECKING:
    from acumen.base.abilities import Abilities
    from acumen.base.learner import Learner


class Training:
    """A learner with its training rows, and the steps of training; see `Training.of`."""

    def __init__(
        self,
        learner: Learner,
        schema: Schema,
        rows: Table | Iterable[Table],
        *,
        engine: Engine | None = None,
        **known: Any,
    ) -> None:
        """For rows already selected; `known` holds values computed before (plan, summary, weighing, n_rows)."""
        self.learner, self.schema, self.rows, self.engine = learner, schema, rows, engine
        self._source: _SourceRows | None = None
        self.__dict__.update(known)

    @classmethod
    def of(cls, learner: Learner, rows: Table | Iterable[Table], *, engine: Engine | None = None) -> Self:
        """Create the training of a learner on rows; the learner itself is not fitted.

        Parameters
        ----------
        learner : a learner of acumen
        rows : Table, or parts under one schema
            As for its `fit` and `fit_stream`: unlabelled rows, and those of weight zero, are left out, and class
            weights are multiplied in.
        engine : "threads", "serial" or "disk", optional
            The engine of the summaries. [default: chosen by the source] The model does not depend on it.

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
            parts = rows_of_parts(learner, rows)
            return cls(learner, parts.schema, parts, engine=engine)
        there: Indices | slice = slice(None)
        if rows.weights.size and not rows.weights.all():
            positions = np.flatnonzero(rows.weights)
            there, rows = (positions, rows.take(positions)) if positions.size else (there, rows)
        table = learner.task.table(rows, _name(learner))
        learner.object_to(table.schema)
        if not learner.adds:  # its own fit weighs the rows
            training = cls(learner, table.schema, table, engine=engine)
            training._source = _SourceRows(table, None, there, slice(None))
            return training
        factors = learner.class_factors(table)
        counted, places = learner.counted_places(table, factors)
        training = cls(
            learner,
            table.schema,
            counted,
            engine=engine,
            weighing=learner.weighing_of(table, factors=factors),
        )
        training._source = _SourceRows(table, factors, there, places)
        return training

    # -- from rows to a summary -------------------------------------------------------------------

    @cached_property
    def plan(self) -> Any:
        """What must be the same for all rows before they can be summarised; None if there is no such thing."""
        make = self.learner.plan
        if make is None:
            return None
        rows: Table | Iterable[Table] = ()
        if self.learner.needs_plan(self.schema):
            # Use the same blocks as the summary, so that sums of weights do not depend on how rows are cut.
            rows = self.rows
        parameters = self.learner.parameters_for(make)
        if "size" in _names(
            make
        ):  # converts a weight into the units of minimum sizes, once all rows are known
            parameters["size"] = self._size
        with using(self.engine):
            return make(rows, **parameters)

    def _size(self, weight: float) -> float:
        weighing = self.weighing
        return weight if self.learner.scale_sensitive or weighing.whole else weighing.size

    @cached_property
    def summary(self) -> Any:
        """The sums from which the model is solved, in the original weights."""
        block = partial(_function(self.learner, "summarise"), plan=self.plan)
        return run(block, self.rows, engine=self.engine, n_jobs=self.learner.jobs)

    @cached_property
    def weighing(self) -> Weighing:
        """The weight of the rows, and how their weights are interpreted."""
        if isinstance(self.rows, Table):
            return self.learner.weighing_of(self.rows)
        return self.rows.weighing if isinstance(self.rows, PartRows) else Weighing()

    @cached_property
    def n_rows(self) -> int:
        """The number of training rows."""
        if isinstance(self.rows, Table):
            return len(self.rows)
        return len(self.rows) if isinstance(self.rows, PartRows) else sum(map(len, self.rows))

    @property
    def part_checks(self) -> PartChecks | None:
        """The statistics of rows that were read in parts."""
        return self.rows.part_checks if isinstance(self.rows, PartRows) else None

    def parts(self, codes: Codes, n_parts: int) -> list[Training]:
        """The training of each part; `codes` is the part of each row, or -1.

        Takes one pass over the rows if the learner's algorithm can fill several summaries at once.
        """
        rows = self._in_memory("parts")
        weighings: Sequence[Weighing | None] = [None] * n_parts
        if self._source is not None:
            codes, weighings = self._source.parts(self.learner, codes, n_parts)
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
    def scaled_summary(self) -> Any:
        """The summary with weights rescaled as minimum sizes, smoothing and pruning expect them."""
        sums, learner = self.summary, self.learner
        self.weighing.require_bounded(_name(learner))
        total = float(learner.weight_of(sums).sum())
        if not total > 0:
            raise no_weight_left(_name(learner))
        if learner.scale_sensitive or self.weighing.whole:
            return sums
        factor = self.weighing.factor(total, _name(learner))
        return sums if factor == 1.0 else sums.scale_weights(factor)

    @property
    def totals(self) -> Floats:
        """The training weight: of each class, or of all rows."""
        if self.learner.adds:
            return self.learner.weight_of(self.scaled_summary)
        return np.array([self._in_memory("totals").total_weight])

    @cached_property
    def model(self) -> Any:
        """The bare model."""
        if not self.learner.adds:
            return self.fit_learner().model_
        solve = _function(self.learner, "solve")
        return solve(self.scaled_summary, **self.learner.parameters_for(solve))

    def fit_learner(self, learner: Learner | None = None) -> Any:
        """A fitted copy of the learner, or of another learner of the same class with the same plan."""
        from acumen.base.scikit import clone

        copy = clone(self.learner if learner is None else learner)
        if not copy.adds:
            return copy.fit(self._in_memory("models without a summary"))
        if not self.learner.weight_of(self.summary).sum() > 0:
            raise DataError(
                f"{_name(copy)}: every training row of a split has weight zero; use other class weights."
            )
        with limited_to(copy.jobs):
            copy.keep(self if learner is None else self._for(copy))
        return copy

    def _for(self, learner: Learner) -> Training:
        known = {"plan": self.plan, "summary": self.summary, "n_rows": self.n_rows, "weighing": self.weighing}
        return Training(learner, self.schema, (), engine=self.engine, **known)


@dataclass(frozen=True, slots=True)
class _SourceRows:
    """The rows of a training before class weights, needed to split it into parts."""

    table: Table
    factors: Floats | None
    there: Indices | slice  # positions of the table's rows in the data passed in
    places: Indices | slice  # positions of the training rows in the table

    def parts(self, learner: Learner, codes: Codes, n_parts: int) -> tuple[Codes, list[Weighing]]:
        """The part of each training row, and the weight of each part."""
        codes = codes[self.there]
        counted = np.where(learner.counts(self.table), codes, np.int32(-1))
        weighings = Weighing.of_parts(self.table, counted, n_parts, self.factors)
        return np.ascontiguousarray(codes[self.places]), weighings


def rows_of_parts(learner: Learner, parts: Iterable[Table] | Table) -> PartRows:
    """The training rows of parts; DataError if the learner cannot be fitted to them."""
    source = Stream(parts, _name(learner), learner.task.target is not None)
    schema = source.schema
    if (sentence := learner.task.needs(schema)) is not None:
        raise DataError(f"{_name(learner)}: {sentence}")
    learner.object_to(schema)
    if source.once and (not learner.adds or learner.needs_two_passes(schema)):
        raise source.refuse_once()
    factors = learner.class_factors(source)
    return PartRows.of(
        source, RowPreparation(learner.counting(), factors, source.checked, data_warnings_on())
    )


def parameters_for(function: Callable[..., Any], learner: Abilities) -> dict[str, Any]:
    """The parameters of a learner that a function's signature names, as plain Python numbers."""
    names, values = _names(function), learner.get_params(deep=False)
    return {
        spec.name: spec.plain(values[spec.name]) for spec in specs_of(type(learner)) if spec.name in names
    }


@lru_cache(maxsize=256)  # called for every fold
def _names(function: Callable[..., Any]) -> frozenset[str]:
    return frozenset(inspect.signature(function).parameters)


def _with_plan(each: Callable[..., Any], plan: Any, n_parts: int, rows: Table, parts: Codes) -> Any:
    return each(rows, plan, parts, n_parts)


def _function(learner: Learner, name: str) -> Callable[..., Any]:
    function = getattr(learner, name)
    if function is None:
        raise ParameterError(f"Training: {_name(learner)} has no summary; use its model.")
    return cast("Callable[..., Any]", function)


def _name(learner: Learner) -> str:
    return type(learner).__name__
