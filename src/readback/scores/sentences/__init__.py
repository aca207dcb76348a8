"""What is written about scores, for pages, commands and reports alike."""
