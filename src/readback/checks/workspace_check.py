"""What is wrong with a workspace before any record is looked at: one list for pages, the command line and notebooks."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from readback.checks import condition_named, rules, training
from readback.checks.rules import Fault
from readback.checks.summary import covers
from readback.checks.training import Part
from readback.checks.unread_encoding import name_statement
from readback.prompts.self_tests import list_general_diagnostics, run_self_tests
from readback.readers.bounded_diagnostics import MANY, about, many_of
from readback.readers.progress import Progress
from readback.records import answers
from readback.records.batch_replies import BatchRequests, count_rows
from readback.records.dataset import Dataset
from readback.requests.log import open_log
from readback.scores import loading as scores
from readback.scores import warnings
from readback.scores.pairwise import contestants
from readback.types import Diagnostic, Finding, RuleContext, Workspace


def findings(opened: Workspace, data: Dataset, progress: Progress | None = None) -> tuple[Finding, ...]:
    """What `check` says before it looks at any record, without what the workspace ignores.

    Scores, answers and logs are read for it where nobody has read them yet. Raises Cancelled when `progress` answers
    False.
    """
    every = found(opened, data, training.parts(opened, None, progress), None, progress)
    told = (one for one in every if isinstance(one, Finding))
    return tuple(one for one in told if not any(covers(ignored, one) for ignored in opened.ignore))


def found(
    opened: Workspace,
    data: Dataset,
    beside: Collection[Part] = (),
    codes: Collection[str] | None = None,
    progress: Progress | None = None,
) -> Iterator[Finding | Fault]:
    """What loading noted, what is wrong with what serves the models, and what the rules about the workspace find."""
    yield from (
        rules.finding(diagnostic)
        for diagnostic in diagnostics(opened, data, beside, progress)
        if _wants(codes, diagnostic)
    )
    served = run_self_tests(opened)
    yield from (
        rules.finding(diagnostic)
        for diagnostic in list_general_diagnostics(served, opened)
        if _wants(codes, diagnostic)
    )
    yield from rules.check(RuleContext(opened, self_tests=served), "workspace", codes)


def _wants(codes: Collection[str] | None, diagnostic: Diagnostic) -> bool:
    name = many_of(about(diagnostic)) if diagnostic.code == MANY else diagnostic.code
    return codes is None or name in codes


def diagnostics(
    opened: Workspace, data: Dataset, beside: Collection[Part] = (), progress: Progress | None = None
) -> Iterator[Diagnostic]:
    """The diagnostics of the workspace, of its dataset, the training files `beside` it, answers, scores and logs."""
    yield from opened.diagnostics
    yield from map(name_statement, training.noted(opened, data))
    for part in beside:
        yield from training.noted(part.opened, part.data)
    batches = {one.path for one in opened.scores}  # what is wrong with these is told with their scores
    for condition in opened.conditions:
        if condition.answers:
            replies = answers.open_answers(opened, condition, progress)
            yield from replies.diagnostics
            if replies.batch and replies.dataset and replies.dataset.file not in batches:
                batches.add(replies.dataset.file)
                yield from count_rows(replies.dataset, BatchRequests(opened, data)).report()
            if strangers := answers.find_strangers(replies, data):
                yield strangers
    if opened.scores:
        yield from warnings.diagnostics(scores.load(opened, progress))
    else:
        yield from contestants.diagnostics(opened)
    yield from condition_named.diagnostics(opened)
    yield from open_log(opened, data, progress).diagnostics
