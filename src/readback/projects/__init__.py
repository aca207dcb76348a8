"""Projects of other tools: their prompts, rows and how each tool writes messages."""
