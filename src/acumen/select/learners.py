"""The face of principal components, as scikit-learn has transformers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError

from acumen.base.intake import as_table, is_named, query_table
from acumen.base.parameters import AtLeast, Between, MoreThan, check_parameters
from acumen.base.transformer import as_coordinates, output_of
from acumen.data.align import align
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.run import run
from acumen.errors import DataError
from acumen.select import components
from acumen.types import Array, Floats
from acumen.views.dense import dense_slices

#: Bytes of the scatter matrix beyond which PrincipalComponents objects.
_LARGEST = 1 << 30


class PrincipalComponents(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The directions in which the numeric attributes vary most, and the rows seen along them.

    One pass over the data, by parts if need be: `fit`, `partial_fit` and `fit_stream` give the same components.
    Nominal and text attributes are left out, and so is the target. A missing value counts as its attribute's
    mean over the training rows, whatever its class, in learning as in `transform`; an infinite one is missing.
    Row weights of a Table count. Variances have divisor n (scikit-learn's PCA: n - 1).

    A Table is turned into a Table, its target and weights kept, so that a learner of acumen can follow; anything
    else into an array, or into what `set_output` asks for.

    Parameters
    ----------
    n_components : int or float, optional
        How many; or, as a number below 1, the share of the variance to be explained by as few as will do; unless
        given all that have any variance. Asked for more than that, the directions of the others are arbitrary.
    scale : bool
        Divide each attribute by its standard deviation first, so that units do not count.
    signs : sequence of 1 and -1, optional
        Turns components round. An eigenvector has no sign of its own: here the entry of largest magnitude is
        positive (of entries as large the first), times the component's entry in `signs`.
    n_jobs : int, optional
        Threads; None for all permitted cores.

    Attributes
    ----------
    components_ : array of (components, numeric attributes)
    explained_variance_ : array of (components,)
    explained_variance_ratio_ : array of (components,)
    mean_ : array of (numeric attributes,)
    scale_ : array of (numeric attributes,)
        The standard deviations divided by; ones unless `scale`.
    n_components_ : int
    summary_ : ScatterMatrices

    Examples
    --------
    >>> import acumen
    >>> view = acumen.PrincipalComponents(2).fit(acumen.datasets.load("iris"))
    >>> view.explained_variance_ratio_.round(3).tolist()
    [0.925, 0.053]
    """

    def __init__(
        self,
        n_components: Annotated[int, AtLeast(1)] | Annotated[float, MoreThan(0), Between(0, 1)] | None = None,
        *,
        scale: bool = False,
        signs: list | tuple | np.ndarray | None = None,  # type: ignore[type-arg]
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.scale = scale
        self.signs = signs
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    # -- learning ---------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the components of rows: a Table, data frame, array or sparse matrix; `y` plays no part."""
        self._forget()
        return self.partial_fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from further rows as if they had been there from the start."""
        check_parameters("PrincipalComponents", type(self), self.get_params(deep=False))
        if not hasattr(self, "summary_"):
            rows = _weighted(as_table(X), sample_weight)
            self._remember(rows.schema, is_named(X))
            self._settle(self._summary_of(self._inputs(rows)))
        else:
            rows = _weighted(self._rows(X), sample_weight)
            self._settle(self.summary_ + self._summary_of(rows))
        return self

    def fit_stream(self, parts: Iterable[Table]) -> Self:
        """Learn from parts under one schema, such as `acumen.scan` gives, holding one at a time."""
        check_parameters("PrincipalComponents", type(self), self.get_params(deep=False))
        self._forget()
        source = iter(parts)
        first = next(source, None)
        if first is None:
            raise DataError("PrincipalComponents: there are no parts to learn from.")
        self._remember(first.schema, True)

        def inputs() -> Iterable[Table]:
            yield self._inputs(first)
            for part in source:
                yield self._inputs(align(part, self._numeric))

        self._settle(run(components.summarise, inputs(), engine="disk", n_jobs=self.n_jobs))
        return self

    def _forget(self) -> None:
        for name in ("summary_", "feature_names_in_"):
            if hasattr(self, name):
                delattr(self, name)

    def _remember(self, schema: Schema, named: bool) -> None:
        numeric = Schema(schema.numeric)
        size = 8 * len(numeric) ** 2
        if not len(numeric):
            raise DataError(
                "PrincipalComponents: the table has 0 feature(s) that are numeric; there is nothing to do."
            )
        if size > _LARGEST:
            raise DataError(
                f"PrincipalComponents: the scatter of {len(numeric)} attributes would take {size / 2**30:.0f} GB; "
                "select fewer."
            )
        self._schema, self._numeric = Schema(schema.attributes), numeric
        self.n_features_in_ = len(schema)
        if named:
            self.feature_names_in_ = np.array(schema.names, dtype=object)

    def _summary_of(self, rows: Table) -> Any:
        return run(components.summarise, rows, n_jobs=self.n_jobs)

    def _settle(self, summary: Any) -> None:
        if not summary.weight.sum() > 0:
            raise DataError(
                "PrincipalComponents: Found array with 0 sample(s) of weight above zero; give some rows."
            )
        found = components.solve(summary, n_components=self.n_components, scale=self.scale, signs=self.signs)
        self.summary_, self.model_ = summary, found
        self.components_ = found.directions
        self.explained_variance_ = found.variance
        self.explained_variance_ratio_ = found.share
        self.mean_, self.scale_ = found.mean, found.spread
        self.n_components_ = len(found.directions)

    # -- what was learned -------------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _fitted(self) -> components.Components:
        if not hasattr(self, "model_"):
            raise NotFittedError("This PrincipalComponents instance is not fitted yet. Call 'fit' first.")
        return self.model_

    def describe(self) -> str:
        """The variance along each component, and the attributes it is most made of."""
        return self._fitted().describe(self._names())

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """`PC1`, `PC2`, ...; the names of the inputs play no part."""
        return np.array([f"PC{j + 1}" for j in range(len(self._fitted().directions))], dtype=object)

    def _names(self) -> tuple[str, ...]:
        return self._numeric.names

    # -- turning rows -----------------------------------------------------------------------------

    def transform(self, X: Any) -> Any:
        """The coordinates of rows along the components; of a Table as a Table with its target."""
        found = self._fitted()
        rows = self._rows(X)
        pieces = [found.transform(numbers) for _, numbers in dense_slices(rows)]
        made = np.concatenate(pieces) if pieces else np.empty((0, len(found.directions)))
        if isinstance(X, Table) and output_of(self) == "default":
            return as_coordinates(X, made, tuple(self.get_feature_names_out()))
        return made

    def inverse_transform(self, X: Any) -> Floats:
        """The numeric attributes of rows with these coordinates; exact where no component was left out."""
        found = self._fitted()
        table = as_table(X)
        n = len(found.directions)
        if len(table.schema.numeric) != n:
            raise DataError(
                f"PrincipalComponents: there are {n} components; got {len(table.schema.numeric)} columns of numbers."
            )
        pieces = [
            found.inverse(np.column_stack(numbers.columns))
            for _, numbers in dense_slices(table)
            if len(numbers)
        ]
        return np.concatenate(pieces) if pieces else np.empty((0, len(found.mean)))

    def _rows(self, X: Any) -> Table:
        """Rows with exactly the numeric attributes learned from: by name where both sides have names."""
        named = hasattr(self, "feature_names_in_")
        if isinstance(X, Table) or (named and is_named(X)):
            return self._inputs(align(as_table(X), self._numeric))
        return self._inputs(query_table(X, self._schema, named, "PrincipalComponents"))

    def _inputs(self, rows: Table) -> Table:
        """The numeric attributes alone, with the row weights."""
        return Table(self._numeric, len(rows), numeric=rows.numeric, sparse=rows.sparse, weights=rows.weights)


def _weighted(rows: Table, sample_weight: Any) -> Table:
    """The rows with these weights multiplied into their own."""
    if sample_weight is None:
        return rows
    given = np.asarray(sample_weight, dtype=np.float64)
    if given.ndim == 0:
        given = np.full(len(rows), float(given))
    if given.shape != (len(rows),):
        raise DataError(
            f"PrincipalComponents: sample_weight.shape == {given.shape}, expected ({len(rows)},)!"
        )
    if not np.all(given >= 0) or np.isinf(given).any():
        raise DataError("PrincipalComponents: sample_weight must be numbers of at least 0, none missing.")
    return Table(
        Schema(rows.schema.attributes),
        len(rows),
        numeric=rows.numeric,
        nominal=rows.nominal,
        text=rows.text,
        sparse=rows.sparse,
        weights=given * rows.row_weights,
    )
