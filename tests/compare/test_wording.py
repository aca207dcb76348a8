"""Adapters' words are Readback's own, and wherever they are shown or exported this is said."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import looking
import pytest
from counts import some
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from readback import adapters, as_json, project_files
from readback.cli import main
from readback.compare import as_text
from readback.compare.diff import compare_sides
from readback.compare.side import Side
from readback.compare.sides import show_record
from readback.notebook.assembled import Assembled
from readback.notebook.study import open_workspace
from readback.prompts.assemble import assemble
from readback.prompts.model_input import build_model_input
from readback.tasks import PROFILES, tasks_of
from readback.types import Adapter, Addition, Condition, Message, Model, Prompt, Record, Selection, Workspace
from readback.ui.common.draw import exports

Write = Callable[[Mapping[str, Any]], Path]
SAID = "wording: readback"
FILES = {
    "readback.yml": "dataset: d.jsonl\ntasks: {parsing: {system: '1', user: '{{ q }}'}}\n"
    "context: {parsing: {json_schema: {}}}\nadapters: [langchain, house.yml]\n",
    "house.yml": "name: house\ntasks: {parsing: {system: 'Our house.'}}\n",
    "d.jsonl": [{"id": "1", "q": "2"}],
}


@pytest.fixture
def folder(write: Write) -> Path:
    return write(FILES)


def test_a5_a_segment_of_a_shipped_adapter_says_whose_words_it_is_and_no_other_does(folder: Path) -> None:
    made = open_workspace(folder).assemble(task="parsing", adapter="langchain")
    said = {(one.origin, one.wording) for message in made.messages for one in message.segments}
    assert ("adapter", "readback") in said
    assert {origin for origin, wording in said if wording} == {"adapter"}
    own = open_workspace(folder).assemble(task="parsing", adapter="house")
    assert {one.wording for message in own.messages for one in message.segments if one.origin == "adapter"} == {"own"}


def test_a5_a_child_that_inherits_our_words_says_so(write: Write) -> None:
    child = "name: house\nextends: langchain\nwording: upstream\ntasks: {generation: {system: 'x'}}\n"
    made = open_workspace(write(FILES | {"house.yml": child})).assemble(task="parsing", adapter="house")
    words = {
        (one.name, one.wording) for message in made.messages for one in message.segments if one.origin == "adapter"
    }
    assert words == {("house", "readback")}


def test_a5_render_says_it_in_json_and_in_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask = ["render", str(folder), "--task", "parsing", "--adapter"]
    main([*ask, "langchain", "--format", "json"])
    said = json.loads(capsys.readouterr().out)
    marked = [one for message in said["messages"] for one in message["segments"] if one["origin"] == "adapter"]
    assert {one["wording"] for one in marked} == {"readback"}
    main([*ask, "langchain"])
    assert f"=== {SAID}: langchain" in capsys.readouterr().out
    main([*ask, "house"])
    assert SAID not in capsys.readouterr().out


def test_a5_diff_says_it_in_json_and_in_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask = ["diff", str(folder), "--a", "task=parsing,adapter=house", "--b", "task=parsing,adapter=langchain"]
    main(ask)
    assert f"B  {SAID}: langchain" in capsys.readouterr().out
    main([*ask, "--format", "json"])
    said = json.loads(capsys.readouterr().out)
    assert (said["a"].get("wording"), said["b"]["wording"], said["b"]["worded"]) == (None, "readback", ["langchain"])


def test_a5_the_notebook_says_it(folder: Path) -> None:
    made = open_workspace(folder).assemble(task="parsing", adapter="langchain")
    assert SAID in repr(made)
    assert made._repr_html_().count(SAID) > 1
    assert "readback" in {row["wording"] for row in made.segments()}
    assert SAID not in repr(open_workspace(folder).assemble(task="parsing"))


def test_a5_messages_and_compare_say_it_on_the_page(serving: Any) -> None:
    serving(FILES)
    page = looking.page("prompts", task="parsing", adapter="langchain")
    assert f"({SAID}): langchain" in looking.words(page)
    assert f"added by the adapter langchain, in Readback&#x27;s own words ({SAID})" in looking.said(page)
    assert f"Download ({SAID})" in [one.proto.label for one in page.get("download_button")]
    other = looking.page(
        "prompts", view="difference", task="parsing", adapter="house", b_task="parsing", b_adapter="langchain"
    )
    assert f"({SAID})" in looking.words(other)


def test_a5_downloads_and_notes_say_it() -> None:
    ours = (Message("user", (_ours("Fill it in."),)),)
    assert json.loads(exports.as_json(ours)) == [{"role": "user", "content": "Fill it in.", "wording": "readback"}]
    assert exports.wording(adapters.list_own_wordings(ours)) == "wording-readback"
    plain = (Message("user", (replace(_ours("x"), wording="own"),)),)
    assert json.loads(exports.as_json(plain)) == [{"role": "user", "content": "x"}]


def _ours(text: str) -> Any:
    made = assemble(_workspace("langchain", "document", {}), RECORD, Selection(task="parsing", adapter="langchain"))
    segment = next(one for message in made.messages for one in message.segments if one.origin == "adapter")
    return replace(segment, text=text)


DIGITS = st.text("0123456789 \n", max_size=6)
RECORD = Record("1", {"q": "7", "json_schema": {"1": 2}})
INTERFACES = sorted(adapters.load_shipped())


def _workspace(adapter: str, profile: str, own: Mapping[str, Adapter], user: str = "2", system: str = "1") -> Workspace:
    tasks = {name: Prompt(name, user, system, syntax="text") for name in tasks_of(profile)}
    model = Model("m", chat_format="chatml")
    condition = Condition("c", task="parsing", adapter=adapter, model="m")
    options = {"assembly_profile": profile}
    return Workspace(
        project_files.PROJECT,
        "w",
        tasks=tasks,
        adapters=own,
        models={"m": model},
        conditions=(condition,),
        options=options,
    )


@settings(deadline=None, max_examples=some(60), suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(INTERFACES), st.sampled_from(PROFILES), st.data(), DIGITS, DIGITS, st.booleans(), st.booleans())
def test_law_text_that_the_product_wrote_is_never_shown_or_exported_without_saying_so(
    interface: str, profile: str, data: Any, user: str, system: str, folded: bool, own: bool
) -> None:
    """All that a user brings here is digits, so every letter of a message was written by Readback."""
    task = data.draw(st.sampled_from(sorted(tasks_of(profile))))
    house_rules = {"generation": (Addition(system="0"),)}
    mine = {"mine": Adapter("mine", interface, "own", not folded, additions=house_rules, stated=("system_prompt",))}
    name = "mine" if own else interface
    workspace = _workspace(name, profile, mine, user, system)
    made = assemble(workspace, RECORD, Selection(task=task, adapter=name))
    segments = [one for message in made.messages for one in message.segments]
    ours = any(map(str.isalpha, "".join(one.text for one in segments)))
    assert all(one.wording == adapters.OURS for one in segments if any(map(str.isalpha, one.text)))
    assert bool(adapters.list_own_wordings(made.messages)) >= ours
    said = bool(adapters.list_own_wordings(made.messages))
    model_input = build_model_input(workspace, RECORD, made, replace(workspace.conditions[0], task=task), False)
    assert model_input is None or said == any(one.wording == adapters.OURS for one in model_input.segments)
    exported = [
        json.dumps([as_json.message_to_json(one) for one in made.messages]),
        exports.as_json(made.messages),
        json.dumps(as_text.make_values(compare_sides(*[show_record(workspace, Side(made.choice), RECORD)] * 2), "")),
    ]
    assert {'"wording": "readback"' in text for text in exported} == {said}
    assert {SAID in text for text in (repr(Assembled(made)), Assembled(made)._repr_html_())} == {said}
