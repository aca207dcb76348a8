"""Entries as Markdown that any reader shows as the same words: nothing in an excerpt or a message becomes markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from readback.bookmarks.entry import Entry, Excerpt

Words = Mapping[str, str]  # sentences of the page by name, with places: see NAMES
NAMES = ("link", "left_before", "left_after", "spelled", "workspace", "error", "warning", "info")
SPECIAL = re.compile(r"[\\`*_\[\]<>&~|$!]|(?<=[a-z]):(?=//)|(?<=\bwww)\.", re.IGNORECASE)
OPENING = re.compile(r"^(\d*)([-#+=.)])")  # makes a heading or a list at the beginning of a line
# What no reader of Markdown keeps (a lone CR is a line end to it), or what turns the direction of what follows.
UNKEPT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def line(text: str) -> str:
    """A text as one line of Markdown that shows the same words."""
    inner = SPECIAL.sub(lambda found: f"\\{found[0]}", " ".join(spelling(text).split()))
    return OPENING.sub(r"\1\\\2", inner)


def spelling(text: str) -> str:
    """The text with what Markdown cannot carry written out: NUL as `\\u0000`."""
    return UNKEPT.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def fence(text: str) -> str:
    """The text between fences that are longer than any in it."""
    runs = (len(run) for run in re.findall("`+", text))
    bar = "`" * max(3, max(runs, default=0) + 1)
    return f"{bar}text\n{text}\n{bar}"


def entry(one: Entry, words: Words) -> str:
    """One entry: the sentence, facts, excerpts, the link and the fingerprints."""
    said = f"{words[one.severity]}: " if one.severity else ""
    title = line(one.title)
    head = f"**{said.rstrip()}** {title}" if said else title
    facts = "\n".join(f"- {line(fact)}" for fact in one.facts)
    return "\n\n".join(part for part in (head, facts, *_excerpts(one, words), _foot(one, words)) if part) + "\n"


def _excerpts(one: Entry, words: Words) -> Iterator[str]:
    for part in one.excerpts:
        shown = spelling(part.text)
        remarks = [line(part.label), left(part, words), words["spelled"] if shown != part.text else ""]
        if said := "; ".join(remark for remark in remarks if remark):
            yield f"*{said}*" if part.label else f"({said})"
        yield fence(shown)


def left(part: Excerpt, words: Words) -> str:
    """What is left out around an excerpt, in words; "" where it is the whole text."""
    sides = (("left_before", part.before), ("left_after", part.after))
    return "; ".join(words[side].format(n=f"{count:,}") for side, count in sides if count)


def _foot(one: Entry, words: Words) -> str:
    lines = [f"{words['workspace']}: {line(one.workspace)}"] if one.workspace else []
    lines += [f"{line(label)}: `{digest}`" for label, digest in one.fingerprints]
    lines += [f"[{words['link']}](<{target(one.link)}>)"] if one.link else []
    return "  \n".join(lines)


def target(link: str) -> str:
    """An address for a link: what would end it, or cannot be written, is in percents."""
    ends = re.compile(rf"[\s<>\\\"`]|{UNKEPT.pattern}")
    return ends.sub(lambda found: quote(found[0].encode("utf-8", "surrogatepass")), link)
