"""Show rules as pages: one for a terminal, all of them as Markdown, one as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from readback.checks.rule import Files, Rule
from readback.checks.rules import AREAS, RULES

LONGEST = 700  # characters of an example file that a page shows
WIDTH = 120  # of a line of a terminal
HEAD = """# Rules

What Readback looks for. This page is made by `make docs` from `src/readback/catalogue/en.yml` and the rules in
`src/readback/checks/rules/`; each example below is one of their tests. `readback rule CODE` shows one rule.

Severities: *error*, the prompt that is sent is wrong or cannot be built; *warning*, probably not intended;
*info*, worth knowing.
"""


def format_rules_page() -> str:
    """Return the page of all rules as Markdown: a table of them, then one section for each, by area."""
    sections = [HEAD]
    for area, name in AREAS.items():
        rules = [rule for code, rule in RULES().items() if code.startswith(f"{area}-")]
        if rules:
            sections.append(f"# {name[0].upper()}{name[1:]}\n")
            sections.append("".join(f"- [{rule.code}](#{rule.code}): {rule.title}\n" for rule in rules))
            sections.extend(format_markdown(rule) for rule in rules)
    return "\n".join(section.rstrip("\n") + "\n" for section in sections)


def format_markdown(rule: Rule) -> str:
    """Return one section of the page of all rules."""
    paragraphs = "\n\n".join(map(_wrap, rule.paragraphs))
    head = (f"## {rule.code}", "", f"**{rule.title}** Severity: {rule.severity}.", "", paragraphs, "")
    words = (f"Sentence: `{mark_optional_parts(rule.sentence)}`", "", f"Fix: {mark_optional_parts(rule.fix)}", "")
    return "\n".join((*head, *words, *_format_examples(rule, "    ")))


def format_text(rule: Rule) -> str:
    """Return what the rule finds, why it matters and how to fix it, then its examples, for a terminal."""
    paragraphs = "\n\n".join(_wrap(paragraph) for paragraph in (rule.title, *rule.paragraphs))
    return "\n".join((f"{rule.code} ({rule.severity})", "", paragraphs, "", *_format_examples(rule, "  ")))


def describe_rule(rule: Rule) -> dict[str, Any]:
    """Return a rule as JSON: {"code", "severity", "on", "title", "what", "why", "how", "sentence", "fix"}."""
    what, why, how = (*rule.paragraphs, "", "", "")[:3]
    return {
        "code": rule.code,
        "severity": rule.severity,
        "on": list(rule.on),
        "title": rule.title,
        "what": what,
        "why": why,
        "how": how,
        "sentence": mark_optional_parts(rule.sentence),
        "fix": mark_optional_parts(rule.fix),
    }


def mark_optional_parts(sentence: str) -> str:
    """Return a sentence with single brackets around the parts that are left out where their values are empty."""
    return sentence.replace("[[", "[").replace("]]", "]")


def _wrap(paragraph: str) -> str:
    return textwrap.fill(paragraph, WIDTH, break_long_words=False, break_on_hyphens=False)


def _format_examples(rule: Rule, indent: str) -> Iterator[str]:
    for title, examples in (("Found here:", rule.fails), ("Not found here:", rule.passes)):
        for files in examples:
            yield from (title, "")
            yield from (f"{indent}{line}".rstrip() for line in _format_files(files))
            yield ""


def _format_files(files: Files) -> Iterator[str]:
    for name, content in files.items():
        yield f"--- {name}"
        if isinstance(content, str):
            text = content
        else:
            text = repr(content)
        if len(text) > LONGEST:
            text = f"{text[:LONGEST]}… ({len(text):,} in all)"
        for line in text.removesuffix("\n").split("\n"):
            # Pages are plain text: what a terminal or an editor would act on is spelled out.
            yield line if line.isprintable() else line.encode("unicode_escape").decode()
