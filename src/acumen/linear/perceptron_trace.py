"""A perceptron at work, row by row: what it said, what it should have said, and how its weights were moved.

    PerceptronStep    one row met: the products, whether it was a mistake, the weights afterwards
    PerceptronTrace   the steps in order; a sequence, and a table when printed

The steps are gone through once more by the kernel that learned, one row at a time, so that they are the very steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np

from acumen.data.escape import printable_lines
from acumen.linear.perceptron_space import PerceptronSpace
from acumen.render.notebook import notebook_html
from acumen.render.report import Paragraph, ReportTable
from acumen.types import Floats, Indices, Label

#: So many steps are kept, and so many printed.
MOST_STEPS, _PRINTED = 10_000, 60
#: Weights of so many columns are written on a line.
_COLUMNS = 12


@dataclass(frozen=True, slots=True)
class PerceptronStep:
    """One row of one epoch, both counted from 1.

    `output` is w.x of the row before it is learned from: one number of two classes, else one a class; `said` is the
    class it means, None where it is 0 and that means neither. `correction` is what was added to the weights, all zeros
    where the row was no mistake; `weights` are those after it.
    """

    epoch: int
    row: int
    label: Label
    said: Label | None
    output: Floats
    correction: Floats
    weights: Floats

    @property
    def mistake(self) -> bool:
        """Whether the weights were moved."""
        return bool(np.any(self.correction != 0))

    def to_dict(self) -> dict[str, Any]:
        return {
            "epoch": self.epoch,
            "row": self.row,
            "label": self.label,
            "said": self.said,
            "output": self.output.tolist(),
            "mistake": self.mistake,
            "correction": self.correction.tolist(),
            "weights": self.weights.tolist(),
        }


@dataclass(frozen=True, slots=True)
class PerceptronTrace(Sequence[PerceptronStep]):
    """All steps, at most 10,000 of them; `left` counts those that are not here."""

    columns: tuple[str, ...]
    start: Floats
    steps: tuple[PerceptronStep, ...]
    left: int = 0
    note: str = ""

    @overload
    def __getitem__(self, at: int) -> PerceptronStep: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[PerceptronStep, ...]: ...
    def __getitem__(self, at: int | slice) -> PerceptronStep | tuple[PerceptronStep, ...]:
        return self.steps[at]

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[PerceptronStep]:
        return iter(self.steps)

    @property
    def mistakes(self) -> tuple[PerceptronStep, ...]:
        """The steps that moved the weights."""
        return tuple(step for step in self.steps if step.mistake)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "columns": list(self.columns),
            "start": self.start.tolist(),
            "steps": [step.to_dict() for step in self.steps],
            "left": self.left,
        }

    def table(self, most: int | None = None) -> tuple[list[str], list[list[str]]]:
        """Headings, and a line of cells for each step."""
        wide = len(self.columns) > _COLUMNS
        names = "weights after" if wide else f"weights after ({', '.join(self.columns)})"
        headings = ["epoch", "row", "class", "output", "says", "correction", names]
        lines = [
            [
                str(step.epoch),
                str(step.row),
                str(step.label),
                _vector(step.output[None]) if step.output.size > 1 else f"{float(step.output[0]):.5g}",
                "neither" if step.said is None else str(step.said),
                _vector(step.correction) if step.mistake else "",
                _vector(step.weights),
            ]
            for step in self.steps[:most]
        ]
        return headings, lines

    def text(self, *, full: bool = False) -> str:
        """The table in lines; the first steps unless `full`."""
        headings, lines = self.table(None if full else _PRINTED)
        widths = [max(len(row[j]) for row in [headings, *lines]) for j in range(len(headings))]
        text_lines = [
            f"Step by step, from the weights {_vector(self.start)}",
            *([self.note] if self.note else []),
        ]
        text_lines += [_align(row, widths) for row in [headings, *lines]]
        n_more = len(self.steps) - len(lines) + self.left
        return printable_lines(
            "\n".join([*text_lines, f"... and {n_more:,} more steps"] if n_more else text_lines)
        )

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        headings, lines = self.table(_PRINTED)
        sides: list[Literal["left", "right"]] = ["left"] * len(headings)
        for j in (0, 1, 3):
            sides[j] = "right"
        n_more = len(self.steps) - len(lines) + self.left
        table = ReportTable(headings, lines, sides, f"from the weights {_vector(self.start)}")
        notes = [
            Paragraph(note) for note in (self.note, f"and {n_more:,} more steps" if n_more else "") if note
        ]
        return notebook_html("Step by step", [table, *notes], "", rows=_PRINTED)


class Watcher:
    """Goes through epochs row by row and writes the steps down, as many as are kept."""

    def __init__(self, classes: Sequence[Label]) -> None:
        self.classes = tuple(classes)
        self.steps: list[PerceptronStep] = []
        self.start: Floats = np.empty((0, 0))
        self.epochs = self.left = 0

    def epoch(self, space: PerceptronSpace, order: Indices) -> int:
        """One epoch of the space, watched; how often the weights were moved."""
        self.epochs += 1
        self.start = space.start
        moves = 0
        for place, row in enumerate(order.tolist()):
            if len(self.steps) >= MOST_STEPS:
                rest = order[place:]
                self.left += len(rest)
                return moves + space.epoch(rest)
            before = space.weights.copy()
            output = space.values(space.weights)[row].copy()
            moves += space.epoch(order[place : place + 1])
            self.steps.append(
                PerceptronStep(
                    self.epochs, row + 1, self.classes[int(space.labels[row])],
                    self._describe_output(output, space.tie_is_right),
                    output, space.weights - before, space.weights.copy(),
                )
            )  # fmt: skip
        return moves

    def _describe_output(self, output: Floats, tie_is_right: bool) -> Label | None:
        if len(output) == 1:
            if output[0] == 0:
                return self.classes[-1] if tie_is_right else None
            return self.classes[-1] if output[0] > 0 else self.classes[0]
        best = np.flatnonzero(output == output.max())
        return self.classes[int(best[0])] if len(best) == 1 or tie_is_right else None


def _align(row: list[str], widths: list[int]) -> str:
    cells = zip(row, widths, strict=True)
    return "  ".join(
        cell.rjust(width) if j in (0, 1, 3) else cell.ljust(width) for j, (cell, width) in enumerate(cells)
    ).rstrip()


def _vector(weights: Floats) -> str:
    """`(1, 0, -2)`; of several vectors one behind the other."""
    if weights.shape[-1] > _COLUMNS:
        return f"|w| = {float(np.sqrt((weights**2).sum())):.6g}"
    return " ".join(f"({', '.join(f'{value:.5g}' for value in vector)})" for vector in weights.tolist())
