"""The face of Bayesian networks: parameters, documentation, and what can be asked of one."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np

from acumen.base.classifier import Classifier
from acumen.base.fitted_state import Taught
from acumen.base.modeller import joint_weights
from acumen.base.scikit import ConvergenceWarning
from acumen.data.out.atomic import replace_text
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.engines.cores import limited_to
from acumen.errors import DataError, ParameterError
from acumen.models.decision import log_normalised
from acumen.models.parameters import AtLeast, ClassWeight, Costs, Priors
from acumen.models.predictor import AnyPredictor, JointPredictor, Predictor
from acumen.models.task import JOINT
from acumen.networks.answers import Dirichlet, Distribution, Likeliest, Separation
from acumen.networks.bif import read_bif, write_bif
from acumen.networks.completion import MOST_STEPS, Edges, structural_em
from acumen.networks.learn import Learned, Wish, learned
from acumen.networks.model import BayesNetworkModel, JointNetworkModel
from acumen.networks.network import Network
from acumen.networks.nodes import MOST_LEVELS, codes_of, nodes_of, place_of
from acumen.networks.score_parameter import ScoreParameter
from acumen.networks.scoring import Score
from acumen.networks.words import table_lines
from acumen.preprocessing.discretise import Binning, Discretiser, EntropyMDL, EqualFrequency, EqualWidth
from acumen.rows.class_totals import class_totals
from acumen.rows.weights import total_weight
from acumen.types import Array, Codes, Floats


class BayesNetwork(Classifier):
    """Classify by a network of dependences, or model all attributes of a table with one.

    Every attribute has a table of probabilities given its parents in a directed graph without circles; their product is
    the probability of a row. With a target the posterior of the class is given, exactly: what a row does not know is
    summed out. Without one (`fit(table)` of a table without a target) the network is a model of all attributes, and
    `predict` has nothing to say; `score_samples`, `query` and all below answer in both.

    Numbers are cut into intervals, inside `fit`, so that folds stay apart. Text is refused, and attributes of more than
    1,000 levels. In training every family is counted over the rows that know all of it, and judged as if all rows had
    been like them; see `missing`.

    Parameters
    ----------
    structure : {"tan", "naive", "chow-liu", "hill-climbing", "tabu"}, or edges
        "tan": the class above every attribute, and a tree among these; "naive": the class above every attribute;
        "chow-liu": the best tree, the class one of its nodes; "hill-climbing": edges added, dropped and turned as long
        as the score grows; "tabu": the same, on through changes that do not help. Or pairs (parent, child). Without a
        target "tan" is the tree of Chow and Liu, and "naive" has no edge.
    score : {"bic", "bde", "k2", "aic", "mdl"}
        What a search makes large, and what `score_` says; bnlearn's scores, to the digit: log-likelihood less
        p ln(n) / 2 for p free parameters (counted by levels) or, for "bde" and "k2", the log marginal likelihood. "mdl"
        is "bic" less ln(d) for each edge.
    max_parents : int
        The most parents of an attribute in a search; the class is one of them. Edges that are given are not limited.
    alpha : float
        The prior: a pseudo-count for each cell of every table. With score="bde" the number of rows that the prior is
        worth for each table, spread over its cells, in the score as in the probabilities. 0: shares as they are
        counted, and equal shares where no row is.
    numeric : {"discretise", "equal-frequency", "equal-width"}
        How numbers are cut: "discretise" by Fayyad and Irani's rule where there is a class and else into `bins`
        intervals of equal frequency.
    bins : int
        How many intervals, where they do not follow from the class.
    missing : {"available", "em"}
        What is done with missing values in training rows. "available" counts a family in the rows that know all of it.
        "em" completes rows by expectation and maximisation, structure and tables in turn (structural EM), until nothing
        changes; after 100 steps it ends with a warning. It needs rows with few missing values.
    must, must_not : pairs (parent, child)
        Edges that there must be, and that there must not be.
    tabu_length, patience : int
        With structure="tabu": to how many structures of late the search does not return, and after how many changes
        without a better one it ends.
    costs, priors, class_weight, n_jobs
        As for NaiveBayes.

    Attributes
    ----------
    edges_ : tuple of pairs (parent, child)
    score_ : float
        Of the training rows; with missing="em", of their completions.
    network_ : Network
        The bare network.

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
    targetless: ClassVar[bool] = True
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
        made: dict[str, Any] = super().get_params(deep)
        return made | {"score": self.__dict__["score"]}

    # -- what it can do ---------------------------------------------------------------------------

    def objection(self, schema: Schema) -> str | None:
        if schema.text:
            return f"a network has no words; leave out the text column {schema.text[0].name!r}."
        many = [a for a in (*schema.nominal, schema.target) if a is not None and len(a.levels) > MOST_LEVELS]
        if many:
            return (
                f"{many[0].name!r} has {len(many[0].levels):,} levels, and tables of a network grow with their "
                f"product; leave it out, or join levels until there are at most {MOST_LEVELS:,}."
            )
        return None

    def memory(self, rows: int, schema: Schema) -> int | None:
        nodes = len(schema) + 1
        pairs = {"tan": 14, "chow-liu": 14, "hill-climbing": 80, "tabu": 80}
        structure = self.structure if isinstance(self.structure, str) else ""
        return 24 * rows * nodes + pairs.get(structure, 4) * nodes * nodes

    @property
    def minds_constants(self) -> bool:
        """Whether a column that never changes may change the answers: the score of "mdl" counts columns."""
        return self.__dict__["score"] == "mdl"

    # -- learning ---------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows; without a target, as a model of all attributes.

        Parameters
        ----------
        X : Table, data frame, array or sparse matrix
            A Table may carry its target.
        y : array-like, optional
            The class of each row, or a matrix of shares, as for every classifier; without it, and where X is no Table
            with a target, the network is a model of the columns of X.
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
                raise ParameterError(
                    f"{self._name}: without a target there are no classes that {name} could be of."
                )
        self.__dict__["task"] = JOINT  # of this fit; the class itself is a classifier
        self.__dict__.pop("classes_", None)

    def learn(self, table: Table) -> tuple[Any, Floats]:
        binning = self._cutter(table).fit(table) if table.schema.numeric else Binning(())
        nodes = nodes_of(table.schema, binning)
        codes = codes_of(table, nodes)
        wish = self._wish(None if table.schema.target is None else len(nodes) - 1)

        def network_of(codes: Codes, weights: Floats, kept: Edges | None = None) -> Learned:
            return learned(codes, nodes, weights, wish if kept is None else replace(wish, structure=kept))

        found = network_of(codes, table.weights)
        self.log_likelihoods_ = np.empty(0)
        if self.missing == "em":
            found, logs, settled = structural_em(found, codes, table.weights, network_of, self._name)
            self.log_likelihoods_ = np.array(logs)
            if not settled:
                warnings.warn(
                    f"{self._name}: {MOST_STEPS} steps of missing='em' were not enough; the log-likelihood still "
                    f"changed by {abs(logs[-1] - logs[-2]):.2g}. A larger alpha speeds it up.",
                    ConvergenceWarning,
                    stacklevel=4,
                )
        self.n_iter_ = max(found.steps, 1)
        if table.schema.target is None:
            made: Any = JointNetworkModel(found.network, binning, found.score)
            return made, np.array([total_weight(table.row_weights)])
        return BayesNetworkModel(found.network, binning, found.score), class_totals([table])

    def _cutter(self, table: Table) -> Discretiser:
        if self.numeric == "equal-width":
            return EqualWidth(int(self.bins))
        if self.numeric == "discretise" and table.schema.target is not None:
            return EntropyMDL()
        return EqualFrequency(int(self.bins))

    def _wish(self, target: int | None) -> Wish:
        return Wish(
            self.structure, self.__dict__["score"], int(self.max_parents), float(self.alpha), self.must,
            self.must_not, target, int(self.tabu_length), int(self.patience), self._name,
        )  # fmt: skip

    def settle(self, schema: Schema, model: Any, totals: Floats, rows: int) -> None:
        if self.task is JOINT:
            Taught.settle(self, schema, model, totals, rows)
        else:
            super().settle(schema, model, totals, rows)

    def restored(self, predictor: AnyPredictor, training: Mapping[str, Any]) -> None:
        super().restored(predictor, training)
        if predictor.task is JOINT:
            self._without_target()

    # -- predicting -------------------------------------------------------------------------------

    def predict(self, X: Any) -> Array:
        """The class of each row: the likeliest, or of least expected cost where `costs` are given."""
        self._need_classes("predict")
        found: Array = super().predict(X)
        return found

    def predict_proba(self, X: Any) -> Floats:
        """P(class | what is known of the row), one line per row, one column for each of `classes_`."""
        self._need_classes("predict_proba")
        predictor, rows = self._fitted(), self._query(X)
        with limited_to(self.jobs):
            return predictor.proba(rows)

    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithm of `predict_proba`."""
        self._need_classes("predict_log_proba")
        return log_normalised(self._scores(X))

    def _need_classes(self, who: str) -> None:
        if isinstance(self._fitted(), JointPredictor):
            raise DataError(
                f"{self._name}: it was fitted without a target, so {who} has no class to say; ask score_samples or "
                "query, or fit with a target."
            )

    def score_samples(self, X: Any) -> Floats:
        """log P(what is known of the row) of each row, the class summed out."""
        predictor: Any = self._fitted()
        rows = self._query(X)
        with limited_to(self.jobs):
            if predictor.task is JOINT:
                found: Floats = predictor.predict(rows)
                return found
            model: BayesNetworkModel = predictor.model
            return np.asarray(np.logaddexp.reduce(model.scores(rows) + model.common(rows)[:, None], axis=1))

    def _score_rows(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The share of labelled rows predicted right; without a target the mean log probability of a row."""
        if not isinstance(self._fitted(), JointPredictor):
            return float(Classifier.score(self, X, y, sample_weight))
        weights = joint_weights(X, sample_weight, self._name)
        return float(np.average(self.score_samples(X), weights=weights))

    def log_likelihood(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The log-likelihood of rows and their classes; of rows alone where there is no target."""
        if not isinstance(self._fitted(), JointPredictor):
            return float(super().log_likelihood(X, y, sample_weight))
        return float(np.dot(self.score_samples(X), joint_weights(X, sample_weight, self._name)))

    # -- asking -----------------------------------------------------------------------------------

    @property
    def network_(self) -> Network:
        """The bare network."""
        fitted: Any = self._fitted()
        found: Network = fitted.model.network
        return found

    @property
    def edges_(self) -> tuple[tuple[str, str], ...]:
        """(parent, child) of every edge."""
        return self.network_.edges

    @property
    def score_(self) -> float:
        """The score of the structure on the rows learned from; NaN of a network that was read."""
        fitted: Any = self._fitted()
        found = float(fitted.model.score)
        return found if np.isfinite(found) else float("nan")

    @property
    def structure_(self) -> str:
        """The structure as bnlearn writes it: `[A][S][T|A]`."""
        return self.network_.notation

    def query(self, target: Any, given: Mapping[str, Any] | None = None) -> Distribution:
        """The distribution of an attribute (or of several together) given values of others, exactly.

        Parameters
        ----------
        target : str or sequence of str
        given : mapping of attributes to values
            Levels; of a numeric attribute a number, or an interval as it is named. None or NaN: not known.
        """
        return self.network_.query(target, given)

    def most_likely(self, given: Mapping[str, Any] | None = None) -> Likeliest:
        """The likeliest values of all attributes together, given some."""
        return self.network_.most_likely(given)

    def sample(self, n: int, random_state: Any = None) -> Table:
        """A Table of n rows drawn from the network, with the target where there is one."""
        target = self.schema_.target
        return self.network_.sample(n, random_state, None if target is None else target.name)

    def independent(self, first: str, second: str, given: Any = ()) -> Separation:
        """Whether two attributes are d-separated given others: true or false, and the path along which they depend.

        The structure alone is asked: tables may make attributes independent that it does not separate.
        """
        return self.network_.independent(first, second, given)

    def markov_blanket(self, name: str) -> tuple[str, ...]:
        """Parents, children and the children's other parents: given these, no other attribute matters."""
        return self.network_.markov_blanket(name)

    def do(self, values: Mapping[str, Any] | None = None, **named: Any) -> Network:
        """The network after an intervention, which sets attributes from outside; `query` and `sample` it.

        What follows is as causal as the structure: one that was learned from rows tells directions only by chance.
        """
        return self.network_.do(values, **named)

    def posterior(self, name: str) -> Dirichlet:
        """The Dirichlet posteriors of one attribute's probabilities: means, standard deviations, intervals."""
        return self.network_.posterior(name)

    def table(self, name: str) -> str:
        """The table of one attribute, in words."""
        net = self.network_
        return "\n".join(table_lines(net, place_of(net.nodes, name, "table"), full=True))

    # -- files of other programs ------------------------------------------------------------------

    @classmethod
    def from_bif(cls, source: str | PathLike[str], target: str | None = None) -> Self:
        """A network read from a BIF file, or from its text; with a target it classifies.

        Whatever is wrong with a file is said in a sentence; nothing in it is run.
        """
        read = read_bif(source)
        order = list(range(len(read.nodes)))
        if target is not None:
            place = place_of(read.nodes, target, "from_bif")
            order = [v for v in order if v != place] + [place]
        network = _reordered(read, order)
        attributes = tuple(Attribute(node.name, "nominal", node.levels) for node in network.nodes)
        schema = Schema(attributes) if target is None else Schema(attributes[:-1], attributes[-1])
        made = cls(structure=network.edges)
        if target is None:
            predictor: AnyPredictor = JointPredictor(schema, JointNetworkModel(network, Binning(()), -np.inf))
        else:
            predictor = Predictor(schema, BayesNetworkModel(network, Binning(()), -np.inf))
        made.restored(predictor, {"rows": 0, "weight": 0.0})
        return made

    def to_bif(self, path: str | PathLike[str] | None = None) -> str:
        """The network as BIF, numbers as intervals; also written to `path` where that is given."""
        text = write_bif(self.network_)
        if path is not None:
            replace_text(path, text, "to_bif")
        return text


def _reordered(network: Network, order: list[int]) -> Network:
    """The same network with its nodes in another order."""
    place = {v: i for i, v in enumerate(order)}
    return Network(
        tuple(network.nodes[v] for v in order),
        tuple(tuple(place[u] for u in network.parents[v]) for v in order),
        tuple(network.tables[v] for v in order),
        tuple(network.strengths[v] for v in order),
    )
