"""The rows of any file that a dataset may be in, one after another, without an index."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from readback.readers import cache_folder
from readback.readers.choose_format import Chosen, choose
from readback.readers.lines import BUFFER, LONGEST
from readback.readers.packed import unpack
from readback.readers.row import Event, Header, Refused, Row
from readback.records.index_pass import events, unpackers
from readback.types import Diagnostic, Location

BEGINNING = 2 * LONGEST  # bytes of a packed file in which its first rows are
Walk = Callable[[BinaryIO, str], Iterator[Event]]  # a stream that is text, and the file's name


def raw_rows(
    path: Path,
    file: str,
    format: str | None = None,  # noqa: A002 - the word
    refused: Callable[[], None] = lambda: None,
    walk: Walk | None = None,
    header: Callable[[Header], None] = lambda header: None,
    enough: int | None = None,
    encoding: str | None = None,
) -> Iterator[Row | Diagnostic]:
    """Every row of the file, and a Diagnostic for whatever is wrong with it; nothing is raised.

    `refused` is called for each row that cannot be read: not every note is about one, and not every such row has a
    note of its own; `header` is told what comes before the rows. `walk` reads the text where somebody knows its shape
    better than the format does. `enough` rows are all that the caller looks at, so that of a binary file no more need
    be decoded; there may be further ones. `encoding` is the one that somebody states. Cells of CSV and TSV stay text.
    `path` is taken as it is: `paths.resolve` says whether it may be read.
    """
    try:
        chosen = choose(path, file, format, encoding)
        if isinstance(chosen, Diagnostic):
            yield chosen
        else:
            yield from _rows(path, file, chosen, refused, walk, header, enough)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        yield Diagnostic("dat-file-missing", {"path": file, "reason": reason}, Location(file=file), file)


def unpack_beginning(path: Path, out: BinaryIO, file: str) -> Iterator[int | Diagnostic]:
    """Write the beginning of a packed file; that there is more of it is no fault."""
    for frame in unpack(path, out, file, BEGINNING):
        if not (isinstance(frame, Diagnostic) and frame.code == "dat-limit"):
            yield frame


def _rows(
    path: Path,
    file: str,
    chosen: Chosen,
    refused: Callable[[], None],
    walk: Walk | None,
    header: Callable[[Header], None],
    enough: int | None,
) -> Iterator[Row | Diagnostic]:
    steps = unpackers(chosen)
    with ExitStack() as until_read:
        if steps:
            until_read.enter_context(cache_folder.room())
            made = TemporaryDirectory(prefix=".rows-", dir=cache_folder.cache_folder())
            folder = Path(until_read.enter_context(made))
        for number, step in enumerate(steps):
            target = folder / str(number)
            with target.open("wb") as out:
                if step is unpack and enough is not None:
                    step = unpack_beginning
                decoding = enough if step is getattr(chosen.module, "spool", None) else None
                frames = step(path, out, file)
                told = islice(frames, decoding)  # each step of decoding has written one row or more
                yield from (found for found in told if isinstance(found, Diagnostic))
                if isinstance(frames, Generator):
                    frames.close()
            path = target
        with path.open("rb", BUFFER) as stream:
            for event in walk(stream, file) if walk else events(chosen, stream, file):
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
