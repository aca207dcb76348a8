"""How soon a page shows its content after a click in a warm session, and how far it then moves (layout shift).

Run: python benchmarks/first_content.py [FOLDER] [--times 5] [--records N]
Chromium at 1366 × 768 over a server of its own; `--records` serves a copy of the folder whose dataset is repeated to N
records. Each page of the bar is entered by a click. `first` is from the click's own time to the paint of the content's
first text: the element gets the attribute elementtiming when it is put in, and PerformanceObserver says when it was
painted (where that says nothing, the next frame after it was put in). `settled` is the end of the run. `shift` is the
cumulative layout shift as web.dev defines it: the largest session window (less than 1 s between two shifts, 5 s at
most) without those within half a second after input; `all` is the plain sum with these, for what follows a click is
what a person sees. Baseline: the page About, which has nothing to work out.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

PROJECT = Path(__file__).resolve().parents[1]
sys.path.append(str(PROJECT / "tests" / "browser"))
import find_browser  # noqa: E402 - the tests know where the browser is

DEMO = PROJECT / "configs" / "examples" / "six-conditions"
PAGES = {
    "Overview": ".rb-counts, .rb-lead, .rb-answer",
    "Prompts": ".rb-exact",
    "Results": ".rb-lead, .rb-answer, .rb-forest",
    "Findings": ".rb-rules, .rb-lead",
    "Review": ".rb-agenda, .rb-empty, .rb-lead",
    "About": "h1",
}
WATCH = """(() => {
    const rb = (window.rb = {shifts: [], clicked: 0, want: null, first: 0});
    new PerformanceObserver((list) => {
        for (const one of list.getEntries()) rb.shifts.push([one.startTime, one.value, one.hadRecentInput]);
    }).observe({type: 'layout-shift', buffered: true});
    new PerformanceObserver((list) => {
        for (const one of list.getEntries()) if (one.identifier === 'content') rb.first = one.renderTime || rb.first;
    }).observe({type: 'element', buffered: true});
    addEventListener('click', (event) => { rb.clicked = event.timeStamp; rb.first = 0; }, true);
    const look = () => {
        if (!rb.want || !rb.clicked || location.pathname.slice(1) !== rb.want[0]) return;
        const found = [...document.querySelectorAll(rb.want[1])].find((one) => !one.closest('[data-stale=true]'));
        if (!found) return;
        rb.want = null;
        found.setAttribute('elementtiming', 'content');
        requestAnimationFrame(() => requestAnimationFrame((now) => { rb.first = rb.first || now; }));
    };
    const begin = () => new MutationObserver(look).observe(document.documentElement,
        {childList: true, subtree: true, characterData: true, attributes: true, attributeFilter: ['data-stale']});
    document.documentElement ? begin() : addEventListener('DOMContentLoaded', begin);
})();"""
RECORDS = "data/harbour.jsonl"  # of the demo


def main() -> None:
    """Serve the folder, walk the bar, print a table."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("folder", nargs="?", type=Path, default=DEMO)
    asked.add_argument("--times", type=int, default=5)
    asked.add_argument("--records", type=int)
    told = asked.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = repeated(told.folder, told.records, Path(made)) if told.records else told.folder
        _measure(folder, told.times)


def repeated(folder: Path, count: int, made: Path) -> Path:
    """A copy of the demo whose records are repeated under new ids."""
    copy = made / f"{folder.name}-{count}"
    shutil.copytree(folder, copy)
    rows = [json.loads(line) for line in (folder / RECORDS).read_text("utf-8").splitlines() if _is_json(line)]
    with (copy / RECORDS).open("w", encoding="utf-8") as out:
        for at in range(count):
            row = rows[at % len(rows)]
            out.write(json.dumps({**row, "task_id": f"{row['task_id']}-{at}"} if at >= len(rows) else row) + "\n")
    return copy


def _is_json(line: str) -> bool:
    try:
        return bool(json.loads(line))
    except ValueError:
        return False


def _measure(folder: Path, times: int) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [Path(sys.executable).with_name("readback"), "serve", str(folder), "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ)
    url = f"http://127.0.0.1:{port}/"
    try:
        _wait(url)
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=find_browser.chromium(), args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1366, "height": 768})
            page.add_init_script(WATCH)
            page.goto(url)
            page.wait_for_selector(".rb-status, .rb-table", timeout=300_000)
            _settle(page)
            opened = _shift(page)
            for name in PAGES:  # warm
                _enter(page, name)
            rows = {name: [_enter(page, name, _other(name)) for _ in range(times)] for name in PAGES}
            browser.close()
    finally:
        server.terminate()
    least = statistics.median(one[0] for one in rows["About"])
    print(f"{folder.name}, median of {times}; first view: shift {opened[0]:.3f}, all {opened[1]:.3f}")
    for name, found in rows.items():
        first, settled, shift, every = (statistics.median(one[at] for one in found) for at in range(4))
        worst = max(one[3] for one in found)
        said = f"first {first:.2f} s ({first / least:.1f} times About)  settled {settled:.2f} s"
        print(f"{name:<9} {said}  shift {shift:.3f}  all {every:.3f} (worst {worst:.3f})")


def _shift(page: Any) -> tuple[float, float]:
    """Cumulative layout shift since the list was emptied, and the plain sum with shifts after input."""
    best = window = began = last = total = 0.0
    for at, value, after_input in page.evaluate("rb.shifts"):
        total += value
        if after_input:
            continue
        if at - last >= 1_000 or at - began >= 5_000:
            window, began = 0.0, at
        window, last = window + value, at
        best = max(best, window)
    return best, total


def _wait(url: str) -> None:
    for _ in range(200):
        try:
            urllib.request.urlopen(url, timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)


def _other(name: str) -> str:
    return "Prompts" if name != "Prompts" else "Findings"


def _settle(page: Any) -> None:
    _until(page, "() => !document.querySelector('[data-testid=stApp][data-test-script-state=running]')")
    page.wait_for_timeout(300)


def _until(page: Any, holds: str, given: object = None) -> None:
    """Ask again and again: the policy of our server lets a page evaluate no text by itself."""
    ends = time.monotonic() + 120
    while not page.evaluate(holds, given):
        if time.monotonic() > ends:
            raise TimeoutError(holds)
        time.sleep(0.01)


def _enter(page: Any, name: str, away: str = "") -> tuple[float, float, float, float]:
    """Seconds to the first content and to the end, and the two layout shifts on the way; entered from another page."""
    if away:
        _enter(page, away)
    path = "" if name == "Overview" else name.lower()
    page.evaluate("(want) => { rb.shifts = []; rb.clicked = 0; rb.want = want; }", [path, PAGES[name]])
    link = page.get_by_role("link", name=name, exact=True).first
    if not link.is_visible():  # About is in the menu behind the workspace's name
        page.locator(".rb-menu > summary").first.click()
    began = time.perf_counter()
    link.click()
    _until(page, "() => rb.first > 0 && rb.want === null")
    _settle(page)
    settled = time.perf_counter() - began - 0.3
    first = float(page.evaluate("(rb.first - rb.clicked) / 1000"))
    return first, settled, *_shift(page)


if __name__ == "__main__":
    main()
