"""What a message holds besides its text is named, measured, and never lost on the way from a row to a file or text."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readback import as_json, project_files, workspace
from readback.compare.diff import MessageDifference
from readback.exporting.lines import format_line
from readback.message_parts import beyond_text, part_title, parts, whole_message
from readback.prompts.assemble import assemble
from readback.prompts.messages import compute_fingerprint
from readback.prompts.selections import list_selections
from readback.prompts.training_text import build_trained_text, find_training_messages
from readback.records.dataset import open_dataset
from readback.records.training import training_reader
from readback.serving.chat import model_input as chat
from readback.serving.merge_roles import merge_roles
from readback.types import Assembly, ChatTemplate, Message, Segment, Selection

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 320, 200) + bytes(5)).decode()
CALL = {"id": "c1", "type": "function", "function": {"name": "tide", "arguments": '{"port": "north",  "day": 1}'}}

TITLES = [
    ({"role": "assistant", "content": None, "tool_calls": [CALL]}, ["Tool call: tide (id c1)"]),
    ({"role": "assistant", "content": "", "function_call": {"name": "tide", "arguments": "{}"}}, ["Tool call: tide"]),
    ({"role": "tool", "content": "3 m", "tool_call_id": "c1"}, ["Result of the tool call with the id c1"]),
    ({"role": "user", "content": "Hi", "name": "ann"}, ["Name: ann"]),
    (
        {"role": "assistant", "content": "Hi", "weight": 0},
        ["Weight 0 (weight): training leaves this turn out of what is learned."],
    ),
    ({"role": "assistant", "content": "Hi", "weight": 0.5}, ["Weight 0.5 (weight)"]),
    ({"role": "assistant", "content": "Hi", "reasoning_content": "Why"}, ["Reasoning (reasoning_content)"]),
    ({"role": "assistant", "content": "", "refusal": "No."}, ["Refusal"]),
    (
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}]},
        ["Image (image/png, 320 × 200 pixels, 29 bytes). Its data is not shown here; exports hold it."],
    ),
    (
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://a.test/x.png"}}]},
        ["Image at this address"],
    ),
    (
        {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "A" * 800, "format": "wav"}}]},
        ["Sound (wav, 600 bytes). Its data is not shown here; exports hold it."],
    ),
    ({"role": "user", "content": [{"type": "new", "x": 1}]}, ["Also in this message: content[0]"]),
    ({"role": "user", "content": "Hi", "mood": "glad"}, ["Also in this message: mood"]),
    ({"role": "user", "content": [{"type": "text", "text": "Hi"}]}, []),
    ({"role": "user", "content": "Hi", "tool_calls": None}, []),
]


@pytest.mark.parametrize(("row", "titles"), TITLES)
def test_each_part_says_what_it_is(row: dict[str, Any], titles: list[str]) -> None:
    assert [part_title(part) for part in parts(whole_message(row, row["role"]))] == titles


def test_the_arguments_of_a_call_are_the_text_that_the_row_has() -> None:
    (part,) = parts(whole_message({"role": "assistant", "content": None, "tool_calls": [CALL]}, "assistant"))
    assert part.text == '{"port": "north",  "day": 1}'


def test_a_message_of_text_alone_needs_no_more() -> None:
    assert whole_message({"role": "user", "content": "Hi"}, "user") is None
    assert whole_message({"from": "human", "value": "Hi"}, "user") is None


def test_a_turn_of_sharegpt_has_the_usual_names() -> None:
    row = {"from": "gpt", "value": "Hi", "weight": 0}
    assert whole_message(row, "assistant") == {"role": "assistant", "content": "Hi", "weight": 0}


DEMOS = {
    "six-conditions": (360, "e1a676fc93b2e805"),
    "six-conditions-mistakes": (504, "c159d2c2cd8dea56"),
    "town-hall-albert": (24, "d95c115d28c7d09d"),
    "tri-section": (160, "103be3b4c56d7e44"),
}


@pytest.mark.parametrize("name", sorted(DEMOS))
def test_fingerprints_of_messages_that_are_text_stay_what_they_were(name: str) -> None:
    import hashlib

    opened = workspace.open(project_files.EXAMPLES / name)
    marks: list[str | None] = []
    for record in open_dataset(opened.root, opened.dataset).records():
        marks += [assemble(opened, record, choice, origins=False).fingerprint for choice in list_selections(opened)]
        for model in sorted(opened.models):
            made = find_training_messages(opened, record, model)
            marks.append(made.fingerprint if made else None)
    assert (len(marks), hashlib.sha256(json.dumps(marks).encode()).hexdigest()[:16]) == DEMOS[name]


def test_a_text_in_parts_has_the_fingerprint_of_the_text_and_a_call_another() -> None:
    plain = Message("user", (Segment("Hi", "variable"),))
    listed = Message("user", plain.segments, {"role": "user", "content": [{"type": "text", "text": "Hi"}]})
    calling = Message("user", plain.segments, {"role": "user", "content": "Hi", "tool_calls": [CALL]})
    assert compute_fingerprint((plain,)) == compute_fingerprint((listed,)) != compute_fingerprint((calling,))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
BLOCK = (
    st.builds(lambda text: {"type": "text", "text": text}, st.text(max_size=9))
    | st.builds(lambda url: {"type": "image_url", "image_url": {"url": url}}, st.text(max_size=9))
    | JSON
)
TURN = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool"])},
    optional={
        "content": st.none() | st.text(max_size=12) | st.lists(BLOCK, max_size=4),
        "tool_calls": st.just([CALL]) | JSON,
        "name": st.text(max_size=5) | JSON,
        "weight": st.sampled_from([0, 1, 0.5]) | JSON,
        "reasoning_content": st.text(max_size=9) | JSON,
        "images": JSON,
        "other": JSON,
    },
)


@settings(max_examples=150, deadline=None)
@given(st.lists(TURN, min_size=1, max_size=4))
def test_every_message_of_a_row_goes_out_as_the_row_has_it(turns: list[dict[str, Any]]) -> None:
    row = training_reader.read({"messages": turns})
    assert row is not None
    messages = []
    for turn in (*row.prompt, *row.completion):
        texts = [Segment(one.text, "variable") for one in turn.stretches]
        joined = tuple(part for one in texts for part in (Segment("\n", "joiner"), one))[1:]
        messages.append(Message(turn.role, joined, turn.whole))
        for part in parts(turn.whole):
            assert part_title(part)
        more = [value for value in beyond_text(turn.whole).values() if value not in (None, [], {})]
        assert bool(parts(turn.whole)) >= bool(more)
    made = Assembly(Selection(mode="m"), "r", 0, tuple(messages), compute_fingerprint(messages))
    exported = json.loads(format_line("messages-jsonl", made, 0, "").text)["messages"]
    assert exported == turns
    body = json.loads(format_line("openai-batch", made, 0, "m").text)["body"]
    assert body["messages"] == turns
    for shown, turn in zip((as_json.message_to_json(one) for one in messages), turns, strict=True):
        assert shown.get("whole", {"role": shown["role"], "content": shown["text"]}) == turn


WHOLE = ChatTemplate(
    "t",
    "{% for m in messages %}[{{ m.role }}]{{ m.content if m.content is string else m.content | tojson }}"
    "{% for c in m.tool_calls or [] %}<{{ c.function.name }} {{ c.function.arguments }}>{% endfor %}"
    "{{ m.reasoning_content or '' }}{% endfor %}",
)


def test_a_chat_template_is_given_the_whole_message_and_each_stretch_keeps_its_origin() -> None:
    row = {"role": "assistant", "content": "Wait.", "tool_calls": [CALL], "reasoning_content": "why"}
    made = chat.build_model_input(WHOLE, (Message("assistant", (Segment("Wait.", "variable", "x"),), row),))
    assert made.text == '[assistant]Wait.<tide {"port": "north",  "day": 1}>why'
    origins = {segment.text: (segment.origin, segment.name) for segment in made.segments}
    assert origins["Wait."] == ("variable", "x")
    assert origins["tide"] == ("variable", "messages[0].tool_calls")
    assert origins["why"] == ("variable", "messages[0].reasoning_content")


def test_texts_in_parts_keep_their_origins_in_a_chat_template() -> None:
    content = [{"type": "text", "text": "One"}, {"type": "image"}, {"type": "text", "text": "Two"}]
    segments = (Segment("One", "variable", "a"), Segment("\n", "joiner"), Segment("Two", "variable", "b"))
    template = ChatTemplate("t", "{% for p in messages[0].content %}{{ p.text or '<image>' }};{% endfor %}")
    made = chat.build_model_input(template, (Message("user", segments, {"role": "user", "content": content}),))
    assert made.text == "One;<image>;Two;"
    assert {segment.text: segment.name for segment in made.segments if segment.origin == "variable"} == {
        "One": "a",
        "Two": "b",
    }


def test_merged_messages_keep_what_both_say() -> None:
    first = Message("user", (Segment("Look.", "variable"),))
    image = {"type": "image_url", "image_url": {"url": "u"}}
    second = Message(
        "user",
        (Segment("Well?", "variable"),),
        {"role": "user", "content": [image, {"type": "text", "text": "Well?"}], "name": "ann"},
    )
    (both,) = merge_roles((first, second))
    assert both.text == "Look.\n\n---\n\nWell?"
    assert [part.kind for part in parts(both.whole)] == ["image", "name"]


def test_training_rows_come_to_the_text_whole(tmp_path: Path) -> None:
    rows = [
        {"role": "user", "content": "How deep?"},
        {"role": "assistant", "content": None, "tool_calls": [CALL], "reasoning_content": "why"},
    ]
    (tmp_path / "train.jsonl").write_text(json.dumps({"messages": rows}) + "\n")
    data = open_dataset(tmp_path, workspace.open(tmp_path).dataset)
    row = training_reader.read(data.record(0).fields)
    assert row is not None
    assert row.completion[0].whole == rows[1]


SHAREGPT = [
    {"from": "human", "value": "How deep?"},
    {"from": "function_call", "value": '{"name": "depth", "arguments": {"basin": "north"}}'},
    {"from": "observation", "value": "9 m"},
    {"from": "gpt", "value": "Nine metres."},
]


def test_calls_and_observations_of_sharegpt_rows_are_tool_calls_and_results() -> None:
    row = training_reader.read({"conversations": SHAREGPT})
    assert row is not None
    assert [turn.role for turn in (*row.prompt, *row.completion)] == ["user", "assistant", "tool", "assistant"]
    assert [part_title(part) for turn in row.prompt for part in parts(turn.whole)] == ["Tool call: depth"]
    assert row.wrong == ()


@pytest.mark.parametrize("text", ["no JSON", "[1]", '{"arguments": {}}', "null"])
def test_a_call_of_a_sharegpt_row_that_is_no_json_stays_the_text_that_it_is(text: str) -> None:
    row = training_reader.read({"conversations": [{"from": "function_call", "value": text}]})
    assert row is not None
    (turn,) = row.completion
    assert (turn.role, turn.text) == ("assistant", text)


TRAINED = {
    "readback.yml": "dataset: q.jsonl\nmodes: [{mode: m, template: '{{ question }}'}]\n"
    "models: {m: {serving: {tokenizer_config: t.json}, training: {messages: train.jsonl}}}\n"
    "conditions: [{name: c, mode: m, model: m}]\n",
    "t.json": json.dumps(
        {
            "eos_token": "</s>",
            "chat_template": "{% for m in messages %}[{{ m.role }}]{{ m.content or '' }}"
            "{% if m.tool_calls %}{{ m.tool_calls | tojson }}{% endif %}"
            "{% if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}"
            "{% if m.role == 'assistant' %}</s>{% endif %}{% endfor %}",
        }
    ),
    "q.jsonl": json.dumps({"id": "1", "question": "How deep?"}) + "\n",
}


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning", "thinking"])
def test_a_row_with_calls_and_reasoning_reaches_the_training_text_whole(tmp_path: Path, key: str) -> None:
    asked = {"role": "user", "content": "How deep?"}
    reply = {"role": "assistant", "content": None, key: "why", "tool_calls": [CALL]}
    files = {**TRAINED, "train.jsonl": json.dumps({"messages": [asked, reply]}) + "\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    opened = workspace.open(tmp_path)
    (record,) = open_dataset(opened.root, opened.dataset).records()
    made = build_trained_text(opened, record, "m")
    assert made.text is not None
    assert made.text.text == f"[user]How deep?[assistant]{json.dumps([CALL])}<think>why</think></s>"
    assert "".join(segment.text for segment in made.prompt) == "[user]How deep?[assistant]"


@pytest.mark.parametrize(("weight", "other", "same"), [(0, 0, True), (0, 1, False)])
def test_two_sides_differ_where_only_what_is_beside_the_text_differs(weight: int, other: int, same: bool) -> None:
    one, two = (
        Message("assistant", (Segment("Hi", "variable"),), {"role": "assistant", "content": "Hi", "weight": each})
        for each in (weight, other)
    )
    pair = MessageDifference("assistant", "assistant", one, two, ())
    assert pair.equal is same
