"""Temporary storage for batches that can be read only once but are iterated repeatedly."""

from __future__ import annotations

import pickle
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from acumen.errors import DataError

_IN_MEMORY = 1 << 25


class Spool:
    """Values in the order they were added, in memory while they are small, then in an unnamed temporary file.

    The values are pickled. No other process can open the file, and it disappears with this process.
    """

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed with the spool
        self._places: list[tuple[int, int]] = []
        self._end = 0
        weakref.finalize(self, self._file.close)

    def add(self, value: Any) -> None:
        """Append a value."""
        pickled = pickle.dumps(value, protocol=5)
        try:
            self._file.seek(self._end)
            self._file.write(pickled)
        except OSError as error:
            raise DataError(
                f"the rows cannot be stored temporarily in {tempfile.gettempdir()}: {error.strerror or error}; set "
                "TMPDIR to a folder with more space."
            ) from None
        self._places.append((self._end, len(pickled)))
        self._end += len(pickled)

    def __getitem__(self, index: int) -> Any:
        place, size = self._places[index]
        self._file.seek(place)
        return pickle.loads(self._file.read(size))

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self._places)))


# -- Arrow record batches, stored column by column ------------------------------------------------
#
# Record batches too large for memory are fetched column by column, cut, and stored as pieces of all columns.
#
# A file that was written at one go may be a single batch of gigabytes, and a batch comes whole. Of one column at a
# time it need not.


def pieces_of(fetch: Callable[[list[str]], Any], names: Sequence[str], rows: int) -> Iterator[Any]:
    """The batch that `fetch` gives some columns of, as Arrow tables of `rows` rows with all of `names`."""
    import pyarrow

    put_by, n_pieces = Spool(), 0
    for name in names:
        column = pyarrow.Table.from_batches([fetch([name])])
        n_pieces = -(-column.num_rows // rows)
        for piece in range(n_pieces):
            put_by.add(_pack(column.slice(piece * rows, rows)))
        del column  # before the next one comes
        # Room for the whole batch was set aside, and this column's part of it used; the pool would keep it so.
        pyarrow.default_memory_pool().release_unused()
    for piece in range(n_pieces):
        columns = [_unpack(put_by[j * n_pieces + piece]) for j in range(len(names))]
        yield pyarrow.table([column[0] for column in columns], names=list(names))


def _pack(table: Any) -> bytes:
    """An Arrow table as bytes; of a slice no more than its rows, where pickling may keep all it is a slice of."""
    import pyarrow

    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _unpack(packed: bytes) -> Any:
    import pyarrow

    return pyarrow.ipc.open_stream(packed).read_all()
