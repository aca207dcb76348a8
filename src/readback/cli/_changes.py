"""What a change does to the prompts: as JSON, as lines for people, and as a comment for a pull request."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from readback.bookmarks import markdown
from readback.checks.summary import Audit
from readback.cli import _lines
from readback.cli._sentence import fill
from readback.compare import as_text
from readback.review import lock_check, lock_file
from readback.review.changes import Change
from readback.review.lock_check import Line
from readback.types import Finding

SENTENCES_CI = {
    "line_new": "new",
    "line_gone": "no longer there",
}

SHOWN = 20  # lines of prompts, and rules, in a comment
WAYS = 5  # kinds of change that are listed for a line
LONGEST = 500  # characters of a line of a comment: a forge takes 65,536 in all
CALLS = re.compile(r"([@#])(?=\w)")  # what a forge takes for a person or an issue, and tells them


@dataclass(frozen=True, slots=True)
class Before:
    """What is compared with: a revision, the keys of all its findings, and the texts that are no longer the same.

    `unsaid` says why there are no texts to compare; "" where there are.
    """

    rev: str
    keys: frozenset[str]
    lines: tuple[Line, ...] = ()
    unsaid: str = ""

    def values(self) -> dict[str, Any]:
        """{"rev", "prompts", "prompts_unsaid"}"""
        return {"rev": self.rev, "prompts": list(map(prompt, self.lines)), "prompts_unsaid": self.unsaid or None}

    def told(self) -> Iterator[str]:
        """What changed since the revision, for a terminal."""
        yield ""
        yield _head(self)
        yield from lines(self.lines, "  ")

    def comment(self, found: Iterable[Finding], audit: Callable[[], Audit]) -> Iterator[str]:
        """Markdown for a pull request: the prompts that change, then the new findings by rule.

        `audit` answers the summary once `found` has ended. Nothing of a prompt becomes markup, or calls a person or an
        issue.
        """
        yield f"### {_shown(fill('Prompts and findings since {rev}', rev=self.rev))}"
        yield ""
        yield _shown(_head(self))
        if self.lines:
            yield ""
        yield from lines(self.lines[:SHOWN], "- ", _shown)
        if (more := len(self.lines) - SHOWN) > 0:
            yield f"- {_shown(fill('{n:,} more {n:group|groups} of texts changed; --format json has all', n=more))}"
        rules = _by_rule(found)
        yield ""
        yield _shown(_count(rules, audit()))
        if rules:
            yield ""
        for one in list(rules.values())[:SHOWN]:
            yield f"- {_shown(_rule(one))}"
        if (more := len(rules) - SHOWN) > 0:
            yield f"- {_shown(fill('{n:,} more {n:rule|rules} with new findings; --format text has all', n=more))}"


def change(made: Change) -> dict[str, Any]:
    """The counts of `readback diff --records`, and {"sentences": {words: n}, "examples": {words: [records]}, …}."""
    examples = {
        words: [{"index": index, "id": called} for index, called in records] for words, records in made.examples.items()
    }
    counted = as_text.make_count_values(made.counted)
    return {**counted, "sentences": dict(made.sentences), "looked_at": made.looked_at, "examples": examples}


def prompt(line: Line) -> dict[str, Any]:
    """{"what", "layer", "state", "differ", "said", "change"} of a text that is not the same; `change` may be null."""
    return {
        "what": lock_file.head(line.subject),
        "layer": line.subject.layer,
        "state": line.state,
        "differ": line.change.counted.differing if line.change else line.differ,
        "said": said(line),
        "change": change(line.change) if line.change else None,
    }


def said(line: Line) -> str:
    """What became of a text, in words; of a revision or a sign-off as of a lock."""
    if line.before is None or line.now is None:
        return SENTENCES_CI["line_new" if line.before is None else "line_gone"]
    return lock_check.describe_change(line)


def lines(found: Iterable[Line], mark: str, shown: Callable[[str], str] = str) -> Iterator[str]:
    """A line for each text, and below it the kinds of change with examples; `mark` begins a line, `shown` writes it."""
    for one in found:
        changed = fill("{line}: {said}", line=lock_file.head(one.subject), said=said(one))
        yield f"{mark}{shown(changed)}"
        if one.change:
            yield from (f"  {mark}{shown(way)}" for way in _ways(one.change))


def _ways(made: Change) -> Iterator[str]:
    """The kinds of change, the most frequent first, each with records that have it."""
    several = len(made.sentences) > 1
    for words, n in list(made.sentences.items())[:WAYS]:
        named = ", ".join(str(index if called is None else called) for index, called in made.examples.get(words, ()))
        way = fill(
            "{n:,} {n:prompt|prompts}: {change}; for example {records}", n=n, change=words.rstrip("."), records=named
        )
        yield way if several else fill("for example {records}", records=named)
    if (more := len(made.sentences) - WAYS) > 0:
        yield fill("{n:,} more {n:kind|kinds} of change; --format json has all", n=more)


def _head(made: Before) -> str:
    if made.unsaid:
        return fill("The prompts cannot be compared with those of {rev}: {why}.", rev=made.rev, why=made.unsaid)
    if not made.lines:
        return fill("Since {rev} the prompts did not change, byte for byte.", rev=made.rev)
    return fill(
        ("Since {rev} the prompts changed in {n:,} {n:group|groups} of texts (A is the text then, B the text now):"),
        rev=made.rev,
        n=len(made.lines),
    )


@dataclass(frozen=True, slots=True)
class _Rule:
    """The first finding of a rule and a severity, and how many there are."""

    first: Finding
    n: int = 1


def _by_rule(found: Iterable[Finding]) -> Mapping[tuple[str, str], _Rule]:
    """What is new, by severity, the worst first, and rule."""
    rules: dict[tuple[str, str], _Rule] = {}
    for one in found:
        key = (one.severity, one.code)
        rules[key] = replace(rules[key], n=rules[key].n + 1) if key in rules else _Rule(one)
    order = {key: (-_lines.RANK.index(key[0]), key[1]) for key in rules}
    return {key: rules[key] for key in sorted(rules, key=order.__getitem__)}


def _count(rules: Mapping[tuple[str, str], _Rule], audit: Audit) -> str:
    counts = {name: sum(one.n for (severity, _), one in rules.items() if severity == name) for name in _lines.RANK}
    n = sum(counts.values())
    return fill(
        (
            "New findings: {n:,} ({error:,} {error:error|errors}, {warning:,} "
            "{warning:warning|warnings}, {info:,} info); {known:,} known before."
        )
        if n
        else "No new findings; {known:,} known before.",
        n=n,
        **counts,
        known=audit.known,
    )


def _rule(one: _Rule) -> str:
    at = one.first.place
    where = ":".join(str(part) for part in (at.file, at.line) if part is not None)
    about = ", ".join(part for part in (where, _lines.about(at)) if part)
    named = {"severity": one.first.severity, "code": one.first.code, "message": one.first.message}
    line = fill("{state}: {severity} {code}, {place}: {message}", state="new", place=about, **named)
    return fill("{finding} (and {n:,} more {n:place|places})", finding=line, n=one.n - 1) if one.n > 1 else line


def _shown(text: str) -> str:
    """A line of Markdown that shows the same words, cut off where it is very long."""
    short = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    return CALLS.sub("\\1&#8203;", markdown.line(short))
