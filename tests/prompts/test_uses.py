"""What became of each name a template reads: on the branches it takes, without changing the text."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from counts import many, some
from hypothesis import HealthCheck, given, settings
from jinja_templates import VALUES, templates
from rendering import RECORD, one, steady, stock

from readback.prompts.render import Template, render
from readback.prompts.render import jinja as render_jinja
from readback.prompts.render.marks import Trace
from readback.prompts.render.watch import SIGHTINGS, Sightings
from readback.types import Location

pytestmark = pytest.mark.filterwarnings("ignore::SyntaxWarning")  # generated templates call numbers and index none


def uses(text: str, **options: Any) -> list[str]:
    """Each use as `name state`, with ` x/n` where it is not 1 of 1, and `?` where the template only asks."""
    made = one(text, **options).uses
    return [
        f"{u.name} {u.state}{'' if (u.times, u.total) in ((1, 1), (0, 0)) else f' {u.times}/{u.total}'}"
        f"{'?' * u.only_asked}"
        for u in made
        if u.state != "untaken"
    ]


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("plain", []),
        ("{{ query }}{{ missing }}", ["missing missing", "query present"]),
        ("{{ none }}{{ query | upper }}", ["query present"]),
        ("{{ empty }}{{ n }}", ["empty empty", "n present"]),
        ("{% if missing %}{{ missing }}{% endif %}", ["missing missing?"]),
        ("{{ missing is defined }}{{ not missing }}{{ missing == 1 }}", ["missing missing?"]),
        ("{{ missing or query }}", ["missing missing?", "query present"]),
        ("{{ query if n else missing }}", ["n present?", "query present"]),
        ("{{ missing | default('d') }}", ["missing default?"]),
        ("{{ missing | default('') }}", ["missing missing?"]),
        ("{{ empty | default('d', true) }}", ["empty falsy?"]),
        ("{{ empty | default('d') }}", ["empty empty?"]),
        ("{{ query | default('d') }}", ["query present?"]),
        ("{{ rag.get('nothing', 'd') }}{{ rag.get('no') }}", ["rag.no missing", "rag.nothing default?"]),
        ("{{ rag.contexts[0] }}{{ rag.nothing }}", ["rag.contexts[0] present", "rag.nothing missing"]),
        ("{{ xs[n] }}", ["n present", "xs[*] missing"]),
        ("{% for c in missing %}{{ c.x }}{% endfor %}", ["missing missing"]),
        ("{% for c in [missing, 'a'] %}{{ c }}{% endfor %}", ["missing missing"]),
        ("{% for c in {'key': missing} if c %}{{ c }}{% endfor %}", ["missing missing"]),
        ("{% for c in empty %}{{ c.x }}{% endfor %}", ["empty idle"]),
        ("{% for c in empty %}{{ c.x }}{% else %}none{% endfor %}", ["empty idle?"]),
        ("{% for c in missing | default([]) %}{{ c }}{% endfor %}", ["missing missing?"]),
        (
            "{% for c in chunks %}{{ c.title }}{% if c.context %}{{ c.context }}{% endif %}{{ c.no }}{% endfor %}",
            [
                "chunks present",
                "chunks[*].context missing 1/2?",
                "chunks[*].context present 1/2",
                "chunks[*].no missing 2/2",
                "chunks[*].title present 2/2",
            ],
        ),
        (
            "{% for c in chunks %}{% for s in c.s %}{{ s }}{% endfor %}{% endfor %}",
            ["chunks present", "chunks[*].s present 2/2", "chunks[*].s[*] present 3/3"],
        ),
        (
            "{% for c in chunks %}{{ c.n }}{% endfor %}{% for c in rag.contexts %}{{ c }}{% endfor %}",
            ["chunks present", "chunks[*].n present 2/2", "rag.contexts present", "rag.contexts[*] present 2/2"],
        ),
        ("{% for c in chunks | reverse %}{{ c.no }}{% endfor %}", ["chunks present", "chunks[*].no missing 2/2"]),
        ("{% macro m(x) %}{{ x.title }}{{ x.no }}{% endmacro %}{{ m(chunks[0]) }}",
         ["chunks[*].no missing", "chunks[*].title present", "chunks[0] present"]),
        ("{% set c = chunks | first %}{{ c.no }}", ["chunks present", "chunks[*].no missing"]),
        ("{% set query = query | lower %}{{ query }}", ["query present"]),
        ("{% set x = 1 %}{{ x }}{{ range(2) | join }}", []),
        ("{% for k, v in rag.items() %}{{ v }}{% endfor %}", ["rag present", "rag[*] present 2/2"]),
        ("{% for c in chunks recursive %}{{ c.n }}{{ c.no }}{% endfor %}",
         ["chunks present", "chunks[*].n present 2/2", "chunks[*].no missing 2/2"]),
        ("{{ chunks | map(attribute='text') | join }}", ["chunks present"]),
        # where marks change what the template does, it is looked at without them
        ("{% set b %}{{ query }}{% endset %}{% if b | length > 5 %}{{ missing }}{% else %}{{ n }}{% endif %}",
         ["n present", "query present"]),
        ("{{ pua }}{{ pua2 }}{{ missing }}", ["missing missing", "pua present", "pua2 present"]),
        # up to where it fails
        ("{{ query }}{{ missing.attribute }}{{ n }}", ["missing missing", "query present"]),
        ("{{ rag.nothing.more }}", ["rag.nothing missing"]),
        ("{% if %}", []),
    ],
)  # fmt: skip
def test_each_name_has_its_state(template: str, expected: list[str]) -> None:
    assert sorted(expected) == sorted(uses(template))
    rendered = one(template)
    assert stock(template, RECORD) == (rendered.text if rendered.ok else None)


def test_a_name_on_a_branch_that_is_not_taken_is_untaken() -> None:
    made = one("{% if n > 9 %}{{ query }}{{ missing }}{% endif %}").uses
    assert [(use.name, use.state) for use in made] == [("missing", "untaken"), ("n", "present"), ("query", "untaken")]


def test_a_default_of_the_configuration_is_told_from_a_value_of_the_record() -> None:
    given = {"defaults": {"tone": "calm", "query": "never"}}
    assert uses("{{ tone }}{{ query }}", **given) == ["query present", "tone default"]


def test_a_use_stands_at_the_line_where_the_name_first_stands() -> None:
    made = one("a\n{{ n }}\n{{ query }}{{ n }}", place=Location(file="t.jinja", line=5)).uses
    assert [(use.name, use.place.line) for use in made] == [("n", 6), ("query", 7)]


def test_null_is_told_from_absent() -> None:
    assert uses("{{ a }}{{ b }}", values={"a": None}) == ["a null", "b missing"]


@pytest.mark.parametrize(
    ("template", "values", "expected"),
    [
        (Template("{a}{b}{c}", "format"), {"a": "x", "b": "", "c": None}, ["a present", "b empty", "c null"]),
        (Template("{{a}} {{ NOT }}", "placeholder"), {"a": "x"}, ["a present", "NOT missing"]),
        (Template("{a}", "text"), {"a": "x"}, []),
    ],
)
def test_plain_fields_have_states_too(template: Template, values: Any, expected: list[str]) -> None:
    (made,) = render([template], values)
    assert [f"{use.name} {use.state}" for use in made.uses] == expected


@settings(max_examples=many(150, 15), deadline=None, suppress_health_check=list(HealthCheck))
@given(templates(), VALUES)
def test_looking_at_the_names_changes_no_text(template: str, values: dict[str, Any]) -> None:
    ready = render_jinja.compile_template(template, False, frozenset(render_jinja.GLOBALS & values.keys()))
    watched = None if isinstance(ready, render_jinja.Failed) else render_jinja._compile_watched(ready)
    if isinstance(ready, render_jinja.Failed) or watched is None:
        return
    seen = Sightings(watched[1], Trace(0xF0000, (), values, ready.names.context))
    try:
        text = render_jinja._run_template(watched[0], {**copy.deepcopy(values), SIGHTINGS: seen})
    except Exception:
        text = None
    rendered = one(template, values)
    assert steady(text) == (steady(rendered.text) if rendered.ok else None)


@settings(max_examples=some(150), deadline=None, suppress_health_check=list(HealthCheck))
@given(templates(), VALUES)
def test_a_variable_without_a_value_is_never_present_and_one_with_a_value_never_missing(
    template: str, values: dict[str, Any]
) -> None:
    for use in one(template, values).uses:
        if use.name.isidentifier():
            assert use.name in values or use.state not in ("present", "null", "empty", "falsy", "idle")
            assert use.name not in values or use.state not in ("missing", "default")
        assert 0 <= use.times <= use.total
