"""Training against serving: the diff of layers, the rule, and the real Modelfiles that print their system twice."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from served_twice import ANSWER, TRAINED, workspace

from readback import workspace as workspaces
from readback.checks.run import engine
from readback.cli import main
from readback.types import Finding

Write = Callable[[Mapping[str, Any]], Path]
Output = pytest.CaptureFixture[str]
CHATML = "format: chatml-plain"
CODE = "fmt-train-serve-diff"


def diff(capsys: Output, folder: Path, a: str, b: str, *more: str) -> tuple[int, str, str]:
    code = main(["diff", str(folder), "--a", a, "--b", b, *more])
    said = capsys.readouterr()
    return code, said.out, said.err


def values(capsys: Output, folder: Path, a: str, b: str) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(diff(capsys, folder, a, b, "--format", "json")[1])
    return made


def found(folder: Path, code: str = CODE) -> list[Finding]:
    return [one for one in engine.check(workspaces.open(folder)).findings if one.code == code]


def test_the_sentence_names_the_first_difference(write: Write, capsys: Output) -> None:
    folder = write(workspace("newline", CHATML))
    code, out, _ = diff(capsys, folder, "condition=closed,layer=training", "layer=wire")
    assert code == 1
    assert "layer training (chatml-plain, up to the answer)" in out
    assert "After `<|im_end|>` A has a newline, B has none (character 65, line 2 of A); 1 more difference." in out
    assert "B: character 65, line 2, column 46 (chat template, Modelfile line 4)" in out


def test_what_differs_has_its_place_its_token_and_its_writer_in_json(write: Write, capsys: Output) -> None:
    folder = write(workspace("newline", CHATML, "tokenizer: qwen3, "))
    made = values(capsys, folder, "condition=closed,layer=training", "layer=wire")
    assert made["training"] == {
        "a": {"form": "prompt", "template": "chatml-plain", "basis": "stated", "assumed": False}
    }
    first = made["partings"][0]
    assert first["said"] == "after `<|im_end|>` A has a newline, B has none"
    assert [first["a"][key] for key in ("text", "character", "line", "column", "token")] == ["\n", 65, 2, 46, 12]
    assert (first["b"]["text"], first["b"]["file"], first["b"]["origin"]) == ("", "Modelfile", "serving")


def test_an_assumed_template_is_called_that(write: Write, capsys: Output) -> None:
    folder = write(workspace("newline"))
    assert "(chatml-plain, assumed, up to the answer)" in diff(
        capsys, folder, "condition=closed,layer=training", "layer=wire"
    )[1]  # fmt: skip
    made = values(capsys, folder, "condition=closed,layer=training", "layer=wire")
    assert made["training"]["a"]["assumed"] is True


def test_equal_texts_are_equal(write: Write, capsys: Output) -> None:
    folder = write(workspace("right", CHATML))
    code, out, _ = diff(capsys, folder, "condition=closed,layer=training", "layer=wire")
    assert (code, "equal byte for byte" in out) == (0, True)
    code, out, _ = diff(capsys, folder, "condition=closed,layer=training", "layer=wire", "--records")
    assert (code, "0 of 1 record differs, 1 is equal byte for byte" in out) == (0, True)


def test_a_training_text_alone_has_its_answer(write: Write, capsys: Output) -> None:
    folder = write(workspace("right", CHATML))
    made = values(capsys, folder, "condition=closed,layer=training", "record=t0")
    assert made["messages"][0]["changes"][0]["text_a"] == TRAINED + ANSWER
    assert made["training"]["b"]["form"] == "text"


def test_beside_messages_stand_the_training_messages(write: Write, capsys: Output) -> None:
    folder = write(workspace("right", CHATML))
    _, out, _ = diff(capsys, folder, "condition=closed,layer=training", "layer=messages")
    assert "layer training (its messages)" in out
    assert "B has no assistant message." in out
    assert "=== user: equal" in out


def test_without_a_training_template_the_messages_are_shown_and_called_that(write: Write, capsys: Output) -> None:
    files = {**workspace("right"), "Modelfile": 'FROM x\nTEMPLATE """{{ .System }}{{ .Prompt }}"""\n'}
    _, out, _ = diff(capsys, write(files), "condition=closed,layer=training", "layer=wire")
    assert "layer training (its messages: no training template is known)" in out


@pytest.mark.parametrize(
    ("old", "new", "layer", "expected"),
    [
        ("type: instruction_only", "type: base", "training", "its training: {messages: FILE}"),
        ("serving: {modelfile: Modelfile}", "context: 9", "wire", "serving: {modelfile: FILE}, {chat_template: FILE}"),
    ],
)
def test_a_layer_that_is_not_there_names_its_cure(
    write: Write, capsys: Output, old: str, new: str, layer: str, expected: str
) -> None:
    files = workspace("right", CHATML)
    folder = write({**files, "readback.yml": files["readback.yml"].replace(old, new)})
    code, _, err = diff(capsys, folder, f"condition=closed,layer={layer}", "layer=messages")
    assert code == 2
    assert expected in err


def test_a_template_that_makes_nothing_says_why(write: Write, capsys: Output) -> None:
    files = workspace("right", CHATML)
    folder = write({**files, "Modelfile": "FROM x\nTEMPLATE {{ .Nowhere.There }}{{ .Messages }}\n"})
    _, out, err = diff(capsys, folder, "condition=closed,layer=training", "layer=wire")
    assert "B has no messages: they could not be built." in out
    engine, reason = err.splitlines()
    assert engine.endswith("this is the text of TEMPLATE (see readback rule oll-engine-unknown)")
    assert reason == "readback: B: the template does not work: nil pointer evaluating interface {}.There"


@pytest.mark.parametrize("training", [CHATML, ""])
@pytest.mark.parametrize("served", ["right", "newline", "twice", "begin"])
def test_what_a_rule_about_the_server_tells_is_not_said_again(write: Write, served: str, training: str) -> None:
    assert found(write(workspace(served, training))) == []


@pytest.mark.parametrize(("training", "severity"), [(CHATML, "error"), ("", "info")])
def test_another_difference_is_told_once_for_a_model_and_weighs_what_is_known(
    write: Write, training: str, severity: str
) -> None:
    one, *others = found(write(workspace("blank", training)))
    assert others == []
    assert one.severity == severity
    assert (one.place.file, one.place.line) == ("Modelfile", 4)
    assert "trained on a newline after `<|im_start|>system` (chatml-plain" in one.message
    assert ("assumed" in one.message) == (severity == "info")
    assert "its server sends a space and a newline (1 more difference)" in one.message


def test_a_first_token_that_ollama_adds_by_itself_is_no_difference(write: Write) -> None:
    begins = "{{ '<s>' }}{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    asks = "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    # Jinja drops the newline after a block, so the template has it as a value.
    jinja = begins.replace("<|im_end|>\n", "<|im_end|>{{ '\\n' }}").replace("}}\n{{", "}}{{ '\\n' }}{{") + asks
    assert found(write({**workspace("right", "chat_template: own.jinja"), "own.jinja": jinja})) == []


def test_the_docs_of_the_rule_say_when_it_is_silent(capsys: Output) -> None:
    assert main(["rule", CODE]) == 0
    assert "Not reported here are system text" in " ".join(capsys.readouterr().out.split())


REAL = "data/prompt-formats"


@pytest.fixture
def study(shared: Path, tmp_path: Path) -> Path:
    """The real study, as a copy of its own."""
    folder = tmp_path / "study"
    shutil.copytree(shared / REAL, folder)
    return folder


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("condition", "character", "file", "line"),
    [
        ("lora_science_0p5b_ft_only", 65, "ollama/Modelfile.instruction_only", 28),
        ("hybrid_science_0p5b_rag_trained", 177, "ollama/Modelfile.rag_trained", 25),
    ],
)
def test_the_real_modelfiles_lose_a_newline_and_double_the_system_message(
    shared: Path, capsys: Output, condition: str, character: int, file: str, line: int
) -> None:
    made = values(capsys, shared / REAL, f"condition={condition},layer=training", "layer=wire")
    assert made["training"]["a"] == {
        "form": "prompt", "template": "chatml-plain", "basis": "assumed", "assumed": True,
    }  # fmt: skip
    first, second = made["partings"]
    assert (first["a"]["character"], first["b"]["file"], first["b"]["file_line"]) == (character, file, line)
    assert first["said"].startswith(
        "after `<|im_end|>` A has a newline, B has none and goes on with `<|im_start|>system"
    )
    assert first["said"].endswith("the system message once more")
    assert second["said"] == "after `<|im_end|>` A has a newline, B has none"


@pytest.mark.realdata
def test_every_record_of_the_real_study_differs_from_what_was_trained(shared: Path, capsys: Output) -> None:
    sides = ("condition=hybrid_science_0p5b_rag_trained,layer=training", "layer=wire")
    _, out, _ = diff(capsys, shared / REAL, *sides, "--records")
    assert "16 of 16 records differ, 0 are equal byte for byte" in out


@pytest.mark.realdata
@pytest.mark.parametrize("name", ["instruction_only", "rag_trained", "rag_trained_f16"])
def test_a_stated_template_makes_the_real_difference_known(study: Path, capsys: Output, name: str) -> None:
    (study / "readback.yml").write_text(
        "dataset: offline_dataset.jsonl\nprompts: [builtin:prompt-formats]\nmodels:\n"
        f"  m: {{type: {name.removesuffix('_f16')}, training: {{format: chatml-plain}}, "
        f"serving: {{modelfile: ollama/Modelfile.{name}}}}}\n"
        "conditions: [{name: c, mode: rag, model: m}]\n",
        "utf-8",
    )
    made = values(capsys, study, "condition=c,layer=training", "layer=wire")
    assert made["training"]["a"]["basis"] == "stated"
    said = [one["said"] for one in made["partings"]]
    assert said[0].startswith("after `<|im_end|>` A has a newline, B has none")
    assert said[0].endswith("the system message once more")
    assert said[-1] == "after `<|im_end|>` A has a newline, B has none"
    assert [one for one in found(study) if one.severity != "info"] == []
    assert found(study, "oll-system-twice")
    assert found(study, "oll-chatml-newline")


ROWS = {
    "readback.yml": "dataset: data.jsonl\n"
    "modes: [{mode: ask, system: Be brief., template: '{{ question }}'}]\n"
    "models: {m: {training: {messages: train.jsonl, format: chatml-plain}, serving: {format: chatml-plain}}}\n"
    "conditions: [{name: c, mode: ask, model: m}]\n",
    "data.jsonl": [{"id": "1", "question": "Never asked?"}, {"id": "2", "question": "When is high water?"}],
    "train.jsonl": [
        {
            "messages": [
                {"role": "system", "content": "Be  brief."},
                {"role": "user", "content": "When is high water?"},
                {"role": "assistant", "content": "At ten."},
            ]
        }
    ],
}


def test_a_row_that_the_model_was_trained_on_is_rendered_and_named(write: Write, capsys: Output) -> None:
    folder = write(ROWS)
    _, out, _ = diff(capsys, folder, "condition=c,record=2,layer=training", "layer=wire")
    assert "After `Be` A has 2 spaces, B has a space (character 23, line 2 of A)." in out
    assert "A: character 23, line 2, column 4 (data messages[0].content, train.jsonl line 1)" in out


def test_a_record_that_no_row_asks_is_said_and_does_not_stop_the_count(write: Write, capsys: Output) -> None:
    folder = write(ROWS)
    sides = ("condition=c,layer=training", "layer=wire")
    code, _, err = diff(capsys, folder, *sides)
    assert (code, "no row of train.jsonl, which its model was trained on, asks" in err) == (2, True)
    _, out, _ = diff(capsys, folder, *sides, "--records")
    assert "1 of 2 records differ" in out
    assert "1 only B could be assembled" in out


@pytest.mark.parametrize(
    ("template", "expected"),
    [("{% for %}", [None]), ("{{ raise_exception('no') }}", ["t0"])],
)
def test_a_training_template_that_makes_no_text_is_found(
    write: Write, template: str, expected: list[str | None]
) -> None:
    folder = write({**workspace("right", "chat_template: own.jinja"), "own.jinja": template})
    told = found(folder, "srv-template-error")
    assert [one.place.record for one in told] == expected
    assert {one.place.file for one in told} == {"own.jinja"}


def test_a_guess_that_fails_is_not_held_against_the_files(write: Write) -> None:
    turn = "<start_of_turn>{{ .Role }}\n{{ .Content }}<end_of_turn>\n"
    file = f'FROM x\nTEMPLATE """{{{{ range .Messages }}}}{turn}{{{{ end }}}}<start_of_turn>model\n"""\n'
    folder = write({**workspace("right"), "Modelfile": file})
    assert found(folder, "srv-template-error") == []
