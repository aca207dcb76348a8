"""Plain template files: which are prompts, what belongs together, in which language, and what each engine makes."""

from __future__ import annotations

import json
import string
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import chevron
import jinja2
import pytest
from looking import page, said

from readback import workspace
from readback.cli import main
from readback.prompts.assemble import assemble
from readback.prompts.self_tests import run_self_tests
from readback.records.dataset import open_dataset
from readback.sources.templates.plain_prompts import PlainPrompt, count_parts, group_files
from readback.sources.templates.template_language import detect_language
from readback.types import Selection, Workspace
from readback.workspace.templates import plain_templates

Write = Callable[[Mapping[str, Any]], Path]
ROWS = '{"id": "1", "question": "Why?"}\n{"id": "2", "question": "How?"}\n'


@pytest.mark.parametrize(
    ("files", "modes"),
    [
        (["qa.jinja"], [PlainPrompt("qa", "qa.jinja")]),
        (["system.txt", "user.md"], [PlainPrompt("prompt", "user.md", "system.txt")]),
        (
            ["p/system.txt", "p/user.txt", "q/user.txt"],
            [PlainPrompt("p", "p/user.txt", "p/system.txt"), PlainPrompt("q", "q/user.txt")],
        ),
        (
            ["qa.system.txt", "qa.user.txt", "sum.user.txt"],
            [PlainPrompt("qa", "qa.user.txt", "qa.system.txt"), PlainPrompt("sum", "sum.user.txt")],
        ),
        (["system_qa.j2", "user_qa.j2"], [PlainPrompt("qa", "user_qa.j2", "system_qa.j2")]),
        (["system_prompt.txt", "user_prompt.txt"], [PlainPrompt("prompt", "user_prompt.txt", "system_prompt.txt")]),
        (
            ["a.jinja", "b.jinja", "system.txt"],
            [PlainPrompt("a", "a.jinja", "system.txt"), PlainPrompt("b", "b.jinja", "system.txt")],
        ),
        (["qa.txt.j2"], [PlainPrompt("qa", "qa.txt.j2")]),
        (["qa.j2", "qa.mustache"], [PlainPrompt("qa.j2", "qa.j2"), PlainPrompt("qa.mustache", "qa.mustache")]),
        (["a/qa.j2", "b/qa.j2"], [PlainPrompt("a/qa.j2", "a/qa.j2"), PlainPrompt("b/qa.j2", "b/qa.j2")]),
        (["system.txt"], [PlainPrompt("prompt", None, "system.txt")]),
    ],
)  # fmt: skip
def test_files_that_belong_together_are_one_mode(files: list[str], modes: list[PlainPrompt]) -> None:
    assert group_files(files) == (modes, [])


def test_a_system_text_that_belongs_to_no_user_text_is_told() -> None:
    modes, lost = group_files(["qa.user.txt", "qa.system.txt", "old.system.txt"])
    assert modes == [PlainPrompt("qa", "qa.user.txt", "qa.system.txt")]
    assert lost == ["old.system.txt"]


FIELDS = frozenset({"question", "context", "price"})


@pytest.mark.parametrize(
    ("name", "text", "fields", "syntax"),
    [
        ("p.j2", "{question}", FIELDS, "jinja"),
        ("p.mustache", "{{question}}", FIELDS, "mustache"),
        ("p.txt", "{% if a %}{question}{% endif %}", FIELDS, "jinja"),
        ("p.txt", "{{ question | upper }}", FIELDS, "jinja"),
        ("p.txt", "{{#context}}{{.}}{{/context}}", FIELDS, "mustache"),
        ("p.txt", "{{^context}}none{{/context}}", FIELDS, "mustache"),
        ("p.txt", "Q: {{ question }}", FIELDS, "jinja"),
        ("p.md", "Q: {question}", FIELDS, "format"),
        ("p.md", 'Q: {question} as {{"answer": ""}}', FIELDS, "format"),
        ("p.txt", "Q: {query}", FIELDS, "format"),  # another word for question
        ("p.txt", "Q: {qestion}", FIELDS, "format"),
        ("p.txt", "Q: {whereabouts}", FIELDS, "text"),
        ("p.txt", "Q: {anything}", None, "format"),
        ("p.txt", 'Give {"answer": 1} to {question}', FIELDS, "format"),  # and str.format stops at it
        ("p.txt", "Q: %(question)s", FIELDS, "percent"),
        ("p.txt", "100 % of $question", FIELDS, "dollar"),
        ("p.txt", "It costs $5 and ${more}", FIELDS, "text"),
        ("p.txt", "$$question", FIELDS, "text"),
        ("p.txt", r"\frac{a}{b}", FIELDS, "text"),
        ("p.txt", "Be kind.", FIELDS, "text"),
        ("p.txt", "Be kind.", None, "text"),
    ],
)
def test_the_language_is_told_by_the_ending_else_by_the_text(
    name: str, text: str, fields: frozenset[str] | None, syntax: str
) -> None:
    assert detect_language(name, text, fields).syntax == syntax


@pytest.mark.parametrize(("text", "count"), [("a", 1), ("a\n---\nb\n", 2), ("---\na\n", 1), ("a\r\n---\r\nb", 2)])
def test_parts_between_lines_are_counted_and_not_cut(text: str, count: int) -> None:
    assert count_parts(text) == count


def taken(folder: Path, **chosen: str) -> Workspace:
    return workspace.open(folder, chosen=chosen)


FOO = "prompts: ['{{q}}']\ntests: [{vars: {q: x}}]\n"


@pytest.mark.parametrize(
    ("files", "modes"),
    [
        ({"d.jsonl": ROWS, "p.txt": "Answer: {question}"}, {"p": "format"}),
        ({"d.jsonl": ROWS, "README.md": "Use {question}."}, {}),
        ({"d.jsonl": ROWS, "notes.txt": "Be kind."}, {}),  # nothing is filled in, and its name says nothing
        ({"d.jsonl": ROWS, "notes.txt": "Answer {qestion}."}, {"notes": "format"}),  # the only text with a mark
        ({"d.jsonl": ROWS, "wiki.txt": "{question} " * 20_000}, {}),  # a corpus
        ({"d.jsonl": ROWS, "user.txt": "Be kind."}, {"prompt": "text"}),
        (
            {"d.jsonl": ROWS, "promptfooconfig.yaml": FOO, "p.txt": "Answer: {question}", "prompts/x.md": "Hi"},
            {"{{q}}": "text"},
        ),
        (
            {"d.jsonl": ROWS, "foo/promptfooconfig.yaml": FOO, "p.txt": "{question}", "foo/prompt.txt": "Hi"},
            {"p": "format"},
        ),
        ({"d.jsonl": ROWS, "notes.txt": "Be kind.", "more.txt": "Be brief."}, {}),
        ({"d.jsonl": ROWS, "notes.txt": "Be kind.", "p.txt": "{question}"}, {"p": "format"}),
        ({"d.jsonl": ROWS, "requirements.txt": "jinja2"}, {}),
        ({"d.jsonl": ROWS, "prompts/short.md": "Be brief."}, {"short": "text"}),
        (
            {"d.jsonl": ROWS, "Qwen.jinja": "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}{% endfor %}"},
            {},  # what a server makes of messages
        ),
        ({f"t{n}.jinja": "{{ q }}" for n in range(5)}, {f"t{n}": "jinja" for n in range(5)}),
        ({"d.jsonl": ROWS, "p.jinja": "{{ question }}", "readback.yml": "dataset: d.jsonl\n"}, {}),
    ],
)
def test_probable_prompts_are_taken_and_papers_are_not(write: Write, files: Any, modes: Mapping[str, str]) -> None:
    assert {name: prompt.syntax for name, prompt in taken(write(files)).prompts.items()} == modes


def test_a_configuration_keeps_plain_files_out(write: Write) -> None:
    config = "prompts: [{mode: simple, template: s.jinja}]\n"
    opened = taken(
        write({"d.jsonl": ROWS, "prompt_config.yml": config, "s.jinja": "{{ query }}", "p.txt": "{question}"})
    )
    assert list(opened.prompts) == ["simple"]


def test_what_could_be_a_prompt_is_offered_and_used_when_asked_for(write: Write) -> None:
    folder = write({"d.jsonl": ROWS, "a.txt": "Be kind.", "b.txt": "Be brief."})
    assert taken(folder).alternatives["template"] == ("a.txt", "b.txt")
    assert list(taken(folder, template="b.txt").prompts) == ["b"]
    assert list(taken(folder, template="a.txt\nb.txt").prompts) == ["a", "b"]
    assert taken(folder, template="/etc/passwd").prompts == {}


def test_a_language_is_chosen_and_written_down(write: Write) -> None:
    folder = write({"d.jsonl": ROWS, "prompt.txt": "{whereabouts}"})
    assert [one.code for one in taken(folder).diagnostics] == ["asm-mark-not-filled"]
    opened = taken(folder, syntax="prompt=format\nnobody=jinja\nbroken")
    assert opened.prompts["prompt"].syntax == "format"
    assert "syntax: format" in workspace.init_text(opened)


@pytest.mark.parametrize(
    ("name", "text", "fields", "line", "mark"),
    [
        ("prompt.txt", "Dear all,\n\ngreet {{user-name}} now.\n", ["user-name"], 3, "{{user-name}}"),
        ("p.txt", "Hello {{ first-name }}\n", ["question"], 1, "{{ first-name }}"),
        ("prompt.md", "So:\n{{Full name}}\n", ["Full name"], 2, "{{Full name}}"),
        ("prompt.txt", "A {{see below}} note, x^{{max-min}}, {{n-m}}.\n", ["question"], None, ""),
        ("prompt.mustache", "Hello {{user-name}}\n", ["user-name"], None, ""),
        ("prompt.txt", "Take {docs}, {{ question }}.\n", ["question", "docs"], 1, "{docs}"),
    ],
)
def test_a_mark_that_is_no_name_is_reported_where_it_is(
    write: Write, name: str, text: str, fields: list[str], line: int | None, mark: str
) -> None:
    row = json.dumps({"id": "1", **dict.fromkeys(fields, "Bo")})
    opened = workspace.open(write({name: text, "d.jsonl": row + "\n"}))
    found = [(one.place.line, one.flagged) for one in opened.diagnostics if one.code == "asm-mark-not-filled"]
    assert found == ([(line, mark)] if line else [])


def test_what_is_written_down_opens_to_the_same_messages(write: Write) -> None:
    folder = write(
        {"d.jsonl": ROWS, "system.txt": "Be {kind}.", "user.md": "Answer {question}\n", "x.mustache": "{{question}}"}
    )
    before = taken(folder)
    data = open_dataset(before.root, before.dataset)
    texts = {name: assemble(before, data.record(0), Selection(mode=name)) for name in before.prompts}
    (folder / "readback.yml").write_text(workspace.init_text(before), "utf-8")
    after = taken(folder)
    assert after.file == "readback.yml"
    assert {name: assemble(after, data.record(0), Selection(mode=name)).fingerprint for name in after.prompts} == {
        name: one.fingerprint for name, one in texts.items()
    }


def test_a_system_text_alone_is_shown_alone_and_that_is_reported_once(write: Write) -> None:
    opened = taken(write({"d.jsonl": ROWS, "system.txt": "Be kind."}))
    made = assemble(opened, open_dataset(opened.root, opened.dataset).record(0), Selection(mode="prompt"))
    assert [(one.role, one.text) for one in made.messages] == [("system", "Be kind.")]
    reported = [one for one in opened.diagnostics if one.code == "asm-user-at-run-time"]
    assert [(one.severity, one.values["dataset"]) for one in reported] == [("warning", "d.jsonl")]


def test_bad_files_are_findings_and_the_rest_opens(write: Write) -> None:
    folder = write(
        {"d.jsonl": ROWS, "good.jinja": "{{ question }}", "bad.jinja": b"\xff\xfe\x00", "big.jinja": "x" * (2 << 20)}
    )
    opened = taken(folder)
    assert list(opened.prompts) == ["good"]
    assert {one.place.file: one.code for one in opened.diagnostics} == {
        "bad.jinja": "dat-encoding", "big.jinja": "dat-too-large",
    }  # fmt: skip


def test_five_hundred_prompts_are_taken_and_of_more_it_is_said(write: Write) -> None:
    opened = taken(write({"d.jsonl": ROWS} | {f"t{n:04}.j2": "{{ question }}" for n in range(502)}))
    assert len(opened.prompts) == plain_templates.MOST
    assert [one.code for one in opened.diagnostics] == ["dat-limit", "dat-unread"]
    assert opened.diagnostics[1].values["count"] == 1  # the first one is named by the limit


def test_a_typed_template_is_a_mode_of_its_own(write: Write) -> None:
    opened = taken(write({"d.jsonl": ROWS}))
    assert [one.code for one in opened.diagnostics] == ["asm-nothing-to-send"]
    typed = plain_templates.add_typed_templates(
        opened, {"t": plain_templates.format_template("Q: {question}", "Be kind.", "format")}
    )
    made = assemble(typed, open_dataset(typed.root, typed.dataset).record(1), Selection(mode="t"))
    assert [(one.role, one.text) for one in made.messages] == [("system", "Be kind."), ("user", "Q: How?")]
    assert typed.diagnostics == ()
    assert "Q: {question}" in workspace.init_text(typed)


# What each engine itself makes of the same template and values.


def of_jinja(text: str, values: Mapping[str, Any]) -> str:
    return jinja2.Environment(autoescape=False).from_string(text).render(values)


def of_mustache(text: str, values: Mapping[str, Any]) -> str:
    return str(chevron.render(text, dict(values), partials_path=None))


ENGINES: Mapping[str, tuple[str, Callable[[str, Mapping[str, Any]], str]]] = {
    "jinja": ("p.jinja", of_jinja),
    "mustache": ("p.mustache", of_mustache),
    "format": ("p.txt", lambda text, values: text.format(**values)),
    "percent": ("p.txt", lambda text, values: text % values),
    "dollar": ("p.txt", lambda text, values: string.Template(text).substitute(values)),
}
VALUES = {
    "a": "Why? é 日本 🙂", "b": "{{ a }} {a} %(a)s $a {% if %}", "c": None, "d": 1.0, "e": ["x", {"y": "<&>"}],
    "f": True, "g": "", "h": {"i": "deep"}, "j": "two\nlines\n", "k": 12345678901234567890,
    "l": [], "m": "\ttab \r\n", "n": -0.0,
    "o": '"quoted" & <b>', "p": 0,
}  # fmt: skip
CASES = [
    *(("jinja", text) for text in (
        "{{ a }}", "{{ a }}\n", "{{ a }}\n\n", "{{ b }}", "{{ c }}", "{{ missing }}", "{{ d }} {{ k }} {{ f }}",
        "{% for x in e %}{{ x }}{% endfor %}", "{{ e }}", "{% if g %}yes{% else %}no{% endif %}", "{{ h.i }}{{ h.z }}",
        "{{ j }}|{{ m }}", "{# gone #}{{ a | upper }}", "{{ '{{' }} {{ a }}", "{{ n }}", "{{ missing.deep }}",
        "{{ a | nofilter }}", "a\r\n{{ a }}\r\n", "{% raw %}{{ a }}{% endraw %}",
    )),
    *(("mustache", text) for text in (
        "{{a}}", "{{b}}", "{{{o}}}", "{{o}}", "{{&o}}", "{{c}}|{{missing}}|{{g}}", "{{d}} {{k}} {{f}} {{p}}",
        "{{#e}}{{.}};{{/e}}", "{{#l}}x{{/l}}{{^l}}none{{/l}}", "{{h.i}}", "{{#h}}{{i}}{{/h}}", "{{j}}",
        " {{! c }}\n{{a}}\n",
        "  {{#f}}\n  {{a}}\n  {{/f}}\nend\n", "{{#f}}never closed", "{{a", "{{=<% %>=}}<% a %>", "{{#p}}x{{/p}}",
    )),
    *(("format", text) for text in (
        "{a}", "{b}", "{c}", "{d} {k} {f}", "{e}", "{a!r}", "{d:.2f}", "{a:>20}", "{{a}} {a}", "{missing}", "{a.upper}",
        "{a[0]}", "{}", "{a", "{j}|{m}\n",
    )),
    *(("percent", text) for text in (
        "%(a)s", "%(b)s", "%(c)s %(f)s", "%(d)d %(k)s", "%(d).3f", "100 %% %(a)s", "%(missing)s %(a)s", "%(a)d",
        "%(e)r",
    )),
    *(("dollar", text) for text in ("$a", "${b}", "$c $d", "$$a $a", "$missing $a", "$5 $a", "$j")),
]  # fmt: skip


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """All cases as template files of one folder, exported by the command: the lines by mode."""
    folder = tmp_path_factory.mktemp("cases")
    (folder / "d.jsonl").write_text(json.dumps({"id": "1"} | VALUES) + "\n", "utf-8")
    given: list[str] = []
    for number, (syntax, text) in enumerate(CASES):
        name = f"c{number:02}{'.txt' if ENGINES[syntax][0].endswith('.txt') else ENGINES[syntax][0][1:]}"
        (folder / name).write_bytes(text.encode())
        given += ["--template", name, "--syntax", f"c{number:02}={syntax}"]
    out = folder / "out"
    main(["export", str(folder), *given, "--as", "messages-jsonl", "-o", str(out)])
    return {line["mode"]: line for line in map(json.loads, out.read_text("utf-8").splitlines())}


@pytest.mark.parametrize(("number", "syntax", "text"), [(n, *case) for n, case in enumerate(CASES)])
def test_the_message_is_what_the_templates_own_engine_makes(
    exported: Mapping[str, Any], number: int, syntax: str, text: str
) -> None:
    line = exported[f"c{number:02}"]
    try:
        expected = None if ".upper" in text or "[0]" in text else ENGINES[syntax][1](text, {"id": "1"} | VALUES)
    except Exception:
        expected = None
    if expected is None:
        assert line["error"]["code"]
    else:
        assert line["messages"] == [{"role": "user", "content": expected}]


def test_the_table_of_engines_is_a_table() -> None:
    assert len(CASES) >= 60
    assert {syntax for syntax, _ in CASES} == set(ENGINES)


def test_check_prints_the_block_that_maps_the_names(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "\ufeffnuméro;énoncé;texte\n1;pourquoi;parce que\n"
    folder = write({"d.csv": rows, "p.j2": "{{ question }} {{ contexte }}"})
    assert main(["check", str(folder)]) == 1
    said = capsys.readouterr().out
    assert "\nfields:\n" in said
    assert '\n  question: "énoncé"' in said
    assert "\n  contexte: texte" in said
    assert main(["check", str(folder), "--fail-on", "never"]) == 0
    mapped = ["--field", "question=énoncé", "--field", "contexte=texte"]
    assert main(["check", str(folder), *mapped]) == 0
    assert "fields:" not in capsys.readouterr().out.rpartition("findings")[2]
    assert main(["render", str(folder), *mapped, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["messages"][0]["text"] == "pourquoi parce que"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--field", "x"], "write NAME=FIELD"),
        (["--syntax", "x"], "write MODE=LANGUAGE"),
        (["--syntax", "p=jinga"], "did you mean 'jinja'?"),
    ],
)
def test_wrong_options_say_how_they_are_written(
    write: Write, given: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write({"d.jsonl": ROWS, "p.j2": "{{ question }}"})
    assert main(["check", str(folder), *given]) == 2
    assert said in capsys.readouterr().err


SERVER = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@pytest.mark.parametrize(
    ("files", "models"),
    [
        ({"Qwen.jinja": SERVER}, ["Qwen"]),
        ({"Qwen.jinja": SERVER, "llama/chat.jinja": SERVER}, ["Qwen", "llama/chat"]),
        ({"chat_template.jinja": SERVER, "tool_use.jinja": SERVER}, ["m", "tool_use"]),
        ({"Qwen.jinja": SERVER, "Qwen.j2": SERVER}, ["Qwen", "Qwen.jinja"]),
        ({"Qwen.jinja": SERVER, "d.jsonl": ROWS}, []),
        ({"Qwen.jinja": SERVER, "p.txt": "Ask {name}."}, []),
        ({"Qwen.jinja": SERVER, "Modelfile": "FROM x\nTEMPLATE {{ .Prompt }}\n"}, ["Modelfile"]),
    ],
)
def test_a_folder_of_nothing_but_chat_templates_shows_what_they_make(
    write: Write, files: Any, models: list[str]
) -> None:
    opened = workspace.open(write({f"m/{name}": text for name, text in files.items()}) / "m")
    assert sorted(opened.models) == sorted(models)
    made = run_self_tests(opened)
    for name in models:
        if opened.models[name].chat_template:
            assert made[name].first.text.endswith("<|im_start|>assistant\n")
    used = {one.path for one in opened.recognised if one.what == "chat template" and one.used}
    assert used == {one.chat_template.name for one in opened.models.values() if one.chat_template}


def test_a_chat_template_opened_by_its_name_is_one_unless_it_is_asked_for_as_a_prompt(write: Write) -> None:
    root = write({"Qwen.jinja": SERVER})
    assert list(workspace.open(root / "Qwen.jinja").models) == ["Qwen"]
    assert list(taken(root / "Qwen.jinja", template="Qwen.jinja").prompts) == ["Qwen"]
    assert list(taken(root, template="Qwen.jinja").prompts) == ["Qwen"]


def test_the_pages_of_such_a_folder_lead_on(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READBACK_WORKSPACE", str(write({"Qwen.jinja": SERVER, "llama.jinja": SERVER})))
    assert "Add rows and a prompt" in said(test := page("prompts"))
    assert "What the model reads" in said(test)
    assert "See the text of a made-up conversation" in said(page("open"))


def test_a_template_that_is_not_there_is_wrong_use(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    root = write({"d.jsonl": [{"id": "1", "q": "Why?"}], "a.txt": "{q}", "b.txt": "Q: {q}"})
    assert main(["check", str(root), "--template", "c.txt"]) == 2
    assert "--template c.txt: there is no such file in" in capsys.readouterr().err
    assert main(["check", str(root), "--template", "b.txt"]) == 0


@pytest.mark.parametrize("rows", ["d.jsonl", "gone.jsonl", ""])
def test_template_files_that_a_workspace_file_names_are_prompts_as_in_a_folder(write: Write, rows: str) -> None:
    dataset = f"dataset: {{path: {rows}}}\n" if rows else ""
    named = "[README.md, system.txt, user.md, builtin:prompt-formats]"
    texts = {"README.md": "Tell me: {question}", "system.txt": "Be brief.", "user.md": "Q: {question}"}
    folder = write({"readback.yml": f"{dataset}prompts: {named}\n", "d.jsonl": ROWS, "other.jinja": "no", **texts})
    opened = workspace.open(folder)
    unread = {name for one in opened.diagnostics if one.code == "dat-unread" for name in one.values["files"]}
    assert unread == {"other.jinja", *(() if rows == "d.jsonl" else ("d.jsonl",))}
    others = [one.code for one in opened.diagnostics if one.code != "dat-unread"]
    assert others == (["dat-file-missing"] if rows.startswith("gone") else [])
    plain = next(one for one in opened.configs if one.name == plain_templates.NAME)
    made = {mode: (one.template, one.system, one.syntax) for mode, one in plain.prompts.items()}
    assert made["prompt"] == ("Q: {question}", "Be brief.", "format")
    assert made["README"][0] == "Tell me: {question}"
    assert len(made) == 2
    assert "rag" in opened.prompts  # the built-in ones are there as well
    if rows == "d.jsonl":
        record = open_dataset(opened.root, opened.dataset).record(0)
        sent = assemble(opened, record, Selection(mode="prompt")).messages
        assert [(one.role, one.text) for one in sent] == [("system", "Be brief."), ("user", "Q: Why?")]
