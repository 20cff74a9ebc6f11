"""The public class of Markov networks: parameters, documentation and queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np

from acumen.base.modeller import Modeller
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.models.parameters import AtLeast, Described
from acumen.models.predictor import JointPredictor
from acumen.networks import graph
from acumen.networks.answers import Distribution, Likeliest, Separation
from acumen.networks.factor_arguments import factors_of, named_levels
from acumen.networks.markov_field import MarkovFactor, MarkovField
from acumen.networks.markov_model import MarkovNetworkModel
from acumen.networks.network import Network
from acumen.networks.network_text import factorisation
from acumen.networks.nodes import MOST_LEVELS, codes_of, nodes_of, place_of
from acumen.networks.pseudo_likelihood import learn_pairs
from acumen.preprocessing.discretise.discretisers import Binning, EqualFrequency
from acumen.rows.training_rows import Rows
from acumen.rows.weights import total_weight
from acumen.types import Floats


class MarkovNetwork(Modeller):
    """Markov network (Markov random field): an undirected model of all attributes of a table.

    The probability of a row is a product of factors, each over some attributes, divided by the sum of that product over
    all possible rows. Attributes without an edge between them are independent given the attributes that separate them.
    Pass the factors, or learn them from a table (its target is ignored): one factor for each attribute and one for each
    edge, by regularised pseudo-likelihood, with given or learned edges. A network with given factors needs no `fit`.
    Answers are exact, by the junction tree. If its tables would be too large, an error suggests Gibbs sampling, which
    gives standard errors and a note whether its chains agree.

    Parameters
    ----------
    factors : sequence of (attributes, table), or mapping, optional
        Given factors. A table is an array with an axis for each attribute, or a mapping from levels (tuples of levels
        for several attributes) to numbers of at least 0; combinations missing from a mapping are 0.
    structure : {"learn"}, or edges
        "learn" learns the edges; or pass pairs of attributes.
    score_penalty : {"bic"} or float
        The weight of a group penalty on the mean log pseudo-likelihood: the larger, the fewer edges. "bic" chooses, out
        of twelve weights, the one whose edges have the lowest BIC after refitting.
    alpha : float
        The precision of a normal prior about 0 on each parameter.
    levels : mapping of attributes to levels, optional
        The levels of given factors whose tables are arrays. [default: "0", "1", ...]
    bins : int
        The number of equal-frequency intervals into which numbers are cut.
    n_jobs : int, optional
        Number of threads for matrix products.

    A missing value in a training row has no term of its own and affects its neighbours as its attribute does on
    average; in queries it is summed out. Text and attributes with more than 1,000 levels are refused. So are tables
    that would take hours: the number of distinct rows times the squared total number of levels must be at most
    4 x 10^9.

    Examples
    --------
    >>> import acumen
    >>> friends = acumen.MarkovNetwork([(("a", "b"), [[2, 1], [1, 2]]), (("b", "c"), [[2, 1], [1, 2]])])
    >>> round(friends.query("c", given={"a": "0"})["0"], 4)
    0.5556
    >>> print(friends.independent("a", "c", given=["b"]))
    a and c are independent given b: every path between them is blocked.
    >>> friends.factorisation()
    'P(a, b, c) = 1/Z f1(a, b) f2(b, c)'
    """

    kind: ClassVar[str] = "markov-network"
    model_type = MarkovNetworkModel

    def __init__(
        self,
        factors: Annotated[
            Any, Described("pairs of attributes and a table, a mapping of such, or None")
        ] = None,
        *,
        structure: Literal["learn"] | tuple[Any, ...] | list[Any] = "learn",
        score_penalty: Literal["bic"] | Annotated[float, AtLeast(0)] = "bic",
        alpha: Annotated[float, AtLeast(0)] = 1.0,
        levels: Annotated[Any, Described("a mapping of attributes to levels, or None")] = None,
        bins: Annotated[int, AtLeast(1)] = 4,
        n_jobs: int | None = None,
    ) -> None:
        self.factors = factors
        self.structure = structure
        self.score_penalty = score_penalty
        self.alpha = alpha
        self.levels = levels
        self.bins = bins
        self.n_jobs = n_jobs

    # -- learning ---------------------------------------------------------------------------------

    def objection(self, schema: Schema) -> str | None:
        if schema.text:
            return f"networks cannot use text; leave out the text column {schema.text[0].name!r}."
        many = [a for a in schema.nominal if len(a.levels) > MOST_LEVELS]
        if many:
            return (
                f"{many[0].name!r} has {len(many[0].levels):,} levels, and factors grow with the product of levels; "
                f"leave it out, or merge levels until there are at most {MOST_LEVELS:,}."
            )
        return None

    def memory(self, rows: int, schema: Schema) -> int | None:
        columns = len(schema.numeric) * int(self.bins) + sum(len(a.levels) for a in schema.nominal)
        return 40 * rows * columns + 80 * columns * columns

    def fit(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the network; with given factors there is nothing to fit, and no rows are needed.

        Parameters
        ----------
        X : Table, data frame, array or sparse matrix
            A Table's target is ignored.
        y : ignored
        sample_weight : array-like, optional
            Row weights of at least 0; whole weights are counts of rows, any others are relative.
        """
        if self.factors is not None:
            self.check_parameters()
            self._use_given_factors()
            return self
        super().fit(X, y, sample_weight)
        return self

    def _use_given_factors(self) -> None:
        nodes = named_levels(self.factors, self.levels, self._name)
        field = MarkovField(nodes, factors_of(self.factors, nodes, self._name))
        self._settle(field)

    def _settle(self, field: MarkovField) -> None:
        schema = Schema(tuple(Attribute(node.name, "nominal", node.levels) for node in field.nodes))
        model = MarkovNetworkModel(field, Binning(()), -np.inf)
        self.restore_state(JointPredictor(schema, model), {"rows": 0, "weight": 0.0})

    def _require_fitted(self) -> Any:
        if self.factors is not None and not hasattr(self, "predictor_"):
            self.fit()
        return super()._require_fitted()

    def learn(self, rows: Rows) -> tuple[Any, Floats]:
        table = rows.require_local(self._name)
        binning = EqualFrequency(int(self.bins)).fit(table) if table.schema.numeric else Binning(())
        nodes = nodes_of(table.schema, binning)
        allowed = None
        if not isinstance(self.structure, str):
            allowed = np.zeros((len(nodes), len(nodes)), dtype=np.bool_)
            for edge in self.structure:
                if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2:
                    raise ParameterError(f"{self._name}: structure holds pairs of attributes; got {edge!r}.")
                u, v = (place_of(nodes, name, f"{self._name}: structure") for name in edge)
                if u == v:
                    raise ParameterError(
                        f"{self._name}: an edge connects two different attributes; got {edge[0]!r} twice."
                    )
                allowed[u, v] = allowed[v, u] = True
        pairs = learn_pairs(
            codes_of(table, nodes), [len(node) for node in nodes], table.weights, allowed,
            None if isinstance(self.score_penalty, str) else float(self.score_penalty), float(self.alpha),
        )  # fmt: skip
        singles = [MarkovFactor((v,), np.exp(logs)) for v, logs in enumerate(pairs.single)]
        doubles = [
            MarkovFactor(edge, np.exp(logs)) for edge, logs in zip(pairs.edges, pairs.double, strict=True)
        ]
        field = MarkovField(nodes, (*singles, *doubles))
        model = MarkovNetworkModel(field, binning, pairs.log_pseudo)
        return model, np.array([total_weight(table.row_weights)])

    @classmethod
    def from_bayes(cls, network: Any) -> Self:
        """Convert a Bayesian network (a fitted BayesNetwork, or its `network_`) by moralisation.

        `steps_` lists the steps, and which independences are lost.
        """
        net = getattr(network, "network_", network)
        if not isinstance(net, Network):
            raise ParameterError(f"from_bayes: pass a fitted BayesNetwork; got a {type(network).__name__}.")
        moralised = moralise(net)
        if any(node.cut is not None for node in net.nodes):
            raise DataError(
                "from_bayes: this network cuts numbers into intervals; make those columns nominal before fitting it."
            )
        pairs = [(tuple(net.names[v] for v in f.scope), f.table.tolist()) for f in moralised.field.factors]
        learner = cls(pairs, levels={node.name: list(node.levels) for node in net.nodes})
        learner._settle(moralised.field)
        learner.steps_ = moralised.steps
        return learner

    #: The steps of the conversion, on networks made by `from_bayes` only.
    steps_: tuple[str, ...]

    # -- queries ----------------------------------------------------------------------------------

    @property
    def network_(self) -> MarkovField:
        """The network itself."""
        field: MarkovField = self._require_fitted().model.field
        return field

    @property
    def edges_(self) -> tuple[tuple[str, str], ...]:
        """Every pair that shares a factor."""
        return self.network_.edges

    @property
    def log_pseudo_likelihood_(self) -> float:
        """The log pseudo-likelihood of the training rows; minus infinity if there were none."""
        return float(self._require_fitted().model.log_pseudo)

    def query(
        self, target: Any, given: Mapping[str, Any] | None = None, method: str = "exact", **how: Any
    ) -> Distribution:
        """The distribution of an attribute (or of several together) given values of others.

        Parameters
        ----------
        target : str or sequence of str
        given : mapping of attributes to values
        method : {"exact", "gibbs"}
            By the junction tree, or by sampling. With sampling, `errors` are standard errors, and `note` says whether
            the chains agree; the options are `sweeps` (2000), `chains` (32), `burn_in` (0.2) and `random_state`.
        """
        return self.network_.query(target, given, method, **how)

    def marginals(self, given: Mapping[str, Any] | None = None) -> dict[str, Distribution]:
        """The distribution of every attribute at once."""
        return self.network_.marginals(given)

    def most_likely(self, given: Mapping[str, Any] | None = None) -> Likeliest:
        """The jointly most likely values of all attributes, given some."""
        return self.network_.most_likely(given)

    def sample(self, n: int, random_state: Any = None) -> Table:
        """A Table of n rows drawn from the network, exactly."""
        return self.network_.sample(n, random_state)

    def independent(self, first: str, second: str, given: Any = ()) -> Separation:
        """Whether every path between two attributes leads through the given ones."""
        return self.network_.independent(first, second, given)

    def markov_blanket(self, name: str) -> tuple[str, ...]:
        """The neighbours of an attribute."""
        return self.network_.markov_blanket(name)

    def independences(self) -> tuple[str, ...]:
        """The independence that each missing edge implies, in sentences."""
        return self.network_.independences()

    def factorisation(self) -> str:
        """The product of factors as a formula."""
        return self.network_.factorisation()


# -- from a Bayesian network, step by step --------------------------------------------------------
#
# Moralised   the undirected network, and the steps of the conversion


@dataclass(frozen=True, slots=True, eq=False)
class Moralised:
    """A Markov network derived from a Bayesian one, and the steps that led to it."""

    field: MarkovField
    steps: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.steps)


def moralise(network: Network) -> Moralised:
    """Connect the parents of each child, drop directions, and turn every table into a factor; Z is 1."""
    names = network.names
    _, wed = graph.moral_graph(network.parents)
    factors = []
    for v, above in enumerate(network.parents):
        scope = (*above, v)
        order = sorted(range(len(scope)), key=scope.__getitem__)
        factors.append(
            MarkovFactor(tuple(scope[i] for i in order), np.transpose(network.tables[v], order).copy())
        )
    field = MarkovField(network.nodes, tuple(factors))
    lost = []
    for u, v in wed:  # their own parents separate two that have no edge between them, if nothing less does
        both = sorted({*network.parents[u], *network.parents[v]})
        alone = graph.active_path(network.parents, u, v, ()) is None
        condition = "" if alone or not both else f" given {', '.join(names[w] for w in both)}"
        lost.append(f"{names[u]} and {names[v]}{condition}")
    steps = [
        f"1. The Bayesian network: P(all) = {factorisation(network)}",
        "2. Parents of one child are joined: "
        + (", ".join(f"{names[u]} - {names[v]}" for u, v in wed) or "none"),
        "3. Directions are dropped: " + (", ".join(f"{a} - {b}" for a, b in field.edges) or "no edge"),
        f"4. Every table becomes a factor: {field.factorisation()}, and Z = 1",
        "5. Independences that are lost, because a common effect joins its causes: "
        + ("; ".join(lost) or "none"),
    ]
    return Moralised(field, tuple(steps))
