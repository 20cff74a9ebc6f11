"""What a model keeps about its training rows, without keeping any row: ranges, a fingerprint, typical values.

    Seen.of(rows)       the range of each numeric attribute; hashes of a sample of the rows
    a + b               the same of the rows of both, in whatever order they came
    Seen.met(rows)      how many of some rows equal rows that were learned from
    to_arrays           what a model file keeps of it

A row's hash covers its inputs and its answer; levels and texts go in by what they say and not by their codes. The rows
whose hash begins with so many zero bits that at most MOST are left are the sample: the same rows whatever the order and
the parts, and of two tables' rows the same where they are the same. A file keeps 24 further bits of each. That is
enough to tell a row that was learned from (of another one in 16,000 would be taken for one), and too little to read
anything out of: of the 16 million hashes as many rows as anybody can think of share each.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from acumen import _native
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.preprocessing.stored_arrays import require, stored_array, stored_floats
from acumen.profiling.typical_row import FURTHER_NAMES, ExplainedModel, Typical
from acumen.profiling.typical_row import NAMES as TYPICAL
from acumen.types import Array, Floats, Label, Objects

Words: TypeAlias = npt.NDArray[np.uint64]

#: At most so many rows are in the sample.
MOST = 1024
#: Bits of a hash that a file keeps, behind those that are zero.
BITS = 24
_NAMES = {"low", "high", "level", "words"}
_GOLDEN = 0x9E3779B97F4A7C15


@dataclass(frozen=True, slots=True, eq=False)
class TrainingProfile:
    """Ranges of numeric attributes (reversed infinities if there is no value), and a sample of row hashes."""

    low: Floats
    high: Floats
    infinite: npt.NDArray[np.int64]  # how many values of each numeric attribute are; not kept in files
    level: int  # how many leading bits of the hashes in the sample are zero
    words: Words  # their next BITS bits in order, each behind as many others as were known
    typical: Typical | None = None  # a typical row, for models that need one to explain by

    @classmethod
    def of(cls, rows: Table, model: ExplainedModel | None = None) -> TrainingProfile:
        """The profile of all rows of a table, with a typical row for a `model` that is explained by changes."""
        ranges = _no_ranges(len(rows.schema.numeric))
        typical = Typical.of(rows, model) if model is not None and model.by_changes else None
        return cls(*ranges, 0, _hashes(rows, *ranges), typical)._limit_sample()

    def _limit_sample(self) -> TrainingProfile:
        """Reduce the sample to the lowest level with at most MOST distinct hashes: it depends only on the rows."""
        level, words = _native.sample_hashes(self.words, self.level, MOST)
        return TrainingProfile(self.low, self.high, self.infinite, level, words, self.typical)

    def __add__(self, other: TrainingProfile) -> TrainingProfile:
        level = max(self.level, other.level)
        words = np.concatenate([self.words, other.words])
        typical = other.typical if self.typical is None else self.typical.or_larger(other.typical)
        return TrainingProfile(
            np.minimum(self.low, other.low), np.maximum(self.high, other.high), self.infinite + other.infinite,
            level, words[words <= _limit(level)], typical,
        )._limit_sample()  # fmt: skip

    # -- asking -----------------------------------------------------------------------------------

    def of_columns(self, schema: Schema, kept: Schema) -> TrainingProfile:
        """The profile with the ranges of only those numeric attributes of `schema` that `kept` has, in its order."""
        places = {each.name: place for place, each in enumerate(schema.numeric)}
        order = [places[each.name] for each in kept.numeric]
        return replace(self, low=self.low[order], high=self.high[order], infinite=self.infinite[order])

    def count_known(self, rows: Table) -> tuple[int, int]:
        """How many of some rows would be in the sample as training rows, and how many of them are."""
        hashes = _hashes(rows, *_no_ranges(len(rows.schema.numeric)))
        sampled = hashes[hashes <= _limit(self.level)]
        return len(sampled), int(np.isin(self._stored_bits(sampled), self._stored_bits(self.words)).sum())

    def _stored_bits(self, words: Words) -> Words:
        """The number of bits of each hash that a file stores."""
        return (words << np.uint64(self.level)) >> np.uint64(64 - BITS)

    @property
    def chance(self) -> float:
        """The probability of taking a new row for a training row."""
        return len(self.words) / float(1 << BITS)

    # -- files ------------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        words = np.unique(self._stored_bits(self.words)).astype(np.uint32)
        level = np.array([self.level], dtype=np.int32)
        arrays: dict[str, Array] = {"low": self.low, "high": self.high, "level": level, "words": words}
        return arrays if self.typical is None else arrays | self.typical.to_arrays()

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> TrainingProfile:
        """Read `to_arrays` back, validating everything."""
        more = arrays.keys() - _NAMES - FURTHER_NAMES
        whole = arrays.keys() >= _NAMES and more in (set(), TYPICAL)
        require(whole, "its profile of the training rows is incomplete")
        n = len(schema.numeric)
        low, high = (stored_floats(arrays, name, (n,), finite=False) for name in ("low", "high"))
        level, words = arrays["level"], arrays["words"]
        require(level.dtype == np.int32 and level.shape == (1,), "its fingerprint has no level")
        require(0 <= int(level[0]) < 64 - BITS, "its fingerprint has an impossible level")
        sound = words.dtype == np.uint32 and words.ndim == 1 and len(words) <= MOST
        require(sound and bool((words < 1 << BITS).all()), "its fingerprint is invalid")
        shift = np.uint64(64 - BITS - int(level[0]))
        typical = Typical.from_arrays(arrays, schema) if more else None
        kept = words.astype(np.uint64) << shift
        return cls(low, high, np.zeros(n, dtype=np.int64), int(level[0]), kept, typical)


def seen_from_words(arrays: Mapping[str, Array], schema: Schema) -> TrainingProfile:
    """Read back all that is known, with complete hashes: adding more rows needs every bit."""
    require(arrays.keys() == _NAMES | {"infinite"}, "its profile of its rows is incomplete")
    n = len(schema.numeric)
    low, high = (stored_floats(arrays, name, (n,), finite=False) for name in ("low", "high"))
    infinite = stored_array(arrays, "infinite", np.int64, (n,))
    require(not n or infinite.min() >= 0, "its number of infinite values is negative")
    level, words = (
        stored_array(arrays, "level", np.int32, (1,)),
        stored_array(arrays, "words", np.uint64, (None,)),
    )
    require(0 <= int(level[0]) < 64 - BITS, "its fingerprint has an impossible level")
    sound = len(words) <= MOST and bool((words <= _limit(int(level[0]))).all())
    require(sound and bool((words[1:] > words[:-1]).all()), "its fingerprint is invalid")
    return TrainingProfile(low, high, infinite, int(level[0]), words)


def _limit(level: int) -> np.uint64:
    """The largest hash with this number of leading zeros."""
    return np.uint64((1 << (64 - level)) - 1)


def trace_of(rows: Table) -> int:
    """A number that identifies the rows, whatever their order and how they are split into parts."""
    hashes = _hashes(rows, *_no_ranges(len(rows.schema.numeric)))
    return int(np.add.reduce(hashes, dtype=np.uint64)) if len(hashes) else 0


def merge_profiles(parts: Sequence[TrainingProfile | None]) -> TrainingProfile | None:
    """Merge the profiles of all parts; nothing if one of them has none."""
    total: TrainingProfile | None = None
    for part in parts:
        if part is None:
            return None
        total = part if total is None else total + part
    return total


# -- hashes --------------------------------------------------------------------------------------------


def _hashes(rows: Table, low: Floats, high: Floats, infinite: npt.NDArray[np.int64]) -> Words:
    """A hash for each row over inputs and target; also widens the ranges of numeric inputs."""
    schema = rows.schema
    hashes = np.zeros(len(rows), dtype=np.uint64)
    wide = len(schema.attributes)
    coded = [(attribute, codes) for attribute, codes in rows.nominal_columns()]
    if schema.target is not None and rows.labels is not None:
        coded.append((schema.target, rows.labels))
    numbers = () if rows.sparse is not None else rows.numeric.columns
    ranges = (low, high, infinite) if rows.sparse is None else _no_ranges(0)
    keys = [_keys(attribute, place) for place, (attribute, _) in enumerate(coded)]
    _native.trace_rows(list(numbers), [codes for _, codes in coded], keys, 0, *ranges, hashes, cores())
    if rows.sparse is not None:
        matrix = rows.sparse
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        _native.trace_sparse(
            matrix.indptr.astype(matrix.indices.dtype, copy=False),
            matrix.indices,
            matrix.data,
            low,
            high,
            infinite,
            hashes,
            cores(),
        )
    for place, (_, texts) in enumerate(rows.text_columns()):
        hashes += _of_texts(texts) * np.uint64((2 * (place + wide) + 1) * _GOLDEN % 2**64)
    if rows.response is not None:
        _native.trace_rows([rows.response], [], [], 2 * wide, *_no_ranges(1), hashes)
    _native.scramble(hashes)
    return hashes


def _no_ranges(n: int) -> tuple[Floats, Floats, npt.NDArray[np.int64]]:
    return np.full(n, np.inf), np.full(n, -np.inf), np.zeros(n, dtype=np.int64)


def _keys(attribute: Attribute, place: int) -> Words:
    """The contribution of each level to a row's hash, after those of an unknown and of a missing one."""
    level_hashes = [
        zlib.crc32(_text(level).encode("utf-8", "surrogatepass"), place) for level in attribute.levels
    ]
    words = np.array([2**33 + place, 2**34 + place, *level_hashes], dtype=np.uint64)
    words += np.uint64((place + 1) * _GOLDEN % 2**64)
    _native.scramble(words)
    return words


def _text(level: Label) -> str:
    """A level as a text file would write it: 1, 1.0 and "1" are the same."""
    if isinstance(level, float) and level.is_integer():
        return str(int(level))
    return str(level)


def _of_texts(texts: Objects) -> Words:
    text_hashes = (0 if t is None else 1 + zlib.crc32(t.encode("utf-8", "surrogatepass")) for t in texts)
    return np.fromiter(text_hashes, np.uint64, len(texts))
