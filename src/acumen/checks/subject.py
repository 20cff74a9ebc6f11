"""The learner under judgement, and what the laws ask of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from acumen.caching import cached_property
from acumen.checks import data
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import AcumenError
from acumen.models.task import CLASSES, GROUPS, JOINT, NUMBERS
from acumen.types import MISSING, Floats

if TYPE_CHECKING:
    from acumen.base.learner import Learner

#: Parameters that name classes; laws set their own.
DECISIONS = ("costs", "priors", "class_weight")


class NotApplicable(Exception):  # noqa: N818 - no failure: the law has nothing to say about this learner
    """A law does not apply to this learner; the message is the reason."""


@dataclass
class Subject:
    """A learner under test: each law uses fresh copies, and the learner itself is never fitted.

    `rows` is the size of the tables: fewer rows take less time, 90 say more.
    """

    learner: Learner
    rows: int = 90

    def new(self, **changes: Any) -> Any:
        """A fresh, unfitted learner with some parameters changed, reproducible where it draws numbers.

        The prototype's costs, priors and class weights are for its own classes, and are taken away.
        """
        from sklearn.base import clone

        learner = clone(self.learner).set_params(**{name: None for name in DECISIONS if self.takes(name)})
        if self.takes("random_state") and learner.random_state is None:
            learner.random_state = 0
        return learner.set_params(**changes)

    @property
    def name(self) -> str:
        return type(self.learner).__name__

    @cached_property
    def parameters(self) -> dict[str, Any]:
        parameters: dict[str, Any] = self.learner.get_params(deep=False)
        return parameters

    def takes(self, parameter: str) -> bool:
        return parameter in self.parameters

    @property
    def numbers(self) -> bool:
        """Whether it predicts numbers rather than classes."""
        return bool(self.learner.task is NUMBERS)

    @property
    def classes(self) -> bool:
        """Whether it predicts classes."""
        return bool(self.learner.task is CLASSES)

    @property
    def columns(self) -> bool:
        """Whether it makes other columns of rows."""
        return bool(self.learner.task.columns)

    @property
    def groups(self) -> bool:
        """Whether it finds groups."""
        return bool(self.learner.task is GROUPS)

    @property
    def is_ordinal(self) -> bool:
        """Whether it is for classes in an order."""
        return bool(self.learner.requires_ordered_classes)

    def _as_asked(self, rows: Table) -> Table:
        """The rows with a target that the learner takes: one in order, where it is for such."""
        return data.with_class_order(rows) if self.is_ordinal else rows

    @property
    def has_target(self) -> bool:
        """Whether there is a target that it learns from."""
        return self.learner.task.target is not None

    @property
    def probabilistic(self) -> bool:
        return bool(self.learner.model_type.probabilistic)

    @property
    def random(self) -> bool:
        """Whether it draws random numbers, so that laws about the order and number of rows cannot hold."""
        return self.takes("random_state") and bool(getattr(self.learner, "draws_numbers", True))

    # -- what it learns from ----------------------------------------------------------------------

    def names(self, text: bool = True) -> tuple[str, ...]:
        """The richest mixture of attributes it does not object to."""
        reason = ""
        for names in data.MIXTURES:
            schema = self._as_asked(data.table(names, 3, numbers=self.numbers)).schema
            if not text and schema.text:
                continue
            objection = self.learner.objection(schema)
            if objection is None:
                return names
            reason = objection
        raise NotApplicable(f"it objects to every table tried: {reason}")

    @cached_property
    def positive(self) -> bool:
        """Whether it learns from counts, which are never below zero."""
        return bool(self.learner.__sklearn_tags__().input_tags.positive_only)

    def table(
        self, rows: int | None = None, seed: int = 0, *, text: bool = True, missing: bool = True
    ) -> Table:
        """A table it can learn from."""
        size = self.rows if rows is None else rows
        made_rows = self._as_asked(data.table(self.names(text), size, seed, missing, self.numbers))
        return data.positive(made_rows) if self.positive else made_rows

    def separate(self) -> Table:
        """Three groups of rows, far apart in every attribute, of a mixture it can learn from."""
        self.need_groups()
        rows = data.separate(self.names(), 2 * self.rows // 3)
        return data.positive(rows) if self.positive else rows

    @cached_property
    def _learner_and_rows(self) -> tuple[Any, Table]:
        rows = self.table()
        return self.new().fit(rows), rows

    def fitted_learner(self) -> tuple[Any, Table]:
        """The learner fitted on `table()`, and that table. Laws share both, so none may change them."""
        return self._learner_and_rows

    def fitted_anew(self, **changes: Any) -> tuple[Any, Table]:
        """A learner of its own fitted on a table, and the table."""
        rows = self.table()
        return self.new(**changes).fit(rows), rows

    @property
    def target(self) -> Attribute:
        """The target of `matrix`."""
        return Attribute("target") if self.numbers else Attribute("target", "nominal", (0, 1, 2))

    def matrix(self) -> tuple[Floats, Any]:
        """Numbers and labels (or numbers again), for learners that take numbers."""
        X, y = data.matrix(2 * self.rows // 3)
        attributes = tuple(Attribute(f"x{j}") for j in range(X.shape[1]))
        objection = self.learner.objection(Schema(attributes, self.target))
        if objection is not None:
            raise NotApplicable(f"it does not learn from numbers alone: {objection}")
        return (np.abs(X) if self.positive else X), y * 2.5 + X[:, 0] if self.numbers else y

    def with_target(self, X: Floats, y: Any) -> Table:
        """The arrays of `matrix` as a Table."""
        schema = Schema(tuple(Attribute(f"x{j}") for j in range(X.shape[1])), self.target)
        if self.numbers:
            return Table(schema, len(X), numeric=[*X.T.copy()], response=y)
        return Table(schema, len(X), numeric=[*X.T.copy()], labels=y)

    def without_target(self, rows: Table, at: Any) -> Table:
        """The rows with the target of some of them missing."""
        if rows.response is not None:
            response = rows.response.copy()
            response[at] = np.nan
            return rows.replace(response=response)
        labels = rows.class_codes.copy()
        labels[at] = MISSING
        return rows.replace(labels=labels)

    # -- what laws say ----------------------------------------------------------------------------

    def need_probabilities(self) -> None:
        if not self.probabilistic:
            raise NotApplicable("it has no probabilities")

    def need_classes(self) -> None:
        if not self.classes:
            raise NotApplicable(f"it predicts {self.learner.task.noun}")

    def need_numbers(self) -> None:
        if not self.numbers:
            raise NotApplicable(f"it predicts {self.learner.task.noun}")

    def need_target(self) -> None:
        if not self.has_target:
            raise NotApplicable("it needs no target")

    def need_columns(self) -> None:
        if not self.columns:
            raise NotApplicable(f"it predicts {self.learner.task.noun}")

    def need_groups(self) -> None:
        if not self.groups:
            raise NotApplicable(f"it predicts {self.learner.task.noun}")

    def need_reasons(self) -> None:
        if self.columns:
            raise NotApplicable("columns have no reasons")

    def need(self, parameter: str) -> None:
        if not self.takes(parameter):
            raise NotApplicable(f"it has no parameter {parameter!r}")

    def need_summary(self) -> None:
        if not self.learner.adds:
            raise NotApplicable("it does not learn from summaries")

    def need_no_chance(self) -> None:
        if self.random:
            raise NotApplicable("it draws random numbers")

    def predictions(self, learner: Any, X: Any) -> Any:
        """What it predicts of rows, or the columns it makes of them: an array, one line a row."""
        if not self.columns:
            return learner.predict(X)
        columns = learner.transform(X)
        if not isinstance(columns, Table):
            return columns
        return np.column_stack([columns.column(name) for name in learner.get_feature_names_out()])

    def answers(self, learner: Any, X: Any) -> Any:
        """Probabilities where it has them, numbers where it predicts or makes them, else the predictions as objects.

        Of columns first the values and then where there are none, so that equal answers are equal.
        """
        if self.probabilistic:
            return learner.predict_proba(X)
        answers = self.predictions(learner, X)
        if self.columns:
            return np.column_stack([np.nan_to_num(answers), np.isnan(answers)])
        return answers if self.numbers else answers.astype(object)

    def alike(self, mine: Any, theirs: Any, tolerance: float = 1e-9) -> bool:
        """Whether two lots of answers are the same, numbers up to a share of the largest."""
        if mine.shape != theirs.shape:
            return False
        if not (self.probabilistic or self.predicts_numbers):
            return bool((mine == theirs).all())
        size = max(1.0, float(np.abs(mine).max(initial=0.0))) if self.predicts_numbers else 1.0
        return bool(np.abs(mine - theirs).max(initial=0.0) <= tolerance * size)

    @property
    def predicts_numbers(self) -> bool:
        """Whether its answers are numbers of any size."""
        return self.numbers or self.columns or bool(self.learner.task is JOINT)

    def require_same(self, one: Any, other: Any, X: Any, what: str, tolerance: float = 1e-9) -> None:
        """Two fitted learners answer alike."""
        mine, theirs = self.answers(one, X), self.answers(other, X)
        if self.alike(mine, theirs, tolerance):
            return
        if self.probabilistic or self.predicts_numbers:
            away = float(np.abs(mine - theirs).max(initial=0.0)) if mine.shape == theirs.shape else np.inf
            noun = "probabilities" if self.probabilistic else "numbers"
            raise AssertionError(f"{what}: {noun} differ by {away:g}")
        different = int(np.count_nonzero(mine != theirs))
        raise AssertionError(f"{what}: {different} of {len(mine)} predictions differ")

    def require_answers(self, learner: Learner | None, X: Any, classes: tuple[Any, ...]) -> None:
        """Sensible answers: one of the classes with proper probabilities, or finite numbers; a column may lack some."""
        if learner is None:
            return
        answers = self.predictions(learner, X)
        if self.classes:
            require(set(answers.tolist()) <= set(classes), "a prediction is no class")
        elif self.columns:
            require(not np.isinf(answers).any(), "a column holds infinity")
        else:
            require(np.isfinite(answers).all(), "a prediction is no finite number")
        if self.probabilistic:
            probabilities = cast(Any, learner).predict_proba(X)
            require(np.isfinite(probabilities).all(), "a probability is not finite")
            require(np.allclose(probabilities.sum(axis=1), 1.0), "probabilities do not sum to 1")
        learner.describe()

    def works_or_says_why(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """The fitted learner, or None where it refused in a sentence of its own."""
        try:
            return self.new().fit(X, y, sample_weight=sample_weight)
        except AcumenError as error:
            require(str(error).strip().endswith("."), f"it refused, but not in a sentence: {error}")
            return None


def require(condition: Any, detail: str) -> None:
    """Fail with the detail unless the condition holds; unlike `assert` it works under `python -O`."""
    if not condition:
        raise AssertionError(detail)


def refusal(kinds: type[BaseException] | tuple[type[BaseException], ...], action: Any) -> str:
    """The text with which an action is refused; fails when it is not, or with another kind of error."""
    try:
        action()
    except kinds as error:
        return str(error)
    names = " or ".join(k.__name__ for k in (kinds if isinstance(kinds, tuple) else (kinds,)))
    raise AssertionError(f"nothing was refused, where {names} is due")
