"""Which format a file is in: by what the workspace says, by its first bytes, by its name."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any

from readback import plugins
from readback.readers import arrow_file, checkpoint, llama_factory_info, sqlite_file, xlsx
from readback.readers.files.decoding import GuessedEncoding, decode_head, guess_file_encoding, needs_decoding
from readback.readers.files.text_file import UTF8_MARK
from readback.types import Diagnostic, Location

HEAD = 1 << 20  # bytes looked at
GZIP = b"\x1f\x8b"
PARQUET = b"PAR1"
LLAMA_FACTORY = "llama-factory"  # its reader asks for the formats of other files


NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ChosenFormat:
    """The module that reads a file, whether it is packed with gzip, what was decided on the way, the encoding that
    somebody states or its bytes show, where it is text in another one than UTF-8, and the table that is read of a file
    that holds several (None: the likeliest).
    """

    module: Any  # a module of readers/, or what a plugin has in its place
    packed: bool = False
    detail: str = ""
    encoding: str | None = None
    guess: GuessedEncoding | None = None  # where nobody states the encoding
    table: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)  # that a project is read with


def choose_format(
    path: Path,
    file: str,
    named: str | None = None,
    encoding: str | None = None,
    table: str | None = None,
    environment: Mapping[str, str] = NOTHING,
) -> ChosenFormat | Diagnostic:
    """Choose the format of the file at `path`; the workspace states the others. Raises OSError."""
    with path.open("rb") as stream:
        head = stream.read(HEAD)
    packed = head.startswith(GZIP)
    if packed:
        head = unpack_head(head)
    formats = plugins.load_modules("formats")
    is_text = not hasattr(formats.get(named or ""), "spool")  # else nobody asks how the text is encoded
    guess = None
    if encoding is None and is_text and not any(signature.matches(head) for signature in BINARY.values()):
        guess = guess_file_encoding(head, None if packed else path)
        encoding = guess.encoding if guess else None
    if encoding and needs_decoding(encoding):
        head = decode_head(head, encoding)
    suffixes = [suffix.lower() for suffix in PurePath(path.name).suffixes if suffix.lower() != ".gz"]
    name = named or _recognise_content(head, suffixes[-1] if suffixes else "")
    if named == "jsonl" and head.removeprefix(UTF8_MARK).lstrip().startswith(b"["):
        name = _recognise_content(head, ".jsonl")  # a list, whatever it is called: its reader says so
    if name not in formats:
        if named:
            reason = f"there is no format '{named}'"
        else:
            reason = "its name and first bytes show no known format"
        endings = [ending for reader in formats.values() for ending in reader.SUFFIXES]
        values = {"path": file, "reason": reason, "known": sorted(formats), "endings": endings}
        return Diagnostic("dat-not-recognised", values, Location(file=file))
    module = formats[name]
    odd = bool(suffixes) and not named and suffixes[-1] not in module.SUFFIXES
    if odd:
        detail = f"read as {name} by its content"
    else:
        detail = ""
    if hasattr(module, "spool"):
        if not getattr(module, "TABLES", False):
            table = None
        return ChosenFormat(module, packed, detail, table=table, environment=environment)
    return ChosenFormat(module, packed, detail, encoding if needs_decoding(encoding) else None, guess)


@dataclass(frozen=True, slots=True)
class Signature:
    """The bytes that a file of a format begins with, one of `begins`, and those that its beginning `holds`."""

    begins: tuple[bytes, ...]
    holds: bytes = b""

    def matches(self, head: bytes) -> bool:
        """Tell whether a file that begins with `head` is of the format."""
        return head.startswith(self.begins) and self.holds in head


# How formats that are not text begin, whatever the file is called.
BINARY: Mapping[str, Signature] = {
    "parquet": Signature((PARQUET,)),
    sqlite_file.NAME: Signature((sqlite_file.MAGIC,)),
    xlsx.NAME: Signature((xlsx.ZIP,), xlsx.PART),
    arrow_file.NAME: Signature((arrow_file.FILE, arrow_file.STREAM)),
}


def _recognise_content(head: bytes, suffix: str) -> str | None:
    for name, signature in BINARY.items():
        if signature.matches(head):
            return name
    begin = head.removeprefix(UTF8_MARK).lstrip(b" \t\r\n")
    format_name = next(
        (name for name, module in plugins.load_modules("formats").items() if suffix in module.SUFFIXES), None
    )
    if format_name in ("json", None) and checkpoint.is_checkpoint(begin):
        return checkpoint.NAME
    if format_name in ("json", None) and arrow_file.is_state(begin):
        return arrow_file.NAME
    if format_name in ("json", None) and llama_factory_info.is_info(begin):
        return LLAMA_FACTORY
    if format_name not in ("json", "jsonl", None):
        return format_name
    first, _, rest = begin.partition(b"\n")
    rest = rest.lstrip(b" \t\r\n")
    if begin.startswith(b"["):
        if format_name == "jsonl" and rest and first.rstrip().endswith(b"]"):
            return "jsonl"
        return "json"
    if begin.startswith(b"{"):
        if format_name == "jsonl" or (first.rstrip().endswith(b"}") and rest.startswith(b"{")):
            return "jsonl"
        return "json"
    return format_name


def unpack_head(head: bytes) -> bytes:
    """Return the beginning of a gzip file, unpacked; empty where it is not gzip."""
    try:
        return zlib.decompressobj(wbits=31).decompress(head, HEAD)
    except zlib.error:
        return b""


def read_beginning(path: Path) -> bytes:
    """Return the first megabyte of a file, unpacked, without mark and blanks; empty where it cannot be read."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as stream:
            head = stream.read(HEAD)
    except OSError:
        return b""
    if head.startswith(GZIP):
        head = unpack_head(head)
    return head.removeprefix(UTF8_MARK).lstrip(b" \t\r\n")
