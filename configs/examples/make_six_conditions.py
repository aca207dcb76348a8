"""Write the data files of the demos `six-conditions` and `six-conditions-mistakes`: records, answers, logged requests
and synthetic scores. The second has one condition more that logged its requests; the rest is the same.

    python configs/examples/make_six_conditions.py

The harbour, its manual and every number in it are invented. Answers and scores are drawn by the generator below, all
from one seed; nothing was measured, which is why the workspace file calls the scores synthetic.
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Collection
from pathlib import Path

EXAMPLES = Path(__file__).parent
RIGHT, WRONG = "six-conditions", "six-conditions-mistakes"
SEED = 20260131

with (Path(__file__).parent / "harbour_manual.tsv").open(encoding="utf-8", newline="") as table:
    MANUAL = [tuple(row.values()) for row in csv.DictReader(table, delimiter="\t")]  # see its header

ASK = (
    "Answer the question using the provided context. Cite the sources inline as [#] based on the order of the snippets."
    " If the answer is not in the context, say you don't know."
)
TRAINED = (
    "You are a scientific research assistant who answers with concise, evidence-grounded prose"
    " and includes inline numeric citations like [1], [2], etc."
)
CONDITIONS = {  # how often an answer is right, beside the point, or refused; and whether it cites
    "base, closed book": (0.05, 0.65, False),
    "base, open book": (0.62, 0.10, True),
    "instruction-only, closed book": (0.08, 0.75, False),
    "instruction-only, open book": (0.55, 0.15, True),
    "RAG-trained, closed book": (0.06, 0.70, False),
    "RAG-trained, open book": (0.74, 0.06, True),
}
GATEWAY = "RAG-trained, open book, through the gateway"


def record(number: int) -> dict[str, object]:
    """One row: the passage that answers stands somewhere among four, chosen without chance."""
    section, _, question, reference = MANUAL[number]
    others = [MANUAL[(number + step) % len(MANUAL)] for step in (5, 9, 14)]
    place = number % 4
    chosen = [*others[:place], MANUAL[number], *others[place:]]
    contexts = [f"[{i}] Section: {c[0]}\n{c[1]}" for i, c in enumerate(chosen, 1)]
    sent = contexts
    if number in (6, 17):  # the fault: a prompt that was built with a smaller budget than its row remembers
        sent = contexts[:2]
    cited = 5 if number == 20 else place + 1  # the fault: one reference cites a snippet that is not there
    prompt = ASK + "\n\nContext:\n" + "\n\n".join(sent) + f"\n\nQuestion: {question}\nAnswer:"
    return {
        "task_id": f"ellery-{number + 1:02}",
        "task_type": "qa",
        "instruction": question,
        "expected_response": f"{reference} [{cited}].",
        "rag": {"prompt": prompt, "contexts": contexts, "sources": [f"manual.pdf#page={number // 3 + 1}"] * 4},
        "metadata": {"section": section, "require_citations": True},
    }


def answer(row: dict[str, object], condition: str, chance: random.Random) -> tuple[str, str]:
    """An answer and what it is: right, wrong or refused."""
    right, wrong, cites = CONDITIONS[condition]
    reference = str(row["expected_response"])
    draw = chance.random()
    if draw < right:
        return (reference if cites else reference.rsplit(" [", 1)[0] + "."), "right"
    if draw < right + wrong:
        other = MANUAL[chance.randrange(len(MANUAL))][3]
        return other + (f" [{chance.randrange(1, 5)}]." if cites else "."), "wrong"
    return "I don't know.", "refused"


def scores(kind: str, cites: bool, chance: random.Random) -> tuple[int | None, int | None]:
    """Relevance and faithfulness as a judge might give them; None where the judge's reply could not be read."""
    if chance.random() < 0.02:
        return None, None
    relevance = {"right": 2 if chance.random() < 0.8 else 1, "wrong": -1, "refused": 0}[kind]
    support = {"right": 1 if chance.random() < 0.75 else 0, "wrong": -1 if chance.random() < 0.7 else 0, "refused": 0}
    return relevance, (support[kind] if cites else None)


def requests(row: dict[str, object], number: int) -> list[dict[str, object]]:
    """What the clients of two conditions logged, and the gateway of a third: one of its requests is an older one."""
    stored = str(row["rag"]["prompt"])  # type: ignore[index]
    closed = f"Question: {row['instruction']}\n\nAnswer:"
    words = 80 if number == 8 else 60  # the fault: one request is older than the gateway's present line
    folded = f"{TRAINED}\n\n{stored}\n\nKeep the answer under {words} words."
    sent = {
        "instruction-only, closed book": {"model": "instruction-only", "prompt": closed, "stream": False},
        "base, open book": {"model": "base", "messages": [{"role": "user", "content": stored}]},
        GATEWAY: {"messages": [{"role": "user", "content": folded}]},
    }
    return [{"task_id": row["task_id"], "condition": name, "request": body} for name, body in sent.items()]


def main() -> None:
    """Write both demos' data."""
    write(EXAMPLES / RIGHT, CONDITIONS)
    write(EXAMPLES / WRONG, (*CONDITIONS, GATEWAY))


def write(home: Path, logging: Collection[str]) -> None:
    """Write data/harbour.jsonl, answers/*.jsonl, scores/judge.csv, and logs/requests.jsonl of these conditions."""
    chance = random.Random(SEED)  # noqa: S311 (made-up answers, and the same ones each time)
    for folder in ("data", "answers", "logs", "scores"):
        (home / folder).mkdir(parents=True, exist_ok=True)
    rows = [record(number) for number in range(len(MANUAL))]
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    lines.insert(12, '{"task_id": "ellery-12b", "instruction": "Who keeps the key of the ice house?", "expected_resp')
    (home / "data/harbour.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    logged = [one for number, row in enumerate(rows) for one in requests(row, number) if one["condition"] in logging]
    lines = [json.dumps(one, ensure_ascii=False) for one in logged]
    (home / "logs/requests.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    with (home / "scores/judge.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["item", "condition", "judge", "criterion", "score", "note"])
        for condition in CONDITIONS:
            replies = []
            for row in rows:
                text, kind = answer(row, condition, chance)
                replies.append({"task_id": row["task_id"], "response": text})
                marks = scores(kind, CONDITIONS[condition][2], chance)
                for criterion, mark in zip(("relevance", "faithfulness"), marks, strict=True):
                    if criterion == "faithfulness" and not CONDITIONS[condition][2]:
                        continue  # without documents there is nothing to be faithful to
                    note = "the reply held no JSON" if mark is None else f"drawn for an answer that is {kind}"
                    table.writerow(
                        [row["task_id"], condition, "harbour-judge", criterion, "" if mark is None else mark, note]
                    )
            name = condition.replace(", ", "_").replace(" ", "_").lower()
            path = home / f"answers/{name}.jsonl"
            path.write_text("".join(json.dumps(reply, ensure_ascii=False) + "\n" for reply in replies), "utf-8")


if __name__ == "__main__":
    main()
