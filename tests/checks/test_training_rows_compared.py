"""Each record's training row against what the model reads: what differs is one finding a kind, with its count."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace as workspaces
from readback.checks.run import engine
from readback.cli import main
from readback.types import Finding

Write = Callable[[Mapping[str, Any]], Path]
CODE = "fmt-train-serve-diff"
ASKED = ("Who rings the fog bell?", "Where do the pilots sleep?", "How long is the slipway?")
REPLIES = ("The keeper.", "In the old mill.", "Forty metres.")
CHATML = (
    "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
DEFAULT = (
    "{% if messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\\nYou are a kind harbour guide.<|im_end|>\\n' }}{% endif %}"
)
TRIMMED = CHATML.replace("m['content']", "m['content'] | trim")


def data(**more: Any) -> str:
    lines = ({"id": f"r{at}", "question": asked, **more} for at, asked in enumerate(ASKED))
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def rows(user: str, system: str | None = None, named: bool = False) -> str:
    """Training rows in which `user` stands around each question; `named`: they have the ids of the records."""
    made: list[dict[str, Any]] = []
    for at, (asked, reply) in enumerate(zip(ASKED, REPLIES, strict=True)):
        turns = [{"role": "user", "content": user.format(q=asked)}, {"role": "assistant", "content": reply}]
        own = {"id": f"r{at}"} if named else {}
        made.append(
            {**own, "messages": [*([{"role": "system", "content": system}] if system is not None else []), *turns]}
        )
    return "".join(f"{json.dumps(row)}\n" for row in made)


def study(
    train: str, template: str, *, system: str = "", trained: str = CHATML, served: str = CHATML, records: str = ""
) -> dict[str, str]:
    said = f"system: {json.dumps(system)}, " if system else ""
    return {
        "readback.yml": f"""
dataset: {{path: rows.jsonl, id: id}}
modes: [{{mode: ask, {said}template: {json.dumps(template)}}}]
models:
  m: {{training: {{messages: train.jsonl, chat_template: train.jinja}}, serving: {{chat_template: serve.jinja}}}}
conditions: [{{name: first, mode: ask, model: m}}, {{name: second, mode: ask, model: m}}]
""",
        "rows.jsonl": records or data(),
        "train.jsonl": train,
        "train.jinja": trained,
        "serve.jinja": served,
    }


def found(folder: Path) -> list[Finding]:
    audit = engine.check(workspaces.open(folder))
    assert not audit.faults
    counted = max((one.values["records"] or 0 for one in audit.findings if one.code == CODE), default=0)
    assert audit.records_by_code.get(CODE, 0) == counted  # lists and pages count the records, not the finding
    return [one for one in audit.findings if one.code == CODE]


@pytest.mark.parametrize(
    ("files", "severity", "said"),
    [
        pytest.param(
            study(rows("Question: {q}\nAnswer:\n"), "Question: {{ question }}\nAnswer:"),
            "error",
            "a newline after `Answer:` (train.jinja), but first, second sends none (in 3 of 3 records)",
            id="last newline",
        ),
        pytest.param(
            study(rows("{q}"), "{{ question }}  "),
            "error",
            "no space after `Who rings the fog bell?` (train.jinja), but first, second sends 2 spaces",
            id="blanks behind the question",
        ),
        pytest.param(
            study(rows("Rules:  \nShort.\n{q}"), "Rules:\nShort.\n{{ question }}"),
            "error",
            "2 spaces and a newline after `Rules:`",
            id="blanks behind a line",
        ),
        pytest.param(
            study(rows("\t{q}"), "{{ question }}"),
            "error",
            "a newline and a tab after `<|im_start|>user`",
            id="tab before the question",
        ),
        pytest.param(
            study(rows("{q}"), "{{ question }}", trained=DEFAULT + CHATML),
            "warning",
            "the system text of the template itself, `You are a kind harbour guide.` (train.jinja), but first, second "
            "sends no system text (in 3 of 3 records)",
            id="default system text in training alone",
        ),
        pytest.param(
            study(rows("{q}"), "{{ question }}", system="Answer as the tide clerk.", trained=DEFAULT + CHATML,
                  served=DEFAULT + CHATML),
            "warning",
            "`You are a kind harbour guide.` (train.jinja), but first, second sends the system text "
            "`Answer as the tide clerk.` (in 3 of 3 records)",
            id="default system text against a mode's",
        ),
        pytest.param(
            study(rows("{q}"), "{{ question }}", system="Answer as the tide clerk."),
            "warning",
            "no system text (train.jinja), but first, second sends the system text `Answer as the tide clerk.`",
            id="no system text against a mode's",
        ),
        pytest.param(
            study(
                rows("Ask: {q}", named=True),
                "Question: {{ question }}",
            ),
            "warning",
            "`Ask` after `<|im_start|>user` and a newline (train.jinja), but first, second sends `Question`",
            id="another word",
        ),
    ],
)  # fmt: skip
def test_what_differs_is_named_once_with_its_count(
    write: Write, files: dict[str, str], severity: str, said: str
) -> None:
    (one,) = found(write(files))
    assert said in one.message
    all_of_them = len(files["rows.jsonl"].splitlines())
    assert (one.severity, one.values["records"], one.values["of"]) == (severity, all_of_them, all_of_them)
    assert (one.place.file, one.place.line, one.place.record) == ("rows.jsonl", 1, "r0")


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(study(rows("{q}\n"), "{{ question }}", trained=TRIMMED, served=TRIMMED), id="both trim"),
        pytest.param(study(rows("{q}", "Be brief."), "{{ question }}", system="Be brief."), id="equal"),
        pytest.param(
            study(rows("{q}"), "{{ question }}", records='{"id": "line_1", "question": "Quite another thing?"}\n'),
            id="a record that no row asks",
        ),
        pytest.param(
            study(
                rows("{q}", named=True),
                "{{ question }}",
                records='{"id": "r0", "question": "Is the museum open on Monday?"}\n',
            ),
            id="a row of the same id that is about something else",
        ),
    ],
)
def test_what_is_alike_is_not_named(write: Write, files: dict[str, str]) -> None:
    assert found(write(files)) == []


def test_only_the_records_that_differ_are_counted(write: Write) -> None:
    train = rows("{q}").replace(ASKED[1], f"{ASKED[1]}\\n")
    (one,) = found(write(study(train, "{{ question }}")))
    assert (one.values["records"], one.values["of"], one.place.record) == (1, 3, "r1")


def test_blanks_around_earlier_answers_are_named(write: Write) -> None:
    spaced = CHATML.replace("m['content']", "(' ' + m['content'] if m['role'] == 'assistant' else m['content'])")
    turns = [{"role": "user", "content": "Good day."}, {"role": "assistant", "content": "Good day to you."}]
    train = rows("And then? {q}")  # no row asks what a record asks
    files = study(train, "{{ question }}", served=spaced, records=data(history=turns))
    files["readback.yml"] = files["readback.yml"].replace(
        "modes: [{mode: ask, template: ", "tasks: {generation: {user: "
    )
    files["readback.yml"] = files["readback.yml"].replace('}}"}]', '}}"}}').replace("mode: ask", "task: generation")
    (one,) = found(write(files))
    assert (
        "a newline after `<|im_start|>assistant` (train.jinja), but first, second sends a newline and a space"
        in one.message
    )


def test_a_row_is_found_by_what_is_sent_where_its_frame_is_no_known_one(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(study(rows("Ask the pilot: {q}\n"), "Ask the pilot: {{ question }}"))
    (one,) = found(folder)
    assert "a newline after `e pilot: Who rings the fog bell?`" in one.message
    main(["diff", str(folder), "--a", "condition=first,layer=training", "--b", "layer=wire"])
    assert "A has a newline, B has none" in capsys.readouterr().out


def test_an_empty_think_block_has_one_name_in_check_and_diff(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    thinks = CHATML.replace(
        "'\\n' + m['content']",
        "'\\n' + ('<think>\\n\\n</think>\\n\\n' if m['role'] == 'assistant' else '') + m['content']",
    )
    folder = write(study(rows("{q}"), "{{ question }}", trained=thinks))
    (one,) = found(folder)
    assert "an empty think block `<think>⏎⏎</think>⏎⏎`" in one.message
    main(["diff", str(folder), "--a", "condition=first,layer=training", "--b", "layer=wire"])
    assert "A has an empty think block `<think>⏎⏎</think>⏎⏎`" in capsys.readouterr().out
