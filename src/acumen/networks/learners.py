"""The public class of Bayesian networks: parameters, documentation and queries."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np

from acumen.base.classifier import Classifier
from acumen.base.fitted_state import FittedState
from acumen.base.modeller import joint_weights
from acumen.base.scikit import ConvergenceWarning
from acumen.data.out.atomic import replace_text
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.engines.cores import limited_to
from acumen.errors import DataError, ParameterError
from acumen.models.decision import log_softmax
from acumen.models.parameters import AtLeast, ClassWeight, Costs, Priors
from acumen.models.predictor import AnyPredictor, JointPredictor, Predictor
from acumen.models.task import JOINT
from acumen.networks.answers import Dirichlet, Distribution, Likeliest, Separation
from acumen.networks.bif import read_bif, write_bif
from acumen.networks.model import BayesNetworkModel, JointNetworkModel
from acumen.networks.network import Network
from acumen.networks.network_text import table_lines
from acumen.networks.nodes import MOST_LEVELS, codes_of, nodes_of, place_of
from acumen.networks.scoring import Score, ScoreParameter
from acumen.networks.structural_em import MOST_STEPS, Edges, structural_em
from acumen.networks.structure_learning import LearnedNetwork, LearningOptions, learn_network
from acumen.preprocessing.discretise.discretisers import (
    Binning,
    Discretiser,
    EntropyMDL,
    EqualFrequency,
    EqualWidth,
)
from acumen.rows.class_order import class_totals
from acumen.rows.training_rows import Rows
from acumen.rows.weights import total_weight
from acumen.types import Array, Codes, Floats


class BayesNetwork(Classifier):
    """Bayesian network: a classifier, or a joint model of all attributes of a table.

    Every attribute has a table of probabilities given its parents in a directed acyclic graph; their product is the
    probability of a row. With a target, the network computes the exact posterior of the class; missing values are
    summed out. Fitted to an unlabelled table, the network models all attributes: `predict` then raises an error,
    while `score_samples`, `query` and the other queries work in both cases.

    Numbers are cut into intervals inside `fit`, so nothing leaks between folds. Text columns and attributes with more
    than 1,000 levels are refused. In training, every family is counted over the rows that have all its values, and
    scored as if all rows were like these; see `missing`.

    Parameters
    ----------
    structure : {"tan", "naive", "chow-liu", "hill-climbing", "tabu"}, or edges
        "tan": the class is a parent of every attribute, and the attributes form a tree; "naive": the class is the only
        parent of every attribute; "chow-liu": the best tree, with the class as one of its nodes; "hill-climbing": add,
        drop and turn edges as long as the score improves; "tabu": the same, but continue through changes that do not
        improve it. Or pairs (parent, child). For an unlabelled table, "tan" is the Chow-Liu tree and "naive" has no
        edges.
    score : {"bic", "bde", "k2", "aic", "mdl"}
        The score that a search maximises, reported as `score_`; equal to bnlearn's to the digit: log-likelihood minus
        p ln(n) / 2 for p free parameters (counted by levels) or, for "bde" and "k2", the log marginal likelihood. "mdl"
        is "bic" minus ln(d) for each edge.
    max_parents : int
        The maximum number of parents in a search, including the class. Given edges are not limited.
    alpha : float
        The prior: a pseudo-count for each cell of every table. With score="bde", the weight in rows of each table's
        prior, spread over its cells, in the score as well as the probabilities. With 0, probabilities are observed
        frequencies, and uniform where there are no rows.
    numeric : {"discretise", "equal-frequency", "equal-width"}
        How numbers are cut. "discretise" uses Fayyad and Irani's rule if there is a class, otherwise `bins` intervals
        of equal frequency.
    bins : int
        The number of intervals, if it does not follow from the class.
    missing : {"available", "em"}
        How to handle missing values in training rows. "available" counts each family over the rows that have all its
        values. "em" completes rows by expectation-maximisation, alternating structure and tables (structural EM),
        until nothing changes; after 100 steps it stops with a warning. It needs rows with few missing values.
    must, must_not : pairs (parent, child)
        Required and forbidden edges.
    tabu_length, patience : int
        With structure="tabu": the number of recent structures to which the search does not return, and the number of
        changes without improvement after which it stops.
    costs, priors, class_weight, n_jobs
        As for NaiveBayes.

    Attributes
    ----------
    edges_ : tuple of pairs (parent, child)
    score_ : float
        The score on the training rows; with missing="em", on their completions.
    network_ : Network
        The network itself.

    Examples
    --------
    >>> import acumen
    >>> X = [["sun", "dry"], ["sun", "dry"], ["rain", "wet"], ["rain", "wet"], ["rain", "dry"]]
    >>> model = acumen.BayesNetwork(structure="naive").fit(X, ["out", "out", "in", "in", "in"])
    >>> model.predict([["sun", "wet"]]).tolist()
    ['out']
    >>> model.query("x0", given={"x1": "dry"})["sun"].__round__(4)
    0.5214
    >>> print(model.independent("x0", "x1", given=["target"]))
    x0 and x1 are independent given target: every path between them is blocked.
    """

    kind: ClassVar[str] = "bayes-network"
    model_type = BayesNetworkModel
    learns_without_target: ClassVar[bool] = True
    #: The parameter, and the method of that name.
    score: Any = ScoreParameter()

    def __init__(
        self,
        *,
        structure: Literal["tan", "naive", "chow-liu", "hill-climbing", "tabu"]
        | tuple[Any, ...]
        | list[Any] = "tan",
        score: Score = "bic",
        max_parents: Annotated[int, AtLeast(0)] = 3,
        alpha: Annotated[float, AtLeast(0)] = 1.0,
        numeric: Literal["discretise", "equal-frequency", "equal-width"] = "discretise",
        bins: Annotated[int, AtLeast(1)] = 4,
        missing: Literal["available", "em"] = "available",
        must: tuple[Any, ...] | list[Any] = (),
        must_not: tuple[Any, ...] | list[Any] = (),
        tabu_length: Annotated[int, AtLeast(1)] = 10,
        patience: Annotated[int, AtLeast(1)] = 10,
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.structure = structure
        self.score = score
        self.max_parents = max_parents
        self.alpha = alpha
        self.numeric = numeric
        self.bins = bins
        self.missing = missing
        self.must = must
        self.must_not = must_not
        self.tabu_length = tabu_length
        self.patience = patience
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name."""
        parameters: dict[str, Any] = super().get_params(deep)
        return parameters | {"score": self.__dict__["score"]}

    # -- capabilities -----------------------------------------------------------------------------

    def objection(self, schema: Schema) -> str | None:
        if schema.text:
            return f"networks cannot use text; leave out the text column {schema.text[0].name!r}."
        many = [a for a in (*schema.nominal, schema.target) if a is not None and len(a.levels) > MOST_LEVELS]
        if many:
            return (
                f"{many[0].name!r} has {len(many[0].levels):,} levels, and a network's tables grow with the product "
                f"of levels; leave it out, or merge levels until there are at most {MOST_LEVELS:,}."
            )
        return None

    def memory(self, rows: int, schema: Schema) -> int | None:
        nodes = len(schema) + 1
        pairs = {"tan": 14, "chow-liu": 14, "hill-climbing": 80, "tabu": 80}
        structure = self.structure if isinstance(self.structure, str) else ""
        return 24 * rows * nodes + pairs.get(structure, 4) * nodes * nodes

    @property
    def constant_sensitive(self) -> bool:
        """Whether a constant column may change predictions: the score "mdl" counts columns."""
        return self.__dict__["score"] == "mdl"

    # -- learning ---------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the network; for an unlabelled table, as a model of all attributes.

        Parameters
        ----------
        X : Table, data frame, array or sparse matrix
            A Table may carry its target.
        y : array-like, optional
            The class of each row, or a matrix of class probabilities. Without it, and unless X is a Table with a
            target, the network models the columns of X.
        sample_weight : array-like, optional
            Row weights of at least 0; whole weights are counts of rows, any others are relative.
        """
        self.__dict__.pop("task", None)
        if y is None and not (isinstance(X, Table) and X.schema.target is not None):
            self._without_target()
        return super().fit(X, y, sample_weight)

    def _without_target(self) -> None:
        for name in ("costs", "priors", "class_weight"):
            if getattr(self, name) is not None:
                raise ParameterError(f"{self._name}: {name} needs classes, and this table has no target.")
        self.__dict__["task"] = JOINT  # of this fit; the class itself is a classifier
        self.__dict__.pop("classes_", None)

    def learn(self, rows: Rows) -> tuple[Any, Floats]:
        table = rows.require_local(self._name)
        binning = self._cutter(table).fit(table) if table.schema.numeric else Binning(())
        nodes = nodes_of(table.schema, binning)
        codes = codes_of(table, nodes)
        wish = self._wish(None if table.schema.target is None else len(nodes) - 1)

        def network_of(codes: Codes, weights: Floats, kept: Edges | None = None) -> LearnedNetwork:
            return learn_network(
                codes, nodes, weights, wish if kept is None else replace(wish, structure=kept)
            )

        fitted = network_of(codes, table.weights)
        self.log_likelihoods_ = np.empty(0)
        if self.missing == "em":
            fitted, logs, settled = structural_em(fitted, codes, table.weights, network_of, self._name)
            self.log_likelihoods_ = np.array(logs)
            if not settled:
                warnings.warn(
                    f"{self._name}: the EM algorithm for missing values did not converge in {MOST_STEPS} steps; the "
                    f"log-likelihood still changed by {abs(logs[-1] - logs[-2]):.2g}. A larger alpha speeds it up.",
                    ConvergenceWarning,
                    stacklevel=4,
                )
        self.n_iter_ = max(fitted.steps, 1)
        if table.schema.target is None:
            joint_model: Any = JointNetworkModel(fitted.network, binning, fitted.score)
            return joint_model, np.array([total_weight(table.row_weights)])
        return BayesNetworkModel(fitted.network, binning, fitted.score), class_totals([table])

    def _cutter(self, table: Table) -> Discretiser:
        if self.numeric == "equal-width":
            return EqualWidth(int(self.bins))
        if self.numeric == "discretise" and table.schema.target is not None:
            return EntropyMDL()
        return EqualFrequency(int(self.bins))

    def _wish(self, target: int | None) -> LearningOptions:
        return LearningOptions(
            structure=self.structure,
            score=self.__dict__["score"],
            max_parents=int(self.max_parents),
            alpha=float(self.alpha),
            must=self.must,
            must_not=self.must_not,
            target=target,
            tabu_length=int(self.tabu_length),
            patience=int(self.patience),
            who=self._name,
        )

    def settle(self, schema: Schema, model: Any, totals: Floats, rows: int) -> None:
        if self.task is JOINT:
            FittedState.settle(self, schema, model, totals, rows)
        else:
            super().settle(schema, model, totals, rows)

    def restore_state(self, predictor: AnyPredictor, training: Mapping[str, Any]) -> None:
        super().restore_state(predictor, training)
        if predictor.task is JOINT:
            self._without_target()

    # -- predicting -------------------------------------------------------------------------------

    def predict(self, X: Any) -> Array:
        """The most probable class of each row or, with `costs`, the class with the lowest expected cost."""
        self._need_classes("predict")
        classes: Array = super().predict(X)
        return classes

    def predict_proba(self, X: Any) -> Floats:
        """P(class | known values of the row): one line per row, one column for each of `classes_`."""
        self._need_classes("predict_proba")
        predictor, rows = self._require_fitted(), self._query(X)
        with limited_to(self.jobs):
            return predictor.proba(rows)

    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithm of `predict_proba`."""
        self._need_classes("predict_log_proba")
        return log_softmax(self._scores(X))

    def _need_classes(self, who: str) -> None:
        if isinstance(self._require_fitted(), JointPredictor):
            raise DataError(
                f"{self._name}: it was fitted to an unlabelled table, so {who} has no classes; use score_samples or "
                "query, or fit with a target."
            )

    def score_samples(self, X: Any) -> Floats:
        """log P(known values of the row) of each row, with the class summed out."""
        predictor: Any = self._require_fitted()
        rows = self._query(X)
        with limited_to(self.jobs):
            if predictor.task is JOINT:
                logs: Floats = predictor.predict(rows)
                return logs
            model: BayesNetworkModel = predictor.model
            return np.asarray(np.logaddexp.reduce(model.scores(rows) + model.common(rows)[:, None], axis=1))

    def _score_rows(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Accuracy on labelled rows; for an unlabelled table, the mean log probability of a row."""
        if not isinstance(self._require_fitted(), JointPredictor):
            return float(Classifier.score(self, X, y, sample_weight))
        weights = joint_weights(X, sample_weight, self._name)
        return float(np.average(self.score_samples(X), weights=weights))

    def log_likelihood(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The log-likelihood of rows and their classes; of rows alone if there is no target."""
        if not isinstance(self._require_fitted(), JointPredictor):
            return float(super().log_likelihood(X, y, sample_weight))
        return float(np.dot(self.score_samples(X), joint_weights(X, sample_weight, self._name)))

    # -- queries ----------------------------------------------------------------------------------

    @property
    def network_(self) -> Network:
        """The network itself."""
        fitted: Any = self._require_fitted()
        network: Network = fitted.model.network
        return network

    @property
    def edges_(self) -> tuple[tuple[str, str], ...]:
        """(parent, child) of every edge."""
        return self.network_.edges

    @property
    def score_(self) -> float:
        """The score of the structure on the training rows; NaN if the network was read from a file."""
        fitted: Any = self._require_fitted()
        score = float(fitted.model.score)
        return score if np.isfinite(score) else float("nan")

    @property
    def structure_(self) -> str:
        """The structure as bnlearn writes it: `[A][S][T|A]`."""
        return self.network_.notation

    def query(self, target: Any, given: Mapping[str, Any] | None = None) -> Distribution:
        """The exact distribution of an attribute (or of several together) given values of others.

        Parameters
        ----------
        target : str or sequence of str
        given : mapping of attributes to values
            Levels; for a numeric attribute a number, or the name of an interval. None or NaN: unknown.
        """
        return self.network_.query(target, given)

    def most_likely(self, given: Mapping[str, Any] | None = None) -> Likeliest:
        """The jointly most likely values of all attributes, given some."""
        return self.network_.most_likely(given)

    def sample(self, n: int, random_state: Any = None) -> Table:
        """A Table of n rows drawn from the network, including the target if there is one."""
        target = self.schema_.target
        return self.network_.sample(n, random_state, None if target is None else target.name)

    def independent(self, first: str, second: str, given: Any = ()) -> Separation:
        """Whether two attributes are d-separated given others; if not, the path along which they depend.

        Only the structure counts: the tables may make attributes independent that the structure does not separate.
        """
        return self.network_.independent(first, second, given)

    def markov_blanket(self, name: str) -> tuple[str, ...]:
        """Parents, children and the children's other parents: given these, no other attribute matters."""
        return self.network_.markov_blanket(name)

    def do(self, values: Mapping[str, Any] | None = None, **named: Any) -> Network:
        """The network after an intervention, which sets attributes from outside; `query` and `sample` it.

        The answers are only as causal as the structure: in a structure learned from rows, edge directions are mostly
        arbitrary.
        """
        return self.network_.do(values, **named)

    def posterior(self, name: str) -> Dirichlet:
        """The Dirichlet posteriors of one attribute's probabilities: means, standard deviations, intervals."""
        return self.network_.posterior(name)

    def table(self, name: str) -> str:
        """The probability table of one attribute, as text."""
        net = self.network_
        return "\n".join(table_lines(net, place_of(net.nodes, name, "table"), full=True))

    # -- BIF files --------------------------------------------------------------------------------

    @classmethod
    def from_bif(cls, source: str | PathLike[str], target: str | None = None) -> Self:
        """Read a network from a BIF file, or from its text; with a target it is a classifier.

        Errors name the line of the file. Nothing in the file is executed.
        """
        read = read_bif(source)
        order = list(range(len(read.nodes)))
        if target is not None:
            place = place_of(read.nodes, target, "from_bif")
            order = [v for v in order if v != place] + [place]
        network = _reorder_nodes(read, order)
        attributes = tuple(Attribute(node.name, "nominal", node.levels) for node in network.nodes)
        schema = Schema(attributes) if target is None else Schema(attributes[:-1], attributes[-1])
        learner = cls(structure=network.edges)
        if target is None:
            predictor: AnyPredictor = JointPredictor(schema, JointNetworkModel(network, Binning(()), -np.inf))
        else:
            predictor = Predictor(schema, BayesNetworkModel(network, Binning(()), -np.inf))
        learner.restore_state(predictor, {"rows": 0, "weight": 0.0})
        return learner

    def to_bif(self, path: str | PathLike[str] | None = None) -> str:
        """The network as BIF text, numbers as intervals; also written to `path` if given."""
        text = write_bif(self.network_)
        if path is not None:
            replace_text(path, text, "to_bif")
        return text


def _reorder_nodes(network: Network, order: list[int]) -> Network:
    """The same network with its nodes in another order."""
    place = {v: i for i, v in enumerate(order)}
    return Network(
        tuple(network.nodes[v] for v in order),
        tuple(tuple(place[u] for u in network.parents[v]) for v in order),
        tuple(network.tables[v] for v in order),
        tuple(network.strengths[v] for v in order),
    )
