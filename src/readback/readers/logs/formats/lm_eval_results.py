"""Results of lm-evaluation-harness: `results_<date>.json`, the aggregated scores of each task.

Source: the files of lm-eval 0.4.13 (MIT). `results` has a mapping for each task and group, whose keys are
`metric,filter` and `metric_stderr,filter` (`acc,none`); versions before 0.4 have the metric alone. `N/A` is no value.
Groups are means over tasks and hold no documents, so they are named as a part and are no conditions. `n-samples` says
how many documents a task counts. No request is in the file: these are in the samples beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from readback.readers.files.paths import format_relative, list_inside
from readback.readers.logs.events import Aggregate, Event, Run
from readback.readers.logs.head import peek_objects
from readback.readers.logs.json_elements import Unreadable, read_without
from readback.readers.logs.json_rows import open_log
from readback.readers.logs.open_file import read_stream, report_row
from readback.types import Diagnostic, Location

NAME = "results of lm-evaluation-harness"
STDERR = "_stderr"
NO_FILTER = "none"
RUNS = 50  # files of results that say how tasks were run
SAMPLES = ("samples",)  # what a program of one's own may have written into the same object
OWN = frozenset(("alias", "name", "sample_len", "samples", "task"))
# What the tool makes of a metric where the task does not say it.
AGGREGATIONS = {
    "bits_per_byte": "bits per byte",
    "byte_perplexity": "weighted perplexity",
    "perplexity": "perplexity",
    "word_perplexity": "weighted perplexity",
}


def recognise(head: bytes, path: Path) -> bool:
    """Whether the file is one object of results with the settings of their tasks."""
    for value in peek_objects(head)[:1]:
        results = value.get("results")
        if not isinstance(results, dict) or "evalId" in value:
            return False
        if {"n-shot", "configs"} & value.keys() and "versions" in value:
            return True
        has_metrics = all(isinstance(task, dict) for task in results.values())
        return has_metrics and bool(results) and {"versions", "config"} <= value.keys()
    return False


def read(path: Path, file: str) -> Iterator[Event]:
    """Yield the aggregated scores of each task, and facts about the run."""
    yield from read_stream(path, file, lambda stream: _read(read_without(stream, SAMPLES), file))


def _read(value: Mapping[str, Any], file: str) -> Iterator[Event]:
    results = value.get("results")
    is_whole = True
    for name, part in value.items():
        if isinstance(part, Unreadable):
            is_whole = False
            yield report_row(f"`{name}` cannot be read: {part.reason}", file)
    if not isinstance(results, dict):
        is_whole = False
        if not isinstance(results, Unreadable):
            yield report_row("it has no `results`, or the file ends before them", file)
        results = {}
    groups = [name for name, tasks in _take_mapping(value, "group_subtasks").items() if tasks and name in results]
    configs, counts = _take_mapping(value, "configs"), _take_mapping(value, "n-samples")
    for task, metrics in results.items():
        if task in groups:
            continue
        if not isinstance(metrics, dict):
            yield report_row(f"the results of {task} are no object", file)
            continue
        number = _take_mapping(counts, task).get("effective", metrics.get("sample_len"))
        n = number if type(number) is int else None
        aggregations = _list_aggregations(configs.get(task))
        for key, raw in metrics.items():
            if key in OWN:
                continue
            metric, _, filter_name = key.partition(",")
            is_error = metric.endswith(STDERR)
            metric = metric.removesuffix(STDERR)
            aggregation = aggregations.get(metric) or AGGREGATIONS.get(metric, "mean")
            if is_error:
                name = "standard error"
            else:
                name = aggregation
            criterion = name_criterion(metric, filter_name)
            yield Aggregate(task, None, criterion, name, _take_number(raw), n)
    if groups:
        names = ", ".join(groups[:10])
        what = f"means over groups of tasks are not compared, for they hold no documents: {names}"
        yield Diagnostic("dat-log-part", {"what": what}, Location(file=file))
    facts = _describe(value)
    yield Run(
        tool="lm-eval",
        version=facts.get("version"),
        is_complete=is_whole,
        state_reason=None if is_whole else "not all of the file could be read",
        details={name: facts[name] for name in ("model", "model_source", "n_samples", "n_shot") if facts.get(name)},
    )


def name_criterion(metric: str, filter_name: str | None) -> str:
    """Return what a metric under a filter is called: as the tool writes it, without the filter that filters nothing."""
    if filter_name in (None, "", NO_FILTER):
        return metric
    return f"{metric},{filter_name}"


def _list_aggregations(config: Any) -> dict[str, str]:
    """Return how a task says that each of its metrics is summarised."""
    if isinstance(config, dict):
        metrics = config.get("metric_list")
    else:
        metrics = None
    return {
        metric["metric"]: metric["aggregation"]
        for metric in (metrics if isinstance(metrics, list) else ())
        if isinstance(metric, dict)
        and isinstance(metric.get("metric"), str)
        and isinstance(metric.get("aggregation"), str)
    }


def _take_mapping(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    part = value.get(key)
    if isinstance(part, dict):
        return part
    return {}


def _take_number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and abs(value) < 1 << 62 and math.isfinite(value):
        return float(value)
    return None


def _describe(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts about the run that a file of results holds."""
    config = _take_mapping(value, "config")
    texts = {
        "version": value.get("lm_eval_version"),
        "model": value.get("model_name") or config.get("model"),
        "model_source": value.get("model_source") or config.get("model"),
    }
    facts: dict[str, Any] = {name: text for name, text in texts.items() if isinstance(text, str)}
    facts["tasks"] = [*_take_mapping(value, "configs"), *_take_mapping(value, "results")]
    facts["n_samples"] = dict(_take_mapping(value, "n-samples"))
    facts["n_shot"] = dict(_take_mapping(value, "n-shot"))
    facts["run"] = _describe_run(value)
    return facts


def list_runs(root: Path) -> list[dict[str, Any]]:
    """Return what the files of results below a folder say of how tasks were run, the first file first.

    `chat_template` is a text, maybe an empty one, where `--apply_chat_template` was used.
    """
    runs = []
    paths = [path for path in list_inside(root).files if "results" in path.name and path.suffix == ".json"]
    for path in paths[:RUNS]:
        facts = read_facts(path)
        if facts.get("tasks"):
            runs.append({"file": format_relative(root, path), **facts["run"]})
    return runs


def _describe_run(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return what messages depend on besides the task: examples, chat, system instruction, seed."""
    shots = {task: number for task, number in _take_mapping(value, "n-shot").items() if type(number) is int}
    seed = _take_mapping(value, "config").get("fewshot_seed")
    system = value.get("system_instruction")
    return {
        "shots": shots,
        "is_chat": value.get("chat_template") is not None,
        "is_multiturn": value.get("fewshot_as_multiturn") is not False,
        "system": system if isinstance(system, str) else None,
        "seed": seed if type(seed) is int else None,
    }


def read_facts(path: Path) -> dict[str, Any]:
    """Return what the results in a file say of their run; nothing where it is no such file."""
    try:
        with open_log(path) as stream:
            head = stream.read(1 << 16)
            if not recognise(head, path):
                return {}
            stream.seek(0)
            return _describe(read_without(stream, SAMPLES))
    except (OSError, EOFError):
        return {}
