"""How a file is written down, where it does not tell itself: the same options that every command has for DATA."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Final

from acumen.errors import ParameterError

#: Characters of any of them.
_LONGEST: Final = 200
_RAGGED: Final = ("fill", "drop")
_ORDERS: Final = ("dmy", "mdy", "ymd")


@dataclass(frozen=True, slots=True)
class Written:
    """The user's reading options; None: detect."""

    delimiter: str | None = None
    decimal: str | None = None
    quote: str | None = None
    comment: str | None = None
    header: bool | None = None
    encoding: str | None = None
    format: str | None = None
    widths: tuple[int, ...] | None = None
    skip: int | None = None
    sheet: str | None = None
    ragged: str | None = None
    date_order: str | None = None

    @classmethod
    def of(cls, given: Any) -> Written:
        """Of what the page sends; what values mean, the reader checks itself."""
        if given is None:
            return cls()
        known = {each.name for each in fields(cls)}
        if not isinstance(given, dict) or given.keys() - known:
            raise ParameterError(f"studio: a file is told by {', '.join(sorted(known))}.")
        options = {name: value for name, value in given.items() if value is not None}
        for name, value in options.items():
            if not _fits(name, value):
                raise ParameterError(f"studio: {name} of a file cannot be {str(value)[:80]!r}.")
        if "widths" in options:
            options["widths"] = tuple(options["widths"])
        return cls(**options)

    def __bool__(self) -> bool:
        return self != Written()

    def _dialect(self) -> dict[str, Any]:
        names = (
            "delimiter",
            "header",
            "quote",
            "decimal",
            "comment",
            "encoding",
            "format",
            "widths",
            "skip",
            "sheet",
        )
        return {name: value for name in names if (value := getattr(self, name)) is not None}

    def options(self) -> dict[str, Any]:
        """As `acumen.read` takes them."""
        from acumen.data.dialect import Dialect

        options: dict[str, Any] = {"ragged": self.ragged, "date_order": self.date_order}
        if dialect := self._dialect():
            options["dialect"] = Dialect(**dialect)
        return {name: value for name, value in options.items() if value is not None}

    def words(self) -> list[str]:
        """As commands take them."""
        words: list[str] = []
        for name, value in {
            **self._dialect(),
            "ragged": self.ragged,
            "date-order": self.date_order,
        }.items():
            if name == "header" and value is not None:
                words.append("--header" if value else "--no-header")
            elif name == "widths":
                words += ["--widths", ",".join(map(str, value))]
            elif value is not None:
                words += [f"--{name}", "tab" if value == "\t" else "space" if value == " " else str(value)]
        return words

    def python(self) -> str:
        """As a call of `acumen.read` goes on."""
        code = "".join(
            f", {name}={value!r}"
            for name, value in (("ragged", self.ragged), ("date_order", self.date_order))
            if value is not None
        )
        arguments = ", ".join(f"{name}={value!r}" for name, value in self._dialect().items())
        return code + (f", dialect=acumen.Dialect({arguments})" if arguments else "")


def _fits(name: str, value: Any) -> bool:
    if name == "header":
        return isinstance(value, bool)
    if name == "skip":
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10**6
    if name == "widths":
        return isinstance(value, list) and len(value) <= 10_000 and all(type(each) is int for each in value)
    if not isinstance(value, str) or len(value) > _LONGEST:
        return False
    return value in {"ragged": _RAGGED, "date_order": _ORDERS}.get(name, (value,))
