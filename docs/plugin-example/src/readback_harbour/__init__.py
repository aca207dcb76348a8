"""What a harbour office adds to Readback: a format, a dialect, a rule, an adapter and a source of scores."""

from pathlib import Path

ADAPTER = Path(__file__).with_name("harbour_office.yml")
