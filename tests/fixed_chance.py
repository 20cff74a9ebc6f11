"""Chance that is the same in every run: what draws without a seed gets one of its test's name.

Which a run does that judges a change (`CI`): a test that chance decides, were there one, would otherwise break another
change than the one that brought it. Runs elsewhere draw as users do. As for laws, see conftest.py.
"""

from __future__ import annotations

import itertools
import random
import zlib
from typing import Any

import numpy as np

from acumen.resampling import plan

_now: tuple[int, itertools.count[int]] = (0, itertools.count())


def begin(name: str) -> None:
    """From here on draws are those of this name."""
    global _now
    key = zlib.crc32(name.encode())
    _now = key, itertools.count()
    random.seed(key)
    np.random.seed(key)  # noqa: NPY002 - what other libraries draw from


def _seed() -> np.random.SeedSequence:
    """One for whoever has none, another each time."""
    key, times = _now
    return np.random.SeedSequence([key, next(times)])


def install() -> None:
    """Have numpy's generators and ours begin so where they are given no seed."""
    root, generator = plan._root, np.random.default_rng

    def rooted(random_state: Any, who: str) -> np.random.SeedSequence:
        return root(_seed() if random_state is None else random_state, who)

    def made(seed: Any = None) -> np.random.Generator:
        return generator(_seed() if seed is None else seed)

    plan._root = rooted
    np.random.default_rng = made
