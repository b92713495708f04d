"""The one SQLite file below ``home``: write-ahead log, patient writers, tables brought up to date.

Tables change only by Alembic revisions (``migrations/``), so a home of any older version opens with
its rows. What differs between SQLite and another database stands in this module alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlmodel import Session, create_engine

from grga.errors import StoreError

if TYPE_CHECKING:
    from alembic.script import ScriptDirectory

FILE_NAME = "grga.db"
BUSY_SECONDS = 10
MIGRATIONS = Path(__file__).with_name("migrations")

POSTGRES = "postgresql+pg8000"
WRITE_LOCK = 7_161_720
"""Our number among PostgreSQL's advisory locks."""

_WRITES = "grga_writes"
_migrating = Lock()


def open_database(home: Path, url: str | None = None) -> Engine:
    """Open ``home``/grga.db, or the database at ``url``, and bring its tables up to date.

    Readers never wait for a writer (WAL); a second writer waits up to ``BUSY_SECONDS``. Write only
    through :func:`writing`; to read, ``Session(engine)`` is enough.

    Args:
        home: The folder of the meetings.
        url: For example ``postgresql://user:password@host/name``; None takes the file in ``home``.

    Raises:
        StoreError: the folder or the file cannot be written, the file is no database, the server does
            not answer, or a newer version of GRGA has written the tables.
    """
    file = home / FILE_NAME
    try:
        home.mkdir(parents=True, exist_ok=True)
        engine = connect(url or f"sqlite:///{file}")
        migrate(engine, MIGRATIONS, "grga")
    except OSError as error:
        raise StoreError(
            f"the folder {home} cannot be used: {error.strerror}", fix="choose another one with --home"
        ) from error
    except DBAPIError as error:
        if url is not None:
            server = make_url(url).render_as_string(hide_password=True)
            raise StoreError(
                f"the database {server} cannot be used",
                fix="check that it runs and that the address is right",
            ) from error
        raise StoreError(
            f"the database {file} cannot be used: {error.orig}",
            fix="check the space and permissions of its folder, or choose another one with --home",
        ) from error
    return engine


def connect(url: str) -> Engine:
    """Return an engine for ``url`` whose transactions begin as :func:`writing` wants them.

    Raises:
        StoreError: not an address of a database, or its driver is not installed.
    """
    try:
        address = make_url(url)
        if address.drivername in ("postgres", "postgresql"):
            address = address.set(drivername=POSTGRES)
        if address.get_backend_name() != "sqlite":
            engine = create_engine(address, pool_pre_ping=True)
            event.listen(engine, "begin", _begin_postgres)
            return engine
    except (ArgumentError, ImportError) as error:
        fix = "give one like postgresql://user:password@host/name, and `pip install grga[postgres]`"
        raise StoreError(f"this address of a database cannot be used: {error}", fix=fix) from None
    engine = create_engine(url, connect_args={"check_same_thread": False, "timeout": BUSY_SECONDS})
    event.listen(engine, "connect", _configure)
    event.listen(engine, "begin", _begin)
    return engine


@contextmanager
def writing(engine: Engine) -> Iterator[Session]:
    """Give a session whose transaction may write from its first statement on; commit at the end.

    Two writers never fail halfway: the second waits here until the first has committed. What is
    read inside is therefore still true when it is written. An exception rolls everything back.
    """
    with Session(_for_writing(engine), expire_on_commit=False) as session, session.begin():
        session.connection()
        yield session


def migrate(engine: Engine, folder: Path, name: str) -> None:
    """Run the Alembic revisions in ``folder``/versions that the database has not seen, all or none.

    Args:
        engine: From :func:`open_database` or :func:`connect`.
        folder: A package's own migrations.
        name: Of the package; the version is kept in the table ``alembic_version_<name>``.

    Raises:
        StoreError: the tables were made by a newer version of the package.
    """
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    # ``alembic.op``, which revisions import, is one for the whole process.
    with _migrating, _for_writing(engine).begin() as connection:
        scripts = ScriptDirectory(folder)
        context = MigrationContext.configure(
            connection,
            opts={
                "version_table": f"alembic_version_{name}",
                "transactional_ddl": True,  # SQLite too, since BEGIN is ours
                "fn": lambda heads, context: scripts._upgrade_revs("head", heads),
            },
        )
        _check_known(context.get_current_heads(), scripts, engine)
        with Operations.context(context):
            context.run_migrations()


def _check_known(heads: tuple[str, ...], scripts: ScriptDirectory, engine: Engine) -> None:
    known = {script.revision for script in scripts.walk_revisions()}
    if newer := [head for head in heads if head not in known]:
        raise StoreError(
            f"the database {engine.url.database} was written by a newer version of GRGA",
            found=f"revision {', '.join(newer)}",
            expected=f"at most {scripts.get_current_head()}",
            fix="update GRGA, or choose another folder with --home",
        )


def _for_writing(engine: Engine) -> Engine:
    return engine.execution_options(**{_WRITES: True})


def _configure(connection: Any, record: object) -> None:
    # sqlite3 itself would begin no transaction before a SELECT or a CREATE TABLE; _begin does.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}")
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.close()


def _begin_postgres(connection: Connection) -> None:
    # One writer at a time here too: what was decided by looking must still hold when it is written.
    if connection.get_execution_options().get(_WRITES, False):
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITE_LOCK})")


def _begin(connection: Connection) -> None:
    # A reader that turns into a writer fails when somebody else wrote meanwhile; a writer from the start waits.
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
