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
def intern_offsets(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], known: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], list[bytes]]:
    """
    Codes of strings in order of first occurrence (-1 where not known), and the distinct strings.
    """

def intern_views(views: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], buffers: Sequence[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]], known: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], list[bytes]]:
    """The same for Arrow's string views."""
