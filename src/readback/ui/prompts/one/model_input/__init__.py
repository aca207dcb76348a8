"""What the model reads of a record: its one text, its tokens, and what made it."""
