"""Zips as they come: broken, mutated, huge, oddly named; an upload is whole or gone, and what is left out is said."""

from __future__ import annotations

import errno
import io
import os
import random
import resource
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from counts import many

from readback.checks import rules
from readback.ui.common.uploads import store as upload
from readback.ui.common.uploads import zip_file as upload_zip

ME = upload.owner("me")
METHODS = {"stored": zipfile.ZIP_STORED, "deflated": zipfile.ZIP_DEFLATED, "bzip2": zipfile.ZIP_BZIP2,
           "lzma": zipfile.ZIP_LZMA}  # fmt: skip
ROWS = "".join(f'{{"id": "{n}", "question": "Why is {n} so, and not {n * n}?"}}\n' for n in range(60)).encode()
STUDY = {
    "study/readback.yml": b"dataset: data.jsonl\nmodes: [{mode: m, template: 'Q: {{ question }}'}]\n",
    "study/data.jsonl": ROWS,
    "study/r\u00e9sultats/cl\u00e9s.csv": b"id,text\n1,one\n2,two\n",
    "study/random.bin": random.Random(5).randbytes(400),
    "study/empty.txt": b"",
    "study/a.txt": b"a",
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("READBACK_UPLOADS", str(tmp_path / "uploads"))
    monkeypatch.setenv("READBACK_CACHE", str(tmp_path / "cache"))  # who deletes an upload looks through all of it
    return tmp_path / "uploads"


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED, **more: Any) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.mkdir("study/")
        for name, content in files.items():
            with archive.open(name, "w", **more) as file:
                file.write(content)
    return out.getvalue()


def save(*files: tuple[str, bytes]) -> tuple[dict[str, bytes], list[Any]]:
    token, diagnostics = upload.save([(name, io.BytesIO(content)) for name, content in files], ME)
    folder = upload.path(token, ME)
    assert folder is not None
    there = {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    for diagnostic in diagnostics:
        assert "/uploads/" not in rules.build_finding(diagnostic).message
    return there, list(diagnostics)


def reasons(diagnostics: list[Any]) -> dict[str, str]:
    return {
        diagnostic.flagged: str(diagnostic.values.get("reason", diagnostic.values.get("limit")))
        for diagnostic in diagnostics
    }


@pytest.mark.parametrize("method", METHODS)
def test_c3_a_whole_zip_is_kept_whole(method: str) -> None:
    assert save(("w.zip", zipped(STUDY, METHODS[method]))) == (STUDY, [])


def test_c3_a_zip_that_is_written_as_a_stream_or_behind_a_program_is_a_zip() -> None:
    assert save(("w.zip", b"#!/bin/sh\nexit\n" + zipped(STUDY, force_zip64=True))) == (STUDY, [])


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (b"", upload_zip.NO_ZIP),
        (b"PK", upload_zip.NO_ZIP),
        (b"not a zip at all" * 100, upload_zip.NO_ZIP),
        (zipped(STUDY)[:-30], upload_zip.NO_ZIP),
        (zipped(STUDY)[:-22] + b"PK\5\6" + b"\xff" * 16 + b"\0\0", "20,000 entries of a zip file"),
    ],
    ids=["empty", "two bytes", "text", "cut off", "end record of ones"],
)
def test_c3_a_broken_zip_is_one_finding_and_the_files_beside_it_are_kept(broken: bytes, said: str) -> None:
    there, diagnostics = save(("w.zip", broken), ("ok.txt", b"y"))
    assert (there, reasons(diagnostics)) == ({"ok.txt": b"y"}, {"w.zip": said})


def test_c3_a_zip_without_its_first_bytes_gives_what_is_whole() -> None:
    there, diagnostics = save(("w.zip", zipped(STUDY)[200:]))
    assert there.items() <= STUDY.items()
    assert set(reasons(diagnostics)) >= set(STUDY) - set(there) != set()


def in_member(packed: bytes, name: str, change: int = 3) -> bytes:
    """The zip with a byte changed in what is packed of one member."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        info = archive.getinfo(name)
    at = info.header_offset + 30 + len(name.encode()) + info.compress_size // 2
    return packed[:at] + bytes([packed[at] ^ change]) + packed[at + 1 :]


@pytest.mark.parametrize("method", METHODS)
def test_c3_a_damaged_member_is_one_finding_and_the_rest_is_kept(method: str) -> None:
    there, diagnostics = save(("w.zip", in_member(zipped(STUDY, METHODS[method]), "study/data.jsonl")))
    assert there == {name: content for name, content in STUDY.items() if name != "study/data.jsonl"}
    assert reasons(diagnostics) == {"study/data.jsonl": upload_zip.DAMAGED}


def test_c3_a_password_is_said() -> None:
    packed = bytearray(zipped({"a.txt": b"a"}))
    for sign, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        packed[packed.rfind(sign) + at] |= 1
    assert "password" in reasons(save(("w.zip", bytes(packed)))[1])["a.txt"]


def test_c3_a_way_of_packing_that_is_not_known_is_said() -> None:
    packed = bytearray(zipped({"a.txt": b"a"}))
    for sign, at in ((b"PK\3\4", 8), (b"PK\1\2", 10)):
        packed[packed.rfind(sign) + at] = 9  # Deflate64
    assert "not known" in reasons(save(("w.zip", bytes(packed)))[1])["a.txt"]


def test_c3_lzma_that_asks_for_gigabytes_does_not_get_them() -> None:
    packed = bytearray(zipped({"a.txt": b"a"}, zipfile.ZIP_LZMA))
    at = packed.rfind(b"PK\3\4") + 30 + len("a.txt")
    packed[at + 5 : at + 9] = b"\xff\xff\xff\x7f"
    assert "memory" in reasons(save(("w.zip", bytes(packed)))[1])["a.txt"]


def test_c3_a_link_is_said() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("link")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
        archive.writestr("ok.txt", "y")
    there, diagnostics = save(("w.zip", out.getvalue()))
    assert there == {"ok.txt": b"y"}
    assert reasons(diagnostics) == {"link": "it is a link, and links are not kept of an upload"}


@pytest.mark.parametrize("name", ["\ud800.txt", "sub/a\udcff.jsonl"])
def test_c3_a_name_that_is_no_text_is_one_note(name: str) -> None:
    there, diagnostics = save((name, b"x"), ("ok.txt", b"y"))
    assert there == {"ok.txt": b"y"}
    assert list(reasons(diagnostics).values()) == ["its name is not text"]
    rules.build_finding(diagnostics[0]).message.encode()


@pytest.mark.parametrize("long", ["n" * 256, "\u00e9" * 128, "ok/" + "n" * 300 + "/x"])
def test_c3_a_name_that_is_too_long_is_one_note_and_the_rest_is_kept(long: str) -> None:
    sent = {long: b"x", "ok.txt": b"y", "n" * 255: b"z"}
    there, diagnostics = save(("w.zip", zipped(sent)))
    assert (there, len(diagnostics)) == ({"ok.txt": b"y", "n" * 255: b"z"}, 1)
    assert "longer than 255 bytes" in rules.build_finding(diagnostics[0]).message


def test_c3_a_path_that_is_too_long_is_one_note() -> None:
    there, diagnostics = save(("/".join(["d" * 255] * 16)[:-3], b"x"), ("ok.txt", b"y"))
    assert (there, len(diagnostics)) == ({"ok.txt": b"y"}, 1)


def test_c3_two_files_of_one_name_are_said() -> None:
    there, diagnostics = save(("a.txt", b"1"), ("a.txt", b"2"), ("a.txt/b", b"3"))
    assert there == {"a.txt": b"1"}
    assert set(reasons(diagnostics).values()) == {"another file or folder of the upload has its name"}


def directory(entries: int, names: int = 1) -> bytes:
    """A zip of nothing but its list, of so many entries; the end record says how many with ZIP64."""
    one = struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 0, 0, 0, 0, 0, 0, names, 0, 0, 0, 0, 0, 0) + b"n" * names
    listed = one * entries
    wide = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, entries, entries, len(listed), 0)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, len(listed), 1)
    return listed + wide + locator + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 2**32 - 1, 2**32 - 1, 0)


@pytest.mark.parametrize("lying", [False, True])
def test_c3_a_zip_of_three_million_entries_costs_no_memory(tmp_path: Path, lying: bool) -> None:
    packed = bytearray(directory(3_000_000))
    assert len(packed) > 140_000_000
    if lying:  # it says that there are ten
        at = packed.rfind(b"PK\6\6")
        packed[at + 24 : at + 40] = struct.pack("<2Q", 10, 10)
    (tmp_path / "w.zip").write_bytes(packed)
    code = f"""
import resource, sys
from readback.ui.common.uploads import store as upload
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with open({str(tmp_path / "w.zip")!r}, "rb") as file:
    token, notes = upload.save([("w.zip", file)], upload.owner("me"))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, [note.code for note in notes])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    more, _, codes = done.stdout.strip().partition(" ")
    assert codes == "['dat-limit']"
    assert int(more) < 8 << 10  # KiB


def test_c3_a_list_that_is_longer_than_its_end_says_is_not_believed() -> None:
    packed = bytearray(zipped(STUDY))
    packed[-12:-8] = struct.pack("<2H", 2, 2)
    assert list(reasons(save(("w.zip", bytes(packed)), ("ok.txt", b"y"))[1])) == ["w.zip"]


class FullDisk(io.BytesIO):
    """A file whose reading meets what a full disk, or a stopped run, comes to."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(b"x" * 100)
        self.error = error

    def read(self, size: int | None = -1) -> bytes:
        raise self.error


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt(), ValueError()])
def test_c3_an_upload_that_stops_in_the_middle_is_gone(home: Path, error: BaseException) -> None:
    sent: list[tuple[str, BinaryIO]] = [("a.txt", io.BytesIO(b"x")), ("b.txt", FullDisk(error))]
    with pytest.raises(type(error)):
        upload.save(sent, ME)
    assert list(home.iterdir()) == []
    assert upload.mine(ME) == ()


def test_c3_what_was_begun_by_a_process_that_was_killed_is_not_on_the_shelf_and_is_swept(home: Path) -> None:
    code = """
import io, os
from readback.ui.common.uploads import store as upload
class Killed(io.BytesIO):
    def read(self, size=-1):
        os.kill(os.getpid(), 9)
upload.save([("a.txt", io.BytesIO(b"x")), ("b.txt", Killed(b"y"))], upload.owner("me"))
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    begun = list(home.iterdir())
    assert (len(begun), upload.mine(ME)) == (1, ())
    assert upload.path(begun[0].name, ME) is None
    os.utime(begun[0], (0, 0))
    upload.sweep()
    assert list(home.iterdir()) == []


def test_c3_the_folder_that_wraps_an_upload_is_taken_away_before_it_is_on_the_shelf() -> None:
    token, diagnostics = upload.save([("w.zip", io.BytesIO(zipped(STUDY)))], ME, unwrap=True)
    folder = upload.path(token, ME)
    assert folder is not None
    assert (folder / "data.jsonl").read_bytes() == ROWS
    assert diagnostics == ()


def bases() -> list[tuple[dict[str, bytes], bytes]]:
    """Zips as programs write them: every way of packing, sizes behind the data, ZIP64, a comment, bytes in front."""
    made = [(STUDY, zipped(STUDY, method)) for method in METHODS.values()]
    made += [(STUDY, zipped(STUDY, zipfile.ZIP_DEFLATED, force_zip64=True)), (STUDY, b"#!x\n" + zipped(STUDY))]
    stream = io.BytesIO()

    class Pipe(io.RawIOBase):
        def writable(self) -> bool:
            return True

        def write(self, data: Any) -> int:
            return stream.write(data)

    mixed = dict(zip(STUDY, METHODS.values(), strict=False))
    with zipfile.ZipFile(Pipe(), "w") as archive:  # type: ignore[type-var, arg-type]
        for name, content in STUDY.items():
            archive.writestr(name, content, mixed.get(name, zipfile.ZIP_DEFLATED))
        archive.comment = b"made as a stream PK\5\7"
    return [*made, (STUDY, stream.getvalue())]


def mutated(packed: bytes, chance: random.Random) -> bytes:
    """One of the ways in which a file is damaged on its way."""
    data = bytearray(packed)
    marks = [at for sign in (b"PK\1\2", b"PK\3\4", b"PK\5\6", b"PK\6\6", b"PK\6\7") for at in _all(packed, sign)]
    for _ in range(chance.choice((1, 1, 1, 2, 5, 40))):
        at = chance.choice((chance.randrange(len(data)), chance.choice(marks) + chance.randrange(50)))
        at = min(at, len(data) - 1)
        kind = chance.randrange(8)
        if kind < 3:
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 3:
            data[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, ord("/"), chance.randrange(256)))
        elif kind == 4:
            data[at : at + 4] = chance.choice((b"\xff" * 4, b"\0" * 4, struct.pack("<I", chance.randrange(1 << 32))))
        elif kind == 5:
            del data[at : at + chance.choice((1, 2, 46, chance.randrange(1, 200)))]
        elif kind == 6:
            data[at:at] = chance.randbytes(chance.randrange(1, 30))
        else:
            other = chance.randrange(len(data))
            data[at : at + 46] = data[other : other + 46]
        if len(data) < 4:
            break
    return bytes(data)


def _all(data: bytes, sign: bytes) -> list[int]:
    found, at = [], data.find(sign)
    while at >= 0:
        found.append(at)
        at = data.find(sign, at + 1)
    return found


@pytest.mark.long
def test_c3_mutated_zips_give_findings_and_never_a_wrong_file(home: Path) -> None:
    chance = random.Random(20_000)
    there = bases()
    clean = said = 0
    for number in range(many(20_000)):
        wanted, packed = chance.choice(there)
        kept, diagnostics = save(("w.zip", mutated(packed, chance)))
        wrong = {name for name, content in kept.items() if wanted.get(name) != content}
        assert wrong == set(), number
        lost = set(wanted) - set(kept)
        assert diagnostics or not lost, (number, lost)
        for diagnostic in diagnostics:
            rules.build_finding(diagnostic).message.encode()
        clean += not diagnostics
        said += bool(diagnostics)
        upload.delete(upload.mine(ME)[0], ME)
        assert list(home.iterdir()) == [], number
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"{clean + said} mutated zips: {said} with findings, {clean} read whole; {memory} MiB at most")
