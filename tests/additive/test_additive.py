"""Additive models: what they promise of ranks, monotone shapes, pairs, edits, bands, files and other languages."""

from __future__ import annotations

import dataclasses
import datetime
import sqlite3

import numpy as np
import pytest

import acumen
from acumen.additive import strengths
from acumen.additive.survey import RankedValues, cuts_of
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, ModelFileError, ParameterError
from additive_tables import interacting, mixed, numbers
from oracles import scikit_selection as oracle

IRIS = acumen.datasets.load("iris")


def log_loss(model: object, table: Table) -> float:
    p = model.predict_proba(table)  # type: ignore[attr-defined]
    return float(-np.log(p[np.arange(len(table)), table.labels]).mean())


# -- how smooth -----------------------------------------------------------------------------------


def told_apart(rows: int, seed: int, certain: bool) -> Table:
    """Five classes by two of twelve columns, for certain or not."""
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, 4, rows).astype(np.int32) for _ in range(12)]
    labels = np.minimum(codes[0] + codes[1], 4).astype(np.int32)
    if not certain:
        labels = np.where(rng.random(rows) < 0.6, rng.integers(0, 5, rows), labels).astype(np.int32)
    attributes = tuple(Attribute(f"a{j}", "nominal", tuple("pqrs")) for j in range(12))
    schema = Schema(attributes, Attribute("y", "nominal", tuple("vwxyz")))
    return Table(schema, rows, nominal=codes, labels=labels)


def test_classes_that_are_told_apart_for_certain_are_smoothed_less(monkeypatch: pytest.MonkeyPatch):
    train, fresh = told_apart(300, 1, True), told_apart(3000, 2, True)
    now = acumen.Additive().fit(train)
    monkeypatch.setattr(strengths, "unsure", lambda place: 1.0)
    before = acumen.Additive().fit(train)
    assert log_loss(now, fresh) < 0.8 * log_loss(before, fresh)


def test_classes_that_are_uncertain_are_smoothed_as_aic_has_it(monkeypatch: pytest.MonkeyPatch):
    asked = []
    own = strengths.unsure
    monkeypatch.setattr(strengths, "unsure", lambda place: asked.append(own(place)) or asked[-1])
    acumen.Additive().fit(told_apart(2000, 3, False))
    assert len(asked) == 1 and asked[0] > strengths.SURE
    acumen.Additive().fit(mixed(200, 0, 2))
    assert asked[1] == 1.0


# -- slots ----------------------------------------------------------------------------------------


def test_a_number_of_many_rows_has_a_bin_of_its_own():
    values = np.concatenate([np.zeros(500), np.arange(1, 501) / 10])
    cuts = cuts_of(RankedValues.of(values, np.empty(0)), 8)
    assert cuts[0] == 0.05 and 4 <= len(cuts) <= 8
    low = np.concatenate([-np.arange(1, 30.0), np.zeros(500), np.arange(1, 472.0)])
    cuts = cuts_of(RankedValues.of(low, np.empty(0)), 4)
    assert {-0.5, 0.5} <= set(cuts.tolist())


def test_shapes_do_not_change_when_a_column_is_rescaled_monotonically():
    table = mixed(300, 0, 2)
    other = Table(
        table.schema, 300, numeric=[np.exp(3 * table.numeric.columns[0]), table.numeric.columns[1] ** 3],
        nominal=table.nominal, labels=table.labels,
    )  # fmt: skip
    one, two = acumen.Additive(bins=16).fit(table), acumen.Additive(bins=16).fit(other)
    assert np.array_equal(one.model_.parts.coefficients, two.model_.parts.coefficients)
    assert np.array_equal(one.predict_proba(table), two.predict_proba(other))


def test_many_columns_have_fewer_bins_and_too_many_are_refused():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 60)), rng.integers(0, 2, 400)
    model = acumen.Additive(smoothing=10.0).fit(X, y)
    assert model.model_.parts.layout.width <= 2_100
    with pytest.raises(DataError, match="1,000 at most"):
        acumen.Additive().fit(np.zeros((3, 1_001)), [0, 1, 0])


# -- what is chosen -------------------------------------------------------------------------------


def test_smoothing_flattens_what_is_noise_and_keeps_what_is_not():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1500, 3))
    y = rng.random(1500) < 1 / (1 + np.exp(-2 * np.sin(2 * X[:, 0])))
    model = acumen.Additive().fit(X, y.astype(int))
    assert model.freedom_["x0"] > 4 and model.freedom_["x1"] + model.freedom_["x2"] < 3
    parts = model.model_.parts
    shape, block = parts.layout.shapes[0], parts.layout.blocks[0]
    middle = np.quantile(X[:, 0], (np.arange(shape.n_values) + 0.5) / shape.n_values)
    found = parts.coefficients[block][: shape.n_values, 0]
    assert np.corrcoef(found, np.sin(2 * middle))[0, 1] > 0.95
    assert abs(sum(model.freedom_.values()) + 1 - parts.facts.freedom) < 1e-9


def test_chosen_strengths_have_a_lower_aic_than_any_common_one():
    table = mixed(400, 5, 2)
    best = acumen.Additive().fit(table).model_.parts.facts.aic
    for strength in (0.1, 1.0, 10.0, 100.0):
        assert best < acumen.Additive(smoothing=strength).fit(table).model_.parts.facts.aic + 0.5


def test_folds_choose_without_chance():
    table = mixed(200, 7, 3)
    one, two = (acumen.Additive(smoothing="cv", bins=12).fit(table) for _ in range(2))
    assert np.array_equal(one.model_.parts.coefficients, two.model_.parts.coefficients)
    assert set(one.smoothing_) == {"smooth", "spiky", "grade", "colour"}


def test_the_number_of_threads_changes_no_byte():
    table = mixed(9000, 8, 2)
    one, two = (acumen.Additive(bins=32, n_jobs=n).fit(table) for n in (1, 2))
    assert one.model_.parts.coefficients.tobytes() == two.model_.parts.coefficients.tobytes()


# -- shapes that must rise ------------------------------------------------------------------------


@pytest.mark.parametrize("sign", [1, -1])
def test_a_monotone_shape_is_monotone_and_the_best_of_those(sign: int):
    table = mixed(400, 9, 2)
    model = acumen.Additive(bins=10, smoothing=0.5, monotone={"smooth": sign, "grade": 1}).fit(table)
    parts = model.model_.parts
    known = parts.layout.shapes[0].n_values
    steps = sign * np.diff(parts.coefficients[parts.layout.blocks[0]][:known, 0])
    assert (steps >= -1e-12).all() and (np.abs(steps) < 1e-12).any()
    assert (steps > 1e-6).any() == (sign > 0)  # the rows rise with it: what must fall is flat
    assert model.certificate_["gradient"] < 1e-8
    # Nothing near it that is allowed has a lower loss.
    from acumen.additive.losses import LogOdds
    from acumen.additive.penalty import Penalty

    rows = parts.layout.rows(table)
    penalty = Penalty.of(parts.layout, parts.weight).charge(parts.strengths).matrix
    loss = LogOdds(table.labels.astype(float), table.row_weights)

    def value(beta: np.ndarray) -> float:
        return loss.at(rows.scores(beta[:, None]))[0] + 0.5 * beta @ penalty @ beta

    best = value(parts.coefficients[:, 0])
    rng = np.random.default_rng(0)
    for _ in range(40):
        moved = parts.coefficients[:, 0] + rng.normal(0, 0.02, parts.layout.width)
        for at, way in ((0, sign), (2, 1)):
            block = parts.layout.blocks[at]
            own = slice(block.start, block.start + parts.layout.shapes[at].n_values)
            moved[own] = way * np.maximum.accumulate(way * moved[own])
        assert value(moved) > best


def test_a_monotone_shape_without_smoothing_is_isotonic_regression():
    x, y = oracle.rising()
    model = acumen.AdditiveRegressor(bins=8, smoothing=1e-9, monotone={"x0": 1}).fit(x[:, None], y)
    assert model.predict(np.arange(8.0)[:, None]) == pytest.approx(oracle.ISOTONIC, abs=1e-7)


def test_monotone_says_what_it_needs():
    table = mixed(60, 1, 2)
    for monotone, message in (
        ({"smoth": 1}, "Did you mean 'smooth'"), ({"colour": 1}, "levels in an order"), ({"smooth": 2}, r"\+1 or -1"),
        (["smooth"], "mapping"),
    ):  # fmt: skip
        with pytest.raises(ParameterError, match=message):
            acumen.Additive(monotone=monotone).fit(table)
    with pytest.raises(ParameterError, match="two classes"):
        acumen.Additive(monotone={"smooth": 1}).fit(mixed(60, 1, 3))


# -- pairs ----------------------------------------------------------------------------------------


def test_pairs_are_found_where_shapes_cannot_add_up_and_nowhere_else():
    table = interacting(800, 1)
    alone, both = acumen.Additive().fit(table), acumen.Additive(pairs="auto").fit(table)
    assert [name for name in both.spread_ if " x " in name] == ["a x b"]
    assert log_loss(both, table) < 0.6 * log_loss(alone, table)
    none = acumen.Additive(pairs="auto").fit(mixed(400, 2, 2))
    assert not any(" x " in name for name in none.spread_)
    assert sum(" x " in name for name in acumen.Additive(pairs=2).fit(table).spread_) == 2
    with pytest.raises(ParameterError, match="at most 10"):
        acumen.Additive(pairs=11).fit(table)


def test_a_pair_says_nothing_of_one_attribute_alone():
    table = interacting(500, 2)
    parts = acumen.Additive(pairs=2).fit(table).model_.parts
    for at, cells in enumerate(parts.layout.pairs):
        block = parts.layout.blocks[len(parts.layout.shapes) + at]
        cell, weight = (x.reshape(cells.size) for x in (parts.coefficients[block][:, 0], parts.weight[block]))
        for axis in (0, 1):
            assert np.abs((weight * cell).sum(axis=axis)).max() < 1e-6


# -- bands and rows left out ----------------------------------------------------------------------


@pytest.mark.slow
def test_bands_cover_the_shape_that_rows_were_drawn_from():
    rng = np.random.default_rng(0)
    inside = []
    for _ in range(60):
        X = rng.integers(0, 12, size=(1500, 2)).astype(float)
        shape = np.sin(X[:, 0] / 2)
        y = (rng.random(1500) < 1 / (1 + np.exp(-shape))).astype(int)
        parts = acumen.Additive().fit(X, y).model_.parts
        block = parts.layout.blocks[0]
        truth = np.sin(np.arange(12) / 2)
        truth -= np.average(truth, weights=parts.weight[block][:12])
        apart = np.abs(parts.coefficients[block][:12, 0] - truth)
        inside.append((apart < 1.96 * parts.errors[block][:12, 0]).mean())
    # Bands of smooth shapes cover on average over the slots (Nychka 1988).
    assert 0.90 < np.mean(inside) < 0.985


def test_leaving_rows_out_by_second_derivatives_is_near_refitting():
    table = mixed(120, 4, 2)
    model = acumen.Additive(bins=6, smoothing=3.0).fit(table)
    about = model.approximate_leave_one_out(table)
    apart = []
    for i in range(0, 120, 8):
        rest = np.delete(np.arange(120), i)
        # The same cuts: as many bins as there are different numbers would move with the row.
        refit = acumen.Additive(bins=6, smoothing=3.0).fit(table.take(rest))
        apart.append(refit.predict_proba(table.take(np.array([i])))[0, 1] - about[i, 1])
    fitted = model.predict_proba(table)[np.arange(0, 120, 8), 1] - about[::8, 1]
    assert np.abs(apart).mean() < 0.4 * np.abs(fitted).mean()
    line = acumen.AdditiveRegressor(smoothing=1.0).fit(numbers(80, 0))
    assert line.approximate_leave_one_out(numbers(80, 0)).shape == (80,)


# -- edits ----------------------------------------------------------------------------------------


def test_an_edited_shape_is_flat_marked_and_counted_by_compare(tmp_path):
    table = mixed(300, 6, 2)
    model = acumen.Additive(bins=16).fit(table)
    flat = model.edit("smooth", -0.5, 0.5).edit("colour")
    assert (
        flat.is_edited_ and not model.is_edited_ and flat.edits == {"smooth": (-0.5, 0.5), "colour": "drop"}
    )
    assert "EDITED by a person" in flat.describe() and "EDITED" not in model.describe()
    inside = table.take(np.flatnonzero(np.abs(table.numeric.columns[0]) < 0.4)[:2])
    told = [
        {e.attribute: e.log_odds for e in flat.explain(inside.take(np.array([i]))).evidence} for i in (0, 1)
    ]
    assert abs(abs(told[0]["smooth"]) - abs(told[1]["smooth"])) < 1e-12 and "colour" not in told[0]
    path = tmp_path / "edited.acm"
    acumen.save(flat, path)
    again = acumen.load(path)
    assert again.is_edited_ and np.array_equal(again.predict_proba(table), flat.predict_proba(table))
    # A clone is learned anew and edited in the same way.
    anew = acumen.Additive(bins=16, edits=flat.edits).fit(table)
    assert np.array_equal(anew.model_.parts.coefficients, flat.model_.parts.coefficients)
    judged = acumen.compare([model, flat], table, acumen.KFold(3), random_state=0)
    assert "edits" in str(judged) and len(judged.names) >= 2
    with pytest.raises(DataError, match="edited"):
        flat.approximate_leave_one_out(table)


def test_predictions_after_an_edit_are_those_worked_out_by_hand():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    model = acumen.AdditiveRegressor(bins=6).fit(X, X[:, 0] ** 2 + X[:, 1])
    shape = np.array(
        [{e.attribute: e.amount for e in model.explain(row).contributions}.get("x0", 0.0) for row in X]
    )
    before = model.predict(X)
    assert model.edit("x0").predict(X) == pytest.approx(before - shape)
    cuts = model.model_.parts.layout.shapes[0].cuts
    place = np.searchsorted(cuts, X[:, 0])
    first, last = np.searchsorted(cuts, [-0.5, 0.5])  # bins that the range cuts through are flattened whole
    inside = (place >= first) & (place <= last)
    after = np.where(inside, before - shape + shape[inside].mean(), before)
    assert 0 < inside.sum() < 150 and model.edit("x0", -0.5, 0.5).predict(X) == pytest.approx(after)


def test_edits_say_what_they_need():
    table = mixed(60, 1, 2)
    model = acumen.Additive(smoothing=1.0).fit(table)
    for call, message in (
        (lambda: model.edit("smoth"), "Did you mean 'smooth'"), (lambda: model.edit("smooth", 3, 1), "low, high"),
        (lambda: model.edit("colour", "rad"), "Did you mean 'red'"),
        (lambda: acumen.Additive(edits=["smooth"]).fit(table), "mapping"),
    ):  # fmt: skip
        with pytest.raises(ParameterError, match=message):
            call()
    levels = model.edit("colour", "red", "blue").model_.parts
    block = levels.layout.blocks[3]
    assert levels.coefficients[block][0] == levels.coefficients[block][2]


def test_dates_are_flattened_by_dates(tmp_path):
    """As texts, as Python's own, or as the numbers that stand for them: all the same."""
    rng = np.random.default_rng(0)
    days = np.sort(rng.integers(18_000, 18_400, 200)).astype(float)
    labels = ((days > 18_200) ^ (rng.random(200) < 0.2)).astype(np.int32)
    schema = Schema((Attribute("since", form="date"),), Attribute("y", "nominal", ("a", "b")))
    table = Table(schema, 200, numeric=[days], labels=labels)
    model = acumen.Additive(smoothing=1.0).fit(table)
    first, last = datetime.date(2019, 6, 1), datetime.date(2019, 9, 1)
    numbers = [float((day - datetime.date(1970, 1, 1)).days) for day in (first, last)]
    wanted = model.edit("since", *numbers).predict_proba(table)
    for dates in ((first, last), ("2019-06-01", "2019-09-01"), (np.datetime64(first), np.datetime64(last))):
        flat = model.edit("since", *dates)
        assert np.array_equal(flat.predict_proba(table), wanted)
        acumen.save(flat, tmp_path / "flat.acm")
        again = acumen.load(tmp_path / "flat.acm")
        assert np.array_equal(again.fit(table).predict_proba(table), wanted)
    assert not np.array_equal(model.predict_proba(table), wanted)
    with pytest.raises(ParameterError, match="low, high"):
        model.edit("since", "2019-09-01", "2019-06-01")
    with pytest.raises(ParameterError, match="low, high"):
        model.edit("since", "in June", "2019-06-01")


# -- other languages, files, explanations ---------------------------------------------------------


def in_sqlite(table: Table, statement: str) -> list[object]:
    base = sqlite3.connect(":memory:")
    names = table.schema.names
    base.execute(f"CREATE TABLE t ({', '.join(names)})")
    columns = [
        [None if v is None or v != v else (v if isinstance(v, str) else float(v)) for v in table.column(name)]
        for name in names
    ]
    base.executemany(
        f"INSERT INTO t VALUES ({', '.join('?' * len(names))})", list(zip(*columns, strict=True))
    )
    return [row[-1] for row in base.execute(statement)]


@pytest.mark.parametrize("classes", [2, 3])
def test_sql_and_python_say_what_the_model_says(classes: int):
    table = mixed(150, 10, classes)
    model = acumen.Additive(bins=12, smoothing=1.0, pairs=2, priors="uniform").fit(table)
    statement = model.to_sql("t")
    assert in_sqlite(table, statement) == model.predict(table).tolist()
    space: dict[str, object] = {}
    exec(model.to_python(), space)
    rows = [{n: table.column(n)[i] for n in table.schema.names} for i in range(20)]
    assert np.allclose([space["predict_proba"](row) for row in rows], model.predict_proba(table)[:20])  # type: ignore[operator]


def test_a_number_in_sql_is_one_case_for_each_shape():
    table = numbers(200, 1)
    model = acumen.AdditiveRegressor(bins=12, smoothing=1.0).fit(table)
    statement = model.to_sql("t")
    assert statement.count("CASE") == len(model.model_.parts.layout.shapes)
    assert np.allclose(in_sqlite(table, statement), model.predict(table), rtol=1e-9)


def test_what_was_added_is_told_and_adds_up():
    table = interacting(300, 3)
    model = acumen.Additive(pairs=1).fit(table)
    for i in range(5):
        row = table.take(np.array([i]))
        told = model.explain(row)
        p = model.predict_proba(row)[0]
        assert abs(sum(e.log_odds for e in told.evidence) - np.log(p.max() / p.min())) < 1e-9
    line = acumen.AdditiveRegressor().fit(numbers(200, 2))
    told = line.explain(numbers(200, 2).take(np.array([3])))
    assert abs(told.start + sum(c.amount for c in told.contributions) - told.value) < 1e-9


def test_words_of_texts_have_weights_of_their_own(tmp_path):
    texts = np.array(
        ["free prize now", "see you at noon", "win a free prize", "lunch at noon", None, ""] * 20,
        dtype=object,
    )
    labels = np.array([1, 0, 1, 0, 0, 1] * 20, dtype=np.int32)
    schema = Schema((Attribute("message", "text"),), Attribute("spam", "nominal", ("no", "yes")))
    table = Table(schema, 120, text=[texts], labels=labels)
    model = acumen.Additive().fit(table)
    assert model.predict(table.take(np.arange(4))).tolist() == ["yes", "no", "yes", "no"]
    assert "the words of message" in str(model.explain(table.take(np.array([0]))))
    acumen.save(model, tmp_path / "words.acm")
    assert np.array_equal(
        acumen.load(tmp_path / "words.acm").predict_proba(table), model.predict_proba(table)
    )
    with pytest.raises(DataError, match="words"):
        model.to_sql("t")
    model.to_svg(attribute="message")


def test_a_forged_model_is_refused():
    table = interacting(200, 4)
    model = acumen.Additive(pairs=1).fit(table)
    kind, arrays = type(model.model_), model.model_.to_arrays()
    schema = model.schema_
    kind.from_arrays(arrays, schema)
    for name, change in (
        ("cuts", lambda a: a[::-1].copy()), ("groups", lambda a: a[:-1]), ("coefficients", lambda a: a * np.nan),
        ("pairs", lambda a: a + 50), ("edited", lambda a: a + 7), ("shapes", lambda a: a * 0),
        ("errors", lambda a: -a - 1), ("weight", lambda a: a * 0),
    ):  # fmt: skip
        with pytest.raises(ModelFileError):
            kind.from_arrays({**arrays, name: change(arrays[name])}, schema)


def test_shapes_are_drawn_and_described():
    model = acumen.Additive(pairs=1).fit(interacting(300, 5))
    for attribute in (None, "a", "u", "a x b"):
        assert model.to_svg(attribute=attribute).startswith("<svg")
    with pytest.raises(ParameterError, match="no shape of 'z'"):
        model.to_svg(attribute="z")
    said = model.describe()
    assert "Newton step" in said and "a x b" in said and len(said.splitlines()) <= 40
    one = acumen.Additive().fit(IRIS.take(np.arange(10)))
    assert "only class" in one.describe()
    assert dataclasses.is_dataclass(model.model_)
