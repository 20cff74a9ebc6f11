"""The model of `Completer`: what fills each attribute, stored as arrays.

CompletionModel   rounds of predictors for the attributes that had gaps, mean or mode for the others; or the hidden
                  traits of a table of ratings
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from acumen.data.naming import unique_names
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.imputation.chain import AttributeFiller, nearest
from acumen.imputation.fit import FittedFilling, spread_over
from acumen.imputation.low_rank import LowRank
from acumen.imputation.rows import ColumnValues, asked_schema
from acumen.models.model import AnyModel, ColumnModel
from acumen.models.nested import member_arrays, members_from
from acumen.models.task import CLASSES, NUMBERS
from acumen.preprocessing.packing import pack_json, unpack_json
from acumen.preprocessing.stored_arrays import require, stored_array, stored_floats
from acumen.render.text import many
from acumen.types import Array, Floats


@dataclass(frozen=True, slots=True, eq=False)
class CompletionModel(ColumnModel):
    """A filling, and a constant answer for every attribute that had no missing values in training."""

    kind: ClassVar[str] = "completer"

    filling: FittedFilling
    plain: Mapping[str, AttributeFiller]
    wide: bool = False

    def fill(self, rows: Table) -> ColumnValues:
        """The columns of rows without missing values."""
        columns = ColumnValues.of(rows)
        learned = set(self.filling.rounds[0]) if self.filling.rounds else set()
        by_name = {a.name: a for a in columns.attributes}
        names = list(by_name)
        some = names if self.filling.low_rank is not None else [name for name in names if name in learned]
        filled = self.filling.apply(columns, some)[0] if some else columns
        more = {}
        for name in names:
            at = np.flatnonzero(filled.gaps(name))
            if len(at):
                column = filled.values[name].copy()
                column[at] = nearest(by_name[name], np.full(len(at), self.plain[name].plain))
                more[name] = column
        return filled.replace_columns(more)

    def names(self, schema: Schema) -> tuple[str, ...]:
        names = [name for attribute in schema.attributes for name in self._own(attribute)]
        return tuple(unique_names(names)[0])

    def _own(self, attribute: Attribute) -> list[str]:
        if attribute.is_numeric or (self.wide and attribute.ordered):
            return [attribute.name]
        return [f"{attribute.name}={level}" for level in attribute.levels] if self.wide else []

    def columns(self, rows: Table) -> Floats:
        done = self.fill(rows)
        columns: list[Array] = []
        for attribute in rows.schema.attributes:
            column = done.values.get(attribute.name)
            if column is None or (attribute.is_nominal and not self.wide):
                continue
            if attribute.is_numeric or attribute.ordered:
                columns.append(np.where(np.isfinite(column), column, np.nan))
            else:
                columns += [(column == level) * 1.0 for level in range(len(attribute.levels))]
        return np.column_stack(columns).astype(np.float64) if columns else np.empty((len(rows), 0))

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        few = self.filling.low_rank
        if few is not None:
            return f"Missing values are filled by {few.rank} latent factors of rows and columns"
        learned = [] if not self.filling.rounds else list(self.filling.rounds[-1].values())
        lines = [f"  {link.attribute.name}: {self._filler(link)}" for link in learned]
        rounds = many(len(self.filling.rounds), "round")
        head = f"Missing values of {many(len(learned), 'attribute')} are filled from the others, in {rounds}"
        return "\n".join([head, *lines, "  missing values elsewhere: mean or mode"])

    def _filler(self, link: AttributeFiller) -> str:
        """Describe what fills an attribute."""
        if link.predictor is None or link.attribute.name in self.filling.plain:
            return "mean or mode"
        return str(link.predictor.model.kind)

    # -- to a file and back -----------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        members = [(r, link) for r, round_ in enumerate(self.filling.rounds) for link in round_.values()]
        real = [link.predictor.model for _, link in members if link.predictor is not None]
        about = {
            "rounds": len(self.filling.rounds),
            "members": [
                [r, link.attribute.name, None if link.predictor is None else link.predictor.model.kind]
                for r, link in members
            ],
            "wide": self.wide,
            "filled_plainly": sorted(self.filling.plain),
        }
        arrays: dict[str, Array] = {"about": pack_json(about)}
        arrays["plain"] = np.array([self.plain[a.name].plain for a in self.filling.attributes])
        arrays["shares"] = np.concatenate(
            [np.empty(0), *(self.plain[a.name].shares for a in self.filling.attributes)]
        )
        few = self.filling.low_rank
        if few is not None:
            arrays |= {"mean": few.mean, "spread": few.spread, "factors": few.factors}
            arrays["penalty"] = np.array([few.penalty])
        return arrays | (member_arrays(real) if real else {})

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        about = unpack_json(cls.__name__, arrays, rounds=int, members=list, wide=bool, filled_plainly=list)
        attributes = tuple(a for a in schema.attributes if a.kind != "text")
        plain = _plain_links(arrays, attributes)
        low_rank = _low_rank(arrays, sum(map(spread_over, attributes))) if "factors" in arrays else None
        entries = about["members"]
        require(0 <= about["rounds"] <= 1000, "it has too many rounds")
        require(all(isinstance(e, list) and len(e) == 3 for e in entries), "its members are not identified")
        by_name = {a.name: a for a in attributes}
        for r, name, _ in entries:
            require(
                name in by_name and isinstance(r, int) and 0 <= r < about["rounds"], "a member fills nothing"
            )
        kinds = [kind for _, _, kind in entries if kind is not None]
        schemas = [asked_schema(attributes, by_name[name]) for _, name, kind in entries if kind is not None]
        models: list[AnyModel] = (
            list(members_from(arrays, kinds, schemas, of=AnyModel)) if kinds else []  # type: ignore[type-abstract]
        )
        rounds: list[dict[str, AttributeFiller]] = [{} for _ in range(about["rounds"])]
        at = iter(zip(models, schemas, strict=True))
        for r, name, kind in entries:
            attribute = by_name[name]
            predictor: Any = None
            if kind is not None:
                model, own_arrays = next(at)
                task = CLASSES if attribute.is_nominal else NUMBERS
                require(model.task is task, f"what fills {name!r} predicts something else")
                predictor = task.predictor(own_arrays, model)
            rounds[r][name] = AttributeFiller(attribute, predictor, plain[name].plain, plain[name].shares)
        require(len({tuple(sorted(one)) for one in rounds}) <= 1, "its rounds fill different attributes")
        named = about["filled_plainly"]
        require(
            all(isinstance(name, str) and name in plain for name in named),
            "it fills an unknown column with a constant",
        )
        filling = FittedFilling(attributes, tuple(rounds), low_rank, {name: plain[name] for name in named})
        return cls(filling, plain, about["wide"])


def _plain_links(
    arrays: Mapping[str, Array], attributes: tuple[Attribute, ...]
) -> dict[str, AttributeFiller]:
    values = stored_floats(arrays, "plain", (len(attributes),))
    sizes = [max(len(a.levels), 1) if a.is_nominal else 0 for a in attributes]
    shares = stored_floats(arrays, "shares", (sum(sizes),), low=0.0, high=1.0)
    ends = np.cumsum([0, *sizes]).tolist()
    links = {}
    for attribute, value, first, last in zip(attributes, values.tolist(), ends[:-1], ends[1:], strict=True):
        if attribute.is_nominal:
            require(
                0 <= value < max(len(attribute.levels), 1) and value == int(value), "a mode is not a level"
            )
        links[attribute.name] = AttributeFiller(attribute, None, value, shares[first:last])
    return links


def _low_rank(arrays: Mapping[str, Array], d: int) -> LowRank:
    factors = stored_floats(arrays, "factors", (d, None))
    require(1 <= factors.shape[1] <= 64, "it has too many latent factors")
    mean = stored_floats(arrays, "mean", (d,))
    spread = stored_floats(arrays, "spread", (d,), low=np.finfo(np.float64).tiny)
    penalty = float(stored_array(arrays, "penalty", np.float64, (1,))[0])
    require(np.isfinite(penalty) and penalty > 0, "its penalty is not above 0")
    return LowRank(mean, spread, factors, penalty)
