"""What is in view: the workspace, its dataset, the record, what is sent, and the findings, all from the address.

Pages call these functions and hold nothing themselves. What is read is cached by path and by the sizes and times
of the files, so that a changed file is read again at the next look; within one run of a page everything is worked
out once. A function that cannot answer says why on the page and ends the run, so its caller needs no test.

    workspace() -> Workspace            dataset() -> Dataset            audit() -> Audit | None
    position() -> int                   record() -> Record              found(assembly) -> findings, faults
    sent() -> Choice                    assembly() -> Assembly          answer() -> Answer | None
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, astuple, replace
from typing import Any, TypeVar, cast

import streamlit as st

from readback import rules
from readback.assembly import assemble
from readback.audit.chunk import about
from readback.audit.summary import Audit
from readback.records.dataset import Dataset, DatasetChanged
from readback.rules import Fault
from readback.types import Answer, Assembly, Case, Choice, Finding, Record, Values, Workspace
from readback.ui import address, caches, exact, show
from readback.ui.caches import Key
from readback.ui.shelf import browser, configured, demos, folders, known
from readback.ui.stamp import stamp
from readback.ui.words import t
from readback.ui.work import wait

__all__ = ["browser", "configured", "demos", "folders"]

GLANCE = 0.1  # seconds the frame waits for a dataset, enough for a small one
AT_ONCE = 2_000  # records times choices that are checked without being asked
ONCE = "worked_out"  # where a run keeps what it has worked out

T = TypeVar("T")


def begin() -> None:
    """A run of a page begins: forget what the last one worked out, and look at the files again."""
    st.session_state[ONCE] = {}


def workspace_id() -> str:
    """The id of the workspace in view: the one in the address, else the first."""
    wanted = address.get("workspace")
    return wanted if wanted is not None and wanted in _known() else next(iter(_known()), "")


def workspace() -> Workspace:
    """The workspace in view, read; with the fields that were mapped on the page in this session."""
    made, reason = _once("workspace", lambda: caches.workspace(*_key()))
    if made is None:
        show.problem(t("frame.nothing_read"), reason)
        show.empty(t("frame.nothing_read_next"), t("frame.open_one"), "open")
        st.stop()
    return made


def peek() -> tuple[Workspace | None, Dataset | None]:
    """The workspace and its dataset as far as they are read by now; for the frame, which must not wait or fail."""
    if not _known():
        return None, None
    made, _ = caches.workspace(*_key())
    job = caches.dataset(*_key()) if made else None
    return made, job.result if job and job.ready.wait(GLANCE) and job.error is None else None


def mapped() -> Mapping[str, str]:
    """Variables mapped to record fields by a click, for the workspace in view; in this session only."""
    chosen: Mapping[str, Mapping[str, str]] = st.session_state.get("fields", {})
    return chosen.get(workspace_id(), {})


def map_field(variable: str, field: str | None) -> None:
    """Map a template variable to a record field (None: take the mapping back). For callbacks."""
    now = {**mapped(), variable: field}
    kept = {name: value for name, value in now.items() if value is not None}
    st.session_state["fields"] = {**st.session_state.get("fields", {}), workspace_id(): kept}
    begin()


def changed() -> tuple[str, ...]:
    """Files that changed on disk since this session last looked; they have been read again."""
    name = workspace_id()
    seen: dict[str, Mapping[str, str]] = st.session_state.setdefault("seen", {})
    now = stamp(_known()[name]).files if name else {}
    before, seen[name] = seen.get(name, now), now
    return tuple(sorted(file for file in {*before, *now} if before.get(file) != now.get(file)))


def dataset() -> Dataset:
    """The dataset in view; a large one is indexed in the background, with progress and a stop button."""
    made: Dataset | None = _once("dataset", _dataset)
    if made is None:
        show.empty(t("frame.reading_stopped"))
        st.button(t("frame.again"), key="again_dataset", on_click=caches.dataset.clear, args=_key())
        st.stop()
    return made


def position() -> int:
    """The record in view, counted from 0: `record` (an id) or `index` in the address, else the first."""
    data, name, number = dataset(), address.get("record"), address.get("index")
    at = data.find(name) if name is not None else None
    if at is None and number is not None and number.isdecimal():
        at = int(number)
    return min(at or 0, max(len(data) - 1, 0))


def lost() -> bool:
    """Whether the address asks for a record that is not there."""
    name = address.get("record")
    return name is not None and dataset().find(name) is None


def record() -> Record:
    """The record in view."""
    data, at = dataset(), position()
    try:
        return _once(("record", at), lambda: data.record(at))
    except DatasetChanged:  # written to since it was opened, and so recently that its stamp does not tell
        caches.dataset.clear()
        st.rerun()


def go(index: int, finding: str | None = None) -> None:
    """Look at another record, and a finding on it; for callbacks.

    The address gets the record's id, or its number where the id is not its own.
    """
    data = dataset()
    index = max(0, min(index, len(data) - 1))
    name = next(iter(data.ids(index, index + 1)), None)
    if name is not None and name == exact.spelled(name) and data.find(name) == index:
        address.put(record=name, index=None, finding=finding)
    else:
        address.put(record=None, index=str(index), finding=finding)


def sent() -> Choice:
    """What is sent: a condition, a mode with task and adapter, a task, or a judge; the first there is by default."""
    shop = workspace()
    asked = {key: address.get(key) for key in ("condition", "mode", "adapter", "task", "judge")}
    there = {"condition": _arms(shop), "mode": shop.prompts, "judge": shop.judges}
    wrong = any(asked[key] is not None and asked[key] not in names for key, names in there.items())
    if any(asked.values()) and not wrong:
        return Choice(**asked)
    return _once("first", lambda: next(iter(assemble.choices(shop)), Choice()))


def send(choice: Choice) -> None:
    """Choose what is sent; for callbacks."""
    address.put(**asdict(choice), finding=None)


def answer(choice: Choice | None = None, to: Record | None = None) -> Answer | None:
    """What the model replied to a record (the one in view) under the chosen condition, where that is known."""
    choice, called = choice or sent(), (to or record()).id
    if choice.condition is None or called is None:
        return None
    return caches.answers(*_key(), choice.condition).get(called)


def assembly(choice: Choice | None = None, extra: Values | None = None) -> Assembly:
    """The messages for the record in view, as chosen; `extra` are values that are tried and in no file."""
    asked, at, tried = choice or sent(), position(), extra or {}

    def make() -> Assembly:
        made = assemble.assemble(workspace(), record(), asked, answer(asked), tried)
        return made if made.index is not None else replace(made, index=at)

    return caches.assembly(_key(), at, astuple(asked), json.dumps(tried), make)


def found(made: Assembly, extra: Values | None = None) -> caches.Found:
    """The findings about the assembly in view and its record (with `extra`, the values tried), and failed rules."""
    # What could not be built has notes and no fingerprint.
    mark = f"{made.fingerprint} {made.notes} {json.dumps(extra or {})}"
    looked_at = assemble.tried(workspace(), record(), extra or {})
    return caches.found(_key(), position(), mark, astuple(made.choice), lambda: findings_of(looked_at, made))


def findings_of(one: Record, made: Assembly) -> caches.Found:
    """The findings about a record and its assembly by the rules of the audit, marked ones in the order of the text;
    and the rules that failed, which is our fault."""
    both = (*rules.check(Case(workspace(), one), "record"), *about(workspace(), one, made))
    findings = sorted((each for each in both if isinstance(each, Finding)), key=_order)
    return tuple(findings), tuple(each for each in both if isinstance(each, Fault))


def audit(start: bool = False) -> Audit | None:
    """All findings, or None where the dataset is too large to be checked unasked and nobody has asked yet.

    Starts by itself on small datasets, or with `start`; shows progress with a stop button while it runs. An
    audit that was stopped holds what it found until then and says so (`.stopped`); `recheck` begins again.
    """
    asked: set[str] = st.session_state.setdefault("checked", set())
    if start:
        asked.add(_key()[1])
    if size() > AT_ONCE and _key()[1] not in asked:
        return None
    try:
        return cast(Audit | None, wait(caches.audit(*_key()), "frame.checking", "audit"))
    except DatasetChanged:
        caches.audit.clear()
        st.rerun()


def recheck() -> None:
    """Run the audit again; for callbacks."""
    caches.audit.clear(*_key())
    st.session_state.setdefault("checked", set()).add(_key()[1])


def size() -> int:
    """How many assemblies an audit makes: records times what can be sent."""
    return len(dataset()) * max(1, len(assemble.choices(workspace())))


def _dataset() -> Dataset | None:
    workspace()
    return cast(Dataset | None, wait(caches.dataset(*_key()), "frame.reading", "dataset"))


def _key() -> Key:
    """What the caches know the workspace in view by. Says so and ends the run where there is none."""
    return _once("key", _new_key)


def _new_key() -> Key:
    name = workspace_id()
    if not name:
        show.empty(t("frame.no_workspace"), t("frame.open_one"), "open")
        st.stop()
    path = _known()[name]
    return str(path), stamp(path).key, tuple(sorted(mapped().items()))


def _known() -> Mapping[str, Any]:
    return _once("known", known)


def _once(name: object, work: Callable[[], T]) -> T:
    """What `work` answers, worked out once in a run. None is worked out again."""
    kept: dict[object, Any] = st.session_state.setdefault(ONCE, {})
    if kept.get(name) is None:
        kept[name] = work()
    return cast(T, kept[name])


def _arms(shop: Workspace) -> frozenset[str]:
    return frozenset(name for arm in shop.conditions for name in (arm.name, *arm.aliases))


def _order(one: Finding) -> tuple[bool, int, int]:
    roles = ("system", "user", "assistant", None)
    return one.place.start is None, roles.index(one.place.role) if one.place.role in roles else 9, one.place.start or 0
