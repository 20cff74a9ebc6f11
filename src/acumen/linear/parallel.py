"""How many components there are: as many as vary more than noise of the same columns would.

J. L. Horn, A rationale and test for the number of factors in factor analysis, Psychometrika 1965: the variances along
the components are compared with those of independent normal columns, of the same variances and as many rows; a
component counts where its variance exceeds what 95 % of such tables have along theirs (Glorfeld 1995), until the first
that does not. The scatter of n normal rows is drawn by Bartlett's decomposition, so no rows are made up; the seed is
fixed.
"""

from __future__ import annotations

import numpy as np

from acumen.types import Floats

#: Tables of noise, and what share of them a component must exceed.
DRAWS, LEVEL = 100, 0.95
#: Columns beyond which fewer tables are drawn, as eigenvalues take the cube of their number.
_WIDE = 200


def noise_variances(variances: Floats, rows: float) -> Floats:
    """What independent normal columns of these variances vary by along their components, at the 95th percentile."""
    rng = np.random.default_rng(0)
    d, freedom = len(variances), max(round(rows) - 1, 1)
    spread = np.sqrt(variances)
    found = np.empty((DRAWS if d <= _WIDE else 20, d))
    for draw in found:
        if freedom >= d:
            root = np.tril(rng.standard_normal((d, d)), -1)
            root[np.diag_indices(d)] = np.sqrt(rng.chisquare(freedom - np.arange(d)))
        else:
            root = rng.standard_normal((d, freedom))
        values = np.linalg.svd(spread[:, None] * root, compute_uv=False) ** 2 / (freedom + 1)
        draw[:] = 0.0
        draw[: len(values)] = values
    return np.asarray(np.quantile(found, LEVEL, axis=0))


def beyond_noise(values: Floats, noise: Floats) -> int:
    """How many of the variances, largest first, exceed those of noise; one at least."""
    above = values > noise
    return max(1, int(np.argmin(above)) if not above.all() else len(values))
