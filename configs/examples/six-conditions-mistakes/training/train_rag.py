"""The part of the training script that Readback reads: it is parsed, never run."""

SYSTEM_MESSAGE = (
    "You are a scientific research assistant who answers with concise, evidence-grounded prose"
    " and includes inline numeric citations like [1], [2], etc."
)


def to_messages(row):
    return [
        {"role": "system", "content": SYSTEM_MESSAGE},
        {"role": "user", "content": row["rag"]["prompt"]},
        {"role": "assistant", "content": row["expected_response"]},
    ]
