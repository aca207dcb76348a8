"""Whole model folders against transformers: equal bytes, or no text on both sides and the reason said."""

from __future__ import annotations

import importlib
import json
import os
from datetime import date
from pathlib import Path
from typing import Any

import model_folders
import pytest

from readback.serving.chat import model_input as chat

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
os.environ["HF_HUB_OFFLINE"] = "1"

FOLDERS = dict(model_folders.folders())
TODAY = "2026-05-01"
CASES = [
    (name, options)
    for i, name in enumerate(model_folders.CONVERSATIONS)
    for j, options in enumerate(model_folders.OPTIONS)
    if (i + j) % 2 == 0 or name in ("one", "system", "empty")
]


def test_there_are_sixty_folders() -> None:
    assert len(FOLDERS) == 60


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_gives_the_text_of_transformers_or_none(tmp_path: Path, name: str) -> None:
    transformers = _transformers()
    root = model_folders.write_folder(tmp_path, FOLDERS[name])
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(root))
    template = chat.read(root, root)
    for conversation, options in CASES:
        messages = model_folders.CONVERSATIONS[conversation]
        expected, refused = _by_transformers(tokenizer, messages, options)
        asks = bool(options.get("add_generation_prompt"))
        values = {key: one for key, one in options.items() if key != "add_generation_prompt"}
        made = chat.build_model_input(
            template, (), today=TODAY, add_generation_prompt=asks, values={**values, "messages": messages}
        )
        if expected is None:
            assert (made.segments, len(made.diagnostics)) == ((), 1), (conversation, options, refused)
            assert made.diagnostics[0].values["reason"], (conversation, options, refused)
        else:
            assert (made.text, made.diagnostics) == (expected, ()), (conversation, options)


@pytest.mark.realdata
def test_the_makers_templates_give_the_text_of_transformers_or_none(tmp_path: Path, shared: Path) -> None:
    transformers = _transformers()
    every = sorted((shared / "data" / "chat_templates").glob("*.jinja"))
    assert len(every) == 6
    for path in every:
        config = json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>", "eos_token": "</s>"})
        files = {"tokenizer_config.json": config, "tokenizer.json": model_folders.tokenizer_json()}
        files["chat_template.jinja"] = path.read_text("utf-8")
        root = model_folders.write_folder(tmp_path / path.stem, files)
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(root))
        template = chat.read(root, root)
        for conversation, options in CASES:
            messages = model_folders.CONVERSATIONS[conversation]
            expected, refused = _by_transformers(tokenizer, messages, {**options, "date_string": "2 May 2026"})
            asks = bool(options.get("add_generation_prompt"))
            values = {key: one for key, one in options.items() if key != "add_generation_prompt"}
            values |= {"messages": messages, "date_string": "2 May 2026"}
            day = date.today().isoformat()
            made = chat.build_model_input(template, (), today=day, add_generation_prompt=asks, values=values)
            assert (made.text or None) == (expected or None), (path.name, conversation, options, refused)


def _transformers() -> Any:
    """The library; where it is not installed the test is left out, but never in continuous integration."""
    return importlib.import_module("transformers") if "CI" in os.environ else pytest.importorskip("transformers")


def _by_transformers(tokenizer: Any, messages: Any, options: Any) -> tuple[str | None, str]:
    try:
        return tokenizer.apply_chat_template(messages, tokenize=False, **options), ""
    except Exception as error:  # whatever stops it: there is no text
        return None, f"{type(error).__name__}: {error}"
