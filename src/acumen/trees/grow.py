"""Growing: from columns to a tree, under the rules of `options`.

    grow   columns, labels, weights -> Tree, as far as the stopping rules let it, unpruned

The kernel sorts each numeric column once and parts the sorted lists stably at each split, so that cuts are exact;
`method="exact"` is this. Whatever grows trees in another way gives the same kind of Tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from acumen import _native
from acumen.data.schema import Schema
from acumen.data.table import NO_WEIGHTS
from acumen.engines.cores import cores
from acumen.errors import DataError
from acumen.trees.inputs import Inputs
from acumen.trees.node_tests import Tests
from acumen.trees.options import GrowOptions
from acumen.trees.sample import PresortedDraw
from acumen.trees.tree import Tree
from acumen.types import Array, Codes, Floats

#: In the order of their numbers in the kernel.
_NO_FACTORS: Final[Floats] = np.empty(0)


def grow(
    columns: Sequence[Array],
    inputs: Inputs,
    schema: Schema,
    labels: Codes,
    weights: Floats = NO_WEIGHTS,
    *,
    options: GrowOptions,
    drawn: PresortedDraw | None = None,
) -> Tree:
    """Grow a tree from the columns of `inputs` (see `Inputs.of_table`); every row has a label and a weight above 0.

    The same tree comes for any number of threads, and whether numbers are sorted here or `drawn` has their order.
    """
    k = schema.n_classes
    if len(labels) * (1 << max(k - 1, 0).bit_length()) >= 1 << 32:
        raise DataError(f"a tree cannot be grown from {len(labels)} rows of {k} classes: these are too many.")
    numeric = np.array([c.is_numeric(schema) for c in inputs.columns], dtype=np.bool_)
    levels = np.array([c.n_levels(schema) for c in inputs.columns], dtype=np.int32)
    ordered = np.array([c.is_ordered(schema) for c in inputs.columns], dtype=np.uint8)
    number_at, code_at = (np.flatnonzero(part).astype(np.int32) for part in (numeric, ~numeric))
    arrays = _native.grow_tree(
        [columns[int(j)] for j in number_at],
        number_at,
        [columns[int(j)] for j in code_at],
        code_at,
        levels[code_at],
        ordered[code_at],
        np.ascontiguousarray(labels),
        np.ascontiguousarray(weights),
        k,
        _NO_FACTORS if options.factors is None else np.array(options.factors),
        _NO_FACTORS if options.attribute_costs is None else np.array(options.attribute_costs),
        kernel_options(options),
        cores(),
        drawn,
    )
    return Tree(
        inputs,
        Tests(arrays["input"], arrays["cut_at"], arrays["cuts"], arrays["branch_at"], arrays["branch"]),
        arrays["first"],
        arrays["branches"],
        arrays["otherwise"],
        arrays["counts"].reshape(-1, k),
        arrays["surrogate_at"],
        Tests(*(arrays[f"surrogate_{part}"] for part in ("input", "cut_at", "cuts", "branch_at", "branch"))),
    )


def kernel_options(options: GrowOptions) -> dict[str, Any]:
    """The options by the kernel's names; 0 stands for no limit."""
    return {
        "measure": options.measure,
        "missing": options.missing,
        "binary": options.split == "binary",
        "penalty": options.threshold_penalty,
        "guard": options.require_average_gain,
        "leaf_size": float(options.stop_size),
        "min_branch": options.least,
        "purity": float(options.purity),
        "min_gain": float(options.min_gain),
        "max_depth": options.max_depth or 0,
        "max_leaves": options.max_leaf_nodes or 0,
        "max_subset": options.max_subset or 0,
        "intervals": options.intervals,
        "max_attributes": options.max_attributes or 0,
        "seed": options.seed,
    }
