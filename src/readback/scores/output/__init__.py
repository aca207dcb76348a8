"""The JSON that `readback scores` answers with."""
