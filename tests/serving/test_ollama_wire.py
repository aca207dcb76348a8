"""What Ollama makes of messages with a Modelfile: which messages, in which way, and who wrote each stretch."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from typing import Any

import pytest
from in_time import in_time

from readback import sandbox
from readback.serving.modelfile import read_file as modelfile
from readback.serving.ollama import model_input as ollama
from readback.types import Diagnostic, Location, Message, Modelfile, ModelInput, Segment

TODAY = "2026-11-21"
LEGACY = (
    "{{ if .System }}<s>{{ .System }}</s>\n{{ end }}{{ if .Prompt }}<u>{{ .Prompt }}</u>\n{{ end }}"
    "<a>{{ .Response }}</a>\n"
)
LISTED = "{{ .System }}/{{ range .Messages }}{{ .Role }}:{{ .Content }};{{ end }}"
BARE = "[INST] {{ .System }} {{ .Prompt }} [/INST]"
S, U, A = "system", "user", "assistant"
CHATML = """
{{- if .System }}<|im_start|>system
{{ .System }}<|im_end|>
{{- end }}{{- range .Messages }}<|im_start|>{{ .Role }}
{{ .Content }}<|im_end|>
{{- end }}<|im_start|>assistant
"""
TWICE = "<|im_start|>system\nSYS<|im_end|>" * 2
TABLE: tuple[tuple[str, str, str], ...] = (  # template, role=content …, text: the table of the specification and more
    (LEGACY, "s=SYS u=Q", "<s>SYS</s>\n<u>Q</u>\n<a>"),
    (LEGACY, "s=SYS u=Q a=a1 u=q2", "<s>SYS</s>\n<u>Q</u>\n<a>a1</a>\n<u>q2</u>\n<a>"),
    (LEGACY, "s=SYS u=Q a=a1", "<s>SYS</s>\n<u>Q</u>\n<a>a1"),
    (LEGACY, "s=SYS u=Q a=a1 s=S2 u=q2", "<s>SYS</s>\n<u>Q</u>\n<a>a1</a>\n<s>S2</s>\n<u>q2</u>\n<a>"),
    (LEGACY, "", "<a>"),
    (LEGACY, "t=x o=y u=Q", "<u>Q</u>\n<a>"),
    (LEGACY, "u=Q u=R", "<u>Q\n\nR</u>\n<a>"),
    (LEGACY, "u=Q t=x u=R", "<u>R</u>\n<a>"),
    (BARE, "s=SYS u=Q a=a1 u=q2", "[INST] SYS Q [/INST]a1[INST]  q2 [/INST]"),
    ("{{ .Prompt }}{{ if .Response }}R:{{ .Response }}!{{ end }}tail", "u=Q a=a1 u=q2", "QR:a1!tailq2"),
    ("{{ .Prompt }}{{ if .System }}x{{ else }}E{{ .Response }}y{{ end }}tail", "u=Q", "QE"),
    (LISTED, "s=SYS u=Q s=S2 u=q2", "SYS\n\nS2/system:SYS;user:Q;system:S2;user:q2;"),
    (LISTED, "s=SYS s=S2 u=Q u=q2", "SYS\n\nS2/system:SYS\n\nS2;user:Q\n\nq2;"),
    (LISTED, "t=1 t=2 a=x a=y", "/tool:1;tool:2;assistant:x\n\ny;"),
    ("", "s=SYS u=Q", ""),
    ("", "u=Q a=a1 u=q2", "a1"),
    ("{{ .Prompt }}{{ range .Messages }}{{ end }}", "u=Q", "<no value>"),
    ('{{ define "x" }}{{ .Messages }}{{ end }}{{ len .Messages }}', "u=Q a=b", "2"),
    (
        CHATML,
        "s=SYS u=Q",
        "<|im_start|>system\nSYS<|im_end|>" * 2 + "<|im_start|>user\nQ<|im_end|><|im_start|>assistant\n",
    ),
)
ROLES = {"s": S, "u": U, "a": A, "t": "tool", "o": "other"}


def _said(messages: str) -> list[dict[str, Any]]:
    pairs = [one.split("=") for one in messages.split()]
    return [{"role": ROLES[role], "content": text} for role, text in pairs]


def _file(text: str, name: str = "Modelfile") -> Modelfile:
    return modelfile.parse(f"FROM x\n{text}", name)


def _model_input(text: str, *messages: tuple[str, str | Sequence[Segment]], **given: Any) -> ModelInput:
    made = [
        Message(role, (Segment(said, "variable", "q"),) if isinstance(said, str) else tuple(said))
        for role, said in messages
    ]
    return ollama.build_model_input(_file(text), made, today=TODAY, **given)


@pytest.mark.parametrize(("template", "messages", "expected"), TABLE)
def test_messages_go_through_a_template_in_ollamas_three_ways(template: str, messages: str, expected: str) -> None:
    model_input = ollama.render_template(template, _said(messages), TODAY, {})
    assert (model_input.text, model_input.diagnostics) == (expected, ())


def test_a_prompt_with_a_suffix_is_the_third_way() -> None:
    template = "{{ .Prompt }}|{{ .Suffix }}|{{ .Response }}{{ .Messages }}"
    assert ollama.render_template(template, [], TODAY, {"prompt": "P", "suffix": "S"}).text == "P|S|<no value>"
    assert ollama.render_template("{{ .Prompt }}{{ .Suffix }}", [], TODAY, {"prompt": "P"}).text == "<no value>"


def test_what_else_a_request_says_reaches_the_template() -> None:
    template = "{{ .Think }}{{ .ThinkLevel }}{{ .IsThinkSet }}{{ len .Tools }}{{ .Messages }}"
    said = ollama.render_template(template, [], TODAY, {"think": "high", "tools": [{"type": "function"}]})
    assert said.text == "truehightrue1[]"
    assert ollama.render_template(template, [], TODAY, {"Think": False}).text == "falsetrue0[]"
    assert ollama.render_template(template, [], TODAY, {}).text == "falsefalse0[]"


@pytest.mark.parametrize(
    ("extra", "messages", "expected"),
    [
        ("SYSTEM S\n", [(U, "Q")], "S/system:S;user:Q;"),
        ("SYSTEM S\n", [(S, "T"), (U, "Q")], "T/system:T;user:Q;"),
        ("SYSTEM S\n", [(U, "Q"), (S, "T")], "S\n\nT/system:S;user:Q;system:T;"),
        ('SYSTEM ""\n', [(U, "Q")], "/user:Q;"),
        ("MESSAGE user a: b\nMESSAGE assistant c\n", [(U, "Q")], "/user:a: b;assistant:c;user:Q;"),
        ("SYSTEM S\nMESSAGE user a\n", [(U, "Q")], "S/system:S;user:a\n\nQ;"),
        ("SYSTEM S\nMESSAGE user a\n", [(S, "T"), (U, "Q")], "T/user:a;system:T;user:Q;"),
        ("SYSTEM S\n", [], "S/system:S;"),
        ("SYSTEM S\n", [("System", "T")], "T/system:T;"),
    ],
)
def test_system_and_message_commands_come_before_the_requests_messages(
    extra: str, messages: list[tuple[str, str]], expected: str
) -> None:
    assert _model_input(f'{extra}TEMPLATE """{LISTED}"""\n', *messages).text == expected
    raw = [{"role": role, "content": text} for role, text in messages]
    assert ollama.build_from_request(_file(f'{extra}TEMPLATE """{LISTED}"""\n'), raw, TODAY, {}).text == expected


def test_every_stretch_knows_who_wrote_it() -> None:
    said = (Segment("Q: ", "template", "qa"), Segment("né?", "variable", "question", Location(file="d.jsonl", line=3)))
    text = f'SYSTEM "S"\nTEMPLATE """{CHATML}"""\nPARAMETER stop "<|im_end|>"\nPARAMETER stop b\n'
    model_input = _model_input(text, (U, said), (U, "more"))
    assert model_input.stops == ("<|im_end|>", "b")
    assert (model_input.format, model_input.kind, model_input.place) == (
        "Modelfile",
        "modelfile",
        Location(file="Modelfile", line=3, column=13),
    )
    mine = [(one.text, one.origin, one.name) for one in model_input.segments if one.origin != "serving"]
    system = ("S", "system", "modelfile")
    joined = ("\n\n", "joiner", "collate")
    assert mine == [
        system, system, ("Q: ", "template", "qa"), ("né?", "variable", "question"), joined, ("more", "variable", "q"),
    ]  # fmt: skip
    assert all(one in model_input.segments for one in said)  # unchanged, with their places
    own = [(one.text, one.place.line, one.place.column) for one in model_input.segments if one.origin == "serving"]
    assert own[:3] == [("<|im_start|>system\n", 4, 18), ("<|im_end|>", 5, 14), ("<|im_start|>", 6, 33)]
    assert ("user", 6, 48) in own
    assert {one.name for one in model_input.segments if one.origin == "serving"} == {"Modelfile"}


def test_a_text_that_was_changed_is_not_claimed_for_anybody() -> None:
    model_input = _model_input(
        'TEMPLATE {{ range .Messages }}{{ printf "%6s" .Content }}{{ slice .Content 1 }}{{ end }}\n', (U, "né")
    )
    assert [(one.text, one.origin) for one in model_input.segments] == [("    né", "unknown"), ("é", "variable")]


def test_halves_of_characters_are_what_the_server_reads() -> None:
    model_input = _model_input(
        "TEMPLATE {{ range .Messages }}{{ slice .Content 0 1 }}{{ slice .Content 1 }}{{ end }}\n", (U, "é\ud800!")
    )
    assert model_input.text == "é\ufffd!"
    model_input = _model_input("TEMPLATE {{ range .Messages }}{{ slice .Content 1 }}|{{ end }}\n", (U, "é"))
    assert model_input.text == "\ufffd|"


def test_places_follow_the_lines_of_the_file_and_columns_only_where_they_are_certain() -> None:
    model_input = _model_input('TEMPLATE """a\r\nb{{ .Prompt }}\r\n{{ .System.X }}"""\n', (U, "Q"))
    assert [(one.code, one.place.line, one.place.column) for one in model_input.diagnostics] == [
        ("oll-template-error", 4, 4)
    ]
    model_input = _model_input('TEMPLATE """a\n\u00a0b{{ .System.X }}"""\n', (U, "Q"))
    assert [(one.code, one.place.line, one.place.column) for one in model_input.diagnostics] == [
        ("oll-template-error", 3, None)
    ]
    model_input = _model_input("TEMPLATE  {{ .System.X }}\n", (U, "Q"))
    assert [(one.place.line, one.place.column) for one in model_input.diagnostics] == [(2, 14)]


@pytest.mark.parametrize(
    ("text", "diagnostics"),
    [
        ("SYSTEM S\n", [Diagnostic("oll-no-template", {}, Location(file="Modelfile"))]),
        (
            "TEMPLATE a\nRENDERER qwen3\n",
            [Diagnostic("oll-renderer", {"name": "qwen3"}, Location(file="Modelfile", line=3), "qwen3")],
        ),
        (
            "TEMPLATE {{ upper .Prompt }}\n",
            [
                Diagnostic(
                    "oll-template-error",
                    {"reason": "function 'upper' not defined", "when": "parse"},
                    Location(file="Modelfile", line=2, column=13),
                    "function 'upper' not defined",
                )
            ],
        ),
        (
            "TEMPLATE {{ if .System }}a{{ .Response }}{{ else }}b{{ end }}\n",
            [Diagnostic("oll-response-in-branch", {}, Location(file="Modelfile", line=2, column=13))],
        ),
    ],
)
def test_where_no_text_can_be_made_one_note_says_why(text: str, diagnostics: list[Diagnostic]) -> None:
    model_input = _model_input(text, (U, "Q"))
    assert (model_input.segments, list(model_input.diagnostics)) == ((), diagnostics)


def test_a_date_in_the_template_is_taken_from_a_setting_and_noted() -> None:
    dated = Diagnostic("oll-date-dependent", {}, Location(file="Modelfile", line=2, column=15))
    model_input = _model_input("TEMPLATE a {{ currentDate }} {{ yesterdayDate }} {{ len .Messages }}\n", (U, "Q"))
    assert (model_input.text, model_input.diagnostics) == ("a 2026-11-21 2026-11-20 1", (dated,))
    model_input = _model_input(
        "TEMPLATE a {{ currentDate }} {{ .Prompt }}\n", (U, "Q")
    )  # the cut copy knows no such function
    assert (model_input.text, model_input.diagnostics[0]) == ("", dated)
    assert [diagnostic.code for diagnostic in model_input.diagnostics[1:]] == ["oll-template-error"]


def test_a_modelfile_in_utf_16_is_carried_out_like_any_other() -> None:
    text = "FROM x\nTEMPLATE <é>{{ .Prompt }}\n"
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        parsed = modelfile.parse(mark + text.encode(encoding), "Modelfile")
        assert ollama.build_model_input(parsed, [Message(U, (Segment("Q", "variable"),))], today=TODAY).text == "<é>Q"


HOSTILE = {
    "for ever": "{{ range 1000000000 }}{{ end }}",
    "each other": '{{ define "a" }}{{ template "b" . }}{{ end }}{{ define "b" }}{{ template "a" . }}{{ end }}'
    '{{ template "a" . }}',
    "itself": '{{ template "" . }}',
    "many": "".join(f'{{{{ define "{i}" }}}}{f"{{{{ template `{i + 1}` . }}}}" * 9}{{{{ end }}}}' for i in range(50))
    + '{{ define "50" }}x{{ end }}{{ template "0" . }}',
    "braces": "{" * (1 << 20),
    "opened": "{{" * (1 << 19),
    "parentheses": "{{ " + "(" * 100_000,
    "ifs": "{{ if 1 }}" * 50_000,
    "growing": '{{ $x := "0123456789" }}{{ range 99 }}{{ $x = print $x $x }}{{ end }}',
    "wide": '{{ range 100000 }}{{ printf "%999999d" 1 }}{{ end }}',
    "NUL": "a{{ \0 }}",
    "index": "{{ index .System 99 }}",
    "unknown": "{{ upper .System }}",
    "unclosed": '{{ "' + "a" * (1 << 20),
    "fields": "{{ " + ".A" * 300_000 + " }}",
    "number": "{{ " + "9" * 300_000 + " }}",
}


@pytest.mark.parametrize("template", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_template_is_one_located_note_in_time(template: str) -> None:
    model_input = in_time(2.0, lambda: ollama.render_template(template, _said("s=S u=Q"), TODAY, {}))
    assert model_input.segments == ()
    assert [diagnostic.code for diagnostic in model_input.diagnostics] == ["oll-template-error"]
    assert model_input.diagnostics[0].place.line == 1
    assert model_input.diagnostics[0].place.column is not None


def test_braces_that_close_nothing_are_text() -> None:
    assert ollama.render_template("}" * (1 << 20), [], TODAY, {}).text == "}" * (1 << 20)


def test_a_stopped_child_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ollama, "LIMITS", sandbox.Limits(seconds=0.3, total=1.0, output=1000))
    model_input = ollama.render_template("{{ .Prompt }}", [{"role": U, "content": "x" * 5000}], TODAY, {})
    assert [(diagnostic.code, model_input.text) for diagnostic in model_input.diagnostics] == [("dat-limit", "")]


def test_nested_tools_without_end_are_a_note_too() -> None:
    deep: Any = {}
    for _ in range(300):
        deep = {"type": "object", "properties": {"a": deep}}
    tools = [{"type": "function", "function": {"name": "f", "parameters": deep}}]
    model_input = ollama.render_template("{{ .Tools }}{{ .Messages }}", [], TODAY, {"tools": tools})
    assert [diagnostic.code for diagnostic in model_input.diagnostics] in ([], ["oll-template-error"])
