"""`judges:` the prompt of each judge and which record fields fill it; a person has none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from readback.readers.yaml_node import Node
from readback.types import Judge
from readback.workspace.draft import Draft
from readback.workspace.judge_files import judge_of
from readback.workspace.recognise import JUDGE
from readback.workspace.workspace_entries import CONSTANTS

KEY = "judges"
KNOWN = ("prompts", "fields", "criteria", "settings", "kind")
PERSON, MODEL = KINDS = ("person", "model")
PARTS = ("system", "user", "file")


def read(node: Node, draft: Draft) -> None:
    for name, part in node.entries():
        parts = part.mapping(*KNOWN) if isinstance(part.value, Mapping) else {"prompts": part}
        kind = parts["kind"].one_of(KINDS) if "kind" in parts else None
        if kind:
            draft.people[name] = kind == PERSON
        if "prompts" not in parts:
            if "kind" not in parts:
                part.wrong("a judge with prompts, or with kind")
        elif judge := _judge(name, parts, draft):
            draft.judges[name] = judge


def _judge(name: str, parts: Mapping[str, Node], draft: Draft) -> Judge | None:
    path, spec = _source(parts["prompts"], draft)
    fields = _fields(parts.get("fields"))
    chosen = judge_of(path, draft, name, {**spec, "fields": fields}) if path else None
    if path is None or chosen is None:
        return None
    draft.say(path, JUDGE, detail=name)
    constants = {CONSTANTS: spec} if spec and path.suffix == ".py" else {}
    return replace(
        chosen,
        name=name,
        fields={**chosen.fields, **fields},
        criteria=parts["criteria"].texts() if "criteria" in parts else chosen.criteria,
        settings={**chosen.settings, **(parts["settings"].values() if "settings" in parts else {}), **constants},
    )


def _source(node: Node, draft: Draft) -> tuple[Path | None, dict[str, str]]:
    """The file a judge's texts are in, and which constants or files of it: `prompts:` is a path or a mapping."""
    if not isinstance(node.value, Mapping):
        named = node.text()
        return (draft.file_at(named, node.place) if named else None), {}
    parts = node.mapping(*PARTS)
    spec: dict[str, str] = {
        key: text for key in ("system", "user") if key in parts and (text := parts[key].text()) is not None
    }
    first = parts.get("file") or parts.get("user")
    named = first.text() if first else None
    if first is None:
        node.wrong("a path, or a mapping with user")
    return (draft.file_at(named, first.place) if first and named else None), spec


def _fields(node: Node | None) -> dict[str, str | None]:
    """The field that each name is read from; null, or an empty text, where the name is to be left out."""
    found: dict[str, str | None] = {}
    for name, part in node.entries() if node else ():
        if part.value in (None, "") and name != "answer":
            found[name] = None
        elif part.value in (None, ""):
            part.wrong("a field: a judge without an answer judges nothing")
        elif (text := part.text()) is not None:
            found[name] = text
    return found
