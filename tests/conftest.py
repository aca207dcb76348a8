"""Where the real files are, and a folder of files written on the spot."""

from __future__ import annotations

import gc
import json
import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from counts import some
from hypothesis import HealthCheck, settings

from readback import sandbox
from readback.checks.store import stored_check, stored_ranges
from readback.prompts import children, render
from readback.serving.chat import model_input

EASED = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]  # a folder of a test may be written to again
# How fast a test is depends on what else the machine does; speed is measured in benchmarks/.
settings.register_profile("readback", deadline=None, max_examples=some(100), suppress_health_check=EASED)
settings.load_profile("readback")

# Tests that took more than 0.2 s each, or 1.5 s together, on a slow machine: `make test-fast` leaves them out.
SLOW = frozenset(Path(__file__).with_name("slow.txt").read_text("utf-8").split())

HURRIED = 0.6  # seconds of processor time; work that ends takes milliseconds, in a clone that was never run up to 0.3 s

gc.disable()  # nothing of what is imported and collected goes away; see the end of the collection

SHARED = Path(os.environ.get("READBACK_SHARED") or Path(__file__).resolve().parents[2] / "shared")


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    os.environ["READBACK_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    os.environ["READBACK_STATE"] = str(tmp_path_factory.mktemp("state"))


@pytest.fixture(autouse=True, scope="session")
def _nobody_waits_for_pages() -> None:
    """A page that is drawn in the process of a test must not let all later work of that process give way: beside a
    busy machine the children of every further test would hardly get the processor.
    """
    sandbox.give_way = lambda: None


@pytest.fixture(autouse=True, scope="session")
def _nothing_is_answered_from_an_earlier_check() -> None:
    """Beside a busy machine any check may take long enough to be kept; a test asks for its own answer."""
    stored_check.SLOW = stored_ranges.SLOW = math.inf


LARGEST, MOST = 20_000, 20_000  # characters of a question with its answer; answers
# What these answer depends on nothing but what they are asked.
PURE = {
    "readback.prompts.render.jinja:work",
    "readback.serving.chat.render:work",
    "readback.serving.ollama.render:work",
    "readback.readers.yaml.yaml_decode:decode",
    "readback.sources.templates.python_constants:parse_sources",
    "readback.sources.training.training_code:list_notebook_cells",
}


@pytest.fixture(autouse=True, scope="session")
def _a_child_is_asked_the_same_once_and_something_else_afterwards() -> None:
    """The demos are read and rendered again and again. What a child answered is told again to whoever asks the same,
    and a child that has answered is asked again, as one is for the records of a check: to fork one takes longer than
    most answers do. Where what it did before may have a part in its end, a new one is asked. (What tests of the sandbox
    ask their children is none of these.)
    """
    answers: dict[str, list[str]] = {}
    waiting: dict[tuple[Any, ...], list[sandbox.Child]] = {}
    really = sandbox._run_with_retry

    def surely(work: str, payload: Any, limits: sandbox.Limits, shared: tuple[str, ...]) -> Iterator[Any]:
        name = f"{work} {limits} {json.dumps(payload)}" if work in PURE else ""
        if not name or len(name) > LARGEST:
            yield from really(work, payload, limits, shared)
            return
        if (said := answers.get(name)) is None:
            idle, said = waiting.setdefault((work, limits, shared), []), []
            child = idle.pop() if idle else sandbox.Child(work, limits, shared)
            try:
                said.extend(map(json.dumps, child.stream(payload, awaited=True)))
            except sandbox.Stopped as stopped:
                if stopped.doubtful or stopped.kind != "time" or stopped.detail == sandbox._format_total_limit(limits):
                    yield from really(work, payload, limits, shared)
                    return
                yield from map(json.loads, said)
                raise
            except RuntimeError:
                yield from really(work, payload, limits, shared)
                return
            idle.append(child)
            answers[name] = said
            if len(answers) > MOST:
                answers.clear()
        yield from map(json.loads, said)

    sandbox._run_with_retry = surely


@pytest.fixture(autouse=True, scope="session")
def _a_page_is_compiled_once_and_waited_for_without_a_look_each_millisecond() -> None:
    """Each AppTest would compile the pages anew, and look a thousand times a second whether its page has ended, for
    which the page itself has to stop each time.
    """
    from streamlit.testing.v1 import local_script_runner

    compiled = local_script_runner.ScriptCache()
    local_script_runner.ScriptCache = lambda: compiled
    really = local_script_runner.require_widgets_deltas

    def wait(runner: Any, timeout: float = 3) -> None:
        if (thread := runner._script_thread) is not None:
            thread.join(timeout)
        really(runner, timeout)

    local_script_runner.require_widgets_deltas = wait


@pytest.fixture(autouse=True, scope="session")
def _components_are_looked_for_once() -> None:
    """Each AppTest would read what is installed anew, which takes longer than most pages; nothing is installed here."""
    from streamlit.components.v2 import manifest_scanner

    manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


@pytest.fixture(autouse=True, scope="session")
def _of_a_browser_nothing_is_known() -> None:
    """An AppTest has none; what it has in its place is made anew for each page, and takes as long as a page's head."""
    from streamlit.runtime import context

    context._get_client_context = lambda: None


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and vectors; tests that use it carry the marker realdata."""
    if not (SHARED / "data").is_dir():
        pytest.skip("no real data: set READBACK_SHARED to the folder that holds data/ and vectors/")
    return SHARED


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Mapping[str, Any]], Path]:
    """write({name: text, bytes or JSON value}) makes those files and answers their folder."""

    def make(files: Mapping[str, Any]) -> Path:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                path.write_bytes(content)
            elif isinstance(content, str):
                path.write_bytes(content.encode("utf-8", "surrogatepass"))
            elif name.endswith(".jsonl"):
                path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in content), "utf-8")
            else:
                path.write_text(json.dumps(content, ensure_ascii=False), "utf-8")
        return tmp_path

    return make


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not end is stopped after a part of its usual time: for tests of what follows a stop."""
    for module in (children, render, model_input):
        monkeypatch.setattr(module, "LIMITS", replace(module.LIMITS, seconds=HURRIED))
    monkeypatch.setattr(render, "TEXT_ALONE", replace(render.TEXT_ALONE, seconds=HURRIED))


@pytest.fixture
def serving(
    monkeypatch: pytest.MonkeyPatch, write: Callable[[Mapping[str, Any]], Path]
) -> Callable[[Mapping[str, Any]], Path]:
    """serving({name: content}) has the pages show the folder of these files; answers the folder."""

    def show(files: Mapping[str, Any]) -> Path:
        folder = write(files)
        monkeypatch.setenv("READBACK_WORKSPACE", str(folder))
        return folder

    return show


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow by measurement, too."""
    for item in items:
        if item.nodeid.partition("[")[0].rpartition("/")[2] in SLOW:
            item.add_marker("slow")


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end; to look at it again took a tenth of all processor time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)
    gc.enable()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say which promises were not checked, and how to get them checked."""
    if skipped := _skipped_promises(terminalreporter):
        terminalreporter.write_line(f"{len(skipped)} browser or real-data tests were skipped; see the reasons with -rs")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With READBACK_NO_SKIPS a skipped browser or real-data test fails the run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("READBACK_NO_SKIPS") and reporter and (skipped := _skipped_promises(reporter)):
        reporter.write_line(f"skipped although READBACK_NO_SKIPS is set: {', '.join(r.nodeid for r in skipped)}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _skipped_promises(reporter: Any) -> list[Any]:
    return [r for r in reporter.stats.get("skipped", []) if {"browser", "realdata", "long"} & set(r.keywords)]
