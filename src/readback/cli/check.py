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
from readback.checks import engine, rules
from readback.checks.comparisons import planned, weighed
from readback.checks.groups import groups
from readback.checks.quoted import UNREAD, Quoted
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
from readback.readers.yaml_file import nearest
from readback.readers.yaml_text import flow
from readback.records.dataset import Counts, DatasetChanged
from readback.records.training_row import DESCRIPTIONS
from readback.types import Finding, Workspace
from readback.words import t
from readback.workspace import id_column, plain_templates
from readback.workspace.left_out import each_file, left_unread, reconciled
from readback.workspace.unread import NOTHING

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
    add("--condition", action="append", default=[], metavar="C", help=t("cli.options.help_condition"))
    add("--select", action="append", default=[], metavar="CODES", help=t("cli.check.help_select"))
    add("--ignore", action="append", default=[], metavar="CODES", help=t("cli.check.help_ignore"))
    add("--baseline", type=Path, metavar="FILE", help=t("cli.check.help_baseline"))
    add("--since", metavar="REV", help=t("cli.check.help_since"))
    _options.fail_on(parser)
    add("--all", action="store_true", help=t("cli.check.help_all"))
    add("--sample", type=int, nargs="?", const=SIZE, metavar="N", help=t("cli.check.help_sample", size=SIZE))
    add("--seed", type=int, metavar="SEED", help=t("cli.check.help_seed", seed=SEED))
    _options.jobs(parser)
    add("--cluster", metavar="ADDRESS", help=t("cli.check.help_cluster"))
    _options.loudness(parser, t("cli.check.help_quiet"), t("cli.check.help_verbose"))


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
        raise UsageError(t("cli.main.again", why=changed)) from None
    baseline |= then.keys if then else frozenset()
    asked = partial(engine.stream, opened, select=select, ignore=ignore, conditions=names, baseline=baseline)
    try:
        with _cluster.workers(args.cluster, opened) as workers:
            audit = _written(opened, asked(jobs=jobs, sample=sample, seed=seed, workers=workers), args, then)
    except DatasetChanged as changed:
        raise UsageError(t("cli.main.again", why=changed)) from None
    if args.format == "text" and then:
        print("\n".join(map(_lines.safe, then.told())))
    if args.format == "text" and not args.quiet:
        told = _told(audit, _judged(opened, audit), whole=not (select or ignore or names))
        lines = map(_lines.safe, (*told, *_score_files(opened), *_files(opened, args.verbose)))
        print("\n".join(map(_colour.paint_counts, lines)))
        if sys.stdout.isatty() and audit.counts and not args.verbose:  # a file or a log needs no advice
            print(_lines.safe(f"  {t('cli.check.advice', workspace=args.workspace, code=next(iter(audit.counts)))}"))
    for (rule, error), n in Counter((fault.rule, fault.error) for fault in audit.faults).items():
        failed = "rule_failed_times" if n > 1 else "rule_failed"
        said = t(f"cli.check.{failed}", whose=plugins.whose(rule), rule=rule, n=n, error=error)
        print(_lines.safe(f"readback: {said}"), file=sys.stderr)
    if args.format == "text" and not args.quiet:
        if opened.dataset and (encoding := find_likely_encoding(_workspace.data(opened).diagnostics)):
            print(_lines.safe(f"\n{t('cli.check.encoding_offered', file=opened.dataset.path, encoding=encoding)}"))
        for name in opened.alternatives.get(id_column.KEY, ()):
            print(_lines.safe(f"\n{t('cli.check.id_offered', field=name, option=flow(name))}"))
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
        raise UsageError(t("cli.check.no_sample", n=asked))
    if asked is not None and args.since is not None:
        raise UsageError(t("cli.check.since_sample"))
    if args.format == "markdown" and args.since is None:
        raise UsageError(t("cli.check.markdown_alone"))
    if asked is None and args.seed is not None:
        raise UsageError(t("cli.check.seed_alone"))
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
    yield t("cli.check.to_map")
    yield "fields:"
    for one in wanted:
        why = t(f"cli.check.{'to_map_guess' if one.offered else 'to_map_one'}", fields=", ".join(there[:TOLD]))
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
            as_json.pieces({**summary(audit), "comparisons": _comparisons(opened, audit), **files, **since}, indent=1)
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
            yield from (as_json.dumps(as_json.finding(one)) for one in found)
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
            yield _lines.safe(t("cli.check.not_all", **values))


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
        "findings": [as_json.finding(finding) for finding in audit.findings],
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


def _judged(opened: Workspace, audit: Audit) -> tuple[Verdict, ...]:
    """Whether the comparisons that the files plan are fair."""
    if not (pairs := planned(opened)):
        return ()
    return verdicts(audit, weighed(audit, groups(audit), pairs), pairs)


def _told(audit: Audit, judged: Sequence[Verdict], whole: bool) -> Iterator[str]:
    """The summary for people; only a whole audit tells that a suppression is needed no more."""
    yield ""
    yield t("cli.check.head", workspace=audit.workspace, records=_lines_of(audit.records))
    yield from _of_sample(audit.sample)
    for file in audit.training:
        known = [f"{n} {DESCRIPTIONS[kind]}" for kind, n in file.kinds.items() if kind in DESCRIPTIONS]
        kinds = " · ".join(known) or t("cli.check.no_training_rows")
        records = _lines_of(file.counts)
        yield f"  {t('cli.check.file', file=file.path, split=file.split, records=records, kinds=kinds)}"
    for row in audit.conditions:
        counts = [t("cli.check.errors", n=row.errors), t("cli.check.warnings", n=row.warnings)]
        counts += [t("cli.check.of_model", n=row.model_errors)] if row.model_errors else []
        about = ", ".join(_about(row, audit.sample is not None))
        yield f"  {t('cli.check.row', name=row.name, counts=', '.join(counts), about=about)}"
    for asked in audit.judge_requests:
        of = asked.choice.condition
        name = t("cli.check.judge_of", judge=asked.choice.judge, condition=of) if of else asked.choice.judge
        yield f"  {t('cli.check.judge_requests', name=name, n=asked.equal, all=asked.logged)}"
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
    yield t(f"cli.check.{total}", n=sum(audit.counts.values()), counts=counted, known=audit.known)
    for one, count in audit.ignored:
        said = t(f"cli.check.{'ignored_why' if one.why else 'ignored'}", n=count, code=one.code, why=one.why)
        known_all = whole and not audit.stopped and audit.sample is None
        yield f"  {said if count or not known_all else t('cli.check.ignored_nothing', ignored=said)}"


def _about(row: Row, sampled: bool) -> Iterator[str]:
    """What a condition is made of, how long its messages are at most, and how many of them are as logged."""
    sample = "_sample" if sampled else ""
    for name in ("mode", "model", "adapter", "task"):
        if value := getattr(row, name):
            yield t(f"cli.check.{name}", name=value)
    if row.system:
        yield t("cli.check.system", name=row.system)
    else:
        unknown = row.system_unknown
        yield t("cli.check.system_unknown", why=unknown) if unknown else t("cli.check.system_none")
    if row.longest is not None:
        yield t(f"cli.check.longest{sample}", n=row.longest)
        if tokens := row.tokens:
            yield t(f"cli.check.{'tokens' if tokens.exact else 'tokens_estimated'}", n=tokens.count)
    if row.observed[1]:
        yield t(f"cli.check.logged{sample}", n=row.observed[0], all=row.observed[1])


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
        return t("cli.check.code", **said)
    if (sample := audit.sample) is None:
        return t("cli.check.code_records", **said, n=records)
    k, n = hit(sample, code, records)
    if code in sample.full:
        return t("cli.check.code_of", **said, n=k, all=n)
    if not k:
        return t("cli.check.code_once", **said)
    low, high = share(k, sample).percents
    return t("cli.check.code_sample", **said, share=t("sample.share", k=k, n=n, low=low, high=high))


def _lines_of(records: Counts) -> str:
    if not records.lines:
        return t("cli.check.no_records")
    counts = {"lines": records.lines, "read": records.read, "bad": records.bad, "blank": records.blank}
    return t("cli.check.lines", **counts)


def _score_files(opened: Workspace) -> Iterator[str]:
    """Which files were read as scores, which check says nothing about beyond its findings."""
    files = list(dict.fromkeys(source.path for source in opened.scores))
    if files:
        names = ", ".join(files[:SCORE_FILES])
        more = len(files) - SCORE_FILES
        yield f"  {t('cli.check.scores_more' if more > 0 else 'cli.check.scores', files=names, n=more)}"


def _files(opened: Workspace, verbose: bool) -> Iterator[str]:
    """How many files are used and how many are not; `verbose`, or where nothing is read, what each was taken for."""
    used, unused = reconciled(opened.recognised)
    unread = left_unread(opened.recognised)
    if used + unused > 1 or unread:
        counts = t("cli.check.files_counted", n=used + unused, used=used, unused=unused)
        yield f"  {counts}{t('cli.check.files_unread', n=unread) if unread else ''}"
    if not (verbose or any(one.code == NOTHING for one in opened.diagnostics)):
        return
    for one in opened.recognised:
        file = (
            t("cli.check.files_more", file=one.path, n=one.count - 1) if one.count > 1 and not one.files else one.path
        )
        said = t(f"cli.check.{'recognised' if one.used else 'recognised_unused'}", file=file, what=one.what)
        yield f"  {t('cli.check.recognised_detail', said=said, detail=one.detail) if one.detail else said}"


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
            raise UsageError(t("cli.check.unknown_rule", name=name, areas=", ".join(rules.AREAS)))
    return frozenset(_workspace.one_of("rule_or_area", name, known) for name in names)
