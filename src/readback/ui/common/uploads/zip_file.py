"""The files in an uploaded zip, counted before they are listed and checked before a byte of them is believed."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

ENTRIES = 20_000  # in one zip: ten times what an upload keeps, since folders and git's files do not count there
LISTING = 4 << 20  # bytes of a zip's list of its entries, which is held in memory
DICTIONARY = 64 << 20  # bytes that LZMA may hold while it unpacks, as much as its highest usual setting
BLOCK = 1 << 20
LINK, KIND = 0o120000, 0o170000  # how a zip says that an entry is a symbolic link
ENCRYPTED, UTF_8 = 0x1, 0x800  # bits of an entry's flags
LZMA = zipfile.ZIP_LZMA
# APPNOTE.TXT 6.3.10 of PKWARE, 4.3.7, 4.3.14 to 4.3.16: a local header, the end record, and the two of ZIP64.
LOCAL, END, LOCATOR, END_64 = b"PK\3\4", b"PK\5\6", b"PK\6\7", b"PK\6\6"
LOCAL_SIZE, END_SIZE, LOCATOR_SIZE, END_64_SIZE = 30, 22, 20, 56
COMMENT = 1 << 16  # the longest that may be behind the end record

DAMAGED = "it is damaged in the zip file"
NO_ZIP = "it is no whole zip file: its list of files is missing or damaged"


class BrokenError(Exception):
    """What was sent cannot be unpacked; its text says why, in words that end a sentence."""


class TooManyError(BrokenError):
    """A zip lists more than is looked at."""


@dataclass(frozen=True, slots=True)
class Member:
    """A file that was sent, by its name. `blocks` yields its bytes, and may raise BrokenError after some of them.

    `reason` says why it is not kept, whatever its bytes are; `size` is what a zip says that it unpacks to.
    """

    name: str
    blocks: Callable[[], Iterator[bytes]]
    reason: str = ""
    size: int | None = None


def plain(name: str, content: BinaryIO) -> Member:
    """Return a file that is not a zip, as its only member."""
    return Member(name, partial(_read, content))


def members(content: BinaryIO) -> list[Member]:
    """Return the files of a zip, without its folders. Raises BrokenError where the zip as a whole cannot be read."""
    file = _Bounded(content)
    try:
        there = _counted(content)
        archive = zipfile.ZipFile(file)  # it reads, seeks and tells, which is all that is needed
        listed = archive.infolist()
    except BrokenError:
        raise
    except Exception:
        raise BrokenError(NO_ZIP) from None
    if len(listed) != there:
        raise BrokenError(NO_ZIP)
    if not listed:
        raise BrokenError("its list of files is empty")
    entries = (_member(archive, info, content) for info in listed)
    return [member for member in entries if member is not None]


def _counted(content: BinaryIO) -> int:
    """How many entries the zip says that it has, from its end alone. Raises TooManyError, BrokenError."""
    size = content.seek(0, io.SEEK_END)
    start = content.seek(max(0, size - END_SIZE - COMMENT - LOCATOR_SIZE - END_64_SIZE))
    tail = content.read(size - start)
    bare = tail[-END_SIZE:].startswith(END) and tail.endswith(b"\0\0")
    if bare:
        at = len(tail) - END_SIZE
    else:
        at = tail.rfind(END)
    if at < 0 or at + END_SIZE > len(tail):
        raise BrokenError(NO_ZIP)
    count, listing = struct.unpack_from("<H", tail, at + 10)[0], struct.unpack_from("<I", tail, at + 12)[0]
    locator, wide = at - LOCATOR_SIZE, at - LOCATOR_SIZE - END_64_SIZE
    if wide >= 0 and tail.startswith(LOCATOR, locator) and tail.startswith(END_64, wide):
        count, listing = struct.unpack_from("<QQ", tail, wide + 32)
    if count > ENTRIES or listing > LISTING:
        raise TooManyError(f"{ENTRIES:,} entries of a zip file")
    return int(count)


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, content: BinaryIO) -> Member | None:
    name = info.orig_filename
    folder = name.replace("\\", "/").endswith("/") and not info.file_size
    try:
        data = _begins(info, content)
    except (OSError, ValueError, struct.error):
        data = None
    if data is None:
        return Member(name, partial(_nothing, DAMAGED), DAMAGED, info.file_size)
    if folder:
        return None
    reason = _refused(info, content, data)
    return Member(name, partial(_unpacked, archive, info), reason, info.file_size)


def _begins(info: zipfile.ZipInfo, content: BinaryIO) -> int | None:
    """Where an entry's bytes begin; None where the header before them is not that of the list."""
    content.seek(info.header_offset)
    head = content.read(LOCAL_SIZE)
    if len(head) != LOCAL_SIZE or not head.startswith(LOCAL):
        return None
    flags, method, length, extra = (struct.unpack_from("<H", head, at)[0] for at in (6, 8, 26, 28))
    named = content.read(length)
    listed = info.orig_filename.encode("utf-8" if info.flag_bits & UTF_8 else "cp437")
    similar = named == listed and method == info.compress_type and not (flags ^ info.flag_bits) & ENCRYPTED
    spelling = named.isascii() or not (flags ^ info.flag_bits) & UTF_8
    return info.header_offset + LOCAL_SIZE + length + extra if similar and spelling else None


def _refused(info: zipfile.ZipInfo, content: BinaryIO, data: int) -> str:
    """Why an entry is not unpacked, or nothing."""
    if (info.external_attr >> 16) & KIND == LINK:
        return "it is a link, and links are not kept of an upload"
    if info.flag_bits & ENCRYPTED:
        return "it has a password; unpack the zip file and send what was in it"
    if info.compress_type == LZMA:
        content.seek(data)
        head = content.read(9)  # version, length of the settings, settings: one byte and the dictionary's size
        if len(head) < 9 or struct.unpack_from("<I", head, 5)[0] > DICTIONARY:
            if len(head) == 9:
                return f"unpacking it takes more than {DICTIONARY >> 20} MiB of memory"
            return DAMAGED
    return ""


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield an entry's bytes. Raises BrokenError where they are not those of the list: another length, another
    checksum.
    """
    size = 0
    try:
        with archive.open(info) as opened:
            while block := opened.read(BLOCK):
                size += len(block)
                yield block
    except NotImplementedError:
        raise BrokenError("it is packed in a way that is not known here") from None
    except Exception:
        raise BrokenError(DAMAGED) from None
    if size != info.file_size:
        raise BrokenError(DAMAGED)


def _nothing(reason: str) -> Iterator[bytes]:
    raise BrokenError(reason)


def _read(content: BinaryIO) -> Iterator[bytes]:
    content.seek(0)
    while block := content.read(BLOCK):
        yield block


class _Bounded:
    """A file of which nobody reads more at once than a zip's list may be long."""

    def __init__(self, content: BinaryIO) -> None:
        self._content = content
        self.seek, self.tell, self.seekable = content.seek, content.tell, content.seekable

    def read(self, size: int = -1) -> bytes:
        if size > LISTING:
            raise BrokenError(NO_ZIP)
        return self._content.read(LISTING if size < 0 else size)
