"""All discretisers by name, and a table discretised in one call."""

from __future__ import annotations

from typing import Any

from acumen.data.table import Table
from acumen.errors import ParameterError, did_you_mean
from acumen.preprocessing.discretise.base import Binning, Discretiser
from acumen.preprocessing.discretise.chimerge import ChiMerge
from acumen.preprocessing.discretise.entropy import EntropyMDL
from acumen.preprocessing.discretise.intervals import Intervals
from acumen.preprocessing.discretise.kmeans import KMeansBins
from acumen.preprocessing.discretise.unsupervised import EqualFrequency, EqualWidth, GivenEdges

#: Every discretiser by the name under which options and model files know it.
DISCRETISERS: dict[str, type[Discretiser]] = {
    "given-edges": GivenEdges,
    "equal-width": EqualWidth,
    "equal-frequency": EqualFrequency,
    "k-means": KMeansBins,
    "entropy-mdl": EntropyMDL,
    "chi-merge": ChiMerge,
}


def discretiser_named(name: str, **parameters: Any) -> Discretiser:
    """The discretiser of that name: `discretiser_named("equal-width", bins=4)`."""
    if name not in DISCRETISERS:
        raise ParameterError(
            f"a discretiser must be one of {', '.join(DISCRETISERS)}; got {name!r}."
            + did_you_mean(str(name), DISCRETISERS)
        )
    return DISCRETISERS[name](**parameters)


def discretise_table(table: Table, discretiser: Discretiser | Binning | str) -> Table:
    """Convert numeric attributes to ordinal ones whose levels are intervals.

    A Binning is applied as it is. A discretiser, or the name of one, is first fitted on this very
    table: right for looking at data, while for judging a classifier fit on the training rows and apply.
    """
    if isinstance(discretiser, str):
        discretiser = discretiser_named(discretiser)
    binning = discretiser.fit(table) if isinstance(discretiser, Discretiser) else discretiser
    return binning.transform(table)


__all__ = [
    "DISCRETISERS",
    "Binning",
    "ChiMerge",
    "Discretiser",
    "EntropyMDL",
    "EqualFrequency",
    "EqualWidth",
    "GivenEdges",
    "Intervals",
    "KMeansBins",
    "discretise_table",
    "discretiser_named",
]
