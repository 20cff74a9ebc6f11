"""What is judged, and how it is spoken of: a learner's name, its costs, its threads, the seed, its warnings."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.assessment.runs import fresh
from acumen.base.estimator import LearnerLike
from acumen.engines.cores import cores
from acumen.errors import AcumenWarning, ParameterError
from acumen.models.decision import resolve_costs
from acumen.models.parameters import specs_of
from acumen.render.text import many
from acumen.types import Floats, Label

if TYPE_CHECKING:
    from acumen.base.learner import Learner


def taken(learner: LearnerLike, who: str) -> Learner:
    """A learner to be judged: acumen's own, an estimator of scikit-learn behind the face of one, or a list of rules."""
    from acumen.base.foreign_estimators import adapted
    from acumen.rulelist.rule_list import RuleList

    if isinstance(learner, RuleList):
        from acumen.rules.learners import RuleClassifier

        return RuleClassifier(learner)
    return adapted(learner, who)


def class_name(learner: Learner) -> str:
    """The class of a learner; of one that stands for an estimator of another library, that one's."""
    found: str = getattr(learner, "display_name", type(learner).__name__)
    return found


def learner_name(learner: Learner, *, as_code: bool = False) -> str:
    """The class with those parameters that are not the defaults; a list of rules in a word, or as code makes it."""
    if hasattr(learner, "display_name"):
        told: str = getattr(learner, "said")  # noqa: B009 - of estimators of another library
        return told
    given = learner.get_params(deep=False)
    said = [
        f"{spec.name}={said_value(given[spec.name], as_code=as_code)}"
        for spec in specs_of(type(learner))
        if spec.name != "n_jobs" and not same(given[spec.name], spec.default)
    ]
    return f"{type(learner).__name__}({', '.join(said)})" if said else type(learner).__name__


def said_value(value: Any, *, as_code: bool = False) -> str:
    """The value of a parameter as it is written; of a list of rules how many there are, which names have room for."""
    from acumen.rulelist.rule_list import RuleList

    if not isinstance(value, RuleList):
        return repr(value)
    if as_code:
        return f"acumen.RuleList.from_dict({value.to_dict()!r})"
    return f"<{many(len(value), 'rule')}{', edited' if value.edits else ''}>"


def cost_matrix(learner: Learner, classes: Sequence[Label], costs: Any = None) -> Floats | None:
    """The costs given, else the learner's own, if it has any."""
    given = getattr(learner, "costs", None) if costs is None else costs
    return resolve_costs(given, classes, "assess" if costs is not None else type(learner).__name__)


def fixed_seed(random_state: Any) -> int:
    """A whole number that gives the same splits whenever it is used."""
    if random_state is None:
        return int(np.random.default_rng().integers(2**31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    whole = isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool)
    if whole and random_state >= 0:
        return int(random_state)
    raise ParameterError(
        f"random_state must be a whole number of at least 0, a generator or None; got {random_state!r}."
    )


def with_jobs(learner: Learner, n_jobs: int | None) -> Learner:
    """The learner itself, or a copy that uses so many threads."""
    if n_jobs is None:
        return learner
    cores(n_jobs)  # refuses what is no number of threads
    if "n_jobs" not in learner.get_params(deep=False):
        return learner
    return fresh(learner).set_params(n_jobs=n_jobs)


def same(a: Any, b: Any) -> bool:
    """Whether two values of a parameter are the same."""
    try:
        return bool(a is b or a == b)
    except ValueError:  # arrays
        return False


@contextmanager
def warnings_kept() -> Iterator[list[str]]:
    """Gather acumen's own warnings as notes, which a hundred fits would otherwise shout; others pass."""
    said: list[str] = []
    messages: list[str] = []
    with messages_kept(messages):
        yield said
    said.extend(told(messages))


@contextmanager
def messages_kept(messages: list[str]) -> Iterator[None]:
    """Add acumen's own warnings to a list, however often they come; others pass."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", AcumenWarning)
        yield
    messages.extend(str(w.message) for w in caught if issubclass(w.category, AcumenWarning))
    for other in caught:
        if not issubclass(other.category, AcumenWarning):
            warnings.warn_explicit(other.message, other.category, other.filename, other.lineno)


def told(messages: Iterable[str]) -> list[str]:
    """Each message once, with how often it came; those that differ in figures only are the same."""
    counts: Counter[str] = Counter()
    first: dict[str, str] = {}
    for message in messages:
        key = re.sub(r"\d+(\.\d+)?(e[-+]?\d+)?", "#", message)
        counts[key] += 1
        first.setdefault(key, message)
    return [f"{text} ({counts[key]} times)" if counts[key] > 1 else text for key, text in first.items()]
