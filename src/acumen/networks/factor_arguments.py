"""Parse the `factors` argument: attributes and a table, which is an array or a mapping from levels to numbers.

named_levels   the nodes named in the factors
factors_of     the factors, validated
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from acumen.errors import ParameterError
from acumen.networks.markov_field import MarkovFactor
from acumen.networks.nodes import MOST_LEVELS, Node
from acumen.networks.structure_learning import MOST_CELLS
from acumen.types import Floats, Label


def named_levels(factors: Any, levels: Any, who: str) -> tuple[Node, ...]:
    """Attributes in the order in which they are named, with their levels."""
    if levels is not None and not isinstance(levels, Mapping):
        raise ParameterError(f"{who}: levels must be a mapping of attributes to levels; got {levels!r}.")
    for name, each in (levels or {}).items():
        if isinstance(each, str) or not isinstance(each, Iterable):
            raise ParameterError(f"{who}: levels of {name!r} must be a sequence of them; got {each!r}.")
    levels_of: dict[str, list[Label]] = {name: list(each) for name, each in (levels or {}).items()}
    fixed = set(levels_of)
    for names, table in _pairs(factors, who):
        if isinstance(table, Mapping):
            for key in table:
                parts = key if isinstance(key, tuple) else (key,)
                if len(parts) != len(names):
                    raise ParameterError(
                        f"{who}: the factor of {', '.join(names)} needs {len(names)} levels a number; got {key!r}."
                    )
                for name, level in zip(names, parts, strict=True):
                    own_levels = levels_of.setdefault(name, [])
                    if level not in own_levels:
                        if name in fixed:
                            raise ParameterError(f"{who}: {name!r} has no level {level!r}.")
                        own_levels.append(level)
        else:
            array = _array(names, table, who)
            for name, length in zip(names, array.shape, strict=True):
                levels_of.setdefault(name, [str(i) for i in range(length)])
    for name, own_levels in levels_of.items():
        if not 1 <= len(own_levels) <= MOST_LEVELS or len({str(level) for level in own_levels}) < len(
            own_levels
        ):
            raise ParameterError(f"{who}: {name!r} needs from 1 to {MOST_LEVELS:,} levels, each once.")
    if not levels_of:
        raise ParameterError(f"{who}: factors must name at least one attribute; got none.")
    return tuple(Node(name, tuple(own_levels)) for name, own_levels in levels_of.items())


def factors_of(factors: Any, nodes: tuple[Node, ...], who: str) -> tuple[MarkovFactor, ...]:
    """Each as a table over ascending places."""
    place = {node.name: i for i, node in enumerate(nodes)}
    checked, cells = [], 0
    for names, table in _pairs(factors, who):
        own_nodes = [nodes[place[name]] for name in names]
        shape = tuple(len(node) for node in own_nodes)
        cells += prod(shape)
        if cells > MOST_CELLS:
            raise ParameterError(f"{who}: factors may have at most {MOST_CELLS:,} cells in total.")
        if isinstance(table, Mapping):
            array = np.zeros(shape)
            for at in product(*(range(length) for length in shape)):
                key = tuple(node.levels[i] for node, i in zip(own_nodes, at, strict=True))
                value = table.get(key, table.get(key[0], 0.0) if len(key) == 1 else 0.0)
                array[at] = _number(value, names, who)
        else:
            array = _array(names, table, who)
            if array.shape != shape:
                raise ParameterError(
                    f"{who}: the factor of {', '.join(names)} must have the shape {shape}; got {array.shape}."
                )
        if not np.isfinite(array).all() or (array < 0).any() or not (array > 0).any():
            raise ParameterError(
                f"{who}: the factor of {', '.join(names)} needs finite numbers of at least 0, not all of them 0."
            )
        scope = tuple(place[name] for name in names)
        order = sorted(range(len(scope)), key=scope.__getitem__)
        checked.append(MarkovFactor(tuple(scope[i] for i in order), np.transpose(array, order).copy()))
    return tuple(checked)


def _pairs(factors: Any, who: str) -> list[tuple[tuple[str, ...], Any]]:
    entries = factors.items() if isinstance(factors, Mapping) else factors
    wrong = f"{who}: factors are pairs (attributes, table), or a mapping of attributes to tables"
    if isinstance(entries, str) or not hasattr(entries, "__iter__"):
        raise ParameterError(f"{wrong}; got {factors!r}.")
    pairs = []
    for each in entries:
        if isinstance(each, (str, Mapping)) or not isinstance(each, Sequence) or len(each) != 2:
            raise ParameterError(f"{wrong}; got {each!r}.")
        names = (each[0],) if isinstance(each[0], str) else tuple(each[0])
        if not names or not all(isinstance(n, str) and n for n in names) or len(set(names)) < len(names):
            raise ParameterError(f"{wrong}; an attribute is named once in each; got {each[0]!r}.")
        pairs.append((names, each[1]))
    return pairs


def _array(names: Sequence[str], table: Any, who: str) -> Floats:
    try:
        array = np.array(table, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{who}: the factor of {', '.join(names)} is not a table of numbers.") from None
    if array.ndim != len(names):
        raise ParameterError(
            f"{who}: the factor of {', '.join(names)} needs a table of {len(names)} axes; got {array.ndim}."
        )
    return array


def _number(value: Any, names: Sequence[str], who: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise ParameterError(
            f"{who}: the factor of {', '.join(names)} contains {value!r}, which is not a number."
        )
    return float(value)
