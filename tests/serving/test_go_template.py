"""Go templates are read and carried out as Go's own program does it; what goes wrong says where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from readback.serving import gotemplate
from readback.serving.gotemplate import (
    Limits,
    TemplateFault,
    append_response,
    build_functions,
    cut_after_response,
    execute,
    list_names,
    parse,
)
from readback.serving.gotemplate.traced_text import join_pieces
from readback.serving.gotemplate.values import Value, from_json
from readback.serving.ollama import model_input as ollama

# Our own cases; what is expected was printed by Go 1.24 (null: it refuses the template).
CASES = [
    json.loads(line) for line in Path(__file__).with_name("go_template_cases.jsonl").read_text("utf-8").splitlines()
]
SELF = "{{ define '%s' }}{{ template '%s' . }}{{ end }}"
KNOWN = build_functions("2026-11-21", "2026-11-20")
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Sy"},
    {"role": "user", "content": "Où <est>?"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "c1", "function": {"name": "find", "arguments": {"q": "a<b", "n": 2, "all": True}}}],
    },
    {"role": "tool", "content": "12", "tool_name": "find"},
]
PROPERTIES = {
    "q": {"type": "string", "description": "what"},
    "n": {"type": ["integer", "null"]},
    "k": {"anyOf": [{"type": "number"}, {"type": "array"}]},
}
PARAMETERS = {"type": "object", "required": ["q"], "properties": PROPERTIES}
TOOLS = [{"type": "function", "function": {"name": "find", "description": "Finds", "parameters": PARAMETERS}}]


def _printed(template: str, data: Value = None, **given: Any) -> str:
    tree = parse(template)
    return "".join(text for text, _ in execute(tree, from_json({}) if data is None else data, KNOWN, **given))


def _fault(template: str) -> TemplateFault:
    with pytest.raises(TemplateFault) as caught:
        _printed(template)
    return caught.value


@pytest.mark.parametrize("about", sorted({case["about"] for case in CASES}))
def test_each_case_of_the_language_prints_what_go_prints(about: str) -> None:
    for case in (case for case in CASES if case["about"] == about):
        model_input = ollama.render_template(
            case["template"] + "{{range .Messages}}{{end}}", MESSAGES, "2026-11-21", {"tools": TOOLS}
        )
        failed = [diagnostic for diagnostic in model_input.diagnostics if diagnostic.code == "oll-template-error"]
        assert (None if failed else model_input.text) == case["expected"], case["template"]
        assert all(diagnostic.place.line and diagnostic.place.column for diagnostic in failed), case["template"]


@pytest.mark.parametrize(
    ("template", "line", "column", "reason"),
    [
        ("a\nb {{ upper .X }}", 2, 6, "function 'upper' not defined"),
        ("{{ if .A }}\n\n{{ else }}", 3, 11, "unexpected EOF"),
        ("é{{ .A-", 1, 7, "bad character"),
        ("x\r\n{{ 1 |", 2, 7, "unclosed action"),
        ("x\r{{ $y }}", 2, 4, "undefined variable '$y'"),
        ('a\n{{ "b', 2, 4, "unterminated quoted string"),
        ("{{ range 3 }}{{ end }}{{ break }}", 1, 26, "{{break}} outside {{range}}"),
        ('{{ template "x" }}', 1, 4, "undefined template specified"),
        ("a{{/* b }}", 1, 4, "unclosed comment"),
        ("\n{{ index . 3 }}", 2, 4, "error calling index"),
        ("\n\n{{ .A.B }}", 3, 4, "nil pointer evaluating interface {}.B"),
        ("{{ print 1 }}{{ len 3 | print }}", 1, 17, "error calling len: len of type int"),
        ('{{ template "x" . }}', 1, 4, "template 'x' not defined"),
        ("{{ eq 1 1.0 }}", 1, 4, "incompatible types for comparison"),
        ("{{ lt true false }}", 1, 4, "invalid type for comparison"),
    ],
)
def test_a_fault_has_its_reason_line_and_column(template: str, line: int, column: int, reason: str) -> None:
    if reason.startswith("undefined template"):
        with pytest.raises(TemplateFault) as caught:
            list_names(parse(template))
        fault = caught.value
    else:
        fault = _fault(template)
    assert reason in fault.reason
    assert (fault.line, fault.column) == (line, column)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ .A.B }}{{ range $i, $m := .C }}{{ if $x := .D }}{{ end }}{{ end }}", "a b c d"),
        ("{{ with .A }}{{ else }}{{ printf .B | len }}{{ end }}", "a b"),
        ('{{ define "x" }}{{ .Messages }}{{ end }}', "messages"),
        ("{{ $.System }}", "$ system"),
        ("{{ $x := .A }}{{ $x.Messages }}", "$x a messages"),
        ("{{ (index .Messages 0).Content }}", ""),
        ("{{ print (index .Messages 0) }}", "messages"),
        ('{{ template "x" .A }}{{ block "y" .B }}{{ .C }}{{ end }}', "a b c"),
    ],
)
def test_the_names_of_a_template_are_those_ollama_finds(template: str, expected: str) -> None:
    assert list_names(parse(template)) == frozenset(expected.split())


@pytest.mark.parametrize(
    ("template", "left"),
    [
        ("a{{ .Response }}b", "a[r]"),
        ("{{ if .S }}x{{ end }}{{ .Response }}{{ if .S }}y{{ end }}", "x[r]"),
        ("{{ if .S }}{{ .Response }}x{{ end }}y", "[r]"),
        ("{{ if .Foo }}x{{ else }}E{{ .Response }}y{{ end }}tail", "E[r]"),
        ("{{ if .Response }}x{{ end }}y", "xy"),
        ('{{ printf "%s" .Response }}b', "[r]"),
        ('{{ .Response | printf "%s" }}b', ""),
        ('{{ print (print .Response "y") "z" }}b', "[r]"),
        ("{{ print .Response .S .Response }}", "[r][r]"),
        ("{{ $.Response }}b", "[r]b"),
        ("{{ (.Response) }}b", "[r]"),
        ("{{ range 2 }}{{ .S }}{{ $.Response }}{{ end }}b", None),
    ],
)
def test_the_cut_copy_ends_where_ollama_ends_it(template: str, left: str | None) -> None:
    tree = cut_after_response(parse(template))
    data = from_json({"S": "s", "Response": "[r]"})
    if left is None:
        with pytest.raises(TemplateFault):
            execute(tree, data, gotemplate.GO, zero=False)
    else:
        assert "".join(text for text, _ in execute(tree, data, gotemplate.GO, zero=False)) == left


def test_a_response_in_a_branch_with_an_else_is_where_ollama_crashes() -> None:
    with pytest.raises(TemplateFault) as caught:
        cut_after_response(parse("a\n{{ if .S }}{{ .Response }}{{ else }}x{{ end }}"))
    assert (caught.value.reason, caught.value.line) == (gotemplate.CRASH, 2)


def test_response_is_appended_only_where_neither_it_nor_messages_is_named() -> None:
    appended = append_response(parse("a{{ .Prompt }}"), 1, 15)
    assert len(appended.root) == 3
    for text in ("{{ .Response }}", "{{ range .Messages }}{{ end }}", "{{ if .Response }}{{ end }}"):
        assert append_response(parse(text), 1, 1) == parse(text)


def test_the_cut_copy_knows_no_function_of_ollamas_and_takes_absent_keys_for_nothing() -> None:
    run = {"data": from_json({}), "functions": gotemplate.GO, "zero": False}
    assert execute(parse("{{ .A.B.C }}"), **run) == [("<no value>", (1, 4))]
    with pytest.raises(TemplateFault, match="'json' is not a defined function"):
        execute(parse("{{ json .A }}"), **run)


def test_a_text_keeps_its_pieces_where_that_is_certain() -> None:
    data = from_json({})
    data = type(data)({"A": join_pieces([("né", 1), ("ü!", 2)]), "B": "plain"})

    def pieces(template: str) -> list[tuple[str, Any]]:
        return [piece for piece in execute(parse(template), data, KNOWN) if isinstance(piece[1], int | None)]

    whole = [("né", 1), ("ü!", 2)]
    for template in (
        "{{ .A }}", "{{ $x := .A }}{{ $x }}", '{{ printf "<%s>" .A }}', '{{ print "a" .A }}', "{{ println .A }}",
        "{{ or .Foo .A }}", "{{ with .A }}{{ . }}{{ end }}", "{{ .A | print }}", '{{ printf "%v" .A }}',
    ):  # fmt: skip
        assert pieces(template) == whole, template
    assert pieces("{{ slice .A 1 }}") == [("é", 1), ("ü!", 2)]
    assert pieces("{{ slice .A 0 4 }}") == [("né", 1), ("\udcc3", 2)]
    assert pieces("{{ json .A }}") == whole
    assert pieces('{{ printf "%6s" .A }}') == [("  néü!", None)]
    assert pieces("{{ .B }}") == [("plain", None)]
    assert pieces("{{ len .A }}") == []


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{{ range 1000000000 }}{{ end }}", "too many steps"),
        ("{{ range 1000000000 }}abc{{ end }}", "too many steps"),
        ('{{ $x := "0123456789" }}{{ range 40 }}{{ $x = print $x $x }}{{ end }}', "characters of text"),
        ('{{ range 1000 }}{{ printf "%999999d" 1 }}{{ end }}', "characters of text"),
        (f"{SELF % ('a', 'a')}{{{{ template 'a' . }}}}".replace("'", '"'), "100 templates within each other"),
        (f"{SELF % ('a', 'b')}{SELF % ('b', 'a')}{{{{ template 'a' . }}}}".replace("'", '"'), "100 templates within"),
        ("{{ " + "(" * 200 + "1" + ")" * 200 + " }}", "100 parentheses within each other"),
        ("{{ if 1 }}" * 200 + "{{ end }}" * 200, "100 blocks within each other"),
        ("{{ if 0 }}" + "{{ else if 0 }}" * 200 + "{{ end }}", "100 blocks within each other"),
        ("{{ 1 }}" * 20_000, "50,000 words"),
        ("{{ " + "9" * 100_000 + " }}", "integer overflow"),
    ],
)  # fmt: skip
def test_a_template_that_runs_wild_is_one_located_fault(template: str, reason: str) -> None:
    fault = _fault(template)
    assert reason in fault.reason
    assert fault.line == 1
    assert fault.column >= 1


def test_limits_are_what_is_left_over_several_executions() -> None:
    limits = Limits(steps=30)
    tree = parse("{{ range 3 }}x{{ end }}")
    assert len(execute(tree, None, KNOWN, limits=limits)) == 3
    with pytest.raises(TemplateFault, match="too many steps"):
        [execute(tree, None, KNOWN, limits=limits) for _ in range(9)]
