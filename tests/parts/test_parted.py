"""Parts that lie apart: the model of their sum is the model of all rows, to the byte."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import acumen
from acumen.errors import DataError, ParameterError, SchemaMismatch
from acumen.parts import read_plan, read_sum, write_plan, write_sum
from acumen.registry import entries
from part_tables import blocks_of, lines, written

ADDING = [entry.kind for entry in entries() if getattr(entry.learner(), "adds", False)]
#: Further settings under which summaries and plans differ.
SETTINGS = {
    "naive-bayes": ["numeric=kernel", "numeric=histogram", "numeric=discretise", "class_weight=balanced"],
    "full-bayes": ["covariance=shared"],
    "text-bayes": ["event=bernoulli"],
    "histogram-bayes": ["bins=4"],
    "fisher": ['class_weight={"no": 2.5, "yes": 1}'],
}
CASES = [
    (kind, ()) for kind in ADDING if kind != "version-space"
] + [  # whose rows must be without noise: see below
    (kind, (setting,)) for kind, each in SETTINGS.items() for setting in each
]
#: Columns to learn from, the first that a learner does not object to.
COLUMNS = [
    ("x", "z", "c", "late", "o", "t"), ("x", "z", "c", "late", "o"), ("c", "late", "o"), ("x", "z"), ("t",),
]  # fmt: skip
CUTS = (5, 5, 70, 128, 250)


def options_for(learner, whole):
    """What the table is read with, so that a learner can learn from it."""
    task = learner.task
    for columns in COLUMNS[-1:] if learner.kind == "text-bayes" else COLUMNS:
        options = {
            "columns": columns,
            "weight": "w",
            "levels": {"o": ["low", "mid", "high"]} if "o" in columns else {},
            "kinds": {"o": "ordinal", "t": "text"},
        }
        options["kinds"] = {name: kind for name, kind in options["kinds"].items() if name in columns}
        if task.target is not None:
            options["target"] = "y" if task.target == "nominal" else "r"
        table = acumen.read(whole, **options)
        if learner.objection(table.schema) is None:
            return options
    raise AssertionError(learner)


def through_files(folder, learner, parts, options, seed=0):
    """The learner fitted by way of files, parts summarised and added in a random order."""
    write_plan(acumen.parts.plan(parts, learner, **options), folder / "plan.json")
    plan = read_plan(folder / "plan.json")
    names = list(range(len(parts)))
    random.Random(seed).shuffle(names)
    for i in names:
        write_sum(acumen.parts.summarise(parts[i], plan), folder / f"{i}.sum")
    write_sum(acumen.parts.merge([read_sum(folder / f"{i}.sum") for i in names]), folder / "all.sum")
    return read_sum(folder / "all.sum").fit()


def bytes_of(folder, learner):
    acumen.save(learner, folder / "m.acm", summary=True)
    return (folder / "m.acm").read_bytes()


@pytest.mark.parametrize(("kind", "given_settings"), CASES)
def test_every_learner_that_adds_is_the_same_by_way_of_files(kind, given_settings, tmp_path):
    learner = next(e for e in entries() if e.kind == kind).make(given_settings)
    head, rows = lines(300, seed=1)
    whole, parts = written(tmp_path, head, rows, CUTS)
    options = options_for(learner, whole)
    with blocks_of(64):
        made = through_files(tmp_path, learner, parts, options)
        one = clone(learner).fit(acumen.read(whole, **options))
        streamed = clone(learner).fit_stream(acumen.scan(whole, **options))
        assert bytes_of(tmp_path, made) == bytes_of(tmp_path, one) == bytes_of(tmp_path, streamed)


def test_a_version_space_is_the_same_by_way_of_files(tmp_path):
    head, rows = lines(300, seed=1, columns=("c", "late", "o"))
    rows = [f"{row},{'yes' if row.startswith('red') else 'no'}" for row in rows if not row.startswith(",")]
    whole, parts = written(tmp_path, f"{head},y", rows, (70, 71, 200))
    learner = acumen.VersionSpace(positive="yes")
    with blocks_of(64):
        made = through_files(tmp_path, learner, parts, {"target": "y"})
        one = clone(learner).fit(acumen.read(whole, target="y"))
        assert bytes_of(tmp_path, made) == bytes_of(tmp_path, one)


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), rows=st.integers(2, 120), block=st.integers(2, 40), seed=st.integers(0, 99))
def test_neither_cuts_nor_order_nor_blocks_change_a_byte(data, rows, block, seed, tmp_path):
    head, made = lines(rows, seed, ("x", "c", "late", "w", "y"))
    made[0] = "1.5,red,old,0.7,yes"  # something to learn from
    cuts = sorted(data.draw(st.lists(st.integers(1, rows - 1), max_size=6)))
    cuts = list(dict.fromkeys(cuts))  # a file without rows is none
    whole, parts = written(tmp_path, head, made, cuts)
    options = {"target": "y", "weight": "w", "kinds": {"x": "numeric", "c": "nominal", "y": "nominal"}}
    learner = acumen.NaiveBayes(var_floor=0.01)
    with blocks_of(block):
        plan = acumen.parts.plan(parts, learner, **options)
        sums = [acumen.parts.summarise(part, plan) for part in parts]
        random.Random(seed).shuffle(sums)
        found = acumen.parts.merge(sums).fit()
        one = clone(learner).fit(acumen.read(whole, **options))
        assert bytes_of(tmp_path, found) == bytes_of(tmp_path, one)


def test_a_sum_has_the_same_bytes_in_whatever_order_and_grouping_it_was_added(tmp_path):
    head, rows = lines(300, seed=3)
    _, parts = written(tmp_path, head, rows, CUTS[1:])
    with blocks_of(32):
        plan = acumen.parts.plan(parts, acumen.Fisher(), target="y", weight="w", ignore=["t", "r"])
        sums = [acumen.parts.summarise(part, plan) for part in parts]
        a, b, c, d, e = sums
        ways = [[a, b, c, d, e], [e, c, a, d, b], [b + d, a + e, c], [a + (b + (c + (d + e)))]]
        for i, way in enumerate(ways):
            write_sum(acumen.parts.merge(way), tmp_path / f"{i}.sum")
        assert len({(tmp_path / f"{i}.sum").read_bytes() for i in range(len(ways))}) == 1


def test_blocks_that_parts_hold_whole_travel_as_sums_and_only_the_ends_as_rows(tmp_path):
    head, rows = lines(1000, seed=4, columns=("x", "y"))
    rows = [row.replace(",perhaps", ",no") if not row.endswith(",") else row + "yes" for row in rows]
    _, parts = written(tmp_path, head, rows, (100, 900))
    with blocks_of(64):
        plan = acumen.parts.plan(parts, acumen.NaiveBayes(), target="y")
        first, middle, last = (acumen.parts.summarise(part, plan) for part in parts)
    assert [len(table) for _, table in first.ragged] == [36]
    assert [(start, len(table)) for start, table in middle.ragged] == [(100, 28), (896, 4)]
    assert [(run.block, run.level) for run, _ in middle.runs] == [(2, 1), (4, 2), (8, 2), (12, 1)]
    assert [(start, len(table)) for start, table in last.ragged] == [(900, 60)]
    assert [(run.block, run.level) for run, _ in last.runs] == [(15, 0)]  # the last, short block is whole


def test_parts_cut_between_blocks_hold_no_row(tmp_path):
    head, rows = lines(256, seed=4, columns=("x", "z"))
    _, parts = written(tmp_path, head, rows, (64, 192))
    with blocks_of(64):
        plan = acumen.parts.plan(parts, acumen.PrincipalComponents())
        assert all(not acumen.parts.summarise(part, plan).ragged for part in parts)


def test_a_single_part_needs_no_plan(tmp_path):
    head, rows = lines(200, seed=5)
    whole, _ = written(tmp_path, head, rows, ())
    options = {"target": "y", "ignore": ["t", "r", "w"]}
    made = acumen.parts.summarise(whole, acumen.NaiveBayes(), **options).fit()
    assert bytes_of(tmp_path, made) == bytes_of(
        tmp_path, acumen.NaiveBayes().fit(acumen.read(whole, **options))
    )


def test_what_is_solved_for_may_be_set_anew_and_what_rows_were_read_for_may_not(tmp_path):
    head, rows = lines(200, seed=5, columns=("x", "c", "y"))
    whole, parts = written(tmp_path, head, rows, (90,))
    plan = acumen.parts.plan(parts, acumen.NaiveBayes(), target="y")
    total = acumen.parts.merge([acumen.parts.summarise(part, plan) for part in parts])
    other = acumen.NaiveBayes(alpha=0.25, priors={"no": 0.25, "yes": 0.25, "perhaps": 0.5})
    assert bytes_of(tmp_path, total.fit(alpha=0.25, priors=other.priors)) == bytes_of(
        tmp_path, other.fit(acumen.read(whole, target="y"))
    )
    with pytest.raises(ParameterError, match="summarised with numeric='gaussian'"):
        total.fit(numeric="kernel")
    with pytest.raises(ParameterError, match="summarised with class_weight=None"):
        total.fit(class_weight="balanced")


# -- what does not add ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Three parts, their plan and their sums."""
    folder = tmp_path_factory.mktemp("parts")
    head, rows = lines(90, seed=6, columns=("x", "c", "y"))
    _, parts = written(folder, head, rows, (30, 60))
    plan = acumen.parts.plan(parts, acumen.NaiveBayes(), target="y")
    return folder, parts, plan, [acumen.parts.summarise(part, plan) for part in parts]


def test_a_part_twice_or_missing_is_a_sentence(made):
    _, _, _, (a, b, c) = made
    with pytest.raises(DataError, match=r"part0\.csv is given twice; its rows would count twice"):
        acumen.parts.merge([a, b, a])
    with pytest.raises(DataError, match=r"part1\.csv is in  and in .*part1\.csv; its rows would count twice"):
        acumen.parts.merge([a + b, b, c])
    with pytest.raises(DataError, match=r"2 of 3 parts; .*part2\.csv is missing\. Summarise and merge"):
        (a + b).fit()
    with pytest.raises(ParameterError, match="give at least one summary"):
        acumen.parts.merge([])


@pytest.mark.parametrize(
    ("learner", "options", "said"),
    [
        (acumen.Fisher(), {}, "one is of NaiveBayes, the other of Fisher"),
        (acumen.NaiveBayes(alpha=2), {}, "alpha is 1.0 for one and 2 for the other"),
        (acumen.NaiveBayes(), {"kinds": {"c": "text"}}, "attribute 'c' is nominal in one and text in the other"),
        (acumen.NaiveBayes(), {"levels": {"c": ["red", "green", "blue"]}}, "attribute 'c' has other levels"),
    ],
)  # fmt: skip
def test_sums_of_another_plan_do_not_add(made, learner, options, said):
    _, parts, _, (a, *_) = made
    other = acumen.parts.summarise(parts[1], acumen.parts.plan(parts, learner, target="y", **options))
    with pytest.raises(SchemaMismatch, match=said):
        acumen.parts.merge([a, other])


def test_sums_of_plans_of_other_parts_do_not_add(made, tmp_path):
    _folder, parts, _, (a, *_) = made
    fewer = acumen.parts.plan(parts[:2], acumen.NaiveBayes(), target="y")
    with pytest.raises(SchemaMismatch, match=r"plans of other parts|other levels"):
        acumen.parts.merge([a, acumen.parts.summarise(parts[1], fewer)])
    copies = [tmp_path / part.name for part in parts]
    for part, copy in zip(parts, copies, strict=True):
        copy.write_text(part.read_text())
    planned = acumen.parts.plan(copies, acumen.NaiveBayes(), target="y")
    copies[1].write_text(copies[1].read_text().replace("red", "blue"))
    with pytest.raises(
        DataError, match=r"part1\.csv is not the file that was planned: its rows have changed"
    ):
        acumen.parts.summarise(copies[1], planned)
    copies[2].write_text(copies[2].read_text() + "1,red,no\n")
    with pytest.raises(DataError, match=r"it had 30 rows and now has 31\. Plan the parts again"):
        acumen.parts.summarise(copies[2], planned)
    copies[0].write_text(copies[0].read_text().replace("red", "pink"))
    with pytest.raises(DataError, match="column 'c' holds a value that none of the files had"):
        acumen.parts.summarise(copies[0], planned)


def test_a_file_is_known_by_its_name_or_its_last_word(made, tmp_path):
    _, parts, plan, (a, *_) = made
    copy = tmp_path / "part0.csv"
    copy.write_text(parts[0].read_text())
    assert acumen.parts.summarise(copy, plan).parts == a.parts
    stranger = tmp_path / "part9.csv"
    stranger.write_text(parts[0].read_text())
    with pytest.raises(ParameterError, match=r"part9\.csv is no part of the plan; its parts are"):
        acumen.parts.summarise(stranger, plan)


@pytest.mark.parametrize(
    ("learner", "said"),
    [
        (acumen.DecisionTree(), "DecisionTree: its model is not made of sums over the rows"),
        (acumen.KNN(), "fit it on all rows on one machine, or take a learner whose summaries add"),
        (acumen.NaiveBayes(unlabelled="em"), "rows without a label are gone through again and again"),
    ],
)
def test_learners_that_do_not_add_object(made, learner, said):
    with pytest.raises(ParameterError, match=said):
        acumen.parts.plan(made[1], learner, target="y")


def test_no_row_that_counts_and_no_file_and_one_twice_are_sentences(made, tmp_path):
    _, parts, _, _ = made
    head, rows = lines(20, columns=("x", "c"))
    _, files = written(
        tmp_path, f"{head},y", [f"{row},{'' if i else 'no'}" for i, row in enumerate(rows)], ()
    )
    with pytest.raises(ParameterError, match="at least one part; got none"):
        acumen.parts.plan([], acumen.NaiveBayes(), target="y")
    with pytest.raises(ParameterError, match=r"part0\.csv is given twice"):
        acumen.parts.plan([parts[0], parts[0]], acumen.NaiveBayes(), target="y")
    with pytest.raises(ParameterError, match=r"part0\.csv is given twice"):
        acumen.parts.plan(
            [parts[0], parts[0].parent / ".." / parts[0].parent.name / parts[0].name],
            acumen.NaiveBayes(),
            target="y",
        )
    with pytest.raises(ParameterError, match="named by their paths; got a ndarray"):
        acumen.parts.plan([np.zeros((2, 2))], acumen.NaiveBayes())
    with pytest.raises(DataError, match="no part holds a row that counts"):
        acumen.parts.plan(files, acumen.Majority(class_weight={"no": 0.0}), target="y")
