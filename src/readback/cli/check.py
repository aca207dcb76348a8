"""The command `readback check`: the findings of a workspace and their summary."""

from __future__ import annotations

import argparse
import gc
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from readback import as_json, plugins
from readback.checks import rules
from readback.checks.comparisons import planned, weighed
from readback.checks.groups import groups
from readback.checks.quoted import UNREAD, Quoted
from readback.checks.run import engine
from readback.checks.sample import SEED, SIZE, Sample, hit, share
from readback.checks.summary import Audit, Progress, Row
from readback.checks.unmapped import LOOKED_AT, Unmapped, fields, unmapped
from readback.checks.unread_encoding import find_likely_encoding
from readback.checks.verdicts import Verdict, verdicts
from readback.cli import (
    UsageError,
    _baseline,
    _cluster,
    _colour,
    _github,
    _junit,
    _lines,
    _options,
    _places,
    _progress,
    _sarif,
    _variables,
    _verdict_lines,
    _workspace,
)
from readback.cli._sentence import fill
from readback.readers.yaml_file import nearest
from readback.readers.yaml_text import flow
from readback.records.dataset import Counts, DatasetChanged
from readback.records.training_row import DESCRIPTIONS
from readback.types import Finding, Workspace
from readback.words import t
from readback.workspace import id_column, plain_templates
from readback.workspace.left_out import each_file, left_unread, reconciled
from readback.workspace.unread import NOTHING

TITLE = "Check a workspace: its files, its records, and the messages that are assembled from them."
ABOUT = (
    "JSON holds the first 10,000 findings, jsonl all of them. With --sample only some of the records are"
    " checked.\n"
    "\n"
    "exit codes: 0 nothing at or above --fail-on; 1 there is such a finding, or a template file reads a"
    " name that no record\n"
    "has; 2 wrong use, or nothing at all could be read"
)

SENTENCES_CHECK = {
    "rule_failed": "{whose}: rule {rule} failed: {error}",
    "rule_failed_times": "{whose}: rule {rule} failed {n:,} times: {error}",
    "to_map_guess": "a guess; there are {fields}",
    "to_map_one": "put one of: {fields}",
    "lines": (
        "{read:,} {read:record|records} read; {bad:,} of {lines:,} {lines:line|lines} "
        "could not be read and {blank:,} {blank:was|were} blank"
    ),
    "file": "{file} ({split}): {records}; {kinds}",
    "errors": "{n:,} {n:error|errors}",
    "warnings": "{n:,} {n:warning|warnings}",
    "mode": "mode {name}",
    "model": "model {name}",
    "adapter": "adapter {name}",
    "task": "task {name}",
    "system": "system message from {name}",
    "system_unknown": "system message unknown: {why}",
    "longest": "longest {n:,} {n:character|characters}",
    "tokens": "{n:,} {n:token|tokens}",
    "tokens_estimated": "{n:,} {n:token|tokens} (estimated)",
    "logged": "{n:,} of {all:,} logged {all:request|requests} equal byte for byte",
    "judge_requests": "judge {name}: {n:,} of {all:,} logged {all:request|requests} equal byte for byte",
    "total": "{n:,} {n:finding|findings}: {counts}",
    "total_known": "{n:,} {n:finding|findings}: {counts}; {known:,} known before",
    "code": "{count} {code}",
    "ignored": "ignored: {n:,} {code}",
    "ignored_why": "ignored: {n:,} {code} ({why})",
    "recognised": "{file}: {what}",
    "recognised_unused": "{file}: {what}, not used",
    "baseline": "--baseline {file}: {why}",
    "longest_sample": "longest in the sample {n:,} {n:character|characters}",
    "logged_sample": "in the sample {n:,} of {all:,} logged {all:request|requests} equal byte for byte",
}

if TYPE_CHECKING:
    from readback.cli._changes import Before  # with what compares texts, which a check without --since does not need

AROUND = 24  # characters before and behind the one that makes a line unreadable: most terminals have 80 columns
TOLD = 20  # fields that are listed
LISTED = 100  # findings of a rule that text lists as they come
SCORE_FILES = 3  # files of scores that the summary names
DRAWN = 20  # of the others, shown in the end
COLLECT = (50_000, 20, 20)  # objects until the collector looks: findings hold each other in no circle, and are many
NOTHING_READ = 2  # the exit code where nothing of a folder could be read
FORMATS = ("text", "json", "jsonl", "sarif", "junit", "github", "markdown")


def arguments(parser: argparse.ArgumentParser) -> None:
    _workspace.add(parser, FORMATS)
    add = parser.add_argument
    add("--condition", action="append", default=[], metavar="C", help="only this condition; may be repeated")
    add(
        "--select", action="append", default=[], metavar="CODES", help="only these rules or areas: fmt,oll-system-twice"
    )
    add("--ignore", action="append", default=[], metavar="CODES", help="all rules except these")
    add(
        "--baseline",
        type=Path,
        metavar="FILE",
        help="an earlier output of check; only findings that are not in it count",
    )
    add(
        "--since",
        metavar="REV",
        help=("compare with a git revision: how the prompts changed, and only findings that are not in it count"),
    )
    _options.fail_on(parser)
    add("--all", action="store_true", help="text: list every finding, however many a rule has")
    add(
        "--sample",
        type=int,
        nargs="?",
        const=SIZE,
        metavar="N",
        help=fill(
            (
                "check only N records (default {size:,}), spread over the file and drawn at random; all "
                "records if there are no more"
            ),
            size=SIZE,
        ),
    )
    add("--seed", type=int, metavar="SEED", help=fill("the seed of the random draw (default: {seed})", seed=SEED))
    _options.jobs(parser)
    add(
        "--cluster",
        metavar="ADDRESS",
        help=("the address of a Dask scheduler (tcp://host:8786) whose workers do the work; the answer is the same"),
    )
    _options.loudness(
        parser,
        "the findings alone: no progress, and in text no summary",
        "text: also how to fix each finding, and what each file was recognised as",
    )


def run(args: argparse.Namespace) -> int:
    gc.set_threshold(*COLLECT)
    select, ignore = _names(args.select), _names(args.ignore)
    sample, seed = _sample(args)
    baseline = _baseline.keys(args.baseline, sample is not None) if args.baseline else frozenset()
    _cluster.hasten(args.cluster)
    opened = _workspace.opened(args)
    known = [name for condition in opened.conditions for name in (condition.name, *condition.aliases)]
    wanted = [_workspace.one_of("condition", name, known) for name in args.condition]
    names = {condition.name for name in wanted if (condition := opened.condition(name))}
    jobs = _options.workers(args)
    then = None
    try:
        if args.since is not None:
            from readback.cli import _revision  # with it comes the store of reviews, which takes as long as the rest

            then = _revision.before(opened, args.since, select, ignore, names, jobs)
    except DatasetChanged as changed:
        raise UsageError(fill("{why}; run the command again", why=changed)) from None
    baseline |= then.keys if then else frozenset()
    asked = partial(engine.stream, opened, select=select, ignore=ignore, conditions=names, baseline=baseline)
    try:
        with _cluster.workers(args.cluster, opened) as workers:
            audit = _written(opened, asked(jobs=jobs, sample=sample, seed=seed, workers=workers), args, then)
    except DatasetChanged as changed:
        raise UsageError(fill("{why}; run the command again", why=changed)) from None
    if args.format == "text" and then:
        print("\n".join(map(_lines.safe, then.told())))
    if args.format == "text" and not args.quiet:
        told = _told(audit, _judged(opened, audit), whole=not (select or ignore or names))
        lines = map(_lines.safe, (*told, *_score_files(opened), *_files(opened, args.verbose)))
        print("\n".join(map(_colour.paint_counts, lines)))
        if sys.stdout.isatty() and audit.counts and not args.verbose:  # a file or a log needs no advice
            print(
                _lines.safe(
                    fill(
                        (
                            "  readback check {workspace} -v also says how to fix each finding, readback rule {code} "
                            "explains a rule"
                        ),
                        workspace=args.workspace,
                        code=next(iter(audit.counts)),
                    )
                )
            )
    for (rule, error), n in Counter((fault.rule, fault.error) for fault in audit.faults).items():
        failed = "rule_failed_times" if n > 1 else "rule_failed"
        said = fill(SENTENCES_CHECK[failed], whose=plugins.attribute_mistake(rule), rule=rule, n=n, error=error)
        print(_lines.safe(f"readback: {said}"), file=sys.stderr)
    if args.format == "text" and not args.quiet:
        if opened.dataset and (encoding := find_likely_encoding(_workspace.data(opened).diagnostics)):
            print(
                _lines.safe(
                    fill(
                        (
                            "\n{file} is not UTF-8. Save it as UTF-8, or, if you know that it is {encoding}, say so "
                            "with --encoding {encoding} (readback init then writes it down), or in readback.yml: "
                            "dataset: {{path: {file}, encoding: {encoding}}}"
                        ),
                        file=opened.dataset.path,
                        encoding=encoding,
                    )
                )
            )
        for name in opened.alternatives.get(id_column.KEY, ()):
            print(
                _lines.safe(
                    fill(
                        (
                            "\n{field} has a different value in each row that was read; to use it as the records' id: "
                            "--id {option}"
                        ),
                        field=name,
                        option=flow(name),
                    )
                )
            )
    unfilled = _unfilled(opened)
    if unfilled:
        out = sys.stdout if args.format == "text" else sys.stderr
        print("\n".join(map(_lines.safe, _to_map(opened, unfilled))), file=out)
    if any(one.code == NOTHING for one in opened.diagnostics):
        return NOTHING_READ
    return int(_lines.worst(audit.severities, args.fail_on) or (bool(unfilled) and args.fail_on != "never"))


def _sample(args: argparse.Namespace) -> tuple[int | None, int]:
    """How many records are drawn (None: all are looked at), and by which seed. Raises UsageError."""
    asked: int | None = args.sample
    if asked is not None and asked < 1:
        raise UsageError(fill("--sample {n}: give 1 or more", n=asked))
    if asked is not None and args.since is not None:
        raise UsageError("--since cannot be used with --sample: another version has other records in its sample")
    if args.format == "markdown" and args.since is None:
        raise UsageError("--format markdown needs --since")
    if asked is None and args.seed is not None:
        raise UsageError("--seed needs --sample; without it every record is checked")
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
    yield (
        "The templates read names that no record has. Say which fields they are: with --field "
        "NAME=FIELD on the command line\n(readback init then writes it down), or in readback.yml "
        "below dataset:"
    )
    yield "fields:"
    for one in wanted:
        why = fill(SENTENCES_CHECK["to_map_guess" if one.offered else "to_map_one"], fields=", ".join(there[:TOLD]))
        offered = flow(one.offered) if one.offered else "''"
        yield f"  {flow(one.variable)}: {offered}  # {why}"


def _written(
    opened: Workspace, steps: Iterator[Finding | Progress | Audit], args: argparse.Namespace, then: Before | None
) -> Audit:
    """Write the findings as they come, as JSON all at the end; answers the summary."""
    ended: list[Audit] = []
    found = _passing(steps, args.quiet, ended)
    for piece in _pieces(opened, found, lambda: ended[0], args, then):
        sys.stdout.write(f"{piece}\n")  # at once, also where Python is told to keep nothing back
    (audit,) = ended
    if args.format == "json":
        since = {"since": then.values()} if then else {}
        files = {"files": _each_file(opened)}
        sys.stdout.writelines(
            as_json.iterate_json(
                {**summary(audit), "comparisons": _comparisons(opened, audit), **files, **since}, indent=1
            )
        )
        print()
    return audit


def _passing(steps: Iterator[Finding | Progress | Audit], quiet: bool, ended: list[Audit]) -> Iterator[Finding]:
    """The findings among the steps. How far it is goes to the terminal, the summary into `ended`."""
    progress = _progress.Progress(quiet)
    for step in steps:
        if isinstance(step, Audit):
            ended.append(step)
        elif isinstance(step, Progress):
            progress(step.done, step.total)
        else:
            progress.end()
            yield step
    progress.end()


def _pieces(
    opened: Workspace,
    found: Iterator[Finding],
    audit: Callable[[], Audit],
    args: argparse.Namespace,
    then: Before | None,
) -> Iterator[str]:
    """What is printed of the findings, each piece a line or more."""
    file = _places.in_repository(opened.root)
    match args.format:
        case "text":
            line = partial(_line, cache(partial(_quoted, opened)), args.verbose)
            yield from map(line, found) if args.all else _some(found, line)
        case "jsonl":
            yield from (as_json.dumps(as_json.finding_to_json(one)) for one in found)
        case "github":
            yield from _github.lines(found, file)
        case "sarif":
            yield from _sarif.lines(found, audit, file, opened.recognised)
        case "junit":
            yield from _junit.lines(found, audit, file, args.fail_on, _names(args.select), _names(args.ignore))
        case "markdown" if then:
            yield from then.comment(found, audit)
        case _:  # the summary holds them
            deque(found, maxlen=0)


def _quoted(opened: Workspace) -> Quoted:
    return Quoted(opened, _workspace.data(opened))


def _line(quoted: Callable[[], Quoted], verbose: bool, one: Finding) -> str:
    said = _lines.line(one)
    if one.code in UNREAD and (part := quoted().excerpt(one, AROUND)):
        said = _lines.with_excerpt(said, part)
    return _lines.with_fix(one, said) if verbose else said


def _some(found: Iterator[Finding], line: Callable[[Finding], str]) -> Iterator[str]:
    """The first findings of each rule as they come; of the others a few in the end, drawn by a fixed seed, and how many
    there are.
    """
    counts, held = Counter[str](), dict[str, list[tuple[int, Finding]]]()
    draw = {code: Random(f"{SEED} {code}") for code in rules.RULES()}  # noqa: S311 - a sample, not a secret
    for number, one in enumerate(found):
        counts[one.code] += 1
        later = counts[one.code] - LISTED
        if later <= 0:
            yield line(one)
        elif later <= DRAWN:
            held.setdefault(one.code, []).append((number, one))
        elif (at := draw[one.code].randrange(later)) < DRAWN:
            held[one.code][at] = number, one
    drawn = sorted((each for of_rule in held.values() for each in of_rule), key=lambda each: each[0])
    yield from (line(one) for _, one in drawn)
    for code in sorted(held):
        if (listed := LISTED + len(held[code])) < counts[code]:
            values = {"n": listed, "all": counts[code], "code": code, "first": LISTED, "drawn": DRAWN, "seed": SEED}
            yield _lines.safe(
                fill(
                    (
                        "not all are listed: {n:,} of {all:,} {all:finding|findings} of {code} {n:is|are} above, "
                        "the first {first:,} and {drawn:,} drawn at random from the others (seed {seed}); --all "
                        "lists every one"
                    ),
                    **values,
                )
            )


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
        "judge_requests": [
            {
                "judge": one.choice.judge,
                "condition": one.choice.condition,
                "observed": {"equal": one.equal, "logged": one.logged},
            }
            for one in audit.judge_requests
        ],
        "counts": dict(audit.counts),
        "records_by_code": dict(audit.records_by_code),
        "findings": [as_json.finding_to_json(finding) for finding in audit.findings],
        "truncated": audit.truncated,
        "sample": _drawn(audit.sample),
        "not_looked_at": [
            {"name": one.name, "records": one.count, "of": one.total, "why": one.why} for one in audit.unlooked
        ],
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
        "faults": [
            {"rule": one.rule, "error": one.error, "place": as_json.place_to_json(one.place)} for one in audit.faults
        ],
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


def _judged(opened: Workspace, audit: Audit) -> tuple[Verdict, ...]:
    """Whether the comparisons that the files plan are fair."""
    if not (pairs := planned(opened)):
        return ()
    return verdicts(audit, weighed(audit, groups(audit), pairs), pairs)


def _told(audit: Audit, judged: Sequence[Verdict], whole: bool) -> Iterator[str]:
    """The summary for people; only a whole audit tells that a suppression is needed no more."""
    yield ""
    yield fill("{workspace}: {records}", workspace=audit.workspace, records=_lines_of(audit.records))
    yield from _of_sample(audit.sample)
    for file in audit.training:
        known = [f"{n} {DESCRIPTIONS[kind]}" for kind, n in file.kinds.items() if kind in DESCRIPTIONS]
        kinds = " · ".join(known) or "no training rows"
        records = _lines_of(file.counts)
        yield fill(
            "  {file} ({split}): {records}; {kinds}", file=file.path, split=file.split, records=records, kinds=kinds
        )
    for row in audit.conditions:
        counts = [fill("{n:,} {n:error|errors}", n=row.errors), fill("{n:,} {n:warning|warnings}", n=row.warnings)]
        counts += [fill("{n:,} {n:error|errors} about its model", n=row.model_errors)] if row.model_errors else []
        about = ", ".join(_about(row, audit.sample is not None))
        yield fill("  {name}: {counts} ({about})", name=row.name, counts=", ".join(counts), about=about)
    for asked in audit.judge_requests:
        of = asked.choice.condition
        name = (
            fill("{judge} for the answers of {condition}", judge=asked.choice.judge, condition=of)
            if of
            else asked.choice.judge
        )
        yield fill(
            "  judge {name}: {n:,} of {all:,} logged {all:request|requests} equal byte for byte",
            name=name,
            n=asked.equal,
            all=asked.logged,
        )
    for unlooked in audit.unlooked:
        values = {"n": unlooked.count, "all": unlooked.total, "name": unlooked.name, "why": unlooked.why}
        yield f"  {t('overview.unlooked', **values)}"
    yield from (f"  {_verdict_lines.said(one)}" for one in judged)
    for code, count in audit.counts.items():
        yield f"  {_code(audit, code, count)}"
    if whole:
        yield from _variables.told(audit)
    counted = ", ".join(f"{audit.severities.get(name, 0)} {name}" for name in reversed(_lines.RANK))
    total = "total_known" if audit.known else "total"
    yield fill(SENTENCES_CHECK[total], n=sum(audit.counts.values()), counts=counted, known=audit.known)
    for one, count in audit.ignored:
        said = fill(SENTENCES_CHECK["ignored_why" if one.why else "ignored"], n=count, code=one.code, why=one.why)
        known_all = whole and not audit.stopped and audit.sample is None
        if not count and known_all:
            said = fill("{ignored}; this entry of readback.yml matches nothing now", ignored=said)
        yield f"  {said}"


def _about(row: Row, sampled: bool) -> Iterator[str]:
    """What a condition is made of, how long its messages are at most, and how many of them are as logged."""
    sample = "_sample" if sampled else ""
    for name in ("mode", "model", "adapter", "task"):
        if value := getattr(row, name):
            yield fill(SENTENCES_CHECK[name], name=value)
    if row.system:
        yield fill("system message from {name}", name=row.system)
    else:
        unknown = row.system_unknown
        yield fill("system message unknown: {why}", why=unknown) if unknown else "no system message"
    if row.longest is not None:
        yield fill(SENTENCES_CHECK[f"longest{sample}"], n=row.longest)
        if tokens := row.tokens:
            yield fill(SENTENCES_CHECK["tokens" if tokens.exact else "tokens_estimated"], n=tokens.count)
    if row.observed[1]:
        yield fill(SENTENCES_CHECK[f"logged{sample}"], n=row.observed[0], all=row.observed[1])


def _of_sample(sample: Sample | None) -> Iterator[str]:
    """That only some records were looked at, what none of them has, and what was not looked at for that."""
    if sample is None:
        return
    _, most = share(0, sample).percents
    yield f"  {t('sample.is', n=sample.drawn, of=sample.of, seed=sample.seed)}"
    yield f"  {t('sample.bound', n=sample.drawn, most=most)}"
    if sample.repeats:
        yield f"  {t('sample.repeats', codes=', '.join(sample.repeats))}"
    if sample.files:
        yield f"  {t('sample.files', n=len(sample.files), files=', '.join(sample.files))}"


def _code(audit: Audit, code: str, count: int) -> str:
    """How many findings a rule has and in how many records; of a sample with what that says about all."""
    said = {"count": f"{count:>6}", "code": code}
    records = audit.records_by_code.get(code)
    if not records:
        return fill("{count} {code}", **said)
    if (sample := audit.sample) is None:
        return fill("{count} {code} in {n:,} {n:record|records}", **said, n=records)
    k, n = hit(sample, code, records)
    if code in sample.full:
        return fill("{count} {code} in {n:,} of {all:,} {all:record|records}", **said, n=k, all=n)
    if not k:
        return fill("{count} {code}, reported once for all records", **said)
    low, high = share(k, sample).percents
    return fill("{count} {code} in {share}", **said, share=t("sample.share", k=k, n=n, low=low, high=high))


def _lines_of(records: Counts) -> str:
    if not records.lines:
        return "no records"
    counts = {"lines": records.lines, "read": records.read, "bad": records.bad, "blank": records.blank}
    return fill(
        (
            "{read:,} {read:record|records} read; {bad:,} of {lines:,} {lines:line|lines} could not be "
            "read and {blank:,} {blank:was|were} blank"
        ),
        **counts,
    )


def _score_files(opened: Workspace) -> Iterator[str]:
    """Which files were read as scores, which check says nothing about beyond its findings."""
    files = list(dict.fromkeys(source.path for source in opened.scores))
    if files:
        names = ", ".join(files[:SCORE_FILES])
        more = len(files) - SCORE_FILES
        yield (
            "  "
            + fill(
                "scores: {files} and {n:,} more {n:file|files}; readback scores prints what they support"
                if more > 0
                else "scores: {files}; readback scores prints what they support",
                files=names,
                n=more,
            )
        )


def _files(opened: Workspace, verbose: bool) -> Iterator[str]:
    """How many files are used and how many are not; `verbose`, or where nothing is read, what each was taken for."""
    used, unused = reconciled(opened.recognised)
    unread = left_unread(opened.recognised)
    if used + unused > 1 or unread:
        counts = fill(
            "{n:,} file: {used:,} used, {unused:,} not used"
            if used + unused == 1
            else "{n:,} files: {used:,} used, {unused:,} not used",
            n=used + unused,
            used=used,
            unused=unused,
        )
        if unread == 1:
            counts += fill("; {n:,} that is not used looks like data, prompts, logs or scores", n=unread)
        elif unread:
            counts += fill("; {n:,} that are not used look like data, prompts, logs or scores", n=unread)
        yield f"  {counts}"
    if not (verbose or any(one.code == NOTHING for one in opened.diagnostics)):
        return
    for one in opened.recognised:
        file = (
            fill("{file} and {n:,} more", file=one.path, n=one.count - 1)
            if one.count > 1 and not one.files
            else one.path
        )
        said = fill(SENTENCES_CHECK["recognised" if one.used else "recognised_unused"], file=file, what=one.what)
        if one.detail:
            said = fill("{said} ({detail})", said=said, detail=one.detail)
        yield f"  {said}"


def _each_file(opened: Workspace) -> list[dict[str, Any]]:
    """Every file by itself with what it is taken for, or why it is not used."""
    return [
        {
            "path": one.path,
            "what": one.what,
            "used": one.used,
            "count": one.count,
            "detail": one.detail,
            "looks": one.looks,
        }
        for one in each_file(opened.recognised)
    ]


def _names(given: list[str]) -> frozenset[str]:
    """Codes and areas, each known. Raises UsageError."""
    known = [*rules.AREAS, *rules.RULES()]
    names = [name for part in given for each in part.split(",") if (name := each.strip())]
    for name in names:
        if name not in known and not nearest(name, known):  # the whole list of rules would be no help
            raise UsageError(
                fill(
                    "no rule or area '{name}'; the areas are {areas}, and readback rule --all lists the rules",
                    name=name,
                    areas=", ".join(rules.AREAS),
                )
            )
    return frozenset(_workspace.one_of("rule_or_area", name, known) for name in names)
