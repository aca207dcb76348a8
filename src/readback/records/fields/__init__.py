"""The fields of a record: their names, their paths, and those that the prompt formats read."""
