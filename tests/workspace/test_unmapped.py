"""Variables without a field: found once each, with the field they probably mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from readback import workspace
from readback.checks.fields.field_mapping import Unmapped, fields, unmapped
from readback.records.dataset import open_dataset
from readback.types import Record

Write = Callable[[Mapping[str, Any]], Path]
CONFIG = "prompts:\n  - {mode: simple, template: s.jinja}\n  - {mode: rag, template: r.jinja}\n"
ALBERT = {
    "prompt_config.yml": CONFIG,
    "s.jinja": "{{ query }}",
    "r.jinja": "{% for c in sheet_chunks %}{{ c.text }}{% endfor %}{% if tone %}{{ tone }}{% endif %}{{ query }}",
}


def look(folder: Path, **mapped: str) -> tuple[Unmapped, ...]:
    opened = workspace.open(folder, fields=mapped)
    data = open_dataset(opened.root, opened.dataset)
    return unmapped(opened, tuple(data.records(0, 5)))


def test_a_variable_is_listed_once_with_its_readers_and_the_field_it_means(write: Write) -> None:
    folder = write(ALBERT | {"data.csv": "id,question,comment\n1,Why?,x\n"})
    query, chunks, tone = look(folder)
    assert query == Unmapped("query", ("simple", "rag"), "question", False)
    assert (chunks.variable, chunks.offered, chunks.optional) == ("sheet_chunks", None, False)
    assert (tone.variable, tone.optional) == ("tone", True)


def test_a_mapped_variable_is_no_longer_listed(write: Write) -> None:
    folder = write(ALBERT | {"data.csv": "id,question\n1,Why?\n"})
    assert [one.variable for one in look(folder, query="question")] == ["sheet_chunks", "tone"]


def test_a_dotted_field_is_offered(write: Write) -> None:
    folder = write(ALBERT | {"data.jsonl": [{"id": "1", "query": "Why?", "rag": {"contexts": [{"text": "So."}]}}]})
    assert ("sheet_chunks", "rag.contexts") in {(one.variable, one.offered) for one in look(folder)}


def test_a_field_that_only_some_records_have_is_enough(write: Write) -> None:
    rows = [{"id": "1", "query": None}, {"id": "2", "query": "Why?"}]
    assert "query" not in {one.variable for one in look(write(ALBERT | {"data.jsonl": rows}))}


def test_modes_that_no_condition_sends_ask_for_nothing(write: Write) -> None:
    plan = "prompts: [prompt_config.yml]\ndataset: data.csv\nconditions: [{name: A, mode: simple}]\n"
    folder = write(ALBERT | {"readback.yml": plan, "data.csv": "id,query\n1,Why?\n"})
    assert look(folder) == ()


def test_fields_are_dotted_and_in_order() -> None:
    records = (Record("1", {"b": 1, "a": {"x": 1}}), Record("2", {"c": 1, "b": 2}))
    assert fields(records) == ("b", "a.x", "c")
