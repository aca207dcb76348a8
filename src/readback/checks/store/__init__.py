"""Store answers of checks, named by the content that they depend on."""
