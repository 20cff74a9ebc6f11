"""What can be mended by asking again: the server and the worker speak of both."""

from __future__ import annotations

from acumen.errors import DataError


class WorkerLost(DataError):  # noqa: N818 - it says what happened
    """The worker ended before it answered."""


class NotMade(DataError):  # noqa: N818 - it says what happened
    """What was asked about is not in memory; a job, `needs`, makes it: the page has it made and asks again."""

    def __init__(self, sentence: str, needs: str) -> None:
        super().__init__(sentence)
        self.needs = needs
