"""A built-in prompt format written out as a Jinja template, to start an edited copy from.

The builders decide by the record: which spelling of a field it has, whether its contexts carry numbers already. The
template is written for one record, and holds for every record like it; what a builder does for a record without
contexts is in it too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from readback.prompts import builders
from readback.prompts.contexts import NUMBER
from readback.records import row_fields
from readback.sources.prompt_texts import CLOSED_BOOK, HYBRID, NO_CONTEXTS, STANDARD, UNKNOWN
from readback.types import Record

ALONE = "Question: {question}\n\nAnswer:"


def format_template(name: str, record: Record, model_type: str | None, options: Mapping[str, str]) -> str | None:
    """The template of mode `name` for a model's type, as `builders.build` would make it; None where nothing is made
    of the record, and where its contexts are no list.
    """
    if not builders.build(name, record, model_type, options).ok:
        return None
    wanted = builders.builder(name, model_type, options)
    if wanted == "stored":
        stored = row_fields.read_stored_prompt(record.fields)
        return f"{{{{ {stored.name} }}}}" if stored else None
    question = "{{ instruction | trim }}"
    alone = ALONE.format(question=question)
    if wanted == "question":
        return alone
    if wanted == "closed_book":
        return CLOSED_BOOK["short" if options.get("closed_book") == "short" else "no_citations"] + alone
    contexts = row_fields.read_contexts(record.fields) or row_fields.Field("contexts", [])
    if not isinstance(contexts.value, list):
        return None
    field = contexts.name
    document = wanted == "hybrid" and options.get("spacing") == "document"
    block = _block(field, contexts.value, "\n" if document else "\n\n")
    if wanted == "standard":
        without = NO_CONTEXTS if name == "standard" else None
        inner = f"{{% if {field} %}}{block}{{% else %}}{without}{{% endif %}}" if without else block
        made = f"{STANDARD} {UNKNOWN}\n\nContext:\n{inner}\n\nQuestion: {question}\nAnswer:"
        if without:
            return made
    else:
        lines = "\n" if document else " "
        made = f"Question: {question}\n\nContext:\n{block}\n\n{HYBRID}{lines}{UNKNOWN}\n\nAnswer:"
    return f"{{% if {field} %}}{made}{{% else %}}{alone}{{% endif %}}"


def _block(field: str, contexts: Sequence[Any], between: str) -> str:
    """The contexts one after the other, numbered unless every one of them carries its number."""
    kept = [str(one) for one in contexts if one is not None]
    number = "" if kept and all(map(NUMBER.match, kept)) else "[{{ loop.index }}] "
    each = f"{number}{{{{ context | string | trim }}}}"
    # A line end right after a tag is the tag's where blocks are trimmed, so the space between stands in quotes.
    gap = '{% if not loop.last %}{{ "' + between.replace("\n", "\\n") + '" }}{% endif %}'
    return f"{{% for context in {field} | reject('none') %}}{each}{gap}{{% endfor %}}"
