"""Sheets of workbooks: read as delimited text is, with the numbers and dates the sheet itself knows."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen import Dialect
from acumen.data.delimited import sheets
from acumen.errors import DataError, MissingExtra, ParameterError
from doors import plain, same_in_parts
from workbooks import workbook


def ods(path: Path, body: str) -> Path:
    """An .ods file of one sheet with these rows."""
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "table", "text")
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(
            "META-INF/manifest.xml",
            '<?xml version="1.0"?><manifest:manifest '
            'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
        )
        archive.writestr(
            "content.xml",
            f'<?xml version="1.0"?><office:document-content {spaces}><office:body><office:spreadsheet>'
            f'<table:table table:name="one">{body}</table:table></office:spreadsheet></office:body>'
            "</office:document-content>",
        )
    return path


ROWS = [
    ["when", "price", "n", "ok", "city"],
    [("date", 45291), "63,10 &#8364;", 1.5, True, "Bern"],
    [("date", 45292), "1.234,50 &#8364;", 2, False, "NULL"],
    [("date", 45293), "5,00 &#8364;", None, True, "Basel"],
]


def test_without_the_extra_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    with pytest.raises(MissingExtra, match=r"acumen-learn\[excel\].*as CSV"):
        acumen.read(workbook(tmp_path / "a.xlsx", {"one": ROWS}))


class TestReading:
    @pytest.fixture(autouse=True)
    def needs_the_extra(self) -> None:
        pytest.importorskip("python_calamine")

    def test_a_sheet_is_read_as_text_is(self, tmp_path: Path) -> None:
        table = same_in_parts(workbook(tmp_path / "a.xlsx", {"one": ROWS, "empty": []}))
        assert [a.kind for a in table.schema] == ["numeric", "numeric", "numeric", "nominal", "nominal"]
        assert table.schema["when"].form == "date" and table.column("when").tolist() == [
            19722.0,
            19723.0,
            19724.0,
        ]
        assert table.column("price").tolist() == [63.1, 1234.5, 5.0]
        assert plain(table.column("n")) == [1.5, 2.0, None] and table.column("city").tolist() == [
            "Bern",
            None,
            "Basel",
        ]
        assert "the sheet 'one' was read" in table.report

    def test_an_ods_sheet_is_read(self, tmp_path: Path) -> None:
        def cell(value: Any) -> str:
            if isinstance(value, str):
                return f'<table:table-cell office:value-type="string"><text:p>{value}</text:p></table:table-cell>'
            return f'<table:table-cell office:value-type="float" office:value="{value}"/>'

        rows = [["a", "b"], [1.5, "12 kg"], [2, "13 kg"]]
        body = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
        # As programs write them: all below and to the right as one repeated empty row.
        body += (
            '<table:table-row table:number-rows-repeated="1048573"><table:table-cell '
            'table:number-columns-repeated="16384"/></table:table-row>'
        )
        table = same_in_parts(ods(tmp_path / "a.ods", body))
        assert table.column("a").tolist() == [1.5, 2.0] and table.column("b").tolist() == [12.0, 13.0]

    def test_two_cells_in_opposite_corners_are_too_many_to_lay_out(self, tmp_path: Path) -> None:
        path = workbook(tmp_path / "a.xlsx", {"one": []})
        rows = '<row><c r="A1"><v>1</v></c></row><row><c r="XFD1048576"><v>1</v></c></row>'
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr(
                "xl/worksheets/sheet2.xml", f"<worksheet><sheetData>{rows}</sheetData></worksheet>"
            )
        with pytest.raises(DataError, match=r"a\.xlsx has a sheet with more than 10,000,000 cells .* as CSV"):
            acumen.read(path)

    def test_cells_beyond_the_limit_are_refused_wherever_they_are_counted(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sheets, "CHUNK", 64)
        path = workbook(tmp_path / "a.xlsx", {"one": [["a", "b"]] + [[i, "x"] for i in range(19)]})
        monkeypatch.setattr(sheets, "MOST_CELLS", 40)
        assert len(acumen.read(path)) == 19
        monkeypatch.setattr(sheets, "MOST_CELLS", 39)
        with pytest.raises(DataError, match="more than 39 cells"):
            acumen.read(path)

    @pytest.mark.parametrize(("rows", "columns"), [(1_000_000, 1_000), (1_048_576, 16_384)])
    def test_a_cell_that_is_repeated_counts_as_often(self, tmp_path: Path, rows: int, columns: int) -> None:
        body = (
            f'<table:table-row table:number-rows-repeated="{rows}"><table:table-cell office:value-type="float" '
            f'office:value="1" table:number-columns-repeated="{columns}"/></table:table-row>'
        )
        with pytest.raises(DataError, match="more than 10,000,000 cells"):
            acumen.read(ods(tmp_path / "a.ods", body))

    def test_cells_are_given_back_as_the_sheet_has_them(self, tmp_path: Path) -> None:
        rows = [["n", "d", "t"], [20, ("date", 45291), "1,234.50"], [7.5, ("date", 45293), "x"]]
        parts = acumen.scan(workbook(tmp_path / "t.xlsx", {"s": rows}), rows=1)
        assert [list(row) for row in parts.source_cells()] == [
            ["20", "2023-12-31", "1,234.50"],
            ["7.5", "2024-01-02", "x"],
        ]

    def test_titles_and_empty_rows_above_keep_the_rows_numbers(self, tmp_path: Path) -> None:
        path = workbook(tmp_path / "a.xlsx", {"one": [[None], ["Report", None, None], [None], *ROWS]})
        table = same_in_parts(path)
        assert table.schema.names == ("when", "price", "n", "ok", "city")
        assert table.report.about("header")[0].lines == (4,)

    def test_of_several_sheets_one_is_named(self, tmp_path: Path) -> None:
        path = workbook(tmp_path / "a.xlsx", {"one": ROWS, "two": [["a", "b"], [1, 2]]})
        with pytest.raises(DataError, match=r"several sheets.*'one', 'two'.*sheet="):
            acumen.read(path)
        assert acumen.read(path, dialect=Dialect(sheet="two")).schema.names == ("a", "b")
        with pytest.raises(DataError, match=r"no sheet 'tow'.*'two'"):
            acumen.read(path, dialect=Dialect(sheet="tow"))

    def test_an_open_file_and_another_name_are_read_when_told(self, tmp_path: Path) -> None:
        path = workbook(tmp_path / "a.xlsx", {"one": ROWS})
        data = io.BytesIO(path.read_bytes())
        assert len(acumen.read(data, dialect=Dialect(format="excel"))) == 3
        with pytest.raises(DataError, match=r"format=.excel"):
            acumen.read(io.BytesIO(path.read_bytes()))

    def test_what_is_no_workbook_is_refused(self, tmp_path: Path) -> None:
        whole = workbook(tmp_path / "a.xlsx", {"one": ROWS}).read_bytes()
        for i, content in enumerate(
            (b"", b"a,b\n1,2\n", whole[:500], whole[:-30], whole.replace(b"sheetData", b"sheetDatx"))
        ):
            path = tmp_path / f"bad{i}.xlsx"
            path.write_bytes(content)
            with pytest.raises(DataError):
                acumen.read(path)

    def test_options_of_text_are_refused(self, tmp_path: Path) -> None:
        path = workbook(tmp_path / "a.xlsx", {"one": ROWS})
        with pytest.raises(ParameterError, match="a sheet has no delimiter"):
            acumen.read(path, dialect=Dialect(delimiter=";"))
        with pytest.raises(DataError, match="max_bytes"):
            acumen.read(path, max_bytes=100)


def test_only_workbooks_have_sheets() -> None:
    with pytest.raises(ParameterError, match="only workbooks have sheets"):
        acumen.read(io.StringIO("a,b\n1,2\n"), dialect=Dialect(sheet="one"))
