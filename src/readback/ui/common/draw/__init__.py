"""Draw what several pages show: texts, tables, findings, bars and links."""
