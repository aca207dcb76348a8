"""Whether a report still holds: everything it says is built again as of its date, and compared with what it says.

A checksum can be computed anew by whoever changes a report, so it shows damage and no more. What a report says is
earned only from the workspace and its review.
"""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from readback.quantity import quantity
from readback.reporting import contents, seal
from readback.reporting.forms import FORMS
from readback.reporting.seal import Seal
from readback.review import kept_text
from readback.review.event import FIRST, is_time
from readback.review.leaves import NothingToLock, compute_leaves
from readback.review.locks import lock_check, lock_file
from readback.review.locks.lock_file import BadLock
from readback.review.store import Store
from readback.types import Workspace

LISTED = 10  # differences that are named; the others are counted
SHOWN = 160  # characters of a value or a line in a sentence
TAG = re.compile(r"<[^<>]*>")
APART = ("holds", seal.NAME)  # what is compared by itself


@dataclass(frozen=True, slots=True)
class Verified:
    """`changed` says in sentences what no longer holds; `later` how many events the review has since. `version` is that
    of the Readback that wrote the report, where it is another: then its wording was not compared. `imported` is how
    many of the report's events came with a file, which may claim any author.
    """

    changed: tuple[str, ...]
    later: int = 0
    version: str = ""
    imported: int = 0


def verify_report(opened: Workspace, store: Store, report_seal: Seal, raw: bytes, jobs: int | None = None) -> Verified:
    """Verify what a report (its seal and its bytes) says against a workspace and its review as they are now.

    Raises NotReadable, DatasetChanged, signing.Stopped.
    """
    holds = report_seal.holds
    events = store.events()
    number, time = holds.get("sequence"), holds.get("as_of")
    if not isinstance(number, int) or isinstance(number, bool) or number < 0 or not is_time(time):
        return Verified(("What the report says of its date and its events cannot be read.",))
    hashes = [event.hash for event in events]
    if 0 < number <= len(hashes):
        event_hash = hashes[number - 1]
    elif number == 0:
        event_hash = FIRST
    else:
        event_hash = None
    changed = list(_compare_texts(opened, holds.get("lock"), jobs))
    when = contents.Until(events[:number], str(time))
    values = contents.build_contents(opened, store, when, jobs)
    if values["holds"]["evidence"] != holds.get("evidence"):
        changed.append("The findings or the scores are no longer those of the report.")
    if event_hash != holds.get("event"):
        changed.append("The review does not have the events that the report was made from.")
    imported = sum(event.imported for event in when.events)
    if holds.get("readback") != values["holds"]["readback"]:
        other = str(holds.get("readback"))
    else:
        other = ""
    differences = compare_report(raw, values, other)
    if differences and imported:
        claimed = contents.Until(tuple(replace(event, imported=False) for event in when.events), when.time)
        differences = min(
            differences, compare_report(raw, contents.build_contents(opened, store, claimed, jobs), other), key=len
        )
    changed += differences[:LISTED]
    if (more := len(differences) - LISTED) > 0:
        changed.append(f"{quantity(more, 'more difference')} {'is' if more == 1 else 'are'} not listed.")
    return Verified(tuple(changed), max(0, len(hashes) - number), other, imported)


def compare_report(raw: bytes, values: Mapping[str, Any], other: str = "") -> list[str]:
    """Name each difference between a report's bytes and those that the values give.

    `other`: the version that wrote it, where that is not ours. Of its JSON the entries of people are compared then; the
    sentences of its other forms may be worded otherwise, and are not.
    """
    if raw.startswith(b"{"):
        form = "json"
    elif raw.startswith(b"<!--"):
        form = "markdown"
    else:
        form = "html"
    if other and form != "json":
        return []
    if form == "json":
        return list(_compare_values(raw, values, other))
    expected = FORMS[form](values)
    if expected == raw:
        return []
    return list(_compare_lines(raw, expected))


def _compare_values(raw: bytes, values: Mapping[str, Any], other: str) -> Iterator[str]:
    try:
        there = json.loads(raw)
    except (ValueError, RecursionError):
        yield "The values of the report cannot be read."
        return
    here = json.loads(json.dumps(values, ensure_ascii=True))
    names = ("decisions", "signoffs", "notes") if other else [name for name in (*here, *there) if name not in APART]
    for name in dict.fromkeys(names):
        yield from _find_differences(there.get(name), here.get(name), (name,), bool(other))
    if not other:
        for name in here["holds"]:
            if name not in ("lock", "evidence", "event"):  # these have sentences of their own
                yield from _find_differences(
                    there.get("holds", {}).get(name), here["holds"][name], ("holds", name), False
                )


def _find_differences(there: Any, here: Any, at: Sequence[str | int], shared: bool) -> Iterator[str]:
    """Where two values differ; `shared`: only keys that both have are compared."""
    if isinstance(there, dict) and isinstance(here, dict):
        names = [name for name in here if name in there] if shared else dict.fromkeys((*here, *there))
        for name in names:
            yield from _find_differences(there.get(name), here.get(name), (*at, name), shared)
    elif isinstance(there, list) and isinstance(here, list) and len(there) == len(here):
        for number, (report_value, built_value) in enumerate(zip(there, here, strict=True), 1):
            yield from _find_differences(report_value, built_value, (*at, number), shared)
    elif there != here or type(there) is not type(here):
        place = ", ".join(map(str, at))
        report_value, built_value = _shorten_value(there), _shorten_value(here)
        yield f"{place}: the report says {report_value}, and the files with the review give {built_value}."


def _shorten_value(value: Any) -> str:
    if isinstance(value, list):
        return quantity(len(value), "entry", "entries")
    return _cut_text(json.dumps(value, ensure_ascii=False))


def _compare_lines(raw: bytes, expected: bytes) -> Iterator[str]:
    there, here = (_count_lines(content) for content in (raw, expected))
    only_there, only_here = there - here, here - there
    for line in only_there:
        yield f"The report says: {_cut_text(line)}"
    for line in only_here:
        yield f"The files with the review give: {_cut_text(line)}"
    if not only_there and not only_here:
        yield "The report has the same lines in another order or in another dress."


def _count_lines(raw: bytes) -> Counter[str]:
    """Count the lines of a report as somebody reads them, without what is compared by itself."""
    lines: Counter[str] = Counter()
    for line in raw.decode("utf-8", "backslashreplace").splitlines():
        if seal.NAME in line or "readback-holds" in line:
            continue
        for part in re.split(r"</(?:p|li|div|h\d|td|summary)>", line):
            text = html.unescape(TAG.sub(" ", part)).strip() or part.strip()
            if text:
                lines[" ".join(text.split())] += 1
    return lines


def _cut_text(text: str) -> str:
    if len(text) <= SHOWN:
        return text
    return f"{text[:SHOWN]} …"


def _compare_texts(opened: Workspace, lock: object, jobs: int | None) -> Iterator[str]:
    if not isinstance(lock, str):
        return
    try:
        locked = lock_file.parse_lock(lock)
        leaves = compute_leaves(lock_check.set_day(opened, locked.today), None, None, jobs)
    except (BadLock, kept_text.NotKeptError) as error:
        yield f"The fingerprints of the report cannot be read: {error}."
        return
    except NothingToLock as nothing:
        yield f"Nothing is sent any more: {nothing}."
        return
    for line in lock_check.compare_lock(locked, leaves) if leaves else ():
        if line.state != "same":
            yield f"{lock_file.format_head(line.subject)}: {lock_check.describe_change(line)}."
