"""The judge's prompt for the demo: two constants, read and never run."""

SYSTEM_PROMPT = """You grade answers to questions about the harbour manual of Port Ellery.

Relevance: 2 when the answer is right and holds nothing else, 1 when it is right among other things,
0 when it declines to answer, -1 when it is wrong or beside the point.
Faithfulness: 1 when the documents support all of it, 0 when they support a part, -1 when they support nothing.
"""

EVALUATION_PROMPT_TEMPLATE = """Question:
{question}

Answer to grade:
{answer}

{gold_reference}Documents:
{documents}

Reply with JSON only:
{{"evaluation_notes": "<one sentence>", "relevance_score": <-1, 0, 1 or 2>, "faithfulness_score": <-1, 0 or 1>}}
"""
