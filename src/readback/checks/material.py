"""What of a workspace an answer about one choice, or about records alone, may depend on: all but what is left out here.

Left out are the texts of modes, tasks and adapters that the choice does not name, which mode, task and adapter other
conditions have, and what no child of a check looks at. That nothing looks at it is tested with the examples of all
rules (`tests/checks/test_material.py`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from posixpath import normpath
from typing import Any, NamedTuple

from readback import adapters
from readback.records.files_of_rows import files_of_rows
from readback.sandbox.frozen import freeze, plain
from readback.tasks import profile_of
from readback.types import NOWHERE, Adapter, Condition, Location, Prompt, PromptConfig, Selection, Workspace

# Of the check as a whole, of pages, and of files that no child reads.
UNREAD: Mapping[str, Any] = {
    "recognised": (),
    "alternatives": {},
    "chosen": {},
    "ignore": (),
    "headline": None,
    "scores": (),
    "comparisons": (),
    "diagnostics": (),
}
PARTED: Mapping[str, Any] = {"configs": (), "prompts": {}, "tasks": {}, "adapters": {}, "conditions": ()}

Part = Prompt | Adapter | Condition | PromptConfig


class _Own(NamedTuple):
    """What a choice names: its condition, modes and tasks, and its adapters with all that they extend."""

    condition: Condition | None
    texts: frozenset[str]
    adapters: frozenset[str]


class Material:
    """A workspace, to be asked what of it a choice depends on."""

    def __init__(self, opened: Workspace, also: Any = None) -> None:
        """`also`: what else every answer depends on, as JSON."""
        self.opened = opened
        self._common = digest([freeze(replace(opened, **UNREAD, **PARTED)), also])
        self._outlines: dict[int, Part] = {}  # by the id of what they are of, which `opened` holds
        self._digests: dict[int, str] = {}  # by the id of what is held there and here

    def of(self, choice: Selection | None) -> str:
        """A digest of all that an answer about a choice may depend on; None: about records alone."""
        seen = self.seen(choice)
        tables: list[Mapping[str, Part]] = [seen.prompts, seen.tasks, seen.adapters]
        tables += [table for one in seen.configs for table in (one.prompts, one.tasks)]
        of_configs = [self._digest(self._outline(one)) for one in self.opened.configs]
        of_conditions = [self._digest(one) for one in seen.conditions]
        named = [[[name, self._digest(one)] for name, one in table.items()] for table in tables]
        return digest([self._common, choice and asdict(choice), of_configs, of_conditions, named])

    def seen(self, choice: Selection | None) -> Workspace:
        """The workspace with nothing but that."""
        own = _own(self.opened, choice or Selection())
        return replace(
            self.opened,
            **UNREAD,
            configs=tuple(
                replace(one, prompts=self._texts(one.prompts, own), tasks=self._texts(one.tasks, own))
                for one in self.opened.configs
            ),
            prompts=self._texts(self.opened.prompts, own),
            tasks=self._texts(self.opened.tasks, own),
            adapters={
                name: one if name in own.adapters else self._outline(one) for name, one in self.opened.adapters.items()
            },
            conditions=tuple(one if one is own.condition else self._outline(one) for one in self.opened.conditions),
        )

    def _texts(self, table: Mapping[str, Prompt], own: _Own) -> dict[str, Any]:
        return {
            name: one if {name, one.mode} & own.texts else self._outline(one) for name, one in table.items()
        }  # the same mode may be in several configurations, and be looked for there

    def _outline(self, one: Part) -> Any:
        if (made := self._outlines.get(id(one))) is None:
            made = self._outlines[id(one)] = outline(one)
        return made

    def _digest(self, one: Part) -> str:
        if (made := self._digests.get(id(one))) is None:
            made = self._digests[id(one)] = digest(plain(one))
        return made


def outline(one: Part) -> Part:
    """What answers about other choices may depend on of a prompt, an adapter, a condition or a configuration."""
    if isinstance(one, Prompt):
        return Prompt(one.mode, None, None, one.syntax, one.system_syntax, settings=one.settings)
    if isinstance(one, Adapter):
        return Adapter(one.name)
    if isinstance(one, Condition):
        return replace(one, mode=None, adapter=None, task=None, place=NOWHERE)
    return replace(one, prompts={}, tasks={})


def _own(opened: Workspace, choice: Selection) -> _Own:
    condition = opened.condition(choice.condition) if choice.condition else None
    of = condition or Condition("")
    named = [name for name in (choice.mode, choice.task, of.mode, of.task) if name]
    prompts = (table[name] for name in named for table in (opened.prompts, opened.tasks) if name in table)
    profile = profile_of(opened.options)
    chain = (
        one
        for name in (choice.adapter, of.adapter)
        if name and (adapter := adapters.find(name, opened.adapters, profile))
        for one in adapters.lineage(adapter, opened.adapters, profile)
    )
    above = {id(one) for one in chain}
    listed = (name for name, one in opened.adapters.items() if id(one) in above)
    return _Own(condition, frozenset((*named, *(one.mode for one in prompts))), frozenset(listed))


def told_in_full(opened: Workspace) -> set[str]:
    """Files whose text is in the workspace, or that no child reads: those of its texts, its conditions and its scores.
    One that is read for its rows, too, is none of them.
    """
    every: list[Workspace | PromptConfig] = [opened, *opened.configs]
    prompts = [one for home in every for table in (home.prompts, home.tasks) for one in table.values()]
    places: list[Location] = [config.place for config in opened.configs]
    places += [place for one in prompts for place in (one.place, one.system_place)]
    places += [one.place for one in opened.adapters.values()] + [one.place for one in opened.conditions]
    said = {opened.file, *(place.file for place in places), *(one.path for one in opened.scores)}
    return {name for name in said if name} - set(files_of_rows(opened))


def looks_elsewhere(opened: Workspace) -> bool:
    """Whether what is said of a record may depend on other records of the dataset: where its rows are looked for by
    what they ask (training) or by their ids (requests that were sent), or where another part of the workspace, answers
    say, names its file, too.
    """
    trained = any(model.training_messages for model in opened.models.values())
    named = opened.dataset is not None and normpath(opened.dataset.path) in files_of_rows(replace(opened, dataset=None))
    return bool(opened.training or opened.sent or trained or named)


def digest(value: Any) -> str:
    """32 hex digits of SHA-256 over a JSON value; the order of names counts."""
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:32]
