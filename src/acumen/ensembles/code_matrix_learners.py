"""Learners that solve several classes through two-class problems: parameters and documentation."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from acumen.base.classifier import Classifier
from acumen.base.learner import Learner
from acumen.data.table import Table
from acumen.ensembles.code_matrix import (
    CodedModel,
    OneVsOneModel,
    OneVsRestModel,
    OutputCodesModel,
    copy_learner,
    rows_of,
)
from acumen.ensembles.members import OfOneLearner
from acumen.errors import DataError
from acumen.models.class_codes import Decoding, exhaustive, one_vs_one, one_vs_rest, random_code
from acumen.models.model import Model
from acumen.models.parameters import AtLeast, ClassWeight, Described, OfLearner
from acumen.rows.intake import replace_target
from acumen.rows.training_rows import Rows
from acumen.types import Bools, Codes, Floats

Inner = Annotated[Any, OfLearner("a classifier of acumen or of scikit-learn, or None")]


class _Coded(OfOneLearner, Classifier):
    """Several classes through two-class learners: a code matrix puts each class on one side of each problem."""

    decoding: Any
    n_jobs: Any
    model_type: ClassVar[type[CodedModel]]

    @abstractmethod
    def _code(self, k: int) -> Floats:
        """The code matrix for k classes."""

    def in_units(self, table: Table) -> Table:
        """The rows with weights as given; the inner learner interprets them in each problem."""
        return table

    def reason_to_skip(self, table: Table) -> str | None:
        if table.schema.n_classes > 2:
            return None
        return "with two classes there is only one problem, which the inner learner solves by itself."

    @property
    def interpretable(self) -> bool:
        """Whether a person can read the model: no, it decodes the votes of several."""
        return False

    def learn(self, rows: Rows) -> tuple[Model, Floats]:
        table = rows.require_local(self._name)
        inner = self._inner
        totals: Floats = np.bincount(table.class_codes, table.row_weights, table.schema.n_classes).astype(
            np.float64
        )
        places: Codes = np.flatnonzero(totals > 0).astype(np.int32)
        classes = [table.schema.classes[place] for place in places.tolist()]
        code = self._code(len(places))
        of_place = np.full(table.schema.n_classes, -1, dtype=np.int32)
        of_place[places] = np.arange(len(places), dtype=np.int32)
        seen_rows = replace_target(table, table.schema, of_place[table.class_codes], table.weights)
        code_facts = {
            "code": code,
            "places": places,
            "n_classes": table.schema.n_classes,
            "how": self.decoding,
        }
        copy_learner(inner, None, self._name)  # what cannot be a member is refused though there be no problem
        fitted: list[Learner] = []
        for j in range(code.shape[1]):
            member = copy_learner(inner, self.n_jobs, self._name)
            try:
                fitted.append(member.fit(rows_of(seen_rows, code, classes, j)))
            except DataError as error:
                raise DataError(f"{self._name}: problem {j + 1} could not be fitted: {error}") from error
        model = self.model_type(**code_facts, members=tuple(m.predictor_.model for m in fitted))
        self.learners_: list[Any] = [getattr(member, "estimator_", member) for member in fitted]
        return model, totals

    @property
    def code_(self) -> Floats:
        """The code matrix: one line per class that had rows, one column per problem."""
        return self._coded_model.code

    def ambiguous(self, X: Any) -> Bools:
        """Rows that are decided by decoding only: no class claims them, several do, or votes are tied."""
        rows = self._query(X)
        return self._coded_model.ambiguous(rows)

    @property
    def _coded_model(self) -> CodedModel:
        model = self._require_fitted().model
        assert isinstance(model, CodedModel)
        return model


class OneVsRest(_Coded):
    """Classify K classes with K two-class learners, each separating one class from the rest.

    Parameters
    ----------
    learner : classifier, optional
        Solves each problem: any acumen classifier, or one from scikit-learn (which gets nominal attributes as 0/1
        columns, and whose models cannot be saved). Default: Logistic().
    decoding : {"score", "vote", "hamming", "loss"}
        How a row gets its class: the largest score; the most problems won; the fewest problems that disagree with the
        class; the lowest logistic loss of the scores.
    class_weight, n_jobs
        As for NaiveBayes.

    Attributes
    ----------
    learners_ : list
        The fitted learner of each problem.
    code_ : array
        Classes by problems: +1 and -1 are the sides, 0 is not in the problem.

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> model = acumen.OneVsRest(acumen.NaiveBayes()).fit(iris)
    >>> len(model.learners_), int(model.ambiguous(iris).sum())
    (3, 15)
    """

    kind: ClassVar[str] = "one-vs-rest"
    model_type = OneVsRestModel

    def __init__(
        self,
        learner: Inner = None,
        *,
        decoding: Decoding = "score",
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.decoding = decoding
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def _code(self, k: int) -> Floats:
        return one_vs_rest(k)


class OneVsOne(_Coded):
    """Classify K classes with K (K - 1) / 2 two-class learners, one for each pair of classes.

    Parameters
    ----------
    learner : classifier, optional
        As for OneVsRest.
    decoding : {"vote", "score", "hamming", "loss"}
        As for OneVsRest.
    class_weight, n_jobs
        As for NaiveBayes.

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> round(acumen.OneVsOne(acumen.NaiveBayes()).fit(iris).score(iris), 4)
    0.96
    """

    kind: ClassVar[str] = "one-vs-one"
    model_type = OneVsOneModel

    def __init__(
        self,
        learner: Inner = None,
        *,
        decoding: Decoding = "vote",
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.decoding = decoding
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def _code(self, k: int) -> Floats:
        return one_vs_one(k)


class OutputCodes(_Coded):
    """Classify K classes with error-correcting output codes: two-class learners that split the classes in many ways.

    Parameters
    ----------
    learner : classifier, optional
        As for OneVsRest.
    code : {"random", "exhaustive"}
        Random splits, the best separated of a hundred tries; or every split, for up to 8 classes.
    length : int, optional
        The number of problems of a random code, never more than there are splits. Default: 10 log2(K), rounded up.
    decoding : {"loss", "hamming", "score", "vote"}
        As for OneVsRest.
    random_state : seed or Generator, optional
        Seed for random codes.
    class_weight, n_jobs
        As for NaiveBayes.

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> model = acumen.OutputCodes(acumen.FullBayes(), code="exhaustive").fit(iris)
    >>> model.code_.astype(int).tolist()
    [[1, 1, 1], [-1, -1, 1], [-1, 1, -1]]
    """

    kind: ClassVar[str] = "output-codes"
    model_type = OutputCodesModel

    def __init__(
        self,
        learner: Inner = None,
        *,
        code: Literal["random", "exhaustive"] = "random",
        length: Annotated[int, AtLeast(1)] | None = None,
        decoding: Decoding = "loss",
        random_state: Annotated[Any, Described("a whole number, a random generator, or None")] = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.code = code
        self.length = length
        self.decoding = decoding
        self.random_state = random_state
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    @property
    def draws_numbers(self) -> bool:
        """Whether it uses `random_state`: only random codes do."""
        return self.code == "random"

    def _code(self, k: int) -> Floats:
        if self.code == "exhaustive":
            return exhaustive(k)
        length = int(np.ceil(10 * np.log2(max(k, 2)))) if self.length is None else int(self.length)
        return random_code(k, length, np.random.default_rng(self.random_state))
