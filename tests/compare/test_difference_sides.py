"""The two sides of a comparison: how they are written, what one takes from the other, and what they come to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from readback import workspace
from readback.compare.diff import compare_sides
from readback.compare.side import Side, SideError, format_label, read_sides
from readback.compare.sides import show_side
from readback.types import Selection

Write = Callable[[Mapping[str, Any]], Path]
FILE = """\
dataset: data.jsonl
modes:
  - {mode: short, system: 'Be brief.', template: '{{ q }}'}
  - {mode: long, template: 'Q: {{ q }}'}
conditions: [{name: 'one, first', mode: short}, {name: two, mode: long}, {name: three, mode: long, adapter: no_system}]
judges: {j: {prompts: judge.py}}
"""
ROWS = [{"id": "007", "q": "Why?"}, {"id": "008", "q": "Who?"}]
JUDGE = 'SYSTEM_PROMPT = "You judge."\nUSER_PROMPT = "Question: {question}\\nAnswer: {answer}"\n'
DOCUMENT = (("spacing", "document"),)


@pytest.fixture
def folder(write: Write) -> Path:
    return write({"readback.yml": FILE, "data.jsonl": ROWS, "judge.py": JUDGE})


def side(**parts: Any) -> Side:
    names = ("condition", "mode", "adapter", "task", "judge")
    return Side(Selection(**{name: parts.pop(name) for name in names if name in parts}), **parts)


@pytest.mark.parametrize(
    ("a", "b", "one", "other"),
    [
        ("condition=X,record=1", "condition=Y", side(condition="X", record="1"), side(condition="Y", record="1")),
        ("condition=X", "condition=Y,index=3", side(condition="X", index=3), side(condition="Y", index=3)),
        ("condition=X,record=1", "record=2", side(condition="X", record="1"), side(condition="X", record="2")),
        ("condition=X,record=1", "index=2", side(condition="X", record="1"), side(condition="X", index=2)),
        ("condition=X", "record=2", side(condition="X"), side(condition="X", record="2")),
        ("condition=X", "layer=wire", side(condition="X"), side(condition="X", layer="wire")),
        ("condition=X,layer=wire", "condition=Y", side(condition="X", layer="wire"), side(condition="Y", layer="wire")),
        ("condition=X", "spacing=document", side(condition="X"), side(condition="X", options=DOCUMENT)),
        ("condition=X,spacing=document", "condition=X", side(condition="X", options=DOCUMENT), side(condition="X")),
        ("condition=X,rev=v1", "condition=X", side(condition="X", rev="v1"), side(condition="X")),
        ("condition=X", "workspace=other", side(condition="X"), side(condition="X", workspace="other")),
        ("mode=m,adapter=x", "adapter=y", side(mode="m", adapter="x"), side(mode="m", adapter="y")),
        ("mode=m,adapter=x", "mode=m", side(mode="m", adapter="x"), side(mode="m")),
        ("mode=m,adapter=x", "mode=n", side(mode="m", adapter="x"), side(mode="n", adapter="x")),
        ("mode=m,adapter=x", "condition=X", side(mode="m", adapter="x"), side(condition="X")),
        ("condition=X,rev=v1", "condition=Y", side(condition="X", rev="v1"), side(condition="Y", rev="v1")),
        (
            "condition=X,spacing=document",
            "condition=Y",
            side(condition="X", options=DOCUMENT),
            side(condition="Y", options=DOCUMENT),
        ),
        ("mode=m,task=t", "task=u", side(mode="m", task="t"), side(mode="m", task="u")),
        ("mode=m", "task=t", side(mode="m"), side(task="t")),
        ("condition=X", "mode=m", side(condition="X"), side(mode="m")),
        ("judge=j,condition=X", "condition=Y", side(judge="j", condition="X"), side(judge="j", condition="Y")),
        ('condition="a, b"', r"condition=a\, b", side(condition="a, b"), side(condition="a, b")),
        (r'condition="say \"x\" \\ y"', "", side(condition='say "x" \\ y'), side(condition='say "x" \\ y')),
        (" condition = X , record = 1 ", "", side(condition="X", record="1"), side(condition="X", record="1")),
        ("condition=a=b", "", side(condition="a=b"), side(condition="a=b")),
        ("condition=l'été", "", side(condition="l'été"), side(condition="l'été")),
        ("", "", side(), side()),
    ],
)  # fmt: skip
def test_what_one_side_does_not_say_is_as_in_the_other(a: str, b: str, one: Side, other: Side) -> None:
    assert read_sides(a, b) == (one, other)


@pytest.mark.parametrize(
    ("a", "expected"),
    [
        ("cond=X", "unknown key 'cond'; did you mean 'condition'?"),
        ("conditon4=standard", "did you mean 'condition4'?"),
        ("zzz=1", "there are: condition, mode, task, adapter, judge, record, index, layer, workspace, rev, condition4"),
        ("condition", "write key=value"),
        ('condition="X', "write key=value"),
        ("condition=X record=1,=", "write key=value"),
        ("condition=X,condition=Y", "condition is said twice"),
        ("condition4=other", "condition4 is hybrid or standard, not 'other'"),
        ("judge_profile=split", "judge_profile is single, not 'split'"),
        ("layer=paper", "layer is messages or wire or training, not 'paper'"),
        ("index=-1", "'-1' is no such number"),
        ("index=²", "'²' is no such number"),
        ("record=1,index=1", "give one of them"),
        ("condition=", "condition has no value"),
    ],
)
def test_what_cannot_be_read_is_said_with_what_would_be_right(a: str, expected: str) -> None:
    with pytest.raises(SideError) as error:
        read_sides(a, "condition=Y")
    assert expected in str(error.value)


@given(some.text(max_size=40), some.text(max_size=40))
def test_reading_sides_answers_or_says_why(a: str, b: str) -> None:
    try:
        one, other = read_sides(a, b)
    except SideError:
        return
    assert isinstance(one, Side)
    assert isinstance(other, Side)


@given(some.text(min_size=1, max_size=20))
def test_any_name_can_be_quoted(name: str) -> None:
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    assert read_sides(f'condition="{quoted}"', "index=1")[1].choice.condition == name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("condition=twoo", "no condition 'twoo'; did you mean 'two'?"),
        ("condition=zzzz", "no condition 'zzzz'; there are: one, first, two, three"),
        ("mode=shrt", "did you mean 'short'?"),
        ("mode=long,adapter=no_systm", "did you mean 'no_system'?"),
        ("task=parsing", "no task 'parsing'; the workspace has none"),
        ("judge=jj", "did you mean 'j'?"),
        ("condition=two,record=009", "no record '009' among 2"),
        ("condition=two,index=2", "no record 2; there are 2, counted from 0"),
        ("", "say what is compared: condition=one, first | two | three; mode=short | long; judge=j"),
        ("condition=two,layer=wire", "no chat format is known"),
        ("condition=two,layer=training", "no layout is known"),
        ("condition=two,workspace=nowhere", "nowhere: there is no such file or folder"),
        ("condition=two,rev=HEAD", "is in no git repository"),
    ],
)
def test_what_is_not_there_is_said(folder: Path, text: str, expected: str) -> None:
    with pytest.raises(SideError) as error:
        show_side(workspace.open(folder), read_sides(text, text)[0])
    assert expected in str(error.value)


def test_a_side_shows_its_messages_and_says_what_it_is(folder: Path) -> None:
    shown = show_side(workspace.open(folder), side(condition="one, first"), at=1)
    assert [(m.role, m.text) for m in shown.messages] == [("system", "Be brief."), ("user", "Who?")]
    assert shown.label == "condition one, first, record 008"
    assert shown.assembly is not None
    assert shown.fingerprint == shown.assembly.fingerprint


def test_a_judge_is_shown_alone_and_for_a_condition(folder: Path) -> None:
    shown = show_side(workspace.open(folder), side(judge="j"))
    assert shown.messages[0].text == "You judge."


def test_another_workspace_is_looked_up_by_the_id_of_the_record(folder: Path, tmp_path: Path) -> None:
    (other := tmp_path / "other").mkdir()
    (other / "readback.yml").write_text(FILE, "utf-8")
    (other / "judge.py").write_text(JUDGE, "utf-8")
    (other / "data.jsonl").write_text('{"id": "008", "q": "Who then?"}\n', "utf-8")
    opened = workspace.open(folder)
    shown = show_side(opened, side(condition="two", workspace=str(other)), at=1)
    assert shown.messages[0].text == "Q: Who then?"
    with pytest.raises(SideError, match="no record '007' among 1"):
        show_side(opened, side(condition="two", workspace=str(other)), at=0)
    assert show_side(opened, side(condition="two", workspace=str(other), index=0)).messages[0].text == "Q: Who then?"


def test_options_of_a_side_replace_those_of_the_file(write: Write) -> None:
    row = {"id": "1", "instruction": "Why?", "rag": {"contexts": ["Because."], "prompt": "p"}}
    file = (
        "dataset: data.jsonl\noptions: {condition4: standard}\nprompts: [builtin:prompt-formats]\n"
        "models: {m: {type: instruction_only}}\nconditions: [{name: c, mode: rag, model: m}]\n"
    )
    opened = workspace.open(write({"readback.yml": file, "data.jsonl": [row]}))
    plain = show_side(opened, side(condition="c"))
    hybrid = show_side(opened, side(condition="c", options=(("condition4", "hybrid"),)))
    standard = show_side(opened, side(condition="c", options=(("condition4", "standard"),)))
    assert plain.messages[-1].text.startswith("Answer the question")
    assert hybrid.messages[-1].text.startswith("Question: Why?")
    assert compare_sides(plain, standard).equal
    assert not compare_sides(plain, hybrid).equal


def test_fields_mapped_on_a_page_stay_mapped_with_other_options(write: Write) -> None:
    file = "dataset: data.jsonl\nmodes: [{mode: m, template: '{{ query }}'}]\n"
    folder = write({"readback.yml": file, "data.jsonl": [{"id": "1", "text": "Why?"}]})
    opened = workspace.open(folder, fields={"query": "text"})
    shown = show_side(opened, side(mode="m", options=(("spacing", "document"),)))
    assert shown.messages[0].text == "Why?"


def test_the_label_names_all_that_was_asked() -> None:
    asked = side(
        mode="m", adapter="x", index=3, layer="wire", workspace="w", rev="v1", options=(("spacing", "document"),)
    )
    assert format_label(asked) == "mode m, adapter x, record 3, spacing document, layer wire, workspace w, revision v1"
