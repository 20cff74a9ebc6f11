"""Laws on clusterers: groups do not depend on names, order, units or place, and are told of every row.

What is drawn at random may find other groups in rows that have none; laws about the same rows in another form are
tried on rows whose groups nobody could miss.

Laws on transformers: other columns in place of a table's own.
"""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from acumen.checks import data
from acumen.checks.subject import NotApplicable, Subject, require
from acumen.data.table import Table
from acumen.types import MISSING, Codes


def fit_transform_is_fit_and_transform(subject: Subject) -> None:
    """`fit_transform` returns the same as `transform` after `fit`, for Tables and for arrays."""
    subject.need_columns()
    rows = subject.table()
    X, y = subject.matrix()
    labels = y if subject.has_target else None
    for what, argument, targets in (("a Table", rows, None), ("an array", X, labels)):
        apart = subject.predictions(subject.new().fit(argument, targets), argument)
        at_once = subject.new().fit_transform(argument, targets)
        if isinstance(at_once, Table):
            names = subject.new().fit(argument, targets).get_feature_names_out()
            at_once = np.column_stack([at_once.column(name) for name in names])
        require(np.array_equal(apart, at_once, equal_nan=True), f"of {what} the two differ")
    if subject.has_target:
        return
    other = subject.new().fit(X, y)
    require(
        subject.alike(subject.answers(other, X), subject.answers(subject.new().fit(X), X)), "y plays a part"
    )


def every_column_has_a_name(subject: Subject) -> None:
    """`get_feature_names_out` has a distinct name for every column, for arrays and for Tables."""
    subject.need_columns()
    learner, rows = subject.fitted_learner()
    names = learner.get_feature_names_out().tolist()
    require(len(set(names)) == len(names), "a name comes twice")
    require(
        subject.predictions(learner, rows).shape == (len(rows), len(names)),
        "there are not as many names as columns",
    )
    columns = learner.transform(rows)
    require(isinstance(columns, Table), f"a Table becomes a {type(columns).__name__}")
    require(
        all(name in columns.schema and columns.schema[name].is_numeric for name in names),
        "a column has another name",
    )


def targets_and_weights_are_kept(subject: Subject) -> None:
    """A transformed Table keeps its rows, its target and its weights, so a learner can be trained on it."""
    subject.need_columns()
    rows = subject.table()
    weights = np.linspace(0.5, 2.0, len(rows))
    rows = data.with_weights(rows, weights)
    columns = subject.new().fit(rows).transform(rows)
    require(len(columns) == len(rows), "there are other rows")
    require(columns.schema.target == rows.schema.target, "the target is another")
    require(np.array_equal(columns.label_values(), rows.label_values()), "the labels are others")
    require(np.array_equal(columns.row_weights, weights), "the weights are others")


def columns_of_a_row_are_its_own(subject: Subject) -> None:
    """The transformed columns of a row do not depend on other rows or on their order."""
    subject.need_columns()
    learner, rows = subject.fitted_learner()
    order = np.random.default_rng(5).permutation(len(rows))[: len(rows) // 2]
    columns = subject.answers(learner, rows.take(order))
    require(
        subject.alike(columns, subject.answers(learner, rows)[order], 1e-12), "rows in another order differ"
    )


def columns_do_not_depend_on_the_target(subject: Subject) -> None:
    """The transformed columns of a row do not depend on its own target, although `fit` may use targets."""
    subject.need_columns()
    learner, rows = subject.fitted_learner()
    expected = subject.answers(learner, rows)
    for what, labels in (
        ("other", rows.class_codes[::-1].copy()),
        ("no", np.full(len(rows), MISSING, np.int32)),
    ):
        columns = subject.answers(learner, rows.replace(labels=labels))
        require(np.array_equal(columns, expected), f"rows with {what} classes become others")
    bare = subject.answers(learner, data.without_target(rows))
    require(np.array_equal(bare, expected), "unlabelled rows are transformed differently")


def missing_values_do_not_spread(subject: Subject) -> None:
    """A row without missing values is transformed without missing values, whatever is missing in other rows."""
    subject.need_columns()
    learner, rows = subject.fitted_learner()
    whole = [np.isfinite(column) for column in rows.numeric.columns]
    whole += [column >= 0 for column in rows.nominal.columns]
    full = np.flatnonzero(np.all(whole, axis=0))
    require(
        np.isfinite(subject.predictions(learner, rows)[full]).all(),
        "a value is missing, or infinite, for no reason",
    )


def every_row_has_its_cluster(subject: Subject) -> None:
    """`labels_` has the cluster of every row, `fit_predict` returns it, and `predict` agrees."""
    subject.need_groups()
    learner, rows = subject.fitted_learner()
    labels = learner.labels_
    require(
        labels.shape == (len(rows),) and labels.dtype.kind == "i", "labels_ is not one whole number a row"
    )
    require(np.array_equal(learner.predict(rows), labels), "predict tells other groups of the same rows")
    require(np.array_equal(subject.new().fit_predict(rows), labels), "fit_predict gives other groups")
    weights = np.where(np.arange(len(rows)) % 5 == 2, 0.0, 1.0)
    some = subject.new().fit(rows, sample_weight=weights)
    require(some.labels_.shape == (len(rows),), "rows of weight zero have no group")
    alone = subject.new().fit(rows.take(np.flatnonzero(weights)))
    require(np.array_equal(some.labels_[weights > 0], alone.labels_), "rows of weight zero change the groups")


def clusters_are_numbered_by_their_first_row(subject: Subject) -> None:
    """Cluster 0 contains the first row that is in any cluster, cluster 1 the first row outside it; none is empty."""
    subject.need_groups()
    if subject.learner.adds:
        raise NotApplicable("its summaries know no first row")
    for rows in (subject.table(), subject.separate()):
        learner = subject.new().fit(rows)
        labels = learner.labels_
        met = list(dict.fromkeys(labels[labels >= 0].tolist()))
        require(met == list(range(len(met))), f"groups come in the order {met}")
        require(learner.n_clusters_ == len(met), f"of {learner.n_clusters_} groups {len(met)} have rows")


def clusterers_ignore_the_target(subject: Subject) -> None:
    """A table's own target, and `y`, have no effect."""
    subject.need_groups()
    rows = subject.table()
    bare = subject.new().fit(data.without_target(rows))
    require(np.array_equal(subject.new().fit(rows).labels_, bare.labels_), "a Table's target plays a part")
    y = np.arange(len(rows)) % 7
    require(np.array_equal(subject.new().fit(rows, y).labels_, bare.labels_), "y plays a part")


def the_order_of_rows_only_renames_clusters(subject: Subject) -> None:
    """Shuffled rows give the same clusters, apart from their numbers, and the same objective."""
    rows = subject.separate()
    order = np.random.default_rng(5).permutation(len(rows))
    plain, other = _three(subject).fit(rows), _three(subject).fit(rows.take(order))
    require(
        _same_parts(plain.labels_[order], other.labels_), "rows in another order belong together otherwise"
    )
    _same_objective(plain, other, "rows in another order")


def a_weight_of_two_is_a_repeated_row_in_clusters(subject: Subject) -> None:
    """To a clusterer, a row of weight 2 is two equal rows, whatever it draws at random."""
    rows = subject.separate()
    twice = np.where(np.arange(len(rows)) % 3 == 0, 2, 1)
    heavy = _three(subject).fit(rows, sample_weight=twice.astype(np.float64))
    repeated = _three(subject).fit(rows.take(np.repeat(np.arange(len(rows)), twice)))
    require(
        np.array_equal(np.repeat(heavy.labels_, twice), repeated.labels_), "weights against repeated rows"
    )
    _same_objective(heavy, repeated, "weights against repeated rows")


def shifted_numbers_change_no_cluster(subject: Subject) -> None:
    """Numbers shifted by 1e8 give the same clusters; with `scale`, so do numbers in other units."""
    rows = subject.separate()
    if not rows.schema.numeric:
        raise NotApplicable("it does not learn from numbers")
    plain = _three(subject).fit(rows)
    moved = _three(subject).fit(_with_numbers(rows, 1.0, 1e8))
    require(np.array_equal(moved.labels_, plain.labels_), "numbers moved by 1e8 give other groups")
    if subject.takes("scale") and getattr(subject.learner, "scale", None) is True:
        measured = _three(subject).fit(_with_numbers(rows, 1024.0, 0.0))
        require(np.array_equal(measured.labels_, plain.labels_), "numbers in another unit give other groups")


def saved_clusters_are_the_same(subject: Subject) -> None:
    """A clusterer loaded from its file has the same clusters and the same objective."""
    subject.need_groups()
    from acumen.models.kinds import kind_of
    from acumen.store import model_file

    learner, rows = subject.fitted_learner()
    if kind_of(learner) is None:
        raise NotApplicable("model files hold acumen's own learners")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "m.acm")
        model_file.save(learner, path)
        again = model_file.load(path)
    require(np.array_equal(again.predict(rows), learner.labels_), "a loaded clusterer tells other groups")
    require(again.n_clusters_ == learner.n_clusters_, "a loaded clusterer has another number of groups")
    if _objective(learner) is not None:
        require(again.objective_ == learner.objective_, "a loaded clusterer has another objective")


def parts_give_the_clusters_of_one_fit(subject: Subject) -> None:
    """If parts stream, `fit_stream` gives the model of `fit` on all rows, byte for byte."""
    subject.need_groups()
    if subject.learner.adds or not subject.learner.streams:
        raise NotApplicable("it does not learn from parts, or by summaries")
    rows = subject.table()
    weights = np.random.default_rng(2).integers(0, 4, len(rows)).astype(np.float64)
    for source in (rows, data.with_weights(rows, weights), data.with_weights(rows, weights / 7)):
        whole = subject.new().fit(source)
        n = len(rows)
        for cuts in ([0, 1, 4 * n // 9, n], [0, n // 3, 2 * n // 3, n]):
            parts = [source.take(slice(a, b)) for a, b in itertools.pairwise(cuts)]
            streamed = subject.new().fit_stream(parts)
            _same_arrays(whole.model_.to_arrays(), streamed.model_.to_arrays())
            require(streamed.training_ == whole.training_, "a stream counts other rows")


def _same_arrays(whole: dict[str, Any], found: dict[str, Any]) -> None:
    require(found.keys() == whole.keys(), "a stream gives other arrays")
    for name, array in whole.items():
        require(array.tobytes() == found[name].tobytes(), f"a stream gives another {name!r}")


def _three(subject: Subject) -> Any:
    """A fresh clusterer, asked for three clusters where it can be asked."""
    subject.need_groups()
    count = getattr(subject.learner, "count_parameter", "n_clusters")
    has_count = subject.takes(count) and subject.parameters.get("distance_threshold") is None
    return subject.new(**({count: 3} if has_count else {}))


def _same_parts(one: Codes, other: Codes) -> bool:
    """Whether two lots of groups are the same but for their numbers."""
    pairs = set(zip(one.tolist(), other.tolist(), strict=True))
    return len(pairs) == len(set(one.tolist())) == len(set(other.tolist()))


def _objective(learner: Any) -> float | None:
    try:
        objective: float = learner.objective_
    except AttributeError:
        return None
    return objective


def _same_objective(one: Any, other: Any, what: str) -> None:
    mine, theirs = _objective(one), _objective(other)
    if mine is None or theirs is None:
        return
    require(
        abs(mine - theirs) <= 1e-7 * max(1.0, abs(mine)), f"{what}: objective {mine:g} against {theirs:g}"
    )


def _with_numbers(rows: Table, factor: float, move: float) -> Table:
    return rows.replace(sparse=None, numeric=[column * factor + move for column in rows.numeric.columns])


LAWS = (
    fit_transform_is_fit_and_transform,
    every_column_has_a_name,
    targets_and_weights_are_kept,
    columns_of_a_row_are_its_own,
    columns_do_not_depend_on_the_target,
    missing_values_do_not_spread,
    every_row_has_its_cluster,
    clusters_are_numbered_by_their_first_row,
    clusterers_ignore_the_target,
    the_order_of_rows_only_renames_clusters,
    a_weight_of_two_is_a_repeated_row_in_clusters,
    shifted_numbers_change_no_cluster,
    saved_clusters_are_the_same,
    parts_give_the_clusters_of_one_fit,
)
