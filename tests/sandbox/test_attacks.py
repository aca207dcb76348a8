"""Hostile templates: each costs at most two seconds and one located finding, and the app goes on answering."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from counts import LONG
from in_time import in_time

from readback import sandbox
from readback.prompts import render
from readback.prompts.render import Template
from readback.types import Location

VALUES = {"query": "Q?", "n": 5, "xs": list(range(100)), "text": "word " * 2000, "chunks": [{"text": "x" * 1000}] * 20}
FINDINGS = {"dat-limit", "alb-render-error", "alb-unsafe-template"}


def grows(start: str, step: str, times: int) -> str:
    """A template in which `x` becomes `step` again and again."""
    again = f"{{% for i in range({times}) %}}{{% set ns.x = {step} %}}{{% endfor %}}"
    return f"{{% set ns = namespace(x={start}) %}}{again}{{{{ ns.x }}}}"


LOOPS = {
    "a loop without end": "{% for i in range(10**18) %}{% endfor %}",
    "a loop that prints": "{% for i in range(10**18) %}x{% endfor %}",
    "loops in loops": "{% for a in xs %}" * 4 + "{{ a }}" + "{% endfor %}" * 4,
    "a sum in C": "{{ range(10**12) | sum }}",
    "a search in C": "{{ -1 in range(10**12) | map('abs') }}",
    "a list of a range": "{{ range(10**11) | list | length }}",
    "a sorted range": "{{ range(10**8) | sort | first }}",
    "all permutations of a join": "{{ (range(10**9) | join)[:1] }}",
    "a maximum": "{{ range(10**12) | max }}",
    "counting items": "{{ range(10**12) | map('string') | select | list | length }}",
    "a cycler for ever": "{% set c = cycler(1) %}{% for i in range(10**12) %}{% set x = c.next() %}{% endfor %}",
}
SIZES = {
    "a long text": "{{ 'a' * 10**9 }}",
    "a text no memory holds": "{{ 'a' * 10**15 }}",
    "a long text that is not shown": "{% set x = 'a' * 10**9 %}",
    "a text folded while compiling": "{{ ('a' * 10**8) ~ ('b' * 10**9) }}",
    "doubling": grows("'ab'", "ns.x ~ ns.x", 60),
    "a list times a number": "{{ ([0] * 10**10) | length }}",
    "nested lists": grows("[1]", "ns.x + ns.x", 80),
    "a text that replaces itself": "{{ ('a' * 10000) | replace('a', 'a' * 10000) | replace('a', 'a' * 1000) }}",
    "a replacing method": "{{ ('a' * 100000).replace('a', 'b' * 100000) }}",
    "a join": "{{ (['x' * 100000] * 100000) | join('y' * 1000) }}",
    "a joining method": "{{ ('z' * 100000).join(['x'] * 100000) }}",
    "output without end": "{% for i in range(10**9) %}{{ text }}{% endfor %}",
    "a power": "{{ 10 ** (10 ** 9) }}",
    "a power shown": "{{ (7 ** (10 ** 8)) | string | length }}",
    "a shift by multiplying": grows("3", "ns.x * ns.x", 64),
    "a number of many digits": "{{ 10 ** 5000 }}",
    "bytes": "{{ ('a' * 10**9).encode() | length }}",
    "tojson": "{{ ([[1] * 1000] * 100000) | tojson }}",
    "pprint": "{{ ([['a' * 10] * 1000] * 10000) | pprint }}",
    "urlize": "{{ ('http://a.b ' * 1000000) | urlize }}",
    "escape": "{{ ('<' * 10**8) | e }}",
    "a filter block": "{% filter upper %}{% for i in range(10**9) %}{{ text }}{% endfor %}{% endfilter %}",
    "a block that is set": "{% set b %}{% for i in range(10**9) %}{{ text }}{% endfor %}{% endset %}",
}
WIDTHS = {
    "a format width": "{{ '%1000000000d' % 1 }}",
    "a format width by filter": "{{ '%*d' | format(10**9, 1) }}",
    "a format precision": "{{ '%.1000000000f' % 1.5 }}",
    "str.format": "{{ '{:>1000000000}'.format('x') }}",
    "str.format with a nested width": "{{ '{:>{}}'.format('x', 10**9) }}",
    "center": "{{ 'x' | center(10**9) }}",
    "ljust": "{{ 'x'.ljust(10**10) }}",
    "zfill": "{{ 'x'.zfill(10**10) }}",
    "expandtabs": "{{ '\t\t'.expandtabs(10**9) }}",
    "indent": "{{ text | indent(10**9) }}",
    "indent by text": "{{ ('\n' * 100000) | indent('x' * 100000, blank=true) }}",
    "batch": "{{ [1] | batch(10**10, 'x') | list }}",
    "slice": "{{ [1] | slice(10**10, 'x') | list | length }}",
    "lipsum": "{{ lipsum(n=10**6) }}",
    "lipsum of long paragraphs": "{{ lipsum(n=1, min=10**8, max=10**8+1) }}",
    "tojson indented": "{{ [[[1]]] | tojson(indent=10**9) }}",
    "truncate and wrap": "{{ ('a ' * 10**7) | wordwrap(1) | length }}{{ ('a ' * 10**8) | wordwrap(1) }}",
    "round": "{{ 1.5 | round(10**9) }}{{ (10**4000) | float }}",
    "translate": "{{ ('a' * 10**7).translate({97: 'b' * 1000}) }}",
}
DEPTHS = {
    "a macro that calls itself": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "macros that call each other": "{% macro a(n) %}{{ b(n) }}{{ b(n) }}{% endmacro %}{% macro b(n) %}"
    "{{ a(n) if n else '' }}{{ a(n) }}{% endmacro %}{{ a(1) }}",
    "a macro tree": "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}x{% endmacro %}{{ m(60) }}",
    "a recursive loop": "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}",
    "a caller that calls": "{% macro m() %}{{ caller() }}{% endmacro %}{% call m() %}{{ self.b() }}{% endcall %}"
    "{% block b %}{{ self.b() }}{% endblock %}",
    "parentheses": "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
    "lists": "{{ " + "[" * 50000 + "]" * 50000 + " }}",
    "not not not": "{{ " + "not " * 100000 + "1 }}",
    "minus minus": "{{ " + "-" * 100000 + "1 }}",
    "a chain of filters": "{{ 1" + " | int" * 20000 + " }}",
    "a chain of attributes": "{{ query" + ".a" * 50000 + " }}",
    "a chain of operators": "{{ 1" + " + n" * 50000 + " }}",
    "a chain of conditions": "{{ " + "n if n else " * 20000 + "n }}",
    "ifs in ifs": "{% if n %}" * 3000 + "{% endif %}" * 3000,
    "loops beyond Python's nesting": "{% for i in xs %}" * 25 + "{{ i }}" + "{% endfor %}" * 25,
    "with in with": "{% with a = 1 %}" * 2000 + "{% endwith %}" * 2000,
    "filter blocks in filter blocks": "{% filter upper %}" * 2000 + "{% endfilter %}" * 2000,
    "a nested value shown": grows("[]", "[ns.x]", 100000),
}
SOURCES = {
    "a megabyte of outputs": "{{ missing.a }}" + "{{ query }}" * (1_000_000 // 11),
    "a megabyte of statements": "{% if n %}x{% endif %}" * 45_000 + "{{ missing.a }}",
    "a megabyte of tags that never close": "{% if n %}" * 100_000,
    "a megabyte of one name": "{{ " + "a" * 1_000_000 + ".b }}",
    "a megabyte of one number": "{{ " + "1" * 1_000_000 + " }}",
    "a megabyte of one string, escaped": "{{ '" + "\\x" * 300_000 + "' }}",
    "a megabyte of opening marks": "{{" * 500_000,
    "a megabyte of comments begun": "{#" * 500_000,
    "a megabyte of raw begun": "{% raw %}" * 110_000,
    "a megabyte of blocks": "".join(f"{{% block b{n} %}}{{% endblock %}}" for n in range(30_000)),
    "a megabyte of macros": "".join(f"{{% macro m{n}() %}}{{% endmacro %}}" for n in range(30_000)),
    "blanks before a tag that is no tag": ("{%" + " " * 60_000 + "\n") * 16,
    "blanks to strip": "x" + " \n" * 400_000 + "{%- if n",
}
ESCAPES = {
    "subclasses": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "globals": "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "globals of lipsum": "{{ lipsum.__globals__['os'].system('id') }}",
    "str.format reaching in": "{{ '{0.__class__.__init__.__globals__}'.format(cycler) }}",
    "format_map reaching in": "{{ '{a.__class__}'.format_map({'a': query}) }}",
    "attr by filter": "{{ query | attr('__class__') | attr('__mro__') }}",
    "map by attribute": "{{ [query] | map(attribute='__class__') | list }}",
    "the environment": "{{ self.__init__.__globals__ }}",
    "a frame": "{{ (xs | map('string')).gi_frame.f_builtins }}",
    "the context of a macro": "{% macro m() %}{% endmacro %}{{ m._environment }}{{ m.__class__ }}",
    "our own filters": "{{ query | attr('readback') | nofilter }}",
}  # fmt: skip
ATTACKS = {**LOOPS, **SIZES, **WIDTHS, **DEPTHS, **SOURCES, **ESCAPES}


@pytest.fixture(autouse=True, scope="module")
def _warm() -> Iterator[None]:
    """The child is ready; and an attack that has to be stopped is stopped soon, but for a long run."""
    sandbox.describe_isolation()
    with pytest.MonkeyPatch.context() as patch:
        if not LONG:
            patch.setattr(render, "LIMITS", replace(render.LIMITS, seconds=0.3))
        yield


def _anew(templates: Sequence[Template]) -> tuple[render.Rendered, ...]:
    """Rendered as if these templates had never been seen."""
    render._stopped.clear()
    return render.render(templates, VALUES)


@pytest.mark.long
@pytest.mark.parametrize("name", list(ATTACKS) if LONG else list(ATTACKS)[::5])
def test_an_attack_costs_two_seconds_at_most_and_is_one_finding(name: str) -> None:
    template = Template(ATTACKS[name], place=Location(file="attack.jinja", line=1))
    (rendered,) = in_time(2, lambda: _anew([template]))
    assert (rendered.ok, rendered.segments) == (False, ())
    (diagnostic,) = rendered.diagnostics
    assert diagnostic.code in FINDINGS
    assert diagnostic.place.file == "attack.jinja"
    assert diagnostic.place.line is not None
    assert all(len(str(value)) < 400 for value in diagnostic.values.values())
    (after,) = render.render([Template("{{ query }}")], VALUES)
    assert after.text == "Q?"


def test_a_stopped_template_costs_its_time_once() -> None:
    render._stopped.clear()
    template = Template("{{ range(10**12) | sum }}")
    (first,) = render.render([template], VALUES)
    (again,) = in_time(0.2, lambda: render.render([template], VALUES))
    assert first.diagnostics == again.diagnostics


def test_b8_a_template_that_one_record_stops_is_tried_with_the_next() -> None:
    template = Template("{% for i in range(count) %}{% endfor %}")
    (first,) = render.render([template], {"count": 10**12})
    (again,) = render.render([template], {"count": 1})
    assert (first.ok, again.ok) == (False, True)


def test_b8_what_was_rendered_before_changes_no_answer() -> None:
    """Two templates of a call may be stopped; one that is known to be is no less one of them."""
    texts = [Template(f"{{{{ range(10**{size}) | sum }}}}") for size in (12, 13, 14)]
    first = _anew(texts)
    _anew([texts[2]])
    for again in (render.render(texts, VALUES), _anew(texts)):
        assert [one.diagnostics for one in again] == [one.diagnostics for one in first]


def test_hostile_templates_between_good_ones_cost_two_seconds_in_all() -> None:
    texts = [
        "{{ query }}",
        "{{ range(10**12) | sum }}",
        "{{ n }}",
        "{{ range(10**13) | sum }}",
        "{{ range(10**14) | sum }}",
    ]
    rendered = in_time(2, lambda: _anew([Template(text) for text in texts]))
    assert [r.ok for r in rendered] == [True, False, True, False, False]
    assert [len(r.diagnostics) for r in rendered] == [0, 1, 0, 1, 1]


def test_what_a_machine_cannot_hold_is_named() -> None:
    render._stopped.clear()
    texts = {
        "time": "{{ range(10**12) | sum }}",
        "memory": "{{ 'a' * 10**10 }}",
        "text": "{% for i in range(10**6) %}{{ text }}{% endfor %}",
        "nesting": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    }
    for word, text in texts.items():
        (rendered,) = render.render([Template(text)], VALUES)
        (diagnostic,) = rendered.diagnostics
        assert diagnostic.code == "dat-limit"
        assert str(diagnostic.values["what"]).startswith(word)
