"""Stacking learner."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from acumen.base.classifier import Classifier
from acumen.base.estimator import LearnerLike
from acumen.data.table import Table
from acumen.ensembles.committee import Use, class_of_member
from acumen.ensembles.forest_methods import Seed
from acumen.ensembles.members import draws, fresh
from acumen.ensembles.stacking_model import StackingModel, answers_schema, answers_table, columns_of
from acumen.ensembles.voting import Learners, OfNamed, named_learners
from acumen.errors import AcumenWarning, ParameterError
from acumen.models.model import Model
from acumen.models.nested import learner_of
from acumen.models.parameters import AtLeast, ClassWeight, Costs, OfLearner, Priors
from acumen.resampling.folds import KFold
from acumen.resampling.plan import streams
from acumen.rows.training_rows import Rows
from acumen.types import Codes, Floats

LEAKS = (
    "predictions out of bag, or with one row left out, come from models that saw all rows but this one, so labels of "
    "other rows leak into the combiner, more than with folds. Judge the result on held-out rows."
)
#: So many rows may need a fit of their own where a learner leaves out all others by a closed form.
_REFITS = 200


class Stacking(OfNamed, Classifier):
    """Classify by a combiner trained on other learners' predictions.

    Parameters
    ----------
    learners : list of classifiers, or of pairs (name, classifier), or mapping of names to classifiers
        From acumen or scikit-learn. Default: NaiveBayes, Logistic and DecisionTree. Members' parameters are reached
        by their names, as in Voting.
    combiner : classifier, optional
        The combiner, which learns the class from the learners' predictions. Default: Logistic.
    folds : int, None or "free"
        Which predictions the combiner is trained on. A number: out-of-fold predictions with this many folds; the
        learners are then fitted on all rows. None: predictions on training rows, as documents 000 and 001 have it,
        which favours learners that fit closely. "free": out-of-bag predictions of forests and bagging, and
        leave-one-out predictions of learners with a closed form (Bayes; KNN with a given k), with extra fits only for
        the few rows where the closed form does not hold. It warns, because these leak more than folds do.
    use : {"probabilities", "classes"}
        What the combiner gets: class probabilities (scores if there are none), or a class.
    costs, priors, class_weight, n_jobs
        As for NaiveBayes; members must have no costs and priors of their own.
    random_state : seed or Generator, optional
        Seed for folds, and for members that use random numbers and have no seed of their own.

    Attributes
    ----------
    learners_ : dict
        The fitted learners by name.
    combiner_ : classifier
        The fitted combiner.

    Examples
    --------
    >>> import acumen
    >>> model = acumen.Stacking([acumen.NaiveBayes(), acumen.OneR()], random_state=0).fit(acumen.datasets.load("iris"))
    >>> list(model.learners_), type(model.combiner_).__name__
    (['NaiveBayes', 'OneR'], 'Logistic')
    """

    kind: ClassVar[str] = "stacking"
    model_type = StackingModel

    def __init__(
        self,
        learners: Learners = None,
        *,
        combiner: Annotated[Any, OfLearner("a classifier of acumen or of scikit-learn, or None")] = None,
        folds: Annotated[int, AtLeast(2)] | Literal["free"] | None = 5,
        use: Use = "probabilities",
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learners = learners
        self.combiner = combiner
        self.folds = folds
        self.use = use
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    def inner_learners(self) -> Sequence[LearnerLike]:
        return list(named_learners(self.learners, self._name).values())

    @property
    def draws_numbers(self) -> bool:
        """Whether it uses `random_state`: for folds, or for members."""
        inner = [*self.inner_learners(), self.combiner]
        return isinstance(self.folds, (int, np.integer)) or any(map(draws, inner))

    @property
    def scale_sensitive(self) -> bool:
        """Whether the unit of row weights matters: as for the members and the combiner."""
        inner = [*self.inner_learners(), self._combiner]
        return any(getattr(learner, "scale_sensitive", True) for learner in inner)

    @property
    def _combiner(self) -> Any:
        return learner_of("logistic") if self.combiner is None else self.combiner

    def in_units(self, table: Table) -> Table:
        """The rows with weights as given; members interpret them."""
        return table

    def learn(self, rows: Rows) -> tuple[Model, Floats]:
        table = rows.require_local(self._name)
        schema, labels = table.schema, table.class_codes
        named = named_learners(self.learners, self._name)
        totals = np.bincount(labels, table.row_weights, schema.n_classes).astype(np.float64)
        rng = next(streams(self.random_state, self._name))
        if self.folds == "free":
            warnings.warn(f"{self._name}: {LEAKS}", AcumenWarning, stacklevel=3)
        parts = None
        if isinstance(self.folds, (int, np.integer)):
            k = min(int(self.folds), len(table))
            parts = KFold(k).part_codes(len(table), labels, int(rng.integers(2**31)))[0] if k > 1 else None
        answers: list[Floats | Codes] = []
        self.learners_: dict[str, Any] = {}
        members: list[Model] = []
        for name, learner in named.items():
            seed = int(rng.integers(2**31))
            member = fresh(learner, self.n_jobs, self._name, seed).fit(table)
            self.learners_[name] = getattr(member, "estimator_", member)
            model = member.predictor_.model
            members.append(model)
            if parts is not None:
                scores = np.full((len(table), schema.n_classes), -np.inf)
                for fold in np.unique(parts).tolist():
                    tested = parts == fold
                    part = fresh(learner, self.n_jobs, self._name, seed).fit(table.take(~tested))
                    scores[tested] = part.predictor_.model.scores(table.take(tested))
            elif self.folds == "free":
                scores = self._free(name, member, table, learner, seed)
            else:
                scores = model.scores(table)
            if self.use == "probabilities":
                answers.append(columns_of(scores, model.probabilistic))
            else:
                answers.append(
                    scores.argmax(axis=1).astype(np.int32)
                    if parts is not None or self.folds == "free"
                    else class_of_member(model, table)
                )
        inner = answers_schema(schema, tuple(named), [self.use == "probabilities"] * len(named))
        training_table = answers_table(inner, answers, labels, table.weights, len(table))
        combiner = fresh(self._combiner, self.n_jobs, self._name, int(rng.integers(2**31))).fit(
            training_table
        )
        self.combiner_ = getattr(combiner, "estimator_", combiner)
        assert schema.target is not None
        stacking_model = StackingModel(
            tuple(members), tuple(named), self.use, combiner.predictor_.model, schema.target
        )
        return stacking_model, totals

    def _free(self, name: str, member: Any, table: Table, learner: LearnerLike, seed: int) -> Floats:
        """Scores of each row by models that did not see it, which the fitted member has without another fit.

        The few rows for which its closed form does not hold get one fit each.
        """
        bag = getattr(member, "out_of_bag_", None)
        if bag is not None:
            with np.errstate(divide="ignore"):
                scores = np.log(bag.predictions)
            has_votes = bag.votes > 0
            scores[~has_votes] = member.predictor_.model.scores(table.take(~has_votes))
            return np.asarray(scores)
        if getattr(member, "can_leave_one_out", lambda rows: False)(table):
            scores, anew = member.leave_one_out(table)
            if np.count_nonzero(anew) > _REFITS:
                raise ParameterError(
                    f"{self._name}: the closed form by which {name} leaves rows out does not hold for "
                    f"{np.count_nonzero(anew):,} of these {len(table):,} rows, and each of them would "
                    "need its own fit; use folds=5."
                )
            for row in np.flatnonzero(anew).tolist():
                others = table.take(np.delete(np.arange(len(table)), row))
                part = fresh(learner, self.n_jobs, self._name, seed).fit(others)
                scores[row] = part.predictor_.model.scores(table.take([row]))[0]
            return np.asarray(scores)
        raise ParameterError(
            f"{self._name}: {name} has no free predictions: neither out-of-bag rows nor a closed form "
            "for leaving one row out; use folds=5."
        )
