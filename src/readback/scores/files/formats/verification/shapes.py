"""What verification results look like: a row of any version, and the beginning of a file that holds them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from readback.readers.choose_format import read_beginning

MODELS = {"answering", "parsing", "answering_model", "parsing_model"}
PARTS = {"template", "rubric", "deep_judgment"}
SAID = {"template_id", "result_id", "failure", "completed_without_errors", "timestamp"}  # beside a question's id
OUTCOMES = {
    *("verify_result", "verify_granular_result", "verify_rubric", "template_verification_performed"),
    *("llm_trait_scores", "question_specific_rubrics"),
}
ENVELOPE = ("format_version", "metadata", "shared_data")  # what is beside the results
REPORTED = re.compile(rb'"(karenina_version|verification_config|job_summary)"\s*:')
LISTED = re.compile(rb'"(results|shared_data)"\s*:')
# A key's closing quote is never escaped, so the same words quoted inside a text are not taken for keys.
ROW = (
    re.compile(rb'"question_id"\s*:'),
    re.compile(rb'"(answering|parsing|answering_model|parsing_model)"\s*:'),
    re.compile(rb'"(template_id|verify_result|verify_granular_result|verify_rubric|llm_trait_scores)"\s*:'),
)
# Of these words a file of results has one, and so has a checkpoint, which may hold results. With a zero byte it may be
# a text in another encoding.
SIGNS = re.compile(rb'question_id|karenina_version|verification_config|job_summary|"@(?:context|type|graph|id)"|\0')
COLUMNS = frozenset({"question_id", "metadata", "result", "format_version"})  # of which each row has one
INDEX = re.compile(rb'"?row_index"?[,;\t]')
STAMPED = re.compile(rb'(^|[,;\t])"?export_timestamp"?([,;\t\r\n]|$)')
ASKED = re.compile(rb'(^|[,;\t])"?question_id"?[,;\t]')


def is_result(row: Mapping[str, Any]) -> bool:
    """Whether a JSON object or a table's row is one verification result, nested or flat."""
    metadata = row.get("metadata")
    if isinstance(metadata, Mapping):
        return "question_id" in metadata and bool((MODELS | SAID) & metadata.keys()) and bool(PARTS & row.keys())
    return "question_id" in row and bool(MODELS & row.keys()) and bool(OUTCOMES & row.keys())


def is_envelope(row: Mapping[str, Any]) -> bool:
    """Whether an object is what is beside the results of a file."""
    return not is_result(row) and isinstance(row.get("format_version"), str) and "shared_data" in row


def sees(path: Path) -> bool:
    """Whether the first megabyte of a file looks like verification results. False where it cannot be read."""
    begin = read_beginning(path)
    if begin[:1] in (b"{", b"["):
        reported = REPORTED.search(begin) and LISTED.search(begin)
        return bool(reported) or all(sign.search(begin) for sign in ROW)
    return is_table(begin)


def is_table(begin: bytes) -> bool:
    """Whether a file that begins so is one of the two tables: `row_index` first, or stamped with its export."""
    line = begin.partition(b"\n")[0]
    return bool(ASKED.search(line) and b"verify_result" in line and (INDEX.match(line) or STAMPED.search(line)))


def lacks_cell(begin: bytes) -> bool:
    """Whether this is the table whose writer names `job_id` in the header and leaves its cell out of every row."""
    line = begin.partition(b"\n")[0]
    return bool(INDEX.match(line)) and is_table(begin) and b"job_id" in line
