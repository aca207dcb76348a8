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
from readback.sources.prompt_formats import CONFIG, MODES, SYSTEM, report_unknown_mode
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
    """Return the faults of a model's system message in training and Modelfile, and of a prompt that evaluates it.

    Without a Modelfile text (None or empty) the two are not compared. `mode`: instruction, rag, hybrid or standard;
    retrieved contexts of a prompt may say what they like. Raises TypeError where an argument is not text.
    """
    _require_text("training_system_message", training_system_message, optional=True)
    _require_text("modelfile_system_message", modelfile_system_message, optional=True)
    _require_text("evaluation_prompt", evaluation_prompt)
    _require_text("mode", mode)
    texts = [text for text in (training_system_message, modelfile_system_message) if text]
    workspace = _build_workspace(texts)
    faults: list[str] = []
    if modelfile_system_message and modelfile_system_message.strip():
        faults += _find_mismatch(training_system_message or "", Modelfile((), modelfile_system_message))
    if mode not in MODES:
        faults.append(_format_finding(rules.build_finding(report_unknown_mode(mode, MODES, NOWHERE))))
    case = _build_case(workspace, evaluation_prompt, mode if mode in MODES else MODES[0])
    faults += (f"system text duplication: {text}" for text in _find_faults(case, LEAK))
    faults += (f"missing required markers: {text}" for text in _find_faults(case, MARKERS))
    return faults


def validate_modelfile_system_message(modelfile_path: Path | str, expected_system_message: str) -> list[str]:
    """Return the faults of the system message that a Modelfile sets: the last SYSTEM counts, as for Ollama.

    A file without FROM is checked all the same. Raises TypeError where an argument is not a path or not text.
    """
    if not isinstance(modelfile_path, str | Path):
        raise TypeError(f"modelfile_path must be a path or a str, not {type(modelfile_path).__name__}")
    _require_text("expected_system_message", expected_system_message)
    path = Path(modelfile_path)
    if not path.is_file():
        return [f"Modelfile not found: {path}"]
    read = modelfile.read(path, path.parent)
    traps = [
        _format_finding(rules.build_finding(diagnostic))
        for diagnostic in read.diagnostics
        if diagnostic.code in ("oll-syntax", "oll-swallowed-lines")
    ]
    if read.system is None:
        return ["; ".join((f"missing SYSTEM directive in {path.name}", *traps))]
    mismatches = _find_mismatch(expected_system_message, read)
    return ["; ".join((text, *traps)) for text in mismatches]


def validate_rag_prompt_no_system_text(rag_prompt: str) -> list[str]:
    """Return the system texts and phrases in a RAG prompt, outside its contexts; each text quotes the phrase.

    Text between the last context and the question is outside. A phrase that the question quotes is not a leak. Raises
    TypeError where the prompt is not text.
    """
    _require_text("rag_prompt", rag_prompt)
    case = _build_case(_build_workspace(SYSTEM.values()), rag_prompt, "rag")
    return [f"system text in the RAG prompt: {text}" for text in _find_faults(case, LEAK)]


def _require_text(name: str, value: object, *, optional: bool = False) -> None:
    """Raise TypeError where an argument is not text; `optional`: None will do."""
    if isinstance(value, str) or (optional and value is None):
        return
    wanted = "a str or None" if optional else "a str"
    raise TypeError(f"{name} must be {wanted}, not {type(value).__name__}")


def _build_workspace(texts: Iterable[str]) -> Workspace:
    """Return a workspace of the built-in formats that states these system texts, and those of the document."""
    stated = dict.fromkeys((*texts, *SYSTEM.values()))
    return Workspace(
        Path(),
        "",
        configs=(CONFIG,),
        prompts=CONFIG.prompts,
        system_texts=tuple(SystemText(text, "configuration") for text in stated),
        leaks=Leaks(),
    )


def _build_case(workspace: Workspace, prompt: str, mode: str) -> RuleContext:
    """Return what rules look at for the prompt as the user message of a record under a mode."""
    fields: Values = {"rag": {"prompt": prompt}}
    segment = Segment(prompt, "variable", "rag.prompt")
    assembly = Assembly(Selection(mode=mode), None, None, (Message("user", (segment,)),), "")
    return RuleContext(workspace, Record(None, fields), assembly)


def _find_faults(case: RuleContext, code: str) -> Iterator[str]:
    for finding in rules.check(case, "assembly", {code}):
        if isinstance(finding, rules.Fault):
            # Our own mistake must not look like a prompt that is fine.
            raise RuntimeError(f"{finding.rule}: {finding.error}")
        # A part of a system text, or blanks after the last marker, are not a fault of the prompt.
        if finding.severity != "info" and finding.values.get("whole", True) and not finding.values.get("blank"):
            yield _format_finding(finding)


def _find_mismatch(expected: str, served: Modelfile) -> list[str]:
    """Return how a Modelfile's system text differs from the expected one; empty where it does not.

    Blanks at the ends do not count here: a block between triple quotes on separate lines has them. `readback check`
    reports that they are sent.
    """
    actual = served.system or ""
    if actual.strip() == expected.strip():
        return []
    model = Model(MODEL, training=SystemText(expected, "training"), modelfile=served)
    workspace = Workspace(Path(), "", models={MODEL: model})
    results = rules.check(RuleContext(workspace), "workspace", {MISMATCH})
    findings = [finding for finding in results if isinstance(finding, Finding)]
    if actual.split() == expected.split():
        blanks = "; only blanks and line breaks differ"
    else:
        blanks = ""
    sentence = f"system message mismatch: expected {expected!r}, actual {actual!r}{blanks}"
    return [f"{sentence}: {_format_finding(finding)}" for finding in findings] or [sentence]


def _format_finding(finding: Finding) -> str:
    return f"{finding.message} ({finding.code})"
