"""Prompts that lie in a folder as plain template files: which file is which mode's system or user text.

`system*` beside `user*` is one mode, named after what the names share, else after the folder. Any other template is a
mode of its own; a system text beside it that names nobody goes with each of its folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from readback.sources.template_language import ENDINGS

INLINE = "inline"  # the dialect of prompts that readback.yml or plain files hold
PART = "part"  # key of Prompt.settings: which piece of its file the template is, counted from 1
SYSTEM_ALONE = "system_alone"  # key of Prompt.settings: the user's text is typed at run time and lies in no file
ALWAYS = (".j2", ".jinja", ".jinja2", ".mustache", ".prompt")  # nothing but a template is called so
ROLE_LINE = re.compile(
    r"^[ \t]*((?:#[ \t]*)?(?:system|user|assistant|function|tool|developer)[ \t]*:)[ \t]*$", re.M | re.I
)
FRONT_MATTER = re.compile(r"\A---[ \t]*\n.*?^---[ \t]*\n", re.DOTALL | re.MULTILINE)
ROLE_HELPER = re.compile(r"\{\{~?[ \t]*role[ \t]+[\"'][^\"'\n]*[\"'][ \t]*~?\}\}")
WORDS = re.compile(r"[^A-Za-z0-9]+")
SYSTEM, USER = frozenset({"system", "sys"}), frozenset({"user", "human"})
CALLED = SYSTEM | USER | {"prompt", "prompts", "template", "templates", "instruction", "instructions"}
QUIET = frozenset({"prompt", "template", "message", "msg", "text"})  # words that tell no two prompts apart
# Files that lie in most folders and are read by people.
PAPERS = frozenset({
    "readme", "license", "licence", "copying", "notice", "changelog", "changes", "history", "contributing", "authors",
    "requirements", "todo", "security", "code_of_conduct", "citation", "claude", "agents", "cmakelists", "robots",
})  # fmt: skip
# A template of a model's server goes through the messages itself; what a prompt's template goes through are fields.
CHAT = re.compile(r"\bmessages\b")
ROLES = re.compile(r"add_generation_prompt|\b[be]os_token\b|\[['\"]role['\"]\]|\.role\b")
CUT = re.compile(r"^---[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
CUTTABLE = ".txt"  # in other files such lines mean something else: a rule in Markdown, settings before a template


@dataclass(frozen=True, slots=True)
class PlainPrompt:
    """The files of one mode, as posix paths below the workspace; at least one of them is given."""

    mode: str
    user: str | None
    system: str | None = None


def find_role_lines(text: str) -> tuple[tuple[int, str], ...]:
    """Return the lines that name a role and nothing else, with their numbers, where the text begins with one.

    promptflow and Prompty make a message of what stands below each. A front matter may come before the first.
    """
    body = FRONT_MATTER.sub(lambda found: "\n" * found[0].count("\n"), text, count=1)
    if not ROLE_LINE.match(body.lstrip()):
        return ()
    return tuple((body.count("\n", 0, found.start(1)) + 1, found[1]) for found in ROLE_LINE.finditer(body))


def find_dotprompt_marks(name: str, text: str) -> tuple[tuple[int, str], ...]:
    """Return the marks of dotprompt in a file called `.prompt`, with their lines: its settings, and its role helpers.

    dotprompt (github.com/google/dotprompt) reads YAML between two lines of `---` as settings, which are not sent, and
    makes a message of what follows each `{{role "user"}}`.
    """
    if not name.lower().endswith(".prompt"):
        return ()
    marks = []
    if FRONT_MATTER.match(text.replace("\r\n", "\n")):
        marks.append((1, "---"))
    for helper in ROLE_HELPER.finditer(text):
        marks.append((text.count("\n", 0, helper.start()) + 1, helper[0]))
    return tuple(marks)


def ending(name: str) -> str | None:
    """The ending by which a file may be a template; None where it has none of them."""
    return next((one for one in ENDINGS if name.lower().endswith(one)), None)


def probable(path: PurePosixPath, marked: bool) -> bool:
    """Whether a file that nobody named is a prompt: its ending says so, its name or its folder's does, or it is
    `marked`: a field is named in it, or without records something to fill in.
    """
    if ending(path.name) in ALWAYS:
        return True
    if paper(path):
        return False
    stem = _stem(path.name).lower()
    if _words(stem) & CALLED or any(_words(part) & CALLED for part in path.parts[-2:-1]):
        return True
    return marked


def paper(path: PurePosixPath) -> bool:
    """Whether a file is one of those that lie in most folders and are read by people."""
    stem = _stem(path.name).lower()
    return bool(_words(stem) & PAPERS) or stem.replace("-", "_") in PAPERS


def for_server(text: str) -> bool:
    """Whether a template makes one text of messages, as a model's server does, and is no prompt."""
    return bool(CHAT.search(text) and ROLES.search(text))


def grouped(files: Iterable[str]) -> tuple[list[PlainPrompt], list[str]]:
    """The modes that the files make, in the order of their paths, and the system texts that belong to none."""
    folders: dict[PurePosixPath, list[PurePosixPath]] = {}
    for file in sorted(files):
        folders.setdefault(PurePosixPath(file).parent, []).append(PurePosixPath(file))
    made: list[PlainPrompt] = []
    lost: list[str] = []
    for folder, paths in folders.items():
        found, alone = _of_folder(folder, paths)
        made += found
        lost += alone
    return _named_apart(made), lost


def pieces(text: str) -> tuple[tuple[str, int], ...]:
    """The prompts between lines of three dashes, each as if it were a file of its own, with the line it begins in.

    What is between two such lines and holds nothing but blanks is no prompt.
    """
    found: list[tuple[str, int]] = []
    start = 0
    for end, after in (*((hit.start(), hit.end()) for hit in CUT.finditer(text)), (len(text), len(text))):
        if text[start:end].strip():
            found.append((text[start:end], text.count("\n", 0, start) + 1))
        start = after
    return tuple(found)


def parts(text: str) -> int:
    """Into how many prompts lines of three dashes would cut a text; 1 where there are none."""
    return len(pieces(text)) or 1


def may_be_cut(file: str, text: str) -> bool:
    """Whether a file may hold several prompts."""
    return file.lower().endswith(CUTTABLE) and parts(text) > 1


def part_name(file: str, number: int) -> str:
    """What the mode of one part of a file is called."""
    return f"{file} · {number}"


def _of_folder(folder: PurePosixPath, paths: list[PurePosixPath]) -> tuple[list[PlainPrompt], list[str]]:
    systems: dict[str, str] = {}
    doubled: list[str] = []
    others: list[tuple[str, str]] = []  # mode, path
    for path in paths:
        words = _words(_stem(path.name).lower())
        key = _key(path)
        if words & SYSTEM and not words & USER:
            doubled += [str(path)] if key in systems else []
            systems.setdefault(key, str(path))
        else:
            others.append((key if words & USER else _stem(path.name), str(path)))
    made, used = [], set()
    for name, file in others:
        key = _key(PurePosixPath(file))
        at = key if key in systems else "" if "" in systems else None
        used |= {at} if at is not None else set()
        made.append(PlainPrompt(name or _folder_name(folder), file, systems.get(at) if at is not None else None))
    rest = [key for key in systems if key not in used]
    if not others:
        made += [PlainPrompt(key or _folder_name(folder), None, systems[key]) for key in rest]
        rest = []
    return made, [*(systems[key] for key in rest), *doubled]


def _named_apart(made: list[PlainPrompt]) -> list[PlainPrompt]:
    """Two modes of one name are called by their paths, so that none replaces the other."""
    count: dict[str, int] = {}
    for one in made:
        count[one.mode] = count.get(one.mode, 0) + 1
    return [one if count[one.mode] == 1 else PlainPrompt(one.user or one.system or one.mode, one.user, one.system)
            for one in made]  # fmt: skip


def _key(path: PurePosixPath) -> str:
    """What a name says besides being a system or user text."""
    return "-".join(_left(_stem(path.name)))


def _left(stem: str) -> Iterator[str]:
    for word in WORDS.split(stem):
        if word and word.lower() not in SYSTEM | USER | QUIET:
            yield word


def _stem(name: str) -> str:
    """The name without its endings: `qa.txt.j2` is qa."""
    while end := ending(name):
        if len(name) == len(end):
            break
        name = name[: -len(end)]
    return name


def _words(text: str) -> frozenset[str]:
    return frozenset(WORDS.split(text.lower()))


def _folder_name(folder: PurePosixPath) -> str:
    return folder.name or "prompt"
