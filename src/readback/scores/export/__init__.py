"""A plain table, and the forms in which somebody takes it along."""
