"""`readback model-input` prints what a server sends: one text, or the reason for none, for one case or for many."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import gguf_files
import pytest

from readback.cli import main

Write = Callable[[Mapping[str, Any]], Path]
Run = Callable[..., tuple[int, str, str]]
TODAY = "2026-11-21"
ASKED = [{"role": "user", "content": "Q"}]
FILE = 'FROM x\nSYSTEM S\nTEMPLATE """{{ range .Messages }}<{{ .Role }}>{{ .Content }}{{ end }}"""\n'
JINJA = "{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def go(*words: object) -> tuple[int, str, str]:
        code = main(["model-input", *map(str, words)])
        out, err = capsys.readouterr()
        return code, out, err

    return go


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _answers(run: Run, write: Write, cases: Iterable[Any]) -> tuple[int, list[dict[str, Any]]]:
    folder = write({"batch.jsonl": list(cases)})
    code, out, _ = run("--batch", folder / "batch.jsonl")
    return code, [json.loads(line) for line in out.splitlines()]


def _vectors(shared: Path) -> Iterable[tuple[str, dict[str, Any], str | None]]:
    """Each vector as a case of a batch, with what is expected of it; None for an error."""
    folder = shared / "vectors"
    for row in _lines(folder / "ollama_templates.jsonl"):
        yield f"ollama {row['id']}", {"go_template": row["go_template"], "messages": row["messages"]}, row["expected"]
    for row in _lines(folder / "go_template_language.jsonl"):
        case = {"go_template": row["template"], "messages": row["messages"], "today": TODAY}
        yield f"go {row['id']}", case, row.get("output")
    for row in _lines(folder / "hf_chat_templates.jsonl"):
        named = ("messages", "bos_token", "eos_token", "add_generation_prompt")
        own = {name: row["data"][name] for name in named if name in row["data"]}
        other = {name: value for name, value in row["data"].items() if name not in own}
        yield f"hf {row['id']}", {"chat_template": row["chat_template"], **own, "variables": other}, row["target"]
    for i, row in enumerate(_lines(folder / "transformers_renders.jsonl")):
        text = (shared / "data/chat_templates" / row["template"]).read_bytes().decode()
        own = {name: row[name] for name in ("messages", "add_generation_prompt", "bos_token", "eos_token")}
        yield f"transformers {i}", {"chat_template": text, **own, "today": TODAY}, row["expected"]


@pytest.mark.realdata
def test_every_vector_of_the_template_engines_passes_through_a_batch(shared: Path, run: Run, write: Write) -> None:
    vectors = list(_vectors(shared))
    assert len(vectors) == 30 + 119 + 26 + 36
    trimmed = {f"ollama {row['id']}" for row in _lines(shared / "vectors/ollama_templates.jsonl")
               if row["trailing_space_trimmed"]}  # fmt: skip
    code, answers = _answers(run, write, ({"id": name, **case} for name, case, _ in vectors))
    assert code == 1  # some are meant to fail
    for (name, _, expected), answer in zip(vectors, answers, strict=True):
        assert answer["id"] == name
        if expected is None:
            assert answer["error"], name
        else:
            text = answer.get("text")
            assert (text.rstrip(" ") if name in trimmed and text else text) == expected, name


@pytest.mark.realdata
def test_ten_real_modelfiles_are_each_carried_out_or_refused_with_the_line(
    shared: Path, run: Run, write: Write
) -> None:
    files = sorted((shared / "data/modelfiles").glob("*.modelfile"))
    asked = write({"messages.json": ASKED}) / "messages.json"
    for path in files:
        code, out, err = run("--modelfile", path, "--messages", asked)
        assert code == 0 or (code == 1 and f"{path}:" in err), path.name
        assert code == 1 or err.count("\n") == 1, path.name
        assert code == 1 or "info oll-engine-unknown" in err, path.name
        assert code == 1 or "Q" in out
    assert len(files) == 10


@pytest.mark.parametrize(
    ("case", "text"),
    [
        ({"modelfile": FILE, "messages": ASKED}, "<system>S<user>Q"),
        ({"modelfile": FILE, "messages": [{"role": "system", "content": "T"}]}, "<system>T"),
        ({"modelfile": FILE}, "<system>S"),
        ({"go_template": "{{ .Prompt }}", "messages": ASKED}, "Q"),
        ({"go_template": "{{ .Messages }}{{ currentDate }}", "today": "2000-02-29"}, "[]2000-02-29"),
        ({"go_template": "{{ .Prompt }}{{ .Suffix }}", "variables": {"prompt": "a", "suffix": "b"}}, "ab"),
        (
            {
                "go_template": "{{ range .Messages }}{{ .Thinking }}{{ range .ToolCalls }}{{ .Function.Arguments }}"
                "{{ end }}{{ .ToolName }};{{ end }}",
                "messages": [
                    {"role": "assistant", "content": None, "thinking": "hm",
                     "tool_calls": [{"function": {"name": "f", "arguments": '{"b": 1, "a": "<"}'}}]},
                    {"role": "tool", "content": "x", "tool_name": "f"},
                ],
            },
            'hm{"a":"\\u003c","b":1};f;',
        ),
        ({"go_template": "{{ range .Messages }}{{ .Content }}{{ end }}",
          "messages": [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}]},
         "a\n\nb"),
        ({"chat_template": JINJA, "messages": ASKED, "bos_token": "<s>"}, "<s>[user]Q"),
        ({"chat_template": JINJA, "messages": ASKED}, "[user]Q"),
        ({"chat_template": "{{ x is defined }}{{ messages is defined }}"}, "FalseFalse"),
        ({"chat_template": "{{ add_generation_prompt }}{{ tools[0].a }}", "add_generation_prompt": False,
          "variables": {"tools": [{"a": "t"}]}}, "Falset"),
        ({"chat_template": "{% for m in messages %}{{ m.name }}{{ m.content[0].text }}{% endfor %}",
          "messages": [{"role": "user", "name": "N", "content": [{"type": "text", "text": "T"}]}]}, "NT"),
        ({"chat_template": "{{ strftime_now('%Y-%m-%d') }}", "today": "1999-12-31"}, "1999-12-31"),
        ({"wire_format": "chatml", "messages": ASKED}, "<|im_start|>user\nQ<|im_end|>\n<|im_start|>assistant\n"),
        ({"wire_format": "chatml", "messages": ASKED, "add_generation_prompt": False},
         "<|im_start|>user\nQ<|im_end|>\n"),
        ({"wire_format": "null", "messages": ASKED}, "Q"),
        ({"wire_format": "gemma", "messages": ASKED},
         "<bos><start_of_turn>user\nQ<end_of_turn>\n<start_of_turn>model\n"),
    ],
)  # fmt: skip
def test_a_case_gives_its_text(case: dict[str, Any], text: str, run: Run, write: Write) -> None:
    assert _answers(run, write, [{"id": 7, **case}]) == (0, [{"id": 7, "text": text}])


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (3, "a case is an object"),
        ({}, "a case has one of modelfile"),
        ({"go_template": "a", "modelfile": "FROM x"}, "a case has one of modelfile"),
        ({"go_template": 3}, "as text"),
        ({"go_template": "a", "messages": "Q"}, "messages are a list"),
        ({"go_template": "a", "messages": ["Q"]}, "messages are a list"),
        ({"go_template": "a", "messages": [{"content": "Q"}]}, "a role"),
        ({"go_template": "a", "messages": [{"role": "user", "content": 3}]}, "a content"),
        ({"go_template": "a", "today": "yesterday"}, "YYYY-MM-DD"),
        ({"go_template": "a", "today": 3}, "today is a text"),
        ({"go_template": "a", "today": "20261121"}, "YYYY-MM-DD"),
        ({"go_template": "a", "today": ""}, "YYYY-MM-DD"),
        ({"chat_template": "{% for i in range(99999) %}{{ 'x' * 999 }}{% endfor %}"}, "stopped at 8 Mi characters"),
        ({"go_template": "a", "variables": []}, "variables are an object"),
        ({"go_template": "a\n{{ upper .X }}"}, "2:4: "),
        ({"go_template": "{{ range 1000000000 }}{{ end }}"}, "too many steps"),
        ({"go_template": "{{ if .System }}{{ .Response }}{{ else }}{{ end }}"}, "1:4: "),
        ({"modelfile": "TEMPLATE a\n"}, "no FROM line"),
        ({"modelfile": "FROM x\nTEMPLATE a\nNOPE b\n"}, "line 3"),
        ({"modelfile": "FROM x\n"}, "TEMPLATE"),
        ({"modelfile": "FROM x\nTEMPLATE a\nRENDERER qwen3\n"}, "qwen3"),
        ({"chat_template": "{{ raise_exception('no system') }}"}, "no system"),
        ({"chat_template": "a\n{% if %}"}, "line 2"),
        ({"wire_format": "nonsense"}, "chatml"),
        ({"wire_format": "chatml", "messages": [{"role": "user", "content": [{"text": "a"}]}]}, "texts only"),
    ],
)
def test_a_wrong_case_is_an_error_answer(case: Any, said: str, run: Run, write: Write) -> None:
    code, answers = _answers(run, write, [case, {"id": "b", "go_template": "{{ .Messages }}"}])
    assert code == 1
    assert (answers[0]["id"], answers[1]) == (None, {"id": "b", "text": "[]"})
    assert said in answers[0]["error"]


def test_a_line_that_is_no_json_is_an_error_answer_and_a_blank_line_none(run: Run, write: Write) -> None:
    folder = write(
        {"b.jsonl": b'\xef\xbb\xbf{"go_template": "\\ud800{{ .Messages }}"}\r\n\nno\n{"a": NaN}\n\xff\n' + b"[" * 9000}
    )
    code, out, err = run("--batch", folder / "b.jsonl")
    answers = [json.loads(line) for line in out.splitlines()]
    assert (code, err) == (1, "")
    assert answers[0] == {"id": None, "text": "\ufffd[]"}
    assert ["error" in answer for answer in answers[1:]] == [True] * 4
    assert answers[1]["error"].startswith("line 3: not JSON")


def test_a_batch_comes_from_standard_input_too(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    given = io.TextIOWrapper(io.BytesIO(b'{"id": 1, "go_template": "a{{ .Prompt }}"}\n'))
    monkeypatch.setattr("sys.stdin", given)
    assert run("--batch", "-") == (0, '{"id": 1, "text": "a"}\n', "")


def test_one_case_is_printed_exactly_and_explained_in_json(run: Run, write: Write) -> None:
    folder = write({"Modelfile": FILE, "m.json": ASKED, "o.json": {"messages": ASKED, "variables": {"think": True}}})
    code, out, err = run("--modelfile", folder / "Modelfile", "--messages", folder / "m.json")
    assert (code, out, "info oll-engine-unknown" in err) == (0, "<system>S<user>Q", True)
    code, out, _ = run("--modelfile", folder / "Modelfile", "--messages", folder / "o.json", "--format", "json")
    said = json.loads(out)
    assert (code, said["text"], said["kind"]) == (0, "<system>S<user>Q", "modelfile")
    assert [one["code"] for one in said["findings"]] == ["oll-engine-unknown"]
    assert "".join(one["text"] for one in said["segments"]) == said["text"]
    assert [one["origin"] for one in said["segments"]] == ["serving"] * 3 + ["system"] + ["serving"] * 3 + ["variable"]


def test_a_template_that_is_a_link_out_of_the_model_s_folder_is_not_read(run: Run, write: Write) -> None:
    folder = write({"out/tokenizer_config.json": {"chat_template": "SECRET" + JINJA}, "model/config.json": {}})
    (folder / "model" / "tokenizer_config.json").symlink_to(folder / "out" / "tokenizer_config.json")
    (folder / "case.json").write_text(json.dumps(ASKED), "utf-8")
    code, out, err = run("--chat-template", folder / "model", "--messages", folder / "case.json")
    assert (code != 0, "SECRET" in out + err) == (True, False)
    assert "cannot be read" in err


def test_other_sources_of_one_case(run: Run, write: Write) -> None:
    folder = write({"t.jinja": JINJA, "m.json": ASKED})
    asked = ("--messages", folder / "m.json")
    assert run("--chat-template", folder / "t.jinja", *asked)[:2] == (0, "[user]Q")
    assert run("--wire-format", "chatml", *asked)[1] == "<|im_start|>user\nQ<|im_end|>\n<|im_start|>assistant\n"
    assert run("--wire-format", "gemma", *asked)[1].endswith("<start_of_turn>model\n")


def test_where_there_is_no_text_the_exit_code_is_one_and_nothing_is_printed(run: Run, write: Write) -> None:
    folder = write({"Modelfile": "FROM x\nTEMPLATE {{ upper .X }}\n", "bad": "FROM x\nNO y\n", "m.json": ASKED})
    code, out, err = run("--modelfile", folder / "Modelfile", "--messages", folder / "m.json")
    assert (code, out) == (1, "")
    assert "Modelfile:2:13: error oll-template-error" in err
    code, out, err = run("--modelfile", folder / "bad", "--messages", folder / "m.json")
    assert (code, out) == (1, "")
    assert "bad:2: Ollama refuses it" in err
    code, out, _ = run("--modelfile", folder / "bad", "--messages", folder / "m.json", "--format", "json")
    assert (code, "refuses" in json.loads(out)["error"]) == (1, True)


@pytest.mark.parametrize(
    "files",
    [
        {"Modelfile": "FROM x\nSYSTEM Be brief.\n"},
        {"Modelfile": "FROM x\nRENDERER qwen3.5\nTEMPLATE {{ .Prompt }}\n"},
    ],
)
def test_where_nobody_can_tell_the_text_the_exit_code_is_one(run: Run, write: Write, files: dict[str, str]) -> None:
    folder = write({**files, "m.json": ASKED})
    code, out, err = run("--modelfile", folder / "Modelfile", "--messages", folder / "m.json")
    assert (code, out, "info oll-" in err) == (1, "", True)


def test_an_empty_conversation_has_no_text_of_a_chat_template(run: Run, write: Write) -> None:
    folder = write({"t.jinja": JINJA, "m.json": [], "b.jsonl": json.dumps({"chat_template": JINJA, "messages": []})})
    code, out, err = run("--chat-template", folder / "t.jinja", "--messages", folder / "m.json")
    assert (code, out, "has no message" in err) == (1, "", True)
    code, out, _ = run("--batch", folder / "b.jsonl")
    assert (code, "has no message" in json.loads(out)["error"]) == (1, True)


def test_what_speaks_against_template_is_said_beside_its_text(run: Run, write: Write) -> None:
    weights = gguf_files.model("{{ tools }}{{ messages[0].content }}")
    folder = write({"Modelfile": "FROM ./w.gguf\nTEMPLATE Q {{ .Prompt }}\n", "w.gguf": weights, "m.json": ASKED})
    code, out, err = run("--modelfile", folder / "Modelfile", "--messages", folder / "m.json")
    assert (code, out, "oll-chat-template-sent" in err) == (0, "Q Q", True)


@pytest.mark.parametrize(
    "words",
    [
        ("--batch", "nowhere.jsonl"),
        ("--batch", "."),
        ("--batch", "m.json", "--messages", "m.json"),
        ("--modelfile", "Modelfile"),
        ("--modelfile", "nowhere", "--messages", "m.json"),
        ("--modelfile", "Modelfile", "--messages", "nowhere"),
        ("--modelfile", "Modelfile", "--messages", "Modelfile"),
        ("--modelfile", "Modelfile", "--messages", "text.json"),
        ("--modelfile", "Modelfile", "--messages", "m.json", "--today", "now"),
        ("--wire-format", "nonsense", "--messages", "m.json"),
        ("--chat-template", "nowhere", "--messages", "m.json"),
    ],
)
def test_wrong_use_is_exit_code_two(
    words: tuple[str, ...], run: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write({"Modelfile": FILE, "m.json": ASKED, "text.json": "text"}))
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert err.startswith("readback: ")
