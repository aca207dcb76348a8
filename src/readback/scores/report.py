"""A comparison in words, for pages and commands alike: its sentence, its verdict, its test, what was expected of it.

`name` says what a condition is called: `short` for a page, by the factors of its heading for a command.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from readback.scores.comparing.comparison import LOST, Blocked, Comparison
from readback.scores.comparing.winner import Best
from readback.scores.criteria import MINUS, number
from readback.scores.table import ConditionKey, ScoreTable
from readback.types import Criterion
from readback.words import t

FEW = 2  # factors that a sentence can name
CLOSE = 0.5  # of the last digit shown
NARROW = 0.01  # from this p on a difference is only just clear: chance alone shows one as large in one study of 100
PEOPLE = "*people"  # as scores/pooled.py calls the pool of people
NOTHING = 1e-9  # what sums of floating numbers leave where the result is zero

# The answer to "which is better?" by what was found, and by whether the comparison is fair.
FOUND = {"b is higher": "better", "a is higher": "better", "not separated": "open", "equivalent": "equal",
         "constant": "constant", "incomplete": "incomplete", "too few": "few", "in question": "question",
         "disputed": "disputed"}  # fmt: skip
SAID = {"not separated": "open", "equivalent": "equal", "constant": "constant", "incomplete": "incomplete",
        "disputed": "disputed"}  # fmt: skip
NO_ANSWER = ("incomplete", "few", "question", "disputed")  # what is not known, whether the comparison is fair or not

Line = Comparison | Blocked
Name = Callable[[ConditionKey], str]


def sentence(one: Comparison, name: Name, criterion: Criterion, below: str | None = None) -> str:
    """One comparison with its numbers, and no more than they say; the higher condition is named first.

    `below` is the kind of the verdict on the comparison where the sentence stands below its `answer`: what that says is
    not said again, and `power` stands beside the sentence.
    """
    if one.verdict == "in question":
        return t("scores.said_question", criterion=one.criterion, numbers=_numbers(one), entry=one.questions[0].key)
    if one.difference is None or one.verdict == "too few":
        return t("scores.said_few", a=name(one.a), b=name(one.b), n=one.n_shared)
    up = one.difference >= 0
    high, low = (one.b, one.a) if up else (one.a, one.b)
    better, worse = (one.wins, one.losses) if up is (criterion.direction != "down") else (one.losses, one.wins)
    given = {
        "n": one.n_shared,
        "high": name(high),
        "low": name(low),
        "by": signed(abs(one.difference)),
        "interval": interval(one, turned=not up),
        "higher": one.wins if up else one.losses,
        "lower": one.losses if up else one.wins,
        "same": one.ties,
        "better": better,
        "worse": worse,
        "margin": "" if one.margin is None else f"{one.margin:g}",
        "failed": one.failed,
        "where": _where(one, name),
        "all": one.n_shared + one.failed,
        "bounds": _bounds(one, name(high), name(low), turned=not up),
        "who": _who(one),
        "alpha": signed(one.alpha),
    }
    key = SAID.get(one.verdict, "higher")
    if key == "open" and abs(one.difference) < NOTHING:
        key = "even"
    if key == "higher" and below in ("unfair", "unknown"):
        key = "counted"  # who calls an answer better there takes the comparison as fair
    said = t(f"scores.said_{key}", **given)
    if key in ("open", "even") and below is None:
        said = " ".join(filter(None, (t("scores.said_none"), said, power(one))))
    clear = key in ("higher", "counted")
    if one.failing and key != "incomplete" and (clear or below is None):  # else the answer has said it
        said = f"{said} {t('scores.said_despite' if clear else 'scores.said_failing', **given)}"
    return f"{said} {t('scores.down')}" if clear and criterion.direction == "down" else said


def failing(one: Comparison, name: Name) -> str:
    """For how many questions the judge gave no score, and under which of the two, and that this decides nothing where
    one is higher all the same; "" where it failed for few.
    """
    if not one.failing:
        return ""
    given = {"failed": one.failed, "all": one.n_shared + one.failed, "where": _where(one, name)}
    if FOUND[one.verdict] != "better":
        return t("scores.said_failing", **given)
    return t("scores.said_despite", high=name(one.b if one.verdict == "b is higher" else one.a), bounds="", **given)


def doubtful(one: Comparison, fair: str = "") -> str:
    """Why there is no clear difference although the interval or the test alone would say so, and how often chance alone
    shows one that is only just clear; "" where neither is so, and where it would mean nothing: `fair` is that of
    `answer`.
    """
    if fair in ("unfair", "unknown"):
        return ""
    if (p := _narrow(one)) is not None:
        return t("scores.narrow_here", n=int(1 / p))
    if one.adjusted_away:
        return t("scores.holm_here")
    return t("scores.at_odds_here") if one.at_odds and one.verdict == "not separated" else ""


def power(one: Comparison, fair: str = "") -> str:
    """Which difference a sample like this would mostly find; "" where one was found, where this is not known, and where
    it would mean nothing: `fair` is that of `answer`.
    """
    if one.verdict != "not separated" or one.detectable is None or fair in ("unfair", "unknown"):
        return ""
    return t("scores.power", detectable=f"{one.detectable:.2g}")


def answer(one: Line, name: Name, criterion: Criterion, fair: str = "") -> str:
    """Which of the two is better, in a few words; `fair` is the kind of the verdict on the comparison, `unchecked`
    before a check and empty where none can be given. An unfair comparison has no better side, whatever its scores.
    """
    question = not isinstance(one, Blocked) and one.in_question
    if fair in ("unfair", "unknown") and not question:
        return t(f"scores.answer_{fair}")
    said = _answer(one, name, criterion)
    known = not isinstance(one, Blocked) and FOUND[one.verdict] not in NO_ANSWER
    said = t(f"scores.answer_{fair}", text=said) if known and fair in ("same", "unchecked") else said
    if isinstance(one, Blocked) or one.verdict in ("in question", "incomplete"):
        return said
    return _lost(one, name, said)


def best(found: Best, others: int, name: Name, *, checked: bool = True, unfair: int = 0) -> str:
    """Which of several conditions is best, in a few words; it is not known yet whether they may be compared where this
    is not `checked`, and `unfair` more are clear and not known to be fair.
    """
    if not found.clear and not unfair and (why := _no_answer(found)):
        return why
    sure = [one for one in found.clear if _narrow(one) is None]
    given = {"best": name(found.condition), "n": others, "clear": len(sure or found.clear)}
    if unfair and not found.clear:
        return t("scores.best_not_fair", **given)
    key = "all" if len(sure) == others else "some" if sure else "narrow" if found.clear else "none"
    said = t(f"scores.best_{key}", **given)
    return said if checked or not found.clear else t("scores.best_unchecked", text=said)


def _no_answer(found: Best) -> str:
    """Return why nothing is known of any pair, or that conditions have the same mean; "" where neither is so."""
    for verdict in ("in question", "disputed"):
        if one := next((each for each in found.open if each.verdict == verdict), None):
            return t(f"scores.answer_{FOUND[verdict]}", who=_who(one), numbers=_numbers(one))
    same = [one for one in found.open if one.difference is not None and abs(one.difference) < NOTHING]
    if same:
        return t("scores.best_tied" if len(same) < len(found.open) else "scores.best_tied_all", n=len(same) + 1)
    return ""


def is_clear(one: Comparison) -> bool:
    """Tell whether one side is higher by more than chance explains, and it is more than hardly so."""
    return FOUND[one.verdict] == "better" and _narrow(one) is None


def better_side(one: Comparison, criterion: Criterion) -> ConditionKey | None:
    """Return the side that is better by the direction of the scale; None where neither way is."""
    return None if criterion.direction == "none" else _better(one, criterion)


def not_shown(one: Line, name: Name, criterion: Criterion, fair: str) -> str:
    """Where the comparison is not fair and one side scores clearly higher: that this does not make it the better."""
    if fair not in ("unfair", "unknown") or isinstance(one, Blocked) or FOUND[one.verdict] != "better":
        return ""
    return t("scores.not_shown", best=name(_better(one, criterion)))


def _answer(one: Line, name: Name, criterion: Criterion) -> str:
    if isinstance(one, Blocked):
        return t("scores.answer_blocked")
    found = FOUND[one.verdict]
    if found != "better":
        return t(f"scores.answer_{found}", who=_who(one), numbers=_numbers(one))
    kind = "_narrow" if _narrow(one) is not None else "_small" if one.small else ""
    by = size(one, criterion)
    by = t("scores.size_of", size=by) if by else ""
    if criterion.direction == "none":
        high = name(one.b if one.verdict == "b is higher" else one.a)
        return t(f"scores.answer_higher{kind}", high=high, size=by)
    return t(f"scores.answer_better{kind}", best=name(_better(one, criterion)), size=by)


def size(one: Comparison, criterion: Criterion) -> str:
    """Return how large a difference is beside the length of its scale: `0.10 of 3 points`; "" where it has no ends."""
    if one.difference is None or not one.length:
        return ""
    if criterion.scale == "binary":
        return t("scores.size_rate", by=f"{100 * abs(one.difference):.1f}".removesuffix(".0"))
    return t("scores.size", by=signed(abs(one.difference)), length=number(one.length), n=one.length)


def _lost(one: Comparison, name: Name, answer: str) -> str:
    """Return the answer with how many questions have no score on one side, where these are many."""
    if one.failing:
        given = {"failed": one.failed, "all": one.n_shared + one.failed, "where": _where(one, name)}
        return t("scores.answer_lost", text=answer, **given)
    alone = one.only_a + one.only_b
    if alone > LOST * (one.n_shared + alone):
        return t("scores.answer_part", text=answer, n=one.n_shared, all=one.n_shared + alone)
    return answer


def _numbers(one: Comparison) -> str:
    """Return the numbers that may be no scores."""
    return ", ".join(dict.fromkeys(each.numbers for each in one.questions)).replace("-", MINUS)


def _who(one: Comparison) -> str:
    """Return whose scores they are, where they are means over several."""
    return t("agenda.people" if one.judge == PEOPLE else "agenda.judges")


def _better(one: Comparison, criterion: Criterion) -> ConditionKey:
    up = one.verdict == "b is higher"
    return one.b if up is (criterion.direction != "down") else one.a


def _where(one: Comparison, name: Name) -> str:
    """Under which of the two the judge failed."""
    if 0 < one.failed_b < one.failed:
        return t("scores.failed_both")
    return t("scores.failed_here", name=name(one.b if one.failed_b else one.a))


def _bounds(one: Comparison, high: str, low: str, *, turned: bool) -> str:
    """How far the difference could move, in words; empty where the scale has no ends."""
    if one.bounds_interval is None:
        return ""
    least, most = (-one.bounds_interval[1], -one.bounds_interval[0]) if turned else one.bounds_interval
    return t("scores.bounds", high=high, low=low, least=_bound(least), most=_bound(most))


def _bound(value: float) -> str:
    return t(f"scores.bound_{'lower' if value < 0 else 'higher'}", by=signed(abs(value)))


def interval(one: Comparison, *, turned: bool) -> str:
    """The interval of a difference in words, turned round where the sentence names the sides the other way."""
    if one.span is None:
        return t("scores.no_interval")
    low, high = (-one.span[1], -one.span[0]) if turned else one.span
    return t("scores.interval", low=signed(low), high=signed(high))


def verdict(one: Line, name: Name) -> str:
    """What was found, in a few words."""
    if isinstance(one, Blocked):
        return t("scores.verdict_blocked")
    return t(f"scores.verdict_{one.verdict.replace(' ', '_')}", a=name(one.a), b=name(one.b))


def tested(one: Comparison) -> str:
    """The test in a few words: p, and for how many comparisons of which kind it is corrected."""
    p = _p(one)
    if p is None or one.verdict in ("incomplete", "in question"):  # then p is about the lesser part that was scored
        return ""
    key = "scores.p_planned" if one.planned is not None else "scores.p_exploratory"
    return t(key, p=p_text(p), n=one.family)


def _p(one: Comparison) -> float | None:
    """The p that is shown: corrected for the comparisons made together, where there are several."""
    return one.p if one.p_adjusted is None else one.p_adjusted


def _narrow(one: Comparison) -> float | None:
    """p of a difference that is clear, and hardly more than that; else None."""
    p = _p(one)
    return p if p is not None and p >= NARROW and FOUND[one.verdict] == "better" else None


def untouched(
    one: Comparison, touched: Collection[str], rest: Comparison | None, name: Name, *, same: bool = False
) -> str:
    """The difference on the records that errors do not touch, beside that on all; why there is none, where so. `same`
    says that the comparison is fair, because both sides have the errors.
    """
    if rest is None or one.difference is None:
        return t("scores.untouched_none")
    if not rest.n_shared:
        return t("scores.untouched_all_same" if same else "scores.untouched_all", n=len(touched))
    if rest.difference is None or rest.span is None:
        return t("scores.untouched_few", touched=len(touched), n=rest.n_shared)
    up = one.difference >= 0
    high, low = (one.b, one.a) if up else (one.a, one.b)
    given = {"touched": len(touched), "high": name(high), "low": name(low), "rest": rest.n_shared}
    sign = 1 if up else -1
    return t(
        "scores.untouched", by=plus(sign * one.difference), rest_by=plus(sign * rest.difference),
        rest_interval=interval(rest, turned=not up), **given,
    )  # fmt: skip


def expected(one: Line, name: Name) -> str:
    """The study's own words; where it only names a side, that condition."""
    text = one.planned.expected if one.planned else ""
    side = {"a": one.a, "b": one.b}.get(text.strip().lower())
    return t("scores.verdict_b_is_higher", a="", b=name(side)) if side is not None else text


def short(table: ScoreTable, condition: ConditionKey) -> str:
    """A condition in a sentence: with many factors only their values, which the table names."""
    pairs = [pair for pair in condition if pair[0] in table.varying]
    if condition in table.columns.conditions and len(pairs) <= FEW:
        return table.label(condition)
    return " · ".join(value for _, value in pairs or condition)


def signed(value: float | None, digits: int = 2) -> str:
    """A number with a real minus sign; a small one gets more digits, so that no difference is said to be 0.00."""
    if value is None:
        return "–"
    small = NOTHING < abs(value) < CLOSE * 10**-digits
    return f"{value:.{digits + 2 if small else digits}f}".replace("-", MINUS)


def plus(value: float | None) -> str:
    """A difference with its sign."""
    said = signed(value)
    return f"+{said}" if value is not None and value > 0 else said


def subtraction(numbers: Iterable[tuple[float | None, float | None, float | None]]) -> str:
    """That numbers are rounded one by one, where somebody who subtracts two means that are shown, or two scores, does
    not get the difference that is shown beside them; "" where none is off. Each is two numbers and their difference.
    """
    return t("scores.rounded") if any(_off(*one) for one in numbers) else ""


def _off(a: float | None, b: float | None, difference: float | None) -> bool:
    if a is None or b is None or difference is None:
        return False
    said = float(signed(abs(difference)))
    return abs(abs(round(a, 2) - round(b, 2)) - said) > NOTHING


def p_text(p: float) -> str:
    """A p value as people write it."""
    return "< 0.001" if p < 0.001 else f"= {p:.3f}" if p < 0.1 else f"= {p:.2f}"
