"""`Recommender`: recommend items for a basket, by rules between items.

recommend   a basket -> the strongest heads that are not in it, each with the rule that says so
judged      hidden items: how often what was taken out of a basket is recommended for the rest of it
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Literal, NamedTuple, Self

import numpy as np

from acumen.associations.baskets import Baskets
from acumen.associations.miner import Miner
from acumen.associations.rule_table import FoundRules
from acumen.associations.rules import AssociationRules
from acumen.associations.taxonomy import Taxonomy
from acumen.conditions.rule import Rule
from acumen.data.escape import printable
from acumen.errors import DataError, ParameterError
from acumen.models.parameters import AtLeast, Described
from acumen.resampling.plan import require_seed

By = Literal["confidence", "lift", "leverage", "conviction", "support"]


class Recommendation(NamedTuple):
    """An item, how strongly its best rule speaks for it, and that rule."""

    item: str
    value: float
    rule: Rule

    @property
    def why(self) -> str:
        """The rule in words."""
        return str(self.rule)

    def __str__(self) -> str:
        return printable(f"{self.item}  ({self.value:.4g})") + f"  because {self.why}"


@dataclass(frozen=True, slots=True)
class HiddenItems:
    """How a recommender did on baskets of which one item was hidden.

    `hit_rate` is the share of baskets whose hidden item was recommended, `coverage` the share of all items
    that were ever recommended, `answered` the share of baskets for which there was a recommendation at all;
    `popular` is the hit rate of recommending the items that are most frequent where the rules were found (of rules
    that were given, in the baskets judged) and not in the basket, which every recommender has to beat.
    """

    baskets: int
    hits: int
    hit_rate: float
    coverage: float
    answered: float
    popular: float

    def to_dict(self) -> dict[str, float]:
        """A JSON-ready form."""
        return {name: getattr(self, name) for name in self.__slots__}

    def __str__(self) -> str:
        return (
            f"{self.hits} of {self.baskets} hidden items recommended (hit rate {self.hit_rate:.4f}; the most "
            f"frequent items: {self.popular:.4f}); {self.answered:.4f} of the baskets answered, "
            f"{self.coverage:.4f} of the items ever recommended"
        )


class Recommender(Miner):
    """Recommend items for a partial basket by the strongest rules that apply to it.

    Parameters
    ----------
    rules : AssociationRules or FoundRules, optional
        How to find rules, or the rules themselves. [default: support 0.01 and confidence 0.1] Any item that is the
        head of some rule can be recommended.
    by : {"confidence", "lift", "leverage", "conviction", "support"}
        The measure of a rule's strength. If several rules recommend an item, the strongest counts.
    n : int
        The largest number of items to recommend.

    Attributes
    ----------
    rules_ : FoundRules
        Those with one item as their head.

    Examples
    --------
    >>> import acumen
    >>> baskets = [["bread", "butter"], ["bread", "butter", "jam"], ["bread", "jam", "butter"], ["tea"]]
    >>> shop = acumen.Recommender(n=1).fit(baskets)
    >>> shop.recommend(["bread"])[0].item
    'butter'
    """

    def __init__(
        self,
        rules: Annotated[Any, Described("an AssociationRules, a FoundRules or None")] = None,
        *,
        by: By = "confidence",
        n: Annotated[int, AtLeast(1)] = 5,
    ) -> None:
        self.rules = rules
        self.by = by
        self.n = n

    def fit(self, data: Any, y: Any = None) -> Self:
        """Find rules in baskets, given in any form `frequent_itemsets` accepts; `y` is ignored."""
        self.check_parameters()
        maker = self.rules
        if isinstance(maker, FoundRules):
            raise ParameterError(
                "Recommender: these rules are found already; ask recommend, or give an AssociationRules."
            )
        if maker is None:
            maker = AssociationRules(
                min_support=0.01, min_confidence=0.1, measures=("support", "confidence", "lift")
            )
        if not isinstance(maker, AssociationRules):
            raise ParameterError(
                f"Recommender: rules must be an AssociationRules, a FoundRules or None; got {maker!r}."
            )
        baskets = Baskets.of(data, discretise=maker.discretise, who="Recommender")
        self._keep(AssociationRules(**maker.get_params()).fit(baskets).rules_)
        order = np.argsort(-baskets.counts(), kind="stable").tolist()
        self._often = tuple(baskets.names[item] for item in order)
        return self

    def _keep(self, found: FoundRules) -> None:
        single = np.diff(found.heads[0]) == 1
        self.rules_ = found.take(np.flatnonzero(single)).sort(self.by)
        self._values = self.rules_[self.by]
        self._heads = self.rules_.heads[1].tolist()
        starts, items = self.rules_.bodies[0].tolist(), self.rules_.bodies[1].tolist()
        self._bodies = [frozenset(items[a:b]) for a, b in pairwise(starts)]
        self._place = {name: at for at, name in enumerate(found.names)}

    def _require_rules(self) -> FoundRules:
        if not hasattr(self, "rules_"):
            if not isinstance(self.rules, FoundRules):
                from acumen.base.scikit import NotFittedError

                raise NotFittedError(
                    "This Recommender instance is not fitted yet. Call 'fit' first, or give it rules."
                )
            self.check_parameters()
            self._keep(self.rules)
        return self.rules_

    def recommend(self, basket: Iterable[str], *, n: int | None = None) -> list[Recommendation]:
        """Recommend items that a basket lacks, strongest first; items in no rule are ignored."""
        rules = self._require_rules()
        if isinstance(basket, str):
            raise DataError(f"Recommender: a basket is a list of items; got the text {basket!r}.")
        held = self._held_items(map(str, basket))
        strongest = self._strongest(held, self.n if n is None else n)
        return [Recommendation(rules.head(at)[0], float(self._values[at]), rules[at]) for at in strongest]

    def _held_items(self, items: Iterable[str]) -> set[int]:
        """The numbers of items, and of everything they are of."""
        names = set(items)
        taxonomy = self.rules.taxonomy if isinstance(self.rules, AssociationRules) else None
        if taxonomy is not None:
            kinds = Taxonomy.of(taxonomy, "Recommender")
            names |= {kind for item in names for kind in kinds.above(item)}
        return {self._place[name] for name in names if name in self._place}

    def _strongest(self, held: set[int], n: int) -> Iterator[int]:
        """The numbers of the first rules whose body is held and whose head is not, one for each head."""
        seen = set(held)
        for at, (body, head) in enumerate(zip(self._bodies, self._heads, strict=True)):
            if len(seen) - len(held) >= n:
                return
            if head not in seen and body <= held:
                seen.add(head)
                yield at

    def evaluate(self, data: Any, *, random_state: Any = 0) -> HiddenItems:
        """Evaluate recommendations: hide one random item per basket and check whether it is recommended for the rest.

        The baskets should be others than those the rules were found in.
        """
        rules = self._require_rules()
        require_seed(random_state, "Recommender")
        random = np.random.default_rng(random_state)
        discretise = self.rules.discretise if isinstance(self.rules, AssociationRules) else None
        baskets = Baskets.of(data, discretise=discretise, who="Recommender")
        starts = baskets.starts.tolist()
        place = {name: at for at, name in enumerate(baskets.names)}
        often = np.argsort(-baskets.counts(), kind="stable").tolist()
        if hasattr(self, "_often"):  # an item that these baskets lack takes its place all the same
            often = [place.get(name, -1) for name in self._often]
        own_items = [self._place.get(name) for name in baskets.names]
        tried = hits = answered = popular = 0
        ever: set[int] = set()
        for a, b in pairwise(starts):
            if b - a < 2:
                continue
            items = baskets.items[a:b].tolist()
            hidden = items.pop(int(random.integers(b - a)))
            known = self._held_items(baskets.names[item] for item in items)
            recommended = [self._heads[at] for at in self._strongest(known, self.n)]
            tried += 1
            hits += own_items[hidden] is not None and own_items[hidden] in recommended
            answered += bool(recommended)
            ever.update(recommended)
            rest = (item for item in often if item not in items)
            popular += hidden in [next(rest, -1) for _ in range(self.n)]
        if not tried:
            raise DataError("Recommender: no basket has two items, so none can be hidden.")
        return HiddenItems(
            tried, hits, hits / tried, len(ever) / max(len(rules.names), 1), answered / tried, popular / tried
        )
