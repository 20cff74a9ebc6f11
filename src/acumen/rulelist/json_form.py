"""Convert a list of rules to JSON and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acumen.conditions.rule import Rule, counts_from, weight_from
from acumen.errors import ParameterError
from acumen.rulelist.row_counts import RuleContent


def rules_to_json(rules: RuleContent) -> dict[str, Any]:
    """Convert rules to JSON-ready values; includes `smoothing` if it is not 1, and edits if there are any."""
    form = {
        "ordered": rules.ordered,
        "classes": list(rules.classes),
        "rules": [rule.to_dict() for rule in rules.rules],
        "default": rules.default,
        "default_counts": [[label, weight] for label, weight in rules.default_counts.items()],
    }
    if rules.smoothing != 1.0:
        form["smoothing"] = rules.smoothing
    return {**form, "edits": list(rules.edits)} if rules.edits else form


def fields_from_json(record: Mapping[str, Any]) -> tuple[Any, ...]:
    """Read the fields of a RuleList in their order; ParameterError if the record is malformed."""
    needed = {"rules", "default"}
    known = {"ordered", "classes", "default_counts", "smoothing", "edits", *needed}
    if not isinstance(record, Mapping) or not needed <= record.keys() <= known:
        raise ParameterError(
            f"RuleList: expected {', '.join(sorted(needed))} and optionally "
            f"{', '.join(sorted(known - needed))}; got {repr(record)[:200]}."
        )
    rules, classes, ordered = record["rules"], record.get("classes", []), record.get("ordered", True)
    if not isinstance(rules, (list, tuple)) or not isinstance(classes, (list, tuple)):
        raise ParameterError("RuleList: rules and classes must be lists.")
    if not all(isinstance(label, (str, int, float, bool)) for label in (*classes, record["default"])):
        raise ParameterError("RuleList: a class must be text, a number or a boolean.")
    if not isinstance(ordered, bool):
        raise ParameterError(f"RuleList: ordered must be true or false; got {ordered!r}.")
    edits = record.get("edits", [])
    if not isinstance(edits, (list, tuple)) or not all(isinstance(each, str) for each in edits):
        raise ParameterError(f"RuleList: edits must be a list of texts; got {repr(edits)[:200]}.")
    return (
        tuple(Rule.from_dict(rule) for rule in rules),
        record["default"],
        tuple(classes),
        ordered,
        counts_from(record.get("default_counts", []), "RuleList"),
        weight_from(record.get("smoothing", 1.0), "RuleList: smoothing"),
        tuple(edits),
    )
