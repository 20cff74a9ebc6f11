"""Models made of models, and learners made of learners: the inner ones by their kind.

The table of kinds knows the classes of all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from acumen.base import kinds as table
from acumen.base.model import Model
from acumen.base.stored import require
from acumen.data.schema import Schema
from acumen.types import Array


def learner_of(kind: str) -> Any:
    """An unfitted learner of a kind, with its defaults."""
    return table.learner_class(kind)()


def member_arrays(members: Sequence[Model]) -> dict[str, Array]:
    """The arrays of each member under `member/<place>/`."""
    return {
        f"member/{i}/{name}": array
        for i, member in enumerate(members)
        for name, array in member.to_arrays().items()
    }


def members_from(
    arrays: Mapping[str, Array], kinds: Sequence[object], schemas: Sequence[Schema]
) -> tuple[Model, ...]:
    """The members back, each checked under its own schema."""
    require(len(kinds) == len(schemas), "it holds another number of members than it needs")
    groups: list[dict[str, Array]] = [{} for _ in kinds]
    for name, array in arrays.items():
        first, _, rest = name.partition("/")
        if first != "member":
            continue
        place, _, inner = rest.partition("/")
        known = place.isascii() and place.isdigit() and len(place) < 7 and int(place) < len(groups)
        require(known and inner, f"the array {name!r} belongs to no member")
        groups[int(place)][inner] = array
    made: list[Any] = []
    for kind, group, schema in zip(kinds, groups, schemas, strict=True):
        cls = table.model_class(kind)
        require(issubclass(cls, Model), f"a member of kind {kind!r} does not classify")
        made.append(cls.from_arrays(group, schema))
    return tuple(made)
