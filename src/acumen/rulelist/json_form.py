"""A list of rules as JSON, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acumen.conditions.rule import Rule, counts_from, weight_from
from acumen.errors import ParameterError
from acumen.rulelist.content import RuleContent


def form_of(rules: RuleContent) -> dict[str, Any]:
    """The JSON-ready form; `smoothing` is there where it is not 1, and edits where there are some."""
    made = {
        "ordered": rules.ordered,
        "classes": list(rules.classes),
        "rules": [rule.to_dict() for rule in rules.rules],
        "default": rules.default,
        "default_counts": [[label, weight] for label, weight in rules.default_counts.items()],
    }
    if rules.smoothing != 1.0:
        made["smoothing"] = rules.smoothing
    return {**made, "edits": list(rules.edits)} if rules.edits else made


def parts_of_form(made: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a RuleList is made of, in the order of its fields; ParameterError, in a sentence, where the form is none."""
    needed = {"rules", "default"}
    known = {"ordered", "classes", "default_counts", "smoothing", "edits", *needed}
    if not isinstance(made, Mapping) or not needed <= made.keys() <= known:
        raise ParameterError(
            f"RuleList: its form has {', '.join(sorted(needed))} and, where they are not as usual, "
            f"{', '.join(sorted(known - needed))}; got {repr(made)[:200]}."
        )
    rules, classes, ordered = made["rules"], made.get("classes", []), made.get("ordered", True)
    if not isinstance(rules, (list, tuple)) or not isinstance(classes, (list, tuple)):
        raise ParameterError("RuleList: rules and classes must be lists.")
    if not all(isinstance(label, (str, int, float, bool)) for label in (*classes, made["default"])):
        raise ParameterError("RuleList: a class must be text, a number or a boolean.")
    if not isinstance(ordered, bool):
        raise ParameterError(f"RuleList: ordered must be true or false; got {ordered!r}.")
    edits = made.get("edits", [])
    if not isinstance(edits, (list, tuple)) or not all(isinstance(each, str) for each in edits):
        raise ParameterError(f"RuleList: edits must be a list of texts; got {repr(edits)[:200]}.")
    return (
        tuple(Rule.from_dict(rule) for rule in rules),
        made["default"],
        tuple(classes),
        ordered,
        counts_from(made.get("default_counts", []), "RuleList"),
        weight_from(made.get("smoothing", 1.0), "RuleList: smoothing"),
        tuple(edits),
    )
