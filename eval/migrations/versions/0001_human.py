"""The tables of blind human studies."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "eval_0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "human_studies",
        sa.Column("key", sa.String, primary_key=True),
        sa.Column("title", sa.String, nullable=False),
        sa.Column("pilot", sa.Boolean, nullable=False),
        sa.Column("criteria", sa.Integer, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("made", sa.String, nullable=False),
        sa.Column("opened", sa.String),
        sa.Column("closed", sa.String),
        sa.Column("cleared_by", sa.String, nullable=False),
        sa.Column("findings", sa.JSON, nullable=False),
        sa.Column("unblinded", sa.String),
        sa.Column("unblinded_by", sa.String, nullable=False),
    )
    op.create_table(
        "human_contents",
        sa.Column("study", sa.String, sa.ForeignKey("human_studies.key"), primary_key=True),
        sa.Column("content", sa.JSON, nullable=False),
    )
    op.create_table(
        "human_raters",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("study", sa.String, sa.ForeignKey("human_studies.key"), nullable=False, index=True),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("salt", sa.String, nullable=False),
        sa.Column("invited", sa.String, nullable=False),
        sa.Column("expires", sa.String, nullable=False),
        sa.Column("revoked", sa.Boolean, nullable=False),
        sa.Column("consented", sa.String),
        sa.Column("row", sa.Integer),
        sa.Column("finished", sa.String),
    )
    op.create_table(
        "human_tasks",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("rater", sa.String, sa.ForeignKey("human_raters.id"), nullable=False, index=True),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("item", sa.String, nullable=False),
        sa.Column("system", sa.String),
        sa.Column("shown", sa.String),
        sa.Column("done", sa.String),
    )
    task = sa.ForeignKey("human_tasks.id")
    op.create_table(
        "human_ratings",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("task", sa.String, task, nullable=False, index=True),
        sa.Column("criterion", sa.String, nullable=False),
        sa.Column("score", sa.Integer, nullable=False),
        sa.Column("at", sa.String, nullable=False),
        sa.Column("changes", sa.Integer, nullable=False),
        sa.UniqueConstraint("task", "criterion"),
    )
    op.create_table(
        "human_rating_history",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("task", sa.String, sa.ForeignKey("human_tasks.id"), nullable=False, index=True),
        sa.Column("criterion", sa.String, nullable=False),
        sa.Column("score", sa.Integer, nullable=False),
        sa.Column("at", sa.String, nullable=False),
    )
    op.create_table(
        "human_listens",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("task", sa.String, sa.ForeignKey("human_tasks.id"), nullable=False, index=True),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("at", sa.String, nullable=False),
    )
    op.create_table(
        "human_refusals",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("study", sa.String, nullable=False, index=True),
        sa.Column("by", sa.String, nullable=False),
        sa.Column("what", sa.String, nullable=False),
        sa.Column("reason", sa.String, nullable=False),
        sa.Column("at", sa.String, nullable=False),
    )
    op.create_table("human_events", sa.Column("id", sa.String, primary_key=True))
