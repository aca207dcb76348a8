"""Find what the calls in a log of another tool are about: which record, and which condition or mode of the workspace.

A log names records and conditions in its own way. A sign decides for a whole log, the surest first, and is told:

records      `id`, `fields` or `order`: see `records/replies/log_records.py`
conditions   `stated`  somebody says so: `logs:` in readback.yml, or a choice on Overview
             `name`    the condition, or the tool's label of the prompt, is called like a condition or mode here
             `file`    the label, or the log's own path, is a file or folder called like it
             `model`   one condition here has the model
             `only`    there is only one condition here
             `text`    the messages of no other condition here are as much like those that were sent
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import PurePosixPath
from typing import Any

from readback.prompts.assemble import assemble
from readback.readers.logs.decode import DecodedLog, LogCondition, name_record
from readback.records.dataset import Dataset
from readback.records.replies.log_records import match_records
from readback.records.replies.logged_calls import read_messages
from readback.requests.keys import Key
from readback.types import NOWHERE, Selection, Workspace

STATED = "stated"
LIKE = 0.6  # share of characters in common from which two texts are taken for versions of one prompt
SAMPLES = 3  # calls of a condition whose texts are compared
LONGEST = 20_000  # characters of a text that are compared


@dataclass(frozen=True, slots=True)
class Matched:
    """How a log belongs to the workspace: the sign for its records, with the columns that were compared, and for each
    of its conditions what it is here and by which sign.
    """

    log: str
    record_sign: str
    columns: tuple[str, ...]
    conditions: Mapping[str, tuple[str, str]]  # the log's name -> (name here, sign)
    unmatched: tuple[str, ...]  # conditions of the log that are none here
    records: int = 0  # how many of its records are here
    requests: Mapping[str, int] = field(default_factory=dict)  # by condition of the log


class LogNames:
    """The names in one log, and what they stand for in a workspace with its dataset."""

    def __init__(self, workspace: Workspace, records: Dataset, log: str, decoded: DecodedLog, calls: Dataset) -> None:
        self._records = records
        by_record = match_records(workspace.root, records, log)
        self._ids = by_record.ids
        matched = _match_conditions(workspace, records, log, decoded.conditions, self._ids, calls)
        unmatched = tuple(each.name for each in decoded.conditions if each.name not in matched)
        requests = {each.name: each.calls for each in decoded.conditions}
        count = len(self._ids)
        self.matched = Matched(log, by_record.sign, by_record.columns, matched, unmatched, count, requests)
        self._judges = workspace.judges

    def find_key(self, call: Mapping[str, Any]) -> Key | str:
        """Return what a call is about, or the reason why that cannot be said."""
        if call.get("role") == "judge":
            return f"it is a request to the grader '{call.get('judge') or 'without a name'}'"
        name = _name_item(call)
        record = self._ids.get(name)
        if record is None:
            return f"no record here is what the log calls '{name}'"
        condition = call.get("condition")
        here = self.matched.conditions.get(condition if isinstance(condition, str) else "")
        if here is None:
            return f"no condition or mode here is what the log calls '{condition}'"
        return Key(here[0], "", record)


def _name_item(call: Mapping[str, Any]) -> str:
    record = call.get("record")
    return name_record(call.get("index") if record is None else record)


def _match_conditions(
    workspace: Workspace,
    records: Dataset,
    log: str,
    conditions: Sequence[LogCondition],
    ids: Mapping[str, str],
    calls: Dataset,
) -> dict[str, tuple[str, str]]:
    """Return what each condition of a log is here, with its sign."""
    here = list_names_here(workspace)
    matched: dict[str, tuple[str, str]] = {}
    for condition in conditions:
        hit = match_name(workspace, log, condition, here)
        if hit is not None:
            matched[condition.name] = hit
    by_prompt: dict[str, list[str]] = {}
    for condition in conditions:
        if condition.name not in matched and find_stated(workspace, log, condition.name) is None:
            by_prompt.setdefault(condition.prompt or condition.name, []).append(condition.name)
    if by_prompt:
        # Whoever is sent a prompt, its text is the same: that of the first of its conditions stands for all.
        first_of = {names[0]: names for names in by_prompt.values()}
        for first, hit in _match_texts(workspace, records, first_of, ids, calls).items():
            matched |= dict.fromkeys(first_of[first], hit)
    return matched


def list_names_here(workspace: Workspace) -> dict[str, str]:
    """Return every name that a condition goes by, or each mode where there are no conditions."""
    if workspace.conditions:
        sending = [condition for condition in workspace.conditions if condition.mode or condition.task]
        return {name: each.name for each in sending for name in (each.name, *each.aliases)}
    return {mode: mode for mode in workspace.prompts}


def match_name(
    workspace: Workspace, log: str, condition: LogCondition, here: Mapping[str, str]
) -> tuple[str, str] | None:
    """Return what a condition of a log is here by what is stated, else by names alone: its own, its label's, its
    model's, its file's.
    """
    stated = find_stated(workspace, log, condition.name)
    if stated is not None:
        hit = _find_stated_condition(workspace, log, condition, stated, here)
        if hit is None:
            return None
        return (hit, STATED)
    for name in filter(None, (condition.name, condition.prompt)):
        if name in here:
            return here[name], "name"
    of_model = {name for name in (condition.provider, condition.model, condition.name) if name}
    if condition.prompt:
        for number, label in enumerate(list_labels(condition.prompt)):
            hits = _find_by_label(workspace, label, of_model)
            if label in here or len(hits) == 1:
                return here.get(label) or hits[0], "name" if number == 0 else "file"
    by_model = [each.name for each in workspace.conditions if each.model in of_model and each.name in here]
    if len(by_model) == 1:
        return by_model[0], "model"
    path = PurePosixPath(log)
    in_path = [here[name] for name in (path.name.split(".")[0], path.parent.name) if name in here]
    if in_path:
        return in_path[0], "file"
    if len(set(here.values())) == 1:
        return (next(iter(here.values())), "only")
    return None


def find_stated(workspace: Workspace, log: str, name: str) -> str | None:
    """Return what somebody states that a condition of a log is here, "" for nothing; None where nothing is stated."""
    return workspace.log_names.get(log, {}).get(name)


def _find_stated_condition(
    workspace: Workspace, log: str, condition: LogCondition, stated: str, here: Mapping[str, str]
) -> str | None:
    """Return the condition or mode that somebody states: by its name, else the one that sends the mode of that name."""
    if stated in here:
        return here[stated]
    if not stated:
        return None
    of_model = {name for name in (condition.provider, condition.model, condition.name) if name}
    hits = _find_by_label(workspace, stated, of_model)
    own = [each.name for each in workspace.conditions if (each.logged, each.logged_as) == (log, condition.name)]
    return next((name for name in own if name in hits), hits[0] if hits else None)


def _find_by_label(workspace: Workspace, label: str, of_model: Collection[str]) -> list[str]:
    """Return the conditions that send the mode or task of that name, those of a model before the others."""
    with_mode = [each for each in workspace.conditions if label in (each.mode, each.task)]
    with_model = [each for each in with_mode if each.model in of_model]
    return [each.name for each in with_model or with_mode]


def list_labels(label: str) -> Iterator[str]:
    """Yield a label as it is, then the names that a path at its beginning may stand for (`prompts/a.txt: text`)."""
    yield label
    path = PurePosixPath(label.partition(": ")[0].removeprefix("file://"))
    if path.suffix:
        yield path.name
        yield path.stem
        yield path.stem.partition(".")[0]


def _match_texts(
    workspace: Workspace, records: Dataset, names: Iterable[str], ids: Mapping[str, str], calls: Dataset
) -> dict[str, tuple[str, str]]:
    """Return the conditions here whose messages are most like those of conditions of a log."""
    choices = _list_choices(workspace)
    samples = _sample_calls(names, ids, calls)
    scores: list[tuple[float, str, str]] = []
    for name, pairs in samples.items():
        for here, selection in choices:
            shares = [_compare_texts(workspace, records, selection, record, text) for record, text in pairs]
            if shares:
                scores.append((sum(shares) / len(shares), name, here))
    matched: dict[str, tuple[str, str]] = {}
    used_here: set[str] = set()
    for likeness, name, here in sorted(scores, key=lambda entry: -entry[0]):
        if likeness >= LIKE and name not in matched and here not in used_here:
            matched[name] = (here, "text")
            used_here.add(here)
    return matched


def _list_choices(workspace: Workspace) -> list[tuple[str, Selection]]:
    if workspace.conditions:
        sending = [condition for condition in workspace.conditions if condition.mode or condition.task]
        return [(condition.name, Selection(condition=condition.name)) for condition in sending]
    return [(mode, Selection(mode=mode)) for mode in workspace.prompts]


def _sample_calls(names: Iterable[str], ids: Mapping[str, str], calls: Dataset) -> dict[str, list[tuple[str, str]]]:
    """Return for each condition of a log the texts of its first calls about records that are here."""
    samples: dict[str, list[tuple[str, str]]] = {name: [] for name in names}
    for call in calls.records():
        pairs = samples.get(call.fields.get("condition") or "")
        record = ids.get(_name_item(call.fields))
        if pairs is None or record is None or len(pairs) >= SAMPLES or call.fields.get("role") == "judge":
            continue
        text = "\n".join(message.text for message in read_messages(call.fields, NOWHERE))
        if text:
            pairs.append((record, text[:LONGEST]))
        if all(len(pairs) >= SAMPLES for pairs in samples.values()):
            break
    return samples


def _compare_texts(workspace: Workspace, records: Dataset, selection: Selection, record: str, sent: str) -> float:
    """Return how much of two texts is the same, from 0 to 1."""
    index = records.find(record)
    if index is None:
        return 0.0
    assembly = assemble(workspace, records.record(index), selection, origins=False, marked=False)
    ours = "\n".join(message.text for message in assembly.messages)[:LONGEST]
    if ours == sent:
        return 1.0
    matcher = SequenceMatcher(None, ours, sent, autojunk=False)
    if matcher.real_quick_ratio() >= LIKE and matcher.quick_ratio() >= LIKE:
        return matcher.ratio()
    return 0.0
