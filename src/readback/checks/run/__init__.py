"""Run a check: children over ranges of records, what they find, and what is told of all records together."""
