"""Why a law need not concern a learner: every reason that a law may give, and whether it is true of the learner.

A law that is not applied for a reason that is not declared here, or that is not true, is a law that is not kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from acumen.checks import CheckReport, Subject, laws_groups
from acumen.models.parameters import specs_of

Truth = Callable[[Subject, str], bool]

_OF_CLASSES = {
    "classes_are_sorted_for_arrays_and_declared_for_tables",
    "labels_keep_their_type",
    "relabelling_classes_permutes_the_answers",
    "a_class_without_rows_has_probability_zero",
    "learners_without_probabilities_refuse_costs_and_priors",
    "one_class_alone",
}
_OF_NUMBERS = {"contributions_add_up"}
_OF_COLUMNS = {law.__name__ for law in laws_groups.LAWS}
_OF_GROUPS = {law.__name__ for law in laws_groups.LAWS}
#: Laws on the number and the order of rows, which another draw of random numbers breaks.
_OF_CHANCE = {
    "a_weight_of_two_is_a_repeated_row",
    "the_order_of_rows_is_irrelevant",
    "relabelling_classes_permutes_the_answers",
    "a_constant_column_changes_nothing",
    "units_of_numbers_do_not_move_folds",
    "names_of_levels_do_not_move_folds",
    "the_order_of_columns_does_not_move_folds",
}


def _other_task(subject: Subject, law: str) -> bool:
    """Whether the law is about learners that predict something else."""
    return (
        (law in _OF_CLASSES and not subject.classes)
        or (law in _OF_NUMBERS and not subject.numbers)
        or (law in _OF_COLUMNS and not subject.columns)
        or (law in _OF_GROUPS and not subject.groups)
        or (
            law == "heavy_rows_attract_the_predictions_of_random_learners"
            and not (subject.classes or subject.numbers)
        )
    )


def _has_no(method: str) -> Truth:
    return lambda subject, law: not hasattr(subject.learner, method)


def _kinds_of_columns(subject: Subject) -> set[str]:
    return {attribute.kind for attribute in subject.table(30).schema}


def _needs_plan(subject: Subject) -> bool:
    return bool(subject.learner.needs_plan(subject.table(30, text=False).schema))


#: What a law says, and whether it may.
REASONS: dict[str, Truth] = {
    r"it predicts .*": _other_task,
    r"it has no probabilities": lambda subject, law: not subject.probabilistic,
    r"it has probabilities": lambda subject, law: subject.probabilistic,
    r"it needs no target": lambda subject, law: not subject.has_target,
    r"columns have no reasons": lambda subject, law: subject.columns,
    r"it has none of these parameters": lambda subject, law: (
        not subject.takes("class_weight") and not (subject.probabilistic and subject.takes("costs"))
    ),
    r"it has no parameter '(?P<name>\w+)'": lambda subject, law: True,  # asked below
    r"no parameter has a declared type": lambda subject, law: all(
        spec.accepts(object()) for spec in specs_of(type(subject.learner))
    ),
    r"it does not learn from summaries": lambda subject, law: not subject.learner.adds,
    r"it draws no random numbers: .*": lambda subject, law: (
        not subject.random and law == "heavy_rows_attract_the_predictions_of_random_learners"
    ),
    r"it draws random numbers": lambda subject, law: subject.random and law in _OF_CHANCE,
    r"its plan is settled by the first chunk": lambda subject, law: _needs_plan(subject),
    r"it needs no plan": lambda subject, law: not subject.learner.needs_plan(subject.table(30).schema),
    r"it goes over unlabelled rows many times": lambda subject, law: (
        subject.parameters.get("unlabelled") == "em"
    ),
    r"it does not learn from nominal attributes": lambda subject, law: (
        not {"nominal", "ordinal"} & _kinds_of_columns(subject)
    ),
    r"it does not learn from numbers": lambda subject, law: "numeric" not in _kinds_of_columns(subject),
    r"it does not learn from numbers alone: .*": lambda subject, law: (
        "numeric" not in _kinds_of_columns(subject)
    ),
    r"it learns from one column": lambda subject, law: len(subject.names()) == 1,
    r"it heeds the number of columns": lambda subject, law: bool(subject.learner.constant_sensitive),
    r"a penalty is added to the sum of its losses": lambda subject, law: bool(
        subject.learner.scale_sensitive
    ),
    r"groups are numbered by their first row; .*": lambda subject, law: subject.groups,
    r"its summaries know no first row": lambda subject, law: bool(subject.learner.adds),
    r"it does not learn from parts, or by summaries": lambda subject, law: (
        bool(subject.learner.adds) or not subject.learner.streams
    ),
    r"the order of the classes means something to it": lambda subject, law: subject.is_ordinal,
    r"it learns from rows without a label": lambda subject, law: bool(subject.learner.learns_unlabelled),
    r"its model is not a set of rules": lambda subject, law: (
        subject.groups or not hasattr(subject.learner, "to_rules")
    ),
    r"its rules are a surrogate's, .*": lambda subject, law: bool(
        getattr(subject.learner, "rules_imitate", False)
    ),
    r"its model cannot be written as Python": _has_no("to_python"),
    r"its model cannot be written as Python here: .*": lambda subject, law: (
        True
    ),  # the learner's own sentence
    r"it deals no rows to folds by what they hold": lambda subject, law: law.endswith("_folds"),
    r"attributes cannot be weighed": lambda subject, law: not subject.takes("attribute_weights"),
    # A learner's own objection to weighing attributes.
    r"(\w+: .*attribute_weights|distance .* they cannot be weighed).*": lambda subject, law: (
        law == "ignored_attributes_change_nothing"
    ),
}


def undeclared(learner: Any, checked: CheckReport) -> list[str]:
    """The laws that did not concern a learner for a reason that is not declared or not true of it."""
    subject = Subject(learner)
    return [
        f"{law}: {why}" for law, why in checked.not_applicable.items() if not _is_declared(subject, law, why)
    ]


def _is_declared(subject: Subject, law: str, why: str) -> bool:
    for pattern, is_true in REASONS.items():
        match = re.fullmatch(pattern, why, re.DOTALL)
        if match:
            name = match.groupdict().get("name")
            return is_true(subject, law) and (name is None or not subject.takes(name))
    return False
