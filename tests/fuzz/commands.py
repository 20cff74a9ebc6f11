"""Every command with arguments drawn at random: it ends in an exit code that is documented, and in a sentence.

    argument_lists   command lines, the same for the same seed: options with values of their type, its ends, or hostile
                     texts; data that is sound, damaged, missing, a folder, a link, without leave to read
    verdict          the exit code's name; anything else is raised as Broken

Laws: exit codes 0 to 4 alone; what is refused is told in a sentence; no traceback; no file of the user's is changed but
the one that -o and its like name.

By hand:  PYTHONPATH=src:tests python -m fuzz.commands COUNT [SEED [COMMAND]]
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import acumen
from acumen.cli.files import FILE_OUT
from acumen.cli.main import COMMANDS, cli, run
from fuzz.workers import run_worker

#: Seconds of the processor that a command line may take, and bytes of addresses.
LIMIT = 40
MEMORY = 6 << 30
CODES = {0: "done", 1: "finding", 2: "usage", 3: "bad data", 4: "bad model", 130: "stopped"}
#: The studio serves until it is stopped.
TRIED = tuple(name for name in COMMANDS if name != "studio")
TEXTS = (
    "", " ", "-", "--", "-x", "--target", "-1", "a b", "a\nb", "a\tb", "it's", '"', "\\", "\u202e", "\ud800",
    "é", "=", "a=", "=a", "a=b", "a=b=c", ",", "a,b", ";", "*", "?", "[", "[a]", "{}", "(", ")", "$HOME",
    "`id`", "$(id)", "~", "%s", "{0}", "nan", "inf", "-inf", "1e400", "0", "1", "2", "0.5", "-0.5", "1e-300",
    "99999999999999999999", "0x10", "1,2", "class", "sepal length", "all", "none", "null", "true", "iris",
    "loan", "nb", "svm", "decision-tree", "svm(C=1)", "svm(", "svm(C=", "C=1", "C=x", "../x", "/", "/dev/null",
    "sqlite:///data.db", "sqlite://", "postgresql://nobody@127.0.0.1:1/x", "x" * 5_000, "2024-01-01", "UTC",
    "utf-8", "no-such-thing",
)  # fmt: skip
NUMBERS = ("1", "2", "3", "5") * 3 + (
    "0",
    "-1",
    "10000",
    "2147483648",
    "9223372036854775808",
    "-0",
    "1.5",
    "x",
    "",
)
FRACTIONS = ("0.5", "0.1") * 4 + ("0", "1", "-0.5", "1.5", "nan", "inf", "-inf", "1e-320", "1e400", "x")
DATA = (
    "data.csv", "data.csv", "data.csv", "data.csv", "a b.csv", "it's\n\"odd\".csv", "-o.csv", "./-o.csv",
    "link.csv", "loop.csv", "empty.csv", "folder", "gone.csv", "binary.csv", "data.db", "half.arff", "loan",
    "iris", "numbers.csv", "one row.csv",
)  # fmt: skip
MODELS = (
    "model.acm",
    "model.acm",
    "tree.acm",
    "half.acm",
    "data.csv",
    "folder",
    "gone.acm",
    "link.acm",
    "a b.acm",
)
OUTPUTS = ("out", "out", "a\nb.out", "-out", "folder", "gone/out", "out-link", "/dev/null", "", "locked/out")


class Broken(AssertionError):  # noqa: N818 - no error of a test, but what one looks for
    """A command ended otherwise than it promises."""


def prepare(folder: Path) -> None:
    """What the command lines are about."""
    table = acumen.datasets.load("iris")
    table.write(folder / "data.csv")
    text = (folder / "data.csv").read_text()
    for name in ("a b.csv", 'it\'s\n"odd".csv', "-o.csv"):
        (folder / name).write_text(text)
    (folder / "empty.csv").touch()
    (folder / "binary.csv").write_bytes(bytes(range(256)) * 8)
    (folder / "half.arff").write_text("@relation r\n@attribute a numeric\n@data\n1\n2,")
    (folder / "numbers.csv").write_text("a,b\n" + "".join(f"{i},{i * i % 7}\n" for i in range(40)))
    (folder / "one row.csv").write_text("\n".join(text.splitlines()[:2]) + "\n")
    (folder / "folder").mkdir()
    (folder / "link.csv").symlink_to("data.csv")
    (folder / "loop.csv").symlink_to("loop.csv")
    (folder / "out-link").symlink_to("gone/target")
    (folder / "locked").mkdir(mode=0o500)
    import sqlite3

    with contextlib.closing(sqlite3.connect(folder / "data.db")) as link:
        link.execute("CREATE TABLE t (x REAL, class TEXT)")
        link.executemany("INSERT INTO t VALUES (?, ?)", [(i, "ab"[i % 2]) for i in range(20)])
        link.commit()
    acumen.save(acumen.NaiveBayes().fit(table), folder / "model.acm")
    acumen.save(acumen.DecisionTree().fit(table), folder / "tree.acm")
    (folder / "half.acm").write_bytes((folder / "model.acm").read_bytes()[:700])
    (folder / "a b.acm").write_bytes((folder / "model.acm").read_bytes())
    (folder / "link.acm").symlink_to("model.acm")


def argument_lists(seed: int, count: int, only: str = "") -> Iterator[tuple[int, list[str]]]:
    """Numbers and command lines; each is the same whichever are asked for with it."""
    names = [only] if only else TRIED
    with click.Context(cli) as context:
        commands = {name: cli.get_command(context, name) for name in names}
    for number in range(seed, seed + count):
        rng = random.Random(f"command {number}")
        name = rng.choice(names)
        yield number, [name, *_words(commands[name], rng)]


def _words(command: Any, rng: random.Random) -> list[str]:
    if isinstance(command, click.Group) and command.commands and rng.random() < 0.95:
        name = rng.choice(sorted(command.commands))
        return [name, *_words(command.commands[name], rng)]
    options = [each for each in command.params if isinstance(each, click.Option) and each.name != "debug"]
    words: list[str] = []
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            times = rng.choice((1, 1, 1, 1, 0, 2)) if parameter.nargs != 1 else rng.choice((1,) * 12 + (0, 2))
            words += [_argument(parameter, rng) for _ in range(times)]
    sensible = [each for each in options if each.name in ("target", "output", "learner", "folds")]
    chosen = rng.sample(options, min(len(options), rng.choice((0, 0, 0, 1, 1, 2, 5))))
    for option in [*(each for each in sensible if rng.random() < 0.7), *chosen]:
        flag = rng.choice(option.opts + option.secondary_opts)
        at = rng.randrange(len(words) + 1)
        words[at:at] = (
            [flag] if option.is_flag else [flag, *(_value(option, rng) for _ in range(option.nargs))]
        )
    if rng.random() < 0.05:
        words.insert(rng.randrange(len(words) + 1), rng.choice(TEXTS))
    return words


def _argument(parameter: Any, rng: random.Random) -> str:
    if rng.random() < 0.05:
        return rng.choice(TEXTS)
    return rng.choice(MODELS if "model" in parameter.name else DATA)


def _value(option: Any, rng: random.Random) -> str:
    """A value that is likely to be understood, or one that is not."""
    if option.type is FILE_OUT or option.name == "into":
        return rng.choice(OUTPUTS)
    if rng.random() < 0.06:
        return rng.choice(TEXTS)
    if "model" in option.name:
        return rng.choice(MODELS)
    if option.name in ("target", "label"):
        return rng.choice(("class", "class", "class", "-1", "b", "no such", ""))
    if isinstance(option.type, click.Choice):
        return str(rng.choice(list(option.type.choices)))
    if isinstance(option.type, (click.types.IntParamType, click.IntRange)):
        return rng.choice(NUMBERS)
    if isinstance(option.type, (click.types.FloatParamType, click.FloatRange)):
        return rng.choice(FRACTIONS)
    return rng.choice(TEXTS + DATA)


def verdict(words: list[str], folder: Path) -> str:
    """What becomes of a command line; files it was not told to write are as they were."""
    before = _contents(folder)
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8", "replace"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
        code = run(words)
    told = err.getvalue()
    if code not in CODES:
        raise Broken(f"exit {code}: {told[-300:]}")
    if "Traceback" in told:
        raise Broken(f"a traceback: {told[-300:]}")
    if code in (2, 3, 4) and "acumen:" not in told:
        raise Broken(f"exit {code} without a sentence: {told[-300:]}")
    for name, content in _contents(folder).items():
        if (
            name in before
            and before[name] != content
            and name not in words
            and Path(name).name not in "".join(words)
        ):
            raise Broken(f"{name!r} was changed")
    return CODES[code]


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        path.name: hashlib.sha1(path.read_bytes(), usedforsecurity=False).digest()
        for path in folder.iterdir()
        if path.is_file()
    }


def tried(seed: int, count: int, only: str = "") -> tuple[Counter[str], list[str]]:
    """Counts of how command lines ended, and what was wrong with which."""
    return run_worker("fuzz.commands", [only], seed, count, "command")


def _hung(*_: Any) -> None:
    raise Broken(f"it took more than {LIMIT} seconds")


def _work(only: str, seed: int, count: int) -> None:
    results = os.fdopen(os.dup(1), "w")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, _hung)
    for number, words in argument_lists(seed, count, only):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            prepare(folder)
            os.chdir(folder)
            signal.setitimer(signal.ITIMER_PROF, LIMIT)
            try:
                said, why = verdict(words, folder), ""
            except (Exception, SystemExit) as error:
                said, why = "broken", f"acumen {words!a}: {type(error).__name__}: {error}"[:800]
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
                os.chdir("/")
            print(json.dumps([number, said, why]), file=results, flush=True)


def main(words: list[str]) -> int:
    """Try COUNT command lines, and tell the counts."""
    if words[:1] == ["--worker"]:
        _work(words[1], int(words[2]), int(words[3]))
        return 0
    start = time.perf_counter()
    counts, failures = tried(int(words[1]) if len(words) > 1 else 0, int(words[0]), *words[2:3])
    for line in failures:
        print("FAILED", line)
    print(json.dumps({**counts, "failures": len(failures), "s": time.perf_counter() - start}))
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
