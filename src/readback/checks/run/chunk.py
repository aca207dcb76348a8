"""One chunk of the audit: a range of records under some choices, as JSON frames; runs in a bounded child."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from readback import as_json, sandbox
from readback.checks import rules
from readback.checks.rule import RuleFilter
from readback.checks.run import marks
from readback.checks.run.marks import Mark
from readback.checks.store.finding_lines import line
from readback.checks.variables import Told
from readback.prompts import assemble, children, model_input, token_counts
from readback.prompts.self_tests import has_own_template, is_hanging, list_record_diagnostics, run_self_test
from readback.prompts.training_text import (
    build_trained_input,
    build_trained_prompt,
    find_trained_message,
    is_guessed,
    render_row,
)
from readback.records.dataset import open_dataset
from readback.records.field_path import MASK
from readback.requests.observer import Observer, Seen, diagnostic
from readback.types import (
    NO_SYSTEMS,
    Answer,
    Assembly,
    Diagnostic,
    Finding,
    Message,
    Model,
    ModelInput,
    Record,
    RuleContext,
    Selection,
    Workspace,
)

WORK = "readback.checks.run.chunk:audit_chunk"
BATCH = 64  # records of one frame, and
WAIT = 0.2  # seconds after which a frame is sent all the same: somebody may be watching
OF_SOME = ("uses", "observed", "findings", "faults")  # what is told of some records, by their places


def payload(
    opened: Workspace,
    choices: Iterable[Selection],
    start: int,
    stop: int,
    *,
    codes: Iterable[str] | None = None,
    records: bool = True,
    numbers: Sequence[int] | None = None,
    each: bool = False,
) -> dict[str, Any]:
    """Return what `audit_chunk` takes, as JSON.

    `records`: whether the rules about records run, too; `numbers`: those of the records, where they are no range;
    `each`: a frame for each record.
    """
    asked = {"codes": None if codes is None else sorted(codes), "records": records, "each": each}
    return {**children.make_payload(opened, choices, start, stop, numbers=numbers), **asked}


def warm() -> None:
    """Once, in the zygote: the rules too, which take longer to load than a record takes to check."""
    children.warm()
    rules.RULES()


@children.stop_when_changed
def audit_chunk(work: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Frames of the records in their order, several in one, in columns: {"indices", "longest": [characters of each
    record, for each choice]}, and what there is of the others, a list of [place in the frame, what is told of it]:

    "findings", "faults", "uses" [what became of the names, as `Told` tells it, for each choice; where they are not
    those of the record before], "observed" [whether what was sent is equal, null where nothing was logged, for each
    choice; nothing where all are null]. Where the rules about records run, there are "marks", as `marks.read` reads
    them.

    A pure function of the dataset and `work`: the same records in any process and any order of chunks (once
    `batch.heard` has read the uses, which name what an earlier record told), whatever the frames.
    """
    inside = children.enter(work)
    batch: list[tuple[dict[str, Any], list[Mark]]] = []
    sent, most = time.monotonic(), 1
    for one in _records(inside, work):
        batch.append(one)
        if len(batch) >= most or time.monotonic() - sent > WAIT:
            yield _frame(batch)  # the first at once: how long the others take is measured from there
            batch, sent, most = [], time.monotonic(), 1 if work["each"] else BATCH
    if batch:
        yield _frame(batch)


def _frame(batch: Sequence[tuple[dict[str, Any], list[Mark]]]) -> dict[str, Any]:
    records, found = [one for one, _ in batch], [mine for _, mine in batch]
    columns = [*zip(*(one["longest"] for one in records), strict=True)]
    frame: dict[str, Any] = {"indices": [one["index"] for one in records], "longest": columns}
    for name in OF_SOME:
        if there := [[at, one[name]] for at, one in enumerate(records) if name in one]:
            frame[name] = there
    return frame | ({"marks": marks.of_records(found).as_json()} if any(found) else {})


def _records(inside: children.ChildJob, work: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], list[Mark]]]:
    opened, choices, replies, codes = inside.opened, inside.choices, inside.replies, work["codes"]
    wanted = None if codes is None else frozenset(codes)
    watching = Observer(opened, inside.data)
    telling = Told()
    of_rows = work["records"] and opened.dataset
    decided = _decide(inside, codes)
    before: list[list[Any]] = []
    for record in inside.records():
        uses: list[list[Any]] = []
        findings: list[Finding | rules.Fault] = []
        longest: list[int] = []
        observed: list[bool | None] = []
        if of_rows:
            counted = token_counts.count_training_row(opened, record)
            alone = RuleContext(
                opened,
                record,
                tokens=counted,
                systems=inside.data.systems,
                render_training=partial(_training_texts, opened, record),
            )
            findings.extend(rules.check(alone, "record", wanted, decided))
        for choice in choices:
            answer = replies.to_prompt(choice, record)
            sandbox.beat()
            assembly = assemble.assemble(opened, record, choice, replies.get(choice, record), marked=False)
            uses.append(telling.tell(assembly.uses))
            longest.append(sum(len(segment.text) for message in assembly.messages for segment in message.segments))
            logged = watching.seen(record, assembly)
            observed.append(None if logged is None else logged.verdict == "equal")
            findings.extend(about(opened, record, assembly, wanted, logged, decided, answer))
        told = {
            "findings": [line(one) for one in findings if isinstance(one, Finding)],
            "faults": [
                [one.rule, one.error, as_json.known_place_to_json(one.place)]
                for one in findings
                if isinstance(one, rules.Fault)
            ],
            "uses": [] if uses == before else uses,
            "observed": observed if any(one is not None for one in observed) else [],
        }
        before = [one[:1] for one in uses]
        known = {name: value for name, value in told.items() if value}
        mine = [*_marks(RuleContext(opened, record), wanted, decided)] if of_rows else []
        yield {"index": record.place.index, "longest": longest, **known}, mine


def _decide(inside: children.ChildJob, codes: Collection[str] | None) -> RuleFilter:
    """Return which rules are called: the same for all ranges of one check."""
    asked = [inside.opened, codes]
    if not _last or _last[0][0] != asked:
        _last[:] = [(asked, rules.filter_rules(inside.opened, None if codes is None else frozenset(codes)))]
    return _last[0][1]


# What was decided, and for what. A child works on one check, or on one after another of the same files.
_last: list[tuple[list[Any], RuleFilter]] = []


def _marks(case: RuleContext, codes: Collection[str] | None, decided: RuleFilter | None = None) -> Iterator[Mark]:
    """The marks of one record, for the rules of `codes`; a text with a masked value says nothing and has none."""
    masked = case.record is not None and case.record.masked
    for code, kind, text in rules.list_marks(case, codes, decided):
        if not (masked and MASK in text):
            made = hashlib.sha256(
                f"{code}\0{kind}\0".encode("utf-8", "surrogatepass")
            )  # of long texts it takes a third of BLAKE2b's time
            made.update(text.encode("utf-8", "surrogatepass"))
            yield code, kind, made.digest()[: marks.SIZE]


def everything(
    opened: Workspace,
    record: Record,
    assembly: Assembly,
    seen: Seen | None = None,
    decided: RuleFilter | None = None,
) -> Iterator[Finding | rules.Fault]:
    """What is to be said about a record and about what is sent of it, each with the key that an audit gives it.
    `decided` are the rules that can find anything in the workspace, for whoever asks again and again.
    """
    told: rules.Seen = {}
    rows = open_dataset(opened.root, opened.dataset) if opened.dataset and opened.training else None
    counted, systems = token_counts.count_training_row(opened, record), rows.systems if rows else NO_SYSTEMS
    learned = partial(_training_texts, opened, record)
    alone = RuleContext(opened, record, tokens=counted, systems=systems, render_training=learned)
    both = chain(
        rules.check(alone, "record", None, decided) if opened.dataset else (),
        about(
            opened, record, assembly, None, seen, decided, children.Replies(opened).to_prompt(assembly.choice, record)
        )
        if assembly.choice != Selection()
        else (),  # else nothing is sent
    )
    yield from (one if isinstance(one, rules.Fault) else rules.make_key_unique(one, told) for one in both)


def by_format(case: RuleContext, read: ModelInput | None, told: Collection[Finding]) -> Iterator[Finding]:
    """What a named chat format does to the messages of a case and nobody `told` yet: a system text dropped, a turn
    written twice. (What a model's own server does, `about` and `of_server` tell.)
    """
    known = {one.code for one in told}
    noted = read.diagnostics if read and read.kind == "format" else ()
    yield from (rules.build_case_finding(one, case) for one in noted if one.code not in known)


def about(
    opened: Workspace,
    record: Record,
    assembly: Assembly,
    codes: Iterable[str] | None = None,
    seen: Seen | None = None,
    decided: RuleFilter | None = None,
    answer: Answer | None = None,
) -> Iterator[Finding | rules.Fault]:
    """What is to be said about one assembly: what its makers and its server noted, what was `seen` of it in logs,
    what rules find. `answer` is what the condition's model replied.
    """
    condition = opened.condition(assembly.choice.condition) if assembly.choice.condition else None
    hung = is_hanging(opened, condition.model if condition else None)
    read = None if hung else model_input.build_model_input(opened, record, assembly, condition, False)
    trained = find_trained_message(opened, record, assembly.choice)
    counted = token_counts.count_against_limit(opened, assembly, read)
    learn = _nothing if hung else partial(build_trained_input, opened, record, assembly.choice)
    case = RuleContext(
        opened,
        record,
        assembly,
        trained,
        model_input=read,
        tokens=counted,
        learn=learn,
        answer=answer,
        find_trained_prompt=_nothing if hung else partial(build_trained_prompt, opened, record, assembly),
        run_self_test=partial(run_self_test, opened, condition.model if condition else None),
    )
    wanted = None if codes is None else frozenset(codes)
    diagnostics = (*assembly.diagnostics, diagnostic(seen)) if seen and seen.first_difference else assembly.diagnostics
    served = opened.models.get(condition.model or "") if condition else None
    learned = learn() if served and is_guessed(served) is False else None  # of a guess nothing is told
    of_training = list_record_diagnostics(opened, learned) if learned and has_own_template(learned, read) else ()
    said = (_said(one, case, served) for one in (*diagnostics, *list_record_diagnostics(opened, read), *of_training))
    found = (
        *(one for one in said if wanted is None or one.code in wanted),
        *rules.check(case, "assembly", wanted, decided),
    )
    yield from found if opened.dataset else (one for one in found if _without_row(one))


def _training_texts(opened: Workspace, record: Record) -> Iterator[tuple[Model, tuple[Message, ...], ModelInput]]:
    """What models read of a training row, but those whose template hangs."""
    for model, messages, text in render_row(opened, record):
        if not is_hanging(opened, model.name):
            yield model, messages, text


def _nothing() -> None:
    """The training text for a model whose template hangs."""


def _said(diagnostic: Diagnostic, case: RuleContext, served: Model | None) -> Finding:
    """The finding of a diagnostic; that a template takes no system message is true of it, whichever record is sent."""
    if diagnostic.values.get("when") != "system":
        return rules.build_case_finding(diagnostic, case)
    named = served.place if served and diagnostic.place.file is None else diagnostic.place
    return rules.build_finding(replace(diagnostic, place=named))


def _without_row(one: Finding | rules.Fault) -> bool:
    """What is also where there is no row: a rule that says what a row lacks (`of_a_row`) has nothing to say."""
    return isinstance(one, rules.Fault) or not ((rule := rules.RULES().get(one.code)) and rule.of_a_row)
