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
from readback.readers.files.paths import resolve
from readback.records.changed import DatasetChanged
from readback.records.dataset import open_dataset
from readback.reporting import about_scores, prompts_shown
from readback.reporting.summary import build_summary
from readback.review import agenda, anchors, signing
from readback.review.agenda import Item, Meeting, find_last_signoff
from readback.review.decision_words import find_kind
from readback.review.event import FIRST, Event
from readback.review.leaves import Leaves, NothingToLock, compute_leaves, reuse_leaves
from readback.review.locks import lock_check, lock_file
from readback.review.locks.lock_file import Lock
from readback.review.since import NoBefore
from readback.review.state import By, Decision, Note, SignOff, build_review
from readback.review.store import Store
from readback.review.subject import Subject, list_covered
from readback.review.subject import describe_subject as subject_said
from readback.types import Workspace
from readback.words import sentence

FORM = 1  # of the values; a report of a higher one is of a newer Readback
BLOCK = 1 << 20
OURS = ("agenda", "verdicts", "findings")  # sections whose sentences name files
EXACT = frozenset({"excerpt", "reason", "decision"})  # what others wrote in them


@dataclass(frozen=True, slots=True)
class Until:
    """The events that a report is of, and the time it speaks as of: 2026-11-24T16:05:00.000Z."""

    events: tuple[Event, ...]
    time: str

    @property
    def day(self) -> date:
        """The day of `time`, in UTC."""
        return date.fromisoformat(self.time[:10])


class NoTime(Exception):  # noqa: N818 - an outcome to say in one sentence
    """What was given is no time; the text says so."""


def select_events(events: Iterable[Event], as_of: str | None) -> Until:
    """Select the events up to a time (`2026-11-24`, the end of that day; or `2026-11-24T16:05Z`), without one all of
    them, as of the last one's time. Where there is none at all it is the beginning of today, in UTC. Raises NoTime.
    """
    there = tuple(events)
    if as_of is None:
        return Until(there, there[-1].time if there else f"{datetime.now(UTC).date()}T00:00:00.000Z")
    time = _parse_time(as_of)
    return Until(tuple(takewhile(lambda event: event.time <= time, there)), time)


def _parse_time(text: str) -> str:
    try:
        if len(text) == len("2026-11-24"):
            return f"{date.fromisoformat(text)}T23:59:59.999Z"
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise NoTime(f"{text}: write a day as YYYY-MM-DD, or a time as YYYY-MM-DDTHH:MM:SSZ") from None
    if moment.tzinfo:
        whole = moment
    else:
        whole = moment.replace(tzinfo=UTC)
    return whole.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def build_contents(
    opened: Workspace, store: Store, when: Until, jobs: int | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """Build the values of the whole report. Raises NotReadable, DatasetChanged, signing.Stopped."""
    with reuse_leaves():
        return _build_values(opened, store, when, jobs, progress)


def _build_values(
    opened: Workspace, store: Store, when: Until, jobs: int | None, progress: Progress | None
) -> dict[str, Any]:
    undated, opened = opened, lock_check.set_day(opened, when.time[:10])
    review, days = build_review(when.events), dict[str, Leaves | None]()
    meeting = agenda.gather_meeting(opened, store, when.day, review, jobs, progress)
    now = days[model_input.resolve_today(opened)] = _compute_leaves(opened, jobs, progress)
    if now:
        lock = lock_file.build_lock(now, model_input.resolve_today(opened))
    else:
        lock = None
    evidence = _collect_evidence(meeting)
    decisions = [_build_decision(store, undated, entry, days, jobs) for entry in _sort_entries(review.decisions)]
    standings = dict[str, signing.Standing]()
    signoffs = [
        _build_signoff(undated, store, entry, meeting, standings, jobs, progress)
        for entry in _sort_entries(review.signoffs)
    ]
    bytes_of = {entry["event"]: entry["bytes"] for entry in decisions}
    values = {
        "report": FORM,
        "holds": {
            "form": FORM,
            "readback": __version__,
            "as_of": when.time,
            "sequence": review.sequence,
            "event": when.events[-1].hash if when.events else FIRST,
            "lock": lock_file.format_lock(lock) if lock else None,
            "evidence": hashlib.sha256(as_json.dumps(evidence).encode()).hexdigest(),
        },
        "workspace": opened.name,
        "reviewed": _build_reviewed(opened, meeting, lock),
        "decisions": decisions,
        "signoffs": signoffs,
        "notes": [_build_note(opened, store, entry, when.day) for entry in review.notes if entry.standing != "closed"],
        "unread": [{"event": entry.sequence, "why": entry.why} for entry in review.unread],
        "notes_closed": sum(entry.standing == "closed" for entry in review.notes),
        "agenda": [
            _build_item(entry, meeting.agenda.decided.get(entry.key), bytes_of) for entry in meeting.agenda.items
        ],
        "dropped": [entry.sentence for entry in meeting.agenda.dropped],
        "since_unsaid": meeting.unsaid or None,
        "verdicts": list(_list_verdicts(meeting)),
        "scores": _build_scores(meeting, decisions, signoffs),
        "prompts": prompts_shown.list_prompts(opened, review),
        "findings": _list_findings(meeting),
        "rules": hashlib.sha256("\n".join(sorted(rules.RULES())).encode()).hexdigest()[:16],
    }
    for name in OURS:
        values[name] = _shorten_paths(values[name], opened.root)
    return {**values, "summary": build_summary(values)}


def _shorten_paths(value: Any, root: Path) -> Any:
    """Return our sentences in a value with the files of the workspace written from its folder."""
    if isinstance(value, str):
        return sentence.shorten_paths(value, root)
    if isinstance(value, list):
        return [_shorten_paths(entry, root) for entry in value]
    if isinstance(value, dict):
        return {name: entry if name in EXACT else _shorten_paths(entry, root) for name, entry in value.items()}
    return value


def _collect_evidence(meeting: Meeting) -> dict[str, Any]:
    """Collect what spoke for and against: keys of findings with how many there are of each rule, and rows of scores."""
    audit = meeting.audit
    counts = dict(sorted(audit.counts.items()))
    rows = about_scores.list_rows(meeting.table)
    return {"counts": counts, "keys": sorted({finding.key for finding in audit.findings}), "scores": rows}


def _compute_leaves(opened: Workspace, jobs: int | None, progress: Progress | None) -> Leaves | None:
    try:
        leaves = compute_leaves(opened, None, progress, jobs)
    except NothingToLock:
        return None
    if leaves is None:
        raise signing.Stopped
    return leaves


def _build_reviewed(opened: Workspace, meeting: Meeting, lock: Lock | None) -> dict[str, Any]:
    data = open_dataset(opened.root, opened.dataset)
    roots = lock.roots if lock else {}
    return {
        "dataset": opened.dataset.path if opened.dataset else None,
        "records": len(data) if opened.dataset else None,
        "day": model_input.resolve_today(opened),
        "files": [{"path": path, "what": what, "sha256": sha} for path, what, sha in _list_files(opened)],
        "fingerprints": [
            {
                "what": lock_file.format_head(subject),
                "records": root.records,
                "failed": root.failed,
                "sha256": root.root,
            }
            for subject, root in roots.items()
        ],
        "faults": [f"{fault.rule}: {fault.error}" for fault in meeting.audit.faults],
    }


def _list_files(opened: Workspace) -> Iterator[tuple[str, str, str | None]]:
    """Every file that is used, by path, what it is, and the SHA-256 of its bytes (None: it cannot be read)."""
    used = {(file.path, file.what) for file in opened.recognised if file.used}
    for path, what in sorted(used):
        target = resolve(opened.root, path)
        yield path, what, _hash_file(target) if isinstance(target, Path) else None


def _hash_file(path: Path) -> str | None:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                digest.update(block)
    except OSError:
        return None
    return digest.hexdigest()


def _build_scores(
    meeting: Meeting, decisions: Iterable[Mapping[str, Any]], signoffs: Iterable[Mapping[str, Any]]
) -> Any:
    """Build what the scores say, None without any. `earlier`: the prompts have changed since something was decided or
    signed, so the scores may be of the prompts as they were; no file says which.
    """
    if meeting.table is not None:
        charts = about_scores.build_charts(meeting)
    else:
        charts = None
    if charts is None:
        return None
    changed = any(entry["bytes"] == "changed" for entry in decisions) or any(
        entry["standing"] == "stale" for entry in signoffs
    )
    return {**charts, "earlier": changed}


# What people decided, signed and noted.


def _build_author(by: By) -> dict[str, Any]:
    return {"author": by.author, "known": by.source, "time": by.time, "event": by.sequence}


Entry = TypeVar("Entry", Decision, SignOff)


def _sort_entries(entries: Iterable[Entry]) -> list[Entry]:
    """Sort decisions or sign-offs: those in force first, each group with the latest first."""
    return sorted(entries, key=lambda entry: (_is_past(entry), -entry.by.sequence))


def _is_past(entry: Decision | SignOff) -> bool:
    if isinstance(entry, SignOff):
        return entry.withdrawn is not None
    return not entry.in_force


def _build_decision(
    store: Store, opened: Workspace, decision: Decision, days: dict[str, Leaves | None], jobs: int | None
) -> dict[str, Any]:
    if decision.lock:
        fingerprints = _list_fingerprints(store, decision.lock)
    else:
        fingerprints = []
    if fingerprints:
        now = _compute_fingerprints(opened, decision, days, jobs)
    else:
        now = None
    for line in fingerprints:
        if now is None:
            line["now"] = "unknown"
        else:
            line["now"] = "same" if now.get(line["what"]) == line["sha256"] else "changed"
    there = {line["what"]: line["sha256"] for line in fingerprints}
    if now is None:
        standing = "unknown"
    else:
        standing = "same" if now == there else "changed"
    return {
        **_build_author(decision.by),
        "subject": str(decision.subject),
        "about": subject_said(decision.subject),
        "verdict": decision.verdict,
        "kind": find_kind(decision),
        "reason": decision.reason,
        "on": decision.on or None,
        "in_force": decision.in_force,
        "bytes": standing,
        "lock": fingerprints,
    }


def _compute_fingerprints(
    opened: Workspace, decision: Decision, days: dict[str, Leaves | None], jobs: int | None
) -> Mapping[str, str] | None:
    """Compute the fingerprints of what a decision is on, as the files are now; None where nothing can be assembled."""
    dated = lock_check.set_day(opened, decision.today)
    day = model_input.resolve_today(dated)
    if day not in days:
        days[day] = _compute_leaves(dated, jobs, None)
    leaves = days[day]
    if leaves is None:
        return None
    return {
        lock_file.format_head(line): root.root for line, root in _select_roots(opened, decision.subject, leaves).items()
    }


def _select_roots(opened: Workspace, subject: Subject, now: Leaves) -> Mapping[Any, Any]:
    try:
        choices = set(list_covered(opened, subject))
    except NothingToLock:
        return {}
    return {line: root for line, root in lock_file.build_lock(now, None).roots.items() if line.choice in choices}


def _list_fingerprints(store: Store, sha: str) -> list[dict[str, Any]]:
    """List the fingerprints of a stored lock."""
    lock = signing.load_lock(store, sha)
    roots = lock.roots if lock is not None else {}
    return [{"what": lock_file.format_head(subject), "sha256": root.root} for subject, root in roots.items()]


def _build_signoff(
    opened: Workspace,
    store: Store,
    signoff: SignOff,
    meeting: Meeting,
    standings: dict[str, signing.Standing],
    jobs: int | None,
    progress: Progress | None,
) -> dict[str, Any]:
    """Build a sign-off and whether it still holds; `standings` keeps that for those who sign the same bytes."""
    values: dict[str, Any] = {"standing": "withdrawn", "changes": [], "evidence": [], "unsaid": None}
    if signoff.withdrawn is None:
        try:
            signed = as_json.dumps(signoff.payload)
            if meeting.since and meeting.since.standing and signoff == find_last_signoff(meeting.review):
                standings[signed] = meeting.since.standing
            if signed not in standings:
                now = signing.collect_evidence(meeting.opened, signoff.subject, jobs, progress, meeting.audit)
                standings[signed] = signing.check_standing(opened, store, signoff, progress, jobs, now)
            standing = standings[signed]
            changes = [
                f"{lock_file.format_head(line.subject)}: {lock_check.describe_change(line)}" for line in standing.lines
            ]
            if standing.unread:
                word = "unread"
            elif standing.stale:
                word = "stale"
            elif standing.evidence:
                word = "evidence"
            else:
                word = "same"
            values = {
                "standing": word,
                "changes": changes,
                "evidence": list(standing.evidence),
                "unsaid": standing.unread or standing.unsaid or None,
            }
        except (DatasetChanged, NoBefore) as error:
            values |= {"standing": "unread", "unsaid": str(error)}
    return {
        **_build_author(signoff.by),
        "subject": str(signoff.subject),
        "about": subject_said(signoff.subject),
        "records": signoff.payload.get("count"),
        "day": signoff.payload.get("today"),
        "lock": _list_fingerprints(store, signoff.payload["lock"]),
        "withdrawn": _build_author(signoff.withdrawn) if signoff.withdrawn else None,
        **values,
    }


def _build_note(opened: Workspace, store: Store, note: Note, day: date) -> dict[str, Any]:
    changed = anchors.compare_text(opened, note, store.content(note.text_hash) if note.text_hash else None)
    return {
        **_build_author(note.by),
        "standing": note.standing,
        "text": note.text,
        "owner": note.owner or None,
        "due": note.due or None,
        "overdue": bool(note.due) and note.due < day.isoformat(),
        "anchor": dict(note.anchor),
        "on": anchors.describe_anchor(note.anchor),
        "answers": [{**_build_author(by), "text": text} for by, text in note.answers],
        "changed": anchors.describe_text_change(changed) if changed else None,
    }


def _build_item(item: Item, decided: Decision | None, bytes_of: Mapping[int, str]) -> dict[str, Any]:
    return {
        "said": item.sentence,
        "facts": list(item.facts),
        "kind": item.kind,
        "decision": {
            **_build_author(decided.by),
            "verdict": decided.verdict,
            "kind": item.kind,
            "reason": decided.reason,
            "bytes": bytes_of[decided.by.sequence],
        }
        if decided
        else None,
    }


# What the check found.


def _list_verdicts(meeting: Meeting) -> Iterator[dict[str, Any]]:
    pairs = planned(meeting.opened)
    weighed_groups = weighed(meeting.audit, groups(meeting.audit), pairs)
    for verdict in verdicts(meeting.audit, weighed_groups, pairs):
        yield {
            "a": verdict.pair.a,
            "b": verdict.pair.b,
            "kind": verdict.kind,
            "why": list(why(verdict)),
            "unchecked": list(verdict.unchecked),
        }


def _list_findings(meeting: Meeting) -> list[dict[str, Any]]:
    """One entry a rule, in the order in which Overview lists them."""
    data = open_dataset(meeting.opened.root, meeting.opened.dataset)
    quoted = Quoted(meeting.opened, data)
    pairs = planned(meeting.opened)
    return [
        _build_finding(weighed_group.group, quoted)
        for weighed_group in weighed(meeting.audit, groups(meeting.audit), pairs)
    ]


def _build_finding(group: Group, quoted: Quoted) -> dict[str, Any]:
    if group.findings:
        finding = group.findings[0]
    else:
        finding = None
    if finding:
        part = quoted.excerpt(finding)
    else:
        part = None
    if finding:
        first = {
            "said": sentence.finish(finding.message),
            "where": where(finding.place),
            "fix": sentence.finish(finding.fix),
            "key": finding.key,
            "excerpt": {
                "label": part.label,
                "text": part.text,
                "marks": [list(mark) for mark in part.marks],
                "before": part.before,
                "after": part.after,
            }
            if part
            else None,
        }
    else:
        first = None
    return {
        "severity": group.severity,
        "code": group.code,
        "title": group.title,
        "count": group.count,
        "records": group.records,
        "conditions": list(group.conditions),
        "first": first,
    }
