"""What is read once for everybody: workspaces, datasets, answers, audits; by path, stamp and mapped fields.

Nothing large is ever an argument, since Streamlit would hash it on every look.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast
from weakref import WeakValueDictionary

import streamlit as st

from readback import workspace as reading
from readback.checks import workspace_check
from readback.checks.fields import field_mapping
from readback.checks.groups import apart
from readback.checks.rules import Fault
from readback.checks.run import process
from readback.checks.sample import SIZE
from readback.compare.condition_change import describe_condition_change
from readback.readers.files.progress import report_progress_to
from readback.records.dataset import open_dataset
from readback.records.replies.answers import Answers, open_answers
from readback.records.replies.logged_calls import read_first_request
from readback.requests.observer import Observer
from readback.scores import loading as loading_scores
from readback.types import Assembly, Condition, Finding, Selection, Workspace
from readback.ui.common.state.work import Job
from readback.workspace.templates import plain_templates

KEEP = 8  # workspaces open in one meeting
READ_SCORES = 4  # score tables being read or just read
JUDGED = "\n"  # between a judge and the name that it reads: no variable holds it
TYPED = "\n\n"  # before the mode of a template that was typed on the page
VIEWED = 64  # assemblies that several people go back and forth between

Opened = tuple[Workspace | None, str]
Found = tuple[tuple[Finding, ...], tuple[Fault, ...]]
# Path, stamp of its files with what was chosen among them, variables mapped to fields.
Key = tuple[str, str, tuple[tuple[str, str], ...]]
CHOSEN = "\n"  # is in a stamp before what was chosen


@st.cache_resource(max_entries=KEEP, show_spinner=False)
def workspace(path: str, stamp: str, fields: tuple[tuple[str, str], ...]) -> Opened:
    """Return the workspace, or None and the reason why nothing could be read."""
    if fields:
        opened, reason = workspace(path, stamp, ())
        return opened and with_fields(opened, dict(fields)), reason
    while True:
        job = opening(path, stamp)
        job.ready.wait()
        if job.result is not None:
            return cast(Opened, job.result)
        opening.clear(path, stamp)  # it is tried again: now where somebody stopped it, else at the next look
        if job.error is not None:
            raise job.error


@st.cache_resource(max_entries=KEEP, show_spinner=False)
def opening(path: str, stamp: str) -> Job:
    """Return the job that opens the workspace, which may read a log as a whole; what it answers is `workspace`'s."""

    def open_workspace(progress: Callable[[int, int], bool]) -> Opened:
        chosen = json.loads(stamp.partition(CHOSEN)[2] or "{}")
        try:
            with report_progress_to(progress):
                return reading.open(Path(path), chosen=chosen, offered=True), ""
        except reading.NothingRead as nothing:
            return None, str(nothing.reason)

    return Job(open_workspace)


@st.cache_resource(max_entries=KEEP, show_spinner=False)
def first_request(path: str, _: str) -> Job:
    """Return the job that reads the first request of a log; the second argument is the stamp of its file."""
    return Job(lambda _: read_first_request(Path(path)))


def marked(stamp: str, chosen: Mapping[str, str]) -> str:
    """Return the stamp of files of which some were chosen."""
    if chosen:
        return f"{stamp}{CHOSEN}{json.dumps(chosen, sort_keys=True)}"
    return stamp


def with_fields(opened: Workspace, fields: Mapping[str, str]) -> Workspace:
    """Return the workspace with variables mapped to fields of its records, what its judges read (JUDGED) likewise, and
    the templates that were typed (TYPED).
    """
    typed = {key.removeprefix(TYPED): text for key, text in fields.items() if key.startswith(TYPED)}
    fields = {key: field for key, field in fields.items() if not key.startswith(TYPED)}
    opened = plain_templates.add_typed_templates(opened, typed)
    judged = {(judge, name): fields[key] for key in fields for judge, cut, name in [key.partition(JUDGED)] if cut}
    own = {variable: field for variable, field in fields.items() if JUDGED not in variable}
    source = opened.dataset and replace(opened.dataset, fields={**opened.dataset.fields, **own})
    return field_mapping.mapped(replace(opened, dataset=source), judged)


# `_made` is the workspace where the caller holds it: its files may have changed since, and it be forgotten here.
@st.cache_resource(max_entries=KEEP, show_spinner=False)
def dataset(path: str, stamp: str, fields: tuple[tuple[str, str], ...], _opened: Workspace | None = None) -> Job:
    """Return the job that opens the dataset."""
    opened = _opened or workspace(path, stamp, fields)[0]
    return Job(lambda progress: opened and open_dataset(opened.root, opened.dataset, progress))


@st.cache_resource(max_entries=4 * KEEP, show_spinner=False)
def answers(
    path: str, stamp: str, fields: tuple[tuple[str, str], ...], condition: str, _opened: Workspace | None = None
) -> Answers:
    """Return what a condition's model replied."""
    opened = _opened or workspace(path, stamp, fields)[0]
    if opened:
        condition_found = opened.condition(condition)
    else:
        condition_found = None
    return open_answers(opened or Workspace(Path(path), ""), condition_found or Condition(condition))


@st.cache_resource(max_entries=VIEWED, show_spinner=False)
def condition_change(
    path: str, stamp: str, fields: tuple[tuple[str, str], ...], a: str, b: str, _opened: Workspace
) -> str:
    """Return how the messages of condition `b` differ from those of `a` for the first record, as a phrase."""
    return describe_condition_change(_opened, a, b)


@st.cache_resource(max_entries=READ_SCORES, show_spinner=False)
def scores(mark: str, _opened: Workspace) -> Job:
    """Return the job that reads the scores of a workspace; `mark` is their `loading.fingerprint`."""
    return Job(lambda progress: loading_scores.load(_opened, progress))


@st.cache_resource(max_entries=KEEP, show_spinner=False)
def observer(path: str, stamp: str, fields: tuple[tuple[str, str], ...]) -> Observer | None:
    """Return what was logged of requests; None while nothing can be held against it."""
    opened, _ = workspace(path, stamp, fields)
    data = dataset(path, stamp, fields).result
    if opened and data is not None:
        return Observer(opened, data)
    return None


@st.cache_resource(max_entries=VIEWED, show_spinner=False)
def assembly(
    key: Key, index: int, selection: tuple[str | None, ...], tried: str, _make: Callable[[], Assembly]
) -> Assembly:
    """Return the messages of a record for `selection` (the parts of a Selection), with the values `tried` (JSON)."""
    return _make()


@st.cache_resource(max_entries=VIEWED, show_spinner=False)
def find(key: Key, index: int, mark: str, selection: tuple[str | None, ...], _find: Callable[[], Found]) -> Found:
    """Return the findings about an assembly; `mark` tells it from others."""
    return _find()


@st.cache_resource(max_entries=VIEWED, show_spinner=False)
def rule_effect(key: Key, scores_mark: str, rule: str, _describe: Callable[[], tuple[str, ...]]) -> tuple[str, ...]:
    """Return what a rule's findings do to planned comparisons; `rule` is its code and if the check was stopped."""
    return _describe()


@st.cache_resource(max_entries=KEEP, show_spinner=False)
def first_choice(key: Key, _find: Callable[[], Selection]) -> Selection:
    """Return what is sent where no address says it."""
    return _find()


@st.cache_resource(max_entries=4 * KEEP, show_spinner=False)
def server_findings(key: Key, model: str, _find: Callable[[], tuple[Finding, ...]]) -> tuple[Finding, ...]:
    """Return the findings about a model's server, which are the same for every record."""
    return _find()


@st.cache_resource(max_entries=KEEP, show_spinner=False)
def loading(path: str, stamp: str, fields: tuple[tuple[str, str], ...], _opened: Workspace) -> Job:
    """Return the job that gathers the findings of loading."""

    def work(progress: Callable[[int, int], bool]) -> tuple[Finding, ...]:
        data = open_dataset(_opened.root, _opened.dataset, progress)
        return workspace_check.list_findings(_opened, data, progress)

    return Job(work)


@st.cache_resource(max_entries=KEEP, show_spinner=False)
def audit(path: str, stamp: str, fields: tuple[tuple[str, str], ...], _opened: Workspace | None = None) -> Job:
    """Return the job of the audit."""
    return _check((path, stamp, fields), _opened)


@st.cache_resource(max_entries=KEEP, show_spinner=False)
def sample(path: str, stamp: str, fields: tuple[tuple[str, str], ...], _opened: Workspace | None = None) -> Job:
    """Return the job of the audit of a sample of the records."""
    return _check((path, stamp, fields), _opened, SIZE)


def audited(key: Key, whole: bool = True) -> Job | None:
    """Return the audit that was begun, if there is one; or that of a sample."""
    return _audits().get((key, whole))


def _check(key: Key, opened: Workspace | None, n: int | None = None) -> Job:
    opened = opened or workspace(*key)[0]
    job = _audits()[key, n is None] = Job(lambda progress: opened and apart(process.check(opened, progress, n)))
    return job


@st.cache_resource(show_spinner=False)
def _audits() -> WeakValueDictionary[tuple[Key, bool], Job]:
    return WeakValueDictionary()
