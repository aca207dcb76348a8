"""Studies whose truth is known, for people who see only the first screens of Overview and Results: what do they say?

Run: python benchmarks/_planted_studies.py FOLDER [--studies 40] [--seed 1] [--pictures URL]
Writes FOLDER/study-01 … as workspaces and FOLDER/truth.json; --pictures takes study-01-overview.png and -results.png
from a server that serves them (1366 × 768, light). A reader of the pictures answers four questions on each planned
comparison: may the two be compared, which is better, are we sure, why. `--answers FILE` compares such answers, a JSON
object of `study-01: {fair, better, sure}`, with the truth. Of a comparison that is not fair, or of which that cannot be
told, neither may be read as the better one, whatever was planted.

What is planted: an effect or none (half each), and one of
  nothing           the two conditions differ in what is studied alone
  adapter           one condition goes through a gateway as well, which adds a sentence to each prompt
  system            one of two models also has another system message than the other
  both sides        the templates of both repeat the system message inside the user message
  unknown           the model of a condition names a Modelfile that is not among the files
  judge fails       the judge's reply could not be read for most answers of one condition, and more often for bad ones:
                    which is better may then not be known, and it is right to say so
  raters disagree   five raters, whose scores of one answer have little to do with each other: below the agreement at
                    which docs/statistics.md draws no conclusion it is right to say that which is better is not known
An effect is drawn so large that it is found in about 99 of 100 studies of this size, and none is none.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
from pathlib import Path
from typing import Any

import yaml

KINDS = ("nothing", "adapter", "system", "both sides", "unknown", "judge fails", "raters disagree")
FAIR = {"adapter": "no", "system": "no", "both sides": "yes", "unknown": "cannot tell"}  # the others: "yes"
SUBJECTS = ("tides", "bridges", "bees", "tramways", "glaciers", "violins", "orchards", "clocks", "lighthouses", "mills")
PROMPTS = {  # one model, two templates
    ("short prompt", "long prompt"): ("{{ question }}", "{{ hint }}\n\nQuestion: {{ question }}\n\nAnswer:"),
    ("without hint", "with hint"): ("Question: {{ question }}", "{{ hint }}\n\nQuestion: {{ question }}"),
    ("plain question", "question with steps"): ("{{ question }}", "{{ question }}\n\nThink in steps. {{ hint }}"),
}
MODELS = (("small model", "large model"), ("first checkpoint", "last checkpoint"))  # one template, two models
CRITERIA = {"correct": (0, 1), "quality": (1, 2, 3, 4, 5), "relevance": (-1, 0, 1, 2), "helpfulness": (1, 2, 3)}
SYSTEM = "You answer in one sentence."
# What is on a page that is whole.
SHOWN = {"overview": ".rb-status", "results": ".rb-forest-fair .rb-fairness, .rb-level-pairs"}
MODELFILE = """\
FROM ./model.gguf
TEMPLATE \"\"\"{{ range .Messages }}<|{{ .Role }}|>{{ .Content }}
{{ end }}<|assistant|>\"\"\"
SYSTEM """


def plant(folder: Path, number: int, chance: random.Random) -> dict[str, Any]:
    """Write one study and answer its truth: kind, fair (yes, no, cannot tell), better (a condition or none), sure."""
    kind = KINDS[number % len(KINDS)]
    effect = chance.random() < 0.5
    by_model = kind == "system" or chance.random() < 0.5
    pair: tuple[str, str] = chance.choice(MODELS if by_model else list(PROMPTS))
    a, b = pair if chance.random() < 0.5 else pair[::-1]
    criterion, scale = chance.choice(list(CRITERIA.items()))
    size = chance.randrange(60, 241)
    rows = _rows(chance, size)
    folder.mkdir(parents=True)
    (folder / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    for name in (a, b) if by_model else ("the model",):
        text = "You are a poet. Answer at length." if kind == "system" and name == b else SYSTEM
        if kind != "unknown" or (by_model and name == a):
            (folder / f"Modelfile.{_file(name)}").write_text(f"{MODELFILE}{text}\n", "utf-8")
    config = _config(kind, (a, b), by_model, criterion, scale)
    (folder / "readback.yml").write_text(yaml.safe_dump(config, sort_keys=False), "utf-8")
    _scores(folder / "scores.csv", kind, (a, b) if effect else None, (a, b), rows, criterion, scale, chance)
    if kind == "adapter":
        (folder / "gateway.yml").write_text(
            "name: gateway\nextends: manual\nwording: own\ntasks:\n  generation:\n"
            '    user: "Keep the answer under 20 words."\n',
            "utf-8",
        )
    return {
        "kind": kind,
        "a": a,
        "b": b,
        "fair": "yes" if kind == "unknown" and not by_model else FAIR.get(kind, "yes"),
        "better": b if effect else None,
        "unsure": kind in ("judge fails", "raters disagree"),
        "criterion": criterion,
        "records": size,
    }


def _rows(chance: random.Random, size: int) -> list[dict[str, str]]:
    """Questions, each on its own subject and year."""
    made = []
    for number in range(size):
        subject = chance.choice(SUBJECTS)
        question = f"What was new of {subject} in {1700 + number}?"
        made.append({"id": f"q{number + 1}", "question": question, "hint": f"See the chapter on {subject}."})
    return made


def _config(kind: str, pair: tuple[str, str], by_model: bool, criterion: str, scale: tuple[int, ...]) -> dict[str, Any]:
    a, b = pair
    templates = {"ask": "{{ hint }}\n\nQuestion: {{ question }}"}
    if not by_model:
        known = pair if pair in PROMPTS else pair[::-1]
        templates = dict(zip(known, PROMPTS[known], strict=True))
    if kind == "both sides":
        templates = {name: f"{SYSTEM}\n\n{text}" for name, text in templates.items()}
    named = (a, b) if by_model else ("the model",) * 2
    conditions: list[dict[str, Any]] = [
        {"name": name, "mode": "ask" if by_model else name, "model": model}
        for name, model in zip(pair, named, strict=True)
    ]
    if kind == "adapter":
        conditions[1]["adapter"] = "gateway"
    return {
        "name": f"{a} or {b}".capitalize(),
        "dataset": "data.jsonl",
        "modes": [{"mode": name, "template": text} for name, text in templates.items()],
        "models": {name: {"serving": {"modelfile": f"Modelfile.{_file(name)}"}} for name in named},
        "conditions": conditions,
        "scores": [{"path": "scores.csv"}],
        "criteria": {criterion: {"scale": list(scale), "direction": "up"}},
        "comparisons": [{"a": a, "b": b, "criterion": criterion}],
    } | ({"adapters": ["gateway.yml"]} if kind == "adapter" else {})


def _scores(
    path: Path,
    kind: str,
    effect: tuple[str, str] | None,
    pair: tuple[str, str],
    rows: list[dict[str, str]],
    criterion: str,
    scale: tuple[int, ...],
    chance: random.Random,
) -> None:
    """One score a row, condition and judge. An effect moves the second condition by 0.9 standard deviations."""
    judges = [f"rater {n}" for n in range(1, 6)] if kind == "raters disagree" else ["judge"]
    own = 1.6 if kind == "raters disagree" else 0.5  # how much of a score is the judge's alone
    middle, width = (len(scale) - 1) / 2, max(0.5, (len(scale) - 1) / 3.2)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["item", "condition", "judge", "criterion", "score", "status"])
        for row in rows:
            hard = chance.gauss(0, 0.6)
            for condition in pair:
                moved = 0.9 if effect and condition == effect[1] else 0.0
                good = hard + moved - (0.45 if effect else 0) + chance.gauss(0, 0.5)
                for judge in judges:
                    at = min(len(scale) - 1, max(0, round(middle + width * (good + chance.gauss(0, own)))))
                    often = 0.85 if at <= middle else 0.4
                    failed = kind == "judge fails" and condition == pair[1] and chance.random() < often
                    score = "" if failed else scale[at]
                    table.writerow([row["id"], condition, judge, criterion, score, "failed" if failed else "scored"])


def _file(name: str) -> str:
    return name.replace(" ", "_")


def pictures(folder: Path, url: str) -> None:
    """The first screens of Overview and Results of each study, as a server shows them."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        for study in sorted(path.name for path in folder.iterdir() if path.is_dir()):
            for name, ready in SHOWN.items():
                page.goto(f"{url}/{'' if name == 'overview' else name}?workspace={study}")
                page.wait_for_selector(ready, timeout=600_000)
                page.wait_for_selector("[data-stale=true]", state="detached", timeout=60_000)
                page.wait_for_timeout(1_500)
                page.screenshot(path=folder / f"{study}-{name}.png")
        browser.close()


def compare(truth: dict[str, Any], answers: dict[str, Any]) -> list[str]:
    """A line for each answer that is wrong, and how often a condition was called better where none was planted."""
    wrong, false = [], 0
    for name, planted in truth.items():
        said = answers.get(name)
        if said is None:
            wrong.append(f"{name}: not answered")
            continue
        better = said["better"] if said["better"] in (planted["a"], planted["b"]) else None
        expected = planted["better"] if planted["fair"] == "yes" else None
        right = better == expected or (planted["unsure"] and better is None)
        if said["fair"] != planted["fair"] or not right:
            wrong.append(f"{name} ({planted['kind']}): planted {planted['fair']}, {planted['better']}; read {said}")
        false += planted["better"] is None and better is not None
    none = sum(planted["better"] is None for planted in truth.values())
    return [*wrong, f"{len(truth) - len(wrong)} of {len(truth)} right; better was read {false} times of {none} without"]


def main() -> None:
    """Write the studies, take the pictures, or compare the answers."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("folder", type=Path)
    asked.add_argument("--studies", type=int, default=40)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--pictures", metavar="URL")
    asked.add_argument("--answers", type=Path)
    told = asked.parse_args()
    kept = told.folder / "truth.json"
    if told.answers:
        print("\n".join(compare(json.loads(kept.read_text("utf-8")), json.loads(told.answers.read_text("utf-8")))))
    elif told.pictures:
        pictures(told.folder, told.pictures.rstrip("/"))
    else:
        chance = random.Random(told.seed)
        order = list(range(told.studies))
        chance.shuffle(order)
        names = [f"study-{place:02}" for place in range(1, told.studies + 1)]
        truth = {name: plant(told.folder / name, number, chance) for name, number in zip(names, order, strict=True)}
        kept.write_text(json.dumps(truth, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
