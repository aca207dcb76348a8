"""The command `readback modelfile`: the commands of Modelfiles as Ollama reads them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from readback import as_json
from readback.cli import UsageError, _lines
from readback.cli._sentence import fill
from readback.serving.modelfile import read_file as modelfile

TITLE = "Print the commands of Modelfiles as Ollama reads them. Ollama refuses a file at its first error."
ABOUT = (
    'JSON has one line for each file: {{"commands": [{{"name", "args"}}]}}, or {{"error", "line"}}.\n'
    "\n"
    "exit codes: 0 Ollama accepts every file; 1 it refuses one; 2 a file cannot be read at all"
)

SENTENCES_MODELFILE = {
    "not_a_file": "{file}: it is not a file",
    "no_file": "{file}: there is no such file",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help="a Modelfile; several can be given")
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="output for people (text), or for programs"
    )


def run(args: argparse.Namespace) -> int:
    refused = False
    for path in args.files:
        answer = modelfile.dump_commands(_bytes(path))
        refused = refused or "error" in answer
        print(as_json.dumps(answer) if args.format == "json" else _lines.shown(_text(path, answer)))
    sys.stdout.flush()
    return int(refused)


def _bytes(path: Path) -> bytes:
    try:
        if not path.is_file():
            why = "not_a_file" if path.exists() else "no_file"
            raise UsageError(fill(SENTENCES_MODELFILE[why], file=path))
        with path.open("rb") as opened:
            data = opened.read(modelfile.LIMIT + 1)
    except OSError as error:
        raise UsageError(f"{path}: {(error.strerror or 'cannot be read').lower()}") from None
    if len(data) > modelfile.LIMIT:
        raise UsageError(fill("{file}: more than {most:,} {most:byte|bytes}", file=path, most=modelfile.LIMIT))
    return data


def _text(path: Path, answer: dict[str, Any]) -> str:
    if "error" in answer:
        where = f"{path}:{answer['line']}" if answer["line"] else str(path)
        return f"{where}: {answer['error']}"
    return "\n".join((f"{path}:", *(f"  {one['name']}: {one['args']}" for one in answer["commands"])))
