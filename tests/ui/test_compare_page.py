"""The page Compare: two sides from a link, what differs between them, the table, and the count over all records."""

from __future__ import annotations

import html
import json
import re
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from counts import LONG
from looking import drawn, page, said, words
from streamlit.testing.v1 import AppTest

from readback.checks.run import process
from readback.compare.git import Git
from readback.project_files import EXAMPLES

Write = Callable[[Mapping[str, Any]], Path]
SIX = {"workspace": "six-conditions-mistakes"}
CLOSED, OPEN = "instruction-only, closed book", "instruction-only, open book"
FIRST_ANSWER = json.loads((EXAMPLES / "tri-section/data/answers.jsonl").read_text("utf-8").split("\n")[0])[
    "question_id"
]
TWO: Mapping[str, Any] = {
    "readback.yml": {
        "name": "two",
        "dataset": {"path": "d.jsonl"},
        "modes": [
            {"mode": "plain", "template": "Question: {{ q }}\nAnswer:\n\n", "system": "You are x."},
            {"mode": "kind", "template": "Question: {{ q }}\nAnswer:", "system": "You are x."},
            {"mode": "same", "template": "Question: {{ q }}\nAnswer:", "system": "You are x."},
        ],
    },
    "d.jsonl": '{"id": "r1", "q": "one"}\n{"id": "r2", "q": "two"}\n{"id": "r3", "q": "three"}\n',
}


def compare(**params: str) -> AppTest:
    """The page, as a link with these parameters opens it."""
    return page("prompts", **{"view": "difference", **params})


def text(test: AppTest, column: str) -> str:
    """What is in a column, as a reader has it."""
    cells = re.findall(rf'<div class="rb-cell rb-{column}"[^>]*>(.*?)</div>', said(test), re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", "", "".join(cells)))


def asked(test: AppTest) -> dict[str, str]:
    return {key: value if isinstance(value, str) else value[0] for key, value in dict(test.query_params).items()}


def size(test: AppTest) -> str:
    """The size of the text; Streamlit keeps styles apart from what the page shows."""
    return str(re.findall(r"--rb-size: ([\d.]+)", " ".join(one.proto.body for one in test.get("html")))[-1])


def linked(test: AppTest, label: str) -> str:
    """The address of the link that is read out so."""
    found = re.search(rf'href="([^"]*)"[^>]*aria-label="{re.escape(html.escape(label))}"', said(test))
    assert found, label
    return html.unescape(found[1])


def test_a_link_names_both_sides_and_both_texts_are_whole() -> None:
    test = compare(**SIX, record="ellery-01", condition=CLOSED, b_condition=OPEN, whole="1")
    assert text(test, "a").endswith("pilot on board?\n\nAnswer:")
    assert "Context:" not in text(test, "a")
    assert "Context:\n[1] Section: Approach" in text(test, "b")
    assert (test.selectbox(key="sent").value, test.selectbox(key="b").value) == (
        f"condition:{CLOSED}", f"condition:{OPEN}",
    )  # fmt: skip


def test_what_is_true_of_both_sides_is_said_once() -> None:
    shown = said(compare(**SIX, condition="base, closed book", b_condition="base, open book"))
    assert "A and B: The system message is not known here" in shown
    assert shown.count("The system message is not known here") == 1


def test_a_message_that_is_not_known_is_no_side_of_a_difference() -> None:
    for at, a, b in (("a", "base, open book", OPEN), ("b", OPEN, "base, open book")):
        shown = compare(**SIX, condition=a, b_condition=b, record="ellery-01")
        assert text(shown, at).startswith("Not known: no Modelfile of base is among the files.")
        system = said(shown).split('id="diff-')[1]
        assert ("<ins" in system, "<del" in system) == (False, False)
        assert "You are" in system


def test_b_is_the_other_of_a_planned_comparison_where_the_link_does_not_say() -> None:
    assert compare(**SIX, condition=CLOSED).selectbox(key="b").value == f"condition:{OPEN}"


def test_what_was_added_is_marked_and_has_its_origin() -> None:
    shown = said(compare(**SIX, condition=CLOSED, b_condition=OPEN))
    assert re.search(r'<ins class="rb-ins" data-rb-change="1" tabindex="-1"><span class="rb-s rb-', shown)
    assert "<del" not in shown
    assert "only in B" in shown


def test_what_is_compared_is_called_by_its_kind() -> None:
    for workspace, kind in (("six-conditions", "condition"), ("town-hall-albert", "mode"), ("tri-section", "task")):
        test = compare(workspace=workspace)
        assert test.selectbox(key="differs").options[0] == f"Another {kind}"


def test_what_could_not_be_built_is_not_compared_and_leads_to_why(serving: Any) -> None:
    serving({"readback.yml": "dataset: d.jsonl\nmodes:\n  - {mode: good, template: '{{ q }}'}\n"
             "  - {mode: bad, template: '{{ q.x.y }}'}\n", "d.jsonl": '{"id": "r1", "q": "Why?"}\n'})  # fmt: skip
    test = compare(mode="good", b_mode="bad")
    assert "B could not be built, so there is nothing to compare." in said(test)
    assert re.search(r'href="/prompts\?[^"]*mode=bad[^"]*">See why in Prompts</a>', said(test))
    assert "rb-diff" not in said(test)


def test_where_there_are_only_scores_the_way_leads_to_them(serving: Any) -> None:
    serving({"s.csv": "item,condition,criterion,score\n" + "".join(f"r{n},{c},useful,{n}\n" for n in range(6)
                                                                    for c in ("one", "two"))})  # fmt: skip
    assert "Compare the conditions by their scores" in said(compare())
    assert "See the scores" in said(page("prompts"))


def test_next_b_goes_through_the_conditions_and_stands_in_the_address() -> None:
    test = compare(**SIX, condition=CLOSED, b_condition=OPEN)
    test.button(key="next_b").click().run()
    assert asked(test)["b_condition"] == "RAG-trained, closed book"
    assert asked(test)["condition"] == CLOSED
    test.button(key="previous_b").click().run()
    assert asked(test)["b_condition"] == OPEN


def test_swap_exchanges_the_two() -> None:
    test = compare(**SIX, condition=CLOSED, b_condition=OPEN, whole="1")
    a, b = text(test, "a"), text(test, "b")
    test.button(key="swap").click().run()
    assert (asked(test)["condition"], asked(test)["b_condition"]) == (OPEN, CLOSED)
    assert (b, a) == (text(test, "a"), text(test, "b"))


@pytest.mark.parametrize(
    "link",
    [
        {"condition": CLOSED, "differs": "record", "b_record": "ellery-05"},
        {"condition": OPEN, "differs": "option", "b_option": "condition4=standard"},
        {"condition": CLOSED, "differs": "adapter", "b_condition": CLOSED, "b_adapter": "gateway"},
        {"condition": CLOSED, "differs": "layer", "b_layer": "training"},
        {"condition": CLOSED, "differs": "version", "b_workspace": "tri-section", "b_task": "parsing",
         "b_record": FIRST_ANSWER},
    ],
    ids=lambda link: link["differs"],
)  # fmt: skip
def test_a_swap_twice_is_where_it_began(link: dict[str, str]) -> None:
    test = compare(**SIX, record="ellery-02", whole="1", **link)
    a, b = text(test, "a"), text(test, "b")
    assert a
    assert b
    test.button(key="swap").click().run()
    assert (b, a) == (text(drawn(test), "a"), text(test, "b"))
    test.button(key="swap").click().run()
    assert (a, b) == (text(drawn(test), "a"), text(test, "b"))


def test_another_record_is_compared_under_the_same_condition() -> None:
    test = compare(**SIX, record="ellery-01", condition=CLOSED)
    test.selectbox(key="differs").set_value("record").run()
    assert "ellery-02" in said(test)
    test.selectbox(key="b_at").set_value(4).run()
    assert asked(test)["b_record"] == "ellery-05"
    test.button(key="next_b").click().run()
    assert asked(test)["b_record"] == "ellery-06"
    assert asked(test)["record"] == "ellery-01"


def test_only_options_that_the_files_call_for_are_offered_with_both_values_in_words() -> None:
    test = compare(**SIX, condition=OPEN, differs="option")
    options = test.selectbox(key="b").options
    assert "Open book, instruction-only model: context first, then the question" in options
    assert not [option for option in options if "limit" in option]
    assert "question first, then the context" in said(test)
    test.selectbox(key="b").set_value("spacing=document").run()
    assert asked(test)["b_option"] == "spacing=document"


def test_what_differs_offers_no_option_where_the_files_call_for_none(serving: Callable[..., Path]) -> None:
    serving(TWO)
    assert "Another option" not in compare().selectbox(key="differs").options


def test_equal_prompts_say_so_with_their_fingerprint(serving: Callable[..., Path]) -> None:
    serving(TWO)
    test = compare(mode="kind", b_mode="same")
    assert "equal byte for byte" in said(test)
    assert "<details open>" in said(test)
    assert len(re.findall(r"<code>[0-9a-f]{64}</code>", said(test))) == 2
    assert "Question: one" in text(test, "a")


def test_a_line_end_that_is_missing_is_drawn(serving: Callable[..., Path]) -> None:
    serving(TWO)
    shown = said(compare(mode="plain", b_mode="kind"))
    assert re.search(r'<del [^>]*><span [^>]*><span class="rb-w rb-nl">&#10;</span>', shown)


def test_one_column_and_blanks_are_settings_of_the_link(serving: Callable[..., Path]) -> None:
    serving(TWO)
    test = compare(mode="plain", b_mode="kind", inline="1", whitespace="1")
    assert "rb-compared rb-inline" in said(test)
    assert "rb-sp" in said(test)
    test.toggle(key="inline").set_value(False).run()
    assert "inline" not in asked(test)
    assert "rb-cell rb-a" in said(test)


def test_many_records_are_counted_on_request(serving: Callable[..., Path]) -> None:
    modes = [{"mode": "a", "template": "{{ q }}"}, {"mode": "b", "template": "{{ q }}."}]
    rows = "".join(json.dumps({"id": f"r{n}", "q": n}) + "\n" for n in range(600))
    serving({"readback.yml": {"dataset": {"path": "d.jsonl"}, "modes": modes}, "d.jsonl": rows})
    test = compare(mode="a", b_mode="b", view="records")
    assert "records differ" not in said(test)
    test.button(key="count").click().run()
    assert "600 of 600 records differ" in said(drawn(test))
    assert said(test).count("<li>") == 50
    test.button(key="records_later").click().run()
    assert asked(test)["at"] == "50"


def test_the_records_where_two_differ_are_counted(serving: Callable[..., Path]) -> None:
    modes = [
        {"mode": "a", "template": "{{ q }}"},
        {"mode": "b", "template": "{% if q == 'two' %}2{% else %}{{ q }}{% endif %}"},
    ]
    serving({**TWO, "readback.yml": {"dataset": {"path": "d.jsonl"}, "modes": modes}})
    test = compare(mode="a", b_mode="b", view="records")
    assert "1 of 3 records differs. 2 are equal." in said(test)
    bars = re.findall(r'<tr><th scope="row">(.*?)</th><td class="rb-num">(\d+)</td>', said(test))
    assert bars == [("equal, byte for byte", "2"), ("the text in several places", "1"), ("All that were compared", "3")]
    assert ">r2</a>" in said(test)
    assert "index=1" in said(test)
    test.button(key="next_differing").click().run()
    assert asked(test)["record"] == "r2"


def test_two_records_are_nothing_to_count() -> None:
    test = compare(**SIX, differs="record", b_record="ellery-03", view="records")
    assert "count" not in {button.key for button in test.button}


def test_a_side_that_cannot_be_shown_says_why() -> None:
    test = compare(**SIX, condition="base, closed book", layer="wire")
    assert "cannot be compared" in said(test)


def test_a_link_to_what_is_not_there_is_no_failure() -> None:
    test = compare(**SIX, b_condition="nowhere", b_option="x=y", b_rev="", part="9", rows="x")
    assert "cannot be compared" in said(test)


def test_the_size_of_the_text_is_kept_between_pages() -> None:
    test = compare(**SIX)
    test.button(key="larger").click().run()
    assert size(test) == "1.15"
    test.switch_page("pages/prompts_page.py").run()
    assert size(test) == "1.15"
    test.button(key="smaller").click().run()
    test.button(key="smaller").click().run()
    assert test.button(key="smaller").disabled
    assert size(test) == "0.85"


def test_messages_leads_to_compare_with_the_same_choice() -> None:
    test = compare(**SIX, condition=OPEN, record="ellery-03")
    test.switch_page("pages/prompts_page.py").run()
    door = re.search(r'st-key-to_compare[^>]*><a [^>]*href="([^"]*)"', said(test))
    assert door
    assert "/prompts?" in door[1]
    assert "record=ellery-03" in door[1]


def test_revisions_of_the_folder_are_versions(serving: Callable[..., Path]) -> None:
    folder = serving(TWO)
    git = [
        "git",
        "-C",
        str(folder),
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@example.org",
        "-c",
        "commit.gpgsign=false",
    ]
    for step in (["init", "-q"], ["add", "."], ["commit", "-qm", "before <b>the</b> meeting"]):
        subprocess.run([*git, *step], check=True)
    changed = json.loads((folder / "readback.yml").read_text())
    changed["modes"][0]["template"] = "Q: {{ q }}\nAnswer:\n"
    (folder / "readback.yml").write_text(json.dumps(changed))
    test = compare(mode="plain", differs="version")
    assert any("before" in option for option in test.selectbox(key="b").options)
    assert test.selectbox(key="b").value == f"rev:{commit(folder)}"
    assert ("Q: one" in text(drawn(test), "a"), "Question: one" in text(test, "b")) == (True, True)
    test.text_input(key="rev").set_value("HEAD").run()
    assert asked(test)["b_rev"] == commit(folder)
    test.text_input(key="rev").set_value("no-such-revision").run()
    assert "There is no revision of that name" in said(test)


def test_c1_a_history_that_is_not_read_is_said_in_one_sentence(
    serving: Callable[..., Path], tmp_path_factory: Any
) -> None:
    theirs = tmp_path_factory.mktemp("theirs")
    (theirs / "secret.txt").write_text("secret")
    git = ["git", "-C", str(theirs), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for step in (["init", "-q"], ["add", "."], ["commit", "-qm", "their secret"]):
        subprocess.run([*git, *step], check=True)
    serving({**TWO, ".git": f"gitdir: {theirs / '.git'}\n"})
    test = compare(mode="plain", differs="version")
    assert "its .git is a file, and the repository that it names lies elsewhere" in said(test)
    assert ("their secret" in said(test), str(theirs) in said(test)) == (False, False)
    assert not any("secret" in option for option in test.selectbox(key="b").options)
    assert "lies elsewhere" not in said(compare(mode="plain", differs="record"))
    test = compare(mode="plain", differs="version", b_rev=commit(theirs))  # a link made by hand
    assert "lies elsewhere" in said(test)


def test_the_largest_prompts_are_shown_in_part(serving: Callable[..., Path]) -> None:
    long = "".join(f"line {n}\n" for n in range(80_000 if LONG else 30_000))
    rows = [{"id": "r1", "a": long, "b": long.replace("7", "seven")}]
    modes = [{"mode": name, "template": f"{{{{ {name} }}}}"} for name in "ab"]
    serving({"readback.yml": {"dataset": {"path": "d.jsonl"}, "modes": modes}, "d.jsonl": json.dumps(rows[0]) + "\n"})
    test = compare(mode="a", b_mode="b")
    assert "on this part of the page" in said(test)
    assert len(said(test)) < 1_500_000
    test.button(key="part_later").click().run()
    assert asked(test)["part"] == "2"


def commit(folder: Path) -> str:
    """The last commit of a folder."""
    with Git(folder) as git:
        return git.find_commit("HEAD")


def test_a_version_is_at_first_the_last_commit_and_without_one_must_be_chosen(serving: Callable[..., Path]) -> None:
    serving(TWO)
    assert "Choose another B." in said(compare(mode="plain", differs="version"))


FAIR: Mapping[str, Any] = {
    "readback.yml": {
        "dataset": "d.jsonl",
        "modes": [{"mode": "m", "template": "{{ q }}"}, {"mode": "p", "template": "Q: {{ q }}"}],
        "conditions": [{"name": "a", "mode": "m"}, {"name": "b", "mode": "p"}],
    },
    "d.jsonl": "".join(json.dumps({"id": f"r{n}", "q": f"Why {n}?"}) + "\n" for n in range(3)),
}


def test_the_verdict_is_worked_out_here_once_for_everybody_while_the_texts_are_there(
    serving: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, checks, check = threading.Event(), [], process.check

    def slow(*given: Any) -> Any:
        checks.append(given)
        go.wait(60)
        return check(*given)

    monkeypatch.setattr(process, "check", slow)
    serving(FAIR)
    test = compare(condition="a", b_condition="b")
    assert "May A be compared with B? The records are being checked." in words(test)
    assert "Why 0?" in text(test, "a")
    go.set()
    for _ in range(600):
        if "being checked" not in words(test.run()):
            break
        time.sleep(0.05)
    assert re.search(r"May A be compared with B\? Fair\.", words(test))
    assert "May A be compared with B?" in words(compare(condition="a", b_condition="b"))
    page("overview")
    assert len(checks) == 1


def test_of_a_large_dataset_the_verdict_is_that_of_a_sample(serving: Write) -> None:
    rows = "".join(json.dumps({"id": f"r{n}", "q": f"Why {n}?"}) + "\n" for n in range(1_101))
    serving({**FAIR, "d.jsonl": rows})
    test = compare(condition="a", b_condition="b")
    for _ in range(600):
        if "being checked" not in words(test):
            break
        time.sleep(0.05)
        test.run()
    assert "May A be compared with B? Fair in the sample." in words(test)
