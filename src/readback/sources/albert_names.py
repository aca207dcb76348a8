"""What a template of an Albert configuration may read, by the document.

Source: the *Prompt template* page of etalab-ia/franceservices-backend (MIT).
"""

from __future__ import annotations

from difflib import get_close_matches

VARIABLES = ("query", "context", "links", "institution", "most_similar_experience", "experience_chunks", "sheet_chunks")
EXPERIENCE_FIELDS = ("id_experience", "titre", "description", "intitule_typologie_1", "reponse_structure_1")
SHEET_FIELDS = (
    "hash",
    "sid",
    "title",
    "url",
    "introduction",
    "text",
    "context",
    "theme",
    "surtitre",
    "source",
    "related_questions",
    "web_services",
)
META = ("limit", "skip_first", "sources", "should_sids", "must_not_sids", "institution", "history", "search_query")
MISSPELT = "seach_query"  # [sic]: what the program of the document sets beside the query
COLLECTION = "_collection"  # how the names end that the later program fills


def is_documented(name: str) -> bool:
    """Tell whether a variable is one that the document lists, or one that either program fills."""
    return name in VARIABLES or name in META or name == MISSPELT or name.endswith(COLLECTION)


def suggest_variable(name: str) -> str | None:
    """Return the documented variable that an unknown name probably means."""
    return _find_close(name, (*VARIABLES, *META))


def list_chunk_fields(chunks: str) -> tuple[str, ...] | None:
    """Return the documented fields of one item of a list of chunks; None where the items are not described."""
    if chunks == "experience_chunks":
        return EXPERIENCE_FIELDS
    if chunks == "sheet_chunks":
        return SHEET_FIELDS
    if chunks.endswith("chunks"):
        return (*SHEET_FIELDS, *EXPERIENCE_FIELDS)
    return None


def suggest_field(name: str, chunks: str) -> str | None:
    """Return the documented field that an unknown one probably means."""
    return _find_close(name, list_chunk_fields(chunks) or ())


def _find_close(name: str, names: tuple[str, ...]) -> str | None:
    return next(iter(get_close_matches(name[:200].casefold(), names, n=1)), None)
