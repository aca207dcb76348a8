"""Read an experiment plan: defaults and runs, each run one condition.

Source: the plan YAML of ignaciolinari/beyond-the-cutoff (MIT); a relative path is seen from the plan's folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from readback.readers.files.paths import format_relative
from readback.readers.yaml.yaml_file import Node, Parsed, read_yaml
from readback.types import NOWHERE, Diagnostic, Location, Values

NAME = "plan"
FILES = ("model_config", "judge_config", "judge_inference", "dataset", "output_dir")
OUTPUT = {"metrics": "metrics.json", "details": "details.jsonl", "metadata": "metadata.jsonl"}  # upstream's names
SETTINGS = ("limit", "max_retries", "retry_delay", "skip_if_exists")
DEFAULTS = (*FILES[1:], *(f"{kind}_filename" for kind in OUTPUT), *SETTINGS, "prompt_mode")
RUN = ("label", *FILES, *(f"{kind}_path" for kind in OUTPUT), *SETTINGS, "prompt_mode")
MODE = "rag"  # upstream's, where neither run nor defaults say one


@dataclass(frozen=True, slots=True)
class Named:
    """A path as the plan writes it, and where."""

    path: str
    place: Location = NOWHERE


@dataclass(frozen=True, slots=True)
class Run:
    """One run: what it is called, what it names, and where its outputs go."""

    label: str
    mode: str
    files: Mapping[str, Named] = field(default_factory=dict)  # by FILES
    outputs: Mapping[str, str] = field(default_factory=dict)  # metrics, details, metadata: as seen from the plan
    settings: Values = field(default_factory=dict)
    place: Location = NOWHERE


@dataclass(frozen=True, slots=True)
class Plan:
    """An experiment plan. `dataset` is the default one; a run may name its own."""

    file: str
    runs: tuple[Run, ...]
    dataset: Named | None = None


def recognise(path: Path, value: Any) -> bool:
    """Tell whether a value is a mapping whose `runs` have labels; a report of finished runs has summaries in them."""
    if isinstance(value, Mapping):
        runs = value.get("runs")
    else:
        runs = None
    return isinstance(runs, list) and any(
        isinstance(run, Mapping) and "label" in run and "summary" not in run for run in runs
    )


def read(path: Path, root: Path, parsed: Parsed | None = None) -> tuple[Plan, tuple[Diagnostic, ...]]:
    """Return the plan in `path`. A run without a label is left out with a diagnostic; everything else of it loads."""
    parsed = parsed or read_yaml(path, format_relative(root, path))
    top = Node(parsed.value, parsed)
    parts = top.mapping("defaults", "runs")
    if "defaults" in parts:
        defaults = parts["defaults"].mapping(*DEFAULTS)
    else:
        defaults = {}
    _check_settings(defaults)
    runs = [run for item in (parts["runs"].listed() if "runs" in parts else ()) if (run := _read_run(item, defaults))]
    return Plan(parsed.file, tuple(runs), _read_path(defaults.get("dataset"))), (*parsed.diagnostics, *top.diagnostics)


def _read_run(item: Node, defaults: Mapping[str, Node]) -> Run | None:
    own = item.mapping(*RUN)
    _check_settings(own)
    if "label" in own:
        label = own["label"].text()
    else:
        label = None
    if not label:
        if "label" not in own and own:
            item.wrong("a run with a label")
        return None
    parts = {**defaults, **own}
    if "prompt_mode" in parts:
        mode = parts["prompt_mode"].text()
    else:
        mode = None
    files = {key: named for key in FILES if (named := _read_path(parts.get(key)))}
    return Run(
        label=label,
        mode=mode or MODE,
        files=files,
        outputs=_list_outputs(label, own, defaults, files.get("output_dir")),
        settings={key: parts[key].value for key in SETTINGS if key in parts},
        place=item.place,
    )


def _check_settings(parts: Mapping[str, Node]) -> None:
    """Note settings of another type, also where a run has its own; they are shown as they are."""
    looks = {"limit": _read_count, "max_retries": _read_count, "retry_delay": Node.number, "skip_if_exists": Node.flag}
    for key, node in parts.items():
        looks.get(key, Node.text)(node)


def _read_count(node: Node) -> int | None:
    return node.whole(0)


def _read_path(node: Node | None) -> Named | None:
    text = node.text() if node else None
    if node and text:
        return Named(text, node.place)
    return None


def _list_outputs(
    label: str, own: Mapping[str, Node], defaults: Mapping[str, Node], folder: Named | None
) -> dict[str, str]:
    paths = {}
    for kind, usual in OUTPUT.items():
        if f"{kind}_filename" in defaults:
            name = defaults[f"{kind}_filename"].text()
        else:
            name = usual
        if f"{kind}_path" in own:
            paths[kind] = own[f"{kind}_path"].text() or ""
        elif folder:
            paths[kind] = f"{folder.path}/{label}/{name or usual}"
    return {kind: path for kind, path in paths.items() if path}
