"""Group plain template files of a folder into prompts: which file is which mode's system or user text.

`system*` beside `user*` is one mode, named after what the names share, else after the folder. Any other template is a
mode of its own; a system text beside it that names nobody goes with each of its folder.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from readback.sources.templates.template_language import ENDINGS

INLINE = "inline"  # the dialect of prompts that readback.yml or plain files hold
ROW_MESSAGES = "row_messages"  # key of Prompt.settings: the field of the record whose messages are sent as they are
PART = "part"  # key of Prompt.settings: which piece of its file the template is, counted from 1
SYSTEM_ALONE = "system_alone"  # key of Prompt.settings: the user's text is typed at run time and lies in no file
ALWAYS = (".j2", ".jinja", ".jinja2", ".mustache", ".prompt")  # nothing but a template is called so
ROLE_LINE = re.compile(
    r"^[ \t]*((?:#[ \t]*)?(?:system|user|assistant|function|tool|developer)[ \t]*:)[ \t]*$", re.M | re.I
)
FRONT_MATTER = re.compile(r"\A---[ \t]*\n.*?^---[ \t]*\n", re.DOTALL | re.MULTILINE)
WORDS = re.compile(r"[^A-Za-z0-9]+")
SYSTEM, USER = frozenset({"system", "sys"}), frozenset({"user", "human"})
PROMPT_NAMES = SYSTEM | USER | {"prompt", "prompts", "template", "templates", "instruction", "instructions"}
QUIET = frozenset({"prompt", "template", "message", "msg", "text"})  # words that tell no two prompts apart
# Files that lie in most folders and are read by people.
DOCUMENTS = frozenset(
    [
        "readme",
        "license",
        "licence",
        "copying",
        "notice",
        "changelog",
        "changes",
        "history",
        "contributing",
        "authors",
        "requirements",
        "todo",
        "security",
        "code_of_conduct",
        "citation",
        "claude",
        "agents",
        "cmakelists",
        "robots",
    ]
)
# A template of a model's server goes through the messages itself; what a prompt's template goes through are fields.
CHAT = re.compile(r"\bmessages\b")
ROLES = re.compile(r"add_generation_prompt|\b[be]os_token\b|\[['\"]role['\"]\]|\.role\b")
CUT = re.compile(r"^---[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
CUTTABLE = ".txt"  # in other files such lines mean something else: a rule in Markdown, settings before a template


@dataclass(frozen=True, slots=True)
class PlainPrompt:
    """The files of one mode, as posix paths below the workspace; at least one of them is there."""

    mode: str
    user: str | None
    system: str | None = None


def find_role_lines(text: str) -> tuple[tuple[int, str], ...]:
    """Return the lines that name a role and nothing else, with their numbers, where the text begins with one.

    promptflow and Prompty make a message of what stands below each. A front matter may come before the first.
    """
    body = FRONT_MATTER.sub(lambda match: "\n" * match[0].count("\n"), text, count=1)
    if not ROLE_LINE.match(body.lstrip()):
        return ()
    return tuple((body.count("\n", 0, match.start(1)) + 1, match[1]) for match in ROLE_LINE.finditer(body))


def find_ending(name: str) -> str | None:
    """Return the ending by which a file may be a template; None where it has none of them."""
    return next((ending for ending in ENDINGS if name.lower().endswith(ending)), None)


def is_probable_prompt(path: PurePosixPath, marked: bool) -> bool:
    """Return whether a file that nobody named is a prompt: by its ending, by its name or its folder's, or because it is
    `marked`: a field is named in it, or without records something to fill in.
    """
    if find_ending(path.name) in ALWAYS:
        return True
    if is_document(path):
        return False
    names = (_drop_endings(path.name), *path.parts[-2:-1])
    return marked or any(_split_words(name) & PROMPT_NAMES for name in names)


def is_document(path: PurePosixPath) -> bool:
    """Return whether a file is one of those that lie in most folders and are read by people."""
    stem = _drop_endings(path.name).lower()
    return bool(_split_words(stem) & DOCUMENTS) or stem.replace("-", "_") in DOCUMENTS


def is_server_template(text: str) -> bool:
    """Return whether a template makes one text of messages, as a model's server does, and is no prompt."""
    return bool(CHAT.search(text) and ROLES.search(text))


def group_files(files: Iterable[str]) -> tuple[list[PlainPrompt], list[str]]:
    """Return the modes that the files make, in the order of their paths, and the system texts that belong to none."""
    folders: dict[PurePosixPath, list[PurePosixPath]] = {}
    for file in sorted(files):
        folders.setdefault(PurePosixPath(file).parent, []).append(PurePosixPath(file))
    prompts: list[PlainPrompt] = []
    unmatched: list[str] = []
    for folder, paths in folders.items():
        folder_prompts, folder_unmatched = _group_folder(folder, paths)
        prompts += folder_prompts
        unmatched += folder_unmatched
    return _rename_duplicates(prompts), unmatched


def split_parts(text: str) -> tuple[tuple[str, int], ...]:
    """Return the prompts between lines of three dashes, as if each were a file, with the line each begins in.

    What is between two such lines and holds nothing but blanks is no prompt.
    """
    parts: list[tuple[str, int]] = []
    start = 0
    cuts = [(match.start(), match.end()) for match in CUT.finditer(text)]
    for end, next_start in (*cuts, (len(text), len(text))):
        if text[start:end].strip():
            parts.append((text[start:end], text.count("\n", 0, start) + 1))
        start = next_start
    return tuple(parts)


def count_parts(text: str) -> int:
    """Count the prompts into which lines of three dashes would cut a text; 1 where there are none."""
    return len(split_parts(text)) or 1


def has_parts(file: str, text: str) -> bool:
    """Return whether a file may hold several prompts."""
    return file.lower().endswith(CUTTABLE) and count_parts(text) > 1


def name_part(file: str, number: int) -> str:
    """Return the name of the mode of one part of a file."""
    return f"{file} · {number}"


def _group_folder(folder: PurePosixPath, paths: list[PurePosixPath]) -> tuple[list[PlainPrompt], list[str]]:
    systems: dict[str, str] = {}
    doubled: list[str] = []
    others: list[tuple[str, str]] = []  # mode, path
    for path in paths:
        words = _split_words(_drop_endings(path.name))
        key = _build_key(path)
        if words & SYSTEM and not words & USER:
            if key in systems:
                doubled.append(str(path))
            systems.setdefault(key, str(path))
        else:
            others.append((key if words & USER else _drop_endings(path.name), str(path)))
    prompts: list[PlainPrompt] = []
    used: set[str] = set()
    default = folder.name or "prompt"
    for name, file in others:
        key = _build_key(PurePosixPath(file))
        system_key = key if key in systems else ""
        system = systems.get(system_key)  # a system text that names nobody goes with each
        if system is not None:
            used.add(system_key)
        prompts.append(PlainPrompt(name or default, file, system))
    unused = [key for key in systems if key not in used]
    if not others:
        return [PlainPrompt(key or default, None, systems[key]) for key in unused], doubled
    return prompts, [*(systems[key] for key in unused), *doubled]


def _rename_duplicates(prompts: list[PlainPrompt]) -> list[PlainPrompt]:
    """Call modes of one name by their paths, so that none replaces the other."""
    counts = Counter(prompt.mode for prompt in prompts)
    renamed: list[PlainPrompt] = []
    for prompt in prompts:
        if counts[prompt.mode] > 1:
            prompt = replace(prompt, mode=prompt.user or prompt.system or prompt.mode)
        renamed.append(prompt)
    return renamed


def _build_key(path: PurePosixPath) -> str:
    """Return what a name says besides being a system or user text."""
    words = WORDS.split(_drop_endings(path.name))
    return "-".join(word for word in words if word and word.lower() not in SYSTEM | USER | QUIET)


def _drop_endings(name: str) -> str:
    """Return the name without its endings: `qa.txt.j2` is qa."""
    ending = find_ending(name)
    while ending and len(name) > len(ending):
        name = name[: -len(ending)]
        ending = find_ending(name)
    return name


def _split_words(text: str) -> frozenset[str]:
    return frozenset(WORDS.split(text.lower()))
