"""How long a rerun of the room Prompts takes on 100,000 records, beside a minimal Streamlit page on the same machine.

    python benchmarks/page_rerun.py [records]

Two figures. *Seen*: from the click on "next" in Chromium until the next record's text is in the page, our headers
and all; the baseline is a page of a title, a button and a text, served by the same command. *Script*: the Python run
alone, through Streamlit's own test runner; a page of fifty elements against one of three, so it is not a fair ratio,
but it shows that nothing grows with the dataset. The first look includes making the index.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT / "tests" / "browser"))
from find_browser import chromium  # noqa: E402
from served import free_port, open_page, running  # noqa: E402

from readback.ui.common import server  # noqa: E402

RECORDS = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
RUNS = 15
MINIMAL = """
import streamlit as st
number = st.session_state.setdefault("number", 0)
st.title("Messages")
def step(): st.session_state["number"] += 1
st.button("next", on_click=step)
st.text(f"number {number}?")
"""
# Click, then look at every frame until the text is there: what a person waits for.
STEP = """async ([button, text]) => {
    const began = performance.now();
    document.querySelector(button).click();
    while (!document.querySelector('[data-testid="stMain"]').textContent.includes(text)) {
        await new Promise(requestAnimationFrame);
    }
    return performance.now() - began;
}"""


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "many"
        folder.mkdir()
        _write(folder)
        (Path(home) / "minimal.py").write_text(MINIMAL, "utf-8")
        env = {"READBACK_WORKSPACE": str(folder), "READBACK_CACHE": f"{home}/cache"}
        os.environ |= env
        began = time.perf_counter()
        page = AppTest.from_file(str(PROJECT / "app.py"), default_timeout=300).run()
        page.switch_page("pages/prompts_page.py").run()
        while not _shows(page, 0):  # the index is made in the background; the page says how far it is
            time.sleep(0.05)
            page.run()
        print(f"first look at {RECORDS:,} records, index included: {time.perf_counter() - began:.2f} s")
        _compare("script", _scripts(page, Path(home) / "minimal.py"))
        _compare("seen", _seen(Path(home) / "minimal.py", env))


def _scripts(page: AppTest, minimal: Path) -> tuple[float, float]:
    def look(n: int) -> None:
        page.number_input(key="position").set_value((n * 7919) % RECORDS + 1).run()
        assert _shows(page, (n * 7919) % RECORDS), "the page does not show the record"

    plain = AppTest.from_file(str(minimal)).run()
    return _median(lambda n: _timed(plain.button[0].click().run)), _median(lambda n: _timed(look, n))


def _seen(minimal: Path, env: dict[str, str]) -> tuple[float, float]:
    from playwright.sync_api import sync_playwright

    port, other = free_port(), free_port()
    plain = [sys.executable, str(PROJECT / "tests/browser/serve_script.py"), str(minimal), str(other)]
    with (
        running(server.command(port=port), f"http://127.0.0.1:{port}/", env) as ours,
        running(plain, f"http://127.0.0.1:{other}/", {}) as theirs,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"])
        times = [_clicks(browser, url, button) for url, button in _buttons(ours, theirs)]
        browser.close()
    return times[0], times[1]


def _buttons(ours: str, theirs: str) -> tuple[tuple[str, str], ...]:
    return (theirs, ".stButton button"), (f"{ours}prompts", ".st-key-next button")


def _clicks(browser: Any, url: str, button: str) -> float:
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    open_page(page, url)
    page.wait_for_selector(button)

    def step(n: int) -> float:
        page.wait_for_timeout(300)
        return float(page.evaluate(STEP, [button, f"number {n + 1}?"])) / 1000

    return _median(step)


def _median(once: Callable[[int], float]) -> float:
    return statistics.median([once(n) for n in range(RUNS + 2)][2:])


def _timed(work: Callable[..., Any], *arguments: Any) -> float:
    began = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - began


def _compare(what: str, times: tuple[float, float]) -> None:
    base, ours = times
    print(f"{what:>7}: minimal page {1000 * base:.1f} ms, Messages {1000 * ours:.1f} ms, ratio {ours / base:.2f}")


def _shows(page: AppTest, record: int) -> bool:
    return any(f"number {record}?" in str(block.proto) for block in page.get("html"))


def _write(folder: Path) -> None:
    (folder / "readback.yml").write_text(
        "name: many\ndataset: {path: data.jsonl}\nprompts: [builtin:prompt-formats]\n", "utf-8"
    )
    with (folder / "data.jsonl").open("w", encoding="utf-8") as file:
        for n in range(RECORDS):
            contexts = [f"[{i}] snippet {i} of record {n}. " + "It says little. " * 10 for i in range(1, 5)]
            prompt = "Answer.\n\nContext:\n" + "\n\n".join(contexts) + f"\n\nQuestion: number {n}?\nAnswer:"
            row = {"task_id": f"t{n}", "instruction": f"number {n}?", "rag": {"prompt": prompt, "contexts": contexts}}
            file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
