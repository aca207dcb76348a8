"""Looks for trn-system-mismatch; its words are in catalogue/en.yml."""

from collections.abc import Callable, Iterator

from readback.checks.facts import training_rows
from readback.checks.facts.stated_texts import describe_place, list_system_texts
from readback.types import Diagnostic, Finding, RuleContext, Severity, SystemText, TrainingFile, Workspace

CODE = "trn-system-mismatch"
ON = "record"
NEEDS = "training rows"
_MODEL = "models: {m: {serving: {modelfile: Modelfile}}}\ndataset: train.jsonl\n"
_FILE = 'FROM x\nSYSTEM "You are brief."\n'
_ROW = '{"messages": [{"role": "system", "content": "%s"}, {"role": "user", "content": "Why?"}, \
{"role": "assistant", "content": "So."}]}\n'
_MADE = "OS: linux, Shell: %s. Write only the command."
PASS = (
    {"readback.yml": _MODEL, "Modelfile": _FILE, "train.jsonl": _ROW % "You are brief."},
    {"readback.yml": _MODEL, "Modelfile": "FROM x\n", "train.jsonl": _ROW % "You are long."},
)
FAIL = (
    {
        "readback.yml": _MODEL,
        "Modelfile": 'FROM x\nSYSTEM "OS: macos, Shell: zsh. Write only the command."\n',
        "train.jsonl": "".join(_ROW.replace("Why", shell) % (_MADE % shell) for shell in ("bash", "sh", "fish")),
    },
    {"readback.yml": _MODEL, "Modelfile": _FILE, "train.jsonl": _ROW % "You are long."},
    {"readback.yml": _MODEL, "Modelfile": _FILE, "train.jsonl": _ROW % "You are brief. "},
)

SOURCES = ("modelfile", "configuration", "training")
SHOWN = 80  # characters of a text in the sentence


def check(case: RuleContext) -> Iterator[Diagnostic]:
    row, record = training_rows.read_row(case), case.record
    system = row.system if row else None
    known = training_rows.find_file(case.workspace, record) if record else None
    if system is None or known is None:
        return
    stated, compared = _stated(case.workspace, known)
    if not stated or system.text in compared or any(one.text == system.text for one in stated):
        return
    varied = any(training_rows.is_intended(case, system.text, one.text) for one in stated)
    near = next((one for one in stated if one.text.split() == system.text.split()), None)
    other = near or stated[0]
    values = {"trained": _shown(system.text), "other": describe_place(other), "stated": _shown(other.text),
              "texts": [system.text, other.text]}  # fmt: skip
    place = training_rows.locate(system, 0, len(system.text))
    severity: Severity = "error"
    if varied:
        severity = "info"
    elif near or not any(name in case.workspace.models for name in known.models):
        severity = "warning"  # where the file is of no model, the text may be meant for another one
    yield Diagnostic(CODE, values, place, f"{system.text}\n{other.text}", severity)


def once(one: Finding, nowhere: Callable[[str], bool]) -> tuple[str, ...] | None:
    """Texts that are meant so are one thing to say of a file."""
    return () if one.severity == "info" else None


def _stated(workspace: Workspace, known: TrainingFile) -> tuple[tuple[SystemText, ...], frozenset[str]]:
    """What is stated for the file's models outside of the file; and the texts that are compared for a whole model."""
    models = [workspace.models[name] for name in known.models if name in workspace.models]
    every = [text for model in models for text in list_system_texts(workspace, model)]
    if not models:
        every = [text for text in workspace.system_texts if text.source in SOURCES and text.text]
    taken = frozenset(model.training.text for model in models if model.training)
    return tuple(text for text in every if text.place.file != known.path), taken


def _shown(text: str) -> str:
    return repr(text if len(text) <= SHOWN else text[: SHOWN - 1] + "…")
