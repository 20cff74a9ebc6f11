"""acumen's C++ kernels."""

from collections.abc import Sequence
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray


def adatron(kernel: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], low: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], high: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], epsilon: float, fold: float, shift: float, tolerance: float, max_sweeps: int) -> tuple[int, float]:
    """
    Minimise 1/2 b'(K + fold)b + (shift - z)'b + epsilon sum |b| within low <= b <= high by the kernel
    adatron: rows take turns. b and gradient (Kb - z) change in place. Gives the number of sweeps and the
    largest violation met in the last one.
    """

class AdditiveRows:
    """Rows by the slot that each column falls into, and the words they have."""

    def __init__(self, slots: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], word_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], word_row: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], row_word: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def scores(self, coefficient: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
        """
        The sum of each row's coefficients, one column of `out` for each line of them.
        """

    def sums(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
        """The sum of `values` over the rows of each slot and word."""

    def tables(self, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
        """
        The sum of a weight over the rows that are in both of two slots, for all two.
        """

    def forms(self, matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int = 1) -> None:
        """The quadratic form of each row's zeros and ones."""

def gradient_boost(columns: object, slots: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], nominal: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], low: object, high: object, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], response: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], held: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], base: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight_unit: float, monotone: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], options: dict[str, Any], tell: object | None, n_threads: int = 1) -> dict[str, Any]:
    """
    Gradient boosting from columns of codes: packed trees, and the loss of held-out rows after each round.
    """

def bucket_starts(weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], least: float) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    At which lines of class weights (values, classes) the buckets of 1R begin.
    """

def mine_cars(items: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], attribute: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], segment: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, folds: int, least: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_size: int, limit: int, free: bool, n_threads: int = 1) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], bool]:
    """
    Sets of conditions that are frequent with some class (without some fold): starts, items, counts by segment, and whether there were more than the limit.
    """

class CarCover:
    def __init__(self, items: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], attribute: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int) -> None: ...

    def make_lists(self, rules: list, parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], second: bool, n_threads: int = 1) -> list:
        """
        For each lot of rules in order (starts, items, classes) the list without the rows of its part: those kept, what each covers first and what it leaves, by class.
        """

def shorter_sets(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], items: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_items: int, width: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """
    The places of the sets with one item less, a line of `width` for each set; -2 where one is not there.
    """

def judge_cars(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], items: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], attribute: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], shorter: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], least: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], confidence: float, unit: float, cf: float, prune: bool, free: bool, classes: int, n_threads: int = 1) -> list:
    """
    Rules of mined sets in canonical order, without each fold in turn (of all rows where the thresholds are one line): starts, items, classes, and counts by class.
    """

CELL_WHOLE: int = 1

CELL_REAL: int = 2

CELL_TEXT: int = 4

CELL_BYTES: int = 8

CELL_TRUTH: int = 16

CELL_BIG: int = 32

CELL_OTHER: int = 64

CELL_NESTED: int = 128

def read_cells(cells: list[Any]) -> tuple[int, int, Any, Any, Any, list[str]]:
    """
    One column of Python values: families found, first nested row, numbers, which are whole, codes, texts.
    """

def read_rows(rows: list[tuple[Any, ...]], width: int) -> list[tuple[int, int, Any, Any, Any, list[str]]]:
    """The same for every column of a list of tuples."""

def parse_offsets(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], known: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    The numbers that strings between offsets spell; NaN where there is none.
    """

def count_levels(codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')]) -> None:
    """
    Add one column's counts to `table`: parts x (classes + 1) x (levels + 1).
    """

def count_levels_soft(codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], shares: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')]) -> None:
    """
    Add one column's counts to `table`, each row shared out over the classes.
    """

def require_codes(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)], levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], gaps: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
    """
    Refuse codes that are of no level; the other kernels of families trust them.
    """

def count_family(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)], levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], gaps: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Add the weight of each cell of a family to `table`, the first column varying slowest.
    """

def score_family(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)], levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], gaps: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], total: float, child: int, parents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], per_parameter: float, per_parent: float, prior: float, spread: bool, threads: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Score a child under its parents, and with each allowed column added to them or left out.
    """

def pair_information(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)], levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], gaps: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], given: int, threads: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    The mutual information of every two columns, given another column or nothing, in nats.
    """

def cover_first(numbers: object, codes: object, kinds: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], low: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], high: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], allowed_at: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], given: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], places: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n: int, n_threads: int = 1) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """
    The number of the first body that holds for each row, -1 where none does.
    """

def fisher_tails(right: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], covered: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], head: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], whole: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    One-sided chances of Fisher's exact test, one for each table of counts.
    """

def relief(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], level: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], gap: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], expected: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], both: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], k: int, made: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int = 1) -> None:
    """
    Relief-F's sums of the attributes over all rows, sorted by class, into `made`.
    """

class LinearRows:
    """Rows that meet weights, dense or CSR, checked once."""

    @overload
    def __init__(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    @overload
    def __init__(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int) -> None: ...

    @property
    def width(self) -> int: ...

    def products(self, which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: float, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int = 1) -> None:
        """
        Fill `out` with the products of some rows and v, whose last number is the bias attribute's.
        """

    def sum(self, which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: float, u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int = 1) -> None:
        """Fill `out` with the sum of some rows, each times its number in u."""

    def squares(self, which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: float, u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int = 1) -> None:
        """
        Fill `out` with the sum of some rows' squares, each row's times its number in u.
        """

    def curvature(self, which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: float, scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int = 1) -> None:
        """Fill `out` with the sum of scale x (row times v) x row over some rows."""

def add_distinct(columns: object, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, n_parts: int, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], count: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Add the columns' values to the sets of their parts, (parts * columns, limit), in place.
    """

def merge_distinct(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], count: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], other_values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], other_count: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
    """Add other sets to the first two arrays, in place."""

def dual_ascent(rows: LinearRows, z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], low: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], high: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ridge: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], squares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], epsilon: float, bias: float, b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], tolerance: float, max_sweeps: int, seed: int) -> tuple[int, float]:
    """
    Minimise the dual of a linear machine, one row at a time in random order; b and w (whose last
    number is the bias attribute's) change in place. Gives the number of sweeps and the largest
    violation left.
    """

def forest_codes(columns: object, cuts: object, slots: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: object, rows: int, n_threads: int = 1) -> None:
    """
    Write numbers (by their column's cuts) and levels as codes of one or two bytes.
    """

def grow_forest(columns: object, slots: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], nominal: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], low: object, high: object, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], response: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], units: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], options: dict[str, Any], tell: object | None, n_threads: int = 1) -> dict[str, Any]:
    """
    Grow a tree for each seed from columns of codes; packed trees and what they say of rows out of bag.
    """

def boost_stumps(columns: object, slots: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], nominal: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], low: object, high: object, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, rounds: int, samme: bool, resample: bool, retries: int, seed: int, tell: object | None, n_threads: int = 1) -> dict[str, Any]:
    """
    AdaBoost of stumps from columns of codes: packed stumps whose leaves hold their votes, and the trace.
    """

def forest_kept(forest: object, columns: object, slots: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], nominal: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], low: object, high: object, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], response: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], units: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], options: dict[str, Any], sum: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], votes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], errors: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> dict[str, Any]:
    """
    What trees grown elsewhere say of rows out of their bags, after what others have said before them: sums, votes, and after each tree the weight of wrong, of voted and of unvoted wrong rows.
    """

def forest_permuted(forest: object, columns: object, slots: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], nominal: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], low: object, high: object, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], response: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], units: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], options: dict[str, Any], groups: Sequence[Sequence[int]], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
    """
    By how much each tree errs more on its rows out of bag when a group of columns is permuted among them.
    """

def forest_values(forest: object, codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
    """
    Add the leaf values of all trees, in their order, to `out` (rows x outputs).
    """

def forest_leaves(forest: object, codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
    """Write the leaf of each row in each tree into `out` (rows x trees)."""

def forest_contributions(forest: object, codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)], moved: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    What each column moves the values of one row by, and the sum of the roots' values.
    """

def add_gaussian_logs(columns: object, mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], variance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], total: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
    """
    Add sums of log N(x; mean, variance) to `total` (rows x classes), in place; missing values add nothing.
    """

def add_level_logs(columns: object, tables: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], total: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
    """
    Add table[:, code] of every column to `total` (rows x classes), in place; codes outside add nothing.
    """

def cut_graph(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], least: float, seed: int) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,))], float, int]:
    """
    The side of each vertex of a light cut in two, the weight of the cut and the number of its edges.
    """

def cut_inside(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], members: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], least: float, seed: int) -> tuple[float, int]:
    """
    The weight of a light cut in two of some of the vertices, and the number of its edges.
    """

def partition_graph(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: int, most: float, least: float, seed: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """
    The part of each vertex: the largest part is cut in two until there are `parts` and none is larger than `most`.
    """

def bin_codes(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Write the bin of each value (how many sorted cuts are at most it; NaN -1) to `codes`.
    """

def intern_offsets(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], known: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], list[bytes]]:
    """
    Codes of strings in order of first occurrence (-1 where not known), and the distinct strings.
    """

def intern_views(views: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], buffers: Sequence[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]], known: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], list[bytes]]:
    """The same for Arrow's string views."""

def mine_itemsets(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], items: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rank: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], root_least: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], size_least: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], roots: int, max_size: int, max_difference: int, kind: str, limit: int, count_only: bool, n_threads: int = 1) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], float, bool, bool]:
    """
    Frequent sets: a line of parent, item and count for each of all, or counts, starts and items of closed or maximal ones; then how many, and whether Ctrl-C or the limit cut the search short.
    """

def estimate_itemsets(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], items: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rank: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], root_least: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], size_least: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], roots: int, max_size: int, max_difference: int, walks: int, seed: int) -> float:
    """About how many frequent sets there are, from random walks."""

def count_itemsets(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], items: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_items: int, set_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], set_items: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """How many rows hold all items of each set."""

@overload
def add_kernel_sums(kernel: str, gamma: float, offset: float, degree: int, rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], squares: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], others: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], other_squares: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None: ...

@overload
def add_kernel_sums(kernel: str, gamma: float, offset: float, degree: int, rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], squares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], others: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], other_squares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
    """
    Add the sum over j of coefficients[j] k(rows i, others j) to out[i], in place; no kernel is kept.
    """

@overload
def kernel_lines(kernel: str, gamma: float, offset: float, degree: int, rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], squares: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], others: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], other_squares: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> None: ...

@overload
def kernel_lines(kernel: str, gamma: float, offset: float, degree: int, rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], squares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], others: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], other_squares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> None:
    """Write k(others j, rows i) to out[places[j]][i]."""

@overload
def add_kept_lines(lines: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int = 1) -> None: ...

@overload
def add_kept_lines(lines: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int = 1) -> None:
    """
    Add the sum over j of coefficients[j] lines[places[j]][i] to out[i], in place.
    """

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

@overload
def rbf_of_products(products: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], row_norms: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], column_norms: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gamma: float, n_threads: int = 1) -> None: ...

@overload
def rbf_of_products(products: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], row_norms: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], column_norms: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], gamma: float, n_threads: int = 1) -> None:
    """
    Turn inner products into exp(-gamma |x - y|^2), in place, from the squares of the rows' norms.
    """

def rbf_of_products_to_single(products: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], row_norms: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], column_norms: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gamma: float, out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
    """
    The same from products in double precision into `out`, in single precision.
    """

def weighted_gram(columns: object, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
    """
    X' diag(weights) X with a column of ones behind the others; rows of weight zero are passed over.
    """

def logistic_dense(columns: object, centre: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], gradient: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], hessian: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, n_threads: int = 1) -> float:
    """
    The loss of logistic regression over columns read as (x - centre) * factor, missing as zero;
    `gradient` (lines x columns and intercept) and `hessian` (its square, or None) are overwritten.
    """

class SparseRows:
    """A sparse matrix by rows and by columns, checked once."""

    def __init__(self, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], at: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], t_ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], t_at: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], t_value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def logistic(self, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], scratch: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], gradient: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> float:
        """
        The loss of logistic regression; `gradient` is overwritten, `scratch` left with the residuals.
        """

    def logistic_hessian(self, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], hessian: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
        """The second derivatives of that loss."""

def lasso_path(columns: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], is_gram: bool, product: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], total: float, penalties: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tolerance: float, sweeps: int, coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], reached: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Minimise |target - w columns|^2 / 2 + penalty |w|_1 for each penalty, in the order given; `columns` has a
    row for each coordinate, or holds their inner products if `is_gram`; `product` is that of each with the
    target, `total` the target's own. Fills `coefficients` (penalties x coordinates) and `reached`: the
    duality gap as a share of `total`, and the number of sweeps.
    """

class FeatureTree:
    """Rows summarised by a tree of cluster features."""

    def __init__(self, d: int, threshold: float, branching: int, most: int) -> None: ...

    def add(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Put rows into the tree, in order."""

    def join(self, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], scatter: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: float) -> None:
        """Put the subclusters of another tree into this one, in order."""

    def read(self, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], scatter: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Fill arrays with the subclusters, from the first leaf to the last."""

    @property
    def width(self) -> int:
        """How many attributes a row has."""

    @property
    def size(self) -> int:
        """How many subclusters there are."""

    @property
    def threshold(self) -> float:
        """The radius that none of them exceeds."""

    @property
    def rebuilt(self) -> int:
        """How often the threshold was raised."""

def means_pass(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], centres: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], moved: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], sum: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], whole: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], known: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> int:
    """
    One pass of k-means over a block: fill labels and bounds, add to sums and weights; how many labels changed.
    """

def own_squares(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], centres: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Fill `out` with the squared distance of each row to the centre of its label.
    """

def squared_distances(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], centres: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Fill `out` with the squared distance of each row to each centre, over what is known.
    """

def mixture_pass(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], constants: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], means: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], factors: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], diagonal: bool, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], first: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], second: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> float:
    """
    One pass of a mixture over the complete rows of a block: add to the components' sums about their means; the log-likelihood.
    """

def mixture_logs(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], constants: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], means: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], factors: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], diagonal: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Fill `out` with log share + log density of each component at each row; NaN where there are gaps.
    """

def prototype_pass(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], centres: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], modes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], gamma: float, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], away: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], sum: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], known: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], counts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], whole: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int:
    """
    One pass of k-prototypes over a block: fill labels and distances, add to sums and counts; how many labels changed.
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

class Neighbours:
    """Rows among which the nearest are searched."""

    def __init__(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], row_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], part: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], way: str, rule: str, root: str, power: float, unit: float, share: bool, capped: bool, factor: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], differ: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], count: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tables: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], levels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], extra: float, n_threads: int = 1) -> None: ...

    def votes(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], extra: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], own: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], part: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], k: float, say: str, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], totals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], votes: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], winner: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], reach: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], within: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int = 1) -> None: ...

    def curve(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], extra: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], own: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], part: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], say: str, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], totals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], truth_labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], truth_numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], query_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], squares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_threads: int = 1) -> None: ...

    def lists(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], extra: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], own: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], part: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], k: float, n_threads: int = 1) -> tuple: ...

    def between(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], extra: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], own: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], part: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], made: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None: ...

def link_rows(rows: Neighbours, extra: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], far: float, linkage: str, n_threads: int = 1) -> tuple:
    """
    The joins of a hierarchy in the order of their heights: (first group, second, height, rows).
    """

def cut_joins(a: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], joins: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """The group of each row after the first joins."""

def dense_rows(rows: Neighbours, extra: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], eps: float, enough: float, n_threads: int = 1) -> tuple:
    """
    Groups of rows that lie densely: (whether each is a core, its group or -1, how many groups).
    """

def start_medoids(rows: Neighbours, extra: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], far: float, drawn: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """Rows spread out, one for each number drawn; fewer where fewer differ."""

def search_medoids(rows: Neighbours, extra: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], far: float, medoids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], drawn: bool, seed: int, patience: int, most: int, n_threads: int = 1) -> tuple:
    """
    Better medoids by swaps: (medoids, the place of each row's, loss, losses, candidates, settled).
    """

def add_parzen_logs(columns: object, code_columns: object, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], box: bool, width: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], centre: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], spread: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], log_same: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], log_other: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], log_level: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], leave_out: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], total: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
    """
    Add log densities to `total` (rows x classes), in place: means of windows on the training rows, which lie by class, class c from starts[c].
    """

def perceptron_epoch(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rate: float, tie_is_right: bool, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], lag: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], step: float) -> tuple[int, float]:
    """
    Go through the rows once, moving `weights` (vectors x columns) where they err, in place; gives the moves and the steps so far. `lag` gathers moves times steps, or is empty.
    """

def perceptron_epoch_sparse(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], places: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rate: float, tie_is_right: bool, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], lag: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], step: float) -> tuple[int, float]:
    """The same for compressed sparse rows."""

def perceptron_epoch_kernel(kernel: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rate: float, tie_is_right: bool, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], products: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], lag: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], step: float) -> tuple[int, float]:
    """
    The same in the dual: `alpha` and `products` are vectors x rows, in place.
    """

def add_quadratic_logs(columns: object, mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], total: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> int:
    """
    Add log N(x; mean, covariance) to `total` (rows x classes), in place; `factor` holds the inverse lower
    Cholesky factors. Rows with a missing value stay as they were; how many there were is returned.
    """

def pair_sums(scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], positive: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> tuple[float, float, float]:
    """
    Weight of positive rows, of negative rows, and of the pairs ranked rightly (a tie counts one half).
    """

def tie_groups(scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], positive: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    The distinct scores, highest first, and the weight of positive and of negative rows of each.
    """

class CodedRows:
    def __init__(self, columns: Sequence, sizes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ordered: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], group: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], directions: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int) -> None: ...

    def ripper(self, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], smoothed: bool, sets: bool, min_covered: float, max_conditions: int, must: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], prune_share: float, passes: int, all_classes: bool, subsets: bool, by_error: bool, conditions: float, seed: int, worth: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> object:
        """
        RIPPER: the class of each rule, its tests (rule, column, op, value), and the codes of sets.
        """

    def cn2(self, measure: int, ordered: bool, beam: int, critical: float, min_covered: float, max_conditions: int, m: float, threshold: float, must: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> object:
        """
        CN2: the class of each rule, its tests (rule, column, op, value), and no sets.
        """

    def grow(self, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], label: int, smoothed: bool, sets: bool, min_covered: float) -> object:
        """One rule grown on some rows by FOIL's gain."""

    def prune(self, tests: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], held: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], label: int, whole: bool, subsets: bool) -> object:
        """A rule (column, op, value of each test) pruned on rows held back."""

def rule_theory_bits(k: float, n: float) -> float:
    """
    The bits of a rule of k conditions out of n possible ones (Quinlan 1995).
    """

def rule_data_bits(expected: float, cover: float, uncover: float, wrong: float, missed: float) -> float:
    """The bits of the exceptions to rules."""

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

def sgd(rows: LinearRows, z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], epsilon: float, bias: float, shift: float, numbers: bool, squared: bool, steps: int, seed: int, delay: float, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], pulls: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Steps of primal subgradient descent, a row drawn at random at each; `w` becomes the mean of the
    steps' weights, and `pulls` each row's part in the last ones.
    """

def single_machine(rows: LinearRows, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], cost: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], squares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: float, a: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], w: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], tolerance: float, max_sweeps: int, seed: int) -> tuple[int, float]:
    """
    Minimise the dual of Crammer and Singer's machine of all classes, one row at a time; `a` (rows x
    classes) and `w` ((columns + 1) x classes) change in place. Gives the sweeps and the largest
    violation left.
    """

@overload
def smo(kernel: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], low: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], high: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], epsilon: float, balanced: bool, tolerance: float, max_steps: int) -> tuple[int, float]: ...

@overload
def smo(kernel: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], low: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], high: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], epsilon: float, balanced: bool, tolerance: float, max_steps: int) -> tuple[int, float]:
    """
    Minimise 1/2 b'Kb - z'b + epsilon sum |b| within low <= b <= high, and with the sum of b as it is where `balanced`, by
    steps of sequential minimal optimisation; b and gradient (Kb - z) change in place. Gives the number of
    steps and the largest violation left.
    """

def smo_many(kernel: str, gamma: float, offset: float, degree: int, rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], squares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], extra: float, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], members: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], low: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], high: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ridge: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], balanced: bool, tolerance: float, fine: float, max_steps: int, steps: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_threads: int = 1) -> None:
    """
    Solve many small machines as `smo` does one, kernel lines being made as they are asked for: machine m has the
    rows members[starts[m]:starts[m + 1]]. b (zeros), gradient and steps change in place, and are in order even
    when Ctrl-C raises.
    """

SPARSE_NUL: int = 1

SPARSE_TOO_LONG: int = 2

SPARSE_LABEL: int = 3

SPARSE_PAIR: int = 4

SPARSE_ORDER: int = 5

SPARSE_POSITION: int = 6

SPARSE_QUERY: int = 7

SPARSE_QUOTE: int = 8

SPARSE_LABELS: int = 9

class SvmReader:
    """Rows out of svmlight text that is fed in pieces."""

    def __init__(self, longest: int, largest: int) -> None:
        """
        `longest` is the most bytes a line may have, `largest` the greatest position.
        """

    def feed(self, piece: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], last: bool = False) -> None:
        """Take more text; only whole lines are read until the last piece."""

    def clear(self) -> None:
        """Forget the rows, whose arrays have been taken."""

    def starts(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Where each row begins among the positions, and where the last ends."""

    def positions(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def lines(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """The physical line of each row."""

    @property
    def n_rows(self) -> int: ...

    @property
    def blank_lines(self) -> int: ...

    @property
    def comments(self) -> int: ...

    @property
    def fault(self) -> int: ...

    @property
    def fault_line(self) -> int: ...

    def values(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def labels(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def queries(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def smallest(self) -> int: ...

    @property
    def greatest(self) -> int: ...

    @property
    def any_query(self) -> bool: ...

    @property
    def infinite(self) -> int: ...

    @property
    def first_infinite(self) -> int: ...

    @property
    def infinite_text(self) -> bytes: ...

    @property
    def fault_text(self) -> bytes: ...

class BasketReader:
    """Baskets of items out of text, one a line."""

    def __init__(self, *, delimiter: str, quote: str, comment: str, label: int, longest: int) -> None:
        """
        An empty delimiter means runs of blanks; `label` is 0 for none, 1 if it stands first, 2 if last.
        """

    def feed(self, piece: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], last: bool = False) -> None:
        """Take more text; only whole lines are read until the last piece."""

    def clear(self) -> None:
        """Forget the rows, whose arrays have been taken."""

    def starts(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Where each row begins among the positions, and where the last ends."""

    def positions(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def lines(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """The physical line of each row."""

    @property
    def n_rows(self) -> int: ...

    @property
    def blank_lines(self) -> int: ...

    @property
    def comments(self) -> int: ...

    @property
    def fault(self) -> int: ...

    @property
    def fault_line(self) -> int: ...

    def know(self, item: str) -> None:
        """Give an item the next code."""

    def items(self) -> list[bytes]:
        """The items in code order, as bytes."""

    def label_names(self) -> list[bytes]: ...

    def labels(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def n_items(self) -> int: ...

    @property
    def empty(self) -> int: ...

    @property
    def repeated(self) -> int: ...

class TextDialect:
    """How text is written down, in the tokenizer's terms."""

    def __init__(self, *, delimiter: str = ',', blanks: bool = False, quotes: str = '"', doubled: bool = True, escapes: bool = False, arff: bool = False, comment: str = '', loose_comment: bool = False, decimal: str = '', missing: Sequence[str] = [], missing_always: Sequence[str] = [], missing_perhaps: Sequence[str] = [], verbatim: bool = False) -> None:
        """
        Empty strings mean none; an empty `decimal` means either mark, found out column by column.
        """

class ColumnStats:
    """What was seen in one column."""

    @property
    def missing(self) -> int: ...

    @property
    def empty(self) -> int: ...

    @property
    def quoted_missing(self) -> int: ...

    @property
    def infinite(self) -> int: ...

    @property
    def not_a_number(self) -> int: ...

    @property
    def unknown(self) -> int: ...

    @property
    def with_blank(self) -> int: ...

    @property
    def distinct_numbers(self) -> int: ...

    @property
    def distinct_dates(self) -> int: ...

    @property
    def comma(self) -> bool: ...

    @property
    def thousands(self) -> bool:
        """
        Whether every decimal mark, if there is one, could stand between thousands.
        """

    @property
    def whole(self) -> bool: ...

    @property
    def long_whole(self) -> bool: ...

    @property
    def capped(self) -> bool: ...

    @property
    def point(self) -> bool: ...

    @property
    def exponent(self) -> bool: ...

    @property
    def leading_zero(self) -> bool: ...

    @property
    def big_integer(self) -> bool: ...

    @property
    def why(self) -> int: ...

    @property
    def turn(self) -> tuple[int, str] | None:
        """
        Line and value that a column of numbers, or of fixed levels, could not take; or None.
        """

    @property
    def first_infinite(self) -> tuple[int, str] | None: ...

    @property
    def first_quoted_missing(self) -> tuple[int, str] | None: ...

    @property
    def first_big(self) -> tuple[int, str] | None: ...

    @property
    def first_zero(self) -> tuple[int, str] | None: ...

    @property
    def first_other(self) -> tuple[int, str] | None: ...

    @property
    def maybe_missing(self) -> int: ...

    @property
    def first_maybe(self) -> tuple[int, str] | None: ...

    @property
    def timed(self) -> bool: ...

    @property
    def first_zoned(self) -> tuple[int, str] | None: ...

    @property
    def first_unzoned(self) -> tuple[int, str] | None: ...

class TextTable:
    """Columns out of text that is fed in pieces of any size."""

    def __init__(self, dialect: TextDialect, modes: Sequence[int], *, ragged: str = 'drop', first: str = 'data', store: bool = True, line: int = 1, threads: int = 1) -> None:
        """
        `modes` has a MODE_ for each column; `line` is the number of the first line to be fed.
        """

    def feed(self, data: bytes | bytearray | memoryview, last: bool = False, limit: int = -1) -> None:
        """
        Take more UTF-8 text; stop at `limit` stored rows (then take them, `clear`, and feed nothing to go on).
        """

    def expect(self, bytes: int) -> None:
        """Say beforehand how much text there will be in all."""

    def settle(self, first_is_data: bool) -> None:
        """Say whether the first record, held apart, is data."""

    def clear(self) -> None:
        """Forget the stored rows, whose columns have been taken."""

    def set_levels(self, column: int, levels: Sequence[str], absent_is_first: bool = True) -> None:
        """
        The levels of a MODE_FIXED column, in code order; what a sparse row does not name is the first of them, or missing.
        """

    def keep_all(self, column: int) -> None:
        """Tell this column's distinct strings apart however many there are."""

    def values(self, column: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The numbers of a column; they can be taken once."""

    def recode(self, column: int, mapping: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Change the codes of a column of strings, in place."""

    def codes(self, column: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The codes of a column of strings; they can be taken once."""

    def texts(self, column: int) -> list[str | None]:
        """
        The strings of a column, row by row, None where missing; they can be taken once.
        """

    def levels(self, column: int, most: int = -1) -> list[str]:
        """
        The distinct strings of a column in code order; `most` of them, if it is not negative.
        """

    def count_levels(self, column: int) -> int: ...

    def has_level(self, column: int, text: str) -> bool: ...

    def form(self, column: int) -> int:
        """One of the FORM_ numbers."""

    def mark(self, column: int) -> str:
        """The decimal mark a column's numbers were read with."""

    def stats(self, column: int) -> ColumnStats: ...

    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """ARFF: the weight of each row; they can be taken once."""

    def mark_every(self, rows: int) -> None:
        """Keep where every so many rows begin, the first excepted."""

    @property
    def marks(self) -> list[int]:
        """Bytes of the text fed before each of these rows."""

    @property
    def mark_lines(self) -> list[int]:
        """The lines they begin in."""

    @property
    def last_line(self) -> int:
        """The line of the last row; 0 if there is none."""

    @property
    def last_cells(self) -> list[str]:
        """The texts of the last row, at most 64 of them."""

    @property
    def weighted(self) -> bool:
        """ARFF: whether some weight is not one."""

    @property
    def rows(self) -> int: ...

    @property
    def columns(self) -> int: ...

    @property
    def full(self) -> bool:
        """Whether the last feed stopped at its limit."""

    @property
    def line(self) -> int:
        """The physical line of the next record."""

    @property
    def fault(self) -> int:
        """One of the FAULT_ numbers; 0 if there is none."""

    @property
    def fault_line(self) -> int: ...

    @property
    def short_rows(self) -> int: ...

    @property
    def long_rows(self) -> int: ...

    @property
    def ragged(self) -> list[tuple[int, int]]:
        """Lines and field counts of the first ragged rows."""

    @property
    def blank_lines(self) -> int: ...

    @property
    def comment_lines(self) -> int: ...

    @property
    def first_comment(self) -> int: ...

    @property
    def first_line(self) -> int:
        """Where the first record, held or skipped, stands; or 0."""

    @property
    def first_count(self) -> int:
        """How many fields the first record had."""

    @property
    def first_cells(self) -> list[tuple[str, bool]]:
        """The first record: text and whether it was quoted."""

class SampleRecord:
    """One of a file's first records."""

    @property
    def line(self) -> int: ...

    @property
    def count(self) -> int:
        """How many fields it has."""

    @property
    def hash(self) -> bool:
        """Whether it begins with #."""

    @property
    def cells(self) -> list[tuple[str, bool]]:
        """Text and whether it was quoted."""

def sample_records(data: bytes | bytearray | memoryview, dialect: TextDialect, *, last: bool, limit: int, cells: bool) -> tuple[list[SampleRecord], int]:
    """The first records, and the fault that ended them (0: none)."""

def parse_number(text: str, decimal: str = '.') -> float | None:
    """The number a text spells as a table's cell, or None."""

def parse_date(text: str) -> float | None:
    """Days since 1970-01-01 of an ISO date, or None."""

MODE_SKIP: int = 0

MODE_AUTO: int = 1

MODE_NUMERIC: int = 2

MODE_DOT: int = 3

MODE_COMMA: int = 4

MODE_DATE: int = 5

MODE_STRING: int = 6

MODE_FIXED: int = 7

FORM_EMPTY: int = 0

FORM_NUMBER: int = 1

FORM_DATE: int = 2

FORM_STRING: int = 3

FORM_MIXED: int = 4

WHY_TEXT: int = 1

WHY_LEADING_ZERO: int = 2

WHY_BIG_INTEGER: int = 3

WHY_BOTH_MARKS: int = 4

FAULT_UNCLOSED_QUOTE: int = 1

FAULT_AFTER_QUOTE: int = 2

FAULT_NUL: int = 3

FAULT_ENCODING: int = 4

FAULT_TOO_LONG: int = 5

FAULT_WEIGHT: int = 6

FAULT_SPARSE: int = 7

@overload
def trace_sparse(starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], low: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], high: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], infinite: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], threads: int = 1) -> None: ...

@overload
def trace_sparse(starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], low: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], high: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], infinite: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], threads: int = 1) -> None:
    """
    Add the entries of a sparse matrix to the hashes of their rows, and widen the columns' finite ranges.
    """

def trace_rows(values: object, codes: object, keys: Sequence[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]], place: int, low: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], high: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], infinite: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], threads: int = 1) -> None:
    """
    Add columns of numbers and of codes to the hashes of their rows, and widen the finite ranges of the numbers.
    Keys are, for each column of codes, those of unknown, of missing and of each level.
    """

def scramble(hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Let every bit of each word move every bit of it, in place."""

def sample_hashes(hashes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], level: int, most: int) -> tuple:
    """
    How many leading zero bits leave at most so many different hashes, at least `level`; and these.
    """

def suspect_numbers(values: object, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: int, classes: int) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """
    For each column what a sample leaves possible: 1 constant, 2 an identifier, 4 a leak.
    """

def suspect_codes(codes: object, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], lonely: bool) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """
    What each column of codes may be: 1 constant, 4 a leak (rows are gone through until neither is possible);
    8 if a level occurs in one row only, where `lonely` asks for it.
    """

def count_strange(values: object, low: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], high: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: object, outside: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], unknown: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], threads: int = 1) -> None:
    """
    How many values of each column lie outside its range, and how many codes of each are unknown.
    """

def count_codes(codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Add to the counts of unknown, missing and each level how often they occur.
    """

def tree_count_cells(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], slots: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], at: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], cells: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
    """
    Add rows at some nodes of a tree to the cells of these nodes, in place.
    """

def tree_split_cells(cells: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], at: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], number_at: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], code_at: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ordered: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: int, depth: int, paths: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], factors: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], attribute_costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], options: dict, n_threads: int = 1) -> dict[str, Any]:
    """
    The test of each node from its cells, and the class weights of its children.
    """

def tree_leaf_counts(tree: object, columns: object, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], node_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
    """
    Add the weight of each row to `counts` at the leaves it falls on, in place.
    """

def tree_raise(tree: object, columns: object, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], regret: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], cf: float, raising: bool, counts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    Pessimistic pruning of C4.5; gives each node's new first child, number of branches and whose test it has, and brings `counts` up to date.
    """

def extra_errors(cases: float, errors: float, cf: float) -> float:
    """
    What C4.5 adds to the errors of a leaf: the upper limit of its error rate at confidence `cf`.
    """

def tree_measures() -> list[str]:
    """The names of the split measures the kernels know."""

def grow_tree(numbers: object, number_at: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: object, code_at: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ordered: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, factors: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], attribute_costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], options: dict[str, Any], n_threads: int = 1, order: object | None = None) -> dict[str, Any]:
    """
    Grow a tree from columns of numbers and of codes; the arrays of its nodes, level by level. `order` is that of a larger table's numbers (see presort), with the places of these rows in it.
    """

def presort(numbers: object, n_threads: int = 1) -> tuple[Any, Any]:
    """
    Of each column the ranks and rows of its known values in ascending order, and how many there are.
    """

def tree_scores(tree: object, columns: object, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], shares: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], logs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
    """
    Write log P(class | row) into `out` (rows x classes): a row that no branch of a node fits goes down all of them, in shares of the weight of their nodes.
    """

def triangular(columns: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], factor: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Fill `factor` with the upper triangular R for which R'R is the inner products of the columns, which are
    the rows of `columns`; these are used up.
    """

def cholesky(gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> bool:
    """
    Fill `factor` with the upper triangular R of R'R = gram; false where the matrix is not positive definite.
    """

def multiply_triangles(a: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], product: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Fill `product` with a b, all upper triangular."""

def divide_rows(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], factor: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
    """Divide each row by an upper triangular factor, in place."""

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
