"""The result of a significance test, the same type for all tests."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class TestResult:
    """The outcome of a test of two or more learners.

    Attributes
    ----------
    name : str
        Of the test.
    statistic : float
        Infinite where a difference is the same in every split.
    df : float, pair of floats or None
        Degrees of freedom, where the statistic's distribution has any.
    p : float
        The chance, if the learners were equally good, of a statistic at least this extreme; two-sided.
    estimate, low, high : float
        What the test is about (`of` says what) and its interval; NaN where there is none.
    se : float
        The standard error of the estimate; NaN where there is none.
    level : float
        Of the interval.
    n : int
        How many values, rows or tables the test looked at.
    symbol : str
        The literature's letter for the statistic.
    of : str
        What is estimated, in words.
    least : float
        The smallest p that could have come out, given how many rows tell the learners apart; 0 where it is not known.
    """

    __test__: ClassVar[bool] = False  # not a test case, whatever pytest makes of the name

    name: str
    statistic: float
    df: float | tuple[float, float] | None
    p: float
    estimate: float = math.nan
    low: float = math.nan
    high: float = math.nan
    se: float = math.nan
    level: float = 0.95
    n: int = 0
    symbol: str = "t"
    of: str = "mean of a - b"
    least: float = 0.0

    def significant(self, alpha: float = 0.05) -> bool:
        """Whether `p` lies below `alpha`."""
        return self.p < alpha

    def to_dict(self) -> dict[str, Any]:
        """Plain values, None for what is undefined; for JSON."""
        record: dict[str, Any] = {"name": self.name}
        for key in ("statistic", "p", "estimate", "low", "high", "se", "level"):
            value = getattr(self, key)
            record[key] = value if math.isfinite(value) else None
        record["df"] = list(self.df) if isinstance(self.df, tuple) else self.df
        return {**record, "n": self.n, "of": self.of}

    def __str__(self) -> str:
        parts = []
        if not math.isnan(self.estimate):
            text = f"{self.of} {self.estimate:.4g}"
            if not math.isnan(self.low):
                text += f" ({100 * self.level:g} % from {self.low:.4g} to {self.high:.4g})"
            parts.append(text)
        parts.append(f"{self.symbol}{_degrees(self.df)} = {self.statistic:.4g}")
        parts.append(said_p(self.p))
        return f"{self.name}: {', '.join(parts)}"


def said_p(p: float) -> str:
    """Format a p-value."""
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}"


def _degrees(df: float | tuple[float, float] | None) -> str:
    if df is None:
        return ""
    return f"({', '.join(f'{d:g}' for d in (df if isinstance(df, tuple) else (df,)))})"
