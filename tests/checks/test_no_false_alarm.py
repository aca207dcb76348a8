"""What people's projects hold and mean so is no error and no warning; its neighbour that is a fault still is."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from readback import workspace
from readback.checks.run import engine

Write = Callable[[Mapping[str, Any]], Any]
JUDGED = "dataset: {path: d.jsonl}\njudges: {j: {prompts: judge.%s}}\n"
PYTHON = 'SYSTEM_PROMPT = "Grade."\nEVALUATION_PROMPT_TEMPLATE = "%s"\n'
ASKED = {"id": "1", "question": "Why?", "answer": "So.", "tone": "dry"}
PAIR = {"chosen": "H: Why? A: So.", "rejected": "H: Why? A: No."}
OWN = "judges: {j: {prompts: {file: judge.py, user: GRADER_TEMPLATE}}}\n"
TURNS = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
PARTS = "{% for m in messages %}{% for part in m.content %}{{ part.text }}{% endfor %}{% endfor %}A:"
LLAMA = (
    "{{ if .System }}<|start_header_id|>system<|end_header_id|>\n\n{{ .System }}<|eot_id|>{{ end }}"
    "<|start_header_id|>user<|end_header_id|>\n\n{{ .Prompt }}<|eot_id|>"
    "<|start_header_id|>assistant<|end_header_id|>\n\n{{ .Response }}<|eot_id|>"
)
CHATML = (
    'PARAMETER stop "<|im_end|>"\nTEMPLATE """{{ if .System }}<|im_start|>system\n{{ .System }}<|im_end|>\n{{ end }}'
    '<|im_start|>user\n{{ .Prompt }}<|im_end|>\n<|im_start|>assistant\n{{ .Response }}%s"""\n'
)
OWN_MESSAGES = "{% for m in messages %}[{{ m.role }}] {{ m.context.body }}\n{% endfor %}[assistant]"
INDEXED = (
    "{% for m in messages %}{% if m.role == 'user' %}[INST] {% for c in m.content | selectattr('type','equalto','text')"
    " %}{{ c.text }}{% endfor %} [/INST]{% else %}{{ ' ' + m['content'][0]['text'] }}</s>{% endif %}{% endfor %}"
)
SERVED = "models: {m: {serving: {chat_template: t.jinja}}}\n"

CLASSES = 'dataset: d.jsonl\nmodes: [{mode: m, system: "%s", template: "%s"}]\n'
LABELS = "positive, negative, neutral, mixed, sarcastic, unclear, off topic, spam"
LINES = "\\n- " + LABELS.replace(", ", "\\n- ")
ALBERT = "prompts: [{mode: rag, template: rag.jinja}]\n"
LATER = "{% for chunk in chunks_collection %}{{ chunk.text }}{% endfor %}{{ query }}\n"
FORM = "id,rater,score\n"
ASKED_AND_SAID = "objective,assistant_response,human_score,harm_category\n"
MADE = "OS: %s, Shell: %s. Output ONLY the command."
SHELL = f'FROM ./m.gguf\nSYSTEM """{MADE}"""\n'


def _chat(system: str, shell: str) -> dict[str, Any]:
    turns = (("system", MADE % (system, shell)), ("user", f"Which {shell}?"), ("assistant", f"ls {shell}"))
    return {"messages": [{"role": role, "content": text} for role, text in turns]}


VARIANTS = 'SYSTEM_PROMPT = "Grade."\nSHORT_PROMPT = "Grade {answer}."\nLONG_PROMPT = "Think, then grade {answer}."\n'

MEANT = {
    "variants of a judge's prompt in a file that nobody names": {"judge/prompts.py": VARIANTS},
    "a table that begins with comments": {"scores.csv": "# made by a program\nid,clear\n1,4\n2,5\n"},
    "a dataset in which no record has an id": {"data.jsonl": [{"question": "Why?"}, {"question": "When?"}]},
    "a field called id that says what a row is about": {
        "data.jsonl": [{"id": paper, "question": f"{n}?"} for paper in ("a", "b") for n in range(3)]
    },
    "a list of JSON lines that is called .json": {"data.json": '{"id": "1", "q": "Why?"}\n{"id": "2", "q": "When?"}\n'},
    "a judge's own names for question and answer": {
        "readback.yml": JUDGED % "py", "judge.py": PYTHON % "{query} {response}", "d.jsonl": [ASKED]
    },
    "a judge's name that is a field of the record": {
        "readback.yml": JUDGED % "py", "judge.py": PYTHON % "{question} {answer} {tone}", "d.jsonl": [ASKED]
    },
    "pairs whose prompt is inside both answers": {"train.jsonl": [PAIR, PAIR | {"chosen": "H: Why? A: Because."}]},
    "a template that opens the answer with marks for thinking": {
        "readback.yml": SERVED,
        "t.jinja": TURNS + "{% if add_generation_prompt %}<|im_start|>assistant\n<think>\n{% endif %}",
    },
    "a template that goes through the parts of messages": {
        "readback.yml": SERVED + "modes: [{mode: m, system: Be brief., template: Why?}]\n"
        "conditions: [{name: c, mode: m, model: m}]\n",
        "t.jinja": PARTS,
    },
    "a template that indexes the parts of messages": {
        "readback.yml": SERVED + "modes: [{mode: m, system: Be brief., template: Why?}]\n"
        "conditions: [{name: c, mode: m, model: m}]\n",
        "t.jinja": INDEXED,
    },
    "the beginning of another family's template": {
        "Modelfile": 'FROM deepseek-r1:8b\nPARAMETER stop "<|eot_id|>"\nTEMPLATE """<|begin_of_text|>' + LLAMA + '"""\n'
    },
    "a template's name without a value where no dataset gives any": {
        "readback.yml": "modes: [{mode: m, template: '{{ page.title.text }}'}]\n"
    },
    "prompts that are called so and are no modes": {
        "prompts.yaml": "version: 2\nprompts:\n- {name: greet, text: Hello.}\n- {name: part, text: Goodbye.}\n",
        "data.jsonl": [ASKED],
    },
    "a judge's constant in which a program replaces names alone": {
        "readback.yml": OWN,
        "judge.py": 'GRADER_TEMPLATE = """Ignore \\\\boxed{}.\nQ: {problem}\nA: {answer}\n"""\n',
    },
    "a judge's constant that holds braces and no name in them": {
        "readback.yml": OWN,
        "judge.py": 'GRADER_TEMPLATE = """<<conversation>>\nReturn {"criteria_met": false}.\n"""\n',
    },
    "a judge's prompts in a layout of their own": {
        "readback.yml": JUDGED % "yaml",
        "judge.yaml": "active: b\nversions:\n  b: {template: 'Grade {{ answer }}'}\n",
        "d.jsonl": [ASKED],
    },
    "several datasets in a folder": {"data/train.jsonl": [ASKED], "data/test.jsonl": [ASKED | {"question": "When?"}]},
    "a list of numbers beside a table": {"indices.json": [4, 7, 12], "q.csv": "id,question\n1,Why?\n"},
    "a remark above a spreadsheet's header": {
        "readback.yml": "dataset: d.csv\nmodes: [{mode: qa, template: '{{ question }}'}]\n",
        "d.csv": "Please do not train on this.,,\n,,\nid,split,question\n0,TEST,Why?\n",
    },
    "another program's prompts by name": {
        "prompt_config.yml": "prompts:\n  default: {pr_review: {system_role: Review.}}\n"
    },
    "another program's list of prompts": {"prompt_config.yml": "prompts:\n  - |\n    ## Instructions\n    Analyse.\n"},
    "a judge's text under a name of its own": {
        "readback.yml": JUDGED % "yaml",
        "judge.yaml": "label: v1\ninstructions: |\n  Evaluate the report.\n",
        "d.jsonl": [ASKED],
    },
    "a list of judges in a layout of their own": {
        "readback.yml": JUDGED % "yaml",
        "judge.yaml": "- name: code\n  system: {value: Judge.}\n  user: {value: 'Code: {answer}'}\n",
        "d.jsonl": [ASKED],
    },
    "pairs with the same prompt and another context": {
        "train.jsonl": [
            {"prompt": "Hi\n", "context": "a", "chosen": "x", "rejected": "y"},
            {"prompt": "Hi\n", "context": "b", "chosen": "z", "rejected": "w"},
        ]
    },
    "columns that describe the only row of each item": {
        "readback.yml": "scores: [{path: r.csv, item: [id], criteria: [correct]}]\n",
        "r.csv": "id,correct,strict\n" + "".join(f"{n},{n % 3 == 0},{n % 2 == 0}\n" for n in range(30)),
    },
    "a format template that nothing fills yet": {
        "readback.yml": "modes: [{mode: m, template_file: g.txt, syntax: format}]\n",
        "g.txt": "Context: {context}\n",
    },
    "the end of a question that begins its answer": {
        "readback.yml": SERVED,
        "t.jinja": "{%- for m in messages %}{%- if m.role == 'user' %}[INST] {{ m.content }} [/INST]"
        "{% if not loop.last %}\\n{% endif %}{%- else %}{{ m.content }}{% endif %}{%- endfor %}",
    },
    "what comes with an answer where nothing is answered yet": {
        "readback.yml": "dataset: q.jsonl\njudges: {j: {prompts: {user: judge.txt}}}\n",
        "judge.txt": "C: {context}\nQ: {question}\nA: {answer}",
        "q.jsonl": [{"id": n, "question": "Why?"} for n in "ab"],
    },
    "a judge's user text that is called the user's": {
        "judge_prompts.py": 'JUDGE_SYSTEM = "Grade."\nJUDGE_USER = """Q: {query}\nCandidate: {candidate_question}"""\n'
    },
    "a judge's only text": {
        "readback.yml": "judges: {j: {prompts: judge_prompts.py}}\n",
        "judge_prompts.py": 'JUDGE = """You are to judge fairly what answers say: {"score": 1}.""".strip()\n',
    },
    "a judge's prompts that code builds": {
        "readback.yml": "judges: {j: {prompts: judge_prompts.py}}\n",
        "judge_prompts.py": 'def ask(q):\n    return {"user": f"You are to judge what the answer to {q} says."}\n',
    },
    "system texts that are made from a frame": {
        "Modelfile": SHELL % ("macos", "zsh"),
        "data.jsonl": [_chat("linux", shell) for shell in ("bash", "sh", "zsh", "fish")],
    },
    "system texts of a model's training that are made from a frame": {
        "readback.yml": "models: {m: {training: {messages: data.jsonl}, serving: {modelfile: Modelfile}}}\n",
        "Modelfile": SHELL % ("macos", "zsh"),
        "data.jsonl": [_chat("linux", shell) for shell in ("bash", "sh", "zsh", "fish")],
    },
    "two files of scores whose rows have no ids": {
        "one.csv": ASKED_AND_SAID + "".join(f"Do {n},Text {'long ' * 30},{n % 2},h\n" for n in range(20)),
        "many.csv": ASKED_AND_SAID + "".join(f"Do {n},Text {n},{n % 2},v\n" for n in range(45)),
    },
    "grades beyond the scale that their name usually has": {
        "r.csv": "faithfulness,overall,id\n" + "".join(f"10,{n % 3 + 7},{n}\n" for n in range(20)),
    },
    "another family's token above a file whose name says the family": {
        "Modelfile": 'FROM llama-3-Korean-8B-Q4_K_M.gguf\nTEMPLATE """<s>{{ .Prompt }}</s>"""\nPARAMETER stop </s>\n'
    },
    "a token above a file that says no family": {
        "Modelfile": 'FROM ./model.gguf\nTEMPLATE """<s>{{ .Prompt }}</s>"""\nPARAMETER stop </s>\n'
    },
    "Windows line ends in prose": {"Modelfile": 'FROM x\r\nSYSTEM """You are kind.\r\nYou are brief."""\r\n'},
    "a template that marks turns by plain words": {
        "readback.yml": SERVED,
        "t.jinja": "{{ bos_token }}{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}"
        "{% endfor %}{{ eos_token }}",
    },
    "a model that is trained and served without a system message": {
        "readback.yml": "models: {m: {training: {messages: t.jsonl}, serving: {modelfile: Modelfile}}}\n",
        "t.jsonl": [{"messages": _chat("linux", "sh")["messages"][1:]}],
        "Modelfile": "FROM x\n",
    },
    "the dates of a chat template, served to a model whose rows have no system message": {
        "readback.yml": "models: {m: {training: {messages: t.jsonl}, serving: {modelfile: Modelfile}}}\n",
        "t.jsonl": [{"messages": _chat("linux", "sh")["messages"][1:]}],
        "Modelfile": 'FROM x\nSYSTEM """Cutting Knowledge Date: December 2023\nToday Date: 03 Oct 2026"""\n',
    },
    "comments in JSON lines that begin with one": {
        "eval.jsonl": '# by hand\n// in May\n{"id": "1", "question": "Why?"}\n# more\n{"id": "2", "question": "So?"}\n'
    },
    "a summary below a table": {
        "readback.yml": "dataset: t.csv\n",
        "t.csv": "id,question,score\n1,a,3\n2,b,4\n\n# SUMMARY\nall,2\n",
    },
    "rows of empty cells": {"data.csv": "id,question\n1,Why?\n,\n2,When?\n,\n,,\n"},
    "rows of empty cells among scores": {
        "s.csv": "id,clear_score\n" + "".join(f"{n},{n % 3}\n" for n in range(20)) + ",\n"
    },
    "rows that sum up the others": {
        "s.csv": "id,clear_score\n" + "".join(f"{n},{n % 3}\n" for n in range(21)) + "TOTAL,21\nAVERAGE,1.00\n"
    },
    "labels that the system message and the user's both list": {
        "readback.yml": CLASSES % (f"Read it. The classes are: {LABELS}.", f"Which class ({LABELS})? {{{{ q }}}}"),
        "d.jsonl": [{"id": "1", "q": "Well."}],
    },
    "labels in lines that both messages list": {
        "readback.yml": CLASSES % ("You sort reviews:" + LINES, "Review: {{ q }}\\nClasses:" + LINES),
        "d.jsonl": [{"id": "1", "q": "Well."}],
    },
    "a list of records over several lines that is called .json": {"data.json": json.dumps([ASKED], indent=2)},
    "prompts that only the later Albert program can read": {"prompt_config.yml": ALBERT, "rag.jinja": LATER},
    "a baseline that is called by the mode that it is run in": {
        "plan.yaml": "runs: [{label: a, model_config: rag_baseline.yaml, prompt_mode: rag}]\n",
        "rag_baseline.yaml": "provider: x\nmodel: qwen\n",
    },
    "a form that people have yet to fill in": {"human_scores.csv": FORM},
    "a form beside a dataset": {"a_form.csv": FORM, "data.jsonl": [ASKED]},
    "letters that only look decoded wrongly": {"data.jsonl": [{"id": "1", "question": "«IRMû: où est le “CAFÉ” ?"}]},
    "a tokenizer of a model that was never taught to chat": {
        "tokenizer/tokenizer_config.json": {"eos_token": "<|endoftext|>", "tokenizer_class": "GPT2Tokenizer"}
    },
    "ChatML above a model of the library that was trained with another format": {
        "Modelfile": "FROM exaone3.5:7.8b\n" + CHATML % "<|im_end|>"
    },
    "another end of turns than the stop texts above a model that knows it": {
        "Modelfile": f'FROM llama3:latest\nPARAMETER stop "<|end_of_text|>"\nTEMPLATE """{LLAMA}"""\n'
    },
    "an item that is rated once for each condition": {
        "ratings.csv": "id,Condition,answer\na,x,So.\nb,x,No.\nb,y,Yes.\nc,x,Well.\nd,x,Now.\n"
    },
    "rows to learn from that have two answers to one instruction": {
        "sft.jsonl": [{"instruction": "Hello", "output": text} for text in ("Hi.", "Good day.")]
    },
    "answers to one prompt that are wanted and unwanted": {
        "kto.jsonl": [
            {"prompt": "Why?", "completion": text, "label": wanted} for text, wanted in (("So.", True), ("No.", False))
        ]
    },
    "a judge's prompt that compares two answers, beside the questions": {
        "judge_prompt.txt": "Which answer is better?\n\n{prompt}\n\nA: {answer_a}\n\nB: {answer_b}\n",
        "prompts.jsonl": [{"prompt_id": f"p{n}", "prompt": f"Where is {n}?"} for n in range(3)],
    },
    "a chat template for messages of a program's own": {"chat_template.jinja": OWN_MESSAGES},
    "a stop text with an escape, and the rest of it without": {
        "Modelfile": 'FROM x\nPARAMETER stop "\\nReflection:"\nPARAMETER stop "Reflection:"\n'
    },
    "a token that opens the answer, and one that begins the next turn": {
        "Modelfile": 'FROM ./x.gguf\nTEMPLATE """{{ .System }}<|sys|>{{ .Prompt }}<|go|>"""\n'
    },
    "a token that opens the answer behind a token that begins each text": {
        "Modelfile": 'FROM ./x.gguf\nTEMPLATE """{{ if .System }}<|bos|>{{ .System }}<|extra_4|>{{ end }}'
        '{{ if .Prompt }}<|bos|>{{ .Prompt }}<|extra_0|>{{ end }}"""\n'
    },
    "a Modelfile without stop texts, whose turns end as its engine knows it": {
        "Modelfile": 'FROM ./x.gguf\nTEMPLATE """<|im_start|>user\n{{ .Prompt }}<|im_end|>\n'
        '<|im_start|>assistant\n{{ .Response }}<|im_end|>\n"""\n'
    },
}  # fmt: skip

FAULTS = {
    "dat-row-width": {"scores.csv": "id,clear\n# said later\n1,4,5\n2,5\n"},
    "dat-duplicate-id": {"data.jsonl": [{"id": n, "question": f"{n}?"} for n in "abcdea"]},
    "jdg-format-field": {"readback.yml": JUDGED % "py", "judge.py": PYTHON % "{question} {tome}", "d.jsonl": [ASKED]},
    "jdg-value-missing": {  # a usual name of the answer, and a record with no answer under any of them
        "readback.yml": JUDGED % "py",
        "judge.py": PYTHON % "{question} {model_response}",
        "d.jsonl": [{"id": "1", "question": "Why?", "tone": "dry"}],
    },
    "jdg-format-syntax": {
        "readback.yml": OWN,
        "judge.py": 'GRADER_TEMPLATE = "{answer} {"\nasked = GRADER_TEMPLATE.format(answer=1)\n',
    },
    "jdg-no-prompt": {"readback.yml": JUDGED % "yaml", "judge.yaml": "model: big\nseed: 7\n", "d.jsonl": [ASKED]},
    "trn-system-mismatch": {
        "Modelfile": SHELL % ("linux", "bash"),
        "data.jsonl": [*[_chat("linux", "bash")] * 9, _chat("linux", "zsh")],
    },
    "trn-system-candidates": {
        "readback.yml": "models: {m: {training: {messages: data.jsonl}, serving: {modelfile: Modelfile}}}\n",
        "Modelfile": SHELL % ("linux", "bash"),
        "data.jsonl": [*[_chat("linux", "bash")] * 9, _chat("linux", "zsh")],
    },
    "oll-cr-in-value": {"Modelfile": 'FROM x\r\nTEMPLATE """{{ .System }}\r\n{{ .Prompt }}"""\r\n'},
    "trn-system-not-found": {
        "readback.yml": "models: {m: {training: {messages: t.jsonl}, serving: {modelfile: Modelfile}}}\n",
        "t.jsonl": [{"messages": _chat("linux", "sh")["messages"][1:]}],
        "Modelfile": 'FROM x\nSYSTEM "Be brief."\n',
    },
    "dat-bad-line": {"eval.jsonl": '{"id": "1", "question": "Why?"}\n# more\n{"id": "2", "question": "So?"}\n'},
    "dat-unnamed-columns": {"d.csv": "question,,\n1,Why?,x\n2,When?,y\n"},
    "alb-not-albert": {"prompt_config.yml": "prompt_format: chatml\nprompts: {rag: {template: r.jinja}}\n"},
    "dat-wrong-value": {"readback.yml": "prompts: [prompt_config.yml]\n", "prompt_config.yml": "prompts: [Analyse.]\n"},
    "trn-duplicate-prompt": {
        "train.jsonl": [{"prompt": "Why?", **PAIR}, {"prompt": "Why?", **PAIR, "chosen": "Because.", "date": "today"}]
    },
    "dat-several-files": {"a.yaml": "runs: [{label: a}]\n", "b.yaml": "runs: [{label: b}]\n"},
    "trn-empty": {"train.jsonl": [{"prompt": "Why?", **PAIR}, {"prompt": "When?", **PAIR}, PAIR]},
    "srv-no-generation-prompt": {"readback.yml": SERVED, "t.jinja": TURNS},
    "srv-double-bos": {"Modelfile": 'FROM llama3.1:8b\nTEMPLATE """<|begin_of_text|>' + LLAMA + '"""\n'},
    "srv-template-error": {"readback.yml": SERVED, "t.jinja": INDEXED + "{{ messages[0].content[0].none.text }}"},
    "alb-render-error": {
        "readback.yml": "dataset: {path: d.jsonl}\nmodes: [{mode: m, template: '{{ page.title.text }}'}]\n",
        "d.jsonl": [ASKED],
    },
    "dat-empty-file": {"readback.yml": "dataset: form.csv\n", "form.csv": FORM},
    "dat-missing-id": {"data.csv": "id,question\n1,Why?\n,When?\n2,So?\n"},
    "scr-summary-differs": {
        "s.csv": "id,clear_score\n" + "".join(f"{n},{n % 3}\n" for n in range(21)) + "AVERAGE,1.50\n"
    },
    "fmt-system-text-in-user": {
        "readback.yml": CLASSES % ((f"Sort the review into one of these classes: {LABELS}.",) * 2),
        "d.jsonl": [{"id": "1", "q": "Well."}],
    },
    "dat-over-lines": {"data.jsonl": json.dumps(ASKED, indent=2) + "\n" + json.dumps(ASKED | {"id": "2"}, indent=2)},
    "alb-dialect-mixed": {"prompt_config.yml": "prompt_format: chatml\n" + ALBERT, "rag.jinja": LATER},
    "fmt-model-type-conflict": {
        "plan.yaml": "runs: [{label: a, model_config: instruction_only.yaml, prompt_mode: rag}]\n",
        "instruction_only.yaml": "provider: x\nmodel: lora_science_0p5\n",
    },
    "oll-chatml-newline": {"Modelfile": "FROM dolphin-llama3:8b\n" + CHATML % "<|im_end|>"},
    "fmt-duplicate-instruction": {"d.jsonl": [{"instruction": "Hello", "n": n, "response": "Hi."} for n in range(2)]},
    "trn-duplicate-row": {"sft.jsonl": [{"instruction": "Hello", "n": n, "output": "Hi."} for n in range(2)]},
    "oll-stop-escape": {"Modelfile": 'FROM x\nPARAMETER stop "\\nReflection:"\nPARAMETER stop "User:"\n'},
    "oll-no-from": {"Modelfile": "FROM \nSYSTEM Be brief.\n"},
    "oll-stop-missing": {"Modelfile": f'FROM ./x.gguf\nPARAMETER stop "<|end_of_text|>"\nTEMPLATE """{LLAMA}"""\n'},
    "dat-mojibake": {"data.jsonl": [{"id": "1", "question": "It isnâ€™t late, is it?"}]},
}


@pytest.mark.parametrize("files", MEANT.values(), ids=MEANT)
def test_what_is_meant_so_is_no_error_and_no_warning(write: Write, files: dict[str, Any]) -> None:
    audit = engine.check(workspace.open(write(files)))
    assert [one.message for one in audit.findings if one.severity != "info"] == []
    assert audit.faults == ()


@pytest.mark.parametrize(("code", "files"), FAULTS.items(), ids=FAULTS)
def test_its_neighbour_that_is_a_fault_is_told(write: Write, code: str, files: dict[str, Any]) -> None:
    audit = engine.check(workspace.open(write(files)))
    assert code in [one.code for one in audit.findings if one.severity != "info"]


def test_a_form_that_the_workspace_names_as_scores_is_told(write: Write) -> None:
    files = {"readback.yml": "dataset: d.jsonl\nscores: [form.csv]\n", "d.jsonl": [ASKED], "form.csv": FORM}
    audit = engine.check(workspace.open(write(files)))
    assert [(one.code, one.severity, one.place.file) for one in audit.findings] == [
        ("dat-empty-file", "warning", "form.csv")
    ]


def test_a_name_that_no_record_has_is_told_once_of_a_judge(write: Write) -> None:
    files = MEANT["what comes with an answer where nothing is answered yet"]
    audit = engine.check(workspace.open(write(files)))
    told = [(one.place.judge, one.values["field"], one.place.record) for one in audit.findings if "jdg" in one.code]
    assert told == [("j", "context", "a")]


def test_the_texts_of_a_single_row_are_no_condition_and_other_files_rows_are_not_missing(write: Write) -> None:
    files = {"one.csv": ASKED_AND_SAID + "Do x,Text one,0,h\n"}
    files["many.csv"] = ASKED_AND_SAID + "".join(f"Do {n},Text {n},{n % 2},v\n" for n in range(25))
    audit = engine.check(workspace.open(write(files)))
    told = [(one.code, one.values["where"]) for one in audit.findings if one.severity != "info"]
    assert told == [("scr-small-n", "one (n 1)")]  # which is true of a file with one row


def test_variants_of_a_judges_prompt_are_told_where_the_workspace_names_the_file(write: Write) -> None:
    files = {"readback.yml": "dataset: d.jsonl\njudges: {j: {prompts: judge.py}}\n", "judge.py": VARIANTS}
    audit = engine.check(workspace.open(write(files | {"d.jsonl": [ASKED]})))
    assert ("jdg-no-prompt", "error") in [(one.code, one.severity) for one in audit.findings]


def test_the_lines_below_a_text_without_quotes_are_one_fault_and_a_misspelt_directive_its_own(write: Write) -> None:
    text = "FROM x\nSYSTEM You are Otto.\n\nRules:\n# Tone\n1. Be kind.\n2. Be brief.\nPARAMETR top_k 1\nSo.\n"
    below = "PARAMETER seed 1\nWell.\nPARAMETER top-k 1\nSo.\n"
    audit = engine.check(workspace.open(write({"Modelfile": text + below})))
    told = [(one.place.line, one.values["below"]) for one in audit.findings if one.code == "oll-syntax"]
    assert sorted(told) == [(4, 2), (8, 1), (11, ""), (12, ""), (13, "")]


@pytest.mark.parametrize("quotes", ['"', '"""'])
def test_a_text_that_nothing_closes_is_one_fault_and_its_lines_are_none(write: Write, quotes: str) -> None:
    text = f"FROM x\nSYSTEM {quotes}You are Carlson.\nBe brief.\n- Be kind.\nPARAMETER stop a\nSay no more.\n"
    audit = engine.check(workspace.open(write({"Modelfile": text})))
    assert [(one.code, one.place.line) for one in audit.findings if one.severity == "error"] == [("oll-syntax", 2)]


def test_a_column_that_describes_the_items_makes_no_conditions_where_one_row_has_no_id(write: Write) -> None:
    rows = "".join(f"{n},{n % 5},{n % 3 == 0}\n" for n in range(30))
    setup = "scores: [{path: r.csv, item: [id], criteria: [correct]}]\n"
    audit = engine.check(workspace.open(write({"readback.yml": setup, "r.csv": f"id,page,correct\n{rows},,True\n"})))
    assert {one.code for one in audit.findings if one.severity != "info"} == {"dat-missing-id"}


def test_of_an_items_rows_for_each_condition_the_second_of_one_condition_is_told(write: Write) -> None:
    rows = [("a", "x"), ("b", "x"), ("b", "y"), ("b", "y"), ("c", "x"), ("d", "x"), ("e", "y"), ("e", "y")]
    records = [{"id": name, "condition": condition, "n": n} for n, (name, condition) in enumerate(rows)]
    audit = engine.check(workspace.open(write({"data.jsonl": records})))
    told = [(one.severity, one.place.line) for one in audit.findings if one.code == "dat-duplicate-id"]
    assert sorted(told) == [("info", 3), ("warning", 4), ("warning", 8)]
    named = write({"readback.yml": "dataset: {path: data.jsonl, id: id}\n"})
    audit = engine.check(workspace.open(named))
    assert {one.severity for one in audit.findings if one.code == "dat-duplicate-id"} == {"warning"}


@pytest.mark.parametrize(
    "files",
    [
        {"chat_template.jinja": OWN_MESSAGES + "{{ messages[0]['content'] }}"},  # it does read what messages say
        {"readback.yml": SERVED, "t.jinja": OWN_MESSAGES},  # somebody says that a server has it
        {"chat_template.jinja": OWN_MESSAGES.replace("m.context.body", "body.text")},  # what fails is no message
    ],
)
def test_a_template_that_fails_on_usual_messages_is_told_unless_it_is_for_others(write: Write, files: Any) -> None:
    audit = engine.check(workspace.open(write(files)))
    assert [one.severity for one in audit.findings if one.code == "srv-template-error"] == ["error"]
