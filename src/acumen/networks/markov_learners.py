"""The face of Markov networks: parameters, documentation, and what can be asked of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np

from acumen.base.modeller import Modeller
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.models.parameters import AtLeast, Described
from acumen.models.predictor import JointPredictor
from acumen.networks.answers import Distribution, Likeliest, Separation
from acumen.networks.field import Factor, Field
from acumen.networks.given_factors import factors_of, named_levels
from acumen.networks.markov_model import MarkovNetworkModel
from acumen.networks.moral import moralise
from acumen.networks.network import Network
from acumen.networks.nodes import MOST_LEVELS, codes_of, nodes_of, place_of
from acumen.networks.pseudo import learned_pairs
from acumen.preprocessing.discretise import Binning, EqualFrequency
from acumen.rows.weights import total_weight
from acumen.types import Floats


class MarkovNetwork(Modeller):
    """Model all attributes of a table by an undirected network.

    The probability of a row is a product of factors over some attributes each, divided by their sum over all rows that
    there could be. Attributes without an edge between them are independent given what stands between. Factors are
    given, or learned from a table without target (a Table's own target plays no part): one for each attribute and one
    for each edge, by regularised pseudo-likelihood, whose edges are given or found. A network with given factors can be
    asked at once. Answers are exact, by the junction tree; where its tables would be too large that is said, and Gibbs
    sampling answers, with standard errors and a note whether its chains agree.

    Parameters
    ----------
    factors : sequence of (attributes, table), or mapping, optional
        Given factors. A table is an array with an axis for each attribute, or a mapping from levels (tuples of them
        where there are several attributes) to numbers of at least 0; what a mapping leaves out is 0.
    structure : {"learn"}, or edges
        "learn": the edges are found; or pairs of attributes that are joined.
    penalty : {"bic"} or float
        How much an edge must tell to be found: the weight of a group penalty on the mean log pseudo-likelihood, or
        "bic": of twelve weights the one whose edges, refitted, have the least BIC.
    ridge : float
        The precision of a normal prior about 0 on each parameter.
    levels : mapping of attributes to levels, optional
        The levels of given factors whose tables are arrays; without it they are "0", "1", ...
    bins : int
        Into how many intervals of equal frequency numbers are cut.
    n_jobs : int, optional
        Threads of matrix products.

    A value that is missing in a training row has no term of its own and weighs on its neighbours as its attribute does
    on average; in questions it is summed out. Text is refused, attributes of more than 1,000 levels, and what would be
    learned for hours: distinct rows times the square of all levels together may be at most 4 x 10^9.

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
        penalty: Literal["bic"] | Annotated[float, AtLeast(0)] = "bic",
        ridge: Annotated[float, AtLeast(0)] = 1.0,
        levels: Annotated[Any, Described("a mapping of attributes to levels, or None")] = None,
        bins: Annotated[int, AtLeast(1)] = 4,
        n_jobs: int | None = None,
    ) -> None:
        self.factors = factors
        self.structure = structure
        self.penalty = penalty
        self.ridge = ridge
        self.levels = levels
        self.bins = bins
        self.n_jobs = n_jobs

    # -- learning ---------------------------------------------------------------------------------

    def objection(self, schema: Schema) -> str | None:
        if schema.text:
            return f"a network has no words; leave out the text column {schema.text[0].name!r}."
        many = [a for a in schema.nominal if len(a.levels) > MOST_LEVELS]
        if many:
            return (
                f"{many[0].name!r} has {len(many[0].levels):,} levels, and factors grow with their product; leave it "
                f"out, or join levels until there are at most {MOST_LEVELS:,}."
            )
        return None

    def memory(self, rows: int, schema: Schema) -> int | None:
        columns = len(schema.numeric) * int(self.bins) + sum(len(a.levels) for a in schema.nominal)
        return 40 * rows * columns + 80 * columns * columns

    def fit(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows; with given factors nothing is learned, and no rows are needed.

        Parameters
        ----------
        X : Table, data frame, array or sparse matrix
            A Table's own target plays no part.
        y : ignored
        sample_weight : array-like, optional
            Row weights of at least 0; whole weights are counts of rows, any others are relative.
        """
        if self.factors is not None:
            self.check_parameters()
            self._given()
            return self
        super().fit(X, y, sample_weight)
        return self

    def _given(self) -> None:
        nodes = named_levels(self.factors, self.levels, self._name)
        made = Field(nodes, factors_of(self.factors, nodes, self._name))
        self._settle(made)

    def _settle(self, made: Field) -> None:
        schema = Schema(tuple(Attribute(node.name, "nominal", node.levels) for node in made.nodes))
        model = MarkovNetworkModel(made, Binning(()), -np.inf)
        self.restored(JointPredictor(schema, model), {"rows": 0, "weight": 0.0})

    def _fitted(self) -> Any:
        if self.factors is not None and not hasattr(self, "predictor_"):
            self.fit()
        return super()._fitted()

    def learn(self, table: Table) -> tuple[Any, Floats]:
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
                        f"{self._name}: an edge joins two attributes; got {edge[0]!r} twice."
                    )
                allowed[u, v] = allowed[v, u] = True
        found = learned_pairs(
            codes_of(table, nodes), [len(node) for node in nodes], table.weights, allowed,
            None if isinstance(self.penalty, str) else float(self.penalty), float(self.ridge),
        )  # fmt: skip
        singles = [Factor((v,), np.exp(logs)) for v, logs in enumerate(found.single)]
        doubles = [Factor(edge, np.exp(logs)) for edge, logs in zip(found.edges, found.double, strict=True)]
        made = Field(nodes, (*singles, *doubles))
        model = MarkovNetworkModel(made, binning, found.log_pseudo)
        return model, np.array([total_weight(table.row_weights)])

    @classmethod
    def from_bayes(cls, network: Any) -> Self:
        """The Markov network of a Bayesian one (a fitted BayesNetwork, or its `network_`), by moralising.

        `steps_` tells what was done, and which independences are lost by it.
        """
        net = getattr(network, "network_", network)
        if not isinstance(net, Network):
            raise ParameterError(f"from_bayes: give a fitted BayesNetwork; got a {type(network).__name__}.")
        found = moralise(net)
        if any(node.cut is not None for node in net.nodes):
            raise DataError(
                "from_bayes: numbers are cut into intervals; read the table with them nominal first."
            )
        pairs = [(tuple(net.names[v] for v in f.scope), f.table.tolist()) for f in found.field.factors]
        made = cls(pairs, levels={node.name: list(node.levels) for node in net.nodes})
        made._settle(found.field)
        made.steps_ = found.steps
        return made

    #: How it came of a Bayesian network, step by step; of others there is none.
    steps_: tuple[str, ...]

    # -- asking -----------------------------------------------------------------------------------

    @property
    def network_(self) -> Field:
        """The bare network."""
        found: Field = self._fitted().model.field
        return found

    @property
    def edges_(self) -> tuple[tuple[str, str], ...]:
        """Every pair that shares a factor."""
        return self.network_.edges

    @property
    def log_pseudo_likelihood_(self) -> float:
        """Of the rows learned from; minus infinity where there were none."""
        return float(self._fitted().model.log_pseudo)

    def query(
        self, target: Any, given: Mapping[str, Any] | None = None, method: str = "exact", **how: Any
    ) -> Distribution:
        """The distribution of an attribute (or of several together) given values of others.

        Parameters
        ----------
        target : str or sequence of str
        given : mapping of attributes to values
        method : {"exact", "gibbs"}
            By the junction tree, or by sampling; then `errors` are standard errors, and `note` says whether the chains
            agree. Sampling takes `sweeps` (2000), `chains` (32), `burn_in` (0.2) and `random_state`.
        """
        return self.network_.query(target, given, method, **how)

    def marginals(self, given: Mapping[str, Any] | None = None) -> dict[str, Distribution]:
        """The distribution of every attribute at once."""
        return self.network_.marginals(given)

    def most_likely(self, given: Mapping[str, Any] | None = None) -> Likeliest:
        """The likeliest values of all attributes together, given some."""
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
        """What each absent edge says, in sentences."""
        return self.network_.independences()

    def factorisation(self) -> str:
        """The product of factors as a formula."""
        return self.network_.factorisation()
