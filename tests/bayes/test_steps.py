"""The arithmetic of naive Bayes, written down: counts as fractions, their product, and what normalising makes of it."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen.explain.arithmetic import ProductWorking, WorkingProduct
from acumen.models.worked_explanations import explain_steps
from iris_tables import sepals
from tables import table_of

pytestmark = pytest.mark.filterwarnings("ignore::acumen.errors.AcumenWarning")


def products(learner: Any, row: Any) -> dict[Any, WorkingProduct]:
    working = learner.explain(row, steps=True).working
    assert isinstance(working, ProductWorking)
    return {each.label: each for each in working.products}


def test_w002_14_the_products_are_those_of_the_document() -> None:
    learner = acumen.NaiveBayes(estimator="mle").fit(acumen.datasets.load("bayes-abc"))
    why = learner.explain({"A": "m", "B": "q"}, steps=True)
    assert "1/2 x 2/5 x 2/5 = 2/25" in str(why)
    assert "1/2 x 1/5 x 2/5 = 1/25" in str(why)
    found = products(learner, {"A": "m", "B": "q"})
    assert found["t"].exact == Fraction(2, 25)
    assert found["f"].exact == Fraction(1, 25)
    assert found["t"].share == pytest.approx(2 / 3, rel=1e-12)
    assert "2/25 / (2/25 + 1/25) = 2/3" in str(why)


def test_w000_10_only_the_zero_count_is_smoothed() -> None:
    """(1/54)(13/50) and (43/100)(2/100), times the priors 1/3 and 2/3."""
    length, width, label = [], [], []
    for name, lengths, widths in (
        ("c1", (39, 11, 0, 0), (1, 36, 13)),
        ("c2", (6, 39, 43, 12), (46, 52, 2)),
    ):
        length += [f"l{i}" for i, n in enumerate(lengths) for _ in range(n)]
        width += [f"w{i}" for i, n in enumerate(widths) for _ in range(n)]
        label += [name] * sum(lengths)
    table = table_of({"length": length, "width": width}, label)
    found = products(acumen.NaiveBayes(smooth_only_zeros=True).fit(table), {"length": "l2", "width": "w2"})
    assert found["c1"].exact == Fraction(1, 3) * Fraction(1, 54) * Fraction(13, 50)
    assert found["c2"].exact == Fraction(2, 3) * Fraction(43, 100) * Fraction(2, 100)
    assert [line.number.words for line in found["c1"].lines] == ["50/150", "(0 + 1)/(50 + 4)", "13/50"]


def test_w000_09_densities_have_their_numbers_put_in() -> None:
    learner = acumen.NaiveBayes(var_floor=0.0).fit(sepals())
    found = list(products(learner, {"length": 6.75, "width": 4.25}).values())
    likelihoods = [math.exp(each.log - each.lines[0].number.log) for each in found]
    assert likelihoods == pytest.approx([3.9984048539e-07, 9.5965688629e-05], rel=1e-9)
    assert found[0].lines[1].number.words == "1/sqrt(2 pi 0.121764) exp(-(6.75 - 5.006)^2 / (2 x 0.121764))"
    assert found[1].lines[2].number.words == "1/sqrt(2 pi 0.109616) exp(-(4.25 - 2.872)^2 / (2 x 0.109616))"


@given(st.data())
def test_the_products_are_the_scores_and_the_shares_the_probabilities(data: st.DataObject) -> None:
    n = data.draw(st.integers(4, 12))
    cells = st.sampled_from(["a", "b", "c", None])
    table = table_of(
        {
            "x": [*data.draw(st.lists(cells, min_size=n, max_size=n)), "a"],
            "z": [*data.draw(st.lists(st.floats(-9, 9), min_size=n, max_size=n)), 1.0],
        },
        ["p", "q", *data.draw(st.lists(st.sampled_from(["p", "q"]), min_size=n - 1, max_size=n - 1))],
    )
    numeric = data.draw(st.sampled_from(["gaussian", "histogram", "kernel", "discretise"]))
    learner = acumen.NaiveBayes(
        alpha=data.draw(st.sampled_from([0.5, 1.0, 2.0])),
        numeric=numeric,
        estimator=data.draw(st.sampled_from(["bayes", "mle"])),
        priors=data.draw(st.sampled_from([None, "uniform"])),
        attribute_weights=data.draw(st.sampled_from([None, {"x": 2.0}, {"z": 0.5}])),
    ).fit(table)
    row = table.take([data.draw(st.integers(0, n))])
    with np.errstate(all="ignore"):
        scores = learner.predictor_.scores(row)[0]
        shares = learner.predict_proba(row)[0]
    for each, score, share in zip(products(learner, row).values(), scores, shares, strict=True):
        assert each.log == pytest.approx(score, rel=1e-9, abs=1e-9) or each.log == score
        assert each.share == pytest.approx(share, abs=1e-12)
        if each.exact is not None:
            assert float(each.exact) == pytest.approx(math.exp(score), rel=1e-9)


def test_missing_values_and_unseen_levels_are_skipped_and_that_is_said() -> None:
    learner = acumen.NaiveBayes().fit(acumen.datasets.load("weather"))
    said = str(
        learner.explain({"outlook": "foggy", "windy": None, "humidity": None, "temperature": 70}, steps=True)
    )
    assert "outlook: this level was never seen in training" in said
    assert "windy: missing, and skipped." in said
    assert "P(humidity" not in said


def test_weights_are_counts_and_heavier_attributes_powers() -> None:
    table = table_of(
        {
            "x": ["a", "a", "b"],
        },
        ["p", "q", "p"],
        weights=[2.5, 1.0, 0.5],
    )
    found = products(acumen.NaiveBayes(estimator="mle").fit(table), {"x": "a"})
    assert found["p"].exact == Fraction(3, 4) * Fraction(5, 6)
    found = products(acumen.NaiveBayes(estimator="mle", attribute_weights={"x": 2}).fit(table), {"x": "a"})
    assert found["p"].exact == Fraction(3, 4) * Fraction(25, 36)
    two = table_of({"x": ["a", "a", "b"], "z": ["u", "v", "v"]}, ["p", "q", "p"])
    learner = acumen.NaiveBayes(attribute_weights={"x": "ignore"}).fit(two)
    assert "x is ignored: its weight is 0." in str(learner.explain({"x": "a", "z": "u"}, steps=True))


def test_words_show_their_counts() -> None:
    table = table_of({"text": ["good good film", "bad film", "good"]}, ["p", "n", "p"], text=["text"])
    found = products(acumen.NaiveBayes().fit(table), {"text": "good good"})
    line = found["p"].lines[1]
    assert line.name == "P(text has 'good', 2 times | p)"
    assert line.number.words == "((3 + 1)/(4 + 1 x 3))^2"
    assert line.number.exact == Fraction(16, 49)


def test_all_products_zero_prefers_nobody() -> None:
    table = table_of(
        {
            "x": ["a", "b"],
            "z": ["u", "v"],
        },
        ["p", "q"],
    )
    said = str(acumen.NaiveBayes(estimator="mle").fit(table).explain({"x": "a", "z": "v"}, steps=True))
    assert "Every product is 0" in said


def test_steps_survive_the_file_and_names_are_safe(tmp_path: Path) -> None:
    table = table_of(
        {
            "x": ["\x1b[2J", "b", "b"],
        },
        ["p", "q", "p"],
    )
    learner = acumen.NaiveBayes().fit(table)
    acumen.save(learner, tmp_path / "m.acumen")
    again = acumen.store.open(tmp_path / "m.acumen")
    row = table.take([0])
    assert str(explain_steps(again, row)) == str(learner.explain(row, steps=True))
    assert "\x1b" not in str(learner.explain(row, steps=True))
    json.dumps(learner.explain(row, steps=True).to_dict())


# -- sums -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [acumen.Logistic(), acumen.Perceptron(random_state=0), acumen.Fisher()])
def test_a_linear_model_shows_its_sum(learner: Any) -> None:
    table = acumen.datasets.load("weather")
    row = table.take([3])
    why = learner.fit(table).explain(row, steps=True)
    scores = learner.predictor_.scores(row)[0]
    assert sum(value for _, value in why.working.parts) == pytest.approx(abs(scores[1] - scores[0]), rel=1e-6)


def test_a_regression_shows_what_its_number_is_made_of() -> None:
    learner = acumen.LinearRegression().fit([[0, 1], [1, 0], [2, 0], [3, 1]], [2.0, 2.5, 4.5, 8.0])
    why = learner.explain([1, 0], steps=True)
    assert sum(value for _, value in why.working.parts) == pytest.approx(why.value)
    assert f"= {why.value:.6g}" in str(why)


def test_a_model_without_steps_says_so_in_a_sentence() -> None:
    table = acumen.datasets.load("weather")
    with pytest.raises(acumen.errors.DataError, match="no product or sum"):
        acumen.KNN().fit(table).explain(table.take([0]), steps=True)
