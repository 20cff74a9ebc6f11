"""Why a machine decided as it did, as amounts that add up to the decision.

    evidence_of   of a class: what speaks for it, against its rival
    parts_of      of any machine, or of several together: what each attribute, or each support vector, adds

With a linear kernel a decision is a sum over attributes. With any other a row is explained by what changing each
attribute would do (`explain/starting_point.py`); what is here says only how the support vectors pull, for
kernels that were
handed in as a matrix and where no typical row is known. Where machines vote, the one between the two classes is
explained; else all of them, in the measure in which they speak for one class rather than the other. With
probabilities the reasons add up to log-odds, without to a decision.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from acumen.data.escape import printable
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.explain.cell_text import cell_text, number_said
from acumen.explain.explanation import Evidence, Role
from acumen.explain.starting_point import AVERAGE_ROW
from acumen.geometry.kernel import Rows, is_sparse
from acumen.geometry.kernels import Linear, Precomputed
from acumen.preprocessing.matrix import NumericMatrix
from acumen.render.text import many
from acumen.svm.expansion import Expansion
from acumen.svm.reading.text import column_scales
from acumen.types import Floats

if TYPE_CHECKING:
    from acumen.svm.model import SVMModel

#: Support vectors, words of a text, and attributes of a support vector that are told one by one.
_PULLS, _WORDS, _VALUES = 6, 10, 5
_FAR = 1e100


class EvidencePart(NamedTuple):
    """What one condition adds."""

    attribute: str | None
    condition: str
    amount: float
    role: Role = "reason"


def evidence_of(
    model: SVMModel, row: Table, X: Rows, schema: Schema, winner: int, rival: int
) -> tuple[Evidence, ...]:
    """The reasons for one row's class; `X` is the row as the machines see it."""
    scores = model.scores(row)[0]
    total = float(scores[winner] - scores[rival])
    if not np.isfinite(total):
        return (Evidence(None, "a class that was never seen", 0.0),)
    decisions = model.expansion(X)[0]
    along = _case(model, decisions, winner, rival)
    if not along.any():
        return (Evidence(None, "all machines together", total),)
    parts, bias = parts_of(model.expansion, model.view, row, X, along)
    slope = _slope(model)
    if slope:  # Platt's log-odds are a line over the decision, so every part keeps its share
        parts = [part._replace(amount=slope * part.amount) for part in parts]
        bias = total - sum(part.amount for part in parts)
    start = AVERAGE_ROW if model.expansion.average.size else "bias"
    evidence = [*parts, EvidencePart(None, start, bias, "start")]
    remainder = total - sum(part.amount for part in evidence)
    if model.calibration is not None:
        if not slope:
            evidence.append(
                EvidencePart(None, "what the curves of probability make of it", remainder, "rest")
            )
    elif model.decoding == "votes" and decisions @ along < 0:  # the machine between the two was outvoted
        evidence.append(
            EvidencePart(None, _votes_sentence(model, decisions, schema, winner, rival), remainder)
        )
    return tuple(Evidence(*part[:3], role=part.role) for part in evidence)


def _case(model: SVMModel, decisions: Floats, winner: int, rival: int) -> Floats:
    """How far each machine's decision speaks for the winner rather than the rival; zeros where none does."""
    code = model.code.astype(np.float64)
    along = np.zeros(len(code))
    if model.decoding == "two":
        along[0] = code[0, winner]
    elif model.decoding == "largest":
        known = np.flatnonzero((code != 0).any(axis=0))
        along[np.searchsorted(known, winner)] += 1.0
        along[np.searchsorted(known, rival)] -= 1.0
    elif model.decoding == "votes":
        between = np.flatnonzero((code[:, winner] != 0) & (code[:, rival] != 0))[:1]
        along[between] = code[between, winner]
    else:
        # The losses' difference is a line up to 1; beyond, it is shared out as the decision is.
        here, there = code[:, winner], code[:, rival]
        lost = np.maximum(1.0 - decisions * there, 0.0) - np.maximum(1.0 - decisions * here, 0.0)
        far = np.abs(decisions) > 1.0
        along = np.where(far, lost / np.where(far, decisions, 1.0), here - there)
    return along


def _slope(model: SVMModel) -> float:
    """By how much the log-odds rise with the decision between two classes; 0 where there is no such line."""
    curves = () if model.calibration is None else model.calibration.curves
    curve = curves[0] if len(curves) == 1 else None
    return 0.0 if curve is None or len(curve.height) else -float(curve.at[0])


def _votes_sentence(model: SVMModel, decisions: Floats, schema: Schema, winner: int, rival: int) -> str:
    won = np.where(decisions[:, None] > 0, model.code > 0, model.code < 0).sum(axis=0)
    one, other = (f"{won[c]} for {printable(str(schema.classes[c]))}" for c in (winner, rival))
    return f"votes of all machines: {one}, {other}"


def parts_of(
    expansion: Expansion, view: NumericMatrix | None, row: Table, X: Rows, along: Floats
) -> tuple[list[EvidencePart], float]:
    """The machines' decisions on one row, times `along` and summed, as parts; and the bias."""
    bias = float(expansion.intercept @ along)
    with np.errstate(over="ignore", invalid="ignore"):
        pulls = np.nan_to_num(expansion.coefficients @ along)
        if isinstance(expansion.kernel, Linear):
            line = X.toarray()[0] if is_sparse(X) else np.asarray(X, dtype=np.float64)[0]
            average = expansion.average if expansion.average.size else np.zeros_like(line)
            each = np.nan_to_num(pulls * (line - average), posinf=1e300, neginf=-1e300)
            assert view is not None
            return _by_attribute(view, row, each, line), bias + float(pulls @ average)
    rest = float(expansion(X)[0] @ along) - bias
    return _by_vector(expansion, view, row, X, pulls, rest), bias


def _by_attribute(view: NumericMatrix, row: Table, each: Floats, line: Floats) -> list[EvidencePart]:
    """What each attribute adds; of a text the words that are there, and all others together."""
    starts, names = view.starts.tolist(), view.names
    parts: list[EvidencePart] = []
    for i, attribute in enumerate(view.schema):
        amounts = each[starts[i] : starts[i + 1]]
        if attribute.kind != "text":
            parts.append(EvidencePart(attribute.name, cell_text(row, attribute.name), float(amounts.sum())))
            continue
        there = line[starts[i] : starts[i + 1]] != 0
        order = [j for j in np.argsort(-np.abs(amounts), kind="stable").tolist() if amounts[j] and there[j]]
        prefix = len(attribute.name) + 1
        for j in order[:_WORDS]:
            word = printable(names[starts[i] + j][prefix:])
            parts.append(EvidencePart(attribute.name, f"{attribute.name} has {word}", float(amounts[j])))
        others = float(amounts.sum() - amounts[order[:_WORDS]].sum())
        parts.append(EvidencePart(attribute.name, f"other words of {attribute.name}, there or not", others))
    return [part for part in parts if part.amount]


def _by_vector(
    expansion: Expansion, view: NumericMatrix | None, row: Table, X: Rows, own: Floats, rest: float
) -> list[EvidencePart]:
    """The support vectors that pull most, and the others together; all add up to `rest`."""
    used = np.flatnonzero(own)
    support = expansion.support[used]
    if isinstance(expansion.kernel, Precomputed):
        values = np.asarray(X)[0, support]
    else:
        near = X if is_sparse(X) else np.clip(X, -_FAR, _FAR)
        with np.errstate(over="ignore", invalid="ignore"):
            values = expansion.kernel(near, support)[0] if len(used) else np.empty(0)
    with np.errstate(over="ignore", invalid="ignore"):
        pulls = np.nan_to_num(own[used] * values, posinf=1e300, neginf=-1e300)
    order = np.argsort(-np.abs(pulls), kind="stable")
    # A single one left over is no shorter than its name.
    shown = order if len(order) <= _PULLS + 1 else order[:_PULLS]
    if view is None:
        names = [f"training row in column {printable(row.schema.names[int(c)])}" for c in support[shown]]
    else:
        names = [f"support vector with {vector}" for vector in _vector_texts(view, support[shown], X)]
    parts = [EvidencePart(None, name, float(pull)) for name, pull in zip(names, pulls[shown], strict=True)]
    remainder = rest - sum(part.amount for part in parts)
    if len(shown) < len(order):
        parts.append(EvidencePart(None, many(len(order) - len(shown), "other support vector"), remainder))
    elif parts:  # decisions may be in single precision: the weakest takes the rounding
        parts[-1] = parts[-1]._replace(amount=parts[-1].amount + remainder)
    return parts


def _vector_texts(view: NumericMatrix, vectors: Rows, X: Rows) -> list[str]:
    """Vectors in the attributes' own values: of many attributes, those in which the row is nearest to the vector."""
    z, x = (np.asarray(v.toarray() if is_sparse(v) else v, dtype=np.float64) for v in (vectors, X))
    centre, spread = column_scales(view)
    values = z * spread + centre
    starts, attributes = view.starts.tolist(), view.schema.attributes
    blocks = [slice(start, end) for start, end in pairwise(starts)]
    squares = (z - np.clip(x, -_FAR, _FAR)) ** 2
    apart = np.array([squares[:, block].sum(axis=1) for block in blocks]).reshape(len(blocks), len(z)).T
    nearest = np.sort(np.argsort(apart, axis=1, kind="stable")[:, :_VALUES], axis=1)
    more = ["..."] if nearest.shape[1] < len(blocks) else []
    return [
        ", ".join([*(_value_text(view, attributes[i], vector_values[blocks[i]]) for i in places), *more])
        for places, vector_values in zip(nearest.tolist(), values, strict=True)
    ]


def _value_text(view: NumericMatrix, attribute: Attribute, own: Floats) -> str:
    name = attribute.name
    if view.is_one_hot(attribute):
        return f"{name} = {attribute.levels[int(own.argmax())]}" if own.any() else f"{name} missing"
    value = float(own[0])
    if attribute.levels:  # of ordered levels the code was taken as a number
        at = int(np.clip(np.rint(value), 0, len(attribute.levels) - 1))
        return f"{name} = {attribute.levels[at]}"
    return f"{name} = {number_said(attribute, value, 4)}"
