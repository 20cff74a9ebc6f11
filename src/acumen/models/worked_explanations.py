"""Explanations with the arithmetic written down, of whatever model can write it.

explain_steps   predictor, row -> an explanation with its working: the model's own, or the sum that its reasons are
"""

from __future__ import annotations

import math

import numpy as np

from acumen.data.align import align
from acumen.data.table import Table
from acumen.errors import DataError, article
from acumen.explain.arithmetic import SumWorking, WorkedExplanation, WorkedValue, Working, with_working
from acumen.explain.explanation import AnyExplanation, Explanation, ValueExplanation
from acumen.models.decision import softmax
from acumen.models.predictor import AnyPredictor, Predictor

#: By so much may a sum of reasons miss what it should come to.
_CLOSE = 1e-6


def explain_steps(predictor: AnyPredictor, row: Table) -> WorkedExplanation | WorkedValue:
    """Why the one row of this table gets its answer, and how that is worked out."""
    explanation: AnyExplanation = predictor.explain(row)
    if isinstance(explanation, Explanation) and explanation.rival is None:
        raise DataError(
            f"explain: the model knows one class alone, {explanation.label!r}, so that nothing is worked out for it."
        )
    working = _working(predictor, row, explanation)
    if working is None:
        raise DataError(
            f"explain: the answer of {article(predictor.model.kind)} model is no product or sum of what "
            "single attributes say, so there are no steps to write down. Naive Bayes has them, and so have "
            "linear and additive models."
        )
    return with_working(explanation, working)


@np.errstate(all="ignore")  # numpy's own warnings are not for users
def _working(predictor: AnyPredictor, row: Table, explanation: AnyExplanation) -> Working | None:
    aligned = align(row, predictor.schema)
    if isinstance(predictor, Predictor):
        scores = predictor.scores(aligned)
        working = predictor.model.working(predictor, aligned, softmax(scores)[0])
        if working is not None:
            return working
        assert isinstance(explanation, Explanation)
        return _log_odds(predictor, explanation, scores[0].tolist())
    return _amounts(explanation) if isinstance(explanation, ValueExplanation) else None


def _log_odds(predictor: Predictor, explanation: Explanation, scores: list[float]) -> SumWorking | None:
    """The reasons, where they add up to the difference of the two scores."""
    if explanation.rival is None:
        return None
    classes = list(predictor.classes)
    winner, rival = (scores[classes.index(each)] for each in (explanation.label, explanation.rival))
    parts = tuple((each.text, each.log_odds) for each in explanation.evidence)
    total = winner - rival
    moved = len(parts) > 1 or all(
        each.role == "start" for each in explanation.evidence
    )  # by none: the starting point alone
    if not parts or not moved or not _adds_up(parts, total):
        return None
    against = f"{explanation.label} against {explanation.rival}"
    if not predictor.model.probabilistic:
        return SumWorking(
            f"The score of {against}: what each attribute adds",
            parts,
            total,
            "Above 0: " + str(explanation.label),
        )
    after = f"The odds of {against} are exp({total:.6g}) = {math.exp(min(total, 700.0)):.6g}"
    if len(classes) == 2:
        after += f", its probability 1 / (1 + exp({-total:.6g})) = {1.0 / (1.0 + math.exp(min(-total, 700.0))):.6g}"
    return SumWorking(f"The log-odds of {against}: what each attribute adds", parts, total, after + ".")


def _amounts(explanation: ValueExplanation) -> SumWorking | None:
    parts = (
        ("to start from", explanation.start),
        *((each.text, each.amount) for each in explanation.contributions),
    )
    single = any(each.attribute is not None for each in explanation.contributions)
    if not (len(parts) > 2 or single) or not _adds_up(parts, explanation.value):
        return None
    return SumWorking(f"{explanation.target}: what each attribute adds", parts, explanation.value)


def _adds_up(parts: tuple[tuple[str, float], ...], total: float) -> bool:
    known_sum = math.fsum(value for _, value in parts if math.isfinite(value))
    known = all(math.isfinite(value) for _, value in parts) and math.isfinite(total)
    size = max((abs(value) for _, value in parts), default=0.0)
    return known and abs(known_sum - total) <= _CLOSE * max(size, 1.0)
