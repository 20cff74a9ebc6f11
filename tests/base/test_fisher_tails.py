"""The chances of Fisher's exact test against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import hypergeom

from acumen import _native


def test_fisher_tails_are_those_of_the_hypergeometric_distribution() -> None:
    rng = np.random.default_rng(0)
    whole = rng.integers(5, 400, 200)
    covered, head = (rng.integers(0, whole + 1) for _ in range(2))
    least, most = np.maximum(0, covered + head - whole), np.minimum(covered, head)
    right = rng.integers(least, most + 1)
    got = _native.fisher_tails(right, covered, head, whole)
    assert np.allclose(got, hypergeom.sf(right - 1, whole, head, covered), rtol=1e-9)


def test_counts_that_do_not_go_together_are_refused() -> None:
    one = [np.array([n]) for n in (5, 4, 9, 10)]  # five right of four covered
    with pytest.raises(ValueError, match="do not go together"):
        _native.fisher_tails(*one)
