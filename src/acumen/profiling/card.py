"""The data card of a table: figures, findings, and the three forms it is shown in."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from acumen.data.out.atomic import replace_text
from acumen.data.report import Note
from acumen.profiling.card_page import card_page
from acumen.profiling.duplicates import Duplicates
from acumen.profiling.figures import ColumnFigures, TargetFigures
from acumen.profiling.findings import Finding
from acumen.profiling.pictures import Pictures
from acumen.render.card_text import card_text
from acumen.render.views import render

#: Raised when a key of `Card.to_dict` changes its meaning or goes; new keys may come without.
SCHEMA_VERSION = 1
#: So many pairs of attributes, the strongest, are in `Card.to_dict`.
PAIRS = 20


@dataclass(frozen=True, slots=True)
class Card:
    """What a table holds and what in it would spoil a classifier; made by `acumen.inspect`.

    `str(card)` draws it for 80 columns, a notebook shows it as HTML, `to_html(path)` writes a page with
    pictures, and `to_dict()` has every figure under stable keys.

    Attributes
    ----------
    source : str
        Where the table came from, as far as its reader said.
    rows : int
    total_weight : float
        The number of rows where no column of weights is named.
    weight : str or None
        The column of row weights.
    attributes : tuple of ColumnFigures
    target : TargetFigures or None
    ignored : tuple of str
    duplicates : Duplicates
    findings : tuple of Finding
        What this card found.
    notes : tuple of Note
        What the reader decided and found odd.
    pictures : Pictures
        What each attribute says about the target, how attributes hang together, and what the page draws.
    """

    source: str
    rows: int
    total_weight: float
    weight: str | None
    attributes: tuple[ColumnFigures, ...]
    target: TargetFigures | None
    ignored: tuple[str, ...]
    duplicates: Duplicates
    findings: tuple[Finding, ...]
    notes: tuple[Note, ...]
    pictures: Pictures = field(repr=False, compare=False)

    @property
    def warnings(self) -> list[Finding | Note]:
        """Everything a person should look at, the reader's warnings first."""
        every: list[Finding | Note] = [*self.notes, *self.findings]
        return [entry for entry in every if entry.level == "warning"]

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain values, ready for JSON; the keys are documented and stable."""
        return {
            "schema_version": SCHEMA_VERSION,
            "source": self.source,
            "rows": self.rows,
            "weight": {"column": self.weight, "total": self.total_weight},
            "attributes": [
                {**column.to_dict(), "association": found.to_dict() if found else None}
                for column, found in zip(self.attributes, self.pictures.associations, strict=True)
            ],
            "target": self.target.to_dict() if self.target else None,
            "ignored": list(self.ignored),
            "duplicates": {
                "rows": self.duplicates.rows,
                "conflict_rows": self.duplicates.conflict_rows,
                "conflict_groups": self.duplicates.conflict_groups,
            },
            "sampled_rows": self.pictures.sampled,
            "between": [pair.to_dict() for pair in self.pictures.between.pairs()[:PAIRS]],
            "findings": [finding.to_dict() for finding in self.findings],
            "notes": [note.to_dict() for note in self.notes],
        }

    def to_html(self, path: str | PathLike[str], *, title: str | None = None) -> None:
        """Write the card as one page that can be mailed: warnings, associations, histograms, what is missing.

        Parameters
        ----------
        path : str or path
            Written at once or not at all.
        title : str, optional
        """
        replace_text(path, card_page(self.to_dict(), self.pictures, title), "to_html")

    def __str__(self) -> str:
        return card_text(self.to_dict())

    def _repr_html_(self) -> str:
        return render(self, "html")
