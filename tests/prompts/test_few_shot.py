"""Examples before the question of the task generation, chosen and written as the program does it."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback import cli, workspace
from readback.checks.run import engine
from readback.prompts.assemble import assemble
from readback.prompts.generation import add_examples
from readback.records.dataset import open_dataset
from readback.types import Location, PromptConfig, Record, Segment, Selection, Workspace

Write = Callable[[Mapping[str, Any]], Path]
POOL = [{"question": f"q{n}", "answer": f"a{n}"} for n in range(5)]
GLOBAL = [{"question": "g", "answer": "ga"}]
BASE = {"answering_models": [{"interface": "langchain", "model_name": "m", "system_prompt": "Be brief."}]}


def folder(write: Write, config: Any, pool: Any = POOL, more: Mapping[str, Any] | None = None, **row: Any) -> Path:
    return write(
        {
            "readback.yml": 'dataset: d.jsonl\nprompts: [p.json]\ntasks: {generation: {user: "{{ question }}"}}\n',
            "p.json": {**BASE, **({"few_shot_config": config} if config is not None else {}), **(more or {})},
            "d.jsonl": [{"id": "1", "question": "Why?", "few_shot_examples": pool, **row}],
        }
    )


def user(root: Path) -> tuple[str | None, list[str]]:
    opened = workspace.open(root)
    record = open_dataset(opened.root, opened.dataset).record(0)
    made = assemble(opened, record, Selection(condition=opened.conditions[0].name))
    return next((m.text for m in made.messages if m.role == "user"), None), [
        diagnostic.code for diagnostic in made.diagnostics
    ]


def written(*names: str) -> str:
    asked = "".join(
        f"Question: {name}\nAnswer: {'ga' if name == 'g' else name.replace('q', 'a')}\n\n" for name in names
    )
    return f"{asked}Question: Why?\nAnswer:"


def drawn(k: int, called: str = "1") -> list[str]:
    random.seed(int(hashlib.md5(called.encode()).hexdigest(), 16) & 0x7FFFFFFF)
    return [one["question"] for one in random.sample(POOL, k)]


def one(**said: Any) -> dict[str, Any]:
    return {"question_configs": {"1": said}}


HASH = hashlib.md5(b"q2").hexdigest()
CASES: list[tuple[Any, list[str], list[str]]] = [
    ({}, ["q0", "q1", "q2", "q3", "q4"], []),
    ({"global_examples": GLOBAL}, ["q0", "q1", "q2", "q3", "q4", "g"], []),
    ({"source": "question_pool", "global_examples": GLOBAL}, ["q0", "q1", "q2", "q3", "q4"], []),
    ({"source": "global", "global_examples": GLOBAL}, ["g"], []),
    ({"pool_mode": "k-shot", "pool_k": 9}, ["q0", "q1", "q2", "q3", "q4"], []),
    ({"pool_mode": "k-shot", "pool_k": 2}, drawn(2), []),
    ({"pool_mode": "k-shot"}, drawn(3), []),
    ({"pool_mode": "k-shot", **one(k=4)}, drawn(3), []),  # inherit takes the pool's number too
    (one(mode="k-shot", k=4), drawn(4), []),
    (one(mode="custom", selected_examples=[3, 0, HASH]), ["q3", "q0", "q2"], []),
    ({"pool_mode": "custom", **one(selected_examples=[1])}, ["q1"], []),
    (one(mode="custom", selected_examples=[9, "no", 1]), ["q1"], ["asm-few-shot-left-out"] * 2),
    (one(excluded_examples=[0, HASH]), ["q1", "q3", "q4"], []),
    (one(mode="custom", selected_examples=[3, 1], excluded_examples=[1]), ["q3"], ["asm-few-shot-excluded"]),
    ({"global_mode": "all", "global_external_examples": GLOBAL}, ["q0", "q1", "q2", "q3", "q4", "g"], []),
    ({"enabled": True, "global_mode": "all", **one(external_examples=GLOBAL)}, ["q0", "q1", "q2", "q3", "q4", "g"], []),
]


@pytest.mark.parametrize(("config", "names", "codes"), CASES)
def test_a6_the_examples_are_those_that_the_program_sends(
    write: Write, config: Any, names: list[str], codes: list[str]
) -> None:
    assert user(folder(write, config)) == (written(*names), codes)


@pytest.mark.parametrize(
    ("config", "pool"),
    [
        (None, POOL),
        ({"source": "disabled"}, POOL),
        ({"enabled": False, "global_mode": "all"}, POOL),
        ({}, []),
        ({}, None),
        ({"enabled": True, "global_mode": "none", "global_external_examples": GLOBAL}, POOL),
    ],
)
def test_a6_without_an_example_the_question_is_sent_alone(write: Write, config: Any, pool: Any) -> None:
    text, codes = user(folder(write, config, pool))
    assert text == "Why?"
    off = config is None or config.get("source") == "disabled" or config.get("enabled") is False
    assert codes == ([] if off else ["asm-few-shot-missing"])


def test_a6_the_oldest_spelling_is_read_too(write: Write) -> None:
    more = {"few_shot_enabled": True, "few_shot_mode": "all"}
    assert user(folder(write, None, more=more)) == (written("q0", "q1", "q2", "q3", "q4"), [])


def test_a6_an_example_without_a_part_is_left_out_and_said_to_be(write: Write) -> None:
    pool = [{"question": "q0"}, {"question": "q1", "answer": "a1"}, {"question": 5, "answer": "x"}, "x"]
    text, codes = user(folder(write, {}, pool))
    assert text == written("q1")
    assert sorted(codes) == ["asm-few-shot-left-out", "dat-wrong-value", "dat-wrong-value"]
    assert user(folder(write, {}, [{"answer": "x"}])) == ("Question: Why?\nAnswer:", ["asm-few-shot-left-out"])


def test_a6_examples_as_json_text_are_read(write: Write) -> None:
    assert user(folder(write, {}, json.dumps(POOL[:1]))) == (written("q0"), [])
    assert user(folder(write, {}, "[broken"))[1] == ["dat-wrong-value", "asm-few-shot-missing"]


@pytest.mark.parametrize("config", [{"enabled": True, "global_mode": "k-shot", "global_k": 2}])
def test_a6_a_draw_that_cannot_be_repeated_shows_nothing(write: Write, config: Any) -> None:
    assert user(folder(write, config)) == (None, ["asm-few-shot-random"])
    root = folder(write, {"pool_mode": "k-shot", "pool_k": 2})
    (root / "d.jsonl").write_text(json.dumps({"question": "Why?", "few_shot_examples": POOL}) + "\n", "utf-8")
    assert user(root) == (None, ["asm-few-shot-random"])


def test_a6_every_stretch_says_where_it_comes_from(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    root = folder(write, {"global_examples": GLOBAL}, POOL[:1])
    name = workspace.open(root).conditions[0].name
    cli.main(["render", str(root), "--condition", name, "--format", "json"])
    answer = json.loads(capsys.readouterr().out)
    (asked,) = [message for message in answer["messages"] if message["role"] == "user"]
    assert "".join(segment["text"] for segment in asked["segments"]) == asked["text"] == written("q0", "g")
    found = {segment["text"]: (segment["origin"], segment["name"], segment["place"]) for segment in asked["segments"]}
    assert found["q0"][:2] == ("variable", "few_shot_examples[0].question")
    assert found["q0"][2]["file"] == "d.jsonl"
    assert found["ga"][:2] == ("task", "global_examples[0].answer")
    assert found["ga"][2]["file"] == "p.json"
    assert found["Why?"][0] == "variable"
    assert found["Question: "][0] == "joiner"


def test_a6_instructions_and_roles_stand_around_the_examples_as_around_the_bare_question(write: Write) -> None:
    root = folder(write, {}, POOL[:1], {"prompt_config": {"generation": "Be kind."}})
    opened = workspace.open(root)
    record = open_dataset(opened.root, opened.dataset).record(0)
    made = assemble(opened, record, Selection(task="generation", adapter="no_system"))
    assert [m.role for m in made.messages] == ["user"]
    assert made.messages[0].text == "Be kind.\n\n" + written("q0")


def test_a6_the_examples_are_not_called_unread(write: Write) -> None:
    audit = engine.check(workspace.open(folder(write, {})))
    assert "few_shot_examples" not in {field.name for field in audit.unused}
    assert audit.faults == ()


EXAMPLES = st.lists(
    st.fixed_dictionaries({}, optional={"question": st.text("ab", max_size=2), "answer": st.text("xy", max_size=2)}),
    max_size=6,
)


@given(
    EXAMPLES,
    st.sampled_from(["all", "k-shot", "custom", "inherit"]),
    st.integers(0, 4),
    st.lists(st.integers(-2, 7), max_size=4),
    st.lists(st.integers(-2, 7), max_size=3),
    st.text("123", min_size=1, max_size=3),
)
def test_a6_any_choice_is_resolved_as_the_program_resolves_it(
    pool: list[dict[str, str]], mode: str, k: int, selected: list[int], excluded: list[int], called: str
) -> None:
    said = {
        "pool": True, "mode": "all", "k": 3, "examples": [], "salted": False,
        "questions": {called: {"mode": None if mode == "inherit" else mode, "k": k, "selected": selected,
                               "excluded": excluded, "examples": []}},
    }  # fmt: skip
    config = PromptConfig("p", "instructions", settings={"shape": "preset", "few_shot": said}, place=Location("p"))
    record = Record(called, {"few_shot_examples": pool}, Location("d", 1, index=0))
    made = add_examples(
        Workspace(Path(), "w", configs=(config,)), Selection(task="generation"), record, (Segment("Q", "task"),)
    )
    resolved = list(pool)
    if mode == "k-shot" and len(pool) > k:
        random.seed(int(hashlib.md5(called.encode()).hexdigest(), 16) & 0x7FFFFFFF)
        resolved = random.sample(pool, k)
    elif mode == "custom":
        resolved = [pool[n] for n in selected if 0 <= n < len(pool)]
    resolved = [example for n, example in enumerate(resolved) if n not in set(excluded)]
    lines = [f"Question: {e['question']}\nAnswer: {e['answer']}\n" for e in resolved if len(e) == 2]
    expected = "\n".join([*lines, "Question: Q", "Answer:"]) if resolved else "Q"
    assert "".join(segment.text for segment in made.user) == expected
