"""The chapter as a whole: every worked example has a page, a function and a test, and every index leads somewhere."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import acumen
from acumen.data.table import Table
from chapter import data, indexes, judging, running, template
from chapter.data import Value
from examples.held import changes_hold
from handbook import reference

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs"
#: How many worked examples each text has; the number 19 of text 2 was never given.
SIZES = {"000": 52, "001": 41, "002": 26, "003": 7, "004": 12}


def test_every_worked_example_has_a_page_a_function_and_a_test_of_its_name() -> None:
    pages = data.pages()
    assert Counter(page.document for page in pages.values()) == SIZES and len(pages) == indexes.EXAMPLES
    assert set(running.functions()) == {page.function for page in pages.values()}
    tests = "".join(path.read_text(encoding="utf-8") for path in sorted(HERE.glob("test_document_*.py")))
    assert re.findall(r"def test_(W\d{3}_\d\d)\(", tests) == [page.function for page in pages.values()]


def test_marks_are_those_of_an_independent_recomputation() -> None:
    found = Counter(page.status for page in data.pages().values())
    assert found == {
        "confirmed": 41,
        "rounding chain": 8,
        "wrong": 19,
        "formula wrong": 16,
        "formula holds": 40,
        "underdetermined": 14,
    }


def test_links_of_pages_and_indexes_lead_to_files() -> None:
    made = indexes.indexes()
    pages = data.pages()
    texts = [*made.values(), *("\n".join(template._links(page)) for page in pages.values())]
    known = {*made, *(f"{id}.md" for id in pages), *(f"../api/{address}" for address in reference.pages())}
    known |= {f"img/{id}.svg" for id in pages}  # every page has its picture
    known |= {
        f"../guide/{path.stem}.md" for path in (DOCS / "guide").glob("*.toml")
    }  # made by tools/guide.py
    for target in {target for text in texts for target in re.findall(r"\]\(([^)#]+)", text)}:
        assert target in known or (target.startswith("../") and (DOCS / target[3:]).exists()), target


def test_methods_name_what_is_public_and_have_a_page() -> None:
    used = {page.method for page in data.pages().values()}
    assert used == set(data.methods())
    for method in data.methods().values():
        assert set(method.names) <= set(acumen.__all__), method


def test_the_afternoon_has_twelve_pages() -> None:
    path = [id for id, _ in data.path_of_twelve()]
    assert len(set(path)) == 12 and set(path) <= set(data.pages())


def test_coverage_counts_all_and_says_what_is_missing() -> None:
    page = indexes.indexes()["coverage.md"]
    assert "**138 of 138**" in page
    for each in data.pages().values():
        assert f"]({each.id}.md)" in page
        assert not each.missing or each.missing in page


def test_built_in_tables_are_shown_with_their_target() -> None:
    columns, rows = template.built_in("loan")
    assert columns[-1] == "Class" and len(rows) == 15 and rows[0][-1] == "No"
    assert isinstance(acumen.datasets.load("loan"), Table)


@pytest.mark.parametrize(
    ("printed", "exact", "same"),
    [("0.33", 1 / 3, True), ("0.67", 2 / 3, True), ("0.66", 2 / 3, False), ("4.951e-7", 4.914e-7, False),
     ("60 %", 0.6, True), ("1/3", 1 / 3, True), ("0.165", 0.165, True), ("2.97e-03", 2.97e-04, False)],
)  # fmt: skip
def test_a_printed_figure_agrees_when_the_exact_one_rounds_to_it(
    printed: str, exact: float, same: bool
) -> None:
    assert judging.agrees(printed, exact) is same


def test_marks_tell_rounding_from_being_wrong() -> None:
    numbers = {"x": 2 / 3, "chain": 0.6601, "bad": 0.7}
    marks = [
        judging.judge(Value("x", "", printed, "2/3", how), numbers, 1e-9).mark
        for printed, how in (
            ("0.667", ""),
            ("0.66", "chain"),
            ("0.66", ""),
            ("0.66", "±0.01"),
            ("=bad", ""),
            ("=x", ""),
        )
    ]
    assert marks == ["confirmed", "rounding chain", "wrong", "confirmed", "formula wrong", "formula holds"]
    assert not judging.judge(Value("bad", "", "", "2/3"), numbers, 1e-9).holds
    assert judging.judge(Value("bad", "", "", "0.6..0.8"), numbers, 1e-9).holds


@pytest.mark.parametrize("id", ["W001-01", "W001-07", "W001-08"])
def test_counts_that_pages_have_of_larger_tables_are_those_of_the_tables(id: str, shared_data: Path) -> None:
    if id == "W001-01":
        plants = acumen.read(shared_data / "soybean.arff", target="class").to_pandas().astype(str)
        named = {
            "date": "october",
            "plant-stand": "normal",
            "precip": "gt-norm",
            "class": "diaporthe-stem-canker",
        }
        columns = [np.where(plants[name] == level, "yes", "no") for name, level in named.items()]
    elif id == "W001-07":
        columns = [acumen.read(shared_data / "vote.arff", target="Class").label_values().astype(str)]
    else:
        scans = acumen.read(shared_data / "spect_train.arff", target=None).to_pandas().astype(str)
        columns = [scans.iloc[:, 17].to_numpy(), scans.iloc[:, -1].to_numpy()]
    found = Counter(zip(*(column.tolist() for column in columns), strict=True))
    assert found == {tuple(map(str, row[:-1])): row[-1] for row in data.pages()[id].table["rows"]}


@pytest.mark.parametrize("id", ["W000-13", "W002-01"])
def test_every_step_is_folded_and_one_of_them_has_a_blank(id: str) -> None:
    page = data.pages()[id]
    text = template.page_of(running.run(page))
    by_hand = text[text.index("## By hand") : text.index("## In acumen")]
    assert by_hand.count("<summary>Step ") == len(page.steps) and " open>" not in by_hand
    assert by_hand.count("Fill in the blank") == 1
    before_steps = by_hand[: by_hand.index("<details")]
    assert before_steps.strip() == "## By hand"


def test_every_page_has_one_blank_and_few_lines_of_code() -> None:
    for page in data.pages().values():
        assert sum("[[" in said for said, _ in page.steps) == 1, page.id
        assert len(page.code.strip().splitlines()) <= 6, page.id


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ("knn = acumen.KNN(5, scale=False).fit(rows.numeric.matrix(), rows.label_values())", "not computed"),
        ("knn, wide = 0.8, 5", "through acumen"),
        ("acumen; knn, wide = 0.8, 6", "wide"),
        ("acumen; knn, wide = 0.7, 5", "knn"),
    ],
)
def test_a_change_that_is_not_computed_or_differs_is_found(changed: str, complaint: str) -> None:
    page = replace(data.pages()["W001-31"], changed=changed)
    with pytest.raises(AssertionError, match=complaint):
        changes_hold(page, running.run(page))


def test_a_page_leads_to_the_learners_it_is_about() -> None:
    made = "\n".join(template._links(data.pages()["W000-05"]))
    assert "[FullBayes](../guide/full-bayes.md)" in made and "../api/bayes.md#acumen.FullBayes" in made
