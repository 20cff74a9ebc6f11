"""What every learner of acumen can do, with scikit-learn's face: the contract, once.

    Learner   parameters, fit, learning part by part, what was learned

A learner names its task and gives either `learn(table)`, or `summarise` and `solve` (and `plan`), whose summaries add:
`fit`, `partial_fit` and `fit_stream` then follow. `Classifier`, `Regressor` and `Clusterer`, each in a file of its own,
add what is predicted and how it is scored; `learner_file` has what model files ask of it, `export_face` what it can be
turned into.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from acumen.base.decision import no_weight_left
from acumen.base.export_face import ExportFace
from acumen.base.intake import as_table, is_named, one_row, query_table, relabelled
from acumen.base.learner_file import FileFace
from acumen.base.model import AnyModel
from acumen.base.parameters import check_parameters
from acumen.base.passed import Passed
from acumen.base.room import shortage
from acumen.base.seen import Seen, joined
from acumen.base.task import Task, known_target
from acumen.base.training import Stream, Training, parameters_for
from acumen.base.unfamiliar import Unfamiliar, briefly
from acumen.base.watch import tell, tell_of_parts, tell_of_rows, unwatched, watching
from acumen.base.weights import Weighing, in_units, total_weight
from acumen.base.widen import called, joined_schema, renamed
from acumen.data.align import align
from acumen.data.schema import Schema
from acumen.data.table import NO_WEIGHTS, Table
from acumen.engines.cores import limited_to
from acumen.errors import DataError
from acumen.resample.plan import require_seed
from acumen.types import Array, Bools, Codes, Floats, Indices


class Learner(ExportFace, FileFace, BaseEstimator):  # type: ignore[misc]
    """What every learner of acumen can do."""

    #: The learner's word at the command line and in model files.
    kind: ClassVar[str]
    #: What it learns: classes, numbers, groups, itemsets.
    task: ClassVar[Task]
    model_type: ClassVar[type[AnyModel]]
    #: Whether it is a yardstick, of which scikit-learn's checks must not expect good predictions.
    modest: ClassVar[bool] = False

    # Functions of the algorithm, as static methods; each is given those parameters that its signature names. A
    # summary has `+` and `widened(schema)`, and is made of dataclasses, tuples and arrays; a plan has `to_arrays()`.
    #: parts -> plan: what must be the same for all rows.
    plan: ClassVar[Callable[..., Any] | None] = None
    #: (rows, plan) -> summary: additive, knows no hyper-parameter.
    summarise: ClassVar[Callable[..., Any] | None] = None
    #: (rows, plan, parts, n_parts) -> one summary for each part, in one pass; made of `summarise` unless given.
    summarise_parts: ClassVar[Callable[..., Any] | None] = None
    #: summary -> model: reads no data.
    solve: ClassVar[Callable[..., Any] | None] = None
    #: (arrays, schema) -> plan and (arrays, schema, plan) -> summary, from a model file, trusting nothing.
    restore_plan: ClassVar[Callable[..., Any] | None] = None
    restore_summary: ClassVar[Callable[..., Any] | None] = None
    #: Whether a part's summary alone tells the squared error of a model on it (`squares_left`).
    sums_tell_error: ClassVar[bool] = False

    _parameter_names: ClassVar[tuple[str, ...]]  # of the class itself, once asked for

    predictor_: Any
    #: What the rows learned from weigh, and how their weights were read.
    weighing_: Weighing
    #: What the comparison said that chose this learner, if one did; model files keep it.
    comparison_: dict[str, Any]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    @classmethod
    def _get_param_names(cls) -> list[str]:
        # scikit-learn reads the signature again each time, which takes it longer than solving a small summary.
        if "_parameter_names" not in cls.__dict__:
            cls._parameter_names = tuple(super()._get_param_names())
        return list(cls._parameter_names)

    @property
    def minds_scale(self) -> bool:
        """Whether fractional row weights are taken as they are given: a penalty stands beside a sum of losses.

        All others learn the same from weights multiplied by a constant; see `acumen.base.weights`.
        """
        return False

    @property
    def minds_constants(self) -> bool:
        """Whether a column that never changes may change the answers: bins or widths follow from how many there are."""
        return False

    # -- what it can do ---------------------------------------------------------------------------

    @property
    def adds(self) -> bool:
        """Whether its model is solve(summary), and summaries of parts add up to that of all rows."""
        return self.summarise is not None

    @property
    def streams(self) -> bool:
        """Whether `fit_stream` learns from parts, holding few of them at a time."""
        return self.adds

    @property
    def learns_unlabelled(self) -> bool:
        """Whether rows without a target are learned from too."""
        return False

    def adds_folds(self, schema: Schema) -> bool:
        """Whether training sets of cross-validation may be made by adding the summaries of folds.

        Not where a plan must see the training rows first.
        """
        return self.adds and not self.needs_plan(schema)

    def needs_plan(self, schema: Schema) -> bool:
        """Whether a pass over the rows must come before they can be summarised.

        Where none is needed the plan is made of no rows.
        """
        return self.plan is not None

    def reads_twice(self, schema: Schema) -> bool:
        """Whether rows must be gone through more than once to be summarised."""
        return self.needs_plan(schema)

    def objection(self, schema: Schema) -> str | None:
        """A sentence on why this learner cannot learn from such a table, or None."""
        return None

    def needless(self, table: Table) -> str | None:
        """A sentence on why nobody would try this learner on such a table, though it could learn; or None."""
        return None

    def memory(self, rows: int, schema: Schema) -> int | None:
        """About how many bytes a fit takes besides the table; None where it is little, or nobody knows.

        A learner that copies rows, codes levels as columns, or makes matrices of columns or rows, says so here: it
        objects then before it asks for more than there is. `acumen.base.room` has the sizes of the usual ones.
        """
        return None

    def summary_memory(self, schema: Schema) -> int | None:
        """About how many bytes a summary of any number of rows takes; None where it is little."""
        return None

    #: Whether a sparse table stays sparse in a fit, so that only the values that are not zero count.
    keeps_sparse: ClassVar[bool] = False

    def memory_for(self, table: Table) -> int | None:
        """About how many bytes a fit on these rows takes besides the table."""
        if table.sparse is not None and self.keeps_sparse:
            return 40 * int(table.sparse.nnz) + 100 * len(table.schema) * max(table.schema.n_classes, 1)
        return self.memory(len(table), table.schema)

    def shortage(self, table: Table, parts: int = 0) -> str | None:
        """A sentence on why there is not memory enough to learn from these rows, or None.

        With `parts`, where summaries of so many parts are held at a time, and their sums.
        """
        need = self.memory_for(table) or 0
        if parts and self.adds:
            need += 3 * parts * (self.summary_memory(table.schema) or 0)
        return None if need < 1 << 16 else shortage(need, table)

    @property
    def legible(self) -> bool:
        """Whether a person can read what was learned, given time: rules, trees, tables and weights of inputs."""
        return True

    def check_parameters(self) -> None:
        """Raise ParameterError unless every parameter is what its declaration asks for."""
        given = self.get_params(deep=False)
        check_parameters(self._name, type(self), given)
        if "random_state" in given:
            require_seed(given["random_state"], self._name)

    def object_to(self, schema: Schema) -> None:
        """Raise DataError with the objection to such a table, if there is one."""
        sentence = self.objection(schema)
        if sentence is not None:
            raise DataError(f"{self._name}: {sentence}")

    # -- learning ---------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows.

        Parameters
        ----------
        X : Table, data frame, array or sparse matrix
            A Table may carry its target; columns may be numeric, nominal, ordinal or text, with missing
            values.
        y : array-like, optional
            What is to be learned, one value a row; None or NaN for rows without. Of a classifier labels (text, numbers
            or booleans), or a matrix of one share for each row and class, rows summing to 1 (a frame's columns name
            the classes); of a regressor numbers. Without a target it plays no part.
        sample_weight : array-like, optional
            Row weights of at least 0; a row of weight zero is as if absent. Whole weights are counts of rows; any
            others are relative, and multiplying them changes nothing (but see `minds_scale`).
        """
        self.check_parameters()
        table, shares = self.task.intake(X, y, sample_weight, self._name)
        self._remember_names(X, table.schema)
        self.object_to(table.schema)
        if (sentence := self.shortage(table)) is not None:
            raise DataError(f"{self._name}: {sentence}")
        with limited_to(self.jobs):
            factors = self.class_factors(table)
            self.weighing_ = self.weighing_of(table, shares, factors)
            self.weighing_.require_bounded(self._name)
            rows = self.in_units(self.counted_places(table, factors)[0])
            if not len(rows):
                raise no_weight_left(self._name)
            with unwatched():
                model, totals = self.learn(rows)
                self.settle(rows.schema, model, totals, len(rows))
            if watching():
                seen = Seen.of(rows)
                self.remember(seen)
                tell_of_rows(self._name, table, rows, seen)
        return self

    def remember(self, seen: Seen | None) -> None:
        """Keep what is known of the rows learned from: ranges, and a fingerprint."""
        self.predictor_ = replace(self.predictor_, seen=seen)

    def remember_passed(self, passed: Passed) -> None:
        """The same of rows that came in parts; what was odd about them is said."""
        self.remember(passed.seen)
        if (found := passed.noticed()) is not None:
            tell_of_parts(self._name, found)

    def learn(self, table: Table) -> tuple[Any, Floats]:
        """The model, and the weight behind it: of each class, or of all rows as an array of one.

        Every row of the table counts. A learner without `summarise` and `solve` gives its own.
        """
        if not self.adds:
            raise NotImplementedError(f"{self._name} must give learn(table), or summarise and solve")
        if not known_target(table).all():
            return self.learn_unlabelled(table)
        training = Training(self, table.schema, table, weighing=self.weighing_)
        self.plan_, self.summary_, self.n_iter_ = training.plan, training.summary, 1
        return training.model, training.totals

    def learn_unlabelled(self, table: Table) -> tuple[Any, Floats]:
        """The same where some rows are without a target and are learned from all the same."""
        raise NotImplementedError(f"{self._name} does not learn from rows without a target")

    def settle(self, schema: Schema, model: Any, totals: Floats, rows: int) -> None:
        """Keep what was learned."""
        self.predictor_ = self.task.predictor(schema, model)
        self.training_ = self._training(rows, float(totals.sum()))

    def _training(self, rows: int, weight: float) -> dict[str, Any]:
        """What model files note of the rows learned from; how weights were read where they are no counts of rows."""
        reading = self.weighing_.reading
        made: dict[str, Any] = {"rows": int(rows), "weight": weight}
        if reading != "counts":
            made["weights"] = "as given" if self.minds_scale else reading
        return made

    def keep(self, training: Training) -> None:
        """Be fitted with a training of this learner's parameters."""
        self.plan_, self.summary_, self.n_iter_ = training.plan, training.summary, 1
        self.n_features_in_ = len(training.schema)
        self.feature_names_in_ = np.array(training.schema.names, dtype=object)
        self.weighing_ = training.weighing
        self.settle(training.schema, training.model, training.totals, training.n_rows)
        if training.passed is not None:
            self.remember_passed(training.passed)

    def weight_of(self, summary: Any) -> Floats:
        """The weight behind a summary: of each class, or of all rows."""
        weight: Floats = summary.weight
        return weight

    def parameters_for(self, function: Callable[..., Any]) -> dict[str, Any]:
        """Those of its parameters that a function's signature names."""
        return parameters_for(function, self)

    # -- which rows count -------------------------------------------------------------------------

    def class_factors(self, source: Table | Stream) -> Floats | None:
        """What the row weights of each class are multiplied by; None where they stay as they are."""
        return None

    def weighing_of(
        self, table: Table, shares: Floats = NO_WEIGHTS, factors: Floats | None = None
    ) -> Weighing:
        """What those rows weigh that are learned from; `shares` says what part of a row each is."""
        return Weighing.of(table, factors, shares)

    def counts(self, table: Table) -> Bools:
        """Which rows can be learned from, whatever they weigh."""
        return known_target(table)

    def counted(self, table: Table) -> Table:
        """The rows that are learned from, class weights multiplied in."""
        return self.counted_places(table, self.class_factors(table))[0]

    def counted_places(self, table: Table, factors: Floats | None) -> tuple[Table, Indices | slice]:
        """The rows that are learned from, weighted by their classes' factors, and which of the table's these are."""
        if factors is not None:
            assert table.labels is not None
            weights = table.row_weights * np.append(factors, 1.0)[np.maximum(table.labels, -1)]
            table = relabelled(table, table.schema, table.labels, weights)
        keep = self.counts(table)
        if table.weights.size:
            keep = keep & (table.weights > 0)
        if keep.all():
            return table, slice(None)
        places = np.flatnonzero(keep)
        return table.take(places), places

    def in_units(self, table: Table) -> Table:
        """The rows with the weights that sizes, smoothing and pruning look at.

        Summaries hold weights as given, and are divided when they are solved.
        """
        if self.adds or self.minds_scale or self.weighing_.whole:
            return table
        return in_units(table, self.weighing_.factor(total_weight(table.weights), self._name))

    # -- part by part -----------------------------------------------------------------------------

    @available_if(lambda self: self.streams)  # type: ignore[untyped-decorator]
    def fit_stream(self, parts: Iterable[Table]) -> Self:
        """Learn from parts under one schema, such as `acumen.scan` gives, holding one at a time.

        The model is the same, to the byte, as `fit` on all rows at once. Where the parts must be gone through
        more than once (a plan, balanced class weights), an iterator that can be used only once is refused.
        """
        self.check_parameters()
        with limited_to(self.jobs):
            training = Training.of(self, [parts] if isinstance(parts, Table) else parts)
            if not (training.summary is not None and training.n_rows):
                if getattr(self, "class_weight", None) is not None:
                    raise no_weight_left(self._name)
                raise DataError(
                    f"{self._name}: no part holds a row that counts; there is nothing to learn from."
                )
            self.keep(training)
        return self

    @available_if(lambda self: self.adds)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from further rows as if they had been there from the start.

        Later rows may bring levels not seen before. A plan, where one is needed, is settled by the first call's
        rows.
        """
        self.check_parameters()
        return self._learn_more(X, *self.task.intake(X, y, sample_weight, self._name))

    def begins(self) -> bool:
        """Whether `partial_fit` has nothing to go on from; DataError where what there was has not been kept."""
        if hasattr(self, "predictor_") and not hasattr(self, "summary_"):
            raise DataError(
                f"{self._name}: the model file holds no training summary, so partial_fit cannot go on from it; "
                "save with summary=True, or fit anew."
            )
        return not hasattr(self, "summary_")

    def _learn_more(self, X: Any, table: Table, shares: Floats) -> Self:
        first = self.begins()
        if first:
            self._remember_names(X, table.schema)
            self.object_to(table.schema)
        else:
            table = self._further(table)
        with limited_to(self.jobs):
            factors = self.class_factors(table)
            weighing = self.weighing_of(table, shares, factors)
            rows = self.counted_places(table, factors)[0]
            known = {"weighing": weighing} if first else {"plan": self.plan_, "weighing": weighing}
            training = Training(self, table.schema, rows, **known)
            count = len(rows)
            if not first:
                count += int(self.training_["rows"])
                both = self.summary_.widened(table.schema) + training.summary
                weighing = self.weighing_ + weighing
                training = Training(self, table.schema, (), plan=self.plan_, summary=both, weighing=weighing)
            self.plan_, self.summary_, self.n_iter_ = training.plan, training.summary, 1
            self.weighing_ = training.weighing
            before = None if first else self.predictor_.seen
            self.settle(table.schema, training.model, training.totals, count)
            if watching() and (first or before is not None):
                self.remember(joined([*([] if first else [before]), Seen.of(rows)]))
        return self

    def _further(self, table: Table) -> Table:
        """Later rows under the names of the first, with the levels of both."""
        known = self.predictor_.schema
        if not self._named:
            table = renamed(table, known.names, self._name)
        target = table.schema.target
        if target is not None and known.target is not None:
            schema = Schema(table.schema.attributes, called(target, known.target.name))
            table = relabelled(table, schema, table.labels, table.weights, table.response)
        return align(table, joined_schema(known, table.schema))

    def squares_left(self, summary: Any) -> float:
        """Of a fitted regressor whose sums tell its error: the weighted squares of what the model leaves of a part."""
        raise DataError(f"{self._name}: the summary of a part does not tell what the model leaves of it.")

    # -- all folds at once ------------------------------------------------------------------------

    def folds_objection(self, rows: Table) -> str | None:
        """Why `fit_folds` cannot be used on such rows, a sentence that is told; None where it gives what refits give.

        Empty, and nothing is told, where a learner has no such way.
        """
        return ""

    def fit_folds(self, rows: Table, parts: Codes, n_parts: int) -> Iterator[Self]:
        """A learner fitted on all rows but those of each part in turn, from one pass over the rows."""
        raise DataError(f"{self._name} cannot fit all folds at once; fit it anew for each.")

    # -- with each row left out -------------------------------------------------------------------

    def can_leave_one_out(self, rows: Table) -> bool:
        """Whether `leave_one_out` answers exactly for such rows, without fitting anew for each."""
        return False

    def leave_one_out(self, rows: Table) -> tuple[Array, Bools]:
        """Of a fitted learner: the answers of each training row by the model of all the others.

        One line of scores a row, or one number; and which rows must be refitted instead (of high leverage, say).
        """
        raise DataError(f"{self._name} cannot leave rows out by itself; fit it anew for each.")

    def can_leave_parts_out(self, rows: Table) -> bool:
        """Whether `leave_parts_out` answers exactly for such rows, without fitting anew for each part."""
        return False

    def leave_parts_out(self, rows: Table, parts: Codes, n_parts: int) -> Array:
        """Of a learner fitted on all rows: the answers of each row by the model of the rows in other parts."""
        raise DataError(f"{self._name} cannot leave parts out by itself; fit it anew for each.")

    # -- what was learned -------------------------------------------------------------------------

    @property
    def _name(self) -> str:
        return type(self).__name__

    @property
    def jobs(self) -> int | None:
        """How many threads it was told to use."""
        return getattr(self, "n_jobs", None)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "predictor_")

    def _fitted(self) -> Any:
        if not hasattr(self, "predictor_"):
            raise NotFittedError(f"This {self._name} instance is not fitted yet. Call 'fit' first.")
        return self.predictor_

    @property
    def model_(self) -> Any:
        """The bare model: plain arrays."""
        return self._fitted().model

    @property
    def schema_(self) -> Schema:
        """The schema learned under."""
        schema: Schema = self._fitted().schema
        return schema

    @property
    def n_parameters_(self) -> int:
        """The number of free parameters of the model."""
        count: int = self._fitted().model.n_parameters
        return count

    def describe(self, full: bool = False) -> str:
        """What was learned, in words: at most 40 lines unless `full`."""
        text: str = self._fitted().describe(full=full)
        return text

    def __str__(self) -> str:
        return self.describe() if hasattr(self, "predictor_") else repr(self)

    def explain(self, row: Any) -> Any:
        """Why one row (a mapping, a sequence, or a table of one row) gets its answer."""
        predictor = self._fitted()
        return predictor.explain(one_row(row, predictor.schema, self._named, self._name))

    # -- predicting -------------------------------------------------------------------------------

    @property
    def _named(self) -> bool:
        return hasattr(self, "feature_names_in_")

    def _query(self, X: Any) -> Table:
        predictor = self._fitted()
        rows = query_table(X, predictor.schema, self._named, self._name)
        if watching() and predictor.seen is not None and (strange := briefly(rows, predictor.seen)):
            tell(self._name, strange, rows.schema.names)
        return rows

    def unfamiliar(self, X: Any) -> Unfamiliar:
        """What rows hold that was not learned from: levels never seen, numbers outside the range, counted by column.

        `str` of it says so in sentences; it is false where there is nothing of the kind.
        """
        predictor = self._fitted()
        made = Unfamiliar(predictor.schema, predictor.seen)
        with unwatched():
            rows = self._query(X)
        given = X if isinstance(X, Table) else as_table(X) if self._named and is_named(X) else None
        made.add(rows, given)
        return made

    def _remember_names(self, X: Any, schema: Schema) -> None:
        self.n_features_in_ = len(schema)
        if is_named(X):
            self.feature_names_in_ = np.array(schema.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
