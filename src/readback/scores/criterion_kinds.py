"""Who gives a criterion's scores: people, judges or a program; and the order in which criteria are read."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Literal

from readback.scores.agreement.ratings import is_person
from readback.scores.table import SCORED, ScoreTable
from readback.types import Workspace

Kind = Literal["people", "judges", "automatic"]
ORDER: tuple[Kind, ...] = ("people", "judges", "automatic")
# Measures that a program takes of an answer and a reference, by the names that evaluation packages write
METRIC = re.compile(
    r"(?:^|[^a-z])(?:rouge(?:[-_ ]?(?:l|lsum|w|s|su|[1-9]))?|(?:sacre)?bleu(?:[-_ ]?[1-4])?|gleu|meteor|chrf|cider"
    r"|bert[-_ ]?(?:score|rec|prec|kprec|f1|recall|precision)|bleurt|bart[-_ ]?score|comet|mover[-_ ]?score"
    r"|exact[-_ ]?match|em|f1|precision|recall|accuracy|perplexity|ppl|wer|cer|ter|levenshtein|edit[-_ ]?distance"
    r"|jaccard|cosine|mrr|ndcg|map|hit[-_ ]?rate)(?:$|[^a-z])",
    re.IGNORECASE,
)
PROGRAMS = frozenset(
    ("system", "computed", "composite", "automatic", "metric", "metrics", "program", "algorithm", "algorithmic")
)  # what files call the judge of what a program counts


def is_program(judge: str) -> bool:
    """Whether a file's judge is a program that counts, by its name."""
    return judge.strip().lower() in PROGRAMS


def is_metric(criterion: str) -> bool:
    """Whether a criterion has the name of a measure that a program takes (RougeL, BLEU, exact match, …)."""
    return METRIC.search(criterion.removesuffix("_score")) is not None


@lru_cache(maxsize=64)
def kind(table: ScoreTable, criterion: str) -> Kind:
    """Whose scores these are: people's, where a person gave any; a program's, by its own or the measure's name."""
    names = scored_by(table, criterion)
    if any(is_person(name, table.people) for name in names):
        return "people"
    counted = bool(names) and all(map(is_program, names))
    if counted or is_metric(criterion):
        return "automatic"
    return "judges"


@lru_cache(maxsize=256)
def scored_by(table: ScoreTable, criterion: str) -> tuple[str, ...]:
    """Who has scored cells of a criterion, in the order of the files."""
    import numpy as np

    c = table.columns
    if criterion not in c.criteria:
        return ()
    here = np.asarray(c.criterion) == c.criteria.index(criterion)
    here &= np.frombuffer(c.state, np.uint8) == SCORED
    return tuple(c.judges[code] for code in np.unique(np.asarray(c.judge)[here]).tolist())


def ordered(
    table: ScoreTable, declared: Sequence[str] = (), headline: str | None = None, planned: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the criteria that have rows, in the order to read them in.

    The workspace's headline is first, then those it means to compare, those it declares in its order, then what people
    scored, what judges did, and automatic metrics; ties in the order of the files. Names count without their ending
    `_score`.
    """
    place = {_bare(name): at for at, name in reversed(list(enumerate(declared)))}
    plan, first = {_bare(name) for name in planned}, _bare(headline) if headline else None

    def rank(name: str) -> tuple[bool, bool, int, int]:
        called = _bare(name)
        return called != first, called not in plan, place.get(called, len(place)), ORDER.index(kind(table, name))

    return tuple(sorted(table.columns.criteria, key=rank))


def order_of(table: ScoreTable, workspace: Workspace) -> tuple[str, ...]:
    """`ordered`, as the workspace declares criteria, names one its headline and means to compare some."""
    planned = {name for comparison in table.planned for name in comparison.criteria}
    return ordered(table, tuple(workspace.criteria), workspace.headline, planned)


def _bare(criterion: str) -> str:
    return criterion.removesuffix("_score")
