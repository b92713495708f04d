"""Jobs belong to a visitor, are of a kind, list their stages and say more than an error."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "grga_0002"
down_revision = "grga_0001"

COLUMNS = {"visitor": "", "kind": "index", "stages": "[]", "notes": "[]"}


def upgrade() -> None:
    """Add the columns; the older rows get their defaults."""
    for name, value in COLUMNS.items():
        op.add_column("jobs", sa.Column(name, sa.String, nullable=False, server_default=value))
    op.create_index("ix_jobs_visitor", "jobs", ["visitor"])
