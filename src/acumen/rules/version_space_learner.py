"""Version space learner."""

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

    One class is positive, all others are negative. The hypotheses vote: P(positive) is the fraction of them that
    cover a row, and with more than two classes the others share the rest by their frequencies. Examples may arrive
    one by one (`partial_fit`). One wrong label can empty the space. That is a state, not an error: `size_` is 0,
    `contradictions_` lists contradicting rows, and every row gets the class frequencies.

    A nominal attribute is tested for its value, a numeric one for the shortest interval that holds all positives'
    numbers. A missing value satisfies only "?". Texts cannot be tested.

    Parameters
    ----------
    positive : label, optional
        The class that hypotheses must cover. Default: the first row's class.
    language : {"conjunction", "internal-disjunction", "attribute-equality", "dnf", "single-test-dnf", "cnf"}
        The form of hypotheses: a test or "?" per attribute; tests that may allow several levels; sets of attributes
        with equal values; one conjunction for each positive, joined by "or"; the same, with each disjunct the whole
        positive or one of its tests; or conjunctions of any clauses, which is every function. Disjunctions test
        whether a number equals an example's. The document with the fourth form calls it CNF.

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
        """Learn from more rows as if they had been present from the start.

        Classes need not be known in advance: later rows may introduce new classes and new levels.
        """
        if y is not None and classes is None:
            labels = np.asarray(y, dtype=object).ravel().tolist()
            new_classes = list(dict.fromkeys(each for each in labels if each is not None and each == each))
            if self.begins():
                classes = new_classes or None
            elif new := [each for each in new_classes if each not in self._require_fitted().schema.classes]:
                self._bring(new)
        learner: Self = super().partial_fit(X, y, classes, sample_weight)
        return learner

    def _bring(self, new: list[Label]) -> None:
        """Add further classes: the same examples under a target that includes them."""
        predictor, held = self._require_fitted(), self.summary_
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
        model = self._require_fitted().model
        assert isinstance(model, VersionSpaceModel)
        return model

    @property
    def positive_(self) -> Any:
        """The positive class."""
        return self._space.label

    @property
    def specific_(self) -> tuple[Hypothesis, ...]:
        """The most specific hypotheses: one, or none if the space is empty."""
        return self._space.specific

    @property
    def general_(self) -> tuple[Hypothesis, ...]:
        """The most general hypotheses; raises TooManyToHold, a DataError, if there are too many."""
        general = self._space.general
        if general is None:
            raise self._too_many("general_ has too many hypotheses to list; size_ and votes do not need them")
        return general

    @property
    def hypotheses_(self) -> Iterator[Hypothesis]:
        """All hypotheses, computed one by one as you iterate."""
        space = self._space.space
        try:
            yield from () if space.empty else (hypothesis for hypothesis, _ in space.nodes())
        except TooManyHypotheses:
            raise self._too_many("hypotheses_ are too many to list; see specific_ and general_") from None

    def _too_many(self, what: str) -> TooManyToHold:
        return TooManyToHold(f"{self._name}: {what}, or give more examples.")

    @property
    def size_(self) -> int | Bounds:
        """The number of hypotheses, counted without listing them: a whole number, or Bounds (low, high).

        Exact for at most 25 literals that all positives satisfy, or 25 negatives, and often beyond; for disjunctions
        up to 20,000 functions.
        """
        bounds = self._space.count
        return bounds.low if bounds.exact else bounds

    @property
    def find_s_(self) -> Hypothesis:
        """Find-S: the most specific hypothesis that covers all positives, ignoring negatives."""
        return self._space.space.most_specific

    @property
    def contradictions_(self) -> tuple[Contradiction, ...]:
        """For an empty space, which rows contradict each other, for at most ten negatives; else empty."""
        return self._space.contradictions

    # -- asking it --------------------------------------------------------------------------------

    def votes(self, X: Any) -> list[Vote]:
        """How many hypotheses cover each row, and their fraction."""
        return self._space.votes(self._query(X))

    def vote(self, row: Any) -> Vote:
        """The vote for one row: a mapping, a sequence, or a table of one row."""
        predictor = self._require_fitted()
        return self._space.votes(one_row(row, predictor.schema, self._has_column_names, self._name))[0]

    def next_question(self, pool: Any = None) -> questions.Question | None:
        """The most informative row: the one whose vote is closest to one half.

        Ties go to the row that differs from the earliest positive in the fewest attributes, then to the first. None
        if all hypotheses agree on every row, or there is no hypothesis.

        Parameters
        ----------
        pool : Table, frame or array, optional
            Rows to choose from. Default: all rows that nominal attributes can form.
        """
        rows = self._pool(pool, "next_question")
        return questions.next_question(self._space, rows, rows if pool is None else as_table(pool))

    def languages(self, pool: Any = None) -> questions.LanguageReport:
        """How each hypothesis language changes the size of the space and the number of rows its hypotheses disagree
        on.

        Parameters
        ----------
        pool : Table, frame or array, optional
            Rows to vote on. Default: all rows that nominal attributes can form.
        """
        return questions.languages(self._space, self._pool(pool, "languages"))

    def _pool(self, pool: Any, method: str) -> Table:
        schema = self._require_fitted().schema
        if pool is None:
            return questions.every_row(schema, f"{self._name}.{method}")
        return query_table(pool, schema, self._has_column_names, self._name)

    def performance(
        self, hypothesis: Any, X: Any = None, y: Any = None, sample_weight: Any = None
    ) -> Performance:
        """P(h) of any hypothesis: the fraction of rows it classifies correctly, and of positives among those it covers.

        Parameters
        ----------
        hypothesis : Hypothesis, cells, mapping, conditions, rule, text, function or array
            `("?", "?", "N")` with one cell for each attribute (sets for several levels, pairs for intervals),
            `{"date": "october"}`, Conditions, a Rule, `"date = october and precip = gt-norm"`, a function from a
            Table to truth values, or these.
        X, y, sample_weight : optional
            Labelled rows. Default: the training rows.
        """
        model, schema = self._space, self._require_fitted().schema
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
