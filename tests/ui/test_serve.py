"""Starting the server: on a port that is free, said in one line; and downloads, which are for who clicked."""

from __future__ import annotations

import base64
import os
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit

from readback import cli
from readback.project_files import PROJECT
from readback.ui.common import server
from readback.ui.common.draw import downloads
from readback.ui.common.state import open_workspaces
from readback.ui.common.uploads import store as upload


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody listens on, with a free one behind it."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        yield held.getsockname()[1]


def test_after_a_look_of_an_open_page_nobody_walks_through_all_objects_of_the_process() -> None:
    """Each page looks every two seconds; with a collection after each, five of them kept a processor busy."""
    settings = tomllib.loads((PROJECT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert settings["runner"]["postScriptGC"] is False
    assert streamlit.config.get_config_options()["runner.postScriptGC"].where_defined.endswith("config.toml")
    assert streamlit.config.get_option("runner.postScriptGC") is False


def test_c9_a_taken_port_is_passed_over_and_said(taken: int, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(server, "PORT", taken)
    port = server.free_port("127.0.0.1")
    assert port > taken
    said = f"readback: port {taken} is taken by another program, so this is port {port}\n"
    assert capsys.readouterr().err == said


def test_c9_a_free_port_is_taken_without_a_word(capsys: Any) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        free = held.getsockname()[1]
    assert (server.free_port("127.0.0.1", free), capsys.readouterr().err) == (free, "")


def test_c9_a_port_that_was_asked_for_and_is_taken_ends_the_start_in_one_line(taken: int) -> None:
    command = [sys.executable, "-m", "readback.cli", "serve", "--port", str(taken)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    assert done.stderr.startswith(f"readback: port {taken} is taken")
    assert done.stderr.count("\n") == 1
    assert "http://" not in done.stderr + done.stdout


def test_several_workspaces_are_served_in_their_order(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    monkeypatch.setenv("READBACK_WORKSPACE", "")
    monkeypatch.setattr(server, "serve", lambda host, port, base: None)
    monkeypatch.setattr(os, "execv", lambda _, argv: server.main(argv[argv.index("--host") :]))
    assert cli.main(["serve", *map(str, folders)]) is None
    assert list(open_workspaces.configured().values()) == folders
    assert cli.main(["serve", str(folders[0]), str(tmp_path / "three")]) == 2


def cookie(token: bytes, mask: bytes = b"mask") -> str:
    """The cross-site cookie as Streamlit sends it: the token under a mask that changes."""
    masked = bytes(b ^ mask[i % len(mask)] for i, b in enumerate(token))
    return f"a=b; {upload.COOKIE}=2|{mask.hex()}|{masked.hex()}|1700000000"


def test_c9_a_download_is_for_the_browser_that_clicked_and_for_a_short_time(monkeypatch: pytest.MonkeyPatch) -> None:
    mine, again, yours = cookie(b"token"), cookie(b"token", b"other"), cookie(b"another")
    whose = upload.browser({upload.COOKIE: mine.partition(f"{upload.COOKIE}=")[2]})
    assert not downloads.was_given(b"text", mine)
    downloads._remark(b"text", whose)
    asked = (mine, again, yours, "", "a=b", "\0;;=")
    assert [downloads.was_given(b"text", one) for one in asked] == [True, True, False, False, False, False]
    assert not downloads.was_given(b"another text", mine)
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + downloads.LASTS + 1)
    assert not downloads.was_given(b"text", mine)


def test_c9_a_browser_without_a_token_is_given_nothing() -> None:
    downloads._remark(b"nobody's", upload.browser({}))
    assert not downloads.was_given(b"nobody's", "")
    assert not downloads.was_given(b"nobody's", f"{upload.COOKIE}={base64.b64encode(b'x').decode()}")
