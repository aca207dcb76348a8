"""Made-up modules that build base texts with the names and parameters of `bridge_program`, in our words."""

from __future__ import annotations

PARSING = """\
from dataclasses import dataclass
from typing import Any

from pydantic_of_nobody import BaseModel


@dataclass
class TemplatePromptBuilder:
    answer_class: type[BaseModel]

    def build_system_prompt(self, has_tool_traces: bool = False, ground_truth: dict[str, Any] | None = None) -> str:
        return "Take out what the schema asks. {no} {{ braces }}" + (" See the trace." if has_tool_traces else "")

    def build_user_prompt(self, question_text: str, response_to_parse: str | Any) -> str:
        return f"Q:\\n{question_text}\\n\\nA:\\n{response_to_parse}\\n"
"""
LLM_TRAIT = """\
class LLMTraitPromptBuilder:
    def build_batch_system_prompt(self):
        return "Judge each trait."

    def build_batch_user_prompt(self, question, answer, traits: "list[Trait]", *, task_eval_mode=False):
        lines = [f"- {trait.name} ({trait.kind}): {trait.description or 'none'}" for trait in traits]
        return "Traits:\\n" + "\\n".join(lines) + f"\\nQ: {question}\\nA: {answer}"

    def build_single_trait_system_prompt(self, trait: "Trait"):
        if trait.kind == "boolean":
            return f"Is {trait.name} so? {trait.description}"
        return f"{trait.name} from {trait.min_score or 1} to {trait.max_score or 5}"

    def build_single_trait_user_prompt(self, question, answer, trait, *, ground_truth=None):
        return f"{question}\\n{answer}\\n{trait.name}" + (ground_truth or "")

    def build_template_system_prompt(self, trait):
        return f"Fill the schema for {trait.name}."

    build_template_user_prompt = build_single_trait_user_prompt
"""
LITERAL_TRAIT = """\
class LiteralTraitPromptBuilder:
    def build_batch_system_prompt(self):
        return "Choose a class."

    def build_batch_user_prompt(self, question, answer, traits: list):
        lines = []
        for trait in traits:
            if trait.kind != "literal":
                continue
            lines += [f"{trait.name}: " + ", ".join(f"{name} = {what}" for name, what in trait.classes.items())]
        return "\\n".join(lines) + f"\\n{question}\\n{answer}"

    def build_single_trait_system_prompt(self, trait):
        if trait.kind != "literal":
            raise ValueError("no literal")
        return f"{trait.name}: {', '.join(trait.classes)}"

    def build_single_trait_user_prompt(self, question, answer, trait):
        return f"{question} {answer} {list(trait.classes)[0]}"
"""
METRIC_TRAIT = """\
class MetricTraitPromptBuilder:
    def build_system_prompt(self):
        return "Count."

    def build_user_prompt(self, question, answer, trait):
        if trait.evaluation_mode != "tp_only":
            raise ValueError(trait.evaluation_mode)
        wanted = "\\n".join(f"{number}. {text}" for number, text in enumerate(trait.tp_instructions, 1))
        return f"{trait.name}\\n{wanted}\\n{question}\\n{answer}"
"""
PRESENCE = """\
class PresenceCheckPromptBuilder:
    def build_system_prompt(self):
        return "Which occur?\\n"

    def build_user_prompt(self, traits: "list[Any]", response_text: str):
        lines = [f"{trait.name}: {trait.summary or trait.description}" for trait in traits]
        return "\\n".join(lines) + "\\n" + response_text
"""
DEEP_RUBRIC = """\
from typing import Any


class DeepJudgmentPromptBuilder:
    def build_excerpt_extraction_system_prompt(self):
        return "Quote."

    def build_excerpt_extraction_user_prompt(self, trait, max_excerpts: int, answer: str, feedback: str | None = None):
        return f"{trait.name}: up to {max_excerpts} of {answer}" + (feedback or "")

    def build_hallucination_assessment_system_prompt(self):
        return "Hold against the search."

    def build_hallucination_assessment_user_prompt(self, excerpt_text: str, search_results: str):
        return f'"{excerpt_text}" {search_results}'

    def build_reasoning_system_prompt(self):
        return "Argue."

    def build_reasoning_user_prompt_with_excerpts(self, question, trait, excerpts: list[dict[str, Any]], risk=None):
        lines = [f'{n}. "{each.get("text")}" [{each.get("confidence", "?")}]' for n, each in enumerate(excerpts, 1)]
        return f"{question} {trait.name}\\n" + "\\n".join(lines)

    def build_score_extraction_system_prompt(self):
        return "Score."

    def build_score_extraction_user_prompt(self, trait, reasoning: str):
        return f"{trait.name}: {reasoning}"
"""
DEEP_TEMPLATE = {
    "excerpt": """\
def build_excerpt_system_prompt(generic_system_prompt: str, attr_guidance: str, max_excerpts_per_attribute: int) -> str:
    return f"{generic_system_prompt}\\n{attr_guidance}\\n{max_excerpts_per_attribute}"

def build_excerpt_user_prompt(question_text: str, raw_llm_response: str) -> str:
    return f"<q>{question_text}</q><r>{raw_llm_response}</r>"
""",
    "hallucination": """\
from typing import Any

def build_assessment_system_prompt(generic_system_prompt: str) -> str:
    return generic_system_prompt + " Assess."

def build_assessment_user_prompt(
    excerpts_with_search: list[tuple[str, dict[str, Any]]], format_search_results_fn: Any
) -> str:
    lines = []
    for name, each in excerpts_with_search:
        found = each.get("search_results", [])
        found = format_search_results_fn(found) if isinstance(found, list) else found
        lines.append(f"{each['_id']} {name} {each.get('text', '')} {each.get('similarity_score', 0.0):.3f} {found}")
    return f"{len(lines)}: " + "\\n".join(lines)
""",
    "reasoning": """\
def build_reasoning_system_prompt(generic_system_prompt: str, attr_guidance: str, search_performed: bool) -> str:
    return generic_system_prompt + attr_guidance + (" risk" if search_performed else "")

def build_reasoning_user_prompt(question_text: str, formatted_excerpts: str) -> str:
    return f"{question_text}\\n{formatted_excerpts}"
""",
    "reasoning_only": """\
def build_reasoning_only_system_prompt(generic_system_prompt: str, attr_guidance: str) -> str:
    return generic_system_prompt + attr_guidance

def build_reasoning_only_user_prompt(question_text: str, raw_llm_response: str) -> str:
    return f"{question_text}\\n{raw_llm_response}"
""",
}
DECISION = 'DYNAMIC_PARSING_DECISION_SYS = "Enough?"\nDYNAMIC_PARSING_DECISION_USER = "{question} {response}"\n'
BASE = "benchmark/verification/prompts"


def builder_files() -> dict[str, str]:
    """Return the modules by their path in the package."""
    return {
        f"{BASE}/parsing/parsing_instructions.py": PARSING,
        f"{BASE}/parsing/dynamic_decision.py": DECISION,
        f"{BASE}/rubric/llm_trait.py": LLM_TRAIT,
        f"{BASE}/rubric/literal_trait.py": LITERAL_TRAIT,
        f"{BASE}/rubric/metric_trait.py": METRIC_TRAIT,
        f"{BASE}/rubric/presence_check.py": PRESENCE,
        f"{BASE}/deep_judgment/rubric/deep_judgment.py": DEEP_RUBRIC,
        **{f"{BASE}/deep_judgment/template/{name}.py": text for name, text in DEEP_TEMPLATE.items()},
    }
