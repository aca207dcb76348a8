"""Find the next record: by id, by a text in it or in its messages, or by a finding. The address stays as it is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

from readback.assembly import assemble
from readback.types import Assembly, Record
from readback.ui import choice

LOOKED = 2_000  # records whose messages are looked at in one go: some seconds


def by_text(text: str, where: str) -> int | None:
    """The next record (after the one in view, then from the top) of that id, or with the text in `where`.

    `where` is `record` or `prompt`; the case does not matter.
    """
    data, at, wanted = choice.dataset(), choice.position(), text.casefold()
    called = data.find(text)
    if called is not None and called != at:
        return called
    if where == "record":
        return next((index for index in chain(data.search(text, at + 1), data.search(text))), None)
    hits = (index for index, _, made in assembled(at) if any(wanted in m.text.casefold() for m in made.messages))
    return next(hits, None)


def with_finding() -> tuple[int, str] | None:
    """The next record that has a finding under what is sent, and the finding's key."""
    for index, record, made in assembled(choice.position()):
        findings, _ = choice.findings_of(record, made)
        if findings:
            return index, findings[0].key
    return None


def assembled(at: int) -> Iterator[tuple[int, Record, Assembly]]:
    """The records after `at`, then those before it, with their messages."""
    shop, sent, data = choice.workspace(), choice.sent(), choice.dataset()
    for index in islice(chain(range(at + 1, len(data)), range(at)), LOOKED):
        record = data.record(index)
        yield index, record, assemble.assemble(shop, record, sent, choice.answer(sent, record))
