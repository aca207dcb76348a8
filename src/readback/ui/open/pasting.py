"""Open: a prompt and a few rows that somebody pastes become a workspace of this browser, like an upload."""

from __future__ import annotations

import io
import json

import streamlit as st

from readback.ui.common import show
from readback.ui.open import opening
from readback.words import t

PROMPT, ROWS = "paste_prompt", "paste_rows"
LETTERS = 500_000  # of each box


def draw() -> None:
    """Draw the two boxes and the button that opens what is in them."""
    with st.expander(t("open.paste"), key="paste_open", expanded=True):
        st.text_area(
            t("open.paste_prompt"),
            key=PROMPT,
            height=130,
            max_chars=LETTERS,
            placeholder=t("open.paste_prompt_hint", question="{question}"),
        )
        st.text_area(
            t("open.paste_rows"),
            key=ROWS,
            height=110,
            max_chars=LETTERS,
            help=t("open.paste_rows_help"),
            placeholder=t("open.paste_rows_hint"),
        )
        if st.button(t("open.paste_go"), key="paste_go", type="primary"):
            prompt, rows = str(st.session_state[PROMPT]), str(st.session_state[ROWS])
            files = name_files(prompt, rows)
            if files:
                opening.take_files([(name, io.BytesIO(text.encode("utf-8", "surrogatepass"))) for name, text in files])
            else:
                show.problem(t("open.paste_nothing"))


def name_files(prompt: str, rows: str) -> list[tuple[str, str]]:
    """Return the files that the two boxes stand for, as (name, text); none where both are empty.

    The text of each file is what was pasted, byte for byte. Rows are called by their form: JSON, lines of JSON, tabs,
    or CSV; what they are read as is decided by the reader of that form, which says what is wrong with them.
    """
    if prompt.strip():
        files = [("prompt.txt", prompt)]
    else:
        files = []
    if rows.strip():
        files.append((f"rows.{_find_suffix(rows)}", rows))
    return files


def _find_suffix(rows: str) -> str:
    """Return the suffix of the form that rows look like."""
    first = rows.lstrip().splitlines()[0]
    if first.startswith("["):
        return "json"
    if first.startswith("{"):
        if _is_json(first):
            return "jsonl"
        return "json"
    if "\t" in first:
        return "tsv"
    return "csv"


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
