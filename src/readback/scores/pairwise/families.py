"""Which family of models a name belongs to, by a small table of our own."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple


class Family(NamedTuple):
    """A family, who makes it, and the generation where the name says one (`2.5` of qwen2.5:0.5b)."""

    name: str
    maker: str
    generation: str | None


# A version is one or two numbers that are not the count of parameters: 3.1 in llama-3.1-405b, none in llama-70b.
_VERSION = r"(?:[-_ ]?v?(\d(?:\.\d{1,2})?)(?![\d.]*b(?![a-z])|\d))?"
_TABLE = (
    ("GPT", "OpenAI", r"(?:chat)?gpt[-_ ]?(3\.5|4o|4\.1|4\.5|4|5(?:\.\d)?|oss)(?![\d])"),
    ("OpenAI o", "OpenAI", r"o([134])(?=-(?:mini|preview|pro)|$|[ :/_])"),
    ("Qwen", "Alibaba", r"(?:qwen|qwq)" + _VERSION),
    ("Llama", "Meta", r"(?:code)?llama" + _VERSION),
    ("Mistral", "Mistral AI", r"mistral(?:[-_ ](?:small|medium|large|nemo|tiny))?" + _VERSION),
    ("Mixtral", "Mistral AI", r"mixtral" + _VERSION),
    ("Gemma", "Google", r"gemma" + _VERSION),
    ("Gemini", "Google", r"gemini" + _VERSION),
    ("Claude", "Anthropic", r"claude(?:[-_ ](?:opus|sonnet|haiku|instant))?(?:[-_ ]v?(\d(?:[.-]\d)?)(?!\d))?"),
    ("Phi", "Microsoft", r"phi[-_ ]?(\d(?:\.\d)?)(?!\d)"),
    ("DeepSeek", "DeepSeek", r"deepseek(?:[-_ ](?:llm|chat|coder))?(?:[-_ ]?([vr]?\d(?:\.\d)?)(?![\d.]*b))?"),
    ("SmolLM", "Hugging Face", r"smollm" + _VERSION),
    ("Granite", "IBM", r"granite" + _VERSION),
    ("Command", "Cohere", r"command[-_ ](r\+|r|a)(?![a-z])"),
    ("GLM", "Zhipu AI", r"(?:chat)?glm" + _VERSION),
    ("Grok", "xAI", r"grok" + _VERSION),
    ("OLMo", "Ai2", r"olmo" + _VERSION),
    ("Falcon", "TII", r"falcon" + _VERSION),
    ("Yi", "01.AI", r"yi[-_ ](\d(?:\.\d)?)(?![\d.]*b)"),
)


def families(name: str) -> tuple[Family, ...]:
    """Every family that a name speaks of; several where a model was made from another one."""
    lowered = name.lower()
    return tuple(
        Family(family, maker, next((version.replace("-", ".") for version in found.groups() if version), None))
        for family, maker, pattern in _patterns()
        if (found := pattern.search(lowered))
    )


@cache
def _patterns() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    return tuple((family, maker, re.compile(rf"(?<![a-z0-9]){pattern}")) for family, maker, pattern in _TABLE)
