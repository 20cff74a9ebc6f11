"""acumen's C++ kernels."""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


def count_words(texts: Sequence[str], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
    """
    The distinct words in order, and for each the summed weight of its occurrences.
    """

def word_rows(texts: Sequence[str], vocabulary: Sequence[str]) -> tuple:
    """Word counts of each text as CSR: row ends, words' numbers, counts."""
