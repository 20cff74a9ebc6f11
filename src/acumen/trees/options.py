"""What growing needs to know of a learner's parameters, and how a node is split, in words.

A node of weight at most `stop_size`, or whose largest class has a share of at least `purity`, or at `max_depth`, is
a leaf. Else every input is tried, its best test found, and the best input taken:

*   A test needs two branches of weight `min_samples_leaf` at least, and a gain of at least `min_gain`. Under
    "error" and "gain-ratio" the gain must be above zero.
*   Rows whose value is missing at the node count in no branch (but under missing="branch", where they are one); the
    gain is then multiplied by the share of known weight, and they are one more branch in the split information
    (Quinlan 1993).
*   "gain-ratio" chooses as C4.5 does. The cut of a numeric input is the one of most gain with weight of at least
    max(min_samples_leaf, min(25, a tenth of the known weight per class)) on both sides; the gain is then lessened by
    log2(number of such cuts) / weight of the node (`threshold_penalty`) and must stay above zero. Among the inputs
    whose gain is at least the average of the positive ones less 0.001 (`require_average_gain`), the largest ratio
    of gain to split information wins. The average leaves out nominal inputs of which the whole table has at least
    0.3 levels a row, unless all inputs are such; split information of 0.001 or less does not count.
*   Every other measure takes the largest gain.
*   A set of levels, `X in V` (split="binary"): for two classes the levels are ordered by their share of one class and
    parted at the best place, which is the best set of all (Breiman et al. 1984). For more classes,
    and where `min_samples_leaf` or `max_subset` may forbid that place, every set is tried of at most 10 levels, or
    where `max_subset` leaves at most 4,096; more levels are put in the order of the first principal component of
    their class shares (Coppersmith, Hong and Hosking 1999), parted at the best place, and then single levels change
    sides while that is better. V is the side of fewer levels.
*   More than two intervals (`intervals`): to the best cut others are added, each where it gains most; of these
    tests the one of the best score is taken, of equals that of fewer intervals.
*   The score of an input is divided by its cost (`attribute_costs`) before inputs are compared; where there are
    costs there is no `require_average_gain`, which would let only inputs of much gain compete, whatever they cost.
*   Of scores that are equal (see `measures`) the earlier input and the smaller cut win.

`factors` are what class costs become (Breiman et al. 1984): class counts are multiplied by them where measures are
evaluated; weights, `min_samples_leaf`, split information and the counts a tree keeps are the true ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeVar

from acumen.trees.measures import MeasureName
from acumen.types import Floats

Missing = Literal["fractional", "surrogate", "branch", "majority"]


@dataclass(frozen=True, slots=True)
class GrowOptions:
    """How a tree is grown; see the module."""

    measure: MeasureName = "gain-ratio"
    split: Literal["multiway", "binary"] = "multiway"
    missing: Missing = "fractional"
    stop_size: float = 1.0
    min_samples_leaf: float | Literal["auto"] = "auto"
    purity: float = 1.0
    min_gain: float = 0.0
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    max_subset: int | None = None
    intervals: int = 2
    threshold_penalty: bool = True
    require_average_gain: bool = True
    factors: tuple[float, ...] | None = None  # one a class
    attribute_costs: tuple[float, ...] | None = None  # one an input
    max_attributes: int | None = None  # how many usable inputs are tried at a node, drawn at random
    seed: int = 0

    @property
    def least(self) -> float:
        """`min_samples_leaf` as a number."""
        if self.min_samples_leaf == "auto":
            return 2.0 if self.measure == "gain-ratio" else 1.0
        return float(self.min_samples_leaf)

    def with_factors(self, factors: Floats) -> GrowOptions:
        """The same where classes count by these factors."""
        return replace(self, factors=tuple(factors.tolist()))

    def drawing(self, wanted: int | None, seed: int) -> GrowOptions:
        """The same where so many inputs are drawn at each node."""
        return replace(self, max_attributes=wanted, seed=seed)


T = TypeVar("T")
_PLAIN: dict[str, Callable[[Any], Any]] = {"float": float, "bool": bool}


def options_of(options: type[T], learner: Any, **others: Any) -> T:
    """Build options from the learner's parameters of the same names; `others` are not parameters or named otherwise."""
    values = {
        field.name: _PLAIN.get(str(field.type), lambda value: value)(getattr(learner, field.name))
        for field in fields(options)  # type: ignore[arg-type]  # a dataclass
        if field.name not in others and hasattr(learner, field.name)
    }
    return options(**values, **others)
