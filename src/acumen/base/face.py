"""scikit-learn's face, what classifiers and regressors have in common.

    Learner   parameters, names of columns, what was learned, model files

`learner.Classifier` and `regressor.Regressor` add what is predicted and how it is scored.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from acumen.base.decision import no_weight_left
from acumen.base.intake import is_named, one_row, query_table
from acumen.base.model import AnyModel, Task
from acumen.base.parameters import check_parameters, specs_of
from acumen.base.stored import require
from acumen.base.weights import Weighing, in_units, total_weight
from acumen.data.schema import Schema
from acumen.data.table import NO_WEIGHTS, Table
from acumen.engines.cores import limited_to
from acumen.errors import DataError
from acumen.resample.plan import require_seed
from acumen.types import Array, Floats


class Learner(BaseEstimator):  # type: ignore[misc]
    """What every learner of acumen can do."""

    #: The learner's word at the command line and in model files.
    kind: ClassVar[str]
    #: Whether it learns classes or numbers.
    task: ClassVar[Task]
    model_type: ClassVar[type[AnyModel]]
    #: Whether it is a yardstick, of which scikit-learn's checks must not expect good predictions.
    modest: ClassVar[bool] = False

    predictor_: Any
    #: What the rows learned from weigh, and how their weights were read.
    weighing_: Weighing

    @property
    def minds_scale(self) -> bool:
        """Whether fractional row weights are taken as they are given: a penalty stands beside a sum of losses.

        All others learn the same from weights multiplied by a constant; see `acumen.base.weights`.
        """
        return False

    _parameter_names: ClassVar[tuple[str, ...]]  # of the class itself, once asked for

    @classmethod
    def _get_param_names(cls) -> list[str]:
        # scikit-learn reads the signature again each time, which takes it longer than solving a small summary.
        if "_parameter_names" not in cls.__dict__:
            cls._parameter_names = tuple(super()._get_param_names())
        return list(cls._parameter_names)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    # -- learning ---------------------------------------------------------------------------------

    def objection(self, schema: Schema) -> str | None:
        """A sentence on why this learner cannot learn from such a table, or None."""
        return None

    def _fit(self, X: Any, table: Table, shares: Floats = NO_WEIGHTS) -> None:
        """Learn from rows that hold what is to be learned; `X` is what they were made of.

        `shares` says what part of a row each of them is, where labels are shared out.
        """
        self._remember_names(X, table.schema)
        self._object_to(table.schema)
        with limited_to(self._jobs):
            self.weighing_ = self._weighing_of(table, shares)
            table = self._in_units(self._learned_from(table))
            if not len(table):
                raise no_weight_left(self._name)
            model, totals = self._learn(table)
            self._settle(table.schema, model, totals, len(table))

    def _class_factors(self, table: Table) -> Floats | None:
        """What the row weights of each class are multiplied by; None where they stay as they are."""
        return None

    def _weighted(self, table: Table) -> Table:
        """The rows with class weights multiplied in."""
        return table

    def _weighing_of(self, table: Table, shares: Floats) -> Weighing:
        """What those rows weigh that are learned from."""
        return Weighing.of(table, shares=shares)

    def _in_units(self, table: Table) -> Table:
        """The rows with the weights that sizes, smoothing and pruning look at."""
        if self.minds_scale or self.weighing_.whole:
            return table
        return in_units(table, self.weighing_.factor(total_weight(table.weights), self._name))

    def _training(self, rows: int, weight: float) -> dict[str, Any]:
        """What model files note of the rows learned from; how weights were read where they are no counts of rows."""
        reading = self.weighing_.reading
        made: dict[str, Any] = {"rows": int(rows), "weight": weight}
        if reading != "counts":
            made["weights"] = "as given" if self.minds_scale else reading
        return made

    @abstractmethod
    def _learned_from(self, table: Table) -> Table:
        """The rows that are learned from, with their final weights."""

    @abstractmethod
    def _learn(self, table: Table) -> tuple[Any, Floats]:
        """The model, and the weight behind it: of each class, or of all rows."""

    @abstractmethod
    def _settle(self, schema: Schema, model: Any, totals: Floats, rows: int) -> None:
        """Keep what was learned."""

    @property
    def _jobs(self) -> int | None:
        return getattr(self, "n_jobs", None)

    def _check_parameters(self) -> None:
        given = self.get_params(deep=False)
        check_parameters(self._name, type(self), given)
        if "random_state" in given:
            require_seed(given["random_state"], self._name)

    def _object_to(self, schema: Schema) -> None:
        sentence = self.objection(schema)
        if sentence is not None:
            raise DataError(f"{self._name}: {sentence}")

    def _remember_names(self, X: Any, schema: Schema) -> None:
        self.n_features_in_ = len(schema)
        if is_named(X):
            self.feature_names_in_ = np.array(schema.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    # -- what was learned -------------------------------------------------------------------------

    @property
    def _name(self) -> str:
        return type(self).__name__

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
        return query_table(X, self._fitted().schema, self._named, self._name)

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
        """A fitted learner from the parts of a model file."""
        known = {spec.name for spec in specs_of(cls)}
        require(set(parameters) <= known, f"{cls.__name__} has no such parameters")
        made = cls(**parameters)
        made._check_parameters()
        made.predictor_ = predictor
        made.training_ = dict(training)
        made.weighing_ = Weighing.restored(
            training["rows"], training["weight"], training.get("weights", "counts")
        )
        made.n_features_in_ = len(predictor.schema)
        names = predictor.schema.names
        if names != tuple(f"x{j}" for j in range(len(names))):  # those are what columns of arrays are called
            made.feature_names_in_ = np.array(names, dtype=object)
        return made
