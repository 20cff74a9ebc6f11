"""Models made of models, and learners made of learners: the inner ones by their kind.

    member_arrays   members -> shared arrays: what 500 trees call `first` lies end to end in one
    members_from    those arrays -> members, each checked by its own kind under its own schema

For each name that members give to an array (and each type and number of axes it has) there is one slot:

    packed/slots       the names, as a JSON list in bytes; slot s is
    packed/<s>/owner   which members have such an array, ascending
    packed/<s>/shape   its shape in each of them
    packed/<s>/at      where each begins in `values`, and where the last one ends
    packed/<s>/values  the numbers end to end

so that a file of many members has as many arrays as one of few, and members are read as views of them. A kind whose
class has `many_from_arrays(slots, members, schema)` is checked all at once, as trees are. Files of earlier days have
the arrays of each member under `member/<place>/`; they are still read.

The table of kinds knows the classes of all of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from acumen.data.schema import Schema
from acumen.models import kinds as table
from acumen.models.model import AnyModel, Model
from acumen.preprocessing.stored_arrays import require, stored_array, stored_codes
from acumen.types import Array, Codes

_PACKED = "packed/"
_PARTS = ("owner", "shape", "at", "values")
#: More axes than any array of a model has.
_MOST_AXES = 4

M = TypeVar("M", bound=AnyModel)


def learner_of(kind: str) -> Any:
    """An unfitted learner of a kind, with its defaults."""
    return table.learner_class(kind)()


# -- out ------------------------------------------------------------------------------------------


def member_arrays(members: Sequence[AnyModel]) -> dict[str, Array]:
    """The arrays of all members, those of one name end to end."""
    slots: dict[tuple[str, str, int], list[tuple[int, Array]]] = {}
    for place, member in enumerate(members):
        for name, value in member.to_arrays().items():
            array = np.asarray(value)
            slots.setdefault((name, array.dtype.str, array.ndim), []).append((place, array))
    order = sorted(slots)
    text = json.dumps([name for name, _, _ in order])
    arrays: dict[str, Array] = {f"{_PACKED}slots": np.frombuffer(text.encode(), dtype=np.uint8)}
    for s, key in enumerate(order):
        mine = slots[key]
        values = np.concatenate([array.ravel() for _, array in mine])
        sizes = [array.size for _, array in mine]
        arrays |= {
            f"{_PACKED}{s}/owner": np.array([place for place, _ in mine], dtype=np.int32),
            f"{_PACKED}{s}/shape": np.array([a.shape for _, a in mine], dtype=np.int64).reshape(
                len(mine), key[2]
            ),
            f"{_PACKED}{s}/at": np.cumsum([0, *sizes], dtype=np.int64),
            f"{_PACKED}{s}/values": values,
        }
    return arrays


# -- and in ---------------------------------------------------------------------------------------


def members_from(
    arrays: Mapping[str, Array],
    kinds: Sequence[object],
    schemas: Sequence[Schema] | Schema,
    of: type[M] = Model,  # type: ignore[assignment]  # a default for a type variable
) -> tuple[M, ...]:
    """The members back, each of a kind whose models are `of` this class and checked under its own schema.

    One schema may be given for all of them.
    """
    if isinstance(schemas, Schema):
        schemas = [schemas] * len(kinds)
    require(len(kinds) == len(schemas), "it holds another number of members than it needs")
    classes = [_class_of(kind, of) for kind in kinds]
    if f"{_PACKED}slots" not in arrays:
        groups = _apart(arrays, len(kinds))
    else:
        slots = _slots(arrays, len(kinds))
        together = _together(classes, slots, schemas)
        if together is not None:
            return together
        groups = _groups(slots, len(kinds))
    return tuple(
        cls.from_arrays(group, schema) for cls, group, schema in zip(classes, groups, schemas, strict=True)
    )


def _class_of(kind: object, of: type[M]) -> type[M]:
    cls: Any = table.model_class(kind)
    does = "classify" if of is Model else "serve as a member here"
    require(issubclass(cls, of), f"a member of kind {kind!r} does not {does}")
    member_class: type[M] = cls
    return member_class


class Packed(NamedTuple):
    """What several members call by one name: the numbers end to end, where each begins, and its shape."""

    values: Array
    at: Array  # (members + 1,)
    shape: Array  # (members, axes)

    def part(self, member: int) -> Array:
        """The array of one of them, as a view."""
        flat, axes = self.values[self.at[member] : self.at[member + 1]], self.shape[member]
        return flat if len(axes) == 1 else flat.reshape(axes)


class _Slot(NamedTuple):
    name: str
    owner: Codes
    packed: Packed


def _slots(arrays: Mapping[str, Array], members: int) -> list[_Slot]:
    """The slots; within each no two members' arrays overlap, and nothing is left over."""
    slots = []
    for s, name in enumerate(_slot_names(arrays)):
        owner = stored_codes(arrays, f"{_PACKED}{s}/owner", (None,), low=0, below=members)
        require(len(owner) and np.all(np.diff(owner) > 0), f"the members that have {name!r} do not ascend")
        shape = stored_array(arrays, f"{_PACKED}{s}/shape", np.int64, (len(owner), None))
        require(shape.shape[1] <= _MOST_AXES, f"the array {name!r} has too many axes")
        require(np.all((shape >= 0) & (shape < 2**40)), f"the array {name!r} has an impossible shape")
        # In doubles first: products of forged axes leave 64 bits.
        cells = shape.astype(np.float64).prod(axis=1)
        require(cells.sum() < 2**53, f"the array {name!r} has an impossible shape")
        at = stored_array(arrays, f"{_PACKED}{s}/at", np.int64, (len(owner) + 1,))
        ends = np.concatenate([[0], np.cumsum(shape.prod(axis=1))])
        require(np.array_equal(at, ends), f"the offsets of {name!r} are not those that its shapes need")
        values = arrays[f"{_PACKED}{s}/values"]
        require(values.ndim == 1, f"the values of {name!r} are not one line of them")
        require(len(values) == at[-1], f"{name!r} has {len(values)} values where {int(at[-1])} are expected")
        slots.append(_Slot(name, owner, Packed(values, at, shape)))
    return slots


def _together(
    classes: Sequence[type[M]], slots: Sequence[_Slot], schemas: Sequence[Schema]
) -> tuple[M, ...] | None:
    """Members of one kind that can be checked all at once; None where they must be read one by one."""
    several = {slot.name: slot.packed for slot in slots if len(slot.owner) == len(classes)}
    if len(classes) < 2 or len(set(classes)) > 1 or len(several) != len(slots):
        return None
    first, read = schemas[0], getattr(classes[0], "many_from_arrays", None)
    alike = all(s.attributes == first.attributes and s.n_classes == first.n_classes for s in schemas[1:])
    if read is None or not alike:
        return None
    members: tuple[M, ...] | None = read(several, len(classes), first)
    return members


def _groups(slots: Sequence[_Slot], members: int) -> list[dict[str, Array]]:
    """The arrays of each member, as views of the shared ones."""
    groups: list[dict[str, Array]] = [{} for _ in range(members)]
    for name, owner, packed in slots:
        for at, place in enumerate(owner.tolist()):
            require(name not in groups[place], f"a member has the array {name!r} twice")
            groups[place][name] = packed.part(at)
    return groups


def _slot_names(arrays: Mapping[str, Array]) -> list[str]:
    raw = stored_array(arrays, f"{_PACKED}slots", np.uint8, (None,)).tobytes()
    try:
        names = json.loads(raw.decode("ascii"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        names = None
    require(
        isinstance(names, list) and all(isinstance(name, str) and name for name in names),
        "the names of its members' arrays are not a list of names",
    )
    expected = {f"{_PACKED}{s}/{part}" for s in range(len(names)) for part in _PARTS} | {f"{_PACKED}slots"}
    present = {name for name in arrays if name.startswith((_PACKED, "member/"))}
    require(present == expected, "its members' arrays are not those that are named")
    checked_names: list[str] = names
    return checked_names


def _apart(arrays: Mapping[str, Array], members: int) -> list[dict[str, Array]]:
    """Files of earlier days: each member's arrays under its own place."""
    groups: list[dict[str, Array]] = [{} for _ in range(members)]
    for name, array in arrays.items():
        first, _, rest = name.partition("/")
        require(first != _PACKED.rstrip("/"), f"the array {name!r} belongs to no slot")
        if first != "member":
            continue
        place, _, inner = rest.partition("/")
        known = place.isascii() and place.isdigit() and len(place) < 7 and int(place) < members
        require(known and inner, f"the array {name!r} belongs to no member")
        groups[int(place)][inner] = array
    return groups
