"""`readback tap`: the exact bodies are kept and nothing else, replies come in each form, and exit codes stay."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import read_log_files as logs

from readback import cli
from readback.tap.program import build_environment
from readback.tap.request_file import RequestFile
from readback.tap.server import Tap, TapServer
from readback.tap.upstream import parse_upstream

ASK = [{"role": "user", "content": "How long is the pier?"}]


@pytest.fixture
def tap(tmp_path: Path) -> Tap:
    return Tap(RequestFile(tmp_path / "tap.jsonl"), "90 m")


@pytest.fixture
def address(tap: Tap) -> Iterator[str]:
    server = TapServer(tap)
    yield server.address
    server.close()
    tap.requests.close()


def post(address: str, path: str, body: Any, headers: dict[str, str] | None = None) -> Any:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Content-Type": "application/json", **(headers or {})})
    return urllib.request.urlopen(request, timeout=20)


def get_texts(value: Any) -> str:
    """Return the text of a whole reply, by the path that each interface has for it."""
    for path in (
        ("choices", 0, "message", "content"), ("choices", 0, "text"), ("output", 0, "content", 0, "text"),
        ("content", 0, "text"), ("message", "content"), ("response",),
    ):  # fmt: skip
        inner = value
        for step in path:
            try:
                inner = inner[step]
            except (KeyError, IndexError, TypeError):
                inner = None
                break
        if isinstance(inner, str):
            return inner
    raise AssertionError(value)


FORMS = [
    ("/v1/chat/completions", {"model": "m", "messages": ASK}),
    ("/chat/completions", {"model": "m", "messages": ASK}),
    ("/v1/completions", {"model": "m", "prompt": "How long?"}),
    ("/v1/responses", {"model": "m", "input": "How long?"}),
    ("/v1/messages", {"model": "m", "max_tokens": 5, "messages": ASK}),
    ("/api/chat", {"model": "m", "messages": ASK, "stream": False}),
    ("/api/generate", {"model": "m", "prompt": "How long?", "stream": False}),
]


@pytest.mark.parametrize(("path", "body"), FORMS)
def test_a_reply_comes_in_the_form_of_its_interface(address: str, path: str, body: Any) -> None:
    with post(address, path, body) as response:
        assert get_texts(json.load(response)) == "90 m"


STREAMS = [
    ("/v1/chat/completions", {"model": "m", "messages": ASK, "stream": True}, "data: [DONE]"),
    ("/v1/completions", {"model": "m", "prompt": "x", "stream": True}, "data: [DONE]"),
    ("/v1/responses", {"model": "m", "input": "x", "stream": True}, "response.completed"),
    ("/v1/messages", {"model": "m", "messages": ASK, "stream": True}, "message_stop"),
    ("/api/chat", {"model": "m", "messages": ASK}, '"done": true'),
    ("/api/generate", {"model": "m", "prompt": "x"}, '"done": true'),
]


@pytest.mark.parametrize(("path", "body", "end"), STREAMS)
def test_a_reply_is_streamed_where_it_is_asked_for(address: str, path: str, body: Any, end: str) -> None:
    with post(address, path, body) as response:
        text = response.read().decode()
    assert "90 m" in text
    assert end in text.rstrip().splitlines()[-1]


def test_models_are_listed_and_unknown_paths_are_counted(tap: Tap, address: str) -> None:
    post(address, "/v1/chat/completions", {"model": "house", "messages": ASK}).close()
    with urllib.request.urlopen(f"{address}/v1/models") as response:
        assert [model["id"] for model in json.load(response)["data"]] == ["house"]
    with urllib.request.urlopen(f"{address}/api/tags") as response:
        assert [model["name"] for model in json.load(response)["models"]] == ["house"]
    with pytest.raises(urllib.error.HTTPError):
        post(address, "/v1/images/edits?key=secret", {})
    assert dict(tap.other_paths) == {"/v1/images/edits": 1}


def test_a_body_is_kept_byte_for_byte_and_no_header_is(tmp_path: Path, tap: Tap, address: str) -> None:
    body = '{ "model":"m" , "messages": [{"role": "user", "content": "é\\u00e9 \\n"}], "x": 1.0, "x": 1e2 }'.encode()
    post(address, "/v1/chat/completions?key=hidden", body, {"Authorization": "Bearer hidden"}).close()
    file = tmp_path / "tap.jsonl"
    assert b'{"tap": 1, "index": 0, "url": "/v1/chat/completions", "body": ' + body + b"}\n" == file.read_bytes()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert b"hidden" not in file.read_bytes()


def test_what_was_kept_is_a_log(tmp_path: Path, address: str) -> None:
    for path, body in FORMS:
        post(address, path, body).close()
    with pytest.raises(urllib.error.HTTPError):
        post(address, "/v1/chat/completions", b"no JSON")
    calls = logs.calls_of(logs.read_log(tmp_path / "tap.jsonl"))
    question = [{"role": "user", "content": "How long?"}]
    assert [ASK, ASK, None, question, ASK, ASK, question, None] == [call.messages for call in calls]
    assert (calls[2].text, calls[-1].error) == ("How long?", "the body is no JSON")


def test_a_page_of_another_site_gets_nothing(tap: Tap, address: str) -> None:
    with pytest.raises(urllib.error.HTTPError, match="403"):
        post(address, "/v1/chat/completions", {"model": "m", "messages": ASK}, {"Host": "evil.example"})
    assert tap.requests.count == 0


class Model(BaseHTTPRequestHandler):
    """A server that streams two parts with a pause, and says what it was asked."""

    protocol_version = "HTTP/1.1"
    asked: list[tuple[str, str | None, bytes]] = []  # noqa: RUF012 - cleared by each test

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.asked.append((self.path, self.headers["Authorization"], body))
        self.send_response(429 if b"busy" in body else 200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for part in (b"data: one\n\n", b"data: two\n\n"):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.flush()
            time.sleep(0.5)
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def model() -> Iterator[str]:
    Model.asked.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    server.handle_error = lambda *_: None  # a client that leaves early is no news
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()


def test_a_request_is_passed_on_as_it_is_and_its_reply_comes_part_by_part(tap: Tap, address: str, model: str) -> None:
    tap.upstream = parse_upstream(model)
    body = b'{"model":"m","messages":[]}'
    with post(address, "/v1/chat/completions", body, {"Authorization": "Bearer key"}) as response:
        begun = time.monotonic()
        first = response.read1(100)
        pause = time.monotonic() - begun
        rest = response.read()
    assert (first, rest) == (b"data: one\n\n", b"data: two\n\n")
    assert pause < 0.4, "the first part waited for the second"
    assert [("/v1/chat/completions", "Bearer key", body)] == Model.asked
    assert tap.requests.count == 1


def test_a_status_is_passed_back_and_a_server_that_is_away_is_a_bad_gateway(tap: Tap, address: str, model: str) -> None:
    tap.upstream = parse_upstream(model)
    with pytest.raises(urllib.error.HTTPError, match="429"):
        post(address, "/v1/chat/completions", b'{"busy": 1}')
    tap.upstream = parse_upstream("http://127.0.0.1:9")
    with pytest.raises(urllib.error.HTTPError, match="502"):
        post(address, "/v1/chat/completions", b"{}")
    assert tap.failures.total() == 1


WRONG = ["ftp://a", "http://", "api.openai.com", "https://user:pass@a", "https://a/v1?key=x", "http://a:port"]


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_address_of_a_server_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"address|[Pp]ort"):
        parse_upstream(text)


def test_a_key_of_the_program_stays_and_a_missing_one_is_filled() -> None:
    variables = build_environment({"OPENAI_API_KEY": "own", "NO_PROXY": "a"}, "http://127.0.0.1:1")
    assert (variables["OPENAI_API_KEY"], variables["ANTHROPIC_API_KEY"]) == ("own", "readback-tap")
    assert (variables["OPENAI_BASE_URL"], variables["NO_PROXY"]) == ("http://127.0.0.1:1/v1", "a,127.0.0.1,localhost")


PROGRAM = """
import os, sys, urllib.request
address = os.environ["OPENAI_BASE_URL"]
assert sys.argv[1] + "/v1" == address, sys.argv
for number in range(2):
    request = urllib.request.Request(address + "/chat/completions", b'{"messages": [], "n": %d}' % number)
    urllib.request.urlopen(request).read()
sys.exit(7)
"""


def run_tap(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "readback.cli", "tap", *words], capture_output=True, text=True)


def test_the_exit_code_of_the_program_is_that_of_the_command(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    ended = run_tap("-o", str(file), "--", sys.executable, "-c", PROGRAM, "{tap}")
    assert (ended.returncode, ended.stdout) == (7, ""), ended.stderr
    assert "2 requests in" in ended.stderr
    assert [json.loads(line)["body"]["n"] for line in file.read_text().splitlines()] == [0, 1]


def test_a_program_that_asks_elsewhere_is_told_of(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code = cli.main(
        [
            "tap",
            "-q",
            "-o",
            str(tmp_path / "kept.jsonl"),
            "--",
            sys.executable,
            "-c",
            "import os; os.kill(os.getpid(), 15)",
        ]
    )
    assert code == 143
    assert "no request came" in capfd.readouterr().err


def test_a_program_that_is_not_there_leaves_no_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "kept.jsonl"
    assert cli.main(["tap", "-o", str(file), "--", "no-such-program"]) == 2
    assert "no-such-program cannot be run" in capfd.readouterr().err
    assert not file.exists()


def test_an_earlier_file_is_never_written_over(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "kept.jsonl"
    file.write_text("mine")
    assert cli.main(["tap", "-o", str(file), "--", "true"]) == 2
    assert file.read_text() == "mine"
    file.unlink()
    file.symlink_to(tmp_path / "other")
    assert cli.main(["tap", "-o", str(file), "--", "true"]) == 2
    assert not (tmp_path / "other").exists()
