"""The audit: every rule over every record and every choice, in bounded children, with one summary."""
