"""Say what a change does to the prompts: as JSON, as lines for people, and as a comment for a pull request."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from readback.bookmarks import markdown
from readback.checks.run import engine
from readback.checks.summary import Audit
from readback.cli import UsageError
from readback.cli.common.lines import SEVERITIES, describe_location
from readback.cli.common.terminal import fill
from readback.compare import as_text
from readback.compare.side import SideError
from readback.review import since
from readback.review.leaves import NothingToLock
from readback.review.locks import lock_check, lock_file
from readback.review.locks.lock_check import Change, Line
from readback.types import Finding, Workspace

LISTED = 20  # lines of prompts, and rules, in a comment
KINDS_LISTED = 5  # kinds of change that are listed for a line
LONGEST_LINE = 500  # characters of a line of a comment: a forge takes 65,536 in all
MENTIONS = re.compile(r"([@#])(?=\w)")  # what a forge takes for a person or an issue, and notifies them


@dataclass(frozen=True, slots=True)
class Revision:
    """A git revision that a check compares with: the keys of all its findings, and the texts that changed since.

    `unsaid` says why there are no texts to compare; "" where there are.
    """

    rev: str
    keys: frozenset[str]
    lines: tuple[Line, ...] = ()
    unsaid: str = ""

    def build_json(self) -> dict[str, Any]:
        """Return {"rev", "prompts", "prompts_unsaid"}."""
        return {
            "rev": self.rev,
            "prompts": [build_prompt_json(line) for line in self.lines],
            "prompts_unsaid": self.unsaid or None,
        }

    def format_lines(self) -> Iterator[str]:
        """Yield what changed since the revision, for a terminal."""
        yield ""
        yield _format_head(self)
        yield from format_prompts(self.lines, "  ")

    def format_comment(self, findings: Iterable[Finding], get_audit: Callable[[], Audit]) -> Iterator[str]:
        """Yield Markdown for a pull request: the prompts that changed, then the new findings by rule.

        `get_audit` returns the summary once `findings` has ended. Nothing of a prompt becomes markup, or notifies a
        person or an issue.
        """
        title = fill("Prompts and findings since {rev}", rev=self.rev)
        yield f"### {_format_markdown(title)}"
        yield ""
        yield _format_markdown(_format_head(self))
        if self.lines:
            yield ""
        yield from format_prompts(self.lines[:LISTED], "- ", _format_markdown)
        more = len(self.lines) - LISTED
        if more > 0:
            text = fill("{n:,} more {n:group|groups} of texts changed; --format json has all", n=more)
            yield f"- {_format_markdown(text)}"
        rules = _group_by_rule(findings)
        yield ""
        yield _format_markdown(_format_counts(rules, get_audit()))
        if rules:
            yield ""
        for rule in rules[:LISTED]:
            yield f"- {_format_markdown(_format_rule(rule))}"
        more = len(rules) - LISTED
        if more > 0:
            text = fill("{n:,} more {n:rule|rules} with new findings; --format text has all", n=more)
            yield f"- {_format_markdown(text)}"


def load_revision(
    workspace: Workspace,
    rev: str,
    select: Collection[str],
    ignore: Collection[str],
    conditions: Collection[str],
    jobs: int | None,
) -> Revision:
    """Open the workspace as it was at `rev`, check it and compare its prompts. Raises UsageError, DatasetChanged."""
    try:
        old, now = since.open_revision(workspace, rev)
    except SideError as error:
        raise UsageError(fill("--since {rev}: {why}", rev=rev, why=error)) from None
    steps = engine.stream(old, engine.CheckOptions(select=select, ignore=ignore, conditions=conditions, jobs=jobs))
    keys = frozenset(step.key for step in steps if isinstance(step, Finding))
    try:
        return Revision(rev, keys, since.compare_prompts(old, now, jobs, conditions=conditions))
    except NothingToLock as nothing:
        return Revision(rev, keys, unsaid=str(nothing))


def build_change_json(change: Change) -> dict[str, Any]:
    """Return the counts of `readback diff --records`, and {"sentences": {words: n}, "examples": {words: [records]}}."""
    examples = {
        words: [{"index": index, "id": record_id} for index, record_id in records]
        for words, records in change.examples.items()
    }
    counts = as_text.make_count_values(change.counted)
    return {**counts, "sentences": dict(change.sentences), "looked_at": change.looked_at, "examples": examples}


def build_prompt_json(line: Line) -> dict[str, Any]:
    """Return {"what", "layer", "state", "differ", "said", "change"} of a text that changed; `change` may be None."""
    return {
        "what": lock_file.format_head(line.subject),
        "layer": line.subject.layer,
        "state": line.state,
        "differ": line.change.counted.differing if line.change else line.differ,
        "said": describe_prompt(line),
        "change": build_change_json(line.change) if line.change else None,
    }


def describe_prompt(line: Line) -> str:
    """Return what became of a text, in words that fit a revision or a sign-off as well as a lock."""
    if line.before is None:
        return "new"
    if line.now is None:
        return "no longer there"
    return lock_check.describe_change(line)


def format_prompts(prompts: Iterable[Line], mark: str, format_text: Callable[[str], str] = str) -> Iterator[str]:
    """Yield a line for each text, and below it the kinds of change with examples.

    `mark` begins a line, `format_text` turns what follows into what is printed.
    """
    for line in prompts:
        text = fill("{line}: {said}", line=lock_file.format_head(line.subject), said=describe_prompt(line))
        yield f"{mark}{format_text(text)}"
        if line.change:
            yield from (f"  {mark}{format_text(kind)}" for kind in _format_kinds(line.change))


def _format_kinds(change: Change) -> Iterator[str]:
    """Yield the kinds of change, the most frequent first, each with records that have it."""
    for words, n in list(change.sentences.items())[:KINDS_LISTED]:
        examples = change.examples.get(words, ())
        records = ", ".join(str(index if record_id is None else record_id) for index, record_id in examples)
        if len(change.sentences) > 1:
            yield fill(
                "{n:,} {n:prompt|prompts}: {change}; for example {records}",
                n=n,
                change=words.rstrip("."),
                records=records,
            )
        else:
            yield fill("for example {records}", records=records)
    more = len(change.sentences) - KINDS_LISTED
    if more > 0:
        yield fill("{n:,} more {n:kind|kinds} of change; --format json has all", n=more)


def _format_head(revision: Revision) -> str:
    if revision.unsaid:
        return fill("The prompts cannot be compared with those of {rev}: {why}.", rev=revision.rev, why=revision.unsaid)
    if not revision.lines:
        return fill("Since {rev} the prompts did not change, byte for byte.", rev=revision.rev)
    return fill(
        "Since {rev} the prompts changed in {n:,} {n:group|groups} of texts (A is the text then, B the text now):",
        rev=revision.rev,
        n=len(revision.lines),
    )


@dataclass(frozen=True, slots=True)
class _RuleFindings:
    """The first finding of a rule and a severity, and how many there are."""

    first: Finding
    n: int = 1


def _group_by_rule(findings: Iterable[Finding]) -> Sequence[_RuleFindings]:
    """Return the findings by severity, the worst first, and rule."""
    rules: dict[tuple[int, str], _RuleFindings] = {}
    for finding in findings:
        key = (-SEVERITIES.index(finding.severity), finding.code)
        if key in rules:
            rules[key] = replace(rules[key], n=rules[key].n + 1)
        else:
            rules[key] = _RuleFindings(finding)
    return [rules[key] for key in sorted(rules)]


def _format_counts(rules: Iterable[_RuleFindings], audit: Audit) -> str:
    counts: dict[str, int] = dict.fromkeys(SEVERITIES, 0)
    for rule in rules:
        counts[rule.first.severity] += rule.n
    n = sum(counts.values())
    if not n:
        return fill("No new findings; {known:,} known before.", known=audit.in_baseline)
    return fill(
        (
            "New findings: {n:,} ({error:,} {error:error|errors}, {warning:,} "
            "{warning:warning|warnings}, {info:,} info); {known:,} known before."
        ),
        n=n,
        **counts,
        known=audit.in_baseline,
    )


def _format_rule(rule: _RuleFindings) -> str:
    finding = rule.first
    position = ":".join(str(part) for part in (finding.place.file, finding.place.line) if part is not None)
    place = ", ".join(part for part in (position, describe_location(finding.place)) if part)
    line = f"new: {finding.severity} {finding.code}, {place}: {finding.message}"
    return count_places(line, rule.n - 1)


def count_places(line: str, more: int) -> str:
    """Return the line of a finding, and after it in how many more places there is one."""
    if not more:
        return line
    return fill("{finding} (and {n:,} more {n:place|places})", finding=line, n=more)


def _format_markdown(text: str) -> str:
    """Return a line of Markdown that shows the same words, cut off where it is very long."""
    if len(text) <= LONGEST_LINE:
        short = text
    else:
        short = f"{text[:LONGEST_LINE]}…"
    return MENTIONS.sub("\\1&#8203;", markdown.line(short))
