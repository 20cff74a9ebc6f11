"""Ways of seeing a table, fitted on training rows only and then applied to any table of the same schema.

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

from acumen.preprocessing.discretise import (
    DISCRETISERS,
    Binning,
    ChiMerge,
    EntropyMDL,
    EqualFrequency,
    EqualWidth,
    GivenEdges,
    KMeansBins,
    discretised,
)
from acumen.preprocessing.impute import Imputer
from acumen.preprocessing.matrix import NumericMatrix
from acumen.preprocessing.row_norms import RowScaler
from acumen.preprocessing.scale import Scaler
from acumen.preprocessing.words import Vocabulary, WordCounts, tokens

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
    "discretised",
    "tokens",
]
