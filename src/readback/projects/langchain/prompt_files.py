"""Files that `load_prompt` reads: `_type` prompt, few_shot or chat, with what they name beside them.

What LangChain refuses for its own safety - a Jinja template, a template that is no .txt file - is built all the same,
and `refused` says so. Source: langchain_core 1.7.2, prompts/loading.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from readback.projects.langchain import texts
from readback.projects.langchain.faults import Unloadable
from readback.projects.langchain.plan import Json, make_chat, make_few_shot, make_prompt_of_text, make_text
from readback.readers.files.paths import format_relative, resolve
from readback.readers.files.text_file import read_text
from readback.readers.yaml.yaml_decode import decode
from readback.types import Diagnostic

DEEP = 8  # prompts that name prompts
JINJA_REFUSED = "load_prompt refuses Jinja templates in files"
OF_FEW_SHOT = frozenset({
    "input_variables", "optional_variables", "input_types", "output_parser", "partial_variables", "metadata", "tags",
    "examples", "example_selector", "validate_template", "example_prompt", "suffix", "example_separator", "prefix",
    "template_format", "name",
})  # fmt: skip


@dataclass(slots=True)
class Reading:
    """A file that is being read: where it is, what was read beside it, why LangChain would not load it."""

    root: Path
    folder: Path
    refused: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    unsent: int = 0  # messages of a chat that LangChain does not look at
    depth: int = 0

    def find(self, name: Any) -> Path:
        """Return the file that a prompt names: beside it, else from the workspace; raises Unloadable."""
        if not isinstance(name, str):
            raise Unloadable("a path in it is no text")
        if ".." in PurePosixPath(name).parts:
            raise Unloadable(f"the path {name} contains '..'")
        path = resolve(self.root, name, base=self.folder)
        if isinstance(path, Diagnostic):
            again = resolve(self.root, name)
            if isinstance(again, Diagnostic):
                raise Unloadable(f"{name} cannot be read: {path.values['reason']}")
            path = again
        self.files.append(format_relative(self.root, path))
        return path

    def read(self, path: Path) -> str:
        """Return the text of a file with its line ends as LF; raises Unloadable."""
        name = format_relative(self.root, path)
        text, diagnostics = read_text(path, name)
        if text is None:
            raise Unloadable(f"{name} cannot be read" + "".join(f" ({each.code})" for each in diagnostics))
        return text.replace("\r\n", "\n").replace("\r", "\n")


def read_prompt_file(value: Mapping[str, Any], reading: Reading) -> Json:
    """Return the prompt in a configuration; raises Unloadable."""
    config = dict(value)
    kind = config.pop("_type", "prompt")
    loaders = {"prompt": _read_prompt, "few_shot": _read_few_shot, "chat": _read_chat}
    if not isinstance(kind, str) or kind not in loaders:
        raise Unloadable(f"its _type is {kind!r}; LangChain loads {', '.join(loaders)}")
    return loaders[kind](config, reading)


def _read_prompt(config: Json, reading: Reading) -> Json:
    _take_template("template", config, reading)
    _check_parser(config)
    language = config.get("template_format", texts.F_STRING)
    if language == texts.JINJA:
        reading.refused.append(JINJA_REFUSED)
    return make_prompt_of_text(make_text(config, language))


def _read_few_shot(config: Json, reading: Reading) -> Json:
    _take_template("suffix", config, reading)
    _take_template("prefix", config, reading)
    if "example_prompt_path" in config:
        if "example_prompt" in config:
            raise Unloadable("only one of example_prompt and example_prompt_path may be there")
        path = reading.find(config.pop("example_prompt_path"))
        inner = _decode(reading.read(path), path)
    else:
        inner = config.get("example_prompt")
    if not isinstance(inner, dict):
        raise Unloadable("its example_prompt is missing, or is no mapping")
    reading.depth += 1
    if reading.depth > DEEP:
        raise Unloadable("its example prompts name each other")
    example = read_prompt_file(inner, reading)
    if "text" not in example or "examples" in example["text"]:
        raise Unloadable("its example_prompt is no prompt of one template")
    if isinstance(config.get("examples"), str):
        path = reading.find(config["examples"])
        if path.suffix not in (".json", ".yaml", ".yml"):
            raise Unloadable(f"its examples are in {path.name}; LangChain reads JSON and YAML")
        config["examples"] = _decode(reading.read(path), path)
    _check_parser(config)
    if unknown := sorted(str(key) for key in config.keys() - OF_FEW_SHOT):
        raise Unloadable(f"a few_shot prompt has no {', '.join(unknown)}")
    if config.get("example_selector") is not None:
        raise Unloadable("its examples are chosen by code")
    return make_prompt_of_text(make_few_shot(config, example["text"]), "FewShotPromptTemplate")


def _read_chat(config: Json, reading: Reading) -> Json:
    """Read the first message's template, which is all that LangChain takes, and sends as the user."""
    messages = config.get("messages")
    if "input_variables" not in config:
        raise Unloadable("a chat in a file has to name its input_variables")
    if isinstance(messages, list) and messages:
        first = messages[0]
    else:
        first = None
    if isinstance(first, dict):
        inner = first.get("prompt")
    else:
        inner = None
    if not isinstance(inner, dict) or not inner.get("template"):
        raise Unloadable("a chat cannot be loaded without the template of its first message")
    if isinstance(messages, list):
        reading.unsent = len(messages) - 1
    else:
        reading.unsent = 0
    about = {**config, "template": inner["template"], "partial_variables": config.get("partial_variables") or {}}
    text = make_text(about, config.get("template_format", texts.F_STRING))
    return make_chat([{"role": "user", "text": text}], {})


def _take_template(name: str, config: Json, reading: Reading) -> None:
    """Put the text of a file that is named in the place of its name."""
    key = f"{name}_path"
    if key not in config:
        return
    if name in config:
        raise Unloadable(f"both {name} and {key} are there")
    path = reading.find(config.pop(key))
    if path.suffix != ".txt":
        reading.refused.append(f"its {key} is {path.name}; LangChain reads .txt files only")
    config[name] = reading.read(path)


def _check_parser(config: Mapping[str, Any]) -> None:
    parser = config.get("output_parser")
    if parser and not (isinstance(parser, dict) and parser.get("_type") == "default"):
        raise Unloadable("its output_parser is not the default one")


def _decode(text: str, path: Path) -> Any:
    decoded = decode({"text": text, "json": path.suffix == ".json"})
    if decoded["value"] is None:
        raise Unloadable(f"{path.name} cannot be read as {'JSON' if path.suffix == '.json' else 'YAML'}")
    return decoded["value"]
