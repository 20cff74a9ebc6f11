"""What may stand where a learner is taken, as types.

    Estimator     an estimator of scikit-learn, or whatever is made like one
    LearnerLike   that, or a learner of acumen: what the doors of `assess`, `compare`, `Tuned` and ensembles take

`base.foreign.adapt` makes a Learner of either; behind the doors there are only those. No library is imported here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from acumen.base.learner import Learner


class Estimator(Protocol):
    """scikit-learn's way of learning, as far as it is used."""

    def fit(self, X: Any, y: Any = None, /) -> Any: ...

    def predict(self, X: Any, /) -> Any: ...

    def get_params(self, deep: bool = True) -> dict[str, Any]: ...


LearnerLike: TypeAlias = "Learner | Estimator"
