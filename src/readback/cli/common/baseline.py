"""Read which findings are known before a check: the keys in an earlier answer of `readback check`, in any form."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from readback.cli import UsageError
from readback.cli.common import terminal
from readback.cli.common.terminal import fill
from readback.words import ENGLISH, t, words

KEY = re.compile(r'"key": ?"([0-9a-f]{16})"|\(key ([0-9a-f]{16})\)$', re.MULTILINE)
EMPTY = re.compile(r'^0 findings: |^\{\s*"workspace":', re.MULTILINE)  # an answer without findings, English and JSON
TRUNCATED = re.compile(r'^ ?"truncated": true', re.MULTILINE)
SAMPLED = re.compile(r'^ ?"sample": ?\{|^  a sample: ', re.MULTILINE)  # an answer of --sample: JSON, earlier text
UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # what `>` writes in some shells of Windows
# How the line begins that says that not all findings of a rule are listed.
NOT_ALL = "not all are listed: "


def read_keys(path: Path, sampled: bool = False) -> frozenset[str]:
    """Return the keys in an answer of check in any form.

    Raises UsageError for a file that is no answer or only a part of one, and, unless `sampled`, for that of a sample.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        why = (error.strerror or "cannot be read").lower()
        raise UsageError(fill("--baseline {file}: {why}", file=path, why=why)) from None
    if raw.startswith(UTF16_MARKS):
        encoding = "utf-16"
    else:
        encoding = "utf-8-sig"
    text = terminal.remove_paint(raw.decode(encoding, "replace").replace("\r\n", "\n"))
    keys = frozenset(json_key or text_key for json_key, text_key in KEY.findall(text))
    is_empty = not text.strip() or EMPTY.search(text)
    if not keys and not is_empty:
        raise UsageError(
            fill("--baseline {file}: this is not the output of readback check (text, json or jsonl)", file=path)
        )
    if TRUNCATED.search(text):
        raise UsageError(
            fill(
                (
                    "--baseline {file}: it has only the first 10,000 findings; write the baseline with "
                    "--format jsonl, which has all"
                ),
                file=path,
            )
        )
    if _has_line(text, NOT_ALL):
        raise UsageError(
            fill(
                (
                    "--baseline {file}: it does not list all findings; write the baseline with --format jsonl, "
                    "or as text with --all"
                ),
                file=path,
            )
        )
    if not sampled and _is_of_sample(text):
        raise UsageError(
            fill(
                "--baseline {file}: it has the findings of a sample; use it with --sample, or check all records",
                file=path,
            )
        )
    return keys


def _is_of_sample(text: str) -> bool:
    """Return whether an answer is that of a sample, in English or in the language that pages have now."""
    beginnings = [words(ENGLISH)["sample.is"].partition("{")[0], t("sample.is", n=0, of=0, seed=0).partition("0")[0]]
    return bool(SAMPLED.search(text)) or any(_has_line(text, f"  {beginning}") for beginning in beginnings)


def _has_line(text: str, beginning: str) -> bool:
    return f"\n{beginning}" in f"\n{text}"
