"""Citations in the texts of Prompts: searched for only while they are switched on, each text once."""

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
from readback.records.fields import row_fields
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
    """Draw the switch, where the texts of the page cite anything or it is on."""
    if on() or any(_cites(text) for text in texts):
        address.follow_switch(KEY)
        st.toggle(t("citations.switch"), key=KEY, help=t("citations.switch_help"), on_change=address.keep, args=(KEY,))


def source(assembly: Assembly) -> Source:
    """Return the texts that the citations of an answer to the record in view are held against."""
    question = "\n\n".join(message.text for message in assembly.messages if message.role == "user")
    return held_by(choice.record().fields, question)


def held_by(fields: Values, question: str) -> Source:
    """Return the excerpt of a legal prompt and the document beside it, else the contexts, else the question."""
    listed = row_fields.read_contexts(fields)
    contexts = None
    if listed is not None and isinstance(listed.value, list):
        contexts_of_record = normalise_contexts(listed.value, listed.name).texts
        contexts = tuple("".join(segment.text for segment in segments) for segments in contexts_of_record)
    prompt = legal_prompt.parse(question)
    texts = [text for name in DOCUMENTS if isinstance(text := fields.get(name), str) and text.strip()]
    if prompt and prompt.excerpt:
        texts.insert(0, prompt.excerpt.text)
    if texts:
        return Source(contexts, "\n\n".join(texts), "excerpt")
    if contexts:
        return Source(contexts, "\n\n".join(contexts), "contexts")
    if prompt:
        return Source(contexts, "", "nothing")
    return Source(contexts, question, "prompt")


def find_citations(text: str) -> tuple[Citation, ...]:
    """Return the legal citations of a text, by the patterns that the workspace names; report a search that is too
    large.
    """
    patterns_option = choice.workspace().options.get("citation_patterns")
    patterns: legal.Patterns = "upstream" if patterns_option == "upstream" else "readback"
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    citations = _find_citations(digest, patterns, text)
    if citations.diagnostic is not None:
        _find_citations.clear(digest, patterns, text)  # a busy machine may have time later
        show.notice(t("citations.too_much", limit=citations.diagnostic.values["limit"]), "warning")
    return citations.citations[0]


def verdicts(text: str, source: Source) -> tuple[Verdict, ...]:
    """Return what the source confirms of each citation of an answer."""
    if source.against == "nothing":
        return tuple(Verdict(citation, "unclear") for citation in find_citations(text))
    return judge_citations(find_citations(text), find_citations(source.text))


def marked(text: str, source: Source | None) -> tuple[Mark, ...]:
    """Return the citations of a text as marks; of an answer with what its `source` confirms of each."""
    if not on():
        return ()
    if source is None:
        return tuple(
            Mark(verdict.start, verdict.end, 0, "cite", _describe_citation(verdict)) for verdict in find_citations(text)
        )
    citation_marks = [
        Mark(
            verdict.citation.start,
            verdict.citation.end,
            0,
            f"cite-{LOOKS[verdict.state]}",
            _mark_verdict(verdict, source),
        )
        for verdict in verdicts(text, source)
    ]
    return (*citation_marks, *_numbered(text, source.contexts))


def _numbered(text: str, contexts: Sequence[str] | None) -> tuple[Mark, ...]:
    if contexts is None:
        return ()
    count = len(contexts)
    return tuple(
        Mark(mark.start, mark.end, 0, "cite-ok", t("citations.mark", number=mark.number, contexts=count))
        if 1 <= mark.number <= count
        else Mark(mark.start, mark.end, 0, "cite-no", t("citations.mark_wrong", number=mark.number, contexts=count))
        for mark in find_marks(text)
    )


def _mark_verdict(verdict: Verdict, source: Source) -> str:
    if source.against == "nothing":
        return f"{_describe_citation(verdict.citation)}. {t('citations.state_unchecked')}"
    if verdict.source:
        there = exact.spelling(verdict.source.text)
    else:
        there = ""
    name = verdict.state.replace(" ", "_")
    state = t(f"citations.state_{name}", where=t(f"citations.in_{source.against}"), there=there)
    return f"{_describe_citation(verdict.citation)}. {state}"


def _describe_citation(citation: Citation) -> str:
    """Return a citation in words: what it is, and the form that it is compared by."""
    kind = t(f"citations.kind_{citation.kind.replace(' ', '_')}")
    if citation.is_short and citation.normal:
        return t("citations.stands_for", kind=kind, normal=citation.normal)
    if citation.normal:
        return t("citations.is", kind=kind, normal=citation.normal)
    return kind


def _cites(text: str) -> bool:
    return bool(find_marks(text)) or legal.probably_cites(text[:LONGEST])


@st.cache_resource(max_entries=KEPT, show_spinner=False)
def _find_citations(digest: str, patterns: legal.Patterns, _text: str) -> SearchResult:
    """By the text's digest, since a cache would hash the text itself at each look."""
    return find_in_child([_text[:LONGEST]], patterns=patterns)
