"""Every code of the specification has its rule, or stands on the list of those to come with its reason and issue."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from readback.checks import rules

RULES = rules.RULES()
LISTED: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("codes_to_come.yml").read_text("utf-8"))
TO_COME = [code for group in LISTED for code in group["codes"]]
CODE = re.compile(rf"\b(?:{'|'.join(rules.AREAS)})-[a-z]+(?:-[a-z]+)*\b")
DONE = ("dat", "fmt", "alb", "asm", "jdg")  # areas whose rules about prompts and loading are all there


@pytest.mark.realdata
def test_every_code_of_the_specification_has_its_rule_or_its_reason(shared: Path) -> None:
    texts = [path.read_text("utf-8") for path in sorted((shared / "spec").glob("*.md"))]
    codes = {code for text in texts for code in CODE.findall(text)}
    assert len(codes) > 150
    assert codes - set(RULES) - set(TO_COME) == set()
    assert set(TO_COME) - codes == set()


def test_the_list_names_a_code_once_with_a_reason_and_an_issue() -> None:
    assert [code for code, count in Counter(TO_COME).items() if count > 1] == []
    assert all(group["why"] and isinstance(group["issue"], int) for group in LISTED)


def test_no_code_on_the_list_has_a_rule_already() -> None:
    assert set(TO_COME) & set(RULES) == set()


def test_nothing_is_left_among_the_areas_that_are_done() -> None:
    assert {code for code in TO_COME if code.partition("-")[0] in DONE} == set()
