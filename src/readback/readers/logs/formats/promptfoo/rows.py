"""Turn a row of promptfoo's results into a call, its record and its scores.

* What was sent is `prompt.raw`, after rendering: a chat is a JSON list of messages in it, or YAML that begins with
  `- role:`; every other text is the one message of the user.
* A text in a chat that is a JSON object or list is re-spelled in the file, without its blanks; it was sent as it was.
* `vars` are the values before rendering, re-spelled where they look like JSON: they are shown and never compared.
* A condition is the prompt's label and the provider's label, or its id. A row is called by `testIdx`; a test that is
  repeated has a testIdx of its own each time, and is a replicate where its variables, its description and its
  assertions are those of an earlier one.
* `failureReason` 2 is an error: no answer, no scores. Otherwise `error` only repeats why an assertion failed.
* Each entry of `gradingResult.namedScores` is a criterion, `score` is the criterion `overall` and `success` is `pass`.
  A grader without a grade is stored as score 0 with a reason in NO_GRADE: a failure, in every mean that it is part of.
* What a model-graded assertion sent is in `metadata.renderedGradingPrompt` of its component: a call of the judge.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from readback.readers.json_text import DEEPEST, Decoder, NotJson
from readback.readers.logs.events import Call, Event, LogRecord, LogScore
from readback.readers.logs.open_file import report_row
from readback.readers.yaml.yaml_decode import decode as decode_yaml

OVERALL, PASS = "overall", "pass"
NO_GRADE = ("Could not extract JSON", "No output")  # how the reasons of a grader without a grade begin
ERROR = 2  # failureReason: 0 is none, 1 an assertion
GRADED_BY_MODEL = frozenset(
    (
        "answer-relevance",
        "classifier",
        "context-faithfulness",
        "context-recall",
        "context-relevance",
        "conversation-relevance",
        "factuality",
        "g-eval",
        "llm-rubric",
        "model-graded-closedqa",
        "model-graded-factuality",
        "moderation",
        "pi",
        "search-rubric",
        "select-best",
        "similar",
    )
)
NEGATED = "not-"
RESPELLED = "a text of the chat is JSON: promptfoo writes it without its blanks into results, and sent it as it was"


def name_condition(label: Any, provider: Any) -> str:
    """Return the condition of a prompt's label and a provider."""
    return " | ".join(part for part in (label, provider) if isinstance(part, str))


class RowReader:
    """Reads rows in the order of the file; it remembers which tests it saw, to count repeats."""

    def __init__(self, file: str) -> None:
        self.count = 0
        self._file = file
        self._tests: dict[bytes, int] = {}  # the first testIdx of tests that are alike
        self._repeats: dict[int, dict[int, int]] = {}  # by that testIdx, the others and which repeat each is
        self._epochs: dict[tuple[int, str], int] = {}  # of rows without a testIdx

    def make_unreadable(self, reason: str, line: int | None) -> Call:
        """Return the call of a row that cannot be read."""
        self.count += 1
        return Call(index=self.count - 1, condition=None, messages=None, error=reason, line=line, is_answer=False)

    def read(self, row: Any, line: int | None) -> Iterator[Event]:
        """Yield the events of one row."""
        if isinstance(row, dict):
            prompt = row.get("prompt")
        else:
            prompt = None
        if not isinstance(prompt, dict | str):
            if not isinstance(row, dict):
                reason = "no object"
            else:
                reason = "it has no prompt"
            yield report_row(reason, self._file, line)
            yield self.make_unreadable(reason, line)
            return
        label, raw = (prompt, prompt) if isinstance(prompt, str) else (_take_label(prompt), prompt.get("raw"))
        model, provider = _name_provider(row.get("provider"))
        condition = name_condition(label, provider)
        record, epoch, repeat_of = self._find_record(row, condition)
        error = _find_error(row)
        messages, text, warning = read_prompt(raw, error is not None)
        response = row.get("response")
        if isinstance(response, dict):
            output = response.get("output")
        else:
            output = response
        components = list_components(row.get("gradingResult"))
        details: dict[str, Any] = {"components": [describe_component(each) for each in components]}
        if repeat_of is not None:
            details["repeat_of"] = repeat_of
        if text is not None:
            details["raw"] = text
        yield LogRecord(record, _describe_record(row), line)
        yield Call(
            index=record,
            condition=condition,
            messages=messages,
            record=record,
            epoch=epoch,
            prompt=label,
            provider=provider,
            model=model,
            output=output,
            error=error,
            warning=warning,
            line=line,
            details={name: value for name, value in details.items() if value != []},
        )
        self.count += 1
        for call, component in enumerate(_walk_components(components), start=1):
            judge_call = _read_judge_call(component, row, call, record, epoch, condition, line)
            if judge_call is not None:
                yield judge_call
        yield from read_scores(row, components, error, record, epoch, condition, line)

    def _find_record(self, row: Mapping[str, Any], condition: str) -> tuple[int, int, int | None]:
        """Return the record of a row, which repeat of its test it is, and the first of these repeats."""
        test = row.get("testCase")
        test = test if isinstance(test, dict) else {}
        alike = [row.get("vars"), test.get("description"), test.get("assert")]
        digest = blake2b(json.dumps(alike, sort_keys=True, default=str).encode(), digest_size=8).digest()
        index = row.get("testIdx")
        if type(index) is not int or index < 0:  # results of older versions
            index = self._tests.setdefault(digest, len(self._tests))
            epoch = self._epochs[(index, condition)] = self._epochs.get((index, condition), 0) + 1
            return index, epoch, None
        first = self._tests.setdefault(digest, index)
        if first == index:
            return index, 1, None
        repeats = self._repeats.setdefault(first, {})
        return index, repeats.setdefault(index, len(repeats) + 2), first


def _take_label(prompt: Mapping[str, Any]) -> str | None:
    label = prompt.get("label", prompt.get("display"))
    if isinstance(label, str):
        return label
    return None


def _name_provider(provider: Any) -> tuple[str | None, str | None]:
    """Return the id of a provider and what it is called: its label, else its id."""
    if isinstance(provider, str):
        return provider, provider
    if not isinstance(provider, dict):
        return None, None
    model, label = (value if isinstance(value, str) else None for value in (provider.get("id"), provider.get("label")))
    return model, label or model


def _find_error(row: Mapping[str, Any]) -> str | None:
    """Return why a row has no answer: `error` alone may be why an assertion failed."""
    response = row.get("response")
    if isinstance(response, dict):
        inner = response.get("error")
    else:
        inner = None
    reason = row.get("failureReason")
    is_error = reason in (ERROR, "error") or (reason is None and (inner or row.get("gradingResult") is None))
    error = row.get("error") or inner
    if not is_error or (error is None and reason is None):
        return None
    if isinstance(error, str):
        return error
    return json.dumps(error, ensure_ascii=False)


def _describe_record(row: Mapping[str, Any]) -> dict[str, Any]:
    test = row.get("testCase")
    values = row.get("vars")
    if not isinstance(values, dict):
        if isinstance(test, dict):
            values = test.get("vars")
        else:
            values = None
    if isinstance(values, dict):
        fields = dict(values)
    else:
        fields = {}
    if isinstance(test, dict):
        description = test.get("description")
    else:
        description = None
    if isinstance(description, str):
        fields["test.description" if "description" in fields else "description"] = description
    return fields


def read_prompt(raw: Any, failed: bool) -> tuple[Sequence[Mapping[str, Any]] | None, str | None, str | None]:
    """Return the messages of a rendered prompt; else the text that gives none, and a warning."""
    if not isinstance(raw, str):
        return None, None, "the row does not hold its prompt"
    alone = [{"role": "user", "content": raw}]
    text = raw.strip()
    if text.startswith("- role:"):
        value = decode_yaml({"text": raw, "json": False})["value"]
        if _is_chat(value):
            return value, None, None
        if failed:
            return (None, raw, "the prompt is no valid YAML chat, so nothing was sent")
        return (alone, None, None)
    if text[:1] not in ("[", "{"):
        return alone, None, None
    try:
        value = _StrictDecoder().whole(text)
    except NotJson as error:
        if failed and text.startswith(("[{", '{"')):
            return None, raw, f"the prompt is no valid JSON ({error.reason}), so nothing was sent"
        return alone, None, None
    if _is_chat(value):
        is_respelled = any(_is_json(message.get("content")) for message in value)
        return value, None, RESPELLED if is_respelled else None
    return alone, None, "the prompt is JSON and no list of messages: a chat provider sends it as `messages` as it is"


def _is_json(content: Any) -> bool:
    """Whether a content is a JSON object or list written as text."""
    if not isinstance(content, str) or not content.lstrip().startswith(("{", "[")):
        return False
    try:
        return isinstance(_StrictDecoder().whole(content.strip()), dict | list)
    except NotJson:
        return False


def _is_chat(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


class _StrictDecoder(Decoder):
    """Decodes what JSON.parse does: NaN and Infinity are no JSON."""

    def _constant(self, text: str) -> float:
        raise NotJson(f"{text} is no JSON", 0)


def list_components(grading: Any) -> list[dict[str, Any]]:
    """Return the results of the assertions of a grading."""
    if isinstance(grading, dict):
        components = grading.get("componentResults")
    else:
        components = None
    if isinstance(components, list):
        return [item for item in components if isinstance(item, dict)]
    return []


def _walk_components(components: list[dict[str, Any]], depth: int = 0) -> Iterator[dict[str, Any]]:
    """Yield components and those of the sets among them."""
    for component in components:
        yield component
        if depth < DEEPEST:
            yield from _walk_components(list_components(component), depth + 1)


def describe_component(component: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is worth showing of an assertion's result."""
    assertion = component.get("assertion")
    if not isinstance(assertion, dict):
        assertion = {}
    shown_parts = {
        "type": assertion.get("type"),
        "metric": assertion.get("metric"),
        "value": assertion.get("value"),
        "weight": assertion.get("weight"),
        "pass": component.get("pass"),
        "score": component.get("score"),
        "reason": component.get("reason"),
        "components": [describe_component(each) for each in list_components(component)] or None,
    }
    return {name: value for name, value in shown_parts.items() if value is not None}


def is_without_grade(result: Mapping[str, Any]) -> bool:
    """Whether a grader gave no grade, which is stored as score 0."""
    reason = result.get("reason")
    return isinstance(reason, str) and reason.startswith(NO_GRADE)


def _name_judge(component: Mapping[str, Any], row: Mapping[str, Any]) -> str | None:
    """Return the model that graded, or the kind of assertion where the row does not name it; None without a model."""
    assertion = component.get("assertion")
    if isinstance(assertion, dict):
        kind = assertion.get("type")
    else:
        kind = None
    if not isinstance(kind, str) or kind.removeprefix(NEGATED) not in GRADED_BY_MODEL:
        return None
    test = row.get("testCase")
    if isinstance(test, dict):
        options = test.get("options")
    else:
        options = None
    for holder in (assertion, options):
        if isinstance(holder, dict):
            name = _name_provider(holder.get("provider"))[1]
            if name is not None:
                return name
    return kind


def _read_judge_call(
    component: Mapping[str, Any],
    row: Mapping[str, Any],
    call: int,
    record: int,
    epoch: int,
    condition: str,
    line: int | None,
) -> Call | None:
    metadata = component.get("metadata")
    if isinstance(metadata, dict):
        prompt = metadata.get("renderedGradingPrompt")
    else:
        prompt = None
    if not isinstance(prompt, str):
        return None
    messages, _, warning = read_prompt(prompt, False)
    reason = component.get("reason")
    return Call(
        index=record,
        condition=condition,
        messages=messages,
        record=record,
        epoch=epoch,
        call=call,
        role="judge",
        judge=_name_judge(component, row),
        error=reason if is_without_grade(component) and isinstance(reason, str) else None,
        warning=warning,
        line=line,
        is_answer=False,
        details={"component": describe_component(component)},
    )


def read_scores(
    row: Mapping[str, Any],
    components: list[dict[str, Any]],
    error: str | None,
    record: int,
    epoch: int,
    condition: str,
    line: int | None,
) -> Iterator[LogScore]:
    """Yield the grades of one row: each metric, `overall` and `pass`."""
    grading = row.get("gradingResult")
    if not isinstance(grading, dict):
        grading = {}
    metrics = grading.get("namedScores", row.get("namedScores"))
    if not isinstance(metrics, dict):
        metrics = {}
    reasons: dict[str, list[str]] = {}
    judges: dict[str, str] = {}
    failed: dict[str, str] = {}  # metrics that a grading without a grade is part of, and why
    for component in _walk_components(components):
        assertion = component.get("assertion")
        if isinstance(assertion, dict):
            metric = assertion.get("metric")
        else:
            metric = None
        reason = component.get("reason")
        if is_without_grade(component):
            failed[OVERALL] = failed[PASS] = str(reason)
        if not isinstance(metric, str):
            continue
        if is_without_grade(component):
            failed[metric] = str(reason)
        if isinstance(reason, str):
            reasons.setdefault(metric, []).append(reason)
        judge = _name_judge(component, row)
        if judge is not None:
            judges[metric] = judge
    whole_reason = grading.get("reason")
    if not isinstance(whole_reason, str):
        whole_reason = None
    if is_without_grade(grading):
        failed[OVERALL] = failed[PASS] = whole_reason or ""
        if not components and len(metrics) == 1:
            failed[next(iter(metrics))] = whole_reason or ""
    grades: list[tuple[str, str | None, Any, str | None, str | None]] = [
        (
            name if name not in (OVERALL, PASS) else f"{name} (metric)",
            judges.get(name),
            raw,
            failed.get(name),
            " · ".join(reasons.get(name, ())) or None,
        )
        for name, raw in metrics.items()
    ]
    grades.append((OVERALL, None, row.get("score"), failed.get(OVERALL), whole_reason))
    grades.append((PASS, None, row.get("success"), failed.get(PASS), whole_reason))
    for criterion, judge, raw, failure, reason in grades:
        yield make_score(record, epoch, condition, judge, criterion, raw, failure, reason, error, line)


def make_score(
    record: int,
    epoch: int,
    condition: str,
    judge: str | None,
    criterion: str,
    raw: Any,
    failure: str | None,
    reason: str | None,
    error: str | None,
    line: int | None,
) -> LogScore:
    """Return a grade: failed where the grader gave none, missing where the row has an error, else its number."""
    if isinstance(raw, int | float) and abs(raw) < 1 << 62:
        value = float(raw)
    else:
        value = None
    if error is not None:
        return LogScore(record, condition, judge, criterion, None, raw, "missing", epoch, error, line)
    if failure is not None:
        return LogScore(record, condition, judge, criterion, None, raw, "failed", epoch, failure, line)
    if value is None:
        if raw is None:
            status = "failed"
        else:
            status = "not applicable"
        return LogScore(record, condition, judge, criterion, None, raw, status, epoch, reason, line)  # type: ignore[arg-type]
    return LogScore(record, condition, judge, criterion, value, raw, "scored", epoch, reason, line)
