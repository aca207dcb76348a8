"""Uploads: where they lie, who sees them, what is left out."""

from __future__ import annotations

import gzip
import io
import os
import stat
import time
import zipfile
from pathlib import Path

import pytest
import streamlit as st

from readback import workspace
from readback.records.dataset import open_dataset
from readback.ui.common.draw.head import frame
from readback.ui.common.uploads import quota as upload_quota
from readback.ui.common.uploads import store as upload

ME, YOU = upload.owner("me"), upload.owner("you")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("READBACK_UPLOADS", str(tmp_path / "uploads"))
    return tmp_path / "uploads"


def zipped(**members: bytes) -> io.BytesIO:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out


def kept(token: str) -> dict[str, bytes]:
    folder = upload.path(token, ME)
    assert folder is not None
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_files_are_kept_with_their_folders() -> None:
    token, diagnostics = upload.save([("a.jsonl", io.BytesIO(b"{}\n")), ("sub/b.yml", io.BytesIO(b"x: 1"))], ME)
    assert (kept(token), diagnostics) == ({"a.jsonl": b"{}\n", "sub/b.yml": b"x: 1"}, ())


def test_a_zip_file_is_unpacked() -> None:
    token, diagnostics = upload.save([("w.zip", zipped(**{"prompt_config.yml": b"p", "d/t.jinja": b"t"}))], ME)
    assert (kept(token), diagnostics) == ({"prompt_config.yml": b"p", "d/t.jinja": b"t"}, ())


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a/../../x", "C:\\x", "a\\..\\..\\x", "", "a//b"])
def test_a_name_that_leads_outside_is_left_out_with_a_note(name: str) -> None:
    token, diagnostics = upload.save([(name, io.BytesIO(b"x")), ("ok.txt", io.BytesIO(b"y"))], ME)
    assert (kept(token), [diagnostic.code for diagnostic in diagnostics]) == ({"ok.txt": b"y"}, ["dat-path-outside"])


def test_a_file_where_a_folder_should_be_is_left_out_with_a_note() -> None:
    token, diagnostics = upload.save([("a", io.BytesIO(b"x")), ("a/b", io.BytesIO(b"y")), ("c", io.BytesIO(b"z"))], ME)
    assert (kept(token), [diagnostic.code for diagnostic in diagnostics]) == (
        {"a": b"x", "c": b"z"},
        ["dat-file-missing"],
    )


def test_a_link_in_a_zip_file_is_left_out() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("link")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    token, _ = upload.save([("w.zip", out)], ME)
    assert kept(token) == {}


@pytest.mark.parametrize(
    ("named", "folder"),
    [
        (".git", ".git"),
        ("study/.GIT/config", "study/.GIT"),
        ("study/sub/.git. /HEAD", "study/sub/.git. "),
        ("a/GIT~1/HEAD", "a/GIT~1"),
        ("a\\.git\\HEAD", "a/.git"),
    ],
)
def test_c1_what_git_keeps_is_left_out_of_an_upload(named: str, folder: str) -> None:
    sent = {named: b"gitdir: /elsewhere", "ok.txt": b"y"}
    for files in ([("w.zip", zipped(**sent))], [(name, io.BytesIO(content)) for name, content in sent.items()]):
        token, diagnostics = upload.save(files, ME)
        assert kept(token) == {"ok.txt": b"y"}
        assert [(diagnostic.code, diagnostic.severity, diagnostic.flagged) for diagnostic in diagnostics] == [
            ("dat-file-missing", "info", folder)
        ]


def test_c1_a_repository_by_another_name_is_left_out_and_said_once() -> None:
    bare = {f"w/study.git/{name}": b"x" for name in ("HEAD", "objects/aa/b", "refs/heads/m", "config", "hooks/h")}
    tree = {f"w/own/{name}": b"x" for name in ("HEAD", "commondir")}
    rest = {"w/ok.txt": b"y", "w/study.git/notes.md": b"n", "w/objects/a.txt": b"o", "w/config/c.yml": b"c"}
    token, diagnostics = upload.save([("w.zip", zipped(**bare, **tree, **rest))], ME)
    assert kept(token) == rest
    assert [diagnostic.flagged for diagnostic in diagnostics] == ["w/study.git", "w/own"]


def test_c1_the_files_of_git_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload, "COUNT", 2)
    many_of_git = {f".git/objects/{n:02x}/{n}": b"x" for n in range(50)}
    token, diagnostics = upload.save([("w.zip", zipped(**many_of_git, a=b"1", b=b"2"))], ME)
    assert (kept(token), len(diagnostics)) == ({"a": b"1", "b": b"2"}, 1)


def test_a_bomb_is_stopped_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload, "WHOLE", 1 << 20)
    with io.BytesIO() as out:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("big", b"\0" * (64 << 20))
        token, diagnostics = upload.save([("w.zip", out)], ME)
    assert (kept(token), [diagnostic.code for diagnostic in diagnostics]) == ({}, ["dat-too-large"])


@pytest.mark.parametrize(
    ("name", "title"),
    [("study/data.jsonl", "study"), ("my study.zip", "my_study"), ("../x", "files"), ("owner", "owner"), ("", "files")],
)
def test_the_workspace_is_called_by_what_was_sent(name: str, title: str) -> None:
    token, _ = upload.save([(name, io.BytesIO(b"x")), ("ok", io.BytesIO(b"y"))], ME)
    folder = upload.path(token, ME)
    assert folder is not None
    assert folder.name == title


@pytest.mark.parametrize(
    ("names", "title"),
    [
        (["q 1.csv"], "q 1.csv"),
        (["b.csv", "a.yml", "c.txt"], "b.csv and 2 more"),
        (["study/a.yml", "study/b.csv"], "study"),
    ],
)
def test_an_upload_is_called_by_its_files(names: list[str], title: str) -> None:
    token, _ = upload.save([(name, io.BytesIO(b"x")) for name in names], ME, unwrap=True)
    folder = upload.path(token, ME)
    assert folder is not None
    assert upload.title(folder) == title


def test_the_time_of_an_upload_is_the_browsers(monkeypatch: pytest.MonkeyPatch) -> None:
    def said(zone: str | None) -> str:
        monkeypatch.setattr(type(st.context), "timezone", property(lambda _: zone))
        return frame.clock(43_200)  # noon in Greenwich

    assert (said("Asia/Tokyo"), said("America/New_York")) == ("21:00:00", "07:00:00")
    assert said(None) == said("../etc") == time.strftime("%H:%M:%S %Z", time.localtime(43_200))


def test_another_browser_does_not_see_it() -> None:
    token, _ = upload.save([("a", io.BytesIO(b"x"))], ME)
    assert (None, (), (token,)) == (upload.path(token, YOU), upload.mine(YOU), upload.mine(ME))


@pytest.mark.parametrize("token", ["", "..", "upload-../x", "upload-nothing", "/etc"])
def test_an_id_is_never_a_path(token: str) -> None:
    assert upload.path(token, ME) is None


def test_it_is_gone_after_a_day(home: Path) -> None:
    token, _ = upload.save([("a", io.BytesIO(b"x"))], ME)
    yesterday = time.time() - upload.DAY - 60
    os.utime(home / token, (yesterday, yesterday))
    assert upload.path(token, ME) is None
    upload.sweep()
    assert not (home / token).exists()


def test_delete_now_deletes_now(home: Path) -> None:
    token, _ = upload.save([("a", io.BytesIO(b"x"))], ME)
    upload.delete(token, YOU)
    assert (home / token).exists()
    upload.delete(token, ME)
    assert not (home / token).exists()


def test_what_is_indexed_of_an_upload_counts_for_its_limit(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READBACK_CACHE", str(tmp_path / "cache"))
    rows = gzip.compress(b'{"id": "1", "question": "' + b"x" * 400_000 + b'"}\n')
    token, _ = upload.save([("rows.jsonl.gz", io.BytesIO(rows))], ME)
    before = upload_quota.used(ME)
    folder = upload.path(token, ME)
    assert folder is not None
    opened = workspace.open(folder)
    assert len(open_dataset(opened.root, opened.dataset)) == 1
    mine, every = upload_quota.used(ME)
    assert mine - before[0] == every - before[1] > 400_000
    assert upload_quota.used(YOU)[0] == 0
    upload.delete(token, ME)
    assert upload_quota.used(ME) == (0, 0)
