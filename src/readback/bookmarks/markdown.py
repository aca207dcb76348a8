"""Format entries as Markdown; every reader shows the same words, and nothing in an excerpt becomes markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from readback.bookmarks.entry import Entry, Excerpt

Words = Mapping[str, str]  # the page's sentences by name (see NAMES), with places to fill
NAMES = ("link", "left_before", "left_after", "spelled", "workspace", "error", "warning", "info")
SPECIAL = re.compile(r"[\\`*_\[\]<>&~|$!]|(?<=[a-z]):(?=//)|(?<=\bwww)\.", re.IGNORECASE)
OPENING = re.compile(r"^(\d*)([-#+=.)])")  # makes a heading or a list at the beginning of a line
# Characters that no reader of Markdown keeps (a lone CR is a line end to it), or that turn the direction of text.
UNKEPT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def line(text: str) -> str:
    """Return one line of Markdown that shows the same words."""
    inner = SPECIAL.sub(lambda match: f"\\{match[0]}", " ".join(spelling(text).split()))
    return OPENING.sub(r"\1\\\2", inner)


def spelling(text: str) -> str:
    """Return the text with the characters escaped that Markdown cannot carry: NUL as `\\u0000`."""
    return UNKEPT.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def fence(text: str) -> str:
    """Return the text between fences that are longer than any in it."""
    runs = (len(run) for run in re.findall("`+", text))
    bar = "`" * max(3, max(runs, default=0) + 1)
    return f"{bar}text\n{text}\n{bar}"


def format_entry(entry: Entry, words: Words) -> str:
    """Return the Markdown of an entry: its sentence, facts, excerpts, link and fingerprints."""
    if entry.severity:
        severity = f"{words[entry.severity]}: "
    else:
        severity = ""
    title = line(entry.title)
    if severity:
        head = f"**{severity.rstrip()}** {title}"
    else:
        head = title
    facts = "\n".join(f"- {line(fact)}" for fact in entry.facts)
    return (
        "\n\n".join(part for part in (head, facts, *_format_excerpts(entry, words), _format_foot(entry, words)) if part)
        + "\n"
    )


def _format_excerpts(entry: Entry, words: Words) -> Iterator[str]:
    for excerpt in entry.excerpts:
        spelled = spelling(excerpt.text)
        remarks = [
            line(excerpt.label),
            describe_omissions(excerpt, words),
            words["spelled"] if spelled != excerpt.text else "",
        ]
        if caption := "; ".join(remark for remark in remarks if remark):
            yield f"*{caption}*" if excerpt.label else f"({caption})"
        yield fence(spelled)


def describe_omissions(excerpt: Excerpt, words: Words) -> str:
    """Return how much is left out before and behind an excerpt, in words; "" where it is the whole text."""
    sides = (("left_before", excerpt.before), ("left_after", excerpt.after))
    return "; ".join(words[side].format(n=f"{count:,}") for side, count in sides if count)


def _format_foot(entry: Entry, words: Words) -> str:
    if entry.workspace:
        lines = [f"{words['workspace']}: {line(entry.workspace)}"]
    else:
        lines = []
    lines += [f"{line(label)}: `{digest}`" for label, digest in entry.fingerprints]
    lines += [f"[{words['link']}](<{quote_link(entry.link)}>)"] if entry.link else []
    return "  \n".join(lines)


def quote_link(link: str) -> str:
    """Return an address for a link, with the characters percent-encoded that would end it or cannot be written."""
    ends = re.compile(rf"[\s<>\\\"`]|{UNKEPT.pattern}")
    return ends.sub(lambda match: quote(match[0].encode("utf-8", "surrogatepass")), link)
