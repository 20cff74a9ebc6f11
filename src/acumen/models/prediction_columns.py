"""The output columns for predicted rows, used by commands and by tasks on workers.

PredictionColumns    a predictor and options -> names and kinds of the columns, and the columns of a block
ReasonColumns        the reasons for each prediction, in columns and in a sentence
csv_column           a column as CSV cells
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from acumen.data.table import Table
from acumen.explain.reasons import cells as reason_cells
from acumen.explain.reasons import headings as reason_headings
from acumen.models.decision import by_threshold
from acumen.models.predictor import AnyPredictor, JointPredictor, Predictor, RegressionPredictor

if TYPE_CHECKING:
    from acumen.data.databases.address import SqlType
    from acumen.explain.explanation import Explanation, ValueExplanation

#: The position of the positive class, and the probability from which it is predicted.
Threshold: TypeAlias = tuple[int, float]
#: What a spreadsheet takes for the beginning of a formula, in the wide forms of East Asian fonts too.
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


@dataclass(frozen=True)
class PredictionColumns:
    """Columns repeated from the data, the number of the row, the prediction, probabilities, reasons."""

    predictor: AnyPredictor
    proba: bool = False
    reasons: ReasonColumns | None = None
    threshold: Threshold | None = None
    kept: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The names of the columns, in order."""
        probabilities = [f"P({label})" for label in self.predictor.schema.classes] if self.proba else []
        reasons = self.reasons.names if self.reasons is not None else []
        return [*self.kept, "row", *self.predictor.headings, *probabilities, *reasons]

    def kinds(self, part: Table, rows: Table) -> list[SqlType]:
        """What each column holds; `part` is some of the rows as they came, `rows` as the model has them."""
        predictor = self.predictor
        kept: list[SqlType] = [
            "number" if part.column(name).dtype.kind == "f" else "text" for name in self.kept
        ]
        headings = predictor.headings
        prediction: SqlType = "number"
        if headings == ("prediction",):
            prediction = _kind_of_labels(
                predictor.schema.classes or predictor.answers(rows.take(slice(0, 1)))
            )
        kinds: list[SqlType] = [*kept, "integer", *([prediction] * len(headings))]
        return kinds + ["text" if _holds_words(name) else "number" for name in self.names[len(kinds) :]]

    def of(self, rows: Table, first_row: int, kept: Sequence[Sequence[Any]] = ()) -> list[Sequence[Any]]:
        """The columns of a block of rows under the model's schema, the first of which has number `first_row` + 1.

        `kept` are the columns repeated from the data. None means a missing number.
        """
        probabilities, predictions = self._predict(rows)
        columns: list[Sequence[Any]] = [*kept, range(first_row + 1, first_row + 1 + len(rows))]
        if self.predictor.task.columns:
            columns += _transpose(predictions, len(self.predictor.headings))
        else:
            columns.append(predictions)
        if probabilities is not None:
            columns += probabilities.T.tolist()
        if self.reasons is not None:
            columns += self.reasons.of(rows, predictions if self.threshold else None)
        return [[None if value != value else value for value in column] for column in columns]

    def _predict(self, rows: Table) -> tuple[Any, list[Any]]:
        """Probabilities, if asked for, and the class, number or cluster of each row."""
        predictor = self.predictor
        if not isinstance(predictor, Predictor) or not (self.proba or self.threshold):
            return None, predictor.answers(rows)
        proba = predictor.proba(rows)
        codes = predictor.decide(proba) if self.threshold is None else by_threshold(proba, *self.threshold)
        return proba if self.proba else None, [predictor.classes[code] for code in codes.tolist()]


class ReasonColumns:
    """Reasons of each prediction: columns to filter by and a sentence, or under JSON everything."""

    def __init__(self, predictor: AnyPredictor, most: int, as_json: bool = False) -> None:
        self._predictor, self._most = predictor, most
        measured = isinstance(predictor, (RegressionPredictor, JointPredictor))
        #: Clusters have no reasons but a sentence.
        self._by_columns = not as_json and (measured or isinstance(predictor, Predictor))
        self._as_json = as_json
        self.names = [
            *(reason_headings(most, measured=measured) if self._by_columns else []),
            "because",
        ]

    def of(self, rows: Table, predictions: Sequence[Any] | None) -> list[Sequence[Any]]:
        """The columns of a block; `predictions` are the classes that a threshold gave the rows, if one did."""
        cells = [
            self._cells(rows.take(slice(i, i + 1)), None if predictions is None else predictions[i])
            for i in range(len(rows))
        ]
        return _transpose(cells, len(self.names))

    def _cells(self, row: Table, prediction: Any) -> list[Any]:
        predictor = self._predictor
        if prediction is not None and isinstance(predictor, Predictor):
            why: Any = predictor.explain(row, given=predictor.classes.index(prediction))
        else:
            why = predictor.explain(row)
        if self._as_json:
            return [explanation_dict(why)]
        return [*(reason_cells(why, row, self._most) if self._by_columns else []), why.in_words(self._most)]


def _transpose(rows: Sequence[Sequence[Any]], width: int) -> list[Sequence[Any]]:
    """Rows as columns; so many of them even where there is no row."""
    return list(zip(*rows, strict=True)) if rows else [()] * width


def explanation_dict(explanation: Explanation | ValueExplanation) -> dict[str, Any]:
    """The whole explanation for a program; JSON has no number for infinite log-odds, so they are words."""
    content = explanation.to_dict()
    for reason in content.get("evidence", ()):
        for key in ("contribution", "log_odds"):
            if reason.get(key) is not None and not math.isfinite(reason[key]):
                reason[key] = str(reason[key])
    return content


def _holds_words(name: str) -> bool:
    """Whether a column of reasons holds words."""
    of_reason = name.startswith("reason_") and name.rpartition("_")[2] != "effect"
    return of_reason or name in ("because", "rival")


def _kind_of_labels(labels: Sequence[Any]) -> SqlType:
    types = {type(label) for label in labels}
    return "integer" if types == {int} else "number" if types <= {int, float} else "text"


def csv_column(values: Sequence[Any], excel_safe: bool = False) -> list[Any]:
    """A column as CSV has it; with `excel_safe` no text that a spreadsheet would take for a formula."""
    if excel_safe:
        values = [f"'{value}" if isinstance(value, str) and _is_formula(value) else value for value in values]
    return ["" if value is None else repr(value) if isinstance(value, float) else value for value in values]


def _is_formula(text: str) -> bool:
    return text.lstrip().startswith(_FORMULA) and not _is_number(text)


def _is_number(text: str) -> bool:
    try:
        return text.isascii() and "_" not in text and float(text) == float(text)
    except ValueError:
        return False
