"""A command line run as it is, within this process: what it prints, and what it says."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from acumen.errors import DataError
from acumen.studio.spec import TableSpec


def ran(words: Sequence[str], spec: TableSpec | None = None, **names: str) -> dict[str, Any]:
    """The JSON that a command gives, and the sentences it says besides.

    What commands call a table, or a file, is here what it really is: `spec.shown` becomes `spec.data`, and each of the
    `names` its value. A command that fails is an error with its sentence.
    """
    from acumen.cli.main import run

    real = dict(names)
    if spec is not None:
        real[spec.shown] = spec.data
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run([*(real.get(word, word) for word in words), "--json"])
    # Where files really are is nothing that the page shows.
    output_lines = [
        line
        for line in err.getvalue().splitlines()
        if line and not any(path in line for path in names.values())
    ]
    if code not in (0, 1):
        raise DataError(
            " ".join(line.removeprefix("acumen: ") for line in output_lines)
            or f"the command ended with {code}."
        )
    return {"value": json.loads(out.getvalue()), "said": output_lines}
