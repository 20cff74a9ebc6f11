"""The learner: several classes, probabilities, what is kept, paths and drawings."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.isotonic import IsotonicRegression
from sklearn.svm import LinearSVC

import acumen
from acumen.errors import DataError, ParameterError
from acumen.models.probability_curves import isotonic, platt
from acumen.svm.model import code_matrix, decode
from svm.document_data import ELLIPSE, ELLIPSE_SIDES, ROWS, SIDES

IRIS = acumen.datasets.load("iris")
X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize("multiclass", ["ovo", "ovr", "single", "ecoc"])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_every_scheme_tells_the_irises_apart(multiclass, kernel):
    model = acumen.SVM(kernel=kernel, multiclass=multiclass, tol=1e-4, C=10).fit(IRIS)
    assert model.score(IRIS) > 0.94
    assert model.certificate_.relative_gap < 1e-3
    assert len(model.machines_) == (1 if multiclass == "single" else 3)
    assert "support vectors" in model.describe()
    assert model.explain(IRIS.take([3])).label == "Iris-setosa"


def test_crammer_and_singers_optimum_is_liblinears():
    rows = (X - X.mean(0)) / X.std(0)
    theirs = LinearSVC(multi_class="crammer_singer", tol=1e-9, max_iter=100_000).fit(rows, Y)
    f, at = theirs.decision_function(rows), np.arange(150)
    beaten = f + 1
    beaten[at, Y] -= 1
    square = (theirs.coef_**2).sum() + (theirs.intercept_**2).sum()
    expected = 0.5 * square + (beaten.max(1) - f[at, Y]).sum()
    mine = acumen.SVM(kernel="linear", multiclass="single", bias="folded", scale=False, tol=1e-6).fit(rows, Y)
    assert mine.certificate_.primal == pytest.approx(expected, rel=1e-6)
    assert mine.decision_function(rows) == pytest.approx(f, abs=1e-3)
    free = acumen.SVM(kernel="linear", multiclass="single", scale=False, tol=1e-5).fit(rows, Y)
    assert free.certificate_.primal < expected and free.certificate_.relative_gap < 1e-3


def test_error_correcting_codes_part_every_two_classes():
    for k in (3, 5, 6, 9, 26):
        code, decoding = code_matrix("ecoc", np.arange(k, dtype=np.int32), k)
        assert decoding == "losses"
        assert ((code > 0).any(axis=1) & (code < 0).any(axis=1)).all()
        apart = [(code[:, i] != code[:, j]).sum() for i in range(k) for j in range(i)]
        assert min(apart) >= (2 if k == 3 else 4)
        # The code word itself, as decisions, is decoded to its class.
        assert decode(decoding, code, code.T.astype(float)).argmax(axis=1).tolist() == list(range(k))


def test_classes_without_rows_are_never_the_answer():
    some = IRIS.take(np.flatnonzero(IRIS.labels != 1))
    for multiclass in ("ovo", "ovr", "single", "ecoc"):
        model = acumen.SVM(multiclass=multiclass).fit(some)
        assert set(model.predict(IRIS)) == {"Iris-setosa", "Iris-virginica"}


def test_platts_curve_is_the_likeliest_sigmoid():
    rng = np.random.default_rng(0)
    s = rng.normal(size=400)
    y = (rng.random(400) < 1 / (1 + np.exp(-2 * s - 0.5))).astype(float)
    weights = rng.uniform(0.5, 2, 400)
    slope, offset = platt(s, y, weights).at
    assert slope == pytest.approx(-2, abs=0.5) and offset == pytest.approx(-0.5, abs=0.4)
    yes, no = weights @ y, weights @ (1 - y)
    target = np.where(y > 0, (yes + 1) / (yes + 2), 1 / (no + 2))
    p = 1 / (1 + np.exp(slope * s + offset))
    assert abs(weights @ (p - target)) < 1e-6 and abs((weights * s) @ (p - target)) < 1e-6


def test_isotonic_curves_are_scikit_learns():
    rng = np.random.default_rng(1)
    s = np.round(rng.normal(size=300), 1)
    y = (rng.random(300) < 1 / (1 + np.exp(-2 * s))).astype(float)
    weights = rng.uniform(0.5, 2, 300)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(s, y, sample_weight=weights)
    at = np.linspace(-4, 4, 200)
    assert isotonic(s, y, weights)(at) == pytest.approx(theirs.predict(at), abs=1e-12)


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_probabilities_are_calibrated_on_rows_left_out(method):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(600, 2))
    truth = 1 / (1 + np.exp(-2 * rows[:, 0]))
    labels = (rng.random(600) < truth).astype(int)
    model = acumen.SVM(probability=method, kernel="linear").fit(rows, labels)
    said = model.predict_proba(rows)
    assert said.sum(axis=1) == pytest.approx(1)
    assert np.abs(said[:, 1] - truth).mean() < 0.08
    assert (model.predict(rows) == said.argmax(axis=1)).all()
    costly = acumen.SVM(probability=method, kernel="linear", costs=[[0, 20], [1, 0]]).fit(rows, labels)
    assert (costly.predict(rows) == 1).sum() > (model.predict(rows) == 1).sum()


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_a_class_too_rare_to_be_left_out_is_still_possible(method):
    rare = np.flatnonzero((Y != 2) | (np.arange(150) == 120))
    model = acumen.SVM(probability=method).fit(X[rare], Y[rare])
    shares = model.predict_proba(X)
    assert (shares[:, 2] > 0).all() and np.isfinite(np.log(shares)).all()
    assert model.score(X[rare], Y[rare]) > 0.95


def test_without_probability_there_are_none():
    model = acumen.SVM().fit(X, Y)
    assert not hasattr(model, "predict_proba") and hasattr(model, "decision_function")
    assert hasattr(acumen.SVM(probability="platt"), "predict_proba")


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"kernel": "linear", "multiclass": "ovr"},
        {"probability": "isotonic", "kernel": acumen.kernels.RBF(gamma=1.0) + acumen.kernels.Linear()},
        {"C": np.inf, "kernel": "poly", "multiclass": "ecoc"},
    ],
    ids=repr,
)
def test_a_saved_machine_answers_as_before(parameters, tmp_path):
    table = IRIS if parameters.get("C") != np.inf else IRIS.take(np.flatnonzero(IRIS.labels != 2))
    model = acumen.SVM(**parameters).fit(table)
    acumen.save(model, tmp_path / "m.acm")
    again = acumen.load(tmp_path / "m.acm")
    assert np.array_equal(again.decision_function(IRIS), model.decision_function(IRIS))
    assert again.describe() == model.describe()
    assert again.get_params() == model.get_params()
    with pytest.raises(AttributeError, match="does not keep"):
        _ = again.alpha_
    bare = acumen.store.open(tmp_path / "m.acm")
    assert (bare.labels(bare.predict(IRIS)) == model.predict(IRIS)).all()


def test_a_function_of_the_users_own_works_but_is_not_saved(tmp_path):
    def kernel(A, B):
        return (1.0 + A @ B.T) ** 2

    mine = acumen.SVM(kernel=kernel, scale=False, C=4, tol=1e-6).fit(ELLIPSE, ELLIPSE_SIDES)
    named = acumen.SVM(kernel="poly", degree=2, gamma=1.0, scale=False, C=4, tol=1e-6).fit(
        ELLIPSE, ELLIPSE_SIDES
    )
    assert mine.decision_function(ELLIPSE) == pytest.approx(named.decision_function(ELLIPSE), abs=1e-5)
    with pytest.raises(ParameterError, match="a function of your own, which a model file cannot hold"):
        acumen.save(mine, tmp_path / "m.acm")


def test_a_precomputed_kernel_is_that_kernel(tmp_path):
    K = acumen.kernels.RBF(gamma=0.3)(X)
    mine = acumen.SVM(kernel="precomputed").fit(K, Y)
    direct = acumen.SVM(gamma=0.3, scale=False).fit(X, Y)
    assert mine.decision_function(K) == pytest.approx(direct.decision_function(X), abs=2e-5)
    acumen.save(mine, tmp_path / "m.acm")
    assert np.array_equal(acumen.load(tmp_path / "m.acm").predict(K), mine.predict(K))
    with pytest.raises(DataError, match="needs a square matrix"):
        acumen.SVM(kernel="precomputed").fit(X, Y)


def test_large_sparse_tables_are_not_written_out(monkeypatch):
    from acumen.svm import kernel_rows

    monkeypatch.setattr(kernel_rows, "_FEW_CELLS", 10)
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(120, 6)) * (rng.random((120, 6)) < 0.4)
    labels = (dense[:, 0] + dense[:, 1] > 0.1).astype(int)
    for kernel in ("rbf", "linear"):  # neither distances nor a free bias know where the centre is
        wide = acumen.SVM(kernel=kernel, tol=1e-6).fit(csr_matrix(dense), labels)
        flat = acumen.SVM(kernel=kernel, tol=1e-6).fit(dense, labels)
        assert wide.decision_function(csr_matrix(dense)) == pytest.approx(
            flat.decision_function(dense), abs=1e-3
        )


def test_predictions_in_single_precision_are_within_what_is_promised():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(3000, 8))
    labels = (np.sin(rows[:, 0]) + rng.normal(size=3000) > 0).astype(int)
    model = acumen.SVM(scale=False).fit(rows, labels)
    e = model.model_.expansion
    assert e._single_suffices()
    exact = e.kernel(rows, e.support) @ e.coefficients[:, 0] + e.intercept[0]
    assert np.abs(model.decision_function(rows) - exact).max() < 1e-5


def test_weights_are_in_the_attributes_own_units():
    model = acumen.SVM(kernel="linear").fit(ROWS * [1, 100], SIDES)
    f = (ROWS * [1, 100]) @ model.coef_[0] + model.intercept_[0]
    assert f == pytest.approx(model.decision_function(ROWS * [1, 100]))
    mixed = acumen.SVM(kernel="linear").fit(acumen.datasets.load("weather"))
    assert "outlook=sunny" in mixed.coef_names_ and mixed.coef_.shape == (1, len(mixed.coef_names_))
    with pytest.raises(AttributeError, match="kernel='linear'"):
        _ = acumen.SVM().fit(X, Y).coef_


def test_a_path_is_the_machines_one_by_one():
    values = [0.1, 1.0, 10.0]
    path = acumen.SVM(tol=1e-5).path(IRIS, C=values[::-1])
    assert path.C.tolist() == values
    for point in path.points:
        alone = acumen.SVM(C=point.C, tol=1e-5).fit(IRIS)
        assert point.certificate.primal == pytest.approx(alone.certificate_.primal, rel=1e-5)
        assert f"C = {point.C:<9.4g}" in str(path)
    norms = [point.norm for point in path.points]
    assert norms == sorted(norms)
    with pytest.raises(ParameterError, match="finite numbers above 0"):
        acumen.SVM().path(IRIS, C=[1.0, np.inf])


def test_a_warm_start_takes_fewer_steps():
    cold = acumen.SVM(C=10.0, scale=False).fit(X, Y)
    warm = acumen.SVM(scale=False).path(X, Y, C=[9.0, 10.0])[1]
    assert warm.steps < sum(report.steps for report in cold.machines_)


def test_the_drawing_marks_support_vectors_and_margins():
    model = acumen.SVM(kernel="linear", scale=False).fit(ROWS, SIDES)
    figure = model.figure(ROWS, SIDES)
    assert figure.support.tolist() == (model.alpha_ > 0).tolist()
    assert figure.labels.tolist() == (SIDES > 0).astype(int).tolist()
    at = figure.decisions[60, 60], [[figure.x[60], figure.y[60]]]
    assert model.decision_function(np.array(at[1]))[0] == pytest.approx(at[0])
    drawn = ET.fromstring(figure._repr_svg_())
    paths = [e for e in drawn.iter() if e.tag.endswith("path") and e.get("fill") == "none"]
    assert sum("stroke-dasharray" in e.attrib for e in paths) == 2
    rings = [e for e in drawn.iter() if e.tag.endswith("circle") and e.get("fill") == "none"]
    assert len(rings) == len(model.machines_[0].support) + 1  # and one in the legend
    with pytest.raises(DataError, match="exactly two numeric attributes"):
        acumen.SVM().fit(IRIS).figure(IRIS)


def test_rows_that_were_left_out_of_training_are_not_drawn():
    rows, labels = X[50:, 2:], Y[50:].astype(object)
    weights = np.ones(100)
    weights[:20] = 0
    labels[90:] = None
    model = acumen.SVM().fit(rows, labels, sample_weight=weights)
    figure = model.figure(rows, labels, weights)
    assert figure.points.tolist() == rows[20:90].tolist()
    for other in ((rows, labels), (rows[::-1], labels, weights), (rows[:50], labels[:50])):
        with pytest.raises(DataError, match="not those the machine was trained on"):
            model.figure(*other)


def test_tuning_c_and_gamma_works():
    tuned = acumen.Tuned(acumen.SVM(), {"C": [0.1, 10.0], "gamma": [0.01, 0.5]}, random_state=0).fit(IRIS)
    assert tuned.score(IRIS) > 0.95


def test_the_report_of_rows_reads_well():
    model = acumen.SVM(kernel="linear", scale=False).fit(ROWS, SIDES)
    said = str(model.machines_[0])
    assert "9 support vectors" in said and "2 wrong side" in said and "5 on the margin" in said
    several = acumen.SVM().fit(IRIS)
    with pytest.raises(AttributeError, match=r"there are 3 machines; see machines_\[i\].alpha"):
        _ = several.alpha_


def test_text_is_for_linear_kernels():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(
        {"note": ["good day", "bad day", "good night", "bad night"] * 3, "y": ["p", "n"] * 6}
    )
    table = acumen.read(frame, target="y", kinds={"note": "text"})
    assert acumen.SVM(kernel="linear").fit(table).score(table) == 1
    with pytest.raises(DataError, match="use kernel='linear' for text"):
        acumen.SVM().fit(table)


@pytest.mark.parametrize("multiclass", ["ovo", "single"])
def test_a_model_file_keeps_the_certificate(multiclass, tmp_path):
    for model in (acumen.SVM(multiclass=multiclass).fit(IRIS), acumen.SVR().fit(X[:, :3], X[:, 3])):
        acumen.save(model, tmp_path / "m.acm")
        kept, was = acumen.load(tmp_path / "m.acm").certificate_, model.certificate_
        assert (kept.primal, kept.dual, kept.kkt) == pytest.approx((was.primal, was.dual, was.kkt), rel=1e-12)
    with pytest.raises(NotFittedError):
        _ = acumen.SVM().certificate_


def test_one_machine_of_all_classes_is_told_once():
    model = acumen.SVM(multiclass="single", kernel="linear").fit(IRIS)
    assert str(model.machines_[0]).startswith("all of Iris-setosa, Iris-versicolor, Iris-virginica: ")
    said = model.describe()
    assert "one machine for all classes" in said and said.count("all classes ") == 1
    assert said.count("h(x) of ") == 3 and "h(x) of Iris-setosa, in" in said


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("multiclass", ["ovo", "ovr", "single", "ecoc"])
def test_descriptions_of_many_classes_and_columns_fit_a_screen(multiclass, kernel):
    rng = np.random.default_rng(0)
    for classes in (3, 8):
        rows = rng.normal(size=(80, 30))
        labels = np.arange(80) % classes
        said = acumen.SVM(kernel=kernel, multiclass=multiclass, tol=0.1).fit(rows, labels).describe()
        assert len(said.splitlines()) <= 40
        assert classes > 3 or "more lines" not in said


@pytest.mark.parametrize("scale", [True, False])
def test_numbers_beyond_reason_are_refused_without_a_warning(scale):
    with pytest.raises(DataError, match="infinite numbers"):
        acumen.SVM(scale=scale).fit([[np.inf], [1.0], [2.0]], [0, 1, 0])
    if not scale:
        with pytest.raises(DataError, match="numbers as large as 1e"):
            acumen.SVM(scale=False).fit([[1e300], [1.0], [2.0]], [0, 1, 0])


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("scale", [True, False])
def test_an_infinite_number_of_a_query_is_a_missing_one(kernel, scale):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)) + 3.0, np.arange(60) % 3
    gaps = np.array([[np.nan, 2.0], [1.0, np.nan], [1.0, 2.0]])
    far = np.array([[np.inf, 2.0], [1.0, -np.inf], [1.0, 2.0]])
    kept = far.copy()
    for model in (
        acumen.SVM(kernel=kernel, scale=scale).fit(X, y),
        acumen.SVR(kernel=kernel, scale=scale).fit(X, y),
    ):
        said = model.decision_function if hasattr(model, "decision_function") else model.predict
        assert np.array_equal(said(far), said(gaps))
        sparse = csr_matrix(X)
        model = type(model)(kernel=kernel, scale=scale).fit(sparse, y)
        said = model.decision_function if hasattr(model, "decision_function") else model.predict
        assert np.allclose(said(csr_matrix(far)), said(csr_matrix(gaps)))
    assert np.array_equal(far, kept)  # rows that are borrowed stay as they are


def test_a_path_is_over_numbers():
    for wrong in ([], "wide", [1.0, -1.0], [np.nan]):
        with pytest.raises(ParameterError, match=r"SVM\.path: C must be finite numbers above 0"):
            acumen.SVM().path(IRIS, C=wrong)


@pytest.mark.parametrize("solver", ["auto", "smo", "dual-ascent"])
def test_scaled_rows_that_cannot_be_separated_are_named_too(solver):
    with pytest.raises(
        DataError, match=r"cannot be separated by a margin wider than .*: rows (83, 33|33, 83), "
    ):
        acumen.SVM(kernel="linear", C=np.inf, solver=solver).fit(X[50:], Y[50:])
