"""What a meeting should talk about, in which order: written from the study itself, then arranged by those who meet.

The order of the items that nobody moved: what changed since the last sign-off; planned comparisons that are fair and
have scores, the clear answers first; those that are not fair, or of which it cannot be told; other findings by weight
(an error on a planned comparison, an error on a condition, an error elsewhere, then warnings likewise); scores that
surprise or are disputed; notes that are open, the overdue ones first; what was added by hand. Infos are not on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

from readback.checks.comparisons import Pair, Verdict, Weighed, planned, verdicts, weighed, why
from readback.checks.groups import groups
from readback.checks.run import engine
from readback.checks.summary import Audit
from readback.prompts.children import Progress
from readback.review import signing
from readback.review.concluded import Concluded, conclude_planned
from readback.review.leaves import NothingToLock, reuse_leaves
from readback.review.since import STUDY, NoBefore, Since, since_signoff
from readback.review.state import Decision, Note, Review, SignOff, Step, build_review
from readback.review.store import Store
from readback.review.subject import Subject
from readback.scores import criterion_kinds, in_view, loading, pooled
from readback.scores.agreement.measures import measure_pool
from readback.scores.comparing import compare
from readback.scores.comparing.comparison import DISPUTED, Comparison
from readback.scores.sentences import report
from readback.scores.table import ScoreTable
from readback.types import Finding, Severity, Workspace
from readback.words import t

Kind = Literal["since", "comparison", "finding", "score", "note", "added"]
LONG = 160  # characters of a note's text that stand for it here; the note has all
FAIR = ("fair", "same")  # verdicts on a comparison under which its scores may be held against each other
PROOFS = 3  # findings that an item points at


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to talk about. `key` is the same as long as it is about the same; `sentence` is its text, `facts` are
    further sentences. `page` and `query` are where its proof is seen, `findings` the first that are it. `subject` is
    what a decision on it is about. `entry` is what somebody put there from a page. `title` names it in a list, with
    both sides of a comparison, `short` without them where it has such a form; `pair` are these two, `verdict` is on
    them. `entries` are what people put on the agenda about the same.
    """

    key: str
    kind: Kind
    sentence: str
    facts: tuple[str, ...] = ()
    page: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    subject: Subject = STUDY
    severity: Severity | None = None
    findings: tuple[Finding, ...] = ()
    entry: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    short: str = ""
    pair: Pair | None = None
    verdict: Verdict | None = None
    entries: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Agenda:
    """The items in their order, those that were dropped by hand, and by an item's key the decision in force on it."""

    items: tuple[Item, ...]
    dropped: tuple[Item, ...] = ()
    decided: Mapping[str, Decision] = field(default_factory=dict)

    @property
    def open(self) -> tuple[Item, ...]:
        """The items without a decision."""
        return tuple(item for item in self.items if item.key not in self.decided)

    @property
    def deferred(self) -> tuple[Item, ...]:
        """The items that were put off: a decision on them is still to be made."""
        return tuple(item for item in self.items if item.key in self.decided and self.decided[item.key].deferred)


def build_agenda(
    opened: Workspace, audit: Audit, table: ScoreTable | None, review: Review, day: date, since: Since | None = None
) -> Agenda:
    """Return the agenda. `day` is today, for what is overdue; `since` is what changed since the last sign-off of
    the whole study, where that is known by now.
    """
    items = [*_list_since_items(review, since), *_list_result_items(opened, audit, table)]
    items += _list_study_items(opened, audit, since)
    if table is not None and len(table.columns):
        items += _list_score_items(opened, table)
    items += [*_list_note_items(review, day), *_list_added_items(review)]
    remaining, dropped = arrange_items(items, review.agenda)
    remaining = join_entries(remaining, audit)
    # A decision on a planned comparison is one on the item about it, wherever it was made.
    decided = {decision.item or str(decision.subject): decision for decision in review.decisions if decision.in_force}
    for item in items:
        if item.key.startswith("result:") and str(item.subject) in decided:
            decided.setdefault(item.key, decided[str(item.subject)])
    return Agenda(remaining, dropped, decided)


def arrange_items(items: Sequence[Item], steps: Iterable[Step]) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    """Return the items in the order that the steps give them, and the dropped ones. A step about an item that is gone,
    or that moves one before such an item, does nothing.
    """
    order, dropped = [item.key for item in items], set[str]()
    for step in steps:
        if step.item not in order:
            continue
        if step.do == "drop":
            dropped.add(step.item)
        elif step.do == "move" and (not step.before or step.before in order) and step.before != step.item:
            order.remove(step.item)
            order.insert(order.index(step.before) if step.before else len(order), step.item)
    by_key = {item.key: item for item in items}
    return tuple(by_key[key] for key in order if key not in dropped), tuple(
        item for item in items if item.key in dropped
    )


def join_entries(items: Sequence[Item], audit: Audit) -> tuple[Item, ...]:
    """Return the items, each subject once: what was put there from a page joins the item that is about the same."""
    codes = {finding.key: finding.code for finding in audit.findings}
    by_subject: dict[str, str] = {}
    for item in items:
        if item.kind in ("comparison", "finding"):
            by_subject |= dict.fromkeys((finding.code for finding in item.findings), item.key)
    joined: dict[str, Item] = {}
    for item in items:
        if item.kind != "added":
            joined.setdefault(item.key, item)
            continue
        subject = by_subject.setdefault(_find_entry_subject(item, codes), item.key)
        if subject == item.key:
            joined[item.key] = item
            continue
        first = joined.get(subject) or next(other for other in items if other.key == subject)
        facts = tuple(fact for fact in item.facts[:1] if fact not in first.facts)
        if item.entry == first.entry:
            entries = first.entries
        else:
            entries = (*first.entries, item.entry)
        joined[subject] = replace(first, facts=(*first.facts, *facts), entries=entries)
    return tuple(joined[item.key] for item in items if item.key in joined)


def _find_entry_subject(item: Item, codes: Mapping[str, str]) -> str:
    """Return what an added item is about: the rule of its finding, else its own words and excerpts."""
    entry = item.entry
    if not entry:
        return " ".join(item.sentence.split())
    query = parse_qs(urlsplit(str(entry.get("link", ""))).query)
    code = codes.get(query.get("finding", [""])[0]) or query.get("code", [""])[0]
    if entry.get("kind") == "finding" and code:
        return code
    return f"{item.sentence}\n{entry.get('link', '')}\n{entry.get('excerpts', '')}"


def find_last_signoff(review: Review) -> SignOff | None:
    """Return the last sign-off of the whole study that was not withdrawn, None without one."""
    return next(
        (signoff for signoff in reversed(review.signoffs) if signoff.subject == STUDY and signoff.withdrawn is None),
        None,
    )


def _list_since_items(review: Review, since: Since | None) -> Iterator[Item]:
    signed = find_last_signoff(review)
    if signed is None or (since is not None and since.nothing and not since.stale):
        return
    by = {"name": signed.by.author, "day": signed.by.time[:10]}
    if since is None:
        yield Item("since", "since", t("agenda.since_unknown", **by), page="since")
        return
    lines = [t("agenda.since_prompts", n=len(since.lines)) if since.lines else t("agenda.since_prompts_same")]
    lines += [t("agenda.since_findings", new=len(since.new), gone=len(since.gone))]
    lines += [t("agenda.since_scores", n=len(since.scores))] if since.scores else []
    lines += [t("agenda.since_stale", n=len(since.stale))] if since.stale else []
    yield Item("since", "since", t("agenda.since", **by), (*lines, *since.unknown), page="since")


def _list_result_items(opened: Workspace, audit: Audit, table: ScoreTable | None) -> Iterator[Item]:
    """Yield the planned comparisons that are fair and have scores: what is concluded of them is to be decided."""
    pairs = planned(opened)
    if table is None or not len(table.columns) or not pairs:
        return
    weighed_groups = weighed(audit, groups(audit), pairs)
    judged = {verdict.pair: verdict for verdict in verdicts(audit, weighed_groups, pairs)}
    concluded = conclude_planned(opened, table, tuple(judged.values()))
    fair = [pair for pair, each in concluded.items() if judged[pair].kind in FAIR and each.conclusion.sentence]
    for pair in sorted(fair, key=lambda pair: concluded[pair].conclusion.better is None):
        yield _build_result_item(opened, judged[pair], concluded[pair], weighed_groups)


def _build_result_item(
    opened: Workspace, verdict: Verdict, concluded: Concluded, weighed_groups: Sequence[Weighed]
) -> Item:
    a, b = verdict.pair.a, verdict.pair.b
    return Item(
        f"result:{a}|{b}",
        "score",
        t("agenda.result", a=a, b=b, said=concluded.conclusion.headline),
        (*why(verdict), *_list_touching(verdict, weighed_groups)),
        "scores",
        {"criterion": concluded.criterion},
        Subject("comparison", (a, b)),
        title=_find_question(opened, a, b) or t("agenda.title_result", a=a, b=b),
        pair=verdict.pair,
        verdict=verdict,
    )


def _list_study_items(opened: Workspace, audit: Audit, since: Since | None) -> Iterator[Item]:
    """Comparisons that are not fair, then what is wrong besides."""
    pairs = planned(opened)
    weighed_groups = weighed(audit, groups(audit), pairs)
    covered_codes, pairs_on_it = set[str](), set[frozenset[str]]()
    for verdict in verdicts(audit, weighed_groups, pairs):
        sides = frozenset((verdict.pair.a, verdict.pair.b))
        if verdict.kind in ("unfair", "unknown") and sides not in pairs_on_it:
            pairs_on_it.add(sides)  # whichever of the two the plan names first
            yield _build_comparison_item(opened, verdict, weighed_groups)
            covered_codes |= {fault.code for fault in verdict.faults} if verdict.kind == "unfair" else set()
    if since:
        new = {finding.code for finding in since.new}
    else:
        new = set()
    for each in sorted(weighed_groups, key=_rank_group):
        if each.group.severity != "info" and each.group.code not in covered_codes:
            yield _build_finding_item(each, each.group.code in new)


def _find_question(opened: Workspace, a: str, b: str) -> str:
    """Return the question that the plan asks of two conditions; "" where it asks none."""
    questions = (plan.question for plan in compare.list_planned(opened) if {plan.a, plan.b} == {a, b})
    return next((question for question in questions if question), "")


def _rank_group(weighed_group: Weighed) -> tuple[int, int]:
    """Errors before warnings; each first on one side of a planned comparison, on both, on a condition, elsewhere."""
    if weighed_group.one_sided:
        where = 0
    elif weighed_group.both_sided:
        where = 1
    elif weighed_group.conditions:
        where = 2
    else:
        where = 3
    return (0 if weighed_group.group.severity == "error" else 1), where


def _build_comparison_item(opened: Workspace, verdict: Verdict, weighed_groups: Sequence[Weighed]) -> Item:
    a, b = verdict.pair.a, verdict.pair.b
    codes = {fault.code: fault for fault in verdict.faults}
    proofs = [
        next(iter(each.group.findings), None)
        for each in weighed_groups
        if each.group.code in codes and each.group.findings
    ]
    return Item(
        f"comparison:{a}|{b}",
        "comparison",
        t(f"agenda.comparison_{verdict.kind}", a=a, b=b),
        (*why(verdict), *_list_touching(verdict, weighed_groups)),
        "compare",
        {"condition": b, "b_condition": a},  # in the order of the title, and of Results
        Subject("comparison", (a, b)),
        "error" if verdict.kind == "unfair" else "warning",
        tuple(proof for proof in proofs if proof is not None)[:PROOFS] if verdict.kind == "unfair" else (),
        title=_find_question(opened, a, b) or t("agenda.title_comparison", a=a, b=b),
        pair=verdict.pair,
        verdict=verdict,
    )


def _list_touching(verdict: Verdict, weighed_groups: Sequence[Weighed]) -> Iterator[str]:
    """Yield which errors are on a side of a comparison and are no reason of its verdict, and of a fair one the warnings
    on one side: whoever decides on it would not see them otherwise.
    """
    if verdict.kind == "unknown":
        reasons = set()
    else:
        reasons = {fault.code for fault in verdict.faults}
    errors = [each for each in weighed_groups if each.group.severity == "error" and each.group.code not in reasons]
    on_both = [each for each in errors if verdict.pair in each.both_sided]
    on_one = [each for each in errors if verdict.pair in each.one_sided]
    warnings = [each for each in weighed_groups if each.group.severity == "warning"]
    if verdict.kind == "fair":
        warned = [each for each in warnings if verdict.pair in each.one_sided]
    else:
        warned = []
    kinds = (("agenda.touching_one", on_one), ("agenda.touching_both", on_both), ("agenda.touching_warning", warned))
    for key, touching in kinds:
        titles = [t("agenda.touching_title", title=each.group.title) for each in touching]
        if titles:
            yield t(key, n=len(titles), titles=", ".join(titles))


def _build_finding_item(weighed_group: Weighed, new: bool) -> Item:
    group = weighed_group.group
    if group.records:
        where = [t("overview.first_records", n=group.records)]
    else:
        where = [t("overview.places", n=group.count)]
    where += (
        [t("overview.first_conditions", n=len(weighed_group.conditions))] if len(weighed_group.conditions) > 1 else []
    )
    hit: tuple[Pair, ...] = weighed_group.one_sided or weighed_group.both_sided
    alone, where_said = (
        weighed_group.conditions[0] if len(weighed_group.conditions) == 1 else "",
        t("overview.and").join(where),
    )
    facts = [t("agenda.condition", where=where_said, name=alone) if alone else t("agenda.where", where=where_said)]
    facts += (
        [t("agenda.conditions", names="; ".join(weighed_group.conditions))] if len(weighed_group.conditions) > 1 else []
    )
    if hit:
        if weighed_group.one_sided:
            side = "one"
        else:
            side = "both"
        facts.append(t(f"agenda.on_{side}", n=len(hit), a=hit[0].a, b=hit[0].b))
    facts += [t("agenda.new")] if new else []
    sentence = t(f"agenda.finding_{group.severity}", title=group.title)
    if alone:
        subject = Subject("condition", (alone,))
    else:
        subject = STUDY
    return Item(
        f"finding:{group.code}",
        "finding",
        sentence,
        tuple(facts),
        "findings",
        {"code": group.code},
        subject,
        group.severity,
        tuple(group.findings[:PROOFS]),
        title=_title_finding(weighed_group, hit),
        short=group.title,
        pair=only(hit),
    )


def _title_finding(weighed_group: Weighed, hit: Sequence[Pair]) -> str:
    """Return the rule's sentence after what it is about: both sides of the planned comparison, else the condition."""
    title = weighed_group.group.title
    if (pair := only(hit)) is not None:
        return t("agenda.title_pair", a=pair.a, b=pair.b, title=title)
    if len(weighed_group.conditions) == 1:
        return t("agenda.title_condition", name=weighed_group.conditions[0], title=title)
    return title


def only(pairs: Sequence[Pair]) -> Pair | None:
    """Return the one pair of a list; None where there are several, or none."""
    if len(pairs) == 1:
        return pairs[0]
    return None


# Scores: what the plan did not expect, what the test and the interval disagree on, what judges disagree on.


def _list_score_items(opened: Workspace, table: ScoreTable) -> Iterator[Item]:
    plan = compare.list_planned(opened)
    for criterion in criterion_kinds.order_of(table, opened):
        judge = next(iter(in_view.judges(table, criterion)), None)
        if judge is None:
            continue
        view = in_view.get_judge_table(table, judge)
        for comparison in in_view.of_plan(view, plan, criterion, judge):
            if isinstance(comparison, Comparison):
                yield from _list_surprises(view, comparison)
        if judge in (pooled.PEOPLE, pooled.JUDGES):
            yield from _list_disputes(table, criterion, judge)


def _list_surprises(table: ScoreTable, comparison: Comparison) -> Iterator[Item]:
    if comparison.planned:
        expected = comparison.planned.expected.strip().lower()
    else:
        expected = ""
    against = {"a is higher": "b", "b is higher": "a"}.get(comparison.verdict) == expected
    if not (against or comparison.at_odds):
        return
    name = partial(report.short, table)
    query = {"criterion": comparison.criterion}
    sentence = t(
        "agenda.against" if against else "agenda.at_odds",
        criterion=comparison.criterion,
        a=name(comparison.a),
        b=name(comparison.b),
    )
    facts = (report.sentence(comparison, name, table.criteria[comparison.criterion]), report.tested(comparison))
    if comparison.planned:
        pair = (comparison.planned.a, comparison.planned.b)
    else:
        pair = (name(comparison.a), name(comparison.b))
    key = f"score:{comparison.criterion}:{pair[0]}|{pair[1]}"
    title = t(
        "agenda.title_against" if against else "agenda.title_odds", criterion=comparison.criterion, a=pair[0], b=pair[1]
    )
    yield Item(
        key, "score", sentence, tuple(filter(None, facts)), "scores", query, STUDY, title=title, pair=Pair(*pair)
    )


def _list_disputes(table: ScoreTable, criterion: str, pool: str) -> Iterator[Item]:
    agreed = measure_pool(table, criterion, pooled.members(in_view.get_judge_table(table, pool), criterion, pool))
    if agreed.alpha is None or agreed.alpha >= DISPUTED:
        return
    who = t(f"agenda.{pool.removeprefix('*')}")
    fact = t("agenda.alpha", metric=agreed.metric, alpha=report.signed(agreed.alpha), n=agreed.units)
    query = {"criterion": criterion, "view": "agreement"}
    sentence = t("agenda.disputed", criterion=criterion, who=who)
    yield Item(f"agreement:{criterion}", "score", sentence, (fact,), "scores", query, STUDY)


# What people wrote.


def _list_note_items(review: Review, day: date) -> Iterator[Item]:
    there = [note for note in review.notes if note.standing == "open" or (note.due and note.standing != "closed")]
    late = {note.id for note in there if note.due and note.due < day.isoformat()}
    for note in sorted(there, key=lambda note: (note.id not in late, note.due or "9", note.by.sequence)):
        yield _build_note_item(note, note.id in late)


def _build_note_item(note: Note, late: bool) -> Item:
    text = " ".join(note.text.split())
    if len(text) <= LONG:
        short = text
    else:
        short = f"{text[:LONG]} …"
    if note.owner:
        facts = [t("agenda.owner", name=note.owner)]
    else:
        facts = []
    facts += [t("agenda.overdue" if late else "agenda.due", day=note.due)] if note.due else []
    facts += [t("agenda.answers", n=len(note.answers))] if note.answers else []
    names = note.anchor.get("condition")
    if isinstance(names, str):
        subject = Subject("condition", (str(names),))
    else:
        subject = STUDY
    sentence = t("agenda.note", name=note.by.author, text=short)
    return Item(
        f"note:{note.id}",
        "note",
        sentence,
        tuple(facts),
        "review",
        {"note": note.id},
        subject,
        title=f"{note.by.author}: {short}",
    )


def _list_added_items(review: Review) -> Iterator[Item]:
    for step in review.agenda:
        if step.do == "add":
            facts = tuple(map(str, step.entry.get("facts", ())))
            sentence = step.text or str(step.entry.get("title", ""))
            yield Item(
                step.item, "added", sentence, (t("agenda.added_by", name=step.by.author), *facts), entry=step.entry
            )


@dataclass(frozen=True, slots=True)
class Meeting:
    """`since` is None where nobody signed off the whole study, or where it cannot be said; then `unsaid` says why."""

    opened: Workspace
    review: Review
    audit: Audit
    table: ScoreTable | None
    agenda: Agenda
    since: Since | None = None
    unsaid: str = ""


def gather_meeting(
    opened: Workspace,
    store: Store,
    day: date,
    review: Review | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Meeting:
    """Everything, from the files as they are now. Raises NotReadable, DatasetChanged, signing.Stopped."""
    if review is None:
        review = build_review(store.events())
    audit = engine.check(opened, engine.CheckOptions(jobs=jobs, progress=progress))
    if audit.stopped:
        raise signing.Stopped
    if opened.scores:
        table = loading.load(opened)
    else:
        table = None
    with reuse_leaves():
        since, unsaid = _compare_with_signoff(opened, store, review, audit, jobs, progress)
    agenda = build_agenda(opened, audit, table, review, day, since)
    return Meeting(opened, review, audit, table, agenda, since, unsaid)


def _compare_with_signoff(
    opened: Workspace, store: Store, review: Review, audit: Audit, jobs: int | None, progress: Progress | None
) -> tuple[Since | None, str]:
    signed = find_last_signoff(review)
    if signed is None:
        return None, ""
    try:
        return since_signoff(opened, store, signed, review, jobs, progress, audit), ""
    except NoBefore as error:
        return None, str(error)
    except NothingToLock as error:
        return None, f"nothing is sent: {error}"
