"""A check whose records a Dask cluster works on has the answer of one without it, whatever becomes of the cluster."""

from __future__ import annotations

import json
import logging
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Event
from time import sleep
from types import SimpleNamespace
from typing import Any

import pytest
from tokenizers import Regex, Tokenizer, models, pre_tokenizers
from unforked import unforked
from webhdfs import serving

from readback import sandbox, workspace
from readback.checks.run import chunk, cluster, cluster_worker, engine
from readback.cli import main
from readback.prompts import children, selections
from readback.readers.files import copies
from readback.readers.files.checksum import Hashes
from readback.records import carried_index, index_pass
from readback.records.dataset import open_dataset
from readback.sandbox.json_values import freeze
from readback.sources.templates.prompt_texts import STANDARD, UNKNOWN
from readback.types import Workspace

Write = Callable[[Mapping[str, Any]], Path]
FILE = (
    "dataset: d.jsonl\nmodes: [{mode: m, system: Be brief., template: '{{ q }}'}, {mode: n, template: '{{ x.q }}'}]\n"
)
ROWS = [{"id": str(n), "q": "" if n % 3 else f"Be brief. {n}? \ud800"} for n in range(12)]
FILES = {"readback.yml": FILE, "d.jsonl": "".join(json.dumps(row) + "\n" for row in ROWS)}
WORKER = "from distributed.cli.dask_worker import main; main()"


@pytest.fixture(autouse=True)
def _short_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "MAX_RECORDS", 2)


class AtOnce:
    """In place of Dask's client: what is asked is answered in this process, or as `becomes` has it."""

    def __init__(self, becomes: Callable[[str], str] | None = None) -> None:
        self.asked, self.becomes = list[str](), becomes

    def submit(self, function: Any, *values: Any, pure: bool) -> Any:
        assert (function, pure, [type(one) for one in values]) == (cluster_worker.work, False, [str])
        self.asked += values
        answer = (self.becomes or cluster_worker.work)(*values)
        return SimpleNamespace(result=lambda: answer, add_done_callback=lambda done: done(None), release=lambda: None)


def beside(
    client: AtOnce, folder: Path, say: cluster.Say = lambda why, values: None, opened: Workspace | None = None
) -> cluster.Cluster:
    opened, hashes = opened or workspace.open(folder), Hashes()
    known = {"files": cluster_worker.files_of(opened, hashes), "address": copies.find_origin(opened.root)}
    asked = {"about": cluster_worker.about(), "root": str(opened.root), **known}
    return cluster.Cluster(client, 2, asked, "2026-01-31", say, hashes)


def test_ranges_are_worked_on_elsewhere_and_the_answer_is_the_same(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    unforked(monkeypatch)
    opened, client = workspace.open(write(FILES)), AtOnce()
    assert engine.check(opened, engine.CheckOptions(workers=beside(client, opened.root))) == engine.check(opened)
    assert sorted(json.loads(one)["work"]["stop"] for one in client.asked) == list(range(2, 13, 2))
    assert engine.check(
        opened, engine.CheckOptions(jobs=1, sample=5, workers=beside(client, opened.root))
    ) == engine.check(opened, engine.CheckOptions(sample=5))
    assert len(client.asked) > 6


@pytest.mark.usefixtures("hurried")
def test_a_record_that_stops_its_child_elsewhere_is_found_as_it_is_here(write: Write) -> None:
    hangs = "{% if q == '5' %}{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}{% endif %}"
    file = f'dataset: d.jsonl\nmodes: [{{mode: m, template: "{hangs}"}}]\n'
    opened = workspace.open(
        write({"readback.yml": file, "d.jsonl": [{"id": str(n), "q": str(n)} for n in range(4, 8)]})
    )
    told = engine.check(opened, engine.CheckOptions(workers=beside(AtOnce(), opened.root)))
    assert told == engine.check(opened)
    assert told.counts["dat-limit"] == 1


def test_what_a_cluster_does_not_do_is_done_here_and_said_once(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    unforked(monkeypatch)
    opened, said = workspace.open(write(FILES)), list[Any]()

    def lost(text: str) -> str:
        if json.loads(text)["work"]["start"] > 5:
            raise ConnectionError("it is gone")
        return cluster_worker.work(text)

    audit = engine.check(
        opened, engine.CheckOptions(workers=beside(AtOnce(lost), opened.root, lambda *one: said.append(one)))
    )
    assert audit == engine.check(opened)
    assert said == [("lost", {"error": "ConnectionError: it is gone"})]


def test_a_worker_that_sees_other_files_or_is_another_readback_answers_nothing_but_that(write: Write) -> None:
    folder = write(FILES)
    asked = {**beside(AtOnce(), folder)._expected, "workspace": freeze(workspace.open(folder))}
    assert cluster_worker.look(json.dumps(asked)) == "null"
    older = {**asked, "about": {**asked["about"], "jinja2": "2.0"}}
    why, values = json.loads(cluster_worker.look(json.dumps(older)))
    assert (why, values["what"], values["ours"]) == ("other_version", "jinja2", "2.0")
    (folder / "d.jsonl").write_text((folder / "d.jsonl").read_text("utf-8").replace("brief", "Brief"), "utf-8")
    here = str(folder / "d.jsonl")
    why, values = json.loads(cluster_worker.work(json.dumps({**asked, "work": {}})))["unfit"]
    assert (why, values["file"]) == ("other_bytes", here)
    (folder / "d.jsonl").unlink()
    assert json.loads(cluster_worker.look(json.dumps(asked))) == ["unseen", {"file": here}]


def test_a_worker_without_the_folder_looks_at_a_copy_of_what_is_at_its_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unforked(monkeypatch)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    with serving(tmp_path.parent) as store:
        monkeypatch.setenv("READBACK_ADDRESSES", store)
        opened = workspace.open(f"{store}/{tmp_path.name}")
        client = AtOnce(lambda text: cluster_worker.work(text.replace(str(opened.root), "/nowhere")))
        assert engine.check(opened, engine.CheckOptions(workers=beside(client, opened.root))) == engine.check(opened)
        assert len(client.asked) == 6
        (tmp_path / "d.jsonl").write_text("{}\n", "utf-8")
        cluster_worker._copies.clear()
        why, values = json.loads(client.becomes(client.asked[0]))["unfit"] if client.becomes else ("", {})
        assert (why, values["error"]) == ("unfetched", "the store has other bytes there")
        monkeypatch.delenv("READBACK_ADDRESSES")
        cluster_worker._copies.clear()
        why, values = json.loads(client.becomes(client.asked[0]))["unfit"] if client.becomes else ("", {})
        assert (why, values["address"]) == ("unfetched", f"{store}/{tmp_path.name}")
        assert "READBACK_ADDRESSES" in values["error"]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("host:8786", "give the address of a Dask scheduler"),
        ("tcp://127.0.0.1:1", "no Dask scheduler answers"),
        ("silent", "no Dask scheduler answers"),
        ("nothing installed", "pip install 'readback[cluster]'"),
    ],
)
def test_a_cluster_that_cannot_be_reached_is_wrong_use_and_shows_nothing(
    address: str, said: str, write: Write, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cluster, "CONNECT", 0.1)
    if address == "nothing installed":
        monkeypatch.setitem(sys.modules, "distributed", None)
        address = "tcp://127.0.0.1:1"
    elif address != "host:8786":
        pytest.importorskip("distributed", reason="pip install readback[cluster]")
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}" if address == "silent" else address
        assert main(["check", str(write(FILES)), "--cluster", address]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert said in err


def test_what_is_loaded_meanwhile_says_nothing_of_lost_workers_either() -> None:
    pytest.importorskip("distributed", reason="pip install readback[cluster]")
    code = (
        "import logging; from readback.checks.run import cluster; cluster.hasten().join()\n"
        "print(*(logging.getLogger(name).level for name in ('distributed', 'distributed.client')))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (said.stdout, said.stderr) == (f"{logging.CRITICAL} {logging.CRITICAL}\n", "")


def until(true: Callable[[], bool]) -> None:
    for _ in range(600):
        if true():
            return
        sleep(0.1)
    raise AssertionError("it never was so")


# With a real scheduler and two processes of workers.


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    distributed = pytest.importorskip("distributed", reason="pip install readback[cluster]")
    settings: dict[str, Any] = {"n_workers": 0, "dashboard_address": None, "silence_logs": "critical"}
    with distributed.LocalCluster(host="127.0.0.1", **settings) as made:
        yield made.scheduler_address


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a folder with FILES, which workers may read."""
    folder = tmp_path_factory.mktemp("store")
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    with serving(folder.parent) as address:
        yield f"{address}/{folder.name}"


@pytest.fixture(scope="module")
def workers(
    scheduler: str, store: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[subprocess.Popen[bytes]]]:
    home = str(tmp_path_factory.mktemp("workers"))
    words = ["--no-nanny", "--nthreads", "1", "--no-dashboard", "--local-directory", home]
    there = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, scheduler, *words],
            env={**os.environ, "READBACK_CACHE": f"{home}/cache", "READBACK_ADDRESSES": store},
            stderr=subprocess.DEVNULL,
        )
        for _ in range(2)
    ]
    from distributed import Client

    with Client(scheduler, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=120)
    yield there
    for one in there:
        one.kill()
        one.wait()


@pytest.mark.long
def test_the_workers_of_a_cluster_give_the_same_bytes_and_those_of_a_killed_one_are_done_again(
    scheduler: str,
    write: Write,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = write(FILES)

    def asked(*more: str) -> tuple[int, str, str]:
        return main(["check", str(folder), "--format", "json", *more]), *capsys.readouterr()

    code, out, err = asked("--cluster", scheduler)
    assert (code, out) == (2, "")
    assert "has no worker" in err
    workers = request.getfixturevalue("workers")
    assert asked("--cluster", scheduler) == asked() == (1, asked()[1], "")
    here = workspace.open(folder)
    with cluster.connected(scheduler, here, lambda *said: pytest.fail(str(said))) as found:
        assert found.at_once == 4

        def progress(done: int, total: int) -> bool:
            if done == len(ROWS) // 2:
                workers[0].kill()
            return True

        audit = engine.check(here, engine.CheckOptions(workers=found, progress=progress))
    assert workers[0].wait() != 0
    assert audit == engine.check(here)
    folder = write({**FILES, "d.jsonl": FILES["d.jsonl"][:-1]})  # of which no index is here
    monkeypatch.setattr(carried_index, "LEAST", 0)
    with cluster.connected(scheduler, here, lambda *said: pytest.fail(str(said))):
        monkeypatch.setattr(index_pass, "_fill", None)  # the index of the worker is taken
        assert len(open_dataset(folder, here.dataset)) == len(ROWS)


@pytest.mark.long
def test_workers_copy_what_is_at_an_address_themselves(
    scheduler: str, store: str, workers: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READBACK_ADDRESSES", store)
    opened = workspace.open(store)
    known = beside(AtOnce(), opened.root, lambda *said: pytest.fail(str(said)), opened)._expected
    asked = {**known, "root": "/nowhere"}  # as on another machine
    payload = chunk.payload(opened, selections.list_selections(opened), 0, len(ROWS))
    from distributed import Client

    with Client(scheduler, set_as_default=False) as client:
        look = {**asked, "workspace": {**payload["workspace"], "root": "/nowhere"}}
        assert client.submit(cluster_worker.look, json.dumps(look), pure=False).result() == "null"
        work = {**asked, "work": {**payload, "workspace": look["workspace"]}}
        told = json.loads(client.submit(cluster_worker.work, json.dumps(work), pure=False).result())
    assert told == json.loads(cluster_worker.work(json.dumps({**known, "work": payload})))
    assert sum(len(frame["indices"]) for frame in told["frames"]) == len(ROWS)


@pytest.mark.long
def test_a_range_that_nobody_waits_for_any_more_is_given_up_by_its_worker(
    scheduler: str, workers: list[Any], write: Write
) -> None:
    slow = "{% for a in range(99999) %}{% for b in range(99) %}{% endfor %}{% endfor %}"
    file = f'dataset: d.jsonl\nmodes: [{{mode: m, template: "{slow}"}}]\n'
    opened = workspace.open(write({"readback.yml": file, "d.jsonl": [{"id": str(n)} for n in range(400)]}))
    work = chunk.payload(opened, selections.list_selections(opened), 0, 400)
    with cluster.connected(scheduler, opened, lambda *said: pytest.fail(str(said))) as found:
        # the client's own pickle takes the lambda along, a name of this test would not be known there
        busy = partial(found._client.run, lambda dask_worker: dask_worker.state.executing_count)
        ended = Event()
        with ThreadPoolExecutor(1) as threads:
            frames = threads.submit(list, found.stream(work, lambda: iter(()), ended))
            until(lambda: any(busy().values()))
            ended.set()
            assert frames.result() == []
            until(lambda: not any(busy().values()))


def test_a_kill_of_the_child_is_told_as_the_sandbox_tells_it(write: Write) -> None:
    gone = json.dumps({"frames": [{"indices": []}], "stopped": ["crash", "its process ended", True]})
    steps = beside(AtOnce(lambda text: gone), write(FILES)).stream({"workspace": {}}, lambda: iter(()), Event())
    assert next(steps) == {"indices": []}
    with pytest.raises(sandbox.Stopped) as stopped:
        next(steps)
    assert (stopped.value.kind, stopped.value.doubtful) == ("crash", True)


def test_a_worker_makes_the_index_of_a_dataset_that_has_changed(
    write: Write, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, cache_there = write(FILES), tmp_path_factory.mktemp("cache of the worker")
    for rows in (ROWS, [*ROWS, *ROWS], [*ROWS, *ROWS]):  # at last the same bytes, written again
        (folder / "d.jsonl").write_text("".join(json.dumps({**row, "id": str(n)}) + "\n" for n, row in enumerate(rows)))
        opened, known = workspace.open(folder), beside(AtOnce(), folder)._expected
        asked = {**known, "work": chunk.payload(opened, selections.list_selections(opened), 0, len(rows))}
        with monkeypatch.context() as there:
            there.setenv("READBACK_CACHE", str(cache_there))
            assert cluster_worker.look(json.dumps({**known, "workspace": asked["work"]["workspace"]})) == "null"
            told = json.loads(cluster_worker.work(json.dumps(asked)))
            shutil.rmtree(cache_there)  # somebody clears it while the worker runs
            assert json.loads(cluster_worker.work(json.dumps(asked))) == told
        assert sum(len(frame["indices"]) for frame in told["frames"]) == len(rows)


def test_that_a_file_could_not_be_read_once_is_not_remembered(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write(FILES)
    files = cluster_worker.files_of(workspace.open(root), Hashes())
    really, failed = cluster_worker.answer_names.digest_content, list[str]()

    def content(*asked: Any) -> Any:
        if not failed:
            failed.append("once")
            raise OSError("the folder is on another machine, which does not answer")
        return really(*asked)

    monkeypatch.setattr(cluster_worker.answer_names, "digest_content", content)
    assert cluster_worker._other(str(root), files) == (min(files), "")
    assert cluster_worker._other(str(root), files) is None


def test_a_thread_of_a_worker_has_one_child_for_all_ranges_which_ends_when_nobody_asks(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_worker, "IDLE", 0.2)
    begun: list[Any] = []
    really = sandbox._start_child

    def counted(zygote: Any, names: str) -> Any:
        if names.endswith(" readback.checks.run.chunk"):  # others decode the YAML, and render the first record
            begun.append(names)
        return really(zygote, names)

    monkeypatch.setattr(sandbox, "_start_child", counted)
    opened, client = workspace.open(write(FILES)), AtOnce()
    engine.check(opened, engine.CheckOptions(jobs=1, workers=beside(client, opened.root)))
    assert len(client.asked) == 6
    assert len(begun) == 1
    staying = cluster_worker._mine.staying
    until(lambda: staying._child._ends is None)
    again = json.loads(cluster_worker.work(client.asked[-1]))
    assert [one for frame in again["frames"] for one in frame["indices"]] == [10, 11]
    assert (len(begun), cluster_worker._mine.staying) == (2, staying)
    other = workspace.open(write({**FILES, "readback.yml": FILE.replace("brief", "long")}))
    engine.check(other, engine.CheckOptions(jobs=1, workers=beside(AtOnce(), other.root)))
    assert cluster_worker._mine.staying != staying
    assert staying._child._ends is None


def test_a_worker_counts_by_the_tokenizer_file_of_now(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def tokenizer(pattern: str) -> str:
        made = Tokenizer(models.WordLevel(vocab={"[U]": 0}, unk_token="[U]"))
        made.pre_tokenizer = pre_tokenizers.Split(Regex(pattern), "isolated")
        return str(made.to_str())

    question = "Which number has the big green house in this long street there today?"
    prompt = f"{STANDARD} {UNKNOWN}\n\nContext:\n[1] Some text.\n\nQuestion: {question}\nAnswer:"
    fields = {"instruction": question, "rag": {"prompt": prompt, "contexts": ["[1] Some text."]}}
    model = {"type": "rag_trained", "training": {"system": "With care."}, "context": 120, "tokenizer": "tok.json"}
    config = {
        "prompts": ["builtin:prompt-formats"],
        "models": {"m": model},
        "conditions": [{"name": "one", "mode": "instruction", "model": "m"}],
        "dataset": "d.jsonl",
    }
    rows = [{"task_id": str(number), **fields} for number in range(4)]
    folder = write({"readback.yml": json.dumps(config), "d.jsonl": rows, "tok.json": tokenizer(r"\S+")})
    said: list[list[int]] = []
    for _ in range(2):
        opened = workspace.open(folder)
        audit = engine.check(opened, engine.CheckOptions(jobs=1, workers=beside(AtOnce(), opened.root)))
        assert audit.findings == engine.check(opened, engine.CheckOptions(jobs=1)).findings
        said.append([one.values["tokens"] for one in audit.findings if one.code == "srv-over-limit"])
        (folder / "tok.json").write_text(tokenizer("."), "utf-8")
    few, many = said
    assert (few, len(many)) == ([], 4)
