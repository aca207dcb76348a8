"""How long `study.assemble(condition, record)` takes for records drawn at random from very many, in a warm process.

Run: python benchmarks/assemble_at_random.py [--records 1000000] [--times 2000] [--characters 200]
A record has an id, a question and contexts of so many characters in all. Its messages come from a plain template with
braces, from one of Jinja (rendered in a bounded child, which is started beforehand) and from the built-in prompt
formats. Records are asked for by number and by id, the conditions and the ways in turns; the first 100 calls are not
counted. `wall` is what somebody waits, `processor` what the process itself works, which other processes' work does not
change; both in milliseconds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

WARM = 100
CONDITIONS = {"format": "plain", "jinja": "jinja", "formats": "rag"}
CONFIG = {
    "dataset": {"path": "data.jsonl", "id": "task_id"},
    "models": {"m": {"type": "rag_trained"}},
    "prompts": ["builtin:prompt-formats"],
    "modes": [
        {"mode": "plain", "syntax": "format", "template": "Answer: {instruction}"},
        {
            "mode": "jinja",
            "system": "You are an assistant.",
            "template": "{% for one in rag.contexts %}{{ one }}\n{% endfor %}{{ instruction }}\nAnswer:",
        },
    ],
    "conditions": [{"name": name, "mode": mode, "model": "m"} for name, mode in CONDITIONS.items()],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--times", type=int, default=2_000, help="calls for each condition and way")
    parser.add_argument("--characters", type=int, default=200, help="of the contexts of one record")
    asked = parser.parse_args()
    with TemporaryDirectory() as home:
        folder = Path(home) / "study"
        write(folder, asked.records, asked.characters)
        os.environ["READBACK_CACHE"] = str(Path(home) / "cache")
        print(json.dumps(measured(folder, asked.times), indent=2))


def write(folder: Path, records: int, characters: int) -> None:
    """A study whose records are as the prompt formats want them."""
    folder.mkdir()
    (folder / "readback.yml").write_text(json.dumps(CONFIG))
    words = ("nets ", "are ", "dried ", "on ", "the ", "wall ", "of ", "harbour ")
    chance = random.Random(1)
    with (folder / "data.jsonl").open("w", encoding="utf-8") as out:
        for number in range(records):
            text = "".join(chance.choices(words, k=characters // 10))
            contexts = [f"[1] {text}".strip(), f"[2] {text[::-1]}".strip()]
            question = f"What is number {number}?"
            prompt = f"Context:\n{contexts[0]}\n\n{contexts[1]}\n\nQuestion: {question}\nAnswer:"
            row = {"task_id": f"t{number}", "instruction": question, "rag": {"prompt": prompt, "contexts": contexts}}
            out.write(json.dumps(row) + "\n")


def measured(folder: Path, times: int) -> dict[str, Any]:
    """Milliseconds by condition and way, and what they are of."""
    # imported late: the environment that it reads is set first
    from readback.notebook import open_workspace

    started = time.perf_counter()
    study = open_workspace(folder)
    count = len(study.records)
    opened = time.perf_counter() - started
    chance = random.Random(2)
    ways = [(name, way) for name in CONDITIONS for way in ("number", "id")]
    wall: dict[tuple[str, str], list[float]] = {one: [] for one in ways}
    processor: dict[tuple[str, str], list[float]] = {one: [] for one in ways}
    for number in range(WARM + times):
        for name, way in ways:
            at = chance.randrange(count)
            record = at if way == "number" else f"t{at}"
            began, worked = time.perf_counter(), time.process_time()
            made = study.assemble(name, record)
            spent = time.perf_counter() - began, time.process_time() - worked
            if f"number {at}?" not in (made.text() or ""):
                raise SystemExit(f"{name}: the messages of record {at} are not its own")
            if number >= WARM:
                wall[name, way].append(spent[0] * 1e3)
                processor[name, way].append(spent[1] * 1e3)
    return {
        "records": count,
        "file_mb": round((folder / "data.jsonl").stat().st_size / 1e6, 1),
        "opened_seconds": round(opened, 1),
        "load": os.getloadavg()[0],
        **{f"{name} by {way}": {"wall": _said(wall[name, way]), "processor": _said(processor[name, way])}
           for name, way in ways},
    }  # fmt: skip


def _said(found: list[float]) -> dict[str, float]:
    ordered = sorted(found)
    return {name: round(ordered[int(part * len(ordered))], 2) for name, part in (("p50", 0.5), ("p99", 0.99))}


if __name__ == "__main__":
    main()
