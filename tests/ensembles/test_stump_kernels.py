"""The kernel of boosted stumps against its twin, and what weights and drawn rows do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acumen import _native
from ensembles.coded_rows import MISSING, N, Rows, rows
from reference import adaboost
from reference.forest_walk import LEAN


def boost(some: Rows, **choices: Any) -> dict[str, Any]:
    choices = {
        "rounds": 8,
        "samme": False,
        "resample": False,
        "retries": 3,
        "seed": 5,
        "tell": None,
    } | choices
    return _native.boost_stumps(**some.labelled(), **choices, n_threads=1)


def ordered(classes: int) -> Rows:
    some = rows(classes)
    return some._replace(codes=np.where(some.codes == MISSING, 1, some.codes), nominal=[False] * 3)


@pytest.mark.parametrize("samme", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
def test_boost_stumps_boosts_as_its_twin_does(classes: int, samme: bool) -> None:
    some = ordered(classes)
    expected = adaboost.boosted(some.codes.tolist(), some.y.tolist(), classes, 8, samme)
    arrays = boost(some, samme=samme)
    assert len(arrays["vote"]) == len(expected) > 1
    for t, (rule, error, vote, combined) in enumerate(expected):
        column, cut, below, above = rule
        test, child = map(int, arrays["node"][arrays["start"][t]])
        assert test & 0xFFFF == column and test >> 16 == int(cut)
        leaves = arrays["value"][arrays["start"][t] + (child & ~LEAN) :][:2]
        assert leaves.argmax(axis=1).tolist() == [below, above]
        np.testing.assert_allclose(leaves.max(axis=1), vote, atol=1e-9)
        assert [arrays[name][t] for name in ("error", "vote", "combined")] == pytest.approx(
            [error, vote, combined], abs=1e-12
        )


def test_boost_stumps_ends_at_a_perfect_stump() -> None:
    some = ordered(2)
    perfect = some._replace(y=(some.codes[:, 1] > 3).astype(np.int32))
    assert boost(perfect)["end"] == 1 and len(boost(perfect)["vote"]) == 1
    assert boost(some)["end"] == 0


def test_boost_stumps_counts_a_weight_as_repeated_rows() -> None:
    some = ordered(3)
    times = np.arange(N) % 3 + 1
    choices = {"rounds": 6, "samme": True, "resample": False, "retries": 0, "seed": 1, "tell": None}
    weighted = _native.boost_stumps(**(some.labelled() | {"weights": times.astype(np.float64)}), **choices)
    repeated = some.labelled() | {
        "columns": [np.repeat(column, times) for column in some.columns],
        "labels": np.repeat(some.y, times),
    }
    other = _native.boost_stumps(**repeated, **choices)
    assert np.array_equal(weighted["node"], other["node"])
    np.testing.assert_allclose(weighted["vote"], other["vote"], rtol=1e-9)


def test_boost_stumps_draws_rows_from_its_seed() -> None:
    some = ordered(2)
    one, same, other = (boost(some, resample=True, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one["node"], same["node"]) and np.array_equal(one["vote"], same["vote"])
    assert not np.array_equal(one["error"], other["error"])
    assert (one["drawn"] >= 1).all() and (one["drawn"] <= 4).all()


def test_boost_stumps_refuses_rows_that_do_not_fit() -> None:
    some = ordered(2)
    for name, array, message in [
        ("columns", some.columns[:2], "columns of codes and what is known of them"),
        ("labels", some.y + np.int32(1), "a label is no class"),
        ("weights", np.ones(3), "rows, weights and groups"),
    ]:
        with pytest.raises(ValueError, match=message):
            _native.boost_stumps(
                **(some.labelled() | {name: array}), rounds=1, samme=False, resample=False, retries=0, seed=1,
                tell=None,
            )  # fmt: skip
