"""Count the rows of a table that rules cover; in an ordered list, only rows that no earlier rule covers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import Field, replace
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from acumen.conditions.coverage import Coverage, first_covers, parts_of, unpack_bits
from acumen.conditions.rule import Rule
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.types import Array, Codes, Floats, Label

# -- the protocol of rule lists -------------------------------------------------------------------
#
# The protocol of a list of rules, for code that works on lists without importing `RuleList`.


class RuleContent(Protocol):
    """Rules with a default; `RuleList` documents each field."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def rules(self) -> Sequence[Rule]: ...
    @property
    def default(self) -> Label: ...
    @property
    def classes(self) -> tuple[Label, ...]: ...
    @property
    def ordered(self) -> bool: ...
    @property
    def default_counts(self) -> Mapping[Label, float]: ...
    @property
    def smoothing(self) -> float: ...
    @property
    def edits(self) -> tuple[str, ...]: ...
    def __iter__(self) -> Iterator[Rule]: ...
    def without(self, i: int) -> RuleContent: ...
    def predict(self, table: Table) -> Array: ...


# -- rows behind rules ----------------------------------------------------------------------------
#
# The rows behind rules, counted on a table.


L = TypeVar("L", bound=RuleContent)


def all_counts(rules: Sequence[Rule], last: Mapping[Label, float]) -> Iterator[Mapping[Label, float]]:
    """The counts of each rule, then those of the default."""
    yield from (rule.counts for rule in rules)
    yield last


def counts_of(rules: Sequence[Rule], table: Table, *, ordered: bool) -> Floats:
    """Sum the weights of a table's labelled rows by rule and class; rows that no rule covers come last."""
    k = table.schema.n_classes
    counts: Floats = np.zeros((len(rules) + 1, k))
    bodies = [rule.conditions for rule in rules]
    known = table.class_codes >= 0
    labels, weights = table.class_codes[known], table.row_weights[known]
    if ordered:
        first = first_covers(bodies, table)[known]
        _add(counts, np.where(first < 0, len(rules), first), labels, weights)
        return counts
    for part, rows in parts_of(table):
        coverage = Coverage(bodies, rows)
        here = known[part]
        codes, mine = table.class_codes[part][here], table.row_weights[part][here]
        none = np.ones(len(rows), dtype=np.bool_)
        for at in range(len(bodies)):
            covered = unpack_bits(coverage.rule(at), len(rows))
            none &= ~covered
            counts[at] += np.bincount(codes[covered[here]], mine[covered[here]], minlength=k)
        counts[-1] += np.bincount(codes[none[here]], mine[none[here]], minlength=k)
    return counts


def _add(counts: Floats, places: Codes, labels: Codes, weights: Floats) -> None:
    k = counts.shape[1]
    flat = np.bincount(places.astype(np.int64) * k + labels, weights, minlength=counts.size)
    counts += flat.reshape(counts.shape)


def recount(rules: L, table: Table) -> L:
    """Replace the counts of a list by those of a table's rows; DataError if the table does not fit the rules."""
    if table.labels is None:
        raise DataError("the rules cannot be counted: the table has no classes. Name its target column.")
    schema = table.schema
    for rule in rules:
        for condition in rule.conditions:
            if (misfit := condition.objection(schema)) is not None:
                raise DataError(misfit)
    strangers = [label for label in rules.classes if label not in schema.classes]
    answers = {*(rule.label for rule in rules), rules.default}
    if any(label in answers for label in strangers):
        named = next(label for label in strangers if label in answers)
        raise DataError(
            f"a rule has the class {named!r}, which is not a class of the table: {list(schema.classes)!r}."
        )
    counts = counts_of(rules.rules, table, ordered=rules.ordered)
    return attach_counts(rules, counts, table)


def attach_counts(rules: L, counts: Floats, table: Table) -> L:
    """Set the counts of a list; `table` has the counted rows."""
    known = table.class_codes >= 0
    classes = table.schema.classes
    totals = np.bincount(table.class_codes[known], table.row_weights[known], minlength=len(classes))
    whole, place = float(totals.sum()), {label: code for code, label in enumerate(classes)}

    def by_class(line: Floats) -> dict[Label, float]:
        return dict(zip(classes, line.tolist(), strict=True))

    each = tuple(
        Rule(rule.body, rule.head, by_class(line), whole, float(totals[place[rule.label]]))
        for rule, line in zip(rules.rules, counts, strict=False)
    )
    rest = by_class(counts[-1]) if counts[-1].any() else {}
    return replace(rules, rules=each, classes=classes, default_counts=rest)
