"""The short ways of an audit find what the long way finds: on every example of a rule, and on random workspaces."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from counts import many
from hypothesis import given
from hypothesis import strategies as st
from told import told_of_each

from readback import workspace
from readback.checks import chunk, needs, regular_records, rules
from readback.checks.facts.text_units import BECOME_ASCII
from readback.checks.facts.text_words import MIXED, words
from readback.checks.made_up_records import SILENT
from readback.prompts import assemble
from readback.records.dataset import open_dataset
from readback.types import Record, Workspace

SYSTEMS = (
    "You are a research paper assistant.",
    "Be brief.",
    "You are a scientific research assistant who answers with concise, evidence-grounded prose. Cite as [1], [2].",
)
HEAD = (
    "Answer the question using the provided context. Cite the sources inline as [#] based on the order of the snippets."
    " If the answer is not in the context, say you don't know."
)
WORDS = (
    "nets", "harbour", "Question:", "Answer:", "Context:", "assistant", "research", "tide", "Straße", "été", "模型",
    "ZÃ¼rich", "you", "are", "a", "helpful", "{{ x }}", "[1]", "[#]", "don't", "it’s", "\0", "\n", "\n\n", "<|im_end|>",
    "book.", "Why?",
)  # fmt: skip
PARAGRAPH = "Nets are handed in on Mondays, washed and cut to lengths of two metres, and hung up to dry."


def prose(chance: random.Random, most: int = 30) -> str:
    parts = [chance.choice(WORDS) for _ in range(chance.randint(1, most))]
    if chance.random() < 0.3:
        parts.insert(
            chance.randint(0, len(parts)), chance.choice((*SYSTEMS, SYSTEMS[0].upper(), "you are an assistant"))
        )
    if chance.random() < 0.15:
        parts += [PARAGRAPH, "\n\n", PARAGRAPH]
    return " ".join(parts)


def row(chance: random.Random, number: int) -> dict[str, Any]:
    """A record of the prompt formats, with any of the faults that the rules look for."""
    asked = chance.choice(("Why?", prose(chance, 8)))
    contexts: list[Any] = [f"[{n}] {prose(chance)}" for n in range(1, chance.randint(1, 4) + 1)]
    sent = [one if chance.random() < 0.9 else one[: len(one) // 2] for one in contexts]
    joined = chance.choice(("\n\n", "\n\n", "\n", ""))
    prompt = f"{HEAD}\n\nContext:\n{joined.join(sent)}\n\nQuestion: {asked.strip()}\nAnswer:"
    if chance.random() < 0.3:
        prompt = f"{prose(chance, 6)} {prompt}"
    if chance.random() < 0.2:
        prompt = prompt.replace(" say you don't know", "") + chance.choice(("", " ", "\n\nBe brief."))
    rag: dict[str, Any] = {"prompt": prompt, "contexts": contexts}
    if chance.random() < 0.1:
        rag[chance.choice(("prompt", "contexts"))] = chance.choice((None, "", [], [None, "[1] a"]))
    made = {"task_id": f"t{number}", "instruction": asked, "expected_response": prose(chance, 10), "rag": rag}
    for name in tuple(made):
        if name != "task_id" and chance.random() < 0.05:
            made[name] = chance.choice((None, "", 3))
    return made


SAID = (
    "nets", "harbour", "tide", "Straße", "été", "模型", "you", "are", "a", "an", "assistant", "helpful",
    "research paper assistant", "answer", "question", "Question:", "Answer:", "Context:", "the", "using",
    "provided context", "based on",
    "the following question", "in the context", "say", "don't", "know", "it’s", "[1]", "[1] nets", "[2] tide", "[#]",
    "concise", "evidence-grounded prose", "who answers with", "Be brief.", "book.", "Why?", "{x}", "{{ x }}",
    "<|im_end|>", "{% if x %}", "\n", "\n\n", "\n\nQ", "\n\nQuestion: nets", " ", "\t", "\0", "ZÃ¼rich",
)  # fmt: skip


def said(chance: random.Random, most: int) -> str:
    """A few words, of which some are those of the formats and of system texts."""
    usual = chance.random() < 0.6  # then none that means anything
    return " ".join(chance.choice(SAID[:6] if usual else SAID) for _ in range(chance.randint(1, most)))


def near_row(chance: random.Random, number: int) -> dict[str, Any]:
    """A record as the prompt formats want it, but for a little thing now and then."""
    asked = chance.choice((said(chance, 4), said(chance, 14), f" {said(chance, 5)}?\n"))
    if chance.random() < 0.1:
        asked += chance.choice((f"\n\n{PARAGRAPH}" * 2, f" {PARAGRAPH}" * 2, f"\n\n{HEAD}", *SYSTEMS))
    contexts: list[Any] = [f"[{n}] {said(chance, 12)}" for n in range(1, chance.randint(1, 4) + 1)]
    if chance.random() < 0.2:
        contexts[0] = chance.choice(
            (f"[1] {asked.strip()}", f"[1] {said(chance, 3)}\n\n{contexts[-1]}", "[1]", "nets", "")
        )
    if chance.random() < 0.05:
        contexts[-1] = chance.choice((None, 3, "[7] tide", "[1] [1] tide"))
    written = [one if isinstance(one, str) else "" for one in contexts]
    if chance.random() < 0.5:
        written = [one.strip() for one in written]
    prompt = f"{HEAD}\n\nContext:\n{(chr(10) * 2).join(written)}\n\nQuestion: {asked.strip()}\nAnswer:"
    if chance.random() < 0.1:
        at = chance.randint(0, len(prompt))
        prompt = prompt[:at] + chance.choice(("", " ", "\n", said(chance, 3), f"{SYSTEMS[0]} ")) + prompt[at + 1 :]
    rag = {"prompt": prompt, "contexts": contexts}
    return {"task_id": f"t{number}", "instruction": asked, "expected_response": "So [1].", "rag": rag}


def adapter(chance: random.Random) -> dict[str, Any]:
    """One that adds the same to every record, or something of the record's; a system role, or none."""
    own = (said(chance, 6), said(chance, 14), f" {said(chance, 5)}\n", "Be brief.\n\nBe brief.", PARAGRAPH, "", " ")
    of_format = (HEAD, "\n\nQuestion: nets\nAnswer:", *SYSTEMS)
    texts = (*own, *of_format, *("Why {{ instruction }}", "{% if x %}Nets{% endif %}") * 3)
    both = {role: chance.choice(texts) for role in ("system", "user") if chance.random() < 0.5}
    more = [{"system": chance.choice(texts)}] if chance.random() < 0.2 else []
    return {"tasks": {"generation": [both, *more]}, "system_prompt": chance.random() < 0.7}


def near_files(chance: random.Random) -> dict[str, str]:
    """Conditions of the built-in formats over records that are nearly as those want them."""
    kinds = ("base", "instruction_only", "rag_trained")
    stated = (*SYSTEMS, "Nets.", "Are you a harbour?", "Answer using the provided context.", said(chance, 12))
    served = chance.random() < 0.3
    models = {
        f"m{n}": {"type": kind, **({"training": {"system": chance.choice(stated)}} if chance.random() < 0.5 else {})}
        | ({"context": chance.randint(20, 200)} if chance.random() < 0.2 else {})
        | ({"serving": chance.choice(({"format": "chatml"}, {"modelfile": "Modelfile"}))} if served else {})
        for n, kind in enumerate(kinds)
    }
    conditions = [
        {"name": f"c{n}", "mode": chance.choice(("instruction", "rag", "hybrid", "standard")), "model": f"m{n % 3}"}
        for n in range(6)
    ]
    adapters = {f"a{n}": adapter(chance) for n in range(2)}
    for one in conditions:
        one |= {"adapter": chance.choice((*adapters, "manual"))} if chance.random() < 0.4 else {}
    options = {"condition4": ("hybrid", "standard"), "closed_book": ("no_citations", "short")}
    config = {
        "dataset": {"path": "data.jsonl", "id": "task_id"},
        "models": models,
        "conditions": conditions,
        "prompts": ["builtin:prompt-formats"],
        "adapters": [f"{name}.yml" for name in adapters],
        "options": {name: chance.choice(known) for name, known in options.items()}
        | {"spacing": chance.choice(("program", "document"))},
    }
    if chance.random() < 0.1:
        config["options"]["merge_roles"] = "gemma"
    if chance.random() < 0.3:
        config["leaks"] = chance.choice(({"threshold": 0.6}, {"phrases": ["nets"]}, {"phrases": ["the harbour tide"]}))
    rows = [near_row(chance, number) for number in range(6)]
    template = "FROM m\nTEMPLATE <|im_start|>{{ .System }}<|im_end|>{{ .Prompt }}<|im_end|>{{ .Response }}\n"
    made = {"readback.yml": json.dumps(config), "data.jsonl": "".join(json.dumps(one) + "\n" for one in rows)}
    made |= {f"{name}.yml": json.dumps(one) for name, one in adapters.items()}
    return made | ({"Modelfile": template} if served else {})


def files(chance: random.Random) -> dict[str, str]:
    """A workspace: conditions of the built-in formats and of templates, or none, over a few records."""
    kinds = ("base", "instruction_only", "rag_trained")
    models = {
        f"m{n}": {"type": kind, **({"training": {"system": chance.choice(SYSTEMS)}} if chance.random() < 0.5 else {})}
        | ({"serving": {"format": "chatml"}} if chance.random() < 0.2 else {})
        for n, kind in enumerate(kinds)
    }
    template = chance.choice(("", "Be brief. ")) + "{{ rag.prompt }} {{ rag.contexts[0] }}"
    own = {"mode": "own", "system": prose(chance, 4), "template": template}
    modes = ("instruction", "rag", "hybrid", "standard", "own")
    conditions = [
        {"name": f"c{n}", "mode": chance.choice(modes), "model": chance.choice(tuple(models))}
        for n in range(chance.choice((0, 3, 6)))
    ]
    config: dict[str, Any] = {
        "dataset": {"path": "data.jsonl", "id": "task_id"},
        "models": models,
        "conditions": conditions,
    }
    if conditions or chance.random() < 0.7:
        config |= {"prompts": ["builtin:prompt-formats"], "modes": [own]}
    elif chance.random() < 0.5:
        config["modes"] = [own]
    rows = [row(chance, number) for number in range(chance.randint(1, 6))]
    return {"readback.yml": json.dumps(config), "data.jsonl": "".join(json.dumps(one) + "\n" for one in rows)}


def differing(folder: Path, made: Mapping[str, str | bytes]) -> list[Any]:
    """The records of which the two ways do not say the same."""
    folder.mkdir()
    for name, content in made.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    opened = workspace.open(folder)
    if opened.dataset is None:
        return []
    records, choices = len(open_dataset(opened.root, opened.dataset)), assemble.choices(opened)
    short, long = (
        list(told_of_each(chunk.payload(opened, choices, 0, records, plain=plain, each=plain)))
        for plain in (False, True)
    )
    assert len(short) == len(long) == records
    return [(one, other) for one, other in zip(short, long, strict=True) if one != other]


@pytest.mark.long
def test_random_workspaces_with_faults_have_the_same_findings_by_the_short_and_the_long_way(tmp_path: Path) -> None:
    for seed in range(many(2_000)):
        assert differing(tmp_path / str(seed), files(random.Random(seed))) == [], f"seed {seed}"


def test_records_that_are_regular_or_nearly_so_have_the_same_findings_by_both_ways(tmp_path: Path) -> None:
    for seed in range(many(1_000, 20)):
        assert differing(tmp_path / str(seed), near_files(random.Random(seed))) == [], f"seed {seed}"


ASKED, CONTEXTS = "Where do nets dry?", ("[1] On the été wall.", "[2] In the harbour.")
FAR = "[1] a wall that is long enough to be known by its beginning"


def regular(asked: str = ASKED, contexts: Sequence[Any] = CONTEXTS, prompt: str | None = None) -> Record:
    """A record as the prompt formats want it, but for what is given otherwise."""
    block = "\n\n".join(map(str, contexts))
    written = f"{HEAD}\n\nContext:\n{block}\n\nQuestion: {asked.strip()}\nAnswer:" if prompt is None else prompt
    return Record("1", {"instruction": asked, "rag": {"prompt": written, "contexts": list(contexts)}})


@pytest.fixture(scope="module")
def formats(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, regular_records.Look]:
    folder = tmp_path_factory.mktemp("formats")
    conditions = [{"name": mode, "mode": mode, "model": "m"} for mode in ("instruction", "rag", "hybrid")]
    model = {"type": "rag_trained", "training": {"system": SYSTEMS[2]}, "context": 120}
    config = {"prompts": ["builtin:prompt-formats"], "models": {"m": model}, "conditions": conditions}
    (folder / "readback.yml").write_text(json.dumps({**config, "dataset": "data.jsonl"}))
    (folder / "data.jsonl").write_text(json.dumps({"task_id": "1", **regular().fields}))
    opened = workspace.open(folder)
    return opened, regular_records.Look(opened, assemble.choices(opened), rules.decide(opened))


def test_a_record_as_the_formats_want_it_is_known_by_one_look(
    formats: tuple[Workspace, regular_records.Look],
) -> None:
    opened, look = formats
    for record in (regular(f" {ASKED}\n"), regular("Is [1] so?", ("[1] Yes.  ", "[2] No.\n\nNo.", "[3] Why"))):
        values = look.at(record)
        assert values is not None
        made = [assemble.assemble(opened, record, choice) for choice in look.plans]
        assert [plan.text(values) for plan in look.plans.values()] == [one.messages[-1].text for one in made]
        sent = [sum(len(message.text) for message in one.messages) for one in made]
        assert [plan.length(values.sizes) for plan in look.plans.values()] == sent
        assert [plan.uses for plan in look.plans.values()] == [one.uses for one in made]
        assert all(look.fits(plan, values) for plan in look.plans.values())
    long = look.at(regular("Is it so?", ("[1] " + "wall " * 120,)))
    assert long is not None
    assert [look.fits(plan, long) for plan in look.plans.values()] == [True, False, False]


@pytest.mark.parametrize("record", [
    regular("Why?"),  # one word says too little of its own
    regular(""), regular("nets \0 dry"), regular("Why? Answer: so"), regular("Why do {{ nets }} dry?"),
    regular(f"{PARAGRAPH}\n\n{PARAGRAPH}"), regular(f"Why?\n\n{HEAD}\n\nWhy?"),
    regular(f"Why? {SYSTEMS[2]}"), regular("Why? You are an assistant."),
    regular(contexts=()), regular(contexts=("On the wall.",)), regular(contexts=("[1] a", None)),
    regular(contexts=("[1] a", "[1] b")), regular(contexts=("[1]",)), regular(contexts=(" [1] a",)),
    regular("Is it On the wall?", ("[1] On the wall",)), regular(f"Why {FAR[:40]}?", (FAR,)),
    regular(contexts=("[1] a\0b",)), regular(contexts=("[1] a\n\nQuestion: b",)), regular(contexts=("[1] {{ a }}",)),
    regular(contexts=(f"[1] {SYSTEMS[2]}",)), regular(contexts=("[1] So. You are an assistant.",)),
    regular(contexts=("[1] a\n\n[2] you are an", "[2] assistant")),
    regular(prompt=""), regular(prompt=regular().fields["rag"]["prompt"] + " "),
])  # fmt: skip
def test_a_record_with_anything_that_a_rule_may_speak_of_is_looked_at_in_full(
    record: Record, formats: tuple[Workspace, regular_records.Look]
) -> None:
    assert formats[1].at(record) is None


def test_of_what_an_adapter_adds_to_the_question_only_the_rule_that_speaks_of_it_is_asked(tmp_path: Path) -> None:
    blanks = regular(contexts=("[1] On the wall. \t", CONTEXTS[1]))  # trained on with these, sent without
    rows = [{"task_id": f"t{n}", **one.fields} for n, one in enumerate((regular(), blanks, regular(prompt="Why?")))]
    conditions = [{"name": mode, "mode": mode, "model": "m", "adapter": "a"} for mode in ("instruction", "rag")]
    config = {
        "prompts": ["builtin:prompt-formats"],
        "dataset": {"path": "data.jsonl", "id": "task_id"},
        "models": {"m": {"type": "rag_trained"}},
        "adapters": ["a.yml"],
        "conditions": [*conditions, {**conditions[0], "name": "standard", "mode": "standard"}],
    }
    made = {
        "readback.yml": json.dumps(config),
        "data.jsonl": "".join(json.dumps(row) + "\n" for row in rows),
        "a.yml": "{name: a, tasks: {generation: {user: Keep it short.}}}",
    }
    assert differing(tmp_path / "a", made) == []
    opened = workspace.open(tmp_path / "a")
    decided = rules.decide(opened)
    look = regular_records.Look(opened, assemble.choices(opened), decided)
    asked = {choice.condition: {one[1][0] for one in these.rules} & SILENT for choice, these in look.quiet.items()}
    assert asked == {"instruction": {"fmt-markers"}, "rag": {"fmt-markers"}}
    assert look.plans == {}


def test_every_character_that_becomes_ascii_in_one_case_is_known() -> None:
    every = "".join(map(chr, range(0x80, 0x110000)))
    become = [one for one in every if (said := one.casefold()) != one and min(said) < "\x80"]
    assert len(become) == 19
    assert [one for one in become if not BECOME_ASCII.fullmatch(one.encode("utf-8", "surrogatepass"))] == []


@pytest.mark.parametrize("code", [code for code, rule in rules.RULES().items() if rule.needs])
def test_what_a_rule_says_it_needs_hides_nothing_of_its_examples(code: str, tmp_path: Path) -> None:
    rule = rules.RULES()[code]
    for number, example in enumerate((*rule.passes, *rule.fails)):
        assert differing(tmp_path / str(number), example) == []


@given(st.text(st.sampled_from("aB'_7 \0\n.-\x0b\x1c\x7f")))
def test_the_words_of_plain_text_are_those_of_any_text(text: str) -> None:
    assert words(text) == tuple(map(str.casefold, MIXED.findall(text)))


def test_a_need_that_nobody_knows_is_said() -> None:
    with pytest.raises(ValueError, match="'weather'"):
        needs.read("weather", ("record",))
