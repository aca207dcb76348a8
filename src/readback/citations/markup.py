"""Find the markup of a text: tags and entities of HTML and XML, the emphasis of Markdown, and emphasised spans.

A text with a known tag of HTML counts as HTML, and every well-formed tag in it as a tag. It is read in one pass,
without building a tree: a million open tags cost no more than a million words.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from html import unescape

from readback.citations.name_words import words

# A tag ends within 2,000 characters: so no text is searched again and again for a missing `>`.
TAG = re.compile(
    r"<(?:(?P<comment>!--)|(?P<close>/)?(?P<name>[A-Za-z][\w:.-]{0,40})(?P<rest>[\s/][^<>]{0,2000})?|"
    r"[!?][A-Za-z\[][^<>]{0,2000})(?(comment)|>)"
)
KNOWN = words(
    """
    a article b blockquote body br center cite code dd div dl dt em font footer h1 h2 h3 h4 h5 h6 head header hr html i
    li main ol p page-number pre section small span strong style sub sup table tbody td th thead title tr u ul
    """
)
PARAGRAPH = words("p div li ul ol tr h1 h2 h3 h4 h5 h6 blockquote section article table center dd dt")
HIDDEN = frozenset(("style", "script", "head", "page-number"))  # their content is not part of the sentence
PAGE = re.compile(r"""\bclass\s*=\s*["']?star-pagination\b""", re.IGNORECASE)  # the page numbers of reprints
LONGEST_PAGE = 200  # characters of such a page number
EMPHASIS = frozenset(("em", "i", "cite", "u"))
ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
# `*Smith v. Jones*`, `**…**`, `_…_`: one to three marks that touch a word, and as many behind it. A star before a
# page (`2015 WL 237, at *3`) has none behind it, and blanks for a number (`___ U.S. ___`) touch no word.
OPENING = r"""(?=[^\W\d_]|["“‘'(\[§])"""
MARKDOWN = tuple(
    re.compile(
        rf"(?<![\w\\{mark}])({mark}{{1,3}}){OPENING}((?:[^{mark}\n]|\n(?![ \t]*\n)){{1,300}}?)(?<!\s)\1(?![\w{mark}])"
    )
    for mark in (r"\*", "_")
)
DEEPEST = 200  # open tags of emphasis within each other that are remembered

Cut = tuple[int, int, str]  # start and end of what is cut out, and its replacement


@dataclass(frozen=True, slots=True)
class Markup:
    """The cuts that remove a text's markup, and its emphasised spans, in any order."""

    cuts: list[Cut]
    emphasised: list[tuple[int, int]]


def read_markup(text: str, tags: bool = False) -> Markup:
    """Return the markup of a text. With `tags`, every well-formed tag counts, even where none is a known HTML tag."""
    markup = Markup([], [])
    if tags or 0 <= text.find("<!--") < text.rfind("-->") or any(map(_is_html_tag, TAG.finditer(text))):
        _read_html(text, markup)
    for entity in ENTITY.finditer(text):
        character = unescape(entity[0])
        if character != entity[0]:
            markup.cuts.append((entity.start(), entity.end(), character))
    for pattern in MARKDOWN:
        for match in pattern.finditer(text):
            markup.cuts.extend(((match.start(1), match.end(1), ""), (match.end(2), match.end(), "")))
            if len(match[1]) != 2:  # two marks are bold: headings and names of speakers
                markup.emphasised.append(match.span(2))
    return markup


def merge_cuts(cuts: Collection[Cut]) -> list[Cut]:
    """Return the cuts in order of their places, without those that begin within the cut before."""
    merged: list[Cut] = []
    for cut in sorted(cuts, key=lambda cut: (cut[0], -cut[1])):
        if not merged or cut[0] >= merged[-1][1]:
            merged.append(cut)
    return merged


def _is_html_tag(match: re.Match[str]) -> bool:
    """Return whether a match is certainly a tag of HTML: `x <p and q> y` has none."""
    rest = match["rest"] or ""
    return (match["name"] or "").lower() in KNOWN and (not rest.strip(" /\n") or "=" in rest)


def _read_html(text: str, markup: Markup) -> None:
    """Add the cuts and emphasised spans of the tags of a text to `markup`."""
    open_tags: list[tuple[str, int]] = []
    unclosed: set[str] = set()  # names without a closing tag in the rest of the text: not searched again
    position = 0
    while match := TAG.search(text, position):
        if match["comment"]:
            name = "--"
        else:
            name = (match["name"] or "").lower()
        position = match.end()
        if name in unclosed:
            stop = -1
        else:
            stop = _find_hidden_end(text, match, name)
        if stop >= 0:
            markup.cuts.append((match.start(), stop, "" if name == "--" else " "))
            position = stop
            continue
        if name == "--" or (name in HIDDEN and not match["close"]):
            unclosed.add(name)
        if name != "--":
            markup.cuts.append((match.start(), position, _choose_replacement(text, name, position)))
        if name in EMPHASIS:
            _track_emphasis(match, name, open_tags, markup)


def _find_hidden_end(text: str, match: re.Match[str], name: str) -> int:
    """Return the end of the text that a tag hides; -1 where it hides nothing."""
    if name == "--":
        stop = text.find("-->", match.end())
        if stop >= 0:
            return stop + 3
        return -1
    rest = match["rest"] or ""
    is_page_number = name not in HIDDEN
    if match["close"] or rest.endswith("/") or (is_page_number and not PAGE.search(rest)):
        return -1
    closing = re.compile(rf"</{re.escape(name)}\s*>", re.IGNORECASE)
    closing_match = closing.search(text, match.end(), match.end() + LONGEST_PAGE if is_page_number else len(text))
    if closing_match is None:
        return -1
    return closing_match.end()


def _track_emphasis(match: re.Match[str], name: str, open_tags: list[tuple[str, int]], markup: Markup) -> None:
    if not match["close"]:
        if len(open_tags) < DEEPEST:
            open_tags.append((name, match.end()))
    elif open_tags and open_tags[-1][0] == name:
        markup.emphasised.append((open_tags.pop()[1], match.start()))


def _choose_replacement(text: str, name: str, end: int) -> str:
    """Return the replacement of a tag that ends at `end`.

    A paragraph where a block begins or ends; a blank where two tags meet: `Moy</em><em>v.` are two words.
    """
    if name in PARAGRAPH:
        return "\n\n"
    if name == "br" or text.startswith("<", end):
        return " "
    return ""
