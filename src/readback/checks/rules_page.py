"""All rules as one page, made from their words and examples."""

from __future__ import annotations

from typing import Any

from readback.checks import rule_page
from readback.checks.rule import Rule
from readback.checks.rules import AREAS, RULES

HEAD = """# Rules

What Readback looks for. This page is made by `make docs` from `src/readback/catalogue/en.yml` and the rules in
`src/readback/checks/rules/`; each example below is one of their tests. `readback rule CODE` shows one rule.

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
            parts.append("".join(f"- [{rule.code}](#{rule.code}): {rule.title}\n" for rule in of_area))
            parts.extend(rule_page.markdown(rule) for rule in of_area)
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def described(rule: Rule) -> dict[str, Any]:
    """A rule as JSON: {"code", "severity", "on", "title", "what", "why", "how", "sentence", "fix"}."""
    what, why, how = (*rule.paragraphs, "", "", "")[:3]
    return {
        "code": rule.code,
        "severity": rule.severity,
        "on": list(rule.on),
        "title": rule.title,
        "what": what,
        "why": why,
        "how": how,
        "sentence": rule_page.shown(rule.sentence),
        "fix": rule_page.shown(rule.fix),
    }
