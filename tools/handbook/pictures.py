"""The picture of a learner's page: its own, or what is usual for its task, on the same rows for all.

classes    who wins where, over the petals of iris
numbers    the curve learned from sixty noisy rows of a sine, beside the sine
groups     the groups found in two crescents and a cloud
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from acumen.models.task import CLASSES, GROUPS, NUMBERS
from acumen.registry import Entry
from handbook.written import Written, evaluated

CAPTIONS = {
    "classification": "Who wins where, over two attributes of iris; the deeper the colour, the surer.",
    "regression": "What was learned from sixty noisy rows of a sine, beside the sine itself.",
    "clustering": "The groups found in two crescents and a cloud: the same rows on every page of this kind.",
}


def drawn(entry: Entry, page: Written, names: dict[str, Any]) -> tuple[str, str]:
    """The picture as SVG, and what is said below it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if page.picture:
            figure, caption = evaluated(page.picture, names), page.caption
        else:
            figure, caption = _usual(entry, names), page.caption or CAPTIONS[entry.task.name]
        return figure._repr_svg_(), caption


def _usual(entry: Entry, names: dict[str, Any]) -> Any:
    from sklearn.base import clone

    model = names.get("model")
    learner = clone(model) if isinstance(model, entry.learner) else entry.make()
    if entry.task is CLASSES:
        import acumen

        return acumen.regions(learner, acumen.datasets.load("iris"), "petal_length", "petal_width")
    if entry.task is NUMBERS:
        return _curve(entry.name, learner)
    assert entry.task is GROUPS, f"{entry.name} has no usual picture: write one"
    return _groups(entry.name, learner)


def _curve(name: str, learner: Any) -> Any:
    from acumen.render.learning_plot import Band, LearningFigure

    rng = np.random.default_rng(1)
    x = np.sort(rng.uniform(0, 6.3, 60))
    learner.fit(x[:, None], np.sin(x) + 0.25 * rng.normal(size=len(x)))
    grid = np.linspace(0, 6.3, 160)
    bands = [Band("the sine", np.sin(grid)), Band(name, learner.predict(grid[:, None]))]
    return LearningFigure(grid, bands, "x", "y", title=f"{name} on a noisy sine")


def crescents() -> Any:
    """Two crescents that reach into each other, and a cloud apart."""
    rng = np.random.default_rng(2)
    turn = rng.uniform(0, np.pi, 180)
    upper = np.column_stack([np.cos(turn[:90]), np.sin(turn[:90])])
    lower = np.column_stack([1 - np.cos(turn[90:]), 0.45 - np.sin(turn[90:])])
    cloud = rng.normal([2.6, 1.2], 0.22, size=(60, 2))
    return np.vstack(
        [upper + rng.normal(0, 0.07, upper.shape), lower + rng.normal(0, 0.07, lower.shape), cloud]
    )


def _groups(name: str, learner: Any) -> Any:
    from acumen.render.groups_plot import GroupsFigure

    rows = crescents()
    count = getattr(learner, "count_parameter", "n_neighbors")
    if learner.get_params().get(count) is not None:
        learner.set_params(**{count: 3})
    labels = np.asarray(learner.fit(rows).labels_)
    found = int(labels.max()) + 1
    return GroupsFigure(
        rows, labels, [f"group {g}" for g in range(found)], x_label="x", y_label="y", title=f"{name}"
    )
