"""Find what a logged request is about by the names in its row: a record, and a condition or the judge of its answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from readback.prompts.selections import list_selections
from readback.records import custom_id
from readback.records.dataset import Dataset
from readback.requests.keys import Key
from readback.requests.request import Request
from readback.sources.judges.judge_names import find_judge_model
from readback.types import Selection, Workspace

RECORDS = ("record", "record_id", "custom_id", "id", "task_id", "qid", "question_id", "item_id")  # after the dataset's
CONDITIONS = ("condition", "run", "run_name", "label", "model_label", "mode", "prompt_mode")
JUDGES = ("judge", "judge_name", "judge_model", "evaluator", "evaluator_name")
CUSTOM_ID = "custom_id"
NESTED = ("metadata", "meta", "extra")  # where else a row keeps such names
SEVERAL = "no condition is named, and there are several"


class RowNames:
    """The names that a row of a log may go by, and what they stand for in a workspace with its dataset."""

    def __init__(self, workspace: Workspace, records: Dataset) -> None:
        self._workspace, self._records = workspace, records
        names = {
            name: condition.name for condition in workspace.conditions for name in (condition.name, *condition.aliases)
        }
        self._conditions = names or {mode: mode for mode in workspace.prompts}
        self._by_model = _keep_unambiguous(_list_served_names(workspace))
        self._judges = {name: name for name in workspace.judges}
        self._by_judge_model = _keep_unambiguous(
            (model, name) for name, models in _list_judge_models(workspace).items() for model in models
        )
        self._by_system = _keep_unambiguous(_list_system_texts(workspace))
        self._selections = list_selections(workspace)

    def find_key(self, fields: Mapping[str, Any], file: str, request: Request) -> Key | str:
        """Return what the request of a row is about, or a reason why that cannot be said."""
        exported = self._find_export_key(_read_name(fields, CUSTOM_ID))
        if exported is not None:
            return exported
        columns = [name for name in dict.fromkeys((self._records.id_field, *RECORDS)) if name]
        names = _read_names(fields, columns)
        record = next((name for name in names if self._records.find(name) is not None), None)
        if record is None:
            if names:
                return f"no record is called '{names[0]}'"
            return f"it names no record (under {', '.join(columns)})"
        judge, reason = self._find_judge(fields, file, request)
        if reason:
            return reason
        if judge:
            condition, reason = self._find_judged(fields, file, judge)
        else:
            condition, reason = self._find_condition(fields, file, request)
        return reason or Key(condition, judge, record)

    def _find_export_key(self, request_id: str | None) -> Key | str | None:
        """Return what a request that Readback exported is about, or why that cannot be said; None for any other."""
        try:
            resolved = custom_id.resolve(request_id or "", self._workspace, self._id_at)
        except ValueError:
            return None
        if resolved is None:
            return f"its custom_id '{request_id}' is of a record or a condition that is not here any more"
        index, record, choice = resolved
        if record is None or self._records.find(record) is None:
            if record is not None:
                return f"no record is called '{record}'"
            return "its record has no id"
        if self._id_at(index) == record and self._records.is_repeated(index):
            return f"its record {index} shares the id '{record}' with an earlier one"
        name = choice.condition or choice.mode or choice.task or ""
        if choice.judge is not None:
            return self._find_judge_key(choice, record)
        if name not in self._conditions:
            return f"no condition is called '{name}'"
        return Key(self._conditions[name], "", record)

    def _find_judge_key(self, choice: Selection, record: str) -> Key | str:
        judge = choice.judge or ""
        if judge not in self._workspace.judges:
            return f"no judge is called '{judge}'"
        if choice.condition:
            condition = self._conditions.get(choice.condition, "")
        else:
            condition = ""
        if choice.condition and not condition:
            return f"no condition is called '{choice.condition}'"
        reason = self._refuse_unasked(condition, judge)
        return reason or Key(condition, judge, record)

    def _refuse_unasked(self, condition: str, judge: str) -> str:
        """Return why nothing is assembled that the request of a judge can be held against, or an empty text."""
        if Selection(condition=condition or None, judge=judge) in self._selections:
            return ""
        if condition:
            return f"condition '{condition}' does not name '{judge}' as its judge"
        return f"the judge '{judge}' is asked about the answers of conditions, and none is named"

    def _find_judge(self, fields: Mapping[str, Any], file: str, request: Request) -> tuple[str, str]:
        """Return the judge whose request this is (empty: none), and a reason where one is named that is not here.

        The row itself says it, else the system text that only this judge has, else its file or folder, else its model.
        """
        names = _read_names(fields, JUDGES)
        for name in names:
            judge = self._judges.get(name) or self._by_judge_model.get(name)
            if judge:
                return judge, ""
        if names and self._workspace.judges:
            return "", f"no judge is called '{names[0]}'"
        system = next((text for role, text in request.messages if role == "system"), None)
        if system is not None and system in self._by_system:
            return self._by_system[system], ""
        for name in _list_file_names(file):
            if name in self._judges and name not in self._conditions:
                return name, ""
        model = request.model or ""
        return ("" if model in self._by_model else self._by_judge_model.get(model, "")), ""

    def _find_judged(self, fields: Mapping[str, Any], file: str, judge: str) -> tuple[str, str]:
        """Return the condition whose answer a judge was asked about, empty for the record's own, or a reason."""
        possible = [selection.condition or "" for selection in self._selections if selection.judge == judge]
        if "" in possible:
            return "", ""
        names = _read_names(fields, CONDITIONS)
        for name in (*names, *_list_file_names(file)):
            if name in self._conditions:
                condition = self._conditions[name]
                return condition, self._refuse_unasked(condition, judge)
        if names:
            return "", f"no condition is called '{names[0]}'"
        if len(possible) == 1:
            return (possible[0], "")
        return ("", SEVERAL)

    def _find_condition(self, fields: Mapping[str, Any], file: str, request: Request) -> tuple[str, str]:
        """Return the condition of a request, or a reason: the row itself says it, else its file, else its model."""
        names = _read_names(fields, CONDITIONS)
        for name in (*names, *_list_file_names(file)):
            if name in self._conditions:
                return self._conditions[name], ""
        if len(set(self._conditions.values())) == 1 and not names:
            return next(iter(self._conditions.values())), ""
        if request.model in self._by_model:
            return self._by_model[request.model], ""
        return "", f"no condition is called '{names[0]}'" if names else SEVERAL

    def _id_at(self, index: int) -> str | None:
        if index < len(self._records):
            return self._records.place(index).record
        return None


def find_marks_of_judges(workspace: Workspace) -> list[object]:
    """List what tells the requests of judges from others: their names, models and system texts."""
    return [
        sorted(workspace.judges),
        sorted(map(list, _list_system_texts(workspace))),
        sorted(map(list, _list_judge_models(workspace).items())),
    ]


def _list_served_names(workspace: Workspace) -> Iterable[tuple[str, str]]:
    """Yield each name of a model with a condition that it answers for."""
    for condition in workspace.conditions:
        model = workspace.models.get(condition.model or "")
        for name in {condition.model, model and model.name, model and model.settings.get("model")}:
            if isinstance(name, str):
                yield name, condition.name


def _list_judge_models(workspace: Workspace) -> dict[str, list[str]]:
    """Return the models by which each judge is run, by the judge's name."""
    models: dict[str, list[str]] = {}
    for name, judge in workspace.judges.items():
        runs = [condition.settings.get("judge_model") for condition in workspace.conditions if condition.judge == name]
        models[name] = sorted({model for model in (find_judge_model(judge), *runs) if isinstance(model, str) and model})
    return models


def _list_system_texts(workspace: Workspace) -> Iterable[tuple[str, str]]:
    """Yield the system text of each judge with its name, except texts that an answering model is sent as well."""
    sent_texts = {prompt.system for table in (workspace.prompts, workspace.tasks) for prompt in table.values()}
    for name, judge in workspace.judges.items():
        if judge.system and judge.system not in sent_texts:
            yield judge.system, name


def _keep_unambiguous(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the name for each sign that stands for one name only."""
    by_sign: dict[str, set[str]] = {}
    for sign, name in pairs:
        by_sign.setdefault(sign, set()).add(name)
    return {sign: next(iter(names)) for sign, names in by_sign.items() if len(names) == 1}


def _list_file_names(file: str) -> tuple[str, str]:
    """Return the names that a file and its folder may have after what they hold."""
    path = PurePosixPath(file)
    return path.name.split(".")[0], path.parent.name


def _read_names(fields: Mapping[str, Any], columns: Iterable[str]) -> list[str]:
    """Return the names that a row has in these columns."""
    names = (_read_name(fields, column) for column in columns)
    return [name for name in names if name is not None]


def _read_name(fields: Mapping[str, Any], name: str) -> str | None:
    for where in (fields, *(fields[part] for part in NESTED if isinstance(fields.get(part), Mapping))):
        value = where.get(name)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return None
