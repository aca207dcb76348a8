"""Audit one range of records under some choices, in a bounded child; the answer is frames of JSON."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from readback import as_json, sandbox
from readback.checks import rules
from readback.checks.rule import RuleFilter
from readback.checks.run.marks import SIZE, Mark, collect_marks
from readback.checks.store.finding_lines import format_line
from readback.checks.variables import AccountWriter
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
from readback.records.fields.field_path import MASK
from readback.requests import observer
from readback.requests.observer import Observation, Observer
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
OF_SOME = ("uses", "observed", "findings", "faults")  # values that some records have, by their places


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
    return {
        **children.make_payload(opened, choices, start, stop, numbers=numbers),
        "codes": None if codes is None else sorted(codes),
        "records": records,
        "each": each,
    }


def warm() -> None:
    """Load in the zygote what every child needs: the rules, too, which take longer to load than a record to check."""
    children.warm()
    rules.RULES()


@children.stop_when_changed
def audit_chunk(work: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield frames of the records in their order, several in one, in columns: {"indices", "longest": [characters of
    each record, for each choice]}, and lists of [place in the frame, value] for the records that have a value of

    "findings", "faults", "uses" [what became of the names, as `Told` writes it, for each choice; where they are not
    those of the record before], "observed" [how many of the requests that were sent are equal, how many were logged,
    and what the first one that is not differs in; null where nothing was logged, for each choice; nothing where all are
    null]. Where the rules about records run, there are "marks", which
    `marks.read_marks` reads.

    A pure function of the dataset and `work`: the same records in any process and any order of chunks (once
    `batch.read_batches` has read the uses, which refer to earlier records), whatever the frames.
    """
    job = children.enter(work)
    batch: list[tuple[dict[str, Any], list[Mark]]] = []
    sent, most = time.monotonic(), 1
    for entry in _check_records(job, work):
        batch.append(entry)
        if len(batch) >= most or time.monotonic() - sent > WAIT:
            yield _build_frame(batch)  # the first at once: how long the others take is measured from there
            batch, sent, most = [], time.monotonic(), 1 if work["each"] else BATCH
    if batch:
        yield _build_frame(batch)


def _build_frame(batch: Sequence[tuple[dict[str, Any], list[Mark]]]) -> dict[str, Any]:
    records = [record for record, _ in batch]
    columns = [*zip(*(record["longest"] for record in records), strict=True)]
    frame: dict[str, Any] = {"indices": [record["index"] for record in records], "longest": columns}
    for name in OF_SOME:
        values = [[place, record[name]] for place, record in enumerate(records) if name in record]
        if values:
            frame[name] = values
    if any(marks for _, marks in batch):
        frame["marks"] = collect_marks(marks for _, marks in batch).as_json()
    return frame


def _check_records(job: children.ChildJob, work: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], list[Mark]]]:
    opened, choices, replies = job.opened, job.choices, job.replies
    if work["codes"] is None:
        codes = None
    else:
        codes = frozenset(work["codes"])
    requests = Observer(opened, job.data)
    accounts = AccountWriter()
    has_rows = work["records"] and opened.dataset
    decided = _decide(job, work["codes"])
    uses_before: list[list[Any]] = []
    for record in job.records():
        uses: list[list[Any]] = []
        findings: list[Finding | rules.Fault] = []
        longest: list[int] = []
        observed: list[list[Any] | None] = []
        if has_rows:
            case = RuleContext(
                opened,
                record,
                tokens=token_counts.count_training_row(opened, record),
                systems=job.data.systems,
                render_training=partial(_render_row, opened, record),
            )
            findings.extend(rules.check(case, "record", codes, decided))
        for choice in choices:
            answer = replies.to_prompt(choice, record)
            sandbox.beat()
            assembly = assemble.assemble(opened, record, choice, replies.get(choice, record), marked=False)
            uses.append(accounts.tell(assembly.uses))
            longest.append(sum(len(segment.text) for message in assembly.messages for segment in message.segments))
            logged = requests.observe(record, assembly)
            observed.append(None if logged is None else _describe_observation(logged))
            findings.extend(check_assembly(opened, record, assembly, codes, logged, decided, answer))
        faults = [finding for finding in findings if isinstance(finding, rules.Fault)]
        values = {
            "findings": [format_line(finding) for finding in findings if isinstance(finding, Finding)],
            "faults": [[fault.rule, fault.error, as_json.known_place_to_json(fault.place)] for fault in faults],
            "uses": [] if uses == uses_before else uses,
            "observed": [] if all(equal is None for equal in observed) else observed,
        }
        uses_before = [use[:1] for use in uses]
        if has_rows:
            marks = [*_list_marks(RuleContext(opened, record), codes, decided)]
        else:
            marks = []
        without_empty = {name: value for name, value in values.items() if value}
        yield {"index": record.place.index, "longest": longest, **without_empty}, marks


def _describe_observation(logged: Observation) -> list[Any]:
    """Return how many requests are equal, how many there are, and how the first one that is not differs."""
    first = logged.first_difference
    if first is None:
        return [logged.equal, logged.logged, None]
    what = first.change if first.what == "text" else first.what
    return [logged.equal, logged.logged, [what, first.role, first.ours_span, first.sent_span]]


def _decide(job: children.ChildJob, codes: Collection[str] | None) -> RuleFilter:
    """Return which rules are called: the same for all ranges of one check."""
    question = [job.opened, codes]
    if not _last or _last[0][0] != question:
        _last[:] = [(question, rules.filter_rules(job.opened, None if codes is None else frozenset(codes)))]
    return _last[0][1]


# What was decided, and for what. A child works on one check, or on one after another of the same files.
_last: list[tuple[list[Any], RuleFilter]] = []


def _list_marks(case: RuleContext, codes: Collection[str] | None, decided: RuleFilter) -> Iterator[Mark]:
    """Yield the marks of one record, for the rules of `codes`; a text with a masked value says nothing and has none."""
    masked = case.record is not None and case.record.masked
    for code, kind, text in rules.list_marks(case, codes, decided):
        if not (masked and MASK in text):
            # Of long texts it takes a third of BLAKE2b's time.
            sha256 = hashlib.sha256(f"{code}\0{kind}\0".encode("utf-8", "surrogatepass"))
            sha256.update(text.encode("utf-8", "surrogatepass"))
            yield code, kind, sha256.digest()[:SIZE]


def check_record(
    opened: Workspace,
    record: Record,
    assembly: Assembly,
    request: Observation | None = None,
    decided: RuleFilter | None = None,
) -> Iterator[Finding | rules.Fault]:
    """Yield the findings about a record and about what is sent of it, each with the key that an audit gives it.

    `request` is what logs have of it. Whoever checks many records of a workspace passes `decided`, the rules that can
    find anything there.
    """
    earlier: rules.Seen = {}
    for finding in _check_record(opened, record, assembly, request, decided):
        yield finding if isinstance(finding, rules.Fault) else rules.make_key_unique(finding, earlier)


def _check_record(
    opened: Workspace, record: Record, assembly: Assembly, request: Observation | None, decided: RuleFilter | None
) -> Iterator[Finding | rules.Fault]:
    if opened.dataset:
        if opened.training:
            rows = open_dataset(opened.root, opened.dataset)
        else:
            rows = None
        case = RuleContext(
            opened,
            record,
            tokens=token_counts.count_training_row(opened, record),
            systems=rows.systems if rows else NO_SYSTEMS,
            render_training=partial(_render_row, opened, record),
        )
        yield from rules.check(case, "record", None, decided)
    if assembly.choice != Selection():  # else nothing is sent
        answer = children.Replies(opened).to_prompt(assembly.choice, record)
        yield from check_assembly(opened, record, assembly, None, request, decided, answer)


def check_format(case: RuleContext, text: ModelInput | None, findings: Collection[Finding]) -> Iterator[Finding]:
    """Yield what a named chat format does to the messages of a case: it drops a system text or repeats a turn.

    Codes among `findings` are left out. `check_assembly` and `find_server_findings` report what a model's own server
    does.
    """
    codes = {finding.code for finding in findings}
    for diagnostic in text.diagnostics if text and text.kind == "format" else ():
        if diagnostic.code not in codes:
            yield rules.build_case_finding(diagnostic, case)


def check_assembly(
    opened: Workspace,
    record: Record,
    assembly: Assembly,
    codes: Iterable[str] | None = None,
    request: Observation | None = None,
    decided: RuleFilter | None = None,
    answer: Answer | None = None,
) -> Iterator[Finding | rules.Fault]:
    """Yield the findings about one assembly: of what made it, of its server, of the logged `request`, of the rules.

    `answer` is what the condition's model replied.
    """
    for finding in _check_assembly(opened, record, assembly, codes, request, decided, answer):
        if opened.dataset or not _needs_row(finding):
            yield finding


def _check_assembly(
    opened: Workspace,
    record: Record,
    assembly: Assembly,
    codes: Iterable[str] | None,
    request: Observation | None,
    decided: RuleFilter | None,
    answer: Answer | None,
) -> Iterator[Finding | rules.Fault]:
    if assembly.choice.condition:
        condition = opened.condition(assembly.choice.condition)
    else:
        condition = None
    if condition:
        model = opened.models.get(condition.model or "")
    else:
        model = None
    hangs = is_hanging(opened, condition.model if condition else None)
    if hangs:
        text = None
    else:
        text = model_input.build_model_input(opened, record, assembly, condition, False)
    trained = find_trained_message(opened, record, assembly.choice)
    learn = _build_nothing if hangs else partial(build_trained_input, opened, record, assembly.choice)
    case = RuleContext(
        opened,
        record,
        assembly,
        trained,
        model_input=text,
        tokens=token_counts.count_against_limit(opened, assembly, text),
        learn=learn,
        answer=answer,
        logged=request.sent.messages if request and request.sent else (),
        find_trained_prompt=_build_nothing if hangs else partial(build_trained_prompt, opened, record, assembly),
        run_self_test=partial(run_self_test, opened, condition.model if condition else None),
    )
    diagnostics = [*assembly.diagnostics]
    if request and request.first_difference:
        diagnostics.append(observer.build_diagnostic(request))
    diagnostics += list_record_diagnostics(opened, text)
    # of a guess nothing is reported
    if model and is_guessed(model) is False:
        trained_text = learn()
    else:
        trained_text = None
    if trained_text and has_own_template(trained_text, text):
        diagnostics += list_record_diagnostics(opened, trained_text)
    if codes is None:
        wanted = None
    else:
        wanted = frozenset(codes)
    for diagnostic in diagnostics:
        finding = _build_finding(diagnostic, case, model)
        if wanted is None or finding.code in wanted:
            yield finding
    yield from rules.check(case, "assembly", wanted, decided)


def _render_row(opened: Workspace, record: Record) -> Iterator[tuple[Model, tuple[Message, ...], ModelInput]]:
    """Yield what models read of a training row, but those whose template hangs."""
    for model, messages, text in render_row(opened, record):
        if not is_hanging(opened, model.name):
            yield model, messages, text


def _build_nothing() -> None:
    """Stand for the training text for a model whose template hangs."""


def _build_finding(diagnostic: Diagnostic, case: RuleContext, served: Model | None) -> Finding:
    """Return the finding of a diagnostic; that a template takes no system message is true of it for every record."""
    if diagnostic.values.get("when") != "system":
        return rules.build_case_finding(diagnostic, case)
    if served and diagnostic.place.file is None:
        place = served.place
    else:
        place = diagnostic.place
    return rules.build_finding(replace(diagnostic, place=place))


def _needs_row(finding: Finding | rules.Fault) -> bool:
    """Whether the finding says what a row lacks (`of_a_row`): where there is no row, it is none."""
    if isinstance(finding, rules.Fault):
        return False
    rule = rules.RULES().get(finding.code)
    return rule is not None and rule.of_a_row
