"""What a caller asked of a reader, and the roles that gives the columns of one source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from acumen.data.dialect import Dialect
from acumen.data.schema import KINDS
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.types import Kind, Label

Column: TypeAlias = str | int
Ragged: TypeAlias = Literal["error", "fill", "drop"]


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments of `acumen.read`, checked once and handed to whichever source answers."""

    target: Column | None = None
    kinds: Mapping[Column, Kind] = field(default_factory=dict)
    levels: Mapping[Column, Sequence[Label]] = field(default_factory=dict)
    ignore: tuple[Column, ...] = ()
    weight: Column | None = None
    missing: tuple[str, ...] = ()
    dialect: Dialect = field(default_factory=Dialect)
    ragged: Ragged = "error"
    query: str | None = None
    params: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        if self.ragged not in get_args(Ragged):
            raise ParameterError(f"read: ragged must be 'error', 'fill' or 'drop'; got {self.ragged!r}.")
        for column, kind in self.kinds.items():
            if kind not in KINDS:
                raise ParameterError(
                    f"read: the kind of column {column!r} must be one of {', '.join(KINDS)}; "
                    f"got {kind!r}.{did_you_mean(str(kind), KINDS)}"
                )

    @classmethod
    def of(
        cls,
        target: Column | None,
        kinds: Mapping[Column, Kind] | None,
        levels: Mapping[Column, Sequence[Label]] | None,
        ignore: Column | Iterable[Column],
        weight: Column | None,
        missing: str | Iterable[str] | None,
        dialect: Dialect | None,
        ragged: Ragged,
        query: str | None,
        params: Iterable[Any],
    ) -> Request:
        """Take what users write (one name or several, None or nothing) into one form."""
        return cls(
            target=target,
            kinds=dict(kinds or {}),
            levels=dict(levels or {}),
            ignore=(ignore,) if isinstance(ignore, (str, int, np.integer)) else tuple(ignore),
            weight=weight,
            missing=(missing,) if isinstance(missing, str) else tuple(missing or ()),
            dialect=dialect or Dialect(),
            ragged=ragged,
            query=query,
            params=tuple(params),
        )


@dataclass(frozen=True, slots=True)
class Roles:
    """A request with every column named: what each column of this source is to be."""

    names: tuple[str, ...]
    target: str | None
    weight: str | None
    ignored: frozenset[str]
    kinds: Mapping[str, Kind]
    levels: Mapping[str, tuple[Label, ...]]

    @classmethod
    def of(cls, request: Request, names: Sequence[str], default_target: str | None = None) -> Roles:
        """Resolve names and positions against the columns a source has."""
        at = {column: resolve(column, names) for column in _columns(request)}
        target = at[request.target] if request.target is not None else default_target
        weight = at[request.weight] if request.weight is not None else None
        kinds = {at[c]: kind for c, kind in request.kinds.items()}
        levels = {at[c]: tuple(given) for c, given in request.levels.items()}
        ignored = {at[c] for c in request.ignore} | {n for n, kind in kinds.items() if kind == "ignored"}
        if target in ignored and request.target is None:
            target = None  # the source's own default gives way to the caller's wish
        if target is not None and (target in ignored or target == weight):
            raise DataError(f"read: column {target!r} cannot be the target and be ignored or the weight too.")
        if weight is not None and weight in ignored:
            raise DataError(f"read: column {weight!r} cannot be the weight and be ignored too.")
        if weight is not None and (kinds.get(weight, "numeric") != "numeric" or weight in levels):
            raise DataError(f"read: column {weight!r} holds the weights, so its kind is numeric.")
        for name in levels.keys() & kinds.keys():
            if kinds[name] in ("numeric", "text"):
                raise DataError(
                    f"read: column {name!r} is asked to be {kinds[name]}, so levels= cannot name it."
                )
        return cls(tuple(names), target, weight, frozenset(ignored), kinds, levels)


def _columns(request: Request) -> list[Column]:
    single = [c for c in (request.target, request.weight) if c is not None]
    return [*single, *request.kinds, *request.levels, *request.ignore]


def resolve(column: Column, names: Sequence[str]) -> str:
    """The name of a column given by name or position (from 0; negative from the end)."""
    if isinstance(column, str):
        if column in names:
            return column
        if column.isascii() and column.removeprefix("-").isdigit():  # a position, from a command line
            return resolve(int(column), names)
        shown = ", ".join(repr(n) for n in names[:8]) + (", ..." if len(names) > 8 else "")
        raise DataError(
            f"there is no column {column!r}; the columns are {shown}.{did_you_mean(column, names)}"
        )
    if isinstance(column, bool) or not isinstance(column, (int, np.integer)):
        raise DataError(f"a column is given by its name or its position; got {column!r}.")
    if not -len(names) <= column < len(names):
        raise DataError(f"there is no column at position {column}; the table has {len(names)} columns.")
    return names[int(column)]
