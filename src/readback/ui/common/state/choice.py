"""What is in view: the workspace, its dataset, the record, what is sent, and the findings, all from the address.

Pages call these functions and hold nothing themselves. What is read is cached by path and by the sizes and times of
the files, as the session last accepted them; within one run everything is worked out once. A function that cannot
answer says why on the page and ends the run, so its caller needs no test.

    workspace() -> Workspace            dataset() -> Dataset            audit() -> Audit
    position() -> int                   record() -> Record              find_findings(assembly) -> findings, faults
    moved() -> files changed on disk    accept(): show what is new
    sent() -> Selection                 assembly() -> Assembly          answer() -> Answer | None
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, astuple, replace
from pathlib import Path
from typing import Any, TypeVar, cast

import streamlit as st

from readback.checks.facts import contexts
from readback.checks.groups import in_text
from readback.checks.rules import Fault
from readback.checks.run.chunk import check_record
from readback.checks.run.gathered import Gathered
from readback.checks.sample import SIZE
from readback.checks.summary import Audit
from readback.html import exact
from readback.prompts import assemble, selections
from readback.prompts.gaps import Gap, find_gaps
from readback.records.dataset import Dataset, DatasetChanged
from readback.records.replies import logged_calls
from readback.requests.observer import Observation
from readback.types import Answer, Assembly, Finding, Record, Selection, Values, Workspace
from readback.ui.common import address, show
from readback.ui.common.state import caches, session
from readback.ui.common.state.caches import Key
from readback.ui.common.state.open_workspaces import browser, configured, demos, folders, list_openable
from readback.ui.common.state.work import Job, wait, whole
from readback.words import t

__all__ = ["browser", "configured", "demos", "folders"]

FIRST = 12  # conditions of which the first record is assembled, to begin with the one that has most to see
FAILED = 1  # of those that may not be built before the others are left
NOTHING = (False, 0, 0)  # to see
WAIT = 0.4  # seconds the frame waits for a dataset, enough for a small one on a busy machine
LISTED = 500  # ids in a list to choose from; beyond, an id is typed
AT_ONCE = 2_000  # records times choices that are checked without being asked; of more, a sample
ONCE = "worked_out"  # where a run keeps what it has worked out

T = TypeVar("T")


def begin() -> None:
    """Begin a run of a page: forget what the last one worked out, and look at the files again."""
    st.session_state[ONCE] = {}


def workspace_id() -> str:
    """Return the id of the workspace in view: the one in the address, else the first."""
    wanted = address.get("workspace")
    if wanted is not None and wanted in _list_workspaces():
        return wanted
    return next(iter(_list_workspaces()), "")


def workspace(*, offer: bool = True) -> Workspace:
    """Return the workspace in view, with the fields that were mapped on the page in this session. Where nothing could
    be read the page ends with the reason, and unless told not to `offer` it with the way to other files.
    """
    job = find_opening()
    if job is not None:
        whole(job, "frame.opening", "opening", "frame.opening_stopped", "frame.again", caches.opening.clear)
    opened, reason = _once("workspace", _opened)
    if opened is None:
        show.problem(t("frame.nothing_read"), reason)
        show.empty(t("frame.nothing_read_next"), *((t("frame.open_one"), "open") if offer else ()))
        st.stop()
    return opened


def peek() -> tuple[Workspace | None, Dataset | None]:
    """Return the workspace and its dataset as far as they are read; for the frame, which must not wait or fail."""
    if not _list_workspaces():
        return None, None
    if find_opening() is not None:
        return None, None
    opened, _ = _opened()
    job = _dataset_job(opened) if opened else None
    return opened, job.result if job and job.ready.wait(WAIT) and job.error is None else None


def mapped() -> Mapping[str, str]:
    """Variables mapped to record fields by a click, for the workspace in view; in this session only."""
    return {name: field for name, field in _session_fields().items() if not name.startswith(caches.TYPED)}


def typed() -> Mapping[str, str]:
    """Templates that were typed on the page, by mode, for the workspace in view; in this session only."""
    texts = _session_fields()
    return {name.removeprefix(caches.TYPED): text for name, text in texts.items() if name.startswith(caches.TYPED)}


def type_template(mode: str, text: str | None) -> None:
    """Use a typed template as a mode (None: take it back). For callbacks."""
    map_field(caches.TYPED + mode, text)


def map_field(variable: str, field: str | None) -> None:
    """Map a template variable to a record field (None: take the mapping back). For callbacks."""
    now = {**_session_fields(), variable: field}
    fields = {name: value for name, value in now.items() if value is not None}
    st.session_state["fields"] = {**st.session_state.get("fields", {}), workspace_id(): fields}
    begin()


def _session_fields() -> Mapping[str, str]:
    chosen: Mapping[str, Mapping[str, str]] = st.session_state.get("fields", {})
    return chosen.get(workspace_id(), {})


def moved() -> tuple[session.Moved, ...]:
    """Files that changed on disk since this session accepted them; what is shown is still as it was before."""
    if not (name := workspace_id()):
        return ()
    entry = session.accepted(name, _list_workspaces()[name])
    return _once("moved", lambda: session.moved(entry.stamp.files, entry.path))


def accept() -> None:
    """Show the files as they are now; for callbacks."""
    session.accept(workspace_id())
    begin()


def overtaken(why: object = "") -> None:
    """Say that the dataset was overwritten, take the new one, and run again. For what cannot be shown as it was."""
    file = workspace().dataset
    if why and session.given_up():  # nobody writes to it: it cannot be read
        show.problem(t("frame.unreadable", file=file.path if file else ""), str(why))
        st.stop()
    st.session_state["overtaken"] = t("frame.overtaken", file=file.path if file else "")
    session.forget()
    accept()
    st.rerun()


def dataset() -> Dataset:
    """Return the dataset in view; a large one is indexed in the background, with progress and a stop button."""
    data: Dataset | None = _once("dataset", _dataset)
    if data is None:
        show.empty(t("frame.reading_stopped"))
        st.button(t("frame.again"), key="again_dataset", on_click=session.forget)
        st.stop()
    return data


def position() -> int:
    """Return the number of the record in view, from 0: `record` (an id) or `index` in the address, else the first."""
    data, name, number = dataset(), address.get("record"), address.get("index")
    at = data.find(name) if name is not None else None
    if at is None and number is not None and number.isdecimal():
        at = int(number)
    return min(at or 0, max(len(data) - 1, 0))


def is_record_missing() -> bool:
    """Return whether the address asks for a record that is not there."""
    name = address.get("record")
    return name is not None and dataset().find(name) is None


def record() -> Record:
    """Return the record in view."""
    data, at = dataset(), position()
    if (kept_record := session.record(key(), at)) is not None:
        return kept_record
    try:
        if not data.written:
            return session.keep_record(key(), at, data.record(at))
    except DatasetChanged as changed:
        overtaken(changed)
    overtaken()
    raise AssertionError("the page runs again")


def go(index: int, finding: str | None = None) -> None:
    """Look at another record, and a finding on it; for callbacks."""
    at = max(0, min(index, len(dataset()) - 1))
    receiver = _find_asked(sent(), at)
    if receiver is not None:
        send(receiver)
    address.put(**named(at), finding=finding)


def named(index: int) -> dict[str, str | None]:
    """Return what the address holds for a record: its id, or its number where the id is not unique."""
    data = dataset()
    name = next(iter(data.ids(index, index + 1)), None)
    if name is not None and name == exact.spelling(name) and data.find(name) == index:
        return {"record": name, "index": None}
    return {"record": None, "index": str(index)}


def sent() -> Selection:
    """Return what is sent: a condition, a mode with task and adapter, a task, or a judge.

    By default it is the one with most to see in the first record (`find_fullest`).
    """
    opened = workspace()
    parts = address.read("condition", "mode", "adapter", "task", "judge")
    conditions = frozenset(name for condition in opened.conditions for name in (condition.name, *condition.aliases))
    there = {"condition": conditions, "mode": opened.prompts, "judge": opened.judges}
    wrong = any(parts[key] is not None and parts[key] not in names for key, names in there.items())
    if any(parts.values()) and not wrong:
        return Selection(**parts)
    fullest = _once("first", lambda: caches.first_choice(key(), _find_fullest))
    return _find_asked(fullest, position()) or fullest


def _find_asked(choice: Selection, at: int) -> Selection | None:
    """Return the condition under which a log has the record, where it has that record under another than the chosen.

    A file of requests to several models has each record under one of them: nobody should have to look for it.
    """
    if choice.condition:
        condition = workspace().condition(choice.condition)
    else:
        condition = None
    if condition is None or not condition.logged or condition.mode or condition.task or not len(dataset()):
        return None
    others = logged_calls.find_others(condition, workspace().conditions)
    if not others:
        return None
    root, looked_at = workspace().root, dataset().record(at)
    if logged_calls.is_asked(root, condition, looked_at):
        return None
    other = next((each for each in others if logged_calls.is_asked(root, each, looked_at)), None)
    if other:
        return Selection(condition=other.name)
    return None


def _find_fullest() -> Selection:
    """Return the condition, mode or task (of the first FIRST) with most to see in the first record.

    That is one with a system message before one without, then by the contexts that are sent, then by the findings;
    of several the first. What is listed first is taken where nothing can be assembled. It is found once for everybody.
    """
    listed = selections.list_selections(workspace())
    alone = [each for each in listed if each.judge is None and each.adapter is None]
    if len(alone) < 2 or len(dataset()) == 0:
        return next(iter(listed), Selection())
    first = dataset().record(0)
    weights: list[tuple[bool, int, int]] = []
    for each in alone[:FIRST]:
        weights.append(_weigh(first, assemble.assemble(workspace(), first, each)))
        if weights.count(NOTHING) > FAILED:  # a template that runs until its limit would be waited for each time
            break
    return alone[weights.index(max(weights))]


def _weigh(first: Record, assembled: Assembly) -> tuple[bool, int, int]:
    """Return how much there is to see: whether there is a system message, how many contexts, how many findings."""
    if not assembled.messages:
        return NOTHING
    texts = [message.segments for message in assembled.messages]
    sent_contexts = sum(place.state == "there" for place in contexts.locate_contexts(first.fields, texts, False))
    has_system = any(message.role == "system" for message in assembled.messages)
    return has_system, sent_contexts, len(findings_of(first, assembled)[0])


def unknown() -> tuple[str, str] | None:
    """Return what the address asks for and the workspace does not have: its kind and its name."""
    opened = workspace()
    conditions = [name for condition in opened.conditions for name in (condition.name, *condition.aliases)]
    there = {"condition": conditions, "mode": opened.prompts, "judge": opened.judges}
    wanted = ((kind, address.get(kind), names) for kind, names in there.items())
    return next(((kind, name) for kind, name, names in wanted if name is not None and name not in names), None)


def send(choice: Selection) -> None:
    """Choose what is sent; for callbacks."""
    address.put(**asdict(choice), finding=None)


def answer(choice: Selection | None = None, to: Record | None = None) -> Answer | None:
    """Return what the model replied to a record (the one in view) under the chosen condition, where that is known."""
    choice, called = choice or sent(), (to or record()).id
    if choice.condition is None or called is None:
        return None
    condition = choice.condition
    replies = _once(f"answers {condition}", lambda: caches.answers(*key(), condition, workspace()))
    return replies.get(called)


def assembly(choice: Selection | None = None, extra: Values | None = None) -> Assembly:
    """Return the messages for the record in view, as chosen; `extra` are values that are tried and in no file."""
    selection, at, tried = choice or sent(), position(), extra or {}

    def make() -> Assembly:
        assembled = assemble.assemble(workspace(), record(), selection, answer(selection), tried)
        if assembled.index is not None:
            return assembled
        return replace(assembled, index=at)

    return caches.assembly(key(), at, astuple(selection), json.dumps(tried), make)


def gaps(assembled: Assembly, extra: Values | None = None) -> tuple[tuple[Gap, ...], ...]:
    """Where in each message of the record in view a name without a value would be."""
    return _once(
        f"gaps {assembled.fingerprint}",
        lambda: find_gaps(workspace(), record(), assembled, answer(assembled.choice), extra),
    )


def find_findings(assembled: Assembly, extra: Values | None = None) -> caches.Found:
    """Return the findings about the assembly in view and its record (with `extra`, values tried), and failed rules."""
    # What could not be built has notes and no fingerprint.
    mark = f"{assembled.fingerprint} {assembled.diagnostics} {json.dumps(extra or {})}"
    looked_at = assemble.apply_values(workspace(), record(), extra or {})
    findings, faults = caches.find(
        key(), position(), mark, astuple(assembled.choice), lambda: findings_of(looked_at, assembled)
    )
    return _name_as_linked(findings, st.query_params.get("finding")), faults


def _name_as_linked(findings: tuple[Finding, ...], key_in_address: str | None) -> tuple[Finding, ...]:
    """Return the findings; where a link asks for one that stands for those of many records, that of this record has its
    key.
    """
    if key_in_address is None or any(finding.key == key_in_address for finding in findings):
        return findings
    gathered = Gathered()
    at = next((n for n, finding in enumerate(findings) if gathered.compute_key(finding) == key_in_address), None)
    if at is None:
        return findings
    return (*findings[:at], replace(findings[at], key=key_in_address), *findings[at + 1 :])


def findings_of(record_to_check: Record, assembled: Assembly) -> caches.Found:
    """Return the findings about a record and its assembly by the rules of the audit, marked ones in the order of the
    text; and the rules that failed, which is our fault.
    """
    return findings_in(workspace(), record_to_check, assembled, find_logged(assembled))


def findings_in(
    opened: Workspace, record_to_check: Record, assembled: Assembly, logged: Observation | None = None
) -> caches.Found:
    """Return the same for any workspace, also one that is only tried."""
    both = tuple(check_record(opened, record_to_check, assembled, logged))
    findings = sorted((each for each in both if isinstance(each, Finding)), key=in_text)
    return tuple(findings), tuple(each for each in both if isinstance(each, Fault))


def find_logged(assembled: Assembly) -> Observation | None:
    """Return what the logs say about an assembly of the record in view; None where nothing was logged, or values are
    tried.
    """
    if assembled.fingerprint != assembly(assembled.choice).fingerprint:
        return None
    watching = caches.observer(*key())
    if watching:
        return watching.observe(record(), assembled)
    return None


def audit() -> Audit:
    """All findings; of a large dataset those of a sample (`.sample`), until somebody asks for all of them.

    Shows progress with a stop button while it runs. An audit that was stopped holds what it found until then and says
    so (`.stopped`); `check_again` begins again.
    """
    return _audit(not _sampled())


def whole_audit() -> Audit | None:
    """All findings, or None where the dataset is too large to be checked unasked and nobody has asked yet.

    Starts by itself on small datasets, or when `recheck` asks. What somebody had checked to its end is there for
    everybody, so that a link shows the same to the next.
    """
    if _sampled():
        return None
    return _audit(True)


def audit_job() -> Job | None:
    """Return the check that `audit` waits for, begun if nobody has; for pages that go on meanwhile. None where the
    dataset's file has changed since it was opened: such a page shows what it held.
    """
    whole = not _sampled()
    if caches.audited(key(), whole) is None and _moved():
        return None
    return _audit_job(whole)


def _sampled() -> bool:
    """Whether the dataset is large, and nobody has asked for all of it or waited for the answer."""
    if size() <= AT_ONCE or len(dataset()) <= SIZE or key()[1] in st.session_state.setdefault("checked", set()):
        return False
    begun = caches.audited(key())
    if begun and begun.ready.is_set():
        result = begun.result
    else:
        result = None
    return not isinstance(result, Audit) or result.stopped


def _audit(whole: bool) -> Audit:
    begun = caches.audited(key(), whole)
    if (begun is None or not begun.ready.is_set()) and _moved():
        overtaken()
    try:
        # no records, no count
        if workspace().dataset:
            sentence = "frame.checking"
        else:
            sentence = "frame.checking_files"
        return cast(Audit, wait(_audit_job(whole), sentence, "audit"))
    except DatasetChanged as changed:
        overtaken(changed)
        raise


def _audit_job(whole: bool) -> Job:
    return (caches.audit if whole else caches.sample)(*key(), workspace())


def _moved() -> bool:
    source = workspace().dataset
    return source is not None and source.path in {file.file for file in moved()}


def recheck() -> None:
    """Check every record, or check it again; for callbacks."""
    caches.audit.clear(*key())
    st.session_state.setdefault("checked", set()).add(key()[1])


def check_again() -> None:
    """Begin again what was stopped: the sample, or the check of every record; for callbacks."""
    if _sampled():
        caches.sample.clear(*key())
    else:
        recheck()


def key() -> Key:
    """Return the key of the workspace in view in the caches. Where there is none, say so and end the run."""
    return _once("key", _new_key)


def size() -> int:
    """How many assemblies an audit makes: records times what can be sent."""
    return len(dataset()) * max(1, len(selections.list_selections(workspace())))


def _dataset() -> Dataset | None:
    workspace()
    return cast(Dataset | None, wait(_dataset_job(workspace()), "frame.reading", "dataset"))


def _dataset_job(opened: Workspace) -> Job:
    return session.job(workspace_id(), key(), lambda: caches.dataset(*key(), opened))


def find_opening() -> Job | None:
    """Return the job that reads the log in view, where that takes longer or was stopped; None where all is read."""
    if not _list_workspaces():
        return None
    return session.find_opening(workspace_id(), Path(key()[0]), address.chosen())


def _opened() -> tuple[Workspace | None, str]:
    path, _, fields = key()
    opened, reason = session.opened(workspace_id(), Path(path), address.chosen())
    return opened and caches.with_fields(opened, dict(fields)), reason


def _new_key() -> Key:
    name = workspace_id()
    if not name:
        show.empty(t("frame.no_workspace"), t("frame.open_one"), "open")
        st.stop()
    path = _list_workspaces()[name]
    mark = caches.marked(session.accepted(name, path).stamp.key, address.chosen())
    return str(path), mark, tuple(sorted(_session_fields().items()))


def _list_workspaces() -> Mapping[str, Any]:
    return _once("openable", list_openable)


def _once(name: object, work: Callable[[], T]) -> T:
    """Return what `work` returns, worked out once in a run. None is worked out again."""
    results: dict[object, Any] = st.session_state.setdefault(ONCE, {})
    if results.get(name) is None:
        results[name] = work()
    return cast(T, results[name])
