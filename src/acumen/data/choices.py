"""Reading options of a single column, stored with the column so that new rows are read in the same way.

    Choices         tokens that are missing or are values, and levels to merge
    repeat_choices  add the choices of a schema to a request for rows like it

Choices are part of the attributes of a schema, and so of model files. `align` also applies merged levels and missing
tokens to rows from data frames and arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from acumen.errors import DataError
from acumen.types import Label

if TYPE_CHECKING:
    from acumen.data.request import Request


@dataclass(frozen=True, slots=True)
class Choices:
    """The options with which a column was read; empty if there were none."""

    #: Further tokens for a missing value.
    missing: tuple[str, ...] = ()
    #: Tokens that are values although they look like missing ones.
    known: tuple[str, ...] = ()
    #: Levels to rename, with their new names.
    merge: tuple[tuple[Label, Label], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.missing or self.known or self.merge)

    def __add__(self, other: Choices) -> Choices:
        """Combine two sets of options."""
        if not self or not other:
            return self or other
        return Choices(
            tuple(dict.fromkeys((*self.missing, *other.missing))),
            tuple(dict.fromkeys((*self.known, *other.known))),
            tuple({**dict(self.merge), **dict(other.merge)}.items()),
        )

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-ready values; `from_dict` reads them back."""
        entries: dict[str, Any] = {}
        if self.missing:
            entries["missing"] = list(self.missing)
        if self.known:
            entries["known"] = list(self.known)
        if self.merge:
            entries["merge"] = [list(pair) for pair in self.merge]
        return entries

    @classmethod
    def from_dict(cls, stored: object) -> Choices:
        """Read what `to_dict` wrote and check every part."""
        if not isinstance(stored, Mapping) or not stored.keys() <= {"missing", "known", "merge"}:
            raise DataError(
                "Attribute: stored choices must be lists of missing tokens, known tokens, and levels to merge."
            )
        lists = [stored.get(name, []) for name in ("missing", "known", "merge")]
        if not all(isinstance(each, list) for each in lists):
            raise DataError("Attribute: stored choices must be lists.")
        missing, known, merge = lists
        if not all(isinstance(token, str) for token in (*missing, *known)):
            raise DataError("Attribute: stored tokens must be texts.")
        for pair in merge:
            sound = isinstance(pair, list) and len(pair) == 2
            if not sound or not all(isinstance(level, (str, int, float, bool)) for level in pair):
                raise DataError("Attribute: stored levels to merge must be pairs of levels.")
        return cls(tuple(missing), tuple(known), tuple((old, new) for old, new in merge))


NONE = Choices()


def repeat_choices(request: Request) -> Request:
    """Add the choices of the schema in `like` to a request; the options of the request take precedence."""
    like = request.like
    if like is None or not like.has_choices:
        return request
    every = [attribute.choices for attribute in (*like.attributes, *([like.target] if like.target else ()))]
    missing = dict.fromkeys(request.missing)
    known = dict.fromkeys(request.not_missing)
    for choices in every:
        missing |= dict.fromkeys(token for token in choices.missing if token not in request.not_missing)
        known |= dict.fromkeys(token for token in choices.known if token not in request.missing)
    kept = tuple(token for token in request.dialect.missing if token not in known)
    dialect = replace(request.dialect, missing=kept)
    return replace(request, missing=tuple(missing), not_missing=tuple(known), dialect=dialect)
