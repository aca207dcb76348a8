"""A value of a wrong type in any configuration is named with its place, the rest is used, and nothing fails."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from counts import many
from wrong_types import AROUND, FILES, WrongType, cases

from readback import cli, workspace
from readback.types import Diagnostic, Workspace

Write = Callable[[Mapping[str, Any]], Path]


def opened(write: Write, file: str, content: Any) -> Workspace:
    naming = FILES[file][1]
    return workspace.open(write({**AROUND, **({"readback.yml": f"{naming}\n"} if naming else {}), file: content}))


def said(found: Workspace) -> set[tuple[str, str, str]]:
    return {(diagnostic.code, diagnostic.flagged, repr(diagnostic.values)) for diagnostic in found.diagnostics}


EVERY = list(cases())
SOME = EVERY if many(100) == 100 else random.Random(11).sample(EVERY, len(EVERY) // 10)


@pytest.mark.long
@pytest.mark.parametrize("case", SOME, ids=lambda case: f"{case.file}-{'.'.join(map(str, case.keys))}")
def test_b11_a_value_of_a_wrong_type_is_named_and_the_rest_is_used(write: Write, case: WrongType) -> None:
    right = opened(write, case.file, FILES[case.file][0])
    wrong = opened(write, case.file, case.content)
    more = said(wrong) - said(right)
    assert more
    assert any(
        diagnostic.place.file in (case.file, "readback.yml")
        for diagnostic in wrong.diagnostics
        if _is_new(diagnostic, more)
    )
    if len(case.keys) > 1:  # what is beside it is still there
        assert {one.name for one in wrong.configs} >= {one.name for one in right.configs}


def _is_new(diagnostic: Diagnostic, more: set[tuple[str, str, str]]) -> bool:
    return (diagnostic.code, diagnostic.flagged, repr(diagnostic.values)) in more


@pytest.mark.parametrize(
    ("content", "code", "named", "kept"),
    [
        ({"parsing": "ok", "rubric_evaluation": 5}, "dat-wrong-value", "rubric_evaluation", {"parsing": "ok"}),
        ({"parsing": "ok", "generatoin": "x"}, "dat-unknown-key", "generatoin", {"parsing": "ok"}),
        ({"parsing": 5}, "dat-wrong-value", "parsing", {}),
        ({"generation": ["x"], "parsing": "ok"}, "dat-wrong-value", "generation", {"parsing": "ok"}),
    ],
)
def test_b11_a_bare_promptconfig_with_one_fault_keeps_the_rest(
    write: Write, content: Any, code: str, named: str, kept: dict[str, str]
) -> None:
    root = write({"p.json": content})
    for path in (root, root / "p.json"):
        found = workspace.open(path)
        (diagnostic,) = found.diagnostics
        assert (diagnostic.code, diagnostic.place.file, diagnostic.place.line) == (code, "p.json", 1)
        assert named in (diagnostic.values.get("key"), diagnostic.values.get("where"))
        assert found.instructions == kept
    assert cli.main(["check", str(root)]) == int(code == "dat-wrong-value")


@pytest.mark.parametrize("key", ["prompts", "plan", "instructions"])
@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ('[{"parsing": "x"}]', {"dat-wrong-value"}),
        ('["parsing"]', {"dat-wrong-value"}),
        ('[{"parsing": "x"}', {"dat-wrong-value", "dat-bad-line"}),
        ('{"parsing": "x"', {"dat-bad-line", "dat-not-recognised"}),
    ],
)
def test_b11_a_list_where_a_configuration_is_named_is_a_finding(
    write: Write, key: str, text: str, codes: set[str]
) -> None:
    entry = "p.json" if key == "instructions" else "[p.json]"
    found = workspace.open(write({"readback.yml": f"{key}: {entry}\n", "p.json": text}))
    assert {diagnostic.code for diagnostic in found.diagnostics} == codes
    assert found.dataset is None
    wrong = [diagnostic for diagnostic in found.diagnostics if diagnostic.code == "dat-wrong-value"]
    assert all(
        diagnostic.place.file == "readback.yml" and "mapping" in diagnostic.values["expected"] for diagnostic in wrong
    )


@pytest.mark.parametrize(
    ("name", "near"), [("parsng", "parsing"), ("abstention_detecton", "abstention_detection"), ("my_own_step", None)]
)
def test_b11_a_misspelt_task_is_asked_about(write: Write, name: str, near: str | None) -> None:
    found = workspace.open(write({"readback.yml": f"tasks: {{{name}: {{user: x}}}}\n"}))
    assert [
        diagnostic.values["nearest"] for diagnostic in found.diagnostics if diagnostic.code == "asm-unknown-task"
    ] == ([near] if near else [])
    assert list(found.tasks) == [name]


@pytest.mark.parametrize("text", ['{"generation": {"temperature": 1}}', '{"operation": "x", "parsing": {"a": 1}}'])
def test_b11_other_peoples_settings_are_not_taken_for_instructions(write: Write, text: str) -> None:
    root = write({"settings.json": text, "d.jsonl": [{"id": "1"}]})
    assert workspace.open(root).configs == ()


def test_b11_sampling_values_of_another_type_are_left_out_and_named(write: Write) -> None:
    config = {
        "temperature": "hot",
        "top_p": 0.5,
        "stop_token_ids": [1, "x"],
        "prompts": [{"mode": "a", "template": "t"}],
    }
    found = workspace.open(write({"prompt_config.yml": json.dumps(config), "t": "x"}))
    where = {diagnostic.values["where"] for diagnostic in found.diagnostics if diagnostic.code == "dat-wrong-value"}
    assert where == {"temperature", "stop_token_ids[1]"}
    assert found.configs[0].settings == {"top_p": 0.5}
