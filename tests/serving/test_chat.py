"""Chat templates: the text is what transformers renders, and each stretch knows where it came from."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_time import spent
from jinja2.ext import LoopControlExtension
from jinja2.sandbox import ImmutableSandboxedEnvironment

from readback.serving.chat import model_input as chat
from readback.types import ChatTemplate, Location, Message, Segment

TODAY = "2026-11-21"
START = Location(file="t.jinja", line=1, column=1)


def said(role: str, *parts: str) -> Message:
    """A message of a role, of parts that are called after it."""
    origin = "system" if role == "system" else "variable"
    return Message(role, tuple(Segment(part, origin, f"{role}{i}") for i, part in enumerate(parts)))


TALK = (
    said("system", "Be ", "brief."),
    said("user", "  Why ", "not?\n"),
    said("assistant", "So."),
    said("user", "And?"),
)


def made(text: str, *messages: Message, **given: Any) -> tuple[str, list[tuple[str, str, str | None, int | None]]]:
    """The text, and its segments as origin, text, name and line."""
    found = chat.build_model_input(ChatTemplate("t.jinja", text, "<s>", "</s>", place=START), messages or TALK, **given)
    assert found.diagnostics == ()
    return found.text, [(one.origin, one.text, one.name, one.place.line) for one in found.segments]


def stock(text: str, variables: dict[str, Any]) -> str:
    """What plain Jinja makes of it with transformers' settings."""
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[LoopControlExtension])
    env.filters["tojson"] = lambda value, **how: json.dumps(value, **{"ensure_ascii": False, **how})
    return env.from_string(text).render(**variables)


def tried(text: str, variables: dict[str, Any]) -> str | None:
    try:
        return stock(text, variables)
    except Exception:
        return None


@pytest.mark.realdata
def test_every_template_of_hugging_face_js_gives_its_text(shared: Path) -> None:
    lines = (shared / "vectors" / "hf_chat_templates.jsonl").read_text("utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    wrong = [one["id"] for one in cases if chat.render_raw(one["chat_template"], one["data"]).text != one["target"]]
    assert (len(cases), wrong) == (26, [])


@pytest.mark.realdata
def test_the_makers_templates_give_what_transformers_gives_and_no_stretch_is_of_unknown_origin(shared: Path) -> None:
    lines = (shared / "vectors" / "transformers_renders.jsonl").read_text("utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    for one in cases:
        text = (shared / "data" / "chat_templates" / one["template"]).read_bytes().decode("utf-8")
        template = ChatTemplate(one["template"], text, one["bos_token"], one["eos_token"], place=START)
        messages = [said(turn["role"], turn["content"]) for turn in one["messages"]]
        model_input = chat.build_model_input(
            template, messages, today=TODAY, add_generation_prompt=one["add_generation_prompt"]
        )
        assert model_input.text == one["expected"], (one["template"], one["case"])
        assert "unknown" not in {segment.origin for segment in model_input.segments}
        own = [segment.text for segment in model_input.segments if segment.origin != "serving"]
        assert sorted(own) == sorted(message.text for message in messages)
    assert len(cases) == 36


def test_the_tokens_the_role_and_the_literals_are_the_servers_and_their_line_is_known() -> None:
    text = (
        "{{ bos_token }}\n{%- for m in messages %}\n"
        "<{{ m.role }}>\n{{ m['content'] | trim }}{{ eos_token }}\n{% endfor %}"
    )
    assert made(text, said("user", " Why?"))[1] == [
        ("serving", "<s><user>\n", "t.jinja", 3),
        ("variable", "Why?", "user0", None),
        ("serving", "</s>\n", "t.jinja", 4),
    ]


@pytest.mark.parametrize(
    ("inside", "parts"),
    [
        ("{{ c }}", ["  Why ", "not?\n"]),
        ("{{ c.strip() }}", ["Why ", "not?"]),
        ("{{ c | trim }}", ["Why ", "not?"]),
        ("{{ c.lstrip() }}", ["Why ", "not?\n"]),
        ("{{ c.rstrip('\\n') }}", ["  Why ", "not?"]),
        ("{{ '[' + c + ']' }}", ["  Why ", "not?\n"]),
        ("{{ '[' ~ c ~ 7 }}", ["  Why ", "not?\n"]),
        ("{{ '%s: %s' % ('a', c) }}", ["  Why ", "not?\n"]),
        ("{{ '{}: {x}'.format('a', x=c) }}", ["  Why ", "not?\n"]),
        ("{{ ['a', c] | join('\\n') }}", ["  Why ", "not?\n"]),
        ("{{ ['a', c] | join }}", ["  Why ", "not?\n"]),
        ("{{ '-'.join([c, c]) }}", ["  Why ", "not?\n", "  Why ", "not?\n"]),
        ("{{ c[2:5] }}", ["Why"]),
        ("{{ c[-2] }}", ["?"]),
        ("{{ c.split('y')[1] }}", [" ", "not?\n"]),
        ("{{ c.rsplit(None, 1)[-1] }}", ["not?"]),
        ("{{ c.split() | join('_') }}", ["Why", "not?"]),
        ("{{ c.partition('n')[2] }}", ["ot?\n"]),
        ("{{ c.rpartition('o')[0] }}", ["  Why ", "n"]),
        ("{{ c.splitlines()[0] }}", ["  Why ", "not?"]),
        ("{{ c.removeprefix('  ') }}", ["Why ", "not?\n"]),
        ("{{ c | replace('not', 'why') }}", ["  Why ", "?\n"]),
        ("{{ c.replace(' ', '') }}", ["Why", "not?\n"]),
        ("{{ c | upper }}", ["  WHY ", "NOT?\n"]),
        ("{{ c | title }}", ["  Why ", "Not?\n"]),
        ("{{ c.capitalize() }}", ["  why ", "not?\n"]),
        ("{{ c | tojson }}", ["  Why ", "not?\\n"]),
        ("{{ {'a': c, 'b': [1, 'x']} | tojson(indent=2) }}", ["  Why ", "not?\\n"]),
        ("{{ c | default('x') | string }}", ["  Why ", "not?\n"]),
        ("{{ c if c else 'x' }}", ["  Why ", "not?\n"]),
        ("{{ (c * 2)[:16] }}", ["  Why ", "not?\n", "  Why"]),
        ("{% set d %}({{ c }}){% endset %}{{ d }}", ["  Why ", "not?\n"]),
        ("{% macro f(x) %}<{{ x }}>{% endmacro %}{{ f(c) }}", ["  Why ", "not?\n"]),
        ("{% set ns = namespace(t='') %}{% set ns.t = ns.t + c %}{{ ns.t }}", ["  Why ", "not?\n"]),
        ("{% filter trim %}{{ c }}{% endfilter %}", ["Why ", "not?"]),
        ("{% generation %}{{ c }}{% endgeneration %}", ["  Why ", "not?\n"]),
        ("{% for x in [1, 2] %}{% if x == 2 %}{% break %}{% endif %}{{ c }}{% endfor %}", ["  Why ", "not?\n"]),
        ("{{ c | indent }}", ["  Why ", "not?"]),  # not followed: found where it is
        ("{{ c | reverse }}", []),
    ],
)
def test_a_messages_text_is_followed_through_what_templates_do_to_it(inside: str, parts: list[str]) -> None:
    template = "A {% set c = messages[0].content %}" + inside + " Z"
    text, segments = made(template, TALK[1])
    if "generation" not in inside:
        assert text == stock(template, {"messages": [{"role": "user", "content": TALK[1].text}]})
    assert [one[1] for one in segments if one[0] == "variable"] == parts
    assert (
        all(one[2] == f"user{i}" for i, one in enumerate([s for s in segments if s[0] == "variable"][:2]))
        or "[" in inside
    )
    assert "".join(one[1] for one in segments) == text


def test_a_text_that_cannot_be_followed_and_stands_twice_is_of_unknown_origin() -> None:
    twice = "{% set c = messages[0].content | urlencode %}{{ c }} {{ c }}"
    text, segments = made(twice, said("user", "abcdefghij"))
    assert text == "abcdefghij abcdefghij"
    assert [one[:2] for one in segments if one[0] != "serving"] == [("unknown", "abcdefghij")] * 2


def test_further_variables_are_said_by_name_and_none_where_nobody_gives_tools() -> None:
    text = "{{ tools is none }}{{ documents is none }}{{ x is defined }}{{ pad_token }}|{{ lang }}|{{ d | tojson }}"
    values = {"lang": "français", "d": {"k": ["<é>"]}}
    assert made(text, said("user", "Q"), values=values)[1] == [
        ("serving", "TrueTrueFalse|", "t.jinja", 1),
        ("variable", "français", "lang", None),
        ("serving", '|{"k": ["', "t.jinja", 1),
        ("variable", "<é>", "d", None),
        ("serving", '"]}', "t.jinja", None),
    ]


def test_messages_given_as_they_are_with_lists_of_parts_are_found_where_their_text_stands() -> None:
    listed = [{"role": "user", "content": [{"type": "text", "text": "Where is it?"}], "extra": 1}]
    text = "<{{ messages[0].role }}>{% for p in messages[0].content %}{{ p.text }}{% endfor %}!"
    assert made(text, said("user", "Where is it?"), values={"messages": listed})[1] == [
        ("serving", "<user>", "t.jinja", 1),
        ("variable", "Where is it?", "user0", None),
        ("serving", "!", "t.jinja", 1),
    ]


def test_a_template_that_fails_with_texts_and_reads_parts_gets_parts_and_says_so() -> None:
    text = "{% for m in messages %}<{{ m.role }}>{{ '' + m['content'][0]['text'] }}{% endfor %}"
    model_input = chat.build_model_input(ChatTemplate("t.jinja", text, place=START), TALK)
    assert model_input.text == "<system>Be brief.<user>  Why not?\n<assistant>So.<user>And?"
    assert [one.text for one in model_input.segments if one.origin == "variable"] == ["  Why ", "not?\n", "So.", "And?"]
    (diagnostic,) = model_input.diagnostics
    assert (diagnostic.code, diagnostic.severity, diagnostic.values["when"], diagnostic.place) == (
        "srv-template-error",
        "info",
        "parts",
        START,
    )
    assert "'str object' has no attribute 'text'" in diagnostic.values["reason"]


@pytest.mark.parametrize(
    "text", ["{{ messages[0].content[0].text.none.x }}", "{{ messages[0].content.text.none }}", "{{ 1 / 0 }}"]
)
def test_a_template_that_fails_with_parts_too_or_never_asks_for_them_gives_no_text(text: str) -> None:
    model_input = chat.build_model_input(ChatTemplate("t.jinja", text, place=START), TALK)
    assert (
        model_input.segments,
        [(diagnostic.code, diagnostic.severity) for diagnostic in model_input.diagnostics],
    ) == (
        (),
        [("srv-template-error", None)],
    )


def test_what_is_absent_stays_undefined_in_a_raw_rendering_and_null_is_none() -> None:
    text = "{{ bos_token is defined }} {{ tools is none }} {{ messages[0].content[1].text }} {{ messages[0].extra }}"
    message = {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "Q"}], "extra": 1}
    assert chat.render_raw(text, {"messages": [message], "tools": None}).text == "False True Q 1"


@pytest.mark.parametrize(
    ("today", "text"), [("2026-01-02", "02 Jan 2026 00:00:00"), ("2024-02-29", "29 Feb 2024 00:00:00")]
)
def test_the_clock_is_the_day_that_is_asked_for(today: str, text: str) -> None:
    assert chat.render_raw("{{ strftime_now('%d %b %Y %H:%M:%S') }}", {}, today=today).text == text
    assert made("{{ strftime_now('%Y') }}", said("user", "Q"), today=today)[1] == [
        ("serving", today[:4], "t.jinja", None)
    ]


def test_json_keeps_its_characters_and_takes_the_arguments_of_transformers() -> None:
    values = {"v": {"b": "<é>&'", "a": [1, None, True, 1.5]}}
    assert chat.render_raw("{{ v | tojson }}", values).text == '{"b": "<é>&\'", "a": [1, null, true, 1.5]}'
    assert chat.render_raw("{{ v.a | tojson(indent=1) }}", values).text == "[\n 1,\n null,\n true,\n 1.5\n]"
    how = "ensure_ascii=true, separators=(',', ':'), sort_keys=true"
    assert chat.render_raw("{{ v | tojson(" + how + ") }}", values).text == '{"a":[1,null,true,1.5],"b":"<\\u00e9>&\'"}'


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{% set n = namespace(a=1, self=2) %}{% if 1 %}{% set n.a = n.a + 1 %}{% endif %}{{ n.a ~ n.self }}", "22"),
        ("{% set n = namespace({'a': 1}) %}{{ n.a }}", "1"),
        ("{% set n = namespace(_a=1) %}", None),
        ("{% set n = namespace() %}{% set n._a = 1 %}", None),
    ],
)  # fmt: skip
def test_a_namespace_refuses_what_transformers_refuses(template: str, text: str | None) -> None:
    made = chat.render_raw(template, {})
    assert (made.text, "underscore" in made.reason) == (text, text is None)


def test_the_tokenizers_bos_goes_before_the_text_where_the_server_adds_it() -> None:
    template = ChatTemplate("t", "{{ bos_token }}Q", "<s>", "</s>", adds_bos=True)
    model_input = chat.build_model_input(template, TALK)
    assert (model_input.text, model_input.segments[0].name, model_input.stops) == (
        "<s><s>Q",
        "add_special_tokens",
        ("</s>",),
    )
    assert (model_input.kind, model_input.format) == ("chat template", "t")


@pytest.mark.parametrize(
    ("text", "when", "line", "raised", "reason"),
    [
        ("a\n{% for x in y %}", "parse", 2, False, "Unexpected end of template"),
        ("\n\n{{ a b }}", "parse", 3, False, "expected token 'end of print statement', got 'b'"),
        ("{% nonsense %}", "parse", 1, False, "unknown tag 'nonsense'"),
        ("{{ x | nonsense }}", "parse", 1, False, "No filter named 'nonsense'"),
        ("{{ '\\x" + "' }}", "parse", 1, False, "truncated"),
        ("\n{{ raise_exception('System role not supported') }}", "execute", 2, True, "System role not supported"),
        ("{% macro f() %}\n{{ raise_exception('deep') }}\n{% endmacro %}\n\n{{ f() }}", "execute", 2, True, "deep"),
        ("{{ messages[9].content.x }}", "execute", 1, False, "has no element 9"),
        ("{{ 1 + 'a' }}", "execute", 1, False, "TypeError"),
        ("{{ 1 // 0 }}", "execute", 1, False, "ZeroDivisionError"),
        ("x\n{% include 'other' %}", "execute", 2, False, "includes another file"),
        ("{% extends 'other' %}", "execute", 1, False, "includes another file"),
        ("{{ messages.append(1) }}", "execute", 1, False, "attribute 'append' of 'list' object is unsafe"),
        ("{{ ''.__class__.__mro__ }}", "execute", 1, False, "unsafe"),
        ("{{ '{0.__class__.__mro__}'.format(messages) }}", "execute", 1, False, "unsafe"),
        ("{% set f = messages[0].content.strip %}{{ f.__func__.__globals__ }}", "execute", 1, False, "no attribute"),
        ("{{ messages[0].content | attr('__class__') | attr('mro') }}", "execute", 1, False, "unsafe"),
    ],
)
def test_a_template_that_gives_no_text_is_one_finding_with_its_line(
    text: str, when: str, line: int, raised: bool, reason: str
) -> None:
    template = ChatTemplate("t.jinja", text, place=Location(file="t.jinja", line=1, column=1))
    model_input = chat.build_model_input(template, TALK)
    assert (model_input.segments, len(model_input.diagnostics)) == ((), 1)
    diagnostic = model_input.diagnostics[0]
    values = {name: diagnostic.values[name] for name in ("when", "line", "raised", "name")}
    assert (diagnostic.code, diagnostic.place.line) == ("srv-template-error", line)
    assert values == {"when": when, "line": line, "raised": raised, "name": "t.jinja"}
    assert reason in diagnostic.values["reason"]


HOSTILE = {
    "endless loop": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "huge text": "{{ 'x' * 999999999 }}",
    "much text": "{% for a in range(99999) %}{{ 'x' * 1000 }}{% endfor %}",
    "huge number": "{{ 9 ** (9 ** 9) }}",
    "recursion": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "braces": "{" * (1 << 20),
    "open braces": "{{ " + "(" * 100_000,
    "brackets": "{{ " + "[" * 3000 + "]" * 3000 + " }}",
    "padding": "{{ '%999999999s' % 1 }}",
    "wide format": "{{ '{:999999999}'.format(1) }}",
    "doubling": "{% set n = namespace(t='ab') %}{% for i in range(40) %}{% set n.t = n.t + n.t %}{% endfor %}{{ n.t }}",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_template_is_one_finding_in_bounded_time(name: str) -> None:
    began = spent()
    model_input = chat.build_model_input(ChatTemplate(name, HOSTILE[name], place=START), TALK, today=TODAY)
    assert spent() - began < 8
    assert (
        model_input.segments,
        [diagnostic.code in ("dat-limit", "srv-template-error") for diagnostic in model_input.diagnostics],
    ) == (
        (),
        [True],
    )


def test_a_template_that_was_stopped_costs_its_time_once() -> None:
    template = ChatTemplate("slow", HOSTILE["endless loop"] + "{# once #}", place=START)
    first = chat.build_model_input(template, TALK)
    began = spent()
    assert (chat.build_model_input(template, TALK).diagnostics, spent() - began < 0.1) == (first.diagnostics, True)


def test_a_record_that_is_too_long_does_not_condemn_its_template_for_the_others() -> None:
    template = "{{ messages[0].content }}{{ messages[0].content }}{# long #}"
    made = chat.render_raw(template, {"messages": [{"content": "x" * 5_000_000}]})
    assert (made.when, made.reason) == ("limit", "output")
    assert chat.render_raw(template, {"messages": [{"content": "x"}]}).text == "xx"


def test_an_account_of_origins_that_takes_too_long_leaves_the_text() -> None:
    text = "{% for a in range(3000) %}{{ messages[0].content[a % 4] }}{{ '-' }}{% endfor %}{{ messages[0].content }}"
    many = made("{% for a in range(9) %}" + text + "{% endfor %}", said("user", "abcdefghijkl"))
    assert many[0] == ("".join("abcd"[a % 4] + "-" for a in range(3000)) + "abcdefghijkl") * 9
    assert {one[0] for one in many[1]} <= {"unknown", "serving", "variable"}


def test_nul_surrogates_and_separators_pass_unchanged() -> None:
    nasty = "\0\ud800\u2028\x85\r\n\U000f0001\u200b"
    text, segments = made("{{ messages[0].content }}|{{ messages[0].content | trim }}", said("user", nasty))
    assert text == nasty + "|" + nasty.strip()
    assert [one[0] for one in segments] == ["variable", "serving", "variable"]


ADDRESS = re.compile(" at 0x[0-9a-f]+")  # an iterator that is printed
WORDS = st.text(st.sampled_from("ab \n<é|>{%'\"\\"), max_size=12)
STEPS = st.sampled_from(
    ["trim", "upper", "title", "tojson", "replace('a', 'bb')", "indent(2)", "string", "reverse", "capitalize", "escape",
     "list | join('-')", "truncate(5)", "center(9)", "wordwrap(4)", "urlencode", "length", "first", "default('z')"]
)  # fmt: skip


@given(st.lists(st.lists(WORDS, min_size=1, max_size=3), min_size=1, max_size=3), st.lists(STEPS, max_size=3))
def test_the_text_is_always_the_stock_text_and_the_segments_of_messages_stand_in_them(
    talk: list[list[str]], steps: list[str]
) -> None:
    template = (
        "{% for m in messages %}<{{ m.role }}>{{ m.content" + "".join(f" | {s}" for s in steps) + " }}{% endfor %}"
    )
    messages = [said("user", *parts) for parts in talk]
    variables = {"messages": [{"role": one.role, "content": one.text} for one in messages]}
    model_input = chat.build_model_input(ChatTemplate("t", template), messages)
    if (expected := tried(template, variables)) is None:
        assert (model_input.segments, len(model_input.diagnostics)) == ((), 1)
        return
    assert ADDRESS.sub("", model_input.text) == ADDRESS.sub("", expected)
    if not steps:
        own = [one.text for one in model_input.segments if one.origin == "variable"]
        assert own == [part for message in messages for part in _compact(message)]


def _compact(message: Message) -> list[str]:
    return [segment.text for segment in message.segments if segment.text]
