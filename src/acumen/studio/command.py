"""`acumen studio [DATA|MODEL]`: the page in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from acumen.cli import console
from acumen.cli.files import DATA_IN, Guarded


@click.command(cls=Guarded)
@click.argument("data", metavar="[DATA|MODEL]", type=DATA_IN, required=False)
@click.option("--target", metavar="NAME", help="Column to predict.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="P",
              help="Port to listen on.  [default: a free port]")  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Print the address, but do not open a browser.")
@click.option("--allow-databases", is_flag=True, help="Allow the page to read databases.")
@click.option(
    "--memory", metavar="SIZE", help="Memory limit for jobs, such as 4GB.  [default: 90 % of the memory]"
)
def studio(
    data: str | None,
    target: str | None,
    port: int,
    no_browser: bool,
    allow_databases: bool,
    memory: str | None,
) -> int:
    """Use acumen in the browser; the page shows the command for every click.

    DATA is a file or the name of a built-in table; MODEL is a model file. The page can open tables and models in
    the current folder, and files that you drop on it. Only this machine can reach it: the printed address contains
    a secret key. Press Ctrl-C to stop.
    """
    from acumen.engines.memory import size_of
    from acumen.studio.serve import serve

    start, named = _start(data, target)
    serve(
        start, root=Path.cwd(), named=named, port=port, browser=not no_browser, databases=allow_databases,
        memory=None if memory is None else size_of(memory, "--memory"),
    )  # fmt: skip
    return console.OK


def _start(data: str | None, target: str | None) -> tuple[dict[str, Any], Path | None]:
    """What the page begins with, and the file that was named."""
    from acumen.cli.data import not_found
    from acumen.datasets import names
    from acumen.errors import ParameterError

    if data is None:
        if target is not None:
            raise ParameterError("--target goes with DATA: name a table, or choose the column on the page.")
        return {"page": "/", "state": {}}, None
    path = Path(data)
    if path.is_file():
        place = _short_path(path)
        if data.lower().endswith(".acm"):
            if target is not None:
                raise ParameterError("--target is for tables; a model file has its own.")
            return {"page": "/model", "state": {"file": place}}, path.absolute()
        return {"page": "/table", "state": {"file": place, "target": target}}, path.absolute()
    if data in names():
        return {"page": "/table", "state": {"dataset": data, "target": target}}, None
    raise not_found(path)


def _short_path(path: Path) -> str:
    import os

    return os.path.relpath(path.absolute(), Path.cwd())
