"""What is in view: the workspace, its dataset, the record, what is sent, and the findings, all from the address.

Pages call these functions and hold nothing themselves. Everything that is read is cached by path and by the
sizes and times of the files, so a changed file is read again at the next look and nothing large is ever hashed.
A function that cannot answer says why on the page and ends the run (`st.stop`), so its caller needs no test.

    workspace() -> Workspace            dataset() -> Dataset            audit() -> Audit | None
    position() -> int                   record() -> Record              sent() -> Choice
    assembly() -> Assembly              answer() -> Answer | None       folders() -> {id: Path}
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import streamlit as st

from readback import assemble, rules
from readback import workspace as reading
from readback.answers import Answers, open_answers
from readback.audit import engine
from readback.audit.chunk import about
from readback.audit.summary import Audit
from readback.dataset import Dataset, DatasetChanged, open_dataset
from readback.house import EXAMPLES
from readback.rules import Fault
from readback.types import Answer, Assembly, Case, Choice, Finding, Record, Values, Workspace
from readback.ui import address, show, upload
from readback.ui.stamp import stamp
from readback.ui.work import Job, wait
from readback.ui.words import t

KEEP = 8  # workspaces open in one meeting
GLANCE = 0.1  # seconds the frame waits for a dataset, enough for a small one
AT_ONCE = 2_000  # records times choices that are checked without being asked


# -- the workspace -----------------------------------------------------------------------------------------


def demos() -> Mapping[str, Path]:
    """The built-in demo workspaces by id."""
    return {path.name: path for path in sorted(EXAMPLES.iterdir()) if path.is_dir()} if EXAMPLES.is_dir() else {}


def configured() -> Mapping[str, Path]:
    """The workspaces the server was started with (READBACK_WORKSPACE, several separated by `:`), by id."""
    found: dict[str, Path] = {}
    for text in filter(None, os.environ.get("READBACK_WORKSPACE", "").split(os.pathsep)):
        path = Path(text).expanduser().absolute()
        name, n = path.name or "workspace", 1
        while name in found:
            n += 1
            name = f"{path.name}-{n}"
        found[name] = path
    return found


def browser() -> str:
    """What tells this browser from others: its cross-site token, else this session."""
    raw = st.context.cookies.get("_streamlit_xsrf", "").split("|")
    if len(raw) == 4:  # version, mask, masked token, time: the mask changes, the token stays
        mask, token = (bytes.fromhex(part) for part in raw[1:3])
        return upload.owner(bytes(b ^ mask[i % len(mask)] for i, b in enumerate(token)).hex())
    return upload.owner(st.session_state.setdefault("browser", os.urandom(16).hex()))


def folders() -> Mapping[str, Path]:
    """Every workspace this browser may open, by id: configured ones, or the demos, then its own uploads."""
    whose = browser()
    given = configured() or demos()
    return {**given, **{token: path for token in upload.mine(whose) if (path := upload.path(token, whose))}}


def workspace_id() -> str:
    """The id of the workspace in view: the one in the address, else the first."""
    known = {**demos(), **folders()}
    wanted = address.get("workspace")
    return wanted if wanted in known else next(iter(folders()), "")


def workspace() -> Workspace:
    """The workspace in view, read; with the fields that were mapped on the page in this session."""
    return _opened()[0]


def peek() -> tuple[Workspace | None, Dataset | None]:
    """The workspace and its dataset as far as they are read by now; for the frame, which must not wait or fail."""
    key = _key()
    made = _workspace(*key)[0] if key else None
    job = _dataset(*key) if made and key else None
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


def changed() -> tuple[str, ...]:
    """Files that changed on disk since this session last looked; they have been read again."""
    name = workspace_id()
    path = {**demos(), **folders()}.get(name)
    seen: dict[str, Mapping[str, str]] = st.session_state.setdefault("seen", {})
    now = stamp(path).files if path else {}
    before, seen[name] = seen.get(name, now), now
    return tuple(sorted(file for file in {*before, *now} if before.get(file) != now.get(file)))


# -- its records -------------------------------------------------------------------------------------------


def dataset() -> Dataset:
    """The dataset in view; a large one is indexed in the background, with progress and a stop button."""
    _, key = _opened()
    made: Dataset | None = wait(_dataset(*key), "frame.reading", "dataset")
    if made is None:
        show.empty(t("frame.reading_stopped"))
        if st.button(t("frame.again"), key="again_dataset"):
            _dataset.clear(*key)
            st.rerun()
        st.stop()
    return made


def position() -> int:
    """The record in view, counted from 0: `record` (an id) or `index` in the address, else the first."""
    data = dataset()
    name, number = address.get("record"), address.get("index")
    found = data.find(name) if name is not None else None
    if found is None and number is not None and number.isdecimal():
        found = int(number)
    return min(found or 0, max(len(data) - 1, 0))


def lost() -> bool:
    """Whether the address asks for a record that is not there."""
    name = address.get("record")
    return name is not None and dataset().find(name) is None


def record() -> Record:
    """The record in view."""
    try:
        return dataset().record(position())
    except DatasetChanged:  # written to since it was opened, and so recently that its stamp does not tell
        _dataset.clear()
        st.rerun()


def go(index: int) -> None:
    """Look at another record; for callbacks. The address gets its id, or its number where the id is not its own."""
    data = dataset()
    index = max(0, min(index, len(data) - 1))
    name = data.record(index).id
    if name is not None and data.find(name) == index:
        address.put(record=name, index=None, finding=None)
    else:
        address.put(record=None, index=str(index), finding=None)


# -- what is sent ------------------------------------------------------------------------------------------


def sent() -> Choice:
    """What is sent: a condition, a mode with task and adapter, a task, or a judge; the first there is by default."""
    shop = workspace()
    asked = {key: address.get(key) for key in ("condition", "mode", "adapter", "task", "judge")}
    known = {
        "condition": lambda name: shop.condition(name) is not None,
        "mode": shop.prompts.__contains__,
        "judge": shop.judges.__contains__,
    }
    wrong = [key for key, value in asked.items() if value is not None and key in known and not known[key](value)]
    if any(asked.values()) and not wrong:
        return Choice(**asked)
    return next(iter(assemble.choices(shop)), Choice())


def send(choice: Choice) -> None:
    """Choose what is sent; for callbacks."""
    address.put(**asdict(choice), finding=None)


def answer(choice: Choice | None = None) -> Answer | None:
    """What the model replied to the record in view under the chosen condition, where that is known."""
    _, key = _opened()
    choice = choice or sent()
    if choice.condition is None:
        return None
    here = record()
    return _answers(*key, choice.condition).get(here.id) if here.id is not None else None


def assembly(choice: Choice | None = None, extra: Values | None = None) -> Assembly:
    """The messages for the record in view, as chosen; `extra` are values that are tried and in no file."""
    choice = choice or sent()
    made = assemble.assemble(workspace(), record(), choice, answer(choice), extra or {})
    return made if made.index is not None else replace(made, index=position())


# -- the findings ------------------------------------------------------------------------------------------


def audit(start: bool = False) -> Audit | None:
    """All findings, or None where the dataset is too large to be checked unasked and nobody has asked yet.

    Starts by itself on small datasets, or with `start`; shows progress with a stop button while it runs. An
    audit that was stopped holds what it found until then and says so (`.stopped`); `recheck` begins again.
    """
    _, key = _opened()
    asked: set[str] = st.session_state.setdefault("checked", set())
    if start:
        asked.add(key[1])
    if size() > AT_ONCE and key[1] not in asked:
        return None
    try:
        made: Audit | None = wait(_audit(*key), "frame.checking", "audit")
    except DatasetChanged:
        _audit.clear()
        st.rerun()
    return made


def recheck() -> None:
    """Run the audit again; for callbacks."""
    _, key = _opened()
    _audit.clear(*key)
    st.session_state.setdefault("checked", set()).add(key[1])


def size() -> int:
    """How many assemblies an audit makes: records times what can be sent."""
    return len(dataset()) * max(1, len(assemble.choices(workspace())))


def found(made: Assembly) -> tuple[tuple[Finding, ...], tuple[Fault, ...]]:
    """The findings about one assembly and its record, by the same rules as the audit, marked ones in their order;
    and the rules that failed, which is our fault."""
    here = record()
    both = (*rules.check(Case(workspace(), here), "record"), *about(workspace(), here, made))
    findings = sorted((one for one in both if isinstance(one, Finding)), key=_order)
    return tuple(findings), tuple(one for one in both if isinstance(one, Fault))


def _order(one: Finding) -> tuple[bool, str, int]:
    return one.place.start is None, "system user assistant".find(one.place.role or "z"), one.place.start or 0


def link(page: str, label: str, **params: str | None) -> str:
    """Alias of `show.link` for pages that import only this module."""
    return show.link(page, label, **params)


# -- caches: keyed by path, stamp and mapped fields, never by content ----------------------------------------

Key = tuple[str, str, tuple[tuple[str, str], ...]]


def _key() -> Key | None:
    path = {**demos(), **folders()}.get(workspace_id())
    return None if path is None else (str(path), stamp(path).key, tuple(sorted(mapped().items())))


def _opened() -> tuple[Workspace, Key]:
    key = _key()
    if key is None:
        show.empty(t("frame.no_workspace"), t("frame.open_one"), "open")
        st.stop()
    made, reason = _workspace(*key)
    if made is None:
        show.problem(t("frame.nothing_read"), reason)
        show.empty(t("frame.nothing_read_next"), t("frame.open_one"), "open")
        st.stop()
    return made, key


@st.cache_resource(max_entries=KEEP, show_spinner=False)
def _workspace(path: str, stamped: str, fields: tuple[tuple[str, str], ...]) -> tuple[Workspace | None, str]:
    try:
        return reading.open(Path(path), fields=dict(fields) or None), ""
    except reading.NothingRead as nothing:
        return None, str(nothing.reason)


@st.cache_resource(max_entries=KEEP, show_spinner=False)
def _dataset(path: str, stamped: str, fields: tuple[tuple[str, str], ...]) -> Job:
    made, _ = _workspace(path, stamped, fields)
    return Job(lambda progress: made and open_dataset(made.root, made.dataset, progress))


@st.cache_resource(max_entries=4 * KEEP, show_spinner=False)
def _answers(path: str, stamped: str, fields: tuple[tuple[str, str], ...], condition: str) -> Answers:
    made, _ = _workspace(path, stamped, fields)
    chosen: Any = made and made.condition(condition)
    return open_answers(made, chosen)


@st.cache_resource(max_entries=KEEP, show_spinner=False)
def _audit(path: str, stamped: str, fields: tuple[tuple[str, str], ...]) -> Job:
    made, _ = _workspace(path, stamped, fields)
    return Job(lambda progress: made and engine.check(made, progress=progress))
