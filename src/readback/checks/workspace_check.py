"""Check a workspace before any record is looked at: one list for pages, the command line and notebooks."""

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
from readback.readers.files.bounded_diagnostics import ENCODING, MANY, about, many_of
from readback.readers.files.decoding import find_encoding_name
from readback.readers.files.progress import Progress
from readback.records.dataset import Dataset
from readback.records.replies import answers
from readback.records.replies.batch_replies import BatchRequests, count_rows
from readback.requests.log import open_log
from readback.scores import loading as scores
from readback.scores import warnings
from readback.scores.pairwise import contestants
from readback.types import Condition, Diagnostic, Finding, Location, RuleContext, Workspace


def list_findings(opened: Workspace, data: Dataset, progress: Progress | None = None) -> tuple[Finding, ...]:
    """Return what `check` reports before it looks at any record, without what the workspace ignores.

    Scores, answers and logs that are not read yet are read for it. Raises Cancelled when `progress` returns False.
    """
    results = check_workspace(opened, data, training.parts(opened, None, progress), None, progress)
    findings = (result for result in results if isinstance(result, Finding))
    return tuple(finding for finding in findings if not any(covers(ignored, finding) for ignored in opened.ignore))


def check_workspace(
    opened: Workspace,
    data: Dataset,
    training_parts: Collection[Part] = (),
    codes: Collection[str] | None = None,
    progress: Progress | None = None,
) -> Iterator[Finding | Fault]:
    """Yield the findings of loading, of the servers of models, and of the rules about the workspace."""
    for diagnostic in list_diagnostics(opened, data, training_parts, progress):
        if _is_wanted(codes, diagnostic):
            yield rules.build_finding(diagnostic)
    self_tests = run_self_tests(opened)
    for diagnostic in list_general_diagnostics(self_tests, opened):
        if _is_wanted(codes, diagnostic):
            yield rules.build_finding(diagnostic)
    yield from rules.check(RuleContext(opened, self_tests=self_tests), "workspace", codes)


def _is_wanted(codes: Collection[str] | None, diagnostic: Diagnostic) -> bool:
    if diagnostic.code == MANY:
        name = many_of(about(diagnostic))
    else:
        name = diagnostic.code
    return codes is None or name in codes


def list_diagnostics(
    opened: Workspace, data: Dataset, training_parts: Collection[Part] = (), progress: Progress | None = None
) -> Iterator[Diagnostic]:
    """Yield the diagnostics of the workspace, its dataset and training files, of answers, scores and logs."""
    yield from opened.diagnostics
    # Where a log is the dataset, what is wrong with it was told when it was opened.
    reported = {_describe(diagnostic) for diagnostic in opened.diagnostics}
    of_data = (each for each in training.noted(opened, data) if _describe(each) not in reported)
    yield from map(name_encoding_option, of_data)
    for part in training_parts:
        yield from training.noted(part.opened, part.data)
    batches = {source.path for source in opened.scores}  # what is wrong with these is told with their scores
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


def _describe(diagnostic: Diagnostic) -> tuple[str, Location, str]:
    """Return what makes two diagnostics the same: their code, their place and what they say."""
    return diagnostic.code, diagnostic.place, repr(diagnostic.values)


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
    """Yield a diagnostic for each judge, condition and sign by which the judge can tell the condition from others.

    A sign is what nearly all answers of one condition have, and hardly any of the others.
    """
    by_judge: dict[str, list[Condition]] = {}
    for condition in opened.conditions:
        if condition.judge and condition.answers:
            by_judge.setdefault(condition.judge, []).append(condition)
    shares: dict[str, tuple[int, Mapping[str, float]]] = {}
    for judge, conditions in by_judge.items():
        if len(conditions) < 2:
            continue
        for condition in conditions:
            if condition.name not in shares:
                shares[condition.name] = _count_signs(opened, condition)
        yield from _compare_shares(judge, [each for each in conditions if shares[each.name][0] >= FEWEST], shares)


def _compare_shares(
    judge: str, conditions: list[Condition], shares: Mapping[str, tuple[int, Mapping[str, float]]]
) -> Iterator[Diagnostic]:
    for sign in SIGNS:
        share = {condition.name: shares[condition.name][1][sign] for condition in conditions}
        high = [name for name, part in share.items() if part >= MOST_OF_ONE]
        low = [name for name, part in share.items() if part <= FEW_OF_OTHERS]
        if len(high) == 1 and len(high) + len(low) == len(share) and low:
            rest = max(share[name] for name in low)
            what = f"{share[high[0]]:.0%} of its answers have {sign}, of every other condition at most {rest:.0%}"
            values = {"condition": high[0], "judge": judge, "what": what}
            yield Diagnostic(
                "jdg-condition-visible", values, Location(condition=high[0], judge=judge), f"{judge}|{sign}"
            )


def _count_signs(opened: Workspace, condition: Condition) -> tuple[int, Mapping[str, float]]:
    """Return how many answers were looked at, and the share of them with each sign."""
    texts = [answer.text for answer in islice(answers.open_answers(opened, condition), LOOKED_AT) if answer.text]
    count = len(texts)
    return count, {
        name: sum(bool(sign.search(text)) for text in texts) / count if count else 0.0 for name, sign in SIGNS.items()
    }


def name_encoding_option(diagnostic: Diagnostic) -> Diagnostic:
    """Return the diagnostic of a dataset; one of an encoding that may be stated names the statement."""
    if diagnostic.code == ENCODING:
        encoding = find_encoding_name(diagnostic.values.get("looks"))
    else:
        encoding = ""
    if not encoding:
        return diagnostic
    return replace(diagnostic, values={**diagnostic.values, "option": encoding})


def find_likely_encoding(diagnostics: Iterable[Diagnostic]) -> str:
    """Return the encoding that may be stated of a dataset with these diagnostics; "" where there is none."""
    encodings = (find_encoding_name(each.values.get("looks")) for each in diagnostics if each.code == ENCODING)
    return next(filter(None, encodings), "")
