"""What a reader decided and what it found odd: the honest half of every table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Level = Literal["note", "warning"]


@dataclass(frozen=True, slots=True)
class Note:
    """One thing decided or found.

    `code` is a stable word for programs, `text` the sentence for people, `lines` the physical lines of
    the source concerned (from 1, header included; the first few), `count` how many there were in all.
    """

    code: str
    text: str
    level: Level = "note"
    column: str | None = None
    lines: tuple[int, ...] = ()
    count: int | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "level": self.level,
            "text": self.text,
            "column": self.column,
            "lines": list(self.lines),
            "count": self.count,
        }

    def __str__(self) -> str:
        return f"warning: {self.text}" if self.level == "warning" else self.text


@dataclass(slots=True)
class Report:
    """The notes of one reading, in the order they were made."""

    source: str = ""
    notes: list[Note] = field(default_factory=list)
    #: Whether what is odd about the table has been said to whoever learns from it; once is enough.
    told: bool = field(default=False, compare=False, repr=False)
    #: Whether the warnings among these notes have been.
    read_out: bool = field(default=False, compare=False, repr=False)

    def note(
        self,
        code: str,
        text: str,
        *,
        column: str | None = None,
        lines: Sequence[int] = (),
        count: int | None = None,
    ) -> None:
        """Something decided."""
        self.notes.append(Note(code, text, "note", column, tuple(lines), count))

    def warn(
        self,
        code: str,
        text: str,
        *,
        column: str | None = None,
        lines: Sequence[int] = (),
        count: int | None = None,
    ) -> None:
        """Something odd that a person should look at."""
        self.notes.append(Note(code, text, "warning", column, tuple(lines), count))

    @property
    def warnings(self) -> list[Note]:
        return [note for note in self.notes if note.level == "warning"]

    def about(self, code: str) -> list[Note]:
        """The notes of one code."""
        return [note for note in self.notes if note.code == code]

    def __iter__(self) -> Iterator[Note]:
        return iter(self.notes)

    def __len__(self) -> int:
        return len(self.notes)

    def __bool__(self) -> bool:
        return True

    def __contains__(self, text: object) -> bool:
        """Whether some note holds this text."""
        return isinstance(text, str) and any(text in str(note) for note in self.notes)

    def __str__(self) -> str:
        head = [f"Read {self.source}"] if self.source else []
        return "\n".join([*head, *(f"- {note}" for note in self.notes)])
