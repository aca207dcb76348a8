"""Numbers of which whoever opens a workspace says whether they are scores: −1 stands for no score, say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from readback.types import Criterion
from readback.workspace.draft import Draft

KEY = "numbers"  # of what whoever opens a workspace chooses: CRITERION=failed:-1,99 a line
Meaning = Literal["failed", "scores"]
MEANINGS: tuple[Meaning, ...] = ("failed", "scores")


@dataclass(frozen=True, slots=True)
class NumberMeaning:
    """What the numbers of one criterion were said to be."""

    criterion: str
    meaning: Meaning
    numbers: tuple[float, ...]

    @property
    def line(self) -> str:
        """The choice as the address has it."""
        return f"{self.criterion}={self.meaning}:{','.join(f'{number:g}' for number in self.numbers)}"


def read_choices(text: str | None) -> Iterator[NumberMeaning]:
    """Yield what the lines of a choice say; a line that says nothing is passed over."""
    for line in (text or "").split("\n"):
        criterion, equals, rest = line.rpartition("=")
        meaning, colon, listed = rest.partition(":")
        numbers = tuple(_numbers(listed.split(",")))
        for known in MEANINGS:
            if equals and colon and criterion and numbers and meaning == known:
                yield NumberMeaning(criterion, known, numbers)


def apply_choices(draft: Draft) -> None:
    """Put what was chosen into the criteria, beside what the workspace file says of them."""
    for one in read_choices(draft.chosen.get(KEY)):
        criterion = draft.criteria.get(one.criterion, Criterion(one.criterion))
        if one.meaning == "failed":
            draft.criteria[one.criterion] = replace(criterion, failed=(*criterion.failed, *one.numbers))
        else:
            draft.criteria[one.criterion] = replace(criterion, scores=(*criterion.scores, *one.numbers))


def _numbers(texts: Iterable[str]) -> Iterator[float]:
    for text in texts:
        try:
            value = float(text)
        except ValueError:
            continue
        if abs(value) < 1e15:
            yield value
