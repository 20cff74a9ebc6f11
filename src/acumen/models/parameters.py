"""Hyper-parameters, declared once in an `__init__` signature; checks, flags, forms and docs are derived.

class NaiveBayes(...):
    def __init__(self, *, alpha: Annotated[float, AtLeast(0)] = 1.0,
                 numeric: Literal["gaussian", "kernel"] = "gaussian") -> None: ...

specs_of(NaiveBayes) -> one Spec for each parameter
"""

from __future__ import annotations

import inspect
import json
import math
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, wraps
from typing import Annotated, Any, Literal, Protocol, TypeAlias, Union, get_args, get_origin, get_type_hints

import numpy as np

from acumen.errors import ParameterError, did_you_mean


class Constraint(Protocol):
    """What a value must fulfil, and the words for it (put behind "must be ...")."""

    def holds(self, value: Any) -> bool: ...
    def __str__(self) -> str: ...


@dataclass(frozen=True, slots=True)
class AtLeast:
    """A constraint: at least `low`."""

    low: float

    def holds(self, value: Any) -> bool:
        return bool(value >= self.low)

    def __str__(self) -> str:
        return f"of at least {self.low:g}"


@dataclass(frozen=True, slots=True)
class MoreThan:
    """A constraint: larger than `low`."""

    low: float

    def holds(self, value: Any) -> bool:
        return bool(value > self.low)

    def __str__(self) -> str:
        return f"above {self.low:g}"


@dataclass(frozen=True, slots=True)
class Between:
    """A constraint: from `low` to `high`, inclusive."""

    low: float
    high: float

    def holds(self, value: Any) -> bool:
        return bool(self.low <= value <= self.high)

    def __str__(self) -> str:
        return f"from {self.low:g} to {self.high:g}"


@dataclass(frozen=True, slots=True)
class Described:
    """A constraint in words only, for values that are checked once the classes are known."""

    words: str

    def holds(self, value: Any) -> bool:
        return True

    def __str__(self) -> str:
        return self.words


class OfLearner(Described):
    """A learner inside a learner; where only text can be written, its word stands for it."""

    __slots__ = ()


class OfLearners(Described):
    """Several learners; where only text can be written, a list of their words."""

    __slots__ = ()


#: What every classifier takes; `base.decision` says no to the rest.
Costs: TypeAlias = Annotated[
    Any, Described("a matrix (rows predicted, columns true), a mapping of (predicted, true) to cost, or None")
]
Priors: TypeAlias = Annotated[
    Any, Described("a mapping of class to probability, an array of them, 'uniform', or None")
]
ClassWeight: TypeAlias = Annotated[Any, Described("a mapping of class to factor, 'balanced', or None")]


@dataclass(frozen=True, slots=True)
class Spec:
    """One parameter: its name, default, and the alternatives it may be."""

    name: str
    default: Any
    options: tuple[Option, ...]

    def accepts(self, value: Any) -> bool:
        return any(option.accepts(value) for option in self.options)

    def requirement(self) -> str:
        """The words for what it may be."""
        return " or ".join(dict.fromkeys(str(option) for option in self.options))

    @property
    def choices(self) -> tuple[str, ...]:
        """The words it may be, where it may be words."""
        return tuple(w for option in self.options if option.words for w in option.words)

    def check(self, value: Any, who: str) -> None:
        """Raise ParameterError, in a sentence, unless the value may be."""
        if value is not self.default and not self.accepts(value):
            hint = did_you_mean(value, self.choices) if isinstance(value, str) else ""
            if isinstance(value, int) and abs(value) > _MOST_WHOLE:
                hint = " Numbers here have at most 64 bits."
            raise ParameterError(f"{who}: {self.name} must be {self.requirement()}; got {value!r}.{hint}")

    def plain(self, value: Any) -> Any:
        """The value as Python's own number: a double where only a double is meant, whatever numpy's type was."""
        if isinstance(value, np.generic):
            value = value.item()
        if not isinstance(value, int) or isinstance(value, bool):
            return value
        types = {option.type for option in self.options}
        return float(value) if float in types and int not in types and Any not in types else value

    def parse(self, text: str, who: str) -> Any:
        """The value a command line means by `text`."""
        for option in self.options:
            try:
                value = option.parse(text)
            except ValueError:
                continue
            if option.accepts(value):
                return value
        raise ParameterError(
            f"{who}: {self.name} must be {self.requirement()}; got {text!r}.{did_you_mean(text, self.choices)}"
        )


@dataclass(frozen=True, slots=True)
class Option:
    """One alternative: a type with constraints, or words."""

    type: Any
    constraints: tuple[Constraint, ...] = ()
    words: tuple[str, ...] = ()

    def accepts(self, value: Any) -> bool:
        if self.words:
            return isinstance(value, str) and value in self.words
        if self.type is Any:
            return True
        if self.type is None:
            return value is None
        if self.type is bool:
            return isinstance(value, (bool, np.bool_))
        if self.type is int:
            fits = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            fits = fits and -_MOST_WHOLE <= value <= _MOST_WHOLE
        elif self.type is float:
            fits = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
            fits = fits and _is_double(value)
        else:
            fits = isinstance(value, self.type)
        return bool(fits and all(constraint.holds(value) for constraint in self.constraints))

    def parse(self, text: str) -> Any:
        """The value meant by `text`; ValueError where it means none of this kind."""
        if self.words:
            return text
        if self.type is None:
            return _one_of(text, {"none": None, "null": None})
        if self.type is bool:
            return _one_of(text, {"true": True, "false": False, "yes": True, "no": False})
        if self.type in (int, float, str):
            return self.type(text)
        if self.type is Any:
            return _json_or_text(text)
        if self.type is Mapping or self.type in (list, tuple, dict):
            return _written_out(text)
        raise ValueError(text)

    def __str__(self) -> str:
        if self.words:
            return " or ".join(repr(word) for word in self.words)
        if self.type is Any:
            return " ".join(map(str, self.constraints)) or "anything"
        for each in self.constraints:
            if isinstance(each, Between) and each.low == each.high:  # a Literal that is a number
                return f"{each.low:g}"
        words = _NOUNS.get(self.type) or _noun(self.type)
        return " ".join([words, *map(str, self.constraints)])


def _noun(kind: Any) -> str:
    """What a value of a type is called: acumen's own classes by the name one would write."""
    name = getattr(kind, "__name__", str(kind))
    if str(getattr(kind, "__module__", "")).startswith("acumen."):
        return f"a {name}"
    return f"a {name}".replace("_", " ").lower()


_NOUNS: dict[Any, str] = {
    int: "a whole number", float: "a number", bool: "true or false", None: "None", str: "text",
    list: "an array", tuple: "an array", np.ndarray: "an array",
}  # fmt: skip


_MOST_WHOLE = 2**63 - 1  # what kernels and model files hold


def _is_double(value: float) -> bool:
    """Whether a number is one as a double too; 10**400 is not."""
    try:
        return not math.isnan(value)
    except OverflowError:
        return False


def _one_of(text: str, meanings: Mapping[str, Any]) -> Any:
    if text.lower() not in meanings:
        raise ValueError(text)
    return meanings[text.lower()]


def _json_or_text(text: str) -> Any:
    try:
        return _written_out("null" if text.lower() == "none" else text)
    except ValueError:
        return text


def _written_out(text: str) -> Any:
    """What a text says in JSON, or as Python shows it: (8,) is a sequence too; ValueError where it says neither."""
    try:
        return json.loads(text)
    except ValueError:
        if not text.startswith(("(", "[", "{")):
            raise
    import ast

    try:
        return ast.literal_eval(text)
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError(text) from error


def specs_of(cls: type[Any]) -> tuple[Spec, ...]:
    """The parameters of a class, derived from its `__init__`."""
    return _specs(cls.__init__)


@cache
def _specs(initialise: Callable[..., None]) -> tuple[Spec, ...]:
    signature = inspect.signature(initialise)
    hints = get_type_hints(initialise, include_extras=True)
    return tuple(
        Spec(name, parameter.default, tuple(_options(hints.get(name, Any))))
        for name, parameter in signature.parameters.items()
        if name != "self" and parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
    )


def _options(hint: Any, constraints: tuple[Constraint, ...] = ()) -> list[Option]:
    origin = get_origin(hint)
    if origin is Annotated:
        inner, *extra = get_args(hint)
        return _options(inner, (*constraints, *extra))
    if origin in (Union, types.UnionType):
        return [option for part in get_args(hint) for option in _options(part, constraints)]
    if origin is Literal:
        words = get_args(hint)
        if all(isinstance(word, str) for word in words):
            return [Option(str, words=words)]
        return [option for word in words for option in _literal(word)]
    if hint is type(None):
        return [Option(None)]
    if hint is Any or isinstance(hint, typing.TypeVar):
        return [Option(Any, constraints)]
    kind = origin or hint
    applicable = tuple(c for c in constraints if kind in (int, float))
    return [Option(kind, applicable)]


def _literal(word: Any) -> list[Option]:
    if word is None:
        return [Option(None)]
    if isinstance(word, str):
        return [Option(str, words=(word,))]
    return [Option(type(word), (Between(word, word),))]


def with_parameters_of(parent: type[Any], **defaults: Any) -> Callable[[Any], Any]:
    """For the `__init__` of a class that adds parameters to its parent's: these follow, under other defaults.

    >>> class Parent:
    ...     def __init__(self, *, size: int = 1, deep: bool = True) -> None: ...
    >>> class Child(Parent):
    ...     @with_parameters_of(Parent, size=5)
    ...     def __init__(self, *, wide: bool = False, **others: Any) -> None: ...
    >>> [(spec.name, spec.default) for spec in specs_of(Child)]
    [('wide', False), ('size', 5), ('deep', True)]
    """
    behind = inspect.signature(parent.__init__).parameters
    unknown = [name for name in defaults if name not in behind]
    assert not unknown, f"{parent.__name__} has no parameter {unknown}"

    def decorate(own: Any) -> Any:
        signature = inspect.signature(own)
        first = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        names = {p.name for p in first}
        hints = get_type_hints(parent.__init__, include_extras=True) | get_type_hints(
            own, include_extras=True
        )
        shown = [
            p.replace(default=defaults.get(name, p.default))
            for name, p in behind.items()
            if name not in names
        ]
        whole = signature.replace(parameters=[*first, *shown])

        @wraps(own)
        def initialise(self: Any, *first: Any, **given: Any) -> None:
            bound = whole.bind(self, *first, **given)  # a name that is not there is Python's own error
            own(*bound.args, **(defaults | bound.kwargs))

        initialise.__signature__ = whole  # type: ignore[attr-defined]
        initialise.__annotations__ = {
            name: hints[name] for name in (*whole.parameters, "return") if name in hints
        }
        return initialise

    return decorate


def check_parameters(who: str, cls: type, values: Mapping[str, Any]) -> None:
    """Check every parameter of a class against its declaration."""
    for spec in specs_of(cls):
        spec.check(values[spec.name], who)
