"""The layout of a text file; settings left at None are detected from the file."""

from __future__ import annotations

from dataclasses import dataclass

from acumen.data.formats import FORMATS
from acumen.errors import ParameterError, did_you_mean

#: Unquoted tokens that stand for a missing value unless a dialect says otherwise.
MISSING_TOKENS = ("", "NA", "N/A", "?", "null", "NaN")

#: Unquoted tokens that may stand for one: among numbers they do, and among words unless the column or the caller says
#: otherwise. They are not looked for where a dialect lists its own.
PERHAPS_MISSING = (
    "NULL", "Null", "(null)", "None", "n/a", "N/a", "n.a.", "#N/A", "<NA>", "\\N", "-", "--", ".", "#NULL!",
    "#DIV/0!", "#VALUE!", "#REF!", "#NUM!",
)  # fmt: skip

#: Tokens that are missing in a column of numbers and values in one of words.
NOT_A_NUMBER = ("nan", "NAN", "Nan")


@dataclass(frozen=True, slots=True)
class Dialect:
    """The format of a text file. None means: detect it.

    Parameters
    ----------
    delimiter : str, optional
        One character; a blank matches any number of blanks.
    header : bool, optional
        Whether the first record holds the column names.
    quote : str
        The character around quoted fields; an empty string if fields are never quoted.
    decimal : str, optional
        "." or ","; if it is also the delimiter, numbers with decimals must be quoted.
    comment : str, optional
        Lines that begin with this character are skipped; an empty string if there are no comments.
    encoding : str, optional
        Any encoding Python knows.
    missing : tuple of str
        The unquoted tokens that mean a missing value (case-sensitive).
    format : str, optional
        The format of the file, regardless of its name: "delimited", "arff", "fixed" (columns of fixed width), "basket"
        (one list of items per line), "binary" (a 0/1 table, stored sparsely), "jsonl", "svmlight", "parquet", "arrow"
        or "excel" (a sheet of a workbook, including .ods).
    widths : tuple of int, optional
        The width in characters of each column of a fixed-width file.
    skip : int
        Number of lines above the table to skip. A title above the names is usually detected.
    sheet : str, optional
        The sheet of a workbook; only needed if several sheets hold data.
    """

    delimiter: str | None = None
    header: bool | None = None
    quote: str = '"'
    decimal: str | None = None
    comment: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = MISSING_TOKENS
    format: str | None = None
    widths: tuple[int, ...] | None = None
    skip: int = 0
    sheet: str | None = None

    @property
    def form(self) -> str | None:
        """The declared format; `widths` implies fixed width."""
        return "fixed" if self.format is None and self.widths is not None else self.format

    def __post_init__(self) -> None:
        object.__setattr__(self, "missing", tuple(self.missing))
        if self.format is not None and self.format not in FORMATS:
            raise ParameterError(
                f"Dialect: format must be one of {', '.join(FORMATS)}; got {self.format!r}."
                + did_you_mean(str(self.format), FORMATS)
            )
        if self.widths is not None:
            whole = (int(w) if hasattr(w, "__index__") and type(w) is not bool else w for w in self.widths)
            object.__setattr__(self, "widths", tuple(whole))
            if not self.widths or not all(type(w) is int and w > 0 for w in self.widths):
                raise ParameterError(
                    f"Dialect: widths must be whole numbers of at least 1, one a column; got {self.widths!r}."
                )
            if self.format not in (None, "fixed"):
                raise ParameterError(
                    f"Dialect: widths are for fixed-width files; the format is {self.format!r}."
                )
        if isinstance(self.skip, bool) or not isinstance(self.skip, int) or self.skip < 0:
            raise ParameterError(f"Dialect: skip must be a whole number of at least 0; got {self.skip!r}.")
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
