"""The verdict on a comparison as pages show it: one word, then why, each fault a link to exactly its places."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from markupsafe import Markup

from readback.checks.comparisons import Fault, Missing, Verdict, Weighed, differs
from readback.checks.groups import Group
from readback.ui.common import show
from readback.words import t

LOOKS: Mapping[str, str] = {"fair": "rb-fine", "same": "rb-warn", "unfair": "rb-bad", "unknown": "rb-warn"}
SHOWN = 3  # faults that a cell names


def word(verdict: Verdict) -> Markup:
    """Fair, not fair, fair with the same fault, or cannot tell."""
    if "sample" in verdict.unchecked and verdict.kind in ("fair", "same"):
        here = "_sample"
    else:
        here = ""
    return show.h('<strong class="{}">{}</strong>', LOOKS[verdict.kind], t(f"verdict.{verdict.kind}{here}"))


def first(verdict: Verdict) -> Markup:
    """Return the first fault against the comparison, and the number of others; else that too much differs."""
    fault = find_first_fault(verdict)
    if fault is None:
        return show.h("{}", differs(verdict).removesuffix("."))
    more = len(verdict.faults) - 1
    return show.h("{}{}", _fault(verdict, fault), f", {t('verdict.more', n=more)}" if more else "")


def find_first_fault(verdict: Verdict) -> Fault | None:
    """Return the fault that `first` names; None where the two differ in too much, and in nothing but that."""
    if verdict.confounded and not any(len(each.sides) == 1 or each.records for each in verdict.faults):
        return None
    return next(iter(verdict.faults), None)


def unchecked(verdicts: Iterable[Verdict]) -> tuple[str, ...]:
    """Return what none of these verdicts examined."""
    every = [verdict.unchecked for verdict in verdicts]
    if every:
        return tuple(each for each in every[0] if all(each in verdict for verdict in every))
    return ()


def not_checked(parts: Iterable[str]) -> str:
    """Return the parts of `unchecked` in a sentence, or nothing; before it that both sides share what is not known."""
    every = tuple(parts)
    if "system" in every:
        shared = t("verdict.shared_system")
    else:
        shared = ""
    names = [t(f"verdict.unchecked_{each}") for each in every if each != "system"]
    return " ".join(filter(None, (shared, t("verdict.unchecked", what="; ".join(names)) if names else "")))


def why(verdict: Verdict, brief: bool = False, but: Collection[str] = ()) -> Markup:
    """Return the faults or what is missing, and unless `brief` what was not examined; without what `but` has, which is
    said elsewhere.
    """
    if verdict.confounded:
        reasons = [show.h("{}", differs(verdict))]
    else:
        reasons = []
    reasons += [_fault(verdict, fault) for fault in verdict.faults[:SHOWN]]
    if len(verdict.faults) > SHOWN:
        reasons.append(show.h("{}", t("verdict.more", n=len(verdict.faults) - SHOWN)))
    if verdict.kind == "unknown":
        reasons = [show.h("{}", _missing(each)) for each in verdict.missing]
    unlooked = not_checked(each for each in verdict.unchecked if each not in but)
    rest = [*_alone(verdict), *([unlooked] if unlooked else [])]
    small = show.h('<span class="rb-small">{}</span>', " ".join(rest))
    return show.join([*reasons, *([small] if rest and not brief else [])], "<br>")


def line(verdict: Verdict, folded: bool = False) -> Markup:
    """Return the whole answer in a paragraph. Where it is `folded`, the page names the two A and B, and what was not
    checked is one click away.
    """
    if folded:
        question = t("verdict.asked_here")
    else:
        question = t("verdict.asked", a=verdict.pair.a, b=verdict.pair.b)
    if not folded:
        return show.h('<p class="rb-verdict">{} {} {}</p>', question, word(verdict), why(verdict))
    unlooked, more = not_checked(verdict.unchecked), Markup("")
    if unlooked:
        text = '<details class="rb-unchecked"><summary>{}</summary><p class="rb-small">{}</p></details>'
        more = show.h(text, t("verdict.unchecked_title"), unlooked)
    small = show.h('<span class="rb-small">{}</span>', " ".join(_alone(verdict)))
    paragraph = show.h(
        '<p class="rb-verdict">{} {} {} {}</p>', question, word(verdict), why(verdict, brief=True), small
    )
    return show.h('<div class="rb-folded">{}{}</div>', paragraph, more)


def lines(verdict: Verdict, touching: Sequence[str] = ()) -> Markup:
    """Return a line on what was checked, one on each of `touching`, which is found on a side, and one on what was not
    checked, which unfolds to what it takes to check it.
    """
    alone = " ".join(_alone(verdict))
    sign = Markup("")  # the other words have theirs
    if verdict.kind == "fair":
        sign = Markup('<span class="rb-verdict-sign" aria-hidden="true">✓</span> ')
    first = show.h('<p class="rb-verdict">{}{} {} {}</p>', sign, word(verdict), why(verdict, brief=True), alone)
    parts = [first, *(show.h('<p class="rb-verdict">{}</p>', fact) for fact in touching)]
    if unlooked := not_checked(verdict.unchecked):
        parts.append(_fold_unchecked(verdict, unlooked))
    return show.h('<div class="rb-verdict-lines">{}</div>', show.join(parts))


def name_unchecked(verdict: Verdict) -> str:
    """Return what was not checked in a few words, without what it takes to check it; "" where all was."""
    names = [t(f"verdict.brief_{each}") for each in verdict.unchecked if each != "system"]
    if not names:
        return ""
    return t("verdict.brief", what="; ".join(names))


def _fold_unchecked(verdict: Verdict, unlooked: str) -> Markup:
    brief = name_unchecked(verdict)
    if not brief:
        return show.h('<p class="rb-verdict"><span aria-hidden="true">○</span> {}</p>', unlooked)
    fold = '<details class="rb-unchecked"><summary>{}</summary><p class="rb-small">{}</p></details>'
    return show.h(fold, brief, unlooked)


def describe_touching(verdict: Verdict, weighed_groups: Sequence[Weighed]) -> Markup:
    """Return that nothing grave touches a fair pair, or that a warning is on one side of it; of one that cannot be
    judged the errors. Of the others the reason of the verdict has said it.
    """
    if verdict.kind == "fair":
        warnings = [
            each.group for each in weighed_groups if each.group.severity == "warning" and verdict.pair in each.one_sided
        ]
        if warnings:
            return _link_touching(warnings, "overview.touch_warnings")
        if "sample" in verdict.unchecked:
            key = "overview.touch_none_sample"
        else:
            key = "overview.touch_none"
        return show.h("{}", t(key))
    errors = [
        each.group for each in weighed_groups if each.group.severity == "error" and verdict.pair in each.with_finding
    ]
    if verdict.kind != "unknown" or not errors:
        return Markup("")
    return _link_touching(errors, "overview.touch_errors")


def _link_touching(groups: Sequence[Group], key: str) -> Markup:
    """Return how many kinds of findings touch a pair, as the way to the first of them."""
    titles = "; ".join(group.title for group in groups)
    label = show.h('<span title="{}">{}</span>', titles, t(key, n=len(groups)))
    return show.h("{}.", show.link("findings", label, severity=groups[0].severity, code=groups[0].code))


def _alone(verdict: Verdict) -> list[str]:
    """Return what is varied, where that does not speak against the comparison."""
    if verdict.varied and not verdict.confounded:
        return [differs(verdict)]
    return []


def _fault(verdict: Verdict, fault: Fault) -> Markup:
    """Return a fault with its places, which are what the link opens; on both sides each has a link of its own."""
    places = t("sample.places" if "sample" in verdict.unchecked else "overview.places", n=fault.places)
    if len(fault.sides) == 1:
        side = fault.sides[0]
        return show.link(
            "findings",
            t("verdict.fault", title=fault.title, places=places, side=side),
            severity="error",
            code=fault.code,
            arm=side,
        )
    if fault.records:
        key = "verdict.fault_apart"
    else:
        key = "verdict.fault_both"
    sentence = t(key, title=fault.title, n=len(fault.records))
    links = [show.link("findings", side, severity="error", code=fault.code, arm=side) for side in fault.sides]
    return show.h("{} ({})", sentence, show.join(links, ", "))


def _missing(missing: Missing) -> str:
    return t(f"verdict.missing_{missing.what}", side=missing.side, why=missing.why)
