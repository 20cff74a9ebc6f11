"""The face of version spaces: VersionSpace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from acumen.base.classifier import Classifier
from acumen.base.training import Training
from acumen.data.align import align
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, TooManyToHold
from acumen.models.parameters import Described
from acumen.rows.intake import as_table, one_row, query_table, training_table
from acumen.rules import examples, questions, version_space
from acumen.rules.conjunction_spaces import Vote
from acumen.rules.hitting_sets import Bounds, TooManyHypotheses
from acumen.rules.hypothesis import Hypothesis, Performance, covered_by, performance_of
from acumen.rules.version_space import Contradiction, VersionSpaceModel, space_of
from acumen.types import Label


class VersionSpace(Classifier):
    """Keep every hypothesis that agrees with all examples (candidate elimination; Mitchell 1982).

    One class is positive, all others negative. Of a row the hypotheses vote: P(positive) is the share of them that
    cover it, and of more than two classes the others divide the rest by their frequencies. Examples may come one by one
    (`partial_fit`). One wrong label can empty the space, which is a state and no error: `size_` is 0, `contradictions_`
    tells which rows contradict which, and every row is answered with the class frequencies.

    A nominal attribute is tested for its value, a numeric one for the shortest interval that holds all positives'
    numbers; a missing value passes "?" alone. Texts cannot be tested.

    Parameters
    ----------
    positive : label, optional
        The class that hypotheses are to cover; the first row's unless given.
    language : {"conjunction", "internal-disjunction", "attribute-equality", "dnf", "single-test-dnf", "cnf"}
        What hypotheses are: a test or "?" for each attribute; tests that may allow several levels; sets of attributes
        that have the same value; one conjunction for each positive, joined by "or"; the same, each being the whole
        positive or one of its tests; or conjunctions of any clauses, which is every function. Disjunctions test numbers
        for being an example's own. The document that has the fourth form calls it CNF.

    Examples
    --------
    >>> import acumen
    >>> table = [["Y", "Y", "Y"], ["Y", "N", "N"]]
    >>> space = acumen.VersionSpace().fit(table, ["C1", "C1"])
    >>> [str(h) for h in space.hypotheses_]
    ['(Y, ?, ?)', '(?, ?, ?)']
    >>> print(space.vote(["Y", "Y", "N"]))
    covered by 2 of 2 hypotheses (100 %)
    """

    kind: ClassVar[str] = "version-space"
    model_type = VersionSpaceModel
    poor_score: ClassVar[bool] = (
        True  # no hypothesis agrees with noise, and then it says how frequent classes are
    )
    learns_one_class: ClassVar[bool] = True

    summarise = staticmethod(examples.summarise)
    solve = staticmethod(version_space.solve)
    restore_summary = staticmethod(examples.restore_summary)

    def __init__(
        self,
        *,
        positive: Annotated[Any, Described("a class, or None")] = None,
        language: version_space.Language = "conjunction",
    ) -> None:
        self.positive = positive
        self.language = language

    # -- before learning --------------------------------------------------------------------------

    def objection(self, schema: Schema) -> str | None:
        if schema.text:
            return (
                f"hypotheses test values and numbers, but {schema.text[0].name!r} is text; leave it "
                "out, or read it as nominal."
            )
        return None

    def reason_to_skip(self, table: Table) -> str | None:
        if table.labels is None or not len(table):
            return None
        known = table.take(np.flatnonzero(table.labels >= 0))
        if not len(known) or known.labels is None or table.schema.text:
            return None
        code = version_space.positive_code(table.schema, self.positive, int(known.labels[0]))
        try:
            empty = space_of(self.language, table.schema, known, known.labels == code).empty
        except DataError as error:
            return str(error).partition(": ")[2]
        if empty:
            return "no hypothesis of its language agrees with all rows, so it would only predict class frequencies."
        return None

    def memory(self, rows: int, schema: Schema) -> int | None:
        # Rows as keys of whole numbers, sorted; then bits of the literals they pass.
        return 40 * rows * (len(schema.numeric) + len(schema.nominal) + 2)

    # -- example by example -----------------------------------------------------------------------

    def partial_fit(  # type: ignore[override]  # as Classifier has it
        self, X: Any, y: Any = None, classes: Sequence[Label] | None = None, sample_weight: Any = None
    ) -> Self:
        """Learn from further rows as if they had been there from the start.

        Classes need not be known beforehand: later rows may bring new ones, as they may bring new levels.
        """
        if y is not None and classes is None:
            labels = np.asarray(y, dtype=object).ravel().tolist()
            new_classes = list(dict.fromkeys(each for each in labels if each is not None and each == each))
            if self.begins():
                classes = new_classes or None
            elif new := [each for each in new_classes if each not in self._fitted().schema.classes]:
                self._bring(new)
        learner: Self = super().partial_fit(X, y, classes, sample_weight)
        return learner

    def _bring(self, new: list[Label]) -> None:
        """Make room for further classes: the same examples under a target that has them too."""
        predictor, held = self._fitted(), self.summary_
        target = predictor.schema.target
        assert target is not None
        schema = Schema(predictor.schema.attributes, target.with_levels((*target.levels, *new)))
        rows = examples.table_of(schema, held.numbers, held.codes, held.labels, held.weights)
        training = Training(self, schema, rows, weighing=self.weighing_of(rows))
        self.plan_, self.weighing_ = training.plan, training.weighing
        self.summary_ = replace(training.summary, first=held.first, rows=held.rows)
        self.settle(schema, training.model, training.totals, int(self.training_["rows"]))
        self.remember(predictor.seen)

    # -- the space --------------------------------------------------------------------------------

    @property
    def _space(self) -> VersionSpaceModel:
        model = self._fitted().model
        assert isinstance(model, VersionSpaceModel)
        return model

    @property
    def positive_(self) -> Any:
        """The positive class."""
        return self._space.label

    @property
    def specific_(self) -> tuple[Hypothesis, ...]:
        """The most specific hypotheses: one, or none where the space is empty."""
        return self._space.specific

    @property
    def general_(self) -> tuple[Hypothesis, ...]:
        """The most general hypotheses; TooManyToHold, a DataError, where they are too many."""
        general = self._space.general
        if general is None:
            raise self._too_many("general_ has too many hypotheses to list; size_ and votes do not need them")
        return general

    @property
    def hypotheses_(self) -> Iterator[Hypothesis]:
        """All hypotheses, made one after the other as they are asked for."""
        space = self._space.space
        try:
            yield from () if space.empty else (hypothesis for hypothesis, _ in space.nodes())
        except TooManyHypotheses:
            raise self._too_many("hypotheses_ are too many to list; see specific_ and general_") from None

    def _too_many(self, what: str) -> TooManyToHold:
        return TooManyToHold(f"{self._name}: {what}, or give more examples.")

    @property
    def size_(self) -> int | Bounds:
        """How many hypotheses there are, counted without listing them: a whole number, or Bounds (low, high).

        Exact while the literals that all positives pass, or the negatives, number at most 25, and often beyond; of
        disjunctions while there are at most 20,000 functions.
        """
        bounds = self._space.count
        return bounds.low if bounds.exact else bounds

    @property
    def find_s_(self) -> Hypothesis:
        """Find-S: the most specific hypothesis that covers all positives; whether it covers negatives is not asked."""
        return self._space.space.most_specific

    @property
    def contradictions_(self) -> tuple[Contradiction, ...]:
        """Of an empty space which rows contradict which, for at most ten negatives; nothing where it is not empty."""
        return self._space.contradictions

    # -- asking it --------------------------------------------------------------------------------

    def votes(self, X: Any) -> list[Vote]:
        """How many hypotheses cover each row, and their share."""
        return self._space.votes(self._query(X))

    def vote(self, row: Any) -> Vote:
        """The same for one row: a mapping, a sequence, or a table of one row."""
        predictor = self._fitted()
        return self._space.votes(one_row(row, predictor.schema, self._named, self._name))[0]

    def next_question(self, pool: Any = None) -> questions.Question | None:
        """The row whose class would teach most: its vote is nearest to one half.

        Of rows equally near, the one that differs from the earliest positive in the fewest attributes, then the
        first. None where all hypotheses agree on every row, or there is no hypothesis.

        Parameters
        ----------
        pool : Table, frame or array, optional
            Rows to choose from; without it all rows that nominal attributes can make.
        """
        rows = self._pool(pool, "next_question")
        return questions.next_question(self._space, rows, rows if pool is None else as_table(pool))

    def languages(self, pool: Any = None) -> questions.LanguageReport:
        """How the language changes the size of the space, and on how many rows its hypotheses disagree.

        Parameters
        ----------
        pool : Table, frame or array, optional
            Rows to vote on; without it all rows that nominal attributes can make.
        """
        return questions.languages(self._space, self._pool(pool, "languages"))

    def _pool(self, pool: Any, method: str) -> Table:
        schema = self._fitted().schema
        if pool is None:
            return questions.every_row(schema, f"{self._name}.{method}")
        return query_table(pool, schema, self._named, self._name)

    def performance(
        self, hypothesis: Any, X: Any = None, y: Any = None, sample_weight: Any = None
    ) -> Performance:
        """P(h) of any hypothesis: the share of rows it is right about, and of positives among those it covers.

        Parameters
        ----------
        hypothesis : Hypothesis, cells, mapping, conditions, rule, text, function or array
            `("?", "?", "N")` with one cell for each attribute (sets for several levels, pairs for intervals),
            `{"date": "october"}`, Conditions, a Rule, `"date = october and precip = gt-norm"`, a function from a
            Table to truth values, or these.
        X, y, sample_weight : optional
            Labelled rows; those learned from unless given.
        """
        model, schema = self._space, self._fitted().schema
        if X is None:
            rows = model.examples
        else:
            rows = training_table(
                X,
                y,
                sample_weight,
                self._name,
                None if isinstance(X, Table) and y is None else schema.classes,
            )
            rows = align(rows, schema)
        rows = rows.take(np.flatnonzero(rows.class_codes >= 0))
        positive = np.asarray(rows.class_codes == model.positive)
        return performance_of(covered_by(hypothesis, rows, schema), positive, rows.row_weights)
