"""What a judge wrote in its reply: the one object that holds the scores, and what each criterion got."""

from readback.scores.files.judge_reply.read_reply import Reply, Step, read, read_plain
from readback.scores.files.judge_reply.reply_scores import NULL, Mark, mark, scores, spellings, written
from readback.scores.table import NOT_READ

__all__ = [
    "NOT_READ",
    "NULL",
    "RAG",
    "RUBRIC",
    "Mark",
    "Reply",
    "Step",
    "mark",
    "read",
    "read_plain",
    "scores",
    "spellings",
    "written",
]

# The keys a reply is asked for: by the judge of GRAG-LiveRAG, and by the rubrics of beyond-the-cutoff.
RAG = ("evaluation_notes", "relevance_score", "faithfulness_score")
RUBRIC = ("scores", "verdict", "reasoning", "missing_citations", "hallucinated_citations")
