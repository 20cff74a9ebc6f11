"""What docs/architecture.md says about the code is counted here."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import acumen
from acumen import _native
from acumen.cli.main import run

ROOT = Path(__file__).resolve().parents[1]
SOURCE = Path(acumen.__file__).resolve().parent  # as it is installed, or in the tree
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
#: Files on the call stack from `fit` to the kernel.
FIT = 6
#: Modules that import scikit-learn, which takes a second, at their head: `predict`, `show` and `--help` need none.
FACES = {
    "base/abilities.py",
    "base/classifier.py",
    "base/clusterer.py",
    "base/export_face.py",
    "base/fitted_state.py",
    "base/foreign_estimators.py",
    "base/inner_learner.py",
    "base/learner.py",
    "base/modeller.py",
    "base/regressor.py",
    "base/transformer.py",
    "clusters/medoid_learners.py",
    "ensembles/voting.py",
    "labelling/self_training.py",
    "linear/learners.py",
    "linear/ordered_learner.py",
    "networks/learners.py",
    "networks/neural_learners.py",
    "svm/learners.py",
    "svm/regressors.py",
    "tuning/wrapper.py",
}
#: Files and lines of the package, and of the learner contract.
FILES, LINES, BASE_FILES, BASE_LINES = 860, 157_000, 30, 6_000
#: Classes that hand training rows to a learner: a table, parts, a cluster, their interface, and two of trees.
ROW_SOURCES = 6
#: Public names that acumen gives a classifier, besides the metadata requests of scikit-learn.
MEMBERS = 89
#: Files that import one another in a circle, types and imports within functions included: at most so many in
#: `assessment/`, and elsewhere.
JUDGING_KNOT, KNOT = 4, 3
#: Rooms in which a function may import from above: user interfaces, and the table of models' kinds.
FREE = {"cli", "studio", "registry", "models/kinds.py"}
IRIS = acumen.datasets.load("iris")


def file_of(name: str) -> str | None:
    """A file of the package; `caching.py` does nothing itself, as little as functools would."""
    path = Path(name)
    if path == SOURCE / "caching.py":
        return None
    return str(path.relative_to(SOURCE)) if path.is_relative_to(SOURCE) else None


def test_from_fit_to_the_kernel_six_files_are_met(monkeypatch: pytest.MonkeyPatch) -> None:
    met: list[str] = []
    kernel = _native.add_moments

    def spied(*args: Any) -> Any:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            found = file_of(frame.f_code.co_filename)
            if found is not None and found not in met:
                met.append(found)
            frame = frame.f_back
        return kernel(*args)

    monkeypatch.setattr(_native, "add_moments", spied)
    acumen.NaiveBayes().fit(IRIS)
    assert len(met) <= FIT, met
    assert all(f"`{path}`" in PAGE for path in met), met


def imported_modules() -> dict[str, set[str]]:
    """The modules that each module imports: at its head, within functions and for types alone."""
    paths = {
        ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): path
        for path in SOURCE.rglob("*.py")
        if path != SOURCE / "__init__.py"  # public names, each imported when it is first asked for
    }
    edges: dict[str, set[str]] = {}
    for module, path in paths.items():
        names: set[str] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module is not None:
                assert not node.level, path  # every import says its room
                inner = {f"{node.module}.{alias.name}" for alias in node.names}
                names |= {name if name.removeprefix("acumen.") in paths else node.module for name in inner}
        edges[module] = {name.removeprefix("acumen.") for name in names if name.startswith("acumen.")} & {
            *paths
        }
        edges[module].discard(module)
    return edges


def knots_of(edges: dict[str, set[str]]) -> list[set[str]]:
    """The strongly connected components with more than one module."""

    def reached(start: str, edges: dict[str, set[str]]) -> set[str]:
        seen, waiting = {start}, [start]
        while waiting:
            fresh = edges[waiting.pop()] - seen
            seen |= fresh
            waiting += fresh
        return seen

    back: dict[str, set[str]] = {module: set() for module in edges}
    for module, imported in edges.items():
        for other in imported:
            back[other].add(module)
    rest, knots = {*edges}, []
    while rest:
        start = min(rest)
        knot = reached(start, edges) & reached(start, back)
        rest -= knot
        if len(knot) > 1:
            knots.append(knot)
    return knots


def test_imports_make_small_knots_only() -> None:
    """A result does not know its pictures, nor a model its text: they meet in tables of names."""
    knots = knots_of(imported_modules())
    judging = [knot for knot in knots if all(name.startswith("assessment.") for name in knot)]
    assert all(len(knot) <= JUDGING_KNOT for knot in judging), judging
    others = [knot for knot in knots if knot not in judging]
    assert all(len(knot) <= KNOT for knot in others), [knot for knot in others if len(knot) > KNOT]


def test_no_function_imports_from_above() -> None:
    """The linter sees whole files; here each import counts, those of types and within functions too."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = project["tool"]["importlinter"]["contracts"]
    layers = [[room.strip(" ()") for room in layer.split("|")] for layer in contract["layers"]]
    depth = {room: place for place, layer in enumerate(layers) for room in layer}
    upward = [
        (module, other)
        for module, imported in imported_modules().items()
        for other in imported
        if (room := module.partition(".")[0]) not in FREE
        and f"{module.replace('.', '/')}.py" not in FREE
        and (above := other.partition(".")[0]) != room
        and depth[above] <= depth[room]
    ]
    assert not upward, upward


# -- how many files run --------------------------------------------------------------------------------
#
# A file of 80 to 250 lines reads best, so a long walk meets many files: `compare` passes through schemas, tables,
# folds, summaries, solvers, predictions, scores and statistics, `acumen predict` through a reader, a model file and
# a writer. Merging files of different purpose would lower these numbers and nothing else. They are what the walks
# take now, so that a new detour is noticed.

#: `NaiveBayes().fit(table)`: files that run, and calls of Python functions.
FIT_FILES, FIT_CALLS = 34, 300
#: `read("x.csv")`; `compare` of two learners up to the verdict.
READ, COMPARE = 28, 66
#: `acumen predict` with a naive Bayes model; a fit of naive Bayes by the workers of a Dask cluster.
PREDICT, DASK_FIT = 61, 60
#: Modules of the package that `acumen predict` imports.
PREDICT_IMPORTS = 150


def files_that_run(work: Callable[[], object]) -> set[str]:
    """The files of the package in which some function is called; imports are not counted."""
    work()
    met: set[str] = set()

    def note(frame: FrameType, event: str, arg: Any) -> None:
        if event == "call" and (name := file_of(frame.f_code.co_filename)) is not None:
            met.add(name)

    other = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(other)
    return met


def test_few_files_run_to_fit_naive_bayes() -> None:
    calls = 0
    met: set[str] = set()

    def note(frame: FrameType, event: str, arg: Any) -> None:
        nonlocal calls
        if event == "call" and (name := file_of(frame.f_code.co_filename)) is not None:
            met.add(name)
            calls += 1

    learner = acumen.NaiveBayes()
    learner.fit(IRIS)  # imports are not counted
    other = sys.getprofile()
    sys.setprofile(note)
    try:
        learner.fit(IRIS)
    finally:
        sys.setprofile(other)
    assert len(met) <= FIT_FILES, sorted(met)
    assert calls <= FIT_CALLS, calls


def test_from_compare_to_a_verdict_few_files_run() -> None:
    learners = [acumen.NaiveBayes(n_jobs=1), acumen.FullBayes(n_jobs=1)]

    def compare_learners() -> None:
        assert acumen.compare(learners, IRIS, acumen.KFold(3), random_state=0).pairs

    met = files_that_run(compare_learners)
    assert len(met) <= COMPARE, sorted(met)


def write_small_table(path: Path) -> Path:
    rows = [f"{i * 0.1:.1f},{i * 0.3 + 1:.1f},{i % 7},{'abc'[i % 3]}" for i in range(60)]
    path.write_text("\n".join(["height,width,rings,kind", *rows]) + "\n", encoding="utf-8")
    return path


def test_few_files_run_to_read_a_table(tmp_path: Path) -> None:
    path = write_small_table(tmp_path / "x.csv")
    met = files_that_run(lambda: acumen.read(path))
    assert len(met) <= READ, sorted(met)


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_few_files_run_to_fit_on_a_cluster(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="the engine dask needs the package distributed")
    parts = acumen.scan(write_small_table(tmp_path / "x.csv"), target="kind")
    with acumen.engines.Dask(workers=1, timeout=500) as cluster, acumen.engine(cluster):
        met = files_that_run(lambda: acumen.NaiveBayes().fit_stream(parts))
    assert len(met) <= DASK_FIT, sorted(met)


@pytest.fixture(scope="module")
def predicting(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A command line that predicts a small table."""
    folder = tmp_path_factory.mktemp("predict")
    data, model, answers = write_small_table(folder / "x.csv"), folder / "m.acm", folder / "answers.csv"
    acumen.save(acumen.NaiveBayes().fit(acumen.read(data, target="kind")), model)
    return ["predict", str(model), str(data), "-o", str(answers)]


def test_few_files_run_to_predict_a_table(predicting: list[str]) -> None:
    met = files_that_run(lambda: run(predicting))
    assert len(met) <= PREDICT, sorted(met)


def test_predicting_visits_the_code_that_answers_once_a_block(predicting: list[str]) -> None:
    """The number of calls does not grow with the rows of a block."""
    calls = {"models/prediction_columns.py": 0, "cli/predict.py": 0}

    def note(frame: FrameType, event: str, arg: Any) -> None:
        name = file_of(frame.f_code.co_filename)
        if event == "call" and name in calls and "comp>" not in frame.f_code.co_name:
            calls[name] += 1

    other = sys.getprofile()
    sys.setprofile(note)
    try:
        run(predicting)
    finally:
        sys.setprofile(other)
    assert all(0 < n <= 30 for n in calls.values()), calls


def test_predicting_imports_few_modules(predicting: list[str]) -> None:
    script = (
        "import sys; from acumen.cli.main import run; run(sys.argv[1:]);"
        "print(*(name for name in sys.modules if name.partition('.')[0] == 'acumen'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *predicting], capture_output=True, text=True, check=True
    )
    imported = done.stdout.split()
    assert 0 < len(imported) <= PREDICT_IMPORTS, len(imported)


def test_the_package_stays_small() -> None:
    paths = [*SOURCE.rglob("*.py")]
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    base = [path for path in paths if path.is_relative_to(SOURCE / "base")]
    assert len(paths) <= FILES, len(paths)
    assert sum(lines.values()) <= LINES, sum(lines.values())
    assert len(base) <= BASE_FILES, len(base)
    assert sum(lines[path] for path in base) <= BASE_LINES, sum(lines[path] for path in base)


def test_few_classes_say_where_training_rows_are() -> None:
    """They are `Rows` and its kinds, and whatever else reads the weights of its rows for a learner."""
    sources = []
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                methods = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
                kinds = {ast.unparse(base) for base in node.bases}
                if kinds & {"Rows", "PartRows"} or methods & {"weigh", "weigh_by"} or node.name == "Rows":
                    sources.append(f"{path.relative_to(SOURCE)}: {node.name}")
    assert len(sources) <= ROW_SOURCES, sources


def test_the_contract_of_a_classifier_is_small() -> None:
    from acumen.base.classifier import Classifier

    members = {
        name
        for kind in Classifier.__mro__
        if kind.__module__.startswith("acumen.")
        for name in (*vars(kind), *vars(kind).get("__annotations__", ()))
        if not name.startswith("_") and not re.fullmatch(r"set_\w+_request", name)
    }
    assert len(members) <= MEMBERS, sorted(members)


def test_no_learner_crosses_rooms_as_anything() -> None:
    """Whatever is called a learner has a type, in the rooms that take one from another."""
    loose = []
    for room in ("assessment", "ensembles", "tuning", "imputation", "labelling"):
        for path in (SOURCE / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.arg):
                    name, said = node.arg, node.annotation
                elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                    name, said = node.target.id, node.annotation
                else:
                    continue
                if name in ("learner", "learners", "estimator", "inner", "named") and said is not None:
                    words = re.findall(r"\w+", ast.unparse(said))
                    if "Any" in words and "OfLearner" not in words:  # a parameter whose declaration checks it
                        loose.append(f"{path.relative_to(SOURCE)}:{node.lineno} {name}: {ast.unparse(said)}")
    assert not loose, loose


def test_the_architecture_page_names_every_room() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = project["tool"]["importlinter"]["contracts"]
    rooms = {room.strip(" ()") for layer in contract["layers"] for room in layer.split("|")}
    for room in rooms - {"__main__", "_native", "caching"}:
        named = f"`{room}/`" if (SOURCE / room).is_dir() else f"`{room}.py`"
        assert named in PAGE, room


def test_scikit_learn_is_imported_at_the_head_of_faces_only() -> None:
    heads = re.compile(r"^(from|import) (sklearn|acumen\.base\.scikit\b)", re.MULTILINE)
    importing = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if heads.search(path.read_text(encoding="utf-8"))
    }
    assert importing == FACES
