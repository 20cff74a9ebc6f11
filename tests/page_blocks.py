"""The fenced blocks of a page, run in their order: one session of Python and one folder for all of them.

    python, pycon   a session where it has prompts, which must answer as shown; else a program, whose lines `# ...` (if
                    it has any, at the margin) are what it prints
    sh              lines of the shell, each of which must end well
    console         lines behind `$ `, each with what it prints below it; `$ cat FILE` shows a file, which is written
    text            what the last command of the block before it prints, or that program of Python; `...` is any lines,
                    and times may differ. Behind prose it is a drawing, and only read

What cannot run says so above the block, where a reader sees it: ```sh title="Not run: it needs a cluster".
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from walks import differs
from warm_shell import WarmShell

_BLOCK = re.compile(r"^( *)```([^\n`]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r'title="Not run: ([^"]+)"')
KINDS = {"python", "pycon", "sh", "console", "text"}


@dataclass(frozen=True)
class Block:
    """One block: its kind, its text, its line in the page, why it is not run ("" where it is), and whether it stands
    right below another block."""

    kind: str
    text: str
    line: int
    excused: str
    adjoins: bool


def blocks(page: str) -> list[Block]:
    """The blocks of a page, in their order."""
    made, end = [], 0
    for found in _BLOCK.finditer(page):
        kind, _, rest = found[2].strip().partition(" ")
        excuse = _TITLE.search(rest)
        made.append(
            Block(
                kind,
                textwrap.dedent(found[3]),
                page.count("\n", 0, found.start()) + 1,
                excuse[1] if excuse else "",
                bool(made) and not page[end : found.start()].strip(),
            )
        )
        end = found.end()
    return made


def commands(text: str) -> list[str]:
    """The lines of a block of the shell, a backslash at the end of one joined to the next.

    Without those that set up a clone, which .ci/run runs word for word.
    """
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    return [line for line in lines if line.strip() and not line.startswith("python3 -m venv ")]


def shortened(command: str) -> str:
    """A comparison that shows nothing on the page, made short: its options are tried, not its patience."""
    if not command.startswith("acumen compare"):
        return command
    told, hash_, note = command.partition(" #")
    if "--learners" not in told:
        told += " --suite quick"
    return f"{told} --folds 2 --repeats 1 --time-limit 10s{hash_}{note}"


@dataclass
class Runner:
    """Runs the blocks of one page; `wrong` has what is not as the page says, `ran` how many did something."""

    shell: WarmShell | None
    folder: Path
    slow: frozenset[str] = frozenset()
    session: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    wrong: list[str] = field(default_factory=list)
    ran: int = 0
    _printed: str | None = None

    def run(self, page: str) -> None:
        """Every block of a page; at the first that fails the rest is left."""
        found = blocks(page)
        for place, block in enumerate(found):
            after = found[place + 1] if place + 1 < len(found) else None
            shown = after is not None and after.kind == "text" and after.adjoins
            self._run(block, shown)
            if self.wrong:
                return

    def _run(self, block: Block, shown: bool) -> None:
        where = f"line {block.line}"
        if block.excused:
            self._printed = None
        elif block.kind not in KINDS:
            self.wrong.append(f"{where}: a block of {block.kind or 'nothing'!r}; there are {sorted(KINDS)}")
        elif block.kind == "text":
            if block.adjoins and self._printed is not None:
                different = differs(block.text, self._printed)
                if different:
                    self.wrong.append(f"{where} shows {different!r}, but printed is\n{self._printed}")
            self._printed = None
        else:
            self.ran += 1
            if block.kind == "sh":
                self._shell(block, shown)
            elif block.kind == "console":
                self._console(block)
            elif ">>>" in block.text:
                self._prompts(block)
            else:
                self._program(block)

    def _shell(self, block: Block, shown: bool) -> None:
        assert self.shell is not None
        lines = commands(block.text)
        for place, command in enumerate(lines):
            last = shown and place == len(lines) - 1
            if last and command.split(" #")[0].strip() in self.slow:
                self._printed = None
                return
            done = self.shell.run(command if last else shortened(command), self.folder)
            if done.code:
                self.wrong.append(f"line {block.line}: {command}\nended in {done.code}\n{done.out}{done.err}")
                return
            self._printed = done.out

    def _console(self, block: Block) -> None:
        assert self.shell is not None
        for step in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            command, _, expected = step.partition("\n")
            if command.startswith("cat ") and not (self.folder / command[4:]).exists():
                (self.folder / command[4:]).write_text(expected, encoding="utf-8")
                continue
            done = self.shell.run(command, self.folder)
            different = differs(expected.rstrip() + "\n", done.out.rstrip() + "\n")
            if done.code or different:
                self.wrong.append(f"line {block.line}: {command}\nshows {different!r}\n{done.out}{done.err}")
                return

    def _prompts(self, block: Block) -> None:
        test = doctest.DocTestParser().get_doctest(block.text, self.session, "page", None, block.line)
        said: list[str] = []
        doctest.DocTestRunner().run(test, out=said.append, clear_globs=False)
        self.session.update(test.globs)
        if said:
            self.wrong.append("".join(said))

    def _program(self, block: Block) -> None:
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                exec(compile(block.text, f"line {block.line} of the page", "exec"), self.session)
        except Exception as error:
            self.wrong.append(f"line {block.line}: {block.text}\n{type(error).__name__}: {error}")
            return
        self._printed = out.getvalue()
        said = "".join(f"{line[2:]}\n" for line in block.text.splitlines() if line.startswith("# "))
        if said and self._printed and differs(said, self._printed):
            self.wrong.append(f"line {block.line}: {block.text}\nprints\n{self._printed}")
