"""What can go wrong, by who must act on it. Each message says what, where and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class AcumenError(Exception):
    """Base of every error acumen raises on purpose."""


class DataError(AcumenError, ValueError):
    """The data cannot be read or used as asked."""


class RaggedRows(DataError):  # noqa: N818 - it says what they are
    """Rows of a file that differ in their number of fields; `many` where it may hold lists rather than rows."""

    def __init__(self, message: str, many: bool = False) -> None:
        super().__init__(message)
        self.many = many


class HeaderAlone(DataError):  # noqa: N818 - it says what it is
    """A file of one line, which can only be the names of columns; or one list of items."""


class CellError(DataError, TypeError):
    """A cell holds something that is no value of a table, such as a list."""


class ParameterError(AcumenError, ValueError):
    """A parameter is outside what it may be."""


class SchemaMismatch(AcumenError, ValueError):  # noqa: N818 - the house's name for it
    """Two things made under different schemas or plans were put together."""


class ModelFileError(AcumenError, ValueError):
    """A model file is damaged, hostile, or of a format this version does not know."""


class MissingExtra(AcumenError, ImportError):  # noqa: N818
    """An optional package is needed and absent."""


class AcumenWarning(UserWarning):
    """Something was done that a person should know of."""


class TableWarning(AcumenWarning):
    """Something about a table that a person should look at before learning from it, or predicting with it."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """` Did you mean 'x'?`, or nothing; to be put behind a sentence."""
    others = [str(k) for k in known if str(k) != str(name)]  # it was there, and was no help
    alike = [other for other in others if other.casefold() == str(name).casefold()]
    close = alike or difflib.get_close_matches(str(name), others, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
