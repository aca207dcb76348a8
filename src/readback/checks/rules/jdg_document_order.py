"""Find judges that get the documents in another order than the model.

The answer cites by number, so the judge takes a right citation for an invented one.
"""

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
    """Yield a finding with the numbers of the documents in the order that the judge reads."""
    if judge_prompt.find_judge(case) is None or case.assembly is None:
        return
    inserted = judge_prompt.list_inserted_values(case)
    documents = [(message, value) for message, value in inserted if value.name.startswith("documents[")]
    texts = [value.text for _, value in documents]
    order = _read_numbers(texts)
    if not order and _are_from_record(case):
        order = _find_positions(texts, _list_contexts(case))
    if order and (order != sorted(order) or order[0] != 1):
        message, value = documents[0]
        place = value.locate(case, message, 0, len(value.text))
        values = {"judge": case.assembly.choice.judge, "order": order}
        yield Diagnostic(CODE, values, place, ",".join(map(str, order)))


def _read_numbers(texts: Sequence[str]) -> list[int]:
    """Return the numbers that the documents begin with, if each has one."""
    hits = [NUMBER.match(text) for text in texts]
    if all(hits):
        return [int(hit[1]) for hit in hits if hit]
    return []


def _find_positions(texts: Sequence[str], contexts: Sequence[str]) -> list[int]:
    """Return the number of each document among the contexts, if both are the same texts and none appears twice."""
    if len(texts) < 2 or len(set(contexts)) != len(contexts) or {*texts} != {*contexts}:
        return []
    return [contexts.index(text) + 1 for text in texts]


def _are_from_record(case: RuleContext) -> bool:
    """Return whether the documents come from the record, and not from the row of the answer."""
    if case.record:
        record_place = case.record.place
    else:
        record_place = None
    for message in case.messages("user"):
        for segment in message.segments:
            if (segment.name or "").startswith("documents["):
                place = segment.place
                return record_place is not None and (place.file, place.line) == (record_place.file, record_place.line)
    return False


def _list_contexts(case: RuleContext) -> list[str]:
    _, contexts = stored_prompt.find_contexts(case.record.fields if case.record else {}) or ("", [])
    return [str(context) for context in contexts]
