"""Files that define a judge: its prompt, its rubric and the names that they read."""
