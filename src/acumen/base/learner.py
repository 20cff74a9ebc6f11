"""The base class of all learners, with the interface of scikit-learn.

    Learner   fitting: from a table, from parts, from further rows

A learner names its task and provides either `learn(rows)`, or `summarise` and `solve` (and `plan`), whose summaries
add. `fit`, `partial_fit`, `fit_stream` and the methods with which `store` saves and loads it are derived from these.
`abilities` has what it can do, `fitted_state` what it keeps after fitting, `export_face` its exports. `Classifier`,
`Regressor` and `Clusterer`, each in its own file, add prediction and scoring.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np

from acumen.base.availability import available, no_stream
from acumen.base.export_face import ExportFace
from acumen.base.fitted_state import FittedState
from acumen.base.memory_budget import in_a_sentence
from acumen.base.scikit import available_if
from acumen.base.training import Training, rows_of_parts
from acumen.data.align import align
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.cores import limited_to
from acumen.errors import DataError, ParameterError
from acumen.models.decision import no_weight_left
from acumen.models.parameters import specs_of
from acumen.models.predictor import AnyPredictor
from acumen.preprocessing.stored_arrays import require
from acumen.profiling.fit_warnings import data_warnings_off, data_warnings_on, warn_about_rows
from acumen.profiling.training_profile import TrainingProfile, merge_profiles
from acumen.rows.intake import replace_target
from acumen.rows.training_rows import PartRows, Rows, TableRows
from acumen.rows.weights import Weighing
from acumen.rows.widened_schema import joined_schema, rename_columns, rename_target
from acumen.types import Array, Floats


class Learner(FittedState, ExportFace):
    """Base class of all learners."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the learner to rows.

        Parameters
        ----------
        X : Table, data frame, array or sparse matrix
            A Table may contain its target; columns may be numeric, nominal, ordinal or text, with missing
            values.
        y : array-like, optional
            What is to be learned, one value a row; None or NaN for rows without. Of a classifier labels (text, numbers
            or booleans), or a matrix of one share for each row and class, rows summing to 1 (a frame's columns name
            the classes); of a regressor numbers. Ignored if no target is needed.
        sample_weight : array-like, optional
            Row weights of at least 0; a row of weight zero is ignored. Whole weights are counts of rows; any
            others are relative, and multiplying them changes nothing (but see `scale_sensitive`).
        """
        self.check_parameters()
        name = self._name
        table, shares = self.task.intake(X, y, sample_weight, name)
        self._remember_names(X, table.schema)
        self.object_to(table.schema)
        if (sentence := self.shortage(table)) is not None:
            raise DataError(f"{name}: {sentence}")
        with limited_to(self.jobs), in_a_sentence(name, len(table), table.schema):
            factors = self.class_factors(table)
            self.weighing_ = self.weighing_of(table, shares, factors)
            self.weighing_.require_bounded(name)
            rows = self.in_units(self.counted_places(table, factors)[0])
            if not len(rows):
                raise no_weight_left(name)
            with data_warnings_off():
                model, totals = self.learn(TableRows(rows))
                self.settle(rows.schema, model, totals, len(rows))
            if data_warnings_on():
                seen = TrainingProfile.of(rows, model)
                self.remember(seen)
                warn_about_rows(name, table, rows, seen, one_class=self.learns_one_class)
                self._warn_of_small_weights()
        return self

    def learn(self, rows: Rows) -> tuple[Any, Floats]:
        """The model and its training weight: of each class, or of all rows as an array of length one.

        Every row counts. A learner without `summarise` and `solve` overrides this: with a loop around sums over blocks
        of rows (then `streams` is true), or starting with `table = rows.require_local(...)`.
        """
        if not self.adds:
            raise NotImplementedError(f"{self._name} must give learn(rows), or summarise and solve")
        table = rows.require_local(self._name)
        if not table.known_target().all():
            return self.learn_unlabelled(table)
        training = Training(self, table.schema, table, weighing=self.weighing_)
        self.plan_, self.summary_, self.n_iter_ = training.plan, training.summary, 1
        return training.model, training.totals

    def learn_unlabelled(self, table: Table) -> tuple[Any, Floats]:
        """Train if some rows are unlabelled but used."""
        raise NotImplementedError(f"{self._name} does not train on unlabelled rows")

    # -- part by part -----------------------------------------------------------------------------

    @available(lambda self: self.streams, no_stream)
    def fit_stream(self, parts: Iterable[Table] | Table) -> Self:
        """Fit the model to parts with the same schema, as `acumen.scan` returns them, reading one part at a time.

        The model is the same, to the byte, as `fit` on all rows at once. Logistic and MaxEnt reach the optimum of `fit`
        to their tolerance, and their bytes do not depend on the parts or the machine. If the parts must be read more
        than once (a plan, balanced class weights, a search), a one-shot iterator is refused.
        A search reads the parts again at each step, or keeps what it needs of them where that is at most 256 MB; trees
        of a forest and of boosting need all rows, as codes of one or two bytes.
        """
        self.check_parameters()
        if self.learns_unlabelled:
            raise self._unlabelled_in("fit_stream")
        with limited_to(self.jobs), in_a_sentence(self._name):
            rows = rows_of_parts(self, parts)
            training = Training(self, rows.schema, rows)
            if not ((not self.adds or training.summary is not None) and len(rows)):
                if getattr(self, "class_weight", None) is not None:
                    raise no_weight_left(self._name)
                raise DataError(f"{self._name}: no part has a usable training row.")
            if self.adds:
                self.keep(training)
                return self
            self._learn_from_parts(rows)
        return self

    def _learn_from_parts(self, rows: PartRows) -> None:
        self.weighing_ = rows.weighing
        self.weighing_.require_bounded(self._name)
        if not self.scale_sensitive and not self.weighing_.whole:
            rows.weigh_by(self.weighing_.factor(rows.weight, self._name))
        self.n_features_in_ = len(rows.schema)
        self.feature_names_in_ = np.array(rows.schema.names, dtype=object)
        with data_warnings_off():
            model, totals = self.learn(rows)
            self.settle(rows.schema, model, totals, len(rows))
        if rows.part_checks is not None:
            self._remember_passed(rows.part_checks)

    def _unlabelled_in(self, method: str) -> ParameterError:
        """A sentence on why unlabelled rows cannot be used in parts."""
        how = getattr(self, "unlabelled", None)
        return ParameterError(
            f"{self._name}: {method} reads each row once, but unlabelled={how!r} needs several passes over "
            "unlabelled rows; use fit, or unlabelled='ignore'."
        )

    @available_if(lambda self: self.adds)
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Update the model with further rows, as if they had been part of the first fit.

        Later rows may have new levels. A plan (bin edges or a vocabulary, for example) is determined by the rows of
        the first call.
        """
        self.check_parameters()
        return self._learn_more(X, *self.task.intake(X, y, sample_weight, self._name))

    def begins(self) -> bool:
        """Whether `partial_fit` starts from nothing; DataError if the earlier summary was not stored."""
        if hasattr(self, "predictor_") and not hasattr(self, "summary_"):
            raise DataError(
                f"{self._name}: the model file holds no training summary, so partial_fit cannot go on from it; "
                "save with summary=True, or fit again."
            )
        return not hasattr(self, "summary_")

    def _learn_more(self, X: Any, table: Table, shares: Floats) -> Self:
        first = self.begins()
        if first:
            self._remember_names(X, table.schema)
            self.object_to(table.schema)
        else:
            table = self._further(table)
        with limited_to(self.jobs), in_a_sentence(self._name, len(table), table.schema):
            factors = self.class_factors(table)
            weighing = self.weighing_of(table, shares, factors)
            rows = self.counted_places(table, factors)[0]
            known = {"weighing": weighing} if first else {"plan": self.plan_, "weighing": weighing}
            training = Training(self, table.schema, rows, **known)
            count = len(rows)
            if not first:
                count += int(self.training_["rows"])
                both = self.summary_.widen(table.schema) + training.summary
                weighing = self.weighing_ + weighing
                training = Training(self, table.schema, (), plan=self.plan_, summary=both, weighing=weighing)
            self.plan_, self.summary_, self.n_iter_ = training.plan, training.summary, 1
            self.weighing_ = training.weighing
            before = None if first else self.predictor_.seen
            self.settle(table.schema, training.model, training.totals, count)
            if data_warnings_on() and (first or before is not None):
                self.remember(
                    merge_profiles([*([] if first else [before]), TrainingProfile.of(rows, training.model)])
                )
                self._warn_of_small_weights()
        return self

    def _further(self, table: Table) -> Table:
        """Give later rows the column names of the first, with the levels of both."""
        known = self.predictor_.schema
        if not self._has_column_names:
            table = rename_columns(table, known.names, self._name)
        target = table.schema.target
        if target is not None and known.target is not None:
            schema = Schema(table.schema.attributes, rename_target(target, known.target.name))
            table = replace_target(table, schema, table.labels, table.weights, table.response)
        return align(table, joined_schema(known, table.schema))

    # -- model files ------------------------------------------------------------------------------

    @property
    def learner_to_save(self) -> Learner:
        """The learner that a model file stores for this one."""
        return self

    @classmethod
    def restore(
        cls,
        parameters: Mapping[str, Any],
        predictor: AnyPredictor,
        training: Mapping[str, Any],
        summary: Mapping[str, Array] | None,
        plan: Mapping[str, Array] | None,
    ) -> Self:
        """Restore a fitted learner from the parts of a model file."""
        known = {spec.name for spec in specs_of(cls)}
        require(set(parameters) <= known, f"{cls.__name__} has no such parameters")
        learner = cls(**parameters)
        learner.restore_state(predictor, training)
        if summary is not None:
            learner._restore_training_summary(summary, plan)
        return learner

    def restore_state(self, predictor: AnyPredictor, training: Mapping[str, Any]) -> None:
        """Restore the fitted state from a model file."""
        self.check_parameters()
        self.predictor_, self.training_ = predictor, dict(training)
        self.weighing_ = Weighing.from_record(
            training["rows"], training["weight"], training.get("weights", "counts")
        )
        names = predictor.schema.names
        self.n_features_in_ = len(names)
        if names != tuple(f"x{j}" for j in range(len(names))):  # the names of columns of arrays
            self.feature_names_in_ = np.array(names, dtype=object)

    def _restore_training_summary(
        self, summary: Mapping[str, Array], plan: Mapping[str, Array] | None
    ) -> None:
        schema = self.predictor_.schema
        require(
            self.restore_summary is not None,
            f"{type(self).__name__} has no training summary, but the file has one",
        )
        assert self.restore_summary is not None
        self.plan_ = None if plan is None or self.restore_plan is None else self.restore_plan(plan, schema)
        self.summary_ = self.restore_summary(summary, schema, self.plan_)
