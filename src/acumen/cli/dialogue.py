"""The dialogue of `acumen label`: shows a row, reads the answer, and saves it before the next question.

    Dialogue.run     asks until the user stops, the budget is spent or no row is left

A line is a class (its number or its name), or a word: s, u, q, f ..., ? and their long forms. What names a class is
that class, whatever else it could mean; `=NAME` is a class also where there is none of that name yet. All of the talk
is on stderr; what a row holds is made safe to show.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from acumen.cli import console

if TYPE_CHECKING:
    from acumen.data.table import Table
    from acumen.labelling.session import LabellingSession
    from acumen.types import Label

#: Attributes of a row that are shown unless all are asked for, and letters of a text.
SHOWN, LETTERS = 40, 400
#: No line of an answer is longer.
_LONGEST = 65_536
_WORDS = {
    **dict.fromkeys(("s", "skip"), "skip"),
    **dict.fromkeys(("u", "undo"), "undo"),
    **dict.fromkeys(("q", "quit"), "quit"),
    **dict.fromkeys(("?", "h", "help"), "help"),
    **dict.fromkeys(("a", "all"), "all"),
}
_HELP = """\
  a class's number or name   the label of this row; =NAME a class of that name, also a new one
  s  skip                    skip this row
  u  undo                    undo the last answer
  f  ATTRIBUTE WEIGHT        set the weight of an attribute: use, ignore, or a number (1 resets it)
  a  all                     show every attribute of this row
  q  quit                    stop; all answers are saved, and the same command continues"""


class Dialogue:
    """One session.

    Parameters
    ----------
    labelling : the session with all answers and the next question
    shown : the rows as shown to the user
    keep : called after each answer, to write it down
    name : what the learner is called
    guess : whether to show the predicted class
    every : number of labels between questions about an attribute; 0 for never
    declared : whether the classes are known, so that another one is probably a typing error
    """

    def __init__(
        self,
        labelling: LabellingSession,
        shown: Table,
        keep: Callable[[], None],
        *,
        name: str,
        guess: bool = False,
        every: int = 0,
        declared: bool = False,
    ) -> None:
        self.labelling, self.shown, self.keep, self.name = labelling, shown, keep, name
        self.guess, self.every = guess, every
        self.declared = declared or bool(shown.schema.classes)
        self.unanswered = False  # whether there was a question but no answer
        self._heard = 0
        self._doubted: str | None = None  # the attribute that was asked about
        self._unheard_of = ""  # a class that has to be said twice

    def run(self, budget: int | None) -> None:
        """Ask until no row is left, the input ends, or the budget is spent."""
        reconfigure = getattr(sys.stdin, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
        before, first = len(self.labelling.lines), True
        while budget is None or self._answers_since(before) < budget:
            with console.busy("training on the answers"):
                row = self.labelling.question()
            if row is None:
                console.say("There are no more rows to label.")
                return
            if first:
                self._greet()
                first = False
            self._show(row, SHOWN)
            if not self._answer(row):
                return

    def _answers_since(self, before: int) -> int:
        from acumen.labelling.label_file import LabelAnswer

        return sum(isinstance(line, LabelAnswer) for line in self.labelling.lines[before:])

    # -- showing ----------------------------------------------------------------------------------

    def _greet(self) -> None:
        from acumen.render.text import many

        if self.labelling.lines:
            console.say(f"Continuing from {many(self.labelling.n_labels, 'label')}.")
        console.say("Answer with the number or name of a class; s skips, u undoes, q quits, ? shows help.")
        shadowed = sorted({word for word in (*_WORDS, "f") if self._class_named(word) is not None})
        if shadowed:
            console.say(
                f"Here {', '.join(shadowed)} is a class; write skip, undo, quit, help, all and feedback, or stop with "
                "Ctrl-D."
            )

    def _show(self, row: int, most: int) -> None:
        from acumen.data.escape import printable, shorten
        from acumen.labelling.pool import row_of
        from acumen.render.text import many

        labelling = self.labelling
        paint = console.painter(sys.stderr)
        rows_left = many(labelling.n_remaining, "row")
        self._out("")
        self._out(
            paint(
                f"row {row + 1} ({many(len(labelling.pool.known_rows), 'label')}, {rows_left} left)", "title"
            )
        )
        names = self.shown.schema.names
        values = row_of(self.shown.select(names[:most]), row)
        wide = min(max((len(printable(name)) for name in values), default=0), 30)
        for name, value in values.items():
            text = shorten(self._cell(name, value), LETTERS)
            self._out(f"  {shorten(printable(name), 30):<{wide}}  {text}")
        if len(names) > len(values):
            self._out(f"  and {len(names) - len(values):,} more attributes; a shows all")
        if self.guess and (prediction := labelling.guess(row)) is not None:
            sure = "" if prediction.probability is None else f" ({100 * prediction.probability:.0f} %)"
            self._out(f"  {self.name} expects {printable(prediction.label)}{sure}")
        self._doubted = None
        if self.every and labelling.n_labels and not labelling.n_labels % self.every:
            self._doubted = labelling.doubtful_attribute(row)
        if self._doubted is not None:
            self._out(
                f"  {printable(self._doubted)} has the largest influence here. Is it useful? "
                "Answer f use, f ignore or f NUMBER (a weight)."
            )

    def _cell(self, name: str, value: Any) -> str:
        from acumen.data.escape import printable
        from acumen.data.forms import shown_as

        if value is None:
            return "?"
        if isinstance(value, float):
            return shown_as(self.shown.schema[name].form, value) or f"{value:.10g}"
        return printable(value)

    def _prompt(self) -> str:
        from acumen.data.escape import printable

        target = printable(self.labelling.pool.target.name)
        classes = [printable(each) for each in self.labelling.pool.classes]
        if not classes:
            return f"{target}? "
        numbered = classes
        if self._uses_numbers:
            numbered = [f"{at} {each}" for at, each in enumerate(classes, 1)]
        choices = "  ".join(numbered)
        if len(choices) <= max(console.width(sys.stderr) - len(target) - 6, 20):
            return f"{target}: {choices} ? "
        return "\n".join([f"{target}:", *(f"  {each}" for each in numbered), "? "])

    @property
    def _uses_numbers(self) -> bool:
        """Whether classes go by numbers: not where they have numbers for names."""
        return not any(str(each).strip().lstrip("+-").isdigit() for each in self.labelling.pool.classes)

    def _out(self, text: str, end: str = "\n") -> None:
        sys.stderr.write(text + end)
        sys.stderr.flush()

    # -- hearing ----------------------------------------------------------------------------------

    def _answer(self, row: int) -> bool:
        """Read answers for a row until it is labelled or skipped; False if the user stops."""
        while True:
            self._out(self._prompt(), end="")
            line = sys.stdin.readline(_LONGEST)
            if not line:
                self._out("")
                self.unanswered = not self._heard
                return False
            answer = line.strip()
            if not answer:
                continue
            self._heard += 1
            known = self._class_named(answer)
            word = _WORDS.get(answer.lower()) if known is None else None
            if known is not None:
                self._keep(row, known)
                return True
            if word == "quit":
                return False
            if word == "help":
                self._out(_HELP)
            elif word == "all":
                self._show(row, len(self.shown.schema.names))
            elif word == "undo":
                if self._undo():
                    return True
            elif word == "skip":
                self._keep(row, None)
                return True
            elif answer.split()[0].lower() in ("f", "feedback"):
                if self._feedback(answer.split(None, 1)[1:]):
                    return True
            elif (label := self._label(answer)) is not None:
                self._keep(row, label)
                return True

    def _keep(self, row: int, label: Label | None) -> None:
        self.labelling.tell(row, label)
        self.keep()

    def _undo(self) -> bool:
        from acumen.labelling.label_file import LabelAnswer

        line = self.labelling.undo()
        if line is None:
            self._out("There is nothing to undo.")
            return False
        self.keep()
        what = f"row {line.row + 1}" if isinstance(line, LabelAnswer) else f"the weight of {line.attribute}"
        console.say(f"Undone: {what}.")
        return True

    def _feedback(self, rest: list[str]) -> bool:
        """`f ATTRIBUTE WORTH`, or `f WORTH` of the attribute that was asked about."""
        from acumen.errors import DataError, ParameterError
        from acumen.labelling.label_file import read_weight

        words = rest[0].strip() if rest else ""
        name, _, worth = words.rpartition(" ")
        if not name and self._doubted is not None:
            name = self._doubted
        if not name or not worth:
            self._out("Use the form f ATTRIBUTE use, f ATTRIBUTE ignore, or f ATTRIBUTE NUMBER.")
            return False
        try:
            self.labelling.remark(name.strip(), read_weight(worth, name.strip()))
        except (ParameterError, DataError) as error:
            console.say(str(error))
            return False
        self.keep()
        return True

    def _class_named(self, said: str) -> Label | None:
        """The class of that name, whatever its case; None where there is none, or more than one."""
        named = {str(each): each for each in self.labelling.pool.classes}
        folded = [each for name, each in named.items() if name.casefold() == said.casefold()]
        return named[said] if said in named else folded[0] if len(folded) == 1 else None

    def _label(self, said: str) -> Label | None:
        """The class that is meant otherwise: a number, or a new name; None, and why is said, where none is."""
        from acumen.errors import did_you_mean

        classes = self.labelling.pool.classes
        if said.startswith("="):
            name = said[1:].strip()
            if not name:
                self._out("Write a class as =NAME.")
                return None
            return next((each for each in classes if str(each) == name), name)
        if self._uses_numbers and said.isascii() and said.isdigit() and classes:
            if 1 <= int(said[:9]) <= len(classes):
                return classes[int(said) - 1]
            self._out(f"There are {len(classes)} classes; for a class named {said} write ={said}.")
            return None
        near = did_you_mean(said, [str(each) for each in classes])
        if said == self._unheard_of or not (self.declared or near):
            self._unheard_of = ""
            return said
        self._unheard_of = said
        console.say(f"There is no class {said!r} yet.{near} Enter it again to add it.")
        return None
