"""Rules in a model file: every different condition once, and for each rule which of them it has.

    conditions    a JSON list in bytes: attribute, op and value of each different condition
    body_at       where each rule's conditions begin in `body`; one more than there are rules
    body          numbers of conditions
    head          the class code of each rule, the default's last
    counts        weights by rule and class, the default's last; `counted` says which of them were given
    total         the weight of all training rows, of each rule; head_total that of its class, -1 where not given
    form          [ordered], and smoothing: how probabilities are made
    edits         only of a list that was changed by hand: a JSON list of texts, in bytes, that tell how

Read back, each condition must fit the schema, so that a forged list cannot fail while it predicts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from acumen.conditions.condition import Condition
from acumen.conditions.coverage import numbered
from acumen.conditions.rule import Rule
from acumen.data.schema import Schema
from acumen.errors import ParameterError
from acumen.preprocessing.stored_arrays import require, stored, stored_codes, stored_floats, stored_starts
from acumen.rulelist.array_rules import ArrayRules
from acumen.types import Array, Codes, Floats, Label

_MOST = 1e150
_NAMES = {
    "conditions",
    "body_at",
    "body",
    "head",
    "counts",
    "counted",
    "total",
    "head_total",
    "form",
    "smoothing",
}


def rule_arrays(
    rules: Sequence[Rule],
    said: Codes,
    default_counts: Mapping[Label, float],
    classes: Sequence[Label],
    ordered: bool,
    smoothing: float,
    edits: Sequence[str] = (),
) -> dict[str, Array]:
    """The arrays of a list."""
    if isinstance(rules, ArrayRules):
        body_at, body, conditions = rules.numbered()
        counted, counts = _lines([default_counts], classes)
        counted = np.concatenate([np.ones(rules.counts.shape, dtype=np.bool_), counted])
        counts = np.concatenate([rules.counts, counts])
        total = np.full(len(rules), float(rules.total))
        of_head = np.array(rules.head_totals, dtype=np.float64)[rules.heads]
    else:
        body_at, body, conditions = numbered([rule.conditions for rule in rules])
        counted, counts = _lines([*(rule.counts for rule in rules), default_counts], classes)
        total = np.array([float(rule.total) for rule in rules])
        of_head = np.array([-1.0 if r.head_total is None else float(r.head_total) for r in rules])
    text = json.dumps([condition.to_dict() for condition in conditions])
    made: dict[str, Array] = {
        "conditions": np.frombuffer(text.encode(), dtype=np.uint8),
        "body_at": body_at.astype(np.int32),
        "body": body,
        "head": said,
        "counts": counts,
        "counted": counted,
        "total": total,
        "head_total": of_head,
        "form": np.array([ordered], dtype=np.uint8),
        "smoothing": np.array([float(smoothing)]),
    }
    if edits:
        made["edits"] = np.frombuffer(json.dumps(list(edits)).encode(), dtype=np.uint8)
    return made


def _lines(
    every: Sequence[Mapping[Label, float]], classes: Sequence[Label]
) -> tuple[npt.NDArray[np.bool_], Floats]:
    """Which counts are given, and the counts: a line of classes for each."""
    shape = (len(every), len(classes))
    counted = np.array([[label in counts for label in classes] for counts in every], dtype=np.bool_)
    counts = np.array([[float(c.get(label, 0.0)) for label in classes] for c in every])
    return counted.reshape(shape), counts.reshape(shape)


def rules_from_arrays(
    arrays: Mapping[str, Array], schema: Schema
) -> tuple[tuple[Rule, ...], Label, dict[Label, float], bool, float, tuple[str, ...]]:
    """Rules, default, its counts, whether they are ordered, the smoothing, and edits; checked against the schema."""
    require(arrays.keys() - {"edits"} == _NAMES, "it does not hold the arrays of a list of rules")
    classes = schema.classes
    require(classes, "rules need classes")
    conditions = _conditions(arrays, schema)
    head = stored_codes(arrays, "head", (None,), low=0, below=len(classes))
    require(len(head) >= 1, "a list of rules has no default")
    n = len(head) - 1
    body = stored_codes(arrays, "body", (None,), low=0, below=len(conditions))
    starts = stored_starts(arrays, "body_at", n, len(body))
    counts = stored_floats(arrays, "counts", (n + 1, len(classes)), low=0.0, high=_MOST)
    counted = stored(arrays, "counted", np.bool_, (n + 1, len(classes)))
    require(not counts[~counted].any(), "a count that was not given is not zero")
    total = stored_floats(arrays, "total", (n,), low=0.0, high=_MOST)
    of_head = stored_floats(arrays, "head_total", (n,), low=-1.0, high=_MOST)
    require(np.all((of_head >= 0) | (of_head == -1)), "the weight of a rule's class is below 0")
    form = stored(arrays, "form", np.uint8, (1,))
    require(form[0] <= 1, "whether its rules are ordered is neither 0 nor 1")
    smoothing = stored_floats(arrays, "smoothing", (1,), low=0.0, high=_MOST)
    each = [
        {label: w for label, w, given in zip(classes, line, mask, strict=True) if given}
        for line, mask in zip(counts.tolist(), counted.tolist(), strict=True)
    ]
    rules = tuple(
        Rule(
            tuple(conditions[c] for c in body[starts[i] : starts[i + 1]]),
            classes[head[i]],
            each[i],
            weight,
            None if mine < 0 else mine,
        )
        for i, (weight, mine) in enumerate(zip(total.tolist(), of_head.tolist(), strict=True))
    )
    return rules, classes[head[n]], each[n], bool(form[0]), float(smoothing[0]), _edits(arrays)


def _edits(arrays: Mapping[str, Array]) -> tuple[str, ...]:
    if "edits" not in arrays:
        return ()
    try:
        made = json.loads(stored(arrays, "edits", np.uint8, (None,)).tobytes().decode("ascii"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        made = None
    texts = isinstance(made, list) and bool(made) and all(isinstance(each, str) for each in made)
    require(texts, "what was edited is not a list of texts")
    assert isinstance(made, list)
    return tuple(made)


def _conditions(arrays: Mapping[str, Array], schema: Schema) -> list[Condition]:
    raw = stored(arrays, "conditions", np.uint8, (None,)).tobytes()
    try:
        made = json.loads(raw.decode("ascii"))
        require(isinstance(made, list), "its conditions are not a list")
        found = [Condition.from_dict(each) for each in made]
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        require(False, "its conditions are not JSON")
    except (ParameterError, TypeError, ValueError, OverflowError) as error:
        require(False, f"a condition is none ({str(error).rstrip('.')[:300]})")
    for condition in found:
        misfit = condition.objection(schema)
        require(misfit is None, (misfit or "").rstrip(".")[:300])
    return found
