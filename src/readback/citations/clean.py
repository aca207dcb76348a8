"""A text made fit for searching, which remembers where each character stood: markup out, white space evened."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from readback.citations import markup
from readback.citations.markup import Cut, joined

Step = Literal["html", "inline_whitespace", "all_whitespace", "underscores", "xml"]

BLANKS = re.compile(r"[\s\u200b]+")
UNDERSCORES = re.compile(r"_{2,}")
SOFT_HYPHEN = re.compile(r"\u00ad(?:[ \t]*\r?\n[ \t]*)?")  # a word that a line break cut
DASH = re.compile(r"(?<=\d)[\u2012\u2013](?=\d)")
READ_WRONG = re.compile(r"\b([A-Z]),([A-Z]),(?= \d)")  # `1 U,S, 1`: a scan's commas where the reporter has dots


@dataclass(frozen=True, slots=True)
class Clean:
    """`text` is searched. It is made of stretches: where each begins here (`edges`) and in the text before (`origins`).

    `lengths` of a stretch that stands for something else, such as `&` for `&amp;`, is the length of what it is
    for; of one that is as it was 0. `made_of` is the text before where that was made of another one, None where it is
    the original. `emphasised` are stretches of `text`, by their characters.
    """

    text: str
    edges: tuple[int, ...]
    origins: tuple[int, ...]
    lengths: tuple[int, ...]
    made_of: Clean | None = None
    emphasised: tuple[tuple[int, int], ...] = ()

    def start(self, at: int) -> int:
        """Where a stretch that begins `at` a character of the clean text begins in the original."""
        index = bisect_right(self.edges, at) - 1
        before = self.origins[index] + (0 if self.lengths[index] else at - self.edges[index])
        return self.made_of.start(before) if self.made_of else before

    def end(self, at: int) -> int:
        """Where one that ends before character `at` ends."""
        if not at:
            return 0
        index = bisect_right(self.edges, at - 1) - 1
        before = self.origins[index] + (self.lengths[index] or at - self.edges[index])
        return self.made_of.end(before) if self.made_of else before

    def here(self, origin: int) -> int:
        """Where the character of the original, or the first one kept behind it, is in the clean text."""
        before = self.made_of.here(origin) if self.made_of else origin
        index = bisect_right(self.origins, before) - 1
        beyond = self.edges[index + 1] if index + 1 < len(self.edges) else len(self.text)
        offset = before - self.origins[index]
        return min(beyond, self.edges[index] + (0 if self.lengths[index] and not offset else offset))


def clean(text: str, steps: Collection[str] = ()) -> Clean:
    """The text to search. Runs of white space become one blank, or one newline between paragraphs.

    Markup is taken out where there is any. `steps` are what eyecite calls its clean steps: with `html` every tag is
    one, `all_whitespace` forgets paragraphs.
    """
    found = markup.read(text, "html" in steps or "xml" in steps)
    cuts: list[Cut] = [(hit.start(), hit.end(), "") for hit in SOFT_HYPHEN.finditer(text)]
    if "underscores" in steps:
        cuts += ((hit.start(), hit.end(), "") for hit in UNDERSCORES.finditer(text))
    cuts = joined([*cuts, *found.cuts])
    made = _apply(text, cuts)
    paragraphs = "all_whitespace" not in steps
    evened = _apply(
        made.text,
        [(hit.start(), hit.end(), _blank(hit[0], paragraphs)) for hit in BLANKS.finditer(made.text) if hit[0] != " "],
    )
    searched = DASH.sub("-", READ_WRONG.sub(r"\1.\2.", evened.text))  # as many characters as before
    whole = Clean(searched, evened.edges, evened.origins, evened.lengths, made if cuts else None)
    emphasised = sorted({(whole.here(start), whole.here(end)) for start, end in found.emphasised})
    return Clean(searched, evened.edges, evened.origins, evened.lengths, whole.made_of, tuple(emphasised))


def _blank(run: str, paragraphs: bool) -> str:
    return "\n" if paragraphs and (run.count("\n") > 1 or "\f" in run) else " "


def _apply(text: str, cuts: list[Cut]) -> Clean:
    parts: list[str] = []
    edges, origins, lengths = [0], [0], [0]
    at = length = 0
    for start, end, instead in cuts:
        parts += (text[at:start], instead)
        length += start - at
        if instead:
            edges.append(length)
            origins.append(start)
            lengths.append(end - start)
            length += len(instead)
        edges.append(length)
        origins.append(end)
        lengths.append(0)
        at = end
    return Clean("".join((*parts, text[at:])), tuple(edges), tuple(origins), tuple(lengths))
