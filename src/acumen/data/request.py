"""What a caller asked of a reader, and the roles that gives the columns of one source."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar, Unpack, get_args, get_type_hints

import numpy as np

from acumen import messages
from acumen.data.choices import NONE, Choices
from acumen.data.date_forms import ORDERS
from acumen.data.dialect import MISSING_TOKENS, PERHAPS_MISSING, Dialect
from acumen.data.naming import level_text
from acumen.data.schema import KINDS, Schema
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.types import Kind, Label

Column: TypeAlias = str | int
Ragged: TypeAlias = Literal["error", "fill", "drop"]
Missing: TypeAlias = str | float | Iterable[str | float]
T = TypeVar("T")


class ReadOptions(TypedDict, total=False):
    """What `acumen.read` and `acumen.scan` can be told: declared here, and taken in by the field of `Request`."""

    target: Column | None
    kinds: Mapping[Column, Kind] | None
    levels: Mapping[Column, Sequence[Label]] | None
    ignore: Column | Iterable[Column]
    weight: Column | None
    missing: Missing | None
    dialect: Dialect | None
    ragged: Ragged
    query: str | None
    params: Iterable[Any]
    columns: str | Iterable[str] | None
    max_bytes: int | None
    date_order: str | None
    not_missing: Missing | None
    merge: Mapping[Column, Mapping[Label, Label]] | None
    like: Schema | None
    date_parts: str | Iterable[str]


def _option(default: Any = None, take: Callable[[Any], Any] | None = None, name: str = "") -> Any:
    """A field that is an option: what it is when not given, and what users' ways of writing it become."""
    return field(
        default_factory=lambda: default if take is None else take(default),
        metadata={"option": name, "default": default, "take": take},
    )


def _mapping(option: Mapping[Any, Any] | None) -> dict[Any, Any]:
    return dict(option or {})


def _several(option: Any) -> tuple[Any, ...]:
    """One name or several, or none."""
    if option is None:
        return ()
    return (option,) if isinstance(option, (str, int, np.integer)) else tuple(option)


def _query_params(params: Iterable[Any]) -> tuple[Any, ...]:
    """The values bound to a query's places, in order."""
    if isinstance(params, (str, bytes, Mapping)) or not isinstance(params, Iterable):
        raise ParameterError(
            f"read: params are several values in the order of the query's places, as in [18]; got {params!r}."
        )
    # A number of numpy's is to SQLite a row of bytes, equal to nothing.
    return tuple(value.item() if isinstance(value, np.generic) else value for value in params)


def _tokens(option: str) -> Callable[[Missing | None], tuple[str, ...]]:
    """The tokens that stand for a missing value, or do not; a number among them is meant as it is written."""

    def take_tokens(missing: Missing | None) -> tuple[str, ...]:
        if missing is None:
            return ()
        if isinstance(missing, Mapping):
            raise ParameterError(
                f"read: {option} holds for every column, and is a token or several, such as '-999'; got {missing!r}. "
                "Of one column alone, replace them there before it is read."
            )
        tokens = (missing,) if isinstance(missing, (str, int, float, np.number)) else tuple(missing)
        for token in tokens:
            if isinstance(token, bool) or not isinstance(token, (str, int, float, np.number)):
                raise ParameterError(
                    f"read: {option} must be a token or several, such as '-999'; got {token!r}."
                )
        return tuple(level_text(token) for token in tokens)

    return take_tokens


@dataclass(frozen=True, slots=True)
class Request:
    """The options of `acumen.read`, taken into one form, checked once and handed to whichever source answers."""

    target: Column | None = _option()
    kinds: Mapping[Column, Kind] = _option(None, _mapping)
    levels: Mapping[Column, Sequence[Label]] = _option(None, _mapping)
    ignore: tuple[Column, ...] = _option((), _several)
    weight: Column | None = _option()
    missing: tuple[str, ...] = _option(None, _tokens("missing"))
    dialect: Dialect = _option(None, lambda given: given or Dialect())
    ragged: Ragged = _option("error")
    query: str | None = _option()
    params: tuple[Any, ...] = _option((), _query_params)
    select: tuple[str, ...] = _option(None, _several, "columns")  # the inputs wanted; the others are left out
    max_bytes: int | None = _option()
    date_order: str | None = _option()
    not_missing: tuple[str, ...] = _option(None, _tokens("not_missing"))  # values, though they look missing
    merge: Mapping[Column, Mapping[Label, Label]] = _option(None, _mapping)
    like: Schema | None = _option()  # of the table that new rows are to be read like
    date_parts: tuple[str, ...] = _option((), _several)
    needs: frozenset[str] | None = None  # what will be looked at; others may come or not

    @classmethod
    def of(cls, **options: Unpack[ReadOptions]) -> Request:
        """Take what users write (one name or several, None or nothing) into one form."""
        named: dict[str, Any] = dict(options)
        values = {}
        for each in fields(cls):
            name = each.metadata.get("option", None)
            if name is not None and (name or each.name) in named:
                value, take = named.pop(name or each.name), each.metadata["take"]
                values[each.name] = value if take is None else take(value)
        if named:
            raise TypeError(f"read() got an unexpected keyword argument {next(iter(named))!r}")
        request = cls(**values)
        if request.not_missing:
            kept = tuple(token for token in request.dialect.missing if token not in request.not_missing)
            request = replace(request, dialect=replace(request.dialect, missing=kept))
        return request

    @classmethod
    def parameters(cls) -> list[inspect.Parameter]:
        """The options as they stand in a signature."""
        hints = get_type_hints(ReadOptions)
        each = [(one.metadata["option"] or one.name, one) for one in fields(cls) if "option" in one.metadata]
        return [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=one.metadata["default"], annotation=hints[name]
            )
            for name, one in each
        ]

    def __post_init__(self) -> None:
        most = self.max_bytes
        if most is not None and (
            isinstance(most, bool) or not isinstance(most, (int, np.integer)) or most < 1
        ):
            raise ParameterError(f"read: max_bytes must be a whole number of at least 1; got {most!r}.")
        if self.query is not None and not isinstance(self.query, str):
            raise ParameterError(f"read: query must be text, such as 'SELECT * FROM t'; got {self.query!r}.")
        for name in self.select:
            if not isinstance(name, str):
                raise ParameterError(f"read: {messages.option('columns')} takes names; got {name!r}.")
        if self.date_order not in (None, *ORDERS):
            raise ParameterError(
                f"read: date_order must be one of {', '.join(ORDERS)} (day, month, year); got {self.date_order!r}."
            )
        if self.like is not None and not isinstance(self.like, Schema):
            raise ParameterError(
                f"read: like must be the schema of a table or model; got {type(self.like).__name__}."
            )
        for column, pairs in self.merge.items():
            if not isinstance(pairs, Mapping):
                raise ParameterError(
                    f"read: merge says for column {column!r} which levels become which, as in "
                    f"{{'fiber optic': 'Fibre optic'}}; got {pairs!r}."
                )
        if self.ragged not in get_args(Ragged):
            raise ParameterError(f"read: ragged must be 'error', 'fill' or 'drop'; got {self.ragged!r}.")
        for column, kind in self.kinds.items():
            if kind not in KINDS:
                raise ParameterError(
                    f"read: the kind of column {column!r} must be one of {', '.join(KINDS)}; "
                    f"got {kind!r}.{did_you_mean(str(kind), KINDS)}"
                )

        for column, levels in self.levels.items():
            if isinstance(levels, str):
                raise ParameterError(
                    f"read: the levels of column {column!r} are several; got the text {levels!r}."
                )

    def require_text(self, what: str, *also: str) -> None:
        """Refuse a Dialect that says more of a source than its format, its encoding and what is in `also`."""
        allowed = ("format", "encoding", *also)
        plain = Dialect()
        for name in (
            "delimiter",
            "header",
            "quote",
            "decimal",
            "comment",
            "encoding",
            "missing",
            "widths",
            "skip",
            "sheet",
        ):
            if name not in allowed and getattr(self.dialect, name) != getattr(plain, name):
                raise ParameterError(
                    f"read: {what} has no {name} to be told; leave {messages.dialect(name)} out."
                )
        if self.ragged != "error":
            raise ParameterError(f"read: {what} has no ragged rows; leave {messages.option('ragged')} out.")

    @property
    def columns(self) -> list[Column]:
        """Every column that was asked for by name or position."""
        single = [c for c in (self.target, self.weight) if c is not None]
        return [*single, *self.kinds, *self.levels, *self.ignore, *self.merge]

    @property
    def perhaps_missing(self) -> tuple[str, ...]:
        """Tokens of which each column decides; none where the dialect lists what is missing."""
        hard = tuple(token for token in MISSING_TOKENS if token not in self.not_missing)
        if self.dialect.missing != hard:
            return ()
        return tuple(token for token in PERHAPS_MISSING if token not in (*self.not_missing, *self.missing))

    def require_no_query(self) -> None:
        """Refuse what only databases can be asked."""
        if self.query is not None or self.params:
            raise ParameterError("read: query and params are for databases; a file takes neither.")


@dataclass(frozen=True, slots=True)
class Roles:
    """A request with every column named: what each column of this source is to be."""

    names: tuple[str, ...]
    target: str | None
    weight: str | None
    ignored: frozenset[str]
    kinds: Mapping[str, Kind]
    levels: Mapping[str, tuple[Label, ...]]
    merge: Mapping[str, Mapping[Label, Label]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    not_missing: tuple[str, ...] = ()

    def choices(self, name: str) -> Choices:
        """The reading options of one column that apply to new rows."""
        merge = self.merge.get(name)
        if not (self.missing or self.not_missing or merge):
            return NONE
        return Choices(self.missing, self.not_missing, tuple((merge or {}).items()))

    @classmethod
    def of(cls, request: Request, names: Sequence[str], default_target: str | None = None) -> Roles:
        """Resolve names and positions against the columns a source has."""
        at = {column: resolve(column, names) for column in request.columns}
        target = at[request.target] if request.target is not None else default_target
        weight = at[request.weight] if request.weight is not None else None
        kinds = _by_column_name(request.kinds, at, "kinds")
        levels = {
            name: tuple(declared) for name, declared in _by_column_name(request.levels, at, "levels").items()
        }
        ignored = {at[c] for c in request.ignore} | {n for n, kind in kinds.items() if kind == "ignored"}
        if target in ignored and request.target is None:
            target = None  # the source's own default gives way to the caller's wish
        if target is not None and (target in ignored or target == weight):
            raise DataError(f"read: column {target!r} cannot be the target and be ignored or the weight too.")
        if weight is not None and weight in ignored:
            raise DataError(f"read: column {weight!r} cannot be the weight and be ignored too.")
        if weight is not None and (kinds.get(weight, "numeric") != "numeric" or weight in levels):
            raise DataError(f"read: column {weight!r} holds the weights, so its kind is numeric.")
        for name in levels:
            kind = "ignored" if name in ignored else kinds.get(name)
            if kind in ("numeric", "text", "ignored"):
                raise DataError(
                    f"read: column {name!r} is asked to be {kind}, so {messages.option('levels')} cannot name it."
                )
        merge = _by_column_name(request.merge, at, "merge")
        for name in merge:
            if name in levels or kinds.get(name) in ("numeric", "text") or name in ignored or name == weight:
                raise DataError(
                    f"read: {messages.option('merge')} speaks of column {name!r}, which must be nominal for "
                    "that, its levels found and not "
                    "given."
                )
            kinds.setdefault(name, "nominal")
        tokens = (request.missing, request.not_missing)
        return cls(tuple(names), target, weight, frozenset(ignored), kinds, levels, merge, *tokens)


def _by_column_name(options: Mapping[Column, T], at: Mapping[Column, str], option: str) -> dict[str, T]:
    """What is given for columns, under their names; a column given by name and again by position is refused."""
    named = {at[column]: value for column, value in options.items()}
    if len(named) < len(options):
        twice = next(name for name in named if sum(at[column] == name for column in options) > 1)
        raise DataError(
            f"read: {messages.option(option)} speaks of column {twice!r} twice, by name and by position."
        )
    return named


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
