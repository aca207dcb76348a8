"""One chunk of the audit: a range of records under some choices, as JSON frames; runs in a bounded child."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from readback import as_json, sandbox
from readback.checks import repeats, rules
from readback.checks.variables import Told
from readback.prompts import assemble, in_child, in_chunks, model_input, token_counts
from readback.prompts.self_tests import hangs, of_this, own_template
from readback.prompts.training_layout import trained_on
from readback.prompts.training_text import trained_input
from readback.records.dataset import open_dataset
from readback.requests.observer import Observer, Seen, diagnostic
from readback.types import (
    NO_SYSTEMS,
    Assembly,
    Diagnostic,
    Finding,
    Model,
    ModelInput,
    Record,
    RuleContext,
    Selection,
    Workspace,
)


def payload(
    opened: Workspace,
    choices: Iterable[Selection],
    start: int,
    stop: int,
    *,
    codes: Iterable[str] | None = None,
    records: bool = True,
    numbers: Sequence[int] | None = None,
) -> dict[str, Any]:
    """What `audit_chunk` takes, as JSON. `records`: whether the rules about records run too; `numbers`: those of the
    records, where they are no range.
    """
    asked = {"codes": None if codes is None else sorted(codes), "records": records}
    return {**in_chunks.payload(opened, choices, start, stop, numbers=numbers), **asked}


def warm() -> None:
    """Once, in the zygote: the rules too, which take longer to load than a record takes to check."""
    in_child.warm()
    rules.RULES()


def audit_chunk(work: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """One frame for each record: {"index", "findings", "faults", "longest": [characters for each choice],
    "uses": [what became of the names, as `Told` tells it, for each choice], "observed": [whether what was sent is
    equal, null where nothing was logged, for each choice], "marks"}.

    A pure function of the dataset and `work`: the same frames in any process and any order of chunks (once `Heard`
    has read the uses, which name what an earlier frame told).
    """
    inside = in_chunks.enter(work)
    opened, choices, replies = inside.opened, inside.choices, inside.replies
    watching = Observer(opened, inside.data)
    telling = Told()
    for record in inside.records():
        uses: list[list[Any]] = []
        found: list[Finding | rules.Fault] = []
        longest: list[int] = []
        observed: list[bool | None] = []
        if work["records"] and opened.dataset:
            counted = token_counts.of_row(opened, record)
            alone = RuleContext(opened, record, tokens=counted, systems=inside.data.systems)
            found.extend(rules.check(alone, "record", work["codes"]))
        for choice in choices:
            sandbox.beat()
            assembly = assemble.assemble(opened, record, choice, replies.get(choice, record))
            uses.append(telling.tell(assembly.uses))
            longest.append(sum(len(message.text) for message in assembly.messages))
            seen = watching.seen(record, assembly)
            observed.append(None if seen is None else seen.verdict == "equal")
            found.extend(about(opened, record, assembly, work["codes"], seen))
        yield {
            "index": record.place.index,
            "findings": [as_json.keep(one) for one in found if isinstance(one, Finding)],
            "faults": [
                [one.rule, one.error, as_json.known(one.place)] for one in found if isinstance(one, rules.Fault)
            ],
            "longest": longest,
            "uses": uses,
            "observed": observed,
            "marks": list(repeats.marks(RuleContext(opened, record), work["codes"]))
            if work["records"] and opened.dataset
            else [],
        }


def everything(
    opened: Workspace, record: Record, assembly: Assembly, seen: Seen | None = None
) -> Iterator[Finding | rules.Fault]:
    """What is to be said about a record and about what is sent of it, each with the key that an audit gives it."""
    told: rules.Seen = {}
    rows = open_dataset(opened.root, opened.dataset) if opened.dataset and opened.training else None
    counted, systems = token_counts.of_row(opened, record), rows.systems if rows else NO_SYSTEMS
    alone = RuleContext(opened, record, tokens=counted, systems=systems)
    both = chain(
        rules.check(alone, "record") if opened.dataset else (),
        about(opened, record, assembly, None, seen) if assembly.choice != Selection() else (),  # else nothing is sent
    )
    yield from (one if isinstance(one, rules.Fault) else rules.told_apart(one, told) for one in both)


def by_format(case: RuleContext, read: ModelInput | None, told: Collection[Finding]) -> Iterator[Finding]:
    """What a named chat format does to the messages of a case and nobody `told` yet: a system text dropped, a turn
    written twice. (What a model's own server does, `about` and `of_server` tell.)
    """
    known = {one.code for one in told}
    noted = read.diagnostics if read and read.kind == "format" else ()
    yield from (rules.noted(one, case) for one in noted if one.code not in known)


def about(
    opened: Workspace,
    record: Record,
    assembly: Assembly,
    codes: Iterable[str] | None = None,
    seen: Seen | None = None,
) -> Iterator[Finding | rules.Fault]:
    """What is to be said about one assembly: what its makers and its server noted, what was `seen` of it in logs,
    what rules find.
    """
    condition = opened.condition(assembly.choice.condition) if assembly.choice.condition else None
    hung = hangs(opened, condition.model if condition else None)
    read = None if hung else model_input.sent(opened, record, assembly, condition, False)
    trained = trained_on(opened, record, assembly.choice)
    counted = token_counts.as_needed(opened, assembly, read)
    learned = None if hung else trained_input(opened, record, assembly.choice)
    case = RuleContext(opened, record, assembly, trained, model_input=read, tokens=counted, trained_input=learned)
    wanted = None if codes is None else frozenset(codes)
    diagnostics = (*assembly.diagnostics, diagnostic(seen)) if seen and seen.first_difference else assembly.diagnostics
    of_training = of_this(opened, learned) if learned and own_template(learned, read) else ()
    served = opened.models.get(condition.model or "") if condition else None
    said = (_said(one, case, served) for one in (*diagnostics, *of_this(opened, read), *of_training))
    found = (*(one for one in said if wanted is None or one.code in wanted), *rules.check(case, "assembly", wanted))
    yield from found if opened.dataset else (one for one in found if _without_row(one))


def _said(diagnostic: Diagnostic, case: RuleContext, served: Model | None) -> Finding:
    """The finding of a diagnostic; that a template takes no system message is true of it, whichever record is sent."""
    if diagnostic.values.get("when") != "system":
        return rules.noted(diagnostic, case)
    named = served.place if served and diagnostic.place.file is None else diagnostic.place
    return rules.finding(replace(diagnostic, place=named))


def _without_row(one: Finding | rules.Fault) -> bool:
    """What is also where there is no row: a rule that says what a row lacks (`of_a_row`) has nothing to say."""
    return isinstance(one, rules.Fault) or not ((rule := rules.RULES().get(one.code)) and rule.of_a_row)
