"""What somebody takes along from a page into a meeting: an entry of the agenda, and the same as Markdown."""
