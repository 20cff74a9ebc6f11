"""Version spaces: the numbers of document 001, states and questions."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest

import acumen
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.rules.version_space import LANGUAGES

TOY = (("YYN", "C1"), ("NNN", "C1"), ("YYY", "C1"), ("YNY", "C2"))
NAMES = ("F1", "F2", "F3")


def table(rows, levels=("Y", "N"), classes=("C1", "C2")):
    """Rows such as ("YYN", "C1"); "." is missing."""
    attributes = tuple(Attribute(name, "nominal", levels) for name in NAMES[: len(rows[0][0])])
    codes = np.array([[-1 if c == "." else levels.index(c) for c in row] for row, _ in rows], dtype=np.int32)
    labels = np.array([classes.index(label) for _, label in rows], dtype=np.int32)
    schema = Schema(attributes, Attribute("Class", "nominal", classes))
    return Table(schema, len(rows), nominal=list(codes.T.copy()), labels=labels)


def said(hypotheses):
    return [str(each) for each in hypotheses]


def test_w001_01_performance_on_soybean_is_the_share_of_its_class_among_rows_covered(shared_data):
    rows = acumen.read(shared_data / "soybean.arff", target="class")
    space = acumen.VersionSpace(positive="diaporthe-stem-canker").fit(rows)
    first = space.performance({"date": "october"}, rows)
    second = space.performance("plant-stand = normal", rows)
    third = space.performance({"plant-stand": "normal", "precip": "gt-norm"}, rows)
    assert [(p.positive, p.covered) for p in (first, second, third)] == [(5, 90), (20, 354), (20, 251)]


def test_w001_02_the_space_shrinks_with_each_row_and_is_empty_after_the_fourth():
    rows, space, seen = table(TOY), acumen.VersionSpace(), []
    for at in range(4):
        space.partial_fit(rows.take(slice(at, at + 1)))
        seen.append((space.size_, said(space.hypotheses_), said(space.specific_), said(space.general_)))
    sizes = [size for size, *_ in seen]
    assert sizes == [8, 2, 1, 0]
    assert seen[0][2:] == (["(Y, Y, N)"], ["(?, ?, ?)"])
    assert seen[1][1:] == (["(?, ?, N)", "(?, ?, ?)"], ["(?, ?, N)"], ["(?, ?, ?)"])
    assert seen[2][1:] == (["(?, ?, ?)"],) * 3
    assert seen[3][1:] == ([], [], [])
    assert str(space.find_s_) == "(?, ?, ?)"


def test_w001_03_four_conjunctions_are_right_about_three_rows_of_four_and_none_about_all():
    space = acumen.VersionSpace().fit(table(TOY))
    assert space.performance(("?", "?", "N")).share == 3 / 4
    right = {"".join(h): space.performance(h).share for h in product("YN?", repeat=3)}
    assert max(right.values()) == 3 / 4
    assert sorted(h for h, share in right.items() if share == 3 / 4) == sorted(["YY?", "?Y?", "??N", "???"])


def test_w001_04_every_extension_of_the_language_is_right_about_all_rows():
    rows = table(TOY)
    equal = acumen.VersionSpace(language="attribute-equality").fit(rows)
    assert said(equal.hypotheses_) == ["F1 = F2"]
    toy = [~hypothesis("YN?", rows), hypothesis("YY?", rows) | hypothesis("NN?", rows), *equal.hypotheses_]
    assert [(str(h), equal.performance(h).share) for h in toy] == [
        ("not (Y, N, ?)", 1.0),
        ("(Y, Y, ?) or (N, N, ?)", 1.0),
        ("F1 = F2", 1.0),
    ]
    other = table([*TOY[:2], ("YYO", "C1"), TOY[3]], levels=("Y", "N", "O"))
    several = acumen.VersionSpace(language="internal-disjunction").fit(other)
    either = ("{Y, N}", "?")
    assert said(several.hypotheses_) == [f"({one}, {two}, {{N, O}})" for one in either for two in either]
    assert several.performance(("?", "?", {"N", "O"})).share == 1.0
    assert acumen.VersionSpace(language="conjunction").fit(other).size_ == 0


def hypothesis(cells, rows):
    from acumen.rules.hypothesis import hypothesis_of

    return hypothesis_of(tuple(cells), rows.schema)


def test_w001_05_both_conjunctions_left_after_two_rows_cover_nyn():
    space = acumen.VersionSpace().fit(table(TOY[:2]))
    found = space.vote(list("NYN")), space.vote({"F1": "N", "F2": "Y", "F3": "N"})
    assert [(vote.covering.low, vote.of.low, vote.share) for vote in found] == [(2, 2, 1.0)] * 2


@pytest.mark.parametrize(
    ("language", "size", "covering"), [("single-test-dnf", 13, 9), ("dnf", 24, 14), ("cnf", 64, 32)]
)
def test_w001_06_disjunctive_spaces_after_two_rows(language, size, covering):
    space = acumen.VersionSpace(language=language).fit(table(TOY[:2]))
    found = space.vote(list("NYN"))
    assert (space.size_, found.covering.low, found.share) == (size, covering, covering / size)
    listed = list(space.hypotheses_)
    row = table([("NYN", "C1")])
    assert (len(listed), sum(bool(h.covers(row)[0]) for h in listed)) == (size, covering)
    if language == "single-test-dnf":
        kept = {str(h) for h in listed if not h.covers(row)[0]}
        assert kept == {
            "(Y, Y, N) or (N, N, N)",
            "(Y, ?, ?) or (N, N, N)",
            "(Y, Y, N) or (?, N, ?)",
            "(Y, ?, ?) or (?, N, ?)",
        }


def test_the_next_question_is_the_documents():
    seen = table([("YYY", "C1"), ("YNN", "C1")])
    every = [list(row) for row in product("YN", repeat=3)]
    for fitted, pool in (
        (acumen.VersionSpace().fit(seen), None),
        (acumen.VersionSpace().fit([list("YYY"), list("YNN")], ["C1", "C1"]), None),
        (acumen.VersionSpace().fit([list("YYY"), list("YNN")], ["C1", "C1"]), every),
    ):
        asked = fitted.next_question(pool)
        assert asked.values == ("N", "Y", "Y") and asked.vote.share == 0.5
    assert asked.place == every.index(["N", "Y", "Y"])
    asked = fitted.partial_fit([["N", "Y", "Y"]], ["C1"])
    assert fitted.size_ == 1 and fitted.next_question(every) is None


def test_an_empty_space_is_a_state_that_tells_which_rows_contradict_which():
    space = acumen.VersionSpace().fit(table(TOY))
    (found,) = space.contradictions_
    assert (found.positives, found.negative) == ((1, 2), 3)
    assert space.predict_proba(table(TOY))[0].tolist() == pytest.approx([0.75, 0.25])
    assert "empty" in str(space) and "rows 1 and 2" in str(space)
    assert (
        "rows 1 and 2" in space.explain(list("NYN")).note
        and str(space.vote(list("NYN"))) == "the space is empty"
    )
    assert space.next_question() is None
    alone = acumen.VersionSpace(language="cnf").fit(table([("YYN", "C1"), ("YYN", "C2")]))
    assert alone.size_ == 0 and alone.contradictions_[0].positives == (0,)


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_class_alone_will_do(language):
    positives = acumen.VersionSpace(language=language).fit([["Y", "Y"], ["Y", "N"]], ["C1", "C1"])
    assert positives.size_ >= 1 and positives.classes_.tolist() == ["C1"]
    rows = table([("YNY", "C2")])
    space = acumen.VersionSpace(language=language, positive="C1").fit(rows)
    assert said(space.specific_) == ["nothing"] and space.predict(rows).tolist() == ["C2"]
    assert len(list(space.hypotheses_)) == space.size_
    covering = sum(bool(h.covers(table([("NYN", "C1")]))[0]) for h in space.hypotheses_)
    assert space.vote(list("NYN")).covering.low == covering


def test_of_several_classes_one_is_positive_and_the_rest_share_by_frequency():
    rows = table([("YYN", "a"), ("NNN", "b"), ("NNY", "c"), ("NYY", "c")], classes=("a", "b", "c"))
    space = acumen.VersionSpace().fit(rows)
    assert space.positive_ == "a" and "against the 2 other classes" in str(space)
    share = space.vote(list("NYN")).share
    assert 0 < share < 1
    assert space.predict_proba(table([("NYN", "a")], classes=("a", "b", "c")))[0].tolist() == pytest.approx(
        [share, (1 - share) / 3, (1 - share) * 2 / 3]
    )
    with pytest.raises(ParameterError, match="positive must be one of the classes a, b, c"):
        acumen.VersionSpace(positive="d").fit(rows)


def test_a_missing_value_passes_only_the_question_mark():
    space = acumen.VersionSpace().fit(table([("YYN", "C1"), ("Y.N", "C1"), ("NYN", "C2")]))
    assert said(space.specific_) == ["(Y, ?, N)"] and said(space.general_) == ["(Y, ?, ?)"]
    assert space.vote([None, "Y", "N"]).share == 0.0 and space.vote(["Y", None, None]).share == 0.5


def test_numbers_are_tested_by_the_shortest_interval_of_the_positives():
    X = np.array([[1.0, 5.0], [3.0, 6.0], [2.0, 9.0], [7.0, 5.5]])
    space = acumen.VersionSpace().fit(X, ["a", "a", "b", "b"])
    assert said(space.specific_) == ["([1, 3], [5, 6])"] and space.size_ == 1
    assert space.predict([[2.5, 5.5], [2.5, 7.0]]).tolist() == ["a", "b"]
    fewer = acumen.VersionSpace().fit(X[:3], ["a", "a", "b"])
    assert said(fewer.hypotheses_) == ["([1, 3], [5, 6])", "(?, [5, 6])"]


def test_a_saved_space_is_the_same_and_goes_on(tmp_path):
    rows = table(TOY)
    space = acumen.VersionSpace(language="single-test-dnf").fit(rows.take(slice(0, 2)))
    acumen.save(space, tmp_path / "space.acumen", summary=True)
    back = acumen.load(tmp_path / "space.acumen")
    assert back.size_ == 13 and said(back.hypotheses_) == said(space.hypotheses_)
    both = [each.partial_fit(rows.take(slice(2, 4))) for each in (space, back)]
    assert both[0].size_ == both[1].size_ == 6
    assert back.describe(full=True) == space.describe(full=True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_rows_one_by_one_may_bring_classes_that_nobody_declared(language):
    rows = [list("YYN"), list("YYN"), list("NNN"), list("NNY"), list("YYY"), list("NNY")]
    labels = ["C1", "C1", "C1", "C2", "C3", "C1"]
    space = acumen.VersionSpace(language=language)
    for at, (row, label) in enumerate(zip(rows, labels, strict=True), 1):
        space.partial_fit([row], [label])
        whole = acumen.VersionSpace(language=language).fit(rows[:at], labels[:at])
        assert space.size_ == whole.size_
        alternatives = [
            {part for h in said(each.specific_) for part in h.split(" or ")} for each in (space, whole)
        ]
        assert alternatives[0] == alternatives[1]
        assert space.positive_ == "C1" and sorted(space.classes_) == sorted(whole.classes_)
        assert space.contradictions_ == whole.contradictions_
    assert space.size_ == 0 and space.contradictions_[0].negative == 3


def test_languages_are_compared_by_size_and_ambiguity():
    found = acumen.VersionSpace().fit(table(TOY[:2])).languages()
    assert {row.language: row.size.low for row in found.rows} == {
        "conjunction": 2,
        "internal-disjunction": 2,
        "attribute-equality": 2,
        "dnf": 24,
        "single-test-dnf": 13,
        "cnf": 64,
    }
    assert (found["cnf"].divided, found["cnf"].ambiguity) == (6, pytest.approx(6 * 0.5 / 8))
    assert found["conjunction"].ambiguity < found["cnf"].ambiguity
    assert "cnf" in str(found) and json.dumps(found.to_dict())
    whole = acumen.VersionSpace().fit(table(TOY)).languages()
    assert whole["conjunction"].size == (0, 0) and whole["dnf"].size == (16, 16)


def test_what_cannot_be_told_is_said_in_a_sentence():
    numbers = acumen.VersionSpace().fit([[1.0], [2.0]], ["a", "a"])
    with pytest.raises(DataError, match=r"next_question: pass a pool of rows"):
        numbers.next_question()
    with pytest.raises(ParameterError, match="at most 4 are drawn"):
        acumen.VersionSpace().fit(table(TOY[:1])).to_figure(most=4)
    with pytest.raises(ParameterError, match="one cell for each of 3 attributes; got 2"):
        acumen.VersionSpace().fit(table(TOY[:1])).performance(("?", "N"))
    text = acumen.VersionSpace().objection(Schema((Attribute("words", "text"),)))
    assert text is not None and "words" in text


def test_the_lattice_has_a_line_where_nothing_lies_between():
    figure = acumen.VersionSpace().fit(table(TOY[:1])).to_figure()
    assert len(figure.nodes) == 8 and sum(len(node.above) for node in figure.nodes) == 12  # a cube
    assert [node.name for node in figure.nodes if node.specific] == ["(Y, Y, N)"]
    assert [node.name for node in figure.nodes if node.general] == ["(?, ?, ?)"]
    assert "(Y, Y, N)" in figure._repr_svg_() and "8 hypotheses" in figure._repr_html_()
    assert "The space is empty" in acumen.VersionSpace().fit(table(TOY)).to_svg()


def test_a_table_that_empties_the_space_leaves_it_out_of_those_suited():
    loan, iris = acumen.datasets.load("loan"), acumen.datasets.load("iris")
    assert "version-space" in acumen.suitable_learners(loan)
    backwards = acumen.suitable_learners(iris.take(np.arange(len(iris))[::-1]))
    assert "no hypothesis of its language agrees" in backwards.left_out["version-space"]
    assert "version-space" not in acumen.suitable_learners(loan, suite="usual")
