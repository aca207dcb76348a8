"""Files before their format: paths, bytes, encodings, lines, checksums, and copies in the cache."""
