"""Read what a log of Inspect says about its run: the task, the model, how it ended, and the means it stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from readback.readers.logs.events import Aggregate, Run
from readback.readers.logs.formats.inspect.values import Attachments, Fields

TOOL = "inspect_ai"
SUCCESS = "success"
STARTED = "started"
UNFINISHED = "the run still goes on, or was killed"
# what is worth showing of the run, by where it stands
SHOWN = (
    "task",
    "task_id",
    "task_version",
    "task_args",
    "task_file",
    "solver",
    "solver_args",
    "model",
    "model_roles",
    "model_base_url",
    "dataset",
    "created",
    "packages",
    "tags",
    "metadata",
)


@dataclass(frozen=True, slots=True)
class Settings:
    """What the samples of a log are read with: its task and model, and the criteria by scorer.

    `criteria` are the names under which a score is known for each scorer: those that the results name, else none.
    """

    task: str | None
    model: str | None
    criteria: Mapping[str, tuple[str, ...]]
    scores_failed: bool


def read_settings(header: Fields) -> Settings:
    """Return the settings out of the header of a log; what is missing or of another kind is None."""
    spec = _take_object(header, "eval")
    config = _take_object(spec, "config")
    return Settings(
        _read_text(spec.get("task")),
        _read_text(spec.get("model")),
        _list_criteria(header),
        config.get("score_on_error") is True,
    )


def _list_criteria(header: Fields) -> dict[str, tuple[str, ...]]:
    criteria: dict[str, tuple[str, ...]] = {}
    for block in _list_blocks(header):
        scorer, name = _read_names(block)
        key = name_criterion(scorer, None if name == scorer else name)
        criteria[scorer] = tuple(dict.fromkeys((*criteria.get(scorer, ()), key)))
    if not criteria:
        scorers = _take_object(header, "eval").get("scorers")
        for scorer in scorers if isinstance(scorers, list) else ():
            if isinstance(scorer, dict) and isinstance(scorer.get("name"), str):
                criteria[scorer["name"]] = ()
    return criteria


def name_criterion(scorer: str, key: str | None) -> str:
    """Return the name of a criterion: the scorer's, with the key where it gives several values."""
    if key is None:
        return scorer
    return f"{scorer}.{key}"


def _list_blocks(header: Fields) -> list[Fields]:
    """Return the blocks of results, one for each scorer, key and reducer; those of old logs are one block."""
    results = _take_object(header, "results")
    blocks = results.get("scores")
    if blocks is None and isinstance(results.get("scorer"), dict):
        blocks = [{"metrics": results.get("metrics"), **results["scorer"]}]
    if isinstance(blocks, list):
        return [block for block in blocks if isinstance(block, dict)]
    return []


def _read_names(block: Fields) -> tuple[str, str]:
    name = str(block.get("name"))
    scorer = block.get("scorer")
    return scorer if isinstance(scorer, str) else name, name


def read_run(header: Fields, is_complete: bool) -> Run:
    """Return the facts about the run. `is_complete` False: the log has no header, for it was not written to its end."""
    spec = _take_object(header, "eval")
    if is_complete:
        state = _read_text(header.get("status"))
    else:
        state = STARTED
    packages = _take_object(spec, "packages")
    details = {name: spec[name] for name in SHOWN if spec.get(name) not in (None, [], {})}
    if header.get("invalidated"):
        details["invalidated"] = header["invalidated"]
    return Run(
        TOOL,
        _read_text(packages.get(TOOL)),
        _read_text(spec.get("task")),
        _read_text(spec.get("run_id")),
        state,
        is_complete and state in (None, SUCCESS),
        _describe_end(state, header.get("error")),
        count_rows(header),
        Attachments({}).resolve(details),
    )


def _describe_end(state: str | None, error: object) -> str | None:
    """Return the sentence that says how a run ended that did not end well; None for one that did."""
    if state in (None, SUCCESS):
        return None
    if state == STARTED:
        return UNFINISHED
    if isinstance(error, dict):
        reason = error.get("message")
    else:
        reason = error
    if state == "error":
        end = "the run failed"
    else:
        end = f"the run ended as '{state}'"
    if isinstance(reason, str) and reason:
        return f"{end}: {reason}"
    return end


def count_rows(header: Fields) -> int | None:
    """Return how many samples the run promises: what it says at its end, else samples times epochs."""
    spec, results = _take_object(header, "eval"), _take_object(header, "results")
    total = _read_count(results.get("total_samples"))
    if total:
        return total
    samples = _read_count(_take_object(spec, "dataset").get("samples"))
    epochs = _read_count(_take_object(spec, "config").get("epochs"))
    if samples is None:
        return None
    return samples * (epochs or 1)


def list_aggregates(header: Fields, model: str | None) -> Iterator[Aggregate]:
    """Yield the means and other summaries that the tool stored, apart by scorer, key, reducer and metric."""
    for block in _list_blocks(header):
        scorer, name = _read_names(block)
        criterion = name_criterion(scorer, None if name == scorer else name)
        reducer = block.get("reducer")
        metrics = block.get("metrics")
        for metric, entry in metrics.items() if isinstance(metrics, dict) else ():
            if isinstance(entry, dict):
                value = entry.get("value")
            else:
                value = entry
            yield Aggregate(
                model,
                scorer,
                criterion,
                f"{metric} ({reducer})" if reducer else metric,
                read_number(value),
                _read_count(block.get("scored_samples")),
                _read_count(block.get("unscored_samples")),
            )


def read_number(value: Any) -> float | None:
    """Return a number as a float; None for everything else, and where it is too large for one."""
    if isinstance(value, bool | int | float):
        try:
            return float(value)
        except OverflowError:
            return None
    return None


def _take_object(fields: Mapping[str, Any], name: str) -> Fields:
    value = fields.get(name)
    if isinstance(value, dict):
        return value
    return {}


def _read_text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    return None


def _read_count(value: Any) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    return None
