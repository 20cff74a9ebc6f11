"""`rank_attributes`: rank attributes by their association with the target, each on its own.

RankedAttribute    one attribute: score, corrected and raw p-value, and the attribute it duplicates
AttributeRanking   all of them: a sequence, a table in text, a figure, groups of redundant attributes
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, overload

import numpy as np

from acumen.assessment.contestants import fixed_seed
from acumen.assessment.statistics.tails import holm
from acumen.caching import cached_property
from acumen.conditions.rule_statistics import benjamini_hochberg
from acumen.data.escape import printable
from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.profiling.association import pairwise_associations
from acumen.render.bars_plot import Bar, BarsFigure
from acumen.render.text import Heading, number
from acumen.render.text import table as text_table
from acumen.resampling.plan import require_seed
from acumen.rows.intake import as_table
from acumen.tuning.attribute_worth import By, Worth, columns_of, measure_worths, require_measure
from acumen.types import Floats

Adjust = Literal["holm", "bh"]
#: What a chance below this is called.
ALPHA = 0.05
_SAID = {
    "gain": "information gain, bits",
    "gain-ratio": "gain ratio",
    "gini": "decrease of Gini impurity",
    "chi2": "chi-square",
    "correlation": "strength of correlation",
    "anova": "F of the analysis of variance",
    "relief": "Relief-F weight",
    "near-constant": "fraction of rows off the most common value",
    "mutual": "mutual information, bits",
}


@dataclass(frozen=True, slots=True)
class RankedAttribute:
    """One attribute: its score (NaN if the measure is not defined for it) and its p-value.

    `p` is corrected for the number of attributes, `raw_p` is not; None where the measure has no test.
    """

    attribute: str
    score: float
    p: float | None = None
    raw_p: float | None = None

    def to_dict(self) -> dict[str, Any]:
        score = None if math.isnan(self.score) else self.score
        return {"attribute": self.attribute, "score": score, "p": self.p, "raw_p": self.raw_p}


@dataclass(frozen=True)
class AttributeRanking(Sequence[RankedAttribute]):
    """Attributes, best first; those without a defined score are last.

    Attributes
    ----------
    entries : tuple of Ranked
    by : str
    adjust : str
        How chances are corrected: "holm" (of any false finding) or "bh" (of the share of false findings).
    groups : tuple of tuples of str
        Attributes that say the same, their best first; worked out when asked for.
    """

    entries: tuple[RankedAttribute, ...]
    by: str
    adjust: str = "holm"
    redundant: float = 0.95
    _alike: Callable[[], tuple[Sequence[str], Floats]] | None = field(default=None, repr=False, compare=False)

    # -- as a sequence ----------------------------------------------------------------------------

    @overload
    def __getitem__(self, at: int) -> RankedAttribute: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[RankedAttribute, ...]: ...
    def __getitem__(self, at: int | slice) -> RankedAttribute | tuple[RankedAttribute, ...]:
        return self.entries[at]

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[RankedAttribute]:
        return iter(self.entries)

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes, best first."""
        return tuple(entry.attribute for entry in self.entries)

    @cached_property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Groups of two or more attributes whose association with the best of the group is at least `redundant`.

        Going down the ranking each attribute joins the first group whose best it is so near to, or begins its own:
        association is the absolute correlation, Cramér's V or the correlation ratio, by the kinds of both.
        """
        if self._alike is None:
            return ()
        names, values = self._alike()
        at = {name: place for place, name in enumerate(names)}
        groups: list[list[str]] = []
        for name in self.names:
            strength = [abs(float(values[at[name], at[group[0]]])) for group in groups]
            home = next((i for i, s in enumerate(strength) if s >= self.redundant), None)
            if home is None:
                groups.append([name])
            else:
                groups[home].append(name)
        return tuple(tuple(group) for group in groups if len(group) > 1)

    # -- shown ------------------------------------------------------------------------------------

    def __str__(self) -> str:
        headings = [Heading("attribute", least=12), Heading(_SAID[self.by], "right")]
        tested = any(entry.p is not None for entry in self.entries)
        headings += (
            [Heading(f"p ({self.adjust})", "right"), Heading("p alone", "right", spare=1)] if tested else []
        )
        rows = [
            (printable(e.attribute), number(e.score), *((number(e.p), number(e.raw_p)) if tested else ()))
            for e in self.entries
        ]
        lines = text_table(headings, rows, 100)
        for group in self.groups:
            rest = ", ".join(printable(name) for name in group[1:])
            lines.append(f"  {printable(group[0])} carries the same information as {rest}")
        return "\n".join(lines)

    def figure(self) -> BarsFigure:
        """The scores as bars; those that chance explains are faint."""
        bars = [
            Bar(e.attribute, e.score, sure=e.p is None or e.p <= ALPHA)
            for e in self.entries
            if math.isfinite(e.score)
        ]
        tested = any(entry.p is not None for entry in self.entries)
        note = f"corrected p at most {ALPHA}" if tested else ""
        return BarsFigure(
            bars,
            _SAID[self.by],
            f"Attributes by {self.by}",
            sure=note,
            unsure="chance would do" if tested else "",
        )

    def _repr_svg_(self) -> str:
        return self.figure()._repr_svg_()

    def to_dict(self) -> dict[str, Any]:
        """Everything, JSON-ready."""
        return {
            "by": self.by,
            "adjust": self.adjust,
            "attributes": [entry.to_dict() for entry in self.entries],
            "groups": [list(group) for group in self.groups],
        }


def rank_attributes(
    table: Table,
    by: By = "gain",
    *,
    n_neighbors: int = 10,
    permutations: int | None = None,
    correction: Adjust = "holm",
    redundant: float = 0.95,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> AttributeRanking:
    """Rank attributes by their association with the target, each on its own, best first.

    Text attributes are ignored. The score of an attribute uses only rows where it and the target are known. Gain, gain
    ratio and Gini are multiplied by the fraction of rows that are known.

    Parameters
    ----------
    table : Table with a target
        "near-constant" needs no target. For a numeric target use "correlation", "anova", "mutual" or "near-constant".
    by : str
        - "gain", "gain-ratio", "gini": for nominal attributes; numbers are first cut by `EntropyMDL`.
        - "chi2": Pearson's statistic; numbers are cut into ten intervals of about equal weight, ignoring the classes.
        - "correlation": absolute correlation, the correlation ratio or Cramér's V (with Bergsma's correction for many
          levels), depending on the kinds of both.
        - "anova": F; not defined (NaN) for a nominal attribute with classes.
        - "relief": Relief-F over all rows, with `k` neighbours of each class.
        - "mutual": mutual information in bits; for numbers by their nearest neighbours (Ross 2014; Kraskov et al.
          2004), for levels from their counts minus what chance alone would give.
        - "near-constant": the fraction of rows off the most common value, where missing is a value; 0 means constant.
    k : int
        Neighbours of each class, for "relief".
    permutations : int, optional
        Compute p-values from this number of permutations of the target, each with new intervals; the only way to get
        p-values for Relief-F. [default: a chi-square test for "gain" and similar measures, with intervals that ignore
        the classes; an F test for "correlation" and "anova"]
    correction : {"holm", "bh"}
        Correct the p-values by Holm (controls the chance of any false finding), or by Benjamini and Hochberg (controls
        the fraction of findings that are false).
    redundant : float
        The strength of association from which two attributes count as redundant.
    random_state : int, Generator or None
        Seeds permutations, which sparse tables of counts also use.
    n_jobs : int, optional
        Number of threads for Relief-F.

    Returns
    -------
    Ranking
        A sequence of entries with `attribute`, `score`, `p` (corrected) and `raw_p`; `groups` of redundant attributes;
        `print` it, or look at it in a notebook.

    Examples
    --------
    >>> import acumen
    >>> ranking = acumen.rank_attributes(acumen.datasets.load("iris"), by="gain")
    >>> [(entry.attribute, round(entry.score, 3)) for entry in ranking[:2]]
    [('petal_width', 1.378), ('petal_length', 1.357)]
    >>> ranking.groups
    (('petal_width', 'petal_length'),)
    """
    who = "rank_attributes"
    table = as_table(table)
    require_measure(by, table, who)
    _require(n_neighbors, "k", who)
    if permutations is not None:
        _require(permutations, "permutations", who)
        if by == "near-constant":
            raise ParameterError(
                f"{who}: by='near-constant' does not use the target, so permutations have no effect."
            )
    if correction not in ("holm", "bh"):
        raise ParameterError(f"{who}: adjust must be 'holm' or 'bh'; got {correction!r}.")
    if not isinstance(redundant, (int, float)) or not 0 < redundant <= 1:
        raise ParameterError(f"{who}: redundant must be a number above 0 and at most 1; got {redundant!r}.")
    require_seed(random_state, who)
    rng = np.random.default_rng(fixed_seed(random_state))
    worths = measure_worths(table, by, k=n_neighbors, permutations=permutations, rng=rng, n_jobs=n_jobs)
    names = [attribute.name for attribute in table.schema.attributes if attribute.kind != "text"]
    return AttributeRanking(
        order_by_worth(names, worths, correction), by, correction, redundant, lambda: _strengths(table)
    )


def order_by_worth(names: Sequence[str], found: Sequence[Worth], adjust: str) -> tuple[RankedAttribute, ...]:
    """Sort best first, ties in the table's order, and correct the p-values."""
    raw = np.array([math.nan if worth.p is None else worth.p for worth in found], dtype=np.float64)
    corrected = (holm(raw) if adjust == "holm" else benjamini_hochberg(raw)) if len(raw) else raw
    scores = np.array([worth.score for worth in found], dtype=np.float64)
    order = np.argsort(np.where(np.isnan(scores), np.inf, -scores), kind="stable")

    def plain(p: float) -> float | None:
        return None if math.isnan(p) else float(p)

    return tuple(
        RankedAttribute(names[i], float(scores[i]), plain(corrected[i]), plain(raw[i]))
        for i in order.tolist()
    )


def _strengths(table: Table) -> tuple[Sequence[str], Floats]:
    associations = pairwise_associations(columns_of(table), table.weights)
    return associations.attributes, associations.values


def _require(value: Any, name: str, who: str) -> None:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
        raise ParameterError(f"{who}: {name} must be a whole number of at least 1; got {value!r}.")
