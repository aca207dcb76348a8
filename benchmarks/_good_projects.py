"""Small projects without a fault, of each kind that Readback opens: what planted_faults.py spoils."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from readback.readers.yaml.yaml_file import read_yaml

EXAMPLES = Path(__file__).resolve().parents[1] / "configs" / "examples"
Files = dict[str, bytes]

CHATML = "{{ range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}<|im_start|>assistant\n"
TURNS = (
    "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
GARDEN = "You are the guide of the Tarn botanical garden. Answer visitors in one or two friendly sentences."
PLANTS = (
    ("Where does the tree fern grow?", "In the glass house by the north gate."),
    ("When does the garden open in winter?", "At nine, half an hour after sunrise."),
    ("What does a day ticket cost?", "Four crowns; children under ten pay nothing."),
    ("May I bring a dog?", "Yes, on a lead, but not into the glass houses."),
    ("Which rose is the oldest?", "The damask rose beside the well, planted in 1871."),
    ("Is there a tour on Sundays?", "There is one at eleven and one at three."),
    ("How tall is the giant sequoia?", "It was 48 metres tall when it was last measured."),
    ("Can I buy seeds?", "The shop sells seeds of 60 plants of the garden."),
    ("Who founded the garden?", "The apothecary Ida Lind, with the town's help."),
    ("When do the lilacs bloom?", "Mostly in the last two weeks of May."),
    ("Is the path to the pond steep?", "It is level, and wide enough for a wheelchair."),
    ("Where can I leave my bicycle?", "At the rack behind the ticket office."),
)


def lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def study() -> Files:
    """The demo of six conditions without its spoilt rows."""
    root = EXAMPLES / "six-conditions"
    files = {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
    config = _config(root)
    config["modes"] = [{"mode": "asked plainly", "template": "Question: {{ instruction }}\n\nAnswer:"}]
    rows = [row for row in _rows(files["data/harbour.jsonl"]) if not _is_spoilt(row)]
    files |= {
        "readback.yml": yaml.safe_dump(config, allow_unicode=True, sort_keys=False).encode(),
        "data/harbour.jsonl": lines(rows),
    }
    kept = {row["task_id"] for row in rows}
    for name in files:
        if name.startswith(("answers/", "logs/")):
            files[name] = lines(row for row in _rows(files[name]) if row["task_id"] in kept)
    return files


def town() -> Files:
    """The Albert demo with its key spelt right, without the mode that has no template, and with sources everywhere."""
    root = EXAMPLES / "town-hall-albert"
    files = {path.name: path.read_bytes() for path in sorted(root.iterdir())}
    files["prompt_config.yml"] = (
        "prompt_format: llama-chat\nmax_tokens: 2048\n"
        'system_prompt: "Vous êtes l\'assistant de la mairie de Valmont."\n'
        "prompts:\n"
        "  - mode: simple\n    template: simple.jinja\n"
        "  - mode: rag\n    template: rag.jinja\n"
        '    default: {limit: 5, institution: "la mairie de Valmont"}\n'
    ).encode()
    files["simple.jinja"] = b"Question : {{ query }}\n"
    rows = [row for row in _rows(files["demandes.jsonl"]) if row.get("fiches")]
    for row in rows:
        row["fiches"] = [{"context": "commune", **one} for one in row["fiches"][:5]]
    return {**{name: text for name, text in files.items() if name != "courrier.jinja"}, "demandes.jsonl": lines(rows)}


def pipeline() -> Files:
    """The three-step demo with the two steps that every record can take."""
    root = EXAMPLES / "tri-section"
    config = _config(root)
    config["adapters"] = ["langchain", "no_system"]
    config["tasks"] = {name: config["tasks"][name] for name in ("parsing", "abstention_detection")}
    config["context"] = {"parsing": config["context"]["parsing"]}
    return {
        "readback.yml": yaml.safe_dump(config, allow_unicode=True, sort_keys=False).encode(),
        "instructions.yml": b'parsing: "Give weights in grams and times in minutes."\nabstention_detection: null\n',
        "data/answers.jsonl": (root / "data/answers.jsonl").read_bytes(),
        "schemas/recipe.json": (root / "schemas/recipe.json").read_bytes(),
    }


def training() -> Files:
    """Rows of three layouts in two splits, and the Modelfile that serves what was trained on them."""
    chat = [
        {"messages": [{"role": r, "content": c} for r, c in (("system", GARDEN), ("user", q), ("assistant", a))]}
        for q, a in PLANTS[:6]
    ]
    pairs = [
        {"id": f"p{n}", "prompt": f"{q}\n", "chosen": a, "rejected": "Please ask at the ticket office about that one."}
        for n, (q, a) in enumerate(PLANTS[6:10])
    ]
    test = [
        {"messages": [{"role": r, "content": c} for r, c in (("system", GARDEN), ("user", q), ("assistant", a))]}
        for q, a in PLANTS[10:]
    ]
    config = {
        "training": {"train": ["data/chat.jsonl", "data/pairs.jsonl"], "test": "data/test.jsonl"},
        "models": {
            "guide": {
                "training": {"system": {"from": "train.py", "constant": "SYSTEM"}, "messages": "data/chat.jsonl"},
                "serving": {"modelfile": "Modelfile"},
            }
        },
    }
    return {
        "readback.yml": yaml.safe_dump(config, sort_keys=False).encode(),
        "data/chat.jsonl": lines(chat),
        "data/pairs.jsonl": lines(pairs),
        "data/test.jsonl": lines(test),
        "train.py": f'SYSTEM = "{GARDEN}"\n'.encode(),
        "Modelfile": modelfile(GARDEN),
    }


def modelfile(system: str) -> bytes:
    stop = 'PARAMETER num_ctx 4096\nPARAMETER stop "<|im_start|>"\nPARAMETER stop "<|im_end|>"\n'
    return f'FROM ./guide.gguf\n{stop}TEMPLATE """{CHATML}"""\nSYSTEM """{system}"""\n'.encode()


def evaluation() -> Files:
    """A spreadsheet of questions, a template, two judges' worth of scores, their means, and a chat template."""
    rows = [(f"q{n}", q, a) for n, (q, a) in enumerate(PLANTS)] * 1
    table = "id,question,answer\n" + "".join(f'{i},"{q}","{a}"\n' for i, q, a in rows)
    scored = [
        (i, condition, (n + shift) % 3)
        for condition, shift in (("short", 0), ("long", 1))
        for n, (i, _, _) in enumerate(rows)
    ]
    scored += [
        (f"q{n + 12}", condition, (n + shift) % 3)
        for condition, shift in (("short", 0), ("long", 1))
        for n in range(12)
    ]
    means = {condition: sum(s for _, a, s in scored if a == condition) / 24 for condition in ("short", "long")}
    config = {
        "dataset": {"path": "questions.csv", "id": "id"},
        "modes": [
            {"mode": "short", "system": "Answer in one sentence.", "template_file": "ask.jinja"},
            {"mode": "long", "system": "Answer in one sentence.", "template_file": "ask_long.jinja"},
        ],
        "models": {"served": {"serving": {"chat_template": "chat_template.jinja"}}},
        "judges": {"clear": {"prompts": "judges/clear.yaml", "fields": {"gold": "answer"}}},
        "conditions": [
            {"name": "short", "mode": "short", "model": "served", "judge": "clear", "answers": "answers/short.jsonl"},
            {"name": "long", "mode": "long", "model": "served", "judge": "clear", "answers": "answers/long.jsonl"},
        ],
        "scores": ["scores/rows.csv", "scores/means.csv"],
        "criteria": {"clear": {"scale": [0, 1, 2]}},
        "comparisons": [{"a": "short", "b": "long", "criterion": "clear"}],
    }
    replies = {
        condition: [{"id": i, "response": f"{a} ({condition})"} for i, _, a in rows] for condition in ("short", "long")
    }
    rubric = "Question: {{QUESTION}}\\nAnswer: {{ASSISTANT_RESPONSE}}\\nReference: {{EXPECTED_RESPONSE}}"
    judge = f'prompt: "Grade how clear the answer is.\\n{rubric}"\ncriteria: [{{id: clear}}]\n'
    return {
        "readback.yml": yaml.safe_dump(config, sort_keys=False).encode(),
        "questions.csv": table.encode(),
        "ask.jinja": b"Question: {{ question }}\n",
        "ask_long.jinja": b"A visitor of the garden asks:\n{{ question }}\nAnswer with the reason.\n",
        "chat_template.jinja": TURNS.encode(),
        "judges/clear.yaml": judge.encode(),
        "answers/short.jsonl": lines(replies["short"]),
        "answers/long.jsonl": lines(replies["long"]),
        "scores/rows.csv": ("item,condition,clear\n" + "".join(f"{i},{a},{s}\n" for i, a, s in scored)).encode(),
        "scores/means.csv": ("condition,clear\n" + "".join(f"{a},{m}\n" for a, m in means.items())).encode(),
    }


PROJECTS: dict[str, Callable[[], Files]] = {
    "study": study,
    "town": town,
    "pipeline": pipeline,
    "training": training,
    "evaluation": evaluation,
}


def _config(root: Path) -> dict[str, Any]:
    """The workspace file as Readback reads it, which takes a question mark before a brace for text."""
    value: dict[str, Any] = json.loads(json.dumps(read_yaml(root / "readback.yml", "readback.yml").value))
    return value


def _rows(text: bytes) -> list[dict[str, Any]]:
    found = []
    for line in text.decode().splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def _is_spoilt(row: Mapping[str, Any]) -> bool:
    """Whether a row has one of the demo's mistakes: a citation of nothing, a context that is not in the prompt."""
    contexts = row["rag"]["contexts"]
    beyond = range(len(contexts) + 1, len(contexts) + 20)
    cites = any(f"[{number}]" in row["expected_response"] for number in beyond)
    return cites or any(one not in row["rag"]["prompt"] for one in contexts)
