"""Every record under every condition as a file: what is in it, in which order, and that it reads back as the same."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from counts import LONG, part, some
from hypothesis import given, settings
from hypothesis import strategies as st
from looking import clicked, drawn, page, words
from streamlit.testing.v1 import AppTest

import readback
from readback import cli, workspace
from readback.cli.export import TerminalOutput
from readback.exporting import rows
from readback.exporting import selections as export_selections
from readback.exporting.export import ExportResult, NoModel, export, export_to_file
from readback.exporting.lines import Form
from readback.exporting.selections import NothingToExport
from readback.prompts import children
from readback.prompts.assemble import assemble
from readback.readers.files.cache_folder import cache_folder
from readback.records import custom_id
from readback.records.dataset import DatasetChanged, open_dataset
from readback.records.training import training_reader
from readback.types import Condition, Judge, Selection, Workspace
from readback.ui.prompts.one import export_all

Write = Callable[[Mapping[str, Any]], Path]
Output = pytest.CaptureFixture[str]
Rows = list[dict[str, Any]]

LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
FILE = """\
dataset: data.jsonl
modes:
  - {mode: short, system: 'Be brief.', template: '{{ q }}'}
  - {mode: asks, template: 'Q: {{ q.word }}'}
conditions:
  - {name: two, mode: asks}
  - {name: one, mode: short, model: tiny}
models: {tiny: {settings: {model: tiny-7b}}}
"""
ASKED = [{"id": "a", "q": {"word": "Why?"}}, {"id": "b", "q": "No word"}]
FAILS = [{"id": "a", "q": "x"}]


@pytest.fixture
def folder(write: Write) -> Path:
    return write({"readback.yml": FILE, "data.jsonl": ASKED})


def made(opened: Workspace, form: Form = "messages-jsonl", **more: Any) -> tuple[Rows, ExportResult]:
    """The lines of an export, and what it came to."""
    out, choices = io.BytesIO(), more.pop("choices", None)
    found = export(opened, choices or export_selections.list_default_selections(opened), form, out, **more)
    return [json.loads(line) for line in out.getvalue().splitlines()], found


def ran(output: Output, *said: Any) -> tuple[int, str, str]:
    code = cli.main(["export", *map(str, said)])
    both = output.readouterr()
    return code, both.out, both.err


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def read_again(path: Path) -> list[list[tuple[str, str]]]:
    """The messages in a file, as Readback itself reads it as a dataset."""
    opened = workspace.open(path)
    turns = []
    for record in open_dataset(opened.root, opened.dataset).records():
        row = training_reader.read(record.fields)
        assert row is not None
        turns.append([(turn.role, turn.text) for turn in (*row.prompt, *row.completion)])
    return turns


def sent(opened: Workspace, choices: Sequence[Selection]) -> list[list[tuple[str, str]]]:
    """The messages of every record under every choice, as `render` and the pages show them."""
    records = open_dataset(opened.root, opened.dataset).records()
    return [
        [(one.role, one.text) for one in assemble(opened, record, choice).messages]
        for record in records
        for choice in choices
    ]


def test_each_record_has_its_conditions_in_their_order(write: Write) -> None:
    opened = workspace.open(write({"readback.yml": FILE.replace("q.word", "q"), "data.jsonl": ASKED}))
    found, counts = made(opened)
    assert [(row["index"], row["record"], row["condition"]) for row in found] == [
        (0, "a", "two"), (0, "a", "one"), (1, "b", "two"), (1, "b", "one"),
    ]  # fmt: skip
    assert list(found[0]) == ["index", "record", "condition", "prompt", "messages", "fingerprint"]
    assert found[3]["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "No word"},
    ]
    records = list(open_dataset(opened.root, opened.dataset).records())
    whole = [
        assemble(opened, record, choice)
        for record in records
        for choice in export_selections.list_default_selections(opened)
    ]
    assert [row["fingerprint"] for row in found] == [one.fingerprint for one in whole]
    assert (counts.records, len(counts.choices), counts.written, counts.failed) == (2, 2, 4, 0)


def test_without_conditions_the_modes_go_by_their_names(write: Write) -> None:
    without = FILE.partition("conditions:")[0]
    found, _ = made(workspace.open(write({"readback.yml": without, "data.jsonl": ASKED[:1]})))
    assert [(row["condition"], row["mode"]) for row in found] == [(None, "asks"), (None, "short")]
    assert list(found[0]) == ["index", "record", "condition", "mode", "prompt", "messages", "fingerprint"]


def test_tasks_are_exported_where_there_is_nothing_else(write: Write) -> None:
    files = {"readback.yml": "dataset: d.jsonl\ntasks: {parsing: {user: '{{ q }}'}}\n", "d.jsonl": FAILS}
    found, _ = made(workspace.open(write(files)))
    assert [(row["task"], row["messages"]) for row in found] == [("parsing", [{"role": "user", "content": "x"}])]


def test_what_cannot_be_assembled_is_a_line_that_says_why(folder: Path, write: Write) -> None:
    write({"readback.yml": FILE.replace("q.word", "q.word.more.most"), "data.jsonl": FAILS})
    found, counts = made(workspace.open(folder))
    assert list(found[0]) == ["index", "record", "condition", "prompt", "error"]
    assert found[0]["error"]["code"] == "alb-render-error"
    assert "no attribute" in found[0]["error"]["message"]
    assert "messages" in found[1]
    assert (counts.written, counts.failed) == (1, 1)


def test_a_judge_is_exported_for_the_conditions_that_have_answers(write: Write) -> None:
    files = {
        "readback.yml": {
            "dataset": "d.jsonl",
            "modes": [{"mode": "m", "template": "{{ q }}"}],
            "conditions": [{"name": "A", "mode": "m", "answers": "a.jsonl"}, {"name": "B", "mode": "m"}],
            "judges": {"j": {"prompts": "judge.py", "settings": {"model": "judge-1"}}},
        },
        "d.jsonl": [{"id": "1", "q": "Why?", "question": "Why?"}, {"id": "2", "q": "How?", "question": "How?"}],
        "a.jsonl": [{"id": "1", "response": "So."}],
        "judge.py": 'USER_PROMPT = "{question} {answer}"\n',
    }
    opened = workspace.open(write(files))
    found, counts = made(opened, choices=export_selections.choose_selections(opened, judge="j"))
    assert [(row["record"], row["condition"], row["judge"]) for row in found] == [("1", "A", "j"), ("2", "A", "j")]
    assert found[0]["messages"] == [{"role": "user", "content": "Why? So."}]
    assert found[1]["error"]["code"] == "jdg-no-answer"
    assert (counts.written, counts.failed) == (1, 1)
    batch, _ = made(opened, "openai-batch", choices=export_selections.choose_selections(opened, judge="j"))
    assert batch[0]["body"]["model"] == "judge-1"
    with pytest.raises(NothingToExport, match="no answers"):
        export_selections.choose_selections(opened, ["B"], judge="j")


@pytest.mark.parametrize(
    ("template", "condition", "row", "left_out"),
    [
        ("{question} {answer}", "A", {"id": "2"}, True),  # the condition answered another record only
        ("{question} {response}", "A", {"id": "2", "response": "not A's"}, True),
        ("{question}", "A", {"id": "2"}, True),
        ("{question} {answer}", "A", {"id": "1"}, False),
        ("{question} {answer}", "A", {"id": "3"}, False),  # the model replied with an empty text
        ("{question} {answer}", None, {"id": "2"}, True),
        ("{question} {response}", None, {"id": "2"}, True),
        ("{question} {answer}", None, {"id": "2", "answer": None}, True),
        ("{question} {answer}", None, {"id": "2", "answer": ""}, False),
        ("{question} {response}", None, {"id": "2", "response": "So."}, False),
        ("{question}", None, {"id": "2"}, False),
    ],
)
def test_export_and_render_agree_on_a_judge_without_an_answer(
    write: Write, capsys: Output, template: str, condition: str | None, row: Mapping[str, Any], left_out: bool
) -> None:
    answers = [{"id": "1", "response": "So."}, {"id": "3", "response": ""}]
    files = {
        "readback.yml": "dataset: d.jsonl\nmodes: [{mode: m, template: x}]\njudges: {j: {prompts: {user: j.txt}}}\n"
        + ("conditions: [{name: A, mode: m, answers: a.jsonl}]\n" if condition else ""),
        "d.jsonl": [{"question": "Why?", **row}],
        "a.jsonl": answers,
        "j.txt": template,
    }
    root = write(files)
    found, _ = made(workspace.open(root), choices=[Selection(condition, judge="j")])
    assert ("error" in found[0]) is left_out
    if left_out:
        assert found[0]["error"]["code"] in ("jdg-no-answer", "jdg-value-missing")
    words = ["render", str(root), "--judge", "j", *(["--condition", condition] if condition else [])]
    cli.main([*words, "--format", "json", "--fail-on", "never"])
    answer = json.loads(capsys.readouterr().out)
    assert answer["messages"]
    assert answer["unanswered"] is left_out
    cli.main([*words, "--fail-on", "never"])
    assert ("there is no answer to judge" in capsys.readouterr().out) is left_out


def test_a_request_names_the_model_of_its_condition_else_the_given_one(write: Write) -> None:
    opened = workspace.open(write({"readback.yml": FILE.replace("q.word", "q"), "data.jsonl": FAILS}))
    found, _ = made(opened, "openai-batch", model="given")
    assert [row["body"]["model"] for row in found] == ["given", "tiny-7b"]
    assert found[1] == {
        "custom_id": "index=0&record=a&condition=one",
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {
            "model": "tiny-7b",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "x"}],
        },
    }
    with pytest.raises(NoModel, match="condition 'two'"):
        made(opened, "openai-batch")


NAMES = st.text(st.characters(exclude_categories=()) | st.sampled_from("&=%/+ \ud800\n"))


@given(st.integers(0, 10**9), st.none() | NAMES, NAMES, st.none() | NAMES)
def test_a_custom_id_says_what_it_was_made_of(
    index: int, record: str | None, condition: str, judge: str | None
) -> None:
    choice = Selection(condition, judge=judge)
    text = custom_id.write(index, record, choice)
    assert text.isascii()
    assert len(text) <= 64
    others = {condition, "other"}
    judges = {judge: Judge(judge, "")} if judge is not None else {}
    opened = Workspace(Path(), "w", conditions=tuple(map(Condition, others)), judges=judges)
    assert custom_id.resolve(text, opened, {index: record}.get) == (index, record, choice)
    if "sha256" in text:
        assert custom_id.resolve(text, opened, lambda at: "another record") is None
    else:
        assert custom_id.parse(text) == (index, record, choice)


def test_a_long_custom_id_is_shortened_to_the_digest_of_the_long_one() -> None:
    long = "index=3&record=" + "r" * 60 + "&condition=one"
    digest = hashlib.sha256(long.encode()).hexdigest()
    choice = Selection(condition="one")
    assert custom_id.write(3, "r" * 60, choice) == f"index=3&name={'r' * 13}.one&sha256={digest[:16]}"
    assert f"index=3&sha256={digest[:32]}" in custom_id.list_forms(3, "r" * 60, choice)
    with pytest.raises(ValueError, match="shortened"):
        custom_id.parse(custom_id.write(3, "r" * 60, Selection(condition="one")))


@pytest.mark.parametrize("text", ["", "r17", "record=a", "index=1&other=2", "index=x", "index=1&sha256=0&record=a"])
def test_another_custom_id_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        custom_id.parse(text)


def test_records_of_one_id_have_requests_of_their_own(write: Write) -> None:
    files = {"readback.yml": FILE.replace("q.word", "q"), "data.jsonl": [*FAILS, *FAILS]}
    found, _ = made(workspace.open(write(files)), "openai-batch", model="m")
    assert len({row["custom_id"] for row in found}) == 4


def test_words_of_readbacks_own_are_said_in_each_line_of_it(write: Write, capsys: Output) -> None:
    yml = """\
dataset: d.jsonl
tasks: {parsing: {system: Extract., user: '{{ q }}'}}
context: {parsing: {json_schema: {}}}
conditions:
  - {name: ours, task: parsing, adapter: langchain}
  - {name: plain, task: parsing}
"""
    root = write({"readback.yml": yml, "d.jsonl": [{"id": "1", "q": "x"}, {"id": "2", "q": "y"}]})
    for form in ("messages-jsonl", "openai-batch"):
        more = ("--model", "m") if form == "openai-batch" else ()
        code, out, err = ran(capsys, root, "--as", form, *more)
        found = [json.loads(line) for line in out.splitlines()]
        assert [row.get("wording") for row in found] == [{"readback": ["langchain"]}, None] * 2
        assert err.count("langchain (2) of 4 lines in Readback's own words") == 1
        assert code == 0


def test_masked_records_say_so(write: Write, capsys: Output) -> None:
    source = {"path": "d.jsonl", "private": ["name"]}
    files = {
        "readback.yml": {"dataset": source, "modes": [{"mode": "m", "template": "{{ name }}"}]},
        "d.jsonl": [{"id": "1", "name": "Ann"}, {"id": "2"}],
    }
    _, out, err = ran(capsys, write(files), "--as", "messages-jsonl")
    found = [json.loads(line) for line in out.splitlines()]
    assert [row.get("masked") for row in found] == [True, None]
    assert "Ann" not in out
    assert "masked: 1 of 2 lines" in err


# Read again by Readback itself.

ODD = (
    "plain", "", " ", "\n", "text\n\n", "a\r\nb\r", "nul \0 nul", "{{ q }} {% raw %} {# no #} {0} %s", "\ud800",
    "x\udc00y", "\U0001f600 é \u2028 \u0085 \x7f", '"quoted" \\u0041 \\', "\ufeff", "[masked]", "null", "1e5",
    "\U000f0001 \U00100002",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(ODD) | st.text(st.characters(exclude_categories=())), min_size=1, max_size=4)


def odd(write: Write, texts: Sequence[str]) -> Workspace:
    lines = "".join(json.dumps({"id": f"r{n}", "q": text}) + "\n" for n, text in enumerate(texts))
    files = {
        "w/readback.yml": {
            "dataset": "d.jsonl",
            "modes": [
                {"mode": "m", "system": "S {{ q }}\n", "system_syntax": "text", "template": "<{{ q }}>"},
                {"mode": "n", "template": "{{ q }}"},
            ],
        },
        "w/d.jsonl": lines,
    }
    return workspace.open(write(files) / "w")


@settings(max_examples=some(12))
@given(TEXTS)
def test_lines_read_back_as_the_same_texts(write: Write, texts: list[str]) -> None:
    opened = odd(write, texts)
    path = opened.root.parent / "out.jsonl"
    choices = export_selections.list_default_selections(opened)
    found = export_to_file(opened, choices, "messages-jsonl", path)
    assert (found.written, found.failed) == (2 * len(texts), 0)
    assert read_again(path) == sent(opened, choices)


@settings(max_examples=50 if LONG else 3)
@given(TEXTS)
def test_parquet_reads_back_as_the_same_texts_but_for_lone_surrogates(write: Write, texts: list[str]) -> None:
    opened = odd(write, texts)
    path = opened.root.parent / "out.parquet"
    choices = export_selections.list_default_selections(opened)
    export_to_file(opened, choices, "parquet", path)
    again = list(open_dataset(path.parent, workspace.open(path).dataset).records())
    for row, expected in zip(again, sent(opened, choices), strict=True):
        if any("\ud800" <= char <= "\udfff" for _, text in expected for char in text):
            assert row.fields["error"]["code"] == "not-utf8"
            assert row.fields["messages"] is None
        else:
            assert [(one["role"], one["content"]) for one in row.fields["messages"]] == expected
            assert row.fields["error"] is None


def test_the_odd_ones_all_at_once(write: Write) -> None:
    opened = odd(write, ODD)
    choices = export_selections.list_default_selections(opened)
    for form, ending in (("messages-jsonl", "jsonl"), ("parquet", "parquet")):
        path = opened.root.parent / f"out.{ending}"
        found = export_to_file(opened, choices, form, path)  # type: ignore[arg-type]
        lone = 4 if form == "parquet" else 0
        assert (found.written, found.failed) == (2 * len(ODD) - lone, lone)
    lines = (opened.root.parent / "out.jsonl").read_text("utf-8")
    assert "\\ud800" in lines
    assert lines.isprintable() is False
    assert read_again(opened.root.parent / "out.jsonl") == sent(opened, choices)


def test_a_line_is_what_json_would_write(write: Write) -> None:
    opened = odd(write, [text for text in ODD if text.isascii()])
    out = io.BytesIO()
    for form in ("messages-jsonl", "openai-batch"):
        export(opened, export_selections.list_default_selections(opened), form, out, model="m")  # type: ignore[arg-type]
    for line in out.getvalue().decode().splitlines():
        assert line == json.dumps(json.loads(line), ensure_ascii=False)


def test_two_halves_that_json_would_join_are_an_error(write: Write) -> None:
    files = {
        "readback.yml": {"dataset": "d.jsonl", "modes": [{"mode": "m", "template": "{{ a }}{{ b }}"}]},
        "d.jsonl": json.dumps({"id": "1", "a": "\ud83d", "b": "\ude00"}) + "\n",
    }
    found, counts = made(workspace.open(write(files)))
    assert found[0]["error"]["code"] == "not-json"
    assert (counts.written, counts.failed) == (0, 1)


# The text without its origins is the text.

TEMPLATES = (
    "{{ q }}", "a {{ q|upper }}\n", "{% for c in q %}{{ loop.index }}{{ c }}{% endfor %}", "{{ q.x.y }}", "{% if",
    "{{ q | random }}", "{% set a = [q] %}{{ a.append(1) }}{{ a }}", "{{ q ~ '\U000f0001' }}", "{{ lipsum() }}",
    "{{ other|default('d') }}\r\n",
    "{% include 'x' %}", "{{ q.__class__ }}", "{{ q|tojson }}", "{{ 1/0 }}",
)  # fmt: skip


@pytest.mark.parametrize("template", TEMPLATES)
def test_without_origins_the_texts_and_what_went_wrong_are_the_same(write: Write, template: str) -> None:
    mode = {"mode": "m", "system": template, "system_syntax": "jinja", "template": template}
    files = {"readback.yml": {"dataset": "d.jsonl", "modes": [mode]}, "d.jsonl": [{"id": "1", "q": "ab{{ q }}"}]}
    opened = workspace.open(write(files))
    record = open_dataset(opened.root, opened.dataset).record(0)
    one, other = (assemble(opened, record, Selection(mode="m"), origins=origins) for origins in (True, False))
    assert [(m.role, m.text) for m in one.messages] == [(m.role, m.text) for m in other.messages]
    assert (one.fingerprint, one.diagnostics, one.names) == (other.fingerprint, other.diagnostics, other.names)


# What stops its child, and what is given up.


def evil(write: Write, count: int, bad: Sequence[int]) -> Workspace:
    modes = [
        {"mode": "bad", "template": "{% if evil %}" + LOOP + "{% endif %}{{ q }}"},
        {"mode": "good", "template": "{{ q }}"},
    ]
    data = [{"id": f"r{n}", "q": str(n), "evil": n in bad} for n in range(count)]
    return workspace.open(write({"readback.yml": {"dataset": "d.jsonl", "modes": modes}, "d.jsonl": data}))


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("kills", part([1, 9], 1))
def test_every_record_has_its_line_whatever_stops_or_is_given_up(
    write: Write, monkeypatch: pytest.MonkeyPatch, kills: int
) -> None:
    monkeypatch.setattr(children, "KILLS", kills)
    monkeypatch.setattr(rows, "FEWEST_RECORDS", 1)
    monkeypatch.setattr(rows, "MOST_RECORDS", 4)
    found, counts = made(evil(write, 8, (2, 5)))
    assert [(row["index"], row["mode"]) for row in found] == [(n, m) for n in range(8) for m in ("bad", "good")]
    texts = [row["messages"][0]["content"] for row in found if row["mode"] == "good"]
    assert texts == [str(n) for n in range(8)]
    failed = [row["index"] for row in found if "error" in row]
    assert failed == ([2, 5] if kills == 9 else list(range(2, 8)))
    assert all(row["error"]["code"] == "dat-limit" for row in found if "error" in row)
    assert (counts.written, counts.failed) == (16 - len(failed), len(failed))


@pytest.mark.usefixtures("hurried")
def test_a_mode_that_never_ends_is_an_error_for_every_record(write: Write) -> None:
    files = {
        "readback.yml": {"dataset": "d.jsonl", "modes": [{"mode": "m", "template": LOOP}]},
        "d.jsonl": [{"id": str(n)} for n in range(3)],
    }
    found, counts = made(workspace.open(write(files)))
    assert [row["error"]["code"] for row in found] == ["dat-limit"] * 3
    assert (counts.written, counts.failed) == (0, 3)


def test_an_export_that_is_stopped_says_so(write: Write) -> None:
    _, counts = made(evil(write, 20, ()), progress=lambda *_: False)
    assert counts.stopped


# The command.


@pytest.mark.parametrize(
    ("said", "code", "told"),
    [
        ("nowhere --as messages-jsonl", 2, "there is no such file"),
        ("{f} --as messages-jsonl --condition onee", 2, "did you mean 'one'?"),
        ("{f} --as messages-jsonl --mode shrt", 2, "did you mean 'short'?"),
        ("{f} --as messages-jsonl --judge j", 2, "no judge 'j'; the workspace has none"),
        ("{f} --as messages-jsonl --condition one --mode short", 2, "--mode cannot be used with --condition"),
        ("{f} --as messages-jsonl --model m", 2, "--model needs --as openai-batch"),
        ("{f} --as openai-batch", 2, "give --model NAME"),
        ("{f} --as messages-jsonl --jobs 0", 2, "give 1 or more"),
        ("{f} --as messages-jsonl -o {f}/none/out.jsonl", 2, "no such file or directory"),
        ("{f} --as messages-jsonl -o {f}", 2, "is a directory"),
        ("{f} --as messages-jsonl -o {f}/data.jsonl", 2, "is a file of the workspace"),
        ("{f} --as messages-jsonl", 0, "2 records x 2 conditions: 4 lines written, 0 could not be assembled"),
        ("{f} --as messages-jsonl --condition one", 0, "2 records x 1 condition: 2 lines written, 0 could"),
        ("{f} --as messages-jsonl --mode short", 0, "2 records x 1 mode: 2 lines written"),
        ("{f} --as openai-batch --condition one", 0, "2 lines written"),
        ("{f} --as parquet -o {f}/out.parquet -q", 0, ""),
    ],
)
def test_exit_codes_and_what_is_said(folder: Path, capsys: Output, said: str, code: int, told: str) -> None:
    before = (folder / "data.jsonl").read_bytes()
    found, out, err = ran(capsys, *said.format(f=folder).split())
    assert (found, told in err) == (code, True), err
    assert "Traceback" not in err
    assert bool(out) == (code == 0 and "-o" not in said)
    assert (folder / "data.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"readback.yml": "modes: [{mode: m, template: x}]\n"}, "no dataset"),
        ({"readback.yml": "dataset: d.jsonl\nmodes: [{mode: m, template: x}]\n", "d.jsonl": ""}, "there is no record"),
        ({"readback.yml": "dataset: d.jsonl\nmodes: [{mode: m, template: x}]\n"}, "is not there"),
        ({"readback.yml": "dataset: d.jsonl\n", "d.jsonl": '{"id": "1"}\n'}, "no condition, mode or task"),
    ],
)
def test_nothing_to_export_is_wrong_use_and_makes_no_file(
    write: Write, capsys: Output, files: dict[str, str], why: str
) -> None:
    root = write(files)
    code, _, err = ran(capsys, root, "--as", "messages-jsonl", "-o", root / "out.jsonl")
    assert (code, "nothing to export" in err, why in err) == (2, True, True), err
    assert [name for name in names(root) if "out" in name] == []


def test_what_failed_of_a_batch_is_in_a_file_beside_it(write: Write, capsys: Output) -> None:
    broken = FILE.replace("q.word", "q.word.more.most")
    root = write({"w/readback.yml": broken, "w/data.jsonl": ASKED})
    out, errors = root / "b.jsonl", root / "b.jsonl.errors.jsonl"
    code, _, err = ran(capsys, root / "w", "--as", "openai-batch", "--model", "m", "-o", out)
    assert (code, len(out.read_text().splitlines())) == (1, 2)
    assert [json.loads(line)["error"]["code"] for line in errors.read_text().splitlines()] == ["alb-render-error"] * 2
    assert f"2 of 4 requests could not be assembled; their errors are in {errors}" in err
    assert "2 records x 2 conditions: 2 lines written, 2 could not be assembled" in err
    write({"w/readback.yml": FILE.replace("q.word", "q")})
    assert ran(capsys, root / "w", "--as", "openai-batch", "--model", "m", "-o", out)[0] == 0
    assert sorted(names(root)) == ["b.jsonl", "w"]  # errors of an earlier export are none of this one


@pytest.mark.parametrize("form", ["messages-jsonl", "parquet"])
@pytest.mark.filterwarnings("error")
def test_a_file_is_there_whole_or_not_at_all(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, form: Form
) -> None:
    path = tmp_path_factory.mktemp("out") / "kept.jsonl"
    path.write_text("before")
    path.chmod(0o640)
    opened = workspace.open(folder)

    def breaks(*_: Any, **__: Any) -> Any:
        yield rows.Batch(['{"index": 1}'], frozenset(), 0, {})
        raise DatasetChanged("data.jsonl was changed")

    with monkeypatch.context() as patch:
        patch.setattr("readback.exporting.export.export_rows", breaks)
        with pytest.raises(DatasetChanged):
            export_to_file(opened, export_selections.list_default_selections(opened), form, path)
    assert path.read_text() == "before"
    assert names(path.parent) == ["kept.jsonl"]
    export_to_file(opened, export_selections.list_default_selections(opened), "messages-jsonl", path)
    assert len(path.read_text().splitlines()) == 4
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_link_and_a_device_stay_what_they_are(folder: Path, capsys: Output) -> None:
    target, link = folder / "target.out", folder / "link.out"
    target.write_text("")
    link.symlink_to(target)
    assert ran(capsys, folder, "--as", "messages-jsonl", "-o", link)[0] == 0
    assert link.is_symlink()
    assert len(target.read_text().splitlines()) == 4
    assert ran(capsys, folder, "--as", "messages-jsonl", "-o", "/dev/null")[0] == 0
    assert not Path("/dev/null").is_file()


def test_what_failed_of_a_batch_without_a_file_is_on_standard_error(folder: Path, write: Write, capsys: Output) -> None:
    write({"readback.yml": FILE.replace("q.word", "q.word.more.most")})
    code, out, err = ran(capsys, folder, "--as", "openai-batch", "--model", "m", "--condition", "two")
    assert (code, out) == (1, "")
    assert [json.loads(line)["index"] for line in err.splitlines() if line.startswith("{")] == [0, 1]


def test_a_terminal_gets_no_character_that_it_would_obey() -> None:
    out = io.BytesIO()
    line = json.dumps({"content": "a\x1b[31m \x9b31m \x7f é"}, ensure_ascii=False)
    TerminalOutput(out).write(line.encode())
    assert out.getvalue().decode() == line.replace("\x9b", "\\u009b").replace("\x7f", "\\u007f")
    assert json.loads(out.getvalue()) == json.loads(line)


def test_a_program_exports_as_the_command_does(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, capsys: Output
) -> None:
    _, out, _ = ran(capsys, folder, "--as", "messages-jsonl")
    study, path = readback.open(folder), tmp_path_factory.mktemp("out") / "study.jsonl"
    found = study.export(path)
    assert path.read_text() == out
    assert (found.written, found.failed) == (4, 0)
    with pytest.raises(ValueError, match="names its model"):
        study.export(path, "openai-batch")
    with pytest.raises(ValueError, match="no form"):
        study.export(path, "xml")  # type: ignore[arg-type]
    with pytest.raises(KeyError):
        study.export(path, condition="nobody")


# The page.


def taken(test: AppTest) -> tuple[str, bytes]:
    """The label of the download of all records, and what it holds."""
    button = next(one for one in test.get("download_button") if one.key == "export_take")
    _, job = test.session_state["asked_work"]["export_all"]
    return button.label, export_all.content(job.result.file)


def test_the_page_gives_what_the_command_writes(serving: Callable[[Mapping[str, Any]], Path], capsys: Output) -> None:
    root = serving({"readback.yml": FILE.replace("q.word", "q"), "data.jsonl": ASKED})
    test = page("prompts", condition="one")
    test.radio(key="export_under").set_value("all")
    label, content = taken(drawn(clicked(test, "export_make")))
    assert content.decode() == ran(capsys, root, "--as", "messages-jsonl")[1]
    assert label == f"Download the file, {len(content)} bytes"
    assert "2 records under 2 conditions or modes: messages for 4 were assembled, 0 could not be assembled" in words(
        test
    )


def test_the_page_takes_what_is_shown_alone_and_says_what_lacks(serving: Callable[[Mapping[str, Any]], Path]) -> None:
    serving({"readback.yml": FILE.replace("q.word", "q.word.more.most"), "data.jsonl": ASKED})
    test = page("prompts", condition="two")
    test.selectbox(key="export_form").set_value("openai-batch").run()
    assert "Each request names a model" in words(clicked(test, "export_make"))
    test.text_input(key="export_model").set_value("m").run()
    clicked(test, "export_make")
    assert [one.key for one in test.get("download_button") if one.key.startswith("export")] == [
        "export_take",
        "export_errors",
    ]


@pytest.mark.parametrize(
    ("size", "said"),
    [(0, "0 bytes"), (999, "999 bytes"), (1_000, "1.0 kB"), (3_200_000, "3.2 MB"), (5 * 10**12, "5000.0 GB")],
)
def test_a_size_in_words(size: int, said: str) -> None:
    with (cache_folder("exports") / "sized").open("wb+") as file:
        file.truncate(size)
        assert export_all.size(file) == said
    (cache_folder("exports") / "sized").unlink()
