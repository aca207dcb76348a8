"""How soon a page shows its content after a click in a warm session, and how far it then moves (layout shift).

Run: python benchmarks/first_content.py [FOLDER] [--times 5]
Chromium at 1366 × 768 over a server of its own. Each page of the bar is entered by a click; `first` is the time to its
content's first text (of the page that was asked for), `settled` to the end of the run. Layout shift is the sum that
PerformanceObserver reports without the half second after input, as Chromium counts it for the cumulative score.
Baseline: the page About, which has nothing to work out.
"""

from __future__ import annotations

import argparse
import os
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

DEMO = Path(__file__).resolve().parents[1] / "configs" / "examples" / "six-conditions"
PAGES = {"Overview": ".rb-lead", "Messages": ".rb-exact", "Compare": ".rb-diff, .rb-row", "Findings": ".rb-rules",
         "Scores": ".rb-plan, .rb-lead"}  # fmt: skip
SHIFT = """window.shift = 0; window.moved = 0; new PerformanceObserver((list) => {
    for (const one of list.getEntries()) {
        window.moved += one.value;
        if (!one.hadRecentInput) window.shift += one.value;
    }
}).observe({type: 'layout-shift', buffered: true});"""


def main() -> None:
    """Serve the folder, walk the bar, print a table."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("folder", nargs="?", type=Path, default=DEMO)
    asked.add_argument("--times", type=int, default=5)
    told = asked.parse_args()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [Path(sys.executable).with_name("readback"), "serve", str(told.folder), "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ)
    url = f"http://127.0.0.1:{port}/"
    try:
        _wait(url)
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1366, "height": 768})
            page.add_init_script(SHIFT)
            page.goto(url)
            page.wait_for_selector(".rb-first, .rb-table", timeout=300_000)
            _settle(page)
            opened = float(page.evaluate("window.shift"))
            for name in PAGES:  # warm
                _enter(page, name)
            rows = {
                name: [_enter(page, name, away) for _ in range(told.times) for away in [_other(name)]] for name in PAGES
            }
            base = [_about(page) for _ in range(told.times)]
            browser.close()
    finally:
        server.terminate()
    least = statistics.median(base)
    print(f"{told.folder.name}, median of {told.times}; baseline About {least:.2f} s; first view: shift {opened:.3f}")
    for name, found in rows.items():
        first, settled, shift, moved = (statistics.median(one[at] for one in found) for at in range(4))
        ratio = f"({first / least:.1f} times About)"
        said = f"first {first:.2f} s {ratio}  settled {settled:.2f} s  shift {shift:.3f} ({moved:.3f} with input)"
        print(f"{name:<9} {said}")


def _wait(url: str) -> None:
    for _ in range(200):
        try:
            urllib.request.urlopen(url, timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)


def _other(name: str) -> str:
    return "Messages" if name != "Messages" else "Findings"


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
    """Seconds to the first content and to the end, and the layout shift on the way without and with what follows the
    click within half a second, entered from another page.
    """
    if away:
        _enter(page, away)
    page.evaluate("window.shift = window.moved = 0")
    began = time.perf_counter()
    page.get_by_role("link", name=name, exact=True).first.click()
    path = "" if name == "Overview" else name.lower()
    _until(
        page,
        "([path, ready]) => location.pathname.slice(1) === path"
        " && [...document.querySelectorAll(ready)].some((one) => !one.closest('[data-stale=true]'))",
        [path, PAGES[name]],
    )  # fmt: skip
    first = time.perf_counter() - began
    _settle(page)
    settled = time.perf_counter() - began - 0.3
    return first, settled, float(page.evaluate("window.shift")), float(page.evaluate("window.moved"))


def _about(page: Any) -> float:
    _enter(page, "Messages")
    began = time.perf_counter()
    page.get_by_role("link", name="About", exact=True).first.click()
    _until(page, "() => location.pathname === '/about' && document.querySelector('h1') !== null")
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
