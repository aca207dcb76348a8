"""Read a judge's prompt: Python constants, a YAML rubric, text files, or a JSONL of definitions.

Source: `SYSTEM_PROMPT` and `EVALUATION_PROMPT_TEMPLATE` of the evaluator in rmit-ir/GRAG-LiveRAG (MIT), the rubrics of
ignaciolinari/beyond-the-cutoff (MIT), and the judge definitions of lm-sys/FastChat (Apache-2.0).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from readback.readers.files.paths import format_relative, resolve
from readback.readers.files.row import Row
from readback.readers.files.text_file import read_text
from readback.readers.yaml.yaml_file import read_yaml
from readback.records.fields.field_path import list_texts
from readback.records.raw_rows import read_raw_rows
from readback.sources.judges import judge_rubric
from readback.sources.judges.judge_names import names_a_field
from readback.sources.templates import python_constants
from readback.sources.templates.python_constants import LONG
from readback.types import NOWHERE, Criterion, Diagnostic, Judge, Location, Syntax

NAME = "judge"
SYSTEM, USER = "SYSTEM_PROMPT", "EVALUATION_PROMPT_TEMPLATE"
SYSTEM_LIKE, USER_LIKE = r"SYSTEM", r"TEMPLATE|PROMPT"
TABLES = (".jsonl", ".ndjson")
CONFIGS = (".yml", ".yaml", ".json")
NAMED = re.compile(r"\{\s*[A-Za-z_]\w*\s*\}")  # {answer}, {{ answer }}
CALLED = re.compile(r"(instructions?|prompt|system|user|template|rubric)(\W|$)", re.IGNORECASE)
WORDS = 3  # of a text that may be a prompt; a name has fewer
HEAD = 1 << 16  # characters in which a Python file's constants are looked for by name before it is parsed

# The scales of the RAG judge; the words are ours. 0 is a grade, not a failure.
RAG_CRITERIA = {
    "relevance_score": Criterion(
        "relevance_score",
        "ordinal",
        (-1, 0, 1, 2),
        meanings={
            "-1": "off the question",
            "0": "no answer",
            "1": "useful, with extras",
            "2": "right and to the point",
        },
    ),
    "faithfulness_score": Criterion(
        "faithfulness_score",
        "ordinal",
        (-1, 0, 1),
        meanings={"-1": "unsupported", "0": "partly supported", "1": "fully supported"},
    ),
}

Found = tuple[tuple[Judge, ...], tuple[Diagnostic, ...]]


def recognise(path: Path, value: Any) -> bool:
    """By content: a rubric, the first row of a JSONL of definitions, or (value None) a Python file of judge prompts."""
    if value is None:
        return path.suffix == ".py" and _names_a_pair(path)
    if isinstance(value, Mapping) and isinstance(value.get("prompt_template"), str):
        return "system_prompt" in value or "name" in value
    return judge_rubric.recognise(value)


def _names_a_pair(path: Path) -> bool:
    text, _ = read_text(path, path.name)
    head = (text or "")[:HEAD]
    both = all(re.search(rf"^{name}\s*[:=]", head, re.MULTILINE) for name in (SYSTEM, USER))
    hint = "judge" in f"{path.parent.name}/{path.name}".lower() or "evaluat" in path.name.lower()
    return both or (hint and re.search(r"^\w*SYSTEM\w*\s*[:=]", head, re.MULTILINE) is not None)


def read(path: Path, root: Path, spec: Mapping[str, Any] | None = None) -> Found:
    """Return the judges that `path` defines: one, or one for each row of a JSONL. Without any there is a diagnostic.

    `spec` says which texts: `system` and `user` are names of constants in the Python file (`file`, or `path`), or
    text files. Whether a template's fields can be filled is seen when it is.
    """
    spec = {key: value for key, value in (spec or {}).items() if value is not None}
    if isinstance(file := spec.get("file"), str) and path.suffix != ".py":
        named = resolve(root, file)
        if isinstance(named, Diagnostic):
            return (), (named,)
        path = named
    if "system" in spec or "user" in spec:
        judges, diagnostics = _read_named_texts(path, root, spec)
    elif path.suffix == ".py":
        judges, diagnostics = _read_python(path, root, None, None)
    elif path.suffix in CONFIGS:
        parsed = read_yaml(path, format_relative(root, path))
        judges, diagnostics = (), parsed.diagnostics
        if judge_rubric.recognise(parsed.value):
            judge, problems = judge_rubric.read(path, parsed)
            judges, diagnostics = (judge,), (*diagnostics, *problems)
        elif path.suffix == ".json" and _are_definitions(parsed.value):
            judges, diagnostics = _read_definitions(path, root)
        elif parsed.value is not None:
            diagnostics = (*diagnostics, _report_other_layout(path, root, parsed.value))
    elif path.suffix in TABLES:
        judges, diagnostics = _read_definitions(path, root)
    else:
        judges, diagnostics = _read_texts(path, root, None, path)
    return judges, diagnostics


def list_criteria(judge: Judge) -> Mapping[str, Criterion]:
    """Return what a judge scores, and on which scale: a rubric's criteria from 0 to 1, the RAG judge's two ordinals."""
    rubric = bool(judge.settings.get("rubric"))
    scored = {
        name: Criterion(name, "numeric", low=0.0, high=1.0) if rubric else Criterion(name) for name in judge.criteria
    }
    return {name: RAG_CRITERIA.get(name, criterion) for name, criterion in scored.items()}


def _read_named_texts(path: Path, root: Path, spec: Mapping[str, Any]) -> Found:
    """Read the texts that `spec` names: constants of a Python file, else files beside it."""
    system, user = spec.get("system"), spec.get("user")
    if not all(isinstance(name, str | None) for name in (system, user)):
        return (), (_report_no_prompt(path, root, "system and user must be names"),)
    if path.suffix == ".py":
        return _read_python(path, root, system, user)
    texts: list[Path | None] = []
    for name in (system, user):
        text_path = resolve(root, name) if name else None
        if isinstance(text_path, Diagnostic):
            return (), (text_path,)
        texts.append(text_path)
    if texts[1] is None:
        return (), (_report_no_prompt(path, root, "no user text is named"),)
    return _read_texts(path, root, texts[0], texts[1])


def _read_python(path: Path, root: Path, system: str | None, user: str | None) -> Found:
    """Read the constants of that name; by default the two of the RAG judge, else the only pair that looks like one."""
    file = format_relative(root, path)
    source, diagnostics = read_text(path, file)
    if source is None:
        return (), diagnostics
    code = python_constants.find_texts([source])
    if code.stopped or code.skipped:
        reason = code.stopped or f"line {code.skipped[0][1]} is not Python: {code.skipped[0][2]}"
        return (), (*diagnostics, _report_no_prompt(path, root, reason))
    texts = {text.name: text for text in code.constants if text.name}
    system = system or _find_only_name(texts, SYSTEM, SYSTEM_LIKE)
    others = {n: t for n, t in texts.items() if n != system}
    if USER in others:
        users = [USER]
    else:
        users = _list_user_names(others)
    user = user or (users[0] if len(users) == 1 else None)
    missing = [name for name in (user, system) if name is not None and name not in texts]
    if missing:
        return (), (*diagnostics, _report_no_prompt(path, root, f"it has no text called {' or '.join(missing)}"))
    if user is None:
        return (), (*diagnostics, _report_no_user(path, root, users, code.inner))
    judge = _build_judge(
        path.stem,
        texts[user].text or "",
        texts[system].text if system else None,
        Location(file=file, line=texts[user].line),
        Location(file=file, line=texts[system].line) if system else NOWHERE,
        _is_formatted(user, source),
    )
    return (judge,), diagnostics


def _list_user_names(texts: Mapping[str, Any]) -> list[str]:
    """List the constants that may be the user text.

    What is called a template or prompt, else the user's, else what has names in braces, else what is long enough.
    """
    own = {n: t.text or "" for n, t in texts.items() if not re.search(SYSTEM_LIKE, n, re.IGNORECASE)}
    filled, long = (n for n in own if NAMED.search(own[n])), (n for n in own if len(own[n].split()) >= LONG)
    return _list_similar_names(own, USER_LIKE) or _list_similar_names(own, "USER") or [*filled] or [*long]


def _report_no_user(path: Path, root: Path, several: Sequence[str], inner: int | None) -> Diagnostic:
    """There is no one constant; for information where code builds the prompts from texts that are no constants."""
    if several:
        return _report_no_prompt(path, root, f"several could be the constant for the user text: {', '.join(several)}")
    if inner is None:
        return _report_no_prompt(path, root, "it has no constant for the user text")
    reason = f"its prompts are built by code, which is never run (a text is in line {inner}); name a text file"
    return replace(_report_no_prompt(path, root, reason), severity="info")


def _is_formatted(name: str, source: str) -> bool:
    """Tell whether `str.format` fills in a constant: its file calls that, or it is the RAG judge's."""
    return name == USER or re.search(rf"\b{re.escape(name)}\s*\.\s*format(_map)?\s*\(", source) is not None


def _find_only_name(texts: Mapping[str, Any], name: str, like: str) -> str | None:
    """`name` if it is there, else the only name that looks like it."""
    if name in texts:
        named = [name]
    else:
        named = _list_similar_names(texts, like)
    if len(named) == 1:
        return named[0]
    return None


def _list_similar_names(texts: Mapping[str, Any], like: str) -> list[str]:
    return [n for n in texts if re.search(like, n, re.IGNORECASE)]


def _read_texts(path: Path, root: Path, system: Path | None, user: Path) -> Found:
    text, diagnostics = read_text(user, format_relative(root, user))
    if system:
        above, more = read_text(system, format_relative(root, system))
    else:
        above, more = (None, ())
    if text is None or (system and above is None):
        return (), (*diagnostics, *more)
    if system:
        at = Location(file=format_relative(root, system), line=1)
    else:
        at = NOWHERE
    return (_build_judge(path.stem, text, above, Location(file=format_relative(root, user), line=1), at),), (
        *diagnostics,
        *more,
    )


def _are_definitions(value: Any) -> bool:
    """Tell whether a list is one of definitions, or of rows of which none is anything else that is known."""
    if not isinstance(value, list):
        return False
    has_template = any(isinstance(entry, Mapping) and "prompt_template" in entry for entry in value)
    return has_template or _find_deeper_prompt(value) is None


def _read_definitions(path: Path, root: Path) -> Found:
    """One judge a row: name, system_prompt, prompt_template; other columns are shown as settings."""
    file = format_relative(root, path)
    judges: list[Judge] = []
    diagnostics: list[Diagnostic] = []
    for row in read_raw_rows(path, file):
        if not isinstance(row, Row):
            diagnostics.append(row)
            continue
        template, system = row.fields.get("prompt_template"), row.fields.get("system_prompt")
        place = Location(file=file, line=row.line, field="prompt_template")
        if not isinstance(template, str) or not isinstance(system, str | None):
            diagnostics.append(Diagnostic("jdg-empty-prompt", {"judge": str(row.fields.get("name", ""))}, place))
            continue
        name = row.fields.get("name")
        judge = _build_judge(
            name if isinstance(name, str) and name else f"{path.stem}-{row.line}", template, system, place, place
        )
        rest = {k: v for k, v in row.fields.items() if k not in ("name", "prompt_template", "system_prompt")}
        judges.append(replace(judge, settings=rest))
    return tuple(judges), tuple(diagnostics)


def _build_judge(
    name: str, user: str, system: str | None, place: Location, system_place: Location, formatted: bool = False
) -> Judge:
    criteria = tuple(c for c in RAG_CRITERIA if f'"{c}"' in user)
    syntax: Syntax = "placeholder" if judge_rubric.BRACED.search(user) else "format"
    if syntax == "format" and not formatted and not names_a_field(user):
        syntax = "text"  # JSON or mathematics in braces: whatever fills it in, it is not `str.format`
    return Judge(
        name,
        user,
        system or None,
        syntax,
        formatted=formatted,
        criteria=criteria,
        place=place,
        system_place=system_place,
    )


def _describe_run(value: Any) -> str:
    """Return what to add when a file says how a judge is run: model, sampling."""
    if isinstance(value, Mapping):
        part = value.get("inference", value)
    else:
        part = {}
    if isinstance(part, Mapping) and "model" in part:
        return ", only how a judge is run"
    return ""


def _report_other_layout(path: Path, root: Path, value: Any) -> Diagnostic:
    """There is no `prompt`; for information where what looks like one is deeper, in a layout of its own."""
    deeper = _find_deeper_prompt(value)
    if deeper is None:
        return _report_no_prompt(path, root, "it contains no prompt" + _describe_run(value))
    return replace(_report_no_prompt(path, root, f"its prompts have another layout ({deeper})"), severity="info")


def _find_deeper_prompt(value: Any) -> str | None:
    """Where in a file a judge's prompt seems to stand: a text with placeholders, else one that is called like one."""
    inside = tuple(list_texts(value))
    if name := next((name for name, text in inside if NAMED.search(text)), None):
        return f"a text with placeholders is under {name}"
    if name := next((name for name, text in inside if CALLED.search(name) and len(text.split()) >= WORDS), None):
        return f"a text is under {name}"
    return None


def _report_no_prompt(path: Path, root: Path, reason: str) -> Diagnostic:
    file = format_relative(root, path)
    return Diagnostic("jdg-no-prompt", {"file": file, "reason": reason}, Location(file=file), file)
