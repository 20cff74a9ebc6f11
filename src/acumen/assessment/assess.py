"""`assess`: how good is a learner on a table, by any way of splitting it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from acumen.assessment.assessment import Assessment
from acumen.assessment.contestants import as_learner, fixed_seed, learner_name
from acumen.assessment.runs import task_of
from acumen.assessment.trial import LearnerTrial, chosen_measures, require_method, require_probabilities
from acumen.base.estimator import LearnerLike
from acumen.data.table import Table
from acumen.render.progress import notebook_bar
from acumen.resampling import KFold
from acumen.types import Label

Progress = Callable[[int], None]

TEN_FOLDS = KFold(10)


def assess(
    learner: LearnerLike,
    table: Table,
    method: Any = TEN_FOLDS,
    measures: Sequence[str] | str | None = None,
    random_state: Any = None,
    refit: bool = False,
    n_jobs: int | None = None,
    *,
    positive: Label | None = None,
    costs: Any = None,
    progress: Progress | None = None,
) -> Assessment:
    """Judge a learner on rows it has not seen.

    Rows without a label, or of weight zero, are not tested; a learner that makes use of unlabelled rows
    (`unlabelled="em"`) has them in every training set. A class or a level that does not occur among the training rows
    of a split is noted.

    Parameters
    ----------
    learner : a classifier or regressor of acumen, or an estimator or pipeline of scikit-learn
        Not changed: copies of it are fitted. Pipelines get a pandas frame, other estimators of scikit-learn numbers.
    table : Table with a nominal target, for a regressor with a numeric one
    method : KFold, LeaveOneOut, Bootstrap, Holdout, ThreeWay, TimeSlice or Subsample
        KFold(10) unless given. Of a ThreeWay the validation rows are left aside.
    measures : names of measures
        Of classes error (the default), accuracy, balanced_accuracy, kappa, mcc, precision, recall, f1, macro_f1,
        log_loss, brier, auc, cost; of numbers rmse, mae, r2 (all three the default); of both fit_time, predict_time,
        memory, size. The first is the one reported as `mean` and `values`.
    random_state : int, Generator or None
        Seeds the splits.
    refit : bool
        Fit anew for every split even where adding summaries gives the same answer in one pass.
    n_jobs : int, optional
        Threads of the learner, where it has that parameter; its own unless given.
    positive : label, optional
        The class that precision, recall and f1 are about; of two classes the last unless given, of more the mean of
        all.
    costs : matrix or mapping, optional
        For the measure `cost`: rows predicted, columns true. The learner's own unless given.
    progress : callable, optional
        Told how many splits are finished; in a notebook a bar shows it, unless one is given.

    Returns
    -------
    Assessment

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> found = acumen.assess(acumen.NaiveBayes(), iris, acumen.LeaveOneOut())
    >>> round(found.mean * 150)
    7
    """
    learner = as_learner(learner, "assess")
    task = task_of(learner)
    chosen = chosen_measures(measures, task)
    method = TEN_FOLDS if method is None else method
    require_method(method, chosen, "assess")
    require_probabilities(learner, chosen)
    trial = LearnerTrial.of(
        learner, table, method, chosen, fixed_seed(random_state), refit=refit, n_jobs=n_jobs, positive=positive,
        costs=costs,
    )  # fmt: skip
    with notebook_bar() as bar:
        tell = progress if progress is not None or bar is None else _show_groups(bar, trial)
        while trial.step():
            if tell is not None:
                tell(len(trial.finished))
    return trial.assessment()


def _show_groups(bar: Callable[[float, str], None], trial: LearnerTrial) -> Progress:
    total = max(trial.per_repeat * trial.repeats, 1)
    return lambda done: bar(done / total, f"{learner_name(trial.learner)}, split {done:,} of {total:,}")
