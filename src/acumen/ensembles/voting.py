"""Voting learner; access to members by name, which stacking shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self, TypeAlias

import numpy as np

from acumen.base.classifier import Classifier
from acumen.base.estimator import LearnerLike
from acumen.base.scikit import BaseEstimator
from acumen.data.table import Table
from acumen.ensembles.committee import CommitteeModel, Use
from acumen.ensembles.forest_methods import Seed
from acumen.ensembles.members import OfMembers, draws, fresh, usual_learners
from acumen.errors import DataError, ParameterError
from acumen.models.model import Model
from acumen.models.parameters import ClassWeight, Costs, Described, OfLearners, Priors
from acumen.resampling.plan import streams
from acumen.rows.training_rows import Rows
from acumen.types import Floats

Learners = Annotated[Any, OfLearners("a list of classifiers, a mapping of names to them, or None")]


#: Learners as people hand them in.
Given: TypeAlias = (
    Sequence[LearnerLike] | Sequence[tuple[str, LearnerLike]] | Mapping[str, LearnerLike] | None
)


def named_learners(learners: Given, who: str) -> dict[str, LearnerLike]:
    """The learners by name; the three defaults if none are passed."""
    if learners is None:
        learners = usual_learners()
    if isinstance(learners, Mapping):
        by_name = {str(name): learner for name, learner in learners.items()}
    elif isinstance(learners, (list, tuple)):
        by_name = {}
        for learner in learners:
            pair = isinstance(learner, tuple) and len(learner) == 2 and isinstance(learner[0], str)
            name, learner = learner if pair else (type(learner).__name__, learner)
            while name in by_name:
                name += "'"
            by_name[name] = learner
    else:
        raise ParameterError(f"{who}: learners must be a list of classifiers or a mapping of names to them.")
    if not by_name:
        raise ParameterError(f"{who}: learners must hold at least one classifier.")
    return by_name


class OfNamed(OfMembers, BaseEstimator):
    """Members passed as a list or by name: `name` is a member, `name__parameter` one of its parameters.

    Names are those of `learners_`. A member with the name of an ensemble's parameter cannot be reached.
    """

    learners: Given

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name; with `deep` also the members and theirs."""
        parameters = super().get_params(deep)
        for name, learner in self._members().items() if deep else ():
            parameters[name] = learner
            if hasattr(learner, "get_params") and not isinstance(learner, type):
                parameters |= {
                    f"{name}__{inner}": value for inner, value in learner.get_params(deep=True).items()
                }
        return parameters

    def set_params(self, **params: Any) -> Self:
        """Set parameters; a name may be a member or a member's parameter."""
        if "learners" in params:
            super().set_params(learners=params.pop("learners"))
        members = self._members()
        if replaced := {name: params.pop(name) for name in members if name in params}:
            everyone = list((named_learners(self.learners, type(self).__name__) | replaced).items())
            self.learners = dict(everyone) if isinstance(self.learners, Mapping) else everyone
        super().set_params(**params)
        return self

    def _members(self) -> dict[str, Any]:
        """Members that can be reached; none if none were passed or they are not a list of learners."""
        if not isinstance(self.learners, (list, tuple, Mapping)) or not len(self.learners):
            return {}
        own_parameters = set(self._get_param_names())
        return {
            name: learner
            for name, learner in named_learners(self.learners, type(self).__name__).items()
            if name not in own_parameters and "__" not in name
        }


class Voting(OfNamed, Classifier):
    """Classify by the votes of several learners, each fitted on all rows.

    A learner votes for its most likely class. The class with the most votes (the largest weight of votes) wins; ties
    go to the class with more training rows, then to the first. With two classes that is a majority, with more a
    plurality.

    Parameters
    ----------
    learners : list of classifiers, or of pairs (name, classifier), or mapping of names to classifiers
        From acumen or scikit-learn. Default: NaiveBayes, Logistic and DecisionTree. `set_params`, and so a grid,
        reaches a member's parameters by its name: `NaiveBayes__alpha`.
    weights : sequence of float, optional
        The weight of each vote. Default: equal weights.
    use : {"classes", "probabilities"}
        Let learners vote, or average their probabilities.
    costs, priors, class_weight, n_jobs
        As for NaiveBayes; members must have no costs and priors of their own.
    random_state : seed or Generator, optional
        Seed for members that use random numbers and have no seed of their own.

    Attributes
    ----------
    learners_ : dict
        The fitted learners by name.

    Examples
    --------
    >>> import acumen
    >>> model = acumen.Voting([acumen.NaiveBayes(), acumen.Fisher(), acumen.OneR()]).fit(acumen.datasets.load("iris"))
    >>> list(model.learners_)
    ['NaiveBayes', 'Fisher', 'OneR']
    """

    kind: ClassVar[str] = "voting"
    model_type = CommitteeModel

    def __init__(
        self,
        learners: Learners = None,
        *,
        weights: Annotated[Any, Described("one number of at least 0 for each learner, or None")] = None,
        use: Use = "classes",
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learners = learners
        self.weights = weights
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
        """Whether it uses `random_state`: if any member does."""
        return any(map(draws, self.inner_learners()))

    @property
    def scale_sensitive(self) -> bool:
        """Whether the unit of row weights matters: as for the members."""
        return any(getattr(learner, "scale_sensitive", True) for learner in self.inner_learners())

    def in_units(self, table: Table) -> Table:
        """The rows with weights as given; members interpret them."""
        return table

    def learn(self, rows: Rows) -> tuple[Model, Floats]:
        table = rows.require_local(self._name)
        named = named_learners(self.learners, self._name)
        weights = _check_weights(self.weights, len(named), self._name)
        totals = np.bincount(table.class_codes, table.row_weights, table.schema.n_classes).astype(np.float64)
        rng = next(streams(self.random_state, self._name))
        self.learners_: dict[str, Any] = {}
        members: list[Model] = []
        for name, learner in named.items():
            member = fresh(learner, self.n_jobs, self._name, int(rng.integers(2**31)))
            if self.use == "probabilities" and not member.model_type.probabilistic:
                raise DataError(
                    f"{self._name}: {name} has no probabilities to average; let the learners vote "
                    "with use='classes'."
                )
            member.fit(table)
            self.learners_[name] = getattr(member, "estimator_", member)
            members.append(member.predictor_.model)
        return CommitteeModel(tuple(members), weights, self.use, totals / totals.sum()), totals


def _check_weights(weights: Any, n: int, who: str) -> Floats:
    if weights is None:
        return np.ones(n)
    try:
        numbers = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if numbers.shape != (n,) or not np.all((numbers >= 0) & (numbers < np.inf)) or not numbers.sum() > 0:
        raise ParameterError(
            f"{who}: weights must be one number of at least 0 for each of {n} learners, not all 0; "
            f"got {weights!r}."
        )
    return numbers
