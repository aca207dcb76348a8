"""The list as one HTML file that asks nobody for anything: for a mail, a wiki, a printer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from pathlib import Path

from readback.bookmarks.entry import Entry, Excerpt, cuts
from readback.bookmarks.markdown import Words, left, spelling, target

STYLE = Path(__file__).with_name("page.css")
# Nothing runs and nothing is fetched, whatever is in an entry.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
WEB = ("http://", "https://")

Exact = Callable[[str], str]  # an exact text as HTML that reads back as the same characters


def document(entries: Iterable[Entry], title: str, words: Words, exact: Exact, language: str = "en") -> str:
    """The whole file. `exact` makes the HTML of an exact text; everything else is escaped here."""
    rows = "".join(_entry(one, n, words, exact) for n, one in enumerate(entries, 1))
    return (
        f'<!doctype html>\n<html lang="{_text(language)}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f'<link rel="icon" href="data:,">\n<title>{_text(title)}</title>\n<style>\n{STYLE.read_text("utf-8")}</style>\n'
        f"</head>\n<body>\n<main>\n<h1>{_text(title)}</h1>\n<ol>\n{rows}</ol>\n</main>\n</body>\n</html>\n"
    )


def _entry(one: Entry, number: int, words: Words, exact: Exact) -> str:
    word = f'<span class="{one.severity}">{_text(words[one.severity])}:</span> ' if one.severity else ""
    facts = "".join(f"<p>{_text(fact)}</p>\n" for fact in one.facts)
    texts = "".join(_excerpt(part, one, words, exact) for part in one.excerpts)
    foot = [f"{_text(words['workspace'])}: {_text(one.workspace)}"] if one.workspace else []
    foot += [f"{_text(label)}: <code>{_text(digest)}</code>" for label, digest in one.fingerprints]
    if one.link.startswith(WEB):
        foot.append(f'<a href="{_text(target(one.link))}">{_text(words["link"])}</a>')
    elif one.link:  # a path leads nowhere from a file
        foot.append(f"{_text(words['link'])}: <code>{_text(one.link)}</code>")
    last = f'<p class="small">{"<br>".join(foot)}</p>\n' if foot else ""
    return f'<li class="entry">\n<h2>{number}. {word}{_text(one.title)}</h2>\n{facts}{texts}{last}</li>\n'


def _excerpt(part: Excerpt, one: Entry, words: Words, exact: Exact) -> str:
    said = "; ".join(remark for remark in (part.label, left(part, words)) if remark)
    head = f'<p class="small">{_text(said)}</p>\n' if said else ""
    mark = f'<mark class="{one.severity or "info"}">'
    body = "".join(f"{mark}{exact(text)}</mark>" if marked else exact(text) for text, marked in cuts(part))
    return f'{head}<div class="text">{body}</div>\n'


def _text(text: str) -> str:
    """One line of words: escaped, and with what a browser or UTF-8 cannot carry written out."""
    return escape(spelling(" ".join(text.split())))
