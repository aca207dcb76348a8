"""readback.lock: what stands in it, and what a later look says of it."""

import json
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from counts import many, part
from small_study import CHAT, DAY, DEMO, FILE, ROWS, study

from readback import workspace
from readback.cli import main
from readback.compare.side import Side, SideError
from readback.compare.sides import show_side
from readback.review.leaves import NothingToLock, compute_leaves
from readback.review.locks import lock_check, lock_file
from readback.review.locks.lock_check import SIDE
from readback.review.locks.lock_file import BadLock, NewerLock
from readback.testing import assert_locked
from readback.workspace import NothingRead

Write = Callable[[Mapping[str, Any]], Path]


def said(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main(["lock", *map(str, words), "-j", "1"])
    out, err = capsys.readouterr()
    return code, out, err


def stale(root: Path) -> dict[str, str]:
    """What `check` says is not the same, by the line's beginning."""
    checked = lock_check.check_lock(workspace.open(root), root / "readback.lock", jobs=1)
    assert checked is not None
    return {lock_file.format_head(line.subject): line.state for line in checked.stale}


def test_a_line_for_each_condition_and_layer_and_the_same_bytes_again(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    root = study(write)
    assert said(capsys, root)[0] == 0
    first = (root / "readback.lock").read_bytes()
    heads = [line.split(" records ")[0] for line in first.decode().splitlines() if line.startswith("condition")]
    assert heads == ['condition "one" messages 4', 'condition "two" messages 4', 'condition "two" model-input 4']
    code, out, _ = said(capsys, root)
    assert (code, "unchanged" in out, (root / "readback.lock").read_bytes() == first) == (0, True, True)
    assert said(capsys, "--check", root)[0] == 0


TWO = ['condition "two" messages', 'condition "two" model-input']


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        ({"file": FILE.replace("A:", "A: ")}, TWO),
        ({"chat": CHAT.replace("<", "[")}, ['condition "two" model-input']),
        ({"rows": [{**ROWS[0], "q": "Why not?"}, *ROWS[1:]]}, ['condition "one" messages', *TWO]),
        ({"rows": ROWS[::-1]}, []),
        ({"rows": [{**row, "unread": "x", "more": 1} for row in ROWS]}, []),
        ({"rows": [dict(reversed(row.items())) for row in ROWS]}, []),
        ({"file": "# a comment\n" + FILE + "language: fr\n"}, []),
        ({"chat": "{# a comment #}" + CHAT}, []),
    ],
    ids=["template", "chat template", "row", "order", "unread field", "order of fields", "comment", "comment in it"],
)  # fmt: skip
def test_what_changes_a_text_is_stale_and_nothing_else(write: Write, change: dict[str, Any], lines: list[str]) -> None:
    root = study(write)
    assert main(["lock", str(root), "-q", "-j", "1"]) == 0
    study(write, **change)
    assert list(stale(root)) == lines


def test_conditions_that_come_and_go_are_named(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    root = study(write)
    said(capsys, root)
    study(write, FILE.replace("name: one", "name: uno"))
    assert stale(root) == {'condition "one" messages': "gone", 'condition "uno" messages': "new"}
    code, out, _ = said(capsys, "--check", root)
    assert (code, "no longer in the workspace" in out, "not in the lock" in out) == (1, True, True)


def test_the_side_file_counts_what_changed(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    root = study(write)
    said(capsys, root, "--records")
    study(write, rows=[{**ROWS[0], "q": "Why not?"}, *ROWS[1:3], {"id": "9", "q": "New?"}])
    code, out, _ = said(capsys, "--check", root)
    assert code == 1
    counted = "1 of 4 records changed, 1 of them with another row in the dataset, 1 added, 1 removed"
    assert out.splitlines()[0] == f'condition "one" messages: {counted}'
    lock = root / "readback.lock"
    lock.write_text(lock.read_text() + "# another file by now\n")
    assert lock_file.read_records(lock) is None
    assert "records changed" not in said(capsys, "--check", root)[1]


def test_git_says_how_the_texts_changed(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    root = study(write)
    said(capsys, root)
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=root, check=True)
    study(write, FILE.replace("A:", "A:-"))
    code, out, _ = said(capsys, "--check", root)
    first = out.splitlines()[0]
    assert (code, first) == (
        1,
        'condition "two" messages: 4 of 4 prompts differ, all by this: B adds “-” at the end',
    )
    found = json.loads(said(capsys, "--check", root, "--format", "json")[1])
    assert [line["change"]["differing"] for line in found["lines"] if line["change"]] == [4, 4]
    (root / "readback.lock").write_text((root / "readback.lock").read_text() + "# not what was committed\n")
    assert "is not the one of HEAD" in said(capsys, "--check", root)[1]
    assert said(capsys, "--check", root, "--rev", "nowhere")[0] == 2


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "there is no readback.lock"),
        ("", "does not begin with"),
        ("something else\n", "does not begin with"),
        ("readback.lock 2\n", "newer Readback"),
        ("readback.lock 1\ncondition one messages\n", "line 2 is no line of a lock"),
        ('readback.lock 1\ncondition "a\\q" messages 1 record 0 failed sha256:' + "0" * 64, "line 2 is no line"),
        (
            2 * ('readback.lock 1\ncondition "a" messages 1 record 0 failed sha256:' + "0" * 64 + "\n"),
            "line 3 is no line",
        ),
        (b"readback.lock 1\n\xff", "not UTF-8"),
    ],
)
def test_what_is_no_lock_is_said(write: Write, capsys: pytest.CaptureFixture[str], text: Any, why: str) -> None:
    root = study(write)
    if text is not None:
        (root / "readback.lock").write_bytes(text if isinstance(text, bytes) else text.encode())
    code, _, err = said(capsys, "--check", root)
    assert code == 2
    assert why in err


def test_a_newer_lock_is_not_written_over(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    root = study(write)
    (root / "readback.lock").write_text("readback.lock 2\n")
    code, _, err = said(capsys, root)
    assert (code, (root / "readback.lock").read_text()) == (2, "readback.lock 2\n")
    assert "newer" in err
    with pytest.raises(NewerLock):
        lock_file.read_lock(root / "readback.lock")


def test_names_of_any_kind_are_read_as_they_were_written(write: Write) -> None:
    names = ['a "quoted" one', "new\nline", "tab\t", "naïve 中", "back\\slash", "sha256:", "# x"]
    conditions = "".join(f"  - {{name: {json.dumps(name)}, mode: a}}\n" for name in names)
    root = study(write, FILE.partition("conditions:")[0] + "conditions:\n" + conditions)
    opened = workspace.open(root)
    made = lock_file.build_lock(compute_leaves(opened, jobs=1) or pytest.fail("it was stopped"), "2026-01-02")
    assert [subject.choice.condition for subject in made.roots] == names
    assert lock_file.parse_lock(lock_file.format_lock(made)) == made
    with pytest.raises(BadLock, match="twice"):
        lock_file.parse_lock(lock_file.format_lock(made) + lock_file.format_lock(made).splitlines()[-1])


def test_the_day_of_a_lock_is_the_day_that_templates_print(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    root = study(write, FILE.removeprefix(DAY), "{{ strftime_now('%Y-%m-%d') }}" + CHAT)
    said(capsys, root)
    lock = root / "readback.lock"
    lock.write_text(
        "\n".join("today 2001-01-01" if line.startswith("today") else line for line in lock.read_text().split("\n"))
    )
    assert list(stale(root)) == ['condition "two" model-input']
    said(capsys, root)  # an existing lock keeps its day
    assert "today 2001-01-01" in lock.read_text()
    assert stale(root) == {}


def test_records_that_cannot_be_built_have_a_code(write: Write) -> None:
    root = study(write, FILE.replace("\\nA:", "{{ q.x.y }}"))
    found = compute_leaves(workspace.open(root), jobs=1) or pytest.fail("it was stopped")
    column = next(column for subject, column in found.columns.items() if subject.choice.condition == "two")
    assert column.failed == 4
    assert len(column.at(0) or "") < 64


def test_assert_locked_names_what_changed(write: Write) -> None:
    root = study(write)
    with pytest.raises(AssertionError, match="there is no readback"):
        assert_locked(root)
    main(["lock", str(root), "-q"])
    assert_locked(root)
    study(write, FILE.replace("A:", "A: "))
    with pytest.raises(AssertionError, match='condition "two" messages'):
        assert_locked(root)


NO_TEXT = ("scores", "logs")  # no text is made of what is in these folders


def edited(root: Path, seed: int) -> Iterator[Path]:
    """A random character of a random file that texts are made of, replaced by another one; then as it was."""
    draw = random.Random(seed)
    file = draw.choice([
        file for file in sorted(root.rglob("*"))
        if file.is_file() and file.parent.name not in NO_TEXT and file.name != "readback.lock"
    ])  # fmt: skip
    before = file.read_bytes()
    text = before.decode()
    at = draw.randrange(len(text))
    file.write_bytes((text[:at] + draw.choice("xX 0.\n{") + text[at + 1 :]).encode())
    yield file
    file.write_bytes(before)


def prints(root: Path) -> dict[str, list[tuple[str | None, str]]]:
    """Every fingerprint that pages and `diff` show, with the id of its record, by the line of a lock it belongs to, in
    the order of ids: a prompt that belongs to another record is another one.
    """
    opened = workspace.open(root)
    found = compute_leaves(opened, jobs=1)
    made: dict[str, list[tuple[str | None, str]]] = {}
    assert found is not None
    for subject in found.columns:
        side = Side(subject.choice, layer=SIDE[subject.layer])
        made[lock_file.format_head(subject)] = [(found.ids[at], shown(opened, side, at)) for at in found.order()]
    return made


def shown(opened: Any, side: Side, at: int) -> str:
    try:
        return show_side(opened, side, at).fingerprint
    except SideError:
        return "none"


@pytest.mark.long
@pytest.mark.parametrize(
    ("demo", "data", "changes"),
    part(
        [
            ("six-conditions", "data/harbour.jsonl", 500),
            ("town-hall-albert", "demandes.jsonl", 300),
            ("six-conditions-mistakes", "data/harbour.jsonl", 300),
            ("tri-section", "data/answers.jsonl", 300),
        ],
        1,
    ),
)
def test_random_changes_make_stale_what_they_change_and_nothing_else(
    tmp_path: Path, demo: str, data: str, changes: int
) -> None:
    root = tmp_path / "demo"
    shutil.copytree(DEMO.parent / demo, root)
    rows = (root / data).read_text().splitlines(keepends=True)
    (root / data).write_text("".join(rows[:3]))
    main(["lock", str(root), "-q", "-j", "1"])
    before, changed = prints(root), 0
    for seed in range(many(changes)):
        for file in edited(root, seed):
            try:
                found, now = stale(root), prints(root)
            except (NothingRead, NothingToLock):  # what is no workspace any more has nothing to be compared
                continue
            for head, line in before.items():
                assert (found.get(head) in ("changed", "gone")) == (now.get(head) != line), (seed, file, head)
            changed += bool(found)
    assert changed > 0
