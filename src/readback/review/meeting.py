"""What a meeting has before it: the study as it is, what was said of it, what changed, and the agenda of all that."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from readback.checks.run import engine
from readback.checks.summary import Audit
from readback.prompts.children import Progress
from readback.review import signing
from readback.review.agenda import Agenda, agenda, last_signoff
from readback.review.leaves import NothingToLock, worked_out_once
from readback.review.since import NoBefore, Since, since_signoff
from readback.review.state import Review, review
from readback.review.store import Store
from readback.scores import loading
from readback.scores.table import ScoreTable
from readback.types import Workspace


@dataclass(frozen=True, slots=True)
class Meeting:
    """`since` is None where nobody signed off the whole study, or where it cannot be said; then `unsaid` says why."""

    opened: Workspace
    found: Review
    audit: Audit
    table: ScoreTable | None
    agenda: Agenda
    since: Since | None = None
    unsaid: str = ""


def gathered(
    opened: Workspace,
    store: Store,
    day: date,
    found: Review | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Meeting:
    """Everything, from the files as they are now. Raises NotReadable, DatasetChanged, signing.Stopped."""
    found = review(store.events()) if found is None else found
    audit = engine.check(opened, engine.CheckOptions(jobs=jobs, progress=progress))
    if audit.stopped:
        raise signing.Stopped
    table = loading.load(opened) if opened.scores else None
    with worked_out_once():
        since, unsaid = _since(opened, store, found, audit, jobs, progress)
    made = agenda(opened, audit, table, found, day, since)
    return Meeting(opened, found, audit, table, made, since, unsaid)


def _since(
    opened: Workspace, store: Store, found: Review, audit: Audit, jobs: int | None, progress: Progress | None
) -> tuple[Since | None, str]:
    signed = last_signoff(found)
    if signed is None:
        return None, ""
    try:
        return since_signoff(opened, store, signed, found, jobs, progress, audit), ""
    except NoBefore as error:
        return None, str(error)
    except NothingToLock as error:
        return None, f"nothing is sent: {error}"
