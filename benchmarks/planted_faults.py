"""How many faults `check` finds that a script planted into projects without one, each as people really make it.

Run: python benchmarks/planted_faults.py [--faults 100] [--seed 11] [--kind NAME]
Each fault is planted alone, at a place drawn at random. It counts as found when the check then has a finding that it
had not before, of an error or a warning of an expected rule, which names its place: the file and, where the fault has
one, the line or the record. A fault that changes every prompt has no file: then the condition, mode or model counts.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from _good_projects import GARDEN, PROJECTS, Files, lines

from readback import workspace
from readback.checks.run import engine
from readback.types import Finding

Row = dict[str, Any]


@dataclass(frozen=True)
class Where:
    """Where a fault was planted: what its finding has to say. None of them: the whole project."""

    files: tuple[str, ...] = ()
    line: int | None = None
    record: str | None = None


@dataclass(frozen=True)
class Fault:
    """A kind of fault: the project it is planted into, the rules of which one has to find it, and how it is made."""

    name: str
    project: str
    codes: tuple[str, ...]
    plant: Callable[[Files, random.Random], Where]


class Outcome(NamedTuple):
    """What became of one fault: the new findings, and whether one of them names it."""

    fault: Fault
    where: Where
    new: tuple[Finding, ...]
    found: bool


FAULTS: list[Fault] = []


def fault(project: str, *codes: str) -> Callable[[Callable[[Files, random.Random], Where]], None]:
    """The function below as a kind of fault, called by its first line."""

    def take(plant: Callable[[Files, random.Random], Where]) -> None:
        FAULTS.append(Fault((plant.__doc__ or "").strip().rstrip("."), project, codes, plant))

    return take


def rows(files: Files, name: str) -> list[Row]:
    return [json.loads(line) for line in files[name].decode().splitlines()]


def row(files: Files, name: str, draw: random.Random, change: Callable[[Row], None]) -> Where:
    """Change one row of a JSONL file, drawn at random."""
    all_rows = rows(files, name)
    at = draw.randrange(len(all_rows))
    change(all_rows[at])
    files[name] = lines(all_rows)
    return Where((name,), at + 1)


def edit(files: Files, name: str, old: str, new: str) -> Where:
    """Replace a stretch of a file once."""
    text = files[name].decode()
    assert old in text, f"{name} holds no {old!r}"
    files[name] = text.replace(old, new, 1).encode()
    return Where((name,), text[: text.index(old)].count("\n") + 1)


def cell(files: Files, name: str, draw: random.Random, column: int, value: str) -> Where:
    """Put a value into one column of a row of a CSV file without quotes."""
    table = files[name].decode().splitlines()
    at = draw.randrange(1, len(table))
    cells = table[at].split(",")
    table[at] = ",".join([*cells[:column], value, *cells[column + 1 :]])
    files[name] = ("\n".join(table) + "\n").encode()
    return Where((name,), at + 1)


def anywhere(at: Where) -> Where:
    """The same without its line: rules may show it where it takes effect."""
    return Where(at.files)


def run(folder: Path, files: Files) -> tuple[Finding, ...]:
    """What `check` finds in a project."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text)
    return tuple(engine.check(workspace.open(folder)).findings)


def planted(kinds: list[Fault], count: int, seed: int) -> Iterator[Outcome]:
    """Plant `count` faults, the kinds in turn, each into a fresh copy of its project."""
    known: dict[str, tuple[Files, Counter[tuple[str, str]]]] = {}
    for number in range(count):
        kind = kinds[number % len(kinds)]
        if kind.project not in known:
            good = PROJECTS[kind.project]()
            with TemporaryDirectory() as folder:
                known[kind.project] = good, Counter(map(_told, run(Path(folder), good)))
        good, before = known[kind.project]
        files = dict(good)
        where = kind.plant(files, random.Random(f"{seed} {number} {kind.name}"))
        with TemporaryDirectory() as folder:
            left = Counter(before)
            new = []
            for one in run(Path(folder), files):
                if left[_told(one)] > 0:
                    left[_told(one)] -= 1
                else:
                    new.append(one)
        yield Outcome(kind, where, tuple(new), any(names(one, kind, where) for one in new))


def names(found: Finding, kind: Fault, where: Where) -> bool:
    """Whether a finding is of an expected rule and says where the fault is."""
    at = found.place
    if found.severity == "info" or found.code not in kind.codes:
        return False
    if not where.files:
        return True
    said = f"{at.file} {found.message}"
    file = any(name in said for name in where.files) or (at.file is None and where.record is None and not where.line)
    line = where.line is None or at.line == where.line or f":{where.line}" in found.message
    record = where.record is None or at.record == where.record
    return file and line and record


def _told(one: Finding) -> tuple[str, str]:
    return one.key, one.code


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", type=int, default=100)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--kind", help="only kinds with this in their name")
    asked = parser.parse_args()
    kinds = [one for one in FAULTS if not asked.kind or asked.kind in one.name]
    with TemporaryDirectory() as cache:
        os.environ["READBACK_CACHE"] = cache
        planted_of, found_of = Counter[str](), Counter[str]()
        for one in planted(kinds, asked.faults, asked.seed):
            planted_of[one.fault.name] += 1
            found_of[one.fault.name] += one.found
            if not one.found:
                told = ", ".join(f"{new.code} ({new.severity}, {new.place.file}:{new.place.line})" for new in one.new)
                print(f"not found: {one.fault.name} in {one.where}; new: {told or 'nothing'}", flush=True)
    for name, count in planted_of.items():
        print(f"| {name} | {count} | {found_of[name]} |")
    print(f"{found_of.total()} of {planted_of.total()} found, {len(planted_of)} kinds, seed {asked.seed}")


# Datasets and tables.


@fault("study", "dat-duplicate-id")
def _(files: Files, draw: random.Random) -> Where:
    """an id given twice"""
    given = rows(files, "data/harbour.jsonl")
    at = draw.randrange(1, len(given))
    given[at]["task_id"] = given[draw.randrange(at)]["task_id"]
    files["data/harbour.jsonl"] = lines(given)
    return Where(("data/harbour.jsonl",), at + 1)


@fault("study", "dat-bad-line")
def _(files: Files, draw: random.Random) -> Where:
    """a JSONL line cut off"""
    text = files["data/harbour.jsonl"].splitlines()
    at = draw.randrange(len(text))
    text[at] = text[at][: draw.randrange(20, len(text[at]) - 1)]
    files["data/harbour.jsonl"] = b"\n".join(text) + b"\n"
    return Where(("data/harbour.jsonl",), at + 1)


@fault("study", "dat-duplicate-key")
def _(files: Files, draw: random.Random) -> Where:
    """a key given twice in one record"""
    text = files["data/harbour.jsonl"].decode().splitlines()
    at = draw.randrange(len(text))
    text[at] = text[at].replace("{", '{"instruction": "What else?", ', 1)
    files["data/harbour.jsonl"] = ("\n".join(text) + "\n").encode()
    return Where(("data/harbour.jsonl",), at + 1)


@fault("evaluation", "dat-encoding")
def _(files: Files, draw: random.Random) -> Where:
    """a table saved as Latin-1"""
    at = cell_text(files, draw, "Où fleurit le frêne pleureur ?")
    files["questions.csv"] = files["questions.csv"].decode().encode("latin-1")
    return at


@fault("evaluation", "dat-mojibake")
def _(files: Files, draw: random.Random) -> Where:
    """text decoded wrongly on the way (mojibake)"""
    wrong = draw.choice(("Où fleurit le frêne ?", "Wie hoch wächst die Blüte?", "It’s the “oldest” rose…"))
    return cell_text(files, draw, wrong.encode().decode("cp1252", "replace"))


def cell_text(files: Files, draw: random.Random, text: str) -> Where:
    """Another question in one row of the spreadsheet."""
    table = files["questions.csv"].decode().splitlines()
    at = draw.randrange(1, len(table))
    number, _, rest = table[at].partition(",")
    table[at] = f'{number},"{text}",{rest.rpartition(",")[2]}'
    files["questions.csv"] = ("\n".join(table) + "\n").encode()
    return Where(("questions.csv",), at + 1)


@fault("evaluation", "dat-row-width")
def _(files: Files, draw: random.Random) -> Where:
    """a comma in a cell without quotes"""
    table = files["questions.csv"].decode().splitlines()
    at = draw.randrange(1, len(table))
    table[at] = table[at].replace('"', "") + ", or so"
    files["questions.csv"] = ("\n".join(table) + "\n").encode()
    return Where(("questions.csv",), at + 1)


@fault("evaluation", "alb-variable-no-data", "alb-query-missing", "alb-variable-unknown")
def _(files: Files, draw: random.Random) -> Where:
    """a column called otherwise than the template says"""
    edit(files, "questions.csv", "id,question,", draw.choice(("id,questions,", "id,Question,", "id,query,")))
    return Where(("ask.jinja", "ask_long.jinja"))


@fault("study", "fmt-no-contexts", "fmt-context-not-sent", "fmt-reference-cites-missing")
def _(files: Files, draw: random.Random) -> Where:
    """a record that lost its contexts"""
    return row(files, "data/harbour.jsonl", draw, lambda one: one["rag"].update(contexts=[]))


# Templates and prompts.


@fault("town", "alb-variable-no-data", "alb-variable-unknown", "alb-query-missing")
def _(files: Files, draw: random.Random) -> Where:
    """a variable misspelt in a template"""
    old, new = draw.choice((("{{ query }}", "{{ querry }}"), ("in sheet_chunks", "in sheets_chunks")))
    return anywhere(edit(files, "rag.jinja", old, new))


@fault("town", "alb-render-error", "alb-unsafe-template")
def _(files: Files, draw: random.Random) -> Where:
    """a brace or a block not closed in a template"""
    old, new = draw.choice((("{{ query }}", "{{ query }"), ("{% endfor %}", ""), ("{{ fiche.text }}", "{{ fiche.text")))
    return anywhere(edit(files, "rag.jinja", old, new))


@fault("town", "alb-field-missing", "alb-field-unknown", "alb-variable-no-data")
def _(files: Files, draw: random.Random) -> Where:
    """a field of a source misspelt in a template"""
    return anywhere(edit(files, "rag.jinja", "fiche.text", draw.choice(("fiche.txt", "fiche.content", "fiche.texte"))))


@fault("town", "alb-unknown-key", "dat-unknown-key")
def _(files: Files, draw: random.Random) -> Where:
    """a key misspelt in a configuration"""
    old = draw.choice(("system_prompt:", "max_tokens:", "prompt_format:"))
    return edit(files, "prompt_config.yml", old, old.replace("_", "__") if draw.random() < 0.5 else f"{old[:-2]}:")


@fault("town", "alb-duplicate-mode")
def _(files: Files, draw: random.Random) -> Where:
    """two prompts under one mode"""
    return anywhere(edit(files, "prompt_config.yml", "mode: rag", "mode: simple"))


@fault("town", "alb-template-missing", "dat-file-missing")
def _(files: Files, draw: random.Random) -> Where:
    """a template renamed and not in the configuration"""
    name = draw.choice(("rag.jinja", "simple.jinja"))
    files[f"new_{name}"] = files.pop(name)
    return Where(("prompt_config.yml",))


@fault("town", "alb-format-unknown")
def _(files: Files, draw: random.Random) -> Where:
    """a chat format that does not exist"""
    return edit(files, "prompt_config.yml", "llama-chat", draw.choice(("llama_chat", "llamachat", "lama-chat")))


@fault("evaluation", "fmt-system-text-in-user")
def _(files: Files, draw: random.Random) -> Where:
    """the system text copied into the user's template"""
    name = draw.choice(("ask.jinja", "ask_long.jinja"))
    files[name] = b"Answer in one sentence. " + files[name]
    return Where()


@fault("study", "fmt-markers")
def _(files: Files, draw: random.Random) -> Where:
    """a stored prompt that lost its last line"""
    return row(files, "data/harbour.jsonl", draw, lambda one: one["rag"].update(prompt=one["rag"]["prompt"][:-8]))


@fault("study", "fmt-context-not-sent", "fmt-rag-drift")
def _(files: Files, draw: random.Random) -> Where:
    """a context dropped from a stored prompt"""

    def drop(one: Row) -> None:
        gone = draw.choice(one["rag"]["contexts"])
        one["rag"]["prompt"] = one["rag"]["prompt"].replace(f"{gone}\n\n", "", 1)

    return row(files, "data/harbour.jsonl", draw, drop)


@fault("study", "fmt-reference-cites-missing")
def _(files: Files, draw: random.Random) -> Where:
    """a citation beyond the contexts"""
    wrong = f" See also [{draw.randrange(6, 12)}]."
    return row(
        files, "data/harbour.jsonl", draw, lambda one: one.update(expected_response=one["expected_response"] + wrong)
    )


@fault("pipeline", "asm-grouped-task-key", "asm-empty-instruction", "dat-unknown-key", "asm-instruction-never-used")
def _(files: Files, draw: random.Random) -> Where:
    """an instruction under a key of no use"""
    line = draw.choice(('parsng: "Be exact."', "deep_judgment: ''", 'rubric_llm_trait_batch: "Be kind."'))
    files["instructions.yml"] += f"{line}\n".encode()
    return Where(("instructions.yml",))


@fault("pipeline", "asm-unknown-interface")
def _(files: Files, draw: random.Random) -> Where:
    """an adapter that does not exist"""
    return anywhere(edit(files, "readback.yml", "langchain", draw.choice(("langchian", "lang_chain", "langchain2"))))


@fault("pipeline", "alb-variable-no-data")
def _(files: Files, draw: random.Random) -> Where:
    """a variable misspelt in a task's text"""
    return anywhere(edit(files, "readback.yml", "{{ question }}", draw.choice(("{{ quesion }}", "{{ Question }}"))))


@fault("pipeline", "dat-file-missing", "asm-no-schema")
def _(files: Files, draw: random.Random) -> Where:
    """a schema that was moved away"""
    files["schema/recipe.json"] = files.pop("schemas/recipe.json")
    return Where(("readback.yml", "schemas/recipe.json"))


# Models: what serves them and what they were trained on.


@fault("study", "fmt-system-mismatch")
def _(files: Files, draw: random.Random) -> Where:
    """SYSTEM of a Modelfile edited after training"""
    word = draw.choice(("careful scientific", "scientific and friendly", "medical"))
    edit(files, "ollama/Modelfile.rag_trained", "scientific", word)
    return Where(("ollama/Modelfile.rag_trained",))


@fault("training", "oll-chatml-newline", "fmt-train-serve-diff")
def _(files: Files, draw: random.Random) -> Where:
    """the newline after a turn lost in a TEMPLATE"""
    old = "<|im_end|>\n{{ end }}"
    return anywhere(edit(files, "Modelfile", old, draw.choice(("<|im_end|>{{ end }}", "<|im_end|>\n{{- end }}"))))


@fault("training", "oll-stop-missing")
def _(files: Files, draw: random.Random) -> Where:
    """the stop text left out of a Modelfile"""
    return anywhere(edit(files, "Modelfile", 'PARAMETER stop "<|im_end|>"\n', ""))


@fault("training", "oll-syntax", "oll-swallowed-lines", "oll-template-error", "oll-no-from")
def _(files: Files, draw: random.Random) -> Where:
    """a Modelfile with a quotation mark too few"""
    return anywhere(
        edit(
            files, "Modelfile", *draw.choice((('"<|im_end|>"\n', '"<|im_end|>\n'), ('assistant\n"""', 'assistant\n""')))
        )
    )


@fault("training", "oll-system-twice", "oll-template-error", "oll-user-missing", "oll-system-missing")
def _(files: Files, draw: random.Random) -> Where:
    """a TEMPLATE that writes a message twice, or not at all"""
    old = "{{ range .Messages }}"
    new = draw.choice((f"<|im_start|>system\n{{{{ .System }}}}<|im_end|>\n{old}", f'{old}{{{{ if eq .Role "user" }}}}'))
    at = edit(files, "Modelfile", old, new)
    if "if eq" in new:
        edit(files, "Modelfile", "<|im_end|>\n{{ end }}", "<|im_end|>\n{{ end }}{{ end }}")
    return anywhere(at)


@fault("training", "trn-system-mismatch", "fmt-system-mismatch")
def _(files: Files, draw: random.Random) -> Where:
    """another system message in one training row"""
    new = GARDEN.replace(draw.choice(("friendly ", "botanical ")), "")
    at = row(files, "data/chat.jsonl", draw, lambda one: one["messages"][0].update(content=new))
    return Where(at.files, at.line)


@fault("training", "trn-chat-roles", "trn-empty")
def _(files: Files, draw: random.Random) -> Where:
    """a turn without its answer, or under a wrong role"""
    spoil = draw.choice((lambda one: one["messages"].pop(), lambda one: one["messages"][1].update(role="human")))
    return row(files, "data/chat.jsonl", draw, spoil)


@fault("training", "trn-empty")
def _(files: Files, draw: random.Random) -> Where:
    """a blank answer, or a pair without its prompt"""
    spoil = draw.choice((lambda one: one.update(chosen=" "), lambda one: one.pop("prompt")))
    return row(files, "data/pairs.jsonl", draw, spoil)


@fault("training", "trn-chosen-equals-rejected")
def _(files: Files, draw: random.Random) -> Where:
    """the same answer chosen and rejected"""
    return row(files, "data/pairs.jsonl", draw, lambda one: one.update(rejected=one["chosen"]))


@fault("training", "trn-label-swapped")
def _(files: Files, draw: random.Random) -> Where:
    """chosen and rejected swapped in a cited summary"""
    case, other = f"Smith v. Jones, {draw.randrange(100, 900)} F.3d 456 (2020)", "Brown v. White, 789 F.2d 123 (2019)"
    prompt = f"Analyze the legal text below.\n\nDocument Excerpt:\nSee {case}.\n\nCitations found: {case}\n\nSummary:"
    new = {"id": "p9", "prompt": prompt, "chosen": f"Dismissed ({other}).", "rejected": f"Dismissed ({case})."}
    files["data/pairs.jsonl"] += lines([new])
    return Where(("data/pairs.jsonl",), files["data/pairs.jsonl"].count(b"\n"))


@fault("training", "trn-leak")
def _(files: Files, draw: random.Random) -> Where:
    """a row of the training data in the test data"""
    files["data/test.jsonl"] += lines([draw.choice(rows(files, "data/chat.jsonl"))])
    return Where(("data/test.jsonl", "data/chat.jsonl"))


@fault("training", "trn-duplicate-row", "trn-duplicate-prompt")
def _(files: Files, draw: random.Random) -> Where:
    """a training row pasted twice"""
    files["data/chat.jsonl"] += lines([draw.choice(rows(files, "data/chat.jsonl"))])
    return Where(("data/chat.jsonl",))


@fault("evaluation", "srv-no-generation-prompt", "srv-template-error", "srv-system-dropped", "fmt-train-serve-diff")
def _(files: Files, draw: random.Random) -> Where:
    """a chat template that opens no answer, or cannot be read"""
    text = files["chat_template.jinja"].decode()
    cut = draw.choice(("{% if add_generation_prompt", "{% endfor %}"))
    files["chat_template.jinja"] = text[: text.index(cut)].encode()
    if not cut.startswith("{% endfor"):
        return Where(("chat_template.jinja",))
    return Where(("chat_template.jinja",))


# Judges and scores.


@fault("study", "jdg-format-syntax", "jdg-format-field")
def _(files: Files, draw: random.Random) -> Where:
    """a brace of a judge's prompt not doubled, or not closed"""
    old, new = draw.choice(
        (("{question}", "{question"), ('{{"evaluation_notes"', '{"evaluation_notes"'), ("{answer}", "{anwser}"))
    )
    return anywhere(edit(files, "judges/harbour_judge.py", old, new))


@fault("study", "jdg-field-unused", "jdg-no-answer")
def _(files: Files, draw: random.Random) -> Where:
    """a judge's prompt that lost the answer or the documents"""
    return anywhere(edit(files, "judges/harbour_judge.py", draw.choice(("{answer}", "{documents}")), ""))


@fault("evaluation", "jdg-out-of-range", "scr-scale-unknown")
def _(files: Files, draw: random.Random) -> Where:
    """a score off its scale"""
    return cell(files, "scores/rows.csv", draw, 2, draw.choice(("7", "-1", "good", "1.5")))


@fault("evaluation", "scr-unknown-condition")
def _(files: Files, draw: random.Random) -> Where:
    """a condition misspelt in a score file"""
    return anywhere(cell(files, "scores/rows.csv", draw, 1, draw.choice(("Short", "lang", "shrot"))))


@fault("evaluation", "scr-duplicate-cell")
def _(files: Files, draw: random.Random) -> Where:
    """one item scored twice under one condition"""
    table = files["scores/rows.csv"].decode().splitlines()
    files["scores/rows.csv"] += f"{draw.choice(table[1:])[:-1]}{draw.randrange(3)}\n".encode()
    return Where(("scores/rows.csv",))


@fault("evaluation", "scr-summary-differs", "scr-rate-unreachable")
def _(files: Files, draw: random.Random) -> Where:
    """a table of means that its rows contradict"""
    means = files["scores/means.csv"].decode()
    value = draw.choice(re.findall(r"\d\.\d+", means))
    return anywhere(edit(files, "scores/means.csv", value, f"{float(value) + 0.25:.2f}"))


@fault("evaluation", "scr-prompt-differs")
def _(files: Files, draw: random.Random) -> Where:
    """another judge's prompt for one of two conditions"""
    files["judges/strict.yaml"] = files["judges/clear.yaml"].replace(
        b"how clear", draw.choice((b"strictly how clear", b"how well"))
    )
    text = files["readback.yml"].decode()
    text = text.replace(
        "judges:\n", "judges:\n  strict:\n    prompts: judges/strict.yaml\n    fields:\n      gold: answer\n", 1
    )
    head, _, tail = text.rpartition("judge: clear")
    files["readback.yml"] = f"{head}judge: strict{tail}".encode()
    return Where()


@fault("evaluation", "dat-file-missing")
def _(files: Files, draw: random.Random) -> Where:
    """a file of answers that is not there"""
    return anywhere(edit(files, "readback.yml", "answers/short.jsonl", "answers/shrt.jsonl"))


@fault("study", "fmt-assembly-differs")
def _(files: Files, draw: random.Random) -> Where:
    """a client that sends another prompt than the files say"""

    def change(one: Row) -> None:
        body = one["request"]
        new = draw.choice(("Please answer. ", "\n", "Question : "))
        if "prompt" in body:
            body["prompt"] = new + body["prompt"]
        else:
            body["messages"][-1]["content"] = new + body["messages"][-1]["content"]

    at = row(files, "logs/requests.jsonl", draw, change)
    record = rows(files, "logs/requests.jsonl")[(at.line or 1) - 1]["task_id"]
    return Where((*at.files, "data/harbour.jsonl"), record=record)


if __name__ == "__main__":
    main()
