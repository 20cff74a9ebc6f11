"""The declarations of an ARFF file."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.data.arff import header as arff_header
from acumen.data.arff.header import Header, locate, looks_like, parse, unescape
from acumen.data.out.write import quote_arff
from acumen.data.report import Report
from acumen.errors import DataError


def parsed(text: str) -> tuple[Header, Report]:
    report = Report()
    return parse(text, report), report


def only(text: str) -> tuple[str, str, tuple[str, ...]]:
    """The one attribute of a one-line header."""
    header, _ = parsed(text)
    (attribute,) = header.attributes
    return attribute.name, attribute.kind, attribute.levels


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("@attribute x numeric", "numeric"),
        ("@ATTRIBUTE x REAL", "numeric"),
        ("@Attribute\tx\tInteger", "numeric"),
        ("  @attribute   x   real  [0,100]  ", "numeric"),
        ("@attribute x integer [1,10] % a range", "numeric"),
        ("@attribute x STRING", "string"),
        ("@attribute x date", "date"),
        ('@attribute x DATE "yyyy-MM-dd"', "date"),
        ("@attribute x {a}", "nominal"),
        ("@attribute x{a}", "nominal"),
    ],
)
def test_every_type_is_known_in_any_case(line: str, kind: str) -> None:
    assert only(line)[:2] == ("x", kind)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("'a b'", "a b"),
        ('"a b"', "a b"),
        (r"'it\'s'", "it's"),
        (r'"say \"so\""', 'say "so"'),
        ('"it\'s"', "it's"),
        (r"'a\\b'", "a\\b"),
        (r"'tab\there'", "tab\there"),
        (r"'\u00e9t\u00e9'", "été"),
        ("größe", "größe"),
        ("'{x}'", "{x}"),
        ("'%'", "%"),
        ("don't", "don't"),
        ("50%", "50%"),
        ("''", ""),
    ],
)
def test_names_may_be_quoted_and_escaped(written: str, name: str) -> None:
    assert only(f"@attribute {written} numeric")[0] == name


@pytest.mark.parametrize(
    ("written", "levels"),
    [
        ("{a,b}", ("a", "b")),
        ("{ a , b }", ("a", "b")),
        ("{a\tb}", ("a", "b")),
        ("{'?', ?}", ("?",)),
        ("{'<0', '0<=X<200'}", ("<0", "0<=X<200")),
        ("""{a, 'b c', "d\\'e"}""", ("a", "b c", "d'e")),
        ("{a,\n  % why not\n  b\n}", ("a", "b")),
        ("{'a,b','{','}'}", ("a,b", "{", "}")),
        ("{'  yes', 'no  '}", ("  yes", "no  ")),
        ("{''}", ("",)),
        ("{}", ()),
        ("{1,2,3} {0.5}", ("1", "2", "3")),
    ],
)
def test_levels_may_be_quoted_and_go_over_lines(written: str, levels: tuple[str, ...]) -> None:
    assert only(f"@attribute x {written}") == ("x", "nominal", levels)


def test_a_header_keeps_order_lines_and_relation() -> None:
    header, report = parsed(
        "% top\r\n\r\n@relation 'the name'\r\n@attribute b real\r\n%\r\n@attribute a {x}\r\n"
    )
    assert header.relation == "the name"
    assert [(a.name, a.line) for a in header.attributes] == [("b", 4), ("a", 6)]
    assert not report.notes


def test_the_relation_may_be_absent_or_nameless() -> None:
    assert parsed("@attribute x real\n")[0].relation == ""
    assert parsed("@relation\n@attribute x real\n")[0].relation == ""
    assert parsed("@relation two words % why\n@attribute x real\n")[0].relation == "two words"


def test_lines_end_in_any_way() -> None:
    for end in ("\n", "\r\n", "\r"):
        header, _ = parsed(end.join(["@relation r", "% c", "@attribute x real", "@attribute y {a,b}"]))
        assert [(a.name, a.line) for a in header.attributes] == [("x", 3), ("y", 4)]


def test_repeated_names_are_renamed_and_noted() -> None:
    header, report = parsed("@attribute x real\n@attribute x_2 real\n@attribute x {a}\n@attribute x real")
    assert header.names == ("x", "x_2", "x_3", "x_4")
    assert [(note.column, note.lines) for note in report.about("duplicate-name")] == [
        ("x_3", (3,)),
        ("x_4", (4,)),
    ]


def test_a_repeated_level_is_taken_once_with_a_warning() -> None:
    header, report = parsed("@attribute x {b, a, b}")
    assert header.attributes[0].levels == ("b", "a")
    assert "declares the level 'b' twice" in report


def test_an_attribute_weight_is_noted() -> None:
    assert "has the weight 0.5, which is not used" in parsed("@attribute x numeric {0.5}")[1]


def test_date_patterns_are_kept() -> None:
    patterns = {
        "date": "yyyy-MM-dd'T'HH:mm:ss",
        "date yyyy-MM": "yyyy-MM",
        'date "dd/MM/yyyy HH:mm"': "dd/MM/yyyy HH:mm",
        "date dd/MM/yyyy HH:mm % noted": "dd/MM/yyyy HH:mm",
    }
    for written, pattern in patterns.items():
        assert parsed(f"@attribute x {written}\n")[0].attributes[0].pattern == pattern


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("@relation r\n", "declares no attributes"),
        ("@relation r\n\nsome,row\n", "line 3: expected @relation, @attribute or @data, got 'some,row'"),
        ("@attribut x real", "got '@attribut'. Did you mean 'attribute'"),
        ("@attribute", "@attribute needs a name and a type"),
        ("@attribute x\n", "'x' has no type"),
        ("@attribute a b real", "has the type 'b'"),
        ("@attribute x nummeric", "Did you mean 'numeric'"),
        ("%\n@attribute 'x real", "line 2: the quote ' that opens here is not closed"),
        (
            "@attribute x {a, b\n@attribute y {c}",
            "line 1: the levels of attribute 'x', opened by '{', are not closed",
        ),
        ("@attribute x {a, b", "are not closed by '}'"),
        ("@attribute x {a, 'b}", "quote"),
        ("@attribute x real maybe", "after the type of attribute 'x' comes 'maybe'"),
        ("@attribute bag relational\n@attribute x real\n@end bag", "is relational"),
        ('@attribute x date "yyyy" more', "after a date pattern comes 'more'"),
    ],
)
def test_a_bad_header_is_refused_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(DataError) as caught:
        parsed(text)
    assert sentence in str(caught.value)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_what_the_writer_quotes_the_header_reads(value: str) -> None:
    assert only(f"@attribute {quote_arff(value)} {{{quote_arff(value)}}}") == (value, "nominal", (value,))


@given(st.text(max_size=60))
def test_any_text_parses_or_is_refused_in_a_sentence(text: str) -> None:
    try:
        header, _ = parsed("@attribute " + text)
    except DataError as error:
        assert str(error).startswith("ARFF line ")
    else:
        assert header.attributes


PIECES = st.sampled_from(
    ["@attribute", "@ATTRIBUTE ", "@relation", " ", "\t", "\n", "\n\n", "\r\n", "a", "b c", "{a,b}", "{ a\tb , }",
     "{a,a}", "{}", "{a\xa0b}", "{a\x1cb}", "numeric", "Real", "INTEGER", "string", "date", "[0,1]", "%c", "'q'", '"',
     "{", "}", ",", "\f", "é", "relational", "{1.5}"]
)  # fmt: skip
LINES = st.sampled_from(
    [
        "@attribute x numeric\n",
        "  @attribute y {p,q,  r}  \n",
        "@attribute z STRING\n",
        "@Attribute x real\n",
        "% c\n",
    ]
)


@given(st.lists(PIECES | LINES, max_size=25).map("".join))
def test_lines_of_the_common_kind_mean_what_the_grammar_says(text: str) -> None:
    def read() -> object:
        report = Report()
        try:
            return parse(text, report), report.notes
        except DataError as error:
            return str(error)

    quick = read()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(arff_header, "_COMMON", re.compile(r"(?!)"))
        assert quick == read()


def test_a_hundred_thousand_attributes_share_their_levels() -> None:
    text = "@relation wide\n" + "".join(f"@attribute a{i} {{x,y}}\n" for i in range(100_000))
    made = parse(text, Report()).attributes
    assert len(made) == 100_000 and made[-1].line == 100_001
    assert all(each.levels is made[0].levels for each in made)


def test_escapes_mean_what_they_mean_in_weka() -> None:
    assert unescape(r"\'\"\\\n\t\r\%\u0041\x") == "'\"\\\n\t\r%Ax"
    assert unescape(r"\u00e9\ud83d\ude00\ud83d!\u12\u0000") == "é😀\ufffd!u12u0000"


@pytest.mark.parametrize(
    ("head", "whole", "place"),
    [
        (b"@attribute x real\n@data\n1\n", False, (17, 24)),
        (b"@attribute x real\r\n@DATA \r\n1\n", False, (18, 27)),
        (b"@attribute x real\r\t@Data % rows\r1\r", False, (17, 32)),
        (b"@data\n", False, (0, 6)),
        (b"@attribute x real\n@data\r\n", False, (17, 25)),
        (b"@attribute x real\n@data\r", False, None),  # the \n of a \r\n may be still to come
        (b"@attribute x real\n@data", False, None),
        (b"@attribute x real\n@data", True, (17, 23)),
        (b"% @data\n@attribute x real\n", True, None),
        (b"@database\n", True, None),
    ],
)
def test_the_rows_begin_behind_the_whole_data_line(
    head: bytes, whole: bool, place: tuple[int, int] | None
) -> None:
    assert locate(head, whole) == place


def test_arff_is_told_by_its_first_declaration() -> None:
    assert looks_like("% text\n\n  @RELATION x")
    assert looks_like("\ufeff@attribute x real")
    assert not looks_like("a,b,c\n@relation,1,2")
    assert not looks_like("@relative,b\n")
    assert not looks_like("@attribute\n1\n2\n")
    assert not looks_like("")
