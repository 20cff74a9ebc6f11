"""The face of basis functions, as scikit-learn has transformers."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError

from acumen.base.intake import as_table, is_named, query_table
from acumen.base.parameters import AtLeast, MoreThan, check_parameters
from acumen.base.transformer import output_of
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.linear.basis import Basis
from acumen.linear.columns import MAX_COLUMNS
from acumen.types import Array, Floats
from acumen.views.columns import remade


class BasisExpansion(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Numeric attributes replaced by functions of them, so that a linear learner behind it learns curves.

    The functions are placed by the range of each attribute in the training rows. A missing value is missing in all
    functions of its attribute, and the learner behind it decides what that means; an infinite one is missing. Nominal
    and text attributes of a Table stay as they are; so do its target and weights. A Table is turned into a Table,
    anything else into an array (or what `set_output` asks for), for which all columns must be numbers.

    Parameters
    ----------
    kind : {"polynomial", "gaussian", "spline"}
        Powers and products about the middle of the range, in halves of it; bumps exp(-z^2 / 2) at even distances;
        or B-splines over pieces of even length, which go on as they end beyond the range (without the first of each
        attribute: all of them sum to 1, as an intercept does).
    degree : int
        The highest power; of splines the degree of the pieces (3: smooth to the second derivative).
    functions : int
        How many bumps, or how many knots between the pieces with both ends; for polynomials it plays no part.
    width : float
        The standard deviation of a bump, in distances between bumps.
    products : bool
        Whether polynomials have products of different attributes.

    Attributes
    ----------
    basis_ : Basis
    n_features_in_ : int

    Examples
    --------
    >>> import acumen
    >>> import numpy as np
    >>> made = acumen.BasisExpansion("polynomial", degree=2).fit(np.array([[-1.0, 0.0], [1.0, 4.0]]))
    >>> made.get_feature_names_out().tolist()
    ['x0', 'x1', 'x0^2', 'x0 * x1', 'x1^2']
    """

    def __init__(
        self,
        kind: Literal["polynomial", "gaussian", "spline"] = "polynomial",
        *,
        degree: Annotated[int, AtLeast(1)] = 3,
        functions: Annotated[int, AtLeast(2)] = 6,
        width: Annotated[float, MoreThan(0)] = 1.0,
        products: bool = True,
    ) -> None:
        self.kind = kind
        self.degree = degree
        self.functions = functions
        self.width = width
        self.products = products

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Place the functions by the range of each numeric attribute; `y` plays no part."""
        check_parameters("BasisExpansion", type(self), self.get_params(deep=False))
        table = as_table(X)
        if not table.schema.numeric:
            raise DataError(
                "BasisExpansion: the table has 0 feature(s) that are numeric; there is nothing to do."
            )
        if not isinstance(X, Table) and len(table.schema.numeric) < len(table.schema):
            odd = next(a for a in table.schema if not a.is_numeric)
            raise DataError(
                f"BasisExpansion: column {odd.name!r} is {odd.kind}; an array is of numbers alone, so give a Table."
            )
        if not len(table):
            raise DataError("BasisExpansion: Found array with 0 sample(s); give some rows.")
        self._schema = Schema(table.schema.attributes)
        self.n_features_in_ = len(table.schema)
        if is_named(X):
            self.feature_names_in_ = np.array(table.schema.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        made = Basis.of(_numbers(table), self.kind, self.degree, self.functions, self.width, self.products)
        width = len(made.names(self._numeric))
        if width > MAX_COLUMNS:
            raise DataError(
                f"BasisExpansion: these would be {width:,} functions, and {MAX_COLUMNS:,} are the most; take a lower "
                "degree, or products=False."
            )
        self.basis_ = made
        return self

    @property
    def _numeric(self) -> tuple[str, ...]:
        return tuple(a.name for a in self._schema.numeric)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "basis_")

    def _fitted(self) -> Basis:
        if not hasattr(self, "basis_"):
            raise NotFittedError("This BasisExpansion instance is not fitted yet. Call 'fit' first.")
        return self.basis_

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the functions: `x^2`, `x * z`, `bump 1 of x`, `spline 1 of x`."""
        return np.array(self._fitted().names(self._numeric), dtype=object)

    def transform(self, X: Any) -> Any:
        """What the functions come to; of a Table as a Table with its other attributes and its target."""
        basis = self._fitted()
        rows = query_table(X, self._schema, hasattr(self, "feature_names_in_"), "BasisExpansion")
        made = basis.values(_numbers(rows))
        if not isinstance(X, Table) or output_of(self) != "default":
            return made
        kept = [a for a in X.schema.attributes if not a.is_numeric]
        attributes = [Attribute(name) for name in self.get_feature_names_out().tolist()]
        return remade(X, [*attributes, *kept], numeric=list(made.T.copy()), nominal=X.nominal)


def _numbers(rows: Table) -> Floats:
    columns = [column for _, column in rows.numeric_columns()]
    return np.column_stack(columns) if columns else np.empty((len(rows), 0))
