"""Find records for which nothing was retrieved from the paper that the question is about.

The answer cannot be in the contexts, so such rows measure the search and not the model that answers.
"""

from collections.abc import Iterator

from readback.checks.facts import stored_prompt
from readback.types import Diagnostic, Location, RuleContext

CODE = "fmt-own-source-missing"
ON = "record"
_ROW = '{"id": "1", "rag": {"prompt": "p", "contexts": ["a"], "sources": ["%s"]}, "metadata": {"source_path": "%s"}}\n'
PASS = (
    {"data.jsonl": _ROW % ("/home/a/one.txt#page=3", "/srv/one.txt")},
    {"data.jsonl": '{"id": "1", "rag": {"prompt": "p", "sources": []}, "metadata": {"source_path": "one.txt"}}\n'},
)
FAIL = ({"data.jsonl": _ROW % ("/home/a/two.txt#page=3", "/home/a/one.txt")},)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding if the record names its paper and its sources, and the paper is not among them."""
    fields = case.record.fields if case.record else {}
    own, sources = stored_prompt.find_source_name(fields), stored_prompt.list_retrieved_names(fields)
    if own and sources and own not in sources:
        values = {"own": own, "sources": sources, "count": len(sources)}
        yield Diagnostic(CODE, values, Location(field="rag.sources"), ",".join(sources))
