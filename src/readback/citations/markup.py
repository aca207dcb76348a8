"""Markup in a text: the tags and entities of HTML and XML, the emphasis of Markdown, and what they emphasise.

What is read: a text with a known tag of HTML is taken for HTML, and every well-formed tag in it for one. Read in one
pass, without building a tree: a million open tags cost no more than a million words.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from html import unescape

from readback.citations.name_words import words

# A tag ends within 2,000 characters, or it is none: so no text is searched again and again for a lost `>`.
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
UNSEEN = frozenset(("style", "script", "head", "page-number"))  # what is in these is not part of the sentence
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

Cut = tuple[int, int, str]  # what goes, from and to, and what is there instead


@dataclass(frozen=True, slots=True)
class Markup:
    """What is to be cut out of a text, and the stretches of it that are emphasised, in any order."""

    cuts: list[Cut]
    emphasised: list[tuple[int, int]]


def read(text: str, tags: bool = False) -> Markup:
    """The markup of a text. `tags`: every tag is one, though none of them is known."""
    made = Markup([], [])
    if tags or 0 <= text.find("<!--") < text.rfind("-->") or any(map(_known, TAG.finditer(text))):
        _html(text, made)
    for entity in ENTITY.finditer(text):
        if (character := unescape(entity[0])) != entity[0]:
            made.cuts.append((entity.start(), entity.end(), character))
    for pattern in MARKDOWN:
        for hit in pattern.finditer(text):
            made.cuts.extend(((hit.start(1), hit.end(1), ""), (hit.end(2), hit.end(), "")))
            if len(hit[1]) != 2:  # two marks are bold: headings and names of speakers
                made.emphasised.append(hit.span(2))
    return made


def joined(cuts: Collection[Cut]) -> list[Cut]:
    """The cuts in their order, those that begin within another left out."""
    kept: list[Cut] = []
    for cut in sorted(cuts, key=lambda cut: (cut[0], -cut[1])):
        if not kept or cut[0] >= kept[-1][1]:
            kept.append(cut)
    return kept


def _known(hit: re.Match[str]) -> bool:
    """Whether it is certainly a tag of HTML: `x <p and q> y` is none."""
    rest = hit["rest"] or ""
    return (hit["name"] or "").lower() in KNOWN and (not rest.strip(" /\n") or "=" in rest)


def _html(text: str, made: Markup) -> None:
    opened: list[tuple[str, int]] = []
    lost: set[str] = set()  # what is not closed any more: not looked for again
    at = 0
    while hit := TAG.search(text, at):
        name, at = "--" if hit["comment"] else (hit["name"] or "").lower(), hit.end()
        stop = -1 if name in lost else _unseen(text, hit, name)
        if stop >= 0:
            made.cuts.append((hit.start(), stop, "" if name == "--" else " "))
            at = stop
            continue
        if name == "--" or (name in UNSEEN and not hit["close"]):
            lost.add(name)
        if name != "--":
            made.cuts.append((hit.start(), at, _instead(text, name, at)))
        if name in EMPHASIS:
            _emphasis(hit, name, opened, made)


def _unseen(text: str, hit: re.Match[str], name: str) -> int:
    """The end of what a tag takes out of sight; -1 for one that takes nothing."""
    if name == "--":
        stop = text.find("-->", hit.end())
        return stop + 3 if stop >= 0 else -1
    rest = hit["rest"] or ""
    page = name not in UNSEEN
    if hit["close"] or rest.endswith("/") or (page and not PAGE.search(rest)):
        return -1
    closing = re.compile(rf"</{re.escape(name)}\s*>", re.IGNORECASE)
    found = closing.search(text, hit.end(), hit.end() + LONGEST_PAGE if page else len(text))
    return found.end() if found else -1


def _emphasis(hit: re.Match[str], name: str, opened: list[tuple[str, int]], made: Markup) -> None:
    if not hit["close"]:
        if len(opened) < DEEPEST:
            opened.append((name, hit.end()))
    elif opened and opened[-1][0] == name:
        made.emphasised.append((opened.pop()[1], hit.start()))


def _instead(text: str, name: str, end: int) -> str:
    """A paragraph where a block begins or ends; a blank where two tags meet: `Moy</em><em>v.` are two words."""
    if name in PARAGRAPH:
        return "\n\n"
    return " " if name == "br" or text.startswith("<", end) else ""
