"""Every fenced block of the guide and of README runs, and prints what the page shows.

What may stand in a block, and how one says that it cannot run: page_blocks.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from page_blocks import Runner, blocks, commands, shortened
from page_files import FILES
from warm_shell import WarmShell, warm_shell

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
#: Pages that tools make, each held by tests of its own: they are not committed.
MADE = {"examples", "measured", "gallery"}
PAGES = [
    ROOT / "README.md",
    *(page for page in sorted(DOCS.rglob("*.md")) if page.relative_to(DOCS).parts[0] not in MADE),
]
#: A command whose output is shown and that takes long: tests/test_readme.py runs it.
SLOW = frozenset(
    {"acumen compare train.csv --target churned --ignore cancel_reason --missing 999 --repeats 3"}
)
#: The first page a person reads; the others go with what takes minutes.
FIRST_PAGE = "start.md"
#: What blocks say that do not run. Whoever adds to these has a reason that no test can take away.
EXCUSES = {
    "each line is a mistake",
    "it asks at a terminal",
    "it needs a cluster of yours",
    "it needs a server of yours",
    "it stays until Ctrl-C",
    "Weka",
    "R",
    "Orange",
}


def named(page: Path) -> str:
    return str(page.relative_to(DOCS if DOCS in page.parents else ROOT))


def said(page: Path) -> object:
    marks = [] if named(page) == FIRST_PAGE else [pytest.mark.slow]
    return pytest.param(page, id=named(page), marks=marks)


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarmShell]:
    with warm_shell(tmp_path_factory.mktemp("w")) as made:
        yield made


@pytest.mark.parametrize("page", [said(page) for page in PAGES])
def test_a_page_says_what_is_so(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    text = page.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    FILES.get(named(page), lambda folder: None)(tmp_path)
    needs = {block.kind for block in blocks(text)} & {"sh", "console"}
    runner = Runner(request.getfixturevalue("shell") if needs else None, tmp_path, SLOW)
    runner.run(text)
    assert not runner.wrong, runner.wrong[0]
    assert runner.ran == sum(block.kind != "text" and not block.excused for block in blocks(text))


def test_few_blocks_do_not_run_and_each_says_why() -> None:
    excused = [block for page in PAGES for block in blocks(page.read_text(encoding="utf-8")) if block.excused]
    assert {block.excused for block in excused} <= EXCUSES
    assert len(excused) <= 12


def test_no_example_stands_outside_a_block() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        inside = sum(block.text.count(">>> ") for block in blocks(text))
        assert text.count(">>> ") == inside, named(page)


PAGE = """
# A page
```python
x = 1 + 1
print(x)
# 2
```
```pycon
>>> x
2

```
```sh
echo one
echo two
```
```text
two
```
```console
$ cat file.csv
a,b
$ cat file.csv
a,b
```
```sh title="Not run: never"
false
```
"""


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("# 2\n", "# 3\n", "prints"),
        (">>> x\n2", ">>> x\n3", "Expected:"),
        ("```text\ntwo", "```text\nthree", "shows 'three'"),
        ("echo one", "false", "ended in 1"),
        ("$ cat file.csv\na,b\n```", "$ cat file.csv\na,c\n```", "a,c"),
        ("```pycon", "```ruby", "a block of 'ruby'"),
        (' title="Not run: never"', "", "ended in 1"),
        ("print(x)", "print(y)", "NameError"),
    ],
)
def test_what_is_not_so_is_seen(right: str, wrong: str, said: str, tmp_path: Path) -> None:
    shell = WarmShell(tmp_path)  # no command of acumen is asked for
    (tmp_path / "good").mkdir()
    (tmp_path / "bad").mkdir()
    good = Runner(shell, tmp_path / "good")
    good.run(PAGE)
    assert not good.wrong and good.ran == 4
    assert right in PAGE
    bad = Runner(shell, tmp_path / "bad")
    bad.run(PAGE.replace(right, wrong))
    assert len(bad.wrong) == 1 and said in bad.wrong[0]


def test_only_comparisons_that_show_nothing_are_shortened() -> None:
    assert shortened("acumen learn iris") == "acumen learn iris"
    assert shortened("acumen compare iris # a note").endswith(
        "--suite quick --folds 2 --repeats 1 --time-limit 10s # a note"
    )
    assert "--suite" not in shortened("acumen compare iris --learners one-r")
    assert commands("a \\\n  b\n\nc\n") == ["a  b", "c"]


def test_readme_s_commands_of_a_clone_are_those_of_the_checks() -> None:
    run = ROOT / ".ci" / "run"
    if not run.exists():
        pytest.skip("a source distribution has no .ci")
    lines = re.findall(
        r"^python3 -m venv .*$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(lines) == 2 and "grep -m 1 '^python3 -m venv .*pytest' README.md" in run.read_text(
        encoding="utf-8"
    )
