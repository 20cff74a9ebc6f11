"""Laws on a fitted learner as a thing: copied, kept in files, used by several threads."""

from __future__ import annotations

import copy
import importlib.util
import pickle
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np

from acumen.checks import data
from acumen.checks.subject import NotApplicable, Subject, refusal, require
from acumen.errors import ModelFileError


def pickles_predict_the_same(subject: Subject) -> None:
    """A learner that was pickled and unpickled predicts the same, fitted or not."""
    learner, rows = subject.fitted_learner()
    again = pickle.loads(pickle.dumps(learner))
    subject.require_same(again, learner, rows, "a pickled learner", 0.0)
    fresh = pickle.loads(pickle.dumps(subject.new()))
    subject.require_same(fresh.fit(rows), learner, rows, "an unfitted learner, pickled")


def copies_are_independent(subject: Subject) -> None:
    """A deep copy predicts the same, and fitting it does not change the original."""
    learner, rows = subject.fitted_learner()
    before = subject.answers(learner, rows)
    other = copy.deepcopy(learner)
    subject.require_same(other, learner, rows, "a deep copy", 0.0)
    other.fit(rows.take(slice(0, len(rows) // 3)))
    require((subject.answers(learner, rows) == before).all(), "fitting a copy changes the original")


def fitting_is_reproducible(subject: Subject) -> None:
    """Two fits of the same rows give the same model; with `random_state`, two fits with the same seed do."""
    one, rows = subject.fitted_learner()
    two = subject.new().fit(rows)
    subject.require_same(one, two, rows, "the same rows twice", 0.0)
    if subject.random:
        for seed in (3, np.random.default_rng(3)):
            one, two = (subject.new(random_state=copy.deepcopy(seed)).fit(rows) for _ in range(2))
            subject.require_same(one, two, rows, f"the same {type(seed).__name__}", 0.0)


def models_are_restored_from_their_arrays(subject: Subject) -> None:
    """A model restored from its own arrays gives the same scores to the bit."""
    learner, rows = subject.fitted_learner()
    model = learner.model_
    arrays = {name: array.copy() for name, array in model.to_arrays().items()}
    again = type(model).from_arrays(arrays, learner.schema_)
    mine, theirs = again.answers(rows), model.answers(rows)
    require(np.array_equal(mine, theirs, equal_nan=mine.dtype.kind == "f"), "the scores differ")
    for name in arrays:
        remaining = {n: a for n, a in arrays.items() if n != name}
        try:
            partial = type(model).from_arrays(remaining, learner.schema_)
        except ModelFileError:
            continue
        require(np.isfinite(partial.answers(rows)).any(), f"without {name!r} a broken model is made")


def saved_learners_predict_the_same(subject: Subject) -> None:
    """`acumen.load` restores what `acumen.save` saved; equal models give equal files."""
    if importlib.util.find_spec("acumen.store.model_file") is None:
        raise NotApplicable("this build has no model files")
    from acumen.models.kinds import kind_of
    from acumen.store import model_file

    learner, rows = subject.fitted_learner()
    if kind_of(learner) is None:
        raise NotApplicable("model files hold acumen's own learners")
    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder, "a.acm"), Path(folder, "b.acm")
        refusal(ValueError, lambda: model_file.save(subject.new(), first))
        model_file.save(learner, first)
        again = model_file.load(first)
        subject.require_same(again, learner, rows, "a loaded learner", 0.0)
        require(
            repr(again.get_params()) == repr(learner.get_params()), "a loaded learner has other parameters"
        )
        if subject.classes:
            require(np.array_equal(again.classes_, learner.classes_), "a loaded learner has other classes")
        other = subject.new().fit(rows)
        model_file.save(other, second)
        require(first.read_bytes() == second.read_bytes(), "the same model gives different files")
        bare: Any = model_file.open(first)
        original, restored = np.array(bare.answers(rows)), subject.predictions(learner, rows)
        require(np.array_equal(original, restored, equal_nan=subject.columns), "the bare model differs")
        if getattr(learner, "summary_", None) is not None:
            model_file.save(learner, first, summary=True)
            later = rows.take(slice(0, len(rows) // 3))
            going_on = model_file.load(first).partial_fit(later)
            subject.require_same(going_on, other.partial_fit(later), rows, "going on after loading")


def models_of_unusual_rows_can_be_saved(subject: Subject) -> None:
    """Models trained on one row, one class, or empty or constant columns can be saved and loaded too."""
    if importlib.util.find_spec("acumen.store.model_file") is None:
        raise NotApplicable("this build has no model files")
    from acumen.models.kinds import kind_of
    from acumen.store import model_file

    if kind_of(subject.new()) is None:
        raise NotApplicable("model files hold acumen's own learners")
    rows = subject.table()
    strange = {
        "one row": rows.take([0]),
        **({"one class": rows.take(np.flatnonzero(rows.labels == 0))} if rows.labels is not None else {}),
        "columns without values": data.with_empty_columns(rows),
        "columns without change": data.with_constant_columns(rows),
    }
    with tempfile.TemporaryDirectory() as folder:
        for what, those in strange.items():
            learner = subject.works_or_says_why(those)
            if learner is None:
                continue
            file = Path(folder, "a.acm")
            model_file.save(learner, file)
            again = model_file.load(file)
            for new_rows in (those, rows):
                subject.require_same(again, learner, new_rows, f"a learner of {what}, loaded", 0.0)


def absent_members_raise_attribute_errors(subject: Subject) -> None:
    """`dir` and `hasattr` work on every learner, fitted or not; an absent member raises AttributeError."""
    for learner, when in ((subject.new(), "before"), (subject.fitted_learner()[0], "after")):
        for name in object.__dir__(learner):
            try:
                hasattr(learner, name)
            except Exception as error:
                raise AssertionError(
                    f"{name} {when} fit is no AttributeError but {type(error).__name__}: {error}"
                ) from None
        dir(learner)


def threads_may_share_a_learner(subject: Subject) -> None:
    """Several threads can predict with one fitted learner at the same time."""
    learner, rows = subject.fitted_learner()
    expected = subject.answers(learner, rows)
    wrong: list[str] = []

    def work() -> None:
        for _ in range(5):
            try:
                if not (subject.answers(learner, rows) == expected).all():
                    wrong.append("another answer")
            except Exception as error:
                wrong.append(repr(error))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    require(not wrong, f"in a thread: {wrong[:1]}")


def predicting_changes_nothing(subject: Subject) -> None:
    """Predicting and explaining leave the learner unchanged; a row alone or among many gets the same answer."""
    learner, rows = subject.fitted_anew()
    before: dict[str, Any] = dict(vars(learner))
    first = subject.answers(learner, rows)
    if not subject.columns:
        learner.explain(rows.take([0]))
    require(set(vars(learner)) == set(before), "predicting leaves attributes behind")
    require(all(vars(learner)[name] is value for name, value in before.items()), "an attribute is replaced")
    alone = np.concatenate([subject.answers(learner, rows.take([at])) for at in range(5)])
    require(subject.alike(alone, first[:5], 0.0), "rows one at a time are answered differently")
    require(len(subject.predictions(learner, rows.take(slice(0, 0)))) == 0, "no rows should give no answers")


LAWS = (
    pickles_predict_the_same,
    copies_are_independent,
    fitting_is_reproducible,
    models_are_restored_from_their_arrays,
    saved_learners_predict_the_same,
    models_of_unusual_rows_can_be_saved,
    absent_members_raise_attribute_errors,
    threads_may_share_a_learner,
    predicting_changes_nothing,
)
