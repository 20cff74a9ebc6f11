"""Why a machine decided as it did: attributes, what changing them would do, or support vectors; adding up to it."""

from __future__ import annotations

import io
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import acumen

IRIS = acumen.datasets.load("iris")
SCHEMES = ["ovo", "ovr", "single", "ecoc"]


def _scores(model, row):
    scores = dict(zip(model.classes_.tolist(), model.predictor_.scores(row)[0].tolist(), strict=True))
    why = model.explain(row)
    return why, scores[why.label] - scores[why.rival]


def _pair(model, row, one, other):
    """The decision of the machine between two classes, for the one."""
    for machine, report in enumerate(model.machines_):
        if {*report.positive, *report.negative} == {one, other}:
            decision = model.model_.decisions(row)[0, machine]
            return decision if one in report.positive else -decision
    raise AssertionError("no machine is between them")


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("multiclass", SCHEMES)
def test_reasons_add_up_to_what_decided(multiclass, kernel):
    model = acumen.SVM(kernel=kernel, multiclass=multiclass).fit(IRIS)
    for place in range(0, 150, 7):
        row = IRIS.take([place])
        why, total = _scores(model, row)
        if multiclass == "ovo":
            total = _pair(model, row, why.label, why.rival)
        assert why.log_odds == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("probability", ["platt", "isotonic"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("rows", [range(150), range(50, 150)], ids=["three", "two"])
def test_with_probabilities_reasons_add_up_to_log_odds(rows, kernel, probability):
    model = acumen.SVM(kernel=kernel, probability=probability).fit(IRIS.take(list(rows)))
    for place in range(0, 150, 11):
        why, total = _scores(model, IRIS.take([place]))
        assert why.log_odds == pytest.approx(total, abs=1e-9)


def test_a_linear_machines_reasons_are_weights_times_values():
    table = acumen.datasets.load("weather")
    for probability in (None, "platt"):
        model = acumen.SVM(kernel="linear", probability=probability).fit(table)
        row = table.take([3])
        why = model.explain(row)
        sign = 1 if why.label == model.classes_[1] else -1
        if probability:
            sign *= -model.model_.calibration.curves[0].at[0]
        weights = dict(zip(model.coef_names_, model.coef_[0].tolist(), strict=True))
        amounts = {reason.attribute: reason.log_odds for reason in why.evidence}
        for name, column in ((a.name, table.column(a.name)) for a in model.predictor_.schema):
            if f"{name}={column[3]}" in weights:
                levels = np.unique(column.astype(str))
                part = sum(
                    weights[f"{name}={level}"] * float((column[3] == level) - np.mean(column == level))
                    for level in levels
                    if f"{name}={level}" in weights
                )
            else:
                part = weights[name] * (column[3] - np.mean(column))
            assert amounts.get(name, 0.0) == pytest.approx(sign * part, abs=1e-9)


@pytest.mark.parametrize("probability", [None, "platt"])
def test_of_other_kernels_reasons_are_what_changing_each_attribute_would_do(probability):
    rows = IRIS.take(list(range(50, 150)))
    model = acumen.SVM(gamma=0.5, probability=probability).fit(rows)
    row = IRIS.take([100])
    why = model.explain(row)
    values = {name: row.column(name)[0] for name in row.schema.names}
    median = {name: float(np.sort(rows.column(name))[49]) for name in values}  # of 100 the lower of the two

    def apart(changed):
        scores = model.predictor_.scores(_named(changed))[0]
        there = dict(zip(model.classes_.tolist(), scores.tolist(), strict=True))
        return there[why.label] - there[why.rival]

    rest = [part for part in why.evidence if part.text == "a typical row, compared with the training average"]
    assert why.start_log_odds + rest[0].log_odds == pytest.approx(apart(median), abs=1e-9)
    told = {reason.attribute: reason for reason in why.reasons}
    assert {name for name in values if values[name] != median[name]} == set(told)
    for name, reason in told.items():
        assert reason.log_odds == pytest.approx(
            apart(values) - apart(values | {name: median[name]}), abs=1e-9
        )
        assert reason.text == f"{name} = {values[name]:g} rather than {median[name]:g}"
    assert "support vector" not in str(why)


def test_of_machines_that_vote_changes_are_those_of_the_machine_between_the_two_classes():
    model = acumen.SVM().fit(IRIS)
    why = model.explain(IRIS.take([70]))
    assert why.log_odds == pytest.approx(_pair(model, IRIS.take([70]), why.label, why.rival))
    assert any(abs(reason.log_odds) not in (0.0, 1.0) for reason in why.reasons)


def _named(values):
    names = list(values)
    schema = acumen.Schema([acumen.Attribute(name) for name in names])
    return acumen.Table(schema, 1, numeric=[np.array([float(values[name])]) for name in names])


def _unremembered(model, row):
    """What is said where no typical row is known: of models in older files."""
    return replace(model.predictor_, seen=None).explain(row)


def test_without_a_typical_row_the_strongest_support_vectors_are_told_by_their_values():
    model = acumen.SVM(gamma=0.5).fit(IRIS.take(list(range(50, 150))))
    row = IRIS.take([100])
    why = _unremembered(model, row)
    expansion, view = model.model_.expansion, model.model_.view
    pulls = expansion.coefficients[:, 0] * expansion.kernel(view.transform(row), expansion.support)[0]
    pulls *= 1 if why.label in model.machines_[0].positive else -1
    order = np.argsort(-np.abs(pulls))
    told = [r for r in why.evidence if r.condition.startswith("support vector with ")]
    assert [r.log_odds for r in told] == pytest.approx(pulls[order[:6]])
    best = (expansion.support[order[0]] * view.spread + view.centre).round(6).tolist()
    names = [a.name for a in view.schema]
    assert told[0].condition == "support vector with " + ", ".join(
        f"{name} = {value:g}" for name, value in zip(names, best, strict=True)
    )
    others = next(r for r in why.evidence if "other support vectors" in r.condition)
    assert others.condition == f"{len(pulls) - 6} other support vectors"
    assert others.log_odds == pytest.approx(pulls[order[6:]].sum(), abs=1e-6)


def test_levels_and_gaps_of_support_vectors_are_named():
    text = "a,size,n,y\n" + "red,low,1,p\n,high,2,q\nblue,mid,3,p\nred,high,,q\n" * 2
    table = acumen.read(io.StringIO(text), target="y", kinds={"n": "numeric"})
    model = acumen.SVM().fit(table)
    row = acumen.read(io.StringIO("a,size,n\nred,?,?\n"), kinds={"n": "numeric", "size": "nominal"})
    said = str(_unremembered(model, row))
    assert "a = red, size = low, n = 1" in said and "a missing, size = high, n = 2" in said


def test_of_many_attributes_the_nearest_are_told():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(40, 9))
    model = acumen.SVM(scale=False).fit(rows, rows[:, 0] > 0)
    strongest = _unremembered(model, _table(rows[7:8])).evidence[0].condition
    assert strongest.count(" = ") == 5 and strongest.endswith(", ...")


def test_a_class_that_lost_to_its_rival_but_won_the_vote_says_so():
    # Of the pairs 0-1, 0-2, 0-3, 1-2, 1-3, 2-3, the later wins where the decision is above 0.
    model = acumen.SVM(kernel="linear").fit(np.eye(4).repeat(3, 0) * 2, np.arange(12) // 3)
    expansion = model.model_.expansion
    forced = replace(
        expansion,
        coefficients=np.zeros_like(expansion.coefficients),
        intercept=np.array([0.5, -1.5, -1.0, 1.0, -2.0, -1.0]),
    )
    predictor = replace(model.predictor_, model=replace(model.model_, expansion=forced))
    row = _table(np.zeros((1, 4)))
    scores = predictor.scores(row)[0]
    assert np.round(scores).tolist() == [2, 2, 2, 0]
    why = predictor.explain(row)
    assert (why.label, why.rival) == (0, 1)
    assert [reason.condition for reason in why.evidence] == [
        "average of the training rows",
        "votes of all machines: 2 for 0, 2 for 1",
    ]
    assert why.evidence[0].log_odds == -0.5
    assert why.log_odds == pytest.approx(scores[0] - scores[1])


def _table(rows):
    names = [f"x{j}" for j in range(rows.shape[1])]
    return acumen.Table(
        acumen.Schema([acumen.Attribute(n) for n in names]), len(rows), numeric=list(rows.T.copy())
    )


def test_words_of_a_text_are_reasons():
    polars = pytest.importorskip("polars")
    notes = [f"{word} {' '.join(f'w{j}' for j in range(14))}" for word in ("good", "bad")] * 6
    frame = polars.DataFrame({"note": notes, "y": ["p", "n"] * 6})
    table = acumen.read(frame, target="y", kinds={"note": "text"})
    model = acumen.SVM(kernel="linear").fit(table)
    why = model.explain(table.take([0]))
    strongest = max(why.evidence, key=lambda reason: reason.log_odds)
    assert (strongest.attribute, strongest.condition) == ("note", "note has good")
    assert why.log_odds == pytest.approx(abs(model.decision_function(table.take([0]))[0]))


def test_rows_of_a_precomputed_kernel_are_named_by_their_column():
    X = np.column_stack([IRIS.column("petal_length"), IRIS.column("petal_width")])
    K = acumen.kernels.RBF(gamma=0.3)(X)
    model = acumen.SVM(kernel="precomputed", multiclass="ovr").fit(K, IRIS.label_values())
    why = model.explain(K[70])
    assert any(reason.condition.startswith("training row in column ") for reason in why.evidence)
    assert why.log_odds == pytest.approx(np.ptp(np.sort(model.decision_function(K[70:71])[0])[-2:]))


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_numbers_parts_add_up_to_it(kernel):
    table = acumen.datasets.load("iris").select(["sepal_length", "sepal_width", "petal_length"])
    X = np.column_stack([table.column(name) for name in table.schema.without_target().names])
    model = acumen.SVR(kernel=kernel).fit(X[:, :2], X[:, 2])
    for row in X[::20, :2]:
        why = model.explain(row)
        assert why.value == pytest.approx(why.start + sum(part.amount for part in why.contributions))
    amounts = [abs(part.amount) for part in why.contributions]
    assert all(one >= other for one, other in pairwise(amounts))
    assert len(why.reasons) == 2 and len(amounts) == (2 if kernel == "linear" else 4)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_huge_numbers_have_finite_reasons(kernel):
    model = acumen.SVM(kernel=kernel).fit(IRIS)
    why = model.explain(dict.fromkeys(model.predictor_.schema.names, 1e300))
    assert np.isfinite([reason.log_odds for reason in why.evidence]).all()
