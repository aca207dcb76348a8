"""Go to a record that stands out: by the length of its prompt, by an empty field, or by a finding that is new."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

import streamlit as st

from readback.checks.summary import Audit, Row, selection_key
from readback.html import exact
from readback.prompts import selections
from readback.records.dataset import Dataset, DatasetChanged
from readback.serving import limits
from readback.serving.limits import Limit
from readback.types import Model, Selection, Tokens, Workspace
from readback.ui.common import address
from readback.ui.common.draw.text import beside
from readback.ui.common.state import background, caches, choice, session, work
from readback.ui.common.state.work import Job, Progress
from readback.ui.prompts.two_texts import compare_words
from readback.words import t

KIND = "going"
EMPTY: tuple[object, ...] = ("", None, [], {})

There = tuple[int, Selection | None, str]  # the record's number, what is sent, why it stands out


def menu() -> None:
    """Draw the ways to a record that stands out; what the files do not call for is not among them."""
    workspace = choice.workspace()
    sent = [selection for selection in selections.list_selections(workspace) if selection.judge is None]
    checked = choice.sent() in selections.list_selections(workspace)
    offers = {
        "longest": checked,
        "shortest": checked,
        "limit": any(_model(workspace, selection) for selection in sent),
        "widest": len(sent) > 1,
        "empty": workspace.dataset is not None,
        "newest": _before() is not None,
    }
    with st.container(key="go"):
        for name, offered in offers.items():
            if offered:
                st.button(t(f"messages.go_{name}"), key=f"go_{name}", on_click=_begin, args=(name,), type="tertiary")


def arrive() -> None:
    """Find the record that was asked for, with progress where that takes long, and go there."""
    name = st.session_state.get(KIND)
    if name is None:
        return
    if name == "empty":
        job = _empty_job()
    else:
        job = _check()
    if isinstance(job.error, DatasetChanged):
        choice.overtaken(job.error)
    if job.error is not None:
        st.session_state.pop(KIND)  # else it would fail again at each look
        background.drop(KIND)
    if not work.look(job, "messages.looking" if name == "empty" else "frame.checking", KIND):
        return
    st.session_state.pop(KIND)
    _go(name, job)
    background.drop(KIND)
    st.rerun()


def _begin(name: str) -> None:
    st.session_state[KIND] = name


def _go(name: str, job: Job) -> None:
    workspace, target = choice.workspace(), job.result
    if name == "empty":
        there = target or (None if job.stopped else t("messages.go_empty_none"))
    elif target is None or target.stopped:
        there = t("messages.go_stopped")
    else:
        there = _describe_place(name, target, workspace) or t(
            "messages.go_newest_none" if name == "newest" else "messages.go_none"
        )
    if isinstance(there, str):
        st.session_state["bar_said"] = there
    elif there is not None:
        index, sent, why = there
        choice.go(index)
        if sent is not None and sent != choice.sent():
            address.put(**asdict(sent), finding=None)
        st.session_state["bar_said"] = why


def _describe_place(name: str, audit: Audit, workspace: Workspace) -> There | None:
    if name == "limit":
        return _nearest(audit, workspace)
    if name == "widest":
        return _widest(audit)
    if name == "newest":
        return _newest(audit)
    sent = choice.sent()
    ends = audit.lengths.get(selection_key(sent))
    if ends is None:
        return None
    if name == "longest":
        index, n = (ends.longest_at, ends.longest)
    else:
        index, n = (ends.shortest_at, ends.shortest)
    values = {"record": called(index), "n": n, "all": ends.records, "sent": compare_words.sent(sent)}
    return index, None, t(f"messages.go_{name}_said", **values)


def _nearest(audit: Audit, workspace: Workspace) -> There | None:
    """Return the prompt that takes the largest share of what its model reads beside its answer."""
    best: tuple[float, Row, Tokens, Limit] | None = None
    for row in audit.conditions:
        counted, limit = row.tokens, limits.find_limit(workspace.models.get(row.model or ""))
        if counted and limit and (best is None or counted.count / limit.room > best[0]):
            best = (counted.count / limit.room, row, counted, limit)
    if best is None:
        return None
    share, row, counted, limit = best
    index = audit.lengths[selection_key(row.choice)].longest_at
    values = {
        "n": row.longest,
        "tokens": counted.count,
        "tokenizer": counted.tokenizer,
        "percent": 100 * share,
        "limit": limit.room,
        "model": row.model,
    }
    where = {"record": called(index), "sent": compare_words.sent(row.choice)}
    return index, row.choice, t("messages.go_limit_said", **where, **values)


def _widest(audit: Audit) -> There | None:
    most = audit.widest
    if most is None:
        return None
    high, low = most.characters
    names = {"long": compare_words.sent(most.long), "short": compare_words.sent(most.short)}
    return most.index, most.long, t("messages.go_widest_said", record=called(most.index), high=high, low=low, **names)


def _newest(audit: Audit) -> There | None:
    """Return the first finding that the check before the files changed did not have."""
    before = _before()
    if before:
        old = {finding.key for finding in before.findings}
    else:
        old = set()
    new = [finding for finding in audit.findings if finding.key not in old and finding.place.index is not None]
    if before is None or not new:
        return None
    first = new[0]
    at = first.place
    sent = Selection(
        at.condition,
        None if at.condition else at.mode,
        None if at.condition else at.adapter,
        None if at.condition else at.task,
        at.judge,
    )
    sentence = t("messages.go_newest_said", record=called(at.index or 0), n=len(new), message=first.message)
    return at.index or 0, sent if any(asdict(sent).values()) else None, sentence


def _before() -> Audit | None:
    """Return the check of the files as they were before they changed, where it was made in full."""
    path, _, fields = choice.key()
    accepted = session.get_accepted(choice.workspace_id())
    if accepted and accepted.before:
        job = caches.audited((path, accepted.before.stamp.key, fields))
    else:
        job = None
    if job is not None and job.ready.is_set():
        result = job.result
    else:
        result = None
    if isinstance(result, Audit) and not (result.stopped or result.truncated):
        return result
    return None


def _check() -> Job:
    """Return the job that checks all records; start it where there is none.

    Where the dataset was overwritten meanwhile, the page takes the new one and runs again.
    """
    source, begun = choice.workspace().dataset, caches.audited(choice.key())
    if begun is None and source and source.path in {moved.file for moved in choice.moved()}:
        choice.overtaken()
    return caches.audit(*choice.key(), choice.workspace())


def _empty_job() -> Job:
    data, at = choice.dataset(), choice.position()
    return background.ask(KIND, (choice.key(), at), lambda progress: _empty(data, at, progress))


def _empty(data: Dataset, at: int, progress: Progress) -> There | None:
    """Return the next record (after `at`, then from the top) with an empty field."""
    order = (*range(at + 1, len(data)), *range(at + 1))
    for done, index in enumerate(order, 1):
        fields: Mapping[str, object] = data.record(index).fields
        path = next((path for path, value in beside.leaves_of(fields) if value in EMPTY or _blank(value)), None)
        if path is not None:
            record = next(iter(data.ids(index, index + 1)), str(index + 1))
            return index, None, t("messages.go_empty_said", record=exact.spelling(record), field=exact.spelling(path))
        if not progress(done, len(order)):
            return None
    return None


def _blank(value: object) -> bool:
    return isinstance(value, str) and not value.strip()


def _model(workspace: Workspace, sent: Selection) -> Model | None:
    """Return the model that is sent to, where the files state how much it reads."""
    if sent.condition:
        condition = workspace.condition(sent.condition)
    else:
        condition = None
    if condition:
        model = workspace.models.get(condition.model or "")
    else:
        model = None
    if limits.find_limit(model):
        return model
    return None


def called(index: int) -> str:
    """Return a record's id, else its number from 1."""
    return exact.spelling(next(iter(choice.dataset().ids(index, index + 1)), str(index + 1)))
