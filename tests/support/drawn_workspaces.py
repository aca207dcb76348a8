"""Random workspaces of the prompt formats, with records that have any of the faults that rules look for."""

from __future__ import annotations

import json
import random
from typing import Any

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
