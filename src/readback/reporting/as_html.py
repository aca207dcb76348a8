"""A report as one HTML file: no server, no network and no script is needed to read it, on paper or on a screen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from readback.html import exact
from readback.reporting import html_scores, seal
from readback.words import language, t

STYLE = Path(__file__).with_name("page.css")
# Nothing runs and nothing is fetched, whatever somebody wrote.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
HEAD = 80  # characters of a note in its heading
Values = Mapping[str, Any]


def document(made: Values) -> bytes:
    """The whole file, sealed."""
    title = t("report.title", name=one_line(made["workspace"]))
    sections = list(_sections(made))
    links = "".join(f'<li><a href="#{name}">{words}</a></li>' for name, words, _ in sections)
    body = "".join(f'<section id="{name}">\n<h2>{words}</h2>\n{inner}</section>\n' for name, words, inner in sections)
    return seal.sealed(
        f'<!doctype html>\n<html lang="{said(language())}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="{seal.NAME}" content="{seal.ZEROS}">\n'
        f'<script type="application/json" id="readback-holds">{seal.line(made["holds"])}</script>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f'<link rel="icon" href="data:,">\n<title>{said(title)}</title>\n<style>\n{STYLE.read_text("utf-8")}</style>\n'
        f'</head>\n<body>\n<header>\n<h1>{said(title)}</h1>\n<p class="small">{said(about(made))}</p>\n'
        f'<p class="lead">{said(" ".join(lead(made)))}</p>\n'
        f'<nav aria-label="{said(t("report.contents"))}"><ul>{links}</ul></nav>\n</header>\n'
        f"<main>\n{body}</main>\n</body>\n</html>\n"
    )


def about(made: Values) -> str:
    """As of when, after how many events, by which version."""
    holds = made["holds"]
    time = minute(holds["as_of"])
    return t("report.made", time=time, events=holds["sequence"], version=holds["readback"])


def lead(made: Values) -> Iterator[str]:
    """The report in a few sentences."""
    decided = [one for one in made["decisions"] if one["in_force"]]
    yield t("report.lead_decided", n=len(decided)) if decided else t("report.lead_none")
    signed = [one for one in made["signoffs"] if one["standing"] != "withdrawn"]
    changed = sum(one["bytes"] == "changed" for one in decided) + sum(one["standing"] == "stale" for one in signed)
    if changed:
        yield t("report.lead_changed", n=changed)
    yield t("report.lead_open", n=len(made["notes"])) if made["notes"] else t("report.open_none")
    if overdue := sum(one["overdue"] for one in made["notes"]):
        yield t("report.lead_overdue", n=overdue)
    if undecided := sum(one["decision"] is None for one in made["agenda"]):
        yield t("report.lead_undecided", n=undecided)


def _sections(made: Values) -> Iterator[tuple[str, str, str]]:
    """(id, heading, HTML) of each section."""
    yield "decided", t("report.decided"), _all(map(_decision, made["decisions"]), t("report.decided_none"))
    yield "signed", t("report.signed"), _all(map(_signoff, made["signoffs"]), t("report.signed_none"))
    yield "open", t("report.open"), _open(made)
    yield "agenda", t("report.agenda"), _agenda(made)
    yield "fair", t("report.fair"), _all(map(_verdict, made["verdicts"]), t("report.fair_none"))
    none = paragraph(t("report.scores_none"))
    yield "scores", t("report.scores"), html_scores.section(made["scores"]) if made["scores"] else none
    yield "prompts", t("report.prompts"), _prompts(made["prompts"])
    yield "findings", t("report.findings"), _all(map(_finding, made["findings"]), t("report.findings_none"))
    yield "reviewed", t("report.reviewed"), _reviewed(made)
    yield "check", t("report.check"), _check(made)


def _all(parts: Iterable[str], none: str) -> str:
    return "".join(parts) or paragraph(none)


# What people decided, signed, noted.


def _decision(one: Values) -> str:
    lines = [paragraph(by(one), "small")]
    lines += [paragraph(t("report.about", about=one["about"]))] if one["on"] else []
    lines += [f'<p>{said(t("report.reason"))}:</p><div class="quote">{text(one["reason"])}</div>']
    lines += [paragraph(t("report.past"), "warning")] if not one["in_force"] else []
    look = {"same": "fine", "changed": "error"}.get(one["bytes"], "small")
    lines += [paragraph(t(f"report.bytes_{one['bytes']}"), look), _held(one["lock"])]
    return _entry(t(f"report.decision_{one['verdict']}", about=one["on"] or one["about"]), lines)


def _signoff(one: Values) -> str:
    lines = [paragraph(by(one), "small")]
    if one["records"] is not None:
        lines.append(paragraph(t("report.signed_records", n=one["records"], day=one["day"])))
    sides = one["changes"] and not one["unsaid"]
    lines += [paragraph(*standing(one)), paragraph(t("agenda.sides"), "small") if sides else "", listed(one["changes"])]
    if one["standing"] != "unread" and one["unsaid"]:
        lines.append(paragraph(t("report.unsaid", why=one["unsaid"]), "small"))
    if one["standing"] == "stale" and one["evidence"]:
        lines.append(listed(one["evidence"]))
    return _entry(t("report.signoff", about=one["about"]), [*lines, _held(one["lock"])])


def standing(one: Values) -> tuple[str, str]:
    """Whether a sign-off holds, in a sentence, and how that looks."""
    given = {"what": "; ".join(one["evidence"]), "why": one["unsaid"] or ""}
    if one["withdrawn"]:
        given |= {"name": one["withdrawn"]["author"], "time": minute(one["withdrawn"]["time"])}
    looks = {"same": "fine", "stale": "error", "evidence": "warning", "unread": "warning"}
    return t(f"report.standing_{one['standing']}", **given), looks.get(one["standing"], "small")


def _held(lock: Sequence[Values]) -> str:
    """Fingerprints, folded on a screen; on paper they are in what was reviewed."""
    if not lock:
        return ""
    rows = "".join(f"<li>{said(one['what'])}{said(then(one))} <code>{said(one['sha256'])}</code></li>" for one in lock)
    head = said(t("report.fingerprints", n=len(lock)))
    return f'<details class="small"><summary>{head}</summary><ul>{rows}</ul></details>'


def then(one: Values) -> str:
    """What is said after the name of a fingerprint: whether what it is of is the same now, where that is known."""
    return t(f"report.fingerprint_{one['now']}") if one.get("now") in ("same", "changed") else ":"


def _open(made: Values) -> str:
    parts = [_note(one) for one in made["notes"]] or [paragraph(t("report.open_none"))]
    if made["notes_closed"]:
        parts.append(paragraph(t("report.closed", n=made["notes_closed"]), "small"))
    parts += [paragraph(t("report.unread", n=one["event"], why=one["why"]), "warning") for one in made["unread"]]
    return "".join(parts)


def _note(one: Values) -> str:
    look = "error" if one["overdue"] else ""
    lines = [paragraph(who_looks(one), look), paragraph(by(one), "small"), paragraph(t("report.note_on", on=one["on"]))]
    quote = one["anchor"].get("quote")
    lines += [f'<div class="text">{text(quote)}</div>'] if isinstance(quote, str) and quote else []
    lines.append(f'<div class="quote">{text(one["text"])}</div>')
    lines += [paragraph(one["changed"], "warning")] if one["changed"] else []
    for answer in one["answers"]:
        known = t(f"review.known_{answer['known']}")
        who = t("report.note_answer", name=answer["author"], how=known, time=minute(answer["time"]))
        lines.append(f'{paragraph(who, "small")}<div class="quote">{text(answer["text"])}</div>')
    return _entry(note_head(one), lines)


def note_head(one: Values) -> str:
    """Whose note it is, and how it begins; all of it stands below."""
    first = one_line(one["text"])
    short = first if len(first) <= HEAD else f"{first[:HEAD]} …"
    state = f" ({t('report.note_answered')})" if one["standing"] == "answered" else ""
    return f"{t('agenda.note', name=one['author'], text=short)}{state}"


def who_looks(one: Values) -> str:
    """Who looks after a note, and until when."""
    owner = t("report.note_owner", name=one["owner"]) if one["owner"] else t("report.owner_none")
    due = t("report.note_overdue" if one["overdue"] else "report.note_due", day=one["due"]) if one["due"] else ""
    return f"{'; '.join(part for part in (owner, due) if part)}."


def _agenda(made: Values) -> str:
    items = "".join(_item(one) for one in made["agenda"])
    parts = [f"<ol>{items}</ol>" if items else paragraph(t("report.agenda_none"))]
    if made["dropped"]:
        parts.append(paragraph(t("report.dropped", n=len(made["dropped"]), what="; ".join(made["dropped"])), "small"))
    if made["since_unsaid"]:
        parts.append(paragraph(t("report.since_unsaid", why=made["since_unsaid"]), "small"))
    return "".join(parts)


def _item(one: Values) -> str:
    found = one["decision"]
    look = "warning" if found is None or found["bytes"] == "changed" else "fine"
    end = paragraph(decided(found) if found else t("report.agenda_open"), look)
    facts = "".join(paragraph(fact, "small") for fact in one["facts"])
    return f'<li class="entry"><strong>{said(one["said"])}</strong>{facts}{end}</li>'


def decided(found: Values) -> str:
    """The decision on an item in a line."""
    line = t(f"report.item_{found['verdict']}", name=found["author"], reason=one_line(found["reason"]))
    return f"{line} {t('report.item_changed')}" if found["bytes"] == "changed" else line


# What the check found, and what is sent.


def _verdict(one: Values) -> str:
    look = {"fair": "fine", "unfair": "error"}.get(one["kind"], "warning")
    head = t("verdict.asked", a=one["a"], b=one["b"])
    unchecked = [t(f"verdict.unchecked_{name}") for name in one["unchecked"]]
    word = t(f"verdict.{one['kind']}")
    lines = [f'<p><strong class="{look}">{said(word)}</strong></p>', listed(one["why"])]
    lines += [paragraph(t("verdict.unchecked", what="; ".join(unchecked)), "small")] if unchecked else []
    return _entry(head, lines)


def _prompts(found: Values) -> str:
    if not found["shown"]:
        return paragraph(t("report.prompts_none"))
    more = paragraph(t("report.prompts_left", n=found["left"]), "small") if found["left"] else ""
    return paragraph(t("report.prompts_which"), "small") + "".join(map(_prompt, found["shown"])) + more


def prompt_head(one: Values) -> str:
    """What a prompt is for: what is sent, and which record."""
    record = t("report.prompt_record", record=one["record"]) if one["record"] is not None else t(
        "report.prompt_numbered", n=one["index"] + 1
    )  # fmt: skip
    return ", ".join((*one["choice"].values(), record))


def _prompt(one: Values) -> str:
    parts, origins = [], dict[tuple[str, str], int]()
    for message in one["messages"]:
        whole = sum(len(part["text"]) for part in message["segments"])
        parts.append(paragraph(t("report.message", role=message["role"], n=whole), "small"))
        parts.append(f'<div class="text">{"".join(_segment(part, origins) for part in message["segments"])}</div>')
        for part in message.get("beside", ()):
            parts.append(paragraph(part["title"], "small"))
            parts += [f'<div class="text">{text(part["text"])}</div>'] if part["text"] else []
    if not one["messages"]:
        parts.append(paragraph(t("report.prompt_failed", why=", ".join(one["why_not"])), "error"))
    rows = "".join(f'<li value="{number}">{said(what)}</li>' for (_, what), number in origins.items())
    parts += [f'<p class="small">{said(t("report.prompt_origins"))}</p><ol class="origins">{rows}</ol>'] if rows else []
    parts += [paragraph(t("report.prompt_masked"), "warning")] if one["masked"] else []
    if one["fingerprint"]:
        parts.append(paragraph(t("report.prompt_fingerprint", sha=one["fingerprint"]), "small"))
    return f"<h3>{said(prompt_head(one))}</h3>{''.join(parts)}"


def origin(part: Values) -> str:
    """Where a stretch comes from, in words."""
    return ", ".join(filter(None, (t(f"messages.look_{part['look']}"), part["name"], part["where"])))


def _segment(part: Values, origins: dict[tuple[str, str], int]) -> str:
    """A stretch in the tint of its origin; its number is drawn by the style, so that it is no part of the text."""
    number = origins.setdefault((part["look"], origin(part)), len(origins) + 1)
    look = part["look"] if part["look"] != "yours" else ""
    return f'<span class="n" data-o="{number}"></span><span class="{look}">{text(part["text"])}</span>'


def _finding(one: Values) -> str:
    first = one["first"]
    counts = [t("report.finding_places", n=one["count"])]
    counts += [t("overview.first_records", n=one["records"])] if one["records"] else []
    lines = [f'<p class="small">{said(", ".join(counts))}; <code>{said(one["code"])}</code></p>']
    lines += [paragraph("; ".join(one["conditions"]), "small")] if one["conditions"] else []
    if first:
        lines += [paragraph(t("report.finding_first", said=first["said"])), paragraph(first["where"], "small")]
        lines += [excerpt(first["excerpt"], one["severity"])] if first["excerpt"] else []
        lines += [paragraph(first["fix"])] if first["fix"] else []
    title = t(f"frame.{one['severity']}").capitalize()
    return _entry(f"{title}: {one['title']}", lines, one["severity"])


def excerpt(part: Values, severity: str) -> str:
    """A stretch of exact text with what matters marked, and below which it is."""
    at, made = 0, []
    for start, end in part["marks"]:
        made += [text(part["text"][at:start]), f'<mark class="{severity}">{text(part["text"][start:end])}</mark>']
        at = end
    made.append(text(part["text"][at:]))
    return f'<div class="text">{"".join(made)}</div>{paragraph(stretch(part), "small")}'


def stretch(part: Values) -> str:
    """Which stretch it is, and how much of its text is left out around it."""
    left = [t(f"report.left_{side}", n=part[side]) for side in ("before", "after") if part[side]]
    return " ".join((f"{part['label']}.", *left)) if left else part["label"]


def _reviewed(made: Values) -> str:
    there = made["reviewed"]
    parts = []
    if there["dataset"]:
        parts.append(paragraph(t("report.reviewed_data", n=there["records"], path=there["dataset"])))
    parts.append(paragraph(t("report.reviewed_day", day=there["day"])))
    if there["fingerprints"]:
        heads = [t("report.what"), t("report.records"), t("report.failed"), t("report.sha")]
        body = [[one["what"], one["records"], one["failed"], one["sha256"]] for one in there["fingerprints"]]
        parts.append(table(t("report.reviewed_lock"), heads, body, (3,)))
    if there["files"]:
        gone = t("report.cannot_read")
        rows = [[one["path"], one["what"], one["sha256"] or gone] for one in there["files"]]
        parts.append(
            table(t("report.reviewed_files"), [t("report.file"), t("report.what"), t("report.sha")], rows, (2,))
        )
    return "".join(parts)


def _check(made: Values) -> str:
    holds = made["holds"]
    said_ = t("report.versions", version=holds["readback"], rules=made["rules"], form=holds["form"])
    return paragraph(t("report.check_said")) + paragraph(said_, "small") + paragraph(
        t("report.event", sha=holds["event"]), "small"
    )  # fmt: skip


# The pieces that sections are put together from.


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[Any]], shas: Sequence[int] = ()) -> str:
    """A table of plain values; the columns `shas` hold digests."""
    top = "".join(f'<th scope="col">{said(head)}</th>' for head in heads)
    body = "".join(f"<tr>{''.join(_cell(value, at in shas) for at, value in enumerate(row))}</tr>" for row in rows)
    return f"<table><caption>{said(caption)}</caption><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>\n"


def _cell(value: Any, sha: bool) -> str:
    if sha:
        return f'<td class="sha"><code>{said(str(value))}</code></td>'
    return f'<td class="number">{value:,}</td>' if isinstance(value, int) else f"<td>{said(str(value))}</td>"


def _entry(title: str, lines: Iterable[str], look: str = "") -> str:
    return f'<div class="entry"><h3 class="{look}">{said(title)}</h3>{"".join(lines)}</div>\n'


def listed(lines: Iterable[str]) -> str:
    rows = "".join(f"<li>{said(line)}</li>" for line in lines)
    return f"<ul>{rows}</ul>" if rows else ""


def paragraph(words: str, look: str = "") -> str:
    return f'<p class="{look}">{said(words)}</p>' if look else f"<p>{said(words)}</p>"


def by(one: Values) -> str:
    """Who, how that is known, when, as which event."""
    how = t(f"review.known_{one['known']}")
    return t("report.by", name=one["author"], how=how, time=minute(one["time"]), event=one["event"])


def minute(time: str) -> str:
    """2026-11-24 16:05"""
    return time[:16].replace("T", " ")


def one_line(words: str) -> str:
    return " ".join(words.split())


def said(words: str) -> str:
    """A line of words: escaped, and what cannot be seen in it written out."""
    return escape(exact.written_out(one_line(words)))


def text(value: str) -> str:
    """An exact text, character for character."""
    return exact.text(value)
