"""Read the members of a ZIP one by one, each bounded: stored, deflate, and Zstandard, which zipfile cannot read here.

`.eval` logs are packed by method 93 (Zstandard), known to zipfile from Python 3.14 on only. The Codec of Arrow unpacks
it into as many bytes as the list of members promises, and no more. Source: APPNOTE.TXT of PKWARE, 4.3 to 4.5.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Protocol

CHUNK = 1 << 16
STORED, DEFLATE, ZSTANDARD = 0, 8, 93
METHODS = {STORED: "stored", DEFLATE: "deflate", ZSTANDARD: "Zstandard"}
LOCAL = struct.Struct("<4s5H3L2H")
CENTRAL = struct.Struct("<4s6H3L5H2L")
END = struct.Struct("<4s4H2LH")
END_64 = struct.Struct("<4sQ2H2L4Q")
LOCATOR_64 = struct.Struct("<4sLQL")
LOCAL_MARK, CENTRAL_MARK, END_MARK = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
END_64_MARK, LOCATOR_MARK = b"PK\x06\x06", b"PK\x06\x07"
LONGEST_COMMENT = 0xFFFF
FULL_16, FULL_32 = 0xFFFF, 0xFFFFFFFF  # "look into the fields of 64 bits"
ENCRYPTED, SIZE_BEHIND, UTF8 = 0x1, 0x8, 0x800  # bits of the flags
SIZES_64 = 1  # the extra field that holds sizes of 64 bits


class BadZip(Exception):  # noqa: N818 - it is what the file is
    """The ZIP, or a member of it, cannot be read; the text says why."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member: where it begins, how it is packed, and how long it is."""

    name: str
    method: int
    flags: int
    crc: int
    packed: int
    size: int
    offset: int


def list_members(stream: BinaryIO) -> Iterator[Member]:
    """Yield the members by the list at the end of the ZIP. Raises BadZip where there is none, or it is broken."""
    begin, end, shift = _find_list(stream)
    stream.seek(begin)
    at = begin
    while at + CENTRAL.size <= end:
        header = stream.read(CENTRAL.size)
        if len(header) < CENTRAL.size or not header.startswith(CENTRAL_MARK):
            raise BadZip("its list of members is broken")
        _, _, _, flags, method, _, _, crc, packed, size, name, extra, comment, _, _, _, offset = CENTRAL.unpack(header)
        raw = stream.read(name)
        fields = stream.read(extra)
        stream.seek(comment, 1)
        at += CENTRAL.size + name + extra + comment
        size, packed, offset = _widen(fields, size, packed, offset)
        yield Member(_decode_name(raw, flags), method, flags, crc, packed, size, offset + shift)


def _find_list(stream: BinaryIO) -> tuple[int, int, int]:
    """Return where the list of members begins and ends, and by how much its offsets are moved."""
    length = stream.seek(0, 2)
    start = max(0, length - LONGEST_COMMENT - END.size)
    stream.seek(start)
    tail = stream.read()
    at = tail.rfind(END_MARK)
    if at < 0 or len(tail) < at + END.size:
        raise BadZip("its list of members is missing: the file is cut off, or still being written")
    _, _, _, _, count, size, offset, _ = END.unpack_from(tail, at)
    end = start + at
    if count == FULL_16 or FULL_32 in (size, offset):
        stream.seek(max(0, end - LOCATOR_64.size))
        locator = stream.read(LOCATOR_64.size)
        if locator.startswith(LOCATOR_MARK) and len(locator) == LOCATOR_64.size:
            stream.seek(min(LOCATOR_64.unpack(locator)[2], length))
            wide = stream.read(END_64.size)
            if not wide.startswith(END_64_MARK) or len(wide) < END_64.size:
                raise BadZip("its list of members is broken")
            size, offset = END_64.unpack(wide)[-2:]
            return _check_list(offset, offset + size, 0, length)
    return _check_list(end - size, end, end - size - offset, length)


def _check_list(begin: int, end: int, shift: int, length: int) -> tuple[int, int, int]:
    if not 0 <= begin <= end <= length or shift < 0:
        raise BadZip("its list of members is broken")
    return begin, end, shift


def scan_members(stream: BinaryIO) -> Iterator[Member]:
    """Yield the members that follow each other from the begin, for a ZIP that lost the list at its end."""
    length = stream.seek(0, 2)
    at = 0
    while at + LOCAL.size <= length:
        stream.seek(at)
        header = stream.read(LOCAL.size)
        if not header.startswith(LOCAL_MARK):
            return
        _, _, flags, method, _, _, crc, packed, size, name, extra = LOCAL.unpack(header)
        raw = stream.read(name)
        size, packed, _ = _widen(stream.read(extra), size, packed, 0)
        begin = at + LOCAL.size + name + extra
        if flags & SIZE_BEHIND and not packed:
            return  # how long it is stands behind it
        yield Member(_decode_name(raw, flags), method, flags, crc, packed, size, at)
        at = begin + packed


def _widen(fields: bytes, size: int, packed: int, offset: int) -> tuple[int, int, int]:
    """Return the sizes and the offset, from the extra field of 64 bits where they do not fit into 32."""
    values = [size, packed, offset]
    at = 0
    while at + 4 <= len(fields):
        kind, length = struct.unpack_from("<HH", fields, at)
        if kind == SIZES_64:
            wide = fields[at + 4 : at + 4 + length]
            for place, value in enumerate(values):
                if value == FULL_32 and len(wide) >= 8:
                    values[place] = int.from_bytes(wide[:8], "little")
                    wide = wide[8:]
            break
        at += 4 + length
    return values[0], values[1], values[2]


def _decode_name(raw: bytes, flags: int) -> str:
    if flags & UTF8:
        return raw.decode("utf-8", "replace")
    return raw.decode("cp437")


def read_member(stream: BinaryIO, member: Member, most: int) -> bytes:
    """Return the bytes of a member of at most `most` bytes. Raises BadZip with the reason where it cannot be read."""
    if max(member.size, member.packed) > most:
        raise BadZip(f"it is longer than {most >> 20} MiB")
    stream.seek(_find_data(stream, member))
    packed = stream.read(member.packed)
    if len(packed) < member.packed:
        raise BadZip("the file ends within it")
    data = _unpack(packed, member)
    if len(data) != member.size or zlib.crc32(data) != member.crc:
        raise BadZip("its bytes are not those that were packed (the checksum differs)")
    return data


def _find_data(stream: BinaryIO, member: Member) -> int:
    """Return where the packed bytes of a member begin. Raises BadZip where they cannot be unpacked or are not there."""
    if member.flags & ENCRYPTED:
        raise BadZip("it is encrypted")
    if member.method not in METHODS:
        raise BadZip(f"it is packed by method {member.method}; {', '.join(METHODS.values())} can be read")
    stream.seek(member.offset)
    header = stream.read(LOCAL.size)
    if len(header) < LOCAL.size or not header.startswith(LOCAL_MARK):
        raise BadZip("it is not where the list of members says")
    name, extra = LOCAL.unpack(header)[-2:]
    return member.offset + LOCAL.size + int(name) + int(extra)


class Readable(Protocol):
    """What bytes come out of, piece by piece."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes."""


class MemberStream:
    """The bytes of a member one after the other, for one that is too long to be held. Reading raises BadZip."""

    def __init__(self, stream: BinaryIO, member: Member) -> None:
        self._stream = stream
        self._member = member
        self._source: Readable | None = None
        self._length = 0
        self._crc = 0

    def read(self, size: int) -> bytes:
        """Return the next bytes, at most `size`; at the end look at the checksum."""
        try:
            if self._source is None:
                self._source = _open(self._stream, self._member)
            data = self._source.read(size)
        except (zlib.error, OSError, ValueError, EOFError) as error:
            raise BadZip(f"it cannot be unpacked ({METHODS[self._member.method]}: {error})") from None
        self._length += len(data)
        self._crc = zlib.crc32(data, self._crc)
        is_end = not data and (self._length, self._crc) != (self._member.size, self._member.crc)
        if is_end or self._length > self._member.size:
            raise BadZip("its bytes are not those that were packed (the checksum differs)")
        return data

    def seek(self, offset: int) -> int:
        """Begin anew: only the first byte can be gone to."""
        if offset:
            raise BadZip("a packed member is read from its beginning")
        self._source, self._length, self._crc = None, 0, 0
        return 0


def _open(stream: BinaryIO, member: Member) -> Readable:
    section = _Section(stream, _find_data(stream, member), member.packed)
    if member.method == STORED:
        return section
    if member.method == DEFLATE:
        return _Inflated(section)
    import pyarrow as pa  # type: ignore[import-untyped]

    source: Readable = pa.CompressedInputStream(pa.PythonFile(section, "r"), "zstd")
    return source


class _Section(io.RawIOBase):
    """The part of a file from `begin` on."""

    def __init__(self, stream: BinaryIO, begin: int, length: int) -> None:
        self._stream = stream
        self._at = begin
        self._end = begin + length

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        self._stream.seek(self._at)
        left = self._end - self._at
        data = self._stream.read(left if size < 0 else min(size, left))
        self._at += len(data)
        return data


class _Inflated(io.RawIOBase):
    """What comes out of a deflated part, in pieces that are bounded."""

    def __init__(self, section: _Section) -> None:
        self._section = section
        self._packer = zlib.decompressobj(wbits=-zlib.MAX_WBITS)

    def read(self, size: int = -1) -> bytes:
        while not self._packer.eof:
            packed = self._packer.unconsumed_tail or self._section.read(CHUNK)
            data = self._packer.decompress(packed, max(size, 1))
            if data or not packed:
                return data
        return b""


def _unpack(packed: bytes, member: Member) -> bytes:
    if member.method == STORED:
        return packed
    if not member.size:
        return b""
    try:
        if member.method == DEFLATE:
            return zlib.decompressobj(wbits=-zlib.MAX_WBITS).decompress(packed, member.size)
        return _unpack_zstandard(packed, member.size)
    except (zlib.error, OSError, ValueError) as error:
        raise BadZip(f"it cannot be unpacked ({METHODS[member.method]}: {error})") from None


def _unpack_zstandard(packed: bytes, size: int) -> bytes:
    from pyarrow import Codec

    data: bytes = Codec("zstd").decompress(packed, decompressed_size=size, asbytes=True)
    return data
