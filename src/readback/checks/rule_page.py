"""One rule as a page: as text for a terminal, as Markdown for the page of all rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import cleandoc
from types import ModuleType

LONGEST = 700  # characters of an example file that a page shows


def text(rule: ModuleType) -> str:
    """What the rule finds, why it matters and how to fix it, then its examples."""
    return "\n".join((f"{rule.CODE} ({rule.SEVERITY})", "", cleandoc(rule.__doc__ or ""), "", *_examples(rule, "  ")))


def markdown(rule: ModuleType) -> str:
    """The same, as a section of the page of all rules."""
    title, _, rest = cleandoc(rule.__doc__ or "").partition("\n")
    head = (f"## {rule.CODE}", "", f"**{title}** Severity: {rule.SEVERITY}.", "", rest.strip(), "")
    said = (f"Sentence: `{shown(rule.SENTENCE)}`", "", f"Fix: {shown(rule.FIX)}", "")
    return "\n".join((*head, *said, *_examples(rule, "    ")))


def shown(sentence: str) -> str:
    """A sentence with the parts that are left out where they would say nothing in single brackets."""
    return sentence.replace("[[", "[").replace("]]", "]")


def _examples(rule: ModuleType, indent: str) -> Iterator[str]:
    for title, examples in (("Found here:", rule.FAIL), ("Not found here:", rule.PASS)):
        for files in examples:
            yield from (title, "")
            yield from (f"{indent}{line}".rstrip() for line in _files(files))
            yield ""


def _files(files: Mapping[str, str | bytes]) -> Iterator[str]:
    for name, content in files.items():
        yield f"--- {name}"
        shown = content if isinstance(content, str) else repr(content)
        shown = shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}… ({len(content):,} in all)"
        # Pages are plain text: what a terminal or an editor would act on is spelled out.
        yield from (
            line.encode("unicode_escape").decode() if not line.isprintable() else line
            for line in shown.removesuffix("\n").split("\n")
        )
