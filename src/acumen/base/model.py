"""What learning leaves behind: plain arrays, and how rows are scored with them.

A model knows neither data nor hyper-parameters, and not what a wrong answer costs; the `Predictor`
around it knows the schema, the costs and the priors. Both work on Tables without scikit-learn.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Self

from acumen.base.explanation import Evidence
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.types import Array, Floats


class Model(ABC):
    """A fitted classifier as a value. Subclasses are frozen dataclasses."""

    #: The word that names this kind of model in a file; also the learner's name at the command line.
    kind: ClassVar[str]
    #: Whether `scores` are log probabilities up to a constant per row.
    probabilistic: ClassVar[bool] = True
    #: Whether `scores` plus `common` are log P(class, row).
    generative: ClassVar[bool] = False

    __slots__ = ()

    @abstractmethod
    def scores(self, rows: Table) -> Floats:
        """One line per row and one column per class: the larger, the likelier."""

    def common(self, rows: Table) -> Floats | float:
        """What a generative model's scores leave out because it is the same for all classes of a row."""
        return 0.0

    @abstractmethod
    def to_arrays(self) -> dict[str, Array]:
        """The model as named arrays; keys may be paths such as `nominal/3/log`."""

    @classmethod
    @abstractmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        """Read `to_arrays` back, trusting nothing: every shape, range and index is checked.

        Raises ModelFileError where an array is not what this schema needs.
        """

    @abstractmethod
    def describe(self, schema: Schema, *, full: bool = False) -> str:
        """What was learned, for a person."""

    @property
    def n_parameters(self) -> int:
        """The number of free parameters, without the class priors; AIC and BIC are counted with it."""
        raise AttributeError(f"a {self.kind} model has no count of parameters")

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        """Why one row's score of `winner` differs from that of `rival`; the log-odds add up to it.

        This default says only the difference itself; models that can tell more do.
        """
        scores = self.scores(row)[0]
        return (Evidence(None, "all attributes together", float(scores[winner] - scores[rival])),)
