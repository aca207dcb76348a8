"""What changed since a sign-off, a day, a revision of git or a lock: prompts, findings, scores, decisions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from readback import as_json
from readback.checks.summary import Audit
from readback.compare.git import Git
from readback.compare.side import Side, SideError
from readback.compare.sides import open_side
from readback.prompts import model_input
from readback.prompts.children import Progress
from readback.review import signing
from readback.review.leaves import Leaves, NothingToLock, compute_leaves
from readback.review.locks import lock_check, lock_file
from readback.review.locks.lock_check import Line
from readback.review.locks.lock_file import Lock
from readback.review.state import Decision, Review, SignOff
from readback.review.store import Store
from readback.review.subject import Subject, list_covered
from readback.types import Selection, Workspace

STUDY = Subject("study")


class NoBefore(Exception):  # noqa: N818 - an outcome to say in one sentence
    """There is nothing of then to compare with; the text says what was looked for."""


@dataclass(frozen=True, slots=True)
class FindingSummary:
    """A finding as it is named here: its rule, severity, what it is about, its sentence."""

    code: str
    severity: str
    where: str
    sentence: str


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """A score of then and now: rows as `readback scores` has them, None where there was or is none."""

    then: Mapping[str, Any] | None
    now: Mapping[str, Any] | None

    @property
    def row(self) -> Mapping[str, Any]:
        """The row of now, else the one of then."""
        score_row = self.now or self.then
        assert score_row is not None  # noqa: S101 - for the type checker: one of them is there
        return score_row


@dataclass(frozen=True, slots=True)
class Since:
    """What changed. `before` says in words since what. `lines` are the texts that are not the same; `unsaid` says why
    there are no words for how. `new` and `gone` are findings, `still` how many are as they were; `scores` those that
    moved. `unknown` names what cannot be compared, each with the reason. `stale` are decisions in force, and sign-offs,
    made on bytes that are no longer the same.
    """

    before: str
    lines: tuple[Line, ...] = ()
    unsaid: str = ""
    new: tuple[FindingSummary, ...] = ()
    gone: tuple[FindingSummary, ...] = ()
    still: int = 0
    scores: tuple[ScoreChange, ...] = ()
    unknown: tuple[str, ...] = ()
    stale: tuple[Decision | SignOff, ...] = ()
    standing: signing.Standing | None = None  # of the sign-off since which it is

    @property
    def nothing(self) -> bool:
        """Return whether nothing changed."""
        return not (self.lines or self.new or self.gone or self.scores)


def since_signoff(
    opened: Workspace,
    store: Store,
    signoff: SignOff,
    review: Review,
    jobs: int | None = None,
    progress: Progress | None = None,
    audit: Audit | None = None,
) -> Since:
    """Collect what changed since a sign-off, in what it covers; `audit` is that of the whole study, where there is one.

    Raises NoBefore, DatasetChanged and signing.Stopped.
    """
    now = signing.collect_evidence(opened, signoff.subject, jobs, progress, audit)
    standing = signing.check_standing(opened, store, signoff, progress, jobs, now)
    before = f"the sign-off of {signoff.by.author}, {signoff.by.time[:16].replace('T', ' ')} UTC"
    if standing.unread:
        raise NoBefore(f"{before}: {standing.unread}")
    parts = signing.load_evidence(store, signoff)
    since = Since(before, standing.lines, standing.unsaid, standing=standing)
    since = _add_evidence(since, parts, now)
    return replace(since, stale=find_stale(opened, store, review, jobs))


def since_revision(
    opened: Workspace,
    store: Store | None,
    rev: str,
    review: Review,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Since:
    """Collect what changed since a revision of git, in the whole study. Raises SideError, NothingToLock,
    DatasetChanged.
    """
    old, now = open_revision(opened, rev)
    since = Since(f"the revision {rev}", compare_prompts(old, now, jobs, progress))
    since = _add_evidence(
        since, _make_plain(signing.collect_evidence(old, STUDY, jobs)), signing.collect_evidence(now, STUDY, jobs)
    )
    return replace(since, stale=find_stale(opened, store, review, jobs) if store else ())


def open_revision(opened: Workspace, rev: str) -> tuple[Workspace, Workspace]:
    """Open the workspace as it was at a revision of git, and as it is, on the same day. Raises SideError."""
    old, _ = open_side(opened, Side(Selection(), rev=rev))
    day = model_input.resolve_today(opened)
    return lock_check.set_day(old, day), lock_check.set_day(opened, day)


def since_lock(
    opened: Workspace,
    store: Store | None,
    path: Path,
    review: Review,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Since:
    """Collect what changed since a lock was written: prompts alone, for a lock keeps no findings and no scores.

    Raises BadLock, NothingToLock, DatasetChanged.
    """
    checked = lock_check.check_lock(opened, path, progress, jobs)
    if checked is None:
        raise signing.Stopped
    unknown = ("A lock keeps no findings and no scores, so these are not compared.",)
    since = Since(f"the lock {path.name}", checked.stale, checked.unsaid, unknown=unknown)
    return replace(since, stale=find_stale(opened, store, review, jobs) if store else ())


def find_start(opened: Workspace, review: Review, day: date) -> SignOff | str:
    """Find what stands for a day: the last sign-off of the whole study up to its end (UTC), else the last commit of
    git.

    Raises NoBefore where there is neither.
    """
    signed = [
        signoff
        for signoff in review.signoffs
        if signoff.subject == STUDY and signoff.withdrawn is None and signoff.by.time[:10] <= day.isoformat()
    ]
    if signed:
        return signed[-1]
    try:
        with Git(opened.root) as git:
            return git.find_commit_before(day.isoformat())
    except SideError as error:
        raise NoBefore(f"there is no sign-off of the whole study up to {day}, and {error}") from None


def compare_prompts(
    old: Workspace,
    now: Workspace,
    jobs: int | None = None,
    progress: Progress | None = None,
    conditions: Collection[str] = (),
) -> tuple[Line, ...]:
    """Compare the texts of two versions: lines that changed, with counts and words; `conditions` narrows them down.

    Raises NothingToLock where a version sends nothing, DatasetChanged, and signing.Stopped.
    """
    then, here = compute_leaves(old, None, None, jobs), compute_leaves(now, None, progress, jobs)
    if then is None or here is None:
        raise signing.Stopped
    lock = lock_file.build_lock(then, None)
    raw = lock_file.format_lock(lock).encode()
    lines = lock_check.compare_lock(lock, here, lock_file.parse_records(raw, lock_file.format_records(raw, then)))
    wanted = [line for line in lines if not conditions or line.subject.choice.condition in conditions]
    return tuple(_worded(old, now, line, jobs) for line in wanted if line.state != "same")


def _worded(old: Workspace, now: Workspace, line: Line, jobs: int | None) -> Line:
    if line.state == "changed":
        with suppress(SideError):  # one has no such subject: that it changed is all there is to say
            return replace(line, change=lock_check.compare_versions(old, now, line.subject, jobs))
    return line


def _make_plain(evidence: Mapping[str, Any]) -> dict[str, Any]:
    return {name: json.loads(as_json.dumps(value)) for name, value in evidence.items()}


def _add_evidence(since: Since, then: Mapping[str, Any], here: Mapping[str, Any]) -> Since:
    """Compare findings and scores, and add what changed."""
    now, unknown = _make_plain(here), list(since.unknown)
    if then["findings"] is None:
        unknown.append("The findings of then are no longer kept.")
    else:
        before, after = set(then["findings"]["keys"]), set(now["findings"]["keys"])
        old_sentences = then["said"] or {}
        new, gone = (
            Counter(_list_findings(now["said"], after - before)),
            Counter(_list_findings(old_sentences, before - after)),
        )
        again = new & gone  # on another text, and of the same about the same: nobody would call it new
        since = replace(
            since,
            new=_order_findings(new - again),
            gone=_order_findings(gone - again),
            still=len(after & before) + again.total(),
        )
        if nameless := len((before - after) - old_sentences.keys()):
            unknown.append(f"{nameless:,} findings are gone, and what they said was not kept.")
        if any(
            sum(evidence["findings"]["counts"].values()) > len(evidence["findings"]["keys"]) for evidence in (then, now)
        ):
            unknown.append("Of some findings only the number is kept, so new ones may be missing here.")
    if then["scores"] is None:
        unknown.append("The scores of then are no longer kept.")
    else:
        since = replace(since, scores=_compare_scores(then["scores"], now["scores"]))
    return replace(since, unknown=tuple(unknown))


def _list_findings(sentences: Mapping[str, Sequence[str]], keys: set[str]) -> tuple[FindingSummary, ...]:
    return tuple(FindingSummary(*sentences[key]) for key in keys if key in sentences)


def _order_findings(findings: Counter[FindingSummary]) -> tuple[FindingSummary, ...]:
    order = {"error": 0, "warning": 1, "info": 2}
    return tuple(
        sorted(
            findings.elements(),
            key=lambda finding: (order.get(finding.severity, 3), finding.code, finding.where, finding.sentence),
        )
    )


COMPARED = ("n", "failed", "missing", "not_applicable", "mean")


def _compare_scores(then: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]) -> tuple[ScoreChange, ...]:
    before, after = ({_get_score_key(row): row for row in rows} for rows in (then, now))
    pairs = [ScoreChange(before.get(name), after.get(name)) for name in dict.fromkeys((*before, *after))]
    return tuple(change for change in pairs if _get_compared_values(change.then) != _get_compared_values(change.now))


def _get_score_key(row: Mapping[str, Any]) -> str:
    return as_json.dumps([row["condition"], row["criterion"], row["judge"]])


def _get_compared_values(row: Mapping[str, Any] | None) -> object:
    if row is None:
        return None
    distribution = {
        value: count for value, count in row["distribution"].items() if count
    }  # others may be given elsewhere
    return [*(row[name] for name in COMPARED), distribution]


def find_stale(opened: Workspace, store: Store, review: Review, jobs: int | None) -> tuple[Decision | SignOff, ...]:
    """Decisions in force and sign-offs that were made on other bytes than those of now."""
    entries: list[tuple[Decision | SignOff, str, str]] = [
        (entry, entry.lock, entry.today) for entry in review.decisions if entry.in_force and entry.lock
    ]
    entries += [
        (entry, entry.payload["lock"], entry.payload["today"]) for entry in review.signoffs if entry.withdrawn is None
    ]
    days = dict[str, Leaves | None]()
    stale = []
    for entry, sha, day in entries:
        lock = signing.load_lock(store, sha)
        if lock is None:
            continue
        if day not in days:
            days[day] = compute_leaves(lock_check.set_day(opened, day), None, None, jobs)
        now = days[day]
        if now is None or _is_stale(opened, entry.subject, lock, now):
            stale.append(entry)
    return tuple(stale)


def _is_stale(opened: Workspace, subject: Subject, lock: Lock, now: Leaves) -> bool:
    """Return whether a line of a kept lock is no longer so."""
    try:
        choices = set(list_covered(opened, subject))
    except NothingToLock:  # it is gone
        return True
    there = {line: root for line, root in lock_file.build_lock(now, None).roots.items() if line.choice in choices}
    return lock.roots != there
