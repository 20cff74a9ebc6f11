"""Sums in files, read without trust: the container of model files, with the plan in its manifest.

    write_sum, read_sum     part.sum

A sum holds its plan, so that a sum of all parts is all that learning needs. What it says of itself must hold together:
the blocks and rows in it are those of the parts it names, every array is what schema and plan ask for, and every number
a number. Sums may hold rows as they are (those at the ends of parts), so they are to be kept as the rows are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from acumen import messages
from acumen.engines.blocks import BLOCK_ROWS
from acumen.engines.runs import Gathered, Run
from acumen.errors import ModelFileError
from acumen.models.summary_arrays import summary_arrays
from acumen.parts.part_sums import PartSum
from acumen.parts.plan import Plan
from acumen.parts.plan_file import PLAN_FIELDS, plan_arrays, plan_from_json, plan_to_json, require_format
from acumen.parts.row_arrays import rows_from_arrays, rows_to_arrays
from acumen.preprocessing.stored_arrays import require
from acumen.profiling.training_profile import Seen, seen_from_words
from acumen.store.file import MAX_BYTES, read_members, write_members
from acumen.store.guard import ModelFileMissing, Path, guarded
from acumen.types import Array

_FIELDS = PLAN_FIELDS | {"places", "ragged", "runs"}
_NUMBERED = re.compile(r"(0|[1-9][0-9]{0,8})/(.+)")


def write_sum(part: PartSum, path: Path) -> None:
    """Write a sum; the same sum gives the same bytes, whatever the order in which it was added up."""
    arrays = {f"plan/{name}": np.asarray(array) for name, array in plan_arrays(part.plan).items()}
    runs = list(part.runs)
    for i, (_, summary) in enumerate(runs):
        arrays |= {f"runs/{i}/{name}": array for name, array in summary_arrays(summary).items()}
    for i, (_, rows) in enumerate(part.ragged):
        arrays |= {f"ragged/{i}/{name}": array for name, array in rows_to_arrays(rows).items()}
    if part.seen is not None:
        seen = part.seen
        arrays["seen/low"], arrays["seen/high"], arrays["seen/infinite"] = seen.low, seen.high, seen.infinite
        arrays["seen/level"] = np.array([seen.level], dtype=np.int32)
        arrays["seen/words"] = np.unique(seen.words)
    made = {
        **plan_to_json(part.plan),
        "holds": "sum",
        "places": list(part.parts),
        "runs": [[run.block, run.level] for run, _ in runs],
        "ragged": [[start, len(rows)] for start, rows in part.ragged],
    }
    write_members(path, made, arrays)


def read_sum(path: Path, *, max_bytes: int = MAX_BYTES) -> PartSum:
    """Read a sum; any file ends in a sum that adds or in ModelFileError."""
    try:
        made, arrays = read_members(path, max_bytes=max_bytes)
    except ModelFileMissing:
        raise
    except ModelFileError as error:
        raise ModelFileError(_of_sums(str(error))) from None
    try:
        with guarded(path):
            return _sum_from_json(made, arrays, os.fsdecode(path))
    except ModelFileError as error:
        raise ModelFileError(_of_sums(str(error))) from None


def _of_sums(sentence: str) -> str:
    """What is said of model files, of summaries: they are written alike."""
    for one, other in (
        ("the model file is", "the summary is"),
        ("the model was never", "the summary was never"),
        ("this is not a model file", "this is no summary"),
        (messages.writer(), "acumen summarise -o FILE"),
        (" MODEL comes first, DATA behind it.", ""),
    ):
        sentence = sentence.replace(one, other)
    return sentence


def _sum_from_json(made: dict[str, Any], arrays: Mapping[str, Array], name: str) -> PartSum:
    require_format(made, "sum")
    require(made.keys() == _FIELDS, "its fields are not those of a summary")
    groups: dict[str, dict[str, Array]] = {"plan": {}, "runs": {}, "ragged": {}, "seen": {}}
    for key, array in arrays.items():
        group, _, rest = key.partition("/")
        require(group in groups and rest, f"the array {key!r} belongs to nothing")
        groups[group][rest] = array
    plan = plan_from_json({key: made[key] for key in PLAN_FIELDS}, groups["plan"])
    learner = plan.learner
    places = made["places"]
    sound = isinstance(places, list) and all(type(i) is int and 0 <= i < len(plan.parts) for i in places)
    require(sound and places and places == sorted(set(places)), "it names parts that there are not")
    runs: Gathered[Any] = Gathered()
    held: list[tuple[int, int]] = []
    for place, own in _numbered(made["runs"], groups["runs"], "blocks"):
        require(place[1] <= 40, "it has a run of too many blocks")
        run = Run(*place)
        require(run.end <= plan.blocks, "it has blocks that the plan does not have")
        runs.put(run, learner.restore_summary(own, plan.learned, plan.plan))
        held.append((run.block * BLOCK_ROWS, min(run.end * BLOCK_ROWS, plan.counted)))
    require(len(runs) == len(made["runs"]), "two of its runs are one")
    ragged = []
    for (start, rows), own in _numbered(made["ragged"], groups["ragged"], "rows"):
        sound = 0 < rows < BLOCK_ROWS and start // BLOCK_ROWS == (start + rows - 1) // BLOCK_ROWS
        require(sound, "some of its rows are not of one block")
        ragged.append((start, rows_from_arrays(own, plan.learned, rows)))
        held.append((start, start + rows))
    _require_held(plan, places, held)
    return PartSum(plan, tuple(places), runs, tuple(ragged), _seen(groups["seen"], plan), name)


def _numbered(listed: Any, arrays: Mapping[str, Array], what: str) -> Any:
    """Pairs of whole numbers, each with the arrays of its place."""
    sound = isinstance(listed, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in listed)
    sound = sound and all(type(n) is int and 0 <= n < 2**53 for pair in listed for n in pair)
    require(sound, f"its {what} are not counted")
    own: list[dict[str, Array]] = [{} for _ in listed]
    for name, array in arrays.items():
        found = _NUMBERED.fullmatch(name)
        require(found is not None, f"the array {name!r} belongs to none of its {what}")
        assert found is not None
        require(int(found[1]) < len(own), f"the array {name!r} belongs to none of its {what}")
        own[int(found[1])][found[2]] = array
    return zip([tuple(pair) for pair in listed], own, strict=True)


def _require_held(plan: Plan, places: list[int], held: list[tuple[int, int]]) -> None:
    """What it holds must be the rows of the parts it names, each once."""
    wanted = _stretches([(plan.starts[i], plan.starts[i + 1]) for i in places])
    found = sorted(held)
    require(all(a[1] <= b[0] for a, b in pairwise(found)), "it holds some rows twice")
    require(_stretches(found) == wanted, "its blocks and rows are not those of the parts it names")


def _stretches(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    made: list[tuple[int, int]] = []
    for begin, end in sorted(pairs):
        if begin == end:
            continue
        if made and made[-1][1] == begin:
            made[-1] = (made[-1][0], end)
        else:
            made.append((begin, end))
    return made


def _seen(arrays: Mapping[str, Array], plan: Plan) -> Seen | None:
    return seen_from_words(arrays, plan.learned) if arrays else None
