"""`acumen compare`: a table that can be read, JSON, a report."""

from __future__ import annotations

import html
import io
import json
import re
import shlex
import sys

import pytest

import acumen
from acumen.cli import console
from acumen.cli.main import run
from churn import write_churn

QUICK = ["--folds", "3", "--repeats", "2"]


@pytest.mark.slow
def test_the_defaults_end_in_a_ranking(capsys):
    assert run(["compare", "loan"]) == 0
    out, err = capsys.readouterr()
    # A minute of a busy machine may end before the tenth repeat, and then that is said.
    repeats = re.match(r"error by 10-fold cross-validation, (\d+) times, stratified, seed 0\n", out)
    assert repeats and (repeats[1] == "10" or "fewer than 10 repeats were finished in 60 s" in out)
    assert "Best (statistically tied): " in out and "NaiveBayes" in out and "Majority" in out
    assert "Skipped full-bayes: " in err and "Not in the usual suite: " in err
    assert all(len(line) <= 80 for line in out.split("\n"))


def test_the_command_says_what_the_library_says(capsys):
    assert run(["compare", "iris", "--learners", "naive-bayes,one-r", *QUICK, "--seed", "5", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    same = acumen.compare(
        [acumen.NaiveBayes(), acumen.OneR()], acumen.datasets.load("iris"), acumen.KFold(3, n_repeats=2),
        random_state=5,
    )  # fmt: skip
    mine = same.to_dict()
    for row in (*made["table"], *mine["table"]):
        del row["fit_time"], row["predict_time"]
    del made["answer"]["fastest"], mine["answer"]["fastest"]
    assert made == mine


@pytest.mark.slow
def test_all_leaves_out_who_objects_and_says_why(tmp_path, capsys):
    path = tmp_path / "letters.csv"
    words = ["good kind letter", "bad mean letter"] * 10
    path.write_text(
        "text,size,class\n" + "".join(f"{w} {i},{i % 7},{'ab'[i % 2]}\n" for i, w in enumerate(words))
    )
    args = ["compare", str(path), "--target", "class", "--kind", "text=text", *QUICK, "--learners", "all"]
    assert run(args) == 0
    out, err = capsys.readouterr()
    assert "Skipped full-bayes" in err and "Skipped text-bayes" in err
    assert "NaiveBayes" in out and "FullBayes" not in out


@pytest.mark.slow
def test_measurements_are_not_taken_for_words(capsys):
    assert run(["compare", "iris", *QUICK, "--suite", "all"]) == 0
    out, err = capsys.readouterr()
    assert "TextBayes" not in out + err and "HistogramBayes" in out


def test_a_learner_named_that_objects_ends_in_a_sentence(tmp_path, capsys):
    path = tmp_path / "letters.csv"
    path.write_text("text,class\n" + "".join(f"word {i},{'ab'[i % 2]}\n" for i in range(20)))
    args = ["compare", str(path), "--target", "class", "--kind", "text=text", "--learners", "full-bayes"]
    assert run(args) == 3
    assert "FullBayes cannot learn from this table" in capsys.readouterr().err


@pytest.mark.parametrize("word", ["one-r", "OneR"])
def test_a_baseline_is_named_by_its_word_or_class(word, capsys):
    assert run(["compare", "iris", "--learners", "one-r,naive-bayes", *QUICK, "--baseline", word]) == 0
    assert "Compared with OneR:" in capsys.readouterr().out


def test_a_baseline_need_not_be_named_twice(capsys):
    assert run(["compare", "iris", "--learners", "naive-bayes", *QUICK, "--baseline", "one-r"]) == 0
    out = capsys.readouterr().out
    assert "Compared with OneR: worse: Majority; no significant difference: NaiveBayes." in out


def test_the_same_seed_gives_the_same_numbers(capsys):
    found = []
    for seed in ("1", "1", "2"):
        args = ["compare", "iris", "--learners", "random-tree,output-codes", *QUICK, "--seed", seed, "--json"]
        assert run(args) == 0
        table = json.loads(capsys.readouterr().out)["table"]
        found.append([(row["learner"], row["error"]) for row in table])
    assert found[0] == found[1] != found[2]


@pytest.mark.slow
def test_names_of_learners_are_shown_whole(capsys):
    args = [
        "compare",
        "iris",
        "--target",
        "sepal_length",
        "--learners",
        "polynomial-regression,ridge",
        *QUICK,
    ]
    assert run(args) == 0
    out = capsys.readouterr().out
    assert "PolynomialRegression  " in out and all(len(line) <= 80 for line in out.split("\n"))


def test_measure_positive_and_costs(tmp_path, capsys):
    costs = tmp_path / "costs.csv"
    costs.write_text(",No,Yes\nNo,0,5\nYes,1,0\n")
    args = ["compare", "loan", "--learners", "naive-bayes", "--folds", "3", "--repeats", "1", "--json"]
    assert run([*args, "--measure", "cost", "--costs", str(costs)]) == 0
    found = json.loads(capsys.readouterr().out)
    same = acumen.compare(
        [acumen.NaiveBayes(costs=[[0, 5], [1, 0]])], acumen.datasets.load("loan"), acumen.KFold(3), "cost",
        random_state=0,
    )  # fmt: skip
    assert found["table"][0]["cost"] == same.table[0]["cost"]
    assert run([*args, "--measure", "recall", "--positive-class", "No"]) == 0
    assert run([*args, "--measure", "recall", "--positive-class", "no"]) == 2
    assert "there is no class 'no'; the classes are No, Yes." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "code", "sentence"),
    [
        (["--learners", "naive-byes"], 2, "Did you mean 'naive-bayes'?"),
        (["--measure", "eror"], 2, "Did you mean 'error'?"),
        (["--folds", "1"], 2, "--folds"),
        (["--folds", "200"], 2, "at least 200 rows"),
        (["--baseline", "nobody"], 2, "baseline 'nobody'"),
        (["--target", "sepal_length", "--learners", "one-r"], 3, "--kind sepal_length=nominal"),
        (["--learners", "ridge"], 3, "--kind class=numeric"),
        (["--target", "sepal_length", "--measure", "error"], 2, "take one of rmse, mae, r2"),
        (["--threads", "0"], 2, "--threads"),
        (["--learners", ","], 2, "name at least one learner"),
    ],
)
def test_what_cannot_be_done_is_said(args, code, sentence, capsys):
    assert run(["compare", "iris", *args]) == code
    out, err = capsys.readouterr()
    assert out == "" and sentence in err


def test_a_report_names_the_command_that_makes_it(tmp_path, capsys):
    path = tmp_path / "a report.html"
    args = ["compare", "iris", "--learners", "naive-bayes", *QUICK, "--report", str(path)]
    assert run(args) == 0
    page = path.read_text()
    assert (
        f"acumen compare iris --learners naive-bayes --folds 3 --repeats 2 --report &#x27;{path}&#x27;"
        in page
    )
    assert f"Report written to {path}" in capsys.readouterr().err
    assert run([*args[:-1], str(tmp_path / "nowhere" / "r.html")]) == 3
    assert run([*args[:-1], str(tmp_path)]) == 3
    assert "not a plain file" in capsys.readouterr().err


def test_what_was_stopped_is_shown_with_what_was_finished(monkeypatch, capsys):
    def stop(summary):
        raise KeyboardInterrupt

    monkeypatch.setattr(acumen.OneR, "solve", staticmethod(stop))
    assert run(["compare", "iris", "--learners", "naive-bayes,one-r", *QUICK]) == 130
    out = capsys.readouterr().out
    assert "OneR: stopped after 0 of 3 splits" in out and "NaiveBayes" in out


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self):
        return True


def test_progress_is_drawn_on_a_terminal_and_nowhere_else(monkeypatch):
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with console.progress(2, 3, after=-1) as tell:
        tell("[bold]\x1b learner", 1)
    assert "[bold]\\x1b learner" in screen.getvalue()
    quiet = Screen()
    monkeypatch.setattr(sys, "stderr", quiet)
    with console.progress(2, 3, after=60) as tell:
        tell("learner", 1)
    assert quiet.getvalue() == ""
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with console.progress(2, 3) as tell:
        assert tell is None


def test_the_rope_can_be_told(capsys):
    args = ["compare", "iris", "--learners", "naive-bayes,full-bayes", *QUICK, "--json", "--rope"]
    assert run([*args, "0.4"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["rope"] == 0.4 and made["pairs"][0]["verdict"] == "practically equal"
    assert run([*args, "-1"]) == 2


# -- suites, time, what is left out, the model kept -----------------------------------------------


@pytest.fixture(scope="module")
def churn(tmp_path_factory):
    return str(write_churn(tmp_path_factory.mktemp("churn") / "churn.csv", 900))


def test_a_suite_is_chosen_by_its_word(capsys):
    assert run(["compare", "iris", "--suite", "quick", *QUICK, "--time-limit", "none", "--json"]) == 0
    out, err = capsys.readouterr()
    made = json.loads(out)
    assert {row["learner"] for row in made["table"]} == {
        "Majority",
        "OneR",
        "NaiveBayes",
        "DecisionTree",
        "FullBayes",
    }
    assert made["time"] is None and "Not in the quick suite: " in err and "(see acumen learners)" in err
    assert run(["compare", "iris", "--suite", "quick", *QUICK, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["time"] == 60
    assert run(["compare", "iris", "--learners", "one-r", *QUICK, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["time"] is None


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["--time-limit", "soon"], "--time-limit must be a number of seconds above 0, a text such as '90s'"),
        (["--suite", "some"], "--suite"),
        (["--memory", "much"], "--memory must be a size above 0 such as 4GB"),
    ],
)
def test_what_is_no_time_suite_or_size_is_refused(args, sentence, capsys):
    assert run(["compare", "iris", *args]) == 2
    assert sentence in capsys.readouterr().err


def test_pairs_have_their_sentences_when_asked_for(capsys):
    args = ["compare", "iris", "--learners", "naive-bayes,one-r", *QUICK]
    assert run(args) == 0
    without = capsys.readouterr().out
    assert run([*args, "--pairs"]) == 0
    assert "NaiveBayes is better than Majority: " in capsys.readouterr().out
    assert "is better than" not in without and "Worse: Majority." in without


def test_identifiers_and_constants_are_left_out_unless_they_are_to_be_kept(churn, capsys):
    args = [
        "compare",
        churn,
        "--target",
        "churn",
        "--learners",
        "one-r",
        "--folds",
        "2",
        "--repeats",
        "1",
        "--json",
    ]
    assert run(args) == 0
    out, err = capsys.readouterr()
    assert [each["column"] for each in json.loads(out)["left_out"]] == ["customer_id", "country"]
    assert "Ignored column 'customer_id': it has " in err and "Use --keep-ids to keep it." in err
    assert run([*args, "--keep-ids"]) == 0
    assert json.loads(capsys.readouterr().out)["left_out"] == []


def test_memory_that_is_not_there_is_a_line_of_the_table(churn, capsys):
    args = [
        "compare",
        churn,
        "--target",
        "churn",
        "--learners",
        "logistic,naive-bayes",
        *QUICK,
        "--memory",
        "1MB",
    ]
    assert run([*args, "--keep-ids"]) == 0
    out = capsys.readouterr().out.replace("\n  ", " ")
    assert (
        " -  Logistic: cannot learn from this table: a fit on 900 rows" in out and "1 MB may be used" in out
    )


def test_a_ranking_by_probabilities_leaves_out_or_calibrates(capsys):
    args = ["compare", "iris", "--learners", "nearest-mean,naive-bayes", *QUICK, "--measure", "auc"]
    assert run(args) == 0
    out, err = capsys.readouterr()
    assert (
        " -  NearestMean: it gives no probabilities" in out
        and "--calibrate" in out
        and "Traceback" not in err
    )
    assert run([*args, "--calibrate"]) == 0
    assert "2.  NearestMean" in capsys.readouterr().out


def test_the_recommended_learner_is_kept_with_the_comparison_beside_it(tmp_path, capsys):
    path = tmp_path / "best.acm"
    assert run(["compare", "iris", "--learners", "full-bayes,one-r", *QUICK, "-o", str(path)]) == 0
    err = capsys.readouterr().err
    assert f"FullBayes was trained on all rows and saved to {path}." in err and "slightly optimistic" in err
    assert acumen.load(path).comparison_["recommended"] == "FullBayes"
    assert run(["show", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "Chosen among 3 learners by error, " in shown and "Worse: Majority." in shown
    assert run(["show", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["comparison"]["best"] == ["FullBayes", "OneR"]
    assert run(["predict", str(path), "iris"]) == 0


def test_the_ranking_is_shown_even_where_the_model_cannot_be_written(tmp_path, monkeypatch, capsys):
    from acumen.cli import compare as command
    from acumen.errors import ModelFileError

    def refused(*args):
        raise ModelFileError("save: there is no room on the disk.")

    monkeypatch.setattr(command, "save_best", refused)
    path = tmp_path / "best.acm"
    assert run(["compare", "iris", "--learners", "one-r", *QUICK, "-o", str(path)]) != 0
    out, err = capsys.readouterr()
    assert "1.  OneR" in out and "no room on the disk" in err and "was trained on all rows" not in err


@pytest.mark.slow
def test_learn_best_is_the_same_in_one_word(tmp_path, capsys):
    path = tmp_path / "best.acm"
    assert run(["learn", "weather", "--learner", "best", "-o", str(path)]) == 0
    out, err = capsys.readouterr()
    model = acumen.load(path)
    assert model.comparison_["recommended"] in err and "was trained on all rows and saved to" in err
    assert "error by 10-fold cross-validation" in err and "error by" not in out
    assert out.strip() == model.describe().strip()
    assert run(["learn", "weather", "--learner", "best", "--set", "alpha=1"]) == 2
    assert "--learner best cannot be combined with --set" in capsys.readouterr().err


def test_the_command_that_makes_the_page_again_names_the_splits(tmp_path, monkeypatch, capsys):
    from acumen.assessment import probing

    def stepping():
        stepping.time += 0.1
        return stepping.time

    stepping.time = 0.0
    monkeypatch.setattr(probing, "now", stepping)
    monkeypatch.setattr(probing, "can_interrupt", lambda: False)
    path = tmp_path / "r.html"
    args = ["compare", "iris", "--learners", "naive-bayes,one-r", "--folds", "3", "--repeats", "9"]
    assert run([*args, "--time-limit", "12s", "--report", str(path), "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    used = made["splits"]["repeats"]
    assert 1 <= used < 9
    again = f"--folds 3 --repeats {used} --time-limit none"
    page = path.read_text()
    assert again in page and "--time-limit 12s" not in page
    monkeypatch.undo()
    command = re.search(r"acumen compare iris [^<]*--time-limit none", html.unescape(page))[0]
    assert run([*shlex.split(command)[1:], "--json"]) == 0
    same = json.loads(capsys.readouterr().out)
    assert [row["error"] for row in same["table"]] == [row["error"] for row in made["table"]]
    assert same["splits"]["repeats"] == used


def test_a_page_made_in_time_names_the_splits_too_since_another_machine_may_be_slower(tmp_path, capsys):
    path = tmp_path / "r.html"
    args = ["compare", "weather", "--learners", "naive-bayes", "--folds", "2", "--repeats", "1"]
    assert run([*args, "--time-limit", "50s", "--report", str(path)]) == 0
    page = path.read_text()
    assert "--folds 2 --repeats 1 --time-limit none" in page and "--time-limit 50s" not in page
    assert run([*args, "--report", str(path)]) == 0
    assert f"acumen {shlex.join([*args, '--report', str(path)])}" in html.unescape(path.read_text())


def test_what_runs_and_what_is_left_is_said_on_a_terminal(monkeypatch):
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with console.progress(2, 3, after=-1) as tell:
        tell.expects("SVM", 42.0, ["SVM", "OneR"])
    assert "SVM, 1 waiting, about 42 s left" in screen.getvalue()


def test_learn_best_names_no_flag_that_learn_has_not(tmp_path, monkeypatch, capsys):
    """What was left out can be had by flags of `learn`, and learners by `acumen compare`."""
    monkeypatch.setattr("acumen.cli.learn.SUITE_TIME", "2s")
    path = tmp_path / "few.csv"
    path.write_text("same,x,y\n" + "".join(f"1,{i % 7},{'pq'[i % 7 > 3]}\n" for i in range(40)))
    assert run(["learn", str(path), "--target", "y", "--learner", "best"]) == 0
    said = capsys.readouterr().err
    assert "column 'same'" in said and " Use --keep-ids to keep it." in said
    assert "acumen compare --suite all to include them." in said
    assert run(["learn", str(path), "--target", "y", "--learner", "best", "--keep-ids"]) == 0
    assert "left out: column" not in capsys.readouterr().err
