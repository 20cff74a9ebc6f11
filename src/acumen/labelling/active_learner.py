"""`ActiveLearner`: a learner that chooses the rows whose labels it asks for.

    fit        rows with and without labels -> fitted; with an oracle it asks, learns, and asks again
    ask        which rows it would ask about next
    feedback   what a person says of an attribute
    simulate   the learning curve beside that of random asking, on a table whose labels are hidden

`queries` has the ways of asking, `asking` the loop and the curves. `acumen label` asks a person at the terminal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from acumen.assessment.contestants import fixed_seed
from acumen.assessment.runs import fresh
from acumen.base.attribute_weights import places_of_feedback, weight_of
from acumen.base.inner_learner import Within
from acumen.base.learner import Learner
from acumen.data.memory.reader import declared_labels
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.labelling.pool import LabelPool, plain_label, row_of
from acumen.labelling.queries import Query, committee, objection_to
from acumen.labelling.query_curve import AskedCurve
from acumen.labelling.query_loop import QueryLoop, feedback_of, simulate_queries
from acumen.models.model import AnyModel
from acumen.models.parameters import AtLeast
from acumen.models.predictor import limit_lines
from acumen.models.task import CLASSES
from acumen.rows.intake import as_table, replace_target, row_weights, target_name, training_table
from acumen.rows.labels import encode_labels
from acumen.rows.training_rows import Rows
from acumen.types import MISSING, Array, Floats, Indices, Label


class ActiveLearner(Within):
    """Active learning: a learner that chooses which rows to label next, so that a few labels are enough.

    It asks about rows without a label. With an `oracle`, `fit` asks: it passes the rows most informative by `strategy`
    to the oracle, `batch_size` at a time, fits the learner again, and repeats until it has asked `budget` questions or
    no row is left. Without an oracle it trains on the labels you have, and `ask` returns the rows to label next. You
    can assess and save it like any other learner; a model file holds the inner learner.

    While fewer than two classes are known, rows are drawn at random. Ties are broken at random.

    Parameters
    ----------
    learner : a classifier of acumen
        Not changed: copies of it are fitted.
    strategy : {"uncertainty", "margin", "entropy", "committee", "density"}
        Which rows are most informative: those whose most probable class is improbable; whose two most probable classes
        are nearly equal; with the highest entropy of the classes; on which seven learners fitted to samples of the
        labelled rows disagree; or with the highest entropy times similarity to other rows, which avoids outliers.
    batch_size : int
        The number of rows to ask about before fitting again.
    budget : int, optional
        The largest number of questions. [default: no limit]
    oracle : function, optional
        Receives a row as a mapping of attributes to values and returns its label, or None if unknown; that row is not
        asked about again.
    random_state : int, Generator or None
        Seeds ties between rows, committees, and the splits of `simulate`.

    Attributes
    ----------
    learner_ : the fitted inner learner; `acumen.save(active, path)` saves this one
    asked_ : array of int
        The rows that the oracle was asked about, in that order.
    answers_ : tuple
        Its answers, None if it did not know.
    members_ : list
        With query="committee", the learners that vote in `ask`.

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> truth = {tuple(iris.column(n)[i] for n in iris.schema.names): iris.label_values()[i] for i in range(150)}
    >>> asking = acumen.ActiveLearner(
    ...     acumen.NaiveBayes(), strategy="margin", budget=20, oracle=lambda row: truth[tuple(row.values())],
    ...     random_state=0,
    ... )
    >>> model = asking.fit(iris.select(iris.schema.names), [None] * 150)
    >>> len(model.asked_), model.score(iris) > 0.9
    (20, True)
    """

    kind: ClassVar[str] = "active-learner"
    _required_parameters: ClassVar[list[str]] = ["learner"]

    learner_: Learner
    asked_: Array
    answers_: tuple[Label | None, ...]

    def __init__(
        self,
        learner: Learner,
        *,
        strategy: Query = "uncertainty",
        batch_size: Annotated[int, AtLeast(1)] = 1,
        budget: Annotated[int, AtLeast(0)] | None = None,
        oracle: Callable[..., Any] | None = None,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
    ) -> None:
        self.learner = learner
        self.strategy = strategy
        self.batch_size = batch_size
        self.budget = budget
        self.oracle = oracle
        self.random_state = random_state

    def check_parameters(self) -> None:
        super().check_parameters()
        if not isinstance(self.learner, Learner) or self.learner.task is not CLASSES:
            raise ParameterError(
                f"ActiveLearner: learner must be a classifier of acumen, such as NaiveBayes(); got {self.learner!r}."
            )
        self.learner.check_parameters()

    def object_to(self, schema: Schema) -> None:
        super().object_to(schema)
        if (sentence := objection_to(self.strategy, self.learner)) is not None:
            raise DataError(f"{self._name}: {sentence}")

    @property
    def draws_numbers(self) -> bool:
        """Whether it uses `random_state` for its questions; the inner learner may draw its own numbers."""
        return self.oracle is not None or bool(getattr(self.learner, "random_state", None) is not None)

    # -- learning ---------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit on the rows that have a label, and with an `oracle` ask about others.

        Parameters
        ----------
        X : Table, data frame, array or sparse matrix
        y : array-like, optional
            Labels; None or NaN for rows without. A Table may carry its own. With an `oracle` all may be missing.
        sample_weight : array-like, optional
            Row weights, also of rows that are asked about; one of weight zero is ignored.
        """
        self.check_parameters()
        questions: list[int] = []
        answers: list[Label | None] = []
        if self.oracle is None:
            super().fit(X, y, sample_weight)
        else:
            pool, places = self._pool(X, y, sample_weight)
            self._ask_all(pool, questions, answers)
            super().fit(pool.whole())
            self._remember_names(X, self.predictor_.schema)
            if not self._has_column_names and hasattr(self.learner_, "feature_names_in_"):
                del self.learner_.feature_names_in_
            questions = [int(places[row]) for row in questions]
        self.asked_, self.answers_ = np.array(questions, dtype=np.intp), tuple(answers)
        return self

    def learn(self, rows: Rows) -> tuple[AnyModel, Floats]:
        table = rows.require_local(self._name)
        self.learner_ = fresh(self.learner).fit(table)
        if self.strategy == "committee":
            self.members_ = committee(
                self.learner, table.take(np.flatnonzero(table.known_target())), self._rng()
            )
        return self._taken_over()

    @property
    def _inner(self) -> Learner:
        return self.learner_

    def _pool(self, X: Any, y: Any, sample_weight: Any) -> tuple[LabelPool, Indices]:
        """The rows that count, with known and unknown labels, and their positions among those given."""
        table = as_table(X)
        weights = row_weights(sample_weight, table, self._name)
        places = np.flatnonzero(weights > 0) if weights.size else np.arange(len(table))
        if _some_label(X, y, self._name):
            return LabelPool.of(training_table(X, y, sample_weight, self._name)), places
        if not len(places):
            raise DataError(f"{self._name}: there are no rows to ask about.")
        target = table.schema.target
        if target is None or not target.is_nominal:
            target = Attribute(target_name(y, table.schema), "nominal")
        schema = Schema(table.schema.attributes, target)
        labels = np.full(len(table), MISSING, dtype=np.int32)
        rows = replace_target(table, schema, labels, weights).take(places)
        self.object_to(rows.schema)
        return LabelPool.of(rows), places

    def _ask_all(self, pool: LabelPool, asked: list[int], answers: list[Label | None]) -> None:
        """Ask the oracle, fit, and repeat."""
        assert self.oracle is not None
        asking = QueryLoop(self.learner, self.strategy, pool, self._rng())
        remaining = len(pool.labels) if self.budget is None else int(self.budget)
        while remaining > 0:
            asking.learn()
            rows = asking.next(min(int(self.batch_size), remaining))
            if not rows:
                return
            for row in rows:
                answer = plain_label(self.oracle(row_of(pool.table, row)), self._name)
                asked.append(row)
                answers.append(answer)
                asking.passed.add(row)
                if answer is not None:
                    pool.tell(row, answer)
            remaining -= len(rows)

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(fixed_seed(self.random_state))

    # -- asking -----------------------------------------------------------------------------------

    def ask(self, X: Any, n: int | None = None) -> Indices:
        """Return the positions of the rows of X to label next, the most informative first.

        Parameters
        ----------
        X : Table, data frame, array or sparse matrix
            In a Table with labels, only rows without a label are considered.
        n : int, optional
            The number of rows. [default: `batch_size`]
        """
        wanted = int(self.batch_size) if n is None else n
        if not isinstance(wanted, int) or isinstance(wanted, bool) or wanted < 1:
            raise ParameterError(f"{self._name}: n must be a whole number of at least 1; got {n!r}.")
        predictor = self._require_fitted()
        labelled = X.labels if isinstance(X, Table) else None
        rows = self._query(X)
        pool = LabelPool.of(
            replace_target(rows, predictor.schema, np.full(len(rows), MISSING, dtype=np.int32), rows.weights)
        )
        asking = QueryLoop(self.learner, self.strategy, pool, self._rng())
        if labelled is not None:
            asking.passed |= set(np.flatnonzero(labelled >= 0).tolist())
        members = self.members_ if self.strategy == "committee" else []
        return np.array(asking.with_learner(self.learner_, members).next(wanted), dtype=np.intp)

    # -- what a person says of attributes ---------------------------------------------------------

    def feedback(self, attribute: str, what: Any) -> Self:
        """Set how much an attribute counts: active learning with feedback on the inputs too.

        It changes this learner's `learner` (its parameter `attribute_weights`), which honours it from the next `fit`
        on; NaiveBayes, DecisionTree, Ripper, Additive and KNN do.

        Parameters
        ----------
        attribute : str
        what : "use", "ignore" or number
            "use": it counts twice as much as one without feedback. "ignore": it is left out. A number: its
            weight; 0 is "ignore", and 1 removes the feedback.

        Returns
        -------
        The learner itself.
        """
        if not isinstance(attribute, str):
            raise ParameterError(f"feedback: give the attribute's name; got {attribute!r}.")
        weight_of(what, attribute, "feedback")
        places = places_of_feedback(self.learner)
        if not places:
            raise ParameterError(
                f"feedback: {type(self.learner).__name__} does not accept feedback on attributes; NaiveBayes, "
                "DecisionTree, Ripper, Additive and KNN can, also within other learners."
            )
        if hasattr(self, "predictor_") and attribute not in self.schema_.names:
            raise ParameterError(
                f"feedback: there is no attribute {attribute!r}.{did_you_mean(attribute, self.schema_.names)}"
            )
        parameters = self.learner.get_params(deep=True)
        feedback = {place: {**(parameters[place] or {}), attribute: what} for place in places}
        self.learner = fresh(self.learner).set_params(**feedback)
        return self

    @property
    def feedback_(self) -> dict[str, Any]:
        """Your feedback on attributes, by name."""
        return feedback_of(self.learner)

    # -- rehearsing -------------------------------------------------------------------------------

    def simulate(
        self,
        table: Table,
        *,
        seeds: int = 20,
        start: int | None = None,
        test: float = 0.5,
        measure: str | None = None,
    ) -> AskedCurve:
        """Simulate how much active learning gains over labelling rows at random, on a table with known labels.

        For each seed, acumen holds some rows out. Of the others a few keep their label, and the learner asks about the
        rest, `batch_size` at a time, up to `budget` questions [default: 50]. After each batch acumen computes the
        measure on the held-out rows. Random asking uses the same held-out rows and the same start. If there is
        `feedback`, both are also shown with it.

        Parameters
        ----------
        table : Table with a nominal target
        seeds : int
            The number of repeats, each with different held-out rows and a different start.
        start : int, optional
            The number of rows, drawn at random, that are labelled at the start. [default: one of each class]
        test : float
            The fraction of rows held out.
        measure : str
            Any measure of `assess`. [default: "error"]

        Returns
        -------
        AskedCurve
            `.lines`, `.areas()`, `.lead()` with its interval over the seeds; `.figure()` for drawing; `print` it.
        """
        self.check_parameters()
        if not isinstance(seeds, int) or isinstance(seeds, bool) or seeds < 1:
            raise ParameterError(f"simulate: seeds must be a whole number of at least 1; got {seeds!r}.")
        return simulate_queries(
            self.learner, table, query=self.strategy, batch=int(self.batch_size), budget=self.budget,
            seed=fixed_seed(self.random_state), seeds=seeds, start=start, test=test, measure=measure, who="simulate",
        )  # fmt: skip

    # -- what was learned -------------------------------------------------------------------------

    def describe(self, full: bool = False) -> str:
        """Describe how many questions were asked, and the model: at most 40 lines unless `full`."""
        description = self._require_fitted().describe(full=True)
        known = sum(answer is not None for answer in self.answers_)
        text = f"Active learning by {self.strategy}: {len(self.asked_)} questions, {known} answers\n{description}"
        return text if full else limit_lines(text)

    @property
    def learner_to_save(self) -> Learner:
        """The learner that a model file saves instead of this one; not available before fitting."""
        return self.learner_


def _some_label(X: Any, y: Any, who: str) -> bool:
    """Whether any row has a label; invalid labels are refused elsewhere."""
    if y is None:
        return isinstance(X, Table) and (
            X.response is not None or (X.labels is not None and bool((X.labels >= 0).any()))
        )
    declared = declared_labels(y)
    if declared is not None:
        return declared.codes is None or bool((declared.codes >= 0).any())
    labels = np.asarray(y)
    return labels.ndim != 1 or bool((encode_labels(labels, who)[0] >= 0).any())
