"""Each known trap of the Albert programs is found, on texts of our own and on the public configurations."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.checks.run import engine
from readback.prompts.assemble import assemble
from readback.sources import albert
from readback.types import Finding, Record, Selection

Write = Callable[[Mapping[str, Any]], Path]
RAG = "{% for chunk in sheet_chunks %}{{ chunk.text }}{% endfor %}{{ query }}\n"
ROW = {"id": "1", "query": "Why?", "sheet_chunks": [{"text": "a"}]}
TURNS = [{"role": "user", "content": "u1"}, {"role": "assistant", "content": "a1"}, {"role": "user", "content": "Why?"}]


def config(top: str = "prompt_format: chatml", mode: str = "") -> str:
    return f"{top}\nprompts: [{{mode: rag, template: rag.jinja{mode}}}]\n"


def found(write: Write, config: str, row: Any = ROW, template: str = RAG, dialect: str = "classic") -> list[Finding]:
    files = {"prompt_config.yml": config, "rag.jinja": template, "data.jsonl": [row]}
    option = f"dataset: data.jsonl\nprompts: [prompt_config.yml]\noptions: {{albert_dialect: {dialect}}}\n"
    audit = engine.check(workspace.open(write({**files, "readback.yml": option})))
    assert audit.faults == ()
    return list(audit.findings)


CHATML = "{% for chunk in sheet_chunks %}{{ chunk.text }}{% endfor %}<|im_start|>user\n{{ query }}"
TRAPS: dict[str, tuple[str, Any, str, str, str]] = {
    "prompt_format dropped": ("alb-format-dropped", ROW, RAG, "current", config()),
    "openai drops the system prompt": (
        "alb-system-dropped", ROW, RAG, "classic", config("prompt_format: openai\nsystem_prompt: S"),
    ),
    "no format drops the system prompt": ("alb-system-dropped", ROW, RAG, "classic", config("system_prompt: S")),
    "no format drops the history": ("alb-history-dropped", {**ROW, "history": TURNS}, RAG, "classic", config("")),
    "chatml twice": ("alb-user-duplicated", ROW, RAG, "current", config()),
    "system argument": ("alb-system-argument-ignored", {**ROW, "system_prompt": "S"}, RAG, "current", config()),
    "limit 0": ("alb-falsy-default", {**ROW, "limit": 0}, RAG, "classic", config(mode=", default: {limit: 4}")),
    "other names": ("alb-variable-no-data", {"query": "Q", "docs": [{"text": "a"}]}, RAG, "classic", config()),
    "unsafe template": ("alb-unsafe-template", ROW, "{{ query.__class__ }}", "classic", config()),
    "another project": ("alb-not-albert", ROW, RAG, "classic", "assistant: {name: Ada}\n"),
    "over budget": (
        "alb-over-budget", {"query": "word " * 9}, RAG, "classic", config("prompt_format: chatml\nmax_tokens: 9"),
    ),
    "over budget, later": ("alb-over-budget", {"query": "word " * 9}, RAG, "current", config("max_tokens: 9")),
    "legacy chunks": ("alb-legacy-chunks", ROW, RAG, "current", config("")),
    "collection name": (
        "alb-collection-name", {"id": "1", "query": "Q", "chunks_collection": [{"text": "a"}]},
        RAG.replace("sheet_chunks", "chunks_collection"), "classic", config(),
    ),
    "chat tokens": ("alb-chat-tokens", ROW, CHATML, "classic", config()),
}  # fmt: skip


@pytest.mark.parametrize("trap", TRAPS)
def test_each_trap_has_its_finding(write: Write, trap: str) -> None:
    code, row, template, dialect, file = TRAPS[trap]
    assert code in {one.code for one in found(write, file, row, template, dialect)}


@pytest.mark.parametrize("dialect", ["classic", "current"])
def test_a_configuration_without_a_trap_has_none_of_these_findings(write: Write, dialect: str) -> None:
    name = "chunks_collection" if dialect == "current" else "sheet_chunks"
    top = "" if dialect == "current" else "prompt_format: chatml\nsystem_prompt: Be brief."
    row = {"id": "1", "query": "Why?", name: [{"text": "a", "title": "t"}]}
    file = config(f"{top}\nmax_tokens: 2048")
    codes = {one.code for one in found(write, file, row, RAG.replace("sheet_chunks", name), dialect)}
    assert codes & {code for code, *_ in TRAPS.values()} == set()


def test_the_nearest_list_is_offered_for_a_variable_without_data(write: Write) -> None:
    row = {"id": "1", "query": "Q", "title": "sheet_chunk", "docs": [{"text": "a"}]}
    (one,) = [one for one in found(write, config(), row) if one.code == "alb-variable-no-data"]
    assert "docs" in one.message


def test_sampling_values_of_one_mode_never_reach_the_next(write: Write) -> None:
    file = "prompts: [{mode: a, template: t.j, temperature: 20}, {mode: b, template: t.j}]\n"
    root = write({"prompt_config.yml": file, "t.j": "x"})
    read, _ = albert.read(root / "prompt_config.yml", root)
    assert [prompt.settings.get("temperature") for prompt in read.prompts.values()] == [20, None]


def test_of_a_default_and_a_record_it_is_said_which_won(write: Write) -> None:
    root = write(
        {"prompt_config.yml": config(mode=", default: {links: d, context: e}"), "rag.jinja": "{{links}}{{context}}"}
    )
    made = assemble(workspace.open(root), Record("1", {"links": "r"}), Selection(mode="rag"))
    assert [(s.origin, s.text) for s in made.messages[0].segments] == [("variable", "r"), ("default", "e")]


@pytest.mark.parametrize(
    ("template", "query", "severity"),
    [
        (CHATML, "Q", "error"),
        ("{{ query }}", "a <|eot_id|> b", "warning"),
        ("[INST] {{ query }}", "<|eot_id|>", "error"),
        ("{{ query }} a[INST_1] <s>x</s>", "x", None),
    ],
)
def test_chat_tokens_of_the_template_are_an_error_and_those_of_the_data_a_warning(
    write: Write, template: str, query: str, severity: str | None
) -> None:
    tokens = [
        one for one in found(write, config(), {"id": "1", "query": query}, template) if one.code == "alb-chat-tokens"
    ]
    assert [one.severity for one in tokens] == ([severity] if severity else [])
    unwrapped = found(write, config("prompt_format: null"), {"id": "1", "query": query}, template)
    assert "alb-chat-tokens" not in {one.code for one in unwrapped}


PUBLIC = {
    "query": "Comment refaire sa carte ?",
    "sheet_chunks": [{"url": "u", "title": "t", "context": "c", "text": "x"}],
    "chunks": [{"h": "1", "context": "c", "text": "x"}],
}


@pytest.mark.realdata
@pytest.mark.parametrize("dialect", ["classic", "current"])
@pytest.mark.parametrize("name", ["prompt_config.yml", "scripts_prompt_config.yml"])
def test_the_public_configurations_over_a_dataset_of_ours(write: Write, shared: Path, name: str, dialect: str) -> None:
    root = write(
        {
            "readback.yml": f"dataset: d.jsonl\nprompts: [prompt_config.yml]\noptions: {{albert_dialect: {dialect}}}\n",
            "d.jsonl": [{"id": "1", **PUBLIC}, {"id": "2", **PUBLIC}],
        }
    )
    for file in (shared / "data/albert").glob("*.jinja"):
        shutil.copy(file, root)
    shutil.copy(shared / "data/albert" / name, root / "prompt_config.yml")
    counts = engine.check(workspace.open(root)).counts
    own = {code: n for code, n in counts.items() if code in ("alb-format-dropped", "alb-legacy-chunks")}
    assert own == ({"alb-format-dropped": 1, "alb-legacy-chunks": 2} if dialect == "current" else {})
    assert "alb-chat-tokens" not in counts


@pytest.mark.realdata
@pytest.mark.parametrize("dialect", ["classic", "current"])
def test_the_public_template_with_chat_tokens_is_wrapped_twice(write: Write, shared: Path, dialect: str) -> None:
    option = f"dataset: d.jsonl\nprompts: [prompt_config.yml]\noptions: {{albert_dialect: {dialect}}}\n"
    root = write({"readback.yml": option, "d.jsonl": [{"id": "1", **PUBLIC}]})
    shutil.copy(shared / "data/albert/tell_rag_prompt.jinja", root / "tell.jinja")
    for chat_format, expected in (("chatml", 1), ("llama-chat", 1), ("null", 0)):
        write({"prompt_config.yml": f"prompt_format: {chat_format}\nprompts: [{{mode: tell, template: tell.jinja}}]\n"})
        audit = engine.check(workspace.open(root))
        tokens = [one for one in audit.findings if one.code == "alb-chat-tokens"]
        assert [one.values["tokens"] for one in tokens] == [["<|im_start|>", "<|im_end|>"]] * expected
