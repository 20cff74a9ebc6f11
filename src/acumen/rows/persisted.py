"""State that stays beside training rows on this machine: what was encoded of each block, and what is known of it since.

    Persisted   an item a block: kept in memory, or encoded again in each pass where all of them would take too much
    LocalValue    one value of all rows

On the workers of a cluster `PersistedOnWorkers` and `WorkerValue` of `acumen.engines.worker_state` are the same, so
whoever asks need not know where it is. Functions must not change an item, except one that stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import repeat
from typing import Any, Final, Self

from acumen.engines.cores import cores, on_one_core
from acumen.engines.executors import run_in_threads
from acumen.summaries.algebra import add_up

#: The most bytes of encoded items to keep in memory for rows read in parts.
KEPT_BYTES: Final = 1 << 28


class Persisted:
    """What was encoded of each block, in order; `tasks` gives a call for each block, again in every pass."""

    def __init__(self, tasks: Callable[[], Iterable[Callable[[], Any]]], *, keep: bool) -> None:
        self._tasks = tasks
        self._states: Iterable[Any] = repeat(None)
        #: The items, if they are kept in memory.
        self.items: list[Any] | None = None
        if keep:
            self.items = list(self)
            self._tasks = lambda: [partial(_itself, item) for item in self.items or ()]

    @classmethod
    def of(cls, items: Iterable[Any]) -> Self:
        """Of items that are there already."""
        tasks = [partial(_itself, item) for item in items]
        return cls(lambda: tasks, keep=True)

    @property
    def stays(self) -> bool:
        """Whether items are the same objects in each pass, so that something may be remembered in them."""
        return self.items is not None

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items) if self.items is not None else self.each(_itself)

    def each(self, function: Callable[..., Any], *, numbered: bool = False) -> Iterator[Any]:
        """What a function gives of each item (and of the number of its block), in order, several at a time."""
        tasks = self._tasks()
        if isinstance(tasks, list) and len(tasks) == 1:  # no thread is started for one block
            return (_then(task, function, (0,) if numbered else ()) for task in tasks)
        numbers: Iterable[Any] = ((i,) for i in range(1 << 62)) if numbered else repeat(())
        calls = (
            partial(_alone, task, function, more)
            for task, more in zip(tasks, numbers)  # noqa: B905
        )
        return run_in_threads(calls, cores(None))

    def map_items(self, change: Callable[[Any], Any]) -> Persisted:
        """Other items, made of these: kept where these are kept, else made in each pass."""
        return Persisted(lambda: _map_tasks(self._tasks(), change), keep=self.stays)

    def move(self, function: Callable[[Any, Any, Any], Any], shared: Any) -> None:
        """Give every item that stays a new state, `function(shared, item, its state)`; the first state is None."""
        calls = [
            partial(_alone, partial(_itself, item), partial(_apply_with_state, function, shared, state), ())
            for item, state in zip(self.items or (), self._states)  # noqa: B905
        ]
        self._states = list(run_in_threads(iter(calls), cores(None)))

    def sum(self, function: Callable[[Any, Any], Any], shared: Any, *, at_once: bool = False) -> Any:
        """The sum of `function(shared, item)` over all items.

        With `at_once` the function is handed pairs of an item and its state, those of all blocks, and gives their sum:
        where the order of additions changes nothing.
        """
        if at_once:
            return function(shared, zip(self, self._states))  # noqa: B905
        return add_up(self.each(partial(function, shared)))


def _map_tasks(
    tasks: Iterable[Callable[[], Any]], change: Callable[[Any], Any]
) -> Iterable[Callable[[], Any]]:
    changed = (partial(_then, task, change, ()) for task in tasks)
    return list(changed) if isinstance(tasks, list) else changed


def _then(task: Callable[[], Any], function: Callable[..., Any], more: tuple[Any, ...]) -> Any:
    return function(task(), *more)


def _alone(task: Callable[[], Any], function: Callable[..., Any], more: tuple[Any, ...]) -> Any:
    """The same in one of several threads: kernels start no others."""
    with on_one_core():
        return function(task(), *more)


def _apply_with_state(function: Callable[..., Any], shared: Any, state: Any, item: Any) -> Any:
    return function(shared, item, state)


def _itself(item: Any) -> Any:
    return item


class LocalValue:
    """A value of all rows, as `WorkerValue` is one on a worker."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def then(self, function: Callable[..., Any], *given: Any, alone: bool = False) -> LocalValue:
        """What a function gives of this value and others, some of which may be LocalValue themselves."""
        return LocalValue(
            function(self._value, *(each.fetch() if isinstance(each, LocalValue) else each for each in given))
        )

    def fetch(self) -> Any:
        """The value itself."""
        return self._value
