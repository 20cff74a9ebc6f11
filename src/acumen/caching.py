"""Attributes that are computed once, without a lock.

cached_property    as in functools from Python 3.12 on

Before 3.12, functools holds one lock for all objects of a class while it computes. Threads then wait for one another,
and a process that is forked while another thread computes waits for ever, since nobody is left to give the lock back.
Here two threads may compute the same value at once; the last one is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class cached_property(Generic[T]):  # noqa: N801 - as functools has it
    """A method whose value is kept in the object's own dictionary."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self.compute = compute
        self.__doc__ = compute.__doc__
        self.__module__ = compute.__module__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> T: ...

    def __get__(self, instance: object | None, owner: type | None = None) -> Self | T:
        if instance is None:
            return self
        value = self.compute(instance)
        instance.__dict__[self.name] = value
        return value
