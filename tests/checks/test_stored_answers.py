"""What a check found is stored by content: asked again it is there at once, and anything else is worked out anew."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from counts import many, part, some
from drawn_workspaces import files as drawn_files
from drawn_workspaces import near_files, near_row, row
from unforked import unforked

from readback import as_json, project_files, workspace
from readback.checks.rules import Fault
from readback.checks.run import audit_run, chunk, engine
from readback.checks.store import answer_names, answer_store, stored_check, stored_ranges
from readback.checks.store.answer_store import AnswerStore
from readback.checks.summary import Audit, Progress
from readback.cli import main
from readback.prompts import children, model_input
from readback.readers.files import cache_folder, checksum
from readback.sandbox.json_values import to_json_values
from readback.types import Finding, Workspace

Write = Callable[[Mapping[str, Any]], Path]
FILES = {
    "readback.yml": """dataset: data.jsonl
models: {m: {type: base, tokenizer: qwen3, context: 20}}
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


@pytest.fixture(autouse=True)
def store(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> AnswerStore:
    """An empty store, for which every check is slow enough, in ranges of three records."""
    monkeypatch.setenv("READBACK_CACHE", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setattr(stored_check, "SLOW", -1.0)
    monkeypatch.setattr(stored_ranges, "SLOW", -1.0)
    monkeypatch.setattr(children, "MAX_RECORDS", 3)
    opened = answer_store.open_store()
    assert opened is not None
    return opened


@pytest.fixture
def ranges_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Store no whole check, so that ranges are looked for; work in this process."""
    monkeypatch.setattr(stored_check, "_can_store", lambda audit: False)
    unforked(monkeypatch)


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The ranges of records that children are asked for from now on."""
    seen: list[tuple[int, int]] = []
    really = audit_run.Run.stream_range

    def stream_range(run: Any, work: Mapping[str, Any]) -> Any:
        seen.append((work["start"], work["stop"]))
        return really(run, work)

    monkeypatch.setattr(audit_run.Run, "stream_range", stream_range)
    return seen


def names(store: AnswerStore) -> set[str]:
    """The names of the stored answers."""
    if not store.path.exists():
        return set()
    with sqlite3.connect(store.path) as file:
        return {name for (name,) in file.execute("SELECT name FROM answer")}


def ask(folder: Path, **more: Any) -> tuple[list[Any], bool]:
    """Findings and summary as JSON values, and whether they were worked out."""
    steps = list(engine.stream(workspace.open(folder), engine.CheckOptions(**more)))
    assert isinstance(steps[-1], Audit)
    values = [as_json.finding_to_json(one) if isinstance(one, Finding) else to_json_values(one)
              for one in steps if not isinstance(one, Progress)]  # fmt: skip
    return json.loads(json.dumps(values)), any(isinstance(one, Progress) for one in steps)


def ask_afresh(folder: Path, **more: Any) -> list[Any]:
    """The same as if nothing was stored."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answer_store, "open_store", lambda: None)
        return ask(folder, **more)[0]


# Whole checks.


@pytest.mark.parametrize("together", [2, 500])
def test_the_second_time_the_same_is_answered_and_nothing_worked_out(
    together: int, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_check, "TOGETHER", together)
    folder = write(FILES)
    first, worked = ask(folder)
    again, anew = ask(folder)
    assert (worked, anew) == (True, False)
    assert again == first == ask_afresh(folder)
    assert len(first) > 20
    audit = engine.check(workspace.open(folder))
    assert json.loads(json.dumps(to_json_values(audit))) == first[-1]


def over(path: Path, old: str, new: str) -> None:
    """Change some bytes, so that size and time stay those of before."""
    before = path.stat()
    text = path.read_text("utf-8")
    assert old in text
    assert len(old.encode()) == len(new.encode())
    path.write_text(text.replace(old, new), "utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("data.jsonl", "Why 007?", "Why 009?"),
        ("a.jinja", "Answer", "answer"),
        ("readback.yml", "context: 20", "context: 21"),
        ("scores.csv", "good,0", "good,1"),
    ],
)
def test_a_byte_of_any_file_is_another_answer_though_size_and_time_are_the_same(
    file: str, old: str, new: str, write: Write
) -> None:
    folder = write(FILES)
    ask(folder)
    over(folder / file, old, new)
    assert ask(folder)[1]
    assert not ask(folder)[1]


def test_a_file_more_or_less_is_another_answer(write: Write) -> None:
    folder = write(FILES)
    ask(folder)
    (folder / "sub").mkdir()
    (folder / "sub" / "Modelfile").write_text("FROM x\n")
    assert ask(folder)[1]
    (folder / "scores.csv").unlink()
    assert ask(folder)[1]


@pytest.mark.parametrize("more", [{"select": ["dat"]}, {"ignore": ["fmt"]}, {"conditions": ["one"]}, {"baseline": "b"}])
def test_another_question_has_an_answer_of_its_own(more: dict[str, Any], write: Write) -> None:
    folder = write(FILES)
    first, _ = ask(folder)
    if "baseline" in more:
        more = {"baseline": {first[0]["key"]}}
    other, worked = ask(folder, **more)
    assert worked
    assert other[-1] != first[-1]
    assert ask(folder, **more) == (other, False)
    assert ask(folder) == (first, False)


def test_another_version_another_day_or_another_language_is_another_answer(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(FILES)
    ask(folder)
    for name in ("digest_package", "_list_installed", "language"):
        with monkeypatch.context() as patch:
            patch.setattr(answer_names, name, lambda: "another")
            assert ask(folder)[1], name
        assert not ask(folder)[1], name

    today = model_input.resolve_today(workspace.open(folder))
    assert not list(progress(replace(workspace.open(folder), today=today)))
    assert list(progress(replace(workspace.open(folder), today="2030-01-01")))


def progress(opened: Workspace) -> Iterator[Progress]:
    return (one for one in engine.stream(opened) if isinstance(one, Progress))


@pytest.mark.usefixtures("hurried")
def test_what_failed_was_stopped_or_met_a_limit_is_not_stored(
    write: Write, monkeypatch: pytest.MonkeyPatch, store: AnswerStore
) -> None:
    monkeypatch.setattr(stored_ranges, "open_ranges", lambda *asked: None)
    folder = write(FILES)
    assert engine.check(workspace.open(folder), engine.CheckOptions(progress=lambda done, total: done < 3)).stopped
    with monkeypatch.context() as patch:
        patch.setattr(
            engine.workspace_check, "check_workspace", lambda *asked: iter([Fault("fmt-markers", "it broke")])
        )
        assert engine.check(workspace.open(folder)).faults
    hangs = FILES | {"a.jinja": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"}
    audit = engine.check(workspace.open(write(hangs)))
    assert (audit.limited, "dat-limit" in audit.counts) == (True, True)
    assert names(store) == set()


def test_a_sample_an_upload_and_a_folder_with_a_link_are_not_stored(
    write: Write, store: AnswerStore, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = write(FILES)
    list(engine.stream(workspace.open(folder), engine.CheckOptions(sample=5)))
    with monkeypatch.context() as patch:
        patch.setenv("READBACK_UPLOADS", str(folder))
        ask(folder)
    (elsewhere := tmp_path_factory.mktemp("elsewhere") / "x.csv").write_text("a,b\n1,2\n")
    (folder / "x.csv").symlink_to(elsewhere)
    ask(folder)
    assert names(store) == set()


def test_what_changed_while_it_was_checked_is_not_stored(write: Write, store: AnswerStore) -> None:
    folder = write(FILES)
    for step in engine.stream(workspace.open(folder), engine.CheckOptions(jobs=1)):
        if isinstance(step, Progress) and step.done == 1:
            (folder / "notes.txt").write_text("a file that nobody reads")
    assert names(store) == set()


def test_a_file_that_cannot_be_read_now_is_left_to_the_check(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: Path, start: int, end: int) -> str:
        raise PermissionError(13, "Permission denied")

    folder = write(FILES)
    first, _ = ask(folder)
    monkeypatch.setattr(checksum, "hash_part", fail)
    assert ask(folder) == (first, True)


# Ranges of records.


@pytest.mark.usefixtures("ranges_only")
@pytest.mark.parametrize("jobs", [1, 2])
def test_only_ranges_with_another_record_are_worked_out(jobs: int, write: Write, spans: list[tuple[int, int]]) -> None:
    folder = write(FILES)
    first, _ = ask(folder, jobs=jobs)
    assert sorted(spans) == [(0, 3), (3, 6), (6, 9)]
    spans.clear()
    assert ask(folder, jobs=jobs)[0] == first == ask_afresh(folder)
    assert len(spans) == 3  # those of ask_afresh
    data = folder / "data.jsonl"
    data.write_text(data.read_text("utf-8").replace("Why 004", "Who 004") + '{"id": "9", "q": "More?"}\n', "utf-8")
    spans.clear()
    changed, _ = ask(folder, jobs=jobs)
    assert sorted(spans) == [(3, 6), (9, 10)]
    assert changed == ask_afresh(folder)


@pytest.mark.usefixtures("ranges_only")
@pytest.mark.parametrize("name", ["a.jinja", "one.yml", "readback.yml", "scores.csv"])
def test_where_another_file_changes_every_range_is_worked_out(
    name: str, write: Write, spans: list[tuple[int, int]]
) -> None:
    folder = write(FILES)
    ask(folder)
    spans.clear()
    (folder / name).write_text((folder / name).read_text("utf-8").replace("one", "one").rstrip() + "\n\n", "utf-8")
    answer, _ = ask(folder)
    assert len(spans) == 3
    assert answer == ask_afresh(folder)


@pytest.mark.usefixtures("ranges_only")
def test_where_other_records_count_the_whole_file_does(write: Write, spans: list[tuple[int, int]]) -> None:
    config = FILES["readback.yml"] + "sent: [log.jsonl]\n"
    folder = write(FILES | {"readback.yml": config, "log.jsonl": '{"id": "3", "condition": "one", "prompt": "x"}\n'})
    ask(folder)
    spans.clear()
    with (folder / "data.jsonl").open("a") as data:
        data.write('{"id": "9", "q": "More?"}\n')
    answer, _ = ask(folder)
    assert len(spans) == 4
    assert answer == ask_afresh(folder)


@pytest.mark.usefixtures("ranges_only")
def test_of_a_range_that_stopped_failed_or_met_a_limit_nothing_is_stored(
    write: Write, monkeypatch: pytest.MonkeyPatch, store: AnswerStore
) -> None:
    folder = write(FILES)
    really = chunk.rules.check

    def number(case: Any) -> int | None:
        return case.record and case.record.place.index

    def break_rule(case: Any, on: str, *more: Any) -> Any:
        yield from [Fault("fmt-markers", "it broke")] if number(case) == 4 else ()
        yield from really(case, on, *more)

    def limit(case: Any, on: str, *more: Any) -> Any:
        yield from (replace(one, code="dat-limit") if number(case) == 7 else one for one in really(case, on, *more))

    def stop(case: Any, on: str, *more: Any) -> Any:
        if number(case) == 1:
            raise engine.sandbox.Stopped("time", "too long")
        return really(case, on, *more)

    for jobs, instead in enumerate((break_rule, limit, stop), 1):
        with monkeypatch.context() as patch:
            patch.setattr(chunk.rules, "check", instead)
            ask(folder, jobs=min(jobs, 2))
        assert len(names(store)) == 2, instead
        store.path.unlink()
        store._close()


def edit(chance: random.Random, folder: Path) -> None:
    """Change something of a drawn workspace."""
    data, file = folder / "data.jsonl", folder / "readback.yml"
    records, config = data.read_text("utf-8").splitlines(keepends=True), json.loads(file.read_text("utf-8"))
    at = chance.randrange(len(records))
    new = json.dumps(chance.choice((row, near_row))(chance, chance.randrange(20))) + "\n"
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


@pytest.mark.usefixtures("ranges_only")
@pytest.mark.parametrize("drawn", [drawn_files, near_files])
def test_after_random_changes_the_answer_is_the_one_worked_out_afresh(
    drawn: Callable[[random.Random], Mapping[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    spans: list[tuple[int, int]],
) -> None:
    monkeypatch.setattr(children, "MAX_RECORDS", 2)
    monkeypatch.setattr(children, "find_slow_selections", lambda *asked: {})
    with_store = without = 0
    for seed in range(many(100, 2)):
        chance, folder = random.Random(seed), tmp_path / str(seed)
        folder.mkdir()
        for name, content in drawn(chance).items():
            (folder / name).write_text(content, "utf-8")
        for _ in range(5):
            spans.clear()
            answer, _ = ask(folder)
            with_store += len(spans)
            spans.clear()
            assert answer == ask_afresh(folder), f"seed {seed}"
            without += len(spans)
            edit(chance, folder)
    assert with_store < without


@pytest.mark.usefixtures("ranges_only")
@pytest.mark.parametrize("name", part(sorted(project_files.demos(), reverse=True), 1))
def test_of_the_demos_the_second_answer_is_the_first(name: str, tmp_path: Path, spans: list[tuple[int, int]]) -> None:
    folder = Path(shutil.copytree(project_files.demos()[name], tmp_path / "demo"))
    first, _ = ask(folder)
    spans.clear()
    assert ask(folder)[0] == first
    assert spans == []
    assert first == ask_afresh(folder)


KILLED = """
import sys
from readback.checks.run import engine
from readback.checks.store import stored_check, stored_ranges
from readback.prompts import children
from readback import workspace
stored_check.SLOW = stored_ranges.SLOW = -1.0
children.MAX_RECORDS = 3
print("begins", flush=True)
engine.check(workspace.open(sys.argv[1]), engine.CheckOptions(jobs=2))
"""


@pytest.mark.usefixtures("ranges_only")
def test_after_a_kill_the_check_goes_on_where_it_was(
    write: Write, store: AnswerStore, spans: list[tuple[int, int]]
) -> None:
    rows = "".join(json.dumps({"id": str(n), "q": f"Be brief. Why {n}?"}) + "\n" for n in range(60))
    folder, chance = write(FILES | {"data.jsonl": rows}), random.Random(11)
    expected = ask_afresh(folder)
    for _ in range(many(20)):
        store.path.unlink(missing_ok=True)
        with subprocess.Popen([sys.executable, "-c", KILLED, str(folder)], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            wanted = chance.randrange(1, 15)  # ranges that are stored when it is killed
            while process.poll() is None and len(known(store)) < wanted:
                time.sleep(0.002)
            process.send_signal(signal.SIGKILL)
        done = len(known(store))
        spans.clear()
        assert ask(folder)[0] == expected
        assert len(spans) == 20 - done < 20


def known(store: AnswerStore) -> set[str]:
    """The names of the stored answers, while another process writes some."""
    try:
        return names(store)
    except sqlite3.Error:
        return set()


# The store.


def test_damaged_bytes_are_never_believed(tmp_path: Path) -> None:
    path, chance = tmp_path / "answers.sqlite3", random.Random(3)
    content = {f"name {n}": [f"piece {n} {k} ".encode() * 300 for k in range(3)] for n in range(20)}
    fresh = AnswerStore(path)
    for name, pieces in content.items():
        fresh.write(name, pieces)
    assert {name: fresh.read(name) for name in content} == content
    fresh._close()
    whole = path.read_bytes()
    for _ in range(some(100)):
        at = chance.randrange(len(whole))
        path.write_bytes(whole[:at] + bytes([whole[at] ^ chance.randint(1, 255)]) + whole[at + 1 :])
        damaged = AnswerStore(path)
        for name, pieces in content.items():
            assert damaged.read(name) in (None, pieces)
        damaged.write("another", [b"x"])
        damaged._close()
    for strange in (b"", b"no database at all", whole[: len(whole) // 2], b"\0" * 5_000):
        path.write_bytes(strange)
        replaced = AnswerStore(path)
        assert replaced.read("name 1") in (None, content["name 1"])
        replaced.write("name 1", [b"x"])
        replaced.write("name 1", [b"y", b"z"])
        assert replaced.read("name 1") == [b"y", b"z"]
        replaced._close()


def test_a_damaged_answer_is_worked_out_again(write: Write, store: AnswerStore) -> None:
    folder = write(FILES)
    first, _ = ask(folder)
    with sqlite3.connect(store.path) as file:
        file.execute("UPDATE piece SET content = 'x' || content")
    assert ask(folder) == (first, True)
    assert ask(folder) == (first, False)


def test_answers_that_an_older_version_wrote_otherwise_are_worked_out_again(write: Write, store: AnswerStore) -> None:
    folder = write(FILES)
    first, _ = ask(folder)
    for name in names(store):
        store.write(name, [b"not packed"])
    assert ask(folder) == (first, True)


def test_a_file_of_another_version_of_the_tables_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite3"
    with sqlite3.connect(path) as file:
        file.executescript("CREATE TABLE answer (name); CREATE VIEW piece AS SELECT 1; PRAGMA user_version = 9")
    store = AnswerStore(path)
    assert store.read("a") is None
    store.write("a", [b"x"])
    assert store.read("a") == [b"x"]


def test_all_answers_together_have_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_store, "MOST", 1_000)
    monkeypatch.setattr(answer_store, "LARGEST", 600)
    store = AnswerStore(tmp_path / "answers.sqlite3")
    store.write("first", [b"a" * 400])
    store.write("second", [b"b" * 400])
    store.read("first")  # so that the second is the least recently used
    store.write("third", [b"c" * 400])
    store.write("too large", [b"d" * 400, b"e" * 400])
    sizes = {name: store.read(name) and sum(map(len, store.read(name) or ())) for name in names(store)}
    assert sizes == {"first": 400, "third": 400}
    size = store.path.stat().st_size
    store.write("first", [b"a" * 500])
    store.write("first", [b"a"])
    assert store.path.stat().st_size <= size + 4_096


def test_two_processes_share_the_file(tmp_path: Path) -> None:
    one, other = AnswerStore(tmp_path / "answers.sqlite3"), AnswerStore(tmp_path / "answers.sqlite3")
    for number in range(50):
        (one, other)[number % 2].write(str(number), [str(number).encode()])
    assert [one.read(str(number)) for number in range(50)] == [[str(number).encode()] for number in range(50)]
    assert [other.read(str(number)) for number in range(50)] == [[str(number).encode()] for number in range(50)]


def test_without_room_on_the_disk_or_a_folder_the_check_answers_all_the_same(
    write: Write, monkeypatch: pytest.MonkeyPatch, store: AnswerStore
) -> None:
    def fail(*asked: Any, **more: Any) -> Any:
        raise OSError(28, "No space left on device")

    folder = write(FILES)
    first = ask_afresh(folder)
    with monkeypatch.context() as patch:
        patch.setattr(AnswerStore, "_open", fail)
        assert ask(folder) == (first, True)
    with monkeypatch.context() as patch:
        patch.setattr(answer_store, "TABLES", f"{answer_store.TABLES}; PRAGMA max_page_count = 5")
        assert ask(folder) == (first, True)
        assert ask(folder)[0] == first
    store.path.unlink()
    monkeypatch.setattr(answer_store, "cache_folder", fail)
    assert ask(folder) == (first, True)


def test_the_command_shows_what_is_stored_and_removes_it(write: Write, store: AnswerStore, capsys: Any) -> None:
    folder = write(FILES)
    words = ["check", str(folder), "--fail-on", "never", "--format", "jsonl"]
    assert main(words) == 0
    first = capsys.readouterr().out
    assert main(words) == 0
    assert capsys.readouterr().out == first
    assert main(["cache", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["folder"], shown["kept"]["checks"]["entries"]) == (str(store.path.parents[1]), 1)
    assert shown["kept"]["checks"]["bytes"] == store.path.stat().st_size
    assert main(["cache", "--clear"]) == 0
    assert "answers of checks: 0 (0.0 MB)" in capsys.readouterr().out
    assert not store.path.exists()
    assert main(words) == 0
    assert capsys.readouterr().out == first


def test_the_store_is_private(write: Write, store: AnswerStore) -> None:
    ask(write(FILES))
    assert store.path.stat().st_mode & 0o077 == 0
    assert cache_folder.cache_folder(answer_store.KIND).stat().st_mode & 0o077 == 0
