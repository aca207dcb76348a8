"""Chat templates of transformers and vLLM: the files that hold them, and what they make of messages."""
