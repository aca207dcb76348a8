"""Make a workspace of what is not a folder: rows on standard input or in a pipe, or a zip file.

Both are stored like an upload, with the same limits and refusals, and deleted when the command ends; but a zip file
that is shown or reviewed is unpacked into the cache, where it stays.
"""

from __future__ import annotations

import json
import secrets
import stat
import sys
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from readback.checks import rules
from readback.cli import UsageError
from readback.cli.common import lines
from readback.cli.common.terminal import fill
from readback.readers.choose_format import BINARY, GZIP, HEAD, unpack_head
from readback.readers.files.text_file import UTF8_MARK
from readback.readers.logs.formats import find_format
from readback.readers.xlsx import is_workbook
from readback.types import Diagnostic

STDIN = "-"
ZIP = b"PK\x03\x04"
EMPTY_ZIP = b"PK\x05\x06"
# Commands that store something in a workspace, so that it has to exist afterwards; and those that keep a review of it,
# for which a zip file has a path of its own.
NEED_FOLDER = {"init", "lock"}
NEED_PATH = {"agenda", "report", "review", "serve", "since"}


def unpack(path: str, command: str, stack: ExitStack) -> str:
    """Store a zip file or rows and return their path, valid while `stack` is open; return any other path unchanged.

    Raises UsageError where the command needs a folder that lasts, and where nothing of it can be stored.
    """
    if not needs_storing(path):
        return path
    comes_once = path == STDIN or _is_pipe(path)
    if command in NEED_FOLDER or (command in NEED_PATH and comes_once):
        raise UsageError(
            fill(
                (
                    "{path}: readback {command} needs what stays, and this is gone once it is read; "
                    "save it as a file or a folder first"
                    if comes_once
                    else "{path}: readback {command} writes a file beside the others, so that it needs a folder; "
                    "unpack it first"
                ),
                command=command,
                path=path,
            )
        )
    if command in NEED_PATH:
        return unpack_to_stay(path)
    from readback.ui.common.uploads import quota as upload_quota  # slow to import, and most commands need none of it
    from readback.ui.common.uploads import store as upload

    try:
        content = _open_source(path, stack, upload.WHOLE)
    except OSError as error:
        raise UsageError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    head = content.read(HEAD)
    content.seek(0)
    if not head:
        raise UsageError(fill("{path}: nothing came", path=path))
    is_zip = head.startswith((ZIP, EMPTY_ZIP)) and not is_workbook(head)
    name = Path(path).name
    if is_zip and not name.lower().endswith(".zip"):
        name = "stdin.zip"
    elif not is_zip:
        name = f"stdin{guess_ending(head)}"
    owner = upload.owner(secrets.token_hex())  # nobody else's, so that no browser finds it
    try:
        token, diagnostics = upload.save([(name, content)], owner, unwrap=is_zip)
    except upload_quota.NoRoom as full:
        raise UsageError(f"{path}: {full}") from None
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise UsageError(
            fill("{path}: it cannot be unpacked into {folder} ({why})", path=path, folder=upload.home(), why=why)
        ) from None
    stack.callback(upload.delete, token, owner)
    _print_left_out(diagnostics)
    folder = upload.path(token, owner)
    if folder is None or not upload.holds(token):
        raise UsageError(fill("{path}: nothing of it could be kept", path=path))
    return str(folder if is_zip else folder / name)


def unpack_to_stay(path: str) -> str:
    """Unpack a zip file into the cache and return the folder, which stays when the command ends.

    What is left out is named on standard error. Raises UsageError where nothing of it can be stored.
    """
    from readback.ui.common.uploads import zip_copy  # slow to import, and most commands need none of it

    try:
        folder, diagnostics = zip_copy.unpack(Path(path))
    except zip_copy.NothingUnpacked as nothing:
        _print_left_out(nothing.diagnostics)
        raise UsageError(fill("{path}: nothing of it could be kept", path=path)) from None
    except OSError as error:
        raise UsageError(
            fill("{path}: it cannot be unpacked ({why})", path=path, why=(error.strerror or str(error)).lower())
        ) from None
    _print_left_out(diagnostics)
    return str(folder)


def _print_left_out(diagnostics: Iterable[Diagnostic]) -> None:
    for diagnostic in diagnostics:
        print(lines.format_finding(rules.build_finding(diagnostic), sys.stderr), file=sys.stderr)


def needs_storing(path: str) -> bool:
    """Return whether a path is standard input, a pipe or a zip file; a log or workbook in one file stays as it is."""
    return path == STDIN or _is_pipe(path) or (_is_zip(path) and find_format(Path(path)) is None)


def _is_zip(path: str) -> bool:
    try:
        with Path(path).open("rb") as file:
            head = file.read(HEAD)
    except (OSError, ValueError):
        return False
    return head.startswith((ZIP, EMPTY_ZIP)) and not is_workbook(head)


def _is_pipe(path: str) -> bool:
    """Return whether a path leads to a pipe: /dev/stdin, or what a shell puts in the place of <(command)."""
    try:
        return stat.S_ISFIFO(Path(path).stat().st_mode)
    except (OSError, ValueError):
        return False


def _open_source(path: str, stack: ExitStack, limit: int) -> BinaryIO:
    """Open a zip file, or copy up to `limit` bytes of a pipe to a nameless file.

    Raises OSError, and UsageError where the pipe holds more.
    """
    if path != STDIN and not _is_pipe(path):
        return stack.enter_context(Path(path).open("rb"))
    copy = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - the stack closes it
    if path == STDIN:
        _copy(sys.stdin.buffer, copy, path, limit)
    else:
        with Path(path).open("rb") as pipe:
            _copy(pipe, copy, path, limit)
    return copy


def _copy(source: BinaryIO, target: BinaryIO, path: str, limit: int) -> None:
    if source.isatty():
        print("readback: reading rows from standard input, up to Ctrl-D …", file=sys.stderr)
    left = limit
    while left >= 0:
        block = source.read(min(HEAD, left + 1))
        if not block:
            break
        target.write(block)
        left -= len(block)
    if left < 0:
        raise UsageError(fill("{file}: more than {most:,} {most:byte|bytes}", file=path, most=limit))
    target.seek(0)


def guess_ending(head: bytes) -> str:
    """Return the file ending of rows that begin with `head`, by their magic bytes, first character and first line."""
    gzip = ".gz" if head.startswith(GZIP) else ""
    text = unpack_head(head) if gzip else head
    for name, signature in BINARY.items():
        if signature.matches(text):
            return f".{name}{gzip}"
    text = text.removeprefix(UTF8_MARK).lstrip()
    first = text.partition(b"\n")[0]
    if text.startswith(b"["):
        return f".json{gzip}"
    if text.startswith(b"{"):
        ending = ".jsonl" if _is_json(first) else ".json"
        return f"{ending}{gzip}"
    ending = ".tsv" if b"\t" in first else ".csv"
    return f"{ending}{gzip}"


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
