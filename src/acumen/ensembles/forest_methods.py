"""What forests' faces have in common: how they learn, and what they tell afterwards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from acumen.base.memory_budget import size_said
from acumen.data.align import align
from acumen.data.schema import Schema
from acumen.engines.memory import LITTLE, limit
from acumen.ensembles.bootstrap_draws import NO_GROUPS, Grouped
from acumen.ensembles.code_blocks import plan_codes
from acumen.ensembles.column_codes import CodedColumns
from acumen.ensembles.distributed_forest import grow_forest_from, growing_of, prior_of
from acumen.ensembles.forest import (
    ForestOptions,
    ForestRows,
    GrownForest,
    Seeds,
    permutation_errors,
    progress_teller,
)
from acumen.ensembles.out_of_bag import Importances, OutOfBag
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.models.parameters import AtLeast, Between, Described, MoreThan
from acumen.resampling.plan import streams
from acumen.rows.training_rows import Rows
from acumen.types import Array, Floats

MaxAttributes = (
    Literal["sqrt", "log2", "all"] | Annotated[int, AtLeast(1)] | Annotated[float, MoreThan(0), Between(0, 1)]
)
Seed = Annotated[Any, Described("a whole number, a random generator, or None")]
#: Training rows that are kept for the surrogate's rules.
ROWS_KEPT = 3_000
_PROXIMITY_ROWS = 512


def _step(rows: int) -> int:
    """Every how many-th row is kept."""
    return max(1, rows // ROWS_KEPT)


class ForestFace(Grouped):
    """Learning and telling; the parameters are those of the faces."""

    extra: ClassVar[bool] = False
    n_estimators: Any
    max_features: Any
    stop_size: Any
    max_depth: Any
    max_samples: Any
    out_of_bag: Any
    patience: Any
    bins: Any
    progress: Any
    random_state: Any

    # -- learning ---------------------------------------------------------------------------------

    def objection(self, schema: Schema) -> str | None:
        """Explain in a sentence which parameters contradict each other; None if none do."""
        if self.max_samples is None and self.groups is not None:
            return "groups are drawn at random, but max_samples=None draws nothing; set max_samples to a fraction."
        if self.patience is not None and not (self.out_of_bag and self.max_samples is not None):
            return "patience looks at the out-of-bag error; it needs max_samples and out_of_bag=True."
        return None

    def memory(self, rows: int, schema: Schema) -> int | None:
        return memory_of_trees(int(self.n_estimators), rows, schema)

    @property
    def streams(self) -> bool:
        return self.groups is None

    def _options(self, columns: int) -> ForestOptions:
        return ForestOptions(
            max_attributes=n_columns_drawn(self.max_features, columns),
            extra=self.extra,
            bootstrap=self.max_samples is not None,
            sample=1.0 if self.max_samples is None else float(self.max_samples),
            leaf_size=float(self.stop_size),
            purity=float(getattr(self, "purity", 1.0)),
            max_depth=self.max_depth,
            out_of_bag=bool(self.out_of_bag),
            patience=self.patience,
        )

    def _grow(self, rows: Rows) -> tuple[CodedColumns, GrownForest, Floats]:
        """The columns, the trees, and the share of each class."""
        units = NO_GROUPS if self.groups is None else self.group_codes()
        coded, some = plan_codes(rows, int(self.bins), _step(len(rows)))
        options = self._options(len(self._few_enough(coded).coding))
        growing, each = growing_of(rows, coded, options, int(self.n_estimators), units, self._name)
        self._seeds = self._draw_seeds()
        tell = progress_teller(self._name, int(self.n_estimators)) if self.progress else None
        forest = grow_forest_from(growing, coded, self._seeds, options, each, tell)
        self._seeds = self._seeds[: len(forest.packed)]
        self._interrupted = forest.stopped
        self._kept = some  # of which the surrogate's rules are made
        return coded, forest, growing.then(prior_of).fetch()

    def _few_enough(self, coded: CodedColumns) -> CodedColumns:
        if len(coded.coding) > 65_535:
            raise DataError(
                f"{self._name}: there are {len(coded.coding):,} columns, and a forest takes at most 65,535."
            )
        return coded

    def _draw_seeds(self) -> Seeds:
        """A seed for each tree; those of the first trees do not depend on how many there are."""
        rng = next(streams(self.random_state, self._name))
        return rng.integers(0, 2**64, size=int(self.n_estimators), dtype=np.uint64)

    def settle(self, schema: Schema, model: Any, totals: Floats, rows: int) -> None:
        """Store the fitted model; then, if Ctrl-C ended it, raise that: the finished trees are a forest."""
        super().settle(schema, model, totals, rows)
        interrupt = self.__dict__.pop("_interrupted", None)
        if interrupt is not None:
            raise interrupt

    # -- telling ----------------------------------------------------------------------------------

    @property
    def out_of_bag_(self) -> OutOfBag:
        """Out-of-bag predictions and their error."""
        bag: OutOfBag | None = self._require_fitted().model.bag
        if bag is None:
            why = (
                "out_of_bag=False"
                if self.max_samples is not None
                else "max_samples=None: every tree has all rows"
            )
            raise AttributeError(  # so that `hasattr` is False
                f"{self._name}: there are no out-of-bag rows ({why}); fit with max_samples=1.0 and "
                "out_of_bag=True."
            )
        return bag

    @property
    def feature_importances_(self) -> Floats:
        """Importance of each attribute, in the order of `feature_names_in_`; negative means count as 0.

        These are the values of `importance_details_`, as scikit-learn's feature selection expects them.
        """
        details = self.importance_details_
        schema = self._require_fitted().schema
        by_name = dict(zip(details.names, details.values, strict=True))
        return np.array([max(float(by_name.get(name, 0.0)), 0.0) for name in schema.names])

    @property
    def importance_details_(self) -> Importances:
        """Importance of each attribute on out-of-bag rows, by name, with 95 % intervals over the trees.

        Out-of-bag rows remove the bias towards attributes with many values. Without any (`max_samples=None` or
        `out_of_bag=False`) the training rows are used and the bias remains; `what` says which rows were used.
        """
        predictor = self._require_fitted()
        try:
            importances: Importances = predictor.model.importances(predictor.schema)
        except ParameterError as error:  # so that `hasattr` is False, and `dir` goes on
            raise AttributeError(str(error)) from None
        return importances

    @property
    def n_estimators_(self) -> int:
        """The number of trees; fewer than `n_estimators` if growing stopped early."""
        return len(self._require_fitted().model)

    def permutation_importances(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, together: Any = None
    ) -> Importances:
        """Permutation importance: the increase in out-of-bag error when an attribute's values are permuted.

        Parameters
        ----------
        X, y, sample_weight
            The very rows the forest was fitted on: which of them are out of bag is drawn again from the seed.
        together : sequence of sequences of names, optional
            Attributes that are permuted together, such as those that are correlated: alone, each can stand in for the
            other. All others are permuted alone.

        Returns
        -------
        Importances
            Of classes the rise of the error, of numbers that of the squared error; with intervals over the trees.
        """
        predictor = self._require_fitted()
        if not hasattr(self, "_seeds"):
            raise ParameterError(
                f"{self._name}: a model file does not store the seeds that determine the out-of-bag "
                "rows; fit again."
            )
        if self.max_samples is None:
            raise ParameterError(f"{self._name}: without max_samples no row is out of bag.")
        table, _ = self.task.intake(X, y, sample_weight, self._name)
        factors = self.class_factors(table)
        table = self.in_units(self.counted_places(table, factors)[0])
        if len(table) != self.training_["rows"]:
            raise DataError(
                f"{self._name}: give the rows the forest was fitted on, {self.training_['rows']:,} of them; got "
                f"{len(table):,}."
            )
        units = self.group_codes()
        rows = align(table, predictor.schema)
        model = predictor.model
        coding = model.coding
        empty: list[Floats] = [np.empty(0)] * len(coding)
        coded = CodedColumns(coding, coding.columns(rows), empty, empty, model.packed.nominal)
        names = [rows.schema.attributes[c.first].name for c in coding.inputs.columns]
        groups = _column_groups(dict.fromkeys(names), together, self._name)
        columns = [[j for j, name in enumerate(names) if name in group] for group in groups]
        growing = ForestRows.of(rows, coded, units)
        errors = permutation_errors(growing, model.packed, self._seeds, self._options(len(coding)), columns)
        what = "rise of the error, permuted out of bag"
        return Importances(tuple(" and ".join(group) for group in groups), errors, what)

    def proximity(self, X: Any, other: Any = None) -> Floats:
        """The proximity of rows: the fraction of trees in which two rows end in the same leaf.

        One line for each row of X, one column for each row of `other` [default: X itself]. It is computed in blocks of
        rows, so nothing larger than the result is in memory. If the result is too large, pass some rows at a time as X
        and all as `other`.
        """
        model = self._require_fitted().model
        rows = self._query(X)
        others = rows if other is None else self._query(other)
        need = 8 * len(rows) * len(others)
        if need > LITTLE and need > limit():
            raise DataError(
                f"{self._name}: how near {len(rows):,} rows are to {len(others):,} takes "
                f"{size_said(need)}, and "
                f"{size_said(limit())} may be used; give some rows at a time, and all of them as other."
            )
        mine = model.leaves(rows)
        theirs = mine if other is None else model.leaves(others)
        theirs = np.ascontiguousarray(theirs.T)
        together = np.zeros((len(mine), theirs.shape[1]))
        for start in range(0, len(mine), _PROXIMITY_ROWS):
            part = slice(start, start + _PROXIMITY_ROWS)
            counts = np.zeros(together[part].shape, dtype=np.int32)
            for t in range(len(theirs)):
                counts += mine[part, t][:, None] == theirs[t]
            together[part] = counts / len(theirs)
        return together

    def apply(self, X: Any) -> Array:
        """The leaf of each row in each tree, counted from the tree's root."""
        leaves: Array = self._require_fitted().model.leaves(self._query(X))
        return leaves


def memory_of_trees(trees: int, rows: int, schema: Schema) -> int:
    """Codes twice, and trees of at most two nodes a row."""
    columns, outputs = max(len(schema), 1), max(schema.n_classes, 1)
    return int(rows * columns * 3 + trees * rows * 0.8 * (8 + 8 * outputs))


def n_columns_drawn(wanted: Any, columns: int) -> int:
    """The number of columns that a node considers."""
    match wanted:
        case "all":
            number = columns
        case "sqrt":
            number = round(math.sqrt(columns))
        case "log2":
            number = round(math.log2(max(columns, 1)))
        case int() | np.integer():
            number = int(wanted)
        case share:
            number = round(float(share) * columns)
    return min(max(number, 1), max(columns, 1))


def _column_groups(names: dict[str, None], together: Any, who: str) -> Sequence[tuple[str, ...]]:
    """Groups of names: those asked for, then each other one alone."""
    groups: list[tuple[str, ...]] = []
    for group in together or ():
        group = (group,) if isinstance(group, str) else tuple(group)
        for name in group:
            if name not in names:
                raise ParameterError(
                    f"{who}: together names {name!r}, which is not an attribute of the training table."
                    + did_you_mean(str(name), names)
                )
        groups.append(group)
    taken = [name for group in groups for name in group]
    if len(set(taken)) != len(taken):
        raise ParameterError(f"{who}: together names an attribute twice.")
    return [*groups, *((name,) for name in names if name not in taken)]
