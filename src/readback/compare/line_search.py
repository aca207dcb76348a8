"""Which records surely do not hold a text in what a choice sends, known from their lines: those are not assembled.

What a built-in prompt format sends are the format's own sentences with values of the record between them. A plain text
that cannot begin or end inside such a sentence is in the messages only where it is in one value, and then it is in the
record's line as it is, unless it is written with escapes there. All else is assembled and looked through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from readback.compare import search_expression
from readback.compare.search_expression import Query
from readback.prompts import builders
from readback.prompts.assemble import assemble
from readback.prompts.builders import Builder
from readback.prompts.request_settings import resolve_program
from readback.prompts.selections import resolve_selection
from readback.records.dataset import ESCAPED, Dataset
from readback.records.fields.private_fields import private_paths
from readback.records.raw_lines import FORMATS, Looks
from readback.types import Diagnostic, Message, Model, Record, Selection, Workspace

WITH_CONTEXTS = frozenset({"hybrid", "standard"})
NUMBERING = re.compile(r"[\[\]\ufffd]|^[\d\s]+$|^\s|\s$")  # what may be in the numbers between contexts, or beside them
# In JSON these may stand for a letter of a text in ASCII, whatever the case; for others any escape may.
ESCAPES = r"\\u(?i:00[2-7]|212a|017f)"
ANY_ESCAPE = r"\\u"
# Contexts that are no texts are sent in Python's spelling: a list that begins with something else, or goes on with it.
# The quotation mark that ends a text has no backslash before it, or one that is itself written as two: a second look,
# for what begins with any letter is looked for ten times as long as what begins with a quotation mark.
_GOES_ON = r'"\s*,\s*(?:[-0-9{\[]|true|false|null|NaN|Infinity)'
ODD = ((r'"contexts"\s*:\s*\[\s*[^"\]\s]',), (_GOES_ON, rf"(?:[^\\]|\\\\){_GOES_ON}"))
CONTEXTS = frozenset({"contexts", "rag"})  # fields that hold them, unless another one is read in their place
VALUE = "value"
MADE_UP: tuple[dict[str, Any], ...] = (
    {"instruction": VALUE},
    {"instruction": VALUE, "rag": {"prompt": VALUE, "contexts": []}},
    {"instruction": VALUE, "rag": {"prompt": VALUE, "contexts": [VALUE]}},
    {"instruction": VALUE, "rag": {"prompt": VALUE, "contexts": [VALUE, VALUE, VALUE]}},
    {"instruction": VALUE, "rag": {"prompt": VALUE, "contexts": [f"[1] {VALUE}", f"[2] {VALUE}"]}},
)


def list_patterns(opened: Workspace, data: Dataset, choice: Selection, query: Query) -> tuple[Looks, ...] | None:
    """Return patterns: the line of every matching record fits one; None where lines alone cannot tell."""
    source = data.source
    if data.format not in FORMATS or source is None or private_paths(source):  # private values are sent as a mask
        return None
    if query.regex or NUMBERING.search(query.text) or not ESCAPED.isdisjoint(query.text):
        return None
    if search_expression.SURROGATE.search(query.text) or (built := _find_builder(opened, choice)) is None:
        return None
    kind, _ = built
    if any(_may_touch(query.text.casefold(), pieces) for pieces in _list_sentences(opened, choice)):
        return None
    if kind in WITH_CONTEXTS and not CONTEXTS.isdisjoint(source.fields):
        return None
    if query.text.isascii():
        escapes = ESCAPES
    else:
        escapes = ANY_ESCAPE
    return ((search_expression.build_pattern(query),), (escapes,), *(ODD if kind in WITH_CONTEXTS else ()))


def _list_sentences(opened: Workspace, choice: Selection) -> Iterator[list[str]]:
    """Yield for each message of made-up records the texts before, between and behind its values."""
    for fields in MADE_UP:
        messages: Sequence[Message] = assemble(opened, Record(None, fields), choice, origins=False).messages
        for message in messages:
            pieces = [""]
            for segment in message.segments:
                if segment.origin == "variable":
                    pieces.append("")
                else:
                    pieces[-1] += segment.text.casefold()
            yield pieces


def _may_touch(wanted: str, pieces: Sequence[str]) -> bool:
    """Return whether a text, casefolded, can be in such a message other than inside of one value."""
    last = len(pieces) - 1
    for number, piece in enumerate(pieces):
        before, after = number > 0, number < last
        if wanted in piece or (before and after and piece in wanted):
            return True
        ends = range(1, min(len(wanted), len(piece) + 1))
        if (after and any(piece.endswith(wanted[:n]) for n in ends)) or (
            before and any(piece.startswith(wanted[-n:]) for n in ends)
        ):
            return True
    return False


def _find_builder(workspace: Workspace, choice: Selection) -> tuple[Builder, Model | None] | None:
    """Return the built-in format of a choice and its model, where nothing else has a part in the messages: no judge,
    task, adapter, merged roles or Albert program; else None.
    """
    if choice.judge:
        chosen = None
    else:
        chosen = resolve_selection(workspace, choice)
    if chosen is None or isinstance(chosen, Diagnostic):
        return None
    prompt, model = chosen.prompt, chosen.model
    if prompt.syntax != "builder" or chosen.is_task or "merge_roles" in workspace.options:
        return None
    if chosen.adapter or resolve_program(workspace, prompt).albert:
        return None
    return builders.choose_builder(
        prompt.template or prompt.mode, model.type if model else None, workspace.options
    ), model
