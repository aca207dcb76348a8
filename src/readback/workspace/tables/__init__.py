"""Tables that are probably scores: proposed, and read as scores once somebody confirms it."""
