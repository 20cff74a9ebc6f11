"""The rows behind rules, counted on a table: of an ordered list those that no earlier rule covers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from acumen.conditions.coverage import Coverage, first_covers, parts_of, unpacked
from acumen.conditions.rule import Rule
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.rulelist.content import RuleContent
from acumen.types import Codes, Floats, Label

L = TypeVar("L", bound=RuleContent)


def all_counts(rules: Sequence[Rule], last: Mapping[Label, float]) -> Iterator[Mapping[Label, float]]:
    """What is behind each rule, and behind the default."""
    yield from (rule.counts for rule in rules)
    yield last


def counts_of(rules: Sequence[Rule], table: Table, *, ordered: bool) -> Floats:
    """Weights by rule and class of a table's labelled rows; those that no rule covers last."""
    k = table.schema.n_classes
    made: Floats = np.zeros((len(rules) + 1, k))
    bodies = [rule.conditions for rule in rules]
    known = table.class_codes >= 0
    labels, weights = table.class_codes[known], table.row_weights[known]
    if ordered:
        first = first_covers(bodies, table)[known]
        _add(made, np.where(first < 0, len(rules), first), labels, weights)
        return made
    for part, rows in parts_of(table):
        coverage = Coverage(bodies, rows)
        here = known[part]
        codes, mine = table.class_codes[part][here], table.row_weights[part][here]
        none = np.ones(len(rows), dtype=np.bool_)
        for at in range(len(bodies)):
            covered = unpacked(coverage.rule(at), len(rows))
            none &= ~covered
            made[at] += np.bincount(codes[covered[here]], mine[covered[here]], minlength=k)
        made[-1] += np.bincount(codes[none[here]], mine[none[here]], minlength=k)
    return made


def _add(made: Floats, places: Codes, labels: Codes, weights: Floats) -> None:
    k = made.shape[1]
    flat = np.bincount(places.astype(np.int64) * k + labels, weights, minlength=made.size)
    made += flat.reshape(made.shape)


def recounted(rules: L, table: Table) -> L:
    """The same list with the rows of a table behind it; DataError where it cannot be counted there."""
    if table.labels is None:
        raise DataError("the table has no classes to count rules by; name its target.")
    schema = table.schema
    for rule in rules:
        for condition in rule.conditions:
            if (misfit := condition.objection(schema)) is not None:
                raise DataError(misfit)
    strangers = [label for label in rules.classes if label not in schema.classes]
    said = {*(rule.label for rule in rules), rules.default}
    if any(label in said for label in strangers):
        named = next(label for label in strangers if label in said)
        raise DataError(f"a rule says {named!r}, which is no class of the table: {list(schema.classes)!r}.")
    counts = counts_of(rules.rules, table, ordered=rules.ordered)
    return counted(rules, counts, table)


def counted(rules: L, counts: Floats, table: Table) -> L:
    """The list with these counts; `table` has the rows they are of."""
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
