"""Tasks: everything that differs between classification, regression, clustering and the other kinds of learning.

    CLASSES         a nominal target     classifiers
    NUMBERS         a numeric target     regressors
    GROUPS          no target            clusterers: rows that belong together
    ITEMSETS        no target            items that occur together
    COLUMNS         no target            transformers: other columns for the same rows
    CLASS_COLUMNS   a nominal target     transformers that use the classes to choose their columns
    JOINT           no target            models of all attributes together: how probable a row is

A learner and its model name their task, and other code asks the task instead of comparing names. To add a task, add a
value here and a base class next to `classifier`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from acumen import messages
from acumen.data.schema import Schema
from acumen.data.table import NO_WEIGHTS, Table
from acumen.errors import DataError
from acumen.models.predictor import (
    AnyPredictor,
    ColumnPredictor,
    GroupPredictor,
    JointPredictor,
    Predictor,
    RegressionPredictor,
    SetPredictor,
)
from acumen.types import Floats

#: (X, y, sample_weight, who) -> rows with what is to be learned and their weights; and what part of a row each is,
#: empty unless labels are shared out among the classes.
Intake: TypeAlias = Callable[[Any, Any, Any, str], tuple[Table, Floats]]


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A kind of learning task, such as classification; `str` gives its name in JSON."""

    #: The word in model files, JSON and the catalogue.
    name: str
    #: What is predicted or found, as a noun in the plural.
    noun: str
    #: Who does it.
    learner: str
    #: The kind of target that is learned from; None where there is none.
    target: Literal["nominal", "numeric"] | None
    intake: Intake
    #: What stands around a fitted model.
    predictor: type[AnyPredictor]
    #: Measured unless said otherwise; the first is what learners are ranked by.
    measures: tuple[str, ...] = ()
    #: The kind of learner that every other has to beat.
    yardstick: str | None = None
    #: The kind of learner taken where none is named.
    usual: str | None = None
    #: Whether rows held back can be judged, and how they are dealt out: evenly over classes, or as they come.
    resampling: Literal["stratified", "plain"] | None = None

    def __str__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return other.name == self.name if isinstance(other, Task) else other == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Callable[[str], Task], tuple[str]]:
        return named_task, (self.name,)  # a copy is the task itself

    def table(self, rows: Table, who: str) -> Table:
        """The training rows of a table for this task."""
        return self.intake(rows, None, None, who)[0]

    @property
    def columns(self) -> bool:
        """Whether the task produces columns, so that a learner may follow."""
        return self.predictor is ColumnPredictor

    def suits(self, schema: Schema) -> bool:
        """Whether a table's target suits this task; any table does if no target is needed."""
        target = schema.target
        return self.target is None or (target is not None and target.is_nominal == (self.target == "nominal"))

    def needs(self, schema: Schema) -> str | None:
        """A sentence fragment on what a table lacks for this task, or None."""
        if self.suits(schema):
            return None
        target = schema.target
        other = task_of(schema)
        if target is None or other is None:
            return f"the table has no {self.target} target; name one with {messages.option('target')}."
        return (
            f"the target {target.name!r} is {target.kind}, and a {self.learner} needs {self._target_noun}; read the "
            f"table with {messages.option('kinds', {target.name: self.target})}, or take a {other.learner}."
        )

    @property
    def _target_noun(self) -> str:
        """What it learns from, as a noun in the plural."""
        return "classes" if self.target == "nominal" else "numbers"

    def splitting(self, method: Any, who: str) -> Any:
        """The resampling plan adapted to this task: without stratification if there are no classes."""
        if self.resampling is None:
            raise DataError(
                f"{who}: {self.noun} have no true answers to compare with, so held-out rows cannot evaluate them; "
                "take a learner of classes or numbers."
            )
        if self.resampling == "plain" and getattr(method, "stratified", False):
            return replace(method, stratified=False)
        return method


def _rows_with_classes(X: Any, y: Any, sample_weight: Any, who: str) -> tuple[Table, Floats]:
    from acumen.rows.intake import training_rows

    return training_rows(X, y, sample_weight, who)


def _rows_with_numbers(X: Any, y: Any, sample_weight: Any, who: str) -> tuple[Table, Floats]:
    from acumen.rows.numeric_targets import regression_table

    return regression_table(X, y, sample_weight, who), NO_WEIGHTS


def _rows_alone(X: Any, y: Any, sample_weight: Any, who: str) -> tuple[Table, Floats]:
    from acumen.rows.intake import untargeted_table

    return untargeted_table(X, y, sample_weight, who), NO_WEIGHTS


CLASSES = Task(
    "classification", "classes", "classifier", "nominal", _rows_with_classes, Predictor,
    measures=("error",), yardstick="majority", usual="naive-bayes", resampling="stratified",
)  # fmt: skip
NUMBERS = Task(
    "regression", "numbers", "regressor", "numeric", _rows_with_numbers, RegressionPredictor,
    measures=("rmse", "mae", "r2"), yardstick="mean", usual="linear-regression", resampling="plain",
)  # fmt: skip
GROUPS = Task("clustering", "clusters", "clusterer", None, _rows_alone, GroupPredictor, usual="k-means")
ITEMSETS = Task("itemsets", "itemsets", "miner", None, _rows_alone, SetPredictor)
COLUMNS = Task("transformation", "columns", "transformer", None, _rows_alone, ColumnPredictor)
CLASS_COLUMNS = Task(
    "transformation by classes", "columns learned from classes", "transformer", "nominal", _rows_with_classes,
    ColumnPredictor,
)  # fmt: skip

JOINT = Task(
    "distribution", "joint probabilities", "model of all attributes", None, _rows_alone, JointPredictor
)

TASKS: tuple[Task, ...] = (CLASSES, NUMBERS, GROUPS, ITEMSETS, COLUMNS, CLASS_COLUMNS, JOINT)


def named_task(name: str) -> Task:
    """The task of that word."""
    return next(task for task in TASKS if task.name == name)


def task_of(schema: Schema) -> Task | None:
    """The task that a table's target asks for; None where it has no target."""
    if schema.target is None:
        return None
    return CLASSES if schema.target.is_nominal else NUMBERS
