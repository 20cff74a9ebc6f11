"""What a command or a task writes of each row that is predicted: one way, wherever the rows are.

Answering    a predictor and what is asked of it -> headings, and a line of cells for each row
Telling      reasons of each prediction, in columns and in a sentence
kinds_of     what each column of the answers holds
csv_cell     a cell as CSV has it
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any, TypeAlias

from acumen.data.databases.database import Stored
from acumen.data.table import Table
from acumen.explain.reasons import cells as reason_cells
from acumen.explain.reasons import headings as reason_headings
from acumen.models.decision import by_threshold
from acumen.models.predictor import AnyPredictor, JointPredictor, Predictor, RegressionPredictor

if TYPE_CHECKING:
    from acumen.explain.explanation import Explanation, ValueExplanation

#: The place of a class that is called, and from which probability on.
Called: TypeAlias = tuple[int, float]
#: What a spreadsheet takes for the beginning of a formula, in the wide forms of East Asian fonts too.
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


@dataclass(frozen=True)
class Answering:
    """Lines of answers: columns that are kept, the number of the row, the answer, probabilities, reasons."""

    predictor: AnyPredictor
    proba: bool = False
    tell: Telling | None = None
    called: Called | None = None
    kept: tuple[str, ...] = ()

    @property
    def columns(self) -> list[str]:
        """What the columns of the answers are called."""
        shares = [f"P({label})" for label in self.predictor.schema.classes] if self.proba else []
        told = self.tell.headings if self.tell is not None else []
        return [*self.kept, "row", *self.predictor.headings, *shares, *told]

    def lines(
        self, rows: Table, first_row: int, cells: Iterable[Sequence[Any]] = repeat(())
    ) -> Iterator[list[Any]]:
        """The answers of rows under the model's schema, the first of which has the number `first_row` + 1.

        `cells` are those of the columns that are kept.
        """
        shares, answers = self._answers(rows)
        several, tell = self.predictor.task.columns, self.tell
        kept = iter(cells)
        for i, answer in enumerate(answers):
            made: list[Any] = [*next(kept), first_row + i + 1, *(answer if several else (answer,))]
            if shares is not None:
                made += shares[i].tolist()
            if tell is not None:
                made += tell.cells(rows.take(slice(i, i + 1)), answer if self.called else None)
            yield [None if value != value else value for value in made]

    def _answers(self, rows: Table) -> tuple[Any, list[Any]]:
        """Probabilities, if asked for, and the class, number or group of each row."""
        predictor = self.predictor
        if not isinstance(predictor, Predictor) or not (self.proba or self.called):
            return None, predictor.answers(rows)
        shares = predictor.proba(rows)
        codes = predictor.decide(shares) if self.called is None else by_threshold(shares, *self.called)
        return shares if self.proba else None, [predictor.classes[code] for code in codes.tolist()]


class Telling:
    """Reasons of each prediction: columns to filter by and a sentence, or under JSON everything."""

    def __init__(self, predictor: AnyPredictor, most: int, as_json: bool = False) -> None:
        self._predictor, self._most = predictor, most
        measured = isinstance(predictor, (RegressionPredictor, JointPredictor))
        #: Groups have no reasons but a sentence.
        self._by_columns = not as_json and (measured or isinstance(predictor, Predictor))
        self._as_json = as_json
        self.headings = [
            *(reason_headings(most, measured=measured) if self._by_columns else []),
            "because",
        ]

    def cells(self, row: Table, given: Any) -> list[Any]:
        """What stands in the columns for one row; `given` is the class that a threshold gave it, if one did."""
        predictor = self._predictor
        if given is not None and isinstance(predictor, Predictor):
            why: Any = predictor.explain(row, given=predictor.classes.index(given))
        else:
            why = predictor.explain(row)
        if self._as_json:
            return [explained_dict(why)]
        return [*(reason_cells(why, row, self._most) if self._by_columns else []), why.in_words(self._most)]


def explained_dict(explanation: Explanation | ValueExplanation) -> dict[str, Any]:
    """The whole explanation for a program; JSON has no number for infinite log-odds, so they are words."""
    made = explanation.to_dict()
    for reason in made.get("evidence", ()):
        for key in ("contribution", "log_odds"):
            if reason.get(key) is not None and not math.isfinite(reason[key]):
                reason[key] = str(reason[key])
    return made


def kinds_of(answering: Answering, part: Table, rows: Table) -> list[Stored]:
    """What each column of the answers holds; `part` is some of the rows as they came, `rows` as the model has them."""
    predictor, columns = answering.predictor, answering.columns
    made: list[Stored] = [
        "number" if part.column(name).dtype.kind == "f" else "text" for name in answering.kept
    ]
    said = predictor.headings
    one: Stored = "number"
    if said == ("prediction",):
        one = _of_labels(predictor.schema.classes or predictor.answers(rows.take(slice(0, 1))))
    made += ["integer", *([one] * len(said))]  # the number of the row comes first
    return made + ["text" if _is_words(name) else "number" for name in columns[len(made) :]]


def _is_words(name: str) -> bool:
    """Whether a column of reasons holds words."""
    asked = name.startswith("reason_") and name.rpartition("_")[2] != "effect"
    return asked or name in ("because", "rival")


def _of_labels(labels: Sequence[Any]) -> Stored:
    types = {type(label) for label in labels}
    return "integer" if types == {int} else "number" if types <= {int, float} else "text"


def csv_cell(value: Any, excel_safe: bool = False) -> Any:
    """A cell as CSV has it; with `excel_safe` no text that a spreadsheet would take for a formula."""
    if not isinstance(value, str):
        return "" if value is None else repr(value) if isinstance(value, float) else value
    formula = excel_safe and value.lstrip().startswith(_FORMULA) and not _is_number(value)
    return f"'{value}" if formula else value


def _is_number(text: str) -> bool:
    try:
        return text.isascii() and "_" not in text and float(text) == float(text)
    except ValueError:
        return False
