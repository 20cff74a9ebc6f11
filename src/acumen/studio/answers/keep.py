"""Keep: what was found as files, made by the commands that make them; each with its bytes' fingerprint.

Files lie in a folder of the worker, by number; the page fetches them, and the server never holds one in memory.
"""

from __future__ import annotations

import hashlib
import io
import shutil
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, Final

from acumen.errors import DataError, ParameterError
from acumen.studio import commands
from acumen.studio.answers.memory import Bench, reading_of
from acumen.studio.output_files import put
from acumen.studio.problems import NotMade
from acumen.studio.spec import Asked, ModelSpec, RunSpec, TableSpec

#: Forms that are printed: the name of the file, the words behind the model's name, and how Python says it.
_PRINTED: Final = {
    "sql": ("model.sql", ["--sql", "rows"], "model.to_sql('rows') + ';'"),
    "python": ("model.py", ["--python"], "model.to_python().rstrip()"),
    "rules": ("rules.txt", ["--rules"], "model.to_rules()"),
    "bif": ("model.bif", ["--bif"], "model.to_bif().rstrip()"),
}
#: Forms that are written: the option that names the file, and how Python says it.
_WRITTEN: Final = {
    "svg": ("model.svg", "--svg", "model.to_svg('model.svg')"),
    "onnx": ("model.onnx", "--onnx", "acumen.to_onnx(model, 'model.onnx')"),
    "pmml": ("model.pmml", "--pmml", "acumen.to_pmml(model, 'model.pmml')"),
}


def keep(bench: Bench, given: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """A file: `what` is model, report, card, groups, groups-report, predictions, or a form of a model."""
    request = Asked(given, "a job")
    others = {
        "model": _model, "report": _report, "card": _card, "predictions": _predictions, "groups": _groups,
        "groups-report": _groups,
    }  # fmt: skip
    what = request.one_of("what", (*others, *_PRINTED, *_WRITTEN))
    tell({"doing": f"making {what}"})
    return others.get(what, _form)(bench, request, what)


def _model(bench: Bench, asked: Asked, what: str) -> dict[str, Any]:
    spec = ModelSpec.of(asked.within("model"))
    asked.end()
    number, path = put(bench.scratch / "made", _name(spec.shown))
    shutil.copyfile(_save_model(bench, spec), path)
    words = ["show", spec.shown] if spec.table is None else []
    python = commands.model_python(spec, bench.model(spec))
    command = commands.after_learning(spec, words, f"{python}acumen.save(model, {spec.shown!r})\n")
    return _file(number, path, command)


def _form(bench: Bench, asked: Asked, what: str) -> dict[str, Any]:
    spec = ModelSpec.of(asked.within("model"))
    asked.end()
    model, python = _save_model(bench, spec), commands.model_python(spec, bench.model(spec))
    if what in _PRINTED:
        name, more, expression = _PRINTED[what]
        number, path = put(bench.scratch / "made", name)
        with path.open("w", encoding="utf-8") as out:
            _ran(["show", str(model), *more], out)
        plain = commands.after_learning(spec, ["show", spec.shown, *more], python)
        return _file(number, path, commands.file_command(plain, name, expression))
    name, flag, line = _WRITTEN[what]
    number, path = put(bench.scratch / "made", name)
    _ran(["show", str(model), flag, str(path)])
    command = commands.after_learning(spec, ["show", spec.shown, flag, name], f"{python}{line}\n")
    return _file(number, path, command)


def _report(bench: Bench, asked: Asked, what: str) -> dict[str, Any]:
    spec = RunSpec.of(asked.within("run"))
    asked.end()
    comparison, choice = bench.run(spec), bench.choice(spec)
    words = [*commands.run_words(spec), "--report", "report.html"]
    number, path = put(bench.scratch / "made", "report.html")
    comparison.report(path, command=commands.command_forms(words, "")["cli"])
    python = commands.run_python(spec, choice.named).removesuffix("print(found)\n")
    return _file(number, path, commands.command_forms(words, f"{python}found.report('report.html')\n"))


def _card(bench: Bench, asked: Asked, what: str) -> dict[str, Any]:
    from acumen.profiling.card import card_of

    spec = TableSpec.of(asked.within("table"))
    asked.end()
    number, path = put(bench.scratch / "made", "card.html")
    card_of(bench.table(spec)).to_html(path)
    words = ["inspect", *commands.table_words(spec), "--html", "card.html"]
    python = f"{commands.table_python(spec)}acumen.inspect(table).to_html('card.html')\n"
    return _file(number, path, commands.command_forms(words, python))


def _groups(bench: Bench, asked: Asked, what: str) -> dict[str, Any]:
    """The model of the groups that were found, or a page about them."""
    from acumen.studio.answers import groups

    key = groups.key_of(asked.within("cluster"))
    asked.end()
    grouping = bench.groups.get(key)
    if grouping is None:
        raise NotMade("these groups are not in memory; find them again.", "cluster")
    name = "groups.acm" if what == "groups" else "groups.html"
    number, path = put(bench.scratch / "made", name)
    flag = "-o" if what == "groups" else "--report"
    command = groups.save_clusters(bench, key, grouping, path, name, flag)
    return _file(number, path, command)


def _predictions(bench: Bench, asked: Asked, what: str) -> dict[str, Any]:
    spec, rows = ModelSpec.of(asked.within("model")), TableSpec.of(asked.within("table"))
    threshold, positive = asked.within("threshold"), asked.text("positive")
    asked.end()
    if threshold is not None and not isinstance(threshold, (int, float)):
        raise ParameterError("studio: a threshold is a number.")
    more = [] if threshold is None else ["--threshold", f"{threshold:.6g}"]
    more += ["--positive-class", positive] if threshold is not None and positive else []
    more += [] if rows.query is None else ["--query", rows.query]
    more += rows.written.words()
    learner = bench.model(spec)
    if learner.predictor_.model.probabilistic:
        more.append("--probabilities")
    number, path = put(bench.scratch / "made", "predictions.csv")
    _ran(
        [
            "predict",
            str(_save_model(bench, spec)),
            reading_of(rows).data,
            "--keep-columns",
            *more,
            "-o",
            str(path),
        ]
    )
    words = ["predict", spec.shown, rows.shown, "--keep-columns", *more, "-o", "predictions.csv"]
    python = f"{commands.model_python(spec, learner)}{commands.rows_python(rows, None)}print(model.predict(table))\n"
    return _file(number, path, commands.after_learning(spec, words, python))


def _save_model(bench: Bench, spec: ModelSpec) -> Path:
    from acumen.store import save

    path = bench.scratch / "model.acm"
    save(bench.model(spec), path)
    return path


def _name(shown: str) -> str:
    """The last part of what a model is called."""
    return shown.replace("\\", "/").rpartition("/")[2] or "model.acm"


def _ran(words: list[str], out: Any = None) -> None:
    """Run a command; what it prints goes to a file, and what is wrong is an error."""
    from acumen.cli.main import run

    output = io.StringIO()
    with redirect_stdout(io.StringIO() if out is None else out), redirect_stderr(output):
        code = run(words)
    if code:
        raise DataError(" ".join(line.removeprefix("acumen: ") for line in output.getvalue().splitlines()))


def _file(number: int, path: Path, command: dict[str, str]) -> dict[str, Any]:
    with path.open("rb") as file:
        fingerprint = hashlib.file_digest(file, "sha256").hexdigest()
    return {
        "name": path.name,
        "made": number,
        "page": path.suffix == ".html",
        "sha256": fingerprint,
        "bytes": path.stat().st_size,
        "command": command,
    }
