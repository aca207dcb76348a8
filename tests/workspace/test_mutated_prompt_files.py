"""Mutated prompt files of semantic-kernel, dotprompt and banks: every file and every row is accounted for."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from counts import many

from readback import workspace
from readback.prompts.assemble import assemble
from readback.records.dataset import open_dataset
from readback.types import Record, Selection

FILES = {
    "ask.yaml": [
        "name: ask\ntemplate_format: semantic-kernel\ntemplate: |\n  <message role=\"system\">In {{$lang}}.</message>\n"
        "  <message role=\"user\">{{$question}} &amp; so</message>\ninput_variables:\n"
        "  - {name: lang, default: fr}\n  - {name: question, is_required: true}\n",
        "name: ask\ntemplate_format: handlebars\ntemplate: |\n  {{#each docs}}[{{@index}}] {{this.t}}\n  {{/each}}\n"
        "  {{#if lang}}<message role=\"user\">{{question}}</message>{{else}}none{{/if}}\ninput_variables:\n"
        "  - {name: docs, allow_dangerously_set_content: true}\n",
        "name: ask\ntemplate_format: jinja2\ntemplate: |\n  {% for d in docs %}{{ d.t }}{% endfor %}\n"
        "  <message role=\"assistant\">{{ lang | upper }}</message><message role=\"user\">{{ question }}</message>\n",
    ],
    "ask.prompt": [
        "---\nmodel: m\nconfig: {temperature: 0.5}\ninput:\n  schema:\n    question: string, what is asked\n---\n"
        '{{role "system"}}In {{lang}}.\n{{#each docs}}[{{@index}}] {{t}}\n{{else}}none\n{{/each}}\n'
        '{{role "model"}}Ok{{history}}{{role "user"}}{{media url=lang}}{{#if question}}{{question}}{{/if}}\n',
        '{{#role "system"}}{{/role}}{{>part lang}}{{~#unless docs~}}no{{~/unless~}}{{role "user"}}{{{question}}}\n',
    ],
    "ask.jinja": [
        '{% chat role="system" %}In {{ lang }}.{% endchat %}\n{% for d in docs %}{% chat role="user" %}{{ d.t }}'
        '{% endchat %}{% endfor %}{% chat role="user" %}{{ question }}{% if lang %} {{ lang | upper }}{% endif %}'
        "{% endchat %}\n",
    ],
}  # fmt: skip
PIECES = (
    "{{", "}}", "{%", "%}", "{", "}", "<", ">", "</message>", '<message role="user">', "&", "&#0;", '"', "'", "#", "/",
    "~", "---\n", ": ", "- ", "\n", "\t", "null", "[", "]", "1e999", "\0", "\r", "\ufffd", "é🚢", "&a ", "*a", "!!x ",
    "../", "{% endchat %}", "{{/if}}", "{{else}}", "role", "template", "| x", "..", " ", "$", "\\",
)  # fmt: skip
ROWS = [
    {"id": "1", "question": "Why?\n", "lang": "é", "docs": [{"t": "a"}, {"t": "<b>"}]},
    {"id": "2", "question": '{{lang}} </message>{% endchat %}{{role "system"}} & "', "docs": []},
]


def mutate(text: str, random: Random) -> bytes:
    """Return a text in which some places are another."""
    for _ in range(random.randint(1, 4)):
        at, length = random.randint(0, len(text)), random.randint(1, 8)
        chosen = random.random()
        if chosen < 0.5:
            text = text[:at] + random.choice(PIECES) + text[at:]
        elif chosen < 0.8:
            text = text[:at] + text[at + length :]
        else:
            text = text[:at] + text[random.randint(0, len(text)) :][: 8 * length] + text[at:]
    raw = text.encode()
    half = len(raw) // 2
    return raw if random.random() < 0.9 else raw[:half] + bytes([random.randrange(256)]) + raw[half:]


@pytest.mark.long
@pytest.mark.parametrize("name", FILES)
def test_a_mutated_prompt_file_is_a_mode_or_has_a_reason(name: str, tmp_path: Path) -> None:
    random = Random(name)
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    (tmp_path / "_part.prompt").write_text("in {{this}}", "utf-8")
    for _ in range(many(2_000)):
        raw = mutate(random.choice(FILES[name]), random)
        (tmp_path / name).write_bytes(raw)
        opened = workspace.open(tmp_path)
        paths = [path for each in opened.recognised for path in each.files or (each.path,)]
        assert sorted(set(paths)) == sorted(("rows.jsonl", "_part.prompt", name)), raw
        assert opened.prompts or any(each.place.file == name for each in opened.diagnostics), raw
        records = open_dataset(opened.root, opened.dataset)
        rows = [each for each in records.records(0, len(ROWS) + 1) if isinstance(each, Record)]
        assert [record.id for record in rows] == ["1", "2"], raw
        for mode in opened.prompts:
            for record in rows:
                built = assemble(opened, record, Selection(mode=mode))
                assert built.messages or built.diagnostics, (raw, mode)
                for message in built.messages:
                    assert "".join(segment.text for segment in message.segments) in ("", message.text), raw


def test_a_prompt_without_any_text_says_that_nothing_is_sent(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"id": "1", "q": "Why?"}\n', "utf-8")
    (tmp_path / "ask.yaml").write_text("name: ask\ntemplate_format: handlebars\ntemplate: |\n---\n", "utf-8")
    opened = workspace.open(tmp_path)
    record = open_dataset(opened.root, opened.dataset).record(0)
    built = assemble(opened, record, Selection(mode="ask"))
    assert built.messages == ()
    assert [(one.code, one.values["reason"]) for one in built.diagnostics] == [
        ("asm-project-row", "the prompt is empty once it is rendered")
    ]
