"""Search in the messages that are sent: an expression, the places that fit it, and every record of a dataset."""
