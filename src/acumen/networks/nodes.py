"""What a node of a network is: a nominal attribute, or a numeric one cut into intervals.

Node        a name, its levels, and where numbers are cut
nodes_of    the nodes of a schema: its attributes, then its target
codes_of    rows as codes, one line per node; -1 where a value is missing or not a known level
place_of    the position of the node with a name; ParameterError if there is none
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import ParameterError, did_you_mean
from acumen.preprocessing.discretise.base import Binning
from acumen.preprocessing.discretise.intervals import Intervals
from acumen.types import Codes, Kind, Label

#: The only level of an attribute whose values were all missing.
_NO_LEVEL = "(nothing known)"
#: Maximum number of levels of one attribute; tables grow with the product of levels.
MOST_LEVELS = 1_000


@dataclass(frozen=True, slots=True)
class Node:
    """One attribute of a network."""

    name: str
    levels: tuple[Label, ...]
    kind: Kind = "nominal"
    #: Where a numeric attribute is cut.
    cut: Intervals | None = None

    def __len__(self) -> int:
        return len(self.levels)

    @property
    def attribute(self) -> Attribute:
        """The node as a column of codes."""
        return Attribute(self.name, "ordinal" if self.cut is not None else self.kind, self.levels)

    def code(self, value: Any, who: str) -> int:
        """The code of a level; for a numeric attribute, also of the interval that contains a number."""
        for code, level in enumerate(self.levels):
            if level == value and isinstance(level, bool) == isinstance(value, (bool, np.bool_)):
                return code
        number = isinstance(value, (int, float, np.integer, np.floating)) and not np.isnan(value)
        if self.cut is not None and number:
            return int(self.cut.transform(np.array([float(value)]))[0])
        names = [str(level) for level in self.levels]
        if isinstance(value, str) and names.count(value) == 1:
            return names.index(value)
        shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        raise ParameterError(
            f"{who}: {self.name!r} has the levels {shown}; got {value!r}.{did_you_mean(str(value), names)}"
        )


def nodes_of(schema: Schema, binning: Binning) -> tuple[Node, ...]:
    """The attributes in the schema's order, then the target where there is one."""
    cuts = {one.attribute: one for one in binning.intervals}
    nodes = [
        Node(a.name, cuts[a.name].short_labels(a.form), "ordinal", cuts[a.name])
        if a.is_numeric
        else Node(a.name, a.levels or (_NO_LEVEL,), a.kind)
        for a in schema.attributes
    ]
    if schema.target is not None:
        nodes.append(Node(schema.target.name, schema.target.levels, schema.target.kind))
    return tuple(nodes)


def codes_of(rows: Table, nodes: Sequence[Node]) -> Codes:
    """(nodes, rows): the target is missing where the rows have none."""
    coded = np.full((len(nodes), len(rows)), -1, dtype=np.int32)
    columns: dict[str, Any] = {a.name: values for a, values in rows.numeric_columns()}
    columns |= {a.name: codes for a, codes in rows.nominal_columns()}
    target = rows.schema.target
    for line, node in zip(coded, nodes, strict=True):
        if node.name in columns:
            values = columns[node.name]
            line[:] = values if node.cut is None else node.cut.transform(values)
        elif target is not None and target.name == node.name and rows.labels is not None:
            line[:] = rows.labels
    np.maximum(coded, -1, out=coded)
    return coded


def place_of(nodes: Sequence[Node], name: Any, who: str) -> int:
    """The position of the node with this name."""
    for place, node in enumerate(nodes):
        if node.name == name:
            return place
    names = [node.name for node in nodes]
    raise ParameterError(
        f"{who}: there is no attribute {name!r}; there are {', '.join(names[:20])}"
        f"{', ...' if len(names) > 20 else ''}.{did_you_mean(str(name), names)}"
    )


def places_of(nodes: Sequence[Node], names: Any, who: str) -> tuple[int, ...]:
    """The positions of nodes by name: one name, or several."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        names = (names,)
    several = tuple(names)
    return tuple(place_of(nodes, name, who) for name in several)


def evidence_of(nodes: Sequence[Node], given: Mapping[str, Any] | None, who: str) -> dict[int, int]:
    """Values given by name, as codes by position; None and NaN are ignored."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ParameterError(
            f"{who}: given must be a mapping of attributes to values; got a {type(given).__name__}."
        )
    evidence: dict[int, int] = {}
    for name, value in given.items():
        place = place_of(nodes, name, who)
        if not (value is None or (isinstance(value, (float, np.floating)) and np.isnan(value))):
            evidence[place] = nodes[place].code(value, who)
    return evidence
