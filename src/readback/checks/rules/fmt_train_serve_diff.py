"""Find models that are served a prompt which differs from their training.

A model answers best to exactly the bytes that it was trained on; even one more line feed makes another prompt.
"""

from collections.abc import Iterator, Sequence

from readback.checks.facts import stored_prompt, trained_differences
from readback.checks.facts.conditions import find_condition, find_model, is_for_judge
from readback.checks.facts.contexts import Spans, find_in_message
from readback.checks.facts.leaked_texts import Leak, find_folded, find_leaks
from readback.checks.facts.repetitions import find_first_difference
from readback.checks.facts.trained_differences import FirstDifference, RowDifference
from readback.types import (
    Condition,
    Diagnostic,
    Finding,
    Location,
    Message,
    Model,
    Prompt,
    RuleContext,
    SelfTest,
    Severity,
    TrainedPrompt,
)

CODE = "fmt-train-serve-diff"
ON = ("workspace", "assembly", "load")
NEEDS = {"assembly": "trained"}
_SETUP = """\
dataset: data.jsonl
prompts: [builtin:prompt-formats]
models: {m: {type: instruction_only}}
modes: [{mode: mine, template: "%s"}]
conditions: [{name: c, mode: %s, model: m}]
"""
_ROW = '{"task_id": "1", "instruction": "Why?", "rag": {"contexts": ["So."], "prompt": "Question: Why?\\nAnswer:"}}\n'
_TURNS = "{%% for m in messages %%}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>%s{%% endfor %%}"
_ASKS = "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
_SERVED = {"readback.yml": "models: {m: {training: {format: chatml-plain}, serving: {chat_template: serve.jinja}}}\n"}
_THINKS = _TURNS % "\n" + "{% if add_generation_prompt %}<|im_start|>assistant\n<think>\n{% endif %}"
PASS = (
    {"readback.yml": "models: {m: {serving: {chat_template: t.jinja}}}\n", "t.jinja": _THINKS},
    {**_SERVED, "serve.jinja": _TURNS % "\n" + _ASKS},
    {"readback.yml": _SETUP % ("Question: {{ instruction }}\\n\\nAnswer:", "mine"), "data.jsonl": _ROW},
    {"readback.yml": _SETUP % ("", "instruction"), "data.jsonl": _ROW},
)
FAIL = (
    {**_SERVED, "serve.jinja": _TURNS % "" + _ASKS},
    {"readback.yml": _SETUP % ("Question: {{ instruction }}\\nAnswer:", "mine"), "data.jsonl": _ROW},
    {"readback.yml": _SETUP % ("", "hybrid"), "data.jsonl": _ROW},
    {
        "readback.yml": "prompts: [builtin:prompt-formats]\n"
        "models: {m: {type: instruction_only, training: {messages: train.jsonl}}}\n",
        "train.jsonl": '{"messages": [{"role": "system", "content": "Be brief."}, '
        '{"role": "user", "content": "Question: Why?\\nAnswer:"}]}\n',
    },
)

ALONE, STORED, CLOSED = "the question alone", "stored prompts with contexts", "the question without contexts"
HYBRID = "the question with contexts"
TRAINED = {"instruction_only": ("instruction", ALONE), "rag_trained": ("rag", STORED)}  # by type: mode, in words
BY_DESIGN = {  # by type and mode of the prompt formats
    ("instruction_only", "hybrid"): HYBRID,
    ("instruction_only", "rag"): HYBRID,
    ("instruction_only", "standard"): HYBRID,
    ("rag_trained", "instruction"): CLOSED,
    ("rag_trained", "hybrid"): "contexts in another layout",
}
NO_COUNT = {"records": "", "of": ""}  # of what is said of one record, or of none
AROUND = 20  # characters shown before and after the point where two texts differ


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield the differences of a workspace's templates and conditions, or those of one assembly."""
    if case.assembly is None:
        yield from _compare_templates(case)
        for condition in case.workspace.conditions:
            yield from _check_design(case, condition)
    else:
        yield from _compare_row(case)
        yield from _compare_messages(case)


def get_group_key(finding: Finding) -> tuple[str, ...] | None:
    """Return the model and the mark of a record's difference: those with the same ones are one finding."""
    values = finding.values
    if "mark" in values:
        return (str(values["model"]), str(values["mark"]))
    return None


# A row of the training file against what the model reads


def _compare_row(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield the differences for one record between the training text of its row and what the model reads."""
    condition, model = find_condition(case), find_model(case)
    if is_for_judge(case) or condition is None or model is None or model.training_messages is None:
        return
    prompt = case.workspace.prompts.get(condition.mode or "")
    if model.type in TRAINED and prompt and prompt.syntax == "builder":
        return  # the layouts of the formats are compared below, and each messages file when it is read
    trained = case.find_trained_prompt()
    if trained is None:
        return
    if trained.basis == "assumed":
        template = f"{trained.template}, assumed"
    else:
        template = trained.template
    for row_difference in trained_differences.find_row_differences(case, model, trained):
        difference, kind = row_difference.difference, row_difference.kind
        trained_half, served_half = trained_differences.describe_halves(difference)
        if kind == "system":
            after = ""
        else:
            after = f" {trained_differences.format_after(difference).rstrip(',')}"
        values = {
            "model": model.name,
            "condition": condition.name,
            "trained": f"{trained_half}{after} ({template})",
            "sent": f"{served_half}{_format_more(row_difference.more)}",
            **NO_COUNT,
            "mark": row_difference.mark,
            "kind": kind,
            "texts": [trained.text, case.model_input.text if case.model_input else ""],
            "at": [difference.a.start, difference.b.start],
        }
        place = Location(role="prompt", start=difference.b.start, end=difference.b.end)
        yield Diagnostic(CODE, values, place, f"{model.name}\n{row_difference.mark}", _weigh(row_difference, trained))


def _format_more(count: int) -> str:
    """Return how many more differences there are, in parentheses; "" if there are none."""
    if count:
        return f" ({count} more {'difference' if count == 1 else 'differences'})"
    return ""


def _weigh(row_difference: RowDifference, trained: TrainedPrompt) -> Severity:
    """Return error if the training is stated and only blanks or an empty block differ; info if a guess may be wrong."""
    spots = (row_difference.difference.a, row_difference.difference.b)
    is_by_templates = all(segment.origin == "serving" for spot in spots for segment in spot.segments)
    if trained.basis == "assumed" and is_by_templates:
        return "info"
    if trained.basis == "stated" and row_difference.kind in ("blank", "think"):
        return "error"
    return "warning"


# The training template against the server, whatever the record


def _compare_templates(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield what the training template and the server write differently around the same messages."""
    for model, self_test, template_differences in trained_differences.find_template_differences(case):
        differences = _remove_opening(model, self_test, template_differences)
        if not differences:
            continue
        first = differences[0]
        trained_half, served_half = trained_differences.describe_halves(first)
        is_stated = trained_differences.is_training_stated(model)
        is_assumed = bool(self_test.trained and self_test.trained.assumed)
        if self_test.trained:
            template = self_test.trained.format
        else:
            template = ""
        if is_assumed and not is_stated:
            template = f"{template}, assumed"
        values = {
            "model": model.name,
            "condition": "its server",
            "trained": f"{trained_half} {trained_differences.format_after(first).rstrip(',')} ({template})",
            "sent": f"{served_half}{_format_more(len(differences) - 1)}",
            **NO_COUNT,
            "texts": [self_test.trained.text if self_test.trained else "", self_test.first.text],
            "at": [first.a.start, first.b.start],
        }
        places = (segment.place for segment in first.b.segments if segment.place.file)
        place = next(places, self_test.first.place)
        severity: Severity | None = None
        if not is_stated:
            # assumed by the model's name: its makers may know better
            if is_assumed:
                severity = "info"
            else:
                severity = "warning"
        flagged = f"{model.name}\n{trained_half}\n{served_half}"
        yield Diagnostic(CODE, values, place if place.file else model.place, flagged, severity)


def _remove_opening(
    model: Model, self_test: SelfTest, differences: tuple[FirstDifference, ...]
) -> tuple[FirstDifference, ...]:
    """Return the differences without one at the end, if the same template makes both texts.

    Such a template opens an answer in another way than it writes a given one, with marks for thinking or a channel.
    That it opens none is reported by srv-no-generation-prompt.
    """
    trained, served = self_test.trained, self_test.first
    is_same = trained is not None and (trained.format, trained.place) == (served.format, served.place)
    if trained_differences.is_training_stated(model) or not is_same:
        return differences
    return tuple(difference for difference in differences if not difference.last)


# The layouts of the prompt formats


def _check_design(case: RuleContext, condition: Condition) -> Iterator[Diagnostic]:
    """Yield a note if the condition's mode sends another layout than the model's type is trained on."""
    model, prompt = case.workspace.models.get(condition.model or ""), case.workspace.prompts.get(condition.mode or "")
    if model is None or prompt is None or prompt.syntax != "builder":
        return
    kind = model.type or ""
    layout = BY_DESIGN.get((kind, prompt.template or prompt.mode))
    if layout:
        place = Location(
            file=condition.place.file, line=condition.place.line, condition=condition.name, mode=condition.mode
        )
        values = {"model": model.name, "condition": condition.name, "trained": TRAINED[kind][1], "sent": layout}
        yield Diagnostic(CODE, {**values, **NO_COUNT}, place, f"{model.name}\n{condition.name}", "info")


def _compare_messages(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield the differences of the user messages from that of training, unless the mode differs by design."""
    if case.trained is None:
        return
    mode, prompt = stored_prompt.find_sent_prompt(case)
    condition, model = find_condition(case), find_model(case)
    if condition is None or model is None or prompt is None:
        return
    is_by_design = prompt.syntax == "builder" and (model.type, prompt.template or mode) in BY_DESIGN
    if not is_by_design:
        for message in case.messages("user"):
            yield from _compare_message(case, message, case.trained, condition, model, prompt)


def _compare_message(
    case: RuleContext, message: Message, trained: Message, condition: Condition, model: Model, prompt: Prompt
) -> Iterator[Diagnostic]:
    """Yield the difference of one user message, without text that was folded into it or that other rules report."""
    fields = case.record.fields if case.record else {}
    contexts = find_in_message(message, fields)
    spans = list(_list_own_spans(case, message, contexts))
    sent = "".join(message.text[start:end] for start, end in spans)
    if sent == trained.text or (prompt.syntax == "builder" and sent.startswith(trained.text)):
        return
    if bool(contexts) != bool(find_in_message(trained, fields)):
        layout = HYBRID if contexts else CLOSED
        place = Location(role="user")
        yield _build_diagnostic(model, condition, TRAINED[model.type or ""][1], layout, place, "info")
        return
    start = find_first_difference(sent, trained.text)
    equal_tail = find_first_difference(sent[start:][::-1], trained.text[start:][::-1])
    end = len(sent) - min(equal_tail, len(sent) - start)
    trained_end = end + len(trained.text) - len(sent)
    place = Location(role="user", start=_find_offset(spans, start), end=_find_offset(spans, end))
    sent_quotation = f"{_quote_around(sent, start)} (from character {(place.start or 0) + 1})"
    severity: Severity | None = None if trained_differences.is_type_stated(model) else "warning"
    mark = "\n".join((condition.name, trained.text[start:trained_end], sent[start:end]))
    trained_quotation = _quote_around(trained.text, start)
    yield _build_diagnostic(model, condition, trained_quotation, sent_quotation, place, severity, mark)


def _list_own_spans(case: RuleContext, message: Message, contexts: Spans) -> Iterator[tuple[int, int]]:
    """Yield the spans of a message outside of folded text and system text, each of these with the blanks after it."""
    text = message.text
    leaks: list[Leak] = []
    if text != (case.trained and case.trained.text):
        leaks = find_leaks(case, text, find_folded(case, message), contexts)
    if case.assembly:
        diagnostics = case.assembly.diagnostics
    else:
        diagnostics = ()
    holes = [(0, diagnostic.place.end or 0) for diagnostic in diagnostics if diagnostic.code == "asm-system-folded"]
    holes += [(leak.start, leak.end) for leak in leaks if not leak.inside and not leak.names]
    position = 0
    for start, end in sorted(holes):
        if start > position:
            yield position, start
        blanks = len(text[end:]) - len(text[end:].lstrip())
        position = max(position, end + blanks)
    yield position, len(text)


def _find_offset(spans: Sequence[tuple[int, int]], index: int) -> int:
    """Return the offset in the message of a character of its own spans."""
    for start, end in spans:
        if index <= end - start:
            return start + index
        index -= end - start
    return spans[-1][1]


def _build_diagnostic(
    model: Model,
    condition: Condition,
    trained: str,
    sent: str,
    place: Location,
    severity: Severity | None,
    mark: str | None = None,
) -> Diagnostic:
    """Return a finding; those of one condition with the same `mark` are one."""
    values = {"model": model.name, "condition": condition.name, "trained": trained, "sent": sent, **NO_COUNT}
    if mark is not None:
        values["mark"] = mark
    return Diagnostic(CODE, values, place, f"{model.name}\n{condition.name}\n{sent}", severity)


def _quote_around(text: str, offset: int) -> str:
    """Return the text around a character in quotes, so that blanks can be seen."""
    start, end = max(0, offset - AROUND), offset + AROUND
    return repr(f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}")
