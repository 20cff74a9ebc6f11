"""`acumen.parts.plan`: go through all parts, and settle what must be the same for each of them.

The files agree on their columns first (`data.agreed`), for which each is gone through once. Then each is gone through
again under the schema of all: the rows that count are counted and hashed, and what the learner must know beforehand
(words, edges of bins, balanced class weights) is found as on one machine, over the canonical blocks of all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import isfunction
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from acumen import messages
from acumen.base.training import Training
from acumen.data.joint_columns import join_file_schemas
from acumen.data.parts import Parts
from acumen.data.read import scan
from acumen.data.schema import Schema
from acumen.data.shared_schema import Scan, agree, scan_like
from acumen.data.table import Table
from acumen.engines.cores import limited_to
from acumen.errors import DataError, ParameterError, SchemaMismatch
from acumen.models.summary_arrays import empty_table
from acumen.parts.plan import Part, Plan, require_adds, require_rows
from acumen.profiling.fit_warnings import data_warnings_on, warn_about_parts
from acumen.profiling.part_checks import PartChecks
from acumen.profiling.training_profile import trace_of
from acumen.profiling.uninformative import UninformativeColumns
from acumen.rows.intake import replace_target
from acumen.rows.stream import Stream
from acumen.rows.weights import Weighing
from acumen.types import Floats

#: A file, and what it is called.
NamedScan = tuple[str, Scan]


def plan(sources: Any, learner: Any, **options: Any) -> Plan:
    """Create the plan that all parts of a table share, so that each can be summarised separately.

    Parameters
    ----------
    sources : path, or several
        The parts, in the order of their rows. Each is gone through at least twice.
    learner : a learner of acumen
        Whose summaries add: the Bayes classifiers, discriminants, least squares and its kin, principal components.
    **options
        As for `acumen.read`: `target`, `weight`, `kinds` ...; they hold for every part, and need not be said again.

    Returns
    -------
    Plan
        To be handed to `acumen.parts.summarise` with each part; `acumen.parts.write_plan` keeps it in a file.

    Examples
    --------
    >>> import acumen, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.csv").write_text("x,class\\n1,no\\n2,no\\n")
    >>> _ = (folder / "b.csv").write_text("x,class\\n3,yes\\n5,yes\\n")
    >>> files = [folder / "a.csv", folder / "b.csv"]
    >>> planned = acumen.parts.plan(files, acumen.NaiveBayes(), target="class")
    >>> [part.n_counted for part in planned.parts]
    [2, 2]
    >>> both = acumen.parts.merge([acumen.parts.summarise(file, planned) for file in reversed(files)])
    >>> both.fit().predict(acumen.read(folder / "a.csv", target="class")).tolist()
    ['no', 'no']
    """
    return plan_files([named_scan(source) for source in _several(sources)], learner, options)


def named_scan(source: Any) -> NamedScan:
    """A file with its name and a function that scans it."""
    if not isinstance(source, (str, PathLike)):
        raise ParameterError(f"plan: parts are named by their paths; got a {type(source).__name__}.")
    return fspath(source), partial(scan, source)


def _several(sources: Any) -> list[Any]:
    return [sources] if isinstance(sources, (str, PathLike)) else list(sources)


def plan_files(
    files: Sequence[NamedScan],
    learner: Any,
    options: Mapping[str, Any],
    *,
    idle: bool = True,
    report_left_out: Callable[[Mapping[str, str]], None] | None = None,
) -> Plan:
    """Plan files, each with the function that scans it.

    `learner` is a learner or a function that chooses one for a schema. Without `idle`, uninformative columns are left
    out, as the command line does for a single file, and `report_left_out` is called with them and the reasons.
    """
    if not files:
        raise ParameterError("plan: there must be at least one part; got none.")
    if (twice := _twice([name for name, _ in files])) is not None:
        raise ParameterError(
            f"plan: {twice} is given twice; each part has a place of its own among the rows."
        )
    if not isfunction(learner):
        learner = _adding(learner)
    agreed = agree(files, **options)
    if isfunction(learner):
        learner = _adding(learner(agreed.schema))
    parts = [scan_like(way, agreed.schema, agreed.options, name) for name, way in files]
    who = type(learner).__name__
    if (sentence := learner.task.needs(agreed.schema)) is not None:
        raise DataError(f"{who}: {sentence}")
    with limited_to(learner.jobs):
        plan = Plan(learner, agreed.schema, agreed.options, (), None, None, ())
        if getattr(learner, "class_weight", None) is not None:
            stream = Stream(ChainedParts(parts), who, learner.task.target is not None)
            plan = replace(plan, factors=learner.class_factors(stream))
        survey = _PartSurvey(plan, idle)
        surveyed = tuple(survey.part(name, each) for (name, _), each in zip(files, parts, strict=True))
        left_out = survey.idle()
        plan = replace(plan, left_out=tuple(left_out), parts=surveyed)
        learner.object_to(plan.model_schema)
        require_rows(plan)
        if report_left_out is not None:
            report_left_out(left_out)
        survey.tell(set(left_out))
        if learner.plan is None:
            return plan
        training = Training.of(learner, ChainedParts([plan.select_inputs(each) for each in parts]))
        return replace(plan, plan=training.plan)


def _twice(names: Sequence[str]) -> str | None:
    """A name that is there twice, however it is written (`a.csv`, `./a.csv`): its rows would count twice."""
    seen: set[str] = set()
    for name in names:
        path = Path(name)
        resolved = str(path.resolve()) if path.is_file() else name
        if resolved in seen:
            return name
        seen.add(resolved)
    return None


def _adding(learner: Any) -> Any:
    """A copy of a learner, if its parameters are in order and its summaries add."""
    from acumen.base.scikit import clone

    learner_copy = clone(learner)
    learner_copy.check_parameters()
    require_adds(learner_copy)
    return learner_copy


class _PartSurvey:
    """What is found of the parts as they pass: how many rows count, what is odd, which columns are idle."""

    def __init__(self, plan: Plan, idle: bool) -> None:
        self._plan = plan
        self._idle = None if idle else UninformativeColumns(plan.model_schema)
        self._noticed = PartChecks() if data_warnings_on() else None

    def part(self, name: str, parts: Parts) -> Part:
        """One part, gone through."""
        plan = self._plan
        counting = PartCounter(plan.learner, plan.model_schema, plan.factors)
        for part in parts:
            training, rows = counting.take(part)
            if self._idle is not None:
                self._idle.add(training)
            if self._noticed is not None:
                self._noticed.add(training, rows)
        if counting.rows != parts.n_rows:
            raise DataError(f"{name} changed while it was being planned.")
        return Part(name, counting.rows, counting.n_counted, counting.trace, counting.weighing)

    def idle(self) -> dict[str, str]:
        return {} if self._idle is None else self._idle.reasons()

    def tell(self, left_out: set[str]) -> None:
        """Say what is odd about all rows, but of columns that are left out."""
        oddities = None if self._noticed is None else self._noticed.notices()
        if oddities is not None:
            kept = tuple(each for each in oddities.findings if each.column not in left_out)
            warn_about_parts("plan", replace(oddities, findings=kept))


# -- rows of a part that count --------------------------------------------------------------------
#
# The rows of a part that count, how they are recognised, and all parts of all files in one stream.
#
# Counting   a learner and the weights of its classes; part -> the rows that count, and what they weigh
# All        parts of several files as one stream


@dataclass
class PartCounter:
    """Takes the rows that count out of parts, and counts, weighs and hashes them as they pass."""

    learner: Any
    schema: Schema
    factors: Floats | None
    rows: int = 0
    n_counted: int = 0
    trace: int = 0
    weighing: Weighing = field(default_factory=Weighing)

    def take(self, part: Table) -> tuple[Table, Table]:
        """A part as it is learned from, and the rows of it that count."""
        targeted = self.schema.target is not None
        labels, response = (part.labels, part.response) if targeted else (None, None)
        training = replace_target(part, self.schema, labels, part.weights, response)
        rows = self.learner.counted_places(training, self.factors)[0]
        self.rows, self.n_counted = self.rows + len(training), self.n_counted + len(rows)
        self.weighing = self.weighing + self.learner.weighing_of(training, factors=self.factors)
        self.trace = (self.trace + trace_of(rows)) % 2**64
        return training, rows


class ChainedParts:
    """The parts of all files, one file after the other."""

    def __init__(self, parts: Sequence[Parts]) -> None:
        self._parts = parts

    def __iter__(self) -> Iterator[Table]:
        for parts in self._parts:
            yield from parts


# -- joining plans of single parts ----------------------------------------------------------------
#
# Plans of single parts, each made where its part is stored, are joined to one plan without reading a row.
#
#     is_plan   whether a file is a plan
#     join      plans, in the order of their parts' rows -> the plan of all
#
# It can be done where nothing but columns, levels and counts is to be agreed on: a learner that must know all rows
# beforehand (words, edges of bins, balanced class weights) says so, and all parts are planned by one command then.
# Where parts differ in what a column is, nobody looks again: a sentence says which kind to name when they are planned.


def is_plan(name: str) -> bool:
    """Whether this names a file that begins as plans do."""
    try:
        with Path(name).open("rb") as file:
            return file.read(16).startswith(b'{\n "acumen"')
    except (OSError, ValueError):
        return False


def join(plans: Sequence[Plan], names: Sequence[str]) -> Plan:
    """The plan of all parts, in the order of the plans."""
    first = plans[0]
    if len(plans) == 1:
        return first
    learner = first.learner
    for each, name in zip(plans[1:], names[1:], strict=True):
        alike = replace(each, schema=first.schema, parts=first.parts, left_out=first.left_out)
        if (sentence := first.difference(replace(alike, plan=first.plan, factors=first.factors))) is not None:
            raise SchemaMismatch(f"{names[0]} and {name} do not join: {sentence}.")
        if each.options != first.options:
            raise SchemaMismatch(
                f"{names[0]} and {name} do not join: their parts are read with other options. Plan both alike."
            )
    if learner.needs_plan(first.model_schema) or getattr(learner, "balances", False):
        raise ParameterError(
            f"plan: {first.name} must know all rows beforehand (words, edges of bins, balanced classes); plan all "
            "parts by one command."
        )
    dropped = {name for each in plans for name in each.left_out}
    if dropped:
        # What is idle in one part need not be in all.
        raise ParameterError(
            f"plan: column {min(dropped)!r} is left out of a part, and may be worth learning from in others; plan with "
            + (messages.at_the_command_line("--keep-ids") or "all columns")
            + f", or leave it out of all with {messages.option('ignore', min(dropped))}."
        )
    schema = join_file_schemas(
        [(each.parts[0].name, each.schema) for each in plans],
        [sum(part.rows for part in each.parts) for each in plans],
        set(first.options.get("levels", {})),
    )
    parts = tuple(part for each in plans for part in each.parts)
    twice = {part.name for i, part in enumerate(parts) if part.name in [p.name for p in parts[:i]]}
    if twice:
        raise ParameterError(f"plan: {min(twice)} is in two of the plans; its rows would count twice.")
    joined = replace(first, schema=schema, parts=parts)
    return replace(joined, factors=learner.class_factors(empty_table(joined.model_schema)))
