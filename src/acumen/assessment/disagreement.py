"""Rows on which two learners were right and wrong: McNemar's four cells, each with its rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.assessment.statistics import TestResult, mcnemar
from acumen.errors import DataError
from acumen.render.text import many
from acumen.types import Array, Indices

if TYPE_CHECKING:
    from acumen.assessment.assessment import Assessment


@dataclass(frozen=True, slots=True, eq=False)
class Disagreement:
    """Two learners tested on the same held-out rows.

    Attributes
    ----------
    a, b : str
    both_right, only_a, only_b, both_wrong : arrays of int
        Positions in the table, ascending: where both are right, a alone is, b alone is, neither is.
    test : TestResult
        McNemar's, of whether one errs more often.
    """

    a: str
    b: str
    both_right: Indices = field(repr=False)
    only_a: Indices = field(repr=False)
    only_b: Indices = field(repr=False)
    both_wrong: Indices = field(repr=False)
    test: TestResult

    @classmethod
    def of(
        cls, names: tuple[str, str], found: tuple[Assessment, Assessment], repeat: int = 0
    ) -> Disagreement:
        """Compare two learners on the rows that both were tested on in one repeat of the splits."""
        rows, truth, first = _tested_rows(found[0], repeat)
        others, _, second = _tested_rows(found[1], repeat)
        _, mine, theirs = np.intersect1d(rows, others, assume_unique=True, return_indices=True)
        rows, truth, first, second = rows[mine], truth[mine], first[mine], second[theirs]
        if not len(rows):
            raise DataError(f"disagree: {names[0]} and {names[1]} have no tested row in common.")
        one, other = first == truth, second == truth
        a, b = names
        return cls(
            a, b, rows[one & other], rows[one & ~other], rows[other & ~one], rows[~one & ~other],
            mcnemar(truth, first, second),
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form: how many rows each cell has, and the test."""
        counts = {name: len(getattr(self, name)) for name in ("both_right", "only_a", "only_b", "both_wrong")}
        return {"a": self.a, "b": self.b, **counts, "p": self.test.p, "difference": self.test.estimate,
                "low": self.test.low, "high": self.test.high}  # fmt: skip

    def __str__(self) -> str:
        return (
            f"{self.a} alone is right on {many(len(self.only_a), 'row')}, {self.b} alone on {len(self.only_b):,}; both "
            f"are right on {len(self.both_right):,} and wrong on {len(self.both_wrong):,} (p {self.test.p:.3g})."
        )


def _tested_rows(found: Assessment, repeat: int) -> tuple[Indices, Array, Array]:
    """The rows of a repeat, ascending and each once, with what is true and what was predicted."""
    if found.confusion is None:
        raise DataError("disagree: needs learners that predict classes.")
    runs = [run for run in found.runs if run.repeat == repeat]
    if not runs:
        raise DataError(
            f"disagree: there is no repeat {repeat!r}; there are {found.repeats}, counted from 0."
        )
    rows, first = np.unique(np.concatenate([run.test for run in runs]), return_index=True)
    truth, predicted = (
        np.concatenate([getattr(run, name) for run in runs])[first] for name in ("truth", "predicted")
    )
    return rows, truth, predicted
