"""Workspaces at an address: copied whole and as they are, from where somebody allowed it, or refused in a sentence."""

from __future__ import annotations

import errno
import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
from webhdfs import serving

import readback
from readback.cli import main
from readback.readers.files import by_address, cache_folder, copies
from readback.readers.files.by_address import Refused
from readback.readers.files.checksum import state
from readback.review import renamed, state_folder
from readback.review.event import Draft, new_id
from readback.review.store import Store

FILES = {
    "readback.yml": "dataset: rows/d.jsonl\nmodes: [{mode: m, template: '{{ q }}'}]\n",
    "rows/d.jsonl": '{"id": "1", "q": "Why?"}\n{"id": "2", "q": ""}\n',
}
NAMES: tuple[str | tuple[str, str], ...] = (
    "/team/prompts/../../x", "/team/prompts/", "/team/prompts//a.txt", "/team/prompts/a/b.txt", "/elsewhere/a.txt",
    "/team/prompts/..", f"/team/prompts/{'a' * 256}", "/team/prompts/a\0b", ("/team/prompts/a", "/team/prompts/a"),
)  # fmt: skip


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """A store in memory with FILES below memory://team/prompts, which is allowed, and a cache that has nothing yet."""
    monkeypatch.setenv("READBACK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(by_address.VARIABLE, "memory://team s3://other/")
    found = fsspec.filesystem("memory")
    for name, text in FILES.items():
        found.pipe_file(f"/team/prompts/{name}", text.encode())
    yield found
    found.store.clear()
    found.pseudo_dirs[:] = [""]


def held(folder: Path) -> dict[str, str]:
    return {p.relative_to(folder).as_posix(): p.read_text() for p in folder.rglob("*") if p.is_file()}


def test_a_folder_is_copied_as_it_is_and_opened_by_its_name(store: Any) -> None:
    folder = by_address.fetch("memory://team/prompts")
    assert (folder.name, held(folder)) == ("prompts", FILES)
    study = readback.open("memory://team/prompts")
    assert [record.id for record in study.records] == ["1", "2"]
    assert copies.find_origin(folder) == "memory://team/prompts"
    assert copies.find_origin(folder.parent.parent) is None


def test_a_file_alone_is_copied_into_a_folder_of_its_own(store: Any) -> None:
    file = by_address.fetch("memory://team/prompts/rows/d.jsonl")
    assert held(file.parent) == {"d.jsonl": FILES["rows/d.jsonl"]}
    assert len(readback.open("memory://team/prompts/rows/d.jsonl").records) == 2
    assert copies.find_origin(file.parent) == "memory://team/prompts/rows/d.jsonl"


def test_each_state_has_a_folder_of_its_own_which_stays_as_it_is(store: Any) -> None:
    first = by_address.fetch("memory://team/prompts")
    assert by_address.fetch("memory://team/prompts") == by_address.fetch("memory://team/prompts/") == first
    store.pipe_file("/team/prompts/rows/d.jsonl", b'{"id": "3"}\n')
    store.pipe_file("/team/prompts/more/a/b.txt", b"x")
    second = by_address.fetch("memory://team/prompts")
    assert held(first) == FILES
    assert held(second) == {**FILES, "rows/d.jsonl": '{"id": "3"}\n', "more/a/b.txt": "x"}
    assert [copies.find_origin(folder) for folder in (first, second)] == ["memory://team/prompts"] * 2
    assert state_folder.find_file(first) == state_folder.find_file(second)  # one review of what is at an address
    for name, text in FILES.items():
        store.pipe_file(f"/team/prompts/{name}", text.encode())
    store.rm("/team/prompts/more", recursive=True)
    before = state(first / "readback.yml")
    assert by_address.fetch("memory://team/prompts") == first
    assert state(first / "readback.yml") == before  # the same file, and so its index is good


def test_a_copy_that_is_no_longer_what_it_was_is_made_again(store: Any) -> None:
    folder = by_address.fetch("memory://team/prompts")
    about = folder.parent.parent / cache_folder.ABOUT
    for damage in (
        lambda: (folder / "readback.yml").write_text(""),
        lambda: (folder / "rows" / "d.jsonl").unlink(),
        lambda: (folder / "readback.lock").write_text("mine"),
        *((lambda text=text: about.write_text(text)) for text in ("", "[]", '{"address": "a", "files": []}')),
    ):
        damage()
        assert held(by_address.fetch("memory://team/prompts")) == FILES


def test_a_file_for_whose_content_the_store_vouches_is_read_once(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    read, plain = list[str](), type(store).ls

    def ls(self: Any, path: str, detail: bool = True, **_: Any) -> Any:
        found = plain(self, path, detail=True)
        return [one if one["type"] != "file" else {**one, "ETag": str(store.cat_file(one["name"]))} for one in found]

    def get_file(self: Any, full: str, target: str, **_: Any) -> None:
        read.append(full.removeprefix("/team/prompts/"))
        Path(target).write_bytes(store.cat_file(full))

    monkeypatch.setattr(type(store), "ls", ls)
    monkeypatch.setattr(type(store), "get_file", get_file)
    monkeypatch.setattr(by_address, "OBJECTS", ("memory",))
    by_address.fetch("memory://team/prompts")
    folder = by_address.fetch("memory://team/prompts")
    assert sorted(read) == ["readback.yml", "rows/d.jsonl"]
    (folder / "rows" / "d.jsonl").write_text("damaged")
    store.pipe_file("/team/prompts/readback.yml", b"name: new\n")
    assert held(by_address.fetch("memory://team/prompts")) == {**FILES, "readback.yml": "name: new\n"}
    assert sorted(read[2:]) == ["readback.yml", "rows/d.jsonl"]
    monkeypatch.setattr(by_address, "OBJECTS", ())  # a web server's ETag vouches for nothing
    by_address.fetch("memory://team/prompts")
    assert sorted(read[4:]) == ["readback.yml", "rows/d.jsonl"]


def test_a_file_that_is_the_same_in_two_states_is_there_once_where_the_disk_can(
    store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = [by_address.fetch("memory://team/prompts")]
    store.pipe_file("/team/prompts/readback.yml", b"name: new\n")
    states.append(by_address.fetch("memory://team/prompts"))
    with monkeypatch.context() as without:
        without.setattr(by_address.os, "link", lambda *_: (_ for _ in ()).throw(PermissionError(1, "not permitted")))
        store.pipe_file("/team/prompts/readback.yml", b"name: newer\n")
        states.append(by_address.fetch("memory://team/prompts"))
    rows = [(state / "rows" / "d.jsonl") for state in states]
    assert [one.read_text() for one in rows] == [FILES["rows/d.jsonl"]] * 3
    assert [one.stat().st_ino == rows[0].stat().st_ino for one in rows] == [True, True, False]
    assert sorted(held(states[2])) == sorted(FILES)


def test_the_review_of_an_address_is_that_of_no_other_workspace(
    store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READBACK_STATE", str(tmp_path / "state"))
    store.pipe_file("/team/other/prompts/readback.yml", FILES["readback.yml"].encode())
    one, other = by_address.fetch("memory://team/prompts"), by_address.fetch("memory://team/other/prompts")
    Store(one).save(Draft("note", {"text": "mine"}, "Ann", "cli", new_id()))
    shutil.rmtree(one.parent.parent)
    (tmp_path / "prompts").mkdir()
    assert [renamed.find_former(root) for root in (other, tmp_path / "prompts")] == [None, None]
    assert state_folder.find_file(by_address.fetch("memory://team/prompts")).exists()


def test_what_nobody_opens_for_long_goes_and_so_does_what_was_begun_and_never_ended(store: Any) -> None:
    first = by_address.fetch("memory://team/prompts")
    entry = first.parent.parent.parent
    store.pipe_file("/team/prompts/more.txt", b"x")
    second = by_address.fetch("memory://team/prompts")
    (entry / ".new-killed").mkdir()
    by_address.fetch("memory://team/prompts")
    assert len(list(entry.iterdir())) == 3
    for one in entry.iterdir():
        os.utime(one, (0, time.time() - copies.OLD - 1))
    readback.open(second)  # as the pages do that show it
    store.pipe_file("/team/others/a.txt", b"x")
    by_address.fetch("memory://team/others")
    assert [one.name for one in entry.iterdir()] == [second.parent.parent.name]


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("s3://team/prompts", "variable READBACK_ADDRESSES are read: it has memory://team s3://other/"),
        ("memory://teams/prompts", "are read: it has memory://team"),
        ("memory://team/../secrets", "without '..'"),
        ("memory://team//prompts", "without '..'"),
        ("memory://team/%2e%2e/secrets", "without '..'"),
        ("simplecache::memory://team/prompts", None),
        ("memory://team/prompts::file:///etc", "without '..'"),
        ("memory://me:secret@team/prompts", "no passwords"),
        ("file:///etc/passwd", "a path of this machine is given as it is"),
        ("memory://team/nothing", "there is no such file or folder"),
    ],
)
def test_what_nobody_allowed_or_nobody_has_is_refused(store: Any, address: str, why: str | None) -> None:
    if why is None:
        assert not by_address.is_address(address)
        return
    with pytest.raises(Refused) as refused:
        by_address.fetch(address)
    assert why in str(refused.value)
    assert "secret@" not in str(refused.value)


def test_without_the_variable_nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(by_address.VARIABLE, raising=False)
    with pytest.raises(Refused, match="it is not set; READBACK_ADDRESSES=memory://team/prompts allows this one"):
        by_address.fetch("memory://team/prompts")


def test_a_store_that_nobody_can_read_is_named_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(by_address.VARIABLE, "nosuchstore://a")
    with pytest.raises(Refused, match=r"it cannot be read: ValueError: .*nosuchstore"):
        by_address.fetch("nosuchstore://a/b")


def test_a_name_that_leads_out_of_the_copy_is_refused(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        one = {"name": name, "type": "file", "size": 1}
        twice = [one] if isinstance(name, str) else [{**one, "name": each} for each in name]
        monkeypatch.setattr(type(store), "ls", lambda *_, found=twice, **__: found)
        with pytest.raises(Refused, match="leads elsewhere, or two of one name"):
            by_address.fetch("memory://team/prompts")


def test_how_a_store_keeps_an_empty_folder_is_no_file(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = type(store).ls

    def ls(self: Any, path: str, detail: bool = True, **_: Any) -> Any:
        marks = [{"name": f"{path}{name}", "type": "file", "size": 0} for name in ("/", "/nothing/")]
        return [*marks, {"name": path, "type": "directory"}, *plain(self, path, detail=True)]

    monkeypatch.setattr(type(store), "ls", ls)
    assert held(by_address.fetch("memory://team/prompts")) == FILES


def test_what_is_neither_file_nor_folder_is_said(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(store), "ls", lambda *_, **__: [{"name": "/team/prompts/a", "type": "link"}])
    with pytest.raises(Refused, match="neither a file nor a folder: '/team/prompts/a'"):
        by_address.fetch("memory://team/prompts")


def test_two_files_that_change_one_after_the_other_are_of_one_moment(
    store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    times, plain, copied = {"n": 0}, type(store).ls, type(store).get_file

    def ls(self: Any, path: str, detail: bool = True, **_: Any) -> Any:
        found = plain(self, path, detail=True)
        return [{k: v for k, v in one.items() if k != "created"} | {"modify": times["n"]} for one in found]

    def get_file(self: Any, full: str, target: str, **named: Any) -> None:
        copied(self, full, target, **named)
        if not times["n"]:
            times["n"] = 1
            store.pipe_file("/team/prompts/readback.yml", FILES["readback.yml"].replace("m,", "n,").encode())

    monkeypatch.setattr(type(store), "ls", ls)
    monkeypatch.setattr(type(store), "get_file", get_file)
    assert "mode: n," in held(by_address.fetch("memory://team/prompts"))["readback.yml"]


def test_a_folder_that_cannot_be_listed_is_not_left_out(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = type(store).ls

    def ls(self: Any, path: str, **asked: Any) -> Any:
        if path.endswith("/rows"):
            raise PermissionError("Access denied.")
        return plain(self, path, **asked)

    monkeypatch.setattr(type(store), "ls", ls)
    with pytest.raises(Refused, match=r"it cannot be read: PermissionError: Access denied\."):
        by_address.fetch("memory://team/prompts")


def test_what_changes_while_it_is_copied_is_copied_again(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    changes, plain = [b"name: two\n", b"name: three\n"], type(store).get_file

    def get_file(self: Any, *given: Any, **named: Any) -> None:
        plain(self, *given, **named)
        if changes:
            store.pipe_file("/team/prompts/readback.yml", changes.pop(0))

    monkeypatch.setattr(type(store), "get_file", get_file)
    assert held(by_address.fetch("memory://team/prompts"))["readback.yml"] == "name: three\n"
    changes += [b"name: %d\n" % number for number in range(9)]
    with pytest.raises(Refused, match="changed while it was copied, 3 times"):
        by_address.fetch("memory://team/prompts")
    assert list(cache_folder.cache_folder(by_address.KIND).glob("*/.new-*")) == []


def test_fewer_bytes_than_the_store_has_are_refused(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(store), "get_file", lambda _, full, target: Path(target).write_bytes(b""))
    with pytest.raises(Refused, match=r"readback.yml': 0 bytes came, and the store says that it has \d+"):
        by_address.fetch("memory://team/prompts")


def test_a_full_disk_is_said_as_such(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def get_file(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(type(store), "get_file", get_file)
    with pytest.raises(cache_folder.DiskFull, match="the disk of"):
        by_address.fetch("memory://team/prompts")


def test_too_many_files_are_refused(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_address, "FILES", 1)
    with pytest.raises(Refused, match="more than 1 files and folders"):
        by_address.fetch("memory://team/prompts")


def test_commands_take_an_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in FILES.items():
        path = tmp_path / "prompts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    with serving(tmp_path) as server:
        monkeypatch.setenv(by_address.VARIABLE, server)
        assert main(["check", f"{server}/prompts", "--format", "json", "--fail-on", "never"]) == 0
        said = capsys.readouterr()
        assert main(["check", str(tmp_path / "prompts"), "--format", "json", "--fail-on", "never"]) == 0
        assert said.out == capsys.readouterr().out
        assert json.loads(said.out)["records"]["read"] == 2
        assert f"{server}/prompts was copied to " in said.err
        assert main(["check", f"{server}/nothing"]) == 2
        assert "nothing: there is no such file or folder" in capsys.readouterr().err
        assert main(["serve", f"{server}/nothing"]) == 2
        assert "nothing: there is no such file or folder" in capsys.readouterr().err
        assert main(["lock", f"{server}/prompts"]) == 2
        assert "give a file with -o" in capsys.readouterr().err
        assert main(["lock", f"{server}/prompts", "-o", str(tmp_path / "lock")]) == 0
        assert main(["lock", "--check", f"{server}/prompts", "-o", str(tmp_path / "lock")]) == 0
        capsys.readouterr()
        assert main(["init", f"{server}/prompts"]) == 2
        assert "nothing is written there" in capsys.readouterr().err
        for secret in ("://me:secret@", "://x/?Signature=secret&y="):
            assert main(["check", server.replace("://", secret)]) == 2
            assert "secret" not in capsys.readouterr().err
        monkeypatch.setenv("READBACK_WORKSPACE", f"{server}/prompts")
        assert main(["serve"]) == 2
        assert "give an address to the command" in capsys.readouterr().err
        monkeypatch.delenv(by_address.VARIABLE)
        assert main(["render", f"{server}/prompts", "--record", "1"]) == 2
        assert "READBACK_ADDRESSES" in capsys.readouterr().err
