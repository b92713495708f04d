"""The one SQLite file below ``home``: write-ahead log, patient writers, tables made when missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event
from sqlalchemy.exc import DBAPIError
from sqlmodel import SQLModel, create_engine

from grga.errors import StoreError

FILE_NAME = "grga.db"
BUSY_SECONDS = 10


def open_database(home: Path) -> Engine:
    """Open ``home``/grga.db and make the tables that are missing.

    Readers never wait for a writer (WAL); a second writer waits up to ``BUSY_SECONDS``. The caller
    imports the modules whose tables it wants before the call.

    Raises:
        StoreError: the folder or the file cannot be written, or the file is no database.
    """
    file = home / FILE_NAME
    try:
        home.mkdir(parents=True, exist_ok=True)
        return _open(file)
    except OSError as error:
        raise StoreError(
            f"the folder {home} cannot be used: {error.strerror}", fix="choose another one with --home"
        ) from error
    except DBAPIError as error:
        raise StoreError(
            f"the database {file} cannot be used: {error.orig}",
            fix="check the space and permissions of its folder, or choose another one with --home",
        ) from error


def _open(file: Path) -> Engine:
    engine = create_engine(f"sqlite:///{file}", connect_args={"check_same_thread": False})
    event.listen(engine, "connect", _configure)
    SQLModel.metadata.create_all(engine)
    return engine


def _configure(connection: Any, record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute(f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}")
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.close()
