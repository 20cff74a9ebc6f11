"""Which code shows a result in a notebook: a table of names, so that results need not know their pictures.

notebook_view   the name of a kind of result -> the function that turns one into the forms a notebook chooses from
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

#: Kind of result -> module and function. They lie above the results, and are imported when something is shown.
_VIEWS: Final = {
    "predictor": "acumen.base.notebook:learned_bundle",
}


def notebook_view(kind: str) -> Callable[..., dict[str, str]]:
    """The function that shows results of this kind."""
    module, _, name = _VIEWS[kind].partition(":")
    view: Callable[..., dict[str, Any]] = getattr(import_module(module), name)
    return view
