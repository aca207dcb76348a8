"""What a report says, as plain values: the one thing that its three forms are written from.

The same workspace, events, `as_of` and version of Readback give the same values in the same order. No time of making
is in them, and no path outside of the workspace.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeVar

from readback import __version__, as_json
from readback.checks import rules
from readback.checks.comparisons import planned, verdicts, weighed, why
from readback.checks.groups import Group, groups
from readback.checks.quoted import Quoted, where
from readback.prompts import model_input
from readback.prompts.children import Progress
from readback.readers.paths import resolve
from readback.records.changed import DatasetChanged
from readback.records.dataset import open_dataset
from readback.reporting import about_scores, prompts_shown
from readback.review import agenda, anchors, lock_check, lock_file, signing
from readback.review.agenda import Item, Meeting, find_last_signoff
from readback.review.event import FIRST, Event
from readback.review.leaves import Leaves, NothingToLock, compute_leaves, reuse_leaves
from readback.review.lock_file import Lock
from readback.review.since import NoBefore
from readback.review.state import By, Decision, Note, SignOff, build_review
from readback.review.store import Store
from readback.review.subject import Subject, list_covered
from readback.review.subject import describe_subject as subject_said
from readback.types import Workspace

FORM = 1  # of the values; a report of a higher one is of a newer Readback
BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Until:
    """The events that a report is of, and the time it speaks as of: 2026-11-24T16:05:00.000Z."""

    events: tuple[Event, ...]
    time: str

    @property
    def day(self) -> date:
        return date.fromisoformat(self.time[:10])


class NoTime(Exception):  # noqa: N818 - an outcome to say in one sentence
    """What was given is no time; the text says so."""


def until(events: Iterable[Event], as_of: str | None) -> Until:
    """The events up to a time (`2026-11-24`, the end of that day; or `2026-11-24T16:05Z`), without one all of them,
    as of the last one's time. Where there is none at all it is the beginning of today, in UTC. Raises NoTime.
    """
    there = tuple(events)
    if as_of is None:
        return Until(there, there[-1].time if there else f"{datetime.now(UTC).date()}T00:00:00.000Z")
    time = _time(as_of)
    return Until(tuple(takewhile(lambda one: one.time <= time, there)), time)


def _time(said: str) -> str:
    try:
        if len(said) == len("2026-11-24"):
            return f"{date.fromisoformat(said)}T23:59:59.999Z"
        found = datetime.fromisoformat(said)
    except ValueError:
        raise NoTime(f"{said}: write a day as YYYY-MM-DD, or a time as YYYY-MM-DDTHH:MM:SSZ") from None
    whole = found if found.tzinfo else found.replace(tzinfo=UTC)
    return whole.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def contents(
    opened: Workspace, store: Store, when: Until, jobs: int | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """The whole report. Raises NotReadable, DatasetChanged, signing.Stopped."""
    with reuse_leaves():
        return _contents(opened, store, when, jobs, progress)


def _contents(
    opened: Workspace, store: Store, when: Until, jobs: int | None, progress: Progress | None
) -> dict[str, Any]:
    asked, opened = opened, lock_check.set_day(opened, when.time[:10])
    found, days = build_review(when.events), dict[str, Leaves | None]()
    made = agenda.gather_meeting(opened, store, when.day, found, jobs, progress)
    now = days[model_input.resolve_today(opened)] = _leaves(opened, jobs, progress)
    lock = lock_file.build_lock(now, model_input.resolve_today(opened)) if now else None
    kept = _evidence(made)
    decisions = [_decision(store, asked, one, days, jobs) for one in _later_first(found.decisions)]
    standings = dict[str, signing.Standing]()
    signoffs = [_signoff(asked, store, one, made, standings, jobs, progress) for one in _later_first(found.signoffs)]
    bytes_of = {one["event"]: one["bytes"] for one in decisions}
    return {
        "report": FORM,
        "holds": {
            "form": FORM,
            "readback": __version__,
            "as_of": when.time,
            "sequence": found.sequence,
            "event": when.events[-1].hash if when.events else FIRST,
            "lock": lock_file.format_lock(lock) if lock else None,
            "evidence": hashlib.sha256(as_json.dumps(kept).encode()).hexdigest(),
        },
        "workspace": opened.name,
        "reviewed": _reviewed(opened, made, lock),
        "decisions": decisions,
        "signoffs": signoffs,
        "notes": [_note(opened, store, one, when.day) for one in found.notes if one.standing != "closed"],
        "unread": [{"event": one.sequence, "why": one.why} for one in found.unread],
        "notes_closed": sum(one.standing == "closed" for one in found.notes),
        "agenda": [_item(one, made.agenda.decided.get(one.key), bytes_of) for one in made.agenda.items],
        "dropped": [one.said for one in made.agenda.dropped],
        "since_unsaid": made.unsaid or None,
        "verdicts": list(_verdicts(made)),
        "scores": _scores(made, decisions, signoffs),
        "prompts": prompts_shown.shown(opened, found),
        "findings": _findings(made),
        "rules": hashlib.sha256("\n".join(sorted(rules.RULES())).encode()).hexdigest()[:16],
    }


def _evidence(made: Meeting) -> dict[str, Any]:
    """What spoke for and against: keys of findings with how many there are of each rule, and rows of scores."""
    audit = made.audit
    counts = dict(sorted(audit.counts.items()))
    rows = about_scores.rows(made.table)
    return {"counts": counts, "keys": sorted({one.key for one in audit.findings}), "scores": rows}


def _leaves(opened: Workspace, jobs: int | None, progress: Progress | None) -> Leaves | None:
    try:
        found = compute_leaves(opened, None, progress, jobs)
    except NothingToLock:
        return None
    if found is None:
        raise signing.Stopped
    return found


def _reviewed(opened: Workspace, made: Meeting, lock: Lock | None) -> dict[str, Any]:
    data = open_dataset(opened.root, opened.dataset)
    roots = lock.roots if lock else {}
    return {
        "dataset": opened.dataset.path if opened.dataset else None,
        "records": len(data) if opened.dataset else None,
        "day": model_input.resolve_today(opened),
        "files": [{"path": path, "what": what, "sha256": sha} for path, what, sha in _files(opened)],
        "fingerprints": [
            {
                "what": lock_file.format_head(subject),
                "records": root.records,
                "failed": root.failed,
                "sha256": root.root,
            }
            for subject, root in roots.items()
        ],
        "faults": [f"{one.rule}: {one.error}" for one in made.audit.faults],
    }


def _files(opened: Workspace) -> Iterator[tuple[str, str, str | None]]:
    """Every file that is used, by path, what it is, and the SHA-256 of its bytes (None: it cannot be read)."""
    used = {(one.path, one.what) for one in opened.recognised if one.used}
    for path, what in sorted(used):
        found = resolve(opened.root, path)
        yield path, what, _sha(found) if isinstance(found, Path) else None


def _sha(path: Path) -> str | None:
    made = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                made.update(block)
    except OSError:
        return None
    return made.hexdigest()


def _scores(made: Meeting, decisions: Iterable[Mapping[str, Any]], signoffs: Iterable[Mapping[str, Any]]) -> Any:
    """What the scores say, None without any. `earlier`: the prompts have changed since something was decided or signed,
    so the scores may be of the prompts as they were; no file says which.
    """
    charts = about_scores.charts(made) if made.table is not None else None
    if charts is None:
        return None
    changed = any(one["bytes"] == "changed" for one in decisions) or any(one["standing"] == "stale" for one in signoffs)
    return {**charts, "earlier": changed}


# What people decided, signed and noted.


def _by(one: By) -> dict[str, Any]:
    return {"author": one.author, "known": one.known, "time": one.time, "event": one.sequence}


One = TypeVar("One", Decision, SignOff)


def _later_first(found: Iterable[One]) -> list[One]:
    """What is in force first, each the later first."""
    return sorted(found, key=lambda one: (_past(one), -one.by.sequence))


def _past(one: Decision | SignOff) -> bool:
    return one.withdrawn is not None if isinstance(one, SignOff) else not one.in_force


def _decision(
    store: Store, opened: Workspace, one: Decision, days: dict[str, Leaves | None], jobs: int | None
) -> dict[str, Any]:
    held = _held(store, one.lock) if one.lock else []
    now = _now(opened, one, days, jobs) if held else None
    for line in held:
        line["now"] = "unknown" if now is None else "same" if now.get(line["what"]) == line["sha256"] else "changed"
    there = {line["what"]: line["sha256"] for line in held}
    return {
        **_by(one.by), "subject": str(one.subject), "about": subject_said(one.subject),
        "verdict": one.verdict, "reason": one.reason, "on": one.on or None, "in_force": one.in_force,
        "bytes": "unknown" if now is None else "same" if now == there else "changed", "lock": held,
    }  # fmt: skip


def _now(
    opened: Workspace, one: Decision, days: dict[str, Leaves | None], jobs: int | None
) -> Mapping[str, str] | None:
    """The fingerprints of what a decision is on, as the files are now; None where nothing can be assembled."""
    dated = lock_check.set_day(opened, one.today)
    day = model_input.resolve_today(dated)
    if day not in days:
        days[day] = _leaves(dated, jobs, None)
    found = days[day]
    return None if found is None else {
        lock_file.format_head(line): root.root for line, root in _roots(opened, one.subject, found).items()
    }  # fmt: skip


def _roots(opened: Workspace, subject: Subject, now: Leaves) -> Mapping[Any, Any]:
    try:
        choices = set(list_covered(opened, subject))
    except NothingToLock:
        return {}
    return {line: root for line, root in lock_file.build_lock(now, None).roots.items() if line.choice in choices}


def _held(store: Store, sha: str) -> list[dict[str, Any]]:
    """The fingerprints of a kept lock."""
    kept = signing.load_lock(store, sha)
    roots = kept.roots if kept is not None else {}
    return [{"what": lock_file.format_head(subject), "sha256": root.root} for subject, root in roots.items()]


def _signoff(
    opened: Workspace,
    store: Store,
    one: SignOff,
    made: Meeting,
    standings: dict[str, signing.Standing],
    jobs: int | None,
    progress: Progress | None,
) -> dict[str, Any]:
    """A sign-off and whether it still holds; `standings` keeps that for those who sign the same bytes."""
    said: dict[str, Any] = {"standing": "withdrawn", "changes": [], "evidence": [], "unsaid": None}
    if one.withdrawn is None:
        try:
            signed = as_json.dumps(one.payload)
            if made.since and made.since.standing and one == find_last_signoff(made.found):
                standings[signed] = made.since.standing
            if signed not in standings:
                now = signing.collect_evidence(made.opened, one.subject, jobs, progress, made.audit)
                standings[signed] = signing.check_standing(opened, store, one, progress, jobs, now)
            held = standings[signed]
            changes = [
                f"{lock_file.format_head(line.subject)}: {lock_check.describe_change(line)}" for line in held.lines
            ]
            word = "unread" if held.unread else "stale" if held.stale else "evidence" if held.evidence else "same"
            said = {"standing": word, "changes": changes, "evidence": list(held.evidence),
                    "unsaid": held.unread or held.unsaid or None}  # fmt: skip
        except (DatasetChanged, NoBefore) as error:
            said |= {"standing": "unread", "unsaid": str(error)}
    return {
        **_by(one.by), "subject": str(one.subject), "about": subject_said(one.subject),
        "records": one.payload.get("count"),
        "day": one.payload.get("today"), "lock": _held(store, one.payload["lock"]),
        "withdrawn": _by(one.withdrawn) if one.withdrawn else None, **said,
    }  # fmt: skip


def _note(opened: Workspace, store: Store, one: Note, day: date) -> dict[str, Any]:
    changed = anchors.compare_text(opened, one, store.content(one.kept) if one.kept else None)
    return {
        **_by(one.by), "standing": one.standing, "text": one.text, "owner": one.owner or None, "due": one.due or None,
        "overdue": bool(one.due) and one.due < day.isoformat(), "anchor": dict(one.anchor),
        "on": anchors.describe_anchor(one.anchor),
        "answers": [{**_by(by), "text": text} for by, text in one.answers],
        "changed": anchors.describe_text_change(changed) if changed else None,
    }  # fmt: skip


def _item(one: Item, decided: Decision | None, bytes_of: Mapping[int, str]) -> dict[str, Any]:
    return {
        "said": one.said, "facts": list(one.facts), "kind": one.kind,
        "decision": {**_by(decided.by), "verdict": decided.verdict, "reason": decided.reason,
                     "bytes": bytes_of[decided.by.sequence]} if decided else None,
    }  # fmt: skip


# What the check found.


def _verdicts(made: Meeting) -> Iterator[dict[str, Any]]:
    pairs = planned(made.opened)
    found = weighed(made.audit, groups(made.audit), pairs)
    for one in verdicts(made.audit, found, pairs):
        yield {"a": one.pair.a, "b": one.pair.b, "kind": one.kind, "why": list(why(one)),
               "unchecked": list(one.unchecked)}  # fmt: skip


def _findings(made: Meeting) -> list[dict[str, Any]]:
    """One entry a rule, in the order in which Overview lists them."""
    data = open_dataset(made.opened.root, made.opened.dataset)
    quoted = Quoted(made.opened, data)
    pairs = planned(made.opened)
    return [_finding(one.group, quoted) for one in weighed(made.audit, groups(made.audit), pairs)]


def _finding(group: Group, quoted: Quoted) -> dict[str, Any]:
    one = group.findings[0] if group.findings else None
    part = quoted.excerpt(one) if one else None
    first = {
        "said": one.message, "where": where(one.place), "fix": one.fix, "key": one.key,
        "excerpt": {"label": part.label, "text": part.text, "marks": [list(mark) for mark in part.marks],
                    "before": part.before, "after": part.after} if part else None,
    } if one else None  # fmt: skip
    return {"severity": group.severity, "code": group.code, "title": group.title, "count": group.count,
            "records": group.records, "conditions": list(group.conditions), "first": first}  # fmt: skip
