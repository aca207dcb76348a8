"""One record whole: every field with its exact value, where the record is in its file, and a download."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from readback.readers.tables.table_columns import as_written
from readback.types import Record
from readback.ui.common import show
from readback.ui.common.draw import downloads, exports
from readback.ui.common.draw.text import beside
from readback.words import t

MOST = 500  # fields that are drawn; the download has all


def draw(record: Record, name: str) -> None:
    """Draw the fields of the record, which is called `name` on the page, one under the other."""
    show.draw(show.h('<p class="rb-small">{}</p>', show.where(replace(record.place, record=None))))
    values = list(beside.leaves_of(record.fields))
    rows = [_field(path, value) for path, value in values[:MOST]]
    show.draw(show.h('<dl class="rb-fields rb-whole">{}</dl>', show.join(rows)))
    if len(values) > MOST:
        show.draw(show.h('<p class="rb-small">{}</p>', t("records.more_fields", n=len(values) - MOST)))
    if record.masked:
        show.notice(t("frame.masked"))
    downloads.button(
        t("records.download"),
        lambda: json.dumps(as_written(record.fields), indent=1),
        f"{exports.name('record', name)}.json",
        "application/json",
        key="record_json",
    )


def _field(path: str, value: Any) -> Markup:
    if isinstance(value, str):
        return show.h("<dt><strong>{}</strong></dt><dd>{}</dd>", path, show.exact_text(value))
    text = show.exact_text(json.dumps(value, ensure_ascii=False))
    return show.h(
        '<dt><strong>{}</strong> <span class="rb-small">{}</span></dt><dd>{}</dd>', path, t("records.no_text"), text
    )
