"""Work under way, told to whoever watches: how much is done, who is at it, about how long it will take.

Tell            what `compare` tells: splits finished, learners that begin
in_a_notebook   whether a notebook's kernel runs this
notebook_bar    a bar in the cell's output, plain HTML that is replaced as work goes on, and taken away in the end

A notebook needs no further package for it: a display is updated under its own id.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from acumen.data.escape import in_html
from acumen.render.notebook import block

#: Seconds before a bar is shown, and between two of its states.
PATIENCE, PACE = 1.0, 0.2


class Tell:
    """Told of learners at work: how many splits are done, who begins, and about how long it will all take."""

    def __init__(self, show: Callable[[float, str], None], total: int) -> None:
        self._show, self._total, self._now = show, total, time.monotonic
        self._began, self._done, self._share = time.monotonic(), dict[str, int](), 0.0

    def __call__(self, name: str, done: int) -> None:
        """Splits of a learner are finished."""
        self._done[name] = done
        self._show(max(self._share, sum(self._done.values()) / max(self._total, 1)), name)

    def expects(self, name: str, seconds: float | None, waiting: Sequence[str]) -> None:
        """A split of a learner begins."""
        message = name
        if len(waiting) > 1:
            message += f", {len(waiting) - 1} waiting"
        if seconds is not None:
            gone = self._now() - self._began
            self._share = gone / max(gone + seconds, 1e-9)
            message += f", about {_about(seconds)} left"
        self._show(max(self._share, sum(self._done.values()) / max(self._total, 1)), message)


def _about(seconds: float) -> str:
    """A time as people say it who do not know it exactly."""
    if seconds >= 5400:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{max(seconds, 1):.0f} s"


def in_a_notebook() -> bool:
    """Whether there is a notebook's cell to show something in; IPython is never imported to find that out."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None and hasattr(module, "get_ipython") else None
    return getattr(shell, "kernel", None) is not None


@contextmanager
def notebook_bar(after: float = PATIENCE) -> Iterator[Callable[[float, str], None] | None]:
    """What to tell a share from 0 to 1 and a few words; None where no notebook is there to show it."""
    if not in_a_notebook():
        yield None
        return
    bar = _Bar(after)
    try:
        yield bar
    finally:
        bar.end()


class _Bar:
    """One display, updated at most a few times a second."""

    def __init__(self, after: float) -> None:
        self._next = time.monotonic() + after
        self._handle: Any = None

    def __call__(self, share: float, said: str) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + PACE
        self._put(bar_html(share, said))

    def _put(self, page: str) -> None:
        from IPython.display import HTML, display  # type: ignore[import-not-found]

        if self._handle is None:
            self._handle = display(HTML(page), display_id=True)
        elif hasattr(self._handle, "update"):
            self._handle.update(HTML(page))

    def end(self) -> None:
        """Take it away, if it was ever shown."""
        if self._handle is not None:
            self._put("")


def bar_html(share: float, said: str) -> str:
    """A bar and what is being done."""
    full = min(max(share, 0.0), 1.0)
    return block(f'<progress max="1" value="{full:.3f}"></progress> {full:.0%} {in_html(said)}')
