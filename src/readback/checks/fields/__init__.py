"""Which field fills which variable, and which fields and variables have no partner."""
