"""Compare learners over several tables: one comparison per table, and ranks over all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen import messages
from acumen.assessment.compare import compare
from acumen.assessment.comparison import Comparison
from acumen.assessment.contestants import with_yardstick
from acumen.assessment.statistics import Ranking, over_tables
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.render.views import render
from acumen.types import Floats

if TYPE_CHECKING:
    from acumen.base.learner import Learner
    from acumen.render.cd_diagram import CdFigure


@dataclass(frozen=True)
class ComparisonOverTables:
    """The comparison on each table, and the ranking over all: Friedman, Nemenyi, wins, ties and losses.

    Attributes
    ----------
    comparisons : dict of name -> Comparison
        One for each table.
    ranking : Ranking
    values : array of (tables, learners)
        The means that were ranked.
    notes : tuple of str
    """

    comparisons: dict[str, Comparison]
    ranking: Ranking
    values: Floats
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The learners, in the order of the columns of `values`."""
        return self.ranking.names

    @property
    def table(self) -> list[dict[str, Any]]:
        """A row for each learner, best first: its mean rank, wins, ties and losses, and its mean on each table."""
        others = ~np.eye(len(self.names), dtype=np.bool_)
        rows = []
        for i in np.argsort(self.ranking.ranks, kind="stable").tolist():
            won, tied, lost = self.ranking.wins[i][others[i]].sum(axis=0).tolist()
            means = dict(zip(self.comparisons, self.values[:, i].tolist(), strict=True))
            rows.append(
                {"learner": self.names[i], "rank": float(self.ranking.ranks[i]), "won": won, "tied": tied, "lost": lost}
                | {"means": means}
            )  # fmt: skip
        return rows

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form."""
        first = next(iter(self.comparisons.values()))
        return {
            "schema_version": 1,
            "measure": first.measure,
            "method": str(first.method),
            "seed": first.seed,
            "table": self.table,
            "friedman": self.ranking.friedman.to_dict(),
            "iman_davenport": self.ranking.iman_davenport.to_dict(),
            "critical_difference": self.ranking.difference,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        return "\n".join([str(self.ranking), *(f"note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        return render(self, "html")

    def _repr_svg_(self) -> str:
        return self.figure()._repr_svg_()

    def figure(self) -> CdFigure:
        """The critical-difference diagram (Demšar 2006) as a figure value, which a notebook draws."""
        figure: CdFigure = render(self.ranking, "figure")
        return figure


def compare_tables(
    named: dict[str, Learner],
    tables: Any,
    method: Any,
    measure: str,
    baseline: str | None,
    random_state: Any,
    n_jobs: int | None,
    positive: Any,
    costs: Any,
    rope: float,
    progress: Callable[[str, int], None] | None,
    time_limit: float | None = None,
    keep_ids: bool = False,
    calibrate: bool = False,
    sample: int | str | None = None,
) -> ComparisonOverTables:
    """Run `compare` on several tables; Ctrl-C keeps the finished tables if there are two or more."""
    named_tables = _named_tables(tables)
    comparisons: dict[str, Comparison] = {}
    notes: tuple[str, ...] = ()
    order: list[str] = []
    for name, table in named_tables.items():
        every, shared = with_yardstick(named, costs if measure == "cost" else None, measure, table.schema)
        order = list(every)
        try:
            comparison = compare(
                every, table, method, measure, baseline, random_state, n_jobs, positive=positive, costs=shared,
                rope=rope, progress=None if progress is None else _teller(progress, name),
                time_limit=None if time_limit is None else time_limit / len(named_tables),
                keep_ids=keep_ids, calibrate=calibrate,
                sample=sample,
            )  # fmt: skip
            whole = comparison.complete
            if whole and comparison.unjudged:
                other, why = next(iter(comparison.unjudged.items()))
                raise DataError(
                    f"compare: {other} was not judged on {name}, so learners cannot be ranked over the tables: {why}"
                )
        except KeyboardInterrupt:
            whole = False
        if not whole:
            if len(comparisons) < 2:
                raise KeyboardInterrupt
            not_judged = [other for other in named_tables if other not in comparisons]
            notes = (f"stopped before {', '.join(not_judged)} finished; left out",)
            break
        comparisons[name] = comparison
    values = np.array([[c.assessments[learner].mean for learner in order] for c in comparisons.values()])
    smaller = next(iter(comparisons.values())).smaller_is_better
    return ComparisonOverTables(
        comparisons, over_tables(values, order, smaller_is_better=smaller), values, notes
    )


def _named_tables(tables: Any) -> dict[str, Table]:
    sentence = "compare: give one Table, or two or more as a list or a mapping of name to Table."
    if isinstance(tables, Mapping):
        named = {str(name): table for name, table in tables.items()}
    elif isinstance(tables, (list, tuple)):
        named = {f"table {i + 1}": table for i, table in enumerate(tables)}
    else:
        file = f" Read a file first: {messages.reader(tables)}." if isinstance(tables, str) else ""
        raise DataError(sentence + file)
    if len(named) < 2 or not all(isinstance(table, Table) for table in named.values()):
        raise DataError(sentence)
    return named


def _teller(progress: Callable[[str, int], None], table: str) -> Callable[[str, int], None]:
    return lambda name, done: progress(f"{table}: {name}", done)
