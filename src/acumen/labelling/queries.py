"""How informative each unlabelled row is: one number per row, larger ones are asked about first.

    worth         rows under a fitted learner -> what asking about each is worth
    committee     learners fitted on samples of the labelled rows, for "committee"
    closeness     how near each row is to the others, for "density"
    first         the rows worth most, of equals those that chance takes

uncertainty   1 - P(most probable class)
margin        how close the two most probable classes are
entropy       the entropy of P(class | row)
committee     how far the members of a committee disagree: the entropy of their mean less their mean entropy
              (McCallum and Nigam 1998), of learners without probabilities the entropy of their votes (query by
              bagging, Abe and Mamitsuka 1998)
density       entropy times the mean likeness to the other rows (Settles and Craven 2008), which passes over outliers

Of a learner without probabilities "uncertainty" and "margin" are the distance between its two best scores.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from acumen.assessment.runs import fresh
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.geometry.level_distances import Gower
from acumen.profiling.fit_warnings import data_warnings_off
from acumen.types import Floats, Indices

if TYPE_CHECKING:
    from acumen.base.learner import Learner

Query: TypeAlias = Literal["uncertainty", "margin", "entropy", "committee", "density"]

#: How many learners sit in a committee.
MEMBERS = 7
#: Likeness is measured to so many rows at most, drawn at random.
NEIGHBOURS = 500
#: Rows whose likeness is measured at once: 16 MB of distances.
_BLOCK = 4096


def objection_to(query: Query, learner: Learner) -> str | None:
    """Why a query strategy cannot be used with a learner, or None."""
    if query in ("entropy", "density") and not learner.model_type.probabilistic:
        return (
            f"query={query!r} needs probabilities, which {type(learner).__name__} does not have; use "
            "'uncertainty', 'margin' or 'committee'."
        )
    return None


def worth(
    query: Query, fitted: Any, rows: Table, members: Sequence[Any] = (), nearness: Floats | None = None
) -> Floats:
    """The value of asking about each row."""
    if query == "committee":
        return _disagreement(members, rows)
    if not fitted.model_type.probabilistic:
        two = _two_best(fitted.predictor_.scores(rows))
        return np.nan_to_num(two[:, 0] - two[:, 1], nan=0.0, neginf=-1e300)
    shares = fitted.predictor_.proba(rows)
    if query == "uncertainty":
        return 1.0 - shares.max(axis=1)
    if query == "margin":
        two = _two_best(shares)
        return two[:, 0] - two[:, 1]
    uncertainty = entropy(shares)
    return uncertainty if nearness is None else uncertainty * nearness


def _two_best(values: Floats) -> Floats:
    """The second best and the best of each line; if there is a single class, nothing competes."""
    if values.shape[1] < 2:
        return np.column_stack([np.zeros(len(values)), np.ones(len(values))])
    return np.sort(values, axis=1)[:, -2:]


def entropy(shares: Floats) -> Floats:
    """The entropy of each line, in nats."""
    logs = np.log(shares, where=shares > 0, out=np.zeros_like(shares))
    return -(shares * logs).sum(axis=1)


def committee(learner: Learner, labelled: Table, rng: np.random.Generator) -> list[Any]:
    """Copies of a learner, each fitted on rows drawn with replacement, within each class so that none is lost."""
    classes = [np.flatnonzero(labelled.class_codes == code) for code in np.unique(labelled.class_codes)]
    members = []
    for _ in range(MEMBERS):
        drawn = np.sort(np.concatenate([rng.choice(rows, len(rows)) for rows in classes]))
        with quietly():
            members.append(fresh(learner).fit(labelled.take(drawn)))
    return members


@contextmanager
def quietly() -> Iterator[None]:
    """Suppress warnings of learners fitted on the few rows labelled so far."""
    with data_warnings_off(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _disagreement(members: Sequence[Any], rows: Table) -> Floats:
    if members[0].model_type.probabilistic:
        every = np.stack([member.predictor_.proba(rows) for member in members])
        return entropy(every.mean(axis=0)) - np.mean([entropy(shares) for shares in every], axis=0)
    votes = np.zeros((len(rows), rows.schema.n_classes or len(members[0].classes_)))
    for member in members:
        votes[np.arange(len(rows)), member.predictor_.predict(rows)] += 1.0 / len(members)
    return entropy(votes)


def closeness(rows: Table, rng: np.random.Generator) -> Floats:
    """The mean similarity of each row to the others, 1 minus Gower's distance, from 0 to 1."""
    if len(rows) < 2:
        return np.ones(len(rows))
    others = rows.take(np.sort(rng.choice(len(rows), min(NEIGHBOURS, len(rows)), replace=False)))
    densities = np.ones(len(rows))
    try:
        distance = Gower().fit(others)
        for at in range(0, len(rows), _BLOCK):
            apart = distance.between(rows.take(slice(at, at + _BLOCK)), others)
            densities[at : at + _BLOCK] = 1.0 - np.where(np.isfinite(apart), apart, 1.0).mean(axis=1)
    except DataError:  # nothing that could be compared
        return np.ones(len(rows))
    return densities


def first(values: Floats, n: int, rng: np.random.Generator) -> Indices:
    """The positions of the largest values, the largest first; ties are broken at random, not by rounding."""
    return np.lexsort((rng.random(len(values)), -np.round(values, 12)))[:n]
