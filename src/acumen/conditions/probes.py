"""Conditions as the kernel judges them: comparisons of numbers, sets of codes, and bits for all others.

Codes are looked up in a line of bytes whose first two entries are for levels the schema does not know (-2) and for
missing ones (-1). Words of texts, pairs of attributes, and numbers that are named are judged by the condition itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from acumen.conditions.condition import Condition
from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.types import Codes, Floats

_BELOW, _ABOVE, _BETWEEN, _CODES, _GIVEN = range(5)
_COMPARED = {"<=": _BELOW, ">": _ABOVE, "between": _BETWEEN}


@dataclass(frozen=True, slots=True, eq=False)
class Probes:
    """The arrays of `_native.cover_first`."""

    numbers: Any
    codes: Any
    kinds: Codes
    columns: Codes
    low: Floats
    high: Floats
    allowed_at: npt.NDArray[np.int64]
    allowed: npt.NDArray[np.uint8]
    given: npt.NDArray[np.uint64]

    @classmethod
    def of(cls, conditions: Sequence[Condition], table: Table) -> Self:
        """For the rows of one table; DataError where a condition does not fit them."""
        from acumen.conditions.coverage import packed

        numeric = {id(attribute): j for j, attribute in enumerate(table.schema.numeric)}
        nominal = {id(attribute): j for j, attribute in enumerate(table.schema.nominal)}
        n = len(conditions)
        kinds, columns = np.full(n, _GIVEN, dtype=np.int32), np.zeros(n, dtype=np.int32)
        low, high = np.zeros(n), np.zeros(n)
        lines: list[npt.NDArray[np.uint8]] = []
        bits: list[npt.NDArray[np.uint64]] = []
        for i, condition in enumerate(conditions):
            line = np.empty(0, dtype=np.uint8)
            name = condition.attribute
            attribute = table.schema[name] if isinstance(name, str) else None
            if attribute is not None and attribute.is_nominal and id(attribute) in nominal:
                kinds[i], columns[i] = _CODES, nominal[id(attribute)]
                line = _answers(condition, attribute)
            elif _compares(condition, attribute, table):
                kinds[i], columns[i] = _COMPARED[condition.op], numeric[id(attribute)]
                ends = condition.value if condition.op == "between" else (condition.value, condition.value)
                low[i], high[i] = float(ends[0]), float(ends[1])
            else:
                columns[i] = len(bits)
                bits.append(packed(condition.holds(table)))
            lines.append(line)
        words = -(-len(table) // 64)
        return cls(
            () if table.sparse is not None else table.numeric.columns,
            table.nominal.columns,
            kinds,
            columns,
            low,
            high,
            np.cumsum([0, *map(len, lines)], dtype=np.int64),
            np.concatenate(lines) if lines else np.empty(0, dtype=np.uint8),
            np.array(bits, dtype=np.uint64).reshape(len(bits), words),
        )


def _compares(condition: Condition, attribute: Attribute | None, table: Table) -> bool:
    """Whether the kernel can compare the numbers itself."""
    if attribute is None or not attribute.is_numeric or table.sparse is not None:
        return False
    return condition.op in _COMPARED and condition.objection(table.schema) is None


def _answers(condition: Condition, attribute: Attribute) -> npt.NDArray[np.uint8]:
    """The condition judged on every code there can be: -2, -1, and the levels."""
    codes = np.arange(-2, len(attribute.levels), dtype=np.int32)
    return condition.of_codes(codes, attribute).astype(np.uint8)
