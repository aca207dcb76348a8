"""What changed since a sign-off, a revision, a day or a lock: every change is named once and none is invented."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from counts import LONG, part
from hostile import git
from small_study import DEMO, FILE, study
from test_lock import prints

from readback import workspace
from readback.checks import groups
from readback.checks.run import engine
from readback.cli import main
from readback.review import signing
from readback.review.leaves import NothingToLock
from readback.scores import loading
from readback.scores.output import answer as score_answer
from readback.workspace import NothingRead

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
    for seed in range(40 if LONG else 3):
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


DEMOS = {"six-conditions": "data/harbour.jsonl", "six-conditions-mistakes": "data/harbour.jsonl",
         "tri-section": "data/answers.jsonl", "town-hall-albert": "demandes.jsonl"}  # fmt: skip


def a_character(root: Path, draw: random.Random) -> None:
    """Another character in a random file: a template, an adapter, a Modelfile, rows, answers, scores, requests."""
    files = [one for one in sorted(root.rglob("*")) if one.is_file() and ".git" not in one.parts and one.stat().st_size]
    file = draw.choice(files)
    text = file.read_text()
    at = draw.randrange(len(text))
    file.write_text(text[:at] + draw.choice("xX 0.1\n{") + text[at + 1 :])


def told_of(root: Path) -> tuple[dict[str, Any], dict[str, tuple[str, ...]], dict[str, Any]]:
    """What pages and commands show of a version: fingerprints by line, findings, rows of scores."""
    opened = workspace.open(root)
    audit = engine.check(opened, engine.CheckOptions(jobs=1))
    name = groups.names(audit)
    findings = {
        one.key: (one.code, one.severity, signing.describe_place(one, name(one.place)), one.message)
        for one in audit.findings
    }
    rows = score_answer.as_rows(loading.load(opened)) if opened.scores else []
    scores = {json.dumps([row["condition"], row["criterion"], row["judge"]]): [
        row["n"], row["failed"], row["missing"], row["not_applicable"], row["mean"],
        {value: n for value, n in row["distribution"].items() if n}] for row in rows}  # fmt: skip
    return prints(root), findings, scores


@pytest.mark.long
@pytest.mark.parametrize("demo", part(list(DEMOS), 1))
def test_random_histories_of_the_demos_are_told_as_they_are(tmp_path: Path, say: Say, demo: str) -> None:
    tried = 0
    for seed in range(10 if LONG else 1):
        draw = random.Random(f"{demo} {seed}")
        root = tmp_path / str(seed)
        shutil.copytree(DEMO.parent / demo, root)
        data = root / DEMOS[demo]
        data.write_text("".join(data.read_text().splitlines(keepends=True)[:3]))
        git(root, "init", "-q", "-b", "main")
        commit(root, "before")
        was = told_of(root)
        for _ in range(draw.randint(0, 3)):
            a_character(root, draw)
            if draw.random() < 0.5:
                commit(root, "edit")
        try:
            now = told_of(root)
        except (NothingRead, NothingToLock):  # what is no workspace any more has nothing to be compared
            continue
        tried += 1
        first = git(root, "rev-list", "--max-parents=0", "HEAD").strip()
        code, answer, err = say(root, "--rev", first)
        assert (code, err) == (0, ""), (seed, err)
        lines = {head for head in {*was[0], *now[0]} if was[0].get(head) != now[0].get(head)}
        assert sorted(line["what"] for line in answer["prompts"]) == sorted(lines), seed
        new, gone = (Counter(a[key] for key in a.keys() - b.keys()) for a, b in ((now[1], was[1]), (was[1], now[1])))
        for side, expected in (("new", new - gone), ("gone", gone - new)):
            said = Counter((o["code"], o["severity"], o["where"], o["message"]) for o in answer["findings"][side])
            assert said == expected, (seed, side)
        moved = {name for name in {*was[2], *now[2]} if was[2].get(name) != now[2].get(name)}
        rows = [one["now"] or one["then"] for one in answer["scores"]]
        assert sorted(json.dumps([r["condition"], r["criterion"], r["judge"]]) for r in rows) == sorted(moved), seed
    assert tried


@pytest.mark.parametrize("name", part(list(EDITS), 3))
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
