"""Look for what is wrong in a workspace: its files, its records, and the messages they assemble to.

Exit code 1 when there is a finding at or above --fail-on, or a plain template reads a name that no record has. JSON
holds the first 10,000 findings, jsonl all of them. With --sample only some of the records are looked at.
"""

from __future__ import annotations

import argparse
import codecs
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from readback import as_json, plugins
from readback.checks import engine, rules
from readback.checks.comparisons import planned, weighed
from readback.checks.groups import groups
from readback.checks.sample import SEED, SIZE, Sample, hit, share
from readback.checks.summary import Audit, Progress, Row
from readback.checks.unmapped import LOOKED_AT, Unmapped, fields, unmapped
from readback.checks.verdicts import Verdict, verdicts
from readback.cli import UsageError, _lines, _options, _variables, _verdict_lines, _workspace
from readback.quantity import quantity
from readback.readers.yaml_file import nearest
from readback.readers.yaml_text import flow
from readback.records.dataset import Counts, DatasetChanged
from readback.records.training_row import SAID
from readback.types import Finding, Workspace
from readback.workspace import id_column, plain_templates

KEY = re.compile(r'"key": ?"([0-9a-f]{16})"|\(key ([0-9a-f]{16})\)$', re.MULTILINE)
EMPTY = re.compile(r'^0 findings: |^\{\s*"workspace":', re.MULTILINE)  # an answer without findings, text and JSON
PART = re.compile(r'^ ?"truncated": true', re.MULTILINE)
SAMPLED = re.compile(r'^ ?"sample": ?\{|^  a sample: ', re.MULTILINE)  # an answer of --sample, JSON and text
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # what `>` writes in some shells of Windows


TOLD = 20  # fields that are listed
FORMATS = ("text", "json", "jsonl")


def arguments(parser: argparse.ArgumentParser) -> None:
    _workspace.add(parser, FORMATS)
    add = parser.add_argument
    add("--condition", action="append", default=[], metavar="C", help="only this condition; may be repeated")
    add(
        "--select", action="append", default=[], metavar="CODES", help="only these rules or areas: fmt,oll-system-twice"
    )
    add("--ignore", action="append", default=[], metavar="CODES", help="all rules but these")
    add("--baseline", type=Path, metavar="FILE", help="an earlier answer of check: only new findings count")
    add(
        "--fail-on", choices=("error", "warning", "info", "never"), default="error", help="exit 1 from this severity on"
    )
    said = (
        f"look only at N records (default {SIZE:,}), spread over the file and drawn by a seed; all if there are no more"
    )
    add("--sample", type=int, nargs="?", const=SIZE, metavar="N", help=said)
    add("--seed", type=int, metavar="SEED", help=f"draw the sample by another seed than {SEED}")
    _options.jobs(parser)
    _options.loudness(
        parser,
        "the findings alone: no progress, and in text no summary",
        "in text, also how to fix each finding, and what each file was taken for",
    )


def run(args: argparse.Namespace) -> int:
    select, ignore = _names(args.select), _names(args.ignore)
    sample, seed = _sample(args)
    baseline = keys(args.baseline, sample is not None) if args.baseline else frozenset()
    opened = _workspace.opened(args)
    known = [name for condition in opened.conditions for name in (condition.name, *condition.aliases)]
    wanted = [_workspace.one_of("condition", name, known) for name in args.condition]
    names = {condition.name for name in wanted if (condition := opened.condition(name))}
    jobs = _options.workers(args)
    steps = engine.stream(
        opened, select=select, ignore=ignore, conditions=names, baseline=baseline, jobs=jobs, sample=sample, seed=seed
    )
    try:
        audit = _written(opened, steps, args)
    except DatasetChanged as changed:
        raise UsageError(f"{changed}; run it again") from None
    if args.format == "text" and not args.quiet:
        told = _told(audit, _judged(opened, audit), whole=not (select or ignore or names))
        print("\n".join(map(_lines.safe, (*told, *(_files(opened) if args.verbose else ())))))
    for (rule, error), n in Counter((fault.rule, fault.error) for fault in audit.faults).items():
        times = f" {n} times" if n > 1 else ""
        print(_lines.safe(f"readback: {plugins.whose(rule)}: rule {rule} failed{times}: {error}"), file=sys.stderr)
    if args.format == "text" and not args.quiet:
        for name in opened.alternatives.get(id_column.KEY, ()):
            said = f"{name} is different in each row that was looked at: --id {flow(name)} takes it as the records' id"
            print(_lines.safe(f"\n{said}"))
    unfilled = _unfilled(opened)
    if unfilled:
        out = sys.stdout if args.format == "text" else sys.stderr
        print("\n".join(map(_lines.safe, _to_map(opened, unfilled))), file=out)
    return int(_lines.worst(audit.severities, args.fail_on) or (bool(unfilled) and args.fail_on != "never"))


def _sample(args: argparse.Namespace) -> tuple[int | None, int]:
    """How many records are drawn (None: all are looked at), and by which seed. Raises UsageError."""
    asked: int | None = args.sample
    if asked is not None and asked < 1:
        raise UsageError(f"--sample {asked}: at least one record has to be drawn")
    if asked is None and args.seed is not None:
        raise UsageError("--seed goes with --sample: without it every record is looked at")
    return asked, SEED if args.seed is None else args.seed


def _unfilled(opened: Workspace) -> list[Unmapped]:
    """The names that plain template files need and no record has, where nobody has written down what they mean."""
    plain = any(config.name == plain_templates.NAME for config in opened.configs)
    if not plain or opened.dataset is None or opened.dataset.absent:
        return []
    records = tuple(_workspace.data(opened).records(0, LOOKED_AT))
    return [one for one in unmapped(opened, records) if not one.optional] if records else []


def _to_map(opened: Workspace, wanted: Sequence[Unmapped]) -> Iterator[str]:
    """The block of readback.yml that maps the names, to be completed where no field is near."""
    there = fields(tuple(_workspace.data(opened).records(0, LOOKED_AT)))
    yield ""
    yield "The templates read names that no record has. Say which fields they are: --field NAME=FIELD on the command"
    yield "line (readback init then writes it down), or in readback.yml under dataset:"
    yield "fields:"
    for one in wanted:
        known = f"  # a guess; there are {', '.join(there[:TOLD])}"
        none = f"''  # put one of: {', '.join(there[:TOLD])}"
        yield f"  {flow(one.variable)}: " + (f"{flow(one.offered)}{known}" if one.offered else none)


def _written(opened: Workspace, steps: Iterator[Finding | Progress | Audit], args: argparse.Namespace) -> Audit:
    """Write the findings as they come, as JSON all at the end; answers the summary."""
    form, line = args.format, _lines.with_fix if args.verbose else _lines.line
    for step in steps:
        if isinstance(step, Audit):
            audit = step
        elif isinstance(step, Progress):
            _tell(step, args.quiet)
        elif form == "text":
            print(line(step))
        elif form == "jsonl":
            print(as_json.dumps(as_json.finding(step)))
    _tell(None, args.quiet)
    if form == "json":
        print(as_json.dumps({**summary(audit), "comparisons": _comparisons(opened, audit)}, indent=1))
    return audit


def _comparisons(opened: Workspace, audit: Audit) -> list[dict[str, Any]]:
    return [
        {
            "a": one.pair.a,
            "b": one.pair.b,
            "verdict": one.kind,
            "varied": list(one.varied),
            "faults": [{"code": each.code, "sides": list(each.sides), "places": each.places,
                        "records_on_one_side": len(each.records)} for each in one.faults],
            "missing": [{"what": each.what, "side": each.side} for each in one.missing],
            "unchecked": list(one.unchecked),
        }
        for one in _judged(opened, audit)
    ]  # fmt: skip


def summary(audit: Audit) -> dict[str, Any]:
    """The answer of `check --format json`."""
    return {
        "workspace": audit.workspace,
        "records": _counts(audit.records),
        "conditions": [_row(row) for row in audit.conditions],
        "counts": dict(audit.counts),
        "records_by_code": dict(audit.records_by_code),
        "findings": [as_json.finding(found) for found in audit.findings],
        "truncated": audit.truncated,
        "sample": _drawn(audit.sample),
        "variables": _variables.rows(audit),
        "unused": _variables.unused(audit),
        "training": [
            {"file": one.path, "split": one.split, "kinds": dict(one.kinds), **_counts(one.counts)}
            for one in audit.training
        ],
        "baseline": audit.known,
        "ignored": [
            {"code": one.code, "why": one.why, "by": one.by, "date": one.date, "where": dict(one.where), "count": n}
            for one, n in audit.ignored
        ],
        "faults": [{"rule": one.rule, "error": one.error, "place": as_json.place(one.place)} for one in audit.faults],
    }


def _drawn(sample: Sample | None) -> dict[str, Any] | None:
    if sample is None:
        return None
    names = {"left_out": list(sample.left_out), "full": list(sample.full)}
    return {"drawn": sample.drawn, "of": sample.of, "seed": sample.seed, **names}


def _counts(records: Counts) -> dict[str, int]:
    return {"read": records.read, "bad": records.bad, "blank": records.blank, "lines": records.lines}


def _row(row: Row) -> dict[str, Any]:
    names = (
        "name", "mode", "model", "adapter", "task", "system", "system_sha", "system_unknown", "errors", "warnings",
        "model_errors", "longest",
    )  # fmt: skip
    equal, logged = row.observed
    found = row.tokens  # of the longest prompt, where a limit is known
    tokens = {"count": found.count, "tokenizer": found.tokenizer, "exact": found.exact} if found else None
    return {
        **{name: getattr(row, name) for name in names},
        "tokens": tokens,
        "observed": {"equal": equal, "logged": logged},
    }


def _tokens(row: Row) -> str:
    found = row.tokens
    return f", {quantity(found.count, 'token')}{'' if found.exact else ' (estimated)'}" if found else ""


def _judged(opened: Workspace, audit: Audit) -> tuple[Verdict, ...]:
    """Whether the comparisons that the files plan are fair."""
    pairs = planned(opened)
    return verdicts(audit, weighed(audit, groups(audit), pairs), pairs)


def _told(audit: Audit, judged: Sequence[Verdict], whole: bool) -> Iterator[str]:
    """The summary for people; only a whole audit tells that a suppression is needed no more."""
    yield ""
    yield f"{audit.workspace}: {_lines_of(audit.records)}"
    yield from _of_sample(audit.sample)
    here = " in the sample" if audit.sample else ""
    for file in audit.training:
        kinds = " · ".join(f"{n} {SAID[kind]}" for kind, n in file.kinds.items() if kind in SAID) or "no training rows"
        yield f"  {file.path} ({file.split}): {_lines_of(file.counts)}; {kinds}"
    for row in audit.conditions:
        parts = [f"{name} {value}" for name in ("mode", "model", "adapter", "task") if (value := getattr(row, name))]
        none = f"system not known here: {row.system_unknown}" if row.system_unknown else "no system message"
        parts.append(f"system {row.system}" if row.system else none)
        if row.longest is not None:
            parts.append(f"longest{here} {quantity(row.longest, 'character')}" + _tokens(row))
        if row.observed[1]:
            parts.append(f"{row.observed[0]} of {row.observed[1]} logged requests{here} equal byte for byte")
        of_model = f", {quantity(row.model_errors, 'error')} of its model" if row.model_errors else ""
        found = f"{quantity(row.errors, 'error')}, {quantity(row.warnings, 'warning')}{of_model}"
        yield f"  {row.name}: {found} ({', '.join(parts)})"
    yield from (f"  {_verdict_lines.said(one)}" for one in judged)
    for code, count in audit.counts.items():
        yield f"  {count:>6} {code}{_records(audit, code)}"
    if whole:
        yield from _variables.told(audit)
    total = ", ".join(f"{audit.severities.get(name, 0)} {name}" for name in reversed(_lines.RANK))
    yield f"{quantity(sum(audit.counts.values()), 'finding')}: {total}" + (
        f"; {audit.known} known before" if audit.known else ""
    )
    for one, count in audit.ignored:
        said = f"  ignored: {count} {one.code}" + (f" ({one.why})" if one.why else "")
        known = whole and not audit.stopped and audit.sample is None
        yield said if count or not known else f"{said}; these lines ignore nothing now"


def _of_sample(sample: Sample | None) -> Iterator[str]:
    """That only some records were looked at, what none of them has, and what was not looked at for that."""
    if sample is None:
        return
    _, most = share(0, sample).percents
    of = f"{sample.drawn:,} of {quantity(sample.of, 'record')}"
    yield f"  a sample: {of} looked at, one from each of {sample.drawn:,} equal parts, by seed {sample.seed}"
    yield f"  in 0 of {sample.drawn:,}: at most {most} % of all (95 %)"
    if sample.repeats:
        yield f"  not looked at, for what repeats needs every record: {', '.join(sample.repeats)}"
    if sample.files:
        yield f"  not looked at: the rows of {', '.join(sample.files)}"


def _records(audit: Audit, code: str) -> str:
    """In how many records a rule has a finding; of a sample with what that says about all."""
    records = audit.records_by_code.get(code)
    if not records:
        return ""
    if (sample := audit.sample) is None:
        return f" in {quantity(records, 'record')}"
    k, n = hit(sample, code, records)
    if code in sample.full:
        return f" in {k:,} of {quantity(n, 'record')}"
    if not k:
        return ", told once for all records"
    low, high = share(k, sample).percents
    return f" in {k:,} of {quantity(n, 'record')} of the sample ({low} to {high} % of all, 95 %)"


def _lines_of(records: Counts) -> str:
    read = f"{quantity(records.read, 'record')} read, {records.bad} bad, {records.blank} blank"
    return f"{quantity(records.lines, 'line')}: {read}" if records.lines else "no records"


def _files(opened: Workspace) -> Iterator[str]:
    """What each file was taken for."""
    for one in opened.recognised:
        more = f" and {one.count - 1:,} more" if one.count > 1 else ""
        detail = f" ({one.detail})" if one.detail else ""
        yield f"  {one.path}{more}: {one.what}{'' if one.used else ', not used'}{detail}"


def _tell(step: Progress | None, quiet: bool) -> None:
    """How far it is, on a terminal's standard error; None clears the line."""
    if sys.stderr.isatty() and not quiet:
        print(
            "\r\033[K" if step is None else f"\r{step.done} of {step.total} records",
            end="",
            file=sys.stderr,
            flush=True,
        )


def _names(given: list[str]) -> frozenset[str]:
    """Codes and areas, each known. Raises UsageError."""
    known = [*rules.AREAS, *rules.RULES()]
    names = [name for part in given for each in part.split(",") if (name := each.strip())]
    for name in names:
        if name not in known and not nearest(name, known):  # the whole list of rules would be no help
            raise UsageError(
                f"no rule or area '{name}'; areas are {', '.join(rules.AREAS)}, readback rule --all lists them"
            )
    return frozenset(_workspace.one_of("rule or area", name, known) for name in names)


# The findings that were known before: the keys in any earlier answer of check.


def keys(path: Path, sampled: bool = False) -> frozenset[str]:
    """The keys in an answer of check in any form. Raises UsageError for a file that is none, or only a part of one;
    that of a sample is known only to a sample (`sampled`).
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise UsageError(f"--baseline {path}: {(error.strerror or 'it cannot be read').lower()}") from None
    text = raw.decode("utf-16" if raw.startswith(WIDE) else "utf-8-sig", "replace").replace("\r\n", "\n")
    found = frozenset(one or other for one, other in KEY.findall(text))
    if not found and text.strip() and not EMPTY.search(text):
        raise UsageError(f"--baseline {path}: this is no earlier answer of readback check (text, json or jsonl)")
    if PART.search(text):
        why = "it holds only the first 10,000 findings; write the baseline with --format jsonl, which holds them all"
        raise UsageError(f"--baseline {path}: {why}")
    if SAMPLED.search(text) and not sampled:
        raise UsageError(
            f"--baseline {path}: it holds the findings of a sample; use it with --sample, or check all records"
        )
    return found
