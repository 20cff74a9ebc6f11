"""The perceptron: the kernel against its twin, conventions, convergence, the dual, and odd data."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import acumen
from acumen import _native
from acumen.checks import data
from acumen.errors import DataError, ParameterError
from acumen.kernels import Linear, Polynomial
from acumen.linear.perceptron_space import PrimalSpace
from reference import perceptron as twin

AND = (np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]]), np.array([0, 0, 0, 1]))
XOR = (AND[0], np.array([0, 1, 1, 0]))
NO = np.empty((0, 0))


@given(
    st.integers(0, 10_000),
    st.integers(1, 20),
    st.integers(1, 11),
    st.integers(1, 4),
    st.booleans(),
    st.booleans(),
)
def test_an_epoch_moves_as_its_twin_does(
    seed: int, n: int, d: int, vectors: int, tie: bool, weighted: bool
) -> None:
    rng = np.random.default_rng(seed)
    # Small whole numbers make every sum exact, and ties frequent.
    rows = rng.integers(-2, 3, (n, d)).astype(float)
    k = 2 if vectors == 1 else vectors
    labels, order = rng.integers(0, k, n).astype(np.int32), rng.permutation(n)
    weight = rng.integers(1, 4, n).astype(float) if weighted else np.ones(n)
    start = rng.integers(-1, 2, (vectors, d)).astype(float)
    expected = [row.tolist() for row in start]
    moves, history = twin.epoch(
        rows.tolist(), labels.tolist(), order.tolist(), weight.tolist(), 0.5, tie, expected
    )
    weights, lag = start.copy(), np.zeros_like(start)
    heavy = weight if weighted else np.empty(0)
    common = (labels, order, heavy, 0.5, tie)
    assert _native.perceptron_epoch(rows, *common, weights, lag, 0.0) == (moves, n)
    assert weights.tolist() == expected
    np.testing.assert_allclose(weights - lag / n, np.mean(history, axis=0), atol=1e-12)
    sparse, again = csr_matrix(rows), start.copy()
    parts = (sparse.data, sparse.indices.astype(np.int32), sparse.indptr.astype(np.int64))
    assert _native.perceptron_epoch_sparse(*parts, *common, again, NO, 0.0) == (moves, n)
    assert again.tolist() == expected
    if not start.any():
        alpha, products = np.zeros((vectors, n)), np.zeros((vectors, n))
        done = _native.perceptron_epoch_kernel(rows @ rows.T, *common, alpha, products, NO, 0.0)
        assert done == (moves, n)
        assert (alpha @ rows).tolist() == expected
        assert products.tolist() == (weights @ rows.T).tolist()


def test_kernels_refuse_what_would_lead_outside() -> None:
    rows, labels = np.ones((2, 1)), np.zeros(2, dtype=np.int32)
    order, weights = np.arange(2), np.zeros((1, 1))
    with pytest.raises(ValueError, match="label"):
        _native.perceptron_epoch(rows, labels + 2, order, np.empty(0), 1.0, False, weights, NO, 0.0)
    with pytest.raises(ValueError, match="order"):
        _native.perceptron_epoch(rows, labels, order + 1, np.empty(0), 1.0, False, weights, NO, 0.0)
    with pytest.raises(ValueError, match="columns"):
        _native.perceptron_epoch(rows, labels, order, np.empty(0), 1.0, False, np.zeros((1, 2)), NO, 0.0)
    with pytest.raises(ValueError, match="outside"):
        starts, places = np.array([0, 1, 1]), np.array([5], dtype=np.int32)
        _native.perceptron_epoch_sparse(
            np.ones(1), places, starts, labels, order, np.empty(0), 1.0, False, weights, NO, 0.0
        )


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.sampled_from(["zeros", "ones", "random"]), st.integers(2, 4))
def test_separable_rows_are_separated_within_the_bound(seed: int, start: str, k: int) -> None:
    rng = np.random.default_rng(seed)
    planes = rng.normal(size=(k, 3))
    X = rng.normal(size=(80, 2))
    values = np.column_stack([X, np.ones(80)]) @ planes.T
    ordered = np.sort(values, axis=1)
    clear = ordered[:, -1] - ordered[:, -2] > 0.1
    X, y = X[clear], np.argmax(values, axis=1)[clear]
    if len(np.unique(y)) < 2:
        return
    model = acumen.Perceptron(init=start, random_state=seed, max_iter=20_000, learning_rate=0.3).fit(X, y)
    assert model.separable_ and model.score(X, y) == 1.0
    assert model.max_updates_ is not None and model.n_updates_ <= model.max_updates_


def test_w001_35_from_ones_a_tie_is_a_mistake() -> None:
    model = acumen.Perceptron(init="ones", order="given", scale=False).fit(*AND)
    assert model.weights_.tolist() == [3.0, 2.0, -4.0]
    assert (model.n_epochs_, model.n_updates_, model.separable_) == (9, 19, True)
    assert model.max_updates_ == pytest.approx(86.0)


def test_w003_01_from_zeros_with_a_threshold() -> None:
    model = acumen.Perceptron(order="given", extra=-1, scale=False).fit(*AND)
    assert model.weights_.tolist() == [3.0, 2.0, 4.0]  # theta last
    assert (model.n_epochs_, model.n_updates_) == (9, 18)
    # Where 0 counts as agreement whatever the class, the weights would never leave 0: here they do at once.
    assert acumen.Perceptron(order="given", extra=-1, scale=False, max_iter=1).fit(*AND).n_updates_ > 0


def test_w004_11_zero_is_the_positive_class() -> None:
    model = acumen.Perceptron(order="given", tie="positive", scale=False).fit(*AND)
    assert model.weights_.tolist() == [2.0, 1.0, -3.0]
    assert (model.n_epochs_, model.n_updates_) == (6, 11)
    assert model.predict(AND[0]).tolist() == [0, 0, 0, 1]  # the last row lies on the plane
    assert model.max_updates_ is None  # with no margin there is no bound


def errors_of(w: list[float]) -> tuple[float, float, int]:
    """Error, Error' and the number of mistakes on W003-02's rows, which have no extra component."""
    rows = np.array([[2, 1], [-1, 1], [3, -2], [-2, -1.0]])
    labels = np.array([1, 1, 0, 0], dtype=np.int32)
    space = PrimalSpace(rows, np.array([w]), labels, np.ones(4), 1.0, False, False)
    values = space.values(space.weights)
    return space.error(values), space.distance(values), int(space.wrong(values).sum())


def test_w003_02_error_is_the_sum_of_products_not_of_distances() -> None:
    _, distance, _ = errors_of([1.0, 0.5])
    assert distance == pytest.approx(2.5)
    assert distance / np.linalg.norm([1.0, 0.5]) == pytest.approx(2.2360679775)


def test_w003_03_error_counts_mistakes_once() -> None:
    error, _, mistakes = errors_of([1.0, 0.5])
    assert error == mistakes == 2  # the sum of |class - y| over -1 and 1 would be 4


def test_stopping_by_distance_ends_when_it_no_longer_falls() -> None:
    model = acumen.Perceptron(order="given", stop="distance", pocket=False, scale=False).fit(*XOR)
    assert model.n_epochs_ < 1000 and not model.separable_ and model.max_updates_ is None
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X @ [1.0, -2.0, 0.5] > 0).astype(int)
    by_distance = acumen.Perceptron(stop="distance", random_state=0).fit(X, y)
    by_errors = acumen.Perceptron(stop="errors", random_state=0).fit(X, y)
    assert by_distance.n_epochs_ <= by_errors.n_epochs_


def test_the_pocket_keeps_the_best_of_all_epochs() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 2))
    y = (X[:, 0] + 0.8 * rng.normal(size=150) > 0).astype(int)
    settings_ = {"max_iter": 30, "random_state": 2}
    best = acumen.Perceptron(**settings_).fit(X, y)
    each = [
        acumen.Perceptron(max_iter=n, random_state=2, pocket=False).fit(X, y).score(X, y)
        for n in range(1, 31)
    ]
    assert best.score(X, y) == max(each) > each[-1]


def test_the_mean_of_all_steps_is_steadier_than_the_last() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 5))
    y = (X[:, 0] + 0.7 * rng.normal(size=300) > 0).astype(int)
    plain = {"max_iter": 20, "pocket": False, "random_state": 0}
    last = acumen.Perceptron(**plain).fit(X, y).score(X, y)
    mean = acumen.Perceptron(average=True, **plain).fit(X, y).score(X, y)
    assert mean > last


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("k", [2, 3])
def test_the_dual_of_a_linear_kernel_is_the_primal(average: bool, k: int) -> None:
    rng = np.random.default_rng(4)
    y = np.arange(60) % k
    X = rng.integers(-3, 4, (60, 3)) + rng.integers(-3, 4, (k, 3))[y]
    common = {"average": average, "max_iter": 15, "random_state": 1}
    primal = acumen.Perceptron(**common).fit(X, y)
    dual = acumen.Perceptron(kernel="linear", **common).fit(X, y)
    assert primal.n_updates_ == dual.n_updates_ and primal.separable_ == dual.separable_
    np.testing.assert_allclose(dual.decision_function(X), primal.decision_function(X), atol=1e-9)
    with pytest.raises(AttributeError, match="no weights of columns"):
        _ = dual.weights_


def test_a_kernel_separates_what_no_plane_can() -> None:
    plane = acumen.Perceptron(max_iter=100).fit(*XOR)
    assert not plane.separable_
    curve = acumen.Perceptron(kernel=Polynomial(2), random_state=0).fit(*XOR)
    assert curve.separable_ and curve.n_updates_ <= curve.max_updates_
    given_ = acumen.Perceptron(kernel="precomputed", random_state=0).fit(Polynomial(2)(XOR[0]), XOR[1])
    assert given_.predict(Polynomial(2)(XOR[0])).tolist() == XOR[1].tolist()


def test_only_rows_that_were_mistakes_are_kept() -> None:
    rng = np.random.default_rng(5)
    y = np.arange(200) % 2
    X = rng.normal(size=(200, 2)) + 8 * y[:, None]
    model = acumen.Perceptron(kernel=Linear(), random_state=0).fit(X, y)
    assert model.separable_ and len(model.model_.form.support) <= model.n_updates_ < 200


def test_texts_and_sparse_rows_are_learned_from() -> None:
    rows = data.table()
    model = acumen.Perceptron(random_state=0).fit(rows)
    assert model.score(rows) > 0.6
    assert {reason.attribute for reason in model.explain(rows.take(slice(0, 1))).evidence} >= {
        "note",
        "colour",
    }
    X, y = data.matrix()
    dense = acumen.Perceptron(random_state=0, max_iter=20).fit(X, y)
    sparse = acumen.Perceptron(random_state=0, max_iter=20).fit(csr_matrix(X), y)
    np.testing.assert_allclose(sparse.weights_, dense.weights_, atol=1e-9)


def test_evidence_adds_up_to_the_decision() -> None:
    X, y = data.matrix()
    for labels in (y, (y > 0).astype(int)):
        model = acumen.Perceptron(random_state=0, max_iter=20).fit(X, labels)
        scores = np.sort(model.predictor_.scores(model._query(X[:1]))[0])
        assert model.explain(X[0]).log_odds == pytest.approx(scores[-1] - scores[-2])


def test_parameters_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ParameterError, match="init must be 'zeros'"):
        acumen.Perceptron(kernel="rbf", init="ones").fit(*AND)
    for wrong in (0, 2, "1", None):
        with pytest.raises(ParameterError, match="extra"):
            acumen.Perceptron(extra=wrong).fit(*AND)
    with pytest.raises(DataError, match="text column"):
        acumen.Perceptron(kernel="rbf").fit(data.table())


def test_too_many_rows_for_a_kernel_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acumen.linear.perceptron.MOST_ROWS", 3)
    with pytest.raises(DataError, match="at most 3"):
        acumen.Perceptron(kernel="rbf").fit(*AND)


def test_weights_that_grow_without_end_are_refused() -> None:
    with pytest.raises(DataError, match="rescale"):
        acumen.Perceptron(learning_rate=1e100, scale=False).fit([[1e100], [-1e100]], [0, 1])


def test_one_class_and_absent_classes_are_answered() -> None:
    assert acumen.Perceptron().fit(AND[0], ["a"] * 4).predict(AND[0]).tolist() == ["a"] * 4


@pytest.mark.parametrize("parameters", [{}, {"kernel": "rbf"}, {"tie": "positive", "extra": -1}])
def test_saved_models_answer_the_same(parameters: dict[str, object], tmp_path) -> None:
    rows = data.table(("size", "colour", "age", "grade"))
    model = acumen.Perceptron(random_state=0, max_iter=10, **parameters).fit(rows)
    acumen.save(model, tmp_path / "m.acm")
    again = acumen.load(tmp_path / "m.acm")
    assert np.array_equal(again.decision_function(rows), model.decision_function(rows))
    assert (again.n_updates_, again.max_updates_, again.separable_) == (
        model.n_updates_,
        model.max_updates_,
        model.separable_,
    )


def test_the_extra_component_is_one_or_minus_one() -> None:
    with pytest.raises(ParameterError, match=r"extra must be 1 or -1; got 0\."):
        acumen.Perceptron(extra=0).fit(*AND)


# -- step by step ---------------------------------------------------------------------------------

GATE = [[0, 0], [0, 1], [1, 0], [1, 1]]


def test_w003_01_every_step_of_the_and_gate() -> None:
    learner = acumen.Perceptron(order="given", extra=-1, scale=False).fit(GATE, [0, 0, 0, 1])
    trace = learner.trace_
    assert len(trace) == 9 * 4 and len(trace.mistakes) == 18
    first = [(step.row, step.output.tolist(), step.weights[0].tolist()) for step in trace[:5]]
    assert first == [
        (1, [0.0], [0.0, 0.0, 1.0]),
        (2, [-1.0], [0.0, 0.0, 1.0]),
        (3, [-1.0], [0.0, 0.0, 1.0]),
        (4, [-1.0], [1.0, 1.0, 0.0]),
        (1, [0.0], [1.0, 1.0, 1.0]),
    ]
    assert trace[-1].weights[0].tolist() == [3.0, 2.0, 4.0]
    assert trace[0].said is None and trace[3].correction[0].tolist() == [1.0, 1.0, -1.0]
    assert "    1    4  1          -1  0        (1, 1, -1)  (1, 1, 0)" in learner.describe(steps=True)


@pytest.mark.parametrize(
    ("parameters", "weights", "updates"),
    [
        ({"init": "ones"}, [3.0, 2.0, -4.0], 19),  # W001-35
        ({"tie": "positive"}, [2.0, 1.0, -3.0], 11),  # W004-11
    ],
)
def test_w001_35_w004_11_the_trace_ends_where_the_documents_do(
    parameters: dict[str, str], weights: list[float], updates: int
) -> None:
    trace = acumen.Perceptron(order="given", scale=False, **parameters).fit(GATE, [0, 0, 0, 1]).trace_
    assert trace[-1].weights[0].tolist() == weights
    assert len(trace.mistakes) == updates


@pytest.mark.parametrize("kernel", [None, "rbf"])
@pytest.mark.parametrize("average", [False, True])
def test_the_trace_is_what_was_learned(kernel: str | None, average: bool) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 3, 40)
    learner = acumen.Perceptron(kernel=kernel, average=average, max_iter=5, random_state=7).fit(X, y)
    trace = learner.trace_
    assert len(trace) == 40 * learner.n_epochs_
    assert len(trace.mistakes) == learner.n_updates_
    weights = trace.start
    for step in trace:
        np.testing.assert_allclose(weights + step.correction, step.weights, rtol=1e-12, atol=1e-12)
        assert step.mistake == (step.said != step.label)
        weights = step.weights
    assert str(learner.trace_) == str(trace)


def test_a_trace_that_is_not_kept_is_no_attribute() -> None:
    learner = acumen.Perceptron(order="given").fit(GATE, [0, 0, 0, 1])
    again = pickle.loads(pickle.dumps(learner))
    assert hasattr(learner, "trace_") and not hasattr(again, "trace_")
    with pytest.raises(acumen.errors.DataError, match="its trace needs the rows"):
        again.describe(steps=True)
