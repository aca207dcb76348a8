"""Find training rows whose system message is none that the workspace states for their models.

A fine-tuned model answers best under exactly the system message that it was trained with.
"""

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
    """Yield a finding with the nearest stated text; info if the rows' texts vary on purpose."""
    row, record = training_rows.read_row(case), case.record
    system = row.system if row else None
    if record:
        file = training_rows.find_file(case.workspace, record)
    else:
        file = None
    if system is None or file is None:
        return
    stated, compared = _list_stated_texts(case.workspace, file)
    if not stated or system.text in compared or any(other.text == system.text for other in stated):
        return
    near = next((other for other in stated if other.text.split() == system.text.split()), None)
    other = near or stated[0]
    values = {
        "trained": _quote(system.text),
        "other": describe_place(other),
        "stated": _quote(other.text),
        "texts": [system.text, other.text],
    }
    place = training_rows.locate(system, 0, len(system.text))
    severity: Severity = "error"
    if any(training_rows.is_intended(case, system.text, other.text) for other in stated):
        severity = "info"
    elif near or not any(name in case.workspace.models for name in file.models):
        severity = "warning"  # if the file is of no model, the text may be meant for another one
    yield Diagnostic(CODE, values, place, f"{system.text}\n{other.text}", severity)


def get_once_key(finding: Finding, is_nowhere: Callable[[str], bool]) -> tuple[str, ...] | None:
    """Return an empty key for texts that vary on purpose: they are reported once for a file."""
    if finding.severity == "info":
        return ()
    return None


def _list_stated_texts(workspace: Workspace, file: TrainingFile) -> tuple[tuple[SystemText, ...], frozenset[str]]:
    """Return what is stated for the file's models outside of it, and the texts that are compared for a whole model."""
    models = [workspace.models[name] for name in file.models if name in workspace.models]
    texts = [system for model in models for system in list_system_texts(workspace, model)]
    if not models:
        texts = [system for system in workspace.system_texts if system.source in SOURCES and system.text]
    compared = frozenset(model.training.text for model in models if model.training)
    return tuple(system for system in texts if system.place.file != file.path), compared


def _quote(text: str) -> str:
    return repr(text if len(text) <= SHOWN else text[: SHOWN - 1] + "…")
