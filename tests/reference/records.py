"""The tokenizer of delimited text again, one character at a time, as slow and plain as can be."""

from __future__ import annotations


class Broken(Exception):  # noqa: N818
    """A quote never closed ("unclosed") or text behind a closing quote ("after"), and its line."""

    def __init__(self, what: str, line: int) -> None:
        super().__init__(what, line)
        self.what, self.line = what, line


def records(text: str, delimiter: str = ",", quote: str = '"') -> list[tuple[int, list[tuple[str, bool]]]]:
    """Every record that is not a blank line: its line, and its fields with whether they were quoted."""
    made = []
    at, line = 0, 1
    blank = " " if delimiter == "\t" else " \t"

    def at_break(i: int) -> int:
        """How long a line break stands at i: 0 if there is none."""
        if text[i : i + 2] == "\r\n":
            return 2
        return 1 if text[i : i + 1] in ("\r", "\n") else 0

    while at < len(text):
        start_line, fields = line, []
        while True:
            while text[at : at + 1] and text[at] in blank:
                at += 1
            if text[at : at + 1] == quote:
                opened, at, value = line, at + 1, ""
                while True:
                    if at >= len(text):
                        raise Broken("unclosed", opened)
                    if text[at] == quote:
                        if text[at + 1 : at + 2] != quote:
                            break
                        at += 1
                    elif at_break(at) == 2 or (at_break(at) == 1):
                        line += 1
                        if at_break(at) == 2:
                            value, at = value + "\r", at + 1
                    value, at = value + text[at], at + 1
                at += 1
                while text[at : at + 1] and text[at] in blank:
                    at += 1
                if at < len(text) and text[at] != delimiter and not at_break(at):
                    raise Broken("after", line)
                fields.append((value, True))
            else:
                value = ""
                while at < len(text) and text[at] != delimiter and not at_break(at):
                    value, at = value + text[at], at + 1
                fields.append((value.rstrip(blank), False))
            if text[at : at + 1] == delimiter:
                at += 1
                continue
            if at < len(text):
                at += at_break(at)
                line += 1
            break
        if fields != [("", False)]:
            made.append((start_line, fields))
    return made
