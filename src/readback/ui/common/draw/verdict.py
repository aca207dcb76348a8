"""The verdict on a comparison as pages show it: one word, then why, each fault a link to exactly its places."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from markupsafe import Markup

from readback.checks.verdicts import Fault, Missing, Verdict, differs
from readback.ui.common import show
from readback.words import t

LOOKS: Mapping[str, str] = {"fair": "rb-fine", "same": "rb-warn", "unfair": "rb-bad", "unknown": "rb-warn"}
SHOWN = 3  # faults that a cell names


def word(one: Verdict) -> Markup:
    """Fair, not fair, fair with the same fault, or cannot tell."""
    here = "_sample" if "sample" in one.unchecked and one.kind in ("fair", "same") else ""
    return show.h('<strong class="{}">{}</strong>', LOOKS[one.kind], t(f"verdict.{one.kind}{here}"))


def first(one: Verdict) -> Markup:
    """The first fault that speaks against the comparison, and how many more there are; else that too much differs."""
    if one.confounded and not any(len(each.sides) == 1 or each.records for each in one.faults):
        return show.h("{}", differs(one).removesuffix("."))
    more = len(one.faults) - 1
    return show.h("{}{}", _fault(one, one.faults[0]), f", {t('verdict.more', n=more)}" if more else "")


def unchecked(found: Iterable[Verdict]) -> tuple[str, ...]:
    """What none of these verdicts looked at."""
    every = [one.unchecked for one in found]
    return tuple(each for each in every[0] if all(each in one for one in every)) if every else ()


def not_checked(parts: Iterable[str]) -> str:
    """The parts of `unchecked` in a sentence, or nothing; before it that both sides share what is not known."""
    every = tuple(parts)
    shared = t("verdict.shared_system") if "system" in every else ""
    said = [t(f"verdict.unchecked_{each}") for each in every if each != "system"]
    return " ".join(filter(None, (shared, t("verdict.unchecked", what="; ".join(said)) if said else "")))


def why(one: Verdict, brief: bool = False, but: Collection[str] = ()) -> Markup:
    """The faults or what is missing, and unless it is `brief` what was not looked at; not what `but` has, which is said
    elsewhere.
    """
    said = [show.h("{}", differs(one))] if one.confounded else []
    said += [_fault(one, fault) for fault in one.faults[:SHOWN]]
    if len(one.faults) > SHOWN:
        said.append(show.h("{}", t("verdict.more", n=len(one.faults) - SHOWN)))
    if one.kind == "unknown":
        said = [show.h("{}", _missing(each)) for each in one.missing]
    unlooked = not_checked(each for each in one.unchecked if each not in but)
    rest = [*_alone(one), *([unlooked] if unlooked else [])]
    small = show.h('<span class="rb-small">{}</span>', " ".join(rest))
    return show.join([*said, *([small] if rest and not brief else [])], "<br>")


def line(one: Verdict, folded: bool = False) -> Markup:
    """The whole answer in a paragraph. Where it is `folded`, the page names the two A and B, and what was not looked at
    is one click away.
    """
    asked = t("verdict.asked_here") if folded else t("verdict.asked", a=one.pair.a, b=one.pair.b)
    if not folded:
        return show.h('<p class="rb-verdict">{} {} {}</p>', asked, word(one), why(one))
    unlooked, more = not_checked(one.unchecked), Markup("")
    if unlooked:
        text = '<details class="rb-unchecked"><summary>{}</summary><p class="rb-small">{}</p></details>'
        more = show.h(text, t("verdict.unchecked_title"), unlooked)
    small = show.h('<span class="rb-small">{}</span>', " ".join(_alone(one)))
    said = show.h('<p class="rb-verdict">{} {} {} {}</p>', asked, word(one), why(one, brief=True), small)
    return show.h('<div class="rb-folded">{}{}</div>', said, more)


def _alone(one: Verdict) -> list[str]:
    """What is varied, where that does not speak against the comparison."""
    return [differs(one)] if one.varied and not one.confounded else []


def _fault(one: Verdict, fault: Fault) -> Markup:
    """A fault with its places, which are what the link opens; on both sides each has a link of its own."""
    places = t("sample.places" if "sample" in one.unchecked else "overview.places", n=fault.places)
    if len(fault.sides) == 1:
        side = fault.sides[0]
        return show.link("findings", t("verdict.fault", title=fault.title, places=places, side=side),
                         severity="error", code=fault.code, arm=side)  # fmt: skip
    key = "verdict.fault_apart" if fault.records else "verdict.fault_both"
    said = t(key, title=fault.title, n=len(fault.records))
    links = [show.link("findings", side, severity="error", code=fault.code, arm=side) for side in fault.sides]
    return show.h("{} ({})", said, show.join(links, ", "))


def _missing(one: Missing) -> str:
    return t(f"verdict.missing_{one.what}", side=one.side, why=one.why)
