"""Clean a text for searching: remove markup, normalise white space, and map offsets back to the original."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

from readback.citations import markup
from readback.citations.markup import Cut, merge_cuts

Step = Literal["html", "inline_whitespace", "all_whitespace", "underscores", "xml"]

BLANKS = re.compile(r"[\s\u200b]+")
UNDERSCORES = re.compile(r"_{2,}")
SOFT_HYPHEN = re.compile(r"\u00ad(?:[ \t]*\r?\n[ \t]*)?")  # a word that a line break cut
DASH = re.compile(r"(?<=\d)[\u2012\u2013](?=\d)")
READ_WRONG = re.compile(r"\b([A-Z]),([A-Z]),(?= \d)")  # `1 U,S, 1`: a scan's commas where the reporter has dots


@dataclass(frozen=True, slots=True)
class Clean:
    """A cleaned text with the map to its original.

    `text` consists of stretches; `edges` holds where each begins in `text`, `origins` where it begins in the text
    before cleaning. `lengths` is 0 for an unchanged stretch; for a replacement, such as `&` for `&amp;`, it is the
    length of the replaced text. `previous` is the text before cleaning where that was itself cleaned, None where it is
    the original. `emphasised` holds the spans of `text` that the markup emphasises.
    """

    text: str
    edges: tuple[int, ...]
    origins: tuple[int, ...]
    lengths: tuple[int, ...]
    previous: Clean | None = None
    emphasised: tuple[tuple[int, int], ...] = ()

    def original_start(self, offset: int) -> int:
        """Return where a span that begins at `offset` of the clean text begins in the original."""
        index = bisect_right(self.edges, offset) - 1
        origin = self.origins[index]
        if not self.lengths[index]:
            origin += offset - self.edges[index]
        if self.previous:
            return self.previous.original_start(origin)
        return origin

    def original_end(self, offset: int) -> int:
        """Return where a span that ends before `offset` of the clean text ends in the original."""
        if not offset:
            return 0
        index = bisect_right(self.edges, offset - 1) - 1
        origin = self.origins[index] + (self.lengths[index] or offset - self.edges[index])
        if self.previous:
            return self.previous.original_end(origin)
        return origin

    def find_clean_offset(self, origin: int) -> int:
        """Return the clean offset of the original's character, or of the first one behind it that was not removed."""
        if self.previous:
            previous_offset = self.previous.find_clean_offset(origin)
        else:
            previous_offset = origin
        index = bisect_right(self.origins, previous_offset) - 1
        if index + 1 < len(self.edges):
            stretch_end = self.edges[index + 1]
        else:
            stretch_end = len(self.text)
        into_stretch = previous_offset - self.origins[index]
        return min(stretch_end, self.edges[index] + into_stretch)


def clean_text(text: str, steps: Collection[str] = ()) -> Clean:
    """Return the text to search: without markup, runs of white space as one blank, or one newline between paragraphs.

    `steps` are named like eyecite's clean steps: with `html` every well-formed tag counts as markup, `all_whitespace`
    removes paragraphs too.
    """
    markup_of_text = markup.read_markup(text, "html" in steps or "xml" in steps)
    cuts: list[Cut] = [(match.start(), match.end(), "") for match in SOFT_HYPHEN.finditer(text)]
    if "underscores" in steps:
        cuts += ((match.start(), match.end(), "") for match in UNDERSCORES.finditer(text))
    cuts = merge_cuts([*cuts, *markup_of_text.cuts])
    without_markup = _apply_cuts(text, cuts)
    paragraphs = "all_whitespace" not in steps
    blank_cuts: list[Cut] = []
    for match in BLANKS.finditer(without_markup.text):
        if match[0] != " ":
            blank_cuts.append((match.start(), match.end(), _replace_blanks(match[0], paragraphs)))
    normalised = _apply_cuts(without_markup.text, blank_cuts)
    searched = DASH.sub("-", READ_WRONG.sub(r"\1.\2.", normalised.text))  # as many characters as before
    cleaned = Clean(
        searched, normalised.edges, normalised.origins, normalised.lengths, without_markup if cuts else None
    )
    emphasised = sorted(
        {(cleaned.find_clean_offset(start), cleaned.find_clean_offset(end)) for start, end in markup_of_text.emphasised}
    )
    return replace(cleaned, emphasised=tuple(emphasised))


def _replace_blanks(run: str, paragraphs: bool) -> str:
    if paragraphs and (run.count("\n") > 1 or "\f" in run):
        return "\n"
    return " "


def _apply_cuts(text: str, cuts: list[Cut]) -> Clean:
    parts: list[str] = []
    edges, origins, lengths = [0], [0], [0]
    position = length = 0
    for start, end, replacement in cuts:
        parts += (text[position:start], replacement)
        length += start - position
        if replacement:
            edges.append(length)
            origins.append(start)
            lengths.append(end - start)
            length += len(replacement)
        edges.append(length)
        origins.append(end)
        lengths.append(0)
        position = end
    return Clean("".join((*parts, text[position:])), tuple(edges), tuple(origins), tuple(lengths))
