"""Which format a file is in: by what the workspace says, by its first bytes, by its name."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from readback import plugins
from readback.readers import checkpoint
from readback.readers.decoding import decode_head, needs_decoding
from readback.readers.text_file import UTF8_MARK
from readback.types import Diagnostic, Location

HEAD = 1 << 20  # bytes looked at
GZIP = b"\x1f\x8b"
PARQUET = b"PAR1"


@dataclass(frozen=True, slots=True)
class ChosenFormat:
    """The module that reads a file, whether it is packed with gzip, what was decided on the way, and the encoding that
    somebody states, where it is text in another one than UTF-8.
    """

    module: Any  # a module of readers/, or what a plugin has in its place
    packed: bool = False
    detail: str = ""
    encoding: str | None = None


def choose_format(
    path: Path, file: str, named: str | None = None, encoding: str | None = None
) -> ChosenFormat | Diagnostic:
    """Choose the format of the file at `path`; the workspace states `named` and `encoding`. Raises OSError."""
    with path.open("rb") as stream:
        head = stream.read(HEAD)
    packed = head.startswith(GZIP)
    if packed:
        head = unpack_head(head)
    if encoding and needs_decoding(encoding):
        head = decode_head(head, encoding)
    suffixes = [suffix.lower() for suffix in PurePath(path.name).suffixes if suffix.lower() != ".gz"]
    name = named or _recognise_content(head, suffixes[-1] if suffixes else "")
    if named == "jsonl" and head.removeprefix(UTF8_MARK).lstrip().startswith(b"["):
        name = _recognise_content(head, ".jsonl")  # a list, whatever it is called: its reader says so
    formats = plugins.load_modules("formats")
    if name not in formats:
        reason = f"there is no format '{named}'" if named else "its name and first bytes show no known format"
        endings = [ending for reader in formats.values() for ending in reader.SUFFIXES]
        values = {"path": file, "reason": reason, "known": sorted(formats), "endings": endings}
        return Diagnostic("dat-not-recognised", values, Location(file=file))
    module = formats[name]
    odd = bool(suffixes) and not named and suffixes[-1] not in module.SUFFIXES
    stated = encoding if needs_decoding(encoding) and not hasattr(module, "spool") else None
    return ChosenFormat(module, packed, f"read as {name} by its content" if odd else "", stated)


def _recognise_content(head: bytes, suffix: str) -> str | None:
    if head.startswith(PARQUET):
        return "parquet"
    begin = head.removeprefix(UTF8_MARK).lstrip(b" \t\r\n")
    format_name = next(
        (name for name, module in plugins.load_modules("formats").items() if suffix in module.SUFFIXES), None
    )
    if format_name in ("json", None) and checkpoint.is_checkpoint(begin):
        return checkpoint.NAME
    if format_name not in ("json", "jsonl", None):
        return format_name
    first, _, rest = begin.partition(b"\n")
    rest = rest.lstrip(b" \t\r\n")
    if begin.startswith(b"["):
        return "jsonl" if format_name == "jsonl" and rest and first.rstrip().endswith(b"]") else "json"
    if begin.startswith(b"{"):
        return (
            "jsonl" if format_name == "jsonl" or (first.rstrip().endswith(b"}") and rest.startswith(b"{")) else "json"
        )
    return format_name


def unpack_head(head: bytes) -> bytes:
    """Return the beginning of a gzip file, unpacked; empty where it is not gzip."""
    try:
        return zlib.decompressobj(wbits=31).decompress(head, HEAD)
    except zlib.error:
        return b""
