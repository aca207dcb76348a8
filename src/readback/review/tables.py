"""The tables of a review. Texts are ASCII: what people wrote is JSON, so that NUL and lone surrogates are no matter."""

from __future__ import annotations

from sqlalchemy import Column, Integer, LargeBinary, MetaData, String, Table, Text

metadata = MetaData()

events = Table(
    "events",
    metadata,
    Column("sequence", Integer, primary_key=True, autoincrement=False),
    Column("id", String(64), nullable=False, unique=True),
    Column("author", Text, nullable=False),  # JSON
    Column("known", String(16), nullable=False),
    Column("time", String(32), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("payload", Text, nullable=False),  # JSON
    Column("before", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
)
contents = Table(
    "contents",
    metadata,
    Column("sha256", String(64), primary_key=True),
    Column("packed", LargeBinary, nullable=False),  # zlib
)
about = Table("about", metadata, Column("name", String(16), primary_key=True), Column("value", Text, nullable=False))
