"""Errors that have a status of their own: work that asking again repairs, and files beyond the limit."""

from __future__ import annotations

from acumen.errors import DataError


class WorkerLost(DataError):  # noqa: N818 - it says what happened
    """The worker ended before it answered."""


class TooLarge(DataError):  # noqa: N818 - it says what happened
    """A file has more bytes than the studio takes."""

    def __init__(self, name: str, most: int) -> None:
        super().__init__(
            f"{name} is larger than the {most:,} bytes that may be dropped here; start the studio in its folder."
        )


class NotMade(DataError):  # noqa: N818 - it says what happened
    """What was asked about is not in memory; a job, `needs`, makes it: the page has it made and asks again."""

    def __init__(self, sentence: str, needs: str) -> None:
        super().__init__(sentence)
        self.needs = needs
