"""Logs of other tools: alone they are what is reviewed, beside prompts they are what those are held against."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from readback.quantity import quantity
from readback.readers.files.paths import format_relative, list_inside
from readback.readers.logs.decode import DecodedLog, decode
from readback.readers.logs.formats import find_format
from readback.records.replies.logged_calls import RECORDS
from readback.requests.log_names import list_labels, list_names_here, match_name
from readback.types import Condition, DatasetSource, Location, ScoreSource, Workspace
from readback.workspace.conditions import describe_unknown_name
from readback.workspace.draft import Draft
from readback.workspace.kinds import LOG
from readback.workspace.recognise import RecognisedFile, recognise

KEY = "matched"  # of what whoever opens a workspace chooses: what the conditions of its logs are here


@dataclass(frozen=True, slots=True)
class Log:
    """A log in the folder: its name below the root, and what was decoded of it."""

    name: str
    decoded: DecodedLog


def take_logs(draft: Draft, files: Sequence[RecognisedFile]) -> None:
    """Take in the logs of a folder: as what was sent where the folder has prompts, else as the records themselves."""
    logs = _decode_logs(draft, files)
    if not logs:
        return
    if draft.prompts or draft.tasks:
        _take_beside_prompts(draft, logs)
    else:
        _take_alone(draft, logs)


def take_unnamed_logs(draft: Draft) -> None:
    """Take the logs that lie beside a readback.yml that names none of them: it need not be changed for each run.

    Where it names nothing but logs, these are what is reviewed; where it names no dataset, they bring the records.
    """
    if draft.sent and draft.dataset is None:
        _take_records_of_sent(draft)
    named = {source.path for source in draft.scores} | {condition.answers for condition in draft.conditions}
    named |= {*draft.sent, *draft.named, draft.dataset.path if draft.dataset else ""}
    files: list[RecognisedFile] = []
    for path in list_inside(draft.root, draft.depth).files:
        if format_relative(draft.root, path) in named or find_format(path) is None:
            continue
        file = recognise(path, draft.root)
        if file.what == LOG:
            files.append(file)
    if files and (draft.prompts or draft.tasks):
        take_logs(draft, files)


def _take_records_of_sent(draft: Draft) -> None:
    """Take the records of the logs that the workspace file names; without prompts their conditions, too."""
    named = [draft.root / name for name in draft.sent]
    logs = _decode_logs(draft, [recognise(path, draft.root) for path in named if find_format(path) is not None])
    if draft.prompts or draft.tasks:
        first = _choose_first(draft, [log for log in logs if log.decoded.counts["records"]])
        if first:
            draft.dataset = DatasetSource(first.name, id="id", format=RECORDS)
        else:
            draft.dataset = None
    elif logs and not (draft.conditions or draft.judges):
        _take_alone(draft, logs)


def _decode_logs(draft: Draft, files: Sequence[RecognisedFile]) -> list[Log]:
    """Decode each log; of several with the same requests and replies only the first is taken.

    The grades of another one are read where they are not those of the first.
    """
    logs: list[Log] = []
    by_digest: dict[str, Log] = {}
    for file in files:
        name = format_relative(draft.root, file.path)
        try:
            decoded = decode(file.path, name)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            draft.report("dat-file-missing", Location(file=name), name, path=name, reason=reason)
            continue
        if decoded is None:
            continue
        if not (decoded.counts["calls"] or decoded.counts["scores"] or decoded.aggregates):
            draft.say(file.path, LOG, used=False, detail=f"{decoded.tool}; it holds no request and no score")
            draft.diagnostics += decoded.diagnostics
            continue
        log = Log(name, decoded)
        if decoded.counts["calls"]:
            earlier = by_digest.setdefault(decoded.digest, log)
        else:
            earlier = log
        if earlier is log:
            logs.append(log)
        else:
            _take_again(draft, log, earlier)
    return logs


def _take_again(draft: Draft, log: Log, earlier: Log) -> None:
    """Take of a log with the requests of an earlier one its grades, where they are others."""
    is_read_with = _is_read_with(draft.root, log.name, earlier.name)
    detail = f"it holds the same requests as {earlier.name}"
    has_own_grades = log.decoded.counts["scores"] and log.decoded.grades_digest != earlier.decoded.grades_digest
    if is_read_with:
        detail = f"its replies are read with {earlier.name}"
    elif has_own_grades:
        detail += "; its scores are read"
        if all(source.path != log.name for source in draft.scores):
            draft.scores.append(ScoreSource(log.name))
    draft.say(draft.root / log.name, LOG, used=bool(is_read_with or has_own_grades), detail=detail)


def _is_read_with(root: Path, name: str, other: str) -> bool:
    """Tell whether a log is a part of another one: the replies of a batch lie in a file beside its requests."""
    part, whole = find_format(root / name), find_format(root / other)
    return part is not None and whole is not None and part.key != whole.key and part.key in whole.companions


def _take_beside_prompts(draft: Draft, logs: Sequence[Log]) -> None:
    """Hold the requests of logs against the prompts of the folder, and take their scores.

    Where nothing says which conditions there are, the prompts and providers of the logs do.
    """
    if draft.dataset is None:
        with_records = [log for log in logs if log.decoded.counts["records"]]
        first = _choose_first(draft, with_records)
        if first:
            draft.dataset = DatasetSource(first.name, id="id", format=RECORDS)
        else:
            draft.dataset = None
    if draft.conditions:
        _join_conditions(draft, logs)
    else:
        _add_conditions(draft, logs)
    for log in logs:
        if log.decoded.counts["requests"]:
            draft.sent.append(log.name)
        _take_facts(draft, log)
        draft.say(log.name, LOG, detail=_describe(log))


def _add_conditions(draft: Draft, logs: Sequence[Log]) -> None:
    """Make a condition of each prompt and provider of a log whose label is the name of a mode here.

    What is stated of a log counts in place of its labels, but where none of them is such a name all is held against the
    modes themselves, and there are no conditions.
    """
    names = _name_conditions(logs)
    by_label: dict[tuple[str, str], str] = {}
    for log in logs:
        for condition in log.decoded.conditions:
            labels = list_labels(condition.prompt or condition.name)
            label = next((label for label in labels if label in draft.prompts), None)
            if label is not None:
                by_label[log.name, condition.name] = label
    for log in logs if by_label else ():
        stated = draft.log_names.get(log.name, {})
        for condition in log.decoded.conditions:
            mode = stated.get(condition.name, by_label.get((log.name, condition.name)))
            if mode is None or mode not in draft.prompts:
                continue
            name = names[log.name, condition.name]
            draft.conditions.append(
                Condition(
                    name,
                    mode=mode,
                    model=condition.provider or condition.model,
                    answers=log.name if log.decoded.counts["answers"] else None,
                    aliases=() if name == condition.name else (condition.name,),
                    place=Location(file=log.name),
                    logged=log.name,
                    logged_as=condition.name,
                )
            )


def _join_conditions(draft: Draft, logs: Sequence[Log]) -> None:
    """Give conditions here the answers of those of a log that go by their name, and the log's name as an alias.

    Where several of a log go by one name (a prompt that was sent to two models), none is joined: they would mix.
    """
    named = Workspace(
        draft.root,
        draft.name,
        prompts=draft.prompts,
        conditions=tuple(draft.conditions),
        log_names=draft.log_names,
    )
    names_here = list_names_here(named)
    for log in logs:
        hits: dict[str, list[str]] = {}
        for condition in log.decoded.conditions:
            hit = match_name(named, log.name, condition, names_here)
            if hit is not None:
                hits.setdefault(hit[0], []).append(condition.name)
        for number, here in enumerate(draft.conditions):
            own = hits.get(here.name, [])
            if len(own) != 1:
                continue
            if own[0] == here.name:
                aliases = here.aliases
            else:
                aliases = (*here.aliases, own[0])
            joined = replace(here, aliases=tuple(dict.fromkeys(aliases)))
            if here.answers is None and log.decoded.counts["answers"]:
                joined = replace(joined, answers=log.name, logged=log.name, logged_as=own[0])
            draft.conditions[number] = joined


def _take_alone(draft: Draft, logs: Sequence[Log]) -> None:
    """Make the records and the conditions of the folder of its logs."""
    draft.sent = [name for name in draft.sent if all(log.name != name for log in logs)]  # held against nothing
    with_calls = [log for log in logs if log.decoded.counts["calls"]]
    first = _choose_first(draft, with_calls)
    if first is not None and (draft.dataset is None or draft.dataset.absent):
        draft.dataset = DatasetSource(first.name, id="id", format=RECORDS)
    names = _name_conditions(with_calls)
    for log in with_calls:
        for condition in log.decoded.conditions:
            draft.conditions.append(
                Condition(
                    names[log.name, condition.name],
                    answers=log.name if log.decoded.counts["answers"] else None,
                    aliases=() if names[log.name, condition.name] == condition.name else (condition.name,),
                    place=Location(file=log.name),
                    logged=log.name,
                    logged_as=condition.name,
                )
            )
    for log in logs:
        _take_facts(draft, log)
        draft.say(log.name, LOG, detail=_describe(log))


def report_unknown_names(draft: Draft) -> None:
    """Report what is stated of a log's names and is no condition or mode here, or of a log that is not here."""
    opened = Workspace(draft.root, draft.name, prompts=draft.prompts, conditions=tuple(draft.conditions))
    here = list_names_here(opened)
    place = Location(file=draft.file)
    for log, names in draft.log_names.items():
        if log not in draft.sent:
            draft.diagnostics.append(describe_unknown_name("log", log, draft.sent, place))
            continue
        choices = [*here, *draft.prompts]
        for name in names.values():
            if name and name not in choices:
                draft.diagnostics.append(describe_unknown_name("condition", name, choices, place))


def parse_log_names(text: str | None) -> dict[str, dict[str, str]]:
    """Return names of logs from the JSON text that `format_log_names` makes; {} of any other text."""
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    if not isinstance(value, dict) or not all(isinstance(names, dict) for names in value.values()):
        return {}
    return {log: {name: here for name, here in names.items() if isinstance(here, str)} for log, names in value.items()}


def format_log_names(log_names: Mapping[str, Mapping[str, str]]) -> str | None:
    """Return names of logs as one text; None where there are none."""
    stated = {log: dict(names) for log, names in log_names.items() if names}
    if stated:
        return json.dumps(stated)
    return None


def _choose_first(draft: Draft, logs: Sequence[Log]) -> Log | None:
    """Return the log whose records are shown: the chosen one, else the one with most records."""
    if len(logs) > 1:
        draft.alternatives["dataset"] = tuple(log.name for log in logs)
    chosen = next((log for log in logs if log.name == draft.chosen.get("dataset")), None)
    return chosen or max(logs, key=lambda log: log.decoded.counts["records"], default=None)


def _name_conditions(logs: Sequence[Log]) -> dict[tuple[str, str], str]:
    """Return the name of each condition of each log; where two logs have one of the same name, the log's is added."""
    all_names = [condition.name for log in logs for condition in log.decoded.conditions]
    names: dict[tuple[str, str], str] = {}
    for log in logs:
        for condition in log.decoded.conditions:
            is_shared = all_names.count(condition.name) > 1
            stems = [Path(other.name).stem for other in logs]
            stem = Path(log.name).stem
            stem = log.name if stems.count(stem) > 1 else stem
            names[log.name, condition.name] = f"{condition.name} ({stem})" if is_shared else condition.name
    return names


def _take_facts(draft: Draft, log: Log) -> None:
    """Take the scores and the faults of a log."""
    has_scores = log.decoded.counts["scores"] or log.decoded.aggregates
    if has_scores and all(source.path != log.name for source in draft.scores):
        draft.scores.append(ScoreSource(log.name))
    earlier = {(diagnostic.code, diagnostic.place) for diagnostic in draft.diagnostics}
    draft.diagnostics += [
        diagnostic for diagnostic in log.decoded.diagnostics if (diagnostic.code, diagnostic.place) not in earlier
    ]


def _describe(log: Log) -> str:
    """Say what a log is and how much it holds."""
    counts = log.decoded.counts
    parts = [log.decoded.tool]
    if counts["requests"] or not counts["answers"]:
        parts.append(quantity(counts["requests"], "request"))
    elif counts["answers"]:
        parts.append(quantity(counts["answers"], "answer"))
    if counts["scores"]:
        parts.append(quantity(counts["scores"], "score"))
    return ", ".join(parts)
