"""Define entries of the agenda, which people collect from pages for a meeting, and format them as Markdown."""
