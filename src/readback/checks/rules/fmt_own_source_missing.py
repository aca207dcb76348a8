"""Nothing was retrieved from the paper the question is about.

The record names its own paper (`metadata.source_path`) and the sources of its contexts (`rag.sources`, else those of
`rag.retrieved` or `rag.citations`). None of them is that paper; only the names of the files are compared.

The answer cannot then be in the contexts, and a model that says so is right. Such rows measure the search, not the
model that answers.

Nothing to repair in the prompt. Look at the search, or leave such rows out of what is said about faithfulness.
"""

from collections.abc import Iterator

from readback.checks.facts import stored_prompt
from readback.types import Diagnostic, Location, RuleContext

CODE = "fmt-own-source-missing"
SEVERITY = "info"
ON = "record"
SENTENCE = "the record's own paper {own} is not among the retrieved sources ({count}): {sources}"
FIX = "look at the search, or leave the row out of what is said about faithfulness"
_ROW = '{"id": "1", "rag": {"prompt": "p", "contexts": ["a"], "sources": ["%s"]}, "metadata": {"source_path": "%s"}}\n'
PASS = (
    {"data.jsonl": _ROW % ("/home/a/one.txt#page=3", "/srv/one.txt")},
    {"data.jsonl": '{"id": "1", "rag": {"prompt": "p", "sources": []}, "metadata": {"source_path": "one.txt"}}\n'},
)
FAIL = ({"data.jsonl": _ROW % ("/home/a/two.txt#page=3", "/home/a/one.txt")},)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    fields = case.record.fields if case.record else {}
    own, sources = stored_prompt.paper(fields), stored_prompt.retrieved(fields)
    if own and sources and own not in sources:
        values = {"own": own, "sources": sources, "count": len(sources)}
        yield Diagnostic(CODE, values, Location(field="rag.sources"), ",".join(sources))
