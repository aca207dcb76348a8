"""The page Findings: rules, filters that a link keeps, places in their context, and what is not kept."""

from __future__ import annotations

import csv
import io
import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from counts import LONG
from in_time import spent
from looking import clicked, links, named, on_agenda, page, said, words
from streamlit.testing.v1 import AppTest

from readback import workspace
from readback.checks import findings_on_disk, summary
from readback.checks import rules as all_rules
from readback.checks.groups import groups
from readback.checks.run import engine
from readback.ui.common.draw import listing
from readback.ui.findings import taking

BRIEF = "You answer in one short sentence and never guess."
MISTAKE = {"workspace": "six-conditions-mistakes", "arm": "mistake 1: system text in the question"}


def findings(**params: str) -> AppTest:
    return page("findings", **params)


def rules(test: AppTest) -> list[str]:
    """The codes of the rules on the left."""
    return re.findall(r'<li class="rb-rule[^>]*" data-code="(.*?)"', said(test))


def repeating(count: int, **more: Any) -> dict[str, Any]:
    """So many records whose question repeats the system message."""
    rows = [{"id": f"r{n}", "q": f"{BRIEF} Why {n}?"} for n in range(count)]
    modes = [{"mode": "m", "system": BRIEF, "template": "{{ q }}"}]
    return {"data.jsonl": rows, "readback.yml": {"dataset": "data.jsonl", "modes": modes, **more}}


def unlike(count: int) -> dict[str, Any]:
    """So many findings of one rule that say different things: keys that the workspace file should not have."""
    keys = "".join(f"unknown_{n}: 1\n" for n in range(count))
    return {"data.jsonl": [{"id": "r0", "q": "Why?"}],
            "readback.yml": f"dataset: data.jsonl\nmodes: [{{mode: m, template: '{{{{ q }}}}'}}]\n{keys}"}  # fmt: skip


EFFECTS = [
    (
        "fmt-context-not-sent",
        "“Does training with snippets help?”: without the 2 questions that have this, +0.32 instead of +0.46 "
        "(22 left, 95 % interval −0.31 to 0.95).",
    ),
    (
        "fmt-answer-cites-missing",
        "“Does reading the manual help?”: without the 1 question that has this, +1.73 instead of +1.78 "
        "(22 left, 95 % interval 0.96 to 2.49).",
    ),
    ("dat-bad-line", ""),  # about no comparison
    ("oll-engine-unknown", ""),  # a hint
]


@pytest.mark.parametrize(("code", "sentence"), EFFECTS)
def test_a_rule_says_what_the_planned_difference_is_without_its_records(code: str, sentence: str) -> None:
    text = words(findings(workspace="six-conditions", code=code))
    if sentence:
        assert sentence in text
    else:
        assert "instead of +" not in text


@pytest.mark.parametrize(
    ("scored", "faulty", "sentence"),
    [
        (20, (0, 1), "without the 2 questions that have this, +1.50 instead of +1.50 (18 left, 95 % interval"),
        (3, (0, 1, 2), "+1.33 on 3 questions; without the 3 that have this 0 are left, too few for a difference."),
        (3, (5,), "none of its 3 scored questions has this, so it stays +1.33."),
    ],
)
def test_the_effect_of_a_rule_is_computed_from_what_is_scored(
    serving: Any, scored: int, faulty: tuple[int, ...], sentence: str
) -> None:
    prompt = f"{BRIEF} Why?"
    rows = [{"id": f"r{n}", "q": prompt if n in faulty else f"Why {n}?"} for n in range(20)]
    modes = [{"mode": name, "system": BRIEF, "template": f"{{{{ q }}}} {name}"} for name in "ab"]
    settings = {
        "dataset": "data.jsonl",
        "modes": modes,
        "conditions": [{"name": name, "mode": name} for name in "ab"],
        "comparisons": [{"a": "a", "b": "b", "question": "Better?"}],
        "scores": ["s.csv"],
        "criteria": {"good": {"scale": [0, 1, 2]}},
    }
    cells = "".join(
        f"r{n},{name},good,{value}\n" for n in range(scored) for name, value in (("a", 0), ("b", 1 + n % 2))
    )
    serving({"data.jsonl": rows, "readback.yml": settings, "s.csv": f"item,condition,criterion,score\n{cells}"})
    code = "fmt-system-duplicated"
    assert f"“Better?”: {sentence}" in words(findings(code=code))


def test_the_gravest_rule_is_open_and_explains_itself() -> None:
    test = findings(workspace="six-conditions-mistakes")
    first = rules(test)[0]
    assert f'rb-rule rb-chosen" data-code="{rules(test)[0]}"' in said(test)
    assert all(part in words(test) for part in ("What it finds.", "Why it matters.", "How to fix it."))
    assert first.startswith("fmt-")


def test_the_first_line_says_how_much_is_wrong_where_and_what_comes_first() -> None:
    test = findings(workspace="six-conditions-mistakes")
    largest = "the largest, The user message contains system text , is in every record of 2 conditions."
    assert f"✕ 7 kinds of errors in 60 places ; {largest}" in words(test)
    first = "The prompt lacks contexts that the record lists"
    assert said(test).count(f">{first}<") == 1  # in the list, and as the heading beside it
    assert test.main.header[0].value == first
    kinds, largest = [link for link in links(test, "findings") if "code" in link or "severity" in link][:2]
    assert (kinds["severity"], largest["code"]) == ("error", "fmt-system-text-in-user")
    narrow = words(findings(workspace="six-conditions-mistakes", severity="error", arm="base, open book"))
    assert f"1 kind of error in 2 places : {first} , in 1 condition (of 68 places without the filter)." in narrow


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"severity": "warning"}, "▲ 4 kinds of warnings in 4 places ; the first, An answer cites contexts that were "
         "not sent , is in 1 place of 1 condition (of 68 places without the filter)."),
        ({"severity": "info"}, "● 3 kinds of hints in 4 places ; the largest, The model is served a prompt that "
         "differs from training , is in 2 places of 2 conditions (of 68 places without the filter)."),
        ({"severity": "error", "arm": "–"}, "✕ 3 kinds of errors in 4 places ; the largest, A model's system message "
         "differs between the places that state it , is in 2 places (of 68 places without the filter)."),
    ],
)  # fmt: skip
def test_the_first_sentence_is_about_what_the_filter_leaves(asked: dict[str, str], sentence: str) -> None:
    assert sentence in words(findings(workspace="six-conditions-mistakes", **asked))


def test_the_rules_are_in_the_order_of_the_overview() -> None:
    test = page(workspace="six-conditions-mistakes")
    panel = said(test).split("<ol class='rb-first'>")[1].split("</ol>")[0]
    first = re.findall(r"code=([a-z-]+)", panel)
    assert len(first) == 2  # below that a judge has to score
    assert rules(findings(workspace="six-conditions-mistakes"))[:2] == first


def test_without_a_finding_the_way_on_is_to_what_there_is(serving: Any) -> None:
    rows = [f"{n},{side},clear,{(n * 7 + len(side)) % 4}" for n in range(40) for side in ("a", "bb")]
    said_of = {"scores": ["s.csv"], "criteria": {"clear": {"scale": [0, 1, 2, 3]}}}
    serving({"readback.yml": said_of, "s.csv": "\n".join(["item,condition,criterion,score", *rows])})
    assert re.findall(r'rb-empty.*?href="/(\w+)', said(findings())) == ["open"]  # to add the prompts


def test_a_link_opens_a_rule() -> None:
    test = findings(workspace="six-conditions-mistakes", code="fmt-reference-cites-missing")
    assert test.main.header[0].value == "The reference cites contexts that do not exist"
    assert '<mark class="rb-find rb-error">[5]</mark>' in said(test)


def test_a_condition_shows_only_its_own_findings() -> None:
    test = findings(**MISTAKE, code="fmt-system-text-in-user")
    assert set(rules(test)) == {"fmt-system-text-in-user", "fmt-train-serve-diff"}
    assert {link.get("condition") for link in links(test, "prompts") if "finding" in link} == {MISTAKE["arm"]}
    assert "24 of 24 records · fmt-system-text-in-user" in words(test)
    assert test.main.subheader[0].value == "24 places"


def test_a_link_to_another_rule_keeps_the_filter() -> None:
    test = findings(workspace="six-conditions-mistakes", severity="error", area="prompt formats")
    chosen = [link for link in links(test, "findings") if "code" in link]
    assert chosen
    assert all(link["severity"] == "error" and link["area"] == "prompt formats" for link in chosen)


def test_a_filter_writes_itself_into_the_address() -> None:
    test = findings(workspace="six-conditions-mistakes")
    test.selectbox(key="severity").set_value("warning").run()
    assert test.query_params["severity"] == ["warning"] or test.query_params["severity"] == "warning"
    assert rules(test) == ["fmt-answer-cites-missing", "asm-system-twice", "fmt-markers", "fmt-system-varies"]


def test_what_is_not_about_one_condition_has_a_filter_of_its_own() -> None:
    test = findings(workspace="six-conditions-mistakes", arm="–")
    assert "dat-bad-line" in rules(test)
    assert "fmt-system-text-in-user" not in rules(test)


def test_a_mode_that_has_no_row_is_about_none() -> None:
    """Overview counts its error among those that are in no row, and its link leads here."""
    assert "alb-template-missing" in rules(findings(workspace="town-hall-albert", severity="error", arm="–"))


def test_search_finds_words_codes_and_records_and_stays_out_of_the_address() -> None:
    test = findings(workspace="six-conditions-mistakes")
    test.text_input(key="search").set_value("ellery-21").run()
    assert "fmt-reference-cites-missing" in rules(test)
    assert "dat-bad-line" not in rules(test)
    assert "search" not in test.query_params
    test.text_input(key="search").set_value("nothing says this").run()
    assert "No finding matches this filter." in words(test)


def test_places_come_ten_at_a_time(serving: Any) -> None:
    serving(unlike(23))
    test = findings(at="10", code="dat-unknown-key")
    assert test.main.subheader[0].value == "Places 11 to 20 of 23"
    test.button(key="earlier").click().run()
    assert test.main.subheader[0].value == "Places 1 to 10 of 23"
    test.button(key="later").click().run()
    test.button(key="later").click().run()
    assert test.main.subheader[0].value == "Places 21 to 23 of 23"
    assert test.button(key="later").disabled
    test.button(key="earlier").click().run()
    test.button(key="earlier").click().run()
    assert "at" not in test.query_params


def test_places_that_say_the_same_are_one_with_a_link_to_each_record(serving: Any) -> None:
    serving(repeating(23))
    test = findings()
    assert test.main.subheader[0].value == "23 places"
    assert "In 23 records, for example record r0, m" in words(test)
    assert "The same in 22 other records" in words(test)
    assert "rb-place-list" not in said(test)
    marked = [one for one in links(test, "prompts") if "finding" in one]
    assert [one["record"] for one in marked] == [f"r{n}" for n in range(23)]
    assert len({one["finding"] for one in marked}) == 23


def test_a_few_places_are_named_above_the_first_and_not_folded_below_it(serving: Any) -> None:
    serving(repeating(3))
    test = findings()
    assert 'rb-place-list" aria-label="Places of this finding"><li><bdi>m</bdi>: ' in said(test)
    assert "The same in" not in words(test)
    marked = [one["record"] for one in links(test, "prompts") if "finding" in one]
    assert marked == ["r0", "r1", "r2", "r0"]


def test_places_in_a_file_are_named_by_their_lines(serving: Any) -> None:
    serving({"data.jsonl": '{"id": "1", "q": <nul>}\n{"id": "2", "q": "Why?"}\n{"id": "3", "q": <nul>}\n'})
    drawn = said(findings(code="dat-bad-line"))
    assert re.search(r'rb-place-list"[^>]*><li>data.jsonl line 1[^<]*, data.jsonl line 3[^<]*</li></ul>', drawn)


def test_a_place_shows_its_span_in_its_context_and_links_to_the_record(serving: Any) -> None:
    serving(repeating(1))
    test = findings()
    assert f'<mark class="rb-find rb-error">{BRIEF}</mark> Why 0?' in said(test)
    (link,) = [one for one in links(test, "prompts") if "finding" in one]
    assert (link["record"], link["mode"]) == ("r0", "m")


def test_a_line_that_cannot_be_read_is_shown_with_the_letter_marked(serving: Any) -> None:
    serving({"data.jsonl": '{"id": "1", "q": "Why?"}\n{"id": "2", "q": <nul>}\n'})
    test = findings(code="dat-bad-line")
    assert '{"id": "2", "q": <mark class="rb-find rb-error">&lt;</mark>nul&gt;}' in said(test).replace("&quot;", '"')
    assert 'aria-label="line 2, as the file has it"' in said(test)


def test_where_fields_are_private_no_line_is_shown(serving: Any) -> None:
    lines = '{"id": "1", "q": "Why?"}\n{"id": "2", "q": "secret\n'
    serving({"data.jsonl": lines, "readback.yml": {"dataset": {"path": "data.jsonl", "private": ["q"]}}})
    test = findings(code="dat-bad-line")
    assert "data.jsonl line 2" in words(test)
    assert "secret" not in said(test)


def test_a_doubled_id_is_linked_by_number(serving: Any) -> None:
    files = repeating(2)
    files["data.jsonl"] = [{**row, "id": "same"} for row in files["data.jsonl"]]
    serving(files)
    doors = [one for one in links(findings(code="fmt-system-text-in-user"), "prompts") if "finding" in one]
    listed = [("same", None), (None, "1")]
    assert [(one.get("record"), one.get("index")) for one in doors] == [*listed, ("same", None)]  # and the first place


def test_a_long_span_is_shown_by_its_ends(serving: Any) -> None:
    text = " ".join(f"Sentence number {n} of the system message." for n in range(40))
    files = repeating(1)
    files["readback.yml"]["modes"][0]["system"] = text
    files["data.jsonl"] = [{"id": "r0", "q": text}]
    serving(files)
    assert "characters]" in words(findings())


def test_markup_in_a_record_stays_text(serving: Any) -> None:
    files = repeating(1)
    files["data.jsonl"][0]["q"] = f"<img src=x> {BRIEF} <script>"
    serving(files)
    assert "<img src=x" not in said(findings())


def test_no_findings_says_so_and_offers_the_messages(serving: Any) -> None:
    serving(
        {
            "data.jsonl": [{"id": "1", "q": "Why?"}],
            "readback.yml": "dataset: data.jsonl\nmodes: [{mode: m, template: '{{ q }}'}]\n",
        }
    )
    test = findings()
    assert "No findings. Every rule checked every record. See the messages" in words(test)


def test_ignored_findings_are_listed_with_their_reason(serving: Any) -> None:
    serving(repeating(4, ignore=[{"code": "fmt-system-text-in-user", "why": "as the paper does", "by": "me"}]))
    text = words(findings())
    assert "All findings are ignored by the workspace file." in text
    assert "4 findings are ignored by the workspace file: fmt-system-text-in-user, 4 times: as the paper" in text


def test_more_findings_than_an_audit_holds_are_all_listed(serving: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "KEPT", 5)
    serving(repeating(28))
    test = findings()
    assert "are kept here" not in words(test)
    assert test.main.subheader[0].value == "28 places"
    marked = [one["record"] for one in links(test, "prompts") if "finding" in one]
    assert marked == [f"r{n}" for n in range(28)]
    assert "They ignore 28 findings." in words(test)
    whole = "1 kind of error in 28 places : The user message contains system text , in"
    assert f"{whole} every record of 1 mode or task." in words(test)
    test.text_input(key="search").set_value("record r27").run()
    assert "1 of 28 records · fmt-system-text-in-user" in words(test)
    assert test.main.subheader[0].value == "1 place"
    narrow = "1 kind of error in 1 place : The user message contains system text , in"
    assert f"{narrow} 1 mode or task (of 28 places without the filter)." in words(test)
    assert [one["record"] for one in links(test, "prompts") if "finding" in one] == ["r27"]


def test_of_very_many_places_a_few_are_drawn_and_all_are_one_click_away(
    serving: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MANY", 20)
    monkeypatch.setattr(summary, "KEPT", 5)
    serving(unlike(23))
    test = findings(code="dat-unknown-key")
    assert test.main.subheader[0].value == "10 of 23 different places, drawn at random (seed 20260101)"
    assert "23 places" in words(test)
    first = words(test)
    clicked(test, "in_order")
    assert test.main.subheader[0].value == "Places 1 to 10 of 23"
    clicked(test, "later")
    clicked(test, "later")
    assert test.main.subheader[0].value == "Places 21 to 23 of 23"
    clicked(test, "draw")
    assert words(test) == first


def test_a_download_takes_so_many_and_says_so(serving: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taking, "MOST", 5)
    serving(repeating(8))
    assert "A file takes the first 5 of 8 findings that match the filter." in words(findings())


def test_what_is_not_kept_is_said_and_counted(serving: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "KEPT", 5)
    monkeypatch.setattr(findings_on_disk, "LARGEST", findings_on_disk.PAGE)
    serving(repeating(8))
    test = findings()
    assert "Only the first 5 of 8 findings are kept here" in words(test)
    assert "8 of 8 records · fmt-system-text-in-user" in words(test)
    assert "8 places (3 of the places are not listed by condition)" in words(test)
    assert test.main.subheader[0].value == "Places 1 to 5 of 8"


def test_the_download_is_in_the_shape_of_the_command_line(serving: Any) -> None:
    audit = engine.check(workspace.open(serving(repeating(3))))
    lines = [json.loads(line) for line in taking.lines(groups(audit)).splitlines()]
    assert [line["place"]["record"] for line in lines] == ["r0", "r1", "r2"]
    assert set(lines[0]) == {"code", "severity", "message", "fix", "place", "key"}


def test_without_a_dataset_there_is_no_share_of_records(serving: Any) -> None:
    serving({"prompt_config.yml": "prompts: [{mode: simple, template: s.jinja}]\n", "s.jinja": "{{ query }}"})
    test = findings()
    assert "without a dataset · " in words(test)
    assert " in 1 place : " in words(test)
    assert "rb-share" not in said(test)
    assert "Simple" in words(test)
    assert [link["mode"] for link in links(test, "prompts") if "finding" in link] == ["simple"]


def taken(form: str, folder: Path) -> str:
    """What the page's download of that form holds for all findings."""
    found = groups(engine.check(workspace.open(folder)))
    maker: Any = {"csv": taking.rows, "markdown": taking.text}[form]
    made = maker(found)
    return made.decode("utf-8") if isinstance(made, bytes) else str(made)


def test_the_table_has_a_row_for_each_finding_and_no_formula(serving: Any) -> None:
    files = repeating(2)
    files["data.jsonl"][0]["id"] = "=HYPERLINK(1)"
    text = taken("csv", serving(files))
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    leaks = [row for row in rows if row["code"] == "fmt-system-text-in-user"]
    assert [(row["record"], row["index"], row["start"]) for row in leaks] == [
        ("'=HYPERLINK(1)", "0", "0"),
        ("r1", "1", "0"),
    ]
    assert all(len(row["key"]) == 16 for row in rows)


def test_the_markdown_names_each_rule_its_fix_and_its_places(serving: Any) -> None:
    files = repeating(2)
    files["data.jsonl"][0]["id"] = "![x](http://evil/x.png)<b>"
    text = taken("markdown", serving(files))
    assert "## error: The user message contains system text (`fmt-system-text-in-user`)" in text
    assert "2 places" in text
    assert "![" not in text
    assert "<b>" not in text


def test_the_three_downloads_hold_what_the_filter_leaves() -> None:
    test = findings(**MISTAKE, area="prompt formats", severity="error")
    assert "Download the 25 findings that match the filter as" in words(test)
    labels = [button.proto.label for button in test.main.get("download_button")]
    assert labels[:3] == ["A table (CSV)", "JSON Lines, as the command line writes them", "Markdown"]


def test_every_state_is_in_the_address_but_for_what_was_typed() -> None:
    asked = {
        "severity": "error",
        "area": "prompt formats",
        "arm": MISTAKE["arm"],
        "code": "fmt-system-text-in-user",
        "at": "10",
    }
    test = findings(workspace="six-conditions-mistakes", **asked)
    assert [test.selectbox(key=key).value for key in ("severity", "area", "arm")] == [
        "error",
        "prompt formats",
        MISTAKE["arm"],
    ]
    assert test.main.subheader[0].value == "24 places"
    test.text_input(key="search").set_value("ellery").run()
    test.text_input(key="ignore_why").set_value("secret reason").run()
    assert not {"search", "ignore_why"} & set(test.query_params)


def test_each_place_is_copied_as_markdown_and_put_on_the_agenda(serving: Any) -> None:
    serving(repeating(3))
    test = findings()
    diagnostic = unescape(re.search(r'id="note-place_0">(.*?)</span>', said(test), re.S)[1])  # type: ignore[index]
    assert diagnostic.startswith("**error:** The user message contains system text")
    assert "- the user message repeats system text" in diagnostic
    assert f"```text\n{BRIEF} Why 0?\n```" in diagnostic.replace("&#10;", "\n")
    assert "/prompts?" in diagnostic
    assert "finding=" in diagnostic
    assert re.search(r"Fingerprint of the messages: `[0-9a-f]{64}`", diagnostic)
    clicked(named(test), "list_place_0")
    assert [one["kind"] for one in on_agenda()] == ["finding"]
    clicked(test, "unlist_place_0")
    assert on_agenda() == []


def test_the_lines_to_ignore_follow_the_choice_and_the_reason(serving: Any) -> None:
    serving(repeating(3))
    test = findings()
    assert "They ignore 3 of the findings kept here. Put these lines at the end of readback.yml." in words(test)
    test.text_input(key="ignore_why").set_value("as the paper does")
    place = next(option for option in test.selectbox(key="ignore_where").options if "record r0" in option)
    test.selectbox(key="ignore_where").set_value(place).run()
    (shown,) = re.findall(r'<div class="rb-excerpt">(ignore:.*?)</div>', said(test), re.DOTALL)
    lines = unescape(re.sub("<[^>]+>", "", shown))
    assert not test.code  # for which a browser would load the grammars of 300 languages
    assert "where: {mode: m, record: r0, role: user}" in lines
    assert "why: as the paper does" in lines
    assert "by: YOUR NAME" in lines
    assert "They ignore 1 of the findings kept here." in words(test)


def test_without_a_workspace_file_it_is_written_first(serving: Any) -> None:
    serving({"prompt_config.yml": "prompts: [{mode: simple, template: s.jinja}]\n", "s.jinja": "{{ query }}"})
    text = words(findings())
    assert "This workspace has no readback.yml yet" in text
    assert "Save as readback.yml" in text


def test_what_is_ignored_can_be_listed_with_its_places(serving: Any) -> None:
    ignore = [{"code": "fmt-system-text-in-user", "why": "meant", "where": {"record": "r1"}}, {"code": "fmt-markers"}]
    serving(repeating(4, ignore=ignore))
    test = findings()
    assert "fmt-system-text-in-user, record r1, once: meant" in words(test)
    assert (
        "fmt-markers, 0 times: no reason given (–, –) These lines match no finding, so they can be removed."
        in words(test)
    )
    clicked(test, "list_ignored")
    assert "The workspace file ignores the findings below." in words(test)
    assert test.main.subheader[0].value == "1 place"
    assert {one["record"] for one in links(test, "prompts") if "finding" in one} == {"r1"}
    assert test.query_params["ignored"] in ("1", ["1"])
    clicked(test, "list_ignored")
    assert test.main.subheader[0].value == "3 places"


def test_a_rule_that_fails_is_named_and_the_others_are_shown(serving: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(case: Any) -> Any:
        raise ZeroDivisionError("<b>")

    monkeypatch.setattr(all_rules.RULES()["fmt-system-varies"].logic, "check", broken)
    serving(repeating(2))
    test = findings()
    assert "1 of Readback's own rules failed; the others ran. Please report it." in words(test)
    assert any("fmt-system-varies: ZeroDivisionError: <b>" in code.value for code in test.code)
    assert rules(test) == ["fmt-system-text-in-user"]


def test_more_than_ten_thousand_findings_are_shown_in_a_moment(serving: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = 10_000 if LONG else 2_000
    monkeypatch.setattr(summary, "KEPT", kept)
    rows = "".join(f'{{"id": "r{n}", "q": "{BRIEF} Why {n}?"}}\n' for n in range(kept + 400)) + "torn\n"
    serving(repeating(1) | {"data.jsonl": rows})
    test = findings()
    clicked(test, "check_all")
    assert f"Download the {kept + 401:,} findings" in words(test) or f"first 10,000 of {kept + 401:,}" in words(test)
    assert {"fmt-system-text-in-user", "dat-bad-line"} <= set(rules(test))
    began = spent()
    test.text_input(key="search").set_value("Why 9").run()
    assert not test.exception
    assert spent() - began < 5  # 0.3 s on a quiet machine


def test_a_record_whose_id_no_address_can_hold_is_linked_by_number(serving: Any) -> None:
    files = repeating(1)
    text = json.dumps({"id": "torn \ud800", "q": f"{BRIEF} \ud800 Why?"}) + "\n"
    serving(files | {"data.jsonl": text})
    test = findings()
    assert [one.get("index") for one in links(test, "prompts") if "finding" in one] == ["0"]
    clicked(named(test), "list_place_0")
    assert "\ud800" not in on_agenda()[0]["link"]


def test_an_entry_of_a_masked_record_says_that_it_is_not_exact(serving: Any) -> None:
    files = repeating(1, dataset={"path": "data.jsonl", "private": ["name"]})
    files["data.jsonl"][0]["name"] = "Mrs Smith"
    serving(files)
    test = findings()
    clicked(named(test), "list_place_0")
    assert any("so this text is not exact" in fact for fact in on_agenda()[0]["facts"])


# The list: a row a rule, with its places, the conditions they are in, and the planned comparison it touches.


def rows_of(test: AppTest) -> dict[str, str]:
    """What the row of each rule says, by its code."""
    rows = re.findall(r'<li class="rb-rule[^>]* data-code="(.*?)"(.*?)(?=<li class="rb-rule|</nav>)', said(test), re.S)
    return {code: unescape(" ".join(re.sub(r"<[^>]+>", " ", f"<{row}").split())) for code, row in rows}


def arms_of(test: AppTest, code: str) -> list[dict[str, str]]:
    """What the links of a rule's row ask for that lead to one condition."""
    return [one for one in links(test, "findings") if one.get("code") == code and "arm" in one]


def conditions(count: int, **more: Any) -> dict[str, Any]:
    """A study of so many conditions, in each of which one record repeats the system message."""
    return repeating(1, conditions=[{"name": f"condition {n}", "mode": "m"} for n in range(count)], **more)


def test_a_row_has_its_places_and_the_conditions_they_are_in_and_all_add_up() -> None:
    test = findings(workspace="six-conditions-mistakes")
    rows = rows_of(test)
    assert rows["fmt-system-text-in-user"] == (
        "✕ error The user message contains system text 48 places mistake 1: system text in the question · 24 "
        "mistake 2: system text in the stored prompt · 24"
    )
    assert rows["fmt-train-serve-diff"].split("training ")[1] == (
        "1 place and 2 hints mistake 1: system text in the question · 1 "
        "instruction-only, open book · 1 hint RAG-trained, closed book · 1 hint"
    )
    assert rows["dat-bad-line"].endswith("cannot be read 1 place data/harbour.jsonl")
    assert sum(int(n) for n in re.findall(r'data-n="(\d+)"', said(test))) == 68
    assert "13 kinds, 68 places in all" in words(test)
    assert not re.search(r"rotate|rb-map", said(test))


def test_a_row_names_the_planned_comparison_that_its_rule_touches_as_overview_does() -> None:
    test = findings(workspace="six-conditions-mistakes")
    touched = "both sides of Does training with snippets help? (“RAG-trained, open book” versus “base, open book”)"
    assert next(code for code, row in rows_of(test).items() if touched in row) == "fmt-context-not-sent"
    assert f"Planned comparison: {touched}" in rows_of(test)["fmt-context-not-sent"]
    card = r"system message of “base, open book” unknown\. (Error|\d+ kinds of errors) on both sides"
    assert re.search(card, words(page(workspace="six-conditions-mistakes")), re.I)
    assert "Planned" not in rows_of(test)["fmt-system-text-in-user"]


def test_each_severity_says_by_what_its_rules_are_ordered(serving: Any) -> None:
    heads = re.findall(r"<h2[^>]*>(.*?)</h2>", said(findings(workspace="six-conditions-mistakes")))
    assert heads[0] == "Errors; first what touches a planned comparison, then by conditions"
    assert [head.split(";")[0] for head in heads] == ["Errors", "Warnings", "Hints"]
    files = repeating(3)
    files["data.jsonl"][1]["q"] += " [2]"
    files["data.jsonl"] = "".join(json.dumps(row) + "\n" for row in files["data.jsonl"]) + "torn\n"
    serving(files)
    assert re.findall(r"<h2[^>]*>(.*?)</h2>", said(findings()))[0] == "Errors; first what is in most conditions"


def test_a_condition_of_a_row_leads_to_its_places_there_and_all_conditions_lead_back() -> None:
    test = findings(workspace="six-conditions-mistakes", severity="error")
    asked = arms_of(test, "fmt-context-not-sent")[1]
    assert (asked["arm"], asked["severity"]) == ("RAG-trained, open book", "error")
    there = findings(**asked)
    assert rows_of(there)["fmt-context-not-sent"].split("lists ")[1].startswith("2 of 6 places base, open book")
    assert there.main.subheader[0].value == "2 places"
    assert "aria-current=true><bdi>RAG-trained, open book</bdi><span> · 2</span></a>" in said(there)
    assert "All conditions" in words(there).split("in all")[1][:20]
    assert {"code": "fmt-context-not-sent", "severity": "error", "workspace": "six-conditions-mistakes"} in links(
        there, "findings"
    )


def test_of_ninety_six_conditions_a_row_says_every_and_of_most_of_them_three_and_how_many_more(serving: Any) -> None:
    serving(conditions(96))
    test = findings()
    assert rows_of(test) == {
        "fmt-system-text-in-user": "✕ error The user message contains system text 96 places every condition "
        "1 kind, 96 places in all"
    }
    assert "The user message contains system text , in every record of every condition." in words(test)
    assert "everywhere condition 0 · 1" in words(test)
    assert "<summary>90 more</summary>" in said(test)  # beside the chosen rule, where each is a link
    assert len({one["arm"] for one in arms_of(test, "fmt-system-text-in-user")}) == 96
    chosen = rows_of(findings(arm="condition 95"))["fmt-system-text-in-user"]
    assert "The server adds the system message by itself." in words(test)
    assert "1 of 96 places condition 0 · 1 condition 1 · 1 condition 95 · 1 93 more" in chosen


def test_where_nothing_is_about_a_condition_no_condition_is_named(serving: Any) -> None:
    serving(unlike(3))
    row = rows_of(findings())["dat-unknown-key"].split("3 places ")[1]
    assert row.startswith("readback.yml 1 kind")


def test_a_long_name_and_one_from_right_to_left_are_whole_and_stand_alone(serving: Any) -> None:
    name = "<n>" * 100
    modes = [{"mode": "m", "system": BRIEF, "template": "{{ q }}"}, {"mode": "k", "template": "{{ id }}"}]
    by_mode = [{"name": one, "mode": "m"} for one in (name, "مرحبا")]
    serving(repeating(1, conditions=[*by_mode, {"name": "without", "mode": "k"}], modes=modes))
    drawn = unescape(said(findings()))
    assert drawn.count(f'title="{name}"') == 1
    assert drawn.count(f"<bdi>{name}</bdi><span> · 1</span>") == 1
    assert "<bdi>مرحبا</bdi><span> · 1</span>" in drawn
    assert f"<li><bdi>{name[:100]} …</bdi>: <a" in drawn
    assert "<li><bdi>مرحبا</bdi>: <a" in drawn


def test_the_conditions_of_many_places_are_named_above_the_first(serving: Any) -> None:
    by_mode = [{"name": one, "mode": "m"} for one in ("first", "second")]
    serving(repeating(10, conditions=by_mode))
    drawn = said(findings())
    assert "rb-place-list" not in drawn
    assert '<nav class="rb-arms"' in drawn


def test_the_first_place_is_in_its_messages_with_the_fix_beside_it(serving: Any) -> None:
    serving(repeating(1))
    text = words(findings())
    assert "System message · 49 characters" in text
    assert "User message · 56 characters" in text
    assert "How to fix it Remove the text from the user message" in text
    assert "The user message repeats system text" in text


def test_a_long_message_is_two_sentences_and_the_rest_is_one_click_away() -> None:
    test = findings(workspace="six-conditions-mistakes", code="fmt-system-text-in-user")
    shown = re.search(r'<span class="rb-say">(.*?)</span>', said(test), re.DOTALL)
    assert shown
    assert len(unescape(shown[1])) <= 245
    assert "<summary>Whole message</summary>" in said(test)


def test_no_finding_and_no_fix_begins_with_a_small_letter() -> None:
    for code in rules(findings(workspace="six-conditions-mistakes")):
        drawn = said(findings(workspace="six-conditions-mistakes", code=code))
        sentences = re.findall(r'class="rb-say">(.*?)<|rb-fix-card"><strong>.*?</strong><p>(.*?)<', drawn)
        assert sentences
        assert not [part for pair in sentences for part in pair if part[:1].islower()], code
