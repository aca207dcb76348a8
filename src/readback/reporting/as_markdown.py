"""A report as Markdown: the same sentences and tables as the HTML file, without its pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from readback.bookmarks.markdown import UNKEPT, fence, line, spelling
from readback.reporting import seal, sentences
from readback.words import t

Values = Mapping[str, Any]


def document(made: Values) -> bytes:
    """The whole file, sealed."""
    head = f"<!-- {seal.NAME}: {seal.ZEROS} -->\n<!-- readback-holds: {seal.line(made['holds'])} -->\n"
    return seal.sealed(head + "\n".join(_lines(made)) + "\n")


def _lines(made: Values) -> Iterator[str]:
    yield f"\n# {line(t('report.title', name=made['workspace']))}\n"
    yield f"{line(sentences.describe_version(made))}\n\n{line(' '.join(sentences.summarise(made)))}\n"
    yield from _section("decided", [_decision(one) for one in made["decisions"]])
    yield from _section("signed", [_signoff(one) for one in made["signoffs"]])
    closed = [[line(t("report.closed", n=made["notes_closed"]))]] if made["notes_closed"] else []
    unread = [[line(t("report.unread", n=one["event"], why=one["why"]))] for one in made["unread"]]
    notes = [_note(one) for one in made["notes"]] or [[line(t("report.open_none"))]]
    yield from _section("open", [*notes, *closed, *unread])
    yield from _agenda(made)
    yield from _section("fair", [_verdict(one) for one in made["verdicts"]])
    yield from _scores(made["scores"])
    yield from _prompts(made["prompts"])
    yield from _section("findings", [_finding(one) for one in made["findings"]])
    yield from _reviewed(made)
    holds = made["holds"]
    versions = t("report.versions", version=holds["readback"], rules=made["rules"], form=holds["form"])
    event = t("report.event", sha=holds["event"])
    yield from _section("check", [[line(t("report.check_said"))], [line(versions)], [line(event)]])


def _section(name: str, parts: Sequence[Sequence[str]]) -> Iterator[str]:
    """A heading, and under it each part, of which the lines are paragraphs."""
    yield f"## {line(t(f'report.{name}'))}\n"
    if not parts:
        yield f"{line(t(f'report.{name}_none'))}\n"
    for part in parts:
        yield from (f"{one}\n" for one in part if one)


def _head(words: str) -> str:
    return f"### {line(words)}"


def _decision(one: Values) -> list[str]:
    return [
        _head(t(f"report.decision_{one['verdict']}", about=one["on"] or one["about"])),
        line(sentences.describe_author(one)),
        line(t("report.about", about=one["about"])) if one["on"] else "",
        f"{line(t('report.reason'))}:", _text(one["reason"]),
        "" if one["in_force"] else line(t("report.past")), line(t(f"report.bytes_{one['bytes']}")), _held(one["lock"]),
    ]  # fmt: skip


def _signoff(one: Values) -> list[str]:
    records = t("report.signed_records", n=one["records"], day=one["day"]) if one["records"] is not None else ""
    unsaid = one["standing"] != "unread" and one["unsaid"]
    return [
        _head(t("report.signoff", about=one["about"])), line(sentences.describe_author(one)), line(records),
        line(sentences.describe_standing(one)),
        line(t("agenda.sides")) if one["changes"] and not one["unsaid"] else "", _list(one["changes"]),
        line(t("report.unsaid", why=one["unsaid"])) if unsaid else "",
        _list(one["evidence"]) if one["standing"] == "stale" else "", _held(one["lock"]),
    ]  # fmt: skip


def _held(lock: Sequence[Values]) -> str:
    if not lock:
        return ""
    return f"{line(t('report.fingerprints', n=len(lock)))}:\n\n" + _list(
        [f"{one['what']}{sentences.describe_fingerprint(one)} {one['sha256']}" for one in lock]
    )


def _note(one: Values) -> list[str]:
    quote = one["anchor"].get("quote")
    parts = [
        _head(sentences.head_note(one)), line(sentences.describe_owner(one)), line(sentences.describe_author(one)),
        line(t("report.note_on", on=one["on"])), _text(quote) if isinstance(quote, str) and quote else "",
        _text(one["text"]), line(one["changed"]) if one["changed"] else "",
    ]  # fmt: skip
    for answer in one["answers"]:
        known = t(f"review.known_{answer['known']}")
        who = t("report.note_answer", name=answer["author"], how=known, time=sentences.format_minute(answer["time"]))
        parts += [line(who), _text(answer["text"])]
    return parts


def _agenda(made: Values) -> Iterator[str]:
    rows = []
    for number, one in enumerate(made["agenda"], 1):
        end = sentences.describe_item_decision(one["decision"]) if one["decision"] else t("report.agenda_open")
        rows.append(
            "\n".join([f"{number}. {line(one['said'])}", *(f"   - {line(said)}" for said in (*one["facts"], end))])
        )
    parts = [["\n".join(rows)]] if rows else [[line(t("report.agenda_none"))]]
    if made["dropped"]:
        parts.append([line(t("report.dropped", n=len(made["dropped"]), what="; ".join(made["dropped"])))])
    if made["since_unsaid"]:
        parts.append([line(t("report.since_unsaid", why=made["since_unsaid"]))])
    yield from _section("agenda", parts)


def _verdict(one: Values) -> list[str]:
    asked = t("verdict.asked", a=one["a"], b=one["b"])
    unchecked = [t(f"verdict.unchecked_{name}") for name in one["unchecked"]]
    word = t(f"verdict.{one['kind']}")
    return [_head(asked), f"**{line(word)}**", _list(one["why"]),
            line(t("verdict.unchecked", what="; ".join(unchecked))) if unchecked else ""]  # fmt: skip


def _scores(found: Values | None) -> Iterator[str]:
    if found is None:
        yield from _section("scores", [[line(t("report.scores_none"))]])
        return
    parts = [[line(t("report.synthetic"))]] if found["synthetic"] else []
    parts += [[line(t("report.scores_earlier"))]] if found["earlier"] else []
    for one in found["planned"]:
        question = one["question"] or t("scores.pair", a=one["a"], b=one["b"])
        expected = t("report.question", question=question, expected=one["expected"]) if one["expected"] else question
        fair = {"unfair": t("report.fair_no"), "unknown": t("report.fair_unknown")}.get(one["fair"] or "", "")
        parts.append([_head(expected), line(f"{one['criterion']}: {one['said']}"),
                      *(line(said) for said in (one["tested"] or "", fair, one["untouched"] or ""))])  # fmt: skip
    spread = found["spread"]
    title = sentences.head_spread(found)
    parts.append([_head(title), line(spread["said"]), _table(**spread["table"])])
    if spread["kind"] == "steps":
        parts.append([line(t("report.means")), _table(**spread["means"])])
    parts.append([line(spread["how"])])
    if there := found["differences"]:
        head = _head(t("report.differences", criterion=found["criterion"]))
        parts.append([head, line(" ".join(there["said"])), _table(**there["table"]),
                      line(there["how"]), line(sentences.describe_rounding())])  # fmt: skip
    parts.append([line(one) for one in found["left_out"]])
    columns, rows = sentences.list_score_rows(found["rows"])
    parts.append([_head(t("report.all_rows")), _table(columns, rows)])
    yield from _section("scores", parts)


def _prompts(found: Values) -> Iterator[str]:
    parts = [[line(t("report.prompts_which"))]] if found["shown"] else []
    for one in found["shown"]:
        parts.append([_head(sentences.head_prompt(one)), *_messages(one)])
    if found["left"]:
        parts.append([line(t("report.prompts_left", n=found["left"]))])
    yield from _section("prompts", parts)


def _messages(one: Values) -> Iterator[str]:
    origins = dict[str, None]()
    for message in one["messages"]:
        text = "".join(part["text"] for part in message["segments"])
        yield line(t("report.message", role=message["role"], n=len(text)))
        yield _text(text)
        for part in message.get("beside", ()):
            yield line(part["title"])
            yield from [_text(part["text"])] if part["text"] else []
        origins |= {sentences.describe_origin(part): None for part in message["segments"]}
    if not one["messages"]:
        yield line(t("report.prompt_failed", why=", ".join(one["why_not"])))
    if origins:
        yield f"{line(t('report.prompt_origins'))}:"
        yield _list(origins)
    if one["masked"]:
        yield line(t("report.prompt_masked"))
    if one["fingerprint"]:
        yield line(t("report.prompt_fingerprint", sha=one["fingerprint"]))


def _finding(one: Values) -> list[str]:
    first, title = one["first"], t(f"frame.{one['severity']}").capitalize()
    counts = [t("report.finding_places", n=one["count"])]
    counts += [t("overview.first_records", n=one["records"])] if one["records"] else []
    parts = [_head(f"{title}: {one['title']}"), f"{line(', '.join(counts))}; `{one['code']}`"]
    parts += [line("; ".join(one["conditions"]))] if one["conditions"] else []
    if first:
        parts += [line(t("report.finding_first", said=first["said"])), line(first["where"])]
        part = first["excerpt"]
        parts += [_text(part["text"]), line(sentences.describe_excerpt(part))] if part else []
        parts += [line(first["fix"])] if first["fix"] else []
    return parts


def _reviewed(made: Values) -> Iterator[str]:
    there = made["reviewed"]
    data = t("report.reviewed_data", n=there["records"], path=there["dataset"]) if there["dataset"] else ""
    parts = [[line(data), line(t("report.reviewed_day", day=there["day"]))]]
    if there["fingerprints"]:
        heads = [t("report.what"), t("report.records"), t("report.failed"), t("report.sha")]
        rows = [[one["what"], one["records"], one["failed"], one["sha256"]] for one in there["fingerprints"]]
        parts.append([line(t("report.reviewed_lock")), _table(heads, rows)])
    if there["files"]:
        gone = t("report.cannot_read")
        rows = [[one["path"], one["what"], one["sha256"] or gone] for one in there["files"]]
        parts.append(
            [line(t("report.reviewed_files")), _table([t("report.file"), t("report.what"), t("report.sha")], rows)]
        )
    yield from _section("reviewed", parts)


def _table(columns: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    def row(cells: Iterable[Any]) -> str:
        return f"| {' | '.join(cells)} |"

    heads = row(line(str(one)) for one in columns)
    body = (row(line(sentences.format_cell(one)) for one in cells) for cells in rows)
    return "\n".join((heads, row("---" for _ in columns), *body))


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line(one)}" for one in lines)


def _text(value: str) -> str:
    """An exact text between fences; what Markdown cannot carry is written out, and that is said."""
    remark = f"\n\n{line(t('report.spelled'))}" if UNKEPT.search(value) else ""
    return fence(spelling(value)) + remark
