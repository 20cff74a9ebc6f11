"""Laws on parameters and on fitting again."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from acumen.checks import data
from acumen.checks.subject import NotApplicable, Subject, refusal, require
from acumen.errors import DataError, ParameterError
from acumen.models.parameters import specs_of


class _Strange:
    """A value that no parameter can mean."""

    def __repr__(self) -> str:
        return "<something strange>"


def parameters_are_only_stored(subject: Subject) -> None:
    """`__init__` stores each parameter object as given, and does nothing else."""
    strange = {name: _Strange() for name in subject.parameters}
    learner = type(subject.learner)(**strange)
    for name, value in strange.items():
        require(getattr(learner, name) is value, f"{name} is not the object that was given")
    extra = set(vars(learner)) - set(strange)
    require(not extra, f"__init__ also sets {', '.join(sorted(extra))}")
    signature = inspect.signature(type(subject.learner).__init__)
    loose = [p.name for p in signature.parameters.values() if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    require(not loose, f"__init__ takes *{loose} instead of named parameters")


def defaults_are_allowed(subject: Subject) -> None:
    """Every default satisfies its own constraints."""
    for spec in specs_of(type(subject.learner)):
        if spec.default is not inspect.Parameter.empty:
            require(spec.accepts(spec.default), f"the default of {spec.name} is refused by its declaration")


def wrong_parameters_are_refused_by_fit(subject: Subject) -> None:
    """`fit` refuses a wrong parameter with a message that names the learner and the parameter."""
    rows = subject.table()
    tried = 0
    for spec in specs_of(type(subject.learner)):
        wrong = _Strange()
        if spec.accepts(wrong):
            continue
        tried += 1
        learner = subject.new(**{spec.name: wrong})
        message = refusal(ParameterError, lambda learner=learner: learner.fit(rows))
        require(
            message.startswith(f"{subject.name}: {spec.name} must be") and "something strange" in message,
            f"the sentence for a wrong {spec.name} is: {message}",
        )
    if not tried:
        raise NotApplicable("no parameter has a declared type")


def unknown_decisions_are_refused_by_fit(subject: Subject) -> None:
    """Wrong costs, priors and class weights are refused with a message that names the parameter."""
    rows = subject.table()
    tried = [
        (name, value)
        for name, value in (
            ("costs", [[0.0]]),
            ("costs", {("no", "never"): 1.0}),
            ("priors", "flat"),
            ("priors", {"no": 1.0}),
            ("class_weight", "unbalanced"),
            ("class_weight", {"never": 1.0}),
        )
        if subject.takes(name) and (subject.probabilistic or name == "class_weight")
    ]
    if not tried:
        raise NotApplicable("it has none of these parameters")
    for name, value in tried:
        learner = subject.new(**{name: value})
        message = refusal(ParameterError, lambda learner=learner: learner.fit(rows))
        require(message.startswith(f"{subject.name}: ") and name.replace("_", " ") in message.replace("_", " "),
                f"the sentence for {name}={value!r} is: {message}")  # fmt: skip


def clones_have_the_same_parameters(subject: Subject) -> None:
    """`clone`, `get_params` and `set_params` round-trip, and a clone is not fitted."""
    from sklearn.base import clone

    fitted, _ = subject.fitted_learner()
    copy = clone(fitted)
    require(repr(copy.get_params()) == repr(fitted.get_params()), "a clone has other parameters")
    require(not hasattr(copy, "predictor_"), "a clone is fitted")
    require(copy.set_params(**fitted.get_params(deep=False)) is copy, "set_params does not return self")


def fit_returns_self(subject: Subject) -> None:
    """`fit` returns the learner itself, fitted, with unchanged parameters."""
    learner = subject.new()
    before: dict[str, Any] = learner.get_params(deep=False)
    require(learner.fit(subject.table()) is learner, "fit returns something else")
    after = learner.get_params(deep=False)
    changed = [name for name in before if before[name] is not after[name]]
    require(not changed, f"fit changes the parameter {changed}")


def a_second_fit_forgets_the_first(subject: Subject) -> None:
    """A second `fit` keeps nothing of the first, not even its columns or classes."""
    X, y = subject.matrix()
    rows = subject.table()
    twice = subject.new().fit(X, y).fit(rows)
    once = subject.new().fit(rows)
    subject.require_same(twice, once, rows, "after another fit")
    if subject.classes:
        require(np.array_equal(twice.classes_, once.classes_), "the classes of the first fit are left")
    back = subject.new().fit(rows).fit(X, y)
    require(not hasattr(back, "feature_names_in_"), "the column names of the first fit are left")
    subject.require_same(back, subject.new().fit(X, y), X, "after a fit on names and one on an array")


def unfitted_learners_raise_an_error(subject: Subject) -> None:
    """Using a learner before `fit` raises NotFittedError."""
    from sklearn.exceptions import NotFittedError

    rows = subject.table()
    for method in ("predict", "predict_proba", "transform", "explain"):
        if hasattr(subject.learner, method):
            refusal(NotFittedError, lambda method=method: getattr(subject.new(), method)(rows))
    refusal(NotFittedError, lambda: subject.new().describe())
    require(subject.name in str(subject.new()), "str of an unfitted learner does not name it")


def ignored_attributes_change_nothing(subject: Subject) -> None:
    """An attribute of weight 0 in `attribute_weights` changes no prediction, and weights of 1 have no effect."""
    if not subject.takes("attribute_weights"):
        raise NotApplicable("attributes cannot be weighed")
    rows = subject.table()
    names = rows.schema.names
    plain = subject.new().fit(rows)
    same = subject.new(attribute_weights=dict.fromkeys(names, 1.0)).fit(rows)
    subject.require_same(same, plain, rows, "with weights of 1")
    for kind in (rows.schema.numeric, rows.schema.nominal, rows.schema.text):
        if not kind or len(names) < 2:
            continue
        name = kind[0].name
        learner = subject.new(attribute_weights={name: "ignore"})
        other = data.reversed_column(rows, name)
        try:
            fitted = learner.fit(rows)
        except DataError as objection:  # told in a sentence, as with distances that do not add up
            raise NotApplicable(str(objection)) from None
        answers = subject.answers(fitted, rows)
        require(subject.alike(subject.answers(fitted, other), answers), f"{name!r} is ignored, but predicts")
        again = subject.new(attribute_weights={name: "ignore"}).fit(other)
        require(
            subject.alike(subject.answers(again, rows), answers), f"{name!r} is ignored, but learned from"
        )


LAWS = (
    parameters_are_only_stored,
    defaults_are_allowed,
    wrong_parameters_are_refused_by_fit,
    unknown_decisions_are_refused_by_fit,
    clones_have_the_same_parameters,
    fit_returns_self,
    a_second_fit_forgets_the_first,
    unfitted_learners_raise_an_error,
    ignored_attributes_change_nothing,
)
