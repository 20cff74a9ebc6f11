"""What a table's columns are: the agreement under which rows are read, summaries add and models predict.

Attribute   one column: its name, kind and, for nominal and ordinal ones, its levels in code order
Schema      the inputs, the target, and the columns that are neither
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from acumen.data.choices import NONE, Choices
from acumen.data.escape import printable, shorten
from acumen.data.forms import checked_spec, is_moment
from acumen.errors import DataError, SchemaMismatch, did_you_mean
from acumen.types import Kind, Label

KINDS: tuple[str, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Attribute:
    """One column of a table.

    `levels` are the values a nominal or ordinal attribute can take, in the order of their codes;
    `ordered` says that this order means something (which makes the kind `ordinal`). `form` says how the numbers of
    a numeric one were written ("date dmy", "datetime", "number ,."): for reading new rows alike, and for showing days
    as dates. `choices` are what the reader was told of it (tokens that are missing, levels that are one), to be
    repeated with new rows. Two attributes that differ in these alone are the same.
    """

    name: str
    kind: Kind = "numeric"
    levels: tuple[Label, ...] = ()
    ordered: bool = False
    form: str = field(default="", compare=False)
    choices: Choices = field(default=NONE, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise DataError(f"Attribute: a name is a string; got {self.name!r}.")
        if isinstance(self.levels, str):  # type: ignore[unreachable]  # a slip that type checkers see, others not
            raise DataError(
                f"Attribute {self.name!r}: levels are several values; got the one text {self.levels!r}."
            )
        if self.kind not in KINDS:
            raise DataError(
                f"Attribute {self.name!r}: kind must be one of {', '.join(KINDS)}; got {self.kind!r}."
                + did_you_mean(str(self.kind), KINDS)
            )
        if self.form and (not self.is_numeric or not checked_spec(self.form)):
            raise DataError(f"Attribute {self.name!r}: only a numeric attribute has a form; leave it out.")
        if self.ordered and self.kind == "nominal":
            object.__setattr__(self, "kind", "ordinal")
        if self.ordered != (self.kind == "ordinal"):
            object.__setattr__(self, "ordered", self.kind == "ordinal")
        if type(self.levels) is tuple and not self.levels:
            return  # as of most: a table may have a million attributes
        levels = tuple(self.levels)
        if not {str, int, float, bool}.issuperset(map(type, levels)):
            levels = tuple(_plain(level) for level in levels)
        if len(set(levels)) != len(levels):
            twice = _first_repeat(levels)
            raise DataError(f"Attribute {self.name!r}: level {twice!r} is given twice; levels must differ.")
        if levels and not self.is_nominal and self.kind != "ignored":
            raise DataError(
                f"Attribute {self.name!r}: a {self.kind} attribute has no levels; leave them out."
            )
        object.__setattr__(self, "levels", levels)

    @property
    def is_numeric(self) -> bool:
        return self.kind == "numeric"

    @property
    def is_nominal(self) -> bool:
        """Whether it is nominal or ordinal, and so stored as codes."""
        return self.kind in ("nominal", "ordinal")

    @property
    def is_moment(self) -> bool:
        """Whether its numbers are dates or times, counted in days."""
        return is_moment(self.form)

    def with_levels(self, levels: Sequence[Label]) -> Attribute:
        """The same attribute with other levels."""
        return replace(self, levels=tuple(levels))

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-ready values; `from_dict` reads them back."""
        entries: dict[str, Any] = {"name": self.name, "kind": self.kind}
        if self.levels:
            entries["levels"] = list(self.levels)
        if self.form:
            entries["form"] = self.form
        if self.choices:
            entries["choices"] = self.choices.to_dict()
        return entries

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Attribute:
        """Read what `to_dict` wrote and check every part."""
        name, kind, levels = stored.get("name"), stored.get("kind"), stored.get("levels", [])
        if not isinstance(name, str) or not isinstance(kind, str) or not isinstance(levels, list):
            raise DataError("Attribute: a stored attribute needs a name, a kind and a list of levels.")
        if not all(isinstance(level, (str, int, float, bool)) for level in levels):
            raise DataError(f"Attribute {name!r}: stored levels must be text, numbers or booleans.")
        form, choices = checked_spec(stored.get("form", "")), Choices.from_dict(stored.get("choices", {}))
        return cls(name, kind, tuple(levels), form=form, choices=choices)  # type: ignore[arg-type]  # __post_init__ checks it

    def __str__(self) -> str:
        if not self.is_nominal:
            moment = f" ({self.form.split()[0]})" if self.is_moment else ""
            return f"{_short_text(self.name)}: {self.kind}{moment}"
        joint = " < " if self.ordered else ", "
        shown = [_short_text(level) for level in self.levels[:12]]
        if len(self.levels) > 12:
            shown.append(f"... ({len(self.levels)} levels)")
        return f"{_short_text(self.name)}: {self.kind} {{{joint.join(shown)}}}"


def _short_text(name: Label) -> str:
    """A name or level on one line, whatever is in it."""
    return shorten(printable(name), 60)


def _first_repeat(values: Sequence[Label]) -> Label:
    """The first value that has occurred before; in one pass, as a hostile model file may list millions."""
    seen: set[Label] = set()
    return next(value for value in values if value in seen or seen.add(value))  # type: ignore[func-returns-value]


def _plain(level: Any) -> Label:
    """A numpy scalar as the Python value it stands for."""
    plain = level.item() if hasattr(level, "item") else level
    if not isinstance(plain, (str, int, float, bool)):
        raise DataError(f"a level must be text, a number or a boolean; got {type(level).__name__}")
    return plain


def _by_kind(attributes: tuple[Attribute, ...]) -> dict[str, tuple[Attribute, ...]]:
    """The attributes of each kind, ordinal ones among the nominal."""
    groups: dict[str, tuple[Attribute, ...]] = dict.fromkeys(("numeric", "nominal", "text", "ignored"), ())
    kinds = {attribute.kind for attribute in attributes}
    for kind in kinds - {"ordinal"}:
        groups[kind] = attributes if len(kinds) == 1 else tuple(a for a in attributes if a.kind == kind)
    if "ordinal" in kinds:
        groups["nominal"] = tuple(a for a in attributes if a.is_nominal)
    return groups


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a table: `attributes` are the inputs, `target` is the column to predict.

    `weight` names the column of row weights, `ignored` the columns that are carried along but never
    learned from, and `columns` every column in the order of the source.
    """

    attributes: tuple[Attribute, ...]
    target: Attribute | None = None
    weight: str | None = None
    ignored: tuple[Attribute, ...] = ()
    columns: tuple[str, ...] = ()
    _names: tuple[str, ...] = field(init=False, repr=False, compare=False, hash=False)
    _by_name: Mapping[str, Attribute] = field(init=False, repr=False, compare=False, hash=False)
    _by_kind: Mapping[str, tuple[Attribute, ...]] = field(init=False, repr=False, compare=False, hash=False)
    _places: dict[str, tuple[str, int]] = field(
        default_factory=dict, init=False, repr=False, compare=False, hash=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", tuple(self.attributes))
        object.__setattr__(self, "ignored", tuple(self.ignored))
        every = [*self.attributes, *self.ignored, *([self.target] if self.target else [])]
        # Of a matrix of words there are tens of thousands, so each is looked at as seldom as may be.
        by_name = {attribute.name: attribute for attribute in every}
        names = [*by_name, *([self.weight] if self.weight is not None else [])]
        if len(by_name) != len(every) or self.weight in by_name:
            listed = [attribute.name for attribute in every]
            twice = _first_repeat([*listed, self.weight] if self.weight is not None else listed)
            raise DataError(f"Schema: column {twice!r} occurs twice; every column needs a name of its own.")
        by_kind = _by_kind(self.attributes)
        if by_kind["ignored"]:
            name = by_kind["ignored"][0].name
            raise DataError(f"Schema: {name!r} is ignored, so it belongs in `ignored`.")
        columns = tuple(self.columns) or tuple(names)
        if self.columns and (len(columns) != len(names) or set(columns) != set(names)):
            raise DataError("Schema: `columns` must list every column exactly once.")
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "_names", tuple(names[: len(self.attributes)]))
        object.__setattr__(self, "_by_name", by_name)
        object.__setattr__(self, "_by_kind", by_kind)

    # -- looking up -------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.attributes)

    def __len__(self) -> int:
        return len(self.attributes)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Attribute:
        """The attribute, target or ignored column of that name."""
        try:
            return self._by_name[name]
        except KeyError:
            if name == self.weight:
                raise DataError(f"column {name!r} holds the row weights and is no attribute.") from None
            raise DataError(
                f"there is no column {name!r} in this table.{did_you_mean(name, self.columns)}"
            ) from None

    def place(self, name: str) -> tuple[str, int]:
        """The storage kind of an input or ignored column, and its position among those of this kind."""
        if not self._places:  # built once: of thousands of columns each may be looked up by its name
            for kind, some in (*self._by_kind.items(), ("ignored", self.ignored)):
                self._places.update((attribute.name, (kind, at)) for at, attribute in enumerate(some))
        return self._places[name]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the inputs."""
        return self._names

    @property
    def numeric(self) -> tuple[Attribute, ...]:
        return self._by_kind["numeric"]

    @property
    def nominal(self) -> tuple[Attribute, ...]:
        """Nominal and ordinal inputs, which are stored as codes."""
        return self._by_kind["nominal"]

    @property
    def text(self) -> tuple[Attribute, ...]:
        return self._by_kind["text"]

    @property
    def classes(self) -> tuple[Label, ...]:
        """The classes of a nominal target; empty for others."""
        return self.target.levels if self.target is not None else ()

    @property
    def n_classes(self) -> int:
        return len(self.target.levels) if self.target is not None else 0

    # -- making others ----------------------------------------------------------------------------

    @property
    def has_choices(self) -> bool:
        """Whether the reader was given options for some column."""
        return any(
            attribute.choices is not NONE and attribute.choices for attribute in self._by_name.values()
        )

    def without_target(self) -> Schema:
        """The schema of the inputs alone, in order."""
        return Schema(self.attributes)

    def difference(self, other: Schema) -> str | None:
        """A sentence that names the first difference between two schemas, or None."""
        if self.attributes == other.attributes and self.target == other.target:
            return None  # the same attributes mostly, which tuples see at once
        if self.names != other.names:
            for mine, theirs in zip(self.names, other.names, strict=False):
                if mine != theirs:
                    return f"attribute {mine!r} stands where the other has {theirs!r}"
            return f"one has {len(self)} attributes, the other {len(other)}"
        pairs = [*zip(self.attributes, other.attributes, strict=True)]
        if self.target is not None and other.target is not None:
            pairs.append((self.target, other.target))
        elif self.target is not other.target:
            return "only one of them has a target"
        for mine_a, theirs_a in pairs:
            if mine_a.kind != theirs_a.kind:
                return f"attribute {mine_a.name!r} is {mine_a.kind} in one and {theirs_a.kind} in the other"
            if mine_a != theirs_a:
                return f"attribute {mine_a.name!r} has other levels in the other"
        return None

    def require_same(self, other: Schema) -> None:
        """Raise SchemaMismatch, naming the attribute, if two schemas differ."""
        if self is not other and (sentence := self.difference(other)):
            raise SchemaMismatch(f"the two do not share a schema: {sentence}.")

    # -- storing ----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-ready values; `from_dict` reads them back."""
        return {
            "attributes": [a.to_dict() for a in self.attributes],
            "target": self.target.to_dict() if self.target else None,
            "weight": self.weight,
            "ignored": [a.to_dict() for a in self.ignored],
            "columns": list(self.columns),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Schema:
        """Read what `to_dict` wrote and check every part."""
        attributes, ignored = stored.get("attributes"), stored.get("ignored", [])
        target, weight, columns = stored.get("target"), stored.get("weight"), stored.get("columns", [])
        lists = (attributes, ignored, columns)
        if not all(isinstance(part, list) for part in lists) or not isinstance(weight, (str, type(None))):
            raise DataError("Schema: a stored schema needs lists of attributes and columns.")
        if not all(isinstance(part, dict) for part in (*attributes, *ignored)):  # type: ignore[misc]
            raise DataError("Schema: a stored attribute must be an object.")
        if not isinstance(target, (dict, type(None))) or not all(isinstance(c, str) for c in columns):
            raise DataError("Schema: the stored target must be an object and the columns names.")
        return cls(
            tuple(Attribute.from_dict(a) for a in attributes),  # type: ignore[union-attr]
            Attribute.from_dict(target) if target is not None else None,
            weight,
            tuple(Attribute.from_dict(a) for a in ignored),
            tuple(columns),
        )

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Schema:
        try:
            content = json.loads(text)
        except json.JSONDecodeError as error:
            raise DataError(f"Schema: this is not JSON ({error}).") from None
        if not isinstance(content, dict):
            raise DataError("Schema: a stored schema must be a JSON object.")
        return cls.from_dict(content)

    def __str__(self) -> str:
        lines = [f"  {attribute}" for attribute in self.attributes]
        if self.target is not None:
            lines.append(f"  target  {self.target}")
        if self.weight is not None:
            lines.append(f"  weight  {_short_text(self.weight)}")
        lines.extend(f"  ignored {_short_text(attribute.name)}" for attribute in self.ignored)
        return "\n".join([f"Schema of {len(self)} attributes", *lines])
