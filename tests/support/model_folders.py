"""Sixty folders of made-up models, with the features that chat templates of well-known families have.

Every template of `FAMILIES` is put into a folder in each way of `LAYOUTS`; the special tokens are named in another way
from folder to folder.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

Files = dict[str, str]

TURNS = """\
{%- for message in messages %}
{{- '<|turn|>' + message['role'] + '\\n' + message['content'] + '<|end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|turn|>assistant\\n' }}{%- endif %}"""

DEFAULT_SYSTEM = """\
{%- if messages[0].role == 'system' -%}
    {{- '<|turn|>system\\n' ~ messages[0].content ~ '<|end|>\\n' -}}
    {%- set rest = messages[1:] -%}
{%- else -%}
    {{- '<|turn|>system\\nYou are the harbour assistant.<|end|>\\n' -}}
    {%- set rest = messages -%}
{%- endif -%}
{%- for message in rest -%}
    {{- '<|turn|>' ~ message.role ~ '\\n' ~ message.content|trim ~ '<|end|>\\n' -}}
{%- endfor -%}
{{- '<|turn|>assistant\\n' if add_generation_prompt else '' -}}"""

WITH_BOS = """\
{{- bos_token }}
{%- if not date_string is defined %}{%- set date_string = "1 May 2026" %}{%- endif %}
{%- set intro = 'Date: ' + date_string %}
{%- if tools is not none %}{%- set intro = intro + '\\nTools: ' + (tools | tojson(indent=4)) %}{%- endif %}
{{- '<h>system</h>' + intro + '\\n' }}
{%- for message in messages %}
    {%- if not (message.role == 'tool' or 'tool_calls' in message) %}
        {{- '<h>' + message['role'] + '</h>\\n\\n' + message['content'] | trim + eos_token }}
    {%- elif 'tool_calls' in message %}
        {%- if not message.tool_calls|length == 1 %}
            {{- raise_exception("This model takes one call at a time!") }}
        {%- endif %}
        {%- set call = message.tool_calls[0].function %}
        {{- '{"name": "' + call.name + '", "parameters": ' + call.arguments | tojson + '}' + eos_token }}
    {%- else %}
        {{- '<h>tool</h>' + message.content | tojson + eos_token }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<h>assistant</h>\\n\\n' }}{%- endif %}"""

ALTERNATING = """\
{{ bos_token }}{% if messages[0]['role'] == 'system' %}{% set loop_messages = messages[1:] %}\
{% set system_message = messages[0]['content'] + '\\n\\n' %}{% else %}{% set loop_messages = messages %}\
{% set system_message = '' %}{% endif %}
{% for message in loop_messages %}
{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
{{ raise_exception('Turns must alternate user/assistant') }}
{% endif %}
{% if message['role'] == 'user' %}
[INST] {{ (system_message if loop.last else '') + message['content'] }} [/INST]\
{% else %} {{ message['content']|trim }}{{ eos_token }}{% endif %}
{% endfor %}"""

NO_SYSTEM = """\
{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}\
{% for message in messages %}{% if (message['role'] == 'assistant') %}{% set role = 'model' %}{% else %}\
{% set role = message['role'] %}{% endif %}{{ '<start>' + role + '\\n' + message['content'] | trim + '<stop>\\n' }}\
{% endfor %}{% if add_generation_prompt %}{{ '<start>model\\n' }}{% endif %}"""

THINKING = """\
{%- if tools %}
    {{- '<|turn|>system\\n' }}
    {%- if messages[0].role == 'system' %}{{- messages[0].content + '\\n\\n' }}{%- endif %}
    {{- '# Tools\\n<tools>' }}
    {%- for tool in tools %}{{- '\\n' }}{{- tool | tojson }}{%- endfor %}
    {{- '\\n</tools><|end|>\\n' }}
{%- elif messages[0].role == 'system' %}
    {{- '<|turn|>system\\n' + messages[0].content + '<|end|>\\n' }}
{%- endif %}
{%- set ns = namespace(searching=true, last=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.searching and message.role == "user" and message.content is string %}
        {%- set ns.searching = false %}{%- set ns.last = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- set content = message.content if message.content is string else '' %}
    {%- if message.role == "user" or (message.role == "system" and not loop.first) %}
        {{- '<|turn|>' + message.role + '\\n' + content + '<|end|>\\n' }}
    {%- elif message.role == "assistant" %}
        {%- set thought = '' %}
        {%- if message.reasoning_content is string %}
            {%- set thought = message.reasoning_content %}
        {%- elif '</think>' in content %}
            {%- set thought = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
            {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
        {%- endif %}
        {{- '<|turn|>assistant\\n' }}
        {%- if loop.index0 > ns.last and (loop.last or thought) %}
            {{- '<think>\\n' + thought.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}
        {%- else %}{{- content }}{%- endif %}
        {%- for call in message.tool_calls or [] %}
            {%- set call = call.function if call.function else call %}
            {{- '\\n<tool_call>\\n{"name": "' }}{{- call.name }}{{- '", "arguments": ' }}
            {{- call.arguments if call.arguments is string else call.arguments | tojson }}{{- '}\\n</tool_call>' }}
        {%- endfor %}
        {{- '<|end|>\\n' }}
    {%- elif message.role == "tool" %}
        {%- if loop.first or messages[loop.index0 - 1].role != "tool" %}{{- '<|turn|>user' }}{%- endif %}
        {{- '\\n<tool_response>\\n' + content + '\\n</tool_response>' }}
        {%- if loop.last or messages[loop.index0 + 1].role != "tool" %}{{- '<|end|>\\n' }}{%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|turn|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}
{%- endif %}"""

CHANNELS = """\
{%- macro kind(param) -%}
    {%- if param.type == 'array' -%}{{ kind(param['items']) }}[]
    {%- elif param.type in ('integer', 'number') -%}number
    {%- else -%}{{ param.type }}{%- endif -%}
{%- endmacro -%}
{%- if tools -%}
    {{- 'namespace functions {\\n' -}}
    {%- for tool in tools -%}
        {%- set f = tool.function -%}
        {{- '// ' ~ f.description ~ '\\ntype ' ~ f.name ~ ' = (_: {' -}}
        {%- for name, param in f.parameters.properties.items() -%}
            {{- name }}{{ '' if name in f.parameters.required else '?' }}: {{ kind(param) }}{{ ', ' if not loop.last }}
        {%- endfor -%}
        {{- '}) => any;\\n' -}}
    {%- endfor -%}
    {{- '}\\n' -}}
{%- endif -%}
{%- for message in messages -%}
    {%- if message.role == 'assistant' -%}
        {%- if 'thinking' in message -%}
            {{- '<|start|>assistant<|channel|>analysis<|message|>' ~ message.thinking ~ '<|end|>' -}}
        {%- endif -%}
        {%- if 'content' in message -%}
            {{- '<|start|>assistant<|channel|>final<|message|>' ~ message.content ~ '<|return|>' -}}
        {%- endif -%}
    {%- else -%}
        {{- '<|start|>' ~ message.role ~ '<|message|>' ~ message.content ~ '<|end|>' -}}
    {%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}<|start|>assistant{%- endif -%}"""

DOCUMENTS = """\
{%- set thinking = thinking | default(false) -%}
{%- if messages[0]['role'] == 'system' -%}
    {%- set head = messages[0]['content'] -%}{%- set rest = messages[1:] -%}
{%- else -%}
    {%- set head = 'You answer from documents.' ~ (' Think first.' if thinking else '') -%}{%- set rest = messages -%}
{%- endif -%}
<|role|>system<|/role|>{{ head }}<|end|>
{% if documents -%}
{%- for document in documents -%}
<|role|>document {{ loop.index }}<|/role|>
{{ document.title | default('no title') }}
{{ document['text'] }}<|end|>
{% endfor -%}
{%- endif -%}
{%- for message in rest -%}
<|role|>{{ message['role'] }}<|/role|>{{ message['content'] }}<|end|>
{% endfor -%}
{%- if add_generation_prompt -%}<|role|>assistant{{ controls | tojson if controls }}<|/role|>{%- endif -%}"""

PARTS = """\
{{- bos_token -}}
{%- for message in messages -%}
    {{- '<t>' ~ message.role ~ '\\n' -}}
    {%- if message.content is string -%}
        {{- message.content -}}
    {%- else -%}
        {%- for part in message.content -%}
            {%- if part.type == 'image' -%}{{- image_token | default('<i>') -}}
            {%- elif 'text' in part -%}{{- part['text'] -}}{%- endif -%}
        {%- endfor -%}
    {%- endif -%}
    {{- '</t>\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}<t>model{{ '\\n' }}{%- endif -%}"""

MARKED = """\
{% for message in messages %}
{% if message['role'] == 'skip' %}{% continue %}{% endif %}
{% if message['role'] == 'assistant' %}
A: {% generation %}{{ message['content'] }}{{ eos_token }}{% endgeneration %}

{% else %}
{{ message['role'] | upper }}: {{ message['content'] }}
{% endif %}
{% endfor %}
{% if add_generation_prompt %}A:{% endif %}"""

WHOLE = """\
{%- for message in messages %}{{ message | tojson }}
{% endfor %}{{ pad_token }}|{{ unk_token is defined }}|{{ sep_token }}|{{ own_token }}"""

PLAIN = """\
{{ (messages|selectattr('role', 'equalto', 'system')|map(attribute='content')|first|default('Below is a task.')) }}
{% for message in messages if message.role != 'system' %}
{%+ if message.role == 'user' %}### Task:
{{ message.content }}

{% elif message.role == 'assistant' %}### Reply:
{{ message.content }}{{ eos_token }}

{% else %}### {{ message.role|title }}:
{{ message.content|tojson(ensure_ascii=True, separators=(',', ':')) }}
{% endif %}
{% endfor %}
{%- if add_generation_prompt %}### Reply:
{% endif %}"""

FAMILIES: Mapping[str, str] = {
    "turns": TURNS,
    "default system": DEFAULT_SYSTEM,
    "bos and tools": WITH_BOS,
    "alternating": ALTERNATING,
    "no system": NO_SYSTEM,
    "thinking": THINKING,
    "channels": CHANNELS,
    "documents": DOCUMENTS,
    "parts": PARTS,
    "marked": MARKED,
    "whole": WHOLE,
    "plain": PLAIN,
}
FOR_TOOLS = "TOOLS {{ tools | tojson }}\n{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"
FOR_DOCUMENTS = "DOCUMENTS {% for d in documents %}{{ d.text }}{% endfor %}{{ messages[-1].content }}"


def _in_config(template: str, config: dict[str, Any]) -> Files:
    return {"tokenizer_config.json": json.dumps({**config, "chat_template": template})}


def _listed(template: str, config: dict[str, Any]) -> Files:
    several = {"default": template, "tool_use": FOR_TOOLS, "rag": FOR_DOCUMENTS}
    value = [{"name": name, "template": text} for name, text in several.items()]
    return {"tokenizer_config.json": json.dumps({**config, "chat_template": value}, indent=1)}


def _mapped(template: str, config: dict[str, Any]) -> Files:
    """Several without one for tools; with that and without a default where the template is the shortest."""
    value = {"rag": FOR_DOCUMENTS, "tool_use" if template is TURNS else "default": template}
    return {"tokenizer_config.json": json.dumps({**config, "chat_template": value}, ensure_ascii=False)}


def _separate(template: str, config: dict[str, Any]) -> Files:
    old = {**config, "chat_template": "OLD {{ messages[0].content }}"}
    return {"tokenizer_config.json": json.dumps(old), "chat_template.jinja": template + "\n"}


def _further(template: str, config: dict[str, Any]) -> Files:
    """Further templates beside the one in a file; without that one where the template is the shortest."""
    files = {"additional_chat_templates/tool_use.jinja": FOR_TOOLS, "additional_chat_templates/notes.txt": "notes"}
    own = {} if template is TURNS else {"chat_template.jinja": template}
    return {"tokenizer_config.json": json.dumps({**config, "chat_template": "OLD"}), **own, **files}


LAYOUTS: Mapping[str, Callable[[str, dict[str, Any]], Files]] = {
    "in the configuration": _in_config,
    "a list": _listed,
    "a mapping": _mapped,
    "a file": _separate,
    "further files": _further,
}


def _added(text: str) -> dict[str, Any]:
    return {
        "__type": "AddedToken",
        "content": text,
        "lstrip": False,
        "normalized": False,
        "rstrip": False,
        "single_word": False,
        "special": True,
    }


def _plain_tokens() -> tuple[dict[str, Any], Files]:
    return {"bos_token": "<s>", "eos_token": "</s>"}, {}


def _described_tokens() -> tuple[dict[str, Any], Files]:
    decoder = {"0": {key: one for key, one in _added("<s>").items() if key != "__type"}}
    named = {"bos_token": _added("<s>"), "eos_token": _added("</s>"), "pad_token": "<pad>", "own_token": "<own>"}
    return {**named, "added_tokens_decoder": decoder}, {"special_tokens_map.json": '{"bos_token": "<not read>"}'}


def _mapped_tokens() -> tuple[dict[str, Any], Files]:
    """Named in special_tokens_map.json alone, or otherwise there."""
    end = {key: one for key, one in _added("</s>").items() if key not in ("__type", "special")}
    listed = {"bos_token": "<s>", "eos_token": end, "sep_token": "<sep>"}
    config = {"bos_token": None, "eos_token": "<other>", "add_bos_token": True}
    return config, {"special_tokens_map.json": json.dumps(listed)}


def _own_tokens() -> tuple[dict[str, Any], Files]:
    extra = {"image_token": "<image>", "own_token": "<own>"}
    return {"eos_token": "</s>", "unk_token": "<unk>", "bos_token": "<s>", "extra_special_tokens": extra}, {}


def _no_tokens() -> tuple[dict[str, Any], Files]:
    return {"additional_special_tokens": ["<|turn|>"], "model_max_length": 2048}, {}


TOKENS = (_plain_tokens, _described_tokens, _mapped_tokens, _own_tokens, _no_tokens)


def folders() -> Iterator[tuple[str, Files]]:
    """The name and the files of each folder."""
    for i, (family, template) in enumerate(FAMILIES.items()):
        for j, (layout, files) in enumerate(LAYOUTS.items()):
            config, more = TOKENS[(i + j) % len(TOKENS)]()
            made = files(template, {"tokenizer_class": "PreTrainedTokenizerFast", **config})
            yield f"{family}, {layout}", {**made, **more, "tokenizer.json": tokenizer_json()}


def tokenizer_json() -> str:
    """The smallest tokenizer that can be loaded."""
    model = {"type": "WordLevel", "vocab": {"<unk>": 0, "a": 1}, "unk_token": "<unk>"}
    rest = dict.fromkeys(("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder"))
    return json.dumps({"version": "1.0", **rest, "added_tokens": [], "model": model})


def write_folder(root: Path, files: Files) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root


TOOL = {
    "type": "function",
    "function": {
        "name": "tide",
        "description": 'Look up the tide <at> a harbour & its "berths".',
        "parameters": {
            "type": "object",
            "properties": {"place": {"type": "string"}, "days": {"type": "array", "items": {"type": "integer"}}},
            "required": ["place"],
        },
    },
}
CALL = {"id": "c1", "type": "function", "function": {"name": "tide", "arguments": {"place": "Brême", "days": [1, 2]}}}
SYSTEM = {"role": "system", "content": " Be brief. "}
USER = {"role": "user", "content": "When is high water at the mole?\n"}
REPLY = {"role": "assistant", "content": "  At ten past four. "}
AGAIN = {"role": "user", "content": "And <b>tomorrow</b>, d'après vous?"}

CONVERSATIONS: Mapping[str, list[dict[str, Any]]] = {
    "one": [USER],
    "system": [SYSTEM, USER, REPLY, AGAIN],
    "answered": [USER, REPLY],
    "empty": [],
    "null keys": [{**USER, "name": None, "tool_calls": None}, {"role": "assistant", "content": None}, AGAIN],
    "reasoning": [USER, {**REPLY, "reasoning": "The table says so."}, AGAIN],
    "thinking last": [USER, {**REPLY, "thinking": "\nThe table\n"}],
    "both": [USER, {**REPLY, "reasoning": "one", "reasoning_content": "two", "thinking": None}],
    "think tags": [USER, {"role": "assistant", "content": "<think>\nwell\n</think>\n\nAt four."}, AGAIN],
    "called": [USER, {"role": "assistant", "tool_calls": [CALL]}, {"role": "tool", "content": "16:10"}],
    "parts": [{"role": "user", "content": [{"type": "text", "text": "Look: "}, {"type": "image"}]}],
    "late system": [USER, REPLY, {"role": "system", "content": "Now be long."}, AGAIN],
    "developer": [{"role": "developer", "content": "Only numbers."}, USER, {"role": "skip", "content": "x"}],
}
OPTIONS: tuple[Mapping[str, Any], ...] = (
    {},
    {"add_generation_prompt": True},
    {"add_generation_prompt": True, "enable_thinking": False},
    {"add_generation_prompt": True, "tools": [TOOL]},
    {"tools": []},
    {"documents": [{"title": "Almanac", "text": "High water: 16:10."}, {"text": "<none>"}], "thinking": True},
    {"add_generation_prompt": True, "controls": {"length": "long"}, "date_string": "2 May 2026"},
)
