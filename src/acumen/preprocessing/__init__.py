"""Preprocessing steps, fitted on training rows and then applied to any table with the same schema.

    NumericMatrix    a table as one matrix of numbers
    Imputer          missing values filled
    Scaler           numeric attributes on a common scale
    RowScaler        rows of a common size
    Vocabulary       texts as word counts (WordCounts is the summary behind it)
    discretise       numeric attributes cut into intervals

Each view is a frozen value made by `fit(table, ...)`; `transform` applies it, and `to_arrays` and
`from_arrays` carry it to a model file and back.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acumen.preprocessing.discretise.discretisers import (
        DISCRETISERS,
        Binning,
        ChiMerge,
        EntropyMDL,
        EqualFrequency,
        EqualWidth,
        GivenEdges,
        KMeansBins,
        discretise_table,
    )
    from acumen.preprocessing.impute import Imputer
    from acumen.preprocessing.matrix import NumericMatrix
    from acumen.preprocessing.row_norms import RowScaler
    from acumen.preprocessing.scale import Scaler
    from acumen.preprocessing.words import Vocabulary, WordCounts, tokens

#: Public name -> the module that holds it, imported when the name is first used.
_HOMES = {
    "DISCRETISERS": "acumen.preprocessing.discretise.discretisers",
    "Binning": "acumen.preprocessing.discretise.base",
    "ChiMerge": "acumen.preprocessing.discretise.chimerge",
    "EntropyMDL": "acumen.preprocessing.discretise.entropy",
    "EqualFrequency": "acumen.preprocessing.discretise.unsupervised",
    "EqualWidth": "acumen.preprocessing.discretise.unsupervised",
    "GivenEdges": "acumen.preprocessing.discretise.unsupervised",
    "Imputer": "acumen.preprocessing.impute",
    "KMeansBins": "acumen.preprocessing.discretise.kmeans",
    "NumericMatrix": "acumen.preprocessing.matrix",
    "RowScaler": "acumen.preprocessing.row_norms",
    "Scaler": "acumen.preprocessing.scale",
    "Vocabulary": "acumen.preprocessing.words",
    "WordCounts": "acumen.preprocessing.words",
    "discretise_table": "acumen.preprocessing.discretise.discretisers",
    "tokens": "acumen.preprocessing.words",
}

__all__ = [
    "DISCRETISERS",
    "Binning",
    "ChiMerge",
    "EntropyMDL",
    "EqualFrequency",
    "EqualWidth",
    "GivenEdges",
    "Imputer",
    "KMeansBins",
    "NumericMatrix",
    "RowScaler",
    "Scaler",
    "Vocabulary",
    "WordCounts",
    "discretise_table",
    "tokens",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
