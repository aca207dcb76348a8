"""A check that knows parts of its answer from earlier ones tells the same, byte for byte, and asks for nothing else."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from counts import many, part, some
from hypothesis import given
from hypothesis import strategies as st
from keeping import afresh, answer, keeping
from test_short_ways import files as drawn_files
from test_short_ways import near_files, near_row, regular, row

from readback import project_files, workspace
from readback.checks import (
    audit_run,
    chunk,
    engine,
    kept_answers,
    kept_digests,
    kept_parts,
    kept_sections,
    regular_records,
    repeat_pairs,
    rules,
)
from readback.checks.batch import Batch
from readback.checks.rules import Fault
from readback.checks.summary import Progress
from readback.checks.variables import shape
from readback.cli import main
from readback.prompts import in_child, in_chunks, trial
from readback.readers import cache_folder
from readback.readers.checksum import Hashes
from readback.records.dataset import Dataset, open_dataset
from readback.types import VariableUse

Write = Callable[[Mapping[str, Any]], Path]
FILES = {
    "readback.yml": """dataset: data.jsonl
models: {m: {type: base}}
adapters: [one.yml, two.yml]
modes:
  - {mode: a, system: Be brief., template_file: a.jinja}
  - {mode: b, template_file: b.jinja}
conditions:
  - {name: one, mode: a, model: m, adapter: first}
  - {name: two, mode: b, task: parsing, adapter: second}
  - {name: three, mode: b}
ignore: [{code: dat-crlf, why: so it is}]
scores: [scores.csv]
""",
    "a.jinja": "{{ q }} Answer:",
    "b.jinja": "Be brief. {{ q }} {{ missing }}\n",
    "one.yml": "name: first\ntasks: {generation: [{user: So be it.}]}\n",
    "two.yml": "name: second\ntasks: {parsing: [{user: 'As JSON: {{ q }}'}]}\n",
    "data.jsonl": "".join(json.dumps({"id": str(n), "q": f"Be brief. Why {n:03}?\ud800"}) + "\n" for n in range(9)),
    "scores.csv": "item,condition,criterion,score\n1,one,good,1\n1,two,good,0\n",
}
Asked = tuple[int, int, tuple[str, ...], bool]  # a range, conditions, whether the records alone


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of parts, empty."""
    return keeping(monkeypatch, tmp_path_factory.mktemp("cache"))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Asked]:
    """What children are asked from now on."""
    seen: list[Asked] = []
    really = audit_run.Run.work

    def work(
        run: Any, start: int, stop: int, choices: Any, records: bool = True, each: bool = False, **more: Any
    ) -> Any:
        seen.append((start, stop, tuple(one.condition for one in choices), records))
        return really(run, start, stop, choices, records, each, **more)

    monkeypatch.setattr(audit_run.Run, "work", work)
    return seen


ALL = ("one", "two", "three")


@pytest.mark.parametrize("jobs", [1, 2])
def test_nothing_is_asked_a_second_time(jobs: int, write: Write, asked: list[Asked]) -> None:
    folder = write(FILES)
    first = answer(folder, jobs=jobs)
    assert sorted(asked) == [(at, at + 3, ALL, True) for at in (0, 3, 6)]
    asked.clear()
    assert answer(folder, jobs=jobs) == first == afresh(folder)
    assert len(first) > 20
    assert len(asked) == 3  # those of afresh


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_what_is_new_begins_before_its_turn_and_is_told_at_it(
    jobs: int, write: Write, asked: list[Asked], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []
    really = engine._raw

    def raw(run: Any, start: int, *more: Any) -> Any:
        begun.append(start)
        return really(run, start, *more)

    rows = [json.dumps({"id": str(n), "q": f"Be brief. Why {n % 40:03}?"}) + "\n" for n in range(120)]
    folder = write({**FILES, "data.jsonl": "".join(rows[:108])})
    monkeypatch.setattr(kept_digests, "PART", 200)
    answer(folder, jobs=jobs)
    rows[33] = rows[33].replace("Why", "Who")
    (folder / "data.jsonl").write_text("".join(rows))
    asked.clear()
    monkeypatch.setattr(engine, "_raw", raw)
    last = answer(folder, jobs=jobs)
    new = [33, *range(108, 120, 3)]
    assert sorted(start for start, *_ in asked) == new
    assert sorted(begun) == ([*range(0, 120, 3)] if jobs > 1 else [])
    assert jobs == 1 or {33, 108} <= {*begun[: len(begun) // 2]}
    assert last == afresh(folder)


def test_records_that_are_new_or_another_are_asked_for_alone(write: Write, asked: list[Asked]) -> None:
    folder = write(FILES)
    answer(folder)
    asked.clear()
    data = folder / "data.jsonl"
    data.write_text(data.read_text().replace("Why 004", "Why 0_4") + '{"id": "9", "q": "More?"}\n')
    last = answer(folder)
    assert sorted(asked) == [(3, 6, ALL, True), (9, 10, ALL, True)]
    assert last == afresh(folder)


def test_what_a_record_repeats_is_read_again_only_where_either_is_another(
    write: Write, monkeypatch: pytest.MonkeyPatch, kept: Path
) -> None:
    compared: list[tuple[Any, Any]] = []
    really = repeat_pairs.Pairs.wait_for

    def wait_for(self: Any, pair: repeat_pairs.Pair, kinds: Any) -> None:
        compared.append((rows[pair[1]]["id"], rows[pair[2]]["id"]))
        really(self, pair, kinds)

    def asked(change: Callable[[list[dict[str, str]]], object]) -> list[tuple[Any, Any]]:
        change(rows)
        (folder / "data.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
        compared.clear()
        said = answer(folder)
        new = list(compared)
        assert said == afresh(folder)
        return new

    monkeypatch.setattr(repeat_pairs.Pairs, "wait_for", wait_for)
    rows = [{"id": str(n), "instruction": f"Why {n % 5}?"} for n in range(12)]
    folder = write({"readback.yml": "dataset: data.jsonl\nmodes: [{mode: m, template: '{{ instruction }}'}]\n"})
    every = [(str(n % 5), str(n)) for n in range(5, 12)]
    assert asked(lambda rows: None) == every
    assert asked(lambda rows: None) == []
    assert asked(lambda rows: rows.append({"id": "12", "instruction": "Why 3?"})) == [("3", "12")]
    # the ranges are of three records: what is compared with a record of the first one is compared again
    assert asked(lambda rows: rows[2].update(id="2b")) == [
        (first if first != "2" else "2b", later) for first, later in every if first in "012"
    ]
    assert asked(lambda rows: rows[1].update(instruction="Why 3?")) != []
    for one in (*kept.glob("*-repeats"), *kept.glob("*-first-records")):
        one.write_bytes(b"x" * one.stat().st_size)
    assert len(asked(lambda rows: None)) > 5


def test_of_a_rule_that_fails_for_a_record_that_repeats_another_nothing_is_kept(
    write: Write, monkeypatch: pytest.MonkeyPatch, kept: Path
) -> None:
    row = json.dumps({"id": "1", "instruction": "Why?"})
    folder = write({"readback.yml": FILES["readback.yml"].partition("\n")[0], "data.jsonl": f"{row}\n{row}\n"})
    with monkeypatch.context() as patch:
        patch.setattr(rules, "repeats", lambda *asked: [Fault("fmt-duplicate-instruction", "it broke")])
        answer(folder)
    assert list(kept.glob("*-repeats")) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "conditions"),
    [
        ("one.yml", "So be it", "So it is", ("one",)),
        ("a.jinja", "Answer", "Reply", ("one",)),
        ("b.jinja", "Be brief", "Be long", ("two", "three")),
        ("readback.yml", "{name: three, mode: b}", "{name: three, mode: a}", ("three",)),
        ("readback.yml", "ignore: [{code: dat-crlf", "ignore: [{code: fmt-markers", ()),
        ("scores.csv", "good,0", "good,1", ()),
    ],
)
def test_a_change_of_one_condition_is_asked_for_alone(
    file: str, old: str, new: str, conditions: tuple[str, ...], write: Write, asked: list[Asked]
) -> None:
    folder = write(FILES)
    answer(folder)
    asked.clear()
    text = (folder / file).read_text()
    assert text.count(old) == 1
    (folder / file).write_text(text.replace(old, new))
    last = answer(folder)
    assert sorted(asked) == ([(at, at + 3, conditions, False) for at in (0, 3, 6)] if conditions else [])
    assert last == afresh(folder)
    asked.clear()
    (folder / file).write_text(text)
    assert answer(folder) == afresh(folder)
    assert len(asked) == 3  # those of afresh: what was told before is still there


def test_what_every_choice_depends_on_is_asked_for_in_full(
    write: Write, asked: list[Asked], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(FILES)
    answer(folder)
    for name in ("package", "_installed", "language"):
        asked.clear()
        with monkeypatch.context() as patch:
            patch.setattr(kept_answers, name, lambda: "another")
            answer(folder)
        assert len(asked) == 3, name
    for file, old, new in (("readback.yml", "type: base", "type: rag_trained"), ("readback.yml", "brief.", "long.")):
        asked.clear()
        (folder / file).write_text((folder / file).read_text().replace(old, new))
        assert answer(folder) == afresh(folder)
        assert sorted(asked[:3]) == [(at, at + 3, ALL, True) for at in (0, 3, 6)]
    asked.clear()
    (folder / "answers.jsonl").write_text('{"id": "1", "response": "Yes."}\n')  # nobody knows what it may be
    assert answer(folder) == afresh(folder)
    assert len(asked) == 6
    assert answer(folder, select=["dat"]) == afresh(folder, select=["dat"])


def test_where_other_records_have_a_say_the_whole_file_counts(write: Write, asked: list[Asked]) -> None:
    config = FILES["readback.yml"] + "sent: [log.jsonl]\n"
    folder = write(FILES | {"readback.yml": config, "log.jsonl": '{"id": "3", "condition": "one", "prompt": "x"}\n'})
    answer(folder)
    asked.clear()
    with (folder / "data.jsonl").open("a") as data:
        data.write('{"id": "9", "q": "More?"}\n')
    assert answer(folder) == afresh(folder)
    assert len(asked) == 8


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def edited(chance: random.Random, folder: Path) -> None:
    """Something of a drawn workspace is another."""
    data, file = folder / "data.jsonl", folder / "readback.yml"
    records, config = lines(data.read_text("utf-8")), json.loads(file.read_text("utf-8"))
    at, new = (
        chance.randrange(len(records)),
        json.dumps(chance.choice((row, near_row))(chance, chance.randrange(20))) + "\n",
    )
    conditions, modes = config["conditions"], config.get("modes")
    match chance.randrange(9):
        case 0:
            records += [new]
        case 1:
            records[at] = new
        case 2:
            records.insert(at, chance.choice(("\n", new, "{broken\n")))
        case 3:
            del records[at]
            records = records or [new]
        case 4 if conditions:
            chance.choice(conditions)["mode"] = chance.choice(("instruction", "rag", "hybrid", "standard"))
        case 5 if conditions:
            conditions.pop(chance.randrange(len(conditions)))
        case 6 if modes:
            modes[0]["template"] += chance.choice((" {{ more }}", "\n", " {{ rag.prompt }}"))
        case 7 if modes:
            modes[0]["system"] = chance.choice(("Be brief.", "You are a research paper assistant."))
        case _:
            config["models"]["m0"]["type"] = chance.choice(("base", "rag_trained"))
    data.write_text("".join(records), "utf-8")
    file.write_text(json.dumps(config), "utf-8")


@pytest.mark.parametrize("drawn", [drawn_files, near_files])
def test_after_random_changes_the_answer_is_the_one_worked_out_afresh(
    drawn: Callable[[random.Random], Mapping[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    asked: list[Asked],
) -> None:
    monkeypatch.setattr(in_chunks, "MOST", 2)
    monkeypatch.setattr(trial, "too_slow", lambda *asked: {})
    with_parts = without = 0
    for seed in range(many(100, 2)):
        chance, folder = random.Random(seed), tmp_path / str(seed)
        folder.mkdir()
        for name, content in drawn(chance).items():
            (folder / name).write_text(content, "utf-8")
        for _ in range(5):
            asked.clear()
            known = answer(folder)
            with_parts += len(asked)
            asked.clear()
            assert known == afresh(folder), f"seed {seed}"
            without += len(asked)
            edited(chance, folder)
    assert with_parts < without


@pytest.mark.parametrize("name", part(sorted(project_files.demos(), reverse=True), 1))
def test_of_the_demos_the_second_answer_is_the_first(name: str, tmp_path: Path, asked: list[Asked]) -> None:
    folder = Path(shutil.copytree(project_files.demos()[name], tmp_path / "demo"))
    first = answer(folder)
    asked.clear()
    assert answer(folder) == first
    assert asked == []
    assert first == afresh(folder)


KILLED = """
import sys
from readback.checks import kept_answers, engine
from readback.prompts import in_chunks
from readback import workspace
kept_answers.SLOW, in_chunks.MOST = -1.0, 3
print("begins", flush=True)
engine.check(workspace.open(sys.argv[1]), jobs=2)
"""


def test_after_a_kill_the_check_goes_on_where_it_was(write: Write, kept: Path, asked: list[Asked]) -> None:
    rows = "".join(json.dumps({"id": str(n), "q": f"Be brief. Why {n}?"}) + "\n" for n in range(60))
    folder, chance = write(FILES | {"data.jsonl": rows}), random.Random(11)
    expected = afresh(folder)
    for _ in range(many(20)):
        for old in kept.iterdir():
            old.unlink()
        with subprocess.Popen([sys.executable, "-c", KILLED, str(folder)], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            wanted = chance.randrange(1, 15)  # parts that are there when it is killed
            while process.poll() is None and len(list(kept.glob("[!.]*"))) < wanted:
                time.sleep(0.002)
            process.send_signal(signal.SIGKILL)
        done = len(list(kept.glob("[!.]*")))
        asked.clear()
        assert answer(folder) == expected
        assert len(asked) == 20 - done < 20


def test_a_damaged_part_is_not_believed(write: Write, kept: Path, asked: list[Asked]) -> None:
    folder = write(FILES)
    first, chance = answer(folder), random.Random(3)
    path = min(kept.glob("?" * 32))
    whole = path.read_bytes()
    broken = [b"", whole[:-1], whole + b"\0", b"\0" * 40]
    for _ in range(some(50)):
        at = chance.randrange(len(whole))
        broken.append(whole[:at] + bytes([whole[at] ^ chance.randint(1, 255)]) + whole[at + 1 :])
    for damaged in broken:
        asked.clear()
        path.write_bytes(damaged)
        assert answer(folder) == first
        assert len(asked) == 1
        assert path.read_bytes() == whole
    for strange in (
        b"[]",
        b"{}",
        b'{"a": 1}',
        b"no JSON",
        b'[["a", 2]]',
        b"[[[], 0]]",
        b'[["a", "b"]]',
        b'[["a", -1]]',
    ):
        for head in (strange, len(strange).to_bytes(kept_sections.LENGTH, "big") + strange, zlib.compress(strange)):
            kept_answers.write(path, [head])
            assert answer(folder) == first
    sections = kept_sections.sections(path)
    kept_answers.write(path, [kept_sections.in_one_file(dict.fromkeys(sections, b"not packed"))])
    assert answer(folder) == first
    short, long = [[], [], [1], [], [0], [None], [], None], [[], [[]], [], [], [], [], [], None]  # of other ranges
    for strange in ([], 7, short, long, None):
        section = zlib.compress(json.dumps(strange).encode())
        kept_answers.write(path, [kept_sections.in_one_file(dict.fromkeys(sections, section))])
        assert answer(folder) == first


def test_of_a_range_that_stopped_failed_or_met_a_limit_nothing_is_kept(
    write: Write, monkeypatch: pytest.MonkeyPatch, kept: Path
) -> None:
    folder = write(FILES)
    really = chunk.rules.check

    def at(case: Any) -> int | None:
        return case.record and case.record.place.index

    def broken(case: Any, on: str, *more: Any) -> Any:
        yield from [Fault("fmt-markers", "it broke")] if at(case) == 4 else ()
        yield from really(case, on, *more)

    def limited(case: Any, on: str, *more: Any) -> Any:
        yield from (replace(one, code="dat-limit") if at(case) == 7 else one for one in really(case, on, *more))

    def stopped(case: Any, on: str, *more: Any) -> Any:
        if at(case) == 1:
            raise engine.sandbox.Stopped("time", "too long")
        return really(case, on, *more)

    for number, instead in enumerate((broken, limited, stopped)):
        with monkeypatch.context() as patch:
            patch.setattr(chunk.rules, "check", instead)
            answer(folder, jobs=1 + number % 2)
        assert len([one for one in kept.iterdir() if "-" not in one.name]) == 2, instead
        for old in kept.iterdir():
            old.unlink()
    assert engine.check(workspace.open(folder), progress=lambda done, total: done < 2, jobs=1).stopped
    assert list(kept.iterdir()) == []


def test_a_sample_an_upload_and_a_folder_with_a_link_have_no_parts(
    write: Write, kept: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: Any
) -> None:
    folder = write(FILES)
    list(engine.stream(workspace.open(folder), sample=5))
    with monkeypatch.context() as patch:
        patch.setenv("READBACK_UPLOADS", str(folder))
        answer(folder)
    (elsewhere := tmp_path_factory.mktemp("elsewhere") / "x.csv").write_text("a,b\n1,2\n")
    (folder / "x.csv").symlink_to(elsewhere)
    answer(folder)
    assert list(kept.iterdir()) == []


def test_what_changed_while_it_was_checked_is_not_kept(write: Write, kept: Path) -> None:
    folder = write(FILES)
    for step in engine.stream(workspace.open(folder), jobs=1):
        if isinstance(step, Progress) and step.done == 1:
            (folder / "notes.txt").write_text("a file that nobody reads")
    assert list(kept.iterdir()) == []


def test_parts_and_answers_together_have_a_bound(write: Write, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(FILES)
    answer(folder)
    each = max(one.stat().st_size for one in kept.iterdir())
    whole = cache_folder.cache_folder(kept_answers.KIND) / "an-answer"
    whole.write_bytes(b"x" * each)
    os.utime(whole, (1, 1))
    monkeypatch.setattr(kept_answers, "MOST", 3 * each)
    answer(folder, select=["fmt"])
    assert not whole.exists()
    assert sum(one.stat().st_size for one in kept.iterdir()) <= 4 * each
    monkeypatch.setattr(kept_parts, "LARGEST", 10)
    before = {one: one.read_bytes() for one in kept.iterdir()}
    answer(folder, select=["asm"])
    assert {one: one.read_bytes() for one in kept.iterdir()} == before


def test_a_file_has_so_many_sections_and_no_more(write: Write, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_parts, "SECTIONS", 6)
    folder = write(FILES)
    for codes in (["fmt"], ["asm"], ["dat"]):
        answer(folder, select=codes)
        for one in kept.glob("?" * 32):
            assert 0 < len(kept_sections.sections(one)) <= 6
    assert answer(folder, select=["dat"]) == afresh(folder, select=["dat"])


def test_without_room_on_the_disk_the_answer_is_told_all_the_same(
    write: Write, monkeypatch: pytest.MonkeyPatch, kept: Path
) -> None:
    def full(*args: Any, **more: Any) -> Any:
        raise OSError(28, "No space left on device")

    folder = write(FILES)
    first = afresh(folder)
    monkeypatch.setattr(kept_answers.tempfile, "mkstemp", full)
    assert answer(folder) == first
    assert list(kept.iterdir()) == []
    monkeypatch.setattr(kept_parts, "cache_folder", full)
    assert answer(folder) == first


def test_the_command_shows_parts_and_removes_them(write: Write, kept: Path, capsys: Any) -> None:
    answer(write(FILES))
    assert main(["cache", "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)["kept"]["parts"]
    assert said == {"entries": 4, "bytes": sum(one.stat().st_size for one in kept.iterdir())}
    assert main(["cache", "--clear"]) == 0
    assert "parts of answers of checks: 0 (0.0 MB)" in capsys.readouterr().out
    assert list(kept.iterdir()) == []


# Looks: what an earlier check saw of records, so that after another mode these need not be read again.

FORMATS = """dataset: {path: data.jsonl, id: task_id}
prompts: ["builtin:prompt-formats"]
models: {m: {type: base}}
conditions:
  - {name: one, mode: instruction, model: m}
  - {name: two, mode: rag, model: m}
  - {name: three, mode: hybrid, model: m}
"""


def regular_row(number: int, **other: Any) -> str:
    """A line with a record as the prompt formats want it, but for what is given otherwise."""
    return json.dumps({"task_id": f"t{number}", **regular(f"Where do {number} nets dry?").fields, **other}) + "\n"


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The records that children read from now on."""
    seen: list[int] = []
    really = in_child.Inside.records

    def records(self: in_child.Inside) -> Any:
        for record in really(self):
            seen.append(record.place.index or 0)
            yield record

    monkeypatch.setattr(in_child.Inside, "records", records)
    return seen


@pytest.mark.parametrize(
    ("old", "new", "read"),
    [
        ("hybrid", "standard", [4, 6]),  # with the same sentences around what is asked as in the stored prompt
        ("hybrid", "rag", [4, 6]),
        ("rag", "standard", [4, 6]),
        ("hybrid", "own", list(range(9))),  # of a template anything may be said
    ],
)
def test_after_another_mode_only_records_are_read_again_of_which_something_may_be_said(
    old: str, new: str, read: list[int], write: Write, looked_at: list[int], asked: list[Asked]
) -> None:
    config = f"{FORMATS}modes: [{{mode: own, template: '{{{{ instruction }}}}'}}]\n"
    rows = [regular_row(number) for number in range(9)]
    rows[4] = regular_row(4, instruction="Why?")  # one word says too little of its own
    rows[6] = regular_row(6, rag={"prompt": "Be brief.", "contexts": ["[1] a"]})
    folder = write({"readback.yml": config, "data.jsonl": "".join(rows)})
    answer(folder, jobs=1)
    assert looked_at == list(range(9))
    asked.clear()
    looked_at.clear()
    (folder / "readback.yml").write_text(config.replace(f"mode: {old},", f"mode: {new},"))
    last = answer(folder, jobs=1)
    assert [(at, records) for at, *_, records in asked] == [
        (at, False) for at in (0, 3, 6) if {at, at + 1, at + 2} & {*read}
    ]
    assert looked_at == read
    assert last == afresh(folder)


def test_where_contexts_were_not_looked_at_all_records_are_read_for_a_mode_that_sends_them(
    write: Write, looked_at: list[int]
) -> None:
    config = FORMATS.replace("mode: rag", "mode: instruction").replace("mode: hybrid", "mode: instruction")
    folder = write({"readback.yml": config, "data.jsonl": "".join(regular_row(number) for number in range(6))})
    answer(folder, jobs=1)
    looked_at.clear()
    (folder / "readback.yml").write_text(config.replace("three, mode: instruction", "three, mode: rag"))
    last = answer(folder, jobs=1)
    assert looked_at == list(range(6))
    assert last == afresh(folder)


@pytest.mark.parametrize(
    "looks",
    [
        *([about, [[113, 6507, 5, 6183]] * 3] for about in (None, 7, [], [["a"]], [[], [], False])),
        *([[["a"], [], True, True], sizes] for sizes in (None, [], [None] * 4, [[1, 2]] * 3, 7)),
        [],
        7,
    ],
)
@pytest.mark.parametrize("said", [json.dumps, lambda looks: looks])
def test_damaged_looks_are_not_believed(
    looks: Any, said: Callable[[Any], Any], write: Write, kept: Path, looked_at: list[int]
) -> None:
    folder = write({"readback.yml": FORMATS, "data.jsonl": "".join(regular_row(n) for n in range(3))})
    answer(folder)
    (path,) = kept.glob("?" * 32)
    damaged = {}
    for name, section in kept_sections.sections(path).items():
        *rest, _ = json.loads(zlib.decompress(section))
        damaged[name] = zlib.compress(json.dumps([*rest, said(looks)]).encode())
    kept_answers.write(path, [kept_sections.in_one_file(damaged)])
    (folder / "readback.yml").write_text(FORMATS.replace("mode: hybrid", "mode: standard"))
    last = answer(folder)
    looked_at.clear()
    assert last == afresh(folder)


def test_a_look_covers_another_that_demands_no_more() -> None:
    wide = regular_records.About(("a", "b"), ("x", "y"), True, True)
    for fewer in ({"sources": ("b",)}, {"own": ()}, {"contexts": False}, {"prompt": False}, {}):
        assert wide.covers(wide._replace(**fewer))
    for more in ({"sources": ("a", "c")}, {"own": ("x", "y", "z")}):
        assert not wide.covers(wide._replace(**more))
    for less in ({"contexts": False}, {"prompt": False}):
        assert not wide._replace(**less).covers(wide)


# Digests of ranges: of a part of the file that is what it was they are known, too.


@pytest.fixture
def digested(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The first records of the ranges that are hashed from now on."""
    seen: list[int] = []
    really = Dataset.digest

    def digest(self: Dataset, start: int, stop: int) -> str:
        seen.append(start)
        return really(self, start, stop)

    monkeypatch.setattr(Dataset, "digest", digest)
    return seen


def test_ranges_of_a_file_are_hashed_again_only_where_its_parts_are_others(
    write: Write, digested: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    long = len(regular_row(0))
    monkeypatch.setattr(kept_digests, "PART", long + long // 2)  # of which each record that is at 1, 4, … has two
    monkeypatch.setattr(in_chunks, "MOST", 1)
    rows = [regular_row(number) for number in range(6)]
    folder = write({"readback.yml": FORMATS, "data.jsonl": "".join(rows)})
    for name, content, expected in (
        ("readback.yml", FORMATS, list(range(6))),
        ("readback.yml", FORMATS.replace("hybrid", "standard"), []),
        ("data.jsonl", "".join([regular_row(9), *rows[1:]]), [0, 1]),
        ("data.jsonl", "".join([regular_row(9), *rows[1:5], regular_row(8)]), [4, 5]),
        ("data.jsonl", "".join([regular_row(9), *rows[1:5]]), [4]),
        ("data.jsonl", "".join([*rows[1:5], regular_row(9)]), [0, 1, 2, 3, 4]),
    ):
        (folder / name).write_text(content)
        digested.clear()
        found = answer(folder, jobs=1)
        assert digested == expected
        assert found == afresh(folder)


def test_a_file_that_is_another_than_the_one_that_was_opened_names_no_digest(write: Write) -> None:
    folder = write({"readback.yml": FORMATS, "data.jsonl": "".join(regular_row(number) for number in range(2))})
    opened = workspace.open(folder)
    data = open_dataset(opened.root, opened.dataset)
    known = kept_digests.KeptDigests(data, Hashes(), {})
    known.of(0, 2)
    (made,) = (known.new() or {}).items()
    assert made[1] == data.digest(0, 2)
    (folder / "new").write_text(regular_row(7))
    (folder / "new").rename(folder / "data.jsonl")
    wrong = kept_digests.KeptDigests(data, Hashes(), {made[0]: "x"})
    assert wrong.of(0, 2) == made[1]
    assert wrong.new() is None


@given(st.sets(st.integers(20, 31)), st.data())
def test_what_is_told_of_some_records_is_filled_in_with_what_was_seen_of_the_others(told: set[int], data: Any) -> None:
    """Records 20 to 31 of which a child tells some, in runs with the same uses; the others send what the plan says."""
    usual = [VariableUse("q", "used")]
    plans: Any = [SimpleNamespace(length=lambda size: 10 * size, uses=usual)]
    others = sorted(told)
    kinds = [data.draw(st.integers(0, 1)) for _ in others]
    shapes = [[shape([VariableUse("q", state)])] for state in ("null", "empty")]
    uses = [(at, shapes[kind]) for at, kind in enumerate(kinds) if not at or kind != kinds[at - 1]]
    findings = {at: [number] for at, number in enumerate(others) if number % 3 == 0}
    child = Batch(others, [[-number for number in others]] if others else [], [], uses, findings=findings)
    seen: Any = {number: number for number in range(20, 32) if number not in told}
    made = kept_parts._filled(range(20, 32), child, seen, plans)
    assert list(made.indices) == list(range(20, 32))
    assert list(made.longest[0]) == [-n if n in told else 10 * n for n in made.indices]
    of = dict(zip(others, (shapes[kind] for kind in kinds), strict=True))
    spread = [one for start, stop, one in made.same_uses() for _ in range(start, stop)]
    assert spread == [of.get(number, [shape(usual)]) for number in made.indices]
    assert made.findings == {number - 20: [number] for number in others if number % 3 == 0}
