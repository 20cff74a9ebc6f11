"""What a model remembers of its rows: exact ranges, and a fingerprint that knows rows again and gives none away."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen import _native
from acumen.checks import data as checks_data
from acumen.errors import ModelFileError
from acumen.profiling.training_profile import BITS, MOST, TrainingProfile
from acumen.store import open as open_model

IRIS = acumen.datasets.load("iris")


def mixed(rows: int, seed: int = 0) -> acumen.Table:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows).round(3)),
            "colour": rng.choice(["red", "green", None], rows),
            "note": [f"note {i} of {seed}" for i in rng.integers(0, 10**6, rows)],
            "answer": rng.choice(["yes", "no"], rows),
        }
    )
    return acumen.read(frame, target="answer", kinds={"note": "text"})


def same(a: TrainingProfile, b: TrainingProfile) -> bool:
    return a.level == b.level and all(
        np.array_equal(getattr(a, name), getattr(b, name)) for name in ("low", "high", "infinite", "words")
    )


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 3000), st.integers(0, 5), st.data())
def test_order_and_parts_do_not_matter(rows: int, seed: int, draw: st.DataObject) -> None:
    table = mixed(rows, seed)
    cut = draw.draw(st.integers(0, rows))
    mixed_up = table.take(np.random.default_rng(seed).permutation(rows))
    parts = TrainingProfile.of(mixed_up.take(slice(0, cut))) + TrainingProfile.of(
        mixed_up.take(slice(cut, rows))
    )
    assert same(parts, TrainingProfile.of(table))


def test_ranges_are_those_of_the_finite_values() -> None:
    frame = pd.DataFrame({"a": [3.0, -np.inf, np.nan, 7.0], "b": [np.nan] * 4, "c": [1.0, 2, 3, 4]})
    seen = TrainingProfile.of(acumen.read(frame))
    assert seen.low.tolist() == [3.0, np.inf, 1.0] and seen.high.tolist() == [7.0, -np.inf, 4.0]
    assert seen.infinite.tolist() == [1, 0, 0]


@pytest.mark.parametrize("rows", [150, 5_000])
def test_rows_learned_from_are_known_again_and_others_are_not(rows: int) -> None:
    table = mixed(rows)
    seen = TrainingProfile.of(table)
    assert len(seen.words) <= MOST
    asked, met = seen.count_known(table)
    assert asked == met and (asked == rows if rows <= MOST else MOST / 2 <= asked <= MOST)
    some = table.take(np.arange(0, rows, 2))
    assert len(set(seen.count_known(some))) == 1
    asked, met = seen.count_known(mixed(20_000, seed=9))
    assert met <= 2 and met <= 3 + 5 * asked * seen.chance


def test_the_share_of_a_partial_overlap_is_estimated() -> None:
    table = mixed(20_000)
    seen = TrainingProfile.of(table.take(slice(0, 10_000)))
    asked, met = seen.count_known(table.take(slice(7_000, 17_000)))
    assert abs(met / asked - 0.3) < 0.08


def test_levels_count_by_what_they_say_and_not_by_their_codes() -> None:
    one = acumen.read(pd.DataFrame({"a": ["x", "y", "x"], "n": [1.0, 2, 3]}))
    other = acumen.read(pd.DataFrame({"a": ["w", "x", "y", "x"], "n": [0.0, 1, 2, 3]})).take([1, 2, 3])
    assert np.array_equal(TrainingProfile.of(one).words, TrainingProfile.of(other).words)
    swapped = acumen.read(pd.DataFrame({"a": ["y", "x", "x"], "n": [1.0, 2, 3]}))
    assert TrainingProfile.of(one).count_known(swapped)[1] == 1


def test_a_table_of_one_row_over_and_over_is_one_hash() -> None:
    seen = TrainingProfile.of(IRIS.take(np.zeros(5_000, dtype=int)))
    assert seen.level == 0 and len(seen.words) == 1


def test_sparse_rows_have_ranges_and_a_fingerprint() -> None:
    from scipy.sparse import csr_matrix

    dense = np.array([[0.0, 2, 0], [1, 0, 0], [0, 5, -1]])
    table = acumen.read(csr_matrix(dense))
    seen = TrainingProfile.of(table)
    assert seen.low.tolist() == [0, 0, -1] and seen.high.tolist() == [1, 5, 0]
    assert seen.count_known(table.take([2, 0])) == (2, 2)


def test_the_sample_is_that_of_a_slow_twin() -> None:
    rng = np.random.default_rng(3)
    hashes = rng.integers(0, 2**63, 4_000).astype(np.uint64) * np.uint64(2)
    hashes = np.concatenate([hashes, hashes[:100]])
    level, kept = _native.sample_hashes(hashes, 0, 500)
    every = sorted(set(hashes.tolist()))
    expected = next(z for z in range(64) if sum(h >> (64 - z) == 0 if z else True for h in every) <= 500)
    assert level == expected and kept.tolist() == [h for h in every if h >> (64 - expected) == 0]


def test_files_keep_it_and_loading_and_streaming_change_nothing(tmp_path: Path) -> None:
    table = checks_data.table(seed=1) if hasattr(checks_data, "table") else IRIS
    fitted = acumen.NaiveBayes().fit(table)
    streamed = acumen.NaiveBayes().fit_stream([table.take(slice(0, 40)), table.take(slice(40, len(table)))])
    paths = [tmp_path / f"{i}.acm" for i in range(3)]
    acumen.save(fitted, paths[0])
    acumen.save(streamed, paths[1])
    acumen.save(acumen.load(paths[0]), paths[2])
    assert len({path.read_bytes() for path in paths}) == 1
    seen = open_model(paths[0]).seen
    assert seen is not None and seen.count_known(table)[1] == len(table)


def test_partial_fit_goes_on_remembering(tmp_path: Path) -> None:
    learner = acumen.NaiveBayes().partial_fit(IRIS.take(slice(0, 60)))
    acumen.save(learner, tmp_path / "m.acm", summary=True)
    going_on = acumen.load(tmp_path / "m.acm").partial_fit(IRIS.take(slice(60, 150)))
    whole = acumen.NaiveBayes().fit(IRIS).predictor_.seen
    assert going_on.predictor_.seen.count_known(IRIS)[1] == 150
    assert np.array_equal(going_on.predictor_.seen.low, whole.low)


def test_a_file_holds_shortened_hashes_and_ranges_alone() -> None:
    arrays = TrainingProfile.of(mixed(5_000)).to_arrays()
    assert set(arrays) == {"low", "high", "level", "words"}
    assert arrays["words"].dtype == np.uint32 and int(arrays["words"].max()) < 1 << BITS
    assert arrays["words"].nbytes <= 4 * MOST


@pytest.mark.parametrize(
    "change",
    [
        {"level": np.array([64], dtype=np.int32)},
        {"level": np.array([-1], dtype=np.int32)},
        {"words": np.array([1 << BITS], dtype=np.uint32)},
        {"words": np.zeros(MOST + 1, dtype=np.uint32)},
        {"low": np.array([np.nan] * 4)},
        {"low": np.zeros(3)},
        {"more": np.zeros(1)},
    ],
)
def test_what_no_model_wrote_is_refused(change: dict[str, np.ndarray]) -> None:
    arrays = TrainingProfile.of(IRIS).to_arrays() | change
    with pytest.raises(ModelFileError):
        TrainingProfile.from_arrays(arrays, IRIS.schema)
