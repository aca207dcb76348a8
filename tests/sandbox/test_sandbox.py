"""The bounded child: what it answers, what stops it, and what it cannot see."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from counts import some
from hypothesis import given, settings
from hypothesis import strategies as st
from in_time import in_time

from readback import sandbox
from readback.sandbox import frames, give_way

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
BRIEF = sandbox.Limits(seconds=0.3, total=1.0)


def drill(name: str, payload: Any = None, limits: sandbox.Limits = BRIEF) -> Any:
    return sandbox.call(f"readback.sandbox.self_test:{name}", payload, limits)


@settings(max_examples=some(50), deadline=None)
@given(JSON)
def test_json_comes_back_as_it_went(value: Any) -> None:
    assert drill("echo", value) == value


def test_lone_surrogates_and_nul_travel() -> None:
    assert drill("echo", "a\ud800\x00\U0001f600") == "a\ud800\x00\U0001f600"


@pytest.mark.parametrize("value", [b"", b"\x00\xff{\n", "text"])
def test_bytes_travel_as_they_are_and_count_as_answer(value: bytes | str) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        frame = frames.encode(frames.VALUE, value)
        theirs.sendall(frame)
        assert frames.read(ours, 100, 1.0) == (frames.VALUE, value, len(frame) - frames.HEAD.size)
        theirs.sendall(frames.encode(frames.VALUE, b"more"))
        with pytest.raises(frames.TooLarge):
            frames.read(ours, 3, 1.0)


@pytest.mark.parametrize(
    ("kind", "name", "payload", "limits"),
    [
        ("time", "spin", None, BRIEF),
        ("time", "beat_forever", None, BRIEF),
        ("time", "doze", 60, sandbox.Limits(seconds=0.05)),
        ("memory", "swell", None, BRIEF),
        ("memory", "stop", None, BRIEF),
        ("output", "shout", 3000, sandbox.Limits(output=2000)),
        ("crash", "fall", None, BRIEF),
    ],
)
def test_each_excess_has_its_name(kind: str, name: str, payload: Any, limits: sandbox.Limits) -> None:
    def excess() -> str:
        with pytest.raises(sandbox.Stopped) as stopped:
            drill(name, payload, limits)
        return stopped.value.kind

    assert in_time(2, excess) == kind
    assert drill("echo", 1) == 1


def test_b8_time_is_processor_time_so_that_waiting_for_a_busy_machine_is_no_excess() -> None:
    assert drill("doze", 0.7, BRIEF) == 0.7  # more than the limit by the clock, and hardly any of it work


def test_b8_the_limit_says_that_it_is_processor_time() -> None:
    with pytest.raises(sandbox.Stopped) as stopped:
        drill("spin", None, sandbox.Limits(seconds=0.1))
    assert stopped.value.detail == "more than 0.1 s of processor time"


def test_b8_the_time_of_a_whole_run_is_said_to_be_that() -> None:
    with pytest.raises(sandbox.Stopped) as stopped:
        drill("beat_forever", None, sandbox.Limits(seconds=0.2, total=0.3))
    assert stopped.value.detail == "more than 0.3 s of processor time in all"


def test_b8_what_is_stopped_in_company_is_tried_once_more_alone(tmp_path: Path) -> None:
    drill("echo", 1)  # there is a zygote
    before = set(children(sandbox.describe_isolation()["zygote"]))  # of tests before it, which may still be at work
    company = sandbox.stream("readback.sandbox.self_test:spin_after", 1, sandbox.Limits(seconds=60, total=60))
    assert next(company) == 0
    (other,) = set(children(sandbox.describe_isolation()["zygote"])) - before
    tried: list[int] = []

    def watch() -> None:
        while len(tried) < 2:
            seen = set(children(sandbox.describe_isolation()["zygote"])) - before - {other, *tried}
            tried.extend(list(seen)[:1])
        wait_until(lambda: state(other) == "T")
        stands.append("T")
        (tmp_path / "go").touch()

    stands: list[str] = []
    watching = threading.Thread(target=watch)
    watching.start()
    assert drill("spin_until", str(tmp_path / "go"), sandbox.Limits(seconds=1.0, total=5.0)) == tried[1]
    watching.join()
    assert stands == ["T"]  # the other one stood still
    wait_until(lambda: state(other) == "R")
    company.close()


def test_b8_a_stream_that_is_tried_again_goes_on_where_it_was_stopped() -> None:
    company = sandbox.stream("readback.sandbox.self_test:spin_after", 1, sandbox.Limits(seconds=60, total=60))
    next(company)
    got: list[int] = []
    with pytest.raises(sandbox.Stopped, match="time"):
        got.extend(sandbox.stream("readback.sandbox.self_test:spin_after", 3, BRIEF))
    assert got == [0, 1, 2]
    company.close()


def test_c8_long_work_lets_others_go_first_where_people_wait_for_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    def standing(once: bool) -> list[int]:
        return list(sandbox.stream("readback.sandbox.self_test:yield_niceness", None, once=once))

    own = os.nice(0)
    monkeypatch.setattr(sandbox, "_gives_way", False)
    assert (standing(True), standing(False)) == ([own], [own])
    give_way()
    assert (standing(True), standing(False)) == ([min(19, own + sandbox.NICENESS)], [own])


def test_b8_many_that_want_to_be_alone_take_turns() -> None:
    def kind(_: int) -> str:
        with pytest.raises(sandbox.Stopped) as stopped:
            drill("spin", None, sandbox.Limits(seconds=0.1))
        return stopped.value.kind

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(kind, range(6))) == ["time"] * 6
    assert drill("echo", 1) == 1


def test_an_answer_of_exactly_the_cap_is_taken() -> None:
    assert len(drill("shout", 1998, sandbox.Limits(output=2000))) == 1998  # two quotation marks


def test_our_own_mistake_is_an_exception_with_the_childs_traceback() -> None:
    with pytest.raises(RuntimeError, match="LookupError: drill 7"):
        drill("fail", 7)


@pytest.mark.parametrize(
    "work", ["os:system", "readback:x", "readback.sandbox.self_test", "readback.a b:c", "readback.x:y.z"]
)
def test_work_is_only_ours(work: str) -> None:
    with pytest.raises(ValueError, match="not work of ours"):
        sandbox.call(work, None)


def test_a_stream_yields_what_came_before_the_stop() -> None:
    got: list[int] = []
    with pytest.raises(sandbox.Stopped, match="time"):
        got.extend(sandbox.stream("readback.sandbox.self_test:spin_after", 5, BRIEF))
    # extend takes a generator's values one by one, so those before the stop are there
    assert got == [0, 1, 2, 3, 4]


def test_a_slow_reader_is_not_the_works_fault() -> None:
    got = []
    for number in sandbox.stream("readback.sandbox.self_test:count", 3, sandbox.Limits(seconds=0.2, total=0.5)):
        got.append(number)
        time.sleep(0.4)
    assert got == [0, 1, 2]


def test_leaving_a_stream_early_ends_its_child() -> None:
    stream = sandbox.stream("readback.sandbox.self_test:spin_after", 1, sandbox.Limits(seconds=60, total=60))
    zygote = sandbox.describe_isolation()["zygote"]
    before = set(children(zygote))  # of tests before it, which may still be there
    assert next(stream) == 0
    ours = set(children(zygote)) - before
    assert ours
    stream.close()
    wait_until(lambda: not ours & set(children(zygote)))


def look(folder: Path, port: int = 1, limits: sandbox.Limits = BRIEF) -> dict[str, Any]:
    (folder / "secret").write_text("hush")
    seen: dict[str, Any] = drill(
        "describe_surroundings", {"port": port, "file": str(folder / "x"), "secret": str(folder / "secret")}, limits
    )
    return seen


def test_a_child_sees_no_environment_no_foreign_files_no_network_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READBACK_SECRET", "hush")
    with socket.create_server(("127.0.0.1", 0)) as server:
        seen = look(tmp_path, server.getsockname()[1])
    assert set(seen["environment"]) <= {"LC_CTYPE", "OPENPYXL_LXML"}  # set by the interpreter and by us
    assert len(seen["files"]) <= 5  # nothing, nowhere, nobody, the conversation, the listing itself
    assert seen["network"] is (sandbox.describe_isolation()["network"] == "shared")
    assert seen["wrote"] is False
    assert not (tmp_path / "x").exists() or not (tmp_path / "x").read_text()
    assert seen["read"] is True


def test_closed_work_reads_no_file(tmp_path: Path) -> None:
    seen = look(tmp_path, limits=sandbox.Limits(closed=True))
    assert seen["read"] is (sandbox.describe_isolation()["files of closed work"] == "not limited")
    assert not (tmp_path / "x").exists()


def test_inside_a_child_work_runs_directly(tmp_path: Path) -> None:
    seen = look(tmp_path)
    assert (seen["inside"], seen["nested"], seen["frames"]) == (True, "direct", [0, 1, 2])
    assert sandbox.is_child() is False


def test_many_threads_call_at_once() -> None:
    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(lambda n: drill("echo", n, sandbox.Limits(seconds=10)), range(200))) == list(range(200))


def test_a_killed_zygote_is_replaced() -> None:
    before = sandbox.describe_isolation()["zygote"]
    os.kill(before, signal.SIGKILL)
    assert drill("echo", "again") == "again"
    assert sandbox.describe_isolation()["zygote"] != before


def test_a_zygote_killed_during_a_call_costs_one_more_try() -> None:
    before = sandbox.describe_isolation()["zygote"]
    timer = threading.Timer(0.2, os.kill, (before, signal.SIGKILL))
    timer.start()
    with pytest.raises(sandbox.Stopped, match="time"):  # the second try ends by its own limit
        drill("spin", None, sandbox.Limits(seconds=0.6, total=5))
    assert sandbox.describe_isolation()["zygote"] != before


def test_children_die_with_the_app() -> None:
    code = (
        "import sys; from readback import sandbox\n"
        "stream = sandbox.stream('readback.sandbox.self_test:spin_after', 1, sandbox.Limits(seconds=60, total=60))\n"
        "next(stream); print(sandbox.describe_isolation()['zygote'], flush=True); sys.stdin.read()"
    )
    app = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert app.stdout is not None
    zygote = int(app.stdout.readline())
    (child,) = children(zygote)
    app.kill()
    app.communicate()
    wait_until(lambda: not running(zygote) and not running(child))


def test_a_zygote_that_was_begun_is_the_one_that_answers_and_none_outlives_an_app_that_never_asks() -> None:
    code = (
        "import sys; from readback import sandbox; from readback.sandbox import client\n"
        "sandbox.start_zygote('readback.sandbox.self_test'); sandbox.start_zygote()\n"
        "print(client._zygotes[False].process.pid)\n"
        "if len(sys.argv) > 1:\n"
        "    print(sandbox.call('readback.sandbox.self_test:echo', 7), sandbox.describe_isolation()['zygote'])"
    )
    asked, not_asked = (
        subprocess.run([sys.executable, "-c", code, *more], capture_output=True, text=True, check=True)
        for more in (["ask"], [])
    )
    number = int(asked.stdout.split()[0])
    assert (asked.stdout.split()[1:], asked.stderr, not_asked.stderr) == (["7", str(number)], "", "")
    wait_until(lambda: not running(number) and not running(int(not_asked.stdout)))


def test_a_zygote_whose_children_share_is_begun_with_what_they_share() -> None:
    code = (
        "from readback import sandbox; from readback.sandbox import client, frames\n"
        "sandbox.start_zygote('readback.sandbox.self_test', shared=('importlib:import_module:wave',))\n"
        "zygote = client._zygotes[True]; zygote.wait_until_ready()\n"
        "data, status = sandbox._start_child(zygote, 'together readback.sandbox.self_test')\n"
        "asked = {'work': 'readback.sandbox.self_test:is_loaded', 'payload': 'wave'}\n"
        "asked['limits'] = sandbox.asdict(sandbox.DEFAULT)\n"
        "data.sendall(frames.encode(frames.VALUE, asked))\n"
        "print(frames.read(data, 1000, 60.0)[1])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (said.stdout, said.stderr) == ("True\n", "")


def test_nothing_reaches_the_terminal_when_a_child_dies() -> None:
    code = (
        "from readback import sandbox\n"
        "for name in ('swell', 'fall', 'spin', 'fail'):\n"
        "    try: sandbox.call('readback.sandbox.self_test:' + name, None, sandbox.Limits(seconds=0.2))\n"
        "    except (sandbox.Stopped, RuntimeError): pass"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_daemon_thread_may_start_the_zygote() -> None:
    code = (
        "import threading; from readback import sandbox\n"
        "t = threading.Thread(target=lambda: print(sandbox.call('readback.sandbox.self_test:echo', 5)), daemon=True)\n"
        "t.start(); t.join(); print(sandbox.call('readback.sandbox.self_test:echo', 6))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("5\n6\n", "")


def test_a_forked_app_gets_a_zygote_of_its_own() -> None:
    code = (
        "import os, sys; from readback import sandbox\n"
        "sandbox.call('readback.sandbox.self_test:echo', 5)\n"
        "pid = os.fork()\n"
        "ok = sandbox.call('readback.sandbox.self_test:echo', 6) == 6\n"
        "print(ok, flush=True)\n"
        "if pid: os.waitpid(pid, 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=30)
    assert (done.stdout, done.stderr) == ("True\nTrue\n", "")


def children(pid: int) -> list[int]:
    listed = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return [int(line) for line in listed.stdout.split()]


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def state(pid: int) -> str:
    """R: working, S: waiting, T: standing still."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def wait_until(done: Any, seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < until
        time.sleep(0.02)
