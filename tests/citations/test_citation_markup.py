"""Citations in texts with markup: found as in the plain text, at their places in the original, and by emphasis."""

from __future__ import annotations

import html
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from in_time import in_time

from readback.citations import Citation, bounded, find_citations
from readback.citations.clean import clean_text
from readback.citations.legal import probably_cites

SENTENCES = (
    "The court relied on Alder v. Birch, 101 F.3d 202, 205 (9th Cir. 1996).",
    "Then came Cedar Mills, Inc. v. Dogwood, 303 U.S. 404 (1938), and Elm, 303 U.S. at 410.",
    "In re Fir, 55 P.2d 66, says so.",
    "Id. at 207.",
    "See Alder, supra, at 206.",
    "It was refused under Fed. R. Civ. P. 56(a) and 42 U.S.C. § 1983.",
    "Later Hazel v. Ivy was cited, and Cedar Mills at 405.",
    "In Our Lady of Grace Hosp. v. Juniper, 12 So.2d 34, 12 L. Ed. 3 (1940), nothing was said.",
    "Nobody appeared.",
)
PLAIN = ("The clerk adjourned.", "Nothing more was heard of it that day.", "It rained.")
TAGS = ("em", "i", "b", "span", "cite", "strong")
NOISE = (
    "<em>", "</em>", "<i>", "</i>", "<p>", "</p>", "<", ">", "&", "&amp;", "&#8217;", "&#x110000;", "<!--", "-->", "*",
    "**", "_", "<style>", "</style>", "<page-number>", '<span class="star-pagination">*3</span>', "<![CDATA[", "\u00ad",
    " ", "\n\n", "Alder v. Birch, 101 F.3d 202", "Alder", "supra", "Id.", "§", "\ud800", "é",
)  # fmt: skip


def told(found: tuple[Citation, ...]) -> list[tuple[object, ...]]:
    """What is said of each citation, but for its place; references by emphasis are left out."""
    return [
        (one.kind, one.normal, one.plaintiff, one.defendant, one.volume, one.page, one.pin, one.year)
        for one in found
        if one.kind != "reference" or one.pin
    ]


@pytest.mark.parametrize(
    ("text", "references"),
    [
        ("<em>Birch v. Alder,</em> 254 U.S. 189. Then in <em>Birch</em> it was said.", ["Birch"]),
        ("<em>Tall Birch</em> <em>v. United States,</em> 254 U.S. 189. In <em>Tall Birch</em> so.", ["Tall Birch"]),
        ("See <i>Birch v. Oak,</i> 1 U.S. 2. <p>In <i>Birch,</i> and <i>See Oak.</i> But Birch's.", ["Birch", "Oak"]),
        ("*Birch v. Oak*, 1 U.S. 2 (1999). In *Birch* and _Oak_, not **Oak**.", ["Birch", "Oak"]),
        ("<i>Birch Tree, Inc. v. Oak</i>, 1 U.S. 2. In <i>Birch Tree</i>.", ["Birch Tree"]),
        ("<i>Birch v. Oak</i>, 1 U.S. 2. <i>Birch</i> v. <i>Elm</i> and <i>Oak, supra</i>, at 5.", []),
        ("In <i>Birch</i> first. <i>Birch v. Oak</i>, 1 U.S. 2.", []),
        ("<i>State v. Oak</i>, 1 U.S. 2. <i>State</i> law, <i>de facto</i>.", []),
    ],
)
def test_b10_an_emphasised_name_refers_to_a_case_cited_before(text: str, references: list[str]) -> None:
    found = find_citations(text)
    assert [one.text for one in found if one.kind == "reference"] == references
    assert all(one.resolves_to is not None for one in found if one.kind == "reference")


@pytest.mark.parametrize(
    "text",
    [
        "As <em>Birch v. Oak</em>, 101 F.3d 202 (1996), held.",
        "As *Birch v. Oak*, 101 F.3d 202 (1996), held.",
        "As **Birch v. Oak**, 101 F.3d 202 (1996), held.",
        "As _Birch v. Oak_, 101 F.3d 202 (1996), held.",
        "As <i>Birch</i> v. <i>Oak,</i> 101 <i>F.</i>3d 202 (1996), held.",
        "<h2>ORDER</h2><p>Birch v. Oak, 101 F.3d&nbsp;202 (1996), held.</p>",
        "<style>p { x: 1 U.S. 1 }</style>As Birch v. Oak, 101 <page-number>*9</page-number>F.3d 202 (1996), held.",
        "As Birch v. Oak, <!-- 1 U.S. 1 -->101 F.3d 202 (1996), held.",
    ],
)
def test_b10_markup_hides_no_party_and_no_number(text: str) -> None:
    assert probably_cites(text)
    (one,) = find_citations(text)
    assert told((one,)) == told(find_citations("Birch v. Oak, 101 F.3d 202 (1996)"))
    assert one.text == text[one.start : one.end]
    assert text[: one.start].endswith(("As ", ">", "*", "_"))
    assert one.text.endswith("(1996)")


@pytest.mark.parametrize("text", ["at *3; 2016 WL 11, at *4", "5 * 3 * 2", "a_b_c", "x <p and q> y", "___ U.S. ___"])
def test_stars_blanks_and_comparisons_are_no_markup(text: str) -> None:
    assert clean_text(text).text == text


def test_an_entity_is_never_cut_in_two() -> None:
    text = "Smith &amp; Oak &mdash; see 42 U.S.C. &sect;&nbsp;1983&#46;"
    (one,) = find_citations(text)
    assert (one.text, one.normal) == ("42 U.S.C. &sect;&nbsp;1983", "42 u.s.c. 1983")


@settings(deadline=None)
@given(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=6), st.data())
def test_emphasis_adds_references_and_changes_nothing_else(sentences: list[str], data: st.DataObject) -> None:
    words = " ".join(sentences).split(" ")
    cuts = sorted(data.draw(st.sets(st.integers(0, len(words)), max_size=6)))
    marked = [html.escape(word, quote=False) for word in words]
    for start, stop in list(pairwise(cuts))[::2]:
        tag = data.draw(st.sampled_from(TAGS))
        marked[start] = f"<{tag}>{marked[start]}"
        marked[stop - 1] += f"</{tag}>"
    text = " ".join(marked)
    assert told(find_citations(text)) == told(find_citations(" ".join(words)))
    assert all(one.text == text[one.start : one.end] for one in find_citations(text))


@settings(deadline=None)
@given(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=5), st.sampled_from(PLAIN), st.integers(0, 5))
def test_a_sentence_elsewhere_changes_no_citation(sentences: list[str], other: str, at: int) -> None:
    more = [*sentences[:at], other, *sentences[at:]]
    assert told(find_citations(" ".join(more))) == told(find_citations(" ".join(sentences)))


@pytest.mark.parametrize("filler", [39_900, 40_000, 40_040, 40_100, 81_000])
def test_a_long_text_is_searched_as_if_it_were_short(filler: int) -> None:
    cited = " ".join(SENTENCES)
    long = (PLAIN[1] + " ") * (filler // len(PLAIN[1])) + cited
    assert told(find_citations(long)) == told(find_citations(cited))
    assert [one.text for one in find_citations(long)] == [one.text for one in find_citations(cited)]


@settings(deadline=None)
@given(st.lists(st.sampled_from(NOISE), max_size=16).map("".join) | st.text("<>/!-&#;*_ aiem\n", max_size=60))
def test_no_markup_is_too_broken_to_be_searched(text: str) -> None:
    for steps in ((), ("html", "all_whitespace")):
        found = find_citations(text, steps)
        assert all(0 <= one.start < one.end <= len(text) and one.text == text[one.start : one.end] for one in found)
        assert all(a.end <= b.start for a, b in pairwise(found))
        made = clean_text(text, steps)
        assert all(
            0 <= made.original_start(at) < made.original_end(at + 1) <= len(text) for at in range(len(made.text))
        )
        assert all(0 <= start <= end <= len(made.text) for start, end in made.emphasised)


@pytest.mark.parametrize(
    "piece",
    [
        "<em>",
        "<style>",
        "<!--",
        "&amp;",
        "&#x",
        '<a class="star-pagination">',
        "<i><em>",
        "*a",
        "*a* ",
        "_a",
        "<![CDATA[",
    ],
)
def test_bombs_of_markup_take_no_longer_than_words(piece: str) -> None:
    text = piece * (200_000 // len(piece)) + " Alder v. Birch, 101 F.3d 202"
    assert in_time(5, lambda: bounded.find_in_child([text])).diagnostic is None
