"""The contract of learners as tests, for acumen's own and for those of third parties.

check_learner(learner)    every law; raises CheckFailed at the first that is broken
LAWS                      the laws by name
SKLEARN_EXCEPTIONS        which of scikit-learn's own estimator checks do not apply, and why
"""

from __future__ import annotations

from acumen.checks.exceptions import SKLEARN_EXCEPTIONS, sklearn_exceptions
from acumen.checks.run import LAWS, CheckFailed, CheckReport, check_learner, sentence
from acumen.checks.subject import NotApplicable, Subject

__all__ = [
    "LAWS",
    "SKLEARN_EXCEPTIONS",
    "CheckFailed",
    "CheckReport",
    "NotApplicable",
    "Subject",
    "check_learner",
    "sentence",
    "sklearn_exceptions",
]
