"""The model of labels spread over neighbours: the rows, and how much of each class came to each of them.

A new row gets the mean of what came to its k nearest rows, each by its affinity (Delalleau et al. 2005): where the new
row would have stood in the graph, the others staying as they are. A row that nothing came near has the classes' shares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from acumen.caching import cached_property
from acumen.data.escape import printable
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.geometry.search import Search
from acumen.models.model import Model
from acumen.neighbours.kept import Kept, kept_from
from acumen.neighbours.spread import affinities, place_search, places_of, reaches
from acumen.preprocessing.stored_arrays import require, stored_codes, stored_floats
from acumen.render.text import many
from acumen.types import Array, Codes, Floats


@dataclass(frozen=True, eq=False)
class SpreadModel(Kept, Model):
    """Lines of rows that hand on what came to them."""

    kind: ClassVar[str] = "label-spreading"

    shares: Floats  # (lines, classes): of what came to each line; zeros where nothing did
    reach: Floats  # the distance of each line's k-th neighbour
    labels: Codes  # as they were given; -1 without
    totals: Floats  # the weight of each class among the labelled rows
    line: Codes  # of each training row

    @cached_property
    def search(self) -> Search:
        """The search among the lines, which counts places."""
        return place_search(self.fitted, self.raw, places_of(self.raw), self.index)

    def scores(self, rows: Table) -> Floats:
        asked = self.raw_of(rows)
        found = self.search.lists(asked, self.k)
        n = len(asked)
        at = np.repeat(np.arange(n), np.diff(found.ends))
        known = np.isfinite(found.distances)
        at, near, away = at[known], found.rows[known], found.distances[known]
        mine = reaches(found, n)
        say = affinities(away, mine[at], self.reach[near], self.say) * self.weights[near]
        votes = np.zeros((n, self.shares.shape[1]))
        for c in range(votes.shape[1]):
            votes[:, c] = np.bincount(at, say * self.shares[near, c], n)
        total = votes.sum(axis=1, keepdims=True)
        votes = np.where(total > 0, votes / np.where(total > 0, total, 1.0), self.totals / self.totals.sum())
        with np.errstate(divide="ignore"):
            return np.log(votes)

    # -- telling ----------------------------------------------------------------------------------

    @property
    def n_parameters(self) -> int:
        """Every value kept counts."""
        return int(self.raw.numbers.size + self.raw.codes.size + self.shares.size)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = printable(schema.target.name) if schema.target else "class"
        labels, reached = self.labels[self.line], self.shares.sum(axis=1)[self.line] > 0
        given = int(np.count_nonzero(labels >= 0))
        by = {"uniform": "all alike", "kernel": "by exp(-distance^2 / (2 reach reach'))"}[self.say]
        lines = [
            f"Labels of {target} spread over neighbours: {many(given, 'row')} with a label, "
            f"{many(len(labels) - given, 'row')} without",
            f"each joined to its {self.k} nearest, {by}; distance {self.fitted.distance.name}",
        ]
        if not reached.all():
            lines.append(f"No label came to {many(int((~reached).sum()), 'row')}.")
        came = self.weights @ self.shares
        given_of, all_of = self.totals / self.totals.sum(), came / max(float(came.sum()), 1e-300)
        parts = zip(schema.classes, given_of.tolist(), all_of.tolist(), strict=True)
        lines += [f"  {printable(c)}: {g:.4f} of the labels given, {s:.4f} of all rows" for c, g, s in parts]
        return "\n".join(lines)

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        return {
            **self.kept_arrays(), "shares": self.shares, "reach": self.reach, "labels": self.labels,
            "totals": self.totals, "line": self.line,
        }  # fmt: skip

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        kept = kept_from(arrays, schema)
        n, k = len(kept["weights"]), schema.n_classes
        require(kept["say"] in ("uniform", "kernel"), "its rows are joined in no known way")
        shares = stored_floats(arrays, "shares", (n, k), low=0.0, high=1.0)
        totals = stored_floats(arrays, "totals", (k,), low=0.0, high=1e300)
        require(bool(totals.sum() > 0), "no class has any weight")
        return cls(
            **kept,
            shares=shares,
            reach=stored_floats(arrays, "reach", (n,), low=0.0),
            labels=stored_codes(arrays, "labels", (n,), low=-1, below=k),
            totals=totals,
            line=stored_codes(arrays, "line", (kept["n_rows"],), low=0, below=n),
        )
