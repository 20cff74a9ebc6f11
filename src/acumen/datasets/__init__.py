"""Small tables that come with the package, by name.

    names()          every name, in the order of the catalogue below
    describe(name)   what the table holds and where it comes from
    load(name)       the table, its target set

They are the tables on which the worked examples of the literature are computed, so that anyone can
compute them again. Each is an ARFF file in `tables/`, which keeps the levels in their stated order.
"""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import TYPE_CHECKING, Any, NamedTuple

from acumen.errors import DataError, did_you_mean

if TYPE_CHECKING:  # so that listing the names stays free of numpy
    from importlib.resources.abc import Traversable

    from acumen.data.table import Table

__all__ = ["describe", "load", "names"]


class _Entry(NamedTuple):
    """What is said about a table, and what it is to predict."""

    target: str
    title: str
    source: str


_TABLES: dict[str, _Entry] = {
    "iris": _Entry(
        "class",
        "150 iris flowers of three species, four measurements in centimetres",
        "Fisher (1936), in the rows of the UCI repository: rows 35 and 38 are 4.9, 3.1, 1.5, 0.1, "
        "which is not what scikit-learn's copy holds",
    ),
    "loan": _Entry(
        "Class",
        "15 loan applications, approved or not",
        "teaching slides, Chapter 3: Supervised Learning, in the printing its information gains come from "
        "(row 2 has credit good, row 4 fair)",
    ),
    "loan-b": _Entry(
        "Class",
        "15 loan applications, approved or not, two ratings changed",
        "teaching slides, Chapter 3: Supervised Learning, in the printing its association rules come from "
        "(row 2 has credit excellent, row 4 good)",
    ),
    "weather": _Entry(
        "play",
        "14 days on which a game was played or not; temperature and humidity numeric",
        "after Quinlan (1986), as distributed with Weka",
    ),
    "weather-nominal": _Entry(
        "play",
        "14 days on which a game was played or not; every attribute nominal",
        "Quinlan (1986), as distributed with Weka",
    ),
    "lens": _Entry(
        "contact-lenses",
        "24 patients, one for each combination of four attributes, and the contact lenses that suit them",
        "Cendrowska (1987), UCI repository",
    ),
    "version-space": _Entry(
        "class",
        "4 rows that leave no conjunction consistent",
        "lecture notes, CS 725: Foundations of Machine Learning (2011), table 1; C1 is +, C2 is -",
    ),
    "bayes-abc": _Entry(
        "C", "10 rows for computing naive Bayes by hand", "teaching slides, Chapter 3: Supervised Learning"
    ),
    "svm-separable": _Entry(
        "y",
        "14 points in the plane that a line separates",
        "teaching slides, Data Mining and Machine Learning: the separable case",
    ),
    "svm-soft": _Entry(
        "y",
        "18 points in the plane that no line separates: those of svm-separable and four more",
        "teaching slides, Data Mining and Machine Learning: the linearly non-separable case",
    ),
    "svm-quadratic": _Entry(
        "y",
        "6 points in the plane that an ellipse separates",
        "teaching slides, Data Mining and Machine Learning: the inhomogeneous quadratic kernel",
    ),
    "boolean-and": _Entry("y", "logical AND of two inputs", "the four rows in counting order"),
}  # fmt: skip


def names() -> tuple[str, ...]:
    """The names of the built-in tables."""
    return tuple(_TABLES)


def describe(name: str) -> str:
    """Describe a built-in table and its source in one sentence."""
    entry = _entry(name)
    return f"{entry.title} (source: {entry.source})"


def load(name: str, **options: Any) -> Table:
    """Load a built-in table with its target; the report names its source.

    Parameters
    ----------
    name : str
        One of `names()`.
    **options
        Handed to `acumen.read`, where the table is to be read otherwise (another target, say).

    Examples
    --------
    >>> from acumen.datasets import load
    >>> load("loan").schema.classes
    ('No', 'Yes')
    """
    from acumen.data.read import read

    entry = _entry(name)
    with as_file(_file(name)) as path:
        table = read(path, **{"target": entry.target, **options})
    table.report.source = name
    table.report.note("built-in", f"built-in table {name!r}: {describe(name)}.")
    return table


def _entry(name: str) -> _Entry:
    try:
        return _TABLES[name]
    except (KeyError, TypeError):
        raise DataError(
            f"there is no built-in table {name!r}; there are {', '.join(_TABLES)}."
            f"{did_you_mean(str(name), _TABLES)}"
        ) from None


def _file(name: str) -> Traversable:
    return files("acumen.datasets") / "tables" / f"{name}.arff"
