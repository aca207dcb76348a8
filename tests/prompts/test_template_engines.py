"""Templates of random pieces: what is written here is what chevron and Python's own engines write."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Mapping
from typing import Any

import chevron
import chevron.renderer
import pytest
from counts import many

from readback.prompts.render import Template, render
from readback.prompts.render.mustache import DEEP, fill_mustache
from readback.prompts.render.simple_fields import fill_dollar, fill_format, fill_percent
from readback.types import Syntax

KEYS = ("a", "b", "c", "a.b", "l", "l.0", ".", "d.e.f", "zz", "n.0", "s")
PLAIN = ("x", "\n", " ", '<&">', "  \n", "line\n", "\r\n", "{", "}", "\t")
BROKEN = ("{{", "}}", "{{=<% %>=}}", "{{}}", "{{/a}}", "{{{a}}", "{{#a}}")
CELLS = (
    0, 1, False, True, None, "", "t", "<b>", [], [1, 2], ["x", {"b": 2}], {"b": 1}, {"e": {"f": [1]}}, 0.0, [[1], []],
    {}, "multi\nline",
)  # fmt: skip


def mustache(pick: random.Random, depth: int = 0) -> str:
    made = ""
    for _ in range(pick.randrange(1, 6)):
        kind, key = pick.random(), pick.choice(KEYS)
        if kind < 0.3:
            made += pick.choice(PLAIN)
        elif kind < 0.5:
            made += f"{{{{{pick.choice(['', ' '])}{key}{pick.choice(['', ' '])}}}}}"
        elif kind < 0.58:
            made += f"{{{{{{{key}}}}}}}"
        elif kind < 0.62:
            made += f"{{{{&{key}}}}}"
        elif kind < 0.66:
            made += "{{! c\nomment }}"
        elif kind < 0.69:
            made += pick.choice(BROKEN)
        elif depth < 4:
            begin, end = pick.choice(["", " ", "\n", "\n  "]), pick.choice(["\n", "", " "])
            inside = pick.choice(["\n", "", " \n"]) + mustache(pick, depth + 1) + pick.choice(["", "\n"])
            made += f"{begin}{{{{{pick.choice('#^')}{key}}}}}{inside}{{{{/{key}}}}}{end}"
    return made


def test_mustache_is_what_chevron_writes() -> None:
    pick = random.Random(13)
    refused = 0
    for _ in range(many(200_000)):
        text = mustache(pick)
        values = {key: pick.choice(CELLS) for key in ("a", "b", "c", "l", "d", "n", "s") if pick.random() < 0.8}
        chevron.renderer.g_token_cache.clear()
        try:
            expected = chevron.render(text, values, partials_path=None)
        except Exception:
            expected = None
        pieces, wrong, _ = fill_mustache(text, values)
        refused += expected is None
        assert (None if wrong else "".join(piece.text for piece in pieces)) == expected, (text, values)
    assert refused > many(200_000) / 20  # broken ones are among them


PIECES = (
    "%", "%%", "%(a)s", "%(b)d", "%(c)5.2f", "%(zz)s", "x", "%(a)", "\n", "%(a)-8r", "%(b)x", "%(a)%", "{", "}", "{{",
    "}}",
    "{a}", "{b:>5}", "{b!r}", "{zz}", "{c:.1f}", "{a!x}", "{}", "$", "$$", "$a", "${b}", "$zz", "${zz", "$5", "${c}y",
    "{a!r:>9}", "{:d}", "{b:d}", "é", "%(é)s", "$é",
)  # fmt: skip
ENGINES: Mapping[str, tuple[Callable[..., Any], Callable[[str, Mapping[str, Any]], str]]] = {
    "percent": (fill_percent, lambda text, values: text % values),
    "format": (fill_format, lambda text, values: text.format(**values)),
    "dollar": (fill_dollar, lambda text, values: string.Template(text).substitute(values)),
}


@pytest.mark.parametrize("name", ENGINES)
def test_simple_fields_are_what_python_writes(name: str) -> None:
    ours, engine = ENGINES[name]
    pick = random.Random(13)
    for _ in range(many(100_000)):
        text = "".join(pick.choice(PIECES) for _ in range(pick.randrange(1, 5)))
        values = {"a": pick.choice(["t", None, True, 'é"']), "b": pick.choice([3, 2.5, "x", [1]]), "c": 1.5, "é": "e"}
        try:
            expected = engine(text, values)
        except Exception:
            expected = None
        pieces, wrong = ours(text, values)
        assert (None if wrong else "".join(piece.text for piece in pieces)) == expected, (text, values)


@pytest.mark.parametrize(
    ("syntax", "text", "code"),
    [
        ("format", "{a.b}", "jdg-format-field"),
        ("format", "{a[0]}", "jdg-format-field"),
        ("format", "{a:>99999}", "jdg-format-field"),
        ("format", "{a:{b}}", "jdg-format-syntax"),
        ("percent", "%(a)99999s", "jdg-format-field"),
        ("percent", "%s", "jdg-format-field"),
        ("percent", "%(a)*s", "jdg-format-field"),
        ("dollar", "$5", "jdg-format-field"),
        ("mustache", "{{a.upper}}", "alb-unsafe-template"),
        ("mustache", "{{> other}}", "alb-include"),
        ("mustache", "{{#a}}", "alb-render-error"),
        ("mustache", "{{n.0}}", "alb-render-error"),
        ("mustache", "{{#l}}" * (DEEP + 2) + "{{/l}}" * (DEEP + 2), "dat-limit"),
        ("mustache", "{{#l}}" * 20 + "x" + "{{/l}}" * 20, "dat-limit"),
    ],
)
def test_what_is_refused_says_why_at_its_line(syntax: Syntax, text: str, code: str) -> None:
    values = {"a": "t", "b": 5, "n": 7, "l": [1, 2, 3]}
    (made,) = render([Template(f"\n\n{text}", syntax)], values)
    assert [one.code for one in made.diagnostics] == [code]
    assert not made.ok
    if code != "dat-limit":
        assert made.diagnostics[0].place.line == 3


def test_each_stretch_of_a_mustache_text_keeps_its_name_and_line() -> None:
    text = "Q: {{q}}\n{{#docs}}\n* {{title}}\n{{/docs}}\n{{^none}}no{{/none}}{{lost}}"
    (made,) = render([Template(text, "mustache")], {"q": "a&b", "docs": [{"title": "x"}, {"title": "y"}]})
    assert [(one.text, one.name, one.place.line) for one in made.segments] == [
        ("Q: ", None, 1), ("a&amp;b", "q", 1), ("\n", None, 1), ("* ", None, 3), ("x", "docs[*].title", 3),
        ("\n", None, 3), ("* ", None, 3), ("y", "docs[*].title", 3), ("\n", None, 3), ("no", None, 5),
    ]  # fmt: skip
    assert {(one.name, one.state, one.only_asked) for one in made.uses} == {
        ("q", "present", False), ("docs", "present", True), ("docs[*].title", "present", False),
        ("none", "missing", True), ("lost", "missing", False),
    }  # fmt: skip
