"""How long `readback check` takes beside two scripts that somebody would write instead, on the same records.

Run: python benchmarks/check_speed.py [--records 10000] [--rounds 5] [--more 100000] [--write docs/performance.md]
The workload: records of about 13.7 KB (a question, five contexts, the stored prompt) under six conditions of the
built-in prompt formats; one prompt in a hundred begins with the system text of another model. With `--tokens` the
models have a tokenizer and a context that some prompts exceed, and every way counts the tokens of all of them exactly,
by the same tokenizer (naive and careful with tiktoken).
  naive    pandas, one Jinja template a row, a pattern with re.IGNORECASE, six checks, one process
  careful  msgspec, byte ranges, the three formats written out, one pattern, the same six checks; one process and two
  readback `readback check`, every rule that applies, whole process, nothing kept from before; one process and two
The ways take turns, a median is of all rounds, and all of them must find the same leaks. `--more` times Readback alone
on more records. Every figure is of one machine: compare the ratios, not the seconds.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

SYSTEMS = (
    "You are a research paper assistant.",
    "You are a scientific research assistant who answers with concise, evidence-grounded prose and includes inline "
    "numeric citations like [1], [2], etc.",
)
PHRASE = "you are an assistant"
CLOSED = (
    "Answer the following question based on your knowledge. Do not include citations or source references as no "
    "sources are provided. Provide a clear and concise response.\n\n"
)
UNKNOWN = "If the answer is not in the context, say you don't know."
HYBRID = "Answer using the provided context. Cite sources inline as [#] based on the order of the snippets. " + UNKNOWN
STANDARD = (
    "Answer the question using the provided context. Cite the sources inline as [#] based on the order of the "
    "snippets. " + UNKNOWN
)
WORKSPACE: Mapping[str, Any] = {
    "name": "The workload of check",
    "dataset": {"path": "data.jsonl", "id": "task_id"},
    "prompts": ["builtin:prompt-formats"],
    "models": {
        "plain": {"type": "base"},
        "tuned": {"type": "instruction_only", "training": {"system": SYSTEMS[0]}},
        "cited": {"type": "rag_trained", "training": {"system": SYSTEMS[1]}},
    },
    "conditions": [
        {"name": name, "mode": mode, "model": model}
        for name, mode, model in (
            ("c1", "instruction", "plain"),
            ("c2", "rag", "plain"),
            ("c3", "instruction", "tuned"),
            ("c4", "hybrid", "tuned"),
            ("c5", "instruction", "cited"),
            ("c6", "rag", "cited"),
        )
    ],
}
ASKED = "Question: {{ instruction }}\n\nAnswer:"
SENT = dict(
    zip(("c1", "c2", "c3", "c4", "c5", "c6"), ("", "", *SYSTEMS[:1] * 2, *SYSTEMS[1:] * 2), strict=True)
)  # system
TOKENS = {"tokenizer": "cl100k", "context": 1_600}  # of each model, with --tokens
TEMPLATES = {
    "c1": ASKED,
    "c2": "{{ rag.prompt }}",
    "c3": ASKED,
    "c4": "Question: {{ instruction }}\n\nContext:\n{{ rag.contexts | map('trim') | join('\n\n') }}\n\n"
    + HYBRID
    + "\n\nAnswer:",
    "c5": CLOSED + ASKED,
    "c6": "{{ rag.prompt }}",
}
MARK = re.compile(r"\[(\d+)\]")
PIECES = 8  # parts of the file for each process
LEAK, LONG = "fmt-system-text-in-user", "srv-over-limit"

# The ways.


def naive(file: Path) -> dict[str, Any]:
    import jinja2
    import pandas

    leak = re.compile("|".join(map(re.escape, (*SYSTEMS, PHRASE))), re.IGNORECASE)
    count = counter(file)
    rows = []
    for _, row in pandas.read_json(file, lines=True).iterrows():
        record = row.to_dict()
        for name, template in TEMPLATES.items():
            text = jinja2.Template(template).render(**record)
            rows.append(
                {
                    "id": record["task_id"],
                    "condition": name,
                    "text": text,
                    "leak": bool(leak.search(text)),
                    "ends": "Question:" in text and text.rstrip().endswith("Answer:"),
                    "cited": MARK.findall(record["expected_response"]),
                    "contexts": all(one in text for one in record["rag"]["contexts"]),
                    "characters": len(text),
                    "long": count is not None and count(text) + count(SENT[name]) > TOKENS["context"],
                }
            )
    table = pandas.DataFrame(rows)
    return {"records": len(table) // len(TEMPLATES), "leaks": int(table.leak.sum()), "long": int(table.long.sum())}


def counter(file: Path) -> Callable[[str], int] | None:
    """What counts the tokens of a text, where the workspace of the file says that they count."""
    if "tokenizer" not in json.loads((file.parent / "readback.yml").read_text("utf-8"))["models"]["plain"]:
        return None
    from token_counting import reference

    encode = reference().encode_ordinary
    return lambda text: len(encode(text))


def careful(file: Path, processes: int) -> dict[str, Any]:
    parts = list(ranges(file, PIECES * processes))
    if processes == 1:
        found = list(map(part, parts))
    else:
        with multiprocessing.Pool(processes) as pool:
            found = pool.map(part, parts, chunksize=1)
    records, leaks, long = (sum(column) for column in zip(*found, strict=True))
    return {"records": records, "leaks": leaks, "long": long}


def ranges(file: Path, count: int) -> Iterator[tuple[Path, int, int]]:
    """About equal parts of a file that end with a line."""
    size = file.stat().st_size
    at = 0
    with file.open("rb") as stream:
        while at < size:
            stream.seek(min(size, at + -(-size // count)))
            stream.readline()
            yield file, at, stream.tell()
            at = stream.tell()


def part(asked: tuple[Path, int, int]) -> tuple[int, int, int]:
    """How many records, leaks and prompts that are too long a part of the file has; texts that several conditions send
    are made once.
    """
    import msgspec

    file, start, stop = asked
    leak = re.compile("|".join(re.escape(one.lower()) for one in (*SYSTEMS, PHRASE)))
    read = msgspec.json.Decoder().decode
    rows = leaks = ends = whole = characters = long = 0
    count = counter(file)
    system = {name: count(text) for name, text in SENT.items()} if count is not None else {}
    with file.open("rb") as stream:
        stream.seek(start)
        lines = stream.read(stop - start).splitlines()
    for line in lines:
        record = read(line)
        contexts, question = record["rag"]["contexts"], f"Question: {record['instruction']}"
        block = "\n\n".join(map(str.rstrip, contexts))
        texts = (
            (("c1", "c3"), f"{question}\n\nAnswer:"),
            (("c2", "c6"), record["rag"]["prompt"]),
            (("c4",), "".join((question, "\n\nContext:\n", block, "\n\n", HYBRID, "\n\nAnswer:"))),
            (("c5",), f"{CLOSED}{question}\n\nAnswer:"),
        )
        for names, text in texts:
            times = len(names)
            if count is not None:
                tokens = count(text)
                long += sum(tokens + system[name] > TOKENS["context"] for name in names)
            leaks += times * (leak.search(text.lower()) is not None)
            ends += times * ("Question:" in text and text.rstrip().endswith("Answer:"))
            whole += times * all(one in text for one in contexts)
            characters += times * len(text)
        MARK.findall(record["expected_response"])
        rows += 1
    return rows, leaks, long


def readback(folder: Path, processes: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "readback.cli", "check", str(folder), "--quiet", "--format", "jsonl"]
    command += ["--fail-on", "never", "--jobs", str(processes)]
    with TemporaryDirectory() as cache:
        said = subprocess.run(command, env={**os.environ, "READBACK_CACHE": cache}, capture_output=True, check=True)
    found = [json.loads(line) for line in said.stdout.splitlines()]
    codes = Counter(one["code"] for one in found)
    return {"leaks": codes[LEAK], "long": codes[LONG], "findings": len(found)}


# The workload.


def write(folder: Path, records: int, tokens: bool = False) -> Path:
    """The workspace with so many records; deterministic for one version of Python, whose own words it is made of."""
    chance = random.Random(7)
    sources = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[:80]
    text = "\n".join(path.read_text("utf-8", "ignore") for path in sources)
    sentences = [" ".join(one.split()) for one in re.split(r"(?<=[.!?])\s+", text)]
    sentences = [one for one in sentences if 40 < len(one) < 220 and re.search("[a-z]{3} [a-z]{3}", one)]
    sentences += ["L’été, la marée monte de 12,5 % plus haut.", "模型在检索增强生成任务上的表现显著提高。"] * 100
    folder.mkdir()
    models = {name: {**model, **TOKENS} if tokens else model for name, model in WORKSPACE["models"].items()}
    (folder / "readback.yml").write_text(json.dumps({**WORKSPACE, "models": models}), "utf-8")
    with (folder / "data.jsonl").open("w", encoding="utf-8") as out:
        for number in range(records):
            out.write(json.dumps(record(chance, sentences, number), ensure_ascii=False) + "\n")
    return folder / "data.jsonl"


def record(chance: random.Random, sentences: list[str], number: int) -> dict[str, Any]:
    question = prose(chance, sentences, 70, 130).rstrip(".") + "?"
    contexts = [f"[{n}] {prose(chance, sentences, 1_050, 1_350)}" for n in range(1, 6)]
    leak = f"{SYSTEMS[0]} " if chance.random() < 0.01 else ""
    prompt = f"{leak}{STANDARD}\n\nContext:\n{(chr(10) * 2).join(contexts)}\n\nQuestion: {question}\nAnswer:"
    return {
        "task_id": f"task-{number:08d}",
        "task_type": "qa",
        "instruction": question,
        "expected_response": prose(chance, sentences, 400, 800) + " [1][3]",
        "rag": {"prompt": prompt, "contexts": contexts},
        "metadata": {"source_path": f"paper-{number % 5_000}.pdf"},
    }


def prose(chance: random.Random, sentences: list[str], least: int, most: int) -> str:
    wanted, parts, length = chance.randint(least, most), list[str](), 0
    while length < wanted:
        parts.append(chance.choice(sentences))
        length += len(parts[-1]) + 1
    return " ".join(parts)[:wanted]


# Measuring.


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tokens", action="store_true", help="count the tokens of every prompt")
    parser.add_argument("--more", type=int, default=0, metavar="RECORDS")
    parser.add_argument("--write", type=Path, metavar="FILE", help="a page to write the table to")
    parser.add_argument("--way", nargs=2, metavar=("WAY", "FOLDER"), help="used by the script itself")
    asked = parser.parse_args()
    if asked.way:
        print(json.dumps(one_way(*asked.way)))
        return
    with TemporaryDirectory() as base:
        file = write(Path(base) / "work", asked.records, asked.tokens)
        size = file.stat().st_size
        rounds = [{way: timed(way, file.parent) for way in WAYS} for _ in range(asked.rounds)]
        shutil.rmtree(file.parent)
        further: dict[str, tuple[float, dict[str, Any]]] = {}
        if asked.more:
            file = write(Path(base) / "more", asked.more, asked.tokens)
            further = {way: timed(way, file.parent) for way in ("readback on one process", "readback on two processes")}
    same = {(found["leaks"], found["long"]) for each in rounds for _, found in each.values()}
    assert len(same) == 1, f"the ways do not find the same leaks and prompts that are too long: {same}"
    said = page(asked, size, rounds, *same.pop(), further)
    if asked.write:
        before = asked.write.read_text("utf-8") if asked.write.exists() else ""
        asked.write.write_text(said + "".join(before.partition("\n## ")[1:]), "utf-8")  # other sections stay
    print(said)


def one_way(way: str, folder: str) -> dict[str, Any]:
    kind, _, how = way.partition(" on ")
    processes = 2 if how.startswith("two") else 1
    if kind == "naive":
        return naive(Path(folder) / "data.jsonl")
    return careful(Path(folder) / "data.jsonl", processes) if kind == "careful" else readback(Path(folder), processes)


WAYS = (
    "naive",
    "careful on one process",
    "careful on two processes",
    "readback on one process",
    "readback on two processes",
)


def timed(way: str, folder: Path) -> tuple[float, dict[str, Any]]:
    """Seconds of a whole process, and what it found."""
    if way.startswith("readback"):  # it is a process of its own
        start = time.perf_counter()
        found = one_way(way, str(folder))
        return time.perf_counter() - start, found
    command = [sys.executable, __file__, "--way", way, str(folder)]
    start = time.perf_counter()
    said = subprocess.run(command, capture_output=True, check=True)
    return time.perf_counter() - start, json.loads(said.stdout)


def page(
    asked: argparse.Namespace,
    size: int,
    rounds: list[dict[str, tuple[float, dict[str, Any]]]],
    leaks: int,
    long: int,
    further: Mapping[str, tuple[float, dict[str, Any]]],
) -> str:
    seconds = {way: statistics.median(each[way][0] for each in rounds) for way in WAYS}
    spread = {way: (min(each[way][0] for each in rounds), max(each[way][0] for each in rounds)) for way in WAYS}
    ours = rounds[0]["readback on two processes"][1]
    lines = [
        "# How long a check takes",
        "",
        f"`{' '.join(['.venv/bin/python', 'benchmarks/check_speed.py', *sys.argv[1:]])}` wrote this page;",
        "the script says what is measured, and holds what is measured beside Readback.",
        "The ways take turns; a figure is the median of",
        f"whole processes in {asked.rounds} rounds, with the least and the most. Compare ratios, not seconds.",
        "",
        f"{asked.records:,} records of {size / asked.records / 1000:.1f} KB under six conditions. All ways find the",
        f"same {leaks} leaked system texts{f' and {long:,} prompts that are too long' if asked.tokens else ''};",
        "`readback check` applies every rule that can find anything and has",
        f"{ours['findings']:,} findings.",
        "",
        "| way | seconds | least to most | naive takes so many times as long |",
        "|---|---|---|---|",
    ]
    for way in WAYS:
        low, high = spread[way]
        ratio = seconds["naive"] / seconds[way]
        lines.append(f"| {way} | {seconds[way]:.2f} | {low:.2f} to {high:.2f} | {ratio:.1f} |")
    if further:
        lines += [
            "",
            f"{asked.more:,} records, once:",
            "",
            "| way | seconds | time for a record, as a multiple of that above |",
            "|---|---|---|",
        ]
        for way, (took, _) in further.items():
            lines.append(f"| {way} | {took:.1f} | {took / seconds[way] / (asked.more / asked.records):.2f} |")
        one, two = (further[way][0] for way in ("readback on one process", "readback on two processes"))
        lines += ["", f"Two processes are {one / two:.2f} times as fast as one there."]
    lines += ["", f"The machine: {machine()}. Python {platform.python_version()}.", ""]
    return "\n".join(lines)


def machine() -> str:
    info = Path("/proc/cpuinfo")
    named = re.search(r"^model name\s*: (.*)$", info.read_text(), re.MULTILINE) if info.exists() else None
    return f"{os.cpu_count()} processors ({named[1] if named else platform.machine()}), {platform.system()}"


if __name__ == "__main__":
    main()
