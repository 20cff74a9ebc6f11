"""Batches kept beside memory: what can be fetched only once, to be gone through as often as needed."""

from __future__ import annotations

import pickle
import tempfile
import weakref
from collections.abc import Iterator
from typing import Any

from acumen.errors import DataError

_IN_MEMORY = 1 << 25


class Spool:
    """Values in the order they were added, in memory while few, then in a temporary file without a name.

    They are pickled: the file is ours alone, nobody else can open it, and it is gone with the process.
    """

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed with the spool
        self._places: list[tuple[int, int]] = []
        self._end = 0
        weakref.finalize(self, self._file.close)

    def add(self, value: Any) -> None:
        """Put one more behind the others."""
        pickled = pickle.dumps(value, protocol=5)
        try:
            self._file.seek(self._end)
            self._file.write(pickled)
        except OSError as error:
            raise DataError(
                f"the rows fetched cannot be put by in {tempfile.gettempdir()}: {error.strerror or error}; set "
                "TMPDIR to a folder with more room."
            ) from None
        self._places.append((self._end, len(pickled)))
        self._end += len(pickled)

    def __getitem__(self, index: int) -> Any:
        place, size = self._places[index]
        self._file.seek(place)
        return pickle.loads(self._file.read(size))

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self._places)))
