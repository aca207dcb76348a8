"""Numbers in, numbers out: intervals, tests and agreement, each with its formula and source; no tables, no texts."""
