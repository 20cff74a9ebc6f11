"""A learner told to use one core holds BLAS to one thread, and what was there before comes back."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

import acumen
from acumen.bayes.full import FullBayesSummary
from acumen.engines.cores import _blas_limit, limited_to


def threads() -> set[int]:
    found = ThreadpoolController().select(user_api="blas").info()
    return {library["num_threads"] for library in found}


@pytest.fixture(autouse=True)
def _two_threads():
    with threadpool_limits(2, user_api="blas"):
        # As if the limit had been there from the start: threads may then be set from any thread.
        for library in ThreadpoolController().lib_controllers:
            getattr(library, "clear_controlling_thread", lambda: None)()
        yield


def test_one_job_is_one_blas_thread_and_two_come_back():
    with limited_to(1):
        assert threads() == {1}
        with limited_to(2):
            assert threads() == {1}  # the narrower limit holds
        assert threads() == {1}
    assert threads() == {2}


def test_no_number_of_jobs_holds_nothing():
    with limited_to(None):
        assert threads() == {2}


def test_more_jobs_never_give_blas_more_threads_than_it_had():
    with threadpool_limits(1, user_api="blas"), limited_to(2):
        assert threads() == {1}


def test_the_limit_is_lifted_after_an_error():
    with pytest.raises(ZeroDivisionError), limited_to(1):
        raise ZeroDivisionError
    assert threads() == {2}


def test_calls_that_overlap_in_threads_leave_what_was_there_before():
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with limited_to(1):
            inside.set()
            leave.wait(300)

    worker = threading.Thread(target=other)
    with limited_to(2):
        worker.start()
        assert inside.wait(300)
    assert threads() == {1}  # the other is not done
    leave.set()
    worker.join()
    assert threads() == {2}


def test_fit_and_predict_of_one_job_see_one_thread(monkeypatch):
    seen = []
    own = FullBayesSummary.class_totals.fget

    def watched(self):
        seen.append(threads())
        return own(self)

    monkeypatch.setattr(FullBayesSummary, "class_totals", property(watched))
    acumen.FullBayes(n_jobs=1).fit(acumen.datasets.load("iris"))
    assert seen and all(found == {1} for found in seen)


def test_what_the_process_has_loaded_is_looked_through_once(monkeypatch):
    with limited_to(1):
        pass
    monkeypatch.setattr("threadpoolctl.ThreadpoolController", lambda: pytest.fail("looked through again"))
    with limited_to(1):
        assert _blas_limit._libraries


@pytest.mark.parametrize(
    "learner",
    [
        acumen.Fisher(),
        acumen.FullBayes(),
        acumen.LeastSquares(),
        acumen.Logistic(),
        acumen.KernelFisher(),
        acumen.SVM(tol=1e-8),
        acumen.PrincipalComponents(),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_models_agree_to_ten_digits_for_any_number_of_blas_threads(learner):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 400)
    X = rng.normal(size=(400, 30)) + 0.5 * y[:, None]

    def answers(jobs: int):
        made = type(learner)(**{**learner.get_params(deep=False), "n_jobs": jobs})
        if isinstance(learner, acumen.PrincipalComponents):
            return np.abs(made.fit(X).transform(X))
        made.fit(X, y)
        return made.predict_proba(X) if hasattr(made, "predict_proba") else made.decision_function(X)

    one, two = answers(1), answers(2)
    np.testing.assert_allclose(two, one, rtol=1e-10, atol=1e-10 * np.abs(one).max())
