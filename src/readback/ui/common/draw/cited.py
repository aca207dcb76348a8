"""Citations in the texts of Messages: searched for only while they are switched on, each text once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from readback.citations import Citation, find_marks, legal
from readback.citations.bounded import SearchResult, find_in_child
from readback.citations.support import Verdict, judge_citations
from readback.html import exact
from readback.html.exact import Mark
from readback.prompts.builders import normalise_contexts
from readback.records import row_fields
from readback.sources import legal_prompt
from readback.types import Assembly, Values
from readback.ui.common import address, show
from readback.ui.common.state import choice
from readback.words import t

KEPT = 256  # texts whose citations are kept for everybody
LONGEST = 400_000  # characters of one text that are looked through on a page
KEY = "citations"  # of the switch, in the address

DOCUMENTS = ("document_text", "chunk_text")  # fields that hold what an excerpt was taken from

Against = Literal["excerpt", "contexts", "prompt", "nothing"]
LOOKS = {"supported": "ok", "year differs": "hm", "altered": "no", "absent": "no", "unclear": "hm"}


@dataclass(frozen=True, slots=True)
class Source:
    """What citations are held against: the contexts that marks count, and the text that has the legal citations.

    `against` is "nothing" where a legal prompt has no excerpt: then nothing can be said of its answers.
    """

    contexts: tuple[str, ...] | None
    text: str
    against: Against


def on() -> bool:
    """Whether citations are switched on in the address."""
    return st.query_params.get(KEY) == "1"


def switch(texts: Sequence[str]) -> None:
    """The switch, where the texts of the page cite anything or it is on."""
    if on() or any(_cites(text) for text in texts):
        address.follow_switch(KEY)
        st.toggle(t("citations.switch"), key=KEY, help=t("citations.switch_help"), on_change=_switched)


def _switched() -> None:
    """On opens the reference and the answer too: that is where citations can be wrong."""
    address.put(**({KEY: "1", "replies": "1"} if st.session_state[KEY] else {KEY: None}))


def source(made: Assembly) -> Source:
    """What the citations of an answer to the record in view are held against."""
    asked = "\n\n".join(one.text for one in made.messages if one.role == "user")
    return held_by(choice.record().fields, asked)


def held_by(fields: Values, asked: str) -> Source:
    """The excerpt of a legal prompt and the document beside it, else the contexts, else what was asked."""
    listed = row_fields.read_contexts(fields)
    contexts = None
    if listed is not None and isinstance(listed.value, list):
        made_of = normalise_contexts(listed.value, listed.name).texts
        contexts = tuple("".join(segment.text for segment in one) for one in made_of)
    prompt = legal_prompt.parse(asked)
    texts = [text for name in DOCUMENTS if isinstance(text := fields.get(name), str) and text.strip()]
    if prompt and prompt.excerpt:
        texts.insert(0, prompt.excerpt.text)
    if texts:
        return Source(contexts, "\n\n".join(texts), "excerpt")
    if contexts:
        return Source(contexts, "\n\n".join(contexts), "contexts")
    return Source(contexts, "", "nothing") if prompt else Source(contexts, asked, "prompt")


def found(text: str) -> tuple[Citation, ...]:
    """The legal citations of a text, by the patterns that the workspace names; a search that is too much is said."""
    asked = choice.workspace().options.get("citation_patterns")
    patterns: legal.Patterns = "upstream" if asked == "upstream" else "readback"
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    made = _found(digest, patterns, text)
    if made.diagnostic is not None:
        _found.clear(digest, patterns, text)  # a busy machine may have time later
        show.notice(t("citations.too_much", limit=made.diagnostic.values["limit"]), "warning")
    return made.citations[0]


def verdicts(text: str, held: Source) -> tuple[Verdict, ...]:
    """What the source says of each citation of an answer."""
    if held.against == "nothing":
        return tuple(Verdict(one, "unclear") for one in found(text))
    return judge_citations(found(text), found(held.text))


def marked(text: str, held: Source | None) -> tuple[Mark, ...]:
    """The citations of a text as marks; of an answer (`held` is its source) with what the source says of each."""
    if not on():
        return ()
    if held is None:
        return tuple(Mark(one.start, one.end, 0, "cite", _said(one)) for one in found(text))
    told = [Mark(one.citation.start, one.citation.end, 0, f"cite-{LOOKS[one.state]}", _held(one, held))
            for one in verdicts(text, held)]  # fmt: skip
    return (*told, *_numbered(text, held.contexts))


def _numbered(text: str, contexts: Sequence[str] | None) -> tuple[Mark, ...]:
    if contexts is None:
        return ()
    count = len(contexts)
    return tuple(
        Mark(one.start, one.end, 0, "cite-ok", t("citations.mark", number=one.number, contexts=count))
        if 1 <= one.number <= count
        else Mark(one.start, one.end, 0, "cite-no", t("citations.mark_wrong", number=one.number, contexts=count))
        for one in find_marks(text)
    )


def _held(one: Verdict, held: Source) -> str:
    if held.against == "nothing":
        return f"{_said(one.citation)}. {t('citations.state_unchecked')}"
    there = exact.spelling(one.source.text) if one.source else ""
    name = one.state.replace(" ", "_")
    state = t(f"citations.state_{name}", where=t(f"citations.in_{held.against}"), there=there)
    return f"{_said(one.citation)}. {state}"


def _said(one: Citation) -> str:
    """A citation in words: what it is, and the form that it is compared by."""
    kind = t(f"citations.kind_{one.kind.replace(' ', '_')}")
    if one.is_short and one.normal:
        return t("citations.stands_for", kind=kind, normal=one.normal)
    return t("citations.is", kind=kind, normal=one.normal) if one.normal else kind


def _cites(text: str) -> bool:
    return bool(find_marks(text)) or legal.probably_cites(text[:LONGEST])


@st.cache_resource(max_entries=KEPT, show_spinner=False)
def _found(digest: str, patterns: legal.Patterns, _text: str) -> SearchResult:
    """By the text's digest, since a cache would hash the text itself at each look."""
    return find_in_child([_text[:LONGEST]], patterns=patterns)
