"""acumen's C++ kernels."""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


def count_words(texts: Sequence[str], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[list[str], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    The distinct words in order, and for each the summed weight of its occurrences.
    """

def word_rows(texts: Sequence[str], vocabulary: Sequence[str]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """Word counts of each text as CSR: row ends, words' numbers, counts."""
