"""Write workbooks part by part, so that any part may be wrong."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def write_cell(value: str) -> str:
    """Return a cell: XML as it is, any other text as an inline text."""
    return value if value.startswith("<c") else f'<c t="inlineStr"><is><t xml:space="preserve">{value}</t></is></c>'


def write_sheet(rows: Sequence[Sequence[str]], before: str = "", after: str = "") -> str:
    """Return the XML of a sheet."""
    cells = "".join(f"<row>{''.join(map(write_cell, row))}</row>" for row in rows)
    return f'<?xml version="1.0"?>{before}<worksheet {MAIN}><sheetData>{cells}</sheetData>{after}</worksheet>'


def list_parts(sheets: Mapping[str, str], texts: str = "", styles: str = "") -> dict[str, str]:
    """Return the parts of a workbook by name; `sheets` are its sheets as XML, by title."""
    overrides = f'<Override PartName="/xl/workbook.xml" ContentType="{SHEET_TYPE}.sheet.main+xml"/>'
    if styles:
        overrides += f'<Override PartName="/xl/styles.xml" ContentType="{SHEET_TYPE}.styles+xml"/>'
    numbers = range(1, len(sheets) + 1)
    listed = "".join(
        f'<sheet name="{title}" sheetId="{n}" r:id="r{n}"/>' for n, title in zip(numbers, sheets, strict=True)
    )
    relations = "".join(
        f'<Relationship Id="r{n}" Type="{RELATIONS}/worksheet" Target="worksheets/s{n}.xml"/>' for n in numbers
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{TYPES}"><Default Extension="xml" ContentType="application/xml"/>'
        f"{overrides}</Types>",
        "xl/workbook.xml": f'<workbook {MAIN} xmlns:r="{RELATIONS}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
        f'relationships">{relations}</Relationships>',
    }
    if texts:
        parts["xl/sharedStrings.xml"] = f"<sst {MAIN}>{texts}</sst>"
    if styles:
        parts["xl/styles.xml"] = f"<styleSheet {MAIN}>{styles}</styleSheet>"
    return parts | {f"xl/worksheets/s{n}.xml": xml for n, xml in zip(numbers, sheets.values(), strict=True)}


def pack(parts: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return the bytes of a workbook of these parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()
