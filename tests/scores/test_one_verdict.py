"""Walk over folders and collect every sentence about a comparison, wherever it is shown: no two disagree."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import looking
import pytest
from score_files import Write

from readback import cli, project_files
from readback.review import agenda
from readback.scores import report

CASES = Path(__file__).parents[1] / "cases"
WITH_SCORES = ("39-mean-rises-with-failures", "45-two-scales-two-runs", "63-replies-that-are-no-json")
DATA = ("mtrag", "judge-outputs", "llmjudge", "beyond-the-cutoff", "beyond-the-cutoff-later")
ANSWER = re.compile(r"(?:Answer for |Which is better \()([^:()]+?)\)?: (.+?)\.(?=\s|$)")
CLEAR = re.compile(r"“([^”]+)” (?:is better|scores higher), and the difference is clear")
BEST = re.compile(r"“([^”]+)” is better than each of the \d+ others?, and every difference is clear")
UNSURE = re.compile(r"looks better|scores higher, but this is not certain|has the best mean")
DISPUTED = re.compile(r"(\S+): the (?:people|judges) disagree too much for their mean to be relied on")
FAIRNESS = re.compile(
    r"not known, because (?:the comparison is not fair|it cannot be told whether|no comparison in which)"
)
CONDITION = re.compile(r", provided the comparisons? (?:is|are) fair|; both sides have the same fault")


@dataclass(frozen=True, slots=True)
class Claim:
    """What a surface concludes under a criterion: `kind` is better, unsure, none, unknown or unfair."""

    surface: str
    criterion: str
    kind: str
    name: str = ""
    conditional: bool = False


def classify(surface: str, criterion: str, text: str) -> Claim:
    conditional = ", provided the comparison" in text
    if FAIRNESS.search(text):
        return Claim(surface, criterion, "unfair")
    if match := (CLEAR.search(text) or BEST.search(text)):
        return Claim(surface, criterion, "better", match[1], conditional)
    if UNSURE.search(text) and not text.startswith("no clear difference"):
        return Claim(surface, criterion, "unsure", "", conditional)
    kind = "unknown" if text.startswith("not known") else "none"
    return Claim(surface, criterion, kind, "", conditional)


def claims_of(surface: str, text: str) -> Iterator[Claim]:
    """Yield what a text concludes, and that those who judged disagree too much."""
    for match in ANSWER.finditer(text):
        yield classify(surface, match[1], match[2])
    for match in DISPUTED.finditer(text):
        yield Claim(surface, match[1], "disputed")


def find_disagreements(claims: list[Claim]) -> list[str]:
    """Return each claim that no claim of the command is like: the command concludes under every criterion."""
    wrong = []
    for one in claims:
        of_command = [each for each in claims if each.surface == "scores" and each.criterion == one.criterion]
        if not of_command:
            continue
        if one.kind == "disputed":
            if any(each.kind in ("better", "unsure") for each in of_command):
                wrong.append(f"{one.criterion}: {one.surface} calls it disputed, the command does not")
            continue
        same = any((each.kind, each.name) == (one.kind, one.name) for each in of_command)
        excused = one.kind == "unfair" and any(each.conditional for each in of_command)
        if not same and not excused:
            wrong.append(f"{one.criterion}: {one.surface} says {one.kind} {one.name}; {of_command}")
    return wrong


def collect(folder: Path, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> list[Claim]:
    """Return what every page and command concludes of the folder."""

    def run(*words: str) -> str:
        capsys.readouterr()
        cli.main(list(words))
        return capsys.readouterr().out

    claims = list(claims_of("scores", run("scores", str(folder))))
    data: Mapping[str, Any] = json.loads(run("scores", str(folder), "--format", "json") or "{}")
    for one in data.get("conclusions", ()):
        if one["answer"]:
            claims.append(classify("json", one["criterion"], one["answer"]))
            assert (one["better"] is not None) == (claims[-1].kind == "better"), one
    claims += claims_of("check", run("check", str(folder)))
    claims += claims_of("agenda", run("agenda", str(folder)))
    with tempfile.TemporaryDirectory() as beside:
        written = Path(beside) / "report.md"
        run("report", str(folder), "-o", str(written))
        claims += claims_of("report", written.read_text("utf-8") if written.exists() else "")
    patch.setenv("READBACK_WORKSPACE", str(folder))
    for name in ("scores", "overview"):
        text = looking.words(looking.page(name))
        claims += claims_of(name, text)
        clear = {each.name for each in claims if each.surface == "scores" and each.kind == "better"}
        shown = {match[1] for match in CLEAR.finditer(text)}
        assert shown <= clear, f"{name} calls {shown - clear} clearly better, the command does not"
    return claims


FOLDERS = {
    "two": lambda: {"s.csv": _rows(("a", "b"), lambda n, at: n % 5 + 3 * at)},
    "three": lambda: {"s.csv": _rows(("a", "b", "c"), lambda n, at: n % 5 + 3 * at)},
    "ties": lambda: {"s.csv": _rows(("a", "b", "c"), lambda n, at: 2)},
    "sentinels": lambda: {"s.csv": _rows(("a", "b"), lambda n, at: -1 if at and n % 3 == 0 else n % 5 + 3 * at)},
    "declared": lambda: {
        "s.csv": _rows(("a", "b"), lambda n, at: -1 if at and n % 3 == 0 else n % 5 + 3 * at),
        "readback.yml": "scores: [s.csv]\ncriteria: {grade: {scale: {min: 0, max: 9}}}\n",
    },
    "judges who disagree": lambda: {
        "s.csv": _rows(("a", "b"), lambda n, at: (n * 7) % 3 + at, "human:1")
        + _rows(("a", "b"), lambda n, at: (n * 5 + 1) % 3 + at, "human:2").split("\n", 1)[1]
    },
}


def _rows(names: tuple[str, ...], score: Any, judge: str = "j") -> str:
    lines = [f"q{n},{name},grade,{score(n, at)},{judge}\n" for n in range(40) for at, name in enumerate(names)]
    return "item,condition,criterion,score,judge\n" + "".join(lines)


@pytest.mark.parametrize("name", FOLDERS)
def test_no_two_sentences_disagree(
    write: Write, name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = collect(write(FOLDERS[name]()), capsys, monkeypatch)
    assert find_disagreements(claims) == []
    assert {"scores", "json"} <= {one.surface for one in claims}


@pytest.mark.parametrize("name", WITH_SCORES)
def test_no_two_sentences_disagree_in_the_cases(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "ws"
    shutil.copytree(CASES / name / "ws", folder)
    assert find_disagreements(collect(folder, capsys, monkeypatch)) == []


@pytest.mark.parametrize("name", sorted(project_files.demos()))
def test_no_two_sentences_disagree_in_the_demos(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_disagreements(collect(project_files.demos()[name], capsys, monkeypatch)) == []


@pytest.mark.realdata
@pytest.mark.parametrize("name", DATA)
def test_no_two_sentences_disagree_in_published_data(
    shared: Path, name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_disagreements(collect(shared / "data" / name, capsys, monkeypatch)) == []


def test_a_planted_disagreement_is_found(
    write: Write, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agenda gets a threshold of its own, as it once had: it then disputes what the others call clear."""
    agreed = _rows(("a", "b"), lambda n, at: n % 5 + 3 * at, "human:1")
    agreed += _rows(("a", "b"), lambda n, at: n % 5 + 3 * at + (n % 20 == 0), "human:2").split("\n", 1)[1]
    root = write({"s.csv": agreed})
    assert find_disagreements(collect(root, capsys, monkeypatch)) == []
    monkeypatch.setattr(agenda, "DISPUTED", 2.0)
    assert find_disagreements(collect(root, capsys, monkeypatch)) != []


def test_a_sentence_of_one_page_alone_is_found(
    write: Write, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = collect(write(FOLDERS["two"]()), capsys, monkeypatch)
    assert find_disagreements([*claims, Claim("overview", "grade", "better", "a")]) != []
    assert find_disagreements([*claims, Claim("report", "grade", "none")]) != []


def test_the_answer_is_made_of_the_same_words(write: Write) -> None:
    assert classify("x", "c", "“a” is better, and the difference is clear but small (+0.10 of 3 points)").name == "a"
    assert classify("x", "c", "not known, because the people disagree too much").kind == "unknown"
    assert report.FOUND["disputed"] == "disputed"
