"""What learning leaves behind: plain arrays, and how rows are answered with them.

    AnyModel          what every model is: a value that describes and stores itself
    Model             a classifier's: scores of classes
    RegressionModel   a regressor's: one number a row
    GroupModel        a clusterer's: the group of each row
    ColumnModel       a transformer's: other columns for the same rows
    JointModel        of all attributes together: how probable a row is

A model knows neither data nor hyper-parameters, and not what a wrong answer costs; the predictor
around it knows the schema, the costs and the priors. Both work on Tables without scikit-learn.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from acumen import messages
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import article
from acumen.explain.explanation import Contribution, Evidence, Grounds
from acumen.models.decision import softmax
from acumen.models.task import CLASSES, COLUMNS, GROUPS, JOINT, NUMBERS, Task
from acumen.profiling.typical_row import evenly_spaced
from acumen.types import Array, Codes, Floats

if TYPE_CHECKING:  # predictors hold models
    from acumen.explain.arithmetic import Working
    from acumen.models.predictor import Predictor

_LEAST_SHARE = 1e-3
#: Rows that scores are averaged over.
_FEW = 256


class AnyModel(ABC):
    """A fitted model as a value. Subclasses are frozen dataclasses."""

    #: The word that names this kind of model in a file; also the learner's name at the command line.
    kind: ClassVar[str]
    #: The model: for classes, numbers, clusters or itemsets.
    task: ClassVar[Task]
    #: Whether it is a classifier whose `scores` are log probabilities up to a constant per row.
    probabilistic: ClassVar[bool] = False
    #: Of a model without probabilities: how its learner is told to give some, if it can.
    how_probable: ClassVar[str] = ""

    __slots__ = ()

    @classmethod
    def without_probabilities(cls) -> str:
        """The error message of a model without probabilities, without its full stop."""
        how = f"; {messages.fill_template(cls.how_probable)}" if cls.how_probable else ""
        return f"this {cls.kind} model has no probabilities{how}"

    @classmethod
    def class_under(cls, schema: Schema) -> type[AnyModel]:
        """The model class of this kind for such a schema; it may depend on whether there is a target."""
        return cls

    @abstractmethod
    def to_arrays(self) -> dict[str, Array]:
        """The model as named arrays; keys may be paths such as `nominal/3/log`."""

    @classmethod
    @abstractmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        """Restore a model from `to_arrays`; validates every shape, range and index.

        Raises ModelFileError where an array is not what this schema needs.
        """

    @abstractmethod
    def describe(self, schema: Schema, *, full: bool = False) -> str:
        """The model as text."""

    @property
    def by_changes(self) -> bool:
        """Whether predictions are explained by changing one attribute at a time."""
        return False

    def average_answer(self, rows: Table) -> Floats:
        """The average prediction for the training rows, where explanations by changes start; None if unknown."""
        return np.empty(0)

    def answers(self, rows: Table) -> Array:
        """All numbers that the model returns for each row."""
        raise AttributeError(f"{article(self.kind)} model says nothing of a single row")

    def grounds(self, row: Table, schema: Schema) -> Grounds:
        """The rules that answered for a row, the cases it was compared with, and a note; often empty."""
        return Grounds()

    @property
    def n_bytes(self) -> float:
        """The bytes of its arrays."""
        return float(sum(array.nbytes for array in self.to_arrays().values()))

    @property
    def n_parameters(self) -> int:
        """The number of free parameters without the class priors, as used by AIC and BIC."""
        raise AttributeError(f"{article(self.kind)} model has no count of parameters")

    @property
    def size(self) -> int:
        """The size of the model for a reader: its parameters, or the stored ones if most are empty."""
        return self.n_parameters


class Model(AnyModel):
    """A fitted classifier."""

    def describe_deciding(
        self, schema: Schema, choose: Callable[[Floats], int], *, full: bool = False
    ) -> str:
        """Describe the model if costs or priors decide: `choose` returns the class code for a row's scores."""
        return self.describe(schema, full=full)

    task: ClassVar[Task] = CLASSES
    probabilistic: ClassVar[bool] = True
    #: Whether `scores` plus `common` are log P(class, row).
    generative: ClassVar[bool] = False

    __slots__ = ()

    @abstractmethod
    def scores(self, rows: Table) -> Floats:
        """The scores, one line per row and one column per class; larger means more probable."""

    def answers(self, rows: Table) -> Floats:
        return self.scores(rows)

    def common(self, rows: Table) -> Floats | float:
        """The part of a generative model's scores that is equal for all classes of a row."""
        return 0.0

    @property
    def by_changes(self) -> bool:
        """Whether a row is explained by changing one attribute at a time: if there is no better way."""
        return type(self).evidence is Model.evidence

    def apart(self, rows: Table, winner: int, rival: int) -> Floats:
        """The score of `winner` minus that of `rival`, for explanations by changes.

        A share of none counts as one in a thousand: a model that has met no case makes no reason one without bound.
        """
        scores = self.scores(rows)
        if self.probabilistic and not np.isfinite(scores[:, [winner, rival]]).all():
            scores = np.log(np.maximum(softmax(scores), _LEAST_SHARE))
        difference: Floats = scores[:, winner] - scores[:, rival]
        return difference

    def average_answer(self, rows: Table) -> Floats:
        """The average differences between the scores of each two classes, over some of these rows.

        Nothing for models with probabilities: their explanations start from the class frequencies.
        """
        if self.probabilistic:
            return np.empty(0)
        rows = rows.take(evenly_spaced(len(rows), _FEW))
        with np.errstate(invalid="ignore"):
            average = np.average(self.separations(rows), axis=0, weights=rows.row_weights)
        return np.where(np.isfinite(average), average, 0.0)  # a class without rows is never explained

    def separations(self, rows: Table) -> Floats:
        """The score differences of every two classes, as an array (rows, classes, classes)."""
        scores = self.scores(rows)
        with np.errstate(invalid="ignore"):
            differences: Floats = scores[:, :, None] - scores[:, None, :]
        return differences

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        """The reasons for the difference of a row's scores of `winner` and `rival`, as log-odds that add up to it.

        This default says only the difference itself; models that can tell more do.
        """
        scores = self.scores(row)[0]
        apart = float(scores[winner] - scores[rival])
        return (Evidence(None, "all attributes together", apart, role="rest"),)

    def working(self, predictor: Predictor, row: Table, shares: Floats) -> Working | None:
        """The arithmetic behind one row's probabilities `shares`; None if the evidence shows it all."""
        return None


class RegressionModel(AnyModel):
    """A fitted regressor."""

    task: ClassVar[Task] = NUMBERS

    __slots__ = ()

    @abstractmethod
    def values(self, rows: Table) -> Floats:
        """The number predicted for each row; finite for every row."""

    def answers(self, rows: Table) -> Floats:
        return self.values(rows)

    @property
    def by_changes(self) -> bool:
        """Whether a row is explained by changing one attribute at a time: if there is no better way."""
        return type(self).contributions is RegressionModel.contributions

    def average_answer(self, rows: Table) -> Floats:
        """The mean of the numbers that are predicted."""
        return np.array([np.average(rows.target_numbers, weights=rows.row_weights)])

    def contributions(self, row: Table, schema: Schema) -> tuple[float, tuple[Contribution, ...]]:
        """What one row's value is made of: where it starts, and what each attribute adds to that.

        This default says only the value itself; models that can tell more do.
        """
        return 0.0, (Contribution(None, "all attributes together", float(self.values(row)[0]), role="rest"),)


class GroupModel(AnyModel):
    """A fitted clusterer as a value."""

    task: ClassVar[Task] = GROUPS

    __slots__ = ()

    @property
    @abstractmethod
    def n_groups(self) -> int:
        """The number of clusters."""

    @abstractmethod
    def groups(self, rows: Table) -> Codes:
        """The group of each row, from 0 to below `n_groups`; -1 where it belongs to none."""

    @property
    def objective(self) -> float:
        """The objective that the search minimised, summed over the training rows."""
        raise AttributeError(f"{article(self.kind)} model has no objective")

    def answers(self, rows: Table) -> Codes:
        return self.groups(rows)

    def why(self, row: Table, schema: Schema, group: int) -> str:
        """Why one row belongs to its group, in a sentence; models that can tell more do."""
        return "It belongs to no cluster." if group < 0 else f"It is nearest to cluster {group}."


class ColumnModel(AnyModel):
    """A fitted transformer."""

    task: ClassVar[Task] = COLUMNS

    __slots__ = ()

    def inputs(self, schema: Schema) -> Schema:
        """Those attributes that the new columns are made of; rows need not have any others."""
        return schema

    @abstractmethod
    def columns(self, rows: Table) -> Floats:
        """The new columns of each row, one line a row; NaN where one is missing, and never infinite."""

    @abstractmethod
    def names(self, schema: Schema) -> tuple[str, ...]:
        """What the new columns are called."""

    def answers(self, rows: Table) -> Floats:
        return self.columns(rows)


class JointModel(AnyModel):
    """A fitted model of all attributes."""

    task: ClassVar[Task] = JOINT

    __slots__ = ()

    @abstractmethod
    def log_probability(self, rows: Table) -> Floats:
        """log P(row) of each row, missing values summed out."""

    def answers(self, rows: Table) -> Floats:
        return self.log_probability(rows)

    def contributions(self, row: Table, schema: Schema) -> tuple[float, tuple[Contribution, ...]]:
        """What one row's log probability is made of; models that can tell more do."""
        return 0.0, (Contribution(None, "all attributes together", float(self.log_probability(row)[0])),)
