"""A workspace that is no folder: rows on standard input or in a pipe, or a zip file.

Both are kept as an upload is, with the same limits and the same refusals, and deleted when the command ends.
"""

from __future__ import annotations

import json
import secrets
import stat
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from readback.checks import rules
from readback.cli import UsageError, _lines
from readback.cli._sentence import fill
from readback.readers.choose_format import GZIP, HEAD, PARQUET, unpacked
from readback.readers.lines import UTF8_MARK

STDIN = "-"
ZIP = b"PK\x03\x04"
EMPTY_ZIP = b"PK\x05\x06"
# Commands that keep something beside a workspace, or in it: it has to be there afterwards.
LASTING = {"agenda", "init", "lock", "report", "review", "serve", "since"}


def bring(given: str, command: str, stack: ExitStack) -> str:
    """Return the path of what was brought for as long as `stack` is open; anything else as it was given.

    Raises UsageError where the command needs a folder that stays, and where nothing of it can be kept.
    """
    if not is_brought(given):
        return given
    if command in LASTING:
        raise UsageError(
            fill(
                (
                    "{given}: readback {command} keeps something beside the workspace, so that it needs a "
                    "folder that stays; unpack it or save it first"
                ),
                command=command,
                given=given,
            )
        )
    from readback.ui.common.uploads import quota as upload_quota  # slow to import, and most commands need none of it
    from readback.ui.common.uploads import store as upload

    try:
        content = _open(given, stack, upload.WHOLE)
    except OSError as error:
        raise UsageError(f"{given}: {(error.strerror or str(error)).lower()}") from None
    head = content.read(HEAD)
    content.seek(0)
    if not head:
        raise UsageError(fill("{given}: nothing came", given=given))
    packed = head.startswith((ZIP, EMPTY_ZIP))
    name = Path(given).name
    if packed and not name.lower().endswith(".zip"):
        name = "stdin.zip"
    elif not packed:
        name = f"stdin{guess_ending(head)}"
    whose = upload.owner(secrets.token_hex())  # nobody else's, so that no browser finds it
    try:
        token, diagnostics = upload.save([(name, content)], whose, unwrap=packed)
    except upload_quota.NoRoom as full:
        raise UsageError(f"{given}: {full}") from None
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise UsageError(
            fill("{given}: it cannot be unpacked into {folder} ({why})", given=given, folder=upload.home(), why=why)
        ) from None
    stack.callback(upload.delete, token, whose)
    for diagnostic in diagnostics:
        print(_lines.line(rules.finding(diagnostic), sys.stderr), file=sys.stderr)
    folder = upload.path(token, whose)
    if folder is None or not upload.holds(token):
        raise UsageError(fill("{given}: nothing of it could be kept", given=given))
    return str(folder if packed else folder / name)


def is_brought(given: str) -> bool:
    """Return whether this is standard input, a pipe or a zip file."""
    return given == STDIN or _is_pipe(given) or _is_zip(given)


def _is_zip(given: str) -> bool:
    try:
        with Path(given).open("rb") as file:
            return file.read(len(ZIP)) in (ZIP, EMPTY_ZIP)
    except (OSError, ValueError):
        return False


def _is_pipe(given: str) -> bool:
    """Whether a path leads to a pipe: /dev/stdin, or what a shell puts in the place of <(command)."""
    try:
        return stat.S_ISFIFO(Path(given).stat().st_mode)
    except (OSError, ValueError):
        return False


def _open(given: str, stack: ExitStack, most: int) -> BinaryIO:
    """Open a zip file; or what a pipe holds, `most` bytes of it, copied to a file that has no name.

    Raises OSError, and UsageError where it holds more.
    """
    if given != STDIN and not _is_pipe(given):
        return stack.enter_context(Path(given).open("rb"))
    copy = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - the stack closes it
    if given == STDIN:
        _copy(sys.stdin.buffer, copy, given, most)
    else:
        with Path(given).open("rb") as pipe:
            _copy(pipe, copy, given, most)
    return copy


def _copy(source: BinaryIO, target: BinaryIO, given: str, most: int) -> None:
    if source.isatty():
        print("readback: reading rows from standard input, up to Ctrl-D …", file=sys.stderr)
    left = most
    while left >= 0 and (block := source.read(min(HEAD, left + 1))):
        target.write(block)
        left -= len(block)
    if left < 0:
        raise UsageError(fill("{file}: more than {most:,} {most:byte|bytes}", file=given, most=most))
    target.seek(0)


def guess_ending(head: bytes) -> str:
    """Return the ending of a file of rows that begins like this: by its mark, its first character, its first line."""
    gzip = ".gz" if head.startswith(GZIP) else ""
    text = unpacked(head) if gzip else head
    if text.startswith(PARQUET):
        return f".parquet{gzip}"
    text = text.removeprefix(UTF8_MARK).lstrip()
    first = text.partition(b"\n")[0]
    if text.startswith(b"["):
        return f".json{gzip}"
    if text.startswith(b"{"):
        return f"{'.jsonl' if _is_json(first) else '.json'}{gzip}"
    return f".tsv{gzip}" if b"\t" in first else f".csv{gzip}"


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
