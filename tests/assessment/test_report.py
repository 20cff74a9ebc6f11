"""The report: one page that needs nothing else, says everything, and does nothing it should not."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest

import acumen
from acumen.assessment.report import report_text, versions
from acumen.assessment.reproduce import python_of
from acumen.errors import DataError
from acumen.resampling import Holdout, KFold, LeaveOneOut
from judged_tables import mixed
from tables import table_of

METHOD = KFold(3, n_repeats=2)


@pytest.fixture(scope="module")
def two():
    return acumen.compare(
        [acumen.NaiveBayes(), acumen.OneR()], mixed(0, 90, classes=("no", "yes")), METHOD, random_state=4
    )


def test_the_page_is_written_and_holds_all_sections(two, tmp_path):
    path = tmp_path / "report.html"
    two.report(path, command="acumen compare x.csv --target class")
    page = path.read_text(encoding="utf-8")
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]
    for said in (
        "Ranking", f"The best: {two.best}", "The data", "How the comparison was run", "Make it again", "ROC curve",
        "Calibration", "Predicted and true", "acumen compare x.csv --target class", *versions(), "seed",
        "95 % interval", *two.names,
    ):  # fmt: skip
        assert said in page
    assert page.count("<svg") >= 4


def test_nothing_is_fetched_and_nothing_runs(two):
    page = report_text(two)
    assert "<script" not in page and "default-src &#x27;none&#x27;" in page.replace("'", "&#x27;")
    assert not re.search(r"(?:src|href)\s*=\s*[\"'](?!#)", page)
    assert "@import" not in page and "url(" not in page.replace("url(#", "")
    assert len(page) < 300_000


def test_hostile_names_are_escaped():
    evil = "<img src=x onerror=alert(1)>"
    rng = np.random.default_rng(0)
    table = table_of(
        {evil: rng.normal(size=60).tolist(), "u": [f"{evil}{i % 2}" for i in range(60)]},
        [f"{evil}{i % 2}" for i in range(60)],
        target=f"t{evil}",
    )
    found = acumen.compare(
        {evil: acumen.NaiveBayes(), "\u202eevil": acumen.OneR()}, table, METHOD, random_state=0
    )
    page = report_text(found, title=f"title {evil}", command=f"acumen {evil}")
    assert "<img" not in page and "&lt;img" in page
    assert "\u202e" not in page


@pytest.mark.parametrize("measure", ["log_loss", "auc", "kappa", "size"])
def test_every_kind_of_measure_has_a_page(measure):
    found = acumen.compare([acumen.NaiveBayes()], mixed(1, 60), METHOD, measure, random_state=0)
    assert measure in report_text(found)


@pytest.mark.parametrize("method", [LeaveOneOut(), Holdout(0.3), acumen.Bootstrap(5)], ids=str)
def test_every_method_has_a_page(method):
    found = acumen.compare([acumen.NaiveBayes()], mixed(1, 60), method, random_state=0)
    assert str(method) in report_text(found)


def test_a_baseline_has_its_badge_and_several_classes_no_roc():
    found = acumen.compare([acumen.NaiveBayes()], mixed(2, 60), METHOD, baseline="Majority", random_state=0)
    page = report_text(found)
    assert "● baseline" in page and "▲ better" in page
    assert "ROC curve" not in page and "the class predicted" in page


def test_a_majority_alone_and_a_single_class_do_not_fall_over():
    report_text(acumen.compare([acumen.Majority()], mixed(3), METHOD, random_state=0))
    one = table_of({"x": np.arange(12.0).tolist()}, ["a"] * 12)
    report_text(acumen.compare([acumen.OneR()], one, METHOD, random_state=0))


def test_warnings_are_notes_and_not_shouted():
    table = table_of({"x": [0.0, 1.0, 2.0, 3.0] * 5, "y": [0.0, 2.0, 4.0, 6.0] * 5}, ["a", "a", "b", "b"] * 5)
    page = report_text(acumen.compare([acumen.FullBayes()], table, METHOD, random_state=0))
    assert "is singular" in page


def test_many_rows_make_no_large_page():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200_000)
    table = acumen.read((rng.normal(size=(200_000, 3)) + y[:, None], y))
    found = acumen.compare([acumen.NaiveBayes()], table, KFold(2), random_state=0)
    page = report_text(found)
    assert len(page) < 300_000
    assert "At most 2,000 points are drawn" in page and "grouped in bins" in page


def test_a_file_is_replaced_as_a_whole(two, tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")
    monkeypatch.setattr("acumen.assessment.report.report_html", lambda page: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        two.report(path)
    assert path.read_text() == "old"
    with pytest.raises(DataError, match="not a plain file"):
        monkeypatch.undo()
        two.report(tmp_path)


def test_the_program_in_the_page_makes_the_same_comparison(tmp_path):
    learners = [acumen.NaiveBayes(), acumen.FullBayes(covariance="shared"), acumen.FullBayes()]
    found = acumen.compare(
        learners,
        acumen.datasets.load("iris"),
        METHOD,
        "cost",
        random_state=3,
        costs=np.ones((3, 3)) - np.eye(3),
    )
    program = python_of(found, str(tmp_path / "again.html"))
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\nprint(found.to_dict()['pairs'])"],
        capture_output=True, text=True, check=True, timeout=500,
    )  # fmt: skip
    assert done.stdout.strip() == str(found.to_dict()["pairs"])
    assert (tmp_path / "again.html").exists()


def test_nested_learners_are_written_as_they_are_reached():
    tuned = acumen.Tuned(acumen.NaiveBayes(), {"alpha": [1.0, 0.5]}, KFold(3), random_state=0)
    found = acumen.compare(
        [tuned],
        acumen.datasets.load("loan"),
        KFold(3, groups=np.arange(15) // 2),
        baseline="Majority",
        random_state=0,
    )
    program = python_of(found, "r.html")
    assert (
        "acumen.Tuned(learner=acumen.NaiveBayes(), grid={'alpha': [1.0, 0.5]}, method=acumen.KFold("
        in program
    )
    assert "baseline='Majority'" in program and "pass the same groups=" in program
    compile(program, "program", "exec")


def test_rows_from_memory_are_not_written_as_a_file_that_is_not_there():
    rows = acumen.datasets.load("iris").to_pandas()
    found = acumen.compare([acumen.NaiveBayes()], acumen.read(rows, target="class"), KFold(3), random_state=0)
    program = python_of(found, "r.html")
    assert "acumen.read(rows, target='class')  # rows: what was compared, a pandas DataFrame" in program
    compile(program, "program", "exec")


def test_the_column_of_weights_is_named_in_the_program(tmp_path):
    rows = acumen.datasets.load("iris").to_pandas().assign(times=np.arange(150) % 3)
    rows.to_csv(tmp_path / "weighted.csv", index=False)
    table = acumen.read(str(tmp_path / "weighted.csv"), target="class", weight="times")
    found = acumen.compare([acumen.NaiveBayes()], table, KFold(3), random_state=0)
    assert "weighted.csv', target='class', weight='times')\n" in python_of(found, "r.html")


def test_a_comparison_without_its_table_has_no_page(two):
    from dataclasses import replace

    with pytest.raises(DataError, match="no longer has its table"):
        report_text(replace(two, data=None))


def test_counts_are_of_rows_and_not_of_rows_times_repeats(two):
    page = report_text(two)
    first = two.assessments[two.best].first(1)
    assert first.confusion.matrix.sum() == 90 and two.assessments[two.best].confusion.matrix.sum() == 180
    assert " of 90 rows are classified correctly" in page and "of 180 rows" not in page
    assert "Of 90 rows of the first repeat" in page


def test_what_the_best_learned_is_open_and_the_command_is_whole(two):
    command = "acumen compare x.csv " + " ".join(f"--ignore column_{i}" for i in range(60))
    page = report_text(two, command=command)
    assert f"<details open><summary>The {two.best} model fitted on all rows" in page
    assert f'<pre class="whole"><code>{command}</code></pre>' in page
    assert "pre.whole{white-space:pre-wrap" in page


def test_two_classes_have_a_decision_by_several_prices_and_a_lift_chart(two):
    page = report_text(two)
    assert (
        "From model to decision" in page
        and "Lift chart" in page
        and "You did not give the cost of errors" in page
    )
    assert all(f"{ratio} ×" in page for ratio in (1, 2, 5, 10, 20))


def test_costs_that_were_given_decide():
    found = acumen.compare(
        [acumen.NaiveBayes()], mixed(0, 90, classes=("no", "yes")), METHOD, "cost", random_state=4,
        costs={("no", "yes"): 4, ("yes", "no"): 1},
    )  # fmt: skip
    page = report_text(found)
    assert "A missed yes costs 4, a false alarm 1." in page and "Cost per 1,000 rows: " in page
    assert "Recall" in page and "You did not give the cost of errors" not in page


def test_several_classes_and_numbers_have_no_decision():
    page = report_text(acumen.compare([acumen.NaiveBayes()], mixed(2, 60), METHOD, random_state=0))
    assert "From model to decision" not in page
