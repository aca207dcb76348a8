"""What somebody takes along from a page into a meeting: an entry for a list, as Markdown and as one HTML file."""
