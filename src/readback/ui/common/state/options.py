"""The named options of source systems that a workspace's files call for, and how they read."""

from __future__ import annotations

from collections.abc import Mapping

from readback.sources import prompt_formats
from readback.sources.options import OPTIONS
from readback.types import Workspace
from readback.words import t


def called_for(workspace: Workspace) -> Mapping[str, tuple[str, ...]]:
    """Return the options that can change a prompt of this workspace, with their values, the default first."""
    dialects = {config.dialect for config in workspace.configs}
    formats = {config.chat_format for config in workspace.configs} | {
        model.chat_format for model in workspace.models.values()
    }
    built = any(prompt.syntax == "builder" for prompt in workspace.prompts.values())
    reasons = {
        "condition4": built,
        "closed_book": built,
        "spacing": built,
        "placeholders": any(judge.syntax == "placeholder" for judge in workspace.judges.values()),
        "albert_dialect": "albert" in dialects,
        "chatml_bug": "albert" in dialects
        and workspace.options.get("albert_dialect") == "current"
        and "chatml" in formats,
        "apply_limit": "albert" in dialects,
        "assembly_profile": bool(workspace.tasks) and prompt_formats.NAME not in dialects,
        "merge_roles": any("gemma" in (name or "") for name in formats),
    }
    names = (name for name, there in reasons.items() if there or name in workspace.options)
    return {name: OPTIONS[name] for name in names}


def now(workspace: Workspace, name: str) -> str:
    """Return the value an option has in the files."""
    return workspace.options.get(name, OPTIONS[name][0])


def say(name: str, value: str) -> str:
    """Return an option and its value in words; as the files spell them where we have no words."""
    return t("compare.option_is", option=t(f"compare.option_{name}"), value=t(f"compare.value_{name}_{value}"))
