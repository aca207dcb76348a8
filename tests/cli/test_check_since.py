"""What check --since says of a change: which prompts it changes and how, which findings are new, and to whom."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hostile import git
from hypothesis import given
from hypothesis import strategies as st

from readback import cli, workspace
from readback.cli.common.changes import build_change_json
from readback.compare import record_differences
from readback.compare.similarity import name_edit
from readback.records.dataset import open_dataset
from readback.review import since
from readback.review.leaves import Subject
from readback.review.locks import lock_check
from readback.types import Selection

Write = Callable[[Mapping[str, Any]], Path]
Output = pytest.CaptureFixture[str]
FILE = """dataset: data.jsonl
modes:
  - {mode: m, system: Be brief., template: "Context: {{ c }}\\n{{ q }}\\nAnswer:{% if hint %} {{ hint }}{% endif %}"}
conditions: [{name: RAG-trained, mode: m}, {name: other, mode: m}]
"""
ROWS = [{"id": f"r{n}", "q": f"Why {n}?", "c": f"it is {n}", "hint": ""} for n in range(12)]


@pytest.fixture(autouse=True)
def _own_reviews(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READBACK_STATE", str(tmp_path_factory.mktemp("state")))


def commit(root: Path, message: str = "m") -> None:
    if not (root / ".git").exists():
        git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", message)


@pytest.fixture
def folder(write: Write) -> Path:
    root = write({"readback.yml": FILE, "data.jsonl": ROWS})
    commit(root)
    return root


def edited(root: Path, old: str, new: str, file: str = "readback.yml") -> None:
    text = (root / file).read_text("utf-8")
    assert old in text
    (root / file).write_text(text.replace(old, new), "utf-8")


def answer(output: Output, root: Path, *words: Any) -> tuple[int, str, str]:
    code = cli.main(["check", str(root), *map(str, words)])
    said = output.readouterr()
    return code, said.out, said.err


def prompts(output: Output, root: Path, *words: Any) -> list[dict[str, Any]]:
    return json.loads(answer(output, root, "--since", "HEAD", "--format", "json", *words)[1])["since"]["prompts"]


def test_nothing_changed_is_said_and_known_findings_are_no_reason_to_fail(folder: Path, capsys: Output) -> None:
    edited(folder, '"q": "Why 3?"', '"q": "Be brief. Why 3?"', "data.jsonl")
    assert answer(capsys, folder)[0] == 1
    commit(folder)
    code, text, err = answer(capsys, folder, "--since", "HEAD")
    assert (code, err) == (0, "")
    assert "Since HEAD the prompts did not change, byte for byte." in text
    assert "known before" in text


def test_one_newline_in_every_prompt_is_one_kind_of_change_with_its_records(folder: Path, capsys: Output) -> None:
    edited(folder, "Answer:{%", "Answer:\\n{{ '' }}{%")
    code, text, _ = answer(capsys, folder, "--since", "HEAD")
    assert code == 0
    assert "12 of 12 prompts differ, all by this: Only white space differs: B adds a final newline" in text
    assert "for example r0, r1, r2" in text
    found = {one["what"]: one for one in prompts(capsys, folder)}
    assert set(found) == {'condition "RAG-trained" messages', 'condition "other" messages'}
    for one in found.values():
        assert (one["state"], one["differ"], one["change"]["looked_at"]) == ("changed", 12, 12)
        assert list(one["change"]["sentences"].values()) == [12]
        assert one["change"]["kinds"] == {"blank": 12}
        assert [[each["id"] for each in named] for named in one["change"]["examples"].values()] == [["r0", "r1", "r2"]]


def test_kinds_of_change_are_told_apart_and_counted(folder: Path, capsys: Output) -> None:
    rows = [
        {**row, "hint": "short"} if n < 3 else {**row, "c": "gone"} if n == 7 else row for n, row in enumerate(ROWS)
    ]
    (folder / "data.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    (one, _) = prompts(capsys, folder)
    assert one["differ"] == 4
    assert sorted(one["change"]["sentences"].values()) == [1, 3]
    assert {tuple(each["id"] for each in named) for named in one["change"]["examples"].values()} == {
        ("r0", "r1", "r2"),
        ("r7",),
    }
    text = answer(capsys, folder, "--since", "HEAD")[1]
    assert re.search(r"3 prompts: .*; for example r0, r1, r2\n", text)
    assert re.search(r"1 prompt: .*; for example r7\n", text)


def test_a_new_finding_fails_and_alone_is_listed_in_every_form(folder: Path, capsys: Output) -> None:
    edited(folder, '"q": "Why 3?"', '"q": "Be brief. Why 3?"', "data.jsonl")
    commit(folder)
    edited(folder, '"q": "Why 5?"', '"q": "Be brief. Why 5?"', "data.jsonl")
    for form, listed in {"jsonl": r"fmt-system-text-in-user", "github": r"^::", "sarif": r'"ruleId"',
                         "junit": r"\(key [0-9a-f]{16}\)$", "text": r"\(key [0-9a-f]{16}\)$"}.items():  # fmt: skip
        code, text, err = answer(capsys, folder, "--since", "HEAD", "--format", form)
        assert (code, err) == (1, ""), form
        assert len(re.findall(listed, text, re.M)) == 2, form  # one for each condition
        assert answer(capsys, folder, "--since", "HEAD", "--format", form, "--fail-on", "never")[0] == 0
    code, text, _ = answer(capsys, folder, "--since", "HEAD", "--format", "markdown")
    assert code == 1
    assert "New findings: 2 (2 errors, 0 warnings, 0 info); 2 known before." in text
    assert re.search(r"^- new: error fmt-system-text-in-user, data\.jsonl:6, .*\(and 1 more place\)$", text, re.M)


def test_a_baseline_is_known_beside_the_revision(folder: Path, tmp_path: Path, capsys: Output) -> None:
    edited(folder, '"q": "Why 5?"', '"q": "Be brief. Why 5?"', "data.jsonl")
    known = tmp_path / "known.jsonl"
    known.write_text(answer(capsys, folder, "--format", "jsonl")[1], "utf-8")
    assert answer(capsys, folder, "--since", "HEAD")[0] == 1
    assert answer(capsys, folder, "--since", "HEAD", "--baseline", known)[0] == 0


def test_conditions_rules_and_areas_narrow_both_sides_down(folder: Path, capsys: Output) -> None:
    edited(folder, "Answer:", "Reply:")
    edited(folder, '"q": "Why 5?"', '"q": "Be brief. Why 5?"', "data.jsonl")
    assert [one["what"] for one in prompts(capsys, folder, "--condition", "other")] == ['condition "other" messages']
    assert answer(capsys, folder, "--since", "HEAD", "--select", "scr")[0] == 0
    assert answer(capsys, folder, "--since", "HEAD", "--ignore", "fmt")[0] == 0


def test_a_condition_that_is_new_or_gone_is_called_so(folder: Path, capsys: Output) -> None:
    edited(folder, "name: other", "name: third")
    found = {one["what"]: (one["state"], one["said"]) for one in prompts(capsys, folder)}
    assert found == {
        'condition "other" messages': ("gone", "no longer there"),
        'condition "third" messages': ("new", "new"),
    }


def test_records_that_are_new_are_no_changed_prompts(folder: Path, capsys: Output) -> None:
    with (folder / "data.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "new", "q": "Why?", "c": "c", "hint": ""}\n')
    (one, _) = prompts(capsys, folder)
    assert (one["differ"], one["change"]["unpaired_a"]) == (0, 1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--since", "nonsense"), "no revision 'nonsense'"),
        (("--since", "HEAD~9"), "no revision 'HEAD~9'"),
        (("--since", "--upload-pack=x"), "expected one argument"),
        (("--since", ""), "--since : "),
        (("--since", "HEAD", "--sample"), "--since cannot be used with --sample"),
        (("--format", "markdown"), "--format markdown needs --since"),
    ],
)
def test_wrong_use_is_said_in_a_sentence(words: tuple[str, ...], said: str, folder: Path, capsys: Output) -> None:
    try:
        code, out, err = answer(capsys, folder, *words)
    except SystemExit as ended:  # argparse
        code, (out, err) = int(str(ended.code)), capsys.readouterr()
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_a_workspace_outside_git_has_no_revision(write: Write, capsys: Output) -> None:
    root = write({"readback.yml": FILE, "data.jsonl": ROWS})
    code, out, err = answer(capsys, root, "--since", "HEAD")
    assert (code, out) == (2, "")
    assert "is in no git repository" in err


def test_a_revision_without_the_workspace_is_named(folder: Path, capsys: Output) -> None:
    (folder / "sub").mkdir()
    for name in ("readback.yml", "data.jsonl"):
        (folder / "sub" / name).write_bytes((folder / name).read_bytes())
    code, out, err = answer(capsys, folder / "sub", "--since", "HEAD")
    assert (code, out) == (2, "")
    assert "sub/ was not there then" in err


def test_a_comment_makes_no_markup_of_what_a_prompt_says_and_calls_nobody(folder: Path, capsys: Output) -> None:
    odd = "![x](https://e.org/p.png) <b>@alice</b> #12 `c` | \x1b[31m *s* [ ]( "
    edited(folder, "Answer:", f"{odd.replace(chr(27), chr(92) + 'x1b')}:")
    edited(folder, "name: other", 'name: "@bob <i>#7"')
    text = answer(capsys, folder, "--since", "HEAD", "--format", "markdown")[1]
    assert "@alice" not in text.replace("&#8203;", "") or "@&#8203;alice" in text
    assert not re.search(r"[@#]\w", text.replace("@&#8203;", "").replace("#&#8203;", "").replace("&#8203;", ""))
    assert not re.search(r"(?<!\\)[<`*|]|(?<!\\)\[", text)
    assert "\x1b" not in text
    assert "@&#8203;bob" in text


def test_a_comment_stays_below_what_a_forge_takes(folder: Path, capsys: Output) -> None:
    many = ", ".join(f"{{name: 'c{n} {'x' * 900}', mode: m}}" for n in range(60))
    edited(folder, "conditions: [", f"conditions: [{many}, ")
    text = answer(capsys, folder, "--since", "HEAD", "--format", "markdown")[1]
    assert len(text) < 65_536
    assert "40 more groups of texts changed" in text


def test_the_words_of_every_record_are_those_that_comparing_it_alone_gives(folder: Path) -> None:
    """Grouping equal edits must not change what is said of a record, in whichever order the kinds come."""
    rows = []
    for n, row in enumerate(ROWS):
        more = {0: {"hint": "a"}, 1: {"hint": "b"}, 2: {"c": "it was"}, 3: {"q": f"Why {n}?\n"}, 4: {"q": "Why"}}
        rows.append({**row, **more.get(n % 6, {})})
    (folder / "data.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    edited(folder, "Answer:{%", "Answer: {{ '' }}{%")
    opened = workspace.open(folder)
    old, now = since.open_revision(opened, "HEAD")
    subject = Subject(Selection(condition="other"), "messages")
    change = lock_check.compare_versions(old, now, subject)
    side = lock_check.Side(subject.choice)
    before, after = open_dataset(old.root, old.dataset), open_dataset(now.root, now.dataset)
    alone = {
        at: lock_check._describe_pair(old, now, side, before.record(at), after.record(at)) for at in range(len(ROWS))
    }
    assert change.sentences == dict(Counter(alone.values()))
    assert change.looked_at == change.counted.differing == 12
    for words, named in change.examples.items():
        assert all(alone[at] == words for at, _ in named)


def test_of_too_many_edits_some_records_are_put_into_words(
    folder: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{**row, "c": f"other {n * n}"} for n, row in enumerate(ROWS)]
    (folder / "data.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    monkeypatch.setattr(record_differences, "MAX_EDITS", 5)
    monkeypatch.setattr(lock_check, "LOOKED_AT", 4)
    (one, _) = prompts(capsys, folder)
    assert (one["differ"], one["change"]["looked_at"]) == (12, 4)
    assert "4 of them were compared" in one["said"]
    assert all(each["id"] for named in one["change"]["examples"].values() for each in named)


TEXT = st.text("ab \n", max_size=12)


@given(TEXT, TEXT, TEXT, TEXT)
def test_an_edit_has_one_name_whatever_record_it_is_in(start: str, old: str, new: str, other: str) -> None:
    def of(value: str, was: str, now: str) -> str:
        return name_edit([("user", f"{value}\nQ: {was}.\n")], [("user", f"{value}\nQ: {now}.\n")])

    assert (of(start, old, new) == of(other, old, new)) or old == new
    assert of(start, old, new) != of(start, old, new + "c")
    assert of(start, old, new) != of(start, new, old) or old == new


def test_an_edit_of_the_list_of_messages_has_a_name_too() -> None:
    one, two = [("user", "a")], [("user", "b")]
    added = [name_edit(each, [("system", "s"), *each]) for each in (one, two)]
    assert added[0] == added[1]
    assert name_edit(one, [("system", "t"), *one]) != added[0]
    assert name_edit([("user", "\ud800")], [("user", "")]) != name_edit([("user", "\ud801")], [("user", "")])


def test_a_change_as_json_names_no_more_than_it_has(folder: Path) -> None:
    opened = workspace.open(folder)
    edited(folder, "Answer:", "Reply:")
    old, now = since.open_revision(workspace.open(folder), "HEAD")
    made = lock_check.compare_versions(old, now, Subject(Selection(condition="other"), "messages"))
    value = build_change_json(made)
    assert sum(value["sentences"].values()) == value["looked_at"] == len(opened.conditions) * 6
