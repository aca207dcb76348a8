"""How long people wait for a page while a large check runs, started from a page as they would.

    python benchmarks/pages_beside_check.py [records] [clients]        100000 20 where nothing is said

Each client opens Messages over the pages' own WebSocket, as a browser does, and every three seconds or so turns to
another record; what is measured is the time from asking until the script is finished. First without a check, then
beside one that the Findings page started. The check is timed alone and beside the clients. Promised: 95 of 100 waits
beside the check are over in 1.2 s, and the check is done in at most twice its undisturbed time.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT / "tests" / "browser"))
from served import free_port, running  # noqa: E402

from readback.ui.common import server  # noqa: E402

RECORDS = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
CLIENTS = int(sys.argv[2]) if len(sys.argv) > 2 else 20
THINK = 3.0  # seconds, half of them to one and a half
QUIET = 20.0  # seconds of clients without a check
PROMISED, SLOWER = 1.2, 2.0
WORDS = ("retrieval", "generation", "evidence", "passage", "citation", "method", "accuracy", "baseline", "question")
CONDITIONS = [("c1", "instruction", "plain"), ("c2", "rag", "plain"), ("c3", "instruction", "tuned"),
              ("c4", "hybrid", "tuned"), ("c5", "instruction", "cited"), ("c6", "rag", "cited")]  # fmt: skip
TUNED = "You are a research paper assistant."


class Client:
    """One browser's end of the WebSocket."""

    def __init__(self, socket: Any, page: str) -> None:
        self.socket, self.page, self.hash = socket, page, ""
        self.buttons: set[str] = set()

    async def run(self, query: str, press: str = "") -> tuple[float, bool]:
        """Ask for the page; seconds until its script is finished, and whether it shows work in progress.

        `press`: the key of a button that is pressed.
        """
        asked = BackMsg()
        asked.rerun_script.query_string = query
        asked.rerun_script.page_name = self.page
        asked.rerun_script.page_script_hash = self.hash
        for button in self.buttons if press else ():
            if button.endswith(f"-{press}"):
                asked.rerun_script.widget_states.widgets.add(id=button, trigger_value=True)
        began, working = time.monotonic(), False
        await self.socket.send(asked.SerializeToString())
        while True:
            said = ForwardMsg.FromString(await self.socket.recv())
            kind = said.WhichOneof("type")
            if kind == "navigation":
                self.hash = said.navigation.page_script_hash
            elif kind == "delta" and said.delta.WhichOneof("type") == "new_element":
                shown = said.delta.new_element
                working |= shown.WhichOneof("type") == "progress"
                self.buttons |= {shown.button.id} if shown.WhichOneof("type") == "button" else set()
            elif kind == "script_finished" and said.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                return time.monotonic() - began, working


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        folders = [Path(home) / name for name in ("alone", "beside")]
        for folder in folders:
            _write(folder)
        port = free_port()
        env = {"READBACK_CACHE": f"{home}/cache", "READBACK_WORKSPACE": os.pathsep.join(map(str, folders))}
        with running(server.command(port=port), f"http://127.0.0.1:{port}/", env):
            missed = asyncio.run(_measure(f"ws://127.0.0.1:{port}/_stcore/stream"))
    sys.exit(missed)


async def _measure(url: str) -> bool:
    await _until_read(url)
    print(f"{RECORDS:,} records, {CLIENTS} clients, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    quiet = await _clients(url, asyncio.create_task(asyncio.sleep(QUIET)))
    _say("pages without a check", quiet)
    alone = await _check(url, "alone")
    print(f"check without clients: {alone:.1f} s")
    check = asyncio.create_task(_check(url, "beside"))
    beside = await _clients(url, check)
    _say("pages beside a check", beside)
    print(f"check beside clients: {check.result():.1f} s, {check.result() / alone:.2f} times as long")
    missed = _p95(beside) > PROMISED or check.result() > SLOWER * alone
    print("missed" if missed else "kept")
    return missed


def _spent() -> float:
    """Seconds of processor time that the process of the pages has used; none where the system does not tell."""
    try:
        (pid,) = subprocess.run(["pgrep", "-P", str(os.getpid()), "-f", server.MODULE], capture_output=True,
                                text=True, check=False).stdout.split()  # fmt: skip
        fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError):
        return 0.0


async def _until_read(url: str) -> None:
    """Have both datasets indexed, which is not what is measured."""
    for name in ("alone", "beside"):
        client = Client(await _connected(url), "messages")
        while (await client.run(f"workspace={name}"))[1]:
            await asyncio.sleep(0.5)
        await client.socket.close()


async def _check(url: str, name: str) -> float:
    client = Client(await _connected(url), "findings")
    while (await client.run(f"workspace={name}"))[1]:  # the sample, which is there first
        await asyncio.sleep(0.2)
    began = time.monotonic()
    _, working = await client.run(f"workspace={name}", press="check_all")
    assert working, "the check did not begin"
    while working:
        await asyncio.sleep(0.5)
        _, working = await client.run(f"workspace={name}")
    await client.socket.close()
    return time.monotonic() - began


async def _clients(url: str, until: asyncio.Task[Any]) -> list[float]:
    """The waits of all clients, each at most until `until` is done."""
    waits: list[float] = []
    before = _spent()

    async def click(number: int) -> None:
        dice = random.Random(number)
        client = Client(await _connected(url), "messages")
        await asyncio.sleep(dice.uniform(0, THINK))
        await client.run("workspace=alone")
        while not until.done():
            await asyncio.sleep(dice.uniform(THINK / 2, THINK * 3 / 2))
            waits.append((await client.run(f"workspace=alone&index={dice.randrange(RECORDS)}"))[0])
        await client.socket.close()

    await asyncio.gather(*map(click, range(CLIENTS)), until)
    print(f"  processor time of the pages' process: {(_spent() - before) / max(1, len(waits)):.3f} s for each wait")
    return waits


async def _connected(url: str) -> Any:
    return await websockets.connect(url, subprotocols=["streamlit"], max_size=None)  # type: ignore[list-item]


def _say(what: str, waits: list[float]) -> None:
    if not waits:
        sys.exit(f"{what}: the check was over before anybody clicked; ask for more records")
    print(f"{what}: {len(waits)} waits, median {statistics.median(waits):.2f} s, p95 {_p95(waits):.2f} s, "
          f"longest {max(waits):.2f} s")  # fmt: skip


def _p95(waits: list[float]) -> float:
    return sorted(waits)[int(0.95 * (len(waits) - 1))]


def _write(folder: Path) -> None:
    """Records of retrieval-augmented generation, some 13.7 KB each; one prompt of a hundred begins with system text."""
    folder.mkdir()
    dice = random.Random(7)
    prose: Callable[[int], str] = lambda n: " ".join(dice.choices(WORDS, k=n // 9))  # noqa: E731
    pool = [prose(1_250) for _ in range(500)]
    with (folder / "data.jsonl").open("w", encoding="utf-8") as file:
        for number in range(RECORDS):
            contexts = [f"[{at + 1}] {dice.choice(pool)}" for at in range(5)]
            question = f"{prose(100)}?"
            prompt = "\n\n".join((TUNED * (number % 100 == 0) + "Answer from the context.\n\nContext:", *contexts,
                                  f"Question: {question}\nAnswer:"))  # fmt: skip
            file.write(json.dumps({"task_id": f"task-{number:08d}", "instruction": question,
                                   "expected_response": f"{prose(600)} [1][3]",
                                   "rag": {"prompt": prompt, "contexts": contexts}}) + "\n")  # fmt: skip
    models = {"plain": {"type": "base"}, "tuned": {"type": "instruction_only", "training": {"system": TUNED}},
              "cited": {"type": "rag_trained", "training": {"system": f"{TUNED} Cite."}}}  # fmt: skip
    conditions = [{"name": name, "mode": mode, "model": model} for name, mode, model in CONDITIONS]
    about = {"dataset": {"path": "data.jsonl", "id": "task_id"}, "prompts": ["builtin:prompt-formats"],
             "models": models, "conditions": conditions}  # fmt: skip
    (folder / "readback.yml").write_text(json.dumps(about), "utf-8")


if __name__ == "__main__":
    main()
