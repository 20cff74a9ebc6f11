"""The protocol of a list of rules, for code that works on lists without importing `RuleList`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import Field
from typing import Any, ClassVar, Protocol

from acumen.conditions.rule import Rule
from acumen.data.table import Table
from acumen.types import Array, Label


class RuleContent(Protocol):
    """Rules with a default; `RuleList` documents each field."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def rules(self) -> Sequence[Rule]: ...
    @property
    def default(self) -> Label: ...
    @property
    def classes(self) -> tuple[Label, ...]: ...
    @property
    def ordered(self) -> bool: ...
    @property
    def default_counts(self) -> Mapping[Label, float]: ...
    @property
    def smoothing(self) -> float: ...
    @property
    def edits(self) -> tuple[str, ...]: ...
    def __iter__(self) -> Iterator[Rule]: ...
    def without(self, i: int) -> RuleContent: ...
    def predict(self, table: Table) -> Array: ...
