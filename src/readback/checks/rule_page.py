"""One rule as a page: as text for a terminal, as Markdown for the page of all rules."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from readback.checks.rule import Files, Rule

LONGEST = 700  # characters of an example file that a page shows
WIDTH = 120  # of a line of a terminal


def text(rule: Rule) -> str:
    """What the rule finds, why it matters and how to fix it, then its examples."""
    said = (_wrapped(part) for part in (rule.title, *rule.paragraphs))
    return "\n".join((f"{rule.code} ({rule.severity})", "", "\n\n".join(said), "", *_examples(rule, "  ")))


def markdown(rule: Rule) -> str:
    """The same, as a section of the page of all rules."""
    rest = "\n\n".join(map(_wrapped, rule.paragraphs))
    head = (f"## {rule.code}", "", f"**{rule.title}** Severity: {rule.severity}.", "", rest, "")
    said = (f"Sentence: `{shown(rule.sentence)}`", "", f"Fix: {shown(rule.fix)}", "")
    return "\n".join((*head, *said, *_examples(rule, "    ")))


def shown(sentence: str) -> str:
    """A sentence with the parts that are left out where they would say nothing in single brackets."""
    return sentence.replace("[[", "[").replace("]]", "]")


def _wrapped(paragraph: str) -> str:
    return textwrap.fill(paragraph, WIDTH, break_long_words=False, break_on_hyphens=False)


def _examples(rule: Rule, indent: str) -> Iterator[str]:
    for title, examples in (("Found here:", rule.fails), ("Not found here:", rule.passes)):
        for files in examples:
            yield from (title, "")
            yield from (f"{indent}{line}".rstrip() for line in _files(files))
            yield ""


def _files(files: Files) -> Iterator[str]:
    for name, content in files.items():
        yield f"--- {name}"
        shown = content if isinstance(content, str) else repr(content)
        shown = shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}… ({len(content):,} in all)"
        # Pages are plain text: what a terminal or an editor would act on is spelled out.
        yield from (
            line.encode("unicode_escape").decode() if not line.isprintable() else line
            for line in shown.removesuffix("\n").split("\n")
        )
