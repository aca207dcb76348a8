"""Events, the texts they speak of, and what the review is of."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "a1"
down_revision = None


def upgrade() -> None:
    """Create the first tables; on SQLite the database itself refuses to change or remove an event."""
    op.create_table(
        "events",
        sa.Column("sequence", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("id", sa.String(64), nullable=False, unique=True),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("known", sa.String(16), nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("before", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
    )
    op.create_table(
        "contents",
        sa.Column("sha256", sa.String(64), primary_key=True),
        sa.Column("packed", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "about", sa.Column("name", sa.String(16), primary_key=True), sa.Column("value", sa.Text, nullable=False)
    )
    if op.get_bind().dialect.name == "sqlite":
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER events_{change.lower()} BEFORE {change} ON events "
                "BEGIN SELECT RAISE(ABORT, 'an event is never changed'); END"
            )
