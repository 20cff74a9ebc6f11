"""What a version space asks next, and how the language of hypotheses changes what it knows.

    Question         the row on which the hypotheses are divided most evenly
    LanguageReport   for each language how large the space is, and on how many rows its hypotheses disagree

The smaller the language, the smaller the space and the fewer rows its hypotheses disagree on; but the sooner it is
empty. This is the bias that document 001 speaks of.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np

from acumen.data.escape import printable
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.render.text import Heading
from acumen.render.text import table as text_table
from acumen.rules.conjunction_spaces import Vote
from acumen.rules.hitting_sets import Bounds
from acumen.rules.hypothesis import HypothesisColumns
from acumen.rules.version_space import LANGUAGES, VersionSpaceModel
from acumen.types import MISSING, UNKNOWN, Array, Label

#: Rows that are made up where no pool is given.
MOST_ROWS = 65_536
_WIDTH = 110
#: Votes this near to each other are equally near to a half.
_TIE = 1e-12


@dataclass(frozen=True, slots=True)
class Question:
    """A row whose class is worth asking for: `place` in the pool, its values in the order of attributes, the vote."""

    place: int
    values: tuple[Label | None, ...]
    vote: Vote

    def __str__(self) -> str:
        cells = ", ".join("?" if value is None else printable(value) for value in self.values)
        return f"({cells}): {self.vote}"


def every_row(schema: Schema, who: str) -> Table:
    """All rows that nominal attributes can make; where one level is known, there may be another (see `spaces`)."""
    inputs = Schema(schema.attributes)
    sizes = [max(len(attribute.levels), 2) for attribute in schema.attributes]
    if schema.numeric or prod(sizes) > MOST_ROWS:
        why = (
            "numbers have infinitely many values"
            if schema.numeric
            else f"there are {prod(sizes):,}, and at most {MOST_ROWS:,} are generated"
        )
        raise DataError(f"{who}: pass a pool of rows; the possible rows cannot all be listed, because {why}.")
    codes = np.array(list(product(*map(range, sizes))), dtype=np.int32).reshape(-1, len(sizes))
    for place, attribute in enumerate(schema.attributes):
        codes[codes[:, place] >= len(attribute.levels), place] = UNKNOWN
    return Table(inputs, len(codes), nominal=[np.ascontiguousarray(column) for column in codes.T])


def next_question(model: VersionSpaceModel, pool: Table, as_given: Table) -> Question | None:
    """The row of a pool whose vote is nearest to one half; None where all hypotheses agree on every row.

    `as_given` has the same rows with levels that the model does not know.

    Of rows equally near, the one that differs from the earliest positive in the fewest attributes; then the first.
    """
    if not len(pool) or model.space.empty:
        return None
    votes = model.votes(pool)
    distances = np.array([abs(vote.share - 0.5) for vote in votes])
    if (distances >= 0.5).all():
        return None
    nearest = np.flatnonzero(distances <= distances.min() + _TIE)
    chosen = int(nearest[differences(model, pool.take(nearest)).argmin()])
    return Question(chosen, values_of(as_given, chosen, model.schema), votes[chosen])


def differences(model: VersionSpaceModel, rows: Table) -> Array:
    """In how many attributes each row differs from the earliest positive; a gap differs from everything."""
    positives = np.flatnonzero(model.is_positive)
    if not len(positives):
        return np.zeros(len(rows), dtype=np.intp)
    first, columns = HypothesisColumns(model.examples.take(positives[:1])), HypothesisColumns(rows)
    counts = np.zeros(len(rows), dtype=np.intp)
    for place in range(len(model.schema)):
        same = (columns[place] == first[place][0]) & columns.is_known(place) & first.is_known(place)[0]
        counts += ~same
    return counts


def values_of(rows: Table, place: int, schema: Schema) -> tuple[Label | None, ...]:
    """The values of one row in the order of the model's attributes, None where there is none.

    "other" stands for a level that nobody has named, unless attributes have two levels in common: then it is the one of
    these that the attribute was not seen with.
    """
    row, values = rows.take(np.array([place])), []
    named = set(schema.names) <= set(row.schema.names)
    columns = HypothesisColumns(row)
    for at, name in enumerate(schema.names):
        where = row.schema.names.index(name) if named else at
        attribute, value = row.schema.attributes[where], columns[where][0].item()
        if attribute.is_nominal:
            values.append(
                attribute.levels[value]
                if value >= 0
                else None
                if value == MISSING
                else _other(attribute, row.schema)
            )
        else:
            values.append(None if value != value else value)
    return tuple(values)


def _other(attribute: Attribute, schema: Schema) -> Label:
    """What to call a level that nobody has named."""
    every = set().union(*(set(each.levels) for each in schema.nominal))
    unused = every - set(attribute.levels)
    shared = len(every) == 2 and len(unused) == 1 and len(attribute.levels) == 1
    return unused.pop() if shared else "other"


# -- the bias of languages ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LanguageRow:
    """One language: the size of its space, and of the pool's rows how many all hypotheses cover, none, or only some.

    `ambiguity` is the mean share of the hypotheses that are outvoted: 0 where all agree on every row, at most 1/2.
    """

    language: str
    size: Bounds
    all_cover: int = 0
    none_covers: int = 0
    divided: int = 0
    ambiguity: float = float("nan")
    objection: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {
            "language": self.language,
            # Whole numbers as far as JSON's readers keep them whole; the text says the others.
            "size": [int(end) if end < 2**53 else None for end in self.size],
            "size_text": str(self.size),
            "all_cover": self.all_cover,
            "none_covers": self.none_covers,
            "divided": self.divided,
            "ambiguity": None if self.ambiguity != self.ambiguity else self.ambiguity,
            "objection": self.objection,
        }


@dataclass(frozen=True, slots=True)
class LanguageReport:
    """What the same examples leave of each language."""

    rows: tuple[LanguageRow, ...]
    pool: int

    def __getitem__(self, language: str) -> LanguageRow:
        for row in self.rows:
            if row.language == language:
                return row
        raise KeyError(language)

    def to_dict(self) -> dict[str, Any]:
        return {"pool": self.pool, "languages": [row.to_dict() for row in self.rows]}

    def __str__(self) -> str:
        counts_of = ("hypotheses", "all cover", "none covers", "divided", "ambiguity")
        heads = [Heading("language"), *(Heading(title, "right") for title in counts_of)]
        lines: list[Sequence[str]] = []
        for row in self.rows:
            if row.objection:
                lines.append([row.language, row.objection, "", "", "", ""])
            elif row.size == (0, 0):
                lines.append([row.language, "0 (empty)", "", "", "", ""])
            else:
                counts = [f"{row.all_cover:,}", f"{row.none_covers:,}", f"{row.divided:,}"]
                lines.append([row.language, str(row.size), *counts, f"{row.ambiguity:.4f}"])
        table = "\n".join(text_table(heads, lines, _WIDTH, indent=0))
        return f"{table}\nof {self.pool:,} rows; ambiguity: the mean fraction of hypotheses in the minority"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def languages(model: VersionSpaceModel, pool: Table) -> LanguageReport:
    """The same examples under every language, and what their hypotheses say of a pool of rows."""
    return LanguageReport(tuple(_language_row(model, language, pool) for language in LANGUAGES), len(pool))


def _language_row(model: VersionSpaceModel, language: str, pool: Table) -> LanguageRow:
    try:
        other = model if language == model.language else model.under(language)
        if other.space.empty:
            return LanguageRow(language, Bounds(0, 0))
        share = np.array([vote.share for vote in other.votes(pool)])
    except DataError as error:
        return LanguageRow(language, Bounds(0, 0), objection=str(error).partition(": ")[2])
    return LanguageRow(
        language,
        other.count,
        int((share == 1.0).sum()),
        int((share == 0.0).sum()),
        int(((share > 0.0) & (share < 1.0)).sum()),
        float(np.minimum(share, 1.0 - share).mean()) if len(share) else float("nan"),
    )
