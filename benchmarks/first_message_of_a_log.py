"""How long after `readback serve LOG` the first exact message of a big log of another tool stands in the browser.

Run: python benchmarks/first_message_of_a_log.py [--kind KIND] [--megabytes 500] [--folder FOLDER]
KIND is `eval` or `json` (Inspect), `samples` (lm-eval, JSONL) or `promptfoo` (JSON). A log is written whose rows have a
document of 32 kB each (promptfoo: 2 kB) in the question, an answer and a score, to the size that is asked for, and
served with an empty cache. `overview` and `message` are the seconds from the start of the server until Overview has its
first content, and until Prompts has the exact text of a row (it is compared); `again` is the same with a cache that
knows the log, `text` the seconds until the exact text of the first row stands on the first page, be it while the log
is read; `small` with a log of 1 MiB: what server and browser need for any. `memory` is the most that the server
and its children had in memory together, what they share counted once (PSS), and in brackets once for each (RSS). The
baseline reads the log once: each sample is unpacked, and no more.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

from playwright.sync_api import Page, sync_playwright

PROJECT = Path(__file__).resolve().parents[1]
sys.path.append(str(PROJECT / "tests" / "browser"))
import find_browser  # noqa: E402 - the tests know where the browser is

QUESTION = "{number}: how long is the notice?\n\n{document}\n"
CONTENT = ".rb-status, .rb-table, .rb-lead, .rb-counts"
WAIT = 1_800_000  # milliseconds until nothing is expected any more


def main() -> None:
    """Write the log, read it once, serve it, print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=WRITERS, default="eval")
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as home:
        write, name = WRITERS[arguments.kind]
        small, log = Path(home, "small", name), Path(home, "log", name)
        for path in (small, log):
            path.parent.mkdir()
        _, texts = write(small, 1 << 20)
        count, _ = write(log, arguments.megabytes << 20)
        seconds, unpacked = read_once(log)
        print(f"{log.stat().st_size >> 20} MiB, {count:,} rows, unpacked {unpacked >> 20} MiB")
        print(f"read once: {seconds:.1f} s", flush=True)
        for name, path in (("small", small), ("first", log), ("again", log)):
            text, overview, message, memory = measure(path, Path(home), texts)
            ratio = f"{message / seconds:.1f} times reading it once"
            sizes = f"memory {memory[0] >> 20} MiB ({memory[1] >> 20})"
            seconds_of = f"text {text:.1f} s  overview {overview:.1f} s  message {message:.1f} s"
            print(f"{name}: {seconds_of} ({ratio})  {sizes}")
            sys.stdout.flush()


def write_eval(path: Path, size: int) -> tuple[int, set[str]]:
    """Write a log of about `size` bytes; return the number of samples and the questions of the first ones."""
    texts, number = set[str](), 0
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": make_header(0)["eval"], "plan": {}}))
        for number, question in enumerate(draw_questions(path, size, texts), 1):
            archive.writestr(f"samples/{number}_epoch_1.json", json.dumps(make_sample(number, question)))
        archive.writestr("header.json", json.dumps(make_header(number)))
    return number, texts


def write_json(path: Path, size: int) -> tuple[int, set[str]]:
    """Write the same as one JSON text."""
    texts, number = set[str](), 0
    with path.open("w", encoding="utf-8") as out:
        out.write(json.dumps(make_header(0))[:-1] + ', "samples": [')
        for number, question in enumerate(draw_questions(path, size, texts), 1):
            out.write(", " * (number > 1) + json.dumps(make_sample(number, question)))
        out.write("]}")
    return number, texts


def write_samples(path: Path, size: int) -> tuple[int, set[str]]:
    """Write samples of lm-eval, one on each line."""
    texts, number = set[str](), 0
    with path.open("w", encoding="utf-8") as out:
        for number, question in enumerate(draw_questions(path, size, texts), 1):
            asked = {"gen_args_0": {"arg_0": question, "arg_1": {"until": ["\n"]}}}
            replies = {"resps": [["Three."]], "filtered_resps": ["Three."], "filter": "none", "target": "three"}
            score = {"metrics": ["exact_match"], "exact_match": float(number % 3 > 0), "doc_hash": str(number)}
            row = {"doc_id": number - 1, "doc": {"question": question}, "arguments": asked, **replies, **score}
            out.write(json.dumps(row) + "\n")
    return number, texts


def write_promptfoo(path: Path, size: int) -> tuple[int, set[str]]:
    """Write results of promptfoo, one JSON text on many lines; 1 MiB has about 100 rows."""
    texts, number = set[str](), 0
    with path.open("w", encoding="utf-8") as out:
        out.write('{"evalId": "eval-1", "results": {"version": 3, "prompts": [], "results": [')
        for number, question in enumerate(draw_questions(path, size, texts, 1_500), 1):
            row = {
                "prompt": {"raw": question, "label": "plain"},
                "promptIdx": 0,
                "provider": {"id": "openai:small", "label": "small"},
                "response": {"output": "Three months."},
                "score": number % 3 / 2,
                "success": number % 3 > 0,
                "testCase": {"vars": {"question": question}, "assert": [{"type": "contains", "value": "three"}]},
                "testIdx": number - 1,
                "vars": {"question": question},
                "gradingResult": {
                    "pass": number % 3 > 0,
                    "score": number % 3 / 2,
                    "reason": "",
                    "componentResults": [],
                },
            }
            out.write(",\n" * (number > 1) + json.dumps(row, indent=2))
        out.write(']}, "config": {}, "metadata": {"promptfooVersion": "0.123.1"}}')
    return number, texts


def draw_questions(path: Path, size: int, texts: set[str], length: int = 24_000) -> Iterator[str]:
    """Yield questions until the file has `size` bytes; add the first ones to `texts`."""
    draw = random.Random(1)
    number = 0
    while path.stat().st_size < size:
        number += 1
        question = QUESTION.format(number=number, document=base64.b64encode(draw.randbytes(length)).decode())
        if number <= 20:
            texts.add(question)
        yield question


def make_sample(number: int, question: str) -> dict[str, Any]:
    """Return a sample as Inspect writes it: the question as input, in the conversation and in the event of the call."""
    asked = {"role": "user", "content": question}
    reply = {"role": "assistant", "content": "Three months."}
    output = {"model": "m", "choices": [{"message": reply, "stop_reason": "stop"}]}
    call = {"event": "model", "model": "m", "input": [asked], "tools": [], "config": {}, "output": output}
    return {
        "id": number,
        "epoch": 1,
        "input": question,
        "target": "three",
        "messages": [asked, reply],
        "output": output,
        "scores": {"match": {"value": "C" if number % 3 else "I", "answer": "three"}},
        "events": [call],
    }


def make_header(count: int) -> dict[str, Any]:
    """Return the header of a run that ended well."""
    results = {"total_samples": count, "completed_samples": count, "scores": []}
    return {"version": 2, "status": "success", "eval": {"task": "lease", "model": "m"}, "plan": {}, "results": results}


def read_once(path: Path) -> tuple[float, int]:
    """Unpack every member; return the seconds and the bytes."""
    begun, size = time.perf_counter(), 0
    if path.suffix != ".eval":
        with path.open("rb", buffering=0) as stream:
            while block := stream.read(1 << 20):
                size += len(block)
        return time.perf_counter() - begun, size
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            with archive.open(info) as member:
                while block := member.read(1 << 20):
                    size += len(block)
    return time.perf_counter() - begun, size


def measure(log: Path, home: Path, texts: set[str]) -> tuple[float, float, float, list[int]]:
    """Serve the log, open Overview and Prompts; return when a first text and each content stands, and the memory."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/"
    env = {**os.environ, "READBACK_CACHE": str(home / "cache"), "READBACK_STATE": str(home / "state")}
    command = [sys.executable, "-m", "readback.cli", "serve", str(log), "--port", str(port)]
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)
    ended, peak = Event(), [0, 0]
    watch = Thread(target=watch_memory, args=(process.pid, ended, peak))
    watch.start()
    try:
        wait_for(url)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find_browser.chromium(), args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1366, "height": 768})
            page.set_default_timeout(WAIT)
            page.goto(url, timeout=WAIT)
            page.wait_for_selector(f".rb-exact, {CONTENT}", timeout=WAIT)
            is_there = check_text(page, texts, ".rb-exact") if page.locator(".rb-exact").count() else False
            text = time.perf_counter() - begun
            page.wait_for_selector(CONTENT, timeout=WAIT)
            overview = time.perf_counter() - begun
            page.get_by_role("link", name="Prompts", exact=True).first.click()
            page.wait_for_selector(".rb-exact", timeout=WAIT)
            message = time.perf_counter() - begun
            check_text(page, texts, ".rb-exact")
            browser.close()
    finally:
        process.terminate()
        process.wait(20)
        ended.set()
        watch.join()
    return text if is_there else message, overview, message, peak


def check_text(page: Page, texts: set[str], selector: str) -> bool:
    """Return True; raise AssertionError where no text on the screen is that of a row."""
    shown_texts = page.locator(selector).evaluate_all("elements => elements.map(each => each.textContent)")
    assert texts & set(shown_texts), "the text on the screen is not that of a row"
    return True


def wait_for(url: str) -> None:
    """Return when the server answers."""
    for _ in range(1_200):
        with suppress(OSError), urllib.request.urlopen(f"{url}_stcore/health", timeout=1):
            return
        time.sleep(0.1)
    raise RuntimeError("no server")


def watch_memory(root: int, ended: Event, peak: list[int]) -> None:
    """Keep in `peak` the most bytes that a process and all below it had in memory together: PSS, and RSS."""
    while not ended.wait(0.2):
        below, sizes = {root}, [0, 0]
        parents = dict[int, int]()
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with suppress(OSError, ValueError):
                    parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        while more := {pid for pid, parent in parents.items() if parent in below} - below:
            below |= more
        for pid in below:
            with suppress(OSError):
                for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                    name, _, value = line.partition(":")
                    if name in ("Pss", "Rss"):
                        sizes[name == "Rss"] += int(value.split()[0]) << 10
        peak[:] = map(max, peak, sizes)


WRITERS = {
    "eval": (write_eval, "log.eval"),
    "json": (write_json, "log.json"),
    "samples": (write_samples, "samples_lease_2026-11-22T05-12-02.82.jsonl"),
    "promptfoo": (write_promptfoo, "results.json"),
}

if __name__ == "__main__":
    main()
