"""A labelling session: what to ask next, and the answers so far.

    LabellingSession   a pool, a learner, and the answers in their order; any of them can be taken back

What is asked is decided by what was said and the seed alone. So a session that was killed goes on with the question it
was at, and what is taken back is asked again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from acumen.assessment.runs import fresh
from acumen.base.attribute_weights import places_of_feedback, weights_of
from acumen.base.learner import Learner
from acumen.data.schema import Schema
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.explain.explanation import Explanation
from acumen.labelling.label_file import LabelAnswer, Line, Remark
from acumen.labelling.pool import LabelPool
from acumen.labelling.queries import Query, closeness, objection_to, quietly
from acumen.labelling.query_loop import QueryLoop
from acumen.types import Label

#: Rows among which the next question is looked for, drawn at random from larger pools: nobody is to wait for it.
LOOKED_AT = 20_000


class LabellingSession:
    """The labels and remarks of a session on a pool of rows, and what to ask next.

    Parameters
    ----------
    learner : an unfitted classifier
    pool : rows, some of which may have a label
    query : how rows are chosen
    seed : for what is drawn at random
    said : lines of earlier sessions
    """

    def __init__(
        self, learner: Learner, pool: LabelPool, *, query: Query, seed: int = 0, said: Iterable[Line] = ()
    ) -> None:
        self.learner, self.pool, self.seed = learner, pool, seed
        self.lines: list[Line] = list(said)
        self._own, self._target = pool.labels.copy(), pool.target
        schema = Schema(pool.table.schema.attributes, pool.target)
        learner.object_to(schema)
        if (sentence := objection_to(query, learner)) is not None:
            raise ParameterError(f"label: {sentence}")
        self._asking = QueryLoop(learner, query, pool, self._rng(), most=LOOKED_AT)
        if query == "density":
            self._asking.nearness = closeness(pool.table, np.random.default_rng(seed))
        self._replay()

    # -- what was said ----------------------------------------------------------------------------

    @property
    def answers(self) -> list[LabelAnswer]:
        return [line for line in self.lines if isinstance(line, LabelAnswer)]

    @property
    def remarks(self) -> dict[str, Any]:
        """The latest weight of each attribute; those of weight 1 are left out."""
        remarks = {line.attribute: line.what for line in self.lines if isinstance(line, Remark)}
        return {name: what for name, what in remarks.items() if what != 1}

    @property
    def n_labels(self) -> int:
        """The number of rows labelled in this session."""
        return len({line.row for line in self.answers if line.label is not None})

    @property
    def n_passed(self) -> int:
        """The number of rows skipped."""
        return sum(1 for row in self._asking.passed if self.pool.labels[row] < 0)

    @property
    def hears(self) -> bool:
        """Whether the learner accepts feedback on attributes."""
        return bool(places_of_feedback(self.learner))

    def tell(self, row: int, label: Label | None) -> None:
        """Set the label of a row; None skips it."""
        self.lines.append(LabelAnswer(row, label))
        self._take(self.lines[-1])

    def remark(self, attribute: str, what: str | float) -> None:
        """Set the weight of an attribute; raises ParameterError if the learner does not accept it."""
        if not self.hears:
            raise ParameterError(
                f"feedback: {type(self.learner).__name__} does not accept feedback on attributes; NaiveBayes, "
                "DecisionTree, Ripper, Additive and KNN can."
            )
        names = self.pool.table.schema.names
        if attribute not in names:
            raise ParameterError(
                f"feedback: there is no attribute {attribute!r}.{did_you_mean(attribute, names)}"
            )
        self.lines.append(Remark(attribute, what))
        try:
            weights_of(self.remarks, self.pool.table.schema, "feedback")
            self._hear()
            self._asking.learn()
        except (ParameterError, DataError):
            self.undo()
            raise

    def undo(self) -> Line | None:
        """Undo the last answer; returns None if there was none."""
        if not self.lines:
            return None
        line = self.lines.pop()
        self._replay()
        return line

    def _take(self, line: Line) -> None:
        if isinstance(line, LabelAnswer):
            self._asking.passed.add(line.row)
            if line.label is not None:
                self.pool.tell(line.row, line.label)

    def _replay(self) -> None:
        """Replay all answers from the beginning."""
        self.pool.labels, self.pool.target = self._own.copy(), self._target
        self._asking.passed.clear()
        for line in self.lines:
            self._take(line)
        self._hear()

    def _hear(self) -> None:
        self._asking.learner = self._informed_learner()

    def _informed_learner(self) -> Any:
        """The learner with the feedback on attributes."""
        if not self.remarks:
            return self.learner
        parameters = self.learner.get_params(deep=True)
        feedback = {
            place: {**(parameters[place] or {}), **self.remarks} for place in places_of_feedback(self.learner)
        }
        return fresh(self.learner).set_params(**feedback)

    # -- what to ask ------------------------------------------------------------------------------

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng([self.seed, len(self.lines)])

    def question(self) -> int | None:
        """The row to ask about next; None if none is left."""
        self._asking.rng = self._rng()
        self._asking.learn()
        questions = self._asking.next(1)
        return questions[0] if questions else None

    @property
    def n_remaining(self) -> int:
        """How many rows may still be asked about."""
        return len(self._asking.candidates)

    def guess(self, row: int) -> Explanation | None:
        """The learner's prediction for a row; None if too little is known."""
        model = self._asking.model
        if model is None:
            return None
        explanation = model.predictor_.explain(self.pool.whole().take(np.array([row])))
        return explanation if isinstance(explanation, Explanation) else None

    def doubtful_attribute(self, row: int) -> str | None:
        """The attribute with the largest weight for this row and no remark yet; None if there is none."""
        if not self.hears:
            return None
        guess = self.guess(row)
        remarked = {line.attribute for line in self.lines if isinstance(line, Remark)}
        if guess is None:
            return None
        open_ones = [e for e in guess.evidence if e.attribute is not None and e.attribute not in remarked]
        return max(open_ones, key=lambda e: abs(e.log_odds)).attribute if open_ones else None

    def fit_model(self) -> Any:
        """The learner fitted on all labels so far, as a model to save."""
        rows = self.pool.whole() if self.learner.learns_unlabelled else self.pool.labelled_rows()
        with quietly():
            return fresh(self._informed_learner()).fit(rows)
