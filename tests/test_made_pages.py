"""What tools make of benchmarks/ and of examples/: nothing is left out, and pictures lead to their code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import acumen
import gallery
import measured
from chapter import data, running, template

ROOT = Path(__file__).resolve().parents[1]
with_benchmarks = pytest.mark.skipif(
    not measured.SOURCE.is_dir(), reason="a source distribution has no benchmarks"
)

TABLES = """# Results

## One

| work | acumen | peer | ratio | goal |
|---|---:|---:|---:|---:|
| faster | 1.0 s | 3.0 s | 3.0x | 2x |
| slower | 2.0 s | 1.8 s (x 4.7.0) | 0.9x | |
| short | 1.0 s | 3.0 s | **3.0x** | 5x |
| both ways | 1.2 s, 1.0 s | 1.0 s, 2.0 s | 0.83x, 2.0x | 0.77x |
| of its time | 262 ms | alone, 232 ms | 1.13x | 1.2x |
| nothing said | 1.0 s | | | 1,024 MB |

## Two words

| file | wall (s) | acumen's wall time / its | acumen's CPU time / its |
|---|---|---|---|
| acumen.read | 0.067 | 1 | 1 |
| pandas | 0.073 | 0.91 | 0.79 |
| polars | 0.062 | 1.08 | 0.94 |

Prose.
"""


def test_rows_that_were_lost_or_fell_short_are_found() -> None:
    found = measured.rows(TABLES)
    assert [row.work for row in found if row.lost] == [
        "slower",
        "both ways",
        "of its time",
        "file, compared with polars",
    ]
    assert [row.work for row in found if row.short] == ["short"]
    assert len(found) == 7 and found[-1].section == "Two words" and measured.slug("Two words") == "two-words"
    assert found[4].ratios == pytest.approx((1 / 1.13,)) and found[4].goal == pytest.approx(1 / 1.2)


@with_benchmarks
def test_pages_of_comparisons_repeat_their_sources_word_for_word() -> None:
    pages = measured.pages()
    headings = set()
    for source, name in measured.sources().items():
        lines = (measured.SOURCE / source).read_text(encoding="utf-8").splitlines()
        assert set(lines) - set(pages[name].splitlines()) <= {line for line in lines if "](" in line}
        assert f"Source: `benchmarks/{source}`" in pages[name] and f"]({name})" in pages["index.md"]
        headings |= {f"{name}#{measured.slug(line[3:])}" for line in lines if line.startswith("## ")}
    assert set(re.findall(r"\]\(([\w-]+\.md#[\w-]+)\)", pages["index.md"])) <= headings


@with_benchmarks
def test_the_overview_lists_every_row_that_a_peer_won() -> None:
    page = measured.index()
    texts = [path.read_text(encoding="utf-8") for path in (measured.SOURCE / "results").glob("*.md")]
    lost = [row for text in texts for row in measured.rows(text) if row.lost]
    assert lost and f"Where a peer is faster: {len(lost)} of" in page
    assert all(f"| {row.work} |" in page for row in lost)
    summary = (measured.SOURCE / measured.OVERVIEW).read_text(encoding="utf-8")
    assert len(summary.splitlines()) < 80 and page.startswith(summary[:60])


@pytest.mark.slow
def test_a_page_of_the_gallery_has_pictures_code_and_what_is_printed(tmp_path: Path) -> None:
    drawn = gallery.run(gallery.EXAMPLES / "svm.py", tmp_path)
    written = {path.name: path for path in gallery.write(tmp_path / "made", [drawn])}
    assert set(written) == {"index.md", "svm.md", "svm-margin.svg"}
    page, index = (written[name].read_text(encoding="utf-8") for name in ("svm.md", "index.md"))
    assert "](img/svm-margin.svg)](svm.md)" in index and "1 pictures" in index
    code = (gallery.EXAMPLES / "svm.py").read_text(encoding="utf-8").rstrip()
    assert f"```python\n{code}\n```" in page and drawn.printed.splitlines()[0] in page
    assert written["svm-margin.svg"].stat().st_size < gallery.MOST_BYTES


def test_every_program_that_writes_a_picture_is_in_the_gallery() -> None:
    writes = [p for p in sorted(gallery.EXAMPLES.glob("*.py")) if '.svg"' in p.read_text(encoding="utf-8")]
    assert len(writes) >= 11 and set(writes) <= set(gallery.programs())


def test_tables_of_the_chapter_open_in_the_studio(tmp_path: Path) -> None:
    """Each page names a table that `acumen studio` takes: a built-in one, or a file of the page that can be read."""
    for page in data.pages().values():
        said = template._studio(page)
        assert bool(said) == bool(page.data or page.table), page.id
        if page.data:
            assert page.data in acumen.datasets.names() and f"acumen studio {page.data}\n" in said[0]
        elif page.table:
            file = tmp_path / f"{page.id}.csv"
            file.write_text(running.as_csv(page.table), encoding="utf-8")
            assert (
                len(acumen.read(file)) == len(page.table["rows"])
                and f"acumen studio {file.name}\n" in said[0]
            )
