"""`acronyms:` long forms that Albert modes put behind an acronym of the query: a mapping, a file, or several."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path

from readback.prompts.albert import is_findable
from readback.readers.csv_file import find_separator
from readback.readers.paths import show
from readback.readers.text_file import read_text
from readback.readers.yaml_file import read_yaml
from readback.readers.yaml_node import Node
from readback.types import Location
from readback.workspace.draft import Draft

TABLES = (".csv", ".tsv")
# What the column of acronyms is called, where a table has a row of names: `symbol` in the program's own list.
HEADS = ("acronym", "acronyms", "acronyme", "acronymes", "symbol", "sigle", "abbreviation", "abréviation", "short")


def read_acronyms(node: Node, draft: Draft) -> None:
    """Add the acronyms of a mapping, of a file, or of several of them, to the draft."""
    for part in node.items():
        if not isinstance(part.value, str):
            _mapping(part, draft)
        elif path := draft.file_at(part.value, part.place):
            draft.say(path, "acronyms")
            (_table if path.suffix.lower() in TABLES else _document)(path, draft)


def _document(path: Path, draft: Draft) -> None:
    """YAML or JSON: a mapping, or a list of mappings with an acronym and its long form, as the program's own list."""
    parsed = read_yaml(path, show(draft.root, path))
    top = Node(parsed.value, parsed)
    if isinstance(parsed.value, list):
        for one in top.items():
            _entry(one, draft)
    elif parsed.value is not None:
        _mapping(top, draft)
    draft.diagnostics.extend((*parsed.diagnostics, *top.diagnostics))


def _entry(one: Node, draft: Draft) -> None:
    """One acronym of a list: of its two keys the one that is called so has the acronym, else the first."""
    if not isinstance(one.value, Mapping) or len(one.value) != 2:
        one.wrong("a mapping with an acronym and its long form")
        return
    parts = [one.at(key, value) for key, value in one.value.items()]
    parts.sort(key=lambda part: str(part.keys[-1]).casefold() not in HEADS)
    if (name := parts[0].text()) is not None:
        _add(draft, name, _long(parts[1]), one.place)


def _mapping(node: Node, draft: Draft) -> None:
    for name, part in node.entries():
        _add(draft, name, _long(part), part.place)


def _long(part: Node) -> str | None:
    """The long form; empty for null, None where it is no text, which is a diagnostic."""
    return "" if part.value is None else part.text()


def _table(path: Path, draft: Draft) -> None:
    """Two columns, with or without a row of names."""
    file = show(draft.root, path)
    text, diagnostics = read_text(path, file)
    draft.diagnostics.extend(diagnostics)
    by = "\t" if path.suffix.lower() == ".tsv" else find_separator((text or "").partition("\n")[0].encode())
    for number, (line, cells) in enumerate(_rows(text or "", by, file, draft)):
        if number == 0 and cells[0].strip().casefold() in HEADS:
            continue
        place = Location(file=file, line=line)
        if len(cells) == 2:
            _add(draft, cells[0].strip(), cells[1].strip(), place)
        else:
            draft.report("dat-bad-line", place, reason=f"it has {len(cells)} cells and not two")


def _rows(text: str, by: str, file: str, draft: Draft) -> Iterator[tuple[int, list[str]]]:
    """Each row that is not empty, with the line it begins in; what is no CSV is a diagnostic, and ends its row."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=by, strict=True)
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


def _add(draft: Draft, name: str, long: str | None, place: Location) -> None:
    """Take an acronym over. Of one that is there twice, in whatever letters, the last long form counts."""
    if long is None:
        return
    if reason := _unusable(name, long):
        draft.report("alb-acronym-unused", place, name, what=f"'{name}'", reason=reason)
        return
    same = next((known for known in draft.acronyms if known.casefold() == name.casefold()), None)
    if same is not None:
        first = draft.acronym_places[same]
        values = {"name": name, "file": first.file, "line": first.line, "long": long}
        draft.report("alb-duplicate-acronym", place, name, **values)
        del draft.acronyms[same], draft.acronym_places[same]
    draft.acronyms[name] = long
    draft.acronym_places[name] = place


def _unusable(name: str, long: str) -> str | None:
    """Why the program never finds an acronym in a query, or has nothing to put behind it."""
    if not long.strip():
        return "its long form is empty"
    return None if is_findable(name) else "the program looks for three or more letters a-z and digits, without blanks"
