"""The findings that were known before: the keys in an earlier answer of `readback check`, whatever its form."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from readback.cli import UsageError, _colour
from readback.cli._sentence import fill
from readback.words import ENGLISH, t, words

KEY = re.compile(r'"key": ?"([0-9a-f]{16})"|\(key ([0-9a-f]{16})\)$', re.MULTILINE)
EMPTY = re.compile(r'^0 findings: |^\{\s*"workspace":', re.MULTILINE)  # an answer without findings, English and JSON
PART = re.compile(r'^ ?"truncated": true', re.MULTILINE)
SAMPLED = re.compile(r'^ ?"sample": ?\{|^  a sample: ', re.MULTILINE)  # an answer of --sample: JSON, earlier text
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # what `>` writes in some shells of Windows
PLACES = dict.fromkeys(("n", "all", "code", "first", "drawn", "seed"), 0)  # of the sentence about what was drawn


def keys(path: Path, sampled: bool = False) -> frozenset[str]:
    """The keys in an answer of check in any form. Raises UsageError for a file that is none, or only a part of one;
    that of a sample is known only to a sample (`sampled`).
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        why = (error.strerror or "cannot be read").lower()
        raise UsageError(fill("--baseline {file}: {why}", file=path, why=why)) from None
    text = raw.decode("utf-16" if raw.startswith(WIDE) else "utf-8-sig", "replace").replace("\r\n", "\n")
    text = _colour.unpaint(text)
    found = frozenset(one or other for one, other in KEY.findall(text))
    if (
        not found
        and text.strip()
        and not (EMPTY.search(text) or _has_line(text, fill("{n:,} {n:finding|findings}: {counts}", n=0, counts="")))
    ):
        raise UsageError(
            fill("--baseline {file}: this is not the output of readback check (text, json or jsonl)", file=path)
        )
    if PART.search(text):
        raise UsageError(
            fill(
                (
                    "--baseline {file}: it has only the first 10,000 findings; write the baseline with "
                    "--format jsonl, which has all"
                ),
                file=path,
            )
        )
    part = [
        "not all are listed: ",
        fill(
            (
                "not all are listed: {n:,} of {all:,} {all:finding|findings} of {code} {n:is|are} above, "
                "the first {first:,} and {drawn:,} drawn at random from the others (seed {seed}); --all "
                "lists every one"
            ),
            **PLACES,
        ).partition("0")[0],
    ]
    if any(_has_line(text, one) for one in part):
        raise UsageError(
            fill(
                (
                    "--baseline {file}: it does not list all findings; write the baseline with --format jsonl, "
                    "or as text with --all"
                ),
                file=path,
            )
        )
    begins = [words(ENGLISH)["sample.is"].partition("{")[0], t("sample.is", n=0, of=0, seed=0).partition("0")[0]]
    if not sampled and (SAMPLED.search(text) or any(_has_line(text, f"  {one}") for one in begins)):
        raise UsageError(
            fill(
                ("--baseline {file}: it has the findings of a sample; use it with --sample, or check all records"),
                file=path,
            )
        )
    return found


def _has_line(text: str, begins: str) -> bool:
    return f"\n{begins}" in f"\n{text}"
