"""The tables of annotation, with a history that can only grow."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "annotation_0001"
down_revision = None

ITEM = "annotation_items.key"


def _text(name: str, *constraints: sa.ForeignKey, **options: Any) -> sa.Column[str]:
    return sa.Column(name, sa.String, *constraints, **{"nullable": False, **options})


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "annotation_items",
        sa.Column("number", sa.Integer, primary_key=True),
        _text("key", unique=True, index=True),
        _text("meeting", index=True),
        _text("type"),
        _text("subtask"),
        _text("question"),
        _text("answer"),
        sa.Column("answer_key", sa.JSON),
        _text("reasoning"),
        sa.Column("hops", sa.Integer, nullable=False),
        sa.Column("answerable", sa.Boolean, nullable=False),
        _text("language", nullable=True),
        sa.Column("generator", sa.JSON, nullable=False),
        _text("status", index=True),
        _text("verifier", nullable=True),
        _text("batch", index=True),
        sa.Column("gold", sa.Boolean, nullable=False),
        sa.Column("proposed", sa.JSON, nullable=False),
        sa.Column("overlap", sa.Integer, nullable=False),
        sa.Column("checks", sa.JSON),
    )
    op.create_table(
        "annotation_evidence",
        _text("item", sa.ForeignKey(ITEM), primary_key=True),
        sa.Column("place", sa.Integer, primary_key=True),
        sa.Column("utt_id", sa.Integer, nullable=False),
        sa.Column("start", sa.Float, nullable=False),
        sa.Column("end", sa.Float, nullable=False),
        _text("speaker"),
        _text("text"),
    )
    op.create_table(
        "annotation_verdicts",
        sa.Column("number", sa.Integer, primary_key=True),
        _text("id", unique=True),
        _text("item", sa.ForeignKey(ITEM), index=True),
        _text("annotator", index=True),
        _text("role"),
        _text("at"),
        _text("kind"),
        _text("reason", nullable=True),
        _text("note"),
        _text("question", nullable=True),
        _text("answer", nullable=True),
        _text("type", nullable=True),
        _text("subtask", nullable=True),
        sa.Column("marked", sa.JSON),
        sa.Column("iou", sa.Float),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("undone", sa.Boolean, nullable=False),
    )
    op.create_table(
        "annotation_locks",
        _text("item", sa.ForeignKey(ITEM), primary_key=True),
        _text("annotator", primary_key=True),
        _text("role"),
        _text("expires"),
    )
    op.create_table(
        "annotation_batches",
        _text("name", primary_key=True),
        _text("meeting", index=True),
        _text("created"),
        _text("by"),
        sa.Column("plan", sa.JSON, nullable=False),
        _text("state"),
        sa.Column("finished", sa.JSON, nullable=False),
        sa.Column("done", sa.Integer, nullable=False),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("tokens", sa.Integer, nullable=False),
        sa.Column("price", sa.Float),
        _text("error"),
    )
    op.create_table(
        "annotation_history",
        sa.Column("number", sa.Integer, primary_key=True),
        _text("item", sa.ForeignKey(ITEM), index=True),
        _text("at"),
        _text("by"),
        _text("action"),
        sa.Column("changes", sa.JSON, nullable=False),
        _text("note"),
    )
    op.create_table("annotation_events", _text("id", primary_key=True))
    _let_it_only_grow("annotation_history")


def _let_it_only_grow(table: str) -> None:
    """Make the database itself refuse to change or delete rows."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            f"CREATE FUNCTION {table}_only_grows() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'the history only grows'; END $$"
        )
        op.execute(
            f"CREATE TRIGGER {table}_only_grows BEFORE UPDATE OR DELETE ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION {table}_only_grows()"
        )
        return
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
            "BEGIN SELECT RAISE(ABORT, 'the history only grows'); END"
        )
