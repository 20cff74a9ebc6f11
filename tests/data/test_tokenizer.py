"""The tokenizer against its slow twin, and the law that the cut of the chunks does not matter."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acumen import _native
from reference.records import Broken, records

#: Texts made of little but the characters that mean something.
LOADED = st.text(st.sampled_from(list('",\n\r \t;a1.é')), max_size=60)
FAULTS = {"unclosed": _native.FAULT_UNCLOSED_QUOTE, "after": _native.FAULT_AFTER_QUOTE}


def dialect(**options: object) -> _native.TextDialect:
    return _native.TextDialect(**{"missing": ["", "NA"], **options})  # type: ignore[arg-type]


@given(LOADED, st.sampled_from(",;\t"))
@example('a,"b\r\nc"\r\n"d', ",")
@example('"a"b', ",")
@example('"a" \r', ",")
def test_records_are_those_of_the_slow_twin(text: str, delimiter: str) -> None:
    found, fault = _native.sample_records(
        text.encode(), dialect(delimiter=delimiter), last=True, limit=1000, cells=True
    )
    try:
        expected = records(text, delimiter)
    except Broken as broken:
        assert fault == FAULTS[broken.what]
        return
    assert fault == 0
    assert [(record.line, [*record.cells]) for record in found] == expected


@given(LOADED)
def test_a_fault_is_on_the_line_the_slow_twin_names(text: str) -> None:
    table = _native.TextTable(dialect(), [_native.MODE_STRING] * 2)
    table.feed(text.encode(), last=True)
    try:
        records(text)
    except Broken as broken:
        assert (table.fault, table.fault_line) == (FAULTS[broken.what], broken.line)
    else:
        assert table.fault == 0


def outcome(table: _native.TextTable) -> object:
    """Everything a table tells, in comparable form."""
    columns = []
    for c in range(table.columns):
        form, stats = table.form(c), table.stats(c)
        seen = (stats.missing, stats.quoted_missing, stats.turn, stats.first_other, stats.with_blank)
        if form == _native.FORM_STRING:
            columns.append((form, table.codes(c).tolist(), table.levels(c), seen))
        elif form == _native.FORM_MIXED:
            columns.append((form, seen))
        else:
            columns.append((form, table.values(c).tobytes() if table.rows else b"", seen))
    return (
        table.rows, table.fault, table.fault_line, table.ragged, table.blank_lines, table.comment_lines,
        table.first_cells, columns,
    )  # fmt: skip


def fed(text: bytes, cuts: list[int], **options: object) -> object:
    table = _native.TextTable(dialect(loose_comment=True), [_native.MODE_AUTO] * 3, **options)  # type: ignore[arg-type]
    places = sorted({min(cut, len(text)) for cut in cuts})
    for start, stop in zip([0, *places], [*places, len(text)], strict=True):
        table.feed(text[start:stop])
    table.feed(b"", last=True)
    return outcome(table)


@given(
    st.one_of(
        LOADED.map(str.encode),
        st.lists(
            st.lists(st.sampled_from(["1", "2.5", "x", '"q""q"', '"\r\n"', "NA", '"NA"', "2020-01-01", "#", "é"]),
                     min_size=1, max_size=4),
            max_size=12,
        ).map(lambda rows: "\r\n".join(map(",".join, rows)).encode()),
        st.binary(max_size=40),
    ),
    st.lists(st.integers(0, 120), max_size=8),
    st.sampled_from(["hold", "data", "skip"]),
)  # fmt: skip
def test_where_the_text_is_cut_does_not_matter(text: bytes, cuts: list[int], first: str) -> None:
    assert fed(text, cuts, first=first) == fed(text, [], first=first)


@given(
    st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=2,
                      max_size=2), min_size=1),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]),
    st.sampled_from(["\r\n", "\n", "\r"]),
    st.sampled_from(",;\t|"),
)  # fmt: skip
def test_what_the_csv_module_writes_reads_back(
    rows: list[list[str]], quoting: int, ending: str, delimiter: str
) -> None:
    if quoting == csv.QUOTE_MINIMAL:
        ending = "\r\n"  # the module leaves a line break bare that is not its own
    file = io.StringIO()
    csv.writer(file, quoting=quoting, lineterminator=ending, delimiter=delimiter).writerows(rows)
    found, fault = _native.sample_records(
        file.getvalue().encode(), dialect(delimiter=delimiter), last=True, limit=1000, cells=True
    )
    assert fault == 0
    read = [[text for text, _ in record.cells] for record in found]
    if quoting == csv.QUOTE_MINIMAL:  # blanks around a field it left bare are not part of it
        special = f'\r\n"{delimiter}'
        rows = [
            [cell if any(c in cell for c in special) else cell.strip(" \t") for cell in row] for row in rows
        ]
    assert read == rows


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_change_nothing(threads: int) -> None:
    text = "".join(f"{i},{i / 7!r},v{i % 97}\n" for i in range(30_000)).encode()
    table = _native.TextTable(dialect(), [_native.MODE_AUTO] * 3, threads=threads)
    table.feed(text, last=True)
    assert table.values(0).tolist() == list(range(30_000))
    assert table.values(1).tolist() == [i / 7 for i in range(30_000)]
    assert [table.levels(2)[c] for c in table.codes(2)] == [f"v{i % 97}" for i in range(30_000)]


def test_a_quote_inside_a_bare_field_is_a_character() -> None:
    found, fault = _native.sample_records(b'5" disk,a"b"\n', dialect(), last=True, limit=9, cells=True)
    assert fault == 0 and found[0].cells == [('5" disk', False), ('a"b"', False)]


def test_a_field_of_many_chunks_is_scanned_in_linear_time_and_whole() -> None:
    cell = b"x" * 3_000_000 + b"\n" + b"y" * 1000
    table = _native.TextTable(dialect(), [_native.MODE_AUTO] * 2)
    text = b'1,"' + cell + b'"\n2,z\n'
    for start in range(0, len(text), 1000):
        table.feed(text[start : start + 1000])
    table.feed(b"", last=True)
    assert table.rows == 2 and table.levels(1)[0].encode() == cell


@pytest.mark.parametrize(
    ("text", "line"), [(b"a,b\n1,\0\n", 2), (b'a,"x\ny\0"\n', 2), (b"a\rb\r\n\0", 3), (b"\0", 1)]
)
def test_a_nul_byte_is_a_fault_on_its_line(text: bytes, line: int) -> None:
    table = _native.TextTable(dialect(), [_native.MODE_AUTO] * 2)
    table.feed(text, last=True)
    assert (table.fault, table.fault_line) == (_native.FAULT_NUL, line)


@given(st.binary(max_size=30))
def test_utf8_is_what_python_says_it_is(data: bytes) -> None:
    data = data.replace(b"\0", b"x").replace(b'"', b"x")
    table = _native.TextTable(dialect(), [_native.MODE_STRING])
    table.feed(b'"' + data + b'"\n', last=True)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        assert table.fault == _native.FAULT_ENCODING
    else:
        assert table.fault == 0
