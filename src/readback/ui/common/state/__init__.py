"""Hold what is in view: the address, the session, and what is read once for everybody."""
