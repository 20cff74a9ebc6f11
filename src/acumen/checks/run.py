"""`check_learner`: every law of the contract, one after the other."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acumen.checks import (
    laws_edge,
    laws_groups,
    laws_input,
    laws_parameters,
    laws_parts,
    laws_probability,
    laws_state,
    laws_weight,
    laws_words,
)
from acumen.checks.subject import NotApplicable, Subject
from acumen.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from acumen.base.learner import Learner

Law = Callable[[Subject], None]

#: Every law by name, in the order they are run; the first line of its docstring is the law itself.
LAWS: Mapping[str, Law] = {
    law.__name__: law
    for room in (
        laws_parameters,
        laws_input,
        laws_weight,
        laws_probability,
        laws_edge,
        laws_words,
        laws_parts,
        laws_state,
        laws_groups,
    )
    for law in room.LAWS
}


class CheckFailed(AssertionError):  # noqa: N818 - the house's name for it
    """A learner violates a law of the contract; `law` is its name."""

    def __init__(self, learner: str, law: str, detail: str) -> None:
        super().__init__(f"{learner} breaks the law {law!r} ({sentence(law)})\n  {detail}")
        self.law = law


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The laws a learner passed, and those that do not apply, with the reason."""

    learner: str
    passed: tuple[str, ...]
    not_applicable: Mapping[str, str]

    def __str__(self) -> str:
        lines = [f"{self.learner} passes {len(self.passed)} laws"]
        lines += [f"  {law}" for law in self.passed]
        lines += [f"  not applicable: {law}, since {why}" for law, why in self.not_applicable.items()]
        return "\n".join(lines)


def sentence(law: str) -> str:
    """The law in words."""
    return (LAWS[law].__doc__ or "").strip().splitlines()[0]


def check_learner(
    learner: Learner,
    only: Iterable[str] | str | None = None,
    skip: Iterable[str] | str = (),
    *,
    rows: int = 90,
) -> CheckReport:
    """Check a learner against the whole contract of acumen.

    The learner itself is never fitted: laws work on clones of it, so give it with the parameters that
    should be checked, costs, priors and class weights excepted, which the laws set for classes of their own.
    Every law is a function of `acumen.checks.LAWS`.

    Parameters
    ----------
    learner : an unfitted learner
    only : names of laws, optional
        Check these alone.
    skip : names of laws
        Leave these out.
    rows : int
        The size of the tables that laws learn from; 30 or more. Fewer rows take less time. [default: 90]

    Returns
    -------
    Checked
        The laws passed and those that do not concern this learner.

    Raises
    ------
    CheckFailed
        At the first law that is broken; an AssertionError that names it.
    """
    left_out = set(_law_names(skip))
    chosen = LAWS if only is None else _law_names(only)
    if rows < 30:
        raise ParameterError(f"check_learner: rows must be at least 30; got {rows!r}.")
    subject = Subject(learner, rows)
    passed: list[str] = []
    not_applicable: dict[str, str] = {}
    for name in chosen:
        if name in left_out:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a law is about answers; warnings have tests of their own
                LAWS[name](subject)
        except NotApplicable as reason:
            not_applicable[name] = str(reason)
        except Exception as error:
            kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
            raise CheckFailed(repr(learner), name, f"{kind}{error}") from error
        else:
            passed.append(name)
    return CheckReport(repr(learner), tuple(passed), not_applicable)


def _law_names(laws: Iterable[str] | str) -> list[str]:
    names = [laws] if isinstance(laws, str) else list(laws)
    for name in names:
        if name not in LAWS:
            raise ParameterError(f"check_learner: there is no law {name!r}.{did_you_mean(name, LAWS)}")
    return names
