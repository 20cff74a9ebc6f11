"""Reasons for and against: the starting point apart, in the data's own units, strongest first, in words and columns."""

from __future__ import annotations

import io
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import acumen
from acumen.data.block import Block
from acumen.errors import ModelFileError
from acumen.explain.explanation import Evidence, Explanation
from acumen.explain.reasons import cells, effect, headings, share
from acumen.profiling.typical_row import Typical

LEVELS = ("basic", "gold", "plus")


def _table(n: int = 160, seed: int = 0) -> acumen.Table:
    """Dates, numbers, levels and gaps, of which two say something."""
    rng = np.random.default_rng(seed)
    age, calls = rng.integers(18, 80, n), rng.poisson(2, n)
    since = np.datetime64("2018-01-01") + rng.integers(0, 900, n)
    plan = rng.choice(LEVELS, n, p=[0.5, 0.2, 0.3])
    odds = 0.06 * (age - 45) + 0.7 * (calls - 2) + (plan == "gold")
    left = np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), "yes", "no")
    lines = ["age,calls,since,plan,left"]
    lines += [f"{'' if i % 17 == 3 else age[i]},{calls[i]},{since[i]},{plan[i]},{left[i]}" for i in range(n)]
    return acumen.read(io.StringIO("\n".join(lines) + "\n"), target="left")


TABLE = _table()
LEARNERS = [
    acumen.NaiveBayes(), acumen.FullBayes(), acumen.OneR(), acumen.DecisionTree(), acumen.Logistic(), acumen.MaxEnt(),
    acumen.Fisher(), acumen.Perceptron(), acumen.LeastSquares(), acumen.Additive(), acumen.SVM(), acumen.KNN(),
    acumen.SVM(kernel="linear"), acumen.SVM(probability="platt"), acumen.Ripper(random_state=0), acumen.CBA(),
    acumen.KernelFisher(), acumen.RandomForest(10, random_state=0), acumen.AdaBoost(), acumen.Boosting(),
    acumen.Voting([acumen.NaiveBayes(), acumen.Logistic()]), acumen.BayesNetwork(), acumen.Majority(),
    acumen.Stacking([acumen.NaiveBayes(), acumen.DecisionTree()], random_state=0),
    acumen.OneVsRest(acumen.Logistic()), acumen.Parzen(), acumen.OrderedLogistic(),
]  # fmt: skip


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda each: type(each).__name__)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_starting_point_is_apart_and_reasons_are_strongest_first_in_the_datas_own_units(learner) -> None:
    model = clone(learner).fit(TABLE)
    for place in (0, 3, 20):  # the second has no age
        why = model.explain(TABLE.take([place]))
        assert all(reason.role == "reason" for reason in why.reasons)
        assert not any(word in reason.text for reason in why.reasons for word in BASES)
        for group in (why.reasons, why.reasons_for, why.reasons_against):
            known = [abs(reason.log_odds) for reason in group if reason.contribution is not None]
            assert all(one >= other for one, other in pairwise(known))
        assert all(reason.log_odds > 0 for reason in why.reasons_for)
        assert all(reason.log_odds < 0 for reason in why.reasons_against)
        said = str(why) + why.in_words()
        assert "nan" not in said.split()
        days = str(int(TABLE.column("since")[place]))
        assert days not in said  # 17532 days are 2018-01-01
        parts = why.start_log_odds + sum(e.log_odds for e in why.evidence if e.role != "start")
        assert parts == pytest.approx(why.log_odds, abs=1e-9)


#: What models call where they start from.
BASES = ("average", "before any", "a typical row", "all rules together", "bias")


def test_naive_bayes_starts_at_the_base_rate() -> None:
    model = acumen.NaiveBayes().fit(TABLE)
    why = model.explain(TABLE.take([0]))
    share_of = float(np.mean(TABLE.label_values() == why.label))
    assert why.base_rate == pytest.approx(share_of) and why.start == pytest.approx(share_of)
    assert f"Starting point: {100 * share_of:.1f} % {why.label} (average of the training rows)" in str(why)
    asked = acumen.NaiveBayes(priors={"no": 0.5, "yes": 0.5}).fit(TABLE).explain(TABLE.take([0]))
    assert asked.start == pytest.approx(0.5) and "moved to your priors" in str(asked)
    assert asked.base_rate == pytest.approx(why.base_rate if asked.label == why.label else 1 - why.base_rate)
    assert {r.attribute for r in asked.reasons} == {r.attribute for r in why.reasons}


def test_of_several_classes_the_starting_point_and_reasons_are_against_the_rival() -> None:
    iris = acumen.datasets.load("iris")
    why = acumen.Logistic().fit(iris).explain(iris.take([70]))
    assert f" {why.label} against {why.rival} (average of the training rows)" in str(why)
    assert why.base_rate == pytest.approx(1 / 3) and why.start == pytest.approx(1 / 2)


def test_dates_are_dates_wherever_rows_and_rules_are_told() -> None:
    why = acumen.KNN().fit(TABLE).explain(TABLE.take([0]))
    assert all("since = 2" in str(case) for case in why.cases)
    table = acumen.read(
        io.StringIO(
            "day,y\n"
            + "".join(f"2020-01-{i + 1:02d},{'a' if i < 10 or i > 20 else 'b'}\n" for i in range(30))
        ),
        target="y",
    )
    told = str(acumen.CN2(ordered=True).fit(table).explain({"day": 18290.0}))
    assert "it is 2020-01-29, off by 8 days" in told


@pytest.mark.parametrize(
    "learner",
    [
        acumen.Logistic(),
        acumen.Perceptron(),
        acumen.SVM(kernel="linear"),
        acumen.LeastSquares(),
        acumen.MaxEnt(),
    ],
    ids=lambda each: type(each).__name__,
)
def test_reasons_are_counted_from_the_average_date_also_beside_text(learner) -> None:
    rng = np.random.default_rng(3)
    since = np.datetime64("2018-01-01") + rng.integers(0, 900, 80)
    notes = [" ".join(rng.choice(["good", "bad", "late", "fine"], 3)) for _ in since]
    labels = np.where(rng.random(80) < 0.3, "yes", "no")
    rows = [f"{s},{note},{label}" for s, note, label in zip(since, notes, labels, strict=True)]
    table = acumen.read(
        io.StringIO("since,note,left\n" + "\n".join(rows) + "\n"), target="left", kinds={"note": "text"}
    )
    model = clone(learner).fit(table)
    moved = []
    for place in range(len(table)):
        why = model.explain(table.take([place]))
        sign = 1.0 if why.label == "no" else -1.0
        moved.append(sign * sum(part.log_odds for part in why.reasons if part.attribute == "since"))
    assert abs(np.mean(moved)) < 1e-9 + 1e-6 * np.max(np.abs(moved))


def test_a_model_of_balanced_classes_starts_at_what_it_was_trained_on() -> None:
    why = acumen.Logistic(class_weight="balanced").fit(TABLE).explain(TABLE.take([0]))
    assert why.start == pytest.approx(0.5)


@pytest.mark.parametrize("learner", [acumen.SVM(), acumen.SVM(multiclass="ovr")], ids=["pairs", "ovr"])
def test_scores_start_at_their_average_over_the_training_rows(learner) -> None:
    iris = acumen.datasets.load("iris")
    model = clone(learner).fit(iris)
    codes = {label: code for code, label in enumerate(iris.schema.classes)}
    for place in (0, 70):
        why = model.explain(iris.take([place]))
        pair = codes[why.label], codes[why.rival]
        assert why.start_log_odds == pytest.approx(float(model.model_.apart(iris, *pair).mean()))
        assert why.log_odds == pytest.approx(float(model.model_.apart(iris.take([place]), *pair)[0]))


# -- what changing an attribute would do -----------------------------------------------------------------


def _changed(row: acumen.Table, name: str, value: object) -> acumen.Table:
    """One row with one value in the place of another, by way of a file."""
    cells = {n: row.column(n)[0] for n in row.schema.names}
    cells[name] = value
    text = ",".join(cells) + "\n" + ",".join("" if v is None or v != v else str(v) for v in cells.values())
    kinds = {n: row.schema[n].kind for n in row.schema.names}
    return acumen.read(io.StringIO(text + "\n"), kinds=kinds)


@pytest.mark.parametrize("learner", [acumen.KNN(3), acumen.KernelFisher(), acumen.OrderedLogistic()])
def test_a_black_box_is_explained_by_what_changing_each_attribute_would_do(learner) -> None:
    model = clone(learner).fit(TABLE)
    row = TABLE.take([3])
    why = model.explain(row)
    instead = {"age": float(np.nanpercentile(TABLE.column("age"), 50, method="inverted_cdf"))}
    levels, counts = np.unique(TABLE.column("plan").astype(str), return_counts=True)
    common = levels[np.argsort(-counts, kind="stable")]
    instead["plan"] = common[1] if row.column("plan")[0] == common[0] else common[0]

    def odds(rows: acumen.Table) -> float:
        shares = dict(zip(model.classes_.tolist(), model.predict_proba(rows)[0].tolist(), strict=True))
        return math.log(max(shares[why.label], 1e-3)) - math.log(max(shares[why.rival], 1e-3))

    told = {reason.attribute: reason for reason in why.reasons}
    assert told["age"].text == f"age is missing rather than {instead['age']:g}"
    for name, other in instead.items():
        expected = odds(row) - odds(_changed(row, name, other))
        assert told[name].log_odds == pytest.approx(expected, abs=1e-9)


def test_where_log_odds_are_a_sum_nothing_is_left_for_attributes_together() -> None:
    model = acumen.OrderedLogistic().fit(TABLE)
    for place in range(0, 40, 4):
        why = model.explain(TABLE.take([place]))
        rest = [part for part in why.evidence if part.role == "rest" and "together" in part.text]
        assert [part.log_odds for part in rest] == pytest.approx([0.0], abs=1e-9)


def test_a_typical_row_is_made_of_medians_and_common_levels_and_a_weight_of_two_is_a_repeated_row() -> None:
    schema = acumen.Schema(
        [
            acumen.Attribute("x"),
            acumen.Attribute("c", "nominal", ("a", "b", "c")),
            acumen.Attribute("o", "ordinal", (1, 2, 3)),
        ]
    )
    x = np.array([1.0, 9.0, np.nan, 4.0, np.inf])
    codes = np.array([[0, 0], [1, 2], [1, 2], [2, -1], [-1, 1]], dtype=np.int32)
    weights = np.array([1.0, 2.0, 1.0, 3.0, 1.0])
    weighted = acumen.Table(schema, 5, numeric=[x], nominal=Block.of_matrix(codes), weights=weights)
    made = Typical.of(weighted)
    assert made is not None and made.numbers.tolist() == [4.0]
    assert made.codes.tolist() == [1, 2] and made.next.tolist() == [2, 1]  # b, then c; 3, and below it 2
    again = np.repeat(np.arange(5), weights.astype(int))
    repeated = Typical.of(
        acumen.Table(schema, 8, numeric=[x[again]], nominal=Block.of_matrix(codes[again].copy()))
    )
    assert repeated is not None and all(
        np.array_equal(one, other)
        for one, other in zip(made.to_arrays().values(), repeated.to_arrays().values(), strict=True)
    )


def test_a_kept_model_gives_the_same_reasons_and_forged_typical_values_are_refused(tmp_path) -> None:
    model = acumen.SVM(probability="platt").fit(TABLE)
    acumen.save(model, tmp_path / "m.acm")
    row = TABLE.take([5])
    assert acumen.load(tmp_path / "m.acm").explain(row) == model.explain(row)
    arrays = model.predictor_.seen.to_arrays()
    for name, wrong in (
        ("typical/numbers", np.zeros(2)), ("typical/codes", np.array([9], dtype=np.int32)),
        ("typical/weight", np.array([-1.0])),
    ):  # fmt: skip
        with pytest.raises(ModelFileError):
            type(model.predictor_.seen).from_arrays(arrays | {name: wrong}, TABLE.schema)


def test_numbers_too_are_explained_by_changes() -> None:
    iris = acumen.datasets.load("iris", target="petal_width")
    why = acumen.KNNRegressor().fit(iris).explain(iris.take([0]))
    assert {reason.attribute for reason in why.reasons} <= set(iris.schema.names) and len(why.reasons) > 1
    assert "rather than" in str(why)
    assert why.start + sum(part.amount for part in why.contributions) == pytest.approx(why.value)
    assert why.start == pytest.approx(iris.response.mean()) and "(average of the training rows)" in str(why)


# -- words and columns -----------------------------------------------------------------------------------


def test_sentences_say_what_speaks_for_and_against_and_how_many_reasons_are_left() -> None:
    parts = (
        Evidence(None, "average of the training rows", math.log(0.25), 40.0, 0.2, role="start"),
        Evidence("x", "x = 1", math.log(3)), Evidence("y", "y = 2", -math.log(2)), Evidence("z", "z = 3", 0.1),
        Evidence("w", "w = 0", 0.0001),
    )  # fmt: skip
    why = Explanation("a", "b", {"a": 0.6, "b": 0.4}, parts)
    assert why.in_words(2) == (
        "a with probability 0.6, rather than b. Starting point: 20.0 % a (average of the training rows). "
        "For it x = 1 (odds x 3.00); against it y = 2 (odds / 2.00); 1 weaker."
    )
    assert str(why).splitlines()[-1] == "  of no weight: w = 0"
    assert [r.attribute for r in why.reasons_for] == ["x", "z"] and len(why.reasons_against) == 1


@given(st.floats(-1e4, 1e4))
def test_effects_are_factors_above_one_and_shares_are_their_odds(amount: float) -> None:
    told = effect(Evidence("x", "x", amount), odds=True)
    assert told.startswith("odds / " if amount < 0 else "odds x ")
    if abs(amount) < 4:
        assert float(told.split()[-1]) == pytest.approx(math.exp(abs(amount)), abs=0.06)
    assert 0 <= share(amount) <= 1 and share(amount) + share(-amount) == pytest.approx(1.0)


def test_of_scores_that_are_no_logarithms_no_odds_are_spoken_of() -> None:
    why = acumen.Perceptron().fit(TABLE).explain(TABLE.take([0]))
    assert why.start is None and "odds" not in str(why) + why.in_words() and "score" in str(why)


def test_columns_have_one_reason_an_attribute_and_none_where_there_are_no_more() -> None:
    row = TABLE.take([0])
    parts = (
        Evidence(None, "start", 1.0, role="start"), Evidence("age", "age > 3", 1.0),
        Evidence("age", "age <= 99", -0.25),
        Evidence("since", "since > 2018-01-01", -0.5), Evidence(None, "age > 3 and calls > 1", 0.125),
    )  # fmt: skip
    why = Explanation("yes", "no", {"yes": 0.8, "no": 0.2}, parts)
    named = dict(zip(headings(4), cells(why, row, 4), strict=True))
    assert (named["rival"], named["start"]) == ("no", round(share(1.0), 4))
    assert [named[f"reason_1_{part}"] for part in ("attribute", "value", "effect", "direction")] == [
        "age", f"{row.column('age')[0]:g}", 0.75, "for",
    ]  # fmt: skip
    assert named["reason_2_value"].startswith("2018-") or named["reason_2_value"].startswith("20")
    assert (named["reason_2_direction"], named["reason_2_effect"]) == ("against", -0.5)
    assert (named["reason_3_attribute"], named["reason_3_value"]) == (None, "age > 3 and calls > 1")
    assert [named[f"reason_4_{part}"] for part in ("attribute", "value", "effect", "direction")] == [None] * 4


def test_line_breaks_in_names_and_classes_stay_on_one_line_in_words_and_as_they_are_in_cells() -> None:
    text = 'a,"si\nze",c\n1,"s\nm","no\nway"\n2,l,yes\n3,"s\nm","no\nway"\n4,l,yes\n'
    table = acumen.read(io.StringIO(text), target="c")
    for learner in (acumen.NaiveBayes(), acumen.Logistic(), acumen.OneR(), acumen.KNN(n_neighbors=1)):
        why = learner.fit(table).explain(table.take([0]))
        assert why.label == "no\nway"
        assert why.in_words().startswith("no\\nway") and "\n" not in why.in_words()
        assert not any(line.startswith(("way", "ze", "m")) for line in str(why).splitlines())
    given = cells(acumen.Logistic().fit(table).explain(table.take([0])), table.take([0]), 2)
    assert {"si\nze", "s\nm"} <= set(given)
    fitted = acumen.Logistic().fit(table)
    assert str(fitted.odds_ratios()).startswith("Odds ratios for c = yes against no\\nway\n")
    steps = str(acumen.NaiveBayes().fit(table).explain(table.take([0]), steps=True))
    assert "P(si\\nze = s\\nm | no\\nway)" in steps
    assert not any(line.startswith(("way", "ze", "m")) for line in steps.splitlines())


def test_a_number_in_a_cell_is_the_rows_own_and_not_rounded_to_six_figures() -> None:
    table = acumen.read(
        io.StringIO("pay,c\n1234567.25,a\n2234567.5,b\n1234568.25,a\n2234569.5,b\n"), target="c"
    )
    row = table.take([0])
    assert cells(acumen.Logistic().fit(table).explain(row), row, 1)[3] == "1234567.25"


def test_one_attribute_that_moves_a_number_is_a_sum_with_steps() -> None:
    table = acumen.read(
        io.StringIO("x,y\n" + "".join(f"{i},{i * 2}\n" for i in range(20))),
        target="y",
        kinds={"y": "numeric"},
    )
    steps = acumen.LinearRegression().fit(table).explain(table.take([3]), steps=True)
    assert [name for name, _ in steps.working.parts] == ["to start from", "x = 3"]
    with pytest.raises(acumen.errors.DataError, match="a mean model is no product or sum"):
        acumen.Mean().fit(table).explain(table.take([3]), steps=True)


@pytest.mark.parametrize(
    ("noun", "said"),
    [("additive", "an"), ("k-means", "a"), ("svm", "an"), ("one-r", "a"), ("ordinal", "an"), ("edit", "an")],
)
def test_models_have_the_article_that_is_spoken(noun: str, said: str) -> None:
    assert acumen.errors.article(noun) == f"{said} {noun}"
