"""Keys of findings: stable from run to run, and never one for two different findings."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from counts import some
from hypothesis import given, settings
from hypothesis import strategies as st
from same_keys import shared_keys

from readback import workspace
from readback.checks import rules
from readback.checks.run import chunk, engine
from readback.prompts import assemble, selections
from readback.records.dataset import open_dataset
from readback.types import Finding, Selection

Write = Callable[[Mapping[str, Any]], Path]
ROWS = [  # examples of faults in rows, which a dataset may hold in any number and order
    (name, line)
    for rule in rules.RULES().values()
    for example in rule.fails
    for name, content in example.items()
    if name.endswith(".jsonl") and "readback.yml" not in example and isinstance(content, str) and len(example) == 1
    for line in content.splitlines()
]
LISTS = {
    "prompt_config.yml": "prompts: [{mode: rag, template: rag.jinja}]\n",
    "rag.jinja": "{% for c in sheet_chunks %}{{ c.text }}{% endfor %}"
    "{% for c in experience_chunks %}{{ c.text }}{% endfor %}{{ query }}\n",
    "data.jsonl": [{"id": "1", "query": "Q", "sheet_chunks": [{"text": c} for c in "abcd"],
                    "experience_chunks": [{"text": c} for c in "efgh"]}],
}  # fmt: skip


def test_b12_two_lists_of_one_record_that_are_cut_have_a_key_each(write: Write) -> None:
    found = [one for one in engine.check(workspace.open(write(LISTS))).findings if one.code == "alb-limit-applied"]
    assert [one.values["name"] for one in found] == ["sheet_chunks", "experience_chunks"]
    assert len({one.key for one in found}) == 2
    known = engine.check(workspace.open(write(LISTS)), engine.CheckOptions(baseline=[found[0].key]))
    assert [one.values["name"] for one in known.findings if one.code == "alb-limit-applied"] == ["experience_chunks"]


def test_b12_the_same_broken_line_twice_is_two_findings_and_a_baseline_of_one_hides_one(write: Write) -> None:
    good, bad = json.dumps({"id": "a", "text": "one"}), '{"id": "b", '
    one = engine.check(workspace.open(write({"data.jsonl": f"{good}\n{bad}\n"}) / "data.jsonl"))
    two = workspace.open(write({"data.jsonl": f"{good}\n{bad}\n{bad}\n"}) / "data.jsonl")
    new = engine.check(two, engine.CheckOptions(baseline=[found.key for found in one.findings]))
    assert [(found.code, found.place.line) for found in new.findings] == [("dat-bad-line", 3)]


def _is_gathered(code: str) -> bool:
    rule = rules.RULES()[code]
    return bool(rule.alike) or hasattr(rule.logic, "get_group_key")


@given(st.lists(st.sampled_from(ROWS), min_size=1, max_size=6), st.booleans())
@settings(max_examples=some(25), deadline=None)
def test_two_different_findings_of_one_run_never_share_a_key(rows: list[tuple[str, str]], doubled: bool) -> None:
    lines = [line for _, line in rows] * (2 if doubled else 1)
    with TemporaryDirectory() as folder:
        (Path(folder) / "data.jsonl").write_text("\n".join(lines) + "\n", "utf-8", errors="surrogatepass")
        try:
            opened = workspace.open(Path(folder))
        except workspace.NothingRead:  # no line of it is a record
            return
        audit = engine.check(opened)
        assert shared_keys(audit.findings) == []
        keys = {one.key for one in audit.findings}
        for record in open_dataset(opened.root, opened.dataset).records():
            for choice in (*selections.list_selections(opened), Selection()):
                made = assemble.assemble(opened, record, choice)
                told = [one for one in chunk.check_record(opened, record, made) if isinstance(one, Finding)]
                assert shared_keys(told) == []
                # What records have in common is one finding of an audit, under a key of its own.
                assert {one.key for one in told if not _is_gathered(one.code)} <= keys


def test_the_rows_of_the_property_are_many() -> None:
    assert len(ROWS) > 50
