"""The export protocol as methods of learners: each is there where the learner's model answers it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acumen.base.scikit import available_if
from acumen.codegen import export


def _answers(form: str) -> Callable[[Any], bool]:
    return lambda self: hasattr(self.model_type, form)


class ExportFace:
    """What a learner can be turned into, where its model can; see `acumen.codegen.export`."""

    if TYPE_CHECKING:

        def _require_fitted(self) -> Any: ...  # of Learner

    @available_if(_answers("to_sql"))
    def to_sql(
        self,
        table: str | Sequence[str],
        column: str | None = None,
        *,
        probabilities: bool = False,
        guard: bool = False,
    ) -> str:
        """A SELECT that gives every row of a table all its columns and, in a last one, what is predicted.

        It decides as `predict` does, costs, priors, missing values (NULL) and unknown levels included. Names and
        constants are quoted by the SQL standard; words of texts cannot be asked for.

        Parameters
        ----------
        table : str or sequence of str
            The table's name, or its parts: `("main", "loans")`. Its columns are called as the attributes are; others
            may be there.
        column : str, optional
            What the last column is called: `prediction`, unless the schema has such a column; then with an underscore.
        probabilities : bool
            Columns with the probability of each class before it, `P(yes)`, and before these with what they are made
            of: a score for each class, or the number of the rule or leaf that answers.
        guard : bool
            Of models that are sums: take infinite numbers and NaN, which PostgreSQL can hold, as missing too. Without
            it a missing number is handled by one COALESCE. Models that only compare numbers, such as trees and rules,
            have it not: such values are to be NULL in the table.
        """
        return export.sql_of(self._require_fitted(), table, column, probabilities=probabilities, guard=guard)

    @available_if(_answers("to_python"))
    def to_python(self) -> str:
        """The source of a Python module that needs nothing: `predict(row)` and, of classes, `predict_proba(row)`.

        A row is a mapping from attributes to values; None, NaN and what is not there are missing. Levels may be
        given in other types than they have in `schema_`, as in `explain`: True for "true", 1 for "1".
        """
        return export.python_of(self._require_fitted())

    @available_if(_answers("to_figure"))
    def to_figure(self, **how: Any) -> export.FigureForm:
        """The model as a figure value, which shows itself in a notebook."""
        return export.figure_of(self._require_fitted(), **how)

    @available_if(_answers("to_figure"))
    def to_svg(self, path: str | PathLike[str] | None = None, **how: Any) -> str:
        """The drawing of `to_figure` as SVG text; also written to `path` where that is given."""
        svg: str = self.to_figure(**how)._repr_svg_()
        if path is not None:
            Path(path).write_text(svg, encoding="utf-8")
        return svg
