"""The fitted state of a learner: which rows count, what is stored, and what can be asked after fitting.

    FittedState   which rows count and their weights; the model, its schema and profile; texts and explanations;
                  new rows brought under the schema

`Learner` adds fitting; `Classifier`, `Regressor` and `Clusterer` add prediction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np

from acumen import messages
from acumen.base.abilities import Abilities
from acumen.base.scikit import NotFittedError, clone
from acumen.base.training import Training, parameters_for
from acumen.data.schema import Schema
from acumen.data.table import NO_WEIGHTS, Table
from acumen.models.worked_explanations import explain_steps
from acumen.profiling.fit_warnings import data_warnings_off, data_warnings_on, warn_about_parts, warn_once
from acumen.profiling.part_checks import PartChecks
from acumen.profiling.training_profile import TrainingProfile
from acumen.profiling.unfamiliar_rows import Unfamiliar, unfamiliar_warning
from acumen.rows.intake import as_table, counted_places, is_named, one_row, query_table
from acumen.rows.part_statistics import RowCounting, UsualRows
from acumen.rows.stream import Stream
from acumen.rows.weights import Weighing, in_units, total_weight
from acumen.types import Bools, Floats, Indices

#: If the mean weight is smaller, a penalty outweighs the rows.
LEAST_MEAN_WEIGHT = 0.1


class FittedState(Abilities):
    """The part of a learner that selects and weighs rows and stores the fitted model."""

    predictor_: Any
    #: The weight of the training rows, and how their weights were interpreted.
    weighing_: Weighing
    #: The result of the comparison that chose this learner, if there was one; saved in model files.
    comparison_: dict[str, Any]

    # -- which rows count -------------------------------------------------------------------------

    def class_factors(self, source: Table | Stream) -> Floats | None:
        """The factor for the row weights of each class; None if they are not changed."""
        return None

    def weighing_of(
        self, table: Table, shares: Floats = NO_WEIGHTS, factors: Floats | None = None
    ) -> Weighing:
        """The weights of the training rows; `shares` is the fraction of a row that each represents."""
        return Weighing.of(table, factors, shares)

    def counts(self, table: Table) -> Bools:
        """Which rows can be used for training, whatever their weight."""
        return table.known_target()

    def training_rows(self, table: Table) -> Table:
        """The training rows with class weights multiplied in."""
        return self.counted_places(table, self.class_factors(table))[0]

    def counted_places(self, table: Table, factors: Floats | None) -> tuple[Table, Indices | slice]:
        """The training rows with class weights multiplied in, and their positions in the table."""
        return counted_places(table, factors, self.counts)

    def counting(self) -> RowCounting:
        """A small picklable object that decides which rows count, or the unfitted learner itself."""
        cls, usual = type(self), FittedState
        as_usual = cls.counts is usual.counts and cls.weighing_of is usual.weighing_of
        return UsualRows() if as_usual and cls.counted_places is usual.counted_places else clone(self)

    def in_units(self, table: Table) -> Table:
        """The rows with the weights used for size limits, smoothing and pruning.

        Summaries hold weights as given; they are rescaled when they are solved.
        """
        if self.adds or self.scale_sensitive or self.weighing_.whole:
            return table
        return in_units(table, self.weighing_.factor(total_weight(table.weights), self._name))

    # -- storing the model ------------------------------------------------------------------------

    def settle(self, schema: Schema, model: Any, totals: Floats, rows: int) -> None:
        """Store the fitted model."""
        self.predictor_ = self.task.predictor(schema, model)
        self.training_ = self._training(rows, float(totals.sum()))

    def _training(self, rows: int, weight: float) -> dict[str, Any]:
        """What model files record of the training rows, including how weights that are not counts were interpreted."""
        reading = self.weighing_.reading
        facts: dict[str, Any] = {"rows": int(rows), "weight": weight}
        if reading != "counts":
            facts["weights"] = "as given" if self.scale_sensitive else reading
        return facts

    def keep(self, training: Training) -> None:
        """Store the result of a training with this learner's parameters."""
        self.plan_, self.summary_, self.n_iter_ = training.plan, training.summary, 1
        self.n_features_in_ = len(training.schema)
        self.feature_names_in_ = np.array(training.schema.names, dtype=object)
        self.weighing_ = training.weighing
        self.settle(training.schema, training.model, training.totals, training.n_rows)
        if training.part_checks is not None:
            self._remember_passed(training.part_checks)

    def weight_of(self, summary: Any) -> Floats:
        """The training weight of a summary: of each class, or of all rows."""
        weight: Floats = summary.weight
        return weight

    def parameters_for(self, function: Callable[..., Any]) -> dict[str, Any]:
        """The learner's parameters that a function's signature names."""
        return parameters_for(function, self)

    def remember(self, seen: TrainingProfile | None) -> None:
        """Store ranges and a fingerprint of the training rows; None removes them."""
        self.predictor_ = replace(self.predictor_, seen=seen)

    def _warn_of_small_weights(self) -> None:
        """Warn if the row weights are so small that a penalty outweighs all of them."""
        weighing = self.weighing_
        if (
            not self.scale_sensitive
            or weighing.counted
            or weighing.counts >= LEAST_MEAN_WEIGHT * weighing.rows
        ):
            return
        times = f"{weighing.rows / weighing.counts:.4g}"
        instead = f", or {messages.setting('C')}" if hasattr(self, "C") else ", or weaken the penalty as much"
        sentence = (
            f"the weights of the {weighing.rows:,.0f} rows sum to {weighing.counts:.4g}, so the penalty outweighs the "
            "rows and predictions stay near the average. Multiply the weights by "
            f"{times} (the number of rows divided by their sum){instead}."
        )
        warn_once(self._name, sentence, [self._name, *self.schema_.names])  # once for each learner

    def _remember_passed(self, passed: PartChecks) -> None:
        """Store ranges and a fingerprint of training rows that came in parts, and issue their warnings."""
        self.remember(passed.seen)
        self._warn_of_small_weights()
        if (notices := passed.notices()) is not None:
            if self.learns_one_class and np.count_nonzero(notices.classes) == 1:
                notices = replace(notices, classes=notices.classes[:0])
            warn_about_parts(self._name, notices)

    # -- the fitted model -------------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "predictor_")

    def _require_fitted(self) -> Any:
        if not hasattr(self, "predictor_"):
            raise NotFittedError(f"This {self._name} instance is not fitted yet. Call 'fit' first.")
        return self.predictor_

    @property
    def model_(self) -> Any:
        """The fitted model as plain arrays."""
        return self._require_fitted().model

    @property
    def schema_(self) -> Schema:
        """The schema of the training rows."""
        schema: Schema = self._require_fitted().schema
        return schema

    @property
    def n_parameters_(self) -> int:
        """The number of free parameters of the model."""
        count: int = self._require_fitted().model.n_parameters
        return count

    def describe(self, full: bool = False) -> str:
        """Describe the fitted model in words, in at most 40 lines unless `full` is true."""
        text: str = self._require_fitted().describe(full=full)
        return text

    def __str__(self) -> str:
        return self.describe() if hasattr(self, "predictor_") else repr(self)

    # -- in a notebook ----------------------------------------------------------------------------

    def _repr_mimebundle_(self, **how: Any) -> Any:
        """The fitted model; for an unfitted learner its parameters, as scikit-learn shows them."""
        if not hasattr(self, "predictor_"):
            return super()._repr_mimebundle_(**how)
        return {**self._notebook_bundle(), "text/plain": f"{self!r}\n{self.describe()}"}

    @property
    def _repr_html_(self) -> Callable[[], str]:
        if not hasattr(self, "predictor_"):
            to_html: Callable[[], str] = super()._repr_html_
            return to_html
        return lambda: str(self._notebook_bundle()["text/html"])

    def _notebook_bundle(self) -> dict[str, str]:
        from acumen.base.notebook import learned_bundle

        usual = signature(type(self).__init__).parameters
        other = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if name not in usual or repr(value) != repr(usual[name].default)
        }
        return learned_bundle(
            self._require_fitted(), self._name, said=self.describe(), facts=getattr(self, "training_", None),
            worth=getattr(self, "feature_importances_", None), parameters=other,
        )  # fmt: skip

    def explain(self, row: Any, steps: bool = False) -> Any:
        """Explain the prediction for one row: a mapping, a sequence, or a table of one row.

        With `steps` the arithmetic is written down too: counts as fractions and their product, or the sum.
        """
        predictor = self._require_fitted()
        one = one_row(row, predictor.schema, self._has_column_names, self._name)
        return explain_steps(predictor, one) if steps else predictor.explain(one)

    # -- new rows ---------------------------------------------------------------------------------

    @property
    def _has_column_names(self) -> bool:
        return hasattr(self, "feature_names_in_")

    def _query(self, X: Any) -> Table:
        predictor = self._require_fitted()
        rows = query_table(X, predictor.schema, self._has_column_names, self._name)
        if (
            data_warnings_on()
            and predictor.seen is not None
            and (strange := unfamiliar_warning(rows, predictor.seen))
        ):
            warn_once(self._name, strange, rows.schema.names)
        return rows

    def unfamiliar(self, X: Any) -> Unfamiliar:
        """Count per column what the training rows did not contain: unseen categories and numbers out of range.

        `str` of it says so in sentences; it is false where there is nothing of the kind.
        """
        predictor = self._require_fitted()
        detector = Unfamiliar(predictor.schema, predictor.seen)
        with data_warnings_off():
            rows = self._query(X)
        source = (
            X if isinstance(X, Table) else as_table(X) if self._has_column_names and is_named(X) else None
        )
        detector.add(rows, source)
        return detector

    def _remember_names(self, X: Any, schema: Schema) -> None:
        self.n_features_in_ = len(schema)
        if is_named(X):
            self.feature_names_in_ = np.array(schema.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
