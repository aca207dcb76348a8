"""How many tokens the longest prompt of each condition has, counted exactly where the model names a tokenizer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from readback.checks.summary import Audit, Row, selection_key
from readback.prompts import assemble, model_input, selections, token_counts
from readback.records.dataset import Dataset
from readback.serving import limits, tokens
from readback.types import Tokens, Workspace

Asked = tuple[str | None, bool]  # the tokenizer, and whether special tokens are special


def with_tokens(opened: Workspace, data: Dataset, audit: Audit) -> Audit:
    """Return the summary with the tokens of each condition's longest prompt (by characters) if its model has a limit.

    One prompt for each condition is assembled again, and each tokenizer asked once: a count for every record would cost
    as much as all the rest. Raises DatasetChanged.
    """
    texts: dict[Asked, list[tuple[str, str]]] = defaultdict(list)
    for row, tokenizer_key, row_texts in _longest(opened, data, audit):
        texts[tokenizer_key].extend((row.name, text) for text in row_texts)
    counted: dict[str, Tokens] = {}
    for (tokenizer, special), named in texts.items():
        by, _ = tokens.load_counter(tokenizer, opened.root)
        sizes = tokens.count_each(by, [text for _, text in named], special=special)
        for (name, _), size in zip(named, sizes, strict=True):
            counted[name] = Tokens(size + (counted[name].count if name in counted else 0), by.name, by.exact)
    return replace(audit, conditions=tuple(replace(row, tokens=counted.get(row.name)) for row in audit.conditions))


def _longest(opened: Workspace, data: Dataset, audit: Audit) -> Iterator[tuple[Row, Asked, tuple[str, ...]]]:
    for row in audit.conditions:
        model, ends = selections.find_model(opened, row.choice), audit.lengths.get(selection_key(row.choice))
        if model is None or ends is None or limits.find_limit(model) is None:
            continue
        record = data.record(ends.longest_at)
        assembly = assemble.assemble(opened, record, row.choice)
        sent = model_input.build_model_input(opened, record, assembly, opened.condition(row.name), False)
        texts, kind = token_counts.list_counted_texts(assembly, sent)
        yield row, (model.tokenizer, kind == "wire"), texts
