"""Evidence from a joint distribution, attribute by attribute: the chain rule of probability.

log P(a, b, c | class) is log P(a | class) + log P(b | class, a) + log P(c | class, a, b): each attribute is
credited with what it adds to those before it, in the schema's order, and the parts add up to the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from acumen.bayes.factors.factor import Term
from acumen.data.block import Block
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.explain.cell_text import cell_text, is_missing
from acumen.explain.explanation import Evidence
from acumen.explain.starting_point import CLASS_FREQUENCIES
from acumen.models.decision import normalised
from acumen.preprocessing.dense import dense_slices
from acumen.types import MISSING, Floats

#: Beyond so many attributes a row is explained as a whole.
_MOST = 40


def chained(row: Table, schema: Schema, logs: Callable[[Table], Floats]) -> Iterator[Term]:
    """What each known attribute of one row adds; `logs` gives log P(row | class), missing values left out."""
    known = [a.name for a in schema if not is_missing(row.column(a.name)[0])]
    if len(known) > _MOST:
        yield Term("", f"{len(known)} attributes together", logs(row)[0])
        return
    found = logs(_revealed(row, schema, known))
    with np.errstate(invalid="ignore"):
        steps = np.nan_to_num(np.diff(found, axis=0), nan=0.0, posinf=np.inf, neginf=-np.inf)
    for name, step in zip(known, steps, strict=True):
        yield Term(name, cell_text(row, name), step)


def evidence_of(
    log_prior: Floats, weight: Floats, terms: Iterator[Term], winner: int, rival: int
) -> tuple[Evidence, ...]:
    """The prior's part and each term's, as log-odds of two classes.

    The confidence of a term with support is what the model makes of that one value: P(winner | value).
    """

    def against(logs: Floats) -> float:
        with np.errstate(invalid="ignore"):
            return float(np.nan_to_num(logs[winner] - logs[rival], nan=0.0, posinf=np.inf, neginf=-np.inf))

    total = float(weight.sum())
    share = float(weight[winner] / total)
    prior = Evidence(None, CLASS_FREQUENCIES, against(log_prior), total, share, role="start")

    def confidence(term: Term) -> float | None:
        return None if term.support is None else float(normalised((log_prior + term.logs)[None])[0, winner])

    return (
        prior,
        *(
            Evidence(t.attribute or None, t.condition, against(t.logs), t.support, confidence(t))
            for t in terms
        ),
    )


def _revealed(row: Table, schema: Schema, known: list[str]) -> Table:
    """One row again and again, each time with one attribute more; at first with none."""
    n = len(known) + 1
    after = {name: i + 1 for i, name in enumerate(known)}
    _, numbers = next(iter(dense_slices(row)))
    values = np.full((n, len(schema.numeric)), np.nan)
    for j, attribute in enumerate(schema.numeric):
        values[after.get(attribute.name, n) :, j] = numbers.columns[j][0]
    codes = np.full((n, len(schema.nominal)), MISSING, dtype=np.int32)
    for j, attribute in enumerate(schema.nominal):
        codes[after.get(attribute.name, n) :, j] = row.nominal.columns[j][0]
    inputs = Schema(schema.attributes)
    return Table(inputs, n, numeric=Block.of_matrix(values), nominal=Block.of_matrix(codes))
