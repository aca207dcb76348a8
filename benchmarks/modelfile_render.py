"""What it costs to render the messages of many records through a Modelfile's TEMPLATE, beside assembling them.

Run: python benchmarks/modelfile_render.py [--records 10000] [--characters 4000]
The baseline, of the same run, is the assembly itself: filling each record into its prompt. Both work as they do in the
audit's bounded child. Every figure is of one run on one machine: compare the ratios, not the seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from pathlib import Path
from tempfile import TemporaryDirectory

BLOCK = "{% for c in chunks %}[{{ loop.index }}] {{ c.title }}: {{ c.text }}\n{% endfor %}\n"
PROMPT = f"{BLOCK}Question: {{{{ question }}}}\nAnswer:"
MESSAGES = """
{{- if .System }}<|im_start|>system
{{ .System }}<|im_end|>
{{- end }}{{- range .Messages }}<|im_start|>{{ .Role }}
{{ .Content }}<|im_end|>
{{- end }}<|im_start|>assistant
"""
TURNS = """{{ if .System }}<|im_start|>system
{{ .System }}<|im_end|>
{{ end }}{{ if .Prompt }}<|im_start|>user
{{ .Prompt }}<|im_end|>
{{ end }}<|im_start|>assistant
{{ .Response }}<|im_end|>
"""
TEMPLATES = {"over messages": MESSAGES, "turn by turn": TURNS}
MOST = 5.0  # times the assembly


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--characters", type=int, default=4_000, help="of text in one record")
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        os.environ["READBACK_CACHE"] = str(Path(folder) / "cache")
        write(Path(folder), asked.records, asked.characters)
        measured = {name: figures(Path(folder), name) for name in TEMPLATES}
    print(json.dumps(measured, indent=2))
    assert all(one["times_the_assembly"] <= MOST for one in measured.values())


def write(folder: Path, records: int, characters: int) -> None:
    """A workspace of two models whose Modelfiles differ, and records of five chunks."""
    random.seed(1)
    words = ["retrieval", "évaluation", "context", "of", "the", "new", "model", '"quoted"', "answer", "[1]", "tide"]
    texts = [" ".join(random.choices(words, k=characters // 30))[: characters // 5] for _ in range(200)]
    with (folder / "data.jsonl").open("w", encoding="utf-8") as out:
        for number in range(records):
            chunks = [{"title": f"Page {n}", "text": random.choice(texts)} for n in range(5)]
            row = {"id": f"r{number}", "question": f"What is {number}?", "chunks": chunks}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    for name, template in TEMPLATES.items():
        path = folder / f"{name.replace(' ', '_')}.modelfile"
        path.write_text(f'FROM x\nTEMPLATE """{template}"""\nPARAMETER stop "<|im_end|>"\n', "utf-8")
    file = {
        "dataset": "data.jsonl",
        "modes": [{"mode": "rag", "system": "You answer.", "template": PROMPT}],
        "models": {name: {"serving": {"modelfile": f"{name.replace(' ', '_')}.modelfile"}} for name in TEMPLATES},
        "conditions": [{"name": name, "mode": "rag", "model": name} for name in TEMPLATES],
    }
    (folder / "readback.yml").write_text(json.dumps(file), "utf-8")


def figures(folder: Path, name: str) -> dict[str, float]:
    """Seconds for all records, of the assembly and of the text that the model reads."""
    from readback import sandbox, workspace
    from readback.prompts import assemble, model_input
    from readback.records.dataset import open_dataset
    from readback.sandbox import limits
    from readback.types import Selection

    opened = workspace.open(folder)
    data = open_dataset(opened.root, opened.dataset)
    records = [data.record(index) for index in range(len(data))]
    choice, condition = Selection(condition=name), opened.condition(name)
    was, limits._own = (
        limits._own,
        sandbox.Limits(seconds=0),
    )  # as in a child, without its alarm: templates run right here
    try:
        for record in records[:100]:  # whatever is made once is made
            model_input.sent(opened, record, assemble.assemble(opened, record, choice), condition, False)
        start = time.perf_counter()
        assemblies = [assemble.assemble(opened, record, choice) for record in records]
        assembled = time.perf_counter()
        model_inputs = [
            model_input.sent(opened, r, a, condition, False) for r, a in zip(records, assemblies, strict=True)
        ]
        done = time.perf_counter()
    finally:
        limits._own = was
    assert all(one and one.kind == "modelfile" and not one.diagnostics for one in model_inputs)
    for one, assembly in zip(model_inputs, assemblies, strict=True):
        assert one
        assert one.text.count(assembly.messages[-1].text) == 1
    return {
        "records": len(records),
        "assembly_seconds": round(assembled - start, 2),
        "render_seconds": round(done - assembled, 2),
        "times_the_assembly": round((done - assembled) / (assembled - start), 2),
    }


if __name__ == "__main__":
    main()
