"""No Go template, however wild, is more than one located fault."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from readback.serving.modelfile.grammar import find_line_starts
from readback.serving.ollama import render as ollama_render

VALUES = {"prompt": "", "suffix": "", "tools": None, "think": False, "level": "", "thinking": False}
TURNS: list[Any] = [
    ["system", [["Sé", 0]], {}],
    ["user", [["Q ", 1], ["né<\U0001f600>", 2]], {}],
    ["assistant", [["", 3]], {"tool_calls": [{"function": {"name": "f", "arguments": {"a": [1, None, "x"]}}}]}],
    ["user", [["more", 4]], {}],
]
FUNCTIONS = (
    "and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge", "len", "index", "slice", "print", "println", "printf",
    "html", "js", "urlquery", "json", "currentDate", "call", "toTypeScriptType", "unknown",
)  # fmt: skip
PARTS = [
    *"{}()|,.:=$\"'`\\ \n\t-+/*_0123456789aéxXeEpPiu%", "{{", "}}", "{{-", "-}}", "{{ ", " }}", "{{/*", "*/}}", "if ",
    "else", "end", "range ", "with ", "define ", "template ", "block ", "break", "continue", "nil", "true", ".Messages",
    ".Content", ".Response", "$x", ":=", '"a"', "0x", "1e9", "'a'", "printf ", "%s", "\\u00e9", "\0", "\ud800",
]  # fmt: skip

NAMES = (".System", ".Prompt", ".Response", ".Messages", ".Content", ".Role", ".ToolCalls", ".Foo", ".Foo.B")
names = st.sampled_from(NAMES)
literals = st.one_of(
    st.integers(-5, 300).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.text(max_size=8).map(lambda text: json.dumps(text, ensure_ascii=False)),
    st.text("%#+- 0123456789.*[]vsdqxXtTfeEgGcUobpwz", max_size=10).map(lambda text: f'"%{text}"'),
    st.sampled_from(["true", "false", "nil", "'a'", "`r`", "0x1F", "1_0", "1i", ".", "$", "$x", "$x.A"]),
)
pipelines = st.recursive(
    names | literals,
    lambda inside: st.one_of(
        st.tuples(st.sampled_from(FUNCTIONS), st.lists(inside, max_size=4)).map(lambda f: f"({f[0]} {' '.join(f[1])})"),
        st.tuples(inside, st.sampled_from(FUNCTIONS), inside).map(lambda f: f"({f[0]} | {f[1]} {f[2]})"),
        st.tuples(inside, st.sampled_from([".A", ".Content"])).map("".join),
    ),
    max_leaves=6,
)
texts = st.text(max_size=5) | st.sampled_from(["\n", " ", "{", "}}", "\r\n", "<|im_start|>"])


def _around(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    word = st.sampled_from(["if", "with", "range", "range $x :=", "range $i, $x :=", "if $x :=", "range $x ="])
    return st.one_of(
        st.builds("{{{{ {} {} }}}}{}{{{{ end }}}}".format, word, pipelines, inside),
        st.builds("{{{{- {} {} -}}}}{}{{{{ else }}}}{}{{{{ end }}}}".format, word, pipelines, inside, inside),
        st.builds("{{{{ if {} }}}}{}{{{{ else if {} }}}}{}{{{{ end }}}}".format, pipelines, inside, pipelines, inside),
        st.builds('{{{{ block "b" {} }}}}{}{{{{ end }}}}'.format, pipelines, inside),
        st.builds("{}{}".format, inside, inside),
    )


actions = st.one_of(
    texts,
    pipelines.map(lambda pipe: f"{{{{ {pipe} }}}}"),
    pipelines.map(lambda pipe: f"{{{{- $x := {pipe} -}}}}"),
    pipelines.map(lambda pipe: f'{{{{ template "t" {pipe} }}}}'),
    st.sampled_from(["{{ break }}", "{{ continue }}", "{{/* c */}}", '{{ template "" . }}']),
)
templates = st.builds(
    '{}{{{{ define "t" }}}}{}{{{{ end }}}}{}'.format,
    st.sampled_from(["", "{{ $x := 1 }}"]),
    actions,
    st.recursive(actions, _around, max_leaves=8),
)


def _tried(template: str) -> None:
    payload = {"template": template, "turns": TURNS, "values": VALUES, "today": "2026-11-21"}
    answer = ollama_render.work(payload)
    if failed := answer.get("failed"):
        assert failed["reason"]
        assert 1 <= failed["line"] <= len(find_line_starts(template))
        assert 1 <= failed["column"] <= len(template) + 1
        return
    text = "".join(piece[0] for piece in answer["pieces"])
    text.encode()  # whole characters only
    known = {source: said for _, turn, _ in TURNS for said, source in turn}
    for piece, source in answer["pieces"]:
        if isinstance(source, int) and source >= 0 and not set("|\\&%+") & set(piece):
            assert piece in known[source] or "\ufffd" in piece


@given(st.lists(st.sampled_from(PARTS), max_size=40).map("".join) | st.text(max_size=60))
def test_any_text_is_a_template_or_a_located_fault(template: str) -> None:
    _tried(template)


@given(templates)
def test_any_plausible_template_prints_or_is_a_located_fault(template: str) -> None:
    _tried(template)
