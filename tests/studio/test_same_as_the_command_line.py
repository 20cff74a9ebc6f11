"""What the studio shows is what its command gives: each is run as a person would copy it."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.cli.main import run
from studio_served import Served

IRIS = {"source": {"dataset": "iris"}}
TIMES = ("fit_time", "predict_time")


def given_by(command: str, *more: str) -> Any:
    """The JSON of a command line that was copied."""
    words = shlex.split(command)
    assert words[0] == "acumen"
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        assert run([*words[1:], *more, "--json"]) == 0
    return json.loads(out.getvalue())


def fetched(studio: Served, file: dict[str, Any]) -> bytes:
    """A file that was made, as the page saves it."""
    status, _, content = studio.request("GET", f"/api/made/{file['made']}")
    assert status == 200
    return content


def runs(command: str) -> None:
    """What a shell does with a command line: one part after another, the last one's result into a file."""
    line, _, name = command.partition(" > ")
    out = io.StringIO()
    for part in line.split(" && "):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            assert run(shlex.split(part)[1:]) == 0
    if name:
        Path(shlex.split(name)[0]).write_text(out.getvalue(), encoding="utf-8")


@pytest.fixture(autouse=True)
def in_the_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


@pytest.fixture(scope="module")
def customers(studio: Served) -> dict[str, Any]:
    listing = json.loads(studio.request("GET", "/api/start")[2])["tables"]
    number = next(each["number"] for each in listing if each["name"] == "customers.csv")
    return {"source": {"file": number}, "target": "churned", "kinds": {"calls": "nominal"}, "ignore": ["age"]}


def without_times(found: dict[str, Any]) -> dict[str, Any]:
    for row in found["table"]:
        for name in TIMES:
            row.pop(name)
    found["answer"].pop("fastest")
    return found


def test_the_card(studio, customers):
    answer = studio.ask("card", table=customers)
    assert "--kind calls=nominal --ignore age" in answer["command"]["cli"]
    assert given_by(answer["command"]["cli"]) == answer["card"]
    assert studio.ask("columns", table=customers)["guess"]["name"] == "churned"
    target = next(each for each in answer["columns"] if each["role"] == "target")
    assert {each["level"] for each in target["levels"]} == {"leaves", "stays"}


def test_the_comparison_and_its_python(studio, customers):
    asked = {
        "table": customers,
        "learners": ["naive-bayes", "decision-tree(confidence_factor=0.1)"],
        "folds": 4,
        "repeats": 2,
        "seed": 3,
    }
    answer = studio.job("compare", run=asked)
    assert without_times(given_by(answer["command"]["cli"])) == without_times(answer["comparison"])
    space: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(answer["command"]["python"], space)
    mine = json.loads(json.dumps(space["found"].to_dict()))
    assert without_times(mine) == without_times(studio.job("compare", run=asked)["comparison"])


def test_the_errors_and_the_rows_behind_a_cell(studio, customers):
    asked = {
        "table": customers,
        "learners": ["naive-bayes", "decision-tree"],
        "folds": 5,
        "repeats": 1,
        "measure": "brier",
    }
    studio.job("compare", run=asked)
    answer = studio.ask("errors", run=asked, learner="NaiveBayes", positive="leaves")
    space: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(answer["command"]["python"], space)
    found = space["found"].assessments["NaiveBayes"]
    assert answer["matrix"] == found.confusion.matrix.T.tolist()
    cell = {"run": asked, "learner": "NaiveBayes", "truth": "leaves", "predicted": "stays"}
    rows = found.rows(truth="leaves", predicted="stays")
    page = studio.ask("rows", table=customers, selection={"cell": cell}, count=200)
    assert page["positions"] == rows.tolist()
    assert page["total"] == answer["matrix"][0][1]
    moved = {**cell, "threshold": 0.2, "positive": "leaves"}
    page = studio.ask("rows", table=customers, selection={"cell": moved}, count=200)
    assert page["positions"] == found.rows("leaves", "stays", threshold=0.2, positive="leaves").tolist()
    steps = answer["steps"]
    at = max(i for i, each in enumerate(steps["thresholds"]) if each is not None and each >= 0.2)
    assert steps["found"][-1] - steps["found"][at] == page["total"]
    inverted = studio.ask("rows", table=customers, selection={"not": {"cell": cell}})
    assert inverted["total"] == 300 - len(rows)
    both = studio.ask("rows", table=customers, selection={"and": [{"cell": cell}, {"not": {"cell": cell}}]})
    assert both["total"] == 0
    apart = studio.ask("disagree", run=asked, a="NaiveBayes", b="DecisionTree")
    cells = space["found"].disagree("NaiveBayes", "DecisionTree")
    assert {name: apart[name] for name in ("only_a", "only_b")} == {
        "only_a": len(cells.only_a),
        "only_b": len(cells.only_b),
    }
    one = studio.ask("rows", table=customers, selection={"apart": {"run": asked, "a": "NaiveBayes", "b": "DecisionTree",
                                                                   "cell": "only_a"}}, count=200)  # fmt: skip
    assert one["positions"] == cells.only_a.tolist()
    text = fetched(studio, studio.ask("csv", table=customers, selection={"cell": cell}))
    assert len(text.splitlines()) == len(rows) + 1


def test_the_threshold_that_costs_least_is_the_one_that_decide_chooses(studio, tmp_path):
    """The steps that the page chooses among lead to the cost that `acumen.decide` finds."""
    from acumen.assessment.decide import decide

    rng = np.random.default_rng(0)
    shares = np.round(rng.random(400), 3)
    truth = rng.random(400) < shares
    curve = acumen.roc(truth, shares, True)
    thresholds, found, alarms = curve.steps(500)
    costs = 5 * (found[-1] - found) + alarms
    best = decide(truth, shares, True, costs={"missed": 5, "alarm": 1})
    called = shares >= thresholds[int(costs.argmin())]
    assert called.sum() == best.called


def test_the_model_its_nodes_its_rules_and_a_row(studio):
    model = {"table": IRIS, "learner": "decision-tree"}
    studio.job("learn", model=model)
    answer = studio.ask("model", model=model)
    known = given_by(answer["command"]["cli"].removesuffix(" -o model.acm"))
    assert {key: answer[key] for key in known} == known
    table = acumen.datasets.load("iris")
    tree = acumen.DecisionTree(random_state=0).fit(table)
    page = studio.ask(
        "rows", table=IRIS, selection={"node": {"model": model, "table": IRIS, "node": 2}}, count=200
    )
    assert page["positions"] == tree.rows_at(2, table).tolist()
    ruled = studio.ask(
        "rows", table=IRIS, selection={"rule": {"model": model, "table": IRIS, "rule": 0}}, count=200
    )
    assert ruled["total"] == 50
    row = studio.ask("row", model=model, position=3, changed={"petal_width": 2.5})
    one = {field["name"]: field["now"] for field in row["fields"]}
    assert row["explanation"]["label"] == tree.explain(one).label
    assert row["nearest"]["label"] != row["explanation"]["label"]
    assert row["path"] == str(tree.path(one))
    cut = studio.ask("pruned", model=model, place=2)
    assert (
        cut["n_leaves"]
        == tree.with_pruning("cost-complexity", ccp_alpha=cut["alphas"][2]).n_leaves_
        == cut["leaves"][2]
    )


def test_groups_and_tuning(studio):
    cluster = {"table": IRIS, "k": "3"}
    groups = studio.job("cluster", cluster=cluster)
    assert given_by(groups["command"]["cli"].removesuffix(" -o groups.acm")) == groups["value"]
    page = studio.ask("rows", table=IRIS, selection={"group": {"cluster": cluster, "group": 0}}, count=200)
    assert page["total"] == groups["value"]["groups"][0]["rows"]
    space: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(groups["command"]["python"], space)
    assert page["positions"] == np.flatnonzero(space["model"].labels_ == 0).tolist()
    tuned = studio.job(
        "tune", table=IRIS, learner="decision-tree", grids=["confidence_factor=0.1,0.4"], folds=3
    )
    assert given_by(tuned["command"]["cli"]) == tuned["value"]
    Path("groups.acm").unlink()


def hooks(tree: Any, name: str) -> list[str]:
    """What parts of a drawing carry under an attribute."""
    if isinstance(tree, str):
        return []
    own = [tree[1][name]] if name in tree[1] else []
    return own + [each for child in tree[2] for each in hooks(child, name)]


@pytest.mark.slow
def test_how_many_groups_is_drawn_with_a_place_to_click_for_each_number(studio):
    groups = studio.job("cluster", cluster={"table": IRIS})
    assert groups["command"]["cli"] == "acumen cluster iris --learner k-means -o groups.acm"
    tried = [str(each["k"]) for each in groups["value"]["choice"]["table"]]
    assert hooks(groups["chosen"], "data-k") == tried
    assert groups["k"] == groups["value"]["n_groups"]
    assert hooks(groups["plane"], "data-group") == [str(at) for at in range(groups["k"])]


def test_ways_to_find_groups_and_why_others_do_not_suit(studio):
    found = studio.ask("groupers", table={"source": {"dataset": "loan"}})
    assert {"k-modes"} <= {each["kind"] for each in found["learners"]}
    assert all(each["summary"] for each in found["learners"])
    assert all(each["why"].strip() for each in found["left_out"])
    assert "k-means" in {each["kind"] for each in studio.ask("groupers", table=IRIS)["learners"]}
    wrong = studio.events(studio.begin("cluster", cluster={"table": IRIS, "k": "many"}))[-1]
    assert "--n-clusters must be a whole number" in wrong["failed"]


LOAN = {"source": {"dataset": "loan"}}


def test_rules_and_sets_select_the_rows_that_they_speak_of(studio):
    mined = {"table": LOAN, "rules": True, "min_support": 0.3, "min_confidence": 0.6, "top": 30}
    found = studio.job("mine", mined=mined)
    assert given_by(found["command"]["cli"]) == found["value"]
    loan = acumen.datasets.load("loan")
    space: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(found["command"]["python"], space)
    assert json.loads(json.dumps(space["found"].to_dicts())) == found["value"]["rules"]
    for rule in found["value"]["rules"][:8]:
        right = {"table": LOAN, "items": [*rule["body"], *rule["head"]]}
        wrong = {"table": LOAN, "items": rule["body"], "without": rule["head"]}
        first = studio.ask("rows", table=LOAN, selection={"items": right}, count=200)
        second = studio.ask("rows", table=LOAN, selection={"items": wrong}, count=200)
        assert first["total"] == rule["count"]
        assert first["positions"] == acumen.rows_containing(loan, right["items"]).tolist()
        assert rule["count"] / (first["total"] + second["total"]) == pytest.approx(rule["confidence"])
        both = {"and": [{"items": right}, {"items": wrong}]}
        assert studio.ask("rows", table=LOAN, selection=both)["total"] == 0
    assert len(hooks(found["scatter"], "data-rule")) == len(found["value"]["rules"])
    sets = {"table": LOAN, "rules": False, "min_support": 0.3, "sets": "closed", "max_size": 2,
            "contains": ["Class=*"], "excludes": ["Own_house=true"]}  # fmt: skip
    found = studio.job("mine", mined=sets)
    assert given_by(found["command"]["cli"]) == found["value"]
    assert "--closed" in found["command"]["cli"]
    space = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(found["command"]["python"], space)
    assert space["found"].to_dicts() == found["value"]["itemsets"]


def test_numbers_that_were_cut_select_rows_by_their_intervals(studio):
    found = studio.job(
        "mine", mined={"table": IRIS, "rules": False, "discretise": "equal-width", "max_size": 1}
    )
    for each in found["value"]["itemsets"]:
        of = {"table": IRIS, "discretise": "equal-width", "items": each["items"]}
        assert studio.ask("rows", table=IRIS, selection={"items": of})["total"] == each["count"]
    assert "no item is called" in json.loads(
        studio.request("POST", "/api/ask/rows", {"table": LOAN, "selection": {"items": {"table": LOAN,
                       "items": ["<b>"]}}})[2])["error"]  # fmt: skip


def test_lists_of_items_are_recognised_and_read_as_baskets_where_asked(studio, folder):
    path = folder / "till.txt"
    path.write_text("bread,milk\nbread,beer,eggs\nmilk\nbread,milk,beer\n")
    listing = json.loads(studio.request("GET", "/api/start")[2])["tables"]
    number = next(each["number"] for each in listing if each["name"] == "till.txt")
    table = {"source": {"file": number}, "written": {"format": "basket"}}
    found = studio.job("mine", mined={"table": table, "rules": False, "min_support": 0.5})
    assert found["lists"] is False
    assert "--format basket" in found["command"]["cli"]
    assert given_by(found["command"]["cli"]) == found["value"]
    page = studio.ask("rows", table=table, selection={"items": {"table": table, "items": ["bread", "milk"]}})
    assert page["positions"] == [0, 3]
    path.unlink()


def test_what_is_not_in_memory_says_which_job_makes_it(studio):
    other = {"table": {**IRIS, "ignore": ["sepal_width"]}, "k": "2"}
    run_ = {"table": other["table"], "learners": ["naive-bayes"], "folds": 2, "repeats": 1}
    for selection, needs in (
        ({"group": {"cluster": other, "group": 0}}, "cluster"),
        ({"cell": {"run": run_, "learner": "NaiveBayes"}}, "compare"),
        ({"node": {"model": {"table": other["table"], "learner": "decision-tree"}, "table": IRIS, "node": 1}},
         "learn"),
    ):  # fmt: skip
        status, _, body = studio.request(
            "POST", "/api/ask/rows", {"table": other["table"], "selection": selection}
        )
        assert status == 422
        assert json.loads(body)["needs"] == needs


def test_columns_are_known_before_the_card_with_why_and_the_lines(studio, folder):
    path = folder / "odd.csv"
    path.write_text(
        "age,when,size,class\n"
        + "".join(
            f"{'x' if i == 3 else 20 + i},2020-01-{1 + i:02},{'sl'[i % 2]},{i % 2}\n" for i in range(20)
        )
    )
    listing = json.loads(studio.request("GET", "/api/start")[2])["tables"]
    number = next(each["number"] for each in listing if each["name"] == "odd.csv")
    table = {"source": {"file": number}, "target": "class", "kinds": {"size": "ordinal"}}
    answer = studio.ask("columns", table=table)
    found = {each["name"]: each for each in answer["columns"]}
    assert found["age"]["why"][0]["lines"] == [5]
    assert found["when"]["decided"] == "its values are days"
    assert found["size"]["decided"] == "as you said"
    assert found["class"]["role"] == "target"
    full = {each["name"]: each for each in studio.ask("card", table=table)["columns"]}
    for name, each in found.items():
        assert {key: full[name][key] for key in ("kind", "role", "decided", "order", "why")} == {
            key: each[key] for key in ("kind", "role", "decided", "order", "why")}, name  # fmt: skip
    told = studio.ask("columns", table={**table, "missing": ["x"]})
    assert next(each for each in told["columns"] if each["name"] == "age")["kind"] == "numeric"
    assert "--missing x" in told["command"]["cli"]
    path.unlink()


FORMS = ("sql", "python", "rules", "svg", "onnx", "pmml", "model", "predictions")


def test_what_is_kept_is_what_its_command_writes(studio, tmp_path, monkeypatch):
    import hashlib

    pytest.importorskip("onnx")
    model = {"table": IRIS, "learner": "decision-tree(missing=majority)"}
    studio.job("learn", model=model)
    monkeypatch.chdir(tmp_path)
    for what in FORMS:
        asked = {"model": model, **({"table": IRIS} if what == "predictions" else {})}
        kept = studio.job("keep", what=what, **asked)
        content = fetched(studio, kept)
        assert hashlib.sha256(content).hexdigest() == kept["sha256"]
        assert len(content) == kept["bytes"] > 0
        runs(kept["command"]["cli"])
        if what == "model":
            mine = tmp_path / "mine.acm"
            mine.write_bytes(content)
            assert acumen.load(mine).describe() == acumen.load(tmp_path / "model.acm").describe()
        else:
            assert content == (tmp_path / kept["name"]).read_bytes(), what
        if what not in ("predictions", "model"):
            (tmp_path / kept["name"]).unlink()
            exec(kept["command"]["python"], {})
            assert content == (tmp_path / kept["name"]).read_bytes(), what


def test_a_form_that_a_model_has_not_or_an_extra_that_is_not_there_is_a_sentence(studio, monkeypatch):
    model = {"table": IRIS, "learner": "knn"}
    studio.job("learn", model=model)
    for what in ("onnx", "pmml", "sql", "rules"):
        last = studio.events(studio.begin("keep", what=what, model=model))[-1]
        assert last["failed"].endswith((".", "?")), last
        assert "should not have happened" not in last["failed"]

    from acumen.errors import MissingExtra
    from acumen.studio.answers import keep

    def lacking(words: list[str]) -> int:
        import sys

        print(f"acumen: {MissingExtra('to_onnx needs onnx: pip install it')}", file=sys.stderr)
        return 2

    monkeypatch.setattr("acumen.cli.main.run", lacking)
    with pytest.raises(acumen.errors.DataError, match="to_onnx needs onnx"):
        keep._ran(["show"])


def test_predictions_of_another_file_from_the_folder_and_of_one_that_was_dropped(studio, customers, folder):
    (folder / "new.csv").write_text((folder / "customers.csv").read_text())
    listing = json.loads(studio.request("GET", "/api/start")[2])["tables"]
    number = next(each["number"] for each in listing if each["name"] == "new.csv")
    body = (folder / "customers.csv").read_bytes()
    sent = json.loads(studio.request("PUT", "/api/upload", body, {"X-File-Name": "sent.csv"})[2])
    model = {"table": customers, "learner": "naive-bayes"}
    studio.job("learn", model=model)
    from_folder, from_upload = (
        studio.job("keep", what="predictions", model=model, table={"source": source})
        for source in ({"file": number}, {"upload": sent["number"]})
    )
    assert fetched(studio, from_folder) == fetched(studio, from_upload)
    assert "predict model.acm new.csv" in from_folder["command"]["cli"]
    assert "predict model.acm sent.csv" in from_upload["command"]["cli"]
    assert "/" not in from_upload["command"]["cli"].replace("</script>", "")
    (folder / "new.csv").unlink()


def test_a_profile_tells_what_sets_a_selection_apart(studio):
    model = {"table": IRIS, "learner": "decision-tree"}
    studio.job("learn", model=model)
    told = studio.ask("profile", table=IRIS, selection={"node": {"model": model, "table": IRIS, "node": 1}})
    assert told["count"] == 50
    assert any("petal_width" in trait["text"] for trait in told["traits"])


def test_rows_are_sorted_and_paged_by_the_server(studio):
    first = studio.ask("rows", table=IRIS, sort="petal_length", down=True, count=3)
    column = acumen.datasets.load("iris").column("petal_length")
    assert [row[2] for row in first["rows"]] == np.sort(column)[::-1][:3].tolist()
    last = studio.ask("rows", table=IRIS, sort="petal_length", offset=148, count=50)
    assert len(last["rows"]) == 2


@pytest.fixture(scope="module")
def visits(studio: Served, folder: Path) -> dict[str, Any]:
    """Dates, sizes that have an order, and columns called as the page calls its own things."""
    sizes = ("small", "large", "medium")
    lines = ["day,seen,size,source,shown,class"]
    for i in range(40):
        seen = f"2024-05-{1 + i % 28:02} {i % 24:02}:30"
        lines.append(f"2020-01-{1 + i % 31:02},{seen},{sizes[i % 3]},{i % 3},{i % 2},{'ab'[i % 2]}")
    (folder / "visits.csv").write_text("\n".join(lines) + "\n")
    listing = json.loads(studio.request("GET", "/api/start")[2])["tables"]
    number = next(each["number"] for each in listing if each["name"] == "visits.csv")
    return {"source": {"file": number}, "target": "class"}


def test_days_are_shown_as_dates_and_sorted_as_days(studio, visits):
    answer = studio.ask("rows", table=visits, count=40, sort="day", down=True)
    days = [row[answer["columns"].index("day")] for row in answer["rows"]]
    assert days == sorted(days, reverse=True)
    assert days[0] == "2020-01-31"
    assert answer["rows"][0][answer["columns"].index("seen")] == "2024-05-03 06:30"
    card = studio.ask("card", table=visits)
    column = next(each for each in card["columns"] if each["name"] == "day")
    assert column["numeric"]["shown"]["min"] == "2020-01-01"
    assert column["numeric"]["shown"]["max"] == "2020-01-31"


def test_a_row_with_dates_is_explained_by_its_command(studio, visits):
    model = {"table": visits, "learner": "naive-bayes"}
    studio.job("learn", model=model)
    answer = studio.ask("row", model=model, position=2, changed={"day": 18300.0})
    field = next(each for each in answer["fields"] if each["name"] == "day")
    assert (field["moment"], field["said"], field["now"]) == ("date", "2020-01-03", 18300.0)
    assert "2020-02-08" in answer["command"]["cli"]
    for step in answer["nearest"]["differs"]:
        assert step["name"] not in ("day", "seen") or step["there"].startswith("20")


def test_levels_in_a_given_order_and_kinds_of_columns_called_as_parts_of_a_question(studio, visits):
    asked = {
        **visits,
        "kinds": {"size": "ordinal", "source": "nominal", "shown": "nominal"},
        "levels": {"size": ["small", "medium", "large"]},
    }
    answer = studio.ask("card", table=asked)
    found = {each["name"]: each for each in answer["columns"]}
    assert found["size"]["order"] == ["small", "medium", "large"]
    assert [found[name]["kind"] for name in ("size", "source", "shown")] == ["ordinal", "nominal", "nominal"]
    assert "--levels size=small,medium,large" in answer["command"]["cli"]
    assert given_by(answer["command"]["cli"]) == answer["card"]


def test_a_moved_threshold_by_the_command_of_it(studio, customers, tmp_path, capsys):
    asked = {
        "table": customers, "learners": ["naive-bayes"], "folds": 3, "repeats": 1, "measure": "brier"
    }  # fmt: skip
    studio.job("compare", run=asked)
    answer = studio.ask("errors", run=asked, learner="NaiveBayes", positive="leaves")
    steps, calling = answer["steps"], answer["calling"]
    at = len(steps["thresholds"]) // 3
    threshold = repr(steps["thresholds"][at])
    exec(threshold.join(calling["python"]), {})
    lines = capsys.readouterr().out.split("\n")
    found, missed = (int(n) for n in lines[0].removeprefix("leaves [").rstrip("]").split(","))
    assert found == steps["found"][at]
    assert found + missed == steps["found"][-1]
    learn, predict = threshold.join(calling["cli"]).split(" && ")
    model = str(tmp_path / "model.acm")
    given_by(learn.replace("model.acm", model))
    assert run([*shlex.split(predict.replace("model.acm", model))[1:], "--json"]) == 0
    told = [json.loads(line)["prediction"] for line in capsys.readouterr().out.splitlines()]
    fitted = acumen.load(model)
    table = acumen.read("customers.csv", target="churned", kinds={"calls": "nominal"}, ignore=["age"])
    called = fitted.predict_proba(table)[:, list(fitted.classes_).index("leaves")] >= float(threshold)
    assert told == ["leaves" if each else "stays" for each in called]


def test_what_naive_bayes_and_lines_have_learned_are_tables(studio, customers):
    model = {"table": customers, "learner": "naive-bayes"}
    studio.job("learn", model=model)
    first, *others = studio.ask("model", model=model)["tables"]
    assert first["headings"] == ["", "leaves", "stays"]
    shares = [float(cell) for cell in first["rows"][0][1:]]
    assert sum(shares) == pytest.approx(1, abs=2e-4)
    plan = next(each for each in others if each["caption"] == "P(plan | class)")
    assert [row[0] for row in plan["rows"]] == ["</script><b>pro", "basic", "plus"]
    assert sum(float(row[1]) for row in plan["rows"]) == pytest.approx(1, abs=3e-4)
    model = {"table": {**IRIS}, "learner": "logistic"}
    studio.job("learn", model=model)
    (weights,) = studio.ask("model", model=model)["tables"]
    fitted = acumen.Logistic().fit(acumen.datasets.load("iris"))
    assert [row[0] for row in weights["rows"]] == [*fitted.predictor_.schema.names, "intercept"]
    model = {"table": {**IRIS}, "learner": "decision-tree"}
    studio.job("learn", model=model)
    assert studio.ask("model", model=model)["tables"] == []


def test_a_row_that_is_taken_for_another_class_is_not_its_own_nearest(studio, folder):
    listing = json.loads(studio.request("GET", "/api/start")[2])["tables"]
    number = next(each["number"] for each in listing if each["name"] == "below/small.csv")
    model = {"table": {"source": {"file": number}, "target": "class"}, "learner": "majority"}
    studio.job("learn", model=model)
    found = studio.ask("row", model=model, position=1)
    assert found["explanation"]["label"] == "a"
    assert found["truth"] == "b"
    assert found["nearest"]["position"] == 3
    assert found["nearest"]["differs"] == [{"name": "x", "here": 2.0, "there": 4.0}]
    status, _, body = studio.request("POST", "/api/ask/row", {"model": model, "position": 4})
    assert status == 422
    assert json.loads(body)["error"] == "there is no row 5; the table has 4."


def test_infinite_numbers_are_shown_and_numbers_that_stand_for_none_are_named(studio):
    lines = ["a,b,c,class"]
    lines += [
        f"{i % 7 + i / 100},{'inf' if i == 3 else i},{'Xx' if i % 3 else 'xx'},{'no' if i % 2 else 'yes'}"
        for i in range(60)
    ]
    lines += [f"999,{i},xx,no" for i in range(9)]
    made = studio.request("PUT", "/api/upload", "\n".join(lines).encode(), {"X-File-Name": "odd.csv"})[2]
    table = {"source": {"upload": json.loads(made)["number"]}, "target": "class"}
    assert [row[1] for row in studio.ask("rows", table=table, count=5)["rows"]] == [0, 1, 2, "inf", 4]
    assert studio.ask("card", table=table)["placeholders"] == {"a": "999"}
    # What a command would warn of when it learns stands beside the model.
    model = {"table": table, "learner": "decision-tree"}
    studio.job("learn", model=model)
    said = studio.ask("model", model=model)["warned"]
    assert all(sentence.startswith("DecisionTree: ") for sentence in said)
    assert any("categories that look alike: c" in sentence for sentence in said)
