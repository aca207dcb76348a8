"""Workbooks: each cell is the text or value that is stored, and what is odd or hostile is a finding."""

from __future__ import annotations

import datetime
import random
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from counts import many
from everyday_files import write_xlsx
from hypothesis import given, settings
from hypothesis import strategies as st
from workbook_files import list_parts, pack, write_sheet

from readback.readers.choose_format import choose_format
from readback.records.dataset import Dataset, open_dataset
from readback.types import DatasetSource, Diagnostic

HEAD = ["id", "q"]


def open_book(path: Path, table: str | None = None) -> Dataset:
    return open_dataset(path.parent, DatasetSource(path.name, table=table))


def read_rows(data: Dataset) -> list[dict[str, Any]]:
    return [dict(record.fields) for record in data.records()]


def list_codes(data: Dataset) -> list[str]:
    return [diagnostic.code for diagnostic in data.diagnostics]


def make(tmp_path: Path, rows: list[list[str]], **parts: str) -> Path:
    path = tmp_path / "b.xlsx"
    path.write_bytes(pack(list_parts({"A": write_sheet(rows)}, **parts)))
    return path


STYLES = (
    '<numFmts count="2"><numFmt numFmtId="164" formatCode="000"/><numFmt numFmtId="165" formatCode="[h]:mm"/></numFmts>'
    '<cellXfs count="6"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/><xf numFmtId="164"/>'
    '<xf numFmtId="165"/><xf numFmtId="9"/></cellXfs>'
)


@pytest.mark.parametrize(
    ("cell", "value", "what"),
    [
        ("<c><v>7</v></c>", 7, ""),
        ("<c><v>7.0</v></c>", 7, ""),
        ("<c><v>1E+20</v></c>", 1e20, ""),
        ("<c><v>0.30000000000000004</v></c>", 0.30000000000000004, ""),
        ("<c><v>12345678901234567890</v></c>", 12345678901234567890.0, ""),
        ("<c><v>-1.5</v></c>", -1.5, ""),
        ('<c s="3"><v>7</v></c>', 7, "leading zeros"),
        ('<c s="5"><v>0.5</v></c>', 0.5, ""),
        ('<c s="1"><v>45659</v></c>', "2025-01-02", ""),
        ('<c s="1"><v>45659.5</v></c>', "2025-01-02T12:00:00", ""),
        ('<c s="2"><v>45659</v></c>', "2025-01-02T00:00:00", ""),
        ('<c s="4"><v>1.5</v></c>', "36:00:00", ""),
        ('<c t="d"><v>2025-01-02</v></c>', "2025-01-02", ""),
        ('<c t="b"><v>1</v></c>', True, ""),
        ('<c t="b"><v>0</v></c>', False, ""),
        ('<c t="e"><v>#N/A</v></c>', "#N/A", "hold an error"),
        ("<c><f>1+1</f><v>2</v></c>", 2, ""),
        ("<c><f>1+1</f></c>", "", "without a stored value"),
        ("<c><f>1+1</f><v></v></c>", "", "without a stored value"),
        ('<c t="str"><f>A1</f><v> x\n</v></c>', " x\n", ""),
        ('<c t="s"><v>0</v></c>', "  led 007\n", ""),
        ('<c t="s"><v>1</v></c>', "rich é😀", ""),
        ('<c t="s"><v>2</v></c>', "a\rb_x000D_ x005F_", ""),
        ('<c t="s"><v>99</v></c>', "", "cannot be read"),
        ('<c t="s"><v>x</v></c>', "", "cannot be read"),
        ("<c><v>seven</v></c>", "", "cannot be read"),
        ('<c s="1"><v>1E+99</v></c>', "", "cannot be read"),
        ('<c t="inlineStr"><is><t xml:space="preserve"> a </t><rPh><t>no</t></rPh></is></c>', " a ", ""),
        ('<c t="inlineStr"><is><r><t>b</t></r><r><t xml:space="preserve"> c</t></r></is></c>', "b c", ""),
        ('<c s="999"><v>3</v></c>', 3, ""),
    ],
)
def test_a_cell_is_what_is_stored(tmp_path: Path, cell: str, value: Any, what: str) -> None:
    texts = (
        '<si><t xml:space="preserve">  led 007\n</t></si>'
        "<si><r><rPr><b/></rPr><t>rich </t></r><r><t>é😀</t></r><rPh sb='0' eb='1'><t>no</t></rPh></si>"
        "<si><t>a_x000D_b_x005F_x000D_ x005F_</t></si>"
    )
    data = open_book(make(tmp_path, [HEAD, ["1", cell]], texts=texts, styles=STYLES))
    (row,) = read_rows(data)
    assert row == {"id": "1", "q": value}
    assert type(row["q"]) is type(value)
    noted = [one.values["what"] for one in data.diagnostics if one.code == "dat-cell-values"]
    assert bool(noted) == bool(what)
    assert all(what in one for one in noted)
    if noted:
        assert next(one.place.line for one in data.diagnostics if one.code == "dat-cell-values") == 2


@settings(max_examples=25)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t"), max_size=30),
        min_size=1,
        max_size=5,
    )
)
def test_what_openpyxl_writes_comes_back(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    path = tmp_path_factory.mktemp("b") / "b.xlsx"
    write_xlsx(path, {"A": [["n", "text"], *([n, text or None] for n, text in enumerate(texts))]})
    wanted = [{"n": n, "text": text} for n, text in enumerate(texts)]
    assert read_rows(open_book(path)) == wanted


def test_lines_are_the_rows_of_the_sheet(tmp_path: Path) -> None:
    path = tmp_path / "b.xlsx"
    rows = [["My study"], [None], ["id", "q"], ["a", "x"], [None], ["b", "y"]]
    write_xlsx(path, {"A": rows})
    data = open_book(path)
    assert [(record.id, record.place.line) for record in data.records()] == [("a", 4), ("b", 6)]
    assert "dat-comment-lines" in list_codes(data)
    counts = data.counts
    assert counts.read + counts.bad + counts.blank + counts.header + counts.continued == counts.lines == 6


@pytest.mark.parametrize(
    "above", [["Record", None, "Scores", None], [None, "Input", None, "Output"], ["Study of May", None, None, None]]
)
def test_a_row_of_groups_above_the_header_is_told(tmp_path: Path, above: list[str | None]) -> None:
    path = tmp_path / "b.xlsx"
    write_xlsx(path, {"A": [above, ["id", "question", "context", "note"], ["a", "Why?", "c", "n"]]})
    data = open_book(path)
    assert read_rows(data) == [{"id": "a", "question": "Why?", "context": "c", "note": "n"}]
    (told,) = [one for one in data.diagnostics if one.code == "dat-comment-lines"]
    assert told.values["first"] == next(cell for cell in above if cell)


def test_sheets_are_chosen_and_the_others_named(tmp_path: Path) -> None:
    path = tmp_path / "b.xlsx"
    book = openpyxl.Workbook()
    book.active.title = "Empty"
    for title, text in (("Hidden", "h"), ("Tabelle é", "t"), ("Other", "o")):
        sheet = book.create_sheet(title)
        sheet.append(["id", "q"])
        sheet.append([1, text])
    book["Hidden"].sheet_state = "hidden"
    book.save(path)
    data = open_book(path)
    assert read_rows(data) == [{"id": 1, "q": "t"}]
    (told,) = [one for one in data.diagnostics if one.code == "dat-several-tables"]
    assert (told.values["taken"], told.values["others"]) == ("Tabelle é", ["Hidden", "Other"])
    assert read_rows(open_book(path, "Other")) == [{"id": 1, "q": "o"}]
    (missing,) = [one for one in open_book(path, "Gone").diagnostics if one.code == "dat-several-tables"]
    assert (missing.values["wanted"], missing.severity) == ("Gone", "warning")


def test_dates_of_both_calendars_and_json_cells(tmp_path: Path) -> None:
    path = tmp_path / "b.xlsx"
    book = openpyxl.Workbook()
    book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    book.active.append(["id", "day", "contexts"])
    book.active.append(["a", datetime.date(2025, 3, 1), '["x", "y"]'])
    book.save(path)
    (row,) = read_rows(open_book(path))
    assert row["day"] == "2025-03-01"
    assert list(row["contexts"]) == ["x", "y"]


def test_what_lies_beside_the_table_is_kept_and_told(tmp_path: Path) -> None:
    path = tmp_path / "b.xlsx"
    write_xlsx(path, {"A": [["id", "q"], ["a", "x", None, "look here"]]})
    data = open_book(path)
    assert read_rows(data) == [{"id": "a", "q": "x", "column D": "look here"}]
    assert [one.values["cells"] for one in data.diagnostics if one.code == "dat-cell-values"] == [["D2"]]


GOOD = list_parts({"A": write_sheet([HEAD, ["1", "ok"]])})
SHEET = "xl/worksheets/s1.xml"
LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY b{n} "{"&a;" if not n else f"&b{n - 1};" * 10}">' for n in range(9))
    + "]>"
)
EVIL: dict[str, tuple[dict[str, str | bytes], str, int]] = {  # parts, a word of the reason, rows that are read
    "entities in a sheet": ({**GOOD, SHEET: write_sheet([HEAD, ["1", "&b8;"]], LAUGHS)}, "document type", 0),
    "entities in the workbook": (
        {**GOOD, "xl/workbook.xml": LAUGHS + GOOD["xl/workbook.xml"].replace('"A"', '"&b8;"')}, "document type", 0
    ),
    "entities in the styles": ({**GOOD, "xl/styles.xml": f"{LAUGHS}<styleSheet/>"}, "document type", 0),
    "an external entity": (
        {**GOOD, SHEET: write_sheet([HEAD], '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>')},
        "document type", 0,
    ),
    "a bomb of blanks": ({**GOOD, SHEET: write_sheet([HEAD, ["1", "ok"]], after=" " * (80 << 20))}, "far more", 1),
    "a bomb of rows": (
        {**GOOD, SHEET: GOOD[SHEET].replace("</sheetData>", "<row/>" * 1_100_000 + "</sheetData>")},
        "numbered 1048577", 1,
    ),
    "a bomb of texts": ({**GOOD, "xl/sharedStrings.xml": f"<sst><si><t>{'x' * (80 << 20)}"}, "far more", 0),
    "a styles part that is too long": ({**GOOD, "xl/styles.xml": "<styleSheet>" + " " * (65 << 20)}, "", 0),
    "an end in a row": ({**GOOD, SHEET: write_sheet([HEAD, ["1", "ok"], ["2", "x"]])[:-60]}, "not XML", 1),
    "no sheet": ({name: part for name, part in GOOD.items() if name != SHEET}, "no sheet", 0),
    "no workbook": ({"xl/workbook.xml": "", "[Content_Types].xml": GOOD["[Content_Types].xml"]}, "", 0),
    "rows backwards": (
        {**GOOD, SHEET: GOOD[SHEET].replace("</sheetData>", '<row r="1"><c><v>2</v></c></row></sheetData>')},
        "stands below", 1,
    ),
    "a row far away": (
        {**GOOD, SHEET: GOOD[SHEET].replace("</sheetData>", '<row r="999999999"><c><v>2</v></c></row></sheetData>')},
        "numbered 999999999", 1,
    ),
    "a column far away": ({**GOOD, SHEET: write_sheet([HEAD, ['<c r="ZZZ2"><v>1</v></c>']])}, "columns", 0),
    "bytes that are no UTF-8": ({**GOOD, SHEET: write_sheet([HEAD]).encode()[:-30] + b"\xff\xfe"}, "not XML", 0),
}  # fmt: skip


@pytest.mark.parametrize("name", EVIL)
def test_a_hostile_workbook_is_a_finding_and_the_rest_is_read(tmp_path: Path, name: str) -> None:
    parts, reason, count = EVIL[name]
    path = tmp_path / "b.xlsx"
    path.write_bytes(pack(parts))
    assert path.stat().st_size < 1 << 20
    data = open_book(path)
    assert len(data) == count
    faults = [one for one in data.diagnostics if one.code in ("dat-bad-line", "dat-limit", "dat-empty-file")]
    assert faults
    assert any(reason in str(one.values) for one in faults)


def test_a_dimension_that_lies_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "b.xlsx"
    sheet = write_sheet([HEAD, ["1", "ok"]]).replace("<sheetData>", '<dimension ref="A1:XFD1048576"/><sheetData>')
    path.write_bytes(pack({**GOOD, SHEET: sheet.replace("</sheetData>", '<row r="1048576"/></sheetData>')}))
    data = open_book(path)
    assert read_rows(data) == [{"id": "1", "q": "ok"}]
    assert data.counts.lines < 10


def test_a_password_or_an_old_format_is_named(tmp_path: Path) -> None:
    path = tmp_path / "b.xlsx"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    data = open_book(path)
    assert len(data) == 0
    (fault,) = [one for one in data.diagnostics if one.code == "dat-bad-line"]
    assert "password" in fault.values["reason"]


def test_it_is_known_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "export.bin"
    path.write_bytes(pack(GOOD))
    chosen = choose_format(path, "export.bin")
    assert not isinstance(chosen, Diagnostic)
    assert chosen.module.NAME == "xlsx"


@pytest.mark.long
@pytest.mark.parametrize("seed", range(many(2_000)))
def test_a_damaged_workbook_is_read_or_refused_and_counts_reconcile(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    rows = [HEAD, *([str(n), f"text {n} é"] for n in range(30))]
    content = bytearray(pack(list_parts({"A": write_sheet(rows), "B": write_sheet(rows)}), draw.choice((0, 8))))
    for _ in range(draw.randint(1, 8)):
        at = draw.randrange(len(content))
        match draw.randrange(3):
            case 0:
                content[at] = draw.randrange(256)
            case 1:
                del content[at : at + draw.randint(1, 40)]
            case _:
                content[at:at] = draw.randbytes(draw.randint(1, 40))
    path = tmp_path / "b.xlsx"
    path.write_bytes(content)
    data = open_book(path)
    counts = data.counts
    assert counts.read + counts.bad + counts.blank + counts.header + counts.continued == counts.lines
    assert len(data) >= 30 or data.diagnostics
