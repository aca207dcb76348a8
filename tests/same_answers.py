"""Whether two checkouts give the same answers: `python tests/same_answers.py OLD NEW [--only TEXT]`.

Each checkout answers with its own `.venv`, for the three demos and for each folder of the real data as one workspace:
check, render (three records under every condition, mode and task), diff, scores, agreement, modelfile and the rules,
all as JSON. Sentences, fixes and titles may differ, everything else may not. Exit code 1 where anything does.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

WORDS = {"message", "fix", "title", "what", "why", "how", "sentence", "docstring", "description"}
DEMOS = ("six-conditions-mistakes", "tri-section", "town-hall-albert")
RECORDS = 3
SHOWN = 20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--only", default="", help="workspaces whose path holds this text")
    args = parser.parse_args()
    old, new = args.old.resolve(), args.new.resolve()
    asked, differing = 0, 0
    for folder in (one for one in folders(new) if args.only in str(one)):
        questions = list(asking(new, folder))
        with ThreadPoolExecutor(2) as both:
            answers = [both.submit(lambda at: [answer(at, words) for words in questions], at) for at in (old, new)]  # noqa: B023
        for words, one, other in zip(questions, *(each.result() for each in answers), strict=True):
            asked += 1
            if found := list(differences(one, other)):
                differing += 1
                print(f"differs: readback {' '.join(words)}")
                print("\n".join(f"    {line}" for line in found[:SHOWN]))
    print(f"{asked} questions, {differing} with another answer")
    return 1 if differing or not asked else 0


def folders(checkout: Path) -> Iterator[Path]:
    """The demos of the checkout, and every folder of the real data."""
    yield from (checkout / "configs" / "examples" / name for name in DEMOS)
    shared = Path(os.environ.get("READBACK_SHARED") or checkout.parent / "shared")
    yield from sorted(path for path in (shared / "data").iterdir() if path.is_dir())


def asking(checkout: Path, folder: Path) -> Iterator[list[str]]:
    """What is asked of one workspace: the words of each command."""
    where, form = str(folder), ["--format", "json"]
    yield ["check", where, "--fail-on", "never", *form]
    yield ["scores", where, *form]
    yield ["agreement", where, *form]
    yield ["rules", *form]
    if files := sorted(str(path) for path in folder.rglob("*") if "modelfile" in path.name.lower() and path.is_file()):
        yield ["modelfile", *files, *form]
    code = (
        "import json, sys, readback; s = readback.open(sys.argv[1]).workspace; "
        "print(json.dumps([[c.name for c in s.conditions], list(s.prompts), list(s.tasks)]))"
    )
    done = run(checkout, ["-c", code, where])
    conditions, modes, tasks = json.loads(done.stdout) if done.returncode == 0 else ([], [], [])
    chosen = [["--condition", name] for name in conditions]
    chosen += [["--mode", name] for name in modes] + [["--task", name] for name in tasks]
    for choice in chosen:
        for index in range(RECORDS):
            yield ["render", where, *choice, "--index", str(index), "--wire", "--fail-on", "never", *form]
    for a, b in pairwise(conditions):
        yield ["diff", where, "--a", f'condition="{a}"', "--b", f'condition="{b}"', *form]


def answer(checkout: Path, words: list[str]) -> Any:
    """Exit code, JSON and what was said on standard error where there is no JSON."""
    done = run(checkout, ["-m", "readback.cli", *words])
    try:
        said: Any = without_words(json.loads(done.stdout))
    except ValueError:
        said = done.stdout or done.stderr.replace(str(checkout), "")
    return {"exit": done.returncode, "answer": said}


def run(checkout: Path, words: list[str]) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "READBACK_CACHE": str(checkout / ".pytest_cache" / "same_answers")}
    return subprocess.run(
        [str(checkout / ".venv" / "bin" / "python"), *words], capture_output=True, text=True, cwd=checkout, env=env
    )


def without_words(value: Any) -> Any:
    """The value without what is written for people to read."""
    if isinstance(value, dict):
        return {key: without_words(one) for key, one in value.items() if key not in WORDS}
    return [without_words(one) for one in value] if isinstance(value, list) else value


def differences(one: Any, other: Any, where: str = "") -> Iterator[str]:
    """Each place where two values differ, with both."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            yield from differences(one.get(key, "(absent)"), other.get(key, "(absent)"), f"{where}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for at, (a, b) in enumerate(zip(one, other, strict=True)):
            yield from differences(a, b, f"{where}[{at}]")
    elif one != other:
        yield f"{where}: {str(one)[:200]!r} is now {str(other)[:200]!r}"


if __name__ == "__main__":
    sys.exit(main())
