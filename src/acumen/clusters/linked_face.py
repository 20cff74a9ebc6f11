"""What clusterers that take links between rows have in common."""

from __future__ import annotations

from typing import Annotated, Any, Self

from acumen.base.clusterer import Clusterer
from acumen.clusters.links import Links
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.models.parameters import Described
from acumen.rows.intake import as_table, row_weights

#: What `must` and `must_not` may be: pairs of row numbers.
LinkPairs = Annotated[Any, Described("pairs of row numbers, such as [[0, 3], [2, 5]]")]


class LinkedFace(Clusterer):
    """Pairs of rows that must, or must not, be in one group."""

    must: Any
    must_not: Any

    @property
    def has_links(self) -> bool:
        """Whether any pair is given; what is no sequence is refused with the pairs."""
        return any(not hasattr(pairs, "__len__") or len(pairs) > 0 for pairs in (self.must, self.must_not))

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        self.check_parameters()
        if self.has_links and (sample_weight is not None or isinstance(X, Table)):
            weights = row_weights(sample_weight, as_table(X), self._name)
            if weights.size and not weights.all():
                raise DataError(
                    f"{self._name}: must and must_not number the rows given, and one of them has weight 0; leave "
                    "rows of weight 0 out."
                )
        return super().fit(X, y, sample_weight)

    def _links(self, n_rows: int) -> Links:
        return Links.of(self.must, self.must_not, n_rows, self._name)


def require_clusterer(learner: Any, who: str) -> None:
    """Refuse what finds no groups, and a learner whose links number rows, where it is to be fitted on other rows."""
    if isinstance(learner, type):
        raise ParameterError(
            f"{who}: give a learner, not its class: {learner.__name__}() instead of {learner.__name__}."
        )
    if not hasattr(learner, "fit_predict") or not hasattr(learner, "get_params"):
        raise ParameterError(
            f"{who}: {type(learner).__name__} finds no groups; give a clusterer, such as acumen.KMeans()."
        )
    if getattr(learner, "has_links", False):
        raise ParameterError(
            f"{who}: {type(learner).__name__} has must or must_not, which number the rows of one table, and is to be "
            "fitted on others; leave them out."
        )
