"""The face of principal components."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from acumen.base.transformer import Transformer
from acumen.data.schema import Schema
from acumen.errors import DataError
from acumen.linear import components
from acumen.models.parameters import AtLeast, Between, MoreThan
from acumen.preprocessing.sparse import dense_slices
from acumen.render.bars_plot import Bar, BarsFigure
from acumen.render.heat_maps import LoadingsFigure
from acumen.rows.intake import as_table
from acumen.types import Floats

#: Bytes of the scatter matrix beyond which PrincipalComponents objects.
_LARGEST = 1 << 30


class PrincipalComponents(Transformer):
    """Principal component analysis: project numeric attributes onto the directions of greatest variance.

    One pass over the data, in parts if necessary: `fit`, `partial_fit` and `fit_stream` give the same components.
    Nominal and text attributes are ignored, and so is the target. A missing value is replaced by its attribute's
    mean over the training rows, in `fit` and in `transform`; infinite values count as missing. Row weights of a
    Table count. Variances have divisor n (scikit-learn's PCA: n - 1).

    A Table becomes a Table with its target and weights, so that a learner of acumen can follow. Anything else becomes
    an array, or the output chosen with `set_output`.

    Parameters
    ----------
    n_components : int, float or "auto", optional
        The number of components; below 1 the fraction of the variance to explain with as few as possible; "auto" the
        number that exceeds noise (Horn's parallel analysis, 95 %). [default: all that have any variance] If you ask for
        more than that, the directions of the rest are arbitrary.
    scale : bool
        Divide each attribute by its standard deviation first, so that units do not matter.
    signs : sequence of 1 and -1, optional
        Flips components. An eigenvector has no sign of its own: here the entry of largest magnitude is
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
    summary_ : ComponentsSummary

    Examples
    --------
    >>> import acumen
    >>> view = acumen.PrincipalComponents(2).fit(acumen.datasets.load("iris"))
    >>> view.explained_variance_ratio_.round(3).tolist()
    [0.925, 0.053]
    """

    kind: ClassVar[str] = "principal-components"
    model_type = components.Components
    summarise = staticmethod(components.summarise)
    solve = staticmethod(components.solve)
    restore_summary = staticmethod(components.restore_summary)

    def __init__(
        self,
        n_components: Annotated[int, AtLeast(1)]
        | Annotated[float, MoreThan(0), Between(0, 1)]
        | Literal["auto"]
        | None = None,
        *,
        scale: bool = False,
        signs: list | tuple | np.ndarray | None = None,  # type: ignore[type-arg]
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.scale = scale
        self.signs = signs
        self.n_jobs = n_jobs

    def objection(self, schema: Schema) -> str | None:
        d = len(schema.numeric)
        size = 8 * d**2
        if not d:
            return "the table has 0 feature(s) that are numeric; there is nothing to do."
        if size > _LARGEST:
            return f"the scatter of {d} attributes would take {size / 2**30:.0f} GB; select fewer."
        return None

    # -- what was learned -------------------------------------------------------------------------

    def _components(self) -> components.Components:
        model: components.Components = self.model_
        return model

    @property
    def components_(self) -> Floats:
        return self._components().directions

    @property
    def explained_variance_(self) -> Floats:
        return self._components().variance

    @property
    def explained_variance_ratio_(self) -> Floats:
        return self._components().share

    @property
    def mean_(self) -> Floats:
        return self._components().mean

    @property
    def scale_(self) -> Floats:
        return self._components().spread

    @property
    def n_components_(self) -> int:
        return len(self._components().directions)

    def scree(self) -> BarsFigure:
        """Scree plot: the variance of each component; for scaled attributes, compared with that of noise."""
        model = self._components()
        if not hasattr(self, "summary_"):
            raise DataError(
                "PrincipalComponents: the model file holds no training summary, which a scree plot is drawn from; save "
                "with summary=True, or fit again."
            )
        values, noise = components.scree(self.summary_, self.scale)
        n = len(model.directions)
        bars = [
            Bar(f"PC{j + 1}", float(value), sure=j < n, mark=float(noise[j]) if self.scale else math.nan)
            for j, value in enumerate(values)
        ]
        return BarsFigure(
            bars, "variance", "Variance along each component", "kept", "left out", "95 % of noise is below"
        )

    def loadings(self) -> LoadingsFigure:
        """Plot the loadings of each component."""
        model = self._components()
        names = [attribute.name for attribute in self.schema_.numeric]
        return LoadingsFigure(
            names, model.names(self.schema_), model.directions.T, "What the components are made of"
        )

    def inverse_transform(self, X: Any) -> Floats:
        """Transform coordinates back to the numeric attributes; exact if all components were kept."""
        model = self._components()
        table = as_table(X)
        n = len(model.directions)
        if len(table.schema.numeric) != n:
            raise DataError(
                f"PrincipalComponents: there are {n} components; got {len(table.schema.numeric)} columns of numbers."
            )
        pieces = [
            model.inverse(np.column_stack(numbers.columns))
            for _, numbers in dense_slices(table)
            if len(numbers)
        ]
        return np.concatenate(pieces) if pieces else np.empty((0, len(model.mean)))
