"""Count the clicks of a newcomer from the first screen to the exact message of a record, by folder and by upload.

    python benchmarks/_newcomer_clicks.py [--pictures FOLDER] [--screen 1366x768[:dark]] [--way WAY] [KIND ...]

The kinds are the everyday files of tests/support/everyday_files.py and, where ../shared is there, one case of each
other tool. By folder the first screen is Overview of the folder (of the zip file, where that is the kind), by upload it
is Open with the files chosen. The record is the second one, whose text has blanks, quotes and line ends at which bytes
are lost; it counts as right where the text in the page's elements equals the text that was worked out by hand or that
the tool sent for that record, and no other record has this text. With --pictures the last screen of each walk is saved
as KIND-WAY.png. The exit code is 1 where one is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT / "tests" / "browser"), str(PROJECT / "tests" / "support")]
import everyday_files as files  # noqa: E402
from find_browser import chromium  # noqa: E402
from served import free_port, open_page, running, settle, tab  # noqa: E402

SHARED = Path(os.environ.get("READBACK_SHARED", "../shared")) / "vectors/ecosystem"
TEXTS = ".rb-exact"
WAYS = ("folder", "upload")
MOST = 3  # clicks that a newcomer is asked for
CASES: tuple[
    tuple[str, int | str], ...
] = (  # of each tool one that its files tell: folder, the row that is looked at, or its id
    ("openai/oa-batch-chat", 1),
    ("anthropic-gemini/an-batch", 1),
    ("anthropic-gemini/gm-batch", 1),
    ("inspect_ai/in-graded", "chat"),
    ("promptfoo/pf-txt-file", 1),
    ("promptfoo/pf-results", 1),
    ("lm-eval/le-fewshot", 1),
    ("spans/otel-attributes", 1),
    ("langchain/lc-prompt-yaml", 1),
    ("promptflow/pf2-plain-heading", 1),
    ("prompty/pr-basic", 1),
    ("haystack/hs-list", 1),
    ("semantic-kernel/sk-default", 1),
    ("dotprompt/dp-plain", 1),
    ("langfuse/lf-placeholder", 1),
    ("mlflow-prompts/mf-chat", 1),
)


class Kind(NamedTuple):
    """A folder, and the texts that may be the messages of the record: of each condition those in their order."""

    name: str
    folder: Path
    texts: Sequence[Sequence[str]]

    @property
    def served(self) -> Path:
        """Return what the server is started with."""
        return self.folder / "study.zip" if self.name == "zip" else self.folder


class Screen(NamedTuple):
    """The size of the window and its look, and the folder for pictures."""

    width: int
    height: int
    is_dark: bool
    pictures: Path | None


def main(wanted: Sequence[str], ways: Sequence[str], screen: Screen) -> int:
    with tempfile.TemporaryDirectory() as home:
        kinds = [kind for kind in (*_write_everyday(Path(home)), *_list_cases()) if not wanted or kind.name in wanted]
        port = free_port()
        url = f"http://127.0.0.1:{port}/"
        paths = [str(kind.served) for kind in kinds]
        command = [sys.executable, "-m", "readback.cli", "serve", "--port", str(port), *paths]
        with running(command, url, {"READBACK_UPLOADS": f"{home}/uploads"}):
            right = sum(_walk(kind, url, ways, screen) for kind in kinds)
    print(f"right in at most {MOST} clicks: {right} of {len(ways) * len(kinds)}")
    return int(right < len(ways) * len(kinds))


def _walk(kind: Kind, url: str, ways: Sequence[str], screen: Screen) -> int:
    """Go each way to the record; return how many of them led to the exact text in time."""
    from playwright.sync_api import Error, sync_playwright

    right = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"])
        for way in ways:
            clicks = None
            with tab(browser) as page:
                page.set_viewport_size({"width": screen.width, "height": screen.height})
                page.emulate_media(color_scheme="dark" if screen.is_dark else "light")
                with suppress(Error):
                    before = _open_folder(page, kind, url) if way == "folder" else _upload(page, kind, url)
                    clicks = before + _find_record(page, kind.texts)
                if screen.pictures:
                    page.wait_for_timeout(700)  # for fonts and what fades in
                    page.screenshot(path=screen.pictures / f"{re.sub('[ /]', '-', kind.name)}-{way}.png")
            is_right = clicks is not None and clicks <= MOST
            right += is_right
            clicked = "–" if clicks is None else str(clicks)
            print(f"{kind.name:32} {way:7} {clicked} {'right' if is_right else 'WRONG'}", flush=True)
        browser.close()
    return right


def _open_folder(page: Any, kind: Kind, url: str) -> int:
    open_page(page, f"{url}?workspace={kind.served.stem}")
    return _see_messages(page)


def _upload(page: Any, kind: Kind, url: str) -> int:
    open_page(page, f"{url}open")
    paths = sorted(path for path in kind.folder.rglob("*") if path.is_file())
    if kind.name == "pasted":
        page.locator(".st-key-paste_prompt textarea").fill(files.TEMPLATE)
        page.locator(".st-key-paste_rows textarea").fill(files.write_csv(files.EMOJI))
        page.locator(".st-key-paste_go button").click()
    else:
        if all(path.parent == kind.folder for path in paths):
            page.locator("[class*=st-key-upload_] input[type=file]").first.set_input_files(
                [str(path) for path in paths]
            )
        else:
            page.locator("[class*=st-key-folder_] input[type=file]").set_input_files(str(kind.folder))
        page.locator(".st-key-upload_go button:not([disabled])").click()
    page.wait_for_url("**workspace=upload-*")
    settle(page)
    return 1 + _see_messages(page)


def _see_messages(page: Any) -> int:
    for name in ("See the messages", "Prompts"):
        link = page.get_by_role("link", name=name, exact=True)
        if link.count():
            link.first.click()
            page.wait_for_selector(".rb-exact", timeout=90_000)
            settle(page)
            return 1
    return MOST + 1


def _find_record(page: Any, texts: Sequence[Sequence[str]]) -> int:
    """Press the button of the next record until the texts are there; return how often."""
    for clicks in range(MOST):
        if any(_holds(page, wanted) for wanted in texts):
            return clicks
        before = page.locator(TEXTS).all_text_contents()
        page.locator(".st-key-next button").first.click()
        settle(page)
        for _ in range(40):  # a busy browser draws later than the server ends
            if page.locator(TEXTS).all_text_contents() != before:
                break
            page.wait_for_timeout(250)
    return MOST + 1


def _holds(page: Any, wanted: Sequence[str]) -> bool:
    """Tell whether the page has the texts in their order, each as the whole text of an element."""
    return _follow(wanted, page.locator(TEXTS).all_text_contents())


def _follow(wanted: Sequence[str], texts: Sequence[str]) -> bool:
    """Tell whether the wanted texts are among others in their order."""
    rest = iter(texts)
    return all(any(text == each for each in rest) for text in wanted)


def _write_everyday(home: Path) -> Iterator[Kind]:
    """Write each kind of everyday file into a folder of its own."""
    for name, write in files.TABLES.items():
        folder = _make(home, name)
        write(folder)
        (folder / "prompt.txt").write_text(files.TEMPLATE, "utf-8")
        rows: Sequence[Mapping[str, Any]] = files.ROWS if name == "windows-1252" else files.EMOJI
        yield Kind(name, folder, [[files.fill(rows[files.WANTED])]])
    text = files.fill(files.EMOJI[files.WANTED])
    for name in ("zip", "pasted", "python"):
        folder = _make(home, name)
        if name == "zip":
            files.write_zip(folder)
        elif name == "python":
            files.write_python(folder)
        else:
            (folder / "prompt.txt").write_text(files.TEMPLATE, "utf-8")
            (folder / "rows.csv").write_text(files.write_csv(files.EMOJI), "utf-8")
        yield Kind(name, folder, [[files.SYSTEM["content"], text] if name == "python" else [text]])
    alpaca = files.ALPACA[files.WANTED]
    whole = "\n".join(part for part in (alpaca["instruction"], alpaca["input"]) if part)
    for name, texts in (("alpaca", [whole]), ("sharegpt", [files.SYSTEM["content"], files.ASKED])):
        folder = _make(home, name)
        files.TRAINING[name](folder)
        yield Kind(name, folder, [texts])
    folder = _make(home, "message rows")
    rows_of_messages = [{"input": messages, "ideal": "x"} for messages in files.MESSAGES]
    (folder / "samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows_of_messages), "utf-8")
    yield Kind("message rows", folder, [[turn["content"] for turn in files.MESSAGES[files.WANTED]]])


def _make(home: Path, name: str) -> Path:
    folder = home / name.replace(" ", "-")
    folder.mkdir()
    return folder


def _list_cases() -> Iterator[Kind]:
    """List one case of each other tool, with what its tool sent for a row, under any condition.

    Raises ValueError where the tool sent nothing for the row, or the same for another.
    """
    for case, row in CASES if SHARED.is_dir() else ():
        tool, _, name = case.partition("/")
        texts, others = list[list[str]](), list[list[str]]()
        with (SHARED / tool / "expected.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                expected = json.loads(line)
                if expected["case"] == name and (contents := _list_texts(expected)):
                    is_wanted = row == (expected.get("row") if isinstance(row, int) else expected.get("id"))
                    (texts if is_wanted else others).append(contents)
        if not texts or any(_follow(each, other) for each in texts for other in others):
            raise ValueError(f"{case}: row {row} has no text of its own")
        yield Kind(case, SHARED / case, texts)


def _list_texts(expected: Mapping[str, Any]) -> list[str]:
    calls = expected.get("calls")
    messages = calls[0]["messages"] if calls else expected.get("messages")
    if messages is None:
        return [expected["text"]] if isinstance(expected.get("text"), str) else []
    contents = [message.get("content") for message in messages]
    joined = [
        "\n".join(part["text"] for part in each if "text" in part) if isinstance(each, list) else each
        for each in contents
    ]
    return [text for text in joined if text]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--screen", default="1366x768")
    parser.add_argument("--way", choices=WAYS)
    arguments = parser.parse_args()
    size, _, look = arguments.screen.partition(":")
    if arguments.pictures:
        arguments.pictures.mkdir(parents=True, exist_ok=True)
    ways = (arguments.way,) if arguments.way else WAYS
    sys.exit(main(arguments.kinds, ways, Screen(*map(int, size.split("x")), look == "dark", arguments.pictures)))
