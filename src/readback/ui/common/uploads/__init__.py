"""Keep uploaded files: for the browser that sent them, for a day."""
