"""`Filter`: select the attributes most strongly associated with the classes, from training rows only."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from acumen.base.transformer import Transformer
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.models.parameters import AtLeast, Between, MoreThan
from acumen.models.task import CLASS_COLUMNS, COLUMNS, Task
from acumen.rows.training_rows import Rows
from acumen.tuning.attribute_worth import By, measure_worths
from acumen.tuning.filter_model import KeptColumns
from acumen.tuning.ranking import ALPHA, AttributeRanking, RankedAttribute, order_by_worth
from acumen.types import Bools, Floats

#: Rows off the commonest value that an attribute kept by "near-constant" has at least, as a share.
SCARCE = 0.05


class Filter(Transformer):
    """Keep the attributes most strongly associated with the classes, each judged on its own.

    `fit` uses only its own rows, so folds do not leak if you use it in a pipeline. A Table becomes a Table of the
    selected attributes, with nominal ones unchanged. Anything else becomes an array of numbers with one column for each
    level of a nominal attribute. Infinite numbers count as missing.

    Parameters
    ----------
    by : {"gain", "gain-ratio", "gini", "chi2", "correlation", "anova", "relief", "near-constant", "mutual"}
        As in `rank_attributes`. "near-constant" does not use the classes.
    keep : "auto", int or float
        The number of best attributes; below 1 the fraction of all, rounded up. "auto" selects those with a
        Holm-corrected p of at most 0.05. Two measures have no test: "near-constant" selects attributes with at least
        5 % of rows off the most common value, "relief" those above 1 / sqrt(0.05 n), which chance exceeds in at most
        5 % (Chebyshev). If none is good enough, the best one is selected.
    n_neighbors : int
        Neighbours of each class, for "relief".
    n_jobs : int, optional
        Threads.

    Attributes
    ----------
    attributes_ : tuple of str
        The selected attributes, in the table's order.
    ranking_ : Ranking
        All attributes, best first.

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> acumen.Filter(by="gain", keep=2).fit(iris).attributes_
    ('petal_length', 'petal_width')
    """

    kind: ClassVar[str] = "filter"
    model_type = KeptColumns

    def __init__(
        self,
        by: By = "gain",
        keep: Literal["auto"]
        | Annotated[int, AtLeast(1)]
        | Annotated[float, MoreThan(0), Between(0, 1)] = "auto",
        *,
        n_neighbors: Annotated[int, AtLeast(1)] = 10,
        n_jobs: int | None = None,
    ) -> None:
        self.by = by
        self.keep = keep  # type: ignore[method-assign, assignment]  # it adds up no summaries
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs

    @property
    def task(self) -> Task:  # type: ignore[override]
        """What it learns from: classes, or only rows."""
        return COLUMNS if self.by == "near-constant" else CLASS_COLUMNS

    @property
    def constant_sensitive(self) -> bool:
        """Whether constant columns matter: they count among the tests, and in the fraction that is kept."""
        return True

    def objection(self, schema: Schema) -> str | None:
        if schema.text:
            return f"text cannot be ranked; leave out {schema.text[0].name!r}, or convert it to words first."
        if not schema.attributes:
            return "the table has 0 feature(s); there is nothing to choose from."
        return None

    def _remember_names(self, X: Any, schema: Schema) -> None:
        super()._remember_names(X, schema)
        self._wide = not isinstance(X, Table)  # an array has numbers alone

    def learn(self, rows: Rows) -> tuple[KeptColumns, Floats]:
        table = rows.require_local(self._name)
        worths = measure_worths(table, self.by, k=self.n_neighbors, n_jobs=self.n_jobs)
        names = table.schema.names
        entries = order_by_worth(names, worths, "holm")
        kept = set(self._keep(entries, len(table)))
        by_name = {entry.attribute: entry for entry in entries}
        chances = [by_name[name].p for name in names]
        model = KeptColumns(
            np.array([name in kept for name in names], dtype=np.bool_),
            np.array([by_name[name].score for name in names], dtype=np.float64),
            np.array([math.nan if p is None else p for p in chances], dtype=np.float64),
            self.by,
            self._wide,
        )
        totals = np.array([table.total_weight])
        if table.labels is not None:
            totals = np.bincount(table.labels, table.row_weights, minlength=table.schema.n_classes)
        return model, totals

    def settle(self, schema: Schema, model: Any, totals: Floats, rows: int) -> None:
        """The selection needs no classes, nor does a model file."""
        super().settle(Schema(schema.attributes), model, totals, rows)

    def _keep(self, entries: tuple[RankedAttribute, ...], rows: int) -> list[str]:
        """The names of the attributes to keep, best first."""
        keep: Any = self.keep
        if isinstance(keep, (int, np.integer)):
            n = int(keep)
        elif keep == "auto":
            n = sum(self._good(entry, rows) for entry in entries)
        else:
            n = math.ceil(float(keep) * len(entries) * (1 - 1e-12))
        order = sorted(entries, key=lambda e: not self._good(e, rows)) if keep == "auto" else list(entries)
        return [entry.attribute for entry in order[: max(1, n)]]

    def _good(self, entry: RankedAttribute, rows: int) -> bool:
        if self.by == "near-constant":
            return entry.score >= SCARCE
        if self.by == "relief":
            return entry.score > 1.0 / math.sqrt(ALPHA * rows)
        return entry.p is not None and entry.p <= ALPHA

    # -- what was learned -------------------------------------------------------------------------

    @property
    def attributes_(self) -> tuple[str, ...]:
        """The selected attributes, in the table's order."""
        return tuple(a.name for a in self.model_.kept_attributes(self.schema_))

    @property
    def ranking_(self) -> AttributeRanking:
        """All attributes, best first."""
        model: KeptColumns = self.model_
        entries = [
            RankedAttribute(name, score, None if math.isnan(p) else p)
            for name, score, p in zip(
                self.schema_.names, model.scores.tolist(), model.chances.tolist(), strict=True
            )
        ]
        return AttributeRanking(
            tuple(sorted(entries, key=lambda e: math.inf if math.isnan(e.score) else -e.score)), self.by
        )

    def get_support(self, indices: bool = False) -> Any:
        """Which attributes are selected: a mask, or their positions."""
        mask: Bools = self.model_.kept
        return np.flatnonzero(mask) if indices else mask.copy()

    def as_table(self, rows: Table, made: Floats) -> Table:
        return rows.select(list(self.attributes_))
