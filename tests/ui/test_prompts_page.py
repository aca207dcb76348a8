"""The room Prompts, its bar and the view One: which record, what is sent, what is said about it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from looking import clicked, page, said, turned, words
from streamlit.testing.v1 import AppTest

Write = Callable[[Mapping[str, Any]], Path]
SIX = {"workspace": "six-conditions-mistakes"}
MOST_TO_SEE = "condition:mistake 2: system text in the stored prompt"


def messages(**params: str) -> AppTest:
    """The page, as a link with these parameters opens it."""
    return page("prompts", **params)


def heads(test: AppTest) -> list[str]:
    """The headings of the texts that are sent; the reference and the answer are below them."""
    sent = said(test).split('<h2 class="rb-section')[0]
    return [part.split("</h2>")[0] for part in sent.split('<div class="rb-head"><h2>')[1:]]


def test_a_condition_shows_its_messages_in_order() -> None:
    test = messages(**SIX, condition="RAG-trained, open book")
    assert heads(test) == ["System message", "User message"]


def test_next_and_previous_move_the_record_in_the_address() -> None:
    test = messages(**SIX, record="ellery-02")
    test.button(key="next").click().run()
    assert test.query_params["record"] == "ellery-03"
    test.button(key="previous").click().run()
    test.button(key="previous").click().run()
    assert test.query_params["record"] == "ellery-01"
    assert test.button(key="previous").disabled


def test_a_record_is_chosen_in_a_list_of_numbers_first_words_and_ids() -> None:
    test = messages(**SIX)
    test.selectbox(key="record").set_value(4).run()
    assert test.query_params["record"] == "ellery-05"
    names = test.selectbox(key="record").options
    assert names[8].startswith("9 · ")
    assert names[8].endswith(" · ellery-09")


def test_a_link_to_a_record_that_is_not_there_says_so() -> None:
    test = messages(**SIX, record="nowhere")
    assert "not in this dataset" in said(test)
    assert test.selectbox(key="record").value == 0


def test_find_goes_to_the_next_record_that_holds_the_text() -> None:
    test = messages(**SIX)
    test.text_input(key="find_text").set_value("LIFE JACKET")
    test.button(key="FormSubmitter:find_form-Find next").click().run()
    assert test.query_params["record"] == "ellery-07"


def test_find_in_the_messages_looks_at_what_is_sent() -> None:
    test = messages(**SIX, condition="instruction-only, open book", record="ellery-03")
    test.text_input(key="find_text").set_value("gull buoy")
    test.radio(key="find_where").set_value("prompt")
    test.button(key="FormSubmitter:find_form-Find next").click().run()
    assert "record" in test.query_params


def test_find_says_when_there_is_nothing() -> None:
    test = messages(**SIX)
    test.text_input(key="find_text").set_value("no such words anywhere")
    test.button(key="FormSubmitter:find_form-Find next").click().run()
    assert "No record contains it" in said(test)


def test_what_is_sent_offers_conditions_and_judges() -> None:
    options = messages(**SIX).selectbox(key="sent").options
    assert "base, closed book" in options
    assert "Judge: harbour-judge" in options


def test_a_judge_shows_the_prompt_for_a_conditions_answer() -> None:
    test = messages(**SIX, condition="base, open book")
    test.selectbox(key="sent").set_value("judge:harbour-judge").run()
    assert (test.query_params["judge"], test.query_params["condition"]) == ("harbour-judge", "base, open book")
    assert "Answer to grade" in said(test)


def test_custom_opens_mode_task_and_adapter() -> None:
    test = messages(**SIX, condition="RAG-trained, open book")
    test.selectbox(key="sent").set_value("custom").run()
    assert test.selectbox(key="custom_mode").value == "rag"
    test.selectbox(key="custom_adapter").set_value("no_system").run()
    assert (test.query_params["mode"], test.query_params["adapter"]) == ("rag", "no_system")


def test_a_task_through_an_adapter_is_restored_from_a_link() -> None:
    test = messages(workspace="tri-section", task="parsing", adapter="claude_tool")
    assert test.selectbox(key="custom_task").value == "parsing"
    assert "rb-adapter" in said(test)


def test_a_finding_in_the_address_stands_out() -> None:
    test = messages(**SIX, condition="mistake 1: system text in the question")
    clicked(test, "next_finding")
    assert test.query_params["finding"]
    assert "rb-here" in said(test)


def test_a_finding_in_a_field_that_is_not_sent_stands_out_beside_the_messages(
    serving: Callable[[Mapping[str, Any]], Path],
) -> None:
    serving({"p.jinja": "{{ q }}", "d.jsonl": [{"id": "1", "q": "Why?", "note": "the clerk\u00e2\x80\x99s office"}]})
    link = re.search(r"finding=([0-9a-f]+)", said(page("findings", code="dat-mojibake")))
    assert link is not None
    assert 'class="rb-card rb-finding rb-warning rb-here"' in said(messages(record="1", finding=link[1]))


def test_next_finding_goes_on_to_the_next_record_with_one() -> None:
    test = messages(**SIX, condition="base, closed book")
    clicked(test, "next_finding")
    assert test.query_params["record"] != "ellery-01"


def test_a_prompt_without_documents_says_so_of_the_contexts_and_shows_none_as_missing() -> None:
    closed = messages(**SIX, condition="base, closed book", record="ellery-07")
    assert re.search(r"This prompt is built without contexts; the record has \d+\.", words(closed))
    assert "✗" not in words(closed)
    assert "This prompt is built without contexts" not in words(messages(**SIX, condition="base, open book"))


def test_a_view_that_is_not_there_stays_with_its_cure() -> None:
    test = messages(**SIX, condition="base, closed book", layer="wire")
    assert "needs a Modelfile or chat template" in said(test)
    assert heads(test) == ["User message"]


def test_training_stands_beside_evaluation_and_says_whether_they_are_equal() -> None:
    test = messages(**SIX, condition="instruction-only, closed book", layer="training", by="role")
    assert "The user message has the same bytes" in said(test)
    assert "System message, in training" in heads(test)


def test_what_the_model_reads_is_shown_for_a_named_chat_format() -> None:
    test = messages(workspace="town-hall-albert", mode="rag", layer="wire")
    assert heads(test) == ["What the model reads (llama-chat)"]
    assert "rb-server" in said(test)


def test_what_a_chat_format_drops_is_a_finding_here(serving: Callable[[Mapping[str, Any]], Path]) -> None:
    config = "prompt_format: openai\nsystem_prompt: Be kind.\nprompts:\n  - {mode: m, template: t.jinja}\n"
    serving({"prompt_config.yml": config, "t.jinja": "Hello"})
    assert "alb-system-dropped" in said(messages(mode="m"))


def test_the_stored_prompt_is_compared_with_what_is_sent() -> None:
    assert "equals the user message" in said(messages(**SIX, condition="base, open book", layer="stored"))
    assert "differs from the user message" in said(messages(**SIX, condition="base, closed book", layer="stored"))


def test_blanks_are_drawn_from_the_link() -> None:
    assert "rb-white" in said(messages(**SIX, whitespace="1"))
    assert "rb-white" not in said(messages(**SIX))


def test_a_value_is_tried_and_said_to_be_tried() -> None:
    test = messages(**SIX, condition="base, closed book")
    test.selectbox(key="try_name").set_value("instruction")
    test.text_area(key="try_value").set_value("Is this tried?")
    test.button(key="FormSubmitter:try_form-Try it").click().run()
    assert "Is this tried?" in said(test)
    assert "in no file: instruction" in said(test)
    test.button(key="untry_instruction").click().run()
    assert "in no file" not in said(test)


def test_a_value_that_is_not_json_is_refused() -> None:
    test = messages(**SIX)
    test.toggle(key="try_json").set_value(True)
    test.text_area(key="try_value").set_value("{")
    test.selectbox(key="try_name").set_value("instruction")
    test.button(key="FormSubmitter:try_form-Try it").click().run()
    assert "This is not valid JSON" in said(test)


def test_a_masked_record_is_never_called_exact() -> None:
    test = messages(workspace="town-hall-albert", mode="simple")
    assert "shown as [masked], so this text is not exact" in said(test)
    assert all("masked, not exact" in one.proto.label for one in test.get("download_button") if "0-" in one.proto.id)


def test_french_text_is_marked_as_french() -> None:
    assert 'lang="fr"' in said(messages(workspace="town-hall-albert", mode="rag"))
    assert 'class="rb-exact" lang="" ' in said(messages(workspace="tri-section", task="parsing"))  # nobody says it
    assert 'class="rb-exact" role' in said(messages(**SIX))  # that of the page


def test_keys_are_listed_and_can_be_switched_off() -> None:
    test = messages(**SIX)
    assert "&#34;j&#34;: &#34;next&#34;" in said(test)
    test.toggle(key="keys_on").set_value(False).run()
    off = 'data-rb-keys="{&#34;P&#34;: &#34;&#34;}"'  # nor does the key to present do anything, on any page
    assert said(test).count("data-rb-keys") == said(test).count(off) == 1
    assert off in said(turned(test, "results", **SIX))


def test_an_adapter_alone_in_a_link_falls_back_to_what_there_is() -> None:
    assert messages(**SIX, condition="no such condition").selectbox(key="sent").value == MOST_TO_SEE


def test_nothing_to_send_says_what_would_help(serving: Callable[[Mapping[str, Any]], Path]) -> None:
    serving({"data.jsonl": [{"id": "1", "q": "x"}]})
    assert "no prompts, tasks or judges" in said(messages())


def test_no_records_says_what_would_help(serving: Callable[[Mapping[str, Any]], Path]) -> None:
    modes = [{"mode": "m", "template": "{{ q }}"}]
    serving({"readback.yml": {"dataset": {"path": "d.jsonl"}, "modes": modes}, "d.jsonl": ""})
    assert "The dataset has no records" in said(messages())


def test_without_a_dataset_the_defaults_are_shown(serving: Callable[[Mapping[str, Any]], Path]) -> None:
    serving({"readback.yml": {"modes": [{"mode": "m", "template": "Hello {{ name }}"}]}})
    assert heads(messages()) == ["User message"]


def test_a_template_that_breaks_is_a_finding_and_no_crash(serving: Callable[[Mapping[str, Any]], Path]) -> None:
    modes = [
        {"mode": "m", "template": "{{ 1 / 0 }}"},
        {"mode": "n", "template": "{% for x in range(10**9) %}a{% endfor %}"},
    ]
    serving({"readback.yml": {"modes": modes}})
    for mode in ("m", "n"):
        assert "No messages could be built" in said(messages(mode=mode))


def test_a_long_text_is_shown_in_part_and_whole_on_request(serving: Callable[[Mapping[str, Any]], Path]) -> None:
    modes = [{"mode": "m", "template": "{{ text }}"}]
    folder = serving({"readback.yml": {"dataset": {"path": "d.jsonl"}, "modes": modes}, "d.jsonl": ""})
    (folder / "d.jsonl").write_text(json.dumps({"id": "1", "text": "word " * 1_000_000}) + "\n", "utf-8")
    test = messages()
    assert len(said(test)) < 2_000_000
    assert "5,000,000" in said(test)
    test.button(key="show_all_0-user").click().run(timeout=600)
    assert len(said(test)) > 5_000_000


def test_lone_surrogates_in_names_ids_and_texts_break_nothing(serving: Callable[[Mapping[str, Any]], Path]) -> None:
    modes = [{"mode": "m", "template": "{{ q }}"}]
    folder = serving({"readback.yml": {"dataset": {"path": "d.jsonl", "id": "id"}, "modes": modes}, "d.jsonl": ""})
    rows = [{"id": "b\ud800", "q": "x\udfff", "n\ud83d": 1}, {"id": "\0", "q": "\ud800", "n\ud83d": 2}]
    (folder / "d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "ascii")
    test = messages()
    test.button(key="next").click().run()
    test.button(key="previous").click().run()
    assert not test.exception
    assert test.selectbox(key="record").options[0] == "1 · b\\ud800"
    assert "x<span" in said(test)


def test_ids_are_typed_where_there_are_too_many_to_list(serving: Callable[[Mapping[str, Any]], Path]) -> None:
    rows = [{"id": f"r{n}", "q": str(n)} for n in range(600)]
    serving(
        {
            "readback.yml": {"dataset": {"path": "d.jsonl"}, "modes": [{"mode": "m", "template": "{{ q }}"}]},
            "d.jsonl": rows,
        }
    )
    test = messages()
    test.text_input(key="record_id").set_value("r512").run()
    assert test.query_params["record"] == "r512"
    test.text_input(key="record_id").set_value("r9999").run()
    assert "no record with that id" in said(test)


def test_records_with_one_id_are_told_apart_by_number(serving: Callable[[Mapping[str, Any]], Path]) -> None:
    rows = [{"id": "a", "q": "first"}, {"id": "a", "q": "second"}]
    serving(
        {
            "readback.yml": {"dataset": {"path": "d.jsonl"}, "modes": [{"mode": "m", "template": "{{ q }}"}]},
            "d.jsonl": rows,
        }
    )
    test = messages()
    test.button(key="next").click().run()
    assert test.query_params["index"] == "1"
    assert "second" in said(test)


def test_a_disk_that_stops_answering_is_said_and_does_not_start_the_page_for_ever(
    serving: Any, monkeypatch: Any
) -> None:
    serving({"readback.yml": "dataset: d.jsonl\nmodes: [{mode: a, template: '{{ q }}'}]\n", "d.jsonl": '{"q": 1}\n'})

    def failing(*_: int) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("readback.records.dataset.os.pread", failing)
    test = messages()
    assert "d.jsonl cannot be read:" in words(test)
    assert "Input/output error" in test.code[0].value


def test_an_empty_value_that_the_template_reads_is_used(serving: Write) -> None:
    rows = '{"id": "1", "q": "Why?", "context": "", "docs": [{"t": ""}], "other": "", "more": null}\n'
    serving({"prompt.jinja": "{{ context }}{{ q }}{{ docs[0].t }}{{ more }}", "rows.jsonl": rows})
    _, _, text = words(page("prompts")).partition("The record ")
    text = text.replace("field that is not used", "")
    stated = dict(re.findall(r"(\S+) (not used|used, empty|used)\b", text.replace("fields that are not used", "")))
    assert stated == {
        "q": "used",
        "context": "used, empty",
        "docs[0].t": "used, empty",
        "more": "used, empty",
        "id": "not used",
        "other": "not used",
    }
