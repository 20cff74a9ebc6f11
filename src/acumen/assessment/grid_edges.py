"""Whether the best value of a parameter lies at the edge of the values tried, so that a better one may lie beyond.

    edge_sentences    one parameter of a search -> a sentence, if its best value is at an edge
    compared_edges    learners of a comparison that differ in one parameter -> the same

A parameter is checked where three or more numbers were tried. There is no warning where the neighbour within the grid
is as good, or where the parameter can go no further (`alpha` below 0).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.assessment.contestants import same
from acumen.models.parameters import specs_of

if TYPE_CHECKING:
    from acumen.base.learner import Learner

#: Of fewer values every best one lies at an edge.
FEWEST_VALUES = 3


def edge_sentences(
    name: str, best: Any, tried: Sequence[tuple[Any, float]], learner: Learner, who: str
) -> Iterator[str]:
    """A sentence if the best value of a parameter is the smallest or the largest of those tried, with their means."""
    if not all(_is_number(value) for value, _ in tried):
        return  # what is no number, such as None for "no limit", has no place in the order
    means = dict(sorted(tried))
    values = list(means)
    if len(values) < FEWEST_VALUES:
        return
    for edge, neighbour, side, more in (
        (values[-1], values[-2], "largest", "larger"),
        (values[0], values[1], "smallest", "smaller"),
    ):
        gain = means[edge] - means[neighbour]
        if best == edge and gain and not np.isnan(gain) and _goes_beyond(learner, name, edge, side):
            yield (
                f"{who}: the best {name}, {best!r}, is the {side} value tried. "
                f"Add {more} values to the grid: there may be a better one."
            )


def compared_edges(learners: Mapping[str, Learner], means: Mapping[str, float]) -> Iterator[str]:
    """The same where learners, best first, are like the best but for one parameter."""
    best = next(iter(learners.values()))
    settings = best.get_params(deep=False)
    tried: dict[str, list[tuple[Any, float]]] = {}
    for label, other in learners.items():
        if type(other) is not type(best) or other is best:
            continue
        values = other.get_params(deep=False)
        differing = [name for name in settings if not same(values[name], settings[name])]
        if len(differing) == 1:
            tried.setdefault(differing[0], []).append((values[differing[0]], means[label]))
    for name, points in tried.items():
        first = (settings[name], means[next(iter(learners))])
        yield from edge_sentences(name, settings[name], [first, *points], best, "compare")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _goes_beyond(learner: Learner, name: str, edge: Any, side: str) -> bool:
    """Whether the parameter accepts a value beyond the edge."""
    *inner, last = name.split("__")
    owner: Any = learner.get_params(deep=True)["__".join(inner)] if inner else learner
    specs = [spec for spec in specs_of(type(owner)) if spec.name == last]
    step: Any = 1 if isinstance(edge, (int, np.integer)) else max(abs(float(edge)) * 1e-6, 1e-12)
    beyond = edge + step if side == "largest" else edge - step
    return not specs or specs[0].accepts(beyond)
