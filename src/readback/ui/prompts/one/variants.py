"""The named options that made what is in view, and what each of them would make instead, with a link to compare."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from readback.compare.diff import Difference
from readback.prompts import selections as made_by
from readback.prompts.selections import Variant
from readback.types import Assembly
from readback.ui.common import show
from readback.ui.common.state import choice
from readback.ui.prompts.two_texts.compare_words import coded
from readback.words import t


def draw(assembly: Assembly) -> None:
    """On Messages: a line for each option that made the text."""
    for variant in made_by.list_variants(choice.workspace(), assembly.choice):
        links = show.join([_link(variant, value) for value, _ in variant.others], " ")
        show.draw(show.h('<p class="rb-small">{} {}</p>', coded(_describe_variant(variant)), links))


def compared(d: Difference) -> None:
    """On Compare: the options that made each side, once where both have the same."""
    if d.a.variants == d.b.variants:
        _lines("", d.a.variants)
        return
    for name, name_and_side in (("A", d.a), ("B", d.b)):
        _lines(f"{name}: ", name_and_side.variants)


def _lines(side: str, variants: Sequence[Variant]) -> None:
    for variant in variants:
        show.draw(show.h('<p class="rb-small">{}</p>', coded(f"{side}{_describe_variant(variant)}")))


def _describe_variant(variant: Variant) -> str:
    now = t(
        "variants.in_force",
        option=t(f"compare.option_{variant.option}"),
        **_value(variant.option, variant.value, variant.version),
    )
    others = (t("variants.another", **_value(variant.option, value, version)) for value, version in variant.others)
    return " ".join((now, *others))


def _value(option: str, value: str, version: str) -> dict[str, str]:
    return {"value": t(f"compare.value_{option}_{value}"), "written": f"{option}: {value}", "version": version}


def _link(variant: Variant, value: str) -> Markup:
    return show.link(
        "prompts", t("variants.compare"), view="difference", differs="option", b_option=f"{variant.option}={value}"
    )
