"""What rules say about references and sources of the prompt formats: citations, their spelling, the own paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.checks.facts.contexts import find_other_styles
from readback.checks.run import engine
from readback.types import Finding

Write = Callable[[Mapping[str, Any]], Path]
OURS = {"fmt-citation-style", "fmt-reference-no-citation", "fmt-own-source-missing", "fmt-duplicate-instruction"}


def found(write: Write, row: Mapping[str, Any]) -> list[Finding]:
    audit = engine.check(
        workspace.open(write({"d.jsonl": [{"task_id": "1", **row}]}) / "d.jsonl"), engine.CheckOptions(select=OURS)
    )
    assert audit.faults == ()
    return list(audit.findings)


@pytest.mark.parametrize(
    ("text", "contexts", "expected"),
    [
        ("as [1, 2] and [1,3]", 3, ["[1, 2]", "[1,3]"]),
        ("as [1-3], [1–2], [2; 3]", 3, ["[1-3]", "[1–2]", "[2; 3]"]),
        ("as [#1] and [# 2]", 3, ["[#1]", "[# 2]"]),
        ("as [1] [2]", 3, []),
        ("in [0, 1], [2010-2020], [3, 1], [1, 1]", 3, []),
        ("their [6, 10, 14]", 4, []),
        ("cites [1, 7]", 4, ["[1, 7]"]),
        ("[#] [a, b] [1, b] [] [1.5, 2]", 4, []),
    ],
)
def test_a_citation_in_another_spelling_is_told_from_data(text: str, contexts: int, expected: list[str]) -> None:
    assert [hit[0] for hit in find_other_styles(text, contexts)] == expected


def test_an_answer_that_a_judge_is_shown_is_looked_at_too(write: Write) -> None:
    root = write(
        {
            "readback.yml": "dataset: d.jsonl\nmodes: [{mode: m, template: x}]\n"
            "judges: {j: {prompts: judge.py}}\nconditions: [{name: c, mode: m, judge: j, answers: a.jsonl}]\n",
            "judge.py": 'SYSTEM_PROMPT = "Grade."\nEVALUATION_PROMPT_TEMPLATE = "A: {answer}"\n',
            "d.jsonl": [{"id": "1", "contexts": ["a", "b"]}],
            "a.jsonl": [{"id": "1", "response": "So [1, 2]."}],
        }
    )
    (one,) = [one for one in engine.check(workspace.open(root)).findings if one.code == "fmt-citation-style"]
    assert (one.values["what"], one.place.judge, one.place.start, one.place.end) == ("answer", "j", 6, 12)


@pytest.mark.parametrize(
    ("reference", "metadata", "expected"),
    [
        ("So.", {"require_citations": True}, ["fmt-reference-no-citation"]),
        ("So [1].", {"require_citations": True}, []),
        ("So [1, 2].", {"require_citations": True}, ["fmt-citation-style"]),
        ("So.", {"require_citations": False}, []),
        ("So.", {"require_citations": "yes"}, []),
        ("So.", {}, []),
        ("So.", None, []),
        ("", {"require_citations": True}, []),
    ],
)
def test_a_reference_must_cite_only_where_it_is_required(
    write: Write, reference: str, metadata: Any, expected: list[str]
) -> None:
    row = {"expected_response": reference, "rag": {"prompt": "p", "contexts": ["a", "b"]}, "metadata": metadata}
    assert [one.code for one in found(write, row)] == expected


@pytest.mark.parametrize(
    ("own", "rag", "missing"),
    [
        ("/home/a/one.txt", {"sources": ["/srv/one.txt#page=2"]}, False),
        ("/home/a/one.txt", {"sources": ["/srv/two.txt", "C:\\papers\\one.txt#page=1"]}, False),
        ("/home/a/one.txt", {"sources": ["/home/a/one.txt.bak"]}, True),
        ("one.txt", {"sources": [], "retrieved": [{"source_path": "two.txt"}]}, True),
        ("one.txt", {"citations": [{"source_path": "one.txt"}, "odd"]}, False),
        ("one.txt", {"sources": [None, 7]}, False),
        ("one.txt", {}, False),
        ("", {"sources": ["two.txt"]}, False),
        (7, {"sources": ["two.txt"]}, False),
    ],
)
def test_the_records_own_paper_is_known_by_its_file_name(write: Write, own: Any, rag: Any, missing: bool) -> None:
    row = {"rag": {"prompt": "p", **rag}, "metadata": {"source_path": own}}
    assert missing == any(one.code == "fmt-own-source-missing" for one in found(write, row))


@pytest.mark.realdata
def test_of_the_real_rows_five_have_nothing_of_their_own_paper_and_nothing_else_is_found(shared: Path) -> None:
    made = engine.check(workspace.open(shared / "data/prompt-formats"), engine.CheckOptions(select=OURS)).findings
    assert {one.code for one in made} == {"fmt-own-source-missing"}
    assert [one.place.index for one in made] == [0, 2, 3, 6, 9]
    assert {one.severity for one in made} == {"info"}
    assert not any("/" in one.message for one in made)
