"""What a meeting should talk about, in which order: written from the study itself, then arranged by those who meet.

The order of the items that nobody moved: what changed since the last sign-off; planned comparisons that are not fair,
or of which it cannot be told; other findings by weight (an error on a planned comparison, an error on a condition, an
error elsewhere, then warnings likewise); scores that surprise or are disputed; notes that are open, the overdue ones
first; what was added by hand. Infos are not on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import Any, Literal

from readback.checks.comparisons import Pair, Verdict, Weighed, planned, verdicts, weighed, why
from readback.checks.groups import groups
from readback.checks.run import engine
from readback.checks.summary import Audit
from readback.prompts.children import Progress
from readback.review import signing
from readback.review.leaves import NothingToLock, reuse_leaves
from readback.review.since import STUDY, NoBefore, Since, since_signoff
from readback.review.state import Decision, Note, Review, SignOff, Step, build_review
from readback.review.store import Store
from readback.review.subject import Subject
from readback.scores import criterion_kinds, in_view, loading, pooled, report
from readback.scores.agreement.measures import measure_pool
from readback.scores.comparing import compare
from readback.scores.comparing.comparison import DISPUTED, Comparison
from readback.scores.table import ScoreTable
from readback.types import Finding, Severity, Workspace
from readback.words import t

Kind = Literal["since", "comparison", "finding", "score", "note", "added"]
LONG = 160  # characters of a note's text that stand for it here; the note has all
PROOFS = 3  # findings that an item points at


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to talk about. `key` is the same as long as it is about the same; `said` is its sentence, `facts` are
    further sentences. `page` and `asked` are where its proof is seen, `findings` the first that are it. `subject` is
    what a decision on it is about. `entry` is what somebody put there from a page.
    """

    key: str
    kind: Kind
    said: str
    facts: tuple[str, ...] = ()
    page: str = ""
    asked: Mapping[str, str] = field(default_factory=dict)
    subject: Subject = STUDY
    severity: Severity | None = None
    findings: tuple[Finding, ...] = ()
    entry: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Agenda:
    """The items in their order, those that were dropped by hand, and by an item's key the decision in force on it."""

    items: tuple[Item, ...]
    dropped: tuple[Item, ...] = ()
    decided: Mapping[str, Decision] = field(default_factory=dict)

    @property
    def open(self) -> tuple[Item, ...]:
        """The items without a decision."""
        return tuple(one for one in self.items if one.key not in self.decided)


def build_agenda(
    opened: Workspace, audit: Audit, table: ScoreTable | None, found: Review, day: date, since: Since | None = None
) -> Agenda:
    """Return the agenda. `day` is today, for what is overdue; `since` is what changed since the last sign-off of
    the whole study, where that is known by now.
    """
    made = [*_list_since_items(found, since), *_list_study_items(opened, audit, since)]
    if table is not None and len(table.columns):
        made += _list_score_items(opened, table)
    made += [*_list_note_items(found, day), *_list_added_items(found)]
    kept, dropped = arrange_items(made, found.agenda)
    # A decision on a planned comparison is one on the item about it, wherever it was made.
    decided = {one.item or str(one.subject): one for one in found.decisions if one.in_force}
    return Agenda(kept, dropped, decided)


def arrange_items(made: Sequence[Item], steps: Iterable[Step]) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    """Return the items in the order that the steps give them, and the dropped ones. A step about an item that is gone,
    or that moves one before such an item, does nothing.
    """
    order, dropped = [one.key for one in made], set[str]()
    for step in steps:
        if step.item not in order:
            continue
        if step.do == "drop":
            dropped.add(step.item)
        elif step.do == "move" and (not step.before or step.before in order) and step.before != step.item:
            order.remove(step.item)
            order.insert(order.index(step.before) if step.before else len(order), step.item)
    by_key = {one.key: one for one in made}
    return tuple(by_key[key] for key in order if key not in dropped), tuple(
        one for one in made if one.key in dropped
    )  # fmt: skip


def find_last_signoff(found: Review) -> SignOff | None:
    """Return the last sign-off of the whole study that was not withdrawn, None without one."""
    return next((one for one in reversed(found.signoffs) if one.subject == STUDY and one.withdrawn is None), None)


def _list_since_items(found: Review, made: Since | None) -> Iterator[Item]:
    signed = find_last_signoff(found)
    if signed is None or (made is not None and made.nothing and not made.stale):
        return
    by = {"name": signed.by.author, "day": signed.by.time[:10]}
    if made is None:
        yield Item("since", "since", t("agenda.since_unknown", **by), page="since")
        return
    lines = [t("agenda.since_prompts", n=len(made.lines)) if made.lines else t("agenda.since_prompts_same")]
    lines += [t("agenda.since_findings", new=len(made.new), gone=len(made.gone))]
    lines += [t("agenda.since_scores", n=len(made.scores))] if made.scores else []
    lines += [t("agenda.since_stale", n=len(made.stale))] if made.stale else []
    yield Item("since", "since", t("agenda.since", **by), (*lines, *made.unknown), page="since")


def _list_study_items(opened: Workspace, audit: Audit, since: Since | None) -> Iterator[Item]:
    """Comparisons that are not fair, then what is wrong besides."""
    pairs = planned(opened)
    found = weighed(audit, groups(audit), pairs)
    said = set[str]()
    for one in verdicts(audit, found, pairs):
        if one.kind in ("unfair", "unknown"):
            yield _build_comparison_item(one, found)
            said |= {fault.code for fault in one.faults} if one.kind == "unfair" else set()
    new = {one.code for one in since.new} if since else set()
    for each in sorted(found, key=_rank_group):
        if each.group.severity != "info" and each.group.code not in said:
            yield _build_finding_item(each, each.group.code in new)


def _rank_group(one: Weighed) -> tuple[int, int]:
    """Errors before warnings; each first on one side of a planned comparison, on both, on a condition, elsewhere."""
    where = 0 if one.one_sided else 1 if one.both_sided else 2 if one.conditions else 3
    return (0 if one.group.severity == "error" else 1), where


def _build_comparison_item(one: Verdict, found: Sequence[Weighed]) -> Item:
    a, b = one.pair.a, one.pair.b
    codes = {fault.code: fault for fault in one.faults}
    proofs = [
        next(iter(each.group.findings), None) for each in found if each.group.code in codes and each.group.findings
    ]
    return Item(
        f"comparison:{a}|{b}",
        "comparison",
        t(f"agenda.comparison_{one.kind}", a=a, b=b),
        why(one),
        "compare",
        {"condition": a, "b_condition": b},
        Subject("comparison", (a, b)),
        "error" if one.kind == "unfair" else "warning",
        tuple(proof for proof in proofs if proof is not None)[:PROOFS] if one.kind == "unfair" else (),
    )


def _build_finding_item(one: Weighed, new: bool) -> Item:
    group = one.group
    where = [t("overview.first_records", n=group.records)] if group.records else [t("overview.places", n=group.count)]
    where += [t("overview.first_conditions", n=len(one.conditions))] if len(one.conditions) > 1 else []
    hit: tuple[Pair, ...] = one.one_sided or one.both_sided
    alone, where_said = one.conditions[0] if len(one.conditions) == 1 else "", t("overview.and").join(where)
    facts = [t("agenda.condition", where=where_said, name=alone) if alone else t("agenda.where", where=where_said)]
    facts += [t("agenda.conditions", names="; ".join(one.conditions))] if len(one.conditions) > 1 else []
    if hit:
        side = "one" if one.one_sided else "both"
        facts.append(t(f"agenda.on_{side}", n=len(hit), a=hit[0].a, b=hit[0].b))
    facts += [t("agenda.new")] if new else []
    said = t(f"agenda.finding_{group.severity}", title=group.title)
    subject = Subject("condition", (alone,)) if alone else STUDY
    return Item(
        f"finding:{group.code}", "finding", said, tuple(facts), "findings", {"code": group.code}, subject,
        group.severity, tuple(group.findings[:PROOFS]),
    )  # fmt: skip


# Scores: what the plan did not expect, what the test and the interval disagree on, what judges disagree on.


def _list_score_items(opened: Workspace, table: ScoreTable) -> Iterator[Item]:
    plan = compare.list_planned(opened)
    for criterion in criterion_kinds.order_of(table, opened):
        judge = next(iter(in_view.judges(table, criterion)), None)
        if judge is None:
            continue
        seen = in_view.get_judge_table(table, judge)
        for one in in_view.of_plan(seen, plan, criterion, judge):
            if isinstance(one, Comparison):
                yield from _list_surprises(seen, one)
        if judge in (pooled.PEOPLE, pooled.JUDGES):
            yield from _list_disputes(table, criterion, judge)


def _list_surprises(table: ScoreTable, one: Comparison) -> Iterator[Item]:
    expected = one.planned.expected.strip().lower() if one.planned else ""
    against = {"a is higher": "b", "b is higher": "a"}.get(one.verdict) == expected
    if not (against or one.at_odds):
        return
    name = partial(report.short, table)
    asked = {"criterion": one.criterion}
    said = t("agenda.against" if against else "agenda.at_odds", criterion=one.criterion, a=name(one.a), b=name(one.b))
    facts = (report.sentence(one, name, table.criteria[one.criterion]), report.tested(one))
    pair = (one.planned.a, one.planned.b) if one.planned else (name(one.a), name(one.b))
    key = f"score:{one.criterion}:{pair[0]}|{pair[1]}"
    yield Item(key, "score", said, tuple(filter(None, facts)), "scores", asked, STUDY)


def _list_disputes(table: ScoreTable, criterion: str, pool: str) -> Iterator[Item]:
    agreed = measure_pool(table, criterion, pooled.members(in_view.get_judge_table(table, pool), criterion, pool))
    if agreed.alpha is None or agreed.alpha >= DISPUTED:
        return
    who = t(f"agenda.{pool.removeprefix('*')}")
    fact = t("agenda.alpha", metric=agreed.metric, alpha=report.signed(agreed.alpha), n=agreed.units)
    asked = {"criterion": criterion, "view": "agreement"}
    said = t("agenda.disputed", criterion=criterion, who=who)
    yield Item(f"agreement:{criterion}", "score", said, (fact,), "scores", asked, STUDY)


# What people wrote.


def _list_note_items(found: Review, day: date) -> Iterator[Item]:
    there = [one for one in found.notes if one.standing == "open" or (one.due and one.standing != "closed")]
    late = {one.id for one in there if one.due and one.due < day.isoformat()}
    for one in sorted(there, key=lambda note: (note.id not in late, note.due or "9", note.by.sequence)):
        yield _build_note_item(one, one.id in late)


def _build_note_item(one: Note, late: bool) -> Item:
    text = " ".join(one.text.split())
    short = text if len(text) <= LONG else f"{text[:LONG]} …"
    facts = [t("agenda.owner", name=one.owner)] if one.owner else []
    facts += [t("agenda.overdue" if late else "agenda.due", day=one.due)] if one.due else []
    facts += [t("agenda.answers", n=len(one.answers))] if one.answers else []
    names = one.anchor.get("condition")
    subject = Subject("condition", (str(names),)) if isinstance(names, str) else STUDY
    said = t("agenda.note", name=one.by.author, text=short)
    return Item(f"note:{one.id}", "note", said, tuple(facts), "review", {"note": one.id}, subject)


def _list_added_items(found: Review) -> Iterator[Item]:
    for one in found.agenda:
        if one.do == "add":
            facts = tuple(map(str, one.entry.get("facts", ())))
            said = one.text or str(one.entry.get("title", ""))
            yield Item(one.item, "added", said, (t("agenda.added_by", name=one.by.author), *facts), entry=one.entry)


@dataclass(frozen=True, slots=True)
class Meeting:
    """`since` is None where nobody signed off the whole study, or where it cannot be said; then `unsaid` says why."""

    opened: Workspace
    found: Review
    audit: Audit
    table: ScoreTable | None
    agenda: Agenda
    since: Since | None = None
    unsaid: str = ""


def gather_meeting(
    opened: Workspace,
    store: Store,
    day: date,
    found: Review | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Meeting:
    """Everything, from the files as they are now. Raises NotReadable, DatasetChanged, signing.Stopped."""
    found = build_review(store.events()) if found is None else found
    audit = engine.check(opened, engine.CheckOptions(jobs=jobs, progress=progress))
    if audit.stopped:
        raise signing.Stopped
    table = loading.load(opened) if opened.scores else None
    with reuse_leaves():
        since, unsaid = _compare_with_signoff(opened, store, found, audit, jobs, progress)
    made = build_agenda(opened, audit, table, found, day, since)
    return Meeting(opened, found, audit, table, made, since, unsaid)


def _compare_with_signoff(
    opened: Workspace, store: Store, found: Review, audit: Audit, jobs: int | None, progress: Progress | None
) -> tuple[Since | None, str]:
    signed = find_last_signoff(found)
    if signed is None:
        return None, ""
    try:
        return since_signoff(opened, store, signed, found, jobs, progress, audit), ""
    except NoBefore as error:
        return None, str(error)
    except NothingToLock as error:
        return None, f"nothing is sent: {error}"
