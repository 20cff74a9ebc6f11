"""The promise tried: every spoiled model file must be refused or predict.

mutants     spoiled files of every kind of model, the same for the same seed
outcome     "refused" (ModelFileError) or "predicts"; anything else is raised

By hand, in bounded memory:  PYTHONPATH=src:tests python -m fuzz.models COUNT [SEED [KIND]]
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from acumen import store
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import AcumenError, DataError, ModelFileError
from acumen.kernels import RBF, Linear, Polynomial
from acumen.models import kinds
from acumen.models.task import GROUPS, JOINT
from acumen.store.file import read_members
from fuzz.spoil import spoil_bytes, spoil_contents
from fuzz.workers import run_worker


class Of(str):
    """A learner by its kind, made only when it is asked for: scikit-learn takes a second to import."""

    __slots__ = ()


#: Parameters that lead to other arrays in the file.
VARIANTS: dict[str, tuple[dict[str, Any], ...]] = {
    "decision-tree": (
        {"prune": "none"},
        {"prune": "none", "split": "binary", "missing": "surrogate"},
        {"prune": "none", "measure": "gain", "missing": "branch", "intervals": 3, "construct": "pairs"},
    ),
    "random-tree": ({"random_state": 0},),
    "naive-bayes": tuple({"numeric": word} for word in ("gaussian", "histogram", "kernel", "discretise")),
    "full-bayes": tuple({"covariance": word} for word in ("full", "shared", "diagonal")),
    "text-bayes": tuple({"event": word} for word in ("multinomial", "bernoulli")),
    "lasso": ({"alpha": 0.05}, {"alpha": 0.05, "scale": False, "fit_intercept": False}),
    "logistic": ({}, {"penalty": "l1"}, {"penalty": "l2", "standard_errors": False}),
    "max-ent": ({"C": 1.0},),
    "linear-regression": ({}, {"fit_intercept": False}),
    "polynomial-regression": ({"degree": 1}, {"degree": 3}),
    "ridge": ({}, {"radius": 0.5}, {"alpha": 0.0}),
    "parzen": tuple({"window": word} for word in ("gaussian", "box")),
    "kernel-fisher": ({"kernel": "rbf"}, {"kernel": 2 * RBF(sigma=1.0) + Linear() * Polynomial(2)}),
    "svm": (
        {},
        {"kernel": "linear", "multiclass": "ovr"},
        {"kernel": 2 * RBF(sigma=1.0) + Linear() * Polynomial(2), "multiclass": "ecoc"},
        {"kernel": "poly", "probability": "platt", "costs": {("a", "b"): 5.0}, "priors": "uniform"},
        {"kernel": "linear", "multiclass": "single", "probability": "isotonic"},
    ),
    "svr": ({}, {"kernel": "linear"}, {"kernel": "sigmoid", "gamma": 0.1}),
    "basis-expansion": ({"degree": 2}, {"kind": "gaussian"}, {"kind": "spline", "functions": 3}),
    "principal-components": ({}, {"n_components": 1, "scale": True}),
    "random-forest": (
        {"n_estimators": 4, "random_state": 0},
        {"n_estimators": 2, "max_samples": 0.5, "random_state": 1},
    ),
    "extra-trees": ({"n_estimators": 3, "random_state": 0},),
    "random-forest-regressor": ({"n_estimators": 3, "random_state": 0},),
    "extra-trees-regressor": ({"n_estimators": 3, "random_state": 0},),
    "additive": ({}, {"pairs": 2, "smoothing": 1.0, "bins": 4}),
    "additive-regressor": ({}, {"pairs": 1, "smoothing": 1.0}),
    "boosting": (
        {"n_estimators": 3, "min_samples_leaf": 2},
        {"n_estimators": 2, "max_leaf_nodes": 3, "min_samples_leaf": 1, "subsample": 0.8, "random_state": 0},
    ),
    "boosting-regressor": ({"n_estimators": 3, "min_samples_leaf": 2},),
    "neural-network": (
        {"hidden_layer_sizes": (4,), "max_iter": 2, "random_state": 0},
        {
            "hidden_layer_sizes": (3, 2),
            "max_iter": 2,
            "n_estimators": 2,
            "learned_scale": False,
            "random_state": 0,
        },
    ),
    "neural-network-regressor": ({"hidden_layer_sizes": (4,), "max_iter": 2, "random_state": 0},),
    "ada-boost": ({"n_estimators": 6, "variant": "samme"}, {"learner": Of("naive-bayes"), "n_estimators": 3}),
    "bagging": (
        {"n_estimators": 3, "random_state": 0},
        {"learner": Of("one-r"), "n_estimators": 2, "random_state": 0},
    ),
    "bagging-regressor": (
        {"n_estimators": 3, "random_state": 0},
        {"learner": Of("mean"), "n_estimators": 2, "random_state": 0},
    ),
    "voting": (
        {"learners": [Of("naive-bayes"), Of("one-r")], "weights": [1.0, 2.0]},
        {"learners": {"a": Of("naive-bayes"), "b": Of("majority")}, "use": "probabilities"},
    ),
    "stacking": (
        {"learners": [Of("naive-bayes"), Of("one-r")], "folds": 2, "random_state": 0},
        {
            "learners": [Of("naive-bayes"), Of("one-r")],
            "folds": None,
            "use": "classes",
            "combiner": Of("naive-bayes"),
        },
    ),
    "perceptron": ({"max_iter": 5}, {"kernel": "rbf", "max_iter": 5}),
}
DECIDED = {"costs": {("a", "b"): 5.0}, "priors": "uniform"}


def _made(value: Any) -> Any:
    """A parameter with the learners it names."""
    if isinstance(value, Of):
        return kinds.learner_class(value)()
    if isinstance(value, dict):
        return {name: _made(each) for name, each in value.items()}
    return [_made(each) for each in value] if isinstance(value, list) else value


def forms_of(kind: str) -> tuple[dict[str, Any], ...]:
    """The parameters a kind is tried with; decisions only where it has probabilities to decide by."""
    plain = tuple(_made(form) for form in VARIANTS.get(kind, ({},)))
    decides = kinds.model_class(kind).probabilistic
    decides = decides and {"costs", "priors"} <= set(kinds.learner_class(kind)().get_params(deep=False))
    return (*plain, DECIDED) if decides else plain


def suited(table: Table, kind: str) -> Table:
    """The table itself, its classes in order, or its inputs with a number for each row where numbers are predicted."""
    if getattr(kinds.learner_class(kind), "requires_ordered_classes", False):
        from acumen.checks.data import with_class_order

        return with_class_order(table)
    if kinds.KINDS[kind].task != "regression":
        return table
    assert table.labels is not None
    return Table(
        Schema(table.schema.attributes, Attribute("amount")),
        len(table),
        numeric=table.numeric,
        nominal=table.nominal,
        text=table.text,
        response=2.5 * table.labels + np.arange(len(table)) % 3,
    )


def rows_of(schema: Schema, *, counts: bool = False) -> Table:
    """Six rows under a schema: plain, missing, unknown and extreme values, or numbers that could be counts."""
    values = np.array([0.0, 1.0, 2.0, 7.0, 0.0, 3.0] if counts else [0.0, 1.5, np.nan, 1e300, -1e300, 3.0])
    texts = np.array(["word1 common", "", None, "never seen", "word2", "common common"], dtype=object)
    n = len(values)
    codes = [np.resize(np.arange(-2, len(a.levels), dtype=np.int32), n) for a in schema.nominal]
    inputs = schema.without_target()
    return Table(
        inputs, n, numeric=[values] * len(schema.numeric), nominal=codes, text=[texts] * len(schema.text)
    )


def outcome(path: Path, read: Callable[[Path], Any] = store.load) -> str:
    """What becomes of a file; AssertionError or another exception where the promise is broken."""
    try:
        learner = read(path)
    except ModelFileError as error:
        assert str(error).startswith(str(path)), "the sentence names the file"
        return "refused"
    predictor = getattr(learner, "predictor_", learner)
    rows = rows_of(predictor.schema)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            codes = predictor.predict(rows)
        except DataError:  # a kind may want counts of words; such rows it must take
            rows = rows_of(predictor.schema, counts=True)
            codes = predictor.predict(rows)
        if predictor.task in ("regression", GROUPS, JOINT) or predictor.task.columns:
            if predictor.task == JOINT:  # the logarithm of what the factors of a file say, up to rounding
                assert codes.shape == (len(rows),) and (codes <= 1e-6).all(), "a row has a log probability"
                predictor.explain(rows.take(slice(0, 1)))
            elif predictor.task == GROUPS:
                assert ((codes >= -1) & (codes < predictor.model.n_groups)).all(), "groups are valid"
            elif predictor.task == "regression":
                assert codes.shape == (len(rows),) and np.isfinite(codes).all(), "numbers are finite"
                predictor.explain(rows.take(slice(0, 1)))
            else:
                assert codes.shape == (len(rows), len(predictor.headings)), "every column has a name"
                assert not np.isinf(codes).any() and np.isfinite(codes[0]).all(), (
                    "columns are finite, or missing"
                )
            assert isinstance(predictor.describe(), str)
            if getattr(learner, "summary_", None) is not None and hasattr(learner, "partial_fit"):
                _go_on(learner)
            return "predicts"
        assert codes.shape == (len(rows),)
        assert ((codes >= 0) & (codes < predictor.schema.n_classes)).all(), "codes are valid"
        # Probabilities made of NaN would come out even, and so look well.
        assert not np.isnan(predictor.scores(rows)).any(), "scores are numbers"
        if predictor.model.probabilistic:
            proba = predictor.proba(rows)
            assert np.isfinite(proba).all(), "probabilities are finite"
            assert np.allclose(proba.sum(axis=1), 1.0), "probabilities sum to 1"
        assert isinstance(predictor.describe(), str)
        predictor.explain(rows.take(slice(0, 1)))
        if getattr(learner, "summary_", None) is not None and hasattr(learner, "partial_fit"):
            _go_on(learner)
    return "predicts"


def _go_on(learner: Any) -> None:
    """Learn more rows upon a summary out of a file: a sentence may refuse it, nothing may break."""
    schema = learner.predictor_.schema
    rows = rows_of(schema)
    target: dict[str, Any] = {"response": np.arange(len(rows), dtype=np.float64)}
    if schema.target is None:
        target = {}
    elif schema.n_classes:
        target = {"labels": np.resize(np.arange(schema.n_classes, dtype=np.int32), len(rows))}
    full = Schema(schema.attributes, schema.target)
    with contextlib.suppress(AcumenError):
        learner.partial_fit(
            Table(full, len(rows), numeric=rows.numeric, nominal=rows.nominal, text=rows.text, **target)
        )


def mutants(files: list[Path], seed: int, count: int) -> Iterator[tuple[str, bytes]]:
    """Spoiled files, one half with right checksums, each with words to make it again."""
    originals = [path.read_bytes() for path in files]
    contents = [read_members(path) for path in files]
    for i in range(count):
        rng = random.Random(f"{seed}/{i}")
        which = rng.randrange(len(files))
        if i % 2:
            yield (
                f"bytes of {files[which].name}, {seed}/{i}",
                spoil_bytes(originals[which], rng.choice(originals), rng),
            )
        else:
            yield f"contents of {files[which].name}, {seed}/{i}", spoil_contents(contents[which], rng)


def fitted_learners(only: str = "") -> Iterator[tuple[str, Any]]:
    """Learners of every kind there is, fitted to every small table they do not object to."""
    from store.toy_kind import mixed_table

    tables = {
        "mixed": mixed_table(),
        "with-text": mixed_table(text=True),
        "numeric": mixed_table(nominal=False),
        "counts": mixed_table(nominal=False, counts=True),
        "nominal": mixed_table(numeric=False),
        "text": mixed_table(numeric=False, nominal=False, text=True),
    }
    for kind in sorted(kinds.KINDS) if not only else [only]:
        try:
            cls = kinds.learner_class(kind)
        except (ImportError, AttributeError):  # not built yet
            continue
        for words, table in tables.items():
            for i, parameters in enumerate(forms_of(kind)):
                learner, rows = cls(**parameters), suited(table, kind)
                objection = getattr(learner, "objection", lambda schema: None)
                if objection(rows.schema) is None:
                    # A kind may want counts of words; words that follow from one another are warned of.
                    with contextlib.suppress(DataError), warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        yield f"{kind}-{words}-{i}", learner.fit(rows)


def write_originals(folder: Path, only: str = "") -> list[Path]:
    """A file for each fitted learner, with its summary where it has one."""
    files = []
    for name, learner in fitted_learners(only):
        path = folder / f"{name}.acm"
        store.save(learner, path, summary=getattr(learner, "summary_", None) is not None)
        files.append(path)
    return files


def tried(seed: int, count: int) -> tuple[Counter[str], list[str]]:
    """Verdicts on spoiled files of one kind of model, in a process of their own; each seed has its kind."""
    known = sorted(kinds.KINDS)
    kind = random.Random(f"kind {seed // len(known)}").sample(known, len(known))[seed % len(known)]
    return run_worker("fuzz.models", [kind], seed * count, count, kind)


def _work(kind: str, seed: int, count: int) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        files = write_originals(Path(folder), kind)
        for original in files:  # what is imported is not counted
            outcome(original)
        if "asan" not in os.environ.get("LD_PRELOAD", ""):
            used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (used + 2**29, used + 2**29))
        signal.signal(
            signal.SIGPROF, lambda *_: (_ for _ in ()).throw(AssertionError("a file took over 5 s"))
        )
        path = Path(folder) / "mutant.acm"
        for number, (words, data) in enumerate(mutants(files, seed, count), seed):
            path.write_bytes(data)
            signal.setitimer(signal.ITIMER_PROF, 5)
            try:
                verdict, why = outcome(path, store.open if number % 8 == 7 else store.load), ""
            except Exception as error:
                verdict, why = "failed", f"{words}: {type(error).__name__}: {error}"[:400]
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            print(json.dumps([number, verdict, why]), flush=True)


def main(count: int = 2000, seed: int = 0, only: str = "", written: str = "") -> None:
    """The long run: bounded memory, an alarm for each file, and a tally at the end.

    Of one kind `only`, if it is named; of files that a folder has already, where one is `written`.
    """
    from store.toy_kind import TOY

    kinds.KINDS = {**kinds.KINDS, **TOY}  # type: ignore[misc]
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        files = sorted(Path(written).glob("*.acm")) if written else write_originals(Path(folder), only)
        if written:  # what is imported is not counted
            for path in {path.name.rsplit("-", 2)[0]: path for path in files}.values():
                outcome(path)
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 2**29, used + 2**29))
        signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(SystemExit("a file took over 5 s")))
        tally = {"refused": 0, "predicts": 0}
        slowest, failures = 0.0, 0
        path = Path(folder) / "mutant.acm"
        for i, (words, data) in enumerate(mutants(files, seed, count)):
            path.write_bytes(data)
            signal.alarm(5)
            start = time.perf_counter()
            try:
                tally[outcome(path, store.open if i % 8 == 7 else store.load)] += 1
            except Exception as error:
                failures += 1
                print(f"FAILED {words}: {type(error).__name__}: {error}")
            signal.alarm(0)
            slowest = max(slowest, time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"files": count, **tally, "failures": failures, "slowest_s": slowest, "peak_mib": peak}))
    sys.exit(failures > 0)


if __name__ == "__main__":
    if sys.argv[1] == "--worker":
        _work(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
        sys.exit()
    numbers = [int(word) for word in sys.argv[1:3]]
    main(*numbers, *sys.argv[3:])
