"""Birch: rows summarised by a tree of cluster features in one pass, and clusters of its subclusters."""

from __future__ import annotations

from functools import partial
from typing import Annotated, ClassVar, Literal

import numpy as np

from acumen.base.clusterer import Clusterer
from acumen.base.grouping import Grouping, by_first_row
from acumen.clusters.cluster_features import FeatureModel, Features, group_means, grow_features, join_features
from acumen.clusters.kmeans import cluster_weights
from acumen.clusters.lloyd import nearest, own_squares
from acumen.clusters.sampling import require_distinct
from acumen.clusters.space import Points, PointSpace, no_words, points_in
from acumen.data.schema import Schema
from acumen.errors import DataError
from acumen.models.parameters import AtLeast
from acumen.preprocessing.coded import coded_width
from acumen.render.text import many
from acumen.rows.training_rows import Rows
from acumen.summaries.algebra import add_up
from acumen.types import Codes, Floats


class Birch(Clusterer):
    """Cluster any number of rows in one pass and bounded memory, by summaries of subclusters (BIRCH).

    Each row goes down a tree of cluster features (weight, mean, scatter: the project's moments) to the nearest
    subcluster and joins it if its radius stays within the threshold. With `threshold="auto"` the threshold begins at 0
    and rises whenever there are more than `max_subclusters` of them; the tree is then rebuilt from its own subclusters.
    Features add by Chan's formula, so numbers far from zero lose no digit, and equal rows are one subcluster.
    With `n_clusters` the subclusters are joined by Ward's rule, exactly, until k groups are left. Rows belong where
    the nearest subcluster does. Zhang, Ramakrishnan and Livny (1996).

    Every block of 65,536 rows has a tree of its own, whose subclusters are then put into one tree in the order of the
    blocks; so threads, or the workers of a cluster, share the rows. The tree depends on the order of the rows. A
    missing value is left out of distances and then taken from the nearest subcluster; nominal attributes have a
    coordinate for each level. `fit_stream` goes over parts once for the tree, and otherwise for weights, for the scale
    and for the numbers of groups; it finds what `fit` finds, to the byte.

    Parameters
    ----------
    threshold : "auto" or float
        The largest radius of a subcluster (root mean squared distance from its mean), in the units of the distance. A
        fixed threshold never rises, however many subclusters there are.
    branching_factor : int
        The largest number of entries of a node of the tree.
    n_clusters : int, optional
        How many clusters [default: 3]; with None every subcluster is a cluster of its own.
    max_subclusters : int
        With "auto": the largest number of subclusters.
    scale : bool
        Scale every attribute to variance 1 first, so that units do not matter.
    n_jobs : int, optional
        Number of threads; None for all available cores. The result does not depend on it.

    Attributes
    ----------
    labels_ : array of int
        The cluster of each row; -1 if all its values are missing. Not available after `fit_stream`.
    objective_ : float
        The sum of squared distances of rows to the centre of their cluster.
    threshold_ : float
        The radius that no subcluster exceeds.
    subclusters_ : array of (subclusters, columns)
        Their means, in the units of the columns.
    cluster_centers_ : array of (groups, columns)

    Examples
    --------
    >>> import acumen
    >>> model = acumen.Birch(n_clusters=3).fit(acumen.datasets.load("iris"))
    >>> model.labels_[[0, 50, 100]].tolist(), len(model.subclusters_)
    ([0, 2, 2], 147)
    """

    kind: ClassVar[str] = "birch"
    model_type = FeatureModel

    def __init__(
        self,
        *,
        threshold: Annotated[float, AtLeast(0)] | Literal["auto"] = "auto",
        branching_factor: Annotated[int, AtLeast(2)] = 50,
        n_clusters: Annotated[int, AtLeast(1)] | None = 3,
        max_subclusters: Annotated[int, AtLeast(2)] = 2000,
        scale: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.threshold = threshold
        self.branching_factor = branching_factor
        self.n_clusters = n_clusters
        self.max_subclusters = max_subclusters
        self.scale = scale
        self.n_jobs = n_jobs

    def objection(self, schema: Schema) -> str | None:
        return no_words(schema)

    @property
    def streams(self) -> bool:
        return True

    def memory(self, rows: int, schema: Schema) -> int | None:
        kept = rows if self.threshold != "auto" else min(rows, self.max_subclusters)
        # A split leaves nodes half full or emptier, and a tree is built beside the old one.
        return rows * (8 * coded_width(schema) + 16) + 8 * kept * (8 * coded_width(schema) + 32)

    def cluster(self, rows: Rows) -> Grouping:
        space = PointSpace.fit(rows, self.scale, self._name)
        source = points_in(rows, space)
        most = max(self.max_subclusters, self.n_clusters or 0)
        features = grow_features(source, space.width, self.threshold, self.branching_factor, most)
        if not len(features):
            raise DataError(f"{self._name}: all values are missing, so there is nothing to cluster.")
        if self.n_clusters is not None and len(features) < self.n_clusters:
            self._refuse(features, len(rows))
        group = (
            np.arange(len(features), dtype=np.int32)
            if self.n_clusters is None
            else join_features(features, self.n_clusters)
        )
        n_groups = int(group.max()) + 1
        centres = group_means(features, group, n_groups)
        order: dict[int, None] = {}
        sizes, squares_left, kept = [], [], [np.empty(0, dtype=np.int32)]
        placed = partial(_assign_block, features, group, centres, rows.table is not None)
        for met, labels, size, squares in source.each(placed):
            order.update(dict.fromkeys(met))
            sizes.append(size)
            squares_left.append(squares)
            kept.append(labels)
        number = np.full(n_groups, -1, dtype=np.int32)
        number[list(order)] = np.arange(len(order), dtype=np.int32)
        used = (
            number[group] >= 0
        )  # a subcluster that is the nearest of no row goes with its group, if that has rows
        features = Features(
            features.weight[used],
            features.mean[used],
            features.scatter[used],
            features.threshold,
            features.rebuilt,
        )
        model = FeatureModel(
            space,
            features,
            number[group[used]],
            np.asarray(add_up(sizes))[list(order)],
            float(add_up(squares_left)),
        )
        labels = np.concatenate(kept)
        return Grouping(model, np.where(labels >= 0, number[labels], -1).astype(np.int32))

    def _refuse(self, features: Features, n_rows: int) -> None:
        if features.threshold > 0:
            raise DataError(
                f"{self._name}: {self.n_clusters} clusters were asked for, and a threshold of {features.threshold:g} "
                "leaves only "
                f"{many(len(features), 'subcluster')}; ask for fewer clusters, or for a smaller threshold."
            )
        require_distinct(self._name, self.n_clusters or 1, len(features), n_rows)

    @property
    def threshold_(self) -> float:
        """The maximum radius of a subcluster."""
        threshold: float = self._require_fitted().model.features.threshold
        return threshold

    @property
    def subclusters_(self) -> Floats:
        """The means of the subclusters, in the units of the columns."""
        model: FeatureModel = self._require_fitted().model
        return model.space.values(model.features.mean)

    @property
    def cluster_centers_(self) -> Floats:
        """The cluster means, in the units of the columns."""
        model: FeatureModel = self._require_fitted().model
        return model.space.values(model.centres())


def _assign_block(
    features: Features, group: Codes, centres: Floats, keep: bool, block: Points
) -> tuple[list[int], Codes, Floats, float]:
    """Of a block the groups in the order of their first rows, the group of each row (if to be kept), what groups
    weigh, and how far rows are from the centres, squared."""
    groups = nearest(block.values, features.mean)
    labels = np.where(groups >= 0, group[groups], -1).astype(np.int32)
    squares = own_squares(block.values, centres, labels)
    return (
        by_first_row(labels)[1].tolist(),
        labels if keep else labels[:0],
        cluster_weights(labels, block.row_weights, len(centres)),
        float((squares * block.row_weights).sum()),
    )
