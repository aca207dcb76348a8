"""readback.lock: the fingerprints of a state that was agreed, and what differs from it today."""
