"""One-way analysis of variance of one numeric attribute over the classes of a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen import messages
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.summaries.moments import ClassMoments


@dataclass(frozen=True, slots=True)
class Anova:
    """The F test that an attribute's mean is the same in all classes.

    `f` and `p` are NaN when there are fewer than two classes with known values, or no more rows than classes.
    """

    attribute: str
    f: float
    df_between: float
    df_within: float
    p: float

    def __str__(self) -> str:
        degrees = f"{self.df_between:g}, {self.df_within:g}"
        return f"{self.attribute}: F({degrees}) = {self.f:.6g}, p = {self.p:.4g}"


def anova(table: Table, attribute: str) -> Anova:
    """Test whether a numeric attribute's mean differs between the classes of a table's target.

    Rows in which the attribute or the label is missing are left out; row weights count as repetitions.

    Parameters
    ----------
    table : Table
        With a nominal target.
    attribute : str
        The name of a numeric input.

    Returns
    -------
    Anova
        With `f`, `df_between`, `df_within` and `p`, the probability of such an F or a larger one by chance.
    """
    if table.labels is None:
        raise DataError(
            f"anova: the table needs a nominal target; name one with {messages.option('target')}."
        )
    attribute_asked = table.schema[attribute]
    values = next((column for a, column in table.numeric_columns() if a is attribute_asked), None)
    if values is None:
        raise DataError(
            f"anova: {attribute!r} must be a numeric input of the table; it is {attribute_asked.kind}."
        )
    moments = ClassMoments.of(values, table.labels, table.weights, table.schema.n_classes)
    df_between, df_within = (float(df[0]) for df in moments.degrees_of_freedom())
    f = float(moments.f_statistic()[0])
    return Anova(attribute, f, df_between, df_within, _upper_tail(f, df_between, df_within))


def _upper_tail(f: float, df_between: float, df_within: float) -> float:
    """P(F >= f) under the F distribution."""
    if np.isnan(f):
        return float("nan")
    if np.isinf(f):
        return 0.0
    from scipy.special import fdtrc  # scipy.stats would cost a second to import

    return float(fdtrc(df_between, df_within, f))
