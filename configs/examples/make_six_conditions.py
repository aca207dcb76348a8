"""Write the data files of the demo `six-conditions`: records, answers and synthetic scores, all from one seed.

    python configs/examples/make_six_conditions.py

The harbour, its manual and every number in it are invented. Answers and scores are drawn by the generator below;
nothing was measured, which is why the workspace file calls the scores synthetic.
"""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

HOME = Path(__file__).parent / "six-conditions"
SEED = 20260131

# section of the manual, passage, question, reference answer
MANUAL = (
    ("Approach", "Vessels longer than 60 metres must take a pilot on board at the Gull buoy, two nautical miles west of the breakwater.", "Where does a vessel longer than 60 metres take its pilot on board?", "At the Gull buoy, two nautical miles west of the breakwater"),
    ("Approach", "The speed limit inside the breakwater is 5 knots. Pilot boats on duty may run at 9 knots.", "How fast may an ordinary vessel go inside the breakwater?", "At most 5 knots"),
    ("Approach", "The leading lights on Chapel Hill are red over white and are switched on half an hour before sunset.", "What do the leading lights on Chapel Hill look like?", "Red over white"),
    ("Radio", "Port Ellery listens on channel 12. Channel 16 is kept for distress calls only.", "On which channel does Port Ellery listen?", "On channel 12"),
    ("Radio", "A clearance to enter is read back word for word. The tower repeats it until the readback is correct.", "What must a skipper do with a clearance to enter?", "Read it back word for word until the tower confirms that it is correct"),
    ("Radio", "The tower is manned from 05:30 to 22:00. At night, calls are answered by the lock keeper.", "Who answers calls at night?", "The lock keeper"),
    ("Berths", "Berths 1 to 8 are for fishing boats. Berths 9 to 14 take visitors for up to three nights.", "How long may a visitor stay at berths 9 to 14?", "Up to three nights"),
    ("Berths", "The depth at the east quay is 6.2 metres at the lowest tide; at the west quay it is 3.8 metres.", "How deep is the east quay at the lowest tide?", "6.2 metres"),
    ("Berths", "Mooring lines may not cross the ladder at berth 11, which is the way out in a fire.", "Why must the ladder at berth 11 stay clear?", "It is the way out in a fire"),
    ("Fees", "The fee for a night is 1.40 crowns for each metre of length. Boats under 6 metres pay a flat 8 crowns.", "What does a 5-metre boat pay for a night?", "A flat 8 crowns"),
    ("Fees", "Fees are paid at the harbour office before noon. Late payment costs a further 10 crowns.", "What does late payment cost?", "A further 10 crowns"),
    ("Fees", "Rescue boats, school ships and the mail boat pay no fee.", "Which boats pay no fee?", "Rescue boats, school ships and the mail boat"),
    ("Fuel", "The fuel pontoon opens at 07:00 and closes at 19:00. Petrol is sold only in cans of 20 litres or less.", "In what quantity is petrol sold?", "Only in cans of 20 litres or less"),
    ("Fuel", "Nobody stays below deck while fuel is taken on. Engines and stoves are off.", "Where must the crew be while fuel is taken on?", "On deck: nobody stays below"),
    ("Fuel", "A spill is reported to the tower at once; booms lie ready in the blue box beside the pump.", "Where are the booms kept?", "In the blue box beside the pump"),
    ("Weather", "A black ball on the mast of the tower means that the bar is closed to boats under 12 metres.", "What does a black ball on the tower's mast mean?", "The bar is closed to boats under 12 metres"),
    ("Weather", "The tower reads the wind every ten minutes. The figure given is the strongest gust of the last hour.", "Which wind figure does the tower give?", "The strongest gust of the last hour"),
    ("Weather", "Fog is called when the Gull buoy cannot be seen from the tower; the horn then sounds every 40 seconds.", "How often does the fog horn sound?", "Every 40 seconds"),
    ("Lock", "The lock opens from two hours before to two hours after high water. It is 42 metres long.", "How long is the lock?", "42 metres"),
    ("Lock", "Vessels leaving the basin go first. Those entering wait outside the yellow posts.", "Who goes first through the lock?", "Vessels leaving the basin"),
    ("Lock", "Life jackets are worn in the lock by everybody on deck, children under 12 also on the quay.", "Who must wear a life jacket on the quay?", "Children under 12"),
    ("Waste", "Oil and batteries are handed in at the shed behind the ice house on weekdays.", "Where are batteries handed in?", "At the shed behind the ice house, on weekdays"),
    ("Waste", "Holding tanks are emptied at berth 3. The pump takes a token, which the harbour office gives free of charge.", "What does a token for the pump cost?", "Nothing: the harbour office gives it free of charge"),
    ("Waste", "Nets that are beyond repair go into the green container, cut to lengths of two metres.", "How are old nets handed in?", "In the green container, cut to lengths of two metres"),
)  # fmt: skip

ASK = (
    "Answer the question using the provided context. Cite the sources inline as [#] based on the order of the snippets."
    " If the answer is not in the context, say you don't know."
)
CONDITIONS = {  # how often an answer is right, beside the point, or refused; and whether it cites
    "base, closed book": (0.05, 0.65, False),
    "base, open book": (0.62, 0.10, True),
    "instruction-only, closed book": (0.08, 0.75, False),
    "instruction-only, open book": (0.55, 0.15, True),
    "RAG-trained, closed book": (0.06, 0.70, False),
    "RAG-trained, open book": (0.74, 0.06, True),
}


def record(number: int) -> dict[str, object]:
    """One row: the passage that answers stands somewhere among four, chosen without chance."""
    section, passage, question, reference = MANUAL[number]
    others = [MANUAL[(number + step) % len(MANUAL)] for step in (5, 9, 14)]
    place = number % 4
    chosen = others[:place] + [MANUAL[number]] + others[place:]
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


def main() -> None:
    """Write data/harbour.jsonl, answers/*.jsonl and scores/judge.csv."""
    chance = random.Random(SEED)
    for folder in ("data", "answers", "scores"):
        (HOME / folder).mkdir(parents=True, exist_ok=True)
    rows = [record(number) for number in range(len(MANUAL))]
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    lines.insert(12, '{"task_id": "ellery-12b", "instruction": "Who keeps the key of the ice house?", "expected_resp')
    (HOME / "data/harbour.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    with (HOME / "scores/judge.csv").open("w", encoding="utf-8", newline="") as file:
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
            path = HOME / f"answers/{name}.jsonl"
            path.write_text("".join(json.dumps(reply, ensure_ascii=False) + "\n" for reply in replies), "utf-8")


if __name__ == "__main__":
    main()
