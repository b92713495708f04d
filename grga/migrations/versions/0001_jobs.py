"""The table of background jobs, as homes had it before there were revisions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "grga_0001"
down_revision = None

STATES = ("QUEUED", "RUNNING", "DONE", "FAILED", "CANCELLED")


def upgrade() -> None:
    """Make the table; an older home has it already."""
    op.create_table(
        "jobs",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("title", sa.String, nullable=False),
        sa.Column("folder", sa.String, nullable=False),
        sa.Column("options", sa.String, nullable=False),
        sa.Column("state", sa.Enum(*STATES, name="jobstate"), nullable=False),
        sa.Column("stage", sa.String, nullable=False),
        sa.Column("percent", sa.Float, nullable=False),
        sa.Column("seconds_left", sa.Float),
        sa.Column("error", sa.String, nullable=False),
        sa.Column("place", sa.Float, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started", sa.DateTime(timezone=True)),
        sa.Column("finished", sa.DateTime(timezone=True)),
        sa.Column("meeting", sa.String),
        if_not_exists=True,
    )
    op.create_index("ix_jobs_state", "jobs", ["state"], if_not_exists=True)
