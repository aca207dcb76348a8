"""What is found in the text that a chat template makes, at its edges, and that nothing is found twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.checks.run import engine
from readback.types import Finding

Write = Callable[[Mapping[str, Any]], Path]
TURNS = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
ASKS = "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"


def found(root: Path, area: str = "srv") -> list[Finding]:
    audit = engine.check(workspace.open(root))
    assert audit.faults == ()
    return [one for one in audit.findings if one.code.startswith(area)]


def served(serving: Mapping[str, Any], template: str = "{{ q }}", **files: Any) -> dict[str, Any]:
    """A workspace of one record, one mode with a system message, and a model that is served so."""
    return {
        "readback.yml": {
            "dataset": "data.jsonl",
            "modes": [{"mode": "m", "system": "Be brief.", "template": template}],
            "models": {"s": {"serving": serving}},
            "conditions": [{"name": "c", "mode": "m", "model": "s"}],
        },
        "data.jsonl": [{"id": "1", "q": "Why?"}],
        **files,
    }


def test_that_a_template_refuses_system_messages_is_one_finding_of_the_template_with_its_line(write: Write) -> None:
    refuses = (
        "{% for m in messages %}\n{% if m.role == 'system' %}{{ raise_exception('No system') }}{% endif %}{% endfor %}"
    )
    files = served({"chat_template": "t.jinja"}, **{"t.jinja": refuses})
    files["readback.yml"]["conditions"].append({"name": "d", "mode": "m", "model": "s"})
    files["readback.yml"] = json.dumps(files["readback.yml"])
    hits = found(write({**files, "data.jsonl": [{"id": str(i), "q": "Q"} for i in range(5)]}))
    assert [(one.code, one.place.file, one.place.line, one.place.record) for one in hits] == [
        ("srv-template-error", "t.jinja", 2, None)
    ]
    assert hits[0].message == "the chat template t.jinja produces no text: No system"


def test_a_template_that_refuses_some_system_messages_is_told_at_each_record(write: Write) -> None:
    refuses = "{% for m in messages %}{% if 'brief' in m.content %}{{ raise_exception('No') }}{% endif %}{% endfor %}"
    files = served({"chat_template": "t.jinja"}, **{"t.jinja": refuses})
    hits = found(write({**files, "data.jsonl": [{"id": str(i), "q": "Q"} for i in range(2)]}))
    assert [(one.code, one.place.record) for one in hits] == [("srv-template-error", "0"), ("srv-template-error", "1")]


def test_a_template_that_is_no_jinja_is_said_once_whatever_is_sent(write: Write) -> None:
    files = served({"chat_template": "t.jinja"}, **{"t.jinja": "a\n{% if %}"})
    files["data.jsonl"] = [{"id": str(i), "q": "Q"} for i in range(5)]
    hits = found(write(files))
    assert [(one.code, one.place.line, one.place.record) for one in hits] == [("srv-template-error", 2, None)]


def test_a_file_that_cannot_be_read_is_said_where_it_was_read_and_nowhere_else(write: Write) -> None:
    files = served({"tokenizer_config": "tokenizer_config.json"}, **{"tokenizer_config.json": b'{"a": 1,\n "b'})
    hits = found(write(files))
    assert [(one.code, one.place.line, one.place.record) for one in hits] == [("srv-template-error", 2, None)]


@pytest.mark.parametrize(
    ("inside", "dropped"),
    [
        ("{{ m.content }}", False),
        ("{{ m.content | trim | upper }}", False),
        ("{{ m.content | tojson }}", False),
        ("{{ m.content[:4] }}", False),
        ("{% if m.role != 'system' %}{{ m.content }}{% endif %}", True),
        ("{{ m.role }}", True),
    ],
)
def test_a_system_message_is_dropped_where_nothing_of_it_is_left(write: Write, inside: str, dropped: bool) -> None:
    text = "{% for m in messages %}<|x|>" + inside + "{% endfor %}"
    hits = found(write(served({"chat_template": "t.jinja"}, **{"t.jinja": text})), "srv-system-dropped")
    assert [one.place.role for one in hits] == ["system"] * dropped


def test_a_template_with_a_joiner_of_blanks_folds_and_one_with_a_mark_does_not(write: Write) -> None:
    folding = "{{ messages[0].content }}\n\n{{ messages[1].content }}"
    hits = found(write(served({"chat_template": "t.jinja"}, **{"t.jinja": "<u>" + folding})))
    assert [(one.code, one.place.role, one.place.start, one.place.end) for one in hits] == [
        ("srv-system-folded", "prompt", 3, 12)
    ]
    marked = folding.replace("\n\n", "\n### Question:\n")
    assert found(write({"t.jinja": "<u>" + marked})) == []


def test_what_answers_begin_with_is_named_where_it_is_missing(write: Write) -> None:
    files = served({"chat_template": "t.jinja"}, **{"t.jinja": TURNS})
    hits = found(write(files), "srv-no-generation-prompt")
    assert [(one.values["missing"], one.place.file) for one in hits] == [("<|im_start|>assistant", "t.jinja")]
    assert found(write({"t.jinja": TURNS + ASKS}), "srv") == []


def test_a_special_token_is_found_in_data_and_in_a_prompt_and_shown_where_it_stands(write: Write) -> None:
    config = {
        "chat_template": TURNS + ASKS,
        "added_tokens_decoder": {
            "7": {"content": "<own>", "special": True},
            "8": {"content": "word", "special": False},
        },
    }
    files = served({"tokenizer_config": "c.json"}, "Q <|eot_id|> {{ q }}", **{"c.json": config})
    files["data.jsonl"] = [{"id": "1", "q": "a word"}, {"id": "2", "q": "an <own> token"}]
    hits = found(write(files), "srv-special")
    assert [(one.place.record, one.severity, one.values["tokens"], one.place.start) for one in hits] == [
        ("1", "error", ["<|eot_id|>"], 2),
        ("2", "error", ["<|eot_id|>", "<own>"], 2),
    ]
    data = found(write(served({"tokenizer_config": "c.json"}) | {"data.jsonl": files["data.jsonl"]}), "srv-special")
    assert [(one.place.record, one.severity, one.place.start, one.place.end) for one in data] == [
        ("2", "warning", 3, 8)
    ]


def test_tokens_in_a_mode_of_albert_are_told_by_its_own_rule_alone(write: Write) -> None:
    root = write(
        {
            "prompt_config.yml": "prompt_format: llama3-chat\nprompts: [{mode: a, template: t.jinja}]\n",
            "t.jinja": "<|im_start|>{{ query }}",
            "data.jsonl": [{"id": "1", "query": "Q"}],
        }
    )
    assert found(root) == []
    assert [one.code for one in found(root, "alb-chat-tokens")] == ["alb-chat-tokens"]


@pytest.mark.parametrize(
    ("adds", "bos", "doubled"), [(True, True, 1), (True, None, 1), (True, False, 0), (False, True, 0)]
)
def test_a_bos_is_doubled_by_the_tokenizer_only(write: Write, adds: bool, bos: bool | None, doubled: int) -> None:
    config = {"bos_token": "<s>", "chat_template": "{{ bos_token }}" + TURNS + ASKS, "add_bos_token": bos}
    files = served({"tokenizer_config": "c.json", "add_special_tokens": adds}, **{"c.json": json.dumps(config)})
    hits = found(write(files))
    assert [one.code for one in hits] == ["srv-double-bos"] * doubled
