"""What is wrong with a workspace before any record is looked at: one list for pages, the command line and notebooks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from readback.checks import rules, training
from readback.checks.rules import Fault
from readback.checks.summary import covers
from readback.checks.training import Part
from readback.prompts.self_tests import list_general_diagnostics, run_self_tests
from readback.readers.bounded_diagnostics import ENCODING, MANY, about, many_of
from readback.readers.encodings import encoding_of
from readback.readers.progress import Progress
from readback.records import answers
from readback.records.batch_replies import BatchRequests, count_rows
from readback.records.dataset import Dataset
from readback.requests.log import open_log
from readback.scores import loading as scores
from readback.scores import warnings
from readback.scores.pairwise import contestants
from readback.types import Condition, Diagnostic, Finding, Location, RuleContext, Workspace


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
        rules.build_finding(diagnostic)
        for diagnostic in diagnostics(opened, data, beside, progress)
        if _wants(codes, diagnostic)
    )
    served = run_self_tests(opened)
    yield from (
        rules.build_finding(diagnostic)
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
        yield from warnings.find_warnings(scores.load(opened, progress))
    else:
        yield from contestants.find_family_judges(opened)
    yield from find_telling_answers(opened)
    yield from open_log(opened, data, progress).diagnostics


LOOKED_AT = 200  # answers of each condition
FEWEST = 5
MOST_OF_ONE, FEW_OF_OTHERS = 0.8, 0.2
SIGNS: Mapping[str, re.Pattern[str]] = {
    "citation marks such as [1]": re.compile(r"\[\d{1,3}\]"),
    "words on what was provided to it": re.compile(
        r"\b(?:based on|according to|from|in) the (?:provided|given|retrieved|supplied) "
        r"(?:documents?|contexts?|passages?|snippets?|sources?|excerpts?)\b",
        re.IGNORECASE,
    ),
}


def find_telling_answers(opened: Workspace) -> Iterator[Diagnostic]:
    """A diagnostic for each judge, condition and sign by which the judge can tell the condition from all its others."""
    by: dict[str, list[Condition]] = {}
    for condition in opened.conditions:
        if condition.judge and condition.answers:
            by.setdefault(condition.judge, []).append(condition)
    shares: dict[str, tuple[int, Mapping[str, float]]] = {}
    for judge, conditions in by.items():
        if len(conditions) < 2:
            continue
        for condition in conditions:
            if condition.name not in shares:
                shares[condition.name] = _shares(opened, condition)
        yield from _telling(judge, [one for one in conditions if shares[one.name][0] >= FEWEST], shares)


def _telling(
    judge: str, conditions: list[Condition], shares: Mapping[str, tuple[int, Mapping[str, float]]]
) -> Iterator[Diagnostic]:
    for sign in SIGNS:
        share = {one.name: shares[one.name][1][sign] for one in conditions}
        high = [name for name, found in share.items() if found >= MOST_OF_ONE]
        low = [name for name, found in share.items() if found <= FEW_OF_OTHERS]
        if len(high) == 1 and len(high) + len(low) == len(share) and low:
            rest = max(share[name] for name in low)
            what = f"{share[high[0]]:.0%} of its answers have {sign}, of every other condition at most {rest:.0%}"
            values = {"condition": high[0], "judge": judge, "what": what}
            yield Diagnostic(
                "jdg-condition-visible", values, Location(condition=high[0], judge=judge), f"{judge}|{sign}"
            )


def _shares(opened: Workspace, condition: Condition) -> tuple[int, Mapping[str, float]]:
    """How many answers were looked at, and the share of them with each sign."""
    texts = [one.text for one in islice(answers.open_answers(opened, condition), LOOKED_AT) if one.text]
    count = len(texts)
    return count, {
        name: sum(bool(sign.search(text)) for text in texts) / count if count else 0.0 for name, sign in SIGNS.items()
    }


def name_statement(diagnostic: Diagnostic) -> Diagnostic:
    """Return the diagnostic of a dataset; one of an encoding that may be stated names the statement."""
    encoding = encoding_of(diagnostic.values.get("looks")) if diagnostic.code == ENCODING else ""
    if not encoding:
        return diagnostic
    return replace(diagnostic, values={**diagnostic.values, "option": encoding})


def find_likely_encoding(diagnostics: Iterable[Diagnostic]) -> str:
    """Return the encoding that may be stated of a dataset with these diagnostics; "" where there is none."""
    encodings = (encoding_of(one.values.get("looks")) for one in diagnostics if one.code == ENCODING)
    return next(filter(None, encodings), "")
