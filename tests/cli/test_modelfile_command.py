"""`readback modelfile` prints the commands of Modelfiles as Ollama reads them."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback.cli import main
from readback.serving.modelfile.grammar import BAD_COMMAND, BAD_ROLE, END, NO_FROM

Write = Callable[[Mapping[str, Any]], Path]
ERRORS = {"missing_from": (NO_FROM,), "unexpected_eof": (END,), "parser_error": (BAD_COMMAND, BAD_ROLE)}
MARKS = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE, "utf-8-sig": b""}


@pytest.mark.realdata
@pytest.mark.parametrize("encoding", ["utf-8", *MARKS])
def test_ollamas_own_parser_tests_pass_through_the_command_in_every_encoding(
    encoding: str, shared: Path, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [json.loads(line) for line in (shared / "vectors/modelfile_parser.jsonl").read_text("utf-8").splitlines()]
    folder = write({f"{i}": MARKS.get(encoding, b"") + case["input"].encode(encoding) for i, case in enumerate(cases)})
    code = main(["modelfile", "--format", "json", *(str(folder / str(i)) for i in range(len(cases)))])
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (code, len(answers)) == (1, 39)
    for case, answer in zip(cases, answers, strict=True):
        if case["error"]:
            assert answer["error"] in ERRORS[case["error"]], case["id"]
        elif not case.get("property"):
            assert answer == {"commands": case["expected"]}, case["id"]
