"""Looks for fmt-train-serve-diff; its words are in catalogue/en.yml."""

from collections.abc import Iterator, Sequence

from readback.checks.facts import stored_prompt, trained_differences
from readback.checks.facts.contexts import Spans, find_in_message
from readback.checks.facts.leaked_texts import find_folded, find_leaks
from readback.checks.facts.trained_differences import FirstDifference, Kind
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
AROUND = 20  # characters shown before and after the point where two texts part


def check(case: RuleContext) -> Iterator[Diagnostic]:
    if case.assembly is None:
        yield from _around(case)
        for one in case.workspace.conditions:
            yield from _by_design(case, one)
        return
    yield from _of_record(case)
    if case.trained is not None:
        mode, prompt = stored_prompt.find_sent_prompt(case)
        condition = case.workspace.condition(case.assembly.choice.condition or "")
        model = case.workspace.models.get(condition.model or "") if condition else None
        designed = (
            prompt and prompt.syntax == "builder" and (model and model.type, prompt.template or mode) in BY_DESIGN
        )
        if condition and model and prompt and not designed:
            for message in case.messages("user"):
                yield from _differs(case, message, case.trained, condition, model, prompt)


def gather(finding: Finding) -> tuple[str, ...] | None:
    """Name the kind of a record's difference: those of one model that are alike are one finding with their count."""
    values = finding.values
    return (str(values["model"]), str(values["mark"])) if "mark" in values else None


def _of_record(case: RuleContext) -> Iterator[Diagnostic]:
    """What differs for one record between the training text of its row and what the model reads."""
    choice = case.assembly.choice if case.assembly else None
    condition = case.workspace.condition(choice.condition) if choice and choice.condition and not choice.judge else None
    model = case.workspace.models.get(condition.model or "") if condition else None
    if condition is None or model is None or model.training_messages is None:
        return
    prompt = case.workspace.prompts.get(condition.mode or "")
    if model.type in TRAINED and prompt and prompt.syntax == "builder":
        return  # the layouts of the formats are compared below, and each messages file when it is read
    trained = case.find_trained_prompt()
    if trained is None:
        return
    for difference, kind, mark, more in trained_differences.find_row_differences(case, model, trained):
        mine, theirs = trained_differences.describe_halves(difference)
        where = "" if kind == "system" else f" {trained_differences.format_after(difference).rstrip(',')}"
        how = f"{trained.template}, assumed" if trained.basis == "assumed" else trained.template
        values = {
            "model": model.name,
            "condition": condition.name,
            "trained": f"{mine}{where} ({how})",
            "sent": f"{theirs}{_count_more(more)}",
            **NO_COUNT,
            "mark": mark,
            "kind": kind,
            "texts": [trained.text, case.model_input.text if case.model_input else ""],
            "at": [difference.a.start, difference.b.start],
        }
        place = Location(role="prompt", start=difference.b.start, end=difference.b.end)
        yield Diagnostic(CODE, values, place, f"{model.name}\n{mark}", _weigh(kind, trained, difference))


def _count_more(count: int) -> str:
    """How many more differences there are, in parentheses; nothing where there are none."""
    return f" ({count} more {'difference' if count == 1 else 'differences'})" if count else ""


def _weigh(kind: Kind, trained: TrainedPrompt, difference: FirstDifference) -> Severity:
    """An error where it is stated how training was done and nothing but blanks or an empty block differs."""
    if trained.basis == "assumed" and all(
        s.origin == "serving" for spot in (difference.a, difference.b) for s in spot.segments
    ):
        return "info"
    return "error" if trained.basis == "stated" and kind in ("blank", "think") else "warning"


def _around(case: RuleContext) -> Iterator[Diagnostic]:
    """What the training template and the server write around the same messages, where it differs."""
    for model, self_test, all_found in trained_differences.find_template_differences(case):
        found = _not_by_design(model, self_test, all_found)
        if not found:
            continue
        first = found[0]
        mine, theirs = trained_differences.describe_halves(first)
        by = self_test.trained.format if self_test.trained else ""
        how = (
            by
            if trained_differences.is_training_stated(model)
            else f"{by}, assumed"
            if self_test.trained and self_test.trained.assumed
            else by
        )
        more = _count_more(len(found) - 1)
        values = {
            "model": model.name,
            "condition": "its server",
            "trained": f"{mine} {trained_differences.format_after(first).rstrip(',')} ({how})",
            "sent": f"{theirs}{more}",
            **NO_COUNT,
            "texts": [self_test.trained.text if self_test.trained else "", self_test.first.text],
            "at": [first.a.start, first.b.start],
        }
        place = next((one.place for one in first.b.segments if one.place.file), self_test.first.place)
        guessed = bool(
            self_test.trained and self_test.trained.assumed
        )  # by the model's name: its makers may know better
        severity: Severity | None = (
            None if trained_differences.is_training_stated(model) else "info" if guessed else "warning"
        )
        yield Diagnostic(
            CODE, values, place if place.file else model.place, f"{model.name}\n{mine}\n{theirs}", severity
        )


def _not_by_design(
    model: Model, self_test: SelfTest, found: tuple[FirstDifference, ...]
) -> tuple[FirstDifference, ...]:
    """The differences without the end of a template that opens an answer otherwise than it writes a given one, with
    marks for thinking or for a channel: the same template makes both texts, and that it opens none has its own rule.
    """
    made, served = self_test.trained, self_test.first
    same = made is not None and (made.format, made.place) == (served.format, served.place)
    return (
        found
        if trained_differences.is_training_stated(model) or not same
        else tuple(one for one in found if not one.last)
    )


def _by_design(case: RuleContext, condition: Condition) -> Iterator[Diagnostic]:
    model, prompt = case.workspace.models.get(condition.model or ""), case.workspace.prompts.get(condition.mode or "")
    if model is None or prompt is None or prompt.syntax != "builder":
        return
    kind = model.type or ""
    if sent := BY_DESIGN.get((kind, prompt.template or prompt.mode)):
        values = {"model": model.name, "condition": condition.name, "trained": TRAINED[kind][1], "sent": sent}
        values |= NO_COUNT
        place = Location(
            file=condition.place.file, line=condition.place.line, condition=condition.name, mode=condition.mode
        )
        yield Diagnostic(CODE, values, place, f"{model.name}\n{condition.name}", "info")


def _differs(
    case: RuleContext, message: Message, trained: Message, condition: Condition, model: Model, prompt: Prompt
) -> Iterator[Diagnostic]:
    """The difference of one user message; what was folded into it and what other rules tell are left out."""
    contexts, said = find_in_message(message, case.record.fields if case.record else {}), trained.text
    kept = list(_kept(case, message, contexts))
    sent = "".join(message.text[start:end] for start, end in kept)
    if sent == said or (prompt.syntax == "builder" and sent.startswith(said)):
        return
    if bool(contexts) != bool(find_in_message(trained, case.record.fields if case.record else {})):
        other = HYBRID if contexts else CLOSED
        yield _diagnostic(model, condition, TRAINED[model.type or ""][1], other, Location(role="user"), "info")
        return
    at = _equal_until(sent, said)
    end = len(sent) - min(_equal_until(sent[at:][::-1], said[at:][::-1]), len(sent) - at)
    place = Location(role="user", start=_place(kept, at), end=_place(kept, end))
    other = f"{_shown(sent, at)} (from character {(place.start or 0) + 1})"
    severity: Severity | None = None if trained_differences.is_type_stated(model) else "warning"
    changed = (said[at : len(said) - len(sent) + end], sent[at:end])  # what training has, and what is sent in its place
    yield _diagnostic(model, condition, _shown(said, at), other, place, severity, "\n".join((condition.name, *changed)))


def _kept(case: RuleContext, message: Message, contexts: Spans) -> Iterator[tuple[int, int]]:
    """The message without folded text and system text, each with the blanks after it."""
    text = message.text
    found = (
        find_leaks(case, text, find_folded(case, message), contexts)
        if text != (case.trained and case.trained.text)
        else ()
    )
    diagnostics = case.assembly.diagnostics if case.assembly else ()
    holes = [(0, diagnostic.place.end or 0) for diagnostic in diagnostics if diagnostic.code == "asm-system-folded"]
    holes += [(leak.start, leak.end) for leak in found if not leak.inside and not leak.names]
    at = 0
    for start, end in sorted(holes):
        if start > at:
            yield at, start
        at = max(at, end + len(text[end:]) - len(text[end:].lstrip()))
    yield at, len(text)


def _place(kept: Sequence[tuple[int, int]], at: int) -> int:
    """The character of the message that is number `at` of what was kept."""
    for start, end in kept:
        if at <= end - start:
            return start + at
        at -= end - start
    return kept[-1][1]


def _diagnostic(
    model: Model,
    condition: Condition,
    trained: str,
    sent: str,
    place: Location,
    severity: Severity | None,
    mark: str | None = None,
) -> Diagnostic:
    values = {"model": model.name, "condition": condition.name, "trained": trained, "sent": sent, **NO_COUNT}
    if mark is not None:
        values["mark"] = mark  # alike differences of one condition are one finding
    return Diagnostic(CODE, values, place, f"{model.name}\n{condition.name}\n{sent}", severity)


def _equal_until(one: str, other: str) -> int:
    """The first character in which two texts differ."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _shown(text: str, at: int) -> str:
    """The text around a character, blanks made visible by the quotes."""
    start, end = max(0, at - AROUND), at + AROUND
    return repr(f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}")
