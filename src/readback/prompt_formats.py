"""The three checks of the *Prompt Format Specification* as functions, for pipelines: lists of texts, empty when fine.

Names, signatures and return types are those of the document (ignaciolinari/beyond-the-cutoff, November 2025). They are
a thin layer over the rules: a text is the sentence of a finding that is an error, with its code at the end. Warnings
and information are in `readback check`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from readback.checks import rules
from readback.serving.modelfile import read_file as modelfile
from readback.sources.prompt_formats import CONFIG, MODES, SYSTEM, unknown_mode
from readback.types import (
    NOWHERE,
    Assembly,
    Finding,
    Leaks,
    Message,
    Model,
    Modelfile,
    Record,
    RuleContext,
    Segment,
    Selection,
    SystemText,
    Values,
    Workspace,
)

__all__ = [
    "validate_modelfile_system_message",
    "validate_prompt_format_consistency",
    "validate_rag_prompt_no_system_text",
]

LEAK, MARKERS, MISMATCH = "fmt-system-text-in-user", "fmt-markers", "fmt-system-mismatch"
MODEL = "the model"


def validate_prompt_format_consistency(
    training_system_message: str | None,
    modelfile_system_message: str | None,
    evaluation_prompt: str,
    *,
    mode: str = "instruction",
) -> list[str]:
    """What is wrong with a model's system message in training and Modelfile, and with a prompt it is evaluated with.

    Without a Modelfile text (None or empty) the two are not compared. `mode`: instruction, rag, hybrid or standard;
    retrieved contexts of a prompt may say what they like. Raises TypeError where an argument is no text.
    """
    _require_text("training_system_message", training_system_message, optional=True)
    _require_text("modelfile_system_message", modelfile_system_message, optional=True)
    _require_text("evaluation_prompt", evaluation_prompt)
    _require_text("mode", mode)
    texts = [text for text in (training_system_message, modelfile_system_message) if text]
    workspace = _workspace(texts)
    found: list[str] = []
    if modelfile_system_message and modelfile_system_message.strip():
        found += _mismatch(training_system_message or "", Modelfile((), modelfile_system_message))
    if mode not in MODES:
        found.append(_text(rules.finding(unknown_mode(mode, MODES, NOWHERE))))
    case = _case(workspace, evaluation_prompt, mode if mode in MODES else MODES[0])
    found += (f"system text duplication: {text}" for text in _faults(case, LEAK))
    found += (f"missing required markers: {text}" for text in _faults(case, MARKERS))
    return found


def validate_modelfile_system_message(modelfile_path: Path | str, expected_system_message: str) -> list[str]:
    """What is wrong with the system message a Modelfile ends up with: the last SYSTEM counts, as for Ollama.

    A file without FROM is checked all the same. Raises TypeError where an argument is no path or no text.
    """
    if not isinstance(modelfile_path, str | Path):
        raise TypeError(f"modelfile_path must be a path or a str, not {type(modelfile_path).__name__}")
    _require_text("expected_system_message", expected_system_message)
    path = Path(modelfile_path)
    if not path.is_file():
        return [f"Modelfile not found: {path}"]
    read = modelfile.read(path, path.parent)
    traps = [
        _text(rules.finding(diagnostic))
        for diagnostic in read.diagnostics
        if diagnostic.code in ("oll-syntax", "oll-swallowed-lines")
    ]
    if read.system is None:
        return ["; ".join((f"missing SYSTEM directive in {path.name}", *traps))]
    found = _mismatch(expected_system_message, read)
    return ["; ".join((text, *traps)) for text in found]


def validate_rag_prompt_no_system_text(rag_prompt: str) -> list[str]:
    """The system texts and phrases in a RAG prompt, outside its contexts; each text holds the phrase found.

    What is between the last context and the question is outside. A phrase that the question quotes is no leak. Raises
    TypeError where the prompt is no text.
    """
    _require_text("rag_prompt", rag_prompt)
    case = _case(_workspace(SYSTEM.values()), rag_prompt, "rag")
    return [f"system text in the RAG prompt: {text}" for text in _faults(case, LEAK)]


def _require_text(name: str, value: object, *, optional: bool = False) -> None:
    """Raise TypeError where an argument is no text; `optional`: None will do."""
    if isinstance(value, str) or (optional and value is None):
        return
    wanted = "a str or None" if optional else "a str"
    raise TypeError(f"{name} must be {wanted}, not {type(value).__name__}")


def _workspace(texts: Iterable[str]) -> Workspace:
    """A workspace of the built-in formats that states these system texts, and those of the document."""
    stated = dict.fromkeys((*texts, *SYSTEM.values()))
    return Workspace(
        Path(),
        "",
        configs=(CONFIG,),
        prompts=CONFIG.prompts,
        system_texts=tuple(SystemText(text, "configuration") for text in stated),
        leaks=Leaks(),
    )


def _case(workspace: Workspace, prompt: str, mode: str) -> RuleContext:
    """The prompt as the user message of a record under a mode."""
    fields: Values = {"rag": {"prompt": prompt}}
    said = Segment(prompt, "variable", "rag.prompt")
    made = Assembly(Selection(mode=mode), None, None, (Message("user", (said,)),), "")
    return RuleContext(workspace, Record(None, fields), made)


def _faults(case: RuleContext, code: str) -> Iterator[str]:
    for one in rules.check(case, "assembly", {code}):
        if isinstance(one, rules.Fault):
            raise RuntimeError(f"{one.rule}: {one.error}")  # our mistake: it must not look like a prompt that is fine
        counts = one.severity != "info" and one.values.get("whole", True) and not one.values.get("blank")
        if counts:  # a part of a system text, or blanks after the last marker, are no fault of the prompt
            yield _text(one)


def _mismatch(expected: str, served: Modelfile) -> list[str]:
    """Whether a Modelfile's system text is the expected one, character by character.

    Only blanks at the ends do not count here: a block between triple quotes on lines of its own has them. That they
    are sent is told by `readback check`.
    """
    actual = served.system or ""
    if actual.strip() == expected.strip():
        return []
    model = Model(MODEL, training=SystemText(expected, "training"), modelfile=served)
    workspace = Workspace(Path(), "", models={MODEL: model})
    told = [one for one in rules.check(RuleContext(workspace), "workspace", {MISMATCH}) if isinstance(one, Finding)]
    blanks = "; only blanks and line breaks differ" if actual.split() == expected.split() else ""
    said = f"system message mismatch: expected {expected!r}, actual {actual!r}{blanks}"
    return [f"{said}: {_text(one)}" for one in told] or [said]


def _text(finding: Finding) -> str:
    return f"{finding.message} ({finding.code})"
