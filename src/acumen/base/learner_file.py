"""How a learner comes back from a model file, as methods of learners.

    kept      the learner that is written for this one
    restore   parameters, predictor, training record, summary, plan -> a fitted learner, trusting none of them
    restored  what else a face remembers of what was learned

`store` writes and reads the file itself; arrays of models and predictors check themselves in their `from_arrays`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from acumen.models.parameters import specs_of
from acumen.models.predictor import AnyPredictor
from acumen.preprocessing.stored_arrays import require
from acumen.rows.weights import Weighing
from acumen.types import Array

if TYPE_CHECKING:
    from acumen.base.learner import Learner


class FileFace:
    """What a model file asks of a learner."""

    @property
    def kept(self) -> Learner:
        """The learner that a model file holds for this one."""
        return cast("Learner", self)

    @classmethod
    def restore(
        cls,
        parameters: Mapping[str, Any],
        predictor: AnyPredictor,
        training: Mapping[str, Any],
        summary: Mapping[str, Array] | None,
        plan: Mapping[str, Array] | None,
    ) -> Self:
        """A fitted learner from the parts of a model file."""
        known = {spec.name for spec in specs_of(cls)}
        require(set(parameters) <= known, f"{cls.__name__} has no such parameters")
        made = cls(**parameters)
        made.restored(predictor, training)
        if summary is not None:
            made._restored_summary(summary, plan)
        return made

    def restored(self: Any, predictor: AnyPredictor, training: Mapping[str, Any]) -> None:
        """Be fitted with what a file holds; faces that remember more of it add to this."""
        self.check_parameters()
        self.predictor_, self.training_ = predictor, dict(training)
        self.weighing_ = Weighing.restored(
            training["rows"], training["weight"], training.get("weights", "counts")
        )
        names = predictor.schema.names
        self.n_features_in_ = len(names)
        if names != tuple(f"x{j}" for j in range(len(names))):  # those are what columns of arrays are called
            self.feature_names_in_ = np.array(names, dtype=object)

    def _restored_summary(self: Any, summary: Mapping[str, Array], plan: Mapping[str, Array] | None) -> None:
        schema = self.predictor_.schema
        require(
            self.restore_summary is not None,
            f"{type(self).__name__} learns without a summary, and yet there is one",
        )
        self.plan_ = None if plan is None or self.restore_plan is None else self.restore_plan(plan, schema)
        self.summary_ = self.restore_summary(summary, schema, self.plan_)
