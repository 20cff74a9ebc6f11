"""Show a list of rules: as text, in a notebook, and as a ladder plot."""

from __future__ import annotations

import html
import math
from typing import Any

import numpy as np

from acumen.conditions.rule import word
from acumen.data.escape import printable
from acumen.data.schema import Schema
from acumen.models.predictor import Predictor
from acumen.render.ladder import LadderFigure, RuleRung
from acumen.render.text import many
from acumen.rulelist.row_counts import all_counts


class RuleRendering:
    """The methods that show a list of rules."""

    __slots__ = ()

    def __str__(self: Any) -> str:
        width = len(str(len(self.rules)))
        lines = [f"{number:>{width}}. {rule}" for number, rule in enumerate(self.rules, start=1)]
        return "\n".join([*lines, " " * (width + 2 if lines else 0) + self._last_line()])

    def _last_line(self: Any) -> str:
        line = printable(f"{'otherwise' if self.rules else 'always'} {word(self.default)}")
        if not self.default_counts:
            return line
        right = self.default_counts.get(self.default, 0.0)
        return f"{line}  (confidence {right:g}/{math.fsum(self.default_counts.values()):g})"

    def _repr_html_(self: Any) -> str:
        tag = "ol" if self.ordered else "ul"
        items = "".join(f"<li>{html.escape(str(rule))}</li>" for rule in self.rules)
        return f"<{tag}>{items}</{tag}><p>{html.escape(self._last_line())}</p>"

    def describe(self: Any, schema: Schema, *, full: bool = False) -> str:
        target = schema.target.name if schema.target else "class"
        how = "in order; the first rule that holds decides" if self.ordered else "that vote"
        return "\n".join([f"{many(len(self.rules), 'rule')} for {target} {how}\n{self}", *self._remarks()])

    def _remarks(self: Any) -> list[str]:
        """Remarks on the list: training rows that no rule covers, and edits."""
        remarks = []
        total = next((rule.total for rule in self.rules if rule.counts), 0.0)
        uncovered = math.fsum(self.default_counts.values())
        if total > 0 and uncovered > 0:
            remarks.append(f"{uncovered:g} of {total:g} training rows are covered by no rule.")
        if self.edits:
            remarks.append("Edited: " + "; ".join(self.edits) + ".")
        return remarks

    def to_figure(self: Any, predictor: Predictor, title: str | None = None) -> LadderFigure:
        """Draw the list as a ladder: one rung per rule, with the classes of the rows that it decides."""
        target = predictor.schema.target.name if predictor.schema.target else "class"
        return self.figure(f"Rules for {target}" if title is None else title)

    def figure(self: Any, title: str = "Rules") -> LadderFigure:
        """The same for a list on its own, which displays itself in a notebook."""
        counts = np.array(
            [
                [c.get(label, 0.0) for label in self.classes]
                for c in all_counts(self.rules, self.default_counts)
            ]
        )
        rungs = [
            RuleRung(rule.body_words, int(code), line)
            for rule, code, line in zip(self.rules, self._answer_codes, counts, strict=False)
        ]
        last = RuleRung("", int(self._answer_codes[-1]), counts[-1])
        return LadderFigure((*rungs, last), [word(label) for label in self.classes], title, self.ordered)
