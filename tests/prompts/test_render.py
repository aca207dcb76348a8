"""Rendering: the text of stock Jinja2 byte for byte, and what fails there fails here, with its line."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from counts import LONG, many, some
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jinja_templates import VALUES, templates
from rendering import ADDRESS, RECORD, one, steady, stock

from readback import sandbox
from readback.prompts.render import Rendered, Template, render
from readback.types import Diagnostic, Location

pytestmark = pytest.mark.filterwarnings("ignore::SyntaxWarning")  # generated templates call numbers and index none


@settings(max_examples=many(200, 20), deadline=None, suppress_health_check=list(HealthCheck))
@given(templates(), VALUES)
def test_the_text_equals_stock_jinja(template: str, values: dict[str, Any]) -> None:
    rendered = one(template, values)
    assert steady(stock(template, values)) == (steady(rendered.text) if rendered.ok else None)


@settings(max_examples=some(100), deadline=None, suppress_health_check=list(HealthCheck))
@given(templates(), VALUES)
def test_adapters_are_rendered_with_trimmed_blocks(template: str, values: dict[str, Any]) -> None:
    rendered = one(template, values, blocks=True)
    expected = stock(template, values, trim_blocks=True, lstrip_blocks=True)
    assert steady(expected) == (steady(rendered.text) if rendered.ok else None)


@settings(max_examples=some(10), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(templates(), min_size=1, max_size=20 if LONG else 5), VALUES)
def test_a_cell_answers_the_same_as_the_same_work_here(texts: list[str], values: dict[str, Any]) -> None:
    expected = tuple(one(text, values) for text in texts)
    for here, there in zip(expected, render([Template(text) for text in texts], values), strict=True):
        assert (steady(here.text), here.ok, here.names) == (steady(there.text), there.ok, there.names)
        if ADDRESS.search(here.text) is None:
            assert (here.segments, _anywhere(here)) == (there.segments, _anywhere(there))


def _anywhere(rendered: Rendered) -> list[Diagnostic]:
    """The notes; one about nesting without its line, which is wherever the stack of that process ended."""
    return [
        replace(diagnostic, place=Location()) if diagnostic.code == "dat-limit" else diagnostic
        for diagnostic in rendered.diagnostics
    ]


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
    rendered = one(template, place=Location(file="a.jinja", line=10))
    assert (rendered.ok, rendered.segments) == (False, ())
    (diagnostic,) = rendered.diagnostics
    assert diagnostic.code == "alb-render-error"
    assert (diagnostic.place.file, diagnostic.place.line) == ("a.jinja", 9 + line)


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
    (diagnostic,) = one("\n" + template, origin=origin, place=Location(file="t.jinja")).diagnostics
    assert (code, 2, "t.jinja") == (diagnostic.code, diagnostic.place.line, diagnostic.place.file)


def test_a_template_changes_its_own_copies_of_the_values_only() -> None:
    values = copy.deepcopy(RECORD)
    assert one("{{ xs.append(4) }}{{ xs | length }}", values).text == "None4"
    assert values == RECORD
    assert one("{{ xs | length }}", values).text == "3"


def test_json_block_is_for_adapters() -> None:
    assert one("{{ s | json_block }}", {"s": {"b": "é<", "a": []}}, blocks=True).text == json.dumps(
        {"b": "é<", "a": []}, indent=2
    )
    assert one("{{ s | json_block }}", {"s": {}}).diagnostics[0].code == "alb-render-error"


def test_several_syntaxes_in_one_call_keep_their_order() -> None:
    given = [Template("{{ q }}"), Template("{q}", "format"), Template("t", "text"), Template("2{{ q }}")]
    assert [rendered.text for rendered in render(given, {"q": "Q"})] == ["Q", "Q", "t", "2Q"]


def test_the_cell_is_not_asked_when_nothing_is_to_be_rendered() -> None:
    before = sandbox.describe_isolation()["zygote"]
    assert render([], {}) == ()
    assert sandbox.describe_isolation()["zygote"] == before


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
