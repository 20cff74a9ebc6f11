"""Windows on training rows: the kernel against its twin, and how wide windows are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import gaussian_kde

from acumen.bayes.parzen_windows import (
    FACTORS,
    WindowRows,
    Windows,
    best_factor,
    fixed_windows,
    left_out_loss,
    scott_windows,
)
from reference import parzen as twin

numbers = st.sampled_from([float("nan"), 0.0, 0.5, 1.0, -1.5, 2.25, 7.0])
LEVELS = (3, 2)


@st.composite
def trainings(draw: st.DrawFn) -> WindowRows:
    """Few rows of three classes, some of them empty; two numeric and two nominal attributes with gaps."""
    sizes = draw(st.tuples(*[st.integers(0, 5)] * 3).filter(any))
    n = sum(sizes)
    return WindowRows(
        np.array(draw(st.lists(numbers, min_size=2 * n, max_size=2 * n))).reshape(2, n),
        np.array(
            [draw(st.lists(st.integers(-1, size - 1), min_size=n, max_size=n)) for size in LEVELS],
            dtype=np.int32,
        ),
        np.array(draw(st.lists(st.sampled_from([1.0, 2.0, 0.5, 3.5]), min_size=n, max_size=n))),
        np.cumsum([0, *sizes]).astype(np.int64),
    )


def kernel(
    training: WindowRows,
    windows: Windows,
    values: np.ndarray,
    codes: np.ndarray,
    out: np.ndarray | None = None,
) -> np.ndarray:
    total = np.zeros((len(values), len(training.starts) - 1))
    left_out = np.empty(0, dtype=np.int64) if out is None else out
    windows.add_logs(training, list(values.T), list(codes.T), total, left_out)
    return total


@given(trainings(), st.booleans(), st.sampled_from([0.25, 1.0, 3.0, None]), st.data())
def test_the_kernel_agrees_with_the_twin(
    training: WindowRows, box: bool, factor: float | None, data: st.DataObject
) -> None:
    windows = (
        fixed_windows(training, LEVELS, box, 0.7)
        if factor is None
        else scott_windows(training, LEVELS, box, factor)
    )
    rows = data.draw(st.integers(1, 20))
    values = np.array(data.draw(st.lists(numbers, min_size=2 * rows, max_size=2 * rows))).reshape(rows, 2)
    codes = np.array(data.draw(st.lists(st.integers(-2, 3), min_size=2 * rows, max_size=2 * rows)))
    codes = codes.reshape(rows, 2).astype(np.int32)
    found, expected = (
        kernel(training, windows, values, codes),
        twin.log_densities(training, windows, values, codes),
    )
    empty = np.diff(training.starts) == 0
    assert np.isneginf(found[:, empty]).all()
    # Where the twin's product vanishes, or has lost digits on its way there, the kernel still has a logarithm.
    near = expected > -700 if not box else np.ones(expected.shape, dtype=bool)
    np.testing.assert_allclose(found[near], expected[near], rtol=1e-12, atol=1e-11)


@settings(deadline=None, max_examples=40)
@given(trainings(), st.booleans())
def test_one_row_is_left_out_or_one_of_its_weight(training: WindowRows, box: bool) -> None:
    windows = fixed_windows(training, LEVELS, box, 1.2)
    n = len(training.weight)
    values, codes, out = training.values.T, training.codes.T, np.arange(n)
    found = kernel(training, windows, values, codes, out)
    expected = twin.log_densities(training, windows, values, codes, out.tolist())
    near = np.isfinite(expected)
    np.testing.assert_allclose(found[near], expected[near], rtol=1e-11, atol=1e-11)
    if box:
        assert np.array_equal(np.isfinite(found), near)


def test_large_sets_agree_with_the_twin_across_tiles_and_threads() -> None:
    rng = np.random.default_rng(0)
    n = 700
    training = WindowRows(
        rng.normal(size=(3, n)),
        np.empty((0, n), dtype=np.int32),
        rng.random(n) + 0.5,
        np.array([0, 300, 300, n]),
    )
    windows = scott_windows(training, (), False)
    values, codes = rng.normal(size=(40, 3)) * 3, np.empty((40, 0), dtype=np.int32)
    expected = twin.log_densities(training, windows, values, codes)
    np.testing.assert_allclose(kernel(training, windows, values, codes), expected, rtol=1e-12)
    alone = np.vstack([kernel(training, windows, row[None], codes[:1]) for row in values])
    assert np.array_equal(alone, kernel(training, windows, values, codes))


def test_one_attribute_agrees_with_scipy() -> None:
    """scipy's factor is Scott's too; its deviation has the divisor n - 1."""
    x = np.random.default_rng(1).gamma(2.0, size=80)
    training = WindowRows(x[None], np.empty((0, 80), dtype=np.int32), np.ones(80), np.array([0, 80]))
    windows = scott_windows(training, (), False)
    assert windows.width[0, 0] == pytest.approx(x.std() * 80 ** (-1 / 5), rel=1e-14)
    oracle = gaussian_kde(x, bw_method=windows.width[0, 0] / x.std(ddof=1))
    asked = np.linspace(-1, 9, 23)
    found = kernel(training, windows, asked[:, None], np.empty((23, 0), dtype=np.int32))
    np.testing.assert_allclose(found[:, 0], oracle.logpdf(asked), rtol=1e-10)


@pytest.mark.parametrize("box", [False, True])
def test_densities_integrate_to_one(box: bool) -> None:
    """Numbers, levels and what stands in for the missing of both."""
    values = np.array([[0.0, 1.0, np.nan, 4.0]])
    codes = np.array([[0, 2, -1, 2]], dtype=np.int32)
    training = WindowRows(values, codes, np.array([1.0, 2.0, 1.0, 0.5]), np.array([0, 4]))
    windows = scott_windows(training, (3,), box)
    grid = np.linspace(-40, 45, 170_001)
    total = 0.0
    for level in range(3):
        logs = kernel(training, windows, grid[:, None], np.full((len(grid), 1), level, dtype=np.int32))
        total += float(np.exp(logs).sum() * (grid[1] - grid[0]))
    assert total == pytest.approx(1.0, abs=2e-4 if box else 1e-9)


def test_both_windows_have_one_variance() -> None:
    training = WindowRows(
        np.array([[0.0, 1.0, 5.0]]), np.empty((0, 3), dtype=np.int32), np.ones(3), np.array([0, 3])
    )
    gaussian, box = (scott_windows(training, (), shape) for shape in (False, True))
    assert box.width**2 / 12 == pytest.approx(gaussian.width**2)


def test_a_class_without_spread_takes_that_of_all_rows() -> None:
    values = np.array([[1.0, 3.0, 3.0, 8.0, 8.0, 8.0]])
    starts = np.array([0, 3, 6])
    training = WindowRows(values, np.empty((0, 6), dtype=np.int32), np.ones(6), starts)
    rate = 3 ** (-1 / 5)
    found = scott_windows(training, (), False).width[:, 0]
    assert found == pytest.approx([values[0, :3].std() * rate, values[0].std() * rate])
    flat = WindowRows(np.full((1, 6), 5.0), training.codes, training.weight, starts)
    assert scott_windows(flat, (), False).width == pytest.approx(rate)


def test_leave_one_out_takes_the_factor_of_least_loss() -> None:
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], 60)
    training = WindowRows(
        (rng.normal(size=120) + 1.5 * y)[None],
        np.empty((0, 120), dtype=np.int32),
        np.ones(120),
        np.array([0, 60, 120]),
    )
    for box in (False, True):
        losses = {float(f): left_out_loss(training, scott_windows(training, (), box, f)) for f in FACTORS}
        assert best_factor(training, (), box) == min(losses, key=losses.__getitem__)
        assert 0 < min(losses.values()) < max(losses.values()) < 2


def test_the_left_out_loss_is_that_of_fits_without_the_row() -> None:
    """With a fixed width nothing else changes when a row goes."""
    rng = np.random.default_rng(2)
    x, starts = rng.normal(size=9).round(1), np.array([0, 4, 9])
    none = np.empty((0, 9), dtype=np.int32)
    training = WindowRows(x[None], none, np.ones(9), starts)
    for box, width in ((False, 0.4), (True, 0.8)):
        windows = fixed_windows(training, (), box, width)
        loss = 0.0
        for i in range(9):
            truth = int(i >= 4)
            rest = np.delete(np.arange(9), i)
            scores = np.zeros(2)
            for j in rest:
                apart = abs(x[j] - x[i])
                near = apart <= width / 2 if box else np.exp(-0.5 * (apart / width) ** 2)
                scores[int(j >= 4)] += near
            if not scores.any():
                scores = np.array([4.0, 5.0]) - np.eye(2)[truth]
            loss += float(((scores / scores.sum() - np.eye(2)[truth]) ** 2).sum()) / 9
        assert left_out_loss(training, windows) == pytest.approx(loss, rel=1e-12)


def test_shapes_that_do_not_go_together_are_refused() -> None:
    training = WindowRows(np.zeros((1, 2)), np.empty((0, 2), dtype=np.int32), np.ones(2), np.array([0, 1, 2]))
    windows = scott_windows(training, (), False)
    with pytest.raises(ValueError, match="differ in their attributes"):
        windows.add_logs(training, [], [], np.zeros((1, 2)))
    with pytest.raises(ValueError, match="leave out"):
        windows.add_logs(training, [np.zeros(1)], [], np.zeros((1, 2)), np.zeros(3, dtype=np.int64))
    wrong = WindowRows(training.values, training.codes, training.weight, np.array([0, 3, 2]))
    with pytest.raises(ValueError, match="ascend"):
        windows.add_logs(wrong, [np.zeros(1)], [], np.zeros((1, 2)))
