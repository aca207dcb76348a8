"""Workspaces of somebody who wants to read other files of this machine: links, paths, archives, repositories, tags."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

CANARY = "canary-that-nobody-may-see"  # in every file outside
CHATML = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
ROW = {"id": "1", "question": "Why?", "answer": "Smith v. Jones, 410 U.S. 113 (1973)", "contexts": ["one", "two"]}


def outside(folder: Path) -> None:
    """Files beside a workspace that must never be read; each is of a kind that would be understood."""
    folder.mkdir(parents=True)
    row = {
        **ROW,
        "id": CANARY,
        "question": CANARY,
        "condition": "c",
        "record": "1",
        "criterion": "relevance",
        "score": 1,
    }
    lines = json.dumps(row) + "\n"
    texts = {
        "d.jsonl": lines,
        "d.csv": f"id,question\n{CANARY},{CANARY}\n",
        "d.json": json.dumps([row]),
        "t.jinja": f"{CANARY} {{{{ question }}}}",
        "s.txt": CANARY,
        "plan.yaml": f"conditions: [{{name: {CANARY}}}]\n",
        "Modelfile": f'FROM {CANARY}\nSYSTEM """{CANARY}"""\nTEMPLATE """{CANARY} {{{{ .Prompt }}}}"""\n',
        "Modelfile.base": f'FROM x\nSYSTEM """{CANARY}"""\n',
        "tokenizer.json": json.dumps({"version": "1.0", "model": {"type": "BPE", "vocab": {CANARY: 0}, "merges": []}}),
        "tokenizer_config.json": json.dumps({"chat_template": f"{CANARY} {CHATML}", "bos_token": CANARY}),
        "chat_template.jinja": f"{CANARY} {CHATML}",
        "chat_template.json": json.dumps({"chat_template": f"{CANARY} {CHATML}"}),
        "judge.py": f'RAG_PROMPT = """{CANARY} {{question}} {{answer}}"""\n',
        "judge.yml": f"system: {CANARY}\nuser: '{CANARY} {{{{ question }}}}'\n",
        "train.py": f'messages = [{{"role": "system", "content": "{CANARY}"}}]\n',
        "nb.ipynb": json.dumps({"cells": [{"cell_type": "code", "source": [f'SYSTEM_PROMPT = "{CANARY}"\n'],
                                           "metadata": {}, "outputs": []}], "metadata": {}, "nbformat": 4}),
        "adapter.yml": f"name: house\nfragments: {{A: {CANARY}}}\n",
        "schema.json": json.dumps({"title": CANARY}),
        "prompt_config.yml": f"prompts: [{{mode: m, template: t.jinja, system_prompt: {CANARY}}}]\n",
        "readback.yml": f"name: {CANARY}\nmodes: [{{mode: {CANARY}, template: {CANARY}}}]\n",
        "messages.jsonl": json.dumps({"messages": [{"role": "user", "content": CANARY}]}) + "\n",
        ".gitconfig": "[core]\n\tpager = cat\n",
    }  # fmt: skip
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    (folder / "d.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    pq.write_table(pa.Table.from_pylist([row]), folder / "d.parquet")
    for name in ("blobs", "snapshots/r", "refs"):
        (folder / "models--them" / name).mkdir(parents=True)
    for name in texts:
        (folder / "models--them" / "blobs" / name).write_text(texts[name], "utf-8")
        (folder / "models--them" / "snapshots" / "r" / name).symlink_to(f"../../blobs/{name}")
    (folder / "models--them" / "refs" / "main").write_text("r")
    repository(folder, CANARY)


def repository(folder: Path, message: str) -> None:
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)


def git(folder: Path, *words: str) -> str:
    said = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "gc.auto=0", *words]
    return subprocess.run(said, check=True, capture_output=True, text=True).stdout.strip()


class Maker:
    """One workspace, from a seed; `ways` says what is in it."""

    def __init__(self, home: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.home, self.root, self.out = home, home / "ws", home / "outside"
        self.ways: list[str] = []
        self.number = 0

    def make(self) -> None:
        outside(self.out)
        self.root.mkdir()
        self._plain()
        drawn = self.chance.sample(WAYS, self.chance.randrange(3, 8))
        for way in sorted(drawn, key=lambda way: way is by_being_found):  # which leaves nothing for others to name
            self.ways.append(way.__name__)
            way(self)

    def write(self, name: str, content: str | bytes) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink():
            path.unlink()
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    def link(self, name: str, target: str | Path) -> str:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to(target)
        return name

    def lead(self, file: str) -> str:
        """A path, as a workspace can name it, that leads to a file outside."""
        self.number += 1
        there, stem = self.out / file, f"l{self.number}"
        ways: tuple[Callable[[], str], ...] = (
            lambda: f"../outside/{file}",
            lambda: str(there),
            lambda: f"sub/../../outside/{file}",
            lambda: f"./../outside/./{file}",
            lambda: f"~/{file}",
            lambda: f"file://{there}",
            lambda: f"..\\outside\\{file}",
            lambda: self.link(f"{stem}_{file}", there),
            lambda: self.link(f"{stem}_{file}", f"../outside/{file}"),
            lambda: self.link(f"deep/{stem}_{file}", f"../../outside/{file}"),
            lambda: f"{self.link(stem, self.out)}/{file}",
            lambda: self.link(f"{stem}_{file}", self.link(f"{stem}_first", there)),
            lambda: f"{self.link(f'models--{stem}', self.out / 'models--them')}/snapshots/r/{file}",
            lambda: f"{self.link(f'models--{stem}', self.out / 'models--them')}/blobs/{file}",
            lambda: self._blobs(f"models--{stem}", file),
            lambda: f"{self.link(f'models--{stem}/snapshots', self.out / 'models--them' / 'snapshots')}/r/{file}",
            lambda: self.link(f"{stem}_{file}", f"/proc/self/root{there}"),
            lambda: f"/proc/self/cwd/{there}",
        )
        return self.chance.choice(ways)()

    def _blobs(self, entry: str, file: str) -> str:
        self.link(f"{entry}/blobs", self.out / "models--them" / "blobs")
        return self.link(f"{entry}/{file}", f"blobs/{file}")

    def _plain(self) -> None:
        self.write("d.jsonl", "".join(json.dumps({**ROW, "id": str(n)}) + "\n" for n in range(3)))
        self.write("t.jinja", "Q: {{ question }}")
        self.said: dict[str, Any] = {
            "dataset": {"path": "d.jsonl"},
            "modes": [{"mode": "m", "system": "Be brief.", "template_file": "t.jinja"}],
            "models": {"tuned": {"type": "instruction_only", "serving": {"format": "llama-3"}, "tokenizer": "cl100k"}},
            "conditions": [{"name": "c", "mode": "m", "model": "tuned"}],
        }

    def finish(self) -> None:
        if not (self.root / "readback.yml").is_symlink() and self.said:
            self.write("readback.yml", json.dumps(self.said))


def in_the_dataset(my: Maker) -> None:
    file = my.chance.choice(("d.jsonl", "d.csv", "d.json", "d.jsonl.gz", "d.parquet"))
    my.said["dataset"] = {"path": my.lead(file)}


def in_a_template(my: Maker) -> None:
    my.said["modes"] = [{"mode": "m", "system_file": my.lead("s.txt"), "template_file": my.lead("t.jinja")}]


def in_a_plan(my: Maker) -> None:
    my.said["plan"] = my.lead("plan.yaml")


def inside_a_plan(my: Maker) -> None:
    my.said["plan"] = "plans/plan.yaml"
    my.write("plans/plan.yaml", json.dumps({
        "dataset": my.lead("d.jsonl"),
        "conditions": [{"name": "c", "model": "tuned", "prompt_file": my.lead("t.jinja"), "out": my.lead("d.jsonl")}],
        "models": {"tuned": {"modelfile": my.lead("Modelfile"), "path": my.lead("tokenizer.json")}},
        "evaluation": {"data_path": my.lead("d.jsonl"), "results_path": my.lead("d.jsonl")},
    }))  # fmt: skip


def in_prompts(my: Maker) -> None:
    files = ("prompt_config.yml", "adapter.yml", "judge.yml", "schema.json", "readback.yml", "nb.ipynb")
    my.said["prompts"] = [my.lead(my.chance.choice(files)) for _ in range(2)]


def inside_an_albert_configuration(my: Maker) -> None:
    modes = [{"mode": name, "template": my.lead("t.jinja"), "system_prompt": "x"} for name in ("rag", "simple")]
    my.write("prompt_config.yml", json.dumps({"prompts": modes}))
    my.said["prompts"] = ["prompt_config.yml"]


def in_a_template_that_includes(my: Maker) -> None:
    file = my.lead("t.jinja")
    text = my.chance.choice((
        f"{{% include {file!r} %}}", f"{{% extends {file!r} %}}", f"{{% import {file!r} as x %}}{{{{ x }}}}",
        f"{{% from {file!r} import x %}}", "{{ self.__init__.__globals__ }}", "{{ ''.__class__.__mro__ }}",
        f"{{{{ open({file!r}).read() }}}}", f"{{% include [{file!r}, 't.jinja'] ignore missing %}}",
        f"{{{{ question }}}} {{% set f = {file!r} %}}{{% include f %}}",
    ))  # fmt: skip
    my.write("t.jinja", text)


def in_a_model(my: Maker) -> None:
    serving = my.chance.choice((
        {"modelfile": my.lead("Modelfile")}, {"chat_template": my.lead("chat_template.jinja")},
        {"tokenizer_config": my.lead("tokenizer_config.json")}, {"chat_template": my.lead("tokenizer_config.json")},
    ))  # fmt: skip
    training = {"system": {"from": my.lead(my.chance.choice(("train.py", "nb.ipynb")))},
                "messages": my.lead("messages.jsonl"), "chat_template": my.lead("chat_template.jinja")}  # fmt: skip
    my.said["models"]["tuned"] |= {"serving": serving, "training": training, "tokenizer": my.lead("tokenizer.json")}


def in_the_folder_of_a_model(my: Maker) -> None:
    """The folder is the workspace's own; what a model's folder holds is a link."""
    for name in ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja", "chat_template.json"):
        if my.chance.random() < 0.7:
            my.link(f"model/{name}", my.out / name)
    if not (my.root / "model" / "tokenizer_config.json").is_symlink():
        my.write("model/tokenizer_config.json", json.dumps({"bos_token": "<s>"}))
    key = my.chance.choice(("chat_template", "tokenizer_config"))
    file = my.chance.choice(("model", "model/tokenizer_config.json"))
    my.said["models"]["tuned"] |= {"serving": {key: file}, "tokenizer": my.chance.choice(("model", file))}


def inside_a_modelfile(my: Maker) -> None:
    named = {"FROM": "Modelfile.base", "ADAPTER": "s.txt", "LICENSE": "s.txt", "TEMPLATE": "t.jinja", "SYSTEM": "s.txt"}
    my.write("Modelfile.tuned", "".join(f"{word} {my.lead(file)}\n" for word, file in named.items()))
    my.said["models"]["tuned"]["serving"] = {"modelfile": "Modelfile.tuned"}


def in_a_template_of_go(my: Maker) -> None:
    my.write("Modelfile.go", f'FROM x\nTEMPLATE """{{{{ template "{my.lead("t.jinja")}" }}}}{{{{ .Prompt }}}}"""\n')
    my.said["models"]["tuned"]["serving"] = {"modelfile": "Modelfile.go"}


def in_a_judge(my: Maker) -> None:
    prompts = my.chance.choice((my.lead("judge.py"), my.lead("judge.yml"),
                                {"system": my.lead("s.txt"), "user": my.lead("t.jinja")}))  # fmt: skip
    my.said["judges"] = {"j": {"prompts": prompts, "fields": {"question": "question"}}}


def inside_a_judge(my: Maker) -> None:
    my.write("judge.py", f'from pathlib import Path\nRAG_PROMPT = Path({my.lead("s.txt")!r}).read_text()\n'
                         f'OTHER_PROMPT = open({my.lead("s.txt")!r}).read() + "{{question}}"\n')  # fmt: skip
    my.said["judges"] = {"j": {"prompts": "judge.py"}}


def in_answers(my: Maker) -> None:
    my.said["conditions"][0]["answers"] = my.lead("d.jsonl")


def in_scores(my: Maker) -> None:
    files = [my.lead(name) for name in ("d.jsonl", "d.csv", "d.json", "d.parquet")]
    my.said["scores"] = [*files, "../outside/*.jsonl", "*.jsonl", "**/*.json", {"path": my.lead("d.jsonl.gz")}]


def in_logs(my: Maker) -> None:
    my.said["sent"] = [my.lead("messages.jsonl"), "l*", "../*/messages.jsonl", "/proc/self/environ"]


def in_training(my: Maker) -> None:
    my.said["training"] = {"train": [my.lead("messages.jsonl"), "deep/*"], "test": my.lead("messages.jsonl")}


def in_adapters(my: Maker) -> None:
    my.said |= {
        "adapters": [my.lead("adapter.yml")],
        "context": {"generation": {"json_schema": my.lead("schema.json")}},
    }


def in_a_training_script(my: Maker) -> None:
    source = f"SYSTEM_PROMPT = open({my.lead('s.txt')!r}).read()\nfrom {my.out.name} import x\n"
    my.write("train.py", source)
    cell = {"cell_type": "code", "source": [f"%run {my.lead('train.py')}\n", source], "metadata": {}, "outputs": []}
    my.write("nb.ipynb", json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4}))
    my.said["models"]["tuned"]["training"] = {"system": {"from": my.chance.choice(("train.py", "nb.ipynb"))}}


def in_yaml(my: Maker) -> None:
    file = my.lead("s.txt")
    my.write("prompt_config.yml", my.chance.choice((
        f"prompts: !!python/object/apply:builtins.open [{file}]\n", f"prompts: !include {file}\n",
        "prompts: [{mode: m, template: !!python/name:os.environ }]\n", "!!python/module:os\n",
        f"a: &a [x]\nprompts: [{{mode: m, template: !file {file}, system_prompt: *a}}]\n",
        f"prompts: !!python/object/new:os.system [cat {file}]\n",
    )))  # fmt: skip
    my.said["prompts"] = ["prompt_config.yml"]


def in_entities_of_citations(my: Maker) -> None:
    file = my.out / "s.txt"
    entities = f'<!ENTITY e SYSTEM "file://{file}"><!ENTITY % p SYSTEM "{file}"> %p;'
    text = (f"<!DOCTYPE a [{entities}]><em>Smith &e;</em> v. Jones, 410 U.S. 113 (1973) "
            f'<xi:include href="{file}" parse="text"/> <img src="file://{file}">')  # fmt: skip
    rows = [{"prompt": f"Question: {text}\nAnswer:", "completion": text, "document_text": text, "id": str(n)}
            for n in range(2)]  # fmt: skip
    my.write("train.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    my.said["training"] = ["train.jsonl"]


def in_data(my: Maker) -> None:
    """Values that name files: in rows, in archives, in Parquet's own descriptions."""
    row = {"id": "1", "question": my.lead("s.txt"), "prompt_file": my.lead("t.jinja"), "image": f"file://{my.out}/s.txt",
           "file": my.lead("d.jsonl"), "contexts": [my.lead("s.txt")]}  # fmt: skip
    my.write("d.jsonl.gz", gzip.compress((json.dumps(row) + "\n").encode()))
    table = pa.Table.from_pylist([row]).replace_schema_metadata({"path": str(my.out / "d.parquet")})
    out = io.BytesIO()
    pq.write_table(table, out)
    my.write("d.parquet", out.getvalue())
    my.said["dataset"] = {"path": my.chance.choice(("d.jsonl.gz", "d.parquet"))}


def in_results(my: Maker) -> None:
    """Files of runs that name the files beside them."""
    my.write("run/metadata.jsonl", json.dumps({
        "model_label": "c", "dataset": {"path": my.lead("d.jsonl")},
        "judge": {"prompt_path": my.lead("judge.py"), "inference_path": my.lead("d.jsonl"), "parameters": {}},
        "inference_path": my.lead("d.jsonl"), "results_path": my.lead("d.jsonl")}) + "\n")  # fmt: skip
    my.write("run/details.jsonl", json.dumps({"task_id": "1", "model_label": "c", "score": 1, "rationale": "x"}) + "\n")
    for name in ("metadata.jsonl", "details.jsonl", "summary.json", "metrics.json"):
        if my.chance.random() < 0.4:
            my.link(f"run/{name}", my.out / "d.jsonl")
    my.said["scores"] = ["run/*"]


def by_being_found(my: Maker) -> None:
    """No readback.yml: links under the names that are looked for."""
    my.said.clear()
    names = {"prompt_config.yml": "prompt_config.yml", "d.jsonl": "d.jsonl", "plan.yaml": "plan.yaml",
             "Modelfile.tuned": "Modelfile", "train.ipynb": "nb.ipynb", "prompts.py": "judge.py", "t.jinja": "t.jinja",
             "results/scores.csv": "d.csv", "tokenizer_config.json": "tokenizer_config.json",
             "chat_template.jinja": "chat_template.jinja", "tokenizer.json": "tokenizer.json", "x.parquet": "d.parquet",
             "x.jsonl.gz": "d.jsonl.gz", "data/messages.jsonl": "messages.jsonl"}  # fmt: skip
    for name in my.chance.sample(sorted(names), 8):
        my.link(name, my.out / names[name])


def by_its_own_file(my: Maker) -> None:
    my.link("readback.yml", my.out / "readback.yml")


def by_a_file_named_git(my: Maker) -> None:
    if not os.path.lexists(my.root / ".git"):
        my.write(".git", f"gitdir: {my.chance.choice((my.out / '.git', '../outside/.git'))}\n")


def by_a_link_named_git(my: Maker) -> None:
    if not os.path.lexists(my.root / ".git"):
        my.link(".git", my.chance.choice((my.out / ".git", Path("../outside/.git"))))


def by_a_repository(my: Maker) -> None:
    """A real repository that borrows, links, includes and runs."""
    if os.path.lexists(my.root / ".git"):
        return
    repository(my.root, "mine")
    home, theirs = my.root / ".git", my.out / ".git"
    head = git(my.out, "rev-parse", "HEAD")
    kind = my.chance.randrange(8)
    if kind == 0:
        (home / "objects" / "info" / "alternates").write_text(f"{theirs / 'objects'}\n")
    elif kind == 1:
        (home / "commondir").write_text(f"{theirs}\n")
    elif kind == 2:
        (home / "refs" / "heads" / "theirs").symlink_to(theirs / "refs" / "heads" / "main")
    elif kind == 3:
        (home / "objects" / head[:2]).mkdir(exist_ok=True)
        (home / "objects" / head[:2] / head[2:]).symlink_to(theirs / "objects" / head[:2] / head[2:])
    elif kind == 4:
        for name in ("include.path", "core.attributesFile", "core.excludesFile", "mailmap.file", "core.worktree"):
            git(my.root, "config", name, str(my.out / "s.txt" if name != "core.worktree" else my.out))
    elif kind == 5:
        for name in ("core.fsmonitor", "core.pager", "diff.external", "core.sshCommand", "core.hooksPath"):
            git(my.root, "config", name, f"cat {my.out / 's.txt'}")
        (home / "info" / "grafts").write_text(f"{head}\n")
    elif kind == 6:
        (home / "objects" / "info" / "http-alternates").write_text(f"{theirs / 'objects'}\n")
    else:
        (home / "config").unlink()
        (home / "config").symlink_to(theirs / "config")


WAYS: list[Callable[[Maker], None]] = [
    in_the_dataset, in_a_template, in_a_plan, inside_a_plan, in_prompts, inside_an_albert_configuration,
    in_a_template_that_includes, in_a_model, in_the_folder_of_a_model, inside_a_modelfile, in_a_template_of_go,
    in_a_judge, inside_a_judge, in_answers, in_scores, in_logs, in_training, in_adapters, in_a_training_script, in_yaml,
    in_entities_of_citations, in_data, in_results, by_being_found, by_its_own_file, by_a_file_named_git,
    by_a_link_named_git, by_a_repository,
]  # fmt: skip


def workspace(home: Path, seed: int) -> list[str]:
    """Make the workspace of that number in `home`/ws, with what it is after in `home`/outside; answers its ways."""
    made = Maker(home, seed)
    made.make()
    made.finish()
    return made.ways


def archive(folder: Path) -> bytes:
    """A workspace as a zip that keeps its links, and names that lead out besides."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            if path.is_symlink():
                info = zipfile.ZipInfo(name)
                info.external_attr = 0o120777 << 16
                packed.writestr(info, os.fsencode(path.readlink()))
            elif path.is_file():
                packed.write(path, name)
        for name in ("../up.txt", "/etc/absolute.txt", "a/../../up.txt", "C:\\x.txt"):
            packed.writestr(name, "x")
    return out.getvalue()
