"""`readback diff`: the sentence, what changed line by line, counts over all records, and its exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import cli

Write = Callable[[Mapping[str, Any]], Path]
Output = pytest.CaptureFixture[str]
CONTEXT = "The tide turns at noon. " * 40
FILE = """\
dataset: data.jsonl
modes:
  - {mode: one, system: Be calm., template: "Question: {{ q }}\\n\\nContext:\\n{{ context }}\\n\\nAnswer:\\n\\n"}
  - {mode: two, system: Be calm., template: "Context:\\n{{ context }}\\n\\nQuestion: {{ q }}\\n\\nAnswer:\\n\\n"}
  - mode: brief
    system: Be calm.
    template: "Question: {{ q }}\\n\\nContext:\\n{{ context }}\\n\\nBe brief. Cite.\\n\\nAnswer:"
  - {mode: spaced, system: Be calm., template: "Question:\\t{{ q }}\\n\\nContext:\\n{{ context }}\\n\\nAnswer:\\n\\n"}
  - {mode: broken, template: "{{ q.x.y }}"}
"""
ROWS = [{"id": f"r{n}", "q": f"When, {n}?", "context": CONTEXT} for n in range(3)]


@pytest.fixture
def folder(write: Write) -> Path:
    return write({"readback.yml": FILE, "data.jsonl": ROWS})


def answer(output: Output, *words: Any) -> tuple[int, str, str]:
    code = cli.main(["diff", *(str(word) for word in words)])
    said = output.readouterr()
    return code, said.out, said.err


@pytest.mark.parametrize(
    ("a", "b", "code", "sentence"),
    [
        ("mode=one", "mode=one", 0, "A and B are equal byte for byte."),
        ("mode=one", "", 0, "A and B are equal byte for byte."),
        ("mode=one", "mode=two", 1,
         "The same parts in another order: B puts the q after the context in the user message."),
        ("mode=one", "mode=brief", 1,
         "B adds 2 sentences after the context and drops the final newline in the user message."),
        ("mode=one", "mode=spaced", 1,
         "Only white space differs: B puts a tab in place of a space in the user message."),
        ("mode=one,record=r0", "record=r1", 1, "Only values differ: B has another q in the user message."),
        ("mode=one", "mode=broken", 1, "B has no messages: they could not be built."),
    ],
)  # fmt: skip
def test_it_says_in_a_sentence_what_differs(
    folder: Path, capsys: Output, a: str, b: str, code: int, sentence: str
) -> None:
    found, out, _ = answer(capsys, folder, "--a", a, "--b", b)
    assert (found, out.split("\n")[3]) == (code, sentence)
    found, out, _ = answer(capsys, folder, "--a", a, "--b", b, "--format", "json")
    assert (found, json.loads(out)["sentence"]) == (code, sentence)


def test_it_shows_what_went_and_what_came(folder: Path, capsys: Output) -> None:
    _, out, _ = answer(capsys, folder, "--a", "mode=one", "--b", "mode=two")
    assert out.startswith("A  mode one, record r0\nB  mode two, record r0\n\nThe same parts in another order")
    assert "=== system: equal, 8 characters" in out
    assert "\n- Question: When, 0?\n" in out
    assert "\n+ Question: When, 0?\n" in out
    assert "equal characters …" in out
    assert CONTEXT not in out


def test_white_space_is_spelled_out_where_nothing_else_differs(folder: Path, capsys: Output) -> None:
    _, out, _ = answer(capsys, folder, "--a", "mode=one", "--b", "mode=spaced")
    assert "\n- ·\n+ →\n" in out


def test_json_holds_every_change_exactly(folder: Path, capsys: Output) -> None:
    code, out, _ = answer(capsys, folder, "--a", "mode=one", "--b", "mode=brief,index=1", "--format", "json")
    made = json.loads(out)
    assert (code, made["equal"], made["coarse"]) == (1, False, False)
    assert (made["a"]["mode"], made["a"]["index"], made["b"]["mode"], made["b"]["options"]) == ("one", 1, "brief", {})
    assert len({*made["fingerprints"].values()}) == 2
    user = made["messages"][1]
    assert (user["role_a"], user["role_b"]) == ("user", "user")
    text = "".join(change["text_a"] for change in user["changes"])
    assert text == f"Question: When, 1?\n\nContext:\n{CONTEXT}\n\nAnswer:\n"
    assert [change["kind"] for change in user["changes"]] == ["equal", "added", "equal", "removed"]
    assert user["changes"][-1]["text_a"] == "\n"
    assert all(text[slice(*change["a"])] == change["text_a"] for change in user["changes"])


def test_records_are_counted(folder: Path, capsys: Output) -> None:
    code, out, err = answer(capsys, folder, "--a", "mode=one", "--b", "mode=two", "--records")
    assert code == 1
    assert "3 of 3 records differ, 0 are equal byte for byte\n        3 in the order of the same parts\n" in out
    assert out.endswith("first: r0, r1, r2\n")
    assert err == ""
    code, out, _ = answer(capsys, folder, "--a", "mode=one", "--b", "mode=one", "--records", "--format", "json")
    made = json.loads(out)
    assert (code, made["equal"], made["differing"], made["kinds"], made["first"]) == (0, 3, 0, {}, [])


def test_records_that_cannot_be_built_are_said(folder: Path, capsys: Output) -> None:
    code, out, _ = answer(capsys, folder, "--a", "mode=one", "--b", "mode=broken", "--records")
    assert code == 1
    assert "0 of 3 records differ, 0 are equal byte for byte\n        3 only A could be assembled\n" in out


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("mode=on", "", "no mode 'on'; did you mean 'one'?"),
        ("moed=one", "", "unknown key 'moed'; did you mean 'mode'?"),
        ("mode=one,record=r9", "", "no record 'r9' among 3"),
        ("mode=one,index=9", "", "no record 9; there are 3, counted from 0"),
        ("mode=one", "rev=HEAD~1", "is in no git repository"),
        ("mode=one", "workspace=/nonexistent", "there is no such file or folder"),
        ("mode=one", "layer=wire", "no chat format is known"),
        ("", "", "say what is compared: mode=one | two"),
    ],
)
@pytest.mark.parametrize("more", [(), ("--records",)])
def test_wrong_use_is_said_and_leaves_with_2(
    folder: Path, capsys: Output, a: str, b: str, expected: str, more: tuple[str, ...]
) -> None:
    if more and ("record=" in a or "index=" in a):
        return  # all records are meant then
    code, out, err = answer(capsys, folder, "--a", a, "--b", b, *more)
    assert (code, out) == (2, "")
    assert expected in err


def test_why_there_are_no_messages_is_said_beside_it(folder: Path, capsys: Output) -> None:
    _, _, err = answer(capsys, folder, "--a", "mode=one", "--b", "mode=broken")
    assert err.startswith("readback: B: ")


def test_text_of_others_does_not_command_the_terminal(
    write: Write, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"id": "\x1b]0;x\x07", "q": "\x1b[31mred", "context": "c"}, {"id": "2", "q": "blue", "context": "c"}]
    folder = write({"readback.yml": FILE, "data.jsonl": rows})
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    _, out, _ = answer(capsys, folder, "--a", "mode=one", "--b", "index=1", "--color", "always")
    assert "\x1b[31mred" not in out
    _, out, _ = answer(capsys, folder, "--a", "mode=one", "--b", "index=1", "--color", "never")
    assert "\x1b" not in out
    assert "\\x1b[31mred" in out


@pytest.mark.realdata
def test_the_two_layouts_of_condition_4(shared: Path, capsys: Output) -> None:
    words = ("--a", "condition=hybrid_science_0p5b_instruction_only", "--b", "condition4=standard")
    code, out, _ = answer(capsys, shared / "data" / "prompt-formats", *words)
    assert code == 1
    assert "\nThe order changed: B puts the question after the context and " in out
    assert "\n- Question: " in out
    assert "\n+ Question: " in out
    code, out, _ = answer(capsys, shared / "data" / "prompt-formats", *words, "--records")
    assert (code, "16 of 16 records differ" in out, "16 in the order of the same parts" in out) == (1, True, True)
    same = ("--a", "condition=hybrid_science_0p5b_instruction_only", "--b", "condition=ft_rag_instruction")
    assert answer(capsys, shared / "data" / "prompt-formats", *same)[0] == 0
