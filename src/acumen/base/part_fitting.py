"""Which learners can be fitted from parts, and which of them where rows are on many machines.

require_parts    a sentence where a learner cannot on many machines
no_stream        why a learner has no `fit_stream`
"""

from __future__ import annotations

from typing import Any

from acumen import messages
from acumen.engines.run import cluster
from acumen.errors import DataError


def require_parts(learner: Any) -> None:
    """DataError unless a learner can be fitted from blocks that are read apart."""
    if not learner.spreads:
        name = type(learner).__name__
        if (would := _would(learner)) is not None:
            name += ", as it is set,"
        raise DataError(
            f"{name} is for one machine: it must see all rows together to be fitted. {_else(would, 'Leave')} the "
            "engine out; in a comparison it runs as one task a fold."
        )


def no_stream(learner: Any) -> str:
    """Why there is no `fit_stream`, as part of a sentence."""
    if cluster() is None and learner.spreads:
        return "it learns from parts on a cluster alone, within acumen.engine('dask'); fit it on a table"
    fit = _else(_would(learner), "Fit")
    return f"it is for one machine, and must see all rows together to be fitted. {fit} it on a table"


def _else(would: str | None, verb: str) -> str:
    return f"{would}; else {verb.lower()}" if would else verb


def _would(learner: Any) -> str | None:
    """What could be set otherwise, in words if these are few; None where nothing would help."""
    try:
        if type(learner)().spreads:
            return ""
        histograms = "method" in learner.get_params(deep=False) and type(learner)(method="histogram").spreads
    except TypeError:  # it cannot be made of nothing
        return None
    return f"With {messages.setting('method', 'histogram')} it learns from parts" if histograms else None
