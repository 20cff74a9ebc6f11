"""Which learners can be fitted where rows are on many machines.

require_parts    a sentence where a learner cannot
"""

from __future__ import annotations

from typing import Any

from acumen.errors import DataError


def require_parts(learner: Any) -> None:
    """DataError unless a learner can be fitted from blocks that are read apart."""
    if not learner.spreads:
        name = type(learner).__name__
        if _would(learner):
            name += ", as it is set,"
        raise DataError(
            f"{name} is for one machine: it must see all rows together to be fitted. Leave the "
            "engine out; in a comparison it runs as one task a fold."
        )


def _would(learner: Any) -> bool:
    """Whether another setting of it could."""
    try:
        return bool(type(learner)().spreads)
    except TypeError:  # it cannot be made of nothing
        return False
