"""One rule, one section, one case, in the forms that courts and models write it in."""

from __future__ import annotations

import pytest

from readback.citations import find_citations
from readback.citations.numbers import replace_part
from readback.citations.support import judge_citations


def states(source: str, answer: str) -> list[str]:
    return [verdict.state for verdict in judge_citations(find_citations(answer), find_citations(source))]


SAME = (
    ("Rule 12(b)(6) of the Federal Rules of Civil Procedure", "Federal Rule of Civil Procedure 12(b)(6)"),
    ("Rule 12(b)(6) of the Federal Rules of Civil Procedure", "Fed. R. Civ. P. 12(b)(6)"),
    ("Rules 12(b)(1) and 12(b)(6) of the Federal Rules of Civil Procedure", "FRCP 12(b)(1) and 12(b)(6)"),
    ("Rule 12 (b)(6), Fed. R. Civ. P.", "Fed. Rules Civ. Proc., rule 12(b)(6)"),
    ("Rule 56(a) and (c) of the FRCP", "Fed. R. Civ. P. 56(a), (c)"),
    ("Rule 403 of the Federal Rules of Evidence", "Fed. R. Evid. 403"),
    ("Federal Rule of Evidence 403", "FRE 403"),
    ("Rule 11, Federal Rules of Criminal Procedure", "F. R. Crim. P. 11"),
    ("Rule 4(a)(1) of the Federal Rules of Appellate Procedure", "FRAP 4(a)(1)"),
    ("Bankruptcy Rule 7012", "Rule 7012 of the Federal Rules of Bankruptcy Procedure"),
    ("Fed. R. Bankr. P. 7012", "Federal Rule of Bankruptcy Procedure 7012"),
    ("Rule 91a of the Texas Rules of Civil Procedure", "Tex. R. Civ. P. 91a"),
    ("West Virginia Rule of Evidence 403", "W. Va. R. Evid. 403"),
    ("Rules 26 through 37 of the Federal Rules of Civil Procedure", "Fed. R. Civ. P. 26-37"),
    ("Section 1983 of Title 42", "42 U.S.C. § 1983"),
    ("Title 42, United States Code, Section 1983", "42 USC 1983"),
    ("Sections 1331 and 1343 of Title 28 of the United States Code", "28 U.S.C. §§ 1331, 1343"),
    ("42 U.S.C. §§ 1981–1983", "42 U.S.C. §§ 1981 through 1983"),
    ("29 C.F.R. § 1910.12", "29 CFR 1910.12"),
)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_b9_a_rule_is_the_same_in_either_direction(one: str, other: str) -> None:
    for source, answer in ((one, other), (other, one)):
        assert set(states(f"It falls under {source}.", f"Dismissed under {answer}.")) == {"supported"}


@pytest.mark.parametrize(
    ("source", "answer", "state"),
    [
        ("He moved under Rule 12(b)(6) to dismiss.", "Federal Rule of Civil Procedure 12(b)(6)", "supported"),
        ("Fed. R. Evid. 401; see Rule 403.", "Fed. R. Civ. P. 403", "absent"),
        ("Fed. R. Evid. 401; see Rule 403.", "Fed. R. Evid. 403", "supported"),
        ("Fed. R. Civ. P. 12(b)(6)", "Fed. R. Civ. P. 12", "supported"),
        ("Fed. R. Civ. P. 12(b)(6)", "Fed. R. Civ. P. 12(b)(1)", "absent"),
        ("Fed. R. Civ. P. 12(b)", "Fed. R. Civ. P. 12(b)(6)", "absent"),
        ("Fed. R. Civ. P. 12(b)(6)", "Fed. R. Crim. P. 12(b)(6)", "absent"),
        ("Texas Rule of Evidence 403", "Fed. R. Evid. 403", "absent"),
        ("42 U.S.C. §§ 1981-1983", "42 U.S.C. § 1982", "supported"),
        ("42 U.S.C. §§ 1981-1983", "42 U.S.C. § 1985", "absent"),
        ("42 U.S.C. § 1981 and 42 U.S.C. § 1983", "42 U.S.C. §§ 1981-1983", "supported"),
        ("Kan. Stat. Ann. § 21-35", "Kan. Stat. Ann. § 21-30", "absent"),
        ("Section 1983 of Title 42", "28 U.S.C. § 1983", "absent"),
    ],
)
def test_b9_what_is_not_the_same_rule_stays_apart(source: str, answer: str, state: str) -> None:
    assert states(source, answer) == [state]


@pytest.mark.parametrize(
    ("text", "normals"),
    [
        ("Fed. R. Civ. P. 56(a), (c).", ["fed.r.civ.p. 56(a)", "fed.r.civ.p. 56(c)"]),
        ("Fed. R. Evid. 12(b)(1), (6), and (c)", ["fed.r.evid. 12(b)(1)", "fed.r.evid. 12(b)(6)", "fed.r.evid. 12(c)"]),
        ("Rule 12(b)(6), Fed. R. Civ. P. 56 too", ["rule 12(b)(6)", "fed.r.civ.p. 56"]),
        ("Federal Rules of Evidence 401 and 402, 123 F.3d 456", ["fed.r.evid. 401", "fed.r.evid. 402", "123 f.3d 456"]),
        ("under Federal Rules of Evidence, 403 U.S. 15", ["403 u.s. 15"]),
        ("Rule 12, 15 days later", ["rule 12"]),
        ("rule 3 of the game, rule 8.204(a)", ["rule 8.204(a)"]),
        ("Civil Rule 12(B)(6)", ["rule 12(b)(6)"]),
        ("Section 5 of Title 7 of the Ohio Code", []),
        ("42 U.S.C. §§ 2000e-5 and 2000e-7", ["42 u.s.c. 2000e-5", "42 u.s.c. 2000e-7"]),
    ],
)  # fmt: skip
def test_lists_of_rules_and_sections_are_read_as_they_are_meant(text: str, normals: list[str]) -> None:
    assert [one.normal for one in find_citations(text)] == normals


@pytest.mark.parametrize(
    ("number", "parts", "made"),
    [("56(a)", "(c)", "56(c)"), ("12(b)(1)", "(6)", "12(b)(6)"), ("12(b)(6)", "(c)", "12(c)"),
     ("26(a)(1)(A)", "(B)", "26(a)(1)(B)"), ("8", "(a)(1)", "8(a)(1)"), ("12(b)", "(1)", "12(b)(1)")],
)  # fmt: skip
def test_a_further_part_takes_the_place_of_the_last_one_like_it(number: str, parts: str, made: str) -> None:
    assert replace_part(number, parts) == made


@pytest.mark.parametrize(
    ("text", "plaintiff", "defendant"),
    [
        ("Our Lady Hosp. v. Oak, 95-0754, p. 3 (La.App. 1 Cir. 12/15/95), 669 So.2d 463", "Our Lady Hosp.", "Oak"),
        ("Our Lady of the Hill Hosp. v. Oak, 1 F.2d 2", "Our Lady of the Hill Hosp.", "Oak"),
        ("Her Majesty the Queen v. Oak, 1 F.2d 2", "Her Majesty the Queen", "Oak"),
        ("See Pupils Enrolled in Public Schools v. Oak, 1 F.2d 2", "Pupils Enrolled in Public Schools", "Oak"),
        ("Birch v. Pupils Enrolled in Public Schools, 1 F.2d 2", "Birch", "Pupils Enrolled in Public Schools"),
        ("It was Decided in Birch v. Oak, 1 F.2d 2", "Birch", "Oak"),
        ("BIRCH V. OAK HOLDINGS, 1 F.2d 2", "BIRCH", "OAK HOLDINGS"),
        ("Birch v Oak, 1 F.2d 2", "Birch", "Oak"),
    ],
)  # fmt: skip
def test_b10_parties_are_taken_whole(text: str, plaintiff: str, defendant: str) -> None:
    (one,) = find_citations(text)
    assert (one.kind, one.plaintiff, one.defendant) == ("full case", plaintiff, defendant)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("as in Acorn Foundation, supra, 13 Cal.App.5th at 1146", ["Acorn Foundation"]),
        ("see Board of Education, 123 U.S. at 5", ["Board of Education"]),
        ("In Birch, 533 U.S. at 201, 121 S.Ct. 2151", ["Birch", "Birch"]),
        ("Birch v. Oak, 1 F.2d 2. Birch at 5, 12 L. Ed. 3", ["Oak", "Birch"]),
    ],
)
def test_b10_a_short_form_and_its_parallel_have_the_name_before_them(text: str, names: list[str]) -> None:
    assert [one.defendant for one in find_citations(text)] == names


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("dismissed, 342 Or 255", ["342 Or 255"]),
        ("Choose 5 Or 6", []),
        ("300 Or 400 apples", []),
        ("12 Cal. 5 apples", []),
        ("See 12 Cal. 5 for it", ["12 Cal. 5"]),
        ("Batman v Superman was shown", []),
        ("Python vs. Java is asked", []),
        ("The case of Birch v Oak", ["Birch v Oak"]),
        ("Birch v Oak [1932] 5", ["Birch v Oak"]),
        ("Birch v Oak, 1 F.2d 2 (1930), and Elm v Ash", ["Birch v Oak, 1 F.2d 2 (1930)", "Elm v Ash"]),
        ("HENRY V. of England", []),
    ],
)
def test_numbers_and_films_are_no_cases(text: str, found: list[str]) -> None:
    assert [one.text for one in find_citations(text)] == found


def test_a_year_and_a_court_are_those_of_the_citation_itself() -> None:
    text = "Birch v. Oak, 410 U.S. 113. Elm v. Ash, 12 F.3d 34 (4th Cir. 1994). See 410 U.S. 179."
    assert [(one.year, one.court) for one in find_citations(text)] == [
        (None, "scotus"),
        (1994, "ca4"),
        (None, "scotus"),
    ]
    parallel = find_citations("Birch v. Oak, 1 F.3d 2, 5, 12 L. Ed. 3, 4 (4th Cir. 1994)")
    assert [(one.year, one.court) for one in parallel] == [(1994, "ca4"), (1994, "ca4")]
