"""What a change to a model does to its predictions for the rows of a table.

    effect   old, new, table -> Effect: which rows are answered otherwise, and whether that is for the better

Meant for lists of rules edited by hand; any two classifiers of the same classes will do.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from acumen.assessment.statistics.mcnemar import mcnemar_counts
from acumen.assessment.statistics.result import TestResult
from acumen.data.align import align
from acumen.data.escape import printable_lines
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.models.predictor import Predictor
from acumen.render.text import many
from acumen.rulelist.rule_list import RuleList
from acumen.types import Indices, Label, Objects


@dataclass(frozen=True, slots=True)
class Effect:
    """Rows that the new model predicts differently from the old one.

    Attributes
    ----------
    rows : int
        The number of rows predicted.
    changed : array of row numbers
        The rows whose prediction changes.
    moves : mapping of (old label, new label) to number of rows
    fixed, broken : int or None
        Changed rows that were wrong and are now right, and the reverse; None if no labels are known.
    old_errors, new_errors : int or None
        Errors among the rows with known labels.
    test : TestResult or None
        McNemar's exact test of whether the two differ in error.
    """

    rows: int
    changed: Indices = field(repr=False)
    moves: dict[tuple[Label, Label], int]
    labelled: int = 0
    fixed: int | None = None
    broken: int | None = None
    old_errors: int | None = None
    new_errors: int | None = None
    test: TestResult | None = None

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form."""
        return {
            "schema_version": 1,
            "rows": self.rows,
            "changed": self.changed.tolist(),
            "moves": [[old, new, count] for (old, new), count in self.moves.items()],
            "labelled": self.labelled,
            "fixed": self.fixed,
            "broken": self.broken,
            "old_errors": self.old_errors,
            "new_errors": self.new_errors,
            "p": None if self.test is None else self.test.p,
        }

    def __str__(self) -> str:
        lines = [f"{len(self.changed):,} of {many(self.rows, 'row')} change their prediction."]
        for (old, new), count in sorted(self.moves.items(), key=lambda each: -each[1]):
            lines.append(f"  {old} -> {new}: {count:,}")
        if self.test is not None:
            lines.append(
                f"Errors among {self.labelled:,} labelled rows: {self.old_errors:,} before, {self.new_errors:,} after "
                f"({self.fixed:,} fixed, {self.broken:,} broken; McNemar's exact test p = {self.test.p:.3g})."
            )
            if self.test.p > 0.05 and len(self.changed):
                lines.append("These rows show no significant difference between the two.")
        return printable_lines("\n".join(lines))


def effect(old: Any, new: Any, table: Table) -> Effect:
    """Find the rows of a table that a new model predicts differently from an old one, and test which errs less.

    Parameters
    ----------
    old, new : RuleList, or fitted classifiers
    table : Table
        Rows; where they have labels the two are compared by McNemar's exact test. On rows that the rules were
        learned from, or edited by, a change looks better than it is.
    """
    if not isinstance(table, Table):
        raise ParameterError(
            f"effect: give a Table, such as acumen.read returns; got {type(table).__name__}."
        )
    before, after = _answers(old, table, "old"), _answers(new, table, "new")
    changed = np.flatnonzero(before != after)
    moves = Counter(zip(before[changed].tolist(), after[changed].tolist(), strict=True))
    if table.labels is None:
        return Effect(len(table), changed, dict(moves))
    truth = table.label_values()
    known = np.asarray(table.labels >= 0)
    was, now = (before == truth) & known, (after == truth) & known
    mended, broken = int((now & ~was).sum()), int((was & ~now).sum())
    n = int(known.sum())
    return Effect(
        len(table),
        changed,
        dict(moves),
        n,
        mended,
        broken,
        n - int(was.sum()),
        n - int(now.sum()),
        mcnemar_counts(mended, broken, n) if n else None,
    )


def _answers(model: Any, table: Table, which: str) -> Objects:
    """Predict each row by a model, as objects of the labels' own type."""
    if isinstance(model, RuleList):
        for rule in model:
            for condition in rule.conditions:
                if (misfit := condition.objection(table.schema)) is not None:
                    raise DataError(f"effect: the {which} list cannot predict these rows: {misfit}")
        predictions = model.predict(table)
    elif isinstance(model, Predictor):
        codes = model.predict(align(table, model.schema))
        predictions = np.array(model.classes, dtype=object)[codes]
    elif hasattr(model, "predict"):
        predictions = model.predict(table)
    else:
        raise ParameterError(
            f"effect: {which} must be a RuleList or a fitted classifier; got {type(model).__name__}."
        )
    answers: Objects = np.empty(len(table), dtype=object)
    answers[:] = predictions.tolist()
    return answers
