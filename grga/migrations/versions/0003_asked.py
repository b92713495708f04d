"""The table of asked questions and their answers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "grga_0003"
down_revision = "grga_0002"


def upgrade() -> None:
    """Make the table; a home from before there were revisions has none."""
    op.create_table(
        "asked",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("token", sa.String, nullable=False),
        sa.Column("visitor", sa.String, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("question", sa.String, nullable=False),
        sa.Column("system", sa.String, nullable=False),
        sa.Column("policy", sa.String, nullable=False),
        sa.Column("without", sa.String, nullable=False),
        sa.Column("scope", sa.String, nullable=False),
        sa.Column("meetings", sa.String, nullable=False),
        sa.Column("verified", sa.Boolean, nullable=False),
        sa.Column("found", sa.Boolean, nullable=False),
        sa.Column("parts", sa.String, nullable=False),
        sa.Column("rating", sa.Integer),
        sa.Column("reasons", sa.String, nullable=False),
        sa.Column("comment", sa.String, nullable=False),
    )
    op.create_index("ix_asked_token", "asked", ["token"], unique=True)
    op.create_index("ix_asked_visitor", "asked", ["visitor"])
