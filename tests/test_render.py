"""Rendering: the text of stock Jinja2 byte for byte, and for every stretch who wrote it."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import jinja2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jinja_templates import TEXT, VALUES, templates

from readback import cell, render_jinja
from readback.field_path import look
from readback.render import Rendered, Template, _rendered, render, render_many
from readback.types import Place

RECORD = json.loads(
    json.dumps(
        {
            "query": "Q?",
            "n": 5,
            "one": "z",
            "empty": "",
            "xs": [1, 2, 3],
            "words": ["aa", "bb"],
            "pairs": [["ka", "va"], ["kb", "vb"]],
            "chunks": [
                {"url": "u1", "title": "t1", "context": "c1", "text": "x1", "s": [7, 8], "n": 1},
                {"url": "u2", "title": "t2", "text": "x2", "s": [9], "n": 2},
            ],
            "rag": {"contexts": ["ctx one", "ctx two"], "odd key": "odd"},
            "lower": "abc def",
            "pua": "\U000f0001\U000f0002",
            "pua2": "\U000f0001\U00100001",
        }
    )
)


pytestmark = pytest.mark.filterwarnings("ignore::SyntaxWarning")  # generated templates call numbers and index none


def one(text: str, values: Any = RECORD, **options: Any) -> Rendered:
    """The template rendered in this process: the same work as in a cell, without the wait."""
    defaults = options.pop("defaults", {})
    template = Template(text, **options)
    cell_answer = next(
        render_jinja.work({"templates": [[text, template.blocks]], "values": values, "defaults": defaults})
    )
    return _rendered(template, cell_answer)


def origins(text: str, **options: Any) -> list[tuple[str, str, str | None]]:
    return [(s.text, s.origin, s.name) for s in one(text, **options).segments]


ADDRESS = re.compile(r"0x[0-9a-f]{6,}")  # `{{ xs | map('upper') }}` prints a generator and where it lies


def steady(text: str | None) -> str | None:
    return text and ADDRESS.sub("0x", text)


def stock(text: str, values: Any, **options: Any) -> str | None:
    try:
        return jinja2.Environment(**options).from_string(text).render(copy.deepcopy(values))
    except Exception:
        return None


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(templates(), VALUES)
def test_the_text_equals_stock_jinja(template: str, values: dict[str, Any]) -> None:
    rendered = one(template, values)
    assert steady(stock(template, values)) == (steady(rendered.text) if rendered.ok else None)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(templates(), VALUES)
def test_adapters_are_rendered_with_trimmed_blocks(template: str, values: dict[str, Any]) -> None:
    rendered = one(template, values, blocks=True)
    expected = stock(template, values, trim_blocks=True, lstrip_blocks=True)
    assert steady(expected) == (steady(rendered.text) if rendered.ok else None)


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(templates(), min_size=1, max_size=20), VALUES)
def test_a_cell_answers_the_same_as_the_same_work_here(texts: list[str], values: dict[str, Any]) -> None:
    expected = tuple(one(text, values) for text in texts)
    for here, there in zip(expected, render([Template(text) for text in texts], values), strict=True):
        assert (steady(here.text), here.ok, here.names) == (steady(there.text), there.ok, there.names)
        if ADDRESS.search(here.text) is None:
            assert (here.segments, here.notes) == (there.segments, there.notes)


CASES = (
    "plain",
    "{{ query }}\n",
    "{{ query }}\n\n",
    "{{query}}{{ n }}{{ none }}{{ true }}{{ 1.0 }}{{ missing }}",
    "{% for c in chunks %}{% for s in c.s %}{{ s }}{% if not loop.last %},{% endif %}{% endfor %};{% endfor %}",
    "{% set x = query ~ n %}{{ x }}{% set a, b = words %}{{ a }}{{ b }}",
    "{% macro m(x, y='d') %}<{{ x }}{{ y }}>{% endmacro %}{{ m(query) }}{{ m(n, y=2) }}{{ m() }}",
    "{% filter upper %}abc {{ query }}{% endfilter %}",
    "{% for x in xs if x > 1 %}{{ loop.index }}{{ x }}{% else %}none{% endfor %}",
    "{% for c in [{'v': 1, 'k': [{'v': 2, 'k': []}]}] recursive %}{{ c.v }}{{ loop(c.k) }}{% endfor %}",
    "{% set ns = namespace(found=false) %}{% for x in xs %}{% set ns.found = x %}{% endfor %}{{ ns.found }}",
    "{{ missing | default('d') }}{{ empty | default('e', true) }}{{ empty | default('e') }}",
    "{% for k, v in pairs %}{{ k }}={{ v }} {% endfor %}{% for k, v in rag.items() %}{{ k }}{{ v }}{% endfor %}",
    "  {%- if query %} a {%- endif -%}   b\n{{- n -}}\n c",
    "{% raw %}{{ query }}{% endraw %}{# comment #}",
    "{% call(u) m2() %}{{ u }}{% endcall %}",
    "{% macro m2() %}[{{ caller('x') }}]{% endmacro %}{% call(u) m2() %}{{ u }}{{ query }}{% endcall %}",
    "{% set b %}block {{ query }}{% endset %}{{ b }}{{ b | length }}",
    "{% with a = query %}{{ a }}{% endwith %}{{ a }}",
    "{% block body %}{{ query }}{% endblock %}{{ self.body() }}",
    "{% autoescape true %}{{ '<b>' }}{{ query }}{{ '<b>' | safe }}{% endautoescape %}",
    "{% set p = [] %}{% for c in chunks %}{% set _ = p.append(c.title) %}{% endfor %}{{ p | join(',') }}",
    "{{ chunks.append(1) }}{{ chunks | length }}",
    "{{ chunks[0].update({'title': 'new'}) }}{{ chunks[0].title }}",
    "{{ xs | sum }}{{ xs | max }}{{ words | map('upper') | join }}{{ lower | title }}{{ lower | wordwrap(4) }}",
    "{{ pua }}{{ query }}",
    "{{ pua2 }}{{ query }}",
    "{{ '\\U000f0001' }}{{ query }}",
    "{{ query | length }}{{ (query ~ 'x') | length }}",
    "{{ range(200000) | length }}",
    "{{ '%s-%s' | format(query, n) }}{{ '{}-{}'.format(query, n) }}{{ '{a:>4}'.format(a=n) }}",
    "{{ chunks | tojson }}{{ chunks | tojson(indent=2) }}",
    "{{ loop }}{{ dict(a=1) }}{{ joiner(',') is defined }}",
    "{% set sep = joiner(', ') %}{% for x in xs %}{{ sep() }}{{ x }}{% endfor %}{{ cycler('a', 'b').next() }}",
    "{{ rag['odd key'] }}",
    "{{ query.upper() }}{{ query[::-1] }}{{ words[-1] }}{{ words[5] }}{{ rag.nothing }}",
    "{{ none | default('x') }}{{ none }}{{ [none, true] }}",
    "a\r\nb\r{{ query }}\r\n",
    "{{ '\ud800' }}",
)


@pytest.mark.parametrize("template", CASES)
@pytest.mark.parametrize("blocks", [False, True])
def test_hand_written_templates_equal_stock_jinja(template: str, blocks: bool) -> None:
    rendered = one(template, blocks=blocks)
    assert stock(template, RECORD, trim_blocks=blocks, lstrip_blocks=blocks) == (rendered.text if rendered.ok else None)


@pytest.mark.parametrize(
    ("template", "line"),
    [
        ("{{ missing.attribute }}", 1),
        ("\n{{ query.nothing.more }}", 2),
        ("\n\n{% if %}", 3),
        ("{{ query }}\n{{ n + query }}", 2),
        ("{% macro m(x) %}\n{{ x.y.z }}{% endmacro %}\n{{ m(query) }}", 2),
        ("\n{{ query | nofilter }}", 2),
        ("\n{% unknown %}", 2),
        ("{{ missing() }}", 1),
        ("{% for x in n %}{% endfor %}", 1),
    ],
)
def test_what_fails_in_jinja_fails_here_with_its_line(template: str, line: int) -> None:
    assert stock(template, RECORD) is None
    rendered = one(template, place=Place(file="a.jinja", line=10))
    assert (rendered.ok, rendered.segments) == (False, ())
    (note,) = rendered.notes
    assert note.code == "alb-render-error"
    assert (note.place.file, note.place.line) == ("a.jinja", 9 + line)


def shown(text: str, origin: str, name: str | None) -> str:
    return {"template": text, "default": f"{text}<{name}?>", "unknown": f"{text}<?>"}.get(origin, f"{text}<{name}>")


LITERAL, VARIABLE, DEFAULT = "template", "variable", "default"


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("a {{ query }}", ["a ", "Q?<query>"]),
        ("{{ query | upper }}", ["Q?<query>"]),
        ("{{ query[:1].lower() }}", ["q<query>"]),
        ("{{ '\\n' }}{{ 1 + 2 }}", ["\n3"]),
        ("{{ range(3) | join }}", ["012"]),
        ("{% for c in chunks %}{{ c.text }}{% endfor %}", ["x1<chunks[0].text>", "x2<chunks[1].text>"]),
        ("{% for c in chunks | reverse %}{{ c.text }}{% endfor %}", ["x2<chunks[1].text>", "x1<chunks[0].text>"]),
        ("{% for c in chunks[1:] %}{{ c['n'] }}{% endfor %}", ["2<chunks[1].n>"]),
        (
            "{% for c in chunks %}{% for s in c.s %}{{ s }}{% endfor %}{% endfor %}",
            ["7<chunks[0].s[0]>", "8<chunks[0].s[1]>", "9<chunks[1].s[0]>"],
        ),
        ("{% for x in xs %}{{ x }}{% endfor %}", ["1<xs[0]>", "2<xs[1]>", "3<xs[2]>"]),
        ("{% for x in xs if x > 2 %}{{ x }}{% endfor %}", ["3<xs[*]>"]),
        ("{% for x in xs | reverse %}{{ x }}{% endfor %}", ["3<xs[*]>", "2<xs[*]>", "1<xs[*]>"]),
        ("{% for w in words %}{{ loop.index }}{{ w }}{% endfor %}", ["1", "aa<words[0]>", "2", "bb<words[1]>"]),
        ("{{ rag.contexts[1] }}", ["ctx two<rag.contexts[1]>"]),
        ("{{ rag.get('contexts')[0] }}", ["ctx one<rag.contexts[0]>"]),
        ("{{ rag.get('nothing', 'none') }}", ["none<rag.nothing?>"]),
        ("{% set i = 1 %}{{ xs[i] }}", ["2<xs[1]>"]),
        ("{{ missing | default('d') }}", ["d<missing?>"]),
        ("{{ query | default('d') }}", ["Q?<query>"]),
        ("{{ missing | default('d') | upper }}", ["D<missing?>"]),
        ("{{ empty | default('d', true) }}", ["d<empty?>"]),
        ("{{ empty or 'none' }}", ["none"]),
        ("{{ one or 'none' }}", ["z<one>"]),
        ("{{ 'yes' if n else 'no' }}", ["yes"]),
        ("{{ query ~ '/' ~ n }}", ["Q?<query>", "/", "5<n>"]),
        ("{{ n + xs[0] }}", ["6<n, xs[0]>"]),
        ("{{ words | join(' / ') }}", ["aa<words[0]>", " / ", "bb<words[1]>"]),
        ("{{ xs | join }}", ["1<xs[0]>", "2<xs[1]>", "3<xs[2]>"]),
        ("{{ chunks | map(attribute='text') | join('\\n') }}", ["x1<chunks[0].text>", "\n", "x2<chunks[1].text>"]),
        ("{{ chunks | join(', ', attribute='n') }}", ["1<chunks[0].n>", ", ", "2<chunks[1].n>"]),
        ("{% set q = query | trim %}{{ q }}", ["Q?<query>"]),
        ("{% set query = query | lower %}{{ query }}", ["q?<query>"]),
        ("{% macro m(x) %}<{{ x }}>{% endmacro %}{{ m(query) }}", ["<", "Q?<query>", ">"]),
        ("{% macro m(x) %}{{ x }}{% endmacro %}{{ m('typed') }}", ["typed<?>"]),
        ("{% filter upper %}a{{ lower }}{% endfilter %}", ["A", "ABC DEF<lower>"]),
        ("{% set b %} a{{ query }} {% endset %}{{ b | trim }}", ["a", "Q?<query>"]),
        ("{% for k, v in pairs %}{{ v }}{% endfor %}", ["va<pairs[0][1]>", "vb<pairs[1][1]>"]),
        ("{% for k in rag %}{{ k }}|{% endfor %}", ["contexts<rag[*]>", "|", "odd key<rag[*]>", "|"]),
        ("{% set l = 'A' %}{% if n %}{% set l = 'B' %}{% endif %}{{ l }}", ["B"]),
        ("{% set l = 'A' %}{% if n %}{% set l = lower %}{% endif %}{{ l ~ '' }}", ["abc def<lower>"]),
        ("{% set l = 1 %}{% if n %}{% set l = n %}{% endif %}{{ l }}", ["5<?>"]),
        ("{{ query | length }}", ["2<query>"]),
        ("{{ pua }}{{ query }}", ["\U000f0001\U000f0002<pua>", "Q?<query>"]),
        ("{{ pua2 }}a", ["\U000f0001\U00100001a<?>"]),
        ("{% set b %}{{ query }}{% endset %}{{ b | length }}", ["2<?>"]),
        ("{% autoescape true %}{{ '<' | safe }}{% endautoescape %}a", ["<a"]),
    ],
)
def test_every_stretch_knows_where_it_comes_from(template: str, expected: list[str]) -> None:
    """A literal stands bare, a value is followed by its <path>, a default by <path?>, what cannot be told by <?>."""
    assert expected == [shown(*stretch) for stretch in origins(template)]
    assert one(template).text == stock(template, RECORD)


def test_a_value_of_the_configuration_is_a_default_until_the_record_has_it() -> None:
    template = "{{ tone }} {{ query }}{% for a in audience %}{{ a }}{% endfor %}"
    defaults = {"tone": "calm", "query": "never", "audience": ["all"]}
    assert origins(template, defaults=defaults) == [
        ("calm", DEFAULT, "tone"),
        (" ", LITERAL, None),
        ("Q?", VARIABLE, "query"),
        ("all", DEFAULT, "audience[0]"),
    ]


def test_the_same_object_under_two_names_is_told_apart_by_the_template() -> None:
    chunks = [{"text": "same"}, {"text": "other"}]
    values = {"chunks": chunks, "rag": {"contexts": chunks}, "query": "x y", "question": "x y"}
    template = "{% for c in chunks %}{{ c.text }}{% endfor %}"
    assert [name for _, _, name in origins(template, values=values)] == ["chunks[0].text", "chunks[1].text"]
    both = template + "{{ rag.contexts | length }}"
    assert [n for _, _, n in origins(both, values=values)] == ["chunks[0].text", "chunks[1].text", "rag.contexts"]
    doubled = "{{ query }}{% set q = question %}{{ q }}{% for c in rag.contexts | reverse %}{{ c.text }}{% endfor %}"
    doubled += "{{ chunks | length }}"
    names = ["query", "question", "rag.contexts[*].text", "rag.contexts[*].text", "chunks"]
    assert [name for _, _, name in origins(doubled, values=values)] == names


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(templates(plain=True), VALUES)
def test_a_path_leads_to_the_text_it_is_given_for(template: str, values: dict[str, Any]) -> None:
    values = json.loads(json.dumps(values))
    for segment in one(template, values).segments:
        if segment.origin == "variable" and segment.name and not re.search(r", |\[\*\]|\[-", segment.name):
            assert str(look(values, segment.name)) == segment.text


def test_literals_and_outputs_know_their_line_in_the_file() -> None:
    template = "one\ntwo {{ query }}\n{% if n %}\nfour {{ n }}\n{%- endif %}\n\nseven"
    places = [(s.text, s.place.file, s.place.line) for s in one(template, place=Place(file="p.jinja", line=5)).segments]
    assert places == [
        ("one\ntwo ", "p.jinja", 5),
        ("Q?", "p.jinja", 6),
        ("\n", "p.jinja", 6),
        ("\nfour ", "p.jinja", 7),
        ("5", "p.jinja", 8),
        ("\n\nseven", "p.jinja", 9),
    ]


@pytest.mark.parametrize(
    ("template", "names"),
    [
        ("{{ query }}\n{{ query }}{{ rag.contexts[0] }}", [("query", 1), ("rag.contexts", 2)]),
        ("{% for c in chunks %}{{ c.title }}{% endfor %}{{ c }}", [("chunks", 1), ("c", 1)]),
        ("{% set x = 1 %}{{ x }}{{ range(3) }}", []),
        ("{{ query.upper() }}{{ lower | replace('a', n) }}", [("lower", 1), ("n", 1), ("query", 1)]),
        ("{{ xs[n] }}", [("n", 1), ("xs", 1)]),
        ("{% if %}", []),
        ("\n{{ a.b.c }}", [("a.b.c", 2)]),
    ],
)
def test_the_names_a_template_reads(template: str, names: list[tuple[str, int]]) -> None:
    assert sorted(names) == sorted((name, place.line) for name, place in one(template).names)


def test_a_record_may_have_a_field_called_like_a_function_of_jinja() -> None:
    assert origins("{{ range }}{{ dict.a }}", values={"range": "r1", "dict": {"a": "a1"}}) == [
        ("r1", VARIABLE, "range"),
        ("a1", VARIABLE, "dict.a"),
    ]


@pytest.mark.parametrize(
    ("template", "origin", "code"),
    [
        ("{% include 'x' %}", "template", "alb-include"),
        ("{% extends 'x' %}", "template", "alb-include"),
        ("{% import 'x' as x %}", "template", "alb-include"),
        ("{{ query.__class__ }}", "template", "alb-unsafe-template"),
        ("{{ query.__class__.__mro__ }}", "adapter", "alb-unsafe-template"),
        ("{{ '{0.__class__}'.format(query) }}", "template", "alb-unsafe-template"),
        ("{{ ().__class__ | list }}", "template", "alb-unsafe-template"),
        ("{{ query | attr('__class__') }}", "template", "alb-unsafe-template"),
        ("{{ a.b.c }}", "adapter", "asm-adapter-error"),
        ("{% include 'x' %}", "adapter", "asm-adapter-error"),
        ("{% if %}", "task", "alb-render-error"),
    ],
)
def test_each_refusal_has_its_code_and_line(template: str, origin: Any, code: str) -> None:
    (note,) = one("\n" + template, origin=origin, place=Place(file="t.jinja")).notes
    assert (code, 2, "t.jinja") == (note.code, note.place.line, note.place.file)


def test_a_template_changes_its_own_copies_of_the_values_only() -> None:
    values = copy.deepcopy(RECORD)
    assert one("{{ xs.append(4) }}{{ xs | length }}", values).text == "None4"
    assert values == RECORD
    assert one("{{ xs | length }}", values).text == "3"


def test_json_block_is_for_adapters() -> None:
    assert one("{{ s | json_block }}", {"s": {"b": "é<", "a": []}}, blocks=True).text == json.dumps(
        {"b": "é<", "a": []}, indent=2
    )
    assert one("{{ s | json_block }}", {"s": {}}).notes[0].code == "alb-render-error"


FIELDS_TEXT = st.lists(
    st.sampled_from(("{{", "}}", "{a}", "{b}", "{", "}", "text", "\n", "{a.b}", "{0}", "{}", "{a!r}", "{a:>3}", "é")),
    max_size=8,
).map("".join)


@settings(max_examples=300, deadline=None)
@given(FIELDS_TEXT, st.fixed_dictionaries({"a": TEXT, "b": TEXT}))
def test_format_templates_equal_str_format_or_are_refused(template: str, values: dict[str, str]) -> None:
    (rendered,) = render([Template(template, "format")], values)
    if rendered.ok:
        assert rendered.text == template.format(**values)
    else:
        codes = {note.code for note in rendered.notes}
        assert codes <= {"jdg-format-field", "jdg-format-syntax"}
        if not any(odd in template for odd in (".b", "{0", "{}", "!r", ":>")):
            assert "jdg-format-syntax" in codes
            with pytest.raises((ValueError, KeyError, IndexError)):
                template.format(**values)


def test_format_fields_have_places_and_are_never_read_again() -> None:
    template = Template("Grade\n{question} {{x}}\n{documents}", "format", place=Place(file="j.py", line=3))
    (rendered,) = render([template], {"question": "{documents}", "documents": "D"})
    assert [(s.text, s.origin, s.name, s.place.line) for s in rendered.segments] == [
        ("Grade\n", "template", None, 3),
        ("{documents}", "variable", "question", 4),
        (" {x}\n", "template", None, 4),
        ("D", "variable", "documents", 5),
    ]
    assert [(name, place.line) for name, place in rendered.names] == [("question", 4), ("documents", 5)]


def test_all_unknown_format_fields_are_noted_at_once() -> None:
    (rendered,) = render([Template("{a}\n{b} {c}", "format")], {"a": "1"})
    assert [(note.values["field"], note.place.line) for note in rendered.notes] == [("b", 2), ("c", 2)]


def test_placeholders_are_replaced_in_one_pass() -> None:
    template = Template("{{QUESTION}} {{ANSWER}}\n{{ OTHER }} QUESTION", "placeholder")
    (rendered,) = render([template], {"QUESTION": "{{ANSWER}}", "ANSWER": "A"})
    assert rendered.text == "{{ANSWER}} A\n{{ OTHER }} QUESTION"
    assert [s.origin for s in rendered.segments] == ["variable", "template", "variable", "template"]


def test_a_literal_text_stays_as_it_is() -> None:
    (rendered,) = render([Template("{{ query }}\n", "text", "system")], {})
    assert [(s.text, s.origin) for s in rendered.segments] == [("{{ query }}\n", "system")]


def test_several_syntaxes_in_one_call_keep_their_order() -> None:
    given = [Template("{{ q }}"), Template("{q}", "format"), Template("t", "text"), Template("2{{ q }}")]
    assert [rendered.text for rendered in render(given, {"q": "Q"})] == ["Q", "Q", "t", "2Q"]


def test_many_rows_are_rendered_in_order() -> None:
    rows = [{"q": str(n)} for n in range(5)]
    assert [r.text for (r,) in render_many([Template("{{ q }}")], rows)] == ["0", "1", "2", "3", "4"]


def test_the_cell_is_not_asked_when_nothing_is_to_be_rendered() -> None:
    before = cell.isolation()["zygote"]
    assert render([], {}) == ()
    assert cell.isolation()["zygote"] == before


GOLDEN_CHUNKS = [
    {"url": "u1", "title": "t1", "context": "c1", "text": "x1"},
    {"url": "u2", "title": "t2", "text": "x2"},
]


@pytest.mark.realdata
@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (
            {"query": "Q?", "sheet_chunks": GOLDEN_CHUNKS},
            "\n\n\nu1 : t1 (c1)\nx1 \n\n\nu2 : t2 \nx2 \n\n\nQuestion: Q?",
        ),
        ({"query": "Q?"}, "\n\n\n\nQuestion: Q?"),
        ({"query": "Q?", "sheet_chunks": []}, "\n\n\n\nQuestion: Q?"),
        ({}, "\n\n\n\nQuestion: "),
    ],
)
def test_the_albert_template_gives_its_goldens(shared: Path, end: str, values: Any, expected: str) -> None:
    text = (shared / "data/albert/rag_prompt_template.jinja").read_text("utf-8").rstrip("\n") + end
    (rendered,) = render([Template(text)], values)
    assert rendered.text == text.partition("\n")[0] + expected


@pytest.mark.realdata
def test_real_templates_equal_stock_jinja(shared: Path) -> None:
    values = {"query": "Q?", "sheet_chunks": GOLDEN_CHUNKS, "messages": [{"role": "user", "content": "hi"}]}
    for path in sorted((shared / "data").rglob("*.jinja")):
        text = path.read_text("utf-8")
        rendered = one(text, values)
        assert stock(text, values) == (rendered.text if rendered.ok else None), path.name
