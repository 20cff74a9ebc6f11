"""DATA matched to a model's columns: renamed, filled, and counted by what the model has not learned from.

    @matches_columns     gives a command --rename and --missing-columns, handed over as `wish`
    Matching             a model, DATA and the wish: parts under the model's schema, as they are asked for

A model's reading choices come with its schema, so that DATA is read as the training table was.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from acumen.cli import console
from acumen.cli.data import Reading

if TYPE_CHECKING:
    from acumen.data.parts import Parts
    from acumen.data.schema import Schema
    from acumen.data.table import Table
    from acumen.models.predictor import AnyPredictor
    from acumen.profiling.unfamiliar_rows import Unfamiliar

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class MatchWish:
    """What the command line says of columns: the model's name of each that DATA calls otherwise; whether to fill."""

    rename: Mapping[str, str] = field(default_factory=dict)
    fill: bool = False


def matches_columns(command: F) -> F:
    """Give a command the options that say how DATA's columns become the model's."""

    @functools.wraps(command)
    def call(rename: tuple[str, ...], missing_columns: bool, **given: Any) -> Any:
        return command(wish=MatchWish(_pairs(rename), missing_columns), **given)

    wrapped: Any = click.option(
        "--missing-columns", is_flag=True, help="Treat columns that DATA lacks as missing values."
    )(call)
    decorated: F = click.option(
        "--rename", metavar="NEW=OLD", multiple=True,
        help="Column NEW of DATA is column OLD of the model. May be repeated.",
    )(wrapped)  # fmt: skip
    return decorated


def _pairs(texts: tuple[str, ...]) -> dict[str, str]:
    names: dict[str, str] = {}
    for text in texts:
        new, equals, old = text.rpartition("=")
        if not equals or not new or not old:
            raise click.BadParameter(f"use the form NEW=OLD; got {text!r}.", param_hint="'--rename'")
        if new in names or old in names.values():
            raise click.BadParameter(f"one of {new!r} and {old!r} is named twice.", param_hint="'--rename'")
        names[new] = old
    return names


class Matching:
    """A model's columns found in DATA."""

    def __init__(self, predictor: AnyPredictor, reading: Reading, wish: MatchWish) -> None:
        from acumen.errors import ParameterError, did_you_mean
        from acumen.profiling.unfamiliar_rows import Unfamiliar

        self.predictor, self.reading, self._wish = predictor, reading, wish
        schema = predictor.inputs
        for old in wish.rename.values():
            if old not in schema:
                raise ParameterError(
                    f"--rename: the model has no column {old!r}; use the form "
                    f"NEW=OLD.{did_you_mean(old, schema.columns)}"
                )
        #: The model's schema under the names of DATA.
        self.names = {old: new for new, old in wish.rename.items()}
        self.schema = _rename_columns(schema, self.names)
        self.unfamiliar: Unfamiliar = Unfamiliar(schema, predictor.seen_inputs)

    @property
    def target(self) -> str | None:
        """What DATA calls the model's target."""
        return None if self.schema.target is None else self.schema.target.name

    def scan(self, needs: Iterable[str] | None = None) -> Parts:
        """DATA as parts; what it leaves open is read as the training table was."""
        parts = self.reading.scan(needs=needs, like=self.schema)
        self._check(parts.schema)
        return parts

    def _check(self, has: Schema) -> None:
        from acumen.data.align import absent_columns
        from acumen.errors import DataError, did_you_mean

        for new in self._wish.rename:
            if new not in has.columns:
                raise DataError(f"--rename: DATA has no column {new!r}.{did_you_mean(new, has.columns)}")
        if self._wish.fill:
            back = {new: old for old, new in self.names.items()}
            absent = absent_columns(has, self.schema)
            if len(absent) == len(self.schema):
                raise DataError(
                    f"DATA has none of the model's columns; it has {', '.join(has.columns[:8])}, and the model needs "
                    f"{', '.join(self.schema.names[:8])}."
                )
            self.unfamiliar.absent = tuple(back.get(name, name) for name in absent)

    def align(self, part: Table) -> Table:
        """A part under the model's schema, and counted."""
        from acumen.data.align import align

        rows = align(part, self.schema, fill=self._wish.fill)
        if self.names:
            rows = _under(rows, self.predictor.inputs)
        self.unfamiliar.add(rows, part, self.names)
        return rows

    def tables(self, parts: Parts) -> Iterator[tuple[Table, Table]]:
        """Each part as it came and under the model's schema."""
        for part in parts:
            yield part, self.align(part)

    def tell(self) -> None:
        """Say what was unfamiliar to the model, on stderr."""
        for sentence in self.unfamiliar.sentences():
            console.say(sentence)


def _rename_columns(schema: Schema, names: Mapping[str, str]) -> Schema:
    """A schema some of whose columns go by other names."""
    from acumen.data.schema import Schema

    if not names:
        return schema

    def rename_attribute(attribute: Any) -> Any:
        return replace(attribute, name=names.get(attribute.name, attribute.name))

    target = None if schema.target is None else rename_attribute(schema.target)
    return Schema(tuple(rename_attribute(attribute) for attribute in schema.attributes), target)


def _under(rows: Table, schema: Schema) -> Table:
    """The same rows by the model's own names."""
    from acumen.data.schema import Schema

    target = schema.target if rows.schema.target is not None else None
    return rows.replace(schema=Schema(schema.attributes, target), ignored=(), written={})
