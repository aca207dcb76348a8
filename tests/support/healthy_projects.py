"""Write small projects without a fault, laid out as public ones are: prompt libraries, training sets, judges, scores.

The layouts (names of files, keys, forms of rows) are those that the projects' own documentation describes; every text
is invented here. What `check` reports on them at warning or above is a false alarm, unless `JUDGED` of
tests/test_healthy_projects.py says why it is worth a repair.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

Files = dict[str, str]

FACTS = (
    ("How deep is the north basin?", "It is nine metres deep at low water."),
    ("Who opens the lock at night?", "The keeper on duty opens it after a call on channel 12."),
    ("When was the pier rebuilt?", "It was rebuilt in 1987, after the great storm."),
    ("What does the red buoy mark?", "It marks the wreck of the Anna."),
    ("Where is the tide gauge?", "It stands on the east quay, beside the stairs."),
    ("Which ferry carries cars?", "Only the Selma does, four times a day."),
    ("How long is the breakwater?", "It measures two hundred metres from the rock to the lamp."),
    ("Who pays the pilot?", "The shipping line pays, within thirty days."),
    ("Is there a crane for small boats?", "Yes, it lifts up to three tonnes."),
    ("When does the fish market begin?", "It begins at five, except on Sundays."),
    ("What is the speed limit in the harbour?", "Five knots, and three beside the slipway."),
    ("Where can I fill fresh water?", "At the taps on pontoons B and D."),
    ("How often does the lamp flash?", "Twice every ten seconds, with white light."),
    ("May I anchor in the outer bay?", "You may, for up to three nights, outside of the cable area."),
    ("Who repairs torn sails?", "The loft behind the chandler's shop repairs them."),
    ("What does a berth cost in winter?", "It costs a third of the summer price."),
)
CLERK = "You are the clerk of the harbour office. Answer in one or two friendly sentences."
README = "# {}\n\nNotes on how to use what lies here.\n\n## Install\n\n    pip install -r requirements.txt\n"


def write_lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def write_array(rows: Sequence[Any]) -> str:
    return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"


def write_table(header: Sequence[str], rows: Iterable[Sequence[object]], delimiter: str = ",") -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def write_yaml(value: Any) -> str:
    return yaml.safe_dump(value, allow_unicode=True, sort_keys=False)


def turns(question: str, answer: str, system: str = "") -> list[dict[str, str]]:
    first = [{"role": "system", "content": system}] if system else []
    return [*first, {"role": "user", "content": question}, {"role": "assistant", "content": answer}]


def pattern_library() -> Files:
    """A folder a pattern with system.md, some with a user.md, explanations and strategies beside them."""
    files = {"README.md": README.format("Patterns"), "requirements.txt": "requests\n"}
    for name, does in (
        ("summarize_log", "sum up the log of a watch in five bullet points"),
        ("extract_dates", "list every date and what happened on it"),
        ("name_vessel", "propose names for a vessel from its description"),
        ("write_notice", "write a notice to mariners from rough notes"),
        ("check_claims", "compare the claims of a text with its sources"),
        ("create_quiz", "ask ten questions about a text, with answers"),
    ):
        files[f"patterns/{name}/system.md"] = (
            f"# IDENTITY and PURPOSE\n\nYou are an experienced harbour clerk. Your task is to {does}.\n\n"
            "Take a step back and think step by step about how to reach the best result.\n\n"
            "# OUTPUT INSTRUCTIONS\n\n- Write Markdown only.\n- Do not give warnings or notes.\n\n# INPUT\n\nINPUT:\n"
        )
    files["patterns/create_quiz/user.md"] = "CONTENT:\n"
    files["patterns/pattern_explanations.md"] = "# Patterns\n\n1. **summarize_log**: sums up a log.\n"
    files["strategies/stepwise.json"] = json.dumps(
        {"description": "Think in steps", "prompt": "Work through the task in small steps before you answer."}
    )
    files["strategies/draft.json"] = json.dumps(
        {"description": "Draft first", "prompt": "Write a draft, find its weak points, then write the final text."}
    )
    return files


def prompt_table() -> Files:
    """A CSV of prompts by role, as collections for chat programs have it."""
    rows = [
        ("Harbour Pilot", "I want you to act as a harbour pilot. I will name a vessel and you tell me how to berth it. "
         'My first vessel is "a ferry of 80 metres".', "FALSE"),
        ("Tide Table", "Act as a tide table. I will type a day and you reply with two times of high water, nothing else.",  # noqa: E501 - one line of a file
         "FALSE"),
        ("Shell", "I want you to act as a shell of a buoy's computer. I will type commands and you reply with what the "
         "terminal shows, inside one code block. My first command is `ls`.", "TRUE"),
        ("Translator", "Act as a translator from Breton to English. Reply with the translation and nothing else.", "FALSE"),  # noqa: E501 - one line of a file
    ]  # fmt: skip
    return {"prompts.csv": write_table(("act", "prompt", "for_devs"), rows), "README.md": README.format("Prompts")}


def modelfile_collection() -> Files:
    """Modelfiles in folders of their own, most of them with a system text and parameters."""
    files = {"README.md": README.format("Modelfiles")}
    for name, base, text in (
        ("clerk", "llama3.2", CLERK),
        ("poet", "mistral:7b", "You answer every question with a poem of four lines about the sea."),
        ("coder", "qwen2.5-coder:7b", "You write Python for people who maintain harbour software. Explain briefly."),
        ("tutor", "gemma2:9b", "You teach navigation to beginners and ask one question back each time."),
    ):
        files[f"{name}/Modelfile"] = (
            f'# {name}\nFROM {base}\n\nPARAMETER temperature 0.7\nPARAMETER num_ctx 8192\n\nSYSTEM """\n{text}\n"""\n'
        )
    files["translator/Modelfile"] = (
        "FROM llama3.2\nPARAMETER temperature 0\n"
        'SYSTEM "You translate notices to mariners into plain English."\n'
        "MESSAGE user Feu éteint à l'entrée du port.\n"
        "MESSAGE assistant The light at the harbour entrance is out.\n"
    )
    return files


def modelfile_of_files() -> Files:
    """Modelfiles made from weights: with a projector, in parts, from a folder, with an adapter."""
    return {
        "vision/Modelfile": "FROM ./clerk-12b-q4_k_m.gguf\nFROM ./mmproj-clerk-f16.gguf\nPARAMETER num_ctx 8192\n"
        'SYSTEM "You describe pictures of ships."\n',
        "parts/Modelfile": "FROM ./clerk-70b-00001-of-00002.gguf\nFROM ./clerk-70b-00002-of-00002.gguf\n",
        "folder/Modelfile": 'FROM ./clerk-hf/\nSYSTEM "You are brief."\n',
        "tuned/Modelfile": 'FROM llama3.2\nADAPTER ./clerk-lora.gguf\nSYSTEM "You are the harbour clerk."\n',
        "README.md": README.format("From weights"),
    }


def axolotl() -> Files:
    """A training configuration of axolotl with Alpaca rows, and one with conversations."""
    alpaca = [{"instruction": q, "input": "", "output": a} for q, a in FACTS[:8]]
    chats = [{"conversations": [{"from": "human", "value": q}, {"from": "gpt", "value": a}]} for q, a in FACTS[8:]]
    config = {
        "base_model": "Quay/Base-7B", "model_type": "LlamaForCausalLM", "tokenizer_type": "LlamaTokenizer",
        "load_in_8bit": False, "load_in_4bit": True, "strict": False,
        "datasets": [{"path": "data/alpaca.jsonl", "type": "alpaca"}], "dataset_prepared_path": "last_run",
        "val_set_size": 0.05, "output_dir": "./outputs/qlora", "adapter": "qlora", "lora_r": 32, "lora_alpha": 16,
        "sequence_len": 4096, "sample_packing": True, "micro_batch_size": 2, "num_epochs": 4,
        "optimizer": "paged_adamw_32bit", "learning_rate": 0.0002, "bf16": "auto",
        "special_tokens": {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"},
    }  # fmt: skip
    chat = config | {"datasets": [{"path": "data/chat.jsonl", "type": "sharegpt"}], "chat_template": "chatml"}
    return {
        "examples/clerk/qlora.yml": write_yaml(config),
        "examples/clerk/chat.yml": write_yaml(chat),
        "data/alpaca.jsonl": write_lines(alpaca),
        "data/chat.jsonl": write_lines(chats),
        "deepspeed_configs/zero2.json": write_array([])[:0]
        + json.dumps({"zero_optimization": {"stage": 2}, "train_batch_size": "auto", "bf16": {"enabled": "auto"}}),
        "README.md": README.format("Fine-tuning"),
    }


def llama_factory() -> Files:
    """The data folder of LLaMA-Factory with its index, and training configurations."""
    call = {"name": "read_gauge", "arguments": {"quay": "east"}}
    tools = json.dumps([{"name": "read_gauge", "description": "Read a gauge", "parameters": {"type": "object"}}])
    tool_rows = [
        {
            "conversations": [
                {"from": "human", "value": f"{q} Please look at the gauge."},
                {"from": "function_call", "value": json.dumps(call)},
                {"from": "observation", "value": json.dumps({"level": n})},
                {"from": "gpt", "value": a},
            ],
            "system": CLERK,
            "tools": tools,
        }
        for n, (q, a) in enumerate(FACTS[:5])
    ]
    pairs = [
        {
            "conversations": [{"from": "human", "value": q}],
            "chosen": {"from": "gpt", "value": a},
            "rejected": {"from": "gpt", "value": f"I think that {a[0].lower()}{a[1:-1]}, but I am not sure at all."},
        }
        for q, a in FACTS[5:10]
    ]
    kto = [{"messages": turns(q, a), "label": n % 2 == 0} for n, (q, a) in enumerate(FACTS[10:14])]
    images = [
        {
            "messages": turns(f"<image>{q}", a),
            "images": [f"mllm_demo_data/{n}.jpg"],
        }
        for n, (q, a) in enumerate(FACTS[:3])
    ]
    identity = [
        {"instruction": "hi", "input": "", "output": "Hello! I am {{name}}, an assistant made by {{author}}."},
        {
            "instruction": "Who are you?",
            "input": "",
            "output": "I am {{name}}. {{author}} made me to answer questions.",
        },
        {
            "instruction": "Do you know the sea?",
            "input": "",
            "output": "I am {{name}}, and I know what is written of it.",
        },
    ]
    index = {
        "identity": {"file_name": "identity.json"},
        "alpaca_demo": {"file_name": "alpaca_demo.json"},
        "tool_demo": {
            "file_name": "tool_demo.json",
            "formatting": "sharegpt",
            "columns": {"messages": "conversations"},
        },
        "dpo_demo": {"file_name": "dpo_demo.json", "ranking": True, "formatting": "sharegpt"},
        "kto_demo": {"file_name": "kto_demo.json", "formatting": "sharegpt", "columns": {"kto_tag": "label"}},
    }
    lora = {
        "model_name_or_path": "Quay/Base-7B", "trust_remote_code": True, "stage": "sft", "do_train": True,
        "finetuning_type": "lora", "lora_rank": 8, "lora_target": "all", "dataset": "identity,alpaca_demo",
        "template": "llama3", "cutoff_len": 2048, "max_samples": 1000, "output_dir": "saves/lora",
        "per_device_train_batch_size": 1, "learning_rate": 1.0e-4, "num_train_epochs": 3.0, "bf16": True,
    }  # fmt: skip
    serve = {"model_name_or_path": "Quay/Base-7B", "adapter_name_or_path": "saves/lora", "template": "llama3"}
    return {
        "data/dataset_info.json": json.dumps(index, indent=2),
        "data/identity.json": write_array(identity),
        "data/alpaca_demo.json": write_array(
            [{"instruction": "Translate into plain English.", "input": q, "output": a} for q, a in FACTS[:8]]
        ),
        "data/tool_demo.json": write_array(tool_rows),
        "data/dpo_demo.json": write_array(pairs),
        "data/kto_demo.json": write_array(kto),
        "data/mllm_demo.json": write_array(images),
        "data/c4_demo.jsonl": write_lines({"text": f"{q} {a} The log of the day says so."} for q, a in FACTS[:6]),
        "data/README.md": README.format("Data"),
        "examples/train_lora/sft.yaml": write_yaml(lora),
        "examples/train_lora/dpo.yaml": write_yaml(lora | {"stage": "dpo", "pref_beta": 0.1, "pref_loss": "sigmoid"}),
        "examples/inference/serve.yaml": write_yaml(serve | {"infer_backend": "huggingface"}),
    }


def torchtune() -> Files:
    """Recipes with components, where keys `model` and `tokenizer` hold mappings, and a folder of chat rows."""
    recipe = {
        "output_dir": "/tmp/torchtune/clerk",
        "tokenizer": {"_component_": "torchtune.models.llama3.llama3_tokenizer", "path": "/tmp/tokenizer.model",
                      "max_seq_len": None},
        "dataset": {"_component_": "torchtune.datasets.alpaca_cleaned_dataset", "packed": False},
        "seed": None, "shuffle": True,
        "model": {"_component_": "torchtune.models.llama3_2.lora_llama3_2_1b", "lora_rank": 64, "lora_alpha": 128},
        "checkpointer": {"_component_": "torchtune.training.FullModelHFCheckpointer", "model_type": "LLAMA3_2"},
        "optimizer": {"_component_": "torch.optim.AdamW", "lr": 3e-4}, "epochs": 1, "batch_size": 4,
    }  # fmt: skip
    evaluation = {
        "model": {"_component_": "torchtune.models.llama3_2.llama3_2_1b"},
        "tasks": ["truthfulqa_mc2"], "limit": None, "max_seq_length": 4096, "batch_size": 8,
    }  # fmt: skip
    generation = {
        "model": {"_component_": "torchtune.models.llama3_2.llama3_2_1b"},
        "prompt": {"system": None, "user": "Tell me a joke about the tide."}, "max_new_tokens": 300,
        "temperature": 0.6, "top_k": 300,
    }  # fmt: skip
    return {
        "recipes/configs/clerk_lora.yaml": write_yaml(recipe),
        "recipes/configs/evaluation.yaml": write_yaml(evaluation),
        "recipes/configs/generation.yaml": write_yaml(generation),
        "data/chat.jsonl": write_lines({"messages": turns(q, a, CLERK)} for q, a in FACTS[:8]),
    }


def trl() -> Files:
    """A script, its arguments, and the forms of rows that trl takes: prompts, pairs, completions."""
    script = (
        "from datasets import load_dataset\nfrom trl import DPOConfig, DPOTrainer\n\n"
        'train = load_dataset("json", data_files="data/dpo.jsonl", split="train")\n'
        'trainer = DPOTrainer(model="Quay/Base-7B", args=DPOConfig(output_dir="out"), train_dataset=train)\n'
        "trainer.train()\n"
    )
    refused = "Please ask somebody at the office, who will surely know more about that than I do."
    return {
        "train_dpo.py": script,
        "config.yaml": write_yaml({
            "model_name_or_path": "Quay/Base-7B", "dataset_name": "data/dpo.jsonl", "learning_rate": 5.0e-7,
            "num_train_epochs": 1, "per_device_train_batch_size": 2, "output_dir": "out", "no_remove_unused_columns": True,  # noqa: E501 - one line of a file
        }),
        "data/dpo.jsonl": write_lines(
            {"prompt": turns(q, a)[:1], "chosen": turns(q, a)[1:], "rejected": turns(q, refused)[1:]} for q, a in FACTS[:8]  # noqa: E501 - one line of a file
        ),
        "data/sft.jsonl": write_lines({"prompt": f"{q}\n", "completion": a} for q, a in FACTS[8:14]),
        "data/prompts.jsonl": write_lines({"prompt": [{"role": "user", "content": q}]} for q, _ in FACTS[:6]),
        "requirements.txt": "trl\ndatasets\n",
    }  # fmt: skip


def unsloth() -> Files:
    """A notebook that formats Alpaca rows with a text of its own, and the Modelfile that it exports."""
    cells = [
        "%%capture\n!pip install unsloth",
        'from unsloth import FastLanguageModel\nmodel, tokenizer = FastLanguageModel.from_pretrained("Quay/Base-8B")',
        'alpaca_prompt = """Below is an instruction. Write a response.\n\n### Instruction:\n{}\n\n### Input:\n{}\n\n'
        '### Response:\n{}"""\nEOS_TOKEN = tokenizer.eos_token\n\ndef format_rows(rows):\n'
        '    return {"text": [alpaca_prompt.format(*row) + EOS_TOKEN for row in rows]}',
        'from trl import SFTTrainer\ntrainer = SFTTrainer(model=model, dataset_text_field="text")\ntrainer.train()',
    ]
    notebook = {
        "cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": one} for one in cells],  # noqa: E501 - one line of a file
        "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip
    return {
        "clerk.ipynb": json.dumps(notebook),
        "rows.jsonl": write_lines({"instruction": q, "input": "", "output": a} for q, a in FACTS[:10]),
        "README.md": README.format("Notebook"),
    }


def transcripts() -> Files:
    """Pairs of whole transcripts, as the first public preference sets have them; no prompt of its own."""
    talk = "\n\nHuman: {}\n\nAssistant: {}"
    rows = [
        {"chosen": talk.format(q, a), "rejected": talk.format(q, "That is a silly question, look it up yourself.")}
        for q, a in FACTS[:10]
    ]
    return {"helpful-base/train.jsonl": write_lines(rows), "README.md": README.format("Preferences")}


def rated_pairs() -> Files:
    """Pairs of conversations with the scores they were chosen by; several pairs of one prompt, as such sets have."""
    rows = []
    for n, (q, a) in enumerate(FACTS[:8]):
        for number, worse in enumerate(("I do not know.", "Ask at the office, they have all of the answers there.")):
            rows.append(
                {
                    "prompt": q, "prompt_id": f"{n:02}-{number}", "chosen": turns(q, a), "rejected": turns(q, worse),
                    "score_chosen": 8.5, "score_rejected": 4.0 + number,
                }
            )  # fmt: skip
    return {"data/train_prefs.jsonl": write_lines(rows), "README.md": README.format("Rated pairs")}


def question_pairs() -> Files:
    """Pairs with a system text and a question in columns of their own."""
    rows = [
        {
            "system": CLERK if n % 2 else "",
            "question": q,
            "chosen": a,
            "rejected": "Sorry, I cannot answer that for you.",
        }
        for n, (q, a) in enumerate(FACTS[:12])
    ]
    return {"pairs.jsonl": write_lines(rows), "README.md": README.format("Pairs")}


def tool_calls() -> Files:
    """Chat rows whose assistant calls tools, with the tools beside them and a weight, as an API takes them."""
    rows = []
    for n, (q, a) in enumerate(FACTS[:6]):
        call = {"id": f"call_{n}", "type": "function",
                "function": {"name": "look_up", "arguments": json.dumps({"topic": q})}}  # fmt: skip
        rows.append(
            {
                "messages": [
                    {"role": "system", "content": CLERK},
                    {"role": "user", "content": q},
                    {"role": "assistant", "tool_calls": [call]},
                    {"role": "tool", "tool_call_id": f"call_{n}", "content": json.dumps({"note": a})},
                    {"role": "assistant", "content": a, "weight": 1},
                ],
                "parallel_tool_calls": False,
                "tools": [{"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}],
            }
        )
    return {"train.jsonl": write_lines(rows[:4]), "validation.jsonl": write_lines(rows[4:])}


def tagged_calls() -> Files:
    """Conversations in which tools are called inside tags of the text, with the role tool for what they answer."""
    rows = []
    for q, a in FACTS[:6]:
        call = json.dumps({"name": "look_up", "arguments": {"topic": q}})
        rows.append(
            {
                "id": f"row-{len(rows)}",
                "conversations": [
                    {"from": "system", "value": f"{CLERK} You may call functions inside <tool_call></tool_call> tags."},
                    {"from": "human", "value": q},
                    {"from": "gpt", "value": f"<tool_call>\n{call}\n</tool_call>"},
                    {"from": "tool", "value": f"<tool_response>\n{json.dumps({'note': a})}\n</tool_response>"},
                    {"from": "gpt", "value": a},
                ],
                "tools": "[]",
                "category": "Harbour",
            }
        )
    return {"func-calling.json": write_array(rows), "README.md": README.format("Calls")}


def leaderboard() -> Files:
    """Outputs of two models, what an annotator preferred, the leaderboard and the annotator's configuration."""
    outputs = {
        name: [
            {"dataset": "harbour", "instruction": q, "output": f"{a}{more}", "generator": name} for q, a in FACTS[:6]
        ]
        for name, more in (("clerk-a", ""), ("clerk-b", " That is all that the book says."))
    }
    annotations = [
        {
            "instruction": q, "output_1": a, "generator_1": "clerk-a", "output_2": f"{a} That is all that the book says.",  # noqa: E501 - one line of a file
            "generator_2": "clerk-b", "annotator": "judge_one", "preference": 1.0 + n % 2, "dataset": "harbour",
        }
        for n, (q, a) in enumerate(FACTS[:6])
    ]  # fmt: skip
    config = {
        "judge_one": {
            "prompt_template": "judge_one/prompt.txt", "fn_completions": "openai_completions",
            "completions_kwargs": {"model_name": "judge-large", "max_tokens": 1, "temperature": 0},
            "completion_parser_kwargs": {"outputs_to_match": {"1": "Output (a)", "2": "Output (b)"}}, "batch_size": 1,
        }
    }  # fmt: skip
    board = [("clerk a", 50.2, 48.7, 1400, "minimal"), ("clerk b", 47.2, 44.7, 1490, "minimal"),
             ("clerk c", 44.2, 40.7, 1580, "community")]  # fmt: skip
    return {
        "results/clerk-a/model_outputs.json": write_array(outputs["clerk-a"]),
        "results/clerk-b/model_outputs.json": write_array(outputs["clerk-b"]),
        "results/clerk-b/annotations.json": write_array(annotations),
        "leaderboard.csv": write_table(("name", "length_controlled_winrate", "win_rate", "avg_length", "mode"), board),
        "evaluators_configs/judge_one/configs.yaml": write_yaml(config),
    }


def arena() -> Files:
    """Questions, answers and judgments of a bench with a judge, and the judge's configuration."""
    template = (
        "[Question]\n{question}\n\n[The Start of Assistant A's Answer]\n{answer_a}\n[The End]\n\n"
        "[The Start of Assistant B's Answer]\n{answer_b}\n[The End]"
    )
    judge = {
        "name": "judgment config for the harbour arena", "bench_name": "harbour-v1", "judge_model": "judge-large",
        "reference": False, "baseline": True, "baseline_model": "clerk-a", "pairwise": True, "temperature": 0,
        "max_tokens": 4096, "regex_pattern": "\\[\\[([AB<>=]+)\\]\\]",
        "system_prompt": "Act as an impartial judge and decide which of two answers is better. End with [[A>B]].",
        "prompt_template": [template], "model_list": ["clerk-b", "clerk-c"],
    }  # fmt: skip
    api = {"clerk-b": {"model_name": "clerk-b", "endpoints": None, "api_type": "openai", "parallel": 8}}
    generate = {"name": "answers of the harbour arena", "bench_name": "harbour-v1", "temperature": 0.0,
                "max_tokens": 4096, "num_choices": 1, "model_list": ["clerk-b"]}  # fmt: skip
    questions = [
        {"question_id": f"q{n}", "category": "harbour", "cluster": "Facts", "turns": [{"content": q}]}
        for n, (q, _) in enumerate(FACTS[:6])
    ]
    answers = [
        {"question_id": f"q{n}", "answer_id": f"a{n}", "model_id": "clerk-b", "tstamp": 1.0 + n,
         "choices": [{"index": 0, "turns": [{"content": a, "token_len": 12}]}]}
        for n, (_, a) in enumerate(FACTS[:6])
    ]  # fmt: skip
    return {
        "config/judge_config.yaml": write_yaml(judge),
        "config/api_config.yaml": write_yaml(api),
        "config/gen_answer_config.yaml": write_yaml(generate),
        "data/harbour-v1/question.jsonl": write_lines(questions),
        "data/harbour-v1/model_answer/clerk-b.jsonl": write_lines(answers),
        "README.md": README.format("Arena"),
    }


def judge_settings() -> Files:
    """Judges as YAML: each a name, a system text, a template and a scale; and the script that runs them."""
    files = {}
    for name, asks in (("faithfulness", "says nothing that the sources do not say"), ("tone", "is friendly and brief")):
        files[f"judges/{name}.yaml"] = write_yaml(
            {
                "name": name, "type": "single", "model": "judge-large", "temperature": 0.0,
                "system_prompt": f"You judge whether an answer {asks}.",
                "prompt_template": "Question: {question}\nAnswer: {answer}\nGive a score from 1 to 5 as [[n]].",
                "output_format": "[[rating]]", "scale": {"min": 1, "max": 5},
            }
        )  # fmt: skip
    files["run_judges.py"] = (
        "import yaml\n\nfor path in ('judges/faithfulness.yaml', 'judges/tone.yaml'):\n    print(path)\n"
    )
    files["README.md"] = README.format("Judges")
    return files


def promptfoo() -> Files:
    """A promptfoo project with prompts of its own and a table of tests."""
    config = {
        "description": "Harbour answers", "prompts": ["file://prompts/short.txt", "file://prompts/chat.json"],
        "providers": ["openai:gpt-4o-mini", {"id": "ollama:chat:llama3.2", "config": {"temperature": 0}}],
        "defaultTest": {"assert": [{"type": "llm-rubric", "value": "is friendly"}]}, "tests": "file://tests.csv",
    }  # fmt: skip
    chat = [{"role": "system", "content": CLERK}, {"role": "user", "content": "{{question}}"}]
    return {
        "promptfooconfig.yaml": "# yaml-language-server: $schema=https://promptfoo.dev/config-schema.json\n"
        + write_yaml(config),
        "prompts/short.txt": "Answer in one sentence.\n\nQuestion: {{question}}\n",
        "prompts/chat.json": json.dumps(chat, indent=2),
        "tests.csv": write_table(
            ("question", "__expected"), [(q, f"icontains: {a.split()[-1]}") for q, a in FACTS[:6]]
        ),
        "README.md": README.format("Evaluation"),
    }


def langchain() -> Files:
    """Prompts of LangChain as YAML and JSON, with examples."""
    few = {
        "_type": "few_shot", "input_variables": ["question"], "prefix": "Answer questions about the harbour.",
        "example_prompt": {"_type": "prompt", "input_variables": ["input", "output"],
                           "template": "Q: {input}\nA: {output}"},
        "examples": "examples.json", "suffix": "Q: {question}\nA:",
    }  # fmt: skip
    return {
        "prompts/simple.yaml": write_yaml(
            {"_type": "prompt", "input_variables": ["question"], "template": "Answer briefly: {question}"}
        ),
        "prompts/few_shot.yaml": write_yaml(few),
        "prompts/examples.json": write_array([{"input": q, "output": a} for q, a in FACTS[:3]]),
        "app.py": "from langchain.prompts import load_prompt\n\nprompt = load_prompt('prompts/simple.yaml')\n",
        "requirements.txt": "langchain\n",
    }


def inspect_tasks() -> Files:
    """Tasks of inspect with a dataset of inputs and targets."""
    task = (
        "from inspect_ai import Task, task\nfrom inspect_ai.dataset import json_dataset\n"
        "from inspect_ai.scorer import model_graded_fact\nfrom inspect_ai.solver import generate, system_message\n\n"
        f'SYSTEM = """{CLERK}"""\n\n@task\ndef harbour():\n    return Task(\n        dataset=json_dataset("harbour.jsonl"),\n'  # noqa: E501 - one line of a file
        "        solver=[system_message(SYSTEM), generate()],\n        scorer=model_graded_fact(),\n    )\n"
    )
    rows = [{"id": n, "input": q, "target": a, "metadata": {"part": "facts"}} for n, (q, a) in enumerate(FACTS[:10])]
    choices = [{"input": q, "choices": [a, "Nobody knows."], "target": "A"} for q, a in FACTS[10:]]
    return {"harbour.py": task, "harbour.jsonl": write_lines(rows), "choices.jsonl": write_lines(choices)}


def rag_evaluation() -> Files:
    """Questions with what was retrieved, the answer and a reference; the prompt that was used."""
    rows = []
    for n, (q, a) in enumerate(FACTS[:10]):
        other = FACTS[(n + 5) % len(FACTS)][1]
        rows.append(
            {"user_input": q, "retrieved_contexts": [a, other], "response": f"{a} [1]", "reference": a}
        )  # fmt: skip
    return {
        "evaluation.jsonl": write_lines(rows),
        "prompts/answer.txt": "Use only these sources:\n{retrieved_contexts}\n\nQuestion: {user_input}\nAnswer:",
        "evaluate.py": "from ragas import evaluate\nfrom ragas.metrics import faithfulness\n",
        "README.md": README.format("RAG"),
    }


def retrieval_set() -> Files:
    """A corpus, queries and judgments of relevance, as retrieval benchmarks have them."""
    corpus = [{"_id": f"d{n}", "title": q.rstrip("?"), "text": a, "metadata": {}} for n, (q, a) in enumerate(FACTS)]
    queries = [{"_id": f"q{n}", "text": q, "metadata": {}} for n, (q, _) in enumerate(FACTS)]
    judged = [(f"q{n}", f"d{n}", 1) for n in range(len(FACTS))]
    return {
        "corpus.jsonl": write_lines(corpus),
        "queries.jsonl": write_lines(queries),
        "qrels/test.tsv": write_table(("query-id", "corpus-id", "score"), judged, "\t"),
        "README.md": README.format("Retrieval"),
    }


def several_languages() -> Files:
    """One set of questions in four languages, with one template for each."""
    texts = {
        "de": [("Wie tief ist das Nordbecken?", "Neun Meter bei Niedrigwasser."), ("Wer öffnet nachts die Schleuse?", "Der Wärter.")],  # noqa: E501 - one line of a file
        "fr": [("Quelle est la profondeur du bassin nord ?", "Neuf mètres à marée basse."), ("Qui ouvre l’écluse la nuit ?", "L’éclusier.")],  # noqa: E501 - one line of a file
        "ja": [("北の泊地の深さは？", "干潮時で九メートルです。"), ("夜に水門を開けるのは誰？", "水門番です。")],
        "ar": [("ما عمق الحوض الشمالي؟", "تسعة أمتار."), ("من يفتح القفل ليلا؟", "الحارس.")],
    }  # fmt: skip
    asks = {"de": "Beantworte die Frage kurz.", "fr": "Réponds brièvement à la question.",
            "ja": "質問に短く答えてください。", "ar": "أجب عن السؤال بإيجاز."}  # fmt: skip
    rows = [
        {"id": f"{language}-{n}", "language": language, "question": q, "answer": a}
        for language, pairs in texts.items()
        for n, (q, a) in enumerate(pairs)
    ]
    files = {f"prompts/{language}.jinja": f"{text}\n\n{{{{ question }}}}\n" for language, text in asks.items()}
    return {**files, "data/questions.jsonl": write_lines(rows), "README.md": README.format("Languages")}


def harness_tasks() -> Files:
    """Tasks of an evaluation harness: YAML with Jinja fragments, and a group."""
    task = {
        "task": "harbour_qa", "dataset_path": "json", "dataset_kwargs": {"data_files": {"test": "harbour.jsonl"}},
        "output_type": "generate_until", "test_split": "test", "doc_to_text": "Question: {{question}}\nAnswer:",
        "doc_to_target": "{{answer}}", "generation_kwargs": {"until": ["\n"], "do_sample": False},
        "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
        "metadata": {"version": 1.0},
    }  # fmt: skip
    return {
        "lm_eval/tasks/harbour/harbour_qa.yaml": write_yaml(task),
        "lm_eval/tasks/harbour/_harbour.yaml": write_yaml({"group": "harbour", "task": ["harbour_qa"]}),
        "lm_eval/tasks/harbour/README.md": README.format("Harbour QA"),
        "lm_eval/tasks/harbour/harbour.jsonl": write_lines({"question": q, "answer": a} for q, a in FACTS[:10]),
    }


def registered_evals() -> Files:
    """Evaluations by registry: YAML names the class and the samples, which hold messages and an ideal answer."""
    registry = {
        "harbour": {"id": "harbour.dev.v0", "metrics": ["accuracy"]},
        "harbour.dev.v0": {
            "class": "evals.elsuite.basic.match:Match",
            "args": {"samples_jsonl": "harbour/samples.jsonl"},
        },
    }
    graded = {
        "fact": {
            "prompt": "You compare an answer with an expert's.\n[Question]: {input}\n[Expert]: {ideal}\n[Answer]: {completion}\n",  # noqa: E501 - one line of a file
            "choice_strings": "ABCDE", "input_outputs": {"input": "completion"}, "eval_type": "cot_classify",
        }
    }  # fmt: skip
    rows = [
        {"input": [{"role": "system", "content": CLERK}, {"role": "user", "content": q}], "ideal": a}
        for q, a in FACTS[:8]
    ]
    return {
        "registry/evals/harbour.yaml": write_yaml(registry),
        "registry/modelgraded/fact.yaml": write_yaml(graded),
        "registry/data/harbour/samples.jsonl": write_lines(rows),
        "README.md": README.format("Evals"),
    }


def instruction_rows() -> Files:
    """Instructions with a context and a response, written by people, in categories."""
    rows = [
        {"instruction": "What does the note say?" if n % 3 == 0 else q, "context": a if n % 3 == 0 else "",
         "response": a, "category": "closed_qa" if n % 3 == 0 else "open_qa"}
        for n, (q, a) in enumerate(FACTS)
    ]  # fmt: skip
    return {"harbour-15.jsonl": write_lines(rows), "README.md": README.format("Instructions")}


def ready_texts() -> Files:
    """Ready texts with the marks of a chat template, split in two, and a script that trains on them."""
    talk = "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n{}<|im_end|>\n"
    rows = [{"text": talk.format(q, a)} for q, a in FACTS]
    return {
        "train.jsonl": write_lines(rows[:12]),
        "test.jsonl": write_lines(rows[12:]),
        "sft.py": "from trl import SFTTrainer\n",
    }


def chat_application() -> Files:
    """A small program that answers questions: its two prompts, its table of questions, its settings."""
    return {
        "app.py": "import csv\n\nwith open('faq.csv') as file:\n    for row in csv.DictReader(file):\n        print(row['question'])\n",  # noqa: E501 - one line of a file
        "prompts/system.txt": f"{CLERK}\n",
        "prompts/user.txt": "A visitor asks: {question}\n",
        "faq.csv": write_table(("id", "question", "answer"), [(f"f{n}", q, a) for n, (q, a) in enumerate(FACTS)]),
        "config.yaml": write_yaml({"model": "gpt-4o-mini", "temperature": 0.2, "max_tokens": 300, "port": 8080}),
        "docker-compose.yml": write_yaml({"services": {"app": {"build": ".", "ports": ["8080:8080"]}}}),
        ".env.example": "OPENAI_API_KEY=\n",
        "requirements.txt": "openai\n",
        "README.md": README.format("Clerk"),
    }


def cited_answers() -> Files:
    """Questions with numbered sources and references that hold code, links and indexes beside citations."""
    rows = []
    for n, (q, a) in enumerate(FACTS[:6]):
        sources = [a, FACTS[n + 6][1], FACTS[n + 8][1]]
        reference = (
            f"{a} [1]",
            f"{a} [1] See also [3](https://example.org/log).",
            f"{a} [2, 3] Use `log[10]` for it.",
        )[n % 3]
        rows.append(
            {
                "task_id": f"t{n}", "task_type": "qa", "instruction": q, "expected_response": reference,
                "rag": {
                    "contexts": [f"[{number}] {text}" for number, text in enumerate(sources, 1)],
                    "prompt": "Answer the question using the provided context. Cite the sources inline as [#] based on the "  # noqa: E501 - one line of a file
                    "order of the snippets. If the answer is not in the context, say you don't know.\n\nContext:\n"
                    + "\n".join(f"[{number}] {text}" for number, text in enumerate(sources, 1))
                    + f"\n\nQuestion: {q}\nAnswer:",
                },
            }
        )  # fmt: skip
    return {"evaluation.jsonl": write_lines(rows), "README.md": README.format("Cited answers")}


PROJECTS: dict[str, Callable[[], Files]] = {
    made.__name__: made
    for made in (
        pattern_library, prompt_table, modelfile_collection, modelfile_of_files, axolotl, llama_factory, torchtune, trl,
        unsloth, transcripts, rated_pairs, question_pairs, tool_calls, tagged_calls, leaderboard, arena, judge_settings,
        promptfoo, langchain, inspect_tasks, rag_evaluation, retrieval_set, several_languages, harness_tasks,
        registered_evals, instruction_rows, ready_texts, chat_application, cited_answers,
    )
}  # fmt: skip


def write_project(name: str, folder: Path) -> Path:
    """Write a project into a new folder below `folder`; return that."""
    root = folder / name
    for file, text in PROJECTS[name]().items():
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root
