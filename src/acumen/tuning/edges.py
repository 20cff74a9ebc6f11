"""Whether the best setting of a search lies at the edge of its grid, so that a better one may lie beyond.

    edge_warnings   results, learner -> sentences

A parameter is checked where three or more numbers were tried, with the others as in the best setting. There is no
warning where the neighbour within the grid is as good, or where the parameter can go no further (`alpha` below 0).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.models.parameters import specs_of
from acumen.tuning.grid import same
from acumen.tuning.results import Results

if TYPE_CHECKING:
    from acumen.base.learner import Learner

#: Of fewer values every best one lies at an edge.
FEWEST_VALUES = 3


def edge_warnings(results: Results, learner: Learner, who: str) -> Iterator[str]:
    """A sentence for each parameter whose best value is the smallest or the largest that was tried."""
    best = results.settings[results.best]
    for name, value in best.items():
        tried = _tried(results, name)
        if not all(_is_number(other) for other, _ in tried):
            continue  # what is no number, such as None for "no limit", has no place in the order
        means = dict(sorted(tried))
        values = list(means)
        if len(values) < FEWEST_VALUES:
            continue
        for edge, neighbour, side, more in (
            (values[-1], values[-2], "largest", "larger"),
            (values[0], values[1], "smallest", "smaller"),
        ):
            gain = means[edge] - means[neighbour]
            if value == edge and gain and not np.isnan(gain) and _goes_beyond(learner, name, edge, side):
                yield (
                    f"{who}: the best {name}, {value!r}, is the {side} value tried. "
                    f"Add {more} values to the grid: there may be a better one."
                )


def _tried(results: Results, name: str) -> list[tuple[Any, float]]:
    """The values of a parameter with their means, the other parameters as in the best setting."""
    best = results.settings[results.best]
    return [
        (setting[name], float(mean))
        for setting, mean in zip(results.settings, results.mean, strict=True)
        if setting.keys() == best.keys() and all(same(setting[n], best[n]) for n in best if n != name)
    ]


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
