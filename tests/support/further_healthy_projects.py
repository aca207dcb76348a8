# ruff: noqa: E501 - lines of files are longer
"""Write further small projects without a fault, laid out as public ones are.

They were written down before any of them was checked, for a second measure on folders that no rule was repaired by.
The layouts are those that the tools' documentation describes; every text is invented here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from support.healthy_projects import (
    CLERK,
    FACTS,
    README,
    Files,
    turns,
    write_array,
    write_lines,
    write_table,
    write_yaml,
)

FRENCH = (
    ("À quelle heure ouvre la capitainerie ?", "Elle ouvre à sept heures, sauf le dimanche."),
    ("Où puis-je déposer l’huile usée ?", "Au local vert, derrière l’atelier."),
    ("Combien coûte une nuit au ponton B ?", "Douze euros pour un bateau de huit mètres."),
    ("Qui relève les casiers perdus ?", "Le comité des pêches, le premier lundi du mois."),
)
JAPANESE = (
    ("港の事務所は何時に開きますか。", "朝の七時に開きます。"),
    ("北の桟橋に水道はありますか。", "はい、二か所にあります。"),
    ("渡し船は何便ありますか。", "一日に四便あります。"),
    ("灯台に登れますか。", "夏の週末だけ登れます。"),
)
CHINESE = (
    ("码头几点开门？", "早上七点开门。"),
    ("渡轮可以带自行车吗？", "可以，每辆两元。"),
    ("谁负责夜间开闸？", "值班员接到电话后开闸。"),
    ("潮位计在哪里？", "在东岸的台阶旁边。"),
)


def kto_rows() -> Files:
    """Answers that were liked or not, one a row, as KTO takes them, and the settings of the run."""
    rows = [
        {"prompt": q, "completion": a if n % 2 else "I do not know, please ask somebody else.", "label": bool(n % 2)}
        for n, (q, a) in enumerate(FACTS)
    ]
    settings = {"model_name_or_path": "Qwen/Qwen2.5-1.5B-Instruct", "beta": 0.1, "desirable_weight": 1.0,
                "undesirable_weight": 1.0, "per_device_train_batch_size": 4, "output_dir": "out"}  # fmt: skip
    return {
        "data/kto_train.jsonl": write_lines(rows),
        "kto.yaml": write_yaml(settings),
        "README.md": README.format("KTO"),
    }


def preference_messages() -> Files:
    """Pairs as messages with a common prompt, and prompts alone with their solution for training by reward."""
    pairs = [
        {
            "prompt": turns(q, a, CLERK)[:2],
            "chosen": [{"role": "assistant", "content": a}],
            "rejected": [{"role": "assistant", "content": f"Hm. {FACTS[(n + 5) % 16][1]}"}],
        }
        for n, (q, a) in enumerate(FACTS[:10])
    ]
    prompts = [{"prompt": [{"role": "user", "content": q}], "solution": a} for q, a in FACTS[10:]]
    return {
        "data/dpo.jsonl": write_lines(pairs),
        "data/grpo.jsonl": write_lines(prompts),
        "train_dpo.py": "from datasets import load_dataset\n\nrows = load_dataset('json', data_files='data/dpo.jsonl')\n",
        "README.md": README.format("Preferences"),
    }


def llama_factory_pairs() -> Files:
    """A Chinese preference set of LLaMA-Factory in ShareGPT form, its index and its configuration."""
    rows = [
        {
            "conversations": [{"from": "human", "value": q}],
            "system": "你是港务办公室的职员，请用一两句话回答。",
            "chosen": {"from": "gpt", "value": a},
            "rejected": {"from": "gpt", "value": "不清楚。"},
        }
        for q, a in CHINESE
    ]
    info = {
        "port_pairs": {
            "file_name": "port_pairs.json", "formatting": "sharegpt", "ranking": True,
            "columns": {"messages": "conversations", "chosen": "chosen", "rejected": "rejected", "system": "system"},
        }
    }  # fmt: skip
    run = {"model_name_or_path": "Qwen/Qwen2.5-7B-Instruct", "stage": "dpo", "do_train": True, "finetuning_type": "lora",
           "pref_beta": 0.1, "dataset": "port_pairs", "template": "qwen", "cutoff_len": 2048, "output_dir": "saves"}  # fmt: skip
    return {
        "data/port_pairs.json": write_array(rows),
        "data/dataset_info.json": write_array(info),  # type: ignore[arg-type]
        "examples/qwen_lora_dpo.yaml": write_yaml(run),
        "README_zh.md": "# 港口\n\n说明在 wiki。\n",
    }


def axolotl_chat() -> Files:
    """A chat training of axolotl with its own names of fields, roles and a validation file."""

    def chat(pairs: tuple[tuple[str, str], ...]) -> str:
        return write_lines(
            {
                "conversations": [
                    {"from": "system", "value": CLERK},
                    {"from": "human", "value": q},
                    {"from": "gpt", "value": a},
                ]
            }
            for q, a in pairs
        )

    settings = {
        "base_model": "mistralai/Mistral-7B-v0.3", "load_in_4bit": True, "adapter": "qlora", "chat_template": "chatml",
        "datasets": [{"path": "data/train.jsonl", "type": "chat_template", "field_messages": "conversations",
                      "message_property_mappings": {"role": "from", "content": "value"}}],
        "test_datasets": [{"path": "data/val.jsonl", "type": "chat_template", "split": "train",
                           "field_messages": "conversations"}],
        "sequence_len": 4096, "lora_r": 32, "micro_batch_size": 2, "num_epochs": 3, "special_tokens": {"pad_token": "</s>"},
    }  # fmt: skip
    return {
        "config.yml": write_yaml(settings),
        "data/train.jsonl": chat(FACTS[:12]),
        "data/val.jsonl": chat(FACTS[12:]),
    }


def helm_tables() -> Files:
    """Tables of a leaderboard: groups as JSON with header and rows, an export as CSV, and the schema of the runs."""
    models = ("harbour-7b", "harbour-13b", "buoy-8b", "lamp-70b")
    rows = [[m, f"0.{5 + n}1", f"0.{6 + n}2", f"0.{4 + n}8", n * 3 + 7] for n, m in enumerate(models)]
    header = ("Model", "Mean win rate", "NarrativeQA - F1", "NaturalQuestions - EM", "Inference time (s)")
    group = {
        "title": "Core scenarios",
        "header": [{"value": name, "markdown": False, "metadata": {}} for name in header],
        "rows": [[{"value": cell, "markdown": False} for cell in row] for row in rows],
    }
    schema = {"metrics": [{"name": "exact_match", "display_name": "Exact match", "lower_is_better": False}],
              "run_groups": [{"name": "narrative_qa", "display_name": "NarrativeQA", "taxonomy": {"task": "qa"}}]}  # fmt: skip
    return {
        "runs/groups/core_scenarios.json": write_array(group),  # type: ignore[arg-type]
        "leaderboard.csv": write_table(header, rows),
        "schema.yaml": write_yaml(schema),
        "README.md": README.format("Leaderboard"),
    }


def harness_results() -> Files:
    """What an evaluation harness writes: a file of results by task, and the samples of one task."""
    results = {
        "results": {"harbour_qa": {"alias": "harbour_qa", "exact_match,none": 0.75, "exact_match_stderr,none": 0.11}},
        "configs": {"harbour_qa": {"task": "harbour_qa", "doc_to_text": "Question: {{question}}\nAnswer:"}},
        "n-shot": {"harbour_qa": 0}, "n-samples": {"harbour_qa": {"original": 16, "effective": 16}},
        "config": {"model": "hf", "model_args": "pretrained=harbour/harbour-7b", "batch_size": "8"},
    }  # fmt: skip
    samples = [
        {"doc_id": n, "doc": {"question": q, "answer": a}, "target": a,
         "arguments": {"gen_args_0": {"arg_0": f"Question: {q}\nAnswer:"}}, "resps": [[a if n % 4 else "No."]],
         "filtered_resps": [a if n % 4 else "No."], "exact_match": float(bool(n % 4))}
        for n, (q, a) in enumerate(FACTS)
    ]  # fmt: skip
    return {
        "harbour__harbour-7b/results_2026-03-01T10-00-00.json": write_array(results),  # type: ignore[arg-type]
        "harbour__harbour-7b/samples_harbour_qa_2026-03-01T10-00-00.jsonl": write_lines(samples),
    }


def rag_with_sources() -> Files:
    """Answers from documents: texts with numbers, a prompt with plain braces, questions with the expected sources."""
    rows = [
        {"id": f"q{n}", "question": q, "expected_answer": a, "expected_sources": [f"doc_{n % 4}.md"]}
        for n, (q, a) in enumerate(FACTS[:8])
    ]
    prompt = (
        "Answer with the numbered sources below. After each sentence give the number of its source, as in [1].\n"
        "If the sources do not say it, answer that you do not know.\n\nSources:\n{context}\n\nQuestion: {question}\n"
    )
    docs = {f"docs/doc_{n}.md": "# Harbour\n\n" + "\n\n".join(a for _, a in FACTS[n::4]) + "\n" for n in range(4)}
    return {
        "prompts/answer.txt": prompt,
        "eval/questions.jsonl": write_lines(rows),
        "settings.toml": 'model = "llama3.1:8b"\ntop_k = 4\nchunk_size = 800\n',
        "README.md": README.format("Ask the harbour"),
        **docs,
    }


def bench_judges() -> Files:
    """Prompts of judges as lines, the questions, the reference answers and the judgments of a bench."""
    prompts = [
        {"name": "single-v1", "type": "single", "system_prompt": "You are a helpful assistant.",
         "prompt_template": "[Instruction]\nJudge the answer to the question and rate it from 1 to 10, as [[5]].\n\n"
         "[Question]\n{question}\n\n[The Start of Answer]\n{answer}\n[The End of Answer]",
         "description": "Rate one answer", "category": "general", "output_format": "[[rating]]"},
        {"name": "pair-v1", "type": "pairwise", "system_prompt": "Compare the two answers. Say [[A]], [[B]] or [[C]].",
         "prompt_template": "[Question]\n{question}\n\n[Answer A]\n{answer_a}\n\n[Answer B]\n{answer_b}",
         "description": "Compare two answers", "category": "general", "output_format": "[[A]]"},
    ]  # fmt: skip
    questions = [{"question_id": 81 + n, "category": "harbour", "turns": [q]} for n, (q, _) in enumerate(FACTS)]
    judged = [
        {"question_id": 81 + n, "model": "harbour-7b", "judge": ["gpt-4", "single-v1"], "score": 6 + n % 4, "turn": 1}
        for n in range(len(FACTS))
    ]
    return {
        "judge_prompts.jsonl": write_lines(prompts),
        "question.jsonl": write_lines(questions),
        "reference_answer/gpt-4.jsonl": write_lines(
            {"question_id": 81 + n, "answer_id": f"r{n}", "model_id": "gpt-4", "choices": [{"index": 0, "turns": [a]}]}
            for n, (_, a) in enumerate(FACTS)
        ),
        "model_judgment/gpt-4_single.jsonl": write_lines(judged),
    }


def mustache_library() -> Files:
    """Prompts in Mustache with sections, the example values beside them."""
    return {
        "prompts/greet.mustache": "Write a greeting to {{name}}.{{#formal}} Use a formal tone.{{/formal}}\n",
        "prompts/summary.mustache": "Summarise the notes for {{reader}}:\n{{#notes}}\n- {{.}}\n{{/notes}}\n",
        "examples/greet.json": write_array({"name": "Ada", "formal": True}),  # type: ignore[arg-type]
        "examples/summary.json": write_array({"reader": "the pilot", "notes": [a for _, a in FACTS[:3]]}),  # type: ignore[arg-type]
        "package.json": write_array({"name": "greetings", "version": "1.0.0", "license": "MIT"}),  # type: ignore[arg-type]
        "README.md": README.format("Greetings"),
    }


def python_prompts() -> Files:
    """A package with its prompts as constants for str.format, and questions in a table."""
    code = (
        '"""Prompts of the clerk."""\n\nSYSTEM_PROMPT = "You are the clerk of the harbour office."\n\n'
        'ANSWER_PROMPT = """Answer the visitor.\n\nQuestion: {question}\n"""\n\n'
        'EXTRACT_PROMPT = """List the places that the text names, as JSON: {{"places": []}}.\n\nText: {text}\n"""\n'
    )
    return {
        "clerk/__init__.py": "",
        "clerk/prompts.py": code,
        "tests/questions.csv": write_table(
            ("id", "question", "reference"), [(n, q, a) for n, (q, a) in enumerate(FACTS)]
        ),
        "pyproject.toml": '[project]\nname = "clerk"\nversion = "0.3.0"\n',
        "README.md": README.format("Clerk"),
    }


def modelfile_adapters() -> Files:
    """Modelfiles with adapters, messages as examples, a licence and the template of the base model."""
    template = (
        'TEMPLATE """{{ if .System }}<|start_header_id|>system<|end_header_id|>\n\n{{ .System }}<|eot_id|>{{ end }}'
        "{{ if .Prompt }}<|start_header_id|>user<|end_header_id|>\n\n{{ .Prompt }}<|eot_id|>{{ end }}"
        '<|start_header_id|>assistant<|end_header_id|>\n\n{{ .Response }}<|eot_id|>"""\n'
    )
    stops = "".join(f'PARAMETER stop "{one}"\n' for one in ("<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"))
    return {
        "clerk/Modelfile": f'FROM llama3.2:3b\nADAPTER ./clerk-lora.gguf\nSYSTEM """{CLERK}"""\nPARAMETER temperature 0.3\n',
        "pilot/Modelfile": f'FROM ./pilot-8b.Q4_K_M.gguf\n{template}{stops}SYSTEM "Answer as a pilot would."\n',
        "examples/Modelfile": "FROM qwen2.5:7b\nSYSTEM Answer with yes or no.\nMESSAGE user Is the lock open?\n"
        "MESSAGE assistant yes\nPARAMETER num_ctx 8192\nLICENSE MIT\n",
        "README.md": "# Models\n\n    ollama create clerk -f clerk/Modelfile\n",
    }


def spreadsheet_export() -> Files:
    """German ratings as a spreadsheet writes them: semicolons, commas in numbers, a column of remarks."""
    header = ("Nr.", "Frage", "Antwort", "Bewertung (1-5)", "Bewerterin", "Bemerkung")
    rows = [
        (n + 1, f"Was kostet Liegeplatz {n + 1}?", f"Er kostet {n + 10},50 Euro im Monat.", ("4,5", "3,0", "5,0")[n % 3],
         ("AK", "MS")[n % 2], "" if n % 4 else "bitte prüfen; siehe Aushang")
        for n in range(24)
    ]  # fmt: skip
    return {"Auswertung_Mai.csv": write_table(header, rows, ";"), "LIESMICH.txt": "Auswertung der Antworten im Mai.\n"}


def dotprompt_project() -> Files:
    """A program with prompts in dotprompt and a table of test questions."""
    head = "---\nmodel: googleai/gemini-2.0-flash\ninput:\n  schema:\n    question: string\n---\n"
    return {
        "prompts/answer.prompt": head + '{{role "system"}}\nYou are the clerk.\n{{role "user"}}\n{{question}}\n',
        "prompts/shorten.prompt": head + "Shorten this question: {{question}}\n",
        "src/index.ts": "import { genkit } from 'genkit';\n\nexport const ai = genkit({ promptDir: './prompts' });\n",
        "eval/questions.csv": write_table(("id", "question"), [(n, q) for n, (q, _) in enumerate(FACTS)]),
        "package.json": write_array({"name": "clerk", "private": True}),  # type: ignore[arg-type]
    }


def prompty_project() -> Files:
    """A flow with a prompt in Prompty, its sample input and rows for its evaluation."""
    prompty = (
        "---\nname: Clerk\ndescription: answers visitors\nmodel:\n  api: chat\n"
        "  configuration:\n    type: openai\n  parameters:\n    max_tokens: 200\n"
        "sample: sample.json\n---\nsystem:\nYou are the clerk of the harbour office.\n\nuser:\n{{question}}\n"
    )
    return {
        "clerk.prompty": prompty,
        "sample.json": write_array({"question": FACTS[0][0]}),  # type: ignore[arg-type]
        "data/eval.jsonl": write_lines({"question": q, "ground_truth": a} for q, a in FACTS),
        "flow.flex.yaml": write_yaml(
            {"entry": "flow:run", "environment": {"python_requirements_txt": "requirements.txt"}}
        ),
        "requirements.txt": "promptflow\n",
    }


def hosted_tuning() -> Files:
    """Rows for a hosted fine-tuning in two files: several personas, longer conversations, weights on answers."""
    personas = (CLERK, "You are a patient teacher of sailing.", "You write weather reports for the radio.")
    rows = []
    for n, (q, a) in enumerate(FACTS):
        first = turns(q, a, personas[n % 3])
        more = turns(FACTS[(n + 3) % 16][0], FACTS[(n + 3) % 16][1])
        first[-1] = {**first[-1], "weight": 0}  # type: ignore[dict-item]
        rows.append({"messages": [*first, *more] if n % 2 else turns(q, a, personas[n % 3])})
    return {
        "train.jsonl": write_lines(rows[:12]),
        "validation.jsonl": write_lines(rows[12:]),
        "estimate_cost.py": "import json\n\nprint(sum(1 for _ in open('train.jsonl')))\n",
    }


def annotation_export() -> Files:
    """The export of an annotation tool: tasks with nested annotations as JSON, and the long table of three raters."""
    tasks = [
        {"id": 100 + n, "data": {"question": q, "answer": a}, "annotations": [
            {"id": 900 + n, "completed_by": 3, "result": [{"type": "rating", "from_name": "quality", "to_name": "answer",
                                                            "value": {"rating": 3 + n % 3}}]}]}
        for n, (q, a) in enumerate(FACTS)
    ]  # fmt: skip
    long = [(100 + n, rater, 3 + (n + k) % 3) for n in range(16) for k, rater in enumerate(("r1", "r2", "r3"))]
    return {
        "project-4-at-2026-02-11.json": write_array(tasks),
        "ratings.csv": write_table(("item_id", "rater", "quality"), long),
        "labels.xml": '<View><Text name="answer" value="$answer"/><Rating name="quality" toName="answer"/></View>\n',
    }


def translations() -> Files:
    """Questions in French and Japanese with templates in these languages, and pairs of sentences in two languages."""
    pairs = [
        {"translation": {"fr": f"{q} {a}", "ja": f"{j} {k}"}} for (q, a), (j, k) in zip(FRENCH, JAPANESE, strict=True)
    ]
    return {
        "templates/fr.jinja": "Tu es l’assistant du port. Réponds en une phrase.\n\nQuestion : {{ question }}\nRéponse :",
        "templates/ja.jinja": "あなたは港の案内係です。一文で答えてください。\n\n質問：{{ question }}\n回答：",
        "data/questions.csv": write_table(
            ("id", "lang", "question", "answer"),
            [
                (f"{lang}{n}", lang, q, a)
                for lang, rows in (("fr", FRENCH), ("ja", JAPANESE))
                for n, (q, a) in enumerate(rows)
            ],
        ),
        "data/pairs.jsonl": write_lines(pairs),
    }


def unsloth_rewards() -> Files:
    """A notebook that trains with rewards: its system text with tags, its rows, its exported template."""
    system = "Think first between <think> and </think>, then give the answer between <answer> and </answer>."
    code = f"SYSTEM = {system!r}\n\ndef row(x):\n    return {{'prompt': [{{'role': 'system', 'content': SYSTEM}}, {{'role': 'user', 'content': x['question']}}]}}\n"
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": code.splitlines(True)}
    ]
    book = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return {
        "grpo.ipynb": json.dumps(book, indent=1) + "\n",
        "gsm_harbour.jsonl": write_lines(
            {"question": q, "answer": f"It follows.\n#### {n + 2}"} for n, (q, _) in enumerate(FACTS)
        ),
        "README.md": README.format("Rewards"),
    }


FURTHER_PROJECTS: dict[str, Callable[[], Files]] = {
    made.__name__: made
    for made in (
        kto_rows, preference_messages, llama_factory_pairs, axolotl_chat, helm_tables, harness_results, rag_with_sources,
        bench_judges, mustache_library, python_prompts, modelfile_adapters, spreadsheet_export, dotprompt_project,
        prompty_project, hosted_tuning, annotation_export, translations, unsloth_rewards,
    )
}  # fmt: skip


def write_further_project(name: str, folder: Path) -> Path:
    """Write a project into a new folder below `folder`; return that."""
    root = folder / name
    for file, text in FURTHER_PROJECTS[name]().items():
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root
