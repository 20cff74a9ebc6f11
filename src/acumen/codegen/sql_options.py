"""A model as a statement of SQL: what is asked for, and the method that asks it.

Select    table, column and options of one statement
Selects   gives a model `to_sql`, once for all: it writes its `statement` of what is asked for
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from acumen.errors import ParameterError, article


@dataclass(frozen=True, slots=True)
class Select:
    """What a statement is to be of: the parameters of a learner's `to_sql`."""

    table: str | Sequence[str]
    column: str | None = None
    probabilities: bool = False
    guard: bool = False


class Selects:
    """`to_sql` of a model that writes statements."""

    __slots__ = ()

    #: Whether NaN and infinities can be guarded against: models that only compare numbers cannot.
    guards: ClassVar[bool] = False

    @abstractmethod
    def statement(self, predictor: Any, asked: Select) -> str:
        """The SELECT; costs and priors are the predictor's."""

    def to_sql(
        self,
        predictor: Any,
        table: str | Sequence[str],
        column: str | None = None,
        *,
        probabilities: bool = False,
        guard: bool = False,
    ) -> str:
        """A SELECT of all columns of a table and of what is predicted; it decides as `predict` does."""
        if guard and not self.guards:
            raise unknown_option(predictor, "guard")
        return self.statement(predictor, Select(table, column, probabilities, guard))


def unknown_option(predictor: Any, name: str) -> ParameterError:
    """That a model's SQL has no such option."""
    instead = " Make NaN and infinities NULL in the table." if name == "guard" else ""
    return ParameterError(f"to_sql: {article(predictor.model.kind)} model has no {name} in SQL.{instead}")
