"""What Ollama refuses or ignores when it builds a model from a Modelfile whose grammar is right.

Source: `CreateRequest` of ollama/ollama's parser and the options of its interface (MIT).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from readback.serving.modelfile.diagnostics import at
from readback.serving.modelfile.grammar import WORDS, Command
from readback.types import Diagnostic, Location

WHOLE = (
    "num_keep", "seed", "num_predict", "top_k", "repeat_last_n", "num_ctx", "num_batch", "num_gpu", "main_gpu",
    "num_thread", "draft_num_predict",
)  # fmt: skip
NUMBER = (
    "top_p", "min_p", "typical_p", "temperature", "repeat_penalty", "presence_penalty", "frequency_penalty",
)  # fmt: skip
KNOWN = (*WHOLE, *NUMBER, "use_mmap", "stop")
DEPRECATED = (
    "penalize_newline", "low_vram", "f16_kv", "logits_all", "vocab_only", "use_mlock", "mirostat", "mirostat_tau",
    "mirostat_eta",
)  # fmt: skip
OLDER = ("rope_frequency_base", "rope_frequency_scale", "num_gqa", "embedding_only", "tfs_z", "numa")  # refused now
LONGEST = 60  # characters of a name that are looked at and said
TRUTH = re.compile(r"1|t|T|TRUE|true|True|0|f|F|FALSE|false|False")
INTEGER = re.compile(r"[+-]?[0-9]+")
DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|infinity)|nan", re.IGNORECASE)
IDENTIFIERS = r"[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*"
# Minor and patch may be left out, as Go's semver package has it; what follows a patch needs all three.
VERSION = re.compile(rf"v?(0|[1-9]\d*)(\.(0|[1-9]\d*)(\.(0|[1-9]\d*)(-{IDENTIFIERS})?(\+{IDENTIFIERS})?)?)?", re.ASCII)


def built(command: Command, base: Location, starts: tuple[int, ...]) -> Iterator[Diagnostic]:
    """Why no model can be made with this command, or that the command has no effect."""
    place = at(base, starts, command.start)
    if command.name in DEPRECATED:
        yield Diagnostic("oll-deprecated-parameter", {"name": command.name}, place, command.name)
    elif reason := _refused(command):
        yield Diagnostic("oll-syntax", {"reason": reason}, place, f"{command.name} {command.args}"[:200])


def _refused(command: Command) -> str:
    name, value = command.name, command.args
    if name == "requires":
        return "" if VERSION.fullmatch(value) else f"REQUIRES must be a version such as 0.14.0, not '{value}'"
    if name in ("model", *WORDS):
        return ""
    if name not in KNOWN:
        return _unknown(name)
    if name in WHOLE and not INTEGER.fullmatch(value):
        return f"parameter {name} must be a whole number, not '{value}'"
    if name in NUMBER and not DECIMAL.fullmatch(value):
        return f"parameter {name} must be a number, not '{value}'"
    if name == "use_mmap" and not TRUTH.fullmatch(value):
        return f"parameter {name} must be true or false, not '{value}'"
    return ""


def _unknown(name: str) -> str:
    if name in OLDER:
        return f"unknown parameter '{name}' (older versions of Ollama knew it)"
    near = get_close_matches(name[:LONGEST], KNOWN, 1)
    name = name if len(name) <= LONGEST else f"{name[:LONGEST]}…"
    return f"unknown parameter '{name}'" + (f"; did you mean '{near[0]}'?" if near else "")
