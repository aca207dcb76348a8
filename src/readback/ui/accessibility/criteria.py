"""docs/accessibility.md on the page: how Readback was tested against each criterion of WCAG, and with what result."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from readback.project_files import PROJECT
from readback.ui.common import show
from readback.ui.common.draw import table
from readback.ui.common.draw.table import Column
from readback.words import t

FILE = PROJECT / "docs" / "accessibility.md"
LOOKS = ("<code>{}</code>", "<strong>{}</strong>", "<em>{}</em>", "{}")
RESULTS = ("passes", "pass", "not applicable", "not ")  # how a result begins: with a limit, without one, …
KEYS = ("criterion", "how", "result")
MARKED = re.compile(
    r"`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\([^)]*\)"
)  # code, strong, stress, a link's words


@dataclass(frozen=True, slots=True)
class Document:
    """The document without its title: the paragraphs and lists before the table, its rows, and what follows."""

    before: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    after: tuple[str, ...]


def document() -> Document | None:
    """Return the parts of the file; None where it is not installed."""
    try:
        blocks = [block.strip() for block in FILE.read_text("utf-8").split("\n\n")]
    except OSError:
        return None
    blocks[0] = blocks[0].partition("\n")[2]  # the title
    at = next(number for number, block in enumerate(blocks) if block.startswith("|"))
    rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in blocks[at].splitlines()[2:]]
    return Document(tuple(blocks[:at]), tuple(rows), tuple(blocks[at + 1 :]))


def results(rows: Sequence[Sequence[str]]) -> str:
    """How many criteria pass, pass where they were tested, do not apply, were not tested, and fail: all others."""
    words = Counter(next((word for word in RESULTS if row[-1].startswith(word)), "") for row in rows)
    part, passed, apart, untested = (words[word] for word in RESULTS)
    counts = {"passed": passed, "part": part, "apart": apart, "untested": untested, "failed": words[""]}
    return t("access.results", all=len(rows), **counts)


def draw(page: Document | None) -> None:
    """All of it, or that it is not here."""
    if page is None:
        show.draw(show.h("<p>{}</p>", t("access.no_table")))
        return
    show.draw(_paragraphs(page.before))
    rows = [dict(zip(KEYS, map(_inline, row), strict=True)) for row in page.rows]
    table.draw([Column(key, t(f"access.{key}")) for key in KEYS], rows, t("access.table_title"))
    show.draw(_paragraphs(page.after))


def _paragraphs(blocks: Sequence[str]) -> Markup:
    return show.join([_block(block) for block in blocks])


def _block(block: str) -> Markup:
    """Draw a paragraph; below it the points of a list, where it has some."""
    lead, *points = re.split(r"\n\* ", block)
    paragraph = show.h("<p>{}</p>", _inline(lead))
    items = show.join([show.h("<li>{}</li>", _inline(point)) for point in points])
    return show.h(
        '<div class="rb-prose">{}<ul>{}</ul></div>' if points else '<div class="rb-prose">{}</div>', paragraph, items
    )


def _inline(text: str) -> Markup:
    parts, at = [], 0
    for match in MARKED.finditer(text):
        inner, look = next((inner, look) for inner, look in zip(match.groups(), LOOKS, strict=True) if inner)
        parts += [show.h("{}", text[at : match.start()]), show.h(look, inner)]
        at = match.end()
    return show.join([*parts, show.h("{}", text[at:])])
