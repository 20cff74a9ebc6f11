"""Oddities of JSON lines that can still be read; the report counts each and names its first line.

repeated keys     in one object: the last value counts, as in other JSON readers
NaN, Infinity     not part of JSON, although many programs write them
1e400             a number too large for a double
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from acumen.data.batches.cell_rows import Form
from acumen.data.report import Report

_KEY = re.compile(r'"\s*:')


@dataclass(slots=True)
class JsonOddities:
    """The count of each oddity and its first line."""

    repeated: int = 0
    repeated_first: tuple[int, str] = (0, "")
    constants: int = 0
    constants_first: tuple[int, str] = (0, "")
    infinite: dict[str, tuple[int, int]] = field(default_factory=dict)  # column: how many, first line

    def may_be_odd(self, text: str, objects: Sequence[dict[str, Any]], constants: Sequence[str]) -> bool:
        """Whether text may hold an oddity, without checking every key; false alarms are rare."""
        return bool(constants) or len(_KEY.findall(text)) != sum(map(len, objects))

    def look(self, line: int, text: str) -> None:
        """Check a valid line key by key."""
        repeated: list[str] = []
        constants: list[str] = []

        def pairs(items: list[tuple[str, Any]]) -> None:
            seen: set[str] = set()
            repeated.extend(key for key, _ in items if key in seen or seen.add(key))  # type: ignore[func-returns-value]

        json.loads(text, object_pairs_hook=pairs, parse_constant=constants.append)
        if repeated and not self.repeated:
            self.repeated_first = line, repeated[0]
        if constants and not self.constants:
            self.constants_first = line, constants[0]
        self.repeated += len(repeated)
        self.constants += len(constants)

    def numbers(self, names: Iterable[str], forms: Iterable[Form], lines: Sequence[int]) -> None:
        """Count the infinite numbers of a batch."""
        for name, form in zip(names, forms, strict=True):
            if form.values is None or not form.families:
                continue
            rows = np.flatnonzero(np.isinf(form.values))
            if rows.size:
                before, first = self.infinite.get(name, (0, lines[rows[0]]))
                self.infinite[name] = before + len(rows), first

    def note(self, report: Report) -> None:
        """Add the warnings to the report."""
        if n := self.repeated:
            line, key = self.repeated_first
            report.warn(
                "repeated-key",
                f"{n:,} {'key is' if n == 1 else 'keys are'} repeated within an object (first: {key!r} on line "
                f"{line}); the last value counts.",
                lines=(line,), count=n,
            )  # fmt: skip
        if n := self.constants:
            line, word = self.constants_first
            report.warn(
                "no-json",
                f"{n:,} {'value is' if n == 1 else 'values are'} written as NaN or Infinity, which is not valid JSON "
                f"(first: {word} on line {line}). NaN is read as missing, Infinity as infinite.",
                lines=(line,), count=n,
            )  # fmt: skip
        for name, (n, line) in self.infinite.items():
            report.warn(
                "infinite",
                f"column {name!r}: {n:,} infinite {'value' if n == 1 else 'values'}, the first on line {line}.",
                column=name, lines=(line,), count=n,
            )  # fmt: skip
