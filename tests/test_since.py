"""What changed since a sign-off, a revision, a day or a lock: every change is named once and none is invented."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from counts import some
from hostile import git
from test_lock import FILE, study

from readback.cli import main

Write = Callable[[Mapping[str, Any]], Path]
Say = Callable[..., tuple[int, Any, str]]
SCORES = "item,condition,criterion,score\n1,one,good,1\n2,one,good,0\n1,two,good,1\n2,two,good,1\n"
# Each edit: the file, what is replaced by what, and the subjects and parts that it changes, and nothing else.
EDITS: Mapping[str, tuple[str, str, str, set[str]]] = {
    "template of one": ("readback.yml", 'template: "Q: {{ q }}"}', 'template: "Q. {{ q }}"}',
                        {'condition "one" messages'}),
    "template of two": ("readback.yml", "\\nA:", "\\nA: ", {'condition "two" messages', 'condition "two" model-input'}),
    "chat template": ("t.jinja", "{% endfor %}", "{% endfor %}.", {'condition "two" model-input', "finding"}),
    "a row": ("data.jsonl", "Why 2?", "Why two?", {'condition "one" messages', 'condition "two" messages',
                                                   'condition "two" model-input'}),
    "a score": ("s.csv", "2,one,good,0", "2,one,good,1", {"score one"}),
    "a fault": ("readback.yml", "conditions:", "judges: [{name: j, file: gone.txt}]\nconditions:", {"finding"}),
    "a comment": ("readback.yml", "conditions:", "# only a comment\nconditions:", set()),
}  # fmt: skip


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Say:
    """say(root, "--rev", "HEAD"): exit code, the JSON answer, what went to standard error."""

    def run(root: Path, *words: str, form: str = "json") -> tuple[int, Any, str]:
        code = main(["since", str(root), *words, "--format", form])
        out, err = capsys.readouterr()
        return code, json.loads(out) if form == "json" and out else out, err

    return run


@pytest.fixture(autouse=True)
def _own_reviews(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READBACK_STATE", str(tmp_path_factory.mktemp("state")))


def scored(write: Write) -> Path:
    study(write)
    return write({"readback.yml": FILE + "scores: [s.csv]\n", "s.csv": SCORES})


def commit(root: Path, message: str) -> None:
    git(root, "add", "-A")
    git(root, "-c", "user.name=n", "-c", "user.email=n@example.org", "commit", "-q", "--allow-empty", "-m", message)


def edit(root: Path, name: str) -> set[str]:
    file, old, new, changes = EDITS[name]
    path = root / file
    text = path.read_text()
    assert old in text, name
    path.write_text(text.replace(old, new, 1))
    return changes


def found(answer: Mapping[str, Any]) -> list[str]:
    """What an answer says has changed, each as often as it says so."""
    return [
        *(line["what"] for line in answer["prompts"]),
        *(f"score {next(iter((one['now'] or one['then'])['condition'].values()))}" for one in answer["scores"]),
        *(["finding"] if answer["findings"]["new"] or answer["findings"]["gone"] else []),
    ]


def test_every_change_of_seeded_histories_is_named_once_and_none_is_invented(write: Write, say: Say) -> None:
    for seed in range(some(40)):
        draw = random.Random(seed)
        root = scored(write)
        if not (root / ".git").exists():
            git(root, "init", "-q", "-b", "main")
        commit(root, f"before {seed}")
        before = git(root, "rev-parse", "HEAD").strip()
        expected: set[str] = set()
        for name in draw.sample(sorted(EDITS), draw.randint(0, 4)):
            expected |= edit(root, name)
            if draw.random() < 0.5:
                commit(root, name)
        code, answer, err = say(root, "--rev", before)
        assert (code, err) == (0, ""), seed
        assert sorted(found(answer)) == sorted(expected), (seed, answer)


@pytest.mark.parametrize("name", EDITS)
def test_what_changed_since_a_sign_off(write: Write, say: Say, capsys: pytest.CaptureFixture[str], name: str) -> None:
    root = scored(write)
    main(["review", "sign", str(root), "--subject", "study", "--as", "Ada"])
    main(["review", "decide", str(root), "--subject", "condition:one", "--accept", "--reason", "good", "--as", "Bo"])
    capsys.readouterr()
    expected = edit(root, name)
    answer = say(root)[1]
    assert sorted(found(answer)) == sorted(expected), answer["findings"]
    stale = {"signoff"} if any("condition" in one for one in expected) else set()
    stale |= {"decision"} if any('"one"' in one for one in expected) else set()
    assert {one["kind"] for one in answer["stale"]} == stale
    told = say(root, form="text")[1]
    assert told.startswith("Nothing changed since" if not expected else "Since the sign-off of Ada, ")


def test_what_changed_since_a_lock_and_a_day(write: Write, say: Say, capsys: pytest.CaptureFixture[str]) -> None:
    root = scored(write)
    main(["lock", str(root), "-q", "--records"])
    edit(root, "template of one")
    answer = say(root, "--lock", str(root / "readback.lock"))[1]
    assert found(answer) == ['condition "one" messages']
    assert answer["unknown"] == ["A lock keeps no findings and no scores, so these are not compared."]
    code, _, err = say(root, "--date", "2001-01-01")
    assert (code, "no sign-off of the whole study up to 2001-01-01" in err) == (2, True)
    main(["review", "sign", str(root), "--subject", "study"])
    capsys.readouterr()
    assert say(root, "--date", "2999-01-01", form="markdown")[1].startswith("Nothing changed since the sign-off of ")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "nobody has signed off the whole study yet"),
        (["--signoff", "x"], "no sign-off begins with 'x'"),
        (["--date", "soon"], "write a day as YYYY-MM-DD"),
        (["--rev", "HEAD"], "HEAD"),
        (["--lock", "none.lock"], "none.lock"),
    ],
)
def test_without_anything_of_then_it_says_so(write: Write, say: Say, words: list[str], why: str) -> None:
    code, _, err = say(scored(write), *words)
    assert code == 2
    assert why in err or "git" in err
