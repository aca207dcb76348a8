"""A text made fit for searching, which remembers where each character stood: markup out, white space evened."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass
from html import unescape
from typing import Literal

Step = Literal["html", "inline_whitespace", "all_whitespace", "underscores", "xml"]

# What is in these elements is not part of the sentence: styles, scripts, and the page numbers of reprints.
# A tag ends within 2,000 characters, or it is none: so no text is searched again and again for a lost `>`.
UNSEEN = re.compile(
    r"<(style|script|head|page-number)\b[^<>]{0,2000}>.{0,20000}?</\1\s*>"
    r"|<(\w+)\b[^<>]{0,2000}\bclass=[\"']star-pagination[\"'][^<>]{0,2000}>[^<]{0,200}</\2\s*>",
    re.IGNORECASE | re.DOTALL,
)
TAG = re.compile(r"<(?:!--.{0,20000}?--|[/!?]?[A-Za-z][^<>]{0,2000})>", re.DOTALL)
BLOCK = re.compile(r"</?(?:p|div|br|li|ul|ol|h\d|tr|td|blockquote|section)\b", re.IGNORECASE)
ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[A-Za-z]{2,31});")
BLANKS = re.compile(r"[\s\u200b]+")
UNDERSCORES = re.compile(r"_{2,}")
SOFT_HYPHEN = re.compile(r"\u00ad(?:[ \t]*\r?\n[ \t]*)?")  # a word that a line break cut
DASH = re.compile(r"(?<=\d)[\u2012\u2013](?=\d)")
READ_WRONG = re.compile(r"\b([A-Z]),([A-Z]),(?= \d)")  # `1 U,S, 1`: a scan's commas where the reporter has dots


@dataclass(frozen=True, slots=True)
class Clean:
    """`text` is searched; `edges` and `origins` say, for stretches of it, where they begin here and in the text before.

    `made_of` is that text where it was made of another one, None where it is the original.
    """

    text: str
    edges: tuple[int, ...]
    origins: tuple[int, ...]
    made_of: Clean | None = None

    def start(self, at: int) -> int:
        """Where a stretch that begins `at` a character of the clean text begins in the original."""
        index = bisect_right(self.edges, at) - 1
        before = self.origins[index] + at - self.edges[index]
        return self.made_of.start(before) if self.made_of else before

    def end(self, at: int) -> int:
        """Where one that ends before character `at` ends."""
        return self.start(at - 1) + 1 if at else 0


def clean(text: str, steps: Collection[str] = ()) -> Clean:
    """The text to search. Runs of white space become one blank, or one newline between paragraphs.

    `steps` are what eyecite calls its clean steps: `html` takes markup out, `all_whitespace` forgets paragraphs.
    """
    # What goes, and what stands there instead.
    cuts = [(hit.start(), hit.end(), "") for hit in SOFT_HYPHEN.finditer(text)]
    if "html" in steps or "xml" in steps:
        cuts = _joined([*cuts, *_markup(text)])
    if "underscores" in steps:
        cuts = _joined([*cuts, *((hit.start(), hit.end(), "") for hit in UNDERSCORES.finditer(text))])
    made = _apply(text, cuts)
    paragraphs = "all_whitespace" not in steps
    evened = _apply(
        made.text,
        [(hit.start(), hit.end(), _blank(hit[0], paragraphs)) for hit in BLANKS.finditer(made.text) if hit[0] != " "],
    )
    searched = DASH.sub("-", READ_WRONG.sub(r"\1.\2.", evened.text))  # as many characters as before
    return Clean(searched, evened.edges, evened.origins, made if cuts else None)


def _blank(run: str, paragraphs: bool) -> str:
    return "\n" if paragraphs and (run.count("\n") > 1 or "\f" in run) else " "


def _markup(text: str) -> list[tuple[int, int, str]]:
    unseen = [(hit.start(), hit.end(), " ") for hit in UNSEEN.finditer(text)]
    tags = [(hit.start(), hit.end(), _instead(text, hit)) for hit in TAG.finditer(text)]
    entities = [(hit.start(), hit.end(), unescape(hit[0])) for hit in ENTITY.finditer(text)]
    return _joined([*unseen, *tags, *entities])


def _instead(text: str, tag: re.Match[str]) -> str:
    """A blank where two tags meet or a block begins: `Moy</em><em>v.` are two words."""
    meets = text[tag.end() : tag.end() + 1] == "<" or BLOCK.match(tag[0])
    return " " if meets else ""


def _joined(cuts: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    kept: list[tuple[int, int, str]] = []
    for cut in sorted(cuts, key=lambda cut: (cut[0], -cut[1])):
        if not kept or cut[0] >= kept[-1][1]:
            kept.append(cut)
    return kept


def _apply(text: str, cuts: list[tuple[int, int, str]]) -> Clean:
    parts: list[str] = []
    edges, origins = [0], [0]
    at = length = 0
    for start, end, instead in cuts:
        parts += (text[at:start], instead)
        length += start - at
        if instead:
            edges.append(length)
            origins.append(start)
            length += len(instead)
        edges.append(length)
        origins.append(end)
        at = end
    return Clean("".join((*parts, text[at:])), tuple(edges), tuple(origins))
