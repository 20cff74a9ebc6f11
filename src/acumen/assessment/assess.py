"""`assess`: estimate how well a learner does on a table, with any way of splitting it."""

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
    """Estimate how well a learner does on held-out rows.

    Rows without a label, or with weight zero, are not tested. A learner that uses unlabelled rows (`unlabelled="em"`)
    gets them in every training set. If a class or a category does not occur in the training rows of a split, a note
    says so.

    Parameters
    ----------
    learner : a classifier or regressor of acumen, or an estimator or pipeline of scikit-learn
        Not changed: copies of it are fitted. A pipeline gets a pandas frame, any other scikit-learn estimator an array
        of numbers.
    table : Table with a nominal target, or a numeric one for a regressor
    method : KFold, LeaveOneOut, Bootstrap, Holdout, ThreeWay, TimeSlice or Subsample
        How to split the rows. [default: KFold(10)] The validation rows of a ThreeWay are not used.
    measures : names of measures
        For classes: error, accuracy, balanced_accuracy, kappa, mcc, precision, recall, f1, macro_f1, log_loss, brier,
        auc, cost [default: error]. For numbers: rmse, mae, r2 [default: all three]. For both: fit_time, predict_time,
        memory, size. `mean` and `values` report the first one.
    random_state : int, Generator or None
        Seeds the splits.
    refit : bool
        Fit a new model for every split, even if adding summaries gives the same answer in one pass.
    n_jobs : int, optional
        Threads for a learner that has this parameter. [default: the learner's own]
    positive : label, optional
        The class for precision, recall and f1. [default: the last of two classes; the mean over three or more]
    costs : matrix or mapping, optional
        For the measure `cost`: a row for each predicted class, a column for each true one. [default: the learner's own]
    progress : callable, optional
        Called with the number of finished splits. [default: a progress bar in a notebook, else nothing]

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
