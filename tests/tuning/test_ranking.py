"""Attributes ranked by what each says by itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen.errors import DataError, ParameterError
from acumen.tuning.attribute_worth import MEASURES
from acumen.tuning.relief import _columns, relief
from reference import relief_twin


@pytest.fixture(scope="module")
def iris():
    return acumen.datasets.load("iris")


def mixed(n=60, seed=0, gaps=0.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    frame = {
        "a": y + rng.normal(0, 0.6, n),
        "b": rng.normal(size=n),
        "c": np.where(rng.random(n) < 0.7, y, rng.integers(0, 3, n)),
        "d": rng.integers(0, 4, n),
    }
    for name in frame:
        column = frame[name].astype(float)
        column[rng.random(n) < gaps] = np.nan
        frame[name] = column
    X = np.column_stack([*frame.values(), y])
    import pandas

    made = pandas.DataFrame(X, columns=[*frame, "y"])
    for name in ("c", "d"):
        made[name] = made[name].map(lambda v: None if np.isnan(v) else f"l{int(v)}")
    made["y"] = made["y"].map(lambda v: f"k{int(v)}")
    return acumen.read(made, target="y")


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.2]), st.integers(1, 6))
def test_relief_is_its_definition(seed, gaps, k):
    table = mixed(24, seed, gaps)
    values, level = _columns(table, np.arange(len(table)))
    expected = relief_twin.relief(values, level, table.labels, k)
    assert relief(table, table.labels, k) == pytest.approx(expected, abs=1e-12)


def test_relief_does_not_depend_on_threads_or_the_names_of_classes(iris):
    one = relief(iris, iris.labels, 10, n_jobs=1)
    assert np.array_equal(one, relief(iris, iris.labels, 10, n_jobs=2))
    assert relief(iris, 2 - iris.labels, 10) == pytest.approx(one, abs=1e-12)


def test_relief_of_a_handful_by_hand():
    # Two classes apart in x and alike in z; every nearest hit differs by 0.1 / 1.1 in x, every miss by about one.
    X = np.array([[0.0, 0.0], [0.1, 1.0], [1.0, 0.0], [1.1, 1.0]])
    table = acumen.read(np.column_stack([X, [0, 0, 1, 1]]), target=2)
    made = relief(table, table.labels, 1)
    # each row: hit differs by (1/11, 1); the nearest miss by (10/11, 0)
    assert made == pytest.approx([9 / 11, -1.0])


def test_gain_is_that_of_the_mdl_cuts_and_of_levels(iris):
    found = {e.attribute: e.score for e in acumen.rank_attributes(iris, by="gain")}
    from acumen.preprocessing import EntropyMDL
    from acumen.profiling.contingency import ContingencyTable

    cut = EntropyMDL().fit(iris).transform(iris)
    for attribute, codes in cut.nominal_columns():
        assert found[attribute.name] == pytest.approx(
            ContingencyTable.of(codes, cut.labels, cut.weights).gain
        )


def test_anova_is_the_f_test_of_scikit_learn(iris):
    f_classif = pytest.importorskip("sklearn.feature_selection").f_classif
    X = np.column_stack(iris.numeric.columns)
    f, p = f_classif(X, iris.labels)
    found = {e.attribute: e for e in acumen.rank_attributes(iris, by="anova")}
    for name, one, chance in zip(iris.schema.names, f, p, strict=True):
        assert found[name].score == pytest.approx(one)
        assert found[name].raw_p == pytest.approx(chance, rel=1e-6)


def test_mutual_information_is_near_that_of_a_known_channel():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 4000)
    table = acumen.read(np.column_stack([y + rng.random(4000) * 0.5, rng.random(4000), y]), target=2)
    told = {e.attribute: e.score for e in acumen.rank_attributes(table, by="mutual")}
    assert told["x0"] == pytest.approx(1.0, abs=0.02)  # the classes do not overlap: one bit
    assert told["x1"] == pytest.approx(0.0, abs=0.04)
    x = rng.normal(size=3000)
    z = 0.8 * x + 0.6 * rng.normal(size=3000)
    numbers = acumen.rank_attributes(acumen.read(np.column_stack([x, z]), target=1), by="mutual")
    assert numbers[0].score == pytest.approx(-0.5 * math.log2(1 - 0.64), abs=0.08)


@pytest.mark.parametrize("by", MEASURES)
def test_every_measure_puts_what_matters_first(by):
    if by == "near-constant":
        pytest.skip("looks at no class")
    table = mixed(400, 3)
    names = acumen.rank_attributes(table, by=by).names
    assert set(names[:2]) <= {"a", "c"} or by == "anova"
    assert names[0] in ("a", "c")


@pytest.mark.slow
@pytest.mark.parametrize("by", ["gain", "chi2", "correlation", "mutual"])
def test_chances_of_noise_err_at_their_level(by):
    """Cuts that look at the classes would find something in most of these."""
    rng = np.random.default_rng(5)
    chances = []
    for _ in range(6):
        X = np.column_stack(
            [rng.normal(size=(150, 22)), rng.integers(0, 3, (150, 3)), rng.integers(0, 3, 150)]
        )
        table = acumen.read(X, target=25)
        chances += [e.raw_p for e in acumen.rank_attributes(table, by=by) if e.raw_p is not None]
    n = len(chances)
    for level in (0.05, 0.2):
        share = np.mean(np.array(chances) <= level)
        assert share <= level + 3.5 * math.sqrt(level * (1 - level) / n)
        assert share >= level - 4.5 * math.sqrt(level * (1 - level) / n)


def test_permutations_do_everything_anew_and_err_at_their_level():
    rng = np.random.default_rng(6)
    X = np.column_stack([rng.normal(size=(60, 40)), rng.integers(0, 2, 60)])
    table = acumen.read(X, target=40)
    chances = [e.raw_p for e in acumen.rank_attributes(table, by="gini", permutations=39)]
    # MDL leaves most noise uncut, where every permutation comes to as much.
    assert np.mean(np.array(chances) <= 0.05) <= 0.05 + 3.5 * math.sqrt(0.05 * 0.95 / 40)
    told = acumen.rank_attributes(mixed(60, 2), by="relief", permutations=39)
    assert {e.attribute: e.raw_p for e in told}["a"] == pytest.approx(1 / 40)


def test_chances_are_corrected_for_their_number(iris):
    holm = acumen.rank_attributes(iris, by="anova")
    bh = acumen.rank_attributes(iris, by="anova", correction="bh")
    for one, other in zip(holm, bh, strict=True):
        assert one.attribute == other.attribute
        assert one.raw_p <= other.p <= one.p <= 4 * one.raw_p


def test_attributes_that_say_the_same_stand_in_one_group(iris):
    assert acumen.rank_attributes(iris, by="gain").groups == (("petal_width", "petal_length"),)
    assert acumen.rank_attributes(iris, by="gain", redundant=1.0).groups == ()


def test_a_whole_weight_is_a_repeated_row():
    table = mixed(50, 4, 0.1)
    rng = np.random.default_rng(0)
    times = rng.integers(1, 4, 50)
    from acumen.checks.data import with_weights

    for by in ("gain", "gain-ratio", "gini", "chi2", "correlation", "anova", "near-constant"):
        heavy = acumen.rank_attributes(with_weights(table, times.astype(float)), by=by)
        long = acumen.rank_attributes(table.take(np.repeat(np.arange(50), times)), by=by)
        a, b = ({e.attribute: e.score for e in one} for one in (heavy, long))
        assert a == pytest.approx(b, nan_ok=True), by


def test_rare_and_constant_columns_come_last_by_near_constant():
    X = np.zeros((100, 4))
    X[:3, 1] = 1
    X[:97, 2] = 1
    X[:50, 3] = 1
    ranking = acumen.rank_attributes(acumen.read(X), by="near-constant")
    assert [(e.attribute, round(e.score, 2)) for e in ranking] == [
        ("x3", 0.5), ("x1", 0.03), ("x2", 0.03), ("x0", 0.0)
    ]  # fmt: skip
    kept = acumen.Filter(by="near-constant").fit(acumen.read(X)).attributes_
    assert kept == ("x3",)


def test_odd_wishes_are_refused_in_a_sentence(iris):
    with pytest.raises(ParameterError, match=r"by must be one of .* Did you mean"):
        acumen.rank_attributes(iris, by="gian")
    with pytest.raises(DataError, match="has none; name one"):
        acumen.rank_attributes(acumen.read(np.eye(3)), by="gain")
    numbers = acumen.read(np.random.default_rng(0).normal(size=(30, 3)), target=2)
    with pytest.raises(DataError, match="is for classes, and the target is numeric"):
        acumen.rank_attributes(numbers, by="gain")
    with pytest.raises(ParameterError, match="k must be a whole number"):
        acumen.rank_attributes(iris, by="relief", n_neighbors=0)


def test_degenerate_tables_have_a_ranking():
    for X, y in (
        (np.full((6, 2), np.nan), [0, 1] * 3),
        (np.ones((6, 2)), [0, 1] * 3),
        (np.arange(12.0).reshape(6, 2), [1] * 6),
    ):
        table = acumen.read(np.column_stack([X, y]), target=2, kinds={"x0": "numeric", "x1": "numeric"})
        for by in MEASURES:
            ranking = acumen.rank_attributes(table, by=by)
            assert len(ranking) == 2 and all(e.score <= 1.0 for e in ranking if math.isfinite(e.score))


def test_a_filter_looks_at_training_rows_alone(iris):
    """Other labels in rows that are not learned from change nothing."""
    rng = np.random.default_rng(0)
    train = np.sort(rng.permutation(150)[:100])
    kept = acumen.Filter(keep=2).fit(iris.take(train))
    moved = iris.labels.copy()
    rest = np.setdiff1d(np.arange(150), train)
    moved[rest] = rng.permutation(moved[rest])
    from acumen.rows.intake import replace_target

    other = replace_target(iris, iris.schema, moved, iris.weights)
    again = acumen.Filter(keep=2).fit(other.take(train))
    assert kept.attributes_ == again.attributes_
    assert np.array_equal(kept.model_.scores, again.model_.scores)


def test_a_filter_stands_in_a_pipeline_and_keeps_levels():
    pipeline = pytest.importorskip("sklearn.pipeline")
    table = mixed(200, 1)
    made = acumen.Filter(keep=2).fit_transform(table)
    assert set(made.schema.names) == {"a", "c"} and made.schema["c"].is_nominal
    model = pipeline.make_pipeline(acumen.Filter(keep=2), acumen.NaiveBayes()).fit(table, None)
    assert model.score(table, None) > 0.7


@pytest.mark.parametrize("keep, expected", [(1, 1), (3, 3), (0.5, 2), (0.6, 3), ("auto", 4)])
def test_so_many_attributes_are_kept(iris, keep, expected):
    assert len(acumen.Filter(by="anova", keep=keep).fit(iris).attributes_) == expected


def test_a_filter_of_noise_keeps_the_best_alone():
    rng = np.random.default_rng(3)
    table = acumen.read(np.column_stack([rng.normal(size=(80, 20)), rng.integers(0, 2, 80)]), target=20)
    assert len(acumen.Filter(by="anova").fit(table).attributes_) == 1


def test_chances_of_small_tables_take_weights_as_repeated_rows_in_any_order() -> None:
    rng = np.random.default_rng(0)
    X, y, times = np.round(rng.normal(size=(15, 4)), 2), rng.integers(0, 3, 15), rng.integers(0, 4, 15)
    each = rng.permutation(np.repeat(np.arange(15), times))
    weighted = acumen.Filter().fit(X, y, sample_weight=times).ranking_
    repeated = acumen.Filter().fit(X[each], y[each]).ranking_
    assert [(e.attribute, e.p) for e in weighted] == [(e.attribute, e.p) for e in repeated]
