"""Read `acronyms:`, long forms that Albert modes put behind an acronym of the query: a mapping, a file, or several."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path

from readback.prompts.albert import is_findable
from readback.readers.csv_file import find_separator
from readback.readers.files.paths import format_relative
from readback.readers.files.text_file import read_text
from readback.readers.yaml.yaml_file import Node, read_yaml
from readback.types import Location
from readback.workspace.draft import Draft

TABLES = (".csv", ".tsv")
# What the column of acronyms is called, where a table has a row of names: `symbol` in the program's own list.
HEADS = ("acronym", "acronyms", "acronyme", "acronymes", "symbol", "sigle", "abbreviation", "abréviation", "short")


def read_acronyms(node: Node, draft: Draft) -> None:
    """Add the acronyms of a mapping, of a file, or of several of them, to the draft."""
    for part in node.items():
        if not isinstance(part.value, str):
            _read_mapping(part, draft)
            continue
        path = draft.file_at(part.value, part.place)
        if path:
            draft.say(path, "acronyms")
            if path.suffix.lower() in TABLES:
                _read_table(path, draft)
            else:
                _read_document(path, draft)


def _read_document(path: Path, draft: Draft) -> None:
    """Read YAML or JSON: a mapping, or a list of mappings with an acronym and its long form, as the program's list."""
    parsed = read_yaml(path, format_relative(draft.root, path))
    top = Node(parsed.value, parsed)
    if isinstance(parsed.value, list):
        for entry in top.items():
            _read_entry(entry, draft)
    elif parsed.value is not None:
        _read_mapping(top, draft)
    draft.diagnostics.extend((*parsed.diagnostics, *top.diagnostics))


def _read_entry(entry: Node, draft: Draft) -> None:
    """Read one acronym of a list: of its two keys the one that is called so has the acronym, else the first."""
    if not isinstance(entry.value, Mapping) or len(entry.value) != 2:
        entry.wrong("a mapping with an acronym and its long form")
        return
    parts = [entry.at(key, value) for key, value in entry.value.items()]
    parts.sort(key=lambda part: str(part.keys[-1]).casefold() not in HEADS)
    name = parts[0].text()
    if name is not None:
        _add_acronym(draft, name, _read_long_form(parts[1]), entry.place)


def _read_mapping(node: Node, draft: Draft) -> None:
    for name, part in node.entries():
        _add_acronym(draft, name, _read_long_form(part), part.place)


def _read_long_form(part: Node) -> str | None:
    """Return the long form; "" for null, None where it is no text, which is a diagnostic."""
    if part.value is None:
        return ""
    return part.text()


def _read_table(path: Path, draft: Draft) -> None:
    """Read two columns, with or without a row of names."""
    file = format_relative(draft.root, path)
    text, diagnostics = read_text(path, file)
    draft.diagnostics.extend(diagnostics)
    if path.suffix.lower() == ".tsv":
        delimiter = "\t"
    else:
        delimiter = find_separator((text or "").partition("\n")[0].encode())
    for number, (line, cells) in enumerate(_read_rows(text or "", delimiter, file, draft)):
        if number == 0 and cells[0].strip().casefold() in HEADS:
            continue
        place = Location(file=file, line=line)
        if len(cells) == 2:
            _add_acronym(draft, cells[0].strip(), cells[1].strip(), place)
        else:
            draft.report("dat-bad-line", place, reason=f"it has {len(cells)} cells and not two")


def _read_rows(text: str, delimiter: str, file: str, draft: Draft) -> Iterator[tuple[int, list[str]]]:
    """Yield each row that is not empty, with the line it begins in; what is no CSV is a diagnostic."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            draft.report("dat-bad-line", Location(file=file, line=line), reason=str(error))
            continue
        if any(cell.strip() for cell in cells):
            yield line, cells


def _add_acronym(draft: Draft, name: str, long_form: str | None, place: Location) -> None:
    """Add an acronym. Of one that is there twice, in whatever letters, the last long form counts."""
    if long_form is None:
        return
    reason = _explain_unusable(name, long_form)
    if reason:
        draft.report("alb-acronym-unused", place, name, what=f"'{name}'", reason=reason)
        return
    earlier = next((acronym for acronym in draft.acronyms if acronym.casefold() == name.casefold()), None)
    if earlier is not None:
        first = draft.acronym_places[earlier]
        values = {"name": name, "file": first.file, "line": first.line, "long": long_form}
        draft.report("alb-duplicate-acronym", place, name, **values)
        del draft.acronyms[earlier], draft.acronym_places[earlier]
    draft.acronyms[name] = long_form
    draft.acronym_places[name] = place


def _explain_unusable(name: str, long_form: str) -> str:
    """Return why the program never finds an acronym in a query, or has nothing to put behind it; "" where it does."""
    if not long_form.strip():
        return "its long form is empty"
    if not is_findable(name):
        return "the program looks for three or more letters a-z and digits, without blanks"
    return ""
