"""What was read, compared and learned, kept in memory for the questions that follow: the last few of each."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from threading import RLock
from typing import Any, Generic, TypeVar

from acumen.cli.data import Reading
from acumen.data.table import Table
from acumen.studio.problems import NotMade
from acumen.studio.spec import ModelSpec, RunSpec, TableSpec

K = TypeVar("K")
V = TypeVar("V")


class Cache(Generic[K, V]):
    """The last few values by what they were made of; questions and jobs may ask at the same time."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, RLock()
        self._values: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: K, value: V) -> V:
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        return value

    def compute(self, key: K, make: Callable[[], V]) -> V:
        """The value, made now where it is not there; made once where two ask for it."""
        with self._lock:
            value = self.get(key)
            return self.put(key, make()) if value is None else value


class Bench:
    """Tables, cards, comparisons and models; `scratch` is a folder that files may be written to."""

    def __init__(self, scratch: str) -> None:
        self.scratch = Path(scratch)
        self._tables: Cache[TableSpec, Table] = Cache(3)
        self._rows: Cache[tuple[TableSpec, ModelSpec], Table] = Cache(2)
        self.cards: Cache[TableSpec, Any] = Cache(6)
        self.runs: Cache[RunSpec, Any] = Cache(8)
        self.models: Cache[ModelSpec, Any] = Cache(8)
        #: What was warned of while each model was learned, as sentences.
        self.warned: Cache[ModelSpec, list[str]] = Cache(8)
        #: Where warnings of the job that is under way go.
        self.heard: list[str] = []
        self.groups: Cache[Any, Any] = Cache(4)
        self.baskets: Cache[Any, Any] = Cache(2)

    def table(self, spec: TableSpec) -> Table:
        """The table, read as the command line reads it."""
        return self._tables.compute(spec, reading_of(spec).read)

    def rows(self, spec: TableSpec, model: ModelSpec) -> Table:
        """The rows of a table for a model: read as the table that the model was trained on."""
        if model.table == spec:
            return self.table(spec)
        schema = self.model(model).predictor_.inputs
        return self._rows.compute((spec, model), lambda: reading_of(spec).read(like=schema))

    def run(self, spec: RunSpec) -> Any:
        """A comparison that was made."""
        comparison = self.runs.get(spec)
        if comparison is None:
            raise NotMade("this comparison is not in memory; run it again.", "compare")
        return comparison[0]

    def choice(self, spec: RunSpec) -> Any:
        """The learners of a comparison that was made, and the words that name them."""
        self.run(spec)
        comparison = self.runs.get(spec)
        return None if comparison is None else comparison[1]

    def model(self, spec: ModelSpec) -> Any:
        """A fitted learner that was made."""
        model = self.models.get(spec)
        if model is None:
            raise NotMade("this model is not in memory; learn it again.", "learn")
        return model


def reading_of(spec: TableSpec) -> Reading:
    """As the command line says it."""
    return Reading(spec.data, spec.options())
