"""What is kept of which record has a text first changes no answer, whatever became of the records since."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from counts import many
from keeping import afresh, answer, keeping

from readback.checks import engine, first_records, kept_first_records

Write = Callable[[Mapping[str, Any]], Path]
CONFIG = """dataset: data.jsonl
modes: [{mode: m, template: '{{ instruction }}'}]
training: [held.jsonl]
"""


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of parts; few marks fit into memory."""
    monkeypatch.setattr(first_records, "HELD", 8)
    monkeypatch.setattr(first_records, "RUNS", 3)
    return keeping(monkeypatch, tmp_path_factory.mktemp("cache"))


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The records whose marks are looked at from now on."""
    seen: list[int] = []
    really = first_records.FirstRecords.take

    def take(first: Any, marks: Sequence[int], records: Sequence[int]) -> Any:
        seen.extend(records)
        return really(first, marks, records)

    monkeypatch.setattr(first_records.FirstRecords, "take", take)
    return seen


def row(number: int, text: str) -> str:
    return json.dumps({"id": str(number), "instruction": text, "contexts": ["So."]}) + "\n"


def learned(text: str) -> str:
    return json.dumps({"prompt": f"Question: {text}\n\nAnswer:", "completion": "So."}) + "\n"


def test_of_records_that_are_what_they_were_no_mark_is_looked_at(
    write: Write, kept: Path, looked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [row(number, f"Why {number % 40}?") for number in range(90)]
    folder = write({"readback.yml": CONFIG.partition("training")[0], "data.jsonl": "".join(rows)})

    def asked(new: Sequence[str]) -> set[int]:
        (folder / "data.jsonl").write_text("".join(new))
        looked.clear()
        said = answer(folder)
        new_marks = set(looked)
        assert said == afresh(folder)
        return new_marks

    assert asked(rows) == {*range(90)}
    assert asked(rows) == set()
    assert asked([*rows, row(90, "Why 3?"), row(91, "What?")]) == {90, 91}
    few = [one for one in kept.iterdir() if one.name.endswith(kept_first_records.NAME)]
    before = few[0].read_bytes()
    assert asked([*rows, row(90, "Why 3?")]) == {90}
    assert [one.read_bytes() for one in few] == [before]  # little was new
    rows[45] = row(45, "Why 2?")
    assert asked(rows) == {*range(45, 90)}
    assert [one.read_bytes() for one in few] != [before]
    assert asked(rows) == set()
    rows[0] = row(0, "Who?")
    assert asked(rows) == {*range(90)}


@pytest.mark.parametrize("config", [CONFIG, CONFIG.partition("training")[0]], ids=["two files", "one file"])
def test_after_random_changes_the_answer_is_the_one_worked_out_afresh(
    config: str, tmp_path: Path, looked: list[int]
) -> None:
    """Where there are two files, what is kept is good for changes of neither: of what is to be ignored, say."""
    known = without = 0
    for seed in range(many(60, 2)):
        chance, folder = random.Random(seed), tmp_path / str(seed)
        folder.mkdir()
        texts = [f"Why {number}?" for number in range(20)]
        rows = [row(number, chance.choice(texts)) for number in range(40)]
        held = [learned(chance.choice(texts)) for _ in range(9)]
        for step in range(6):
            (folder / "readback.yml").write_text(f"{config}ignore: [{{code: dat-crlf, why: reason {step}}}]\n")
            (folder / "data.jsonl").write_text("".join(rows))
            (folder / "held.jsonl").write_text("".join(held))
            looked.clear()
            said = answer(folder)
            known += len(looked)
            looked.clear()
            assert said == afresh(folder), f"seed {seed}"
            without += len(looked)
            at = chance.randrange(len(rows))
            match chance.randrange(6 if config == CONFIG else 4):
                case 0:
                    rows += [row(len(rows) + more, chance.choice(texts)) for more in range(chance.randrange(1, 12))]
                case 1:
                    rows[at] = row(at, chance.choice(texts))
                case 2:
                    del rows[at + 1 :]
                case 3:
                    rows.insert(at, row(100 + at, "Else?"))
    assert known < 0.8 * without


@pytest.mark.parametrize("place", [0.0, 0.3, 0.6, 0.97, 1.0])
def test_what_is_damaged_is_not_believed(place: float, write: Write, kept: Path, looked: list[int]) -> None:
    rows = "".join(row(number, f"Why {number % 20}?") for number in range(30))
    folder = write({"readback.yml": CONFIG, "data.jsonl": rows, "held.jsonl": learned("Why 1?")})
    answer(folder)
    (file,) = kept.glob(f"*-{kept_first_records.NAME}")
    content = file.read_bytes()
    at = min(int(len(content) * place), len(content) - 1)
    for changed in (content[:at], content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]):
        file.write_bytes(changed)
        looked.clear()
        said = answer(folder)
        assert {*range(30)} <= {*looked}
        assert said == afresh(folder)


def test_of_a_rule_that_fails_nothing_is_kept(write: Write, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError("oh")

    rows = "".join(row(number, "Why?") for number in range(6))
    folder = write({"readback.yml": CONFIG, "data.jsonl": rows, "held.jsonl": learned("Who?")})
    monkeypatch.setattr(engine.rules.RULES()["fmt-duplicate-instruction"].logic, "repeats", broken)
    assert answer(folder)[-1]["faults"]
    assert list(kept.glob(f"*-{kept_first_records.NAME}")) == []


def test_what_is_kept_does_not_grow_with_each_change(write: Write, kept: Path) -> None:
    rows = [row(number, f"Why {number}?") for number in range(60)]
    folder = write({"readback.yml": CONFIG.partition("training")[0], "data.jsonl": ""})
    runs: list[int] = []
    for change in range(12):
        rows[30:] = [row(number, f"Why {change} {number}?") for number in range(30, 60)]
        (folder / "data.jsonl").write_text("".join(rows))
        answer(folder)
        newest = max(kept.glob(f"*-{kept_first_records.NAME}"), key=lambda one: one.stat().st_mtime_ns)
        known = kept_first_records._read(newest, first_records.FirstRecords())
        assert known
        assert all(len(run.marks) for run in known.runs)
        runs.append(len(known.runs))
        known.file.close()
    assert max(runs[6:]) <= max(runs[:6]) + 1
    assert len(list(kept.glob(f"*-{kept_first_records.NAME}"))) == 1
