"""Tests as flat arrays: which branch a value takes.

    a column of numbers   cuts, ascending; the interval = how many cuts lie below the value, so X <= v is the first.
                          Its number is the branch; but a surrogate of one cut may be turned: X > v is branch 0
    a column of codes     a branch for each level; -1 for levels that were not there when the test was made

Used for the tests of nodes and for the surrogates that stand in for them. A missing value, an unknown level
and a level of branch -1 take no branch; what happens then is the tree's affair.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from acumen.data.schema import Schema
from acumen.preprocessing.stored_arrays import require, stored_codes, stored_floats, stored_starts
from acumen.trees.inputs import Inputs
from acumen.types import Array, Codes, Floats

#: No branch, no attribute, no child.
NONE = -1


@dataclass(frozen=True, slots=True)
class Test:
    """One test: the input it looks at, and its cuts or the branch of each level.

    A surrogate of one cut may have the branches (1, 0): X > v stands for branch 0.
    """

    input: int
    cuts: tuple[float, ...] = ()
    branches: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Tests:
    """One test, or none, for each of n places."""

    input: Codes  # (n,) place among the inputs; -1: no test
    cut_at: Codes  # (n + 1,) where each place's cuts begin
    cuts: Floats
    branch_at: Codes  # (n + 1,) where each place's branches begin
    branch: Codes

    @classmethod
    def of(cls, tests: Sequence[Test | None]) -> Self:
        return cls(
            np.array([NONE if t is None else t.input for t in tests], dtype=np.int32),
            _starts([0 if t is None else len(t.cuts) for t in tests]),
            np.array([c for t in tests if t is not None for c in t.cuts], dtype=np.float64),
            _starts([0 if t is None else len(t.branches) for t in tests]),
            np.array([b for t in tests if t is not None for b in t.branches], dtype=np.int32),
        )

    def __len__(self) -> int:
        return len(self.input)

    def __getitem__(self, at: int) -> Test | None:
        if self.input[at] == NONE:
            return None
        return Test(
            int(self.input[at]), tuple(self.cuts_of(at).tolist()), tuple(self.branches_of(at).tolist())
        )

    def cuts_of(self, at: int) -> Floats:
        return self.cuts[self.cut_at[at] : self.cut_at[at + 1]]

    def branches_of(self, at: int) -> Codes:
        return self.branch[self.branch_at[at] : self.branch_at[at + 1]]

    def route(self, at: int, column: Array) -> Codes:
        """The branch that each value of the test's own column takes; -1: none."""
        if self.cut_at[at + 1] > self.cut_at[at]:
            taken = np.searchsorted(self.cuts_of(at), column, side="left").astype(np.int32)
            if self.branch_at[at + 1] > self.branch_at[at]:
                taken = self.branches_of(at)[taken]
            taken[np.isnan(column)] = NONE
            return taken
        branches = np.append(self.branches_of(at), NONE)
        return np.asarray(branches[np.where(column >= 0, column, len(branches) - 1)], dtype=np.int32)

    # -- model files ------------------------------------------------------------------------------

    def to_arrays(self, prefix: str) -> dict[str, Array]:
        return {
            f"{prefix}input": self.input,
            f"{prefix}cut_at": self.cut_at,
            f"{prefix}cuts": self.cuts,
            f"{prefix}branch_at": self.branch_at,
            f"{prefix}branch": self.branch,
        }

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, Array],
        prefix: str,
        places: int,
        inputs: Inputs,
        schema: Schema,
        width: Codes,
        *,
        turned: bool = False,
    ) -> Self:
        """Checked against the inputs; `width` is the number of branches each place's test may take.

        `turned` says that cuts may be turned, as those of surrogates may.
        """
        input = stored_codes(arrays, f"{prefix}input", (places,), low=NONE, below=len(inputs))
        cuts = stored_floats(arrays, f"{prefix}cuts", (None,))
        branch = stored_codes(arrays, f"{prefix}branch", (None,), low=NONE, below=2**31 - 1)
        cut_at = stored_starts(arrays, f"{prefix}cut_at", places, len(cuts))
        branch_at = stored_starts(arrays, f"{prefix}branch_at", places, len(branch))
        tests = cls(input, cut_at, cuts, branch_at, branch)
        n_cuts, n_branches = np.diff(cut_at), np.diff(branch_at)
        none = input == NONE
        require(
            not n_cuts[none].any() and not n_branches[none].any(),
            "a place without a test has cuts or branches",
        )
        numeric = np.array([c.is_numeric(schema) for c in inputs.columns] + [False])
        levels = np.array([c.n_levels(schema) for c in inputs.columns] + [0])
        of_numbers = numeric[input]
        require(
            np.all(np.where(of_numbers, (n_cuts >= 1) & (n_cuts < width), n_cuts == 0)),
            "the cuts of a test do not fit its branches",
        )
        plain = np.where(of_numbers, n_branches == 0, n_branches == levels[input])
        other_way = turned & of_numbers & (n_cuts == 1) & (n_branches == 2)
        require(np.all(plain | other_way), "a test has not one branch for each level")
        owner = np.repeat(np.arange(places), n_branches)
        require(np.all(branch < width[owner]), "a test sends a level to a branch that is not there")
        first = branch_at[:-1][other_way]
        require(
            np.all(branch[first] == 1) and np.all(branch[first + 1] == 0),
            "the branches of a cut are not turned",
        )
        inner = np.ones(max(len(cuts) - 1, 0), dtype=np.bool_)
        inner[np.clip(cut_at[1:-1][(cut_at[1:-1] > 0) & (cut_at[1:-1] < len(cuts))] - 1, 0, None)] = False
        require(np.all((cuts[1:] > cuts[:-1])[inner]), "the cuts of a test do not ascend")
        return tests


def _starts(sizes: Sequence[int]) -> Codes:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int32)
