"""Citations are found as the Data Format Guide promises them, and nothing else is."""

from __future__ import annotations

from html import unescape
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback.citations import bounded, find_citations, find_marks
from readback.citations.clean import clean_text
from readback.citations.legal import may_cite, probably_cites
from readback.citations.marks import find_context_marks, find_other_styles
from readback.sandbox import Limits

PIECES = (
    "Smith v. Jones", "In re Smith", ", 123 F.3d 456", " (2020)", "Id.", " at 5", "supra", "Fed. R. Civ. P. 12(b)(6)",
    "Rule 12", "28 U.S.C. § 1331", "[1]", "\n\n", " ", "\u00ad\n", "v.", "(", ")", "§", "12 March 2020", "___", "—",
    "and", "of", "é", "\ud800", "<em>", "</em>", "&sect;",
)  # fmt: skip


def kinds(text: str) -> list[tuple[str, str]]:
    """Kind and normal form of what is found."""
    return [(one.kind, one.normal) for one in find_citations(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Smith v. Jones, 123 F.3d 456 (2020)", [("full case", "123 f.3d 456")]),
        ("See Smith v. Jones, 123 F.3d 456, 460 (9th Cir. 2020).", [("full case", "123 f.3d 456")]),
        ("Smith v. Jones", [("case name", "smith v jones")]),
        ("United States v. Nixon", [("case name", "united states v nixon")]),
        ("the ruling in Brown v. Board of Education that", [("case name", "brown v board of education")]),
        ("In re Smith", [("case name", "in re smith")]),
        ("123 F.2d 456", [("reporter", "123 f.2d 456")]),
        ("123 F.3d 456", [("reporter", "123 f.3d 456")]),
        ("123 F. 3d 456", [("reporter", "123 f.3d 456")]),
        ("123 F.4th 456", [("reporter", "123 f.4th 456")]),
        ("123 F. 456", [("reporter", "123 f. 456")]),
        ("123  F.3d\n 456", [("reporter", "123 f.3d 456")]),
        ("123 F. Supp. 456", [("reporter", "123 f.supp. 456")]),
        ("123 F. Supp. 2d 456", [("reporter", "123 f.supp.2d 456")]),
        ("123 F.Supp.3d 456", [("reporter", "123 f.supp.3d 456")]),
        ("Fed. R. Evid. 802", [("rule", "fed.r.evid. 802")]),
        ("It is inadmissible. See Fed. R. Evid. 802. The court", [("rule", "fed.r.evid. 802")]),
        ("Fed. R. Civ. P. 12(b)(6)", [("rule", "fed.r.civ.p. 12(b)(6)")]),
        ("Fed. R. Crim. P. 11", [("rule", "fed.r.crim.p. 11")]),
        ("Fed. R. App. P. 4(a)", [("rule", "fed.r.app.p. 4(a)")]),
        ("Rule 12(b)(6)", [("short rule", "rule 12(b)(6)")]),
        ("123 U.S. 456", [("reporter", "123 u.s. 456")]),
        ("28 U.S.C. § 1331", [("statute", "28 u.s.c. 1331")]),
        ("Under 42 U.S.C. §§ 1983, 1985(3) and 1988, they sue.",
         [("statute", "42 u.s.c. 1983"), ("statute", "42 u.s.c. 1985"), ("statute", "42 u.s.c. 1988")]),
        ("42 U.S.C. §§ 1983, 28 U.S.C. § 1331", [("statute", "42 u.s.c. 1983"), ("statute", "28 u.s.c. 1331")]),
        ("42 U.S.C. § 1983, 12 others", [("statute", "42 u.s.c. 1983")]),
        ("28 USC 1331 and 29 CFR 1910.12", [("statute", "28 u.s.c. 1331"), ("statute", "29 c.f.r. 1910.12")]),
    ],
)  # fmt: skip
def test_every_promised_form_is_found_once_in_its_normal_form(text: str, found: list[tuple[str, str]]) -> None:
    assert kinds(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "12 March 2020", "on 1 Mar. 2020 he came", "5 Main 12", "12 13 14", "1234", "10 Miles 20", "3 Day 12",
        "5 Park Ave. 12", "111 N. W. 12th St.", "he ran 5 v. 6 others", "The law of 2019", "[1] [2]", "x = A[3]", "",
        " \n", "Smith and Jones", "eyecite", "l'art. 1240 C. civ. et",
    ],
)  # fmt: skip
def test_dates_addresses_and_plain_numbers_are_none(text: str) -> None:
    assert kinds(text) == []


def test_a_full_citation_is_one_with_parties_numbers_and_year() -> None:
    (one,) = find_citations("(See Smith v. Jones, 123 F.3d 456, 460 (9th Cir. 2020)).")
    assert (one.plaintiff, one.defendant, one.volume, one.reporter, one.page) == (
        "Smith",
        "Jones",
        "123",
        "F.3d",
        "456",
    )
    assert (one.year, one.pin, one.text) == (2020, "460", "Smith v. Jones, 123 F.3d 456, 460 (9th Cir. 2020)")


def test_two_citations_of_one_case_at_other_pages_are_equal() -> None:
    assert kinds("123 F.3d 456") == kinds("123 F.3d 456, 460") == kinds("123 F. 3d 456, 462-63 (2d Cir. 1999)")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The court followed Smith v. Jones. The defendant", "Smith v. Jones"),
        ("In Doe v. Acme Inc. The court denied it", "Doe v. Acme Inc."),
        ("Planned Parenthood of Se. Pa. v. Casey held", "Planned Parenthood of Se. Pa. v. Casey"),
        ("as in Williams v. Bd. of Educ. of City of Chicago, where", "Williams v. Bd. of Educ. of City of Chicago"),
        ("Lynch v. State ex rel. Killebrew", "Lynch v. State ex rel. Killebrew"),
        ("Smith & Sons, Inc. v. Jones, LLC, and others", "Smith & Sons, Inc. v. Jones, LLC"),
        ("denied.\n\nSmith v. Jones\n\nThe court", "Smith v. Jones"),
        ("“Smith v. Jones”", "Smith v. Jones"),
        ("Ex parte Young", "Ex parte Young"),
        ("people v. O’Brien. State v. O’Brien said", "State v. O’Brien"),
    ],
)
def test_a_name_ends_where_the_sentence_does(text: str, name: str) -> None:
    assert [one.text for one in find_citations(text)] == [name]


@pytest.mark.parametrize(
    "name",
    [
        "Nat'l Fed'n of Indep. Bus. v. Sebelius",
        "State ex rel. Smith v. Ohio Civ. Rights Comm'n",
        "Van der Berg v. de la Cruz",
        "eBay Inc. v. MercExchange, L.L.C.",
        "3M Co. v. United States",
        "Chevron, U.S.A., Inc. v. Natural Resources Defense Council, Inc.",
    ],
)
def test_a_name_is_taken_whole(name: str) -> None:
    text = f"As held in {name}, 12 U.S. 34 (2012), so. Later {name} was cited; see {name}, supra, at 5."
    found = find_citations(text)
    assert [(one.kind, one.text[: len(name)]) for one in found] == [
        ("full case", name), ("case name", name), ("supra", name),
    ]  # fmt: skip
    assert [one.resolves_to for one in found[1:]] == [0, 0]


def test_two_names_joined_by_and_are_two() -> None:
    text = "Smith v. Jones and Roe v. Wade, 410 U.S. 113 (1973), both hold"
    assert [one.text for one in find_citations(text)] == ["Smith v. Jones", "Roe v. Wade, 410 U.S. 113 (1973)"]


def test_a_name_in_a_full_citation_is_not_counted_twice() -> None:
    text = "Smith v. Jones, 123 F.3d 456 (2020). In Smith v. Jones the court"
    assert kinds(text) == [("full case", "123 f.3d 456"), ("case name", "123 f.3d 456")]
    assert [one.resolves_to for one in find_citations(text)] == [None, 0]


def test_rules_in_a_list_share_their_set() -> None:
    text = "Fed. R. Civ. P. 12(b)(1) and 12(b)(6), 123 F.3d 456; Federal Rules of Evidence 403 and 404(b)."
    assert [normal for _, normal in kinds(text)] == [
        "fed.r.civ.p. 12(b)(1)", "fed.r.civ.p. 12(b)(6)", "123 f.3d 456", "fed.r.evid. 403", "fed.r.evid. 404(b)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "short", "normal"),
    [
        ("Smith v. Jones, 123 F.3d 456 (2020). Id. at 460.", "Id. at 460", "123 f.3d 456"),
        ("Smith v. Jones, 123 F.3d 456 (2020). Smith, 123 F.3d at 460.", "Smith, 123 F.3d at 460", "123 f.3d 456"),
        ("Smith v. Jones, 123 F.3d 456 (2020). Smith, supra, at 460.", "Smith, supra, at 460", "123 f.3d 456"),
        ("Smith v. Jones, 123 F.3d 456 (2020). See Jones at 460.", "Jones at 460", "123 f.3d 456"),
        ("Fed. R. Civ. P. 12(b)(6). Under Rule 12(b)(6) it", "Rule 12(b)(6)", "fed.r.civ.p. 12(b)(6)"),
        ("Rule 12(b)(6) it is: Fed. R. Civ. P. 12(b)(6).", "Rule 12(b)(6)", "fed.r.civ.p. 12(b)(6)"),
        ("Fed. R. Civ. P. 12(b)(6). Under Rule 56(c) it", "Rule 56(c)", "rule 56(c)"),
        ("A v. B, 539 U. S. 306. C v. D, 539 U. S. 244. See 539 U. S., at 328.", "539 U. S., at 328", "539 u.s. 306"),
        ("Id. at 460.", "Id. at 460", ""),
    ],
)
def test_a_short_form_stands_for_the_last_full_one_that_it_can_mean(text: str, short: str, normal: str) -> None:
    (one,) = (one for one in find_citations(text) if one.text == short)
    assert one.is_short
    assert one.normal == normal


def test_a_rule_without_its_set_is_less_certain_than_one_with_it() -> None:
    full, short = find_citations("Fed. R. Civ. P. 12(b)(6), that is Rule 12(b)(6)")
    assert short.confidence < full.confidence


def test_markup_is_cleaned_and_spans_stay_in_the_original() -> None:
    text = "<p>See <em>Grant </em>v. <em>Esquire, Inc.</em> (S.D.N.Y. 1973)\n 367 F.Supp. 876 &sect; 5</p>"
    (one,) = find_citations(text, ["html"])
    assert (one.plaintiff, one.defendant, one.normal) == ("Grant", "Esquire, Inc.", "367 f.supp. 876")
    assert (
        one.text
        == text[one.start : one.end]
        == "Grant </em>v. <em>Esquire, Inc.</em> (S.D.N.Y. 1973)\n 367 F.Supp. 876 &sect; 5"
    )


def test_a_word_cut_by_a_soft_hyphen_is_one_word() -> None:
    assert [one.name for one in find_citations("McLaurin v. Okla\u00ad\n  homa, 339 U. S. 637 (1950)")] == [
        "mclaurin v oklahoma"
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Fed. R. Evid. 802", []),
        ("Fed. R. Civ. P. 12(b)(6)", []),
        ("123 U.S. 456", []),
        ("28 U.S.C. § 1331", []),
        ("Rule 12(b)(6)", []),
        ("123 F.4th 456", []),
        ("12 March 2020", ["12 March 2020"]),
        ("123 F. Supp. 2d 456", ["123 F. Supp. 2"]),
        ("Brown v. Board of Education", ["Brown v. Board"]),
        ("United States v. Nixon", ["States v. Nixon"]),
        ("Smith v. Jones, 123 F.3d 456 (2020)", ["Smith v. Jones", "123 F.3d 456"]),
    ],
)
def test_the_source_programs_patterns_find_and_miss_what_they_did(text: str, found: list[str]) -> None:
    assert [one.text for one in find_citations(text, patterns="upstream")] == found


def test_marks_are_single_numbers_in_brackets() -> None:
    text = "Paris [1][1] [3] [0] [1, 2] [1-3] [#1]"
    assert [one.number for one in find_marks(text)] == [1, 1, 3, 0]
    assert [hit[0] for hit in find_other_styles(text, 3)] == ["[1, 2]", "[1-3]", "[#1]"]


@pytest.mark.parametrize(
    "text", ["Smith v. Jones", "105 Idaho 663", "Id. at 4", "Fed. R. Evid. 802", "28 U.S.C. § 1331"]
)
def test_the_cheap_look_never_misses_what_a_search_finds(text: str) -> None:
    assert may_cite(text)
    assert not probably_cites("The pilot boards at the Gull buoy on 12 March 2020 [1].")


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(max_size=80))
def test_any_text_is_searched_and_its_citations_lie_in_it(text: str) -> None:
    for steps in ((), ("html", "all_whitespace")):
        found = find_citations(text, steps)
        assert all(0 <= one.start < one.end <= len(text) and one.text == text[one.start : one.end] for one in found)
        assert all(a.start <= b.start and a.end <= b.end for a, b in pairwise(found))
        assert all(one.resolves_to is None or not found[one.resolves_to].is_short for one in found)
        assert not found or may_cite(text) or steps


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(max_size=80))
def test_every_character_that_is_searched_stands_in_the_original(text: str) -> None:
    made = clean_text(text)
    for at, character in enumerate(made.text):
        if not character.isspace() and character not in ".-":
            assert unescape(text[made.original_start(at) : made.original_end(at + 1)]) == character


def test_a_text_that_costs_too_much_is_a_note_and_no_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "LIMITS", Limits(seconds=1.0, total=1.0, output=16 << 20))
    found = bounded.find_in_child(["1 U.S. 1 [" * 40_000])
    assert found.citations == ((),)
    assert found.diagnostic is not None
    assert found.diagnostic.code == "dat-limit"


def test_a_text_beyond_all_measure_is_not_even_tried() -> None:
    assert bounded.find_in_child(["Smith v. Jones " * 200_000]).diagnostic is not None


def test_the_bounded_search_answers_what_the_direct_one_does() -> None:
    texts = ["Smith v. Jones, 123 F.3d 456 (2020). Id. at 460.", "nothing here"]
    assert bounded.find_in_child(texts).citations == tuple(map(find_citations, texts))


def test_the_versions_of_the_database_are_known() -> None:
    assert all(bounded.list_versions().values())


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Nine metres [7].", [7]),
        ("Nine metres[7].", [7]),
        ("Nine metres.[7]", [7]),
        ("So [1][7], and CO2 [9].", [1, 7, 9]),
        ("[7] Nine metres.", [7]),
        ("It is x[10] or arr[0], values[5] and rows[3][4].", []),
        ("It is self.items[7], my_list[8], myList[9] and x1[3].", []),
        ("See [3](https://example.org) and ![4](a.png).", []),
        ("Use `log[10]` and ``a [9] b``.", []),
        ("```python\nprint(a, [7])\n```\nSo [1].", [1]),
        ("~~~\nx = [7]\n~~~", []),
        ("```\nnever closed [7]", []),
        ("Smith says so [7].\n\n[7]: Smith, 2010", []),
        ("Smith says so [7].\n\n[7] Smith, 2010", []),
        ("In [2020] EWCA Civ 12.", []),
        ("It is done[0].", []),
        ("An open ` tick, then [7].", [7]),
    ],
)
def test_citations_are_told_from_code_links_indexes_and_footnotes(text: str, numbers: list[int]) -> None:
    assert [mark.number for mark in find_context_marks(text, 2)] == numbers
    assert all(text[mark.start : mark.end] == f"[{mark.number}]" for mark in find_context_marks(text, 2))


@pytest.mark.parametrize("text", ["a[1, 2]", "`[1, 2]`", "[1, 2](u)", "grid[1-3]"])
def test_other_styles_are_not_looked_for_in_code_links_and_indexes(text: str) -> None:
    assert list(find_other_styles(text, 3)) == []
