"""Gaps filled by what the other attributes say, with the error of each measured."""

from __future__ import annotations

import csv
import re

import numpy as np
import pandas as pd
import pytest

import acumen
from acumen.errors import DataError, ParameterError
from acumen.imputation.errors import SURE, HiddenCells, HiddenColumn, gain_unselected
from acumen.imputation.fit import _probe, hidden_cells
from acumen.imputation.low_rank import LowRank, _rows
from acumen.imputation.rows import ColumnValues
from acumen.rows.intake import replace_target


def mixed(n=300, seed=0, share=0.15):
    """Three numbers, a nominal and an ordinal attribute that hang together, a target, and gaps at random."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n)
    frame = pandas.DataFrame(
        {
            "a": z + rng.normal(0, 0.2, n),
            "b": 10 - 3 * z + rng.normal(0, 0.5, n),
            "c": rng.normal(size=n),
            "d": np.array(["low", "mid", "high"], dtype=object)[np.digitize(z, [-0.6, 0.6])],
            "e": np.where(z + rng.normal(0, 0.3, n) > 0, "yes", "no"),
        }
    )
    full = frame.copy()
    frame = frame.mask(rng.random(frame.shape) < share)
    frame["y"] = full["y"] = np.where(z > 0.2, "p", "q")
    levels = {"d": ["low", "mid", "high"]}
    table = acumen.read(frame, target="y", kinds={"d": "ordinal"}, levels=levels)
    return table, acumen.read(full, target="y", kinds={"d": "ordinal"}, levels=levels)


@pytest.fixture(scope="module")
def made():
    table, full = mixed(500)
    return table, full, acumen.complete(table, draws=2)


def test_no_gap_is_left_and_what_was_known_stays(made):
    table, _, found = made
    for name in table.schema.names:
        before, after = table.column(name), found.table.column(name)
        gap = np.array([value is None or value != value for value in before])
        assert not any(value is None or value != value for value in after)
        assert (np.array(before)[~gap] == np.array(after)[~gap]).all()
        assert np.array_equal(np.flatnonzero(gap), found.filled[name])
    assert np.array_equal(found.table.labels, table.labels)


def test_errors_are_those_of_what_hangs_together_and_of_noise(made):
    _table, _full, found = made
    assert all(found.errors[name].better > 0.3 for name in "abde")
    assert found.errors["c"].better < 0.2  # noise has nothing to go by
    assert [found.errors[name].measure for name in "ade"] == ["rmse", "mae_rank", "error"]
    dealt = int(0.1 * (500 - len(found.filled["a"])))
    assert found.errors["a"].cells == 3 * dealt  # in as many deals as 100 cells take


def _losses(full, found, name):
    """The mean loss in the gaps, whose truth is known here and nowhere else, and the one that hidden cells foretell."""
    gap, error = found.filled[name], found.errors[name]
    if error.measure == "rmse":
        return np.mean((found.table.column(name)[gap] - full.column(name)[gap]) ** 2), error.error**2
    said, truth = ({a.name: c for a, c in t.nominal_columns()}[name][gap] for t in (found.table, full))
    return np.mean(np.abs(said - truth) if error.measure == "mae_rank" else said != truth), error.error


def _bias(n, repeats, learner, names):
    """Of each attribute how far the errors foretold are off on average, in standard errors, and by which share."""
    pairs = []
    for seed in range(repeats):
        table, full = mixed(n, seed + 100)
        found = acumen.complete(table, learner=learner, random_state=seed)
        pairs.append([_losses(full, found, name) for name in names])
    true, told = np.array(pairs).transpose(2, 1, 0)
    away = told - true
    return away.mean(axis=1) / (away.std(axis=1, ddof=1) / np.sqrt(repeats)), away.mean(axis=1) / true.mean(
        axis=1
    )


@pytest.mark.slow
def test_hidden_cells_foretell_the_errors_in_gaps_at_random_without_bias():
    """A row whose other cells were hidden too would foretell errors of b that are a quarter too large."""
    away, share = _bias(900, 60, (acumen.NaiveBayes(), acumen.LinearRegression()), "abcde")
    assert (np.abs(away) < 3.3).all(), away
    assert (np.abs(share) < 0.2).all(), share


def test_cells_are_hidden_one_at_a_time():
    """A row that lacked other cells too would lack more than rows with gaps do."""
    columns = ColumnValues.of(mixed(200, 6)[0])
    hidden = hidden_cells(columns, list("abcde"), np.random.default_rng(0))[0]
    probe = _probe(columns, hidden)
    rows = np.concatenate(list(hidden.values()))
    more = np.column_stack([probe.gaps(n).astype(int) - columns.gaps(n)[rows] for n in "abcde"])
    own = np.repeat(np.arange(5), [len(hidden[name]) for name in "abcde"])
    assert np.array_equal(more, np.eye(5, dtype=int)[own])


def _plainly():
    return acumen.Completer((acumen.NaiveBayes(), acumen.LinearRegression()), max_iter=1)


def _columns(table):
    """All but c, which is noise: hidden cells, which are drawn among the rows, choose what it is filled with."""
    numbers = [column for attribute, column in table.numeric_columns() if attribute.name != "c"]
    return np.column_stack([*numbers, *(codes for _, codes in table.nominal_columns())])


def test_a_weight_of_two_is_a_repeated_row_to_a_completer():
    table, _ = mixed(120, 4)
    n = np.random.default_rng(0).integers(1, 4, len(table))
    heavy = replace_target(table, table.schema, table.labels, n.astype(float))
    often = table.take(np.repeat(np.arange(len(table)), n))
    one, two = (_plainly().fit(rows).transform(table) for rows in (heavy, often))
    assert _columns(one) == pytest.approx(_columns(two), abs=1e-9)
    assert not np.allclose(_columns(one), _columns(_plainly().fit(table).transform(table)))


def test_the_order_of_rows_is_irrelevant_to_a_completer():
    table, _ = mixed(240, 5)
    order = np.random.default_rng(0).permutation(len(table))
    one, two = (_plainly().fit(rows).transform(table) for rows in (table, table.take(order)))
    assert _columns(one) == pytest.approx(_columns(two), abs=1e-9)


def test_probabilities_are_of_the_cells_filled_and_sum_to_one(made):
    _, _, found = made
    assert set(found.probabilities) == {"d", "e"}
    for name, shares in found.probabilities.items():
        assert shares.shape == (len(found.filled[name]), len(found.table.schema[name].levels))
        assert shares.sum(axis=1) == pytest.approx(1.0)
    codes = {a.name: c for a, c in found.table.nominal_columns()}
    assert (found.probabilities["e"].argmax(axis=1) == codes["e"][found.filled["e"]]).all()


def test_draws_differ_where_gaps_were_and_nowhere_else(made):
    _table, _, found = made
    one, two = found.draws
    for name in ("a", "e"):
        first, second = one.column(name), two.column(name)
        apart = np.flatnonzero(np.array(first) != np.array(second))
        assert len(apart) and set(apart) <= set(found.filled[name].tolist())


def test_the_class_is_not_looked_at_unless_asked():
    table, _ = mixed(150, 1)
    moved = np.random.default_rng(0).permutation(table.labels)
    other = replace_target(table, table.schema, moved, table.weights)
    a, b = acumen.complete(table), acumen.complete(other)
    assert a.errors == b.errors
    for name in table.schema.names:
        assert (np.array(a.table.column(name)) == np.array(b.table.column(name))).all()
    told, untold = acumen.complete(table, use_target=True), a
    assert told.errors != untold.errors
    assert np.array_equal(told.table.labels, table.labels)


def test_a_completer_learns_from_training_rows_alone():
    table, _ = mixed(200, 2)
    train, rest = table.take(np.arange(120)), table.take(np.arange(120, 200))
    fitted = acumen.Completer().fit(train)
    done = fitted.transform(rest)
    again = fitted.transform(rest.take(np.arange(40)))
    assert done.take(np.arange(40)).difference(again) is None  # a row is filled by itself
    scores = acumen.assess(
        pytest.importorskip("sklearn.pipeline").make_pipeline(
            acumen.Completer("baseline"), acumen.NaiveBayes()
        ),
        table,
        acumen.KFold(3),
        random_state=0,
    )
    assert scores.mean < 0.25


def test_a_completer_is_kept_in_a_file(tmp_path):
    table, _ = mixed(80, 3)
    fitted = acumen.Completer((acumen.NaiveBayes(), acumen.LinearRegression())).fit(table)
    acumen.save(fitted, tmp_path / "c.acm")
    again = acumen.load(tmp_path / "c.acm")
    assert fitted.transform(table).difference(again.transform(table)) is None


def ratings(n, d, rank=5, hidden=0.8, seed=0):
    rng = np.random.default_rng(seed)
    whole = 3 + 0.6 * rng.normal(size=(n, rank)) @ rng.normal(size=(rank, d)) + 0.3 * rng.normal(size=(n, d))
    gaps = rng.random(whole.shape) < hidden
    return whole, gaps, np.where(gaps, np.nan, whole)


def _better(whole, gaps, shown, **asked):
    found = acumen.complete(shown, **asked)
    said = np.column_stack(found.table.numeric.columns)
    plain = np.nanmean(shown, axis=0)
    off, base = (
        np.sqrt(np.mean((x - whole)[gaps] ** 2)) for x in (said, np.broadcast_to(plain, whole.shape))
    )
    return 1 - off / base, found


def test_ratings_are_filled_far_better_than_by_column_means():
    share, found = _better(*ratings(400, 60, rank=2, hidden=0.6))
    assert "latent factors" in found.way
    assert share > 0.3
    told = 1 - np.sqrt(
        np.mean([e.error**2 for e in found.errors.values()])
        / np.mean([e.baseline**2 for e in found.errors.values()])
    )
    assert told == pytest.approx(share, abs=0.05)


@pytest.mark.slow
def test_ratings_of_rank_five_80_percent_hidden_beat_column_means_by_30_percent():
    assert _better(*ratings(1000, 200))[0] > 0.3


def test_the_factors_of_a_row_are_its_penalised_least_squares():
    rng = np.random.default_rng(0)
    columns, scaled, known = rng.normal(size=(12, 3)), rng.normal(size=(5, 12)), rng.random((5, 12)) < 0.6
    made = _rows(scaled, known, columns, 0.1)
    for i in range(5):
        V, r = columns[known[i]], scaled[i, known[i]]
        own = np.linalg.solve(V.T @ V + (0.1 * len(r) + 1e-3) * np.eye(3), V.T @ r)
        assert made[i] == pytest.approx(own)


def test_zeros_and_ones_are_filled_with_probabilities():
    rng = np.random.default_rng(1)
    groups = rng.integers(0, 2, 200)
    likes = (rng.random((200, 40)) < np.where(groups[:, None] == np.arange(40) % 2, 0.95, 0.05)).astype(float)
    gaps = rng.random(likes.shape) < 0.5
    words = np.where(gaps, None, np.where(likes > 0, "on", "off"))
    pandas = pytest.importorskip("pandas")
    found = acumen.complete(pandas.DataFrame(words, columns=[f"i{j}" for j in range(40)]))
    errors = list(found.errors.values())
    assert np.mean([e.error for e in errors]) < 0.5 * np.mean([e.baseline for e in errors])
    assert all(shares.min() >= 0 and shares.shape[1] == 2 for shares in found.probabilities.values())


@pytest.mark.parametrize("learner", ["neighbours", "baseline", "forest", "low-rank"])
def test_every_word_fills_every_gap(learner):
    X = ratings(60, 6, 2, 0.2)[2]
    found = acumen.complete(X, learner=learner)
    assert np.isfinite(np.column_stack(found.table.numeric.columns)).all()
    assert learner != "baseline" or all(abs(e.better) < 1e-9 for e in found.errors.values())


def test_degenerate_tables_are_filled_with_what_is_known():
    empty = np.column_stack([np.full(6, np.nan), np.arange(6.0)])
    found = acumen.complete(empty)
    assert np.array_equal(found.table.column("x0"), np.zeros(6)) and np.isnan(found.errors["x0"].error)
    assert "'x0' has no known value: missing values are filled with 0" in str(found)
    assert acumen.complete(np.eye(3)).filled == {}
    assert acumen.complete(np.array([[np.nan], [1.0], [3.0]])).table.column("x0").tolist() == [2.0, 1.0, 3.0]


def test_odd_wishes_are_refused_in_a_sentence():
    with pytest.raises(ParameterError, match="learner must be one of auto"):
        acumen.complete(np.eye(3), learner="magic")
    with pytest.raises(ParameterError, match="max_iter must be a whole number of at least 1"):
        acumen.complete(np.eye(3), max_iter=0)
    with pytest.raises(DataError, match="no rows"):
        acumen.complete(acumen.read(np.eye(3)).head(0))


def test_the_command_fills_a_file_and_writes_a_page(tmp_path, capsys):
    from acumen.cli.main import run

    path = tmp_path / "gaps.csv"
    rows = [f"{i if i % 5 else ''},{2 * i},{'uv'[i % 2]}" for i in range(60)]
    path.write_text("\n".join(["a,b,c", *rows]))
    out, page = tmp_path / "full.csv", tmp_path / "page.html"
    assert run(["complete", str(path), "-o", str(out), "--report", str(page)]) == 0
    assert "12 missing values in 1 attribute filled" in capsys.readouterr().out
    assert not np.isnan(acumen.read(out).column("a")).any()
    assert "<svg" in page.read_text() and "How well missing values are filled" in page.read_text()


def test_low_rank_learns_what_it_is_made_of():
    whole, _, shown = ratings(300, 40, 2, 0.4)
    model = LowRank.fit(shown)
    assert 2 <= model.rank <= 3
    assert model.predict(shown).shape == whole.shape


def test_a_gap_in_dates_is_filled_by_a_day(tmp_path):
    path = tmp_path / "days.csv"
    lines = [f"2023-{1 + i % 12:02}-{1 + i % 28:02},{i % 12}" for i in range(60)]
    lines[7] = ",7"
    path.write_text("day,month\n" + "\n".join(lines) + "\n")
    found = acumen.complete(acumen.read(path), random_state=0)
    day = float(found.table.column("day")[7])
    assert day == round(day)


def test_cells_that_were_known_are_written_as_they_were(tmp_path, capsys):
    from acumen.cli.main import run

    lines = ["day;price;share;iso;code;sort;note"]
    for i in range(60):
        cells = [
            f"{1 + i % 28:02}.{1 + i % 12:02}.2023", f"{1 + i % 3}.{100 + i},50 €", f"{i % 7},5 %",
            f"2024-03-{1 + i % 28:02} 14:{i % 60:02}", f"+{i}.10", "ab"[i % 2], f"see, {i}",
        ]  # fmt: skip
        gap = i % 9
        lines.append(";".join("?" if j == gap else cell for j, cell in enumerate(cells)))
    path, out = tmp_path / "shop.csv", tmp_path / "full.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert run(["complete", str(path), "-o", str(out)]) == 0
    capsys.readouterr()
    with out.open(encoding="utf-8", newline="") as file:
        made = list(csv.reader(file))
    before = [line.split(";") for line in lines]
    assert made[0] == before[0]
    changed = [
        (a, b) for one, two in zip(before, made, strict=True) for a, b in zip(one, two, strict=True) if a != b
    ]
    assert {a for a, _ in changed} == {"?"}
    filled = [made[1 + i][i % 9] for i in range(60) if i % 9 < 6]
    assert all(filled)
    shapes = [
        r"\d\d\.\d\d\.2023",
        r"[\d.,]+ €",
        r"[\d,]+ %",
        r"2024-03-\d\d( [\d:]+)?",
        r"\d+(\.\d+)?",
        "a|b",
    ]
    assert all(re.fullmatch(shapes[i % 9], made[1 + i][i % 9]) for i in range(60) if i % 9 < 6)
    again, whole = acumen.read(out), acumen.complete(acumen.read(path), random_state=0).table
    for name in ("day", "price", "share", "iso", "code"):
        np.testing.assert_allclose(again.column(name), whole.column(name), rtol=1e-9)


def test_numbers_that_would_be_misread_are_written_plainly(tmp_path, capsys):
    from acumen.cli.main import run

    path, out = tmp_path / "commas.csv", tmp_path / "full.csv"
    path.write_text("n;m\n" + "".join(f"{1 + i},{100 + i};{'' if i % 5 == 0 else i}\n" for i in range(40)))
    assert run(["complete", str(path), "--decimal", ",", "-o", str(out)]) == 0
    capsys.readouterr()
    assert out.read_text().splitlines()[2].startswith("2.101,")


@pytest.mark.parametrize("learner", ["auto", "low-rank"])
def test_every_date_filled_is_a_day_in_draws_and_elsewhere_too(learner, tmp_path):
    rng = np.random.default_rng(0)
    lines = [
        f"2024-{m:02}-{d:02},{x}"
        for m, d, x in zip(*rng.integers(1, 12, (2, 80)), rng.normal(size=80), strict=True)
    ]
    full, gaps = tmp_path / "full.csv", tmp_path / "gaps.csv"
    full.write_text("day,x\n" + "\n".join(lines) + "\n")
    gaps.write_text(
        "day,x\n" + "\n".join(line[10:] if i % 6 == 0 else line for i, line in enumerate(lines)) + "\n"
    )
    table = acumen.read(gaps)
    assert np.isnan(table.column("day")).sum() == 14
    found = acumen.complete(table, learner=learner, draws=2)
    made = acumen.Completer(learner).fit(acumen.read(full)).transform(table)
    for done in (found.table, *found.draws, made):
        assert (done.column("day") == np.round(done.column("day"))).all()


def test_hidden_traits_fill_levels_without_an_order(tmp_path):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    kind = rng.integers(3, size=200)
    frame = pandas.DataFrame({f"x{j}": (kind == j % 3) + rng.normal(0, 0.2, 200) for j in range(6)})
    frame["kind"] = np.array(["u", "v", "w"])[kind]
    frame.loc[::5, "kind"] = None
    table = acumen.read(frame)
    found = acumen.complete(table, learner="low-rank")
    assert found.probabilities["kind"].shape == (40, 3)
    assert found.probabilities["kind"].sum(axis=1) == pytest.approx(1.0)
    assert found.errors["kind"].error < 0.1 < found.errors["kind"].baseline
    assert np.mean(found.table.column("kind") == np.array(["u", "v", "w"])[kind]) > 0.95
    acumen.save(acumen.Completer("low-rank").fit(table), tmp_path / "c.acm")
    again = acumen.load(tmp_path / "c.acm").transform(table)
    assert again.column("kind").tolist() == found.table.column("kind").tolist()


def test_probabilities_beyond_room_are_not_kept_and_that_is_said(monkeypatch):
    from acumen.imputation import chain, fit

    table, _ = mixed()
    monkeypatch.setattr(fit, "HELD", 0)
    monkeypatch.setattr(chain, "AT_ONCE", 7)  # filled a few rows at a time
    found = acumen.complete(table, draws=1)
    assert not found.probabilities and "to store their probabilities" in str(found)
    for name in table.schema.names:
        assert found.table.column(name).tolist() == acumen.complete(table).table.column(name).tolist()


def test_blanks_about_cells_are_not_made_part_of_them(tmp_path, capsys):
    from acumen.cli.main import run

    path, out = tmp_path / "padded.csv", tmp_path / "full.csv"
    rows = [f' {i}.50 , {"uv"[i % 2]} ," w",{"" if i % 5 == 0 else i}' for i in range(40)]
    path.write_text("\n".join(["a,b,c,d", *rows]) + "\n")
    assert run(["complete", str(path), "-o", str(out)]) == 0
    capsys.readouterr()
    assert out.read_text().splitlines()[2] == '1.50,v," w",1'
    before, after = acumen.read(path), acumen.read(out)
    assert before.column("b").tolist() == after.column("b").tolist()
    assert before.column("c").tolist() == after.column("c").tolist()


def test_what_nothing_predicts_better_than_its_mean_or_mode_is_filled_with_that_and_that_is_said(tmp_path):
    rng = np.random.default_rng(5)  # the last column of seed 4 happens to follow the others, p = .04
    z = rng.normal(size=240)
    X = np.column_stack([z, z + rng.normal(0, 0.2, 240), rng.normal(size=240)])
    X[rng.random(X.shape) < 0.1] = np.nan
    found = acumen.complete(X, learner=acumen.LinearRegression())
    noise, useful = found.errors["x2"], found.errors["x1"]
    assert noise.plain and not useful.plain and noise.error == noise.baseline and useful.better > 0.5
    mean = np.nanmean(X[:, 2])
    assert found.table.column("x2")[np.isnan(X[:, 2])] == pytest.approx(mean)
    lines = {line.split()[0]: line for line in str(found).splitlines()[1:]}
    assert lines["x2"].split()[-3:-1] == ["its", "mean"] or "its mean" in lines["x2"]
    assert "prediction" in lines["x1"] and "its mean" in found.to_html()
    assert [each["filled_with"] for each in found.to_dict()["attributes"]] == [
        "prediction",
        "prediction",
        "its mean",
    ]
    fitted = acumen.Completer(acumen.LinearRegression()).fit(X)
    acumen.save(fitted, tmp_path / "c.acm")
    for model in (fitted, acumen.load(tmp_path / "c.acm")):
        assert model.transform(np.array([[0.0, 0.0, np.nan]]))[0, 2] == pytest.approx(mean)
        assert "x2: mean or mode" in model.describe()


def test_errors_are_judged_on_cells_that_did_not_choose():
    """Of rounds that are all noise the best looks better than it is on the cells that chose it, and on no others."""
    rng = np.random.default_rng(0)
    attribute = acumen.Attribute("x")
    away = []
    for _ in range(150):
        truth, known = rng.normal(0, 3, 40), rng.normal(0, 3, 200)
        judged = HiddenCells((HiddenColumn(attribute, truth, 0.0, np.ones(40), known, np.ones(200)),))
        for _ in range(4):  # each round is off by as much as the one before: a further one never helps
            judged = judged.with_round({"x": truth + rng.normal(size=40)})
        away.append(judged.choose_rounds().errors[0].error ** 2 - 1.0)
    assert abs(np.mean(away)) < 3.3 * np.std(away) / np.sqrt(len(away))


def test_the_target_keeps_its_missing_values_unless_they_are_to_be_filled(tmp_path, capsys):
    from acumen.cli.main import run

    rng = np.random.default_rng(1)
    lines = [
        f"{x:.3f},{'' if i % 9 == 0 else 'yes' if x > 0 else 'no'}" for i, x in enumerate(rng.normal(size=90))
    ]
    path, out = tmp_path / "t.csv", tmp_path / "o.csv"
    path.write_text("x,left\n" + "\n".join(lines) + "\n")
    table = acumen.read(path, target="left")
    kept = acumen.complete(table)
    assert (kept.table.labels < 0).sum() == 10 and kept.filled == {}
    assert "The target 'left' keeps its 10 missing values; fill_target=True fills them." in str(kept)
    done = acumen.complete(table, fill_target=True, draws=2)
    x = table.column("x")
    told = [str(label) for label in done.table.label_values()[::9]]
    assert told == ["yes" if value > 0 else "no" for value in x[::9]] and len(done.filled["left"]) == 10
    assert not done.notes and all((draw.labels >= 0).all() for draw in done.draws)
    assert run(["complete", str(path), "--target", "left", "-o", str(out)]) == 0
    assert "--fill-target fills them" in capsys.readouterr().out and out.read_text() == path.read_text()
    assert run(["complete", str(path), "--target", "left", "--fill-target", "-o", str(out)]) == 0
    assert "10 missing values in 1 attribute filled" in capsys.readouterr().out
    assert acumen.read(out, target="left").labels.tolist() == done.table.labels.tolist()


def test_a_number_that_is_the_target_is_filled_too_and_helps_to_fill_nothing_else():
    rng = np.random.default_rng(2)
    frame = pytest.importorskip("pandas").DataFrame({"a": rng.normal(size=80), "b": rng.normal(size=80)})
    frame["y"] = 3 * frame["a"]
    frame.loc[::8, "y"] = np.nan
    frame.loc[::7, "b"] = np.nan
    table = acumen.read(frame, target="y", kinds={"y": "numeric"})
    plain = acumen.complete(table, learner=acumen.LinearRegression())
    done = acumen.complete(table, learner=acumen.LinearRegression(), fill_target=True)
    assert np.isnan(plain.table.response).sum() == 10
    assert done.table.response == pytest.approx(3 * frame["a"].to_numpy())
    assert done.table.column("b") == pytest.approx(plain.table.column("b"), abs=0.5)


@pytest.mark.slow
def test_small_tables_foretell_their_errors_without_bias():
    away, share = _bias(100, 120, (acumen.NaiveBayes(), acumen.LinearRegression()), "abcde")
    assert (np.abs(away) < 3.3).all(), away
    assert abs(share.mean()) < 0.06, share


def test_errors_of_columns_of_noise_are_not_foretold_too_small():
    """Of three levels as frequent a mode misses two thirds, and the mean of noise is off by its deviation."""
    foretold = {"k": [], "x": []}
    for seed in range(30):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame(
            {name: rng.normal(size=100) for name in "xab"} | {"k": rng.choice(list("uvw"), 100)}
        )
        for name in ("x", "k"):
            frame.loc[rng.random(100) < 0.15, name] = np.nan
        errors = acumen.complete(acumen.read(frame), learner=(acumen.NaiveBayes(), acumen.LinearRegression()),
                                 max_iter=1,
                                 random_state=seed).errors  # fmt: skip
        foretold["k"].append(errors["k"].error)
        foretold["x"].append(errors["x"].error)
    assert np.mean(foretold["k"]) > 0.95 * 2 / 3
    assert 0.96 < np.mean(foretold["x"]) < 1.06


def test_a_gain_is_less_by_what_its_choice_adds():
    """The mean of normal gains above SURE standard errors is the one that is given back as its true gain."""
    rng = np.random.default_rng(0)
    for true in (0.5, 1.5, 3.0):
        gains = rng.normal(true, 1.0, 200_000)
        assert gain_unselected(gains[gains > SURE].mean(), 1.0) == pytest.approx(true, abs=0.03)
    assert gain_unselected(SURE + 0.2, 1.0) < 1e-9 and gain_unselected(10.0, 1.0) == pytest.approx(10.0)


def test_few_known_cells_are_hidden_in_several_deals_of_different_cells():
    for rows, deals in ((40, 4), (100, 4), (450, 3), (1200, 1)):
        columns = ColumnValues.of(mixed(rows, 6, share=0.1)[0])
        hidden = hidden_cells(columns, list("abcde"), np.random.default_rng(0))
        assert len(hidden) == deals
        for name in "abcde":
            rows_of_name = np.concatenate([deal[name] for deal in hidden])
            assert len(set(rows_of_name)) == len(rows_of_name) and columns.is_known(name)[rows_of_name].all()


@pytest.mark.slow
def test_a_column_that_another_predicts_well_is_hardly_ever_filled_with_its_mode_and_errors_are_foretold():
    """Choices by 20 cells filled a quarter of such columns with the mode, and foretold errors a tenth too small."""
    rng, foretold, actual, plain = np.random.default_rng(1), [], [], 0
    for seed in range(120):
        z = rng.normal(size=100)
        full = pytest.importorskip("pandas").DataFrame({
            "a": z + rng.normal(size=100) * 0.5, "b": 2 * z + rng.normal(size=100),
            "k": np.where(z + rng.normal(size=100) * 0.7 > 0, "u", "v"),
        })  # fmt: skip
        gaps = rng.random(full.shape) < 0.15
        found = acumen.complete(acumen.read(full.mask(gaps)), random_state=seed)
        plain += found.errors["k"].plain
        at = found.filled["k"]
        foretold.append(found.errors["k"].error * len(at))
        actual.append(np.sum(np.array(found.table.column("k"))[at] != full["k"].to_numpy()[at]))
    assert plain < 0.2 * 120
    assert np.sum(foretold) > 0.88 * np.sum(actual)


def test_the_error_of_a_mode_is_no_more_a_matter_of_luck_than_the_table():
    """One deal into folds gave errors of two equal levels a deviation of .10, twice that of a share of 85 cells."""
    rng, found = np.random.default_rng(0), []
    attribute = acumen.Attribute("k", "nominal", ("u", "v"))
    for _ in range(200):
        known = rng.integers(0, 2, 85).astype(np.int32)
        column = HiddenColumn(attribute, known[:20], 0, np.ones(20), known, np.ones(85))
        found.append(column.plain_error())
    assert np.std(found) < 0.06 and abs(np.mean(found) - 0.5) < 0.03
