"""A report as Markdown: the same sentences and tables as the HTML file, without its pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from readback.bookmarks.markdown import UNKEPT, fence, line, spelling
from readback.reporting import seal, sentences
from readback.reporting.summary import group_changes
from readback.review.decision_words import name_verdict
from readback.words import t

Values = Mapping[str, Any]


def write_markdown(report: Values) -> bytes:
    """Write the whole file, sealed."""
    head = f"<!-- {seal.NAME}: {seal.ZEROS} -->\n<!-- readback-holds: {seal.format_holds(report['holds'])} -->\n"
    return seal.seal_text(head + "\n".join(_format_report(report)) + "\n")


def _format_report(report: Values) -> Iterator[str]:
    yield f"\n# {line(t('report.title', name=report['workspace']))}\n"
    yield f"{line(sentences.describe_version(report))}\n"
    yield from _format_first_page(report)
    for name, deferred in (("decided", False), ("deferred", True)):
        entries = [entry for entry in report["decisions"] if (entry["verdict"] == "defer") is deferred]
        yield from _format_section(name, [_format_decision(entry) for entry in entries])
    yield from _format_section("signed", [_format_signoff(entry) for entry in report["signoffs"]])
    if report["notes_closed"]:
        closed = [[line(t("report.closed", n=report["notes_closed"]))]]
    else:
        closed = []
    unread = [[line(t("report.unread", n=entry["event"], why=entry["why"]))] for entry in report["unread"]]
    notes = [_format_note(entry) for entry in report["notes"]] or [[line(t("report.open_none"))]]
    yield from _format_section("open", [*notes, *closed, *unread])
    yield from _format_agenda(report)
    yield from _format_section("fair", [_format_verdict(entry) for entry in report["verdicts"]])
    yield from _format_scores(report["scores"])
    yield from _format_prompts(report["prompts"])
    yield from _format_section("findings", [_format_finding(entry) for entry in report["findings"]])
    yield from _format_reviewed(report)
    holds = report["holds"]
    versions = t("report.versions", version=holds["readback"], rules=report["rules"], form=holds["form"])
    event = t("report.event", sha=holds["event"])
    yield from _format_section("check", [[line(t("report.check_said"))], [line(versions)], [line(event)]])


def _format_first_page(report: Values) -> Iterator[str]:
    """Yield the question, the answer, the verdict and the decisions, and whether they hold, as the first page has
    them.
    """
    summary = report["summary"]
    standing = summary["standing"]
    word = t(f"report.first_{standing['state']}")
    yield f"**{line(word)}** {line(sentences.describe_first_standing(standing))}\n"
    changes = [
        sentences.describe_grouped_change(change, sentences.NAMES)
        for change in standing["changes"][: sentences.CHANGES]
    ]
    if more := len(standing["changes"]) - len(changes):
        changes.append(t("report.first_more_changes", n=more))
    if changes:
        yield f"{_format_list(changes)}\n\n{line(t('report.first_sides'))}\n"
    yield f"## {line(t('report.first_asked'))}\n"
    for question in summary["questions"][: sentences.QUESTIONS]:
        yield f"{_format_heading(question['question'])}\n"
        numbers = [f"{row['name']}: {sentences.describe_numbers(row)}" for row in question["rows"]]
        if question["fair"]:
            verdict = t(f"verdict.{question['fair']}")
        else:
            verdict = ""
        if verdict:
            fair = f"{verdict} {sentences.describe_why(question)}".strip()
        else:
            fair = ""
        yield from (f"{line(text)}\n" for text in (question["answer"], fair, *numbers) if text)
    if not summary["questions"]:
        yield f"{line(t('report.first_nothing_asked'))}\n"
    yield from (f"{line(text)}\n" for text in sentences.describe_first_rest(report))
    yield f"## {line(t('report.first_decisions'))}\n"
    rows = [_format_decided(entry) for entry in summary["decisions"][: sentences.DECISIONS]]
    if rows:
        yield f"{_format_list(rows)}\n"
    yield f"{line(' '.join(sentences.summarise(report)))}\n"
    notes = [sentences.describe_first_note(note) for note in summary["open_notes"][: sentences.NOTES]]
    if notes:
        yield f"{_format_list(notes)}\n"


def _format_decided(entry: Mapping[str, Any]) -> str:
    """Return a decision as the line of the first page."""
    verdict, bytes_now = name_verdict(entry["verdict"], entry["kind"]), t(f"report.word_{entry['bytes']}")
    about, reason, owner = (sentences.cut(entry[name]) for name in ("about", "reason", "owner"))
    return f"{verdict}, {about}: {reason} ({owner}; {bytes_now})"


def _format_section(name: str, parts: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a heading, and under it each part, of which the lines are paragraphs."""
    yield f"## {line(t(f'report.{name}'))}\n"
    if not parts:
        yield f"{line(t(f'report.{name}_none'))}\n"
    for part in parts:
        yield from (f"{paragraph}\n" for paragraph in part if paragraph)


def _format_heading(words: str) -> str:
    return f"### {line(words)}"


def _format_decision(decision: Values) -> list[str]:
    return [
        _format_heading(sentences.head_decision(decision)),
        line(sentences.describe_author(decision)),
        line(t("report.about", about=decision["about"])) if decision["on"] else "",
        f"{line(t('report.reason'))}:",
        _fence_text(decision["reason"]),
        "" if decision["in_force"] else line(t("report.past")),
        line(t(f"report.bytes_{decision['bytes']}")),
        _format_fingerprints(decision["lock"]),
    ]


def _format_signoff(signoff: Values) -> list[str]:
    if signoff["records"] is not None:
        records = t("report.signed_records", n=signoff["records"], day=signoff["day"])
    else:
        records = ""
    unsaid = signoff["standing"] != "unread" and signoff["unsaid"]
    return [
        _format_heading(t("report.signoff", about=signoff["about"])),
        line(sentences.describe_author(signoff)),
        line(records),
        line(sentences.describe_standing(signoff)),
        line(t("agenda.sides")) if signoff["changes"] and not signoff["unsaid"] else "",
        _format_list([sentences.describe_grouped_change(change) for change in group_changes(signoff["changes"])]),
        line(t("report.unsaid", why=signoff["unsaid"])) if unsaid else "",
        _format_list(signoff["evidence"]) if signoff["standing"] == "stale" else "",
        _format_fingerprints(signoff["lock"]),
    ]


def _format_fingerprints(lock: Sequence[Values]) -> str:
    if not lock:
        return ""
    return f"{line(t('report.fingerprints', n=len(lock)))}:\n\n" + _format_list(
        [
            f"{fingerprint['what']}{sentences.describe_fingerprint(fingerprint)} {fingerprint['sha256']}"
            for fingerprint in lock
        ]
    )


def _format_note(note: Values) -> list[str]:
    quote = note["anchor"].get("quote")
    parts = [
        _format_heading(sentences.head_note(note)),
        line(sentences.describe_owner(note)),
        line(sentences.describe_author(note)),
        line(t("report.note_on", on=note["on"])),
        _fence_text(quote) if isinstance(quote, str) and quote else "",
        _fence_text(note["text"]),
        line(note["changed"]) if note["changed"] else "",
    ]
    for answer in note["answers"]:
        identity = t(f"review.known_{answer['known']}")
        who = t("report.note_answer", name=answer["author"], how=identity, time=sentences.format_minute(answer["time"]))
        parts += [line(who), _fence_text(answer["text"])]
    return parts


def _format_agenda(report: Values) -> Iterator[str]:
    rows = []
    for number, item in enumerate(report["agenda"], 1):
        if item["decision"]:
            end = sentences.describe_item_decision(item["decision"])
        else:
            end = t("report.agenda_open")
        rows.append(
            "\n".join([f"{number}. {line(item['said'])}", *(f"   - {line(fact)}" for fact in (*item["facts"], end))])
        )
    if rows:
        parts = [["\n".join(rows)]]
    else:
        parts = [[line(t("report.agenda_none"))]]
    if report["dropped"]:
        parts.append([line(t("report.dropped", n=len(report["dropped"]), what="; ".join(report["dropped"])))])
    if report["since_unsaid"]:
        parts.append([line(t("report.since_unsaid", why=report["since_unsaid"]))])
    yield from _format_section("agenda", parts)


def _format_verdict(verdict: Values) -> list[str]:
    question = t("verdict.asked", a=verdict["a"], b=verdict["b"])
    unchecked = [t(f"verdict.unchecked_{name}") for name in verdict["unchecked"]]
    word = t(f"verdict.{verdict['kind']}")
    return [
        _format_heading(question),
        f"**{line(word)}**",
        _format_list(verdict["why"]),
        line(t("verdict.unchecked", what="; ".join(unchecked))) if unchecked else "",
    ]


def _format_scores(scores: Values | None) -> Iterator[str]:
    if scores is None:
        yield from _format_section("scores", [[line(t("report.scores_none"))]])
        return
    if scores["synthetic"]:
        parts = [[line(t("report.synthetic"))]]
    else:
        parts = []
    parts += [[line(t("report.scores_earlier"))]] if scores["earlier"] else []
    for comparison in scores["planned"]:
        question = comparison["question"] or t("scores.pair", a=comparison["a"], b=comparison["b"])
        if comparison["expected"]:
            expected = t("report.question", question=question, expected=comparison["expected"])
        else:
            expected = question
        fair = {"unfair": t("report.fair_no"), "unknown": t("report.fair_unknown")}.get(comparison["fair"] or "", "")
        parts.append(
            [
                _format_heading(expected),
                line(f"{comparison['criterion']}: {comparison['said']}"),
                *(line(sentence) for sentence in (comparison["tested"] or "", fair, comparison["untouched"] or "")),
            ]
        )
    spread = scores["spread"]
    title = sentences.head_spread(scores)
    parts.append([_format_heading(title), line(spread["said"]), _format_table(**spread["table"])])
    if spread["kind"] == "steps":
        parts.append([line(t("report.means")), _format_table(**spread["means"])])
    parts.append([line(spread["how"])])
    if there := scores["differences"]:
        head = _format_heading(t("report.differences", criterion=scores["criterion"]))
        parts.append(
            [
                head,
                line(" ".join(there["said"])),
                _format_table(**there["table"]),
                line(there["how"]),
                line(sentences.describe_rounding()),
            ]
        )
    parts.append([line(comparison) for comparison in scores["left_out"]])
    columns, rows = sentences.list_score_rows(scores["rows"])
    parts.append([_format_heading(t("report.all_rows")), _format_table(columns, rows)])
    yield from _format_section("scores", parts)


def _format_prompts(prompts: Values) -> Iterator[str]:
    if prompts["shown"]:
        parts = [[line(t("report.prompts_which"))]]
    else:
        parts = []
    for prompt in prompts["shown"]:
        parts.append([_format_heading(sentences.head_prompt(prompt)), *_format_messages(prompt)])
    if prompts["left"]:
        parts.append([line(t("report.prompts_left", n=prompts["left"]))])
    yield from _format_section("prompts", parts)


def _format_messages(prompt: Values) -> Iterator[str]:
    origins = dict[str, None]()
    for message in prompt["messages"]:
        text = "".join(part["text"] for part in message["segments"])
        yield line(t("report.message", role=message["role"], n=len(text)))
        yield _fence_text(text)
        for part in message.get("beside", ()):
            yield line(part["title"])
            yield from [_fence_text(part["text"])] if part["text"] else []
        origins |= {sentences.describe_origin(part): None for part in message["segments"]}
    if not prompt["messages"]:
        yield line(t("report.prompt_failed", why=", ".join(prompt["why_not"])))
    if origins:
        yield f"{line(t('report.prompt_origins'))}:"
        yield _format_list(origins)
    if prompt["masked"]:
        yield line(t("report.prompt_masked"))
    if prompt["fingerprint"]:
        yield line(t("report.prompt_fingerprint", sha=prompt["fingerprint"]))


def _format_finding(finding: Values) -> list[str]:
    first, title = finding["first"], t(f"frame.{finding['severity']}").capitalize()
    counts = [t("report.finding_places", n=finding["count"])]
    counts += [t("overview.first_records", n=finding["records"])] if finding["records"] else []
    parts = [_format_heading(f"{title}: {finding['title']}"), f"{line(', '.join(counts))}; `{finding['code']}`"]
    parts += [line("; ".join(finding["conditions"]))] if finding["conditions"] else []
    if first:
        parts += [line(t("report.finding_first", said=first["said"])), line(first["where"])]
        part = first["excerpt"]
        parts += [_fence_text(part["text"]), line(sentences.describe_excerpt(part))] if part else []
        parts += [line(first["fix"])] if first["fix"] else []
    return parts


def _format_reviewed(report: Values) -> Iterator[str]:
    there = report["reviewed"]
    if there["dataset"]:
        data = t("report.reviewed_data", n=there["records"], path=there["dataset"])
    else:
        data = ""
    parts = [[line(data), line(t("report.reviewed_day", day=there["day"]))]]
    if there["fingerprints"]:
        heads = [t("report.what"), t("report.records"), t("report.failed"), t("report.sha")]
        rows = [[entry["what"], entry["records"], entry["failed"], entry["sha256"]] for entry in there["fingerprints"]]
        parts.append([line(t("report.reviewed_lock")), _format_table(heads, rows)])
    if there["files"]:
        gone = t("report.cannot_read")
        rows = [[entry["path"], entry["what"], entry["sha256"] or gone] for entry in there["files"]]
        parts.append(
            [
                line(t("report.reviewed_files")),
                _format_table([t("report.file"), t("report.what"), t("report.sha")], rows),
            ]
        )
    yield from _format_section("reviewed", parts)


def _format_table(columns: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    def row(cells: Iterable[Any]) -> str:
        return f"| {' | '.join(cells)} |"

    heads = row(line(str(cell)) for cell in columns)
    body = (row(line(sentences.format_cell(cell)) for cell in cells) for cells in rows)
    return "\n".join((heads, row("---" for _ in columns), *body))


def _format_list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line(entry)}" for entry in lines)


def _fence_text(value: str) -> str:
    """Format an exact text between fences; what Markdown cannot carry is written out, and that is said."""
    if UNKEPT.search(value):
        remark = f"\n\n{line(t('report.spelled'))}"
    else:
        remark = ""
    return fence(spelling(value)) + remark
