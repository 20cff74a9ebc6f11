"""What a model can be turned into besides words, asked of the model itself, so that no caller knows families.

    to_rules(schema)                  a RuleList
    to_sql(predictor, table, column)  a SELECT
    to_python(predictor)              the source of a module that needs nothing
    to_figure(predictor, **how)       a figure value, which draws itself as SVG
    to_bif(predictor)                 a network as a BIF file has it

A model answers those that it has methods for; `offered` tells which, and the functions below ask or refuse in a
sentence. Two mixins give SQL and Python to models that are already written in simple parts:

    FirstMatch   bodies of conditions, the first that holds answers: `branches(schema)`
    Summed       sums of terms, one for each class or one for a number: `to_sums(schema)`
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, cast, runtime_checkable

from acumen.codegen.terms import TermSum
from acumen.conditions.condition import Condition
from acumen.data.schema import Schema
from acumen.errors import DataError, ParameterError, article
from acumen.models.decision import softmax
from acumen.models.predictor import AnyPredictor, Predictor
from acumen.types import Floats

if TYPE_CHECKING:
    from acumen.models.model import AnyModel


#: The export methods of models, and the end of the error message for models without them.
FORMS: Final = {
    "to_rules": "is not made of rules; trees and rule learners are, such as decision-tree and ripper",
    "to_sql": "cannot be exported to SQL",
    "to_python": "cannot be exported to Python",
    "to_figure": "cannot be drawn",
    "to_bif": "is no Bayesian network",
}


class FigureForm(Protocol):
    """What `to_figure` gives."""

    def _repr_svg_(self) -> str: ...


@runtime_checkable
class ToRules(Protocol):
    """A model made of rules."""

    def to_rules(self, schema: Schema) -> Any:
        """The model as rules; they say what the model itself prefers, whatever costs and priors."""
        ...


@runtime_checkable
class ToPython(Protocol):
    """A model that can be written as Python."""

    def to_python(self, predictor: Any) -> str:
        """The source of a module with `predict(row)`."""
        ...


@runtime_checkable
class ToBIF(Protocol):
    """A Bayesian network."""

    def to_bif(self, predictor: Any) -> str:
        """The network in the Bayesian Interchange Format."""
        ...


@runtime_checkable
class ToFigure(Protocol):
    """A model that can be drawn."""

    def to_figure(self, predictor: Any, **how: Any) -> FigureForm:
        """A figure value."""
        ...


def forms_of(model: Any) -> tuple[str, ...]:
    """The names of the forms that a model answers."""
    return tuple(form for form in FORMS if callable(getattr(model, form, None)))


def rules_of(predictor: AnyPredictor) -> Any:
    """The model as rules: a RuleList."""
    return cast("ToRules", _answering(predictor, "to_rules")).to_rules(predictor.schema)


def sql_of(
    predictor: AnyPredictor,
    table: str | Sequence[str],
    column: str | None = None,
    *,
    probabilities: bool = False,
    guard: bool = False,
) -> str:
    """The model as a SELECT, without a semicolon; options are handed on where they are asked for."""
    model = cast("Selects", _answering(predictor, "to_sql"))
    options = {
        name: True for name, is_given in (("probabilities", probabilities), ("guard", guard)) if is_given
    }
    known = inspect.signature(model.to_sql).parameters
    for name in options:
        if name not in known:
            raise unknown_option(predictor, name)
    return model.to_sql(predictor, table, column, **options)


def python_of(predictor: AnyPredictor) -> str:
    """The model as the source of a Python module."""
    return cast("ToPython", _answering(predictor, "to_python")).to_python(predictor)


def figure_of(predictor: AnyPredictor, **how: Any) -> FigureForm:
    """The model as a figure value; `how` are those parameters that the model's own drawing has."""
    model = cast("ToFigure", _answering(predictor, "to_figure"))
    known = inspect.signature(model.to_figure).parameters
    for name in how:
        if name not in known:
            raise ParameterError(
                f"to_figure: the drawing of {article(predictor.model.kind)} model has no {name}."
            )
    return model.to_figure(predictor, **how)


def bif_of(predictor: AnyPredictor) -> str:
    """The model as the text of a BIF file."""
    return cast("ToBIF", _answering(predictor, "to_bif")).to_bif(predictor)


def _answering(predictor: AnyPredictor, form: str) -> AnyModel:
    """The model, which must have such a form; DataError where it does not."""
    model = predictor.model
    if form not in forms_of(model):
        others = forms_of(model)
        hint = f" It has {' and '.join(others)}." if others else ""
        raise DataError(f"{form}: {article(model.kind)} model {FORMS[form]}.{hint}")
    return model


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
        """Write a SELECT of all columns of a table and the prediction; it decides as `predict` does."""
        if guard and not self.guards:
            raise unknown_option(predictor, "guard")
        return self.statement(predictor, Select(table, column, probabilities, guard))


def unknown_option(predictor: Any, name: str) -> ParameterError:
    """That a model's SQL has no such option."""
    instead = " Make NaN and infinities NULL in the table." if name == "guard" else ""
    return ParameterError(f"to_sql: {article(predictor.model.kind)} model has no {name} in SQL.{instead}")


class FirstMatch(Selects):
    """SQL and Python of a model in which the first body of conditions that holds answers."""

    __slots__ = ()

    @abstractmethod
    def branches(self, schema: Schema) -> tuple[list[tuple[Condition, ...]], Floats]:
        """The bodies in order with their scores; the last scores are for rows that no body covers."""

    def statement(self, predictor: Predictor, asked: Select) -> str:
        """Write a SELECT with one CASE; it decides as `predict` does, with costs and priors."""
        from acumen.codegen import sql_probabilities, sql_select

        schema = predictor.schema
        bodies, scores = self.branches(schema)
        moved = _shift_scores(predictor, scores)
        labels = [schema.classes[c] for c in predictor.choose(moved).tolist()]
        if not asked.probabilities:
            statement = sql_select.first_match(bodies, labels[:-1], labels[-1], schema)
            return sql_select.select(schema, asked.table, asked.column, statement)
        numbered = sql_select.first_match(bodies, range(1, len(labels)), len(labels), schema)
        return sql_probabilities.numbered_statement(
            predictor, "rule", numbered, labels, softmax(moved), asked.table, asked.column
        )

    def to_python(self, predictor: Predictor) -> str:
        """Write a Python module with `predict(row)` and `predict_proba(row)`."""
        from acumen.codegen import python_module

        bodies, scores = self.branches(predictor.schema)
        scores = _shift_scores(predictor, scores)
        return python_module.first_match(predictor, bodies, predictor.choose(scores), softmax(scores))


class Summed(Selects):
    """SQL and Python of a model that is a sum of terms for each class, or one for a number."""

    __slots__ = ()
    guards: ClassVar[bool] = True

    @abstractmethod
    def to_sums(self, schema: Schema) -> tuple[TermSum, ...]:
        """One for each class, its score up to what all share (a class that never is the answer has -inf); or one.

        Raises DataError where the model has columns that are no terms, such as words.
        """

    def statement(self, predictor: AnyPredictor, asked: Select) -> str:
        """A SELECT: the class of the largest sum (ties within rounding aside), or the number."""
        from acumen.codegen import sql_probabilities, sql_select

        schema = predictor.schema
        sums = self.to_sums(schema)
        if not isinstance(predictor, Predictor):
            if asked.probabilities:
                raise DataError("to_sql: a model of numbers has no probabilities.")
            number = sql_select.weighted_sum(sums[0], schema, guard=asked.guard)
            return sql_select.select(schema, asked.table, asked.column, number)
        return sql_probabilities.sums_statement(
            predictor, moved_sums(predictor, sums), asked.table, asked.column,
            probabilities=asked.probabilities, guard=asked.guard, votes=False,
        )  # fmt: skip

    def to_python(self, predictor: AnyPredictor) -> str:
        """A module with `predict(row)`; of classes with `scores(row)`, and `predict_proba` where there are any."""
        from acumen.codegen import python_module

        sums = self.to_sums(predictor.schema)
        if isinstance(predictor, Predictor):
            sums = moved_sums(predictor, sums)
        return python_module.sums(predictor, sums)


def _shift_scores(predictor: Predictor, scores: Floats) -> Floats:
    return scores if predictor.shift is None else scores + predictor.shift


def moved_sums(predictor: Predictor, sums: Sequence[TermSum]) -> tuple[TermSum, ...]:
    """Sums of logarithms moved to the priors asked for."""
    if predictor.shift is None:
        return tuple(sums)
    return tuple(one.plus(float(moved)) for one, moved in zip(sums, predictor.shift, strict=True))
