"""Scores that are linear in a row's numbers: one plane for each class.

    LinearScores    score of class c = slope[c] . (x - centre) + offset[c]

x are the coded columns of a table (`views.coded`). A missing number counts as the centre's, and so says
nothing; an offset of minus infinity is a class that is never the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from acumen import messages
from acumen.codegen.terms import TermSum, attribute_sum, merge_sums
from acumen.data.escape import printable
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.explain.cell_text import cell_text
from acumen.explain.explanation import Evidence
from acumen.explain.starting_point import AVERAGE_ROW
from acumen.preprocessing.coded import centre_block, coded_columns, coded_slices, coded_width
from acumen.preprocessing.sparse import row_products
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.render.report import ReportTable, named_rows
from acumen.render.text import Heading, many, number, table
from acumen.types import Array, Floats, Label

_ROWS = 8192
#: Columns whose slopes are shown unless everything is asked for.
_SHOWN = 24
_MOST = 1e150


@dataclass(frozen=True, slots=True)
class LinearScores:
    """Slopes and offsets about a centre."""

    centre: Floats  # (columns,)
    slope: Floats  # (classes, columns)
    offset: Floats  # (classes,)

    def scores(self, rows: Table) -> Floats:
        """One line for each row and one column for each class."""
        total = np.empty((len(rows), len(self.offset)))
        for part, block in coded_slices(rows):
            out = total[part]
            for start in range(0, len(block), _ROWS):
                some = slice(start, min(start + _ROWS, len(block)))
                out[some] = self._of(block.take(some).matrix())
        return total

    def _of(self, block: Floats) -> Floats:
        with np.errstate(invalid="ignore", over="ignore"):
            scores = row_products(centre_block(block, self.centre), self.slope.T)
        # Products beyond the range have lost their value but not their sign; of opposite ones nothing is left.
        np.nan_to_num(scores, copy=False, nan=0.0)
        scores += self.offset
        return scores

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        """What each attribute of one row adds to the winner's score against the rival's."""
        _, block = next(iter(coded_slices(row)))
        away = centre_block(block.matrix(), self.centre)[0]
        parts = away * (self.slope[winner] - self.slope[rival])
        sums = np.zeros(len(schema.attributes))
        for column, part in zip(coded_columns(schema), parts.tolist(), strict=True):
            sums[column.attribute] += part
        with np.errstate(invalid="ignore"):
            rest = float(np.nan_to_num(self.offset[winner] - self.offset[rival], nan=0.0, posinf=np.inf))
        named = [
            Evidence(a.name, cell_text(row, a.name), v) for a, v in zip(schema, sums.tolist(), strict=True)
        ]
        return (Evidence(None, AVERAGE_ROW, rest, role="start"), *named)

    def sums(self, schema: Schema) -> tuple[TermSum, ...]:
        """The score of each class as a sum of terms."""
        owner = np.array([column.attribute for column in coded_columns(schema)], dtype=np.intp)
        term_sums = []
        for slope, offset in zip(self.slope, self.offset.tolist(), strict=True):
            parts = [
                attribute_sum(
                    a, slope[owner == i], self.centre[owner == i], 0.0 if a.kind != "nominal" else None
                )
                for i, a in enumerate(schema.attributes)
            ]
            term_sums.append(merge_sums(offset, parts))
        return tuple(term_sums)

    def original(self) -> tuple[Floats, Floats]:
        """Slopes and intercepts with which the score is slope . x + intercept."""
        return self.slope, self.offset - self.slope @ self.centre

    def lines(self, schema: Schema, full: bool) -> list[str]:
        """The planes as a table: a line for each column, at the end the intercept."""
        slopes, intercepts = self.original()
        classes = schema.classes
        if len(classes) == 2:
            slopes, intercepts = slopes[1:] - slopes[:1], intercepts[1:] - intercepts[:1]
            heads = [f"{classes[1]} over {classes[0]}"]
        else:
            heads = [str(c) for c in classes]
        names = [c.name for c in coded_columns(schema)]
        return plane_lines(names, slopes, intercepts, heads, full)

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        return {"centre": self.centre, "slope": self.slope, "offset": self.offset}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        """Every shape and number checked against the schema."""
        k, d = schema.n_classes, coded_width(schema)
        offset = stored_floats(arrays, "offset", (k,), high=1e300, finite=False)
        require(k == 0 or np.isfinite(offset).any(), "no class can ever be the answer")
        return cls(
            stored_floats(arrays, "centre", (d,), low=-_MOST, high=_MOST),
            stored_floats(arrays, "slope", (k, d), low=-_MOST, high=_MOST),
            offset,
        )


def plane_lines(
    names: list[str], slopes: Floats, intercepts: Floats, heads: list[str], full: bool
) -> list[str]:
    """Slopes as a table with a line for each column, the largest first where not all can be shown."""
    shown = np.arange(len(names))
    if not full and len(names) > _SHOWN:
        shown = np.sort(np.argsort(-np.abs(slopes).max(axis=0), kind="stable")[:_SHOWN])
    headings = [Heading("column", least=8), *(Heading(head, "right") for head in heads)]
    rows = [(printable(names[j]), *(number(float(v)) for v in slopes[:, j])) for j in shown]
    rows.append(("intercept", *(number(float(v)) for v in intercepts)))
    n_more = len(names) - len(shown)
    more = [f"... and {many(n_more, 'column')} of smaller weight: {messages.the_rest()}"] if n_more else []
    return [*table(headings, rows, 100), *more]


def plane_table(names: list[str], slopes: Floats, intercepts: Floats, heads: list[str]) -> ReportTable:
    """The same for a page."""
    rows = [[name, *(number(float(v)) for v in slopes[:, j])] for j, name in enumerate(names)]
    rows.append(["intercept", *(number(float(v)) for v in intercepts)])
    return ReportTable(["", *heads], rows, named_rows(len(heads)), "Weights of the columns")


def shares_said(classes: tuple[Label, ...], totals: Floats) -> str:
    """`yes: 0.6000, no: 0.4000`."""
    shares = totals / totals.sum()
    return ", ".join(f"{c}: {p:.4f}" for c, p in zip(classes, shares, strict=True))
