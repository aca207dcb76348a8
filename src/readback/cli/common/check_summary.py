"""Present the answer of a check besides its findings: as JSON, and as a summary for people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from readback import as_json
from readback.checks.comparisons import Verdict, differs, planned, verdicts, weighed
from readback.checks.groups import groups
from readback.checks.held_requests import count_held, describe_held
from readback.checks.repeated_answers import describe_repeated
from readback.checks.request_differences import DifferenceKind
from readback.checks.sample import Sample, hit, share
from readback.checks.summary import Audit, Row
from readback.checks.variables import STATES, VariableRow
from readback.cli.common.lines import SEVERITIES
from readback.cli.common.terminal import fill
from readback.records.dataset import Counts
from readback.records.training.training_row import DESCRIPTIONS
from readback.types import Recognised, Workspace
from readback.words import t
from readback.workspace.left_out import NOTHING, count_files, count_unread, list_files

NAMES_LISTED = 20  # variables and fields that the text lists
LISTED_KINDS = 20  # kinds of difference of requests
SCORE_FILES_LISTED = 3  # files of scores that the summary names
STATE_SENTENCES = {
    "needed": "no value",
    "empty": "empty",
    "default": "only a default",
    "falsy": "false value replaced",
    "idle": "loop over an empty list",
}


def build_json(workspace: Workspace, audit: Audit) -> dict[str, Any]:
    """Return the answer of `check --format json`."""
    return {
        "workspace": audit.workspace,
        "records": _build_counts(audit.records),
        "conditions": [_build_row(row) for row in audit.conditions],
        "judge_requests": [
            {
                "judge": requests.choice.judge,
                "condition": requests.choice.condition,
                "observed": {"equal": requests.equal, "logged": requests.logged},
            }
            for requests in audit.judge_requests
        ],
        "request_differences": [asdict(kind) for kind in audit.differences],
        "counts": dict(audit.counts),
        "records_by_code": dict(audit.records_by_code),
        "findings": [as_json.finding_to_json(finding) for finding in audit.findings],
        "truncated": audit.truncated,
        "sample": _build_sample(audit.sample),
        "not_looked_at": [
            {"name": condition.name, "records": condition.count, "of": condition.total, "why": condition.why}
            for condition in audit.unlooked
        ],
        "variables": [_build_variable(row) for row in audit.variables],
        # Fields that no template reads; `records` is null inside lists.
        "unused": [{"name": field.name, "records": field.records} for field in audit.unused],
        "training": [
            {"file": file.path, "split": file.split, "kinds": dict(file.kinds), **_build_counts(file.counts)}
            for file in audit.training
        ],
        "baseline": audit.in_baseline,
        "ignored": [
            {
                "code": entry.code,
                "why": entry.why,
                "by": entry.by,
                "date": entry.date,
                "where": dict(entry.where),
                "count": count,
            }
            for entry, count in audit.ignored
        ],
        "faults": [
            {"rule": fault.rule, "error": fault.error, "place": as_json.place_to_json(fault.place)}
            for fault in audit.faults
        ],
        "comparisons": [_build_verdict(verdict) for verdict in list_verdicts(workspace, audit)],
        "files": [_build_file(file) for file in list_files(workspace.recognised)],
    }


def _build_counts(records: Counts) -> dict[str, int]:
    return {"read": records.read, "bad": records.bad, "blank": records.blank, "lines": records.lines}


def _build_row(row: Row) -> dict[str, Any]:
    names = (
        *("name", "mode", "model", "adapter", "task", "system", "system_sha", "system_unknown"),
        *("errors", "warnings", "model_errors", "longest"),
    )
    equal, logged = row.observed
    tokens = None
    if row.tokens:  # of the longest prompt, where a limit is known
        tokens = {"count": row.tokens.count, "tokenizer": row.tokens.tokenizer, "exact": row.tokens.exact}
    return {
        **{name: getattr(row, name) for name in names},
        "tokens": tokens,
        "observed": {"equal": equal, "logged": logged},
    }


def _build_sample(sample: Sample | None) -> dict[str, Any] | None:
    if sample is None:
        return None
    codes = {"left_out": list(sample.left_out), "full": list(sample.full)}
    return {"drawn": sample.drawn, "of": sample.total, "seed": sample.seed, **codes}


def _build_variable(row: VariableRow) -> dict[str, Any]:
    """Return a variable; `first` has the first record's number for each count."""
    return {
        **{kind: row.reader if row.kind == kind else None for kind in ("mode", "task", "judge")},
        "name": row.name,
        "records": row.records,
        **{name: getattr(row, name) for name in (*STATES, "needed")},
        "documented": row.documented,
        "meant": row.suggested,
        "nearest": row.nearest,
        "first": dict(row.first),
        "place": as_json.known_place_to_json(row.place),
    }


def _build_verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "a": verdict.pair.a,
        "b": verdict.pair.b,
        "verdict": verdict.kind,
        "varied": list(verdict.varied),
        "faults": [
            {
                "code": fault.code,
                "sides": list(fault.sides),
                "places": fault.places,
                "records_on_one_side": len(fault.records),
            }
            for fault in verdict.faults
        ],
        "missing": [{"what": missing.what, "side": missing.side} for missing in verdict.missing],
        "unchecked": list(verdict.unchecked),
    }


def _build_file(file: Recognised) -> dict[str, Any]:
    return {
        "path": file.path,
        "what": file.what,
        "used": file.used,
        "count": file.count,
        "detail": file.detail,
        "looks": file.looks,
    }


def list_verdicts(workspace: Workspace, audit: Audit) -> tuple[Verdict, ...]:
    """Return whether each of the comparisons that the files plan is fair."""
    pairs = planned(workspace)
    if not pairs:
        return ()
    return verdicts(audit, weighed(audit, groups(audit), pairs), pairs)


def format_verdict(verdict: Verdict) -> str:
    """Return the question, the answer, and why: the faults with their sides, or what is missing."""
    if verdict.kind == "unknown":
        reasons = [
            t(f"verdict.missing_{missing.what}", side=missing.side, why=missing.why) for missing in verdict.missing
        ]
        why = " ".join(reasons)
    else:
        why = "; ".join(f"{fault.title} ({', '.join(fault.sides)})" for fault in verdict.faults)
    question = t("verdict.asked", a=verdict.pair.a, b=verdict.pair.b)
    answer = t(f"verdict.{verdict.kind}")
    return " ".join(part for part in (question, answer, why, differs(verdict)) if part)


def _format_difference(kind: DifferenceKind) -> str:
    """Return how many requests of a prompt differ in what, with the text where all differ in the same one."""
    text = kind.ours or kind.sent
    quoted = f": {text!r}" if text else ""
    change = t(f"held.change.{kind.change.replace(' ', '_')}")
    return fill(
        "{name}: {n:,} {n:request|requests}, {role} message, {change}{quoted}",
        name=kind.name,
        n=kind.count,
        role=kind.role,
        change=change,
        quoted=quoted,
    )


def format_summary(workspace: Workspace, audit: Audit, whole: bool, verbose: bool) -> Iterator[str]:
    """Yield the summary for people; only a `whole` check can tell that a suppression is no longer needed."""
    yield ""
    yield fill("{workspace}: {records}", workspace=audit.workspace, records=_format_records(audit.records))
    yield from _format_sample(audit.sample)
    yield from _format_training(audit)
    for row in audit.conditions:
        yield _format_row(row, audit.sample is not None)
    for requests in audit.judge_requests:
        name = requests.choice.judge
        if requests.choice.condition:
            name = fill("{judge} for the answers of {condition}", judge=name, condition=requests.choice.condition)
        yield fill(
            "  judge {name}: {n:,} of {all:,} logged {all:request|requests} equal byte for byte",
            name=name,
            n=requests.equal,
            all=requests.logged,
        )
    repeated = describe_repeated(audit)
    if repeated:
        yield f"  {repeated}"
    comparison = count_held(audit, 0)
    if comparison is not None:
        yield f"  {describe_held(comparison, sample=audit.sample is not None)}"
        for kind in audit.differences[:LISTED_KINDS]:
            yield f"    {_format_difference(kind)}"
    for condition in audit.unlooked:
        values = {"n": condition.count, "all": condition.total, "name": condition.name, "why": condition.why}
        yield f"  {t('overview.unlooked', **values)}"
    for verdict in list_verdicts(workspace, audit):
        yield f"  {format_verdict(verdict)}"
    for code, count in audit.counts.items():
        yield f"  {_format_code(audit, code, count)}"
    if whole:
        yield from _format_variables(audit)
    counts = ", ".join(f"{audit.severities.get(name, 0)} {name}" for name in reversed(SEVERITIES))
    total = fill("{n:,} {n:finding|findings}: {counts}", n=sum(audit.counts.values()), counts=counts)
    if audit.in_baseline:
        total = fill("{total}; {known:,} known before", total=total, known=audit.in_baseline)
    yield total
    yield from _format_ignored(audit, whole and not audit.stopped and audit.sample is None)
    yield from _format_score_files(workspace)
    yield from _format_files(workspace, verbose)


def _format_records(records: Counts) -> str:
    if not records.lines:
        return "no records"
    return fill(
        (
            "{read:,} {read:record|records} read; {bad:,} of {lines:,} {lines:line|lines} could not be "
            "read and {blank:,} {blank:was|were} blank"
        ),
        lines=records.lines,
        read=records.read,
        bad=records.bad,
        blank=records.blank,
    )


def _format_sample(sample: Sample | None) -> Iterator[str]:
    """Yield that only some records were looked at, what none of them has, and what was not looked at for that."""
    if sample is None:
        return
    _, most = share(0, sample).percents
    yield f"  {t('sample.is', n=sample.drawn, of=sample.total, seed=sample.seed)}"
    yield f"  {t('sample.bound', n=sample.drawn, most=most)}"
    if sample.repeats:
        yield f"  {t('sample.repeats', codes=', '.join(sample.repeats))}"
    if sample.files:
        yield f"  {t('sample.files', n=len(sample.files), files=', '.join(sample.files))}"


def _format_training(audit: Audit) -> Iterator[str]:
    for file in audit.training:
        kinds = [f"{n} {DESCRIPTIONS[kind]}" for kind, n in file.kinds.items() if kind in DESCRIPTIONS]
        yield fill(
            "  {file} ({split}): {records}; {kinds}",
            file=file.path,
            split=file.split,
            records=_format_records(file.counts),
            kinds=" · ".join(kinds) or "no training rows",
        )


def _format_row(row: Row, sampled: bool) -> str:
    counts = [fill("{n:,} {n:error|errors}", n=row.errors), fill("{n:,} {n:warning|warnings}", n=row.warnings)]
    if row.model_errors:
        counts.append(fill("{n:,} {n:error|errors} about its model", n=row.model_errors))
    details = ", ".join(_describe_row(row, sampled))
    return fill("  {name}: {counts} ({details})", name=row.name, counts=", ".join(counts), details=details)


def _describe_row(row: Row, sampled: bool) -> Iterator[str]:
    """Yield what a condition is made of, how long its messages are at most, and how many are equal to those logged."""
    for name in ("mode", "model", "adapter", "task"):
        value = getattr(row, name)
        if value:
            yield f"{name} {value}"
    if row.system:
        yield fill("system message from {name}", name=row.system)
    elif row.system_unknown:
        yield fill("system message unknown: {why}", why=row.system_unknown)
    else:
        yield "no system message"
    if row.longest is not None:
        if sampled:
            longest = "longest in the sample"
        else:
            longest = "longest"
        yield fill("{longest} {n:,} {n:character|characters}", longest=longest, n=row.longest)
        if row.tokens:
            tokens = fill("{n:,} {n:token|tokens}", n=row.tokens.count)
            yield tokens if row.tokens.exact else f"{tokens} (estimated)"
    equal, logged = row.observed
    if logged:
        text = fill("{n:,} of {all:,} logged {all:request|requests} equal byte for byte", n=equal, all=logged)
        yield f"in the sample {text}" if sampled else text


def _format_code(audit: Audit, code: str, count: int) -> str:
    """Return how many findings a rule has and in how many records; of a sample, with what that says about all."""
    head = f"{count:>6} {code}"
    records = audit.records_by_code.get(code)
    if not records:
        return head
    sample = audit.sample
    if sample is None:
        return fill("{head} in {n:,} {n:record|records}", head=head, n=records)
    k, n = hit(sample, code, records)
    if code in sample.full:
        return fill("{head} in {n:,} of {all:,} {all:record|records}", head=head, n=k, all=n)
    if not k:
        return f"{head}, reported once for all records"
    low, high = share(k, sample).percents
    return f"{head} in {t('sample.share', k=k, n=n, low=low, high=high)}"


def _format_variables(audit: Audit) -> Iterator[str]:
    """Yield the variables that are not always filled from the record, and the fields that no template reads."""
    has_records = bool(audit.records.read)
    rows = [(row, states) for row in audit.variables if (states := list(_describe_states(row, has_records)))]
    if rows and has_records:
        yield fill(
            "variables: {all:,} read by templates, {n:,} of them not always filled from the record",
            all=len(audit.variables),
            n=len(rows),
        )
    elif rows:
        yield fill(
            "variables: {all:,} read by templates, {n:,} of them without a value, because there is no record",
            all=len(audit.variables),
            n=len(rows),
        )
    for row, states in rows[:NAMES_LISTED]:
        line = f"  {row.kind} {row.reader}: {row.name}: {', '.join(states)}"
        if row.nearest:
            line += fill(" (nearest field: {near})", near=row.nearest)
        yield line
    if len(rows) > NAMES_LISTED:
        yield fill("  {n:,} more; --format json lists all", n=len(rows) - NAMES_LISTED)
    if audit.unused:
        names = ", ".join(field.name for field in audit.unused[:NAMES_LISTED])
        if len(audit.unused) > NAMES_LISTED:
            names = fill("{names} and {n:,} more", names=names, n=len(audit.unused) - NAMES_LISTED)
        if audit.sample:
            head = "no template reads, in the sample"
        else:
            head = "no template reads"
        yield f"  {head}: {names}"


def _describe_states(row: VariableRow, has_records: bool) -> Iterator[str]:
    for name, state in STATE_SENTENCES.items():
        count = getattr(row, name)
        if count and has_records:
            yield fill("{state} in {n:,} of {all:,} {all:record|records}", state=state, n=count, all=row.records)
        elif count:
            yield state


def _format_ignored(audit: Audit, complete: bool) -> Iterator[str]:
    """Yield how many findings each suppression matches; with `complete`, also that one matches nothing now."""
    for entry, count in audit.ignored:
        line = fill("  ignored: {n:,} {code}", n=count, code=entry.code)
        if entry.why:
            line += f" ({entry.why})"
        if not count and complete:
            line += "; this entry of readback.yml matches nothing now"
        yield line


def _format_score_files(workspace: Workspace) -> Iterator[str]:
    """Yield which files were read as scores, about which a check says nothing beyond its findings."""
    files = list(dict.fromkeys(source.path for source in workspace.scores))
    if not files:
        return
    names = ", ".join(files[:SCORE_FILES_LISTED])
    more = len(files) - SCORE_FILES_LISTED
    if more > 0:
        names = fill("{files} and {n:,} more {n:file|files}", files=names, n=more)
    yield fill("  scores: {files}; readback scores prints what they support", files=names)


def _format_files(workspace: Workspace, verbose: bool) -> Iterator[str]:
    """Yield how many files are used and how many are not.

    With `verbose`, or where nothing was read, also what each file was recognised as.
    """
    used, unused = count_files(workspace.recognised)
    unread = count_unread(workspace.recognised)
    if used + unused > 1 or unread:
        counts = fill(
            "{n:,} {n:file|files}: {used:,} used, {unused:,} not used", n=used + unused, used=used, unused=unused
        )
        if unread:
            counts += fill(
                "; {n:,} that {n:is|are} not used {n:looks|look} like data, prompts, logs or scores", n=unread
            )
        yield f"  {counts}"
    if not (verbose or nothing_was_read(workspace)):
        return
    for recognised in workspace.recognised:
        file = recognised.path
        if recognised.count > 1 and not recognised.files:
            file = fill("{file} and {n:,} more", file=file, n=recognised.count - 1)
        line = f"  {file}: {recognised.what}"
        if not recognised.used:
            line += ", not used"
        if recognised.detail:
            line += f" ({recognised.detail})"
        yield line


def nothing_was_read(workspace: Workspace) -> bool:
    """Return whether nothing of a folder could be read."""
    return any(diagnostic.code == NOTHING for diagnostic in workspace.diagnostics)
