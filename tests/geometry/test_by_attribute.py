"""What single attributes add to a distance, how they are weighed, and which index helps: by their definitions."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.distances import (
    Chebyshev,
    Euclidean,
    Function,
    Gower,
    Mahalanobis,
    Manhattan,
    Minkowski,
    Ordinal,
    ValueDifference,
)
from acumen.errors import DataError, ModelFileError
from acumen.geometry import search as searching
from acumen.geometry.distance import weigh_table
from acumen.geometry.distance_state import from_arrays, to_arrays
from acumen.geometry.search import NeighbourSearch
from acumen.geometry.support import training_rows
from acumen.kernels import RBF, Linear

NUMBERS = np.array([[0.0, 10.0, 1.0], [3.0, 6.0, 1.5], [1.0, 2.0, 4.0], [2.0, 4.0, 1.0]])


def mixed() -> Table:
    """A number with a missing value, an ordinal attribute of four levels and a nominal one of three."""
    attributes = (
        Attribute("x"), Attribute("size", "ordinal", ("xs", "s", "m", "l"), True),
        Attribute("colour", "nominal", ("red", "green", "blue")),
    )  # fmt: skip
    return Table(
        Schema(attributes, Attribute("y", "nominal", ("u", "v"))),
        5,
        numeric=[np.array([0.0, 2.0, np.nan, 8.0, 4.0])],
        nominal=[np.array([0, 1, 3, 2, -1], dtype=np.int32), np.array([0, 1, 1, 0, 2], dtype=np.int32)],
        labels=np.array([0, 1, 1, 0, 1], dtype=np.int32),
    )


@pytest.mark.parametrize(
    ("distance", "part"),
    [
        (Euclidean(), lambda away: away**2),
        (Manhattan(), lambda away: away),
        (Minkowski(3.0), lambda away: away**3),
        (Chebyshev(), lambda away: np.where(away == away.max(), away, 0.0)),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_attributes_share_a_distance_by_what_they_add(distance, part) -> None:
    table = acumen.read(NUMBERS)
    fitted = distance.fit(table)
    rows = fitted.raw(table)
    search = NeighbourSearch(fitted, rows)
    for asked in range(4):
        for row in range(4):
            parts = part(np.abs(NUMBERS[asked] - NUMBERS[row]))
            expected = parts / parts.sum() if parts.sum() else parts
            shares = search.shares(rows.take(np.array([asked])), row)
            assert list(shares.values()) == pytest.approx(expected.tolist())


def test_shares_of_gower_are_those_of_ranges_ranks_and_matches() -> None:
    table = mixed()
    fitted = Gower().fit(table)
    rows = fitted.raw(table)
    search = NeighbourSearch(fitted, rows)
    x, (size, colour) = table.numeric.columns[0], table.nominal.columns
    for asked in range(5):
        for row in range(5):
            known = size[asked] >= 0 and size[row] >= 0
            parts = np.array(
                [
                    np.nan_to_num(abs(x[asked] - x[row]) / 8.0),
                    abs(size[asked] - size[row]) / 3.0 if known else 0.0,
                    float(colour[asked] != colour[row]),
                ]
            )
            shares = search.shares(rows.take(np.array([asked])), row)
            expected = parts / parts.sum() if parts.sum() else parts
            assert [shares[name] for name in ("x", "size", "colour")] == pytest.approx(expected.tolist())


def test_shares_of_value_differences_are_those_of_class_shares() -> None:
    columns = tuple(Attribute(name, "nominal", ("a", "b")) for name in ("p", "q"))
    table = Table(
        Schema(columns, Attribute("y", "nominal", ("u", "v"))),
        8,
        nominal=[
            np.array(codes, dtype=np.int32) for codes in ([0, 0, 0, 0, 1, 1, 1, 1], [0, 1, 0, 1, 0, 1, 0, 1])
        ],
        labels=np.array([0, 0, 0, 0, 1, 1, 1, 0], dtype=np.int32),
    )
    fitted = ValueDifference().fit(table)
    rows = fitted.raw(table)
    # Of p the shares of u are 1 and 1/4, of q 1/2 and 3/4: squares of 2 * 0.75^2 and 2 * 0.25^2.
    shares = NeighbourSearch(fitted, rows).shares(rows.take(np.array([0])), 5)
    assert shares == pytest.approx({"p": 0.9, "q": 0.1})
    assert NeighbourSearch(fitted, rows).shares(rows.take(np.array([0])), 1) == pytest.approx(
        {"p": 0.0, "q": 1.0}
    )


def test_a_level_without_rows_has_the_shares_of_all_rows() -> None:
    attribute = Attribute("c", "nominal", ("a", "b", "never"))
    schema = Schema((attribute,), Attribute("y", "nominal", ("u", "v")))

    def table(codes: list[int], labels: list[int]) -> Table:
        return Table(
            schema,
            len(codes),
            nominal=[np.array(codes, dtype=np.int32)],
            labels=np.array(labels, dtype=np.int32),
        )

    rows = table([0, 0, 0, 1, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1, 0])
    apart = ValueDifference().fit(rows).between(table([2], [0]), table([0, 1, 2], [0, 0, 0]))[0]
    overall, a, b = np.array([0.5, 0.5]), np.array([1.0, 0.0]), np.array([0.2, 0.8])
    assert apart == pytest.approx([np.linalg.norm(overall - a), np.linalg.norm(overall - b), 0.0])


def test_ranks_are_counted_against_the_largest() -> None:
    attribute = Attribute("size", "ordinal", ("xs", "s", "m", "l"), True)
    codes = np.array([0, 1, 2, 3], dtype=np.int32)
    table = Table(Schema((attribute,)), 4, nominal=[codes])
    assert Ordinal().between(table) == pytest.approx(np.abs(codes[:, None] - codes) / 3.0)


@pytest.mark.parametrize("distance", [Euclidean(), Manhattan(), Gower()], ids=lambda d: d.name)
def test_weights_multiply_what_attributes_add(distance) -> None:
    table = mixed().select(["x", "size"]) if distance.name == "gower" else acumen.read(NUMBERS)
    names = table.schema.names
    heavy = {names[0]: 4.0, names[1]: 0.0}
    fitted = weigh_table(distance.fit(table), heavy)
    apart = fitted.between(table)
    if distance.name == "gower":
        x = table.numeric.columns[0]
        both = 4.0 * np.abs(x[:, None] - x) / 8.0  # the ordinal one weighs nothing
        known = ~np.isnan(both)
        assert apart[known] == pytest.approx(both[known] / 4.0)
        return
    away = np.abs(NUMBERS[:, None] - NUMBERS)
    weights = np.array([4.0, 0.0, 1.0])
    expected = (
        np.sqrt((weights * away**2).sum(axis=2))
        if distance.name == "euclidean"
        else (weights * away).sum(axis=2)
    )
    assert apart == pytest.approx(expected)
    assert distance.fit(table).between(table) == pytest.approx(
        weigh_table(distance.fit(table), {}).between(table)
    )


def test_levels_are_weighed_like_numbers() -> None:
    table = mixed().select(["colour", "size"])
    by_colour = weigh_table(Gower().fit(table), {"size": 0.0}).between(table)
    colour = table.select(["colour"]).nominal.columns[0]
    assert by_colour == pytest.approx((colour[:, None] != colour).astype(float))


@pytest.mark.parametrize("distance", [Mahalanobis(), Function(lambda a, b: 0.0)], ids=lambda d: d.name)
def test_what_is_no_sum_over_attributes_cannot_be_weighed(distance) -> None:
    with pytest.raises(DataError, match="cannot be weighed"):
        weigh_table(distance.fit(acumen.read(NUMBERS)), {})


def test_lists_say_where_the_neighbours_of_a_row_stand() -> None:
    table = acumen.read(NUMBERS)
    fitted = Euclidean().fit(table)
    rows = fitted.raw(table)
    lists = NeighbourSearch(fitted, rows).lists(rows, 2)
    away = np.linalg.norm(NUMBERS[:, None] - NUMBERS, axis=2)
    for row in range(4):
        of_row = lists.of(row)
        assert lists.rows[of_row].tolist() == np.argsort(away[row], kind="stable")[:2].tolist()
        assert lists.distances[of_row] == pytest.approx(np.sort(away[row])[:2])


def test_pairs_are_refused_beyond_the_most_and_not_at_it() -> None:
    table = acumen.read(NUMBERS)
    fitted = Euclidean().fit(table)
    brute = NeighbourSearch(fitted, fitted.raw(table), index="brute")
    brute.require_pairs("KNN", "use fewer", float(searching.MOST_PAIRS))
    with pytest.raises(DataError, match="Take a sample of the rows, or use fewer"):
        brute.require_pairs("KNN", "use fewer", 1.01 * searching.MOST_PAIRS)
    NeighbourSearch(fitted, fitted.raw(table), index="kd").require_pairs("KNN", "use fewer", 1e30)


def way(X: np.ndarray, index: str = "auto", distance=None) -> str:
    table = acumen.read(X)
    fitted = (distance or Euclidean()).fit(table)
    return NeighbourSearch(fitted, fitted.raw(table), index=index).way  # type: ignore[arg-type]


def test_the_index_is_chosen_by_rows_columns_and_missing_values() -> None:
    rng = np.random.default_rng(0)
    few, narrow, wide = (rng.normal(size=size) for size in ((255, 2), (256, 7), (256, 9)))
    missing = narrow.copy()
    missing[100, 3] = np.nan
    assert way(few) == "brute" and way(narrow) == "kd" and way(wide) == "blocked"
    assert way(missing) == "brute" and way(wide, distance=Manhattan()) == "brute"
    assert way(rng.normal(size=(256, 8))) == "blocked"
    assert way(rng.normal(size=(256, 8)), distance=Manhattan()) == "kd"
    assert way(few, "kd") == "kd" and way(few, "vantage") == "vantage"
    for index, reason in (
        ("kd", "a k-d tree"),
        ("blocked", "blocks of products"),
        ("vantage", "a vantage-point"),
    ):
        with pytest.raises(DataError, match=reason):
            way(missing, index)
    with pytest.raises(DataError, match="Euclidean distances"):
        way(wide, "blocked", Manhattan())
    with pytest.raises(DataError, match="a k-d tree"):
        table = mixed().select(["x", "colour"]).take(np.array([0, 1, 3]))
        fitted = Gower().fit(table)
        NeighbourSearch(fitted, fitted.raw(table), index="kd")


# -- Mahalanobis ----------------------------------------------------------------------------------


def test_mahalanobis_leaves_out_directions_without_spread_and_knows_no_units() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 2)) @ np.array([[1.0, 0.5], [0.0, 2.0]])
    plain = Mahalanobis().between(acumen.read(X))
    constant = np.column_stack([X, np.full(30, 7.0)])
    assert Mahalanobis().between(acumen.read(constant)) == pytest.approx(plain)
    twice = np.column_stack([X, X.sum(axis=1)])
    assert Mahalanobis().between(acumen.read(twice)) == pytest.approx(plain)
    assert Mahalanobis().between(acumen.read(X * [1e-120, 1e120])) == pytest.approx(plain)


def test_mahalanobis_with_a_given_covariance_is_its_inverse() -> None:
    covariance = np.array([[4.0, 1.0], [1.0, 2.0]])
    apart = Mahalanobis(covariance.tolist()).between(acumen.read(NUMBERS[:, :2]))
    away = NUMBERS[:, None, :2] - NUMBERS[None, :, :2]
    assert apart == pytest.approx(np.sqrt(np.einsum("ijk,kl,ijl->ij", away, np.linalg.inv(covariance), away)))


# -- stored distances -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("array", "values"),
    [
        ("places", [7, 0, 0]),
        ("places", [0, -2, 0]),
        ("weight", [1.0, -1.0, 1.0]),
        ("factor", [np.inf, 1.0, 1.0]),
    ],
)
def test_one_forged_element_is_enough(array: str, values: list[float]) -> None:
    fitted = Euclidean().fit(acumen.read(NUMBERS))
    arrays = to_arrays(fitted)
    from_arrays(arrays, fitted.schema)
    with pytest.raises(ModelFileError):
        from_arrays(arrays | {array: np.array(values, dtype=arrays[array].dtype)}, fitted.schema)


def test_one_forged_element_of_a_table_of_levels_is_enough() -> None:
    fitted = ValueDifference().fit(mixed().select(["colour"]))
    arrays = to_arrays(fitted)
    table = arrays["tables/0"].copy()
    table[0, 1] = np.inf
    with pytest.raises(ModelFileError, match="infinity"):
        from_arrays(arrays | {"tables/0": table}, fitted.schema)


# -- kernels --------------------------------------------------------------------------------------


class OneUndefined(Linear):
    """A kernel with one element that is no number."""

    def __call__(self, X, Y=None):
        matrix = np.eye(len(X))
        matrix[0, 1] = matrix[1, 0] = np.nan
        return matrix


def test_one_undefined_element_of_a_kernel_is_refused() -> None:
    with pytest.raises(DataError, match="no finite numbers"):
        OneUndefined().is_psd(np.eye(3))


def test_rows_too_far_for_squares_are_still_compared() -> None:
    X = np.array([[1e200, 0.0], [1e200, 1.0], [0.0, 0.0], [1e200, 0.0]])
    matrix = RBF(gamma=0.5)(X)
    near = np.exp(-0.5)
    expected = [[1, near, 0, 1], [near, 1, 0, near], [0, 0, 1, 0], [1, near, 0, 1]]
    assert matrix == pytest.approx(np.array(expected, dtype=float))


def test_training_rows_of_kernels_are_refused_where_they_cannot_be() -> None:
    def table(X: np.ndarray) -> Table:
        columns = tuple(Attribute(f"x{j}") for j in range(X.shape[1]))
        return Table(Schema(columns), len(X), numeric=[*X.T.copy()])

    view, dense = training_rows(table(NUMBERS), False, "SVM")
    assert view is not None and dense == pytest.approx(NUMBERS)
    with pytest.raises(DataError, match="beyond 1e150"):
        training_rows(table(np.array([[1.0, 2.0], [1e151, 2.0]])), False, "SVM")
    square = np.eye(3)
    view, lines = training_rows(table(square), True, "SVM")
    assert view is None and lines == pytest.approx(square)
    with pytest.raises(DataError, match="needs a square matrix"):
        training_rows(table(NUMBERS), True, "SVM")
