"""`acumen completion bash|zsh|fish`: the script that lets a shell complete what is typed behind `acumen`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import click

from acumen.cli import console
from acumen.cli.completing import FILES, candidates
from acumen.cli.data import NearChoice
from acumen.cli.files import Guarded


@click.command(cls=Guarded)
@click.argument("shell", metavar="SHELL", type=NearChoice(["bash", "zsh", "fish"]))
@click.argument("words", metavar="", nargs=-1, type=click.UNPROCESSED)
def completion(shell: str, words: tuple[str, ...]) -> None:
    """Print the completion script for SHELL (bash, zsh or fish).

    It completes commands, options, files, built-in tables, learners, their parameters and values, and the columns of
    DATA.

    \b
    bash   acumen completion bash >> ~/.bashrc
    zsh    acumen completion zsh > ~/.zfunc/_acumen      (a folder of $fpath)
    fish   acumen completion fish > ~/.config/fish/completions/acumen.fish
    """
    if not words:
        console.result(SCRIPTS[shell].rstrip("\n"))
        return
    for line in answers(shell, words):  # the script asks
        console.result(line)


BASH = r"""# bash completion for acumen; put it where it is read:  acumen completion bash >> ~/.bashrc
_acumen() {
    local kind word meaning files=
    COMPREPLY=()
    while IFS=$'\t' read -r kind word meaning; do
        case $kind in
            word) COMPREPLY+=("$word ") ;;
            open) COMPREPLY+=("$word") ;;
            file) files=1 ;;
        esac
    done < <("${COMP_WORDS[0]}" completion bash -- "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
    if [[ $files ]]; then
        local path names=("${COMPREPLY[@]% }")
        while IFS= read -r path; do names+=("$path"); done < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
        COMPREPLY=("${names[@]}")
        compopt -o filenames +o nospace 2>/dev/null
    fi
}
complete -o nospace -F _acumen acumen
"""


ZSH = r"""#compdef acumen
# zsh completion for acumen; put it into a folder of $fpath:  acumen completion zsh > ~/.zfunc/_acumen
_acumen() {
    local line kind word meaning files=
    local -a words_found open_found parts
    for line in "${(@f)$("${words[1]}" completion zsh -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
        parts=("${(@s:	:)line}")
        kind=$parts[1] word=$parts[2] meaning=$parts[3]
        case $kind in
            word) words_found+=("${word//:/\\:}:$meaning") ;;
            open) open_found+=("${word//:/\\:}:$meaning") ;;
            file) files=1 ;;
        esac
    done
    (( $#words_found )) && _describe -V acumen words_found
    (( $#open_found )) && _describe -V acumen open_found -S ''
    [[ -n $files ]] && _files
    return 0
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _acumen "$@"
else
    compdef _acumen acumen
fi
"""


FISH = r"""# fish completion for acumen:  acumen completion fish > ~/.config/fish/completions/acumen.fish
function __acumen_complete
    set -l before (commandline -opc)
    set -l program $before[1]
    set -e before[1]
    for line in ($program completion fish -- $before (commandline -ct | string unescape) 2>/dev/null)
        set -l parts (string split \t -- $line)
        switch $parts[1]
            case file
                __fish_complete_path (commandline -ct)
            case '*'
                printf '%s\t%s\n' $parts[2] $parts[3]
        end
    end
end
complete -c acumen -f -a '(__acumen_complete)'
"""


SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


class Typed(NamedTuple):
    """A line as a shell would take it apart: finished words, the one being typed, and how it is quoted."""

    words: list[str]
    incomplete: str
    #: The quotation mark that is still open, and where in the word it was opened.
    quote: str
    opened: int


def taken_apart(line: str) -> Typed:
    """The words of a line up to the cursor."""
    words: list[str] = []
    word, quote, opened, began = "", "", 0, False
    signs = iter(line)
    for sign in signs:
        if quote == "'":
            quote, word = ("", word) if sign == "'" else (quote, word + sign)
        elif sign == "\\":
            following = next(signs, "")
            word, began = word + ("\\" if quote and following not in '"\\$`' else "") + following, True
        elif quote:
            quote, word = ("", word) if sign == '"' else (quote, word + sign)
        elif sign in "'\"":
            quote, opened, began = sign, len(word), True
        elif sign.isspace():
            if began:
                words.append(word)
            word, began = "", False
        else:
            word, began = word + sign, True
    return Typed(words, word, quote, opened if quote else 0)


_PLAIN = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%^")


def _escape(text: str) -> str:
    return "".join(sign if sign in _PLAIN or ord(sign) > 127 else f"\\{sign}" for sign in text)


def answers(shell: str, words: Sequence[str]) -> Iterator[str]:
    """The lines a script is answered."""
    if shell != "bash":
        *before, incomplete = words or [""]
        yield from _answers(before, incomplete, 0, raw=True)
        return
    line, breaks = words[0], words[1] if len(words) > 1 else ""
    typed = taken_apart(line)
    # What bash will replace begins behind the quotation mark, or behind the last sign that breaks words.
    start = typed.opened if typed.quote else 1 + max(typed.incomplete.rfind(sign) for sign in breaks or "\n")
    yield from _answers(typed.words[1:], typed.incomplete, start, raw=bool(typed.quote))


def _answers(before: Sequence[str], incomplete: str, start: int, *, raw: bool) -> Iterator[str]:
    for each in candidates(before, incomplete):
        if each == FILES:
            yield "file\t\t"
        elif each.word.isprintable():  # names come out of files, and end in a terminal
            shown = each.word[start:]
            kind = "open" if each.open or (raw and start) else "word"
            yield f"{kind}\t{shown if raw else _escape(shown)}\t{' '.join(each.help.split())}"
