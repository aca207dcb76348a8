"""What people decided about prompts, and on which bytes: roots over all records, the lock, notes and sign-offs."""
