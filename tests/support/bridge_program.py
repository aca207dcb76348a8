"""A made-up program with the layout that `readback import-adapter` reads: six interfaces, fifteen tasks, our own words.

What each interface adds to which task, and under which context, is as in the specification of the task pipeline.
"""

from __future__ import annotations

from pathlib import Path

REGISTRY = """\
class AdapterInstructionRegistry:
    _registry = {}

    @classmethod
    def register(cls, interface, task, factory):
        cls._registry.setdefault((interface, task), []).append(factory)
"""
HEAD = """\
from __future__ import annotations
import json
from dataclasses import dataclass
from typing import Any
from karenina.ports.adapter_instruction import AdapterInstructionRegistry
"""
TASKS = """\
RUBRIC = ["rubric_llm_trait_batch", "rubric_llm_trait_single", "rubric_llm_trait_template",
          "rubric_literal_trait_batch", "rubric_literal_trait_single", "rubric_metric_trait",
          "rubric_dynamic_presence_check"]
DEEP = ["dj_rubric_excerpt_extraction", "dj_rubric_hallucination", "dj_rubric_score_extraction",
        "dj_template_excerpt_extraction", "dj_template_hallucination"]
ASKED = ["abstention_detection", "sufficiency_detection"]
"""
CHAIN = """
NAMES = ["langchain", "openrouter", "openai_endpoint"]

@dataclass
class Parsing:
    json_schema: dict[str, Any] | None = None
    format_instructions: str = ""

    @property
    def system_addition(self) -> str:
        return f"# Form\\n\\n<form>\\n{self.format_instructions}\\n</form>" if self.format_instructions else ""

    @property
    def user_addition(self) -> str:
        if self.json_schema is None:
            return ""
        schema = json.dumps(self.json_schema, indent=2)
        return "Fit:\\n```json\\n" + schema + "\\n```\\n\\n- {one} {{two}} {% no %}\\n\\nGo:"

def parsing(**kwargs: object) -> Parsing:
    return Parsing(kwargs.get("json_schema"), kwargs.get("format_instructions", "") or "")

class Rubric:
    def __init__(self, schema, example, hint, notes, cue):
        self.system_addition = "Only JSON.  \\n  No fence.\\n"
        parts = []
        if schema is not None:
            parts.append("Schema:\\n```json\\n" + json.dumps(schema, indent=2) + "\\n```")
        if example:
            parts.append(f"Form:\\nLike this:\\n{example}")
        elif hint:
            parts.append(f"Form:\\n{hint}")
        if notes:
            parts.append("\\n  Notes: " + notes + "  \\n")
        parts.append(cue)
        self.user_addition = "\\n\\n".join(parts)

def rubric(**kwargs):
    return Rubric(kwargs.get("json_schema"), kwargs.get("example_json", "") or "",
                  kwargs.get("output_format_hint", "") or "", "", "Your JSON:")

def deep(*, json_schema=None, parsing_notes="", **_):
    return Rubric(json_schema, "", "", parsing_notes, "Your JSON:\\n")

for name in NAMES:
    AdapterInstructionRegistry.register(name, "parsing", parsing)
    for task in RUBRIC:
        AdapterInstructionRegistry.register(name, task, rubric)
    for task in DEEP:
        AdapterInstructionRegistry.register(name, task, deep)
"""
ASKED = """
@dataclass
class Asked:
    system_addition: str
    user_addition: str = ""

for name in %s:
    for task in ASKED:
        text = f"JSON: reasoning, {task} \\u00e9 \\U0001f600."
        AdapterInstructionRegistry.register(name, task, lambda text=text, **_: Asked(text))
"""
TOOL = """
@dataclass
class Says:
    system_addition: str
    user_addition: str = ""

def parsing(**context):
    schema = context.get("json_schema")
    return Says(%r, "" if schema is None else "Schema " + json.dumps(schema, indent=2) + ".")

AdapterInstructionRegistry.register(%r, "parsing", %s)
for task in [*RUBRIC, *DEEP]:
    AdapterInstructionRegistry.register(%r, task, lambda **_: Says(%r))
"""
DETECTION = '''\
ABSTENTION_DETECTION_SYS = """Decide {so}.
"""
ABSTENTION_DETECTION_USER = "\\nQ: {question}\\nA: {response}\\n"
OTHER = "left out"

class Builder:
    """Built by code."""
'''
HEAVY = 'raise RuntimeError("a heavy package was loaded")\n'


def files() -> dict[str, str]:
    """The files of the program's package, by their path in it."""
    heavy = (
        "",
        "ports",
        "benchmark",
        "adapters",
        "schemas",
        "benchmark/verification",
        "benchmark/verification/prompts",
    )
    made = {str(Path(name) / "__init__.py"): HEAVY for name in heavy}
    made["ports/adapter_instruction.py"] = REGISTRY
    made["adapters/langchain/prompts/parsing.py"] = HEAD + TASKS + CHAIN
    made["adapters/langchain/prompts/asked.py"] = (
        HEAD + TASKS + ASKED % ["langchain", "openrouter", "openai_endpoint", "langchain_deep_agents"]
    )
    for name, text in (("claude_tool", "Only facts."), ("claude_agent_sdk", " Best reading.")):
        made[f"adapters/{name}/prompts/all.py"] = (
            HEAD + TASKS + TOOL % (text, name, "parsing", name, f"{text} Judge.") + ASKED % [name]
        )
    deep = "langchain_deep_agents"
    made[f"adapters/{deep}/prompts/all.py"] = (
        HEAD + TASKS + TOOL % ("", deep, "lambda **_: Says('Extract.')", deep, "Judge so.")
    )
    for name in ("langchain", "claude_tool", "claude_agent_sdk", deep):
        made[f"adapters/{name}/__init__.py"] = made[f"adapters/{name}/prompts/__init__.py"] = HEAVY
    made["benchmark/verification/prompts/trace/__init__.py"] = HEAVY
    made["benchmark/verification/prompts/trace/abstention.py"] = DETECTION
    return made


def small(folder: Path, further: dict[str, str] | None = None) -> Path:
    """The program with one interface of its six, for tests that count none: each text is tried in a child."""
    others = ("adapters/langchain/", "adapters/claude_agent_sdk/", "adapters/langchain_deep_agents/")
    return program(folder, further, {name: text for name, text in files().items() if not name.startswith(others)})


def program(folder: Path, further: dict[str, str] | None = None, own: dict[str, str] | None = None) -> Path:
    """A checkout of the program in `folder`, with `further` files in its package."""
    for name, text in {**(own or files()), **(further or {})}.items():
        file = folder / "src/karenina" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    (folder / "pyproject.toml").write_text('[project]\nname = "karenina"\nversion = "0.9.1"\n', "utf-8")
    return folder
