"""What differs between two assemblies: sides, messages, texts, and the sentence that says it."""
