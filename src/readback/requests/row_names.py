"""Whom a logged request is about, by the names in its row: a record, and a condition or the judge of its answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from readback.prompts.selections import list_selections
from readback.records import custom_id
from readback.records.dataset import Dataset
from readback.requests.request import Request
from readback.sources.judge_names import judge_model
from readback.types import Selection, Workspace

RECORDS = ("record", "record_id", "custom_id", "id", "task_id", "qid", "question_id", "item_id")  # after the dataset's
CONDITIONS = ("condition", "run", "run_name", "label", "model_label", "mode", "prompt_mode")
JUDGES = ("judge", "judge_name", "judge_model", "evaluator", "evaluator_name")
CUSTOM_ID = "custom_id"
BESIDE = ("metadata", "meta", "extra")  # where else a row keeps such names
SEVERAL = "no condition is named, and there are several"


class Key(NamedTuple):
    """What a request is about. `condition` is a mode where there are no conditions, and empty of a judge that is asked
    about the record's own answer; `judge` is empty of a request to the model that answers.
    """

    condition: str
    judge: str
    record: str


class RowNames:
    """The names that a row of a log may go by, and what they stand for in a workspace with its dataset."""

    def __init__(self, opened: Workspace, data: Dataset) -> None:
        self._opened, self._data = opened, data
        names = {name: one.name for one in opened.conditions for name in (one.name, *one.aliases)}
        self._conditions = names or {mode: mode for mode in opened.prompts}
        self._by_model = _only(_served(opened))
        self._judges = {name: name for name in opened.judges}
        self._by_judge_model = _only((model, name) for name, models in _judging(opened).items() for model in models)
        self._by_system = _only(_systems(opened))
        self._choices = list_selections(opened)

    def find_key(self, fields: Mapping[str, Any], file: str, request: Request) -> Key | str:
        """Return what the request of a row is about, or a reason why that cannot be said."""
        if (exported := self._of_export(_named(fields, CUSTOM_ID))) is not None:
            return exported
        tried = dict.fromkeys((self._data.id_field, *RECORDS)) if self._data.id_field else dict.fromkeys(RECORDS)
        said = [text for name in tried if name and (text := _named(fields, name)) is not None]
        record = next((text for text in said if self._data.find(text) is not None), None)
        if record is None:
            if said:
                return f"no record is called '{said[0]}'"
            return f"it names no record (under {', '.join(filter(None, tried))})"
        judge, reason = self._find_judge(fields, file, request)
        if reason:
            return reason
        if judge:
            condition, reason = self._find_judged(fields, file, judge)
        else:
            condition, reason = self._find_condition(fields, file, request)
        return reason or Key(condition, judge, record)

    def _of_export(self, said: str | None) -> Key | str | None:
        """Return what a request that Readback exported is about, or why that cannot be said; None for any other."""
        data = self._data
        try:
            resolved = custom_id.resolve(said or "", self._opened, self._id_at)
        except ValueError:
            return None
        if resolved is None:
            return f"its custom_id '{said}' is of a record or a condition that is not here any more"
        index, record, choice = resolved
        if record is None or data.find(record) is None:
            return f"no record is called '{record}'" if record is not None else "its record has no id"
        if self._id_at(index) == record and data.is_repeated(index):
            return f"its record {index} shares the id '{record}' with an earlier one"
        name = choice.condition or choice.mode or choice.task or ""
        if choice.judge is not None:
            return self._key_of_judge(choice, record)
        if name not in self._conditions:
            return f"no condition is called '{name}'"
        return Key(self._conditions[name], "", record)

    def _key_of_judge(self, choice: Selection, record: str) -> Key | str:
        judge = choice.judge or ""
        if judge not in self._opened.judges:
            return f"no judge is called '{judge}'"
        condition = self._conditions.get(choice.condition, "") if choice.condition else ""
        if choice.condition and not condition:
            return f"no condition is called '{choice.condition}'"
        reason = self._refuse_unasked(condition, judge)
        return reason or Key(condition, judge, record)

    def _refuse_unasked(self, condition: str, judge: str) -> str:
        """Return why nothing is assembled that the request of a judge can be held against, or an empty text."""
        if Selection(condition=condition or None, judge=judge) in self._choices:
            return ""
        if condition:
            return f"condition '{condition}' does not name '{judge}' as its judge"
        return f"the judge '{judge}' is asked about the answers of conditions, and none is named"

    def _find_judge(self, fields: Mapping[str, Any], file: str, request: Request) -> tuple[str, str]:
        """Return the judge whose request this is (empty: none), and a reason where one is named that is not here.

        The row itself says it, else the system text that only this judge has, else its file or folder, else its model.
        """
        said = [text for name in JUDGES if (text := _named(fields, name)) is not None]
        for name in said:
            judge = self._judges.get(name) or self._by_judge_model.get(name)
            if judge:
                return judge, ""
        if said and self._opened.judges:
            return "", f"no judge is called '{said[0]}'"
        system = next((text for role, text in request.messages if role == "system"), None)
        if system is not None and system in self._by_system:
            return self._by_system[system], ""
        for name in _names_of_file(file):
            if name in self._judges and name not in self._conditions:
                return name, ""
        model = request.model or ""
        return ("" if model in self._by_model else self._by_judge_model.get(model, "")), ""

    def _find_judged(self, fields: Mapping[str, Any], file: str, judge: str) -> tuple[str, str]:
        """Return the condition whose answer a judge was asked about, empty for the record's own, or a reason."""
        possible = [one.condition or "" for one in self._choices if one.judge == judge]
        if "" in possible:
            return "", ""
        said = [text for name in CONDITIONS if (text := _named(fields, name)) is not None]
        for name in (*said, *_names_of_file(file)):
            if name in self._conditions:
                condition = self._conditions[name]
                return condition, self._refuse_unasked(condition, judge)
        if said:
            return "", f"no condition is called '{said[0]}'"
        return (possible[0], "") if len(possible) == 1 else ("", SEVERAL)

    def _find_condition(self, fields: Mapping[str, Any], file: str, request: Request) -> tuple[str, str]:
        """Return the condition of a request, or a reason: the row itself says it, else its file, else its model."""
        said = [text for name in CONDITIONS if (text := _named(fields, name)) is not None]
        for name in (*said, *_names_of_file(file)):
            if name in self._conditions:
                return self._conditions[name], ""
        if len(set(self._conditions.values())) == 1 and not said:
            return next(iter(self._conditions.values())), ""
        if request.model in self._by_model:
            return self._by_model[request.model], ""
        return "", f"no condition is called '{said[0]}'" if said else SEVERAL

    def _id_at(self, index: int) -> str | None:
        return self._data.place(index).record if index < len(self._data) else None


def find_marks_of_judges(opened: Workspace) -> list[object]:
    """List what tells the requests of judges from others: their names, models and system texts."""
    return [sorted(opened.judges), sorted(map(list, _systems(opened))), sorted(map(list, _judging(opened).items()))]


def _served(opened: Workspace) -> Iterable[tuple[str, str]]:
    """Yield each name of a model with a condition that it answers for."""
    for condition in opened.conditions:
        model = opened.models.get(condition.model or "")
        for name in {condition.model, model and model.name, model and model.settings.get("model")}:
            if isinstance(name, str):
                yield name, condition.name


def _judging(opened: Workspace) -> dict[str, list[str]]:
    """Return the models by which each judge is run, by the judge's name."""
    models: dict[str, list[str]] = {}
    for name, judge in opened.judges.items():
        runs = [one.settings.get("judge_model") for one in opened.conditions if one.judge == name]
        models[name] = sorted({model for model in (judge_model(judge), *runs) if isinstance(model, str) and model})
    return models


def _systems(opened: Workspace) -> Iterable[tuple[str, str]]:
    """Yield the system text of each judge with its name, but for texts that an answering model is sent as well."""
    others = {prompt.system for table in (opened.prompts, opened.tasks) for prompt in table.values()}
    for name, judge in opened.judges.items():
        if judge.system and judge.system not in others:
            yield judge.system, name


def _only(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the names that stand for one thing, by the sign that tells it."""
    by_sign: dict[str, set[str]] = {}
    for sign, name in pairs:
        by_sign.setdefault(sign, set()).add(name)
    return {sign: next(iter(names)) for sign, names in by_sign.items() if len(names) == 1}


def _names_of_file(file: str) -> tuple[str, str]:
    """Return the names that a file and its folder may have after what they hold."""
    path = PurePosixPath(file)
    return path.name.split(".")[0], path.parent.name


def _named(fields: Mapping[str, Any], name: str) -> str | None:
    for where in (fields, *(fields[part] for part in BESIDE if isinstance(fields.get(part), Mapping))):
        value = where.get(name)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return None
