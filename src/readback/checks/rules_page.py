"""All rules as one page, made from their docstrings and examples."""

from __future__ import annotations

from inspect import cleandoc
from types import ModuleType
from typing import Any

from readback.checks import rule_page
from readback.checks.rules import AREAS, RULES, kinds

HEAD = """# Rules

What Readback looks for. This page is made from the rules themselves by `make docs`; a rule is one file in
`src/readback/checks/rules/`, and each example below is one of its tests. `readback rule CODE` shows one rule.

Severities: *error*, the prompt that is sent is wrong or cannot be built; *warning*, probably not intended;
*info*, worth knowing.
"""


def page() -> str:
    """The whole page as Markdown: a table of all rules, then one section for each, by area."""
    rules = RULES()
    parts = [HEAD]
    for area, name in AREAS.items():
        if of_area := [rule for code, rule in rules.items() if code.startswith(f"{area}-")]:
            parts.append(f"# {name[0].upper()}{name[1:]}\n")
            parts.append("".join(f"- [{rule.CODE}](#{rule.CODE}): {title(rule)}\n" for rule in of_area))
            parts.extend(rule_page.markdown(rule) for rule in of_area)
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def title(rule: ModuleType) -> str:
    """The rule's title sentence."""
    return cleandoc(rule.__doc__ or "").partition("\n")[0]


def described(rule: ModuleType) -> dict[str, Any]:
    """A rule as JSON: {"code", "severity", "on", "title", "what", "why", "how", "sentence", "fix"}."""
    paragraphs = [" ".join(part.split()) for part in cleandoc(rule.__doc__ or "").split("\n\n")]
    what, why, how = (*paragraphs[1:4], "", "", "")[:3]
    return {
        "code": rule.CODE,
        "severity": rule.SEVERITY,
        "on": list(kinds(rule)),
        "title": paragraphs[0],
        "what": what,
        "why": why,
        "how": how,
        "sentence": rule_page.shown(rule.SENTENCE),
        "fix": rule_page.shown(rule.FIX),
    }
