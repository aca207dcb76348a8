"""A comparison in words, for pages and commands alike: its sentence, its verdict, its test, what was expected of it.

`name` says what a condition is called: `short` for a page, by the factors of its heading for a command.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from readback.scores.comparing.comparison import LOST, Blocked, Comparison
from readback.scores.comparing.winner import Best
from readback.scores.table import ConditionKey, ScoreTable
from readback.scores.values.criteria import MINUS, number
from readback.types import Criterion
from readback.words import t

FEW = 2  # factors that a sentence can name
CLOSE = 0.5  # of the last digit shown
NARROW = 0.01  # from this p on a difference is only just clear: chance alone shows one as large in one study of 100
PEOPLE = "*people"  # as scores/pooled.py calls the pool of people
NOTHING = 1e-9  # what sums of floating numbers leave where the result is zero

# The answer to "which is better?" by what was found, and by whether the comparison is fair.
FOUND = {
    "b is higher": "better",
    "a is higher": "better",
    "not separated": "open",
    "equivalent": "equal",
    "constant": "constant",
    "incomplete": "incomplete",
    "too few": "few",
    "in question": "question",
    "disputed": "disputed",
}
SAID = {
    "not separated": "open",
    "equivalent": "equal",
    "constant": "constant",
    "incomplete": "incomplete",
    "disputed": "disputed",
}
NO_ANSWER = ("incomplete", "few", "question", "disputed")  # what is not known, whether the comparison is fair or not

Line = Comparison | Blocked
Name = Callable[[ConditionKey], str]


def sentence(comparison: Comparison, name: Name, criterion: Criterion, below: str | None = None) -> str:
    """One comparison with its numbers, and no more than they say; the higher condition is named first.

    `below` is the kind of the verdict on the comparison where the sentence stands below its `answer`: what that says is
    not said again, and `power` stands beside the sentence.
    """
    if comparison.verdict == "in question":
        return t(
            "scores.said_question",
            criterion=comparison.criterion,
            numbers=_numbers(comparison),
            entry=comparison.questions[0].key,
        )
    if comparison.difference is None or comparison.verdict == "too few":
        return t("scores.said_few", a=name(comparison.a), b=name(comparison.b), n=comparison.n_shared)
    up = comparison.difference >= 0
    if up:
        high, low = (comparison.b, comparison.a)
    else:
        high, low = (comparison.a, comparison.b)
    if up is (criterion.direction != "down"):
        better, worse = (comparison.wins, comparison.losses)
    else:
        better, worse = (comparison.losses, comparison.wins)
    placeholders = {
        "n": comparison.n_shared,
        "high": name(high),
        "low": name(low),
        "by": signed(abs(comparison.difference)),
        "interval": interval(comparison, turned=not up),
        "higher": comparison.wins if up else comparison.losses,
        "lower": comparison.losses if up else comparison.wins,
        "same": comparison.ties,
        "better": better,
        "worse": worse,
        "margin": "" if comparison.margin is None else f"{comparison.margin:g}",
        "failed": comparison.failed,
        "where": _where(comparison, name),
        "all": comparison.n_shared + comparison.failed,
        "bounds": _bounds(comparison, name(high), name(low), turned=not up),
        "who": _who(comparison),
        "alpha": signed(comparison.alpha),
    }
    key = SAID.get(comparison.verdict, "higher")
    if key == "open" and abs(comparison.difference) < NOTHING:
        key = "even"
    if key == "higher" and below in ("unfair", "unknown"):
        key = "counted"  # who calls an answer better there takes the comparison as fair
    text = t(f"scores.said_{key}", **placeholders)
    if key in ("open", "even") and below is None:
        text = " ".join(filter(None, (t("scores.said_none"), text, power(comparison))))
    clear = key in ("higher", "counted")
    if comparison.failing and key != "incomplete" and (clear or below is None):  # else the answer has said it
        text = f"{text} {t('scores.said_despite' if clear else 'scores.said_failing', **placeholders)}"
    if clear and criterion.direction == "down":
        return f"{text} {t('scores.down')}"
    return text


def failing(comparison: Comparison, name: Name) -> str:
    """For how many questions the judge gave no score, and under which of the two, and that this decides nothing where
    one is higher all the same; "" where it failed for few.
    """
    if not comparison.failing:
        return ""
    placeholders = {
        "failed": comparison.failed,
        "all": comparison.n_shared + comparison.failed,
        "where": _where(comparison, name),
    }
    if FOUND[comparison.verdict] != "better":
        return t("scores.said_failing", **placeholders)
    return t(
        "scores.said_despite",
        high=name(comparison.b if comparison.verdict == "b is higher" else comparison.a),
        bounds="",
        **placeholders,
    )


def doubtful(comparison: Comparison, fair: str = "") -> str:
    """Why there is no clear difference although the interval or the test alone would say so, and how often chance alone
    shows one that is only just clear; "" where neither is so, and where it would mean nothing: `fair` is that of
    `answer`.
    """
    if fair in ("unfair", "unknown"):
        return ""
    if (p := _narrow(comparison)) is not None:
        return t("scores.narrow_here", n=int(1 / p))
    if comparison.adjusted_away:
        return t("scores.holm_here")
    if comparison.at_odds and comparison.verdict == "not separated":
        return t("scores.at_odds_here")
    return ""


def power(comparison: Comparison, fair: str = "") -> str:
    """Which difference a sample like this would mostly find; "" where one was found, where this is not known, and where
    it would mean nothing: `fair` is that of `answer`.
    """
    if comparison.verdict != "not separated" or comparison.detectable is None or fair in ("unfair", "unknown"):
        return ""
    return t("scores.power", detectable=f"{comparison.detectable:.2g}")


def answer(line: Line, name: Name, criterion: Criterion, fair: str = "") -> str:
    """Which of the two is better, in a few words; `fair` is the kind of the verdict on the comparison, `unchecked`
    before a check and empty where none can be given. An unfair comparison has no better side, whatever its scores.
    """
    question = not isinstance(line, Blocked) and line.in_question
    if fair in ("unfair", "unknown") and not question:
        return t("scores.answer_unknown_open" if includes_no_difference(line, fair) else f"scores.answer_{fair}")
    sentence_text = _answer(line, name, criterion)
    has_answer = not isinstance(line, Blocked) and FOUND[line.verdict] not in NO_ANSWER
    if has_answer and fair in ("same", "unchecked"):
        sentence_text = t(f"scores.answer_{fair}", text=sentence_text)
    if isinstance(line, Blocked) or line.verdict in ("in question", "incomplete"):
        return sentence_text
    return add_unscored(line, name, sentence_text)


def best(leader: Best, other_count: int, name: Name, *, checked: bool = True, unfair: int = 0) -> str:
    """Which of several conditions is best, in a few words; it is not known yet whether they may be compared where this
    is not `checked`, and `unfair` more are clear and not known to be fair.
    """
    if not leader.clear and not unfair and (why := _no_answer(leader)):
        return why
    sure = [comparison for comparison in leader.clear if _narrow(comparison) is None]
    placeholders = {"best": name(leader.condition), "n": other_count, "clear": len(sure or leader.clear)}
    if unfair and not leader.clear:
        return t("scores.best_not_fair", **placeholders)
    if len(sure) == other_count:
        key = "all"
    elif sure:
        key = "some"
    elif leader.clear:
        key = "narrow"
    else:
        key = "none"
    if key == "some" and len(sure) == 1:
        key = "one"
        placeholders["other"] = name(sure[0].b if sure[0].a == leader.condition else sure[0].a)
    sentence_text = t(f"scores.best_{key}", **placeholders)
    if checked or not leader.clear:
        return sentence_text
    return t("scores.best_unchecked", text=sentence_text)


def _no_answer(leader: Best) -> str:
    """Return why nothing is known of any pair, or that conditions have the same mean; "" where neither is so."""
    for verdict in ("in question", "disputed"):
        if comparison := next((pair for pair in leader.open if pair.verdict == verdict), None):
            return t(f"scores.answer_{FOUND[verdict]}", who=_who(comparison), numbers=_numbers(comparison))
    same = [
        comparison
        for comparison in leader.open
        if comparison.difference is not None and abs(comparison.difference) < NOTHING
    ]
    if not same:
        return ""
    if len(same) < len(leader.open):
        return t("scores.best_tied", n=len(same) + 1)
    means = {signed(mean) for pair in same for mean in (pair.mean_a, pair.mean_b)}
    if len(means) > 1:  # each pair shares other questions
        return t("scores.best_tied_shared", n=len(same) + 1)
    return t("scores.best_tied_all", n=len(same) + 1, mean=means.pop())


def is_conclusive(line: Line) -> bool:
    """Tell whether the scores of a pair say what was asked: one side is clearly higher, or both are equal within the
    margin.
    """
    return not isinstance(line, Blocked) and (is_clear(line) or line.verdict == "equivalent")


def includes_no_difference(line: Line, fair: str) -> bool:
    """Tell whether the interval of a difference includes 0, so that the scores would not tell either if the comparison
    proved to be fair; of one that is not fair the interval says nothing.
    """
    if fair != "unknown" or isinstance(line, Blocked) or line.span is None or line.verdict != "not separated":
        return False
    return line.span[0] <= 0 <= line.span[1]


def is_clear(comparison: Comparison) -> bool:
    """Tell whether one side is higher by more than chance explains, and it is more than hardly so."""
    return FOUND[comparison.verdict] == "better" and _narrow(comparison) is None


def better_side(comparison: Comparison, criterion: Criterion) -> ConditionKey | None:
    """Return the side that is better by the direction of the scale; None where neither way is."""
    if criterion.direction == "none":
        return None
    return _better(comparison, criterion)


def not_shown(line: Line, name: Name, criterion: Criterion, fair: str) -> str:
    """Where the comparison is not fair and one side scores clearly higher: that this does not make it the better."""
    if fair not in ("unfair", "unknown") or isinstance(line, Blocked) or FOUND[line.verdict] != "better":
        return ""
    return t("scores.not_shown", best=name(_better(line, criterion)))


def _answer(line: Line, name: Name, criterion: Criterion) -> str:
    if isinstance(line, Blocked):
        return t("scores.answer_blocked")
    answer_kind = FOUND[line.verdict]
    if answer_kind != "better":
        return t(f"scores.answer_{answer_kind}", who=_who(line), numbers=_numbers(line))
    if _narrow(line) is not None:
        kind = "_narrow"
    elif line.small:
        kind = "_small"
    else:
        kind = ""
    by = size(line, criterion)
    by = t("scores.size_of", size=by) if by else ""
    if criterion.direction == "none":
        high = name(line.b if line.verdict == "b is higher" else line.a)
        return t(f"scores.answer_higher{kind}", high=high, size=by)
    return t(f"scores.answer_better{kind}", best=name(_better(line, criterion)), size=by)


def size(comparison: Comparison, criterion: Criterion) -> str:
    """Return how large a difference is beside the length of its scale: `0.10 of 3 points`; "" where it has no ends."""
    if comparison.difference is None or not comparison.length:
        return ""
    if criterion.scale == "binary":
        return t("scores.size_rate", by=f"{100 * abs(comparison.difference):.1f}".removesuffix(".0"))
    return t(
        "scores.size", by=signed(abs(comparison.difference)), length=number(comparison.length), n=comparison.length
    )


def get_unit(criterion: Criterion) -> float:
    """Return by what a difference is multiplied before it is shown: one of rates is in percentage points."""
    if criterion.scale == "binary":
        return 100.0
    return 1.0


def format_difference(value: float | None, criterion: Criterion) -> str:
    """Format a difference with its sign in the unit of `get_unit`, a rate with one digit: `+4.4` for +0.044."""
    if value is None or criterion.scale != "binary":
        return plus(value)
    text = signed(100 * value, 1)
    if value > 0:
        return f"+{text}"
    return text


def add_unscored(comparison: Comparison, name: Name, answer: str) -> str:
    """Return the answer with how many questions have no score on one side, where these are many."""
    if comparison.failing:
        placeholders = {
            "failed": comparison.failed,
            "all": comparison.n_shared + comparison.failed,
            "where": _where(comparison, name),
        }
        return t("scores.answer_lost", text=answer, **placeholders)
    alone = comparison.only_a + comparison.only_b
    if alone > LOST * (comparison.n_shared + alone):
        return t("scores.answer_part", text=answer, n=comparison.n_shared, all=comparison.n_shared + alone)
    return answer


def _numbers(comparison: Comparison) -> str:
    """Return the numbers that may be no scores."""
    return ", ".join(dict.fromkeys(question.numbers for question in comparison.questions)).replace("-", MINUS)


def _who(comparison: Comparison) -> str:
    """Return whose scores they are, where they are means over several."""
    return name_scorers(comparison.judge)


def name_scorers(judge: str) -> str:
    """Return what those are called whose means these scores are: people or judges."""
    return t("agenda.people" if judge == PEOPLE else "agenda.judges")


def _better(comparison: Comparison, criterion: Criterion) -> ConditionKey:
    up = comparison.verdict == "b is higher"
    if up is (criterion.direction != "down"):
        return comparison.b
    return comparison.a


def _where(comparison: Comparison, name: Name) -> str:
    """Under which of the two the judge failed."""
    if 0 < comparison.failed_b < comparison.failed:
        return t("scores.failed_both")
    return t("scores.failed_here", name=name(comparison.b if comparison.failed_b else comparison.a))


def _bounds(comparison: Comparison, high: str, low: str, *, turned: bool) -> str:
    """How far the difference could move, in words; empty where the scale has no ends."""
    if comparison.bounds_interval is None:
        return ""
    if turned:
        least, most = (-comparison.bounds_interval[1], -comparison.bounds_interval[0])
    else:
        least, most = comparison.bounds_interval
    return t("scores.bounds", high=high, low=low, least=_bound(least), most=_bound(most))


def _bound(value: float) -> str:
    return t(f"scores.bound_{'lower' if value < 0 else 'higher'}", by=signed(abs(value)))


def interval(comparison: Comparison, *, turned: bool) -> str:
    """Format the interval of a difference, turned round where the sentence names the sides the other way."""
    if comparison.span is None:
        return t("scores.no_interval")
    if turned:
        low, high = (-comparison.span[1], -comparison.span[0])
    else:
        low, high = comparison.span
    return t("scores.interval", low=signed(low), high=signed(high))


def outcome(line: Comparison, fair: str, *, by_chance: bool = False) -> str:
    """Return what was found of a pair, in a few words that name no side, as `answer` says it; `fair` is as there.

    `by_chance` adds how often chance alone gives a difference that is only just clear, where `doubtful` is not beside.
    Where the two may not be compared, or this cannot be told, the scores are no answer, clear or not.
    """
    if fair in ("unfair", "unknown") and not line.in_question:
        return t("scores.outcome_unknown_open" if includes_no_difference(line, fair) else "scores.outcome_unknown")
    if (answer_kind := FOUND[line.verdict]) != "better":
        return t(f"scores.answer_{answer_kind}", who=_who(line), numbers=_numbers(line))
    if (p := _narrow(line)) is not None:
        return t("scores.outcome_by_chance" if by_chance else "scores.outcome_narrow", n=int(1 / p))
    return t(f"scores.outcome_{'small' if line.small else 'clear'}")


def verdict(line: Line, name: Name) -> str:
    """Describe a verdict in a few words."""
    if isinstance(line, Blocked):
        return t("scores.verdict_blocked")
    return t(f"scores.verdict_{line.verdict.replace(' ', '_')}", a=name(line.a), b=name(line.b), who=_who(line))


def tested(comparison: Comparison) -> str:
    """The test in a few words: p, and for how many comparisons of which kind it is corrected."""
    p = _p(comparison)
    if p is None or comparison.verdict in (
        "incomplete",
        "in question",
    ):  # then p is about the lesser part that was scored
        return ""
    if comparison.planned is not None:
        key = "scores.p_planned"
    else:
        key = "scores.p_exploratory"
    return t(key, p=p_text(p), n=comparison.family)


def _p(comparison: Comparison) -> float | None:
    """Return the p to show: corrected for the comparisons tested together, where there are several."""
    if comparison.p_adjusted is None:
        return comparison.p
    return comparison.p_adjusted


def _narrow(comparison: Comparison) -> float | None:
    """p of a difference that is clear, and hardly more than that; else None."""
    p = _p(comparison)
    if p is not None and p >= NARROW and FOUND[comparison.verdict] == "better":
        return p
    return None


def untouched(
    comparison: Comparison, touched: Collection[str], rest: Comparison | None, name: Name, *, same: bool = False
) -> str:
    """Compare the difference on the records that errors do not touch with that on all; say why there is none, where so.
    `same` says that the comparison is fair, because both sides have the errors.
    """
    if rest is None or comparison.difference is None:
        return t("scores.untouched_none")
    if not rest.n_shared:
        return t("scores.untouched_all_same" if same else "scores.untouched_all", n=len(touched))
    if rest.difference is None or rest.span is None:
        return t("scores.untouched_few", touched=len(touched), n=rest.n_shared)
    up = comparison.difference >= 0
    if up:
        high, low = (comparison.b, comparison.a)
    else:
        high, low = (comparison.a, comparison.b)
    placeholders = {"touched": len(touched), "high": name(high), "low": name(low), "rest": rest.n_shared}
    sign = 1 if up else -1
    return t(
        "scores.untouched",
        by=plus(sign * comparison.difference),
        rest_by=plus(sign * rest.difference),
        rest_interval=interval(rest, turned=not up),
        **placeholders,
    )


def expected(line: Line, name: Name) -> str:
    """Return the study's own words; where it only names a side, that condition."""
    if line.planned:
        text = line.planned.expected
    else:
        text = ""
    side = {"a": line.a, "b": line.b}.get(text.strip().lower())
    if side is not None:
        return t("scores.verdict_b_is_higher", a="", b=name(side))
    return text


def short(table: ScoreTable, condition: ConditionKey) -> str:
    """Name a condition in a sentence: with many factors only their values, which the table names."""
    pairs = [pair for pair in condition if pair[0] in table.varying]
    if condition in table.columns.conditions and len(pairs) <= FEW:
        return table.label(condition)
    return " · ".join(value for _, value in pairs or condition)


def signed(value: float | None, digits: int = 2) -> str:
    """Format a number with a real minus sign; a small one gets more digits, so that no difference reads 0.00."""
    if value is None:
        return "–"
    small = NOTHING < abs(value) < CLOSE * 10**-digits
    return f"{value:.{digits + 2 if small else digits}f}".replace("-", MINUS)


def plus(value: float | None) -> str:
    """Format a difference with its sign."""
    text = signed(value)
    if value is not None and value > 0:
        return f"+{text}"
    return text


def subtraction(numbers: Iterable[tuple[float | None, float | None, float | None]]) -> str:
    """Say that numbers are rounded one by one, where somebody who subtracts two displayed means, or two scores, does
    not get the difference that is shown beside them; "" where none is off. Each is two numbers and their difference.
    """
    if any(_off(*value) for value in numbers):
        return t("scores.rounded")
    return ""


def _off(a: float | None, b: float | None, difference: float | None) -> bool:
    if a is None or b is None or difference is None:
        return False
    rounded = float(signed(abs(difference)))
    return abs(abs(round(a, 2) - round(b, 2)) - rounded) > NOTHING


def p_text(p: float) -> str:
    """Format a p value as people write it."""
    if p < 0.001:
        return "< 0.001"
    if p < 0.1:
        return f"= {p:.3f}"
    return f"= {p:.2f}"
