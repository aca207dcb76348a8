"""Where every stretch of a rendered text comes from: which variable, which line, which default."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from counts import some
from hypothesis import HealthCheck, example, given, settings
from jinja_templates import VALUES, templates
from rendering import RECORD, one, origins, stock

from readback.records.fields.field_path import MISSING, look
from readback.types import Location

pytestmark = pytest.mark.filterwarnings("ignore::SyntaxWarning")  # generated templates call numbers and index none


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
        ("{{ missing | default(['aa', 'b']) | join(' ') }}", ["aa<missing[*]?>", " ", "b<missing[*]?>"]),
        ("{{ (words + xs) | join }}", ["aa<words[0]>", "bb<words[1]>", "1<words, xs>", "2<words, xs>", "3<words, xs>"]),
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


@settings(max_examples=some(150), deadline=None, suppress_health_check=list(HealthCheck))
@given(templates(plain=True), VALUES)
@example("{% for chunk in chunks %}{{ chunk.get('text') }}{% endfor %}", {"chunks": [{}]})
def test_a_path_leads_to_the_text_it_is_given_for(template: str, values: dict[str, Any]) -> None:
    values = json.loads(json.dumps(values))
    for segment in one(template, values).segments:
        if segment.origin == "variable" and segment.name and not re.search(r", |\[\*\]|\[-", segment.name):
            found = look(values, segment.name)
            assert str(None if found is MISSING else found) == segment.text  # `.get` writes None for what is not there


def test_literals_and_outputs_know_their_line_in_the_file() -> None:
    template = "one\ntwo {{ query }}\n{% if n %}\nfour {{ n }}\n{%- endif %}\n\nseven"
    places = [
        (s.text, s.place.file, s.place.line) for s in one(template, place=Location(file="p.jinja", line=5)).segments
    ]
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
