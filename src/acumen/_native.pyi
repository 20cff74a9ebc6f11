"""acumen's C++ kernels."""

from collections.abc import Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


def count_levels(codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')]) -> None:
    """
    Add one column's counts to `table`: parts x (classes + 1) x (levels + 1).
    """

def count_levels_soft(codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], shares: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')]) -> None:
    """
    Add one column's counts to `table`, each row shared out over the classes.
    """

def add_gaussian_logs(columns: object, mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], variance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], total: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
    """
    Add sums of log N(x; mean, variance) to `total` (rows x classes), in place; missing values add nothing.
    """

def add_level_logs(columns: object, tables: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], total: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
    """
    Add table[:, code] of every column to `total` (rows x classes), in place; codes outside add nothing.
    """

def bin_codes(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Write the bin of each value (how many sorted cuts are at most it; NaN -1) to `codes`.
    """

def count_bins(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')]) -> None:
    """
    Add one column's counts to `table`: parts x (classes + 1) x (bins + 1).
    """

def count_bins_soft(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], shares: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')]) -> None:
    """The same, each row shared out over the classes."""

def intern_offsets(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], known: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], list[bytes]]:
    """
    Codes of strings in order of first occurrence (-1 where not known), and the distinct strings.
    """

def intern_views(views: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], buffers: Sequence[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]], known: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], list[bytes]]:
    """The same for Arrow's string views."""

def count_joint(columns: object, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, n_parts: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Distinct combinations in order, and their weights by class, both flat; with parts the part leads.
    """

def count_joint_soft(columns: object, shares: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """The same, each row shared out over the classes."""

def merge_joint(keys: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], other_keys: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], other_weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """The sum of two tables of sorted combinations, both arrays flat."""

def find_joint(keys: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], columns: object, place: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Write each row's place among the combinations `keys`, or -1, to `place`.
    """

def add_moments(values: object, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, n_parts: int, weight: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], rest: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], scatter: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> bool:
    """
    Add rows to the moments of their groups (part * classes + class), arrays of groups x columns.
    True when no value was missing.
    """

def add_moments_soft(values: object, shares: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], rest: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], scatter: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> bool:
    """Add rows to the moments of every class by their shares."""

def merge_moments(weight: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], rest: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], scatter: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], other_weight: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], other_mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], other_rest: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], other_scatter: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
    """Add the other moments to the first four arrays, in place."""

def add_parzen_logs(columns: object, code_columns: object, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], box: bool, width: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], centre: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], spread: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], log_same: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], log_other: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], log_level: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], leave_out: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], total: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
    """
    Add log densities to `total` (rows x classes), in place: means of windows on the training rows, which lie by class, class c from starts[c].
    """

def add_quadratic_logs(columns: object, mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], total: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> int:
    """
    Add log N(x; mean, covariance) to `total` (rows x classes), in place; `factor` holds the inverse lower
    Cholesky factors. Rows with a missing value stay as they were; how many there were is returned.
    """

def add_scatter(values: object, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, n_parts: int, shared: bool, centre: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], into: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')]) -> None:
    """
    Add products of deviations from `centre` to each group's (with `shared` each part's) matrix.
    """

def add_scatter_soft(values: object, shares: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], shared: bool, centre: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], into: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')]) -> None:
    """Add products of deviations, each row shared out over the classes."""

def add_pairs(values: object, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, n_parts: int, centre: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], sum: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], product: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')]) -> None:
    """
    Add weights, sums and products over the rows in which both columns of a pair are known.
    """

def add_pairs_soft(values: object, shares: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], centre: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], sum: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], product: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')]) -> None:
    """The same, each row shared out over the classes."""

@overload
def add_word_logs(starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], presence: bool, total: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None: ...

@overload
def add_word_logs(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], presence: bool, total: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
    """
    Add table[word] (words x classes) to `total` (rows x classes) for each word of a sparse row, in place: times its count, or once if `presence`.
    """

@overload
def add_words(starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, n_parts: int, sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], presence: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def add_words(starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, n_parts: int, sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], presence: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def add_words(starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, n_parts: int, sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], presence: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def add_words(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, n_parts: int, sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], presence: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def add_words(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, n_parts: int, sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], presence: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def add_words(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, n_parts: int, sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], presence: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Add a sparse matrix's rows to sums and presence, both groups x words."""

@overload
def add_words_soft(starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], shares: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], presence: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def add_words_soft(starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], shares: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], presence: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def add_words_soft(starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], shares: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], presence: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def add_words_soft(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], shares: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], presence: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def add_words_soft(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], shares: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], presence: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def add_words_soft(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], shares: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], presence: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """The same, each row shared out over the classes."""

def count_words(texts: Sequence[str], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[list[str], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    The distinct words in order, and for each the summed weight of its occurrences.
    """

def word_rows(texts: Sequence[str], vocabulary: Sequence[str]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """Word counts of each text as CSR: row ends, words' numbers, counts."""
