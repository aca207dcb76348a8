"""Looks for jdg-document-order; its words are in catalogue/en.yml."""

import re
from collections.abc import Iterator, Sequence

from readback.checks.facts import judge_prompt, stored_prompt
from readback.types import Diagnostic, RuleContext

CODE = "jdg-document-order"
ON = "assembly"
NEEDS = "judge"
_FILE = "dataset: {path: data.jsonl}\njudges: {j: {prompts: judge.py%s}}\n"
_JUDGE = {"judge.py": 'SYSTEM_PROMPT = "Grade."\nEVALUATION_PROMPT_TEMPLATE = "{answer} {documents}"\n'}
_OWN = ", fields: {documents: documents}"
_ROW = '{"id": "1", "answer": "So [1].", "documents": %s, "contexts": %s}\n'
_LIST = '["one", "two"]'
PASS = (
    {"readback.yml": _FILE % _OWN, **_JUDGE, "data.jsonl": _ROW % ('["[1] one", "[2] two"]', _LIST)},
    {"readback.yml": _FILE % _OWN, **_JUDGE, "data.jsonl": _ROW % ('["two", "three"]', _LIST)},
)
FAIL = (
    {"readback.yml": _FILE % _OWN, **_JUDGE, "data.jsonl": _ROW % ('["[2] two", "[1] one"]', _LIST)},
    {"readback.yml": _FILE % _OWN, **_JUDGE, "data.jsonl": _ROW % ('["two", "one"]', _LIST)},
)

NUMBER = re.compile(r"\s*\[(\d{1,4})\]\s*")


def check(case: RuleContext) -> Iterator[Diagnostic]:
    if judge_prompt.find_judge(case) is None or case.assembly is None:
        return
    found = [
        (message, value)
        for message, value in judge_prompt.list_inserted_values(case)
        if value.name.startswith("documents[")
    ]
    texts = [value.text for _, value in found]
    order = _numbers(texts) or (_places(texts, _contexts(case)) if _of_record(case) else [])
    if order and (order != sorted(order) or order[0] != 1):
        message, value = found[0]
        place = value.locate(case, message, 0, len(value.text))
        values = {"judge": case.assembly.choice.judge, "order": order}
        yield Diagnostic(CODE, values, place, ",".join(map(str, order)))


def _numbers(texts: Sequence[str]) -> list[int]:
    """The numbers that the documents begin with, where each has one."""
    hits = [NUMBER.match(text) for text in texts]
    return [int(hit[1]) for hit in hits if hit] if all(hits) else []


def _places(texts: Sequence[str], contexts: Sequence[str]) -> list[int]:
    """Where each document is among the contexts, where they are the same texts; no text may appear twice."""
    if len(texts) < 2 or len(set(contexts)) != len(contexts) or {*texts} != {*contexts}:
        return []
    return [contexts.index(text) + 1 for text in texts]


def _of_record(case: RuleContext) -> bool:
    """Whether the documents are the record's, and are not beside the answer."""
    segments = (one for message in case.messages("user") for one in message.segments)
    first = next((one.place for one in segments if (one.name or "").startswith("documents[")), None)
    own = case.record.place if case.record else None
    return bool(first and own and (first.file, first.line) == (own.file, own.line))


def _contexts(case: RuleContext) -> list[str]:
    _, listed = stored_prompt.find_contexts(case.record.fields if case.record else {}) or ("", [])
    return [str(context) for context in listed]
