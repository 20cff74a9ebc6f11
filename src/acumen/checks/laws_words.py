"""Laws on what a model says of itself and of its answers."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import numpy as np

from acumen.checks import data
from acumen.checks.subject import NotApplicable, Subject, require
from acumen.errors import DataError
from acumen.explain.explanation import Explanation, ValueExplanation
from acumen.rulelist.rule_list import RuleList


def descriptions_fit_a_screen(subject: Subject) -> None:
    """`describe()` has at most 40 lines, `describe(full=True)` at least as many; `str(learner)` is the short form."""
    learner, _ = subject.fitted_learner()
    text = learner.describe()
    require(text.strip(), "the description is empty")
    require(len(text.splitlines()) <= 40, f"the description has {len(text.splitlines())} lines")
    full = learner.describe(full=True)
    require(len(full.splitlines()) >= len(text.splitlines()), "the full description is shorter")
    require(str(learner) == text, "str is not the description")


def explanations_name_the_prediction(subject: Subject) -> None:
    """`explain` of a row, in any form, names the class that `predict` returns, in its text and its data."""
    subject.need_reasons()
    learner, rows = subject.fitted_learner()
    predictions = learner.predict(rows)
    kind = ValueExplanation if subject.predicts_numbers else Explanation
    for at in (0, 7, len(rows) - 1):
        row = data.without_target(rows).take([at])
        why = learner.explain(row)
        require(isinstance(why, kind), f"explain gives a {type(why).__name__}")
        answer = _answer(why)
        require(_near(answer, predictions[at]), f"explained is {answer!r}, predicted {predictions[at]!r}")
        named = f"{answer:.6g}" if subject.predicts_numbers else str(answer)
        require(named in str(why), "the words do not name the answer")
        json.dumps(why.to_dict())
        values = {name: row.column(name)[0] for name in row.schema.names}
        for form in (values, list(values.values())):
            label = _answer(learner.explain(form))
            require(_near(label, answer), f"a row given as {type(form).__name__}")
        if subject.probabilistic:
            shares = learner.predict_proba(row)[0]
            require(np.allclose(list((why.probabilities or {}).values()), shares), "other probabilities")


def _answer(why: Any) -> Any:
    return why.value if isinstance(why, ValueExplanation) else why.label


def _near(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, (float, np.floating)):
        return bool(np.isclose(one, float(other), rtol=1e-9, atol=1e-9))
    return bool(one == other)


def contributions_add_up(subject: Subject) -> None:
    """The starting value and the contributions of the attributes add up to the predicted number."""
    subject.need_numbers()
    learner, rows = subject.fitted_learner()
    for at in range(0, len(rows), 10):
        why = learner.explain(data.without_target(rows).take([at]))
        summed = float(why.start) + sum(float(each.amount) for each in why.contributions)
        require(_near(summed, why.value), f"the contributions add up to {summed:g}, not {why.value:g}")


def evidence_adds_up(subject: Subject) -> None:
    """The log-odds of an explanation add up to the log-odds of its two classes."""
    subject.need_probabilities()
    learner, rows = subject.fitted_learner()
    for at in range(0, len(rows), 10):
        row = data.without_target(rows).take([at])
        why = learner.explain(row)
        shares = why.probabilities or {}
        if why.rival is None or not shares[why.rival] > 1e-290 or not shares[why.label] > 1e-290:
            continue
        odds = float(np.log(shares[why.label]) - np.log(shares[why.rival]))
        away = abs(why.log_odds - odds)
        require(away <= 1e-6 * max(1.0, abs(odds)), f"the evidence adds up to {why.log_odds:g}, not {odds:g}")


def explanations_start_at_the_training_average(subject: Subject) -> None:
    """Reasons start from the class frequencies of the training rows, whatever the model itself starts from."""
    subject.need_probabilities()
    subject.need_reasons()
    learner, rows = subject.fitted_learner()
    if getattr(learner, "class_weight", None) is not None:
        raise NotApplicable("its training rows are weighted by class")
    totals = np.bincount(rows.class_codes, rows.row_weights, rows.schema.n_classes)
    moved = learner.predictor_.shift
    moved = np.zeros(len(totals)) if moved is None else moved  # to the priors that were asked for
    for at in (0, 7, len(rows) - 1):
        why = learner.explain(data.without_target(rows).take([at]))
        if why.rival is None:
            continue
        winner, rival = (rows.schema.classes.index(each) for each in (why.label, why.rival))
        winner_total, other = totals[winner], totals[rival]
        require(_near(why.base_rate, float(winner_total / totals.sum())), f"the base rate is {why.base_rate}")
        if winner_total > 0 and other > 0 and np.isfinite(why.log_odds):
            start = float(np.log(winner_total) - np.log(other) + moved[winner] - moved[rival])
            away = abs(why.start_log_odds - start)
            require(away <= 1e-6, f"it starts at {why.start_log_odds:g}; the training rows are at {start:g}")


def rules_predict_what_the_model_predicts(subject: Subject) -> None:
    """If there is `to_rules`, the rules predict what the model predicts, also after a round trip through JSON.

    A model with `rules_for_some` answers of itself only for rows that one of its rules holds for.
    """
    if not hasattr(subject.learner, "to_rules") or subject.groups:
        raise NotApplicable("its model is not a set of rules")
    if getattr(subject.learner, "rules_imitate", False):
        raise NotApplicable("its rules are a surrogate's, which say how faithful they are")
    learner, rows = subject.fitted_learner()
    rules = learner.to_rules()
    require(isinstance(rules, RuleList), f"to_rules gives a {type(rules).__name__}")
    again = type(rules).from_dict(json.loads(json.dumps(rules.to_dict())))
    require(again == rules, "the rules are others when they come back from JSON")
    for seed in (0, 1):
        new_rows = data.table(rows.schema.names, 60, seed)
        predicted = learner.classes_[
            learner.model_.scores(new_rows).argmax(axis=1)
        ]  # whatever costs and priors say
        same = again.predict(new_rows) == predicted
        if getattr(learner.model_type, "rules_for_some", False):
            same |= rules.deciding(new_rows) < 0
        require(same.all(), f"{np.count_nonzero(~same)} of {len(same)} rows are predicted differently")


def programs_predict_what_the_model_predicts(subject: Subject) -> None:
    """If there is `to_python`, the generated module predicts what `predict` predicts."""
    if not hasattr(subject.learner, "to_python"):
        raise NotApplicable("its model cannot be written as Python")
    source, why = None, ""
    for text in (True, False):  # words of texts may be what cannot be written
        rows = subject.table(text=text)
        learner = subject.new().fit(rows)
        try:
            source = learner.to_python()
            break
        except DataError as error:
            why = str(error)
    if source is None:
        raise NotApplicable(f"its model cannot be written as Python here: {why}")
    new_rows = data.table(rows.schema.names, 40, 1, numbers=subject.numbers)
    space: dict[str, Any] = {}
    exec(compile(source, "to_python", "exec"), space)
    predictions = learner.predict(new_rows)
    for at in range(len(new_rows)):
        row = {name: new_rows.column(name)[at] for name in new_rows.schema.names}
        got = space["predict"](row)
        require(
            _near(got, predictions[at]), f"the program says {got!r} where predict says {predictions[at]!r}"
        )


def control_characters_are_escaped(subject: Subject) -> None:
    """Control characters in names, categories and labels are escaped wherever a person reads them."""
    rows = data.acting(subject.table())
    learner = subject.new().fit(rows)
    row = data.without_target(rows).take([0])
    texts = {
        "str": str(learner),
        "describe": learner.describe(full=True),
        "repr": repr(learner),
    }
    if not subject.columns:
        texts["explain"] = str(learner.explain(row))
    if subject.groups:
        with suppress(DataError):  # of one group there is nothing to be told
            texts["profile"] = str(learner.profile(rows))
            texts["to_rules"] = str(learner.to_rules(rows))
    elif hasattr(learner, "to_rules"):
        texts["to_rules"] = str(learner.to_rules())
    for what, text in texts.items():
        raw = sorted({c for c in text if c != "\n" and not c.isprintable()})
        require(not raw, f"{what} shows {raw!r} as it is")


LAWS = (
    descriptions_fit_a_screen,
    control_characters_are_escaped,
    explanations_name_the_prediction,
    evidence_adds_up,
    contributions_add_up,
    explanations_start_at_the_training_average,
    rules_predict_what_the_model_predicts,
    programs_predict_what_the_model_predicts,
)
