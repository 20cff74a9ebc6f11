"""Odds ratios that may be quoted: numbers of another tool, any reference, honest under penalties, covering."""

from __future__ import annotations

import io
import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen.errors import DataError, ModelFileError, ParameterError
from acumen.linear.logistic import LogisticModel
from acumen.render.forest_plot import ForestFigure, ForestRow, forest_svg, ratio_said

LEVELS = ("basic", "gold", "plus")


def _rows(n: int = 240, seed: int = 7) -> tuple[acumen.Table, acumen.Table]:
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 70, n).astype(float)
    plan = np.array(LEVELS)[rng.integers(0, 3, n)]
    u = rng.random(n)
    z = 0.04 * (age - 45) + np.where(plan == "gold", 0.8, 0) - np.where(plan == "plus", 0.5, 0)
    two = np.where(u < 1 / (1 + np.exp(-z)), "yes", "no")
    e = np.exp(np.c_[np.zeros(n), z, 0.5 * z - 0.3])
    three = np.array(["a", "b", "c"])[
        (u[:, None] > np.cumsum(e / e.sum(1, keepdims=True), 1)).sum(1).clip(max=2)
    ]
    made = [
        acumen.read(pd.DataFrame({"age": age, "plan": plan, "y": y}), target="y", kinds={"age": "numeric"})
        for y in (two, three)
    ]
    return made[0], made[1]


TWO, THREE = _rows()

# statsmodels 0.15.0: Logit and MNLogit, tol=1e-12, on these rows; ratio, low and high of 95 %.
BINARY = {
    "basic": {
        "age": (1.0409031317749384, 1.0211676430650887, 1.0610200363250393),
        "gold": (2.6847296557115623, 1.3585967359853344, 5.3053074053130445),
        "plus": (0.9548468628171966, 0.5078468325962434, 1.7952903767674033),
    },
    "plus": {
        "age": (1.0409031317749384, 1.0211676430650887, 1.061020036325039),
        "basic": (1.047288354752073, 0.557012956199653, 1.9690976408925176),
        "gold": (2.8116861040842616, 1.4176570199631826, 5.576510140729135),
    },
}
SEVERAL = {
    ("a", "b"): {
        "age": (1.0526589096860497, 1.0284886754686062, 1.0773971620412328),
        "gold": (1.536173276532533, 0.6768220384551862, 3.4866304603775804),
        "plus": (0.29133603404362696, 0.1351354962653215, 0.6280857885453331),
    },
    ("a", "c"): {
        "age": (1.0231041090214494, 0.9993769062000523, 1.0473946430047287),
        "gold": (1.4773241069017706, 0.624484954605554, 3.4948584441264035),
        "plus": (0.42531428126372656, 0.19365702398996668, 0.9340856020603325),
    },
    ("c", "b"): {
        "age": (1.028887383408975, 1.0051362431088895, 1.0531997577401897),
        "gold": (1.0398349755181209, 0.4872602008748865, 2.2190541611429593),
        "plus": (0.6849900106292853, 0.3017671860965992, 1.554878516551857),
    },
}


def _triples(found, outcome=None) -> dict[str, tuple[float, float, float]]:
    own = [row for row in found if outcome in (None, row.outcome) and not row.is_reference]
    return {str(row.value or row.attribute): (row.ratio, row.low, row.high) for row in own}


@pytest.mark.parametrize("reference", BINARY)
def test_two_classes_have_the_ratios_and_intervals_of_statsmodels_against_any_level(reference) -> None:
    model = acumen.Logistic(penalty=None, tol=1e-10).fit(TWO)
    found = _triples(model.odds_ratios({"plan": reference}))
    assert found.keys() == BINARY[reference].keys()
    for name, expected in BINARY[reference].items():
        assert found[name] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("pair", SEVERAL, ids="-".join)
def test_several_classes_have_the_ratios_and_intervals_of_statsmodels_against_any_class(pair) -> None:
    model = acumen.Logistic(penalty=None, tol=1e-10).fit(THREE)
    found = _triples(model.odds_ratios(reference_class=pair[0]), pair[1])
    for name, expected in SEVERAL[pair].items():
        assert found[name] == pytest.approx(expected, rel=1e-6)


def test_a_level_of_90_percent_is_statsmodels_too() -> None:
    found = acumen.Logistic(penalty=None, tol=1e-10).fit(TWO).odds_ratios(level=0.9).of("plan", "gold")
    assert (found.low, found.high) == pytest.approx((1.5158247299062722, 4.7550176363086525), rel=1e-6)


def test_turning_classes_or_levels_round_turns_ratios_and_intervals_over() -> None:
    model = acumen.Logistic(penalty=None).fit(TWO)
    for one, other in (
        (model.odds_ratios().of("age"), model.odds_ratios(reference_class="yes").of("age")),
        (
            model.odds_ratios({"plan": "basic"}).of("plan", "gold"),
            model.odds_ratios({"plan": "gold"}).of("plan", "basic"),
        ),
    ):
        assert (1 / one.ratio, 1 / one.high, 1 / one.low) == pytest.approx(
            (other.ratio, other.low, other.high)
        )


def test_more_units_are_a_power_and_an_attribute_in_other_units_has_the_same_ratio() -> None:
    model = acumen.Logistic(penalty=None).fit(TWO)
    ten = model.odds_ratios(units={"age": 10}).of("age")
    one = model.odds_ratios().of("age")
    assert (ten.ratio, ten.low, ten.high) == pytest.approx((one.ratio**10, one.low**10, one.high**10))
    assert ten.text == "age, per 10" and one.text == "age"
    frame = TWO.to_pandas()
    frame["age"] *= 12  # in months
    months = acumen.Logistic(penalty=None).fit(acumen.read(frame, target="y")).odds_ratios(units={"age": 12})
    assert months.of("age").low == pytest.approx(one.low, rel=1e-6)


def test_dates_are_per_day_and_ordered_levels_per_level() -> None:
    rng = np.random.default_rng(0)
    days = np.datetime64("2020-01-01") + rng.integers(0, 400, 80)
    sizes = rng.choice(["low", "mid", "high"], 80)
    lines = [f"{d},{s},{'ab'[i % 2]}" for i, (d, s) in enumerate(zip(days, sizes, strict=True))]
    table = acumen.read(
        io.StringIO("day,size,y\n" + "\n".join(lines) + "\n"), target="y", kinds={"size": "ordinal"},
        levels={"size": ["low", "mid", "high"]},
    )  # fmt: skip
    found = acumen.Logistic(penalty=None).fit(table).odds_ratios(units={"day": 30})
    assert [row.text for row in found] == ["day, per 30 days", "size, per 1 level"]


def test_a_penalty_is_said_and_l1_has_no_intervals() -> None:
    l2 = acumen.Logistic(C=0.1).fit(TWO).odds_ratios()
    none = acumen.Logistic(penalty=None).fit(TWO).odds_ratios()
    assert "no confidence intervals" in l2.note and "no confidence intervals" not in none.note
    assert abs(math.log(l2.of("plan", "gold").ratio)) < abs(math.log(none.of("plan", "gold").ratio))
    assert l2.of("age").low < l2.of("age").ratio < l2.of("age").high
    l1 = acumen.Logistic(penalty="l1", C=0.1).fit(TWO).odds_ratios()
    assert "no interval allows for" in l1.note and all(math.isnan(row.low) for row in l1)


def test_the_default_penalty_has_the_contrasts_error_of_its_own_information() -> None:
    """The information of a ridge, made by hand: columns as the learner has them, penalty on standard units."""
    model = acumen.Logistic(C=0.5, scale=False, tol=1e-10).fit(TWO)
    plan = TWO.column("plan")
    X = np.c_[TWO.column("age"), *[(plan == level).astype(float) for level in LEVELS], np.ones(len(TWO))]
    p = model.predict_proba(TWO)[:, 1]
    information = (X * (p * (1 - p))[:, None]).T @ X + np.diag([2.0, 2.0, 2.0, 2.0, 0.0])
    contrast = np.array([0.0, -1.0, 1.0, 0.0, 0.0])
    error = math.sqrt(contrast @ np.linalg.inv(information) @ contrast)
    found = model.odds_ratios().of("plan", "gold")
    assert found.error == pytest.approx(error, rel=1e-6)
    assert math.log(found.high / found.low) == pytest.approx(2 * 1.959963984540054 * error, rel=1e-6)


def test_levels_without_rows_are_left_out_and_the_first_with_rows_is_the_reference() -> None:
    schema = acumen.Schema(
        [acumen.Attribute("c", "nominal", ("never", "a", "b"))], acumen.Attribute("y", "nominal", ("n", "p"))
    )
    codes = np.array([1, 1, 2, 2] * 10, dtype=np.int32)
    labels = np.array([0, 1, 1, 0, 1, 1, 0, 1] * 5, dtype=np.int32)
    table = acumen.Table(schema, 40, nominal=[codes], labels=labels)
    found = acumen.Logistic(penalty=None).fit(table).odds_ratios()
    assert [(row.value, row.is_reference) for row in found] == [("a", True), ("b", False)]
    with pytest.raises(ParameterError, match="levels with training rows \\(a, b\\)"):
        acumen.Logistic(penalty=None).fit(table).odds_ratios({"c": "never"})


def test_what_cannot_be_asked_is_refused_in_sentences() -> None:
    model = acumen.Logistic().fit(TWO)
    for wrong, sentence in (
        ({"reference_levels": {"plan": "golt"}}, "Did you mean 'gold'"),
        ({"reference_levels": {"plna": "gold"}}, "no attribute"),
        ({"reference_levels": {"age": 3}}, "has no reference level"), ({"units": {"plan": 2}}, "has no unit"),
        ({"units": {"age": 0}}, "other than 0"), ({"level": 95}, "between 0 and 1"),
        ({"reference_class": "maybe"}, "a class"),
    ):  # fmt: skip
        with pytest.raises(ParameterError, match=sentence):
            model.odds_ratios(**wrong)
    one = acumen.Logistic().fit(np.zeros((4, 1)), np.zeros(4, dtype=int))
    with pytest.raises(DataError, match="only one class"):
        one.odds_ratios()


def test_older_files_have_intervals_for_numbers_alone_and_forged_covariances_are_refused() -> None:
    model = acumen.Logistic(penalty=None).fit(TWO)
    arrays = model.model_.to_arrays()
    old = LogisticModel.from_arrays({k: v for k, v in arrays.items() if k != "covariance"}, TWO.schema)
    found = old.odds_ratios(TWO.schema)
    assert found.of("age").low == pytest.approx(model.odds_ratios().of("age").low)
    assert math.isnan(found.of("plan", "gold").low) and "not kept" in found.note
    for wrong in (np.eye(3), -np.eye(4), np.triu(np.ones((4, 4)))):
        with pytest.raises(ModelFileError):
            LogisticModel.from_arrays(arrays | {"covariance": wrong}, TWO.schema)


def test_descriptions_have_ratios_with_intervals_against_the_first_level() -> None:
    said = acumen.Logistic(penalty=None).fit(TWO).describe()
    line = next(line for line in said.splitlines() if line.strip().startswith("plan=gold"))
    assert line.rstrip().endswith("2.68    1.36 to 5.31")
    assert any(line.rstrip().endswith("reference") for line in said.splitlines() if "plan=basic" in line)


def test_the_same_in_words_in_json_and_drawn() -> None:
    found = acumen.Logistic(penalty=None).fit(TWO).odds_ratios()
    assert "plan = gold" in str(found) and "1.36 to 5.31" in str(found)
    made = json.loads(json.dumps(found.to_dict()))
    assert made["rows"][1]["value"] == "basic" and made["rows"][1]["low"] is None
    drawn = found._repr_svg_()
    assert drawn.count("<circle") == len(found) == 4 and "2.68 (1.36 to 5.31)" in drawn
    assert (
        str(acumen.Logistic().fit(THREE).odds_ratios()).count("against a\n") == 3
    )  # a heading, and two classes


def test_a_forest_of_separated_ratios_stays_in_its_panel() -> None:
    rows = [ForestRow("a", 2.0, 0.0, math.inf), ForestRow("b", 1.5, 1.2, 1.9), ForestRow("c", math.inf)]
    drawn = forest_svg(ForestFigure(tuple(rows)))
    assert "nan" not in drawn and "1 without a finite ratio are not shown" in drawn
    assert "No odds ratio is finite" in forest_svg(ForestFigure(()))


@given(st.floats(1e-12, 1e12))
def test_a_ratio_in_words_is_near_the_ratio_and_never_on_the_other_side_of_one(ratio: float) -> None:
    said = float(ratio_said(ratio))
    assert said == pytest.approx(ratio, rel=0.006)
    assert (said - 1) * (ratio - 1) >= 0


@pytest.mark.slow
def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    """Of 800 tables of 300 rows 95 % intervals hold the true ratios in 93.4 to 96.6 % (about 3 standard errors)."""
    held = {"age": 0, "plan": 0}
    times = 800
    for seed in range(times):
        table, _ = _rows(300, 1000 + seed)
        found = acumen.Logistic(penalty=None).fit(table).odds_ratios({"plan": "plus"})
        age, gold = found.of("age"), found.of("plan", "gold")
        held["age"] += age.low <= math.exp(0.04) <= age.high
        held["plan"] += gold.low <= math.exp(1.3) <= gold.high  # 0.8 against -0.5
    for count in held.values():
        assert abs(count / times - 0.95) < 3 * math.sqrt(0.95 * 0.05 / times)
