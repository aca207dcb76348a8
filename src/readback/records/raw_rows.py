"""Read the rows of any dataset file in order, without an index."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, cast

from readback import plugins
from readback.readers import jsonl
from readback.readers.choose_format import ChosenFormat, choose_format
from readback.readers.files import cache_folder
from readback.readers.files.decoding import make_decoding_step, unpack
from readback.readers.files.row import Event, Header, Refused, Row
from readback.readers.files.text_file import BUFFER, LONGEST
from readback.records import plugin_rows
from readback.types import Diagnostic, Location

BEGINNING = 2 * LONGEST  # unpacked bytes that contain the first rows
Unpacker = Callable[[Path, Any, str], Iterator[int | Diagnostic]]
Walk = Callable[[BinaryIO, str], Iterator[Event]]  # from a stream of text and the name of the file


def read_raw_rows(
    path: Path,
    file: str,
    format: str | None = None,  # noqa: A002 - the word
    refused: Callable[[], None] = lambda: None,
    walk: Walk | None = None,
    header: Callable[[Header], None] = lambda header: None,
    enough: int | None = None,
    encoding: str | None = None,
    table: str | None = None,
) -> Iterator[Row | Diagnostic]:
    """Yield every row of the file and a Diagnostic for each fault; nothing is raised.

    `refused` is called for each row that cannot be read, whether or not it has a diagnostic. `header` is called with
    what precedes the rows. `walk` reads the text in place of the format. `enough` is the number of rows that the caller
    needs, so that no more of a binary file is decoded; more rows may follow. `encoding` is that of the text if it is
    stated, `table` the one that is read of a file with several. Cells of CSV and TSV stay text. `path` is not checked:
    `paths.resolve` decides whether it may be read.
    """
    try:
        chosen = choose_format(path, file, format, encoding, table)
        if isinstance(chosen, Diagnostic):
            yield chosen
        else:
            yield from _rows(path, file, chosen, refused, walk, header, enough)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        yield Diagnostic("dat-file-missing", {"path": file, "reason": reason}, Location(file=file), file)


def unpack_beginning(path: Path, out: BinaryIO, file: str) -> Iterator[int | Diagnostic]:
    """Unpack the beginning of a file; its length is no fault."""
    for frame in unpack(path, out, file, BEGINNING):
        if not (isinstance(frame, Diagnostic) and frame.code == "dat-limit"):
            yield frame


def _rows(
    path: Path,
    file: str,
    chosen: ChosenFormat,
    refused: Callable[[], None],
    walk: Walk | None,
    header: Callable[[Header], None],
    enough: int | None,
) -> Iterator[Row | Diagnostic]:
    steps = list_unpackers(chosen)
    with ExitStack() as until_read:
        if steps:
            until_read.enter_context(cache_folder.room())
            temporary = TemporaryDirectory(prefix=".rows-", dir=cache_folder.cache_folder())
            folder = Path(until_read.enter_context(temporary))
        for number, step in enumerate(steps):
            target = folder / str(number)
            with target.open("wb") as out:
                if step is unpack and enough is not None:
                    step = unpack_beginning
                # each event of a spool comes after it has written a row or more
                if number == len(steps) - 1 and hasattr(chosen.module, "spool"):
                    limit = enough
                else:
                    limit = None
                frames = step(path, out, file)
                yield from (frame for frame in islice(frames, limit) if isinstance(frame, Diagnostic))
                if isinstance(frames, Generator):
                    frames.close()
            path = target
        with path.open("rb", BUFFER) as stream:
            for event in walk(stream, file) if walk else read_events(chosen, stream, file):
                match event:
                    case Row(diagnostics=diagnostics):
                        yield from diagnostics
                        yield event
                    case Refused(diagnostic=diagnostic):
                        refused()
                        if diagnostic:
                            yield diagnostic
                    case Header():
                        header(event)
                    case Diagnostic():
                        yield event


def list_unpackers(chosen: ChosenFormat) -> list[Unpacker]:
    """Return the steps that turn a file into text, in order: gzip, other encodings, binary formats."""
    steps: list[Unpacker] = [unpack] if chosen.packed else []
    if chosen.encoding:
        steps.append(make_decoding_step(chosen.encoding, chosen.guess))
    if hasattr(chosen.module, "spool"):
        entry = plugins.find_entry("formats", chosen.module)
        steps.append(plugin_rows.guard_spool(entry, chosen.module) if entry else _make_spool(chosen))
    return steps


def _make_spool(chosen: ChosenFormat) -> Unpacker:
    """Return the step that writes the rows of a binary file, of the chosen table where it may hold several; a project
    is read with the environment that the workspace states.
    """
    if getattr(chosen.module, "TABLES", False):
        return _add_argument(chosen.module.spool, chosen.table)
    if getattr(chosen.module, "ENVIRONMENT", False):
        return _add_argument(chosen.module.spool, chosen.environment)
    return cast(Unpacker, chosen.module.spool)


def _add_argument(module_spool: Callable[..., Iterator[int | Diagnostic]], argument: Any) -> Unpacker:
    def spool(path: Path, out: Any, file: str) -> Iterator[int | Diagnostic]:
        yield from module_spool(path, out, file, argument)

    return spool


def read_events(chosen: ChosenFormat, stream: Any, file: str) -> Iterator[Event]:
    """Yield the events of a stream of text in the chosen format."""
    entry = plugins.find_entry("formats", chosen.module)
    if entry and hasattr(chosen.module, "rows"):
        return plugin_rows.read_rows(entry, chosen.module, stream, file)
    rows: Iterator[Event] = getattr(chosen.module, "rows", jsonl.rows)(stream, file)
    return rows
