"""How a delimited file is written down; what is left None is found out from the file."""

from __future__ import annotations

from dataclasses import dataclass

from acumen.errors import ParameterError

#: Unquoted tokens that stand for a missing value unless a dialect says otherwise.
MISSING_TOKENS = ("", "NA", "N/A", "?", "null", "NaN")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a delimited text file is written down. None means: find out from the file.

    Parameters
    ----------
    delimiter : str, optional
        One character; a blank means runs of blanks.
    header : bool, optional
        Whether the first record holds the column names.
    quote : str
        The character around quoted fields; an empty string if there are none.
    decimal : str, optional
        "." or ","; where it is the delimiter too, numbers with decimals stand in quotes.
    comment : str, optional
        Lines that begin with this character are skipped; an empty string if there are no comments.
    encoding : str, optional
        Any encoding Python knows.
    missing : tuple of str
        The unquoted tokens that stand for a missing value (letter case counts).
    """

    delimiter: str | None = None
    header: bool | None = None
    quote: str = '"'
    decimal: str | None = None
    comment: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = MISSING_TOKENS

    def __post_init__(self) -> None:
        object.__setattr__(self, "missing", tuple(self.missing))
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in "\r\n"):
            raise ParameterError(f"Dialect: delimiter must be one character; got {self.delimiter!r}.")
        if self.decimal not in (None, ".", ","):
            raise ParameterError(f"Dialect: decimal must be '.' or ','; got {self.decimal!r}.")
        for name, value in (("quote", self.quote), ("comment", self.comment or "")):
            if len(value) > 1 or (value and value in "\r\n"):
                raise ParameterError(f"Dialect: {name} must be one character or empty; got {value!r}.")
        if self.decimal is not None and self.decimal == self.delimiter and not self.quote:
            raise ParameterError(
                f"Dialect: {self.decimal!r} can be delimiter and decimal mark at once only where fields are quoted."
            )
