"""OneR: the worked tables, brute force, buckets, and what it does at the edges."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen import _native
from acumen.bayes.oner_model import OneRModel
from acumen.conditions.condition import Condition
from acumen.errors import DataError, ModelFileError, ParameterError
from acumen.models.summary_arrays import summary_arrays
from acumen.rows.weights import in_units
from reference import buckets as twin
from reference.oner import one_r
from tables import loan, table_of, weather

NAN = math.nan


def test_the_loan_table_is_ruled_by_own_house() -> None:
    # Own_house errs on 3 of 15 rows, as Credit_Rating does, which comes later; Has_Job on 4, Age on 5.
    model = acumen.OneR().fit(loan())
    assert [str(rule) for rule in model.to_rules()] == [
        "if Own_house = false then No  (support 6/15, confidence 6/9)",
        "if Own_house = true then Yes  (support 6/15, confidence 6/6)",
    ]
    assert model.model_.errors.tolist() == [5, 4, 3, 3]
    assert model.score(loan()) == 12 / 15
    lines = model.describe().splitlines()
    assert lines[1] == "wrong on 3 of 15 training rows (20.0 %)"
    assert lines[2] == "next best: Credit_Rating 3, Has_Job 4, Age 5"


def test_of_outlook_and_humidity_that_err_equally_the_first_is_taken() -> None:
    model = acumen.OneR().fit(weather())
    assert model.model_.errors.tolist() == [4, 5, 4, 5]
    assert {rule.conditions[0].attribute for rule in model.to_rules()} == {"outlook"}
    turned = acumen.OneR().fit(weather().select(["windy", "humidity", "outlook"]))
    assert {rule.conditions[0].attribute for rule in turned.to_rules()} == {"humidity"}


def test_probabilities_are_the_smoothed_shares_of_the_level() -> None:
    table = loan()
    rows = table.take([0, 3])  # no house, house
    assert acumen.OneR(alpha=0).fit(table).predict_proba(rows).tolist() == pytest.approx(
        np.array([[6 / 9, 3 / 9], [0, 1]])
    )
    assert acumen.OneR().fit(table).predict_proba(rows) == pytest.approx(
        np.array([[7 / 11, 4 / 11], [1 / 8, 7 / 8]])
    )


def test_holtes_buckets_close_when_the_class_changes_and_enough_is_in_them() -> None:
    # Temperatures of the weather problem, min_bucket 3 (Witten and Frank, section 4.1): buckets 64-70, 71-75
    # and 80-85, the first two both of class yes; the last has two of each class, so it joins them too.
    degrees = [64, 65, 68, 69, 70, 71, 72, 72, 75, 75, 80, 81, 83, 85]
    play = "yes no yes yes yes no no yes yes yes no yes yes no".split()  # noqa: SIM905
    table = table_of({"temperature": [float(d) for d in degrees]}, play, classes=("yes", "no"))
    model = acumen.OneR(min_bucket=3).fit(table)
    assert model.model_.edges.tolist() == []
    assert model.model_.errors.tolist() == [5]
    play[12] = "no"
    table = table_of({"temperature": [float(d) for d in degrees]}, play, classes=("yes", "no"))
    model = acumen.OneR(min_bucket=3).fit(table)
    assert model.model_.edges.tolist() == [77.5]
    assert [str(rule) for rule in model.to_rules()] == [
        "if temperature <= 77.5 then yes  (support 7/14, confidence 7/10)",
        "if temperature > 77.5 then no  (support 3/14, confidence 3/4)",
    ]


def test_equal_values_are_never_parted_and_neighbours_of_one_class_are_joined() -> None:
    table = table_of({"x": [1.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0]}, list("aababab"))
    model = acumen.OneR(min_bucket=1).fit(table)
    edges = model.model_.edges.tolist()
    assert set(edges) <= {1.5, 2.5}
    labels = [rule.label for rule in model.to_rules()]
    assert all(a != b for a, b in itertools.pairwise(labels))


@given(
    st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), max_size=30),
    st.sampled_from([0.5, 1.0, 3.0, 6.0]),
)
def test_the_kernel_closes_buckets_where_its_twin_does(lines: list[list[int]], least: float) -> None:
    weights = np.array(lines, dtype=np.float64).reshape(-1, 3)
    assert _native.bucket_starts(weights, least).tolist() == twin.bucket_starts(weights, least)


@st.composite
def tables(draw: st.DrawFn) -> Any:
    n = draw(st.integers(1, 14))

    def column(values: list[Any]) -> list[Any]:
        return draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))

    columns = {
        "a": column([0.0, 1.0, 2.0, 3.5, NAN]),
        "b": column(["p", "q", "r", None]),
        "c": column(["red box", "blue box", "red", "", None]),
        "d": column([1.0, 2.0]),
    }
    order = draw(st.permutations(list(columns)))
    weights = draw(st.none() | st.lists(st.sampled_from([1.0, 2.0, 0.5]), min_size=n, max_size=n))
    return table_of(
        {name: columns[name] for name in order},
        column(["x", "y", "z"]),
        levels={"b": ("p", "q", "r", "never")},
        classes=("x", "y", "z"),
        text=("c",),
        weights=weights,
    )


@given(tables(), st.sampled_from([1, 2, 3, 6]))
def test_oner_equals_brute_force(table: Any, min_bucket: int) -> None:
    model = acumen.OneR(min_bucket=min_bucket).fit(table)
    table = in_units(table, len(table) / table.total_weight if (table.weights % 1).any() else 1.0)
    chosen, errors = one_r(table, min_bucket)
    assert table.schema.names[model.model_.attribute] == chosen
    assert model.model_.errors.tolist() == pytest.approx([errors[name] for name in table.schema.names])
    truth, said = table.label_values(), model.predict(table)
    wrong = table.row_weights[truth != said].sum()
    assert wrong == pytest.approx(errors[chosen])


@given(tables())
def test_the_rules_say_what_the_model_predicts(table: Any) -> None:
    model = acumen.OneR(min_bucket=2).fit(table)
    assert model.to_rules().predict(table).tolist() == model.predict(table).tolist()
    weight = len(table) if (table.weights % 1).any() else table.total_weight
    assert sum(rule.covered_weight for rule in model.to_rules()) == pytest.approx(weight)


@given(tables(), st.data())
def test_summaries_of_parts_add_to_the_model_of_all_rows(table: Any, data: Any) -> None:
    cut = data.draw(st.integers(0, len(table)))
    learner = acumen.OneR(min_bucket=2)
    parts = [part for part in (table.take(slice(0, cut)), table.take(slice(cut, None))) if len(part)]
    streamed = acumen.OneR(min_bucket=2).fit_stream(parts)
    whole = learner.fit(table)
    for name, array in whole.model_.to_arrays().items():
        np.testing.assert_array_equal(array, streamed.model_.to_arrays()[name])


def test_a_missing_value_is_a_level_and_an_unseen_one_answers_by_the_class_frequencies() -> None:
    table = table_of({"a": ["p", "p", "q", None, None]}, list("xxyyy"), levels={"a": ("p", "q", "r")})
    model = acumen.OneR(alpha=0).fit(table)
    asked = table_of({"a": ["p", None, "r", "stranger"]}, levels={"a": ("p", "q", "r")})
    assert model.predict_proba(asked) == pytest.approx(np.array([[1, 0], [0, 1], [0.4, 0.6], [0.4, 0.6]]))
    assert "never seen" in str(model.explain(asked.take([3])))
    assert [str(r) for r in model.to_rules()][2].startswith("if a is missing then y")


def test_a_number_missing_only_in_prediction_answers_by_the_class_frequencies() -> None:
    table = table_of({"a": [1.0] * 6 + [2.0] * 6}, list("xxxxxxyyyyyy"))
    model = acumen.OneR().fit(table)
    asked = table_of({"a": [NAN, -math.inf, math.inf, 1e300]})
    assert model.predict_proba(asked)[0] == pytest.approx([0.5, 0.5])
    assert model.predict(asked)[1:].tolist() == ["x", "y", "y"]


def test_infinite_training_numbers_count_as_errors() -> None:
    table = table_of({"a": [1.0, 1.0, math.inf], "b": [0.0, 0.0, 0.0]}, list("xxx"))
    assert acumen.OneR().fit(table).model_.errors.tolist() == [1, 0]


def test_a_text_is_judged_by_its_best_word() -> None:
    table = table_of({"t": ["buy now", "hello you", None, "Buy it", "you"]}, list("shhsh"), text=("t",))
    model = acumen.OneR().fit(table)
    assert model.to_rules()[0].conditions == (Condition("t", "has", "buy"),)
    assert model.predict(table).tolist() == list("shhsh")
    assert "has no 'buy'" in str(model.explain(table.take([1])))


def test_sparse_rows_learn_what_dense_ones_do() -> None:
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(3)
    X = rng.integers(0, 4, (60, 5)).astype(float)
    y = (X[:, 3] > 1).astype(int)
    dense, sparse = acumen.OneR().fit(X, y), acumen.OneR().fit(csr_matrix(X), y)
    assert dense.model_.attribute == sparse.model_.attribute == 3
    assert np.array_equal(sparse.predict_proba(csr_matrix(X)), dense.predict_proba(X))


def test_a_table_without_attributes_leaves_the_class_frequencies() -> None:
    model = acumen.OneR().fit(table_of({}, list("xxy")))
    assert model.predict_proba(table_of({}, list("xx")))[0] == pytest.approx([2 / 3, 1 / 3])
    assert "without attributes" in str(model)
    assert model.explain(table_of({}, ["x"])).label == "x"
    assert OneRModel.from_arrays(model.model_.to_arrays(), model.schema_).attribute == -1


def test_explained_evidence_adds_up_to_the_log_odds() -> None:
    model = acumen.OneR().fit(weather())
    for row in range(14):
        one = weather().take([row])
        why = model.explain(one)
        first, second = sorted(model.predict_proba(one)[0].tolist(), reverse=True)
        assert why.log_odds == pytest.approx(math.log(first / second))


@pytest.mark.parametrize("parameters", [{"min_bucket": 0}, {"alpha": -1}, {"min_bucket": "six"}])
def test_parameters_out_of_range_are_refused_in_a_sentence(parameters: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=f"OneR: {next(iter(parameters))} must be"):
        acumen.OneR(**parameters).fit(loan())


@pytest.mark.parametrize("table", [loan(), table_of({"x": [1.0, 2.0, 3.0, 9.0]}, list("aabb")),
                                   table_of({"t": ["p q", "q", "p", None]}, list("abab"), text=("t",))])  # fmt: skip
def test_a_stored_model_predicts_the_same_and_a_forged_one_is_refused(table: Any) -> None:
    model = acumen.OneR(min_bucket=1).fit(table)
    arrays, schema = model.model_.to_arrays(), model.schema_
    again = OneRModel.from_arrays(arrays, schema)
    assert np.array_equal(again.scores(table), model.model_.scores(table))
    forged: list[dict[str, Any]] = [
        {"attribute": np.array([99], dtype=np.int32)},
        {"attribute": np.array([-1], dtype=np.int32)},
        {"edges": np.array([2.0, 1.0])},
        {"word": np.array([255], dtype=np.uint8)},
        {"counts": -arrays["counts"] - 1},
        {"counts": arrays["counts"][:-1]},
        {"log_share": np.zeros_like(arrays["log_share"])},
        {"weight": np.zeros_like(arrays["weight"])},
        {"errors": arrays["errors"][:0]},
    ]
    for change in forged:
        with pytest.raises(ModelFileError):
            OneRModel.from_arrays({**arrays, **change}, schema)
    for name in arrays:
        with pytest.raises(ModelFileError, match=name):
            OneRModel.from_arrays({k: v for k, v in arrays.items() if k != name}, schema)


def test_a_stored_summary_goes_on_learning_and_a_forged_one_is_refused() -> None:
    table = table_of(
        {"x": [1.0, 2.0, NAN, 9.0], "t": ["p q", "q", "p", None], "n": list("uvuv")},
        list("abab"),
        text=("t",),
    )
    learner = acumen.OneR(min_bucket=1).fit(table)
    arrays, plan = summary_arrays(learner.summary_), learner.plan_
    again = acumen.OneR.restore_summary(
        arrays, learner.schema_, acumen.OneR.restore_plan(plan.to_arrays(), learner.schema_)
    )
    twice = again + learner.summary_
    assert twice.class_totals.tolist() == [4, 4]
    for name in arrays:
        with pytest.raises(ModelFileError):
            acumen.OneR.restore_summary({**arrays, name: -1 - arrays[name]}, learner.schema_, plan)


def test_a_learner_needs_labels() -> None:
    with pytest.raises(DataError, match="OneR"):
        acumen.OneR().fit(table_of({"a": [1.0]}))
