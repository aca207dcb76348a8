"""Read a comparisons file: other names of the plan's runs, and which pairs the study means to compare.

Source: the comparisons YAML of ignaciolinari/beyond-the-cutoff (MIT).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from readback.readers.files.paths import format_relative
from readback.readers.yaml.yaml_file import Node, Parsed, read_yaml
from readback.types import Diagnostic, Values

NAME = "comparisons"
GROUPS = ("within_group_comparisons", "cross_group_comparisons")
KEPT = ("name", "expected", "warning")  # shown as they stand


@dataclass(frozen=True, slots=True)
class Comparisons:
    """`names` maps a run's label to its name in the comparisons; `pairs` are in the file's order."""

    names: Mapping[str, str] = field(default_factory=dict)
    pairs: tuple[Values, ...] = ()


def recognise(path: Path, value: Any) -> bool:
    """Tell whether a value is a mapping with one of the two groups of comparisons."""
    return isinstance(value, Mapping) and any(isinstance(value.get(group), Mapping) for group in GROUPS)


def read(path: Path, root: Path, parsed: Parsed | None = None) -> tuple[Comparisons, tuple[Diagnostic, ...]]:
    """Return the names and pairs in `path`; skip other keys (tournament settings), which another program reads."""
    parsed = parsed or read_yaml(path, format_relative(root, path))
    top = Node(parsed.value, parsed)
    if not isinstance(parsed.value, Mapping):
        top.wrong("a mapping with " + ", ".join(GROUPS))
        return Comparisons(), (*parsed.diagnostics, *top.diagnostics)
    models = top.at("models", parsed.value.get("models") or {})
    names = {
        PurePosixPath(folder).name: name
        for name, node in models.entries()
        if isinstance(node.value, Mapping) and isinstance(folder := node.value.get("result_dir"), str)
    }
    labels = {name: label for label, name in names.items()}
    pairs = tuple(_list_pairs(parsed.value, labels))
    return Comparisons(names, pairs), (*parsed.diagnostics, *top.diagnostics)


def _list_pairs(value: Mapping[str, Any], labels: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    within, across = (value.get(group) for group in GROUPS)
    if isinstance(within, Mapping):
        groups = list(within.items())
    else:
        groups = []
    for group, part in [*groups, ("", across)]:
        if not isinstance(part, Mapping) or not isinstance(part.get("comparisons"), list):
            continue
        for pair in part["comparisons"]:
            if not isinstance(pair, Mapping) or not ("model_a" in pair and "model_b" in pair):
                continue
            a, b = str(pair["model_a"]), str(pair["model_b"])
            texts = {key: pair[key] for key in KEPT if isinstance(pair.get(key), str)}
            metrics = pair.get("metrics_to_compare") or part.get("comparable_metrics")
            entry = {"a": labels.get(a, a), "b": labels.get(b, b)} | texts
            if isinstance(question := pair.get("research_question"), str):
                entry["question"] = question
            if isinstance(metrics, list):
                entry["criteria"] = [str(metric) for metric in metrics]
            if forbidden := _list_forbidden_metrics(part, metrics):
                entry["not_comparable"] = forbidden
            yield entry | {"group": str(group) or "across groups"}


def _list_forbidden_metrics(part: Mapping[str, Any], metrics: Any) -> list[str]:
    """Return the metrics that a group forbids, without those that the pair asks for by name."""
    listed, wanted = part.get("NOT_comparable"), metrics if isinstance(metrics, list) else []
    if isinstance(listed, list):
        return [str(metric) for metric in listed if metric not in wanted]
    return []
