"""`acumen completion bash|zsh|fish`: the script that lets a shell complete what is typed behind `acumen`."""

from __future__ import annotations

import click

from acumen.cli import console
from acumen.cli.data import NearChoice
from acumen.cli.files import Guarded


@click.command(cls=Guarded)
@click.argument("shell", metavar="SHELL", type=NearChoice(["bash", "zsh", "fish"]))
@click.argument("words", metavar="", nargs=-1, type=click.UNPROCESSED)
def completion(shell: str, words: tuple[str, ...]) -> None:
    """Print a script for SHELL (bash, zsh or fish), which then completes commands, options, files, built-in tables,
    learners, their parameters and the choices of each, and the columns of DATA.

    \b
    bash   acumen completion bash >> ~/.bashrc
    zsh    acumen completion zsh > ~/.zfunc/_acumen      (a folder of $fpath)
    fish   acumen completion fish > ~/.config/fish/completions/acumen.fish
    """
    from acumen.cli.shells import SCRIPTS, answers

    if not words:
        console.result(SCRIPTS[shell].rstrip("\n"))
        return
    for line in answers(shell, words):  # the script asks
        console.result(line)
