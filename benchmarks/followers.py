"""How long a click takes while others have the page Review open, which looks every three seconds for what is new.

    python benchmarks/followers.py [followers] [seconds]        20 60 where nothing is said

Each follower is a WebSocket of its own on the page Review of the demo and asks again as a browser does: when the page
says how often, by the fragment that it names. One more client turns to another record of Messages about every second;
its waits are what is measured, first alone, then with the followers. Every five seconds a note is saved, after which
each follower draws the whole page. Promised: 95 of 100 waits are over in 1.2 s.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT / "tests" / "browser"))
from served import free_port, running  # noqa: E402

from readback.review.event import Draft, new_id  # noqa: E402
from readback.review.store import Store  # noqa: E402
from readback.ui.common import server  # noqa: E402

FOLLOWERS = int(sys.argv[1]) if len(sys.argv) > 1 else 20
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 60.0
PROMISED = 1.2
DEMO = PROJECT / "configs" / "examples" / "six-conditions"


def asking(page: str, query: str, script: str = "", fragment: str = "") -> bytes:
    """What a browser sends for a page, or for one fragment of it."""
    asked = BackMsg()
    asked.rerun_script.query_string, asked.rerun_script.page_name = query, page
    asked.rerun_script.page_script_hash, asked.rerun_script.fragment_id = script, fragment
    asked.rerun_script.is_auto_rerun = bool(fragment)
    return asked.SerializeToString()


async def follow(url: str, until: asyncio.Event, polls: list[float]) -> None:
    """A browser with the page Review open; `polls` gets the seconds of each look."""
    socket = await websockets.connect(url, subprotocols=["streamlit"], max_size=None)  # type: ignore[list-item]
    await socket.send(asking("review", "workspace=six-conditions"))
    script, timers = "", dict[str, float]()
    due, began = dict[str, float](), 0.0
    while not until.is_set():
        wait = min([0.5, *(at - time.monotonic() for at in due.values())])
        try:
            said = ForwardMsg.FromString(await asyncio.wait_for(socket.recv(), max(0.001, wait)))
        except TimeoutError:
            said = ForwardMsg()
        kind = said.WhichOneof("type")
        if kind == "navigation":
            script = said.navigation.page_script_hash
        elif kind == "auto_rerun":
            timers[said.auto_rerun.fragment_id] = said.auto_rerun.interval
            due[said.auto_rerun.fragment_id] = time.monotonic() + said.auto_rerun.interval
        elif kind == "script_finished" and began:
            polls.append(time.monotonic() - began)
            began = 0.0
        for fragment, at in list(due.items()):
            if at <= time.monotonic() and fragment in timers:
                due[fragment] = time.monotonic() + timers[fragment]
                began = time.monotonic()
                await socket.send(asking("review", "workspace=six-conditions", script, fragment))
    await socket.close()


async def click(url: str, seconds: float) -> list[float]:
    """The waits of one who turns the pages of Messages."""
    socket: Any = await websockets.connect(url, subprotocols=["streamlit"], max_size=None)  # type: ignore[list-item]
    waits, script, dice, end = list[float](), "", random.Random(1), time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.monotonic()
        await socket.send(asking("messages", f"workspace=six-conditions&index={dice.randrange(24)}", script))
        while (said := ForwardMsg.FromString(await socket.recv())).WhichOneof("type") != "script_finished":
            script = said.navigation.page_script_hash if said.WhichOneof("type") == "navigation" else script
        waits.append(time.monotonic() - began)
        await asyncio.sleep(dice.uniform(0.5, 1.5))
    await socket.close()
    return waits[1:]  # the first opens the workspace


async def notes(root: Path, until: asyncio.Event) -> int:
    """Save a note every five seconds; how many."""
    store, saved = Store(root), 0
    while not until.is_set():
        draft = Draft("note", {"text": f"note {saved}", "anchor": {"kind": "study"}}, "Ada", "cli", new_id())
        await asyncio.to_thread(store.save, draft)
        saved += 1
        await asyncio.sleep(5)
    store.close()
    return saved


async def measure(url: str, root: Path) -> bool:
    print(f"{FOLLOWERS} followers, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    say("clicks alone", await click(url, SECONDS / 3))
    until, polls = asyncio.Event(), list[float]()
    following = [asyncio.create_task(follow(url, until, polls)) for _ in range(FOLLOWERS)]
    saving = asyncio.create_task(notes(root, until))
    await asyncio.sleep(5)
    waits = await click(url, SECONDS)
    until.set()
    await asyncio.gather(*following)
    say("clicks with followers", waits)
    say("looks of the followers", polls)
    print(f"notes saved: {await saving}")
    return p95(waits) > PROMISED


def say(what: str, waits: list[float]) -> None:
    print(f"{what}: {len(waits)}, median {statistics.median(waits):.2f} s, p95 {p95(waits):.2f} s, "
          f"longest {max(waits):.2f} s")  # fmt: skip


def p95(waits: list[float]) -> float:
    return sorted(waits)[int(0.95 * (len(waits) - 1))]


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        root = Path(home) / "six-conditions"
        shutil.copytree(DEMO, root)
        os.environ["READBACK_STATE"] = f"{home}/state"
        port = free_port()
        env = {"READBACK_CACHE": f"{home}/cache", "READBACK_WORKSPACE": str(root), "READBACK_STATE": f"{home}/state"}
        with running(server.command(port=port), f"http://127.0.0.1:{port}/", env):
            missed = asyncio.run(measure(f"ws://127.0.0.1:{port}/_stcore/stream", root))
    print("missed" if missed else "kept")
    sys.exit(missed)


if __name__ == "__main__":
    main()
