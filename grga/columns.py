"""Kinds of database columns that SQLite and PostgreSQL store alike."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Dialect, String
from sqlalchemy.types import TypeDecorator


class UtcTime(TypeDecorator[datetime]):
    """An aware moment as ISO text in UTC with microseconds, so that text order is time order."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        """To the database."""
        return None if value is None else value.astimezone(UTC).isoformat(timespec="microseconds")

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        """From the database."""
        return None if value is None else datetime.fromisoformat(value)


class Choice(TypeDecorator[StrEnum]):
    """A value of one enumeration, as its text."""

    impl = String
    cache_ok = True

    def __init__(self, values: type[StrEnum]) -> None:
        super().__init__()
        self.values = values

    def process_bind_param(self, value: StrEnum | None, dialect: Dialect) -> str | None:
        """To the database."""
        return None if value is None else self.values(value).value

    def process_result_value(self, value: Any | None, dialect: Dialect) -> StrEnum | None:
        """From the database."""
        return None if value is None else self.values(value)
