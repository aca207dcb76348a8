"""The sentences of the built-in prompt formats, for those who build prompts of them and those who compare with them.

Source: the *Prompt Format Specification* of ignaciolinari/beyond-the-cutoff (MIT, November 2025) and the builders it
names as its definition.
"""

KNOWLEDGE = "Answer the following question based on your knowledge. "
CLOSED_BOOK = {
    "no_citations": f"{KNOWLEDGE}Do not include citations or source references as no sources are provided. "
    "Provide a clear and concise response.\n\n",
    "short": f"{KNOWLEDGE}Provide a clear and concise response.\n\n",
}
UNKNOWN = "If the answer is not in the context, say you don't know."
HYBRID = "Answer using the provided context. Cite sources inline as [#] based on the order of the snippets."
STANDARD = (
    "Answer the question using the provided context. Cite the sources inline as [#] based on the order of the snippets."
)
NO_CONTEXTS = "(No contexts provided)"  # only where the standard prompt is rebuilt for a row without contexts

# The standard prompt, and what the program that stored it writes in place of the second sentence where a row needs no
# citations.
SENTENCES = (
    "Answer the question using the provided context.",
    "Cite the sources inline as [#] based on the order of the snippets.",
    UNKNOWN,
)
NO_CITATIONS = "Do not fabricate citations."
