"""The test rows of an assessment's first repeat, each once, for curves over all rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from acumen.assessment.assessment import Assessment
from acumen.assessment.calibration import Calibration, calibration
from acumen.assessment.confusion import Confusion
from acumen.assessment.decide import Decision, decide
from acumen.assessment.lift import Lift, lift
from acumen.assessment.roc import Roc, roc
from acumen.types import Codes, Floats, Label

#: How often rows are drawn anew for the interval of a decision.
_DRAWS = 200


@dataclass(frozen=True, slots=True)
class FirstRepeatRows:
    """Rows tested once each: the true class, and the predicted probability of each class."""

    truth: Codes
    proba: Floats
    weights: Floats
    classes: tuple[Label, ...]

    @classmethod
    def of(cls, found: Assessment) -> FirstRepeatRows:
        """The first repeat of an assessment with probabilities."""
        runs = [run for run in found.runs if run.repeat == 0]
        return cls(
            np.concatenate([run.truth for run in runs]),
            np.concatenate([cast(Floats, run.proba) for run in runs]),
            np.concatenate([run.weights for run in runs]),
            cast(Confusion, found.confusion).labels,
        )

    def has_both(self, positive: Label) -> bool:
        """Whether rows of the class and of others are there."""
        flags = self.truth == self.classes.index(positive)
        return bool(flags.any() and not flags.all())

    def roc(self, positive: Label) -> Roc:
        """The curve of one class against the others."""
        place = self.classes.index(positive)
        return roc(self.truth == place, self.proba[:, place], True, self._weights())

    def calibration(self, positive: Label | None = None) -> Calibration:
        """The calibration of one class against the others, or of the predicted class if none is given."""
        place = self.proba.argmax(axis=1) if positive is None else self.classes.index(positive)
        shares = self.proba[np.arange(len(self.truth)), place]
        return calibration((self.truth == place).astype(np.int8), shares, 1, weights=self._weights())

    def lift(self, positive: Label, bins: int = 10) -> Lift:
        """The lift of ranking rows by the probability of a class, in at most this number of bins."""
        place = self.classes.index(positive)
        return lift(
            self.truth == place, self.proba[:, place], True, min(bins, len(self.truth)), self._weights()
        )

    def decision(self, positive: Label, missed: float, alarm: float, seed: int) -> Decision:
        """The threshold of lowest cost on the probability of a class."""
        place = self.classes.index(positive)
        decision = decide(
            self.truth == place, self.proba[:, place], True, costs={"missed": missed, "alarm": alarm},
            weights=self._weights(), draws=_DRAWS, random_state=seed,
        )  # fmt: skip
        return replace(decision, positive=positive)

    def _weights(self) -> Floats | None:
        return self.weights if self.weights.size else None
