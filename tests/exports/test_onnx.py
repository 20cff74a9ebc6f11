"""ONNX: graphs say what models say, run by onnxruntime."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import acumen
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, MissingExtra, ParameterError
from export_cases import LEARNERS, NUMBERS, SCHEMA, TREE, cuts_of, inputs, training

onnx = pytest.importorskip("onnx", reason="needs the extra onnx")
runtime = pytest.importorskip("onnxruntime", reason="needs onnxruntime, which the extra test has")

TWO = "two classes"
FURTHER: dict[str, Any] = {
    "tree, shares and costs": acumen.DecisionTree(prune="none", priors="uniform", costs={("a", "b's"): 4.0}),
    "tree, shares of two branches": acumen.DecisionTree(split="binary", prune="none"),
    "tree, shares of pairs": acumen.DecisionTree(construct="pairs", prune="none"),
    "random tree": acumen.RandomTree(random_state=0),
    "bagging of shares": acumen.Bagging(acumen.DecisionTree(prune="none"), n_estimators=2, random_state=0),
    "bagging": acumen.Bagging(acumen.DecisionTree(**TREE), n_estimators=3, random_state=0),
    "bagging of full trees": acumen.Bagging(n_estimators=3, random_state=0),
    "random forest": acumen.RandomForest(n_estimators=6, random_state=0),
    f"random forest, {TWO}": acumen.RandomForest(n_estimators=6, random_state=0, costs={("a", "b's"): 3.0}),
    "extra trees": acumen.ExtraTrees(n_estimators=4, random_state=0, max_depth=8),
    "boosting": acumen.Boosting(n_estimators=8, random_state=0),
    f"boosting, {TWO}": acumen.Boosting(n_estimators=8, random_state=0),
    "boosting of naive bayes": acumen.AdaBoost(acumen.NaiveBayes(), n_estimators=3),
    "voting": acumen.Voting([acumen.NaiveBayes(), acumen.Logistic(), acumen.DecisionTree(**TREE)]),
    "least squares": acumen.LeastSquares(alpha=0.1),
    "perceptron": acumen.Perceptron(max_iter=5, random_state=0),
    f"perceptron, {TWO}": acumen.Perceptron(max_iter=5, random_state=0, scale=True),
    "perceptron, kernel": acumen.Perceptron(max_iter=5, random_state=0, kernel="rbf"),
    "nearest mean": acumen.NearestMean(),
    "kernel fisher": acumen.KernelFisher(),
    f"logistic, {TWO}": acumen.Logistic(costs={("a", "b's"): 3.0}),
    f"additive, {TWO}": acumen.Additive(),
    "full bayes": acumen.FullBayes(),
    "full bayes, shared": acumen.FullBayes(covariance="shared"),
    "svm, linear": acumen.SVM(kernel="linear", multiclass="ovr"),
    "svm, rbf": acumen.SVM(),
    "svm, poly": acumen.SVM(kernel="poly", degree=2),
    "svm, sigmoid": acumen.SVM(kernel="sigmoid"),
    "svm, codes": acumen.SVM(multiclass="ecoc"),
    "svm, platt": acumen.SVM(probability="platt"),
    "svm, isotonic": acumen.SVM(probability="isotonic"),
    f"svm, isotonic, {TWO}": acumen.SVM(probability="isotonic"),
}
EVERY = {**LEARNERS, **FURTHER}


def feed(rows: Table) -> dict[str, np.ndarray]:
    """The inputs of a graph, as the documentation says they are."""
    made: dict[str, np.ndarray] = {a.name: values.reshape(-1, 1) for a, values in rows.numeric_columns()}
    for a, codes in rows.nominal_columns():
        words = isinstance(a.levels[0], str)
        strange: dict[int, Any] = {-1: "" if words else np.nan, -2: "never heard of" if words else 77.0}
        cells = [strange[c] if c < 0 else a.levels[c] for c in codes.tolist()]
        made[a.name] = np.array(cells, dtype=object if words else np.float64).reshape(-1, 1)
    return made


def run(model: Any, rows: Table) -> dict[str, np.ndarray]:
    session = runtime.InferenceSession(acumen.to_onnx(model), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, feed(rows)), strict=True))


def agree(model: Any, rows: Table, tolerance: float = 1e-12) -> None:
    """Labels equal, probabilities (or scores, by their size) as near as doubles allow."""
    predictor = model.predictor_
    got = run(model, rows)
    assert got["label_" if "label" in predictor.schema.names else "label"].tolist() == predictor.answers(rows)
    if predictor.model.probabilistic:
        assert np.abs(got["probabilities"] - predictor.proba(rows)).max() <= tolerance
    else:
        wanted = predictor.scores(rows)
        assert np.allclose(got["scores"], wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", EVERY)
def test_a_graph_says_what_the_model_says(name: str) -> None:
    """Around every threshold, with gaps, with levels nobody knows; an attribute is called as an output would be."""
    table = training(classes=2 if TWO in name else 3)
    renamed = Schema(
        (Attribute("label"), *SCHEMA.attributes[1:]), Attribute("what", "nominal", table.schema.classes)
    )
    table = Table(
        renamed, len(table), numeric=[v for _, v in table.numeric_columns()],
        nominal=[c for _, c in table.nominal_columns()], labels=table.labels,
    )  # fmt: skip
    learner = EVERY[name]
    if "weighed" in name:
        learner = acumen.NaiveBayes(attribute_weights={"label": 0.5, "colour": 2.0})
    model = clone(learner).fit(table)
    agree(model, inputs(renamed, 500, 3, cuts=cuts_of(model.predictor_)))


REGRESSORS = [
    acumen.LinearRegression(), acumen.Lasso(alpha=0.01), acumen.Mean(), acumen.AdditiveRegressor(), acumen.SVR(),
    acumen.RandomForestRegressor(n_estimators=4, random_state=0),
    acumen.BoostingRegressor(n_estimators=5, random_state=0),
    acumen.BaggingRegressor(acumen.LinearRegression(), n_estimators=3, random_state=0),
]  # fmt: skip


@pytest.mark.parametrize("learner", REGRESSORS, ids=lambda one: type(one).__name__)
def test_a_graph_gives_the_numbers_of_a_regressor(learner: Any) -> None:
    rows = inputs(SCHEMA, 200, 0)
    response = np.nan_to_num(rows.numeric.columns[0]) * 2 + np.arange(200) % 3
    nominal = [np.maximum(codes, -1).astype(np.int32) for _, codes in rows.nominal_columns()]
    numeric = [v for _, v in rows.numeric_columns()]
    schema = Schema(SCHEMA.attributes, Attribute("amount"))
    model = learner.fit(Table(schema, 200, numeric=numeric, nominal=nominal, response=response))
    fresh = inputs(SCHEMA, 300, 5, cuts=cuts_of(model.predictor_))
    got = run(model, fresh)
    assert np.allclose(got["value"][:, 0], model.predictor_.predict(fresh), rtol=1e-12, atol=1e-12)


def test_infinite_numbers_are_told_from_missing_ones_as_the_model_tells_them() -> None:
    rows = inputs(NUMBERS, 60, 1)
    values = [values.copy() for _, values in rows.numeric_columns()]
    values[0][:10], values[0][10:20] = np.inf, -np.inf
    rows = Table(rows.schema, 60, numeric=values, nominal=[])
    names = [
        "tree",
        "tree, shares",
        "logistic",
        "naive bayes",
        "additive",
        "fisher",
        "full bayes",
        "kernel fisher",
        "random forest",
    ]
    for name in [*names, "svm, linear", "svm, rbf", "svm, sigmoid", "svm, platt", "perceptron, kernel"]:
        agree(clone(EVERY[name]).fit(training(NUMBERS)), rows)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "name", ["svm, linear", "svm, rbf", "svm, platt", "kernel fisher", "perceptron, kernel"]
)
def test_a_column_by_itself_is_scaled_in_double_precision(name: str, classes: int) -> None:
    """Run-times fuse a scaling with the product of matrices behind it, and hold the factor in single precision."""
    own = Schema(NUMBERS.attributes[:1], NUMBERS.target)
    table = training(own, classes=classes)
    table = Table(
        table.schema, len(table), numeric=[table.numeric.columns[0] * 37.3 + 11], labels=table.labels
    )
    rows = inputs(own, 200, 3)
    agree(
        clone(EVERY[name]).fit(table), Table(rows.schema, 200, numeric=[rows.numeric.columns[0] * 37.3 + 11])
    )


def test_values_that_were_told_to_be_missing_or_another_are(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    lines = [
        f"{i % 7 if i % 5 else -9},{'r' if i % 3 else 'red' if i % 2 else 'blue'},{i % 2}" for i in range(60)
    ]
    source.write_text("size,colour,y\n" + "\n".join(lines), encoding="utf-8")
    table = acumen.read(
        source, target="y", kinds={"y": "nominal"}, missing=["-9"], merge={"colour": {"r": "red"}}
    )
    model = acumen.NaiveBayes().fit(table)
    session = runtime.InferenceSession(acumen.to_onnx(model), providers=["CPUExecutionProvider"])
    given = {"size": np.array([[-9.0], [np.nan], [3.0], [3.0]]),
             "colour": np.array([["red"], ["red"], ["r"], ["red"]], dtype=object)}  # fmt: skip
    shares = session.run(["probabilities"], given)[0]
    assert np.array_equal(shares[0], shares[1]) and np.array_equal(shares[2], shares[3])


@pytest.mark.parametrize(
    ("levels", "kind"), [((0, 1), np.int64), ((False, True), np.bool_), ((0.5, 1.5), np.float64)]
)
def test_classes_that_are_no_texts_keep_their_type(levels: tuple[Any, ...], kind: Any) -> None:
    table = training(NUMBERS, classes=2)
    schema = Schema(NUMBERS.attributes, Attribute("y", "nominal", levels))
    table = Table(
        schema, len(table), numeric=[v for _, v in table.numeric_columns()], nominal=[], labels=table.labels
    )
    model = acumen.Logistic().fit(table)
    rows = inputs(NUMBERS, 50, 2)
    got = run(model, rows)["label"]
    assert got.dtype == kind and got.tolist() == model.predictor_.answers(rows)


def test_one_row_and_no_row_are_answered() -> None:
    for learner in (acumen.RandomForest(n_estimators=3, random_state=0), acumen.DecisionTree()):
        model = learner.fit(training())
        for n in (0, 1):
            rows = inputs(SCHEMA, n, 1)
            got = run(model, rows)
            assert got["label"].shape == (n,) and got["probabilities"].shape == (n, 3)


def test_a_row_of_nothing_but_gaps_goes_down_every_branch() -> None:
    model = acumen.DecisionTree(prune="none").fit(training())
    gaps = [np.full(2, -code, dtype=np.int32) for code in (1, 2, 1, 2)]
    rows = Table(SCHEMA.without_target(), 2, numeric=[np.full(2, np.nan)] * 2, nominal=gaps)
    agree(model, rows)
    assert np.allclose(run(model, rows)["probabilities"], model.model_.shares[0], atol=0.05)


def test_a_deep_tree_and_one_of_many_branches_are_written() -> None:
    n = 1200
    numbers = np.arange(n, dtype=np.float64)
    schema = Schema((Attribute("x"), Attribute("town", "nominal", tuple(f"t{i}" for i in range(400)))),
                    Attribute("y", "nominal", ("a", "b")))  # fmt: skip
    towns = (np.arange(n) % 400).astype(np.int32)
    labels = ((np.arange(n) % 400) % 2 ^ (np.arange(n) > 600)).astype(np.int32)
    table = Table(schema, n, numeric=[numbers], nominal=[towns], labels=labels)
    model = acumen.DecisionTree(missing="majority", prune="none", measure="gain").fit(table)
    assert model.model_.tree.branches.max() == 400
    rows = Table(schema.without_target(), n, numeric=[numbers], nominal=[np.roll(towns, 3)])
    got = run(model, rows)
    assert got["label"].tolist() == model.predictor_.answers(rows)


def test_the_file_is_the_bytes(tmp_path: Path) -> None:
    model = acumen.NaiveBayes().fit(training())
    made = acumen.to_onnx(model, tmp_path / "m.onnx")
    assert (tmp_path / "m.onnx").read_bytes() == made
    graph = onnx.load(tmp_path / "m.onnx")
    onnx.checker.check_model(graph, full_check=True)
    assert [one.name for one in graph.graph.input] == list(SCHEMA.names)
    assert {one.domain: one.version for one in graph.opset_import}["ai.onnx.ml"] == 5
    acumen.save(model, tmp_path / "m.acm")
    assert acumen.to_onnx(acumen.load(tmp_path / "m.acm")) == made


TEXTS = Schema((Attribute("note", "text"), Attribute("x")), Attribute("y", "nominal", ("a", "b")))


def _texts() -> Table:
    notes = np.array(["an offer", "nothing here", "offer now", "hello"] * 10, dtype=object)
    return Table(
        TEXTS, 40, numeric=[np.arange(40.0) % 3], text=[notes], labels=np.arange(40, dtype=np.int32) % 2
    )


@pytest.mark.parametrize(
    ("learner", "why"),
    [
        (acumen.KNN(), "a knn model cannot be exported to ONNX"),
        (acumen.NaiveBayes(numeric="kernel"), "cannot be exported as a sum of terms"),
        (acumen.Voting([acumen.NaiveBayes(), acumen.KNN()]), "a knn model cannot be exported to ONNX"),
    ],
    ids=["neighbours", "kernel densities", "members of a vote"],
)
def test_what_onnx_cannot_say_is_refused_in_a_sentence(learner: Any, why: str) -> None:
    with pytest.raises(DataError, match=f"to_onnx: .*{why}"):
        acumen.to_onnx(learner.fit(training()))


@pytest.mark.parametrize(
    "learner",
    [
        acumen.Logistic(),
        acumen.SVM(kernel="linear"),
        acumen.NaiveBayes(),
        acumen.RandomForest(n_estimators=4),
    ],
)
def test_words_are_refused_where_a_model_asks_for_them(learner: Any) -> None:
    with pytest.raises(DataError, match=r"to_onnx: .*([Ff]it|[Ll]earn) without"):
        acumen.to_onnx(learner.fit(_texts()))


def test_too_many_patterns_of_gaps_are_refused() -> None:
    rng = np.random.default_rng(0)
    model = acumen.FullBayes().fit(rng.normal(size=(90, 16)), np.arange(90) % 2)
    with pytest.raises(DataError, match=r"65,536 ways.*covariance='diagonal'"):
        acumen.to_onnx(model)


def test_only_fitted_models_of_rows_are_taken() -> None:
    with pytest.raises(ParameterError, match="must be a fitted learner"):
        acumen.to_onnx("model.acm")
    with pytest.raises(DataError, match="neither classes nor numbers"):
        acumen.to_onnx(acumen.KMeans(2, random_state=0).fit(training()))


def test_without_the_extra_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingExtra, match=r"pip install 'acumen-learn\[onnx\]'"):
        acumen.to_onnx(acumen.NaiveBayes().fit(training()))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "tree, binary", "tree, surrogates", "tree, shares", "random forest", "extra trees", "boosting", "stumps",
        "additive", "naive bayes", "logistic", "fisher", "full bayes", "full bayes, shared", "kernel fisher",
        "svm, linear", "svm, platt", "ripper", "cn2, voting",
    ],
)  # fmt: skip
def test_a_hundred_thousand_rows_are_answered_alike(name: str) -> None:
    model = clone(EVERY[name]).fit(training(n=600))
    agree(model, inputs(SCHEMA, 100_000, 11, cuts=cuts_of(model.predictor_)))
