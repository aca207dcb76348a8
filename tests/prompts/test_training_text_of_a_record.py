"""The text a model was trained on for a record: which template makes it, where its answer begins, what is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from served_twice import ANSWER, ROW, TRAINED, workspace

from readback import workspace as workspaces
from readback.compare.first_difference import compare_self_test, describe_difference
from readback.prompts.self_tests import run_self_tests
from readback.prompts.training_text import TrainedText, build_trained_input, build_trained_text, find_training_template
from readback.records.dataset import open_dataset
from readback.types import Segment, Selection, Workspace

Write = Callable[[Mapping[str, Any]], Path]
CHATML = "format: chatml-plain"
TURNS = "{% for m in messages %}<{{ m.role }}>{{ m.content | trim }}</>{% endfor %}"
JINJA = TURNS + "{% if add_generation_prompt %}<a>{% endif %}"


def opened(write: Write, files: Mapping[str, Any]) -> Workspace:
    return workspaces.open(write(files))


def first(found: Workspace) -> TrainedText:
    return build_trained_text(found, open_dataset(found.root, found.dataset).record(0), "m")


def text(segments: tuple[Segment, ...]) -> str:
    return "".join(segment.text for segment in segments)


def test_the_text_holds_the_answer_and_the_prompt_ends_where_it_begins(write: Write) -> None:
    known = first(opened(write, workspace("right", CHATML)))
    assert known.text is not None
    assert known.text.text == TRAINED + ANSWER
    assert text(known.prompt) == TRAINED
    assert (known.text.assumed, known.missing) == (False, "")


def test_segments_keep_who_wrote_them(write: Write) -> None:
    known = first(opened(write, workspace("right", CHATML)))
    assert known.text is not None
    origins = {segment.origin: segment for segment in known.text.segments}
    assert {"serving", "system", "template", "variable"} <= set(origins)
    assert [one.text for one in known.text.segments if one.name == "expected_response"] == ["At ten past four."]


@pytest.mark.parametrize(
    ("training", "more", "name", "basis"),
    [
        (CHATML, "", "chatml-plain", "stated"),
        ("format: llama3-chat", "", "llama3-chat", "stated"),
        ("chat_template: own.jinja", "", "own.jinja", "stated"),
        ("", "", "chatml-plain", "assumed"),
    ],
)
def test_what_the_files_say_goes_before_what_the_modelfile_looks_like(
    write: Write, training: str, more: str, name: str, basis: str
) -> None:
    found = find_training_template(
        opened(write, {**workspace("right", training, more), "own.jinja": JINJA}).models["m"]
    )
    assert found is not None
    assert (found.name, found.basis) == (name, basis)


def test_what_serves_a_model_is_taken_where_it_is_a_chat_template(write: Write) -> None:
    files = workspace("right")
    file = files["readback.yml"].replace("modelfile: Modelfile", "chat_template: own.jinja")
    known = first(opened(write, {**files, "readback.yml": file, "own.jinja": JINJA}))
    assert known.template is not None
    assert known.template.basis == "serving"
    assert text(known.prompt).endswith("</><assistant>")


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        ("<|start_header_id|>{{ .Role }}<|end_header_id|>\n\n{{ .Content }}<|eot_id|>", "llama-3"),
        ("<start_of_turn>{{ .Role }}\n{{ .Content }}<end_of_turn>\n", "gemma-3"),
        ("<|{{ .Role }}|>\n{{ .Content }}<|end|>\n<|user|>", "phi-3"),
        ("<|user|>\n{{ .Content }}</s>\n", "zephyr"),
        ("[INST] {{ .Content }} [/INST]", None),
        ("USER: {{ .Content }}\n", None),
    ],
)
def test_a_family_is_assumed_where_the_template_has_its_tokens_and_only_one_way_to_use_them(
    write: Write, turn: str, expected: str | None
) -> None:
    modelfile = f'FROM x\nTEMPLATE """{{{{ range .Messages }}}}{turn}{{{{ end }}}}"""\n'
    found = find_training_template(opened(write, {**workspace("right"), "Modelfile": modelfile}).models["m"])
    assert (found and found.name) == expected
    assert found is None or found.basis == "assumed"


def test_without_a_template_and_without_messages_it_says_which_is_missing(write: Write) -> None:
    plain = {**workspace("right"), "Modelfile": 'FROM x\nTEMPLATE """{{ .Prompt }}"""\n'}
    assert first(opened(write, plain)).missing == "template"
    base = workspace("right", CHATML)
    untrained = {**base, "readback.yml": base["readback.yml"].replace("type: instruction_only", "type: base")}
    assert first(opened(write, untrained)).missing == "messages"


def test_a_training_template_that_raises_gives_no_text_and_says_why(write: Write) -> None:
    files = {**workspace("right", "chat_template: own.jinja"), "own.jinja": "{{ raise_exception('no system role') }}"}
    known = first(opened(write, files))
    assert (known.text, known.missing) == (None, "text")
    assert [diagnostic.code for diagnostic in known.diagnostics] == ["srv-template-error"]


def test_a_template_that_strips_its_answer_parts_where_the_answer_is_printed(write: Write) -> None:
    row = {**ROW, "expected_response": "  At ten.  "}
    files = {**workspace("right", "chat_template: own.jinja"), "own.jinja": JINJA, "data.jsonl": [row]}
    known = first(opened(write, files))
    assert text(known.prompt).endswith("</><assistant>")
    assert known.text is not None
    assert known.text.text.endswith("<assistant>At ten.</>")


def test_without_a_reference_the_prompt_still_ends_where_an_answer_would_begin(write: Write) -> None:
    row = {key: value for key, value in ROW.items() if key != "expected_response"}
    known = first(opened(write, {**workspace("right", CHATML), "data.jsonl": [row]}))
    assert text(known.prompt) == TRAINED


def test_a_case_has_the_text_of_its_own_model(write: Write) -> None:
    found = opened(write, workspace("right", CHATML))
    record = open_dataset(found.root, found.dataset).record(0)
    made = build_trained_input(found, record, Selection(condition="closed"))
    assert made is not None
    assert made.text == TRAINED + ANSWER
    assert build_trained_input(found, record, Selection(mode="instruction")) is None


@pytest.mark.parametrize(
    ("served", "expected"),
    [
        ("right", []),
        ("newline", ["after `<|im_end|>` A has a newline, B has none"] * 2),
        ("begin", ["at the start B has `<s>`, A has not"]),
        (
            "blank",
            [
                "after `<|im_start|>system` A has a newline, B has a space and a newline",
                "after `<|im_start|>user` A has a newline, B has a space and a newline",
            ],
        ),
    ],
)
def test_a_probe_says_where_training_and_serving_part_whatever_the_record(
    write: Write, served: str, expected: list[str]
) -> None:
    self_test = run_self_tests(opened(write, workspace(served, CHATML)))["m"]
    assert self_test.trained is not None
    assert [describe_difference(one) for one in compare_self_test(self_test)] == expected


def test_a_doubled_system_message_is_called_that(write: Write) -> None:
    found = compare_self_test(run_self_tests(opened(write, workspace("twice", CHATML)))["m"])
    assert [one.again for one in found] == [True]
    assert "the system message once more" in describe_difference(found[0])
